//! The edits that make one text of another, for candidates that come as whole texts.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use lop_syntax::Edit;

/// Most lines of a text that are compared with those of a candidate.
const MOST_LINES: usize = 20_000;

/// The edits that make one text of another: a single one, or if parts have to stay, one for each run of changed lines.
pub(crate) fn difference(from: &[u8], to: &[u8], by_lines: bool) -> Vec<Edit> {
    let [old, new] = [from, to].map(|text| text.split_inclusive(|byte| *byte == b'\n').collect::<Vec<_>>());
    if !by_lines || old.len().max(new.len()) > MOST_LINES {
        return vec![trimmed(from, to, 0)];
    }
    let starts = |lines: &[&[u8]]| {
        let mut at = 0;
        let mut starts = vec![0];
        starts.extend(lines.iter().map(|line| {
            at += line.len();
            at
        }));
        starts
    };
    let (starts_from, starts_to) = (starts(&old), starts(&new));
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    let changes = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })).map(|op| {
        let (a, b) = (op.old_range(), op.new_range());
        let (a, b) = (starts_from[a.start]..starts_from[a.end], starts_to[b.start]..starts_to[b.end]);
        trimmed(&from[a.clone()], &to[b], a.start)
    });
    changes.collect()
}

/// The edit that makes one text of another, without what they share at both ends; the first begins at `at`.
pub(crate) fn trimmed(from: &[u8], to: &[u8], at: usize) -> Edit {
    let head = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    let tail = from[head..].iter().rev().zip(to[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let text = to[head..to.len() - tail].to_vec();
    Edit { raw: true, ..Edit::replace(at + head..at + from.len() - tail, text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(from: &str, to: &str, by_lines: bool) -> (String, usize) {
        let mut edits = difference(from.as_bytes(), to.as_bytes(), by_lines);
        let count = edits.len();
        let mut text = from.as_bytes().to_vec();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.start));
        for edit in edits {
            text.splice(edit.start..edit.end, edit.text.iter().copied());
        }
        (String::from_utf8(text).expect("they are text"), count)
    }

    #[test]
    fn the_edits_make_the_candidate() {
        for (from, to, edits) in [
            ("one\ntwo\nthree\nfour\n", "one\ntwo!\nthree\n4\n", 2),
            ("one\ntwo\n", "", 1),
            ("aa", "a", 1),
            ("a\nb\nlast", "last", 1),
            ("x", "a\nx\nb", 2),
        ] {
            assert_eq!(made(from, to, false), (to.to_owned(), 1));
            let (text, count) = made(from, to, true);
            assert_eq!(text, to);
            assert!(count <= edits, "{from:?} {to:?}: {count}");
        }
    }
}
