//! Which files can set an option. The option's definition includes it, as `add` of its `arg`.

use clap::builder::ArgExt;

/// Where an option may be set besides on the command line. Without a word about it: in the user's own file only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetBy {
    /// In the file of a project, too. The option changes a reduction, but neither runs, loads nor writes anything, nor
    /// gives a test more than it would have: a user who calls lop in a stranger's repository has asked for none of it. A
    /// path must be in the project.
    Project,
    /// In no file, and why: it belongs to one run.
    CommandLine(&'static str),
}

impl ArgExt for SetBy {}
