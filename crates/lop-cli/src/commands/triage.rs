//! `lop triage`: turns a directory of failing files into one small reproducer for each failure.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;

use clap::Parser;
use serde_json::{Value, json};

use crate::args::Cli;
use crate::exit_code::Code;
use crate::failure::Failure;
use crate::files;
use crate::incomplete_test::{Probe, missing_of};
use crate::language::Language;
use crate::many::{Input, Many, audience, files_in, listed, place, write_json};
use crate::progress_line::progress_line;
use crate::settings::Settings;
use crate::state_args::ResumeArgs;
use crate::triage_args::{TriageArgs, USAGE};
use crate::triage_record::{FILES, Kind, Known, Record, Reduced, words_of};
use crate::{signals, state};
use lop_files::disk::{Folder, ReadAccess};
use lop_grammar::TEXT;
use lop_journal::{Past, journal_file};
use lop_report::text::{self, STRONG};
use lop_report::triage_page::{self, Row};
use lop_report::{Kept, state_directory};
use lop_run::oracle::{Cancel, Exit, Mark, Outcome, Seen, Signature, Table, Unresolved, Written, shell_line};

use super::post_run_reports::{BugReport, made};
use super::reduce::{Start, carry_out_until};
use super::resume::go_on;

/// The page over all groups.
const PAGE: &str = "index.html";

/// Groups the files, reduces one of each group, and reports on standard output.
///
/// # Errors
/// If lop cannot start or continue.
pub fn run(args: &TriageArgs) -> Result<Code, Failure> {
    let many = Many::new(&args.folder, USAGE)?;
    let out =
        std::path::absolute(place(args.output.as_ref(), &args.folder.path, ".triage")).map_err(Failure::Output)?;
    let files = files_in(&args.folder.path, &out)?;
    let cancel = Cancel::new();
    signals::watch(cancel.clone()).map_err(Failure::Signals)?;
    let audience = audience(&args.folder.path);
    let (folder, _) = Folder::make(&out, audience).map_err(Failure::Output)?;
    let mut record = Record::open(&folder, audience, &head(args, &many)?)?;
    let mut triage = Triage { args, many: &many, out: &out, audience, cancel: &cancel };
    let outcome = triage
        .look(&files, &mut record)
        .and_then(|()| record.number_groups())
        .and_then(|()| triage.reduce_all(&files, &mut record));
    let stopped = match outcome {
        Err(Failure::Stopped { .. }) => true,
        other => other.map(|()| false)?,
    };
    record.merge(&folder)?;
    let rows = record.rows(&out);
    folder
        .replace(
            OsStr::new(PAGE),
            triage_page::html(&args.folder.path, &rows, &record.others(), stopped).as_bytes(),
            audience,
        )
        .map_err(Failure::Output)?;
    tell(args, &record, &rows, &out)?;
    if stopped {
        let words: Vec<OsString> =
            std::iter::once("lop".into()).chain(crate::typed_words().into_iter().skip(1)).collect();
        let line = shell_line(words.iter().map(OsString::as_os_str));
        // A closed standard error is no reason to fail.
        let _ = writeln!(text::stderr(), "stopped early; continue with: {line}");
    }
    Ok(if stopped { Code::StoppedEarly } else { Code::Reduced })
}

/// The first line of a record. A record of another command or directory isn't continued.
fn head(args: &TriageArgs, many: &Many) -> Result<Value, Failure> {
    let folder = std::path::absolute(&args.folder.path).map_err(Failure::Directory)?;
    let words: Vec<_> = many.words.iter().map(|word| word.to_string_lossy()).collect();
    Ok(json!({ "triage": 1, "folder": folder.to_string_lossy(), "command": words, "crash": args.crash }))
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

/// Puts a text under a name into the folder of a group.
type Put<'p> = dyn Fn(&str, &[u8]) -> Result<(), Failure> + 'p;

struct Triage<'t> {
    args: &'t TriageArgs,
    many: &'t Many,
    out: &'t Path,
    audience: ReadAccess,
    cancel: &'t Cancel,
}

