//! Nothing that was found out is lost: runs that are killed go on where they stopped, and journals tell what was.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use lop_engine::Verdict;
use lop_files::disk::ReadAccess;
use lop_journal::{Header, Journal, JournalError, Lock, Notes, Past, Text};
use lop_reduce::{Control, Event, EventSink, Options, Report, reduce_with};
use lop_run::exec::{Inline, Remembering, key};
use lop_run::oracle::Cancel;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::support::{Folder, Ran, TIMEOUT, finish, many, until, wait};

/// Kills over all runs of the test that kills.
const KILLS: u64 = 18;

/// Every third line stays.
fn input() -> String {
    (0..24).map(|number| if number % 3 == 0 { format!("keep {number}\n") } else { format!("go {number}\n") }).collect()
}

const INTERESTING: &str = "test \"$(grep -c keep \"$1\")\" = 8";

/// A folder with a test that writes each candidate's checksum to the file that `LOG` names, before it answers.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("input.txt", input());
    // `HOLD` has a run wait at one of its tests, as long as lop lives, to be killed there.
    let hold = "test $(wc -l <\"$LOG\") -lt ${HOLD-999999} || while kill -0 $PPID; do sleep 0.01; done 2>&1";
    folder.script("test.sh", &format!("cksum < \"$1\" >> \"$LOG\"; {hold}; {INTERESTING}"));
    folder
}

/// On a machine that is busy enough a test may take longer than the deadline that lop finds by itself.
fn command(folder: &Folder, log: &str, arguments: &[&str]) -> Command {
    let deadline: &[&str] = if arguments.contains(&"test.sh") { &TIMEOUT } else { &[] };
    let mut command = folder.command(&[deadline, arguments].concat());
    command.env("LOG", folder.path(log));
    command
}

fn run(folder: &Folder, log: &str, arguments: &[&str]) -> Ran {
    finish(command(folder, log, arguments).spawn().expect("lop can be started"))
}

/// The candidates in a log.
fn log(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn is_interesting(text: &[u8]) -> bool {
    String::from_utf8_lossy(text).lines().filter(|line| line.contains("keep")).count() == 8
}

/// The questions of an uninterrupted run, and its result.
fn uninterrupted(options: &[&str]) -> (Vec<String>, Vec<u8>) {
    let folder = folder();
    run(&folder, "log", &[&["-q", "-j1"], options, &["test.sh", "input.txt"]].concat()).expect_code(0);
    (log(&folder.path("log")), folder.read("input.txt"))
}

/// Starts lop and kills it a little after it has run so many tests, unless it ends before.
fn killed(folder: &Folder, name: &str, tests: usize, later: Duration, arguments: &[&str]) -> bool {
    kill(folder, command(folder, name, arguments), name, tests, later)
}

/// Starts lop and kills it at its test of this number.
fn killed_at(folder: &Folder, name: &str, tests: usize, arguments: &[&str]) {
    let mut command = command(folder, name, arguments);
    command.env("HOLD", tests.to_string());
    assert!(kill(folder, command, name, tests, Duration::ZERO));
}

fn kill(folder: &Folder, mut command: Command, name: &str, tests: usize, later: Duration) -> bool {
    let mut child = command.spawn().expect("lop can be started");
    let path = folder.path(name);
    let ended = until("it is time", || {
        let ended = child.try_wait().expect("our own child").is_some();
        (ended || log(&path).len() >= tests).then_some(ended)
    });
    let start = Instant::now();
    while !ended && start.elapsed() < later {
        std::hint::spin_loop();
    }
    child.kill().expect("our own child");
    !wait(&mut child).success()
}

/// Kills a run in the middle and returns its journal.
fn interrupted(folder: &Folder, arguments: &[&str], journal: &str) -> PathBuf {
    killed_at(folder, "first", 30, arguments);
    folder.path(journal)
}

fn past(journal: &Path) -> Past {
    Past::read(journal).expect("a journal")
}

/// Kills runs with so many workers at some instant, again and again, and goes on with them to their end. With one
/// worker each goes on at the very test at which it was killed.
fn kill_and_resume(workers: usize, wanted: u64) {
    let (candidates, result) = uninterrupted(&[]);
    assert!(candidates.len() > 60, "{}", candidates.len());
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut kills = 0;
    let jobs = format!("-j{workers}");
    let is_alone = workers == 1;
    while kills < wanted {
        let folder = folder();
        let journal = folder.path("input.txt.lop/journal");
        for attempt in 0.. {
            // Without a journal not even the input had been judged.
            let again = journal.exists();
            let known = if again { past(&journal).outcomes() } else { 0 };
            let arguments: &[&str] =
                if again { &["resume", "-q", "input.txt.lop"] } else { &["-q", &jobs, "test.sh", "input.txt"] };
            let name = format!("log-{attempt}");
            let dies = if attempt < 3 && kills < wanted {
                let tests = random.random_range(0..candidates.len() / 2);
                killed(&folder, &name, tests, Duration::from_micros(random.random_range(0..4_000)), arguments)
            } else {
                run(&folder, &name, arguments).expect_code(0);
                false
            };
            let asked = log(&folder.path(&name));
            if is_alone {
                assert_eq!(asked, candidates[known..][..asked.len()], "known {known}");
            }
            assert!(is_interesting(&folder.read("input.txt")));
            if !dies {
                assert!(!is_alone || asked.len() + known == candidates.len(), "{} and {known}", asked.len());
                break;
            }
            kills += 1;
        }
        assert_eq!(folder.read("input.txt"), result);
        assert_eq!(folder.read("input.txt.orig"), input().into_bytes());
        assert!(!is_alone || past(&journal).outcomes() == candidates.len());
    }
}

#[test]
fn a_run_killed_at_any_instant_resumes_to_the_same_result_and_repeats_no_test() {
    kill_and_resume(1, many(KILLS));
}

#[test]
fn several_workers_killed_at_any_instant_lose_nothing_either() {
    kill_and_resume(4, many(KILLS / 3));
}

#[test]
fn a_torn_record_is_dropped_with_a_note_and_tested_again() {
    let (candidates, result) = uninterrupted(&[]);
    let folder = folder();
    let journal = interrupted(&folder, &["-j1", "-o", "out", "test.sh", "input.txt"], "out.lop/journal");
    let whole = fs::read(&journal).expect("a journal");
    fs::write(&journal, &whole[..whole.len() - 3]).expect("our own file");
    let torn = past(&journal);
    assert!(torn.dropped > 0);
    let ran = run(&folder, "second", &["resume", "out.lop"]).expect_code(0);
    assert!(ran.stderr.contains(&format!("the last {} bytes of it were torn", torn.dropped)), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("{} outcomes from the journal", torn.outcomes())), "{}", ran.stderr);
    assert_eq!(log(&folder.path("second")), candidates[torn.outcomes()..]);
    assert_eq!((folder.read("out"), past(&journal).dropped), (result, 0));
}

