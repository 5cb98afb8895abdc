//! `lop man [DIR]`: the manual pages.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::args::Cli;
use crate::failure::Failure;
use crate::help;
use crate::info_args::ManArgs;

/// The description of lop in a list of manual pages.
const PHRASE: &str = "reduce a file that triggers a bug to the part that matters";

/// Writes the pages.
///
/// # Errors
/// When they cannot be written.
pub fn run(args: &ManArgs) -> Result<(), Failure> {
    let mut command = command();
    command.build();
    let Some(directory) = &args.directory else {
        let mut written = Vec::new();
        page(&command, &mut written).map_err(Failure::Output)?;
        let mut out = io::stdout().lock();
        return out.write_all(&written).and_then(|()| out.flush()).or_else(Failure::unless_closed);
    };
    pages(&command, directory).map_err(|error| Failure::Usage {
        message: format!("cannot write the pages to {}: {error}", directory.display()),
        hint: "name a directory that can be written to".to_owned(),
    })
}

/// The command line for the manual pages. The phrase follows the name `lop`; the sentences are the description.
fn command() -> Command {
    let command = Cli::command();
    let sentences = command.get_about().map(ToString::to_string).unwrap_or_default();
    command.about(PHRASE).long_about(sentences).after_help(help::below()).disable_help_subcommand(true)
}

fn pages(command: &Command, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for command in std::iter::once(command).chain(command.get_subcommands()) {
        let mut written = Vec::new();
        page(command, &mut written)?;
        fs::write(directory.join(Man::new(command.clone()).get_filename()), written)?;
    }
    Ok(())
}

fn page(command: &Command, out: &mut dyn Write) -> io::Result<()> {
    let man = Man::new(command.clone());
    man.render_title(out)?;
    man.render_name_section(out)?;
    synopsis(command).to_writer(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    let below = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    verbatim(&below).to_writer(out)?;
    if command.get_version().is_some() {
        man.render_version_section(out)?;
    }
    Ok(())
}

/// The lines of the usage, one for each form of the command line.
fn synopsis(command: &Command) -> Roff {
    let mut roff = Roff::default();
    roff.control("SH", ["SYNOPSIS"]);
    roff.control("nf", []);
    let usage = command.clone().render_usage().to_string();
    for line in usage.trim_start_matches("Usage:").lines() {
        // The forms of `lop` itself have a remark, two blanks or more to the right.
        roff.text([roman(line.trim().split("   ").next().unwrap_or_default())]);
    }
    roff.control("fi", []);
    roff
}

/// A text that is laid out by hand, with its lines as they are: a section for each line that ends with a colon and
/// begins at the margin.
fn verbatim(text: &str) -> Roff {
    let mut roff = Roff::default();
    let mut is_open = false;
    for line in text.trim_end().lines() {
        let heading = line.strip_suffix(':').filter(|line| !line.starts_with(' '));
        if heading.is_some() || !is_open {
            if is_open {
                roff.control("fi", []);
            }
            roff.control("SH", [heading.unwrap_or("Notes").to_uppercase().as_str()]);
            roff.control("nf", []);
            is_open = true;
        }
        if heading.is_none() {
            roff.text([roman(line)]);
        }
    }
    if is_open {
        roff.control("fi", []);
    }
    roff
}
