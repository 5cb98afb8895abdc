//! Gives passes their view of the text, and collects their proposals.

use crate::gain::is_no_loss;
use crate::reducer::Reducer;
use lop_passes::{
    Alternative, Facts, FilesOf, Pass, Proposals, Sequence, Style, Tree, View, Wanted, proposals as proposals_of_pass,
};

/// Returns the enabled passes with this property, in the order of their turns.
pub(super) fn passes<'a>(reducer: &Reducer<'a, '_>, say: impl Fn(Facts) -> bool) -> Vec<&'a dyn Pass> {
    let options = reducer.options;
    options.passes.all().filter(|pass| say(pass.facts()) && reducer.allows(*pass)).collect()
}

/// Shows the text as it is.
pub(super) fn with_view<T>(reducer: &mut Reducer<'_, '_>, show: impl FnOnce(&mut View<'_>) -> T) -> T {
    let style =
        Style { prefer: reducer.options.prefer, format: reducer.options.format, ends_line: reducer.ends_line() };
    let session = &reducer.session;
    let current = session.current();
    let refused = |ask, node| session.is_refused(ask, node);
    let settled = |memo| session.is_proposal_refused(memo);
    let (options, unused, used) =
        (reducer.options, &reducer.evidence.unused, reducer.tools.as_ref().map(|tools| tools.grammar));
    let tolerance = |kind| unused.tolerance(used, kind);
    let allows = |name: &str| options.passes.allow(name) && !session.skips(name);
    let project = reducer.project;
    let grammar_of = |path: &[u8]| project.and_then(|project| project.grammar_of(path));
    let tree = reducer
        .tools
        .as_mut()
        .map(|tools| Tree::new(current.document(), tools.grammar, &tools.brackets, &mut tools.shapes, &refused));
    let (text, parts) = (current.source(), current.parts());
    let mut view = View::of_text(text).answering(&settled, &tolerance, &allows);
    view.parts = parts;
    view.files = reducer.project.map(|project| FilesOf { archive: project.archive(), grammar: &grammar_of });
    view.tree = tree;
    view.style = style;
    show(&mut view)
}

/// Returns the proposals of some passes on the current text: the sequences of those that the driver doesn't lead, and
/// the single edits that haven't been refused.
pub(super) fn proposals(
    reducer: &mut Reducer<'_, '_>,
    passes: &[&dyn Pass],
) -> (Vec<(&'static str, Vec<Sequence>)>, Vec<Alternative>) {
    let made: Vec<_> = with_view(reducer, |view| {
        let propose = |pass: &&dyn Pass| {
            let facts = pass.facts();
            view.wanted = if facts.is_led() { Wanted::Alternatives } else { Wanted::Everything };
            let Proposals { sequences, alternatives } = proposals_of_pass(*pass, view);
            ((facts.name, if facts.is_led() { Vec::new() } else { sequences }), alternatives)
        };
        passes.iter().map(propose).collect()
    });
    let (sequences, alternatives): (Vec<_>, Vec<Vec<_>>) = made.into_iter().unzip();
    let mut all = alternatives.concat();
    let (current, prefer) = (reducer.current(), reducer.options.prefer);
    all.retain(|a| !current.edits_touch_kept(&a.edits) && is_no_loss(prefer, current.source(), a));
    let is_settled = |a: &Alternative| {
        reducer.session.is_proposal_refused(a.memo)
            && (reducer.second_looks.left.is_none() || reducer.session.is_proposal_refused_now(a.memo))
    };
    all.retain(|a| !is_settled(a));
    (sequences, all)
}

/// Returns the sequences that a pass proposes, whether or not it is enabled.
pub(super) fn sequences_of(reducer: &mut Reducer<'_, '_>, pass: &dyn Pass) -> Vec<Sequence> {
    with_view(reducer, |view| {
        view.wanted = Wanted::Sequences;
        proposals_of_pass(pass, view).sequences
    })
}
