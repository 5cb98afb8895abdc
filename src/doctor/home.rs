//! Responsible for finding out whether a command does in a test's directory what it does where the user stands, and
//! what it misses there if it does not.
//!
//! ```text
//!   one run at home, one in a test's directory ─► alike? ─► nothing to do
//!                                                   │ no: both are asked again, because the test may be flaky
//!                                                   ▼
//!   words made absolute ─► alike? ─► take them
//!                            │ no
//!                            ▼
//!   what is named somewhere is put beside the candidate ─► alike? ─► say what is missing
//!                                                            │ no
//!                                                            ▼
//!                                                    say what differs
//! ```
//!
//! All these runs are guarded alike, so that none can write to the user's files. What fails only because of that fails in
//! both places, and is no difference. Where there is no guard, what cannot be copied keeps them from being compared.
//! Where nothing can be compared (neither run does what is asked for, or one does not end), words are made absolute
//! all the same.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use memchr::memmem;

use crate::oracle::{
    Belonging, Cancel, CommandOracle, Exit, Mark, Outcome, Room, Seen, Signature, Slot, SlotOptions, Table, Written,
    is_named, names_in,
};
use crate::reduce::{BASELINE_DEADLINE, usual_deadline};

use super::rewording::{Reworded, absolute_words, reworded};
use super::trouble::Trouble;

/// A signature that has not been made more specific asks for nothing at a place in the text.
const NO_PLACE: &[u8] = b"";
/// How many runs of each side have to say the same before a difference has another cause than chance.
const RUNS: usize = 5;
/// More runs than this are not spent on what is missing.
const MOST_RUNS: usize = 60;
/// What a missing thing says is looked at so often for the next one.
const ROUNDS: usize = 5;
/// How many things are put beside the candidate at once, on the chance that it is one of them.
const MOST_THINGS: usize = 64;
/// A line that is shown is cut here, in characters.
const LINE: usize = 160;

/// What to do where a command was not compared.
pub(crate) const UNTRIED_WAY_OUT: &str = "name files by absolute paths, and what belongs beside the candidate with --with \
                                          PATH; or let --isolate bwrap keep it from writing";

/// A test of which is to be found out whether it misses something.
#[derive(Debug)]
pub struct Traveller<'a> {
    /// The test.
    pub oracle: &'a CommandOracle,
    /// The words of a command; none of a script, which is taken as it is.
    pub words: &'a [OsString],
    /// The test case, as the user named it.
    pub path: &'a Path,
    /// Its content.
    pub content: &'a [u8],
    /// What makes two runs alike.
    pub compared: Compared,
    /// The deadline of one run, if the user gave one.
    pub deadline: Option<Duration>,
    /// Where tests run.
    pub slots: SlotOptions,
}

impl Traveller<'_> {
    /// The words that lead somewhere only from where the user stands.
    fn changes(&self) -> Vec<Reworded> {
        absolute_words(self.words, &std::env::current_dir().unwrap_or_default(), self.path)
    }
}

/// What makes two runs alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// What is special about them: nobody has said what is interesting.
    Signature,
    /// Whether they are interesting.
    Verdict,
    /// Whether they are interesting, and where little was asked for, what is special about them, too: a difference in
    /// that alone is mended where that is easy, and is no reason to go no further.
    Both,
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Home {
    /// The test does the same in its own directory, or it cannot be told.
    Same,
    /// It does with these words.
    Reworded {
        /// All words of the command.
        words: Vec<OsString>,
        /// Those that were changed.
        changes: Vec<Reworded>,
        /// Whether a run has shown it; where none could, they are made absolute on the chance that it does.
        is_seen: bool,
    },
    /// It does with these things beside the candidate.
    Missing {
        /// What is missing, as seen from the current directory.
        things: Vec<PathBuf>,
        /// The words of the command, some of which may have to be others, too.
        words: Vec<OsString>,
        /// The two runs.
        runs: Sights,
    },
    /// It does not, and why is not known.
    Different {
        /// A word of the command that names the test case, where the candidate should be named.
        names_file: Option<OsString>,
        /// The two runs.
        runs: Sights,
    },
    /// It was not tried: nothing here keeps the command from writing to the user's files, and there is one that is too
    /// large to be copied.
    Untried {
        /// What could not be copied.
        path: PathBuf,
        /// All words of the command, those made absolute that lead somewhere from where the user stands.
        words: Vec<OsString>,
        /// Those that were changed.
        changes: Vec<Reworded>,
    },
    /// It does not even do the same in the same place.
    Flaky {
        /// Runs in one place.
        runs: usize,
        /// Those of them that came to the same as the first.
        alike: usize,
        /// Two of them.
        sights: Sights,
    },
}

