//! Renders a text after its edits: closes the gaps, and maps positions.

use std::borrow::Cow;
use std::ops::Range;

use super::edit::{Edit, is_blank, melt};
use super::indents::{Indents, Shifts};

/// A stretch of the old text that is in the new one.
#[derive(Clone, Copy, Debug)]
struct Piece {
    old: usize,
    len: usize,
    new: usize,
}

/// A text after its edits, and the way from old offsets to new ones.
#[derive(Debug)]
pub struct Rendering {
    /// The new text.
    pub text: Vec<u8>,
    pieces: Vec<Piece>,
}

impl Rendering {
    /// The stretches of the old text that are in the new one, each with its place there, in order.
    pub fn kept(&self) -> impl Iterator<Item = (Range<usize>, usize)> + '_ {
        self.pieces.iter().map(|p| (p.old..p.old + p.len, p.new))
    }

    /// Returns the range of the rest of `start..end` in the new text, or `None` if nothing is left.
    #[must_use]
    pub fn map(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let first = self.pieces.partition_point(|p| p.old + p.len <= start);
        let after = self.pieces.partition_point(|p| p.old < end);
        if first >= after {
            return None;
        }
        let (head, tail) = (self.pieces[first], self.pieces[after - 1]);
        let new_start = head.new + start.saturating_sub(head.old);
        let new_end = tail.new + tail.len.min(end - tail.old);
        (new_start < new_end).then_some((new_start, new_end))
    }

    /// Returns the range of a part of the old text in the new one, or `None` if an edit touches it.
    #[must_use]
    pub fn keeps(&self, part: &Range<usize>) -> Option<Range<usize>> {
        let piece = self.pieces[self.pieces.partition_point(|p| p.old + p.len <= part.start)..].first()?;
        let new = piece.new + part.start.checked_sub(piece.old)?;
        (part.end <= piece.old + piece.len).then(|| new..new + part.len())
    }
}

/// Applies edits to a text.
///
/// The edits may come in any order; one inside another is swallowed by it, and two that overlap
/// are united. At the borders of a hole that is not [raw](Edit::raw)
/// - a space is put between two identifier bytes and between two operator bytes,
/// - if both sides are blank, one of them stays: the one with a line feed, or else the shorter one.
///
/// Nothing else is re-spaced.
#[must_use]
pub fn render(source: &[u8], edits: Vec<Edit>) -> Rendering {
    render_around(source, edits, &[], None)
}

/// [`render`], but no blank of the `kept` parts of the text, which ascend and do not overlap, is taken
/// away at a border. An edit of a kept part itself is made all the same: see [`Rendering::keeps`].
///
/// With `indents`, indentation is syntax: a line that starts elsewhere takes its block along, the text after a hole
/// keeps its indentation, inserted lines are indented to their new place, and a block that may not be empty keeps
/// something.
#[must_use]
pub fn render_around(
    source: &[u8],
    mut edits: Vec<Edit>,
    kept: &[Range<usize>],
    indents: Option<&Indents>,
) -> Rendering {
    // Outer before inner; of two with the same range the one with text comes first and wins.
    edits.sort_by(|a, b| (a.start, b.end, b.text.len()).cmp(&(b.start, a.end, a.text.len())));
    let mut out = Rendering { text: Vec::with_capacity(source.len()), pieces: Vec::new() };
    let mut borders = Borders { kept, kept_until: 0 };
    let fillers = indents.map(|indents| indents.fillers(&edits)).unwrap_or_default();
    let mut shifts = indents.map(Shifts::new);
    let mut at = 0;
    let mut edits = edits.into_iter().peekable();
    while let Some(mut hole) = edits.next() {
        while let Some(next) = edits.peek() {
            // Deletions that touch are one hole: their border must be looked at only once.
            let touch = next.start == hole.end && hole.text.is_empty() && next.text.is_empty() && next.raw == hole.raw;
            if next.start >= hole.end && !touch {
                break;
            }
            hole.end = hole.end.max(next.end);
            edits.next();
        }
        if hole.text.is_empty()
            && let Some((place, filler)) = fillers.get(fillers.partition_point(|(place, _)| *place < hole.start))
            && *place < hole.end
        {
            hole.text = Cow::Owned(filler.as_bytes().to_vec());
        }
        out.copy_lines(source, at, hole.start, shifts.as_mut());
        borders.copied(at..hole.start, &out);
        at = hole.end;
        if hole.raw {
            out.text.extend_from_slice(&hole.text);
            continue;
        }
        let is_syntax = shifts.is_some();
        at = out.close_hole(source, at, &hole.text, &borders, is_syntax);
        if is_syntax && !hole.text.is_empty() {
            out.insert_lines(&hole.text, source.get(at).copied());
        } else {
            out.text.extend_from_slice(&hole.text);
        }
        if !hole.text.is_empty() && at < source.len() {
            out.separate(source[at]);
        }
        if let Some(shifts) = &mut shifts {
            shifts.begin(source, at, &out.text);
        }
    }
    out.copy_lines(source, at, source.len(), shifts.as_mut());
    out
}

