//! The state that all stages share: the session, the options, the tools for a tree, and the evidence.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use lop_engine::Config;
use lop_grammar::SweepOrder;
use lop_passes::{Cascade, Coupled, Facts, Pass, Prefer, Sequence, Tolerance};
use lop_syntax::{Document, Stop, SyntaxParser};

use super::current::Current;
use super::event::Event;
use super::evidence::Evidence;
use super::experience::Experience;
use super::gate::Gate;
use super::interrupt::Interrupt;
use super::necessity::Necessity;
use super::options::{Effort, Minimal, Options, Schedule};
use super::outlook::Prospect;
use super::parsing::Tools;
use super::payoff::{LeftOut, Payoff};
use super::project::Project;
use super::session::{Saved, Session};
use super::size::Size;
use super::sweep::SequenceSweep;
use crate::steps::MINIMALITY;

/// A test is worth one hundredth of the text.
const GOOD_SHARE: u64 = 100;

/// Goes through the rest of a reduction.
type Rest<'a, 'g> = Arc<dyn Fn(&mut Reducer<'a, 'g>) + Send + Sync + 'a>;

/// A step of a plan.
type Step<'a, 'g> = fn(&mut Reducer<'a, 'g>) -> Result<bool, Interrupt>;

/// Goes through something, and then the rest.
fn chain<'a, 'g: 'a>(
    first: impl Fn(&mut Reducer<'a, 'g>) -> Result<(), Interrupt> + Send + Sync + 'a,
    rest: Rest<'a, 'g>,
) -> Rest<'a, 'g> {
    Arc::new(move |reducer| {
        if first(reducer).is_ok() {
            reducer.couples = false;
            reducer.session.couple(None);
            reducer.rest = Some(Arc::clone(&rest));
            rest(reducer);
        }
    })
}

/// The state that every stage works with.
pub(super) struct Reducer<'a, 'g: 'a, S = Session<'a, 'g>> {
    pub(super) session: S,
    pub(super) options: &'a Options,
    /// The signal for a parser to stop.
    pub(super) stop: Stop,
    pub(super) input: Input,
    /// The files of the text, if it is made of several.
    pub(super) project: Option<&'g Project>,
    /// There are none for a text without a tree.
    pub(super) tools: Option<Tools<'g>>,
    /// The evidence for the language of the current text.
    pub(super) evidence: Evidence,
    /// The evidence for the languages of other parts of the text.
    pub(super) other_languages: BTreeMap<String, Evidence>,
    pub(super) round: usize,
    /// Whether a candidate that removes the last reference to a definition removes the definition, too, if the test
    /// refuses it otherwise.
    pub(super) couples: bool,
    pub(super) second_looks: SecondLooks,
    /// Tests of removing two parts at once.
    pub(super) two_parts_tests: u64,
    pub(super) findings: Findings,
    /// The experience with each proposer.
    pub(super) experience: Vec<Experience>,
    /// The rest of the reduction after the last checkpoint.
    pub(super) rest: Option<Rest<'a, 'g>>,
}

/// The properties of the input that the result must share.
#[derive(Clone, Copy)]
pub(super) struct Input {
    /// Whether it ends with a line break, as its result shall.
    pub(super) ends_line: bool,
}

/// A second look asks about all edits again.
#[derive(Clone, Default)]
pub(super) struct SecondLooks {
    /// During one, the tests that it may still take.
    pub(super) left: Option<usize>,
    /// Tests that those before have taken.
    pub(super) tests: u64,
}

/// Further findings on the result, for the report.
#[derive(Clone, Default)]
pub(super) struct Findings {
    /// Texts that stayed only because a test without them took too long.
    pub(super) kept_by_timeout: Vec<String>,
    /// Why the tokens stay, from before the text was finished; of several files for each language.
    pub(super) necessity: BTreeMap<String, Necessity>,
    /// The edits that were too unlikely to pay off, by pass.
    pub(super) left_out: LeftOut,
    /// Whether a formatter has changed more of it than its blanks.
    pub(super) is_written_anew: bool,
}

