//! Texts of very many tokens for their size.

use lop::Options;
use lop_reduce::{Keep, KeepSpec};

use crate::reduce::{has, run, yes_if};
use crate::support::Folder;

/// A list of `many` numbers with a word among them.
fn numbers(number: &str, many: usize) -> String {
    let half = format!("{number},").repeat(many / 2);
    format!("[{half}\"needle\",{half}{number}]")
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

/// Of all texts it has the most nodes for its size. The memory that any text takes is no part of it: that depends
/// on the build.
#[test]
fn a_dense_text_takes_less_than_three_hundred_times_its_size_of_memory() {
    let input = numbers("1", 500_000);
    let peak = peak(&input).saturating_sub(peak(&numbers("1", 10)));
    assert!(peak < 300 * input.len(), "{peak} bytes for {}", input.len());
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