/// Changes a byte of a record that others stand behind.
fn damage(journal: &Path) -> Vec<u8> {
    let mut bytes = fs::read(journal).expect("a journal");
    let at = bytes.len() - bytes.len() / 4;
    bytes[at] ^= 0x40;
    fs::write(journal, &bytes).expect("our own file");
    bytes
}

#[test]
fn a_journal_that_was_damaged_in_its_middle_is_named_kept_and_gone_on_with() {
    let (candidates, result) = uninterrupted(&[]);
    let folder = folder();
    let journal = interrupted(&folder, &["-j1", "-o", "out", "test.sh", "input.txt"], "out.lop/journal");
    let damaged = damage(&journal);
    let known = past(&journal);
    assert!(known.is_damaged && known.outcomes() > 10);
    let ran = run(&folder, "second", &["resume", "out.lop"]).expect_code(0);
    assert!(ran.stderr.contains("it was damaged in its middle, not by a kill"), "{}", ran.stderr);
    assert!(ran.stderr.contains("is kept as ") && ran.stderr.contains("out.lop/journal.damaged.1"), "{}", ran.stderr);
    assert_eq!(folder.read("out.lop/journal.damaged.1"), damaged);
    assert_eq!(log(&folder.path("second")), candidates[known.outcomes()..]);
    let out = if folder.path("out.reduced").exists() { "out.reduced" } else { "out" };
    assert_eq!((folder.read(out), past(&journal).dropped), (result, 0));
    assert!(is_interesting(&folder.read("out")));
}

#[test]
fn in_place_what_only_a_damaged_part_knows_is_not_overwritten() {
    let (_, result) = uninterrupted(&[]);
    let folder = folder();
    let journal = interrupted(&folder, &["-j1", "test.sh", "input.txt"], "input.txt.lop/journal");
    damage(&journal);
    let before = folder.read("input.txt");
    // A result that the sound part knows nothing of.
    let best = [&before[..], b"keep nothing\n"].concat();
    folder.write("input.txt", &best);
    let ran = run(&folder, "second", &["resume", "input.txt.lop"]).expect_code(0);
    assert!(ran.stderr.contains("the result goes to ") && ran.stderr.contains("input.txt.reduced"), "{}", ran.stderr);
    assert_eq!((folder.read("input.txt"), folder.read("input.txt.reduced")), (best, result));
}

