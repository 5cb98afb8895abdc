//! The last stage: how the result looks. What it is made of stays.

use crate::passes::{Sequence, layout, short_names};

use super::pass::Pass;
use super::reducer::{Reducer, Single};
use super::session::Halt;

/// Gaps found needed as they are after which the layout is left as it is: looks are not worth more
/// tests.
const NEEDED_GAPS: usize = 4;

impl Reducer<'_, '_> {
    /// Shortens names and lays the text out; `true` if something changed.
    pub(super) fn finish_text(&mut self) -> Result<bool, Halt> {
        self.note_necessity();
        let named = self.rename()?;
        Ok(self.lay_out()? || named)
    }

    /// Whether the guarantee is to be checked again on the finished text. What was asked before it was
    /// finished differs from that only in names and blanks; so only somebody who asked for the
    /// guarantee gets all those tests a second time.
    pub(super) fn verifies_again(&self) -> bool {
        self.options.minimal.is_some()
    }

    /// Names become short: all in one test, else as many as can.
    fn rename(&mut self) -> Result<bool, Halt> {
        let Some(tools) = self.tools.as_ref().filter(|_| self.allows(Pass::Rename)) else { return Ok(false) };
        let Some(names) = short_names(self.work.document(), tools.grammar) else { return Ok(false) };
        self.session.enter_pass(Pass::Rename.name(), self.round)?;
        let changed = self.all_at_once(&names)? || self.one_by_one(names, usize::MAX)?;
        self.rebase()?;
        Ok(changed)
    }

    /// Blanks and line breaks are put where the format wants them.
    fn lay_out(&mut self) -> Result<bool, Halt> {
        let (format, ends_line) = (self.options.format, self.ends_line);
        let Some(tools) = self.tools.as_ref().filter(|_| self.allows(Pass::Whitespace)) else { return Ok(false) };
        let (document, grammar) = (self.work.document(), tools.grammar);
        let plans = [true, false].map(|joins| layout(document, grammar, format, joins, ends_line));
        let plans: Vec<_> = plans.into_iter().flatten().collect();
        let Some(last) = plans.last().cloned() else { return Ok(false) };
        self.session.enter_pass(Pass::Whitespace.name(), self.round)?;
        self.session.keep_shape(Some(self.work.document()));
        let mut changed = false;
        for plan in &plans {
            changed = changed || self.all_at_once(plan)?;
        }
        let changed = changed || self.one_by_one(last, NEEDED_GAPS)?;
        self.session.keep_shape(None);
        self.rebase()?;
        Ok(changed)
    }

    /// Makes all changes of a sequence in one test.
    fn all_at_once(&mut self, changes: &Sequence) -> Result<bool, Halt> {
        let removals = || changes.units.iter().map(|unit| &unit.removal);
        let mut single = Single::new(self.work.candidate(removals(), false));
        self.session.pursue(&mut single)?;
        if single.accepted {
            removals().for_each(|removal| self.work.commit(removal));
        }
        Ok(single.accepted)
    }

    /// Makes the changes of a sequence that can be made, until some were found impossible. What is
    /// learnt of them is no evidence for what may go.
    fn one_by_one(&mut self, changes: Sequence, most_needed: usize) -> Result<bool, Halt> {
        if changes.units.len() < 2 {
            return Ok(false);
        }
        let mut sweep = self.new_sweep(changes);
        sweep.pursue(&mut self.session, &mut self.work, most_needed)?;
        Ok(sweep.removed_count() > 0)
    }
}
