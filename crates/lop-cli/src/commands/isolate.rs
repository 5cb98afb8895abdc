//! `lop isolate`: isolates the difference between a passing and a failing test case.

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::absolute_words;
use crate::beside::side_files;
use crate::exit_code::Code;
use crate::failure::{BY_HAND, Failure};
use crate::files;
use crate::flaky_args::FlakyArgs;
use crate::incomplete_test::{Probe, missing_of};
use crate::isolate_args::IsolateArgs;
use crate::language::Language;
use crate::many::write_json;
use crate::progress_line::progress_line;
use crate::settings::{Test, forms, in_words, read, real_path};
use crate::signals;
use lop_doctor::reworded;
use lop_engine::{Answer, Verdict};
use lop_files::disk::{Folder, ReadAccess};
use lop_files::project::{self, Archive, TestCase};
use lop_grammar::Grammar;
use lop_reduce::isolate::{Isolated, Pair, isolate};
use lop_reduce::usual_deadline;
use lop_report::text::{self, FAINT, STRONG};
use lop_report::{Kept, diff};
use lop_run::oracle::{
    Cancel, CommandOracle, ConditionSpec, Conditions, Exit, Outcome, Seen, Subject, Table, Unresolved, Written,
};
use lop_syntax::Stop;

/// The usage lines of the command.
const FORMS: &str = "lop isolate PASS FAIL -- CMD ARGS…, or lop isolate TEST PASS FAIL; see lop isolate --help";

/// Time limit for a patch. Its parts are searched for everywhere in a file, which can take hours if they fit nowhere.
const DEADLINE: Duration = Duration::from_secs(30);

/// The names of the two results, before the extension of the input.
const NAMES: [&str; 2] = ["pass", "fail"];

/// Finds the difference, writes both texts and shows them on standard output.
///
/// # Errors
/// If lop cannot start or continue, or the two test cases don't differ.
pub fn run(args: &IsolateArgs) -> Result<Code, Failure> {
    let (test, paths) = named(args)?;
    let mut case = Case::read(args, &paths)?;
    let cancel = Cancel::new();
    signals::watch(cancel.clone()).map_err(Failure::Signals)?;
    let mut asked = Asked::new(args, &test, &case, &cancel)?;
    asked.find_sides(args, &mut case)?;
    let place = Place::free(args, &case)?;
    let line = progress_line();
    let mut nearest = (case.passing.clone(), case.failing.clone());
    let stop: Stop = {
        let cancel = cancel.clone();
        Arc::new(move || cancel.is_stopped())
    };
    let grammar = case.grammar.as_ref();
    let pair = Pair {
        passing: &case.passing,
        failing: &case.failing,
        archive: case.archive.as_ref(),
        grammar,
        stop: Some(&stop),
    };
    let mut tests = 0;
    let found = isolate(pair, |candidate| {
        tests += 1;
        line.set_message(format!("{} tests", text::len(tests)));
        line.tick();
        let answer = asked.answer(candidate)?;
        match answer {
            Answer::Passes => nearest.0 = candidate.to_vec(),
            Answer::Fails => nearest.1 = candidate.to_vec(),
            Answer::Unresolved | Answer::Refused => {}
        }
        Ok(answer)
    });
    line.finish_and_clear();
    let found = match found {
        Ok(found) => Some(found).filter(|found| found.is_complete),
        Err(Halt::Cancelled) => None,
        Err(Halt::Failed(message)) => {
            place.write(&case, &nearest.0, &nearest.1)?;
            return Err(Failure::Result {
                place: "the end".to_owned(),
                kept: format!("the closest texts so far are in {}", place.folder.display()),
                source: io::Error::other(message),
            });
        }
    };
    let (passing, failing) = match &found {
        Some(found) => (&found.passing, &found.failing),
        None => (&nearest.0, &nearest.1),
    };
    place.write(&case, passing, failing)?;
    let differs = if found.is_some() { asked.differs(&place, passing, failing) } else { None };
    tell(args, &case, &place, &asked.wanted, (passing, failing), found.as_ref(), tests)?;
    if let Some((path, first, other)) = differs.filter(|_| !cancel.is_stopped()) {
        return Err(Failure::Flaky { path, first, other });
    }
    Ok(if found.is_some() { Code::Reduced } else { Code::StoppedEarly })
}