#[test]
fn a_result_that_was_edited_since_the_interruption_is_not_overwritten() {
    let (_, result) = uninterrupted(&[]);
    let folder = folder();
    interrupted(&folder, &["-j1", "-o", "out", "test.sh", "input.txt"], "out.lop/journal");
    folder.write("out", "hours of work");
    run(&folder, "second", &["resume", "-q", "out.lop"]).expect_code(0);
    assert_eq!((folder.read("out"), folder.read("out.reduced")), (b"hours of work".to_vec(), result));
}

#[test]
fn a_finished_run_is_left_as_it_is() {
    let folder = folder();
    run(&folder, "first", &["-q", "-j1", "test.sh", "input.txt"]).expect_code(0);
    folder.write("input.txt", "looked at and changed");
    let ran = run(&folder, "second", &["resume", "input.txt.lop"]).expect_code(0);
    assert!(ran.stderr.contains("nothing to resume: the run finished"), "{}", ran.stderr);
    assert_eq!(folder.read("input.txt"), b"looked at and changed");
    assert!(!folder.path("second").exists());
}

/// The message of `lop resume` about a journal that it must not go on with; nothing may change.
fn refused(spoil: impl FnOnce(&Folder, &Path)) -> String {
    let folder = folder();
    let journal = interrupted(&folder, &["-q", "-j1", "-o", "out", "test.sh", "input.txt"], "out.lop/journal");
    spoil(&folder, &journal);
    let before = (folder.read("out"), fs::read(&journal).ok());
    let ran = run(&folder, "second", &["resume", "out.lop"]).expect_code(2);
    assert_eq!((folder.read("out"), fs::read(&journal).ok()), before);
    assert!(!folder.path("second").exists());
    ran.stderr
}

#[test]
fn a_journal_of_something_else_is_refused_with_the_way_out() {
    let said = refused(|folder, _| {
        folder.script("test.sh", "exit 0");
    });
    assert!(
        said.contains("out.lop/journal belongs to another test: ") && said.contains("test.sh has changed"),
        "{said}"
    );
    assert!(said.contains("hint: to start again, remove ") && said.contains(" with --state"), "{said}");
    let said = refused(|folder, _| {
        folder.write("input.txt", "keep\n");
    });
    assert!(said.contains("belongs to another input: input.txt has changed"), "{said}");
    let said = refused(|_, journal| fs::write(journal, "my diary").expect("our own file"));
    assert!(said.contains("is not a journal of lop"), "{said}");
    let said = refused(|_, journal| {
        let mut bytes = fs::read(journal).expect("a journal");
        bytes[12] = 9;
        fs::write(journal, bytes).expect("our own file");
    });
    assert!(said.contains("is written in format 9, and this lop reads format 2"), "{said}");
    let said = refused(|_, journal| {
        // The header is the first record: length, checksum, payload.
        let mut bytes = fs::read(journal).expect("a journal");
        let length = u32::from_le_bytes(bytes[16..20].try_into().expect("four bytes")) as usize;
        let own = format!("\"lop\":\"{}\"", env!("CARGO_PKG_VERSION"));
        let at = bytes.windows(own.len()).position(|part| part == own.as_bytes()).expect("it is in the header");
        bytes[at + own.len() - 2] = b'x';
        let checksum = crc32fast::hash(&bytes[24..24 + length]);
        bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
        fs::write(journal, bytes).expect("our own file");
    });
    assert!(said.contains("was written by lop ") && said.contains("x, and this is lop "), "{said}");
    let said = refused(|_, journal| fs::remove_file(journal).expect("our own file"));
    assert!(said.contains("there is no journal ") && said.contains("hint: "), "{said}");
}

