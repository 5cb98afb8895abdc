//! Simulated tests with dependent units or odd outcomes: the effect of real inputs on a search that assumes independent
//! runs.

use lop_engine::{BitSet, Markov, Verdict};
use rand::{Rng, RngExt};

use super::source::sequence;

/// The source of needed units in families about something else: 90 % waste, in runs of twenty.
const BACKGROUND: (f64, f64) = (0.9, 0.95);
/// In a dependent list one unit in this number is needed for its own sake, unless something else is asked for.
const ROOTS: usize = 100;
/// The probability that a unit uses one other, and then another one: 0.8 uses on average, so that a unit's direct and
/// indirect uses stay finite, at five units including itself.
const USES: (f64, f64) = (0.6, 1.0 / 3.0);
/// Mean distance from a unit to one that it uses.
const USE_DISTANCE: f64 = 20.0;
/// The number of units per pair, or per pair of alternatives.
const PAIRS: usize = 25;
/// Units of a pair are at most so far from each other.
const PAIR_DISTANCE: usize = 10;
/// The share of candidates whose verdict is a lie.
const LIES: f64 = 0.01;
/// The sparse and the dense quarters of a list whose waste changes.
const REGIMES: [(f64, f64); 2] = [(0.99, 0.995), (0.3, 0.4)];
/// Sizes are spread evenly over the logarithms from 1 to this.
const LARGEST: f64 = 1000.0;
/// P(needed) = this × √size, which is a tenth on average over those sizes.
const NEEDED_PER_ROOT_SIZE: f64 = 0.011_28;
/// Share of removable units and P(removable | removable) of the four kinds of short lists.
const KINDS: [(f64, f64); 4] = [(0.5, 0.6), (0.9, 0.93), (0.97, 0.98), (0.15, 0.4)];
/// How many short lists there are, and how long the longest is.
const SHORT_LISTS: (usize, usize) = (60, 31);

/// A kind of simulated test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Units use earlier ones; a candidate in which a used one is missing is invalid.
    DefinitionsFirst,
    /// Units that use later ones, from last to first.
    UsesFirst,
    /// Some units are pairs; a candidate with half a pair is invalid.
    Pairs,
    /// Of some pairs either unit suffices, and one has to stay.
    Alternatives,
    /// A hundredth of the candidates gets the opposite answer, always the same one.
    Noisy,
    /// The waste changes along the list: its quarters are sparse and dense in turn.
    Regimes,
    /// Bigger units are likelier needed.
    Sized,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 7] = [
        Family::DefinitionsFirst,
        Family::UsesFirst,
        Family::Pairs,
        Family::Alternatives,
        Family::Noisy,
        Family::Regimes,
        Family::Sized,
    ];

    /// One list of `len` units.
    pub fn draw(self, len: usize, rng: &mut impl Rng) -> Simulated {
        let background = Markov::from_share(BACKGROUND.0, BACKGROUND.1);
        match self {
            Family::DefinitionsFirst => Simulated::definitions_first(len, ROOTS, rng),
            Family::UsesFirst => Simulated::definitions_first(len, ROOTS, rng).reversed(),
            Family::Pairs => {
                let list = Simulated::monotone(sequence(background, len, rng));
                Simulated { pairs: pairs(len, rng), ..list }
            }
            Family::Alternatives => {
                let mut list = Simulated::monotone(sequence(background, len, rng));
                let alternatives = pairs(len, rng);
                for &(one, other) in &alternatives {
                    list.needed[one] = false;
                    list.needed[other] = false;
                }
                Simulated { alternatives, ..list }
            }
            Family::Noisy => {
                let list = Simulated::monotone(sequence(background, len, rng));
                Simulated { lies: LIES, salt: rng.random(), ..list }
            }
            Family::Regimes => {
                let part = |index: usize| len * (index + 1) / 4 - len * index / 4;
                let regime = |index: usize| Markov::from_share(REGIMES[index % 2].0, REGIMES[index % 2].1);
                Simulated::monotone((0..4).flat_map(|index| sequence(regime(index), part(index), rng)).collect())
            }
            Family::Sized => {
                let sizes: Vec<u32> = (0..len).map(|_| LARGEST.powf(rng.random::<f64>()).round() as u32).collect();
                let chance = |&size: &u32| NEEDED_PER_ROOT_SIZE * f64::from(size).sqrt();
                let needed = sizes.iter().map(|size| rng.random::<f64>() < chance(size)).collect();
                Simulated { sizes, ..Simulated::monotone(needed) }
            }
        }
    }
}

