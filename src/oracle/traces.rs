//! Responsible for seeing what a test leaves behind, before it is cleaned up: files in its directory and in its place
//! for temporary files, and processes.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::belonging::Belonging;

/// What a run of the test left behind. All of it is removed by lop, but it costs time, and not every other program
/// that runs the test does so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Names of files beside the candidate.
    pub files: Vec<String>,
    /// Names of files below `TMPDIR`.
    pub temporaries: Vec<String>,
    /// Names of processes that were still running; found on Linux only.
    pub processes: Vec<String>,
}

impl Traces {
    /// Finds the files: those in `directory` that are neither among the candidate's `names` nor what lop has put beside
    /// it, and all in `temporary`.
    pub(crate) fn find(directory: &Path, temporary: &Path, names: &[OsString], belongings: &[Arc<Belonging>]) -> Self {
        let is_ours = |name: &OsString| names.contains(name) || belongings.iter().any(|one| one.name() == name);
        Self {
            files: list(directory, |name| !is_ours(name)),
            temporaries: list(temporary, |_| true),
            processes: Vec::new(),
        }
    }

    /// Adds what another run left behind.
    pub fn add(&mut self, other: Self) {
        let pairs = [
            (&mut self.files, other.files),
            (&mut self.temporaries, other.temporaries),
            (&mut self.processes, other.processes),
        ];
        for (all, more) in pairs {
            all.extend(more);
            all.sort();
            all.dedup();
        }
    }
}

fn list(directory: &Path, wanted: impl Fn(&OsString) -> bool) -> Vec<String> {
    let names = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = names.filter(wanted).map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::oracle::{Cancel, CommandOracle, Conditions, Room, Slot, SlotOptions};

    fn examine(script: &str, belongings: Vec<Arc<Belonging>>) -> Traces {
        let words = ["sh", "-c", script].map(OsString::from);
        let oracle = CommandOracle::command(&words, Path::new("case.txt"), Conditions::default()).expect("sh is there");
        let oracle = oracle.with_belongings(belongings).expect("each has a name of its own");
        let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
        let (outcome, traces) = oracle.examine(b"x", &mut slot, Duration::from_secs(600), &Cancel::new());
        assert!(outcome.is_interesting(), "{outcome:?}");
        traces
    }

    #[test]
    fn what_a_test_leaves_is_seen() {
        assert_eq!(examine("test -s case.txt; echo | cat", Vec::new()), Traces::default());
        let traces = examine("touch a.out; mkdir d; touch \"$TMPDIR/cc.s\"", Vec::new());
        assert_eq!((traces.files, traces.temporaries), (vec!["a.out".into(), "d".into()], vec!["cc.s".into()]));
        for script in ["sleep 600 &", "setsid sleep 600 &", "(cd /; setsid sleep 600 &)"] {
            // It may not have become what it will be when its parent has ended, and is not seen while it becomes it.
            let mut runs = (0..20).map(|_| examine(script, Vec::new()));
            let traces = runs.find(|traces| !traces.processes.is_empty()).unwrap_or_default();
            assert!(
                matches!(&traces.processes[..], [name] if ["sleep", "setsid", "sh"].contains(&&**name)),
                "{traces:?}"
            );
        }
    }

    #[test]
    fn what_belongs_beside_the_candidate_is_there_and_is_no_trace() {
        let other = tempfile::tempdir().expect("a directory");
        let needed = other.path().join("needed");
        fs::write(&needed, "y").expect("writable");
        let copy = |path: &Path| {
            let belonging = Belonging::copy(path, &[], Room::NAMED, &SlotOptions::default());
            Arc::new(belonging.expect("it can be copied"))
        };
        let traces = examine("test \"$(cat needed)$(cat case.txt)\" = yx; touch new", vec![copy(&needed)]);
        assert_eq!(traces.files, ["new"]);
        // Two of a name, or the candidate's, would hide each other.
        let oracle = CommandOracle::command(&["sh".into()], Path::new("needed"), Conditions::default());
        let refused = oracle.expect("sh is there").with_belongings(vec![copy(&needed)]);
        assert!(refused.is_err_and(|error| error.to_string().contains("the candidate's own name")));
        let oracle = CommandOracle::command(&["sh".into()], Path::new("case"), Conditions::default());
        let refused = oracle.expect("sh is there").with_belongings(vec![copy(&needed), copy(&needed)]);
        assert!(refused.is_err_and(|error| error.to_string().contains("the same name")));
    }
}
