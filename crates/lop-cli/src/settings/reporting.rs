//! The reports of a run: events, pages, texts about the result, and the display.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::options::ReduceArgs;
use crate::piped::is_stdout;
use crate::report_args::ReportArgs;
use crate::ui_args::UiArg;
use lop_report::Verbosity;

/// The reports of a run.
#[derive(Debug)]
pub struct Reporting {
    /// Where the events go.
    pub json: Option<PathBuf>,
    /// The reports in addition to the summary.
    pub wanted: ReportArgs,
    /// The texts on standard output at the end, by the names of their options.
    pub texts: Vec<&'static str>,
    /// The number of messages.
    pub verbosity: Verbosity,
    /// The progress display.
    pub ui: UiArg,
    /// The warnings at the end, each a sentence.
    pub attention: Vec<String>,
}

impl Reporting {
    /// The reports that were asked for.
    ///
    /// # Errors
    /// If several of them would be written to standard output.
    pub(super) fn of(args: &ReduceArgs, is_piped: bool) -> Result<Self, Failure> {
        check_stdout(args, is_piped)?;
        Ok(Reporting {
            json: args.json.json.clone(),
            wanted: args.reporting.clone(),
            texts: args.texts(),
            verbosity: match args.verbosity.verbose {
                0 if args.verbosity.quiet => Verbosity::Quiet,
                0 => Verbosity::Normal,
                1 => Verbosity::Passes,
                _ => Verbosity::Tests,
            },
            ui: args.ui.ui,
            attention: Vec::new(),
        })
    }
}

/// Standard output can carry one thing only; texts about the result follow each other.
fn check_stdout(args: &ReduceArgs, is_piped: bool) -> Result<(), Failure> {
    if args.reporting.report.as_deref().is_some_and(is_stdout) {
        return Err(Failure::Usage {
            message: "the report cannot be written to standard output".to_owned(),
            hint: "name a file: --report FILE.html".to_owned(),
        });
    }
    let takers = [
        ("-o -", args.result.output.as_deref().is_some_and(is_stdout)),
        ("the result of standard input", is_piped && args.result.output.is_none()),
        ("--json -", args.json.json.as_deref().is_some_and(is_stdout)),
    ];
    let mut takers: Vec<&str> = takers.into_iter().filter(|(_, takes)| *takes).map(|(name, _)| name).collect();
    let texts = args.texts();
    if takers.len() + texts.len().min(1) < 2 {
        return Ok(());
    }
    takers.extend(texts);
    Err(Failure::Usage {
        message: format!("{} would all write to standard output", takers.join(" and ")),
        hint: "name a file with -o or --json, or omit one of them".to_owned(),
    })
}
