//! Running tests: how workers go on, what a test gets to see, and that nothing of it is left behind.
//!
//! No duration is asserted. Where something must not take long, the alternative is ten minutes of sleep, and the
//! harness would hang.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lop_engine::Verdict;
use lop_run::exec::{Executor, Job, Ticket};
use lop_run::exec::{LocalOptions, LocalWorkers};
use lop_run::oracle::{
    Cancel, CommandOracle, ConditionSpec, Conditions, Exit, Oracle, Outcome, Slot, SlotOptions, Unresolved,
};

use crate::contract::answer;
use crate::support::{deadline, many, until};

fn job(ticket: u64, candidate: &str) -> Job {
    Job { ticket: Ticket(ticket), candidate: candidate.as_bytes().into(), deadline: deadline() }
}

fn workers(oracle: impl Oracle + 'static, count: usize) -> LocalWorkers {
    let options = LocalOptions { workers: count, ..LocalOptions::default() };
    LocalWorkers::new(Arc::new(oracle), &options).expect("workers start")
}

fn shell_with(script: &str, marker: &str, spec: &ConditionSpec) -> CommandOracle {
    let words: Vec<OsString> = ["sh", "-c", script, marker].iter().map(OsString::from).collect();
    let conditions = Conditions::new(spec).expect("good conditions");
    CommandOracle::command(&words, Path::new("dir/case.txt"), conditions).expect("sh is there")
}

fn shell(script: &str) -> CommandOracle {
    shell_with(script, "sh", &ConditionSpec::default())
}

fn new_slot() -> Slot {
    Slot::new(&SlotOptions::default()).expect("a slot")
}

fn judge(oracle: &CommandOracle, candidate: &[u8]) -> Outcome {
    oracle.judge(candidate, &mut new_slot(), deadline(), &Cancel::new())
}

/// An oracle without processes.
struct Answers;

impl Oracle for Answers {
    fn judge(&self, candidate: &[u8], _slot: &mut Slot, _deadline: Duration, _cancel: &Cancel) -> Outcome {
        Outcome::of(answer(candidate))
    }

    fn describe(&self) -> String {
        "a table".to_owned()
    }
}

fn drain(executor: &mut dyn Executor) -> Vec<(u64, Outcome)> {
    std::iter::from_fn(|| executor.wait()).map(|(ticket, outcome)| (ticket.0, outcome)).collect()
}

// ---- local workers -------------------------------------------------------------------------------------------------

/// Does what the candidate says.
#[derive(Default)]
struct Moody {
    runs: AtomicUsize,
    started: Option<crossbeam_channel::Sender<()>>,
}

impl Oracle for Moody {
    fn judge(&self, candidate: &[u8], _slot: &mut Slot, deadline: Duration, cancel: &Cancel) -> Outcome {
        let run = self.runs.fetch_add(1, Ordering::SeqCst);
        if let Some(started) = &self.started {
            started.send(()).expect("somebody listens");
        }
        match candidate {
            b"panic" => std::panic::panic_any(format!("mood {run}")),
            b"fail" => Outcome::failed(format!("mood {run}")),
            b"fail first" if run == 0 => Outcome::failed("mood"),
            b"panic first" if run == 0 => std::panic::resume_unwind(Box::new("mood")),
            b"sleep" if cancel.sleep(deadline) => Outcome::cancelled(),
            other => Outcome::of(answer(other)),
        }
    }

    fn describe(&self) -> String {
        "moody".to_owned()
    }
}

#[test]
fn a_failed_run_is_repeated_once() {
    for (candidate, unresolved) in [
        ("fail first", None),
        ("panic first", None),
        ("fail", Some("mood 1")),
        ("panic", Some("the worker panicked: mood 1")),
    ] {
        let mut executor = workers(Moody::default(), 1);
        executor.submit(job(0, candidate));
        let (_, outcome) = executor.wait().expect("it is in flight");
        assert_eq!(outcome.unresolved, unresolved.map(|text| Unresolved::Failed(text.to_owned())), "{candidate}");
        executor.submit(job(1, "yes"));
        let (_, outcome) = executor.wait().expect("it is in flight");
        assert!(outcome.is_interesting(), "the worker goes on after {candidate}");
    }
}

