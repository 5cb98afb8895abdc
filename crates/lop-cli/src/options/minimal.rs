//! `--minimal`: the guarantee at the end.

use clap::Args;
use lop_reduce::{Minimal, Options};

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::{MinimalArg, RESULT};

/// `--minimal`.
#[derive(Debug, Args)]
pub struct MinimalOption {
    /// Size of the pieces that lop tries to delete one by one at the end
    ///
    /// None of them can be removed from the result. lop doesn't try deletions that would add a syntax error, except in
    /// languages with dialects when fewer than 50 tokens are left [default: token, or char without a grammar]
    #[arg(long, value_name = "LEVEL", help_heading = RESULT, add = SetBy::Project)]
    pub minimal: Option<MinimalArg>,
}

impl ReduceOption for MinimalOption {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.minimal = self.minimal.map(Into::into);
        Ok(())
    }
}

/// Refuses `--minimal` together with an option that gives no guarantee.
pub(super) fn no_guarantee(option: &str, options: &Options) -> Result<(), Failure> {
    match options.minimal {
        None | Some(Minimal::None) => Ok(()),
        Some(_) => Err(Failure::Usage {
            message: format!("{option} guarantees nothing, so it cannot be combined with --minimal"),
            hint: "omit one of the two, or use --minimal none".to_owned(),
        }),
    }
}
