//! `--max-parse`: how large a text may be that gets a syntax tree.

use clap::Args;
use lop_reduce::{MAX_PARSE, Options};

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::{SEARCH, size};

/// `--max-parse`.
#[derive(Debug, Args)]
pub struct MaxParse {
    /// Parse only texts of at most SIZE bytes, such as 64M
    ///
    /// lop first cuts a larger text down by lines. A tree needs many times the memory of its text
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = size, help_heading = SEARCH, add = SetBy::Project)]
    pub max_parse: usize,
}

impl ReduceOption for MaxParse {
    const VERIFIED: bool = true;

    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.max_parse = Some(self.max_parse).filter(|bytes| *bytes != MAX_PARSE);
        Ok(())
    }
}