#[test]
fn cancelling_ends_a_running_test_and_drops_a_queued_one() {
    let (started, starts) = crossbeam_channel::unbounded();
    let mut executor = workers(Moody { started: Some(started), ..Moody::default() }, 1);
    executor.submit(job(0, "sleep"));
    executor.submit(job(1, "yes"));
    starts.recv().expect("the first one starts");
    executor.cancel(Ticket(1));
    let (ticket, outcome) = executor.wait().expect("the queued one comes back while the first one runs");
    assert_eq!((ticket, outcome.unresolved), (Ticket(1), Some(Unresolved::Cancelled)));
    executor.cancel(Ticket(0));
    let (ticket, outcome) = executor.wait().expect("the first one comes back");
    assert_eq!((ticket, outcome.unresolved), (Ticket(0), Some(Unresolved::Cancelled)));
    executor.submit(job(2, "yes"));
    assert!(executor.wait().expect("the worker goes on").1.is_interesting());
}

#[test]
fn stopping_the_run_ends_everything_in_flight() {
    for kill in [false, true] {
        let cancel = Cancel::new();
        let options = LocalOptions { workers: 2, cancel: cancel.clone(), ..LocalOptions::default() };
        let mut executor = LocalWorkers::new(Arc::new(shell("exec sleep 600")), &options).expect("workers start");
        for ticket in 0..5 {
            executor.submit(job(ticket, "x"));
        }
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            if kill { cancel.kill_now() } else { cancel.stop() }
        });
        let outcomes = drain(&mut executor);
        stopper.join().expect("no panic");
        assert_eq!(outcomes.len(), 5);
        assert!(outcomes.iter().all(|(_, outcome)| outcome.unresolved == Some(Unresolved::Cancelled)));
        executor.submit(job(9, "x"));
        assert_eq!(executor.wait().expect("it comes back").1, Outcome::cancelled());
    }
}

#[test]
fn shutting_down_one_executor_leaves_the_run_alone() {
    let cancel = Cancel::new();
    let options = LocalOptions { workers: 1, cancel: cancel.clone(), ..LocalOptions::default() };
    drop(LocalWorkers::new(Arc::new(Answers), &options).expect("workers start"));
    assert!(!cancel.is_stopped());
}

// ---- what a test gets to see ---------------------------------------------------------------------------------------

#[test]
fn a_test_script_finds_the_candidate_in_three_places() {
    let directory = tempfile::tempdir().expect("a directory");
    let script = directory.path().join("my test.sh");
    let text = "#!/bin/sh\nls -A; cat; cat \"$1\"; cat *; test \"$(dirname \"$1\")\" = \"$(pwd)\" && test $# = 1";
    fs::write(&script, text).expect("writable");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("ours");
    for name in
        [&b"case.c"[..], b"with space.c", b"-n", b"not\xffutf8\xfe.c", b"new\nline", "gr\u{fc}\u{df}e.c".as_bytes()]
    {
        let file = Path::new("some/where").join(OsString::from_vec(name.to_vec()));
        let oracle = CommandOracle::test(&script, &file, Conditions::default()).expect("a good test");
        let outcome = judge(&oracle, b"body\n");
        assert!(outcome.is_interesting() || name == b"-n", "{outcome:?}");
        if name.starts_with(b"-") {
            continue; // `cat *` takes it for an option, as it would anywhere.
        }
        let expected = [name, b"\nbody\nbody\nbody\n"].concat();
        assert_eq!(outcome.stdout_tail, expected, "{}", String::from_utf8_lossy(name));
        assert!(oracle.describe().contains("my test.sh' "), "{}", oracle.describe());
    }
}

