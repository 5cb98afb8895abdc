//! Responsible for texts with nothing in them: a test that takes one of them says nothing about the input.
//!
//! These are what a reduction ends with when its condition is satisfied too easily: no text at all, a program with
//! nothing in it, a bracket that is never closed.

/// Empty texts of a language that are tried.
const OF_LANGUAGE: usize = 4;
/// Openings that are tried.
const OPENINGS: usize = 4;

/// Beginnings of something that is not there; with each of them alone many a parser is as unhappy as with the input.
const OPENERS: [u8; 6] = *b"{[(\"<'";

/// The file that nothing can be found in and that is not empty.
pub(super) const TRIVIAL: &[u8] = b"\n";

/// Texts with nothing in them, for an input in a language whose empty texts are these: the empty file first, then a line
/// break, then the language's, then openings of which the input has some.
#[must_use]
pub fn hollow_texts(of_language: &[String], input: &[u8]) -> Vec<Vec<u8>> {
    let language = of_language.iter().take(OF_LANGUAGE).map(|text| text.clone().into_bytes());
    let openers = OPENERS.into_iter().filter(|opener| input.contains(opener)).take(OPENINGS).map(|opener| vec![opener]);
    let all = [Vec::new(), TRIVIAL.to_vec()].into_iter().chain(language).chain(openers);
    all.filter(|text| text.trim_ascii() != input.trim_ascii() || text.is_empty()).collect()
}

/// Whether a text has nothing in it.
#[must_use]
pub fn is_hollow(of_language: &[String], text: &[u8]) -> bool {
    // Another blank may be what the bug is about.
    let words = String::from_utf8_lossy(text);
    let words = words.trim_matches([' ', '\r', '\n']).as_bytes();
    let is_opener = matches!(words, [only] if OPENERS.contains(only));
    words.is_empty() || is_opener || of_language.iter().any(|empty| empty.trim().as_bytes() == words)
}

/// A text with nothing in it in a sentence.
#[must_use]
pub fn hollow_name(text: &[u8]) -> String {
    match text {
        b"" => "the empty file".to_owned(),
        TRIVIAL => "a file of one line break".to_owned(),
        text => format!("`{}`", String::from_utf8_lossy(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_tried_that_the_input_has() {
        let texts = |input: &str| -> Vec<String> {
            let texts = hollow_texts(&["{}".to_owned(), "0".to_owned()], input.as_bytes());
            texts.into_iter().map(|text| String::from_utf8(text).expect("plain")).collect()
        };
        assert_eq!(texts("[1, (2)]"), ["", "\n", "{}", "0", "[", "("]);
        assert_eq!(texts("{}\n"), ["", "\n", "0", "{"], "the input itself says nothing");
    }

    #[test]
    fn a_result_with_nothing_in_it_is_known() {
        let language = ["{}".to_owned()];
        for text in ["", "\n", "{}\n", "[", " ("] {
            assert!(is_hollow(&language, text.as_bytes()), "{text}");
        }
        for text in [",", "[0,,", "]", "x", "{a}", "\t"] {
            assert!(!is_hollow(&language, text.as_bytes()), "{text}");
        }
    }
}
