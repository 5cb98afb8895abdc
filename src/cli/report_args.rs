//! The options by which a run is reported beside the summary: a page, an explanation, a bug report.

use std::path::PathBuf;

use clap::Args;

use super::set_by::SetBy;

const REPORT: &str = "Report";

/// The options on reports beside the summary.
#[derive(Clone, Debug, Default, Args)]
pub struct ReportArgs {
    /// Write a page: why each token stays, and more
    ///
    /// One file for a browser, without scripts: why each token stays, input and result, sizes over tests, passes, the
    /// model
    #[arg(long, value_name = "FILE.html", help_heading = REPORT,
          add = SetBy::CommandLine("it names a file of one run"))]
    pub report: Option<PathBuf>,
    /// Print why each token of the result stays
    ///
    /// With the number of the test that said so; it costs no test
    #[arg(long, help_heading = REPORT)]
    pub explain: bool,
    /// Print a bug report in Markdown
    ///
    /// Command, versions, the minimal input, what was observed, without the directories of the run. It runs the test on
    /// the result once more, and CMD --version
    #[arg(long, help_heading = REPORT)]
    pub format_issue: bool,
}
