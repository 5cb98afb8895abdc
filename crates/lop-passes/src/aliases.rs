//! Replaces aliases by their meanings, at all their uses.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use lop_grammar::{Capture, Grammar, Piece, RuleId};
use lop_syntax::{Document, Edit, NodeId};

use super::alternatives::Alternative;
use super::captured::find;
use super::cascade::scopes;
use super::definitions::Definitions;
use super::fingerprint::Fingerprints;
use super::names::words;
use super::pass::{EditsOfTree, Facts, Pass, Proposals, Stage, View};
use super::removal::{NodeSet, removal_edits};
use super::rewrites::{class, place, written};
use super::sequence::{Remembered, Removal, Sequence, Unit, list_kind};

/// A name replaced by its meaning.
pub(super) static ALIASES: EditsOfTree = EditsOfTree {
    facts: Facts::new("aliases", Stage::Rules, "names replaced everywhere by their definitions").by_rules(),
    make: aliases,
};

/// Maximum number of uses that the value of an assignment replaces: a text can have thousands of assignments to a name,
/// and each has all the uses after it.
const MOST_USES_AFTER: usize = 64;

/// The range of a name, and the kind of its node; a word inside another text has none.
type Use = (Range<usize>, Option<u16>);

/// A name replaced everywhere by a text that is the same for all names that a rule finds.
pub struct Constants;

impl Pass for Constants {
    fn facts(&self) -> Facts {
        let about = "definitions whose names become a constant wherever they are used";
        Facts::new("constants", Stage::Deletion, about).by_rules().led("each round of deletion begins with it")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        view.sequences(|tree| constants(tree.document, tree.grammar, tree.prints()))
    }
}

/// Proposes a sequence for each rule with a constant text: any of its definitions can be removed.
fn constants(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Sequence> {
    let mut by_rule: BTreeMap<RuleId, Vec<Alternative>> = BTreeMap::new();
    for (made, is_constant) in replaced(document, grammar, prints) {
        if is_constant {
            by_rule.entry(made.rules[0]).or_default().push(made);
        }
    }
    let sequence = |(rule, made): (RuleId, Vec<Alternative>)| {
        let remembered = Remembered::Units(made.iter().map(|made| made.memo).collect());
        let rules = vec![vec![rule]; made.len()];
        let unit = |made: Alternative| Unit {
            removal: Removal::Edits(made.edits),
            tokens: made.tokens,
            known_to_parse: false,
        };
        let units = made.into_iter().map(unit).collect();
        Sequence { rules, ..Sequence::of(list_kind::CONSTANTS, units) }.remembered(remembered)
    };
    by_rule.into_iter().map(sequence).collect()
}

/// Proposes to replace each alias, except constants, at all its uses.
#[must_use]
pub(super) fn aliases(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let made = replaced(document, grammar, prints).into_iter();
    made.filter(|(_, is_constant)| !is_constant).map(|(made, _)| made).collect()
}

/// Proposes to replace each alias at all its uses, and says whether its meaning is a constant.
fn replaced(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<(Alternative, bool)> {
    let source = document.source();
    let found = grammar.rules().aliases(document.tree().root(), source);
    if found.is_empty() {
        return Vec::new();
    }
    let scopes: HashMap<NodeId, Option<NodeId>> = scopes(document, &Definitions::of(document, grammar))
        .into_iter()
        .map(|(unit, names)| (unit, if let [(_, scope)] = names[..] { scope } else { None }))
        .collect();
    // A parameter that isn't a separate definition belongs to the one around it, and so does an assignment.
    let scope = |unit: &Capture, is_inside: bool| {
        let scope = find(document, unit).and_then(|node| match scopes.get(&node) {
            Some(scope) => *scope,
            None => document.ancestors(node).find(|node| scopes.contains_key(node)).filter(|_| is_inside),
        });
        scope.map_or(0..source.len(), |scope| document.node(scope).range())
    };
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
        let known = uses.get(&source[alias.name.range.clone()]).map_or(&[][..], Vec::as_slice);
        let is_constant = alias.leave.is_empty() && alias.text.iter().all(|piece| matches!(piece, Piece::Text(_)));
        let scope = scope(&alias.unit, is_constant || alias.is_after);
        let start = if alias.is_after { alias.unit.range.end } else { scope.start };
        let from = known.partition_point(|(at, _)| at.start < start);
        let inside = known[from..].iter().take_while(|(at, _)| at.end <= scope.end);
        let most = if alias.is_after { MOST_USES_AFTER + 1 } else { usize::MAX };
        let outside: Vec<Use> = inside
            .filter(|(at, _)| at.end <= alias.unit.range.start || alias.unit.range.end <= at.start)
            .take(most)
            .cloned()
            .collect();
        let outside = if outside.len() == most { Vec::new() } else { outside };
        // In some languages a type and a variable may have one name.
        let same: Vec<_> =
            outside.iter().filter(|(_, kind)| kind.is_none_or(|kind| kind == alias.name.kind)).cloned().collect();
        let both = if same.len() < outside.len() { vec![outside, same] } else { vec![outside] };
        // A name that nothing uses is no alias but a definition without use.
        let edits = both.into_iter().filter(|uses| !uses.is_empty()).map(move |uses| {
            let uses = uses.into_iter().map(|(at, _)| Edit::replace(at, text.clone()));
            unit.iter().cloned().chain(uses).collect()
        });
        let class = class(alias.rule.index(), alias.unit.kind);
        edits.filter_map(move |edits| {
            let made = Alternative::of_edits(document, prints, class, edits, ())?;
            Some((made.by([alias.rule]), is_constant))
        })
    });
    made.collect()
}

/// Makes the edits that remove the nodes of a capture: one node, or several adjacent ones.
fn without(document: &Document, grammar: &Grammar, unit: &Capture) -> Vec<Edit> {
    let Some(node) = find(document, unit) else { return vec![Edit::delete(unit.range.clone())] };
    let mut dead = NodeSet::new(document);
    dead.insert(node);
    removal_edits(document, grammar, &dead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, assert_proposals};

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
                (
                    "x.c",
                    "int a; int f() { a; a = b(); *a = 0; } int g() { a; }",
                    &["int a; int f() { a; *b() = 0; } int g() { a; }"],
                ),
                ("x.go", "func f() {\n  a := b()\n  c(a) }", &["func f() {\n  c(b()) }"]),
                ("x.rs", "fn f() { a = b(); c(a) }", &["fn f() { ; c(b()) }", "fn f() { c(b()) }"]),
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
    fn a_value_does_not_replace_thousands_of_uses() {
        let uses = |count: usize| format!("int f() {{ a = 1; {}}}", "b(a); ".repeat(count));
        for (count, expected) in [(MOST_USES_AFTER, 1), (MOST_USES_AFTER + 1, 0)] {
            let sample = Languages.sample("x.c", uses(count).as_str());
            let prints = Fingerprints::new(sample.document.source());
            assert_eq!(aliases(&sample.document, &sample.grammar, &prints).len(), expected, "{count}");
        }
    }

    #[test]
    fn a_name_without_use_and_one_whose_text_would_cost_more_stay() {
        assert_proposals(
            aliases,
            &[("x.c", "typedef int t;", &[]), ("x.js", "var a = b;", &[]), ("x.js", "a = [1, 2, 3]; f(a, a, a);", &[])],
        );
    }
}
