//! However a run ends that was going well (terminal closed, disk full, directory gone), the best result is kept and
//! one line says what happened.
//!
//! Full and read-only file systems are made in a name space of mounts, which only this test sees. Where the system
//! does not allow that, the test says so and passes.

#![cfg(target_os = "linux")]

use std::fs;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::{Folder, Ran, TIMEOUT, deadline, finish, missing, until, wait};

/// A file of which every third line stays.
fn input() -> String {
    (0..60).map(|number| if number % 3 == 0 { format!("keep {number}\n") } else { format!("go {number}\n") }).collect()
}

/// The test: all lines with `keep` have to stay.
const KEEP_ALL: &str = "test \"$(grep -c keep \"$1\")\" = 20";

fn is_interesting(content: &[u8]) -> bool {
    String::from_utf8_lossy(content).lines().filter(|line| line.contains("keep")).count() == 20
}

/// The messages of a run but for its progress: what is said of the end.
fn errors(ran: &Ran) -> Vec<&str> {
    ran.stderr.lines().filter(|line| line.starts_with("error:")).collect()
}

/// Where the message says that the best result was put.
fn set_aside(ran: &Ran) -> PathBuf {
    let (_, rest) = ran.stderr.split_once("the best result so far is in ").unwrap_or_else(|| panic!("{ran:#?}"));
    rest.split_once(';').map(|(path, _)| PathBuf::from(path)).unwrap_or_else(|| panic!("{ran:#?}"))
}

/// Runs lop in `folder` with a small file system of its own at `small`, after `prepare`. When lop has ended, what is
/// there is copied to `seen`. `None` where this is not allowed.
fn on_a_small_disk(folder: &Folder, prepare: &str, variables: &str, arguments: &str) -> Option<Ran> {
    fs::create_dir(folder.path("small")).expect("a new folder");
    fs::create_dir(folder.path("seen")).expect("a new folder");
    let script = format!(
        "mount -t tmpfs -o size=256k none small || exit 99; {prepare} || exit 98
         {variables} '{}' {arguments}; code=$?; cp -r small/. seen/; exit $code",
        env!("CARGO_BIN_EXE_lop")
    );
    let user: &[&str] = if rustix::process::geteuid().is_root() { &[] } else { &["--user", "--map-root-user"] };
    let mut command = folder.command(&[""; 0]);
    let temporary: Vec<_> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    command = Command::new("unshare");
    command.args(user).args(["--mount", "sh", "-c", &script]).current_dir(folder.path(".")).env_clear();
    command.envs(temporary.into_iter().filter_map(|(name, value)| Some((name, value?))));
    let Ok(child) = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() else {
        skipped("there is no unshare(1)");
        return None;
    };
    let ran = finish(child);
    if ran.code == Some(99) || ran.stderr.starts_with("unshare:") {
        skipped(ran.stderr.trim());
        return None;
    }
    Some(ran)
}

fn skipped(why: &str) {
    missing(&format!("a small file system cannot be mounted: {why}"));
}

