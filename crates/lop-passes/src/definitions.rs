//! Unreferenced definitions: if a name appears nowhere else, its definition is rarely needed.

use std::collections::{BTreeSet, HashMap};

use lop_grammar::{Grammar, RuleId};
use lop_syntax::{Document, NodeId, is_identifier, words};

use super::alternatives::each_once;
use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::sequence::{Ask, Removal, Sequence, Unit, list_kind};
use super::trial_parser::{Clearance, TrialParser};

/// Definitions whose names occur nowhere else.
pub struct Unreferenced;

impl Pass for Unreferenced {
    fn facts(&self) -> Facts {
        Facts::new("unreferenced", Stage::Deletion, "definitions whose names appear nowhere else")
            .by_rules()
            .led("it waits in the queue of the lists, by expected gain")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        view.sequences(|tree| {
            let skip = |node| tree.is_refused(Ask::Definition, node);
            unreferenced(tree.document, tree.grammar, &mut tree.shapes(), skip)
        })
    }
}

/// Number of a name that is defined somewhere.
pub(super) type Name = u32;

/// The definitions of a document, and the places of their names.
///
/// Building it walks the whole tree. After removals it need not be built again: they can be [forgotten](Self::forget).
#[derive(Clone)]
pub struct Definitions {
    /// The units, each with a name that it defines and the rule that says so, in order.
    defined: Vec<(NodeId, Name, RuleId)>,
    /// The names, each with a unit that defines it, in order.
    units: Vec<(Name, NodeId)>,
    /// The names, each with an identifier that is the same, in order.
    found: Vec<(Name, NodeId)>,
    /// Whether a name is known outside of the file.
    is_kept: Vec<bool>,
}

impl Definitions {
    /// Looks for all definitions of a document.
    #[must_use]
    pub fn of(document: &Document, grammar: &Grammar) -> Self {
        let tree = document.tree();
        let mut names: HashMap<&[u8], Name> = HashMap::new();
        let mut defined = Vec::new();
        for definition in grammar.rules().definitions(tree.root(), document.source()) {
            let unit = &definition.unit;
            let Some(id) = document.find(unit.range.start, unit.range.end, unit.kind) else { continue };
            let next = Name::try_from(names.len()).expect("no more names than bytes, and offsets are 32 bits wide");
            let text = &document.source()[definition.name.range.clone()];
            let text = if grammar.is_identifier(definition.name.kind) { text } else { last_word(text) };
            let name = *names.entry(text).or_insert(next);
            defined.push((id, name, definition.rule));
        }
        defined.sort_unstable();
        let mut units: Vec<_> = defined.iter().map(|&(unit, name, _)| (name, unit)).collect();
        units.sort_unstable();
        let mut found = Vec::new();
        if !names.is_empty() {
            for id in document.ids() {
                let kind = document.node(id).kind;
                if document.is_token(id) && grammar.is_identifier(kind) {
                    found.extend(names.get(document.text(id)).map(|name| (*name, id)));
                } else if grammar.holds_names(kind) {
                    let words = words(document.source(), document.node(id).range());
                    found.extend(words.filter_map(|word| Some((*names.get(&document.source()[word])?, id))));
                }
            }
            found.sort_unstable();
            found.dedup();
        }
        let mut is_kept = vec![false; names.len()];
        for name in grammar.keep_names().iter().filter_map(|keep| names.get(keep.as_bytes())) {
            is_kept[*name as usize] = true;
        }
        Definitions { defined, units, found, is_kept }
    }

    /// Forgets the removed nodes.
    pub fn forget(&mut self, is_gone: impl Fn(NodeId) -> bool) {
        self.defined.retain(|&(unit, ..)| !is_gone(unit));
        self.units.retain(|&(_, unit)| !is_gone(unit));
        self.found.retain(|&(_, place)| !is_gone(place));
    }

