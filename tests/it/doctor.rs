//! `lop doctor`: every ill of a test is found in a real run of it, and a healthy test has none.

use std::fs;
use std::path::Path;

use lop_doctor::{Examination, Level, TrivialInputs, examine};
use lop_run::oracle::{Cancel, CommandOracle, Conditions, SlotOptions};

use crate::safety::{own_seconds, processes};
use crate::support::{Folder, Ran, TIMEOUT};

/// The command of a test that nothing is wrong with.
const HEALTHY: &str = "grep -q bug \"$1\"";

fn folder(test: &str) -> Folder {
    let folder = Folder::new();
    folder.write("input.txt", "some\nbug\nhere\n");
    folder.script("test.sh", test);
    folder
}

fn examined(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.lop(&[&["doctor"], arguments].concat())
}

/// The findings of this level, as lines that begin with the check.
fn findings(ran: &Ran, level: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(&ran.stdout);
    let found = text.lines().filter_map(|line| line.trim_start().strip_prefix(&format!("{level} ")));
    found.map(|line| line.trim().to_owned()).collect()
}

/// Whether there is a finding of this level by the check.
#[track_caller]
fn expect(ran: &Ran, level: &str, check: &str) {
    let found = findings(ran, level);
    assert!(found.iter().any(|line| line.starts_with(check)), "no {level} of {check}: {ran:#?}");
}

#[test]
fn a_healthy_test_has_no_worries_and_nothing_is_touched() {
    let folder = folder(HEALTHY);
    for arguments in [&["test.sh", "input.txt"][..], &["-j2", "input.txt", "--", "grep", "-q", "bug", "@@"]] {
        let ran = examined(&folder, arguments).expect_code(0);
        for level in ["note", "warning", "fault"] {
            // The machine may be slow at any time, and others make temporary files.
            let worries = findings(&ran, level);
            let worries =
                worries.iter().filter(|line| !["load", "time", "temporary"].iter().any(|&l| line.starts_with(l)));
            assert_eq!(worries.count(), 0, "{ran:#?}");
        }
        assert!(findings(&ran, "ok").len() >= 10, "{ran:#?}");
        assert_eq!(folder.names(), ["input.txt", "test.sh"]);
        assert_eq!(folder.temporaries(), [""; 0]);
    }
}

#[test]
fn a_test_that_cannot_be_run_is_a_fault() {
    let folder = folder(HEALTHY);
    fs::write(folder.path("test.sh"), "#!/no/such/shell\n").expect("our own file");
    let ran = examined(&folder, &["test.sh", "input.txt"]).expect_code(1);
    expect(&ran, "fault", "start");
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn an_input_that_is_refused_is_a_fault_and_says_what_is_missing() {
    let folder = folder("grep -q -f words \"$1\"");
    folder.write("words", "bug\n");
    let ran = examined(&folder, &["test.sh", "input.txt"]).expect_code(1);
    expect(&ran, "fault", "input");
    expect(&ran, "fault", "paths");
    assert!(String::from_utf8_lossy(&ran.stdout).contains("reduce with --with words"), "{ran:#?}");
    let ran = examined(&folder, &["input.txt", "--exit-code", "3", "--", "grep", "-q", "bug"]).expect_code(1);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("expected exit code 3"), "{ran:#?}");
}

#[test]
fn a_test_that_changes_its_mind_is_a_fault() {
    let folder = folder("");
    let count = folder.path("../count").display().to_string();
    // Every second run says no.
    folder.script("test.sh", &format!("echo >> '{count}'; test $(($(wc -l < '{count}') % 2)) = 1 && {HEALTHY}"));
    let ran = examined(&folder, &["-j1", "test.sh", "input.txt"]).expect_code(1);
    expect(&ran, "fault", "repeated");
    assert!(
        String::from_utf8_lossy(&ran.stdout).contains("the input shows the bug in 11 of 21 runs (52 %;"),
        "{ran:#?}"
    );
}

