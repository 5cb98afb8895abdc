//! The whole job on every case of `fixtures/`: reduce its input with its test, judge the result with
//! the same test, and compare its size with what the case calls good enough.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex::bytes::Regex;
use serde::Deserialize;

use crate::support::{Folder, TIMEOUT, each, has};

/// `fixtures/<case>/expect`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    /// The largest result that is good enough.
    max_bytes: usize,
    /// The programs that the test starts.
    tools: Vec<String>,
    /// Tests within which it has to be that small, where going on to the end would take long.
    max_tests: Option<usize>,
    /// The pattern that the result must match beyond being interesting.
    matches: Option<String>,
}

struct Case {
    folder: PathBuf,
    /// The file name of the input: `input.<ext>`.
    input: String,
    expect: Expect,
}

impl Case {
    /// Every folder with a test script; other folders of `fixtures/` are other tests' data.
    fn all() -> Vec<Self> {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let entries = fs::read_dir(fixtures).expect("the package has fixtures");
        let folders = entries.map(|entry| entry.expect("the folder can be listed").path());
        let mut cases: Vec<Self> =
            folders.filter(|path| path.join("test.sh").is_file()).map(|path| Self::read(&path)).collect();
        cases.sort_by(|a, b| a.folder.cmp(&b.folder));
        cases
    }

    fn read(folder: &Path) -> Self {
        let expect = fs::read_to_string(folder.join("expect")).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
        let expect = toml::from_str(&expect).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
        let names = snapshot(folder).into_keys();
        let mut inputs = names.filter(|name| name.starts_with("input."));
        let input = inputs.next().unwrap_or_else(|| panic!("{folder:?} has no input"));
        Case { folder: folder.to_owned(), input, expect }
    }

    fn name(&self) -> String {
        self.folder.file_name().expect("a listed folder has a name").to_string_lossy().into_owned()
    }

    fn path(&self, file: &str) -> String {
        self.folder.join(file).display().to_string()
    }

    /// Whether the case's test calls this content interesting, in a folder with nothing else in it.
    fn judge(&self, content: &[u8]) -> bool {
        let folder = Folder::new();
        folder.write(&self.input, content);
        let status = Command::new(self.folder.join("test.sh"))
            .arg(folder.path(&self.input))
            .current_dir(folder.path("."))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.expect("the test script can be started").success()
    }

    /// Runs lop on the case; what is wrong with the result, if anything.
    fn fault(&self) -> Option<String> {
        if !self.expect.tools.iter().all(|tool| has(tool)) {
            return None;
        }
        let before = snapshot(&self.folder);
        let folder = Folder::new();
        let (test, input) = (self.path("test.sh"), self.path(&self.input));
        let mut line = [&TIMEOUT[..], &["-j", "2", "-o", &self.input]].concat();
        let most = self.expect.max_tests.map(|tests| tests.to_string());
        line.extend(most.iter().flat_map(|most| ["--max-tests", most]));
        line.extend([test.as_str(), &input]);
        let ran = folder.lop(&line);
        if ran.code != Some(0) && (most.is_none() || ran.code != Some(3)) {
            return Some(format!("lop ended with {:?}:\n{}", ran.code, ran.stderr));
        }
        if snapshot(&self.folder) != before {
            return Some("the fixture's folder is not what it was".to_owned());
        }
        // Stopped before, nothing is claimed.
        if ran.code == Some(0) {
            let verified = folder.lop(&["verify", "-j", "2", &self.input]);
            if verified.code != Some(0) {
                return Some(format!("lop verify ended with {:?}:\n{}", verified.code, verified.stderr));
            }
        }
        let result = folder.read(&self.input);
        let shown = String::from_utf8_lossy(&result);
        if !self.judge(&result) {
            return Some(format!("the result is not interesting:\n{shown}"));
        }
        if result.len() > self.expect.max_bytes {
            return Some(format!("{} bytes, more than {}:\n{shown}", result.len(), self.expect.max_bytes));
        }
        let pattern = self.expect.matches.as_ref()?;
        let fits = Regex::new(pattern).expect("`matches` is an expression").is_match(&result);
        (!fits).then(|| format!("the result does not match `{pattern}`:\n{shown}"))
    }
}

/// The files of a folder with their contents.
fn snapshot(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let file = |path: PathBuf| {
        let name = path.file_name().expect("a listed file has a name").to_string_lossy().into_owned();
        (name, fs::read(&path).unwrap_or_else(|error| panic!("{path:?}: {error}")))
    };
    entries.map(|entry| file(entry.expect("the folder can be listed").path())).collect()
}

/// One test walks all cases: a new folder is a new case.
#[test]
fn every_fixture_is_reduced_to_what_it_calls_good_enough() {
    let cases = Case::all();
    assert!(!cases.is_empty());
    let faults = each(&cases, |case| Some(format!("{}: {}", case.name(), case.fault()?)));
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn every_fixture_says_what_it_is_for() {
    for case in Case::all() {
        let readme = fs::read_to_string(case.folder.join("README.md")).unwrap_or_default();
        assert!(readme.starts_with("# ") && readme.contains("A good result"), "{}: README.md", case.name());
        let size = fs::metadata(case.folder.join(&case.input)).expect("the input is there").len();
        assert!(size > case.expect.max_bytes as u64 * 4, "{}: nothing to reduce", case.name());
    }
}

#[test]
fn the_empty_file_is_never_interesting() {
    for case in Case::all() {
        assert!(!case.judge(b""), "{}", case.name());
    }
}
