//! The options of a call, which `python/lop` has checked.

use std::path::PathBuf;
use std::time::Duration;

use lop::{Cancel, Config, RateGoal};
use pyo3::prelude::*;

/// The options, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    language: Option<String>,
    file_name: Option<PathBuf>,
    /// In seconds.
    pub(crate) max_time: Option<f64>,
    pub(crate) max_tests: Option<u64>,
    pub(crate) jobs: usize,
    flaky: Option<Flaky>,
    seed: u64,
    /// Whether the data are the choices of a generator.
    choices: bool,
}

/// How often the result must show the bug.
#[derive(FromPyObject)]
enum Flaky {
    AtLeast(f64),
    Named(String),
}

impl Options {
    pub(crate) fn config(&self, cancel: &Cancel) -> Config<'_> {
        let mut config = Config::new().jobs(self.jobs).seed(self.seed).cancel(cancel).options(|options| {
            options.max_tests = self.max_tests;
            (options.choices, options.allow_empty) = (self.choices, self.choices);
            options.max_time = self.max_time.map(|most| Duration::try_from_secs_f64(most).unwrap_or(Duration::MAX));
            options.flaky = self.flaky.as_ref().map(|flaky| match flaky {
                Flaky::AtLeast(rate) => RateGoal::AtLeast(*rate),
                Flaky::Named(name) if name == "more" => RateGoal::More,
                Flaky::Named(_) => RateGoal::OfInput,
            });
        });
        if let Some(name) = &self.language {
            config = config.language(name);
        }
        if let Some(name) = &self.file_name {
            config = config.file_name(name);
        }
        config
    }
}
