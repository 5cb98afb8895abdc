//! Random documents of a language, and the test that some kinds of nodes are in them.
//!
//! A document grows from the language's own sample, so that no knowledge of the language is necessary:
//!
//! ```text
//!   insert   … left gap right …      ─► … left gap right gap donor …   the donor of right's kind
//!   replace  … node …                ─► … donor …                      the donor of the node's kind
//!   delete   … left gap right …      ─► … left …
//! ```
//!
//! The donors are nodes of the sample; the gap, with the separators in it, is that of the siblings themselves. If the
//! text doesn't parse after an edit, the edit is undone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::compare::{Instance, Source};
use lop_languages::LANGUAGES;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use lop_engine::Verdict;
use lop_grammar::{Grammar, GrammarError, Registry};
use lop_syntax::{Document, Edit, NodeId, ParseError, SyntaxParser, render};

use super::text::{Granularity, TextSubject, Units};

/// Units of a document, unless another number is asked for.
pub(super) const USUAL_SIZE: usize = 200;
/// The most kinds of nodes that a test looks for.
const MOST_KINDS: usize = 3;
/// Edits that are tried, once to make it small and once to make it as large as wanted.
const MOST_STEPS: usize = 4000;
/// A document may be larger or smaller than asked for by the `1 / TOLERANCE`-th part.
const TOLERANCE: usize = 20;
/// Number of nodes per simultaneous edit.
const NODES_PER_EDIT: usize = 50;
/// One edit in this many replaces a node, which makes the tree deeper; the others make it wider.
const ONE_REPLACES: u32 = 4;

/// Why documents of a language cannot be generated.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The language is not known, or its folder is wrong.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// The language has nothing to grow a document from, or it does not parse.
    #[error("there is no sample of {name} that documents could be made of")]
    NoSample {
        /// The name that was asked for.
        name: String,
    },
    /// There is no node of that kind in the sample.
    #[error("there is no node of kind `{kind}` in the sample of {language} (there are: {})", known.join(", "))]
    NoKind {
        /// The kind that was asked for.
        kind: String,
        /// The language.
        language: String,
        /// Kinds that are there.
        known: Vec<String>,
    },
    /// Too many kinds at once.
    #[error("{0} kinds of nodes are too many; give one to {MOST_KINDS}")]
    TooManyKinds(usize),
    /// The parser cannot be used.
    #[error(transparent)]
    Parse(#[from] ParseError),
}

/// Makes documents of a language.
#[derive(Clone, Debug)]
pub struct Generator {
    grammar: Arc<Grammar>,
    sample: Vec<u8>,
    /// The kinds that have to stay; none means a random choice for each document.
    kinds: Vec<u16>,
    granularity: Granularity,
}

impl Generator {
    /// For the language of this name, a test for nodes of these kinds (none: one to three chosen at
    /// random for each document), and units of this granularity.
    ///
    /// # Errors
    /// See [`GenerateError`].
    pub fn new(language: &str, kinds: &[String], granularity: Granularity) -> Result<Self, GenerateError> {
        let registry = Registry::of(&LANGUAGES)?;
        let no_sample = || GenerateError::NoSample { name: language.to_owned() };
        let (grammar, _) = registry.choose(language, std::path::Path::new(""), b"")?;
        let grammar = grammar.ok_or_else(no_sample)?;
        let sample = registry.folders().find(|folder| folder.name == grammar.name()).and_then(|folder| folder.sample);
        let (_, sample) = sample.ok_or_else(no_sample)?;
        if kinds.len() > MOST_KINDS {
            return Err(GenerateError::TooManyKinds(kinds.len()));
        }
        let document = Document::parse(&mut grammar.parser()?, sample.to_vec())?;
        if document.errors() > 0 {
            return Err(no_sample());
        }
        let there = named_kinds(&document);
        let find = |wanted: &String| {
            let found = there.iter().copied().find(|&kind| grammar.kind_name(kind) == wanted);
            found.ok_or_else(|| GenerateError::NoKind {
                kind: wanted.clone(),
                language: grammar.name().to_owned(),
                known: there.iter().map(|&kind| grammar.kind_name(kind).to_owned()).collect(),
            })
        };
        let kinds = kinds.iter().map(find).collect::<Result<Vec<u16>, _>>()?;
        Ok(Generator { grammar, sample: sample.to_vec(), kinds, granularity })
    }

    fn cut(&self, text: &[u8]) -> Units {
        // The size of a tree is its number of tokens.
        let unit = if self.granularity == Granularity::Tree { Granularity::Token } else { self.granularity };
        Units::cut(text, unit, Some(&self.grammar)).expect("the text was parsed before")
    }

    /// The language of the documents.
    pub(super) fn grammar(&self) -> &Arc<Grammar> {
        &self.grammar
    }