#[test]
fn a_file_that_was_edited_since_is_not_overwritten() {
    let folder = folder();
    interrupted(&folder, &["-q", "-j1", "test.sh", "input.txt"], "input.txt.lop/journal");
    folder.write("input.txt", "hours of work");
    let ran = run(&folder, "second", &["resume", "input.txt.lop"]).expect_code(2);
    assert!(ran.stderr.contains("input.txt has changed"), "{}", ran.stderr);
    assert_eq!(folder.read("input.txt"), b"hours of work");
    // Nothing of the run is in the file any more, and the way that is named loses neither.
    assert!(ran.stderr.contains("input.txt.lop/journal --at 0 -o FILE`"), "{}", ran.stderr);
    fs::rename(folder.path("input.txt"), folder.path("mine")).expect("our own file");
    folder.lop(&["history", "input.txt.lop/journal", "--at", "0", "-o", "input.txt"]).expect_code(0);
    run(&folder, "third", &["resume", "-q", "input.txt.lop"]).expect_code(0);
    assert!(is_interesting(&folder.read("input.txt")) && folder.read("input.txt").len() < input().len());
    assert_eq!(folder.read("input.txt.orig"), input().into_bytes());
    assert_eq!(folder.read("mine"), b"hours of work");
}

#[test]
fn in_place_the_way_to_begin_anew_works() {
    let folder = folder();
    let journal = interrupted(&folder, &["-q", "-j1", "test.sh", "input.txt"], "input.txt.lop/journal");
    fs::write(&journal, "my diary").expect("our own file");
    let ran = run(&folder, "second", &["resume", "input.txt.lop"]).expect_code(2);
    assert!(ran.stderr.contains("input.txt.orig away"), "{}", ran.stderr);
    fs::remove_file(&journal).expect("our own file");
    fs::rename(folder.path("input.txt.orig"), folder.path("away")).expect("our own file");
    run(&folder, "third", &["-q", "test.sh", "input.txt"]).expect_code(0);
    assert!(is_interesting(&folder.read("input.txt")));
}

#[test]
fn a_result_that_cannot_be_put_in_its_place_again_is_said_to_be_in_the_journal() {
    let folder = Folder::new();
    folder.write("input.txt", crate::safety::long_input());
    folder.script("test.sh", "test \"$(grep -c keep \"$1\")\" = 200");
    let line = ["-q", "-j1", "--no-checkup", "--max-tests", "12", "-o", "out", "test.sh", "input.txt"];
    folder.lop(&line).expect_code(3);
    fs::remove_file(folder.path("out")).expect("there is a result");
    let like = folder.command(&["resume", "-q", "out.lop"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 1; exec \"$@\"", "sh"]).arg(like.get_program()).args(like.get_args());
    limited.current_dir(folder.path(".")).env("HOME", folder.home()).env("TMPDIR", folder.path("../tmp"));
    let ran = limited.output().expect("a shell");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(6), "{said}");
    assert!(said.contains("cannot write the result to out; `lop history ") && said.contains(" --at "), "{said}");
    assert!(!said.contains("is in "), "{said}");
}

#[test]
fn an_original_that_was_removed_since_comes_back() {
    let folder = folder();
    interrupted(&folder, &["-q", "-j1", "test.sh", "input.txt"], "input.txt.lop/journal");
    fs::remove_file(folder.path("input.txt.orig")).expect("something was accepted");
    run(&folder, "second", &["resume", "input.txt.lop"]).expect_code(0);
    assert_eq!(folder.read("input.txt.orig"), input().into_bytes());
    assert!(is_interesting(&folder.read("input.txt")));
}

#[test]
fn the_same_run_again_keeps_the_interrupted_one() {
    let (_, result) = uninterrupted(&[]);
    let folder = folder();
    // Without the checkup: its runs are none of the reduction.
    let line = ["-j1", "--no-checkup", "-o", "out", "test.sh", "input.txt"];
    let journal = interrupted(&folder, &line, "out.lop/journal");
    let known = past(&journal).outcomes();
    let ran = run(&folder, "second", &line).expect_code(0);
    let note = format!(
        "an interrupted run of this reduction ({known} outcomes) was moved to out.lop/journal.1; continue it with \
         `lop resume out.lop/journal.1`"
    );
    assert!(ran.stderr.contains(&note), "{}", ran.stderr);
    run(&folder, "third", &["resume", "-q", "out.lop/journal.1"]).expect_code(0);
    assert_eq!(log(&folder.path("third")), log(&folder.path("second"))[known..]);
    assert_eq!(folder.read("out"), result);
    // One that has ended is no loss, and is kept once.
    run(&folder, "fourth", &line).expect_code(0);
    run(&folder, "fifth", &line).expect_code(0);
    let mut names: Vec<_> =
        fs::read_dir(folder.path("out.lop")).expect("a folder").map(|e| e.expect("a name").file_name()).collect();
    names.sort();
    assert_eq!(names, ["journal", "journal.1", "journal.old"]);
}

