//! Whether the test accepts unreferenced definitions.

/// The knowledge about unreferenced definitions of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// Nothing.
    Unknown,
    /// The test accepts them: an interesting text had one.
    Tolerated,
    /// The test rejects them, so other passes remove them along with their edits.
    Refused,
}
