//! No accepted candidate has an ERROR or MISSING node that was not there before, whatever the test says:
//! many random tests on inputs of three languages, small ones and one beyond the size up to which every
//! candidate used to be parsed.
//!
//! `bash .ci/nightly gate::` tries many more.

use std::collections::BTreeSet;
use std::io;

use lop::{Options, reduce_with};
use lop_engine::Verdict;
use lop_reduce::{Event, EventSink};
use lop_run::exec::Inline;
use lop_run::oracle::Cancel;
use lop_syntax::{SyntaxParser, error_count, token_count};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reduce::{functions, grammar, has, yes_if};
use crate::support::many;

const SAMPLES: [(&str, &str); 3] = [
    ("x.c", include_str!("../../grammars/c/sample.c")),
    ("x.js", include_str!("../../grammars/javascript/sample.js")),
    ("x.json", include_str!("../../grammars/json/sample.json")),
];

/// The accepted candidates with the pass that found each, and their sizes.
#[derive(Default)]
struct Accepted(Vec<(Vec<u8>, &'static str)>, Vec<usize>);

impl EventSink for Accepted {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Accepted { content, pass, size, .. } = event {
            self.0.push((content.to_vec(), pass));
            self.1.push(size.tokens);
        }
        Ok(())
    }
}

fn accepted(file: &str, input: &str, options: &Options, slots: usize, test: impl FnMut(&[u8]) -> Verdict) -> Accepted {
    let (mut accepted, mut executor) = (Accepted::default(), Inline::new(test).with_slots(slots));
    let grammar = grammar(file, input.as_bytes());
    reduce_with(input.as_bytes(), grammar, &mut executor, options, &mut accepted, &Cancel::new()).expect("interesting");
    accepted
}

fn parser(file: &str) -> SyntaxParser {
    grammar(file, b"").expect("a language").parser().expect("an embedded parser")
}

fn errors(parser: &mut SyntaxParser, text: &[u8]) -> usize {
    error_count(&parser.parse(text).expect("the tests' texts have trees"))
}

/// Never more errors than the input has: for a clean input none at all.
#[track_caller]
fn assert_no_new_errors(file: &str, input: &str, accepted: &Accepted, whose: &str) {
    let mut parser = parser(file);
    let bound = errors(&mut parser, input.as_bytes());
    let mut before = input.as_bytes();
    for (text, pass) in &accepted.0 {
        let found = errors(&mut parser, text);
        if found > bound {
            let same = before.iter().zip(text).take_while(|(a, b)| a == b).count();
            let near = |text: &[u8]| {
                String::from_utf8_lossy(&text[same.saturating_sub(60)..text.len().min(same + 100)]).into_owned()
            };
            panic!("{whose}: {pass} left {found} errors, not {bound}, at\n{}\n--- from\n{}", near(text), near(before));
        }
        before = text;
    }
}

/// A number from 0 to 99 that is another one for every other text.
fn mood(text: &[u8], seed: u64) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = text.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    (hash >> 32) % 100
}

/// Some words of a text, which a test may want.
fn some_words(text: &str, random: &mut ChaCha8Rng) -> Vec<String> {
    let words: BTreeSet<_> = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    let words: Vec<_> = words.into_iter().collect();
    let count = random.random_range(1..5);
    (0..count).map(|_| words[random.random_range(0..words.len())].to_owned()).collect()
}

/// A stretch of whole lines.
fn some_lines(text: &str, most: usize, random: &mut ChaCha8Rng) -> String {
    let lines: Vec<_> = text.lines().collect();
    let from = random.random_range(0..lines.len() - lines.len() / 4);
    lines[from..lines.len().min(from + most)].join("\n") + "\n"
}

#[test]
fn what_is_accepted_has_no_new_syntax_errors() {
    for (file, sample) in SAMPLES {
        for seed in 0..many(5) {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            // Stretches of the sample, too: where they begin and end the parser has to recover.
            let input = if seed % 3 == 0 { sample.to_owned() } else { some_lines(sample, 60, &mut random) };
            let words = some_words(&input, &mut random);
            let share = [0, 30, 70][random.random_range(0..3)];
            let test = |text: &[u8]| {
                let wanted = words.iter().all(|word| has(text, word));
                yes_if(text == input.as_bytes() || wanted && mood(text, seed) >= share)
            };
            let options = Options { seed, max_tests: Some(600), ..Options::default() };
            let slots = [1, 4][random.random_range(0..2)];
            let accepted = accepted(file, &input, &options, slots, test);
            assert_no_new_errors(file, &input, &accepted, &format!("{file}, seed {seed}, {words:?}"));
        }
    }
}

