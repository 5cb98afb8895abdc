//! Responsible for a corpus that is small and still does everything: of files that each show some behaviours, few and
//! small ones that show all. Numbers in, numbers out.

mod exchange;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use exchange::exchanged;

/// A file of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shows {
    /// Its size in bytes.
    pub len: usize,
    /// The numbers of the behaviours that it shows, ascending, each once.
    pub behaviours: Vec<u32>,
}

/// Few and small files that together show all behaviours of a corpus, by their numbers, ascending; `None` if a
/// stop is asked for before they are found.
///
/// Three greedy sets are made smaller by single exchanges, until none helps: files go that the others can do without, one
/// becomes a smaller one, two become one. The one with the fewest files is the result, then that with the fewest bytes,
/// among those that have neither more files nor more bytes than the first of the three, which follows the rule of
/// afl-cmin: for the rarest behaviour that is left, the smallest file with it.
#[must_use]
pub fn choose(files: &[Shows], is_stopped: &dyn Fn() -> bool) -> Option<Vec<usize>> {
    let corpus = Corpus::of(files);
    let rule = corpus.rarest_first();
    let most = corpus.size(&rule);
    let mut sets = vec![rule];
    sets.push(corpus.greedy(|_, new| new as f64, is_stopped)?);
    sets.push(corpus.greedy(|len, new| new as f64 / (len + 1) as f64, is_stopped)?);
    let small: Vec<Vec<usize>> =
        sets.into_iter().map(|set| exchanged(&corpus, set, is_stopped)).collect::<Option<_>>()?;
    let fitting = small.into_iter().filter(|set| {
        let (count, len) = corpus.size(set);
        count <= most.0 && len <= most.1
    });
    let mut best = fitting.min_by_key(|set| corpus.size(set)).unwrap_or_default();
    best.sort_unstable();
    Some(best)
}

