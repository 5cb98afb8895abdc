//! Groups failing runs by signature.

use std::collections::HashMap;

use super::{Mark, Seen, Signature};
use crate::oracle::{ConditionSpec, Conditions, Exit};

/// Bytes of each output of a group's first run that are kept.
const KEPT: usize = 64 << 10;

/// The distinct signatures of some runs. A run belongs to the first signature that it shows as its most specific one.
/// If a run shows two signatures of one kind, they become one group with the more general one.
#[derive(Debug, Default)]
pub struct Groups {
    all: Vec<Group>,
    /// The group of each known mark: the group's own one or a more specific one.
    by_mark: HashMap<(&'static str, String), usize>,
}

/// The runs of one signature.
#[derive(Debug)]
struct Group {
    signature: Signature,
    conditions: Option<Conditions>,
    first: Option<GroupedRun>,
}

/// The run with which a group began.
#[derive(Debug)]
struct GroupedRun {
    exit: Exit,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Groups {
    /// The signatures in the order of their first runs.
    pub fn signatures(&self) -> impl ExactSizeIterator<Item = &Signature> {
        self.all.iter().map(|group| &group.signature)
    }

    /// Adds the group of a known signature without a run.
    pub fn push(&mut self, signature: Signature) {
        self.by_mark.insert(signature.mark.option(), self.all.len());
        self.all.push(Group::new(signature, None));
    }

    /// Returns the number of a run's group, by its most specific signature; a new one if there is none.
    pub fn place(&mut self, signature: &Signature, seen: &Seen<'_>) -> usize {
        let mark = signature.mark.option();
        if let Some(&number) = self.by_mark.get(&mark) {
            return number;
        }
        let number = self.alike(signature, seen).unwrap_or_else(|| {
            self.all.push(Group::new(signature.clone(), Some(GroupedRun::of(seen))));
            self.all.len() - 1
        });
        self.by_mark.insert(mark, number);
        number
    }

    /// The group of the same kind whose signature the run shows, or whose first run shows this signature; that is the
    /// group's then.
    fn alike(&mut self, signature: &Signature, seen: &Seen<'_>) -> Option<usize> {
        if matches!(signature.mark, Mark::Signal(_) | Mark::ExitCode(_)) {
            return None;
        }
        let of_kind = |group: &Group| {
            group.signature.kind == signature.kind
                && std::mem::discriminant(&group.signature.mark) == std::mem::discriminant(&signature.mark)
        };
        let is_shown = |group: &Group| {
            let judge = |conditions: &Conditions| conditions.judge(seen.input, seen.exit, seen.stdout, seen.stderr);
            group.conditions.as_ref().is_some_and(|conditions| judge(conditions) == lop_engine::Verdict::Interesting)
        };
        if let Some(number) = self.all.iter().position(|group| of_kind(group) && is_shown(group)) {
            return Some(number);
        }
        let shows = |run: &GroupedRun| signature.is_shown_by(b"", run.exit, &run.stdout, &run.stderr);
        let number = self.all.iter().position(|group| of_kind(group) && group.first.as_ref().is_some_and(shows))?;
        let first = self.all[number].first.take();
        self.all[number] = Group::new(signature.clone(), first);
        Some(number)
    }
}

impl Group {
    fn new(signature: Signature, first: Option<GroupedRun>) -> Self {
        let mut spec = ConditionSpec::default();
        signature.add_to(&mut spec);
        Group { conditions: Conditions::new(&spec).ok(), signature, first }
    }
}

impl GroupedRun {
    fn of(seen: &Seen<'_>) -> Self {
        let part = |text: &[u8]| text[..text.len().min(KEPT)].to_vec();
        GroupedRun { exit: seen.exit, stdout: part(seen.stdout), stderr: part(seen.stderr) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Table;

    fn place(groups: &mut Groups, input: &str, stderr: &str) -> usize {
        let seen = Seen {
            exit: Exit::Code(1),
            stdout: b"",
            stderr: stderr.as_bytes(),
            input: input.as_bytes().into(),
            name: "a.x",
        };
        let signature = Table::default().signatures(&seen).swap_remove(0);
        groups.place(&signature, &seen)
    }

    #[test]
    fn groups_are_of_one_signature_each() {
        let mut groups = Groups::default();
        let error = |name: &str| format!("a.x:1:2: error: use of undeclared identifier '{name}'\n");
        assert_eq!(place(&mut groups, "foo", &error("foo")), 0);
        assert_eq!(place(&mut groups, "bar", &error("bar")), 0, "both are quoted from the input");
        assert_eq!(place(&mut groups, "foo", "a.x:1:2: error: expected ';'\n"), 1);
        // A name that is not in the input is a part of the signature.
        assert_eq!(place(&mut groups, "", &error("other")), 0, "the run shows the first one");
        assert_eq!(groups.signatures().len(), 2);
    }

    #[test]
    fn groups_take_the_more_general_signature() {
        let mut groups = Groups::default();
        let error = |name: &str| format!("a.x:1:2: error: use of undeclared identifier '{name}'\n");
        assert_eq!(place(&mut groups, "", &error("other")), 0);
        assert_eq!(place(&mut groups, "foo", &error("foo")), 0);
        assert_eq!(place(&mut groups, "bar", &error("bar")), 0);
        assert_eq!(groups.signatures().len(), 1);
    }
}
