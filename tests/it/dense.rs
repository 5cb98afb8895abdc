//! Texts of so many tokens that a tree of them would take a hundred times as much memory: they are cut before they have
//! a tree.

use lop::Options;
use lop::reduce::{Keep, KeepSpec, Passes, Syntax};

use crate::reduce::{has, run, yes_if};
use crate::support::Folder;

/// A list of `many` numbers with a word among them.
fn numbers(number: &str, many: usize) -> String {
    let half = format!("{number},").repeat(many / 2);
    format!("[{half}\"needle\",{half}{number}]")
}

/// Tests of the cut, of the first few.
fn cuts(input: &str, options: Options) -> u64 {
    let options = Options { max_tests: Some(7), ..options };
    let (report, _) = run("x.json", input.as_bytes(), &options, |text| yes_if(has(text, "needle")));
    let report = report.expect("the input is interesting");
    report.passes.iter().filter(|stats| stats.name == "outline").map(|stats| stats.tests).sum()
}

/// The most memory that lop has taken for a text while its tests ran, in bytes.
fn peak(input: &str) -> usize {
    let folder = Folder::new();
    folder.write("input.json", input);
    let peaks = folder.write("peaks", "");
    let test = format!("grep VmHWM /proc/$PPID/status >>'{}'; grep -q needle input.json", peaks.display());
    folder.script("test.sh", &test);
    folder.lop(&["--no-state", "-j", "1", "-o", "out.json", "./test.sh", "input.json"]).expect_code(0);
    assert_eq!(folder.read("out.json"), br#""needle""#);
    let peaks = String::from_utf8(folder.read("peaks")).expect("numbers");
    let kilobytes = |line: &str| line.split_whitespace().nth(1).and_then(|number| number.parse::<usize>().ok());
    1024 * peaks.lines().filter_map(kilobytes).max().expect("the test has run")
}

/// With its tree it would take two hundred times its size. What the program takes for any text is no part of it: that
/// depends on how it was built.
#[test]
fn a_dense_text_takes_less_than_eighty_times_its_size_of_memory() {
    let input = numbers("1", 500_000);
    let peak = peak(&input).saturating_sub(peak(&numbers("1", 10)));
    assert!(peak < 80 * input.len(), "{peak} bytes for {}", input.len());
}

#[test]
fn it_is_cut_only_where_a_cut_keeps_what_the_user_asked_for() {
    let input = numbers("12345", 90_000);
    assert!(input.len() > 512 << 10);
    assert!(cuts(&input, Options::default()) > 0);
    let skip = Passes { skip: vec!["outline"], ..Passes::default() };
    assert_eq!(cuts(&input, Options { passes: skip, ..Options::default() }), 0);
    let only = Passes { only: vec!["siblings"], ..Passes::default() };
    assert_eq!(cuts(&input, Options { passes: only, ..Options::default() }), 0);
    assert_eq!(cuts(&input, Options { syntax: Some(Syntax::Valid), ..Options::default() }), 0);
}

#[test]
fn what_is_kept_is_in_every_candidate() {
    let input = numbers("12345", 90_000);
    let spec = KeepSpec { patterns: vec!["needle".to_owned()], ..KeepSpec::default() };
    let keep = Keep::find(&spec, input.as_bytes(), None, 0).expect("it is there");
    let options = Options { keep, max_tests: Some(7), ..Options::default() };
    let (report, asked) = run("x.json", input.as_bytes(), &options, |text| yes_if(!text.is_empty()));
    let left = report.expect("the input is interesting").best.len();
    assert!(left * 32 < input.len(), "{left} bytes are left");
    assert!(asked.iter().all(|text| text.is_empty() || has(text, "needle")));
}

#[test]
fn a_text_of_few_tokens_or_few_bytes_has_its_tree_at_once() {
    let few_bytes = numbers("12345", 80_000);
    let few_tokens = numbers("\"some text, and more of it, and more of it\"", 14_000);
    assert!(few_bytes.len() < 512 << 10 && few_tokens.len() > 512 << 10);
    for input in [few_bytes, few_tokens] {
        assert_eq!(cuts(&input, Options::default()), 0);
    }
}
