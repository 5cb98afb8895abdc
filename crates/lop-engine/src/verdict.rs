//! The answer of an interestingness test about a candidate.

/// The answer of the interestingness test about a candidate. An unresolved run has no verdict and is not
/// reported here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Verdict {
    /// The candidate still shows the behaviour that the user wants: it may be kept.
    Interesting,
    /// It does not.
    NotInteresting,
    /// It is no valid input; the search takes that as *not interesting*.
    Invalid,
    /// The deadline passed; *not interesting* for the search, and nothing for the model.
    Timeout,
}

impl From<bool> for Verdict {
    /// Whether it is interesting.
    fn from(interesting: bool) -> Self {
        if interesting { Self::Interesting } else { Self::NotInteresting }
    }
}