    /// Definitions whose names occur only in definitions of the same name, as one sequence; several definitions of one
    /// name (a prototype and its function) are one unit. `None` if there are none.
    pub fn unreferenced(
        &self,
        document: &Document,
        grammar: &Grammar,
        shapes: &mut TrialParser,
        mut skip: impl FnMut(NodeId) -> bool,
    ) -> Option<Sequence> {
        // For each name, only the first unit that defines nothing else gets a group of such parts: otherwise 40,000
        // definitions of one name would make as many groups of 40,000.
        let mut first_alone: Vec<Option<NodeId>> = vec![None; self.is_kept.len()];
        for of_unit in self.of_each_unit() {
            if let &[(unit, name, _)] = of_unit {
                first_alone[name as usize].get_or_insert(unit);
            }
        }
        let (mut units, mut rules) = (Vec::new(), Vec::new());
        for of_unit in self.of_each_unit() {
            let unit = of_unit[0].0;
            let names: Vec<Name> = of_unit.iter().map(|&(_, name, _)| name).collect();
            let first = names.iter().all(|&name| self.units(name).next().is_some_and(|first| first >= unit));
            let alone = matches!(names[..], [name] if first_alone[name as usize] == Some(unit));
            if !first && !alone {
                continue;
            }
            let mut group: Vec<_> = names.iter().flat_map(|&name| self.units(name)).collect();
            group.sort_unstable();
            group.dedup();
            let all_names: BTreeSet<Name> = group.iter().flat_map(|&unit| self.names(unit)).collect();
            if !self.is_closed(document, &group, all_names) {
                // A part that defines nothing else can be removed alone: `a` of `int a, b;`.
                group.retain(|&unit| self.names(unit).all(|name| names.contains(&name)));
                if !self.is_closed(document, &group, names) {
                    continue;
                }
            }
            // The group is proposed once, by its first member, and only as a whole.
            if group.first() != Some(&unit) || group.iter().any(|&unit| skip(unit)) {
                continue;
            }
            let group = outermost(document, &group);
            let clearances: Vec<_> = group.iter().map(|&unit| shapes.clearance(document, grammar, unit)).collect();
            let nodes = clearances.iter().zip(&group).map(|(clearance, &unit)| clearance.nodes(document, unit));
            let Some(nodes) = nodes.collect::<Option<Vec<_>>>() else { continue };
            let nodes = nodes.concat();
            rules.push(each_once(group.iter().flat_map(|&unit| self.of_unit(unit)).map(|&(.., rule)| rule)));
            units.push(Unit {
                tokens: nodes.iter().map(|&node| document.tokens_of(node)).sum(),
                removal: Removal::Nodes(nodes.into()),
                known_to_parse: !clearances.contains(&Clearance::Unchecked),
            });
        }
        (!units.is_empty()).then_some(Sequence { rules, ..Sequence::of(list_kind::UNREFERENCED, units) })
    }

    /// The units in order, each with the names that it defines.
    pub(super) fn units_with_names(&self) -> impl Iterator<Item = (NodeId, Vec<Name>)> {
        self.of_each_unit().map(|of_unit| {
            let mut names: Vec<Name> = of_unit.iter().map(|&(_, name, _)| name).collect();
            names.dedup();
            (of_unit[0].0, names)
        })
    }

    /// The names, each with an identifier that is the same, in order.
    pub(super) fn found(&self) -> impl Iterator<Item = (Name, NodeId)> {
        self.found.iter().copied()
    }

    /// The number of names.
    pub(super) fn names_count(&self) -> usize {
        self.is_kept.len()
    }

    /// Whether a name is known outside of the file.
    pub(super) fn is_kept(&self, name: Name) -> bool {
        self.is_kept[name as usize]
    }

    /// The names that each unit defines, unit by unit.
    fn of_each_unit(&self) -> impl Iterator<Item = &[(NodeId, Name, RuleId)]> {
        self.defined.chunk_by(|one, next| one.0 == next.0)
    }

    fn of_unit(&self, unit: NodeId) -> &[(NodeId, Name, RuleId)] {
        let from = &self.defined[self.defined.partition_point(|&(other, ..)| other < unit)..];
        &from[..from.partition_point(|&(other, ..)| other == unit)]
    }

    /// The rules for the definitions of a unit.
    pub(super) fn rules(&self, unit: NodeId) -> impl Iterator<Item = RuleId> {
        self.of_unit(unit).iter().map(|&(.., rule)| rule)
    }

    /// The names that a unit defines.
    fn names(&self, unit: NodeId) -> impl Iterator<Item = Name> {
        self.of_unit(unit).iter().map(|&(_, name, _)| name)
    }

    /// The units that define a name, in order.
    fn units(&self, name: Name) -> impl Iterator<Item = NodeId> {
        of_name(&self.units, name)
    }

    /// Whether these names are found only inside these units, given in order.
    fn is_closed(&self, document: &Document, group: &[NodeId], names: impl IntoIterator<Item = Name>) -> bool {
        let group = outermost(document, group);
        let inside = |place: NodeId| {
            let after = group.partition_point(|unit| *unit <= place);
            after > 0 && document.contains(group[after - 1], place)
        };
        names.into_iter().all(|name| !self.is_kept[name as usize] && of_name(&self.found, name).all(inside))
    }
}

