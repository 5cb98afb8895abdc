//! The syntax that a user asks for.

/// The syntax that every candidate must have. The grammar's parser decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Valid: no syntax error.
    Valid,
    /// Invalid: at least one syntax error.
    Invalid,
}

impl Syntax {
    /// Whether a text with this number of ERROR and MISSING nodes qualifies.
    #[must_use]
    pub fn holds(self, errors: usize) -> bool {
        (errors == 0) == (self == Syntax::Valid)
    }

    /// The name of the syntax.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Syntax::Valid => "valid",
            Syntax::Invalid => "invalid",
        }
    }
}
