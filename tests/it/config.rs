//! Options from files: what counts, what is shown, and what is refused.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};

use crate::support::{Folder, Ran, finish, missing};

/// Runs lop with a home of its own.
fn at_home(folder: &Folder, arguments: &[&str]) -> Ran {
    finish(folder.command(arguments).env("HOME", folder.path("home")).spawn().expect("lop can be started"))
}

/// A project below a home, both with a file.
fn prepared(project: &str, user: &str) -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("home/.config/lop")).expect("a new folder");
    folder.write("home/.config/lop/lop.toml", user);
    folder.write("lop.toml", project);
    folder.write("case.txt", "one\nneedle\ntwo\n");
    folder.script("test.sh", "grep -q needle case.txt");
    folder
}

/// The line of an option in what `lop config` shows, with single blanks.
fn shown(folder: &Folder, arguments: &[&str], option: &str) -> String {
    let ran = at_home(folder, &[&["config"], arguments].concat()).expect_code(0);
    let text = String::from_utf8(ran.stdout).expect("plain");
    let here = folder.path(".").canonicalize().expect("our own folder").display().to_string();
    let line = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut line = line.filter(|line| line.starts_with(&format!("{option} ")));
    let line = line.next_back();
    line.unwrap_or_else(|| panic!("{option}: {text}"))
        .replace(&here, "HERE")
        .replace(&folder.path("").display().to_string(), "HERE/")
}

#[test]
fn each_place_counts_for_more_than_the_next() {
    let folder = prepared(
        "jobs = 2\nformat = \"compact\"\nskip = [\"rename\"]\nquiet = false\n",
        "# mine\njobs = 3\ntimeout = 7\nskip = [\"pairs\", \"lift\"]\nquiet = true\n",
    );
    for (option, expected) in [
        ("jobs", "jobs 2 HERE/lop.toml:1"),
        ("format", "format compact HERE/lop.toml:2"),
        ("skip", "skip rename HERE/lop.toml:3"),
        ("quiet", "quiet false HERE/lop.toml:4"),
        ("timeout", "timeout 7 HERE/home/.config/lop/lop.toml:3"),
        ("prefer", "prefer tokens default"),
        ("max-tests", "max-tests - default"),
        ("fast", "fast false default"),
        ("project", "project HERE/lop.toml"),
    ] {
        assert_eq!(shown(&folder, &[], option), expected);
    }
    let typed = ["-j", "5", "--skip", "forward", "--skip=minimal", "case.txt"];
    assert_eq!(shown(&folder, &typed, "jobs"), "jobs 5 command line");
    assert_eq!(shown(&folder, &typed, "skip"), "skip forward, minimal command line");
    assert_eq!(shown(&folder, &["--no-config"], "jobs"), "jobs - default");
}

#[test]
fn what_is_typed_drops_what_it_excludes() {
    let folder = prepared("thorough = true\nquiet = true\n", "");
    assert_eq!(shown(&folder, &["--fast", "-v"], "thorough"), "thorough false default");
    at_home(&folder, &["--fast", "-v", "test.sh", "case.txt"]).expect_code(0);
    let folder = prepared("thorough = true\n", "fast = true\n");
    assert_eq!(shown(&folder, &[], "fast"), "fast false default");
}

#[test]
fn a_reduction_takes_its_options_from_there_and_says_so() {
    let folder = prepared("max-tests = 1\nallow-flaky = true\n", "");
    let ran = at_home(&folder, &["test.sh", "case.txt"]).expect_code(3);
    assert!(ran.stderr.contains("note: max-tests, allow-flaky from "), "{}", ran.stderr);
    // The journal has the options of its run: the file may change.
    folder.write("lop.toml", "jobs = \"wrong\"\n");
    at_home(&folder, &["resume", "case.txt.lop"]).expect_code(0);
    assert_eq!(folder.read("case.txt"), b"needle");
}

