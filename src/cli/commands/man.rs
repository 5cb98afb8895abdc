//! `lop man [DIR]`: the manual pages.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use crate::cli::args::Cli;
use crate::cli::failure::Failure;
use crate::cli::help;

/// `lop man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Where to write lop.1 and a page for each subcommand; it is made if it is missing [default: lop.1 on standard
    /// output]
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

/// Writes the pages.
///
/// # Errors
/// When they cannot be written.
pub fn run(args: &ManArgs) -> Result<(), Failure> {
    let mut command = Cli::command().after_help(help::below());
    command.build();
    let Some(directory) = &args.directory else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page).map_err(Failure::Output)?;
        let mut out = io::stdout().lock();
        return out.write_all(&page).and_then(|()| out.flush()).or_else(Failure::unless_closed);
    };
    pages(&command, directory).map_err(|error| Failure::Usage {
        message: format!("cannot write the pages to {}: {error}", directory.display()),
        hint: "name a directory that can be written to".to_owned(),
    })
}

fn pages(command: &Command, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let commands = command.get_subcommands().filter(|inner| inner.get_name() != "help");
    for command in std::iter::once(command).chain(commands) {
        let man = Man::new(command.clone());
        let mut page = Vec::new();
        man.render(&mut page)?;
        fs::write(directory.join(man.get_filename()), page)?;
    }
    Ok(())
}
