//! `--also-interesting`: other crashes to save.

use clap::Args;

use crate::condition_args::{CONDITIONS, exit_code};
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;

/// `--also-interesting`.
#[derive(Debug, Args)]
pub struct AlsoInteresting {
    /// Save candidates with this exit code in FILE.lop/other
    ///
    /// They still count as not interesting (repeatable)
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = exit_code(),
          help_heading = CONDITIONS, add = SetBy::Project)]
    pub also_interesting: Vec<i32>,
}

impl ReduceOption for AlsoInteresting {
    const VERIFIED: bool = true;
}
