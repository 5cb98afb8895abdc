//! Asking kept units again one by one, because a later removal may have made them removable: in
//! which order, and when to stop.
//!
//! Every kept unit has a certificate: the test that refused its removal. A removal makes every older certificate
//! *stale*. How likely a stale unit has become removable depends mostly on how
//! near the removal was, so units are asked bucket by bucket, the best chance first.

use std::sync::Arc;

use crate::model::chances::{BUCKETS, Chances, FRESH, UNCERTIFIED, bucket};
use crate::runs::Runs;

/// The kept units, and the stale ones among them by bucket. Rebuilt after a removal only.
#[derive(Clone, Debug, Default)]
struct Table {
    /// Positions of the kept units, ascending.
    positions: Vec<u32>,
    /// Distance to the nearest removal before the unit that is newer than its certificate.
    before: Vec<u32>,
    /// The gaps after the unit.
    after: Vec<u32>,
    /// Indices of the stale units, ascending, per bucket.
    queues: [Vec<u32>; BUCKETS],
}

impl Table {
    fn fill_queues(&mut self) {
        for queue in &mut self.queues {
            queue.clear();
        }
        for (index, (&before, &after)) in (0..).zip(self.before.iter().zip(&self.after)) {
            if let Some(bucket) = bucket(before, after) {
                self.queues[bucket].push(index);
            }
        }
    }
}

/// The unit to ask next.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Pick {
    /// Its position.
    pub(crate) position: usize,
    /// Its bucket.
    pub(crate) bucket: usize,
    /// The chance that it may go.
    pub(crate) chance: f64,
}

/// The state of the verification of one list. Cheap to clone until a removal is assumed.
#[derive(Clone, Debug)]
pub(crate) struct Verification {
    table: Arc<Table>,
    /// Units at the front of each queue that were asked since the table was built.
    heads: [u32; BUCKETS],
    chances: Chances,
    theta: f64,
    empty_known_uninteresting: bool,
}

impl Verification {
    /// After a sweep over `0..len` that removed `removed`: the certificate of a unit is older than
    /// every removal after it in sweep order, and newer than every one before it.
    pub(crate) fn after_sweep(
        len: usize,
        removed: &Runs,
        chances: Chances,
        theta: f64,
        empty_known_uninteresting: bool,
    ) -> Self {
        let positions: Vec<u32> = removed.gaps(len).map(index).collect();
        let mut after = vec![FRESH; positions.len()];
        let mut next = (index(len), FRESH);
        for (slot, &position) in after.iter_mut().zip(&positions).rev() {
            if next.0 > position + 1 {
                next.1 = 1;
            } else if next.1 != FRESH {
                next.1 += 1;
            }
            *slot = next.1;
            next.0 = position;
        }
        let before = vec![FRESH; positions.len()];
        Self::new(positions, before, after, chances, theta, empty_known_uninteresting)
    }

    /// Nothing is certified: every unit of `0..len` is asked.
    pub(crate) fn uncertified(len: usize, chances: Chances, theta: f64, empty_known_uninteresting: bool) -> Self {
        let positions: Vec<u32> = (0..len).map(index).collect();
        let unknown = vec![UNCERTIFIED; len];
        let before = unknown.clone();
        Self::new(positions, before, unknown, chances, theta, empty_known_uninteresting)
    }

    fn new(
        positions: Vec<u32>,
        before: Vec<u32>,
        after: Vec<u32>,
        chances: Chances,
        theta: f64,
        empty_known_uninteresting: bool,
    ) -> Self {
        let mut table = Table { positions, before, after, queues: Default::default() };
        table.fill_queues();
        Self { table: Arc::new(table), heads: [0; BUCKETS], chances, theta, empty_known_uninteresting }
    }

    /// Returns the stale unit with the best probability, the earliest in sweep order among equals; `None` if every
    /// certificate is fresh or the best probability is below theta.
    pub(crate) fn pick(&self) -> Option<Pick> {
        if self.empty_known_uninteresting && self.table.positions.len() == 1 {
            // Without its last unit the candidate is empty: that answer is known.
            return None;
        }
        let mut best: Option<Pick> = None;
        for bucket in 0..BUCKETS {
            let Some(&unit) = self.table.queues[bucket].get(self.heads[bucket] as usize) else {
                continue;
            };
            let pick = Pick {
                position: self.table.positions[unit as usize] as usize,
                bucket,
                chance: self.chances.mean(bucket),
            };
            let better = best.is_none_or(|best| {
                pick.chance > best.chance || (pick.chance == best.chance && pick.position < best.position)
            });
            if better {
                best = Some(pick);
            }
        }
        best.filter(|best| best.chance >= self.theta)
    }

