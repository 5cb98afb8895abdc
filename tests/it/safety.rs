//! Nothing is lost and nothing is left behind, however a run ends.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use lop_engine::Verdict;
use lop_grammar::{Grammar, Registry};
use lop_languages::LANGUAGES;
use lop_reduce::{Ended, Options, ReduceError, Silent, reduce_with};
use lop_run::exec::Inline;
use lop_run::oracle::Cancel;
use proptest::prelude::*;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Folder, finish, until, wait};

/// A file that takes hundreds of tests: every third line stays.
pub(crate) fn long_input() -> String {
    (0..600).map(|number| if number % 3 == 0 { format!("keep {number}\n") } else { format!("go {number}\n") }).collect()
}

/// A test that wants all of the `keep` lines, in no less than 10 ms.
const KEEP_ALL: &str = "sleep 0.01; test \"$(grep -c keep \"$1\")\" = 200";

fn is_interesting(content: &[u8]) -> bool {
    String::from_utf8_lossy(content).lines().filter(|line| line.contains("keep")).count() == 200
}

/// A run in the middle of its work: some candidates have been accepted.
pub(crate) fn started(folder: &Folder, arguments: &[&str]) -> Child {
    folder.write("input.txt", long_input());
    folder.script("test.sh", KEEP_ALL);
    let lop = folder.command(arguments);
    // A caller that runs the tests by `nohup` does not hear of a hang-up, and hands that on.
    let mut command = Command::new("env");
    command.arg("--default-signal=HUP").arg(lop.get_program()).args(lop.get_args());
    command.env_clear().envs(lop.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(folder.path(".")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("lop can be started");
    let before = long_input().len();
    until("something was accepted", || {
        let now = fs::metadata(folder.path("input.txt")).ok()?.len() as usize;
        (now < before).then_some(())
    });
    child
}

pub(crate) fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("our own child");
}

#[test]
fn a_kill_in_the_middle_leaves_an_interesting_file_and_the_original() {
    let folder = Folder::new();
    let mut child = started(&folder, &["-j2", "test.sh", "input.txt"]);
    thread::sleep(Duration::from_millis(100));
    child.kill().expect("our own child");
    wait(&mut child);
    let result = folder.read("input.txt");
    assert!(is_interesting(&result), "{}", String::from_utf8_lossy(&result));
    assert!(result.len() < long_input().len());
    assert_eq!(folder.read("input.txt.orig"), long_input().into_bytes());
}

#[test]
fn the_first_signal_stops_keeps_the_best_and_ends_with_3() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let folder = Folder::new();
        let child = started(&folder, &["-j2", "test.sh", "input.txt"]);
        send(&child, signal);
        let ran = finish(child).expect_code(3);
        assert!(ran.stderr.contains("Stopped early"), "{}", ran.stderr);
        assert!(is_interesting(&folder.read("input.txt")));
        assert_eq!(folder.names(), ["input.txt", "input.txt.lop", "input.txt.orig", "test.sh"]);
        assert_eq!(folder.temporaries(), [""; 0]);
    }
}

#[test]
fn the_second_signal_ends_at_once_with_the_best_result() {
    let folder = Folder::new();
    let child = started(&folder, &["-q", "-j2", "test.sh", "input.txt"]);
    send(&child, Signal::INT);
    send(&child, Signal::TERM);
    finish(child).expect_code(3);
    // A clean-up that takes time is not waited for: what is in the place for temporary files depends on the load.
    assert!(is_interesting(&folder.read("input.txt")));
    assert_eq!(folder.names(), ["input.txt", "input.txt.lop", "input.txt.orig", "test.sh"]);
}

