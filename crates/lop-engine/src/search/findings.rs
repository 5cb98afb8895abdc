//! The findings of a search: the evidence of the answers that were used, and the units that were decided.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::model::evidence::ListEvidence;
use crate::model::run_length::Before;
use crate::parallel::lane::ClosedRun;
use crate::search::verification::Pick;
use crate::verdict::Verdict;

/// The findings from the answers that were used. Answers that speculation assumes are not in it.
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    pub(crate) evidence: ListEvidence,
    /// Kept units whose certificate is a timeout.
    pub(crate) timeouts: BTreeSet<usize>,
    /// Runs that were decided since [`Search::take_decided`](crate::Search::take_decided) was called last.
    pub(crate) decided: Vec<(Range<usize>, Option<usize>)>,
    /// Needed units that are or were in `decided`, so that a unit that is decided twice is reported once.
    told: BTreeSet<usize>,
}

impl Findings {
    /// Nothing found yet.
    pub(crate) fn new(evidence: ListEvidence) -> Self {
        Self { evidence, timeouts: BTreeSet::new(), decided: Vec::new(), told: BTreeSet::new() }
    }

    /// Adds a run that is settled.
    pub(crate) fn decided(&mut self, closed: ClosedRun) {
        let ClosedRun { run, learnt, before, .. } = closed;
        let evidence = &mut self.evidence;
        let units = (learnt.length + usize::from(learnt.ended)) as u64;
        if units > 0 {
            evidence.code_length -= closed.predicted.log2();
        }
        if closed.taught {
            let grid = Arc::clone(&evidence.grid);
            grid.add_likelihood(before, learnt, &closed.ahead, &closed.believed, &mut evidence.increments);
            for (sum, told) in evidence.exponents.iter_mut().zip(closed.told) {
                *sum += told;
            }
        }
        evidence.decided += (run.length + usize::from(run.ended)) as u64;
        evidence.needed += u64::from(run.ended);
        let first = u64::from(before != Before::Removable).min(units);
        let first_removable = u64::from(before != Before::Removable && learnt.length > 0);
        evidence.after_removable += units - first;
        evidence.removable_after_removable += learnt.length as u64 - first_removable;
        if let Some(needed) = closed.needed {
            // A unit may be decided again, and be refused this time.
            if learnt.ended {
                self.timeouts.remove(&needed);
            } else {
                self.timeouts.insert(needed);
            }
        }
        let news = closed.needed.filter(|&needed| self.told.insert(needed));
        self.decided.push((closed.positions, news));
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
