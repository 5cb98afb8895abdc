//! The option that keeps configuration files out of a command line.

use clap::Args;

use super::reduce_option::ReduceOption;
use super::set_by::SetBy;

/// Whether files add to the command line.
#[derive(Debug, Default, Args)]
pub struct FilesArgs {
    /// Ignore lop.toml
    ///
    /// Both the project's and yours. `lop config` shows what they set
    #[arg(long, help_heading = "Configuration", add = SetBy::CommandLine("it is about the files themselves"))]
    pub no_config: bool,
}

impl ReduceOption for FilesArgs {}
