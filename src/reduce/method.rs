//! The algorithms that a reduction can be done by: lop's own, and with the feature `lab` the published ones it is measured
//! against.

use std::rc::Rc;

use crate::engine::Algorithm;

/// lop's own engine and pipeline.
const OWN: &str = "entropy";

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

impl Default for Method {
    fn default() -> Self {
        Method { name: OWN }
    }
}

impl Method {
    /// All that there are, lop's own first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        [OWN].into_iter().chain(published::names()).map(|name| Method { name }).collect()
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
        published::on_tree(self.name)
    }

    /// What takes the place of lop's engine on sequences; `None` for lop's own.
    pub(super) fn on_sequences(self, seed: u64) -> Option<Rc<dyn Algorithm>> {
        published::on_sequences(self.name, seed)
    }
}

pub(super) use published::OnTree;

/// Those of the crate lop-lab, and those on trees.
#[cfg(feature = "lab")]
mod published {
    use std::rc::Rc;

    use lop_lab::algorithms;

    use crate::engine::Algorithm;

    /// Lists inside the algorithms on trees go by this, as in their sources.
    pub(super) const ON_LISTS: &str = "ddmin";

    /// An algorithm that works on the whole tree.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::reduce) enum OnTree {
        Hdd,
        GrammarReducer,
        Perses,
    }

    impl OnTree {
        const ALL: [OnTree; 3] = [OnTree::Hdd, OnTree::GrammarReducer, OnTree::Perses];

        pub(in crate::reduce) fn name(self) -> &'static str {
            match self {
                OnTree::Hdd => "hdd",
                OnTree::GrammarReducer => "grammar-reducer",
                OnTree::Perses => "perses",
            }
        }
    }

    pub(super) fn names() -> Vec<&'static str> {
        let sequences = algorithms::all(0).into_iter().map(|algorithm| algorithm.name());
        sequences.chain(OnTree::ALL.into_iter().map(OnTree::name)).collect()
    }

    pub(super) fn on_tree(name: &str) -> Option<OnTree> {
        OnTree::ALL.into_iter().find(|tree| tree.name() == name)
    }

    pub(super) fn on_sequences(name: &str, seed: u64) -> Option<Rc<dyn Algorithm>> {
        let name = if on_tree(name).is_some() { ON_LISTS } else { name };
        let found = algorithms::all(seed).into_iter().find(|algorithm| algorithm.name() == name);
        found.map(Rc::from)
    }
}

/// None of them.
#[cfg(not(feature = "lab"))]
mod published {
    use std::rc::Rc;

    use crate::engine::Algorithm;

    /// There is none.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::reduce) enum OnTree {}

    impl OnTree {
        pub(in crate::reduce) fn name(self) -> &'static str {
            match self {}
        }
    }

    pub(super) fn names() -> [&'static str; 0] {
        []
    }

    pub(super) fn on_tree(_: &str) -> Option<OnTree> {
        None
    }

    pub(super) fn on_sequences(_: &str, _: u64) -> Option<Rc<dyn Algorithm>> {
        None
    }
}

#[cfg(all(test, feature = "lab"))]
mod tests {
    use super::published::ON_LISTS;
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
