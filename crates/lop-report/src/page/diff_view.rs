//! The input next to the result, line by line: kept, changed or removed. Folds long runs of removed lines.

use maud::{Markup, html};

use crate::origins::Origins;
use crate::text::{self, shown};
use lop_files::project::{Archive, TestCase};

/// Rows that are written into the page.
const MOST_ROWS: usize = 3_000;
/// Maximum number of removed lines in a row that are written.
const MOST_GONE: usize = 400;
/// Characters of a line that are shown.
const MOST_WIDTH: usize = 300;
/// Number of removed lines in a row above which they are folded.
const FOLDED: usize = 12;

/// The fate of a line of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The result has it as it was.
    Kept,
    /// Something of it is in the result.
    Changed,
    /// Nothing of it is.
    Gone,
}

/// Lines that face each other, by their numbers from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    left: Option<usize>,
    right: Option<usize>,
    /// The line of the result that contains the rest of this line among others.
    within: Option<usize>,
    fate: Fate,
    /// Number of removed lines after this one that aren't written.
    more: usize,
}

pub(super) fn section(best: TestCase<'_>, original: &[u8], origins: Origins) -> Markup {
    let (archive, best) = (best.archive(), best.text());
    let (before, after) = (lines(original), lines(best));
    let mut rows = rows(&before, &after, &origins.lines(best));
    // The mark of an archive is a line of no file.
    rows.drain(..usize::from(archive.is_some()).min(rows.len()));
    let count = |fate| text::len(rows.iter().filter(|row| row.fate == fate && row.left.is_some()).count());
    let [kept, changed, gone] = [Fate::Kept, Fate::Changed, Fate::Gone].map(count);
    let all = rows.len();
    // Lines that are left are worth more space than removed ones.
    if all > MOST_ROWS {
        rows = without_most_of_the_gone(rows);
    }
    rows.truncate(MOST_ROWS);
    let left_out = all - rows.len();
    html! {
        p class="lead" {
            (text::plural(before.len() as u64, "line")) " of the input: " (kept) " kept (=), " (changed) " changed (~), "
            (gone) " gone (−). On the right is what became of a line, wherever it is in the result."
        }
        @if left_out > 0 { p class="cut" { "Cut: " (text::len(left_out)) " more lines are not shown." } }
        div class="sides" {
            div class="row head" { span class="left" { "input" } span class="right" { "result" } }
            @for part in rows.chunk_by(|one, other| (one.fate == Fate::Gone) == (other.fate == Fate::Gone)) {
                @if part.len() > FOLDED && part[0].fate == Fate::Gone {
                    @let more = part.iter().map(|row| row.more).sum::<usize>();
                    details {
                        summary { (text::len(part.len() + more)) " lines gone" }
                        (written(part, &before, &after, archive))
                        @if more > 0 { p class="cut" { "and " (text::len(more)) " more" } }
                    }
                } @else { (written(part, &before, &after, archive)) }
            }
        }
    }
}

/// Keeps only the first removed lines of each group.
fn without_most_of_the_gone(rows: Vec<Row>) -> Vec<Row> {
    let mut kept: Vec<Row> = Vec::new();
    let mut in_a_row = 0;
    for row in rows {
        in_a_row = if row.fate == Fate::Gone { in_a_row + 1 } else { 0 };
        match kept.last_mut() {
            Some(last) if in_a_row > MOST_GONE => last.more += 1,
            _ => kept.push(row),
        }
    }
    kept
}

fn written(rows: &[Row], before: &[&[u8]], after: &[&[u8]], archive: Option<&Archive>) -> Markup {
    let cell =
        |side: &str, line: Option<usize>, lines: &[&[u8]]| match line.and_then(|line| Some((line, lines.get(line)?))) {
            Some((line, text)) => match archive.and_then(|archive| archive.heading(text)) {
                Some(path) => html! { span class=(side) { i {} b { (cut(path.as_bytes())) } } },
                None => html! { span class=(side) { i { (in_file(line, lines, archive)) } code { (cut(text)) } } },
            },
            None => html! { span class={ (side) " none" } {} },
        };
    let fate = |fate| match fate {
        Fate::Kept => "row kept",
        Fate::Changed => "row changed",
        Fate::Gone => "row gone",
    };
    html! {
        @for row in rows {
            div class=(fate(row.fate)) {
                (cell("left", row.left, before))
                @if let Some(line) = row.within {
                    span class="right" { i {} small { "in line " (line + 1) } }
                } @else { (cell("right", row.right, after)) }
            }
        }
    }
}

/// The number of a line in its file, counted from 1.
fn in_file(line: usize, lines: &[&[u8]], archive: Option<&Archive>) -> usize {
    let Some(archive) = archive else { return line + 1 };
    let is_heading = |line: &&[u8]| archive.heading(line).is_some();
    let start = lines[..line].iter().rposition(is_heading).map_or(0, |heading| heading + 1);
    line - start + 1
}

