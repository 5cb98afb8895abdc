//! What a command does where the user stands is what is reduced: relative paths, things beside the file, and commands
//! that write.

use std::fs;
use std::os::unix::fs::symlink;

use crate::confine::is_possible;
use crate::support::{Folder, Ran, has, has_guard};

/// A compiler says of it that there is no such member, if it finds the header.
const CASE: &str = "#include <api.h>\nint unused(void) { return 4; }\nint depth(struct node *n) { return n->depth; }\n";
const HEADER: &str = "struct node { int kind; };\n";

/// A test as a shell's: with what is before it, it says what it found and ends with 3.
fn complains(before: &str) -> String {
    format!(
        "{before} || {{ echo 'error: nothing to work with' >&2; exit 4; }}\ngrep -q bug \"$1\" || exit 0\necho 'error: bug found' >&2\nexit 3"
    )
}

fn folder() -> Folder {
    let folder = Folder::new();
    for name in ["src", "include", "out"] {
        fs::create_dir(folder.path(name)).expect("our own folder");
    }
    folder.write("src/case.c", CASE);
    folder.write("include/api.h", HEADER);
    folder.write("src/case.txt", "some\nbug\nhere\n");
    folder.write("case.txt", "some\nbug\nhere\n");
    folder
}

/// A reduction without a journal, one test at a time.
fn lop(folder: &Folder, line: &[&str]) -> Ran {
    folder.lop(&[&["-j1", "--no-state", "-o", "small"], line].concat())
}

/// The start of one: what is kept is settled before the first test.
#[track_caller]
fn begun(folder: &Folder, line: &[&str]) -> Ran {
    lop(folder, &[&["--max-tests", "3", "--no-checkup"], line].concat()).expect_code(3)
}

#[track_caller]
fn says(ran: &Ran, words: &[&str]) {
    for word in words {
        assert!(ran.stderr.contains(word), "{word} is missing in\n{}", ran.stderr);
    }
}

fn here(folder: &Folder) -> String {
    folder.path(".").canonicalize().expect("it is there").display().to_string()
}

