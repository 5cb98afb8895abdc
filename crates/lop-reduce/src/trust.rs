//! The trust in the test: how often it contradicted itself, and the meaning of a number of outcomes for a text.
//!
//! A flaky test is modelled as one that errs at random: it rejects an interesting text with probability *a*, and
//! accepts another text with probability *b*. Both are estimated from repeated runs on the same text, conservatively,
//! by the upper end of Wilson's interval (E. B. Wilson, *Probable inference, the law of succession, and statistical
//! inference*, 1927). The outcomes for one text are weighed as in Wald's sequential test (A. Wald, *Sequential tests of
//! statistical hypotheses*, 1945): each *interesting* adds ln((1 − a) / b), each rejection subtracts ln((1 − b) / a),
//! and lop repeats the test until the sum decides. The sum starts at the prior odds of the text: for a pass that rarely
//! finds anything, one *interesting* means little. lop believes a test that has never contradicted itself.

use crate::rates::Rates;
use crate::tally::{Rate, Tally, wilson_bound};

/// The reliability of the test.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reliability {
    /// Number of runs on a text after its first whose right outcome is known.
    pub repeated: u64,
    /// Number of these runs with another outcome.
    pub disagreements: u64,
    /// In 95 of 100 cases the share of such runs is not larger (Wilson).
    pub bound: f64,
    /// Tests that were run to be sure, on a text that had an answer.
    pub confirmations: u64,
    /// Results that were taken back because they turned out not to be interesting.
    pub returns: u64,
    /// How often the input shows the bug, if the test is one that shows it only sometimes.
    pub input: Option<Rate>,
    /// How often the result does, by runs of its own; `None` if the reduction ended before.
    pub result: Option<Rate>,
}

/// Quantile of the normal distribution for a bound that holds in 95 of 100 cases. It is reported.
const Z_REPORTED: f64 = 1.645;
/// Quantile for 3 of 4 cases, which decides: with a higher bound each candidate costs more runs, with a lower one more
/// results are withdrawn. At 1, a run takes 3 % more tests if one outcome in ten is wrong.
const Z_DECIDING: f64 = 0.7;
/// The assumed error rate of a test that has contradicted itself, before there is evidence: one run in twenty.
const PRIOR: Repeats = Repeats { runs: 20, lies: 1 };
/// Number of repeated runs from which the two kinds of errors are estimated separately.
const ENOUGH_RUNS: u64 = 20;
/// Maximum error rates. A test that accepts more texts wrongly is useless, and one that refuses more only takes longer.
/// Together they are less than 1, or outcomes would mean nothing.
const MOST_FALSE_YES: f64 = 0.3;
const MOST_FALSE_NO: f64 = 0.6;

/// Odds at which a candidate is accepted. The session withdraws wrong acceptances. With 500, a run takes 4 % more tests
/// if one outcome in ten is wrong; with 30 it can take many times as many.
const ACCEPT: f64 = 200.0;
/// Odds against a candidate at which it is refused during the search: a wrong refusal only costs size.
const REFUSE: f64 = 2.0;
/// Odds against a candidate from which it counts as refused in the guarantee at the end.
const REFUSE_FOR_GOOD: f64 = 20.0;
/// Odds by which a result is trusted or taken back.
const TRUST: f64 = 1e4;
/// Number of runs without a contradiction that make a result final, including an earlier confirmation. With 2, one run
/// in a thousand ends with a text that isn't interesting if one outcome in ten is wrong: with the first accepted one,
/// when all are small.
const RESULT_RUNS: u32 = 3;
/// Runs of such a test that make it one for which nothing is interesting.
const EMPTY_RUNS: u32 = 5;
/// Odds at which a candidate of an intermittent test is accepted: the runs on the best result, to which all accepted
/// candidates have led, find out a wrong one. On three files with rates of 0.1 to 0.7, odds of 20 took 1.2 to 1.5 times
/// as many runs, and odds of 200 two to four times as many.
const ACCEPT_RATE: f64 = 10.0;
/// They grow by this factor with each result that had to be taken back, up to a limit: where parts of the input raise the
/// rate a little, that takes 10 % fewer runs, and half as many results are taken back.
const ACCEPT_GROWTH: f64 = 3.0;
const MOST_ACCEPT_RATE: f64 = 1_000.0;
/// Odds against such a candidate at which it is refused, during the search and in the guarantee. On lists of 30 to 500
/// units with rates of 0.1 to 0.7, odds of 4 left up to 40 times as many units as odds of 30, for a quarter fewer runs.
const REFUSE_RATE: f64 = 20.0;
/// Odds by which the best result keeps its rate or has lost it.
const TRUST_RATE: f64 = 100.0;
/// Odds of a text without any evidence.
pub(super) const EVEN: f64 = 1.0;
/// Number of runs on one text after which the majority decides.
const MOST_RUNS: u32 = 200;

