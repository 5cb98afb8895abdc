//! The short examination in every reduction. [`Checkup`] wraps the consumers of events. Between the baseline and the
//! first pass it runs the test a few more times and reports its findings as notes.
//!
//! The baseline judges the input and the empty file. The checkup adds the input in another directory, a file of one
//! newline, and the first empty texts of the language, with the deadline from the baseline. If tests run in parallel, these
//! do, too, and the reduction does not wait for them.

use std::io;
use std::path::PathBuf;
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Duration;

use lop_reduce::{Control, Event, EventSink};
use lop_run::oracle::{Cancel, Oracle, Outcome, Slot, is_device};

use super::checks::{FLAKY_CHECKS, TRIVIAL_CHECKS};
use super::exam::{Examination, try_other_directory};
use super::facts::Facts;
use super::traces::Snapshot;
use super::trivial_inputs::{TRIVIAL, TrivialInput};
use super::{Level, findings};

/// Number of empty texts of the language to try. Each is a run in every reduction, and some reductions take only a
/// dozen tests. lop recognises such a text as the result without a run.
const EMPTY_TEXTS: usize = 1;

/// A trivial text is interesting if it is so this number of times more, if other tests run at the same time.
const AGAIN: usize = 2;

/// Which runs the checkup makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckupLevel {
    /// No run.
    Nothing,
    /// No trivial inputs: the user wants a trivial result.
    Directory,
    /// All runs.
    All,
}

/// A consumer of events that examines the test after the baseline.
pub struct Checkup<'s, 'e, 'n> {
    scope: &'s Scope<'s, 'e>,
    /// The examination, until it begins.
    examination: Option<Examination<'e>>,
    cancel: &'e Cancel,
    control: &'e Control,
    next: &'n mut dyn EventSink,
    extent: CheckupLevel,
    /// The files beside the input and the test, before the baseline.
    sources: Snapshot,
    /// The run on the input, the resulting deadline, and the files that have changed, until they are used.
    baseline: Option<(Outcome, Duration, Vec<PathBuf>)>,
    /// Whether the user knows that the test is flaky.
    is_flaky: bool,
    running: Option<ScopedJoinHandle<'s, Examined>>,
    /// Number of runs, and their total time.
    made: (usize, Duration),
    /// The warnings to repeat at the end.
    attention: Vec<String>,
}

/// The result of an examination.
#[derive(Default)]
struct Examined {
    made: (usize, Duration),
    attention: Vec<String>,
    /// Warnings and errors as lines.
    lines: Vec<String>,
}

impl<'s, 'e, 'n> Checkup<'s, 'e, 'n> {
    /// Wraps `next`. If tests run in parallel, the examination takes place in this scope, beside the reduction.
    pub fn new(
        examination: Examination<'e>,
        (cancel, control): (&'e Cancel, &'e Control),
        extent: CheckupLevel,
        next: &'n mut dyn EventSink,
        scope: &'s Scope<'s, 'e>,
    ) -> Self {
        let is_wanted = extent != CheckupLevel::Nothing;
        let sources = if is_wanted { examination.sources() } else { Vec::new() };
        Self {
            scope,
            examination: Some(examination),
            cancel,
            control,
            next,
            extent,
            sources: Snapshot::take(sources),
            baseline: None,
            is_flaky: false,
            running: None,
            made: (0, Duration::ZERO),
            attention: Vec::new(),
        }
    }

    /// Ends the examination. Returns the number of runs besides the counted tests with their total time, and the
    /// warnings for the end, each as a sentence.
    #[must_use]
    pub fn end(mut self) -> ((usize, Duration), Vec<String>) {
        // If there is an error, its message is enough.
        let _ = self.report();
        (self.made, self.attention)
    }

    fn begin(&mut self) -> io::Result<()> {
        let Some((outcome, deadline, changed)) = self.baseline.take() else { return Ok(()) };
        let Some(examination) = self.examination.take() else { return Ok(()) };
        let (extent, is_flaky, cancel, control) = (self.extent, self.is_flaky, self.cancel, self.control);
        let is_alone = examination.jobs == 1;
        let mut facts = examination.read();
        (facts.input, facts.deadline, facts.changed) = (vec![outcome], Some(deadline), changed);
        let examine = move || examine(&examination, facts, deadline, (extent, is_flaky), (cancel, control));
        self.running = Some(self.scope.spawn(examine));
        if is_alone { self.report() } else { Ok(()) }
    }

