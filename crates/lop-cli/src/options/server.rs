//! `--server`: a test that stays up.

use clap::Args;

use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::RUNNING;

/// `--server`.
#[derive(Debug, Args)]
pub struct ServerOption {
    /// Ask CMD about all candidates, instead of starting a test for each
    ///
    /// lop starts CMD once per worker. CMD reads the path of a candidate as a line and writes one line: `interesting`,
    /// `not interesting`, `invalid`, an exit code, or a JSON object. Some answers are compared with those of a fresh
    /// process: `lop --server 'python3 check.py' FILE`
    #[arg(long, value_name = "CMD", allow_hyphen_values = true, help_heading = RUNNING,
          add = SetBy::CommandLine("it is the test"))]
    pub server: Option<String>,
}

impl ReduceOption for ServerOption {
    const VERIFIED: bool = true;
}
