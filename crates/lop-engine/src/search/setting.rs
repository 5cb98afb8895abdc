//! What does not change during a search: the number of units, their sizes, and what the caller asked for.

use crate::config::{Config, Lanes};
use crate::model::exposure::Exposure;

/// The setting of one search.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) len: usize,
    pub(crate) theta: Option<f64>,
    pub(crate) empty_known_uninteresting: bool,
    pub(crate) lanes: Lanes,
    /// What the sizes say about what is needed, as far as they differ.
    pub(crate) exposure: Exposure,
}

impl Setting {
    pub(crate) fn new(len: usize, config: &Config, sizes: Option<&[u32]>) -> Self {
        Self {
            len,
            theta: config.theta,
            empty_known_uninteresting: config.empty_known_uninteresting,
            lanes: config.lanes,
            exposure: sizes.map_or_else(Exposure::default, Exposure::new),
        }
    }
}
