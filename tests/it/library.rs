//! lop as a library: closures as tests, events, limits, and passes of the caller's own.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use lop::{Config, Error, Event, ReduceError, Verdict};
use lop_passes::{Alternative, Class};
use lop_reduce::{Effort, Ended, Facts, Growth, Keep, KeepSpec, Minimal, Pass, Prefer, Proposals, Stage, View};
use lop_syntax::Edit;

use crate::support::deadline;

const INPUT: &[u8] = br#"{"a": [1, 2, {"deep": [true, null, "needle", 4]}], "b": {"c": 5}}"#;

fn has_needle(text: &[u8]) -> bool {
    text.windows(8).any(|part| part == br#""needle""#)
}

#[test]
fn a_closure_may_answer_with_a_bool_or_with_a_verdict() {
    let by_bool = lop::reduce(INPUT, has_needle, &Config::new()).expect("interesting");
    let by_verdict = lop::reduce(INPUT, |text: &[u8]| Verdict::from(has_needle(text)), &Config::new());
    assert_eq!(by_bool.best, br#""needle""#);
    assert_eq!(by_bool.tests, by_verdict.expect("interesting").tests);
    let picky = |text: &[u8]| if text.is_empty() { Verdict::Invalid } else { Verdict::from(has_needle(text)) };
    assert_eq!(lop::reduce(INPUT, picky, &Config::new()).expect("interesting").tests.invalid, 1);
}

#[test]
fn one_job_runs_in_the_callers_thread_and_more_run_in_others() {
    for jobs in [1, 3] {
        let threads = Mutex::new(Vec::new());
        let judge = |text: &[u8]| {
            threads.lock().expect("no panics").push(thread::current().id());
            has_needle(text)
        };
        let report = lop::reduce(INPUT, judge, &Config::new().jobs(jobs)).expect("interesting");
        assert_eq!(report.best, br#""needle""#);
        let threads = threads.into_inner().expect("no panics");
        assert_eq!(threads.iter().all(|id| *id == thread::current().id()), jobs == 1);
        assert_eq!(threads.len() as u64, report.tests.total() - report.tests.unresolved);
    }
}

#[test]
fn never_more_closures_run_than_jobs() {
    let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let judge = |text: &[u8]| {
        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        thread::yield_now();
        now.fetch_sub(1, Ordering::SeqCst);
        has_needle(text)
    };
    lop::reduce(INPUT, judge, &Config::new().jobs(2)).expect("interesting");
    assert!((1..=2).contains(&most.into_inner()));
}

#[test]
fn a_panic_of_the_closure_reaches_the_caller() {
    for jobs in [1, 3] {
        let asked = AtomicU64::new(0);
        let judge = |text: &[u8]| {
            if asked.fetch_add(1, Ordering::SeqCst) == 10 {
                // Not `panic!`: the harness need not tell of it.
                resume_unwind(Box::new("on purpose"));
            }
            has_needle(text)
        };
        let unwound = catch_unwind(AssertUnwindSafe(|| lop::reduce(INPUT, judge, &Config::new().jobs(jobs))));
        let panic = unwound.expect_err("it panics");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"on purpose"), "{jobs} jobs");
    }
}

#[test]
fn events_come_to_the_callback_in_order() {
    let seen = RefCell::new(Vec::new());
    let last = RefCell::new(Vec::new());
    let config = Config::new().on_event(|event| match event {
        Event::Started { grammar, .. } => seen.borrow_mut().push(format!("{grammar:?}")),
        Event::Accepted { content, .. } => *last.borrow_mut() = content.to_vec(),
        Event::Finished(report) => seen.borrow_mut().push(report.minimal.name().to_owned()),
        _ => {}
    });
    let report = lop::reduce(INPUT, has_needle, &config).expect("interesting");
    assert_eq!(*seen.borrow(), ["Some(\"json\")", "token"]);
    assert_eq!(*last.borrow(), report.best);
}

#[test]
fn the_language_is_told_by_name_by_file_name_or_by_content() {
    let language = |config: Config<'static>| {
        let name = Rc::new(RefCell::new(String::new()));
        let told = Rc::clone(&name);
        let config = config.on_event(move |event| {
            if let Event::Started { grammar, .. } = event {
                *told.borrow_mut() = grammar.unwrap_or("text").to_owned();
            }
        });
        lop::reduce(INPUT, has_needle, &config).expect("interesting");
        name.take()
    };
    assert_eq!(language(Config::new()), "json");
    assert_eq!(language(Config::new().language("text")), "text");
    assert_eq!(language(Config::new().file_name("a.js")), "javascript");
    assert_eq!(language(Config::new().with_grammar(None)), "text");
    let unknown = lop::reduce(INPUT, has_needle, &Config::new().language("klingon"));
    assert!(matches!(unknown, Err(Error::Language(_))), "{unknown:?}");
}

