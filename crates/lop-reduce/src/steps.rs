//! The driver's own steps. They aren't passes, because they propose nothing from a view of the text. But they have
//! names, and users skip and count them like passes.

use lop_passes::{ALL, Facts, Stage};

/// Text that can be removed anywhere, before the text has a tree.
pub const CLEAN: Facts =
    Facts::new("clean", Stage::First, "texts that may go anywhere, such as line markers, before the text is parsed");

/// Definitions with all that they refer to: each question depends on the answers before it.
pub const CLOSURES: Facts =
    Facts::new("closures", Stage::Deletion, "definitions with all that they refer to, and nothing else").by_rules();

/// Candidates of other programs: each depends on the answers before it.
pub const PROPOSED: Facts = Facts::new("proposed", Stage::Late, "edits that the commands of --propose suggest");

/// The choices of a generator: bytes go, or become smaller.
pub const CHOICES: Facts =
    Facts::new("choices", Stage::Text, "choices of a generator go or become smaller, with --generator");

/// The guarantee at the end. Its level determines its questions.
pub const MINIMALITY: Facts = Facts::new("minimality", Stage::Guarantee, "all that is left, one by one");

/// The facts of all that has a name in a reduction, by stage: lop's own passes, and the driver's own steps.
#[must_use]
pub fn named_steps() -> Vec<Facts> {
    let mut all: Vec<Facts> = [CLEAN, CLOSURES, PROPOSED, CHOICES, MINIMALITY]
        .into_iter()
        .chain(ALL.iter().map(|pass| pass.facts()))
        .collect();
    all.sort_by_key(|facts| facts.stage);
    all
}

/// The pass or step of this name.
#[must_use]
pub fn named(name: &str) -> Option<Facts> {
    named_steps().into_iter().find(|step| step.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_there_once() {
        let names: Vec<_> = named_steps().iter().map(|facts| facts.name).collect();
        for name in &names {
            assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
        }
        assert_eq!(names.len(), ALL.len() + 5);
    }
}
