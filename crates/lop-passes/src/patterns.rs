//! Patterns: shortens regular expressions by their parts (groups, classes, alternatives and quantifiers). Halving a
//! text and removing single characters miss these, because their brackets belong together.

use std::cmp::Reverse;
use std::ops::Range;

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId};

use super::alternatives::{Alternative, Class};
use super::fingerprint::Fingerprints;

/// If there are more adjacent alternatives, each half is tried instead of each one.
const MOST_ALTERNATIVES: usize = 8;
/// Number of bytes on either side of a change that are part of its memory key.
const AROUND: usize = 4;

/// The changes of a part, as the numbers of classes of edits.
const WHOLE: u16 = 0;
const OPENED: u16 = 1;
const CHOSEN: u16 = 2;
const MEMBER: u16 = 3;
const UNQUANTIFIED: u16 = 4;

/// Shorter texts for the regular expressions of a document, outer parts first: a group or class is removed with its
/// quantifier, a group becomes its content, alternatives become one of them (or half of many), a class becomes its
/// first member, and a quantifier is removed. Whether the rest is a valid regular expression isn't checked here.
#[must_use]
pub(super) fn shorter_patterns(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut all = Vec::new();
    for id in document.ids().filter(|&id| grammar.is_pattern(document.node(id).kind)) {
        for (number, gone) in cuts(document.text(id)) {
            all.extend(alternative(document, prints, id, number, &gone));
        }
    }
    all
}

/// Makes the edit that removes parts of a pattern; `None` if nothing would be left.
fn alternative(
    document: &Document,
    prints: &Fingerprints,
    id: NodeId,
    number: u16,
    gone: &[Range<usize>],
) -> Option<Alternative> {
    let node = document.node(id);
    let start = node.start as usize;
    if gone.iter().map(Range::len).sum::<usize>() >= node.len() {
        return None;
    }
    let edits: Vec<_> = gone.iter().map(|part| Edit::delete_raw(start + part.start..start + part.end)).collect();
    let (first, last) = (edits.first()?.start, edits.last()?.end);
    // The memory key isn't the whole pattern: a refusal stays valid when another part of the pattern is removed.
    let around = first.saturating_sub(AROUND).max(start)..(last + AROUND).min(node.end as usize);
    let class = Class { outer: node.kind, inner: number, depth: 0 };
    Alternative::of_edits(document, prints, class, edits, prints.of(around))
}

/// A bracket that is still open, or the whole pattern.
struct Open {
    start: usize,
    /// The start of its content, after the sign of its kind.
    inside: usize,
    /// Where the bars between its alternatives are.
    bars: Vec<usize>,
}

/// Lists the parts of a pattern that can be removed together, with the number of the change; outer ones before inner
/// ones.
///
/// Read in one pass, without recursion: patterns may be nested at any depth.
fn cuts(text: &[u8]) -> Vec<(u16, Vec<Range<usize>>)> {
    // With the part that each is about.
    let mut all: Vec<(Range<usize>, u16, Vec<Range<usize>>)> = Vec::new();
    let mut open = vec![Open { start: 0, inside: 0, bars: Vec::new() }];
    let mut at = 0;
    while at < text.len() {
        let mut start = at;
        match text[at] {
            b'(' => {
                at += group_head(&text[at..]);
                open.push(Open { start, inside: at, bars: Vec::new() });
                continue;
            }
            b'|' => {
                open.last_mut().expect("the whole pattern is never closed").bars.push(at);
                at += 1;
                continue;
            }
            b')' if open.len() > 1 => {
                let group = open.pop().expect("there are two");
                start = group.start;
                at += 1;
                let part = start..at + quantifier(&text[at..]);
                all.push((part.clone(), WHOLE, vec![part.clone()]));
                all.push((part.clone(), OPENED, vec![start..group.inside, at - 1..part.end]));
                all.extend(chosen(&group, at - 1).into_iter().map(|gone| (part.clone(), CHOSEN, gone)));
            }
            b'[' => {
                at = class_end(text, at);
                let part = start..at + quantifier(&text[at..]);
                all.push((part.clone(), WHOLE, vec![part.clone()]));
                let member = start + 1 + usize::from(text.get(start + 1) == Some(&b'^'));
                let rest = member + atom(&text[member.min(text.len())..]);
                if rest < at {
                    all.push((part, MEMBER, vec![start..member, rest..at]));
                }
            }
            _ => at += atom(&text[at..]),
        }
        let end = at + quantifier(&text[at..]);
        if at < end {
            let gone = at..end;
            all.push((start..end, UNQUANTIFIED, vec![gone]));
        }
        at = end;
    }
    // A group that is left open has no end to go with its start.
    let whole = open.swap_remove(0);
    all.extend(chosen(&whole, text.len()).into_iter().map(|gone| (0..text.len(), CHOSEN, gone)));
    // Parts were found when they ended. Changes of the same part stay in the order in which they were listed.
    all.sort_by_key(|(part, ..)| (part.start, Reverse(part.end)));
    all.into_iter().map(|(_, number, gone)| (number, gone)).collect()
}

