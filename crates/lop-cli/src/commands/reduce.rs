//! `lop TEST FILE` and `lop FILE -- CMD`: the main job, from settings to exit code.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::exit_code::Code;
use crate::failure::{Cause, Failure, Unfinished};
use crate::incomplete_test::{Probe, missing_of, named_of};
use crate::options::ReduceArgs;
use crate::piped::is_stdout;
use crate::settings::{Case, Output, Reporting, Settings, Testing};
use crate::ui_args::UiArg;
use crate::{absolute_words, detect, signals, state};
use lop_doctor::{Checkup, CheckupLevel, Examination};
use lop_engine::Verdict;
use lop_files::disk::{self, Folder, ReadAccess};
use lop_files::project::{self, TestCase};
use lop_grammar::Choice;
use lop_journal::{Before, Cache, Header, Journal, Lock, Notes, Past};
use lop_reduce::{BASELINE_DEADLINE, Ended, Event, EventSink, Options, ReduceError, Report, reduce_shared};
use lop_report::origins::Origins;
use lop_report::screen::Subject;
use lop_report::summary::{self, OutputPaths};
use lop_report::text::{self, HINT, STRONG, WARN};
use lop_report::{
    ChangeCheck, FirstRun, History, Input, JsonLines, Kept, Others, Reporters, Store, Verbosity, state_directory,
};
use lop_run::exec::{self, Executor, Remembering};
use lop_run::oracle::{Cancel, CommandOracle, Oracle, Outcome, Slot, SlotOptions, Table, Written};

use super::doctor::NULL;
use super::post_run_reports::{PostRunReports, open_page};

/// A test that takes longer is not run again to see the errors of the result.
const COMPARED: Duration = Duration::from_secs(10);
/// Extensions of texts that are in no language.
const PLAIN: [&str; 5] = ["txt", "text", "log", "md", "out"];
/// A text with no more tokens can be the smallest possible one.
const FEW_TOKENS: usize = 10;
/// Errors of the result that are shown.
const FRESH: usize = 3;

/// Reduces the test case in the arguments.
///
/// # Errors
/// If lop cannot start or continue.
pub fn run(args: ReduceArgs, arguments: Vec<OsString>) -> Result<Code, Failure> {
    Settings::new(&args).and_then(|settings| carry_out(settings, Start::New(arguments)))
}

/// Where a reduction starts.
pub(super) enum Start {
    /// At the input; these are the words of the command line.
    New(Vec<OsString>),
    /// Where an interrupted run stopped.
    Again {
        /// Keeps others from the journal.
        lock: Lock,
        /// The content of the journal.
        past: Box<Past>,
    },
}

/// Reduces.
///
/// # Errors
/// If lop cannot start or continue.
pub(super) fn carry_out(settings: Settings, start: Start) -> Result<Code, Failure> {
    let cancel = Cancel::new();
    // The limit includes the time before the reduction.
    cancel.expire_at(settings.options.max_time.and_then(|most| Instant::now().checked_add(most)));
    signals::watch(cancel.clone()).map_err(Failure::Signals)?;
    carry_out_until(settings, start, cancel)
}

/// Reduces; the caller watches for signals.
pub(super) fn carry_out_until(mut settings: Settings, mut start: Start, cancel: Cancel) -> Result<Code, Failure> {
    let is_command = matches!(settings.output.input, Input::Command(..));
    if settings.case.project.is_some() && settings.output.kept == Kept::Stdout && !is_command {
        return Err(Failure::Usage {
            message: "a directory cannot be written to standard output".to_owned(),
            hint: "give -o the name of a directory, which lop makes".to_owned(),
        });
    }
    let first_run = announce(&settings);
    // Without a journal only other crashes may be kept there, and their keeper checks the folder first.
    settings.output.state.as_deref().map_or(Ok(()), state::check_folder)?;
    if settings.test.made.is_some() {
        let made = made_of(&settings.test.oracle, &settings.case.content, settings.options.deadline, &cancel);
        made.map_err(|why| Failure::Usage {
            message: format!("nothing can be made of {}: {why}", settings.case.path.display()),
            hint: "run the generator on this file by hand; it must exit with 0".to_owned(),
        })?;
    }
    let typed = start.settle(&mut settings, &cancel)?;
    if let Start::Again { past, .. } = &start
        && let Ok(best) = past.text(past.steps.len())
    {
        settings.test.oracle.doubt(&best);
    }
    let header = start.header(&settings, &typed)?;
    let mut reduction = Reduction::new(settings, start, header, (typed, cancel))?;
    reduction.reporters.first_run = first_run;
    reduction.carry_out()
}

