//! Checks that there are enough file descriptors for a run. Otherwise it would fail in the middle, with a message about
//! an unrelated file.

use std::fs::File;
use std::path::Path;

use rustix::io::Errno;

use super::failure::Failure;

/// Number of files that a run with one test at a time opens, in addition to those that are open already.
const NEEDED: usize = 20;
/// A file that can always be opened.
const NULL: &str = "/dev/null";

/// Opens this number of files, and closes them.
///
/// # Errors
/// When fewer can be open at the same time.
pub(super) fn check() -> Result<(), Failure> {
    let open = || {
        let null = File::open(Path::new(NULL))?;
        (1..NEEDED).map(|_| null.try_clone()).collect::<std::io::Result<Vec<_>>>()
    };
    match open() {
        Err(error) if matches!(Errno::from_io_error(&error), Some(Errno::MFILE | Errno::NFILE)) => {
            Err(Failure::Usage {
                message: format!("too few files can be open at the same time: lop needs {NEEDED} more"),
                hint: "raise the limit before lop is called: ulimit -n 256".to_owned(),
            })
        }
        // Other errors are not about the limit of open files.
        _ => Ok(()),
    }
}
