//! Characters, words and lines, for text without a tree and for the content of tokens.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use lop_grammar::Grammar;
use lop_syntax::{Document, characters, is_blank, words};

use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::rows::row;
use super::sequence::{Remembered, Sequence, list_kind};

/// Characters of literals, ERROR regions and leftovers.
pub struct Characters;

impl Pass for Characters {
    fn facts(&self) -> Facts {
        Facts::new("characters", Stage::Characters, "characters of literals, errors and leftovers")
            .led("they are asked about where nothing else goes")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let Some(tree) = &view.tree else {
            return character_units(view.text, &view.parts).into();
        };
        let memo = |part: &Range<usize>| {
            let mut hasher = DefaultHasher::new();
            view.text[part.clone()].hash(&mut hasher);
            hasher.finish()
        };
        let mut parts = sensitive_ranges(tree.document, tree.grammar);
        parts.retain(|part| !view.is_settled(self.name(), memo(part)));
        let remembered = Remembered::Whole(parts.iter().map(memo).collect());
        character_units(view.text, &parts).map(|row| row.remembered(remembered)).into()
    }
}

/// Lists the parts of a document whose characters are tested one by one: ERROR regions, the contents of strings,
/// numbers, opaque tokens and comments, and text outside the tree. A long run of blanks in a comment is one unit.
#[must_use]
pub fn sensitive_ranges(document: &Document, grammar: &Grammar) -> Vec<Range<usize>> {
    // No tree says which of them may go.
    if grammar.is_of_any_text() {
        return std::iter::once(0..document.source().len()).filter(|all| !all.is_empty()).collect();
    }
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let root = document.node(0).range();
    let mut covered = 0;
    if root.start > 0 {
        ranges.push(0..root.start);
    }
    for id in document.ids() {
        let node = document.node(id);
        let inside = ranges.last().is_some_and(|r| r.end >= node.end as usize) || covered >= node.end;
        if node.is_empty() || inside {
            continue;
        }
        let kind = node.kind;
        if node.is_error() || grammar.is_string(kind) || grammar.is_number(kind) {
            ranges.push(node.range());
        } else if grammar.is_opaque(kind) {
            let is_clean = document.errors() == 0;
            ranges.push(if is_clean { node.range() } else { within_brackets(document.source(), node.range()) });
            ranges.retain(|range| !range.is_empty());
            covered = node.end;
        } else if grammar.is_comment(kind) {
            let runs = words(document.source(), node.range());
            let wide = runs.filter(|run| run.len() > MOST_BLANKS && is_blank(document.source()[run.start]));
            let mut start = node.start as usize;
            for run in wide {
                ranges.push(start..run.start);
                start = run.end;
            }
            ranges.push(start..node.end as usize);
            ranges.retain(|range| !range.is_empty());
            covered = node.end;
        }
    }
    // The root reaches to the end of the text, but the text after the last token belongs to no node.
    let last = document.ids().filter(|&id| document.is_leaf(id)).map(|id| document.node(id).end).max();
    let rest = last.map_or(root.start, |end| end as usize)..document.source().len();
    if !rest.is_empty() && ranges.last().is_none_or(|r| r.end <= rest.start) {
        ranges.push(rest);
    }
    ranges
}

/// Returns a token without its outer brackets, such as those of `<a.h>`. Removing one of them leaves a syntax error,
/// which doesn't count if the input has others.
fn within_brackets(text: &[u8], token: Range<usize>) -> Range<usize> {
    match &text[token.clone()] {
        [b'<', .., b'>'] | [b'(', .., b')'] | [b'[', .., b']'] | [b'{', .., b'}'] => token.start + 1..token.end - 1,
        _ => token,
    }
}

/// Blanks side by side in a comment that are asked about one by one.
const MOST_BLANKS: usize = 2;

