//! The rates of an intermittent test: how often it shows the bug on the input, and whether a candidate shows it as often.
//!
//! A candidate counts as interesting if its rate is at least the wanted one, which usually is that of the input. Wald's
//! sequential test (A. Wald, *Sequential tests of statistical hypotheses*, 1945) decides between two mixtures of rates:
//!
//! - **Kept.** The rate is the wanted one, with the uncertainty of the estimate.
//! - **Lost.** The candidate has lost the bug, and only the background is left. Or it has lost a part that made the bug
//!   frequent, and its rate is a share of the wanted one (`LESS`).
//!
//! The refused candidates tell how common the last case is, and how high the background is. If a candidate has the bug or
//! hasn't, two or three interesting runs are enough. If rates differ, many are needed.

use crate::options::RateGoal;
use crate::tally::Tally;

/// The input's rate is known well enough after this number of interesting runs: its standard error is then 18 % of it at
/// most.
const ENOUGH: u32 = 30;
/// Number of runs on the input after which fewer interesting ones are enough.
const MOST_RUNS: u32 = 400;
/// Number of runs without an interesting one after which the input counts as not interesting.
const NEVER: u32 = 50;
/// Five equally likely values of the normal distribution, for the uncertainty of an estimated rate.
const QUANTILES: [f64; 5] = [-1.282, -0.524, 0.0, 0.524, 1.282];
/// Rates of a candidate that has lost a part that makes the bug frequent, as shares of the wanted one.
const LESS: [f64; 3] = [0.33, 0.5, 0.67];
/// The lower rate in a quick check of the best result, as a share of the wanted one.
const CLEARLY_LESS: f64 = 0.5;
/// The share of refused candidates with such a rate, and the number of candidates that this is worth.
const LESS_BEFORE: (f64, f64) = (0.35, 5.0);
/// The rate of the background, as a share of the wanted one, and the number of runs that this is worth.
const BACKGROUND_BEFORE: (f64, f64) = (0.03, 30.0);
/// No rate is nearer to 0 or 1.
const NEAREST: f64 = 0.001;
/// A rate is lower than another if such runs have a chance of one in twenty otherwise, one-sided; above one in six there
/// is no doubt that it isn't, and below one in 200 no doubt that it is.
const DOUBTFUL: f64 = 1.0;
const LOWER: f64 = 1.645;
const SURELY: f64 = 2.6;
/// A higher rate is worth measuring from this number of times the wanted one on. Odds of 5 to 1 are enough for it, and
/// of 1 to 2 against it.
const HIGHER: f64 = 1.5;
const SURELY_HIGHER: f64 = 1.6;
const HARDLY_HIGHER: f64 = 0.7;
/// Where a decision depends on the input's rate, the input is measured with up to this number of times as many runs as in
/// the beginning.
const DISPUTED: u32 = 8;
/// At most this share of refused candidates is taken to have a lower rate.
const MOST_LESS: f64 = 0.9;
/// The input is measured again once the reduction has taken this number of tests for each further run.
const WORTH: u64 = 4;
/// After this number of runs without a decision about a candidate the input is measured more exactly, and after that
/// number the likelier side decides. They are given in runs that a candidate with the wanted rate takes for one
/// interesting one. With 20 instead of 40, a file whose parts raise the rate from 0.5 to 0.75 takes twice as many runs; with 60, one of 20
/// runs at a rate of 0.1 takes ten times as many.
const MANY_INTERESTING: f64 = 10.0;
const MOST_INTERESTING: f64 = 40.0;

/// The wanted rate, and what is known of the candidates that don't have it.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    goal: RateGoal,
    /// The runs on the input, and those before the first candidate.
    input: Tally,
    first: Tally,
    /// The runs on a result that has a higher rate, if that is wanted.
    raised: Option<Tally>,
    /// The rate that a result must have.
    wanted: f64,
    /// The rates, equally likely, that this may be in truth.
    possible: Vec<f64>,
    /// Refused candidates with a share of the wanted rate, and all; both as far as their runs tell.
    less: (f64, f64),
    /// Interesting runs on refused candidates that had lost the bug, and all runs on them.
    background: (f64, f64),
}