/// The test and the test cases that the arguments name.
fn named(args: &IsolateArgs) -> Result<(Test, Vec<PathBuf>), Failure> {
    let count = if args.patch.is_some() { 1 } else { 2 };
    let is_command = !args.many.test.is_empty();
    if args.words.len() != count + usize::from(!is_command) {
        let message = match (count, args.words.len()) {
            (1, _) => "--patch needs one file or directory, and a test".to_owned(),
            (_, words) => format!("expected PASS, FAIL and a test, found {}", text::plural(words as u64, "word")),
        };
        return Err(Failure::Usage { message, hint: FORMS.to_owned() });
    }
    if is_command {
        return Ok((Test::Command(args.many.test.clone()), args.words.clone()));
    }
    let (test, paths) = forms(&args.words, &[], false, false)?;
    Ok((test, paths))
}

/// The two test cases, as two texts.
struct Case {
    /// The name that tests see: that of the failing one.
    path: PathBuf,
    /// The names for messages.
    names: [String; 2],
    subject: Subject,
    passing: Vec<u8>,
    failing: Vec<u8>,
    grammar: Option<Arc<Grammar>>,
    archive: Option<Archive>,
    /// Whether it is open which one fails.
    is_either: bool,
    notes: Vec<String>,
}

impl Case {
    fn of<'c>(&'c self, text: &'c [u8]) -> TestCase<'c> {
        TestCase::new(self.archive.as_ref(), text)
    }

    fn read(args: &IsolateArgs, paths: &[PathBuf]) -> Result<Self, Failure> {
        let path = paths[paths.len() - 1].clone();
        if let [first, _] = paths
            && first.is_dir() != path.is_dir()
        {
            return Err(Failure::Usage {
                message: format!("only one of {} and {} is a directory", first.display(), path.display()),
                hint: "name two files, or two directories".to_owned(),
            });
        }
        let (mut cases, mut names, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for path in paths {
            cases.push(read(path)?);
            names.push(path.display().to_string());
        }
        if let Some(patch) = &args.patch {
            let changes = files::read(patch)?;
            let (archive, text) = &cases[0];
            let own = || project::Member {
                path: path.file_name().unwrap_or_default().as_encoded_bytes().to_vec(),
                kind: project::Kind::File,
                mode: 0o644,
                content: text.clone(),
            };
            let members = archive.as_ref().map_or_else(|| vec![own()], |archive| archive.members(text));
            let at = path.canonicalize().unwrap_or_else(|_| path.clone());
            let at = if archive.is_some() { &at } else { at.parent().unwrap_or(&at) };
            let at = at.to_owned();
            let patched = within(DEADLINE, move || project::patched(&members, &changes, &at));
            let patched = patched.ok_or_else(|| Failure::Usage {
                message: format!("{} could not be applied within {}", patch.display(), text::duration(DEADLINE)),
                hint: "apply it with another tool, and name both results".to_owned(),
            })?;
            let (changed, ignored) = patched.map_err(|why| Failure::Patch { path: patch.clone(), why })?;
            cases.push(if archive.is_some() {
                let (archive, text) = Archive::pack(&changed);
                (Some(archive), text)
            } else {
                (None, changed.into_iter().next().map(|member| member.content).unwrap_or_default())
            });
            names.push(format!("{} with {}", path.display(), patch.display()));
            if !ignored.is_empty() {
                notes.push(format!(
                    "ignored in the patch, because it is not in {}: {}",
                    path.display(),
                    ignored.join(", ")
                ));
            }
        }
        let (archive, texts) = in_one_archive(cases);
        let subject = match &archive {
            Some(archive) => Subject::Directory(real_path(&path)?, archive.clone()),
            None => Subject::File(path.clone()),
        };
        let language = Language::find(&args.grammar, &path, &texts[1])?;
        let grammar = if archive.is_some() { None } else { language.grammar(None)? };
        let [passing, failing]: [Vec<u8>; 2] = texts.try_into().expect("there are two");
        let [first, second]: [String; 2] = names.try_into().expect("there are two");
        if passing == failing {
            let message = format!("{first} and {second} are identical");
            return Err(Failure::Uninteresting { message, hint: "name one that passes and one that fails".to_owned() });
        }
        let (names, is_either) = ([first, second], args.patch.is_some());
        Ok(Case { path, names, subject, passing, failing, grammar, archive, is_either, notes })
    }
}

/// Returns the result of some work, or `None` if it takes longer than `most`. Then the thread keeps running until the
/// program ends.
fn within<T: Send + 'static>(most: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, result) = mpsc::channel();
    let work = move || {
        // After that time the caller doesn't wait any more.
        let _ = done.send(work());
    };
    thread::Builder::new().name("work".to_owned()).spawn(work).ok()?;
    result.recv_timeout(most).ok()
}

