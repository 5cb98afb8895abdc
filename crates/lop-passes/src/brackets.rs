//! Brackets: learns from trees which tokens open and close, and pairs them in a text.

use std::collections::{BTreeMap, BTreeSet};

use lop_syntax::{Document, NodeId};

/// The kinds of brackets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Brackets {
    /// Maps the kind of a closing bracket to the kinds that it can close.
    closers: BTreeMap<u16, BTreeSet<u16>>,
    openers: BTreeSet<u16>,
}

impl Brackets {
    /// Learns from the nodes of a tree that start and end with unnamed tokens. Both must be words or both punctuation,
    /// because `return` and `;` aren't brackets, and of different kinds, because quotes don't show which one opens.
    pub fn learn(&mut self, document: &Document) {
        for node in document.ids().filter(|&id| !document.is_leaf(id) && !document.node(id).is_error()) {
            let (first, last) = (node + 1, document.children(node).last().unwrap_or(node));
            if !is_sign(document, first)
                || !is_sign(document, last)
                || is_word(document, first) != is_word(document, last)
            {
                continue;
            }
            let (open, close) = (document.node(first).kind, document.node(last).kind);
            if open != close && !self.openers.contains(&close) && !self.closers.contains_key(&open) {
                self.openers.insert(open);
                self.closers.entry(close).or_default().insert(open);
            }
        }
    }

    /// Returns the position of the partner for each of these tokens, which must be in the order of the text.
    ///
    /// Brackets that are children of one node are partners. In a text with syntax errors, a stack pairs the others; one
    /// that doesn't fit stays alone.
    #[must_use]
    pub fn partners(&self, document: &Document, tokens: &[NodeId]) -> Vec<Option<usize>> {
        let mut partners = vec![None; tokens.len()];
        // Brackets of one node aren't adjacent, so there is a stack for each open node.
        let mut stacks: BTreeMap<Option<NodeId>, Stack> = BTreeMap::new();
        for (at, &token) in tokens.iter().enumerate() {
            let parent = document.parent(token);
            if parent.is_some_and(|node| !document.node(node).is_error()) && self.is_bracket(document, token) {
                self.put(stacks.entry(parent).or_default(), at, document.node(token).kind, &mut partners);
            }
        }
        if document.errors() > 0 {
            let mut stack = Stack::default();
            for (at, &token) in tokens.iter().enumerate() {
                if partners[at].is_none() {
                    self.put(&mut stack, at, document.node(token).kind, &mut partners);
                }
            }
        }
        partners
    }

    fn is_bracket(&self, document: &Document, token: NodeId) -> bool {
        let kind = document.node(token).kind;
        self.openers.contains(&kind) || self.closers.contains_key(&kind)
    }

    fn put(&self, stack: &mut Stack, at: usize, kind: u16, partners: &mut [Option<usize>]) {
        if self.openers.contains(&kind) {
            stack.push(at, kind);
        } else if let Some(open) = self.closers.get(&kind)
            && let Some(partner) = stack.pop(open)
        {
            partners[at] = Some(partner);
            partners[partner] = Some(at);
        }
    }
}

/// The open brackets, with a count for each kind.
#[derive(Default)]
struct Stack {
    open: Vec<(usize, u16)>,
    counts: BTreeMap<u16, usize>,
}

impl Stack {
    fn push(&mut self, at: usize, kind: u16) {
        self.open.push((at, kind));
        *self.counts.entry(kind).or_default() += 1;
    }

    /// Pops the last bracket of one of these kinds and all above it; does nothing if there is none.
    fn pop(&mut self, kinds: &BTreeSet<u16>) -> Option<usize> {
        if kinds.iter().all(|kind| self.counts.get(kind).is_none_or(|&open| open == 0)) {
            return None;
        }
        while let Some((at, kind)) = self.open.pop() {
            *self.counts.entry(kind).or_default() -= 1;
            if kinds.contains(&kind) {
                return Some(at);
            }
        }
        None
    }
}

/// Whether it is an unnamed token other than whitespace.
fn is_sign(document: &Document, id: NodeId) -> bool {
    document.is_token(id) && !document.node(id).is_named()
}

fn is_word(document: &Document, id: NodeId) -> bool {
    document.text(id).iter().any(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Languages;
    use crate::tokens;

    /// Lists the pairs found in `text` after learning from `lesson`.
    fn pairs(languages: &mut Languages, file: &str, lesson: &str, text: &str) -> Vec<String> {
        let mut brackets = Brackets::default();
        brackets.learn(&languages.sample(file, lesson).document);
        let sample = languages.sample(file, text);
        let all: Vec<_> = tokens(&sample.document, &sample.grammar).collect();
        let partners = brackets.partners(&sample.document, &all);
        let mut pairs = Vec::new();
        for (at, partner) in partners.iter().enumerate() {
            let Some(partner) = *partner else { continue };
            assert_eq!(partners[partner], Some(at), "partners are each other's");
            if at < partner {
                let range = sample.document.node(all[at]).range().start..sample.document.node(all[partner]).range().end;
                pairs.push(text[range].to_owned());
            }
        }
        pairs
    }

    #[test]
    fn what_opens_and_closes_is_learnt_and_belongs_together() {
        let c = "int f(int a) { int b[] = {1}; return (a); }";
        let js = "f(a); [b]; { c; } `${d}`;";
        let rows: [(&str, &str, &str, &[&str]); 10] = [
            ("x.json", "[{}]", "[{\"a\": [1]}]", &["[{\"a\": [1]}]", "{\"a\": [1]}", "[1]"]),
            ("x.json", "{}", "[{}]", &["{}"]),
            ("x.json", "\"a\"", "[\"a\"]", &[]),
            ("x.c", c, "int f(void) { return g((1)); }", &["(void)", "{ return g((1)); }", "((1))", "(1)"]),
            ("x.c", c, "void f(void) { for (;;) a < b > c; }", &["(void)", "{ for (;;) a < b > c; }", "(;;)"]),
            ("x.js", js, "f(a[1], `${b}`)", &["(a[1], `${b}`)", "[1]", "${b}"]),
            // Pairs that the tree lacks.
            ("x.json", "[{}]", "[{]}", &["[{]", "{]}"]),
            ("x.json", "[{}]", "] [ { [", &[]),
            ("x.c", c, "((( a )", &["( a )"]),
            ("x.c", c, "} f ( ] a )", &["( ] a )"]),
        ];
        let mut languages = Languages;
        for (file, lesson, text, expected) in rows {
            assert_eq!(pairs(&mut languages, file, lesson, text), expected, "{text}");
        }
    }

    #[test]
    fn deep_and_long_texts_are_paired() {
        const LEVELS: usize = 20_000;
        let mut languages = Languages;
        let deep = "[".repeat(LEVELS) + &"]".repeat(LEVELS);
        assert_eq!(pairs(&mut languages, "x.json", "[]", &deep).len(), LEVELS);
        let long = format!("[{}]", "[],".repeat(LEVELS) + "[]");
        assert_eq!(pairs(&mut languages, "x.json", "[]", &long).len(), LEVELS + 2);
        let open = "[".repeat(LEVELS);
        assert_eq!(pairs(&mut languages, "x.json", "[]", &open).len(), 0);
    }
}
