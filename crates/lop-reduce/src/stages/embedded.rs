//! Parts in another language, such as a script in a page. After the text itself, each part is reduced like a separate
//! text, and the text around it stays the same.

use std::ops::Range;
use std::sync::Arc;

use crate::event::Event;
use crate::interrupt::Interrupt;
use crate::memory::memo;
use crate::parsing::{Tools, parser};
use crate::reducer::Reducer;
use lop_grammar::{Embedded, Grammar};
use lop_syntax::{Document, Inside};

use super::parts::{Parts, Shrink, reduce_parts};

/// Works on each part that is in another language and may have become smaller than it was left; `true` if the text
/// has changed.
pub(crate) fn reduce_embedded(reducer: &mut Reducer<'_, '_>, shrink: Shrink) -> Result<bool, Interrupt> {
    let before = Arc::clone(reducer.session.best());
    while let Some(tools) = &reducer.tools {
        let (grammar, document) = (tools.grammar, reducer.current().document());
        let Some((part, embedded)) = next_embedded(reducer, grammar, document) else { break };
        let around = reducer.tokens().saturating_sub(document.tokens_in(part.clone()));
        let host = reducer.tools.take().expect("the part is one of a tree");
        match reduce_part(reducer, &part, embedded, around, shrink) {
            Ok(()) => go_back(reducer, host)?,
            Err(interrupt) => {
                reducer.tools = Some(host);
                return Err(interrupt);
            }
        }
    }
    Ok(before != *reducer.session.best())
}

/// Reduces the embedded texts in the files of one language, in a test case of several files.
pub(crate) fn reduce_embedded_in_files<'g>(
    reducer: &mut Reducer<'_, 'g>,
    grammar: &'g Grammar,
    inside: &Inside,
    shrink: Shrink,
) -> Result<(), Interrupt> {
    while grammar.embeds() && !inside(reducer.session.best()).is_empty() {
        let best = Arc::clone(reducer.session.best());
        let parser = parser(grammar, &reducer.stop).map(|parser| parser.inside(inside));
        let Ok(document) = parser.and_then(|mut parser| Document::parse(&mut parser, best)) else { break };
        let Some((part, embedded)) = next_embedded(reducer, grammar, &document) else { break };
        let around = reducer.tokens().saturating_sub(document.tokens_in(part.clone()));
        reduce_part(reducer, &part, embedded, around, shrink)?;
    }
    Ok(())
}

/// The first part of a document that has not been worked on as it is.
fn next_embedded<'g>(
    reducer: &Reducer<'_, '_>,
    grammar: &'g Grammar,
    document: &Document,
) -> Option<(Range<usize>, &'g Embedded)> {
    document.ids().filter(|_| grammar.embeds()).find_map(|id| {
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

/// Works on a part; `around` are the tokens of all else.
fn reduce_part<'g>(
    reducer: &mut Reducer<'_, 'g>,
    part: &Range<usize>,
    embedded: &'g Embedded,
    around: usize,
    shrink: Shrink,
) -> Result<(), Interrupt> {
    let tokens = reducer.tokens();
    let (before, behind) = (part.start, reducer.session.best().len() - part.end);
    let inside: Inside = Arc::new(move |text: &[u8]| {
        let end = text.len().checked_sub(behind).filter(|end| before <= *end);
        end.map(|end| before..end).into_iter().collect()
    });
    let parts = Parts {
        inside,
        language: embedded.language(),
        grammar: embedded.grammar(),
        leaves: part.len(),
        around: (around, false),
    };
    reduce_parts(reducer, parts, shrink)?;
    let best = Arc::clone(reducer.session.best());
    let memo = memo(("embedded", &best[before..best.len() - behind]));
    reducer.session.refuse_proposal(memo, tokens);
    Ok(())
}

/// The whole text is worked on again.
fn go_back<'g>(reducer: &mut Reducer<'_, 'g>, mut host: Tools<'g>) -> Result<(), Interrupt> {
    let best = Arc::clone(reducer.session.best());
    match Document::parse(&mut host.parser, best).and_then(|it| Ok((it, parser(host.grammar, &reducer.stop)?))) {
        Ok((document, gate)) => reducer.plant(document, host, gate),
        Err(_) => {
            reducer.session.check_limits()?;
            reducer.session.emit(&Event::Note("the best result does not parse any more; continuing as text"))?;
        }
    }
    Ok(())
}