#[test]
fn what_cannot_be_reduced_is_an_error() {
    let boring = lop::reduce(INPUT, |_: &[u8]| false, &Config::new());
    assert!(matches!(boring, Err(Error::Reduce(ReduceError::NotInteresting { .. }))), "{boring:?}");
    let anything = lop::reduce(INPUT, |_: &[u8]| true, &Config::new());
    assert!(matches!(anything, Err(Error::Reduce(ReduceError::EmptyIsInteresting))), "{anything:?}");
}

#[test]
fn limits_end_a_reduction_with_the_best_so_far() {
    let report = lop::reduce(INPUT, has_needle, &Config::new().max_tests(4)).expect("interesting");
    assert_eq!((report.ended, report.tests.total()), (Ended::Budget, 4));
    assert!(has_needle(&report.best));
}

/// Proposes by a function.
struct By(&'static str, Stage, fn(&View<'_>) -> Proposals);

impl Pass for By {
    fn facts(&self) -> Facts {
        Facts::new(self.0, self.1, "what a function proposes")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        (self.2)(view)
    }
}

/// Makes the argument of a call a list of four tokens more.
struct Larger(Growth);

impl Pass for Larger {
    fn facts(&self) -> Facts {
        Facts::new("larger", Stage::LocalEdits, "the text grows").growing(self.0)
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let at = view.text.windows(3).position(|part| part == b"(1)").map(|at| at + 1);
        let made = |at: usize| Alternative {
            pass: "larger",
            class: Class::default(),
            range: at..at + 1,
            edits: vec![Edit::replace(at..at + 1, b"[2,3]".to_vec())],
            tokens: 0,
            bytes: -4,
            is_late: false,
            memo: 1,
            rules: Vec::new(),
        };
        at.map(made).into_iter().collect::<Vec<_>>().into()
    }
}

#[test]
fn only_a_pass_that_says_so_makes_the_best_result_larger_and_no_more_than_it_says() {
    for (growth, prefer, is_accepted) in [
        (Growth::Nothing, Prefer::Tokens, false),
        (Growth::Blanks, Prefer::Tokens, false),
        (Growth::Tokens(3), Prefer::Tokens, false),
        (Growth::Tokens(4), Prefer::Tokens, true),
        (Growth::Tokens(4), Prefer::Bytes, false),
        (Growth::Tokens(4), Prefer::Lines, true),
    ] {
        let sizes = RefCell::new(Vec::new());
        let config = Config::new().language("javascript").pass(Larger(growth)).on_event(|event| {
            if let Event::Accepted { pass: "larger", size, .. } = event {
                sizes.borrow_mut().push(size.tokens);
            }
        });
        let config = config.options(|options| {
            (options.prefer, options.passes.only) = (prefer, vec!["whitespace"]);
        });
        let needed = |text: &[u8]| text.starts_with(b"f(") && text.ends_with(b");");
        lop::reduce(b"f(1);", needed, &config).expect("interesting");
        assert_eq!(*sizes.borrow(), if is_accepted { vec![9] } else { vec![] }, "{growth:?} {prefer:?}");
    }
}