/// Returns two test cases as texts of the same archive, if both are directories.
fn in_one_archive(cases: Vec<(Option<Archive>, Vec<u8>)>) -> (Option<Archive>, Vec<Vec<u8>>) {
    let members: Option<Vec<_>> = cases
        .iter()
        // By their paths, as the comparison takes them.
        .map(|(archive, text)| archive.as_ref().map(|archive| archive.sorted_members(text)))
        .collect();
    let Some(members) = members else { return (None, cases.into_iter().map(|(_, text)| text).collect()) };
    let (archive, _) = Archive::pack(&members.concat());
    let texts = members.iter().map(|members| archive.text(members)).collect();
    (Some(archive), texts)
}

/// A reason to stop asking.
enum Halt {
    Cancelled,
    Failed(String),
}

/// The test, and the meaning of its answers.
struct Asked<'c> {
    oracle: CommandOracle,
    probe: Probe<'c>,
    is_command: bool,
    spec: ConditionSpec,
    wanted: String,
    /// How the runs on the two test cases ended, the one that passes first.
    ends: [Exit; 2],
    /// How often a run that does not fail is repeated.
    flaky: FlakyArgs,
}

impl<'c> Asked<'c> {
    fn new(args: &IsolateArgs, test: &Test, case: &Case, cancel: &'c Cancel) -> Result<Self, Failure> {
        let spec = ConditionSpec::from(args.conditions.clone());
        let conditions = Conditions::new(&spec)?;
        let beside = side_files(&args.many.confine.with, &case.path, &Kept::InPlace)?;
        let confinement = args.many.confine.confinement()?;
        let oracle = test.oracle(&case.path, case.subject.clone(), conditions)?;
        let mut oracle = oracle.confined(confinement)?.with_belongings(beside)?;
        if !test.command_words().is_empty() {
            let changes = absolute_words::changes(&test.words(), &case.path);
            if !changes.is_empty() {
                oracle = oracle.reworded(&reworded(&test.words(), &changes))?;
            }
        }
        let length = case.passing.len().max(case.failing.len());
        let probe = Probe::new(length, args.timeout, cancel)?;
        let is_command = !test.command_words().is_empty();
        let (wanted, ends, flaky) = (in_words(&spec), [Exit::Unknown; 2], args.flaky.clone());
        Ok(Asked { oracle, probe, is_command, wanted, spec, ends, flaky })
    }

