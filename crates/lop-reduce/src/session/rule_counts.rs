//! Counts the accepted edits of each rule, and their savings.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::report::RuleStats;
use lop_grammar::{Grammar, RuleId, RulePlace};

/// The count of a reduction.
#[derive(Clone)]
pub(super) struct RuleCounts {
    /// The languages that were worked on.
    grammars: Vec<Arc<Grammar>>,
    /// The number of the one that is worked on, if it is not plain text.
    current: Option<usize>,
    stats: BTreeMap<(usize, RuleId), RuleStats>,
}

impl RuleCounts {
    pub(super) fn new(grammar: Option<Arc<Grammar>>) -> Self {
        let mut counts = RuleCounts { grammars: Vec::new(), current: None, stats: BTreeMap::new() };
        counts.change_to(grammar.as_ref());
        counts
    }

    /// From now on the rules are those of another language.
    pub(super) fn change_to(&mut self, grammar: Option<&Arc<Grammar>>) {
        self.current = grammar.map(|grammar| {
            let known = self.grammars.iter().position(|known| known.name() == grammar.name());
            known.unwrap_or_else(|| {
                self.grammars.push(Arc::clone(grammar));
                self.grammars.len() - 1
            })
        });
    }

    /// From now on the rules are those of the first language again.
    pub(super) fn change_back(&mut self) {
        self.current = (!self.grammars.is_empty()).then_some(0);
    }

    /// Counts an accepted step made by all these rules, and returns their places.
    pub(super) fn accepted(&mut self, rules: &[RuleId], bytes: u64, tokens: u64) -> Vec<RulePlace> {
        let Some(current) = self.current else { return Vec::new() };
        let grammar = &self.grammars[current];
        for rule in rules {
            let place = &grammar.places()[rule.index()];
            let new = || RuleStats { place: place.clone(), hits: 0, bytes: 0, tokens: 0 };
            let stats = self.stats.entry((current, *rule)).or_insert_with(new);
            stats.hits += 1;
            stats.bytes += bytes;
            stats.tokens += tokens;
        }
        rules.iter().map(|rule| grammar.places()[rule.index()].clone()).collect()
    }

    /// The statistics of each rule, in the order of the files.
    pub(super) fn stats(&self) -> Vec<RuleStats> {
        self.stats.values().cloned().collect()
    }
}
