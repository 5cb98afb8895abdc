//! `--syntax`: the syntax errors that candidates may have.

use clap::{Args, ValueEnum};
use lop_reduce::{Options, Syntax};

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::SEARCH;

/// `--syntax`.
#[derive(Debug, Args)]
pub struct SyntaxErrors {
    /// Syntax errors that candidates may have
    #[arg(long, value_name = "WHICH", default_value = "old", help_heading = SEARCH, add = SetBy::Project)]
    pub syntax: SyntaxArg,
}

impl ReduceOption for SyntaxErrors {
    const VERIFIED: bool = true;

    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.syntax = match self.syntax {
            SyntaxArg::Valid => Some(Syntax::Valid),
            SyntaxArg::Invalid => Some(Syntax::Invalid),
            SyntaxArg::Old | SyntaxArg::Any => None,
        };
        options.allow_syntax_errors = self.syntax == SyntaxArg::Any;
        Ok(())
    }
}

/// `--syntax`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SyntaxArg {
    /// Those that the best result has
    Old,
    /// Any
    Any,
    /// None. FILE must have none
    Valid,
    /// At least one. FILE must have one
    Invalid,
}