/// The stakes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stakes {
    /// A candidate of the search. A lie costs size, or a return.
    Candidate,
    /// A candidate of the guarantee of 1-minimality: no later question repeats it.
    Guarantee,
    /// Whether the empty text is interesting, which makes the test useless.
    Empty,
    /// The best result during the search.
    Best,
    /// The result at the end.
    Result,
}

/// The knowledge of the test's honesty.
#[derive(Clone, Debug, Default)]
pub(super) struct Trust {
    /// Number of runs that must agree before a candidate is accepted, if the user has set it.
    wanted: Option<u32>,
    is_flaky: bool,
    /// The rates of a test that shows the bug only sometimes.
    pub(super) rates: Option<Rates>,
    /// Repeated runs on texts that are taken to be interesting, …
    on_interesting: Repeats,
    /// … and on the others.
    on_others: Repeats,
    /// Runs on a text whose answer was known.
    pub(super) confirmations: u64,
    /// Results that were taken back.
    pub(super) returns: u64,
}

/// Number of repeated runs, and of those with a wrong outcome.
#[derive(Clone, Copy, Debug, Default)]
struct Repeats {
    runs: u64,
    lies: u64,
}

impl Repeats {
    fn and(self, other: Repeats) -> Repeats {
        Repeats { runs: self.runs + other.runs, lies: self.lies + other.lies }
    }

    /// The share of lies is at most this.
    fn bound(self) -> f64 {
        wilson_bound(self.lies, self.runs, Z_DECIDING)
    }
}

impl Trust {
    /// Starts without evidence. `wanted` runs must agree; `None` decides from the outcomes. With `rates` a result has to
    /// show the bug often enough.
    pub(super) fn new(wanted: Option<u32>, rates: Option<Rates>) -> Self {
        Trust { wanted, is_flaky: rates.is_some(), rates, ..Trust::default() }
    }

    /// The test has contradicted itself. `true` the first time.
    pub(super) fn contradicted(&mut self) -> bool {
        !std::mem::replace(&mut self.is_flaky, true)
    }

    /// Whether the test shows the bug only sometimes, and results keep its rate.
    pub(super) fn keeps_rate(&self) -> bool {
        self.rates.is_some()
    }

    /// Learns from outcomes, most of them repeated, on a text whose verdict is clear by now.
    pub(super) fn learn(&mut self, interesting: bool, repeated: Tally) {
        if let Some(rates) = self.rates.as_mut().filter(|_| !interesting) {
            rates.refused(repeated);
        }
        let (seen, lies) =
            if interesting { (&mut self.on_interesting, repeated.no) } else { (&mut self.on_others, repeated.yes) };
        seen.runs += u64::from(repeated.yes) + u64::from(repeated.no);
        seen.lies += u64::from(lies);
    }

    /// Whether the test has contradicted itself.
    pub(super) fn is_flaky(&self) -> bool {
        self.is_flaky
    }

