//! `--ui`: how a run shows itself while it is under way.

use std::io::IsTerminal;
use std::path::Path;

use clap::{Args, ValueEnum};

use crate::reduce::EventSink;
use crate::report::screen::{self, Screen, Subject};
use crate::report::{Form, Progress, Verbosity};

use super::settings::is_stdout;

/// How a run shows itself.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct UiArgs {
    /// What is shown on standard error during the run
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = "Output")]
    pub ui: UiArg,
}

/// `--ui`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum UiArg {
    /// `tui` on a terminal with room for it, unless -q, -v or --json say that it is needed for something else; else
    /// `line`
    #[default]
    Auto,
    /// The whole screen, with keys: p pauses, s skips the pass, q quits and keeps the best result, ? lists all
    Tui,
    /// One line that is kept up to date, or `plain` where that is not possible
    Line,
    /// A line for each step, without colours and control characters
    Plain,
    /// Nothing before the summary
    None,
}

impl UiArg {
    /// What takes the events of a run in order to show them, if anything does. `json` is where events go as JSON.
    pub(super) fn display(
        self,
        verbosity: Verbosity,
        json: Option<&Path>,
        subject: impl FnOnce() -> Subject,
    ) -> Option<Box<dyn EventSink>> {
        let is_free = || {
            let json_is_there = json.is_some_and(is_stdout) && std::io::stdout().is_terminal();
            verbosity == Verbosity::Normal && !json_is_there && screen::is_usable()
        };
        let form = match self {
            UiArg::Tui if verbosity > Verbosity::Quiet => return Some(Box::new(Screen::new(subject()))),
            UiArg::Auto if is_free() => return Some(Box::new(Screen::new(subject()))),
            UiArg::None => return None,
            UiArg::Plain => Form::Plain,
            UiArg::Auto | UiArg::Tui | UiArg::Line => Form::Line,
        };
        (verbosity > Verbosity::Quiet).then(|| Box::new(Progress::new(verbosity, form)) as Box<dyn EventSink>)
    }
}
