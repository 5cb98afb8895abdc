//! Comparing algorithms: the same problems for all of them, the tests of each one, and the minimum.
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
//! many there are. Other problems bring their own [`Subject`]s.

mod book;
mod csv;
mod entrant;
mod judge;
mod measure;
mod plot;
mod problem;
mod results;
mod subject;
mod zeller;

pub use csv::csv;
pub(crate) use entrant::{DD, answer};
pub use entrant::{Direction, Entrant, Measured, UnknownAlgorithm, algorithms, choose, usual_algorithms};
pub use measure::{Plan, bound, compare};
pub use plot::plot;
pub use problem::{NAMES, Problem, ProblemError, Source};
pub use results::{Bound, BoundSource, Cell, Mean, Optimum, Overall, Ratio, Row, Spread, overall};
pub use subject::{Instance, List, Subject};
