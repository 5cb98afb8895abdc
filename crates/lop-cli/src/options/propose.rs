//! `--propose`: commands that propose candidates.

use std::sync::{Arc, Mutex};

use clap::Args;
use lop_reduce::Options;
use lop_run::oracle::Proposer;

use crate::command_words::command_words;
use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::SEARCH;

/// `--propose`.
#[derive(Debug, Args)]
pub struct ProposeOption {
    /// Also try the candidates that CMD proposes
    ///
    /// CMD gets texts and answers by JSON lines, like a command of Shrink Ray's --reduce-with. `examples/propose` has some
    /// for compilers and linters. Only for a single file (repeatable)
    #[arg(long, value_name = "CMD", allow_hyphen_values = true, help_heading = SEARCH,
          add = SetBy::CommandLine("it is a program to run"))]
    pub propose: Vec<String>,
}

impl ReduceOption for ProposeOption {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        for line in &self.propose {
            let proposer = Proposer::new(&command_words("--propose", line)?)?;
            options.proposers.push(Arc::new(Mutex::new(proposer)));
        }
        Ok(())
    }
}
