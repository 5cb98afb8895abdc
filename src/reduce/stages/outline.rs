//! The first cut of a dense text: large parts of it go before a tree of it is made.
//!
//! tree-sitter's tree of a text with many tokens, as a minified program or a list of short numbers, takes a hundred
//! times as much memory as the text. Where a tree would take too much, halves, quarters and eighths of what could go by
//! the text's [outline](Outline) are asked about first; a tree is then made of what is left.
//!
//! A cut that leaves a new syntax error is not made. Which errors are the text's own would be told by its tree; here it
//! is told by two cuts that have nothing in common, both of which leave the error.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use crate::grammar::Grammar;
use crate::passes::{self, Pass, Removal};
use crate::reduce::halt::Halt;
use crate::reduce::options::Options;
use crate::reduce::ordered::first_interesting;
use crate::reduce::parsing::parser;
use crate::reduce::reducer::Reducer;
use crate::syntax::{
    Beginning, Edit, Errors, Outline, ParseError, Rendering, Stop, SyntaxParser, count_words, error_places,
};

/// Shorter texts have their tree at once, whatever it takes.
const LEAST: usize = 512 << 10;
/// Bytes of memory for each byte of the input, the program's own included. The estimate may be wrong by a sixth.
const ROOM: usize = 68;
/// Memory of the program without a text.
const PROGRAM: usize = 12 << 20;
/// How often the text itself is in memory.
const COPIES: usize = 3;

/// A part is at most this share of the text.
const FINEST: usize = 64;
/// A text is not cut into more shares.
const MOST_SHARES: usize = 8;
/// How often a cut is mended that leaves syntax errors.
const MENDINGS: usize = 5;
/// A syntax error at most this number of bytes from a cut has come with it.
const NEAR: usize = 64;
/// No more cuts are tried when this number of them have left an error elsewhere of which nothing is known.
const MOST_UNKNOWN: usize = 2;
/// Steps of the parser, 10 to 20 µs each, that cuts may take before one of them can be asked about. What is left of an
/// ordinary text of a megabyte takes 10,000 to 40,000.
const MOST_STEPS: usize = 80_000;

/// The outline of a text whose tree would take too much memory; `None` for all others, and where the user has asked for
/// what a cut cannot promise. `beginning` is what is known of the text. [`ParseError::TooHard`] if it has no outline and
/// will have no tree in the steps that are left.
pub(crate) fn outline_if_dense(
    text: &[u8],
    beginning: Option<Beginning>,
    input_len: usize,
    parser: &mut SyntaxParser,
    options: &Options,
) -> Result<Option<Outline>, ParseError> {
    if text.len() < LEAST || options.syntax.is_some() || !options.passes.allow(passes::Outline.name()) {
        return parser.check_left(text.len()).map(|()| None);
    }
    let outline = match Outline::read_behind(beginning, parser, text) {
        // What has no outline may have a tree, unless the parser would be at it until no steps are left.
        Err(ParseError::TooHard) => return parser.check_left(text.len()).map(|()| None),
        other => other?,
    };
    let is_dense = outline.memory() > room(text.len(), input_len);
    Ok(is_dense.then_some(outline))
}

/// Memory that the tree of a text may take.
fn room(len: usize, input_len: usize) -> usize {
    (input_len * ROOM).saturating_sub(PROGRAM + len * COPIES)
}

/// What came of looking for syntax errors that a cut leaves.
enum Cleaned {
    /// It leaves no new one when these parts go.
    Cut(Vec<usize>, Removal),
    /// Too little would go without leaving any.
    TooLittle,
    /// Something is wrong where nothing went, and it may not have been before.
    Unknown,
}

