//! Helpers for tests of passes: texts with their languages, and proposals as texts. The name of a file chooses the
//! language, as for a user's file.

use std::sync::Arc;

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId, SyntaxParser, error_count};

use super::removal::{NodeSet, removal_edits};
use super::{
    ALL, Alternative, Brackets, Fingerprints, Pass, Proposals, Removal, Sequence, Stage, Tree, TrialParser, Unit, View,
    proposals, rendered, siblings,
};

pub(crate) use lop_testing::{FILES, any_text, lossy, parser, shipped_sample};

/// Where a test has its grammars from.
#[derive(Default)]
pub(crate) struct Languages;

impl Languages {
    /// The grammar for a file's name.
    pub(crate) fn grammar(&mut self, file: &str) -> Arc<Grammar> {
        lop_testing::grammar(file)
    }

    /// A text as a file of that name.
    pub(crate) fn sample(&mut self, file: &str, text: impl Into<Vec<u8>>) -> Sample {
        Sample::new(self.grammar(file), text.into())
    }
}

fn parser_of(grammar: &Grammar) -> SyntaxParser {
    grammar.parser().expect("built-in parsers fit")
}

/// A text, its tree, and the facts that passes need.
pub(crate) struct Sample {
    pub(crate) grammar: Arc<Grammar>,
    pub(crate) document: Document,
    pub(crate) shapes: TrialParser,
    parser: SyntaxParser,
}

impl Sample {
    pub(crate) fn new(grammar: Arc<Grammar>, text: Vec<u8>) -> Self {
        let mut parser = parser_of(&grammar);
        let document = Document::parse(&mut parser, text).expect("a small text has a tree");
        Sample { shapes: TrialParser::new(parser_of(&grammar)), document, parser, grammar }
    }

    /// The outermost node with this text below the root, else the root.
    pub(crate) fn node(&self, text: &str) -> NodeId {
        let reads = |id: &NodeId| self.document.text(*id) == text.as_bytes();
        let found = self.document.ids().skip(1).chain([0]).find(reads);
        found.unwrap_or_else(|| panic!("no node reads {text:?}"))
    }

    /// The text of a node.
    pub(crate) fn text(&self, node: NodeId) -> String {
        lossy(self.document.text(node))
    }

    /// The text without some nodes.
    pub(crate) fn without(&self, nodes: &[NodeId]) -> String {
        let mut dead = NodeSet::new(&self.document);
        nodes.iter().for_each(|&node| dead.insert(node));
        lossy(&self.rendered(removal_edits(&self.document, &self.grammar, &dead)))
    }

