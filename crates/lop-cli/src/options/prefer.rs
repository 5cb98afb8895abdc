//! `--prefer`: the measure of size.

use clap::{Args, ValueEnum};
use lop_reduce::{Options, Prefer};

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::SEARCH;

/// `--prefer`.
#[derive(Debug, Args)]
pub struct PreferOption {
    /// Measure of size
    ///
    /// It decides what lop tries first and which edits make the file smaller. --minimal doesn't depend on it
    #[arg(long, value_name = "WHAT", default_value = "tokens", help_heading = SEARCH, add = SetBy::Project)]
    pub prefer: PreferArg,
}

impl ReduceOption for PreferOption {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.prefer = match self.prefer {
            PreferArg::Tokens => Prefer::Tokens,
            PreferArg::Bytes => Prefer::Bytes,
            PreferArg::Lines => Prefer::Lines,
        };
        Ok(())
    }
}

/// `--prefer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PreferArg {
    /// Few tokens, then few bytes
    Tokens,
    /// Few bytes, then few tokens
    Bytes,
    /// Few lines, then few tokens
    Lines,
}