    /// The numbers of kinds that have to stay in documents that are reduced as trees: one to three if they are random.
    pub(super) fn counts(&self) -> Vec<usize> {
        if self.kinds.is_empty() { (1..=MOST_KINDS).collect() } else { vec![self.kinds.len()] }
    }

    /// A document of about `size` units, and the kinds that have to stay: those that were asked for, or `count` of its own,
    /// or one to three.
    pub(super) fn document(&self, size: usize, count: Option<usize>, rng: &mut ChaCha8Rng) -> (Vec<u8>, Vec<u16>) {
        let mut growth = Growth::new(self, size);
        growth.run(rng);
        let document = growth.document;
        let wanted = if self.kinds.is_empty() {
            let there: Vec<u16> = named_kinds(&document).into_iter().collect();
            let count = count.unwrap_or_else(|| rng.random_range(1..=MOST_KINDS)).min(there.len());
            there.sample(rng, count).copied().collect()
        } else {
            self.kinds.clone()
        };
        (document.source().to_vec(), wanted)
    }

    /// The test of a document.
    pub(super) fn test(&self, wanted: Vec<u16>) -> impl FnMut(&[u8]) -> Verdict + use<> {
        let mut parser = self.grammar.parser().expect("the parser was used before");
        move |text| verdict(&mut parser, text.to_vec(), &wanted)
    }
}

impl Source for Generator {
    fn name(&self) -> String {
        let kinds: Vec<&str> = self.kinds.iter().map(|&kind| self.grammar.kind_name(kind)).collect();
        let unit = match self.granularity {
            Granularity::Line => "lines",
            Granularity::Char => "characters",
            Granularity::Token | Granularity::Tree => "tokens",
        };
        let kinds = if kinds.is_empty() { "any".to_owned() } else { kinds.join("+") };
        format!("{}:{kinds} by {unit}", self.grammar.name())
    }

    fn usual_size(&self) -> usize {
        USUAL_SIZE
    }

    /// A document of about `size` units with its test.
    fn instance(&self, size: usize, rng: &mut ChaCha8Rng) -> Instance<'static> {
        let (text, wanted) = self.document(size, None, rng);
        let (units, mut test) = (self.cut(&text), self.test(wanted));
        let judge = move |texts: Vec<Vec<u8>>| Ok(texts.iter().map(|text| test(text)).collect());
        Instance::of(TextSubject::new(units, Box::new(judge)), true)
    }
}

/// Whether nodes of all these kinds are in a text; a text with an error in it is invalid.
fn verdict(parser: &mut SyntaxParser, text: Vec<u8>, wanted: &[u16]) -> Verdict {
    match Document::parse(parser, text) {
        Ok(document) if document.errors() == 0 => {
            if has(&document, wanted) {
                Verdict::Interesting
            } else {
                Verdict::NotInteresting
            }
        }
        _ => Verdict::Invalid,
    }
}

fn has(document: &Document, wanted: &[u16]) -> bool {
    wanted.iter().all(|&kind| document.ids().any(|id| document.node(id).kind == kind))
}

/// The kinds of the named nodes below the root.
fn named_kinds(document: &Document) -> BTreeSet<u16> {
    let named = document.ids().skip(1).map(|id| document.node(id)).filter(|node| node.is_named());
    named.map(|node| node.kind).collect()
}

/// Where an edit is made, as far as that says whether it will work: the kinds of the parent and of
/// the siblings, or of the node that is replaced.
type Place = (u16, u16, u16);

/// A document on its way to its size.
struct Growth<'g> {
    generator: &'g Generator,
    size: usize,
    parser: SyntaxParser,
    sample: Document,
    /// The nodes of the sample by kind.
    donors: BTreeMap<u16, Vec<NodeId>>,
    document: Document,
    /// Places where only the last insertion has worked.
    proven: BTreeSet<Place>,
    /// How many insertions are made at once.
    batch: usize,
}

impl<'g> Growth<'g> {
    fn new(generator: &'g Generator, size: usize) -> Self {
        let mut parser = generator.grammar.parser().expect("the parser was used before");
        let mut parse =
            || Document::parse(&mut parser, generator.sample.clone()).expect("the sample was parsed before");
        let (sample, document) = (parse(), parse());
        let mut donors: BTreeMap<u16, Vec<NodeId>> = BTreeMap::new();
        for id in sample.ids().skip(1).filter(|&id| sample.node(id).is_named()) {
            donors.entry(sample.node(id).kind).or_default().push(id);
        }
        Growth { generator, size, parser, sample, donors, document, proven: BTreeSet::new(), batch: 1 }
    }

