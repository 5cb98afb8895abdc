//! The session: owns the current state and the memory of outcomes, runs the tests, and is the only place that accepts a
//! candidate. `confirm` handles flaky tests.

mod ahead;
mod clock;
mod confidence;
mod confirm;
mod copies;
mod course;
mod deadlines;
mod free_work_budget;
mod observed;
mod observers;
mod rule_counts;
mod running;
mod statistics;
mod tree;

use std::sync::Arc;
use std::time::{Duration, Instant};

use lop_engine::Verdict;
use lop_grammar::{Grammar, RuleId};
use lop_passes::{Ask, Cascade};
use lop_run::exec::{Job, Ticket, key};
use lop_run::oracle::{Cancel, Outcome, Recalled, Unresolved};
use lop_syntax::NodeId;

use super::current::{Candidate, Current};
use super::error::ReduceError;
use super::event::Event;
use super::formatter::{Formatter, FormatterError};
use super::gate::Gate;
use super::interrupt::Interrupt;
use super::memory::{Answers, Memory, Record, Refusals, Why};
use super::options::Options;
use super::question_source::QuestionSource;
use super::rates::Rates;
use super::report::{Ended, PassStats, RuleStats};
use super::size::Size;

use clock::Clock;
use confidence::Confidence;
use course::{Course, OpenQuestion, TakenOver};
use deadlines::Deadlines;
use free_work_budget::FreeWorkBudget;
use observed::Observed;
use running::Link;
use statistics::Statistics;

pub(super) use copies::Saved;
pub use deadlines::{BASELINE_DEADLINE, usual_deadline};
pub(super) use running::Tests;

/// The subject of tests whose answers nothing waits for.
const IN_VAIN: &str = "not needed any more";

/// The name that counts the runs on the input.
const BASELINE: &str = "baseline";

/// Number of bytes up to which every candidate is parsed first. A parse of a larger one can cost more than the 3–5 % of
/// the tests that it saves if all units are known to be optional one by one.
const ALWAYS_GATED: usize = 64 << 10;

/// The state of a reduction that outlives its passes.
pub(super) struct Session<'a, 'g: 'a, L = Link<'a>> {
    link: L,
    course: Course<'a, Session<'a, 'g, ()>>,
    cancel: &'a Cancel,
    options: &'a Options,
    gate: Option<Gate>,
    current: Current<'g>,
    memory: Memory,
    confidence: Confidence,
    deadlines: Deadlines,
    observed: Observed,
    pub(super) statistics: Statistics,
    pub(super) clock: Clock,
    untested: FreeWorkBudget,
}

impl<'a, 'g> Session<'a, 'g> {
    /// Begins with the input as the best result; nothing has been judged yet.
    pub(super) fn new(
        input: Arc<[u8]>,
        size: Size,
        grammar: Option<Arc<Grammar>>,
        tests: Tests<'a>,
        cancel: &'a Cancel,
        options: &'a Options,
    ) -> Self {
        let started = Instant::now();
        // The caller may have set an expiry already.
        let limit = options.max_time.and_then(|most| started.checked_add(most));
        cancel.expire_at(cancel.expiry().into_iter().chain(limit).min());
        Session {
            observed: Observed::new(tests.sink.follows()),
            link: Link::Tests(Box::new(tests)),
            course: Course::default(),
            cancel,
            options,
            gate: None,
            current: Current::new(input, size, options.keep.ranges().to_vec())
                .of_files(options.project.as_ref().map(|project| project.archive().clone())),
            memory: Memory::default(),
            confidence: Confidence::new(options.confirm, options.flaky.map(Rates::new)),
            deadlines: Deadlines::new(options.deadline),
            statistics: Statistics::new(BASELINE, grammar),
            clock: Clock::new(started),
            untested: FreeWorkBudget::default(),
        }
    }

    /// The best result so far.
    pub(super) fn best(&self) -> &Arc<[u8]> {
        &self.current.best().text
    }

    /// Its size.
    pub(super) fn size(&self) -> Size {
        self.current.best().size
    }

