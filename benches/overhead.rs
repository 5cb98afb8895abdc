//! The cost of a test to lop itself: parsing, making a candidate, and the gate's parse.
//!
//! Inputs are the shipped samples, repeated up to size. Aims, in CPU time per test: a candidate
//! without the gate's parse 2 ms at 100 KB and 10 ms at 1 MB, with it 7 and 30.

use divan::Bencher;
use divan::counter::BytesCount;
use lop_grammar::{Folder, Grammar, Registry};
use lop_languages::LANGUAGES;
use lop_passes::{NodeSet, Removal, TrialParser, removal_edits, siblings};
use lop_syntax::{Document, SyntaxParser, error_count, render};

fn main() {
    divan::main();
}

/// Bytes of the inputs.
const SIZES: [usize; 2] = [100_000, 1_000_000];

/// Removals since the last rebase, about as many as ever pile up.
const PENDING: usize = 50;

/// Folders of `grammars/`, by number: no language is named here.
const MEASURED: [usize; 3] = [0, 1, 2];

struct Input {
    grammar: Grammar,
    parser: SyntaxParser,
    document: Document,
    /// Removals spread over the whole text, in order.
    removals: Vec<Removal>,
}

fn folder(language: usize) -> Folder<'static> {
    let registry = Registry::of(&LANGUAGES).expect("embedded grammars load");
    *registry.folders().nth(language).expect("there are so many languages")
}

/// The sample of a language, again and again, with line feeds between. An interpreter's line may
/// only be the first of a file, so it is left out.
fn text(language: usize, size: usize) -> Vec<u8> {
    let (_, sample) = folder(language).sample.expect("a shipped language has a sample");
    let first_line = sample.iter().position(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
    let sample = if sample.starts_with(b"#!") { &sample[first_line..] } else { sample };
    let mut text = Vec::with_capacity(size + sample.len());
    while text.len() < size {
        text.extend_from_slice(sample);
        text.push(b'\n');
    }
    text
}

fn parser(grammar: &Grammar) -> SyntaxParser {
    SyntaxParser::new(grammar.language()).expect("embedded parsers fit")
}

impl Input {
    fn new(language: usize, size: usize) -> Self {
        let grammar = Grammar::load(&folder(language)).expect("embedded grammars load");
        let mut parser = self::parser(&grammar);
        let document = Document::parse(&mut parser, text(language, size)).expect("samples parse");
        assert_eq!(document.errors(), 0, "error recovery is another matter");
        let mut shapes = TrialParser::new(self::parser(&grammar));
        let mut small = Vec::new();
        // Of each list below the top the last unit, as in a real sweep.
        for node in document.ids().skip(1) {
            let list = siblings(&document, &grammar, &mut shapes, node, |_| false);
            small.extend(list.and_then(|list| list.units.into_iter().last()).map(|unit| unit.removal));
        }
        let every = small.len() / (PENDING + 1);
        assert!(every > 0, "too few removals");
        let removals = small.into_iter().step_by(every).take(PENDING + 1).collect();
        Input { grammar, parser, document, removals }
    }

    /// The nodes that are gone in the best result so far.
    fn pending(&self) -> NodeSet {
        let mut dead = NodeSet::new(&self.document);
        self.removals[..PENDING].iter().for_each(|removal| insert(&mut dead, removal));
        dead
    }

    /// The text of a candidate, with its tokens counted and its hash for the cache: what every test
    /// costs. `more` goes on top of what is pending.
    fn candidate(&self, pending: &NodeSet, more: &Removal) -> (Vec<u8>, usize, blake3::Hash) {
        let mut dead = pending.clone();
        insert(&mut dead, more);
        let rendering = render(self.document.source(), removal_edits(&self.document, &self.grammar, &dead));
        let tokens = rendering.kept().map(|(kept, _)| self.document.tokens_in(kept)).sum();
        let hash = blake3::hash(&rendering.text);
        (rendering.text, tokens, hash)
    }
}

fn insert(dead: &mut NodeSet, removal: &Removal) {
    let Removal::Nodes(nodes) = removal else { panic!("siblings are nodes") };
    nodes.iter().for_each(|&node| dead.insert(node));
}

/// A parse from scratch, and the arena.
#[divan::bench(args = MEASURED, consts = SIZES)]
fn parse_and_document<const SIZE: usize>(bencher: Bencher, language: usize) {
    let grammar = Grammar::load(&folder(language)).expect("embedded grammars load");
    let mut parser = parser(&grammar);
    let text = text(language, SIZE);
    bencher.counter(BytesCount::new(text.len())).bench_local(|| Document::parse(&mut parser, text.clone()));
}

/// A candidate with its hash, without the gate.
#[divan::bench(args = MEASURED, consts = SIZES)]
fn candidate<const SIZE: usize>(bencher: Bencher, language: usize) {
    let input = Input::new(language, SIZE);
    let pending = input.pending();
    bencher.bench_local(|| input.candidate(&pending, &input.removals[PENDING]));
}

/// The same and the gate's parse from the tree of the best result: one more removal.
#[divan::bench(args = MEASURED, consts = SIZES)]
fn candidate_and_gate<const SIZE: usize>(bencher: Bencher, language: usize) {
    let mut input = Input::new(language, SIZE);
    let pending = input.pending();
    let (best, ..) = input.candidate(&pending, &input.removals[0]);
    let tree = input.parser.parse(&best).expect("samples parse");
    bencher.bench_local(|| {
        let (text, tokens, hash) = input.candidate(&pending, &input.removals[PENDING]);
        let parsed = input.parser.reparse(&tree, &best, &text).expect("samples parse");
        (tokens, hash, error_count(&parsed))
    });
}

/// The same where the candidate differs from the best result from one end to the other: the parse
/// starts from a tree without any of the removals.
#[divan::bench(args = MEASURED, consts = SIZES)]
fn candidate_and_gate_far_away<const SIZE: usize>(bencher: Bencher, language: usize) {
    let mut input = Input::new(language, SIZE);
    let pending = input.pending();
    bencher.bench_local(|| {
        let (text, tokens, hash) = input.candidate(&pending, &input.removals[PENDING]);
        let (tree, source) = (input.document.tree(), input.document.source());
        let parsed = input.parser.reparse(&tree, source, &text).expect("samples parse");
        (tokens, hash, error_count(&parsed))
    });
}
