//! The entrants of a comparison: lop's own search and the baselines, by name.

use crate::algorithm::{Algorithm, Judge, Stopped};
use lop_engine::{Answer, BitSet, Config, EvidenceView, Isolated, Knowledge, Verdict, isolate};

use crate::algorithms::{self, Entropy, dd};

use super::judge::Counting;
use super::subject::Instance;

/// Through which end of a list an algorithm starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// The baselines from the first unit on, as their sources do; lop's own from the last.
    #[default]
    Usual,
    /// All from the first unit on.
    Forward,
    /// All from the last.
    Backward,
}

/// These take part when they are asked for by name: they show what the model contributes, or have another aim.
const BY_NAME_ONLY: [&str; 5] = ["entropy-bayes", "entropy-cells", "entropy-fixed", ISOLATE, DD];
/// lop's own search for the difference between a failing and a passing list.
const ISOLATE: &str = "isolate";
/// The published one.
pub(crate) const DD: &str = "dd";

/// A name of no known algorithm.
#[derive(Debug, thiserror::Error)]
#[error("unknown algorithm `{name}` (known: {})", known.join(", "))]
pub struct UnknownAlgorithm {
    name: String,
    known: Vec<&'static str>,
}

/// An algorithm that takes part.
pub enum Entrant {
    /// lop's own, which can share evidence between lists and returns its code length.
    Own(Entropy),
    /// A published one.
    Baseline(Box<dyn Algorithm>),
    /// One that isolates a difference between the list, which fails, and nothing, which passes; a candidate that is
    /// invalid is unresolved. The units that are left are the difference. By its name.
    Isolating(&'static str),
}

/// The measurements of one algorithm on one instance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Distinct candidates that were judged.
    pub tests: usize,
    /// Rounds in which at least one was.
    pub rounds: usize,
    /// Units that are left.
    pub left: usize,
    /// The ideal code length of the result in bits, under the model that was used; `None` for algorithms without one.
    pub bits: Option<f64>,
}

/// The names of all algorithms, lop's own first.
#[must_use]
pub fn algorithms() -> Vec<&'static str> {
    Entrant::all(0, false).iter().map(Entrant::name).chain(Entrant::isolating()).collect()
}

/// The names of the default entrants.
#[must_use]
pub fn usual_algorithms() -> Vec<&'static str> {
    algorithms().into_iter().filter(|name| !BY_NAME_ONLY.contains(name)).collect()
}

/// Checks names against the known ones; no names means those of [`usual_algorithms`].
///
/// # Errors
/// The first name that is not known.
pub fn choose(wanted: &[String], known: Vec<&'static str>) -> Result<Vec<&'static str>, UnknownAlgorithm> {
    if let Some(name) = wanted.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(UnknownAlgorithm { name: name.clone(), known });
    }
    let takes_part = |name: &&'static str| match wanted {
        [] => !BY_NAME_ONLY.contains(name),
        _ => wanted.iter().any(|wanted| wanted == name),
    };
    Ok(known.into_iter().filter(takes_part).collect())
}

impl Entrant {
    /// All algorithms that minimise, lop's own first; chance comes from `seed`.
    pub fn all(seed: u64, empty_is_known: bool) -> Vec<Entrant> {
        let config = Config { empty_known_uninteresting: empty_is_known, ..Config::default() };
        let own = [Entropy::minimise, Entropy::simplify, Entropy::bayes, Entropy::cells, Entropy::fixed];
        let own = own.map(|own| own(config.clone()));
        own.into_iter().map(Entrant::Own).chain(algorithms::all(seed).into_iter().map(Entrant::Baseline)).collect()
    }

    /// The names of those that isolate a difference.
    pub fn isolating() -> [&'static str; 2] {
        [ISOLATE, DD]
    }