impl<'a, 'g> Reducer<'a, 'g> {
    /// Lets speculation continue with `rest` from here.
    pub(super) fn begin(&mut self, rest: impl Fn(&mut Reducer<'a, 'g>) + Send + Sync + 'a) -> Result<(), Interrupt> {
        self.rest = Some(Arc::new(rest));
        self.checkpoint()
    }

    /// Makes a step that speculation puts before the rest.
    pub(super) fn within(&mut self, step: Step<'a, 'g>) -> Result<bool, Interrupt> {
        let before = self.rest.clone();
        if self.session.looks_ahead() {
            self.rest = before.clone().map(|rest| chain(move |reducer| step(reducer).map(|_| ()), rest));
        }
        let result = self.checkpoint().and_then(|()| step(self));
        self.rest = before;
        // Copies continue with the rest, which begins before this step.
        self.session.leave_course();
        result
    }

    /// Lets speculation continue with a step on a state, and then with the following steps. Without speculation nothing
    /// is copied: a state can hold thousands of lists.
    pub(super) fn checkpoint_with<S: Clone + Send + Sync + 'a>(
        &mut self,
        state: &S,
        first: impl Fn(&mut Reducer<'a, 'g>, S) -> Result<(), Interrupt> + Send + Sync + 'a,
    ) -> Result<(), Interrupt> {
        let is_copied = self.session.looks_ahead() && !self.session.is_behind();
        let Some(rest) = self.rest.clone().filter(|_| is_copied) else { return self.checkpoint() };
        let (after, state) = (Arc::clone(&rest), state.clone());
        let first = move |reducer: &mut Reducer<'a, 'g>| {
            reducer.rest = Some(Arc::clone(&after));
            first(reducer, state.clone())
        };
        self.rest = Some(chain(first, Arc::clone(&rest)));
        let result = self.checkpoint();
        self.rest = Some(rest);
        result
    }

    /// Lets speculation continue with the rest on the current state, although that begins the whole step again, if copies
    /// would have many legs to take over otherwise.
    pub(super) fn checkpoint_if_far(&mut self) -> Result<(), Interrupt> {
        if self.session.is_far() { self.checkpoint() } else { Ok(()) }
    }

    /// Does work that takes long and depends on the state alone. Copies that continue after it take over its result.
    pub(super) fn once<T: Clone + Send + Sync + 'static>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(known) = self.session.take_result() {
            return Arc::unwrap_or_clone(known);
        }
        let result = Arc::new(work(self));
        self.session.keep_result(&result);
        Arc::unwrap_or_clone(result)
    }

    /// Lets speculation continue with the rest on the current state.
    pub(super) fn checkpoint(&mut self) -> Result<(), Interrupt> {
        if self.session.is_behind() {
            return Ok(());
        }
        let Some(rest) = self.rest.clone().filter(|_| self.session.looks_ahead()) else {
            self.session.forget_checkpoint();
            return Ok(());
        };
        let saved: Reducer<'a, 'g, Saved<'a, 'g>> = self.with_session(self.session.with_link(()));
        // Trial parses have the same results in every branch.
        let shapes = Mutex::new(None);
        self.session.set_checkpoint(Arc::new(move |branch, course| {
            let mut copy = saved.with_session(saved.session.in_branch(branch));
            copy.session.follow(course);
            copy.rest = Some(Arc::clone(&rest));
            let known = || shapes.lock().unwrap_or_else(PoisonError::into_inner);
            if let (Some(tools), Some(shapes)) = (&mut copy.tools, known().take()) {
                tools.shapes = shapes;
            }
            rest(&mut copy);
            if let Some(tools) = copy.tools {
                *known() = Some(tools.shapes);
            }
        }))
    }
}

impl<'a, 'g: 'a, S> Reducer<'a, 'g, S> {
    /// Copies the state with another session.
    fn with_session<T>(&self, session: T) -> Reducer<'a, 'g, T> {
        Reducer {
            session,
            options: self.options,
            stop: Arc::clone(&self.stop),
            input: self.input,
            project: self.project,
            tools: self.tools.clone(),
            evidence: self.evidence.clone(),
            other_languages: self.other_languages.clone(),
            round: self.round,
            couples: self.couples,
            second_looks: self.second_looks.clone(),
            two_parts_tests: self.two_parts_tests,
            findings: self.findings.clone(),
            experience: self.experience.clone(),
            rest: None,
        }
    }
}

