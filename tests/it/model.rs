//! What was learnt, from run to run: saved, loaded, added to, and refused where it is not what it says.

use std::fs;
use std::path::Path;

use regex::Regex;
use rustix::process::Signal;
use serde_json::Value;

use crate::safety::{long_input, send, started};
use crate::support::{Folder, Ran, finish, until};

/// A payload of which every third element of the long lists stays.
fn payload() -> String {
    let row = |row: usize| {
        let elements =
            (0..30).map(|at| if at % 3 == 0 { "\"keep\"".to_owned() } else { format!("{}", row * 100 + at) });
        format!("[{}]", elements.collect::<Vec<_>>().join(", "))
    };
    format!("{{\"rows\": [{}]}}\n", (0..6).map(row).collect::<Vec<_>>().join(",\n"))
}

/// lop on the payload, with these options before.
fn reduce(folder: &Folder, options: &[&str]) -> Ran {
    folder.write("input.json", payload());
    folder.script("test.sh", "test \"$(grep -o keep \"$1\" | wc -l)\" = 60");
    let line = ["-j1", "-o", "small.json", "test.sh", "input.json"];
    folder.lop(&[options, &line].concat())
}

/// The number of tests of a run.
fn tests(folder: &Folder, options: &[&str]) -> u64 {
    reduce(folder, &[options, &["-q", "--json", "events"]].concat()).expect_code(0);
    let events = String::from_utf8(folder.read("events")).expect("JSON is UTF-8");
    let last: Value = serde_json::from_str(events.lines().last().expect("a line")).expect("JSON");
    last["tests"]["total"].as_u64().expect("a number")
}

fn saved(folder: &Folder) -> Value {
    serde_json::from_slice(&folder.read("model")).expect("lop writes JSON")
}

/// All units that were counted below nodes of one kind.
fn units(model: &Value, kind: &str) -> u64 {
    let rows = model["lists"].as_array().expect("rows").iter().filter(|row| row["kind"] == kind);
    let counts = rows.flat_map(|row| ["first", "after_needed", "after_removable"].map(|pair| row[pair].clone()));
    counts.flat_map(|pair| [0, 1].map(|at| pair[at].as_u64().expect("a count"))).sum()
}

