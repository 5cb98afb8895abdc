//! Comparing algorithms: the same problems for all of them, what each one asked, and what would have
//! been enough.
//!
//! ```text
//!   problem, size ─► instance: lists of units, each with its test   (drawn with the trial's seed)
//!                        │
//!   entrants  ───────────┼─► counting judge ─► tests, rounds, what is left
//!                        ▼
//!                 cell: means over the trials, lower bound, optimum ─► table, CSV, plot
//! ```
//!
//! Simulated problems are run on several threads, a trial at a time; the figures do not depend on how
//! many there are. A file with a real test is run one algorithm after the other.

mod csv;
mod entrant;
mod file;
mod generate;
mod judge;
mod measure;
mod plot;
mod problem;
mod results;
mod subject;
mod text;
mod zeller;

pub use csv::csv;
pub use entrant::{Direction, UnknownAlgorithm, algorithms, tree_algorithms, usual_algorithms};
pub use file::{FileError, FileProblem, StartWorkers, compare_file};
pub use generate::{GenerateError, Generator};
pub use measure::{Plan, compare};
pub use plot::plot;
pub use problem::{NAMES, Problem, ProblemError};
pub use results::{Bound, BoundSource, Cell, Mean, Optimum, Overall, Ratio, Row, overall};
pub use text::Granularity;
