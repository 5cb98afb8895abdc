//! Interprets the facts. Each check is a function from [`Facts`] to a finding; [`CHECKS`] lists them.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use lop_reduce::usual_deadline;
use lop_run::oracle::{Exit, Outcome, Unresolved};

use super::causes::{self, Cause, Source};
use super::facts::{Facts, median};
use super::remote;
use super::{Finding, Level};

/// A check; `None` if it doesn't apply to these facts.
type Check = fn(&Facts) -> Option<Finding>;

/// All checks, in the order of the output.
const CHECKS: [Check; 16] = [
    starts,
    paths,
    input,
    remote_machine,
    repeats,
    cause,
    empty,
    trivial,
    trivial_inputs,
    original,
    directory,
    processes,
    sources,
    null,
    time,
    load,
];

/// The checks that warn of a useless result.
pub(super) const TRIVIAL_CHECKS: [&str; 2] = ["trivial file", HOLLOW];
const HOLLOW: &str = "minimal file";
/// The checks that say nothing new if the test is known to answer differently each time.
pub(super) const FLAKY_CHECKS: [&str; 2] = [REPEATED, DIRECTORY];
const REPEATED: &str = "repeated";
const DIRECTORY: &str = "directory";
/// Maximum number of names to list; the others are only counted.
const LISTED: usize = 5;
/// A test that takes no longer than this is fast, even if most of it is start-up.
const FAST: Duration = Duration::from_millis(30);
/// A test is slow in parallel if it takes this many times as long as alone.
const SLOW: f64 = 1.5;

/// Runs all checks.
#[must_use]
pub fn findings(facts: &Facts) -> Vec<Finding> {
    CHECKS.iter().filter_map(|check| check(facts)).collect()
}

fn starts(facts: &Facts) -> Option<Finding> {
    let first = facts.input.first()?;
    Some(match &first.unresolved {
        Some(Unresolved::Failed(message)) => Finding::new("start", Level::Fault, message)
            .means("lop cannot ask the test")
            .fix("run it by hand in an empty directory with a copy of the file"),
        _ => Finding::ok("start", format!("{} can be run", facts.program.display())),
    })
}

fn remote_machine(facts: &Facts) -> Option<Finding> {
    Some(remote::finding(facts.remote.as_ref()?, facts.input.first()?))
}

fn input(facts: &Facts) -> Option<Finding> {
    let first = facts.input.first().filter(|outcome| outcome.verdict.is_some())?;
    if let Some(interesting) = facts.input.iter().find(|outcome| outcome.is_interesting()) {
        return Some(Finding::ok("input", format!("the input is interesting ({})", interesting.exit)));
    }
    let seen = format!("the test rejects the input: {}, expected {}", first.exit, facts.wanted);
    let finding = Finding::new("input", Level::Fault, seen).means("there is nothing to reduce");
    Some(finding.fix(match first.exit {
        Exit::Code(127) => "a shell exits with 127 if it doesn't find a command: write its absolute path",
        Exit::Code(126) => "a shell exits with 126 if it cannot execute a file: chmod +x",
        Exit::TimedOut => "give it more time with --timeout; to keep a hang, use --timeout-is-interesting",
        _ => "run the test by hand in an empty directory with a copy of the file, and look at its exit code",
    }))
}

fn repeats(facts: &Facts) -> Option<Finding> {
    if facts.is_flaky() {
        let all: Vec<Outcome> = facts.input.iter().chain(&facts.other_directory).cloned().collect();
        let rate = causes::rate(&all);
        let seen = format!("the test is flaky: the input shows the bug in {}", rate.with_interval());
        return Some(
            Finding::new(REPEATED, Level::Fault, seen)
                .means("lop may remove needed parts and keep others")
                .fix("fix seeds, leave addresses, times and temporary names out of what it looks for; or use --flaky"),
        );
    }
    let runs = facts.input.len();
    let seen = || format!("{runs} of {runs} runs on the input gave the same answer");
    (runs > 1).then(|| Finding::ok(REPEATED, seen()))
}

