//! The size of a text.

/// The size of a test case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Length in bytes.
    pub bytes: usize,
    /// Leaves of the syntax tree that are neither comments nor blank; words and single punctuation characters if there
    /// is no grammar.
    pub tokens: usize,
    /// Number of lines; a last line without a line feed counts.
    pub lines: usize,
}
