//! What does not change during a search: the number of units, their sizes, and what the caller asked for.

use std::ops::Range;
use std::sync::Arc;

use crate::config::{Config, Direction, Lanes, Objective};
use crate::model::exposure::Exposure;

/// The setting of one search.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) len: usize,
    pub(crate) theta: Option<f64>,
    pub(crate) empty_known_uninteresting: bool,
    pub(crate) direction: Direction,
    pub(crate) objective: Objective,
    pub(crate) lanes: Lanes,
    /// Sizes of the units before each position, and of all.
    pub(crate) sizes_before: Option<Arc<[u64]>>,
    /// What the sizes say about what is needed, as far as they differ.
    pub(crate) exposure: Exposure,
}

impl Setting {
    pub(crate) fn new(len: usize, config: &Config, sizes: Option<&[u32]>) -> Self {
        let sizes_before = sizes.map(|sizes| {
            let mut sum = 0;
            std::iter::once(0)
                .chain(sizes.iter().map(|&size| {
                    sum += u64::from(size);
                    sum
                }))
                .collect()
        });
        Self {
            len,
            theta: config.theta,
            empty_known_uninteresting: config.empty_known_uninteresting,
            direction: config.direction,
            objective: config.objective,
            lanes: config.lanes,
            sizes_before,
            exposure: sizes.map_or_else(Exposure::default, Exposure::new),
        }
    }

    /// The size of the units in a range.
    pub(crate) fn size(&self, units: Range<usize>) -> f64 {
        match &self.sizes_before {
            Some(before) => (before[units.end] - before[units.start]) as f64,
            None => units.len() as f64,
        }
    }
}
