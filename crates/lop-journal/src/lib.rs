//! The memory of a reduction on disk: every outcome and every accepted step, right when it is known.
//!
//! ```text
//!   Remembering ── recall, record ──► Notes ──┬─► Journal   FILE.lop/journal: one reduction, to go on with it
//!   (executor)                                └─► Cache     --cache DIR: many reductions with the same test
//!   events ── accepted ────────────────────────► Journal
//! ```
//!
//! Records are written with one call each and never changed, so that a kill at any instant leaves at most the last one
//! torn. They are not forced onto the disk's surface: only a failure of power or of the system can take some of the
//! last ones, and then they are tested again.
//!
//! With one worker and the same input, test, options and version the candidates of a reduction come in the same order
//! every time. To go on is therefore to begin again and to answer from the journal what it knows; the next candidate
//! after that is the one that an uninterrupted run would have tried. With several workers the same holds as long as the
//! answers come in the order in which they came then, so that order is in the journal, too, with the runs that were
//! cancelled. Where it cannot be followed (with another number of workers), the journal is a cache.
//!
//! Internal to lop: no version of this crate promises anything.

mod cache;
mod delta;
mod error;
mod file;
mod key;
mod lock;
mod past;
mod record;
mod varint;

pub use cache::Cache;
pub use error::JournalError;
pub use file::{Journal, Notes};
pub use key::OwnKey;
pub use lock::{Before, Lock, NAME, journal_file};
pub use past::Past;
pub use record::{Header, Step, Text};