impl Triage<'_> {
    /// Runs the command on the files that are new, or others than they were.
    fn look(&mut self, files: &[Input], record: &mut Record) -> Result<(), Failure> {
        let names: HashSet<&str> = files.iter().map(|file| &*file.name).collect();
        record.files.retain(|name, _| names.contains(&**name));
        let hash = |file: &Input| files::read(&file.path).ok().map(|content| blake3::hash(&content).to_string());
        let is_new = |file: &&Input| {
            let known = record.files.get(&file.name);
            let may_fail = |known: &Known| self.args.flaky.flaky.is_some() && matches!(known.kind, Kind::Flaky(_));
            known.is_none_or(may_fail) || hash(file).is_none_or(|hash| known.is_some_and(|known| known.hash != hash))
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
                        let seen = Seen { exit, stdout, stderr, input: content[..].into(), name: &name };
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
        let content = match files::read(&file.path) {
            Ok(content) => content,
            Err(error) => {
                let found = Found::Is(Kind::Failed(error.to_string()));
                return Ok(Look { hash: String::new(), len: 0, found });
            }
        };
        let oracle = self.many.oracle(&file.path)?;
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        let (hash, len) = (blake3::hash(&content).to_string(), content.len());
        let seen = |(outcome, written): &(Outcome, Written)| {
            let Written { stdout, stderr, .. } = written;
            let seen = Seen { exit: outcome.exit, stdout, stderr, input: content[..].into(), name: &name };
            let mut signatures = table.signatures(&seen);
            signatures.retain(|signature| signature.crash || !self.args.crash);
            signatures
        };
        let flaky = &self.args.flaky;
        let fails = |run: &(Outcome, Written)| run.0.unresolved.is_some() || !seen(run).is_empty();
        let run = flaky.until(|| probe.run(&oracle, &content), fails);
        let signature = seen(&run).into_iter().next();
        let (outcome, written) = run;
        let found = match outcome.unresolved {
            Some(Unresolved::Cancelled) => return Err(self.stopped()),
            Some(Unresolved::Failed(reason)) => Found::Is(Kind::Failed(reason)),
            None if outcome.exit == Exit::TimedOut => Found::Is(Kind::TimesOut),
            None => match signature {
                None => Found::Is(Kind::Passes),
                Some(signature) => {
                    let is_shown = |(again, other): &(Outcome, Written)| {
                        signature.is_shown_by(&content[..], again.exit, &other.stdout, &other.stderr)
                    };
                    let fails = |run: &(Outcome, Written)| run.0.unresolved.is_some() || is_shown(run);
                    let run = flaky.until(|| probe.run(&oracle, &content), fails);
                    let again = &run.0;
                    if again.unresolved == Some(Unresolved::Cancelled) {
                        return Err(self.stopped());
                    }
                    match is_shown(&run) {
                        true => Found::Fails { signature, exit: outcome.exit, written, content },
                        false => Found::Is(Kind::Flaky(format!("{}, then {}", outcome.exit, again.exit))),
                    }
                }
            },
        };
        Ok(Look { hash, len, found })
    }

    fn stopped(&self) -> Failure {
        Failure::Stopped { path: self.args.folder.path.clone(), out_of_time: false }
    }

    /// A command that misses something in a test's directory fails on every file for the same reason.
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
                let typed = crate::typed_words();
                Err(Failure::Missing { path: file.path.clone(), missing, typed })
            }
            None => Ok(()),
        }
    }

    /// Reduces the smallest file of each group that has no result yet.
    fn reduce_all(&mut self, files: &[Input], record: &mut Record) -> Result<(), Failure> {
        let line = progress_line();
        for (done, group) in record.in_order().into_iter().enumerate() {
            let Some(&(name, _)) = record.of_group(group).first() else { continue };
            if record.groups[group].reduced.is_some() {
                continue;
            }
            let Some(file) = files.iter().find(|file| file.name == name) else { continue };
            let name = &file.name;
            let message = format!("reducing {} of {}: {name}", done + 1, record.groups.len());
            if line.is_hidden() {
                // A closed standard error is no reason to fail.
                let _ = writeln!(text::stderr(), "{}", text::one_line(&message));
            }
            line.set_message(message);
            line.tick();
            let done = self.reduce(group, file, record);
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

    /// Reduces a file of a group, or continues with it, and writes the files for people.
    fn reduce(&self, group: usize, file: &Input, record: &Record) -> Result<Reduced, Failure> {
        let path = std::path::absolute(&file.path).map_err(Failure::Directory)?;
        let folder = self.out.join(record.folder_of(group));
        let (own, _) = Folder::make(&folder, self.audience).map_err(Failure::Output)?;
        let content = files::read(&path)?;
        let put = |name: &str, text: &[u8]| own.replace(OsStr::new(name), text, self.audience).map_err(Failure::Output);
        put(FILES.input, &content)?;
        let signatures: Vec<&Signature> = record.signatures.signatures().collect();
        let result = folder.join(FILES.reduced);
        let options = self.options(&path, &content, &signatures, group)?;
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
        let best = files::read(&result)?;
        let tests = Past::read(&journal_file(&journal)).map_or(0, |past| past.outcomes());
        let line = shell_line(options.iter().flat_map(|(option, value)| [OsStr::new(option), OsStr::new(value)]));
        put(FILES.signature, format!("{line}\n").as_bytes())?;
        self.explain(&path, (&content, &best), tests, signatures[group], &put)?;
        Ok(Reduced { from: file.name.clone(), before: content.len(), after: best.len(), tests })
    }

    /// Returns the conditions of a group: its own signature, and none of the others, except for those that its file
    /// also shows.
    fn options(
        &self,
        path: &Path,
        content: &[u8],
        signatures: &[&Signature],
        group: usize,
    ) -> Result<Vec<(&'static str, String)>, Failure> {
        let mut probe = Probe::new(content.len(), Some(self.many.deadline), self.cancel)?;
        let (outcome, written) = self.showing(signatures[group], &mut probe, path, content)?;
        let others = signatures.iter().enumerate().filter(|(number, other)| {
            *number != group && !other.is_shown_by(content, outcome.exit, &written.stdout, &written.stderr)
        });
        let not = others.filter_map(|(_, other)| match &other.mark {
            Mark::Stdout(pattern) => Some(("--not-stdout", pattern.clone())),
            Mark::Stderr(pattern) => Some(("--not-stderr", pattern.clone())),
            Mark::Signal(_) | Mark::ExitCode(_) => None,
        });
        Ok(signatures[group].options().into_iter().chain(not).collect())
    }

    /// A run on a text that shows a failure, if there is one among as many as the user wants.
    fn showing(
        &self,
        signature: &Signature,
        probe: &mut Probe<'_>,
        path: &Path,
        text: &[u8],
    ) -> Result<(Outcome, Written), Failure> {
        let oracle = self.many.oracle(path)?;
        let shows = |(outcome, written): &(Outcome, Written)| {
            signature.is_shown_by(text, outcome.exit, &written.stdout, &written.stderr)
        };
        Ok(self.args.flaky.until(|| probe.run(&oracle, text), shows))
    }

    /// The command line of a group's reduction.
    fn words(&self, path: &Path, result: &Path, options: &[(&'static str, String)]) -> Vec<OsString> {
        let mut words: Vec<OsString> =
            ["lop", "--quiet", "--ui", "none", "--no-config", "--canonical"].map(OsString::from).to_vec();
        words.extend([path.into(), "-o".into(), result.into()]);
        words.extend(["-j".into(), self.many.jobs.to_string().into()]);
        words.extend(["--timeout".into(), self.many.deadline.as_secs_f64().to_string().into()]);
        words.extend(self.args.fast.then(|| "--fast".into()));
        words.extend(self.args.flaky.flaky.map(|_| "--flaky".into()));
        words.extend(self.args.folder.many.confine.words());
        words.extend(self.args.folder.grammar.words());
        words.extend(options.iter().map(|(option, value)| format!("{option}={value}").into()));
        words.push("--".into());
        words.extend(self.many.words.iter().cloned());
        words
    }

    /// Continues the reduction of an earlier run; `None` if there is none with this command line.
    fn go_on(&self, journal: &Path, words: &[OsString]) -> Option<Result<Code, Failure>> {
        let past = Past::read(&journal_file(journal)).ok()?;
        let same = past.header.arguments.iter().map(state::word).eq(words.iter().cloned());
        let jobs = Some(self.many.jobs);
        let args = ResumeArgs {
            #[cfg(feature = "remote")]
            remote: Default::default(),
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
        signature: &Signature,
        put: &Put<'_>,
    ) -> Result<(), Failure> {
        let oracle = self.many.oracle(path)?;
        let mut probe = Probe::new(best.len(), Some(self.many.deadline), self.cancel)?;
        let (outcome, written) = self.showing(signature, &mut probe, path, best)?;
        put(FILES.stderr, &written.stderr)?;
        let language = Language::find(&self.args.folder.grammar, path, before)?;
        let folder = language.folder();
        let bug_report = BugReport {
            path,
            language: folder.as_ref().map_or(TEXT, |folder| folder.name),
            archive: None,
            words: &self.args.folder.many.test,
            is_command: true,
            wanted: &words_of(signature),
        };
        let made = made((before.len(), best.len()), tests as u64);
        put(FILES.issue, bug_report.markdown(best, (Some(&outcome), false), &made, &oracle).as_bytes())
    }
}

/// Writes the report.
fn tell(args: &TriageArgs, record: &Record, rows: &[Row], out: &Path) -> Result<(), Failure> {
    if let Some(path) = &args.folder.many.json {
        let others = record.others().into_iter();
        let others = others.map(|(kind, files)| json!({ "event": "others", "are": kind, "files": files }));
        let lines: Vec<Value> = rows.iter().map(|row| row.json(out)).chain(others).collect();
        if write_json(path, &lines, audience(&args.folder.path))? {
            return Ok(());
        }
    }
    let mut to = text::stdout();
    show(&mut to, record, rows, out).and_then(|()| to.flush()).or_else(Failure::unless_closed)
}

fn show(to: &mut dyn Write, record: &Record, rows: &[Row], out: &Path) -> io::Result<()> {
    if !rows.is_empty() {
        let mut table = text::Table::new(1, &["group", "files", "bytes", "reduced to", "tests"]);
        for row in rows {
            let size =
                |which: fn((usize, usize)) -> usize| row.sizes.map_or("-".to_owned(), |sizes| text::len(which(sizes)));
            let tests = row.tests.map_or("-".to_owned(), text::len);
            table.row(vec![
                row.folder.clone(),
                text::len(row.files),
                size(|sizes| sizes.0),
                size(|sizes| sizes.1),
                tests,
            ]);
        }
        table.write(to)?;
    }
    for row in rows {
        if row.signatures.len() > 1 {
            let all = row.signatures.join("; ");
            writeln!(
                to,
                "{STRONG}merged{STRONG:#}  {}: the same result shows {}",
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
        listed(to, kind, &files)?;
    }
    writeln!(to, "{STRONG}report{STRONG:#}  {}", text::path(&out.join(PAGE)))
}
