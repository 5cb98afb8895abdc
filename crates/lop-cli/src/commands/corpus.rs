//! `lop corpus`: finds few, small files that together show all behaviours of a directory of files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::corpus_args::{CorpusArgs, USAGE};
use crate::exit_code::Code;
use crate::failure::Failure;
use crate::files;
use crate::incomplete_test::Probe;
use crate::language::Language;
use crate::many::{Input, Many, audience, files_in, listed, write_json};
use crate::progress_line::progress_line;
use crate::signals;
use lop_engine::Verdict;
use lop_files::disk;
use lop_reduce::corpus::{Shows, all_of, choose};
use lop_reduce::steps::MINIMALITY;
use lop_reduce::{Ended, Event, EventSink, Options, Report, reduce_shared};
use lop_report::text::{self, STRONG, WARN};
use lop_report::{Input as Source, Kept, Store};
use lop_run::exec::{self, Jobs};
use lop_run::oracle::{Cancel, CommandOracle, Exit, Oracle, Outcome, Slot, SlotOptions, Unresolved};

/// One in this many files is run a second time; if more were chosen, only some of these.
const CHECKED: usize = 5;

/// Chooses the files, reduces them if requested, and reports on standard output.
///
/// # Errors
/// If lop cannot start or continue.
pub fn run(args: &CorpusArgs) -> Result<Code, Failure> {
    let many = Many::new(&args.folder, USAGE)?;
    let is_used = fs::read_dir(&args.output).is_ok_and(|mut entries| entries.next().is_some());
    if is_used || args.output.is_file() {
        return Err(Failure::Usage {
            message: format!("{} is not empty", args.output.display()),
            hint: "name a new directory with -o".to_owned(),
        });
    }
    let files = files_in(&args.folder.path, &args.output)?;
    let cancel = Cancel::new();
    signals::watch(cancel.clone()).map_err(Failure::Signals)?;
    let mut corpus = Corpus { args, many: &many, cancel: &cancel, names: HashMap::new(), runs: 0 };
    let all: Vec<&Input> = files.iter().collect();
    let seen = corpus.look(&all, "looking at")?;
    let shows: Vec<Shows> = seen.iter().map(|seen| seen.shows.clone()).collect();
    let stopped = || Failure::Stopped { path: args.folder.path.clone(), out_of_time: false };
    let chosen = choose(&shows, &|| cancel.is_stopped()).ok_or_else(stopped)?;
    let chosen: Vec<(&Input, Shows)> = chosen.into_iter().map(|at| (&files[at], shows[at].clone())).collect();
    if chosen.is_empty() {
        return Err(Failure::Uninteresting {
            message: "the command prints nothing to standard output for any file".to_owned(),
            hint: "make it print a line for each behaviour of a file".to_owned(),
        });
    }
    for (file, _) in &chosen {
        corpus.put(file)?;
    }
    let differing = corpus.check(&chosen)?;
    let mut result = Chosen {
        before: (shows.len(), shows.iter().map(|file| file.len).sum()),
        behaviours: all_of(&shows).len(),
        chosen: (chosen.len(), chosen.iter().map(|(_, file)| file.len).sum()),
        runs: corpus.runs,
        made: Vec::new(),
        complaints: complaints(&files, &seen),
        differing,
        is_stopped: false,
    };
    if args.reduce {
        corpus.reduce_all(&chosen, &mut result)?;
    }
    tell(args, &result)?;
    Ok(match (result.is_stopped, result.differing.is_empty()) {
        (true, _) => Code::StoppedEarly,
        (false, false) => Code::Flaky,
        (false, true) => Code::Reduced,
    })
}

/// The outcome.
struct Chosen {
    /// Files and bytes of the directory.
    before: (usize, usize),
    behaviours: usize,
    /// Files and bytes that were chosen.
    chosen: (usize, usize),
    /// Runs of the command, without those of reductions.
    runs: usize,
    /// The reductions.
    made: Vec<Made>,
    complaints: BTreeMap<&'static str, Vec<String>>,
    /// Files that did not do the same twice.
    differing: Vec<String>,
    is_stopped: bool,
}

/// The reduction of a file.
struct Made {
    name: String,
    before: usize,
    /// Bytes and tests when it was simplified, so that the rest was to make sure that nothing more can go.
    simplified: (usize, u64),
    minimised: (usize, u64),
    /// Whether the others do all that it was there for.
    is_gone: bool,
}

