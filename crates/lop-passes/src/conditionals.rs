//! Conditionals: groups of lines with several branches, one of which a preprocessor keeps.
//!
//! A group may split a statement, and if each branch opens a bracket, no parser can make a tree of all branches. So
//! each group is replaced by one of its branches before the text is parsed: all groups in one test, then half of them,
//! and so on.
//!
//! ```text
//! #ifdef A               if (a &&
//!     if (a &&      →        c)
//! #else
//!     if (b ||
//! #endif
//!         c)
//! ```

use std::ops::Range;

use lop_grammar::{Conditionals as Marks, Grammar};
use lop_syntax::{Edit, lines};

use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::sequence::{Removal, Sequence, Unit, list_kind};

/// Groups of conditional lines, each replaced by one of its branches.
pub struct Conditionals;

impl Pass for Conditionals {
    fn facts(&self) -> Facts {
        let about = "conditional groups of lines become one of their branches, before the text is parsed";
        Facts::new("conditionals", Stage::First, about).led("they are asked about before there is a tree")
    }

    /// It runs before there is a tree, and needs facts about the language: the driver calls [`branches`].
    fn propose(&self, _: &View<'_>) -> Proposals {
        Proposals::default()
    }
}

/// The branch that a group becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// The first.
    First,
    /// The last branch, if there is more than one.
    Last,
    /// No branch: the whole group is removed.
    None,
}

/// A group: its directives, and the lines of its branches.
#[derive(Debug, Default, PartialEq, Eq)]
struct Group {
    directives: Vec<Range<usize>>,
}

impl Group {
    /// The lines that go when a branch stays.
    fn without(&self, branch: Branch) -> Vec<Range<usize>> {
        let (first, last) = (&self.directives[0], &self.directives[self.directives.len() - 1]);
        match branch {
            Branch::First => vec![first.clone(), self.directives[1].start..last.end],
            Branch::Last => vec![first.start..self.directives[self.directives.len() - 2].end, last.clone()],
            Branch::None => std::iter::once(first.start..last.end).collect(),
        }
    }
}

/// Proposes the groups of a text that can become this branch as units. Returns `None` if there are none. A group inside
/// another one is a separate unit.
#[must_use]
pub fn branches(text: &[u8], grammar: &Grammar, branch: Branch) -> Option<Sequence> {
    let groups = groups(text, grammar.conditionals()?);
    let has_it = |group: &&Group| branch != Branch::Last || group.directives.len() > 2;
    let unit = |group: &Group| {
        let edits = group.without(branch).into_iter().map(Edit::delete_raw).collect();
        Unit { removal: Removal::Edits(edits), tokens: 1, known_to_parse: false }
    };
    let units: Vec<_> = groups.iter().filter(has_it).map(unit).collect();
    (!units.is_empty()).then_some(Sequence::of(list_kind::CONDITIONALS, units))
}

/// The groups, in the order in which they begin. Each has a beginning and an end.
fn groups(text: &[u8], marks: &Marks) -> Vec<Group> {
    let mut open: Vec<Group> = Vec::new();
    let mut groups = Vec::new();
    let mut directive: Option<Range<usize>> = None;
    for line in lines(text) {
        // A backslash at the end of its line continues a directive on the next.
        let whole = directive.take().map_or(line.start, |before| before.start)..line.end;
        if text[line.clone()].trim_ascii_end().ends_with(b"\\") && marks.are_in(&text[whole.clone()]) {
            directive = Some(whole);
            continue;
        }
        let content = &text[whole.clone()];
        if marks.begin.is_match(content) {
            open.push(Group { directives: vec![whole] });
        } else if let Some(group) = open.last_mut() {
            if marks.middle.is_match(content) {
                group.directives.push(whole);
            } else if marks.end.is_match(content) {
                group.directives.push(whole);
                groups.extend(open.pop());
            }
        }
    }
    groups.sort_by_key(|group| group.directives[0].start);
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, lossy};

    #[test]
    fn each_group_becomes_one_of_its_branches() {
        let nested = "#if A\na\n#if B\nb\n#else\nc\n#endif\n#elif D \\\n  E\nd\n#else\ne\n#endif\nf\n";
        let rows: [(&str, Branch, &str); 9] = [
            ("#if A\na\n#else\nb\n#endif\nc\n", Branch::First, "a\nc\n"),
            ("#if A\na\n#else\nb\n#endif\nc\n", Branch::Last, "b\nc\n"),
            ("#if A\na\n#else\nb\n#endif\nc\n", Branch::None, "c\n"),
            ("  #  ifdef A\na\n# endif // A\nc", Branch::First, "a\nc"),
            ("#ifndef A\n#define A\na\n#endif", Branch::First, "#define A\na\n"),
            (nested, Branch::First, "a\nb\nf\n"),
            (nested, Branch::Last, "e\nf\n"),
            ("#endif\n#if A\n#else\na\n", Branch::First, "#endif\n#if A\n#else\na\n"),
            ("int a; #if\n", Branch::First, "int a; #if\n"),
        ];
        for (text, branch, expected) in rows {
            let sample = Languages.sample("x.c", text);
            let found = branches(text.as_bytes(), &sample.grammar, branch);
            let units = found.iter().flat_map(|sequence| &sequence.units).map(|unit| &unit.removal);
            assert_eq!(lossy(&sample.after(units)), expected, "{text}");
        }
    }
}
