//! The baseline: checks that the input is interesting every time, and that the empty file isn't.

use std::sync::Arc;

use lop_engine::Verdict;
use lop_run::oracle::Outcome;

use super::error::ReduceError;
use super::event::Event;
use super::interrupt::Interrupt;
use super::options::Options;
use super::rates::Rates;
use super::report::Ended;
use super::session::Session;
use super::tally::{Rate, Tally};

/// Runs on the unchanged input before anything is believed.
pub(super) const RUNS: u32 = 2;
/// Number of runs after a refusal, to measure how often the test contradicts itself: two could be chance, and a test
/// that refuses a quarter of its runs would be reported as one that refuses its own input.
const RUNS_WHEN_REFUSED: u32 = 5;
/// Number of runs on the empty file if the input's outcomes alternated. A random test does all of this once in 128
/// times.
const RUNS_IN_TURNS: usize = 3;

/// The empty file, for people.
const EMPTY: &str = "the empty file";

/// Judges the input and the empty file, and sets the deadline. `true` means that the empty file is
/// interesting and may be the result.
pub(super) fn judge(session: &mut Session<'_, '_>, options: &Options) -> Result<bool, Interrupt> {
    let input = session.best().clone();
    let (mut runs, mut interesting) = (0_u32, 0);
    let mut slowest = std::time::Duration::ZERO;
    let mut last: Option<Outcome> = None;
    let mut refused: Option<Outcome> = None;
    let mut wanted = RUNS;
    // Whether it has given another answer each time.
    let mut turns = true;
    let mut before = None;
    // They usually run since before the input was parsed.
    if !session.has_runs(&input) {
        session.will_judge(&input, RUNS as usize)?;
    }
    let empties = empties(&input, options);
    for empty in &empties {
        session.will_judge(empty, 1)?;
    }
    let is_open = |interesting, runs| match options.flaky {
        Some(_) => !Rates::is_measured(Tally { yes: interesting, no: runs - interesting }),
        None => false,
    };
    while runs < wanted || is_open(interesting, runs) {
        if options.flaky.is_some() {
            session.will_judge(&input, Rates::runs_to_measure(interesting))?;
        }
        let outcome = session
            .judge(&input, "the input itself")
            .map_err(|interrupt| before_the_baseline(interrupt, session.is_out_of_time()))?;
        runs += 1;
        if outcome.verdict.is_none() {
            return Err(before_the_baseline(session.stopped(), session.is_out_of_time()));
        }
        turns &= before != Some(outcome.is_interesting());
        before = Some(outcome.is_interesting());
        if outcome.is_interesting() {
            interesting += 1;
            slowest = slowest.max(outcome.duration);
            last = Some(outcome);
        } else {
            refused = Some(outcome);
        }
        // A run that timed out may not contradict the others, and would time out again after the same time.
        let is_late = |outcome: &Outcome| outcome.verdict == Some(Verdict::Timeout);
        if refused.as_ref().is_some_and(|outcome| !is_late(outcome) || interesting > 0 || options.flaky.is_some()) {
            wanted = RUNS_WHEN_REFUSED;
        }
        if runs == RUNS_WHEN_REFUSED
            && std::mem::take(&mut turns)
            && options.flaky.is_some()
            && answers_are_inverted(session, before)?
            && let Some(outcome) = refused
        {
            return Err(Interrupt::Failed(ReduceError::InTurns { runs, outcome: Box::new(outcome) }));
        }
    }
    if let Some(outcome) = refused {
        let outcome = Box::new(outcome);
        if interesting == 0 {
            return Err(Interrupt::Failed(ReduceError::NotInteresting { outcome }));
        }
        if options.flaky.is_none() {
            return Err(Interrupt::Failed(ReduceError::Flaky { interesting, runs, outcome }));
        }
    }
    session.trust_input(interesting, runs - interesting)?;
    if options.flaky.is_some() {
        session.emit(&Event::InputRate(Rate { interesting, runs }))?;
    }
    if session.is_input_too_rare() {
        return Err(Interrupt::Failed(ReduceError::TooRare { interesting, runs }));
    }
    let deadline = session.baseline_took(slowest);
    if let Some(outcome) = &last {
        session.emit(&Event::Baseline { outcome, deadline })?;
    }
    if input.is_empty() {
        return if options.allow_empty { Ok(true) } else { Err(Interrupt::Failed(ReduceError::EmptyIsInteresting)) };
    }
    let mut may_be_empty = false;
    for empty in &empties {
        if is_interesting(session, empty)? {
            if !options.allow_empty {
                return Err(Interrupt::Failed(ReduceError::EmptyIsInteresting));
            }
            may_be_empty |= empty.is_empty();
        }
    }
    Ok(may_be_empty)
}