    /// Runs the test on both test cases. Finds the condition if none is given, and determines which of the two fails if
    /// that is open.
    fn find_sides(&mut self, args: &IsolateArgs, case: &mut Case) -> Result<(), Failure> {
        let mut runs = [self.run(case, &case.passing)?, self.run(case, &case.failing)?];
        let slowest = runs.iter().map(|(outcome, _)| outcome.duration).max().unwrap_or_default();
        self.probe.deadline = args.timeout.unwrap_or_else(|| usual_deadline(slowest));
        if self.is_command && !self.spec.has_conditions() {
            // The one with the patch fails, or else the one without.
            if case.is_either && self.signature(case, &runs).is_none() {
                swap(case, &mut runs);
            }
            let Some(signature) = self.signature(case, &runs) else {
                // A command that misses something in a test's directory fails on both for the same reason.
                let missing = missing_of(&self.oracle, &case.path, &runs[1].1, &mut self.probe, &case.failing)?;
                return Err(missing.map_or_else(
                    || alike(case, &runs),
                    |missing| Failure::Missing {
                        path: case.path.clone(),
                        missing,
                        typed: std::env::args_os().collect(),
                    },
                ));
            };
            signature.add_to(&mut self.spec);
            let conditions = Conditions::new(&self.spec)?;
            self.oracle = self.oracle.clone().with_conditions(conditions.clone());
            self.wanted = in_words(&self.spec);
            for ((outcome, written), text) in runs.iter_mut().zip([&case.passing, &case.failing]) {
                outcome.verdict = Some(conditions.judge(case.of(text), outcome.exit, &written.stdout, &written.stderr));
            }
        }
        let fails = |run: &(Outcome, Written)| run.0.verdict == Some(Verdict::Interesting);
        if case.is_either && fails(&runs[0]) && !fails(&runs[1]) {
            swap(case, &mut runs);
        }
        match (fails(&runs[0]), fails(&runs[1])) {
            (false, true) => {}
            (true, false) => {
                let message = format!("{} fails, and {} does not ({})", case.names[0], case.names[1], self.wanted);
                return Err(Failure::Uninteresting {
                    message,
                    hint: format!("name the one that passes first: {FORMS}"),
                });
            }
            (both, _) => {
                let (first, second) = (&case.names[0], &case.names[1]);
                let message = match both {
                    true => format!("both {first} and {second} fail ({})", self.wanted),
                    false => format!("neither {first} nor {second} fails ({})", self.wanted),
                };
                return Err(Failure::Uninteresting { message, hint: BY_HAND.to_owned() });
            }
        }
        self.ends = [runs[0].0.exit, runs[1].0.exit];
        if !matches!(self.ends[0], Exit::Code(_) | Exit::Signal(_)) {
            let message = format!("the test gives no answer on {}: {}", case.names[0], self.ends[0]);
            return Err(Failure::Uninteresting { message, hint: "give it more time with --timeout SECS".to_owned() });
        }
        Ok(())
    }

    fn run(&mut self, case: &Case, text: &[u8]) -> Result<(Outcome, Written), Failure> {
        let (outcome, written) = self.run_until_it_fails(text);
        match &outcome.unresolved {
            None => Ok((outcome, written)),
            Some(Unresolved::Cancelled) => Err(Failure::Stopped { path: case.path.clone(), out_of_time: false }),
            Some(Unresolved::Failed(message)) => Err(Failure::Uninteresting {
                message: format!("the test cannot be run: {message}"),
                hint: "run lop doctor for details".to_owned(),
            }),
        }
    }

    /// Runs the test on a text, and again while it passes and may fail the next time.
    fn run_until_it_fails(&mut self, text: &[u8]) -> (Outcome, Written) {
        let Asked { oracle, probe, flaky, .. } = self;
        let is_judged = !self.is_command || self.spec.has_conditions();
        let fails = |(outcome, _): &(Outcome, Written)| match is_judged {
            _ if outcome.unresolved.is_some() => true,
            true => outcome.verdict == Some(Verdict::Interesting),
            false => outcome.exit != Exit::Code(0),
        };
        flaky.until(|| probe.run(oracle, text), fails)
    }

    /// The most telling sign of the run that fails, which the other one does not show.
    fn signature(&self, case: &Case, runs: &[(Outcome, Written); 2]) -> Option<lop_run::oracle::Signature> {
        let [(passes, quiet), (fails, loud)] = runs;
        let name = case.path.file_name().unwrap_or_default().to_string_lossy();
        let seen = Seen {
            exit: fails.exit,
            stdout: &loud.stdout,
            stderr: &loud.stderr,
            input: case.of(&case.failing),
            name: &name,
        };
        let all = Table::default().signatures(&seen);
        all.into_iter()
            .find(|signature| !signature.is_shown_by(case.of(&case.passing), passes.exit, &quiet.stdout, &quiet.stderr))
    }

    fn answer(&mut self, candidate: &[u8]) -> Result<Answer, Halt> {
        let (outcome, _) = self.run_until_it_fails(candidate);
        self.meaning(&outcome).ok_or(match outcome.unresolved {
            Some(Unresolved::Failed(message)) => Halt::Failed(message),
            _ => Halt::Cancelled,
        })
    }