/// Says the language before anything can take long, and then whether the first run does, until the value is dropped.
fn announce(settings: &Settings) -> Option<FirstRun> {
    if settings.reporting.verbosity == Verbosity::Quiet || settings.reporting.ui == UiArg::None {
        return None;
    }
    let language = text::one_line(&settings.case.language_and_reason());
    // A closed standard error is no reason to fail.
    let _ = writeln!(text::stderr(), "{STRONG}language{STRONG:#}  {language}");
    let extension = settings.case.path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if settings.case.choice == Choice::UnknownExtension && !PLAIN.contains(&extension.as_str()) {
        let _ = writeln!(
            text::stderr(),
            "{HINT}hint:{HINT:#} --grammar PATH takes any tree-sitter parser: `npm install @ast-grep/lang-NAME` brings one, \
             and `tree-sitter build` makes one of a parser's sources"
        );
    }
    if let Some(place) = settings.test.oracle.place() {
        let _ = writeln!(text::stderr(), "{STRONG}tests{STRONG:#}     on {place}");
    }
    FirstRun::watch(settings.test.spec.timeout_is_interesting)
}

/// A reduction: its settings, the places that it writes to, which are open, and the workers that run its tests.
struct Reduction {
    case: Case,
    test: Testing,
    options: Options,
    output: Output,
    reporting: Reporting,
    /// The command line, with the condition that was found.
    typed: Vec<OsString>,
    cancel: Cancel,
    oracle: Arc<CommandOracle>,
    workers: Box<dyn Executor>,
    /// Where the workers, and others, run tests.
    slots: SlotOptions,
    reporters: Reporters,
    /// The file of the report.
    page: Option<(PathBuf, File)>,
    /// The message about a journal that was there.
    note: Option<String>,
}

impl Reduction {
    /// Opens the cache, the events, the report and the journal, and starts the workers.
    fn new(
        settings: Settings,
        start: Start,
        header: Header,
        (typed, cancel): (Vec<OsString>, Cancel),
    ) -> Result<Self, Failure> {
        let Settings { case, mut test, options, output, mut store, reporting } = settings;
        let readers = audience(&case).readers();
        let cache = output.cache.as_deref().map(|folder| Cache::open(folder, &header.test, readers));
        let cache = cache.transpose().map_err(Failure::Cache)?;
        let json = reporting.json.as_deref().map(|path| open_json(path, readers, &cancel)).transpose()?;
        let json = json.map(|json| json.with_grammar_reason(case.choice.reason(&case.path)));
        let page = open_page(&reporting.wanted, readers, &cancel)?;
        let history = History { origins: page.as_ref().map(|_| Origins::new(&case.content)), ..History::default() };
        let oracle = Arc::new(test.oracle.clone());
        let slots = SlotOptions::of_program(case.content.len());
        let workers = exec::start(oracle.clone(), test.jobs, &slots, &cancel)?;
        let header = Header { workers: workers.slots(), ..header }.marked(state::own_key().as_ref());
        // A resumed run was examined when it began.
        if matches!(start, Start::Again { .. }) {
            test.checkup = CheckupLevel::Nothing;
        }
        let (journal, note) = start.journal(&header, &case, &output, &mut store)?;
        let is_taken = reporting.json.as_deref().is_some_and(is_stdout);
        let progress = reporting.ui.display(reporting.verbosity, is_taken, || Subject {
            path: case.path.clone(),
            input: Arc::clone(&case.content),
            grammar: case.grammar.clone(),
            control: options.control.clone(),
            cancel: cancel.clone(),
            place: oracle.place(),
        });
        let (asked, then, place) = (oracle.clone(), header.test, output.place());
        let watch: ChangeCheck = Box::new(move || state::changed(&asked, &then, &place));
        // Other crashes have no place if the input and the result are standard streams.
        let is_beside = !case.is_piped || output.kept != Kept::Stdout;
        let usual = || is_beside.then(|| state_directory(&case.path, &output.kept));
        let reporters = Reporters {
            first_run: None,
            watch: Some(watch),
            warnings: Vec::new(),
            notes: Notes::new(journal, cache),
            store,
            others: output.state.clone().or_else(usual).map(|folder| Others::new(&folder, &case.path)),
            json,
            history,
            progress,
        };
        Ok(Reduction {
            case,
            test,
            options,
            output,
            reporting,
            typed,
            cancel,
            oracle,
            workers,
            slots,
            reporters,
            page,
            note,
        })
    }

