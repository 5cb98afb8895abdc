//! A grammar's productions, read for the crate lop-lab when they are first asked for: few runs need them.

use std::sync::OnceLock;

use lop_lab::trees::{Productions, ProductionsError};
use tree_sitter::Language;

use super::folder::{Folder, PRODUCTIONS};
use super::problem::{GrammarError, Origin, Problem};

/// The text of `grammar.json`, and what it says.
#[derive(Debug)]
pub(super) struct LazyProductions {
    /// Empty when there is none.
    text: Box<str>,
    /// Where the folder is, as messages name it.
    directory: Box<str>,
    read: OnceLock<Result<Productions, GrammarError>>,
}

impl LazyProductions {
    pub(super) fn new(folder: &Folder<'_>) -> Self {
        Self { text: folder.productions.into(), directory: folder.directory.into(), read: OnceLock::new() }
    }

    /// What the text says; `None` when there is none. `folder` is the language's name.
    pub(super) fn get(&self, folder: &str, language: &Language) -> Result<Option<&Productions>, GrammarError> {
        if self.text.is_empty() {
            return Ok(None);
        }
        let read = self.read.get_or_init(|| read(Origin { folder, file: PRODUCTIONS, text: &self.text }, language));
        read.as_ref().map(Some).map_err(|error| error.clone().moved(folder, &self.directory))
    }
}

fn read(origin: Origin<'_>, language: &Language) -> Result<Productions, GrammarError> {
    let kinds = (0..=u16::MAX).take(language.node_kind_count());
    let kinds = kinds.filter(|&kind| language.node_kind_is_visible(kind)).filter_map(|kind| {
        let name = language.node_kind_for_id(kind)?;
        Some((kind, name, language.node_kind_is_named(kind)))
    });
    let fields = |name: &str| language.field_id_for_name(name).map(Into::into);
    Productions::parse(origin.text, &fields, kinds).map_err(|error| match error {
        ProductionsError::Json { line, message } => origin.error_in_line(line, Problem::Json(message)),
        ProductionsError::Unknown { offset, what, name } => origin.error(offset, Problem::Unknown { what, name }),
    })
}
