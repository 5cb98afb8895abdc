//! The table of messages that tools print: `patterns.toml`, whose head explains the fields.

use std::sync::OnceLock;

use regex::bytes::{Captures, Regex, RegexBuilder};

const PATTERNS: &str = include_str!("patterns.toml");

/// A row whose expressions are compiled when they are first asked for: most runs end well and need none of them, and
/// compiling all takes longer than such a run.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) row: Row,
    regex: OnceLock<Regex>,
    but: OnceLock<Regex>,
}

impl Pattern {
    pub(super) fn new(row: Row) -> Self {
        Pattern { row, regex: OnceLock::new(), but: OnceLock::new() }
    }

    pub(super) fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| compiled(&self.row.find))
    }

    pub(super) fn but(&self) -> Option<&Regex> {
        self.row.but.as_deref().map(|text| self.but.get_or_init(|| compiled(text)))
    }
}

pub(super) fn compiled(pattern: &str) -> Regex {
    let regex = RegexBuilder::new(pattern).multi_line(true).build();
    regex.expect("the patterns are constants and well formed")
}

/// The table.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rows {
    pub(super) missing: Vec<String>,
    pub(super) pattern: Vec<Row>,
    pub(super) warning: Vec<Row>,
}

#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) name: String,
    #[serde(default)]
    pub(super) crash: bool,
    #[serde(default)]
    pub(super) listed: bool,
    pub(super) find: String,
    pub(super) but: Option<String>,
}

impl Default for Rows {
    fn default() -> Self {
        toml::from_str(PATTERNS).expect("the table is a constant and well formed")
    }
}

/// Finds the messages of a tool that lists its errors, one line each.
#[derive(Debug)]
pub(super) struct Listed(Vec<Pattern>);

impl Default for Listed {
    fn default() -> Self {
        Self::of(&Rows::default().pattern)
    }
}

impl Listed {
    /// By the rows that say `listed`.
    pub(super) fn of(rows: &[Row]) -> Self {
        Listed(rows.iter().filter(|row| row.listed).cloned().map(Pattern::new).collect())
    }

    /// The error messages in an output, without positions in front of them. Excerpts of a source and lines that count
    /// errors are none.
    pub(super) fn errors<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = &'t [u8]> {
        self.0.iter().flat_map(move |pattern| {
            let is_message = move |found: &Captures<'t>| {
                let start = found.get(0).expect("group 0 is the match").start();
                let line = memchr::memrchr(b'\n', &text[..start]).map_or(0, |end| end + 1);
                let is_excerpt = text[line..].first().is_some_and(|byte| b" \t|".contains(byte));
                !is_excerpt && pattern.but().is_none_or(|but| !but.is_match(&found[0]))
            };
            pattern.regex().captures_iter(text).filter(is_message).map(|found| {
                let whole = found.get(0).expect("group 0 is the match");
                let end = found.name("skip1").map_or(whole.end(), |skipped| skipped.start());
                let start = found.name("skip2").map_or(whole.start(), |skipped| skipped.end());
                text[start..end].trim_ascii()
            })
        })
    }
}
