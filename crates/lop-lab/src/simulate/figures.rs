//! Measured figures of the search beyond one worker that goes from front to back: rounds of several workers, predicted
//! expectations. Counts of tests and rounds over fixed seeds, with the margin that each test names.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use lop_engine::{BitSet, Config, EvidenceView, Markov, Question, Search, Verdict, Waste, drive, monotone};

use super::{Family, sequence};
use crate::algorithm::{Algorithm, Judge, Stopped};
use crate::algorithms::Entropy;

const LEN: usize = 500;

/// Returns the units that a candidate of a question leaves out; with `backward`, its first position is the last unit.
fn gone(question: &Question, backward: bool) -> BitSet {
    let mut gone = BitSet::with_capacity(LEN);
    for position in question.remove.iter().cloned().flatten() {
        gone.insert(if backward { LEN - 1 - position } else { position });
    }
    gone
}

/// The mean number of tests over `trials` lists of a family.
fn family(family: Family, backward: bool, config: &Config, trials: u64) -> f64 {
    let tests = (0..trials).map(|seed| {
        let list = family.draw(LEN, &mut ChaCha8Rng::seed_from_u64(seed));
        let mut search = Search::new(LEN, config, &EvidenceView::blank(LEN));
        drive(&mut search, |question| list.verdict(&gone(question, backward)))
    });
    tests.sum::<usize>() as f64 / trials as f64
}

/// A judge of independent units that counts its rounds.
struct Rounds<'n> {
    needed: &'n [bool],
    width: usize,
    count: usize,
}

impl Judge for Rounds<'_> {
    fn width(&self) -> usize {
        self.width
    }

    fn round(&mut self, candidates: &[BitSet]) -> Result<Vec<Verdict>, Stopped> {
        self.count += 1;
        let is_interesting = |gone: &BitSet| gone.ones().all(|unit| !self.needed[unit]);
        Ok(candidates.iter().map(|gone| Verdict::from(is_interesting(gone))).collect())
    }
}

/// Mean rounds on independent lists.
fn rounds(chain: Markov, width: usize, trials: u64) -> f64 {
    let algorithm = Entropy::simplify(Config::default());
    let mut rounds = 0;
    for seed in 0..trials {
        let needed = sequence(chain, LEN, &mut ChaCha8Rng::seed_from_u64(seed));
        let mut judge = Rounds { needed: &needed, width, count: 0 };
        let gone = algorithm.reduce(&[1; LEN], &mut judge).expect("the judge does not stop");
        assert!((0..LEN).all(|position| gone.contains(position) != needed[position]));
        rounds += judge.count;
    }
    rounds as f64 / trials as f64
}

/// Measured over 100 lists: 80.8, 45.6 and 31.4 rounds.
#[test]
fn several_workers_save_rounds() {
    let chain = Markov::from_share(0.9, 0.95);
    for (width, most) in [(4, 85.0), (16, 48.0), (64, 33.0)] {
        let mean = rounds(chain, width, 12);
        assert!(mean <= most, "{width}: {mean}");
    }
}

#[test]
fn the_wrong_end_costs_several_times_as_many_tests() {
    let tests = |backward| family(Family::UsesFirst, backward, &Config::default(), 12);
    let (right, wrong) = (tests(false), tests(true));
    assert!(wrong > 4.0 * right, "{wrong} {right}");
}

/// One of 31 options is needed: with that expectation it takes 6 tests.
#[test]
fn a_stated_expectation_takes_the_place_of_the_prior() {
    let expect = Some(Waste { share: 30.0 / 31.0, after_removable: None });
    for place in [4, 11] {
        let needed: Vec<bool> = (0..31).map(|unit| unit == place).collect();
        let tests = |expect| {
            let config = Config { expect, theta: None, empty_known_uninteresting: true, ..Config::default() };
            let mut search = Search::new(31, &config, &EvidenceView::blank(31));
            drive(&mut search, |question| monotone(&needed, question))
        };
        assert!(tests(expect) <= 6, "{place}: {}", tests(expect));
    }
}

#[test]
fn lists_that_are_anything_but_monotone_end_one_minimal() {
    let config = Config { theta: Some(0.0), ..Config::default() };
    for list in [Family::Pairs, Family::Alternatives, Family::Noisy, Family::DefinitionsFirst] {
        let list = list.draw(LEN, &mut ChaCha8Rng::seed_from_u64(3));
        let mut search = Search::new(LEN, &config, &EvidenceView::blank(LEN));
        drive(&mut search, |question| list.verdict(&gone(question, true)));
        let mirrored = |set: &BitSet| {
            let mut other = BitSet::with_capacity(LEN);
            set.ones().for_each(|position| {
                other.insert(LEN - 1 - position);
            });
            other
        };
        for unit in (0..LEN).filter(|&unit| !search.removed().contains(unit)) {
            let mut more = search.removed().clone();
            more.insert(unit);
            assert_ne!(list.verdict(&mirrored(&more)), Verdict::Interesting, "{unit}");
        }
    }
}