    fn run(&mut self, rng: &mut impl Rng) {
        // From half of the sample on, another half each time: the whole may have just the right size.
        let start = (self.units() / 2).min(self.size);
        for _ in 0..MOST_STEPS {
            match self.units().checked_sub(start) {
                None | Some(0) => break,
                Some(over) => self.shrink(over, rng),
            }
        }
        let slack = self.size / TOLERANCE;
        for _ in 0..MOST_STEPS {
            let units = self.units();
            if units + slack < self.size {
                self.grow(self.size - units, rng);
            } else if units > self.size + slack {
                self.shrink(units - self.size, rng);
            } else {
                return;
            }
        }
    }

    fn units(&self) -> usize {
        self.generator.cut(self.document.source()).len()
    }

    /// Inserts or replaces something of at most `most` tokens: many at once while that works, fewer when it
    /// does not.
    fn grow(&mut self, most: usize, rng: &mut impl Rng) {
        if rng.random_range(0..ONE_REPLACES) == 0 {
            let edit = self.replacement(most, rng);
            self.try_edits(edit.into_iter().collect());
            return;
        }
        let (mut edits, mut places, mut left) = (Vec::new(), Vec::new(), most);
        for _ in 0..self.batch {
            let Some((place, edit, tokens)) = self.insertion(left, rng) else { continue };
            // A new kind of place is tried alone: it would spoil the others.
            let new = !self.proven.contains(&place);
            if new && !edits.is_empty() {
                continue;
            }
            left = left.saturating_sub(tokens);
            edits.push(edit);
            places.push(place);
            if new {
                break;
            }
        }
        let alone = edits.len() == 1;
        let worked = self.try_edits(edits);
        match places.as_slice() {
            [place] if worked => drop(self.proven.insert(*place)),
            [place] => drop(self.proven.remove(place)),
            _ => {}
        }
        if !alone || worked {
            let most = (self.document.node_count() / NODES_PER_EDIT).max(1);
            self.batch = if worked { (2 * self.batch).min(most) } else { (self.batch / 2).max(1) };
        }
    }

    /// A sibling after a pair of siblings, with the gap that is between those; how many tokens it has.
    fn insertion(&self, most: usize, rng: &mut impl Rng) -> Option<(Place, Edit, usize)> {
        let (left, right) = self.siblings(rng)?;
        let document = &self.document;
        let donor = self.donor(document.node(right).kind, most, rng)?;
        let gap = document.node(left).end as usize..document.node(right).start as usize;
        let mut text = document.source()[gap].to_vec();
        if self.generator.granularity == Granularity::Line && !text.contains(&b'\n') {
            return None;
        }
        text.extend_from_slice(self.sample.text(donor));
        let end = document.node(right).end as usize;
        let parent = document.parent(right).expect("a sibling has a parent");
        let place = (document.node(parent).kind, document.node(left).kind, document.node(right).kind);
        let edit = Edit { raw: true, ..Edit::replace(end..end, text) };
        Some((place, edit, self.sample.tokens_of(donor) as usize))
    }

    fn replacement(&self, most: usize, rng: &mut impl Rng) -> Option<Edit> {
        let node = self.random_node(rng);
        let old = self.document.node(node);
        let donor = self.donor(old.kind, most + self.document.tokens_of(node) as usize, rng)?;
        Some(Edit { raw: true, ..Edit::replace(old.range(), self.sample.text(donor).to_vec()) })
    }

    /// Takes out a sibling of at most `most` tokens, or the smallest of a few.
    fn shrink(&mut self, most: usize, rng: &mut impl Rng) {
        const DRAWS: usize = 8;
        let drawn: Vec<(NodeId, NodeId)> = (0..DRAWS).filter_map(|_| self.siblings(rng)).collect();
        let tokens = |pair: &(NodeId, NodeId)| self.document.tokens_of(pair.1) as usize;
        let fitting = drawn.iter().filter(|pair| tokens(pair) <= most).max_by_key(|pair| tokens(pair));
        if let Some(&(left, right)) = fitting.or_else(|| drawn.iter().min_by_key(|pair| tokens(pair))) {
            let range = self.document.node(left).end as usize..self.document.node(right).end as usize;
            self.try_edits(vec![Edit::delete_raw(range)]);
        }
    }

    /// Makes edits if the text still parses and still has the required parts; returns whether it did.
    fn try_edits(&mut self, edits: Vec<Edit>) -> bool {
        if edits.is_empty() {
            return false;
        }
        let text = render(self.document.source(), edits).text;
        match Document::parse(&mut self.parser, text) {
            Ok(document) if document.errors() == 0 && has(&document, &self.generator.kinds) => {
                self.document = document;
                true
            }
            _ => false,
        }
    }

    /// A named node below the root.
    fn random_node(&self, rng: &mut impl Rng) -> NodeId {
        let last = self.document.node_count() as NodeId;
        loop {
            // A document of a sample's kinds has named nodes everywhere.
            let id = rng.random_range(1..last);
            if self.document.node(id).is_named() {
                return id;
            }
        }
    }

