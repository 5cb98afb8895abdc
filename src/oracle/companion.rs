//! Responsible for second commands: what must hold of a candidate besides the test's own answer.
//!
//! A companion was seen on the input. Of a candidate it must end the same way, or warn of no new kind of thing.

use std::collections::BTreeSet;
use std::time::Duration;

use regex::bytes::{Regex, RegexBuilder};

use super::command::Written;
use super::{Cancel, CommandOracle, ConditionError, Exit, Oracle, Outcome, Slot};
use crate::engine::Verdict;

/// A second command, and what must stay of how it ran on the input.
#[derive(Clone, Debug)]
pub struct Companion {
    oracle: CommandOracle,
    keeps: Keeps,
}

#[derive(Clone, Debug)]
enum Keeps {
    /// How it ended.
    Exit(Exit),
    /// The kinds of its warnings, of which there may be fewer; and that it found no error, if it found none.
    Kinds { warnings: Guarded, known: BTreeSet<String>, ended: Exit },
}

/// The warnings that a guard looks for.
#[derive(Clone, Debug)]
pub struct Guarded {
    patterns: Vec<Regex>,
}

impl Guarded {
    /// Takes regular expressions; what the first group of one matches is the kind of a warning, and what all of it
    /// matches where it has no group.
    ///
    /// # Errors
    /// [`ConditionError`] for what is not a regular expression.
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

impl Companion {
    /// A command that must end as it `ended` on the input.
    #[must_use]
    pub fn ending(oracle: CommandOracle, ended: Exit) -> Self {
        Self { oracle, keeps: Keeps::Exit(ended) }
    }

    /// A compiler that must not warn of other kinds of things than it did on the input, where it `ended` so and wrote
    /// this; and must still accept what it accepted.
    #[must_use]
    pub fn guard(oracle: CommandOracle, warnings: Guarded, ended: Exit, written: &Written) -> Self {
        let known = warnings.kinds(written);
        Self { oracle, keeps: Keeps::Kinds { warnings, known, ended } }
    }

    /// The outcome of a candidate that the test found interesting.
    pub(super) fn judge(
        &self,
        outcome: Outcome,
        candidate: &[u8],
        slot: &mut Slot,
        deadline: Duration,
        cancel: &Cancel,
    ) -> Outcome {
        let (seen, written) = self.oracle.observe(candidate, slot, deadline, cancel);
        if seen.verdict.is_none() {
            return seen;
        }
        let duration = outcome.duration + seen.duration;
        let Some(complaint) = self.complaint(seen.exit, &written) else { return Outcome { duration, ..outcome } };
        let verdict = if seen.exit == Exit::TimedOut { Verdict::Timeout } else { Verdict::NotInteresting };
        let note = Some(format!("{}: {complaint}", self.oracle.describe()));
        Outcome { verdict: Some(verdict), duration, note, ..outcome }
    }

    /// What is the matter with a run of it, if anything is.
    fn complaint(&self, exit: Exit, written: &Written) -> Option<String> {
        match &self.keeps {
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
    use std::path::Path;

    use super::*;
    use crate::oracle::{Conditions, SlotOptions};

    fn wrote(text: &str) -> Written {
        Written { stdout: Vec::new(), stderr: text.as_bytes().to_vec() }
    }

    fn shell(line: &str) -> CommandOracle {
        let words: Vec<_> = ["sh", "-c", line].map(Into::into).into();
        CommandOracle::command(&words, Path::new("case.x"), Conditions::default()).expect("sh is everywhere")
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
        let guard = Companion::guard(shell("true"), guarded, Exit::Code(0), &wrote("[-Wold]"));
        assert_eq!(guard.complaint(Exit::Code(0), &wrote("[-Wold] [-Wold]")), None);
        assert_eq!(guard.complaint(Exit::Code(0), &wrote("")), None);
        assert!(guard.complaint(Exit::Code(0), &wrote("[-Wnew]")).is_some_and(|said| said.contains("new")));
        assert!(guard.complaint(Exit::Code(1), &wrote("")).is_some_and(|said| said.contains("accepted")));
    }

    #[test]
    fn an_interesting_candidate_needs_the_consent_of_its_companion() {
        let oracle = shell("true").with_companions(vec![Companion::ending(shell("grep -q b case.x"), Exit::Code(0))]);
        let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
        let mut judge = |text: &[u8]| oracle.judge(text, &mut slot, Duration::from_secs(20), &Cancel::new());
        assert!(judge(b"abc").is_interesting());
        let refused = judge(b"ac");
        assert_eq!(refused.verdict, Some(Verdict::NotInteresting));
        assert!(refused.note.is_some_and(|note| note.contains("exit code 1, and exit code 0 on the input")));
    }
}