/// The outcome of a comparison of a result's rate with the wanted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// It isn't lower than wanted, as far as the runs tell.
    Holds,
    /// It is lower.
    HasFallen,
    /// This number of further runs on the result is needed.
    NeedsRuns(usize),
    /// It looks lower, but that may be because the input's rate is not known well enough.
    NeedsInput,
}

/// The logarithm of the probability of runs, in their order, at a rate.
fn log_likelihood(tally: Tally, rate: f64) -> f64 {
    let rate = rate.clamp(NEAREST, 1.0 - NEAREST);
    f64::from(tally.yes) * rate.ln() + f64::from(tally.no) * (1.0 - rate).ln()
}

/// ln (e^a + e^b).
fn log_sum(a: f64, b: f64) -> f64 {
    a.max(b) + (-(a - b).abs()).exp().ln_1p()
}

/// The logarithm of the mean of exponentials.
fn log_mean(logs: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = logs.fold((f64::NEG_INFINITY, 0.0_f64), |(sum, count), log| {
        (if count == 0.0 { log } else { log_sum(sum, log) }, count + 1.0)
    });
    sum - count.ln()
}

/// The rates, equally likely, at which a text can have given these runs.
fn possible(tally: Tally) -> Vec<f64> {
    let rate = estimate(tally);
    let (logit, error) =
        ((rate / (1.0 - rate)).ln(), (f64::from(tally.runs() + 2) * rate * (1.0 - rate)).sqrt().recip());
    QUANTILES.iter().map(|z| 1.0 / (1.0 + (-(logit + z * error)).exp())).collect()
}

/// Returns an estimate of a rate (Laplace's rule of succession).
fn estimate(tally: Tally) -> f64 {
    f64::from(tally.yes + 1) / f64::from(tally.runs() + 2)
}

impl Rates {
    /// Starts without any runs.
    pub(super) fn new(goal: RateGoal) -> Self {
        let (less, background) = ((LESS_BEFORE.0 * LESS_BEFORE.1, LESS_BEFORE.1), (0.0, 0.0));
        let (input, first, raised) = Default::default();
        Rates { goal, input, first, raised, wanted: 0.5, possible: vec![0.5], less, background }
    }

    /// Whether the input was judged often enough.
    pub(super) fn is_measured(tally: Tally) -> bool {
        let Tally { yes, .. } = tally;
        yes >= ENOUGH || (yes == 0 && tally.runs() >= NEVER) || tally.runs() >= MOST_RUNS
    }

    /// Number of further runs on the input that are needed at least after this number of interesting ones.
    pub(super) fn runs_to_measure(interesting: u32) -> usize {
        ENOUGH.saturating_sub(interesting) as usize
    }

    /// Takes further runs on the input.
    pub(super) fn measured(&mut self, more: Tally) {
        self.input = Tally { yes: self.input.yes + more.yes, no: self.input.no + more.no };
        if self.first.runs() == 0 {
            self.first = self.input;
        }
        let input = self.input;
        self.wanted = match self.goal {
            RateGoal::AtLeast(rate) if rate > NEAREST => rate.min(1.0 - NEAREST),
            RateGoal::AtLeast(_) => NEAREST,
            RateGoal::OfInput | RateGoal::More => estimate(input),
        };
        self.possible = match self.goal {
            RateGoal::AtLeast(_) => vec![self.wanted],
            RateGoal::OfInput | RateGoal::More => possible(input),
        };
    }

    /// The runs on the input.
    pub(super) fn input(&self) -> Tally {
        self.input
    }

    /// Whether the input itself shows the bug less often than the user wants.
    pub(super) fn is_input_too_rare(&self) -> bool {
        matches!(self.goal, RateGoal::AtLeast(_)) && self.is_lower(self.input, LOWER)
    }

