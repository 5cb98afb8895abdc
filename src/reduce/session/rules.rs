//! Which of the grammar's rules are behind what was accepted, and how much they took out.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::grammar::{Grammar, RuleId, RulePlace};
use crate::reduce::report::RuleStats;

/// The count of a reduction.
pub(super) struct RuleCounts {
    grammar: Option<Arc<Grammar>>,
    stats: BTreeMap<RuleId, RuleStats>,
}

impl RuleCounts {
    pub(super) fn new(grammar: Option<Arc<Grammar>>) -> Self {
        RuleCounts { grammar, stats: BTreeMap::new() }
    }

    /// Counts an accepted step that comes from all these rules, and says where they are written.
    pub(super) fn accepted(&mut self, rules: &[RuleId], bytes: u64, tokens: u64) -> Vec<RulePlace> {
        let Some(grammar) = &self.grammar else { return Vec::new() };
        for rule in rules {
            let place = &grammar.places()[rule.index()];
            let new = || RuleStats { place: place.clone(), hits: 0, bytes: 0, tokens: 0 };
            let stats = self.stats.entry(*rule).or_insert_with(new);
            stats.hits += 1;
            stats.bytes += bytes;
            stats.tokens += tokens;
        }
        rules.iter().map(|rule| grammar.places()[rule.index()].clone()).collect()
    }

    /// What each rule did, in the order of the files.
    pub(super) fn stats(&self) -> Vec<RuleStats> {
        self.stats.values().cloned().collect()
    }
}
