//! The command line: what was typed, what it means, what to do, and what to say when it goes wrong.

pub mod args;
pub mod commands;
pub mod compare_args;
pub mod confine_args;
mod detect;
pub mod doctor_args;
pub mod exit_code;
pub mod failure;
mod files;
pub mod model;
pub mod report_args;
pub mod rules;
pub mod settings;
mod signals;
pub mod signature_args;
mod state;
pub mod state_args;
pub mod ui_args;
pub mod verify_args;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::oracle::run_limited;

use args::{Cli, Command};
use exit_code::Code;
use failure::Failure;

/// Runs lop with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    // Not lop, but what stands between it and a test that has limits.
    if let Some(code) = run_limited(std::env::args_os()) {
        return code;
    }
    // Ends the process itself for --help, --version and what clap can tell to be wrong (exit code 2).
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let cli = Cli::parse_from(&arguments);
    anstream::ColorChoice::from(cli.reduce.color).write_global();
    match dispatch(cli, arguments) {
        Ok(code) => code.into(),
        Err(failure) => {
            failure.report();
            failure.code().into()
        }
    }
}

fn dispatch(cli: Cli, arguments: Vec<OsString>) -> Result<Code, Failure> {
    match cli.command {
        Some(Command::Grammars(args)) => commands::grammars::run(&args).map(|()| Code::Reduced),
        Some(Command::Passes) => commands::passes::run().map(|()| Code::Reduced),
        Some(Command::Compare(args)) => commands::compare::run(*args),
        Some(Command::Doctor(args)) => commands::doctor::run(*args),
        Some(Command::Resume(args)) => commands::resume::run(&args),
        Some(Command::Replay(args)) => commands::replay::run(&args).map(|()| Code::Reduced),
        Some(Command::History(args)) => commands::history::run(&args).map(|()| Code::Reduced),
        None => commands::reduce::run(cli.reduce, arguments),
        Some(Command::Verify(args)) => commands::verify::run(*args),
    }
}