#[test]
fn no_project_reaches_beyond_its_repository_or_the_home() {
    let folder = prepared("", "jobs = 3\n");
    folder.write("lop.toml", "jobs = 2\n");
    let from = |name: &str, arguments: &[&str]| {
        let mut command = folder.command(arguments);
        command.current_dir(folder.path(name)).env("HOME", folder.path("home"));
        let ran = finish(command.spawn().expect("lop can be started")).expect_code(0);
        let text = String::from_utf8(ran.stdout).expect("plain");
        text.lines().find(|line| line.trim_start().starts_with("jobs ")).expect("it is an option").to_owned()
    };
    for name in ["plain/deep", "repository/deep", "home/deep"] {
        fs::create_dir_all(folder.path(name)).expect("a new folder");
    }
    fs::create_dir(folder.path("repository/.git")).expect("a new folder");
    assert!(from("plain/deep", &["config"]).contains(" 2 "));
    assert!(from("repository/deep", &["config"]).contains(" 3 "));
    assert!(from("home/deep", &["config"]).contains(" 3 "));
}

/// A reduction does not begin, and says why.
#[track_caller]
fn refused(folder: &Folder, why: &[&str]) {
    let ran = at_home(folder, &["test.sh", "case.txt"]).expect_code(2);
    for words in why {
        assert!(ran.stderr.contains(words), "no {words:?} in {}", ran.stderr);
    }
}

#[test]
fn what_is_wrong_in_a_file_stops_the_run_with_its_line_and_the_way_out() {
    let folder = prepared("# all of it\njbos = 4\n", "");
    refused(&folder, &["lop.toml:2: unknown option jbos", "hint: jobs is an option"]);
    // A stranger's project does not bring a machine down.
    folder.write("lop.toml", "jobs = 1000000\n");
    refused(&folder, &["lop.toml:1: ", "can run at the same time on this machine"]);
    at_home(&folder, &["--no-config", "test.sh", "case.txt"]).expect_code(0);
}

#[test]
fn two_entries_that_exclude_each_other_are_named_with_their_lines() {
    let folder = prepared("# mine\nfast = true\njobs = 2\nthorough = true\n", "");
    let wrong = "lop.toml:4: thorough conflicts with fast in line 2";
    refused(&folder, &[wrong, "hint: remove one of the two lines"]);
    // A typed option decides.
    at_home(&folder, &["--fast", "test.sh", "case.txt"]).expect_code(0);
    // Neither is an option of this one.
    at_home(&folder, &["doctor", "test.sh", "case.txt"]).expect_code(0);
}

#[test]
fn the_doctor_and_the_verification_take_what_they_know_of_it() {
    let folder = prepared("jobs = \"auto\"\nexit-code = [3]\nfast = true\nformat = \"compact\"\n", "timeout = 50\n");
    let ran = at_home(&folder, &["doctor", "test.sh", "case.txt"]).expect_code(1);
    assert!(ran.stderr.contains("note: jobs, exit-code, timeout from "), "{}", ran.stderr);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("expected exit code 3"), "{ran:#?}");
    at_home(&folder, &["doctor", "--exit-code", "0", "test.sh", "case.txt"]).expect_code(0);
    at_home(&folder, &["doctor", "--no-config", "test.sh", "case.txt"]).expect_code(0);
    at_home(&folder, &["--no-config", "test.sh", "case.txt"]).expect_code(0);
    let ran = at_home(&folder, &["verify", "case.txt"]).expect_code(0);
    assert!(ran.stderr.contains("note: jobs, exit-code, timeout from "), "{}", ran.stderr);
    for (reader, expected) in
        [("lop doctor:", "at, color, crash, exit-code"), ("lop verify:", "at, color, confirm, crash, exit-code")]
    {
        assert_eq!(shown(&folder, &[], reader.trim_end_matches(' ')).find(expected), Some(reader.len() + 1));
    }
}

#[test]
fn a_path_may_begin_at_home() {
    let folder = prepared("", "cache = \"~/outcomes\"\n");
    at_home(&folder, &["test.sh", "case.txt"]).expect_code(0);
    assert!(folder.path("home/outcomes").is_dir(), "{:?}", folder.names());
    let folder = prepared("", "cache = \"~you/outcomes\"\n");
    refused(&folder, &["lop.toml:1: cache begins with ~NAME"]);
}

