//! The user's formatter.

use std::fmt;
use std::sync::Arc;

use lop_run::oracle::Cancel;

type Write = dyn Fn(&[u8], &Cancel) -> Result<Vec<u8>, String> + Send + Sync;

/// Writes a whole result anew, or says why it does not. It is called once, at the end of a complete reduction; its text
/// takes the place of the result if that is interesting, whatever its size.
#[derive(Clone)]
pub struct Formatter(Arc<Write>);

impl Formatter {
    /// A formatter that is this function. It should give up when the reduction is cancelled.
    pub fn new(write: impl Fn(&[u8], &Cancel) -> Result<Vec<u8>, String> + Send + Sync + 'static) -> Self {
        Formatter(Arc::new(write))
    }

    /// The text, written anew.
    ///
    /// # Errors
    /// The reason why there is none, as the end of a sentence about the formatter.
    pub fn write(&self, text: &[u8], cancel: &Cancel) -> Result<Vec<u8>, String> {
        (self.0)(text, cancel)
    }
}

impl fmt::Debug for Formatter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Formatter")
    }
}
