//! Why each token of a small result stays, in the terminal.

use std::collections::BTreeMap;
use std::io::{self, Write};

use lop_files::project::{Archive, TestCase};
use lop_reduce::{Necessity, Reason, Why};

use super::reasons::{ORDER, caveat, heading, place, sentence};
use super::text::{self, FAINT, STRONG, WARN, shown};

/// Columns of a row of tokens.
const WIDTH: usize = 72;
/// Tokens of one reason that are listed; more are only counted.
const LISTED: usize = 200;
/// Longest token shown, in characters.
const EXCERPT: usize = 40;

/// Writes the tokens, grouped by reason; with `details` each with its place and the test that decided.
///
/// # Errors
/// When writing fails.
pub fn write(out: &mut dyn Write, map: Option<&Necessity>, archive: Option<&Archive>, details: bool) -> io::Result<()> {
    let Some(map) = map else {
        return writeln!(out, "the result is too large to explain each token");
    };
    writeln!(out, "{STRONG}why each token was kept{STRONG:#} ({})", text::plural(map.reasons.len() as u64, "token"))?;
    if let Some(caveat) = caveat(map) {
        writeln!(out, "{FAINT}{caveat}{FAINT:#}")?;
    }
    for why in ORDER {
        let reasons: Vec<&Reason> = map.reasons.iter().filter(|reason| reason.why == why).collect();
        if reasons.is_empty() {
            continue;
        }
        let style = if why == Why::Refused { STRONG } else { WARN };
        writeln!(out, "\n  {style}{}{style:#} ({})", heading(why), text::len(reasons.len()))?;
        let tokens: Vec<(String, &Reason)> =
            reasons.iter().take(LISTED).map(|reason| (token(map, reason), *reason)).collect();
        let width = tokens.iter().map(|(token, _)| token.chars().count()).max().unwrap_or(0);
        // The places tell the files apart.
        if !details && archive.is_none() {
            let words = tokens.iter().map(|(token, _)| token.as_str());
            rows(words).iter().try_for_each(|row| writeln!(out, "    {row}"))?;
            more(out, reasons.len())?;
            continue;
        }
        // Tokens with the same explanation share a line.
        let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (token, reason) in &tokens {
            if reason.record.as_ref().is_none_or(|record| record.test.is_none()) {
                alike.entry(text::one_line(&sentence(reason))).or_default().push(token);
                continue;
            }
            let place = place(TestCase::new(archive, &map.text), reason.range.start);
            let sentence = text::one_line(&sentence(reason));
            writeln!(out, "    {token:<width$}  {place:<7}  {FAINT}{sentence}{FAINT:#}")?;
        }
        for (sentence, tokens) in alike {
            writeln!(out, "    {}  {FAINT}{sentence}{FAINT:#}", tokens.join(" "))?;
        }
        more(out, reasons.len())?;
    }
    Ok(())
}

/// Numbers and strings that are replaced.
const MOST_REPLACED: usize = 8;
/// The values that they get; each of them gets two that it does not have.
const NUMBERS: [&str; 3] = ["7", "31", "0"];
const STRINGS: [&str; 3] = ["q", "xyz", ""];

