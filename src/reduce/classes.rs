//! How often local edits of a class are accepted: a Beta posterior per class, shrunk to the mean of
//! its action.

use std::collections::BTreeMap;

use crate::passes::{Action, Class};

/// Strength of the prior: a class counts as much as its action after so many answers of its own.
const PRIOR_STRENGTH: f64 = 2.0;
/// Before anything is known an action is expected to be accepted once in four times.
const ACTION_PRIOR: (f64, f64) = (1.0, 4.0);

/// Accepted and asked edits, per class and per action.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    classes: BTreeMap<Class, (u32, u32)>,
    actions: BTreeMap<Action, (u32, u32)>,
}

impl Classes {
    /// The expected share of accepted edits of a class.
    pub(super) fn chance(&self, class: Class) -> f64 {
        let (yes, asked) = self.actions.get(&class.action).copied().unwrap_or_default();
        let action = (f64::from(yes) + ACTION_PRIOR.0) / (f64::from(asked) + ACTION_PRIOR.1);
        let (yes, asked) = self.classes.get(&class).copied().unwrap_or_default();
        (f64::from(yes) + PRIOR_STRENGTH * action) / (f64::from(asked) + PRIOR_STRENGTH)
    }

    /// Learns an answer.
    pub(super) fn learn(&mut self, class: Class, accepted: bool) {
        for (yes, asked) in [self.classes.entry(class).or_default(), self.actions.entry(class.action).or_default()] {
            *yes += u32::from(accepted);
            *asked += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_starts_from_its_action() {
        let class = |outer| Class { action: Action::Hoist, outer, inner: 0, depth: 1 };
        let mut classes = Classes::default();
        let unknown = classes.chance(class(1));
        for _ in 0..20 {
            classes.learn(class(1), true);
        }
        assert!(classes.chance(class(2)) > unknown, "other hoists are likelier now");
        classes.learn(class(2), false);
        assert!(classes.chance(class(2)) < classes.chance(class(1)));
        let minimal = Class { action: Action::Minimal, ..class(1) };
        assert!((classes.chance(minimal) - unknown).abs() < 1e-12, "other actions learn nothing");
    }
}
