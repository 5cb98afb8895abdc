//! `--jobs`: tests at the same time.

use clap::Args;
use lop_run::exec::Jobs;

use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::{RUNNING, jobs};

/// `--jobs`.
#[derive(Debug, Args)]
pub struct JobsOption {
    /// Tests to run at once [default: one per core]
    ///
    /// With 1 and the same --seed, two runs are identical. `auto` starts with 1 and measures which number gives the most
    /// answers per second, up to two per core
    #[arg(short, long, value_name = "N|auto", value_parser = jobs, help_heading = RUNNING, add = SetBy::Project)]
    pub jobs: Option<Jobs>,
}

impl ReduceOption for JobsOption {}