/// Two letters that have to be the same may only change together.
fn pairs(view: &View<'_>) -> Proposals {
    let places: Vec<usize> = (0..view.text.len()).filter(|at| view.text[*at] == b'(').collect();
    let partners: Vec<usize> = (0..view.text.len()).filter(|at| view.text[*at] == b')').collect();
    let both = |(open, close): (&usize, &usize)| [*open, *close].map(|at| Edit::delete_raw(at..at + 1)).to_vec();
    view.any_of(places.iter().zip(partners.iter().rev()).map(both))
}

fn is_balanced(text: &[u8]) -> bool {
    let count = |letter| text.iter().filter(|byte| **byte == letter).count();
    count(b'(') == count(b')') && text.contains(&b'x')
}

#[test]
fn a_custom_pass_has_its_turn_at_every_stage_on_trees_and_on_text() {
    let stages = [Stage::First, Stage::Deletion, Stage::LocalEdits, Stage::Tokens, Stage::Rules, Stage::Late];
    let stages = stages.into_iter().chain([Stage::Characters, Stage::Finish, Stage::Text, Stage::Guarantee]);
    for stage in stages {
        for (language, input) in [("text", "((((x))))"), ("javascript", "((((x))));")] {
            for effort in [Effort::Fast, Effort::Usual] {
                let passes = RefCell::new(BTreeSet::new());
                let config = Config::new().language(language).options(|options| options.effort = effort);
                let config = config.pass(By("both", stage, pairs)).on_event(|event| {
                    if let Event::Accepted { pass, .. } | Event::Tested { pass, .. } = event {
                        passes.borrow_mut().insert(*pass);
                    }
                });
                // The edits of other passes are not the subject here.
                let config = config.options(|options| options.passes.only = vec!["minimality"]);
                let report = lop::reduce(input.as_bytes(), is_balanced, &config).expect("interesting");
                assert!(report.best.starts_with(b"x"), "{stage:?} {language}: {:?}", report.best);
                assert!(passes.borrow().contains("both"), "{stage:?} {language}");
                assert!(report.passes.iter().any(|pass| pass.name == "both" && pass.accepted > 0), "{stage:?}");
            }
        }
    }
}

/// A letter becomes the one before it: nothing is saved by that.
fn no_gain(view: &View<'_>) -> Proposals {
    let swap = |at: usize| vec![Edit { raw: true, ..Edit::replace(at..at + 1, b"y".as_slice()) }];
    view.one_of((0..view.text.len()).map(swap))
}

#[test]
fn what_saves_nothing_is_not_asked() {
    let config = || Config::new().language("text");
    let without = lop::reduce(b"abx", is_balanced, &config()).expect("interesting");
    let with =
        lop::reduce(b"abx", is_balanced, &config().pass(By("none", Stage::Rules, no_gain))).expect("interesting");
    assert_eq!(with.tests, without.tests);
}

/// The first letter becomes another one, and back: an edit of its own making, which nothing has weighed.
fn back_and_forth(view: &View<'_>) -> Proposals {
    let other: &'static [u8] = if view.text.starts_with(b"x") { b"y" } else { b"x" };
    let swap = Alternative {
        pass: "",
        class: Class::default(),
        range: 0..1,
        edits: vec![Edit { raw: true, ..Edit::replace(0..1, other) }],
        tokens: 0,
        bytes: 0,
        is_late: false,
        memo: other[0].into(),
        rules: Vec::new(),
    };
    vec![swap].into()
}

