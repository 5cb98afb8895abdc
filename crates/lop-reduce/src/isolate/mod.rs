//! Isolates the cause of a failure: the part of the difference between a passing and a failing test case that brings
//! it.
//!
//! ```text
//!   passing, failing ─► differences: of files, of units of the tree, of tokens ─► engine: which of them to have
//!                            ▲                                                         │
//!                            └──── the two texts, nearer to each other ◄── judge ◄─────┘
//! ```
//!
//! Each level works on the texts from the level before, with the engine's [`isolate`](lop_engine::isolate). A candidate
//! with more syntax errors than both texts is unresolved without a test.

mod differences;

use std::collections::HashMap;
use std::sync::Arc;

use lop_engine::{Answer, BitSet, approach};
use lop_files::project::Archive;
use lop_grammar::Grammar;
use lop_run::exec::{Key, key};
use lop_syntax::{Document, Stop, SyntaxParser};

pub use differences::Difference;
use differences::{Cut, Differences, Reading};

/// A test case that passes and one that fails.
#[derive(Clone, Copy)]
pub struct Pair<'p> {
    /// The text that passes.
    pub passing: &'p [u8],
    /// The text that fails.
    pub failing: &'p [u8],
    /// The archive whose texts both are, if each has several files.
    pub archive: Option<&'p Archive>,
    /// Their language, if it is known.
    pub grammar: Option<&'p Arc<Grammar>>,
    /// Ends the work between two questions, which takes long on large texts, when it says so.
    pub stop: Option<&'p Stop>,
}

/// Two texts whose difference matters as a whole: without any one part of it the one that fails neither fails nor passes,
/// and with any one the one that passes does neither.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Isolated {
    /// The text that passes.
    pub passing: Vec<u8>,
    /// The text that fails.
    pub failing: Vec<u8>,
    /// The parts in which they differ, in order.
    pub differences: Vec<Difference>,
    /// The levels that had something to decide, coarse to fine.
    pub levels: Vec<Level>,
    /// Distinct candidates that were judged.
    pub tests: usize,
    /// Candidates with new syntax errors, which were not.
    pub refused: usize,
    /// Whether it is complete. If not, [`Pair::stop`] ended it: the two texts are the nearest so far, and their
    /// differences are unknown.
    pub is_complete: bool,
}

/// The work of a level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Level {
    /// The kind of its differences, in the plural.
    pub of: &'static str,
    /// The differences before it.
    pub before: usize,
    /// Those that are left.
    pub left: usize,
    /// Distinct candidates that it judged.
    pub tests: usize,
}

/// Brings two texts, one of which passes and one fails, as near to each other as possible: first by units of the tree,
/// then by tokens; without a language, by lines and then characters; in an archive, by files and then lines. Neither of
/// the two texts is judged.
///
/// # Errors
/// Those of `judge`.
pub fn isolate<E>(pair: Pair<'_>, judge: impl FnMut(&[u8]) -> Result<Answer, E>) -> Result<Isolated, E> {
    isolate_by(
        pair,
        &mut |len, is_last, judge| if is_last { lop_engine::isolate(len, judge) } else { approach(len, judge) },
        judge,
    )
}

/// A search for a difference. It gets the number of differences, whether their level is the last one, and their judge.
pub type Search<'s, E> =
    dyn FnMut(usize, bool, &mut dyn FnMut(&BitSet) -> Result<Answer, E>) -> Result<lop_engine::Isolated, E> + 's;

/// [`isolate`] with another search for the differences of each level.
///
/// # Errors
/// Those of `judge`.
pub fn isolate_by<E>(
    pair: Pair<'_>,
    search: &mut Search<'_, E>,
    judge: impl FnMut(&[u8]) -> Result<Answer, E>,
) -> Result<Isolated, E> {
    let known = [(key(pair.passing), Answer::Passes), (key(pair.failing), Answer::Fails)];
    let stop = pair.stop.map_or_else(|| Arc::new(|| false) as Stop, Arc::clone);
    let reading = pair.grammar.map(|grammar| Reading { grammar: Arc::clone(grammar), stop: Arc::clone(&stop) });
    let mut work = Work {
        passing: pair.passing.to_vec(),
        failing: pair.failing.to_vec(),
        gate: reading.as_ref().and_then(|reading| Gate::new(reading, pair)),
        judge,
        known: HashMap::from(known),
        tests: 0,
        refused: 0,
    };
    let (mut levels, mut last) = (Vec::new(), Some(Differences::default()));
    let mut cut = Cut::first(pair.archive, &work.passing, &work.failing, reading.as_ref());
    while let Some(now) = cut {
        last = Differences::of(pair.archive, &work.passing, &work.failing, &now, &stop);
        let is_last = now.finer(pair.archive, &work.passing, &work.failing).is_none();
        // After a request to stop neither is as it should be.
        if stop() {
            break;
        }
        let Some(differences) = &last else { break };
        levels.extend(work.level(now.name(), differences, is_last, search)?);
        last = Differences::of(pair.archive, &work.passing, &work.failing, &now, &stop);
        cut = now.finer(pair.archive, &work.passing, &work.failing);
    }
    let Work { passing, failing, tests, refused, .. } = work;
    let differences = last.filter(|_| !stop());
    let is_complete = differences.is_some();
    let differences = differences.unwrap_or_default().all;
    Ok(Isolated { differences, passing, failing, levels, tests, refused, is_complete })
}