    /// Reduces, and delivers the result.
    fn carry_out(mut self) -> Result<Code, Failure> {
        let (result, checkup) = self.search();
        // The limit does not cover the remaining work.
        self.cancel.expire_at(None);
        if let Ok(report) = &result
            && report.ended == Ended::Complete
        {
            let warning = self.fresh_errors(&report.best);
            self.reporting.attention.extend(warning);
        }
        // No test of lop's is running any more when it writes its last line.
        self.workers.shutdown();
        // An error must not be written into the live line.
        self.reporters.progress = None;
        let mut report = result.map_err(|error| {
            let why = self.cause(&error);
            self.failed(error, why)
        })?;
        self.doubt_server(&mut report);
        let changed = self.oracle.side_files().iter().filter(|side_file| side_file.has_changed());
        self.reporters.warnings.extend(changed.map(|side_file| {
            let original = side_file.original().display();
            format!("the test has changed its copy of {original}: later answers may differ from earlier ones; yours is as it was")
        }));
        self.deliver(&report, checkup)?;
        let Reduction { case, test, reporting, output, reporters, oracle, page, .. } = self;
        let place = output.place_in(&reporters.store);
        let reports = PostRunReports { case: &case, test: &test, reporting: &reporting, place: &place };
        reports.write(page, &report, &reporters.history, &oracle)?;
        Ok(match report.ended {
            Ended::Complete => Code::Reduced,
            Ended::Cancelled | Ended::Budget => Code::StoppedEarly,
        })
    }

    /// Goes back to the last confirmed result if a new server doesn't accept the one of a run that ended early. At the end
    /// of a complete run new servers have confirmed it.
    fn doubt_server(&mut self, report: &mut Report) {
        let is_asked = self.oracle.stays_up() && report.ended != Ended::Complete && report.best != report.confirmed.0;
        if !is_asked || self.cancel.is_killed() {
            return;
        }
        // The user's stop was about the search.
        let cancel = Cancel::new();
        let Ok(mut place) = Probe::new(report.best.len(), self.options.deadline, &cancel) else { return };
        if place.run(&self.oracle, &report.best).0.verdict.is_none_or(|verdict| verdict == Verdict::Interesting) {
            return;
        }
        (report.best, report.after) = report.confirmed.clone();
        self.reporters.warnings.push(
            "a new server does not accept the last result, because the server keeps state between candidates; this is the \
             last one that was confirmed"
                .to_owned(),
        );
    }

    /// Warns about errors of the result that the input does not have. A slow test, or one on another machine, is not run
    /// for this.
    fn fresh_errors(&self, best: &[u8]) -> Option<String> {
        let content = &*self.case.content;
        if !self.test.spec.only_errors.is_empty() || self.oracle.place().is_some() || best == content {
            return None;
        }
        // Most tests keep their tool's messages to themselves.
        let before = self.reporters.history.baseline.as_ref()?;
        if before.stdout_tail.is_empty() && before.stderr_tail.is_empty() {
            return None;
        }
        let deadline = self.options.deadline.map_or(COMPARED, |deadline| deadline.min(COMPARED));
        let mut place = Probe::new(content.len(), Some(deadline), &self.cancel).ok()?;
        let (table, name) = (Table::default(), self.case.path.file_name().unwrap_or_default().to_string_lossy());
        let result = place.run(&self.oracle, best).1;
        table.lists_errors(&result).then_some(())?;
        let is_whole = before.stdout_tail.len().max(before.stderr_tail.len()) < Outcome::TAIL;
        let input = match is_whole {
            true => Written { stdout: before.stdout_tail.clone(), stderr: before.stderr_tail.clone() },
            false => place.run(&self.oracle, content).1,
        };
        let fresh = table.fresh_errors(&name, &input, &result);
        let (shown, more) = fresh.split_at(fresh.len().min(FRESH));
        let more = if more.is_empty() { String::new() } else { format!(" (and {} more)", more.len()) };
        (!shown.is_empty())
            .then(|| format!("the result has errors that the input doesn't have: {}{more}", shown.join("; ")))
    }

