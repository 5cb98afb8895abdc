//! A caller's own passes: what they are shown, what they may propose, and how that is asked about.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::grammar::Grammar;
use crate::passes::{NO_DEPTH, Removal, Sequence, Unit, list_kind};
use crate::syntax::{Document, Edit, count_words};

use super::current::{Candidate, Current};
use super::error::ReduceError;
use super::gain::Gain;
use super::memory;
use super::options::Prefer;
use super::ordered::{Ordered, Row, Until};
use super::pass::{Pass, Stage};
use super::reducer::Reducer;
use super::session::Halt;

/// A pass of the caller's own. It proposes edits and decides nothing: what it proposes goes the way of everything else,
/// past the cache and the gate to the test, and only what the test calls interesting is made.
///
/// It has its turn in every round (at [`Stage::First`] before the first of them, and with
/// [`Effort::Thorough`](super::Effort::Thorough) each time the reduction begins again), as long as it finds something, at
/// its [stage](CustomPass::stage): a later stage begins when the ones before find nothing more. Events, the summary and [`Report::passes`](super::Report::passes) have
/// it by its [name](CustomPass::name). An algorithm that works on whole trees ([`Method`](super::Method)) takes the place
/// of all passes, of these too.
///
/// What it proposes has to depend on the snapshot alone, or two runs with the same seed are not the same.
///
/// ```
/// use lop::reduce::{Proposed, Snapshot};
/// use lop::syntax::Edit;
/// use lop::{Config, CustomPass};
///
/// /// A tag goes with its partner at the other end; what is between them stays.
/// struct Tags;
///
/// impl CustomPass for Tags {
///     fn name(&self) -> &'static str {
///         "tags"
///     }
///
///     fn propose(&self, snapshot: &Snapshot<'_>) -> Proposed {
///         let places = |tag: &[u8]| -> Vec<usize> {
///             (0..snapshot.text.len()).filter(|at| snapshot.text[*at..].starts_with(tag)).collect()
///         };
///         let (open, close) = (places(b"<b>"), places(b"</b>"));
///         let pairs = open.iter().zip(close.iter().rev());
///         let units = pairs.map(|(&open, &close)| vec![Edit::delete_raw(open..open + 3), Edit::delete_raw(close..close + 4)]);
///         Proposed::new().any_of(units)
///     }
/// }
///
/// // The test refuses tags without partners.
/// let test = |text: &[u8]| {
///     let text = String::from_utf8_lossy(text);
///     text.contains("bug") && text.matches("<b>").count() == text.matches("</b>").count()
/// };
/// let report = lop::reduce(b"<b><b>bug</b></b>", test, &Config::new().language("text").pass(Tags))?;
/// assert_eq!(report.best, b"bug");
/// # Ok::<(), lop::Error>(())
/// ```
pub trait CustomPass: Send + Sync {
    /// The pass's name; no other pass may have it.
    fn name(&self) -> &'static str;

    /// When it has its turn: with the stage's other passes, after them. Usually with the [rules](Stage::Rules), when
    /// what can go as a whole has gone. On a tree what is said to come later than [`Stage::Characters`] comes then; on
    /// text without one all passes have their turn at the end of each round.
    fn stage(&self) -> Stage {
        Stage::Rules
    }

    /// What could be tried on the best result as it is now.
    ///
    /// Only what makes the text smaller is asked about: fewer tokens, or as many in fewer bytes (with another
    /// [`Prefer`], what that says). What was refused is not asked again before the text has shrunk by a quarter.
    ///
    /// # Panics
    /// The reduction panics when an edit lies outside the text.
    fn propose(&self, snapshot: &Snapshot<'_>) -> Proposed;
}

/// What a pass sees.
#[derive(Clone, Copy)]
pub struct Snapshot<'a> {
    /// The best result.
    pub text: &'a [u8],
    /// Its tree; `None` for text without a grammar.
    pub document: Option<&'a Document>,
    /// The grammar of the tree.
    pub grammar: Option<&'a Grammar>,
}

/// What a pass proposes: sequences and alternatives, in terms of the text's bytes.
#[derive(Clone, Debug, Default)]
pub struct Proposed {
    sequences: Vec<Vec<Vec<Edit>>>,
    alternatives: Vec<Vec<Edit>>,
}

