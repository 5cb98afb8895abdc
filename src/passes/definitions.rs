//! Unreferenced definitions: what defines a name that is found nowhere else is rarely needed.

use std::collections::{BTreeMap, HashMap};

use crate::grammar::Grammar;
use crate::syntax::{Document, NodeId};

use super::shapes::{Clearance, Shapes};
use super::{Removal, Sequence, Unit, NO_DEPTH, list_kind};

/// Definitions whose names occur only in definitions of the same name, as one sequence; several
/// definitions of one name (a prototype and its function) are one unit. `None` if there are none.
pub fn unreferenced(
    document: &Document,
    grammar: &Grammar,
    shapes: &mut Shapes,
    mut skip: impl FnMut(NodeId) -> bool,
) -> Option<Sequence> {
    let root = document.tree().root_node();
    // Unit → the names it defines, and name → the units that define it.
    let mut names_of: BTreeMap<NodeId, Vec<&[u8]>> = BTreeMap::new();
    let mut units_of: HashMap<&[u8], Vec<NodeId>> = HashMap::new();
    for definition in grammar.rules().definitions(root, document.source()) {
        let unit = &definition.unit;
        let Some(id) = document.find(unit.range.start, unit.range.end, unit.kind) else { continue };
        let name = &document.source()[definition.name.range.clone()];
        names_of.entry(id).or_default().push(name);
        units_of.entry(name).or_default().push(id);
    }
    if names_of.is_empty() {
        return None;
    }
    let mut outside: HashMap<&[u8], bool> = HashMap::new();
    for id in document.ids().filter(|&id| document.is_token(id)) {
        let text = document.text(id);
        if let Some(units) = units_of.get(text)
            && grammar.is_identifier(document.node(id).kind)
            && !units.iter().any(|unit| document.contains(*unit, id))
        {
            outside.insert(text, true);
        }
    }
    let free = |unit: NodeId| {
        names_of[&unit].iter().all(|name| {
            !outside.contains_key(name) && !grammar.keep_names().iter().any(|k| k.as_bytes() == *name)
        })
    };
    let mut units = Vec::new();
    for (&unit, names) in &names_of {
        let mut group: Vec<_> = names.iter().flat_map(|n| &units_of[n]).copied().collect();
        group.sort_unstable();
        group.dedup();
        // The group is proposed once, by its first member, and only as a whole.
        if group.first() != Some(&unit)
            || !group.iter().all(|&u| free(u) && !skip(u))
        {
            continue;
        }
        let clearances: Vec<_> = group.iter().map(|&u| shapes.clearance(document, grammar, u)).collect();
        let nodes: Option<Vec<_>> = clearances.iter().zip(&group).map(|(c, &u)| c.nodes(document, u)).collect();
        let Some(nodes) = nodes else { continue };
        let nodes = nodes.concat();
        units.push(Unit {
            tokens: nodes.iter().map(|&n| document.node(n).tokens).sum(),
            removal: Removal::Nodes(nodes),
            cleared: !clearances.contains(&Clearance::Blind),
        });
    }
    (!units.is_empty()).then_some(Sequence { kind: list_kind::UNREFERENCED, depth: NO_DEPTH, units })
}
