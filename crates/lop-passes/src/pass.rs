//! The interface of passes: their facts, their view of the text, and their proposals.

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

/// The stage of a pass: a later stage starts when the earlier ones find nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Once, before everything else.
    First,
    /// Deletes whole parts.
    Deletion,
    /// Makes nodes smaller.
    LocalEdits,
    /// Deletes tokens, independently of the tree.
    Tokens,
    /// Applies the language's rules.
    Rules,
    /// Edits that would mislead the search if they came earlier.
    Late,
    /// Shortens tokens.
    Characters,
    /// Improves the appearance.
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

/// Maximum number of tokens by which lop's own passes can make the best result larger. The traps in `tests/quality`
/// need one.
pub(super) const MOST_MORE: usize = 8;

/// The permitted growth of the best result. lop accepts no other candidate that is larger in the preferred measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// No growth.
    #[default]
    Nothing,
    /// Whitespace can grow, as in a layout, but no token.
    Blanks,
    /// Up to this number of tokens above the smallest best result, so that other passes can then remove more. No growth
    /// if the user prefers bytes or lines.
    Tokens(usize),
}

/// The facts about a pass.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Its unique name on the command line, in events and in the summary.
    pub name: &'static str,
    /// Its stage.
    pub stage: Stage,
    /// A later stage in which its single edits are tried again, together with that stage's own.
    pub again_in: Option<Stage>,
    /// Its effect, as a line for `lop passes`.
    pub about: &'static str,
    /// Whether it needs rules of the language.
    pub needs_rules: bool,
    /// The permitted growth of its candidates.
    pub growth: Growth,
    /// The reason why the driver leads it: its sequences need their own search, order or moment. The sequences of other
    /// passes are swept in their stage. The single edits of all passes are tried together.
    led: Option<&'static str>,
}

impl Facts {
    /// Makes the facts of a pass that needs no rules and runs in one stage.
    #[must_use]
    pub const fn new(name: &'static str, stage: Stage, about: &'static str) -> Self {
        Facts { name, stage, again_in: None, about, needs_rules: false, growth: Growth::Nothing, led: None }
    }

    /// Marks the pass as one that needs rules of the language.
    #[must_use]
    pub const fn by_rules(self) -> Self {
        Facts { needs_rules: true, ..self }
    }

    /// Allows the candidates to be larger.
    #[must_use]
    pub const fn growing(self, growth: Growth) -> Self {
        Facts { growth, ..self }
    }

    /// Lets the driver lead the pass, for this reason.
    #[must_use]
    pub(super) const fn led(self, why: &'static str) -> Self {
        Facts { led: Some(why), ..self }
    }

    /// Lets the single edits run in a later stage too.
    #[must_use]
    pub const fn again_in(self, stage: Stage) -> Self {
        Facts { again_in: Some(stage), ..self }
    }

    /// Whether the driver leads it, and sweeps its sequences itself.
    #[must_use]
    pub fn is_led(&self) -> bool {
        self.why_led().is_some()
    }

    /// Returns the reason why the driver leads it, if it does.
    #[must_use]
    pub fn why_led(&self) -> Option<&'static str> {
        self.led
    }

    /// Whether its single edits run in a stage.
    #[must_use]
    pub fn has_turn_in(&self, stage: Stage) -> bool {
        self.stage == stage || self.again_in == Some(stage)
    }
}

/// A way to make a text smaller, lop's own or the caller's. A pass proposes edits and decides nothing. Its proposals
/// pass the cache, the gate and the test, and lop applies only the interesting ones.
///
/// A pass runs in every round, at its stage, as long as it finds something. At [`Stage::First`] it runs only before the
/// first round, and with `--thorough` each time the reduction starts again. Stages after [`Stage::Characters`] run
/// together with it. On text without a tree, the caller's passes run at the end of each round. A rejected proposal
/// isn't tried again until the text has shrunk by a quarter, except for a second look near the end.
///
/// The proposals must only depend on the view, so that two runs with the same seed are equal.
pub trait Pass: Send + Sync {
    /// Returns its name, its stage and its effect: the same at every call.
    fn facts(&self) -> Facts;

    /// Proposes edits of the current text. A pass over trees proposes nothing without a tree.
    ///
    /// # Panics
    /// The reduction panics if an edit is outside the text.
    fn propose(&self, view: &View<'_>) -> Proposals;

    /// Its name.
    fn name(&self) -> &'static str {
        self.facts().name
    }
}

/// A pass whose single edits come from a function of the tree.
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

/// Returns the proposals of a pass, with memory keys that no other pass uses.
///
/// # Panics
/// If an edit is outside the text, or a sequence's number of units differs from that of its memory keys.
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

/// Makes a memory key specific to a pass.
fn signed(pass: &str, memo: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (pass, memo).hash(&mut hasher);
    hasher.finish()
}