/// Writes which numbers and strings of the result could as well have another value: the bug is shown with two others, too
/// (generalisation; Pike, *SmartCheck: Automatic and Efficient Counterexample Reduction and Generalization*, Haskell
/// 2014). `is_interesting` is asked twice about each, at most 16 times in all.
///
/// # Errors
/// When writing fails.
pub fn write_values(
    out: &mut dyn Write,
    map: &Necessity,
    is_interesting: &mut dyn FnMut(&[u8]) -> bool,
) -> io::Result<()> {
    let values = map.reasons.iter().filter(|reason| reason.why != Why::Kept && map.is_result).filter_map(|reason| {
        let own = std::str::from_utf8(map.text.get(reason.range.clone())?).ok()?;
        let others = others(own);
        (!others.is_empty()).then_some((reason, others))
    });
    let mut is_free = |(reason, others): &(&Reason, Vec<String>)| {
        let (before, after) = (&map.text[..reason.range.start], &map.text[reason.range.end..]);
        others.iter().all(|other| is_interesting(&[before, other.as_bytes(), after].concat()))
    };
    let free: Vec<String> =
        values.take(MOST_REPLACED).filter(|value| is_free(value)).map(|(reason, _)| token(map, reason)).collect();
    if free.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n  {STRONG}another value would do{STRONG:#} ({})", text::len(free.len()))?;
    rows(free.iter().map(String::as_str)).iter().try_for_each(|row| writeln!(out, "    {row}"))
}

/// Two other values of a number or a string; none of anything else.
fn others(own: &str) -> Vec<String> {
    let quote = own.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'));
    let quoted = quote.filter(|quote| own.len() >= 2 && own.ends_with(*quote));
    let all: Vec<String> = match quoted {
        Some(quote) => STRINGS.iter().map(|value| format!("{quote}{value}{quote}")).collect(),
        None if !own.is_empty() && own.bytes().all(|byte| byte.is_ascii_digit()) => {
            NUMBERS.iter().map(|value| (*value).to_owned()).collect()
        }
        None => Vec::new(),
    };
    all.into_iter().filter(|value| value != own).take(2).collect()
}

/// Words as rows that fit a terminal.
fn rows<'w>(words: impl Iterator<Item = &'w str>) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in words {
        match rows.last_mut() {
            Some(row) if row.chars().count() + word.chars().count() + 2 <= WIDTH => row.push_str(&format!("  {word}")),
            _ => rows.push(word.to_owned()),
        }
    }
    rows
}

fn more(out: &mut dyn Write, all: usize) -> io::Result<()> {
    if all > LISTED { writeln!(out, "    and {} more", text::len(all - LISTED)) } else { Ok(()) }
}

fn token(map: &Necessity, reason: &Reason) -> String {
    let bytes = map.text.get(reason.range.clone()).unwrap_or_default();
    text::visible(&shown(bytes).replace('\n', "\\n"), EXCERPT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_reduce::Record;

    #[test]
    fn values_that_could_be_others_are_listed() {
        let text = "f(7, 'a', b, 12)";
        let reason = |word: &str| {
            let start = text.find(word).expect("it is there");
            Reason { range: start..start + word.len(), why: Why::Refused, record: None, was_earlier: false }
        };
        let reasons = ["f", "7", "'a'", "b", "12"].map(reason).to_vec();
        let map = Necessity { text: text.into(), is_result: true, reasons };
        let (mut out, mut asked) = (Vec::new(), Vec::new());
        let mut ask = |candidate: &[u8]| {
            asked.push(String::from_utf8_lossy(candidate).into_owned());
            candidate.ends_with(b"12)")
        };
        write_values(&mut out, &map, &mut ask).expect("a vector takes everything");
        let plain = anstream::adapter::strip_bytes(&out).into_vec();
        assert_eq!(String::from_utf8_lossy(&plain), "\n  another value would do (2)\n    7  'a'\n");
        let five =
            ["f(31, 'a', b, 12)", "f(0, 'a', b, 12)", "f(7, 'q', b, 12)", "f(7, 'xyz', b, 12)", "f(7, 'a', b, 7)"];
        assert_eq!(asked, five);
    }

    #[test]
    fn tokens_are_grouped_by_reason() {
        let reason = |range, why, test| {
            let record = (why != Why::Unasked).then_some(Record { test, pass: "tokens", why, slip: None });
            Reason { range, why, record, was_earlier: false }
        };
        let map = Necessity {
            text: b"int a;\n}".to_vec(),
            is_result: true,
            reasons: vec![
                reason(0..3, Why::Refused, Some(12)),
                reason(4..5, Why::Unparsed, None),
                reason(5..6, Why::Unasked, None),
                reason(7..8, Why::Refused, Some(3)),
            ],
        };
        let mut out = Vec::new();
        write(&mut out, Some(&map), None, true).expect("a vector takes everything");
        let plain = anstream::adapter::strip_bytes(&out).into_vec();
        let expected = "\
why each token was kept (4 tokens)

  the test says no (2)
    int  1:1      without it: not interesting, test 12, pass tokens
    }    2:1      without it: not interesting, test 3, pass tokens

  would not parse (1)
    a  without it: rejected for a new syntax error, no test needed, pass tokens

  never tried (1)
    ;  never tried alone
";
        assert_eq!(String::from_utf8_lossy(&plain), expected);
    }
}