/// Two runs that differ: at home and in a test's directory, or two in one place.
#[derive(Clone, Debug)]
pub struct Sights {
    /// The first.
    pub here: Sight,
    /// The second.
    pub there: Sight,
}

/// A run as people look at it.
#[derive(Clone, Debug)]
pub struct Sight {
    /// How it ended.
    pub exit: Exit,
    /// The first line it wrote that the other did not; empty if there is none.
    pub line: String,
}

/// One run.
struct Run {
    outcome: Outcome,
    written: Written,
    /// What is most special about it.
    signature: Option<Signature>,
}

/// What is missing, and the words of the command that go with it.
type Remedy = (Vec<PathBuf>, Vec<OsString>);

struct Search<'a> {
    test: &'a Traveller<'a>,
    /// The test in its own directory.
    own: CommandOracle,
    name: String,
    table: Table,
    slot: Slot,
    deadline: Duration,
    cancel: &'a Cancel,
    runs: usize,
}

/// Finds out whether a test does in its own directory what it does where the user stands. No run of it can write to the
/// user's files, but for the places for temporary files. Where this system has no guard for that, or the oracle was
/// confined without a limiter, what is reached by a way out of the current directory and that of the test case is not
/// guarded.
///
/// # Errors
/// [`Trouble`] when there is no place for tests, or `cancel` was stopped.
pub fn find_home(test: &Traveller<'_>, cancel: &Cancel) -> Result<Home, Trouble> {
    let words: Vec<&[u8]> = test.words.iter().map(|word| word.as_encoded_bytes()).collect();
    let texts = [&words[..], &[test.content]].concat();
    let mut slot = Slot::new(&test.slots)?;
    let own = test.oracle.guarded(test.path, &slot).unwrap_or_else(|| test.oracle.clone());
    // A directory that cannot be made again cannot be compared with.
    let Ok(at_home) = own.at_home(test.path, &texts) else { return Ok(Home::Same) };
    if let Some(path) = at_home.not_copied(&mut slot) {
        let changes = test.changes();
        return Ok(Home::Untried { path, words: reworded(test.words, &changes), changes });
    }
    let mut search = Search {
        test,
        own,
        name: test.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        table: Table::default(),
        slot,
        deadline: test.deadline.unwrap_or(BASELINE_DEADLINE),
        cancel,
        runs: 0,
    };
    search.find(&at_home)
}

