//! Serves observers: reports the next test and the estimate, pauses, and ends skipped passes.

use std::time::{Duration, Instant};

use crate::event::Event;
use crate::outlook::{Outlook, Prospect, Sum};
use crate::question_source::QuestionSource;
use lop_engine::Estimate;
use lop_run::exec::Ticket;

use super::{BASELINE, Session};
use crate::interrupt::Interrupt;

/// The least time between two outlooks: people cannot read more.
const OFTEN: Duration = Duration::from_millis(100);

/// Whether something that happens now and then is due.
fn is_due(last: Option<Instant>) -> bool {
    last.is_none_or(|last| last.elapsed() >= OFTEN)
}

impl Session<'_, '_> {
    /// Describes a test that starts, unless it is speculative.
    pub(super) fn tell_trying(
        &mut self,
        ticket: Ticket,
        pass: &'static str,
        bytes: usize,
        what: &dyn Fn() -> String,
    ) -> Result<(), Interrupt> {
        if !self.observed.follows || self.is_answered(ticket) {
            return Ok(());
        }
        let workers = &mut self.observed.workers;
        let has_it = workers.iter().position(|running| *running == Some(ticket));
        let worker = has_it.or_else(|| workers.iter().position(Option::is_none)).unwrap_or_else(|| {
            workers.push(None);
            workers.len() - 1
        });
        workers[worker] = Some(ticket);
        self.emit(&Event::Trying { worker, pass, bytes, what: &what() })
    }

    /// Says that a test has ended, with any outcome.
    pub(super) fn tell_ended(&mut self, ticket: Ticket) -> Result<(), Interrupt> {
        let Some(worker) = self.observed.workers.iter().position(|running| *running == Some(ticket)) else {
            return Ok(());
        };
        self.observed.workers[worker] = None;
        self.emit(&Event::Idle { worker })
    }

    /// Whether the sink follows, and an outlook is due.
    pub(crate) fn wants_prospect(&self) -> bool {
        self.observed.follows && is_due(self.observed.made)
    }

    /// Takes note of the prospect after the next questions.
    pub(crate) fn set_prospect(&mut self, prospect: Prospect) {
        self.observed.prospect = prospect;
        self.observed.made = Some(Instant::now());
    }

    /// Emits the outlook, if the sink follows and it is due.
    pub(super) fn tell_outlook(&mut self, source: &dyn QuestionSource) -> Result<(), Interrupt> {
        if !self.observed.follows || !is_due(self.observed.told) {
            return Ok(());
        }
        self.observed.told = Some(Instant::now());
        let now = source.ahead();
        let none = Estimate { mean: 0.0, deviation: 0.0 };
        let mut total: Sum = self.observed.prospect.later;
        total.add(1.0, now.map_or(none, |now| now.tests));
        let outlook = Outlook { now, total: total.estimate(), depths: self.observed.prospect.depths.clone() };
        self.emit(&Event::Outlook(&outlook))
    }

    /// Holds on while the control is paused.
    pub(super) fn hold(&mut self) -> Result<(), Interrupt> {
        let control = &self.options.control;
        if self.is_copy() || !control.is_paused() || self.cancel.is_stopped() {
            return Ok(());
        }
        self.emit(&Event::Paused { tests: self.statistics.counts.total() })?;
        let (from, expiry) = (Instant::now(), self.cancel.expiry());
        // A limit of time is about work.
        self.cancel.expire_at(None);
        self.options.control.hold(self.cancel);
        self.cancel.expire_at(expiry.and_then(|moment| moment.checked_add(from.elapsed())));
        self.clock.leave_out(from.elapsed());
        self.emit(&Event::Resumed)
    }

    /// A test was run, or a pass begun.
    pub(super) fn tick(&mut self) {
        self.observed.moment += 1;
    }

    /// Ends the current step when a pass is skipped: the driver restarts the step without that pass. This is checked
    /// once at each moment, so that a run that repeats this one does the same at the same moment.
    pub(super) fn check_skips(&mut self) -> Result<(), Interrupt> {
        let moment = self.observed.moment;
        if self.is_copy() || self.statistics.pass == BASELINE || moment == self.observed.looked {
            return Ok(());
        }
        self.observed.looked = moment;
        let known = self.observed.skipped.len();
        if self.options.control.skipped_at(moment) == known {
            return Ok(());
        }
        let mut is_less = false;
        for pass in self.options.control.skipped().split_off(known) {
            self.observed.skipped.push(pass);
            if self.options.passes.knows(pass) {
                self.emit(&Event::Skipped { pass, tests: self.statistics.counts.total() })?;
                is_less = true;
            }
        }
        if is_less { Err(Interrupt::Skipped) } else { Ok(()) }
    }

    /// Whether a pass is left out by request.
    pub(crate) fn skips(&self, pass: &str) -> bool {
        self.observed.skipped.contains(&pass)
    }

    /// The passes that are left out by request.
    pub(crate) fn skipped(&self) -> &[&'static str] {
        &self.observed.skipped
    }
}
