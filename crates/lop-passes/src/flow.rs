//! Control flow: jumps that always go the same way, functions that return early, and merged blocks.
//!
//! ```text
//! br i1 %c, label %a, label %b         becomes  br label %a, without what only %b needs
//! %q = udiv i64 %x, %y … ret i32 %z    becomes  %q = udiv i64 %x, %y   ret i64 %q
//! ```
//!
//! Each of these needs edits in several places to be valid: unreachable blocks are removed, and with them the operands
//! of other blocks for the jump from there.

use lop_grammar::{ByRule, Exit, Grammar, RuleId};
use lop_syntax::{Document, Edit};

use super::alternatives::Alternative;
use super::blocks::{Block, Function, Way, bare, functions, ways};
use super::fingerprint::Fingerprints;
use super::pass::{EditsOfTree, Facts, Stage};
use super::rewrites::{class, place, written};

/// Simpler control flow.
pub(super) static FLOW: EditsOfTree = EditsOfTree {
    facts: Facts::new("flow", Stage::Rules, "fewer jumps and blocks, and functions that end early").by_rules(),
    make: simpler,
};

/// Ways and exits of one function that are proposed at most: half of them are the first ones, and half the last.
const MOST: usize = 128;

/// All functions of a document with simpler control flow.
#[must_use]
pub(super) fn simpler(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let maker = Maker { document, grammar, prints };
    let (functions, _) = functions(document, grammar);
    functions.iter().flat_map(|function| maker.all(function)).collect()
}

struct Maker<'d> {
    document: &'d Document,
    grammar: &'d Grammar,
    prints: &'d Fingerprints,
}

/// A block, and the branch that it always takes.
type Turn = (usize, usize);

/// The kinds of edits, as classes.
const ALL_WAYS: u16 = 0;
const ONE_WAY: u16 = 1;
const EXIT: u16 = 2;
const STRAIGHT_EXIT: u16 = 3;
const UNION: u16 = 4;

