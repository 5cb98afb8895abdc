//! What connects the crate lop-lab with texts, grammars and real tests: files and documents of a language as problems on
//! which algorithms are compared. Only there with the feature `lab`.

mod file;
mod generate;
mod text;

pub use file::{FileError, FileProblem, StartWorkers, compare_file};
pub use generate::{GenerateError, Generator};
pub use text::Granularity;
