//! Runs speculative tests on idle workers.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::event::Silent;
use crate::interrupt::Interrupt;
use crate::rehearsal::{Checkpoint, Rehearsing, Resume, SpeculativeRun};
use lop_engine::Verdict;
use lop_run::exec::{Executor, Inline, Job, Key, Ticket, key};
use lop_run::oracle::Outcome;

use super::observed::Observed;
use super::speculator::{Ended, RunningTest, Speculation, Speculator, Stage};
use super::{IN_VAIN, Session};

impl<'a> Session<'a, '_> {
    /// Hands over a candidate that is expected to be interesting with this chance.
    pub(super) fn hand_over(&mut self, job: Job, pass: &'static str, chance: f64) -> Ticket {
        let ticket = job.ticket;
        match &mut self.ahead {
            Speculation::Rehearses(run_ahead, expectations) => {
                run_ahead.borrow_mut().expect(expectations.borrow().corrected(pass, chance));
            }
            Speculation::Sees(speculator) => {
                let key = key(&job.candidate);
                speculator.expectations.borrow_mut().expect(key, pass, chance);
                speculator.ask(&key);
                if let Some(outcome) = speculator.take_ended(&key) {
                    speculator.ready.push_back((ticket, key, outcome));
                    return ticket;
                }
                if let Some(early) = speculator.adopt(key) {
                    return early;
                }
                if speculator.running.len() >= self.executor.slots()
                    && let Some(early) = speculator.leave_one()
                {
                    self.executor.cancel(early);
                }
                let text = Arc::clone(&job.candidate);
                speculator.begin(ticket, RunningTest { key, text, stage: Stage::PendingQuestion });
            }
        }
        self.executor.submit(job);
        ticket
    }

    /// The next outcome of a test whose question was asked.
    pub(super) fn next_outcome(&mut self) -> Result<Option<(Ticket, Outcome)>, Interrupt> {
        loop {
            let runs_ahead = self.workers_ahead() > 1;
            let Speculation::Sees(speculator) = &mut self.ahead else { return Ok(self.executor.wait()) };
            let mut early = Vec::new();
            if runs_ahead {
                while let Some((ticket, outcome)) = self.executor.try_wait() {
                    early.extend(speculator.take(ticket, outcome));
                }
            }
            early.into_iter().try_for_each(|ticket| self.tell_ended(ticket))?;
            let Speculation::Sees(speculator) = &mut self.ahead else { continue };
            if let Some((ticket, key, outcome)) = speculator.ready.pop_front() {
                if let Some(verdict) = outcome.verdict {
                    speculator.answered += 1;
                    speculator.expectations.borrow_mut().learn(&key, verdict == Verdict::Interesting);
                    if let Some(mark) = &mut speculator.mark {
                        mark.answers.push((key, verdict));
                    }
                }
                return Ok(Some((ticket, outcome)));
            }
            // After speculation an outcome may have arrived.
            if self.run_ahead()? {
                continue;
            }
            let Some((ticket, outcome)) = self.executor.wait() else { return Ok(None) };
            if let Speculation::Sees(speculator) = &mut self.ahead
                && let Some(early) = speculator.take(ticket, outcome)
            {
                self.tell_ended(early)?;
            }
        }
    }

    /// Gives idle workers the most likely next questions. Returns `true` if it has searched for more.
    fn run_ahead(&mut self) -> Result<bool, Interrupt> {
        let slots = self.workers_ahead();
        let may_run = self.may_run_ahead();
        let Speculation::Sees(speculator) = &mut self.ahead else { return Ok(false) };
        let room = slots.saturating_sub(speculator.asked()).min(may_run);
        if slots == 1 || room == 0 {
            return Ok(false);
        }
        let has_looked = speculator.rehearse(slots);
        let mut wanted = speculator.wanted(slots, !has_looked);
        wanted.truncate(room);
        let affordable = self.options.spend.map_or(usize::MAX, |spend| speculator.affordable(spend));
        if !has_looked {
            let left = speculator.leave_others(&wanted);
            left.into_iter().for_each(|ticket| self.executor.cancel(ticket));
        }
        wanted.retain(|key| !speculator.runs(key));
        // A cancelled test has its worker until it has ended.
        wanted.truncate(affordable.min(slots.saturating_sub(speculator.running.len())));
        let job = |key: Key| Some((speculator.branches.as_ref()?.job(&key)?.clone(), key));
        let jobs: Vec<_> = wanted.into_iter().filter_map(job).collect();
        let idle = slots.saturating_sub(speculator.running.len() + jobs.len());
        let runs = speculator.idle_runs.take_if(|_| idle > 0 && !has_looked);
        jobs.into_iter().try_for_each(|(job, key)| self.start(job, key, Stage::Early))?;
        if let Some((text, times)) = runs.filter(|(text, _)| text == self.best()) {
            self.will_judge(&text, times)?;
        }
        Ok(has_looked)
    }

    /// Whether the outcome for a question that is asked is there already.
    pub(super) fn is_answered(&self, ticket: Ticket) -> bool {
        matches!(&self.ahead, Speculation::Sees(speculator) if speculator.ready.iter().any(|(ready, ..)| *ready == ticket))
    }

    /// The workers, if one of them can run tests ahead of their time.
    pub(super) fn workers_ahead(&self) -> usize {
        if self.executor.runs_beside() { self.executor.slots() } else { 1 }
    }

    /// Returns the maximum number of speculative tests.
    fn may_run_ahead(&self) -> usize {
        if self.options.control.is_paused() || self.cancel.is_stopped() {
            return 0;
        }
        let left = |most: u64| most.saturating_sub(self.tests_begun());
        self.options.max_tests.map_or(usize::MAX, |most| usize::try_from(left(most)).unwrap_or(usize::MAX))
    }

    /// Tests that have ended, whether their questions were asked or not.
    pub(super) fn tests_ended(&self) -> u64 {
        let ahead = match &self.ahead {
            Speculation::Sees(speculator) => {
                speculator.ended.values().map(Vec::len).sum::<usize>() + speculator.ready.len()
            }
            Speculation::Rehearses(..) => 0,
        };
        self.statistics.counts.total() + ahead as u64
    }

    /// Returns the number of tests that have started, including the running ones.
    pub(super) fn tests_begun(&self) -> u64 {
        let running = match &self.ahead {
            Speculation::Sees(speculator) => speculator.running.len(),
            Speculation::Rehearses(..) => 0,
        };
        self.tests_ended() + running as u64
    }

    fn start(&mut self, job: Job, key: Key, stage: Stage) -> Result<(), Interrupt> {
        let ticket = Ticket(self.next_ticket);
        let Speculation::Sees(speculator) = &mut self.ahead else { return Ok(()) };
        self.next_ticket += 1;
        speculator.begin(ticket, RunningTest { key, text: Arc::clone(&job.candidate), stage });
        let bytes = job.candidate.len();
        self.executor.submit(Job { ticket, ..job });
        self.tell_trying(ticket, self.statistics.pass, bytes, || "what is likely to be asked next".to_owned())
    }

    /// Tests on a text that will be asked about this number of times, one after the other, are run at the same time, if there
    /// are workers.
    pub(crate) fn will_judge(&mut self, text: &Arc<[u8]>, times: usize) -> Result<(), Interrupt> {
        let times = times.min(self.may_run_ahead());
        if self.workers_ahead() == 1 || self.is_rehearsal() {
            return Ok(());
        }
        let Speculation::Sees(speculator) = &self.ahead else { return Ok(()) };
        for _ in 0..times.min(self.executor.slots().saturating_sub(speculator.running.len())) {
            let job = Job { ticket: Ticket(0), candidate: Arc::clone(text), deadline: self.deadlines.of(false) };
            self.start(job, key(text), Stage::Sure)?;
        }
        Ok(())
    }

    /// Whether a further run on a text has ended or is under way.
    pub(super) fn has_runs(&self, text: &[u8]) -> bool {
        match &self.ahead {
            Speculation::Sees(speculator) => speculator.has_runs(&key(text)),
            Speculation::Rehearses(..) => false,
        }
    }

    /// Ends the runs on a text that is decided.
    pub(super) fn leave_runs(&mut self, text: &[u8]) {
        if self.confidence.trust.keeps_rate()
            && let Speculation::Sees(speculator) = &mut self.ahead
        {
            let left = speculator.leave_runs(&key(text));
            left.into_iter().for_each(|ticket| self.executor.cancel(ticket));
        }
    }

    /// Permits tests of the best result while workers have nothing else to do: it will be judged this number of times.
    pub(super) fn may_judge_best(&mut self, times: usize) {
        if let Speculation::Sees(speculator) = &mut self.ahead {
            speculator.idle_runs = Some((Arc::clone(&self.current.best().text), times));
        }
    }

    /// Ends the tests whose questions were not asked, and counts those that have ended.
    pub(crate) fn leave_ahead(&mut self) -> Result<(), Interrupt> {
        let Speculation::Sees(speculator) = &mut self.ahead else { return Ok(()) };
        (speculator.mark, speculator.branches) = (None, None);
        for ticket in speculator.running.keys() {
            self.executor.cancel(*ticket);
        }
        let mut early = Vec::new();
        while !speculator.running.is_empty()
            && let Some((ticket, outcome)) = self.executor.wait()
        {
            early.extend(speculator.take(ticket, outcome));
        }
        speculator.ready.clear();
        let ended: Vec<Ended> = speculator.ended.drain().flat_map(|(_, all)| all).collect();
        early.into_iter().try_for_each(|ticket| self.tell_ended(ticket))?;
        for Ended { outcome, bytes, slipped } in ended {
            self.count_of(bytes, slipped.as_deref(), &Outcome { unresolved: None, ..outcome }, IN_VAIN)?;
        }
        Ok(())
    }

    /// Sets a checkpoint: `resume` continues the reduction from here. No question is open. A speculative run may end
    /// here.
    pub(crate) fn set_mark(&mut self, resume: Resume<'a>) -> Result<(), Interrupt> {
        let goes_on = match &mut self.ahead {
            Speculation::Sees(speculator) => {
                speculator.mark = Some(Checkpoint { resume, answers: Vec::new() });
                true
            }
            Speculation::Rehearses(run_ahead, _) => run_ahead.borrow_mut().checkpoint(resume),
        };
        if goes_on { Ok(()) } else { Err(self.unresolved("the rehearsal is over")) }
    }

    /// Drops the checkpoint: replaying from an old one would cost more than the budget.
    pub(crate) fn forget_mark(&mut self) {
        if let Speculation::Sees(speculator) = &mut self.ahead {
            speculator.mark = None;
        }
    }

    /// Whether the next questions are looked for.
    pub(crate) fn looks_ahead(&self) -> bool {
        match &self.ahead {
            Speculation::Sees(speculator) => self.workers_ahead() > 1 && speculator.has_time(),
            Speculation::Rehearses(..) => true,
        }
    }

    /// To look ahead took so long.
    pub(crate) fn looked_ahead(&mut self, time: Duration) {
        if let Speculation::Sees(speculator) = &mut self.ahead {
            speculator.spent += time;
        }
    }

    /// Whether this is the copy in a speculative run.
    pub(super) fn is_rehearsal(&self) -> bool {
        matches!(self.ahead, Speculation::Rehearses(..))
    }
}