#[test]
fn in_place_the_way_to_go_on_is_named() {
    let folder = folder();
    interrupted(&folder, &["-q", "-j1", "test.sh", "input.txt"], "input.txt.lop/journal");
    let ran = run(&folder, "second", &["-j1", "test.sh", "input.txt"]).expect_code(2);
    assert!(ran.stderr.contains("to continue an interrupted run: lop resume input.txt.lop"), "{}", ran.stderr);
}

#[test]
fn a_limit_counts_the_whole_reduction_and_is_lifted_when_it_was_reached() {
    let (candidates, result) = uninterrupted(&[]);
    let folder = folder();
    let ran =
        run(&folder, "first", &["-j1", "--no-checkup", "--max-tests", "20", "test.sh", "input.txt"]).expect_code(3);
    assert!(ran.stderr.ends_with("  continue  lop resume input.txt.lop\n"), "{}", ran.stderr);
    run(&folder, "second", &["resume", "-q", "--max-tests", "45", "input.txt.lop"]).expect_code(3);
    let ran = run(&folder, "third", &["resume", "input.txt.lop"]).expect_code(0);
    assert!(ran.stderr.contains("45 outcomes from the journal"), "{}", ran.stderr);
    let logs = ["first", "second", "third"].map(|name| log(&folder.path(name)));
    assert_eq!((logs[0].len(), logs[1].len()), (20, 25));
    assert_eq!(logs.concat(), candidates);
    assert_eq!(folder.read("input.txt"), result);
}

#[test]
fn a_resumed_run_that_stops_early_shows_the_result_that_is_on_disk() {
    let folder = folder();
    run(&folder, "first", &["-j1", "--max-tests", "45", "test.sh", "input.txt"]).expect_code(3);
    let best = folder.read("input.txt");
    let ran = run(&folder, "second", &["resume", "--max-tests", "5", "input.txt.lop"]).expect_code(3);
    assert_eq!(folder.read("input.txt"), best);
    let lines = String::from_utf8_lossy(&best).lines().map(|line| format!("    {line}\n")).collect::<String>();
    assert!(ran.stderr.contains(&format!("\n\n{lines}\n")), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("the result is still that one, of {} bytes", best.len())), "{}", ran.stderr);
}

#[test]
fn several_workers_go_on_with_what_is_known() {
    let folder = folder();
    killed_at(&folder, "first", 40, &["-j4", "test.sh", "input.txt"]);
    let journal = folder.path("input.txt.lop/journal");
    let before = folder.read("input.txt");
    assert!(is_interesting(&before));
    let known = past(&journal);
    assert!(known.outcomes() > 20);
    let ran = run(&folder, "second", &["resume", "input.txt.lop"]).expect_code(0);
    // Not all of them: what ran ahead of its time then may be something that is not asked for.
    assert!(ran.stderr.contains(" outcomes from the journal"), "{}", ran.stderr);
    let [first, second] = ["first", "second"].map(|name| log(&folder.path(name)));
    let again = second.iter().filter(|candidate| first.contains(candidate)).count();
    assert!(again <= first.len() - known.outcomes(), "only tests that the kill has ended run again: {again}");
    let result = folder.read("input.txt");
    assert!(is_interesting(&result) && result.len() <= before.len());
    let past = past(&journal);
    assert_eq!(past.text(past.steps.len()).expect("whole"), result);
    assert_eq!(past.steps[..known.steps.len()], known.steps);
}

#[test]
fn a_journal_that_is_being_written_is_not_gone_on_with() {
    let folder = folder();
    let mut first = command(&folder, "first", &["-q", "-j1", "-o", "out", "test.sh", "input.txt"]);
    let mut child = first.env("HOLD", "6").spawn().expect("lop");
    until("there is a journal", || folder.path("out.lop/journal").exists().then_some(()));
    for line in [&["resume", "out.lop"][..], &["-o", "out", "test.sh", "input.txt"]] {
        let ran = run(&folder, "second", line).expect_code(2);
        assert!(ran.stderr.contains("another lop is writing "), "{}", ran.stderr);
    }
    run(&folder, "second", &["history", "out.lop"]).expect_code(0);
    child.kill().expect("our own child");
    wait(&mut child);
}

