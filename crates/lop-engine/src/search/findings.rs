//! The findings of a search: the evidence of the answers that were used, and the units that were decided.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::model::evidence::ListEvidence;
use crate::model::run_length::Before;
use crate::search::sweep::ClosedRun;
use crate::search::verification::Pick;
use crate::verdict::Verdict;

/// The findings from the answers.
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    pub(crate) evidence: ListEvidence,
    /// Kept units whose certificate is a timeout.
    pub(crate) timeouts: BTreeSet<usize>,
    /// Runs that were decided since [`Search::take_decided`](crate::Search::take_decided) was called last.
    pub(crate) decided: Vec<(Range<usize>, Option<usize>)>,
}

impl Findings {
    /// Nothing found yet.
    pub(crate) fn new(evidence: ListEvidence) -> Self {
        Self { evidence, timeouts: BTreeSet::new(), decided: Vec::new() }
    }

    /// Adds a run that is settled.
    pub(crate) fn decided(&mut self, closed: ClosedRun) {
        let ClosedRun { run, learnt, before, .. } = closed;
        let evidence = &mut self.evidence;
        let units = (learnt.length + usize::from(learnt.ended)) as u64;
        if units > 0 {
            evidence.code_length -= closed.predicted.log2();
        }
        let grid = Arc::clone(&evidence.grid);
        grid.add_likelihood(before, learnt, &closed.ahead, &closed.believed, &mut evidence.increments);
        for (sum, told) in evidence.exponents.iter_mut().zip(closed.told) {
            *sum += told;
        }
        evidence.decided += (run.length + usize::from(run.ended)) as u64;
        evidence.needed += u64::from(run.ended);
        let first = u64::from(before != Before::Removable).min(units);
        let first_removable = u64::from(before != Before::Removable && learnt.length > 0);
        evidence.after_removable += units - first;
        evidence.removable_after_removable += learnt.length as u64 - first_removable;
        self.timeouts.extend(closed.needed.filter(|_| !learnt.ended));
        self.decided.push((closed.units, closed.needed));
    }

    /// Adds an answer of the verification.
    pub(crate) fn verified(&mut self, pick: Pick, verdict: Verdict) {
        match verdict {
            Verdict::Timeout => {
                self.timeouts.insert(pick.position);
            }
            Verdict::Interesting | Verdict::NotInteresting | Verdict::Invalid => {
                let yes = verdict == Verdict::Interesting;
                self.timeouts.remove(&pick.position);
                self.evidence.chances.count(pick.bucket, yes);
                self.evidence.removed_later += u64::from(yes);
            }
        }
    }
}