    /// The logarithm of how much likelier runs are if a candidate has the wanted rate than if it hasn't. `is_trusted`
    /// asks only whether its rate is clearly lower.
    pub(super) fn ratio(&self, tally: Tally, is_trusted: bool) -> f64 {
        // The candidate may show the bug as often as the input, which can be more often than wanted.
        let usual = Some(estimate(self.input)).filter(|usual| *usual > self.wanted);
        let kept = log_mean(self.possible.iter().copied().chain(usual).map(|rate| log_likelihood(tally, rate)));
        let share = if is_trusted { 0.5 } else { self.less.0 / self.less.1 };
        let less = if is_trusted { self.less_likely(tally, &[CLEARLY_LESS]) } else { self.less_likely(tally, &LESS) };
        let lost = log_likelihood(tally, self.background_rate());
        kept - log_sum(share.ln() + less, (1.0 - share).ln() + lost)
    }

    /// The logarithm of the probability of runs on a candidate whose rate is one of these shares of the wanted one.
    fn less_likely(&self, tally: Tally, shares: &[f64]) -> f64 {
        log_mean(
            self.possible.iter().flat_map(|rate| shares.iter().map(move |share| log_likelihood(tally, share * rate))),
        )
    }

    /// The rate at which candidates that have lost the bug are interesting all the same.
    fn background_rate(&self) -> f64 {
        let (share, worth) = BACKGROUND_BEFORE;
        let (yes, runs) = self.background;
        ((yes + share * self.wanted * worth) / (runs + worth)).min(self.wanted * LESS[0])
    }

    /// Learns from the runs on a candidate that was refused.
    pub(super) fn refused(&mut self, tally: Tally) {
        let share = self.less.0 / self.less.1;
        let less = share.ln() + self.less_likely(tally, &LESS);
        let lost = (1.0 - share).ln() + log_likelihood(tally, self.background_rate());
        let is_less = 1.0 / (1.0 + (lost - less).exp());
        self.less.0 += is_less;
        self.less.1 += 1.0;
        self.background.0 += (1.0 - is_less) * f64::from(tally.yes);
        self.background.1 += (1.0 - is_less) * f64::from(tally.runs());
    }

    /// The number of runs on one text after which the likelier side decides.
    pub(super) fn most_runs(&self) -> u32 {
        (MOST_INTERESTING / self.wanted.max(NEAREST)) as u32
    }

    /// Whether runs on the best result show a higher rate, if that is wanted; `None` if more runs should tell.
    pub(super) fn is_higher(&self, tally: Tally) -> Option<bool> {
        if self.goal != RateGoal::More {
            return Some(false);
        }
        let higher = (self.wanted * HIGHER).min(f64::midpoint(self.wanted, 1.0));
        let ratio = log_likelihood(tally, higher) - log_likelihood(tally, self.wanted);
        if ratio >= SURELY_HIGHER { Some(true) } else { (ratio <= -HARDLY_HIGHER).then_some(false) }
    }

    /// Takes runs on the best result: if a higher rate is wanted, and they show one, results must keep it from now on.
    pub(super) fn raise(&mut self, tally: Tally) {
        if self.goal == RateGoal::More && is_below((self.wanted, None), tally, -LOWER) {
            self.wanted = estimate(tally);
            self.possible = possible(tally);
            self.raised = Some(tally);
        }
    }

    /// A result had to be taken back: candidates with a lower rate are more frequent than they seemed.
    pub(super) fn was_wrong(&mut self) {
        self.less.0 = (2.0 * self.less.0 + 1.0).min(MOST_LESS * self.less.1);
    }

    /// Whether a text shows the bug at least half as often as wanted, by these runs on it.
    pub(super) fn is_half_as_frequent(&self, tally: Tally) -> bool {
        share(tally) >= self.wanted / 2.0
    }

