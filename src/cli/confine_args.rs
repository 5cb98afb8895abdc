//! The typed options about a test's share of the machine.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};

use super::values::size;

/// The parts of the machine that a test may use and see.
#[derive(Clone, Debug, Args)]
pub struct ConfineArgs {
    /// Address space of each process of a test
    ///
    /// Bytes, or with K, M or G. Programs with a sanitizer reserve terabytes
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = CONFINEMENT)]
    pub memory_limit: Option<usize>,
    /// Processor time of each process of a test, in seconds
    ///
    /// Then it gets SIGXCPU, and a second later SIGKILL
    #[arg(long, value_name = "SECS", value_parser = value_parser!(u64).range(1..), help_heading = CONFINEMENT)]
    pub cpu_limit: Option<u64>,
    /// Length of each file that a test writes
    ///
    /// Bytes, or with K, M or G; the test's output is such a file, too. Then the test gets SIGXFSZ
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = CONFINEMENT)]
    pub file_size_limit: Option<usize>,
    /// Set a variable for the test (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable, help_heading = CONFINEMENT)]
    pub env: Vec<(OsString, OsString)>,
    /// Give the test no variables but PATH, HOME, TMPDIR and those of --env
    #[arg(long, help_heading = CONFINEMENT)]
    pub clean_env: bool,
    /// Put this beside the candidate in each test
    ///
    /// Repeatable; a file or a directory, which is copied once for the run. A test finds a link to the read-only copy,
    /// under its own name. FILE and what lop writes are left out of a directory's copy
    #[arg(long, value_name = "PATH", help_heading = CONFINEMENT)]
    pub with: Vec<PathBuf>,
    /// Keep tests from the rest of the machine
    ///
    /// It is refused where the system has or allows no such thing
    #[arg(long, value_name = "HOW", default_value = "none", help_heading = CONFINEMENT)]
    pub isolate: IsolateArg,
    /// Leave the test no network but a loopback interface of its own (needs --isolate bwrap)
    #[arg(long, help_heading = CONFINEMENT)]
    pub no_network: bool,
}

const CONFINEMENT: &str = "What a test may use and see";

/// `--isolate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IsolateArg {
    /// Not at all
    None,
    /// Its processes see no others and none outlives it (needs `unshare`)
    Pidns,
    /// That, and it can write to its own directories only and has no terminal (needs `bwrap`)
    Bwrap,
}

/// `NAME=VALUE`.
fn variable(text: &str) -> Result<(OsString, OsString), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_has_a_name_and_may_be_empty() {
        assert_eq!(variable("A=b=c"), Ok(("A".into(), "b=c".into())));
        assert_eq!(variable("A="), Ok(("A".into(), OsString::new())));
        assert!(variable("A").is_err() && variable("=b").is_err());
    }
}
