//! Malformed input: a realistic document with one fault at a seeded place must end within a few
//! bytes of the smallest text with this fault, in few tests.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use lop::Options;
use lop::engine::Verdict;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reduce::{has, run, yes_if};
use crate::tolerant::{Fault, faults};

/// How a fault gets into a document.
enum Make {
    /// At a seeded one of the places where the first stands the second takes its place.
    Swap(&'static str, &'static [u8]),
    /// This comes before everything.
    Front(&'static [u8]),
    /// This comes behind everything.
    Back(&'static [u8]),
    /// The text ends behind a seeded one of these.
    Cut(&'static str),
    /// The text stands there twice.
    Twice,
}

use Make::{Back, Cut, Front, Swap, Twice};

/// About 200 lines: records with long strings, escapes, numbers, lists and objects in each other.
fn document(rng: &mut ChaCha8Rng) -> String {
    let words =
        ["lorem", "ipsum", "dolor", "sit", "größe", "été", "日本語", "naïve", "🙂", "amet,", "x=1;", "{a}", "[0]"];
    let mut text = "{\n  \"version\": 3,\n  \"name\": \"catalogue\",\n  \"items\": [\n".to_owned();
    for record in 0..10 {
        let prose: Vec<_> = (0..30).map(|_| words[rng.random_range(0..words.len())]).collect();
        let (id, score) = (rng.random_range(1000..9999), rng.random_range(10..99));
        let ends = if record == 9 { "" } else { "," };
        write!(
            text,
            r#"    {{
      "id": {id},
      "label": "caf\u00e9 {id} \ud83d\ude00 and more",
      "text": "{}\n{}\t\"{}\"",
      "score": 0.{score},
      "delta": -1.5,
      "active": true,
      "parent": null,
      "tags": ["new", "old", "t{id}"],
      "owner": {{
        "name": "person {id}",
        "roles": [
          "read",
          "write",
          [1, 2, [3, {id}]]
        ],
        "limits": {{
          "low": 1,
          "high": 1{id}e3
        }}
      }}
    }}{ends}
"#,
            prose[..12].join(" "),
            prose[12..25].join(" "),
            prose[25..].join(" ")
        )
        .expect("a string takes everything");
    }
    text + "  ],\n  \"total\": 10\n}\n"
}

/// A document with a fault in it.
fn malformed(make: &Make, seed: u64) -> Vec<u8> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut text = document(&mut rng).into_bytes();
    let mut place = |part: &str| {
        let places: Vec<_> = (0..text.len()).filter(|at| text[*at..].starts_with(part.as_bytes())).collect();
        assert!(!places.is_empty(), "{part}");
        places[rng.random_range(0..places.len())]
    };
    match make {
        Swap(part, fault) => {
            let at = place(part);
            text.splice(at..at + part.len(), fault.iter().copied());
        }
        Front(fault) => text = [fault, text.as_slice()].concat(),
        Back(fault) => text.extend_from_slice(fault),
        Cut(part) => {
            let at = place(part);
            text.truncate(at + part.len());
        }
        Twice => text = text.repeat(2),
    }
    text
}

/// What came out and how many tests it took.
struct Row {
    name: String,
    best: Vec<u8>,
    tests: usize,
}

impl Row {
    fn of(name: &str, file: &str, input: &[u8], mut test: impl FnMut(&[u8]) -> bool) -> Self {
        let (report, asked) = run(file, input, &Options::default(), |c| yes_if(test(c)));
        let best = report.unwrap_or_else(|error| panic!("{name}: {error}")).best;
        Row { name: name.to_owned(), best, tests: asked.len() }
    }

    /// What is wrong with it if it is larger or took more tests than this.
    fn beyond(&self, bytes: usize, tests: usize) -> Option<String> {
        let Row { name, best, tests: took } = self;
        {
            use std::io::Write;
            let mut f = std::fs::OpenOptions::new().append(true).create(true).open("/tmp/w-mal-rows.txt").unwrap();
            writeln!(f, "{name}\t{}\t{bytes}\t{took}\t{tests}\t{}", best.len(), best.escape_ascii()).unwrap();
        }
        let over = best.len() > bytes || *took > tests;
        let text = best.get(..200).unwrap_or(best).escape_ascii();
        over.then(|| format!("{name}: {} bytes (not {bytes}), {took} tests (not {tests}): {text}", best.len()))
    }
}

#[track_caller]
fn assert_none(beyond: impl Iterator<Item = Option<String>>) {
    let beyond: Vec<_> = beyond.flatten().collect();
    assert!(beyond.is_empty(), "\n{}", beyond.join("\n"));
}

const SEEDS: std::ops::Range<u64> = 0..2;

