//! Parts of the text that are in another language, such as a script in a page. When nothing more goes of the text itself
//! each of them is worked on like a text of its own, with all that stands around it as it is.

use std::ops::Range;
use std::sync::Arc;

use crate::grammar::{Embedded, Grammar};
use crate::reduce::event::Event;
use crate::reduce::evidence::Evidence;
use crate::reduce::gate::Gate;
use crate::reduce::interrupt::Interrupt;
use crate::reduce::memory::memo;
use crate::reduce::parsing::{Tools, parser, tools};
use crate::reduce::reducer::Reducer;
use crate::syntax::{Document, ParseError};

/// A function that makes a part smaller, with or without a tree.
type Shrink = fn(&mut Reducer<'_, '_>) -> Result<(), Interrupt>;

/// Works on each part that is in another language and may have become smaller than it was left; `true` if the text
/// has changed.
pub(crate) fn reduce_parts(reducer: &mut Reducer<'_, '_>, shrink: Shrink) -> Result<bool, Interrupt> {
    let before = Arc::clone(reducer.session.best());
    while let Some((part, embedded)) = next_embedded(reducer) {
        reduce_part(reducer, &part, embedded, shrink)?;
    }
    Ok(before != *reducer.session.best())
}

/// The first part that has not been worked on as it is.
fn next_embedded<'g>(reducer: &Reducer<'_, 'g>) -> Option<(Range<usize>, &'g Embedded)> {
    let grammar = reducer.tools.as_ref().filter(|tools| tools.grammar.embeds())?.grammar;
    let document = reducer.current().document();
    document.ids().find_map(|id| {
        let (node, parent) = (document.node(id), document.node(document.parent(id)?));
        let (part, before) = (node.range(), &document.source()[parent.range().start..node.range().start]);
        let embedded = grammar.embedded(node.kind, parent.kind, before)?;
        let is_settled = reducer.session.is_proposal_refused(memo(("embedded", document.text(id))));
        let is_cut = |kept: &Range<usize>| {
            kept.start < part.start && part.start < kept.end || kept.start < part.end && part.end < kept.end
        };
        let is_free = !reducer.current().best().kept.iter().any(is_cut);
        (!part.is_empty() && !is_settled && is_free).then_some((part, embedded))
    })
}

fn reduce_part<'g>(
    reducer: &mut Reducer<'_, 'g>,
    part: &Range<usize>,
    embedded: &'g Embedded,
    shrink: Shrink,
) -> Result<(), Interrupt> {
    let tokens = reducer.tokens();
    let host = reducer.tools.take().expect("the part is one of a tree");
    let behind = reducer.session.best().len() - part.end;
    let new = || Evidence::nothing(part.len());
    let mut evidence = reducer.elsewhere.remove(embedded.language()).unwrap_or_else(new);
    change_to(reducer, &mut evidence);
    reducer.session.enter_part(part, embedded.grammar());
    plant_part(reducer, part, embedded.grammar().map(|grammar| &**grammar));
    // Each part has rounds of its own, and takes none from the rest.
    let round = std::mem::take(&mut reducer.round);
    let result = shrink(reducer);
    reducer.round = round;
    reducer.session.leave_part();
    change_to(reducer, &mut evidence);
    reducer.elsewhere.insert(embedded.language().to_owned(), evidence);
    match result {
        Ok(()) => {
            let best = Arc::clone(reducer.session.best());
            let memo = memo(("embedded", &best[part.start..best.len() - behind]));
            reducer.session.refuse_proposal(memo, tokens);
            go_back(reducer, host)
        }
        Err(interrupt) => {
            reducer.tools = Some(host);
            Err(interrupt)
        }
    }
}

/// The evidence of one language takes the place of that of the other.
fn change_to(reducer: &mut Reducer<'_, '_>, evidence: &mut Evidence) {
    std::mem::swap(&mut reducer.evidence, evidence);
    // The session has the refusals of the language that is worked on.
    std::mem::swap(&mut reducer.evidence.refusals, &mut evidence.refusals);
    reducer.session.swap_proposals(&mut evidence.refusals);
}

/// Makes the tree of a part, if it can have one.
fn plant_part<'g>(reducer: &mut Reducer<'_, 'g>, part: &Range<usize>, grammar: Option<&'g Grammar>) {
    let best = Arc::clone(reducer.session.best());
    let planted = grammar.map(|grammar| {
        let new = || Ok::<_, ParseError>(parser(grammar, &reducer.stop)?.inside(part.start, best.len() - part.end));
        parser(grammar, &reducer.stop)?.try_parts(&best[part.clone()])?;
        let mut own = new()?;
        let document = Document::parse(&mut own, Arc::clone(&best))?;
        Ok::<_, ParseError>((document, Tools { parser: own, ..tools(grammar, &reducer.stop)? }, new()?))
    });
    if let Some(Ok((document, mut tools, gate))) = planted {
        tools.brackets.learn(&document);
        let gate = (!reducer.options.allow_syntax_errors).then(|| Gate::new(gate, &document, None, false));
        reducer.session.plant(document, tools.grammar, gate);
        reducer.tools = Some(tools);
    }
}

/// The whole text is worked on again.
fn go_back<'g>(reducer: &mut Reducer<'_, 'g>, mut host: Tools<'g>) -> Result<(), Interrupt> {
    let best = Arc::clone(reducer.session.best());
    match Document::parse(&mut host.parser, best).and_then(|it| Ok((it, parser(host.grammar, &reducer.stop)?))) {
        Ok((document, gate)) => reducer.plant(document, host, gate),
        Err(_) => {
            reducer.session.check_limits()?;
            reducer.session.emit(&Event::Note("the best result does not parse any more; going on with text"))?;
        }
    }
    Ok(())
}