/// The behaviours of all files, each once.
#[must_use]
pub fn all_of<'f>(files: impl IntoIterator<Item = &'f Shows>) -> Vec<u32> {
    let mut all: Vec<u32> = files.into_iter().flat_map(|file| file.behaviours.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The files, and an index of them by behaviour. Behaviours are numbered from 0 on, in the order of their numbers outside.
struct Corpus {
    lens: Vec<usize>,
    /// Of each file its behaviours, ascending.
    shown: Vec<Vec<usize>>,
    /// Of each behaviour the files that show it, those with nothing that a smaller or earlier one has not as well left
    /// out; the smallest first.
    by_behaviour: Vec<Vec<usize>>,
}

impl Corpus {
    fn of(files: &[Shows]) -> Self {
        let all = all_of(files);
        let number = |behaviour: &u32| all.partition_point(|other| other < behaviour);
        let shown: Vec<Vec<usize>> = files.iter().map(|file| file.behaviours.iter().map(number).collect()).collect();
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|&file| (files[file].len, file));
        let mut seen = HashSet::new();
        let mut by_behaviour = vec![Vec::new(); all.len()];
        for file in order {
            if seen.insert(&shown[file]) {
                shown[file].iter().for_each(|&behaviour| by_behaviour[behaviour].push(file));
            }
        }
        Corpus { lens: files.iter().map(|file| file.len).collect(), shown, by_behaviour }
    }

    /// Files and bytes.
    fn size(&self, set: &[usize]) -> (usize, usize) {
        (set.len(), set.iter().map(|&file| self.lens[file]).sum())
    }

    /// Whether a file shows all of these behaviours.
    fn shows(&self, file: usize, behaviours: impl IntoIterator<Item = usize>) -> bool {
        behaviours.into_iter().all(|behaviour| self.shown[file].binary_search(&behaviour).is_ok())
    }

    /// The rule of afl-cmin.
    fn rarest_first(&self) -> Vec<usize> {
        let mut rare: Vec<(usize, &Vec<usize>)> = self.by_behaviour.iter().enumerate().collect();
        rare.sort_by_key(|(behaviour, files)| (files.len(), *behaviour));
        let (mut chosen, mut is_shown) = (Vec::new(), vec![false; self.by_behaviour.len()]);
        for (behaviour, files) in rare {
            if !is_shown[behaviour] {
                chosen.push(files[0]);
                self.shown[files[0]].iter().for_each(|&behaviour| is_shown[behaviour] = true);
            }
        }
        chosen
    }

    /// The file with most `gain` first, by its size and the number of its behaviours that are new; of equals the smallest.
    fn greedy(&self, gain: impl Fn(usize, usize) -> f64, is_stopped: &dyn Fn() -> bool) -> Option<Vec<usize>> {
        let mut is_left = vec![true; self.by_behaviour.len()];
        let mut candidates: Vec<usize> = self.by_behaviour.iter().flatten().copied().collect();
        candidates.sort_unstable_by_key(|&file| (self.lens[file], file));
        candidates.dedup();
        // The bits of numbers that are not negative are in the order of the numbers.
        let value = |file: usize, is_left: &[bool]| {
            let new = self.shown[file].iter().filter(|&&behaviour| is_left[behaviour]).count();
            if new == 0 { 0 } else { gain(self.lens[file], new).to_bits() }
        };
        // The number of new behaviours only falls, so that an old value is a bound: the file of the highest one is the best
        // if its value is still the same.
        let mut bounds: BinaryHeap<(u64, Reverse<usize>)> =
            candidates.iter().enumerate().map(|(at, &file)| (value(file, &is_left), Reverse(at))).collect();
        let mut chosen = Vec::new();
        while let Some((bound, Reverse(at))) = bounds.pop() {
            if is_stopped() {
                return None;
            }
            let now = value(candidates[at], &is_left);
            if now > 0 && now < bound {
                bounds.push((now, Reverse(at)));
            } else if now > 0 {
                self.shown[candidates[at]].iter().for_each(|&behaviour| is_left[behaviour] = false);
                chosen.push(candidates[at]);
            }
        }
        Some(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(len: usize, behaviours: &[u32]) -> Shows {
        Shows { len, behaviours: behaviours.to_vec() }
    }

    fn chosen(files: &[Shows]) -> Vec<usize> {
        choose(files, &|| false).expect("nobody stops it")
    }

    #[test]
    fn choose_takes_the_smallest_of_files_that_do_the_same() {
        let files = [file(9, &[1, 2]), file(5, &[1, 2]), file(5, &[1, 2]), file(2, &[1]), file(1, &[])];
        assert_eq!(chosen(&files), [1]);
        assert!(chosen(&[]).is_empty() && chosen(&[file(3, &[])]).is_empty());
    }

    #[test]
    fn choose_is_no_worse_than_the_rule_of_afl_cmin() {
        // Numbers without a pattern.
        for seed in 1..80_u64 {
            let mut last = seed * 7919;
            let mut number = |below: u64| {
                last = (last * 1_103_515_245 + 12_345) % 2_147_483_648;
                last / 65_536 % below
            };
            let files: Vec<Shows> = (0..60)
                .map(|_| {
                    let mut behaviours: Vec<u32> = (0..1 + number(12)).map(|_| number(40) as u32).collect();
                    behaviours.sort_unstable();
                    behaviours.dedup();
                    Shows { len: 1 + number(1000) as usize, behaviours }
                })
                .collect();
            let corpus = Corpus::of(&files);
            let (rule, chosen) = (corpus.size(&corpus.rarest_first()), chosen(&files));
            let size = corpus.size(&chosen);
            assert!(size.0 <= rule.0 && size.1 <= rule.1, "{size:?} {rule:?}");
            assert_eq!(all_of(chosen.iter().map(|&file| &files[file])), all_of(&files), "seed {seed}");
            for left in 0..chosen.len() {
                let rest = chosen.iter().enumerate().filter(|(at, _)| *at != left).map(|(_, &file)| &files[file]);
                assert_ne!(all_of(rest), all_of(&files), "each is needed");
            }
        }
    }

    #[test]
    fn choose_replaces_two_files_by_one() {
        // The rule takes the two small ones for the rare behaviours.
        let files = [file(4, &[1, 3]), file(4, &[2, 3]), file(7, &[1, 2, 3])];
        assert_eq!(chosen(&files), [2]);
    }

    #[test]
    fn choose_takes_no_time_for_many_files_and_hears_a_stop() {
        // Of 4,000 behaviours of a file one is its own, and neighbours share the others.
        let files: Vec<Shows> = (0..390)
            .map(|at| {
                let mut behaviours: Vec<u32> = (0..4_000).map(|other| at / 2 * 2_000 + other).collect();
                behaviours.push(1_000_000 + at);
                Shows { len: 100 + at as usize, behaviours }
            })
            .collect();
        let begun = std::time::Instant::now();
        assert_eq!(chosen(&files).len(), 390);
        assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
        assert_eq!(choose(&files, &|| true), None);
    }
}