#[test]
fn a_command_finds_paths_in_its_arguments() {
    let script =
        r#"for path in "$@"; do printf '%s|' "${path#"$PWD"/}"; test ! -f "$path" || cat "$path"; done; cat; ls"#;
    let mut words: Vec<OsString> = ["sh", "-c", script, "x"].iter().map(OsString::from).collect();
    words.extend(["@@", "@@.c", "@@.i", "--in=@@.i:3", "@"].iter().map(OsString::from));
    words.push(OsString::from_vec(b"\xff@@".to_vec()));
    let file = Path::new("a b.c");
    let oracle = CommandOracle::command(&words, file, Conditions::default()).expect("sh is there");
    let outcome = judge(&oracle, b"1\n");
    let text = outcome.stdout_tail.as_bytes_lines();
    assert_eq!(text[0], b"a b.c|1");
    assert_eq!(text[1], b"a b.c|1", "the same name where the extension is right already");
    assert_eq!(text[2], b"a b.c.i|1");
    assert!(text[3].starts_with(b"--in=/") && contains(text[3], b"/a b.c.i:3|@|\xff/"), "{outcome:?}");
    assert_eq!(&text[text.len() - 2..], [&b"a b.c.i"[..], b""], "and nothing else is there");
}

trait Lines {
    fn as_bytes_lines(&self) -> Vec<&[u8]>;
}

