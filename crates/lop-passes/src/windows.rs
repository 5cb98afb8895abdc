//! Windows: a few neighbouring tokens, anywhere.

use std::ops::Range;

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId};

use super::alternatives::{Alternative, Class};
use super::brackets::Brackets;
use super::fingerprint::Fingerprints;
use super::pass::{Facts, Pass, Proposals, Stage, Tree, View, Wanted};
use super::sequence::{Ask, Remembered, Sequence};
use super::tokens::{rows, token_units, tokens};

/// Runs of tokens.
pub struct Tokens;

impl Pass for Tokens {
    fn facts(&self) -> Facts {
        Facts::new("tokens", Stage::Tokens, "runs of up to eight tokens, wherever they are")
            .led("they have a moment of their own, and the late stage another")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let Some(tree) = &view.tree else { return Proposals::default() };
        match view.wanted {
            Wanted::Sequences => single_tokens(tree).into(),
            Wanted::Alternatives => runs(tree).into(),
            Wanted::Everything => Proposals::from(single_tokens(tree)).and(runs(tree).into()),
        }
    }
}

/// Returns the tokens that were not refused alone or as a unit of a list.
fn single_tokens(tree: &Tree<'_>) -> Option<Sequence> {
    let is_refused = |leaf| tree.is_refused(Ask::Token, leaf) || tree.is_refused(Ask::Unit, leaf);
    let leaves: Vec<_> = tokens(tree.document, tree.grammar).filter(|&leaf| !is_refused(leaf)).collect();
    token_units(tree.document, &leaves).map(|row| row.remembered(Remembered::Nodes(Ask::Token, leaves)))
}

fn runs(tree: &Tree<'_>) -> Vec<Alternative> {
    let needed = |node| tree.is_refused(Ask::Unit, node);
    windows(tree.document, tree.grammar, tree.brackets(), tree.prints(), needed)
}

/// Tokens of the longest window.
const LONGEST: usize = 8;
/// Tokens of a text above which there are no windows: each is a parse, and there are seven for every
/// token.
const MOST_TOKENS: usize = 2_000;
/// Number of tokens on each side of a window that its outcome can depend on.
const AROUND: usize = 2;

/// Proposes all windows of 2 to 8 tokens of a small document, from last to first; of those with the same end, the
/// longest first. Single tokens are swept.
///
/// In a text without syntax errors a bracket is only removed with its partner: anything else would be an error. In a text
/// of no language a window may also begin inside one pair of brackets and end inside the next, so that what is left of
/// the two becomes one. A window of neighbouring children of one node that are all `needed` is left out: in long lists these are most windows,
/// and none of them was ever removable.
#[must_use]
pub(super) fn windows(
    document: &Document,
    grammar: &Grammar,
    brackets: &Brackets,
    prints: &Fingerprints,
    needed: impl Fn(NodeId) -> bool,
) -> Vec<Alternative> {
    if document.tokens() > MOST_TOKENS {
        return Vec::new();
    }
    let mut all = Vec::new();
    for row in rows(document, grammar).into_iter().rev() {
        let partners = brackets.partners(document, &row);
        for end in (1..=row.len()).rev() {
            for start in end.saturating_sub(LONGEST)..end - 1 {
                let balanced = || {
                    let is_inside = |partner: &usize| (start..end).contains(partner);
                    partners[start..end].iter().flatten().all(is_inside)
                        || (grammar.is_of_any_text() && joins_groups(document, &row, &partners, start..end))
                };
                if (document.errors() > 0 || balanced()) && !are_needed(document, &row[start..end], &needed) {
                    all.extend(window(document, prints, &row, start, end));
                }
            }
        }
    }
    all
}

/// Whether a window begins inside one group of brackets and ends inside another, and the brackets of the first that stay
/// open are closed by those that are left of the second.
fn joins_groups(document: &Document, row: &[NodeId], partners: &[Option<usize>], window: Range<usize>) -> bool {
    let outside = |at: usize| partners[at].filter(|partner| !window.contains(partner)).map(|partner| (at, partner));
    let cut: Vec<(usize, usize)> = window.clone().filter_map(outside).collect();
    let (closers, openers) = cut.split_at(cut.iter().take_while(|(_, partner)| *partner < window.start).count());
    let kind = |at: usize| document.node(row[at]).kind;
    closers.len() == openers.len()
        && closers.iter().zip(openers.iter().rev()).all(|(closer, opener)| kind(closer.0) == kind(opener.1))
}

/// Whether some tokens are children of one node, at least one of them with a name, and all of these
/// are needed.
fn are_needed(document: &Document, window: &[NodeId], needed: impl Fn(NodeId) -> bool) -> bool {
    let (first, last) = (document.node(window[0]), document.node(window[window.len() - 1]));
    let (mut parent, mut named) = (None, false);
    let mut rest = window.iter().copied().peekable();
    while let Some(token) = rest.next() {
        // The largest node that begins here and ends in the window.
        let mut whole = token;
        while let Some(outer) = document.parent(whole) {
            let node = document.node(outer);
            if node.start < first.start || node.end > last.end {
                break;
            }
            whole = outer;
        }
        let above = document.parent(whole);
        if *parent.get_or_insert(above) != above {
            return false;
        }
        if document.node(whole).is_named() {
            if !needed(whole) {
                return false;
            }
            named = true;
        }
        while rest.next_if(|&token| document.contains(whole, token)).is_some() {}
    }
    named
}