/// Some of the alternatives of a group that ends at `end`: each of a few, and each half of them.
fn chosen(group: &Open, end: usize) -> Vec<Vec<Range<usize>>> {
    let starts: Vec<usize> = std::iter::once(group.inside).chain(group.bars.iter().map(|bar| bar + 1)).collect();
    let ends: Vec<usize> = group.bars.iter().copied().chain([end]).collect();
    let count = starts.len();
    let halves = [0..count / 2, count / 2..count];
    let mut kept: Vec<Range<usize>> = halves.into_iter().filter(|half| half.len() > 1 && count > 2).collect();
    if (2..=MOST_ALTERNATIVES).contains(&count) {
        kept.extend((0..count).map(|one| one..one + 1));
    }
    let without = |kept: Range<usize>| [group.inside..starts[kept.start], ends[kept.end - 1]..end];
    kept.into_iter().map(|kept| without(kept).into_iter().filter(|part| !part.is_empty()).collect()).collect()
}

/// Returns the length of a group's opening bracket with the sign of its kind: `(`, `(?:`, `(?<name>`, …
fn group_head(text: &[u8]) -> usize {
    match text {
        [b'(', b'?', b'<', b'=' | b'!', ..] => 4,
        [b'(', b'?', b'<', name @ ..] => {
            let is_named = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 128..);
            let length = name.iter().take_while(is_named).count();
            if name.get(length) == Some(&b'>') { 3 + length + 1 } else { 1 }
        }
        [b'(', b'?', b':' | b'=' | b'!', ..] => 3,
        _ => 1,
    }
}

/// Returns the end of a class that starts at `start`, or of the text if nothing closes it.
fn class_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match text[at] {
            b']' => return at + 1,
            _ => at += atom(&text[at..]),
        }
    }
    text.len()
}

/// The length of a character or an escape at the start of a text.
fn atom(text: &[u8]) -> usize {
    let escape = usize::from(text.first() == Some(&b'\\'));
    let rest = &text[escape..];
    let goes_on = rest.iter().skip(1).take_while(|byte| **byte & 0xC0 == 0x80).count();
    escape + (1 + goes_on).min(rest.len())
}

/// Returns the length of a quantifier at the start of a text, lazy or not; 0 if there is none.
fn quantifier(text: &[u8]) -> usize {
    let length = match text {
        [b'*' | b'+' | b'?', ..] => 1,
        [b'{', rest @ ..] => {
            let inside = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b',').count();
            if inside > 0 && rest.get(inside) == Some(&b'}') { inside + 2 } else { return 0 }
        }
        _ => return 0,
    };
    length + usize::from(text.get(length) == Some(&b'?'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::assert_proposals;

    /// The texts that the cuts leave of a pattern, in their order.
    fn left(text: &str) -> Vec<String> {
        let without = |gone: Vec<Range<usize>>| {
            let bytes = text.bytes().enumerate().filter(|(at, _)| !gone.iter().any(|part| part.contains(at)));
            String::from_utf8_lossy(&bytes.map(|(_, byte)| byte).collect::<Vec<_>>()).into_owned()
        };
        cuts(text.as_bytes()).into_iter().map(|(_, gone)| without(gone)).collect()
    }

    #[test]
    fn brackets_go_with_their_partners_and_quantifiers() {
        let rows: [(&str, &[&str]); 12] = [
            ("abc", &[]),
            ("a(b)c", &["ac", "abc"]),
            ("a(?:b)+?c", &["ac", "abc", "a(?:b)c"]),
            ("(?<n>a)(?<!b)", &["(?<!b)", "a(?<!b)", "(?<n>a)", "(?<n>a)b"]),
            ("((a)b)", &["", "(a)b", "(b)", "(ab)"]),
            ("[^a-z]{2,3}d", &["d", "a{2,3}d", "[^a-z]d"]),
            ("\\(a\\)*[\\]b]", &["\\(a\\)[\\]b]", "\\(a\\)*", "\\(a\\)*\\]"]),
            ("a|b", &["a", "b"]),
            ("x(a|b|c)", &["x", "xa|b|c", "x(b|c)", "x(a)", "x(b)", "x(c)"]),
            ("a{x}b{2}", &["a{x}b"]),
            ("é+", &["é"]),
            ("a)b(c|d", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(left(text), expected, "{text}");
        }
    }

    #[test]
    fn only_regular_expressions_are_patterns_and_none_becomes_empty() {
        assert_proposals(
            shorter_patterns,
            &[
                ("x.js", "x = /a(b)/g;", &["x = /a/g;", "x = /ab/g;"]),
                ("x.js", "x = /(b)/;", &["x = /b/;"]),
                ("x.js", "x = '(b)';", &[]),
                ("x.c", "char *x = \"(b)\";", &[]),
                ("x.json", "\"(b)\"", &[]),
            ],
        );
    }

    proptest! {
        #[test]
        fn any_text_is_cut_inside_it_and_parts_do_not_overlap(text in "[\\]a|(){}?:<>=!*+^\\\\,1é\\[-]{0,40}") {
            for (_, gone) in cuts(text.as_bytes()) {
                prop_assert!(gone.iter().all(|part| part.start < part.end && part.end <= text.len()));
                prop_assert!(gone.windows(2).all(|pair| pair[0].end <= pair[1].start));
                prop_assert!(!gone.is_empty());
            }
        }
    }
}