/// Every file below the folder, and its content.
fn everything(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let mut rest = vec![folder.path(".")];
    let mut found = Vec::new();
    while let Some(directory) = rest.pop() {
        for entry in fs::read_dir(directory).expect("our own folder") {
            let path = entry.expect("our own folder").path();
            if path.is_dir() {
                rest.push(path);
            } else {
                found.push((path.display().to_string(), fs::read(&path).expect("our own file")));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_compilers_relative_directories_are_those_of_the_user() {
    let folder = folder();
    for option in [&["-I", "include"][..], &["-isystem", "include"], &["-Wall", "-I./include/"]] {
        let ran = begun(&folder, &[&["src/case.c", "--", "gcc"], option, &["-c", "@@"]].concat());
        says(&ran, &["has no member named", "relative paths lead nowhere", &format!("{}/include", here(&folder))]);
    }
    let ran = lop(&folder, &["src/case.c", "--", "gcc", "-Iinclude", "-c", "@@"]).expect_code(0);
    says(&ran, &["has no member named"]);
    let result = String::from_utf8(folder.read("small")).expect("plain");
    assert!(result.contains("struct node") && !result.contains("unused"), "{result}");
}

#[test]
fn words_of_any_command_are_made_absolute_where_that_is_what_is_missing() {
    let folder = folder();
    folder.write("check.sh", complains("true"));
    folder.script("run.sh", &complains("true"));
    folder.write("x.toml", "bug\n");
    folder.write("args.rsp", "x.toml\n");
    folder.write("with_option.sh", complains("test -f \"${2#*=}\""));
    let own = folder.path("with_option.sh").display().to_string();
    for (line, change) in [
        (vec!["sh", "check.sh", "@@"], "check.sh -> HERE/check.sh"),
        (vec!["sh", &own, "@@", "--config=x.toml"], "--config=x.toml -> --config=HERE/x.toml"),
        (vec!["sh", &own, "@@", "x.toml"], "x.toml -> HERE/x.toml"),
        (vec!["./run.sh", "@@"], ""),
    ] {
        let ran = lop(&folder, &[&["case.txt", "--"], &line[..]].concat()).expect_code(0);
        says(&ran, &["signature stderr matching /^error: bug found/", &change.replace("HERE", &here(&folder))]);
        assert_eq!(ran.stderr.contains("relative paths"), !change.is_empty(), "{}", ran.stderr);
        assert!(String::from_utf8_lossy(&folder.read("small")).contains("bug"), "{line:?}");
    }
}

#[test]
fn other_languages_tools_find_what_they_name() {
    if !["make", "node", "python3"].iter().all(|tool| has(tool)) {
        return;
    }
    let folder = folder();
    folder.write("checker.py", "import sys\nif 'bug' in open(sys.argv[1]).read(): sys.exit('error: bug found')\n");
    folder.write(
        "hook.js",
        "if (require('fs').readFileSync(process.argv[1], 'utf8').includes('bug')) { console.error('error: bug found'); process.exit(1); }\n",
    );
    folder
        .write("Makefile.t", "%.txt: FORCE\n\t@! grep -q bug $@ || { echo 'error: bug found' >&2; exit 1; }\nFORCE:\n");
    folder.write("code.js", "a();\nbug();\n");
    let ran = begun(&folder, &["case.txt", "--", "make", "-s", "-f", "Makefile.t", "@@"]);
    says(&ran, &["Makefile.t -> ", "error: bug found"]);
    // A module is no word that could be made absolute.
    let line = ["case.txt", "--", "python3", "-m", "checker", "@@"];
    let ran = lop(&folder, &line).expect_code(2);
    says(&ran, &["case.txt --with checker.py -- python3 -m checker @@"]);
    lop(&folder, &[&["--with", "checker.py"], &line[..]].concat()).expect_code(0);
    assert!(String::from_utf8_lossy(&folder.read("small")).contains("bug"));
    if !has("node") {
        return;
    }
    let ran = begun(&folder, &["code.js", "--", "node", "--require", "./hook.js", "@@"]);
    says(&ran, &["./hook.js -> ", "error: bug found"]);
}

#[test]
fn what_is_missing_beside_the_file_is_named_with_the_line_that_works() {
    let folder = folder();
    folder.write("src/beside.h", "#include \"deeper.h\"\n");
    folder.write("src/deeper.h", HEADER);
    folder.write("src/unused.h", HEADER);
    folder.write("src/case.c", CASE.replace("<api.h>", "\"beside.h\""));
    let before = everything(&folder);
    let ran = lop(&folder, &["src/case.c", "--", "gcc", "-c", "@@"]).expect_code(2);
    says(
        &ran,
        &[
            "error: the test does not do on src/case.c in a directory of its own what it does here",
            "has no member named",
            "beside.h: No such file or directory",
            "src/case.c --with src/beside.h --with src/deeper.h -- gcc -c @@\n",
        ],
    );
    assert_eq!(everything(&folder), before);
    let with = ["--with", "src/beside.h", "--with", "src/deeper.h"];
    let ran = begun(&folder, &[&with, &["src/case.c", "--", "gcc", "-c", "@@"][..]].concat());
    says(&ran, &["has no member named"]);
    // Words and things together.
    folder.write("src/deeper.h", "#include <api.h>\n");
    let ran = lop(&folder, &["src/case.c", "--", "gcc", "-Iinclude", "-c", "@@"]).expect_code(2);
    says(&ran, &[&format!("--with src/deeper.h -- gcc -I{}/include -c @@\n", here(&folder))]);
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn what_is_named_nowhere_is_found_by_trying() {
    let folder = folder();
    folder.script("../tool", &complains("test -e .toolrc"));
    let tool = folder.path("../tool").canonicalize().expect("it is there");
    folder.write(".toolrc", "x");
    let ran = lop(&folder, &["case.txt", "--", tool.to_str().expect("plain"), "@@"]).expect_code(2);
    says(&ran, &["here    exit code 3: error: bug found", "there   exit code 4: error: nothing to work with"]);
    says(&ran, &["case.txt --with .toolrc -- "]);
}

#[test]
fn a_difference_that_nothing_mends_is_shown_and_nothing_is_reduced() {
    let folder = folder();
    folder.write("../sibling", "x");
    let script = complains("test -e ../sibling");
    let ran = lop(&folder, &["case.txt", "--", "sh", "-c", &script, "sh", "@@"]).expect_code(2);
    says(&ran, &["here    exit code 3: error: bug found", "there   exit code 4", "with --with PATH"]);
    let ran = lop(&folder, &["src/case.c", "--", "gcc", "-Iinclude", "-c", "src/case.c"]).expect_code(2);
    says(&ran, &["`src/case.c` names the file itself", "write @@ where the candidate's path belongs"]);
    assert!(!folder.path("small").exists());
}

#[test]
fn a_command_that_writes_changes_nothing_of_the_users() {
    let folder = folder();
    folder.write("notes", "mine\n");
    folder.write("out/log", "mine\n");
    let path = folder.path("src/case.txt").canonicalize().expect("it is there");
    let path = path.to_str().expect("plain");
    let script = "grep -q bug \"$1\" || exit 0; sed -i s/some/other/ \"$1\"; echo x > out/new; echo x > out/log; \
                  echo x >> notes; echo x > \"$1.out\"; exit 3";
    let compiled = ["src/case.c", "--", "gcc", "-Iinclude", "-c", "@@", "-o", "out/case.o"];
    let before = everything(&folder);
    for file in ["src/case.txt", path] {
        for conditions in [&[][..], &["--exit-code", "3"]] {
            let line = [conditions, &[file, "--", "sh", "-c", script, "sh", "@@"]].concat();
            lop(&folder, &line);
            let _ = fs::remove_file(folder.path("small"));
            assert_eq!(everything(&folder), before, "{line:?}");
        }
    }
    lop(&folder, &compiled);
    begun(&folder, &["src/case.c", "--", "gcc", "-Iinclude", "-c", "@@"]);
    let _ = fs::remove_file(folder.path("small"));
    assert_eq!(everything(&folder), before);
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn the_file_may_be_anywhere_and_named_in_any_way() {
    let folder = folder();
    let elsewhere = Folder::new();
    elsewhere.write("case.c", CASE);
    let far = elsewhere.path("case.c").display().to_string();
    let near = folder.path("src/case.c").display().to_string();
    symlink("src", folder.path("link")).expect("our own folder");
    fs::create_dir(folder.path("a folder")).expect("our own folder");
    folder.write("a folder/c'ase.c", CASE);
    for file in [far.as_str(), &near, "link/case.c", "./src/../src/case.c", "a folder/c'ase.c"] {
        let ran = begun(&folder, &[file, "--", "gcc", "-Iinclude", "-c", "@@"]);
        says(&ran, &["has no member named", "-Iinclude -> "]);
    }
    // From below, with the way up.
    let ran = {
        let mut command = folder.command(&[
            "-j1",
            "--no-state",
            "--max-tests",
            "3",
            "-o",
            "../small",
            "case.c",
            "--",
            "gcc",
            "-I../include",
            "-c",
            "@@",
        ]);
        command.current_dir(folder.path("src"));
        crate::support::finish(command.spawn().expect("lop can be started")).expect_code(3)
    };
    says(&ran, &["has no member named", "-I../include -> "]);
    // From above, where tests are run below, and from the very top, where what the kernel shows as files is, too.
    let top = folder.path(".").canonicalize().expect("it is there");
    let small = folder.path("small").display().to_string();
    for (from, include) in [
        (top.join(".."), "-Iwork/include".to_owned()),
        ("/".into(), format!("-I{}", &top.join("include").display().to_string()[1..])),
    ] {
        let mut command = folder.command(&[
            "-j1",
            "--no-state",
            "--max-tests",
            "3",
            "-o",
            &small,
            &near,
            "--",
            "gcc",
            &include,
            "-c",
            "@@",
        ]);
        command.current_dir(&from);
        let ran = crate::support::finish(command.spawn().expect("lop can be started"));
        says(&ran, &["has no member named", &format!("{include} -> ")]);
    }
}

#[test]
fn the_words_that_were_made_absolute_are_those_of_the_journal_and_the_certificate() {
    let folder = folder();
    let line = ["src/case.c", "-j1", "-o", "small", "--max-tests", "4", "--", "gcc", "-Iinclude", "-c", "@@"];
    let ran = folder.lop(&line).expect_code(3);
    says(&ran, &[&format!("-- gcc -I{}/include -c @@", here(&folder))]);
    let ran = folder.lop(&["resume", "small.lop"]).expect_code(0);
    assert!(!ran.stderr.contains("relative paths"), "it was settled when the run began\n{}", ran.stderr);
    let verified = Folder::new();
    let result = folder.path("small").display().to_string();
    let ran = verified.lop(&["verify", "--yes", &result]).expect_code(0);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("is interesting"), "{ran:?}");
    // Later something is missing that was there.
    fs::rename(folder.path("include"), folder.path("gone")).expect("our own folder");
    verified.lop(&["verify", "--yes", &result]).expect_code(1);
}

#[test]
fn with_a_condition_it_is_the_condition_that_has_to_hold_in_both_places() {
    let folder = folder();
    let command = ["--", "gcc", "-Iinclude", "-c", "@@"];
    let ran = begun(&folder, &[&["src/case.c", "--stderr", "no member"], &command[..]].concat());
    says(&ran, &["-Iinclude -> "]);
    // Any failure would do, but it is to be that of the user.
    let ran = lop(&folder, &[&["src/case.c", "--exit-code", "1"], &command[..]].concat());
    says(&ran, &["-Iinclude -> "]);
    let ran = begun(&folder, &[&["-q", "src/case.c", "--stderr", "no member"], &command[..]].concat());
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_script_that_refuses_its_input_only_in_its_own_directory_says_what_it_misses() {
    let folder = folder();
    folder.write("words", "bug\n");
    folder.script("test.sh", "grep -q -f words \"$1\"");
    let ran = lop(&folder, &["./test.sh", "case.txt"]).expect_code(1);
    says(&ran, &["case.txt is not interesting: its own test says no", "./test.sh case.txt --with words\n"]);
    begun(&folder, &["--with", "words", "./test.sh", "case.txt"]);
    // Where nothing mends it, the hint is one for scripts: `@@` means nothing there.
    fs::write(folder.path("../words"), "bug\n").expect("our own folder");
    folder.script("test.sh", "grep -q -f ../words \"$1\"");
    let ran = lop(&folder, &["./test.sh", "case.txt"]).expect_code(1);
    says(&ran, &["it finds only the candidate there: name other files by absolute paths"]);
    assert!(!ran.stderr.contains("@@"), "{}", ran.stderr);
    // One that says no everywhere misses nothing.
    folder.script("test.sh", "exit 1");
    let ran = lop(&folder, &["./test.sh", "case.txt"]).expect_code(1);
    assert!(!ran.stderr.contains("--with"), "{}", ran.stderr);
}

#[test]
fn a_second_command_is_compared_as_well() {
    let folder = folder();
    folder.write("case.c", CASE.replace("n->depth", "n->kind"));
    let line = |options: &str| {
        ["--while-passing", options, "case.c", "--stdout", "unused", "--", "grep", "unused", "@@"].map(str::to_owned)
    };
    let run = |options: &str| {
        let line = line(options);
        lop(&folder, &line.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let ran = run("gcc -Iinclude -fsyntax-only @@").expect_code(2);
    let better = format!("gcc -I{}/include -fsyntax-only @@", here(&folder));
    says(&ran, &["of --while-passing does not do in a directory of its own", &better]);
    run(&better).expect_code(0);
    assert!(String::from_utf8_lossy(&folder.read("small")).contains("unused"));
}

#[test]
fn how_the_file_is_named_in_a_message_is_no_difference() {
    let folder = folder();
    folder.write("src/case.x", "use strict;\nmy $x = ;\n");
    for file in ["src/case.x", "./src/case.x"] {
        for message in ["syntax error at $1 line 2, near", "$1:2: bad", "cannot cope with $1"] {
            let script = format!("grep -q strict \"$1\" || exit 0; echo \"{message}\" >&2; exit 3");
            let ran = begun(&folder, &["--yes", file, "--", "sh", "-c", &script, "sh", "@@"]);
            assert!(!ran.stderr.contains("of its own"), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_command_that_changes_its_mind_later_is_flaky_as_well() {
    let folder = folder();
    let count = folder.path("../tmp/count").display().to_string();
    // Here and there it ends alike, and when its failure is looked at for the second time it does not.
    let script = format!("echo x >> '{count}'; test $(wc -l < '{count}') = 4 && exit 0; echo error: bad >&2; exit 3");
    let line = ["case.txt", "--", "sh", "-c", &script];
    let ran = lop(&folder, &line).expect_code(4);
    says(&ran, &["the test is flaky", "first   exit code 3", "other   exit code 0", "--allow-flaky"]);
}

#[test]
fn a_command_that_changes_its_mind_misses_nothing_but_is_flaky() {
    let folder = folder();
    let count = folder.path("../tmp/count").display().to_string();
    let script = format!("echo x >> '{count}'; test $(($(wc -l < '{count}') % 2)) = 1 && exit 0; exit 3");
    let line = ["case.txt", "--", "sh", "-c", &script];
    let ran = lop(&folder, &line).expect_code(4);
    says(
        &ran,
        &["the test is flaky: of 5 runs on case.txt", "first   exit code 0", "other   exit code 3", "--allow-flaky"],
    );
    let ran = lop(&folder, &[&["--allow-flaky"], &line[..]].concat());
    assert_ne!(ran.code, Some(4), "{}", ran.stderr);
}

/// What a command may harm that is not copied: a directory with thousands of files, a large file, and a neighbour.
const LARGE: usize = 2 << 20;
const MANY: usize = 4_100;

fn vulnerable() -> Folder {
    let folder = folder();
    fs::create_dir(folder.path("build")).expect("our own folder");
    (0..MANY).for_each(|number| drop(folder.write(&format!("build/{number}"), "")));
    folder.write("large", vec![b'a'; LARGE]);
    folder.write("../sibling", "mine\n");
    folder
}

/// The harm, as a user's command would do it; it goes on when it must not.
const HARMS: [&str; 6] = [
    "rm -rf build/*",
    "sed -i --follow-symlinks s/a/b/ large",
    "echo more >> large; truncate -s 0 large",
    "cd build && touch new && mv 17 18; rmdir ../build",
    "echo changed > ../sibling; rm -f ../sibling; touch ../new",
    "for link in build large ../sibling; do real=$(readlink -f $link); rm -rf $real/*; echo x > $real; done",
];

#[track_caller]
fn is_unharmed(folder: &Folder, harm: &str) {
    assert_eq!(fs::read_dir(folder.path("build")).expect("our own folder").count(), MANY, "{harm}");
    assert!(folder.read("large") == vec![b'a'; LARGE], "{harm}");
    assert_eq!(folder.read("../sibling"), b"mine\n", "{harm}");
    assert!(!folder.path("../new").exists(), "{harm}");
}

/// Compares a command that does harm, with these options. It misses something, so that nothing is run but what is compared.
#[track_caller]
fn does_no_harm(folder: &Folder, harm: &str, options: &[&str]) {
    let script = format!("({harm}) 2>/dev/null; {}", complains("test -e config"));
    folder.write("config", "x");
    let ran = lop(folder, &[options, &["case.txt", "--", "sh", "-c", &script, "sh", "@@"]].concat());
    is_unharmed(folder, harm);
    says(&ran.expect_code(2), &["here    exit code 3: error: bug found", "case.txt --with config -- sh -c"]);
}

/// Whether commands can be isolated in this way here.
fn can_isolate(folder: &Folder, how: &str, program: &str) -> bool {
    let ran = lop(folder, &["--isolate", how, "case.txt", "--exit-code", "0", "--", "grep", "bug", "@@"]);
    is_possible(&ran, program)
}

#[test]
fn what_could_not_be_copied_stays_as_it_is() {
    if !has_guard() {
        return;
    }
    let folder = vulnerable();
    for harm in HARMS {
        does_no_harm(&folder, harm, &[]);
    }
    does_no_harm(&folder, HARMS[1], &["--cpu-limit", "9"]);
    // Whoever names the whole path is kept from it as well.
    let here = here(&folder);
    let harm =
        format!("rm -rf {here}/build {here}/large {here}/../sibling; echo x > {here}/case.txt; touch {here}/../new");
    does_no_harm(&folder, &harm, &[]);
    assert_eq!(folder.read("case.txt"), b"some\nbug\nhere\n");
    if can_isolate(&folder, "pidns", "unshare") {
        does_no_harm(&folder, &harm, &["--isolate", "pidns"]);
        does_no_harm(&folder, HARMS[0], &["--isolate", "pidns", "--cpu-limit", "9", "--clean-env"]);
    }
}

#[test]
fn in_a_box_what_could_not_be_copied_stays_as_it_is() {
    let folder = vulnerable();
    if can_isolate(&folder, "bwrap", "bwrap") {
        HARMS.iter().for_each(|harm| does_no_harm(&folder, harm, &["--isolate", "bwrap"]));
    }
}

#[test]
fn a_second_command_and_a_script_and_the_doctor_do_no_harm_either() {
    if !has_guard() {
        return;
    }
    let folder = vulnerable();
    let second = format!("sh -c '{}; exit 0'", HARMS[0]);
    begun(&folder, &["--while-passing", &second, "case.txt", "--stdout", "bug", "--", "grep", "bug", "@@"]);
    is_unharmed(&folder, "a second command");
    folder.write("words", "bug\n");
    folder.script("test.sh", "rm -rf build/*; echo x > large; grep -q -f words \"$1\"");
    let ran = lop(&folder, &["./test.sh", "case.txt"]).expect_code(1);
    says(&ran, &["./test.sh case.txt --with words\n"]);
    is_unharmed(&folder, "a script");
    let ran = folder.lop(&["doctor", "./test.sh", "case.txt"]);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("--with words"), "{ran:?}");
    let line =
        ["doctor", "case.txt", "--", "sh", "-c", "rm -rf build/*; echo x > large; grep -f words \"$1\"", "sh", "@@"];
    let ran = folder.lop(&line);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("--with words"), "{ran:?}");
    is_unharmed(&folder, "the doctor");
}

#[test]
fn a_command_that_needs_temporary_files_and_devices_has_them_and_what_it_misses_is_found() {
    let folder = vulnerable();
    folder.write("config", "x");
    let outer = folder.path("../tmp/of a user's");
    let needs = "f=$(mktemp) && echo x > \"$f\" && mkdir \"$TMPDIR/d\" && mv \"$f\" \"$TMPDIR/d/g\" && ln \"$TMPDIR/d/g\" here \
                 && echo x > /dev/null && echo x > \"$0\" && rm \"$0\" \
                 || { echo 'error: no place to write to' >&2; exit 9; }";
    let script = format!("{needs}; {}", complains("test -e config"));
    let outer = outer.to_str().expect("plain");
    let ran = lop(&folder, &["case.txt", "--", "sh", "-c", &script, outer, "@@"]).expect_code(2);
    says(&ran, &["here    exit code 3: error: bug found", "there   exit code 4", "case.txt --with config -- sh -c"]);
    is_unharmed(&folder, "nothing");
    assert_eq!(folder.temporaries(), [""; 0]);
}

/// Runs something where the kernel has no more guards to give: a process can take so many upon itself and no more.
#[cfg(target_os = "linux")]
fn without_guard(run: impl FnOnce() + Send) {
    use landlock::{
        AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, path_beneath_rules,
    };

    /// More than any kernel gives.
    const MOST: usize = 64;
    // One that takes nothing away.
    let take = || {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::Refer)?
            .create()?
            .add_rules(path_beneath_rules(["/"], AccessFs::Refer))?
            .restrict_self()
            .map(drop)
    };
    std::thread::scope(|scope| {
        let run = || {
            let refused: Option<RulesetError> = (0..MOST).find_map(|_| take().err());
            if refused.is_some() {
                run();
            } else {
                crate::support::missing("there is no end of guards");
            }
        };
        std::thread::Builder::new()
            .name(std::thread::current().name().unwrap_or_default().to_owned())
            .spawn_scoped(scope, run)
            .expect("a thread")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

#[test]
#[cfg(target_os = "linux")]
fn where_nothing_guards_only_what_is_copied_as_a_whole_is_compared() {
    without_guard(|| {
        let folder = folder();
        let script = "echo x > notes; rm -f src/case.txt; test -e config || exit 4; echo error: bad >&2; exit 3";
        let line = ["case.txt", "--", "sh", "-c", script];
        folder.write("config", "x");
        folder.write("notes", "mine\n");
        let before = everything(&folder);
        let ran = lop(&folder, &line).expect_code(2);
        says(&ran, &["here    exit code 3: error: bad", "case.txt --with config -- sh"]);
        assert_eq!(everything(&folder), before);
        folder.write("large", vec![b'a'; LARGE]);
        let harm = "echo x > large";
        let script = format!("{harm}; {script}");
        let line = ["case.txt", "--", "sh", "-c", &script];
        let ran = lop(&folder, &line);
        let place = format!("{}/large cannot be copied", here(&folder));
        says(&ran, &["note: the test was not compared with what it does here", &place, "or let --isolate bwrap"]);
        assert!(!ran.stderr.contains("in a directory of its own what it does here"), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("was not compared").count(), 1, "{}", ran.stderr);
        assert!(folder.read("large") == vec![b'a'; LARGE]);
        assert!(!lop(&folder, &[&["-q"], &line[..]].concat()).stderr.contains("was not compared"));
        let ran = folder.lop(&[&["doctor"], &line[..]].concat());
        assert!(String::from_utf8_lossy(&ran.stdout).contains(&place), "{ran:?}");
        folder.script("test.sh", &format!("{harm}; test -e config"));
        says(&lop(&folder, &["./test.sh", "case.txt"]).expect_code(1), &[&place]);
        assert!(folder.read("large") == vec![b'a'; LARGE]);
    });
}

#[test]
fn words_are_made_absolute_where_nothing_can_be_compared() {
    let folder = folder();
    // Nothing may be written beside the current directory by a run that is compared.
    fs::create_dir(folder.path("../build")).expect("our own folder");
    folder.write("../build/case.o", "mine\n");
    let writes = "grep -q bug \"$1\" && test -e \"$2/api.h\" && echo 'warning: bug' >&2 && echo x > \"$4\"";
    let line = |out| {
        ["--stderr", "bug", "--exit-code", "0", "case.txt", "--", "sh", "-c", writes, "sh", "@@", "include", "-o", out]
    };
    // What it writes there stays with the test.
    let ran = begun(&folder, &line("../build/case.o"));
    says(&ran, &["relative paths lead nowhere: ../build/case.o -> case.o\n"]);
    says(&ran, &["relative paths lead nowhere", &format!(": include -> {}/include\n", here(&folder))]);
    assert_eq!(folder.read("../build/case.o"), b"mine\n");
    let harm =
        "test -e \"$2/api.h\" || exit 4; echo x > ../build/new && exit 3; test -e \"$3\" && exit 5; grep -q bug \"$1\"";
    let line = ["--exit-code", "0", "case.txt", "--", "sh", "-c", harm, "sh", "@@", "include", "src"];
    // A word too many is left as it is.
    let ran = begun(&folder, &line);
    says(&ran, &[&format!(": include -> {}/include\n", here(&folder))]);
    let hangs = "grep -q bug \"$1\" && test -e \"$2/api.h\" && sleep 600; exit 1";
    let line =
        ["--timeout", "2", "--timeout-is-interesting", "case.txt", "--", "sh", "-c", hangs, "sh", "@@", "include"];
    let ran = begun(&folder, &line);
    says(&ran, &[&format!(": include -> {}/include\n", here(&folder))]);
    // A condition that holds nowhere is none of the words' business.
    let line = ["--stderr", "nonsense", "case.txt", "--", "sh", "-c", "exit 1", "sh", "@@"];
    let ran = lop(&folder, &line).expect_code(1);
    assert!(!ran.stderr.contains("relative paths"), "{}", ran.stderr);
}
