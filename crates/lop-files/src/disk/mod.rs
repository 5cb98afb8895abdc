//! Files in directories that other users can write to: the files that lop writes next to the user's, and those that it
//! finds there.
//!
//! A repository or an archive can contain links under any name, other users can put files into a shared directory, and
//! a name can mean another file a moment after a check. So only this module opens and creates such files:
//!
//! ```text
//!   Folder ── temporary ──► Temporary ── persist ──► a complete file     it replaces the old one, and never writes into it
//!     │  └─── open ───────► a regular file of the user's with one name         never through a link, never a pipe
//!     └────── create ─────► a file that the user named, created or emptied
//!   ReadAccess                who may read the new files: only users who may read the test case
//! ```
//!
//! A directory is a handle, so the file that was checked is the file that is opened.

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
