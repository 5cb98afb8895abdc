//! The origins of a result's text: for each of its tokens the line of the input, followed through the accepted steps.
//! Comparing the input with the result alone could not tell which of a hundred closing brackets is left.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// Time for one step, after which the rest of it is compared roughly.
const PATIENCE: Duration = Duration::from_millis(200);
/// Time limit for all steps. Later steps are skipped, and the last text is compared with the last known one.
const ALL_PATIENCE: Duration = Duration::from_secs(5);

/// A text and the origins of its tokens.
#[derive(Clone, Debug)]
pub struct Origins {
    text: Vec<u8>,
    tokens: Vec<Token>,
    /// Time that was spent.
    spent: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    range: Range<usize>,
    /// The line of the input that it comes from, counted from 0.
    line: usize,
}

impl Origins {
    /// Starts with the input: each token comes from its own line.
    #[must_use]
    pub fn new(input: &[u8]) -> Self {
        let mut line = 0;
        let mut last = 0;
        let mut tokens = tokens(input, 0);
        for token in &mut tokens {
            line += feeds(&input[last..token.range.start]);
            (token.line, last) = (line, token.range.start);
        }
        Origins { text: input.to_vec(), tokens, spent: Duration::ZERO }
    }

    /// Goes on to the next text.
    pub fn follow(&mut self, next: &[u8]) {
        if self.spent < ALL_PATIENCE {
            self.catch_up(next);
        }
    }

    /// Returns, for each line of `result`, the lines of the input that its tokens come from. `result` is the last text.
    #[must_use]
    pub fn lines(mut self, result: &[u8]) -> Vec<Vec<usize>> {
        self.catch_up(result);
        let mut lines = vec![Vec::new(); feeds(result) + 1];
        let (mut line, mut last) = (0, 0);
        for token in &self.tokens {
            line += feeds(&self.text[last..token.range.start]);
            last = token.range.start;
            lines[line].push(token.line);
        }
        lines
    }

    /// Most of a text is equal before and after a change, so only the lines between are compared.
    fn catch_up(&mut self, next: &[u8]) {
        let start = Instant::now();
        let old = &self.text;
        let same = |(a, b): &(&u8, &u8)| a == b;
        let before = old.iter().zip(next).take_while(same).count();
        let before = memchr::memrchr(b'\n', &old[..before]).map_or(0, |feed| feed + 1);
        let behind = old[before..].iter().rev().zip(next[before..].iter().rev()).take_while(same).count();
        let at = old.len() - behind;
        let behind = memchr::memchr(b'\n', &old[at..]).map_or(0, |feed| behind - feed - 1);
        let (old_end, end) = (old.len() - behind, next.len() - behind);
        let first = self.tokens.partition_point(|token| token.range.start < before);
        let last = self.tokens.partition_point(|token| token.range.start < old_end);
        let mut middle = tokens(&next[before..end], before);
        carry(old, &self.tokens[first..last], next, &mut middle, start + PATIENCE);
        let nearest = self.tokens.get(first).or(self.tokens.last()).map_or(0, |token| token.line);
        if first == last {
            middle.iter_mut().for_each(|token| token.line = nearest);
        }
        for token in &mut self.tokens[last..] {
            let moved = |at: usize| at - old_end + end;
            token.range = moved(token.range.start)..moved(token.range.end);
        }
        self.tokens.splice(first..last, middle);
        self.text = next.to_vec();
        self.spent += start.elapsed();
    }
}

/// Gives each new token the line of the old token that it is equal to, first by lines, and in different lines by
/// tokens.
fn carry(old: &[u8], from: &[Token], new: &[u8], to: &mut [Token], until: Instant) {
    let Some(first) = from.first() else { return };
    if from.iter().all(|token| token.line == first.line) {
        to.iter_mut().for_each(|token| token.line = first.line);
        return;
    }
    let (old_lines, new_lines) = (in_lines(old, from), in_lines(new, to));
    let texts = |text, tokens: &[Token], lines: &[Range<usize>]| -> Vec<Vec<u8>> {
        lines
            .iter()
            .map(|line| tokens[line.clone()].iter().map(|token| word(text, token)).collect::<Vec<_>>().join(&b' '))
            .collect()
    };
    let (old_texts, new_texts) = (texts(old, from, &old_lines), texts(new, to, &new_lines));
    let of = |lines: &[Range<usize>], part: Range<usize>| match (lines.get(part.start), part.is_empty()) {
        (Some(first), false) => first.start..lines[part.end - 1].end,
        (Some(first), true) => first.start..first.start,
        (None, _) => lines.last().map_or(0..0, |last| last.end..last.end),
    };
    for op in capture_diff_slices_deadline(Algorithm::Histogram, &old_texts, &new_texts, Some(until)) {
        let (a, b) = (of(&old_lines, op.old_range()), of(&new_lines, op.new_range()));
        match op {
            DiffOp::Equal { .. } => same(&from[a], &mut to[b]),
            _ => by_token(old, from, a, new, to, b, until),
        }
    }
}