#[test]
fn without_a_state_nothing_is_kept_and_elsewhere_it_is_kept_there() {
    let folder = folder();
    run(&folder, "log", &["-q", "--no-state", "-o", "out", "test.sh", "input.txt"]).expect_code(0);
    assert_eq!(folder.names(), ["input.txt", "log", "out", "test.sh"]);
    run(&folder, "log", &["-q", "--state", "deep/state", "-o", "-", "test.sh", "input.txt"]).expect_code(0);
    assert_eq!(folder.names(), ["deep", "input.txt", "log", "out", "test.sh"]);
    assert!(folder.path("deep/state/journal").exists());
    let ran = run(&folder, "none", &["-q", "--state", "out", "-o", "two", "test.sh", "input.txt"]).expect_code(2);
    assert!(ran.stderr.contains("out is not a folder") && ran.stderr.contains("--no-state"), "{}", ran.stderr);
    assert!(!folder.path("none").exists());
}

#[test]
fn replay_and_history_show_the_reduction_and_run_no_test() {
    let folder = folder();
    run(&folder, "log", &["-q", "-j1", "test.sh", "input.txt"]).expect_code(0);
    let tests = log(&folder.path("log")).len();
    let steps = past(&folder.path("input.txt.lop/journal")).steps;
    let lines = |ran: Ran| String::from_utf8(ran.stdout).expect("text").lines().map(str::to_owned).collect::<Vec<_>>();
    let replay = lines(run(&folder, "log", &["replay", "input.txt.lop"]).expect_code(0));
    assert_eq!(replay.len(), steps.len() + 1);
    assert!(replay[0].contains("  test ") && replay[0].contains(&steps[0].pass), "{replay:?}");
    assert!(replay.last().is_some_and(|last| last.contains(&format!("after {tests} tests"))), "{replay:?}");
    let history = lines(run(&folder, "log", &["history", "input.txt.lop"]).expect_code(0));
    assert_eq!(history.len(), steps.len() + 2);
    assert!(history[1].contains("input") && history[1].contains(&input().len().to_string()), "{history:?}");
    let at = |number: usize| run(&folder, "log", &["history", "input.txt.lop", "--at", &number.to_string()]);
    assert_eq!(at(0).expect_code(0).stdout, input().into_bytes());
    assert_eq!(at(steps.len()).expect_code(0).stdout, folder.read("input.txt"));
    for (number, step) in (1..).zip(&steps) {
        let text = at(number).expect_code(0).stdout;
        assert!(is_interesting(&text) && key(&text) == step.key && text.len() == step.size.bytes, "{number}");
    }
    assert!(at(steps.len() + 1).expect_code(2).stderr.contains("best results"));
    run(&folder, "log", &["history", "input.txt.lop", "--at", "0", "-o", "first"]).expect_code(0);
    assert_eq!(folder.read("first"), input().into_bytes());
    assert_eq!(log(&folder.path("log")).len(), tests);
}

#[test]
fn runs_of_one_test_share_its_outcomes() {
    let folder = folder();
    let line = |out: &'static str| ["-q", "-j1", "--cache", "shared", "-o", out, "test.sh", "input.txt"];
    run(&folder, "first", &line("a")).expect_code(0);
    run(&folder, "second", &line("b")).expect_code(0);
    assert!(log(&folder.path("first")).len() > 60);
    assert_eq!(log(&folder.path("second")), [""; 0]);
    assert_eq!(folder.read("a"), folder.read("b"));
    assert_eq!(past(&folder.path("a.lop/journal")).outcomes(), past(&folder.path("b.lop/journal")).outcomes());
    // The file's other entries are another test's.
    folder.script("test.sh", "echo >> \"$LOG\"; grep -q 'keep 3$' \"$1\"");
    run(&folder, "third", &line("c")).expect_code(0);
    assert_eq!(folder.read("c"), b"keep 3\n".strip_suffix(b"\n").expect("a line"));
    assert!(!log(&folder.path("third")).is_empty());
}

#[test]
fn runs_at_the_same_time_may_share_a_cache() {
    let folder = folder();
    let start = |out: &str| {
        let line = ["-q", "-j2", "--cache", "shared", "-o", out, "test.sh", "input.txt"];
        command(&folder, &format!("log-{out}"), &line).spawn().expect("lop can be started")
    };
    let children = ["a", "b", "c"].map(start);
    for child in children {
        finish(child).expect_code(0);
    }
    run(&folder, "late", &["-q", "-j1", "--cache", "shared", "-o", "d", "test.sh", "input.txt"]).expect_code(0);
    assert!(["a", "b", "c", "d"].iter().all(|name| is_interesting(&folder.read(name))));
}

