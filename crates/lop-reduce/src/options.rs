//! The options of a reduction.

use std::time::Duration;

use lop_engine::Config;
use lop_passes::{Format, Prefer};

use super::control::Control;
use super::formatter::Formatter;
use super::keep::Keep;
use super::passes::Passes;
use super::project::Project;

/// Inputs above this many bytes are cut down by lines before they are parsed.
pub const MAX_PARSE: usize = 16 << 20;

/// How the sibling sequences of the tree are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// By expected tokens removed per test.
    #[default]
    Gain,
    /// Strictly level by level from the root: plain hierarchical delta debugging
    /// (Misherghi & Su, ICSE 2006).
    Levels,
}

/// The syntax that every candidate must have, for any verdict. The grammar's parser decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Without any error.
    Valid,
    /// With an error at least.
    Invalid,
}

impl Syntax {
    /// Whether a text with this number of ERROR and MISSING nodes is like that.
    #[must_use]
    pub fn holds(self, errors: usize) -> bool {
        (errors == 0) == (self == Syntax::Valid)
    }

    /// The syntax, in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Syntax::Valid => "valid",
            Syntax::Invalid => "invalid",
        }
    }
}

/// How much is done for a small result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Deletion, local edits and tokens once (lines, words and characters in text); nothing is
    /// guaranteed.
    Fast,
    /// Every pass while one of them finds something, then what is guaranteed.
    #[default]
    Usual,
    /// The same from the beginning, with everything forgotten that was refused, until a whole round
    /// changes nothing.
    Thorough,
}

/// The parts that the guarantee is about: the test refuses the result without any single one of these. Deletions that add
/// syntax errors (where those are not allowed) count as refused, except in languages with dialects when fewer than 50 tokens are left. In text without a grammar units and tokens are characters; beyond
/// a million of them neighbours count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Minimal {
    /// Nothing is guaranteed: passes stop when more is unlikely to go.
    None,
    /// Units of the tree.
    Unit,
    /// Tokens.
    Token,
    /// Characters.
    Char,
}

impl Minimal {
    /// The word used on the command line and in the summary.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Minimal::None => "none",
            Minimal::Unit => "unit",
            Minimal::Token => "token",
            Minimal::Char => "char",
        }
    }
}

/// Choices of a reduction. The default is what `lop` does without options.
#[derive(Clone, Debug)]
pub struct Options {
    /// The passes that have a turn. They shape only lop's own way over trees and text.
    pub passes: Passes,
    /// How the result is written.
    pub format: Format,
    /// The formatter that writes a complete result anew; `None` leaves it as it is.
    pub formatter: Option<Formatter>,
    /// Order of the sibling sequences.
    pub schedule: Schedule,
    /// Shuffles each sibling sequence, by 0 none of them: they go in the direction that the grammar says.
    pub seed: u64,
    /// Guarantee at the end; `None` means token with a grammar, char without.
    pub minimal: Option<Minimal>,
    /// The engine's parameters, the same for every list. Of them the reduction itself decides about
    /// `direction` (see `seed`) and `empty_known_uninteresting`; `theta` is that of the passes, and
    /// the guarantee at the end does not depend on it. With `theta` = `None` and [`Minimal::None`]
    /// lists are swept and nothing is asked again.
    pub engine: Config,
    /// How much is done for a small result.
    pub effort: Effort,
    /// The measure of a small result.
    pub prefer: Prefer,
    /// The syntax that every candidate must have; `None` asks for no more errors than before.
    pub syntax: Option<Syntax>,
    /// Parts of the input that are never touched.
    pub keep: Keep,
    /// The files that the input is made of, if it is the archive of several: the grammar of the whole is `None` then.
    pub project: Option<Project>,
    /// Accept candidates with more syntax errors than the best result.
    pub allow_syntax_errors: bool,
    /// Go on although the empty file is interesting.
    pub allow_empty: bool,
    /// Go on although the test answers differently on the same input.
    pub allow_flaky: bool,
    /// Runs that have to agree before a candidate is accepted. `None` believes the test until it contradicts
    /// itself, and then asks as often as its contradictions ask for.
    pub confirm: Option<u32>,
    /// Deadline of a test; `None` derives it from the slowest accepted run.
    pub deadline: Option<Duration>,
    /// Inputs above this many bytes are cut down by lines before they are parsed: [`MAX_PARSE`] unless memory is short.
    pub max_parse: usize,
    /// Stop after this many tests; the baseline's are counted, but always run.
    pub max_tests: Option<u64>,
    /// Tests that several workers may begin for each that is needed, so that they need not wait; `None` for as many as are
    /// likely enough to be needed.
    pub spend: Option<f64>,
    /// Stop after this much time; pauses do not count. The [`Cancel`](lop_run::oracle::Cancel) of the reduction expires
    /// then: an executor that heeds the same one stops a test that runs.
    pub max_time: Option<Duration>,
    /// Holds the reduction and leaves passes out while it is under way.
    pub control: Control,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            passes: Passes::default(),
            format: Format::default(),
            formatter: None,
            schedule: Schedule::default(),
            seed: 0,
            minimal: None,
            engine: Config::default(),
            effort: Effort::default(),
            prefer: Prefer::default(),
            syntax: None,
            keep: Keep::default(),
            project: None,
            allow_syntax_errors: false,
            allow_empty: false,
            allow_flaky: false,
            confirm: None,
            deadline: None,
            max_parse: MAX_PARSE,
            max_tests: None,
            spend: None,
            max_time: None,
            control: Control::default(),
        }
    }
}
