//! The style of a result: the measure of its size, and its format.

/// The format of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Unchanged.
    None,
    /// Without unnecessary whitespace.
    Compact,
    /// One statement per line, indented; compact in a language without lines.
    #[default]
    Pretty,
}

/// The measure of size by which edits are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefer {
    /// Few tokens, then few bytes.
    #[default]
    Tokens,
    /// Few bytes, then few tokens.
    Bytes,
    /// Few lines, then few tokens.
    Lines,
}

/// The style of the result.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// The measure of its size.
    pub prefer: Prefer,
    /// Its format.
    pub format: Format,
    /// Whether a text with lines ends with a newline.
    pub ends_line: bool,
}
