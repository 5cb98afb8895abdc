//! Coupled deletion: an edit together with the definitions that it leaves unreferenced.
//!
//! ```text
//! import (                      package main
//!     "os"
//! )                   becomes   func f() string {
//! func f() (string, int) {          return ""
//!     s := os.Args[0]           }
//!     return s, 7
//! }
//! ```

use lop_grammar::RuleId;
use lop_syntax::Edit;

use super::ALL;
use super::alternatives::{Alternative, Class};
use super::bodies::{Bodies, bodies};
use super::cascade::{Cascade, RemovedRanges};
use super::pass::{Facts, Pass, Proposals, Stage, Tree, View, Wanted, proposals};
use super::removal::{NodeSet, removal_edits};
use super::sequence::Removal;
use super::siblings::{Siblings, siblings};
use super::tolerance::Tolerance;

/// Tokens of a text above which nothing is proposed: all edits of most other passes are made for it.
const MOST_TOKENS: usize = 4_000;

/// Edits of other passes, each together with the definitions that lose their last reference.
pub struct Coupled;

impl Pass for Coupled {
    fn facts(&self) -> Facts {
        let about = "edits of other passes, together with definitions that become unused";
        Facts::new("coupled", Stage::Tokens, about).by_rules().led("to make them is to make all other edits")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let tree = view.tree.as_ref().filter(|tree| tree.document.tokens() <= MOST_TOKENS);
        let Some(tree) = tree.filter(|_| view.wanted != Wanted::Sequences) else { return Proposals::default() };
        let (document, grammar) = (tree.document, tree.grammar);
        let tolerance = |kind| (view.tolerance)(kind);
        let may_go = |node| tolerance(document.node(node).kind) != Tolerance::Tolerated;
        let cascade = Cascade::of(document, grammar, &mut tree.shapes(), may_go);
        let is_unknown = |kind: &u16| tolerance(*kind) == Tolerance::Unknown;
        if !cascade.kinds().any(|kind| is_unknown(&kind)) {
            return Proposals::default();
        }
        let mut all = Vec::new();
        for Other { removal, memo, rules } in others(view, tree) {
            let mut gone = RemovedRanges::default();
            gone.take(document, &removal);
            let (nodes, kinds) = cascade.after(gone);
            let Some(kind) = kinds.iter().copied().find(is_unknown) else { continue };
            let mut dead = NodeSet::new(document);
            nodes.into_iter().for_each(|node| dead.insert(node));
            let edits = match removal {
                Removal::Edits(edits) => edits,
                Removal::Nodes(nodes) => {
                    nodes.iter().for_each(|&node| dead.insert(node));
                    Vec::new()
                }
            };
            let Some(edits) = united(edits, removal_edits(document, grammar, &dead)) else { continue };
            // The verdict on one such edit counts for that kind of definition.
            let class = Class { outer: kind, inner: 0, depth: 0 };
            let made = Alternative::of_edits(document, tree.prints(), class, edits, memo);
            all.extend(made.map(|made| made.by(rules)));
        }
        all.into()
    }
}

/// A proposal of another pass.
struct Other {
    removal: Removal,
    memo: u64,
    rules: Vec<RuleId>,
}

/// The edits of other passes that run, each alone.
fn others(view: &View<'_>, tree: &Tree<'_>) -> Vec<Other> {
    let (document, grammar) = (tree.document, tree.grammar);
    let allows = |pass: &dyn Pass| (view.allows)(pass.name());
    let mut all = Vec::new();
    for pass in ALL.iter().filter(|pass| matches!(pass.facts().stage, Stage::LocalEdits | Stage::Rules)) {
        let made = if allows(*pass) { proposals(*pass, view).alternatives } else { Vec::new() };
        // An edit that wasn't tested alone says nothing about the definitions removed with it.
        let made = made.into_iter().filter(|edit| !edit.is_late || (view.settled)(edit.memo));
        all.extend(made.map(|Alternative { edits, memo, rules, .. }| Other {
            removal: Removal::Edits(edits),
            memo,
            rules,
        }));
    }
    let shapes = &mut *tree.shapes();
    let mut sequences = Vec::new();
    if allows(&Bodies) {
        sequences.extend(bodies(document, grammar, shapes, |_| false));
    }
    if allows(&Siblings) {
        sequences.extend(document.ids().filter_map(|node| siblings(document, grammar, shapes, node, |_| false)));
    }
    for sequence in sequences {
        let mut rules = sequence.rules.into_iter();
        all.extend(sequence.units.into_iter().map(|unit| Other {
            removal: unit.removal,
            memo: sequence.kind.into(),
            rules: rules.next().unwrap_or_default(),
        }));
    }
    all
}

