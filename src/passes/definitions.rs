//! Unreferenced definitions: what defines a name that is found nowhere else is rarely needed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::grammar::{Grammar, RuleId};
use crate::syntax::{Document, NodeId};

use super::alternatives::each_once;
use super::shapes::{Clearance, Shapes};
use super::{NO_DEPTH, Removal, Sequence, Unit, list_kind};

/// Definitions whose names occur only in definitions of the same name, as one sequence; several
/// definitions of one name (a prototype and its function) are one unit. `None` if there are none.
pub fn unreferenced(
    document: &Document,
    grammar: &Grammar,
    shapes: &mut Shapes,
    mut skip: impl FnMut(NodeId) -> bool,
) -> Option<Sequence> {
    let tree = document.tree();
    let root = tree.root_node();
    // Unit → the names it defines, and name → the units that define it.
    let mut names_of: BTreeMap<NodeId, Vec<&[u8]>> = BTreeMap::new();
    let mut rules_of: HashMap<NodeId, Vec<RuleId>> = HashMap::new();
    let mut units_of: HashMap<&[u8], Vec<NodeId>> = HashMap::new();
    for definition in grammar.rules().definitions(root, document.source()) {
        let unit = &definition.unit;
        let Some(id) = document.find(unit.range.start, unit.range.end, unit.kind) else { continue };
        let name = &document.source()[definition.name.range.clone()];
        names_of.entry(id).or_default().push(name);
        rules_of.entry(id).or_default().push(definition.rule);
        units_of.entry(name).or_default().push(id);
    }
    if names_of.is_empty() {
        return None;
    }
    let mut found: HashMap<&[u8], Vec<NodeId>> = HashMap::new();
    for id in document.ids().filter(|&id| document.is_token(id)) {
        if let Some((&name, _)) = units_of.get_key_value(document.text(id))
            && grammar.is_identifier(document.node(id).kind)
        {
            found.entry(name).or_default().push(id);
        }
    }
    // Whether these names are found only inside these units, given in order.
    let closed = |group: &[NodeId], names: &[&[u8]]| {
        let group = outermost(document, group);
        names.iter().all(|name| {
            let inside = |id: &NodeId| {
                let after = group.partition_point(|unit| unit <= id);
                after > 0 && document.contains(group[after - 1], *id)
            };
            let kept = grammar.keep_names().iter().any(|keep| keep.as_bytes() == *name);
            !kept && found.get(name).is_none_or(|places| places.iter().all(inside))
        })
    };
    // Per name the first unit that defines nothing else: only there a group of such parts is made,
    // or 40,000 definitions of one name would make as many groups of 40,000.
    let mut first_alone: HashMap<&[u8], NodeId> = HashMap::new();
    for (&unit, names) in &names_of {
        if let [name] = names[..] {
            first_alone.entry(name).or_insert(unit);
        }
    }
    let (mut units, mut rules) = (Vec::new(), Vec::new());
    for (&unit, names) in &names_of {
        let first = names.iter().all(|n| units_of[n][0] >= unit);
        let alone = matches!(names[..], [name] if first_alone[name] == unit);
        if !first && !alone {
            continue;
        }
        let mut group: Vec<_> = names.iter().flat_map(|n| &units_of[n]).copied().collect();
        group.sort_unstable();
        group.dedup();
        let all_names: BTreeSet<&[u8]> = group.iter().flat_map(|u| &names_of[u]).copied().collect();
        let all_names: Vec<_> = all_names.into_iter().collect();
        if !closed(&group, &all_names) {
            // A part that defines nothing else may go without what holds it: `a` of `int a, b;`.
            group.retain(|u| names_of[u].iter().all(|n| names.contains(n)));
            if !closed(&group, names) {
                continue;
            }
        }
        // The group is proposed once, by its first member, and only as a whole.
        if group.first() != Some(&unit) || group.iter().any(|&u| skip(u)) {
            continue;
        }
        let group = outermost(document, &group);
        let clearances: Vec<_> = group.iter().map(|&u| shapes.clearance(document, grammar, u)).collect();
        let nodes: Option<Vec<_>> = clearances.iter().zip(&group).map(|(c, &u)| c.nodes(document, u)).collect();
        let Some(nodes) = nodes else { continue };
        let nodes = nodes.concat();
        rules.push(each_once(group.iter().flat_map(|unit| &rules_of[unit]).copied()));
        units.push(Unit {
            tokens: nodes.iter().map(|&n| document.tokens_of(n)).sum(),
            removal: Removal::Nodes(nodes.into()),
            cleared: !clearances.contains(&Clearance::Blind),
        });
    }
    (!units.is_empty()).then_some(Sequence { kind: list_kind::UNREFERENCED, depth: NO_DEPTH, units, rules })
}

