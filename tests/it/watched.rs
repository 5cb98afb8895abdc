//! A user watches a reduction: holds it, leaves passes out of it, and is told what it is about to do.

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::thread;

use lop_engine::Verdict;
use lop_grammar::{AUTO, Grammar, Registry};
use lop_languages::LANGUAGES;
use lop_reduce::{Control, Ended, Event, EventSink, Minimal, Options, Report, reduce_with};
use lop_run::exec::Inline;
use lop_run::oracle::Cancel;

const INPUT: &str = "int a; int b; int c;\n/* why */\nint f(int n) { int d = a + b; if (n) { g(n, 17); } return d; }\n\
                     int h(void) { return f(3) + f(4); }\nint i, j, k;\n";

fn grammar() -> Arc<Grammar> {
    let registry = Registry::of(&LANGUAGES).expect("embedded grammars load");
    let (grammar, _) = registry.choose(AUTO, "x.c".as_ref(), b"").expect("it loads");
    grammar.expect("the extension is known")
}

/// Needs a call of `g` within something in braces.
fn judge(text: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(text);
    if text.contains("{") && text.contains("g(") { Verdict::Interesting } else { Verdict::NotInteresting }
}

/// Remembers what it hears, and does something about it.
struct Watcher<F> {
    follows: bool,
    heard: Vec<String>,
    act: F,
}

impl<F: FnMut(&Event<'_>)> EventSink for Watcher<F> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        (self.act)(event);
        self.heard.push(match event {
            Event::Pass { name, .. } => format!("pass {name}"),
            Event::Tested { pass, bytes, verdict, .. } => format!("tested {pass} {bytes} {verdict:?}"),
            Event::Paused { tests } => format!("paused {tests}"),
            Event::Resumed => "resumed".to_owned(),
            Event::Skipped { pass, .. } => format!("skipped {pass}"),
            Event::Trying { worker, .. } => format!("trying {worker}"),
            Event::Idle { worker } => format!("idle {worker}"),
            Event::Outlook(_) => "outlook".to_owned(),
            _ => return Ok(()),
        });
        Ok(())
    }

    fn follows(&self) -> bool {
        self.follows
    }
}

fn watched(control: &Control, slots: usize, follows: bool, act: impl FnMut(&Event<'_>)) -> (Report, Vec<String>) {
    let options = Options { control: control.clone(), ..Options::default() };
    let mut executor = Inline::new(judge).with_slots(slots);
    let mut watcher = Watcher { follows, heard: Vec::new(), act };
    let result = reduce_with(INPUT.as_bytes(), Some(grammar()), &mut executor, &options, &mut watcher, &Cancel::new());
    (result.expect("the input is interesting"), watcher.heard)
}

#[test]
fn nothing_is_tested_during_a_pause() {
    for slots in [1, 3] {
        let control = Control::new();
        let mut tests = 0;
        let (report, heard) = watched(&control, slots, false, |event| match event {
            Event::Tested { .. } => {
                tests += 1;
                if tests % 10 == 0 {
                    control.pause();
                }
            }
            Event::Paused { .. } => {
                let control = control.clone();
                thread::spawn(move || control.resume());
            }
            _ => {}
        });
        let pauses: Vec<usize> = (0..heard.len()).filter(|at| heard[*at].starts_with("paused")).collect();
        assert!(pauses.len() > 1, "{heard:?}");
        assert!(pauses.iter().all(|at| heard[at + 1] == "resumed"), "{heard:?}");
        assert_eq!((report.ended, report.minimal), (Ended::Complete, Minimal::Token));
    }
}

#[test]
fn who_is_stopped_during_a_pause_ends() {
    let (control, cancel) = (Control::new(), Cancel::new());
    let options = Options { control: control.clone(), ..Options::default() };
    let tests = Cell::new(0);
    let mut executor = Inline::new(|text: &[u8]| {
        tests.set(tests.get() + 1);
        if tests.get() == 8 {
            control.pause();
        }
        judge(text)
    });
    let act = |event: &Event<'_>| {
        if matches!(event, Event::Paused { .. }) {
            let cancel = cancel.clone();
            thread::spawn(move || cancel.stop());
        }
    };
    let mut watcher = Watcher { follows: false, heard: Vec::new(), act };
    let report = reduce_with(INPUT.as_bytes(), Some(grammar()), &mut executor, &options, &mut watcher, &cancel);
    assert_eq!(report.expect("it is interesting").ended, Ended::Cancelled);
    assert_eq!(tests.get(), 8);
}

