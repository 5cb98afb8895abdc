//! `lop TEST FILE` and `lop FILE -- CMD`: the main job, from settings to exit code.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::cli::args::{Jobs, ReduceArgs};
use crate::cli::exit_code::Code;
use crate::cli::failure::{Failure, Unfinished};
use crate::cli::model;
use crate::cli::settings::{Settings, is_stdout};
use crate::cli::signals;
use crate::doctor::{Checkup, Patient};
use crate::exec::{Executor, LocalOptions, LocalWorkers, Measured};
use crate::oracle::{Cancel, Oracle, SlotOptions};
use crate::reduce::{Ended, ReduceError, Report, reduce};
use crate::report::summary::{self, Places};
use crate::report::{JsonLines, Kept, Others, Progress, Reporters, Store, Verbosity, diff, state_directory};

use super::doctor::NULL;
use super::verify::certify;

/// Reduces what the arguments say.
///
/// # Errors
/// Whatever keeps lop from starting or from going on.
pub fn run(args: ReduceArgs) -> Result<Code, Failure> {
    let settings = Settings::new(args)?;
    let cancel = Cancel::new();
    signals::watch(cancel.clone()).map_err(Failure::Signals)?;
    let json = settings.json.as_deref().map(open_json).transpose()?;
    let run = Run {
        path: settings.path.clone(),
        language: settings.language().to_owned(),
        test: settings.oracle.describe(),
        wanted: settings.wanted,
        relative: settings.relative,
        kept: settings.kept,
    };
    let options = LocalOptions {
        workers: match settings.jobs {
            None => 0,
            Some(Jobs::Exactly(jobs)) => jobs,
            Some(Jobs::Auto) => 2 * thread::available_parallelism().map_or(1, usize::from),
        },
        cancel: cancel.clone(),
        slots: SlotOptions { directory: None, candidate_len: settings.content.len(), owns_process: true },
    };
    let oracle = Arc::new(settings.oracle);
    let workers = LocalWorkers::new(oracle.clone(), &options)?;
    let mut workers: Box<dyn Executor> = match settings.jobs {
        Some(Jobs::Auto) => Box::new(Measured::new(workers)),
        _ => Box::new(workers),
    };
    let progress = (settings.verbosity > Verbosity::Quiet).then(|| Progress::new(settings.verbosity));
    let others = Others::new(&state_directory(&settings.path, &run.kept), &settings.path);
    let mut reporters = Reporters { store: settings.store, others, json, progress };
    let patient = Patient {
        oracle: &oracle,
        renamed: None,
        words: &settings.words,
        path: &run.path,
        content: &settings.content,
        wanted: &run.wanted,
        jobs: workers.slots(),
        deadline: settings.options.deadline,
        slots: options.slots.clone(),
        null: Path::new(NULL),
    };
    let mut sink = Checkup::new(patient, &cancel, settings.checkup, &mut reporters);
    let result = reduce(&settings.content, settings.grammar, &mut *workers, &settings.options, &mut sink, &cancel);
    let checkup = sink.made();
    // Before anything is said: when lop speaks its last word, no test of its is running any more.
    workers.shutdown();
    drop(workers);
    // An error must not be written into the live line.
    reporters.progress = None;
    let report = result.map_err(|error| run.failed(error, &settings.content, &mut reporters))?;
    run.finish(&report, checkup, &mut reporters, settings.save_model, settings.verbosity)?;
    if settings.diff {
        run.show_diff(&settings.content, &report.best)?;
    }
    Ok(match report.ended {
        Ended::Complete => Code::Reduced,
        Ended::Cancelled | Ended::Budget => Code::StoppedEarly,
    })
}

/// What is said about a run.
struct Run {
    path: PathBuf,
    language: String,
    test: String,
    wanted: String,
    relative: Vec<String>,
    kept: Kept,
}

