//! Edits that are only valid together: a dimension of an array with the subscripts in all uses, the type of a function
//! with its returns.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use lop_grammar::{Capture, Grammar, RuleId};
use lop_syntax::{Document, Edit};

use super::alternatives::Alternative;
use super::fingerprint::Fingerprints;
use super::pass::{EditsOfTree, Facts, Stage};
use super::rewrites::{class, place};

/// Edits in several places that a rule ties together.
pub(super) static GROUPS: EditsOfTree = EditsOfTree {
    facts: Facts::new("groups", Stage::Rules, "edits in several places that only a rule ties together").by_rules(),
    make: groups,
};

/// The common ground of edits that are made together: group, name, and the scope around them.
type Key<'t> = (&'t str, Option<&'t [u8]>, Option<(usize, usize)>);

/// Number of bytes at its start that distinguish a scope from others with the same edit.
const HEADER: usize = 48;

/// All groups of edits of a document, each as one.
#[must_use]
pub(super) fn groups(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let (tree, source) = (document.tree(), document.source());
    let root = tree.root();
    let found = grammar.rules().grouped(root, source);
    if found.is_empty() {
        return Vec::new();
    }
    let mut scopes: BTreeMap<String, Vec<(Capture, RuleId)>> = BTreeMap::new();
    for scope in grammar.rules().scopes(root, source) {
        scopes.entry(scope.what.group).or_default().push((scope.what.scope, scope.rule));
    }
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut together: BTreeMap<Key<'_>, Together> = BTreeMap::new();
    for edit in &found {
        let number = numbers.len();
        numbers.entry(&edit.group).or_insert(number);
        let scope = match scopes.get(&edit.group) {
            None => None,
            Some(scopes) => match innermost(scopes, &edit.outer.range) {
                None => continue,
                within => within,
            },
        };
        let name = edit.name.as_ref().map(|name| &source[name.range.clone()]);
        let within = scope.map(|(scope, _)| (scope.range.start, scope.range.end));
        let new = || Together { kind: edit.outer.kind, edits: Vec::new(), rules: Vec::new() };
        let group = together.entry((&edit.group, name, within)).or_insert_with(new);
        group.edits.extend(place(grammar, source, edit.outer.range.clone(), &edit.pieces));
        group.rules.extend(scope.map(|(_, rule)| *rule).into_iter().chain([edit.rule]));
    }
    // Two groups can make the same edit: a member of a value that is no pointer.
    let mut seen: HashSet<Vec<Edit>> = HashSet::new();
    let made = together.into_iter().filter_map(|((group, name, scope), Together { kind, edits, rules })| {
        if !seen.insert(edits.clone()) {
            return None;
        }
        let header = scope.map(|(start, end)| prints.of(start..end.min(start + HEADER)));
        let class = class(numbers[group], kind);
        Some(Alternative::of_edits(document, prints, class, edits, (group, name, header))?.by(rules))
    });
    made.collect()
}

/// The edits of one group.
struct Together {
    /// The kind of the node that the first edit replaces.
    kind: u16,
    edits: Vec<Edit>,
    rules: Vec<RuleId>,
}

/// Returns the smallest scope around a range. Scopes are in document order, an outer one before the inner ones.
fn innermost<'s>(scopes: &'s [(Capture, RuleId)], range: &Range<usize>) -> Option<&'s (Capture, RuleId)> {
    let before = scopes.partition_point(|(scope, _)| scope.range.start <= range.start);
    scopes[..before].iter().rev().find(|(scope, _)| scope.range.end >= range.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_proposals;

    #[test]
    fn what_makes_sense_together_is_done_together() {
        assert_proposals(
            groups,
            &[
                ("x.c", "int a[2][3]; int b = a[0][1];", &["int a[3]; int b = a[1];", "int a[2][3]; int b = a[1];"]),
                (
                    "x.c",
                    "struct s *p; int b = p->f;",
                    &[
                        "struct s p; int b = p.f;",
                        "struct s *p; int b = p;",
                        "struct s *p; int b = *p;",
                        "struct s *p; int b = f;",
                    ],
                ),
                (
                    "x.c",
                    "struct { int f; } *p; int b = p->f;",
                    &[
                        "int *p; int b = *p;",
                        "int *p; int b = p;",
                        "struct { int f; } p; int b = p.f;",
                        "int f; int b = f;",
                    ],
                ),
                (
                    "x.c",
                    "union { int *f; } *p; int b = p->f[1];",
                    &[
                        "int * *p; int b = (*p)[1];",
                        "int * *p; int b = p[1];",
                        "union { int *f; } p; int b = p.f[1];",
                        "int *f; int b = f[1];",
                    ],
                ),
                ("x.c", "char f(int); int a = f(1);", &["char f; int a = f;"]),
                ("x.c", "struct { int f; } s; int b = s.f;", &["int s; int b = s;", "int f; int b = f;"]),
                (
                    "x.c",
                    "struct { int f[2], g; } s; int b = s.f[1] + s.g;",
                    &[
                        "int f[2], g; int b = f[1] + g;",
                        "int s; int b = s.f[1] + s;",
                        "struct { int f[2], g; } s; int b = s[1] + s.g;",
                    ],
                ),
                (
                    "x.c",
                    "void f(void) { a: b(); goto a; }",
                    &["void f(void) { b(); ; }", "void f(void) { a: b; goto a; }"],
                ),
                ("x.json", "[1, 1]", &[]),
            ],
        );
    }

    #[test]
    fn scopes_keep_apart_what_is_alike() {
        assert_proposals(
            groups,
            &[(
                "x.c",
                "int f(void) { return 1; } int g(void) { return 1; }",
                &[
                    "void f(void) { ; } int g(void) { return 1; }",
                    "int f(void) { return 1; } void g(void) { ; }",
                    "void f(void) { return; } int g(void) { return 1; }",
                    "int f(void) { return 1; } void g(void) { return; }",
                ],
            )],
        );
        let text = "int f(void) { return 1; } int g(void) { return 1; }";
        let sample = crate::testing::Languages.sample("x.c", text);
        let found = groups(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes()));
        let memos: std::collections::BTreeSet<_> = found.iter().map(|group| group.memo).collect();
        assert_eq!(memos.len(), found.len(), "what was refused in one function may be right in another");
    }
}