/// The proposals of a pass.
#[derive(Clone, Debug, Default)]
pub struct Proposals {
    /// Lists of units; any subset can be removed.
    pub sequences: Vec<Sequence>,
    /// Single edits that exclude each other at a place.
    pub alternatives: Vec<Alternative>,
}

impl Proposals {
    /// Appends other proposals.
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

/// The requested kinds of proposals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All proposals.
    Everything,
    /// Only its sequences.
    Sequences,
    /// Only its single edits.
    Alternatives,
}

/// A pass's view of the current text.
pub struct View<'a> {
    /// The text.
    pub text: &'a [u8],
    /// The parts to work on: the whole text, unless it consists of several files or languages.
    pub parts: Vec<Range<usize>>,
    /// The files in it, if there are several.
    pub files: Option<FilesOf<'a>>,
    /// Its tree, if there is one.
    pub tree: Option<Tree<'a>>,
    /// The style of the result.
    pub style: Style,
    /// The requested proposals. The pass can leave out others.
    pub wanted: Wanted,
    /// Whether the proposal with this memory key was rejected.
    pub(crate) settled: &'a dyn Fn(u64) -> bool,
    /// Counts equal proposals. Equal texts are numbered by their order, because their positions change with every edit.
    pub(crate) occurrences: RefCell<HashMap<u64, u64>>,
    /// Whether the test accepts unreferenced definitions of a kind.
    pub(crate) tolerance: &'a dyn Fn(u16) -> Tolerance,
    /// Whether the pass with this name is enabled.
    pub(crate) allows: &'a dyn Fn(&str) -> bool,
}

/// The files in a text.
pub struct FilesOf<'a> {
    /// Splits the text.
    pub archive: &'a Archive,
    /// The grammar of the file at a path; `None` for plain text.
    pub grammar: &'a dyn Fn(&[u8]) -> Option<&'a Grammar>,
}

/// The tree of a text, its language, and derived facts.
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
    /// Adds the driver's knowledge: `settled` knows whether the proposal with a memory key was rejected, `tolerance`
    /// whether the test accepts unreferenced definitions of a kind, and `allows` whether the pass with a name is
    /// enabled.
    #[must_use]
    pub fn answering(
        self,
        settled: &'a dyn Fn(u64) -> bool,
        tolerance: &'a dyn Fn(u16) -> Tolerance,
        allows: &'a dyn Fn(&str) -> bool,
    ) -> Self {
        View { settled, tolerance, allows, ..self }
    }

    /// Makes a view of a text without a tree.
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

    /// Makes a view of a text with its tree.
    #[must_use]
    pub fn of_tree(tree: Tree<'a>) -> Self {
        let text = tree.document.source();
        View { tree: Some(tree), ..View::of_text(text) }
    }

    /// Whether a pass's proposal with this memory key was rejected when the text was not much larger.
    pub(super) fn is_settled(&self, pass: &str, memo: u64) -> bool {
        (self.settled)(signed(pass, memo))
    }

    /// Proposes a sequence of units in the order of the text; any subset can be removed. A unit is a list of edits that
    /// are made together. The engine decides which runs of units to try.
    ///
    /// Leaves out units that don't make the text smaller: in tokens, then in bytes, or in the measure that the user
    /// [prefers](Prefer).
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

    /// Proposes single edits; after an accepted one, the pass is called again. Each is a list of changes that are made
    /// together. The edit that saves most comes first. Leaves out edits that save nothing, as in [`View::any_of`].
    #[must_use]
    pub fn one_of(&self, edits: impl IntoIterator<Item = Vec<Edit>>) -> Proposals {
        let mut made: Vec<_> = self.gains(edits).collect();
        made.sort_by_key(|(gain, _)| std::cmp::Reverse(*gain));
        made.into_iter().map(|(_, made)| made).collect::<Vec<_>>().into()
    }

    /// Returns the edits that save something, with their savings in order of importance.
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

    /// Returns the sequences from a function of the tree, or nothing without a tree or if only single edits are
    /// requested.
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
    /// Makes a tree with facts about its language. `refused` knows whether a question about a node was answered with
    /// no.
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

    /// Fingerprints of parts of the text.
    pub(super) fn prints(&self) -> &Fingerprints {
        self.prints.get_or_init(|| Fingerprints::new(self.document.source()))
    }

    /// The brackets of the language.
    pub(super) fn brackets(&self) -> &Brackets {
        self.brackets
    }

    /// The trial parser, which knows the nodes that can be removed or replaced without new syntax errors.
    pub(super) fn shapes(&self) -> RefMut<'_, &'a mut TrialParser> {
        self.shapes.borrow_mut()
    }

    /// Whether a question about a node was answered with no when the text was not much larger, or must not be asked.
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
