//! Splits the difference of two texts into parts of one kind.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices_deadline};

use lop_files::project::{Archive, Entry};
use lop_grammar::Grammar;
use lop_passes::{Removal, TrialParser, siblings};
use lop_syntax::{Document, Stop, SyntaxParser, characters, is_blank, lines};

/// After this time the rest is compared roughly.
const PATIENCE: Duration = Duration::from_secs(5);
/// The interval between checks for a request to stop.
const TICK: Duration = Duration::from_millis(20);

/// A language, and the signal to stop working on texts in it.
#[derive(Clone)]
pub(super) struct Reading {
    pub(super) grammar: Arc<Grammar>,
    pub(super) stop: Stop,
}

impl Reading {
    /// A parser that stops when the user asks for it.
    pub(super) fn parser(&self) -> Option<SyntaxParser> {
        let parser = self.grammar.parser().ok()?;
        Some(parser.stopping(&self.stop))
    }

    fn parse(&self, text: &[u8]) -> Option<(Document, SyntaxParser)> {
        let mut parser = self.parser()?;
        let document = Document::parse(&mut parser, text).ok()?;
        Some((document, parser))
    }
}

/// A part in which two texts differ, as its place in each; one of the two may be empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The place in the text that passes.
    pub passing: Range<usize>,
    /// The place in the text that fails.
    pub failing: Range<usize>,
}

/// The parts into which texts are cut.
pub(super) enum Cut {
    /// Files of an archive.
    Files,
    /// Lines; adjacent different lines form one difference.
    Hunks,
    /// Lines.
    Lines,
    /// Characters.
    Characters,
    /// Units of the tree, such as statements, down to this number of units inside each other.
    Units(usize, Reading),
    /// Tokens.
    Tokens(Reading),
}

impl Cut {
    /// Returns the coarsest cut of two texts, or `None` if they are equal.
    pub(super) fn first(
        archive: Option<&Archive>,
        passing: &[u8],
        failing: &[u8],
        reading: Option<&Reading>,
    ) -> Option<Self> {
        if passing == failing {
            return None;
        }
        Some(match reading {
            _ if archive.is_some() => Cut::Files,
            // A parse that is abandoned leaves lines.
            Some(reading) if [passing, failing].iter().all(|text| reading.parse(text).is_some()) => {
                Cut::Units(1, reading.clone())
            }
            _ => Cut::Hunks,
        })
    }

    /// Returns the next finer cut, or `None` after the finest.
    pub(super) fn finer(&self, archive: Option<&Archive>, passing: &[u8], failing: &[u8]) -> Option<Self> {
        match self {
            Cut::Files => Some(Cut::Hunks),
            Cut::Hunks => Some(Cut::Lines),
            // Of several files a line is the smallest change.
            Cut::Lines => archive.is_none().then_some(Cut::Characters),
            Cut::Units(depth, reading) => {
                let next = depth + depth.div_ceil(2);
                let deepest = [passing, failing].iter().map(|text| units(text, reading, usize::MAX).1).max();
                Some(match deepest > Some(*depth) {
                    true => Cut::Units(next, reading.clone()),
                    false => Cut::Tokens(reading.clone()),
                })
            }
            Cut::Characters | Cut::Tokens(_) => None,
        }
    }

    /// The name of its parts, in the plural.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Cut::Files => "files",
            Cut::Hunks => "hunks",
            Cut::Lines => "lines",
            Cut::Characters => "characters",
            Cut::Units(..) => "units",
            Cut::Tokens(_) => "tokens",
        }
    }

    /// The ends of the parts of a text, ascending. A file that the other text does not have is one part.
    fn ends(&self, archive: Option<&Archive>, text: &[u8], other: &[u8]) -> Vec<usize> {
        let entries = archive.map(|archive| archive.entries(text)).unwrap_or_default();
        let there: HashSet<Vec<u8>> =
            archive.iter().flat_map(|archive| archive.entries(other)).map(|entry| entry.path).collect();
        let whole = |entry: &Entry| matches!(self, Cut::Files) || !there.contains(&entry.path);
        let mut ends: Vec<usize> = match self {
            Cut::Files | Cut::Hunks | Cut::Lines => lines(text).map(|line| line.end).collect(),
            Cut::Characters => characters(text, 0..text.len()).map(|part| part.end).collect(),
            Cut::Units(depth, reading) => units(text, reading, *depth).0,
            Cut::Tokens(reading) => tokens(text, reading),
        };
        // A frame begins with the line break before it.
        for entry in &entries {
            ends.retain(|&end| end != entry.frame.start + 1 && (!whole(entry) || !entry.whole().contains(&end)));
        }
        ends.extend(entries.iter().flat_map(|entry| [entry.frame.start, entry.content.end]));
        ends.extend(entries.iter().filter(|entry| !whole(entry)).map(|entry| entry.frame.end));
        ends.push(text.len());
        ends.sort_unstable();
        ends.dedup();
        ends.retain(|&end| end > 0);
        ends
    }
}

