//! Holds the search: of three fixtures the sequence of candidates (which texts are tested, in which order), of the other
//! inputs the size of the result and how many candidates it may take. A change that is only about how the source is
//! arranged leaves `sequences.txt` as it is; one that means to change the search gives the sequences of the three anew
//! (the failing test prints them), and says so with the counts before and after. Sizes and budgets only fall.
//!
//! The interestingness tests are functions of the text alone, so that no compiler's version is in the numbers. The table
//! was made on x86-64 with glibc: where two questions are worth nearly the same, logarithms decide.

use std::cell::RefCell;
use std::fmt::{Display, Formatter};
use std::fs;
use std::path::{Path, PathBuf};

use lop::{Options, Silent, Verdict, reduce_with};
use lop_reduce::{Effort, Minimal};
use lop_run::exec::Inline;
use lop_run::oracle::Cancel;

use crate::reduce::grammar;

/// Fixtures of which the sequence is held, and not only the size with a budget.
const HELD: [&str; 3] = ["c-warning/", "javascript-error/", "json-malformed/"];

/// Folders of `grammars/` whose samples are reduced besides the fixtures.
const SAMPLES: [&str; 6] = ["go", "python", "rust", "sql", "toml", "yaml"];

/// How an input is reduced: by name, with how many candidates in flight, with which options.
type Way = (&'static str, usize, fn(&mut Options));

/// Every input is reduced in these ways.
const WAYS: [Way; 2] = [("one worker", 1, |_| {}), ("four workers", 4, |_| {})];

/// Options that have one fixture each: they shape the search, and not what it is done to.
const MORE: [(&str, Way); 3] = [
    ("json-malformed", ("minimal in characters", 1, |options| options.minimal = Some(Minimal::Char))),
    ("c-malformed", ("thorough", 1, |options| options.effort = Effort::Thorough)),
    ("javascript-error", ("random order", 1, |options| options.seed = 5)),
];

/// Whether every bracket has its partner; quotes mean nothing.
fn is_balanced(text: &[u8]) -> bool {
    let mut open = Vec::new();
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => open.push(*byte),
            b')' if open.pop() != Some(b'(') => return false,
            b']' if open.pop() != Some(b'[') => return false,
            b'}' if open.pop() != Some(b'{') => return false,
            _ => {}
        }
    }
    open.is_empty()
}

/// Words of the input in their order, from all over it.
fn needles(input: &[u8]) -> Vec<&[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let words: Vec<&[u8]> = input.split(|byte| !is_word(byte)).filter(|word| word.len() > 1).collect();
    [1, 4, 5, 9].into_iter().filter_map(|tenth| words.get(words.len() * tenth / 10).copied()).collect()
}

/// Whether the words are in the text, one behind the other.
fn has_in_order(text: &[u8], words: &[&[u8]]) -> bool {
    let mut rest = text;
    words.iter().all(|word| {
        let found = rest.windows(word.len()).position(|part| part == *word);
        rest = found.map_or(&[], |at| &rest[at + word.len()..]);
        found.is_some()
    })
}

/// The cost and the result of a reduction.
struct Row {
    candidates: usize,
    /// Over all candidates, in order; `-` where the sequence is not held.
    hash: String,
    /// Bytes of the result.
    size: usize,
    /// The input, and how it was reduced.
    what: String,
}

impl Row {
    /// A line of the table.
    fn read(line: &str) -> Self {
        let parts: Vec<&str> = line.splitn(4, ' ').collect();
        let [candidates, hash, size, what] = parts[..] else { panic!("four parts: {line}") };
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("a number: {text}"));
        Row { candidates: number(candidates), hash: hash.to_owned(), size: number(size), what: what.to_owned() }
    }

    fn is_held(&self) -> bool {
        HELD.iter().any(|name| self.what.starts_with(name))
    }

    /// Whether the table allows it.
    fn is_as(&self, expected: &Row) -> bool {
        self.what == expected.what
            && match self.is_held() {
                true => {
                    (self.candidates, &self.hash, self.size) == (expected.candidates, &expected.hash, expected.size)
                }
                false => self.candidates <= expected.candidates && self.size <= expected.size,
            }
    }
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {} {}", self.candidates, self.hash, self.size, self.what)
    }
}

fn row(input: &Path, (name, slots, change): Way) -> Row {
    let text = fs::read(input).unwrap_or_else(|error| panic!("{}: {error}", input.display()));
    let words = needles(&text);
    let brackets_count = is_balanced(&text);
    let sequence = RefCell::new((0, blake3::Hasher::new()));
    let judge = |candidate: &[u8]| {
        let (count, hasher) = &mut *sequence.borrow_mut();
        *count += 1;
        hasher.update(&candidate.len().to_le_bytes()).update(candidate);
        if brackets_count && !is_balanced(candidate) {
            return Verdict::Invalid;
        }
        Verdict::from(has_in_order(candidate, &words))
    };
    let mut options = Options::default();
    change(&mut options);
    let file = input.file_name().expect("a file").to_string_lossy();
    let mut executor = Inline::new(judge).with_slots(slots);
    let language = grammar(&file, &text);
    let report = reduce_with(&text, language, &mut executor, &options, &mut Silent, &Cancel::new());
    let size = report.unwrap_or_else(|error| panic!("{}: {error}", input.display())).best.len();
    drop(executor);
    let (count, hasher) = sequence.into_inner();
    let place = input.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
    let what = format!("{place}/{file}, {name}");
    let mut row = Row { candidates: count, hash: "-".to_owned(), size, what };
    if row.is_held() {
        row.hash = hasher.finalize().to_hex()[..16].to_owned();
    }
    row
}

/// The fixtures with an input, and the samples.
fn inputs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = fs::read_dir(root.join("fixtures")).expect("the package has fixtures");
    let folders = folders.map(|entry| entry.expect("it can be listed").path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|path| fs::read_dir(path).expect("it can be listed"));
    let files = files.map(|entry| entry.expect("it can be listed").path());
    let mut inputs: Vec<PathBuf> = files.filter(|path| path.file_stem().is_some_and(|stem| stem == "input")).collect();
    inputs.sort();
    for name in SAMPLES {
        let files = fs::read_dir(root.join("grammars").join(name)).expect("a language's folder");
        let files = files.map(|entry| entry.expect("it can be listed").path());
        inputs.extend(files.filter(|path| path.file_stem().is_some_and(|stem| stem == "sample")));
    }
    inputs
}

#[test]
fn the_same_candidates_are_tested_in_the_same_order_and_no_more_than_before() {
    let inputs = inputs();
    let mut found: Vec<Row> = inputs.iter().flat_map(|input| WAYS.map(|way| row(input, way))).collect();
    for (name, way) in MORE {
        let input = inputs.iter().find(|path| path.parent().is_some_and(|folder| folder.ends_with(name)));
        found.push(row(input.expect("a fixture"), way));
    }
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/sequences.txt");
    let expected = fs::read_to_string(&table).expect("the table can be read");
    let expected: Vec<Row> = expected.lines().map(Row::read).collect();
    assert_eq!(found.len(), expected.len(), "a row for each input and way");
    let faults: Vec<String> = found
        .iter()
        .zip(&expected)
        .filter(|(found, expected)| !found.is_as(expected))
        .map(|(found, expected)| format!("{found}\n    and not {expected}"))
        .collect();
    assert!(faults.is_empty(), "candidates, hash, bytes of the result, input:\n{}", faults.join("\n"));
}
