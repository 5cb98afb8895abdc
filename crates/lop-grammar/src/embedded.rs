//! Parts of a text in another language: `[[embedded]]` in `language.toml`.

use std::sync::{Arc, OnceLock};

use lop_parser::Catalog;
use regex::bytes::Regex;

use super::kinds::{KindSet, Resolver};
use super::language_toml::{LanguageToml, Word};
use super::layers::Layers;
use super::problem::{GrammarError, Problem};
use super::{Grammar, TEXT};

/// Which nodes hold another language.
#[derive(Debug)]
pub struct Embedded {
    kinds: KindSet,
    /// The kinds of parent that the node may have; `None` allows any.
    parents: Option<KindSet>,
    /// A pattern for the parent's text before the node; `None` allows any.
    after: Option<Regex>,
    language: String,
    /// The languages among which it is looked up.
    catalog: &'static Catalog,
    /// Loaded when it is first asked for: few texts hold all that they could.
    grammar: OnceLock<Option<Arc<Grammar>>>,
}

impl Embedded {
    /// The entries of all files, the nearest file's first.
    ///
    /// # Errors
    /// A kind that the parser does not have, or an expression that is none.
    pub(super) fn all(
        layers: &Layers<'_>,
        resolvers: &[Resolver<'_>],
        catalog: &'static Catalog,
    ) -> Result<Vec<Self>, GrammarError> {
        let mut all = Vec::new();
        for (file, resolver) in layers.files().zip(resolvers) {
            match Self::of(file, resolver, catalog) {
                Err(_) if resolver.inherited => {}
                entries => all.extend(entries?),
            }
        }
        Ok(all)
    }

    fn of(file: &LanguageToml, resolver: &Resolver<'_>, catalog: &'static Catalog) -> Result<Vec<Self>, GrammarError> {
        let kinds = |word: &Word| resolver.kind(word.get_ref(), word.span().start);
        let expression = |word: &Word| {
            Regex::new(word.get_ref())
                .map_err(|error| resolver.origin.error(word.span().start, Problem::Regex(error.to_string())))
        };
        let language = |word: &Word| {
            let name = word.get_ref();
            match name == TEXT || catalog.names().any(|known| known == name) {
                true => Ok(name.clone()),
                false => Err(resolver.origin.error(word.span().start, Problem::UnknownLanguage(name.clone()))),
            }
        };
        let entries = file.embedded.iter().map(|entry| {
            Ok(Self {
                kinds: kinds(&entry.kind)?,
                parents: entry.parent.as_ref().map(kinds).transpose()?,
                after: entry.after.as_ref().map(expression).transpose()?,
                language: language(&entry.language)?,
                catalog,
                grammar: OnceLock::new(),
            })
        });
        entries.collect()
    }

    /// Whether a node of this kind is meant, whose parent has this kind and this text in front of it.
    pub(super) fn fits(&self, kind: u16, parent: u16, before: &[u8]) -> bool {
        self.kinds.contains(kind)
            && self.parents.as_ref().is_none_or(|parents| parents.contains(parent))
            && self.after.as_ref().is_none_or(|after| after.is_match(before))
    }

    /// The name of the language.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// The language, or `None` if it isn't built in.
    pub fn grammar(&self) -> Option<&Arc<Grammar>> {
        let load = || {
            let folder = self.catalog.find(&self.language)?;
            Some(Arc::new(Grammar::load(folder).expect("tests load every language that is built in")))
        };
        self.grammar.get_or_init(load).as_ref()
    }
}
