//! Things moved out of what encloses them, so that what encloses them can go.

use crate::grammar::Grammar;
use crate::syntax::{Document, Edit};

use super::alternatives::{Action, Alternative};
use super::fingerprint::Fingerprints;
use super::removal::{NodeSet, removal_edits};
use super::splice_lift::{class, find};

/// So many bytes at its start tell what something moves out of from others that hold the same.
const HEADER: usize = 48;

/// Everything that a rule would move outwards. Nothing becomes smaller by it; it comes to an end
/// because each move brings something nearer to the root.
#[must_use]
pub fn globalised(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let source = document.source();
    let found = grammar.rules().globalised(document.tree().root_node(), source);
    let made = found.into_iter().filter_map(|rule| {
        let (before, moved) = (find(document, &rule.before)?, find(document, &rule.moved)?);
        let at = rule.before.range.start;
        // Out of what it stands in, never along a list, which would have no end.
        if !(at <= rule.moved.range.start && rule.moved.range.end <= rule.before.range.end) || before == moved {
            return None;
        }
        let mut dead = NodeSet::new(document);
        dead.insert(moved);
        let mut edits = removal_edits(document, grammar, &dead);
        let mut text = source[rule.moved.range.clone()].to_vec();
        text.extend_from_slice(rule.suffix.as_bytes());
        text.push(b'\n');
        edits.push(Edit::replace(at..at, text));
        let class = class(document, Action::Globalise, before, moved);
        let header = prints.of(at..rule.before.range.end.min(at + HEADER));
        Alternative::moving(document, prints, class, edits, header)
    });
    made.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::assert_proposals;

    #[test]
    fn what_a_function_declares_moves_in_front_of_it() {
        assert_proposals(
            globalised,
            &[
                ("x.c", "int f(void) { int a; b(); }", &["int a;\nint f(void) { b(); }"]),
                ("x.c", "int f(int a) { }", &["int a;\nint f() { }"]),
                ("x.c", "int a; int f(void) { }", &[]),
                ("x.js", "function f() { var a; return a; }", &["var a;\nfunction f() { return a; }"]),
                ("x.js", "var a; function f() { return a; }", &[]),
                ("x.json", "[[1]]", &[]),
            ],
        );
    }

    #[test]
    fn moves_come_to_an_end() {
        let mut text = "function f() { function g() { var a; let b; } function h() { } }".to_owned();
        let mut moves = 0;
        loop {
            let sample = crate::passes::testing::Languages::default().sample("x.js", text.as_str());
            let found = globalised(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes()));
            let Some(first) = found.first() else { break };
            text = sample.results(std::slice::from_ref(first)).remove(0);
            moves += 1;
            assert!(moves < 20, "{text}");
        }
        assert_eq!(moves, 4, "{text}");
    }
}
