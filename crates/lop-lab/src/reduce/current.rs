//! The text that an algorithm reduces: its tree, its removed parts, and the outcomes so far.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use lop_engine::{BitSet, Verdict};
use lop_grammar::Grammar;
use lop_passes::{NodeSet, Removal, Sequence, TrialParser, removal_edits, siblings};
use lop_run::exec::{Key, key};
use lop_syntax::{Document, Edit, NodeId, SyntaxParser, error_count, render};

use crate::algorithm::{Algorithm, Judge, Stopped};
use crate::files::JudgeTexts;

/// The state of a reduction.
pub(super) struct Current<'a> {
    grammar: Option<Arc<Grammar>>,
    tree: Option<Tree>,
    width: usize,
    judge: JudgeTexts<'a>,
    known: HashMap<Key, Verdict>,
    improved: &'a mut dyn FnMut(&[u8]),
    /// Syntax errors of the input: no candidate has more.
    errors: usize,
    /// The smallest interesting text.
    pub(super) best: Vec<u8>,
    /// Distinct candidates judged.
    pub(super) tests: usize,
}

/// The tree of the best text at the time of a parse, and the nodes removed since.
struct Tree {
    document: Document,
    shapes: TrialParser,
    parser: SyntaxParser,
    dead: NodeSet,
    /// Parts that went with the replacement of a node by one inside it.
    cuts: Vec<Range<usize>>,
}

impl<'a> Current<'a> {
    pub(super) fn new(
        text: Vec<u8>,
        grammar: Option<Arc<Grammar>>,
        width: usize,
        judge: JudgeTexts<'a>,
        improved: &'a mut dyn FnMut(&[u8]),
    ) -> Self {
        let known = HashMap::from([(key(&text), Verdict::Interesting)]);
        let mut current =
            Current { grammar, tree: None, width, judge, known, improved, errors: usize::MAX, best: text, tests: 0 };
        if current.parse() {
            current.errors = current.document().errors();
        }
        current
    }

    /// Makes a tree of the best text; `false` if it has none.
    pub(super) fn parse(&mut self) -> bool {
        self.tree = self.grammar.as_deref().and_then(|grammar| {
            let parser = || grammar.parser().ok();
            let mut parsing = parser()?;
            let document = Document::parse(&mut parsing, self.best.clone()).ok()?;
            let dead = NodeSet::new(&document);
            Some(Tree { document, shapes: TrialParser::new(parser()?), parser: parsing, dead, cuts: Vec::new() })
        });
        self.tree.is_some()
    }

    /// Whether the text has a tree.
    pub(super) fn has_tree(&self) -> bool {
        self.tree.is_some()
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    fn tree(&self) -> &Tree {
        self.tree.as_ref().expect("an algorithm on trees works where there is one")
    }

    pub(super) fn document(&self) -> &Document {
        &self.tree().document
    }

    pub(super) fn grammar(&self) -> &Grammar {
        self.grammar.as_deref().expect("a tree has a grammar")
    }

    /// Returns the removable children of a node; `None` if there are none.
    pub(super) fn list(&mut self, parent: NodeId) -> Option<Sequence> {
        let (tree, grammar) = (self.tree.as_mut()?, self.grammar.as_deref()?);
        siblings(&tree.document, grammar, &mut tree.shapes, parent, |_| false)
    }

    /// Whether a node went by itself.
    pub(super) fn is_gone(&self, node: NodeId) -> bool {
        let tree = self.tree();
        let range = tree.document.node(node).range();
        tree.dead.contains(node) || tree.cuts.iter().any(|cut| cut.start <= range.start && range.end <= cut.end)
    }

    /// The best text without some nodes and parts of its document.
    fn without<'n>(&self, nodes: impl IntoIterator<Item = &'n NodeId>, cuts: &[Range<usize>]) -> Vec<u8> {
        let tree = self.tree();
        let mut dead = tree.dead.clone();
        nodes.into_iter().for_each(|&node| dead.insert(node));
        let mut edits = removal_edits(&tree.document, self.grammar(), &dead);
        edits.extend(tree.cuts.iter().chain(cuts).cloned().map(Edit::delete));
        render(tree.document.source(), edits).text
    }

    /// Judges texts, each once. One with more syntax errors than the input is invalid without a test.
    pub(super) fn ask(&mut self, texts: &[Vec<u8>]) -> Result<Vec<Verdict>, Stopped> {
        let mut new: Vec<(Key, &Vec<u8>)> = Vec::new();
        for text in texts {
            let key = key(text);
            if self.known.contains_key(&key) || new.iter().any(|(other, _)| *other == key) {
                continue;
            }
            let is_refused = self
                .tree
                .as_mut()
                .is_some_and(|tree| tree.parser.parse(text).map_or(true, |tree| error_count(&tree) > self.errors));
            if is_refused {
                self.known.insert(key, Verdict::Invalid);
            } else {
                new.push((key, text));
            }
        }
        self.tests += new.len();
        for batch in new.chunks(self.width.max(1)) {
            let verdicts = (self.judge)(batch.iter().map(|(_, text)| (*text).clone()).collect())?;
            self.known.extend(batch.iter().map(|(key, _)| *key).zip(verdicts));
        }
        Ok(texts.iter().map(|text| self.known[&key(text)]).collect())
    }

    fn accept(&mut self, text: Vec<u8>) {
        self.best = text;
        (self.improved)(&self.best);
    }

