//! The style of a result: the measure of its size, and its format.

/// How a result is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// As other passes leave it.
    None,
    /// Without any blank or line break that is not needed.
    Compact,
    /// A statement a line, indented; compact in a language that is not written in lines.
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
    /// How it is written.
    pub format: Format,
    /// Whether a text in lines ends with a line break.
    pub ends_line: bool,
}
