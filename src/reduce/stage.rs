//! The common road of all passes: they see the text as it is, what they propose as sequences is swept, and their single
//! edits are asked about by expected gain.

use std::collections::HashSet;

use crate::exec::key;
use crate::passes::{
    Alternative, Coupled, Facts, Pass, Proposals, Remembered, Sequence, Stage, Style, Tree, View, Wanted, proposals,
};

use super::gain::is_no_loss;
use super::halt::Halt;
use super::reducer::Reducer;
use super::sweep::Sweep;

impl<'a> Reducer<'a, '_> {
    /// The passes that are wanted and say this of themselves, in the order in which they have their turn.
    pub(super) fn passes(&self, say: impl Fn(Facts) -> bool) -> Vec<&'a dyn Pass> {
        let options = self.options;
        options.passes.all().filter(|pass| say(pass.facts()) && self.allows(*pass)).collect()
    }

    /// Shows the text as it is.
    pub(super) fn with_view<T>(&mut self, show: impl FnOnce(&mut View<'_>) -> T) -> T {
        let style = Style { prefer: self.options.prefer, format: self.options.format, ends_line: self.ends_line };
        let session = &self.session;
        let current = session.current();
        let refused = |ask, node| session.is_refused(ask, node);
        let settled = |memo| session.is_proposal_refused(memo);
        let (options, unused, used) = (self.options, &self.unused, self.tools.as_ref().map(|tools| tools.grammar));
        let standing = |kind| unused.standing(used, kind);
        let allows = |name: &str| options.passes.allow(name) && !session.skips(name);
        let tree = self
            .tools
            .as_mut()
            .map(|tools| Tree::new(current.document(), tools.grammar, &tools.brackets, &mut tools.shapes, &refused));
        let (text, part) = (current.source(), current.part());
        show(&mut View {
            text,
            part,
            tree,
            style,
            wanted: Wanted::Everything,
            settled: &settled,
            occurrences: Default::default(),
            standing: &standing,
            allows: &allows,
        })
    }

    /// Gives the passes of a stage their turn: what they propose as sequences is swept, and if nothing goes, single edits
    /// are made, those with the greatest expected gain first. `true` if something was found.
    pub(super) fn turn(&mut self, stage: Stage) -> Result<bool, Halt> {
        let passes = self.passes(|facts| facts.has_turn_in(stage));
        self.turn_of(stage, stage.name(), &passes)
    }

    /// Gives each pass of some stages that the driver does not lead its turn by itself, as long as it finds something;
    /// `true` if one of them did.
    pub(super) fn turns(&mut self, stages: impl Fn(Stage) -> bool) -> Result<bool, Halt> {
        let passes = self.passes(|facts| !facts.is_led && stages(facts.stage));
        self.turn_of_each(&passes)
    }

    /// Gives the edits of other passes with what nothing refers to then their turn.
    pub(super) fn turn_of_coupled(&mut self) -> Result<bool, Halt> {
        if self.allows(&Coupled) { self.turn_of(Stage::Tokens, Coupled.name(), &[&Coupled]) } else { Ok(false) }
    }

    /// The same for the caller's own passes only.
    pub(super) fn turns_of_own(&mut self, stages: impl Fn(Stage) -> bool) -> Result<bool, Halt> {
        let options = self.options;
        let own: Vec<_> =
            options.passes.own().filter(|pass| stages(pass.facts().stage) && self.allows(*pass)).collect();
        self.turn_of_each(&own)
    }

    fn turn_of_each(&mut self, passes: &[&'a dyn Pass]) -> Result<bool, Halt> {
        let before = self.weight();
        for pass in passes {
            loop {
                let before = self.weight();
                // Edits that make nothing smaller would be made for ever.
                if !self.turn_of(pass.facts().stage, pass.name(), &[*pass])? || self.weight() >= before {
                    break;
                }
            }
        }
        Ok(self.weight() < before)
    }

    fn turn_of(&mut self, stage: Stage, name: &'static str, passes: &[&'a dyn Pass]) -> Result<bool, Halt> {
        let (swept, mut alternatives) = self.proposals(passes);
        let mut found = false;
        for (pass, sequences) in swept {
            found |= self.sweep_all(pass, sequences)?;
        }
        if found {
            return Ok(true);
        }
        if !alternatives.is_empty() {
            self.session.enter_pass(name, self.round)?;
        }
        let mut seen = HashSet::from([key(self.session.best())]);
        while self.edit_round(stage, alternatives)? {
            found = true;
            // Edits that undo each other would be made for ever, and without a test.
            if !seen.insert(key(self.session.best())) {
                break;
            }
            alternatives = self.proposals(passes).1;
        }
        Ok(found)
    }

    /// What some passes propose on the text as it is: the sequences of those that the driver does not lead, and the
    /// single edits that have not been refused.
    pub(super) fn proposals(&mut self, passes: &[&dyn Pass]) -> (Vec<(&'static str, Vec<Sequence>)>, Vec<Alternative>) {
        let made: Vec<_> = self.with_view(|view| {
            let propose = |pass: &&dyn Pass| {
                let facts = pass.facts();
                view.wanted = if facts.is_led { Wanted::Alternatives } else { Wanted::Everything };
                let Proposals { sequences, alternatives } = proposals(*pass, view);
                ((facts.name, if facts.is_led { Vec::new() } else { sequences }), alternatives)
            };
            passes.iter().map(propose).collect()
        });
        let (sequences, alternatives): (Vec<_>, Vec<Vec<_>>) = made.into_iter().unzip();
        let mut all = alternatives.concat();
        let (current, prefer) = (self.current(), self.options.prefer);
        all.retain(|a| !current.edits_touch_kept(&a.edits) && is_no_loss(prefer, current.source(), a));
        let is_settled = |a: &Alternative| {
            self.session.is_proposal_refused(a.memo)
                && (self.second_look.is_none() || self.session.is_proposal_refused_now(a.memo))
        };
        all.retain(|a| !is_settled(a));
        (sequences, all)
    }

    /// The sequences that a pass proposes, which may have its turn or not.
    pub(super) fn sequences_of(&mut self, pass: &dyn Pass) -> Vec<Sequence> {
        self.with_view(|view| {
            view.wanted = Wanted::Sequences;
            proposals(pass, view).sequences
        })
    }

    /// Sweeps over the sequences that a pass proposes, if it has its turn; `true` if something went.
    pub(super) fn sweep_over(&mut self, pass: &dyn Pass) -> Result<bool, Halt> {
        if !self.allows(pass) {
            return Ok(false);
        }
        let sequences = self.sequences_of(pass);
        self.sweep_all(pass.name(), sequences)
    }

    /// Sweeps over sequences that a pass has made of the text as it is, one after the other; `true` if something went.
    pub(super) fn sweep_all(&mut self, pass: &'static str, sequences: Vec<Sequence>) -> Result<bool, Halt> {
        let sequences: Vec<_> = sequences.into_iter().filter_map(|sequence| self.worth_asking(sequence)).collect();
        if sequences.is_empty() {
            return Ok(false);
        }
        self.session.enter_pass(pass, self.round)?;
        let mut found = false;
        for sequence in sequences {
            let mut sweep = self.new_sweep(sequence);
            self.finish(&mut sweep)?;
            self.remember(&mut sweep);
            found |= sweep.removed_count() > 0;
        }
        self.rebase()?;
        Ok(found)
    }

    /// A sequence without what was refused when the text was not much larger, and without what the user wants kept;
    /// `None` if nothing else is in it.
    fn worth_asking(&self, mut sequence: Sequence) -> Option<Sequence> {
        let is_new = |memo: &u64| !self.session.is_proposal_refused(*memo);
        match &sequence.remembered {
            Remembered::Units(memos) => {
                let keep: Vec<_> = memos.iter().map(is_new).collect();
                sequence.retain(&keep);
            }
            Remembered::Whole(memos) if !memos.iter().any(is_new) => return None,
            Remembered::None | Remembered::Nodes(..) | Remembered::Whole(_) => {}
        }
        self.current().spare(sequence)
    }

    /// Takes note of what was refused in a sweep.
    fn remember(&mut self, sweep: &mut Sweep) {
        let tokens = self.tokens();
        let (kept, removed): (Vec<usize>, _) = (sweep.kept().collect(), sweep.removed_count());
        match &sweep.sequence.remembered {
            Remembered::None => {}
            Remembered::Nodes(ask, nodes) => kept.iter().for_each(|unit| self.session.refuse(*ask, nodes[*unit])),
            Remembered::Units(memos) => kept.iter().for_each(|unit| self.session.refuse_proposal(memos[*unit], tokens)),
            Remembered::Whole(memos) if removed == 0 => {
                memos.iter().for_each(|memo| self.session.refuse_proposal(*memo, tokens));
            }
            Remembered::Whole(_) => {}
        }
    }
}
