//! The text that the session works on, or a part of it, with its tree and its gate.

use std::sync::Arc;

use super::Session;
use crate::gate::Gate;
use crate::size::Size;
use lop_grammar::Grammar;
use lop_syntax::{Document, Inside, ParseError, SyntaxParser};

impl<'g> Session<'_, 'g> {
    /// The best result has this tree from now on. With a gate, candidates that are not cleared are parsed.
    pub(crate) fn plant(&mut self, document: Document, grammar: &'g Grammar, gate: Option<Gate>) {
        self.set_gate(gate);
        self.memory.forget_nodes();
        self.current.plant(document, grammar);
    }

    /// Takes note of the tokens of the best result's tree.
    pub(crate) fn count_tokens(&mut self) {
        self.current.count_tokens();
    }

    /// Estimates the size of the new best result after it is parsed again; `said` is the number of its tokens as the
    /// search has counted them. The search continues with its own count.
    pub(super) fn recounted(&mut self, size: Size, said: Option<usize>, text: &Arc<[u8]>) -> Size {
        let counted = said.zip(self.gate.as_mut().and_then(|gate| gate.tokens(text)));
        let tokens = counted.map_or(size.tokens, |(said, counted)| (size.tokens + counted).saturating_sub(said));
        Size { tokens, ..size }
    }

    /// Restarts from the best result, as text without a tree.
    pub(crate) fn forget_tree(&mut self) {
        self.set_gate(None);
        self.memory.forget_nodes();
        self.current.forget_tree();
    }

    /// Goes on from the best result without pending edits. Where there was a tree the best result is parsed.
    ///
    /// # Errors
    /// When it cannot be parsed; it is text without a tree then.
    pub(crate) fn rebase(&mut self, parser: Option<&mut SyntaxParser>) -> Result<(), ParseError> {
        let Some(parser) = parser else {
            self.current.rebase_text();
            return Ok(());
        };
        if !self.current.is_edited() {
            return Ok(());
        }
        let known = self.gate.as_mut().and_then(|gate| gate.hand_over(&self.current.best().text));
        let current = &mut self.current;
        self.memory.change_tree(|nodes| current.rebase(parser, known, nodes))?;
        self.current.count_tokens();
        if let Some(gate) = &mut self.gate {
            gate.adopt(self.current.document());
        }
        Ok(())
    }

    /// From now on some parts of the best result are worked on that are in this language (`None` is plain text). They have no
    /// tree yet. `around` and `is_counted_alike` are as for [`Current::enter`](crate::current::Current::enter).
    pub(crate) fn enter_parts(
        &mut self,
        inside: Inside,
        grammar: Option<&Arc<Grammar>>,
        (around, is_counted_alike): (usize, bool),
    ) {
        self.set_gate(None);
        self.memory.forget_nodes();
        self.current.enter(inside, around, is_counted_alike);
        self.statistics.rules.change_to(grammar);
    }

    /// From now on the whole text is worked on again. It has no tree yet.
    pub(crate) fn leave_parts(&mut self) {
        self.forget_tree();
        self.statistics.rules.change_back();
    }

    /// Has candidates that are not cleared parsed from now on (or no longer).
    pub(crate) fn set_gate(&mut self, gate: Option<Gate>) {
        self.statistics.gate_steps = self.gate_steps();
        self.gate = gate;
    }

    /// Accepts candidates with new syntax errors from now on, including refused ones. Returns `false` if there were
    /// none, or the user demands a kind of syntax.
    pub(crate) fn open_gate(&mut self) -> bool {
        let opened = self.gate.as_mut().is_some_and(Gate::open);
        if opened {
            self.memory.forget_unparsed();
        }
        opened
    }

    /// From now on candidates with more syntax errors than the best result has are refused again.
    pub(crate) fn close_gate(&mut self) {
        if let Some(gate) = &mut self.gate {
            gate.close();
        }
    }

    /// Steps that the parser took for the gate.
    pub(crate) fn gate_steps(&self) -> u64 {
        self.statistics.gate_steps + self.gate.as_ref().map_or(0, Gate::steps)
    }

    /// From now on candidates must have the tree that the best result was made from, but for blanks, or need not.
    pub(crate) fn keep_shape(&mut self, keeps: bool) {
        if let Some(gate) = &mut self.gate {
            gate.keep_shape(keeps.then(|| self.current.document()));
        }
    }
}
