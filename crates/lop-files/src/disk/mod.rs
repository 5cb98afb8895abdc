//! Files where others may have put theirs: what lop writes beside a user's file, and what it finds there.
//!
//! A repository or an archive can hold links under any name, other users can put files where a folder is shared, and a
//! name that was looked at can mean something else a moment later. So there is one place that opens and makes such files:
//!
//! ```text
//!   Folder ── temporary ──► Temporary ── put ──► a whole file under its name    what is there is replaced, not written to
//!     │  └─── open ───────► a regular file of the user's with no other name     never through a link, never a pipe
//!     └────── create ─────► what a user named: made anew, or emptied
//!   ReadAccess                the readers of what is made: only users who may read the test case
//! ```
//!
//! A folder is a handle: what is looked at and what is opened are the same thing.

mod distrust;
mod file;
mod folder;
mod read_access;
mod stamp;

pub use distrust::{Distrust, Distrusted};
pub use file::{create, create_new, is_open_file, open_special, read};
pub use folder::{Folder, Temporary, TemporaryFolder};
pub use read_access::ReadAccess;
pub use stamp::Stamp;