/// Merges edits and deletions, which can overlap, into edits that don't. Returns `None` if a text would be inserted
/// next to a deletion.
fn united(edits: Vec<Edit>, holes: Vec<Edit>) -> Option<Vec<Edit>> {
    let is_inside = |edit: &Edit| holes.iter().any(|hole| hole.start <= edit.start && edit.end <= hole.end);
    let mut all: Vec<Edit> = edits.into_iter().filter(|edit| !is_inside(edit)).collect();
    all.extend(holes);
    all.sort_by_key(|edit| (edit.start, edit.end));
    let mut united: Vec<Edit> = Vec::new();
    for edit in all {
        match united.last_mut().filter(|last| edit.start < last.end) {
            Some(last) if last.text.is_empty() && edit.text.is_empty() => last.end = last.end.max(edit.end),
            Some(_) => return None,
            None => united.push(edit),
        }
    }
    Some(united)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Brackets;
    use crate::testing::{Languages, Sample};

    /// Rows of file, text, and some of the texts after each single edit.
    #[track_caller]
    fn assert_among(rows: &[(&str, &str, &[&str])]) {
        for &(file, text, expected) in rows {
            let results = Languages.sample(file, text).words_after(&Coupled);
            for expected in expected {
                assert!(results.iter().any(|result| result == expected), "{expected} in {results:#?}");
            }
            assert!(!expected.is_empty() || results.is_empty(), "{results:#?}");
        }
    }

    #[test]
    fn an_edit_goes_with_what_nothing_refers_to_any_more() {
        assert_among(&[
            (
                "x.go",
                "package main\nimport \"os\"\nfunc f() {\n\ts := os.Args\n\tg(s)\n}\n",
                &["package main func f() { }", "package main func f() { g() }"],
            ),
            ("x.rs", "use a::b; fn f() { b(); g(1); }", &["fn f() { g(1); }"]),
            (
                "x.js",
                "import {a, b} from 'm'; f(a, g(b));",
                &["import {b} from 'm'; f(g(b));", "import {a} from 'm'; f(a);"],
            ),
            ("x.c", "static int a; int f(void) { return a; }", &["int f(void) { return ; }", "int f(void) ;"]),
        ]);
    }

    #[test]
    fn an_edit_that_was_not_asked_about_alone_takes_nothing_along() {
        let text = "static int a; int f(void) { return a + 1 * 2 * 3 * 4 * 5; }";
        let mut sample = Languages.sample("x.c", text);
        let results = |settled: &dyn Fn(u64) -> bool, sample: &mut Sample| {
            let mut brackets = Brackets::default();
            brackets.learn(&sample.document);
            let refused = |_, _| false;
            let tree = Tree::new(&sample.document, &sample.grammar, &brackets, &mut sample.shapes, &refused);
            let made = proposals(&Coupled, &View { settled, ..View::of_tree(tree) });
            sample.results(&made.alternatives)
        };
        let (first, further) = ("int f(void) { return 0; }", "int f(void) { return 1; }");
        let before = results(&|_| false, &mut sample);
        assert!(before.iter().any(|text| text.trim() == first), "{before:#?}");
        assert!(!before.iter().any(|text| text.trim() == further), "{before:#?}");
        let after = results(&|_| true, &mut sample);
        assert!(after.iter().any(|text| text.trim() == further), "{after:#?}");
    }

    #[test]
    fn an_edit_that_leaves_nothing_unused_is_left_to_its_pass() {
        assert_among(&[
            ("x.c", "int a; int f(void) { a; return a; }", &["int f(void) ;"]),
            ("x.js", "a(1); b(2);", &[]),
            ("x.json", "[1, 2]", &[]),
        ]);
    }

    #[test]
    fn parts_that_go_twice_go_once() {
        let (cut, put) =
            (|range| Edit::delete(range), |range, text: &'static str| Edit::replace(range, text.as_bytes()));
        let rows = [
            (vec![cut(1..3)], vec![cut(5..6)], Some(vec![cut(1..3), cut(5..6)])),
            (vec![cut(1..3), put(4..5, "a")], vec![cut(2..6)], Some(vec![cut(1..6)])),
            (vec![put(1..3, "a")], vec![cut(2..6)], None),
            (vec![put(1..3, "a")], vec![cut(1..3)], Some(vec![cut(1..3)])),
        ];
        for (edits, holes, expected) in rows {
            assert_eq!(united(edits, holes), expected);
        }
    }
}