    /// Examines the test and searches; the second value is the runs and the time of the examination.
    fn search(&mut self) -> (Result<Report, ReduceError>, (usize, Duration)) {
        let (content, cancel) = (&self.case.content, &self.cancel);
        let trivial_inputs = self.case.trivial_inputs();
        let examination = Examination {
            oracle: &self.oracle,
            words: &self.test.words,
            path: &self.case.path,
            content,
            trivial_inputs: &trivial_inputs,
            wanted: &self.test.wanted,
            jobs: self.workers.slots(),
            deadline: self.options.deadline,
            slots: self.slots.clone(),
            null: Path::new(NULL),
        };
        let mut memory = self.reporters.notes.clone();
        let mut executor = Remembering::new(&mut *self.workers, &mut memory);
        let (options, reporters, note) = (&self.options, &mut self.reporters, self.note.take());
        let (extent, grammar) = (self.test.checkup, self.case.grammar.clone());
        let (result, (made, attention)) = thread::scope(|scope| {
            let mut sink = Checkup::new(examination, (cancel, &options.control), extent, reporters, scope);
            let result = note.map_or(Ok(()), |note| sink.event(&Event::Note(&note)));
            let result = result.map_err(|source| ReduceError::Sink { source, best: content.to_vec() });
            let result = result
                .and_then(|()| reduce_shared(Arc::clone(content), grammar, &mut executor, options, &mut sink, cancel));
            (result, sink.end())
        });
        self.reporting.attention.extend(attention);
        (result, made)
    }

    /// Finds the reason of a test that refuses its own input.
    fn cause(&self, error: &ReduceError) -> Option<Cause> {
        let ReduceError::NotInteresting { outcome } = error else { return None };
        let written = Written { stdout: outcome.stdout_tail.clone(), stderr: outcome.stderr_tail.clone() };
        let (oracle, content, path) = (&*self.oracle, &*self.case.content, &self.case.path);
        let mut place = Probe::new(content.len(), self.options.deadline, &self.cancel).ok()?;
        if let Some(missing) = missing_of(oracle, path, &written, &mut place, content).ok()? {
            return Some(Cause::Misses(missing));
        }
        let grammar = self.case.grammar.as_deref();
        let named = grammar.and_then(|grammar| named_of(oracle, path, grammar, &mut place, content));
        let turned =
            || (self.case.project.is_none() && place.run(oracle, b"").0.is_interesting()).then_some(Cause::IsReversed);
        named.map(Cause::Misses).or_else(turned)
    }

