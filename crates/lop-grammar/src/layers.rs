//! Merges the user's `language.toml`, the language's own, and those of the languages that it extends.
//!
//! Lists of kinds and names are joined. If several files have the same key of `[minimal]` or the same plain value, the
//! nearest file wins: the user's, then the language's own, then the extended ones in order. The keys about file names
//! only count in the language's own file. The file for all languages comes last.

use regex::bytes::Regex;
use tree_sitter::Language;

use lop_syntax::Notation;

use super::conditionals::Conditionals;
use super::kinds::{KindSet, Resolver};
use super::language_toml::{self, LanguageToml, Word};
use super::problem::{GrammarError, Origin, Problem, line_of};
use super::rule_place::RulePlace;
use super::supertypes::NodeTypes;
use lop_parser::Folder;

/// The file of all languages, and its name as messages show it.
const COMMON: &str = include_str!("../../../grammars/common.toml");
const COMMON_NAME: &str = "common.toml";

/// The files: the user's first, then the language's own, and last the file for all languages.
pub(super) struct Layers<'a> {
    layers: Vec<(Origin<'a>, LanguageToml)>,
    /// The number of the language's own.
    own: usize,
}

/// A key of `[minimal]` with its texts.
pub(super) struct MinimalEntry<'l> {
    /// The number of the file that it is in.
    pub(super) layer: usize,
    /// The key.
    pub(super) key: &'l Word,
    /// The texts that can replace the node.
    pub(super) texts: &'l [String],
}

