//! Replaces text by whitespace, and reduces whitespace, for tests that depend on the layout.
//!
//! A formatter breaks a line because of its width, and a message contains a line and a column. In such cases a part of
//! the text can be meaningless and still not removable, because the text after it would move.

use std::ops::Range;

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, characters, is_blank, words};

use super::layout::atoms;
use super::names::occurrences;
use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::removal::{NodeSet, holes};
use super::sequence::{Removal, Sequence, Unit, list_kind};

/// Blanks instead of text, if the layout matters.
pub struct Blanks;

impl Pass for Blanks {
    fn facts(&self) -> Facts {
        Facts::new(
            "blanks",
            Stage::Finish,
            "if layout or comments matter: parts become whitespace; whitespace and characters of names go one by one",
        )
        .led("they are made when the layout is done")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        view.sequences(|tree| blank_words(tree.document, tree.grammar))
    }
}

/// The unit that keeps the place of another: line breaks and tabs stay, and a blank replaces every other character.
#[must_use]
pub fn blanked(document: &Document, grammar: &Grammar, unit: &Unit) -> Unit {
    let edits = match &unit.removal {
        Removal::Edits(edits) => edits.iter().map(|edit| edit.start..edit.end).collect(),
        Removal::Nodes(nodes) => {
            let mut gone = NodeSet::new(document);
            nodes.iter().for_each(|&node| gone.insert(node));
            let mut ranges = Vec::new();
            holes(document, grammar, &gone, |hole| ranges.push(hole));
            ranges
        }
    };
    let edits = edits.into_iter().map(|range| blank_out(document.source(), range)).collect();
    Unit { removal: Removal::Edits(edits), tokens: unit.tokens, known_to_parse: false }
}

/// Proposes to replace each word of comments by blanks. Returns `None` if there are no comments.
#[must_use]
pub fn blank_words(document: &Document, grammar: &Grammar) -> Option<Sequence> {
    let source = document.source();
    let parts = atoms(document, grammar).into_iter().filter(|&id| grammar.is_comment(document.node(id).kind));
    let places = parts.flat_map(|id| words(source, document.node(id).range()));
    sequence(places.filter(|at| !is_blank(source[at.start])).map(|at| vec![blank_out(source, at)]))
}

/// Proposes to replace each character of comments and texts by a blank. Returns `None` if there are only blanks.
#[must_use]
pub fn blank_characters(document: &Document, grammar: &Grammar) -> Option<Sequence> {
    let source = document.source();
    let wordy = |kind| grammar.is_comment(kind) || grammar.is_string(kind);
    let parts = atoms(document, grammar).into_iter().filter(|&id| wordy(document.node(id).kind));
    let places = parts.flat_map(|id| characters(source, document.node(id).range()));
    sequence(places.filter(|at| !is_blank(source[at.start])).map(|at| vec![blank_out(source, at)]))
}

/// Proposes to remove each character of names after the first one, at all uses of the name. Returns `None` if there are
/// none.
#[must_use]
pub fn name_characters(document: &Document, grammar: &Grammar) -> Option<Sequence> {
    let source = document.source();
    let names = occurrences(document, grammar).into_iter();
    let names = names.filter(|places| !grammar.keep_names().iter().any(|n| n.as_bytes() == &source[places[0].clone()]));
    let units = names.flat_map(|places| {
        let inside: Vec<_> = characters(source, places[0].clone()).skip(1).collect();
        inside.into_iter().map(move |at| {
            let at = at.start - places[0].start..at.end - places[0].start;
            places.iter().map(|place| Edit::delete_raw(place.start + at.start..place.start + at.end)).collect()
        })
    });
    sequence(units)
}

/// Proposes to remove each blank and line break that `plan` would remove. Returns `None` if there are none. A plan is
/// the proposal of [`layout`](super::layout).
#[must_use]
pub fn gap_characters(plan: &Sequence) -> Option<Sequence> {
    let gaps = plan.units.iter().flat_map(|unit| match &unit.removal {
        Removal::Edits(edits) => edits.as_slice(),
        Removal::Nodes(_) => &[],
    });
    let long = gaps.filter(|gap| gap.text.len() < gap.end - gap.start);
    sequence(long.flat_map(|gap| (gap.start..gap.end).map(|at| vec![Edit::delete_raw(at..at + 1)])))
}

fn sequence(units: impl Iterator<Item = Vec<Edit>>) -> Option<Sequence> {
    let unit = |edits| Unit { removal: Removal::Edits(edits), tokens: 1, known_to_parse: false };
    let units: Vec<_> = units.map(unit).collect();
    (!units.is_empty()).then_some(Sequence::of(list_kind::LAYOUT, units))
}

fn blank_out(source: &[u8], range: Range<usize>) -> Edit {
    let mut text = Vec::with_capacity(range.len());
    for at in characters(source, range.clone()) {
        let first = source[at.start];
        text.push(if is_blank(first) { first } else { b' ' });
    }
    Edit { raw: true, ..Edit::replace(range, text) }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, layout};
    use super::*;
    use crate::testing::{Languages, lossy};

    /// The text without all units of a sequence.
    fn after(file: &str, text: &str, units: impl Fn(&Document, &Grammar) -> Option<Sequence>) -> String {
        let sample = Languages.sample(file, text);
        let sequence = units(&sample.document, &sample.grammar);
        lossy(&sample.after(sequence.iter().flat_map(|sequence| &sequence.units).map(|unit| &unit.removal))).to_string()
    }

    #[test]
    fn what_becomes_blank_keeps_the_place_of_what_follows() {
        let mut languages = Languages;
        for (text, list, expected) in [
            (
                "int a;\nint bé; int c;",
                "int a;\nint bé; int c;",
                ["      \nint bé; int c;", "int a;\n        int c;", "int a;\nint bé;       "],
            ),
            (
                "int x = f(a,\tb, c);",
                "(a,\tb, c)",
                ["int x = f(  \tb, c);", "int x = f(a \t , c);", "int x = f(a,\tb   );"],
            ),
        ] {
            let mut sample = languages.sample("x.c", text);
            let list = sample.node(list);
            let units = sample.siblings(list).expect("it has elements").units;
            let left = units.iter().map(|unit| {
                let unit = blanked(&sample.document, &sample.grammar, unit);
                lossy(&sample.after([&unit.removal])).to_string()
            });
            assert_eq!(left.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn characters_of_comments_and_texts_become_blank_and_no_others() {
        assert_eq!(
            after("x.c", "/* é\n\tb */ f(\"a b\", 'c'); // d", blank_characters),
            "    \n\t     f(     ,    );     "
        );
        assert_eq!(after("x.c", "int abc;", blank_characters), "int abc;");
        assert_eq!(after("x.c", "/* é\n\tb c */ f(\"a\");", blank_words), "    \n\t       f(\"a\");");
    }

    #[test]
    fn names_lose_all_but_their_first_character_everywhere() {
        assert_eq!(after("x.c", "int abc; int main() { abc = d1; }", name_characters), "int a; int main() { a = d; }");
        assert_eq!(after("x.c", "int a;", name_characters), "int a;");
    }

    #[test]
    fn blanks_go_from_gaps_that_are_too_long_and_from_no_others() {
        let compact = |document: &Document, grammar: &Grammar| {
            let all = 0..document.source().len();
            gap_characters(&layout(document, grammar, Format::Compact, true, (false, std::slice::from_ref(&all)))?)
        };
        assert_eq!(after("x.c", " int a\n\n = \"b  c\" /*  */ ;\n", compact), "int a=\"b  c\"/*  */;");
        assert_eq!(after("x.c", "int a;", compact), "int a;");
    }
}
