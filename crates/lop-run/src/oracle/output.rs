//! Reads back the output of a test, up to a limit.

use std::fs::File;
use std::io;

use super::Outcome;

/// Number of bytes at the start of an output that conditions see …
const HEAD: u64 = 1 << 20;

/// … and of its end. Of a longer one the middle is left out, with a line break in its place.
const END: u64 = 64 << 10;

/// The parts of a run's outputs that conditions see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The standard output.
    pub stdout: Vec<u8>,
    /// The standard error.
    pub stderr: Vec<u8>,
}

impl Written {
    /// Whether the middle of the standard output was left out.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.stdout.len() as u64 > HEAD + END
    }
}

/// The parts of one output that are kept.
#[derive(Debug, Default)]
pub(crate) struct Captured {
    /// The length of the test's output in bytes.
    pub(crate) length: u64,
    /// The text for the conditions; empty if it isn't needed.
    pub(crate) text: Vec<u8>,
    /// The last [`Outcome::TAIL`] bytes.
    pub(crate) tail: Vec<u8>,
}

/// Reads an output back; `whole` says whether conditions look at it.
pub(crate) fn read(file: &File, whole: bool) -> io::Result<Captured> {
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(Captured::default());
    }
    let tail = read_range(file, length.saturating_sub(Outcome::TAIL as u64), length)?;
    let text = match (whole, length <= HEAD + END) {
        (false, _) => Vec::new(),
        (true, true) => read_range(file, 0, length)?,
        (true, false) => {
            let mut text = read_range(file, 0, HEAD)?;
            text.push(b'\n');
            text.extend(read_range(file, length - END, length)?);
            text
        }
    };
    Ok(Captured { length, text, tail })
}

/// Reads an output back as a whole, up to a number of bytes.
pub(crate) fn whole(file: &File, most: u64) -> io::Result<Vec<u8>> {
    read_range(file, 0, file.metadata()?.len().min(most))
}

/// The bytes from `start` to `end`, fewer when the file has become shorter.
fn read_range(file: &File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = file;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::with_capacity(usize::try_from(end - start).expect("the ranges are small"));
    file.take(end - start).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn capture(content: &[u8], whole: bool) -> Captured {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(content).expect("room");
        read(&file, whole).expect("readable")
    }

    #[test]
    fn a_short_output_is_kept_as_it_is() {
        let captured = capture(b"abc", true);
        assert_eq!(
            (captured.length, captured.text.as_slice(), captured.tail.as_slice()),
            (3, &b"abc"[..], &b"abc"[..])
        );
        assert_eq!(capture(b"abc", false).text, b"");
        assert_eq!(capture(b"", true).length, 0);
    }

    #[test]
    fn of_a_long_output_the_middle_is_left_out() {
        let mut content = vec![b'a'; HEAD as usize];
        content.extend(vec![b'b'; 1000]);
        content.extend(vec![b'c'; END as usize]);
        let captured = capture(&content, true);
        assert_eq!(captured.length, content.len() as u64);
        assert_eq!(captured.text.len() as u64, HEAD + 1 + END);
        assert!(!captured.text.contains(&b'b'));
        assert_eq!(captured.tail, vec![b'c'; Outcome::TAIL]);
    }

    #[test]
    fn nothing_is_left_out_up_to_the_bound() {
        let content: Vec<u8> = (0..(HEAD + END) as usize).map(|i| i as u8).collect();
        assert_eq!(capture(&content, true).text, content);
    }
}
