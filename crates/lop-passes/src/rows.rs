//! Rows: consecutive parts of a text as units.

use std::ops::Range;

use lop_syntax::Edit;

use super::sequence::{Removal, Sequence, Unit};

/// Maximum number of units in a row. In a longer text neighbours are joined: a unit takes about 150 bytes, and by the
/// time single characters pay, most of the text has been removed.
const MOST_UNITS: usize = 1 << 18;

/// Makes units of parts of a text, in order; if there are too many, adjacent parts are joined.
pub(super) fn row<R: Iterator<Item = Range<usize>>>(kind: u32, parts: impl Fn() -> R) -> Option<Sequence> {
    // Counted first: a list of all parts of a long text takes many times its size.
    let together = parts().count().div_ceil(MOST_UNITS);
    let mut units = Vec::new();
    let mut add = |range| {
        units.push(Unit { removal: Removal::Edits(vec![Edit::delete_raw(range)]), tokens: 1, known_to_parse: false })
    };
    let (mut unit, mut members) = (0..0, 0);
    for next in parts() {
        if members > 0 && members < together && unit.end == next.start {
            unit.end = next.end;
            members += 1;
            continue;
        }
        if members > 0 {
            add(std::mem::replace(&mut unit, next));
        } else {
            unit = next;
        }
        members = 1;
    }
    if members > 0 {
        add(unit);
    }
    (!units.is_empty()).then_some(Sequence::of(kind, units))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_syntax::characters;

    #[test]
    fn neighbours_go_together_in_a_text_of_too_many() {
        let text = vec![b'a'; 2 * MOST_UNITS + 5];
        let row = row(0, || characters(&text, 0..text.len())).expect("the text is not empty");
        assert!(row.units.len() <= MOST_UNITS);
        let mut at = 0;
        for unit in &row.units {
            let Removal::Edits(edits) = &unit.removal else { panic!("characters are edits") };
            assert_eq!(edits[0].start, at, "nothing is left out");
            at = edits[0].end;
        }
        assert_eq!(at, text.len());
    }
}