#[test]
fn what_runs_or_writes_something_or_takes_memory_does_not_count_in_a_projects_file() {
    for line in ["cache = \"shared\"", "isolate = \"none\"", "max-parse = \"1G\"", "yes = true"] {
        let folder = prepared(&format!("# all of it\n{line}\n"), "");
        let name = line.split(' ').next().expect("a name");
        let why = format!("lop.toml:2: {name} cannot be set in a project's lop.toml");
        refused(&folder, &[&why, "hint: set it in your own file, ", "/home/.config/lop/lop.toml"]);
        at_home(&folder, &["config"]).expect_code(2);
        at_home(&folder, &["verify", "case.txt"]).expect_code(2);
        let folder = prepared("", &format!("{line}\n"));
        at_home(&folder, &["test.sh", "case.txt"]).expect_code(0);
    }
    let folder = prepared("rules = \"link\"\n", "");
    symlink("/etc", folder.path("link")).expect("a link");
    refused(&folder, &["lop.toml:1: rules points outside the project"]);
    // However deep the link is.
    let folder = prepared("with = [\"data\"]\n", "");
    fs::create_dir_all(folder.path("data/deep")).expect("a new folder");
    folder.write("data/deep/own", "");
    symlink("own", folder.path("data/deep/inside")).expect("a link");
    at_home(&folder, &["test.sh", "case.txt"]).expect_code(0);
    let folder = prepared("with = [\"data\"]\n", "");
    fs::create_dir_all(folder.path("data/deep")).expect("a new folder");
    folder.write("data/deep/own", "");
    symlink("/etc", folder.path("data/deep/outside")).expect("a link");
    refused(&folder, &["lop.toml:1: with points outside the project"]);
}

#[test]
fn a_project_cannot_be_silent_about_its_options() {
    let folder = prepared("quiet = true\nallow-flaky = true\n", "");
    let ran = at_home(&folder, &["test.sh", "case.txt"]).expect_code(0);
    assert!(ran.stderr.contains("note: quiet, allow-flaky from "), "{}", ran.stderr);
    let folder = prepared("allow-flaky = true\n", "quiet = true\n");
    assert_eq!(at_home(&folder, &["test.sh", "case.txt"]).expect_code(0).stderr, "");
    let folder = prepared("quiet = true\n", "");
    assert_eq!(at_home(&folder, &["-q", "test.sh", "case.txt"]).expect_code(0).stderr, "");
}

/// A reduction without the file of the project, which is named.
#[track_caller]
fn left_out(folder: &Folder) {
    let ran = at_home(folder, &["-o", "out", "test.sh", "case.txt"]).expect_code(0);
    assert!(ran.stderr.contains("lop.toml: other users may have written it"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("max-tests from"), "{}", ran.stderr);
}

#[test]
fn a_file_that_others_may_change_or_move_there_is_left_out() {
    let open = |folder: &Folder, path: &str, mode| {
        fs::set_permissions(folder.path(path), fs::Permissions::from_mode(mode)).expect("our own file");
    };
    let folder = prepared("max-tests = 1\n", "");
    open(&folder, "lop.toml", 0o666);
    left_out(&folder);
    // In a folder like /tmp the user's own file counts, and nothing that leads to it.
    let folder = prepared("max-tests = 1\n", "");
    open(&folder, ".", 0o1777);
    at_home(&folder, &["-o", "out", "test.sh", "case.txt"]).expect_code(3);
    let folder = prepared("", "");
    folder.write("mine.toml", "max-tests = 1\n");
    fs::remove_file(folder.path("lop.toml")).expect("our own file");
    symlink("mine.toml", folder.path("lop.toml")).expect("a link");
    open(&folder, ".", 0o1777);
    left_out(&folder);
    open(&folder, ".", 0o755);
    at_home(&folder, &["-o", "out", "test.sh", "case.txt"]).expect_code(3);
    fs::remove_file(folder.path("lop.toml")).expect("our own link");
    fs::hard_link(folder.path("mine.toml"), folder.path("lop.toml")).expect("a link");
    open(&folder, ".", 0o1777);
    left_out(&folder);
}

#[test]
fn a_file_of_another_user_is_left_out() {
    if !rustix::process::geteuid().is_root() {
        return missing("only root can give files away");
    }
    let folder = prepared("max-tests = 1\n", "");
    chown(folder.path("lop.toml"), Some(65534), None).expect("root may do so");
    left_out(&folder);
    let folder = prepared("", "");
    folder.write("theirs.toml", "max-tests = 1\n");
    chown(folder.path("theirs.toml"), Some(65534), None).expect("root may do so");
    fs::remove_file(folder.path("lop.toml")).expect("our own file");
    symlink("theirs.toml", folder.path("lop.toml")).expect("a link");
    left_out(&folder);
}
