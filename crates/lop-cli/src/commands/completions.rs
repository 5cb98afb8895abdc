//! `lop completions SHELL`: the script by which a shell completes lop's command lines.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::generate;

use crate::args::Cli;
use crate::failure::Failure;
use crate::info_args::CompletionsArgs;

/// Writes the script on standard output.
///
/// # Errors
/// When standard output cannot be written.
pub fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    generate(args.shell, &mut command, name, &mut script);
    let mut out = std::io::stdout().lock();
    out.write_all(&script).and_then(|()| out.flush()).or_else(Failure::unless_closed)
}
