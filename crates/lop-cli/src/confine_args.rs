//! The typed options about a test's share of the machine.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use lop_run::exec::Jobs;

use super::reduce_option::ReduceOption;
#[cfg(feature = "remote")]
use super::remote_args::RemoteArgs;
use super::set_by::SetBy;
use super::values::size;

/// The parts of the machine that a test may use and see.
#[derive(Clone, Debug, Args)]
pub struct ConfineArgs {
    /// Limit the address space of each process of a test
    ///
    /// In bytes, or with K, M or G. Programs with a sanitizer reserve terabytes
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = CONFINEMENT)]
    pub memory_limit: Option<usize>,
    /// Put PATH next to the candidate in every test
    ///
    /// PATH is a file or a directory. lop copies it once, and each test has a link to the read-only copy under the same
    /// name. The copy of a directory leaves out FILE and what lop writes (repeatable)
    #[arg(long, value_name = "PATH", help_heading = CONFINEMENT, add = SetBy::Project)]
    pub with: Vec<PathBuf>,
    /// Run CMD on each candidate before the test
    ///
    /// CMD changes the file in place, for example to correct a checksum: 'fix-crc @@'. If it fails, the candidate is
    /// rejected. The result is the file after CMD
    #[arg(long, value_name = "CMD", allow_hyphen_values = true, help_heading = CONFINEMENT,
          add = SetBy::CommandLine("it is a part of one test"))]
    pub fix: Option<String>,
    /// Isolate tests from the rest of the machine
    ///
    /// lop stops if the system doesn't support it
    #[arg(long, value_name = "HOW", default_value = "none", help_heading = CONFINEMENT)]
    pub isolate: IsolateArg,
    /// The other machine.
    #[cfg(feature = "remote")]
    #[command(flatten)]
    pub remote: RemoteArgs,
}

impl ReduceOption for ConfineArgs {
    const VERIFIED: bool = true;
}

impl ConfineArgs {
    /// The words that say the same.
    pub(super) fn words(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        words.extend(self.memory_limit.map(|limit| OsString::from(format!("--memory-limit={limit}"))));
        words.extend(self.with.iter().flat_map(|path| ["--with".into(), path.clone().into_os_string()]));
        words.extend(self.fix.iter().flat_map(|line| ["--fix".into(), OsString::from(line)]));
        let isolate = self.isolate.to_possible_value().map(|value| value.get_name().to_owned());
        // With or without the option, this is the default; if tests run elsewhere, it must not be set.
        let isolate = isolate.filter(|_| self.isolate != IsolateArg::None);
        words.extend(isolate.map(|name| OsString::from(format!("--isolate={name}"))));
        #[cfg(feature = "remote")]
        words.extend(self.remote.words());
        words
    }

    /// Returns the confinement without cached outcomes of earlier runs.
    pub(super) fn asking_anew(self) -> Self {
        #[cfg(feature = "remote")]
        return ConfineArgs { remote: RemoteArgs { anew: true, ..self.remote }, ..self };
        #[cfg(not(feature = "remote"))]
        self
    }

    /// Returns the number of parallel tests; `local` is the number for this machine.
    pub(super) fn jobs(&self, local: Option<Jobs>) -> Option<Jobs> {
        #[cfg(feature = "remote")]
        return self.remote.jobs(local);
        #[cfg(not(feature = "remote"))]
        local
    }
}

const CONFINEMENT: &str = "What a test may see and use";

/// `--isolate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IsolateArg {
    /// Not at all
    None,
    /// A test sees only its own processes, and none outlives it (needs `unshare`)
    Pidns,
    /// Also, a test writes only to its own directories and has no terminal (needs `bwrap`)
    Bwrap,
    /// Also, a test has no network except a separate loopback interface
    Offline,
}
