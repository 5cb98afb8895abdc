//! The productions of lop's languages: `productions/<language>.json` is the `grammar.json` of the parser's crate.

use lop_grammar::Grammar;

use super::{Productions, ProductionsError};

/// Language → the text of its `grammar.json`.
const PRODUCTIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/productions.rs"));

/// The names of the languages that have productions here.
pub fn languages_with_productions() -> impl Iterator<Item = &'static str> {
    PRODUCTIONS.iter().map(|(name, _)| *name)
}

/// Returns the productions of a grammar; `None` if there are none for its language.
///
/// # Errors
/// When the file is not of the grammar's parser.
pub fn productions_of(grammar: &Grammar) -> Result<Option<Productions>, ProductionsError> {
    let Some((_, text)) = PRODUCTIONS.iter().find(|(name, _)| *name == grammar.name()) else { return Ok(None) };
    let language = grammar.language();
    let kinds = (0..=u16::MAX).take(language.node_kind_count());
    let kinds = kinds.filter(|&kind| language.node_kind_is_visible(kind)).filter_map(|kind| {
        let name = language.node_kind_for_id(kind)?;
        Some((kind, name, language.node_kind_is_named(kind)))
    });
    let fields = |name: &str| language.field_id_for_name(name).map(Into::into);
    Productions::parse(text, &fields, kinds).map(Some)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use lop_grammar::Registry;
    use lop_syntax::{Document, NodeId};

    use lop_languages::LANGUAGES;

    use super::*;
    use crate::trees::{Child, Part};

    /// The grammar of each language that has productions, and its sample as a tree.
    fn languages() -> Vec<(Arc<Grammar>, Document, Productions)> {
        let registry = Registry::of(&LANGUAGES).expect("the folders of lop");
        let language = |name| {
            let (grammar, _) = registry.choose(name, Path::new(""), b"").expect("lop knows it");
            let grammar = grammar.expect("it is no text");
            let folder = registry.folders().find(|folder| folder.name == name).expect("its folder");
            let (_, sample) = folder.sample.expect("each folder has one");
            let mut parser = grammar.parser().expect("its parser");
            let document = Document::parse(&mut parser, sample.to_vec()).expect("it parses");
            let productions = productions_of(&grammar).expect("they fit").expect("they are there");
            (grammar, document, productions)
        };
        languages_with_productions().map(language).collect()
    }

    fn may_be(child: &Child, document: &Document, node: NodeId) -> bool {
        let node = document.node(node);
        match &child.part {
            Part::Node(kinds) => node.is_named() && kinds.contains(&node.kind),
            Part::Token { kinds, .. } => kinds.contains(&node.kind),
            Part::Hidden => false,
        }
    }

    #[test]
    fn productions_are_those_of_the_parser() {
        for (grammar, _, productions) in languages() {
            let language = grammar.language();
            let kinds = (0..=u16::MAX).take(language.node_kind_count());
            for kind in kinds.filter(|&kind| language.node_kind_is_named(kind) && language.node_kind_is_visible(kind)) {
                let name = grammar.kind_name(kind);
                let expansions = productions.alternatives(kind);
                assert!(!expansions.is_empty(), "{}: {name} has no expansion", grammar.name());
                assert!(expansions.is_sorted_by_key(|expansion| expansion.children.len()), "{name}");
                for child in expansions.iter().flat_map(|expansion| &expansion.children) {
                    assert!(!matches!(&child.part, Part::Node(kinds) if kinds.is_empty()), "{name}: {expansions:?}");
                }
            }
            assert!(productions.alternatives(u16::MAX).is_empty(), "ERROR nodes have no production");
        }
    }

    /// Parts without one have lists of several elements, of which an expansion has one.
    #[test]
    fn nodes_of_the_sample_are_expansions_of_their_kind() {
        for (grammar, document, productions) in languages() {
            let inner: Vec<_> =
                document.ids().filter(|&id| document.node(id).is_named() && !document.is_leaf(id)).collect();
            let described = inner.iter().filter(|&&id| {
                let children: Vec<_> =
                    document.children(id).filter(|&child| !document.node(child).is_extra()).collect();
                productions.alternatives(document.node(id).kind).iter().any(|expansion| {
                    let shown: Vec<_> = expansion.children.iter().filter(|child| child.part != Part::Hidden).collect();
                    let mut pairs = shown.iter().zip(&children);
                    shown.len() == children.len() && pairs.all(|(part, node)| may_be(part, &document, *node))
                })
            });
            let described = described.count();
            assert!(described * 10 >= inner.len() * 9, "{}: {described} of {}", grammar.name(), inner.len());
        }
    }
}
