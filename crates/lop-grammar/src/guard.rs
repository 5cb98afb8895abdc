//! A language's guard: the compiler whose warnings show undefined behaviour, as data in `guard.toml`.

use lop_parser::{Catalog, Folder};

/// A command that warns about undefined behaviour, and the form of its warnings.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guard {
    /// Commands with `@@` for the candidate, the best first; the first whose program is there is used.
    pub commands: Vec<Vec<String>>,
    /// Regular expressions of the warnings; the first group is the kind.
    pub warnings: Vec<String>,
}

impl Guard {
    /// Returns the guard of a language, or `None` if it has none or is unknown.
    #[must_use]
    pub fn of(language: &str, languages: &Catalog) -> Option<Self> {
        let folder = languages.find(language)?;
        Some(toml::from_str(text(folder)?).expect("a test reads all of them"))
    }

    /// The languages that have one.
    #[must_use]
    pub fn languages(languages: &Catalog) -> Vec<&'static str> {
        languages.built_in.iter().filter(|folder| text(folder).is_some()).map(|folder| folder.name).collect()
    }
}

/// The text of the nearest guard.
fn text(folder: &Folder<'static>) -> Option<&'static str> {
    let inherited = folder.inherited.iter().map(|layer| layer.guard);
    [folder.guard].into_iter().chain(inherited).find(|guard| !guard.is_empty())
}

#[cfg(test)]
mod tests {
    use lop_languages::LANGUAGES;

    use super::*;

    #[test]
    fn every_guard_can_be_read_and_names_the_candidate() {
        assert!(!Guard::languages(&LANGUAGES).is_empty());
        for language in Guard::languages(&LANGUAGES) {
            let guard = Guard::of(language, &LANGUAGES).expect("it has one");
            assert!(!guard.commands.is_empty() && !guard.warnings.is_empty(), "{language}");
            for command in &guard.commands {
                assert!(command.iter().any(|word| word.contains("@@")), "{language}: {command:?}");
            }
            for warning in &guard.warnings {
                regex::Regex::new(warning).unwrap_or_else(|error| panic!("{language}: {error}"));
            }
        }
        assert_eq!(Guard::of("no such language", &LANGUAGES), None);
    }
}