    /// Returns the best result with the tree and edits that make it.
    pub(super) fn current(&self) -> &Current<'g> {
        &self.current
    }

    /// Sets the definitions to remove along with their references: see [`Current::couple`].
    pub(super) fn couple(&mut self, coupling: Option<Cascade>) {
        self.current.couple(coupling);
    }

    /// Notes that the best result is not interesting when this is done to a node.
    pub(super) fn refuse(&mut self, ask: Ask, node: NodeId) {
        self.memory.refuse_node(ask, node, self.current.best().size.tokens);
    }

    /// Whether this was refused when the best result was not much larger than now, or the user keeps it.
    pub(super) fn is_refused(&self, ask: Ask, node: NodeId) -> bool {
        self.current.node_is_kept(node) || self.memory.is_node_refused(ask, node, self.size().tokens)
    }

    /// Notes that a proposal was refused when the best result had this number of tokens.
    pub(super) fn refuse_proposal(&mut self, memo: u64, tokens: usize) {
        self.memory.refuse(memo, tokens);
    }

    /// Whether a proposal was refused when the best result was not much larger than now.
    pub(super) fn is_proposal_refused(&self, memo: u64) -> bool {
        self.memory.is_refused(memo, self.size().tokens)
    }

    /// Whether a proposal was refused on the tree as it is now.
    pub(super) fn is_proposal_refused_now(&self, memo: u64) -> bool {
        self.memory.is_refused_now(memo)
    }

    /// Puts the refusals of proposals in another language in the place of those in this one.
    pub(super) fn swap_proposals(&mut self, other: &mut Refusals) {
        self.memory.swap_proposals(other);
    }

    /// Forgets the refusals of proposals and nodes.
    pub(super) fn forget_refusals(&mut self) {
        self.memory.forget_refusals();
    }

    /// Remembers an outcome that needed no test: the clock continues from its time.
    fn recalled(&mut self, from: Recalled, duration: Duration) {
        match from {
            Recalled::Journal { at } => {
                self.statistics.from_journal += 1;
                self.clock.go_on_from(at, duration, self.cancel);
            }
            Recalled::Cache => self.statistics.from_shared_cache += 1,
        }
    }

    /// Number of tests, including those answered from a journal or a cache: a resumed run counts like an uninterrupted
    /// one.
    pub(super) fn tests(&self) -> u64 {
        self.statistics.counts.total()
    }

    /// The statistics of each pass.
    pub(super) fn stats(&self) -> &[PassStats] {
        &self.statistics.passes
    }

    /// The statistics of each of the grammar's rules.
    pub(super) fn rule_stats(&self) -> Vec<RuleStats> {
        self.statistics.rules.stats()
    }

    /// Sets the deadline from a run on the input.
    pub(super) fn baseline_took(&mut self, duration: Duration) -> Duration {
        self.deadlines.baseline_took(duration)
    }

    /// Remembers the verdict on a text that the caller knows without a test.
    pub(super) fn remember(&mut self, text: &[u8], verdict: Verdict) {
        self.memory.set_answers(key(text), Answers::certain(verdict));
    }

    /// The record of a text that was asked about, or of one that differs from it in blanks only.
    pub(super) fn record_of(&self, text: &[u8]) -> Option<&Record> {
        self.memory.record_of(text)
    }

    /// From now on a candidate that timed out is asked once more, with twice the deadline.
    pub(super) fn give_second_chances(&mut self) {
        self.deadlines.gives_second_chances = true;
    }

    /// Announces a pass; tests are counted for it until the next one.
    pub(super) fn enter_pass(&mut self, name: &'static str, round: usize) -> Result<(), Interrupt> {
        self.statistics.pass = name;
        self.tick();
        self.emit(&Event::Pass { name, round })
    }

    /// Returns the request that stops the reduction.
    pub(super) fn cancel(&self) -> &Cancel {
        self.cancel
    }

    /// Whether a pass is under way.
    pub(super) fn is_in(&self, pass: &str) -> bool {
        self.statistics.pass == pass
    }

    /// The test or success to be counted next is of this pass.
    fn attribute(&mut self, pass: Option<&'static str>) {
        if let Some(pass) = pass {
            self.statistics.pass = pass;
        }
    }

    /// Sends an event to the consumers.
    pub(super) fn emit(&mut self, event: &Event<'_>) -> Result<(), Interrupt> {
        let Link::Tests(tests) = &mut self.link else { return Ok(()) };
        let sent = tests.sink.event(event);
        sent.map_err(|source| Interrupt::Failed(ReduceError::Sink { source, best: self.best().to_vec() }))
    }

    /// Formats the best result.
    ///
    /// # Errors
    /// [`FormatterError`] if the formatter gives no text.
    pub(super) fn written_by(&self, formatter: &Formatter) -> Result<Vec<u8>, FormatterError> {
        if self.is_copy() {
            return Err(FormatterError("nothing is run in speculation".into()));
        }
        formatter.write(self.best(), self.cancel)
    }

    /// Runs the test on a text whatever is known of it and whatever the limits are, and waits for
    /// the outcome.
    pub(super) fn judge(&mut self, text: &[u8], what: &str) -> Result<Outcome, Interrupt> {
        self.hold()?;
        self.check_cancel()?;
        let chance = if text.is_empty() { 0.0 } else { 1.0 };
        self.run_test(&text.into(), self.deadlines.of(false), chance, None, &|| what.to_owned())
    }

    /// Runs the test on a text that is expected to be interesting with this chance, counts the outcome for a pass, and
    /// returns it.
    fn run_test(
        &mut self,
        text: &Arc<[u8]>,
        deadline: Duration,
        chance: f64,
        pass: Option<&'static str>,
        what: &dyn Fn() -> String,
    ) -> Result<Outcome, Interrupt> {
        let in_pass = pass.unwrap_or(self.statistics.pass);
        let job = Job { ticket: Ticket(0), candidate: Arc::clone(text), deadline };
        let outcome = match &self.link {
            Link::Branch(branch) => {
                let verdict = branch.borrow_mut().answer(job, in_pass, chance);
                Outcome::of(verdict.ok_or_else(|| self.unresolved("the branch has ended"))?)
            }
            Link::Tests(_) => {
                let ticket = self.hand_over(job, in_pass, chance)?;
                let told = self.tell_trying(ticket, in_pass, text.len(), what);
                if let (Err(_), Link::Tests(tests)) = (&told, &mut self.link) {
                    tests.executor.cancel(ticket);
                }
                let outcome = self.wait_for(ticket);
                told?;
                outcome?
            }
        };
        self.attribute(pass);
        self.count(text, &outcome, &what())?;
        Ok(outcome)
    }

    /// Answers the questions of a source until it has no more.
    pub(super) fn pursue(&mut self, source: &mut dyn QuestionSource) -> Result<(), Interrupt> {
        let result = match self.take_pursuit(source) {
            TakenOver::All => return Ok(()),
            TakenOver::Until(question) => self.test(source, question).and_then(|()| self.answer_all(source)),
            TakenOver::Nothing => self.answer_all(source),
        };
        self.keep_pursuit(source, result.is_err());
        result
    }

    fn answer_all(&mut self, source: &mut dyn QuestionSource) -> Result<(), Interrupt> {
        loop {
            self.check_limits()?;
            if !self.is_copy() && self.options.control.is_paused() {
                self.hold()?;
                continue;
            }
            self.check_skips()?;
            if self.check_is_due() {
                self.check_best()?;
                continue;
            }
            if !source.ask() {
                return Ok(());
            }
            self.tell_outlook(source)?;
            let candidate = source.candidate(&self.current);
            let before = self.gate_steps();
            let pass = source.pass().unwrap_or(self.statistics.pass);
            let odds = self.odds_of(source);
            let Some(verdict) = self.free_answer(&candidate, pass, source.blanks_matter(), odds) else {
                let chance = source.chance();
                self.test(source, OpenQuestion { candidate, odds, chance })?;
                continue;
            };
            let steps = usize::try_from(self.gate_steps() - before).unwrap_or(usize::MAX);
            let bytes = candidate.text.len();
            self.answer(source, candidate, verdict, Duration::ZERO)?;
            if self.untested.add(bytes, steps) {
                source.give_up();
            }
        }
    }

    /// Runs the test on the candidate of a question until the question is answered, or the source has learnt from
    /// outcomes that don't answer it.
    fn test(&mut self, source: &mut dyn QuestionSource, mut question: OpenQuestion) -> Result<(), Interrupt> {
        let (text, ungated) = (Arc::clone(&question.candidate.text), !self.is_gated(&question.candidate));
        let (pass, what) = (source.pass(), source.describe());
        self.will_judge_candidate(&text, question.odds)?;
        loop {
            self.mark(source, &question)?;
            let outcome = self.run_test(&text, self.patience(&text), question.chance, pass, &|| what.clone())?;
            // Cancelled: the limits tell why.
            let Some(verdict) = outcome.verdict else { return Ok(()) };
            if verdict != Verdict::Timeout || !self.takes_second_chance(&text) {
                if let Some(verdict) = self.hear(&text, verdict, ungated, self.odds_of(source))? {
                    self.leave_runs(&text);
                    return self.answer(source, question.candidate, verdict, outcome.duration);
                }
                if !self.has_runs(&text) {
                    // It is not clear yet, and another question may be worth more than a further run on this candidate.
                    if self.evidence_against(&text).is_some_and(|ratio| source.weigh(ratio)) {
                        return Ok(());
                    }
                    let odds = self.odds_of(source);
                    self.will_judge_candidate(&text, odds)?;
                }
            }
            question.chance = 0.5;
            self.check_limits()?;
            self.check_skips()?;
        }
    }

    /// Hands an outcome to the source, and accepts the candidate if it is interesting.
    fn answer(
        &mut self,
        source: &mut dyn QuestionSource,
        candidate: Candidate,
        verdict: Verdict,
        duration: Duration,
    ) -> Result<(), Interrupt> {
        source.observe(verdict);
        if verdict != Verdict::Interesting {
            return Ok(());
        }
        self.attribute(source.pass());
        self.accept(candidate, duration, source.rules())
    }

    /// Makes a candidate the best result, and its edits the pending ones. This happens only here, and every candidate
    /// that arrives here was judged interesting.
    fn accept(&mut self, candidate: Candidate, duration: Duration, rules: &[RuleId]) -> Result<(), Interrupt> {
        let (text, said) = (Arc::clone(&candidate.text), candidate.tokens);
        let Some(before) = self.current.accept(candidate) else { return Ok(()) };
        debug_assert!(self.memory.answers(&key(&text)).is_some_and(Answers::has_been_interesting));
        let size = self.size();
        let bytes = before.size.bytes.saturating_sub(size.bytes) as u64;
        let tokens = before.size.tokens.saturating_sub(size.tokens) as u64;
        self.deadlines.accepted(duration);
        self.leave_best(before);
        let rules = self.statistics.accepted(rules, bytes, tokens);
        if let Some(gate) = &mut self.gate {
            gate.accept(&text);
        }
        self.confidence.accepted();
        self.may_have_higher_rate(&text);
        if self.is_copy() {
            return Ok(());
        }
        let (tests, pass, size) =
            (self.statistics.counts.total(), self.statistics.pass, self.recounted(size, said, &text));
        self.emit(&Event::Accepted { content: &text, size, tests, pass, rules: &rules })
    }

    /// An outcome without a test: from the order of best results, the cache, or the gate. Only a candidate without such
    /// an outcome can be accepted.
    /// `odds` are those of the candidate before any outcome of its own.
    fn free_answer(&mut self, candidate: &Candidate, pass: &str, blanks_matter: bool, odds: f64) -> Option<Verdict> {
        let growth = || self.options.passes.growth(pass);
        // Not cached: the kept parts depend on their places, which a text doesn't have, and on the best result, which
        // changes.
        if candidate.kept.is_none() || !self.current.may_become_best(candidate, self.options.prefer, growth) {
            return Some(Verdict::Invalid);
        }
        let text = &candidate.text;
        if text == self.best() {
            return Some(Verdict::Interesting);
        }
        let key = key(text);
        if let Some(verdict) = self.known(&key, odds) {
            if verdict == Verdict::Timeout && self.takes_second_chance(text) {
                return None;
            }
            self.statistics.cache_hits += 1;
            return Some(verdict);
        }
        if !blanks_matter && self.memory.is_refused_with_blanks(text) {
            self.statistics.cache_hits += 1;
            return Some(Verdict::NotInteresting);
        }
        if self.is_gated(candidate) && !self.passes_gate(key, text) {
            self.statistics.gate_refusals += 1;
            let record = Record { test: None, pass: self.statistics.pass, why: Why::Unparsed, slip: None };
            self.memory.note(text, record, false);
            self.memory.set_answers(key, Answers::certain(Verdict::Invalid));
            return Some(Verdict::Invalid);
        }
        None
    }

    /// Whether a candidate has to pass the gate before it is tested.
    fn is_gated(&self, candidate: &Candidate) -> bool {
        let strict = self.gate.as_ref().is_some_and(Gate::is_strict);
        !candidate.known_to_parse || candidate.text.len() <= ALWAYS_GATED || strict
    }

    /// The deadline for a candidate: twice as long if this is its second chance.
    fn patience(&self, text: &[u8]) -> Duration {
        let has_timed_out = || self.memory.had_second_chance(&key(text));
        self.deadlines.of(self.deadlines.gives_second_chances && has_timed_out())
    }

    /// Whether a candidate that timed out is asked about once more, which happens one time.
    fn takes_second_chance(&mut self, text: &[u8]) -> bool {
        self.deadlines.gives_second_chances && self.memory.take_second_chance(key(text))
    }

    /// Waits for the outcome of a test.
    fn wait_for(&mut self, ticket: Ticket) -> Result<Outcome, Interrupt> {
        loop {
            let from = Instant::now();
            let answer = self.next_outcome();
            self.clock.waiting += from.elapsed();
            let (answered, outcome) = answer?.ok_or_else(|| self.unresolved("the workers have stopped"))?;
            if answered == ticket {
                return Ok(outcome);
            }
        }
    }

    fn count(&mut self, text: &[u8], outcome: &Outcome, what: &str) -> Result<(), Interrupt> {
        self.count_of(text.len(), Some(text), outcome, what)
    }

    /// Counts an outcome of a candidate with this number of bytes; without its text, nothing is remembered.
    fn count_of(&mut self, bytes: usize, text: Option<&[u8]>, outcome: &Outcome, what: &str) -> Result<(), Interrupt> {
        self.statistics.counts.add(outcome.verdict);
        self.untested.tested();
        if let Some(gate) = &mut self.gate {
            gate.earn();
        }
        self.clock.testing += outcome.duration;
        self.statistics.of_pass().tests += 1;
        if let Some(from) = outcome.recalled.filter(|_| outcome.verdict.is_some()) {
            self.recalled(from, outcome.duration);
        }
        let (number, pass) = (self.statistics.counts.total(), self.statistics.pass);
        let record = Record::of(number, pass, outcome.verdict, outcome.slip.as_ref());
        // Records are for the report.
        if let Some((record, text)) = record.zip(text).filter(|_| !self.is_copy()) {
            self.memory.note(text, record, self.gate.is_some());
        }
        self.tick();
        self.emit(&Event::Tested {
            number: self.statistics.counts.total(),
            pass: self.statistics.pass,
            bytes,
            verdict: outcome.verdict,
            duration: outcome.duration,
            cache_hits: self.statistics.cache_hits,
            recalled: outcome.recalled,
            what,
        })?;
        if let Some((signature, content)) = outcome.slip.as_ref().zip(text) {
            self.emit(&Event::Slipped { signature, content, outcome })?;
        }
        if let Some(how) = &outcome.contradiction {
            self.contradicted(how)?;
        }
        match &outcome.unresolved {
            Some(Unresolved::Failed(message)) => Err(self.unresolved(message)),
            _ => Ok(()),
        }
    }

    fn unresolved(&self, message: &str) -> Interrupt {
        let best = (self.statistics.pass != BASELINE).then(|| self.best().to_vec());
        Interrupt::Failed(ReduceError::Unresolved { message: message.to_owned(), best })
    }

    fn check_cancel(&self) -> Result<(), Interrupt> {
        if self.cancel.is_stopped() { Err(self.stopped()) } else { Ok(()) }
    }

    /// Returns how a stopped run ends.
    pub(super) fn stopped(&self) -> Interrupt {
        Interrupt::Ended(if self.is_out_of_time() { Ended::Budget } else { Ended::Cancelled })
    }

    /// Whether it is the limit of time that wants the work to end.
    pub(super) fn is_out_of_time(&self) -> bool {
        self.cancel.has_expired()
    }

    /// Interrupts the work if the user or a limit ends it.
    pub(super) fn check_limits(&self) -> Result<(), Interrupt> {
        self.check_cancel()?;
        let tests = self.options.max_tests.is_some_and(|most| self.tests_ended() >= most);
        if tests { Err(Interrupt::Ended(Ended::Budget)) } else { Ok(()) }
    }
}
