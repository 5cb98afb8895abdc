//! `lop replay DIR`: shows a reduction again, without its test.

use std::io::Write;

use crate::failure::Failure;
use crate::state;
use crate::state_args::ReplayArgs;
use lop_journal::{Past, journal_file};
use lop_report::{steps, text};

/// Writes the steps on standard output.
///
/// # Errors
/// When the journal cannot be read, or standard output not be written.
pub fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let past =
        Past::read(&journal_file(&args.folder)).map_err(|error| state::not_found("replay", &args.folder, error))?;
    let mut out = text::stdout();
    steps::replay(&mut out, &past).and_then(|()| out.flush()).or_else(Failure::unless_closed)
}
