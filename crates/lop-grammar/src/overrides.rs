//! The user's additions to a language without a rebuild: a folder with more rules, or with other facts.

use toml::Table;

use super::Grammar;
use super::language_toml;
use super::problem::{GrammarError, Problem, line_of};
use super::rule_place::RuleText;
use lop_parser::{Folder, Texts};

/// Keys that say which language a file is in. That is known before a user's folder is looked at.
const SETTLED: [&str; 8] =
    ["parser", "constant", "node_types", "extends", "extensions", "first_line", "content", "content_priority"];

/// A user's files about the language in use: the layer in front of all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The folder they are in, as messages name it.
    pub directory: String,
    /// The text of `language.toml`, empty when there is none.
    pub language: String,
    /// The text of `reduce.scm`, empty when there is none.
    pub rules: String,
}

impl Overrides {
    /// Lays them over a language.
    ///
    /// # Errors
    /// A mistake in them, by their own names and lines.
    pub fn over<'a>(&'a self, folder: &Folder<'a>) -> Result<Folder<'a>, GrammarError> {
        let Overrides { directory, language, rules } = self;
        // By themselves first, so that a mistake is found in its own file. Correct files stay correct together.
        Grammar::load(&Folder { language, rules, sample: None, ..*folder }).map_err(|error| self.own(error))?;
        self.check_settled()?;
        Ok(Folder { user: Some(Texts { name: directory, language, rules, guard: "" }), ..*folder })
    }

    fn check_settled(&self) -> Result<(), GrammarError> {
        let own: Table = self.language.parse().unwrap_or_default();
        let Some(table) = own.get("language").and_then(|table| table.as_table()) else { return Ok(()) };
        let Some(key) = SETTLED.into_iter().find(|key| table.contains_key(*key)) else { return Ok(()) };
        let problem = format!("`{key}` cannot be changed here: which language a file is in is known before");
        let file = format!("{}/{}", self.directory, language_toml::FILE_NAME);
        Err(GrammarError::File { file, line: line_of_key(&self.language, key), problem: Problem::Toml(problem) })
    }

    /// A mistake that was found in a user's file, with that file's name.
    fn own(&self, error: GrammarError) -> GrammarError {
        match error {
            GrammarError::File { file, line, problem } => {
                let name = file.rsplit('/').next().unwrap_or_default();
                GrammarError::File { file: format!("{}/{name}", self.directory), line, problem }
            }
            other => other,
        }
    }
}

impl RuleText {
    /// The path of the rule's file, if it is one of the rules of a language.
    #[must_use]
    pub fn file_in(&self, language: &Folder<'_>) -> String {
        match self.file.rsplit_once('/') {
            Some((folder, _)) if language.user.is_some_and(|user| user.name == folder) => self.file.clone(),
            Some((_, file)) if self.folder == language.name => format!("{}/{file}", language.directory),
            _ => format!("grammars/{}", self.file),
        }
    }
}

/// The line in which a key is set.
fn line_of_key(text: &str, key: &str) -> usize {
    let sets = |line: &str| line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
    text.lines().position(sets).map_or_else(|| line_of(text, 0), |line| line + 1)
}