impl Made {
    /// Bytes before, and bytes and tests when it was simplified and minimised.
    fn columns(&self) -> [usize; 5] {
        let tests = |tests| usize::try_from(tests).unwrap_or(usize::MAX);
        [self.before, self.simplified.0, tests(self.simplified.1), self.minimised.0, tests(self.minimised.1)]
    }
}

/// A row about all files; `value` gets the sorted values of a column.
fn summary(name: &str, columns: &[Vec<usize>; 5], value: fn(&[usize]) -> usize) -> Vec<String> {
    let cells = columns.iter().map(|column| {
        let mut column = column.clone();
        column.sort_unstable();
        text::len(value(&column))
    });
    std::iter::once(name.to_owned()).chain(cells).collect()
}

/// A run on a file.
struct Seen {
    shows: Shows,
    complaint: Option<&'static str>,
}

fn complaints(files: &[Input], seen: &[Seen]) -> BTreeMap<&'static str, Vec<String>> {
    let mut all: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (file, seen) in files.iter().zip(seen) {
        if let Some(complaint) = seen.complaint {
            all.entry(complaint).or_default().push(file.name.clone());
        }
    }
    all
}

struct Corpus<'c> {
    args: &'c CorpusArgs,
    many: &'c Many,
    cancel: &'c Cancel,
    /// The numbers of the behaviours by their hashes.
    names: HashMap<u64, u32>,
    runs: usize,
}

/// The lines of an output, as hashes.
fn lines(output: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let lines = output.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
    lines.map(|line| u64::from_le_bytes(blake3::hash(line).as_bytes()[..8].try_into().expect("a hash is longer")))
}

