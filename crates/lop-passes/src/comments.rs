//! Comments: they rarely matter, so they are removed first, and together.

use lop_grammar::Grammar;
use lop_syntax::{Document, NodeId, lines, words};

use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::removal::Nodes;
use super::rows::row;
use super::sequence::{Ask, Remembered, Removal, Sequence, Unit, list_kind};

/// All comments, in one test if they can go together.
pub struct Comments;

impl Pass for Comments {
    fn facts(&self) -> Facts {
        Facts::new("comments", Stage::First, "comments, all in one test if they can go together")
            .led("they go all at once, before everything else")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        view.sequences(|tree| comments(tree.document, tree.grammar))
    }
}

/// Proposes all comments of a document as one sequence. Returns `None` if there are none.
#[must_use]
pub fn comments(document: &Document, grammar: &Grammar) -> Option<Sequence> {
    let is_comment = |&id: &NodeId| grammar.is_comment(document.node(id).kind) && !document.node(id).is_empty();
    let nodes: Vec<_> = document.ids().filter(is_comment).collect();
    let unit = |&id: &NodeId| Unit { removal: Removal::Nodes(Nodes::One(id)), tokens: 0, known_to_parse: true };
    let units: Vec<_> = nodes.iter().map(unit).collect();
    let remembered = Remembered::Nodes(Ask::Unit, nodes);
    (!units.is_empty()).then(|| Sequence::of(list_kind::COMMENTS, units).remembered(remembered))
}

/// Proposes the lines of all comments, for comments that have to stay. Returns `None` if no comment has several lines.
#[must_use]
pub fn comment_lines(document: &Document, grammar: &Grammar) -> Option<Sequence> {
    let source = document.source();
    let parts = || {
        inside(document, grammar).flat_map(|part| {
            let start = part.start;
            let cut = lines(&source[part.clone()]).map(move |line| start + line.start..start + line.end);
            cut.filter(move |line| *line != part)
        })
    };
    row(list_kind::LINES, parts)
}

/// Proposes the words, runs of blanks and other characters of all comments. Returns `None` if there are no comments.
#[must_use]
pub fn comment_words(document: &Document, grammar: &Grammar) -> Option<Sequence> {
    row(list_kind::WORDS, || inside(document, grammar).flat_map(|part| words(document.source(), part)))
}

/// Where the comments are.
fn inside(document: &Document, grammar: &Grammar) -> impl Iterator<Item = std::ops::Range<usize>> {
    let comments = document.ids().filter(|&id| grammar.is_comment(document.node(id).kind));
    comments.map(|id| document.node(id).range()).filter(|range| !range.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, lossy};

    #[test]
    fn all_comments_are_one_sequence() {
        // Text, its comments, the text without them.
        let rows: [(&str, &str, &[&str], &str); 10] = [
            ("x.c", "int a;\n", &[], "int a;\n"),
            ("x.c", "// 1\nint a; /* 2 */\n", &["// 1", "/* 2 */"], "int a;\n"),
            ("x.c", "int/**/a;", &["/**/"], "int a;"),
            ("x.c", "#define A /* 1 */ 2\nint a;", &["/* 1 */"], "#define A 2\nint a;"),
            ("x.js", "a // 1\n/* 2\n */ b", &["// 1", "/* 2\n */"], "a\nb"),
            ("x.js", "'// 1'", &[], "'// 1'"),
            ("x.c", "int f(int a /* 1 */, int b);", &["/* 1 */"], "int f(int a , int b);"),
            ("x.c", "int x = f(a, /* 1 */ b);", &["/* 1 */"], "int x = f(a, b);"),
            ("x.json", "[1, // 1\n 2]", &["// 1"], "[1,\n 2]"),
            ("x.json", "[// 1\n 1]", &["// 1"], "[\n 1]"),
        ];
        let mut languages = Languages;
        for (file, text, expected, left) in rows {
            let sample = languages.sample(file, text);
            let sequence = comments(&sample.document, &sample.grammar);
            assert_eq!(sample.units(sequence.as_ref()), expected, "{text}");
            assert_eq!(sequence.is_none(), expected.is_empty());
            let units = sequence.iter().flat_map(|sequence| &sequence.units);
            assert_eq!(lossy(&sample.after(units.clone().map(|unit| &unit.removal))), left);
            assert!(units.into_iter().all(|unit| unit.tokens == 0));
        }
    }

    #[test]
    fn comments_are_cut_into_lines_and_words() {
        let text = "int a; // b c\n/* d\n e */\n";
        let sample = Languages.sample("x.c", text);
        let units = |sequence: Option<Sequence>| sequence.map_or(0, |sequence| sequence.units.len());
        assert_eq!(units(comment_lines(&sample.document, &sample.grammar)), 2);
        // `/`, `/`, ` `, `b`, ` `, `c`; and `/`, `*`, ` `, `d`, `\n `, `e`, ` `, `*`, `/`
        assert_eq!(units(comment_words(&sample.document, &sample.grammar)), 15);
        let plain = Languages.sample("x.c", "int a;");
        assert!(comment_lines(&plain.document, &plain.grammar).is_none());
        assert!(comment_words(&plain.document, &plain.grammar).is_none());
    }
}