#[test]
fn edits_that_undo_each_other_come_to_an_end() {
    for stage in [Stage::First, Stage::LocalEdits, Stage::Rules, Stage::Characters] {
        for language in ["text", "c"] {
            let config = Config::new().language(language).pass(By("swap", stage, back_and_forth));
            let config = config.max_time(deadline()).options(|options| {
                options.passes.only = vec!["minimality"];
                options.minimal = Some(Minimal::None);
            });
            let report =
                lop::reduce(b"x;", |text: &[u8]| text == b"x;" || text == b"y;", &config).expect("interesting");
            assert_eq!(report.ended, Ended::Complete, "{stage:?} {language}");
        }
    }
}

/// A word becomes shorter.
fn shorter(view: &View<'_>) -> Proposals {
    let found = view.text.windows(4).position(|part| part == b"long");
    let edit = |at: usize, text: &'static [u8]| vec![Edit { raw: true, ..Edit::replace(at..at + 4, text) }];
    view.one_of(found.into_iter().flat_map(|at| [edit(at, b"lo"), edit(at, b"s"), edit(at, b"")]))
}

#[test]
fn of_alternatives_the_best_that_is_interesting_is_taken_once() {
    let judge = |text: &[u8]| text.starts_with(b"s") || text.starts_with(b"lo");
    let options = |config: Config<'static>| config.options(|options| options.minimal = Some(Minimal::None));
    let config = options(Config::new().language("text").pass(By("shorter", Stage::Rules, shorter)));
    let config = config.options(|options| options.passes.only = vec!["minimality"]);
    let report = lop::reduce(b"long", judge, &config).expect("interesting");
    assert_eq!(report.best, b"s");
    let stats = report.passes.iter().find(|pass| pass.name == "shorter").expect("it had its turn");
    assert_eq!((stats.accepted, stats.bytes), (1, 3));
    // The edit that saves everything is known to be refused: the baseline asked about the empty file. So one candidate
    // is tested.
    assert_eq!(stats.tests, 1);
}

#[test]
fn what_is_to_be_kept_no_pass_touches() {
    let input = b"(x) (keep)";
    let kept = KeepSpec { patterns: vec!["\\(keep\\)".to_owned()], ..KeepSpec::default() };
    let kept = Keep::find(&kept, input, None, input.len()).expect("it is there");
    let config = Config::new().language("text").pass(By("both", Stage::Rules, pairs)).options(|options| {
        options.keep = kept.clone();
        options.passes.only = vec!["minimality"];
        options.minimal = Some(Minimal::None);
    });
    let report = lop::reduce(input, is_balanced, &config).expect("interesting");
    assert_eq!(report.best, b"(x) (keep)");
}

#[test]
fn passes_of_one_name_are_refused() {
    for name in ["hoist", "mine"] {
        let config = Config::new().pass(By("mine", Stage::Rules, pairs)).pass(By(name, Stage::Rules, pairs));
        let refused = lop::reduce(INPUT, has_needle, &config);
        assert!(matches!(refused, Err(Error::Reduce(ReduceError::PassName(taken))) if taken == name), "{refused:?}");
    }
}

#[test]
fn an_edit_outside_the_text_is_a_panic_that_names_the_pass() {
    fn outside(view: &View<'_>) -> Proposals {
        let end = view.text.len();
        view.any_of([vec![Edit::delete_raw(end..end + 1)]])
    }
    let config = Config::new().pass(By("outside", Stage::Rules, outside));
    let unwound = catch_unwind(AssertUnwindSafe(|| lop::reduce(INPUT, has_needle, &config)));
    let panic = unwound.expect_err("it panics");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("the pass outside"), "{message}");
}

#[test]
fn the_same_seed_gives_the_same_candidates() {
    let candidates = || {
        let all = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&all);
        let judge = move |text: &[u8]| {
            seen.lock().expect("no panics").push(text.to_vec());
            is_balanced(text)
        };
        let config = Config::new().language("text").seed(3).pass(By("both", Stage::Rules, pairs));
        lop::reduce(b"a (b (c x) d) e", judge, &config).expect("interesting");
        all.lock().expect("no panics").clone()
    };
    assert_eq!(candidates(), candidates());
}
