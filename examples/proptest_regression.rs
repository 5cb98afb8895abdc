//! A failure that a property test has found, made smaller than its own shrinking can: proptest shrinks along the way in
//! which the value was made, lop the text itself. Run it with `cargo run --example proptest_regression`.

use lop::{Config, Event, Report};
use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};

/// The function under test: takes blanks out of a JSON text that are not inside its strings.
fn compact(json: &str) -> String {
    let mut inside = false;
    let kept = json.chars().filter(|&letter| {
        // The bug: a quotation mark behind a backslash does not end the string.
        inside ^= letter == '"';
        inside || !letter.is_whitespace()
    });
    kept.collect()
}

/// The property: nothing but blanks is lost. A text that is no JSON has it.
fn holds(json: &str) -> bool {
    let Ok(before) = serde_json::from_str::<serde_json::Value>(json) else { return true };
    serde_json::from_str(&compact(json)).is_ok_and(|after: serde_json::Value| after == before)
}

/// Texts as they come from elsewhere: whole, so that proptest can only choose among them.
fn documents() -> impl Strategy<Value = String> {
    let strings = vec!["plain", "two words", r#"she said \"come here\" twice"#, r"a \\ b", "\u{e4}\u{f6} \u{fc}"];
    let leaf = prop_oneof![
        any::<i32>().prop_map(|number| number.to_string()),
        prop::sample::select(strings).prop_map(|text| format!("\"{text}\"")),
    ];
    let nested = leaf.prop_recursive(4, 40, 6, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("[ {} ]", items.join(", ")));
        let pairs = prop::collection::vec(inner, 0..4).prop_map(|items| {
            let pairs = items.iter().enumerate().map(|(key, value)| format!("\"key {key}\": {value}"));
            format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
        });
        prop_oneof![list, pairs]
    });
    prop::collection::vec(nested, 3..8).prop_map(|items| format!("[\n  {}\n]", items.join(",\n  "))).no_shrink()
}

/// Lets proptest find a failure, and makes it small. The failure as it was found, the report, and the sizes on the way.
pub(crate) fn run() -> Result<(String, Report, Vec<usize>), lop::Error> {
    let found = TestRunner::deterministic().run(&documents(), |json| {
        prop_assert!(holds(&json));
        Ok(())
    });
    let Err(TestError::Fail(_, failure)) = found else { panic!("the property is wrong often enough") };
    let mut sizes = Vec::new();
    let config = Config::new().file_name("failure.json").on_event(|event| {
        if let Event::Accepted { size, .. } = event {
            sizes.push(size.bytes);
        }
    });
    let fails = |candidate: &[u8]| std::str::from_utf8(candidate).is_ok_and(|json| !holds(json));
    let report = lop::reduce(failure.as_bytes(), fails, &config)?;
    drop(config);
    Ok((failure, report, sizes))
}

fn main() -> Result<(), lop::Error> {
    let (failure, report, sizes) = run()?;
    anstream::println!("proptest: {failure}\n");
    anstream::println!("lop, {} tests: {}", report.tests.total(), String::from_utf8_lossy(&report.best));
    anstream::println!("bytes on the way: {sizes:?}");
    Ok(())
}
