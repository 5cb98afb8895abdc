//! The search for a difference: two configurations of one sequence of differences, one that passes and one that fails, as
//! close to each other as single differences can bring them.

use std::collections::HashMap;

use crate::BitSet;
use crate::config::Config;
use crate::model::evidence::Knowledge;
use crate::search::Search;
use crate::verdict::Verdict;

/// Refused answers that count as much as an unresolved one. As many unresolved answers in a row as the differences left
/// could be halved, and places between them are given up.
const PATIENCE: u32 = 16;

/// The answer of the test about a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Answer {
    /// It passes, as the configuration without any difference does.
    Passes,
    /// It fails, as the one with all differences does.
    Fails,
    /// It does neither.
    Unresolved,
    /// It does neither, which was known without a test.
    Refused,
}

impl Answer {
    /// Whether it passes or fails.
    fn is_resolved(self) -> bool {
        matches!(self, Self::Passes | Self::Fails)
    }
}

/// Two configurations, each as the set of the differences that it has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Isolated {
    /// The one that passes: a subset of the other.
    pub passing: BitSet,
    /// The one that fails.
    pub failing: BitSet,
}

impl Isolated {
    /// The differences between the two, ascending.
    pub fn differences(&self) -> Vec<usize> {
        self.failing.ones().filter(|&at| !self.passing.contains(at)).collect()
    }
}

/// The side from which differences between the two configurations are removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    /// They are removed from the failing one, starting with the last: later differences need earlier ones more often
    /// than the other way round.
    Failing,
    /// They are put into the one that passes, from the first on.
    Passing,
}

impl Side {
    /// The answer with which a difference is none any more.
    fn wanted(self) -> Answer {
        match self {
            Self::Failing => Answer::Fails,
            Self::Passing => Answer::Passes,
        }
    }
}

/// Brings the configuration without any of `len` differences, which passes, and the one with all, which fails, as close
/// to each other as possible: no single difference between the two of the result can be taken out of the one that fails
/// so that it still fails or passes, nor put into the one that passes so that it still passes or fails. Neither of the
/// two is asked about.
///
/// An outcome other than *unresolved* for the differences before some place, or for those after it, leaves only the
/// differences on one side of that place. So places near the middle come first, as in a bisection that skips. If these
/// are unresolved, sweeps of a [`Search`] test runs of differences anywhere, from both sides, until one of them brings
/// both configurations within a run.
///
/// The problem is that of *dd* (Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, TSE 28(2),
/// 2002, section 5). The result has the same property; the search differs.
///
/// # Errors
/// Those of `judge`.
pub fn isolate<E>(len: usize, judge: impl FnMut(&BitSet) -> Result<Answer, E>) -> Result<Isolated, E> {
    Bisection::search(len, false, judge)
}

/// Brings the two as close as [`isolate`] does while outcomes help, and leaves the rest: a sweep ends after half as
/// many unresolved outcomes in a row as the remaining differences could be halved. This is for differences that are
/// split further afterwards, so that a test of each would be repeated.
///
/// # Errors
/// Those of `judge`.
pub fn approach<E>(len: usize, judge: impl FnMut(&BitSet) -> Result<Answer, E>) -> Result<Isolated, E> {
    Bisection::search(len, true, judge)
}

struct Bisection<J> {
    now: Isolated,
    judge: J,
    /// Answers, by the configuration.
    known: HashMap<BitSet, Answer>,
    knowledge: Knowledge,
    /// The places with a resolved outcome for the differences before them, and for those after them.
    resolved: [usize; 2],
    /// Whether a sweep gives up when answers do not help.
    is_brief: bool,
}

impl<E, J: FnMut(&BitSet) -> Result<Answer, E>> Bisection<J> {
    fn search(len: usize, is_brief: bool, judge: J) -> Result<Isolated, E> {
        let mut failing = BitSet::with_capacity(len);
        failing.insert_range(0..len);
        let mut state = Bisection {
            now: Isolated { passing: BitSet::with_capacity(len), failing },
            judge,
            known: HashMap::new(),
            knowledge: Knowledge::new(len),
            resolved: [1; 2],
            is_brief,
        };
        while state.cut()? || state.sweep(Side::Failing)? || state.sweep(Side::Passing)? {}
        Ok(state.now)
    }

