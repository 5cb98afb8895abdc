//! `lop config`: the value of each option, and where it comes from.

use std::io::Write;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, CommandFactory};

use crate::args::Cli;
use crate::config::{self, ConfigFiles, Line};
use crate::failure::Failure;
use lop_report::text::{self, Table};

/// Writes every option with its value and its origin on standard output.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn run(line: &Line) -> Result<(), Failure> {
    let command = Cli::command();
    let mut table = Table::new(3, &["option", "value", "from"]);
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let Some(long) = arg.get_long() else { continue };
        let (value, from) = origin(arg, long, line);
        table.row(vec![long.to_owned(), value, from]);
    }
    let mut out = text::stdout();
    let written = places(&mut out, &line.places)
        .and_then(|()| table.write(&mut out))
        .and_then(|()| readers(&mut out))
        .and_then(|()| out.flush());
    written.or_else(Failure::unless_closed)
}

fn places(out: &mut dyn Write, places: &ConfigFiles) -> std::io::Result<()> {
    let shown = |path: &Option<std::path::PathBuf>| match path {
        Some(path) if path.is_file() => text::path(path),
        Some(path) => format!("none ({} does not exist)", text::path(path)),
        None => "none".to_owned(),
    };
    writeln!(out, "project  {}", shown(&places.project))?;
    writeln!(out, "user     {}", shown(&places.user))?;
    for planted in &places.planted {
        writeln!(out, "ignored {} (other users may have written it, or can change it)", text::path(planted))?;
    }
    writeln!(out)
}

/// Writes which command takes which options from the files.
fn readers(out: &mut dyn Write) -> std::io::Result<()> {
    let mut command = Cli::command();
    command.build();
    writeln!(out, "\nA reduction uses these settings. Other commands use only:")?;
    for name in config::READERS {
        let reader = command.find_subcommand(name).expect("there is a command of this name");
        let mut taken: Vec<&str> = config::taken(reader, &command).collect();
        taken.sort_unstable();
        writeln!(out, "  lop {name}: {}", taken.join(", "))?;
    }
    Ok(())
}

/// The value of an option in words, and its source.
fn origin(arg: &Arg, long: &str, line: &Line) -> (String, String) {
    let id = arg.get_id().as_str();
    if line.typed.value_source(id) == Some(ValueSource::CommandLine) {
        return (typed(arg, &line.typed), "command line".to_owned());
    }
    if let Some(entry) = line.entries.iter().find(|entry| entry.name == long) {
        return (entry.shown.clone(), format!("{}:{}", entry.path.display(), entry.line));
    }
    let value = match arg.get_action() {
        ArgAction::SetTrue => "false".to_owned(),
        ArgAction::Count => "0".to_owned(),
        _ => arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(", "),
    };
    (if value.is_empty() { "-".to_owned() } else { value }, "default".to_owned())
}

fn typed(arg: &Arg, matches: &ArgMatches) -> String {
    let id = arg.get_id().as_str();
    match arg.get_action() {
        ArgAction::SetTrue => "true".to_owned(),
        ArgAction::Count => matches.get_count(id).to_string(),
        _ => {
            let values = matches.get_raw(id).into_iter().flatten();
            values.map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(", ")
        }
    }
}
