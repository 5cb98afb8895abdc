//! Responsible for taking from a process, and from all that it starts, the right to write anywhere but in some places, by
//! Landlock. The process can do that to itself without any privilege, and nobody can undo it.
//!
//! It is about the content of files and directories. Access rights, owners and times of a file can still be changed:
//! Landlock does not know them.

use std::io;
use std::path::PathBuf;

/// Lets the current thread, and what it becomes or starts, write to nothing but these places and what is below them.
/// Those that are not there are left out.
///
/// # Errors
/// When this system has no Landlock, or no more of it for this process.
#[cfg(target_os = "linux")]
pub(super) fn write_only_to(places: &[PathBuf]) -> io::Result<()> {
    use landlock::{
        ABI, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
        path_beneath_rules,
    };

    // Without the third version files could still be cut short by their names: then this is no guard. Of the rest as much
    // as the kernel knows; later versions are about other things than files.
    let writing = AccessFs::from_write(ABI::V5);
    let restricted = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(ABI::V3))
        .map(|ruleset| ruleset.set_compatibility(CompatLevel::BestEffort))
        .and_then(|ruleset| ruleset.handle_access(writing))
        .and_then(|ruleset| ruleset.create())
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(places, writing)))
        .and_then(|ruleset| ruleset.restrict_self())
        .map_err(io::Error::other)?;
    if restricted.ruleset == RulesetStatus::NotEnforced {
        return Err(io::Error::from(io::ErrorKind::Unsupported));
    }
    Ok(())
}

/// Elsewhere there is nothing like it.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub(super) fn write_only_to(_places: &[PathBuf]) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
