//! The constants of a search: the number of units, their sizes, and the caller's choices.

use crate::config::{Config, Lanes};
use crate::model::exposure::Exposure;

/// The setting of one search.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) len: usize,
    pub(crate) theta: Option<f64>,
    pub(crate) empty_known_uninteresting: bool,
    pub(crate) lanes: Lanes,
    /// The exposures of the units by their sizes, as far as these differ.
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