/// Where a parse costs as much as a test not every candidate is parsed first: what is accepted has to be.
#[test]
fn what_is_accepted_of_a_large_input_has_no_new_syntax_errors() {
    const LARGE: usize = 68 << 10;
    for (file, sample) in SAMPLES {
        // Never below the limit, so all that is accepted is accepted there.
        // A first line of its own kind may stand there only.
        let sample = if sample.starts_with("#!") { sample.split_once('\n').expect("lines").1 } else { sample };
        let mut input = sample.repeat(1 + 3 * LARGE / 2 / sample.len());
        if file == "x.json" {
            input = format!("[{}]", vec![sample; 1 + 3 * LARGE / 2 / sample.len()].join(",\n"));
        }
        let clean = errors(&mut parser(file), input.as_bytes());
        assert_eq!(clean, 0, "{file}");
        for seed in 0..many(1) {
            let test = |text: &[u8]| yes_if(text.len() == input.len() || text.len() > LARGE && mood(text, seed) >= 40);
            let options = Options { seed, max_tests: Some(many(100)), ..Options::default() };
            let accepted = accepted(file, &input, &options, 1, test);
            assert!(seed > 0 || accepted.0.len() > 2, "{file}: {} is little to look at", accepted.0.len());
            assert_no_new_errors(file, &input, &accepted, &format!("{file}, {} bytes, seed {seed}", input.len()));
        }
    }
}

/// A text of very many tokens.
#[test]
fn what_is_accepted_of_a_dense_input_has_no_new_syntax_errors() {
    let javascript = "if(a)b(c);else d[e]=f;function g(h){return/[{(]/.test(h)}do i();while(j,k);l={m:[1,2],n(){o()}};";
    let c = "int f(int a){if(a)return 1;else return a+2;}\n#ifdef A\nint b[]={1,2};\n#else\nenum c{D,E};\n#endif\n";
    let json = r#"{"a":[0,1,{"b":[]}],"c":2},"#;
    let rows = [
        ("x.js", format!("(function(){{{}}})();", javascript.repeat(700))),
        ("x.c", c.repeat(700)),
        ("x.json", format!("[{}3]", json.repeat(2_500))),
    ];
    for (file, input) in rows {
        for seed in 0..many(1) {
            let test = |text: &[u8]| yes_if(text.len() == input.len() || text.len() > 1000 && mood(text, seed) >= 30);
            let accepted = accepted(file, &input, &Options { max_tests: Some(10), ..Options::default() }, 1, test);
            assert_no_new_errors(file, &input, &accepted, &format!("{file}, seed {seed}"));
        }
    }
}

/// The same, with a shape that the passes take for one that may go and that may not: a list of one kind
/// whose other lists may lose what this one needs.
#[test]
fn what_is_accepted_of_many_alike_has_no_new_syntax_errors() {
    let input = functions(1200);
    assert!(input.len() > 64 << 10);
    let test = |text: &[u8]| yes_if(text.len() == input.len() || text.len() > 66 << 10 && mood(text, 5) >= 30);
    let accepted = accepted("x.c", &input, &Options { max_tests: Some(200), ..Options::default() }, 1, test);
    assert_no_new_errors("x.c", &input, &accepted, "functions");
}

#[test]
fn with_syntax_errors_allowed_some_are_accepted() {
    let input = functions(20);
    let options = Options { allow_syntax_errors: true, ..Options::default() };
    let accepted = accepted("x.c", &input, &options, 1, |text| yes_if(has(text, "f5(int a") && has(text, "return f")));
    let mut parser = parser("x.c");
    assert!(accepted.0.iter().any(|(text, _)| errors(&mut parser, text) > 0), "the tests above can fail");
}

#[test]
fn the_tokens_of_each_result_are_those_of_its_tree() {
    let defines = "#define LONGER(first, second) first + second * first\nint main(void) { return LONGER(14, 15); }\n";
    let broken = "#include <libxml/xpath.h>\nLIB(a) LIB(b) int f;\nint main(void) { foo(4) return LONGER(1, 2); }\n";
    for (input, words) in [(defines, &["define", "main", "*"][..]), (broken, &["foo(4) return", "libxml/xpath.h"])] {
        let test = |text: &[u8]| yes_if(words.iter().all(|word| has(text, word)));
        for slots in [1, 3] {
            let accepted = accepted("x.c", input, &Options::default(), slots, test);
            let mut parser = parser("x.c");
            for ((text, pass), tokens) in accepted.0.iter().zip(&accepted.1) {
                let tree = parser.parse(text).expect("a small text has a tree");
                let text = String::from_utf8_lossy(text);
                assert_eq!(*tokens, token_count(&tree), "{pass}: {text}");
            }
        }
    }
}

/// A bracket inside a token has no node of its own that would be missed, and errors of the input that have gone leave
/// room for others.
#[test]
fn a_token_keeps_its_brackets_also_where_the_input_has_syntax_errors() {
    let input = "#include <libxml/xpath.h>\nXMLPUBFUN int XMLCALL foo(int a);\nint main(void) { foo(4) return 3; }\n";
    let words = ["libxml/xpath.h", "#include", "foo(4) return"];
    let test = |text: &[u8]| yes_if(words.iter().all(|word| has(text, word)));
    let accepted = accepted("x.c", input, &Options::default(), 1, test);
    let result = String::from_utf8_lossy(&accepted.0.last().expect("some of it goes").0).into_owned();
    assert!(result.contains("<libxml/xpath.h>"), "{result}");
}