/// Of nodes in preorder, those that are not inside another.
fn outermost(document: &Document, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut end = 0;
    nodes
        .iter()
        .copied()
        .filter(|&node| {
            let outer = node >= end;
            end = end.max(document.subtree_end(node));
            outer
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::{Languages, Sample};

    fn units(sample: &mut Sample, skip: &[NodeId]) -> Vec<String> {
        let skip = |node| skip.contains(&node);
        let sequence = unreferenced(&sample.document, &sample.grammar, &mut sample.shapes, skip);
        sample.units(sequence.as_ref())
    }

    /// Rows of file, text and its unreferenced definitions; `+` joins what goes together.
    #[track_caller]
    fn assert_unreferenced(rows: &[(&str, &str, &[&str])]) {
        let mut languages = Languages;
        for &(file, text, expected) in rows {
            let mut sample = languages.sample(file, text);
            assert_eq!(units(&mut sample, &[]), expected, "{text}");
        }
    }

    #[test]
    fn what_is_named_nowhere_else_is_a_unit() {
        assert_unreferenced(&[
            ("x.c", "int a; int b; int d = b;", &["int a;", "int d = b;"]),
            ("x.c", "int f(void) { return 1; } int x;", &["int f(void) { return 1; }", "int x;"]),
            ("x.c", "typedef int t; typedef int u; u x(t);", &["u x(t);"]),
            ("x.c", "#define A 1\n#define B 2\nint main() { return B; }\n", &["#define A 1\n"]),
            ("x.js", "function f() {} function g() {} f();", &["function g() {}"]),
            ("x.js", "let a = 1; const b = a; x = b;", &[]),
            ("x.json", "{\"a\": 1}", &[]),
            ("x.c", "", &[]),
        ]);
    }

    #[test]
    fn a_definition_that_names_itself_is_unreferenced() {
        assert_unreferenced(&[
            ("x.c", "int f(int n) { return f(n); }", &["int f(int n) { return f(n); }"]),
            ("x.js", "function f() { f(); }", &["function f() { f(); }"]),
        ]);
    }

    #[test]
    fn definitions_of_one_name_go_together() {
        assert_unreferenced(&[
            ("x.c", "int f(void); int x; int f(void) { return x; }", &["int f(void);+int f(void) { return x; }"]),
            ("x.c", "int f(void); int f(void) { return 1; } int x = f();", &["int x = f();"]),
            ("x.c", "int a, b; int a; int b;", &["int a, b;+int a;+int b;"]),
        ]);
    }

    #[test]
    fn several_names_of_one_definition_must_all_be_unreferenced() {
        assert_unreferenced(&[
            ("x.c", "int a, b; int main() { return b; }", &[]),
            ("x.c", "int a, b; int main() { return 1; }", &["int a, b;"]),
        ]);
    }

    #[test]
    fn names_known_outside_of_the_file_are_kept() {
        assert_unreferenced(&[
            ("x.c", "int main(void) { return 0; }", &[]),
            ("x.c", "int main(void); int main(void) { return 0; } int x;", &["int x;"]),
        ]);
    }

    #[test]
    fn names_in_comments_and_strings_do_not_count() {
        assert_unreferenced(&[
            ("x.c", "int a; /* a */ char *main = \"a\";", &["int a;"]),
            ("x.js", "function a() {} 'a'; // a", &["function a() {}"]),
        ]);
    }

    #[test]
    fn definitions_inside_definitions_are_units_of_their_own() {
        assert_unreferenced(&[
            ("x.js", "function f() { function g() {} } f();", &["function g() {}"]),
            ("x.c", "int main() { int a; int b = 1; return b; }", &["int a;"]),
        ]);
    }

    #[test]
    fn groups_with_a_refused_member_are_skipped() {
        let mut sample = Languages.sample("x.c", "int f(void); int a; int f(void) { return 1; }");
        let prototype = sample.node("int f(void);");
        assert_eq!(units(&mut sample, &[prototype]), ["int a;"]);
    }

    #[test]
    fn what_goes_is_counted_and_leaves_no_new_errors() {
        let mut sample = Languages.sample("x.c", "int f(void);\nint a;\nint f(void) { return 1; }\n");
        let sequence = unreferenced(&sample.document, &sample.grammar, &mut sample.shapes, |_| false);
        let sequence = sequence.expect("nothing is used");
        assert_eq!(sequence.units.iter().map(|unit| unit.tokens).collect::<Vec<_>>(), [16, 3]);
        assert!(sequence.units.iter().all(|unit| unit.cleared));
        assert_eq!(sample.after(sequence.units.iter().map(|unit| &unit.removal)), b"");
    }
}