impl<'a, 'g> Session<'a, 'g> {
    /// A copy that is given the answers of a script; without one it is no more than the state.
    pub(crate) fn copy(&self, run_ahead: Option<&SpeculativeRun<'a>>) -> Session<'a, 'g> {
        let expectations = match &self.ahead {
            Speculation::Sees(speculator) => &speculator.expectations,
            Speculation::Rehearses(_, expectations) => expectations,
        };
        let (executor, ahead): (Box<dyn Executor + 'a>, _) = match run_ahead {
            Some(run_ahead) => (
                Box::new(Rehearsing(Rc::clone(run_ahead))),
                Speculation::Rehearses(Rc::clone(run_ahead), Rc::clone(expectations)),
            ),
            None => {
                let mut speculator = Speculator::default();
                speculator.expectations = Rc::clone(expectations);
                (Box::new(Inline::new(|_: &[u8]| false)), Speculation::Sees(Box::new(speculator)))
            }
        };
        Session {
            executor,
            sink: Box::new(Silent),
            cancel: self.cancel,
            options: self.options,
            gate: self.gate.clone(),
            current: self.current.clone(),
            memory: self.memory.clone(),
            confidence: self.confidence.clone(),
            deadlines: self.deadlines.clone(),
            next_ticket: self.next_ticket,
            observed: Observed { skipped: self.observed.skipped.clone(), ..Observed::new(false) },
            statistics: self.statistics.clone(),
            clock: self.clock.clone(),
            untested: self.untested.clone(),
            ahead,
        }
    }
}