    /// Whether a result shows the bug less often than wanted, by these runs on it.
    pub(super) fn compare(&self, tally: Tally) -> Comparison {
        let runs = tally.runs();
        if 2 * runs >= self.first.runs() && self.is_lower(tally, SURELY) {
            // A first measurement that was too high by chance is the likelier reason.
            let is_first = self.input == self.first && self.further_runs().is_some();
            if is_first { Comparison::NeedsInput } else { Comparison::HasFallen }
        } else if runs < self.first.runs() {
            Comparison::NeedsRuns((self.first.runs() - runs) as usize)
        } else if !self.is_lower(tally, DOUBTFUL) {
            Comparison::Holds
        } else if runs < self.reference().map_or(0, Tally::runs) {
            Comparison::NeedsRuns(1)
        } else if !self.is_lower(tally, LOWER) {
            Comparison::Holds
        } else {
            self.further_runs().map_or(Comparison::HasFallen, |_| Comparison::NeedsInput)
        }
    }

    /// The number of runs on the input that double them, if its rate is wanted and not known well yet.
    pub(super) fn further_runs(&self) -> Option<usize> {
        let is_wanted = self.reference() == Some(self.input);
        (is_wanted && self.input.runs() < DISPUTED * self.first.runs()).then_some(self.input.runs() as usize)
    }

    /// Whether to measure the input again: an undecided candidate has taken many runs, and the reduction has taken enough
    /// tests to make a better estimate worth its price.
    pub(super) fn doubts_input(&self, tally: Tally, tests: u64) -> bool {
        let are_many = f64::from(tally.runs()) >= MANY_INTERESTING / self.wanted.max(NEAREST);
        are_many && self.further_runs().is_some_and(|runs| tests >= WORTH * runs as u64)
    }

    /// The runs that the wanted rate is an estimate from; a rate that the user gives is exact.
    fn reference(&self) -> Option<Tally> {
        match self.goal {
            RateGoal::AtLeast(_) => None,
            RateGoal::OfInput | RateGoal::More => Some(self.raised.unwrap_or(self.input)),
        }
    }

    fn is_lower(&self, tally: Tally, z: f64) -> bool {
        let of = self.reference();
        is_below((of.map_or(self.wanted, share), of), tally, z)
    }
}

fn share(tally: Tally) -> f64 {
    f64::from(tally.yes) / f64::from(tally.runs().max(1))
}

