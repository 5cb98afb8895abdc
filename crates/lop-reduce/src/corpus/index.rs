//! Indexes the files of a corpus by their behaviours, and makes greedy choices among them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::{Shows, all_of};

/// The files, and an index of them by behaviour. Behaviours are numbered from 0 on, in the order of their numbers outside.
pub(super) struct Corpus {
    pub(super) lens: Vec<usize>,
    /// The behaviours of each file, ascending.
    pub(super) shown: Vec<Vec<usize>>,
    /// The files that show each behaviour, the smallest first, without those that show nothing that a smaller or
    /// earlier one doesn't show.
    pub(super) by_behaviour: Vec<Vec<usize>>,
}

impl Corpus {
    pub(super) fn of(files: &[Shows]) -> Self {
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
    pub(super) fn size(&self, set: &[usize]) -> (usize, usize) {
        (set.len(), set.iter().map(|&file| self.lens[file]).sum())
    }

    /// Whether a file shows all of these behaviours.
    pub(super) fn shows(&self, file: usize, behaviours: impl IntoIterator<Item = usize>) -> bool {
        behaviours.into_iter().all(|behaviour| self.shown[file].binary_search(&behaviour).is_ok())
    }

    /// The rule of afl-cmin.
    pub(super) fn rarest_first(&self) -> Vec<usize> {
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
    pub(super) fn greedy(
        &self,
        gain: impl Fn(usize, usize) -> f64,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<Vec<usize>> {
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
