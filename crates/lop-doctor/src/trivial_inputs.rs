//! Trivial inputs: a test that accepts one of them checks nothing about the input.
//!
//! A reduction ends on such a text if its condition is too weak: an empty text, an empty program, a bracket that is
//! never closed.

use lop_grammar::Grammar;
use lop_reduce::Project;

/// Maximum number of empty texts of a language to try.
const OF_LANGUAGE: usize = 4;
/// Maximum number of openings to try.
const OPENINGS: usize = 4;

/// Openings without their end: many parsers reject each of them as they reject the input.
const OPENERS: [u8; 6] = *b"{[(\"<'";

/// A file without content that isn't empty.
pub(super) const TRIVIAL: &[u8] = b"\n";

/// Makes the trivial variants of a test case.
#[derive(Clone, Debug, Default)]
pub struct TrivialInputs {
    /// Empty files of the language.
    empty_texts: Vec<String>,
    /// The files, if the test case has several.
    project: Option<Project>,
}

/// A trivial candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrivialInput {
    /// Its description, as a part of a sentence.
    pub name: String,
    /// The text of the file, or of each file that the test names.
    pub text: Vec<u8>,
    /// The candidate: that text, or the archive of the files that have it.
    pub candidate: Vec<u8>,
}

impl TrivialInputs {
    /// Makes the variants for a test case in one language or of several files.
    #[must_use]
    pub fn new(grammar: Option<&Grammar>, project: Option<&Project>) -> Self {
        let empty_texts = match project {
            Some(project) => project.empty_texts(),
            None => grammar.map(|grammar| grammar.empty_texts().to_vec()).unwrap_or_default(),
        };
        Self { empty_texts, project: project.cloned() }
    }

    /// The files, if the test case has several.
    #[must_use]
    pub fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    /// Lists the trivial candidates: the empty file, a newline, the empty texts of the language, and those opening
    /// brackets and quotes that the input contains. Leaves the input itself out.
    #[must_use]
    pub fn cases(&self, input: &[u8]) -> Vec<TrivialInput> {
        let language = self.empty_texts.iter().take(OF_LANGUAGE).map(|text| text.clone().into_bytes());
        let has = |opener: &u8| match &self.project {
            None => input.contains(opener),
            Some(project) => project.named(input).into_iter().any(|file| input[file.content].contains(opener)),
        };
        let openers = OPENERS.into_iter().filter(has).take(OPENINGS).map(|opener| vec![opener]);
        let texts = [Vec::new(), TRIVIAL.to_vec()].into_iter().chain(language).chain(openers);
        let cases = texts.map(|text| self.case(input, text));
        cases.filter(|case| case.candidate.trim_ascii() != input.trim_ascii() || case.candidate.is_empty()).collect()
    }

    /// Makes the candidate whose files have this text.
    fn case(&self, input: &[u8], text: Vec<u8>) -> TrivialInput {
        let name = hollow_name(&text);
        match &self.project {
            None => TrivialInput { name, candidate: text.clone(), text },
            Some(project) => {
                TrivialInput { name: format!("{name} for each file"), candidate: project.filled(input, &text), text }
            }
        }
    }

    /// Whether it is an empty text of the language.
    pub(super) fn is_of_language(&self, text: &[u8]) -> bool {
        self.empty_texts.iter().any(|empty| empty.as_bytes() == text)
    }

    /// Whether a result is trivial. Of several files, those that the test names count, or all if it names none.
    #[must_use]
    pub fn is_hollow(&self, result: &[u8]) -> bool {
        match &self.project {
            None => self.is_hollow_text(result),
            // A command alone has no files.
            Some(project) => {
                let mut named = project.named(result).into_iter();
                project.has_files() && named.all(|file| self.is_hollow_text(&result[file.content]))
            }
        }
    }

    fn is_hollow_text(&self, text: &[u8]) -> bool {
        // Other whitespace may trigger the bug.
        let words = String::from_utf8_lossy(text);
        let words = words.trim_matches([' ', '\r', '\n']).as_bytes();
        let is_opener = matches!(words, [only] if OPENERS.contains(only));
        words.is_empty() || is_opener || self.empty_texts.iter().any(|empty| empty.trim().as_bytes() == words)
    }
}

/// Describes a trivial text in a sentence.
fn hollow_name(text: &[u8]) -> String {
    match text {
        b"" => "the empty file".to_owned(),
        TRIVIAL => "a file of one newline".to_owned(),
        text => format!("`{}`", String::from_utf8_lossy(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_files::project::{Archive, Kind, Member};
    use lop_grammar::{Choice, GrammarError, Registry};

    #[test]
    fn openings_are_tried_that_the_input_has() {
        let texts = |input: &str| -> Vec<String> {
            let trivial_inputs = TrivialInputs { empty_texts: vec!["{}".to_owned(), "0".to_owned()], project: None };
            let cases = trivial_inputs.cases(input.as_bytes()).into_iter();
            cases.map(|case| String::from_utf8(case.candidate).expect("plain")).collect()
        };
        assert_eq!(texts("[1, (2)]"), ["", "\n", "{}", "0", "[", "("]);
        assert_eq!(texts("{}\n"), ["", "\n", "0", "{"], "the input itself says nothing");
    }

    #[test]
    fn of_several_files_those_are_filled_that_the_test_names() {
        let file = |path: &str, content: &str| Member {
            path: path.into(),
            kind: Kind::File,
            mode: 0o644,
            content: content.into(),
        };
        let (archive, text) = Archive::pack(&[file("a", "[1]"), file("d/b", "x"), file("e", "(")]);
        let no_languages = Registry::new(&[]).expect("there is nothing to read");
        let project =
            Project::new::<GrammarError>(archive.clone(), &text, &no_languages, |_, _| Ok((None, Choice::Extension)));
        let project = project.expect("text has no grammar");
        let contents = |trivial_inputs: &TrivialInputs, with: &str| -> Vec<String> {
            let case =
                trivial_inputs.cases(&text).into_iter().find(|case| case.text == with.as_bytes()).expect("it is tried");
            let members = archive.members(&case.candidate).into_iter();
            members.map(|member| String::from_utf8(member.content).expect("plain")).collect()
        };
        let all = TrivialInputs::new(None, Some(&project));
        assert_eq!(contents(&all, "("), ["(", "(", "("]);
        let some = TrivialInputs::new(None, Some(&project.with_named(&["d".into(), "a".into(), "no".into()])));
        assert_eq!(contents(&some, ""), ["", "", "("]);
        assert_eq!(contents(&some, "["), ["[", "[", "("]);
        assert!(!some.is_hollow(&text) && some.is_hollow(&archive.text(&[file("d/b", "\n"), file("e", "x")])));
        assert!(some.is_hollow(&archive.text(&[file("a", "")])), "the files of `d` are gone");
    }

    #[test]
    fn a_result_with_nothing_in_it_is_known() {
        let trivial_inputs = TrivialInputs { empty_texts: vec!["{}".to_owned()], project: None };
        for text in ["", "\n", "{}\n", "[", " ("] {
            assert!(trivial_inputs.is_hollow(text.as_bytes()), "{text}");
        }
        for text in [",", "[0,,", "]", "x", "{a}", "\t"] {
            assert!(!trivial_inputs.is_hollow(text.as_bytes()), "{text}");
        }
    }
}
