//! The algorithms that a reduction can be done by: lop's own, and the published ones it is measured
//! against.

use std::rc::Rc;

use crate::baselines;
use crate::engine::Algorithm;

/// lop's own engine and pipeline.
const OWN: &str = "entropy";
/// Lists inside the algorithms on trees go by this, as in their sources.
const ON_LISTS: &str = "ddmin";

/// An algorithm by which a reduction can be done, by its name.
///
/// An algorithm over one sequence takes the place of lop's engine in every sequence of the pipeline.
/// One on trees takes the place of the pipeline itself. Everything else is the same for all: how
/// candidates are rendered, the refusal of candidates with new syntax errors, the cache, and the
/// verification at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    name: &'static str,
}

/// An algorithm that works on the whole tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnTree {
    Hdd,
    GrammarReducer,
    Perses,
}

impl OnTree {
    const ALL: [OnTree; 3] = [OnTree::Hdd, OnTree::GrammarReducer, OnTree::Perses];

    pub(super) fn name(self) -> &'static str {
        match self {
            OnTree::Hdd => "hdd",
            OnTree::GrammarReducer => "grammar-reducer",
            OnTree::Perses => "perses",
        }
    }
}

impl Default for Method {
    fn default() -> Self {
        Method { name: OWN }
    }
}

impl Method {
    /// All that there are, lop's own first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let sequences = baselines::all(0).into_iter().map(|algorithm| algorithm.name());
        let trees = OnTree::ALL.into_iter().map(OnTree::name);
        [OWN].into_iter().chain(sequences).chain(trees).map(|name| Method { name }).collect()
    }

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|method| method.name == name)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Whether it works on the whole tree. Where there is none it does to lines, words and characters
    /// what it does on lists.
    #[must_use]
    pub fn is_on_trees(self) -> bool {
        self.on_tree().is_some()
    }

    /// What takes the place of the pipeline on trees.
    pub(super) fn on_tree(self) -> Option<OnTree> {
        OnTree::ALL.into_iter().find(|tree| tree.name() == self.name)
    }

    /// What takes the place of lop's engine on sequences; `None` for lop's own.
    pub(super) fn on_sequences(self, seed: u64) -> Option<Rc<dyn Algorithm>> {
        let name = if self.on_tree().is_some() { ON_LISTS } else { self.name };
        let found = baselines::all(seed).into_iter().find(|algorithm| algorithm.name() == name);
        found.map(Rc::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_of_one_algorithm() {
        let names: Vec<_> = Method::all().into_iter().map(Method::name).collect();
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
        assert_eq!(names[0], Method::default().name());
        for name in names {
            assert_eq!(Method::named(name).map(Method::name), Some(name));
        }
        assert_eq!(Method::named("no such"), None);
    }

    #[test]
    fn all_but_lops_own_bring_an_algorithm_for_lists() {
        for method in Method::all() {
            let on_sequences = method.on_sequences(0).map(|algorithm| algorithm.name());
            match method.on_tree() {
                Some(_) => assert_eq!(on_sequences, Some(ON_LISTS)),
                None if method == Method::default() => assert_eq!(on_sequences, None),
                None => assert_eq!(on_sequences, Some(method.name())),
            }
        }
    }
}
