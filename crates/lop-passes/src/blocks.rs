//! Models functions that are lists of blocks: the labels at the start of blocks, the jumps between them, and the
//! operands that depend on the previous block.
//!
//! A label and its uses may have different characters around the name (`then:` and `%then`), so names are compared
//! without them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use lop_grammar::{ByRule, ControlFlow, Exit, Flow, Grammar, Jump, RuleId};
use lop_syntax::{Document, Edit};

use super::alternatives::each_once;

/// A function and its blocks.
pub(super) struct Function {
    /// The match of the rule.
    pub(super) flow: ByRule<Flow>,
    /// Its blocks in the order of the text. The first is the entry.
    pub(super) blocks: Vec<Block>,
    /// Where its first block begins, after a bracket.
    pub(super) start: usize,
    /// The rules that say so.
    pub(super) rules: Vec<RuleId>,
}

/// A block: statements that are executed one after the other.
pub(super) struct Block {
    /// Its label; the first may have none.
    pub(super) label: Option<Range<usize>>,
    /// Its statements, in order.
    pub(super) statements: Vec<Range<usize>>,
    /// The ways on from its last statement. Several can lead to the same block.
    pub(super) ways: Vec<Way>,
    /// Where the function may end early.
    pub(super) exits: Vec<ByRule<Exit>>,
    /// The parts of each statement that count if the block was entered from one other block.
    entries: Vec<Vec<Entry>>,
}

/// A way from one block to another.
pub(super) struct Way {
    /// The match of the rule.
    pub(super) jump: ByRule<Jump>,
    /// The block to which it leads.
    pub(super) to: usize,
}

/// A part of a statement that counts if its block was entered from one other block.
struct Entry {
    /// The whole entry.
    range: Range<usize>,
    /// The other block's label there.
    source: Range<usize>,
    /// The other block; `None` if it is outside the function.
    from: Option<usize>,
}

impl Block {
    /// From its label to the end of its last statement.
    pub(super) fn range(&self) -> Range<usize> {
        let first = self.label.as_ref().or(self.statements.first());
        let last = self.statements.last().or(self.label.as_ref());
        first.map_or(0, |first| first.start)..last.map_or(0, |last| last.end)
    }

    /// The blocks at which it can continue, each once.
    pub(super) fn next(&self) -> Vec<usize> {
        let mut next: Vec<usize> = self.ways.iter().map(|way| way.to).collect();
        next.sort_unstable();
        next.dedup();
        next
    }
}

/// A name without the signs around it.
pub(super) fn bare(name: &[u8]) -> &[u8] {
    let is_sign = |byte: &u8| byte.is_ascii_punctuation() && !b"_.$-".contains(byte);
    let from = name.iter().position(|byte| !is_sign(byte)).unwrap_or(name.len());
    let to = name.iter().rposition(|byte| !is_sign(byte)).map_or(from, |last| last + 1);
    &name[from..to]
}

/// The functions of a document whose bodies are lists of blocks, as the language's rules say.
pub(super) fn functions(document: &Document, grammar: &Grammar) -> (Vec<Function>, ControlFlow) {
    let source = document.source();
    let all = grammar.rules().control_flow(document.tree().root(), source);
    let made = all.functions.iter().filter_map(|flow| {
        let body = document.find(flow.body.range.start, flow.body.range.end, flow.body.kind)?;
        let mut blocks: Vec<Block> = vec![Block::new(None)];
        let bracket = document.children(body).next().filter(|child| !document.node(*child).is_named());
        let start = bracket.map_or(flow.body.range.start, |bracket| document.node(bracket).range().end);
        let own = within(&all.labels, |label| label.range.start, &flow.body.range);
        let mut labels = own.iter().map(|label| &label.range).peekable();
        for child in document.children(body).filter(|child| document.node(*child).is_named()) {
            let range = document.node(child).range();
            let is_label = labels.next_if(|label| **label == range).is_some();
            let is_first = blocks.len() == 1 && blocks[0].range().is_empty();
            match blocks.last_mut() {
                Some(block) if !is_label => block.statements.push(range),
                Some(block) if is_first => block.label = Some(range),
                _ => blocks.push(Block::new(Some(range))),
            }
        }
        let by_label: HashMap<&[u8], usize> = blocks
            .iter()
            .enumerate()
            .filter_map(|(at, block)| Some((bare(&source[block.label.clone()?]), at)))
            .collect();
        // A first block without a label has a number that is written nowhere but in the entries.
        let nameless = blocks[0].label.is_none().then_some(0);
        let block_of = |label: &Range<usize>| by_label.get(bare(&source[label.clone()])).copied().or(nameless);
        let ways = |block: &Block| {
            let last = block.statements.last()?;
            let jumps = within(&all.jumps, |jump| jump.jump.range.start, last).iter();
            let way = |jump: &ByRule<Jump>| {
                let to = *by_label.get(bare(&source[jump.target.range.clone()]))?;
                Some(Way { jump: jump.clone(), to })
            };
            Some(jumps.filter(|jump| jump.jump.range == *last).filter_map(way).collect())
        };
        let ways: Vec<Option<Vec<Way>>> = blocks.iter().map(ways).collect();
        let entries: Vec<_> = blocks.iter().map(|block| block.entries_in(&all, block_of)).collect();
        for ((block, ways), entries) in blocks.iter_mut().zip(ways).zip(entries) {
            block.ways = ways.unwrap_or_default();
            block.entries = entries;
            block.exits = within(&all.exits, |exit| exit.statement.range.start, &block.range()).to_vec();
        }
        let rules_of_entries = within(&all.entries, |entry| entry.entry.range.start, &flow.body.range);
        let rules = own.iter().map(|label| label.rule).chain(rules_of_entries.iter().map(|entry| entry.rule));
        let rules = each_once(rules.chain([flow.rule]));
        Some(Function { flow: flow.clone(), blocks, start, rules })
    });
    (made.collect(), all)
}

