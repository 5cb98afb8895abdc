//! Records in binary data: removes parts together with the numbers for their lengths.
//!
//! ```text
//! 0A 03 61 62 63  0B 02 64 65      without the first record            0B 02 64 65
//! 0A 03 61 62 63  0B 02 64 65      with a byte less in the first one   0A 02 61 63  0B 02 64 65
//! ```
//!
//! Nothing marks the lengths. So this pass tries each position and each encoding of a number: a record starts at the
//! position, has its length at a fixed distance from its start, and the next record starts at its end. A chain that
//! ends exactly at the end of the data is worth a few tests. A record can contain another chain; then the lengths
//! around it change, too.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use lop_syntax::Edit;

use super::pass::{Facts, Pass, Proposals, Stage, View};

/// Records with their lengths.
pub(super) struct Records;

/// Maximum length of data: by the time it is this short, other passes have removed most of it.
const LONGEST: usize = 1 << 20;
/// Bytes before the first record of a file, such as its magic number or a header.
const FARTHEST: usize = 32;
/// The same bytes inside another record, such as the kind of a list.
const FARTHEST_INSIDE: usize = 9;
/// Bytes of a record before its length, and others that the length does not count.
const MOST_BEFORE: usize = 8;
const MOST_UNCOUNTED: i64 = 16;
/// Steps from record to record, and records of a chain.
const MOST_STEPS: usize = 1 << 22;
const MOST_RECORDS: usize = 1 << 12;
/// Chains of one part of the data that are tried: the likeliest.
const MOST_CHAINS: usize = 12;
/// Chains whose records are looked into, and parts of the data that are searched.
const MOST_OPENED: usize = 4;
const MOST_PARTS: usize = 200;
/// Bits of evidence for a record that is believed to hold all others.
const CERTAIN: i64 = 8;
/// Levels of records inside records.
const MOST_LEVELS: usize = 4;
/// Edits that are proposed at a time: those of the likeliest chains.
const MOST_EDITS: usize = 1500;

impl Pass for Records {
    fn facts(&self) -> Facts {
        Facts::new("records", Stage::First, "records of binary data, with the numbers that say how long they are")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        if !is_of_no_language(view) || view.text.len() > LONGEST {
            return Proposals::default();
        }
        let codes = if is_text(view.text) { &CODES[CODES.len() - 1..] } else { &CODES[..] };
        let mut search = Search {
            text: view.text,
            codes,
            parts: 0,
            steps: 0,
            whole: Vec::new(),
            single: Vec::new(),
            seen: HashSet::new(),
        };
        search.look_into(&(0..view.text.len()), &[], 0);
        let whole = search.whole.into_iter().map(|units| view.any_of(units));
        whole.fold(Proposals::default(), Proposals::and).and(view.one_of(search.single))
    }
}

/// Whether lop knows no language of the text.
pub(super) fn is_of_no_language(view: &View<'_>) -> bool {
    view.files.is_none() && view.tree.as_ref().is_none_or(|tree| tree.grammar.is_of_any_text())
}

/// Whether data is readable: UTF-8 without control characters except those of texts.
pub(super) fn is_text(data: &[u8]) -> bool {
    let is_control = |byte: &u8| byte.is_ascii_control() && !b"\t\n\r\x0c\x1b".contains(byte);
    !data.iter().any(is_control) && std::str::from_utf8(data).is_ok()
}

/// A way to write a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    /// A number of bytes, the lowest first.
    Little(usize),
    /// A number of bytes, the highest first.
    Big(usize),
    /// Seven bits in each byte, the lowest first; the highest bit says that another byte follows.
    Varint,
    /// Decimal digits.
    Decimal,
}

/// If two encodings give the same number, the first counts. In text there are only decimal numbers, which come last.
const CODES: [Code; 9] = [
    Code::Big(8),
    Code::Little(8),
    Code::Big(4),
    Code::Little(4),
    Code::Big(2),
    Code::Little(2),
    Code::Big(1),
    Code::Varint,
    Code::Decimal,
];

impl Code {
    /// Returns the number at the start of some data, and its length in bytes.
    fn read(self, data: &[u8]) -> Option<(usize, usize)> {
        let fold = |number: usize, byte: &u8| number.checked_mul(256)?.checked_add(usize::from(*byte));
        match self {
            Code::Little(width) => Some((data.get(..width)?.iter().rev().try_fold(0, fold)?, width)),
            Code::Big(width) => Some((data.get(..width)?.iter().try_fold(0, fold)?, width)),
            Code::Varint => {
                let width = data.iter().take(5).position(|byte| byte & 0x80 == 0)? + 1;
                let bits = data[..width].iter().rev();
                Some((bits.fold(0, |number, byte| number << 7 | usize::from(byte & 0x7f)), width))
            }
            Code::Decimal => {
                let width = data.iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
                let digits = data[..width].iter().map(|digit| usize::from(digit - b'0'));
                (width > 0).then(|| (digits.fold(0, |number, digit| number * 10 + digit), width))
            }
        }
    }

