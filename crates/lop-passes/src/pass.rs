//! The interface of passes: what a pass says of itself, what it sees, and what it may propose.

use std::cell::{OnceCell, RefCell, RefMut};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use lop_files::project::Archive;
use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId, count_words};

use super::alternatives::Alternative;
use super::brackets::Brackets;
use super::fingerprint::Fingerprints;
use super::sequence::{Ask, Remembered, Removal, Sequence, Unit, list_kind};
use super::style::{Prefer, Style};
use super::tolerance::Tolerance;
use super::trial_parser::TrialParser;

/// When a pass has its turn: a later stage begins when the ones before it find nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Once, before everything else.
    First,
    /// Parts that can go as a whole.
    Deletion,
    /// Nodes that become smaller.
    LocalEdits,
    /// Tokens, whatever the tree says.
    Tokens,
    /// Edits that the language's rules describe.
    Rules,
    /// Edits that lead astray while there is still much to do.
    Late,
    /// The inside of tokens.
    Characters,
    /// How it looks.
    Finish,
    /// Text without a tree.
    Text,
    /// The guarantee at the end.
    Guarantee,
}

impl Stage {
    /// The stage's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Deletion => "deletion",
            Self::LocalEdits => "local edits",
            Self::Tokens => "tokens",
            Self::Rules => "rules",
            Self::Late => "late",
            Self::Characters => "characters",
            Self::Finish => "finish",
            Self::Text => "text without a grammar",
            Self::Guarantee => "guarantee",
        }
    }
}

/// Tokens by which lop's own passes may make the best result larger. In the traps of `tests/quality` it is one at a time.
pub(super) const MOST_MORE: usize = 8;

/// By how much a pass may make the best result larger. No other candidate becomes it that is larger in the measure that
/// the user prefers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// Not at all.
    #[default]
    Nothing,
    /// In blanks, as a layout does, and in no token.
    Blanks,
    /// By this number of tokens above the smallest best result, so that others can take out more behind it. Where bytes
    /// or lines are preferred: not at all.
    Tokens(usize),
}

/// The description of a pass by itself.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Its name on the command line, in events and in the summary; no other pass has it.
    pub name: &'static str,
    /// When it has its turn.
    pub stage: Stage,
    /// A later stage in which its single edits are asked about once more, together with that stage's own.
    pub again_in: Option<Stage>,
    /// Its effect, in a line for `lop passes`.
    pub about: &'static str,
    /// Whether it does nothing without rules of the language.
    pub needs_rules: bool,
    /// By how much its candidates may be larger than the best result.
    pub growth: Growth,
    /// Whether the driver knows it, because its sequences have a search, an order or a moment of their own. The sequences
    /// of other passes are swept when the stage has its turn, and the single edits of all are asked about together.
    is_led: bool,
}

impl Facts {
    /// A pass that needs no rules and has its turn in one stage.
    #[must_use]
    pub const fn new(name: &'static str, stage: Stage, about: &'static str) -> Self {
        Facts { name, stage, again_in: None, about, needs_rules: false, growth: Growth::Nothing, is_led: false }
    }

    /// The same pass, which does nothing without rules of the language.
    #[must_use]
    pub const fn by_rules(self) -> Self {
        Facts { needs_rules: true, ..self }
    }

    /// The same pass, whose candidates may be larger.
    #[must_use]
    pub const fn growing(self, growth: Growth) -> Self {
        Facts { growth, ..self }
    }

    /// The same pass, which the driver leads.
    #[must_use]
    pub(super) const fn led(self) -> Self {
        Facts { is_led: true, ..self }
    }

    /// The same pass, whose single edits are asked about in a later stage, too.
    #[must_use]
    pub const fn again_in(self, stage: Stage) -> Self {
        Facts { again_in: Some(stage), ..self }
    }

    /// Whether the driver leads it: it sweeps its sequences at a moment of their own.
    #[must_use]
    pub fn is_led(&self) -> bool {
        self.is_led
    }

    /// Whether its single edits are asked about in a stage.
    #[must_use]
    pub fn has_turn_in(&self, stage: Stage) -> bool {
        self.stage == stage || self.again_in == Some(stage)
    }
}

/// A way to make a text smaller, lop's own or a caller's. It proposes and decides nothing: what it proposes goes past the
/// cache and the gate to the test, and only what the test calls interesting is made.
///
/// It has its turn in every round (at [`Stage::First`] before the first of them, and with
/// `--thorough` each time the reduction begins again), as long as it finds
/// something, at its stage: a later stage begins when the ones before find nothing more. On a tree what is said to come
/// later than [`Stage::Characters`] comes then; on text without one all passes of the caller have their turn at the end of
/// each round. A refusal holds until the text has shrunk by a quarter, but for a second look near the end of a
/// reduction.
///
/// Its proposals have to depend on the view alone, or two runs with the same seed are not the same.
pub trait Pass: Send + Sync {
    /// Its name, its stage and its effect: the same at every call.
    fn facts(&self) -> Facts;