impl Search<'_> {
    fn find(&mut self, at_home: &CommandOracle) -> Result<Home, Trouble> {
        let own = &self.own.clone();
        let there = self.run(own)?;
        let here = self.run(at_home)?;
        // A run that gave no answer, or none in time, says nothing; the baseline speaks of it.
        let is_answer = |run: &Run| matches!(run.outcome.exit, Exit::Code(_) | Exit::Signal(_));
        let can_tell = is_answer(&here) && is_answer(&there);
        // The condition holds nowhere: the two runs may have failed for reasons of their own.
        let shows_nowhere = !here.outcome.is_interesting() && !there.outcome.is_interesting();
        if self.test.compared != Compared::Signature && (!can_tell || shows_nowhere) {
            return self.untold(&there);
        }
        if !can_tell || self.alike(&here, &there) {
            return Ok(Home::Same);
        }
        self.deadline =
            self.test.deadline.unwrap_or_else(|| usual_deadline(here.outcome.duration.max(there.outcome.duration)));
        let is_slight = self.test.compared == Compared::Both && same_verdict(&here, &there);
        for (oracle, first) in [(own, &there), (at_home, &here)] {
            if let Some(flaky) = self.contradiction(oracle, first)? {
                return Ok(if is_slight { Home::Same } else { flaky });
            }
        }
        let changes = self.test.changes();
        if let Some(changes) = self.rewording(&changes, |search, run| search.alike(&here, run))? {
            return Ok(Home::Reworded { words: reworded(self.test.words, &changes), changes, is_seen: true });
        }
        if is_slight {
            return Ok(Home::Same);
        }
        let runs = self.sights(&here, &there);
        if let Some((things, words)) = self.missing(&here, &there, &changes)? {
            return Ok(Home::Missing { things, words, runs });
        }
        let names_file = self.test.words.iter().skip(1).find(|word| names_file(word, self.test.path)).cloned();
        Ok(Home::Different { names_file, runs })
    }

    /// Makes words absolute where no two runs could be compared.
    fn untold(&mut self, there: &Run) -> Result<Home, Trouble> {
        let changes = self.test.changes();
        if changes.is_empty() || there.outcome.is_interesting() {
            return Ok(Home::Same);
        }
        let seen = self.rewording(&changes, |_, run| run.outcome.is_interesting())?;
        let is_seen = seen.is_some();
        let changes = seen.unwrap_or(changes);
        Ok(Home::Reworded { words: reworded(self.test.words, &changes), changes, is_seen })
    }

    fn run(&mut self, oracle: &CommandOracle) -> Result<Run, Trouble> {
        self.runs += 1;
        let (outcome, written) = oracle.observe(self.test.content, &mut self.slot, self.deadline, self.cancel);
        let written = self.without_places(written);
        if self.cancel.is_stopped() {
            return Err(Trouble::Cancelled);
        }
        let seen = Seen {
            exit: outcome.exit,
            stdout: &written.stdout,
            stderr: &written.stderr,
            input: self.test.content,
            name: &self.name,
        };
        let signature = self.table.signatures(&seen).into_iter().next();
        Ok(Run { outcome, written, signature })
    }

    /// What a run wrote, with the test case named in the same way wherever it was.
    fn without_places(&self, mut written: Written) -> Written {
        let own = self.slot.path().join("test");
        let typed = self.test.path.parent().unwrap_or(Path::new(""));
        let real = typed.canonicalize().unwrap_or_default();
        let below = |path: &Path| own.join(path.strip_prefix("/").unwrap_or(path));
        let typed_plainly: PathBuf = typed.components().filter(|part| *part != Component::CurDir).collect();
        for place in [below(&real), below(typed), own.clone(), typed.to_owned(), typed_plainly] {
            let bare = self.name.as_bytes();
            let called = place.join(&self.name);
            for text in [&mut written.stdout, &mut written.stderr] {
                *text = replaced(text, called.as_os_str().as_encoded_bytes(), bare);
            }
        }
        written
    }

    fn alike(&self, one: &Run, other: &Run) -> bool {
        match self.test.compared {
            Compared::Signature => same_signature(one, other),
            Compared::Verdict => same_verdict(one, other),
            Compared::Both => same_verdict(one, other) && same_signature(one, other),
        }
    }

    /// Runs the test again until it has contradicted its first run, or has not for long enough.
    fn contradiction(&mut self, oracle: &CommandOracle, first: &Run) -> Result<Option<Home>, Trouble> {
        let (mut alike, mut other) = (1, None);
        for _ in 1..RUNS {
            let again = self.run(oracle)?;
            if self.alike(first, &again) {
                alike += 1;
            } else {
                other = Some(again);
            }
        }
        let Some(other) = other else { return Ok(None) };
        if first.outcome.exit == other.outcome.exit && same_verdict(first, &other) {
            // Only what it says varies: nothing can be told from it.
            return Ok(Some(Home::Same));
        }
        Ok(Some(Home::Flaky { runs: RUNS, alike, sights: self.sights(first, &other) }))
    }

    /// The words that have to be others, of those that can be, for a run that is as it should be.
    fn rewording(
        &mut self,
        changes: &[Reworded],
        is_right: impl Fn(&Self, &Run) -> bool,
    ) -> Result<Option<Vec<Reworded>>, Trouble> {
        if changes.is_empty() {
            return Ok(None);
        }
        // A word may look like a path by chance, so that all of them are too many.
        let without = (0..if changes.len() > 1 { changes.len() } else { 0 }).map(|left_out| {
            let kept = changes.iter().enumerate().filter(|(at, _)| *at != left_out);
            kept.map(|(_, change)| change.clone()).collect()
        });
        for changes in std::iter::once(changes.to_vec()).chain(without) {
            let run = self.attempt(&reworded(self.test.words, &changes), Vec::new())?;
            if run.is_some_and(|run| is_right(self, &run)) {
                return Ok(Some(changes));
            }
        }
        Ok(None)
    }

    /// Whether the test does in its own directory what it does at home, with these words and these things.
    fn is_enough(&mut self, here: &Run, words: &[OsString], things: Vec<Arc<Belonging>>) -> Result<bool, Trouble> {
        Ok(self.attempt(words, things)?.is_some_and(|run| self.alike(here, &run)))
    }

    fn attempt(&mut self, words: &[OsString], things: Vec<Arc<Belonging>>) -> Result<Option<Run>, Trouble> {
        if self.runs >= MOST_RUNS {
            return Ok(None);
        }
        let same = || Ok(self.own.clone());
        let oracle = if words.is_empty() { same() } else { self.own.reworded(words, self.test.path).map_err(drop) };
        let all = [self.own.belongings(), &things].concat();
        let oracle = oracle.and_then(|oracle: CommandOracle| oracle.with_belongings(all).map_err(drop));
        oracle.ok().map(|oracle| self.run(&oracle)).transpose()
    }

    /// What has to be beside the candidate, and the words that go with it.
    fn missing(&mut self, here: &Run, there: &Run, changes: &[Reworded]) -> Result<Option<Remedy>, Trouble> {
        let mut pool = Pool::around(self.test);
        // First with what costs no copy.
        let mut wordings = vec![reworded(self.test.words, changes), self.test.words.to_vec()];
        wordings.dedup();
        let script = if self.test.words.is_empty() {
            fs::read(self.test.oracle.program()).unwrap_or_default()
        } else {
            Vec::new()
        };
        let words = self.test.words.iter().flat_map(|word| [word.as_encoded_bytes(), b" "].concat()).collect();
        let mut texts: Vec<Vec<u8>> = vec![self.test.content.to_vec(), script, words];
        texts.extend([there.written.stdout.clone(), there.written.stderr.clone()]);
        let mut tried = BTreeSet::new();
        for round in 0..=ROUNDS {
            // At last whatever is there: some things are looked for without being named.
            let named = names_in(&texts.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let (room, is_last) = if round == ROUNDS { (Room::GUESSED, true) } else { (Room::TRIED, false) };
            let chosen = pool.choose(|name| is_last || is_named(name, &named));
            if chosen.is_empty() || !tried.insert(chosen.clone()) {
                continue;
            }
            let things: Vec<Arc<Belonging>> =
                chosen.iter().filter_map(|number| pool.copy(*number, self.test, room)).collect();
            for words in &wordings {
                let Some(run) = self.attempt(words, things.clone())? else { return Ok(None) };
                if self.alike(here, &run) {
                    let things = self.fewest(here, words, things)?;
                    let paths = things.iter().map(|thing| thing.original().to_owned()).collect();
                    return Ok(Some((paths, words.clone())));
                }
                texts.extend([run.written.stdout, run.written.stderr]);
            }
        }
        Ok(None)
    }

    /// Leaves out what is not needed: halves first, then smaller parts.
    fn fewest(
        &mut self,
        here: &Run,
        words: &[OsString],
        mut things: Vec<Arc<Belonging>>,
    ) -> Result<Vec<Arc<Belonging>>, Trouble> {
        let mut size = things.len().div_ceil(2);
        loop {
            let mut at = 0;
            while at < things.len() {
                let end = (at + size).min(things.len());
                let fewer = [&things[..at], &things[end..]].concat();
                if self.is_enough(here, words, fewer.clone())? {
                    things = fewer;
                } else {
                    at = end;
                }
            }
            if size <= 1 {
                return Ok(things);
            }
            size = size.div_ceil(2).min(size - 1);
        }
    }

    fn sights(&self, here: &Run, there: &Run) -> Sights {
        let lines = |run: &Run| {
            let place = self.slot.path().join("test").display().to_string();
            let text = [&run.written.stderr[..], b"\n", &run.written.stdout].concat();
            let text = String::from_utf8_lossy(&text).replace(&place, "");
            text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect::<Vec<_>>()
        };
        let (of_here, of_there) = (lines(here), lines(there));
        let sight = |run: &Run, own: &[String], others: &[String]| {
            let differs = |line: &&String| !others.contains(line);
            // What is special about it says more than what comes first.
            let is_shown = |line: &&String| {
                let shows = |signature: &Signature| {
                    let line = line.as_bytes();
                    !is_ending(signature) && signature.is_shown_by(NO_PLACE, run.outcome.exit, line, line)
                };
                run.signature.as_ref().is_some_and(shows)
            };
            let mut lines = own.iter().filter(differs);
            let line = lines.clone().find(is_shown).or_else(|| lines.next());
            let line = line.map(|line| line.chars().take(LINE).collect()).unwrap_or_default();
            Sight { exit: run.outcome.exit, line }
        };
        Sights { here: sight(here, &of_here, &of_there), there: sight(there, &of_there, &of_here) }
    }
}

