//! The best result as lines for the screen, with colours, and with the last removed text at its place.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use crate::visible::is_hidden;

use super::token_view::{Leaf, TokenView};

/// Between the first and the last difference two texts are compared token by token up to this many bytes.
const COMPARED: usize = 64 << 10;
/// The comparison becomes rough after this time.
const PATIENCE: Duration = Duration::from_millis(20);
/// A removed text shows this many bytes at its beginning and at its end at most.
const EXCERPT: usize = 400;
/// Bytes around the difference that are made into lines, in large texts.
const AROUND: usize = 64 << 10;
/// Longer lines are cut.
const WIDEST: usize = 1_000;

/// The fate of a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It is as it was.
    #[default]
    Stays,
    /// It was just removed.
    Gone,
    /// It has just replaced something.
    New,
    /// Words of lop about text that is not shown.
    Said,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Without control characters.
    pub text: String,
    /// The class of its leaf.
    pub leaf: Leaf,
    /// Whether it stays, was removed or is new.
    pub fate: Fate,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceView {
    /// All lines, or those around the difference.
    pub lines: Vec<Vec<Piece>>,
    /// The line of the first difference.
    pub focus: usize,
}

impl SourceView {
    /// The passage that leads from one text to another.
    pub fn new(before: &[u8], after: &[u8], leaves: &mut TokenView) -> Self {
        let (old, new) = (leaves.of(before), leaves.of(after));
        let changes = changes(before, after);
        let first = changes.iter().position(|(fate, _)| *fate != Fate::Stays);
        let mut maker = Maker::default();
        for (at, (fate, range)) in changes.iter().enumerate() {
            let (text, leaves) = if *fate == Fate::New { (after, &new) } else { (before, &old) };
            if Some(at) == first {
                maker.source_view.focus = maker.source_view.lines.len();
            }
            let parts = match fate {
                Fate::Gone => ends(range, EXCERPT),
                // Only the surroundings of the change are interesting.
                Fate::Stays if first.is_none_or(|first| at > first) => start(range, AROUND),
                Fate::Stays => end(range, AROUND),
                Fate::New | Fate::Said => start(range, AROUND),
            };
            for part in parts {
                match part {
                    Part::Shown(part) => maker.add_leaves(text, part, leaves, *fate),
                    Part::Left(count) => maker.say(&format!(" … {count} bytes … ")),
                }
            }
        }
        maker.finish()
    }
}

/// A part of a range: shown, or only counted.
enum Part {
    Shown(Range<usize>),
    Left(usize),
}

fn start(range: &Range<usize>, most: usize) -> Vec<Part> {
    let cut = range.start + range.len().min(most);
    parts([Part::Shown(range.start..cut), Part::Left(range.end - cut)])
}

fn end(range: &Range<usize>, most: usize) -> Vec<Part> {
    let cut = range.end - range.len().min(most);
    parts([Part::Left(cut - range.start), Part::Shown(cut..range.end)])
}

fn ends(range: &Range<usize>, most: usize) -> Vec<Part> {
    if range.len() <= 2 * most {
        return start(range, range.len());
    }
    let (head, tail) = (range.start + most, range.end - most);
    parts([Part::Shown(range.start..head), Part::Left(tail - head), Part::Shown(tail..range.end)])
}

fn parts(all: impl IntoIterator<Item = Part>) -> Vec<Part> {
    let is_something = |part: &Part| match part {
        Part::Shown(range) => !range.is_empty(),
        Part::Left(count) => *count > 0,
    };
    all.into_iter().filter(is_something).collect()
}

/// Pieces of `before` that stay or go and pieces of `after` that are new, in the order of the text.
fn changes(before: &[u8], after: &[u8]) -> Vec<(Fate, Range<usize>)> {
    let head = before.iter().zip(after).take_while(|(old, new)| old == new).count();
    let rest = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let (old, new) = (head..before.len() - tail, head..after.len() - tail);
    let mut changes = vec![(Fate::Stays, 0..head)];
    if old.len() + new.len() > COMPARED || old.is_empty() || new.is_empty() {
        changes.extend([(Fate::Gone, old.clone()), (Fate::New, new)]);
    } else {
        let (old_words, new_words) = (words(before, old.clone()), words(after, new));
        let a: Vec<&[u8]> = old_words.iter().map(|word| &before[word.clone()]).collect();
        let b: Vec<&[u8]> = new_words.iter().map(|word| &after[word.clone()]).collect();
        let deadline = Some(Instant::now() + PATIENCE);
        let whole = |words: &[Range<usize>], from: usize, count: usize| words[from].start..words[from + count - 1].end;
        for op in capture_diff_slices_deadline(Algorithm::Myers, &a, &b, deadline) {
            match op {
                DiffOp::Equal { old_index, len, .. } => changes.push((Fate::Stays, whole(&old_words, old_index, len))),
                DiffOp::Delete { old_index, old_len, .. } => {
                    changes.push((Fate::Gone, whole(&old_words, old_index, old_len)));
                }
                DiffOp::Insert { new_index, new_len, .. } => {
                    changes.push((Fate::New, whole(&new_words, new_index, new_len)));
                }
                DiffOp::Replace { old_index, old_len, new_index, new_len } => changes.extend([
                    (Fate::Gone, whole(&old_words, old_index, old_len)),
                    (Fate::New, whole(&new_words, new_index, new_len)),
                ]),
            }
        }
    }
    changes.push((Fate::Stays, old.end..before.len()));
    changes.retain(|(_, range)| !range.is_empty());
    changes
}

