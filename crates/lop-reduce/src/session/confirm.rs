//! Handles flaky tests: repeats tests, and takes back results that don't hold.
//!
//! ```text
//!  input ───► trusted ───► trusted ───► … accepted … ───► best
//!    ▲           ▲                                          │  confirmation: the test is asked about it again
//!    └───────────┴──────────── taken back ◄─────────────────┘
//! ```
//!
//! Until the test contradicts itself, lop believes each outcome, and only repeats the test of the best result, about
//! three times in all: at the end, and earlier if the search finds nothing for a long time (the sign of a wrong
//! *interesting*). If a repetition contradicts an earlier outcome, lop finds the newest earlier result that holds, by
//! bisection. After the first contradiction, lop repeats the test before it accepts a candidate, as often as [`Trust`]
//! requires, and repeats the test of the best result whenever the search finds nothing for a long time. A best result
//! that doesn't hold is replaced by the newest earlier one that does. The first one is the input, which is interesting
//! by definition.

use std::sync::Arc;

use super::confidence::{Confidence, PATIENCE, Snapshot};
use super::{BASELINE, Session};
use crate::current::Best;
use crate::event::Event;
use crate::interrupt::Interrupt;
use crate::memory::{Answers, CERTAIN, Why};
use crate::question_source::QuestionSource;
use crate::rates::{Comparison, Rates};
use crate::size::Size;
use crate::steps::MINIMALITY;
use crate::tally::Tally;
use crate::trust::{EVEN, Reliability, Stakes};
use lop_engine::Verdict;
use lop_run::exec::{Key, key};

/// After this number of refusals one after the other the best result of a test without a contradiction is looked at: a test
/// that lies one time in twenty calls one of them interesting more often than not.
const HONEST_PATIENCE: u32 = 16;
/// A further confirmation comes after this number of refusals since the last one, and half of all tests: for an honest
/// test each confirmation is wasted. Acceptances in between don't count: after a wrong acceptance they are wrong, too,
/// and one run in 120 took 17 times the tests.
const LONG_PATIENCE: u32 = 96;
/// A pass gives a candidate odds of at least this, however few it found, and of evens at most.
const LEAST_ODDS: f64 = 0.1;
/// The number of finds, and of failures, that a pass is credited with before it begins.
const FOUND_BEFORE: f64 = 2.0;
/// A test by which this number of results had to be taken back leads nowhere.
const MOST_RETURNS: u64 = 20;
/// The name that counts the confirmations of the best result.
const CONFIRMATION: &str = "confirmation";

/// How exactly a best result is compared with the wanted rate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Until it is clear that it isn't much lower.
    Clear,
    /// With as many runs as the input had.
    Measured,
}

impl Session<'_, '_> {
    /// Returns the reliability of the test.
    pub(crate) fn reliability(&self) -> Reliability {
        Reliability { result: self.rate_of_result().map(Into::into), ..self.confidence.trust.report() }
    }

    /// Returns the newest trusted result and its size, if there is one.
    pub(crate) fn confirmed(&self) -> Option<(Vec<u8>, Size)> {
        let Best { text, size, .. } = &self.confidence.trusted.last()?.best;
        Some((text.to_vec(), *size))
    }

    /// Whether the test has contradicted itself.
    pub(crate) fn is_flaky(&self) -> bool {
        self.confidence.trust.is_flaky()
    }

    /// The input was judged: so often *interesting*, so often not. It is trusted whatever the test says.
    pub(crate) fn trust_input(&mut self, yes: u32, no: u32) -> Result<(), Interrupt> {
        let tally = Tally { yes, no };
        if let Some(rates) = &mut self.confidence.trust.rates {
            rates.measured(tally);
        } else {
            self.confidence.trust.learn(true, tally);
        }
        let input = self.snapshot();
        self.memory.set_answers(key(&input.best.text), Answers::certain(Verdict::Interesting));
        self.confidence.trusted = vec![input];
        if no > 0 {
            self.contradicted(&format!("{yes} of {} runs on the input were interesting", yes + no))
        } else {
            Ok(())
        }
    }

