//! Whether the test accepts unreferenced definitions.

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
