//! The proposals of the passes for a text, for tests of the driver.

use lop_grammar::Grammar;
use lop_passes::{ALL, Alternative, Brackets, Tree, TrialParser, Unit, View, proposals, siblings};
use lop_syntax::Document;

/// The children that may go, of every node that has such.
pub(super) fn units(document: &Document, grammar: &Grammar, shapes: &mut TrialParser) -> Vec<Unit> {
    let lists = document.ids().filter_map(|node| siblings(document, grammar, shapes, node, |_| false));
    lists.flat_map(|list| list.units).collect()
}

/// All single edits that any pass proposes.
pub(super) fn alternatives(document: &Document, grammar: &Grammar, shapes: &mut TrialParser) -> Vec<Alternative> {
    let mut brackets = Brackets::default();
    brackets.learn(document);
    let refused = |_, _| false;
    let view = View::of_tree(Tree::new(document, grammar, &brackets, shapes, &refused));
    ALL.iter().flat_map(|pass| proposals(*pass, &view).alternatives).collect()
}