/// What of a text could go, and how much of it has to.
struct Parts<'t> {
    places: Vec<Range<usize>>,
    /// Words of each.
    sizes: Vec<usize>,
    /// Words of the whole text.
    all: usize,
    /// Its tokens.
    tokens: usize,
    /// Words that have to go to make room for a tree of the rest.
    least: usize,
    /// Where the text has syntax errors of its own, as far as they have been met.
    errors: BTreeSet<usize>,
    grammar: &'t Grammar,
    stop: Stop,
    /// Steps that the parser has taken since a cut was asked about.
    steps: usize,
}

/// Cuts the best result down until there is room for its tree, if it goes. `outline` is its outline if that is
/// known; otherwise `parser` reads it.
pub(crate) fn cut_by_outline<'g>(
    reducer: &mut Reducer<'_, 'g>,
    grammar: &'g Grammar,
    outline: Option<Outline>,
    parser: &mut SyntaxParser,
) -> Result<(), Halt> {
    let text = Arc::clone(reducer.session.best());
    let read = match outline {
        Some(outline) => Ok(Some(outline)),
        None => outline_if_dense(&text, None, reducer.input.len, parser, reducer.options),
    };
    // What cannot be parsed is told when all of it is.
    let Ok(Some(outline)) = read else { return Ok(()) };
    if !reducer.allows(&passes::Outline) {
        return Ok(());
    }
    reducer.session.enter_pass(passes::Outline.name(), 0)?;
    let mut places = outline.parts(text.len() / FINEST);
    places.retain(|place| !reducer.current().edits_touch_kept(&[Edit::delete(place.clone())]));
    let mut parts = Parts::new(&text, &outline, places, reducer.input.len, grammar, &reducer.stop);
    // It would be in memory beside the trees of candidates.
    drop(outline);
    cut(reducer, &mut parts)?;
    reducer.rebase()
}

/// Asks for one cut after another, each with what has gone already, until there is room for a tree of the rest;
fn cut(reducer: &mut Reducer<'_, '_>, parts: &mut Parts<'_>) -> Result<(), Halt> {
    // A cut is made of the base, and not of the cut before it: a part that went with that may have to stay in this one.
    let from = Rc::clone(reducer.current().pending());
    let mut unknown = 0;
    let mut gone: Vec<usize> = Vec::new();
    for more in cuts(&parts.sizes, parts.least) {
        let cut: BTreeSet<usize> = gone.iter().chain(&more).copied().collect();
        let least = parts.words(&gone) + 1;
        let (cut, removal) = match clean(reducer, cut.into_iter().collect(), parts, least) {
            Cleaned::Cut(cut, removal) => (cut, removal),
            Cleaned::TooLittle => continue,
            Cleaned::Unknown => {
                reducer.session.check_limits()?;
                unknown += 1;
                if unknown == MOST_UNKNOWN || parts.steps > MOST_STEPS {
                    break;
                }
                continue;
            }
        };
        let accepted = first_interesting(&mut reducer.session, 1, "everything", |_, current| {
            let mut candidate = current.candidate_from(&from, std::iter::once(&removal), true);
            // A text has more words than tokens where strings are long.
            candidate.tokens = Some(parts.tokens * count_words(&candidate.text) / parts.all);
            candidate
        })?;
        parts.steps = 0;
        if accepted.is_some() {
            gone = cut;
            if parts.words(&gone) >= parts.least {
                break;
            }
        }
    }
    Ok(())
}

/// A cut that leaves no new syntax error: where the absence of a part is one, it stays. At least `least` words go.
fn clean(reducer: &Reducer<'_, '_>, mut cut: Vec<usize>, parts: &mut Parts<'_>, least: usize) -> Cleaned {
    for _ in 0..MENDINGS {
        if parts.words(&cut) < least {
            break;
        }
        let removal = parts.removal(&cut);
        if reducer.options.allow_syntax_errors {
            return Cleaned::Cut(cut, removal);
        }
        let (rendering, _) = reducer.current().rendering(&removal);
        let Some(mut errors) = parts.errors_in(&rendering) else { return Cleaned::Unknown };
        errors.retain(|error| !parts.errors.contains(&error.origin));
        if errors.is_empty() {
            return Cleaned::Cut(cut, removal);
        }
        match at_fault(&cut, &parts.places, &rendering, &errors) {
            Ok(stay) => cut.retain(|part| !stay.contains(part)),
            Err(elsewhere) => {
                // It would be in memory beside another one.
                drop(rendering);
                if !learn_errors(reducer, &cut, parts, &elsewhere) {
                    return Cleaned::Unknown;
                }
            }
        }
    }
    Cleaned::TooLittle
}