    /// Whether a text with nothing in it is interesting after its first outcome. A refusal is believed, unless the test
    /// shows the bug only sometimes.
    pub(crate) fn empty_is_interesting(&mut self, text: &Arc<[u8]>, first: bool) -> Result<bool, Interrupt> {
        let mut known = Tally::default();
        known.add(first);
        if self.confidence.trust.keeps_rate() {
            while self.confidence.trust.decide(known, Stakes::Empty, EVEN).is_none() {
                // The baseline always runs, whatever the limits are.
                self.add_run(text, &mut known)?;
            }
            // The input's rate is an estimate: a test that shows the bug half as often on nothing looks at nothing.
            let rates = self.confidence.trust.rates.as_ref();
            return Ok(rates.is_some_and(|rates| rates.is_half_as_frequent(known)));
        }
        match self.confidence.trust.decide(known, Stakes::Empty, EVEN) {
            Some(interesting) => Ok(interesting),
            None => self.ask_again(text, known, Stakes::Empty),
        }
    }

    /// The verdict on a text, if known well enough for the present stakes.
    /// `odds` are the text's odds before all outcomes.
    pub(super) fn known(&self, key: &Key, odds: f64) -> Option<Verdict> {
        let answers = self.memory.answers(key)?;
        let decided = self.confidence.trust.decide(answers.tally, self.stakes(), odds)?;
        Some(answers.decided(decided))
    }

    /// Remembers a test's outcome, and returns the verdict from it and the earlier ones; `None` if the test must run
    /// again. `odds` are the text's odds before all of them. An ungated candidate is parsed before it is accepted: each
    /// of its parts may be removable, and all of them together not.
    pub(super) fn hear(
        &mut self,
        text: &Arc<[u8]>,
        verdict: Verdict,
        ungated: bool,
        odds: f64,
    ) -> Result<Option<Verdict>, Interrupt> {
        let key = key(text);
        if ungated
            && verdict == Verdict::Interesting
            && let Some(gate) = &mut self.gate
            && !gate.admits(text, &self.current.best().text)
        {
            self.memory.set_answers(key, Answers::certain(Verdict::Invalid));
            self.memory.correct_record(&key, Why::Unparsed);
            return Ok(Some(Verdict::Invalid));
        }
        let interesting = verdict == Verdict::Interesting;
        let before = self.memory.answers(&key).copied();
        let mut answers = before.unwrap_or(Answers {
            tally: Tally::default(),
            evidence: Tally::default(),
            refusal: Verdict::NotInteresting,
        });
        answers.tally.add(interesting);
        if !interesting {
            answers.refusal = verdict;
        }
        if before.is_some() {
            self.confidence.trust.confirmations += 1;
        } else if !self.confidence.trust.keeps_rate() {
            answers.evidence = answers.tally;
        }
        let Tally { yes, no } = answers.tally;
        if yes > 0 && no > 0 {
            self.contradicted(&format!("{yes} of {} runs on one candidate were interesting", yes + no))?;
        }
        let decided = self.confidence.trust.decide(answers.tally, self.stakes(), odds);
        if let Some(interesting) = decided {
            self.confidence.trust.learn(interesting, answers.tally.since(answers.evidence));
            answers.evidence = answers.tally;
            self.confidence.found.entry(self.statistics.pass).or_default().add(interesting);
            self.confidence.refusals = if interesting { 0 } else { self.confidence.refusals.saturating_add(1) };
            self.confidence.unlooked = self.confidence.unlooked.saturating_add(u32::from(!interesting));
            if yes + no > 1 {
                self.emit(&Event::Confirmed { interesting, yes, no, bytes: text.len(), is_best: false })?;
            }
        }
        if decided.is_none() {
            let rates = self.confidence.trust.rates.as_ref();
            let tests = self.statistics.counts.total();
            self.confidence.doubts_input |= rates.is_some_and(|rates| rates.doubts_input(answers.tally, tests));
        }
        if decided == Some(false) {
            self.memory.correct_record(&key, Why::Refused);
        }
        self.memory.set_answers(key, answers);
        if decided == Some(false) && answers.refusal == Verdict::NotInteresting && self.gate.is_some() {
            self.memory.refuse_with_blanks(text);
        }
        Ok(decided.map(|interesting| answers.decided(interesting)))
    }

