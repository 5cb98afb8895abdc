//! Unified diffs: of the original and the result, and of one accepted step and the next.

use std::io::{self, Write};
use std::time::Duration;

use anstyle::Style;
use similar::{Algorithm, ChangeTag, TextDiff};

use crate::reduce::{Event, EventSink};

use super::text::{self, BAD, FAINT, GOOD};

/// Lines around a change.
const CONTEXT: usize = 3;
/// After this time the rest is diffed roughly: a coarse diff now is better than a fine one never.
const PATIENCE: Duration = Duration::from_secs(2);

/// Writes the unified diff that leads from `before` to `after` (each a name and its bytes).
///
/// What is hidden in a line is shown as an escape: a difference of texts that have nothing of this kind is a patch.
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
            writeln!(out, "--- {}\n+++ {}", text::one_line(before.0), text::one_line(after.0))?;
            headed = true;
        }
        writeln!(out, "{faint}{}{faint:#}", hunk.header())?;
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', removed),
                ChangeTag::Insert => ('+', added),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = change.value();
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            writeln!(out, "{style}{sign}{}{style:#}", text::shown(line))?;
            if change.missing_newline() {
                writeln!(out, "\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}

/// Writes what each accepted step changes.
pub struct StepDiffs {
    /// `None` once the reader has gone away.
    out: Option<Box<dyn Write>>,
    colour: bool,
    /// The best result that was shown last, and its name.
    shown: (String, Vec<u8>),
}

impl StepDiffs {
    /// Begins with the input.
    #[must_use]
    pub fn new(out: Box<dyn Write>, colour: bool, input: &[u8]) -> Self {
        StepDiffs { out: Some(out), colour, shown: ("the input".to_owned(), input.to_vec()) }
    }

    fn show(&mut self, name: String, content: &[u8]) -> io::Result<()> {
        let Some(out) = &mut self.out else { return Ok(()) };
        let (before, shown) = &self.shown;
        let written = write(out, self.colour, (before, shown), (&name, content)).and_then(|()| out.flush());
        self.shown = (name, content.to_vec());
        match written {
            // A reader that has seen enough is no reason to stop reducing.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.out = None;
                Ok(())
            }
            Err(error) => Err(io::Error::new(error.kind(), format!("cannot write the steps: {error}"))),
            Ok(()) => Ok(()),
        }
    }
}

impl EventSink for StepDiffs {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match *event {
            Event::Accepted { content, tests, pass, .. } => {
                self.show(format!("test {} ({pass})", text::count(tests)), content)
            }
            Event::Returned { content, tests, .. } => {
                self.show(format!("taken back after test {}", text::count(tests)), content)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use crate::reduce::Size;

    /// What was written, or a reader who has gone away.
    #[derive(Clone, Default)]
    struct Reader(Rc<RefCell<Option<Vec<u8>>>>);

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match &mut *self.0.borrow_mut() {
                Some(read) => read.write(bytes),
                None => Err(io::ErrorKind::BrokenPipe.into()),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn each_step_is_compared_with_the_one_before_as_long_as_somebody_reads() {
        let reader = Reader::default();
        *reader.0.borrow_mut() = Some(Vec::new());
        let mut steps = StepDiffs::new(Box::new(reader.clone()), false, b"1\n2\n3\n");
        let mut accept = |content: &[u8], tests| {
            let size = Size::default();
            steps
                .event(&Event::Accepted { content, size, tests, pass: "lines", rules: &[] })
                .expect("nothing is wrong");
        };
        accept(b"1\n3\n", 2);
        accept(b"3\n", 1_005);
        let read = reader.0.borrow_mut().take().expect("it is there");
        assert_eq!(
            String::from_utf8_lossy(&read),
            "--- the input\n+++ test 2 (lines)\n@@ -1,3 +1,2 @@\n 1\n-2\n 3\n\
             --- test 2 (lines)\n+++ test 1,005 (lines)\n@@ -1,2 +1 @@\n-1\n 3\n"
        );
        accept(b"", 1_006);
        accept(b"1\n", 1_007);
    }

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
    fn what_is_hidden_is_shown() {
        assert_eq!(diff(b"\xff\x1b[1m\n", b""), b"--- a\n+++ b\n@@ -1 +0,0 @@\n-\\xff\\u{1b}[1m\n");
    }

    #[test]
    fn a_large_input_does_not_hang() {
        let before: Vec<u8> =
            (0..200_000u32).flat_map(|n| format!("{}\n", n.wrapping_mul(2_654_435_761) % 977).into_bytes()).collect();
        let after: Vec<u8> = before.iter().rev().copied().collect();
        assert!(!diff(&before, &after).is_empty());
    }
}
