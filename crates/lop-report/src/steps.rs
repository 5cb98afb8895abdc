//! The content of a journal for people: replays the reduction, and lists its best results.

use std::io::{self, Write};

use lop_journal::{Past, Step};
use lop_reduce::{Ended, Size};

use super::text::{self, FAINT, Table};

/// Formats an accepted step as a line: the time, the number of tests, the pass and the size.
#[must_use]
pub fn line(at: std::time::Duration, tests: u64, pass: &str, size: Size, before: Size) -> String {
    format!(
        "{FAINT}{:>9}{FAINT:#}  test {:<6} {pass:<14} {:>10} {:<5} {:>5}  {:>9} {:<6} {:>5}",
        text::duration(at),
        text::count(tests),
        text::len(size.bytes),
        if size.bytes == 1 { "byte" } else { "bytes" },
        text::percent(size.bytes, before.bytes),
        text::len(size.tokens),
        if size.tokens == 1 { "token" } else { "tokens" },
        text::percent(size.tokens, before.tokens),
    )
}

/// Shows the reduction again as it was shown when it ran, and how it ended.
///
/// # Errors
/// When writing fails.
pub fn replay(out: &mut dyn Write, past: &Past) -> io::Result<()> {
    for Step { at, tests, pass, size, .. } in &past.steps {
        writeln!(out, "{}", line(*at, *tests, &text::one_line(pass), *size, past.size))?;
    }
    let ended = match past.ended {
        Some(Ended::Complete) => "completed",
        Some(Ended::Budget) => "stopped at the limit",
        Some(Ended::Cancelled) => "stopped early",
        None => "interrupted",
    };
    let steps = text::plural(past.steps.len() as u64, "step");
    writeln!(out, "{ended} after {} and {steps}", text::plural(past.outcomes() as u64, "test"))
}

/// Lists the best results with their numbers; 0 is the input.
///
/// # Errors
/// When writing fails.
pub fn history(out: &mut dyn Write, past: &Past) -> io::Result<()> {
    let mut table = Table::new(2, &["number", "pass", "test", "bytes", "tokens", "lines"]);
    let mut row = |number: usize, pass: &str, tests: u64, size: Size| {
        let sizes = [size.bytes, size.tokens, size.lines].map(text::len);
        let first = [number.to_string(), pass.to_owned(), text::count(tests)];
        table.row(first.into_iter().chain(sizes).collect());
    };
    row(0, "input", 0, past.size);
    for step in &past.steps {
        row(step.number, &step.pass, step.tests, step.size);
    }
    table.write(out)
}