impl<'a> Layers<'a> {
    /// Reads the files.
    ///
    /// # Errors
    /// When one of them is not TOML, has an unknown key or a value of the wrong type.
    pub(super) fn parse(folder: &Folder<'a>) -> Result<Self, GrammarError> {
        let inherited = folder.inherited.iter().map(|layer| (layer.name, layer.language));
        let user = folder.user.map(|layer| (layer.name, layer.language));
        let layers = user.into_iter().chain([(folder.name, folder.language)]).chain(inherited).map(|(name, text)| {
            let origin = Origin { folder: name, file: language_toml::FILE_NAME, text };
            Ok((origin, LanguageToml::parse(origin)?))
        });
        let mut layers: Vec<(Origin<'a>, LanguageToml)> = layers.collect::<Result<_, _>>()?;
        let origin = Origin { folder: "", file: COMMON_NAME, text: COMMON };
        let mut common = LanguageToml::parse(origin)?;
        layers.iter().for_each(|(_, file)| common.leave_to(file));
        layers.push((origin, common));
        Ok(Self { layers, own: usize::from(user.is_some()) })
    }

    /// The language's own file.
    pub(super) fn own(&self) -> &LanguageToml {
        &self.layers[self.own].1
    }

    /// All files, the nearest first.
    pub(super) fn files(&self) -> impl Iterator<Item = &LanguageToml> {
        self.layers.iter().map(|(_, file)| file)
    }

    /// The notation of the language's texts, if only their structure is parsed.
    ///
    /// # Errors
    /// The file describes the structure of a language that has a parser.
    pub(super) fn notation(&self) -> Result<Option<Notation>, GrammarError> {
        let mut tables = self.layers.iter().filter_map(|(origin, file)| Some((origin, file.structure.as_ref()?)));
        if self.own().language.is_of_structure() {
            return Ok(Some(tables.next().map_or_else(Notation::default, |(_, table)| table.get_ref().notation())));
        }
        match tables.next() {
            Some((origin, table)) => Err(origin.error(table.span().start, Problem::HasParser)),
            None => Ok(None),
        }
    }

    /// The resolver of each file's names. A name that the parser lacks is a mistake in the language's own file only.
    pub(super) fn resolvers(&'a self, language: &'a Language, types: &'a NodeTypes) -> Vec<Resolver<'a>> {
        let numbered = self.layers.iter().enumerate();
        numbered
            .map(|(layer, (origin, _))| Resolver { language, types, origin: *origin, inherited: layer > self.own })
            .collect()
    }

    /// Returns the union of the lists of all files.
    ///
    /// # Errors
    /// A name in the language's own file that the parser does not have.
    pub(super) fn union<'l, 'r>(
        &'l self,
        resolvers: &[Resolver<'r>],
        words: impl Fn(&'l LanguageToml) -> &'l [Word],
        resolve: impl Fn(&Resolver<'r>, &[Word]) -> Result<KindSet, GrammarError>,
    ) -> Result<KindSet, GrammarError> {
        let mut all = resolve(&resolvers[0], words(&self.layers[0].1))?;
        for (resolver, file) in resolvers.iter().zip(self.files()).skip(1) {
            all.extend(&resolve(resolver, words(file))?);
        }
        Ok(all)
    }

    /// The rules for all languages that a file does not want.
    ///
    /// # Errors
    /// A name with which something is wrong.
    pub(super) fn without(&self, wrong: impl Fn(&Word) -> Option<Problem>) -> Result<Vec<&Word>, GrammarError> {
        let mut all = Vec::new();
        for (origin, file) in &self.layers {
            for word in &file.language.without {
                match wrong(word) {
                    Some(problem) => return Err(origin.error(word.span().start, problem)),
                    None => all.push(word),
                }
            }
        }
        Ok(all)
    }

    /// The regular expressions of a list, the language's own first.
    ///
    /// # Errors
    /// One that is none.
    pub(super) fn expressions(&self, list: fn(&LanguageToml) -> &[Word]) -> Result<Vec<Regex>, GrammarError> {
        let words = self.layers.iter().flat_map(|(origin, file)| list(file).iter().map(move |word| (origin, word)));
        let compile = |(origin, word): (&Origin<'_>, &Word)| {
            Regex::new(word.get_ref())
                .map_err(|error| origin.error(word.span().start, Problem::Regex(error.to_string())))
        };
        words.map(compile).collect()
    }

    /// The nearest marks of conditional lines.
    ///
    /// # Errors
    /// One that is no regular expression.
    pub(super) fn conditionals(&self) -> Result<Option<Conditionals>, GrammarError> {
        let Some((origin, marks)) =
            self.layers.iter().find_map(|(origin, file)| Some((origin, file.conditionals.as_ref()?)))
        else {
            return Ok(None);
        };
        let compile = |word: &Word| {
            Regex::new(word.get_ref())
                .map_err(|error| origin.error(word.span().start, Problem::Regex(error.to_string())))
        };
        let (begin, middle, end) = (compile(&marks.begin)?, compile(&marks.middle)?, compile(&marks.end)?);
        Ok(Some(Conditionals { begin, middle, end }))
    }

    /// The nearest list that has something in it.
    pub(super) fn nearest(&self, list: impl Fn(&LanguageToml) -> &Vec<String>) -> Vec<String> {
        self.files().map(list).find(|list| !list.is_empty()).cloned().unwrap_or_default()
    }

    /// Returns the entries of `[minimal]` from top to bottom; the first key that fits a node decides. Keys that only a
    /// nearer file has come before all keys of a farther one.
    pub(super) fn minimal(&self) -> Vec<MinimalEntry<'_>> {
        let mut all: Vec<MinimalEntry<'_>> = Vec::new();
        for (layer, file) in self.files().enumerate().collect::<Vec<_>>().into_iter().rev() {
            let mut new = Vec::new();
            for (key, texts) in file.minimal() {
                let entry = MinimalEntry { layer, key, texts };
                match all.iter_mut().find(|known| known.key.get_ref() == key.get_ref()) {
                    Some(known) => *known = entry,
                    None => new.push(entry),
                }
            }
            new.append(&mut all);
            all = new;
        }
        all
    }

    /// The places of the texts of `[minimal]`, with their keys.
    pub(super) fn places(&self) -> Vec<(String, RulePlace)> {
        let mut places = Vec::new();
        for MinimalEntry { layer, key, texts } in self.minimal() {
            let origin = self.layers[layer].0;
            let line = line_of(origin.text, key.span().start);
            places.extend(texts.iter().map(|text| {
                let file = match origin.folder {
                    "" => origin.file.to_owned(),
                    folder => format!("{folder}/{}", origin.file),
                };
                (key.get_ref().clone(), RulePlace { file, line, text: Some(text.clone()) })
            }));
        }
        places
    }
}
