//! Parts of the text that are in another language, such as a script in a page. When nothing more goes of the text itself
//! each of them is worked on like a text of its own, with all that stands around it as it is.

use std::ops::Range;
use std::sync::Arc;

use crate::grammar::{Embedded, Grammar};
use crate::passes::{Comments, Tokens};
use crate::syntax::{Document, ParseError};

use super::event::Event;
use super::gate::Gate;
use super::halt::Halt;
use super::learnt::Learnt;
use super::memory::memo;
use super::options::Effort;
use super::parsing::{Tools, parser, tools};
use super::reducer::{MAX_ROUNDS, Reducer};

impl<'g> Reducer<'_, 'g> {
    /// Works on each part that is in another language and may have become smaller than it was left; `true` if the text
    /// has changed.
    pub(super) fn embedded(&mut self) -> Result<bool, Halt> {
        let before = Arc::clone(self.session.best());
        while let Some((part, embedded)) = self.next_embedded() {
            self.reduce_part(&part, embedded)?;
        }
        Ok(before != *self.session.best())
    }

    /// The first part that has not been worked on as it is.
    fn next_embedded(&self) -> Option<(Range<usize>, &'g Embedded)> {
        let grammar = self.tools.as_ref().filter(|tools| tools.grammar.embeds())?.grammar;
        let document = self.current().document();
        document.ids().find_map(|id| {
            let (node, parent) = (document.node(id), document.node(document.parent(id)?));
            let (part, before) = (node.range(), &document.source()[parent.range().start..node.range().start]);
            let embedded = grammar.embedded(node.kind, parent.kind, before)?;
            let is_settled = self.session.is_proposal_refused(memo(("embedded", document.text(id))));
            let is_cut = |kept: &Range<usize>| {
                kept.start < part.start && part.start < kept.end || kept.start < part.end && part.end < kept.end
            };
            let is_free = !self.current().best().kept.iter().any(is_cut);
            (!part.is_empty() && !is_settled && is_free).then_some((part, embedded))
        })
    }

    fn reduce_part(&mut self, part: &Range<usize>, embedded: &'g Embedded) -> Result<(), Halt> {
        let tokens = self.tokens();
        let host = self.tools.take().expect("the part is one of a tree");
        let behind = self.session.best().len() - part.end;
        let new = || Learnt::nothing(part.len());
        let mut learnt = self.learnt.remove(embedded.language()).unwrap_or_else(new);
        self.change_to(&mut learnt);
        self.session.enter_part(part, embedded.grammar());
        self.plant_part(part, embedded.grammar().map(|grammar| &**grammar));
        // Each part has rounds of its own, and takes none from the rest.
        let round = std::mem::take(&mut self.round);
        let result = self.shrink_part();
        self.round = round;
        self.session.leave_part();
        self.change_to(&mut learnt);
        self.learnt.insert(embedded.language().to_owned(), learnt);
        match result {
            Ok(()) => {
                let best = Arc::clone(self.session.best());
                let memo = memo(("embedded", &best[part.start..best.len() - behind]));
                self.session.refuse_proposal(memo, tokens);
                self.go_back(host)
            }
            Err(halt) => {
                self.tools = Some(host);
                Err(halt)
            }
        }
    }

    /// What was learnt of one language takes the place of what was learnt of the other.
    fn change_to(&mut self, learnt: &mut Learnt) {
        std::mem::swap(&mut self.knowledge, &mut learnt.knowledge);
        std::mem::swap(&mut self.kinds, &mut learnt.kinds);
        std::mem::swap(&mut self.classes, &mut learnt.classes);
        std::mem::swap(&mut self.unused, &mut learnt.unused);
        self.session.swap_proposals(&mut learnt.refusals);
    }

    /// Makes the tree of a part, if it can have one.
    fn plant_part(&mut self, part: &Range<usize>, grammar: Option<&'g Grammar>) {
        let best = Arc::clone(self.session.best());
        let planted = grammar.map(|grammar| {
            let new = || Ok::<_, ParseError>(parser(grammar, &self.stop)?.inside(part.start, best.len() - part.end));
            parser(grammar, &self.stop)?.try_parts(&best[part.clone()])?;
            let mut own = new()?;
            let document = Document::parse(&mut own, Arc::clone(&best))?;
            Ok::<_, ParseError>((document, Tools { parser: own, ..tools(grammar, &self.stop)? }, new()?))
        });
        if let Some(Ok((document, mut tools, gate))) = planted {
            tools.brackets.learn(&document);
            let gate = (!self.options.allow_syntax_errors).then(|| Gate::new(gate, &document, None, false));
            self.session.plant(document, tools.grammar, gate);
            self.tools = Some(tools);
        }
    }

    /// The whole text is worked on again.
    fn go_back(&mut self, mut host: Tools<'g>) -> Result<(), Halt> {
        let best = Arc::clone(self.session.best());
        match Document::parse(&mut host.parser, best).and_then(|it| Ok((it, parser(host.grammar, &self.stop)?))) {
            Ok((document, gate)) => self.plant(document, host, gate),
            Err(_) => {
                self.session.check_limits()?;
                self.session.emit(&Event::Note("the best result does not parse any more; going on with text"))?;
            }
        }
        Ok(())
    }

    fn shrink_part(&mut self) -> Result<(), Halt> {
        if self.tools.is_some() {
            self.skippable(|reducer| reducer.sweep_over(&Comments))?;
        }
        if self.tools.is_some() && self.options.effort == Effort::Fast {
            self.round += 1;
            self.skippable(Self::delete)?;
            self.skippable(Self::local_edits)?;
            return self.skippable(|reducer| reducer.sweep_over(&Tokens)).map(|_| ());
        }
        while self.tools.is_some() {
            self.round += 1;
            if self.skippable(Self::one_round)? && self.round < MAX_ROUNDS {
                continue;
            }
            if self.tools.is_some() && self.skippable(Self::verify)? && self.round < MAX_ROUNDS {
                continue;
            }
            if self.tools.is_some() {
                self.skippable(Self::write_anew)?;
                return Ok(());
            }
        }
        self.shrink_as_text()
    }

    fn shrink_as_text(&mut self) -> Result<(), Halt> {
        loop {
            self.round += 1;
            let before = self.session.best().len();
            self.sweep_text()?;
            if self.session.best().len() >= before || self.round >= MAX_ROUNDS || self.options.effort == Effort::Fast {
                return Ok(());
            }
        }
    }
}