#[test]
fn a_terminal_that_is_closed_does_not_stop_a_run() {
    let folder = Folder::new();
    folder.write("input.txt", input());
    folder.script("test.sh", KEEP_ALL);
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&master).expect("ours");
    unlockpt(&master).expect("ours");
    let name = ptsname(&master, Vec::new()).expect("ours");
    let slave = File::from(
        rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).expect("ours"),
    );
    let mut command = folder.command(&["-j2", "-v", "--diff", "test.sh", "input.txt"]);
    command.env("TERM", "xterm").stdout(slave.try_clone().expect("ours")).stderr(slave);
    let mut child = command.spawn().expect("lop can be started");
    // The command has the other end, too.
    drop(command);
    until("something was accepted", || folder.path("input.txt.orig").exists().then_some(()));
    // From now on each write to it is an input/output error.
    drop(master);
    assert_eq!(wait(&mut child).code(), Some(0));
    assert!(is_interesting(&folder.read("input.txt")));
    assert_eq!(folder.names(), ["input.txt", "input.txt.lop", "input.txt.orig", "test.sh"]);
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn process_names_a_test_that_the_terminal_stopped() {
    let folder = Folder::new();
    folder.write("input.txt", input());
    folder.script("test.sh", "cat </dev/tty");
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&master).expect("ours");
    unlockpt(&master).expect("ours");
    let name = ptsname(&master, Vec::new()).expect("ours");
    let slave = File::from(
        rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).expect("ours"),
    );
    // lop is in the foreground of a terminal of its own, and its tests are in the background.
    let like = folder.command(&["-q", "--no-state", "--timeout=300", "test.sh", "input.txt"]);
    let mut command = Command::new("setsid");
    command.arg("--ctty").arg(like.get_program()).args(like.get_args()).current_dir(folder.path("."));
    command.env_clear().envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(slave).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(child) = command.spawn() else { return missing("there is no setsid(1)") };
    let ran = finish(child).expect_code(1);
    assert!(ran.stderr.contains("the terminal stopped the test by SIGTTIN"), "{ran:#?}");
    assert!(ran.stderr.contains("hint: redirect the command's input"), "{ran:#?}");
}

#[test]
fn a_result_that_cannot_go_to_standard_output_is_kept_elsewhere() {
    let folder = Folder::new();
    folder.write("input.txt", input());
    folder.script("test.sh", KEEP_ALL);
    let mut command = folder.command(&["-q", "-o", "-", "test.sh", "input.txt"]);
    command.stdout(File::options().write(true).open("/dev/full").expect("every Linux has it"));
    let ran = finish(command.spawn().expect("lop can be started")).expect_code(6);
    assert_eq!(errors(&ran).len(), 1, "{ran:#?}");
    assert!(ran.stderr.contains("cannot write the result to standard output"), "{ran:#?}");
    assert!(is_interesting(&fs::read(set_aside(&ran)).expect("it is named")));
}

#[test]
fn a_signal_ends_lop_where_nobody_reads_its_result() {
    let folder = Folder::new();
    folder.write("input.txt", input());
    folder.script("test.sh", KEEP_ALL);
    let made = Command::new("mkfifo").arg(folder.path("pipe")).status().expect("mkfifo is everywhere");
    assert!(made.success());
    let arguments = ["-q", "--no-state", "--json", "events", "-o", "pipe", "test.sh", "input.txt"];
    let child = folder.command(&arguments).spawn().expect("lop can be started");
    // The tests are over, and what is left is to write.
    until("the reduction has ended", || {
        let events = fs::read_to_string(folder.path("events")).ok()?;
        events.contains("\"finished\"").then_some(())
    });
    kill_process(Pid::from_child(&child), Signal::TERM).expect("our own child");
    let ran = finish(child).expect_code(6);
    assert!(ran.stderr.contains("no program has read from the pipe"), "{ran:#?}");
    assert!(is_interesting(&fs::read(set_aside(&ran)).expect("it is named")));
}

#[test]
fn a_limit_of_file_sizes_is_an_error_and_not_the_end() {
    let folder = Folder::new();
    folder.write("input.txt", input().repeat(2));
    folder.script("test.sh", KEEP_ALL);
    let lop = env!("CARGO_BIN_EXE_lop");
    let script = format!("ulimit -f 1; exec '{lop}' -q --no-state test.sh input.txt");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(folder.path(".")).env("HOME", folder.home()).stdin(Stdio::null());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("sh is there");
    let ran = finish(child).expect_code(2);
    assert_eq!(errors(&ran).len(), 1, "{ran:#?}");
    assert!(ran.stderr.contains("ulimit -f"), "{ran:#?}");
    assert_eq!(folder.names(), ["input.txt", "test.sh"]);
}