    /// The text after some removals.
    pub(crate) fn after<'r>(&self, removals: impl IntoIterator<Item = &'r Removal>) -> Vec<u8> {
        let mut dead = NodeSet::new(&self.document);
        let mut edits = Vec::new();
        for removal in removals {
            match removal {
                Removal::Nodes(nodes) => nodes.iter().for_each(|&node| dead.insert(node)),
                Removal::Edits(more) => edits.extend(more.iter().cloned()),
            }
        }
        edits.extend(removal_edits(&self.document, &self.grammar, &dead));
        self.rendered(edits)
    }

    /// The text after some edits.
    pub(crate) fn rendered(&self, edits: Vec<Edit>) -> Vec<u8> {
        rendered(&self.document, &self.grammar, edits).text
    }

    /// The text after each single edit that a pass proposes, its words with single blanks between them.
    pub(crate) fn words_after(&mut self, pass: &dyn Pass) -> Vec<String> {
        let found = self.proposals(pass).alternatives;
        let words = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.results(&found).iter().map(words).collect()
    }

    /// The text after each single edit.
    pub(crate) fn results(&self, alternatives: &[Alternative]) -> Vec<String> {
        let result = |alternative: &Alternative| lossy(&self.rendered(alternative.edits.clone()));
        alternatives.iter().map(result).collect()
    }

    /// Shows the text of each unit, with the nodes of one unit joined by `+`; for units that are edits, the text after
    /// the edit.
    pub(crate) fn units(&self, sequence: Option<&Sequence>) -> Vec<String> {
        let name = |unit: &Unit| match &unit.removal {
            Removal::Nodes(nodes) => nodes.iter().map(|&node| self.text(node)).collect::<Vec<_>>().join("+"),
            removal @ Removal::Edits(_) => lossy(&self.after([removal])),
        };
        sequence.map(|sequence| sequence.units.iter().map(name).collect()).unwrap_or_default()
    }

    /// The children of a node that may go.
    pub(crate) fn siblings(&mut self, parent: NodeId) -> Option<Sequence> {
        siblings(&self.document, &self.grammar, &mut self.shapes, parent, |_| false)
    }

    /// The children that may go, of every node that has such.
    pub(crate) fn all_siblings(&mut self) -> Vec<Sequence> {
        self.document.ids().filter_map(|node| self.siblings(node)).collect()
    }

    /// Lists all sequences that any pass proposes, except for those about layout.
    pub(crate) fn sequences(&mut self) -> Vec<Sequence> {
        self.proposed(|pass| pass.facts().stage != Stage::Finish || pass.name() == "rename").0
    }

    /// The proposals of one pass.
    pub(crate) fn proposals(&mut self, pass: &dyn Pass) -> Proposals {
        let (sequences, alternatives) = self.proposed(|other| other.name() == pass.name());
        Proposals { sequences, alternatives }
    }

    /// All single edits that any pass proposes.
    pub(crate) fn alternatives(&mut self) -> Vec<Alternative> {
        self.proposed(|_| true).1
    }

    /// All single edits that the forms of rules propose.
    pub(crate) fn alternatives_of_rules(&mut self) -> Vec<Alternative> {
        self.proposed(|pass| pass.facts().stage == Stage::Rules && pass.facts().needs_rules).1
    }

    fn proposed(&mut self, wanted: impl Fn(&dyn Pass) -> bool) -> (Vec<Sequence>, Vec<Alternative>) {
        let mut brackets = Brackets::default();
        brackets.learn(&self.document);
        let refused = |_, _| false;
        let tree = Tree::new(&self.document, &self.grammar, &brackets, &mut self.shapes, &refused);
        let view = View::of_tree(tree);
        let (mut sequences, mut alternatives) = (Vec::new(), Vec::new());
        for pass in ALL.iter().filter(|pass| wanted(**pass)) {
            let made = proposals(*pass, &view);
            sequences.extend(made.sequences);
            alternatives.extend(made.alternatives);
        }
        (sequences, alternatives)
    }

    /// Counts the syntax errors of a text; `None` if it has no tree.
    pub(crate) fn errors(&mut self, text: &[u8]) -> Option<usize> {
        self.parser.parse(text).ok().map(|tree| error_count(&tree))
    }
}

/// Rows of file, text, and the texts after each single edit that a pass proposes, in any order.
#[track_caller]
pub(crate) fn assert_proposals(
    propose: impl Fn(&Document, &Grammar, &Fingerprints) -> Vec<Alternative>,
    rows: &[(&str, &str, &[&str])],
) {
    let mut languages = Languages;
    for &(file, text, expected) in rows {
        let sample = languages.sample(file, text);
        let found = propose(&sample.document, &sample.grammar, &Fingerprints::new(text.as_bytes()));
        let mut results = sample.results(&found);
        let mut expected: Vec<_> = expected.to_vec();
        results.sort();
        expected.sort_unstable();
        assert_eq!(results, expected, "{text}");
    }
}

/// Asserts that single edits make the text smaller, and nine of ten no syntax errors.
#[track_caller]
pub(crate) fn assert_most_parse(sample: &mut Sample, alternatives: &[Alternative]) {
    let before = sample.document.errors();
    let mut wrong = Vec::new();
    for alternative in alternatives {
        let left = sample.rendered(alternative.edits.clone());
        assert!(alternative.tokens > 0 || left.len() < sample.document.source().len(), "{}", lossy(&left));
        if sample.errors(&left).is_none_or(|errors| errors > before) {
            let part = lossy(&sample.document.source()[alternative.range.clone()]);
            wrong.push(format!("{part}: {:?}", alternative.edits));
        }
    }
    assert!(wrong.len() * 5 <= alternatives.len(), "{} of {}: {wrong:#?}", wrong.len(), alternatives.len());
}
