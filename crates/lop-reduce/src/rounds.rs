//! A plan of steps, and the loop that follows it.

use super::interrupt::Interrupt;
use super::reducer::Reducer;

/// Rounds of everything after which even a result that still shrinks is left alone; a round that
/// removes nothing ends the loop long before.
pub(super) const MAX_ROUNDS: usize = 50;

/// A step works on the best result. It returns `true` if the steps before it should run again.
pub(super) type Step = fn(&mut Reducer<'_, '_>) -> Result<bool, Interrupt>;

/// The steps that run, in their order.
pub(super) struct Plan {
    /// The steps before the rounds, each made once.
    pub(super) first: &'static [Step],
    /// The steps of a round: each runs when those before it have found nothing. As soon as one finds something, another
    /// round starts.
    pub(super) round: &'static [Step],
}

impl Plan {
    /// Goes from step to step until a whole round has found nothing, or the text no longer has the tree that it had.
    pub(super) fn follow(&'static self, reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
        let before = reducer.rest.take();
        let result = self.follow_from(reducer, 0);
        reducer.rest = before;
        result
    }

    /// Whether speculation continues with a step.
    fn begin(&'static self, reducer: &mut Reducer<'_, '_>, at: usize) -> Result<(), Interrupt> {
        reducer.begin(move |reducer| {
            // Speculation only collects questions; its end doesn't matter.
            let _ = self.follow_from(reducer, at);
        })
    }

    /// Runs the steps from this one on.
    fn follow_from(&'static self, reducer: &mut Reducer<'_, '_>, from: usize) -> Result<(), Interrupt> {
        let has_tree = reducer.tools.is_some();
        for (at, step) in self.first.iter().enumerate().skip(from) {
            self.begin(reducer, at)?;
            while make(reducer, *step)?.is_none() {}
            if reducer.tools.is_some() != has_tree {
                return Ok(());
            }
        }
        let mut next = from.saturating_sub(self.first.len());
        if from <= self.first.len() {
            reducer.round += 1;
        }
        while let Some(step) = self.round.get(next) {
            self.begin(reducer, self.first.len() + next)?;
            next += 1;
            let found = make(reducer, *step)?.unwrap_or(true);
            if reducer.tools.is_some() != has_tree {
                return Ok(());
            }
            if found && reducer.round < MAX_ROUNDS {
                next = 0;
                reducer.round += 1;
                reducer.findings.left_out.clear();
            }
        }
        Ok(())
    }
}

/// Runs a step. Returns `None` if a pass was skipped meanwhile; then the step must run again without it.
fn make(reducer: &mut Reducer<'_, '_>, step: Step) -> Result<Option<bool>, Interrupt> {
    match step(reducer) {
        Err(Interrupt::Skipped) => {
            reducer.session.keep_shape(false);
            reducer.rebase()?;
            Ok(None)
        }
        result => result.map(Some),
    }
}
