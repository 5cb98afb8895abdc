//! Candidates from outside: gives the commands of `--propose` their turns. They know what lop can't, such as a compiler's
//! suggestions. The most successful one comes first, and one that finds nothing gets no long turns any more.

use std::sync::{Arc, MutexGuard, PoisonError};

use crate::current::{Candidate, Current};
use crate::difference::difference;
use crate::event::Event;
use crate::experience::Experience;
use crate::interrupt::Interrupt;
use crate::question_source::{QuestionSource, SourceState};
use crate::reducer::Reducer;
use crate::steps::PROPOSED;
use crate::tally::Tally;
use lop_engine::Verdict;
use lop_passes::Removal;
use lop_run::oracle::{Cancel, Proposer, ProposerError};

/// A turn ends after this number of proposals of the text itself: it would never end.
const MOST_REPEATS: u32 = 1_000;
/// Gives each proposer a turn. Returns `true` if the text became smaller.
pub(crate) fn ask_proposers(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let proposers = &reducer.options.proposers;
    if proposers.is_empty() || !reducer.allows_step(&PROPOSED) {
        return Ok(false);
    }
    // Programs outside know of one reduction only.
    reducer.session.end_branch()?;
    reducer.experience.resize_with(proposers.len(), Experience::default);
    let before = reducer.weight();
    let mut order: Vec<usize> = (0..proposers.len()).filter(|at| !reducer.experience[*at].failed).collect();
    order.sort_by(|a, b| reducer.experience[*b].rate().total_cmp(&reducer.experience[*a].rate()));
    for at in order {
        let mut proposer = proposers[at].lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = take_turn(reducer, &mut proposer, at)? {
            reducer.experience[at].failed = true;
            reducer.session.emit(&Event::Note(&format!("{}; it is not asked again", causes(&error))))?;
        }
    }
    Ok(reducer.weight() < before)
}

fn causes(error: &ProposerError) -> String {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn take_turn(
    reducer: &mut Reducer<'_, '_>,
    proposer: &mut MutexGuard<'_, Proposer>,
    at: usize,
) -> Result<Result<(), ProposerError>, Interrupt> {
    reducer.session.enter_pass(PROPOSED.name, reducer.round)?;
    reducer.rebase()?;
    let cancel = reducer.session.cancel().clone();
    if let Err(error) = proposer.begin(reducer.session.best(), &cancel) {
        return Ok(Err(error));
    }
    let mut refusals = 0;
    loop {
        let mut source = Proposed {
            what: format!("a proposal of {}", proposer.line()),
            text: Arc::clone(reducer.session.best()),
            keeps: !reducer.options.keep.is_empty(),
            chance: reducer.experience[at].rate(),
            proposer,
            cancel: &cancel,
            candidate: None,
            most: reducer.experience[at].patience().saturating_sub(refusals),
            tally: Tally::default(),
            repeats: 0,
            error: None,
            is_over: false,
        };
        let pursued = reducer.session.pursue(&mut source);
        let (tally, error, is_over) = (source.tally, source.error.take(), source.is_over);
        let found = &mut reducer.experience[at].found;
        (found.yes, found.no) = (found.yes + tally.yes, found.no + tally.no);
        refusals = if tally.yes > 0 { 0 } else { refusals + tally.no };
        let is_given_up = refusals >= reducer.experience[at].patience();
        if pursued.is_err() || (is_given_up && !is_over) {
            // It is in the middle of a turn.
            proposer.stop();
        }
        pursued?;
        if tally.yes > 0 {
            reducer.rebase()?;
        }
        if let Some(error) = error {
            return Ok(Err(error));
        }
        if is_over || is_given_up {
            reducer.experience[at].turns += 1;
            return Ok(Ok(()));
        }
    }
}

/// The candidates of a turn, up to the first interesting one.
struct Proposed<'p, 'm> {
    what: String,
    /// The text that is to become smaller.
    text: Arc<[u8]>,
    /// Whether parts of it have to stay.
    keeps: bool,
    chance: f64,
    proposer: &'p mut MutexGuard<'m, Proposer>,
    cancel: &'p Cancel,
    candidate: Option<Vec<u8>>,
    /// Most refusals.
    most: u32,
    tally: Tally,
    repeats: u32,
    error: Option<ProposerError>,
    /// Whether the turn has ended.
    is_over: bool,
}

impl Proposed<'_, '_> {
    fn next(&mut self) -> Result<Option<Vec<u8>>, ProposerError> {
        while let Some(candidate) = self.proposer.next(self.cancel)? {
            if candidate != *self.text {
                return Ok(Some(candidate));
            }
            self.repeats += 1;
            if self.repeats > MOST_REPEATS {
                self.proposer.stop();
                break;
            }
            self.proposer.answer(&candidate, true, self.cancel)?;
        }
        Ok(None)
    }
}

impl QuestionSource for Proposed<'_, '_> {
    fn ask(&mut self) -> bool {
        if self.tally.yes > 0 || self.tally.no >= self.most || self.is_over {
            return false;
        }
        if self.candidate.is_none() {
            match self.next() {
                Ok(next) => self.candidate = next,
                Err(error) => self.error = Some(error),
            }
            self.is_over = self.candidate.is_none();
        }
        self.candidate.is_some()
    }

    fn candidate(&mut self, current: &Current<'_>) -> Candidate {
        let candidate = self.candidate.as_deref().unwrap_or_default();
        let edits = Removal::Edits(difference(&self.text, candidate, self.keeps));
        current.candidate(std::iter::once(&edits), false)
    }

    fn observe(&mut self, verdict: Verdict) {
        let interesting = verdict == Verdict::Interesting;
        self.tally.add(interesting);
        if let Some(candidate) = self.candidate.take()
            && let Err(error) = self.proposer.answer(&candidate, interesting, self.cancel)
        {
            (self.error, self.is_over) = (Some(error), true);
        }
    }

    fn chance(&self) -> f64 {
        self.chance
    }

    fn give_up(&mut self) {
        self.proposer.stop();
        self.is_over = true;
    }

    fn state(&self) -> SourceState {
        Box::new(())
    }

    /// A proposer's process has no copies.
    fn take_over(&mut self, _: &SourceState) -> bool {
        false
    }

    fn describe(&self) -> String {
        self.what.clone()
    }
}
