//! A user's additions to a language without a rebuild: a folder with more rules, or other facts.

use toml::{Table, Value};

use super::Grammar;
use super::folder::Folder;
use super::language_toml;
use super::layers::Layers;
use super::places::{self, RulePlace, RuleText};
use super::problem::{GrammarError, Problem, line_of};

/// Keys that say which language a file is in. That is known before a user's folder is looked at.
const SETTLED: [&str; 8] =
    ["parser", "constant", "node_types", "extends", "extensions", "first_line", "content", "content_priority"];

/// A user's files about the language in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The folder they are in, as messages name it.
    pub directory: String,
    /// The text of `language.toml`: its keys take the place of the built-in ones.
    pub language: Option<String>,
    /// The text of `reduce.scm`: its rules come behind the built-in ones.
    pub rules: Option<String>,
}

/// A language's folder with a user's files laid over it.
#[derive(Clone, Debug)]
pub struct Patched<'a> {
    built_in: Folder<'a>,
    language: String,
    rules: String,
    /// The user's own `language.toml`.
    own: String,
    /// Lines of the built-in rules.
    lines: usize,
    directory: String,
}

impl Overrides {
    /// Lays them over a language.
    ///
    /// # Errors
    /// A mistake in them, by their own names and lines.
    pub fn patch<'a>(&self, folder: &Folder<'a>) -> Result<Patched<'a>, GrammarError> {
        let (language, rules) =
            (self.language.as_deref().unwrap_or_default(), self.rules.as_deref().unwrap_or_default());
        // By themselves first, so that a mistake is found in its own file. Correct files stay correct together.
        Grammar::load(&Folder { language, rules, sample: None, ..*folder }).map_err(|error| self.own(error))?;
        let mut built_in = folder.rules.to_owned();
        if !built_in.is_empty() && !built_in.ends_with('\n') {
            built_in.push('\n');
        }
        Ok(Patched {
            built_in: *folder,
            language: self.merged(folder, language)?,
            own: language.to_owned(),
            lines: memchr::memchr_iter(b'\n', built_in.as_bytes()).count(),
            rules: built_in + rules,
            directory: self.directory.clone(),
        })
    }

    /// The two `language.toml`, as one: where both have a key the user's value stands in the place of
    /// the other, and a table's new keys stand above the others, where they decide first.
    fn merged(&self, folder: &Folder<'_>, language: &str) -> Result<String, GrammarError> {
        let mistake = |line, problem: String| self.mistake(line, problem);
        let mut merged: Table =
            folder.language.parse().map_err(|error: toml::de::Error| mistake(1, error.to_string()))?;
        let own: Table = language.parse().map_err(|error: toml::de::Error| mistake(1, error.to_string()))?;
        for (name, table) in own {
            let Value::Table(table) = table else { continue };
            if name == "language"
                && let Some(key) = SETTLED.into_iter().find(|key| table.contains_key(*key))
            {
                let problem = format!("`{key}` cannot be changed here: which language a file is in is known before");
                return Err(mistake(line_of_key(language, key), problem));
            }
            let below = match merged.remove(&name) {
                Some(Value::Table(below)) => below,
                _ => Table::new(),
            };
            let new = table.iter().filter(|(key, _)| !below.contains_key(*key));
            let mut together: Table = new.map(|(key, value)| (key.clone(), value.clone())).collect();
            together.extend(below.into_iter().map(|(key, value)| {
                let value = table.get(&key).cloned().unwrap_or(value);
                (key, value)
            }));
            merged.insert(name, Value::Table(together));
        }
        toml::to_string(&merged).map_err(|error| mistake(1, error.to_string()))
    }

    fn mistake(&self, line: usize, problem: String) -> GrammarError {
        let file = format!("{}/{}", self.directory, language_toml::FILE_NAME);
        GrammarError::File { file, line, problem: Problem::Toml(problem) }
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

impl<'a> Patched<'a> {
    /// A language as it is built in.
    #[must_use]
    pub fn nothing(folder: &Folder<'a>) -> Self {
        Patched {
            built_in: *folder,
            language: folder.language.to_owned(),
            rules: folder.rules.to_owned(),
            own: String::new(),
            lines: usize::MAX,
            directory: String::new(),
        }
    }

    /// Loads the language; its rules are where their authors wrote them.
    ///
    /// # Errors
    /// As for [`Grammar::load`].
    pub fn load(&self) -> Result<Grammar, GrammarError> {
        let mut grammar = Grammar::load(&self.folder())?;
        if self.directory.is_empty() {
            return Ok(grammar);
        }
        let texts_of =
            |name, language| Ok(Layers::parse(&Folder { name, language, inherited: &[], ..self.built_in })?.places());
        let name = self.built_in.name;
        let written = [texts_of(&self.directory, &self.own)?, texts_of(name, self.built_in.language)?].concat();
        let merged = Layers::parse(&self.folder())?.places();
        let (patterns, texts) = grammar.places.split_at_mut(grammar.rules.texts().len());
        for (place, rule) in patterns.iter_mut().zip(grammar.rules.texts()) {
            if let Some(line) = self.own_line(rule) {
                *place = RulePlace { file: format!("{}/{}", self.directory, places::RULES), line, text: None };
            }
        }
        for (place, (key, inherited)) in texts.iter_mut().zip(merged) {
            if inherited.file != format!("{name}/{}", language_toml::FILE_NAME) {
                continue;
            }
            let same = |(other, at): &&(String, RulePlace)| *other == key && at.text == place.text;
            let (_, at) = written.iter().find(same).expect("what was merged is from one of the two");
            *place = at.clone();
        }
        Ok(grammar)
    }

    /// The folder to load.
    #[must_use]
    pub fn folder(&self) -> Folder<'_> {
        Folder { language: &self.language, rules: &self.rules, ..self.built_in }
    }

    /// The file that a rule is in and its line there.
    #[must_use]
    pub fn place(&self, rule: &RuleText) -> (String, usize) {
        match self.own_line(rule) {
            Some(line) => (format!("{}/{}", self.directory, places::RULES), line),
            None if rule.folder == self.built_in.name => {
                (format!("{}/{}", self.built_in.directory, places::RULES), rule.line)
            }
            None => (format!("grammars/{}", rule.file), rule.line),
        }
    }

    /// The line of a rule in the user's own file, if it is in that.
    fn own_line(&self, rule: &RuleText) -> Option<usize> {
        let line = rule.line.checked_sub(self.lines).filter(|line| *line > 0)?;
        (rule.folder == self.built_in.name).then_some(line)
    }
}

/// The line in which a key is set.
fn line_of_key(text: &str, key: &str) -> usize {
    let sets = |line: &str| line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
    text.lines().position(sets).map_or_else(|| line_of(text, 0), |line| line + 1)
}
