//! The records of a journal and their format.
//!
//! ```text
//! file    = "lop journal\n"  format: u32  record*          all numbers of fixed size little-endian
//! record  = length: u32  CRC-32 of the payload: u32  payload
//! payload = 0 header as JSON
//!         | 1 input: the bytes to the end
//!         | 2 outcome: key, verdict, exit, duration, at
//!         | 3 accepted: number, tests, at, pass, size, key, delta from the step before
//!         | 4 ended: how
//!         | 5 began: size of the input
//!         | 6 cancelled: key of a candidate whose test was cancelled
//!         | 7 skipped: moment, name of the pass that the user skipped
//! ```

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::key::OwnKey;
use super::varint::{Reader, put, put_bytes, put_duration};
use lop_engine::Verdict;
use lop_reduce::steps::named;
use lop_reduce::{Ended, Size};
use lop_run::exec::Key;
use lop_run::oracle::{Exit, Outcome, Recalled};

/// The file's first bytes.
pub(super) const MAGIC: &[u8] = b"lop journal\n";
/// The version of the format below; lop reads no other.
pub(super) const FORMAT: u32 = 2;
/// Bytes of a record before its payload.
const FRAME: usize = 8;
/// Maximum number of bytes to checksum in search of a record after a corrupt part: a tenth of a second.
const LOOKED_AT: usize = 256 << 20;

/// The header of a journal: everything that the sequence of candidates and their outcomes depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of lop that wrote it.
    pub lop: String,
    /// The command line with all options; the program's name is first.
    pub arguments: Vec<Text>,
    /// The working directory.
    pub directory: Text,
    /// BLAKE3 of the input.
    pub input: String,
    /// Whether the input is the text of an archive.
    pub is_archive: bool,
    /// BLAKE3 of the test: its program, arguments and conditions.
    pub test: String,
    /// The input's grammar, or `text`, and BLAKE3 of the user's rules if there are any.
    pub grammar: String,
    /// Number of parallel tests.
    pub workers: usize,
    /// The proof that this user's lop wrote it; empty if there was no key.
    #[serde(default)]
    pub mark: String,
}

impl Header {
    /// Adds the mark of the user's key, if there is one.
    #[must_use]
    pub fn marked(self, key: Option<&OwnKey>) -> Header {
        let mark = key.map(|key| key.mark(&self.unmarked())).unwrap_or_default();
        Header { mark, ..self }
    }

    /// Whether the mark belongs to this key, so that the user has given the command line.
    #[must_use]
    pub fn is_marked_with(&self, key: &OwnKey) -> bool {
        key.has_made(&self.mark, &self.unmarked())
    }

    fn unmarked(&self) -> Vec<u8> {
        let header = Header { mark: String::new(), ..self.clone() };
        // No other text that gets a mark looks like a journal's header.
        header_payload(&header)
    }
}

/// A word of the command line: usually text, otherwise bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// UTF-8 text.
    Plain(String),
    /// Bytes that aren't UTF-8.
    Bytes(Vec<u8>),
}

/// A stored outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recorded {
    pub(super) verdict: Verdict,
    pub(super) exit: Exit,
    pub(super) duration: Duration,
    /// Working time of the reduction when the outcome was known.
    pub(super) at: Duration,
}

/// An accepted step: a candidate that became the best result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its number, from 1.
    pub number: usize,
    /// Number of tests until then.
    pub tests: u64,
    /// Working time of the reduction until then.
    pub at: Duration,
    /// The pass that found it.
    pub pass: String,
    /// Its size.
    pub size: Size,
    /// Its text's key.
    pub key: Key,
    /// The delta from the previous step, or from the input.
    pub(super) delta: Vec<u8>,
}

/// A record after the header and the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Record {
    Outcome(Key, Recorded),
    Cancelled(Key),
    Accepted(Step),
    Ended(Ended),
    Began(Size),
    Skipped(u64, &'static str),
}

