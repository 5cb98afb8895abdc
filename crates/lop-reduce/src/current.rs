//! The current state of a reduction: the best result, the text or tree that it was made from (the base), and the edits
//! between the two.
//!
//! ```text
//!  base ── pending edits ──► best result ── further edits ──► candidate
//! ```
//!
//! A candidate carries all its edits since the base. Accepting it makes its text the best result and its edits the
//! pending ones in one step, so the two always agree. Only the session does this; all others read.

use std::ops::Range;
use std::sync::Arc;

use lop_files::project::{Archive, Kind};
use lop_grammar::Grammar;
use lop_passes::{Cascade, Growth, NodeSet, Nodes, Prefer, Removal, RemovedRanges, Sequence, Unit, holes, indents};
use lop_syntax::{
    Document, Edit, Indents, Inside, NodeId, ParseError, Rendering, SyntaxParser, SyntaxTree, count_lines, count_words,
    render_around,
};

use super::keep::{touches, united};
use super::size::Size;

/// A text to be judged.
#[derive(Clone)]
pub(super) struct Candidate {
    /// The whole text.
    pub(super) text: Arc<[u8]>,
    /// Its tokens, if they are known; otherwise they are counted when it is accepted.
    pub(super) tokens: Option<usize>,
    /// Whether each removed part may be removed alone; all of them together can still be too much.
    pub(super) known_to_parse: bool,
    /// The ranges that the user wants to keep, or `None` if an edit touches one.
    pub(super) kept: Option<Vec<Range<usize>>>,
    /// The edits and removals that make it of the base.
    pub(super) pending: Arc<Pending>,
}

/// The edits and removals made in a base.
#[derive(Clone, Default)]
pub(super) struct Pending {
    edits: Vec<Edit>,
    dead: NodeSet,
}

/// A text that was judged interesting.
#[derive(Clone)]
pub(super) struct Best {
    pub(super) text: Arc<[u8]>,
    pub(super) size: Size,
    /// The ranges in it that the user wants to keep.
    pub(super) kept: Vec<Range<usize>>,
}

/// The best result, and the tree and edits that make it.
///
/// It is not parsed again for every accepted candidate: the edits pile up until [`Current::rebase`].
#[derive(Clone)]
pub(super) struct Current<'g> {
    best: Best,
    /// Tokens of the smallest best result since the last step back.
    least_tokens: usize,
    base: Base<'g>,
    /// Parts of the base that the user wants kept.
    kept: Vec<Range<usize>>,
    /// The edits and removals that make the best result of the base.
    pending: Arc<Pending>,
    /// The files that the text is made of, if there are several.
    archive: Option<Archive>,
    scope: Option<Scope>,
    /// The text around the parts of the base that are worked on.
    frame: Vec<Range<usize>>,
    /// The edits and the kept ranges, in the order of the text. No pass may touch these.
    untouchable: Vec<Range<usize>>,
}

/// The parts of the text that are worked on, if not all of it is.
#[derive(Clone)]
struct Scope {
    inside: Inside,
    /// The tokens of all else.
    around: usize,
    /// Whether the tokens of the best result are those of these parts and of all else: the same as if all of it was worked
    /// on.
    is_counted_alike: bool,
}

#[derive(Clone)]
enum Base<'g> {
    Text(Arc<[u8]>),
    Tree(Box<Tree<'g>>),
}

#[derive(Clone)]
struct Tree<'g> {
    grammar: &'g Grammar,
    document: Arc<Document>,
    /// Where indentation is syntax.
    indents: Option<Indents>,
    /// The rules that add nodes to a candidate's removals.
    coupling: Option<Cascade>,
}

impl<'g> Tree<'g> {
    fn new(document: Document, grammar: &'g Grammar) -> Self {
        Tree { indents: indents(&document, grammar), document: Arc::new(document), grammar, coupling: None }
    }
}

