//! The supertypes of a parser, from its `node-types.json`: their kinds and subtypes.
//!
//! Without a description, the parser is asked. A parser of ABI 15 lists the supertypes that its grammar doesn't inline;
//! an older one lists none. No parser lists which kind has which field.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Language;

/// The supertypes of a parser and the fields of its node kinds, by name.
#[derive(Debug, Default)]
pub(super) struct NodeTypes {
    /// Supertype → all its kinds. Supertypes inside it are replaced by their kinds.
    supertypes: BTreeMap<String, BTreeSet<KindName>>,
    /// Kind → names of its children's fields; `None` if nothing is known.
    fields: Option<BTreeMap<String, BTreeSet<String>>>,
}

/// The name of a kind; `named` separates a rule from the token that is spelled the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
pub(super) struct KindName {
    /// The name.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Whether it is a rule of the grammar, not a token given by its text.
    pub(super) named: bool,
}

/// One entry of `node-types.json`; keys that are not needed here are skipped.
#[derive(serde::Deserialize)]
struct Entry {
    #[serde(flatten)]
    name: KindName,
    #[serde(default)]
    subtypes: Option<Vec<KindName>>,
    #[serde(default)]
    fields: BTreeMap<String, serde::de::IgnoredAny>,
}

impl NodeTypes {
    /// Reads the description.
    ///
    /// # Errors
    /// When it is not a `node-types.json`.
    pub(super) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let entries: Vec<Entry> = serde_json::from_str(text)?;
        let mut direct = BTreeMap::new();
        let mut fields = BTreeMap::new();
        for entry in entries {
            if let Some(subtypes) = entry.subtypes {
                direct.insert(entry.name.kind, subtypes);
            } else if entry.name.named {
                fields.insert(entry.name.kind, entry.fields.into_keys().collect());
            }
        }
        Ok(Self { supertypes: resolved(&direct), fields: Some(fields) })
    }

    /// The supertypes that the parser itself lists.
    pub(super) fn of(language: &Language) -> Self {
        let name = |kind: u16| Some(language.node_kind_for_id(kind)?.to_owned());
        let mut direct = BTreeMap::new();
        for &supertype in language.supertypes() {
            let subtypes = language.subtypes_for_supertype(supertype).iter().filter_map(|&kind| {
                // A hidden rule in a supertype is named as a supertype is.
                let named = language.node_kind_is_named(kind) || language.node_kind_is_supertype(kind);
                Some(KindName { kind: name(kind)?, named })
            });
            if let Some(supertype) = name(supertype) {
                direct.insert(supertype, subtypes.collect());
            }
        }
        Self { supertypes: resolved(&direct), fields: None }
    }

    /// Returns the kinds of the supertype `name`, or `None` if it isn't one.
    pub(super) fn subtypes(&self, name: &str) -> Option<&BTreeSet<KindName>> {
        self.supertypes.get(name)
    }

    /// Every supertype's set of kinds.
    pub(super) fn all(&self) -> impl Iterator<Item = &BTreeSet<KindName>> {
        self.supertypes.values()
    }

    /// Whether a node of this kind can have a child in this field, as far as that is known.
    pub(super) fn has_field(&self, kind: &str, field: &str) -> bool {
        let Some(fields) = &self.fields else { return true };
        fields.get(kind).is_some_and(|fields| fields.contains(field))
    }
}

fn resolved(direct: &BTreeMap<String, Vec<KindName>>) -> BTreeMap<String, BTreeSet<KindName>> {
    direct.keys().map(|name| (name.clone(), expand(name, direct))).collect()
}

/// Follows supertypes through supertypes; a work list, because nothing forbids a cycle.
fn expand(name: &str, direct: &BTreeMap<String, Vec<KindName>>) -> BTreeSet<KindName> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([name]);
    let mut open = vec![name];
    while let Some(supertype) = open.pop() {
        for subtype in &direct[supertype] {
            if let Some((key, _)) = direct.get_key_value(&subtype.kind) {
                if seen.insert(key.as_str()) {
                    open.push(key);
                }
            } else {
                found.insert(subtype.clone());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str) -> KindName {
        KindName { kind: name.to_owned(), named: true }
    }

    const DESCRIPTION: &str = r#"[
        {"type": "any", "named": true, "subtypes": [{"type": "_some", "named": true}, {"type": "leaf", "named": true}]},
        {"type": "_some", "named": true, "subtypes": [{"type": "twig", "named": true}, {"type": "any", "named": true}]},
        {"type": "twig", "named": true, "fields": {"end": {"multiple": false, "required": true, "types": []}}},
        {"type": "leaf", "named": true},
        {"type": "+", "named": false}
    ]"#;

    #[test]
    fn supertypes_inside_supertypes_are_resolved_even_in_a_cycle() {
        let types = NodeTypes::parse(DESCRIPTION).expect("the description is well-formed");
        let expected = BTreeSet::from([kind("leaf"), kind("twig")]);
        assert_eq!(types.subtypes("any"), Some(&expected));
        assert_eq!(types.subtypes("_some"), Some(&expected));
        assert_eq!(types.subtypes("twig"), None);
    }

    #[test]
    fn fields_belong_to_kinds() {
        let types = NodeTypes::parse(DESCRIPTION).expect("the description is well-formed");
        assert!(types.has_field("twig", "end"));
        assert!(!types.has_field("leaf", "end"));
    }
}
