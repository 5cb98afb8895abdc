//! `--max-parse`: the largest text that gets a syntax tree. A project's file cannot set it, because a tree takes memory.

use clap::Args;
use lop_reduce::Options;

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::values::{SEARCH, size};

/// `--max-parse`.
#[derive(Debug, Args)]
pub struct MaxParse {
    /// Parse only texts of at most SIZE bytes, such as 64M
    ///
    /// lop first cuts a larger text down by lines. A tree needs many times the memory of its text
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = size, help_heading = SEARCH)]
    pub max_parse: usize,
}

impl ReduceOption for MaxParse {
    const VERIFIED: bool = true;

    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.max_parse = Some(self.max_parse);
        Ok(())
    }
}
