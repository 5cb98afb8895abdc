//! The reports after a run that the options ask for: page, explanation, bug report.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::failure::Failure;
use crate::report_args::ReportArgs;
use crate::settings::{Case, Reporting, Testing};
use lop_files::disk::{self, ReadAccess};
use lop_files::project::{Archive, TestCase};
use lop_reduce::{BASELINE_DEADLINE, Ended, Project, Report};
use lop_report::issue::Issue;
use lop_report::page::Page;
use lop_report::redaction::Redaction;
use lop_report::text::STRONG;
use lop_report::{History, Verbosity, diff, explain, text};
use lop_run::oracle::{Cancel, CommandOracle, Conditions, Oracle, Outcome, Slot, SlotOptions, shell_line};

/// Time limit of a program's `--version`.
const VERSION_DEADLINE: Duration = Duration::from_secs(10);
/// Time limit of a test with another value.
const VALUE_DEADLINE: Duration = Duration::from_secs(10);
/// Longest line of a version that is shown, in characters.
const VERSION: usize = 200;

/// The reports after a run, with the settings that they need.
pub(super) struct PostRunReports<'a> {
    pub(super) case: &'a Case,
    pub(super) test: &'a Testing,
    pub(super) reporting: &'a Reporting,
    /// The name of the place of the result.
    pub(super) place: &'a str,
}

/// A bug report.
pub(super) struct BugReport<'a> {
    /// The file to reduce.
    pub(super) path: &'a Path,
    pub(super) language: &'a str,
    /// The archive of several files.
    pub(super) archive: Option<&'a Archive>,
    /// The words of the test as they were typed, and whether they are a command and not a script.
    pub(super) words: &'a [OsString],
    pub(super) is_command: bool,
    /// The condition, in words.
    pub(super) wanted: &'a str,
}

/// Opens the file of the page.
pub(super) fn open_page(
    args: &ReportArgs,
    audience: ReadAccess,
    cancel: &Cancel,
) -> Result<Option<(PathBuf, File)>, Failure> {
    let Some(path) = &args.report else { return Ok(None) };
    match disk::create(path, audience, &|| !cancel.is_stopped()) {
        Ok(file) => Ok(Some((path.clone(), file))),
        Err(source) => Err(Failure::Page { path: path.clone(), source }),
    }
}

impl PostRunReports<'_> {
    /// Writes the reports that were asked for, the page to its open file.
    pub(super) fn write(
        &self,
        page: Option<(PathBuf, File)>,
        report: &Report,
        history: &History,
        oracle: &CommandOracle,
    ) -> Result<(), Failure> {
        page.map_or(Ok(()), |page| self.write_page(page, report, history, oracle))?;
        // A reader who has seen the first may not wait for the run that the last one needs.
        self.write_texts(report, history, oracle).or_else(Failure::unless_closed)
    }

    /// Writes the texts to standard output, with headings if there are several.
    fn write_texts(&self, report: &Report, history: &History, oracle: &CommandOracle) -> io::Result<()> {
        let mut out = text::stdout();
        let texts = &self.reporting.texts;
        for (number, option) in texts.iter().enumerate() {
            if texts.len() > 1 {
                let feed = if number > 0 { "\n" } else { "" };
                writeln!(out, "{feed}{STRONG}=== {} ==={STRONG:#}", option.trim_start_matches('-'))?;
            }
            match *option {
                "--diff" => {
                    self.write_differences(&mut out, &report.best)?;
                }
                "--explain" => {
                    let details = self.reporting.verbosity > Verbosity::Normal;
                    explain::write(&mut out, report.necessity.as_ref(), report.archive.as_ref(), details)?;
                    // A run that was stopped or may not test any more doesn't.
                    if let Some(map) = report.necessity.as_ref().filter(|_| report.ended == Ended::Complete) {
                        let mut shows = |text: &[u8]| {
                            run(oracle, text, VALUE_DEADLINE).is_some_and(|outcome| outcome.is_interesting())
                        };
                        explain::write_values(&mut out, map, &mut shows)?;
                    }
                }
                _ => out.write_all(self.issue(report, history, oracle).as_bytes())?,
            }
            out.flush()?;
        }
        Ok(())
    }

    /// Writes the differences, file by file if there are several.
    fn write_differences(&self, out: &mut dyn Write, best: &[u8]) -> io::Result<()> {
        let (name, original) = (text::path(&self.case.path), &*self.case.content);
        let Some(archive) = self.case.project.as_ref().map(Project::archive) else {
            let (before, after) = (format!("{name} (original)"), format!("{} (result)", self.place));
            return diff::write(out, true, (&before, original), (&after, best));
        };
        diff::write_files(out, true, archive, (" (original)", original), (" (result)", best))
    }

    fn write_page(
        &self,
        (path, mut file): (PathBuf, File),
        report: &Report,
        history: &History,
        oracle: &CommandOracle,
    ) -> Result<(), Failure> {
        let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
        let command = format!("lop {}", shell_line(arguments.iter().map(OsString::as_os_str)));
        let page = Page {
            name: &self.case.path.display().to_string(),
            language: &self.case.language(),
            original: &self.case.content,
            report,
            history,
            command: &command,
            test: &oracle.describe(),
            wanted: &self.test.wanted,
            result: self.place,
        };
        file.write_all(page.html().as_bytes()).map_err(|source| {
            let message = format!("the report {}: {source}", path.display());
            Failure::Output(io::Error::new(source.kind(), message))
        })
    }

    fn issue(&self, report: &Report, history: &History, oracle: &CommandOracle) -> String {
        let again = run(oracle, &report.best, BASELINE_DEADLINE);
        let outcome = again.as_ref().or(history.baseline.as_ref());
        let sizes = (report.before.bytes, report.after.bytes);
        let language = self.case.language();
        let bug_report = BugReport {
            path: &self.case.path,
            language: &language,
            archive: report.archive.as_ref(),
            words: &self.test.words,
            is_command: self.test.is_command,
            wanted: &self.test.wanted,
        };
        bug_report.markdown(&report.best, (outcome, again.is_none()), &made(sizes, report.tests.total()), oracle)
    }
}

