//! Checks the recorded outputs of real tools in `fixtures/signatures`: the chosen signature is the one that a person
//! would choose, and it matches the recording and the same bug at another place.

use std::fs;
use std::path::Path;

use regex::Regex;

use super::*;
use crate::oracle::Written;

/// The table of the recordings; `fixtures/signatures/README.md` explains the fields.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Recordings {
    case: Vec<Recording>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Recording {
    file: String,
    command: String,
    input: String,
    #[serde(default)]
    words: String,
    #[serde(default)]
    stream: String,
    code: Option<i32>,
    signal: Option<i32>,
    option: String,
    value: String,
    crash: bool,
}

impl Recording {
    fn all() -> Vec<(Recording, Vec<u8>)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/signatures");
        let table = fs::read_to_string(folder.join("signatures.toml")).expect("the table is there");
        let table: Recordings = toml::from_str(&table).unwrap_or_else(|error| panic!("{error}"));
        let text = |case: &Recording| match case.file.as_str() {
            "" => Vec::new(),
            file => fs::read(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}")),
        };
        table.case.into_iter().map(|case| (text(&case), case)).map(|(text, case)| (case, text)).collect()
    }

    fn exit(&self) -> Exit {
        match (self.code, self.signal) {
            (Some(code), None) => Exit::Code(code),
            (None, Some(signal)) => Exit::Signal(signal),
            both => panic!("{}: a code or a signal, not {both:?}", self.command),
        }
    }

    /// The two outputs.
    fn outputs<'t>(&self, text: &'t [u8]) -> (&'t [u8], &'t [u8]) {
        if self.stream == "stdout" { (text, b"") } else { (b"", text) }
    }

    fn signatures(&self, table: &Table, text: &[u8]) -> Vec<Signature> {
        let (stdout, stderr) = self.outputs(text);
        let input = self.words.as_bytes();
        table.signatures(&Seen { exit: self.exit(), stdout, stderr, input: input.into(), name: &self.input })
    }
}

/// Returns the output of the same bug at another position, in another file and directory.
fn moved(text: &[u8], name: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(text).into_owned();
    let replace = |text: String, pattern: &str, by: &str| {
        Regex::new(pattern).expect("a constant").replace_all(&text, by).into_owned()
    };
    let name = regex::escape(name);
    let text = replace(text, &format!(r"(?:/[\w.-]+)*/{name}"), "/var/other/slot/renamed.x");
    let text = replace(text, &name, "renamed.x");
    let text = replace(text, r"renamed\.x:\d+(:\d+)?", "renamed.x:91823$1");
    let text = replace(text, r"0x[0-9a-f]+", "0x7fabcdef0123");
    let text = replace(text, r"==\d+==", "==99==");
    let text = replace(text, r"\b(line|column|char|offset|position) \d+", "$1 4711");
    replace(text, r"/tmp/[\w./-]+", "/dev/shm/elsewhere/cc7Xyz.o").into_bytes()
}

/// They are compiled when they are first needed, which may be in a user's run.
#[test]
fn all_expressions_of_the_table_compile() {
    let table = Table::default();
    for pattern in table.patterns.iter().chain(&table.warnings).chain([&table.only_line]) {
        pattern.regex();
        pattern.but();
    }
}