/// The items that begin in a part of the text. All are in the order of the text.
pub(super) fn within<'t, T>(all: &'t [T], start: impl Fn(&T) -> usize, part: &Range<usize>) -> &'t [T] {
    let from = all.partition_point(|one| start(one) < part.start);
    let to = all.partition_point(|one| start(one) < part.end);
    &all[from..to.max(from)]
}

impl Block {
    fn new(label: Option<Range<usize>>) -> Self {
        Block { label, statements: Vec::new(), ways: Vec::new(), exits: Vec::new(), entries: Vec::new() }
    }

    /// The entries of each statement that has some.
    fn entries_in(&self, all: &ControlFlow, block_of: impl Fn(&Range<usize>) -> Option<usize>) -> Vec<Vec<Entry>> {
        let of_statement = |statement: &Range<usize>| {
            let entries = within(&all.entries, |entry| entry.entry.range.start, statement).iter();
            let entry = |entry: &ByRule<lop_grammar::Entry>| {
                let source = entry.source.range.clone();
                Entry { range: entry.entry.range.clone(), from: block_of(&source), source }
            };
            entries.map(entry).collect::<Vec<_>>()
        };
        self.statements.iter().map(of_statement).filter(|entries| !entries.is_empty()).collect()
    }
}

impl Function {
    /// Where entries name a block.
    pub(super) fn uses_of(&self, block: usize) -> impl Iterator<Item = &Range<usize>> {
        let entries = self.blocks.iter().flat_map(|block| block.entries.iter().flatten());
        entries.filter(move |entry| entry.from == Some(block)).map(|entry| &entry.source)
    }

    /// Makes the edits for a function whose blocks get other successors, which `next` returns for each block:
    /// unreachable blocks are removed, and so are the entries for blocks that aren't predecessors any more.
    pub(super) fn tidied(&self, next: &[Vec<usize>]) -> Vec<Edit> {
        let reached = reached(next);
        let mut edits = Vec::new();
        for (at, block) in self.blocks.iter().enumerate() {
            if !reached[at] {
                edits.push(Edit::delete(block.range()));
                continue;
            }
            let stays = |entry: &Entry| entry.from.is_none_or(|from| reached[from] && next[from].contains(&at));
            for entries in &block.entries {
                edits.extend(without(entries, stays));
            }
        }
        edits
    }
}

/// The edits that leave some entries of a list, with one separator between two of them.
fn without(entries: &[Entry], stays: impl Fn(&Entry) -> bool) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut last: Option<&Entry> = None;
    for (at, entry) in entries.iter().enumerate() {
        if stays(entry) {
            last = Some(entry);
            continue;
        }
        let range = match (last, entries.get(at + 1)) {
            (Some(before), _) => before.range.end..entry.range.end,
            (None, Some(after)) => entry.range.start..after.range.start,
            (None, None) => entry.range.clone(),
        };
        edits.push(Edit::delete(range));
    }
    edits
}

/// The blocks that can be reached from the first.
fn reached(next: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; next.len()];
    let mut open = vec![0];
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            open.extend(&next[block]);
        }
    }
    reached
}

/// A shortest way from the first block to each other one: the block before it.
pub(super) fn ways(blocks: &[Block]) -> BTreeMap<usize, usize> {
    let mut before = BTreeMap::new();
    let mut open = std::collections::VecDeque::from([0]);
    while let Some(block) = open.pop_front() {
        for next in blocks[block].next() {
            if next != 0 && !before.contains_key(&next) {
                before.insert(next, block);
                open.push_back(next);
            }
        }
    }
    before
}