/// A simulated test on one list of units.
#[derive(Clone, Debug)]
pub struct Simulated {
    sizes: Vec<u32>,
    /// Units that have to stay in any case.
    needed: Vec<bool>,
    /// Pairs of a unit and one that it uses.
    uses: Vec<(usize, usize)>,
    /// Units that stay or go together.
    pairs: Vec<(usize, usize)>,
    /// Units, one of which has to stay.
    alternatives: Vec<(usize, usize)>,
    /// Share of the candidates that get the wrong answer.
    lies: f64,
    /// Which candidates those are.
    salt: u64,
}

impl Simulated {
    /// A candidate is interesting if it holds all the needed units; each has size 1.
    pub fn monotone(needed: Vec<bool>) -> Self {
        Self {
            sizes: vec![1; needed.len()],
            needed,
            uses: Vec::new(),
            pairs: Vec::new(),
            alternatives: Vec::new(),
            lies: 0.0,
            salt: 0,
        }
    }

    /// Units that use earlier ones; one in `roots`, and at least one, is needed independently.
    pub fn definitions_first(len: usize, roots: usize, rng: &mut impl Rng) -> Self {
        let mut list = Self::monotone(vec![false; len]);
        if len == 0 {
            return list;
        }
        for _ in 0..len.div_ceil(roots.max(1)) {
            let root = rng.random_range(0..len);
            list.needed[root] = true;
        }
        for user in 0..len {
            let mut chance = USES.0;
            while rng.random::<f64>() < chance {
                let distance = 1 + (-(1.0 - rng.random::<f64>()).ln() * USE_DISTANCE) as usize;
                if let Some(used) = user.checked_sub(distance) {
                    list.uses.push((user, used));
                }
                chance = USES.1;
            }
        }
        list
    }

    /// The sizes of the units.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The verdict on the candidate without the units in `gone`. The whole list is interesting.
    pub fn verdict(&self, gone: &BitSet) -> Verdict {
        if gone.is_clear() {
            return Verdict::Interesting;
        }
        let broken = |&(user, used): &(usize, usize)| gone.contains(used) && !gone.contains(user);
        let split = |&(one, other): &(usize, usize)| gone.contains(one) != gone.contains(other);
        if self.uses.iter().any(broken) || self.pairs.iter().any(split) {
            return Verdict::Invalid;
        }
        let missing = gone.ones().any(|unit| self.needed[unit]);
        let neither = |&(one, other): &(usize, usize)| gone.contains(one) && gone.contains(other);
        let holds = !missing && !self.alternatives.iter().any(neither);
        if holds != self.is_lie(gone) { Verdict::Interesting } else { Verdict::NotInteresting }
    }

