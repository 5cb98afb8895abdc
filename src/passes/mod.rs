//! Passes: what could be tried on a document. They propose and decide nothing.
//!
//! There are two kinds of proposal. A [`Sequence`] is a list of units of which any subset may go;
//! the engine decides which runs of it to try. [`Alternative`]s are single edits of which at most
//! one is taken at a place; they are ordered by their expected gain.

mod aliases;
mod alternatives;
mod blanks;
mod bodies;
mod brackets;
mod chains;
mod characters;
mod comments;
mod deep_splice;
mod definitions;
mod errors;
mod fingerprint;
mod forward;
mod globalise;
mod groups;
mod hoist;
mod indentation;
mod inline;
mod layout;
mod literals;
mod merge;
mod minimal;
mod names;
mod pairs;
mod parameters;
mod patterns;
mod removal;
mod rewrites;
mod shapes;
mod siblings;
mod splice_lift;
mod tokens;
mod windows;

#[cfg(test)]
pub(crate) mod testing;

pub use aliases::aliases;
pub use alternatives::{Action, Alternative, Class, each_once};
pub use blanks::{blank_characters, blank_words, blanked, gap_characters, name_characters};
pub use bodies::bodies;
pub use brackets::Brackets;
pub use chains::{MIN_CHAIN, chains};
pub use characters::{character_units, line_units, sensitive_ranges, word_units};
pub use comments::{comment_lines, comment_words, comments};
pub use deep_splice::deep_splices;
pub use definitions::{Definitions, unreferenced};
pub use errors::{Windows, error_shells, error_windows};
pub use fingerprint::Fingerprints;
pub use forward::forwards;
pub use globalise::globalised;
pub use groups::groups;
pub use hoist::hoists;
pub use indentation::{indents, rendered};
pub use inline::inlined;
pub use layout::{Format, layout};
pub use literals::{shorter_literals, simplest_literals};
pub use merge::merges;
pub use minimal::minimal_replacements;
pub use names::short_names;
pub use pairs::pairs;
pub use parameters::parameters;
pub use patterns::shorter_patterns;
pub use removal::{NodeSet, Nodes, holes, removal_edits};
pub use rewrites::{rewrites, unifications};
pub use shapes::{Clearance, Shapes};
pub use siblings::siblings;
pub use splice_lift::{lifts, splices};
pub use tokens::{token_units, tokens};
pub use windows::windows;

use crate::grammar::RuleId;
use crate::syntax::Edit;

/// What has to be done to the text to take a unit out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// The nodes go, with the separators that belong to them.
    Nodes(Nodes),
    /// These edits are made.
    Edits(Vec<Edit>),
}

/// Something that can be taken out by itself.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What taking it out means.
    pub removal: Removal,
    /// Tokens that go with it, for the order of the work.
    pub tokens: u32,
    /// A candidate without it is known to be no worse in syntax, so it need not be parsed.
    pub cleared: bool,
}

/// A list of units of which any subset may go: the siblings below one node, or any other row of
/// things that are alike.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The kind of list for the model; kinds of parents, and numbers from [`list_kind`] for rows
    /// that are not siblings.
    pub kind: u32,
    /// Distance of the list from the root; [`NO_DEPTH`] for rows that are not siblings.
    pub depth: u32,
    /// The units in the order of the text.
    pub units: Vec<Unit>,
    /// The grammar's rules that each unit comes from; empty where no rule made the list.
    pub rules: Vec<Vec<RuleId>>,
}

impl Sequence {
    /// Tokens of all its units.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.units.iter().map(|u| u64::from(u.tokens)).sum()
    }
}

/// The depth of rows that are not the children of one node.
pub const NO_DEPTH: u32 = u32::MAX;

/// Numbers of list kinds that are not kinds of syntax nodes.
pub mod list_kind {
    /// Comments of the whole text.
    pub const COMMENTS: u32 = 1 << 16;
    /// Definitions whose names are found nowhere else.
    pub const UNREFERENCED: u32 = COMMENTS + 1;
    /// Bodies of definitions.
    pub const BODIES: u32 = COMMENTS + 2;
    /// Shells of nested nodes.
    pub const CHAIN: u32 = COMMENTS + 3;
    /// Tokens of the whole text.
    pub const TOKENS: u32 = COMMENTS + 4;
    /// Lines.
    pub const LINES: u32 = COMMENTS + 5;
    /// Words.
    pub const WORDS: u32 = COMMENTS + 6;
    /// Characters.
    pub const CHARACTERS: u32 = COMMENTS + 7;
    /// All nodes of one level of the tree, whoever their parents are.
    pub const LEVEL: u32 = COMMENTS + 8;
    /// Numbers and texts that could be simpler.
    pub const LITERALS: u32 = COMMENTS + 9;
    /// Names that could be shorter.
    pub const NAMES: u32 = COMMENTS + 10;
    /// Blanks between tokens.
    pub const LAYOUT: u32 = COMMENTS + 11;
    /// What a caller's own pass says may go.
    pub const CUSTOM: u32 = COMMENTS + 12;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::Action;
    use super::testing::{FILES, Languages, any_text, lossy, shipped_sample};

