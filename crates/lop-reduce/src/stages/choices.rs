//! The choices of a generator, as bytes: everything that the generator makes of them is valid, so no edit needs to know
//! the language. The result is the first in short-lex order: a shorter one, or one of the same length whose bytes are
//! smaller from the left.
//!
//! The steps are those of Hypothesis's shrinker (D. MacIver and A. Donaldson, *Test-case reduction via test-case
//! generation: insights from the Hypothesis reducer*, ECOOP 2020), on bytes instead of its typed choices.

use std::iter::once;
use std::sync::Arc;

use crate::difference::trimmed;
use crate::interrupt::Interrupt;
use crate::ordered::first_interesting;
use crate::reducer::Reducer;
use crate::steps::CHOICES;
use lop_passes::{Removal, Sequence, Unit, list_kind};
use lop_syntax::Edit;

/// Longest run of bytes that is one choice or a few of them.
const LONGEST_BLOCK: usize = 8;
/// Values of a byte that are all tried.
const SMALL_VALUES: u8 = 8;
/// The numbers by which generators often divide a byte to choose a letter, a digit or a character.
const DIVISORS: [u8; 9] = [10, 16, 26, 32, 52, 62, 64, 95, 100];
/// Longest blocks that change places.
const LONGEST_SWAP: usize = 4;
/// Greatest distance of two bytes if one is lowered and the other raised by as much.
const FARTHEST: usize = 8;
/// A text of no more bytes is tried with each byte lowered and each later block removed.
const SMALL: usize = 32;
/// The probability that a candidate is interesting.
const CHANCE: f64 = 0.1;

/// Makes one round of all steps. Returns `true` if the result became better.
pub(crate) fn reduce_choices(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    if !reducer.allows_step(&CHOICES) {
        return Ok(false);
    }
    reducer.session.enter_pass(CHOICES.name, reducer.round)?;
    let before = Arc::clone(reducer.session.best());
    for step in [drop_runs, clear, drop_blocks, lower, order, share] {
        reducer.within(step)?;
    }
    // It takes many tests, so the others come first as long as they find something.
    if *reducer.session.best() == before {
        reducer.within(lower_and_drop)?;
    }
    Ok(*reducer.session.best() != before)
}

/// Removes runs of bytes, chosen by the engine.
fn drop_runs(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let length = reducer.session.best().len();
    sweep(reducer, (0..length).map(|at| Edit::delete_raw(at..at + 1)), list_kind::CHARACTERS)
}

/// Replaces runs of bytes by zeros.
fn clear(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    let best = Arc::clone(reducer.session.best());
    let others = best.iter().enumerate().filter(|(_, byte)| **byte != 0);
    let zero = |at: usize| Edit { raw: true, ..Edit::replace(at..at + 1, b"\0") };
    sweep(reducer, others.map(|(at, _)| zero(at)), list_kind::ZEROS)
}

fn sweep(reducer: &mut Reducer<'_, '_>, edits: impl Iterator<Item = Edit>, kind: u32) -> Result<bool, Interrupt> {
    let unit = |edit| Unit { removal: Removal::Edits(vec![edit]), tokens: 1, known_to_parse: false };
    let units: Vec<Unit> = edits.map(unit).collect();
    if !units.is_empty() {
        let mut sweep = reducer.new_sweep(Sequence::of(kind, units));
        reducer.finish(&mut sweep)?;
        reducer.rebase()?;
    }
    Ok(false)
}

/// Removes blocks, the long ones first, and several in a row as soon as one goes.
fn drop_blocks(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    for size in (1..=LONGEST_BLOCK).rev() {
        let mut end = reducer.session.best().len();
        while end >= size {
            let without = |best: &[u8], count: usize| {
                let start = end.checked_sub(size * count)?;
                Some([&best[..start], &best[end..]].concat())
            };
            let count = most(reducer, without)?;
            end -= (size * count).max(1);
        }
    }
    Ok(false)
}

