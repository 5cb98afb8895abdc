//! The statistical end: edits that no guarantee needs are left out when they have become too unlikely to pay off.
//!
//! An edit promises a share of the text: its probability times what it saves. As many tests as were made so far must
//! promise at least a tenth of the text at this rate. So a class of edits ends that was refused dozens of times in a text
//! of hundreds of tokens. In a smaller text less is enough, because little is left to ask about.

use std::collections::BTreeMap;

use super::options::Effort;
use super::size::Size;

/// This share of the text must be expected from as many tests as were made. On a text of 680 tokens, which takes 7,241
/// tests if all is asked about, this makes it 4,300; with 0.1 two tokens more are left.
const SHARE: f64 = 0.06;
/// In a text of fewer tokens, it is less in proportion. With a fixed share two results of 18 and 7 tokens ended at 40 and
/// 55.
const LARGE: usize = 500;

/// The measure of what one more test must promise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Payoff {
    size: Size,
    /// The least expected share of the text; 0 if all is asked about.
    least: f64,
}

impl Payoff {
    /// The state of a reduction after some tests.
    pub(super) fn of(size: Size, tests: u64, effort: Effort) -> Self {
        // In a large text, the first classes have to be asked about before their chances are known.
        let tests = tests.max(size.tokens as u64).max(1) as f64;
        let is_thorough = effort == Effort::Thorough;
        let share = SHARE * size.tokens.min(LARGE) as f64 / LARGE as f64;
        let least = if is_thorough { 0.0 } else { share / tests };
        Payoff { size, least }
    }

    /// Whether an edit is worth a test that saves these tokens and bytes with this probability.
    pub(super) fn is_worth(&self, chance: f64, tokens: f64, bytes: f64) -> bool {
        let share = (tokens / self.size.tokens.max(1) as f64).max(bytes / self.size.bytes.max(1) as f64);
        chance * share >= self.least
    }
}

/// The edits that were left out in this round, by pass.
pub(super) type LeftOut = BTreeMap<&'static str, u64>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_short_search_asks_about_a_long_one_leaves_out() {
        let size = Size { bytes: 3_000, tokens: 680, lines: 50 };
        let after = |tests: f64| Payoff { size, least: SHARE / tests };
        assert!(after(100.0).is_worth(0.7, 1.0, 3.0));
        assert!(!after(3_000.0).is_worth(0.01, 1.0, 3.0));
        assert!(after(3_000.0).is_worth(0.1, 1.0, 3.0), "it is likely enough");
        assert!(after(3_000.0).is_worth(0.01, 2.0, 30.0), "it saves enough");
        assert!(Payoff { size, least: 0.0 }.is_worth(0.0, 0.0, 0.0));
    }
}
