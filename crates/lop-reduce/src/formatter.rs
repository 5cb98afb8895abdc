//! The user's formatter.

use std::fmt;
use std::sync::Arc;

use lop_run::oracle::Cancel;

type Format = dyn Fn(&[u8], &Cancel) -> Result<Vec<u8>, FormatterError> + Send + Sync;

/// Why a formatter gave no text, as the end of a sentence about it.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct FormatterError(#[from] pub Box<dyn std::error::Error + Send + Sync>);

/// Formats a complete result. lop uses the formatted text if it is interesting, whatever its size.
#[derive(Clone)]
pub struct Formatter(Arc<Format>);

impl Formatter {
    /// Makes a formatter of a function, which should return soon after the reduction is cancelled.
    pub fn new(write: impl Fn(&[u8], &Cancel) -> Result<Vec<u8>, FormatterError> + Send + Sync + 'static) -> Self {
        Formatter(Arc::new(write))
    }

    /// Formats a text.
    ///
    /// # Errors
    /// [`FormatterError`] if the function gives no text.
    pub fn write(&self, text: &[u8], cancel: &Cancel) -> Result<Vec<u8>, FormatterError> {
        (self.0)(text, cancel)
    }
}

impl fmt::Debug for Formatter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Formatter")
    }
}