struct Work<J> {
    passing: Vec<u8>,
    failing: Vec<u8>,
    gate: Option<Gate>,
    judge: J,
    known: HashMap<Key, Answer>,
    tests: usize,
    refused: usize,
}

impl<E, J: FnMut(&[u8]) -> Result<Answer, E>> Work<J> {
    /// Decides the differences of a level; `None` if there are fewer than two.
    fn level(
        &mut self,
        of: &'static str,
        differences: &Differences,
        is_last: bool,
        search: &mut Search<'_, E>,
    ) -> Result<Option<Level>, E> {
        let (before, tests) = (differences.all.len(), self.tests);
        if before < 2 {
            return Ok(None);
        }
        let (passing, failing) = (self.passing.clone(), self.failing.clone());
        let text = |there: &BitSet| differences.text(&passing, &failing, |at| there.contains(at));
        let found = search(before, is_last, &mut |there| self.ask(&text(there)))?;
        (self.passing, self.failing) = (text(&found.passing), text(&found.failing));
        Ok(Some(Level { of, before, left: found.differences().len(), tests: self.tests - tests }))
    }

    fn ask(&mut self, candidate: &[u8]) -> Result<Answer, E> {
        let key = key(candidate);
        if let Some(&answer) = self.known.get(&key) {
            return Ok(answer);
        }
        let answer = if self.gate.as_mut().is_some_and(|gate| !gate.lets(candidate)) {
            self.refused += 1;
            Answer::Refused
        } else {
            self.tests += 1;
            (self.judge)(candidate)?
        };
        self.known.insert(key, answer);
        Ok(answer)
    }
}

/// Refuses candidates with more syntax errors than both texts have.
struct Gate {
    parser: SyntaxParser,
    most: usize,
}

impl Gate {
    /// Returns `None` for archives, whose files have their own languages, and if one of the texts cannot be parsed.
    fn new(reading: &Reading, pair: Pair<'_>) -> Option<Self> {
        if pair.archive.is_some() {
            return None;
        }
        let mut parser = reading.parser()?;
        let mut errors = |text: &[u8]| Document::parse(&mut parser, text).ok().map(|document| document.errors());
        let most = errors(pair.passing)?.max(errors(pair.failing)?);
        Some(Gate { parser, most })
    }