    /// A shape is tried in one place and by itself: elsewhere, and together with others of its list,
    /// it may be wrong, but rarely.
    #[test]
    fn hardly_any_cleared_unit_and_subset_of_a_list_leaves_a_syntax_error() {
        const SUBSETS: usize = 4;
        let mut runner = TestRunner::deterministic();
        let mut languages = Languages;
        for file in FILES {
            let mut sample = languages.sample(file, shipped_sample(file));
            let lists = sample.all_siblings();
            let (mut units, mut clean_units, mut clean_subsets) = (0, 0, 0);
            for list in &lists {
                assert!(list.units.iter().all(|unit| unit.cleared));
                units += list.units.len();
                for unit in &list.units {
                    let left = sample.after([&unit.removal]);
                    clean_units += usize::from(sample.errors(&left) == Some(0));
                }
                let subset = prop::sample::subsequence(list.units.clone(), 1..=list.units.len());
                for _ in 0..SUBSETS {
                    let gone = subset.new_tree(&mut runner).expect("nothing is filtered").current();
                    let left = sample.after(gone.iter().map(|unit| &unit.removal));
                    clean_subsets += usize::from(sample.errors(&left) == Some(0));
                }
            }
            assert!(clean_units * 100 >= units * 95, "{file}: without {clean_units} of {units} units");
            let subsets = lists.len() * SUBSETS;
            assert!(clean_subsets * 100 >= subsets * 90, "{file}: without {clean_subsets} of {subsets} subsets");
        }
    }

    #[test]
    fn units_of_all_lists_go_together() {
        let mut runner = TestRunner::deterministic();
        let mut languages = Languages;
        for file in FILES {
            let mut sample = languages.sample(file, shipped_sample(file));
            let units: Vec<_> = sample.all_siblings().into_iter().flat_map(|list| list.units).collect();
            let subset = prop::sample::subsequence(units.clone(), 1..=units.len());
            for _ in 0..50 {
                let gone = subset.new_tree(&mut runner).expect("nothing is filtered").current();
                let left = sample.after(gone.iter().map(|unit| &unit.removal));
                assert!(left.len() < sample.document.source().len());
            }
            let left = sample.after(units.iter().map(|unit| &unit.removal));
            assert!(left.trim_ascii().is_empty(), "{file}: {}", lossy(&left));
        }
    }

    /// A value in the place of a name may be wrong where the name is assigned to, which only the gate
    /// finds out; all other rules say exactly what they match.
    #[test]
    fn what_rules_make_of_a_sample_parses() {
        let mut languages = Languages;
        let mut wrong = Vec::new();
        for file in FILES {
            let mut sample = languages.sample(file, shipped_sample(file));
            let (mut names, mut clean_names) = (0, 0);
            for alternative in sample.alternatives_of_rules() {
                let left = sample.rendered(alternative.edits.clone());
                let is_clean = sample.errors(&left) == Some(0);
                if matches!(alternative.class.action, Action::Alias | Action::Inline) {
                    names += 1;
                    clean_names += usize::from(is_clean);
                } else if !is_clean {
                    wrong.push(format!("{file}: {:?}: {}", alternative.class, lossy(&left[alternative.range.start..])));
                }
            }
            assert!(clean_names * 2 >= names, "{file}: {clean_names} of {names} names");
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }

    #[test]
    fn every_proposal_of_every_pass_changes_the_sample() {
        let mut languages = Languages;
        for file in FILES {
            let mut sample = languages.sample(file, shipped_sample(file));
            for sequence in sample.sequences() {
                for unit in &sequence.units {
                    let left = sample.after([&unit.removal]);
                    assert_ne!(left, sample.document.source(), "{unit:?}");
                }
            }
            for alternative in sample.alternatives() {
                let left = sample.rendered(alternative.edits.clone());
                assert_ne!(left, sample.document.source(), "{alternative:?}");
            }
        }
    }

    #[test]
    fn the_tokens_of_cleared_units_are_those_that_go() {
        let mut languages = Languages;
        for file in FILES {
            let mut sample = languages.sample(file, shipped_sample(file));
            let whole = sample.document.tokens();
            let units: Vec<_> = sample.all_siblings().into_iter().flat_map(|list| list.units).collect();
            let exact = units.iter().filter(|unit| {
                let left = languages.sample(file, sample.after([&unit.removal])).document.tokens();
                // A separator may go as well; and what is left may be read as something else.
                [0, 1].contains(&whole.saturating_sub(left).wrapping_sub(unit.tokens as usize))
            });
            let exact = exact.count();
            // Scalars without quotes become one where nothing is between them any more.
            let share = if file == "x.yaml" { 95 } else { 99 };
            assert!(exact * 100 >= units.len() * share, "{file}: {exact} of {}", units.len());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn passes_take_any_text_and_their_proposals_render(
            text in any_text(),
            file in prop::sample::select(&FILES[..]),
            picks in prop::collection::vec(any::<bool>(), 1..50),
        ) {
            let mut sample = Languages.sample(file, text.as_slice());
            let sequences = sample.sequences();
            for sequence in &sequences {
                assert!(!sequence.units.is_empty());
                for unit in &sequence.units {
                    assert!(sample.after([&unit.removal]).len() <= text.len() + 1);
                }
                let picked = sequence.units.iter().zip(picks.iter().cycle()).filter(|(_, pick)| **pick);
                sample.after(picked.map(|(unit, _)| &unit.removal));
            }
            // Lists are swept at the same time.
            let all = sequences.iter().flat_map(|sequence| &sequence.units);
            sample.after(all.map(|unit| &unit.removal));
            for alternative in sample.alternatives() {
                let left = sample.rendered(alternative.edits.clone());
                assert!(alternative.tokens > 0 || left.len() <= text.len() + 2, "{}", lossy(&left));
            }
        }
    }
}
