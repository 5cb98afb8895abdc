//! The messages of a tool that lists its errors, one per line, by the rows of the table with `listed`. A result must
//! not have errors that the input lacks.

use std::borrow::Cow;
use std::collections::HashSet;

use super::generalise::{Context, Treatment};
use super::{Seen, Table};
use crate::oracle::Written;

/// Maximum number of kinds of errors. A tool that reports more is confused: later errors depend on the first ones.
const KINDS: usize = 12;

impl Table {
    /// Whether a run lists any error.
    #[must_use]
    pub fn lists_errors(&self, written: &Written) -> bool {
        [&written.stderr, &written.stdout].into_iter().any(|text| self.listed.errors(text).next().is_some())
    }

    /// The messages of a run on a result of a kind that no message of a run on the input has, each kind once.
    #[must_use]
    pub fn fresh_errors<'w>(&'w self, name: &str, input: &Written, result: &'w Written) -> Vec<Cow<'w, str>> {
        let mut known: HashSet<String> = HashSet::new();
        for text in [&input.stderr, &input.stdout] {
            known.extend(self.listed.errors(text).map(|message| self.kind_of(message, name)));
        }
        let messages = [&result.stderr, &result.stdout].into_iter().flat_map(|text| self.listed.errors(text));
        messages.filter(|message| known.insert(self.kind_of(message, name))).map(String::from_utf8_lossy).collect()
    }

    /// A message as a regular expression for the whole of it and of others of its kind.
    fn kind_of(&self, message: &[u8], name: &str) -> String {
        let mut context = Context::new(&self.context, b"", name).with_any_quotes();
        context.add(message, 0..message.len(), Treatment::Generalise);
        context.finish_whole()
    }

    /// Makes regular expressions for the error messages of a run, each once. Quoted text, numbers and paths may differ.
    /// Returns none if the run lists none, or too many kinds.
    #[must_use]
    pub fn only_errors(&self, seen: &Seen<'_>) -> Vec<String> {
        let mut kinds = Vec::new();
        for message in [seen.stderr, seen.stdout].into_iter().flat_map(|text| self.listed.errors(text)) {
            let kind = self.kind_of(message, seen.name);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
            if kinds.len() > KINDS {
                return Vec::new();
            }
        }
        kinds
    }
}