    /// Whether to confirm the best result before the search continues.
    pub(super) fn check_is_due(&self) -> bool {
        let Confidence { refusals, unlooked, patience, looks, .. } = self.confidence;
        let is_input = self.is_input();
        if !self.confidence.trust.is_flaky() {
            let half = u32::try_from(self.statistics.counts.total() / 2).unwrap_or(u32::MAX);
            let is_worth_a_call = looks == 0 || unlooked >= half.max(LONG_PATIENCE);
            return is_worth_a_call && refusals >= HONEST_PATIENCE && !is_input && !self.best_is_trusted();
        }
        if self.confidence.doubts_input {
            return true;
        }
        if self.confidence.trust.keeps_rate() {
            return (refusals >= patience || self.confidence.may_be_higher) && !is_input && !self.best_is_trusted();
        }
        refusals >= patience && !is_input
    }

    /// Looks at the best result again.
    pub(super) fn check_best(&mut self) -> Result<(), Interrupt> {
        if std::mem::take(&mut self.confidence.doubts_input) {
            return self.counted_as(BASELINE, Self::measure_input);
        }
        self.confidence.unlooked = 0;
        if !self.confidence.trust.is_flaky() {
            self.confidence.looks += 1;
        } else {
            self.confidence.patience = self.confidence.patience.saturating_mul(2);
        }
        if !self.confidence.trust.keeps_rate() {
            return self.confirm_best(Stakes::Best);
        }
        if std::mem::take(&mut self.confidence.may_be_higher) {
            return self.look_for_higher_rate();
        }
        self.compare_best(Extent::Clear)
    }

    /// Measures the best result if it shows the bug more often than those before it.
    fn look_for_higher_rate(&mut self) -> Result<(), Interrupt> {
        let best = Arc::clone(self.best());
        let mut tally = self.memory.answers(&key(&best)).map(|answers| answers.tally).unwrap_or_default();
        let is_higher = self.counted_as(CONFIRMATION, |session| {
            loop {
                let Some(rates) = &session.confidence.trust.rates else { return Ok(false) };
                if let Some(is_higher) = rates.is_higher(tally) {
                    return Ok(is_higher);
                }
                session.run_again(&best, &mut tally, 1)?;
            }
        })?;
        if is_higher { self.compare_best(Extent::Measured) } else { Ok(()) }
    }

    /// Makes sure of the result at the end, unless it is the input.
    pub(crate) fn confirm_result(&mut self) -> Result<(), Interrupt> {
        if self.is_input() || self.rate_of_result().is_some() {
            return Ok(());
        }
        if !self.confidence.trust.keeps_rate() {
            return self.confirm_best(Stakes::Result);
        }
        self.compare_best(Extent::Measured)
    }

    /// Trusts the best result if it shows the bug as often as wanted; otherwise takes it back. If it is stopped
    /// meanwhile, a best result that looks worse isn't kept.
    fn compare_best(&mut self, extent: Extent) -> Result<(), Interrupt> {
        self.counted_as(CONFIRMATION, |session| {
            let best = Arc::clone(session.best());
            let mut tally = Tally::default();
            let compared = session.compare(&best, extent, &mut tally);
            if compared.is_err() && tally.runs() > 0 && session.confidence.trust.speaks_against(tally) {
                session.go_back_to_trusted()?;
            }
            let holds = compared?;
            let Tally { yes, no } = tally;
            session.emit(&Event::Confirmed { interesting: holds, yes, no, bytes: best.len(), is_best: true })?;
            if !holds {
                return session.take_back();
            }
            if extent == Extent::Measured {
                session.confidence.measured = Some((key(&best), tally));
                session.confidence.trust.rates.iter_mut().for_each(|rates| rates.raise(tally));
            }
            session.trust_best();
            Ok(())
        })
    }

    /// Counts the tests of a step for this pass.
    fn counted_as<T>(&mut self, pass: &'static str, step: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.statistics.pass, pass);
        let result = step(self);
        self.statistics.pass = before;
        result
    }