/// Which blanks at the borders of a hole may not be touched.
struct Borders<'k> {
    kept: &'k [Range<usize>],
    /// Up to here the new text may not be taken back.
    kept_until: usize,
}

impl Borders<'_> {
    /// Adds a part that was copied from the old text. Its lines can have other blanks now, so the pieces know where a
    /// kept part ends.
    fn copied(&mut self, old: Range<usize>, out: &Rendering) {
        let last = self.kept.partition_point(|kept| kept.start < old.end).checked_sub(1);
        if let Some(kept) = last.map(|last| &self.kept[last])
            && kept.end > old.start
            && let Some((_, end)) = out.map(kept.start, kept.end.min(old.end))
        {
            self.kept_until = end;
        }
    }

    /// Blanks of the old text from `at` on that may go, of `blanks` that there are.
    fn free(&self, at: usize, blanks: usize) -> usize {
        let next = self.kept.partition_point(|kept| kept.end <= at);
        self.kept.get(next).map_or(blanks, |kept| blanks.min(kept.start.saturating_sub(at)))
    }
}

impl Rendering {
    fn copy(&mut self, source: &[u8], from: usize, to: usize) {
        if from < to {
            self.pieces.push(Piece { old: from, len: to - from, new: self.text.len() });
            self.text.extend_from_slice(&source[from..to]);
        }
    }

    /// Copies a part of the old text, in which lines may have moved.
    fn copy_lines(&mut self, source: &[u8], mut from: usize, to: usize, shifts: Option<&mut Shifts<'_>>) {
        for (start, blanks, new) in shifts.map(|shifts| shifts.moved(source, from, to)).unwrap_or_default() {
            self.copy(source, from, start);
            self.text.extend_from_slice(&new);
            from = (start + blanks).min(to);
        }
        self.copy(source, from, to);
    }

