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
