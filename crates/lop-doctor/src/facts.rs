//! Observations about a test: data without a judgement.

use std::path::PathBuf;
use std::time::Duration;

use lop_run::oracle::{Exit, Outcome};

use super::causes::Cause;
use super::missing::Missing;
use super::remote::RemoteComparison;
use super::rewording::Reworded;

/// The facts about a test. A fact that was not collected is `None` or empty.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The test's program.
    pub program: PathBuf,
    /// The condition that makes a run interesting, in words.
    pub wanted: String,
    /// Runs on the input, one after the other.
    pub input: Vec<Outcome>,
    /// Why these differ, if they do and it could be found out.
    pub cause: Option<Cause>,
    /// Number of runs that looked for that.
    pub for_cause: usize,
    /// The run on the empty file.
    pub empty: Option<Outcome>,
    /// The run on a file of one newline.
    pub trivial: Option<Outcome>,
    /// Runs on other trivial candidates, each with a description.
    pub trivial_inputs: Vec<(String, Outcome)>,
    /// Runs on the input in another directory. If the first one differs from those in the usual place, as many as
    /// there.
    pub other_directory: Vec<Outcome>,
    /// The words of the command that were rewritten, because they only work in one directory.
    pub reworded: Vec<Reworded>,
    /// Files that the test lacks in its own directory.
    pub missing: Option<Missing>,
    /// Parallel runs on the input.
    pub together: Vec<Outcome>,
    /// Names of processes that the runs left behind.
    pub processes: Vec<String>,
    /// The files that were created or changed in the source directories.
    pub changed: Vec<PathBuf>,
    /// Words of the test that are an absolute path of the input.
    pub names_original: Option<String>,
    /// A line of the test that writes to /dev/null by name, as an output file.
    pub names_null: Option<String>,
    /// Whether the test may delete devices.
    pub is_root: bool,
    /// Whether /dev/null was a device before, and after.
    pub null: Option<(bool, bool)>,
    /// The comparison with the other machine, if tests run there.
    pub remote: Option<RemoteComparison>,
    /// The deadline that the user asked for.
    pub deadline: Option<Duration>,
}

impl Facts {
    /// Counts the runs.
    #[must_use]
    pub fn runs(&self) -> usize {
        let single = [&self.empty, &self.trivial].into_iter().flatten().count();
        self.for_cause
            + self.input.len()
            + self.together.len()
            + self.other_directory.len()
            + self.trivial_inputs.len()
            + single
    }

    /// Whether a run on the input was interesting.
    pub(super) fn is_interesting(&self) -> bool {
        self.input.iter().any(Outcome::is_interesting)
    }

    /// Whether the condition is a hang.
    pub(super) fn is_to_hang(&self) -> bool {
        self.input.first().is_some_and(|first| first.is_interesting() && first.exit == Exit::TimedOut)
    }

    /// Whether the input was interesting, but not in another directory.
    pub(super) fn differs_in_other_directory(&self) -> bool {
        self.is_interesting() && self.other_directory.iter().any(|outcome| !outcome.is_interesting())
    }

    /// Whether the outcomes in one place differ.
    pub(super) fn is_flaky(&self) -> bool {
        let contradicts = |runs: &[Outcome]| {
            let interesting = runs.iter().filter(|outcome| outcome.is_interesting()).count();
            interesting > 0 && interesting < runs.len()
        };
        contradicts(&self.input) || contradicts(&self.other_directory)
    }

    /// The median duration on the input.
    pub(super) fn usual(&self) -> Duration {
        median(&self.input)
    }

    /// The longest duration on the input.
    pub(super) fn slowest(&self) -> Duration {
        self.input.iter().map(|outcome| outcome.duration).max().unwrap_or_default()
    }

    /// The duration of a run on a trivial file.
    pub(super) fn start_up(&self) -> Option<Duration> {
        let runs = [&self.empty, &self.trivial].into_iter().flatten();
        runs.filter(|outcome| outcome.verdict.is_some()).map(|outcome| outcome.duration).min()
    }
}

/// The median; zero without durations.
pub(super) fn median(outcomes: &[Outcome]) -> Duration {
    let mut durations: Vec<Duration> = outcomes.iter().map(|outcome| outcome.duration).collect();
    durations.sort_unstable();
    durations.get(durations.len() / 2).copied().unwrap_or_default()
}