/// Why a command was not compared, where `path` cannot be copied.
pub(crate) fn why_untried(path: &Path) -> String {
    format!(
        "the test was not compared with what it does here: nothing on this system keeps it from writing to your files, and {} \
         cannot be copied (too large, or a link)",
        path.display()
    )
}

fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut new = Vec::with_capacity(text.len());
    let mut rest = 0;
    for at in memmem::find_iter(text, from) {
        new.extend([&text[rest..at], to].concat());
        rest = at + from.len();
    }
    new.extend(&text[rest..]);
    new
}

fn same_verdict(one: &Run, other: &Run) -> bool {
    one.outcome.is_interesting() == other.outcome.is_interesting()
}

/// Whether each shows what is most special about the other.
fn same_signature(one: &Run, other: &Run) -> bool {
    let shows = |signature: &Signature, run: &Run| {
        signature.is_shown_by(NO_PLACE, run.outcome.exit, &run.written.stdout, &run.written.stderr)
    };
    match (&one.signature, &other.signature) {
        (None, None) => true,
        (Some(of_one), Some(of_other)) if is_ending(of_one) && is_ending(of_other) => {
            of_one.mark == of_other.mark && complains(one) == complains(other)
        }
        (Some(of_one), Some(of_other)) => shows(of_one, other) && shows(of_other, one),
        _ => false,
    }
}