/// Makes one sequence of the characters of some parts of a text. Returns `None` if there are none.
#[must_use]
pub fn character_units(text: &[u8], parts: &[Range<usize>]) -> Option<Sequence> {
    row(list_kind::CHARACTERS, || parts.iter().flat_map(|part| characters(text, part.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::line_units;
    use crate::sequence::Removal;
    use crate::testing::{Languages, lossy};
    use crate::words::word_units;

    #[test]
    fn what_the_tree_does_not_explain_is_sensitive() {
        let rows: [(&str, &[u8], &[&str]); 20] = [
            ("x.html", b"<p a=b>c d</p>", &["b", "c d"]),
            ("x.yaml", b"a: b c\n", &["a", "b c", "\n"]),
            ("x.sql", b"select 'a b' from c;", &["'a b'"]),
            ("x.sh", b"a b-c\n", &["a", "b-c", "\n"]),
            ("x.jsx", b"x = <p>a b</p>;", &["a b"]),
            ("x.json", b"[1, true]", &["1"]),
            ("x.json", b"[\"a\", 25]", &["\"a\"", "25"]),
            ("x.json", b"[1, ?! 2]", &["1", "?!", "2"]),
            ("x.json", b"  [1]\n\n", &["  ", "1", "\n\n"]),
            ("x.json", b"\xEF\xBB\xBF[true]", &["\u{feff}"]),
            ("x.json", b"", &[]),
            ("x.json", b" \n", &[" \n"]),
            ("x.c", b"int a = 1; // b", &["1", "// b"]),
            ("x.c", b"int a; /* b  c   d */", &["/* b  c", "d */"]),
            ("x.c", b"int a; //   \nint b;", &["//"]),
            ("x.c", b"char *s = \"a\" 'b';", &["\"a\"", "'b'"]),
            ("x.c", b"#define A 1 + 2\n", &["1 + 2", "\n"]),
            ("x.c", b"#include <a.h>\nint b;", &["<a.h>"]),
            ("x.js", b"x = `a${1}` + 'b' + /d/g;", &["`a${1}`", "'b'", "/d/g"]),
            ("x.js", b"f(a)", &[]),
        ];
        let mut languages = Languages;
        for (file, text, expected) in rows {
            let sample = languages.sample(file, text);
            let ranges = sensitive_ranges(&sample.document, &sample.grammar);
            let parts: Vec<_> = ranges.iter().map(|range| lossy(&text[range.clone()])).collect();
            assert_eq!(parts, expected, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn sensitive_ranges_ascend_and_do_not_overlap() {
        let text = b"\xEF\xBB\xBF @@ \"a ' 1 /* \"x\" */ int f( { ?? \"b\" } ] 'x\n\0 // \"e\"\n";
        let mut languages = Languages;
        for file in crate::testing::FILES {
            let sample = languages.sample(file, text);
            let ranges = sensitive_ranges(&sample.document, &sample.grammar);
            assert!(!ranges.is_empty());
            assert!(ranges.iter().all(|range| !range.is_empty() && range.end <= text.len()));
            assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "{file}: {ranges:?}");
        }
    }

    #[test]
    fn text_is_cut_into_characters_words_and_lines() {
        let text = "a b\u{e9}1\n\n;x".as_bytes();
        let mut languages = Languages;
        let sample = languages.sample("x.json", text);
        let rows: [(Option<Sequence>, &[&str]); 4] = [
            (character_units(text, &[0..2, 3..6]), &[" b\u{e9}1\n\n;x", "ab\u{e9}1\n\n;x", "a bé\n\n;x", "a b1\n\n;x"]),
            (word_units(text), &[" b\u{e9}1\n\n;x"]),
            (line_units(text), &["\n;x", "a b\u{e9}1\n;x", "a b\u{e9}1\n\n"]),
            (character_units(text, &[]), &[]),
        ];
        let counts = rows.iter().map(|(sequence, _)| sequence.as_ref().map_or(0, |sequence| sequence.units.len()));
        assert_eq!(counts.collect::<Vec<_>>(), [4, 8, 3, 0]);
        for (sequence, expected) in rows {
            let units = sample.units(sequence.as_ref());
            for text in expected {
                assert!(units.iter().any(|unit| unit == text) || units.is_empty(), "{text:?} is in {units:?}");
            }
        }
    }

    #[test]
    fn an_empty_text_has_no_units() {
        assert!(character_units(b"", &[]).is_none());
        assert!(character_units(b"", std::slice::from_ref(&(0..0))).is_none());
        assert!(word_units(b"").is_none());
        assert!(line_units(b"").is_none());
    }

    /// Blanks and borders stay: every byte of the text can matter.
    #[test]
    fn any_subset_of_units_leaves_exactly_the_other_bytes() {
        let text = b"a \n +-x\xFF\x00  \n";
        let sample = Languages.sample("x.json", text);
        let sequences =
            [character_units(text, std::slice::from_ref(&(0..text.len()))), word_units(text), line_units(text)];
        for sequence in sequences.into_iter().flatten() {
            for subset in 0..1_u32 << sequence.units.len() {
                let gone = |at: usize| subset >> at & 1 == 1;
                let removals =
                    sequence.units.iter().enumerate().filter(|(at, _)| gone(*at)).map(|(_, unit)| &unit.removal);
                let removed = removals.clone().flat_map(|removal| match removal {
                    Removal::Edits(edits) => edits.iter().flat_map(|edit| edit.start..edit.end).collect::<Vec<_>>(),
                    Removal::Nodes(_) => panic!("characters are no nodes"),
                });
                let removed: Vec<_> = removed.collect();
                let left = (0..text.len()).filter(|at| !removed.contains(at)).map(|at| text[at]);
                assert_eq!(sample.after(removals), left.collect::<Vec<_>>());
            }
        }
    }
}
