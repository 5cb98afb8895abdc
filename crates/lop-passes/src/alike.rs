//! Merges alike definitions: the first of several that only differ in their names replaces the others, in one test if
//! possible.
//!
//! ```text
//! (declare-var a Bool) (declare-var b Bool) (rule (f a b))      becomes  (declare-var a Bool) (rule (f a a))
//! ```

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use lop_grammar::{ByRule, Definition, Grammar, RuleId};
use lop_syntax::{Document, Edit, NodeId};

use super::alternatives::{Alternative, Class};
use super::captured::find;
use super::cascade::scopes;
use super::definitions::Definitions;
use super::fingerprint::Fingerprints;
use super::names::occurrences;
use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::removal::{NodeSet, removal_edits};
use super::sequence::{Remembered, Removal, Sequence, Unit, list_kind};

/// Definitions that are the same but for the name.
pub struct Alike;

impl Pass for Alike {
    fn facts(&self) -> Facts {
        let about = "of definitions that differ in their names only, the first replaces others";
        Facts::new("alike", Stage::Deletion, about).by_rules().led("only languages without a parser need it")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        view.sequences(|tree| alike(tree.document, tree.grammar, tree.prints()))
    }
}

/// Texts of more tokens are not looked at.
const MOST_TOKENS: usize = 20_000;
/// Fewer definitions of one form are left to the edits that merge two names.
const FEW: usize = 6;

/// A definition, its name and the rule that says so.
type Defined<'t> = (NodeId, &'t [u8], RuleId);

/// Proposes a sequence of all definitions that only differ in their names: any of them but the first can be removed,
/// and the first name replaces theirs.
fn alike(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Sequence> {
    if document.tokens() > MOST_TOKENS {
        return Vec::new();
    }
    let source = document.source();
    let definitions = Definitions::of(document, grammar);
    let found = grammar.rules().definitions(document.tree().root(), source);
    let units = scopes(document, &definitions);
    let is_whole_file = |unit: NodeId| {
        let at = units.binary_search_by_key(&unit, |(unit, _)| *unit);
        at.is_ok_and(|at| matches!(units[at].1[..], [(_, None)]))
    };
    let places = occurrences(document, grammar).into_iter();
    let places: HashMap<&[u8], _> = places.map(|places| (&source[places[0].clone()], places)).collect();
    let mut forms: BTreeMap<(&[u8], &[u8]), Vec<Defined<'_>>> = BTreeMap::new();
    for ByRule { what: Definition { unit, name }, rule } in &found {
        let Some((id, name_id)) = find(document, unit).zip(find(document, name)) else { continue };
        let text = document.text(name_id);
        let is_kept = grammar.keep_names().iter().any(|keep| keep.as_bytes() == text);
        if !is_kept && is_whole_file(id) && places.contains_key(text) {
            let form = (&source[unit.range.start..name.range.start], &source[name.range.end..unit.range.end]);
            forms.entry(form).or_default().push((id, text, *rule));
        }
    }
    let mut sequences = Vec::new();
    for alike in forms.into_values().filter(|alike| alike.len() >= FEW) {
        let first = alike[0].1;
        let merged = alike[1..].iter().filter(|(_, name, _)| *name != first).filter_map(|(unit, name, rule)| {
            let mut dead = NodeSet::new(document);
            dead.insert(*unit);
            let gone = document.node(*unit).range();
            let uses = places[name].iter().filter(|place| place.end <= gone.start || gone.end <= place.start);
            let rename = |place: &Range<usize>| Edit::replace(place.clone(), first.to_vec());
            let edits = removal_edits(document, grammar, &dead).into_iter().chain(uses.map(rename)).collect();
            let class = Class { outer: document.node(*unit).kind, inner: 0, depth: 1 };
            Some(Alternative::of_edits(document, prints, class, edits, ())?.by([*rule]))
        });
        let merged: Vec<Alternative> = merged.collect();
        let remembered = Remembered::Units(merged.iter().map(|made| made.memo).collect());
        let rules = merged.iter().map(|made| made.rules.clone()).collect();
        let unit = |made: Alternative| Unit {
            removal: Removal::Edits(made.edits),
            tokens: made.tokens,
            known_to_parse: false,
        };
        let units: Vec<Unit> = merged.into_iter().map(unit).collect();
        if !units.is_empty() {
            sequences.push(Sequence { rules, ..Sequence::of(list_kind::ALIKE, units) }.remembered(remembered));
        }
    }
    sequences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, lossy};

    #[test]
    fn any_of_many_alike_may_go_and_the_first_stands_for_it() {
        let declared: String = (0..FEW).map(|at| format!("(declare-const n{at} Int)\n")).collect();
        let text = format!("{declared}(declare-const other Bool)\n(assert (< n0 n1 n5))\n(assert n5)\n");
        let sample = Languages.sample("x.smt2", text.as_str());
        let found = alike(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes()));
        assert_eq!(found.iter().map(|sequence| sequence.units.len()).collect::<Vec<_>>(), [FEW - 1]);
        let last = &found[0].units[FEW - 2].removal;
        let left = lossy(&sample.after([last]));
        assert!(left.contains("(assert (< n0 n1 n0))\n(assert n0)") && !left.contains("n5"), "{left}");
    }

    #[test]
    fn few_alike_and_different_ones_stay() {
        let different: String = (0..9).map(|at| format!("(declare-const n{at} T{at})\n")).collect();
        for text in ["(declare-const a Int)\n(declare-const b Int)\n", &different, ""] {
            let sample = Languages.sample("x.smt2", text);
            assert!(alike(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes())).is_empty(), "{text}");
        }
    }
}
