//! Whatever the input is, nothing panics: random and mutated texts are parsed, every pass says what it would do with
//! them, and each proposal is rendered.
//!
//! `bash .ci/nightly any_input` tries many more.

use std::path::Path;
use std::thread;

use lop::grammar::{AUTO, Grammar, Registry};
use lop::passes::ALL;
use lop::reduce::Preview;
use lop::syntax::{Document, SyntaxParser, error_count, render};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::support::many;

/// Inputs each time.
const FEW: u64 = 600;
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
    let preview = Preview::new(&document, SyntaxParser::new(grammar.language()).expect("embedded parsers fit"));
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
    let registry = Registry::embedded().expect("embedded grammars load");
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
                            let parser = SyntaxParser::new(grammar.language()).expect("embedded parsers fit");
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
