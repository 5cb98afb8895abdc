//! Limits the work between two tests: if too many questions in a row need no test, the session tells the search to give
//! up the rest.

/// Number of bytes of candidates that can be made without a test. Making and looking up a gigabyte of them takes one to
/// two seconds.
const MOST_BYTES: usize = 2 << 30;

/// An outcome costs at least as much as this number of bytes: the model learns from it, and chooses the next question.
const LEAST_BYTES: usize = 64 << 10;

/// A step of the parser takes as long as this number of bytes does.
const BYTES_PER_STEP: usize = 16 << 10;

/// After a source has given up, the next one may make 1/`NEXT` of those bytes at least.
const NEXT: usize = 16;

/// Bytes of the candidates that were made since the last test.
#[derive(Clone, Default)]
pub(super) struct FreeWorkBudget(usize);

impl FreeWorkBudget {
    /// A test was run.
    pub(super) fn tested(&mut self) {
        self.0 = 0;
    }

    /// A question about `bytes` bytes was answered without a test, in `steps` steps of the parser. Returns whether that
    /// is too much.
    #[must_use]
    pub(super) fn add(&mut self, bytes: usize, steps: usize) -> bool {
        let work = bytes.max(LEAST_BYTES).saturating_add(steps.saturating_mul(BYTES_PER_STEP));
        self.0 = self.0.saturating_add(work);
        let is_too_much = self.0 >= MOST_BYTES;
        if is_too_much {
            self.0 = MOST_BYTES - MOST_BYTES / NEXT;
        }
        is_too_much
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_answered_without_a_test_adds_up_until_a_test_is_run() {
        let answers =
            |untested: &mut FreeWorkBudget, bytes| (1..).find(|_| untested.add(bytes, 0)).expect("it adds up");
        let mut untested = FreeWorkBudget::default();
        assert_eq!(answers(&mut untested, 1 << 20), 2048);
        assert_eq!(answers(&mut untested, 1 << 20), 2048 / NEXT, "the next one");
        untested.tested();
        assert_eq!(answers(&mut untested, 1), MOST_BYTES / LEAST_BYTES, "small texts cost something, too");
        untested.tested();
        assert!((0..2000).all(|_| !untested.add(1 << 20, 0)));
        untested.tested();
        assert!(!untested.add(1 << 30, 0));
        assert!(untested.add(usize::MAX, 0));
        untested.tested();
        assert!(!untested.add(1, MOST_BYTES / BYTES_PER_STEP / 2));
        assert!(untested.add(1, MOST_BYTES / BYTES_PER_STEP / 2), "the parser's steps count, too");
        assert!(untested.add(1, usize::MAX));
    }
}