/// The nodes next to a name, in order.
fn of_name(pairs: &[(Name, NodeId)], name: Name) -> impl Iterator<Item = NodeId> {
    let from = &pairs[pairs.partition_point(|&(other, _)| other < name)..];
    from.iter().take_while(move |&&(other, _)| other == name).map(|&(_, node)| node)
}

/// The name of a text that is no identifier, such as an import's path: its last word that is no version, `c` of
/// `a/b.c/v2`.
fn last_word(text: &[u8]) -> &[u8] {
    let is_version = |word: &[u8]| {
        word.strip_prefix(b"v").is_some_and(|rest| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit))
    };
    let mut words = text.rsplit(|byte| !is_identifier(*byte)).filter(|word| !word.is_empty());
    match (words.next(), words.next()) {
        (Some(last), Some(before)) if is_version(last) => before,
        (last, _) => last.unwrap_or(text),
    }
}

/// [`Definitions::unreferenced`] for a document that is only searched once.
pub(super) fn unreferenced(
    document: &Document,
    grammar: &Grammar,
    shapes: &mut TrialParser,
    skip: impl FnMut(NodeId) -> bool,
) -> Option<Sequence> {
    Definitions::of(document, grammar).unreferenced(document, grammar, shapes, skip)
}

/// Of nodes in preorder, returns those that aren't inside another one.
pub(super) fn outermost(document: &Document, nodes: &[NodeId]) -> Vec<NodeId> {
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
    use crate::testing::{Languages, Sample, lossy};

    fn units(sample: &mut Sample, skip: &[NodeId]) -> Vec<String> {
        let skip = |node| skip.contains(&node);
        let sequence = unreferenced(&sample.document, &sample.grammar, &mut sample.shapes, skip);
        sample.units(sequence.as_ref())
    }

    /// Each row has the file, the text and its unreferenced definitions; `+` joins those that are removed together.
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
    fn a_path_is_known_by_its_last_word_that_is_no_version() {
        let cases =
            [("a", "a"), ("a/b", "b"), ("a/b/v2", "b"), ("a.in/b.v3", "b"), ("v2", "v2"), ("a/vb", "vb"), ("/", "/")];
        for (path, name) in cases {
            assert_eq!(lossy(last_word(path.as_bytes())), name, "{path}");
        }
        let text = "package main\nimport \"math/rand/v2\"\nfunc main() { rand.N(1) }\n";
        assert_unreferenced(&[("x.go", text, &[])]);
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

    /// Without walking the tree again: another walk would find the same.
    #[test]
    fn what_is_left_without_parts_that_are_gone_is_what_another_look_finds() {
        let mut languages = Languages;
        for (file, text, links) in [
            ("x.c", "int a; int b = a; int f(void); int f(void) { return b; } int main() { return 1; }", 3),
            ("x.js", "let a = 1, b = a; function f() { return b } function g() { f() } g", 0),
            ("x.js", "let a = 1; let b = a; function f() { return b } function g() { f() } 1", 4),
        ] {
            let mut sample = languages.sample(file, text);
            let mut definitions = Definitions::of(&sample.document, &sample.grammar);
            let mut gone = crate::NodeSet::new(&sample.document);
            let mut taken = Vec::new();
            for link in 0.. {
                let sequence =
                    definitions.unreferenced(&sample.document, &sample.grammar, &mut sample.shapes, |_| false);
                let rest = sample.after(&taken);
                let mut another = languages.sample(file, rest.clone());
                assert_eq!(sample.units(sequence.as_ref()), units(&mut another, &[]), "{}", lossy(&rest));
                let Some(sequence) = sequence else {
                    assert_eq!(link, links, "{text}");
                    break;
                };
                for unit in sequence.units {
                    let Removal::Nodes(nodes) = &unit.removal else { panic!("definitions are nodes") };
                    nodes.iter().for_each(|&node| gone.insert(node));
                    taken.push(unit.removal);
                }
                let document = &sample.document;
                definitions.forget(|node| gone.iter().any(|outer| document.contains(outer, node)));
            }
        }
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
        assert!(sequence.units.iter().all(|unit| unit.known_to_parse));
        assert_eq!(sample.after(sequence.units.iter().map(|unit| &unit.removal)), b"");
    }
}