impl Corpus<'_> {
    /// Runs the command on the files.
    fn look(&mut self, files: &[&Input], doing: &str) -> Result<Vec<Seen>, Failure> {
        let line = progress_line();
        let mut all = Vec::new();
        let names = &mut self.names;
        let looked = self.many.each(
            files,
            self.cancel,
            |file, probe| look_at(self.many, file, probe, self.cancel),
            |_, (len, lines, complaint), _| {
                let mut behaviours: Vec<u32> = Vec::new();
                for line in lines {
                    let next = u32::try_from(names.len()).unwrap_or(u32::MAX);
                    behaviours.push(*names.entry(line).or_insert(next));
                }
                behaviours.sort_unstable();
                behaviours.dedup();
                all.push(Seen { shows: Shows { len, behaviours }, complaint });
                line.set_message(format!("{doing} {} of {} files", text::len(all.len()), text::len(files.len())));
                line.tick();
                Ok(())
            },
        );
        line.finish_and_clear();
        self.runs += all.len();
        looked.map(|()| all)
    }

    /// A copy of a file in its place.
    fn put(&self, file: &Input) -> Result<(), Failure> {
        let content = files::read(&file.path)?;
        let place = self.place(file);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(Failure::Output)?;
        }
        let made = disk::create(&place, audience(&file.path), &|| false);
        made.and_then(|mut file| file.write_all(&content)).map_err(Failure::Output)
    }

    fn place(&self, file: &Input) -> PathBuf {
        self.args.output.join(&file.below)
    }

    /// Runs some of the chosen files again. Returns those that behave differently.
    fn check(&mut self, chosen: &[(&Input, Shows)]) -> Result<Vec<String>, Failure> {
        let most = (self.runs / CHECKED).max(1);
        let step = chosen.len().div_ceil(most);
        let some: Vec<&(&Input, Shows)> = chosen.iter().step_by(step).collect();
        let again = self.look(&some.iter().map(|(file, _)| *file).collect::<Vec<_>>(), "checking")?;
        let differs = some.iter().zip(again).filter(|((_, shows), again)| shows.behaviours != again.shows.behaviours);
        Ok(differs.map(|((file, _), _)| file.name.clone()).collect())
    }

    /// Makes each of the chosen files small, the largest first, while all together do everything.
    fn reduce_all(&mut self, chosen: &[(&Input, Shows)], result: &mut Chosen) -> Result<(), Failure> {
        let mut now: Vec<Shows> = chosen.iter().map(|(_, shows)| shows.clone()).collect();
        let mut order: Vec<usize> = (0..chosen.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(now[at].len));
        let everything = all_of(&now);
        let by_number: HashMap<u32, u64> = self.names.iter().map(|(hash, number)| (*number, *hash)).collect();
        let line = progress_line();
        for (done, at) in order.into_iter().enumerate() {
            let (file, _) = chosen[at];
            line.set_message(format!("reducing {} of {}: {}", done + 1, chosen.len(), file.name));
            line.tick();
            let others = all_of(now.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, shows)| shows));
            let needed: Vec<u32> =
                everything.iter().copied().filter(|behaviour| others.binary_search(behaviour).is_err()).collect();
            if needed.is_empty() {
                fs::remove_file(self.place(file)).map_err(Failure::Output)?;
                let before = now[at].len;
                now[at] = Shows::default();
                let name = file.name.clone();
                result.made.push(Made { name, before, simplified: (0, 0), minimised: (0, 0), is_gone: true });
                continue;
            }
            let wanted = needed.iter().map(|behaviour| by_number[behaviour]).collect();
            let reduced = self.reduce(file, wanted);
            if reduced.is_err() && self.cancel.is_stopped() {
                result.is_stopped = true;
                break;
            }
            let (report, made) = reduced?;
            now[at] = self.of_text(file, &report.best)?;
            result.made.push(made);
            if report.ended != Ended::Complete || self.cancel.is_stopped() {
                result.is_stopped = true;
                break;
            }
        }
        line.finish_and_clear();
        Ok(())
    }

    /// The behaviours of a text in the place of a file.
    fn of_text(&mut self, file: &Input, text: &[u8]) -> Result<Shows, Failure> {
        let mut probe = Probe::new(text.len(), Some(self.many.deadline), self.cancel)?;
        let (_, written) = probe.run(&self.many.oracle(&file.path)?, text);
        let mut behaviours: Vec<u32> =
            lines(&written.stdout).filter_map(|line| self.names.get(&line).copied()).collect();
        behaviours.sort_unstable();
        behaviours.dedup();
        Ok(Shows { len: text.len(), behaviours })
    }

    fn reduce(&self, file: &Input, needed: HashSet<u64>) -> Result<(Report, Made), Failure> {
        let content: Arc<[u8]> = files::read(&file.path)?.into();
        let grammar = Language::find(&self.args.folder.grammar, &file.path, &content)?.grammar(None)?;
        let oracle = Arc::new(Behaving { command: self.many.oracle(&file.path)?, needed });
        let jobs = Some(Jobs::Exactly(self.many.jobs));
        let mut workers = exec::start(oracle, jobs, &SlotOptions::of_program(content.len()), self.cancel)?;
        // The one file with nothing in it may do something that no other does.
        let options = Options { allow_empty: true, deadline: Some(self.many.deadline), ..Options::default() };
        let mut store = Store::open(Source::File(file.path.clone()), &Kept::File(self.place(file)))?;
        if let Some((_, formatter)) = self.many.fix(&file.path)? {
            store.through(formatter);
        }
        let mut sink = Simplified { store, now: (content.len(), 0), at: None };
        let report = reduce_shared(Arc::clone(&content), grammar, &mut *workers, &options, &mut sink, self.cancel);
        workers.shutdown();
        let report = report.map_err(|error| Failure::Uninteresting {
            message: format!("{} cannot be reduced: {error}", file.name),
            hint: "the files in OUT cover everything; omit --reduce to keep them as they are".to_owned(),
        })?;
        sink.store.finish(&report.best, &|| !self.cancel.is_stopped()).map_err(Failure::Output)?;
        let minimised = (report.best.len(), report.tests.total());
        let made = Made {
            name: file.name.clone(),
            before: content.len(),
            simplified: sink.at.unwrap_or(minimised),
            minimised,
            is_gone: false,
        };
        Ok((report, made))
    }
}

