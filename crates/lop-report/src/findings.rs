//! The report of an examination: a line for each check that passed, a paragraph for each problem.

use std::io::{self, Write};

use lop_doctor::{Finding, Level};

use super::text::{self, BAD, FAINT, GOOD, HINT, STRONG, WARN};

/// Writes the findings, in their order, and how many there are of each level.
///
/// # Errors
/// When writing fails.
pub fn write(out: &mut dyn Write, test: &str, findings: &[Finding], runs: usize) -> io::Result<()> {
    let test = text::one_line(test);
    writeln!(out, "{STRONG}{test}{STRONG:#} {FAINT}({} of it){FAINT:#}\n", text::plural(runs as u64, "run"))?;
    let width = findings.iter().map(|finding| finding.check.len()).max().unwrap_or(0);
    for finding in findings {
        let style = match finding.level {
            Level::Ok => GOOD,
            Level::Note => STRONG,
            Level::Warning => WARN,
            Level::Fault => BAD,
        };
        // Padding first, colour afterwards: escape codes would count as width.
        let level = format!("{:<7}", finding.level.name());
        writeln!(out, "  {style}{level}{style:#}  {:<width$}  {}", finding.check, text::one_line(&finding.seen))?;
        let indent = " ".repeat(width + 13);
        if !finding.means.is_empty() {
            writeln!(out, "{indent}{}", text::one_line(&finding.means))?;
        }
        if !finding.fix.is_empty() {
            writeln!(out, "{indent}{HINT}fix:{HINT:#} {}", text::one_line(&finding.fix))?;
        }
    }
    let count = |level| findings.iter().filter(|finding| finding.level == level).count() as u64;
    let (faults, warnings, notes) = (count(Level::Fault), count(Level::Warning), count(Level::Note));
    let counted = [text::plural(faults, "fault"), text::plural(warnings, "warning"), text::plural(notes, "note")];
    writeln!(out, "\n  {}", counted.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_line_up_and_are_counted() {
        let finding = |check, level, means: &str, fix: &str| Finding {
            check,
            level,
            seen: "seen".to_owned(),
            means: means.to_owned(),
            fix: fix.to_owned(),
        };
        let findings = [
            finding("a", Level::Ok, "", ""),
            finding("long one", Level::Fault, "bad", "so"),
            finding("b", Level::Note, "why", ""),
        ];
        let mut out = Vec::new();
        write(&mut out, "./t.sh a.x", &findings, 12).expect("a vector takes everything");
        let plain = anstream::adapter::strip_bytes(&out).into_vec();
        let expected = "\
./t.sh a.x (12 runs of it)

  ok       a         seen
  fault    long one  seen
                     bad
                     fix: so
  note     b         seen
                     why

  1 fault, 0 warnings, 1 note
";
        assert_eq!(String::from_utf8_lossy(&plain), expected);
    }
}