/// The ends of the parts between units of the tree that are within fewer than `depth` others, and the greatest number of
/// units within each other. After a request to stop they are not all.
fn units(text: &[u8], reading: &Reading, depth: usize) -> (Vec<usize>, usize) {
    let Some((document, parser)) = reading.parse(text) else { return (Vec::new(), 0) };
    let mut shapes = TrialParser::new(parser);
    let mut all: Vec<Range<usize>> = Vec::new();
    for parent in document.ids().take_while(|_| !(reading.stop)()) {
        let Some(sequence) = siblings(&document, &reading.grammar, &mut shapes, parent, |_| false) else { continue };
        for unit in sequence.units {
            let Removal::Nodes(nodes) = unit.removal else { continue };
            let start = nodes.iter().map(|&node| document.node(node).start as usize).min();
            let end = nodes.iter().map(|&node| document.node(node).end as usize).max();
            all.extend(start.zip(end).map(|(start, end)| start..end));
        }
    }
    all.sort_unstable_by_key(|unit| (unit.start, std::cmp::Reverse(unit.end)));
    let (mut ends, mut open, mut deepest) = (Vec::new(), Vec::<usize>::new(), 0);
    for unit in all {
        while open.last().is_some_and(|&end| end <= unit.start) {
            open.pop();
        }
        open.push(unit.end);
        deepest = deepest.max(open.len());
        if open.len() <= depth {
            ends.extend([unit.start, unit.end]);
        }
    }
    (behind_blanks(text, ends), deepest)
}

/// The ends of the tokens of a text.
fn tokens(text: &[u8], reading: &Reading) -> Vec<usize> {
    let Some((document, _)) = reading.parse(text) else { return Vec::new() };
    let leaves = document.ids().filter(|&id| document.is_leaf(id));
    let ends = leaves.flat_map(|id| [document.node(id).start as usize, document.node(id).end as usize]).collect();
    behind_blanks(text, ends)
}

/// Drops the ends with only blanks since the previous end: blanks belong to the part after them.
fn behind_blanks(text: &[u8], mut places: Vec<usize>) -> Vec<usize> {
    places.sort_unstable();
    places.dedup();
    let mut last = 0;
    places.retain(|&place| {
        let is_one = text[last..place].iter().any(|byte| !is_blank(*byte));
        if is_one {
            last = place;
        }
        is_one
    });
    places
}

/// The files that differ, by their paths, in whose order both texts have them.
fn of_files(archive: &Archive, passing: &[u8], failing: &[u8]) -> Vec<Difference> {
    let (olds, news) = (archive.entries(passing), archive.entries(failing));
    let (mut old, mut new, mut all) = (olds.iter().peekable(), news.iter().peekable(), Vec::new());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return all,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.path.cmp(&new.path),
        };
        // A file that one of the two does not have is at the place of the next one there.
        let place = |entry: Option<&&Entry>, text: &[u8]| entry.map_or(text.len(), |entry| entry.whole().start);
        let (at_old, at_new) = (place(old.peek(), passing), place(new.peek(), failing));
        let passes = if order.is_le() { old.next().map_or(at_old..at_old, Entry::whole) } else { at_old..at_old };
        let fails = if order.is_ge() { new.next().map_or(at_new..at_new, Entry::whole) } else { at_new..at_new };
        if passing[passes.clone()] != failing[fails.clone()] {
            all.push(Difference { passing: passes, failing: fails });
        }
    }
}

