//! Nothing panics on any input: random and mutated texts are parsed, every pass says what it would do with
//! them, each proposal is rendered, and whole reductions with drawn options end.
//!
//! `bash .ci/nightly any_input` tries many more.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use lop::{Options, reduce_with};
use lop_grammar::{AUTO, Grammar, Registry};
use lop_languages::LANGUAGES;
use lop_passes::{ALL, Prefer};
use lop_reduce::{Effort, Event, EventSink, Keep, KeepSpec, Minimal, Preview};
use lop_run::exec::Inline;
use lop_run::oracle::Cancel;
use lop_syntax::{Document, SyntaxParser, error_count, render};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::support::many;

/// Inputs each time.
const FEW: u64 = 600;
/// Reductions each time.
const FEW_REDUCTIONS: u64 = 600;
/// A reduction of a short text tells of fewer steps than this, or it goes round in a circle.
const MOST_EVENTS: usize = 20_000;
/// Tests of a drawn reduction; most need fewer.
const MOST_TESTS: u64 = 1_000;
/// Longer samples are cut: what counts is the number of texts.
const LONGEST: usize = 160;

/// Bytes that mean something to a parser, more often than chance has them.
const TELLING: &[u8] = b"()[]{}<>\"'`\\/*#;:,.=+-!?&|^%~@$ \t\n\r\0\x80\xC3\xE2\xED\xF0\xFF0x_eua";

/// A text: a part of a sample with a few mutations, or bytes by chance.
fn text(rng: &mut ChaCha8Rng, samples: &[Vec<u8>]) -> Vec<u8> {
    let some_byte = |rng: &mut ChaCha8Rng| match rng.random_range(0..4) {
        0 => rng.random(),
        _ => TELLING[rng.random_range(0..TELLING.len())],
    };
    if rng.random_range(0..8) == 0 {
        let length = rng.random_range(0..64);
        return (0..length).map(|_| some_byte(rng)).collect();
    }
    let sample = &samples[rng.random_range(0..samples.len())];
    let start = rng.random_range(0..sample.len());
    let end = (start + rng.random_range(0..LONGEST)).min(sample.len());
    let mut text = sample[start..end].to_vec();
    for _ in 0..rng.random_range(0..6) {
        let (at, length) = (rng.random_range(0..=text.len()), rng.random_range(0..12));
        let to = (at + length).min(text.len());
        match rng.random_range(0..4) {
            0 => drop(text.drain(at..to)),
            1 => text.insert(at, some_byte(rng)),
            2 => {
                let copy = text[at..to].to_vec();
                let place = rng.random_range(0..=text.len());
                text.splice(place..place, copy);
            }
            _ => {
                let other = &samples[rng.random_range(0..samples.len())];
                let from = rng.random_range(0..other.len());
                text.splice(at..to, other[from..(from + length).min(other.len())].iter().copied());
            }
        }
    }
    text
}

/// Does everything with a text that a reduction would do before its tests.
fn work_on(grammar: &Grammar, parser: &mut SyntaxParser, other: &[u8], text: Vec<u8>) -> usize {
    let Ok(document) = Document::parse(parser, text) else { return 0 };
    let mut made = 0;
    let preview = Preview::new(&document, grammar.parser().expect("embedded parsers fit"));
    for pass in ALL {
        for proposal in preview.proposals(*pass, grammar) {
            let candidate = render(document.source(), proposal.edits.clone()).text;
            let _ = proposal.replacement(document.source());
            // A parse each would be nearly all of the time.
            if made % 64 == 0
                && let Ok(tree) = parser.reparse(&document.tree(), document.source(), &candidate)
            {
                let _ = error_count(&tree);
            }
            made += 1;
        }
    }
    // From any text to any other.
    if let Ok(tree) = parser.reparse(&document.tree(), document.source(), other) {
        let _ = error_count(&tree);
    }
    made
}

