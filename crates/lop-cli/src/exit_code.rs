//! The meaning of lop's exit codes. They are an interface: scripts and CI jobs depend on them.

use std::process::ExitCode;

/// The ways in which lop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// The input was reduced completely.
    Reduced = 0,
    /// The input is not interesting; or `lop doctor` found a fault, `lop verify` a deletion, `lop isolate` no difference.
    NotInteresting = 1,
    /// It could not start: wrong usage, a missing file, a test that cannot be run.
    CouldNotStart = 2,
    /// It was stopped early (Ctrl-C, a limit) with a valid result.
    StoppedEarly = 3,
    /// The test answers differently on the same input.
    Flaky = 4,
    /// A grammar or rule file is wrong.
    Grammar = 5,
    /// Something failed during the run; the result on disk is valid.
    Failed = 6,
}

impl Code {
    /// Returns the code that an error's diagnostic code names; `None` means [`Code::CouldNotStart`].
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "not_interesting" => Code::NotInteresting,
            "stopped_early" => Code::StoppedEarly,
            "flaky" => Code::Flaky,
            "grammar" => Code::Grammar,
            "failed" => Code::Failed,
            _ => return None,
        })
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        ExitCode::from(code as u8)
    }
}
