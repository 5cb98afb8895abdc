//! `lop triage`: a folder of failing files in, one small reproducer for each failure out.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Parser;
use serde_json::{Value, json};

use crate::cli::args::Cli;
use crate::cli::exit_code::Code;
use crate::cli::failure::Failure;
use crate::cli::inference::{Probe, missing_of};
use crate::cli::language::Language;
use crate::cli::many::{Input, Many, audience, files_in, place};
use crate::cli::piped::is_stdout;
use crate::cli::progress_line::progress_line;
use crate::cli::settings::{Settings, in_words};
use crate::cli::state_args::ResumeArgs;
use crate::cli::triage_args::{TriageArgs, USAGE};
use crate::cli::{signals, state};
use crate::disk::{self, Audience, Folder};
use crate::journal::{Past, journal_file};
use crate::oracle::{
    Cancel, ConditionSpec, Exit, Groups, Mark, Oracle, Seen, Signature, Table, Unresolved, Written, shell_line,
};
use crate::report::text::{self, FAINT, STRONG};
use crate::report::triage_page::{self, Row};
use crate::report::{Kept, state_directory};

use super::reduce::{Start, carry_out_until};
use super::reported::{Reported, made};
use super::resume::go_on;

/// What is known of each file and each group, a line of JSON each.
const RECORD: &str = "triage.jsonl";
/// The page over all groups.
const PAGE: &str = "index.html";
/// Files of one kind that are listed on the terminal; the record has all.
const MOST_LISTED: usize = 10;
/// Letters of a group's short name.
const MOST_LETTERS: usize = 40;

/// Groups the files, reduces one of each group, and says what there is on standard output.
///
/// # Errors
/// When lop cannot start or go on.
pub fn run(args: &TriageArgs) -> Result<Code, Failure> {
    let many = Many::new(&args.many, (args.jobs, args.timeout), &args.folder, USAGE)?;
    let out = std::path::absolute(place(args.output.as_ref(), &args.folder, ".triage")).map_err(Failure::Output)?;
    let files = files_in(&args.folder, &out)?;
    let cancel = Cancel::new();
    signals::watch(cancel.clone()).map_err(Failure::Signals)?;
    let audience = audience(&args.folder);
    let (folder, _) = Folder::make(&out, audience).map_err(Failure::Output)?;
    let mut record = Record::open(&folder, audience, &head(args, &many)?)?;
    let mut triage = Triage { args, many: &many, out: &out, audience, cancel: &cancel };
    let outcome = triage.look(&files, &mut record).and_then(|()| triage.reduce_all(&mut record));
    let stopped = match outcome {
        Err(Failure::Stopped { .. }) => true,
        other => other.map(|()| false)?,
    };
    record.merge(&folder)?;
    let rows = record.rows(&out);
    folder
        .replace(OsStr::new(PAGE), triage_page::html(&args.folder, &rows, &record.others()).as_bytes(), audience)
        .map_err(Failure::Output)?;
    tell(args, &record, &rows, &out)?;
    Ok(if stopped { Code::StoppedEarly } else { Code::Reduced })
}

/// The first line of a record: one of another command or directory is not gone on with.
fn head(args: &TriageArgs, many: &Many) -> Result<Value, Failure> {
    let folder = std::path::absolute(&args.folder).map_err(Failure::Directory)?;
    let words: Vec<_> = many.words.iter().map(|word| word.to_string_lossy()).collect();
    Ok(json!({ "triage": 1, "folder": folder.to_string_lossy(), "command": words, "crash": args.crash }))
}

/// What came of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
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

/// A file as far as it is remembered.
#[derive(Clone, Debug)]
struct Known {
    hash: String,
    len: usize,
    kind: Kind,
}

/// A group beside its signature.
#[derive(Clone, Debug)]
struct Group {
    name: String,
    /// The smallest file of the group, once it is reduced; or the reason why it could not be.
    reduced: Option<Result<Reduced, String>>,
    /// The group with the same reduced text.
    same_as: Option<usize>,
}

#[derive(Clone, Debug)]
struct Reduced {
    from: String,
    before: usize,
    after: usize,
    tests: usize,
}

/// All that is known, on disk line by line as it comes.
struct Record {
    file: fs::File,
    files: BTreeMap<String, Known>,
    signatures: Groups,
    groups: Vec<Group>,
}

