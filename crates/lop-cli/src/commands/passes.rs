//! `lop passes`: the passes of a reduction and what each does.

use std::io::Write;

use crate::failure::Failure;
use lop_reduce::steps::named_steps;
use lop_report::text::{self, Table};

/// Lists the passes on standard output, in the order of their stages.
///
/// # Errors
/// When standard output cannot be written.
pub fn run() -> Result<(), Failure> {
    let mut table = Table::new(3, &["pass", "stage", "what it does"]);
    for facts in named_steps() {
        table.row(vec![facts.name.to_owned(), facts.stage.name().to_owned(), facts.about.to_owned()]);
    }
    let mut out = text::stdout();
    table.write(&mut out).and_then(|()| out.flush()).or_else(Failure::unless_closed)
}
