//! Encodes numbers and bytes in records. Integers have seven bits per byte, lowest first; the eighth bit is set in all
//! bytes but the last.

use std::time::Duration;

use integer_encoding::VarInt;

/// Writes a number.
pub(super) fn put(out: &mut Vec<u8>, number: u64) {
    out.extend(number.encode_var_vec());
}

/// Writes a length and the bytes.
pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Writes a duration in nanoseconds, at most 584 years.
pub(super) fn put_duration(out: &mut Vec<u8>, time: Duration) {
    put(out, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
}

/// Reads encoded values; `None` if the bytes end too early or are invalid.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    pub(super) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let (number, length) = u64::decode_var(self.rest)?;
        self.rest = &self.rest[length..];
        Some(number)
    }

    pub(super) fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    pub(super) fn counted(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.bytes(length)
    }

    pub(super) fn duration(&mut self) -> Option<Duration> {
        self.number().map(Duration::from_nanos)
    }

    pub(super) fn rest(self) -> &'a [u8] {
        self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_use_few_bytes() {
        for (number, length) in [(0, 1), (127, 1), (128, 2), (1 << 20, 3), (u64::MAX, 10)] {
            let mut out = Vec::new();
            put(&mut out, number);
            assert_eq!((out.len(), Reader::new(&out).number()), (length, Some(number)));
        }
    }

    #[test]
    fn what_cannot_be_a_number_is_none() {
        assert_eq!(Reader::new(&[0x80]).number(), None);
        assert_eq!(Reader::new(&[0xff; 11]).number(), None);
        assert_eq!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]).number(), None);
        assert_eq!(Reader::new(&[3, 1, 2]).counted(), None);
    }
}
