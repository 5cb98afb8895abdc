//! Texts, grammars and real tests as problems: files and documents of a language on which algorithms are compared.

mod documents;
mod file;
mod generate;
mod text;

pub use documents::{Documents, compare_documents};
pub use file::{FileError, FileProblem, StartWorkers, compare_file, compare_pair, reduce_file};
pub use generate::{GenerateError, Generator};
pub use text::{Granularity, JudgeTexts};