/// The reason why answers differ.
fn cause(facts: &Facts) -> Option<Finding> {
    let Cause { source, interesting, runs } = facts.cause?;
    let each =
        if interesting { format!("all {runs} runs show the bug") } else { format!("none of {runs} runs shows it") };
    Some(match source {
        Source::HashSeed(seed) => {
            let [_, python, perl, keys] = causes::with_seed(seed);
            let seen = format!("with a fixed hash seed ({python}) {each}");
            let finding =
                Finding::new("cause", Level::Note, seen).means("the bug depends on the order in a hash table");
            finding.fix(if interesting {
                format!("fix the seed in the test: `export {python} {perl} {keys}` makes it repeatable")
            } else {
                format!("look for a seed that shows the bug, from {python} on, and fix it in the test; or use --flaky")
            })
        }
        Source::Addresses => {
            let seen = format!("without random addresses (setarch -R) {each}");
            let finding = Finding::new("cause", Level::Note, seen).means("the bug depends on where memory is");
            finding.fix(if interesting {
                "write `setarch -R` before the command in the test"
            } else {
                "addresses must stay random to show it: use --flaky"
            })
        }
        Source::Time => {
            let seen = format!("the time of {runs} runs tells which of them showed the bug");
            Finding::new("cause", Level::Note, seen)
                .means("the bug depends on time: a race, a timeout, or the load of the machine")
                .fix("reduce with -j 1 on an idle machine, or use --flaky")
        }
    })
}

fn empty(facts: &Facts) -> Option<Finding> {
    let outcome = facts.empty.as_ref()?;
    if !outcome.is_interesting() {
        return Some(Finding::ok("empty file", format!("the test rejects the empty file ({})", outcome.exit)));
    }
    let finding = Finding::new("empty file", Level::Fault, "the test accepts the empty file")
        .means("the test checks nothing in the candidate, or it reads the original instead");
    Some(finding.fix(
        "check for the message of the bug, in the candidate; if an empty file is a good result, use --allow-empty",
    ))
}

fn trivial(facts: &Facts) -> Option<Finding> {
    let outcome = facts.trivial.as_ref()?;
    if !outcome.is_interesting() {
        return Some(Finding::ok("trivial file", format!("the test rejects a file of one newline ({})", outcome.exit)));
    }
    Some(
        Finding::new("trivial file", Level::Fault, "the test accepts a file of one newline")
            .means("the test doesn't check for the bug, or it reads the original instead of the candidate")
            .fix("check for the message of the bug, in the candidate"),
    )
}