/// The size, the lines and the trouble of a run.
type Looked = (usize, Vec<u64>, Option<&'static str>);

fn look_at(many: &Many, file: &Input, probe: &mut Probe<'_>, cancel: &Cancel) -> Result<Looked, Failure> {
    let Ok(content) = files::read(&file.path) else { return Ok((0, Vec::new(), Some("not readable"))) };
    let (outcome, written) = probe.run(&many.oracle(&file.path)?, &content);
    if outcome.unresolved == Some(Unresolved::Cancelled) || cancel.is_stopped() {
        return Err(Failure::Stopped { path: file.path.clone(), out_of_time: false });
    }
    let complaint = match (&outcome.unresolved, outcome.exit) {
        (Some(_), _) => Some("not run"),
        (None, Exit::TimedOut) => Some("timed out"),
        _ if written.is_cut() => Some("prints too much"),
        _ if lines(&written.stdout).next().is_none() => Some("does nothing"),
        _ => None,
    };
    // Nothing is certain about a run that was cut off.
    let is_whole = outcome.unresolved.is_none() && outcome.exit != Exit::TimedOut;
    Ok((content.len(), if is_whole { lines(&written.stdout).collect() } else { Vec::new() }, complaint))
}

/// A command that has to do certain things.
struct Behaving {
    command: CommandOracle,
    needed: HashSet<u64>,
}

impl Oracle for Behaving {
    fn judge(&self, candidate: &[u8], slot: &mut Slot, deadline: Duration, cancel: &Cancel) -> Outcome {
        let (outcome, written) = self.command.observe(candidate, slot, deadline, cancel);
        if outcome.unresolved.is_some() || outcome.verdict == Some(Verdict::Timeout) {
            return outcome;
        }
        let done: HashSet<u64> = lines(&written.stdout).collect();
        Outcome { verdict: Some(self.needed.is_subset(&done).into()), ..outcome }
    }

    fn describe(&self) -> String {
        self.command.describe()
    }
}

/// Keeps the result on disk, and notes when it was simplified.
struct Simplified {
    store: Store,
    now: (usize, u64),
    at: Option<(usize, u64)>,
}

impl EventSink for Simplified {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Accepted { size, tests, .. } => self.now = (size.bytes, *tests),
            Event::Tested { number, .. } => self.now.1 = *number,
            Event::Pass { name, .. } if *name == MINIMALITY.name => {
                self.at.get_or_insert(self.now);
            }
            _ => {}
        }
        self.store.event(event)
    }
}

/// Writes the report.
fn tell(args: &CorpusArgs, result: &Chosen) -> Result<(), Failure> {
    if let Some(path) = &args.folder.many.json {
        let mut all: Vec<Value> = vec![json!({
            "event": "corpus",
            "files_before": result.before.0, "bytes_before": result.before.1,
            "files": result.chosen.0, "bytes": result.chosen.1,
            "behaviours": result.behaviours, "runs": result.runs,
            "differing": result.differing, "complaints": result.complaints, "stopped": result.is_stopped,
        })];
        all.extend(result.made.iter().map(|made| {
            json!({
                "event": "reduced", "file": made.name, "bytes_before": made.before, "gone": made.is_gone,
                "simplified_bytes": made.simplified.0, "simplified_tests": made.simplified.1,
                "bytes": made.minimised.0, "tests": made.minimised.1,
            })
        }));
        if write_json(path, &all, audience(&args.folder.path))? {
            return Ok(());
        }
    }
    let mut out = text::stdout();
    show(&mut out, args, result).and_then(|()| out.flush()).or_else(Failure::unless_closed)
}

fn show(out: &mut dyn Write, args: &CorpusArgs, result: &Chosen) -> io::Result<()> {
    let size = |(files, bytes): (usize, usize)| {
        format!("{} of {}", text::plural(files as u64, "file"), text::plural(bytes as u64, "byte"))
    };
    let (behaviours, runs) =
        (text::plural(result.behaviours as u64, "behaviour"), text::plural(result.runs as u64, "run"));
    writeln!(out, "{STRONG}before{STRONG:#}  {}, {behaviours}", size(result.before))?;
    writeln!(out, "{STRONG}chosen{STRONG:#}  {}, {behaviours}: {runs}", size(result.chosen))?;
    if !result.made.is_empty() {
        let mut table = text::Table::new(1, &["file", "bytes", "simplified", "tests", "minimised", "tests"]);
        let mut columns: [Vec<usize>; 5] = Default::default();
        for made in &result.made {
            if made.is_gone {
                table.row(vec![made.name.clone(), text::len(made.before), "not needed".to_owned()]);
            } else {
                table.row(std::iter::once(made.name.clone()).chain(made.columns().map(text::len)).collect());
            }
            columns.iter_mut().zip(made.columns()).for_each(|(column, value)| column.push(value));
        }
        table.row(summary("all", &columns, |values| values.iter().sum()));
        if result.made.len() > 1 {
            table.row(summary("median", &columns, |values| values[values.len() / 2]));
            table.row(summary("average", &columns, |values| values.iter().sum::<usize>() / values.len()));
            table.row(summary("worst", &columns, |values| values[values.len() - 1]));
        }
        table.write(out)?;
    }
    for (complaint, files) in &result.complaints {
        listed(out, complaint, files)?;
    }
    if !result.differing.is_empty() {
        write!(out, "{WARN}warning:{WARN:#} two runs behaved differently, so the result may not cover everything: ")?;
        listed(out, "differing", &result.differing)?;
    }
    writeln!(out, "{STRONG}result{STRONG:#}  {}", text::path(&args.output))
}