    /// The bytes for a number that is no larger than the one that was read.
    fn write(self, number: usize) -> Vec<u8> {
        let little = |width: usize| number.to_le_bytes().into_iter().chain([0; 8]).take(width);
        match self {
            Code::Little(width) => little(width).collect(),
            Code::Big(width) => {
                let mut bytes: Vec<u8> = little(width).collect();
                bytes.reverse();
                bytes
            }
            Code::Varint => {
                let (mut rest, mut bytes) = (number, Vec::new());
                while rest >= 0x80 {
                    bytes.push(rest.to_le_bytes()[0] | 0x80);
                    rest >>= 7;
                }
                bytes.push(rest.to_le_bytes()[0]);
                bytes
            }
            Code::Decimal => number.to_string().into_bytes(),
        }
    }
}

/// A number that says how long something is.
#[derive(Clone, Debug)]
struct Length {
    code: Code,
    at: Range<usize>,
    number: usize,
}

/// A part of the data with its length.
#[derive(Clone, Debug)]
struct Record {
    range: Range<usize>,
    length: Length,
}

/// Records one after the other.
#[derive(Clone, Debug)]
struct Chain {
    /// Bytes before the length in each.
    before: usize,
    /// Number of bytes in each record that are outside its length: not before the length, not in it, and not counted by
    /// it. Negative if the length counts bytes before its own end.
    uncounted: i64,
    records: Vec<Record>,
}

struct Search<'t> {
    text: &'t [u8],
    /// The ways to write a length that are tried.
    codes: &'t [Code],
    /// Parts of the data that were searched, and steps from record to record there.
    parts: usize,
    steps: usize,
    /// Lists of records; any records of a list may go together.
    whole: Vec<Vec<Vec<Edit>>>,
    /// Edits that are made one at a time, each once.
    single: Vec<Vec<Edit>>,
    seen: HashSet<Vec<Edit>>,
}