impl Lines for Vec<u8> {
    fn as_bytes_lines(&self) -> Vec<&[u8]> {
        self.split(|&byte| byte == b'\n').collect()
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[test]
fn standard_input_is_the_candidate_or_empty_and_never_a_terminal() {
    assert!(judge(&shell("test ! -t 0 && test \"$(cat)\" = text"), b"text").is_interesting());
    let words = ["sh", "-c", "test ! -t 0 && test -z \"$(cat)\" && test -c /dev/stdin", "@@"].map(OsString::from);
    let oracle = CommandOracle::command(&words, Path::new("f"), Conditions::default()).expect("sh is there");
    assert!(judge(&oracle, b"text").is_interesting());
}

#[test]
fn any_bytes_reach_the_test_unchanged() {
    let bytes: Vec<u8> = (0..100_000_u32).map(|i| (i * 7 % 256) as u8).collect();
    let outcome = judge(&shell("cmp - case.txt && wc -c < case.txt"), &bytes);
    assert_eq!(outcome.stdout_tail.trim_ascii(), b"100000");
    assert!(judge(&shell("test ! -s case.txt"), b"").is_interesting());
}

#[test]
fn each_test_starts_in_an_empty_directory() {
    let mut slot = new_slot();
    let oracle = shell(
        "test \"$(ls -A)\" = case.txt && touch left && mkdir -p a/b && mv case.txt a && chmod 0 a && echo x > $TMPDIR/t",
    );
    for _ in 0..3 {
        assert!(oracle.judge(b"x", &mut slot, deadline(), &Cancel::new()).is_interesting());
    }
}

#[test]
fn a_test_that_removes_its_own_directory_does_no_harm() {
    let mut slot = new_slot();
    let oracle = shell("rm -rf \"$PWD\" \"$TMPDIR\"");
    for _ in 0..3 {
        assert!(oracle.judge(b"x", &mut slot, deadline(), &Cancel::new()).is_interesting());
    }
}

// ---- how it ends ---------------------------------------------------------------------------------------------------

#[test]
fn exit_codes_124_and_125_have_their_meaning_until_they_are_asked_for() {
    let verdict =
        |code: i32, spec: &ConditionSpec| judge(&shell_with(&format!("exit {code}"), "sh", spec), b"").verdict;
    let default = ConditionSpec::default();
    assert_eq!(verdict(124, &default), Some(Verdict::Timeout));
    assert_eq!(verdict(125, &default), Some(Verdict::Invalid));
    let asked = ConditionSpec { exit_codes: vec![124, 125], ..ConditionSpec::default() };
    assert_eq!(verdict(124, &asked), Some(Verdict::Interesting));
    assert_eq!(verdict(125, &asked), Some(Verdict::Interesting));
    assert_eq!(verdict(0, &asked), Some(Verdict::NotInteresting));
}

#[test]
fn a_signal_is_recognised_directly_and_behind_a_shell() {
    let spec = ConditionSpec { signals: vec!["SIGSEGV".into()], ..ConditionSpec::default() };
    let direct = judge(&shell_with("kill -SEGV $$", "sh", &spec), b"");
    assert_eq!((direct.verdict, direct.exit), (Some(Verdict::Interesting), Exit::Signal(11)));
    let behind = judge(&shell_with("sh -c 'kill -SEGV $$'; exit $?", "sh", &spec), b"");
    assert_eq!((behind.verdict, behind.exit), (Some(Verdict::Interesting), Exit::Code(139)));
    assert_eq!(judge(&shell_with("kill -ABRT $$", "sh", &spec), b"").verdict, Some(Verdict::NotInteresting));
}

#[test]
fn a_timeout_is_interesting_where_it_was_asked_for() {
    let spec = ConditionSpec { timeout_is_interesting: true, stdout: vec!["^phase 3$".into()], ..Default::default() };
    let run = |script: &str, deadline| {
        shell_with(script, "sh", &spec).judge(b"", &mut new_slot(), deadline, &Cancel::new()).verdict
    };
    assert_eq!(run("echo phase 3; exit 124", deadline()), Some(Verdict::Interesting));
    assert_eq!(run("echo phase 2; exit 124", deadline()), Some(Verdict::Timeout));
    assert_eq!(run("echo phase 3", deadline()), Some(Verdict::NotInteresting));
    assert_eq!(run("exec sleep 600", Duration::from_millis(50)), Some(Verdict::Timeout));
}

#[test]
fn a_background_process_that_holds_the_output_does_not_hold_the_test() {
    let outcome = judge(&shell("sleep 600 & echo done"), b"");
    assert!(outcome.is_interesting());
    assert_eq!(outcome.stdout_tail, b"done\n");
}

#[test]
fn endless_output_ends_a_test_wherever_it_comes_from() {
    for script in ["exec cat /dev/zero >&2", "cat /dev/zero & wait", "setsid cat /dev/zero & sleep 600"] {
        let outcome = judge(&shell(script), b"");
        assert_eq!((outcome.verdict, outcome.exit), (Some(Verdict::NotInteresting), Exit::Unknown), "{script}");
        assert!(outcome.note.is_some_and(|note| note.contains("MiB")), "{script}");
        assert!(outcome.stdout_tail.len().max(outcome.stderr_tail.len()) == Outcome::TAIL, "{script}");
    }
}

// ---- nothing is left -----------------------------------------------------------------------------------------------

/// A word for a command line that no other process has.
fn marker(name: &str) -> String {
    format!("lop-test-{}-{name}", std::process::id())
}

/// The command lines with the marker in them of processes that are alive.
fn alive(marker: &str) -> Vec<String> {
    let numbers = fs::read_dir("/proc").expect("there is a /proc").flatten();
    let lines = numbers.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let marked = lines.filter(|line| contains(line, marker.as_bytes()));
    marked.map(|line| String::from_utf8_lossy(&line).into_owned()).collect()
}

/// Waits until as many shells are alive that were given the marker with `-up` after it: those that have got away from
/// the shell that started them. `setsid` itself and the like do not count.
fn await_up(marker: &str, count: usize) {
    let marker = format!("{marker}-up");
    until("the processes are up", || {
        (alive(&marker).iter().filter(|line| line.starts_with("sh\0")).count() >= count).then_some(())
    });
}

/// Ways in which a process stays behind; `$0` is the marker. Each script starts one and sleeps.
#[cfg(target_os = "linux")]
const ESCAPES: [&str; 6] = [
    // In the group of the test.
    "sh -c 'echo up; while :; do sleep 1; done' $0-up & sleep 600",
    // A session of its own, as a child of the test.
    "setsid sh -c 'echo up; while :; do sleep 1; done' $0-up & sleep 600",
    // A daemon: its parent has ended.
    "(setsid sh -c 'echo up; while :; do sleep 1; done' $0-up &) ; sleep 600",
    // A group of its own, and a process below it.
    "timeout 600 sh -c 'echo up; while :; do sleep 1; done' $0-up & sleep 600",
    // It has changed its directory, and is deaf.
    "cd /; setsid sh -c 'trap \"\" TERM HUP INT; echo up; while :; do sleep 1; done' $0-up & sleep 600",
    // It has thrown away its environment.
    "(env -i setsid sh -c 'echo up; while :; do sleep 1; done' $0-up &) ; sleep 600",
];

#[test]
#[cfg(target_os = "linux")]
fn a_timeout_ends_every_process_of_the_test() {
    for (index, script) in ESCAPES.iter().enumerate() {
        let marker = marker(&format!("timeout-{index}"));
        let oracle = shell_with(script, &marker, &ConditionSpec::default());
        let mut slot = new_slot();
        // Until the script gets as far as starting it.
        let mut deadline = Duration::from_millis(50);
        loop {
            let outcome = oracle.judge(b"", &mut slot, deadline, &Cancel::new());
            assert_eq!(outcome.exit, Exit::TimedOut, "{script}");
            assert_eq!(alive(&marker), [""; 0], "{script}");
            if outcome.stdout_tail == b"up\n" {
                break;
            }
            deadline *= 2;
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn cancelling_ends_every_process_of_the_test() {
    for (index, script) in ESCAPES.iter().enumerate() {
        let marker = marker(&format!("cancel-{index}"));
        let mut executor = workers(shell_with(script, &marker, &ConditionSpec::default()), 1);
        executor.submit(job(0, ""));
        await_up(&marker, 1);
        executor.cancel(Ticket(0));
        let (_, outcome) = executor.wait().expect("it comes back");
        assert_eq!(outcome.unresolved, Some(Unresolved::Cancelled));
        assert_eq!(alive(&marker), [""; 0], "{script}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn dropping_the_executor_ends_daemons_of_tests_that_ended_well() {
    let marker = marker("daemon");
    // It must have left the group before the test ends, and the group is killed.
    let script = "(setsid sh -c 'touch up; while :; do sleep 1; done' $0-up &) ; until test -e up; do :; done";
    let mut executor = workers(shell_with(script, &marker, &ConditionSpec::default()), 2);
    for ticket in 0..4 {
        executor.submit(job(ticket, ""));
    }
    assert!(drain(&mut executor).iter().all(|(_, outcome)| outcome.is_interesting()));
    await_up(&marker, 4);
    drop(executor);
    assert_eq!(alive(&marker), [""; 0]);
}

#[test]
#[cfg(target_os = "linux")]
fn dropping_the_executor_ends_tests_that_run_and_removes_their_files() {
    let place = tempfile::tempdir().expect("a directory");
    let marker = marker("drop");
    let script = "mkdir d; touch d/x; chmod 0 d; sh -c 'sleep 600; :' $0-up; :";
    let oracle = shell_with(script, &marker, &ConditionSpec::default());
    let slots = SlotOptions { directory: Some(place.path().to_owned()), ..SlotOptions::default() };
    let options = LocalOptions { workers: 2, slots, ..LocalOptions::default() };
    let mut executor = LocalWorkers::new(Arc::new(oracle), &options).expect("workers start");
    for ticket in 0..2 {
        executor.submit(job(ticket, ""));
    }
    await_up(&marker, 2);
    assert_eq!(entries(place.path()).len(), 2);
    drop(executor);
    assert_eq!(alive(&marker), [""; 0]);
    assert_eq!(entries(place.path()), Vec::<PathBuf>::new());
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).expect("readable").flatten().map(|entry| entry.path()).collect()
}

/// Says to a copy of this program that it is the one that counts.
const CENSUS: &str = "LOP_TEST_CENSUS";

/// Descriptors and children belong to the whole process, and other tests run in it: so the counting is done in another
/// process that runs this test alone.
#[test]
#[cfg(target_os = "linux")]
fn hundreds_of_tests_leave_no_process_no_file_and_no_descriptor() {
    let name = "hundreds_of_tests_leave_no_process_no_file_and_no_descriptor";
    if std::env::var_os(CENSUS).is_some() {
        return take_census();
    }
    let place = tempfile::tempdir().expect("a directory");
    let module = module_path!().split_once("::").map_or("", |(_, module)| module);
    let output = Command::new(std::env::current_exe().expect("we are running"))
        .args(["--exact", &format!("{module}::{name}"), "--test-threads", "1", "--nocapture"])
        .env(CENSUS, "1")
        .env("TMPDIR", place.path())
        .output()
        .expect("it starts");
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success() && contains(&text, b"1 passed"), "{}", String::from_utf8_lossy(&text));
    assert_eq!(entries(place.path()), Vec::<PathBuf>::new());
}

#[cfg(target_os = "linux")]
fn take_census() {
    /// Every way for a test to end, some with something that stays behind.
    const SCRIPT: &str = "case $(cat) in
        0) exit 0;;
        1) echo text; echo error >&2; exit 1;;
        2) kill -SEGV $$;;
        3) sleep 600 & exit 0;;
        4) (setsid sleep 600 &) ; exit 0;;
        5) (setsid sleep 0.01 &) ; exit 0;;
        6) echo x > $TMPDIR/left; mkdir -p a/b; chmod 0 a; exit 3;;
        7) timeout 600 sleep 600;;
        8) (setsid sleep 600 &) ; (env -i setsid sleep 600 &) ; exec sleep 600;;
        *) sh -c 'kill -9 $PPID'; sleep 600;;
    esac";
    let count = |directory: &str| fs::read_dir(directory).expect("there is a /proc").count();
    let descriptors = count("/proc/self/fd");
    let slots = SlotOptions { owns_process: true, ..SlotOptions::default() };
    let options = LocalOptions { workers: 2, slots, ..LocalOptions::default() };
    let mut executor = LocalWorkers::new(Arc::new(shell(SCRIPT)), &options).expect("workers start");
    let tests = many(300);
    let mut while_running = None;
    for round in 0..tests / 100 {
        for ticket in round * 100..(round + 1) * 100 {
            let deadline = if matches!(ticket % 10, 7 | 8) { Duration::from_millis(50) } else { deadline() };
            executor.submit(Job { deadline, ..job(ticket, &(ticket % 10).to_string()) });
        }
        let outcomes = drain(&mut executor);
        assert_eq!(outcomes.len(), 100);
        for (ticket, outcome) in &outcomes {
            assert_eq!(outcome.unresolved, None, "{outcome:?}");
            if matches!(ticket % 10, 7 | 8) {
                assert_eq!(outcome.exit, Exit::TimedOut);
            }
        }
        // A worker may still be closing the files of a test that it has answered.
        let first = *while_running.get_or_insert_with(|| count("/proc/self/fd"));
        until("no descriptor is left", || (count("/proc/self/fd") <= first).then_some(()));
    }
    drop((executor, options));
    assert_eq!(count("/proc/self/fd"), descriptors);
    let threads = fs::read_dir("/proc/self/task").expect("there is a /proc").flatten();
    let children: String =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok()).collect();
    assert_eq!(children, "");
}