#[test]
fn what_was_learnt_is_saved() {
    let folder = Folder::new();
    let ran = reduce(&folder, &["--save-model", "model"]).expect_code(0);
    assert!(ran.stderr.contains("\n  model     model\n"), "{}", ran.stderr);
    let model = saved(&folder);
    assert_eq!((&model["format"], &model["version"]), (&"lop-model".into(), &1.into()));
    assert_eq!(model["language"], "json");
    assert!(units(&model, "array") > 100, "{model}");
    assert_eq!(folder.names(), ["input.json", "model", "small.json", "small.json.lop", "test.sh"]);
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn a_loaded_model_changes_what_is_asked_and_not_what_comes_out() {
    let folder = Folder::new();
    let questions = |options: &[&str]| {
        reduce(&folder, &[options, &["-q", "--json", "events"]].concat()).expect_code(0);
        let text = String::from_utf8(folder.read("events")).expect("JSON is UTF-8");
        let events = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let tested = events.filter(|event| event["event"] == "tested");
        tested.map(|event| (event["bytes"].clone(), event["what"].clone())).collect::<Vec<_>>()
    };
    let first = questions(&["--save-model", "model"]);
    let (small, before) = (folder.read("small.json"), folder.read("model"));
    assert_eq!(questions(&[]), first, "saving changes nothing");
    assert_ne!(questions(&["--load-model", "model"]), first);
    assert_eq!(folder.read("small.json"), small);
    assert_eq!(folder.read("model"), before, "a model that is only loaded stays as it is");
}

#[test]
fn a_model_of_both_names_is_begun_and_then_added_to() {
    let folder = Folder::new();
    let both = ["-q", "--load-model", "model", "--save-model", "./model"];
    reduce(&folder, &both).expect_code(0);
    let once = units(&saved(&folder), "array");
    reduce(&folder, &both).expect_code(0);
    let twice = units(&saved(&folder), "array");
    assert!(once > 100 && twice > once + 100, "{once} {twice}");
    assert_eq!(folder.names(), ["input.json", "model", "small.json", "small.json.lop", "test.sh"]);
}

#[test]
fn a_run_that_is_stopped_saves_what_it_has_learnt_so_far() {
    let folder = Folder::new();
    reduce(&folder, &["-q", "--max-tests", "60", "--save-model", "model"]).expect_code(3);
    assert!(units(&saved(&folder), "array") > 10);
    for signal in [Signal::INT, Signal::TERM] {
        let folder = Folder::new();
        let child = started(&folder, &["-q", "-j2", "--save-model", "model", "test.sh", "input.txt"]);
        until("some runs are decided", || {
            let now = fs::metadata(folder.path("input.txt")).ok()?.len() as usize;
            (now + 300 < long_input().len()).then_some(())
        });
        send(&child, signal);
        finish(child).expect_code(3);
        let model = saved(&folder);
        assert_eq!(model["language"], "text");
        assert!(units(&model, "(lines)") > 0, "{model}");
    }
}

#[test]
fn a_run_that_comes_to_nothing_leaves_the_model_alone() {
    let folder = Folder::new();
    reduce(&folder, &["-q", "--save-model", "model"]).expect_code(0);
    let before = folder.read("model");
    folder.lop(&["-q", "--save-model", "model", "input.json", "-o", "x", "--", "false"]).expect_code(1);
    assert_eq!(folder.read("model"), before);
}

/// The model may say whatever it wants of the lists: the result is interesting, and 1-minimal.
#[test]
fn a_model_that_is_all_wrong_costs_tests_and_nothing_else() {
    let folder = Folder::new();
    let honest = tests(&folder, &["--save-model", "model"]);
    let small = folder.read("small.json");
    let text = String::from_utf8(folder.read("model")).expect("JSON is UTF-8");
    let counts = Regex::new(r"\[\d+,\d+\]").expect("a constant");
    for pair in ["[1000000000000,0]", "[0,1000000000000]"] {
        folder.write("wrong", counts.replace_all(&text, pair).as_bytes());
        let wrong = tests(&folder, &["--load-model", "wrong"]);
        assert_eq!(folder.read("small.json"), small, "{pair}");
        assert!(wrong < 3 * honest, "{pair}: {wrong} instead of {honest}");
    }
}

/// Runs lop with a model that it has to refuse.
fn refused(model: impl AsRef<[u8]>, options: &[&str]) -> String {
    let folder = Folder::new();
    folder.write("model", &model);
    fs::create_dir(folder.path("folder")).expect("a new folder");
    let ran = reduce(&folder, options).expect_code(2);
    assert_eq!(folder.names(), ["folder", "input.json", "model", "test.sh"], "{options:?} wrote something");
    assert_eq!(folder.read("model"), model.as_ref());
    assert_eq!(folder.read("input.json"), payload().as_bytes());
    ran.stable_stderr(&folder)
}

const ANEW: &str = "hint: without --load-model lop learns anew, and --save-model keeps it\n";

#[test]
fn what_is_not_a_model_is_refused() {
    let folder = Folder::new();
    reduce(&folder, &["-q", "--save-model", "model"]).expect_code(0);
    let good = String::from_utf8(folder.read("model")).expect("JSON is UTF-8");
    let rows: &[(String, &str)] = &[
        (String::new(), "it is not a model that lop has saved\n"),
        ("int main;\n".to_owned(), "it is not a model that lop has saved\n"),
        (payload(), "it is not a model that lop has saved\n"),
        (good.replace("lop-model", "lop-other"), "it is not a model that lop has saved\n"),
        (
            good.replace("\"version\": 1", "\"version\": 2"),
            "it is of version 2 of the format, and this lop reads version 1\n",
        ),
        (good[..good.len() / 2].to_owned(), "it is damaged\n  EOF while parsing"),
        (good.replace("\"first\":[", "\"first\":[-"), "it is damaged\n  invalid value: integer `-"),
        (good.replace("\"first\":[", "\"first\":[1e9999,"), "it is damaged\n  number out of range"),
        (
            good.replace("\"first\":[", "\"first\":[99999999999999"),
            "its numbers cannot be true\n  it counts more units than there can be\n",
        ),
        (
            good.replacen("[0,0],", "", 1),
            "its numbers cannot be true\n  it has 14 chances of verification instead of 15\n",
        ),
    ];
    for (model, what) in rows {
        // Not even the place of the next model is a reason to write over it.
        for options in [&["--load-model", "model"][..], &["--load-model", "model", "--save-model", "model"]] {
            let said = refused(model, options);
            let expected = format!("error: cannot use the model model\n  {what}");
            assert!(said.starts_with(&expected) && said.ends_with(ANEW), "said\n{said}\nand not\n{expected}\n{ANEW}");
        }
    }
}

#[test]
fn a_model_of_another_language_is_refused() {
    let folder = Folder::new();
    reduce(&folder, &["-q", "--save-model", "model", "--grammar", "text"]).expect_code(0);
    let said = refused(folder.read("model"), &["--load-model", "model"]);
    let expected = "error: cannot use the model model\n  it was learnt on text and does not help with json\n\
                    hint: keep a model for each language; without --load-model lop learns anew\n";
    assert_eq!(said, expected);
}

#[test]
fn kinds_that_a_grammar_does_not_have_are_left_out_if_they_are_few() {
    let folder = Folder::new();
    reduce(&folder, &["-q", "--save-model", "model"]).expect_code(0);
    let fingerprint = Regex::new("\"fingerprint\": \"[0-9a-f]+\"").expect("a constant");
    let good = String::from_utf8(folder.read("model")).expect("JSON is UTF-8");
    let other = fingerprint.replace(&good, "\"fingerprint\": \"other\"").into_owned();
    let row = |kind: &str| {
        format!(
            "\"lists\": [\n{{\"kind\":\"{kind}\",\"depth\":1,\"first\":[0,1],\"after_needed\":[0,0],\"after_removable\":[0,0]}},"
        )
    };
    folder.write("model", other.replace("\"lists\": [", &row("gone")));
    let ran = reduce(&folder, &["--load-model", "model"]).expect_code(0);
    assert!(ran.stderr.contains("1 of the model's "), "{}", ran.stderr);
    let strange = (0..40).fold(other, |text, kind| text.replace("\"lists\": [", &row(&format!("gone{kind}"))));
    let said = refused(&strange, &["--load-model", "model"]);
    assert!(said.contains("\n  it was learnt with another grammar: 40 of its "), "{said}");
}

#[test]
fn a_place_where_no_model_can_be_is_found_out_before_the_first_test() {
    let rows: &[(&[&str], &str)] = &[
        (
            &["--load-model", "missing"],
            "error: cannot read the model missing\n  No such file or directory (os error 2)\n",
        ),
        (&["--load-model", "missing", "--save-model", "model"], "error: cannot read the model missing\n"),
        (&["--load-model", "folder"], "error: cannot read the model folder\n  Is a directory (os error 21)\n"),
        (
            &["--save-model", "missing/model"],
            "error: there is no saving a model there\n  cannot write missing/model: the directory missing does not exist\n",
        ),
        (
            &["--save-model", "folder"],
            "error: there is no saving a model there\n  the output folder is a directory; name a file\n",
        ),
        (
            &["--save-model", "./input.json"],
            "error: `--save-model ./input.json` is the file to reduce\nhint: name another file\n",
        ),
        (&["--save-model", "input.json.orig"], "error: `--save-model input.json.orig` is where the original is kept\n"),
        (&["--save-model", "-"], "error: a model cannot be saved to standard output\nhint: give --save-model the name"),
        (&["--save-model", "test.sh"], "error: `--save-model test.sh` is the test's program\n"),
        (&["--save-model", "small.json"], "error: `--save-model small.json` is where the result goes\n"),
        (&["--save-model", "x", "--json", "x"], "error: `--save-model x` is where the events go\n"),
        (&["--load-model", "model", "--json", "model"], "error: `--json model` is the model to load\n"),
    ];
    for (options, expected) in rows {
        let said = refused("precious", options);
        assert!(said.starts_with(expected), "{options:?} said\n{said}\nand not\n{expected}");
    }
    let folder = Folder::new();
    folder.write("model", "precious");
    folder.write("input.json", payload());
    let said = folder.lop(&["--load-model", "model", "-o", "model", "input.json", "--", "false"]).expect_code(2).stderr;
    assert!(said.starts_with("error: `-o model` is the model to load\n"), "{said}");
    assert_eq!(folder.read("model"), b"precious");
}

#[test]
#[cfg(target_os = "linux")]
fn a_model_that_never_ends_is_refused() {
    let said = refused("precious", &["--load-model", "/dev/zero"]);
    assert_eq!(said, "error: cannot read the model /dev/zero\n  it is larger than any model\n");
}

#[test]
#[cfg(target_os = "linux")]
fn a_model_that_cannot_be_saved_ends_the_run_with_6_and_the_result_in_its_place() {
    let folder = Folder::new();
    let ran = reduce(&folder, &["--save-model", "/dev/full"]).expect_code(6);
    assert!(
        ran.stderr.contains("error: cannot save the model to /dev/full\n  No space left on device"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("  model "), "{}", ran.stderr);
    assert!(Path::new(&folder.path("small.json")).exists());
}
