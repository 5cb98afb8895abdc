//! `--no-checkup`: a start without a check of the test.

use clap::Args;

use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::RUNNING;

/// `--no-checkup`.
#[derive(Debug, Args)]
pub struct NoCheckup {
    /// Don't check the test at the start
    ///
    /// The check takes a few runs of the test. `lop doctor` checks more
    #[arg(long, help_heading = RUNNING, add = SetBy::Project)]
    pub no_checkup: bool,
}

impl ReduceOption for NoCheckup {}
