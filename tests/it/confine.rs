//! Limits, environment and isolation of tests, as users see them.

#![cfg(target_os = "linux")]

use std::fs;
use std::process::Stdio;

use crate::safety::{own_seconds, processes};
use crate::screen::Session;
use crate::support::{Folder, Ran, finish, has, missing};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("input.txt", "a\nkeep\nb\n");
    folder
}

/// Reduces with these options and a test that wants `keep` and that `script` is content.
fn reduced(folder: &Folder, options: &[&str], script: &str) -> Ran {
    let test = format!("{script} && grep -q keep");
    let line = [&["-q", "-j1", "-o", "out"], options, &["input.txt", "--", "sh", "-c", &test]].concat();
    let ran = folder.lop(&line);
    assert_eq!(folder.temporaries(), [""; 0]);
    ran
}

#[test]
fn limits_hold_from_the_first_instruction_and_for_children() {
    let options = ["--memory-limit", "512M"];
    let limits = "sh -c 'cat /proc/self/limits; :' >limits \
        && grep -q '^Max address space *536870912 *536870912 ' limits";
    let folder = folder();
    reduced(&folder, &options, limits).expect_code(0);
    assert_eq!(folder.read("out"), b"keep");
    reduced(&folder, &[], limits).expect_code(1);
}

