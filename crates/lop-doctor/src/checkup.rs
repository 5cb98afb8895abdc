//! The short examination in every reduction. [`Checkup`] wraps the consumers of events. Between the baseline and the
//! first pass it runs the test a few more times and reports its findings as notes.
//!
//! The baseline judges the input and the empty file. The checkup adds the input in another directory, a file of one
//! newline, and the first empty texts of the language, in parallel if tests run in parallel. It uses the deadline from
//! the baseline, while no other test is running.

use std::io;
use std::thread;
use std::time::Duration;

use lop_reduce::{Event, EventSink};
use lop_run::oracle::{Cancel, Oracle, Outcome, Slot, SlotOptions, is_device};

use super::checks::{FLAKY_CHECKS, TRIVIAL_CHECKS};
use super::exam::{Examination, together, try_other_directory};
use super::traces::Snapshot;
use super::trivial_inputs::TRIVIAL;
use super::{Level, findings};

/// Number of empty texts of the language to try. Each is a run in every reduction, and some reductions take only a
/// dozen tests. lop recognises such a text as the result without a run.
const EMPTY_TEXTS: usize = 1;

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
pub struct Checkup<'a> {
    examination: Examination<'a>,
    cancel: &'a Cancel,
    next: &'a mut dyn EventSink,
    extent: CheckupLevel,
    /// The run on the input and the resulting deadline, until they are used.
    baseline: Option<(Outcome, Duration)>,
    /// Whether the user knows that the test is flaky.
    is_flaky: bool,
    /// Number of runs, and their total time.
    made: (usize, Duration),
    /// The warnings to repeat at the end.
    attention: Vec<String>,
}

impl<'a> Checkup<'a> {
    /// Wraps `next`.
    pub fn new(
        examination: Examination<'a>,
        cancel: &'a Cancel,
        extent: CheckupLevel,
        next: &'a mut dyn EventSink,
    ) -> Self {
        // Idle workers have processes too: only those with the mark of this slot are ours.
        let slots = SlotOptions { owns_process: false, ..examination.slots };
        Self {
            examination: Examination { slots, ..examination },
            cancel,
            next,
            extent,
            baseline: None,
            is_flaky: false,
            made: (0, Duration::ZERO),
            attention: Vec::new(),
        }
    }

    /// Returns the number of runs besides the counted tests, and their total time.
    #[must_use]
    pub fn made(&self) -> (usize, Duration) {
        self.made
    }

    /// Returns the warnings for the end, each as a sentence.
    #[must_use]
    pub fn attention(&self) -> Vec<String> {
        self.attention.clone()
    }

    /// Formats warnings and errors as lines.
    fn examine(&mut self, outcome: Outcome, deadline: Duration) -> Vec<String> {
        let examination = &self.examination;
        let Ok(mut slot) = Slot::new(&examination.slots) else { return Vec::new() };
        let sources = Snapshot::take(examination.sources());
        let mut facts = examination.read();
        facts.input = vec![outcome];
        let mut cases = Vec::new();
        if self.extent == CheckupLevel::All {
            cases = examination.trivial_inputs.cases(examination.content);
            // The baseline has judged the empty file.
            let is_tried = |text: &[u8]| text == TRIVIAL || examination.trivial_inputs.is_of_language(text);
            cases.retain(|case| !case.text.is_empty() && is_tried(&case.text));
            cases.truncate(1 + EMPTY_TEXTS);
        }
        let texts: Vec<&[u8]> = cases.iter().map(|case| &*case.candidate).collect();
        let judge = || together(examination, &texts, deadline, self.cancel);
        let mut try_there = || try_other_directory(examination, &mut slot, deadline, self.cancel, &mut facts);
        let (judged, gone) = if examination.jobs > texts.len() {
            thread::scope(|scope| {
                let judged = scope.spawn(judge);
                let gone = try_there();
                (judged.join().expect("the oracle does not panic"), gone)
            })
        } else {
            (judge(), try_there())
        };
        // A stopped examination has no findings.
        let is_over = judged.is_ok() && gone.is_ok();
        let mut judged = judged.unwrap_or_default();
        // A test that shares files between runs may have judged another candidate, so repeat it alone.
        let mut beside_others = Vec::new();
        for (outcome, text) in judged.iter_mut().zip(&texts).filter(|(outcome, _)| outcome.is_interesting()) {
            if examination.jobs > 1 {
                let alone = examination.oracle.judge(text, &mut slot, deadline, self.cancel);
                beside_others.push(std::mem::replace(outcome, alone));
            }
        }
        for (case, outcome) in cases.into_iter().zip(judged) {
            if case.text == TRIVIAL {
                facts.trivial = Some(outcome);
            } else {
                facts.trivial_inputs.push((case.name, outcome));
            }
        }
        let trivial_inputs = facts.trivial_inputs.iter().map(|(_, run)| run);
        let made: Vec<&Outcome> = facts
            .trivial
            .iter()
            .chain(trivial_inputs)
            .chain(&facts.other_directory)
            .chain(&facts.input[1..])
            .chain(&beside_others)
            .collect();
        self.made = (made.len(), made.iter().map(|run| run.duration).sum());
        if !is_over || self.cancel.is_stopped() {
            return Vec::new();
        }
        facts.changed = sources.changes();
        facts.null = Some((true, is_device(examination.null)));
        facts.deadline = Some(deadline);
        let is_known = |check| self.is_flaky && FLAKY_CHECKS.contains(&check);
        let all = findings(&facts).into_iter();
        let worrying = all.filter(|finding| finding.level >= Level::Warning && !is_known(finding.check));
        let worrying: Vec<_> = worrying.collect();
        let trivial = worrying.iter().filter(|finding| TRIVIAL_CHECKS.contains(&finding.check));
        self.attention = trivial.map(ToString::to_string).collect();
        worrying.iter().map(ToString::to_string).collect()
    }
}

impl EventSink for Checkup<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Baseline { outcome, deadline } if self.extent != CheckupLevel::Nothing => {
                self.baseline = Some(((*outcome).clone(), *deadline));
            }
            Event::InputRate(_) => self.is_flaky = true,
            Event::Pass { .. } => {
                if let Some((outcome, deadline)) = self.baseline.take() {
                    for line in self.examine(outcome, deadline) {
                        self.next.event(&Event::Note(&line))?;
                    }
                }
            }
            _ => {}
        }
        self.next.event(event)
    }

    fn follows(&self) -> bool {
        self.next.follows()
    }
}
