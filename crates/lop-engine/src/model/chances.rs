//! The probability that a kept unit has become removable since its refusal, by the distance of a later removal.

/// Upper ends of the buckets of distance, counted in kept units.
const BUCKET_ENDS: [u32; 6] = [1, 2, 4, 8, 16, 64];
/// Buckets on one side: one per upper end, and one for everything farther.
const SIDE: usize = BUCKET_ENDS.len() + 1;
/// Buckets on both sides, and one for units that have no certificate at all.
pub(crate) const BUCKETS: usize = 2 * SIDE + 1;
/// The prior of every bucket: one unit in ten became removable, worth five observations.
const PRIOR: (f64, f64) = (0.5, 4.5);
/// Distance of a unit whose certificate is newer than every removal.
pub(crate) const FRESH: u32 = u32::MAX;
/// Distance of a unit that was never asked on its own.
pub(crate) const UNCERTIFIED: u32 = u32::MAX - 1;

/// How often a stale unit turned out removable, per bucket of distance.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Chances {
    outcomes: [(f64, f64); BUCKETS],
}

impl Chances {
    /// The mean of Beta(0.5 + yes, 4.5 + no).
    pub(crate) fn mean(&self, bucket: usize) -> f64 {
        let (yes, no) = self.outcomes[bucket];
        (PRIOR.0 + yes) / (PRIOR.0 + PRIOR.1 + yes + no)
    }

    /// Counts one answer.
    pub(crate) fn count(&mut self, bucket: usize, removable: bool) {
        let (yes, no) = &mut self.outcomes[bucket];
        *if removable { yes } else { no } += 1.0;
    }

    /// Adds the counts of another one.
    pub(crate) fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.outcomes.iter_mut().zip(&other.outcomes) {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
    }
}

/// The bucket of a unit, `None` when its certificate is fresh.
pub(crate) fn bucket(before: u32, after: u32) -> Option<usize> {
    let nearest = before.min(after);
    match nearest {
        FRESH => None,
        UNCERTIFIED => Some(BUCKETS - 1),
        _ => {
            let class = BUCKET_ENDS.partition_point(|&end| end < nearest);
            Some(if before < after { class } else { SIDE + class })
        }
    }
}