/// The fault, how it comes into the document, and the length of the shortest text with it alone.
const FAULTS: [(&str, Fault, Make, usize); 36] = [
    ("bad escape", Fault::BadEscape, Swap("\\n", b"\\q"), 4),
    ("bad hex escape", Fault::BadHexEscape, Swap("\\u00e9", b"\\u00e"), 4),
    ("high surrogate alone", Fault::LoneSurrogate, Swap("\\ud83d\\ude00", b"\\ud83d"), 8),
    ("low surrogate alone", Fault::LoneSurrogate, Swap("\\ud83d\\ude00", b"\\ude00"), 8),
    ("tab in a string", Fault::ControlCharacter, Swap("\\t", b"\t"), 3),
    ("control character", Fault::ControlCharacter, Swap("and", b"a\x01d"), 3),
    ("line end in a string", Fault::LineEndInString, Swap("more\"", b"more"), 2),
    ("invalid UTF-8", Fault::InvalidUtf8, Swap("and", b"a\xC3d"), 3),
    ("single quotes", Fault::SingleQuotes, Swap("\"write\"", b"'write'"), 2),
    ("bare key", Fault::BareKey, Swap("\"owner\"", b"owner"), 4),
    ("bare key of many", Fault::BareKey, Swap("\"id\"", b"id"), 4),
    ("NaN", Fault::NotANumber, Swap("-1.5", b"NaN"), 3),
    ("Infinity", Fault::NotANumber, Swap("null", b"-Infinity"), 8),
    ("True", Fault::WordForLiteral, Swap("true", b"True"), 4),
    ("undefined", Fault::WordForLiteral, Swap("null", b"undefined"), 9),
    ("leading zero", Fault::LeadingZero, Swap("\"id\": ", b"\"id\": 0"), 2),
    ("leading plus", Fault::LeadingPlus, Swap("-1.5", b"+1.5"), 2),
    ("bare fraction", Fault::BareFraction, Swap("0.", b"."), 2),
    ("hexadecimal number", Fault::HexNumber, Swap("\"low\": ", b"\"low\": 0x"), 3),
    ("line comment", Fault::LineComment, Swap("true,", b"true, // here"), 3),
    ("block comment", Fault::BlockComment, Swap("true,", b"true, /* here */"), 5),
    ("NUL byte", Fault::NulByte, Swap("true,", b"true,\0"), 2),
    ("BOM", Fault::Bom, Front(b"\xEF\xBB\xBF"), 4),
    ("trailing comma in an array", Fault::TrailingComma, Swap("],", b",],"), 4),
    ("trailing comma in an object", Fault::TrailingComma, Swap("e3\n", b"e3,\n"), 4),
    ("doubled comma", Fault::DoubledComma, Swap(",\n", b",,\n"), 6),
    ("missing comma", Fault::MissingComma, Swap(",\n", b"\n"), 5),
    ("semicolon for a comma", Fault::SemicolonForComma, Swap(",\n", b";\n"), 5),
    ("missing colon", Fault::MissingColon, Swap("\": ", b"\" "), 5),
    ("equals sign for a colon", Fault::EqualsForColon, Swap("\": ", b"\" = "), 6),
    ("missing value", Fault::MissingValue, Swap(": null", b":"), 4),
    ("wrong bracket", Fault::WrongBracket, Swap("]\n        ]", b"]\n        }"), 2),
    ("stray bracket", Fault::StrayBracket, Back(b"]\n"), 2),
    ("truncated", Fault::Unclosed, Cut(",\n"), 1),
    ("truncated in a string", Fault::UnclosedString, Cut("\": \"caf"), 1),
    ("two documents", Fault::SecondDocument, Twice, 2),
];

#[test]
fn probe() {
    let _ = std::fs::remove_file("/tmp/w-mal-rows.txt");
    let rows = FAULTS
        .iter()
        .filter(|f| std::env::var("ONLY").is_err() || std::env::var("ONLY").unwrap() == f.0)
        .flat_map(|(name, fault, make, bytes)| {
            SEEDS.map(move |seed| {
                let input = malformed(make, seed);
                let wanted = faults(&input);
                assert!(wanted.as_ref().is_some_and(|w| w.contains(fault)), "{name}: {wanted:?}");
                let alone = BTreeSet::from([*fault]);
                // Truncated in a string is both.
                let allowed = wanted.expect("just looked");
                let _ = alone;
                Row::of(name, "x.json", &input, |c| {
                    faults(c).is_some_and(|f| f.contains(fault) && f.is_subset(&allowed))
                })
                .beyond(*bytes, 60)
            })
        });
    assert_none(rows);
}

fn message(text: &[u8]) -> Option<String> {
    let error = serde_json::from_slice::<serde_json::Value>(text).err()?.to_string();
    Some(error.split(" at line").next().expect("split always gives one").to_owned())
}

#[test]
fn probe_serde() {
    let rows = FAULTS
        .iter()
        .filter(|f| std::env::var("ONLY").is_err() || std::env::var("ONLY").unwrap() == f.0)
        .flat_map(|(name, _, make, bytes)| {
            SEEDS.filter_map(move |seed| {
                let input = malformed(make, seed);
                let wanted = message(&input)?;
                Some(
                    Row::of(&format!("serde: {name}: {wanted}"), "x.json", &input, |c| {
                        message(c).as_ref() == Some(&wanted)
                    })
                    .beyond(*bytes, 60),
                )
            })
        });
    assert_none(rows);
}
