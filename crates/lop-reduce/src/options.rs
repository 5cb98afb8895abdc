//! The options of a reduction.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use lop_engine::Config;
use lop_passes::{Format, Prefer};
use lop_run::oracle::Proposer;

use super::control::Control;
use super::formatter::Formatter;
use super::keep::Keep;
use super::passes::Passes;
use super::project::Project;
use super::syntax::Syntax;

/// Maximum number of bytes to parse: a larger input is first cut down by lines.
pub const MAX_PARSE: usize = 16 << 20;

/// The order of the tree's sibling sequences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// By expected tokens removed per test.
    #[default]
    Gain,
    /// Level by level from the root: plain hierarchical delta debugging (Misherghi & Su, ICSE 2006).
    Levels,
}

/// The effort for a small result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Deletion, local edits and tokens once (lines, words and characters in text), without a guarantee.
    Fast,
    /// Every pass until none finds anything, then the guarantee.
    #[default]
    Usual,
    /// Repeats everything with an empty memory until a whole round changes nothing.
    Thorough,
}

/// The units of the guarantee: the test refuses the result without any single one of them. Deletions that add syntax
/// errors count as refused unless those are allowed, except in languages with dialects when fewer than 50 tokens are
/// left. In text without a grammar units and tokens are characters; beyond a million, neighbours count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Minimal {
    /// No guarantee: passes stop when they are unlikely to remove more.
    None,
    /// Units of the tree.
    Unit,
    /// Tokens.
    Token,
    /// Characters.
    Char,
}

impl Minimal {
    /// The name on the command line and in the summary.
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

/// How often a result must show the bug, of a test that shows it only sometimes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateGoal {
    /// At least as often as the input.
    OfInput,
    /// At least in this share of the runs, between 0 and 1; another number counts as the nearest.
    AtLeast(f64),
    /// At least as often as the input. When a result turns out to show it more often, those after it must, too.
    More,
}

/// The options of a reduction. The defaults are those of the program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The passes to run.
    pub passes: Passes,
    /// The format of the result.
    pub format: Format,
    /// The formatter for the complete result, if there is one.
    pub formatter: Option<Formatter>,
    /// The commands that propose candidates. They work on a single text only, not on several files.
    pub proposers: Vec<Arc<Mutex<Proposer>>>,
    /// Whether the input is the choices of a generator, as bytes. A result is better if it is shorter or, at the same
    /// length, comes first in lexicographic order. It has no grammar.
    pub choices: bool,
    /// Whether parts that could as well be others become the first of their kind at the end, so that results can be
    /// compared.
    pub canonical: bool,
    /// The order of the sibling sequences.
    pub schedule: Schedule,
    /// The seed that shuffles each sibling sequence. 0 keeps the direction from the grammar.
    pub seed: u64,
    /// The guarantee at the end. `None` means tokens with a grammar, characters without.
    pub minimal: Option<Minimal>,
    /// Maximum number of tests of removing two parts at once, after the guarantee.
    pub minimal_pairs: u64,
    /// The engine's parameters for all lists. The reduction itself sets `direction` (see `seed`) and
    /// `empty_known_uninteresting`. `theta` applies to the passes; the guarantee at the end doesn't depend on it. With
    /// `theta` = `None` and [`Minimal::None`], lists are swept and nothing is tested again.
    pub engine: Config,
    /// The effort for a small result.
    pub effort: Effort,
    /// The measure of a result's size.
    pub prefer: Prefer,
    /// The syntax that every candidate must have. `None` only rejects new syntax errors.
    pub syntax: Option<Syntax>,
    /// Parts of the input that no pass changes.
    pub keep: Keep,
    /// The files in the input, if it is an archive. The grammar of the whole is `None` then.
    pub project: Option<Project>,
    /// Accept candidates with more syntax errors than the best result.
    pub allow_syntax_errors: bool,
    /// Continue although the empty file is interesting.
    pub allow_empty: bool,
    /// How often the result must show the bug, if the test shows it only sometimes. `None` takes the test for a
    /// deterministic one, and refuses an input for which its outcomes differ.
    pub flaky: Option<RateGoal>,
    /// Number of runs that must agree before lop accepts a candidate; with `flaky`, the number of runs that must show the
    /// bug. `None` believes the test until it contradicts itself, and then repeats it as often as necessary.
    pub confirm: Option<u32>,
    /// Time limit of a test. `None` derives it from the slowest accepted run.
    pub deadline: Option<Duration>,
    /// Maximum number of bytes to parse, if it isn't [`MAX_PARSE`]. A larger input is first cut down by lines.
    pub max_parse: Option<usize>,
    /// Maximum number of tests. The baseline's tests count, but always run.
    pub max_tests: Option<u64>,
    /// The least probability that a test will be needed for idle workers to run it early; with 1 they never do. `None` is
    /// 0.35, or 2.4 divided by the number of workers if that is less.
    pub least_chance: Option<f64>,
    /// Time limit of the reduction, without pauses. The reduction's [`Cancel`](lop_run::oracle::Cancel) expires then,
    /// so an executor with the same `Cancel` stops a running test.
    pub max_time: Option<Duration>,
    /// Pauses the running reduction and skips passes.
    pub control: Control,
}

impl Options {
    /// Returns the maximum number of bytes to parse.
    #[must_use]
    pub fn max_parse(&self) -> usize {
        self.max_parse.unwrap_or(MAX_PARSE)
    }
}