impl Maker<'_> {
    fn all(&self, function: &Function) -> Vec<Alternative> {
        let blocks = &function.blocks;
        let forks: Vec<usize> = (0..blocks.len()).filter(|&at| is_fork(&blocks[at])).collect();
        let mut made = Vec::new();
        if forks.len() > 1 {
            let first: Vec<Turn> = forks.iter().map(|&at| (at, 0)).collect();
            let last: Vec<Turn> = forks.iter().map(|&at| (at, blocks[at].ways.len() - 1)).collect();
            made.extend([first, last].iter().filter_map(|turns| self.turned(function, turns, ALL_WAYS)));
        }
        let turns = forks.iter().flat_map(|&at| (0..blocks[at].ways.len()).map(move |way| (at, way)));
        made.extend(ends(turns.collect()).filter_map(|turn| self.turned(function, &[turn], ONE_WAY)));
        let exits = blocks.iter().enumerate();
        let exits: Vec<(usize, &ByRule<Exit>)> =
            exits.flat_map(|(at, block)| block.exits.iter().map(move |exit| (at, exit))).collect();
        let before = ways(blocks);
        for (at, exit) in ends(exits) {
            let (mut turns, mut to) = (Vec::new(), at);
            while let Some(&from) = before.get(&to) {
                let way = blocks[from].ways.iter().position(|way| way.to == to);
                turns.extend(way.filter(|_| is_fork(&blocks[from])).map(|way| (from, way)));
                to = from;
            }
            if !turns.is_empty() {
                made.extend(self.exit(function, at, exit, &turns, STRAIGHT_EXIT));
            }
            made.extend(self.exit(function, at, exit, &[], EXIT));
        }
        let only = blocks_before(blocks);
        let unions = only.iter().enumerate().filter_map(|(at, only)| Some((at, (*only)?)));
        made.extend(ends(unions.collect()).filter_map(|(at, only)| self.union(function, at, only)));
        made
    }

    /// The edits that leave some blocks one way only, the blocks that then follow each block, and the rules.
    fn turns(&self, function: &Function, turns: &[Turn]) -> (Vec<Edit>, Vec<Vec<usize>>, Vec<RuleId>) {
        let mut next: Vec<Vec<usize>> = function.blocks.iter().map(Block::next).collect();
        let (mut edits, mut rules) = (Vec::new(), function.rules.clone());
        for &(at, way) in turns {
            let way = &function.blocks[at].ways[way];
            let jump = &way.jump;
            edits.extend(place(self.grammar, self.document.source(), jump.jump.range.clone(), &jump.text));
            rules.push(jump.rule);
            next[at] = vec![way.to];
        }
        (edits, next, rules)
    }

    /// Some jumps that always go the same way.
    fn turned(&self, function: &Function, turns: &[Turn], kind: u16) -> Option<Alternative> {
        let (mut edits, next, rules) = self.turns(function, turns);
        edits.extend(function.tidied(&next));
        self.made(function, edits, rules, kind)
    }

    /// A function that ends after a statement.
    fn exit(
        &self,
        function: &Function,
        at: usize,
        exit: &ByRule<Exit>,
        turns: &[Turn],
        kind: u16,
    ) -> Option<Alternative> {
        let source = self.document.source();
        let (mut edits, mut next, mut rules) = self.turns(function, turns);
        rules.push(exit.rule);
        next[at].clear();
        edits.extend(function.tidied(&next));
        let rest = exit.statement.range.end..function.blocks[at].range().end;
        // The last statement ends the block already.
        if rest.is_empty() {
            return None;
        }
        let text = [b"\n", &written(self.grammar, source, &exit.text)[..]].concat();
        edits.push(Edit::replace(rest, text));
        if let Some(result) = function.flow.result.as_ref().filter(|_| !exit.result.is_empty()) {
            let text = written(self.grammar, source, &exit.result);
            if source[result.range.clone()] != text[..] {
                edits.push(Edit::replace(result.range.clone(), text));
            }
        }
        self.made(function, edits, rules, kind)
    }

    /// Joins a block to its only predecessor, if that has no other successor.
    fn union(&self, function: &Function, at: usize, only: usize) -> Option<Alternative> {
        let source = self.document.source();
        let blocks = &function.blocks;
        let [Way { jump, .. }] = &blocks[only].ways[..] else { return None };
        let label = blocks[at].label.clone()?;
        let first = blocks[at].statements.first()?;
        let inside = first.start..blocks[at].range().end;
        let mut edits = Vec::new();
        if only + 1 == at {
            edits.push(Edit::delete(jump.jump.range.clone()));
            edits.push(Edit::delete(label.clone()));
        } else {
            edits.push(Edit::replace(jump.jump.range.clone(), source[inside].to_vec()));
            edits.push(Edit::delete(blocks[at].range()));
        }
        // Entries that name the second block name the first now.
        let name = bare(&source[label.clone()]);
        let uses: Vec<_> = function.uses_of(at).collect();
        if !uses.is_empty() {
            match &blocks[only].label {
                Some(own) => {
                    let own = bare(&source[own.clone()]);
                    for use_ in uses {
                        let text = &source[use_.clone()];
                        let from = text.windows(name.len()).position(|part| part == name)?;
                        let text = [&text[..from], own, &text[from + name.len()..]].concat();
                        edits.push(Edit::replace(use_.clone(), text));
                    }
                }
                None => {
                    let text = [b"\n", &source[label]].concat();
                    edits.push(Edit::replace(function.start..function.start, text));
                }
            }
        }
        self.made(function, edits, function.rules.clone(), UNION)
    }

    fn made(&self, function: &Function, edits: Vec<Edit>, rules: Vec<RuleId>, kind: u16) -> Option<Alternative> {
        let mut edits = edits;
        // A removed part includes the edits inside it.
        edits.sort_by_key(|edit| (edit.start, std::cmp::Reverse(edit.end)));
        let mut end = 0;
        edits.retain(|edit| {
            let is_new = edit.end > end || edit.start >= end;
            end = end.max(edit.end);
            is_new
        });
        let class = class(function.flow.rule.index(), kind);
        let header = function.flow.unit.range.start..function.flow.body.range.start;
        let around = self.prints.of(header);
        Some(Alternative::of_edits(self.document, self.prints, class, edits, around)?.by(rules))
    }
}