#[test]
fn an_output_directory_that_is_deleted_meanwhile_costs_nothing_of_the_result() {
    let folder = Folder::new();
    folder.write("input.txt", input());
    fs::create_dir(folder.path("out")).expect("a new folder");
    let out = folder.path("out");
    // Gone as soon as there is something in it.
    folder.script("test.sh", &format!("test ! -e '{0}/small.txt' || rm -rf '{0}'; {KEEP_ALL}", out.display()));
    let ran = folder.lop(&["-j1", "-o", "out/small.txt", "test.sh", "input.txt"]).expect_code(6);
    assert_eq!(errors(&ran).len(), 1, "{ran:#?}");
    assert!(ran.stderr.contains("cannot write out/small.txt: No such file or directory"), "{ran:#?}");
    let best = fs::read(set_aside(&ran)).expect("it is named");
    assert!(is_interesting(&best) && best.len() < input().len());
    assert_eq!(folder.names(), ["input.txt", "test.sh"]);
}

#[test]
fn ends_say_where_the_result_is_when_its_folder_was_moved_or_deleted() {
    for (accident, code, message) in
        [("mv", 0, "/moved/small.txt"), ("rm -rf", 6, "; the folder of out/small.txt is not there any more")]
    {
        let folder = Folder::new();
        folder.write("input.txt", input());
        fs::create_dir(folder.path("out")).expect("a new folder");
        let here = folder.path(".").canonicalize().expect("it is there").display().to_string();
        let to = if accident == "mv" { format!("'{here}/moved'") } else { String::new() };
        let accident = format!("test ! -e '{here}/out/small.txt' || {accident} '{here}/out' {to}");
        folder.script("test.sh", &format!("{accident}; {KEEP_ALL}"));
        let ran = folder.lop(&["-j1", "--no-state", "-o", "out/small.txt", "test.sh", "input.txt"]).expect_code(code);
        assert!(ran.stderr.contains(message), "{ran:#?}");
        let best = if code == 0 { folder.path("moved/small.txt") } else { set_aside(&ran) };
        let best = fs::read(best).expect("it is named");
        assert!(is_interesting(&best) && best.len() < input().len());
        assert!(!folder.path("out").exists());
    }
}

/// A test that does something to the disk once the first result is on it, and to the result nothing.
fn with_an_accident(folder: &Folder, accident: &str) {
    folder.write("input.txt", input());
    let here = folder.path(".").canonicalize().expect("it is there");
    let body = format!(
        "cd '{}'\nif test -e small/input.txt.orig && test ! -e done; then {accident}; touch done; fi",
        here.display()
    );
    folder.script("test.sh", &format!("file=$PWD/input.txt\n{body}\nset -- \"$file\"\n{KEEP_ALL}"));
}