    /// A named node and the named one before it, with nothing but separators between.
    fn siblings(&self, rng: &mut impl Rng) -> Option<(NodeId, NodeId)> {
        let right = self.random_node(rng);
        let before = |id: &NodeId| self.document.previous_sibling(*id);
        let mut earlier = std::iter::successors(before(&right), before);
        let left = earlier.find(|&id| self.document.node(id).is_named())?;
        Some((left, right))
    }

    fn donor(&self, kind: u16, most: usize, rng: &mut impl Rng) -> Option<NodeId> {
        let donors = self.donors.get(&kind)?;
        let fits = |id: &&NodeId| self.sample.tokens_of(**id) as usize <= most.max(1);
        donors.iter().filter(fits).collect::<Vec<_>>().choose(rng).map(|id| **id)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use crate::compare::Source;

    use super::{GenerateError, Generator, Growth};
    use crate::files::Granularity;
    use lop_engine::{BitSet, Verdict};
    use lop_grammar::Grammar;
    use lop_languages::LANGUAGES;

    fn generator(language: usize, granularity: Granularity) -> Generator {
        Generator::new(LANGUAGES.built_in[language].name, &[], granularity)
            .expect("every shipped language has a sample")
    }

    fn grown(generator: &Generator, size: usize, seed: u64) -> Vec<u8> {
        let mut growth = Growth::new(generator, size);
        growth.run(&mut ChaCha8Rng::seed_from_u64(seed));
        assert_eq!(growth.document.errors(), 0);
        growth.document.source().to_vec()
    }

    /// A few languages, as growing documents takes long.
    fn few() -> Vec<usize> {
        let names: Vec<_> = crate::trees::languages_with_productions().collect();
        (0..LANGUAGES.built_in.len()).filter(|language| names.contains(&LANGUAGES.built_in[*language].name)).collect()
    }

    #[test]
    fn documents_of_every_language_get_about_their_size_and_parse() {
        for language in 0..LANGUAGES.built_in.len() {
            for granularity in [Granularity::Token, Granularity::Line, Granularity::Char] {
                let sizes: &[usize] = match (granularity, few().contains(&language)) {
                    (Granularity::Token, false) => &[60],
                    (Granularity::Token, true) => &[60, 400, 2000],
                    // A line or character of the sample is larger than the smallest.
                    (_, true) => &[400],
                    (_, false) => continue,
                };
                let generator = generator(language, granularity);
                for &size in sizes {
                    let text = grown(&generator, size, 1);
                    let units = generator.cut(&text).len();
                    let share = units as f64 / size as f64;
                    assert!((0.85..1.15).contains(&share), "{}: {units} of {size}", generator.name());
                }
            }
        }
    }

    #[test]
    fn a_seed_makes_one_document_and_another_seed_another() {
        for language in few() {
            let generator = generator(language, Granularity::Token);
            let text = grown(&generator, 200, 5);
            assert_eq!(text, grown(&generator, 200, 5));
            assert_ne!(text, grown(&generator, 200, 6));
        }
    }

    #[test]
    fn the_whole_document_is_interesting_half_a_token_list_is_hardly_ever_valid() {
        // Without a parser nearly any list of tokens is a text.
        let has_parser = |language: &usize| {
            let grammar = Grammar::load(&LANGUAGES.built_in[*language]).expect("it is built in");
            grammar.notation().is_none()
        };
        for language in (0..LANGUAGES.built_in.len()).filter(has_parser) {
            let mut instance = generator(language, Granularity::Token).instance(200, &mut ChaCha8Rng::seed_from_u64(2));
            let subject = &mut instance.lists[0].subject;
            let len = subject.sizes().len();
            let mut odd = BitSet::with_capacity(len);
            (1..len).step_by(2).for_each(|unit| {
                odd.insert(unit);
            });
            let verdicts = subject.judge(&[BitSet::with_capacity(len), odd]).expect("it answers");
            assert_eq!(verdicts, [Verdict::Interesting, Verdict::Invalid]);
        }
    }

    #[test]
    fn kinds_that_are_not_there_and_trees_are_refused() {
        let name = LANGUAGES.built_in[0].name;
        let new = |kinds: &[&str], granularity| {
            let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
            Generator::new(name, &kinds, granularity).expect_err("it cannot be made")
        };
        let error = new(&["no_such_kind"], Granularity::Token).to_string();
        assert!(error.contains("no node of kind `no_such_kind`") && error.contains("(there are: "), "{error}");
        assert!(matches!(new(&["a"; 4], Granularity::Token), GenerateError::TooManyKinds(4)));
        assert!(matches!(Generator::new("klingon", &[], Granularity::Token), Err(GenerateError::Grammar(_))));
        assert!(matches!(Generator::new("text", &[], Granularity::Token), Err(GenerateError::NoSample { .. })));
    }
}
