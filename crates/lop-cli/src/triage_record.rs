//! The record of `lop triage`: files and groups, written line by line.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use lop_files::disk::{Folder, ReadAccess};
use lop_report::triage_page::Row;
use lop_run::oracle::{ConditionSpec, Groups, Mark, Seen, Signature};

use super::failure::Failure;
use super::settings::in_words;

/// Letters of a group's short name.
const MOST_LETTERS: usize = 40;
/// A line of JSON for each file and each group.
const RECORD: &str = "triage.jsonl";

/// The outcome of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Fails(usize),
    Passes,
    TimesOut,
    /// Two runs did not end alike; how they did.
    Flaky(String),
    /// It could not be read, or the command not be run; the reason.
    Failed(String),
}

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Kind::Fails(_) => "fails",
            Kind::Passes => "passes",
            Kind::TimesOut => "times out",
            Kind::Flaky(_) => "flaky",
            Kind::Failed(_) => "not run",
        }
    }
}

/// The remembered facts about a file.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) hash: String,
    pub(crate) len: usize,
    pub(crate) kind: Kind,
}

/// A group without its signature.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    /// The number in the name of its folder, from 1 on for the group with the most files; `None` while files are
    /// examined.
    pub(crate) number: Option<usize>,
    /// The smallest file of the group, once it is reduced; or the reason why it could not be.
    pub(crate) reduced: Option<Result<Reduced, String>>,
    /// The group with the same reduced text.
    pub(crate) same_as: Option<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Reduced {
    pub(crate) from: String,
    pub(crate) before: usize,
    pub(crate) after: usize,
    pub(crate) tests: usize,
}

/// The record, written to disk line by line.
pub(crate) struct Record {
    pub(crate) file: fs::File,
    pub(crate) files: BTreeMap<String, Known>,
    pub(crate) signatures: Groups,
    pub(crate) groups: Vec<Group>,
}