#[test]
fn recorded_outputs_have_the_signature_a_person_would_choose() {
    let table = Table::default();
    let mut wrong = Vec::new();
    for (case, text) in Recording::all() {
        let found = case.signatures(&table, &text);
        let best = found.first().unwrap_or_else(|| panic!("{}: no signature", case.command));
        let (option, value) = best.mark.option();
        if (option, value.as_str(), best.crash) != (case.option.as_str(), case.value.as_str(), case.crash) {
            wrong.push(format!(
                "{}: {option} {value} (crash {})\n  not {} {}",
                case.command, best.crash, case.option, case.value
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn signatures_hold_for_the_recording_and_for_the_same_bug_elsewhere() {
    let table = Table::default();
    for (case, text) in Recording::all() {
        let other = moved(&text, &case.input);
        for signature in case.signatures(&table, &text).iter().take(1) {
            for text in [&text, &other] {
                let (stdout, stderr) = case.outputs(text);
                let shown = signature.is_shown_by(case.words.as_bytes(), case.exit(), stdout, stderr);
                assert!(shown, "{}: {:?}\n{}", case.command, signature.mark, String::from_utf8_lossy(text));
            }
        }
    }
}

#[test]
fn there_are_thirty_recordings_and_each_is_used() {
    let cases = Recording::all();
    assert!(cases.len() >= 30, "{}", cases.len());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/signatures");
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let name = entry.expect("it can be listed").file_name().to_string_lossy().into_owned();
        let known = ["README.md", "signatures.toml"].contains(&name.as_str());
        assert!(known || cases.iter().any(|(case, _)| case.file == name), "{name} is in no row of signatures.toml");
    }
}

fn of(exit: Exit, stderr: &str) -> Vec<(&'static str, String)> {
    let seen = Seen { exit, stdout: b"", stderr: stderr.as_bytes(), input: b"total".into(), name: "case.x" };
    Table::default().signatures(&seen).iter().map(|signature| signature.mark.option()).collect()
}

#[test]
fn a_run_that_ended_well_or_in_no_known_way_has_no_signature() {
    for exit in [Exit::Code(0), Exit::Code(124), Exit::Code(125), Exit::TimedOut, Exit::Unknown] {
        assert_eq!(of(exit, "error: no"), [], "{exit}");
    }
}

#[test]
fn what_was_written_comes_before_the_signal_and_that_before_the_exit_code() {
    assert_eq!(of(Exit::Code(3), ""), [("--exit-code", "3".to_owned())]);
    assert_eq!(of(Exit::Signal(11), ""), [("--signal", "SEGV".to_owned())]);
    assert_eq!(of(Exit::Code(139), "noise"), [("--signal", "SEGV".to_owned())]);
    let found = of(Exit::Code(1), "case.x:3:4: error: no 'total' in 12 rows\n");
    assert_eq!(found[0], ("--stderr", "error: no '\\w*' in \\d+ rows".to_owned()));
    assert_eq!(found.last(), Some(&("--exit-code", "1".to_owned())));
}

#[test]
fn the_only_line_says_more_than_the_exit_code_and_less_than_a_signal() {
    let found = of(Exit::Code(1), "REJECT invalid escape near 'total' in line 12 of /a/b/case.x\n");
    let line = r"^REJECT invalid escape near '\w*' in line \d+ of [^\s:]+".to_owned();
    assert_eq!(found, [("--stderr", line), ("--exit-code", "1".to_owned())]);
    for said in ["", "noise\n", "12 34\n", "reading it\nwriting it\n"] {
        assert_eq!(of(Exit::Code(1), said), [("--exit-code", "1".to_owned())], "{said}");
    }
    assert_eq!(of(Exit::Signal(11), "reading a file\n"), [("--signal", "SEGV".to_owned())]);
    // A program's answer on standard output is no reason.
    let seen = Seen { exit: Exit::Code(1), stdout: b"all is well\n", stderr: b"", input: b"".into(), name: "case.x" };
    assert_eq!(Table::default().signatures(&seen)[0].mark, Mark::ExitCode(1));
}

#[test]
fn a_message_behind_a_position_is_one_and_a_warning_is_none() {
    let said = "case.x:1:2: warning: odd\ncase.x:3:4: cannot use 'total' here\ncase.x:9: note: see 7\n";
    assert_eq!(of(Exit::Code(2), said)[0].1, r"cannot use '\w*' here");
    let only = "case.x:1:2: warning: odd\ncase.x:9: note: see 7\n12:30:45: all is well\n";
    assert_eq!(of(Exit::Code(2), only), [("--exit-code", "2".to_owned())]);
    // A message that calls itself an error says more.
    let both = "lib.x:7: begins\nERROR no rows\n";
    assert_eq!(of(Exit::Code(2), both)[0].1, "^ERROR no rows");
}

#[test]
fn a_message_is_preferred_to_the_line_that_says_where_it_is() {
    let terser = "Parse error at case.x:2,2\na # b\n  ^\nERROR: Unexpected character '#'\n    at JS_Parse_Error.get (parse.js:1:2)\n";
    assert_eq!(of(Exit::Code(1), terser)[0].1, "^ERROR: Unexpected character '#'");
    let message_last = "error at case.x:2,2\nBuild failure: no rows here\n";
    assert_eq!(of(Exit::Code(1), message_last)[0].1, "failure: no rows here");
}

#[test]
fn a_sanitizers_report_says_what_was_attempted() {
    let frames = "\n    #0 0x55aa in free (a+0x1)\n    #1 0x55ab in rec tool.c:4\n";
    let report = |what: &str| format!("==7==ERROR: AddressSanitizer: {what} 0x602000000010{frames}");
    assert!(
        of(Exit::Code(1), &report("attempting double-free on"))[0]
            .1
            .starts_with("AddressSanitizer: attempting double-free[")
    );
    assert!(
        of(Exit::Code(1), &report("heap-use-after-free on address"))[0]
            .1
            .starts_with("AddressSanitizer: heap-use-after-free[")
    );
}

#[test]
fn a_compiler_that_is_confused_has_crashed() {
    let seen = Seen {
        exit: Exit::Code(1),
        stdout: b"",
        stderr: b"case.x:3:1: error: no total\ncase.x:5:2: confused by earlier errors, bailing out\n",
        input: b"total".into(),
        name: "case.x",
    };
    let found = Table::default().signatures(&seen).swap_remove(0);
    assert!(found.crash);
    assert_eq!(found.mark, Mark::Stderr("confused by earlier errors, bailing out".to_owned()));
}

#[test]
fn a_quoted_value_that_the_input_does_not_have_is_computed_and_a_word_is_the_tools_own() {
    let of = |said: &str| of(Exit::Code(1), said)[0].1.clone();
    assert_eq!(of("error: bad path '[414E'\n"), "^error: bad path '[^']*'");
    assert_eq!(of("error: bad path 'TOTAL'\n"), r"^error: bad path '\w*'", "in other letters");
    assert_eq!(of("error: 'NoneType' has no 'total'\n"), r"^error: 'NoneType' has no '\w*'");
    assert_eq!(of("error: unknown option '-Wtotal-x'\n"), "^error: unknown option '-Wtotal-x'");
}

#[test]
fn error_messages_are_of_one_kind_whatever_they_quote_and_wherever_they_are() {
    let table = Table::default();
    let said = "case.x:1:2: error: no 'total' in 12 rows\ncase.x:7:2: error: no 'x' in 3 rows\n\
                case.x:7:2: error: array used\n  7 | error: shown\n2 errors generated.\nerror: aborting due to 2 errors\n";
    let seen =
        Seen { exit: Exit::Code(1), stdout: b"", stderr: said.as_bytes(), input: b"total".into(), name: "case.x" };
    assert_eq!(table.only_errors(&seen), [r"^error: no '[^']*' in \d+ rows$", "^error: array used$"]);
    let many: String = (0..20).map(|n| format!("error: kind {}\n", char::from(b'a' + n))).collect();
    assert_eq!(table.only_errors(&Seen { stderr: many.as_bytes(), ..seen }), [""; 0], "too many to say");
    let written = |text: &str| Written { stdout: Vec::new(), stderr: text.as_bytes().to_vec() };
    let result = written("x:1: error: no 'b' in 1 rows\nx:1: error: new 'c'\nx:2: error: new 'd'\n");
    assert_eq!(table.fresh_errors("x", &written(said), &result), ["error: new 'c'"]);
}

#[test]
fn a_compilers_own_place_is_kept_and_that_of_the_test_case_is_not() {
    let found = of(Exit::Code(1), "case.x:9:1: internal compiler error: in fold_it, at fold-const.cc:1234\n");
    assert_eq!(found[0].1, r"internal compiler error: in fold_it, at fold-const\.cc:1234");
    let found = of(Exit::Code(101), "thread 'main' panicked at /build/x/src/lib.rs:7:9:\nno total\n");
    assert_eq!(found[0].1, r"panicked at \S*lib\.rs:7:9:\nno total");
    let found = of(Exit::Code(101), "thread 'main' panicked at case.x:7:9:\nno 5\n");
    assert_eq!(found[0].1, r"panicked at [^\s:]+:\d+:\d+:\nno \d+");
}