    /// Asks about places between the differences that are left, as long as the answers help. `false`: always.
    fn cut(&mut self) -> Result<bool, E> {
        let mut unresolved = 0;
        'places: loop {
            let left = self.now.differences();
            if left.len() < 2 {
                return Ok(false);
            }
            let most = PATIENCE * left.len().ilog2();
            for place in places(left.len()) {
                let parts = [&left[..place], &left[place..]];
                // The side that was resolved more often comes first.
                let first = usize::from(self.resolved[1] > self.resolved[0]);
                for side in [first, 1 - first] {
                    let configuration = union(&self.now.passing, parts[side]);
                    if self.known.contains_key(&configuration) {
                        continue;
                    }
                    match self.ask(&configuration)? {
                        Answer::Unresolved => unresolved += PATIENCE,
                        Answer::Refused => unresolved += 1,
                        answer => {
                            match answer {
                                Answer::Passes => self.now.passing = configuration,
                                _ => self.now.failing = configuration,
                            }
                            self.resolved[side] += 1;
                            unresolved = 0;
                            continue 'places;
                        }
                    }
                    if unresolved > most {
                        return Ok(false);
                    }
                }
            }
            return Ok(false);
        }
    }

    /// Asks about runs of the differences that are left, from one side; `true` when both configurations are within one run
    /// then.
    fn sweep(&mut self, side: Side) -> Result<bool, E> {
        let mut left = self.now.differences();
        if left.len() < 2 {
            return Ok(false);
        }
        if side == Side::Failing {
            left.reverse();
        }
        let (kind, depth) = (side as u32, 0);
        let config = Config { theta: Some(0.0), empty_known_uninteresting: true, ..Config::default() };
        let mut search = Search::new(left.len(), &config, &self.knowledge.view(kind, depth));
        let passing = self.now.passing.clone();
        // The configuration of this side when some of the differences are none any more.
        let without = |gone: &dyn Fn(usize) -> bool| {
            let there = left.iter().enumerate().filter(|(at, _)| gone(*at) == (side == Side::Passing));
            union(&passing, &there.map(|(_, difference)| *difference).collect::<Vec<_>>())
        };
        let (mut other, mut vain, most) = (None, 0, left.len().ilog2() / 2);
        while !(self.is_brief && vain > most)
            && let Some(question) = search.next_test()
        {
            let configuration = without(&|at| question.remove.iter().any(|range| range.contains(&at)));
            let answer = self.ask(&configuration)?;
            if answer.is_resolved() && answer != side.wanted() {
                other = Some(configuration);
                break;
            }
            match answer {
                Answer::Unresolved => vain += 1,
                Answer::Refused => {}
                Answer::Passes | Answer::Fails => vain = 0,
            }
            search.observe(Verdict::from(answer == side.wanted()));
        }
        self.knowledge.absorb(kind, depth, &search.take_evidence());
        let own = without(&|at| search.removed().contains(at));
        let is_near = other.is_some();
        let (passing, failing) = match side {
            Side::Failing => (other.unwrap_or(passing), own),
            Side::Passing => (own, other.unwrap_or_else(|| self.now.failing.clone())),
        };
        self.now = Isolated { passing, failing };
        Ok(is_near)
    }

    fn ask(&mut self, configuration: &BitSet) -> Result<Answer, E> {
        if let Some(&answer) = self.known.get(configuration) {
            return Ok(answer);
        }
        let answer = (self.judge)(configuration)?;
        self.known.insert(configuration.clone(), answer);
        Ok(answer)
    }
}

/// The places between `len` differences: the middle, then those at the quarters, the eighths and so on.
fn places(len: usize) -> impl Iterator<Item = usize> {
    let steps = (1..).map(|power| 1_usize << power).take_while(move |parts| *parts < 2 * len);
    steps.flat_map(move |parts| (1..parts).step_by(2).map(move |part| len * part / parts)).filter(move |at| *at > 0)
}

fn union(set: &BitSet, more: &[usize]) -> BitSet {
    let mut all = set.clone();
    more.iter().for_each(|&difference| {
        all.insert(difference);
    });
    all
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn found(len: usize, answer: impl Fn(&BitSet) -> Answer) -> (Isolated, usize) {
        let mut tests = 0;
        let isolated = isolate(len, |set| {
            tests += 1;
            Ok::<_, Infallible>(answer(set))
        });
        (isolated.expect("it answers"), tests)
    }

    fn toggled(set: &BitSet, unit: usize) -> BitSet {
        let mut toggled = BitSet::with_capacity(set.len());
        (0..set.len()).filter(|&at| set.contains(at) != (at == unit)).for_each(|at| {
            toggled.insert(at);
        });
        toggled
    }

    #[test]
    fn isolation_finds_one_of_many_in_as_many_tests_as_halving_takes() {
        for len in [0, 1, 2, 3, 31, 64, 1000] {
            for culprit in 0..len.min(70) {
                let (isolated, tests) =
                    found(len, |set| if set.contains(culprit) { Answer::Fails } else { Answer::Passes });
                assert_eq!(isolated.differences(), [culprit], "of {len}");
                assert!(tests <= len.next_power_of_two().ilog2() as usize, "{tests} for {len}");
            }
        }
    }

    #[test]
    fn isolation_ends_where_no_single_difference_helps() {
        // Numbers without a pattern: units need others, and some are culprits.
        for seed in 1..60_usize {
            let len = 5 + seed % 40;
            let mut last = seed * 7919;
            let mut unit = || {
                last = (last * 1_103_515_245 + 12_345) % 2_147_483_648;
                last / 65_536 % len
            };
            let needs: Vec<_> = (0..len).map(|_| (unit(), unit())).collect();
            let culprits = [unit(), unit()];
            let answer = |set: &BitSet| {
                if needs.iter().any(|&(one, other)| set.contains(one) && !set.contains(other)) {
                    return Answer::Unresolved;
                }
                if culprits.iter().all(|&unit| set.contains(unit)) { Answer::Fails } else { Answer::Passes }
            };
            let (Isolated { passing, failing }, _) = found(len, answer);
            let isolated = Isolated { passing: passing.clone(), failing: failing.clone() };
            assert!(passing.ones().all(|unit| failing.contains(unit)), "one is within the other");
            assert_eq!((answer(&passing), answer(&failing)), (Answer::Passes, Answer::Fails), "seed {seed}");
            let left = isolated.differences();
            if left.len() > 1 {
                let around = |unit| [answer(&toggled(&failing, unit)), answer(&toggled(&passing, unit))];
                let resolved =
                    left.iter().flat_map(|&unit| around(unit)).filter(|answer| *answer != Answer::Unresolved);
                assert_eq!(resolved.count(), 0, "seed {seed}: {left:?}");
            }
        }
    }

    #[test]
    fn isolation_stops_when_there_are_no_more_answers() {
        let mut answers = 3;
        let stopped = isolate(1000, |_| {
            answers -= 1;
            if answers == 0 { Err("stopped") } else { Ok(Answer::Passes) }
        });
        assert_eq!(stopped, Err("stopped"));
    }
}
