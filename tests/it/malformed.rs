//! Malformed input: a realistic document with one fault at a seeded place must end within a few
//! bytes of the smallest text with this fault, in few tests.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;

use lop::Options;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reduce::{has, run, yes_if};
use crate::scanner::{Complaint, complaints};
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
    let text = document(&mut rng).into_bytes();
    apply(make, text, &mut rng)
}

/// A text with a fault in it.
fn apply(make: &Make, mut text: Vec<u8>, rng: &mut ChaCha8Rng) -> Vec<u8> {
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

/// The result and how many candidates were tested for it: those asked about twice, to confirm them, count once.
struct Row {
    name: String,
    best: Vec<u8>,
    tests: usize,
}

impl Row {
    fn of(name: &str, file: &str, input: &[u8], mut test: impl FnMut(&[u8]) -> bool) -> Self {
        let (report, asked) = run(file, input, &Options::default(), |c| yes_if(test(c)));
        let best = report.unwrap_or_else(|error| panic!("{name}: {error}")).best;
        let distinct: HashSet<_> = asked.into_iter().collect();
        Row { name: name.to_owned(), best, tests: distinct.len() }
    }

    /// The complaint about it if it is larger, blanks not counted, or took more tests than this.
    fn beyond(&self, bytes: usize, tests: usize) -> Option<String> {
        let Row { name, best, tests: took } = self;
        let size = best.iter().filter(|b| !matches!(b, b' ' | b'\r' | b'\n')).count();
        let over = size > bytes || *took > tests;
        let text = best.get(..200).unwrap_or(best).escape_ascii();
        over.then(|| format!("{name}: {size} bytes (not {bytes}), {took} tests (not {tests}): {text}"))
    }
}

#[track_caller]
fn assert_none(beyond: impl Iterator<Item = Option<String>>) {
    let beyond: Vec<_> = beyond.flatten().collect();
    assert!(beyond.is_empty(), "\n{}", beyond.join("\n"));
}

const SEEDS: Range<u64> = 0..3;

/// The fault, how it comes into the document, and how many bytes and tests are good enough.
const FAULTS: [(&str, Fault, Make, usize, usize); 36] = [
    ("bad escape", Fault::BadEscape, Swap("\\n", b"\\q"), 4, 80),
    ("bad hex escape", Fault::BadHexEscape, Swap("\\u00e9", b"\\u00e"), 16, 80),
    ("high surrogate alone", Fault::LoneSurrogate, Swap("\\ud83d\\ude00", b"\\ud83d"), 8, 70),
    ("low surrogate alone", Fault::LoneSurrogate, Swap("\\ud83d\\ude00", b"\\ude00"), 8, 70),
    ("tab in a string", Fault::ControlCharacter, Swap("\\t", b"\t"), 3, 70),
    ("control character", Fault::ControlCharacter, Swap("and", b"a\x01d"), 15, 85),
    ("line end in a string", Fault::LineEndInString, Swap("more\"", b"more"), 6, 140),
    ("invalid UTF-8", Fault::InvalidUtf8, Swap("and", b"a\xC3d"), 15, 85),
    ("single quotes", Fault::SingleQuotes, Swap("\"write\"", b"'write'"), 2, 20),
    ("bare key", Fault::BareKey, Swap("\"owner\"", b"owner"), 6, 90),
    ("bare key of many", Fault::BareKey, Swap("\"id\"", b"id"), 5, 110),
    ("NaN", Fault::NotANumber, Swap("-1.5", b"NaN"), 3, 15),
    ("Infinity", Fault::NotANumber, Swap("null", b"-Infinity"), 8, 30),
    ("True", Fault::WordForLiteral, Swap("true", b"True"), 4, 15),
    ("undefined", Fault::WordForLiteral, Swap("null", b"undefined"), 9, 20),
    ("leading zero", Fault::LeadingZero, Swap("\"id\": ", b"\"id\": 0"), 2, 20),
    ("leading plus", Fault::LeadingPlus, Swap("-1.5", b"+1.5"), 2, 20),
    ("bare fraction", Fault::BareFraction, Swap("0.", b"."), 2, 20),
    ("hexadecimal number", Fault::HexNumber, Swap("\"low\": ", b"\"low\": 0x"), 3, 20),
    ("line comment", Fault::LineComment, Swap("true,", b"true, // here"), 4, 50),
    ("block comment", Fault::BlockComment, Swap("true,", b"true, /* here */"), 6, 50),
    ("NUL byte", Fault::NulByte, Swap("true,", b"true,\0"), 3, 30),
    ("BOM", Fault::Bom, Front(b"\xEF\xBB\xBF"), 4, 20),
    ("trailing comma in an array", Fault::TrailingComma, Swap("],", b",],"), 4, 45),
    ("trailing comma in an object", Fault::TrailingComma, Swap("e3\n", b"e3,\n"), 7, 80),
    ("doubled comma", Fault::DoubledComma, Swap(",\n", b",,\n"), 12, 160),
    ("missing comma", Fault::MissingComma, Swap(",\n", b"\n"), 10, 150),
    ("semicolon for a comma", Fault::SemicolonForComma, Swap(",\n", b";\n"), 11, 170),
    ("missing colon", Fault::MissingColon, Swap("\": ", b"\" "), 9, 68),
    ("equals sign for a colon", Fault::EqualsForColon, Swap("\": ", b"\" = "), 6, 80),
    ("missing value", Fault::MissingValue, Swap(": null", b":"), 4, 45),
    ("wrong bracket", Fault::WrongBracket, Swap("]\n        ]", b"]\n        }"), 2, 80),
    ("stray bracket", Fault::StrayBracket, Back(b"]\n"), 2, 30),
    ("truncated", Fault::Unclosed, Cut(",\n"), 1, 40),
    ("truncated in a string", Fault::UnclosedString, Cut("\": \"caf"), 9, 65),
    ("two documents", Fault::SecondDocument, Twice, 2, 25),
];

#[test]
fn one_fault_in_a_document_is_all_that_is_left() {
    let rows = FAULTS.iter().flat_map(|(name, fault, make, bytes, tests)| {
        SEEDS.map(move |seed| {
            let input = malformed(make, seed);
            let wanted = faults(&input).unwrap_or_else(|| panic!("{name}: the parser gives up"));
            assert!(wanted.contains(fault), "{name}: {wanted:?}");
            let test = |c: &[u8]| faults(c).is_some_and(|f| f.contains(fault) && f.is_subset(&wanted));
            Row::of(name, "x.json", &input, test).beyond(*bytes, *tests)
        })
    });
    assert_none(rows);
}

/// The message of a parser, without the place.
fn message(text: &[u8]) -> Option<String> {
    let error = serde_json::from_slice::<serde_json::Value>(text).err()?.to_string();
    Some(error.split(" at line").next().expect("split always gives one").to_owned())
}

#[test]
fn a_parsers_message_is_all_that_is_left() {
    let rows = FAULTS.iter().flat_map(|(name, _, make, ..)| {
        SEEDS.filter_map(move |seed| {
            let input = malformed(make, seed);
            // A message that the empty text gets as well is no test.
            let wanted = message(&input).filter(|wanted| message(b"").as_ref() != Some(wanted))?;
            let row = Row::of(name, "x.json", &input, |c| message(c).as_ref() == Some(&wanted));
            Some(row.beyond(28, 130))
        })
    });
    assert_none(rows);
}

/// How deep the brackets of a text go.
fn depth(text: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[test]
fn deep_nesting_is_bisected_also_without_its_end() {
    /// One of them is as deep as anything; for the others a tenth shows as much, in a tenth of the time.
    const LEVELS: usize = 100_000;
    const FEW: usize = LEVELS / 10;
    let rows = [
        ("closed", "[".repeat(LEVELS) + &"]".repeat(LEVELS)),
        ("truncated", "[".repeat(FEW)),
        ("objects", "{\"a\": ".repeat(FEW) + "1" + &"}".repeat(FEW)),
        ("truncated objects", "{\"a\": ".repeat(FEW)),
    ];
    let rows = rows.iter().flat_map(|(name, text)| {
        [1, 20].map(|needed| {
            let bytes = if name.ends_with("objects") { 8 * needed } else { 2 * needed };
            Row::of(&format!("{name} {needed}"), "x.json", text.as_bytes(), |c| depth(c) >= needed).beyond(bytes, 220)
        })
    });
    assert_none(rows);
}

/// A parser that keeps the indentation of all open blocks has room for so many, and ends the program beyond that.
#[test]
fn deep_indentation_is_reduced_whether_the_parser_can_take_it_or_not() {
    const LEVELS: usize = 400;
    let lines = |line: &str| -> String { (0..LEVELS).map(|level| " ".repeat(level) + line + "\n").collect() };
    let rows = [
        ("elements", "x.yaml", "- ".repeat(LEVELS)),
        ("keys", "x.yaml", "? ".repeat(LEVELS)),
        ("lines", "x.yaml", lines("a:")),
        ("lines of elements", "x.yaml", lines("- a:")),
        ("blocks", "x.py", lines("if a:")),
    ];
    let rows = rows.iter().map(|(name, file, text)| {
        let text = text.trim_end_matches('\n').to_owned() + " needle\n";
        Row::of(name, file, text.as_bytes(), |candidate| has_bytes(candidate, b"needle")).beyond(7, 150)
    });
    assert_none(rows);
}

#[test]
fn what_is_no_json_at_all_is_reduced_as_what_it_is() {
    let page = "<html>\n<body class='a'>\n<p>{1} & [more]; \"text\"</p>\n</body>\n".repeat(40);
    let settings = "; note\n[section]\nkey = value, other\npath = C:\\dir\n".repeat(40);
    let binary: Vec<u8> = (0..4000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let blank = " \r\n\t".repeat(500);
    let rows = [
        ("page", page.replacen("more", "needle", 1).into_bytes(), &b"needle"[..]),
        ("settings", settings.replacen("value", "needle", 1).into_bytes(), b"needle"),
        ("bytes", [&binary, &b"needle"[..], &binary].concat(), b"needle"),
        ("blanks", (blank.clone() + "\0" + &blank).into_bytes(), b"\0"),
        ("byte order mark alone", b"\xEF\xBB\xBF".to_vec(), b"\xEF\xBB\xBF"),
        ("zeros", vec![0; 3000], b"\0\0"),
        ("one string", ("\"".to_owned() + &"word \\u00e9 ".repeat(9000) + "needle").into_bytes(), b"needle"),
    ];
    let rows = rows
        .iter()
        .map(|(name, text, needed)| Row::of(name, "x.json", text, |c| has_bytes(c, needed)).beyond(needed.len(), 180));
    assert_none(rows);
}

fn has_bytes(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|w| w == part)
}

#[test]
fn line_ends_of_two_characters_make_no_difference() {
    let rows = FAULTS.iter().map(|(name, fault, make, bytes, tests)| {
        let input = String::from_utf8_lossy(&malformed(make, 1)).replace('\n', "\r\n").into_bytes();
        let wanted = faults(&input).unwrap_or_else(|| panic!("{name}: the parser gives up"));
        let fault = if wanted.contains(fault) { *fault } else { return None };
        let test = |c: &[u8]| faults(c).is_some_and(|f| f.contains(&fault) && f.is_subset(&wanted));
        Row::of(name, "x.json", &input, test).beyond(bytes + 4, tests + 20)
    });
    assert_none(rows);
}

/// About 200 lines of a program: `head` of each function and what is in it, with its number for `N`.
fn program(head: &str, more: &str) -> Vec<u8> {
    let body = " {
  /* what it does */
  if (a > N) {
    b = g(a, b[N], \"text N\");
  } else {
    while (h(b, (a + 1) * 2)) { a = a - 1; }
  }
  // and back
  return a;
}
";
    (0..18).map(|n| format!("{head}{body}{more}").replace('N', &n.to_string())).collect::<String>().into_bytes()
}

/// The complaint, how it comes about, and the length of the shortest text with it alone.
const COMPLAINTS: [(&str, Complaint, Make, usize); 9] = [
    ("unclosed brace", Complaint::Unclosed(b'{'), Swap("a;\n}", b"a;\n"), 1),
    ("unclosed brace inside", Complaint::Unclosed(b'{'), Swap("  } else", b"  else"), 1),
    ("unclosed parenthesis", Complaint::Unclosed(b'('), Swap("\");", b"\";"), 1),
    ("stray parenthesis", Complaint::Stray(b')'), Swap("a = a - 1;", b"a = a) - 1;"), 1),
    ("stray brace", Complaint::Stray(b'}'), Swap("return a;\n", b"return a; }\n"), 1),
    ("unterminated string", Complaint::UnterminatedString, Swap("\");", b");"), 1),
    ("unterminated comment", Complaint::UnterminatedComment, Back(b"/* the end"), 2),
    ("bad character", Complaint::BadCharacter, Swap("> ", b"> @"), 1),
    ("truncated", Complaint::Unclosed(b'{'), Cut("} else {\n"), 1),
];

/// Those of languages with directives.
const DIRECTIVES: [(&str, Complaint, Make, usize); 3] = [
    ("condition without an end", Complaint::UnclosedCondition, Swap("#endif\n", b""), 3),
    ("half a directive", Complaint::BadDirective, Swap("#define", b"#def"), 5),
    ("directive without a name", Complaint::BadDirective, Swap("#if", b"#"), 7),
];

/// Rows for a language and all that is wrong in it, as long as a text is as wrong and has `needed`.
#[track_caller]
fn assert_complaints_are_left(needed: &str, most_tests: usize, slack: usize) {
    let languages = [
        ("x.c", program("int fN(int a, int *b)", "#define AN 1\n#if AN\nint vN;\n#endif\n"), &DIRECTIVES[..]),
        ("x.js", program("function fN(a, b)", "var xN = [1, {y: N, z: fN}];\n"), &[]),
    ];
    let rows = languages.iter().flat_map(|(file, text, more)| {
        COMPLAINTS.iter().chain(*more).flat_map(move |(name, complaint, make, bytes)| {
            SEEDS.map(move |seed| {
                let input = apply(make, text.clone(), &mut ChaCha8Rng::seed_from_u64(seed));
                let wanted = complaints(&input);
                assert!(wanted.contains(complaint), "{name}: {wanted:?}");
                let test = |c: &[u8]| {
                    let found = complaints(c);
                    found.contains(complaint) && found.is_subset(&wanted) && (needed.is_empty() || has(c, needed))
                };
                Row::of(&format!("{file}: {name}"), file, &input, test).beyond(bytes + slack, most_tests)
            })
        })
    });
    assert_none(rows);
}

#[test]
fn one_complaint_about_a_program_is_all_that_is_left() {
    assert_complaints_are_left("", 80, 0);
}

#[test]
fn a_complaint_and_a_word_are_all_that_is_left() {
    assert_complaints_are_left("if", 100, 14);
}