impl Search<'_> {
    /// Looks for chains in a part of the data, around which there are these lengths, and for chains in their records.
    fn look_into(&mut self, part: &Range<usize>, around: &[Length], level: usize) {
        if part.len() < 2 || self.parts >= MOST_PARTS || level >= MOST_LEVELS {
            return;
        }
        self.parts += 1;
        let chains = self.chains(part, if level == 0 { FARTHEST } else { FARTHEST_INSIDE });
        for (number, chain) in chains.iter().enumerate() {
            self.runs(chain, around);
            if number >= MOST_OPENED {
                continue;
            }
            for record in &chain.records {
                if self.single.len() >= MOST_EDITS {
                    return;
                }
                let inner = [around, std::slice::from_ref(&record.length)].concat();
                for content in chain.contents(record) {
                    self.cuts(&content, &inner);
                    self.look_into(&content, &inner, level + 1);
                }
            }
        }
    }

    /// The chains that fill a part of the data from a place near its start to its end, the likeliest first.
    fn chains(&mut self, part: &Range<usize>, farthest: usize) -> Vec<Chain> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        for start in part.start..part.end.min(part.start + farthest) {
            for &code in self.codes {
                for before in 0..=MOST_BEFORE {
                    let Some((number, width)) =
                        self.text.get(start + before..part.end).and_then(|data| code.read(data))
                    else {
                        continue;
                    };
                    if number > part.len() {
                        continue;
                    }
                    let own = i64::try_from(width).unwrap_or(0);
                    let whole = -own - i64::try_from(before).unwrap_or(0);
                    for uncounted in (0..=MOST_UNCOUNTED).chain([-own, whole]) {
                        let records = self.chain(start..part.end, code, (before, uncounted));
                        if self.steps > MOST_STEPS {
                            return chains_of(best(found));
                        }
                        let Some(records) = records else { continue };
                        let mut places = DefaultHasher::new();
                        records.iter().for_each(|record| record.range.start.hash(&mut places));
                        if seen.insert((places.finish(), records[0].length.at.end)) {
                            let chain = Chain { before, uncounted, records };
                            found.push((self.evidence(part, &chain), chain));
                            if found.len() > 4 * MOST_CHAINS {
                                found = best(found);
                            }
                        }
                    }
                }
            }
        }
        chains_of(best(found))
    }

    /// The records from the start of a part to its very end, if they end there.
    fn chain(&mut self, part: Range<usize>, code: Code, (before, uncounted): (usize, i64)) -> Option<Vec<Record>> {
        let (mut at, mut records) = (part.start, Vec::new());
        while at < part.end {
            self.steps += 1;
            let (number, width) = code.read(self.text.get(at + before..part.end)?)?;
            // Any bytes are read as a number, which may be as large as numbers are.
            if number > part.len() {
                return None;
            }
            let counted = i64::try_from(before + width + number).ok()?;
            let end = at + usize::try_from(counted + uncounted).ok()?;
            let own = at + before..at + before + width;
            if end < own.end || end > part.end || records.len() == MOST_RECORDS {
                return None;
            }
            records.push(Record { range: at..end, length: Length { code, at: own, number } });
            at = end;
        }
        records.iter().any(|record| record.length.number > 0).then_some(records)
    }

    /// Returns the evidence for a chain in bits: the improbability of such lengths and of the bytes before them, minus
    /// the price of describing its form.
    fn evidence(&self, part: &Range<usize>, chain: &Chain) -> i64 {
        let records = &chain.records;
        let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let room = i64::from(part.len().ilog2()) + 1;
        let of_length = |record: &Record| match record.length.code {
            _ if record.length.number == 0 => 0,
            Code::Decimal => 5 * count(record.length.at.len()),
            Code::Varint => (8 - room).max(0) + 1,
            Code::Little(width) | Code::Big(width) => (8 * count(width) - room).max(0),
        };
        let repeated = |at: usize| {
            let values: HashSet<u8> = records.iter().map(|record| self.text[record.range.start + at]).collect();
            count(records.len() - values.len())
        };
        let lengths: i64 = records.iter().map(of_length).sum();
        let bytes: i64 = (0..chain.before).map(repeated).sum();
        let start = count(records[0].range.start - part.start);
        let form = start + count(chain.before) + if chain.uncounted == 0 { 0 } else { 4 + chain.uncounted.abs() };
        lengths + 4 * bytes - 2 * form
    }

    /// Runs of records: all, halves of them, and so on.
    fn runs(&mut self, chain: &Chain, around: &[Length]) {
        let records = &chain.records;
        if around.is_empty() {
            let unit = |record: &Record| vec![Edit::delete_raw(record.range.clone())];
            self.whole.push(records.iter().map(unit).collect());
            return;
        }
        for run in runs(records.len(), 1) {
            self.shorten(records[run.start].range.start..records[run.end - 1].range.end, around);
        }
    }

    /// Lists parts of a record's content: all of it, halves of it, and so on.
    fn cuts(&mut self, content: &Range<usize>, lengths: &[Length]) {
        let least = if content.len() <= 64 { 1 } else { content.len() / 16 };
        for run in runs(content.len(), least) {
            self.shorten(content.start + run.start..content.start + run.end, lengths);
        }
    }

    /// Takes a part out, and says so in the lengths around it, from the outermost to the innermost.
    fn shorten(&mut self, part: Range<usize>, lengths: &[Length]) {
        let mut gone = part.len();
        let mut edits = vec![Edit::delete_raw(part)];
        for length in lengths.iter().rev() {
            let Some(number) = length.number.checked_sub(gone) else { return };
            let text = length.code.write(number);
            // A number in fewer bytes shortens all records around it, too.
            gone += length.at.len().saturating_sub(text.len());
            edits.push(Edit { raw: true, ..Edit::replace(length.at.clone(), text) });
        }
        if self.single.len() < MOST_EDITS && self.seen.insert(edits.clone()) {
            self.single.push(edits);
        }
    }
}

impl Chain {
    /// Lists the possible places of a record's content: before, between or after the bytes that its length doesn't
    /// count.
    fn contents(&self, record: &Record) -> Vec<Range<usize>> {
        let (from, to) = (record.length.at.end, record.range.end);
        let uncounted = usize::try_from(self.uncounted).unwrap_or(0);
        let mut contents: Vec<Range<usize>> = [uncounted, 0, uncounted / 2]
            .into_iter()
            .map(|skipped| from + skipped..to - (uncounted - skipped))
            .filter(|content| !content.is_empty())
            .collect();
        contents.dedup();
        contents
    }
}

/// Selects the chains with the most evidence, after records that contain all others; of equal ones, the first.
fn best(mut found: Vec<(i64, Chain)>) -> Vec<(i64, Chain)> {
    found.sort_by_key(|(evidence, chain)| {
        let holds_all = chain.records.len() == 1 && *evidence >= CERTAIN;
        std::cmp::Reverse((holds_all, *evidence))
    });
    found.truncate(MOST_CHAINS);
    found
}

fn chains_of(found: Vec<(i64, Chain)>) -> Vec<Chain> {
    found.into_iter().map(|(_, chain)| chain).collect()
}

