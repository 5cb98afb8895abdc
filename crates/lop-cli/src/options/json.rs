//! `--json`: a line for each event.

use std::path::PathBuf;

use clap::Args;

use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::OUTPUT;

/// `--json`.
#[derive(Debug, Args)]
pub struct Json {
    /// Write each event as a line of JSON
    ///
    /// FILE may be `-` for standard output
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, add = SetBy::CommandLine("it names a file of one run"))]
    pub json: Option<PathBuf>,
}

impl ReduceOption for Json {}
