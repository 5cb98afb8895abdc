//! Whether definitions that nothing refers to may be in a text.

/// The knowledge about definitions of a kind that nothing refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// Nothing.
    Unknown,
    /// An interesting text had one.
    Tolerated,
    /// The test refuses them: other passes take them along.
    Refused,
}
