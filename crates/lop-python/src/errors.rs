//! lop's errors as Python's exceptions.

use lop::{Error as LopError, ReduceError};
use pyo3::PyErr;

pyo3::import_exception!(lop._types, Error);
pyo3::import_exception!(lop._types, NotInteresting);

/// Returns the exception for an error.
pub(crate) fn raised(error: &LopError) -> PyErr {
    let message = error.to_string();
    match error {
        LopError::Pair(_) | LopError::Reduce(ReduceError::NotInteresting { .. } | ReduceError::TooRare { .. }) => {
            NotInteresting::new_err(message)
        }
        _ => Error::new_err(message),
    }
}
