//! Resolves names in `language.toml` to sets of a parser's numeric node kinds.

use tree_sitter::Language;

use super::language_toml::Word;
use super::problem::{GrammarError, Origin, Problem};
use super::supertypes::{KindName, NodeTypes};

/// A set of node kinds with constant-time look-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KindSet(Vec<bool>);

impl KindSet {
    /// The empty set over the kinds of `language`.
    fn empty(language: &Language) -> Self {
        Self(vec![false; language.node_kind_count()])
    }

    /// Whether `kind` is in the set. Kinds that the parser doesn't list, such as ERROR, are in none.
    pub(super) fn contains(&self, kind: u16) -> bool {
        self.0.get(usize::from(kind)).copied().unwrap_or(false)
    }

    /// The members, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        (0..=u16::MAX).zip(&self.0).filter_map(|(kind, &member)| member.then_some(kind))
    }

    /// Whether it has no member.
    pub(super) fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }

    /// Takes the members of another set in.
    pub(super) fn extend(&mut self, other: &Self) {
        for (mine, &theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }
}

/// Resolves the names that one `language.toml` uses.
pub(super) struct Resolver<'a> {
    pub(super) language: &'a Language,
    pub(super) types: &'a NodeTypes,
    pub(super) origin: Origin<'a>,
    /// Whether the names belong to a language that this one extends. Then names that the parser lacks are ignored.
    pub(super) inherited: bool,
}

impl Resolver<'_> {
    /// All the named kinds that `words` list.
    pub(super) fn kinds(&self, words: &[Word]) -> Result<KindSet, GrammarError> {
        self.union(words, |word| self.kind(word.get_ref(), word.span().start))
    }

    /// All the tokens that `words` list by their text.
    pub(super) fn tokens(&self, words: &[Word]) -> Result<KindSet, GrammarError> {
        self.union(words, |word| {
            let name = KindName { kind: word.get_ref().clone(), named: false };
            self.found("token", self.ids(&name), &name.kind, word.span().start)
        })
    }

    /// Returns the kinds of a name: the subtypes of a supertype, every kind of that name, or, with a final `*`, every
    /// named kind with that prefix.
    pub(super) fn kind(&self, name: &str, offset: usize) -> Result<KindSet, GrammarError> {
        let set = match (self.types.subtypes(name), name.strip_suffix('*')) {
            (Some(subtypes), _) => self.subtypes(subtypes),
            (None, Some(start)) => self.visible(true, |kind| kind.starts_with(start)),
            (None, None) => self.ids(&KindName { kind: name.to_owned(), named: true }),
        };
        self.found("kind", set, name, offset)
    }

    /// The numeric kinds of a supertype's subtypes.
    pub(super) fn subtypes<'k>(&self, subtypes: impl IntoIterator<Item = &'k KindName>) -> KindSet {
        let mut set = KindSet::empty(self.language);
        for subtype in subtypes {
            set.extend(&self.ids(subtype));
        }
        set
    }

    /// Every kind that trees can show under this name: an alias has its own number. Hidden kinds are left out, so that
    /// a name which no tree ever shows is an error.
    fn ids(&self, name: &KindName) -> KindSet {
        self.visible(name.named, |kind| kind == name.kind)
    }

    /// The visible kinds, named or not, whose names fit.
    fn visible(&self, is_named: bool, fits: impl Fn(&str) -> bool) -> KindSet {
        let mut set = KindSet::empty(self.language);
        for (kind, member) in (0..=u16::MAX).zip(&mut set.0) {
            *member = self.language.node_kind_is_visible(kind)
                && self.language.node_kind_is_named(kind) == is_named
                && self.language.node_kind_for_id(kind).is_some_and(&fits);
        }
        set
    }

    fn union(
        &self,
        words: &[Word],
        resolve: impl Fn(&Word) -> Result<KindSet, GrammarError>,
    ) -> Result<KindSet, GrammarError> {
        let mut set = KindSet::empty(self.language);
        for word in words {
            match resolve(word) {
                Ok(kinds) => set.extend(&kinds),
                Err(_) if self.inherited => {}
                Err(error) => return Err(error),
            }
        }
        Ok(set)
    }

    fn found(&self, what: &'static str, set: KindSet, name: &str, offset: usize) -> Result<KindSet, GrammarError> {
        if set.is_empty() {
            return Err(self.origin.error(offset, Problem::Unknown { what, name: name.to_owned() }));
        }
        Ok(set)
    }
}