    /// Whether a text with these outcomes is interesting; `None` if the test must run again. `odds` are its odds before
    /// any outcome.
    pub(super) fn decide(&self, tally: Tally, stakes: Stakes, odds: f64) -> Option<bool> {
        let Tally { yes, no } = tally;
        let wanted = match stakes {
            Stakes::Candidate | Stakes::Guarantee => self.wanted,
            Stakes::Empty | Stakes::Best | Stakes::Result => None,
        };
        if let Some(rates) = &self.rates {
            return self.by_rate(rates, tally, stakes, odds);
        }
        if !self.is_flaky {
            let enough = match stakes {
                Stakes::Empty => EMPTY_RUNS,
                Stakes::Result => RESULT_RUNS,
                _ => wanted.unwrap_or(1),
            };
            return if no > 0 { Some(false) } else { (yes >= enough).then_some(true) };
        }
        if yes.saturating_add(no) >= MOST_RUNS {
            return Some(yes > no);
        }
        let weight = odds.ln() + self.weight(tally);
        let is_enough = match wanted {
            Some(runs) => yes >= no.saturating_add(runs),
            None if matches!(stakes, Stakes::Candidate | Stakes::Guarantee) => weight >= ACCEPT.ln(),
            None => weight >= TRUST.ln(),
        };
        let too_little = match stakes {
            Stakes::Candidate => REFUSE,
            Stakes::Guarantee => REFUSE_FOR_GOOD,
            Stakes::Empty | Stakes::Best | Stakes::Result => TRUST,
        };
        if is_enough { Some(true) } else { (weight <= -too_little.ln()).then_some(false) }
    }

    /// Whether a text with these outcomes has the wanted rate; `None` if the test must run again.
    fn by_rate(&self, rates: &Rates, tally: Tally, stakes: Stakes, odds: f64) -> Option<bool> {
        let is_candidate = matches!(stakes, Stakes::Candidate | Stakes::Guarantee);
        let weight = odds.ln() + rates.ratio(tally, !is_candidate);
        if tally.runs() >= rates.most_runs() {
            // A result that isn't clearly worse is kept.
            return Some(weight > 0.0 || stakes == Stakes::Best);
        }
        let (accept, refuse, wanted) = if is_candidate {
            let grown = ACCEPT_RATE * ACCEPT_GROWTH.powf(self.returns as f64);
            (grown.min(MOST_ACCEPT_RATE), REFUSE_RATE, self.wanted)
        } else {
            (TRUST_RATE, TRUST_RATE, None)
        };
        if weight >= accept.ln() && tally.yes >= wanted.unwrap_or(1) {
            Some(true)
        } else {
            (weight <= -refuse.ln()).then_some(false)
        }
    }

    /// The logarithm of how much likelier these outcomes are if a candidate is interesting than if it isn't, for a test
    /// that shows the bug only sometimes.
    pub(super) fn ratio(&self, tally: Tally) -> Option<f64> {
        Some(self.rates.as_ref()?.ratio(tally, false))
    }

    /// The number of further runs on a candidate that refuse it if none is interesting, for a test that shows the bug only
    /// sometimes: most candidates are refused, and an interesting one takes as many.
    pub(super) fn runs_to_refuse(&self, tally: Tally, stakes: Stakes, odds: f64) -> usize {
        if self.rates.is_none() {
            return 0;
        }
        let after = |runs| self.decide(Tally { yes: tally.yes, no: tally.no + runs }, stakes, odds);
        (1..MOST_RUNS).find(|&runs| after(runs).is_some()).unwrap_or(MOST_RUNS) as usize
    }

    /// Whether these outcomes rather speak against a best result.
    pub(super) fn speaks_against(&self, tally: Tally) -> bool {
        match &self.rates {
            Some(rates) => rates.ratio(tally, true) < 0.0,
            None => tally.no > tally.yes,
        }
    }

    /// The number of further runs needed after these, if all are interesting.
    pub(super) fn missing(&self, tally: Tally, stakes: Stakes, odds: f64) -> usize {
        let more = |runs| Tally { yes: tally.yes.saturating_add(runs), no: tally.no };
        (1..MOST_RUNS).find(|&runs| self.decide(more(runs), stakes, odds).is_some()).unwrap_or(MOST_RUNS) as usize
    }

