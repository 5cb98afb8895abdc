//! Shows the proposals of passes for a text without a test, for authors of rules.

use std::cell::RefCell;
use std::ops::Range;

use lop_grammar::Grammar;
use lop_passes::{Brackets, NodeSet, Pass, Removal, Stage, Tree, TrialParser, Unit, View, proposals, removal_edits};
use lop_syntax::{Document, Edit, SyntaxParser, render};

/// One edit, or one unit of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Whose it is.
    pub pass: &'static str,
    /// The part of the text that it edits.
    pub range: Range<usize>,
    /// The edits that it makes in the text; those at several places are made together.
    pub edits: Vec<Edit>,
}

impl Proposal {
    /// The text that replaces that part.
    #[must_use]
    pub fn replacement(&self, source: &[u8]) -> Vec<u8> {
        let range = &self.range;
        let shifted = self.edits.iter().map(|edit| Edit {
            start: edit.start - range.start,
            end: edit.end - range.start,
            ..edit.clone()
        });
        render(&source[range.clone()], shifted.collect()).text
    }
}

/// A document to propose edits for, with facts that don't depend on the rules.
pub struct Preview<'d> {
    document: &'d Document,
    brackets: Brackets,
    /// Trial parses, which tell the same whatever the rules are.
    shapes: RefCell<TrialParser>,
}

impl<'d> Preview<'d> {
    /// Reads a document, with a parser of its language.
    #[must_use]
    pub fn new(document: &'d Document, parser: SyntaxParser) -> Self {
        let mut brackets = Brackets::default();
        brackets.learn(document);
        let shapes = RefCell::new(TrialParser::new(parser));
        Preview { document, brackets, shapes }
    }

    /// The proposals of a pass, in the order of the text. Passes over text without a tree, and those about how the
    /// result looks, propose nothing here.
    pub fn proposals(&self, pass: &dyn Pass, grammar: &Grammar) -> Vec<Proposal> {
        let (document, facts) = (self.document, pass.facts());
        if matches!(facts.stage, Stage::Text | Stage::Finish) {
            return Vec::new();
        }
        let shapes = &mut *self.shapes.borrow_mut();
        let refused = |_, _| false;
        let view = View::of_tree(Tree::new(document, grammar, &self.brackets, shapes, &refused));
        let made = proposals(pass, &view);
        let units = made.sequences.iter().flat_map(|sequence| &sequence.units).map(|unit| {
            let edits = edits_of(unit, document, grammar);
            (hull(&edits), edits)
        });
        let single = made.alternatives.into_iter().map(|single| (single.range, single.edits));
        let of_pass = |(range, edits)| Proposal { pass: facts.name, range, edits };
        let mut all: Vec<_> = units.chain(single).map(of_pass).collect();
        all.sort_by_key(|proposal| (proposal.range.start, proposal.range.end));
        all
    }
}

/// The part of the text in which edits are.
fn hull(edits: &[Edit]) -> Range<usize> {
    let start = edits.iter().map(|edit| edit.start).min().unwrap_or(0);
    start..edits.iter().map(|edit| edit.end).max().unwrap_or(start)
}

fn edits_of(unit: &Unit, document: &Document, grammar: &Grammar) -> Vec<Edit> {
    match &unit.removal {
        Removal::Edits(edits) => edits.clone(),
        Removal::Nodes(nodes) => {
            let mut gone = NodeSet::new(document);
            nodes.iter().for_each(|&node| gone.insert(node));
            removal_edits(document, grammar, &gone)
        }
    }
}

#[cfg(test)]
mod tests {
    use lop_languages::LANGUAGES;

    use super::*;
    use lop_grammar::Folder;
    use lop_passes::{ALL, Coupled, rendered};
    use lop_syntax::error_count;

    /// A language with its sample.
    fn sampled(folder: &Folder<'_>) -> (Grammar, SyntaxParser, Document) {
        let grammar = Grammar::load(folder).unwrap_or_else(|error| panic!("{error}"));
        let mut parser = grammar.parser().expect("it was loaded");
        let (_, text) = folder.sample.unwrap_or_else(|| panic!("grammars/{} has no sample", folder.name));
        let document = Document::parse(&mut parser, text.to_vec()).expect("the sample has a tree");
        (grammar, parser, document)
    }

    fn by_rules(document: &Document, grammar: &Grammar) -> Vec<Proposal> {
        let parser = grammar.parser().expect("it was loaded");
        let preview = Preview::new(document, parser);
        // Coupled edits belong to other passes, many of which have no rules.
        let passes = ALL.iter().filter(|pass| pass.facts().needs_rules && pass.name() != Coupled.name());
        passes.flat_map(|pass| preview.proposals(*pass, grammar)).collect()
    }

