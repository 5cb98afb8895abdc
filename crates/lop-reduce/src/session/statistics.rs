//! Counts for the report.

use std::sync::Arc;

use crate::report::{Counts, PassStats};
use lop_grammar::{Grammar, RuleId, RulePlace};

use super::rule_counts::RuleCounts;

/// The counts of a reduction. Tests and results are counted for the pass that is under way.
#[derive(Clone)]
pub(crate) struct Statistics {
    /// The pass that is under way.
    pub(super) pass: &'static str,
    pub(super) passes: Vec<PassStats>,
    pub(super) rules: RuleCounts,
    /// Tests, those answered from a journal or a cache included: a resumed run counts as the whole one does.
    pub(crate) counts: Counts,
    pub(crate) from_journal: u64,
    pub(crate) from_shared_cache: u64,
    pub(crate) cache_hits: u64,
    pub(crate) gate_refusals: u64,
    /// Steps of the gates before the one that is there now.
    pub(super) gate_steps: u64,
}

impl Statistics {
    pub(super) fn new(pass: &'static str, grammar: Option<Arc<Grammar>>) -> Self {
        Statistics {
            pass,
            passes: Vec::new(),
            rules: RuleCounts::new(grammar),
            counts: Counts::default(),
            from_journal: 0,
            from_shared_cache: 0,
            cache_hits: 0,
            gate_refusals: 0,
            gate_steps: 0,
        }
    }

    /// Those of the pass that is under way.
    pub(super) fn of_pass(&mut self) -> &mut PassStats {
        let name = self.pass;
        let at = self.passes.iter().position(|pass| pass.name == name).unwrap_or_else(|| {
            self.passes.push(PassStats { name, tests: 0, accepted: 0, bytes: 0, tokens: 0 });
            self.passes.len() - 1
        });
        &mut self.passes[at]
    }

    /// Counts an accepted candidate made by all these rules, and returns their places.
    pub(super) fn accepted(&mut self, rules: &[RuleId], bytes: u64, tokens: u64) -> Vec<RulePlace> {
        let pass = self.of_pass();
        pass.accepted += 1;
        pass.bytes += bytes;
        pass.tokens += tokens;
        self.rules.accepted(rules, bytes, tokens)
    }

    /// Returns to an earlier result: steps accepted since then don't count any more.
    pub(super) fn go_back(&mut self, passes: &[PassStats]) {
        for now in &mut self.passes {
            let then = passes.iter().find(|then| then.name == now.name);
            (now.accepted, now.bytes, now.tokens) = then.map_or((0, 0, 0), |t| (t.accepted, t.bytes, t.tokens));
        }
    }
}
