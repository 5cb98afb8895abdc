//! Which kinds can replace which: by the classes in `language.toml` and the parser's supertypes.

use std::collections::BTreeMap;

use super::kinds::{KindSet, Resolver};
use super::layers::Layers;
use super::problem::GrammarError;

/// For each kind, the groups (classes and supertypes) it belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReplaceTable {
    /// Kind → its groups, ascending. Kinds are few and in few groups; a matrix would be larger
    /// than the parser's own tables.
    groups: Vec<Vec<u16>>,
}

impl ReplaceTable {
    /// Resolves `[classes]` and takes every supertype as one more class.
    ///
    /// # Errors
    /// A class with a name that the parser does not have.
    pub(super) fn new(layers: &Layers<'_>, resolvers: &[Resolver<'_>]) -> Result<Self, GrammarError> {
        let mut classes: BTreeMap<&str, KindSet> = BTreeMap::new();
        for (file, resolver) in layers.files().zip(resolvers) {
            for (name, words) in &file.classes {
                let kinds = resolver.kinds(words)?;
                classes.entry(name).and_modify(|known| known.extend(&kinds)).or_insert(kinds);
            }
        }
        let resolver = &resolvers[0];
        let mut sets: Vec<KindSet> = classes.into_values().collect();
        sets.extend(resolver.types.all().map(|subtypes| resolver.subtypes(subtypes)));

        let mut groups = vec![Vec::new(); resolver.language.node_kind_count()];
        for (group, set) in (0..=u16::MAX).zip(&sets) {
            for kind in set.iter() {
                groups[usize::from(kind)].push(group);
            }
        }
        Ok(Self { groups })
    }

    /// Whether the kinds are the same or share a group.
    pub(super) fn allows(&self, outer: u16, inner: u16) -> bool {
        outer == inner || self.groups_of(outer).iter().any(|group| self.groups_of(inner).contains(group))
    }

    /// Whether there is a group that the kind is in.
    pub(super) fn has_group(&self, kind: u16) -> bool {
        !self.groups_of(kind).is_empty()
    }

    fn groups_of(&self, kind: u16) -> &[u16] {
        self.groups.get(usize::from(kind)).map_or(&[], Vec::as_slice)
    }
}
