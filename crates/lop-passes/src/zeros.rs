//! Zeros: unneeded bytes of binary data become `0`, so that a reader sees the needed ones.
//!
//! The idea is from afl-tmin, which calls it normalisation.

use lop_syntax::Edit;

use super::pass::{Facts, Growth, Pass, Proposals, Stage, View};
use super::records::{is_of_no_language, is_text};
use super::sequence::{Removal, Sequence, Unit, list_kind};

/// Bytes that do not matter, as zeros.
pub(super) struct Zeros;

/// Longer data are not looked at.
const LONGEST: usize = 1 << 18;

impl Pass for Zeros {
    fn facts(&self) -> Facts {
        Facts::new("zeros", Stage::Finish, "bytes of binary data that do not matter become 0").growing(Growth::Blanks)
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        if !is_of_no_language(view) || view.text.len() > LONGEST || is_text(view.text) {
            return Proposals::default();
        }
        let bytes = view.text.iter().enumerate().filter(|(_, byte)| **byte != b'0');
        let zero = |at: usize| vec![Edit { raw: true, ..Edit::replace(at..at + 1, b"0") }];
        let unit = |(at, _)| Unit { removal: Removal::Edits(zero(at)), tokens: 1, known_to_parse: false };
        let units: Vec<Unit> = bytes.map(unit).collect();
        let sequence = (!units.is_empty()).then(|| Sequence::of(list_kind::ZEROS, units));
        sequence.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_data_become_zeros_and_those_of_text_stay() {
        let units = |data: &[u8]| {
            let proposals = Zeros.propose(&View::of_text(data));
            proposals.sequences.iter().map(|sequence| sequence.units.len()).sum::<usize>()
        };
        assert_eq!(units(b"a0\x00\xff0"), 3);
        assert_eq!(units(b"\x01a"), 2);
        assert_eq!(units(b"a text\n"), 0);
        assert_eq!(units("é\t".as_bytes()), 0);
        assert_eq!(units(&vec![1; LONGEST + 1]), 0);
    }
}