    /// Its proposals for the text as it is now: nothing is right for a pass over trees where there is no tree.
    ///
    /// # Panics
    /// The reduction panics when an edit lies outside the text.
    fn propose(&self, view: &View<'_>) -> Proposals;

    /// Its name.
    fn name(&self) -> &'static str {
        self.facts().name
    }
}

/// A pass whose single edits a function of the tree makes.
pub(super) struct EditsOfTree {
    pub(super) facts: Facts,
    pub(super) make: fn(&Document, &Grammar, &Fingerprints) -> Vec<Alternative>,
}

impl Pass for EditsOfTree {
    fn facts(&self) -> Facts {
        self.facts
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let tree = view.tree.as_ref().filter(|_| view.wanted != Wanted::Sequences);
        tree.map(|tree| (self.make)(tree.document, tree.grammar, tree.prints())).unwrap_or_default().into()
    }
}

/// The proposals of a pass, signed by it: the numbers by which its edits are remembered are no other pass's.
///
/// # Panics
/// When an edit lies outside of the text, or a sequence has another number of units than are remembered.
#[must_use]
pub fn proposals(pass: &dyn Pass, view: &View<'_>) -> Proposals {
    let name = pass.name();
    view.occurrences.borrow_mut().clear();
    let mut made = pass.propose(view);
    let check = |edits: &[Edit]| {
        let is_inside = edits.iter().all(|edit| edit.start <= edit.end && edit.end <= view.text.len());
        assert!(is_inside, "the pass {name} proposes an edit outside the text: {edits:?}");
    };
    let sign = |memo: &mut u64| *memo = signed(name, *memo);
    for sequence in &mut made.sequences {
        sequence.units.iter().for_each(|unit| {
            if let Removal::Edits(edits) = &unit.removal {
                check(edits)
            }
        });
        let (units, remembered) = (sequence.units.len(), &sequence.remembered);
        let fits = match remembered {
            Remembered::Units(memos) => memos.len() == units,
            Remembered::Nodes(_, nodes) => nodes.len() == units,
            Remembered::None | Remembered::Whole(_) => true,
        };
        assert!(fits, "the pass {name} proposes {units} units and has others remembered: {remembered:?}");
        if let Remembered::Units(memos) | Remembered::Whole(memos) = &mut sequence.remembered {
            memos.iter_mut().for_each(sign);
        }
    }
    for alternative in &mut made.alternatives {
        check(&alternative.edits);
        alternative.pass = name;
        sign(&mut alternative.memo);
    }
    made
}

/// The number by which something is remembered, as that of a pass.
fn signed(pass: &str, memo: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (pass, memo).hash(&mut hasher);
    hasher.finish()
}

/// The proposals of a pass.
#[derive(Clone, Debug, Default)]
pub struct Proposals {
    /// Lists of units of which any subset may go.
    pub sequences: Vec<Sequence>,
    /// Single edits of which at most one is taken at a place.
    pub alternatives: Vec<Alternative>,
}

impl Proposals {
    /// These and others, in this order.
    #[must_use]
    pub fn and(mut self, others: Proposals) -> Self {
        self.sequences.extend(others.sequences);
        self.alternatives.extend(others.alternatives);
        self
    }
}

impl From<Vec<Alternative>> for Proposals {
    fn from(alternatives: Vec<Alternative>) -> Self {
        Proposals { sequences: Vec::new(), alternatives }
    }
}

impl From<Option<Sequence>> for Proposals {
    fn from(sequence: Option<Sequence>) -> Self {
        Proposals { sequences: sequence.into_iter().collect(), alternatives: Vec::new() }
    }
}

/// The kinds of proposals that a pass is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All that it has to propose.
    Everything,
    /// Only its sequences.
    Sequences,
    /// Only its single edits.
    Alternatives,
}

/// The view of a pass: the text as it is now and what is known of it.
pub struct View<'a> {
    /// The text.
    pub text: &'a [u8],
    /// The parts of it that are worked on; all of it, unless these are files or parts in one language of several.
    pub parts: Vec<Range<usize>>,
    /// The files that it is made of, if there are several.
    pub files: Option<FilesOf<'a>>,
    /// Its tree; `None` for text without a grammar.
    pub tree: Option<Tree<'a>>,
    /// The style of the result.
    pub style: Style,
    /// The proposals that the pass is asked for. It need not make others.
    pub wanted: Wanted,
    /// Says whether something was asked and refused, by the number that stands for it.
    pub(crate) settled: &'a dyn Fn(u64) -> bool,
    /// How often a pass has proposed the same so far. Equal texts are told apart by their order: their places change with
    /// every other edit.
    pub(crate) occurrences: RefCell<HashMap<u64, u64>>,
    /// Says whether the test tolerates definitions of a kind that nothing refers to.
    pub(crate) tolerance: &'a dyn Fn(u16) -> Tolerance,
    /// Says whether the pass of a name has its turn.
    pub(crate) allows: &'a dyn Fn(&str) -> bool,
}