/// Words, blanks and single signs.
fn words(text: &[u8], within: Range<usize>) -> Vec<Range<usize>> {
    let class = |byte: u8| match byte {
        b' ' | b'\t' => 1,
        _ if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 128 => 2,
        _ => 0,
    };
    let mut words: Vec<Range<usize>> = Vec::new();
    for at in within {
        match words.last_mut() {
            Some(last) if class(text[at]) != 0 && class(text[at]) == class(text[at - 1]) => last.end = at + 1,
            _ => words.push(at..at + 1),
        }
    }
    words
}

/// Makes lines.
#[derive(Default)]
struct Maker {
    source_view: SourceView,
    line: Vec<Piece>,
    width: usize,
}

impl Maker {
    /// Adds a part of a text, cut at the ends of its leaves.
    fn add_leaves(&mut self, text: &[u8], part: Range<usize>, leaves: &[(Range<usize>, Leaf)], fate: Fate) {
        let mut at = part.start;
        let first = leaves.partition_point(|(leaf, _)| leaf.end <= part.start);
        for (leaf, kind) in &leaves[first..] {
            if leaf.start >= part.end {
                break;
            }
            self.add(&text[at..leaf.start.max(at)], Leaf::Plain, fate);
            let end = leaf.end.min(part.end);
            self.add(&text[leaf.start.max(at)..end], *kind, fate);
            at = end;
        }
        self.add(&text[at..part.end], Leaf::Plain, fate);
    }

    fn add(&mut self, text: &[u8], leaf: Leaf, fate: Fate) {
        for (number, line) in String::from_utf8_lossy(text).split('\n').enumerate() {
            if number > 0 {
                self.end_line();
            }
            self.push(line, leaf, fate);
        }
    }

    fn say(&mut self, words: &str) {
        self.push(words, Leaf::Plain, Fate::Said);
    }

    fn push(&mut self, line: &str, leaf: Leaf, fate: Fate) {
        let mut text = String::new();
        for letter in line.chars() {
            if self.width >= WIDEST {
                break;
            }
            match letter {
                '\t' => text.push_str("    "),
                '\r' => {}
                letter if is_hidden(letter) => text.push('·'),
                letter => text.push(letter),
            }
            self.width += 1;
        }
        match self.line.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.leaf == leaf && last.fate == fate => last.text.push_str(&text),
            _ => self.line.push(Piece { text, leaf, fate }),
        }
    }

    fn end_line(&mut self) {
        self.source_view.lines.push(std::mem::take(&mut self.line));
        self.width = 0;
    }

    fn finish(mut self) -> SourceView {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.source_view
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn passage(before: &str, after: &str) -> SourceView {
        SourceView::new(before.as_bytes(), after.as_bytes(), &mut TokenView::default())
    }

    /// The text with marks around removed (`-`) and new (`+`) parts.
    fn marked(source_view: &SourceView) -> Vec<String> {
        let piece = |piece: &Piece| match piece.fate {
            Fate::Stays => piece.text.clone(),
            Fate::Gone => format!("-{}-", piece.text),
            Fate::New => format!("+{}+", piece.text),
            Fate::Said => format!("<{}>", piece.text),
        };
        source_view.lines.iter().map(|line| line.iter().map(piece).collect()).collect()
    }

    #[test]
    fn what_has_gone_is_shown_where_it_was() {
        let shown = passage("one two\nthree four\nfive\n", "one two\nthree\nfive\n");
        assert_eq!(marked(&shown), ["one two", "three- four-", "five"]);
        assert_eq!(shown.focus, 1);
    }

    #[test]
    fn what_was_replaced_is_shown_beside_what_replaces_it() {
        assert_eq!(marked(&passage("a = f(x);", "a = 0;")), ["a = -f(x)-+0+;"]);
    }

    #[test]
    fn two_places_are_told_apart() {
        assert_eq!(marked(&passage("keep(a, b); keep(c, d);", "keep(b); keep(c);")), ["keep(-a, -b); keep(c-, d-);"]);
    }

    #[test]
    fn much_that_goes_is_counted() {
        let before = format!("x{}y", "z ".repeat(5_000));
        let shown = marked(&passage(&before, "xy"));
        assert!(shown.len() == 1 && shown[0].contains("< … 9200 bytes … >"), "{shown:?}");
    }

    #[test]
    fn nothing_changed_is_the_text_itself() {
        let text = "a\n\tb\u{7}\n\nend";
        let same = passage(text, text);
        assert_eq!((marked(&same).join("/"), same.focus), ("a/    b·//end".to_owned(), 0));
    }

    proptest! {
        /// The kept and the new pieces are the new text without control characters.
        #[test]
        fn the_new_text_is_all_there(before in "[ab(\n ]{0,40}", after in "[ab(\n ]{0,40}") {
            let shown = passage(&before, &after);
            let lines: Vec<String> = shown.lines.iter().map(|line| {
                line.iter().filter(|piece| piece.fate != Fate::Gone).map(|piece| piece.text.as_str()).collect()
            }).collect();
            // A line break that went leaves a break in the picture.
            prop_assert_eq!(lines.concat(), after.replace('\n', ""));
            prop_assert!(shown.focus <= shown.lines.len());
        }

        #[test]
        fn changes_are_in_order_and_cover_both_texts(before in "[ab( ]{0,30}", after in "[ab( ]{0,30}") {
            let (mut old, mut new) = (String::new(), String::new());
            for (fate, range) in changes(before.as_bytes(), after.as_bytes()) {
                match fate {
                    Fate::Stays => {
                        old.push_str(&before[range.clone()]);
                        new.push_str(&before[range]);
                    }
                    Fate::Gone => old.push_str(&before[range]),
                    _ => new.push_str(&after[range]),
                }
            }
            prop_assert_eq!((old, new), (before, after));
        }
    }
}
