//! The statistical end: edits that a guarantee doesn't need are left out when they have become too unlikely to pay off.
//!
//! The expected share of the text that one more test removes is compared with the number of tests so far: a tenth more
//! tests must be expected to remove at least a hundredth of the text. So a search that was short asks about everything,
//! and after thousands of tests a class of edits ends that was refused dozens of times.

use std::collections::BTreeMap;

use super::options::Effort;
use super::reducer::Reducer;
use super::size::Size;

/// This share of the text must be expected from as many tests as were made.
const SHARE: f64 = 0.1;

/// The measure of what one more test must promise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payoff {
    size: Size,
    /// The least expected share of the text; 0 if all is asked about.
    least: f64,
}

impl Payoff {
    /// The state of a reduction after some tests.
    pub(super) fn of(reducer: &Reducer<'_, '_>) -> Self {
        let (size, tests) = (reducer.session.size(), reducer.session.tests());
        let least = if reducer.options.effort == Effort::Thorough { 0.0 } else { SHARE / tests.max(1) as f64 };
        Payoff { size, least }
    }

    /// Whether an edit is worth a test that saves these tokens and bytes with this probability.
    pub(super) fn is_worth(&self, chance: f64, tokens: f64, bytes: f64) -> bool {
        let share = (tokens / self.size.tokens.max(1) as f64).max(bytes / self.size.bytes.max(1) as f64);
        chance * share >= self.least
    }
}

/// The edits that were left out, by pass, since something was last accepted.
pub(super) type LeftOut = BTreeMap<&'static str, u64>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_short_search_asks_about_a_long_one_leaves_out() {
        let size = Size { bytes: 3_000, tokens: 680, lines: 50 };
        let after = |tests: f64| Payoff { size, least: SHARE / tests };
        assert!(after(100.0).is_worth(0.7, 1.0, 3.0));
        assert!(!after(3_000.0).is_worth(0.02, 1.0, 3.0));
        assert!(after(3_000.0).is_worth(0.1, 1.0, 3.0), "it is likely enough");
        assert!(after(3_000.0).is_worth(0.02, 2.0, 30.0), "it saves enough");
        assert!(Payoff { size, least: 0.0 }.is_worth(0.0, 0.0, 0.0));
    }
}
