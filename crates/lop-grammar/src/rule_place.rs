//! The rule of an edit, with its file and line, for authors of rules.

use std::fmt;
use std::ops::Deref;

/// The name of the file of a language's rules.
pub(super) const RULES: &str = "reduce.scm";

/// The folder of the rules that need no language, which is no language's.
pub(super) const COMMON: &str = "";

/// The number of a rule in its grammar: the patterns of `reduce.scm` in file order, then the texts of `[minimal]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(u32);

impl RuleId {
    pub(super) fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer rules than bytes in their file"))
    }

    /// Its place among the rules of its grammar, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Something that a rule says, with the rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByRule<T> {
    /// The thing itself.
    pub what: T,
    /// The rule.
    pub rule: RuleId,
}

impl<T> Deref for ByRule<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.what
    }
}

/// Where a rule is written. Shown as `<folder>/reduce.scm:7`, or `<folder>/language.toml:7 <text>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RulePlace {
    /// The file with its folder: the language's or the user's.
    pub file: String,
    /// The line, from 1: of a pattern's first line, or of a key of `[minimal]`.
    pub line: usize,
    /// Which text of the key it is.
    pub text: Option<String>,
}

impl fmt::Display for RulePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)?;
        self.text.iter().try_for_each(|text| write!(formatter, " {text}"))
    }
}

/// A rule as it is written, for messages about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleText {
    /// The folder of the rule's file: the language's own, or an inherited one. Empty for the general rules.
    pub folder: String,
    /// The file, with its folder: `<folder>/reduce.scm`, or `common.scm`.
    pub file: String,
    /// The line of the file it starts in, counted from 1.
    pub line: usize,
    /// The pattern.
    pub text: String,
}

impl RuleText {
    /// Whether it is one of the rules that need no language.
    #[must_use]
    pub fn is_common(&self) -> bool {
        self.folder == COMMON
    }
}

/// The places of the patterns of a language.
pub(super) fn of_patterns(texts: &[RuleText]) -> impl Iterator<Item = RulePlace> {
    texts.iter().map(|rule| RulePlace { file: rule.file.clone(), line: rule.line, text: None })
}
