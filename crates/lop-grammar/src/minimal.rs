//! The table for `[minimal]`: the short texts that can replace a node.
//!
//! A key is a kind or supertype, `before + kind` for a node right after another one, or `parent.field`; `_` means any.
//! Keys are resolved once into tables by number, because every node of every new tree is looked up.

use std::collections::HashMap;

use super::kinds::{KindSet, Resolver};
use super::language_toml::Word;
use super::layers::{Layers, MinimalEntry};
use super::problem::{GrammarError, Problem};

/// Stands for any parent, or for any field and none.
const ANY: &str = "_";
/// Separates a node from the path before it.
const BEHIND: &str = " + ";

/// The place of a node, as far as it determines the texts that can replace the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The kind of the node.
    pub kind: u16,
    /// The kind of its parent.
    pub parent: Option<u16>,
    /// The field that it is in.
    pub field: Option<u16>,
    /// The kind of the sibling right before it.
    pub previous: Option<u16>,
}

/// The resolved `[minimal]` table.
#[derive(Debug)]
pub(super) struct MinimalTable {
    /// Kinds that can be replaced at all: a token of the grammar itself is no place for another text.
    named: Vec<bool>,
    /// The texts of each key in file order, and the number of texts above them.
    texts: Vec<(usize, Vec<String>)>,
    /// Kind → the first key that names it.
    by_kind: HashMap<u16, usize>,
    /// Kinds of a node and of the one before it → the first key `before + kind`.
    by_previous: HashMap<(u16, u16), usize>,
    /// Parent kind → the first key `parent._`.
    by_parent: HashMap<u16, usize>,
    /// Field → the first key `_.field`.
    by_field: HashMap<u16, usize>,
    /// Parent kind and field → the first key `parent.field`.
    by_place: HashMap<(u16, u16), usize>,
}

impl MinimalTable {
    /// Resolves the keys of the files.
    ///
    /// # Errors
    /// A key of the language's own with a kind or field that the parser does not have, or a field that no such parent has.
    pub(super) fn new(layers: &Layers<'_>, resolvers: &[Resolver<'_>]) -> Result<Self, GrammarError> {
        let language = resolvers[0].language;
        let kinds = (0..=u16::MAX).take(language.node_kind_count());
        let mut table = Self {
            named: kinds.map(|kind| language.node_kind_is_named(kind)).collect(),
            texts: Vec::new(),
            by_kind: HashMap::new(),
            by_previous: HashMap::new(),
            by_parent: HashMap::new(),
            by_field: HashMap::new(),
            by_place: HashMap::new(),
        };
        for (index, MinimalEntry { layer, key, texts }) in layers.minimal().into_iter().enumerate() {
            let above = table.texts.last().map_or(0, |(above, texts)| above + texts.len());
            table.texts.push((above, texts.to_vec()));
            match table.insert(key, index, &resolvers[layer]) {
                Err(_) if resolvers[layer].inherited => {}
                inserted => inserted?,
            }
        }
        Ok(table)
    }

    /// Returns the texts for a node (none if the first key that fits forbids it) and the number of texts above them in
    /// the file; `None` if no key fits.
    pub(super) fn get(&self, Place { kind, parent, field, previous }: Place) -> Option<(usize, &[String])> {
        if self.named.get(usize::from(kind)) != Some(&true) {
            return None;
        }
        let place = parent.zip(field);
        let first = [
            self.by_kind.get(&kind),
            previous.and_then(|previous| self.by_previous.get(&(previous, kind))),
            parent.and_then(|parent| self.by_parent.get(&parent)),
            field.and_then(|field| self.by_field.get(&field)),
            place.and_then(|place| self.by_place.get(&place)),
        ]
        .into_iter()
        .flatten()
        .min();
        first.map(|&index| (self.texts[index].0, &self.texts[index].1[..]))
    }

    fn insert(&mut self, key: &Word, index: usize, resolver: &Resolver<'_>) -> Result<(), GrammarError> {
        let offset = key.span().start;
        if let Some((before, kind)) = key.get_ref().split_once(BEHIND) {
            let kinds = resolver.kind(kind, offset)?;
            for before in resolver.kind(before, offset)?.iter() {
                kinds.iter().for_each(|kind| _ = self.by_previous.entry((before, kind)).or_insert(index));
            }
            return Ok(());
        }
        let Some((parent, field)) = key.get_ref().split_once('.') else {
            for kind in resolver.kind(key.get_ref(), offset)?.iter() {
                self.by_kind.entry(kind).or_insert(index);
            }
            return Ok(());
        };
        let field_id = match field {
            ANY => None,
            _ => Some(field_of(field, offset, resolver)?),
        };
        match (parent, field_id) {
            (ANY, Some(field_id)) => {
                self.by_field.entry(field_id).or_insert(index);
            }
            (_, None) => {
                for parent in resolver.kind(parent, offset)?.iter() {
                    self.by_parent.entry(parent).or_insert(index);
                }
            }
            (_, Some(field_id)) => {
                let parents = resolver.kind(parent, offset)?;
                check_field(&parents, parent, field, offset, resolver)?;
                for parent in parents.iter() {
                    self.by_place.entry((parent, field_id)).or_insert(index);
                }
            }
        }
        Ok(())
    }
}

fn field_of(field: &str, offset: usize, resolver: &Resolver<'_>) -> Result<u16, GrammarError> {
    match resolver.language.field_id_for_name(field) {
        Some(id) => Ok(id.get()),
        None => Err(resolver.origin.error(offset, Problem::Unknown { what: "field", name: field.to_owned() })),
    }
}

/// A key that can never fit is a typing error like any other.
fn check_field(
    parents: &KindSet,
    parent: &str,
    field: &str,
    offset: usize,
    resolver: &Resolver<'_>,
) -> Result<(), GrammarError> {
    let possible = parents
        .iter()
        .filter_map(|kind| resolver.language.node_kind_for_id(kind))
        .any(|kind| resolver.types.has_field(kind, field));
    if possible {
        return Ok(());
    }
    let problem = Problem::NoSuchChild { parent: parent.to_owned(), field: field.to_owned() };
    Err(resolver.origin.error(offset, problem))
}
