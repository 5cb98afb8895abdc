//! Work between two tests has an end: where question after question is answered without a test, whoever asks is told to
//! give the rest up.

use crate::reduce::inquiry::Inquiry;

use super::Session;

/// So many bytes of candidates may be made without a test. Making and looking up a gigabyte of them takes one to two
/// seconds.
const MOST_BYTES: usize = 2 << 30;

/// An answer costs at least what so many bytes cost: the model learns from it, and thinks of the next question.
const LEAST_BYTES: usize = 64 << 10;

/// Who asks after somebody has given up may make so large a part of them at least.
const NEXT: usize = 16;

impl Session<'_> {
    /// A question about so many bytes was answered without a test.
    pub(super) fn answered_unasked(&mut self, bytes: usize, inquiry: &mut dyn Inquiry) {
        self.unasked = self.unasked.saturating_add(bytes.max(LEAST_BYTES));
        if self.unasked >= MOST_BYTES {
            inquiry.give_up();
            self.unasked = MOST_BYTES - MOST_BYTES / NEXT;
        }
    }
}