    /// Waits for the examination, and hands its findings on.
    fn report(&mut self) -> io::Result<()> {
        let Some(running) = self.running.take() else { return Ok(()) };
        let Examined { made, attention, lines } = running.join().unwrap_or_default();
        (self.made, self.attention) = (made, attention);
        lines.iter().try_for_each(|line| self.next.event(&Event::Note(line)))
    }
}

fn examine(
    examination: &Examination<'_>,
    mut facts: Facts,
    deadline: Duration,
    (extent, is_flaky): (CheckupLevel, bool),
    (cancel, control): (&Cancel, &Control),
) -> Examined {
    let Ok(mut slot) = Slot::new(&examination.slots) else { return Examined::default() };
    let mut cases = Vec::new();
    if extent == CheckupLevel::All {
        cases = examination.trivial_inputs.cases(examination.content);
        // The baseline has judged the empty file.
        let is_tried = |text: &[u8]| text == TRIVIAL || examination.trivial_inputs.is_of_language(text);
        cases.retain(|case| !case.text.is_empty() && is_tried(&case.text));
        cases.truncate(1 + EMPTY_TEXTS);
    }
    let judge = || judge_trivial(examination, cases, deadline, (cancel, control));
    let mut try_there = || {
        control.hold(cancel);
        try_other_directory(examination, &mut slot, deadline, cancel, &mut facts)
    };
    let (judged, gone) = if examination.jobs > 1 {
        thread::scope(|scope| {
            let judged = scope.spawn(judge);
            let gone = try_there();
            (judged.join().unwrap_or_default(), gone)
        })
    } else {
        (judge(), try_there())
    };
    let (judged, repeated) = judged;
    for (case, outcome) in judged {
        if case.text == TRIVIAL {
            facts.trivial = Some(outcome);
        } else {
            facts.trivial_inputs.push((case.name, outcome));
        }
    }
    let trivial_inputs = facts.trivial_inputs.iter().map(|(_, run)| run);
    let runs = repeated.iter().chain(&facts.trivial).chain(trivial_inputs).chain(&facts.other_directory);
    let runs: Vec<&Outcome> = runs.chain(&facts.input[1..]).collect();
    let made = (runs.len(), runs.iter().map(|run| run.duration).sum());
    // A stopped examination has no findings.
    if gone.is_err() || cancel.is_stopped() {
        return Examined { made, ..Examined::default() };
    }
    facts.null = Some((true, is_device(examination.null)));
    let is_known = |check| is_flaky && FLAKY_CHECKS.contains(&check);
    let all = findings(&facts).into_iter();
    let worrying = all.filter(|finding| finding.level >= Level::Warning && !is_known(finding.check));
    let worrying: Vec<_> = worrying.collect();
    let trivial = worrying.iter().filter(|finding| TRIVIAL_CHECKS.contains(&finding.check));
    let attention = trivial.map(ToString::to_string).collect();
    Examined { made, attention, lines: worrying.iter().map(ToString::to_string).collect() }
}

/// Judges trivial texts. Returns each with its outcome, and the runs that were repeated.
fn judge_trivial(
    examination: &Examination<'_>,
    cases: Vec<TrivialInput>,
    deadline: Duration,
    (cancel, control): (&Cancel, &Control),
) -> (Vec<(TrivialInput, Outcome)>, Vec<Outcome>) {
    let (mut judged, mut repeated) = (Vec::new(), Vec::new());
    let Ok(mut slot) = Slot::new(&examination.slots) else { return (judged, repeated) };
    for case in cases {
        let mut judge = || {
            control.hold(cancel);
            examination.oracle.judge(&case.candidate, &mut slot, deadline, cancel)
        };
        let mut outcome = judge();
        // A test that shares files between runs may have judged the candidate of another worker.
        for _ in 0..if examination.jobs > 1 { AGAIN } else { 0 } {
            if outcome.is_interesting() {
                repeated.push(std::mem::replace(&mut outcome, judge()));
            }
        }
        judged.push((case, outcome));
    }
    (judged, repeated)
}

impl EventSink for Checkup<'_, '_, '_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Baseline { outcome, deadline } if self.extent != CheckupLevel::Nothing => {
                // Later, lop itself writes its result there.
                self.baseline = Some(((*outcome).clone(), *deadline, self.sources.changes()));
            }
            Event::InputRate(_) => self.is_flaky = true,
            Event::Pass { .. } => self.begin()?,
            Event::Finished(_) => self.report()?,
            _ if self.running.as_ref().is_some_and(ScopedJoinHandle::is_finished) => self.report()?,
            _ => {}
        }
        self.next.event(event)
    }

    fn follows(&self) -> bool {
        self.next.follows()
    }
}