#[test]
fn nothing_panics() {
    let inputs = many(FEW);
    let registry = Registry::of(&LANGUAGES).expect("embedded grammars load");
    let samples: Vec<_> =
        registry.folders().filter_map(|folder| folder.sample).map(|(_, text)| text.to_vec()).collect();
    let workers = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let made: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|worker| {
                let (registry, samples) = (&registry, &samples);
                scope.spawn(move || {
                    let mut tools: Vec<_> = ["x.c", "x.js", "x.json"]
                        .into_iter()
                        .map(|file| {
                            let (grammar, _) = registry.choose(AUTO, Path::new(file), b"").expect("grammars load");
                            let grammar = grammar.expect("the extension is one of a language");
                            let parser = grammar.parser().expect("embedded parsers fit");
                            (grammar, parser)
                        })
                        .collect();
                    let mut made = 0;
                    for seed in (worker..inputs).step_by(workers as usize) {
                        let mut rng = ChaCha8Rng::seed_from_u64(seed);
                        let which = rng.random_range(0..tools.len());
                        let (grammar, parser) = &mut tools[which];
                        let (first, second) = (text(&mut rng, samples), text(&mut rng, samples));
                        made += work_on(grammar, parser, &second, first);
                    }
                    made
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no text makes it panic")).sum()
    });
    assert!(made as u64 > inputs, "{made} proposals on {inputs} texts: most have something that can go");
}

/// Parts of a text that a user may want kept: in strings, of lines, blanks, or single signs.
const KEPT: &[&str] = &["\"[^\"]*\"", "(?m)^[ \t]+", "\\s+", "[0-9]+", "(?m)^.*=.*\n", "[(,;:]", "\\w+\\s*\\(", "#.*"];

/// Ends a reduction that tells of steps without end.
struct Circles(usize);

impl EventSink for Circles {
    fn event(&mut self, _: &Event<'_>) -> io::Result<()> {
        self.0 += 1;
        if self.0 > MOST_EVENTS { Err(io::Error::other("the reduction does not end")) } else { Ok(()) }
    }
}

/// Options by chance, for this text.
fn options(rng: &mut ChaCha8Rng, grammar: Option<&Grammar>, text: &[u8]) -> Options {
    let mut spec = KeepSpec::default();
    for _ in 0..rng.random_range(0..3) {
        spec.patterns.push(KEPT[rng.random_range(0..KEPT.len())].to_owned());
    }
    let keep = Keep::find(&spec, text, grammar, usize::MAX).expect("the patterns are right");
    Options {
        seed: rng.random_range(0..3),
        keep,
        minimal: [None, Some(Minimal::None), Some(Minimal::Unit), Some(Minimal::Char)][rng.random_range(0..4)],
        prefer: [Prefer::default(), Prefer::Bytes][rng.random_range(0..2)],
        effort: [Effort::Fast, Effort::Usual, Effort::Thorough][rng.random_range(0..3)],
        allow_syntax_errors: rng.random_range(0..4) == 0,
        allow_empty: true,
        max_tests: Some(MOST_TESTS),
        ..Options::default()
    }
}

/// Reduces a drawn text in a language by drawn options, with a part of it that must stay as the test; whether that was
/// a reduction.
fn reduce_drawn(rng: &mut ChaCha8Rng, grammar: &Arc<Grammar>, samples: &[Vec<u8>]) -> bool {
    let text = text(rng, samples);
    if text.is_empty() {
        return false;
    }
    let start = rng.random_range(0..text.len());
    let needle = text[start..(start + rng.random_range(1..6)).min(text.len())].to_vec();
    let options = options(rng, Some(grammar), &text);
    let has_needle = |candidate: &[u8]| candidate.windows(needle.len()).any(|part| part == needle);
    let mut executor = Inline::new(has_needle);
    let grammar = Some(Arc::clone(grammar));
    let shown = String::from_utf8_lossy(&text);
    let report = reduce_with(&text, grammar, &mut executor, &options, &mut Circles(0), &Cancel::new())
        .unwrap_or_else(|error| panic!("{shown:?}: {error}"));
    assert!(has_needle(&report.best), "{shown:?}");
    let mut rest = &report.best[..];
    for kept in options.keep.ranges() {
        let part = &text[kept.clone()];
        let at = rest.windows(part.len()).position(|found| found == part);
        let at = at.unwrap_or_else(|| panic!("{shown:?}: {kept:?} is not kept"));
        rest = &rest[at + part.len()..];
    }
    true
}

#[test]
fn reductions_by_drawn_options_end_and_keep_what_is_to_be_kept() {
    let registry = Registry::of(&LANGUAGES).expect("embedded grammars load");
    let languages: Vec<_> = registry
        .folders()
        .filter_map(|folder| folder.sample)
        .filter_map(|(file, sample)| {
            let (grammar, _) = registry.choose(AUTO, Path::new(file), b"").expect("grammars load");
            Some((grammar?, [sample.to_vec()]))
        })
        .collect();
    let inputs = many(FEW_REDUCTIONS);
    let workers = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let languages = &languages;
    let made: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|worker| {
                scope.spawn(move || {
                    let draw = |seed| {
                        let mut rng = ChaCha8Rng::seed_from_u64(seed);
                        let (grammar, samples) = &languages[rng.random_range(0..languages.len())];
                        reduce_drawn(&mut rng, grammar, samples)
                    };
                    (worker..inputs).step_by(workers as usize).filter(|&seed| draw(seed)).count()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no reduction makes it panic")).sum()
    });
    assert!(2 * made as u64 > inputs, "{made} reductions of {inputs} texts: most are not empty");
}
