//! Errors in conditions.

use super::signal::SignalError;

/// A condition that cannot be understood.
#[derive(Debug, Clone, PartialEq, thiserror::Error, miette::Diagnostic)]
pub enum ConditionError {
    /// A regular expression is invalid; the source has the position.
    #[diagnostic(help("escape special characters with a backslash: \\( or \\["))]
    #[error("the pattern '{pattern}' of {option} is not a regular expression")]
    Regex {
        /// The option it was given to.
        option: &'static str,
        /// The pattern as it was given.
        pattern: String,
        /// The error in it, with a mark below the place.
        source: regex::Error,
    },
    /// A signal that does not exist.
    #[error("cannot use the signal given to --signal")]
    Signal {
        /// The error in it.
        #[from]
        source: SignalError,
    },
}