fn is_ending(signature: &Signature) -> bool {
    matches!(signature.mark, Mark::ExitCode(_) | Mark::Signal(_))
}

/// Whether a run says that it did not find something, in the words of the C library or those that are usual.
fn complains(run: &Run) -> bool {
    const COMPLAINTS: [&str; 5] = ["no such file", "not found", "cannot find", "can't open", "cannot open"];
    [&run.written.stderr, &run.written.stdout].iter().any(|text| {
        let text = String::from_utf8_lossy(text).to_lowercase();
        COMPLAINTS.iter().any(|complaint| text.contains(complaint))
    })
}

/// Whether a word, or one in it, is the path of the test case, which is not there where tests run.
fn names_file(word: &OsStr, path: &Path) -> bool {
    let text = word.to_string_lossy();
    let path = path.to_string_lossy();
    let is_bare = !path.contains('/');
    !is_bare && text.split(|sign: char| sign.is_whitespace() || "='\"".contains(sign)).any(|part| part == path)
}

/// What could be put beside the candidate.
struct Pool {
    things: Vec<PathBuf>,
    copies: Vec<Option<Option<Arc<Belonging>>>>,
}

impl Pool {
    /// What is in the directory of the test case and in the current one, each name once.
    fn around(test: &Traveller<'_>) -> Self {
        let folder = test.path.parent().unwrap_or(Path::new(""));
        let own = test.path.file_name().unwrap_or_default();
        let mut names: BTreeSet<OsString> =
            test.oracle.belongings().iter().map(|belonging| belonging.name().to_owned()).collect();
        let mut things = Vec::new();
        for directory in [folder, Path::new("")] {
            let listed = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
            let mut entries: Vec<OsString> =
                fs::read_dir(listed).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
            entries.sort();
            for name in entries {
                let is_about_it = name.as_encoded_bytes().starts_with(own.as_encoded_bytes());
                if !is_about_it && names.insert(name.clone()) {
                    things.push(directory.join(name));
                }
            }
        }
        let copies = things.iter().map(|_| None).collect();
        Pool { things, copies }
    }

    /// The numbers of the things with these names.
    fn choose(&self, is_wanted: impl Fn(&OsStr) -> bool) -> Vec<usize> {
        let wanted = |number: &usize| is_wanted(self.things[*number].file_name().unwrap_or_default());
        (0..self.things.len()).filter(wanted).take(MOST_THINGS).collect()
    }

    /// A copy of a thing, if it is no larger than what is worth a try.
    fn copy(&mut self, number: usize, test: &Traveller<'_>, room: Room) -> Option<Arc<Belonging>> {
        let path = &self.things[number];
        let make = || {
            let file: Vec<PathBuf> = test.path.canonicalize().into_iter().collect();
            Belonging::copy(path, &file, room, &test.slots).ok().map(Arc::new)
        };
        self.copies[number].get_or_insert_with(make).clone()
    }
}