/// Takes note of those errors that are there, too, when everything else goes; `false` if none is.
fn learn_errors(reducer: &Reducer<'_, '_>, cut: &[usize], parts: &mut Parts<'_>, errors: &[Error]) -> bool {
    let is_near = |part: &Range<usize>| {
        errors.iter().any(|error| part.start <= error.origin + NEAR && error.origin <= part.end + NEAR)
    };
    let others = (0..parts.places.len()).filter(|part| cut.binary_search(part).is_err());
    let others: Vec<usize> = others.filter(|&part| !is_near(&parts.places[part])).collect();
    // Little less than a tree of the whole text would be needed for it.
    if parts.words(&others) * MOST_SHARES < parts.all {
        return false;
    }
    let (rendering, _) = reducer.current().rendering(&parts.removal(&others));
    let found = parts.errors_in(&rendering).unwrap_or_default();
    let found: BTreeSet<usize> = found.into_iter().map(|error| error.origin).collect();
    let known = parts.errors.len();
    parts.errors.extend(errors.iter().map(|error| error.origin).filter(|origin| found.contains(origin)));
    parts.errors.len() > known
}

/// An ERROR or MISSING node in the text after a cut.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Error {
    place: Range<usize>,
    /// Where it begins in the text before the cut.
    origin: usize,
}

impl<'t> Parts<'t> {
    fn new(
        text: &[u8],
        outline: &Outline,
        places: Vec<Range<usize>>,
        input_len: usize,
        grammar: &'t Grammar,
        stop: &Stop,
    ) -> Self {
        let sizes = places.iter().map(|part| count_words(&text[part.clone()])).collect();
        let all = count_words(text);
        let may_stay = all as f64 * room(text.len(), input_len) as f64 / outline.memory() as f64;
        let least = all.saturating_sub(may_stay as usize);
        let (tokens, errors, stop, steps) = (outline.tokens(), BTreeSet::new(), Arc::clone(stop), 0);
        Parts { places, sizes, all, tokens, least, errors, grammar, stop, steps }
    }

    fn words(&self, parts: &[usize]) -> usize {
        parts.iter().map(|&part| self.sizes[part]).sum()
    }

    fn removal(&self, cut: &[usize]) -> Removal {
        Removal::Edits(cut.iter().map(|&part| Edit::delete(self.places[part].clone())).collect())
    }

    /// The syntax errors of a text after a cut; `None` if there is no end to them, or none to looking for them.
    fn errors_in(&mut self, rendering: &Rendering) -> Option<Vec<Error>> {
        if self.steps > MOST_STEPS {
            return None;
        }
        let mut parser = parser(self.grammar, &self.stop).ok()?;
        let tree = parser.parse(&rendering.text);
        self.steps += parser.steps();
        let tree = tree.ok()?;
        self.steps += Errors::of(&tree).steps();
        let kept: Vec<(Range<usize>, usize)> = rendering.kept().collect();
        let with_origin = |place: Range<usize>| {
            let after = kept.partition_point(|&(_, new)| new <= place.start);
            let origin = after.checked_sub(1).map_or(0, |piece| kept[piece].0.start + place.start - kept[piece].1);
            Error { place, origin }
        };
        Some(error_places(&tree).into_iter().map(with_origin).collect())
    }
}