    /// Applies an algorithm to a sequence of nodes, and returns the removed units. First it tests removing all: the
    /// published algorithms assume a sequence of which something stays.
    pub(super) fn reduce_nodes(&mut self, algorithm: &dyn Algorithm, units: &[Vec<NodeId>]) -> Result<BitSet, Stopped> {
        let sizes: Vec<u32> =
            (units.iter()).map(|nodes| nodes.iter().map(|&node| self.document().tokens_of(node)).sum()).collect();
        let gone = self
            .drive(algorithm, &sizes, &|current, set| current.without(set.ones().flat_map(|unit| &units[unit]), &[]));
        let tree = self.tree.as_mut().expect("it is there while algorithms work on it");
        gone.0.ones().flat_map(|unit| &units[unit]).for_each(|&node| tree.dead.insert(node));
        gone.1.map(|()| gone.0)
    }

    /// Lets an algorithm work on the parts of a text without a tree.
    pub(super) fn reduce_parts(&mut self, algorithm: &dyn Algorithm, parts: &[Range<usize>]) -> Result<(), Stopped> {
        let source = self.best.clone();
        let sizes = vec![1; parts.len()];
        let made = |_: &Current<'_>, set: &BitSet| {
            render(&source, set.ones().map(|part| Edit::delete_raw(parts[part].clone())).collect()).text
        };
        self.drive(algorithm, &sizes, &made).1
    }

    fn drive(
        &mut self,
        algorithm: &dyn Algorithm,
        sizes: &[u32],
        made: &dyn Fn(&Current<'_>, &BitSet) -> Vec<u8>,
    ) -> (BitSet, Result<(), Stopped>) {
        let gone = BitSet::with_capacity(sizes.len());
        let mut asked = Asked { current: self, made, gone };
        let mut all = BitSet::with_capacity(sizes.len());
        all.insert_range(0..sizes.len());
        let result = asked
            .is_interesting(&all)
            .and_then(|all_go| if all_go { Ok(()) } else { algorithm.reduce(sizes, &mut asked).map(|_| ()) });
        (asked.gone, result)
    }

    /// Replaces a node by the first of some nodes inside it with which the text is interesting and shorter.
    pub(super) fn replace(&mut self, outer: NodeId, inner: &[NodeId]) -> Result<Option<usize>, Stopped> {
        let around = self.document().node(outer).range();
        let cuts = |current: &Self, at: usize| {
            let kept = current.document().node(inner[at]).range();
            [around.start..kept.start, kept.end..around.end]
        };
        let found = self.first(inner.len(), &|current, at| current.without(&[], &cuts(current, at)))?;
        if let Some(at) = found {
            let cuts = cuts(self, at);
            self.tree.as_mut().expect("it is there while algorithms work on it").cuts.extend(cuts);
        }
        Ok(found)
    }

    /// Makes the first of some edits after which the text is interesting and shorter, and parses the new text.
    pub(super) fn edit(&mut self, edits: &[Removal]) -> Result<Option<usize>, Stopped> {
        let found = self.first(edits.len(), &|current, at| match &edits[at] {
            Removal::Nodes(nodes) => current.without(nodes.iter(), &[]),
            Removal::Edits(edits) => render(current.document().source(), edits.clone()).text,
        })?;
        if found.is_some() {
            self.parse();
        }
        Ok(found)
    }

    /// The first of `count` texts that is interesting and shorter than the best one, which it becomes.
    ///
    /// The sources limit their loops by the nodes of a tree, whose number decreases with each step. Here a text is
    /// parsed again, and the new tree can have as many nodes as the old one. The length of the text is the decreasing
    /// measure.
    fn first(&mut self, count: usize, made: &dyn Fn(&Self, usize) -> Vec<u8>) -> Result<Option<usize>, Stopped> {
        let mut at = 0;
        while at < count {
            let (mut numbers, mut texts) = (Vec::new(), Vec::new());
            while at < count && texts.len() < self.width.max(1) {
                let text = made(self, at);
                if text.len() < self.best.len() {
                    numbers.push(at);
                    texts.push(text);
                }
                at += 1;
            }
            let verdicts = self.ask(&texts)?;
            if let Some(first) = verdicts.iter().position(|verdict| *verdict == Verdict::Interesting) {
                self.accept(texts.swap_remove(first));
                return Ok(Some(numbers[first]));
            }
        }
        Ok(None)
    }
}

/// Answers an algorithm over one sequence.
struct Asked<'c, 'a> {
    current: &'c mut Current<'a>,
    made: &'c dyn Fn(&Current<'_>, &BitSet) -> Vec<u8>,
    /// The removed units of the best text.
    gone: BitSet,
}

impl Judge for Asked<'_, '_> {
    fn width(&self) -> usize {
        self.current.width()
    }

    /// An interesting candidate with more removed units than the best text is where the algorithm continues, or could
    /// continue. One with other removed units is a side track: it is taken if it is shorter.
    fn round(&mut self, candidates: &[BitSet]) -> Result<Vec<Verdict>, Stopped> {
        let texts: Vec<Vec<u8>> = candidates.iter().map(|set| (self.made)(self.current, set)).collect();
        let verdicts = self.current.ask(&texts)?;
        for ((set, text), verdict) in candidates.iter().zip(texts).zip(&verdicts) {
            let more =
                || set.count_ones(..) > self.gone.count_ones(..) && self.gone.ones().all(|unit| set.contains(unit));
            let shorter = text.len() < self.current.best.len();
            if *verdict == Verdict::Interesting && (shorter || more() && text.len() == self.current.best.len()) {
                self.gone = set.clone();
                self.current.accept(text);
            }
        }
        Ok(verdicts)
    }
}