/// Whether a block can continue at several blocks.
fn is_fork(block: &Block) -> bool {
    block.ways.len() > 1
}

/// The first and the last of many.
fn ends<T>(all: Vec<T>) -> impl Iterator<Item = T> {
    let count = all.len();
    let is_near_end = move |(at, _): &(usize, T)| *at < MOST / 2 || count - *at <= MOST / 2;
    all.into_iter().enumerate().filter(is_near_end).map(|(_, one)| one)
}

/// The only other predecessor of each block.
fn blocks_before(blocks: &[Block]) -> Vec<Option<usize>> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for (at, block) in blocks.iter().enumerate() {
        block.next().into_iter().for_each(|to| before[to].push(at));
    }
    let only = |(at, before): (usize, Vec<usize>)| match before[..] {
        [only] if only != at && at > 0 => Some(only),
        _ => None,
    };
    before.into_iter().enumerate().map(only).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, assert_proposals};

    /// Some of the texts that are proposed.
    #[track_caller]
    fn assert_among(text: &str, expected: &[&str]) {
        let sample = Languages.sample("x.ll", text);
        let found = simpler(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes()));
        let results = sample.results(&found);
        for text in expected {
            assert!(results.iter().any(|result| result == text), "{text}\nis not among\n{}", results.join("\n"));
        }
    }

    #[test]
    fn a_jump_that_always_goes_the_same_way_takes_blocks_and_entries_along() {
        let text = "define i32 @f(i1 %c) {\ne:\nbr i1 %c, label %a, label %b\na:\nfence acquire\nbr label %b\nb:\n\
                    %r = phi i32 [ 1, %e ], [ 2, %a ]\nret i32 %r\n}\n";
        assert_among(
            text,
            &[
                "define i32 @f(i1 %c) {\ne:\nbr label %b\nb:\n%r = phi i32 [ 1, %e ]\nret i32 %r\n}\n",
                "define i32 @f(i1 %c) {\ne:\nbr label %a\na:\nfence acquire\nbr label %b\nb:\n\
                     %r = phi i32 [ 2, %a ]\nret i32 %r\n}\n",
                "define void @f(i1 %c) {\ne:\nbr label %a\na:\nfence acquire\nret void\n}\n",
                "define i32 @f(i1 %c) {\ne:\nunreachable\n}\n",
                "define i32 @f(i1 %c) {\ne:\nbr i1 %c, label %a, label %b\na:\nunreachable\nb:\n\
                     %r = phi i32 [ 1, %e ]\nret i32 %r\n}\n",
            ],
        );
    }

    #[test]
    fn a_block_joins_the_only_one_before_it() {
        let rows: [(&str, &[&str]); 2] = [
            (
                "define i32 @f() {\nbr label %a\na:\nbr label %b\nb:\n%r = phi i32 [ 1, %a ]\nret i32 %r\n}\n",
                &[
                    "define i32 @f() {\na:\nbr label %b\nb:\n%r = phi i32 [ 1, %a ]\nret i32 %r\n}\n",
                    "define i32 @f() {\nbr label %a\na:\n%r = phi i32 [ 1, %a ]\nret i32 %r\n}\n",
                ],
            ),
            (
                "define void @f() {\ne:\nbr label %b\na:\nret void\nb:\nfence acquire\nbr label %a\n}\n",
                &["define void @f() {\ne:\nfence acquire\nbr label %a\na:\nret void\n}\n"],
            ),
        ];
        rows.iter().for_each(|(text, expected)| assert_among(text, expected));
    }

    #[test]
    fn text_without_functions_of_blocks_has_no_control_flow() {
        for (file, text) in [("x.c", "int f() { if (a) goto b; b: return 1; }"), ("x.ll", ""), ("x.ll", "define @ {")] {
            assert_proposals(simpler, &[(file, text, &[])]);
        }
    }
}