fn cut(line: &[u8]) -> String {
    // A whole line need not be looked at for its first letters.
    text::visible(&shown(&line[..line.len().min(4 * MOST_WIDTH)]), MOST_WIDTH)
}

/// Splits a text into lines. A final line feed doesn't start another one.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    lines
}

/// Aligns the lines of the input, in order, with the lines of the result: each next to the line that most of it comes
/// from. `origins` has the lines of the input for the tokens of each line of the result.
fn rows(before: &[&[u8]], after: &[&[u8]], origins: &[Vec<usize>]) -> Vec<Row> {
    // The line of the result for each line of the input, and the lines of the result to put next to it.
    let mut within: Vec<Option<usize>> = vec![None; before.len()];
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); before.len()];
    let mut homeless = Vec::new();
    let mut last = None;
    for (number, tokens) in origins.iter().enumerate().take(after.len()) {
        for &line in tokens.iter().filter(|line| **line < before.len()) {
            within[line].get_or_insert(number);
        }
        // An empty line stays with the line before it.
        last = most(tokens).filter(|line| *line < before.len()).or(last);
        match last {
            Some(line) => beside[line].push(number),
            None => homeless.push(number),
        }
    }
    let alone = |right| Row { left: None, right: Some(right), within: None, fate: Fate::Changed, more: 0 };
    let mut rows: Vec<Row> = homeless.into_iter().map(alone).collect();
    for (line, rights) in beside.into_iter().enumerate() {
        let is_same = |right: &usize| after[*right].trim_ascii() == before[line].trim_ascii();
        // The equal line is next to it, or else the first one.
        let facing = rights.iter().position(is_same);
        let fate = match (facing, within[line].or(rights.first().copied())) {
            (Some(_), _) => Fate::Kept,
            (None, Some(_)) => Fate::Changed,
            (None, None) => Fate::Gone,
        };
        let facing = facing.unwrap_or(0);
        rows.extend(rights.iter().take(facing).map(|right| alone(*right)));
        let right = rights.get(facing).copied();
        rows.push(Row { left: Some(line), right, within: within[line].filter(|_| right.is_none()), fate, more: 0 });
        rows.extend(rights.iter().skip(facing + 1).map(|right| alone(*right)));
    }
    rows
}

/// Returns the line of most of these tokens, the first of several.
fn most(tokens: &[usize]) -> Option<usize> {
    let count = |line: usize| tokens.iter().filter(|other| **other == line).count();
    // A line of many tokens is one of many lines rarely, and long ones need not be counted to the end.
    let some = &tokens[..tokens.len().min(200)];
    some.iter().copied().max_by_key(|line| (count(*line), std::cmp::Reverse(*line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Facing = (Option<usize>, Option<usize>, Option<usize>, Fate);

    fn facing(before: &str, steps: &[&str]) -> Vec<Facing> {
        let mut origins = Origins::new(before.as_bytes());
        steps.iter().for_each(|step| origins.follow(step.as_bytes()));
        let after = steps.last().copied().unwrap_or(before);
        let rows = rows(&lines(before.as_bytes()), &lines(after.as_bytes()), &origins.lines(after.as_bytes()));
        rows.into_iter().map(|row| (row.left, row.right, row.within, row.fate)).collect()
    }

    #[test]
    fn each_line_of_the_input_says_what_became_of_it() {
        let before = "int a;\nint b = 1;\n\nint f() {\n  return b;\n}\n";
        let steps =
            ["int b = 1;\nint f() {\n  return b;\n}\n", "int b = 1;\nint f() { b;\n}\n", "int c;\nint f() { c;\n}\n"];
        let expected = [
            (Some(0), None, None, Fate::Gone),
            (Some(1), Some(0), None, Fate::Changed),
            (Some(2), None, None, Fate::Gone),
            (Some(3), Some(1), None, Fate::Changed),
            (Some(4), None, Some(1), Fate::Changed),
            (Some(5), Some(2), None, Fate::Kept),
        ];
        assert_eq!(facing(before, &steps), expected);
    }

    #[test]
    fn one_line_may_become_several() {
        let expected = [(Some(0), Some(0), None, Fate::Changed), (None, Some(1), None, Fate::Changed)];
        assert_eq!(facing("f(a, b)\n", &["f(\n  a, b)\n"]), expected);
        assert_eq!(facing("a\n", &["a\n"]), [(Some(0), Some(0), None, Fate::Kept)]);
    }

    #[test]
    fn what_is_left_of_a_long_input_is_shown_and_what_is_cut_is_said() {
        let long: String = (0..MOST_ROWS + 5).map(|n| format!("{n}\n")).collect();
        let mut origins = Origins::new(long.as_bytes());
        origins.follow(b"3003\n");
        let page = section(b"3003\n".into(), long.as_bytes(), origins).into_string();
        assert!(page.contains("2,603 more lines are not shown"), "{page}");
        assert!(page.contains("3,003 lines gone") && page.contains("and 2,603 more"), "{page}");
        assert!(page.contains("<i>3004</i><code>3003</code>"), "{page}");
    }
}
