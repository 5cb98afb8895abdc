//! The guarantee of 1-minimality: everything that is left is asked about, one by one, and what is known of each deletion of
//! the result in the end.

use std::collections::HashSet;

use crate::engine::Config;
use crate::passes::{
    Minimality, Pass, Removal, Sequence, Unit, character_units, list_kind, siblings, token_units, tokens,
};
use crate::syntax::Edit;

use super::claims::Claim;
use super::halt::Halt;
use super::options::Minimal;
use super::reducer::Reducer;
use super::sweep::Sweep;

impl Reducer<'_, '_> {
    /// Asks about everything that is left, one by one, until nothing of it can go: the guarantee of
    /// 1-minimality. `true` if something went after all.
    pub(super) fn verify(&mut self) -> Result<bool, Halt> {
        if !self.allows(&Minimality) {
            return Ok(false);
        }
        self.kept_by_timeout.clear();
        self.session.give_second_chances();
        let before = self.weight();
        let mut all = self.units_to_verify(Minimal::Unit);
        all.extend(self.units_to_verify(Minimal::Token));
        // What takes most with it first: less is left to ask about then.
        all.sort_by_key(|unit| std::cmp::Reverse(unit.tokens));
        self.verify_units(list_kind::TOKENS, all)?;
        let characters = self.units_to_verify(Minimal::Char);
        self.verify_units(list_kind::CHARACTERS, characters)?;
        Ok(self.weight() < before)
    }

    fn verify_units(&mut self, kind: u32, units: Vec<Unit>) -> Result<(), Halt> {
        if units.is_empty() {
            return Ok(());
        }
        self.session.enter_pass(Minimality.name(), self.round)?;
        let sequence = Sequence::of(kind, units);
        let config = Config { theta: Some(0.0), ..self.config() };
        let mut sweep = Sweep::verification(sequence, &config, &self.knowledge, self.options.order, self.options.seed);
        self.finish(&mut sweep)?;
        for unit in sweep.kept_by_timeout() {
            self.kept_by_timeout.push(self.text_of(&sweep.sequence.units[unit].removal));
        }
        self.rebase()
    }

    /// Everything of a level that the guarantee is about, one by one; nothing of a level that it is not about.
    pub(super) fn units_to_verify(&mut self, level: Minimal) -> Vec<Unit> {
        let minimal = self.minimal();
        let is_wanted = match level {
            // Text has one level only.
            Minimal::Char => minimal == Minimal::Char || (self.tools.is_none() && minimal != Minimal::None),
            _ => minimal >= level && self.tools.is_some(),
        };
        match level {
            Minimal::Unit if is_wanted => self.all_units(),
            Minimal::Token if is_wanted => self.all_tokens(),
            Minimal::Char if is_wanted => {
                let all = 0..self.current().source().len();
                let characters = self.spared(character_units(self.current().source(), std::slice::from_ref(&all)));
                characters.map(|c| c.units).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// Every token.
    fn all_tokens(&self) -> Vec<Unit> {
        let Some(tools) = &self.tools else { return Vec::new() };
        let mut leaves: Vec<_> = tokens(self.current().document(), tools.grammar).collect();
        leaves.retain(|leaf| !self.current().node_is_kept(*leaf));
        token_units(self.current().document(), &leaves).map(|list| list.units).unwrap_or_default()
    }

    /// Every unit of every list, outer ones before inner ones.
    fn all_units(&mut self) -> Vec<Unit> {
        let Some(tools) = self.tools.as_mut() else { return Vec::new() };
        let current = self.session.current();
        let document = current.document();
        let mut units = Vec::new();
        for node in document.ids() {
            let list = siblings(document, tools.grammar, &mut tools.shapes, node, |unit| current.node_is_kept(unit));
            units.extend(list.into_iter().flat_map(|l| l.units));
        }
        units
    }

    fn text_of(&self, removal: &Removal) -> String {
        let source = self.current().source();
        let text = match removal {
            Removal::Nodes(nodes) => {
                nodes.iter().flat_map(|n| self.current().document().text(*n).to_vec()).collect::<Vec<_>>()
            }
            Removal::Edits(edits) => edits.iter().flat_map(|e: &Edit| source[e.start..e.end].to_vec()).collect(),
        };
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The deletions that show that the finished result is 1-minimal. None where nothing is guaranteed.
    pub(super) fn claims(&mut self) -> Vec<Claim> {
        if self.current().is_edited() {
            return Vec::new();
        }
        let mut seen = HashSet::new();
        let mut claims = Vec::new();
        for level in [Minimal::Unit, Minimal::Token, Minimal::Char] {
            for Unit { removal, .. } in self.units_to_verify(level) {
                let (rendering, is_allowed) = self.current().rendering(&removal);
                let changes = Claim::changes(&rendering, self.current().source().len());
                if is_allowed && !changes.is_empty() && seen.insert(blake3::hash(&rendering.text)) {
                    let known = self.session.record(&rendering.text);
                    claims.push(Claim { level, changes, known });
                }
            }
        }
        claims
    }
}
