//! `--ui`: how a run shows its progress.

use std::io::IsTerminal;

use clap::{Args, ValueEnum};

use super::reduce_option::ReduceOption;
use lop_reduce::EventSink;
use lop_report::screen::{self, Screen, Subject};
use lop_report::{Form, Progress, Verbosity};

/// How a run shows itself.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct UiArgs {
    /// Progress display on standard error
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = "Output")]
    pub ui: UiArg,
}

impl ReduceOption for UiArgs {}

/// `--ui`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum UiArg {
    /// `tui` on a large enough terminal without -q, -v or --json; otherwise `line`
    #[default]
    Auto,
    /// The whole screen, with keys: p pauses, s skips the pass, q quits with the best result, ? lists all
    Tui,
    /// One line that is updated, or `plain` if that is not possible
    Line,
    /// A line for each step, without colours and control characters
    Plain,
    /// Nothing before the summary
    None,
}

impl UiArg {
    /// Returns the display of a run's events, if there is one. `is_taken` says that standard output has another use.
    pub(super) fn display(
        self,
        verbosity: Verbosity,
        is_taken: bool,
        subject: impl FnOnce() -> Subject,
    ) -> Option<Box<dyn EventSink>> {
        let is_shared = is_taken && std::io::stdout().is_terminal();
        let is_free = || verbosity == Verbosity::Normal && screen::is_usable();
        let form = match self {
            UiArg::None => return None,
            // No display can stay up to date between the lines of another program.
            _ if is_shared => Form::Plain,
            UiArg::Tui if verbosity > Verbosity::Quiet => return Some(Box::new(Screen::new(subject()))),
            UiArg::Auto if is_free() => return Some(Box::new(Screen::new(subject()))),
            UiArg::Plain => Form::Plain,
            UiArg::Auto | UiArg::Tui | UiArg::Line => Form::Line,
        };
        (verbosity > Verbosity::Quiet).then(|| Box::new(Progress::new(verbosity, form)) as Box<dyn EventSink>)
    }
}
