//! Responsible for a corpus that is small and still does everything: of files that each show some behaviours, few and
//! small ones that show all. Numbers in, numbers out.

use std::collections::{HashMap, HashSet};

/// Chosen files beyond which pairs of them are not tried to be replaced by one: there are too many pairs.
const MOST_IN_PAIRS: usize = 400;

/// A file of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shows {
    /// Its size in bytes.
    pub len: usize,
    /// The numbers of the behaviours that it shows, ascending, each once.
    pub behaviours: Vec<u32>,
}

/// Few and small files that together show all behaviours of a corpus, by their numbers, ascending.
///
/// Three greedy sets are made smaller by single exchanges, until none helps: files go that the others can do without, one
/// becomes a smaller one, two become one. The one with the fewest files is the result, then that with the fewest bytes,
/// among those that have neither more files nor more bytes than the first of the three, which follows the rule of
/// afl-cmin: for the rarest behaviour that is left, the smallest file with it.
#[must_use]
pub fn choose(files: &[Shows]) -> Vec<usize> {
    let corpus = Corpus::of(files);
    let rule = corpus.rarest_first();
    let most = corpus.size(&rule);
    let sets = [rule, corpus.greedy(|_, new| new as f64), corpus.greedy(|len, new| new as f64 / (len + 1) as f64)];
    let small = sets.into_iter().map(|set| corpus.exchanged(set));
    let fitting = small.filter(|set| {
        let (count, len) = corpus.size(set);
        count <= most.0 && len <= most.1
    });
    let mut best = fitting.min_by_key(|set| corpus.size(set)).unwrap_or_default();
    best.sort_unstable();
    best
}

