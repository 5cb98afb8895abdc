//! The reducer: everything a stage needs, and the order of the stages.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::engine::{Algorithm, Config, Knowledge};
use crate::grammar::{Grammar, SweepOrder};
use crate::passes::{
    Blanks, Characters, Comments, Lines, Minimality, Pass, Prefer, Removal, Sequence, Stage, Tokens, Words,
    blank_words, comment_lines, comment_words,
};
use crate::syntax::{Document, Edit, Stop, SyntaxParser};

use super::classes::Classes;
use super::current::Current;
use super::event::Event;
use super::gate::Gate;
use super::halt::Halt;
use super::learnt::Learnt;
use super::memory::memo;
use super::necessity::Necessity;
use super::options::{Effort, Minimal, Options, Order, Schedule};
use super::ordered::first_interesting;
use super::outlook::Prospect;
use super::parsing::Tools;
use super::session::Session;
use super::size::Size;
use super::sweep::Sweep;
use super::unused::Unused;

/// Rounds of everything after which even a result that still shrinks is left alone; a round that
/// removes nothing ends the loop long before.
pub(super) const MAX_ROUNDS: usize = 50;
/// Second looks take at most one of this number of tests.
const SECOND_LOOKS: u64 = 10;
/// Units found needed after which a sweep over lines or words looks whether the text is short enough.
const LINES_SLICE: usize = 64;

/// What a stage works with.
pub(super) struct Reducer<'a, 'g> {
    pub(super) session: Session<'a, 'g>,
    pub(super) options: &'a Options,
    /// Whether a parser is to stop.
    pub(super) stop: Stop,
    /// What takes the place of lop's engine.
    pub(super) algorithm: Option<Rc<dyn Algorithm>>,
    pub(super) knowledge: Knowledge,
    /// Bytes of the input.
    pub(super) input_len: usize,
    /// Whether the input ends with a line break, as its result shall.
    pub(super) ends_line: bool,
    pub(super) tools: Option<Tools<'g>>,
    /// Units gone and units asked about, per kind of list.
    pub(super) kinds: BTreeMap<u32, (u64, u64)>,
    /// Local edits: what was accepted and refused per class.
    pub(super) classes: Classes,
    /// What is known of definitions that nothing refers to.
    pub(super) unused: Unused,
    /// Whether definitions go along with the last that refers to them, where the test refuses them else.
    pub(super) couples: bool,
    /// During a second look, which asks about all others again, the tests that it may still take.
    pub(super) second_look: Option<usize>,
    /// Tests that second looks have taken.
    pub(super) looked: u64,
    pub(super) round: usize,
    pub(super) kept_by_timeout: Vec<String>,
    /// What was learnt of the languages that parts of the text are in.
    pub(super) learnt: BTreeMap<String, Learnt>,
    /// Why the tokens stay, from before the text was finished.
    pub(super) necessity: Option<Necessity>,
}

