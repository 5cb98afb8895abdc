//! A unified diff of the original and the result.

use std::io::{self, Write};
use std::time::Duration;

use anstyle::Style;
use similar::{Algorithm, ChangeTag, TextDiff};

use super::text::{BAD, FAINT, GOOD};

/// Lines around a change.
const CONTEXT: usize = 3;
/// After this time the rest is diffed roughly: a coarse diff now is better than a fine one never.
const PATIENCE: Duration = Duration::from_secs(2);

/// Writes the unified diff that leads from `before` to `after` (each a name and its bytes).
///
/// The bytes go out as they are, so colours are a choice of the caller: a stream that strips escape
/// codes would strip those of the contents as well.
///
/// # Errors
/// When writing fails.
pub fn write(out: &mut dyn Write, colour: bool, before: (&str, &[u8]), after: (&str, &[u8])) -> io::Result<()> {
    let style = |style: Style| if colour { style } else { Style::new() };
    let (faint, removed, added) = (style(FAINT), style(BAD), style(GOOD));
    let diff = TextDiff::configure().algorithm(Algorithm::Histogram).timeout(PATIENCE).diff_lines(before.1, after.1);
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT);
    let mut headed = false;
    for hunk in unified.iter_hunks() {
        if !headed {
            writeln!(out, "--- {}\n+++ {}", before.0, after.0)?;
            headed = true;
        }
        writeln!(out, "{faint}{}{faint:#}", hunk.header())?;
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => (b'-', removed),
                ChangeTag::Insert => (b'+', added),
                ChangeTag::Equal => (b' ', Style::new()),
            };
            let line = change.value();
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            write!(out, "{style}")?;
            out.write_all(&[sign])?;
            out.write_all(line)?;
            writeln!(out, "{style:#}")?;
            if change.missing_newline() {
                writeln!(out, "\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(before: &[u8], after: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out, false, ("a", before), ("b", after)).expect("a vector takes everything");
        out
    }

    #[test]
    fn removed_lines_and_a_missing_final_newline_are_shown() {
        assert_eq!(
            String::from_utf8_lossy(&diff(b"1\n2\n3\n", b"1\n3")),
            "--- a\n+++ b\n@@ -1,3 +1,2 @@\n 1\n-2\n-3\n+3\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn equal_texts_have_no_diff() {
        assert!(diff(b"same\n", b"same\n").is_empty());
    }

    #[test]
    fn bytes_that_are_not_utf8_go_through() {
        assert_eq!(diff(b"\xff\x1b[1m\n", b""), b"--- a\n+++ b\n@@ -1 +0,0 @@\n-\xff\x1b[1m\n");
    }

    #[test]
    fn a_large_input_does_not_hang() {
        let before: Vec<u8> =
            (0..200_000u32).flat_map(|n| format!("{}\n", n.wrapping_mul(2_654_435_761) % 977).into_bytes()).collect();
        let after: Vec<u8> = before.iter().rev().copied().collect();
        assert!(!diff(&before, &after).is_empty());
    }
}
