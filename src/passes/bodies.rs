//! Bodies: the inside of definitions that stay is often not needed, whatever it contains.

use crate::grammar::Grammar;
use crate::syntax::{Document, Edit, NodeId, count_words};

use super::shapes::Shapes;
use super::{Removal, Sequence, Unit, NO_DEPTH, list_kind};

/// The bodies named by the grammar's rules as one sequence, in which to go means to become the
/// first minimal text that fits, with the node of each unit; `None` if there are none.
pub fn bodies(
    document: &Document,
    grammar: &Grammar,
    shapes: &mut Shapes,
    mut skip: impl FnMut(NodeId) -> bool,
) -> Option<(Sequence, Vec<NodeId>)> {
    let root = document.tree().root_node();
    let (nodes, units): (Vec<_>, Vec<_>) = grammar
        .rules()
        .bodies(root, document.source())
        .into_iter()
        .filter_map(|body| {
            let id = document.find(body.range.start, body.range.end, body.kind)?;
            if skip(id) {
                return None;
            }
            let node = document.node(id);
            let parent = document.parent(id).map(|p| document.node(p).kind);
            let field = (node.field != 0).then_some(node.field);
            let text = grammar
                .minimal(parent, field, node.kind)
                .iter()
                .find(|text| shapes.accepts_replacement(document, id, text))?;
            let tokens = node.tokens.checked_sub(u32::try_from(count_words(text.as_bytes())).ok()?)?;
            let edit = Edit::replace(node.range(), text.as_bytes().to_vec());
            let unit = Unit { removal: Removal::Edits(vec![edit]), tokens, cleared: false };
            (tokens > 0).then_some((id, unit))
        })
        .unzip();
    (!units.is_empty()).then_some((Sequence { kind: list_kind::BODIES, depth: NO_DEPTH, units }, nodes))
}