impl Pending {
    /// Nothing was removed from a base yet.
    fn nothing(base: &Base<'_>) -> Arc<Self> {
        let dead = match base {
            Base::Text(_) => NodeSet::default(),
            Base::Tree(tree) => NodeSet::new(&tree.document),
        };
        Arc::new(Pending { edits: Vec::new(), dead })
    }

    fn is_nothing(&self) -> bool {
        self.edits.is_empty() && self.dead.is_empty()
    }

    fn add(&mut self, removal: &Removal) {
        match removal {
            Removal::Nodes(nodes) => nodes.iter().for_each(|node| self.dead.insert(*node)),
            Removal::Edits(edits) => edits.iter().for_each(|edit| self.push(edit)),
        }
    }

    /// Adds an edit. Adjacent characters become one edit, because otherwise every candidate would sort one edit per
    /// removed character.
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
}

impl<'g> Current<'g> {
    /// Begins with the input, without a tree. No pass may touch `kept`, its parts that ascend and do not overlap.
    pub(super) fn new(text: Arc<[u8]>, size: Size, kept: Vec<Range<usize>>) -> Self {
        let (base, pending) = (Base::Text(Arc::clone(&text)), Arc::default());
        let best = Best { text, size, kept: kept.clone() };
        let (archive, scope, frame, untouchable) = (None, None, Vec::new(), kept.clone());
        Current { best, least_tokens: size.tokens, base, kept, pending, archive, scope, frame, untouchable }
    }

    /// Returns the project if the text consists of files.
    pub(super) fn of_files(self, archive: Option<Archive>) -> Self {
        Current { archive, ..self }
    }

    /// The best result.
    pub(super) fn best(&self) -> &Best {
        &self.best
    }

    /// The text of the base.
    pub(super) fn source(&self) -> &[u8] {
        self.shared_source()
    }

    /// Returns the base as a shared value.
    pub(super) fn shared_source(&self) -> &Arc<[u8]> {
        match &self.base {
            Base::Text(source) => source,
            Base::Tree(tree) => tree.document.shared_source(),
        }
    }

    /// The tree of the base.
    ///
    /// # Panics
    /// If it has none: only passes over text run on such.
    pub(super) fn document(&self) -> &Document {
        match &self.base {
            Base::Tree(tree) => &tree.document,
            Base::Text(_) => panic!("a pass over the tree runs on text without one"),
        }
    }