/// The parts that are next to what has become wrong without them, or what is wrong where nothing went.
fn at_fault(
    cut: &[usize],
    parts: &[Range<usize>],
    rendering: &Rendering,
    errors: &[Error],
) -> Result<BTreeSet<usize>, Vec<Error>> {
    // Parts that touch leave one hole.
    let holes: Vec<&[usize]> = cut.chunk_by(|&one, &next| parts[one].end == parts[next].start).collect();
    let kept: Vec<(Range<usize>, usize)> = rendering.kept().collect();
    let place = |hole: &&[usize]| {
        let end = parts[hole[hole.len() - 1]].end;
        let behind = kept.partition_point(|(old, _)| old.start < end);
        kept.get(behind).map_or(rendering.text.len(), |&(_, new)| new)
    };
    let places: Vec<usize> = holes.iter().map(place).collect();
    let (mut stay, mut elsewhere) = (BTreeSet::new(), Vec::new());
    for error in errors {
        let first = places.partition_point(|&place| place + NEAR < error.place.start);
        let after = places.partition_point(|&place| place <= error.place.end + NEAR);
        if first == after {
            elsewhere.push(error.clone());
        }
        for hole in &holes[first..after] {
            stay.extend(hole.first());
            stay.extend(hole.last());
        }
    }
    if elsewhere.is_empty() { Ok(stay) } else { Err(elsewhere) }
}

/// Which parts to take out, in this order: all; all but one share where less would not make room, which is when `least`
/// words go; each half, quarter and eighth. Of those that take as much the last comes first: what comes later in a text
/// needs what comes before it more often than the other way round.
fn cuts(sizes: &[usize], least: usize) -> Vec<Vec<usize>> {
    let total: usize = sizes.iter().sum();
    let all = 0..sizes.len();
    let mut cuts: Vec<Vec<usize>> = vec![all.clone().collect()];
    if least * 2 > total {
        let count = (3..MOST_SHARES).find(|count| total - total / count >= least).unwrap_or(MOST_SHARES);
        let but = |share: Range<usize>| all.clone().filter(|part| !share.contains(part)).collect();
        cuts.extend(shares(sizes, count).into_iter().rev().map(but));
    }
    for count in [2, 4, MOST_SHARES] {
        cuts.extend(shares(sizes, count).into_iter().rev().map(Iterator::collect));
    }
    let mut seen = BTreeSet::new();
    cuts.retain(|cut| seen.insert(cut.clone()));
    cuts
}