    /// Those with these names, in the order of [`algorithms()`].
    pub fn named(names: &[&str], seed: u64, empty_is_known: bool) -> Vec<Entrant> {
        let all = Entrant::all(seed, empty_is_known).into_iter().chain(Entrant::isolating().map(Entrant::Isolating));
        all.filter(|entrant| names.contains(&entrant.name())).collect()
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Entrant::Own(own) => own.name(),
            Entrant::Baseline(baseline) => baseline.name(),
            Entrant::Isolating(name) => name,
        }
    }

    /// Whether it is one of lop's own.
    pub fn is_own(&self) -> bool {
        matches!(self, Entrant::Own(_))
    }

    /// Reduces all lists of an instance, judging at most `width` candidates at once.
    ///
    /// # Errors
    /// When there are no more answers.
    pub fn run(&self, instance: &mut Instance<'_>, width: usize, direction: Direction) -> Result<Measured, Stopped> {
        let backward = match direction {
            Direction::Usual => self.is_own(),
            Direction::Forward => false,
            Direction::Backward => true,
        };
        let mut measured = Measured { bits: self.is_own().then_some(0.0), ..Measured::default() };
        let mut knowledge = Knowledge::new(instance.units());
        for list in &mut instance.lists {
            let mut judge = Counting::new(list.subject.as_mut(), backward, width, instance.empty_is_known);
            let sizes = judge.sizes();
            let gone = match self {
                Entrant::Baseline(baseline) => baseline.reduce(&sizes, &mut judge)?,
                Entrant::Isolating(name) => {
                    let found = isolated(name, sizes.len(), &mut judge)?;
                    let mut rest = found.passing.clone();
                    (0..sizes.len()).filter(|unit| !found.failing.contains(*unit)).for_each(|unit| {
                        rest.insert(unit);
                    });
                    rest
                }
                Entrant::Own(own) => {
                    let view = knowledge.view(list.kind, list.depth);
                    let (gone, evidence) = own.reduce_from(&view, &sizes, &mut judge)?;
                    if own.learns_from_others() {
                        knowledge.absorb(list.kind, list.depth, &evidence);
                    }
                    measured.bits = measured.bits.map(|sum| sum + evidence.code_length);
                    gone
                }
            };
            measured.tests += judge.tests;
            measured.rounds += judge.rounds;
            measured.left += sizes.len() - gone.count_ones(..);
        }
        Ok(measured)
    }
}

/// A verdict as the answer of a search for a difference.
pub(crate) fn answer(verdict: Verdict) -> Answer {
    match verdict {
        Verdict::Interesting => Answer::Fails,
        Verdict::NotInteresting => Answer::Passes,
        _ => Answer::Unresolved,
    }
}

/// The difference that an algorithm isolates.
fn isolated(name: &str, len: usize, judge: &mut Counting<'_>) -> Result<Isolated, Stopped> {
    let answer = |there: &BitSet| {
        let mut gone = BitSet::with_capacity(len);
        (0..len).filter(|unit| !there.contains(*unit)).for_each(|unit| {
            gone.insert(unit);
        });
        Ok(judge.round(&[gone])?.first().map_or(Answer::Unresolved, |verdict| answer(*verdict)))
    };
    if name == DD { dd(len, answer) } else { isolate(len, answer) }
}