    /// Whether the test lies about this candidate: a hash of it says so.
    fn is_lie(&self, gone: &BitSet) -> bool {
        if self.lies == 0.0 {
            return false;
        }
        let mix = |hash: u64, unit: usize| {
            let hash = (hash ^ unit as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            hash ^ (hash >> 32)
        };
        let hash = gone.ones().fold(self.salt, mix);
        (hash >> 11) as f64 / ((1_u64 << 53) as f64) < self.lies
    }

    fn reversed(mut self) -> Self {
        let last = self.needed.len().saturating_sub(1);
        self.sizes.reverse();
        self.needed.reverse();
        for (one, other) in [&mut self.uses, &mut self.pairs, &mut self.alternatives].into_iter().flatten() {
            (*one, *other) = (last - *one, last - *other);
        }
        self
    }
}

/// Disjoint pairs of units near each other.
fn pairs(len: usize, rng: &mut impl Rng) -> Vec<(usize, usize)> {
    let mut taken = vec![false; len];
    let mut pairs = Vec::new();
    for _ in 0..len / PAIRS {
        let one = rng.random_range(0..len);
        let other = one + rng.random_range(1..=PAIR_DISTANCE);
        if other < len && !taken[one] && !taken[other] {
            taken[one] = true;
            taken[other] = true;
            pairs.push((one, other));
        }
    }
    pairs
}

/// One of many short lists, as the siblings below the nodes of a tree are.
#[derive(Clone, Debug)]
pub struct ShortList {
    /// The kind of the list; lists of one kind have one source.
    pub kind: u32,
    /// Its depth, which means nothing here.
    pub depth: u32,
    /// The source.
    pub chain: Markov,
    /// The needed units.
    pub needed: Vec<bool>,
}

/// 60 lists of 2 to 31 units of four kinds, each with its own chain, at two depths.
pub fn short_lists(rng: &mut impl Rng) -> Vec<ShortList> {
    let (count, longest) = SHORT_LISTS;
    (0..count)
        .map(|_| {
            let kind = rng.random_range(0..KINDS.len());
            let chain = Markov::from_share(KINDS[kind].0, KINDS[kind].1);
            let len = rng.random_range(2..=longest);
            let depth = rng.random_range(0..2);
            ShortList { kind: kind as u32, depth, chain, needed: sequence(chain, len, rng) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use lop_engine::{BitSet, Verdict};

    use super::{Family, Simulated, short_lists};

    fn rng(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    /// All units but these are removed.
    fn only(kept: &[bool]) -> BitSet {
        let mut gone = BitSet::with_capacity(kept.len());
        kept.iter().enumerate().filter(|(_, kept)| !**kept).for_each(|(unit, _)| {
            gone.insert(unit);
        });
        gone
    }

    fn one(unit: usize, len: usize) -> BitSet {
        let mut gone = BitSet::with_capacity(len);
        gone.insert(unit);
        gone
    }

    /// The needed units and all that they use.
    fn closure(list: &Simulated) -> Vec<bool> {
        let mut kept = list.needed.clone();
        loop {
            let missing = list.uses.iter().find(|(user, used)| kept[*user] && !kept[*used]);
            let Some(&(_, used)) = missing else { return kept };
            kept[used] = true;
        }
    }

    #[test]
    fn the_whole_list_is_interesting_in_every_family() {
        for family in Family::ALL {
            for len in [0, 1, 7, 300] {
                let list = family.draw(len, &mut rng(1));
                assert_eq!(list.sizes().len(), len);
                assert_eq!(list.verdict(&BitSet::with_capacity(len)), Verdict::Interesting, "{family:?}");
            }
        }
    }

    #[test]
    fn a_dependent_list_comes_down_to_what_the_needed_units_use() {
        for (family, forward) in [(Family::DefinitionsFirst, true), (Family::UsesFirst, false)] {
            let mut share = 0.0;
            for seed in 0..20 {
                let list = family.draw(500, &mut rng(seed));
                assert!(list.uses.iter().all(|(user, used)| (used < user) == forward));
                let core = closure(&list);
                assert_eq!(list.verdict(&only(&core)), Verdict::Interesting);
                for unit in (0..500).filter(|&unit| core[unit]) {
                    let mut without = core.clone();
                    without[unit] = false;
                    assert_ne!(list.verdict(&only(&without)), Verdict::Interesting, "{unit} is needed");
                }
                share += core.iter().filter(|kept| **kept).count() as f64 / (20.0 * 500.0);
            }
            // Five roots that use four more each, as far as those are not shared.
            assert!((0.02..0.07).contains(&share), "{share}");
        }
    }

    #[test]
    fn a_list_without_something_that_is_used_is_invalid() {
        let list = Family::DefinitionsFirst.draw(500, &mut rng(3));
        let free = |pair: &&(usize, usize)| !closure(&list)[pair.1];
        let &(_, used) = list.uses.iter().find(free).expect("most units may go");
        let mut gone = one(used, 500);
        assert_eq!(list.verdict(&gone), Verdict::Invalid);
        // Uses come later, so that one pass finds all that fall with it.
        for &(user, used) in &list.uses {
            if gone.contains(used) {
                gone.insert(user);
            }
        }
        assert_eq!(list.verdict(&gone), Verdict::Interesting);
    }

    #[test]
    fn half_a_pair_is_invalid_and_both_units_may_go() {
        let list = Family::Pairs.draw(500, &mut rng(4));
        assert!((10..=20).contains(&list.pairs.len()));
        let free = |pair: &&(usize, usize)| !list.needed[pair.0] && !list.needed[pair.1];
        let &(first, second) = list.pairs.iter().find(free).expect("nine units in ten may go");
        let mut gone = one(first, 500);
        assert_eq!(list.verdict(&gone), Verdict::Invalid);
        gone.insert(second);
        assert_eq!(list.verdict(&gone), Verdict::Interesting);
    }

    #[test]
    fn either_of_two_suffices() {
        let list = Family::Alternatives.draw(500, &mut rng(5));
        for &(first, second) in &list.alternatives {
            assert_eq!(list.verdict(&one(first, 500)), Verdict::Interesting);
            assert_eq!(list.verdict(&one(second, 500)), Verdict::Interesting);
            let mut gone = one(first, 500);
            gone.insert(second);
            assert_eq!(list.verdict(&gone), Verdict::NotInteresting);
        }
        assert!(list.alternatives.len() > 10);
    }

    #[test]
    fn a_hundredth_of_the_candidates_gets_a_lie_and_keeps_it() {
        let list = Family::Noisy.draw(20_000, &mut rng(6));
        let lies = |list: &Simulated| {
            let wrong = |&unit: &usize| (list.verdict(&one(unit, 20_000)) == Verdict::Interesting) == list.needed[unit];
            (0..20_000).filter(wrong).collect::<Vec<_>>()
        };
        let first = lies(&list);
        assert!((150..250).contains(&first.len()), "{}", first.len());
        assert_eq!(first, lies(&list.clone()));
    }

    #[test]
    fn regimes_alternate_by_quarters() {
        let list = Family::Regimes.draw(40_000, &mut rng(7));
        let needed = |quarter: usize| {
            let part = &list.needed[quarter * 10_000..][..10_000];
            part.iter().filter(|needed| **needed).count()
        };
        for quarter in [0, 2] {
            assert!((30..300).contains(&needed(quarter)), "{}", needed(quarter));
            assert!((6_500..7_500).contains(&needed(quarter + 1)), "{}", needed(quarter + 1));
        }
    }

    #[test]
    fn a_tenth_is_needed_of_units_with_sizes_and_the_bigger_ones_more() {
        let list = Family::Sized.draw(40_000, &mut rng(8));
        let share = |from: u32, to: u32| {
            let chosen: Vec<bool> = (0..40_000)
                .filter(|&unit| (from..to).contains(&list.sizes[unit]))
                .map(|unit| list.needed[unit])
                .collect();
            chosen.iter().filter(|needed| **needed).count() as f64 / chosen.len() as f64
        };
        assert!((share(1, 2000) - 0.1).abs() < 0.01, "{}", share(1, 2000));
        assert!(share(1, 10) < 0.04 && share(300, 2000) > 0.2);
    }

    #[test]
    fn short_lists_are_of_four_kinds_and_short() {
        let lists = short_lists(&mut rng(9));
        assert_eq!(lists.len(), 60);
        assert!(lists.iter().all(|list| (2..=31).contains(&list.needed.len())));
        assert!((0..4).all(|kind| lists.iter().any(|list| list.kind == kind)));
        let again = short_lists(&mut rng(9));
        assert!(lists.iter().zip(&again).all(|(one, other)| one.needed == other.needed));
    }
}
