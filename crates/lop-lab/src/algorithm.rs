//! The interface of every reduction algorithm over one sequence, so that lop's own search and its yardsticks can be compared
//! and exchanged.

use lop_engine::{BitSet, Verdict};

/// The judge gives no more answers: a limit was reached, or the reduction was cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// Judges an algorithm's candidates. A candidate is the set of its removed positions.
///
/// The judge may remember outcomes; it also decides what counts as a test.
pub trait Judge {
    /// How many candidates can be judged at the same time; at least 1.
    fn width(&self) -> usize;

    /// Judges at most `width()` candidates at the same time and returns their verdicts in order.
    ///
    /// # Errors
    /// When there are no more answers. The algorithm then returns at once with this error.
    fn round(&mut self, candidates: &[BitSet]) -> Result<Vec<Verdict>, Stopped>;

    /// Whether one candidate is interesting. Every other verdict is a no: that is how the published
    /// algorithms see it.
    ///
    /// # Errors
    /// The errors of `round`.
    fn is_interesting(&mut self, candidate: &BitSet) -> Result<bool, Stopped> {
        Ok(self.round(std::slice::from_ref(candidate))?.first() == Some(&Verdict::Interesting))
    }

    /// Returns the index of the first interesting one of `count` candidates that are tested in order; `candidate` makes
    /// the one with a given index. At most `width() − 1` candidates after the first interesting one are judged in vain.
    ///
    /// # Errors
    /// The errors of `round`.
    fn first_interesting(
        &mut self,
        count: usize,
        candidate: &mut dyn FnMut(usize) -> BitSet,
    ) -> Result<Option<usize>, Stopped> {
        let width = self.width().max(1);
        let mut from = 0;
        while from < count {
            let round: Vec<BitSet> = (from..count.min(from + width)).map(&mut *candidate).collect();
            let verdicts = self.round(&round)?;
            if let Some(found) = verdicts.iter().position(|&verdict| verdict == Verdict::Interesting) {
                return Ok(Some(from + found));
            }
            from += width;
        }
        Ok(None)
    }
}

/// An algorithm that makes one sequence smaller.
pub trait Algorithm {
    /// The name on the command line: lower case, words joined by hyphens.
    fn name(&self) -> &'static str;

    /// Removes units of a sequence that is interesting as a whole (which isn't judged again), and returns the removed
    /// ones: the candidate without them was judged interesting, or there are none.
    ///
    /// `sizes` are the units' sizes (say, in tokens), for algorithms that look at them. Same sizes,
    /// answers and width: same candidates in the same order. Chance comes from a seed in `self`.
    ///
    /// # Errors
    /// If the judge stopped. The last interesting candidate is the result then.
    fn reduce(&self, sizes: &[u32], judge: &mut dyn Judge) -> Result<BitSet, Stopped>;
}