/// Lowers bytes, and numbers of several bytes whose last ones are zero.
fn lower(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    for at in 0..reducer.session.best().len() {
        let Some(&byte) = reducer.session.best().get(at).filter(|byte| **byte > 0) else { continue };
        let with = |best: &[u8], value: u8| {
            let mut text = best.to_vec();
            text[at] = value;
            Some(text)
        };
        // A generator often looks only at the rest of a division.
        let mut refused = 0;
        while refused < byte.min(SMALL_VALUES) && !accepts(reducer, |best| with(best, refused))? {
            refused += 1;
        }
        let mut accepted = if refused < SMALL_VALUES { refused } else { byte };
        while accepted > refused {
            let middle = refused + (accepted - refused) / 2;
            if accepts(reducer, |best| with(best, middle))? { accepted = middle } else { refused = middle + 1 }
        }
        let mut rests: Vec<u8> =
            DIVISORS.iter().map(|divisor| accepted % divisor).filter(|rest| *rest < accepted).collect();
        rests.sort_unstable();
        rests.dedup();
        for rest in rests {
            if accepts(reducer, |best| with(best, rest))? {
                break;
            }
        }
        for width in [2, 4, 8] {
            most(reducer, |best, count| borrowed(best, at, width, count))?;
        }
    }
    Ok(false)
}

/// Returns a text with a big-endian number lowered, if its last byte is zero: others are lowered byte by byte.
fn borrowed(text: &[u8], at: usize, width: usize, by: usize) -> Option<Vec<u8>> {
    let number = text.get(at..at + width)?;
    if by == 1 && (number[width - 1] != 0 || number[0] == 0) {
        return None;
    }
    let mut bytes = [0; 8];
    bytes[8 - width..].copy_from_slice(number);
    let lowered = u64::from_be_bytes(bytes).checked_sub(by as u64)?.to_be_bytes();
    Some([&text[..at], &lowered[8 - width..], &text[at + width..]].concat())
}

/// Lowers a byte and removes a block after it: a number of elements, and one of them.
fn lower_and_drop(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    for at in 0..reducer.session.best().len() {
        for size in 1..=LONGEST_BLOCK {
            let length = reducer.session.best().len();
            let last = length.saturating_sub(size);
            let places = if length <= SMALL { (at + 1..=last).collect() } else { vec![at + 1, last] };
            for place in places {
                most(reducer, |best, count| {
                    let lowered = best.get(at)?.checked_sub(u8::try_from(count).ok()?)?;
                    let end = place.checked_add(size * count).filter(|end| place > at && *end <= best.len())?;
                    Some([&best[..at], &[lowered], &best[at + 1..place], &best[end..]].concat())
                })?;
            }
        }
    }
    Ok(false)
}

/// Lets neighbouring blocks change places, so that smaller ones come first.
fn order(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    for size in 1..=LONGEST_SWAP {
        let mut at = 0;
        while at + 2 * size <= reducer.session.best().len() {
            let is_swapped = accepts(reducer, |best| {
                let (first, second) = (&best[at..at + size], &best[at + size..at + 2 * size]);
                (second < first).then(|| [&best[..at], second, first, &best[at + 2 * size..]].concat())
            })?;
            // It may go further to the left.
            at = if is_swapped { at.saturating_sub(size) } else { at + 1 };
        }
    }
    Ok(false)
}

/// Lowers a byte and raises a later one by as much: only their sum may matter.
fn share(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    for at in 0..reducer.session.best().len() {
        for other in at + 1..=at + FARTHEST {
            most(reducer, |best, count| {
                let count = u8::try_from(count).ok()?;
                let mut text = best.to_vec();
                *text.get_mut(at)? = best[at].checked_sub(count)?;
                *text.get_mut(other)? = best.get(other)?.checked_add(count)?;
                Some(text)
            })?;
        }
    }
    Ok(false)
}

/// Finds how often an edit can be made at once: once, then twice as often each time, and then between. `make` gets the text
/// that was the best at the beginning and the number of times; it returns `None` if the edit doesn't fit.
fn most(reducer: &mut Reducer<'_, '_>, make: impl Fn(&[u8], usize) -> Option<Vec<u8>>) -> Result<usize, Interrupt> {
    let first = Arc::clone(reducer.session.best());
    let mut accepted = 0;
    let mut refused = None;
    loop {
        let count = match refused {
            None => (2 * accepted).max(1),
            Some(refused) if refused - accepted > 1 => accepted + (refused - accepted) / 2,
            Some(_) => return Ok(accepted),
        };
        if accepts(reducer, |_| make(&first, count))? { accepted = count } else { refused = Some(count) }
    }
}