    /// Puts the result in its place, and says so.
    fn deliver(&mut self, report: &Report, checkup: (usize, Duration)) -> Result<(), Failure> {
        let Reporters { store, notes, others, warnings, .. } = &mut self.reporters;
        let (output, cancel) = (&self.output, &self.cancel);
        // It was stopped before it reached the best result of the run that it continues.
        let ahead = notes.ahead().filter(|_| report.ended != Ended::Complete);
        let best = ahead.as_deref().unwrap_or(&report.best);
        store.finish(best, &|| !cancel.is_stopped()).or_else(|source| {
            // A reader who has seen enough wants no more.
            if output.kept == Kept::Stdout && source.kind() == io::ErrorKind::BrokenPipe {
                return Ok(());
            }
            let kept = match output.kept {
                Kept::Stdout => aside(&self.case, best, "standard output has a part of it at most"),
                _ => rescue((&self.case, output), best, store, cancel),
            };
            Err(Failure::Result { source, place: output.place(), kept })
        })?;
        warnings.extend(store.notice());
        notes.ended(report.ended).map_err(|source| Failure::Result {
            source,
            place: "the journal".to_owned(),
            kept: format!("the result is in {}", output.place()),
        })?;
        let verbosity = self.reporting.verbosity;
        let made = match &self.test.made {
            None => None,
            Some(path) => match made_of(&self.oracle, best, self.options.deadline, cancel) {
                Ok(made) => {
                    let (folder, name) = Folder::of(path).map_err(Failure::Output)?;
                    let written = folder.replace(&name, &made, audience(&self.case));
                    let kept = format!("the choices are in {}", output.place());
                    let place = path.display().to_string();
                    written.map_err(|source| Failure::Result { source, place, kept })?;
                    Some((path, made))
                }
                Err(why) => {
                    warnings.push(format!("{} was not written: {why}", path.display()));
                    None
                }
            },
        };
        if verbosity > Verbosity::Quiet {
            let place = output.place_in(store);
            let place = match &made {
                Some((path, _)) => format!("{place}, which makes {}", path.display()),
                None => place,
            };
            let journal = notes.place();
            let mut attention = warnings.clone();
            attention.extend(ahead.as_ref().map(|best| {
                format!(
                    "this run stopped before it came to the best result of the interrupted run; the result is still that \
                     one, of {} bytes",
                    best.len()
                )
            }));
            attention.extend(self.reporting.attention.iter().cloned());
            attention.extend(trivial(&self.case, &self.test, best));
            attention.extend(unmoved(report));
            let case = report.case().with(best);
            let command = case.words().map(|_| self.oracle.line_of(best));
            let files = |text: &[u8]| Some(self.case.project.as_ref()?.archive().files(text).len());
            let language = self.case.language();
            let shown = made.as_ref().map_or(case, |(_, made)| TestCase::new(None, made));
            let places = OutputPaths {
                input: &self.case.path,
                grammar: &language,
                files: files(&self.case.content).zip(files(best)).filter(|(all, left)| *all > 1 || left < all),
                command: command.as_deref(),
                result: &place,
                original: store.original(),
                checkup,
                best: (output.kept != Kept::Stdout).then_some(shown),
                attention: &attention,
                journal: journal.as_deref(),
                others: others.as_ref(),
            };
            // A closed standard error is no reason to fail, the result is in its place.
            let mut out = text::stderr();
            let _ = summary::write(&mut out, report, &places, verbosity > Verbosity::Normal);
        } else {
            // Even a quiet run warns: the result is somewhere else, or rests on two tests.
            for warning in warnings {
                let _ = writeln!(text::stderr(), "{WARN}warning:{WARN:#} {}", text::one_line(warning));
            }
        }
        Ok(())
    }

    /// Saves the best result, and returns the failure with its place.
    fn failed(&mut self, error: ReduceError, why: Option<Cause>) -> Failure {
        let reporters = &mut self.reporters;
        let best = match &error {
            ReduceError::Unresolved { best, .. } => best.as_deref(),
            ReduceError::Sink { best, .. } => Some(best.as_slice()),
            _ => None,
        };
        // The input itself may not have been judged, and is at its place.
        let best = best.filter(|&best| best != &*self.case.content);
        let can_go_on = reporters.notes.settle(is_refused(&error));
        let kept = match reporters.notes.ahead() {
            Some(_) => Some(format!("the best result so far is in {}", self.output.place_in(&reporters.store))),
            None => best.map(|best| rescue((&self.case, &self.output), best, &mut reporters.store, &self.cancel)),
        };
        let go_on = reporters.notes.place().filter(|_| can_go_on);
        let kept = kept.map(|kept| match &go_on {
            Some(place) => format!("{kept}; continue with `lop resume {}`", place.display()),
            None => kept,
        });
        let failure = Failure::Reduce(Box::new(Unfinished {
            error,
            input: self.case.path.clone(),
            test: self.oracle.describe(),
            wanted: self.test.wanted.clone(),
            says_nothing: self.test.is_command && !self.test.spec.has_conditions(),
            remote: self.oracle.place(),
            why,
            typed: self.typed.clone(),
            kept,
        }));
        if let Some(json) = &mut reporters.json {
            // Report the failure itself, and ignore one of this file: they can be the same.
            let _ = json.failed(failure.code() as u8, &failure.headline());
        }
        failure
    }
}

