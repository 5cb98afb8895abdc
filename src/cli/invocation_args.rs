//! The options that say how the command line itself is to be read.

use clap::{Args, ValueEnum};

const INVOCATION: &str = "Command line";

/// Whether files add to the command line.
#[derive(Debug, Default, Args)]
pub struct FilesArgs {
    /// Take no options from `lop.toml`
    ///
    /// Neither from the project's nor from the user's; `lop config` shows what they say
    #[arg(long, help_heading = INVOCATION)]
    pub no_config: bool,
}

/// How the command line is to be read.
#[derive(Debug, Default, Args)]
pub struct InvocationArgs {
    /// Whether files add to it.
    #[command(flatten)]
    pub files: FilesArgs,
    /// Read the command line as this tool does
    ///
    /// So does a lop that is called by its name. With `--help` its options are listed, and what lop makes of each
    // Taken off the command line before this is read: see `compat`.
    #[arg(long, value_name = "TOOL", help_heading = INVOCATION)]
    pub compat: Option<CompatArg>,
}

/// `--compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompatArg {
    /// As lop itself, whatever it is called
    None,
    /// C-Reduce
    Creduce,
    /// C-Vise
    Cvise,
    /// treereduce
    Treereduce,
    /// afl-tmin
    AflTmin,
    /// Lithium
    Lithium,
}