    fn lets(&mut self, candidate: &[u8]) -> bool {
        Document::parse(&mut self.parser, candidate).is_ok_and(|document| document.errors() <= self.most)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::ops::Range;
    use std::time::{Duration, Instant};

    use super::*;
    use lop_files::project::{Kind, Member};

    /// The parts in which the two texts differ at the end, and all else.
    fn isolated(
        file: &str,
        passing: &[u8],
        failing: &[u8],
        answer: impl Fn(&str) -> Answer,
    ) -> (Vec<(String, String)>, Isolated) {
        let grammar = (file != "x.txt").then(|| lop_testing::grammar(file));
        let pair = Pair { passing, failing, archive: None, grammar: grammar.as_ref(), stop: None };
        isolated_of(pair, answer)
    }

    fn isolated_of(pair: Pair<'_>, answer: impl Fn(&str) -> Answer) -> (Vec<(String, String)>, Isolated) {
        let answer = |text: &[u8]| answer(&String::from_utf8_lossy(text));
        let found = isolate(pair, |text| Ok::<_, Infallible>(answer(text))).expect("it answers");
        assert_eq!((answer(&found.passing), answer(&found.failing)), (Answer::Passes, Answer::Fails));
        let part = |text: &[u8], range: &Range<usize>| String::from_utf8_lossy(&text[range.clone()]).trim().to_owned();
        let parts = found.differences.iter();
        let parts = parts.map(|it| (part(&found.passing, &it.passing), part(&found.failing, &it.failing))).collect();
        (parts, found)
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
    }

    #[test]
    fn isolate_goes_from_statements_to_tokens() {
        let passing = "int a = 1;\nint f(int x) { g(1); h(x, 2); return x + 3; }\nint b = 4;\n";
        let failing = "int a = 10;\nint f(int x) { g(10); h(x, 20); i(); return x + 30; }\nint b = 40;\nint d;\n";
        let fails = |text: &str| if text.contains("20") { Answer::Fails } else { Answer::Passes };
        let (parts, found) = isolated("x.c", passing.as_bytes(), failing.as_bytes(), fails);
        assert_eq!(parts, pairs(&[("2", "20")]));
        assert!(found.tests <= 6, "{:?}", found.levels);
        assert_eq!(found.levels[0], Level { of: "units", before: 4, left: 1, tests: 2 });
    }

    #[test]
    fn isolate_refuses_candidates_with_new_syntax_errors_without_a_test() {
        // The test would fail on an open bracket.
        let passing = "f(1);\n";
        let failing = "f(1);\nif (a) {\n  b(2);\n}\nwhile (x) {\n  y(3);\n}\n";
        let fails = |text: &str| {
            assert_eq!(text.matches('{').count(), text.matches('}').count(), "{text}");
            if text.contains("y(") { Answer::Fails } else { Answer::Passes }
        };
        let (parts, _) = isolated("x.js", passing.as_bytes(), failing.as_bytes(), fails);
        assert_eq!(parts, pairs(&[("b", "y")]), "two calls between the same brackets");
    }

    #[test]
    fn isolate_takes_lines_and_then_characters_of_a_text() {
        let (passing, failing) = ("a\nbbbb\nc\n", "x\nbbQb\nc\ny\nz\n");
        let fails = |text: &str| if text.contains('Q') { Answer::Fails } else { Answer::Passes };
        let (parts, _) = isolated("x.txt", passing.as_bytes(), failing.as_bytes(), fails);
        assert_eq!(parts, pairs(&[("b", "Q")]));
    }

    #[test]
    fn isolate_keeps_differences_that_matter_only_together() {
        let fails = |text: &str| match (text.contains("two"), text.contains("three")) {
            (true, true) => Answer::Fails,
            (false, false) => Answer::Passes,
            _ => Answer::Unresolved,
        };
        let (parts, found) = isolated("x.txt", b"one\nfour\n", b"one\ntwo\nfour\nthree\n", fails);
        assert_eq!(parts, pairs(&[("", "o"), ("", "t")]), "one character of each");
        assert_eq!(found.levels[0].left, 2);
    }

    #[test]
    fn isolate_takes_files_and_then_lines_of_an_archive() {
        let member = |path: &str, content: &str| Member {
            path: path.into(),
            kind: Kind::File,
            mode: 0o644,
            content: content.into(),
        };
        let passing = [member("a", "1\n2\n3\n"), member("old", "o\n")];
        let failing = [member("a", "1\n20\n3\n40\n"), member("new", "n\nm\n")];
        let (archive, _) = Archive::pack(&[&passing[..], &failing[..]].concat());
        let (passing, failing) = (archive.text(&passing), archive.text(&failing));
        let both = Pair { passing: &passing, failing: &failing, archive: Some(&archive), grammar: None, stop: None };
        for (wanted, pair) in [("40", ("", "40")), ("20", ("2", "20"))] {
            let fails = |text: &str| if text.contains(wanted) { Answer::Fails } else { Answer::Passes };
            let (parts, found) = isolated_of(both, fails);
            assert_eq!(parts, pairs(&[pair]));
            assert_eq!(found.levels[0].of, "files");
        }
        let (parts, _) = isolated_of(both, |text| match text.contains("\nn\n") {
            true => Answer::Fails,
            false => Answer::Passes,
        });
        assert!(parts[0].1.ends_with("file 644 new\nn\nm"), "a new file comes as a whole: {parts:?}");
    }

    #[test]
    fn isolate_that_is_stopped_between_two_questions_is_not_complete() {
        // Two texts with the same parts in another order: the comparison takes as long as it may.
        let lines = |step: u64| {
            let order = (0..200_000_u64).map(move |at| at * step % 200_003 % 1_000);
            order.map(|line| format!("{line}\n")).collect::<String>().into_bytes()
        };
        let (passing, failing) = (lines(7_919), lines(104_729));
        let begun = Instant::now();
        let stop: Stop = Arc::new(move || begun.elapsed() > Duration::from_millis(300));
        let pair = Pair { passing: &passing, failing: &failing, archive: None, grammar: None, stop: Some(&stop) };
        let found = isolate(pair, |_| Ok::<_, Infallible>(Answer::Unresolved)).expect("it answers");
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        assert!(!found.is_complete && found.differences.is_empty());
        assert_eq!((found.passing, found.failing), (passing, failing));
    }
}