/// Writes `best` wherever that is possible, and returns a sentence with its place.
fn rescue((case, output): (&Case, &Output), best: &[u8], store: &mut Store, cancel: &Cancel) -> String {
    if store.rescue(best, &|| !cancel.is_stopped()).is_ok() {
        return format!("the best result so far is in {}", output.place_in(store));
    }
    let rest = if store.is_gone() {
        format!("the folder of {} is not there any more", output.place())
    } else if store.is_written() {
        // The last one that could be written is whole, and was judged interesting.
        format!("{} holds a larger one", output.place_in(store))
    } else {
        format!("{} is unchanged", case.path.display())
    };
    aside(case, best, &rest)
}

/// Writes `best` to a place of its own, and returns a sentence with the place and `rest`.
fn aside(case: &Case, best: &[u8], rest: &str) -> String {
    match set_aside(case, best) {
        Ok(path) => format!("the best result so far is in {}; {rest}", path.display()),
        Err(_) => format!("the best result so far could not be written anywhere; {rest}"),
    }
}

/// Writes `best` to a new temporary file, or several files to a new temporary directory, and keeps it.
fn set_aside(case: &Case, best: &[u8]) -> io::Result<PathBuf> {
    let mut suffix = OsString::from("-");
    suffix.push(case.path.file_name().unwrap_or_default());
    let mut builder = tempfile::Builder::new();
    builder.prefix("lop-best-").suffix(&suffix);
    if let Some(project) = &case.project {
        let folder = builder.tempdir()?;
        project::write(project.archive(), best, folder.path()).map_err(|error| error.source)?;
        return Ok(folder.keep());
    }
    let mut file = builder.tempfile()?;
    file.write_all(best)?;
    Ok(file.keep()?.1)
}

/// Warns about a trivial result.
fn trivial(case: &Case, test: &Testing, best: &[u8]) -> Option<String> {
    let is_trivial = case.trivial_inputs().is_hollow(best);
    is_trivial
        .then(|| format!("the result is a trivial file; check that the condition describes your bug ({})", test.wanted))
}

/// Returns what the generator makes of the result. A stop of the reduction does not concern it.
fn made_of(
    oracle: &CommandOracle,
    best: &[u8],
    deadline: Option<Duration>,
    cancel: &Cancel,
) -> Result<Vec<u8>, String> {
    let fresh = Cancel::new();
    let mut slot = Slot::new(&SlotOptions::of_program(best.len())).map_err(|error| error.to_string())?;
    let cancel = if cancel.is_killed() { cancel } else { &fresh };
    let made = oracle.made(best, &mut slot, deadline.unwrap_or(BASELINE_DEADLINE), cancel);
    let made = made.map_err(|outcome| {
        let why = outcome.note.unwrap_or_else(|| outcome.exit.to_string());
        let said = String::from_utf8_lossy(&outcome.stderr_tail);
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        last.map_or_else(|| why.clone(), |line| format!("{why}; it wrote: {}", line.trim()))
    })?;
    made.ok_or_else(|| "there is no generator".to_owned())
}

/// Removes the files that a killed run left in its places. This run holds the journal, so no other is using them.
fn clear(output: &Output, store: &Store) {
    store.clear();
    if let Some(folder) = &output.state {
        state::clear_folder(folder);
    }
}

/// Whether another program has written to the place of the result since the run was interrupted.
fn is_changed(output: &Output, past: &Past) -> bool {
    let begun = match &output.kept {
        Kept::InPlace => true,
        // The first step replaces an earlier file there, unless a kill came before it.
        Kept::File(_) => past.steps.len() > 1,
        Kept::Stdout => return false,
    };
    begun && output.input.found(&output.kept).is_some_and(|found| !state::knows(past, &output.input, &found))
}

/// Returns the readers of files next to the input.
fn audience(case: &Case) -> ReadAccess {
    if case.is_piped { ReadAccess::OWN } else { ReadAccess::of_file(&case.path) }
}

impl Start {
    /// The words of the command line with which the reduction began.
    fn arguments(&self) -> Vec<OsString> {
        match self {
            Start::New(arguments) => arguments.clone(),
            Start::Again { past, .. } => past.header.arguments.iter().map(state::word).collect(),
        }
    }

