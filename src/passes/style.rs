//! What a result is to be like: what there is to be little of in it, and how it is written.

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

/// What small means where edits have to be compared.
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

/// What the result is to be like.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// What there is to be little of.
    pub prefer: Prefer,
    /// How it is written.
    pub format: Format,
    /// Whether a text in lines ends with a line break.
    pub ends_line: bool,
}