    /// Rules often overlap, but no form of rule is useless.
    #[test]
    fn without_the_rules_of_a_capture_other_things_are_proposed() {
        for folder in LANGUAGES.built_in {
            let (grammar, _, document) = sampled(folder);
            // The general rules repeat much of a folder's own.
            let texts: Vec<_> = grammar.rules().texts().iter().filter(|rule| !rule.is_common()).collect();
            let alone = texts.iter().map(|rule| rule.text.as_str()).collect::<Vec<_>>().join("\n");
            let all = by_rules(&document, &Grammar::load_with_rules(folder, &alone).expect("they are its rules"));
            // Inherited rules are checked with the sample of their own folder.
            let own = texts.iter().filter(|rule| rule.folder == folder.name);
            let words = own.flat_map(|rule| rule.text.split(|c: char| c.is_whitespace() || "()[]".contains(c)));
            let captures: std::collections::BTreeSet<_> =
                words.filter(|word| word.starts_with('@') && !word.starts_with("@_")).collect();
            for capture in captures {
                let has =
                    |text: &str| text.split(|c: char| c.is_whitespace() || "()[]".contains(c)).any(|w| w == capture);
                let rest: Vec<_> =
                    texts.iter().filter(|rule| !has(&rule.text)).map(|rule| rule.text.as_str()).collect();
                let rules = rest.join("\n");
                let without = Grammar::load_with_rules(folder, &rules).expect("rules are independent");
                assert_ne!(by_rules(&document, &without), all, "{}: {capture}", folder.name);
            }
        }
    }

    /// A value in place of a name is wrong if the name is assigned to; a type, if it replaces a name with arguments; a
    /// definition with its uses, if another thing has the same name. Only the gate detects this. So of proposals by
    /// names and of groups, at least one must parse; of all others, every one.
    #[test]
    fn what_every_rule_proposes_on_the_sample_parses() {
        let mut wrong = Vec::new();
        for folder in LANGUAGES.built_in {
            let (grammar, mut parser, document) = sampled(folder);
            // The gate refuses wrong proposals of the rules for all languages.
            for rule in grammar.rules().texts().iter().filter(|rule| !rule.is_common()) {
                let place = format!("grammars/{}:{}: {}", rule.file, rule.line, rule.text);
                let alone = Grammar::load_with_rule(folder, rule).unwrap_or_else(|error| panic!("{place}: {error}"));
                let (mut clean, mut broken) = (0, Vec::new());
                for proposal in by_rules(&document, &alone) {
                    let text = rendered(&document, &grammar, proposal.edits.clone()).text;
                    let errors = parser.parse(&text).map_or(usize::MAX, |tree| error_count(&tree));
                    if errors > document.errors() {
                        let before = String::from_utf8_lossy(&document.source()[proposal.range.clone()]).into_owned();
                        let after = String::from_utf8_lossy(&proposal.replacement(document.source())).into_owned();
                        let names =
                            ["aliases", "alike", "constants", "groups", "inline", "uses"].contains(&proposal.pass);
                        broken.push((names, format!("{place}\n    `{before}` by `{after}`")));
                    } else {
                        clean += 1;
                    }
                }
                wrong.extend(broken.into_iter().filter(|(names, _)| !names || clean == 0).map(|(_, text)| text));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn what_a_rule_matches_need_not_be_looked_for_twice() {
        // Inherited rules match the same way in all languages: that one shows it.
        let heir = LANGUAGES.built_in.iter().find(|folder| !folder.inherited.is_empty()).map(|folder| folder.name);
        for folder in LANGUAGES.built_in {
            let (grammar, _, document) = sampled(folder);
            let found = grammar.rules().found(document.tree().root(), document.source());
            let is_asked = |rule: &str| rule == folder.name || rule.is_empty() || heir == Some(folder.name);
            for (rule, matches) in found.into_iter().filter(|(rule, _)| is_asked(&rule.folder)) {
                let alone = Grammar::load_with_rule(folder, rule).expect("rules are independent");
                let looked_for = by_rules(&document, &alone);
                let alone = alone.knowing(matches);
                assert_eq!(by_rules(&document, &alone), looked_for, "{}: {}", folder.name, rule.text);
                assert_eq!(by_rules(&document, &alone.knowing(Vec::new())), [], "{}: {}", folder.name, rule.text);
            }
        }
    }

    #[test]
    fn what_becomes_of_a_part_is_told_by_its_edits() {
        let edits = vec![Edit::delete(7..9), Edit::delete(2..5)];
        assert_eq!(hull(&edits), 2..9);
        let proposal = Proposal { pass: "hoist", range: 0..9, edits };
        assert_eq!(proposal.replacement(b"f(g( x )); h"), b"f(x ");
    }
}