impl<'g> Reducer<'_, 'g> {
    /// The best result with what it is made of.
    pub(super) fn current(&self) -> &Current<'g> {
        self.session.current()
    }

    /// What the result is guaranteed to be minimal in.
    pub(super) fn minimal(&self) -> Minimal {
        if !self.allows(&Minimality) || self.options.effort == Effort::Fast {
            return Minimal::None;
        }
        let default = if self.tools.is_some() { Minimal::Token } else { Minimal::Char };
        self.options.minimal.unwrap_or(default)
    }

    /// Tokens of the best result, as far as memos and priorities are concerned.
    pub(super) fn tokens(&self) -> usize {
        self.session.size().tokens
    }

    /// What has to fall for a stage to be repeated: the size, what counts most first.
    pub(super) fn weight(&self) -> (usize, usize, usize) {
        let Size { bytes, tokens, lines } = self.session.size();
        match self.options.prefer {
            Prefer::Tokens => (tokens, bytes, 0),
            Prefer::Bytes => (bytes, tokens, 0),
            Prefer::Lines => (lines, tokens, bytes),
        }
    }

    /// Whether a pass has its turn.
    pub(super) fn allows(&self, pass: &dyn Pass) -> bool {
        self.options.passes.allow(pass.name()) && !self.session.skips(pass.name())
    }

    /// Reduces to the fixpoint; a thorough reduction does so again, with all refusals forgotten, until
    /// that changes nothing.
    pub(super) fn run(&mut self) -> Result<(), Halt> {
        loop {
            let before = self.weight();
            self.run_once()?;
            if self.options.effort != Effort::Thorough || self.weight() >= before || self.round >= MAX_ROUNDS {
                return Ok(());
            }
            self.forget_refusals();
        }
    }

    fn run_once(&mut self) -> Result<(), Halt> {
        if self.tools.is_some() {
            self.run_on_tree()?;
        }
        // Without a grammar, or when the text no longer parses.
        if self.tools.is_none() { self.run_on_text() } else { Ok(()) }
    }

    /// The empty text is interesting and wanted.
    pub(super) fn take_empty(&mut self) -> Result<(), Halt> {
        let everything = Removal::Edits(vec![Edit::delete(0..self.current().source().len())]);
        let nothing = |_, current: &Current<'_>| current.candidate(std::iter::once(&everything), true);
        first_interesting(&mut self.session, 1, "everything", nothing).map(|_| ())
    }

    fn run_on_tree(&mut self) -> Result<(), Halt> {
        #[cfg(feature = "lab")]
        if let Some(algorithm) = self.options.algorithm.on_tree() {
            return self.run_on_tree_by(algorithm);
        }
        self.skippable(|reducer| reducer.sweep_over(&Comments))?;
        self.skippable(|reducer| reducer.turns(|stage| stage == Stage::First))?;
        self.skippable(Self::error_shells)?;
        self.skippable(Self::deep_nesting)?;
        if self.options.effort == Effort::Fast {
            self.round += 1;
            self.skippable(Self::delete)?;
            self.skippable(Self::local_edits)?;
            self.skippable(|reducer| reducer.sweep_over(&Tokens))?;
            if self.tools.is_some() {
                self.skippable(Self::embedded)?;
            }
            return self.skippable(|reducer| reducer.turns_of_own(|stage| stage > Stage::LocalEdits)).map(|_| ());
        }
        while self.tools.is_some() {
            self.round += 1;
            if self.skippable(Self::one_round)? && self.round < MAX_ROUNDS {
                continue;
            }
            if self.tools.is_some() && self.skippable(Self::embedded)? && self.round < MAX_ROUNDS {
                continue;
            }
            if self.tools.is_some() && self.skippable(Self::take_second_look)? && self.round < MAX_ROUNDS {
                continue;
            }
            if self.tools.is_some() && self.skippable(Self::verify)? && self.round < MAX_ROUNDS {
                continue;
            }
            if self.tools.is_none()
                || !self.skippable(Self::finish_text)?
                || !self.verifies_again()
                || !self.skippable(Self::verify)?
            {
                return Ok(());
            }
            if self.round >= MAX_ROUNDS {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Each stage has its turn when those before it have found nothing; `true` as soon as one has.
    pub(super) fn one_round(&mut self) -> Result<bool, Halt> {
        let before = self.weight();
        self.shrink()?;
        self.sweep_over(&Tokens)?;
        if self.weight() < before {
            return Ok(true);
        }
        // Windows and pairs know nothing of the language: what rules can do is cheaper by them.
        if self.coupled(|reducer| reducer.turn(Stage::Rules))? {
            return Ok(true);
        }
        // What matters may sit in a definition that nothing refers to.
        if self.refuses_unused() {
            self.sibling_lists()?;
            if self.weight() < before {
                return Ok(true);
            }
        }
        // Nor do windows and pairs know what refers to what.
        if self.turn_of_coupled()? {
            return Ok(true);
        }
        for stage in [Stage::Tokens, Stage::Late] {
            if self.turn(stage)? {
                return Ok(true);
            }
        }
        self.characters_pass()?;
        self.turns(|stage| stage >= Stage::Characters)?;
        Ok(self.weight() < before)
    }

    /// Asks again about edits that were refused when the text was another one, those that promise most first: what is
    /// left now may do without what it needed then. `true` if the text has changed.
    fn take_second_look(&mut self) -> Result<bool, Halt> {
        let tests = self.session.tests();
        let left = (tests / SECOND_LOOKS).saturating_sub(self.looked);
        if left == 0 || self.options.effort == Effort::Thorough {
            // A thorough reduction forgets all refusals anyway.
            return Ok(false);
        }
        let before = Arc::clone(self.session.best());
        self.second_look = Some(usize::try_from(left).unwrap_or(usize::MAX));
        let result = self.edit_again();
        self.second_look = None;
        self.looked += self.session.tests() - tests;
        result?;
        Ok(before != *self.session.best())
    }

    /// Forgets what was refused, in all languages.
    pub(super) fn forget_refusals(&mut self) {
        self.session.forget_refusals();
        self.classes.forget_refusals();
        self.learnt.clear();
    }

    /// Begins again from the best result.
    pub(super) fn start_over(&mut self) {
        self.tools = None;
        self.session.forget_tree();
        self.kept_by_timeout.clear();
        self.necessity = None;
    }

    /// Runs a part of the reduction, and again when a pass is skipped meanwhile: without that pass, and without what
    /// was asked before.
    pub(super) fn skippable<T>(&mut self, part: impl Fn(&mut Self) -> Result<T, Halt>) -> Result<T, Halt> {
        loop {
            match part(self) {
                Err(Halt::Skipped) if self.tools.is_some() => {
                    self.session.keep_shape(false);
                    self.rebase()?;
                }
                result => return result,
            }
        }
    }

    /// Deletion and local edits, while they make the text smaller.
    fn shrink(&mut self) -> Result<(), Halt> {
        loop {
            self.delete()?;
            let before = self.weight();
            self.local_edits()?;
            if self.weight() >= before {
                return Ok(());
            }
        }
    }

    fn run_on_text(&mut self) -> Result<(), Halt> {
        if let Some(tree) = self.options.algorithm.on_tree() {
            let name = tree.name();
            self.session.emit(&Event::Note(&format!(
                "{name} works on trees and this is text; what it does on lists is done to lines, words and characters"
            )))?;
        }
        loop {
            self.round += 1;
            let before = self.weight();
            self.sweep_text()?;
            self.turns(|_| true)?;
            if self.options.effort == Effort::Fast {
                return Ok(());
            }
            if self.weight() < before && self.round < MAX_ROUNDS {
                continue;
            }
            if !self.verify()? || self.round >= MAX_ROUNDS {
                return Ok(());
            }
        }
    }

    /// Works on lines, then on words, until the text is at most `most` bytes long or no more go.
    pub(super) fn shrink_until(&mut self, most: usize) -> Result<(), Halt> {
        self.shrink_by(&Lines, most)?;
        self.shrink_by(&Words, most)
    }

    fn shrink_by(&mut self, pass: &dyn Pass, most: usize) -> Result<(), Halt> {
        if self.session.size().bytes > most {
            self.session.enter_pass(pass.name(), 0)?;
        }
        while self.session.size().bytes > most {
            let before = self.weight();
            let sequence = self.sequences_of(pass).pop();
            let Some(sequence) = self.spared(sequence) else { break };
            let mut sweep = self.new_sweep(sequence);
            while !sweep.is_finished() && self.session.size().bytes > most {
                let needed = sweep.needed();
                let result = sweep.pursue(&mut self.session, needed + LINES_SLICE);
                sweep.teach(&mut self.knowledge);
                result?;
            }
            self.rebase()?;
            if self.weight() >= before {
                break;
            }
        }
        Ok(())
    }

    /// The lines, the words and the characters of a text without a tree.
    pub(super) fn sweep_text(&mut self) -> Result<(), Halt> {
        for pass in [&Lines as &dyn Pass, &Words, &Characters] {
            self.sweep_over(pass)?;
        }
        Ok(())
    }

    /// The characters of ERROR regions, literals, comments and leftovers.
    fn characters_pass(&mut self) -> Result<(), Halt> {
        // A comment that has to stay may be a page long.
        self.comments_inside(&Characters, comment_lines)?;
        self.comments_inside(&Characters, comment_words)?;
        // Where only its width counts, a question for each of its characters would be in vain.
        self.comments_inside(&Blanks, blank_words)?;
        self.sweep_over(&Characters).map(|_| ())
    }

    /// What could change in all comments, unless that was asked when the text was not much larger.
    fn comments_inside(
        &mut self,
        pass: &dyn Pass,
        parts: fn(&Document, &Grammar) -> Option<Sequence>,
    ) -> Result<(), Halt> {
        let Some(tools) = self.tools.as_ref().filter(|_| self.allows(pass)) else { return Ok(()) };
        let Some(sequence) = self.spared(parts(self.current().document(), tools.grammar)) else { return Ok(()) };
        let memo = memo(("comments", pass.name(), sequence.kind));
        if self.session.is_proposal_refused(memo) {
            return Ok(());
        }
        self.session.enter_pass(pass.name(), self.round)?;
        let mut sweep = self.new_sweep(sequence);
        self.finish(&mut sweep)?;
        self.session.refuse_proposal(memo, self.tokens());
        self.rebase()
    }

    /// A sequence without what the user wants kept.
    pub(super) fn spared(&self, sequence: Option<Sequence>) -> Option<Sequence> {
        sequence.and_then(|sequence| self.current().spare(sequence))
    }

    /// A sweep in the order that the user or the grammar wants.
    pub(super) fn new_sweep(&self, sequence: Sequence) -> Sweep {
        let order = match (self.options.order, &self.tools, u16::try_from(sequence.kind)) {
            (Order::Grammar, Some(tools), Ok(kind)) if tools.grammar.order(kind) == SweepOrder::Forward => {
                Order::Forward
            }
            (order, ..) => order,
        };
        match &self.algorithm {
            Some(algorithm) => Sweep::by(Rc::clone(algorithm), sequence, order, self.options.seed),
            None => Sweep::new(sequence, &self.config(), &self.knowledge, order, self.options.seed),
        }
    }

    /// The engine's parameters for a list.
    pub(super) fn config(&self) -> Config {
        Config { empty_known_uninteresting: false, ..self.options.engine.clone() }
    }

    /// Runs a sweep to its end and learns from it.
    pub(super) fn finish(&mut self, sweep: &mut Sweep) -> Result<(), Halt> {
        self.couple();
        self.look_ahead(std::iter::empty());
        let result = sweep.pursue(&mut self.session, usize::MAX);
        sweep.teach(&mut self.knowledge);
        let kind = self.kinds.entry(sweep.sequence.kind).or_default();
        kind.0 += sweep.removed_count() as u64;
        kind.1 += (sweep.sequence.units.len() - sweep.undecided()) as u64;
        result
    }

    /// Tells the session what comes after what is asked about next, with the lists that wait (kind, depth and units of
    /// each), if somebody wants to know.
    pub(super) fn look_ahead(&mut self, waiting: impl Iterator<Item = (u32, u32, usize)>) {
        if self.session.wants_prospect() {
            let is_last = self.minimal() == Minimal::None || self.session.is_in(Minimality.name());
            let tokens = if is_last { 0 } else { self.tokens() };
            self.session.set_prospect(Prospect::new(&self.knowledge, &self.options.engine, waiting, tokens));
        }
    }

    /// Parses the best result anew and goes on from there. A text that no longer parses (which the
    /// gate prevents where it is asked) is worked on as it is.
    pub(super) fn rebase(&mut self) -> Result<(), Halt> {
        let parser = self.tools.as_mut().map(|tools| &mut tools.parser);
        if self.session.rebase(parser).is_err() {
            self.session.check_limits()?;
            self.session.emit(&Event::Note("the best result does not parse any more; going on with text"))?;
            self.tools = None;
            if self.options.syntax.is_none() {
                self.session.set_gate(None);
            }
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
}