/// Compares two lists of parts. Returns `None` after a request to stop. The comparison runs on its own thread because
/// it cannot be stopped; it ends within [`PATIENCE`].
fn operations(sides: [(&[Range<usize>], &[u8]); 2], stop: &Stop) -> Option<Vec<DiffOp>> {
    let mut known: HashMap<&[u8], usize> = HashMap::new();
    let [olds, news] = sides.map(|(parts, text)| {
        let mut number = |part: &Range<usize>| {
            let next = known.len();
            *known.entry(&text[part.clone()]).or_insert(next)
        };
        parts.iter().map(&mut number).collect::<Vec<usize>>()
    });
    let compare = |olds: &[usize], news: &[usize]| {
        let deadline = Instant::now().checked_add(PATIENCE);
        capture_diff_slices_deadline(Algorithm::Histogram, olds, news, deadline)
    };
    let (found, finds) = mpsc::channel();
    let both = Arc::new((olds, news));
    let theirs = Arc::clone(&both);
    let work = move || {
        // After a request to stop the caller doesn't listen any more.
        let _ = found.send(compare(&theirs.0, &theirs.1));
    };
    if thread::Builder::new().name("difference".to_owned()).spawn(work).is_err() {
        return Some(compare(&both.0, &both.1));
    }
    while !stop() {
        match finds.recv_timeout(TICK) {
            Ok(found) => return Some(found),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return Some(compare(&both.0, &both.1)),
        }
    }
    None
}

/// The differences of two texts by one cut.
#[derive(Default)]
pub(super) struct Differences {
    /// In the order of the texts; everything between two of them is equal in both.
    pub(super) all: Vec<Difference>,
}

impl Differences {
    /// `None` after a request to stop.
    pub(super) fn of(
        archive: Option<&Archive>,
        passing: &[u8],
        failing: &[u8],
        cut: &Cut,
        stop: &Stop,
    ) -> Option<Self> {
        if let (Cut::Files, Some(archive)) = (cut, archive) {
            return Some(Differences { all: of_files(archive, passing, failing) });
        }
        let parts = |text: &[u8], other: &[u8]| {
            let mut start = 0;
            let ends = cut.ends(archive, text, other);
            ends.into_iter().map(|end| std::mem::replace(&mut start, end)..end).collect::<Vec<_>>()
        };
        let (old, new) = (parts(passing, failing), parts(failing, passing));
        let operations = operations([(&old, passing), (&new, failing)], stop)?;
        let together = |parts: &[Range<usize>], at: usize, len: usize, text: &[u8]| {
            let start = parts.get(at).map_or(text.len(), |part| part.start);
            start..if len == 0 { start } else { parts[at + len - 1].end }
        };
        let mut all: Vec<Difference> = Vec::new();
        for operation in operations {
            let (tag, olds, news) = operation.as_tag_tuple();
            if tag == DiffTag::Equal {
                continue;
            }
            // The parts of a change are paired; remaining parts are removed or added alone.
            let steps = match cut {
                Cut::Hunks => 1,
                _ => olds.len().max(news.len()),
            };
            for step in 0..steps {
                let of = |range: &Range<usize>| match cut {
                    Cut::Hunks => range.clone(),
                    _ => (range.start + step).min(range.end)..(range.start + step + 1).min(range.end),
                };
                let (old_parts, new_parts) = (of(&olds), of(&news));
                all.push(Difference {
                    passing: together(&old, old_parts.start, old_parts.len(), passing),
                    failing: together(&new, new_parts.start, new_parts.len(), failing),
                });
            }
        }
        Some(Differences { all })
    }

    /// The text with some of the differences.
    pub(super) fn text(&self, passing: &[u8], failing: &[u8], has: impl Fn(usize) -> bool) -> Vec<u8> {
        let (mut text, mut at) = (Vec::with_capacity(passing.len().max(failing.len())), 0);
        for (number, difference) in self.all.iter().enumerate() {
            text.extend_from_slice(&passing[at..difference.passing.start]);
            text.extend_from_slice(match has(number) {
                true => &failing[difference.failing.clone()],
                false => &passing[difference.passing.clone()],
            });
            at = difference.passing.end;
        }
        text.extend_from_slice(&passing[at..]);
        text
    }
}