/// Whether runs show a rate that is lower than another by `z` standard errors; one that is estimated comes with its runs.
fn is_below((rate, of): (f64, Option<Tally>), tally: Tally, z: f64) -> bool {
    let n = f64::from(tally.runs().max(1));
    let variance = |rate: f64, n: f64| rate * (1.0 - rate) / n;
    let error = match of {
        Some(of) => {
            let both = estimate(Tally { yes: of.yes + tally.yes, no: of.no + tally.no });
            variance(both, n) + variance(both, f64::from(of.runs().max(1)))
        }
        None => variance(rate.clamp(NEAREST, 1.0 - NEAREST), n),
    };
    if z >= 0.0 { rate - share(tally) > z * error.sqrt() } else { share(tally) - rate > -z * error.sqrt() }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::trust::{EVEN, Stakes, Trust};

    fn tally(yes: u32, no: u32) -> Tally {
        Tally { yes, no }
    }

    fn rates(goal: RateGoal, yes: u32, no: u32) -> Rates {
        let mut rates = Rates::new(goal);
        rates.measured(tally(yes, no));
        rates
    }

    /// Whether a candidate that shows the bug in this share of its runs is accepted, and the runs that it takes.
    fn decide(trust: &Trust, rate: f64, random: &mut ChaCha8Rng) -> (bool, u32) {
        let mut runs = Tally::default();
        loop {
            runs.add(random.random_bool(rate));
            if let Some(accepted) = trust.decide(runs, Stakes::Candidate, EVEN) {
                return (accepted, runs.runs());
            }
        }
    }

    #[test]
    fn candidates_without_the_bug_and_with_it_take_few_runs_and_few_are_taken_for_the_other() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for (yes, no, rate, most_no, most_yes) in
            [(30, 13, 0.7, 3.0, 15.0), (30, 70, 0.3, 11.0, 40.0), (30, 270, 0.1, 40.0, 130.0)]
        {
            let trust = Trust::new(None, Some(rates(RateGoal::OfInput, yes, no)));
            let mut all = |rate: f64| {
                let decided: Vec<_> = (0..2_000).map(|_| decide(&trust, rate, &mut random)).collect();
                let accepted = decided.iter().filter(|(accepted, _)| *accepted).count() as f64 / 2_000.0;
                (accepted, decided.iter().map(|(_, runs)| f64::from(*runs)).sum::<f64>() / 2_000.0)
            };
            let (lost, runs_lost) = all(0.0);
            let (kept, runs_kept) = all(rate);
            let (half, _) = all(rate / 2.0);
            assert!(lost == 0.0 && runs_lost <= most_no, "{rate}: {runs_lost} runs to refuse");
            assert!(kept >= 0.9 && runs_kept <= most_yes, "{rate}: {kept} accepted, {runs_kept} runs");
            // The comparison of the result finds these.
            assert!(half <= 0.2, "{rate}: {half} of those with half of the rate accepted");
        }
    }

    #[test]
    fn where_only_the_bug_itself_can_be_lost_fewer_runs_are_enough() {
        let mut rates = rates(RateGoal::OfInput, 30, 10);
        let before = rates.ratio(tally(3, 0), false);
        (0..100).for_each(|_| rates.refused(tally(0, 3)));
        let after = rates.ratio(tally(3, 0), false);
        assert!(after > before + 1.0, "{before}, then {after}");
        rates.was_wrong();
        assert!(rates.ratio(tally(3, 0), false) < after, "a candidate with a lower rate was accepted");
    }

    #[test]
    fn a_result_is_compared_with_the_input_and_the_input_is_measured_again_before_it_is_called_worse() {
        let mut rates = rates(RateGoal::OfInput, 30, 10);
        assert_eq!(rates.compare(tally(0, 0)), Comparison::NeedsRuns(40));
        assert_eq!(rates.compare(tally(30, 10)), Comparison::Holds);
        assert_eq!(rates.compare(tally(40, 0)), Comparison::Holds, "more often is as good");
        assert_eq!(rates.compare(tally(10, 30)), Comparison::NeedsInput);
        rates.measured(tally(30, 10));
        assert_eq!(rates.compare(tally(10, 30)), Comparison::HasFallen);
        assert_eq!(rates.compare(tally(27, 13)), Comparison::Holds);
    }

    #[test]
    fn a_rate_of_ones_own_needs_no_more_than_that() {
        let own = rates(RateGoal::AtLeast(0.2), 32, 8);
        assert!(!own.is_input_too_rare());
        assert_eq!(own.compare(tally(8, 32)), Comparison::Holds);
        assert_eq!(own.compare(tally(1, 39)), Comparison::HasFallen);
        assert!(own.ratio(tally(3, 9), false) > 0.0 && own.ratio(tally(8, 2), false) > 5.0);
        assert!(rates(RateGoal::AtLeast(0.9), 20, 20).is_input_too_rare());
    }

    #[test]
    fn a_higher_rate_is_kept_if_it_is_wanted() {
        let mut more = rates(RateGoal::More, 30, 70);
        let seen = [(6, 0), (1, 0), (1, 5)].map(|(yes, no)| more.is_higher(tally(yes, no)));
        assert_eq!(seen, [Some(true), None, Some(false)]);
        more.raise(tally(13, 27));
        assert_eq!(more.compare(tally(30, 70)), Comparison::Holds, "it was no higher");
        more.raise(tally(30, 8));
        assert_eq!(more.compare(tally(30, 70)), Comparison::HasFallen);
        let mut same = rates(RateGoal::OfInput, 30, 70);
        assert_eq!(same.is_higher(tally(6, 0)), Some(false));
        same.raise(tally(30, 8));
        assert_eq!(same.compare(tally(30, 70)), Comparison::Holds);
    }

    #[test]
    fn the_input_is_measured_until_its_rate_is_known() {
        for (yes, no, enough) in [(30, 0, true), (29, 100, false), (0, 49, false), (0, 50, true), (5, 395, true)] {
            assert_eq!(Rates::is_measured(tally(yes, no)), enough, "{yes} of {}", yes + no);
        }
    }
}
