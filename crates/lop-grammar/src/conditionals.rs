//! Conditional lines, some of which a preprocessor keeps.

use regex::bytes::Regex;

/// The looks of the lines that begin, divide and end a conditional group.
#[derive(Clone, Debug)]
pub struct Conditionals {
    /// Begins a group.
    pub begin: Regex,
    /// Begins another branch of it.
    pub middle: Regex,
    /// Ends it.
    pub end: Regex,
}

impl Conditionals {
    /// Whether a line is one of these.
    #[must_use]
    pub fn are_in(&self, line: &[u8]) -> bool {
        [&self.begin, &self.middle, &self.end].into_iter().any(|mark| mark.is_match(line))
    }
}