/// A sink that writes a journal, keeps what was accepted, and may have a pass left out as soon as it asks.
struct Witness {
    notes: Notes,
    accepted: Vec<Vec<u8>>,
    unwanted: Option<&'static str>,
    control: Control,
}

impl EventSink for Witness {
    fn event(&mut self, event: &Event<'_>) -> std::io::Result<()> {
        self.notes.event(event)?;
        match (event, self.unwanted) {
            (Event::Accepted { content, .. }, _) => self.accepted.push(content.to_vec()),
            (Event::Tested { pass, .. }, Some(unwanted)) if *pass == unwanted => self.control.skip(unwanted),
            _ => {}
        }
        Ok(())
    }
}

fn header() -> Header {
    Header {
        lop: "x".to_owned(),
        arguments: vec![Text::Plain("lop".to_owned()), Text::Bytes(vec![0xff])],
        directory: Text::Plain("/".to_owned()),
        input: String::new(),
        is_archive: false,
        test: String::new(),
        grammar: String::new(),
        workers: 1,
        mark: String::new(),
    }
}

fn with_notes(notes: Notes, runs: &mut usize) -> (Report, Vec<Vec<u8>>) {
    let mut asked = Vec::new();
    let witness = Witness { notes, accepted: Vec::new(), unwanted: None, control: Control::new() };
    let told = witnessed(witness, 1, &mut asked);
    *runs = asked.len();
    told
}

fn witnessed(mut witness: Witness, slots: usize, asked: &mut Vec<Vec<u8>>) -> (Report, Vec<Vec<u8>>) {
    let mut inner = Inline::new(|text: &[u8]| {
        asked.push(text.to_vec());
        if is_interesting(text) { Verdict::Interesting } else { Verdict::NotInteresting }
    })
    .with_slots(slots);
    let mut memory = witness.notes.clone();
    let mut executor = Remembering::new(&mut inner, &mut memory);
    let options = Options { control: witness.control.clone(), ..Options::default() };
    let report = reduce_with(input().as_bytes(), None, &mut executor, &options, &mut witness, &Cancel::new());
    (report.expect("it is interesting"), witness.accepted)
}

#[test]
fn every_best_result_comes_back_from_the_journal() {
    let folder = Folder::new();
    let (journal, before) =
        Journal::create(&folder.path("state"), &header(), input().as_bytes(), ReadAccess::OWN).expect("a new folder");
    assert_eq!(before, None);
    let mut runs = 0;
    let (report, accepted) = with_notes(Notes::new(Some(journal), None), &mut runs);
    assert!(accepted.len() > 5, "{}", accepted.len());
    let path = folder.path("state/journal");
    let past = past(&path);
    assert_eq!((past.header.clone(), past.outcomes()), (header(), runs));
    for (number, text) in accepted.iter().enumerate() {
        assert_eq!(past.text(number + 1).expect("whole"), *text, "{number}");
    }
    // Nothing is tested twice, the report is that of the first run, and the file does not grow.
    let length = fs::metadata(&path).expect("a file").len();
    let lock = Lock::take(&path).expect("nobody has it");
    assert!(matches!(Lock::take(&path), Err(JournalError::Busy(_))));
    let (journal, _) = Journal::resume(lock, &past).expect("it is whole");
    let mut again = 0;
    let (second, steps) = with_notes(Notes::new(Some(journal), None), &mut again);
    assert_eq!((again, second.from_journal), (0, runs as u64));
    assert_eq!((steps, second.best, second.tests), (accepted, report.best, report.tests));
    assert_eq!(fs::metadata(&path).expect("a file").len(), length);
}

#[test]
fn a_lock_that_a_dying_run_still_holds_is_waited_for() {
    let folder = Folder::new();
    let (journal, _) =
        Journal::create(&folder.path("state"), &header(), input().as_bytes(), ReadAccess::OWN).expect("a new folder");
    std::thread::scope(|scope| {
        let taken = scope.spawn(|| Lock::take(&folder.path("state/journal")).is_ok());
        std::thread::sleep(Duration::from_millis(50));
        drop(journal);
        assert!(taken.join().expect("no panic"));
    });
}

