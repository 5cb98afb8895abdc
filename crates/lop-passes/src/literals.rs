//! Literals: numbers become simple or short, or one number replaces many; strings become empty or short.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId};

use super::alternatives::{Alternative, Class};
use super::fingerprint::Fingerprints;
use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::patterns::shorter_patterns;
use super::sequence::{Remembered, Removal, Sequence, Unit, list_kind};

/// Numbers and texts made simple.
pub struct Literals;

impl Pass for Literals {
    fn facts(&self) -> Facts {
        Facts::new("literals", Stage::Late, "numbers and strings become simple")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let Some(tree) = &view.tree else { return Proposals::default() };
        let (document, grammar) = (tree.document, tree.grammar);
        let mut alternatives = shorter_patterns(document, grammar, tree.prints());
        alternatives.extend(shorter_literals(document, grammar, tree.prints()));
        let sequences = simplest_literals(document, grammar).into_iter().collect();
        Proposals { sequences, alternatives }
    }
}

/// Texts of fewer characters are left to the pass over characters, which needs
/// hardly more tests for them than there are halves to try.
const SHORTEST_HALVED: usize = 12;
/// So are numbers with at most this number of digits.
const MOST_DIGITS_KEPT: usize = 3;
/// Minimum number of numbers in a list: if the length of a line matters, there are many.
const LONG_LIST: usize = 8;

/// The literals that are not the simplest of their kind, as one sequence; taking a unit out means to
/// make it the simplest: numbers the first text of the grammar, other texts empty. `None` if there are
/// none.
#[must_use]
pub(super) fn simplest_literals(document: &Document, grammar: &Grammar) -> Option<Sequence> {
    let (mut units, mut memos) = (Vec::new(), Vec::new());
    for id in literals(document, grammar) {
        let node = document.node(id);
        let edit = if grammar.is_number(node.kind) {
            let text = grammar.number_texts().first().filter(|text| text.len() < node.len());
            text.map(|text| Edit { raw: true, ..Edit::replace(node.range(), text.clone().into_bytes()) })
        } else {
            content(document, id).filter(|part| !part.is_empty()).map(Edit::delete_raw)
        };
        let Some(edit) = edit else { continue };
        units.push(Unit { tokens: 1, removal: Removal::Edits(vec![edit]), known_to_parse: false });
        memos.push(memo(document, id));
    }
    (!units.is_empty()).then(|| Sequence::of(list_kind::LITERALS, units).remembered(Remembered::Units(memos)))
}

/// A literal in its place, wherever that is.
fn memo(document: &Document, node: NodeId) -> u64 {
    let mut hasher = DefaultHasher::new();
    let parent = document.parent(node).map(|parent| document.node(parent).kind);
    (document.text(node), document.node(node).field, parent).hash(&mut hasher);
    hasher.finish()
}

/// Shorter texts for single literals: the other numbers of the grammar, the first half of the digits, and half the
/// number if that has fewer digits; the first character of a text, its first half and its second half; and one number
/// for many.
#[must_use]
pub(super) fn shorter_literals(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut all = Vec::new();
    for id in literals(document, grammar) {
        let node = document.node(id);
        let mut add = |number: u16, edit: Edit| {
            let class = Class { outer: node.kind, inner: number, depth: 0 };
            let parent = document.parent(id).map(|parent| document.node(parent).kind);
            // The memory key contains the whole literal: a half alone doesn't determine the rest.
            let around = (prints.of(node.range()), parent);
            // A token that loses its first half stays one.
            let halved = edit.start > node.start as usize && document.tokens_in(edit.end..node.end as usize) < 2;
            let made = Alternative::of_edits(document, prints, class, vec![edit], around);
            all.extend(made.map(|made| Alternative { tokens: made.tokens.saturating_sub(u32::from(halved)), ..made }));
        };
        if grammar.is_number(node.kind) {
            for (number, text) in (0..).zip(shorter_numbers(document.text(id), grammar.number_texts())) {
                let edit = match document.text(id).starts_with(text.as_bytes()) {
                    true => Edit::delete_raw(node.start as usize + text.len()..node.end as usize),
                    false => Edit { raw: true, ..Edit::replace(node.range(), text.into_bytes()) },
                };
                add(number, edit);
            }
        } else if let Some(part) = content(document, id) {
            let pieces = pieces(document, id, &part);
            if pieces.len() >= SHORTEST_HALVED {
                let middle = pieces[pieces.len() / 2];
                add(0, Edit::delete_raw(pieces[1]..part.end));
                add(1, Edit::delete_raw(middle..part.end));
                add(2, Edit::delete_raw(part.start..middle));
            }
        }
    }
    all.extend(joined_numbers(document, grammar, prints));
    all
}