fn trivial_inputs(facts: &Facts) -> Option<Finding> {
    if facts.trivial_inputs.is_empty() {
        return None;
    }
    let fooling = facts.trivial_inputs.iter().filter(|(_, outcome)| outcome.is_interesting());
    let names: Vec<String> = fooling.map(|(name, _)| name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Some(match names.as_slice() {
        [] => Finding::ok(HOLLOW, "the test rejects minimal files"),
        names => Finding::new(HOLLOW, Level::Warning, format!("the test accepts a minimal file: {}", listed(names)))
            .means("the result may be such a file and not show the bug")
            .fix("check for the message of the bug, and for the text at the reported position (--at)"),
    })
}

fn original(facts: &Facts) -> Option<Finding> {
    let line = facts.names_original.as_ref()?;
    let fooled = [&facts.empty, &facts.trivial].into_iter().flatten().any(Outcome::is_interesting);
    let level = if fooled { Level::Fault } else { Level::Warning };
    Some(
        Finding::new("original", level, format!("the test reads the original by its path: {line}"))
            .means("it may check the original, which is always interesting, and not the candidate")
            .fix("use the candidate: the first argument of a script, @@ in a command, or its name in the current directory"),
    )
}

fn directory(facts: &Facts) -> Option<Finding> {
    let outcome = facts.other_directory.first()?;
    if !facts.differs_in_other_directory() {
        return Some(Finding::ok(DIRECTORY, "the answer is the same in another directory"));
    }
    // A flaky test is flaky everywhere.
    (!facts.is_flaky()).then(|| {
        let seen = format!("in another directory the input is not interesting ({})", outcome.exit);
        Finding::new(DIRECTORY, Level::Warning, seen)
            .means("each worker has a separate directory, so answers would differ between workers")
            .fix("make the test independent of the path of its directory, and of its length")
    })
}

/// Paths that only work in the current directory.
fn paths(facts: &Facts) -> Option<Finding> {
    if let Some(missing) = &facts.missing {
        let finding = Finding::new("paths", Level::Fault, missing.line.clone());
        if missing.things.is_empty() {
            return Some(
                finding
                    .means("the test uses the original file, which is not in its directory")
                    .fix("write @@ for the candidate; a script gets its path as the argument"),
            );
        }
        let things = missing.things.iter();
        let options = things.map(|path| format!("--with {}", path.display())).collect::<Vec<_>>().join(" ");
        return Some(
            finding.means("the test needs a file that is not in its directory").fix(format!("reduce with {options}")),
        );
    }
    let changes = facts.reworded.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let seen = format!("relative paths don't work in the test's directory: {changes}");
    (!facts.reworded.is_empty()).then(|| Finding::new("paths", Level::Note, seen).means("lop makes them absolute"))
}

fn processes(facts: &Facts) -> Option<Finding> {
    facts.input.first()?;
    let names: Vec<&str> = facts.processes.iter().map(String::as_str).collect();
    Some(if names.is_empty() {
        Finding::ok("processes", "the test leaves no processes running")
    } else {
        Finding::new("processes", Level::Warning, format!("the test leaves processes running: {}", listed(&names)))
            .means("lop kills them, but they take time from other tests, and their answers are lost")
            .fix("make the test wait for them, or kill them (`trap 'kill 0' EXIT` in a shell)")
    })
}

fn sources(facts: &Facts) -> Option<Finding> {
    facts.input.first()?;
    Some(if facts.changed.is_empty() {
        Finding::ok("sources", "the test writes nothing next to the file or the test")
    } else {
        let seen = format!("created or changed while the test ran: {}", listed_paths(&facts.changed));
        Finding::new("sources", Level::Warning, seen)
            .means("tests that run at the same time interfere, and an answer may depend on the one before")
            .fix("write to the current directory or to $TMPDIR: each test has its own")
    })
}

fn null(facts: &Facts) -> Option<Finding> {
    facts.input.first()?;
    let restore = "restore it with `rm -f /dev/null; mknod -m 666 /dev/null c 1 3`, and write elsewhere";
    Some(match (facts.null, &facts.names_null) {
        (Some((true, false)), _) => Finding::new("/dev/null", Level::Fault, "the test has destroyed /dev/null")
            .means("every program on this machine that uses it fails from now on")
            .fix(restore),
        (Some((false, _)), _) => Finding::new("/dev/null", Level::Fault, "/dev/null is not a device")
            .means("neither the test nor other programs on this machine can be relied on")
            .fix(restore),
        (_, Some(line)) if facts.is_root => {
            Finding::new("/dev/null", Level::Warning, format!("as root, the test writes to /dev/null by name: {line}"))
                .means("a compiler that fails deletes its output, and root may delete that one")
                .fix("write to a file in the current directory")
        }
        _ => Finding::ok("/dev/null", "still a device"),
    })
}

fn time(facts: &Facts) -> Option<Finding> {
    let usual = facts.usual();
    if !facts.is_interesting() {
        return None;
    }
    let mut seen = format!("{} on the input", Shown(usual));
    let start_up = facts.start_up();
    if let Some(start_up) = start_up {
        let _ = write!(seen, ", {} on a minimal file", Shown(start_up));
    }
    let deadline = facts.deadline.unwrap_or_else(|| usual_deadline(facts.slowest()));
    let _ = write!(seen, "; time limit of a test: {}", Shown(deadline));
    if facts.is_to_hang() {
        // It takes as long as the deadline allows.
        return Some(Finding::ok("time", seen));
    }
    if facts.slowest() * 2 > deadline {
        return Some(
            Finding::new("time", Level::Warning, seen)
                .means("the input takes more than half of the time limit; on a busy machine it may time out")
                .fix(format!("--timeout {}", usual_deadline(facts.slowest()).as_secs_f64().ceil())),
        );
    }
    Some(match start_up {
        Some(start_up) if usual > FAST && start_up * 2 > usual => Finding::new("time", Level::Note, seen)
            .means("most of it is start-up, which a smaller file doesn't reduce")
            .fix("do the cheap check first: grep before you compile, compile before you run"),
        _ => Finding::ok("time", seen),
    })
}

fn load(facts: &Facts) -> Option<Finding> {
    let jobs = facts.together.len();
    if jobs < 2 {
        return None;
    }
    let interesting = facts.together.iter().filter(|outcome| outcome.is_interesting()).count();
    if interesting < jobs && facts.is_flaky() {
        // It isn't interesting alone either.
        return None;
    }
    if interesting < jobs {
        let seen = format!("of {jobs} runs at the same time {interesting} were interesting");
        return Some(
            Finding::new("load", Level::Fault, seen)
                .means("tests interfere with each other: a port, a lock, a file outside of their directories, or time")
                .fix("give each run its own, or reduce with -j 1"),
        );
    }
    let (together, alone) = (median(&facts.together), facts.usual());
    let ratio = together.as_secs_f64() / alone.as_secs_f64().max(1e-6);
    let seen = format!("{jobs} at the same time take {} each, {ratio:.1} times as long as alone", Shown(together));
    let deadline = facts.deadline.unwrap_or_else(|| usual_deadline(facts.slowest()));
    Some(if facts.is_to_hang() {
        Finding::ok("load", seen)
    } else if together * 2 > deadline {
        Finding::new("load", Level::Warning, seen)
            .means("over half of the time limit: some tests would time out")
            .fix("use fewer with -j, or more --timeout")
    } else if ratio >= SLOW && alone > FAST {
        let gain = jobs as f64 / ratio;
        Finding::new("load", Level::Note, seen)
            .means(format!("{jobs} workers run about {gain:.1} times as many tests as one"))
            .fix("-j with a smaller number may be as fast; a test that uses several cores itself should use one")
    } else {
        Finding::ok("load", seen)
    })
}

/// Lists some names, and the number of the others.
fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn listed_paths(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    listed(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Formats a duration.
struct Shown(Duration);

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.as_secs_f64() {
            seconds if seconds < 1.0 => write!(f, "{:.0} ms", (seconds * 1e3).max(1.0)),
            seconds => write!(f, "{seconds:.1} s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Missing, Reworded};
    use lop_engine::Verdict;

    fn ran(verdict: Verdict, milliseconds: u64) -> Outcome {
        let exit = Exit::Code(i32::from(verdict != Verdict::Interesting));
        Outcome { exit, duration: Duration::from_millis(milliseconds), ..Outcome::of(verdict) }
    }

    fn yes(milliseconds: u64) -> Outcome {
        ran(Verdict::Interesting, milliseconds)
    }

    fn no() -> Outcome {
        ran(Verdict::NotInteresting, 5)
    }

    /// A healthy test.
    fn healthy() -> Facts {
        Facts {
            program: "/bin/test".into(),
            wanted: "exit code 0".into(),
            input: vec![yes(20); 5],
            empty: Some(no()),
            trivial: Some(no()),
            trivial_inputs: vec![("`{}`".to_owned(), no())],
            other_directory: vec![yes(20)],
            together: vec![yes(21); 2],
            null: Some((true, true)),
            ..Facts::default()
        }
    }

    /// Returns the only finding about a test that differs from a healthy one in one respect. Panics if there are more
    /// or none.
    #[track_caller]
    fn only(change: impl FnOnce(&mut Facts)) -> Finding {
        let mut facts = healthy();
        change(&mut facts);
        let mut found: Vec<Finding> =
            findings(&facts).into_iter().filter(|finding| finding.level > Level::Ok).collect();
        assert_eq!(found.len(), 1, "{found:#?}");
        found.remove(0)
    }

    #[test]
    fn a_healthy_test_has_nothing_but_ok() {
        let found = findings(&healthy());
        assert!(found.iter().all(|finding| finding.level == Level::Ok), "{found:#?}");
        assert_eq!(found.len(), CHECKS.len() - 4, "no original, no paths, no other machine and no cause to speak of");
        assert_eq!(healthy().runs(), 11);
    }

    #[test]
    fn each_ill_has_its_own_finding() {
        /// Applies the change.
        type Ill = fn(&mut Facts);
        let ills: [(&str, Level, Ill); 10] = [
            ("repeated", Level::Fault, |facts| facts.input[3] = no()),
            ("empty file", Level::Fault, |facts| facts.empty = Some(yes(5))),
            ("trivial file", Level::Fault, |facts| facts.trivial = Some(yes(5))),
            ("original", Level::Warning, |facts| facts.names_original = Some("cc /a/b.x".into())),
            ("directory", Level::Warning, |facts| facts.other_directory = vec![no(); 5]),
            ("processes", Level::Warning, |facts| facts.processes = vec!["sleep".into()]),
            ("sources", Level::Warning, |facts| facts.changed = vec!["/a/log".into()]),
            ("/dev/null", Level::Fault, |facts| facts.null = Some((true, false))),
            ("load", Level::Fault, |facts| facts.together[1] = no()),
            ("time", Level::Warning, |facts| facts.deadline = Some(Duration::from_millis(39))),
        ];
        for (check, level, change) in ills {
            // Twice the load would not fit into the deadline of the last one either.
            let finding = only(|facts| {
                change(facts);
                if check == "time" {
                    facts.together.clear();
                }
            });
            assert_eq!((finding.check, finding.level), (check, level), "{finding:#?}");
            assert!(!finding.means.is_empty(), "{finding:#?}");
            assert!(level == Level::Note || !finding.fix.is_empty(), "{finding:#?}");
        }
    }

    #[test]
    fn load_is_not_to_blame_for_a_flaky_test() {
        let finding = only(|facts| {
            facts.together[1] = no();
            facts.input.push(no());
        });
        assert_eq!(finding.check, "repeated");
    }

    #[test]
    fn a_test_that_is_fooled_by_the_original_has_it_as_a_fault() {
        let mut facts = healthy();
        facts.names_original = Some("cc /a/b.x".into());
        facts.trivial = Some(yes(5));
        let found = findings(&facts);
        assert!(found.iter().any(|finding| finding.check == "original" && finding.level == Level::Fault));
    }

    #[test]
    fn writing_to_dev_null_by_name_matters_to_root_only() {
        let name = |facts: &mut Facts| facts.names_null = Some("cc -o /dev/null x".into());
        assert_eq!(only(|facts| (name(facts), facts.is_root = true).1).level, Level::Warning);
        let mut facts = healthy();
        name(&mut facts);
        assert!(findings(&facts).iter().all(|finding| finding.level == Level::Ok));
    }

    #[test]
    fn an_input_that_is_refused_is_explained() {
        let refused = |exit| {
            let input = vec![Outcome { exit, ..no() }; 5];
            let facts = Facts { input, other_directory: Vec::new(), together: Vec::new(), ..healthy() };
            let found = findings(&facts);
            found.into_iter().find(|finding| finding.level == Level::Fault).expect("a fault").fix
        };
        assert!(refused(Exit::Code(127)).contains("doesn't find"));
        assert!(refused(Exit::TimedOut).contains("--timeout"));
        assert!(refused(Exit::Code(1)).contains("by hand"));
    }

    #[test]
    fn what_differs_in_other_directory_now_and_then_is_flaky_and_nothing_else() {
        for (here, there) in [(vec![yes(20); 2], vec![no(), yes(20)]), (vec![yes(20), no()], vec![no(); 2])] {
            let finding = only(|facts| (facts.input, facts.other_directory) = (here, there));
            assert_eq!((finding.check, finding.level), ("repeated", Level::Fault), "{finding:#?}");
        }
    }

    #[test]
    fn a_hang_that_is_kept_takes_the_deadline_and_needs_no_other() {
        let mut facts = healthy();
        for outcome in facts.input.iter_mut().chain(&mut facts.together) {
            outcome.exit = Exit::TimedOut;
            outcome.duration = Duration::from_secs(1);
        }
        facts.deadline = Some(Duration::from_secs(1));
        let found = findings(&facts);
        assert!(found.iter().all(|finding| !finding.fix.contains("--timeout")), "{found:#?}");
        assert!(found.iter().any(|finding| finding.check == "time" && finding.level == Level::Ok), "{found:#?}");
    }

    #[test]
    fn a_missing_file_is_a_fault_and_a_word_made_absolute_is_none() {
        let missing = Missing { line: "no header".to_owned(), things: vec!["src/beside.h".into()] };
        let finding = only(|facts| facts.missing = Some(missing));
        assert_eq!((finding.check, finding.level, finding.seen.as_str()), ("paths", Level::Fault, "no header"));
        assert!(finding.fix.contains("--with src/beside.h"));
        let change = Reworded { at: 1, from: "-Ii".into(), to: "-I/a/i".into() };
        let finding = only(|facts| facts.reworded = vec![change]);
        assert_eq!(finding.level, Level::Note);
        assert!(finding.seen.contains("-Ii -> -I/a/i"), "{finding:#?}");
    }

    #[test]
    fn a_test_that_cannot_be_run_has_one_fault_and_no_answers() {
        let facts = Facts { input: vec![Outcome::failed("cannot start it")], ..Facts::default() };
        let faults: Vec<Finding> = findings(&facts).into_iter().filter(|found| found.level == Level::Fault).collect();
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].seen, "cannot start it");
    }

    #[test]
    fn start_up_and_load_are_weighed() {
        let slow = only(|facts| {
            facts.input = vec![yes(500); 5];
            facts.empty = Some(ran(Verdict::NotInteresting, 400));
            facts.trivial = None;
            facts.together = vec![yes(510); 2];
        });
        assert_eq!((slow.check, slow.level), ("time", Level::Note));
        assert!(slow.seen.contains("500 ms") && slow.seen.contains("400 ms") && slow.seen.contains("2.5 s"));
        let crowded = only(|facts| {
            facts.input = vec![yes(500); 5];
            facts.together = vec![yes(1_000); 4];
        });
        assert_eq!((crowded.check, crowded.level), ("load", Level::Note));
        assert!(crowded.means.contains("2.0 times"), "{crowded}");
        let late = only(|facts| {
            facts.input = vec![yes(500); 5];
            facts.together = vec![yes(1_400); 4];
        });
        assert_eq!((late.check, late.level), ("load", Level::Warning));
    }

    #[test]
    fn long_lists_are_cut() {
        let finding = only(|facts| {
            facts.processes = (0..8).map(|number| format!("p{number}")).collect();
        });
        assert!(finding.seen.ends_with("p4 and 3 more"), "{finding}");
    }
}
