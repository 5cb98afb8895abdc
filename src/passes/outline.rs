//! The outline of a text that is too dense for a tree. What is proposed follows from what was cut so far and from memory,
//! so the driver itself says what is tried (`reduce/outline.rs`); here is what the pass says of itself.

use super::pass::{Facts, Pass, Proposals, Stage, View};

/// Large parts of a dense text, before a tree of it is made.
pub struct Outline;

impl Pass for Outline {
    fn facts(&self) -> Facts {
        Facts::new("outline", Stage::First, "halves to eighths of a large text whose tree would take too much memory")
            .led()
    }

    fn propose(&self, _: &View<'_>) -> Proposals {
        Proposals::default()
    }
}