    /// Compares how often a text shows the bug with how often it should, by runs of its own. Before the text counts as
    /// worse, the input is measured more exactly: with a rate that is too high nothing would be good enough.
    fn compare(&mut self, text: &Arc<[u8]>, extent: Extent, tally: &mut Tally) -> Result<bool, Interrupt> {
        if extent == Extent::Clear {
            while self.confidence.trust.decide(*tally, Stakes::Best, EVEN).is_none() {
                let missing = self.confidence.trust.missing(*tally, Stakes::Best, EVEN);
                self.run_again(text, tally, missing)?;
            }
            if self.confidence.trust.decide(*tally, Stakes::Best, EVEN) == Some(true) {
                return Ok(true);
            }
        }
        while let Some(rates) = &self.confidence.trust.rates {
            match rates.compare(*tally) {
                Comparison::Holds => return Ok(true),
                Comparison::HasFallen => return Ok(false),
                Comparison::NeedsRuns(runs) => self.run_again(text, tally, runs)?,
                Comparison::NeedsInput => self.measure_input()?,
            }
        }
        Ok(true)
    }

    /// Measures the input's rate more exactly.
    fn measure_input(&mut self) -> Result<(), Interrupt> {
        let runs = self.confidence.trust.rates.as_ref().and_then(Rates::further_runs);
        let input = self.confidence.trusted.first().map(|input| Arc::clone(&input.best.text));
        if let (Some(runs), Some(input)) = (runs, input) {
            let mut more = Tally::default();
            for left in (1..=runs).rev() {
                self.run_again(&input, &mut more, left)?;
            }
            self.confidence.trust.rates.iter_mut().for_each(|rates| rates.measured(more));
        }
        Ok(())
    }

    /// Runs the test on a text once more; it will be asked about at least this number of times.
    fn run_again(&mut self, text: &Arc<[u8]>, tally: &mut Tally, times: usize) -> Result<(), Interrupt> {
        self.will_judge(text, times)?;
        self.check_limits()?;
        self.add_run(text, tally)
    }

    /// Runs the test on a text once more, whatever the limits are.
    fn add_run(&mut self, text: &Arc<[u8]>, tally: &mut Tally) -> Result<(), Interrupt> {
        let outcome = self.judge(text, "how often it shows the bug")?;
        tally.add(outcome.verdict.ok_or_else(|| self.stopped())? == Verdict::Interesting);
        self.confidence.trust.confirmations += 1;
        Ok(())
    }

    /// How often the best result shows the bug, if it was measured.
    fn rate_of_result(&self) -> Option<Tally> {
        let rates = self.confidence.trust.rates.as_ref()?;
        if self.is_input() {
            return Some(rates.input());
        }
        let measured = self.confidence.measured.filter(|(text, _)| *text == key(self.best()));
        measured.map(|(_, tally)| tally)
    }

    /// Whether the input shows the bug less often than the user wants.
    pub(crate) fn is_input_too_rare(&self) -> bool {
        self.confidence.trust.rates.as_ref().is_some_and(Rates::is_input_too_rare)
    }

    /// A text was accepted: if the user wants a higher rate, and it seems to have one, it is measured.
    pub(super) fn may_have_higher_rate(&mut self, text: &Arc<[u8]>) {
        let Some(rates) = &self.confidence.trust.rates else { return };
        self.confidence.may_be_higher =
            self.memory.answers(&key(text)).is_some_and(|answers| rates.is_higher(answers.tally) != Some(false));
    }

    /// The evidence against a candidate that is not decided, if that is where its outcomes point.
    pub(super) fn evidence_against(&self, text: &Arc<[u8]>) -> Option<f64> {
        let ratio = self.confidence.trust.ratio(self.memory.answers(&key(text))?.tally)?;
        (ratio < 0.0).then_some(ratio)
    }

    /// Lets idle workers run the test on a candidate as often as it will probably be asked about, for a test that shows
    /// the bug only sometimes.
    pub(super) fn will_judge_candidate(&mut self, text: &Arc<[u8]>, odds: f64) -> Result<(), Interrupt> {
        if !self.confidence.trust.keeps_rate() || self.workers_ahead() == 1 {
            return Ok(());
        }
        let tally = self.memory.answers(&key(text)).map(|answers| answers.tally).unwrap_or_default();
        self.will_judge(text, self.confidence.trust.runs_to_refuse(tally, self.stakes(), odds))
    }

    /// The odds that the candidate of a source is interesting, before any outcome.
    pub(super) fn odds_of(&self, source: &mut dyn QuestionSource) -> f64 {
        match self.confidence.trust.rates.as_ref().and_then(|_| source.prior()) {
            Some(chance) => (chance / (1.0 - chance)).clamp(LEAST_ODDS, EVEN),
            None => self.odds(),
        }
    }

