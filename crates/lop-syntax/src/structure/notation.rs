//! The notation of a text: the facts that its structure depends on.

use std::collections::{BTreeMap, HashMap};

/// The marks of a kind of text: its brackets, quotes, comments, words and separators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notation {
    /// Beginnings of comments that end with their line.
    pub line_comments: Vec<Vec<u8>>,
    /// Such a comment is always at the start of a line.
    pub only_at_lines: bool,
    /// Beginnings and ends of other comments.
    pub block_comments: Vec<(Vec<u8>, Vec<u8>)>,
    /// Quotes around strings.
    pub quotes: Vec<u8>,
    /// The sign before a quote in a string that does not end it.
    pub escape: Option<u8>,
    /// Quotes around names.
    pub name_quotes: Vec<u8>,
    /// Signs that names may have anywhere, besides letters, digits and `_`.
    pub name_signs: Vec<u8>,
    /// Signs that a name may begin with.
    pub sigils: Vec<u8>,
    /// Pairs of brackets.
    pub brackets: Vec<(u8, u8)>,
    /// Pairs of words around a block.
    pub blocks: Vec<(Vec<u8>, Vec<u8>)>,
    /// Whether the case of block words does not matter.
    pub ignores_case: bool,
    /// Whether `<x> … </x>` and `\begin{x} … \end{x}` belong together.
    pub tags: bool,
    /// Whether line breaks and indentation mean something.
    pub lines: bool,
    /// Whether it means something that there is no blank between two tokens.
    pub joins: bool,
    /// Separators between the elements of a list.
    pub separators: Vec<u8>,
    /// Ends of statements.
    pub terminators: Vec<u8>,
    /// Whether the marks are those of a language, and not found by a look at a text.
    pub is_certain: bool,
    /// Whether the lines are records, whose fields the separators divide.
    pub records: bool,
}

impl Default for Notation {
    /// Brackets, commas, semicolons and double quotes, on lines.
    fn default() -> Self {
        Notation {
            line_comments: Vec::new(),
            only_at_lines: false,
            block_comments: Vec::new(),
            quotes: vec![b'"'],
            escape: Some(b'\\'),
            name_quotes: Vec::new(),
            name_signs: Vec::new(),
            sigils: Vec::new(),
            brackets: BRACKETS.to_vec(),
            blocks: Vec::new(),
            ignores_case: false,
            tags: false,
            lines: true,
            joins: true,
            separators: vec![b','],
            terminators: vec![b';'],
            is_certain: false,
            records: false,
        }
    }
}

const BRACKETS: [(u8, u8); 3] = [(b'(', b')'), (b'[', b']'), (b'{', b'}')];

/// Number of bytes from which the marks are guessed.
const LOOKED_AT: usize = 1 << 20;

impl Notation {
    /// The notation of a text, found by a look at it.
    #[must_use]
    pub fn of(text: &[u8]) -> Self {
        let text = &text[..text.len().min(LOOKED_AT)];
        let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        let separator = record_separator(&lines);
        let mut notation = Notation {
            quotes: b"\"'`".iter().copied().filter(|quote| is_quote(&lines, *quote)).collect(),
            line_comments: [&b"//"[..], b"#", b"--", b";", b"%", b"!"]
                .into_iter()
                .filter(|mark| is_comment_mark(&lines, mark))
                .map(<[u8]>::to_vec)
                .collect(),
            only_at_lines: true,
            block_comments: pair_of(text, b"/*", b"*/").into_iter().chain(pair_of(text, b"<!--", b"-->")).collect(),
            tags: has_tags(text),
            records: separator.is_some(),
            ..Notation::default()
        };
        notation.brackets.retain(|&(open, close)| are_paired(text, open, close));
        if let Some(separator) = separator {
            notation.separators = vec![separator];
            notation.terminators.retain(|mark| *mark != separator);
            notation.line_comments.clear();
        }
        notation.blocks = block_words(text);
        notation
    }

    pub(super) fn is_name(&self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 || self.name_signs.contains(&byte)
    }

    /// Whether a line that starts with this token closes the lines before it that are indented more.
    pub(super) fn closes(&self, token: &[u8]) -> bool {
        let word = token.to_ascii_lowercase();
        word.starts_with(b"end") || [&b"done"[..], b"fi", b"esac", b"}", b")", b"]", b"</"].contains(&&word[..])
    }
}

/// Whether a sign is a quote: nearly every line has an even number of them, and hardly any is an apostrophe.
fn is_quote(lines: &[&[u8]], quote: u8) -> bool {
    let (mut with, mut even, mut signs, mut apostrophes) = (0, 0, 0, 0);
    for line in lines {
        let count = memchr::memchr_iter(quote, line).count();
        if count == 0 {
            continue;
        }
        with += 1;
        even += usize::from(count.is_multiple_of(2));
        signs += count;
        let is_letter = |at: Option<usize>| at.and_then(|at| line.get(at)).is_some_and(u8::is_ascii_alphanumeric);
        apostrophes += memchr::memchr_iter(quote, line)
            .filter(|&at| is_letter(at.checked_sub(1)) && is_letter(Some(at + 1)))
            .count();
    }
    let is_common = quote == b'"' || with > 0;
    is_common && even * 10 >= with * 8 && apostrophes * 10 <= signs
}