/// Neighbouring numbers of a long list as one number of the same length: if the length of a line matters, nothing can
/// be removed, but this reduces the number of tokens. The first half of a list, and the first two.
fn joined_numbers(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let mut all = Vec::new();
    let is_number = |id: &NodeId| grammar.is_number(document.node(*id).kind);
    for parent in document.ids() {
        let children: Vec<_> = document.children(parent).collect();
        if children.len() < 2 * LONG_LIST - 1 {
            continue;
        }
        let numbers: Vec<_> = children.iter().copied().filter(is_number).collect();
        if numbers.len() < LONG_LIST {
            continue;
        }
        let outer = document.node(parent).kind;
        for (inner, count) in [(u16::MAX, numbers.len() / 2), (u16::MAX - 1, 2)] {
            let (first, last) = (document.node(numbers[0]), document.node(numbers[count - 1]));
            let range = first.start as usize..last.end as usize;
            // Only numbers and their separators.
            if document.tokens_in(range.clone()) != 2 * count - 1 {
                continue;
            }
            let solid = document.source()[range.clone()].iter().filter(|b| !b.is_ascii_whitespace()).count();
            let edit = Edit { raw: true, ..Edit::replace(range, vec![b'1'; solid]) };
            let class = Class { outer, inner, depth: 1 };
            all.extend(Alternative::of_edits(document, prints, class, vec![edit], count));
        }
    }
    all
}

/// The outermost literals of a text.
pub(super) fn literals(document: &Document, grammar: &Grammar) -> impl Iterator<Item = NodeId> {
    let mut end = 0;
    document.ids().filter(move |&id| {
        let kind = document.node(id).kind;
        let is = id >= end && !document.node(id).is_empty() && (grammar.is_number(kind) || grammar.is_string(kind));
        if is {
            end = document.subtree_end(id);
        }
        is
    })
}

/// Numbers shorter than a number, the simplest first.
fn shorter_numbers(number: &[u8], simplest: &[String]) -> Vec<String> {
    let Ok(number) = std::str::from_utf8(number) else { return Vec::new() };
    let mut texts = simplest.to_vec();
    // Returns the first run of digits, after a sign or a mark of the base.
    let base = if number.starts_with("0x") || number.starts_with("0X") { 16 } else { 10 };
    let start = if base == 16 { 2 } else { number.bytes().take_while(|b| !b.is_ascii_digit()).count() };
    let (before, rest) = number.split_at(start.min(number.len()));
    let digits = &rest[..rest.bytes().take_while(|b| char::from(*b).is_digit(base)).count()];
    if !digits.is_empty() {
        texts.push([before, digits].concat());
        if digits.len() > MOST_DIGITS_KEPT {
            texts.push([before, &digits[..digits.len().div_ceil(2)]].concat());
        }
        if let (true, 10, true, Ok(value)) =
            (digits.len() > MOST_DIGITS_KEPT, base, before.is_empty(), digits.parse::<u128>())
        {
            texts.push((value / 2).to_string());
        }
    }
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        if text.len() < number.len() && !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept
}

/// The range between the borders of a text: its first token, and its last one that is spelled like
/// the first or else the very last. `None` for a text of one token with nothing around it.
pub(super) fn content(document: &Document, id: NodeId) -> Option<Range<usize>> {
    let node = document.node(id);
    let children: Vec<_> = document.children(id).filter(|&child| !document.node(child).is_empty()).collect();
    let [first, .., last] = children[..] else {
        // The parser sees no parts: a quote is the same at both ends.
        let text = document.text(id);
        let quoted = text.len() >= 2 && text[0] == text[text.len() - 1] && text[0].is_ascii_punctuation();
        return quoted.then(|| node.start as usize + 1..node.end as usize - 1);
    };
    if document.node(first).is_named() {
        return None;
    }
    let closes = |child: &&NodeId| !document.node(**child).is_named() && document.text(**child) == document.text(first);
    let close = children[1..].iter().rev().find(closes).copied().unwrap_or(last);
    let (from, to) = (document.node(first).end as usize, document.node(close).start as usize);
    (from <= to && document.depth(close) == document.depth(id) + 1).then_some(from..to)
}