#[test]
fn a_signal_before_the_input_was_judged_changes_nothing() {
    let folder = Folder::new();
    folder.write("input.txt", long_input());
    let began = folder.path("began");
    folder.script("test.sh", &format!("touch '{}'; exec sleep 600", began.display()));
    let child = folder.command(&["test.sh", "input.txt"]).spawn().expect("lop can be started");
    until("the first test runs", || began.exists().then_some(()));
    send(&child, Signal::INT);
    let ran = finish(child).expect_code(3);
    assert!(ran.stderr.contains("nothing was changed"), "{}", ran.stderr);
    assert_eq!(folder.names(), ["began", "input.txt", "test.sh"]);
    assert_eq!(folder.read("input.txt"), long_input().into_bytes());
    assert_eq!(folder.temporaries(), [""; 0]);
}

/// Processes of this machine with this word on their command line.
pub(crate) fn processes(word: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("a Linux machine");
    let commands = entries.filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok());
    let words = commands.map(|command| String::from_utf8_lossy(&command).replace('\0', " "));
    words.filter(|command| command.contains(word)).collect()
}

/// A time to sleep that no other process of this machine sleeps, not even those of this test in another run of it.
pub(crate) fn own_seconds(about: u32) -> String {
    format!("{about}.{:08}", std::process::id())
}

/// A test that leaves a process in the background, one in a session of its own, and a file in the
/// place for temporary files; `$seconds` makes the processes known.
fn litter(seconds: &str, rest: &str) -> String {
    format!("sleep {seconds} & setsid sleep {seconds} & mktemp >/dev/null; {rest}")
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_left_after_a_normal_end() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\nc\n");
    let seconds = own_seconds(1001);
    folder.script("test.sh", &litter(&seconds, "grep -q keep \"$1\""));
    folder.lop(&["-q", "-j2", "test.sh", "input.txt"]).expect_code(0);
    assert_eq!(processes(&format!("sleep {seconds}")), [""; 0]);
    assert_eq!(folder.temporaries(), [""; 0]);
    assert_eq!(folder.names(), ["input.txt", "input.txt.lop", "input.txt.orig", "test.sh"]);
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_left_after_timeouts() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nstop\nb\n");
    let seconds = own_seconds(1002);
    let hang = format!("grep -q keep \"$1\" || exit 1; grep -q stop \"$1\" || sleep {seconds}");
    folder.script("test.sh", &litter(&seconds, &hang));
    let ran = folder.lop(&["-j2", "--timeout", "5", "test.sh", "input.txt"]).expect_code(0);
    assert!(ran.stderr.contains("timed out"), "{}", ran.stderr);
    assert!(ran.stderr.contains("stayed only because a test timed out"), "{}", ran.stderr);
    let result = String::from_utf8_lossy(&folder.read("input.txt")).into_owned();
    assert!(result.contains("keep") && result.contains("stop"), "{result}");
    assert_eq!(processes(&format!("sleep {seconds}")), [""; 0]);
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_left_after_ctrl_c() {
    let folder = Folder::new();
    folder.write("input.txt", long_input());
    let seconds = own_seconds(1003);
    folder.script("test.sh", &litter(&seconds, KEEP_ALL));
    let child = folder.command(&["-j2", "test.sh", "input.txt"]).spawn().expect("lop can be started");
    until("something was accepted", || folder.path("input.txt.orig").exists().then_some(()));
    send(&child, Signal::INT);
    finish(child).expect_code(3);
    assert_eq!(processes(&format!("sleep {seconds}")), [""; 0]);
    assert_eq!(folder.temporaries(), [""; 0]);
    assert_eq!(folder.names(), ["input.txt", "input.txt.lop", "input.txt.orig", "test.sh"]);
}

/// Every grammar, and none.
static GRAMMARS: LazyLock<Vec<Option<Arc<Grammar>>>> = LazyLock::new(|| {
    let registry = Registry::of(&LANGUAGES).expect("the embedded grammars are right");
    let loaded = registry.folders().map(|folder| Some(Arc::new(Grammar::load(folder).expect("it is right"))));
    loaded.chain([None]).collect()
});

/// Bytes of every kind: any, and texts with the characters that grammars care about.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let source = "[ \\n\\r\\t(){}\\[\\];,\"'a-c0-9/*\\\\#=+é]{0,200}";
    prop_oneof![prop::collection::vec(any::<u8>(), 0..300), source.prop_map(String::into_bytes)]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn an_always_true_test_reduces_anything_to_nothing(input in any_bytes(), slots in 1_usize..4) {
        for grammar in &*GRAMMARS {
            let options = Options { allow_empty: true, ..Options::default() };
            let mut executor = Inline::new(|_: &[u8]| Verdict::Interesting).with_slots(slots);
            let report = reduce_with(&input, grammar.clone(), &mut executor, &options, &mut Silent, &Cancel::new()).expect("it is interesting");
            prop_assert_eq!(report.best, b"");
            prop_assert_eq!(report.ended, Ended::Complete);
        }
    }

    #[test]
    fn an_always_false_test_is_reported(input in any_bytes()) {
        for grammar in &*GRAMMARS {
            let mut executor = Inline::new(|_: &[u8]| Verdict::NotInteresting);
            let result = reduce_with(&input, grammar.clone(), &mut executor, &Options::default(), &mut Silent, &Cancel::new());
            let reported = matches!(result, Err(ReduceError::NotInteresting { .. }));
            prop_assert!(reported);
        }
    }
}