    /// Inserts a text whose lines are indented like its new place. `next` follows its last line.
    fn insert_lines(&mut self, insert: &[u8], next: Option<u8>) {
        let line = self.text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let blanks = self.text[line..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let indent = self.text[line..line + blanks].to_vec();
        let mut lines = insert.split_inclusive(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            self.text.extend_from_slice(line);
            let goes_on = match lines.peek() {
                Some(more) => !matches!(*more, b"\n" | b"\r\n"),
                None => next.is_some_and(|next| !matches!(next, b'\r' | b'\n')),
            };
            if line.ends_with(b"\n") && goes_on {
                self.text.extend_from_slice(&indent);
            }
        }
    }

    /// Tidies the left border of a hole that `insert` fills, and returns where copying continues.
    fn close_hole(
        &mut self,
        source: &[u8],
        mut at: usize,
        insert: &[u8],
        borders: &Borders<'_>,
        is_syntax: bool,
    ) -> usize {
        if let Some(&first) = insert.first() {
            self.separate(first);
            return at;
        }
        let left_blank = self.text.len() - trim_end(&self.text).max(borders.kept_until);
        let right_blank = borders.free(at, source[at..].iter().take_while(|b| is_blank(**b)).count());
        let right = &source[at..at + right_blank];
        if self.text.len() == left_blank {
            // Nothing precedes the hole: the text need not start with blanks.
            at += right_blank;
        } else if is_syntax && right.contains(&b'\n') {
            at += self.keep_right(left_blank, right);
        } else if is_syntax && source[..at].ends_with(b"\n") {
            self.end_line(left_blank);
        } else if left_blank > 0 && right_blank > 0 {
            let left = &self.text[self.text.len() - left_blank..];
            // Of two with a line feed, or two without, the shorter one.
            let keep_left = match (left.contains(&b'\n'), right.contains(&b'\n')) {
                (true, false) => true,
                (false, true) => false,
                _ => left_blank <= right_blank,
            };
            if keep_left {
                at += right_blank;
            } else {
                self.cut(self.text.len() - left_blank);
            }
        } else if at < source.len() && left_blank == 0 && right_blank == 0 {
            self.separate(source[at]);
        }
        at
    }

    /// The text after a hole starts a line: it keeps the blanks before it, except for line breaks if the other side has
    /// fewer. Returns the number of blanks to remove from it.
    fn keep_right(&mut self, left_blank: usize, right: &[u8]) -> usize {
        let breaks = |blanks: &[u8]| blanks.iter().filter(|byte| **byte == b'\n').count();
        let (here, there) = (breaks(&self.text[self.text.len() - left_blank..]), breaks(right));
        self.cut(self.text.len() - left_blank);
        let surplus = if here == 0 { 0 } else { there.saturating_sub(here) };
        let first = memchr::memchr_iter(b'\n', right).nth(surplus).filter(|_| surplus > 0);
        first.map_or(0, |first| first - usize::from(right[..first].ends_with(b"\r")))
    }

    /// The hole ended with its line: the text after it starts a line, and keeps its blanks.
    fn end_line(&mut self, left_blank: usize) {
        let left = self.text.len() - left_blank;
        match self.text[left..].iter().rposition(|byte| *byte == b'\n') {
            Some(end) => self.cut(left + end + 1),
            None => self.text.push(b'\n'),
        }
    }

    /// Puts a space before `next` if it would otherwise melt into the byte before it.
    fn separate(&mut self, next: u8) {
        if self.text.last().is_some_and(|&last| melt(last, next)) {
            self.text.push(b' ');
        }
    }

    /// Takes back the text from `len` on.
    fn cut(&mut self, len: usize) {
        self.text.truncate(len);
        while let Some(last) = self.pieces.last_mut() {
            if last.new >= len {
                self.pieces.pop();
            } else {
                last.len = last.len.min(len - last.new);
                break;
            }
        }
    }
}

fn trim_end(text: &[u8]) -> usize {
    text.iter().rposition(|b| !is_blank(*b)).map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indents::LineStart;

    fn after(source: &str, edits: &[(usize, usize, &'static str)]) -> String {
        let edits = edits.iter().map(|&(s, e, t)| Edit::replace(s..e, t.as_bytes())).collect();
        String::from_utf8(render(source.as_bytes(), edits).text).expect("ASCII")
    }

    #[test]
    fn borders_of_a_hole_do_not_melt_together() {
        assert_eq!(after("int(x)y", &[(3, 6, "")]), "int y");
        assert_eq!(after("a+(b)+c", &[(2, 5, "")]), "a+ +c");
        assert_eq!(after("a(b)+c", &[(1, 4, "")]), "a+c");
        assert_eq!(after("return(x);", &[(6, 9, "0")]), "return 0;");
        assert_eq!(after("f(x)y", &[(1, 4, "z")]), "f z y");
    }

    #[test]
    fn of_two_blank_borders_the_one_with_a_line_feed_stays() {
        assert_eq!(after("a; b; c", &[(3, 5, "")]), "a; c");
        assert_eq!(after("a; b;\nc", &[(3, 5, "")]), "a;\nc");
        assert_eq!(after("a;\n  b;\n  c", &[(5, 7, "")]), "a;\n  c");
        assert_eq!(after("a;\nb; c", &[(3, 5, "")]), "a;\nc");
        assert_eq!(after("{\n  a;\n}", &[(4, 6, "")]), "{\n}");
        assert_eq!(after("a\n  b", &[(0, 1, "")]), "b");
    }

    #[test]
    fn raw_holes_touch_nothing() {
        let edits = vec![Edit::delete_raw(2..3)];
        assert_eq!(render(b"a b c", edits).text, b"a  c");
    }

    #[test]
    fn outer_edits_swallow_inner_ones() {
        assert_eq!(after("f(a, b, c)", &[(5, 6, ""), (0, 10, "x")]), "x");
        assert_eq!(after("abcdef", &[(1, 4, ""), (3, 5, "")]), "a f");
    }

    #[test]
    fn blanks_of_kept_parts_are_not_touched() {
        let around = |edits: &[Range<usize>], kept: &[Range<usize>]| {
            let edits = edits.iter().cloned().map(Edit::delete).collect();
            String::from_utf8(render_around(b"{\n  a;\n  b;\n}", edits, kept, None).text).expect("ASCII")
        };
        assert_eq!(around(std::slice::from_ref(&(4..6)), &[]), "{\n  b;\n}");
        assert_eq!(around(std::slice::from_ref(&(4..6)), std::slice::from_ref(&(6..12))), "{\n  \n  b;\n}");
        assert_eq!(around(std::slice::from_ref(&(9..11)), std::slice::from_ref(&(4..9))), "{\n  a;\n  \n}");
        assert_eq!(around(std::slice::from_ref(&(0..6)), std::slice::from_ref(&(6..9))), "\n  b;\n}");
        assert_eq!(around(&[0..6, 9..13], std::slice::from_ref(&(6..9))), "\n  ");
    }

    #[test]
    fn rendering_finds_a_kept_part_before_lines_that_have_moved() {
        let source = b"   \"\")\n   ,\nvalue\n";
        let indents = Indents::new(source, Vec::new(), Vec::new(), |_, _| LineStart::Syntax);
        let edits = [0..3, 10..11].map(Edit::delete).to_vec();
        let done = render_around(source, edits, std::slice::from_ref(&(3..5)), Some(&indents));
        assert_eq!(String::from_utf8_lossy(&done.text), "\"\")\nvalue\n");
        assert_eq!(done.keeps(&(3..5)), Some(0..2));
    }

    #[test]
    fn a_part_is_kept_when_nothing_of_it_goes_and_nothing_comes_between() {
        let edits = vec![Edit::delete(0..4), Edit::replace(8..8, "x".as_bytes()), Edit::delete(12..15)];
        let done = render(b"one two three four", edits);
        assert_eq!(done.text, b"two x thre our");
        assert_eq!(done.keeps(&(4..7)), Some(0..3));
        assert_eq!(done.keeps(&(8..12)), Some(6..10));
        assert_eq!(done.keeps(&(8..13)), None, "the end of it went");
        assert_eq!(done.keeps(&(5..9)), None, "something stands in it now");
        assert_eq!(done.keeps(&(0..5)), None, "the start of it went");
        assert_eq!(done.keeps(&(0..3)), None, "all of it went");
        assert_eq!(done.keeps(&(16..18)), Some(12..14));
    }

    #[test]
    fn offsets_are_followed_into_the_new_text() {
        let done = render(b"one; two; three", vec![Edit::delete(5..9)]);
        assert_eq!(done.text, b"one; three");
        assert_eq!(done.map(0, 4), Some((0, 4)));
        assert_eq!(done.map(5, 9), None);
        assert_eq!(done.map(10, 15), Some((5, 10)));
        assert_eq!(done.map(0, 15), Some((0, 10)));
        // A hoist: the outer node ends at the place of the inner one.
        let done = render(b"a (b) c", vec![Edit::delete(2..3), Edit::delete(4..5)]);
        assert_eq!(done.map(2, 5), done.map(3, 4));
    }
}