/// Lists the starts of a content's characters; a node of the parser, such as an escape, counts as one.
fn pieces(document: &Document, id: NodeId, content: &Range<usize>) -> Vec<usize> {
    let inner = document.children(id).map(|child| document.node(child).range());
    let whole: Vec<_> = inner.filter(|range| document.source().get(range.start) == Some(&b'\\')).collect();
    let starts = lop_syntax::characters(document.source(), content.clone()).map(|range| range.start);
    let mut next = 0;
    starts
        .filter(|&at| {
            while whole.get(next).is_some_and(|range| range.end <= at) {
                next += 1;
            }
            whole.get(next).is_none_or(|range| at <= range.start)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, lossy};

    #[test]
    fn all_literals_become_the_simplest() {
        let rows = [
            ("x.c", "int x = 100 + 0x1f + 7 + 0;", "int x = 0 + 0 + 7 + 0;"),
            ("x.c", "char *s = \"abc\" L\"d\" \"\";", "char *s = \"\" L\"\" \"\";"),
            ("x.js", "x = 'ab' + \"c\" + '' + 12.5;", "x = '' + \"\" + '' + 0;"),
            ("x.js", "x = `a${1 + 22}b`;", "x = ``;"),
            ("x.js", "x = /ab/gi;", "x = //gi;"),
            ("x.json", "{\"key\": [\"\", \"a\\n\", -25, 1, true]}", "{\"\": [\"\", \"\", 0, 1, true]}"),
        ];
        let mut languages = Languages;
        for (file, text, expected) in rows {
            let sample = languages.sample(file, text);
            let sequence = simplest_literals(&sample.document, &sample.grammar).expect("some are longer");
            assert!(matches!(&sequence.remembered, Remembered::Units(memos) if memos.len() == sequence.units.len()));
            let left = sample.after(sequence.units.iter().map(|unit| &unit.removal));
            assert_eq!(lossy(&left), expected, "{text}");
        }
        for (file, text) in [("x.c", "int x = 0;"), ("x.js", "x = '' + 1"), ("x.json", "[\"\", 2]")] {
            let sample = languages.sample(file, text);
            assert!(simplest_literals(&sample.document, &sample.grammar).is_none(), "{text}");
        }
    }

    #[test]
    fn single_literals_become_shorter() {
        let rows: [(&str, &str, &[&str]); 12] = [
            ("x.c", "int x = 1024;", &["int x = 0;", "int x = 1;", "int x = 10;", "int x = 512;"]),
            ("x.c", "int x = 0xabcdUL;", &["int x = 0;", "int x = 1;", "int x = 0xabcd;", "int x = 0xab;"]),
            ("x.c", "int x = 25;", &["int x = 0;", "int x = 1;"]),
            ("x.c", "int x = 5;", &[]),
            (
                "x.c",
                "char *s = L\"\\nbcdefghijkl\";",
                &["char *s = L\"\\n\";", "char *s = L\"\\nbcdef\";", "char *s = L\"ghijkl\";"],
            ),
            ("x.c", "char *s = \"abcd\";", &[]),
            ("x.js", "x = 1.5e3", &["x = 0", "x = 1", "x = NaN"]),
            ("x.js", "x = /abcdefghijkl/g", &["x = /a/g", "x = /abcdef/g", "x = /ghijkl/g"]),
            ("x.json", "[-1234]", &["[0]", "[1]", "[-12]"]),
            ("x.json", "[0, 1, 2, 3, 4, 5, 6, 7]", &["[1111111, 4, 5, 6, 7]", "[111, 2, 3, 4, 5, 6, 7]"]),
            ("x.c", "int x[] = {1, 2, 3, a, 4, 5, 6, 7, 8};", &["int x[] = {111, 3, a, 4, 5, 6, 7, 8};"]),
            ("x.json", "[\"h\u{e9}cdefghijkl\"]", &["[\"h\"]", "[\"h\u{e9}cdef\"]", "[\"ghijkl\"]"]),
        ];
        let mut languages = Languages;
        for (file, text, expected) in rows {
            let sample = languages.sample(file, text);
            let prints = Fingerprints::new(text.as_bytes());
            let found = shorter_literals(&sample.document, &sample.grammar, &prints);
            assert_eq!(sample.results(&found), expected, "{text}");
            assert!(found.iter().all(|alternative| alternative.bytes > 0));
        }
    }
}
