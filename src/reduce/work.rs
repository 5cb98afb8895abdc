//! The text under work: a snapshot, what has been taken out of it since, and what is not worth
//! asking again.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::grammar::Grammar;
use crate::passes::{NodeSet, Removal, Sequence, Unit, holes, indents};
use crate::syntax::{
    Document, Edit, Indents, NodeId, ParseError, Rendering, SyntaxParser, SyntaxTree, count_words, render_around,
};

use super::keep::touches;
use super::session::Candidate;

/// What was refused is asked again when the file has shrunk below this share of its size then.
const ASK_AGAIN_BELOW: f64 = 0.75;

/// Whether something that was refused when the file had `then` tokens is worth another test.
pub(super) fn worth_asking_again(then: usize, now: usize) -> bool {
    (now as f64) < ASK_AGAIN_BELOW * then as f64
}

/// A snapshot and its pending edits.
///
/// The snapshot is not parsed again for every accepted candidate: the edits pile up until
/// [`Work::rebase`].
pub(super) struct Work<'g> {
    base: Base<'g>,
    edits: Vec<Edit>,
    /// Parts of the snapshot that the user wants kept.
    kept: Vec<Range<usize>>,
    /// What stands around the part that is worked on: it is no more to be touched than what is kept.
    frame: Vec<Range<usize>>,
}

/// What has been taken out of a snapshot.
pub(super) struct Pending {
    edits: Vec<Edit>,
    dead: NodeSet,
}

enum Base<'g> {
    Text(Arc<[u8]>),
    Tree(Box<Tree<'g>>),
}

struct Tree<'g> {
    grammar: &'g Grammar,
    document: Document,
    /// Where indentation is syntax.
    indents: Option<Indents>,
    dead: NodeSet,
    /// Tokens of the file when something was last refused.
    refused: HashMap<(Ask, NodeId), usize>,
}

/// What was asked about a node: each is remembered by itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ask {
    /// May it go, with its separator?
    Unit,
    /// May it go together with all other definitions of its name?
    Definition,
    /// May it be emptied?
    Body,
    /// May this token go, alone?
    Token,
}

impl<'g> Work<'g> {
    /// A text without a tree.
    pub(super) fn text(source: impl Into<Arc<[u8]>>) -> Self {
        Work { base: Base::Text(source.into()), edits: Vec::new(), kept: Vec::new(), frame: Vec::new() }
    }

    /// The same text with parts of it that nobody may touch; they ascend and do not overlap.
    pub(super) fn keeping(mut self, kept: Vec<Range<usize>>) -> Self {
        self.kept = kept;
        self
    }

    /// The same text, of which only a part is worked on, that no kept part reaches out of.
    pub(super) fn inside(mut self, part: Range<usize>) -> Self {
        let frame = [0..part.start, part.end..self.source().len()];
        self.frame = frame.into_iter().filter(|around| !around.is_empty()).collect();
        self
    }

    /// The part of the text that is worked on.
    pub(super) fn part(&self) -> Range<usize> {
        let len = self.source().len();
        let start = self.frame.first().filter(|first| first.start == 0).map_or(0, |first| first.end);
        start..self.frame.last().filter(|last| last.end == len && last.start >= start).map_or(len, |last| last.start)
    }

