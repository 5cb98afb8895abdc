//! Candidates on their way to Python.

use std::collections::BTreeMap;
use std::ffi::OsString;

use pyo3::prelude::*;

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