/// The behaviours of all files, each once.
#[must_use]
pub fn all_of<'f>(files: impl IntoIterator<Item = &'f Shows>) -> Vec<u32> {
    let mut all: Vec<u32> = files.into_iter().flat_map(|file| file.behaviours.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

struct Corpus<'f> {
    files: &'f [Shows],
    /// Of each behaviour the files that show it, those with nothing that a smaller or earlier one has not as well left
    /// out; the smallest first.
    by_behaviour: HashMap<u32, Vec<usize>>,
}

impl<'f> Corpus<'f> {
    fn of(files: &'f [Shows]) -> Self {
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|&file| (files[file].len, file));
        let mut seen = HashSet::new();
        let mut by_behaviour: HashMap<u32, Vec<usize>> = HashMap::new();
        for file in order {
            if seen.insert(&files[file].behaviours) {
                for &behaviour in &files[file].behaviours {
                    by_behaviour.entry(behaviour).or_default().push(file);
                }
            }
        }
        Corpus { files, by_behaviour }
    }

    /// Files and bytes.
    fn size(&self, set: &[usize]) -> (usize, usize) {
        (set.len(), set.iter().map(|&file| self.files[file].len).sum())
    }

    /// The rule of afl-cmin.
    fn rarest_first(&self) -> Vec<usize> {
        let mut rare: Vec<(&u32, &Vec<usize>)> = self.by_behaviour.iter().collect();
        rare.sort_by_key(|(behaviour, files)| (files.len(), **behaviour));
        let (mut chosen, mut shown) = (Vec::new(), HashSet::<u32>::new());
        for (behaviour, files) in rare {
            if !shown.contains(behaviour) {
                chosen.push(files[0]);
                shown.extend(self.files[files[0]].behaviours.iter().copied());
            }
        }
        chosen
    }

    /// The file with most `gain` first, by its size and the number of its behaviours that are new.
    fn greedy(&self, gain: impl Fn(usize, usize) -> f64) -> Vec<usize> {
        let mut left: HashSet<u32> = self.by_behaviour.keys().copied().collect();
        let mut candidates: Vec<usize> = self.by_behaviour.values().flatten().copied().collect();
        candidates.sort_unstable_by_key(|&file| (self.files[file].len, file));
        candidates.dedup();
        // The number of new behaviours only falls, so that an old value is a bound.
        let value = |file: usize, left: &HashSet<u32>| {
            let new = self.files[file].behaviours.iter().filter(|behaviour| left.contains(behaviour)).count();
            if new == 0 { 0.0 } else { gain(self.files[file].len, new) }
        };
        let mut bounds: Vec<(f64, usize)> = candidates.into_iter().map(|file| (value(file, &left), file)).collect();
        let mut chosen = Vec::new();
        while !left.is_empty() {
            let mut best: Option<(f64, usize)> = None;
            for bound in &mut bounds {
                if best.is_some_and(|best| bound.0 <= best.0) {
                    continue;
                }
                bound.0 = value(bound.1, &left);
                if bound.0 > 0.0 && best.is_none_or(|best| bound.0 > best.0) {
                    best = Some(*bound);
                }
            }
            let Some((_, file)) = best else { break };
            self.files[file].behaviours.iter().for_each(|behaviour| {
                left.remove(behaviour);
            });
            chosen.push(file);
        }
        chosen
    }

    /// A set after all exchanges that make it smaller.
    fn exchanged(&self, mut set: Vec<usize>) -> Vec<usize> {
        let mut counts: HashMap<u32, u32> = HashMap::new();
        let count = |counts: &mut HashMap<u32, u32>, file: usize, more: bool| {
            for &behaviour in &self.files[file].behaviours {
                let count = counts.entry(behaviour).or_default();
                *count = if more { *count + 1 } else { *count - 1 };
            }
        };
        set.iter().for_each(|&file| count(&mut counts, file, true));
        loop {
            let before = self.size(&set);
            // The largest first.
            set.sort_by_key(|&file| std::cmp::Reverse((self.files[file].len, file)));
            let mut at = 0;
            while at < set.len() {
                let file = set[at];
                let own = self.own(&counts, &[file]);
                let Some((&rare, rest)) = self.rarest(&own) else {
                    count(&mut counts, file, false);
                    set.remove(at);
                    continue;
                };
                if let Some(other) = self.smaller(rare, rest, self.files[file].len, &set) {
                    count(&mut counts, file, false);
                    count(&mut counts, other, true);
                    set[at] = other;
                }
                at += 1;
            }
            if set.len() <= MOST_IN_PAIRS {
                self.join_pairs(&mut set, &mut counts, &count);
            }
            if self.size(&set) >= before {
                return set;
            }
        }
    }

    /// Replaces two files by one that shows what only they do, and is not larger than both.
    fn join_pairs(
        &self,
        set: &mut Vec<usize>,
        counts: &mut HashMap<u32, u32>,
        count: &impl Fn(&mut HashMap<u32, u32>, usize, bool),
    ) {
        let mut first = 0;
        while first < set.len() {
            let mut second = first + 1;
            while second < set.len() {
                let (one, two) = (set[first], set[second]);
                let own = self.own(counts, &[one, two]);
                let most = self.files[one].len + self.files[two].len + 1;
                let other = self.rarest(&own).and_then(|(&rare, rest)| self.smaller(rare, rest, most, set));
                if let Some(other) = other {
                    count(counts, one, false);
                    count(counts, two, false);
                    count(counts, other, true);
                    set[first] = other;
                    set.remove(second);
                } else {
                    second += 1;
                }
            }
            first += 1;
        }
    }

    /// The behaviours that only some files of the set show.
    fn own(&self, counts: &HashMap<u32, u32>, files: &[usize]) -> Vec<u32> {
        let mut here: HashMap<u32, u32> = HashMap::new();
        for &file in files {
            self.files[file].behaviours.iter().for_each(|behaviour| *here.entry(*behaviour).or_default() += 1);
        }
        let mut own: Vec<u32> = here
            .into_iter()
            .filter(|(behaviour, here)| counts[behaviour] == *here)
            .map(|(behaviour, _)| behaviour)
            .collect();
        own.sort_unstable();
        own
    }

    /// The behaviour that fewest files show, and all of them.
    fn rarest<'o>(&self, own: &'o [u32]) -> Option<(&'o u32, &'o [u32])> {
        own.iter().min_by_key(|behaviour| (self.by_behaviour[behaviour].len(), **behaviour)).map(|rare| (rare, own))
    }

    /// The smallest file that shows all of these, has fewer bytes than `most`, and is not in the set.
    fn smaller(&self, rare: u32, own: &[u32], most: usize, set: &[usize]) -> Option<usize> {
        let candidates = self.by_behaviour[&rare].iter().copied();
        let mut candidates = candidates.take_while(|&file| self.files[file].len < most);
        candidates.find(|&file| {
            let shown = &self.files[file].behaviours;
            own.iter().all(|behaviour| shown.binary_search(behaviour).is_ok()) && !set.contains(&file)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(len: usize, behaviours: &[u32]) -> Shows {
        Shows { len, behaviours: behaviours.to_vec() }
    }

    #[test]
    fn choose_takes_the_smallest_of_files_that_do_the_same() {
        let files = [file(9, &[1, 2]), file(5, &[1, 2]), file(5, &[1, 2]), file(2, &[1]), file(1, &[])];
        assert_eq!(choose(&files), [1]);
        assert!(choose(&[]).is_empty() && choose(&[file(3, &[])]).is_empty());
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
            let (rule, chosen) = (corpus.size(&corpus.rarest_first()), choose(&files));
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
        assert_eq!(choose(&files), [2]);
    }
}