#[test]
fn a_test_that_cannot_be_started_under_limits_is_no_answer() {
    let folder = folder();
    folder.script("test.sh", "exit 0");
    fs::write(folder.path("test.sh"), "#!/no/such/shell\nexit 0\n").expect("our own file");
    // 127 is what the program between lop and the test ends with.
    let line = ["-q", "-o", "out", "--memory-limit", "512M", "--exit-code", "127", "test.sh", "input.txt"];
    let ran = folder.lop(&line).expect_code(2);
    assert!(
        ran.stderr.contains("cannot start") && ran.stderr.contains("the interpreter in its first line"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.temporaries(), [""; 0]);
}

/// Whether isolation is possible here; it has to be refused clearly where it is not.
pub(crate) fn is_possible(ran: &Ran, program: &str) -> bool {
    if ran.code == Some(2) {
        let refusal = ["is not installed", "cannot isolate a test here"].iter().any(|words| ran.stderr.contains(words));
        assert!(refusal && ran.stderr.contains(program) && ran.stderr.contains("--isolate"), "{}", ran.stderr);
        missing(ran.stderr.lines().next().unwrap_or(program));
        return false;
    }
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    true
}

#[test]
fn a_name_space_of_processes_shows_a_test_its_own_and_ends_them_all() {
    let folder = folder();
    let seconds = own_seconds(1005);
    let alone = format!("setsid sleep {seconds} & test $(ls -d /proc/[0-9]* | wc -l) -lt 10");
    if is_possible(&reduced(&folder, &["--isolate", "pidns"], &alone), "unshare") {
        assert_eq!(folder.read("out"), b"keep");
        assert_eq!(processes(&format!("sleep {seconds}")), [""; 0]);
        // It is not the first process there, which would be deaf to signals; limits reach it, too.
        let dies =
            "grep -q '^Max address space *536870912 ' /proc/self/limits && grep -q keep || exit 1; kill -SEGV $$; true";
        let line =
            ["-q", "-o", "out", "--isolate", "pidns", "--memory-limit", "512M", "--signal", "SEGV", "input.txt", "--"];
        folder.lop(&[&line[..], &["sh", "-c", dies]].concat()).expect_code(0);
    }
}

#[test]
fn a_test_in_a_box_can_write_to_its_own_directories_only() {
    let folder = folder();
    let outside = folder.path("outside").display().to_string();
    let boxed = format!("! touch '{outside}' 2>/dev/null && touch here \"$TMPDIR/there\" && echo >/dev/null");
    if is_possible(&reduced(&folder, &["--isolate", "bwrap"], &boxed), "bwrap") {
        assert_eq!(folder.read("out"), b"keep");
        assert!(!folder.path("outside").exists());
    }
}

/// Reduces in a box with a test that wants all of these to hold; which of them does not is in the test's output.
fn holds_in_a_box(how: &str, claims: &[&str]) {
    let folder = folder();
    let claims: Vec<_> =
        claims.iter().map(|claim| format!("{{ {claim}; }} || {{ echo '{claim}'; exit 1; }}")).collect();
    let ran = reduced(&folder, &["--isolate", how], &claims.join(" && "));
    if is_possible(&ran, "bwrap") {
        assert_eq!(folder.read("out"), b"keep");
    }
}

/// The rights of root as such, and those as the owner of most files.
#[test]
fn a_test_in_a_box_has_no_rights_beyond_its_directories_even_as_root() {
    holds_in_a_box(
        "bwrap",
        &[
            "test \"$(grep -c \"^Cap[A-Z][a-z]*:.0*$\" /proc/self/status)\" -ge 4",
            "grep -q \"^NoNewPrivs:.1\" /proc/self/status",
            "! mount -o remount,rw / 2>/dev/null",
            "! mknod node b 1 1 2>/dev/null",
            // The system itself starts a program that is written there.
            "! test -w /proc/sys/kernel/core_pattern",
            "! test -w /proc/sysrq-trigger",
            "! test -w /sys/kernel/mm",
            "test -w .",
            "test -w \"$TMPDIR\"",
        ],
    );
}

#[test]
fn a_test_in_a_box_sees_no_other_process_and_no_memory_of_one() {
    holds_in_a_box(
        "bwrap",
        &[
            "test \"$(ls -d /proc/[0-9]* | wc -l)\" -lt 10",
            "test \"$(wc -l </proc/sysvipc/shm)\" -eq 1",
            "test -z \"$(ls /dev/shm | grep -v lop-)\"",
            "! ls -l /dev | grep -q ^b",
        ],
    );
}

#[test]
fn without_a_network_there_is_nothing_but_a_loopback() {
    // The first two lines of the table are its head.
    holds_in_a_box("offline", &["test \"$(tail -n +3 /proc/net/dev | grep -vc \"^ *lo:\")\" -eq 0"]);
}

/// bubblewrap hands on what it has inherited, and so does lop; one of a directory would lead out of the box.
#[test]
fn a_test_in_a_box_inherits_no_descriptor_but_the_three_usual_ones() {
    let folder = folder();
    let outside = folder.path(".").display().to_string();
    let lop = env!("CARGO_BIN_EXE_lop");
    // Without a box they are there, so that the test can fail.
    for (options, expected) in
        [("--isolate bwrap", ""), ("--isolate bwrap --memory-limit 512M", ""), ("--isolate none", "78")]
    {
        // From 10 on they are the shell's own, which keeps there what it redirects.
        let test = format!(
            "seen=; for n in 3 4 5 6 7 8 9; do test ! -e /proc/$$/fd/$n || seen=$seen$n; done; \
             test \"$seen\" = \"{expected}\" && grep -q keep"
        );
        let script =
            format!("exec 7<'{outside}' 8>>leak; exec '{lop}' -q -j1 -o out {options} input.txt -- sh -c '{test}'");
        let mut shell = folder.command(&[""; 0]);
        let temporary = shell.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        let temporary: Vec<_> = temporary.collect();
        shell = std::process::Command::new("sh");
        shell.args(["-c", &script]).current_dir(folder.path(".")).env_clear().envs(temporary);
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if is_possible(&finish(shell.spawn().expect("there is a shell")), "bwrap") {
            assert_eq!(folder.read("out"), b"keep");
        }
    }
}

/// A terminal takes text from a process that controls it as if it had been typed.
#[test]
fn a_test_in_a_box_has_no_terminal() {
    if !has("setsid") {
        return;
    }
    for (options, code) in [(&["--isolate", "bwrap"][..], 0), (&[], 1)] {
        let folder = folder();
        let test = "(: </dev/tty) 2>/dev/null && exit 1; grep -q keep";
        let line = [&["--ui", "none", "-o", "out"], options, &["input.txt", "--", "sh", "-c", test]].concat();
        let mut run = Session::new(&folder.command(&line));
        let ended = run.end().code();
        // The message about a box that cannot be made is on the terminal.
        let ran = Ran { code: ended, stdout: Vec::new(), stderr: run.output() };
        if code == 1 {
            ran.expect_code(1);
        } else if is_possible(&ran, "bwrap") {
            assert_eq!(folder.read("out"), b"keep");
        }
    }
}

#[test]
fn isolation_without_the_program_for_it_is_refused() {
    let folder = folder();
    for (how, program) in [("pidns", "unshare"), ("bwrap", "bwrap")] {
        let line = ["-o", "out", "--isolate", how, "input.txt", "--", "/bin/sh", "-c", "exit 0"];
        let mut command = folder.command(&line);
        let child = command.env("PATH", folder.path(".")).spawn().expect("lop can be started");
        let ran = crate::support::finish(child).expect_code(2);
        assert!(ran.stderr.contains(&format!("isolation needs {program}, which is not installed")), "{}", ran.stderr);
        assert_eq!(folder.names(), ["input.txt"]);
    }
}