#[test]
fn hostile_bytes_go_through_the_program() {
    let inputs: [&[u8]; 6] = [b"", b"\0", b"\xef\xbb\xbfint x;\r\n", b"\xff\xfe\xfd", b"no end of line", b"\n\n\n"];
    for (index, input) in inputs.iter().enumerate() {
        for extension in ["c", "js", "json", "bin"] {
            let folder = Folder::new();
            let name = format!("{index}.{extension}");
            folder.write(&name, input);
            let refused = if input.is_empty() { 2 } else { 1 };
            folder.lop(&["-q", "-o", "out", &name, "--", "false"]).expect_code(refused);
            assert_eq!(folder.names(), std::slice::from_ref(&name));
            folder.lop(&["-q", "-o", "out", "--allow-empty", &name, "--", "true"]).expect_code(0);
            assert_eq!(folder.read("out"), b"");
            assert_eq!(folder.read(&name), *input);
            assert_eq!(folder.temporaries(), [""; 0]);
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn events_that_cannot_be_written_end_the_run_with_6() {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    let line = ["--json", "/dev/full", "input.txt", "-o", "out", "--", "grep", "-q", "keep"];
    let ran = folder.lop(&line).expect_code(6);
    assert!(ran.stderr.contains("cannot write JSON lines: No space left on device"), "{}", ran.stderr);
    assert_eq!(folder.names(), ["input.txt"]);
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn a_result_that_cannot_be_written_ends_the_run_with_6_and_is_not_half_there() {
    let folder = Folder::new();
    folder.write("input.txt", long_input());
    // Another program takes the name of the original while lop runs.
    let original = folder.path("input.txt.orig");
    folder.script("test.sh", &format!("echo precious > '{}'; {KEEP_ALL}", original.display()));
    let ran = folder.lop(&["-j1", "test.sh", "input.txt"]).expect_code(6);
    assert!(ran.stderr.contains("cannot keep the original as input.txt.orig"), "{}", ran.stderr);
    assert_eq!(folder.names(), ["input.txt", "input.txt.lop", "input.txt.orig", "test.sh"]);
    assert_eq!(folder.read("input.txt"), long_input().into_bytes());
    assert_eq!(folder.read("input.txt.orig"), b"precious\n");
    // The result is not lost, and no message says that it is where it is not.
    assert!(ran.stderr.contains("; input.txt is unchanged"), "{}", ran.stderr);
    let [best] = &folder.temporaries()[..] else { panic!("{:?}", folder.temporaries()) };
    assert!(ran.stderr.contains(&format!("/{best};")), "{}", ran.stderr);
    let best = fs::read(folder.path("../tmp").join(best)).expect("it is named in the message");
    assert!(is_interesting(&best) && best.len() < long_input().len());
}
