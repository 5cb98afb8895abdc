//! Chains: nodes nested in nodes of the same kind, over many levels.
//!
//! Hoisting removes one level per test. If each node of a chain can replace the one around it, the chain is also a
//! sequence: a unit is the shell between one node and the next, and any subset of shells can be removed. So the engine
//! needs about log₂ tests for nesting of any depth.
//!
//! ```text
//! [ 1, [ [ 2, X ] ] ]      shells  [ 1,  ]   [ ]   [ 2, ]     around X
//! ```

use std::hash::{DefaultHasher, Hash, Hasher};

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId};

use super::hoist::compatible_descendants;
use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::removal::NodeSet;
use super::sequence::{Remembered, Removal, Sequence, Unit, list_kind};

/// Levels of deep nesting.
pub struct Chains;

impl Pass for Chains {
    fn facts(&self) -> Facts {
        Facts::new("chains", Stage::LocalEdits, "levels of deep nesting: brackets in brackets, a + b + c")
            .led("deep nesting is looked at before the lists")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        view.sequences(|tree| chains(tree.document, tree.grammar))
    }
}

/// Nodes that make a chain worth more than hoisting.
pub const MIN_CHAIN: usize = 8;

/// All chains of at least [`MIN_CHAIN`] nodes, outermost first.
#[must_use]
pub fn chains(document: &Document, grammar: &Grammar) -> Vec<Sequence> {
    let mut seen = NodeSet::new(document);
    let mut all = Vec::new();
    for start in document.ids().skip(1) {
        let node = document.node(start);
        if seen.contains(start) || !node.is_named() || node.is_extra() || node.is_error() {
            continue;
        }
        let mut chain = vec![start];
        let mut at = start;
        while let Some(next) = heaviest(document, grammar, at) {
            if seen.contains(next) {
                break;
            }
            seen.insert(next);
            chain.push(next);
            at = next;
        }
        if chain.len() >= MIN_CHAIN {
            let units = chain.windows(2).map(|pair| shell(document, pair[0], pair[1])).collect();
            let shells = shells(document, units);
            all.push(Sequence { depth: document.depth(start), ..shells });
        }
    }
    all
}

/// Shells around one place. They are asked about again when the text of one of them is another one.
pub(super) fn shells(document: &Document, units: Vec<Unit>) -> Sequence {
    let mut hasher = DefaultHasher::new();
    for unit in &units {
        if let Removal::Edits(edits) = &unit.removal {
            edits.iter().for_each(|edit| document.source()[edit.start..edit.end].hash(&mut hasher));
        }
    }
    Sequence::of(list_kind::CHAIN, units).remembered(Remembered::Whole(vec![hasher.finish()]))
}

/// Returns the descendant with the most tokens that can replace a node.
fn heaviest(document: &Document, grammar: &Grammar, node: NodeId) -> Option<NodeId> {
    compatible_descendants(document, grammar, node, usize::MAX)
        .into_iter()
        .map(|(inner, _)| inner)
        .filter(|inner| document.tokens_of(*inner) < document.tokens_of(node))
        // The first of equals: the outermost, and so the longest chain.
        .rev()
        .max_by_key(|inner| document.tokens_of(*inner))
}

fn shell(document: &Document, outer: NodeId, inner: NodeId) -> Unit {
    let (around, kept) = (document.node(outer), document.node(inner));
    Unit {
        removal: Removal::Edits(vec![
            Edit::delete(around.start as usize..kept.start as usize),
            Edit::delete(kept.end as usize..around.end as usize),
        ]),
        tokens: document.tokens_of(outer) - document.tokens_of(inner),
        known_to_parse: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, lossy};

    #[test]
    fn nested_nodes_are_one_sequence_of_shells() {
        let text = "[".repeat(10) + "1" + &"]".repeat(10);
        let sample = Languages.sample("x.json", text.as_str());
        let found = chains(&sample.document, &sample.grammar);
        let [chain] = &found[..] else { panic!("one chain, not {}", found.len()) };
        assert_eq!(chain.units.len(), 10);
        assert!(chain.units.iter().all(|unit| unit.tokens == 2));
        for gone in 0..=10 {
            let left = sample.after(chain.units.iter().take(gone).map(|unit| &unit.removal));
            assert_eq!(lossy(&left), "[".repeat(10 - gone) + "1" + &"]".repeat(10 - gone));
        }
    }

    #[test]
    fn short_nesting_is_no_chain() {
        let mut languages = Languages;
        for (levels, expected) in [(MIN_CHAIN - 2, 0), (MIN_CHAIN - 1, 1)] {
            // The number inside is one more.
            let sample = languages.sample("x.json", "[".repeat(levels) + "1" + &"]".repeat(levels));
            assert_eq!(chains(&sample.document, &sample.grammar).len(), expected, "{levels} levels");
        }
        let sample = languages.sample("x.json", "[[1],[2],[3],[4],[5],[6],[7],[8],[9]]");
        assert!(chains(&sample.document, &sample.grammar).is_empty());
    }

    #[test]
    fn without_any_of_its_shells_a_chain_parses() {
        let rows = [
            ("x.json", "[".to_owned() + &"[0, ".repeat(8) + "1" + &"]".repeat(8) + "]"),
            ("x.json", "{\"a\": [".repeat(5) + "1" + &"]}".repeat(5)),
            ("x.js", "x = ".to_owned() + &"[a, ".repeat(9) + "b" + &"]".repeat(9) + ";"),
            ("x.js", "{ a(); ".repeat(9) + "b();" + &" }".repeat(9)),
            ("x.js", "x = ".to_owned() + &"f(a, ".repeat(9) + "b" + &")".repeat(9) + ";"),
            ("x.c", "int x = ".to_owned() + &"f(a, ".repeat(9) + "b" + &")".repeat(9) + ";"),
            ("x.c", "int x = ".to_owned() + &"(".repeat(9) + "b" + &")".repeat(9) + ";"),
            ("x.c", "int x = ".to_owned() + &"a + ".repeat(12) + "b;"),
            ("x.js", "if (a) ".repeat(9) + "b();"),
        ];
        let mut languages = Languages;
        for (file, text) in rows {
            let mut sample = languages.sample(file, text.as_str());
            assert_eq!(sample.document.errors(), 0, "{text}");
            let found = chains(&sample.document, &sample.grammar);
            assert!(!found.is_empty(), "{text}");
            for chain in found {
                for subset in 0..1_u32 << chain.units.len().min(10) {
                    let goes = |at: usize| subset >> (at % 10) & 1 == 1;
                    let gone = chain.units.iter().enumerate().filter(|(at, _)| goes(*at)).map(|(_, unit)| unit);
                    let tokens: u32 = gone.clone().map(|unit| unit.tokens).sum();
                    let left = sample.after(gone.map(|unit| &unit.removal));
                    assert_eq!(sample.errors(&left), Some(0), "{text} became {}", lossy(&left));
                    let whole = sample.document.tokens();
                    let left = languages.sample(file, left).document.tokens();
                    assert_eq!(left, whole - tokens as usize, "{text}");
                }
            }
        }
    }

    #[test]
    fn a_hundred_thousand_levels_are_no_matter() {
        let text = "[".repeat(100_000) + &"]".repeat(100_000);
        let sample = Languages.sample("x.json", text);
        let found = chains(&sample.document, &sample.grammar);
        assert_eq!(found.iter().map(|chain| chain.units.len()).collect::<Vec<_>>(), [99_999]);
        let left = sample.after(found[0].units.iter().skip(2).map(|unit| &unit.removal));
        assert_eq!(lossy(&left), "[[[]]]");
    }
}