    /// What nobody may touch, in the order of the text.
    fn untouchable(&self) -> Cow<'_, [Range<usize>]> {
        if self.frame.is_empty() {
            return Cow::Borrowed(&self.kept);
        }
        let part = self.part();
        let inside = self.kept.iter().filter(|kept| part.start <= kept.start && kept.end <= part.end);
        let mut all: Vec<_> = self.frame.iter().chain(inside).cloned().collect();
        all.sort_by_key(|part| (part.start, part.end));
        Cow::Owned(all)
    }

    /// The tree of the text takes the place of the text.
    pub(super) fn plant(&mut self, document: Document, grammar: &'g Grammar) {
        debug_assert_eq!(self.source(), document.source());
        let (dead, indents) = (NodeSet::new(&document), indents(&document, grammar));
        let tree = Tree { dead, refused: HashMap::new(), document, grammar, indents };
        self.base = Base::Tree(Box::new(tree));
        self.edits.clear();
    }

    /// The snapshot's text.
    pub(super) fn source(&self) -> &[u8] {
        match &self.base {
            Base::Text(source) => source,
            Base::Tree(tree) => tree.document.source(),
        }
    }

    /// The snapshot's tree.
    ///
    /// # Panics
    /// If the work has none: only passes over text run on such work.
    pub(super) fn document(&self) -> &Document {
        match &self.base {
            Base::Tree(tree) => &tree.document,
            Base::Text(_) => panic!("a pass over the tree runs on text without one"),
        }
    }

    /// The grammar of the snapshot's tree.
    pub(super) fn grammar(&self) -> Option<&'g Grammar> {
        match &self.base {
            Base::Tree(tree) => Some(tree.grammar),
            Base::Text(_) => None,
        }
    }

    /// The text after the pending edits and some removals more.
    pub(super) fn candidate<'r>(&self, more: impl Iterator<Item = &'r Removal>, cleared: bool) -> Candidate {
        let rendering = self.render(more);
        let tokens = match &self.base {
            Base::Text(_) => None,
            Base::Tree(tree) => Some(self.count_tokens(&tree.document, &rendering)),
        };
        let kept = self.kept.iter().map(|part| rendering.keeps(part)).collect();
        let kept = if self.frame.iter().all(|part| rendering.keeps(part).is_some()) { kept } else { None };
        Candidate { text: rendering.text.into(), tokens, cleared, kept }
    }

    /// The text without something more, and whether nothing is touched that the user wants kept.
    pub(super) fn rendering(&self, removal: &Removal) -> (Rendering, bool) {
        let rendering = self.render(std::iter::once(removal));
        let is_allowed = self.untouchable().iter().all(|part| rendering.keeps(part).is_some());
        (rendering, is_allowed)
    }

    fn render<'r>(&self, more: impl Iterator<Item = &'r Removal>) -> Rendering {
        let mut edits = self.edits.clone();
        let tree = match &self.base {
            Base::Text(_) => None,
            Base::Tree(tree) => Some(tree),
        };
        let mut dead = tree.map(|t| t.dead.clone()).unwrap_or_default();
        for removal in more {
            match removal {
                Removal::Nodes(nodes) => nodes.iter().for_each(|n| dead.insert(*n)),
                Removal::Edits(more) => edits.extend(more.iter().cloned()),
            }
        }
        if let Some(tree) = tree {
            let is_alone = edits.is_empty();
            holes(&tree.document, tree.grammar, &dead, |hole| match edits.last_mut() {
                // All elements of a long list are one hole, not one edit each.
                Some(last) if is_alone && last.end == hole.start => last.end = hole.end,
                _ => edits.push(Edit::delete(hole)),
            });
        }
        render_around(self.source(), edits, &self.untouchable(), tree.and_then(|tree| tree.indents.as_ref()))
    }

    /// Whether some edits touch what is to be kept.
    pub(super) fn edits_touch_kept(&self, edits: &[Edit]) -> bool {
        let untouchable = self.untouchable();
        edits.iter().any(|edit| touches(&untouchable, &(edit.start..edit.end)))
    }

    /// Whether something of a node is to be kept.
    pub(super) fn node_is_kept(&self, node: NodeId) -> bool {
        let is_free = self.kept.is_empty() && self.frame.is_empty();
        !is_free && touches(&self.untouchable(), &self.document().node(node).range())
    }

    /// A sequence without the units that touch what is to be kept; `None` if it has no others.
    pub(super) fn spare(&self, mut sequence: Sequence) -> Option<Sequence> {
        if !self.kept.is_empty() || !self.frame.is_empty() {
            let may_go = |unit: &Unit| match &unit.removal {
                Removal::Nodes(nodes) => !nodes.iter().any(|&node| self.node_is_kept(node)),
                Removal::Edits(edits) => !self.edits_touch_kept(edits),
            };
            let mut units = sequence.units.iter();
            sequence.rules.retain(|_| units.next().is_some_and(may_go));
            sequence.units.retain(may_go);
        }
        (!sequence.units.is_empty()).then_some(sequence)
    }

    /// The kept parts follow the text that they are in.
    fn follow_kept(&mut self, rendering: &Rendering) {
        let follow = |part: &Range<usize>| rendering.keeps(part).expect("no candidate that touches it is accepted");
        self.kept = self.kept.iter().map(follow).collect();
        self.frame = self.frame.iter().map(follow).collect();
    }

    /// Tokens of a rendering: those of the stretches that stay and those of the texts put in.
    fn count_tokens(&self, document: &Document, rendering: &Rendering) -> usize {
        let (mut tokens, mut at) = (0, 0);
        for (kept, new) in rendering.kept() {
            tokens += count_words(&rendering.text[at..new]) + document.tokens_in(kept.clone());
            at = new + kept.len();
        }
        tokens + count_words(&rendering.text[at..])
    }

    /// Takes something out for good; the result without it is the best now.
    pub(super) fn commit(&mut self, removal: &Removal) {
        match (removal, &mut self.base) {
            (Removal::Nodes(nodes), Base::Tree(tree)) => nodes.iter().for_each(|n| tree.dead.insert(*n)),
            (Removal::Nodes(_), Base::Text(_)) => panic!("text has no nodes to take out"),
            (Removal::Edits(edits), _) => edits.iter().for_each(|edit| self.push(edit)),
        }
    }

    /// What has been taken out so far.
    pub(super) fn pending(&self) -> Pending {
        let dead = match &self.base {
            Base::Text(_) => NodeSet::default(),
            Base::Tree(tree) => tree.dead.clone(),
        };
        Pending { edits: self.edits.clone(), dead }
    }

    /// Goes back to what had been taken out of the same snapshot.
    pub(super) fn go_back(&mut self, pending: Pending) {
        self.edits = pending.edits;
        if let Base::Tree(tree) = &mut self.base {
            tree.dead = pending.dead;
        }
    }

    /// Adds an edit. Characters go one beside the other: a hole that grows is one edit, or every
    /// candidate would sort as many as there were characters.
    fn push(&mut self, edit: &Edit) {
        if let Some(last) = self.edits.last_mut()
            && (last.raw && last.text.is_empty())
            && (edit.raw && edit.text.is_empty())
        {
            if edit.end == last.start {
                last.start = edit.start;
                return;
            }
            if edit.start == last.end {
                last.end = edit.end;
                return;
            }
        }
        self.edits.push(edit.clone());
    }

    /// Notes that the file of `tokens` tokens is not interesting when this is done to a node.
    pub(super) fn refuse(&mut self, ask: Ask, node: NodeId, tokens: usize) {
        if let Base::Tree(tree) = &mut self.base {
            tree.refused.insert((ask, node), tokens);
        }
    }

    /// Whether this was refused when the file was not much larger than now, or nobody may ask.
    pub(super) fn is_refused(&self, ask: Ask, node: NodeId, tokens: usize) -> bool {
        match &self.base {
            Base::Tree(_) if self.node_is_kept(node) => true,
            Base::Tree(tree) => tree.refused.get(&(ask, node)).is_some_and(|&then| !worth_asking_again(then, tokens)),
            Base::Text(_) => false,
        }
    }

    /// Forgets what was refused.
    pub(super) fn forget_refusals(&mut self) {
        if let Base::Tree(tree) = &mut self.base {
            tree.refused.clear();
        }
    }

    /// Whether a node was taken out itself.
    pub(super) fn is_taken_out(&self, node: NodeId) -> bool {
        matches!(&self.base, Base::Tree(tree) if tree.dead.contains(node))
    }

    /// Whether a node is gone, by itself or with an ancestor.
    pub(super) fn is_gone(&self, node: NodeId) -> bool {
        let Base::Tree(tree) = &self.base else { return false };
        let mut at = Some(node);
        while let Some(node) = at {
            if tree.dead.contains(node) {
                return true;
            }
            at = tree.document.parent(node);
        }
        false
    }

    /// Whether edits are pending.
    pub(super) fn is_edited(&self) -> bool {
        !self.edits.is_empty() || matches!(&self.base, Base::Tree(tree) if !tree.dead.is_empty())
    }

    /// Makes the edited text the snapshot of work without a tree.
    pub(super) fn rebase_text(&mut self) {
        let rendering = self.render(std::iter::empty());
        self.follow_kept(&rendering);
        self.edits.clear();
        self.base = Base::Text(rendering.text.into());
    }

    /// Parses the edited text and goes on from there. What was refused is carried over to the nodes
    /// that stand in the same place; where the new tree has no such node it is forgotten, which
    /// costs tests and never correctness. `known` is the tree of `best` if that has one already.
    ///
    /// # Errors
    /// When the edited text cannot be parsed; the work is the edited text without a tree then.
    pub(super) fn rebase(
        &mut self,
        parser: &mut SyntaxParser,
        best: &Arc<[u8]>,
        known: Option<SyntaxTree>,
    ) -> Result<(), ParseError> {
        let rendering = self.render(std::iter::empty());
        self.follow_kept(&rendering);
        self.edits.clear();
        // The old tree goes before the new one is made: together they would be the peak of the
        // whole run's memory.
        let Base::Tree(old) = std::mem::replace(&mut self.base, Base::Text(Arc::default())) else {
            self.base = Base::Text(rendering.text.into());
            return Ok(());
        };
        let moved: Vec<_> = old
            .refused
            .iter()
            .filter_map(|(&(ask, id), &then)| {
                let node = old.document.node(id);
                let (start, end) = rendering.map(node.start as usize, node.end as usize)?;
                Some((ask, start, end, node.kind, then))
            })
            .collect();
        let grammar = old.grammar;
        drop(old);
        let text = shared(rendering.text, best);
        self.base = Base::Text(Arc::clone(&text));
        let document = match known.filter(|_| Arc::ptr_eq(&text, best)) {
            Some(tree) => Document::new(parser, text, tree),
            None => Document::parse(parser, text)?,
        };
        let (dead, indents) = (NodeSet::new(&document), indents(&document, grammar));
        let mut tree = Tree { grammar, dead, indents, refused: HashMap::new(), document };
        for (ask, start, end, kind, then) in moved {
            if let Some(same) = tree.document.find(start, end, kind) {
                // Two nodes may have become one; the order of the map must not decide.
                tree.refused.entry((ask, same)).and_modify(|t| *t = then.max(*t)).or_insert(then);
            }
        }
        self.base = Base::Tree(Box::new(tree));
        Ok(())
    }
}