impl Record {
    /// Reads the record of an earlier run up to its last whole line, and continues after it.
    pub(crate) fn open(folder: &Folder, audience: ReadAccess, head: &Value) -> Result<Self, Failure> {
        let text = match folder.read(OsStr::new(RECORD)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let content = format!("{head}\n").into_bytes();
                folder.replace(OsStr::new(RECORD), &content, audience).map_err(Failure::Output)?;
                content
            }
            Err(error) => return Err(Failure::Output(error)),
        };
        let mut whole = text.len() - memchr::memrchr(b'\n', &text).map_or(text.len(), |feed| text.len() - feed - 1);
        let mut lines = Vec::new();
        let mut at = 0;
        for line in text[..whole].split_inclusive(|byte| *byte == b'\n') {
            // A line that a crash of the machine tore is asked about again.
            let Ok(value) = serde_json::from_slice::<Value>(line) else {
                whole = at;
                break;
            };
            at += line.len();
            lines.push(value);
        }
        if lines.first() != Some(head) {
            return Err(Failure::Usage {
                message: format!("{} holds the groups of another directory or command", folder.path().display()),
                hint: "name another directory with -o, or remove this one".to_owned(),
            });
        }
        if whole < text.len() {
            folder.replace(OsStr::new(RECORD), &text[..whole], audience).map_err(Failure::Output)?;
        }
        let file = folder.open(OsStr::new(RECORD), true).map_err(Failure::Output)?;
        let mut record = Record { file, files: BTreeMap::new(), signatures: Groups::default(), groups: Vec::new() };
        lines[1..].iter().for_each(|line| record.take(line));
        Ok(record)
    }

    /// Takes a line in. One that says nothing to this version is left out.
    fn take(&mut self, line: &Value) {
        let text = |name: &str| line[name].as_str().map(str::to_owned);
        let number = |name: &str| line[name].as_u64().and_then(|number| usize::try_from(number).ok());
        let group = number("group").and_then(|number| number.checked_sub(1));
        match line["event"].as_str() {
            Some("file") => {
                let kind = match line["is"].as_str() {
                    Some("fails") => group.map(Kind::Fails),
                    Some("passes") => Some(Kind::Passes),
                    Some("times out") => Some(Kind::TimesOut),
                    Some("flaky") => Some(Kind::Flaky(text("ends").unwrap_or_default())),
                    _ => None,
                };
                if let (Some(name), Some(hash), Some(len), Some(kind)) =
                    (text("file"), text("hash"), number("bytes"), kind)
                {
                    self.files.insert(name, Known { hash, len, kind });
                }
            }
            Some("group") => {
                if let Some(signature) = signature_of(&line["signature"]) {
                    let name = text("name").unwrap_or_default();
                    let new = Group { name, number: None, reduced: None, same_as: None };
                    if group.is_some_and(|group| group < self.groups.len()) {
                        return;
                    }
                    self.signatures.push(signature);
                    self.groups.push(new);
                }
            }
            Some("reduced") => {
                let Some(group) = group.and_then(|group| self.groups.get_mut(group)) else { return };
                if let (Some(from), Some(before), Some(after), Some(tests)) =
                    (text("file"), number("input_bytes"), number("bytes"), number("tests"))
                {
                    group.reduced = Some(Ok(Reduced { from, before, after, tests }));
                }
            }
            Some("numbered") => {
                let Some(group) = group.and_then(|group| self.groups.get_mut(group)) else { return };
                group.number = number("number");
            }
            Some("merged") => {
                let into = number("into").and_then(|into| into.checked_sub(1));
                let Some(group) = group.and_then(|group| self.groups.get_mut(group)) else { return };
                group.same_as = into;
            }
            _ => {}
        }
    }

    pub(crate) fn write(&mut self, line: &Value) -> Result<(), Failure> {
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(Failure::Output)
    }

    /// Remembers a file.
    pub(crate) fn know(&mut self, name: &str, known: Known) -> Result<(), Failure> {
        // The next run tries again to run the command there.
        if !matches!(known.kind, Kind::Failed(_)) {
            let group = if let Kind::Fails(group) = known.kind { Some(group + 1) } else { None };
            let ends = if let Kind::Flaky(ends) = &known.kind { Some(ends) } else { None };
            let kind = known.kind.name();
            self.write(&json!({
                "event": "file", "file": name, "hash": known.hash, "bytes": known.len, "is": kind, "group": group, "ends": ends,
            }))?;
        }
        self.files.insert(name.to_owned(), known);
        Ok(())
    }

    /// The group of a run, which may be a new one.
    pub(crate) fn group_of(&mut self, signature: &Signature, seen: &Seen<'_>) -> Result<usize, Failure> {
        let number = self.signatures.place(signature, seen);
        if number == self.groups.len() {
            let short = short_name(signature);
            let is_free = |name: &String| self.groups.iter().all(|group| group.name != *name);
            let mut names = std::iter::once(short.clone()).chain((2..).map(|number| format!("{short}-{number}")));
            let name = names.find(is_free).expect("there are more numbers than groups");
            let (option, value) = signature.mark.option();
            self.write(&json!({
                "event": "group", "group": number + 1, "name": name,
                "signature": { "kind": signature.kind, "crash": signature.crash, "option": option, "value": value },
            }))?;
            self.groups.push(Group { name, number: None, reduced: None, same_as: None });
        }
        Ok(number)
    }

    /// Numbers the groups that have no number yet, those of most files first.
    pub(crate) fn number_groups(&mut self) -> Result<(), Failure> {
        let mut new: Vec<usize> = (0..self.groups.len()).filter(|&group| self.groups[group].number.is_none()).collect();
        new.sort_by_key(|&group| (std::cmp::Reverse(self.of_group(group).len()), group));
        let known = self.groups.len() - new.len();
        for (place, group) in new.into_iter().enumerate() {
            let number = known + place + 1;
            self.write(&json!({ "event": "numbered", "group": group + 1, "number": number }))?;
            self.groups[group].number = Some(number);
        }
        Ok(())
    }

    /// The number of a group in the name of its folder.
    pub(crate) fn number_of(&self, group: usize) -> usize {
        self.groups[group].number.unwrap_or(group + 1)
    }

    /// The groups in the order of their numbers.
    pub(crate) fn in_order(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.groups.len()).collect();
        all.sort_by_key(|&group| self.number_of(group));
        all
    }

    /// The files of a group, the smallest first.
    pub(crate) fn of_group(&self, group: usize) -> Vec<(&str, usize)> {
        let is_one = |(name, known): (&'_ String, &Known)| match known.kind {
            Kind::Fails(other) if other == group => Some((name.clone(), known.len)),
            _ => None,
        };
        let mut all: Vec<(&str, usize)> = self
            .files
            .iter()
            .filter(|(name, known)| is_one((name, known)).is_some())
            .map(|(name, known)| (name.as_str(), known.len))
            .collect();
        all.sort_by_key(|(name, len)| (*len, *name));
        all
    }

    /// The folder of a group that is merged with no other.
    fn own_folder_of(&self, group: usize) -> String {
        format!("{}-{}", self.number_of(group), self.groups[group].name)
    }

    /// The folder of a group.
    pub(crate) fn folder_of(&self, group: usize) -> PathBuf {
        let own = self.own_folder_of(group);
        match self.groups[group].same_as {
            Some(other) => Path::new(&self.own_folder_of(other)).join(format!("also-{own}")),
            None => own.into(),
        }
    }

    /// Merges groups with the same reduced text: the later one's folder moves into the first one's.
    pub(crate) fn merge(&mut self, folder: &Folder) -> Result<(), Failure> {
        let mut first: HashMap<Vec<u8>, usize> = HashMap::new();
        for group in self.in_order() {
            if self.groups[group].same_as.is_none() {
                let path = folder.path().join(self.folder_of(group)).join(FILES.reduced);
                let is_done = matches!(self.groups[group].reduced, Some(Ok(_)));
                let Some(text) = is_done.then(|| fs::read(path).ok()).flatten() else { continue };
                let Some(&other) = first.get(&text) else {
                    first.insert(text, group);
                    continue;
                };
                self.write(&json!({ "event": "merged", "group": group + 1, "into": other + 1 }))?;
                self.groups[group].same_as = Some(other);
            }
            // A kill can have come between the record and the folder.
            let (from, to) = (self.own_folder_of(group), self.folder_of(group));
            if folder.path().join(&from).exists() {
                folder.rename(OsStr::new(&from), to.as_os_str()).map_err(Failure::Output)?;
            }
        }
        Ok(())
    }

    /// The groups as they are shown: those of most files first.
    pub(crate) fn rows(&self, out: &Path) -> Vec<Row> {
        let signatures: Vec<&Signature> = self.signatures.signatures().collect();
        let mut rows: Vec<Row> = (0..self.groups.len())
            .filter(|&group| self.groups[group].same_as.is_none())
            .map(|group| {
                let all: Vec<usize> = (0..self.groups.len())
                    .filter(|&one| one == group || self.groups[one].same_as == Some(group))
                    .collect();
                let reduced = self.groups[group].reduced.clone();
                let folder = self.folder_of(group);
                let text =
                    fs::read(out.join(&folder).join(FILES.reduced)).ok().filter(|_| matches!(reduced, Some(Ok(_))));
                Row {
                    number: self.number_of(group),
                    folder: folder.display().to_string(),
                    files: all.iter().map(|&one| self.of_group(one).len()).sum(),
                    signatures: all.iter().map(|&one| words_of(signatures[one])).collect(),
                    kind: signatures[group].kind.clone(),
                    sizes: reduced.iter().flatten().map(|reduced| (reduced.before, reduced.after)).next(),
                    from: reduced.iter().flatten().map(|reduced| reduced.from.clone()).next(),
                    tests: reduced.iter().flatten().map(|reduced| reduced.tests).next(),
                    failure: reduced.and_then(Result::err),
                    text,
                }
            })
            .collect();
        rows.sort_by_key(|row| (std::cmp::Reverse(row.files), row.number));
        rows
    }

    /// Returns the files in no group, by their behaviour in words.
    pub(crate) fn others(&self) -> Vec<(&'static str, Vec<String>)> {
        let mut others: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
        for (name, known) in &self.files {
            match &known.kind {
                Kind::Fails(_) => {}
                Kind::Failed(reason) | Kind::Flaky(reason) => {
                    others.entry(known.kind.name()).or_default().push(format!("{name}: {reason}"))
                }
                kind => others.entry(kind.name()).or_default().push(name.clone()),
            }
        }
        others.into_iter().collect()
    }
}

