//! Stores a reduction on disk: every outcome and every accepted step, as soon as it is known.
//!
//! ```text
//!   Remembering ── recall, record ──► Notes ──┬─► Journal   FILE.lop/journal: one reduction, to resume it
//!   (executor)                                └─► Cache     --cache DIR: many reductions with the same test
//!   events ── accepted ────────────────────────► Journal
//! ```
//!
//! Each record is written with one call and never changed, so a kill leaves at most the last one incomplete. lop
//! doesn't wait until the disk has stored them: a power failure can lose the last ones, which are then tested again.
//!
//! With one worker and the same input, test, options and version, a reduction tries the same candidates in the same
//! order. So lop resumes by starting again and taking known outcomes from the journal; the next candidate is the one
//! that an uninterrupted run would have tried. With several workers this also needs the order of the answers, so the
//! journal contains that order, and the cancelled runs. If the order cannot be followed (with another number of
//! workers), the journal serves as a cache.
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