/// The runs of `count` things: all of them, halves, quarters, down to runs of `least`.
fn runs(count: usize, least: usize) -> impl Iterator<Item = Range<usize>> {
    let lengths = std::iter::successors(Some(count), move |length| (*length > least).then(|| length.div_ceil(2)));
    lengths
        .filter(|length| *length > 0)
        .flat_map(move |length| (0..count).step_by(length).map(move |start| start..(start + length).min(count)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Removal;
    use lop_syntax::render;

    /// The texts after each edit of the pass.
    fn proposed(data: &[u8]) -> Vec<Vec<u8>> {
        let proposals = Records.propose(&View::of_text(data));
        let units = proposals.sequences.iter().flat_map(|sequence| &sequence.units);
        let units = units.map(|unit| match &unit.removal {
            Removal::Edits(edits) => edits.clone(),
            Removal::Nodes(_) => panic!("there is no tree"),
        });
        let single = proposals.alternatives.iter().map(|made| made.edits.clone());
        units.chain(single).map(|edits| render(data, edits).text).collect()
    }

    #[track_caller]
    fn assert_among(data: &[u8], expected: &[&[u8]]) {
        let proposed = proposed(data);
        for result in expected {
            assert!(proposed.iter().any(|text| text == result), "{result:?} is not proposed for {data:?}");
        }
    }

    #[test]
    fn a_record_goes_whole_or_a_byte_shorter() {
        let data = b"\x0a\x03abc\x0b\x04defg\x0c\x02hi";
        assert_among(
            data,
            &[
                b"\x0b\x04defg\x0c\x02hi",
                b"\x0a\x03abc\x0c\x02hi",
                b"\x0a\x02ac\x0b\x04defg\x0c\x02hi",
                b"\x0a\x03abc\x0b\x00\x0c\x02hi",
            ],
        );
    }

    #[test]
    fn the_lengths_around_a_record_change_with_it() {
        let inner = |length: u8, content: &[u8]| [b"ABCD", &[length, 0, 0, 0][..], content].concat();
        let outer = |content: &[u8]| {
            let length = u32::try_from(content.len()).expect("short").to_le_bytes();
            [b"RIFF", &length[..], content].concat()
        };
        let all = outer(&[inner(3, b"one"), inner(5, b"three"), inner(2, b"hi")].concat());
        assert_among(&all, &[&outer(&[inner(3, b"one"), inner(2, b"hi")].concat()), &outer(&inner(2, b"hi"))]);
        assert_among(&all, &[&outer(&[inner(3, b"one"), inner(4, b"hree"), inner(2, b"hi")].concat())]);
    }

    #[test]
    fn each_way_to_write_a_length_is_read_and_written() {
        for code in CODES {
            for number in [0, 1, 9, 10, 99, 127, 128, 200, 255] {
                let written = code.write(number);
                assert_eq!(code.read(&written), Some((number, written.len())), "{code:?}");
            }
        }
        let rows = [
            (Code::Big(2), &[1, 2, 9][..], Some((258, 2))),
            (Code::Little(2), &[1, 2, 9][..], Some((513, 2))),
            (Code::Varint, &[0x96, 1], Some((150, 2))),
            (Code::Varint, &[0x80; 9], None),
            (Code::Decimal, b"12:", Some((12, 2))),
            (Code::Decimal, b":", None),
            (Code::Big(8), &[0xff; 7], None),
        ];
        for (code, data, expected) in rows {
            assert_eq!(code.read(data), expected, "{code:?} of {data:?}");
        }
    }

    #[test]
    fn decimal_lengths_are_found_in_text_too() {
        assert_among(b"5:hello,3:abc,2:no,", &[b"3:abc,2:no,", b"5:hello,2:bc,2:no,", b"5:hello,3:abc,"]);
    }

    #[test]
    fn any_data_cost_a_bounded_search() {
        // A record of one byte, and a length that no machine has room for.
        let huge = [&[0, 0, 0, 0, 0, 0, 0, 1, 9][..], &[0xff; 8], b"abc"].concat();
        let all = [vec![0; LONGEST], vec![1; LONGEST], vec![0xff; 1 << 16], b"\x00".to_vec(), Vec::new(), huge];
        for data in all {
            let proposals = Records.propose(&View::of_text(&data));
            let units = proposals.sequences.iter().map(|sequence| sequence.units.len());
            assert!(units.sum::<usize>() <= MOST_CHAINS * MOST_RECORDS);
            assert!(proposals.alternatives.len() <= MOST_EDITS);
        }
        assert!(proposed(&vec![0; LONGEST + 1]).is_empty());
        assert!(proposed(b"a text of words").is_empty());
    }
}