fn by_token(
    old: &[u8],
    from: &[Token],
    a: Range<usize>,
    new: &[u8],
    to: &mut [Token],
    b: Range<usize>,
    until: Instant,
) {
    let olds: Vec<&[u8]> = from[a.clone()].iter().map(|token| word(old, token)).collect();
    let news: Vec<&[u8]> = to[b.clone()].iter().map(|token| word(new, token)).collect();
    for op in capture_diff_slices_deadline(Algorithm::Myers, &olds, &news, Some(until)) {
        let (there, here) = (op.old_range(), op.new_range());
        let there = a.start + there.start..a.start + there.end;
        let here = b.start + here.start..b.start + here.end;
        if matches!(op, DiffOp::Equal { .. }) {
            same(&from[there], &mut to[here]);
            continue;
        }
        // A new token replaces an old one, or belongs to the one before it.
        for (number, token) in to[here].iter_mut().enumerate() {
            let beside = (there.start + number).min(there.end.max(there.start + 1) - 1);
            let beside = if there.is_empty() { there.start.saturating_sub(1) } else { beside };
            token.line = from[beside.min(from.len() - 1)].line;
        }
    }
}

fn same(from: &[Token], to: &mut [Token]) {
    to.iter_mut().zip(from).for_each(|(token, from)| token.line = from.line);
}

fn word<'t>(text: &'t [u8], token: &Token) -> &'t [u8] {
    &text[token.range.clone()]
}

/// The tokens of each line that has any, as a range of their numbers.
fn in_lines(text: &[u8], tokens: &[Token]) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    for (number, token) in tokens.iter().enumerate() {
        let is_new = number == 0 || feeds(&text[tokens[number - 1].range.end..token.range.start]) > 0;
        match lines.last_mut() {
            Some(line) if !is_new => line.end = number + 1,
            _ => lines.push(number..number + 1),
        }
    }
    lines
}

/// Splits a text at `offset` into words and single signs. Their lines aren't known yet.
fn tokens(text: &[u8], offset: usize) -> Vec<Token> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let word = text[at..].iter().take_while(|byte| is_word(byte)).count();
        let len = word.max(1);
        if word > 0 || !text[at].is_ascii_whitespace() {
            tokens.push(Token { range: offset + at..offset + at + len, line: 0 });
        }
        at += len;
    }
    tokens
}

fn feeds(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(steps: &[&str]) -> Vec<Vec<usize>> {
        let (first, rest) = steps.split_first().expect("an input");
        let (last, middle) = rest.split_last().unwrap_or((first, &[]));
        let mut origins = Origins::new(first.as_bytes());
        middle.iter().for_each(|text| origins.follow(text.as_bytes()));
        origins.lines(last.as_bytes())
    }

    #[test]
    fn what_looks_alike_keeps_its_own_line() {
        // A comparison of the first with the last could take any of the three.
        let steps = ["a {\n}\nb {\n}\nc {\n}\n", "a {\n}\nb {\n}\n", "b {\n}\n", "b {}"];
        assert_eq!(lines(&steps), [[2, 2, 3]]);
    }

    #[test]
    fn another_name_stays_in_its_line_and_an_other_layout_as_well() {
        let steps = [
            "int first;\nint second = 1;\nuse(second);\n",
            "int second = 1;\nuse(second);\n",
            "int a = 1;\nuse(a);\n",
            "int\na = 1; use(a);",
        ];
        assert_eq!(lines(&steps), [vec![1], vec![1, 1, 1, 1, 2, 2, 2, 2, 2]]);
    }

    #[test]
    fn what_is_put_in_belongs_to_what_stands_before_it() {
        assert_eq!(lines(&["f(a)\ng(b)\n", "f(a)\ng(new, b)\n"]), [vec![0, 0, 0, 0], vec![1; 6], vec![]]);
        assert_eq!(lines(&["a\nb\n", "a\nnew\nb\n"])[2], [1]);
        assert_eq!(lines(&["", "x"]), [[0]]);
        assert_eq!(lines(&["x", ""]), [vec![0; 0]]);
    }

    #[test]
    fn a_large_text_does_not_hang() {
        let line = |n: u32| format!("{};\n", n.wrapping_mul(2_654_435_761) % 977);
        let before: String = (0..100_000).map(line).collect();
        let after: String = (0..100_000).rev().map(line).collect();
        assert_eq!(lines(&[&before, &after]).len(), 100_001);
    }
}
