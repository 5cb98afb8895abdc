//! Shortens names: they are easier to read and take fewer bytes.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, is_identifier};

use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::sequence::{Removal, Sequence, Unit, list_kind};

/// Short names.
pub struct Rename;

impl Pass for Rename {
    fn facts(&self) -> Facts {
        Facts::new("rename", Stage::Finish, "names become short").led("names are made short all at once, or one by one")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        view.sequences(|tree| short_names(tree.document, tree.grammar))
    }
}

/// The names that become shorter when they are called a, b, c … z, aa … in the order in which they
/// appear, as one sequence; taking a unit out means to rename one of them everywhere. `None` if there
/// are none.
///
/// Names are equal if their spellings are, whatever they refer to. No new name is a word of the text, so any subset of
/// the units is a bijection between names.
#[must_use]
pub fn short_names(document: &Document, grammar: &Grammar) -> Option<Sequence> {
    let source = document.source();
    let mut taken: HashSet<&[u8]> = words(source, 0..source.len()).map(|word| &source[word]).collect();
    taken.extend(grammar.keywords().iter().chain(grammar.keep_names()).map(String::as_bytes));
    let reserved = |word: &[u8]| {
        let is = |other: &String| other.as_bytes() == word;
        grammar.keep_names().iter().any(is) || grammar.keywords().iter().any(is)
    };
    let mut fresh = (0..).map(letters).filter(|name| !taken.contains(name.as_bytes())).peekable();
    let mut units = Vec::new();
    for places in occurrences(document, grammar) {
        let name = &source[places[0].clone()];
        if reserved(name) || fresh.peek().is_none_or(|new| new.len() >= name.len()) {
            continue;
        }
        let new = fresh.next().expect("it was looked at");
        let edit = |place: Range<usize>| Edit { raw: true, ..Edit::replace(place, new.clone().into_bytes()) };
        let edits: Vec<_> = places.into_iter().map(edit).collect();
        units.push(Unit { tokens: 1, removal: Removal::Edits(edits), known_to_parse: false });
    }
    (!units.is_empty()).then_some(Sequence::of(list_kind::NAMES, units))
}

/// The places of each name, names in the order of their first places.
pub(super) fn occurrences(document: &Document, grammar: &Grammar) -> Vec<Vec<Range<usize>>> {
    let source = document.source();
    let mut number_of: HashMap<&[u8], usize> = HashMap::new();
    let mut places: Vec<Vec<Range<usize>>> = Vec::new();
    // Words that aren't names for the parser: they count if they are names elsewhere.
    let mut unseen: Vec<Range<usize>> = Vec::new();
    for id in document.ids().filter(|&id| !document.node(id).is_empty()) {
        let node = document.node(id);
        if grammar.holds_names(node.kind) {
            unseen.extend(words(source, node.range()));
        }
        // A mark before a name, such as a sigil, stays; an escape is a part of the name.
        let mut inside = words(source, node.range());
        if document.is_leaf(id)
            && grammar.is_identifier(node.kind)
            && let (Some(word), None) = (inside.next(), inside.next())
            && word.end == node.end as usize
            && source[node.start as usize] != b'\\'
        {
            let number = *number_of.entry(&source[word.clone()]).or_insert(places.len());
            if number == places.len() {
                places.push(Vec::new());
            }
            places[number].push(word);
        }
    }
    for word in unseen {
        if let Some(&number) = number_of.get(&source[word.clone()]) {
            places[number].push(word);
        }
    }
    places
}

/// The runs of bytes of names in a part of a text that do not begin with a digit.
pub(super) fn words(text: &[u8], part: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = part.start;
    std::iter::from_fn(move || {
        while at < part.end {
            let start = at;
            while at < part.end && is_identifier(text[at]) {
                at += 1;
            }
            if start == at {
                at += 1;
            } else if !text[start].is_ascii_digit() {
                return Some(start..at);
            }
        }
        None
    })
}

