//! How probable it is that lanes do not depend on each other, i.e. that what a far lane is told is as
//! good as if everything before it had been decided.
//!
//! A far lane whose units are used by others is told *no* throughout, which looks like a stretch of
//! needed units. Three things tell them apart: by a model that follows what all lanes find the front
//! lane does better than predicted; what the front lane and the far ones find is better predicted by a
//! model each than by one for all; and a refusal turns to *yes* when it is asked again later.

use std::sync::Arc;

use crate::model::posterior::Posterior;
use crate::parallel::lane::Lane;

/// Logarithm of the prior odds of either sign that lanes depend on each other.
const PRIOR_DEPENDENCE: f64 = -2.2;
/// The share of predicted yes answers that dependent lanes see.
const DEPENDENT_SHARE: f64 = 0.35;
/// Evidence counts up to these logarithmic odds, so that a change of scene is noticed.
const MOST_CERTAIN: f64 = 6.0;
/// What it tells, as a logarithm of a likelihood ratio, that a refusal is a yes later, or is not.
const TURNED: f64 = 5.0;
const STAYED: f64 = -0.7;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Trust {
    /// Logarithm of the odds that units depend on those of other lanes.
    dependence: f64,
    /// Logarithm of the odds that far lanes are told something else than what holds in front.
    apart: f64,
    /// What all lanes found, the front one alone, and the others, unfinished runs included.
    pub(crate) all: Arc<Posterior>,
    pub(crate) alone: Arc<Posterior>,
    far: Arc<Posterior>,
}

impl Trust {
    pub(crate) fn new(posterior: &Arc<Posterior>) -> Self {
        let [all, alone, far] = [posterior; 3].map(Arc::clone);
        Self { dependence: PRIOR_DEPENDENCE, apart: PRIOR_DEPENDENCE, all, alone, far }
    }

    /// Keeps what is believed of dependence, when lanes begin once more.
    pub(crate) fn start_again(&mut self, posterior: &Arc<Posterior>) {
        [self.all, self.alone, self.far] = [posterior; 3].map(Arc::clone);
    }

    /// Takes in an answer to the front question of a lane.
    pub(crate) fn count(&mut self, lane: &Lane, is_front: bool, yes: bool) {
        let of = |p: f64| if yes { p } else { 1.0 - p }.max(1e-3);
        let Some(predicted) = lane.tell(yes, Arc::make_mut(&mut self.all)) else { return };
        let own = if is_front { &mut self.alone } else { &mut self.far };
        let own = lane.tell(yes, Arc::make_mut(own)).unwrap_or(predicted);
        let under_dependence = if is_front { own } else { predicted * DEPENDENT_SHARE };
        add(&mut self.dependence, (of(under_dependence) / of(predicted)).ln());
        add(&mut self.apart, (of(own) / of(predicted)).ln());
    }

    /// Takes in that what was refused is asked again later, and has turned to yes or not.
    pub(crate) fn asked_again(&mut self, yes: bool) {
        let evidence = if yes { TURNED } else { STAYED };
        add(&mut self.dependence, evidence);
        add(&mut self.apart, evidence);
    }

    /// Takes in that units were kept for others that went later: lanes depend on each other.
    pub(crate) fn refute(&mut self) {
        self.asked_again(true);
        self.dependence = self.dependence.max(TURNED);
    }

    /// Lets what was learnt fade, `units` later.
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
    pub(crate) fn share(&self) -> f64 {
        1.0 / (1.0 + self.dependence.exp() + self.apart.exp())
    }
}

/// Adds evidence to logarithmic odds.
fn add(odds: &mut f64, evidence: f64) {
    *odds = (*odds + evidence).clamp(-MOST_CERTAIN, MOST_CERTAIN);
}
