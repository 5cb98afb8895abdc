//! The Python module `lop._native`. `python/lop` is the interface for users and the only caller.

mod bridge;
mod errors;
mod options;
mod outgoing;
mod report;

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use bridge::Bridge;
use errors::raised;
use options::Options;
use outgoing::Candidate;
use report::{Halves, Report, Seen};

/// Reduces a text.
#[pyfunction]
fn reduce(
    py: Python<'_>,
    data: PyBackedBytes,
    test: Py<PyAny>,
    on_event: Option<Py<PyAny>>,
    options: Options,
) -> PyResult<Report> {
    let bridge = Bridge::new(test, on_event);
    let mut seen = Seen::default();
    let result = bridge.run(py, options.jobs, |worker| {
        let config = options.config(&bridge.cancel).on_event(|event| seen.event(event, worker));
        lop::reduce(&data, |text: &[u8]| worker.ask(Candidate::Text(text.to_vec())), &config)
    })?;
    let failure = bridge.failure();
    match result {
        Ok(report) => {
            let best = Candidate::Text(report.best.clone());
            Ok(Report::new(&report, best, options.max_time, seen.language, failure))
        }
        Err(error) => Err(failure.unwrap_or_else(|| raised(&error))),
    }
}

/// Reduces several files together.
#[pyfunction]
fn reduce_files(
    py: Python<'_>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    test: Py<PyAny>,
    on_event: Option<Py<PyAny>>,
    options: Options,
) -> PyResult<Report> {
    let bridge = Bridge::new(test, on_event);
    let mut seen = Seen::default();
    let result = bridge.run(py, options.jobs, |worker| {
        let config = options.config(&bridge.cancel).on_event(|event| seen.event(event, worker));
        lop::reduce_tree(&files, |files: &lop::Files| worker.ask(Candidate::of_files(files.clone())), &config)
    })?;
    let failure = bridge.failure();
    match result {
        Ok(found) => {
            let best = Candidate::of_files(found.files);
            Ok(Report::new(&found.report, best, options.max_time, seen.language, failure))
        }
        Err(error) => Err(failure.unwrap_or_else(|| raised(&error))),
    }
}

/// Isolates the difference between a text that passes and one that fails.
#[pyfunction]
fn isolate(
    py: Python<'_>,
    passing: PyBackedBytes,
    failing: PyBackedBytes,
    test: Py<PyAny>,
    options: Options,
) -> PyResult<Halves> {
    let bridge = Bridge::new(test, None);
    let found = bridge.run(py, 1, |worker| {
        let config = options.config(&bridge.cancel);
        lop::isolate(&passing, &failing, |text: &[u8]| worker.ask(Candidate::Text(text.to_vec())), &config)
    })?;
    let failure = bridge.failure();
    match found {
        Ok(found) => Ok(Halves::new(found, options.max_tests, failure)),
        Err(error) => Err(failure.unwrap_or_else(|| raised(&error))),
    }
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // The parsers of this library are its own: no other code in the process uses its copy of tree-sitter.
    lop::install_allocator();
    module.add_function(wrap_pyfunction!(reduce, module)?)?;
    module.add_function(wrap_pyfunction!(reduce_files, module)?)?;
    module.add_function(wrap_pyfunction!(isolate, module)?)
}