    /// Completes the settings, and returns the command line with the conditions that were found: `lop resume` doesn't
    /// search again.
    fn settle(&mut self, settings: &mut Settings, cancel: &Cancel) -> Result<Vec<OsString>, Failure> {
        if let Start::New(words) = self {
            absolute_words::settle(settings, words)?;
        }
        let typed = if let Start::New(words) = self { Some(words.as_slice()) } else { None };
        detect::settle(settings, typed, cancel)?;
        Ok(detect::with_conditions(self.arguments(), &settings.test.found))
    }

    /// Makes the header of the journal. That of an interrupted run must fit it.
    fn header(&self, settings: &Settings, typed: &[OsString]) -> Result<Header, Failure> {
        let header = state::header(settings, typed)?;
        if let Start::Again { past, .. } = self {
            state::check(past, &header, settings)?;
            past.skipped.iter().for_each(|(moment, pass)| settings.options.control.skip_at(pass, *moment));
        }
        Ok(header)
    }

    /// The journal to write, and the message about the one that was there.
    fn journal(
        self,
        header: &Header,
        case: &Case,
        output: &Output,
        store: &mut Store,
    ) -> Result<(Option<Journal>, Option<String>), Failure> {
        let (lock, past) = match (self, &output.state) {
            (Start::Again { lock, past }, _) => (lock, past),
            (Start::New(_), None) => return Ok((None, None)),
            (Start::New(_), Some(folder)) => {
                let (journal, before) = Journal::create(folder, header, &case.content, audience(case))?;
                clear(output, store);
                return Ok((Some(journal), before.map(|before| moved(&before))));
            }
        };
        let (journal, copy) = Journal::resume(lock, &past)?;
        clear(output, store);
        if is_changed(output, &past) {
            store.leave();
        }
        if let Some(best) = journal.ahead() {
            let (place, number) = (output.place(), past.steps.len());
            let folder = past.path.display();
            let kept = format!("`lop history {folder} --at {number} -o OUT` writes the best one so far remote");
            store.restore(best, &case.content).map_err(|source| Failure::Result { source, place, kept })?;
        }
        Ok((Some(journal), Some(resumed(&past, copy.as_deref()))))
    }
}

/// The message when an unfinished journal was in the way.
fn moved(before: &Before) -> String {
    let which = if before.same { "this reduction" } else { "another reduction" };
    let outcomes = text::plural(before.outcomes as u64, "outcome");
    let to = before.moved_to.display();
    format!("an interrupted run of {which} ({outcomes}) was moved to {to}; continue it with `lop resume {to}`")
}

/// The message of a resumed run.
fn resumed(past: &Past, copy: Option<&Path>) -> String {
    let outcomes = text::plural(past.outcomes() as u64, "outcome");
    let steps = text::plural(past.steps.len() as u64, "step");
    let bytes = text::plural(past.dropped as u64, "byte");
    let torn = match (past.dropped, copy) {
        (0, _) => String::new(),
        (_, None) => format!("; the last {bytes} of it were torn and are dropped"),
        (_, Some(copy)) => format!(
            "; it was damaged in its middle, not by a kill: the {bytes} from there on are dropped, and the whole of it \
             is kept as {}",
            copy.display()
        ),
    };
    format!("continuing from {}: {outcomes} and {steps} known{torn}", past.path.display())
}

/// Returns the advice if no token could be removed.
fn unmoved(report: &Report) -> Option<String> {
    let is_unmoved = report.ended == Ended::Complete && report.after.tokens == report.before.tokens;
    (is_unmoved && report.before.tokens > FEW_TOKENS).then(|| {
        "nothing could be removed: the test refuses every smaller candidate. `lop doctor` looks at the test; a condition that \
         asks for less, such as a part of the message, lets more go"
            .to_owned()
    })
}

/// Whether the reduction didn't start, so that there is nothing to resume.
fn is_refused(error: &ReduceError) -> bool {
    !matches!(error, ReduceError::Sink { .. } | ReduceError::Unresolved { best: Some(_), .. })
}

fn open_json(path: &Path, audience: ReadAccess, cancel: &Cancel) -> Result<JsonLines, Failure> {
    if is_stdout(path) {
        return Ok(JsonLines::new(Box::new(io::stdout())));
    }
    match disk::create(path, audience, &|| !cancel.is_stopped()) {
        Ok(file) => Ok(JsonLines::new(Box::new(file))),
        Err(source) => Err(Failure::Json { path: path.to_owned(), source }),
    }
}