/// a, b, c … z, aa, ab …
pub(super) fn letters(number: usize) -> String {
    let (mut rest, mut name) = (number + 1, Vec::new());
    while rest > 0 {
        rest -= 1;
        name.push(char::from(b'a' + u8::try_from(rest % 26).expect("a remainder of 26")));
        rest /= 26;
    }
    name.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{FILES, Languages, any_text, lossy, shipped_sample};

    #[test]
    fn names_become_short_in_the_order_in_which_they_appear() {
        // The text, and the text with all names renamed.
        let rows = [
            ("x.c", "int first, second = first;", "int a, b = a;"),
            ("x.c", "int main(int argc) { return argc; }", "int main(int a) { return a; }"),
            ("x.c", "int b, long_one, a;", "int b, c, a;"),
            ("x.c", "struct node { int item; } *head = head->item;", "struct a { int b; } *c = c->b;"),
            ("x.c", "again: goto again;", "a: goto a;"),
            ("x.c", "#define TWICE(arg) arg + arg\nint xx = TWICE(1);", "#define a(b) b + b\nint c = a(1);"),
            ("x.c", "#define LIMIT other + a\nint other;", "#define b c + a\nint c;"),
            ("x.c", "char *text = \"text\"; // text", "char *a = \"text\"; // text"),
            ("x.c", "int x; /* a */ int yy;", "int x; /* a */ int b;"),
            ("x.js", "let first = { second: first.length };", "let a = { b: a.length };"),
            ("x.js", "class Thing { #secret = this.#secret; }", "class a { #b = this.#b; }"),
            ("x.js", "let { one, two: three } = { one };", "let { a, b: c } = { a };"),
            ("x.js", "x = `a ${value1}`;", "x = `a ${b}`;"),
            ("x.js", "\\u0061bc = 1; other = 2;", "\\u0061bc = 1; a = 2;"),
            ("x.json", "{\"name\": \"value\"}", "{\"name\": \"value\"}"),
        ];
        let mut languages = Languages;
        for (file, text, expected) in rows {
            let sample = languages.sample(file, text);
            let sequence = short_names(&sample.document, &sample.grammar);
            let units = sequence.iter().flat_map(|sequence| &sequence.units);
            assert_eq!(lossy(&sample.after(units.map(|unit| &unit.removal))), expected, "{text}");
        }
    }

    #[test]
    fn names_count_on_behind_z_and_pass_over_keywords() {
        assert_eq!([0, 25, 26, 51, 52, 701, 702].map(letters), ["a", "z", "aa", "az", "ba", "zz", "aaa"]);
        let names: Vec<_> = (0..800).map(|number| format!("name{number}")).collect();
        let mut languages = Languages;
        for (file, text) in
            [("x.c", format!("int {};", names.join(", "))), ("x.js", format!("let {};", names.join(", ")))]
        {
            let sample = languages.sample(file, text);
            let sequence = short_names(&sample.document, &sample.grammar).expect("there are names");
            let left = lossy(&sample.after(sequence.units.iter().map(|unit| &unit.removal)));
            let errors = languages.sample(file, left.as_str()).document.errors();
            assert_eq!((sequence.units.len(), errors), (800, 0), "{left}");
        }
    }

    /// The distinct names of a text.
    fn distinct(languages: &mut Languages, file: &str, text: &[u8]) -> usize {
        let sample = languages.sample(file, text);
        occurrences(&sample.document, &sample.grammar).len()
    }

    #[test]
    fn what_is_renamed_once_is_not_renamed_again() {
        let mut languages = Languages;
        for file in FILES {
            let sample = languages.sample(file, shipped_sample(file));
            let Some(sequence) = short_names(&sample.document, &sample.grammar) else { continue };
            let left = sample.after(sequence.units.iter().map(|unit| &unit.removal));
            let sample = languages.sample(file, left);
            let again = short_names(&sample.document, &sample.grammar);
            assert!(again.is_none_or(|again| again.units.len() < sequence.units.len() / 4));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_subset_of_the_units_keeps_distinct_names_distinct_and_makes_the_text_smaller(
            picks in prop::collection::vec(any::<bool>(), 1..50),
            file in prop::sample::select(&FILES[..]),
            soup in any_text(),
        ) {
            let mut languages = Languages;
            for text in [shipped_sample(file), soup] {
                let sample = languages.sample(file, text);
                let Some(sequence) = short_names(&sample.document, &sample.grammar) else { continue };
                let picked = sequence.units.iter().zip(picks.iter().cycle()).filter(|(_, pick)| **pick);
                let left = sample.after(picked.clone().map(|(unit, _)| &unit.removal));
                assert_eq!(left.len() < sample.document.source().len(), picked.count() > 0);
                if sample.document.errors() == 0 {
                    let before = distinct(&mut languages, file, sample.document.source());
                    assert_eq!(distinct(&mut languages, file, &left), before, "{}", lossy(&left));
                }
            }
        }
    }
}
