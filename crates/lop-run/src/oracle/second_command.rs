//! The condition of second commands: on a candidate they must end as on the input, or print no new kind of warning.

use std::collections::BTreeSet;

use regex::bytes::{Regex, RegexBuilder};

use super::Exit;
use super::condition_error::ConditionError;
use super::output::Written;

/// The part of a second command's run on the input that every candidate must repeat.
#[derive(Clone, Debug)]
pub struct SecondCommand(Keeps);

#[derive(Clone, Debug)]
enum Keeps {
    /// How it ended.
    Exit(Exit),
    /// The kinds of its warnings, of which a candidate may have fewer; and, if it found no error, that there must be
    /// none.
    Kinds { warnings: Guarded, known: BTreeSet<String>, ended: Exit },
}

/// The warnings that a guard looks for.
#[derive(Clone, Debug)]
pub struct Guarded {
    patterns: Vec<Regex>,
}

impl Guarded {
    /// Compiles regular expressions. The first group is the kind of a warning; without a group, the whole match is.
    ///
    /// # Errors
    /// [`ConditionError`] for an invalid regular expression.
    pub fn new(patterns: &[String]) -> Result<Self, ConditionError> {
        let compile = |pattern: &String| {
            RegexBuilder::new(pattern).multi_line(true).build().map_err(|source| ConditionError::Regex {
                option: "--guard",
                pattern: pattern.clone(),
                source,
            })
        };
        Ok(Guarded { patterns: patterns.iter().map(compile).collect::<Result<_, _>>()? })
    }

    /// The kinds of the warnings in an output.
    #[must_use]
    pub fn kinds(&self, written: &Written) -> BTreeSet<String> {
        let mut kinds = BTreeSet::new();
        for pattern in &self.patterns {
            for text in [&written.stderr, &written.stdout] {
                for found in pattern.captures_iter(text) {
                    let kind = found.get(1).or_else(|| found.get(0)).expect("group 0 is the match");
                    kinds.insert(String::from_utf8_lossy(kind.as_bytes()).into_owned());
                }
            }
        }
        kinds
    }
}

impl SecondCommand {
    /// It must end as it `ended` on the input.
    #[must_use]
    pub fn ending(ended: Exit) -> Self {
        Self(Keeps::Exit(ended))
    }

    /// Makes the condition for a compiler that `ended` in this way on the input and wrote this: no other kinds of
    /// warnings, and no error if there was none.
    #[must_use]
    pub fn guard(warnings: Guarded, ended: Exit, written: &Written) -> Self {
        let known = warnings.kinds(written);
        Self(Keeps::Kinds { warnings, known, ended })
    }

    /// The parts that decide about outcomes.
    pub(super) fn identity(&self) -> impl serde::Serialize + use<> {
        match &self.0 {
            Keeps::Exit(ended) => (ended.to_string(), Vec::new(), Vec::new()),
            Keeps::Kinds { warnings, known, ended } => {
                let patterns: Vec<String> = warnings.patterns.iter().map(Regex::to_string).collect();
                (ended.to_string(), known.iter().cloned().collect(), patterns)
            }
        }
    }

    /// Its error message about a run, if there is one.
    pub(super) fn complaint(&self, exit: Exit, written: &Written) -> Option<String> {
        match &self.0 {
            Keeps::Exit(wanted) => (exit != *wanted).then(|| format!("{exit}, and {wanted} on the input")),
            Keeps::Kinds { ended: Exit::Code(0), .. } if exit != Exit::Code(0) => {
                Some(format!("{exit}, and it accepted the input"))
            }
            Keeps::Kinds { warnings, known, .. } => {
                let kinds = warnings.kinds(written);
                kinds.into_iter().find(|kind| !known.contains(kind)).map(|kind| format!("a new warning: {kind}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrote(text: &str) -> Written {
        Written { stdout: Vec::new(), stderr: text.as_bytes().to_vec() }
    }

    #[test]
    fn the_kind_of_a_warning_is_its_first_group() {
        let guarded = Guarded::new(&[r"\[-W(\w+)\]".to_owned(), "control reaches end".to_owned()]).expect("patterns");
        let kinds = guarded.kinds(&wrote("a [-Wone] b\nc [-Wtwo] [-Wone]\ncontrol reaches end"));
        assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["control reaches end", "one", "two"]);
        assert!(Guarded::new(&["(".to_owned()]).is_err());
    }

    #[test]
    fn a_guard_refuses_new_kinds_and_allows_those_of_the_input() {
        let guarded = Guarded::new(&[r"\[-W(\w+)\]".to_owned()]).expect("a pattern");
        let guard = SecondCommand::guard(guarded, Exit::Code(0), &wrote("[-Wold]"));
        assert_eq!(guard.complaint(Exit::Code(0), &wrote("[-Wold] [-Wold]")), None);
        assert_eq!(guard.complaint(Exit::Code(0), &wrote("")), None);
        assert!(guard.complaint(Exit::Code(0), &wrote("[-Wnew]")).is_some_and(|said| said.contains("new")));
        assert!(guard.complaint(Exit::Code(1), &wrote("")).is_some_and(|said| said.contains("accepted")));
    }
}