/// A text that is mostly the same as one that is there already.
fn shared(text: Vec<u8>, there: &Arc<[u8]>) -> Arc<[u8]> {
    if *text == **there { Arc::clone(there) } else { text.into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::passes::testing::{FILES, Languages, lossy, shipped_sample};
    use crate::syntax::error_count;

    /// Edits pile up and are parsed only now and then: the text and its tree must be what they say.
    #[test]
    fn what_is_committed_is_what_the_next_snapshot_reads() {
        let mut runner = TestRunner::deterministic();
        let mut languages = Languages;
        for file in FILES {
            for _ in 0..6 {
                let grammar = languages.grammar(file);
                let mut parser =
                    SyntaxParser::new(grammar.language()).expect("embedded parsers fit").no_deeper(grammar.deepest());
                let mut text = shipped_sample(file);
                for _ in 0..8 {
                    let mut sample = languages.sample(file, text.clone());
                    let document = Document::parse(&mut parser, text.clone()).expect("a small text has a tree");
                    let mut work = Work::text(text.clone());
                    work.plant(document, &grammar);
                    // A few units of the lists, or one edit of the others.
                    let units: Vec<_> = sample.all_siblings().into_iter().flat_map(|list| list.units).collect();
                    if units.is_empty() {
                        break;
                    }
                    let some = prop::sample::subsequence(units.clone(), 1..=units.len().min(4));
                    let mut chosen: Vec<Removal> = some
                        .new_tree(&mut runner)
                        .expect("nothing is filtered")
                        .current()
                        .into_iter()
                        .map(|unit| unit.removal)
                        .collect();
                    let single = sample.alternatives();
                    if !single.is_empty() && any::<bool>().new_tree(&mut runner).expect("two values").current() {
                        let one = prop::sample::select(single).new_tree(&mut runner).expect("one is there").current();
                        chosen = vec![Removal::Edits(one.edits)];
                    }
                    let candidate = work.candidate(chosen.iter(), false);
                    let tree = parser.parse(&candidate.text).expect("a small text has a tree");
                    if error_count(&tree) > 0 {
                        // The gate refuses it.
                        continue;
                    }
                    chosen.iter().for_each(|removal| work.commit(removal));
                    // The gate may have its tree.
                    let known = any::<bool>().new_tree(&mut runner).expect("two values").current().then_some(tree);
                    work.rebase(&mut parser, &candidate.text, known).expect("it has just been parsed");
                    let document = work.document();
                    assert_eq!(document.source(), &*candidate.text);
                    assert_eq!(document.errors(), 0);
                    let said = candidate.tokens.expect("there is a tree");
                    // Separators that went with a unit, and texts put in, are counted by words.
                    assert!(
                        document.tokens().abs_diff(said) * 20 <= said + 40,
                        "{file}: {} tokens, not {said}: {chosen:?}: {}",
                        document.tokens(),
                        lossy(&candidate.text)
                    );
                    for id in document.ids().filter(|&id| grammar.is_newline_sensitive(document.node(id).kind)) {
                        let before = &document.source()[..document.node(id).range().start];
                        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
                        assert!(before[line..].trim_ascii().is_empty(), "{file}: {}", lossy(before));
                    }
                    text = candidate.text.to_vec();
                }
            }
        }
    }
}