    /// The best result will probably be confirmed at the end: idle workers can start now.
    pub(crate) fn may_confirm_result(&mut self) {
        if !self.is_input() && !self.confidence.trust.is_flaky() {
            let known = self.answers_on_best(Stakes::Result);
            self.may_judge_best(self.confidence.trust.missing(known, Stakes::Result, EVEN));
        }
    }

    /// Whether the best result is the input.
    fn is_input(&self) -> bool {
        self.confidence.trusted.first().is_none_or(|input| input.best.text == *self.best())
    }

    /// Whether it is useless to continue because too much was withdrawn.
    pub(crate) fn gives_up(&mut self) -> Result<bool, Interrupt> {
        let is_hopeless = self.is_hopeless();
        if is_hopeless {
            self.emit(&Event::Note("the test contradicts itself too often to continue; try a larger --confirm"))?;
        }
        Ok(is_hopeless)
    }

    /// Whether more results were taken back than is worth while.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.confidence.trust.returns >= MOST_RETURNS
    }

    /// The number of decisions that depend on the outcomes of the current pass.
    fn stakes(&self) -> Stakes {
        if self.statistics.pass == MINIMALITY.name { Stakes::Guarantee } else { Stakes::Candidate }
    }

    /// The odds that a candidate of the pass under way is interesting.
    pub(super) fn odds(&self) -> f64 {
        let Tally { yes, no } = self.confidence.found.get(self.statistics.pass).copied().unwrap_or_default();
        ((f64::from(yes) + FOUND_BEFORE) / (f64::from(no) + FOUND_BEFORE)).clamp(LEAST_ODDS, EVEN)
    }

    fn best_is_trusted(&self) -> bool {
        self.confidence.trusts(self.best())
    }

    /// Notes that the test has contradicted itself, and says so the first time.
    pub(super) fn contradicted(&mut self, how: &str) -> Result<(), Interrupt> {
        if !self.confidence.trust.contradicted() {
            return Ok(());
        }
        self.memory.distrust_blanks();
        self.emit(&Event::Note(&format!("the test is flaky: {how}; lop now repeats it before it accepts a result")))
    }

    /// Trusts the best result if the test accepts it again; otherwise withdraws it.
    fn confirm_best(&mut self, stakes: Stakes) -> Result<(), Interrupt> {
        self.counted_as(CONFIRMATION, |session| {
            let best = Arc::clone(session.best());
            let known = session.answers_on_best(stakes);
            if !session.ask_again(&best, known, stakes)? {
                return session.take_back();
            }
            session.trust_best();
            Ok(())
        })
    }

    /// The best result holds.
    fn trust_best(&mut self) {
        if !self.best_is_trusted() {
            let best = self.snapshot();
            self.confidence.past.clear();
            self.confidence.trusted.push(best);
        }
    }

    /// The answers on the best result that count when it is looked at again. On the way those for which it was accepted do.
    /// At the end they do not: of many texts that are not interesting one may have been called so again and again, and
    /// that is the one that was accepted.
    fn answers_on_best(&self, stakes: Stakes) -> Tally {
        if self.confidence.trust.keeps_rate() {
            return Tally::default();
        }
        match self.memory.answers(&key(self.best())) {
            Some(answers)
                if stakes == Stakes::Best && self.confidence.trust.is_flaky() && answers.tally.yes < CERTAIN =>
            {
                answers.tally
            }
            // A look at an earlier result counts as one at this one, further looks at this one count as well.
            _ if stakes == Stakes::Result && !self.confidence.trust.is_flaky() => {
                let looks = if self.best_is_trusted() { 2 } else { 1 };
                Tally { yes: self.confidence.looks.min(looks), no: 0 }
            }
            _ => Tally::default(),
        }
    }

    /// Runs the test on a text until the verdict is clear. If it is stopped meanwhile, a best result that looks worse
    /// than before isn't kept.
    fn ask_again(&mut self, text: &Arc<[u8]>, mut tally: Tally, stakes: Stakes) -> Result<bool, Interrupt> {
        let known = tally;
        let missing = self.confidence.trust.missing(tally, stakes, EVEN);
        self.will_judge(text, missing)?;
        loop {
            let outcome = self.check_limits().and_then(|()| {
                let outcome = self.judge(text, "once more")?;
                outcome.verdict.ok_or_else(|| self.stopped())
            });
            let verdict = match outcome {
                Ok(verdict) => verdict,
                Err(interrupt) => {
                    if self.confidence.trust.speaks_against(tally) && text == self.best() {
                        self.go_back_to_trusted()?;
                    }
                    return Err(interrupt);
                }
            };
            tally.add(verdict == Verdict::Interesting);
            self.confidence.trust.confirmations += 1;
            let Tally { yes, no } = tally;
            if no > 0 {
                // Nothing is asked again that was not called interesting before.
                self.contradicted("what it had called interesting it refused")?;
            }
            if let Some(interesting) = self.confidence.trust.decide(tally, stakes, EVEN) {
                self.confidence.trust.learn(interesting, tally.since(known));
                let is_best = text == self.best();
                self.emit(&Event::Confirmed { interesting, yes, no, bytes: text.len(), is_best })?;
                return Ok(interesting);
            }
        }
    }

    /// Whether an earlier result holds when the test is asked about it once more.
    fn holds(&mut self, text: &Arc<[u8]>) -> Result<bool, Interrupt> {
        if self.confidence.trust.keeps_rate() {
            self.compare(text, Extent::Measured, &mut Tally::default())
        } else {
            self.ask_again(text, Tally::default(), Stakes::Best)
        }
    }

    /// Goes back to the newest earlier result that holds when the test is asked about it once more.
    fn take_back(&mut self) -> Result<(), Interrupt> {
        self.confidence.trust.returns += 1;
        if let Some(rates) = &mut self.confidence.trust.rates {
            rates.was_wrong();
            // All candidates that were accepted since the last trusted result may have been lucky.
            self.memory.forget_interesting();
        } else {
            // The answer for which it was accepted was a lie.
            self.confidence.trust.learn(false, Tally { yes: 1, no: 0 });
        }
        if self.best_is_trusted() {
            self.confidence.trusted.pop();
        }
        self.trust_the_past()?;
        loop {
            self.go_back_to_trusted()?;
            let best = Arc::clone(self.best());
            if self.confidence.trusted.len() < 2 || self.holds(&best)? {
                return Err(Interrupt::Returned);
            }
            self.confidence.trusted.pop();
        }
    }

    /// Trusts the newest result before the first contradiction that is confirmed, if there is one: if a result is
    /// wrong, so are all results made from it. If it is stopped meanwhile, it trusts the newest one that is confirmed
    /// so far.
    fn trust_the_past(&mut self) -> Result<(), Interrupt> {
        let mut past = std::mem::take(&mut self.confidence.past);
        let (mut holds, mut doubtful) = (0, past.len());
        let mut halted = Ok(());
        while holds < doubtful && halted.is_ok() {
            let middle = (holds + doubtful) / 2;
            match self.holds(&Arc::clone(&past[middle].best.text)) {
                Ok(true) => holds = middle + 1,
                Ok(false) => doubtful = middle,
                Err(interrupt) => halted = Err(interrupt),
            }
        }
        past.truncate(holds);
        self.confidence.trusted.extend(past.pop());
        if halted.is_err() {
            self.go_back_to_trusted()?;
        }
        halted
    }

    /// Makes the newest trusted result the best again.
    fn go_back_to_trusted(&mut self) -> Result<(), Interrupt> {
        let Some(trusted) = self.confidence.trusted.last().cloned() else { return Ok(()) };
        self.memory.set_answers(key(self.best()), Answers::certain(Verdict::NotInteresting));
        self.current.go_back(trusted.best);
        self.memory.forget_nodes();
        self.statistics.go_back(&trusted.stats);
        (self.confidence.refusals, self.confidence.patience) = (0, PATIENCE);
        let (content, size, tests) = (Arc::clone(self.best()), self.size(), self.statistics.counts.total());
        self.emit(&Event::Returned { content: &content, size, tests })
    }

    /// Another result, which speaks for it, has replaced the best one.
    pub(super) fn leave_best(&mut self, best: Best) {
        if self.confidence.trusts(&best.text) {
            return;
        }
        self.confidence.keep_past(Snapshot { best, stats: self.statistics.passes.clone() });
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot { best: self.current.best().clone(), stats: self.statistics.passes.clone() }
    }
}