/// The names in the folder of a group.
pub(crate) struct GroupFiles {
    pub(crate) input: &'static str,
    pub(crate) reduced: &'static str,
    pub(crate) signature: &'static str,
    pub(crate) stderr: &'static str,
    pub(crate) issue: &'static str,
}

pub(crate) const FILES: GroupFiles =
    GroupFiles { input: "input", reduced: "reduced", signature: "signature", stderr: "stderr", issue: "issue.md" };

/// A signature that was written down.
fn signature_of(value: &Value) -> Option<Signature> {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let mark = match (value["option"].as_str()?, text("value")?) {
        ("--stdout", text) => Mark::Stdout(text),
        ("--stderr", text) => Mark::Stderr(text),
        ("--signal", name) => Mark::Signal(name),
        ("--exit-code", code) => Mark::ExitCode(code.parse().ok()?),
        _ => return None,
    };
    Some(Signature { kind: text("kind")?, crash: value["crash"].as_bool()?, mark, at: None, only_errors: Vec::new() })
}

/// A signature in words.
pub(crate) fn words_of(signature: &Signature) -> String {
    let mut spec = ConditionSpec::default();
    signature.add_to(&mut spec);
    in_words(&spec)
}

/// Functions in which a sanitizer detects a bug of another function.
const OF_LIBRARIES: [&str; 14] = [
    "free",
    "malloc",
    "calloc",
    "realloc",
    "operator",
    "memcpy",
    "memmove",
    "memset",
    "strlen",
    "strcpy",
    "strcat",
    "memcmp",
    "strcmp",
    "__interceptor_free",
];