    fn meaning(&self, outcome: &Outcome) -> Option<Answer> {
        Some(match outcome.verdict? {
            Verdict::Interesting => Answer::Fails,
            Verdict::NotInteresting if outcome.exit == self.ends[0] => Answer::Passes,
            _ => Answer::Unresolved,
        })
    }

    /// Returns the first of both texts that behaves differently when it is run again, with the ends of its two runs.
    fn differs(&mut self, place: &Place, passing: &[u8], failing: &[u8]) -> Option<(PathBuf, Exit, Exit)> {
        let texts = [(passing, Answer::Passes), (failing, Answer::Fails)];
        texts.into_iter().zip(place.paths().into_iter().zip(self.ends)).find_map(|((text, wanted), (path, end))| {
            let (outcome, _) = self.run_until_it_fails(text);
            (self.meaning(&outcome) != Some(wanted)).then_some((path, end, outcome.exit))
        })
    }
}

fn swap(case: &mut Case, runs: &mut [(Outcome, Written); 2]) {
    std::mem::swap(&mut case.passing, &mut case.failing);
    case.names.swap(0, 1);
    runs.swap(0, 1);
}

/// Returns the failure if neither run shows a signature that the other lacks.
fn alike(case: &Case, runs: &[(Outcome, Written); 2]) -> Failure {
    let [first, second] = &case.names;
    let (on_first, on_second) = (runs[0].0.exit, runs[1].0.exit);
    if on_second == Exit::Code(0) && on_first != Exit::Code(0) && !case.is_either {
        let message = format!("the command succeeds on {second}, and ends with {on_first} on {first}");
        return Failure::Uninteresting { message, hint: format!("name the one that passes first: {FORMS}") };
    }
    let message = format!("the command fails on {first} ({on_first}) and {second} ({on_second}) in the same way");
    Failure::Uninteresting { message, hint: BY_HAND.to_owned() }
}

/// Where the two texts go.
struct Place {
    folder: PathBuf,
    names: [String; 2],
}

impl Place {
    /// Checks what can be checked before the search.
    fn free(args: &IsolateArgs, case: &Case) -> Result<Self, Failure> {
        let folder = args.output.clone().unwrap_or_else(|| {
            let mut name = case.path.components().collect::<PathBuf>().into_os_string();
            name.push(".isolated");
            PathBuf::from(name)
        });
        let ending = case.path.extension().filter(|_| case.archive.is_none());
        let names = NAMES.map(|name| Path::new(name).with_extension(ending.unwrap_or_default()).display().to_string());
        let place = Place { folder, names };
        let taken = place.paths().into_iter().find(|path| case.archive.is_some() && path.exists());
        if let Some(path) = taken {
            return Err(Failure::Usage {
                message: format!("{} already exists", path.display()),
                hint: "name another directory with -o, or remove it".to_owned(),
            });
        }
        Folder::make(&place.folder, ReadAccess::of_file(&case.path)).map_err(Failure::Output)?;
        Ok(place)
    }

    fn paths(&self) -> [PathBuf; 2] {
        [0, 1].map(|at| self.folder.join(&self.names[at]))
    }

    fn write(&self, case: &Case, passing: &[u8], failing: &[u8]) -> Result<(), Failure> {
        let audience = ReadAccess::of_file(&case.path);
        let (folder, _) = Folder::make(&self.folder, audience).map_err(Failure::Output)?;
        for (text, (name, path)) in [passing, failing].iter().zip(self.names.iter().zip(self.paths())) {
            if let Some(archive) = &case.archive {
                project::write(archive, text, &path).map_err(|error| Failure::Output(error.source))?;
            } else {
                folder.replace(name.as_ref(), text, audience).map_err(Failure::Output)?;
            }
        }
        Ok(())
    }
}

