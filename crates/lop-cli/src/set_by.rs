//! Which files can set an option. The option's definition includes it, as `add` of its `arg`.

use clap::builder::ArgExt;

/// Where an option may be set besides on the command line. Without a word about it: in the user's own file only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetBy {
    /// A project's file can set it, too. The option changes a reduction, but runs, loads and writes nothing, and gives
    /// a test no further access: a user who calls lop in a stranger's repository has asked for none of that. A path
    /// must be inside the project.
    Project,
    /// In no file, and why: it belongs to one run.
    CommandLine(&'static str),
}

impl ArgExt for SetBy {}