    /// The grammar of the base's tree.
    pub(super) fn grammar(&self) -> Option<&'g Grammar> {
        match &self.base {
            Base::Tree(tree) => Some(tree.grammar),
            Base::Text(_) => None,
        }
    }

    /// The parts of the base that are worked on.
    pub(super) fn parts(&self) -> Vec<Range<usize>> {
        let text = self.source();
        let whole = || std::iter::once(0..text.len()).collect();
        self.scope.as_ref().map_or_else(whole, |scope| (scope.inside)(text))
    }

    /// Whether a part of a text in another language is worked on.
    pub(super) fn is_inside_another(&self) -> bool {
        self.scope.as_ref().is_some_and(|scope| !scope.is_counted_alike)
    }

    /// Whether everything may be touched.
    fn is_free(&self) -> bool {
        self.untouchable.is_empty()
    }

    /// The edits and removals that every candidate includes.
    pub(super) fn pending(&self) -> &Arc<Pending> {
        &self.pending
    }

    /// The text after the pending edits and some removals more.
    pub(super) fn candidate<'r>(&self, more: impl Iterator<Item = &'r Removal>, known_to_parse: bool) -> Candidate {
        self.candidate_from(self.pending(), more, known_to_parse)
    }

    /// Makes a candidate after the edits that were pending at an earlier time.
    pub(super) fn candidate_from<'r>(
        &self,
        pending: &Pending,
        more: impl Iterator<Item = &'r Removal>,
        known_to_parse: bool,
    ) -> Candidate {
        let more: Vec<_> = more.collect();
        let coupled = self.coupled_with(pending, &more);
        let known_to_parse = known_to_parse && coupled.is_none();
        let (pending, rendering) = self.render(pending, more.into_iter().chain(&coupled));
        let tokens = match &self.base {
            Base::Text(_) => None,
            Base::Tree(tree) => Some(count_tokens(&tree.document, &rendering)),
        };
        let kept = self.kept.iter().map(|part| rendering.keeps(part)).collect();
        let kept = if self.frame.iter().all(|part| rendering.keeps(part).is_some()) { kept } else { None };
        Candidate { text: rendering.text.into(), tokens, known_to_parse, kept, pending: Arc::new(pending) }
    }

    /// Returns the base after some edits, including those that were pending, and all of these edits.
    fn render<'r>(&self, pending: &Pending, more: impl Iterator<Item = &'r Removal>) -> (Pending, Rendering) {
        let mut pending = pending.clone();
        more.for_each(|removal| pending.add(removal));
        let mut edits = pending.edits.clone();
        let tree = match &self.base {
            Base::Text(_) => None,
            Base::Tree(tree) => Some(tree),
        };
        if let Some(tree) = tree {
            let is_alone = edits.is_empty();
            holes(&tree.document, tree.grammar, &pending.dead, |hole| match edits.last_mut() {
                // All elements of a long list are one hole, not one edit each.
                Some(last) if is_alone && last.end == hole.start => last.end = hole.end,
                _ => edits.push(Edit::delete(hole)),
            });
        }
        let indents = tree.and_then(|tree| tree.indents.as_ref());
        let rendering = render_around(self.source(), edits, &self.untouchable, indents);
        (pending, rendering)
    }

    /// From now on a candidate that removes the last reference to one of these definitions removes the definition, too;
    /// `None` ends this. A new base also ends it.
    pub(super) fn couple(&mut self, coupling: Option<Cascade>) {
        if let Base::Tree(tree) = &mut self.base {
            tree.coupling = coupling;
        }
    }

    /// Whether it is known which definitions go along, be there such or not.
    pub(super) fn knows_coupling(&self) -> bool {
        matches!(&self.base, Base::Tree(tree) if tree.coupling.is_some())
    }

    /// Whether a candidate's removals can include more nodes.
    pub(super) fn is_coupling(&self) -> bool {
        self.coupling().is_some()
    }

    fn coupling(&self) -> Option<&Cascade> {
        let Base::Tree(tree) = &self.base else { return None };
        tree.coupling.as_ref().filter(|cascade| !cascade.is_empty())
    }

    /// Whether further nodes must be removed with a node of the best result.
    pub(super) fn is_coupled(&self, node: NodeId) -> bool {
        self.coupled_with(self.pending(), &[&Removal::Nodes(Nodes::One(node))]).is_some()
    }

    /// Returns the nodes to remove along with this one; `None` if there are none, or no coupling is set.
    fn coupled_with(&self, pending: &Pending, more: &[&Removal]) -> Option<Removal> {
        let (cascade, document) = (self.coupling()?, self.document());
        let mut gone = RemovedRanges::before(document, pending.dead.iter(), &pending.edits);
        more.iter().for_each(|removal| gone.take(document, removal));
        let (nodes, _) = cascade.after(gone);
        (!nodes.is_empty()).then(|| Removal::Nodes(nodes.into()))
    }

    /// Whether some edits touch a kept part.
    pub(super) fn edits_touch_kept(&self, edits: &[Edit]) -> bool {
        edits.iter().any(|edit| touches(&self.untouchable, &(edit.start..edit.end)))
    }

    /// Whether a kept part reaches into a node.
    pub(super) fn node_is_kept(&self, node: NodeId) -> bool {
        !self.is_free() && touches(&self.untouchable, &self.document().node(node).range())
    }

    /// Returns a sequence without the units that touch a kept part; `None` if no unit is left.
    pub(super) fn spare(&self, mut sequence: Sequence) -> Option<Sequence> {
        if !self.is_free() {
            let may_go = |unit: &Unit| match &unit.removal {
                Removal::Nodes(nodes) => !nodes.iter().any(|&node| self.node_is_kept(node)),
                Removal::Edits(edits) => !self.edits_touch_kept(edits),
            };
            let keep: Vec<_> = sequence.units.iter().map(may_go).collect();
            sequence.retain(&keep);
        }
        (!sequence.units.is_empty()).then_some(sequence)
    }

    /// Whether a node is removed, by itself or with an ancestor.
    pub(super) fn is_gone(&self, node: NodeId) -> bool {
        let Base::Tree(tree) = &self.base else { return false };
        let mut above = std::iter::successors(Some(node), |&node| tree.document.parent(node));
        above.any(|node| self.pending.dead.contains(node))
    }

    /// Whether a node is removed by itself.
    pub(super) fn is_removed(&self, node: NodeId) -> bool {
        self.pending.dead.contains(node)
    }

    /// Whether edits are pending.
    pub(super) fn is_edited(&self) -> bool {
        !self.pending.is_nothing()
    }

    /// Whether a candidate may become the best result by its size: it is no larger, or by no more than a pass may make it.
    /// A text without a tree, or with a part in another language, is as large as its bytes: its tokens are counted in
    /// another way than those of the best result.
    pub(super) fn may_become_best(
        &self,
        candidate: &Candidate,
        prefer: Prefer,
        growth: impl FnOnce() -> Growth,
    ) -> bool {
        let (best, text) = (self.best.size, &candidate.text);
        let is_counted = self.scope.as_ref().is_none_or(|scope| scope.is_counted_alike);
        let tokens = candidate.tokens.filter(|_| is_counted).map(|tokens| tokens + self.around());
        let is_larger = match (prefer, tokens) {
            (Prefer::Tokens, Some(tokens)) => tokens > best.tokens,
            (Prefer::Lines, _) => count_lines(text) > count_lines(&self.best.text),
            (Prefer::Bytes, _) | (Prefer::Tokens, None) => text.len() > self.best.text.len(),
        };
        !is_larger
            || match growth() {
                Growth::Nothing => false,
                Growth::Blanks => tokens.is_none_or(|tokens| tokens <= best.tokens),
                Growth::Tokens(more) => {
                    prefer == Prefer::Tokens && tokens.is_some_and(|tokens| tokens <= self.least_tokens + more)
                }
            }
    }

    /// Makes a candidate the best result, and its edits the pending ones. Returns the previous best result if its text
    /// differs.
    pub(super) fn accept(&mut self, candidate: Candidate) -> Option<Best> {
        let Candidate { text, tokens, kept, pending, .. } = candidate;
        self.pending = pending;
        if text == self.best.text {
            return None;
        }
        let words = |text: &[u8]| count(text, self.archive.as_ref(), count_words);
        let tokens = match (tokens, &self.archive) {
            (Some(tokens), _) => tokens + self.around(),
            (None, None) => words(&text),
            // The files are counted by their trees: all that is known is which share of their words went.
            (None, Some(_)) => self.best.size.tokens * words(&text) / words(&self.best.text).max(1),
        };
        let of_files = |count_one: fn(&[u8]) -> usize| count(&text, self.archive.as_ref(), count_one);
        let size = Size { bytes: of_files(<[u8]>::len), tokens, lines: of_files(count_lines) };
        self.least_tokens = self.least_tokens.min(tokens);
        let kept = kept.expect("what touches a kept part is refused");
        Some(std::mem::replace(&mut self.best, Best { text, size, kept }))
    }

    /// Returns to the previous best result.
    pub(super) fn go_back(&mut self, to: Best) {
        self.least_tokens = to.size.tokens;
        self.best = to;
        self.forget_tree();
    }

    /// From now on the best result is the base, as text.
    pub(super) fn forget_tree(&mut self) {
        self.scope = None;
        self.rebase_text();
    }

    /// From now on the best result is the base, as text; the parts of it that are worked on stay those.
    pub(super) fn rebase_text(&mut self) {
        self.start_from(Base::Text(Arc::clone(&self.best.text)));
    }

    /// From now on only some parts of the best result are worked on, as text, that no kept part reaches out of. `around` are
    /// the tokens of all else, which are counted like those of these parts or otherwise.
    pub(super) fn enter(&mut self, inside: Inside, around: usize, is_counted_alike: bool) {
        self.scope = Some(Scope { inside, around, is_counted_alike });
        self.rebase_text();
    }

    /// The number of tokens outside the part that is being reduced.
    fn around(&self) -> usize {
        self.scope.as_ref().map_or(0, |scope| scope.around)
    }

    /// The tree of the best result is the base from now on.
    pub(super) fn plant(&mut self, document: Document, grammar: &'g Grammar) {
        debug_assert_eq!(self.best.text, *document.shared_source());
        self.start_from(Base::Tree(Box::new(Tree::new(document, grammar))));
    }

    fn start_from(&mut self, base: Base<'g>) {
        self.pending = Pending::nothing(&base);
        self.kept.clone_from(&self.best.kept);
        self.base = base;
        let inside = self.scope.as_ref().map(|scope| Arc::clone(&scope.inside));
        self.frame = inside.map(|inside| gaps(self.source().len(), &inside(self.source()))).unwrap_or_default();
        self.untouchable = united(self.frame.iter().chain(&self.kept).cloned().collect());
    }

    /// The tokens of the best result are those of its tree.
    ///
    /// # Panics
    /// If the base is not the best result with its tree.
    pub(super) fn count_tokens(&mut self) {
        self.best.size.tokens = self.document().tokens() + self.around();
    }

    /// Makes the best result the base, and parses it if the old base has a tree; `known` is its tree if there is one
    /// already. Returns the new ids of some nodes, or `None` for nodes that aren't at the same place any more.
    ///
    /// # Errors
    /// When the best result cannot be parsed; the base is a text without a tree then.
    pub(super) fn rebase(
        &mut self,
        parser: &mut SyntaxParser,
        known: Option<SyntaxTree>,
        nodes: impl Iterator<Item = NodeId>,
    ) -> Result<Vec<Option<NodeId>>, ParseError> {
        let (_, rendering) = self.render(&self.pending, std::iter::empty());
        // The old tree is dropped before the new one is made: together they would be the memory peak of the whole run.
        let text = Base::Text(Arc::clone(&self.best.text));
        let Base::Tree(old) = std::mem::replace(&mut self.base, text) else {
            self.rebase_text();
            return Ok(Vec::new());
        };
        let place = |id| {
            let node = old.document.node(id);
            let (start, end) = rendering.map(node.start as usize, node.end as usize)?;
            Some((start, end, node.kind))
        };
        let places: Vec<_> = nodes.map(place).collect();
        let grammar = old.grammar;
        drop((old, rendering));
        self.rebase_text();
        let text = Arc::clone(&self.best.text);
        let document = match known {
            Some(tree) => Document::new(parser, text, tree)?,
            None => Document::parse(parser, text)?,
        };
        let find = |(start, end, kind)| document.find(start, end, kind);
        let nodes = places.into_iter().map(|place| place.and_then(find)).collect();
        self.plant(document, grammar);
        Ok(nodes)
    }
}