/// A process that lop did not start is left alone, even where it is a child of the library's host.
#[test]
#[cfg(target_os = "linux")]
fn children_of_the_host_survive() {
    use std::os::unix::process::CommandExt;
    let mut other = Command::new("sleep").arg("600").process_group(0).spawn().expect("sleep is there");
    let outcome = shell("exec sleep 600").judge(b"", &mut new_slot(), Duration::from_millis(10), &Cancel::new());
    assert_eq!(outcome.exit, Exit::TimedOut);
    assert!(other.try_wait().expect("it is our child").is_none());
    other.kill().expect("it is running");
    other.wait().expect("it is our child");
}

/// A stop reaches a test that would run for ten minutes.
#[test]
fn a_stop_is_prompt() {
    let place = tempfile::tempdir().expect("a directory");
    let ended = place.path().join("ended");
    let script = format!("sleep 600; touch '{}'", ended.display());
    let cancel = Cancel::new();
    let options = LocalOptions { workers: 1, cancel: cancel.clone(), ..LocalOptions::default() };
    let mut executor = LocalWorkers::new(Arc::new(shell(&script)), &options).expect("workers start");
    executor.submit(job(0, ""));
    cancel.stop();
    assert_eq!(executor.wait().expect("it comes back").1.unresolved, Some(Unresolved::Cancelled));
    drop(executor);
    assert!(!ended.exists());
}