/// Whether a text is interesting and comes before the best one in short-lex order. Then it is the best one.
fn accepts(reducer: &mut Reducer<'_, '_>, make: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Result<bool, Interrupt> {
    let best = Arc::clone(reducer.session.best());
    let Some(text) = make(&best).filter(|text| (text.len(), &text[..]) < (best.len(), &best[..])) else {
        return Ok(false);
    };
    let edit = Removal::Edits(vec![trimmed(&best, &text, 0)]);
    let found = first_interesting(&mut reducer.session, 1, "other choices", CHANCE, |_, current| {
        current.candidate(once(&edit), false)
    })?;
    if found.is_some() {
        reducer.rebase()?;
    }
    Ok(found.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Silent, reduce_with};
    use lop_run::exec::Inline;
    use lop_run::oracle::Cancel;

    /// The result for choices, and the number of tests.
    fn reduced(choices: &[u8], test: impl Fn(&[u8]) -> bool) -> (Vec<u8>, u64) {
        let options = Options { choices: true, allow_empty: true, ..Options::default() };
        let mut executor = Inline::new(test);
        let report = reduce_with(choices, None, &mut executor, &options, &mut Silent, &Cancel::new());
        let report = report.expect("the input is interesting");
        (report.best, report.tests.total())
    }

    /// A generator of lists: a byte that is odd says that there is another element, of two bytes.
    fn list(choices: &[u8]) -> Option<Vec<u16>> {
        let mut elements = Vec::new();
        let mut rest = choices;
        loop {
            let (&more, after) = rest.split_first()?;
            if more % 2 == 0 {
                return Some(elements);
            }
            elements.push(u16::from_be_bytes([*after.first()?, *after.get(1)?]));
            rest = &after[2..];
        }
    }

    fn some_choices() -> Vec<u8> {
        let elements = (0..40_u16).flat_map(|at| [vec![at as u8 * 2 + 1], (at * 601).to_be_bytes().to_vec()].concat());
        elements.chain([8]).collect()
    }

    #[test]
    fn a_list_becomes_its_smallest_form() {
        let large = |choices: &[u8]| list(choices).is_some_and(|list| list.iter().any(|element| *element >= 1000));
        let (best, tests) = reduced(&some_choices(), large);
        assert_eq!(list(&best), Some(vec![1000]));
        assert_eq!(best, [1, 3, 232, 0]);
        assert!(tests < 250, "{tests}");
        let two = |choices: &[u8]| {
            list(choices).is_some_and(|list| list.iter().map(|at| u32::from(*at)).sum::<u32>() > 20_000)
        };
        let (best, tests) = reduced(&some_choices(), two);
        assert_eq!(list(&best), Some(vec![20_001]), "{tests}");
    }

    #[test]
    fn a_number_of_elements_goes_with_them() {
        // The first byte is the number of elements, which have three bytes each. One element must have a 7 in it.
        let test = |choices: &[u8]| {
            let Some((&count, rest)) = choices.split_first() else { return false };
            rest.len() == 3 * usize::from(count) && rest.chunks(3).any(|element| element[1] == 7)
        };
        let elements = (0..20_u8).flat_map(|at| [at, if at == 13 { 7 } else { 9 }, 255 - at]);
        let (best, tests) = reduced(&once(20).chain(elements).collect::<Vec<u8>>(), test);
        assert_eq!(best, [1, 0, 7, 0]);
        assert!(tests < 600, "{tests}");
    }

    #[test]
    fn sums_and_orders_are_the_first_ones() {
        let sum = |choices: &[u8]| choices.len() == 3 && choices.iter().map(|at| u32::from(*at)).sum::<u32>() >= 300;
        assert_eq!(reduced(&[200, 100, 90], sum).0, [0, 45, 255]);
        let set = |choices: &[u8]| {
            let mut sorted = choices.to_vec();
            sorted.sort_unstable();
            sorted == [1, 2, 3, 4]
        };
        assert_eq!(reduced(&[4, 2, 3, 1], set).0, [1, 2, 3, 4]);
    }

    #[test]
    fn numbers_of_several_bytes_are_lowered_over_their_borders() {
        let test = |choices: &[u8]| choices.len() == 2 && u16::from_be_bytes([choices[0], choices[1]]) >= 250;
        assert_eq!(reduced(&[1, 0], test).0, [0, 250]);
        assert_eq!(borrowed(&[1, 0, 5], 0, 2, 1), Some(vec![0, 255, 5]));
        assert_eq!(borrowed(&[1, 1], 0, 2, 1), None);
        assert_eq!(borrowed(&[1], 0, 2, 1), None);
    }

    #[test]
    fn nothing_is_a_result() {
        assert!(reduced(&[1, 2, 3], |_| true).0.is_empty());
    }
}
