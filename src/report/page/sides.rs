//! Input and result side by side: equal lines face each other, what went is folded where it is long.

use std::time::Duration;

use maud::{Markup, html};
use similar::{Algorithm, ChangeTag, TextDiff};

use crate::report::text::{self, shown};

/// Bytes of either text that are compared.
const MOST_BYTES: usize = 1 << 20;
/// Lines that are written into the page.
const MOST_LINES: usize = 3_000;
/// Characters of a line that are shown.
const MOST_WIDTH: usize = 300;
/// Rows of lines that only one side has are folded when they are longer.
const FOLDED: usize = 12;
/// After this time the rest is compared roughly.
const PATIENCE: Duration = Duration::from_secs(2);

/// Lines that face each other, with their numbers from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    left: Option<(usize, String)>,
    right: Option<(usize, String)>,
    equal: bool,
}

pub(super) fn section(original: &[u8], best: &[u8]) -> Markup {
    let cut = |text: &[u8]| text.len().min(MOST_BYTES);
    let (before, after) = (&original[..cut(original)], &best[..cut(best)]);
    let mut rows = rows(before, after);
    let lines = rows.len();
    rows.truncate(MOST_LINES);
    let mut left_out = Vec::new();
    for (name, whole, part) in [("input", original, before), ("result", best, after)] {
        if part.len() < whole.len() {
            left_out.push(format!(
                "{} bytes at the end of the {name} were not compared",
                text::len(whole.len() - part.len())
            ));
        }
    }
    if lines > MOST_LINES {
        left_out.push(format!("{} more lines are not shown", text::len(lines - MOST_LINES)));
    }
    html! {
        @if original == best { p class="lead" { "They are the same." } }
        @else { p class="lead" { "Red with a minus is in the input only, green with a plus in the result only." } }
        @if !left_out.is_empty() { p class="cut" { "Cut: " (left_out.join("; ")) "." } }
        div class="sides" {
            div class="row head" { span class="left" { "input" } span class="right" { "result" } }
            @for part in rows.chunk_by(|one, other| one.right.is_none() == other.right.is_none()) {
                @if part.len() > FOLDED && part[0].right.is_none() {
                    details { summary { (text::len(part.len())) " lines removed" } (written(part)) }
                } @else { (written(part)) }
            }
        }
    }
}

fn written(rows: &[Row]) -> Markup {
    let cell = |side: &str, line: &Option<(usize, String)>| match line {
        Some((number, text)) => html! { span class=(side) { i { (number) } code { (text) } } },
        None => html! { span class={ (side) " none" } {} },
    };
    html! {
        @for row in rows {
            div class=(if row.equal { "row same" } else { "row" }) { (cell("left", &row.left)) (cell("right", &row.right)) }
        }
    }
}

fn rows(before: &[u8], after: &[u8]) -> Vec<Row> {
    let diff = TextDiff::configure().algorithm(Algorithm::Histogram).timeout(PATIENCE).diff_lines(before, after);
    let mut rows: Vec<Row> = Vec::new();
    // Where lines were removed that no added one faces yet.
    let mut open = 0;
    for change in diff.iter_all_changes() {
        let number = |index: Option<usize>| index.map_or(0, |index| index + 1);
        let line = change.value();
        let line = text::visible(&shown(line.strip_suffix(b"\n").unwrap_or(line)), MOST_WIDTH);
        match change.tag() {
            ChangeTag::Equal => {
                let (left, right) = ((number(change.old_index()), line.clone()), (number(change.new_index()), line));
                rows.push(Row { left: Some(left), right: Some(right), equal: true });
                open = rows.len();
            }
            ChangeTag::Delete => {
                rows.push(Row { left: Some((number(change.old_index()), line)), right: None, equal: false });
            }
            ChangeTag::Insert => {
                let right = Some((number(change.new_index()), line));
                match rows.get_mut(open) {
                    Some(row) => row.right = right,
                    None => rows.push(Row { left: None, right, equal: false }),
                }
                open += 1;
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lines_face_each_other() {
        let numbers: Vec<_> = rows(b"a\nb\nc\nd\n", b"a\nx\nd\ne")
            .into_iter()
            .map(|row| (row.left.map(|left| left.0), row.right.map(|right| right.0), row.equal))
            .collect();
        let expected = [
            (Some(1), Some(1), true),
            (Some(2), Some(2), false),
            (Some(3), None, false),
            (Some(4), Some(3), true),
            (None, Some(4), false),
        ];
        assert_eq!(numbers, expected);
    }

    #[test]
    fn what_is_cut_is_said() {
        let long: Vec<u8> = (0..MOST_LINES + 5).flat_map(|n| format!("{n}\n").into_bytes()).collect();
        assert!(section(&long, b"7\n").into_string().contains("5 more lines are not shown"));
        let huge = vec![b'x'; MOST_BYTES + 1_234];
        assert!(section(&huge, b"x").into_string().contains("1,234 bytes at the end of the input were not compared"));
    }
}
