//! The options by which a run is reported beside the summary: a page, an explanation, a bug report, annotations.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const REPORT: &str = "Report";

/// What is reported beside the summary.
#[derive(Clone, Debug, Default, Args)]
pub struct ReportArgs {
    /// Write a page for a browser: why each token stays, input and result, sizes over tests, passes, the model
    #[arg(long, value_name = "FILE.html", help_heading = REPORT)]
    pub report: Option<PathBuf>,
    /// Print a unified diff of each accepted step and the one before it
    #[arg(long, help_heading = REPORT)]
    pub diff_steps: bool,
    /// Print why each token of the result stays, with the test that said so; costs no test
    #[arg(long, help_heading = REPORT)]
    pub explain: bool,
    /// Print a bug report in Markdown: command, versions, minimal input, what was observed. Runs the test on the result
    /// once more, and CMD --version
    #[arg(long, help_heading = REPORT)]
    pub format_issue: bool,
    /// Write what the run came to as annotations of FILE, on standard error
    #[arg(long, value_name = "FOR", help_heading = REPORT)]
    pub annotations: Option<AnnotationsArg>,
}

/// `--annotations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnnotationsArg {
    /// Commands of a GitHub workflow: ::notice, ::warning, ::error
    Github,
}