impl Run {
    /// Puts the result and the model in their places, and says so.
    fn finish(
        &self,
        report: &Report,
        checkup: (usize, Duration),
        reporters: &mut Reporters,
        mut model: Option<model::Place>,
        verbosity: Verbosity,
    ) -> Result<(), Failure> {
        let Reporters { store, others, .. } = reporters;
        store.finish(&report.best).or_else(|source| {
            // A reader who has seen enough wants no more.
            if self.kept == Kept::Stdout && source.kind() == io::ErrorKind::BrokenPipe {
                return Ok(());
            }
            let kept = match self.kept {
                Kept::Stdout => self.aside(&report.best, "standard output has a part of it at most"),
                _ => self.rescue(&report.best, store),
            };
            Err(Failure::Result { source, place: self.place(), kept })
        })?;
        // Who wants the result on standard output wants no folder.
        if self.kept != Kept::Stdout {
            certify(report, &state_directory(&self.path, &self.kept));
        }
        let saved = model.as_mut().map_or(Ok(()), |model| model.save(&report.model));
        if verbosity > Verbosity::Quiet {
            let place = self.place();
            let places = Places {
                input: &self.path,
                grammar: &self.language,
                result: &place,
                original: store.original(),
                checkup,
                model: model.as_ref().filter(|_| saved.is_ok()).map(model::Place::path),
                others: Some(others),
            };
            // Nobody listens: that is no reason to fail, the result is in its place.
            let _ = summary::write(&mut anstream::stderr().lock(), report, &places);
        }
        saved
    }

    fn show_diff(&self, original: &[u8], best: &[u8]) -> Result<(), Failure> {
        let stdout = io::stdout();
        let colour = anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
        let (before, after) = (format!("{} (original)", self.path.display()), format!("{} (result)", self.place()));
        let mut out = io::BufWriter::new(stdout.lock());
        diff::write(&mut out, colour, (&before, original), (&after, best))
            .and_then(|()| out.flush())
            .or_else(Failure::unless_closed)
    }

    /// Where the result is, in words.
    fn place(&self) -> String {
        match &self.kept {
            Kept::InPlace => self.path.display().to_string(),
            Kept::File(output) => output.display().to_string(),
            Kept::Stdout => "standard output".to_owned(),
        }
    }

    /// Saves what can be saved, and says where it is.
    fn failed(&self, error: ReduceError, original: &[u8], reporters: &mut Reporters) -> Failure {
        let best = match &error {
            ReduceError::Unresolved { best, .. } => best.as_deref(),
            ReduceError::Sink { best, .. } => Some(best.as_slice()),
            _ => None,
        };
        // The input itself may not even have been judged, and is where it was.
        let best = best.filter(|&best| best != original);
        let kept = best.map(|best| self.rescue(best, &mut reporters.store));
        let failure = Failure::Reduce(Box::new(Unfinished {
            error,
            input: self.path.clone(),
            test: self.test.clone(),
            wanted: self.wanted.clone(),
            relative: self.relative.clone(),
            kept,
        }));
        if let Some(json) = &mut reporters.json {
            // The failure itself is what has to be told; it may be that of this very file.
            let _ = json.failed(failure.code() as u8, &failure.headline());
        }
        failure
    }

    /// Writes `best` wherever that is possible, and says in a sentence where it is.
    fn rescue(&self, best: &[u8], store: &mut Store) -> String {
        if store.rescue(best).is_ok() {
            return format!("the best result so far is in {}", self.place());
        }
        let rest = if store.is_written() {
            // The last one that could be written is whole, and was judged interesting.
            format!("{} holds a larger one", self.place())
        } else {
            format!("{} is unchanged", self.path.display())
        };
        self.aside(best, &rest)
    }

    /// Writes `best` to a place of its own, and says where that is and what the `rest` of the story is.
    fn aside(&self, best: &[u8], rest: &str) -> String {
        match self.set_aside(best) {
            Ok(path) => format!("the best result so far is in {}; {rest}", path.display()),
            Err(_) => format!("the best result so far could not be written anywhere; {rest}"),
        }
    }

    /// Writes `best` to a new file in the place for temporary files, where it stays.
    fn set_aside(&self, best: &[u8]) -> io::Result<PathBuf> {
        let mut suffix = OsString::from("-");
        suffix.push(self.path.file_name().unwrap_or_default());
        let mut file = tempfile::Builder::new().prefix("lop-best-").suffix(&suffix).tempfile()?;
        file.write_all(best)?;
        Ok(file.keep()?.1)
    }
}

fn open_json(path: &Path) -> Result<JsonLines, Failure> {
    if is_stdout(path) {
        return Ok(JsonLines::new(Box::new(io::stdout())));
    }
    match File::create(path) {
        Ok(file) => Ok(JsonLines::new(Box::new(file))),
        Err(source) => Err(Failure::Json { path: path.to_owned(), source }),
    }
}