/// The files that a text is made of.
pub struct FilesOf<'a> {
    /// Takes the text apart.
    pub archive: &'a Archive,
    /// The grammar of the file at a path; `None` is plain text.
    pub grammar: &'a dyn Fn(&[u8]) -> Option<&'a Grammar>,
}

/// The tree of a text with its language, and what is known of its nodes.
pub struct Tree<'a> {
    /// The tree.
    pub document: &'a Document,
    /// The grammar of its language.
    pub grammar: &'a Grammar,
    prints: OnceCell<Fingerprints>,
    brackets: &'a Brackets,
    shapes: RefCell<&'a mut TrialParser>,
    refused: &'a dyn Fn(Ask, NodeId) -> bool,
}

impl<'a> View<'a> {
    /// The same view, with the answers of a driver: what was asked and refused by the number that stands for it, whether
    /// the test tolerates definitions of a kind that nothing refers to, and whether the pass of a name has its turn.
    #[must_use]
    pub fn answering(
        self,
        settled: &'a dyn Fn(u64) -> bool,
        tolerance: &'a dyn Fn(u16) -> Tolerance,
        allows: &'a dyn Fn(&str) -> bool,
    ) -> Self {
        View { settled, tolerance, allows, ..self }
    }

    /// A text without a tree.
    #[must_use]
    pub fn of_text(text: &'a [u8]) -> Self {
        View {
            text,
            parts: std::iter::once(0..text.len()).collect(),
            files: None,
            tree: None,
            style: Style::default(),
            wanted: Wanted::Everything,
            settled: &|_| false,
            occurrences: RefCell::default(),
            tolerance: &|_| Tolerance::Unknown,
            allows: &|_| true,
        }
    }

    /// A text with its tree.
    #[must_use]
    pub fn of_tree(tree: Tree<'a>) -> Self {
        let text = tree.document.source();
        View { tree: Some(tree), ..View::of_text(text) }
    }

    /// Whether what this number stands for among those of a pass was asked when the text was not much larger than now,
    /// and refused.
    pub(super) fn is_settled(&self, pass: &str, memo: u64) -> bool {
        (self.settled)(signed(pass, memo))
    }

    /// One sequence of units of which any subset may go, in the order of the text. A unit is the edits that take it out,
    /// made together. The engine decides which runs of units to try.
    ///
    /// Only what makes the text smaller is in it: fewer tokens, or as many in fewer bytes (where the user
    /// [prefers](Prefer) something else, fewer of that).
    #[must_use]
    pub fn any_of(&self, units: impl IntoIterator<Item = Vec<Edit>>) -> Proposals {
        let made: Vec<Alternative> = self.gains(units).map(|(_, made)| made).collect();
        let remembered = Remembered::Units(made.iter().map(|made| made.memo).collect());
        let unit = |made: Alternative| Unit {
            removal: Removal::Edits(made.edits),
            tokens: made.tokens,
            known_to_parse: false,
        };
        let units: Vec<Unit> = made.into_iter().map(unit).collect();
        let sequence = (!units.is_empty()).then(|| Sequence::of(list_kind::OTHER, units).remembered(remembered));
        sequence.into()
    }

    /// Single edits of which at most one is taken before the pass is asked again. Each is one or more changes, made
    /// together. The edit that saves most is tried first; one that saves nothing, in the sense of [`View::any_of`], is
    /// left out.
    #[must_use]
    pub fn one_of(&self, edits: impl IntoIterator<Item = Vec<Edit>>) -> Proposals {
        let mut made: Vec<_> = self.gains(edits).collect();
        made.sort_by_key(|(gain, _)| std::cmp::Reverse(*gain));
        made.into_iter().map(|(_, made)| made).collect::<Vec<_>>().into()
    }

