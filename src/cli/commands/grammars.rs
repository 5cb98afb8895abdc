//! `lop grammars`: the languages that lop knows.

use std::io::Write;

use crate::cli::failure::Failure;
use crate::grammar::{Registry, TEXT};
use crate::report::text::Table;

/// Lists the languages on standard output.
///
/// # Errors
/// When a language's file is wrong, or standard output cannot be written.
pub fn run() -> Result<(), Failure> {
    let registry = Registry::embedded()?;
    let mut table = Table::new(3, &["name", "extensions", "from"]);
    for language in registry.list() {
        let extensions: Vec<String> = language.extensions.iter().map(|extension| format!(".{extension}")).collect();
        table.row(vec![
            language.name.to_owned(),
            extensions.join(" "),
            format!("built in (grammars/{})", language.name),
        ]);
    }
    table.row(vec![TEXT.to_owned(), "any other".to_owned(), "no grammar: lines, words, characters".to_owned()]);
    let mut out = anstream::stdout().lock();
    table.write(&mut out).and_then(|()| out.flush()).or_else(Failure::unless_closed)
}