/// Whether brackets mostly have a partner.
fn are_paired(text: &[u8], open: u8, close: u8) -> bool {
    let (mut depth, mut paired, mut alone) = (0_usize, 0_usize, 0_usize);
    for at in memchr::memchr2_iter(open, close, text) {
        if text[at] == open {
            depth += 1;
        } else if depth > 0 {
            depth -= 1;
            paired += 1;
        } else {
            alone += 1;
        }
    }
    (alone + depth) * 4 <= paired.max(8)
}

/// Whether some lines start with a comment mark that a blank or another mark follows.
fn is_comment_mark(lines: &[&[u8]], mark: &[u8]) -> bool {
    let is_comment = |line: &&&[u8]| {
        let line = line.trim_ascii_start();
        let next = line.strip_prefix(mark).map(|rest| rest.first().copied());
        next.is_some_and(|next| next.is_none_or(|next| next.is_ascii_whitespace() || next == mark[0] || next == b'!'))
    };
    lines.iter().filter(is_comment).take(3).count() == 3
}

fn pair_of(text: &[u8], open: &[u8], close: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let from = memchr::memmem::find(text, open)?;
    memchr::memmem::find(&text[from..], close).map(|_| (open.to_vec(), close.to_vec()))
}

fn has_tags(text: &[u8]) -> bool {
    let closes = memchr::memmem::find_iter(text, b"</").count();
    let ends = memchr::memmem::find_iter(text, b"\\end{").count();
    (closes > 1 && memchr::memchr_iter(b'<', text).count() >= 2 * closes)
        || (ends > 0 && memchr::memmem::find_iter(text, b"\\begin{").count() >= ends)
}

/// Lines that are looked at for records, and the fewest that are worth it.
const RECORDS: usize = 200;
const FEWEST_RECORDS: usize = 4;

/// Finds the separator that nearly all lines have equally often.
fn record_separator(lines: &[&[u8]]) -> Option<u8> {
    let lines: Vec<_> = lines.iter().filter(|line| !line.trim_ascii().is_empty()).take(RECORDS).collect();
    if lines.len() < FEWEST_RECORDS {
        return None;
    }
    b",\t;|".iter().copied().find(|separator| {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for line in &lines {
            *counts.entry(fields(line, *separator).count() - 1).or_default() += 1;
        }
        let usual = counts.iter().max_by_key(|(_, lines)| **lines);
        usual.is_some_and(|(count, same)| *count > 0 && same * 10 >= lines.len() * 9)
            && !lines.iter().any(|line| line.trim_ascii_end().ends_with(&[*separator]) && *separator == b';')
    })
}

/// The fields of a record; quotes hide separators.
pub fn fields(line: &[u8], separator: u8) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let from = start?;
        let (mut at, mut quoted) = (from, false);
        while at < line.len() && (quoted || line[at] != separator) {
            quoted ^= line[at] == b'"';
            at += 1;
        }
        start = (at < line.len()).then_some(at + 1);
        Some(from..at)
    })
}

/// Words that a text uses regularly around blocks: `begin` and `end`, `X` and `endX`, `do` and `done`, `X` and its
/// mirror image.
fn block_words(text: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    for word in text.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')).filter(|word| word.len() > 1) {
        *counts.entry(word).or_default() += 1;
    }
    let count = |word: &[u8]| counts.get(word).copied().unwrap_or_default();
    let mut pairs = Vec::new();
    let mut ends: Vec<&[u8]> = counts.keys().copied().filter(|word| could_end(word)).collect();
    ends.sort_unstable();
    for end in ends {
        let is_upper = end.iter().all(u8::is_ascii_uppercase);
        let lower = end.to_ascii_lowercase();
        let begin: Vec<u8> = match &lower[..] {
            b"end" => b"begin".to_vec(),
            b"done" => b"do".to_vec(),
            b"fi" => b"if".to_vec(),
            b"esac" => b"case".to_vec(),
            _ => lower[3..].to_vec(),
        };
        let begin = if is_upper { begin.to_ascii_uppercase() } else { begin };
        let (begins, ends) = (count(&begin), count(end));
        if begins >= ends && begins <= ends + ends / 4 && !begin.is_empty() {
            pairs.push((begin, end.to_vec()));
        }
    }
    pairs
}

fn could_end(word: &[u8]) -> bool {
    let lower = word.to_ascii_lowercase();
    lower.starts_with(b"end") || [&b"done"[..], b"fi", b"esac"].contains(&&lower[..])
}
