//! The option that keeps configuration files out of a command line.

use clap::Args;

use super::set_by::SetBy;

/// Whether files add to the command line.
#[derive(Debug, Default, Args)]
pub struct FilesArgs {
    /// Take no options from `lop.toml`
    ///
    /// Neither from the project's nor from the user's; `lop config` shows what they say
    #[arg(long, help_heading = "Command line", add = SetBy::CommandLine("it is about the files themselves"))]
    pub no_config: bool,
}
