//! The probability that lanes are independent: that an outcome in a far lane is the same as after everything before the
//! lane was decided.
//!
//! Where units of a far lane are used by units before it, all its questions are refused, which looks like a stretch of
//! needed units. Three observations show the difference. The front lane removes more than a model predicts that learns
//! from all lanes. The front lane and the far lanes are predicted better by two models than by one. And a refusal turns
//! into *interesting* when it is asked again later.

use std::sync::Arc;

use crate::model::posterior::Posterior;
use crate::parallel::lane::Lane;

/// Logarithm of the prior odds of either sign that lanes depend on each other.
const PRIOR_DEPENDENCE: f64 = -2.2;
/// The share of predicted yes answers that dependent lanes see.
const DEPENDENT_SHARE: f64 = 0.35;
/// The largest logarithm of the odds, in either direction, so that a change along the sequence is noticed.
const MOST_CERTAIN: f64 = 6.0;
/// The logarithm of the likelihood ratio of a refusal that turns into *interesting* when it is asked again, and of one that
/// does not.
const TURNED: f64 = 5.0;
const STAYED: f64 = -0.7;

/// The odds so far, and the posteriors that they are computed from.
#[derive(Clone, Debug)]
pub(crate) struct Independence {
    /// Logarithm of the odds that units depend on those of other lanes.
    dependence: f64,
    /// Logarithm of the odds that far lanes follow another model than the front lane.
    apart: f64,
    /// The posteriors after all lanes, after the front lane alone, and after the far lanes, unfinished runs included.
    pub(crate) all: Arc<Posterior>,
    pub(crate) alone: Arc<Posterior>,
    far: Arc<Posterior>,
}

impl Independence {
    pub(crate) fn new(posterior: &Arc<Posterior>) -> Self {
        let [all, alone, far] = [posterior; 3].map(Arc::clone);
        Self { dependence: PRIOR_DEPENDENCE, apart: PRIOR_DEPENDENCE, all, alone, far }
    }

    /// Keeps the belief about dependence when lanes start again.
    pub(crate) fn start_again(&mut self, posterior: &Arc<Posterior>) {
        [self.all, self.alone, self.far] = [posterior; 3].map(Arc::clone);
    }

    /// Takes in an answer to the front question of a lane.
    pub(crate) fn count(&mut self, lane: &Lane, is_front: bool, yes: bool) {
        let of = |p: f64| if yes { p } else { 1.0 - p }.max(1e-3);
        let Some(predicted) = lane.teach(yes, Arc::make_mut(&mut self.all)) else { return };
        let own = if is_front { &mut self.alone } else { &mut self.far };
        let own = lane.teach(yes, Arc::make_mut(own)).unwrap_or(predicted);
        let under_dependence = if is_front { own } else { predicted * DEPENDENT_SHARE };
        add(&mut self.dependence, (of(under_dependence) / of(predicted)).ln());
        add(&mut self.apart, (of(own) / of(predicted)).ln());
    }

    /// Takes the answer to a refusal that was asked again: whether it has turned into *interesting*.
    pub(crate) fn asked_again(&mut self, yes: bool) {
        let evidence = if yes { TURNED } else { STAYED };
        add(&mut self.dependence, evidence);
        add(&mut self.apart, evidence);
    }

    /// Units were kept because of others that were removed later: lanes depend on each other.
    pub(crate) fn refute(&mut self) {
        self.asked_again(true);
        self.dependence = self.dependence.max(TURNED);
    }

    /// Weakens the evidence after `units` units.
    pub(crate) fn forget(&mut self, units: usize) {
        Arc::make_mut(&mut self.all).forget(units);
        Arc::make_mut(&mut self.alone).forget(units);
        Arc::make_mut(&mut self.far).forget(units);
    }

    /// The probability of independence before anything is known.
    pub(crate) fn prior() -> f64 {
        1.0 / (1.0 + 2.0 * PRIOR_DEPENDENCE.exp())
    }

    /// The probability of independence.
    pub(crate) fn probability(&self) -> f64 {
        1.0 / (1.0 + self.dependence.exp() + self.apart.exp())
    }
}

/// Adds evidence to logarithmic odds.
fn add(odds: &mut f64, evidence: f64) {
    *odds = (*odds + evidence).clamp(-MOST_CERTAIN, MOST_CERTAIN);
}
