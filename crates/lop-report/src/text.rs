//! Formats numbers, durations and tables for people.

use std::io::{self, Write};
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use lop_engine::Verdict;

pub use super::visible::{one_line, path, shown, stderr, stdout, visible};

/// Headings and the words that matter.
pub const STRONG: Style = Style::new().bold();
/// Details for completeness.
pub const FAINT: Style = Style::new().dimmed();
/// Errors.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// Ways out.
pub const HINT: Style = AnsiColor::Cyan.on_default().bold();
/// Warnings and notes.
pub const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// Good news.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();

/// An integer with a comma between groups of three digits: `12,345`.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// [`count`] for lengths.
#[must_use]
pub fn len(number: usize) -> String {
    count(number as u64)
}

/// `part` of `whole` in percent, with a decimal below ten; nothing of nothing is all of it.
#[must_use]
pub fn percent(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "100%".to_owned();
    }
    let share = 100.0 * part as f64 / whole as f64;
    // Rounding must not turn "a little" into nothing, nor "nearly all" into all.
    if part > 0 && share < 0.1 {
        "<0.1%".to_owned()
    } else if share < 9.95 {
        format!("{share:.1}%")
    } else if part < whole && share > 99.5 {
        ">99%".to_owned()
    } else {
        format!("{share:.0}%")
    }
}

/// A number of things with its noun: `1 test`, `2 tests`.
#[must_use]
pub fn plural(number: u64, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", count(number))
}

/// A duration in the unit that leaves two or three significant digits.
#[must_use]
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.000_95 {
        format!("{:.0} µs", seconds * 1e6)
    } else if seconds < 0.009_95 {
        format!("{:.1} ms", seconds * 1e3)
    } else if seconds < 0.9995 {
        format!("{:.0} ms", seconds * 1e3)
    } else if seconds < 99.995 {
        format!("{seconds:.2} s")
    } else {
        let whole = seconds.round() as u64;
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
        if hours > 0 { format!("{hours} h {minutes:02} min") } else { format!("{minutes} min {rest:02} s") }
    }
}

/// The words for a verdict; a run that gave no answer is unresolved.
#[must_use]
pub fn verdict(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Interesting) => "interesting",
        Some(Verdict::NotInteresting) => "not interesting",
        Some(Verdict::Invalid) => "invalid",
        Some(Verdict::Timeout) => "timeout",
        None => "unresolved",
    }
}

/// The last lines of a program's output, at most `lines` of them, control characters shown.
#[must_use]
pub fn tail(output: &[u8], lines: usize) -> Vec<String> {
    /// Longer lines are cut: one line of minified source would push the error off the screen.
    const WIDTH: usize = 200;
    let text = String::from_utf8_lossy(output);
    let all: Vec<&str> = text.trim_end().lines().collect();
    let start = all.len().saturating_sub(lines);
    all[start..].iter().map(|line| visible(line, WIDTH)).collect()
}

/// A table: words flush left, then numbers flush right.
#[derive(Clone, Debug)]
pub struct Table {
    rows: Vec<Vec<String>>,
    words: usize,
}

impl Table {
    /// A table with these headings, whose first `words` columns are flush left.
    #[must_use]
    pub fn new(words: usize, headings: &[&str]) -> Self {
        Table { rows: vec![headings.iter().map(|&text| text.to_owned()).collect()], words }
    }

    /// Adds a row; missing cells at its end are blank. A cell is a text on one line.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.iter().map(|cell| one_line(cell)).collect());
    }

    /// Writes the table, indented by two, its headings emphasised.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        for (index, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                if column > 0 {
                    line.push_str("  ");
                }
                if column < self.words {
                    line.push_str(&format!("{cell:<width$}"));
                } else {
                    line.push_str(&format!("{cell:>width$}"));
                }
            }
            let line = line.trim_end();
            // Padding first, colour afterwards: escape codes would count as width.
            if index == 0 {
                writeln!(out, "  {STRONG}{line}{STRONG:#}")?;
            } else {
                writeln!(out, "  {line}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
    }

    #[test]
    fn percentages_never_round_to_nothing_or_all() {
        assert_eq!(percent(0, 10), "0.0%");
        assert_eq!(percent(1, 100_000), "<0.1%");
        assert_eq!(percent(1, 20), "5.0%");
        assert_eq!(percent(5, 10), "50%");
        assert_eq!(percent(9_999, 10_000), ">99%");
        assert_eq!(percent(10, 10), "100%");
        assert_eq!(percent(0, 0), "100%");
    }

    #[test]
    fn durations_keep_two_or_three_digits() {
        assert_eq!(duration(Duration::from_micros(12)), "12 µs");
        assert_eq!(duration(Duration::from_micros(1_234)), "1.2 ms");
        assert_eq!(duration(Duration::from_millis(123)), "123 ms");
        assert_eq!(duration(Duration::from_millis(1_234)), "1.23 s");
        assert_eq!(duration(Duration::from_secs(125)), "2 min 05 s");
        assert_eq!(duration(Duration::from_secs(3_725)), "1 h 02 min");
    }

    #[test]
    fn a_tail_is_short_and_printable() {
        assert_eq!(tail(b"one\ntwo\nthree\n\n", 2), ["two", "three"]);
        assert_eq!(tail(b"\x1b[31mred\xff\n", 5), ["\\u{1b}[31mred\u{fffd}"]);
        assert!(tail(b"", 3).is_empty());
    }

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(1, &["pass", "tests"]);
        table.row(vec!["deletion".into(), "12".into()]);
        table.row(vec!["x".into()]);
        let mut out = Vec::new();
        table.write(&mut out).expect("a vector takes everything");
        let plain = anstream::adapter::strip_bytes(&out).into_vec();
        assert_eq!(String::from_utf8_lossy(&plain), "  pass      tests\n  deletion     12\n  x\n");
    }
}