/// Cuts a list into runs of about the same size; a part belongs where its middle is.
fn shares(sizes: &[usize], count: usize) -> Vec<Range<usize>> {
    let total: usize = sizes.iter().sum();
    let twice_the_middle = |before: &mut usize, size: &usize| {
        *before += size;
        Some(2 * *before - size)
    };
    let middles: Vec<usize> = sizes.iter().scan(0, twice_the_middle).collect();
    let border = |share: usize| match share {
        _ if share == count => sizes.len(),
        _ => middles.partition_point(|middle| middle * count < 2 * total * share),
    };
    (0..count).map(|share| border(share)..border(share + 1)).filter(|run| !run.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Inline;
    use crate::oracle::Cancel;
    use crate::passes::testing::{Languages, parser};
    use crate::reduce::{Silent, reduce_with};
    use crate::syntax::render;

    #[test]
    fn cuts_are_shares_the_largest_first_and_late_before_early() {
        let cuts = |sizes: &[usize], least| -> Vec<String> {
            let text = |cut: Vec<usize>| cut.iter().map(ToString::to_string).collect();
            cuts(sizes, least).into_iter().map(text).collect()
        };
        let even = [10; 4];
        assert_eq!(cuts(&even, 20), ["0123", "23", "01", "3", "2", "1", "0"]);
        assert_eq!(cuts(&even, 21)[..5], ["0123", "012", "03", "123", "23"], "a third may stay");
        assert_eq!(cuts(&even, 30)[..6], ["0123", "012", "013", "023", "123", "23"]);
        assert_eq!(cuts(&[90, 5, 5], 40), ["012", "12", "0"]);
        assert_eq!(cuts(&[], 1), [""]);
    }

    #[test]
    fn shares_are_about_the_same_size() {
        assert_eq!(shares(&[1; 6], 2), [0..3, 3..6]);
        assert_eq!(shares(&[1; 6], 4), [0..1, 1..3, 3..4, 4..6]);
        assert_eq!(shares(&[5, 1, 1, 1], 2), [0..1, 1..4]);
        assert_eq!(shares(&[1, 1, 0], 2), [0..1, 1..3]);
        assert_eq!(shares(&[], 2).len(), 0);
    }

    fn parts_of<'t>(grammar: &'t Grammar, places: &[Range<usize>]) -> Parts<'t> {
        let (sizes, errors) = (vec![1; places.len()], BTreeSet::new());
        let stop: Stop = Arc::new(|| false);
        let (places, all) = (places.to_vec(), places.len());
        Parts { places, sizes, all, tokens: 0, least: 1, errors, grammar, stop, steps: 0 }
    }

    /// What is said of a text without some of its parts.
    fn blame(text: &str, places: &[Range<usize>], cut: &[usize]) -> Result<Vec<usize>, Vec<usize>> {
        let grammar = Languages.grammar("x.js");
        let mut parts = parts_of(&grammar, places);
        let Removal::Edits(edits) = parts.removal(cut) else { panic!("a text has no nodes to take out") };
        let rendering = render(text.as_bytes(), edits);
        let errors = parts.errors_in(&rendering).expect("a small text has a tree");
        at_fault(cut, places, &rendering, &errors)
            .map(|stay| stay.into_iter().collect())
            .map_err(|elsewhere| elsewhere.into_iter().map(|error| error.origin).collect())
    }

    #[test]
    fn parts_stay_whose_absence_is_wrong() {
        let text = "f();if(a)b();else d();g(h);i(j);";
        let parts = [0..4, 4..13, 13..22, 22..27, 27..32];
        assert_eq!(blame(text, &parts, &[0, 1, 2]), Ok(vec![]));
        assert_eq!(blame(text, &parts, &[1]), Ok(vec![1]));
        assert_eq!(blame(text, &parts, &[0, 1]), Ok(vec![0, 1]), "the first and the last of a hole");
    }

    #[test]
    fn a_text_that_is_wrong_where_nothing_went_is_no_parts_fault() {
        let text = format!("f();{}else d();", "g(h);".repeat(40));
        assert_eq!(blame(&text, &[0..4, 4..9], &[0]), Err(vec![204]));
    }

    /// Statements with a wrong one among them; a needle may stand in any, and the tree is too large.
    #[test]
    fn a_text_that_is_wrong_is_cut_and_no_new_error_comes() {
        let grammar = Languages.grammar("x.js");
        let statement = "if(a)b(c);else d[e]=f;do g();while(h);i={j:[1,2]};";
        let half = statement.repeat(5_400);
        let text = format!("function k(){{{half}}}function l(){{var m n;}}function o(){{{half}}}");
        let count = |text: &[u8]| error_places(&parser("x.js").parse(text).expect("a large text has a tree")).len();
        assert!(text.len() > LEAST && count(text.as_bytes()) == 1);
        let mut executor = Inline::new(|candidate: &[u8]| {
            assert!(count(candidate) <= 1);
            candidate.windows(7).any(|window| window == b"var m n")
        });
        let options = Options { max_tests: Some(7), ..Options::default() };
        let report = reduce_with(text.as_bytes(), Some(grammar), &mut executor, &options, &mut Silent, &Cancel::new())
            .expect("the input is interesting");
        let outline = report.passes.iter().find(|pass| pass.name == passes::Outline.name());
        assert!(outline.is_some_and(|pass| pass.accepted > 0), "{outline:?}");
    }
}