/// The kind and the function of a sanitizer's report: `double-free-in-rec`.
fn sanitizer_name(value: &str) -> Option<String> {
    let kind = regex::Regex::new(r"Sanitizer: (?:attempting )?([a-z][a-z-]+)").expect("the expression is well formed");
    let function = regex::Regex::new(r" in (\w+)").expect("the expression is well formed");
    let kind = kind.captures(value)?[1].to_owned();
    let mut functions = function.captures_iter(value).map(|found| found[1].to_owned());
    let function = functions.find(|function| !OF_LIBRARIES.contains(&function.as_str()))?;
    let mut name = format!("{kind}-in-{function}");
    name.truncate(MOST_LETTERS);
    Some(name)
}

/// Makes a name for a folder from the subject of a signature, or from its first words.
fn short_name(signature: &Signature) -> String {
    let (option, value) = signature.mark.option();
    if let Some(name) = sanitizer_name(&value) {
        return name;
    }
    // Classes and escapes of the expression are no words.
    let plain = regex::Regex::new(r"\[[^\]]*\][+*]?|\\[A-Za-z]|\(\?[^)]*\)").expect("the expression is well formed");
    let value = plain.replace_all(&value, " ");
    let text = match option {
        "--signal" | "--exit-code" => format!("{} {value}", option.trim_start_matches('-')),
        _ => value.into_owned(),
    };
    let mut name = String::new();
    for word in text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if name.len() + word.len() >= MOST_LETTERS {
            break;
        }
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(&word.to_ascii_lowercase());
    }
    if name.is_empty() { "failure".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(option: fn(String) -> Mark, value: &str) -> String {
        let kind = "a kind".to_owned();
        let mark = option(value.to_owned());
        short_name(&Signature { kind, crash: true, mark, at: None, only_errors: Vec::new() })
    }

    #[test]
    fn a_group_is_named_by_the_kind_and_the_function_of_its_failure() {
        let report =
            r"AddressSanitizer: attempting double-free[\s\S]*?\n +#0 0x[0-9a-f]+ in free.*\n +#1 0x[0-9a-f]+ in rec ";
        assert_eq!(named(Mark::Stderr, report), "double-free-in-rec");
        let report =
            r"AddressSanitizer: heap-buffer-overflow[\s\S]*?\n +#0 0x[0-9a-f]+ in parse.*\n +#1 0x[0-9a-f]+ in main ";
        assert_eq!(named(Mark::Stderr, report), "heap-buffer-overflow-in-parse");
        assert_eq!(named(Mark::Stderr, "internal error: bad number"), "internal-error-bad-number");
        assert_eq!(named(Mark::Signal, "SEGV"), "signal-segv");
        assert_eq!(named(Mark::Stderr, r"\d+"), "failure");
    }

    #[test]
    fn groups_have_names_of_their_own_and_numbers_by_their_files() {
        let place = tempfile::tempdir().expect("a directory");
        let folder = Folder::at(place.path()).expect("it is there");
        let mut record = Record::open(&folder, ReadAccess::OWN, &json!({})).expect("it is new");
        let mut add = |file: &str, stderr: &str| {
            let seen = Seen {
                exit: lop_run::oracle::Exit::Code(1),
                stdout: b"",
                stderr: stderr.as_bytes(),
                input: b"".into(),
                name: "x",
            };
            let signature = lop_run::oracle::Table::default().signatures(&seen).swap_remove(0);
            let group = record.group_of(&signature, &seen).expect("it can be written");
            record
                .know(file, Known { hash: String::new(), len: 1, kind: Kind::Fails(group) })
                .expect("it can be written");
        };
        add("one", "error: no rows\n");
        add("two", "error: no, rows\n");
        add("three", "error: no, rows\n");
        record.number_groups().expect("it can be written");
        let folders: Vec<_> = record.in_order().into_iter().map(|group| record.folder_of(group)).collect();
        assert_eq!(folders, [Path::new("1-error-no-rows-2"), Path::new("2-error-no-rows")]);
        // The numbers in the record stay, whatever is added later.
        let again = Record::open(&folder, ReadAccess::OWN, &json!({})).expect("it is there");
        assert_eq!(again.in_order(), [1, 0]);
    }
}