const HEADER: u8 = 0;
const INPUT: u8 = 1;
const OUTCOME: u8 = 2;
const ACCEPTED: u8 = 3;
const ENDED: u8 = 4;
const BEGAN: u8 = 5;
const CANCELLED: u8 = 6;
const SKIPPED: u8 = 7;

impl Recorded {
    /// Makes the record of an outcome; `None` if it has no verdict.
    pub(super) fn of(outcome: &Outcome, at: Duration) -> Option<Self> {
        let Outcome { verdict, exit, duration, .. } = *outcome;
        verdict.map(|verdict| Self { verdict, exit, duration, at })
    }

    /// Restores the outcome, without the test's output.
    pub(super) fn outcome(&self, recalled: Recalled) -> Outcome {
        let Self { verdict, exit, duration, .. } = *self;
        Outcome { exit, duration, recalled: Some(recalled), ..Outcome::of(verdict) }
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.push(match self.verdict {
            Verdict::Interesting => 0,
            Verdict::NotInteresting => 1,
            Verdict::Invalid => 2,
            Verdict::Timeout => 3,
        });
        let (tag, code) = match self.exit {
            Exit::Code(code) => (0, code),
            Exit::Signal(number) => (1, number),
            Exit::TimedOut => (2, 0),
            Exit::Unknown => (3, 0),
        };
        out.push(tag);
        out.extend_from_slice(&code.to_le_bytes());
        put_duration(out, self.duration);
        put_duration(out, self.at);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let verdict = match reader.byte()? {
            0 => Verdict::Interesting,
            1 => Verdict::NotInteresting,
            2 => Verdict::Invalid,
            3 => Verdict::Timeout,
            _ => return None,
        };
        let (tag, code) = (reader.byte()?, i32::from_le_bytes(reader.array()?));
        let exit = match tag {
            0 => Exit::Code(code),
            1 => Exit::Signal(code),
            2 => Exit::TimedOut,
            3 => Exit::Unknown,
            _ => return None,
        };
        Some(Self { verdict, exit, duration: reader.duration()?, at: reader.duration()? })
    }
}

impl Record {
    pub(super) fn payload(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Record::Outcome(key, recorded) => {
                out.push(OUTCOME);
                out.extend_from_slice(key);
                recorded.put(&mut out);
            }
            Record::Accepted(step) => {
                out.push(ACCEPTED);
                put(&mut out, step.number as u64);
                put(&mut out, step.tests);
                put_duration(&mut out, step.at);
                put_bytes(&mut out, step.pass.as_bytes());
                put_size(&mut out, step.size);
                out.extend_from_slice(&step.key);
                out.extend_from_slice(&step.delta);
            }
            Record::Ended(ended) => out.extend_from_slice(&[
                ENDED,
                match ended {
                    Ended::Complete => 0,
                    Ended::Cancelled => 1,
                    Ended::Budget => 2,
                },
            ]),
            Record::Cancelled(key) => {
                out.push(CANCELLED);
                out.extend_from_slice(key);
            }
            Record::Began(size) => {
                out.push(BEGAN);
                put_size(&mut out, *size);
            }
            Record::Skipped(moment, pass) => {
                out.push(SKIPPED);
                put(&mut out, *moment);
                out.extend_from_slice(pass.as_bytes());
            }
        }
        out
    }

    pub(super) fn read(payload: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(payload);
        let record = match reader.byte()? {
            OUTCOME => Record::Outcome(reader.array()?, Recorded::read(&mut reader)?),
            ACCEPTED => Record::Accepted(Step {
                number: reader.length()?,
                tests: reader.number()?,
                at: reader.duration()?,
                pass: String::from_utf8(reader.counted()?.to_vec()).ok()?,
                size: read_size(&mut reader)?,
                key: reader.array()?,
                delta: reader.rest().to_vec(),
            }),
            ENDED => Record::Ended(match reader.byte()? {
                0 => Ended::Complete,
                1 => Ended::Cancelled,
                2 => Ended::Budget,
                _ => return None,
            }),
            CANCELLED => Record::Cancelled(reader.array()?),
            BEGAN => Record::Began(read_size(&mut reader)?),
            SKIPPED => Record::Skipped(reader.number()?, named(std::str::from_utf8(reader.rest()).ok()?)?.name),
            _ => return None,
        };
        Some(record)
    }
}

