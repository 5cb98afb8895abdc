//! The command line: parses it, interprets it, runs the command, and reports errors.
//!
//! Internal to lop: no version of this crate promises anything.

pub mod absolute_words;
pub mod args;
mod beside;
mod command_words;
pub mod commands;
pub mod condition_args;
mod config;
mod confine;
pub mod confine_args;
pub mod corpus_args;
mod crash_pair;
mod descriptors;
mod detect;
pub mod doctor_args;
pub mod exit_code;
pub mod failure;
mod files;
pub mod files_args;
mod fix;
mod flaky_args;
pub mod format_arg;
pub mod grammar_args;
mod help;
mod incomplete_test;
pub mod info_args;
mod installed;
pub mod isolate_args;
pub mod language;
mod line;
mod many;
pub mod many_args;
pub mod options;
mod options_page;
mod own_folder;
mod piped;
mod progress_line;
mod reduce_option;
mod refusal;
#[cfg(feature = "remote")]
mod remote_args;
pub mod report_args;
mod second_commands;
mod set_by;
pub mod settings;
mod signals;
pub mod signature_args;
mod signature_choice;
mod state;
pub mod state_args;
mod suggestion;
pub mod triage_args;
mod triage_record;
pub mod ui_args;
pub mod values;
pub mod verify_args;
mod way_out;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use lop_report::text::{self, HINT};
use lop_run::oracle::run_limited;

use args::{Cli, Command};
use config::Line;
use exit_code::Code;
use failure::Failure;

/// Runs lop with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    // Not lop itself, but the program that sets a test's limits.
    if let Some(code) = run_limited(std::env::args_os()) {
        return code;
    }
    // Ends the process for --help, --version and errors that clap detects (exit code 2).
    match run(typed_words()) {
        Ok(code) => code.into(),
        Err(failure) => {
            failure.report();
            failure.code().into()
        }
    }
}

/// The command line as it was typed, for clap.
pub(crate) fn typed_words() -> Vec<OsString> {
    options::joined(std::env::args_os())
}

/// Writes `lop reduce-generator CMD …` as `lop --generator CMD …`.
fn with_generator(mut words: Vec<OsString>) -> Vec<OsString> {
    let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    if words.get(1).is_some_and(|word| word == args::GENERATOR) && words.get(2).is_some_and(|word| !is_option(word)) {
        words[1] = "--generator".into();
    }
    words
}

/// Adds the options of the configuration files to a command line, and carries it out.
fn run(words: Vec<OsString>) -> Result<Code, Failure> {
    if let Some(answered) = help::answer(&words) {
        return answered.map(|()| Code::Reduced);
    }
    let line = config::apply(with_generator(words))?;
    let cli = Cli::try_parse_from(&line.words).unwrap_or_else(|error| refusal::refuse(error, &line.words));
    anstream::ColorChoice::from(cli.reduce.color.color).write_global();
    let shows_them = matches!(cli.command, Some(Command::Config(_)));
    let is_quiet = cli.reduce.verbosity.quiet && line.is_quiet();
    if !shows_them && !is_quiet {
        for note in line.note().into_iter().chain(line.left_out()) {
            // A closed standard error is no reason to fail.
            let _ = writeln!(text::stderr(), "{HINT}note:{HINT:#} {}", text::one_line(&note));
        }
    }
    if !matches!(cli.command, Some(Command::Completions(_) | Command::Man(_) | Command::Passes)) {
        descriptors::check()?;
    }
    dispatch(cli, line)
}

fn dispatch(cli: Cli, line: Line) -> Result<Code, Failure> {
    match cli.command {
        Some(Command::Grammars(args)) => commands::grammars::run(&args).map(|()| Code::Reduced),
        Some(Command::Passes) => commands::passes::run().map(|()| Code::Reduced),
        Some(Command::Doctor(args)) => commands::doctor::run(*args, &line.words),
        Some(Command::Resume(args)) => commands::resume::run(&args),
        Some(Command::Replay(args)) => commands::replay::run(&args).map(|()| Code::Reduced),
        Some(Command::History(args)) => commands::history::run(&args).map(|()| Code::Reduced),
        None => {
            let (args, words) = crash_pair::expanded(cli.reduce, line.words)?;
            commands::reduce::run(args, words)
        }
        Some(Command::Verify(args)) => commands::verify::run(*args, &line.words),
        Some(Command::Isolate(args)) => commands::isolate::run(&args),
        Some(Command::Corpus(args)) => commands::corpus::run(&args),
        Some(Command::Triage(args)) => commands::triage::run(&args),
        Some(Command::Propose(args)) => commands::propose::run(&args),
        Some(Command::ReduceGenerator(_)) => Err(Failure::Usage {
            message: "no generator was given".to_owned(),
            hint: "lop reduce-generator CMD [OPTIONS] CHOICES -- TEST, with CMD first".to_owned(),
        }),
        Some(Command::Config(_)) => commands::config::run(&line).map(|()| Code::Reduced),
        Some(Command::Completions(args)) => commands::completions::run(&args).map(|()| Code::Reduced),
        Some(Command::Man(args)) => commands::man::run(&args).map(|()| Code::Reduced),
    }
}
