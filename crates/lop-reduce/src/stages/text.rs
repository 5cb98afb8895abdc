//! Lines, words and characters: of a text without a tree, of one that is too large for a tree, and of tokens.

use crate::interrupt::Interrupt;
use crate::memory::memo;
use crate::reducer::Reducer;
use lop_grammar::Grammar;
use lop_passes::{Blanks, Characters, Lines, Pass, Sequence, Words, blank_words, comment_lines, comment_words};
use lop_syntax::Document;

use super::proposals::sequences_of;
use super::sweeps::sweep_over;

/// Units found needed after which a sweep over lines or words looks whether the text is short enough.
const LINES_SLICE: usize = 64;

/// Works on lines, then on words, until the text is at most `most` bytes long or no more go.
pub(crate) fn shrink_until(reducer: &mut Reducer<'_, '_>, most: usize) -> Result<(), Interrupt> {
    shrink_by(reducer, &Lines, most)?;
    shrink_by(reducer, &Words, most)
}

fn shrink_by(reducer: &mut Reducer<'_, '_>, pass: &dyn Pass, most: usize) -> Result<(), Interrupt> {
    if reducer.session.size().bytes > most {
        reducer.session.enter_pass(pass.name(), 0)?;
    }
    while reducer.session.size().bytes > most {
        let before = reducer.weight();
        let sequence = sequences_of(reducer, pass).pop();
        let Some(sequence) = reducer.spared(sequence) else { break };
        let mut sweep = reducer.new_sweep(sequence);
        while !sweep.is_finished() && reducer.session.size().bytes > most {
            let needed = sweep.needed();
            let result = sweep.pursue(&mut reducer.session, needed + LINES_SLICE);
            sweep.teach(&mut reducer.evidence.knowledge);
            result?;
        }
        reducer.rebase()?;
        if reducer.weight() >= before {
            break;
        }
    }
    Ok(())
}

/// The lines, the words and the characters of a text without a tree.
pub(crate) fn sweep_text(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    for pass in [&Lines as &dyn Pass, &Words, &Characters] {
        sweep_over(reducer, pass)?;
    }
    Ok(())
}

/// The characters of ERROR regions, literals, comments and leftovers.
pub(crate) fn sweep_characters(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    // A comment that has to stay may be a page long.
    comments_inside(reducer, &Characters, comment_lines)?;
    comments_inside(reducer, &Characters, comment_words)?;
    // If only its width matters, a question for each of its characters would be wasted.
    comments_inside(reducer, &Blanks, blank_words)?;
    // A blank that is removed later would make all other characters be tested again.
    if reducer.is_of_any_text() {
        sweep_over(reducer, &Words)?;
    }
    sweep_over(reducer, &Characters)
}

/// Tries a pass's changes in all comments, unless they were refused when the text was not much larger.
fn comments_inside(
    reducer: &mut Reducer<'_, '_>,
    pass: &dyn Pass,
    parts: fn(&Document, &Grammar) -> Option<Sequence>,
) -> Result<(), Interrupt> {
    let Some(tools) = reducer.tools.as_ref().filter(|_| reducer.allows(pass)) else { return Ok(()) };
    let Some(sequence) = reducer.spared(parts(reducer.current().document(), tools.grammar)) else { return Ok(()) };
    let memo = memo(("comments", pass.name(), sequence.kind));
    if reducer.session.is_proposal_refused(memo) {
        return Ok(());
    }
    reducer.session.enter_pass(pass.name(), reducer.round)?;
    let mut sweep = reducer.new_sweep(sequence);
    reducer.finish(&mut sweep)?;
    reducer.session.refuse_proposal(memo, reducer.tokens());
    reducer.rebase()
}