    /// The term that these answers add to the logarithm of the odds that a text is interesting.
    fn weight(&self, tally: Tally) -> f64 {
        let all = self.on_interesting.and(self.on_others);
        let bound = |own: Repeats| if own.runs >= ENOUGH_RUNS { own } else { all }.and(PRIOR).bound();
        let false_no = bound(self.on_interesting).min(MOST_FALSE_NO);
        let false_yes = bound(self.on_others).min(MOST_FALSE_YES);
        let (of_yes, of_no) = (((1.0 - false_no) / false_yes).ln(), ((1.0 - false_yes) / false_no).ln());
        f64::from(tally.yes) * of_yes - f64::from(tally.no) * of_no
    }

    /// The figures for the report at the end.
    pub(super) fn report(&self) -> Reliability {
        let Repeats { runs, lies } = self.on_interesting.and(self.on_others);
        let (confirmations, returns) = (self.confirmations, self.returns);
        let input = self.rates.as_ref().map(|rates| rates.input().into());
        Reliability {
            input,
            result: None,
            repeated: runs,
            disagreements: lies,
            bound: wilson_bound(lies, runs, Z_REPORTED),
            confirmations,
            returns,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn tally(yes: u32, no: u32) -> Tally {
        Tally { yes, no }
    }

    /// A test that is known to be wrong this often.
    fn liar(share: f64) -> Trust {
        let runs = 1_000;
        let lies = (share * f64::from(runs)) as u32;
        let mut trust = Trust::new(None, None);
        trust.learn(true, tally(runs - lies, lies));
        trust.learn(false, tally(lies, runs - lies));
        assert!(trust.contradicted() && !trust.contradicted());
        trust
    }

    /// The first number of agreeing runs that decides.
    fn runs_needed(trust: &Trust, stakes: Stakes, interesting: bool) -> u32 {
        let all = |n| if interesting { tally(n, 0) } else { tally(0, n) };
        (1..).find(|&n| trust.decide(all(n), stakes, EVEN) == Some(interesting)).expect("some number does")
    }

    #[test]
    fn the_bound_is_wilsons() {
        // Values of Wilson's formula at z = 1.645, worked out by hand.
        for (seen, of, bound) in [(0, 10, 0.2130), (1, 10, 0.3477), (5, 100, 0.0992), (50, 100, 0.5812), (10, 10, 1.0)]
        {
            let found = wilson_bound(seen, of, Z_REPORTED);
            assert!((found - bound).abs() < 1e-4, "{seen} of {of}: {found} and not {bound}");
        }
        assert_eq!(wilson_bound(0, 0, Z_REPORTED), 1.0);
    }

    #[test]
    fn trust_believes_an_honest_test_at_once_and_its_last_result_after_three_runs() {
        let trust = Trust::new(None, None);
        for stakes in [Stakes::Candidate, Stakes::Guarantee, Stakes::Best] {
            assert_eq!(trust.decide(tally(1, 0), stakes, EVEN), Some(true));
            assert_eq!(trust.decide(tally(0, 1), stakes, EVEN), Some(false));
        }
        assert_eq!(trust.decide(tally(2, 0), Stakes::Result, EVEN), None);
        assert_eq!(trust.decide(tally(3, 0), Stakes::Result, EVEN), Some(true));
    }

    #[test]
    fn the_more_a_test_lies_the_more_runs_have_to_agree() {
        let rows = [(0.01, 2, 3, 1), (0.05, 2, 4, 2), (0.1, 3, 5, 2), (0.2, 4, 7, 3)];
        for (share, accept, trusted, for_good) in rows {
            let trust = liar(share);
            assert_eq!(runs_needed(&trust, Stakes::Candidate, true), accept, "{share}");
            assert_eq!(runs_needed(&trust, Stakes::Result, true), trusted, "{share}");
            assert_eq!(runs_needed(&trust, Stakes::Guarantee, false), for_good, "{share}");
            assert_eq!(runs_needed(&trust, Stakes::Candidate, false), 1, "one refusal is enough on the way");
            assert_eq!(trust.decide(tally(1, 1), Stakes::Candidate, EVEN), None, "one of each says nothing");
        }
    }

    #[test]
    fn a_test_that_only_refuses_too_often_is_believed_when_it_does_not() {
        let mut trust = Trust::new(None, None);
        trust.contradicted();
        trust.learn(true, tally(500, 500));
        trust.learn(false, tally(0, 1_000));
        assert!(runs_needed(&trust, Stakes::Candidate, true) <= 2);
        assert_eq!(trust.decide(tally(0, 1), Stakes::Candidate, EVEN), None, "every other refusal is a lie");
        assert!(runs_needed(&trust, Stakes::Guarantee, false) >= 4);
    }

    #[test]
    fn the_users_number_of_runs_is_taken() {
        let mut trust = Trust::new(Some(4), None);
        assert_eq!(trust.decide(tally(3, 0), Stakes::Candidate, EVEN), None);
        assert_eq!(trust.decide(tally(4, 0), Stakes::Candidate, EVEN), Some(true));
        trust.contradicted();
        assert_eq!(trust.decide(tally(4, 1), Stakes::Candidate, EVEN), None);
        assert_eq!(trust.decide(tally(5, 1), Stakes::Candidate, EVEN), Some(true));
    }

    #[test]
    fn hardly_a_lie_is_accepted_and_hardly_a_truth_refused() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for share in [0.05, 0.1] {
            let trust = liar(share);
            let mut decide = |truth: bool, stakes| {
                let mut answers = Tally::default();
                loop {
                    answers.add(truth != random.random_bool(share));
                    if let Some(decided) = trust.decide(answers, stakes, EVEN) {
                        return decided;
                    }
                }
            };
            let mut wrong = |truth, stakes| (0..20_000).filter(|_| decide(truth, stakes) != truth).count();
            assert!(wrong(false, Stakes::Candidate) <= 60, "{share}: lies accepted");
            assert!(wrong(true, Stakes::Candidate) <= 3_000, "{share}: truths refused on the way");
            assert!(wrong(true, Stakes::Guarantee) <= 400, "{share}: truths refused for good");
            assert!(wrong(false, Stakes::Result) <= 2, "{share}: results kept");
            assert!(wrong(true, Stakes::Result) <= 2, "{share}: results taken back");
        }
    }

    #[test]
    fn where_hardly_anything_is_found_more_runs_have_to_agree_and_fewer_refusals_are_enough() {
        let trust = liar(0.1);
        let agreeing = |odds| (1..).find(|&n| trust.decide(tally(n, 0), Stakes::Candidate, odds) == Some(true));
        assert_eq!((agreeing(EVEN), agreeing(0.1)), (Some(3), Some(4)));
        assert_eq!(trust.decide(tally(1, 1), Stakes::Candidate, EVEN), None);
        assert_eq!(trust.decide(tally(1, 1), Stakes::Candidate, 0.1), Some(false));
        assert_eq!(trust.decide(tally(0, 1), Stakes::Guarantee, EVEN), None);
        assert_eq!(trust.decide(tally(0, 1), Stakes::Guarantee, 0.1), Some(false));
    }

    #[test]
    fn an_answer_by_the_toss_of_a_coin_comes_to_an_end() {
        let trust = liar(0.5);
        let half = tally(MOST_RUNS / 2, MOST_RUNS / 2);
        for stakes in [Stakes::Candidate, Stakes::Guarantee, Stakes::Best, Stakes::Result] {
            assert_eq!(trust.decide(half, stakes, EVEN), Some(false));
        }
    }

    #[test]
    fn what_was_seen_is_reported() {
        let mut trust = Trust::new(None, None);
        trust.learn(true, tally(8, 2));
        trust.learn(false, tally(1, 9));
        (trust.confirmations, trust.returns) = (20, 1);
        let report = trust.report();
        assert_eq!((report.repeated, report.disagreements, report.confirmations, report.returns), (20, 3, 20, 1));
        assert!(report.bound > 0.15 && report.bound < 0.35, "{}", report.bound);
    }
}