fn put_size(out: &mut Vec<u8>, size: Size) {
    for length in [size.bytes, size.tokens, size.lines] {
        put(out, length as u64);
    }
}

fn read_size(reader: &mut Reader<'_>) -> Option<Size> {
    Some(Size { bytes: reader.length()?, tokens: reader.length()?, lines: reader.length()? })
}

/// Encodes the header.
pub(super) fn header_payload(header: &Header) -> Vec<u8> {
    let json = serde_json::to_vec(header).expect("strings and numbers are always JSON");
    [&[HEADER], json.as_slice()].concat()
}

/// Encodes the input.
pub(super) fn input_payload(input: &[u8]) -> Vec<u8> {
    [&[INPUT], input].concat()
}

pub(super) fn read_header(payload: &[u8]) -> Option<Header> {
    serde_json::from_slice(payload.strip_prefix(&[HEADER])?).ok()
}

pub(super) fn read_input(payload: &[u8]) -> Option<&[u8]> {
    payload.strip_prefix(&[INPUT])
}

/// Puts the length and the checksum before a payload.
pub(super) fn framed(payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let mut out = Vec::with_capacity(FRAME + payload.len());
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
    out.extend_from_slice(payload);
    out
}

/// Splits the first payload off `bytes`; `None` if its record is incomplete or corrupt.
pub(super) fn unframed(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut reader = Reader::new(bytes);
    let (length, checksum) = (u32::from_le_bytes(reader.array()?), u32::from_le_bytes(reader.array()?));
    let payload = reader.bytes(usize::try_from(length).ok()?)?;
    (crc32fast::hash(payload) == checksum).then_some((payload, reader.rest()))
}

/// Whether a complete record follows somewhere after the first byte. Then the part before it wasn't cut by a kill,
/// because a kill ends the file.
pub(super) fn is_record_in(bytes: &[u8]) -> bool {
    let mut patience = LOOKED_AT;
    (1..bytes.len().saturating_sub(FRAME)).any(|at| {
        let rest = &bytes[at..];
        let length = u32::from_le_bytes(rest[..4].try_into().expect("four bytes")) as usize;
        let is_likely = (1..=rest.len() - FRAME).contains(&length) && rest[FRAME] <= SKIPPED;
        if !is_likely {
            return false;
        }
        if patience < length {
            // Unknown; an unnecessary copy does no harm.
            return true;
        }
        patience -= length;
        unframed(rest).is_some_and(|(payload, _)| Record::read(payload).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let recorded = Recorded {
            verdict: Verdict::Timeout,
            exit: Exit::Signal(11),
            duration: Duration::from_nanos(1_234_567_890),
            at: Duration::from_secs(90_000),
        };
        let step = Step {
            number: 3,
            tests: 1 << 40,
            at: Duration::from_millis(7),
            pass: "siblings".to_owned(),
            size: Size { bytes: 1 << 27, tokens: 9, lines: 1 },
            key: [7; 16],
            delta: vec![1, 2, 3],
        };
        let skipped = Record::Skipped(300, "hoist");
        let ended = Record::Ended(Ended::Budget);
        for record in [Record::Outcome([1; 16], recorded), Record::Accepted(step), skipped, ended] {
            let bytes = [framed(&record.payload()).as_slice(), b"more"].concat();
            let (payload, rest) = unframed(&bytes).expect("it is whole");
            assert_eq!((Record::read(payload), rest), (Some(record), &b"more"[..]));
        }
    }

    #[test]
    fn every_torn_and_every_changed_record_is_noticed() {
        let bytes = framed(&Record::Ended(Ended::Complete).payload());
        for length in 0..bytes.len() {
            assert_eq!(unframed(&bytes[..length]), None);
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            assert_eq!(unframed(&changed), None, "byte {at}");
        }
    }
}
