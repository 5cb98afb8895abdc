//! The evidence that a reduction collects about a language.

use std::collections::BTreeMap;

use lop_engine::Knowledge;

use super::classes::Classes;
use super::descent::Descents;
use super::memory::Refusals;
use super::unused_policy::UnusedDefinitionPolicy;

/// The evidence of texts in one language, by that language's numbers of kinds.
#[derive(Clone)]
pub(super) struct Evidence {
    pub(super) knowledge: Knowledge,
    /// Units gone and units asked about, per kind of list.
    pub(super) kinds: BTreeMap<u32, (u64, u64)>,
    /// Local edits: the outcomes per class.
    pub(super) classes: Classes,
    /// The outcomes of descents.
    pub(super) descents: Descents,
    /// The evidence on definitions that nothing refers to.
    pub(super) unused: UnusedDefinitionPolicy,
    /// Proposals that were refused; those of the language that is worked on are with the session.
    pub(super) refusals: Refusals,
}

impl Evidence {
    /// The evidence on a text of this number of tokens before the first question.
    pub(super) fn nothing(tokens: usize) -> Self {
        Evidence {
            knowledge: Knowledge::new(tokens),
            kinds: BTreeMap::new(),
            classes: Classes::default(),
            descents: Descents::default(),
            unused: UnusedDefinitionPolicy::default(),
            refusals: Refusals::default(),
        }
    }
}