impl<'g> Reducer<'_, 'g> {
    /// Returns the best result with the tree and edits that make it.
    pub(super) fn current(&self) -> &Current<'g> {
        self.session.current()
    }

    /// Whether the current text ends with a line break in a pretty result. A script inside a page doesn't.
    pub(super) fn ends_line(&self) -> bool {
        self.input.ends_line && !self.current().is_inside_another()
    }

    /// Whether the tree belongs to a text in no language: there a bracket or a quote needs no partner, and a blank is a
    /// part like any other.
    pub(super) fn is_of_any_text(&self) -> bool {
        self.tools.as_ref().is_some_and(|tools| tools.grammar.is_of_any_text())
    }

    /// The parts that the guarantee on the result is about.
    pub(super) fn minimal(&self) -> Minimal {
        if !self.allows_step(&MINIMALITY) || self.options.effort == Effort::Fast || self.findings.is_written_anew {
            return Minimal::None;
        }
        let has_language = self.tools.is_some() && !self.is_of_any_text();
        let default = if has_language || self.project.is_some() { Minimal::Token } else { Minimal::Char };
        self.options.minimal.unwrap_or(default)
    }

    /// Returns the number of tokens of the best result for memory keys and priorities.
    pub(super) fn tokens(&self) -> usize {
        self.session.size().tokens
    }

    /// The weight that must fall for a stage to be repeated: the size, the preferred measure first.
    pub(super) fn weight(&self) -> (usize, usize, usize) {
        let Size { bytes, tokens, lines } = self.session.size();
        match self.options.prefer {
            Prefer::Tokens => (tokens, bytes, 0),
            Prefer::Bytes => (bytes, tokens, 0),
            Prefer::Lines => (lines, tokens, bytes),
        }
    }

    /// The measure of what one more test must promise.
    pub(super) fn payoff(&self) -> Payoff {
        Payoff::of(self.session.size(), self.session.tests(), self.options.effort)
    }

    /// Whether a pass runs.
    pub(super) fn allows(&self, pass: &dyn Pass) -> bool {
        self.allows_step(&pass.facts())
    }

    /// Whether a step runs: a pass, or one of the driver's own steps.
    pub(super) fn allows_step(&self, step: &Facts) -> bool {
        self.options.passes.allow(step.name) && !self.session.skips(step.name)
    }

    /// Forgets all refusals, in all languages.
    pub(super) fn forget_refusals(&mut self) {
        self.session.forget_refusals();
        self.evidence.classes.forget_refusals();
        self.other_languages.clear();
    }

    /// Begins again from the best result.
    pub(super) fn start_over(&mut self) {
        self.tools = None;
        self.session.forget_tree();
        self.findings = Findings::default();
    }

    /// Returns a sequence without the parts that the user wants to keep.
    pub(super) fn spared(&self, sequence: Option<Sequence>) -> Option<Sequence> {
        sequence.and_then(|sequence| self.current().spare(sequence))
    }

    /// A sweep in the order that the grammar or the seed gives.
    pub(super) fn new_sweep(&self, sequence: Sequence) -> SequenceSweep {
        let order = match (&self.tools, u16::try_from(sequence.kind)) {
            (Some(tools), Ok(kind)) => tools.grammar.order(kind),
            _ => SweepOrder::default(),
        };
        SequenceSweep::new(sequence, &self.config(), &self.evidence.knowledge, order, self.options.seed)
    }

    /// The engine's parameters for a list.
    pub(super) fn config(&self) -> Config {
        Config { empty_known_uninteresting: false, ..self.options.engine.clone() }
    }

    /// Runs a sweep to its end and learns from it.
    pub(super) fn finish(&mut self, sweep: &mut SequenceSweep) -> Result<(), Interrupt> {
        self.go_on_with(sweep, usize::MAX)
    }

    /// Runs a sweep until `most_needed` units of it were found needed, and learns from it.
    pub(super) fn go_on_with(&mut self, sweep: &mut SequenceSweep, most_needed: usize) -> Result<(), Interrupt> {
        self.couple();
        self.look_ahead(std::iter::empty());
        let before = (sweep.removed_count(), sweep.undecided());
        let result = sweep.pursue(&mut self.session, most_needed);
        sweep.teach(&mut self.evidence.knowledge);
        let kind = self.evidence.kinds.entry(sweep.sequence.kind).or_default();
        kind.0 += (sweep.removed_count() - before.0) as u64;
        kind.1 += (before.1 - sweep.undecided()) as u64;
        result
    }

    /// Whether `tokens` are worth `tests`, so that the passes before the lists continue.
    pub(super) fn pays_off(&self, tokens: u64, tests: u64) -> bool {
        tokens * GOOD_SHARE >= self.tokens() as u64 * tests
    }

    /// Gives the session the estimate for the time after the next questions, with the waiting lists (kind, depth and
    /// number of units of each), if the sink shows it.
    pub(super) fn look_ahead(&mut self, waiting: impl Iterator<Item = (u32, u32, usize)>) {
        if self.session.wants_prospect() {
            let is_last = self.minimal() == Minimal::None || self.session.is_in(MINIMALITY.name);
            let tokens = if is_last { 0 } else { self.tokens() };
            self.session.set_prospect(Prospect::new(&self.evidence.knowledge, &self.options.engine, waiting, tokens));
        }
    }

    /// Parses the best result again and continues from there. A text that doesn't parse any more, which the gate
    /// usually prevents, is reduced without a tree.
    pub(super) fn rebase(&mut self) -> Result<(), Interrupt> {
        let takes_long = self.tools.is_some() && self.current().is_edited();
        if takes_long && self.session.take_state() {
            return Ok(());
        }
        let parser = self.tools.as_mut().map(|tools| &mut tools.parser);
        if self.session.rebase(parser).is_err() {
            self.session.check_limits()?;
            self.session.emit(&Event::Note("the best result does not parse any more; continuing as text"))?;
            self.tools = None;
            if self.options.syntax.is_none() {
                self.session.set_gate(None);
            }
        } else if takes_long {
            self.session.keep_state();
        }
        Ok(())
    }

    /// Gives the reducer a tree of the best result.
    pub(super) fn plant(&mut self, document: Document, mut tools: Tools<'g>, gate: SyntaxParser) {
        tools.brackets.learn(&document);
        let Options { syntax, allow_syntax_errors: loose, .. } = *self.options;
        let gate = (!loose || syntax.is_some()).then(|| Gate::new(gate, &document, syntax, loose));
        self.session.plant(document, tools.grammar, gate);
        self.session.count_tokens();
        self.tools = Some(tools);
    }

    /// Whether the schedule is plain hierarchical delta debugging.
    pub(super) fn by_levels(&self) -> bool {
        self.options.schedule == Schedule::Levels
    }

    /// Whether definitions of some kind are refused when nothing refers to them.
    pub(super) fn refuses_unused(&self) -> bool {
        let Some(tools) = self.tools.as_ref().filter(|_| self.allows(&Coupled)) else { return false };
        tools.grammar.refuses_unused() || self.evidence.unused.are_refused()
    }

    /// Runs a step in which a candidate that removes the last reference to a definition removes the definition, too.
    pub(super) fn coupled<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T, Interrupt>) -> Result<T, Interrupt> {
        let before = std::mem::replace(&mut self.couples, true);
        let result = part(self);
        self.couples = before;
        if !before {
            // The next code that makes candidates may not ask for its own coupling.
            self.session.couple(None);
        }
        result
    }

    /// Sets the definitions that candidates remove along with their references.
    pub(super) fn couple(&mut self) {
        if !self.couples || !self.refuses_unused() {
            self.session.couple(None);
        } else if !self.current().knows_coupling() {
            let Some(tools) = &mut self.tools else { return };
            let (current, unused, grammar) = (self.session.current(), &self.evidence.unused, tools.grammar);
            let document = current.document();
            let is_refused = |node| unused.tolerance(Some(grammar), document.node(node).kind) == Tolerance::Refused;
            let may_go = |node| is_refused(node) && !current.node_is_kept(node);
            let cascade = Cascade::of(document, grammar, &mut tools.shapes, may_go);
            self.session.couple(Some(cascade));
        }
    }
}
