//! Acceptance rates of classes of local edits: a Beta posterior per class, shrunk towards the mean of its pass.

use std::collections::BTreeMap;

use lop_passes::{Alternative, Class, Coupled, Pass};

/// Strength of the prior: after this number of its own outcomes a class counts as much as its pass.
const PRIOR_STRENGTH: f64 = 2.0;
/// Before anything is known the edits of a pass are expected to be accepted once in four times.
const PASS_PRIOR: (f64, f64) = (1.0, 4.0);

/// Number of refusals, with nothing accepted, after which edits of a class aren't tested any more if the pass only
/// repeats other passes' proposals.
const IN_VAIN: u32 = 8;

/// Accepted and asked edits, per class and per pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    classes: BTreeMap<(&'static str, Class), (u32, u32)>,
    passes: BTreeMap<&'static str, (u32, u32)>,
    /// Refusals of classes without an accepted edit, since all refusals were forgotten.
    in_vain: BTreeMap<(&'static str, Class), u32>,
}

impl Classes {
    /// The expected share of accepted edits that are like this one.
    pub(super) fn chance(&self, edit: &Alternative) -> f64 {
        let (yes, asked) = self.passes.get(edit.pass).copied().unwrap_or_default();
        let pass = (f64::from(yes) + PASS_PRIOR.0) / (f64::from(asked) + PASS_PRIOR.1);
        let (yes, asked) = self.classes.get(&(edit.pass, edit.class)).copied().unwrap_or_default();
        (f64::from(yes) + PRIOR_STRENGTH * pass) / (f64::from(asked) + PRIOR_STRENGTH)
    }

    /// Whether an edit like this one is not worth a question any more.
    pub(super) fn is_in_vain(&self, edit: &Alternative) -> bool {
        let in_vain = || self.in_vain.get(&(edit.pass, edit.class)).copied().unwrap_or_default();
        edit.pass == Coupled.name() && in_vain() >= IN_VAIN
    }

    /// Everything is worth a question again.
    pub(super) fn forget_refusals(&mut self) {
        self.in_vain.clear();
    }

    /// Learns an answer.
    pub(super) fn learn(&mut self, edit: &Alternative, accepted: bool) {
        let key = (edit.pass, edit.class);
        let class = self.classes.entry(key).or_default();
        let pass = self.passes.entry(edit.pass).or_default();
        for (yes, asked) in [&mut *class, pass] {
            *yes += u32::from(accepted);
            *asked += 1;
        }
        let in_vain = self.in_vain.entry(key).or_default();
        *in_vain = if class.0 > 0 { 0 } else { *in_vain + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(pass: &'static str, outer: u16) -> Alternative {
        Alternative {
            pass,
            class: Class { outer, inner: 0, depth: 1 },
            range: 0..1,
            edits: Vec::new(),
            tokens: 1,
            bytes: 1,
            is_late: false,
            memo: 0,
            rules: Vec::new(),
        }
    }

    #[test]
    fn what_repeats_others_stops_asking_where_it_never_pays() {
        let mut classes = Classes::default();
        classes.learn(&edit("coupled", 2), true);
        for _ in 0..IN_VAIN {
            let in_vain = ["coupled", "hoist"].map(|pass| classes.is_in_vain(&edit(pass, 1)));
            assert_eq!(in_vain, [false, false]);
            classes.learn(&edit("coupled", 1), false);
            classes.learn(&edit("coupled", 2), false);
            classes.learn(&edit("hoist", 1), false);
        }
        assert!(classes.is_in_vain(&edit("coupled", 1)));
        assert!(!classes.is_in_vain(&edit("coupled", 2)), "one was accepted");
        assert!(!classes.is_in_vain(&edit("hoist", 1)), "nobody else proposes that");
        classes.forget_refusals();
        assert!(!classes.is_in_vain(&edit("coupled", 1)));
    }

    #[test]
    fn a_class_starts_from_its_pass() {
        let mut classes = Classes::default();
        let unknown = classes.chance(&edit("hoist", 1));
        for _ in 0..20 {
            classes.learn(&edit("hoist", 1), true);
        }
        assert!(classes.chance(&edit("hoist", 2)) > unknown, "other hoists are likelier now");
        classes.learn(&edit("hoist", 2), false);
        assert!(classes.chance(&edit("hoist", 2)) < classes.chance(&edit("hoist", 1)));
        assert!((classes.chance(&edit("minimal", 1)) - unknown).abs() < 1e-12, "other passes learn nothing");
    }
}
