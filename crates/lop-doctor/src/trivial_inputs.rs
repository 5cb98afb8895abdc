//! Responsible for texts with nothing in them: a test that takes one of them says nothing about the input.
//!
//! These are what a reduction ends with when its condition is satisfied too easily: no text at all, a program with
//! nothing in it, a bracket that is never closed.

use lop_grammar::Grammar;
use lop_reduce::Project;

/// Empty texts of a language that are tried.
const OF_LANGUAGE: usize = 4;
/// Openings that are tried.
const OPENINGS: usize = 4;

/// Beginnings of something that is not there; with each of them alone many a parser is as unhappy as with the input.
const OPENERS: [u8; 6] = *b"{[(\"<'";

/// The file that nothing can be found in and that is not empty.
pub(super) const TRIVIAL: &[u8] = b"\n";

/// Knows what a test case looks like that has nothing in it.
#[derive(Clone, Debug, Default)]
pub struct TrivialInputs {
    /// Whole files of the language with nothing in them.
    empty_texts: Vec<String>,
    /// The files, where the test case has several.
    project: Option<Project>,
}

/// A candidate with nothing in it.
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
    /// For a test case in one language or of several files.
    #[must_use]
    pub fn new(grammar: Option<&Grammar>, project: Option<&Project>) -> Self {
        let empty_texts = match project {
            Some(project) => project.empty_texts(),
            None => grammar.map(|grammar| grammar.empty_texts().to_vec()).unwrap_or_default(),
        };
        Self { empty_texts, project: project.cloned() }
    }

    /// The files, where the test case has several.
    #[must_use]
    pub fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    /// Candidates with nothing in them: the empty file first, then a line break, then the texts of the language, then
    /// those opening brackets and quotes that the input contains. The input itself is left out.
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

    /// The candidate in which this is all the text.
    fn case(&self, input: &[u8], text: Vec<u8>) -> TrivialInput {
        let name = hollow_name(&text);
        match &self.project {
            None => TrivialInput { name, candidate: text.clone(), text },
            Some(project) => {
                TrivialInput { name: format!("{name} for each file"), candidate: project.filled(input, &text), text }
            }
        }
    }

    /// Whether it is a whole text of the language with nothing in it.
    pub(super) fn is_of_language(&self, text: &[u8]) -> bool {
        self.empty_texts.iter().any(|empty| empty.as_bytes() == text)
    }

    /// Whether a result has nothing in it: of several files, none of those that the test names, and none of the others that
    /// are left if it names none.
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
        // Other whitespace may be what the bug is about.
        let words = String::from_utf8_lossy(text);
        let words = words.trim_matches([' ', '\r', '\n']).as_bytes();
        let is_opener = matches!(words, [only] if OPENERS.contains(only));
        words.is_empty() || is_opener || self.empty_texts.iter().any(|empty| empty.trim().as_bytes() == words)
    }
}

/// A text with nothing in it in a sentence.
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
        let text = Archive::pack(&[file("a", "[1]"), file("d/b", "x"), file("e", "(")]);
        let archive = Archive::of(&text).expect("it is one");
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
