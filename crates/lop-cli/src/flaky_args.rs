//! `--flaky` of the commands that ask whether a file fails, and not how often.

use clap::{Args, value_parser};

/// The number of runs if the user gives none.
const USUAL: &str = "20";

/// How often a run that does not fail is repeated.
#[derive(Clone, Debug, Args)]
pub struct FlakyArgs {
    /// Find failures that show only sometimes: repeat a run without one, up to N times in all [default with --flaky: 20]
    ///
    /// With 20, a failure that shows in one run of five is missed once in 90 times
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = USUAL,
          value_parser = value_parser!(u32).range(1..=1000))]
    pub flaky: Option<u32>,
}

impl FlakyArgs {
    /// Repeats a run as often as `--flaky` without a number does.
    pub(crate) fn usual() -> Self {
        FlakyArgs { flaky: USUAL.parse().ok() }
    }

    /// Repeats no run.
    pub(crate) fn never() -> Self {
        FlakyArgs { flaky: None }
    }

    /// Runs something until it fails, or as often as the user wants, and returns the last run.
    pub(crate) fn until<T>(&self, mut run: impl FnMut() -> T, fails: impl Fn(&T) -> bool) -> T {
        let mut last = run();
        for _ in 1..self.flaky.unwrap_or(1) {
            if fails(&last) {
                break;
            }
            last = run();
        }
        last
    }
}
