//! The guarantee at the end. Its questions follow from the level that the guarantee is about, so the driver itself says
//! what is tried; here is what the pass says of itself.

use super::pass::{Facts, Pass, Proposals, Stage, View};

/// Everything that is left.
pub struct Minimality;

impl Pass for Minimality {
    fn facts(&self) -> Facts {
        Facts::new("minimality", Stage::Guarantee, "all that is left, one by one").led()
    }

    fn propose(&self, _: &View<'_>) -> Proposals {
        Proposals::default()
    }
}