/// Counts the bytes, lines or words of a text. In an archive, only the content of its files and the words of the
/// command count.
pub(super) fn count(text: &[u8], archive: Option<&Archive>, count_one: fn(&[u8]) -> usize) -> usize {
    let Some(archive) = archive else { return count_one(text) };
    let files = archive.entries(text).into_iter().filter(|entry| matches!(entry.kind, Kind::File | Kind::Argument));
    files.map(|file| count_one(&text[file.content])).sum()
}

/// The text between some parts of a text of this length, and around them.
fn gaps(len: usize, parts: &[Range<usize>]) -> Vec<Range<usize>> {
    let ends = parts.iter().map(|part| part.end);
    let starts = parts.iter().map(|part| part.start).chain(std::iter::once(len));
    std::iter::once(0).chain(ends).zip(starts).map(|(end, start)| end..start).filter(|gap| !gap.is_empty()).collect()
}

/// Tokens of a rendering: those of the stretches that stay and those of the texts put in.
fn count_tokens(document: &Document, rendering: &Rendering) -> usize {
    let (mut tokens, mut at) = (0, 0);
    for (kept, new) in rendering.kept() {
        tokens += count_words(&rendering.text[at..new]) + document.tokens_in(kept.clone());
        at = new + kept.len();
    }
    tokens + count_words(&rendering.text[at..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::*;
    use lop_testing::{FILES, lossy, many, shipped_sample};

    use crate::testing::{alternatives, units};
    use lop_passes::TrialParser;
    use lop_syntax::error_count;

    #[test]
    fn that_nothing_goes_along_is_known_until_there_is_another_base() {
        let grammar = lop_testing::grammar("x.c");
        let mut parser = lop_testing::parser("x.c");
        let mut shapes = TrialParser::new(lop_testing::parser("x.c"));
        let text = b"int a; int b = a;".to_vec();
        let document = Document::parse(&mut parser, text.clone()).expect("a small text has a tree");
        let sample = Document::parse(&mut parser, text.clone()).expect("a small text has a tree");
        let mut current = Current::new(text.into(), Size::default(), Vec::new());
        current.plant(document, &grammar);
        for (may_go, is_coupling) in [(false, false), (true, true)] {
            assert_eq!((current.knows_coupling(), current.is_coupling()), (false, false));
            let cascade = Cascade::of(&sample, &grammar, &mut shapes, |_| may_go);
            current.couple(Some(cascade));
            assert_eq!((current.knows_coupling(), current.is_coupling()), (true, is_coupling));
            current.rebase(&mut parser, None, std::iter::empty()).expect("it has just been parsed");
        }
    }

    const MISCOUNTED: &str = "x.yaml";

    /// Edits are collected and only parsed now and then: the text and its tree must match them.
    #[test]
    fn what_is_committed_is_what_the_next_snapshot_reads() {
        let mut runner = TestRunner::deterministic();
        for file in FILES {
            for _ in 0..many(2) {
                let grammar = lop_testing::grammar(file);
                let mut parser = grammar.parser().expect("embedded parsers fit");
                let mut text = shipped_sample(file);
                for _ in 0..8 {
                    let mut shapes = TrialParser::new(lop_testing::parser(file));
                    let document = Document::parse(&mut parser, text.clone()).expect("a small text has a tree");
                    let units = units(&document, &grammar, &mut shapes);
                    let single = alternatives(&document, &grammar, &mut shapes);
                    let mut current = Current::new(text.clone().into(), Size::default(), Vec::new());
                    current.plant(document, &grammar);
                    // A few units of the lists, or one edit of the others.
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
                    if !single.is_empty() && any::<bool>().new_tree(&mut runner).expect("two values").current() {
                        let one = prop::sample::select(single).new_tree(&mut runner).expect("one is there").current();
                        chosen = vec![Removal::Edits(one.edits)];
                    }
                    let candidate = current.candidate(chosen.iter(), false);
                    let tree = parser.parse(&candidate.text).expect("a small text has a tree");
                    if error_count(&tree) > 0 {
                        // The gate refuses it.
                        continue;
                    }
                    current.accept(candidate.clone());
                    assert_eq!(current.candidate(std::iter::empty(), true).text, current.best().text);
                    // The gate may have its tree.
                    let known = any::<bool>().new_tree(&mut runner).expect("two values").current().then_some(tree);
                    current.rebase(&mut parser, known, std::iter::empty()).expect("it has just been parsed");
                    let document = current.document();
                    assert_eq!(document.source(), &*candidate.text);
                    assert_eq!(document.errors(), 0);
                    let said = candidate.tokens.expect("there is a tree");
                    // Separators that went with a unit, and texts put in, are counted by words.
                    // FIXME: in one language the count is off by up to a tenth, and not by a twentieth at most.
                    let share = if file == MISCOUNTED { 10 } else { 20 };
                    assert!(
                        document.tokens().abs_diff(said) * share <= said + 40,
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
