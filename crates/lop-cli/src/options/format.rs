//! `--format`: the layout of the result.

use clap::Args;
use lop_reduce::{Format, Options};

use crate::failure::Failure;
use crate::format_arg::{FormatArg, FormatParser};
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::RESULT;

/// `--format`.
#[derive(Debug, Args)]
pub struct FormatOption {
    /// Layout of the result, or the command of a formatter
    ///
    /// lop's own layouts work for languages that it knows. They also shorten names; `--skip rename` keeps the names. A
    /// command, such as 'clang-format' or 'prettier --stdin-filepath x.ts', reads the result on standard input or as `@@`
    /// and writes it to standard output, within `--timeout` or 60 s. lop uses the formatted text only if it is still
    /// interesting. If the formatter changes more than whitespace, the result may not be minimal
    #[arg(long, value_name = "HOW|CMD", default_value = "pretty", value_parser = FormatParser,
          help_heading = RESULT, add = SetBy::Project)]
    pub format: FormatArg,
}

impl ReduceOption for FormatOption {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.format = Format::from(&self.format);
        Ok(())
    }
}
