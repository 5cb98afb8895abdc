//! Errors that prevent a reduction or end it.

use std::fmt;

use miette::Diagnostic;

use lop_engine::ConfigError;
use lop_run::oracle::Outcome;

use super::syntax::Syntax;

/// Why an input cannot stay as valid or as invalid as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntaxCause {
    /// Without a grammar lop cannot tell valid text.
    #[error("it is text without a grammar; name its language with --grammar")]
    NoGrammar,
    /// It would be cut down by lines before it has a tree.
    #[error("it is too large for a syntax tree")]
    TooLarge,
    /// It has no tree.
    #[error("{0}")]
    Unparsed(String),
    /// It is the other way round: it has this number of syntax errors.
    #[error("{}", match .0 { 0 => "it has no syntax error".to_owned(), 1 => "it has 1 syntax error".to_owned(), n => format!("it has {n} syntax errors") })]
    Otherwise(usize),
}

/// An error of [`reduce_with`](super::reduce_with).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReduceError {
    /// A parameter of the engine is out of range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Two passes have the same name.
    #[error("there is more than one pass of the name {0}; give yours another")]
    PassName(&'static str),
    /// No pass has this name that was chosen or left out.
    #[error("there is no pass {0}; `lop passes` lists those that there are")]
    NoPass(&'static str),
    /// Every candidate must have this kind of syntax, and the input doesn't, or it cannot be determined.
    #[error("the input cannot stay {}: {cause}", wanted.name())]
    Syntax {
        /// The syntax that was asked for.
        wanted: Syntax,
        /// Why not.
        cause: SyntaxCause,
    },
    /// The input does not pass its own test.
    #[error("the input is not interesting")]
    NotInteresting {
        /// The outcome of the test on the input.
        outcome: Box<Outcome>,
    },
    /// The test gave different answers on the same input.
    #[error("the test is flaky: of {runs} runs on the unchanged input {interesting} were interesting")]
    Flaky {
        /// Number of interesting runs.
        interesting: u32,
        /// All runs.
        runs: u32,
        /// The last outcome that was not interesting.
        outcome: Box<Outcome>,
    },
    /// The input shows the bug less often than [`RateGoal::AtLeast`](super::RateGoal::AtLeast) asks for.
    #[error("the input shows the bug in only {interesting} of {runs} runs")]
    TooRare {
        /// Number of interesting runs.
        interesting: u32,
        /// All runs.
        runs: u32,
    },
    /// The outcomes on the unchanged input alternated: they depend on the number of runs, and not on the candidate.
    #[error("the test alternates: every second of {runs} runs on the unchanged input was interesting")]
    InTurns {
        /// All runs.
        runs: u32,
        /// The last outcome that was not interesting.
        outcome: Box<Outcome>,
    },
    /// The test accepts the empty file, so there is nothing to look for.
    #[error("the test accepts the empty file")]
    EmptyIsInteresting,
    /// The test could not be run.
    #[error("the test could not be run: {message}")]
    Unresolved {
        /// The reason.
        message: String,
        /// The best result so far, if the reduction had begun.
        best: Option<Vec<u8>>,
    },
    /// A consumer of events failed, for example because the disk is full.
    #[error("the result could not be kept")]
    Sink {
        /// The error of the consumer.
        #[source]
        source: std::io::Error,
        /// The best result so far.
        best: Vec<u8>,
    },
    /// Cancelled before the input had been judged.
    #[error("cancelled before the first test of the input ended")]
    Cancelled,
    /// [`Options::max_time`](super::Options::max_time) was over before the input had been judged.
    #[error("the time limit was over before the first test of the input ended")]
    OutOfTime,
    /// [`Options::max_tests`](super::Options::max_tests) were spent before the input had been judged.
    #[error("the limit of tests was reached before the first test of the input ended")]
    OutOfTests,
}

impl Diagnostic for ReduceError {
    fn code(&self) -> Option<Box<dyn fmt::Display + '_>> {
        Some(Box::new(match self {
            ReduceError::NotInteresting { .. } | ReduceError::TooRare { .. } => "not_interesting",
            ReduceError::Flaky { .. } | ReduceError::InTurns { .. } => "flaky",
            ReduceError::Cancelled | ReduceError::OutOfTime | ReduceError::OutOfTests => "stopped_early",
            ReduceError::Sink { .. } | ReduceError::Unresolved { best: Some(_), .. } => "failed",
            _ => return None,
        }))
    }
}