fn window(document: &Document, prints: &Fingerprints, row: &[NodeId], start: usize, end: usize) -> Option<Alternative> {
    let kind = |token: NodeId| document.parent(token).map_or(0, |parent| document.node(parent).kind);
    let length = u16::try_from(end - start).expect("a window is short");
    let class = Class { outer: kind(row[start]), inner: kind(row[end - 1]), depth: length };
    let edit = Edit::delete(between(document, row, start, end));
    let around = prints.of(between(document, row, start.saturating_sub(AROUND), (end + AROUND).min(row.len())));
    Alternative::of_edits(document, prints, class, vec![edit], around)
}

/// The part of the text from one token to before another, blanks at its ends left out.
pub(super) fn between(document: &Document, row: &[NodeId], start: usize, end: usize) -> std::ops::Range<usize> {
    document.node(row[start]).range().start..document.node(row[end - 1]).range().end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, Sample};

    fn propose(sample: &Sample, needed: impl Fn(NodeId) -> bool) -> Vec<Alternative> {
        let mut brackets = Brackets::default();
        brackets.learn(&sample.document);
        let prints = Fingerprints::new(sample.document.source());
        windows(&sample.document, &sample.grammar, &brackets, &prints, needed)
    }

    #[test]
    fn neighbouring_tokens_go_together() {
        let rows: [(&str, &str, &[&str]); 8] = [
            ("x.json", "[1]", &[""]),
            ("x.json", "[1,2]", &["", "[]", "[1]", "[2]"]),
            ("x.json", "1", &[]),
            ("x.json", "", &[]),
            ("x.c", "int a;", &["", "int ", ";"]),
            // No window crosses the end of a directive.
            (
                "x.c",
                "#define A 1\nint a;",
                &["#define A 1\n", "#define A 1\nint ", "#define A 1\n;", "int a;", "#define\nint a;", "1\nint a;"],
            ),
            ("x.js", "f(a)", &["", "f"]),
            // In a malformed text brackets go without their partners.
            ("x.json", "[1,", &["", "[", ","]),
        ];
        let mut languages = Languages;
        for (file, text, expected) in rows {
            let sample = languages.sample(file, text);
            assert_eq!(sample.results(&propose(&sample, |_| false)), expected, "{text}");
        }
    }

    #[test]
    fn in_any_text_two_groups_become_one() {
        let results = |text: &str| {
            let grammar = Grammar::of_text(text.as_bytes()).expect("it is text");
            let sample = Sample::new(grammar.into(), text.into());
            sample.results(&propose(&sample, |_| false))
        };
        assert!(results("{a=b}{c=d}").contains(&"{a=d}".to_owned()));
        assert!(results("{(a)}{(c)}").contains(&"{(c)}".to_owned()));
        assert!(!results("{a=b}(c=d)").contains(&"{a=d)".to_owned()), "other brackets");
    }

    #[test]
    fn runs_of_needed_children_stay() {
        let sample = Languages.sample("x.json", "[1,2,3]");
        let needed = |node: NodeId| sample.document.depth(node) == 2;
        assert_eq!(sample.results(&propose(&sample, needed)), [""]);
        let first = sample.node("1");
        let some = propose(&sample, |node| needed(node) && node != first);
        assert_eq!(sample.results(&some), ["", "[]", "[3]", "[,3]", "[2,3]"]);
    }

    #[test]
    fn what_is_refused_is_known_again_elsewhere_only_in_the_same_surroundings() {
        let mut languages = Languages;
        let memos = |text: &str, languages: &mut Languages| -> Vec<u64> {
            let sample = languages.sample("x.c", text);
            propose(&sample, |_| false).iter().filter(|window| window.tokens == 2).map(|window| window.memo).collect()
        };
        let (before, after) =
            (memos("int a; int b; int c;", &mut languages), memos("long d; int a; int b; int c;", &mut languages));
        assert_eq!(before[..3], after[..3]);
        assert!(before.iter().all(|memo| before.iter().filter(|other| *other == memo).count() == 1));
    }

    #[test]
    fn large_texts_have_no_windows_and_windows_are_short() {
        let mut languages = Languages;
        let long = format!("[{}1]", "1,".repeat(100_000));
        assert!(propose(&languages.sample("x.json", long), |_| false).is_empty());
        let small = format!("[{}1]", "1,".repeat(900));
        let found = propose(&languages.sample("x.json", small), |_| false);
        assert!(found.len() > 10_000 && found.iter().all(|window| (2..=8).contains(&window.tokens)));
    }
}
