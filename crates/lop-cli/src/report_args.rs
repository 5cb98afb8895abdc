//! The options for reports in addition to the summary: a page, an explanation, a bug report.

use std::path::PathBuf;

use clap::Args;

use super::reduce_option::ReduceOption;
use super::set_by::SetBy;

const REPORT: &str = "Report";

/// The options on reports in addition to the summary.
#[derive(Clone, Debug, Default, Args)]
pub struct ReportArgs {
    /// Write a web page about the run
    ///
    /// One file without scripts: command, condition and result, why each token was kept, size over tests, passes, and the
    /// statistics of the model
    #[arg(long, value_name = "FILE.html", help_heading = REPORT,
          add = SetBy::CommandLine("it names a file of one run"))]
    pub report: Option<PathBuf>,
    /// Print why each token of the result was kept
    ///
    /// With -v also the number of the test that decided. Up to 16 further tests find out which numbers and strings could
    /// have any other value
    #[arg(long, help_heading = REPORT)]
    pub explain: bool,
    /// Print a bug report in Markdown
    ///
    /// With the command, versions, the result and the output, without the directories of the run. lop runs the test on the
    /// result once more, and CMD --version
    #[arg(long, help_heading = REPORT)]
    pub format_issue: bool,
}

impl ReduceOption for ReportArgs {}