    /// Edits that are a gain, with what they save: what counts most first.
    fn gains(
        &self,
        edits: impl IntoIterator<Item = Vec<Edit>>,
    ) -> impl Iterator<Item = ((i64, i64, i64), Alternative)> {
        edits.into_iter().filter_map(move |edits| {
            let (mut tokens, mut bytes, mut lines) = (0, 0, 0);
            let mut hasher = DefaultHasher::new();
            let mut is_outside = false;
            for edit in &edits {
                let before = self.text.get(edit.start..edit.end);
                is_outside |= before.is_none();
                let before = before.unwrap_or_default();
                let counted = self.tree.as_ref().filter(|_| !before.is_empty());
                let words =
                    counted.map_or_else(|| count_words(before), |tree| tree.document.tokens_in(edit.start..edit.end));
                tokens += difference(words, count_words(&edit.text));
                bytes += difference(before.len(), edit.text.len());
                lines += difference(line_feeds(before), line_feeds(&edit.text));
                (before, &edit.text, edit.raw).hash(&mut hasher);
            }
            let print = hasher.finish();
            let mut occurrences = self.occurrences.borrow_mut();
            let occurrence = occurrences.entry(print).or_default();
            *occurrence += 1;
            let gain = match self.style.prefer {
                Prefer::Tokens => (tokens, bytes, 0),
                Prefer::Bytes => (bytes, tokens, 0),
                Prefer::Lines => (lines, tokens, bytes),
            };
            let memo = print.wrapping_add(*occurrence);
            let made = Alternative::new(edits, tokens, bytes, memo);
            // An edit outside of the text is a mistake that is named when the proposals are signed.
            (is_outside || gain > (0, 0, 0)).then_some((gain, made))
        })
    }

    /// The sequences that a function of the tree makes; nothing without a tree, or where only single edits are wanted.
    #[must_use]
    pub fn sequences<S: IntoIterator<Item = Sequence>>(&self, make: impl FnOnce(&Tree<'a>) -> S) -> Proposals {
        let tree = self.tree.as_ref().filter(|_| self.wanted != Wanted::Alternatives);
        let sequences = tree.map(|tree| make(tree).into_iter().collect());
        Proposals { sequences: sequences.unwrap_or_default(), alternatives: Vec::new() }
    }
}

fn difference(before: usize, after: usize) -> i64 {
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    count(before) - count(after)
}

fn line_feeds(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

impl<'a> Tree<'a> {
    /// A tree with what was learnt of its language, and a function that says whether something was asked about a node
    /// and refused.
    #[must_use]
    pub fn new(
        document: &'a Document,
        grammar: &'a Grammar,
        brackets: &'a Brackets,
        shapes: &'a mut TrialParser,
        refused: &'a dyn Fn(Ask, NodeId) -> bool,
    ) -> Self {
        Tree { document, grammar, prints: OnceCell::new(), brackets, shapes: RefCell::new(shapes), refused }
    }

    /// Numbers that stand for parts of the text.
    pub(super) fn prints(&self) -> &Fingerprints {
        self.prints.get_or_init(|| Fingerprints::new(self.document.source()))
    }

    /// The brackets of the language.
    pub(super) fn brackets(&self) -> &Brackets {
        self.brackets
    }

    /// The knowledge of which nodes can be left out or replaced without new syntax errors.
    pub(super) fn shapes(&self) -> RefMut<'_, &'a mut TrialParser> {
        self.shapes.borrow_mut()
    }

    /// Whether this was asked when the text was not much larger than now, and refused, or may not be asked.
    pub(super) fn is_refused(&self, ask: Ask, node: NodeId) -> bool {
        (self.refused)(ask, node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pass that is a function.
    struct Of(fn(&View<'_>) -> Proposals);

    impl Pass for Of {
        fn facts(&self) -> Facts {
            Facts::new("of", Stage::Rules, "what a function makes")
        }

        fn propose(&self, view: &View<'_>) -> Proposals {
            (self.0)(view)
        }
    }

    fn gone(at: usize) -> [Vec<Edit>; 1] {
        [vec![Edit::delete_raw(at..at + 1)]]
    }

    #[test]
    fn equal_texts_in_two_sequences_are_told_apart_in_the_same_way_each_time() {
        let pass = Of(|view| view.any_of(gone(0)).and(view.any_of(gone(2))));
        let view = View::of_text(b"a a");
        let memos = || {
            let sequences = proposals(&pass, &view).sequences.into_iter();
            sequences.map(|sequence| match sequence.remembered {
                Remembered::Units(memos) => memos,
                other => panic!("{other:?}"),
            })
        };
        let first: Vec<_> = memos().collect();
        assert_ne!(first[0], first[1]);
        assert_eq!(memos().collect::<Vec<_>>(), first);
    }

    #[test]
    #[should_panic(expected = "the pass of proposes 1 units")]
    fn a_sequence_that_has_others_remembered_is_a_mistake_of_its_pass() {
        let pass = Of(|view| {
            let mut made = view.any_of(gone(0));
            made.sequences[0].remembered = Remembered::Units(Vec::new());
            made
        });
        let _ = proposals(&pass, &View::of_text(b"a a"));
    }
}