impl BugReport<'_> {
    /// The bug report of a result, with the outcome of its run, or of that on the input.
    pub(super) fn markdown(
        &self,
        best: &[u8],
        (outcome, is_of_input): (Option<&Outcome>, bool),
        made: &str,
        oracle: &CommandOracle,
    ) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let version = if self.is_command { version(self.words, self.path) } else { None };
        Issue {
            name: &name,
            language: self.language,
            content: best,
            files: self.archive.map(|archive| archive.members(best)).unwrap_or_default(),
            command: &TestCase::new(self.archive, best)
                .words()
                .map_or_else(|| self.command_line(&name), |_| oracle.line_of(best)),
            wanted: self.wanted,
            version: version.as_deref(),
            outcome,
            is_of_input,
            made,
            redaction: &self.redaction(),
        }
        .markdown()
    }

    /// The directories of this run.
    fn redaction(&self) -> Redaction {
        let mut run: Vec<PathBuf> = std::env::current_dir().into_iter().collect();
        let beside = |path: &Path| std::path::absolute(path).ok()?.parent().map(Path::to_owned);
        run.extend(beside(self.path));
        run.extend(run.clone().iter().filter_map(|place| place.canonicalize().ok()));
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Redaction::new(&run, &std::env::temp_dir(), home.as_deref())
    }

    /// Returns the test's command as a user would type it next to the input.
    fn command_line(&self, name: &str) -> String {
        if !self.is_command {
            let words = self.words.iter().map(OsString::as_os_str);
            return shell_line(words.chain([name.as_ref()]));
        }
        let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let has_path = self.words.iter().any(|word| word.to_string_lossy().contains("@@"));
        let words: Vec<OsString> = self
            .words
            .iter()
            .map(|word| {
                let word = word.to_string_lossy().replace("@@.", &format!("{stem}."));
                OsString::from(word.replace("@@", name))
            })
            .collect();
        let line = shell_line(words.iter().map(OsString::as_os_str));
        let name = shell_line(std::iter::once(name.as_ref()));
        if has_path { line } else { format!("{line} < {name}") }
    }
}

/// Describes the reduction in a sentence.
pub(super) fn made((before, after): (usize, usize), tests: u64) -> String {
    let tests = text::plural(tests, "test");
    format!("Reduced from {} to {} bytes in {tests}.", text::len(before), text::len(after))
}

/// Runs a command in a new directory. Returns `None` if that is impossible.
fn run(oracle: &CommandOracle, candidate: &[u8], deadline: Duration) -> Option<Outcome> {
    let options = SlotOptions { candidate_len: candidate.len(), ..SlotOptions::default() };
    let mut slot = Slot::new(&options).ok()?;
    let outcome = oracle.judge(candidate, &mut slot, deadline, &Cancel::new());
    outcome.verdict.is_some().then_some(outcome)
}

/// The answer of a command's program to `--version`, in a line.
fn version(words: &[OsString], path: &Path) -> Option<String> {
    let words = [words.first()?.clone(), "--version".into()];
    let oracle = CommandOracle::command(&words, path, Conditions::default()).ok()?;
    let outcome = run(&oracle, b"", VERSION_DEADLINE).filter(Outcome::is_interesting)?;
    let said = if outcome.stdout_tail.trim_ascii().is_empty() { outcome.stderr_tail } else { outcome.stdout_tail };
    let said = String::from_utf8_lossy(&said).into_owned();
    let line = said.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(text::visible(line, VERSION))
}