#[test]
fn a_journal_cut_off_anywhere_can_be_read_and_gone_on_with() {
    let folder = Folder::new();
    let (journal, _) =
        Journal::create(&folder.path("state"), &header(), input().as_bytes(), ReadAccess::OWN).expect("a new folder");
    let (report, _) = with_notes(Notes::new(Some(journal), None), &mut 0);
    let path = folder.path("state/journal");
    let whole = fs::read(&path).expect("a journal");
    let mut read = 0;
    for length in (0..whole.len()).step_by(41) {
        fs::write(&path, &whole[..length]).expect("our own file");
        let past = match Past::read(&path) {
            Ok(past) => past,
            // The header or the input is not all there.
            Err(JournalError::NotAJournal(_)) => continue,
            Err(error) => panic!("{length}: {error}"),
        };
        read += 1;
        let known = past.outcomes();
        let (journal, _) =
            Journal::resume(Lock::take(&path).expect("nobody has it"), &past).expect("it can be rebuilt");
        let mut runs = 0;
        let (again, _) = with_notes(Notes::new(Some(journal), None), &mut runs);
        assert_eq!((again.best, runs + known), (report.best.clone(), report.tests.total() as usize), "{length}");
        let after = self::past(&path);
        assert_eq!((after.dropped, after.text(usize::MAX).expect("whole")), (0, report.best.clone()), "{length}");
    }
    assert!(read > 50, "{read}");
}

#[test]
fn a_pass_that_was_left_out_on_the_way_is_left_out_at_the_same_moment() {
    for (unwanted, slots) in [("siblings", 1), ("characters", 1), ("characters", 3), ("siblings", 3)] {
        let folder = Folder::new();
        let (journal, _) = Journal::create(&folder.path("state"), &header(), input().as_bytes(), ReadAccess::OWN)
            .expect("a new folder");
        let notes = Notes::new(Some(journal), None);
        let mut asked = Vec::new();
        let witness = Witness { notes, accepted: Vec::new(), unwanted: Some(unwanted), control: Control::new() };
        let (report, _) = witnessed(witness, slots, &mut asked);
        assert_eq!(report.skipped, [unwanted]);
        let path = folder.path("state/journal");
        let whole = fs::read(&path).expect("a journal");
        let mut resumed = 0;
        for length in (0..whole.len()).rev().step_by(67 * 4) {
            fs::write(&path, &whole[..length]).expect("our own file");
            let Ok(past) = Past::read(&path) else { continue };
            let [(moment, pass)] = past.skipped[..] else { break };
            assert_eq!(pass, unwanted);
            resumed += 1;
            let control = Control::new();
            control.skip_at(pass, moment);
            let (journal, _) =
                Journal::resume(Lock::take(&path).expect("nobody has it"), &past).expect("it can be rebuilt");
            let notes = Notes::new(Some(journal), None);
            let mut rest = Vec::new();
            let witness = Witness { notes, accepted: Vec::new(), unwanted: None, control };
            let (again, _) = witnessed(witness, slots, &mut rest);
            assert_eq!((&again.best, &again.skipped), (&report.best, &report.skipped), "{pass:?} {length}");
            assert!(slots > 1 || rest == asked[past.outcomes()..], "{pass:?} {length}");
            assert_eq!(self::past(&path).skipped, past.skipped, "{pass:?} {length}");
        }
        assert!(resumed > 3, "{unwanted:?}: {resumed}");
    }
}

#[test]
fn a_journal_that_cannot_grow_ends_the_run_with_6_and_can_be_gone_on_with() {
    let (candidates, result) = uninterrupted(&[]);
    let folder = folder();
    // Without the signal, writing beyond the limit is an error like that of a full disk.
    let line = "trap '' XFSZ; ulimit -f 5; exec \"$@\"";
    let mut limited = Command::new("sh");
    limited.args(["-c", line, "sh", env!("CARGO_BIN_EXE_lop"), "-j1", "test.sh", "input.txt"]);
    limited.current_dir(folder.path(".")).env("LOG", folder.path("first")).env("HOME", folder.home());
    let ran = limited.output().expect("a shell");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(6), "{said}");
    assert!(said.contains("cannot write the journal ") && said.contains("File too large"), "{said}");
    assert!(said.contains("; continue with `lop resume input.txt.lop`"), "{said}");
    assert!(is_interesting(&folder.read("input.txt")));
    let known = past(&folder.path("input.txt.lop/journal"));
    assert_eq!(known.dropped, 0);
    assert!(known.outcomes() > 10);
    run(&folder, "second", &["resume", "-q", "input.txt.lop"]).expect_code(0);
    assert_eq!(log(&folder.path("second")), candidates[known.outcomes()..]);
    assert_eq!(folder.read("input.txt"), result);
}