    /// The picked unit stays. `teaches` is false for a timeout.
    pub(crate) fn keep(&mut self, pick: Pick, teaches: bool) {
        self.heads[pick.bucket] += 1;
        if teaches {
            self.chances.count(pick.bucket, false);
        }
    }

    /// The picked unit is removed: every other certificate is stale from now on.
    pub(crate) fn remove(&mut self, pick: Pick) {
        self.chances.count(pick.bucket, true);
        let table = Arc::make_mut(&mut self.table);
        for (queue, &head) in table.queues.iter().zip(&self.heads) {
            for &unit in &queue[..head as usize] {
                table.before[unit as usize] = FRESH;
                table.after[unit as usize] = FRESH;
            }
        }
        let gone =
            table.positions.binary_search(&index(pick.position)).expect("the picked unit is among the kept ones");
        table.positions.remove(gone);
        table.before.remove(gone);
        table.after.remove(gone);
        for (distance, after) in (1..).zip(table.after[..gone].iter_mut().rev()) {
            *after = distance.min(*after);
        }
        for (distance, before) in (1..).zip(table.before[gone..].iter_mut()) {
            *before = distance.min(*before);
        }
        table.fill_queues();
        self.heads = [0; BUCKETS];
    }

    /// How many units would be asked if all the answers were no and no chance changed.
    pub(crate) fn remaining(&self) -> usize {
        (0..BUCKETS)
            .filter(|&bucket| self.chances.mean(bucket) >= self.theta)
            .map(|bucket| self.table.queues[bucket].len() - self.heads[bucket] as usize)
            .sum()
    }
}

/// Positions are stored as 32 bits: a list of four thousand million siblings does not fit anyway.
fn index(position: usize) -> u32 {
    u32::try_from(position).expect("a list has fewer than 2^32 units")
}

#[cfg(test)]
mod tests {
    use super::{BUCKETS, Chances, Verification, bucket};
    use crate::runs::Runs;

    fn removed(positions: &[usize]) -> Runs {
        let mut runs = Runs::default();
        for &position in positions {
            runs.insert(position..position + 1);
        }
        runs
    }

    fn asked(mut verification: Verification) -> Vec<usize> {
        let mut asked = Vec::new();
        while let Some(pick) = verification.pick() {
            asked.push(pick.position);
            verification.keep(pick, true);
        }
        asked
    }

    #[test]
    fn distances_fall_into_the_buckets_of_the_design() {
        let class = |distance| bucket(distance, u32::MAX).expect("stale");
        let classes: Vec<usize> = [1, 2, 3, 4, 5, 8, 9, 16, 17, 64, 65, 9999].map(class).to_vec();
        assert_eq!(classes, [0, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]);
        assert_eq!(bucket(9, 2), Some(8), "the other side has its own buckets");
        assert_eq!(bucket(u32::MAX, u32::MAX), None);
    }

    #[test]
    fn units_before_the_last_removal_of_a_sweep_are_stale_and_the_nearest_is_asked_first() {
        let sweep = Verification::after_sweep(9, &removed(&[0, 1, 5]), Chances::default(), 0.0, false);
        let order = asked(sweep);
        assert_eq!(order.len(), 3);
        assert!(order.iter().all(|position| [2, 3, 4].contains(position)), "6, 7, 8 are fresh");
    }

    #[test]
    fn nothing_is_stale_when_all_removals_came_first() {
        let sweep = Verification::after_sweep(9, &removed(&[0, 1, 2, 3]), Chances::default(), 0.0, false);
        assert!(asked(sweep).is_empty());
    }

    #[test]
    fn a_removal_makes_all_other_units_stale_again() {
        let mut verification = Verification::uncertified(5, Chances::default(), 0.0, false);
        let first = verification.pick().expect("all are stale");
        assert_eq!((first.position, first.bucket), (0, BUCKETS - 1));
        verification.keep(first, true);
        let second = verification.pick().expect("four are stale");
        verification.remove(second);
        let mut left = asked(verification);
        left.sort_unstable();
        assert_eq!(left, [0, 2, 3, 4]);
    }

    #[test]
    fn theta_stops_where_the_chance_has_sunk() {
        let hopeless = Verification::after_sweep(200, &removed(&[199]), Chances::default(), 0.03, false);
        let count = asked(hopeless).len();
        assert!(count > 0 && count < 199, "{count}");
    }

    #[test]
    fn the_last_unit_of_all_is_not_asked_when_empty_is_known() {
        let verification = Verification::uncertified(1, Chances::default(), 0.0, true);
        assert_eq!(verification.pick(), None);
    }
}
