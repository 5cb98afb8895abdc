//! Runs speculative tests on idle workers.

use std::sync::Arc;
use std::time::Duration;

use crate::current::Candidate;
use crate::interrupt::Interrupt;
use crate::speculation::board::{Checkpoint, least_chance};
use lop_run::exec::{Job, Key, Ticket, key};
use lop_run::oracle::Outcome;

use super::running::{Ended, Link, RunningTest, RunningTests, Stage, Tests};
use super::{BASELINE, IN_VAIN, Session};

/// While speculation may find a likelier question, the session looks for it this often.
const OFTEN: Duration = Duration::from_micros(500);

/// Speculation makes no tree of a text with more bytes, before lop itself has one: two of them take too much memory.
const MOST_PARSED_AHEAD: usize = 256 << 10;

/// An early test gives way to one that is this number of times as likely to be needed.
const GIVES_WAY: f64 = 2.0;

impl<'a> Session<'a, '_> {
    /// Hands over a candidate that is expected to be interesting with this chance.
    pub(super) fn hand_over(&mut self, job: Job, pass: &'static str, chance: f64) -> Result<Ticket, Interrupt> {
        let Link::Tests(tests) = &mut self.link else { return Ok(job.ticket) };
        let ticket = tests.running_tests.new_ticket();
        let key = key(&job.candidate);
        // No branch has the runs of the baseline.
        if tests.workers_ahead() > 1 && pass != BASELINE {
            tests.speculation.board().asked(key, pass, chance);
            tests.speculation.wake();
        }
        let Tests { executor, running_tests, .. } = &mut **tests;
        if let Some(outcome) = running_tests.take_ended(&key) {
            running_tests.ready.push_back((ticket, key, outcome));
            return Ok(ticket);
        }
        if let Some(early) = running_tests.adopt(key) {
            return Ok(early);
        }
        let is_busy = running_tests.running.values().filter(|run| run.stage != Stage::Left).count() >= executor.slots();
        let left = is_busy.then(|| running_tests.leave_one()).flatten();
        left.into_iter().for_each(|early| executor.cancel(early));
        let text = Arc::clone(&job.candidate);
        running_tests.running.insert(ticket, RunningTest { key, text, stage: Stage::PendingQuestion });
        executor.submit(Job { ticket, ..job });
        // Its worker runs the new test.
        left.map_or(Ok(()), |early| self.tell_ended(early))?;
        Ok(ticket)
    }

    /// The next outcome of a test whose question was asked.
    pub(super) fn next_outcome(&mut self) -> Result<Option<(Ticket, Outcome)>, Interrupt> {
        loop {
            let Link::Tests(tests) = &mut self.link else { return Ok(None) };
            let mut ended = Vec::new();
            if tests.workers_ahead() > 1 {
                while let Some((ticket, outcome)) = tests.executor.try_wait() {
                    tests.take(ticket, outcome);
                    ended.push(ticket);
                }
            }
            ended.into_iter().try_for_each(|ticket| self.tell_ended(ticket))?;
            let is_explored = self.run_ahead()?;
            let Link::Tests(tests) = &mut self.link else { return Ok(None) };
            if let Some((ticket, key, outcome)) = tests.running_tests.ready.pop_front() {
                let is_question = tests.workers_ahead() > 1 && self.statistics.pass != BASELINE;
                if let Some(verdict) = outcome.verdict.filter(|_| is_question) {
                    tests.speculation.board().answered(&key, verdict);
                }
                return Ok(Some((ticket, outcome)));
            }
            let outcome = if is_explored {
                tests.executor.wait()
            } else {
                tests.speculation.wake();
                tests.executor.wait_for(OFTEN)
            };
            match outcome {
                Some((ticket, outcome)) => {
                    tests.take(ticket, outcome);
                    self.tell_ended(ticket)?;
                }
                None if is_explored => return Ok(None),
                None => {}
            }
        }
    }

    /// Gives idle workers the most likely next questions. Returns `false` if speculation may find more.
    fn run_ahead(&mut self) -> Result<bool, Interrupt> {
        let may_run = self.may_run_ahead();
        let wanted = self.options.least_chance;
        let Link::Tests(tests) = &mut self.link else { return Ok(true) };
        let slots = tests.workers_ahead();
        let room = slots.saturating_sub(tests.running_tests.asked()).min(may_run);
        if slots == 1 || room == 0 {
            return Ok(true);
        }
        let Tests { executor, speculation, running_tests, .. } = &mut **tests;
        let mut board = speculation.board();
        board.serve(slots, least_chance(wanted, slots));
        let is_explored = board.is_explored();
        let mut open = board.open();
        let is_asked =
            |key: &Key| running_tests.running.values().any(|run| run.stage > Stage::Early && run.key == *key);
        open.retain(|(_, key)| !is_asked(key));
        open.truncate(room);
        // A cancelled test has its worker until it has ended.
        let likelihood = |key: &Key| open.iter().find(|(_, other)| other == key).map_or(0.0, |(reach, _)| *reach);
        let (mut early, mut left) = (Vec::<(f64, Ticket)>::new(), Vec::new());
        for (ticket, run) in running_tests.running.iter_mut().filter(|(_, run)| run.stage == Stage::Early) {
            let likelihood = likelihood(&run.key);
            if likelihood == 0.0 && (is_explored || board.job(&run.key).is_none()) {
                run.stage = Stage::Left;
                left.push(*ticket);
            } else {
                early.push((likelihood, *ticket));
            }
        }
        early.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut free = slots.saturating_sub(running_tests.running.len());
        let mut jobs = Vec::new();
        for (reach, key) in &open {
            if running_tests.runs(key) {
                continue;
            }
            if free > 0 {
                free -= 1;
                jobs.extend(board.job(key).map(|job| (job.clone(), *key)));
            } else if let Some((_, ticket)) = early.pop_if(|(other, _)| *reach >= GIVES_WAY * *other)
                && let Some(run) = running_tests.running.get_mut(&ticket)
            {
                run.stage = Stage::Left;
                left.push(ticket);
            }
        }
        drop(board);
        left.iter().for_each(|ticket| executor.cancel(*ticket));
        let runs = running_tests.idle_runs.take_if(|_| free > 0 && is_explored);
        left.into_iter().try_for_each(|ticket| self.tell_ended(ticket))?;
        jobs.into_iter().try_for_each(|(job, key)| self.start(job, key, Stage::Early))?;
        if let Some((text, times)) = runs.filter(|(text, _)| text == self.best()) {
            self.will_judge(&text, times)?;
        }
        Ok(is_explored)
    }

    /// Whether the outcome for a question that is asked is there already.
    pub(super) fn is_answered(&self, ticket: Ticket) -> bool {
        matches!(&self.link, Link::Tests(tests) if tests.running_tests.ready.iter().any(|(ready, ..)| *ready == ticket))
    }

    /// The workers, if one of them can run tests ahead of their time.
    pub(super) fn workers_ahead(&self) -> usize {
        if let Link::Tests(tests) = &self.link { tests.workers_ahead() } else { 1 }
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
        let ahead = match &self.link {
            Link::Tests(tests) => {
                let RunningTests { ended, ready, dropped, .. } = &tests.running_tests;
                (ended.values().map(Vec::len).sum::<usize>() + ready.len()) as u64 + dropped.0.total()
            }
            Link::Branch(_) => 0,
        };
        self.statistics.counts.total() + ahead
    }

    /// Returns the number of tests that have started, including the running ones.
    pub(super) fn tests_begun(&self) -> u64 {
        let running = if let Link::Tests(tests) = &self.link { tests.running_tests.running.len() } else { 0 };
        self.tests_ended() + running as u64
    }

    fn start(&mut self, job: Job, key: Key, stage: Stage) -> Result<(), Interrupt> {
        let Link::Tests(tests) = &mut self.link else { return Ok(()) };
        let bytes = job.candidate.len();
        let ticket = tests.start(job, key, stage);
        self.tell_trying(ticket, self.statistics.pass, bytes, &|| "what is likely to be asked next".to_owned())
    }

    /// Tests on a text that will be asked about this number of times, one after the other, are run at the same time, if there
    /// are workers.
    pub(crate) fn will_judge(&mut self, text: &Arc<[u8]>, times: usize) -> Result<(), Interrupt> {
        let times = times.min(self.may_run_ahead());
        let Link::Tests(tests) = &self.link else { return Ok(()) };
        if tests.workers_ahead() == 1 {
            return Ok(());
        }
        for _ in 0..times.min(tests.executor.slots().saturating_sub(tests.running_tests.running.len())) {
            let job = Job { ticket: Ticket(0), candidate: Arc::clone(text), deadline: self.deadlines.of(false) };
            self.start(job, key(text), Stage::Sure)?;
        }
        Ok(())
    }

    /// Whether a further run on a text has ended or is under way.
    pub(crate) fn has_runs(&self, text: &[u8]) -> bool {
        matches!(&self.link, Link::Tests(tests) if tests.running_tests.has_runs(&key(text)))
    }

    /// Ends the runs on a text that is decided.
    pub(super) fn leave_runs(&mut self, text: &[u8]) {
        if self.confidence.trust.keeps_rate()
            && let Link::Tests(tests) = &mut self.link
        {
            let left = tests.running_tests.leave_runs(&key(text));
            left.into_iter().for_each(|ticket| tests.executor.cancel(ticket));
        }
    }

    /// Permits tests of the best result while workers have nothing else to do: it will be judged this number of times.
    pub(super) fn may_judge_best(&mut self, times: usize) {
        if let Link::Tests(tests) = &mut self.link {
            tests.running_tests.idle_runs = Some((Arc::clone(&self.current.best().text), times));
        }
    }

    /// Ends all tests, after an error.
    pub(crate) fn stop_tests(&mut self) {
        if let Link::Tests(tests) = &mut self.link {
            tests.stop();
        }
    }

    /// Ends the tests whose questions were not asked, and counts those that have ended.
    pub(crate) fn leave_ahead(&mut self) -> Result<(), Interrupt> {
        let Link::Tests(tests) = &mut self.link else { return Ok(()) };
        tests.speculation.board().stop();
        let last = tests.stop();
        tests.running_tests.ready.clear();
        let ended: Vec<Ended> = tests.running_tests.ended.drain().flat_map(|(_, all)| all).collect();
        let (counts, time) = std::mem::take(&mut tests.running_tests.dropped);
        last.into_iter().try_for_each(|ticket| self.tell_ended(ticket))?;
        self.statistics.counts.add_all(counts);
        self.statistics.of_pass().tests += counts.total();
        self.clock.testing += time;
        for Ended { outcome, bytes, slipped } in ended {
            self.count_of(bytes, slipped.as_deref(), &Outcome { unresolved: None, ..outcome }, IN_VAIN)?;
        }
        Ok(())
    }

    /// Lets speculation continue from here. A branch of speculation may end here.
    pub(super) fn continue_copies_from(&mut self, checkpoint: Checkpoint<'a>) -> Result<(), Interrupt> {
        let goes_on = match &mut self.link {
            Link::Tests(tests) => {
                tests.speculation.board().set_checkpoint(Some(checkpoint));
                tests.speculation.wake();
                true
            }
            Link::Branch(branch) => branch.borrow_mut().set_checkpoint(checkpoint),
        };
        if goes_on { Ok(()) } else { Err(self.unresolved("the branch has ended")) }
    }

    /// Has speculation continue nowhere.
    pub(super) fn stop_copies(&mut self) {
        if let Link::Tests(tests) = &mut self.link {
            tests.speculation.board().set_checkpoint(None);
        }
    }

    /// Whether the question about a candidate is new: to speculation or, in a copy, to its branch.
    pub(super) fn is_news(&self, candidate: &Candidate) -> bool {
        match &self.link {
            Link::Tests(tests) if tests.workers_ahead() == 1 => false,
            Link::Tests(tests) => !tests.speculation.board().knows(&key(&candidate.text)),
            Link::Branch(branch) => branch.borrow().is_news(&key(&candidate.text)),
        }
    }

    /// Whether the next questions are looked for.
    pub(crate) fn looks_ahead(&self) -> bool {
        match &self.link {
            Link::Tests(tests) => tests.workers_ahead() > 1,
            Link::Branch(_) => true,
        }
    }

    /// Whether a candidate passes the gate. A branch of speculation asks the gate once about a candidate.
    pub(super) fn passes_gate(&mut self, key: Key, text: &Arc<[u8]>) -> bool {
        let known = match &self.link {
            Link::Branch(branch) => branch.borrow().passes_gate(&key),
            Link::Tests(_) => None,
        };
        known.unwrap_or_else(|| {
            let Some(gate) = &mut self.gate else { return true };
            let passes = gate.passes(text, &self.current.best().text);
            if let Link::Branch(branch) = &self.link
                && !passes
            {
                branch.borrow().refused_by_gate(key);
            }
            passes
        })
    }

    /// Ends a branch of speculation that would need a second large tree.
    pub(crate) fn check_memory(&self) -> Result<(), Interrupt> {
        let is_large = self.size().bytes > MOST_PARSED_AHEAD;
        if is_large { self.end_branch() } else { Ok(()) }
    }

    /// Ends a branch of speculation that cannot do the next step.
    pub(crate) fn end_branch(&self) -> Result<(), Interrupt> {
        if self.is_copy() { Err(self.unresolved("the branch has ended")) } else { Ok(()) }
    }

    /// Whether this is the copy in a branch of speculation.
    pub(crate) fn is_copy(&self) -> bool {
        matches!(self.link, Link::Branch(_))
    }
}
