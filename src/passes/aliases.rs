//! Names replaced everywhere by what they stand for.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use crate::grammar::{Capture, Grammar};
use crate::syntax::{Document, Edit};

use super::alternatives::Alternative;
use super::captured::find;
use super::fingerprint::Fingerprints;
use super::names::words;
use super::pass::{EditsOfTree, Facts, Stage};
use super::removal::{NodeSet, removal_edits};
use super::rewrites::{class, place, written};

/// A name replaced by what it stands for.
pub(super) static ALIASES: EditsOfTree = EditsOfTree {
    facts: Facts::new("aliases", Stage::Rules, "names replaced everywhere by their definitions").by_rules(),
    make: aliases,
};

/// Where a name stands, and the kind of node that it is there; a word in another text has none.
type Use = (Range<usize>, Option<u16>);

/// All names that stand for a text, each replaced by it wherever it is used.
#[must_use]
pub(super) fn aliases(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let source = document.source();
    let found = grammar.rules().aliases(document.tree().root(), source);
    if found.is_empty() {
        return Vec::new();
    }
    // A parser may take a name for something else than an identifier (a type of the standard library
    // for a keyword), so the text decides. Members and labels are called as they are.
    let kinds: BTreeSet<u16> = found.iter().map(|alias| alias.name.kind).collect();
    let mut uses: HashMap<&[u8], Vec<Use>> = HashMap::new();
    for id in document.ids().filter(|&id| document.is_leaf(id)) {
        let (kind, range) = (document.node(id).kind, document.node(id).range());
        if grammar.holds_names(kind) {
            for word in words(source, range) {
                uses.entry(&source[word.clone()]).or_default().push((word, None));
            }
        } else if kinds.contains(&kind) || (grammar.is_identifier(kind) && grammar.may_replace_others(kind)) {
            uses.entry(document.text(id)).or_default().push((range, Some(kind)));
        }
    }
    let made = found.into_iter().flat_map(|alias| {
        let text = written(grammar, source, &alias.text);
        let unit = if alias.leave.is_empty() {
            without(document, grammar, &alias.unit)
        } else {
            place(grammar, source, alias.unit.range.clone(), &alias.leave)
        };
        let outside = uses.get(&source[alias.name.range.clone()]).into_iter().flatten();
        let outside: Vec<_> =
            outside.filter(|(at, _)| at.end <= alias.unit.range.start || alias.unit.range.end <= at.start).collect();
        // In some languages a type and a variable may have one name.
        let same: Vec<_> =
            outside.iter().copied().filter(|(_, kind)| kind.is_none_or(|kind| kind == alias.name.kind)).collect();
        let both = if same.len() < outside.len() { vec![outside, same] } else { vec![outside] };
        // A name that nothing uses is no alias but a definition without use.
        both.into_iter().filter(|uses| !uses.is_empty()).filter_map(move |uses| {
            let uses = uses.into_iter().map(|(at, _)| Edit::replace(at.clone(), text.clone()));
            let edits = unit.iter().cloned().chain(uses).collect();
            let class = class(alias.rule.index(), alias.unit.kind);
            Some(Alternative::of_edits(document, prints, class, edits, ())?.by([alias.rule]))
        })
    });
    made.collect()
}

/// The edits that take out what a rule has captured: one node, or several side by side.
fn without(document: &Document, grammar: &Grammar, unit: &Capture) -> Vec<Edit> {
    let Some(node) = find(document, unit) else { return vec![Edit::delete(unit.range.clone())] };
    let mut dead = NodeSet::new(document);
    dead.insert(node);
    removal_edits(document, grammar, &dead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::assert_proposals;

    #[test]
    fn a_name_becomes_what_it_stands_for() {
        assert_proposals(
            aliases,
            &[
                ("x.c", "typedef int t; t a; t b;", &["int a; int b;"]),
                (
                    "x.c",
                    "typedef struct s { int a; } t; t b;",
                    &["struct s { int a; }; struct s b;", "struct s { int a; } b;"],
                ),
                ("x.c", "#define A 1\n#define B A + A\nint x = A;", &["#define B 1 + 1\nint x = 1;"]),
                ("x.c", "struct s { int a; }; struct s s; int b = s.a;", &["struct s { int a; } s; int b = s.a;"]),
                ("x.js", "var a = b; f(a, a);", &["f(b, b);"]),
                ("x.js", "function f(a, d = 1) { g(a, d); }", &["function f(a) { g(a, 1); }"]),
                ("x.js", "a = [1]; f(a);", &["f([1]);"]),
                ("x.js", "var a = 1; f(a, b.a);", &["f(1, b.a);"]),
                ("x.js", "a = 1, f(a);", &["f(1);"]),
                ("x.js", "class A { } new A;", &["new class  { };"]),
                ("x.js", "function f() { } g(f);", &["g(function () { });"]),
                ("x.json", "[1, 1]", &[]),
            ],
        );
    }

    #[test]
    fn a_name_without_use_and_one_whose_text_would_cost_more_stay() {
        assert_proposals(
            aliases,
            &[("x.c", "typedef int t;", &[]), ("x.js", "var a = b;", &[]), ("x.js", "a = [1, 2, 3]; f(a, a, a);", &[])],
        );
    }
}