#[test]
fn a_pass_that_is_skipped_asks_nothing_more_and_the_others_do() {
    let plain = watched(&Control::new(), 1, false, |_| {}).1;
    // Tests that were under way are cancelled.
    let asks = |heard: &[String], pass: &str| {
        let is_asked = |line: &&String| line.starts_with(&format!("tested {pass} ")) && !line.ends_with("None");
        heard.iter().filter(is_asked).count()
    };
    for pass in ["siblings", "minimal", "tokens", "whitespace"] {
        for slots in [1, 3] {
            let control = Control::new();
            let (report, heard) = watched(&control, slots, false, |event| {
                if matches!(event, Event::Tested { pass: asking, .. } if *asking == pass) {
                    control.skip(pass);
                }
            });
            let name = pass;
            assert!(asks(&plain, name) > 0, "{name}: {plain:?}");
            let at = heard.iter().position(|line| *line == format!("skipped {name}")).expect("it was under way");
            assert_eq!(asks(&heard[at..], name), 0, "{heard:?}");
            assert!(asks(&heard, "minimality") > 0, "{name}: what is left is still asked about");
            assert_eq!(
                (report.skipped.as_slice(), report.minimal, report.ended),
                (&[name][..], Minimal::Token, Ended::Complete)
            );
            assert_eq!(judge(&report.best), Verdict::Interesting);
        }
    }
}

#[test]
fn a_skipped_guarantee_is_not_given() {
    let control = Control::new();
    let (report, heard) = watched(&control, 1, false, |event| {
        if matches!(event, Event::Pass { name, .. } if *name == "minimality") {
            control.skip("minimality");
        }
    });
    assert_eq!((report.skipped.as_slice(), report.minimal), (&["minimality"][..], Minimal::None));
    assert!(heard.contains(&"skipped minimality".to_owned()));
    assert_eq!(heard.iter().filter(|line| line.starts_with("tested minimality")).count(), 0);
}

#[test]
fn skipping_does_not_ask_all_again() {
    let tests = |heard: &[String]| heard.iter().filter(|line| line.starts_with("tested")).count();
    let plain = tests(&watched(&Control::new(), 1, false, |_| {}).1);
    let control = Control::new();
    let (_, heard) = watched(&control, 1, false, |event| {
        if matches!(event, Event::Tested { pass: "whitespace" | "rename", .. }) {
            control.skip("whitespace");
        }
    });
    assert!(heard.contains(&"skipped whitespace".to_owned()));
    // The text is laid out by then, so that another round of everything else follows.
    assert!(tests(&heard) <= plain + 6, "{} tests, {plain} without: names are asked about again", tests(&heard));
}

#[test]
fn who_follows_is_told_of_every_test_and_changes_nothing() {
    for slots in [1, 4] {
        let (report, plain) = watched(&Control::new(), slots, false, |_| {});
        let (same, heard) = watched(&Control::new(), slots, true, |_| {});
        let mut running = vec![false; slots];
        for line in &heard {
            if let Some(worker) = line.strip_prefix("trying ").map(|worker| worker.parse::<usize>().expect("a number"))
            {
                assert!(!std::mem::replace(&mut running[worker], true), "worker {worker} is taken: {heard:?}");
            } else if let Some(worker) =
                line.strip_prefix("idle ").map(|worker| worker.parse::<usize>().expect("a number"))
            {
                assert!(std::mem::replace(&mut running[worker], false), "worker {worker} is free: {heard:?}");
            }
        }
        assert!(running.iter().all(|running| !running), "all have ended");
        assert!(heard.contains(&"outlook".to_owned()));
        let told = |line: &&String| !line.starts_with("trying") && !line.starts_with("idle") && *line != "outlook";
        assert_eq!(heard.iter().filter(told).collect::<Vec<_>>(), plain.iter().collect::<Vec<_>>());
        assert_eq!(report.best, same.best);
    }
}
