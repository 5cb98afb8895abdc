//! Candidates and events on their way to Python.

use std::collections::BTreeMap;
use std::ffi::OsString;

use pyo3::prelude::*;

/// Bytes, tokens and lines.
pub(crate) type Sizes = (usize, usize, usize);

/// A text becomes `bytes`, and files become a `dict`.
#[derive(IntoPyObject)]
pub(crate) enum Candidate {
    Text(Vec<u8>),
    Files(BTreeMap<OsString, Vec<u8>>),
}

impl Candidate {
    pub(crate) fn of_files(files: lop::Files) -> Self {
        Candidate::Files(files.into_iter().map(|(path, content)| (path.into_os_string(), content)).collect())
    }
}

/// An event on its way to Python, as the arguments of `on_event`.
pub(crate) struct Told {
    pub(crate) kind: &'static str,
    pub(crate) size: Sizes,
    pub(crate) tests: u64,
    pub(crate) best: Option<Candidate>,
    pub(crate) message: Option<String>,
}
