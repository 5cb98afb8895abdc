//! Parts that are reduced like separate texts while the text around them stays the same: a script in a page, or the
//! files in one language.

use std::sync::Arc;

use crate::evidence::Evidence;
use crate::gate::Gate;
use crate::interrupt::Interrupt;
use crate::parsing::{Tools, parser, tools};
use crate::reducer::Reducer;
use crate::steps::CLEAN;
use lop_grammar::Grammar;
use lop_passes::clean;
use lop_syntax::{Document, Inside, ParseError};

use super::sweeps::sweep_all;

/// A function that makes a part smaller, with or without a tree.
pub(crate) type Shrink = fn(&mut Reducer<'_, '_>) -> Result<(), Interrupt>;

/// Parts of the text in one language.
pub(super) struct Parts<'g> {
    pub(super) inside: Inside,
    pub(super) language: &'g str,
    /// `None` for plain text.
    pub(super) grammar: Option<&'g Arc<Grammar>>,
    /// Maximum number of leaves for the estimate before the first question.
    pub(super) leaves: usize,
    /// The tokens of all else, and whether they are counted like those of the parts.
    pub(super) around: (usize, bool),
}

/// Makes the parts smaller. Afterwards the whole text is worked on, and has no tree.
pub(super) fn reduce_parts<'g>(
    reducer: &mut Reducer<'_, 'g>,
    parts: Parts<'g>,
    shrink: Shrink,
) -> Result<(), Interrupt> {
    let Parts { inside, language, grammar, leaves, around } = parts;
    let mut evidence = reducer.other_languages.remove(language).unwrap_or_else(|| Evidence::nothing(leaves));
    change_to(reducer, &mut evidence);
    reducer.session.enter_parts(Arc::clone(&inside), grammar, around);
    // Parts have their own rounds, which don't count for the others.
    let round = std::mem::take(&mut reducer.round);
    let cleaned = match grammar {
        Some(grammar) if around.1 => clean_files(reducer, grammar),
        _ => Ok(()),
    };
    let result = cleaned.and_then(|()| {
        plant(reducer, &inside, grammar.map(|grammar| &**grammar), around.1);
        shrink(reducer)
    });
    reducer.round = round;
    reducer.tools = None;
    reducer.session.leave_parts();
    change_to(reducer, &mut evidence);
    reducer.other_languages.insert(language.to_owned(), evidence);
    result
}

/// Removes the text that the languages allow to remove anywhere, before the files have trees.
fn clean_files(reducer: &mut Reducer<'_, '_>, grammar: &Grammar) -> Result<(), Interrupt> {
    if reducer.options.syntax.is_none() && reducer.allows_step(&CLEAN) {
        let sequences = clean(reducer.current().source(), grammar);
        sweep_all(reducer, CLEAN.name, sequences)?;
    }
    Ok(())
}

/// Replaces the evidence of one language by that of another.
fn change_to(reducer: &mut Reducer<'_, '_>, evidence: &mut Evidence) {
    std::mem::swap(&mut reducer.evidence, evidence);
    // The session has the refusals of the language that is worked on.
    std::mem::swap(&mut reducer.evidence.refusals, &mut evidence.refusals);
    reducer.session.swap_proposals(&mut evidence.refusals);
}

/// Makes the tree of the parts, if possible, and counts its tokens if all else is counted by tokens.
fn plant<'g>(reducer: &mut Reducer<'_, 'g>, inside: &Inside, grammar: Option<&'g Grammar>, is_counted_alike: bool) {
    let best = Arc::clone(reducer.session.best());
    let planted = grammar.map(|grammar| {
        let new = || Ok::<_, ParseError>(parser(grammar, &reducer.stop)?.inside(inside));
        let parts = inside(&best);
        if parts.iter().map(std::ops::Range::len).sum::<usize>() > reducer.options.max_parse() {
            return Err(ParseError::TooHard);
        }
        let text: Vec<u8> = parts.into_iter().flat_map(|part| best[part].to_vec()).collect();
        parser(grammar, &reducer.stop)?.try_parts(&text)?;
        let mut own = new()?;
        let document = Document::parse(&mut own, Arc::clone(&best))?;
        let tools = tools(grammar, &reducer.stop)?;
        let tools = Tools { parser: own, shapes: tools.shapes.of_parts(new()?), ..tools };
        Ok::<_, ParseError>((document, tools, new()?))
    });
    if let Some(Ok((document, mut tools, gate))) = planted {
        tools.brackets.learn(&document);
        let gate = (!reducer.options.allow_syntax_errors).then(|| Gate::new(gate, &document, None, false));
        reducer.session.plant(document, tools.grammar, gate);
        if is_counted_alike {
            reducer.session.count_tokens();
        }
        reducer.tools = Some(tools);
    }
}