/// Writes the report.
fn tell(
    args: &IsolateArgs,
    case: &Case,
    place: &Place,
    wanted: &str,
    (passing, failing): (&[u8], &[u8]),
    found: Option<&Isolated>,
    tests: usize,
) -> Result<(), Failure> {
    let [pass, fail] = place.paths().map(|path| path.display().to_string());
    if let Some(path) = &args.many.json {
        let sides = [(passing, true), (failing, false)];
        let differences = found.iter().flat_map(|found| &found.differences).map(|difference| {
            let [passing, failing] = sides.map(|(text, is_passing)| {
                let range = if is_passing { &difference.passing } else { &difference.failing };
                part(case, text, range)
            });
            json!({ "pass": passing, "fail": failing })
        });
        let levels = found
            .iter()
            .flat_map(|found| &found.levels)
            .map(|level| json!({ "of": level.of, "before": level.before, "left": level.left, "tests": level.tests }));
        let line = json!({
            "event": "isolated",
            "complete": found.is_some(),
            "pass": pass,
            "fail": fail,
            "wanted": wanted,
            "tests": tests,
            "refused": found.map(|found| found.refused),
            "levels": levels.collect::<Vec<Value>>(),
            "differences": differences.collect::<Vec<Value>>(),
        });
        if write_json(path, &[line], ReadAccess::of_file(&case.path))? {
            return Ok(());
        }
    }
    let mut out = text::stdout();
    summary(&mut out, case, wanted, found, (&fail, failing), tests)
        .and_then(|()| match &case.archive {
            // If the texts are very different this takes long, and a user who has stopped the run is waiting.
            _ if found.is_none() => Ok(()),
            Some(archive) => diff::write_files(&mut out, true, archive, (" (passes)", passing), (" (fails)", failing)),
            None => diff::write(&mut out, true, (&pass, passing), (&fail, failing)),
        })
        .and_then(|()| {
            writeln!(out, "{FAINT}{} passes, {} fails{FAINT:#}", text::one_line(&pass), text::one_line(&fail))
        })
        .and_then(|()| out.flush())
        .or_else(Failure::unless_closed)
}

fn summary(
    out: &mut dyn Write,
    case: &Case,
    wanted: &str,
    found: Option<&Isolated>,
    (fail, failing): (&str, &[u8]),
    tests: usize,
) -> io::Result<()> {
    for note in &case.notes {
        writeln!(out, "note: {}", text::one_line(note))?;
    }
    writeln!(out, "{STRONG}fails{STRONG:#}       {}", text::one_line(wanted))?;
    let tests = text::plural(tests as u64, "test");
    let Some(found) = found else {
        return writeln!(out, "{STRONG}stopped{STRONG:#}     after {tests}; these are the closest texts so far");
    };
    // The first level is the coarsest, the last one has the units of the result.
    let narrowed = match (found.levels.first(), found.differences.len()) {
        (Some(first), left) => {
            let (before, of) = (text::len(first.before), first.of);
            format!("narrowed from {before} {of} to {} in {tests}", text::plural(left as u64, "place"))
        }
        (None, _) => format!("a single change; {tests}"),
    };
    writeln!(out, "{STRONG}difference{STRONG:#}  {narrowed}")?;
    for difference in &found.differences {
        let part = part(case, failing, &difference.failing);
        let field = |name: &str| part[name].as_u64().unwrap_or(0);
        let file = part["file"].as_str().map_or_else(|| fail.to_owned(), |file| format!("{fail}/{file}"));
        writeln!(out, "{STRONG}place{STRONG:#}       {}:{}:{}", text::one_line(&file), field("line"), field("column"))?;
    }
    Ok(())
}

/// A part of a text and its place, counted from 1; in an archive, in its file.
fn part(case: &Case, text: &[u8], range: &Range<usize>) -> Value {
    let entries = case.archive.as_ref().map(|archive| archive.entries(text)).unwrap_or_default();
    let entry = entries.iter().find(|entry| entry.content.start <= range.start && range.start <= entry.content.end);
    let start = entry.map_or(0, |entry| entry.content.start).min(range.start);
    let before = &text[start..range.start];
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1) + 1;
    json!({
        "file": entry.map(|entry| entry.path().display().to_string()),
        "line": line,
        "column": column,
        "text": String::from_utf8_lossy(&text[range.clone()]),
    })
}