impl Record {
    /// Reads the record of an earlier run, up to its last whole line, and goes on behind it.
    fn open(folder: &Folder, audience: Audience, head: &Value) -> Result<Self, Failure> {
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
            // What was torn by a crash of the machine is asked again.
            let Ok(value) = serde_json::from_slice::<Value>(line) else {
                whole = at;
                break;
            };
            at += line.len();
            lines.push(value);
        }
        if lines.first() != Some(head) {
            return Err(Failure::Usage {
                message: format!("{} has the groups of another directory or command", folder.path().display()),
                hint: "give -o the name of another folder, or remove this one".to_owned(),
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
                    let new = Group { name: text("name").unwrap_or_default(), reduced: None, same_as: None };
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
            Some("merged") => {
                let into = number("into").and_then(|into| into.checked_sub(1));
                let Some(group) = group.and_then(|group| self.groups.get_mut(group)) else { return };
                group.same_as = into;
            }
            _ => {}
        }
    }

    fn write(&mut self, line: &Value) -> Result<(), Failure> {
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(Failure::Output)
    }

    /// Remembers a file.
    fn know(&mut self, name: &str, known: Known) -> Result<(), Failure> {
        // What could not be run is tried again by the next run.
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
    fn group_of(&mut self, signature: &Signature, seen: &Seen<'_>) -> Result<usize, Failure> {
        let number = self.signatures.place(signature, seen);
        if number == self.groups.len() {
            let name = short_name(signature);
            let (option, value) = signature.mark.option();
            self.write(&json!({
                "event": "group", "group": number + 1, "name": name,
                "signature": { "kind": signature.kind, "crash": signature.crash, "option": option, "value": value },
            }))?;
            self.groups.push(Group { name, reduced: None, same_as: None });
        }
        Ok(number)
    }

    /// The files of a group, the smallest first.
    fn of_group(&self, group: usize) -> Vec<(&str, usize)> {
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
        format!("{}-{}", group + 1, self.groups[group].name)
    }

    /// The folder of a group.
    fn folder_of(&self, group: usize) -> PathBuf {
        let own = self.own_folder_of(group);
        match self.groups[group].same_as {
            Some(other) => Path::new(&self.own_folder_of(other)).join(format!("also-{own}")),
            None => own.into(),
        }
    }

    /// Groups with the same reduced text are one: the later one's folder moves into that of the first.
    fn merge(&mut self, folder: &Folder) -> Result<(), Failure> {
        let mut first: HashMap<Vec<u8>, usize> = HashMap::new();
        for group in 0..self.groups.len() {
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
            // A kill may have come between the record and the folder.
            let (from, to) = (folder.path().join(self.own_folder_of(group)), folder.path().join(self.folder_of(group)));
            if from.exists() {
                fs::rename(from, to).map_err(Failure::Output)?;
            }
        }
        Ok(())
    }

    /// The groups as they are shown: those of most files first.
    fn rows(&self, out: &Path) -> Vec<Row> {
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
                    number: group + 1,
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

    /// The files that are in no group, by the words for what they do.
    fn others(&self) -> Vec<(&'static str, Vec<String>)> {
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
struct Files {
    input: &'static str,
    reduced: &'static str,
    signature: &'static str,
    stderr: &'static str,
    issue: &'static str,
}

const FILES: Files =
    Files { input: "input", reduced: "reduced", signature: "signature", stderr: "stderr", issue: "issue.md" };

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
    Some(Signature { kind: text("kind")?, crash: value["crash"].as_bool()?, mark, at: None })
}

/// A signature in words.
fn words_of(signature: &Signature) -> String {
    let mut spec = ConditionSpec::default();
    signature.add_to(&mut spec);
    in_words(&spec)
}

/// A name for a folder, of the first words of a signature.
fn short_name(signature: &Signature) -> String {
    let (option, value) = signature.mark.option();
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

/// A run of the command on a file.
struct Look {
    hash: String,
    len: usize,
    found: Found,
}

enum Found {
    Is(Kind),
    Fails { signature: Signature, exit: Exit, written: Written, content: Vec<u8> },
}

struct Triage<'t> {
    args: &'t TriageArgs,
    many: &'t Many,
    out: &'t Path,
    audience: Audience,
    cancel: &'t Cancel,
}

impl Triage<'_> {
    /// Runs the command on the files that are new, or others than they were.
    fn look(&mut self, files: &[Input], record: &mut Record) -> Result<(), Failure> {
        record.files.retain(|name, _| files.iter().any(|file| file.name == *name));
        let hash = |file: &Input| fs::read(&file.path).ok().map(|content| blake3::hash(&content).to_string());
        let is_new = |file: &&Input| {
            let known = record.files.get(&file.name);
            known.is_none() || hash(file).is_none_or(|hash| known.is_some_and(|known| known.hash != hash))
        };
        let new: Vec<&Input> = files.iter().filter(is_new).collect();
        let (all, mut done) = (text::len(new.len()), 0);
        let line = progress_line();
        let table = Table::default();
        let mut is_first = true;
        let looked = self.many.each(
            &new,
            self.cancel,
            |file, probe| self.look_at(file, probe, &table),
            |file, look, probe| {
                done += 1;
                line.set_message(format!("{} of {all} files", text::len(done)));
                line.tick();
                let kind = match look.found {
                    Found::Is(kind) => kind,
                    Found::Fails { signature, exit, written, content } => {
                        if std::mem::take(&mut is_first) {
                            self.check_missing(file, &written, &content, probe)?;
                        }
                        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
                        let (stdout, stderr) = (&written.stdout[..], &written.stderr[..]);
                        let seen = Seen { exit, stdout, stderr, input: &content, name: &name };
                        Kind::Fails(record.group_of(&signature, &seen)?)
                    }
                };
                record.know(&file.name, Known { hash: look.hash, len: look.len, kind })
            },
        );
        line.finish_and_clear();
        looked
    }

    fn look_at(&self, file: &Input, probe: &mut Probe<'_>, table: &Table) -> Result<Look, Failure> {
        let content = match fs::read(&file.path) {
            Ok(content) => content,
            Err(error) => {
                let found = Found::Is(Kind::Failed(error.to_string()));
                return Ok(Look { hash: String::new(), len: 0, found });
            }
        };
        let oracle = self.many.oracle(&file.path)?;
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        let (hash, len) = (blake3::hash(&content).to_string(), content.len());
        let (outcome, written) = probe.run(&oracle, &content);
        let found = match outcome.unresolved {
            Some(Unresolved::Cancelled) => return Err(self.stopped()),
            Some(Unresolved::Failed(reason)) => Found::Is(Kind::Failed(reason)),
            None if outcome.exit == Exit::TimedOut => Found::Is(Kind::TimesOut),
            None => {
                let seen = Seen {
                    exit: outcome.exit,
                    stdout: &written.stdout,
                    stderr: &written.stderr,
                    input: &content,
                    name: &name,
                };
                let mut signatures = table.signatures(&seen);
                signatures.retain(|signature| signature.crash || !self.args.crash);
                match signatures.into_iter().next() {
                    None => Found::Is(Kind::Passes),
                    Some(signature) => {
                        let (again, other) = probe.run(&oracle, &content);
                        if again.unresolved == Some(Unresolved::Cancelled) {
                            return Err(self.stopped());
                        }
                        match signature.is_shown_by(&content, again.exit, &other.stdout, &other.stderr) {
                            true => Found::Fails { signature, exit: outcome.exit, written, content },
                            false => Found::Is(Kind::Flaky(format!("{}, then {}", outcome.exit, again.exit))),
                        }
                    }
                }
            }
        };
        Ok(Look { hash, len, found })
    }

    fn stopped(&self) -> Failure {
        Failure::Stopped { path: self.args.folder.clone(), out_of_time: false }
    }

    /// A command that misses something in a directory of its own fails on every file for no other reason.
    fn check_missing(
        &self,
        file: &Input,
        written: &Written,
        content: &[u8],
        probe: &mut Probe<'_>,
    ) -> Result<(), Failure> {
        let oracle = self.many.oracle(&file.path)?;
        match missing_of(&oracle, &file.path, written, probe, content)? {
            Some(missing) => {
                let typed = std::env::args_os().collect();
                Err(Failure::Missing { path: file.path.clone(), missing, typed })
            }
            None => Ok(()),
        }
    }

    /// Reduces the smallest file of each group that has no result yet.
    fn reduce_all(&mut self, record: &mut Record) -> Result<(), Failure> {
        let line = progress_line();
        for group in 0..record.groups.len() {
            let Some(&(name, _)) = record.of_group(group).first() else { continue };
            if record.groups[group].reduced.is_some() {
                continue;
            }
            let name = name.to_owned();
            line.set_message(format!("reducing {} of {}: {name}", group + 1, record.groups.len()));
            line.tick();
            let done = self.reduce(group, &name, record);
            if self.cancel.is_stopped() {
                line.finish_and_clear();
                return Err(self.stopped());
            }
            match done {
                Ok(reduced) => {
                    record.write(&json!({
                        "event": "reduced", "group": group + 1, "file": reduced.from,
                        "input_bytes": reduced.before, "bytes": reduced.after, "tests": reduced.tests,
                    }))?;
                    record.groups[group].reduced = Some(Ok(reduced));
                }
                // A disk that is full is the end; a test that contradicts itself is the matter of this group.
                Err(failure @ (Failure::Output(_) | Failure::Directory(_))) => return Err(failure),
                Err(failure) => record.groups[group].reduced = Some(Err(failure.headline())),
            }
        }
        line.finish_and_clear();
        Ok(())
    }

    /// Reduces a file of a group, or goes on with that, and writes what a person wants to know.
    fn reduce(&self, group: usize, name: &str, record: &Record) -> Result<Reduced, Failure> {
        let path = std::path::absolute(self.args.folder.join(name)).map_err(Failure::Directory)?;
        let folder = self.out.join(record.folder_of(group));
        let (own, _) = Folder::make(&folder, self.audience).map_err(Failure::Output)?;
        let content = fs::read(&path).map_err(|source| Failure::Input { path: path.clone(), source })?;
        let put = |name: &str, text: &[u8]| own.replace(OsStr::new(name), text, self.audience).map_err(Failure::Output);
        put(FILES.input, &content)?;
        let signatures: Vec<&Signature> = record.signatures.signatures().collect();
        let result = folder.join(FILES.reduced);
        let options = options(&signatures, group);
        let words = self.words(&path, &result, &options);
        let journal = state_directory(&path, &Kept::File(result.clone()));
        self.go_on(&journal, &words).unwrap_or_else(|| {
            let parsed = Cli::try_parse_from(&words).map_err(|error| Failure::Usage {
                message: error.to_string().lines().next().unwrap_or_default().to_owned(),
                hint: "this is a mistake in lop: please report it".to_owned(),
            })?;
            carry_out_until(Settings::new(&parsed.reduce)?, Start::New(words.clone()), self.cancel.clone())
        })?;
        if self.cancel.is_stopped() {
            return Err(self.stopped());
        }
        let best = fs::read(&result).map_err(|source| Failure::Input { path: result.clone(), source })?;
        let tests = Past::read(&journal_file(&journal)).map_or(0, |past| past.outcomes());
        let line = shell_line(options.iter().flat_map(|(option, value)| [OsStr::new(option), OsStr::new(value)]));
        put(FILES.signature, format!("{line}\n").as_bytes())?;
        self.explain(&path, (&content, &best), tests, &words_of(signatures[group]), &put)?;
        Ok(Reduced { from: name.to_owned(), before: content.len(), after: best.len(), tests })
    }

    /// The command line of a group's reduction.
    fn words(&self, path: &Path, result: &Path, options: &[(&'static str, String)]) -> Vec<OsString> {
        let mut words: Vec<OsString> = ["lop", "--quiet", "--ui", "none", "--no-config"].map(OsString::from).to_vec();
        words.extend([path.into(), "-o".into(), result.into()]);
        words.extend(["-j".into(), self.many.jobs.to_string().into()]);
        words.extend(["--timeout".into(), self.many.deadline.as_secs_f64().to_string().into()]);
        words.extend(self.args.fast.then(|| "--fast".into()));
        words.extend(self.args.many.confine.words());
        words.extend(self.args.grammar.words());
        words.extend(options.iter().map(|(option, value)| format!("{option}={value}").into()));
        words.push("--".into());
        words.extend(self.many.words.iter().cloned());
        words
    }

    /// Goes on with the reduction of an earlier run; `None` where there is none of this command line.
    fn go_on(&self, journal: &Path, words: &[OsString]) -> Option<Result<Code, Failure>> {
        let past = Past::read(&journal_file(journal)).ok()?;
        let same = past.header.arguments.iter().map(state::word).eq(words.iter().cloned());
        let jobs = Some(self.many.jobs);
        let args = ResumeArgs {
            folder: journal.to_owned(),
            jobs,
            max_tests: None,
            max_time: None,
            yes: true,
            quiet: true,
            verbose: 0,
        };
        same.then(|| go_on(&args, |settings, start| carry_out_until(settings, start, self.cancel.clone())))
    }

    /// Writes the error output and the bug report of a result.
    fn explain(
        &self,
        path: &Path,
        (before, best): (&[u8], &[u8]),
        tests: usize,
        wanted: &str,
        put: &dyn Fn(&str, &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let oracle = self.many.oracle(path)?;
        let mut probe = Probe::new(best.len(), Some(self.many.deadline), self.cancel)?;
        let (outcome, written) = probe.run(&oracle, best);
        put(FILES.stderr, &written.stderr)?;
        let language = Language::find(&self.args.grammar, path, before)?;
        let reported = Reported {
            page: None,
            path: path.to_owned(),
            language: language.folder().map_or_else(|| "text".to_owned(), |folder| folder.name.to_owned()),
            archive: None,
            words: self.args.many.test.clone(),
            is_command: true,
            texts: Vec::new(),
            test: oracle.describe(),
            looks_for: wanted.to_owned(),
            place: String::new(),
        };
        let made = made((before.len(), best.len()), tests as u64);
        put(FILES.issue, reported.issue_of(best, (Some(&outcome), false), &made, &oracle).as_bytes())
    }
}

/// The conditions of a group: its own signature, and none of the others that its own does not exclude.
fn options(signatures: &[&Signature], group: usize) -> Vec<(&'static str, String)> {
    let others = signatures.iter().enumerate().filter(|(number, _)| *number != group);
    let not = others.filter_map(|(_, other)| match &other.mark {
        Mark::Stdout(pattern) => Some(("--not-stdout", pattern.clone())),
        Mark::Stderr(pattern) => Some(("--not-stderr", pattern.clone())),
        Mark::Signal(_) | Mark::ExitCode(_) => None,
    });
    signatures[group].options().into_iter().chain(not).collect()
}

/// Says what there is.
fn tell(args: &TriageArgs, record: &Record, rows: &[Row], out: &Path) -> Result<(), Failure> {
    if let Some(path) = &args.many.json {
        let failed = |source| Failure::Json { path: path.clone(), source };
        let mut lines: Vec<Value> = rows.iter().map(|row| row.json(out)).collect();
        lines.extend(
            record.others().into_iter().map(|(kind, files)| json!({ "event": "others", "are": kind, "files": files })),
        );
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        if is_stdout(path) {
            return io::stdout().write_all(lines.as_bytes()).or_else(Failure::unless_closed);
        }
        let mut file = disk::create(path, audience(&args.folder), &|| false).map_err(failed)?;
        file.write_all(lines.as_bytes()).map_err(failed)?;
    }
    let mut to = text::stdout();
    show(&mut to, record, rows, out).and_then(|()| to.flush()).or_else(Failure::unless_closed)
}

fn show(to: &mut dyn Write, record: &Record, rows: &[Row], out: &Path) -> io::Result<()> {
    if !rows.is_empty() {
        let mut table = text::Table::new(0, &["files", "bytes", "reduced", "tests", "group"]);
        for row in rows {
            let size =
                |which: fn((usize, usize)) -> usize| row.sizes.map_or("-".to_owned(), |sizes| text::len(which(sizes)));
            let tests = row.tests.map_or("-".to_owned(), text::len);
            table.row(vec![
                text::len(row.files),
                size(|sizes| sizes.0),
                size(|sizes| sizes.1),
                tests,
                row.folder.clone(),
            ]);
        }
        table.write(to)?;
    }
    for row in rows {
        if row.signatures.len() > 1 {
            let all = row.signatures.join("; ");
            writeln!(
                to,
                "{STRONG}merged{STRONG:#}  {}: the same text shows {}",
                text::one_line(&row.folder),
                text::one_line(&all)
            )?;
        }
        if let Some(failure) = &row.failure {
            writeln!(
                to,
                "{STRONG}not reduced{STRONG:#}  {}: {}",
                text::one_line(&row.folder),
                text::one_line(failure)
            )?;
        }
    }
    for (kind, files) in record.others() {
        let (some, more) = files.split_at(files.len().min(MOST_LISTED));
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", text::len(more.len())) };
        writeln!(
            to,
            "{STRONG}{kind}{STRONG:#}  {}: {}{more}",
            text::len(files.len()),
            text::one_line(&some.join(", "))
        )?;
    }
    writeln!(to, "{FAINT}{}{FAINT:#}", text::path(&out.join(PAGE)))
}