#[test]
fn a_disk_that_is_full_keeps_the_last_result_and_the_best_goes_elsewhere() {
    let folder = Folder::new();
    with_an_accident(&folder, "dd if=/dev/zero of=small/filler bs=4k 2>/dev/null");
    // Without a journal: it would be the first that finds no room.
    let arguments = "-j1 --no-state test.sh small/input.txt";
    let Some(ran) = on_a_small_disk(&folder, "cp input.txt small/", "", arguments) else { return };
    let ran = ran.expect_code(6);
    assert_eq!(errors(&ran).len(), 1, "{ran:#?}");
    assert!(ran.stderr.contains("cannot write small/input.txt: No space left on device"), "{ran:#?}");
    let (last, best) = (folder.read("seen/input.txt"), fs::read(set_aside(&ran)).expect("it is named"));
    assert!(is_interesting(&last) && is_interesting(&best) && best.len() < last.len(), "{ran:#?}");
    assert_eq!(folder.read("seen/input.txt.orig"), input().into_bytes());
    let left: Vec<_> =
        fs::read_dir(folder.path("seen")).expect("ours").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_disk_that_is_full_keeps_the_last_directory_and_its_original() {
    let folder = Folder::new();
    fs::create_dir(folder.path("p")).expect("a new folder");
    folder.write("p/input.txt", input());
    folder.write("p/other.txt", "other\n");
    let here = folder.path(".").canonicalize().expect("it is there");
    let fill = format!(
        "test ! -e '{0}/small/p.orig' || dd if=/dev/zero of='{0}/small/filler' bs=4k 2>/dev/null",
        here.display()
    );
    folder.script("test.sh", &format!("{fill}; test \"$(grep -c keep p/input.txt)\" = 20"));
    let arguments = "-j1 --no-state test.sh small/p";
    let Some(ran) = on_a_small_disk(&folder, "cp -r p small/", "", arguments) else { return };
    let ran = ran.expect_code(6);
    assert_eq!(errors(&ran).len(), 1, "{ran:#?}");
    assert!(ran.stderr.contains("cannot write small/p") && ran.stderr.contains("No space left"), "{ran:#?}");
    assert!(is_interesting(&folder.read("seen/p/input.txt")));
    assert_eq!(folder.read("seen/p.orig/input.txt"), input().into_bytes());
    assert_eq!(folder.read("seen/p.orig/other.txt"), b"other\n");
    assert!(is_interesting(&fs::read(set_aside(&ran).join("input.txt")).expect("it is named")));
    let left: Vec<_> =
        fs::read_dir(folder.path("seen")).expect("ours").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_disk_that_becomes_read_only_keeps_the_last_result_and_the_best_goes_elsewhere() {
    let folder = Folder::new();
    with_an_accident(&folder, "mount -o remount,ro small");
    // Without a journal: it would be the first that finds no room.
    let arguments = "-j1 --no-state test.sh small/input.txt";
    let Some(ran) = on_a_small_disk(&folder, "cp input.txt small/", "", arguments) else { return };
    let ran = ran.expect_code(6);
    assert_eq!(errors(&ran).len(), 1, "{ran:#?}");
    assert!(ran.stderr.contains("Read-only file system"), "{ran:#?}");
    let (last, best) = (folder.read("seen/input.txt"), fs::read(set_aside(&ran)).expect("it is named"));
    assert!(is_interesting(&last) && is_interesting(&best) && best.len() < last.len(), "{ran:#?}");
}

#[test]
fn a_directory_that_is_read_only_is_refused_before_the_first_test() {
    let folder = Folder::new();
    folder.write("input.txt", input());
    let ran_at = folder.path("ran");
    folder.script("test.sh", &format!("touch '{}'", ran_at.display()));
    let prepare = "cp input.txt small/ && mount -o remount,ro small";
    let Some(ran) = on_a_small_disk(&folder, prepare, "", "test.sh small/input.txt") else { return };
    let ran = ran.expect_code(2);
    assert_eq!(errors(&ran).len(), 1, "{ran:#?}");
    assert!(ran.stderr.contains("cannot write small/input.txt"), "{ran:#?}");
    assert!(!ran_at.exists(), "a test ran");
    assert_eq!(folder.read("seen/input.txt"), input().into_bytes());
    assert!(!folder.path("seen/input.txt.orig").exists());
}

#[test]
fn a_place_for_temporary_files_that_is_full_ends_the_run_with_the_best_result() {
    let folder = Folder::new();
    folder.write("input.txt", input());
    let here = folder.path(".").canonicalize().expect("it is there");
    let fill = format!(
        "test ! -e '{0}/input.txt.orig' || dd if=/dev/zero of='{0}/small/filler' bs=4k 2>/dev/null",
        here.display()
    );
    folder.script("test.sh", &format!("{fill}; {KEEP_ALL}"));
    let Some(ran) = on_a_small_disk(&folder, "true", "TMPDIR=small", "-j1 test.sh input.txt") else { return };
    let ran = ran.expect_code(6);
    assert_eq!(errors(&ran).len(), 1, "{ran:#?}");
    assert!(ran.stderr.contains("set TMPDIR to a larger place"), "{ran:#?}");
    let best = folder.read("input.txt");
    assert!(is_interesting(&best) && best.len() < input().len(), "{ran:#?}");
    assert_eq!(folder.read("input.txt.orig"), input().into_bytes());
    let left: Vec<_> =
        fs::read_dir(folder.path("seen")).expect("ours").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["filler"]);
}

/// A test that would take an hour: a run that waits for it fails.
const FOR_EVER: &str = "sleep 3600";

/// Runs lop with a limit of time, one that is long enough to judge the input on this machine now.
fn limited(folder: &Folder) -> Ran {
    let run = |seconds: u64| {
        let limit = seconds.to_string();
        let words = ["--max-time", &limit, "-j", "1", "./test.sh", "input.txt"];
        folder.lop(&[&TIMEOUT[..], &words].concat()).expect_code(3)
    };
    let limits = (1..).map(|doublings| 1 << doublings).take_while(|seconds| *seconds < deadline().as_secs());
    let mut runs = limits.map(run);
    runs.find(|ran| !ran.stderr.contains("before the first test of input.txt ended"))
        .expect("the input is judged in time")
}

#[test]
fn the_limit_of_time_ends_a_test_that_runs() {
    let folder = Folder::new();
    folder.write("input.txt", input());
    folder.script("test.sh", &format!("cmp -s \"$1\" '{}' || {FOR_EVER}", folder.path("whole.txt").display()));
    folder.write("whole.txt", input());
    // The empty file is a part of the baseline, and the first that takes for ever.
    let ran = limited(&folder);
    assert!(ran.stderr.contains("Stopped at the limit"), "{}", ran.stderr);
    assert_eq!(folder.read("input.txt"), input().into_bytes());
    assert!(folder.temporaries().is_empty());
}

#[test]
fn the_limit_of_time_ends_a_run_with_the_best_result() {
    let folder = Folder::new();
    folder.write("input.txt", input());
    // A candidate that lost one of the lines that have to stay takes for ever; the others are interesting.
    folder.script("test.sh", &format!("test -s \"$1\" || exit 1; {KEEP_ALL} || {FOR_EVER}"));
    let ran = limited(&folder);
    assert!(ran.stderr.contains("Stopped"), "{}", ran.stderr);
    assert!(is_interesting(&folder.read("input.txt")));
    assert!(folder.temporaries().is_empty());
}

#[test]
fn the_limit_of_time_holds_before_anything_is_known_of_the_test() {
    let folder = Folder::new();
    folder.write("input.txt", input());
    folder.script("test.sh", FOR_EVER);
    let script = folder.lop(&["--max-time", "1", "./test.sh", "input.txt"]).expect_code(3);
    let inferred = folder.lop(&["--max-time", "1", "input.txt", "--", "./test.sh", "@@"]).expect_code(3);
    for ran in [script, inferred] {
        assert!(ran.stderr.contains("--max-time was over before the first test of input.txt ended"), "{}", ran.stderr);
    }
    assert_eq!(folder.read("input.txt"), input().into_bytes());
    assert!(folder.temporaries().is_empty());
}

#[test]
fn a_limit_of_tests_that_is_too_low_for_the_input_is_named() {
    let folder = Folder::new();
    folder.write("input.txt", input());
    let ran = folder.lop(&["--max-tests", "1", "input.txt", "--", "true"]).expect_code(3);
    assert!(ran.stderr.contains("--max-tests was reached before the first test of input.txt ended"), "{}", ran.stderr);
    assert_eq!(folder.read("input.txt"), input().into_bytes());
}

#[test]
fn the_first_run_has_a_deadline_and_the_message_says_which() {
    let folder = Folder::new();
    folder.write("input.txt", input());
    folder.script("test.sh", FOR_EVER);
    let ran = folder.lop(&["--timeout", "0.2", "./test.sh", "input.txt"]).expect_code(1);
    assert!(ran.stderr.contains("--timeout SECS; the default for the first run is 300 s"), "{}", ran.stderr);
}
