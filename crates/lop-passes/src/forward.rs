//! Moves definitions to the place of their forward declarations, which exist only because the definition comes later.

use std::collections::HashMap;

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit};

use super::alternatives::Alternative;
use super::captured::{class, find};
use super::fingerprint::Fingerprints;
use super::indentation::moved;
use super::pass::{EditsOfTree, Facts, Stage};
use super::removal::{NodeSet, removal_edits};

/// A definition in the place of its declaration.
pub(super) static FORWARD: EditsOfTree = EditsOfTree {
    facts: Facts::new("forward", Stage::Rules, "definitions replace their declarations").by_rules(),
    make: forwards,
};

/// Finds all declarations whose definition is elsewhere.
#[must_use]
pub(super) fn forwards(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let (tree, source) = (document.tree(), document.source());
    let root = tree.root();
    let declared = grammar.rules().forwards(root, source);
    if declared.is_empty() {
        return Vec::new();
    }
    let mut definitions = HashMap::new();
    for definition in grammar.rules().definitions(root, source) {
        // The largest one of each name: a prototype is a definition, too.
        let name = &source[definition.name.range.clone()];
        let largest = definitions.entry(name).or_insert_with(|| definition.clone());
        if definition.unit.range.len() > largest.unit.range.len() {
            *largest = definition;
        }
    }
    let made = declared.into_iter().filter_map(|forward| {
        let definition = definitions.get(&source[forward.name.range.clone()])?;
        let (unit, declaration) = (find(document, &definition.unit)?, find(document, &forward.unit)?);
        let range = definition.unit.range.clone();
        if unit == declaration || range.start < forward.unit.range.end {
            return None;
        }
        let mut dead = NodeSet::new(document);
        dead.insert(unit);
        let mut edits = removal_edits(document, grammar, &dead);
        let text = moved(grammar, source, range.start, source[range].to_vec());
        edits.push(Edit::replace(forward.unit.range.clone(), text));
        let class = class(document, declaration, unit);
        Some(Alternative::of_edits(document, prints, class, edits, ())?.by([definition.rule, forward.rule]))
    });
    made.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_proposals;

    #[test]
    fn a_definition_takes_its_declarations_place() {
        assert_proposals(
            forwards,
            &[
                (
                    "x.c",
                    "int f(void); int g(void) { return f(); } int f(void) { return 1; }",
                    &["int f(void) { return 1; } int g(void) { return f(); } "],
                ),
                ("x.c", "int f(void) { return 1; } int f(void);", &[]),
                ("x.c", "int f(void);", &[]),
                ("x.js", "function f() { }", &[]),
                ("x.json", "[1]", &[]),
            ],
        );
    }
}