/// Measures the best sweep on an instance, which knows the sources of its lists; `None` if they are unknown. Its code
/// length is the information in the instance.
///
/// # Errors
/// When there are no more answers.
pub(super) fn run_optimal(instance: &mut Instance<'_>) -> Result<Option<Measured>, Stopped> {
    let mut measured = Measured::default();
    for list in &mut instance.lists {
        let Some(chain) = list.chain else { return Ok(None) };
        let mut judge = Counting::new(list.subject.as_mut(), true, 1, instance.empty_is_known);
        let sizes = judge.sizes();
        let knowing = Entropy::knowing(chain, Config::default());
        let (gone, evidence) = knowing.reduce_from(&EvidenceView::blank(sizes.len()), &sizes, &mut judge)?;
        measured.tests += judge.tests;
        measured.left += sizes.len() - gone.count_ones(..);
        measured.bits = Some(measured.bits.unwrap_or(0.0) + evidence.code_length);
    }
    Ok(Some(Measured { rounds: measured.tests, ..measured }))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::{BY_NAME_ONLY, Direction, Entrant, algorithms, choose, run_optimal};
    use crate::compare::subject::Instance;
    use crate::simulate::{Simulated, sequence};
    use lop_engine::Markov;

    #[test]
    fn names_are_distinct_and_lops_own_come_first() {
        let names = algorithms();
        assert_eq!(names[..2], ["entropy", "entropy-simplify"]);
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
        let plain = |name: &&str| name.chars().all(|letter| matches!(letter, 'a'..='z' | '0'..='9' | '-' | '.'));
        assert!(names.iter().all(plain), "{names:?}");
    }

    #[test]
    fn chosen_names_keep_their_order_and_unknown_ones_are_refused() {
        let wanted = ["naive".to_owned(), "entropy".to_owned()];
        assert_eq!(choose(&wanted, algorithms()).expect("both are known"), ["entropy", "naive"]);
        let usual = choose(&[], algorithms()).expect("none is unknown");
        assert_eq!(usual.len() + BY_NAME_ONLY.len(), algorithms().len());
        let by_name = BY_NAME_ONLY.map(str::to_owned);
        assert_eq!(choose(&by_name, algorithms()).expect("both are known"), BY_NAME_ONLY);
        let error = choose(&["ddmim".to_owned()], algorithms()).expect_err("it is a slip").to_string();
        assert!(error.starts_with("unknown algorithm `ddmim` (known: entropy, entropy-simplify, "), "{error}");
    }

    #[test]
    fn everybody_keeps_what_is_needed_from_either_end() {
        let needed: Vec<bool> = (0..40).map(|unit| unit % 9 == 4).collect();
        for direction in [Direction::Usual, Direction::Forward, Direction::Backward] {
            for width in [1, 4] {
                let mut tests = Vec::new();
                for entrant in Entrant::all(3, false) {
                    let mut instance = Instance::of(Simulated::monotone(needed.clone()), false);
                    let measured = entrant.run(&mut instance, width, direction).expect("it answers");
                    assert_eq!(measured.left, 4, "{}", entrant.name());
                    assert!(measured.rounds <= measured.tests && measured.tests <= 4 * measured.rounds);
                    assert_eq!(measured.bits.is_some(), entrant.is_own());
                    tests.push(measured.tests);
                }
                assert!(tests.iter().all(|&tests| tests >= 4), "{tests:?}");
            }
        }
    }

    #[test]
    fn the_code_length_is_about_what_was_asked() {
        let needed: Vec<bool> = (0..200).map(|unit| unit % 23 == 4).collect();
        let entrant = &Entrant::named(&["entropy-simplify"], 0, false)[0];
        let mut instance = Instance::of(Simulated::monotone(needed), false);
        let measured = entrant.run(&mut instance, 1, Direction::Usual).expect("it answers");
        let bits = measured.bits.expect("it is lop's own");
        assert!(bits > 9.0 && (measured.tests as f64 / bits - 1.0).abs() < 0.2, "{measured:?}");
    }

    #[test]
    fn a_better_prior_asks_less_and_a_model_that_does_not_learn_more() {
        let chain = Markov::from_share(0.99, 0.99);
        let names = ["entropy-simplify", "entropy-bayes", "entropy-cells", "entropy-fixed"];
        let entrants = Entrant::named(&names, 0, false);
        assert!(entrants.iter().map(Entrant::name).eq(names));
        let mut sums = [0; 4];
        for seed in 0..60 {
            let needed = sequence(chain, 500, &mut ChaCha8Rng::seed_from_u64(seed));
            let mut instance = Instance::of(Simulated::monotone(needed), false);
            for (sum, entrant) in sums.iter_mut().zip(&entrants) {
                *sum += entrant.run(&mut instance, 1, Direction::Usual).expect("it answers").tests;
            }
        }
        let [own, bayes, cells, fixed] = sums;
        assert!(cells < bayes && bayes <= own && own * 5 < fixed * 4, "{sums:?}");
    }

    #[test]
    fn who_knows_the_source_asks_less_than_who_learns_it() {
        let chain = Markov::from_share(0.9, 0.95);
        let (mut known, mut learnt) = (0, 0);
        for seed in 0..10 {
            let needed = sequence(chain, 300, &mut ChaCha8Rng::seed_from_u64(seed));
            let mut instance = Instance::of(Simulated::monotone(needed), false);
            assert_eq!(run_optimal(&mut instance), Ok(None));
            instance.lists[0].chain = Some(chain);
            let optimal = run_optimal(&mut instance).expect("it answers").expect("the source is known");
            let own = &Entrant::named(&["entropy-simplify"], 0, false)[0];
            let own = own.run(&mut instance, 1, Direction::Usual).expect("it answers");
            assert_eq!(optimal.left, own.left);
            (known, learnt) = (known + optimal.tests, learnt + own.tests);
        }
        assert!(known < learnt, "{known} {learnt}");
    }
}
