//! Whether definitions that nothing refers to may be in a text.

/// What is known of definitions of a kind that nothing refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// Nothing.
    Unknown,
    /// An interesting text had one.
    Tolerated,
    /// The test refuses them: other passes take them along.
    Refused,
}
