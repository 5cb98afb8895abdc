//! The passes: they propose edits of a text, and decide nothing. `docs/dev/designing-a-pass.md` explains how to write
//! one.
//!
//! Internal to lop: no version of this crate promises anything.
//!
//! Each file has a name, a stage, a description, and a function from a [`View`] of the text to [`Proposals`]. There are
//! two kinds of proposals. A [`Sequence`] is a list of units; any subset can be removed, and the engine decides which
//! runs to try. [`Alternative`]s are single edits that exclude each other at a place; they are ordered by expected
//! gain.
//!
//! This file is the registry: a new pass needs its `mod` line and its line in [`ALL`]. Everything else follows from
//! that list: `lop passes`, `--only`, `--skip`, skipping on the screen, and the counts.

mod aliases;
mod alike;
mod alternatives;
mod blanks;
mod blocks;
mod bodies;
mod brackets;
mod canonical;
mod captured;
mod cascade;
mod chains;
mod characters;
mod clean;
mod closures;
mod columns;
mod comments;
mod conditionals;
mod coupled;
mod deep_splice;
mod definitions;
mod errors;
mod files;
mod fingerprint;
mod flatten;
mod flow;
mod forward;
mod globalise;
mod groups;
mod hoist;
mod indentation;
mod inline;
mod join;
mod layout;
mod lift;
mod lines;
mod literals;
mod merge;
mod minimal;
mod named;
mod names;
mod numbers;
mod pairs;
mod parameters;
mod pass;
mod patterns;
mod place;
mod records;
mod regions;
mod removal;
mod repeats;
mod rewrites;
mod rows;
mod sequence;
mod siblings;
mod splice;
mod style;
mod tokens;
mod tolerance;
mod trial_parser;
mod two_parts;
mod unify;
mod uses;
mod windows;
mod words;
mod zeros;

#[cfg(test)]
pub(crate) mod testing;

pub use aliases::Constants;
pub use alike::Alike;
pub use alternatives::{Alternative, Class, each_once};
pub use blanks::{Blanks, blank_characters, blank_words, blanked, gap_characters, name_characters};
pub use bodies::Bodies;
pub use brackets::Brackets;
pub use canonical::{Canonical, exchanges, large_numbers, names_in_order};
pub use cascade::{Cascade, RemovedRanges};
pub use chains::{Chains, MIN_CHAIN, chains};
pub use characters::{Characters, character_units, sensitive_ranges};
pub use clean::clean;
pub use closures::References;
pub use comments::{Comments, comment_lines, comment_words, comments};
pub use conditionals::{Branch, Conditionals, branches};
pub use coupled::Coupled;
pub use definitions::{Definitions, Unreferenced};
pub use errors::{Windows, error_shells, error_windows};
pub use files::{Files, contents};
pub use fingerprint::Fingerprints;
pub use flatten::Flatten;
pub use indentation::{indents, rendered};
pub use join::Join;
pub use layout::{Whitespace, layout};
pub use lines::{Lines, line_units};
pub use literals::Literals;
pub use names::{Rename, short_names};
pub use pass::{Facts, FilesOf, Growth, Pass, Proposals, Stage, Tree, View, Wanted, proposals};
pub use removal::{NodeSet, Nodes, holes, removal_edits};
pub use sequence::{Ask, NO_DEPTH, Remembered, Removal, Sequence, Unit, list_kind};
pub use siblings::{Siblings, siblings};
pub use style::{Format, Prefer, Style};
pub use tokens::{token_units, tokens};
pub use tolerance::Tolerance;
pub use trial_parser::{Clearance, TrialParser};
pub use two_parts::TwoParts;
pub use windows::Tokens;
pub use words::{Words, word_units};

/// All passes, in the order of their stages, and within a stage in the order of their turns.
pub static ALL: &[&dyn Pass] = &[
    &Files,
    &Conditionals,
    &Comments,
    &numbers::NUMBERS,
    &records::Records,
    &Unreferenced,
    &Siblings,
    &columns::Columns,
    &repeats::Repeats,
    &regions::Regions,
    &Constants,
    &Bodies,
    &Alike,
    &Chains,
    &hoist::HOIST,
    &minimal::MINIMAL,
    &splice::SPLICE,
    &lift::LIFT,
    &Coupled,
    &Tokens,
    &pairs::Pairs,
    &rewrites::REWRITE,
    &groups::GROUPS,
    &flow::FLOW,
    &forward::FORWARD,
    &parameters::PARAMETERS,
    &aliases::ALIASES,
    &globalise::GLOBALISE,
    &inline::INLINE,
    &unify::UNIFY,
    &deep_splice::DEEP_SPLICE,
    &merge::MERGE,
    &uses::Uses,
    &Join,
    &Flatten,
    &Literals,
    &Characters,
    &Rename,
    &Canonical,
    &Whitespace,
    &zeros::Zeros,
    &Blanks,
    &Lines,
    &Words,
    &TwoParts,
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::testing::{FILES, Languages, any_text, lossy, shipped_sample};
    use super::*;

    #[test]
    fn all_passes_are_listed_once_in_the_order_of_their_stages() {
        assert!(ALL.is_sorted_by_key(|pass| pass.facts().stage));
        for pass in ALL {
            assert_eq!(ALL.iter().filter(|other| other.name() == pass.name()).count(), 1);
        }
    }

    /// A shape is tried alone at one place: elsewhere, and together with others of its list, it can be wrong, but
    /// rarely is.
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
                assert!(list.units.iter().all(|unit| unit.known_to_parse));
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

    /// A value in place of a name can be wrong if the name is assigned to, which only the gate detects; all other rules
    /// define exactly what they match.
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
                if ["aliases", "inline"].contains(&alternative.pass) {
                    names += 1;
                    clean_names += usize::from(is_clean);
                } else if !is_clean {
                    wrong.push(format!("{file}: {}: {}", alternative.pass, lossy(&left[alternative.range.start..])));
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
                // A separator can be removed, too, and the rest can be read in another way.
                [0, 1].contains(&whole.saturating_sub(left).wrapping_sub(unit.tokens as usize))
            });
            let exact = exact.count();
            // Unquoted scalars become one if nothing is between them any more.
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
                    // A Python body of one letter becomes `pass`.
                    let left = sample.after([&unit.removal]);
                    assert!(left.len() <= text.len() + 3, "{}", lossy(&left));
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