impl Proposed {
    /// Nothing so far.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a sequence of units of which any subset may go, in the order of the text. A unit is the edits that take it
    /// out, made together. The engine decides which runs of units to try.
    #[must_use]
    pub fn any_of(mut self, units: impl IntoIterator<Item = Vec<Edit>>) -> Self {
        self.sequences.push(units.into_iter().collect());
        self
    }

    /// Adds alternatives, of which at most one is taken before the pass is asked again. Each is one or more edits, made
    /// together. What saves most is tried first.
    #[must_use]
    pub fn one_of(mut self, alternatives: impl IntoIterator<Item = Vec<Edit>>) -> Self {
        self.alternatives.extend(alternatives);
        self
    }
}

/// What tests are counted under that no pass asks for.
const RESERVED: [&str; 2] = ["baseline", "confirmation"];

/// The caller's own passes, in the order in which they have their turn within a stage.
#[derive(Clone, Default)]
pub struct CustomPasses(Vec<Arc<dyn CustomPass>>);

impl CustomPasses {
    /// Adds one.
    pub fn push(&mut self, pass: impl CustomPass + 'static) {
        self.0.push(Arc::new(pass));
    }

    /// Whether every name is that of one pass only.
    pub(super) fn check(&self) -> Result<(), ReduceError> {
        let names: Vec<_> = self.0.iter().map(|pass| pass.name()).collect();
        let taken = |at: &usize| {
            let name = names[*at];
            let is_ours = Pass::named(name).is_some() || RESERVED.contains(&name);
            is_ours || Pass::ALL.iter().any(|pass| pass.stage().name() == name) || names[..*at].contains(&name)
        };
        match (0..names.len()).find(taken) {
            Some(at) => Err(ReduceError::PassName(names[at])),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for CustomPasses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|pass| pass.name())).finish()
    }
}

/// Edits that are made together, what they save, and how they are remembered when they are refused.
struct Asked {
    edits: Vec<Edit>,
    tokens: i64,
    gain: Gain,
    memo: u64,
}

impl Reducer<'_, '_> {
    /// Gives the caller's passes of some stages their turn; `true` if one of them found something.
    pub(super) fn custom(&mut self, stages: impl Fn(Stage) -> bool) -> Result<bool, Halt> {
        let before = self.weight();
        let options = self.options;
        for pass in options.custom.0.iter().filter(|pass| stages(pass.stage())) {
            loop {
                let before = self.weight();
                self.custom_pass(&**pass)?;
                if self.weight() >= before {
                    break;
                }
            }
        }
        Ok(self.weight() < before)
    }

    /// Asks about what a pass proposes on the text as it is: the sequences, or an alternative if nothing of them went.
    fn custom_pass(&mut self, pass: &dyn CustomPass) -> Result<(), Halt> {
        let (sequences, alternatives) = self.asked(pass);
        if sequences.is_empty() && alternatives.is_empty() {
            return Ok(());
        }
        self.session.enter_pass(pass.name(), self.round)?;
        let mut found = false;
        for units in sequences {
            found |= self.any_of(units)?;
        }
        if !found {
            self.one_of(pass.name(), alternatives)?;
        }
        self.rebase()
    }

