//! The last stage: how the result looks. What it is made of stays.

use std::sync::Arc;

use crate::passes::{
    Blanks, Pass, Rename, Sequence, Unit, Whitespace, blank_characters, blanked, gap_characters, layout, list_kind,
    name_characters, siblings,
};

use super::halt::Halt;
use super::ordered::first_interesting;
use super::reducer::Reducer;

/// Gaps found needed as they are after which the layout is left as it is: looks are not worth more
/// tests.
const NEEDED_GAPS: usize = 4;
/// Blanks found needed after which the others stay, for the same reason.
const NEEDED_BLANKS: usize = 16;

impl Reducer<'_, '_> {
    /// Shortens names and lays the text out; `true` if something changed.
    pub(super) fn finish_text(&mut self) -> Result<bool, Halt> {
        self.note_necessity();
        self.write_anew()
    }

    /// The same for a part of the text.
    pub(super) fn write_anew(&mut self) -> Result<bool, Halt> {
        let named = self.rename()?;
        let (laid_out, is_refused) = self.lay_out()?;
        let blanked = (is_refused || self.has_comments()) && self.blank()?;
        Ok(named || laid_out || blanked)
    }

    /// Whether the guarantee is to be checked again on the finished text. What was asked before it was
    /// finished differs from that only in names and blanks; so only somebody who asked for the
    /// guarantee gets all those tests a second time.
    pub(super) fn verifies_again(&self) -> bool {
        self.options.minimal.is_some()
    }

    /// Names become short: all in one test, else as many as can.
    fn rename(&mut self) -> Result<bool, Halt> {
        if !self.allows(&Rename) {
            return Ok(false);
        }
        let Some(names) = self.sequences_of(&Rename).pop() else { return Ok(false) };
        self.session.enter_pass(Rename.name(), self.round)?;
        let changed = self.all_at_once(&names)? || self.one_by_one(names, usize::MAX)?;
        self.rebase()?;
        Ok(changed)
    }

    /// Blanks and line breaks are put where the format wants them. Whether something changed, and whether not all of
    /// it could.
    fn lay_out(&mut self) -> Result<(bool, bool), Halt> {
        if !self.allows(&Whitespace) {
            return Ok((false, false));
        }
        let plans = self.sequences_of(&Whitespace);
        let Some(last) = plans.last().cloned() else { return Ok((false, false)) };
        self.session.enter_pass(Whitespace.name(), self.round)?;
        self.session.keep_shape(true);
        let mut changed = false;
        for plan in &plans {
            changed = changed || self.all_at_once(plan)?;
        }
        let is_refused = !changed;
        let changed = changed || self.one_by_one(last, NEEDED_GAPS)?;
        self.session.keep_shape(false);
        self.rebase()?;
        Ok((changed, is_refused))
    }

    /// Whether a comment has stayed.
    fn has_comments(&self) -> bool {
        let Some(tools) = &self.tools else { return false };
        let document = self.current().document();
        document.ids().any(|id| tools.grammar.is_comment(document.node(id).kind))
    }

    /// What cannot go because something else would move becomes blanks, and then there are as few of these as can be.
    fn blank(&mut self) -> Result<bool, Halt> {
        if self.tools.is_none() || !self.allows(&Blanks) {
            return Ok(false);
        }
        let before = Arc::clone(self.session.best());
        self.session.enter_pass(Blanks.name(), self.round)?;
        let mut level = 0;
        while let Some(units) = self.units_of_level(level) {
            let units = Sequence::of(list_kind::LAYOUT, units);
            self.change(Some(units), usize::MAX)?;
            level += 1;
        }
        for pass in [blank_characters, name_characters] {
            let Some(tools) = &self.tools else { break };
            self.change(pass(self.current().document(), tools.grammar), usize::MAX)?;
        }
        let (format, ends_line) = (self.options.format, self.ends_line);
        if let Some(tools) = &self.tools {
            let plan = layout(self.current().document(), tools.grammar, format, false, ends_line);
            let gaps = plan.as_ref().and_then(gap_characters);
            self.session.keep_shape(true);
            self.change(gaps, NEEDED_BLANKS)?;
            self.session.keep_shape(false);
        }
        Ok(before != *self.session.best())
    }

    /// All units of the lists of one level, to become blanks; `None` below the last level.
    fn units_of_level(&mut self, level: u32) -> Option<Vec<Unit>> {
        let tools = self.tools.as_mut()?;
        let document = self.session.current().document();
        let nodes: Vec<_> = document.ids().filter(|&id| document.depth(id) == level).collect();
        let mut units = Vec::new();
        for &node in &nodes {
            let list = siblings(document, tools.grammar, &mut tools.shapes, node, |_| false);
            units.extend(list.into_iter().flat_map(|list| list.units));
        }
        let units = units.iter().map(|unit| blanked(document, tools.grammar, unit)).collect();
        (!nodes.is_empty()).then_some(units)
    }

    /// Makes the changes of a sequence that can be made, until `most_needed` were found impossible.
    fn change(&mut self, changes: Option<Sequence>, most_needed: usize) -> Result<(), Halt> {
        let Some(changes) = changes.and_then(|changes| self.current().spare(changes)) else { return Ok(()) };
        let mut sweep = self.new_sweep(changes);
        sweep.pursue(&mut self.session, most_needed)?;
        self.rebase()
    }

    /// Makes all changes of a sequence in one test.
    fn all_at_once(&mut self, changes: &Sequence) -> Result<bool, Halt> {
        let changed = first_interesting(&mut self.session, 1, "everything", |_, current| {
            current.candidate(changes.units.iter().map(|unit| &unit.removal), false)
        })?;
        Ok(changed.is_some())
    }

    /// Makes the changes of a sequence that can be made, until some were found impossible. What is
    /// learnt of them is no evidence for what may go.
    fn one_by_one(&mut self, changes: Sequence, most_needed: usize) -> Result<bool, Halt> {
        if changes.units.len() < 2 {
            return Ok(false);
        }
        let mut sweep = self.new_sweep(changes);
        sweep.pursue(&mut self.session, most_needed)?;
        Ok(sweep.removed_count() > 0)
    }
}
