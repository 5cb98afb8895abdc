//! Chooses the passes of a run: lop's own and the caller's, without the skipped ones.

use std::fmt;
use std::sync::Arc;

use lop_passes::{ALL, Growth, Pass};

use super::error::ReduceError;
use super::steps::named;

/// Names that count the tests which no pass asks for.
const RESERVED: [&str; 2] = ["baseline", "confirmation"];

/// Which passes a run makes: all of lop's own by default.
#[derive(Clone, Default)]
pub struct Passes {
    /// The names of the only ones of lop's own that it makes; all if empty.
    pub only: Vec<&'static str>,
    /// The names of steps to skip.
    pub skip: Vec<&'static str>,
    /// The caller's own passes, in the order of their turns within a stage.
    pub own: Vec<Arc<dyn Pass>>,
}

impl Passes {
    /// Adds a pass of the caller's own.
    pub fn push(&mut self, pass: impl Pass + 'static) {
        self.own.push(Arc::new(pass));
    }

    /// Returns the permitted growth of the pass with this name.
    pub(super) fn growth(&self, name: &str) -> Growth {
        self.all().find(|pass| pass.name() == name).map(|pass| pass.facts().growth).unwrap_or_default()
    }

    /// Whether the pass with this name runs. The caller's own passes always do, even with `only`.
    #[must_use]
    pub fn allow(&self, name: &str) -> bool {
        let is_own = || self.own.iter().any(|pass| pass.name() == name);
        (self.only.is_empty() || self.only.contains(&name) || is_own()) && !self.skip.contains(&name)
    }

    /// Whether a pass or a step of the driver has this name.
    pub(super) fn knows(&self, name: &str) -> bool {
        named(name).is_some() || self.own().any(|pass| pass.name() == name)
    }

    /// Returns all passes, in the order of their turns within a stage.
    pub(super) fn all(&self) -> impl Iterator<Item = &dyn Pass> {
        ALL.iter().copied().chain(self.own())
    }

    /// The caller's own.
    pub(super) fn own(&self) -> impl Iterator<Item = &dyn Pass> {
        self.own.iter().map(|pass| &**pass)
    }

    /// Checks that no two steps have the same name, and that all chosen names exist.
    pub(super) fn check(&self) -> Result<(), ReduceError> {
        let names: Vec<_> = self.own().map(|pass| pass.name()).collect();
        let is_taken = |at: &usize| {
            let name = names[*at];
            let is_ours = named(name).is_some() || RESERVED.contains(&name);
            is_ours || ALL.iter().any(|pass| pass.facts().stage.name() == name) || names[..*at].contains(&name)
        };
        if let Some(at) = (0..names.len()).find(is_taken) {
            return Err(ReduceError::PassName(names[at]));
        }
        let mut chosen = self.only.iter().chain(&self.skip);
        match chosen.find(|name| !self.knows(name)) {
            Some(name) => Err(ReduceError::NoPass(name)),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Passes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own: Vec<_> = self.own().map(|pass| pass.name()).collect();
        f.debug_struct("Passes").field("only", &self.only).field("skip", &self.skip).field("own", &own).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_skipped_is_skipped_and_only_means_only() {
        let all = Passes::default();
        assert!(ALL.iter().all(|pass| all.allow(pass.name())));
        let only = Passes { only: vec!["hoist", "lift"], skip: vec!["lift"], ..Passes::default() };
        let allowed: Vec<_> = ALL.iter().map(|pass| pass.name()).filter(|name| only.allow(name)).collect();
        assert_eq!(allowed, ["hoist"]);
    }

    #[test]
    fn a_choice_of_what_is_not_there_is_an_error() {
        for choice in
            [Passes { only: vec!["hosit"], ..Passes::default() }, Passes { skip: vec!["hosit"], ..Passes::default() }]
        {
            assert!(matches!(choice.check(), Err(ReduceError::NoPass("hosit"))), "{choice:?}");
        }
    }
}