/// The candidates with nothing in them: the empty file. Of several files also the test case with all of its files, each
/// empty: a test that looks for the names of files only must not pass for one that looks into them.
fn empties(input: &Arc<[u8]>, options: &Options) -> Vec<Arc<[u8]>> {
    let emptied = options.project.as_ref().and_then(|project| project.emptied(input)).map(Arc::from);
    let all = [Some(Arc::from(&b""[..])), emptied].into_iter().flatten();
    all.filter(|empty: &Arc<[u8]>| empty != input).collect()
}

/// Whether a candidate with nothing in it is interesting, which is remembered. Before a run is refused, or the result is
/// nothing, the test is asked again.
fn is_interesting(session: &mut Session<'_, '_>, empty: &Arc<[u8]>) -> Result<bool, Interrupt> {
    let name = if empty.is_empty() { EMPTY } else { "empty files" };
    let out_of_time = |interrupt, session: &Session<'_, '_>| before_the_baseline(interrupt, session.is_out_of_time());
    let verdict = match session.judge(empty, name) {
        Ok(outcome) => outcome.verdict.ok_or_else(|| session.stopped())?,
        Err(interrupt) => return Err(out_of_time(interrupt, session)),
    };
    let is_interesting = match session.empty_is_interesting(empty, verdict == Verdict::Interesting) {
        Ok(is_interesting) => is_interesting,
        Err(interrupt) => return Err(out_of_time(interrupt, session)),
    };
    let verdict = match verdict {
        _ if is_interesting => Verdict::Interesting,
        Verdict::Interesting => Verdict::NotInteresting,
        refused => refused,
    };
    session.remember(empty, verdict);
    Ok(verdict == Verdict::Interesting)
}

/// Whether a test whose outcomes on the input alternated also alternates on the empty file; `last` is the last outcome
/// on the input. Then every second outcome is wrong for any candidate. A test that only refuses every second run always
/// refuses the empty file, and a test that doesn't read its input continues the alternation.
fn answers_are_inverted(session: &mut Session<'_, '_>, mut last: Option<bool>) -> Result<bool, Interrupt> {
    for run in 0..RUNS_IN_TURNS {
        let outcome =
            session.judge(b"", EMPTY).map_err(|interrupt| before_the_baseline(interrupt, session.is_out_of_time()))?;
        let answer = Some(outcome.is_interesting());
        if (answer == last) != (run == 0) {
            return Ok(false);
        }
        last = answer;
    }
    Ok(true)
}

/// A run that is stopped before the input was judged has no result to show.
fn before_the_baseline(interrupt: Interrupt, is_out_of_time: bool) -> Interrupt {
    match interrupt {
        Interrupt::Ended(Ended::Cancelled) => Interrupt::Failed(ReduceError::Cancelled),
        Interrupt::Ended(Ended::Budget) if is_out_of_time => Interrupt::Failed(ReduceError::OutOfTime),
        Interrupt::Ended(Ended::Budget) => Interrupt::Failed(ReduceError::OutOfTests),
        other => other,
    }
}
