//! The lab of lop: published algorithms for test-case reduction, problems for them, the judge that counts their tests,
//! lower bounds, and the figures as tables and pictures.
//!
//! ```
//! use lop_lab::compare::{Direction, Plan, Problem, compare};
//!
//! let plan = Plan {
//!     problems: Problem::named("markov:0.9/0.95").expect("a source"),
//!     sizes: vec![100],
//!     algorithms: vec!["entropy".to_owned(), "ddmin".to_owned()],
//!     workers: vec![1],
//!     trials: 5,
//!     seed: 0,
//!     direction: Direction::Usual,
//!     threads: 2,
//! };
//! let cells = compare(&plan, &|_, _| {}).expect("both are known");
//! let tests = |row: usize| cells[0].rows[row].tests.mean;
//! assert!(tests(0) < tests(1), "lop's own takes fewer than ddmin");
//! ```
//!
//! [`algorithms`] has the algorithms over one sequence, each as its source describes it; [`mod@reduce`] those on trees;
//! [`simulate`] sources of sequences and the optimum on them; [`compare`] compares algorithms, and [`files`] does so on
//! files with real tests and on generated documents; [`trees`] has a parser's own productions. The lab only uses public
//! functions of the engine and of lop. The program `lop-lab` is the command line of all this.

pub mod algorithm;
pub mod algorithms;
pub mod compare;
pub mod files;
pub mod reduce;
pub mod simulate;
pub mod tables;
pub mod trees;
