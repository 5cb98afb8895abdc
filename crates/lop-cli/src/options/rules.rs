//! `--rules`: rules of the user for a language.

use std::path::PathBuf;

use clap::Args;

use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::SEARCH;

/// `--rules`.
#[derive(Debug, Args)]
pub struct Rules {
    /// Add the reduce.scm and language.toml of this directory to the language
    #[arg(long, value_name = "DIR", help_heading = SEARCH, add = SetBy::Project)]
    pub rules: Option<PathBuf>,
}

impl ReduceOption for Rules {
    const VERIFIED: bool = true;
}