#[test]
fn a_test_that_reads_the_original_is_a_fault() {
    let folder = folder("");
    let original = folder.path("input.txt").canonicalize().expect("it is there");
    folder.script("test.sh", &format!("grep -q bug '{}'", original.display()));
    let ran = examined(&folder, &["test.sh", "input.txt"]).expect_code(1);
    for check in ["empty file", "trivial file", "original"] {
        expect(&ran, "fault", check);
    }
    // It may have a reason to name it.
    folder.script("test.sh", &format!("{HEALTHY} && test -e {}", original.display()));
    let ran = examined(&folder, &["test.sh", "input.txt"]).expect_code(0);
    expect(&ran, "warning", "original");
    let words = ["input.txt", "--", "grep", "-q", "bug", original.to_str().expect("plain")];
    let ran = examined(&folder, &words).expect_code(1);
    expect(&ran, "fault", "original");
}

#[test]
fn a_test_that_depends_on_its_directory_is_told() {
    let folder = folder("case $PWD in *lop-elsewhere-*) exit 1;; esac; grep -q bug \"$1\"");
    let ran = examined(&folder, &["test.sh", "input.txt"]).expect_code(0);
    expect(&ran, "warning", "directory");
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_test_leaves_behind_is_told_and_gone() {
    let folder = folder("");
    let here = folder.path(".").canonicalize().expect("it is there");
    let seconds = own_seconds(1004);
    let log = here.join("log").display().to_string();
    folder.script("test.sh", &format!("touch '{log}'; setsid sleep {seconds} & {HEALTHY}"));
    let ran = examined(&folder, &["test.sh", "input.txt"]).expect_code(0);
    expect(&ran, "warning", "processes");
    expect(&ran, "warning", "sources");
    assert!(String::from_utf8_lossy(&ran.stdout).contains("/log"), "{ran:#?}");
    assert_eq!(processes(&format!("sleep {seconds}")), [""; 0]);
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn tests_that_get_in_each_others_way_are_a_fault() {
    let folder = folder("");
    let lock = folder.path("../lock").display().to_string();
    // Where several run at the same time, the one that has the lock keeps it until another one has asked for it.
    let keep = format!(
        "if test $(ls -d \"$TMPDIR\"/../../lop-* | wc -l) -gt 3; then until test -e '{lock}.asked'; do sleep 0.01; done; fi"
    );
    folder.script(
        "test.sh",
        &format!("mkdir '{lock}' || {{ touch '{lock}.asked'; exit 1; }}; {HEALTHY}; code=$?; {keep}; rmdir '{lock}'; exit $code"),
    );
    let ran = examined(&folder, &["-j4", TIMEOUT[0], TIMEOUT[1], "test.sh", "input.txt"]).expect_code(1);
    expect(&ran, "fault", "load");
}

#[test]
fn a_test_that_changes_its_mind_late_is_not_taken_for_one_that_others_disturb() {
    let folder = folder("");
    let count = folder.path("../count").display().to_string();
    // Runs 9 and 10 are the two at the same time, and those behind them are alone: 10 says no, and so does 11.
    let no = "test $n = 10 -o $n = 11 -o $n = 13 && exit 1";
    folder.script("test.sh", &format!("echo >> '{count}'; n=$(wc -l < '{count}'); {no}; {HEALTHY}"));
    let ran = examined(&folder, &["-j2", "test.sh", "input.txt"]).expect_code(1);
    expect(&ran, "fault", "repeated");
    assert_eq!(findings(&ran, "fault").len(), 1, "{ran:#?}");
}

/// Never the real one: a link stands in for it, which the test replaces by a file.
#[test]
fn a_test_that_destroys_dev_null_is_a_fault() {
    let folder = folder("");
    let null = folder.path("null");
    std::os::unix::fs::symlink("/dev/null", &null).expect("our own folder");
    let test = folder.script("test.sh", &format!("rm -f '{0}'; echo >'{0}'; {HEALTHY}", null.display()));
    let oracle = CommandOracle::test(&test, Path::new("input.txt"), Conditions::default()).expect("it is executable");
    let examination = Examination {
        oracle: &oracle,
        words: &[test.into()],
        path: &folder.path("input.txt"),
        content: b"bug\n",
        trivial_inputs: &TrivialInputs::default(),
        wanted: "exit code 0",
        jobs: 1,
        deadline: None,
        slots: SlotOptions::default(),
        null: &null,
    };
    let facts = examine(&examination, &Cancel::new(), &mut |_| {}).expect("it can be examined");
    assert_eq!(facts.null, Some((true, false)));
    let found = lop_doctor::findings(&facts);
    assert!(found.iter().any(|finding| (finding.check, finding.level) == ("/dev/null", Level::Fault)), "{found:#?}");
}

#[test]
fn a_test_that_is_no_command_ends_before_anything_is_run() {
    let folder = folder(HEALTHY);
    let ran = examined(&folder, &["missing.sh", "input.txt"]).expect_code(2);
    assert!(ran.stderr.contains("missing.sh"), "{}", ran.stderr);
    examined(&folder, &["input.txt"]).expect_code(2);
}

#[test]
fn a_test_that_changes_its_mind_is_not_said_to_depend_on_its_directory() {
    let folder = folder("");
    let count = folder.path("../count").display().to_string();
    // The fourth run, which is that in another directory, and every third after it say no.
    let script =
        format!("echo >> '{count}'; n=$(wc -l < '{count}'); test $((n % 3)) = 1 -a $n -gt 3 && exit 1; {HEALTHY}");
    folder.script("test.sh", &script);
    let ran = folder.lop(&["-j1", "-o", "out", "--no-state", "--max-tests", "20", "test.sh", "input.txt"]);
    assert!(ran.stderr.contains("the test is flaky"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("in another directory the input is not interesting"), "{}", ran.stderr);
}

#[test]
fn what_a_command_finds_here_only_is_made_absolute_and_examined() {
    let folder = folder(HEALTHY);
    folder.write("words", "bug\n");
    let ran = examined(&folder, &["-j1", "input.txt", "--", "grep", "-q", "-fwords", "@@"]).expect_code(0);
    expect(&ran, "note", "paths");
    let here = folder.path(".").canonicalize().expect("it is there");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.contains(&format!("-fwords -> -f{}/words", here.display())), "{said}");
    expect(&ran, "ok", "input");
}

#[test]
fn a_reduction_begins_with_a_checkup_of_two_runs() {
    let count = "../count";
    let folder = folder("");
    let path = folder.path(count).display().to_string();
    folder.script("test.sh", &format!("echo >> '{path}'; {HEALTHY}"));
    let honest = folder.lop(&["-vj1", "-o", "out", "test.sh", "input.txt"]).expect_code(0);
    assert!(honest.stderr.contains("check at the start: 2 more runs of the test"), "{}", honest.stderr);
    fs::remove_file(folder.path(count)).expect("our own file");
    folder.script("test.sh", &format!("echo >> '{path}'; case $PWD in *lop-elsewhere-*) exit 1;; esac; {HEALTHY}"));
    let runs = || {
        let runs = folder.read(count).len();
        fs::remove_file(folder.path(count)).expect("our own file");
        runs
    };
    let with = folder.lop(&["-vj1", "-o", "out", "test.sh", "input.txt"]).expect_code(0);
    let runs_with = runs();
    let without = folder.lop(&["-vj1", "-o", "out", "--no-checkup", "test.sh", "input.txt"]).expect_code(0);
    // Four more of both places: another answer may be chance.
    assert_eq!(runs_with, runs() + 10);
    assert!(with.stderr.contains("note: in another directory the input is not interesting"), "{}", with.stderr);
    assert!(with.stderr.contains("check at the start: 10 more runs of the test"), "{}", with.stderr);
    assert!(!without.stderr.contains("check at the start"), "{}", without.stderr);
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn checkup_runs_at_the_same_time_where_tests_do() {
    let folder = folder("");
    let met = folder.path("../met");
    // The run on a line break waits for the one in another directory.
    let waits = format!(
        "met='{}'; case $PWD in *lop-elsewhere-*) : > \"$met\";; esac; n=0; while [ \"$(wc -c < \"$1\")\" -eq 1 ] && ! [ -e \
         \"$met\" ]; do sleep 0.1; n=$((n + 1)); [ $n -lt 6000 ] || {{ : > \"$met.not\"; break; }}; done; {HEALTHY}",
        met.display()
    );
    folder.script("test.sh", &waits);
    let ran = folder.lop(&["-vj4", TIMEOUT[0], TIMEOUT[1], "-o", "out", "test.sh", "input.txt"]).expect_code(0);
    assert!(ran.stderr.contains("check at the start: 2 more runs of the test"), "{}", ran.stderr);
    assert!(met.exists() && !met.with_extension("not").exists(), "one waited for the other in vain");
}

#[test]
fn what_a_reduction_would_keep_is_found_shown_and_examined() {
    let folder = folder(HEALTHY);
    let test = "grep -q bug \"$1\" && { echo \"error: no bugs today\" >&2; exit 3; }; exit 0";
    let command = ["--", "sh", "-c", test, "sh", "@@"];
    let ran = examined(&folder, &[&["-j1", "input.txt"], &command[..]].concat()).expect_code(0);
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.contains("no condition given; keeping this failure of the command on input.txt:"), "{said}");
    assert!(said.contains("ended     exit code 3") && said.contains("condition stderr matching"), "{said}");
    assert!(
        said.contains("same as   lop doctor -j1 input.txt --stderr '^error: no bugs today' --only-errors '^error: no bugs today$' -- sh"),
        "{said}"
    );
    for check in ["input", "repeated", "empty file"] {
        expect(&ran, "ok", check);
    }
    // A run that ends with 3 is no crash.
    let ran = examined(&folder, &[&["--crash", "input.txt"], &command[..]].concat()).expect_code(1);
    assert!(ran.stderr.contains("the command does not crash on input.txt"), "{}", ran.stderr);
    // A command that has no failure to keep is taken as it is.
    let ran = examined(&folder, &["-j1", "input.txt", "--", "grep", "-q", "bug"]).expect_code(0);
    assert!(!String::from_utf8_lossy(&ran.stdout).contains("no condition"), "{ran:#?}");
}

#[test]
fn second_commands_are_examined_with_the_test() {
    let folder = folder(HEALTHY);
    let log = folder.path("../log");
    let second = |script: &str| {
        folder.script("second.sh", &format!("echo >> '{}'; grep -q here \"$1\" || exit 1; {script}", log.display()));
        let line = ["-j1", "--while-passing", "./second.sh @@", "input.txt", "--", "grep", "-q", "bug", "@@"];
        let ran = examined(&folder, &line);
        (ran, fs::read(&log).expect("the second command writes it").len())
    };
    let (ran, runs) = second("");
    let ran = ran.expect_code(0);
    // One run is about what is kept.
    assert!(runs > 1, "{ran:#?}");
    // A command that changes its mind after that run is found by the runs of the checks.
    fs::remove_file(&log).expect("our own file");
    let (ran, _) = second(&format!("test $(wc -l < '{}') -lt 2", log.display()));
    expect(&ran.expect_code(1), "fault", "input");
    let open = ["--while-passing", "no-such-command-anywhere @@", "input.txt", "--", "grep", "-q", "bug"];
    assert!(examined(&folder, &open).expect_code(2).stderr.contains("no-such-command-anywhere"));
}