    /// What a pass proposes that would be a gain and has not been refused.
    fn asked(&self, pass: &dyn CustomPass) -> (Vec<Vec<Asked>>, Vec<Asked>) {
        let (text, prefer) = (self.current().source(), self.options.prefer);
        let grammar = self.tools.as_ref().map(|tools| tools.grammar);
        let document = grammar.map(|_| self.current().document());
        let Proposed { sequences, alternatives } = pass.propose(&Snapshot { text, document, grammar });
        let mut occurrences: HashMap<u64, u32> = HashMap::new();
        let mut ask = |edits: Vec<Edit>| {
            let is_inside = edits.iter().all(|edit| edit.start <= edit.end && edit.end <= text.len());
            assert!(is_inside, "the pass {} proposes an edit outside the text: {edits:?}", pass.name());
            let tokens = edits.iter().map(|edit| tokens_saved(text, document, edit)).sum();
            let gain = Gain::by(text, &edits);
            // Equal texts are told apart by their order: their places change with every other edit.
            let print = print(pass.name(), text, &edits);
            let occurrence = occurrences.entry(print).or_default();
            *occurrence += 1;
            let memo = print.wrapping_add(u64::from(*occurrence));
            let asked = Asked { edits, tokens, gain, memo };
            let is_new = !self.session.is_proposal_refused(memo);
            let is_wanted = is_new && asked.order(prefer) > (0, 0, 0) && !self.current().edits_touch_kept(&asked.edits);
            is_wanted.then_some(asked)
        };
        let sequences = sequences.into_iter().map(|units| units.into_iter().filter_map(&mut ask).collect());
        let sequences = sequences.filter(|units: &Vec<Asked>| !units.is_empty()).collect();
        let mut alternatives: Vec<_> = alternatives.into_iter().filter_map(ask).collect();
        alternatives.sort_by_key(|asked| std::cmp::Reverse(asked.order(prefer)));
        (sequences, alternatives)
    }

    /// Sweeps over the units of a sequence; `true` if one went.
    fn any_of(&mut self, asked: Vec<Asked>) -> Result<bool, Halt> {
        let memos: Vec<_> = asked.iter().map(|unit| unit.memo).collect();
        let units = asked.into_iter().map(|unit| Unit {
            removal: Removal::Edits(unit.edits),
            tokens: u32::try_from(unit.tokens.max(0)).unwrap_or(u32::MAX),
            cleared: false,
        });
        let sequence = Sequence { kind: list_kind::CUSTOM, depth: NO_DEPTH, units: units.collect(), rules: Vec::new() };
        let mut sweep = self.new_sweep(sequence);
        self.finish(&mut sweep)?;
        let tokens = self.tokens();
        sweep.kept().for_each(|unit| self.session.refuse_proposal(memos[unit], tokens));
        Ok(sweep.removed_count() > 0)
    }

    /// Takes the first alternative that is interesting.
    fn one_of(&mut self, pass: &'static str, asked: Vec<Asked>) -> Result<(), Halt> {
        let tokens = self.tokens();
        let mut alternatives = Alternatives { pass, asked };
        let mut ordered = Ordered::new(&mut alternatives, Until::First);
        self.session.pursue(&mut ordered)?;
        let first = ordered.first();
        let asked = alternatives.asked;
        let refused = &asked[..first.unwrap_or(asked.len())];
        refused.iter().for_each(|asked| self.session.refuse_proposal(asked.memo, tokens));
        Ok(())
    }
}

impl Asked {
    /// What counts most first.
    fn order(&self, prefer: Prefer) -> (i64, i64, i64) {
        let Gain { bytes, lines } = self.gain;
        match prefer {
            Prefer::Tokens => (self.tokens, bytes, 0),
            Prefer::Bytes => (bytes, self.tokens, 0),
            Prefer::Lines => (lines, self.tokens, bytes),
        }
    }
}

fn tokens_saved(text: &[u8], document: Option<&Document>, edit: &Edit) -> i64 {
    let range = edit.start..edit.end;
    let before =
        document.map_or_else(|| count_words(&text[range.clone()]), |document| document.tokens_in(range.clone()));
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    count(before) - count(count_words(&edit.text))
}

fn print(pass: &str, text: &[u8], edits: &[Edit]) -> u64 {
    let parts: Vec<_> = edits.iter().map(|edit| (&text[edit.start..edit.end], &edit.text, edit.raw)).collect();
    memory::memo(("custom", pass, parts))
}

/// Single edits, in the order in which they are tried.
struct Alternatives {
    pass: &'static str,
    asked: Vec<Asked>,
}

impl Row for Alternatives {
    type Item = ();

    fn len(&self) -> usize {
        self.asked.len()
    }

    fn make(&mut self, at: usize, current: &Current<'_>) -> ((), Candidate) {
        let removal = Removal::Edits(self.asked[at].edits.clone());
        ((), current.candidate(std::iter::once(&removal), false))
    }

    fn takes(&mut self, (): &(), _: &Candidate) -> bool {
        true
    }

    fn describe(&self, (): &()) -> String {
        format!("an alternative of {}", self.pass)
    }
}
