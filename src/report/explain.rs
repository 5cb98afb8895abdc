//! Why each token of a small result stays, in the terminal.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::reduce::{Necessity, Reason, Why};

use super::reasons::{ORDER, caveat, heading, place, sentence};
use super::text::{self, FAINT, STRONG, WARN, shown};

/// Tokens of one reason that are listed; more are only counted.
const LISTED: usize = 200;
/// Longest token shown, in characters.
const EXCERPT: usize = 40;

/// Writes the reasons, those of a kind together, each with the test that was asked.
///
/// # Errors
/// When writing fails.
pub fn write(out: &mut dyn Write, map: Option<&Necessity>) -> io::Result<()> {
    let Some(map) = map else {
        return writeln!(out, "the result is too large to say why each of its tokens stays");
    };
    writeln!(out, "{STRONG}why each token stays{STRONG:#} ({})", text::plural(map.reasons.len() as u64, "token"))?;
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
        // Those of which nothing but the same can be said stand in one line.
        let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (token, reason) in &tokens {
            if reason.record.as_ref().is_none_or(|record| record.test.is_none()) {
                alike.entry(text::one_line(&sentence(reason))).or_default().push(token);
                continue;
            }
            let place = place(&map.text, reason.range.start);
            let sentence = text::one_line(&sentence(reason));
            writeln!(out, "    {token:<width$}  {place:<7}  {FAINT}{sentence}{FAINT:#}")?;
        }
        for (sentence, tokens) in alike {
            writeln!(out, "    {}  {FAINT}{sentence}{FAINT:#}", tokens.join(" "))?;
        }
        if reasons.len() > LISTED {
            writeln!(out, "    and {} more", text::len(reasons.len() - LISTED))?;
        }
    }
    Ok(())
}

fn token(map: &Necessity, reason: &Reason) -> String {
    let bytes = map.text.get(reason.range.clone()).unwrap_or_default();
    text::visible(&shown(bytes).replace('\n', "\\n"), EXCERPT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::Record;

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
        write(&mut out, Some(&map)).expect("a vector takes everything");
        let plain = anstream::adapter::strip_bytes(&out).into_vec();
        let expected = "\
why each token stays (4 tokens)

  the test says no (2)
    int  1:1      without it: not interesting, test 12, pass tokens
    }    2:1      without it: not interesting, test 3, pass tokens

  would not parse (1)
    a  without it: refused for a syntax error more, no test needed, pass tokens

  never asked (1)
    ;  the result without it, and nothing else, was never asked about
";
        assert_eq!(String::from_utf8_lossy(&plain), expected);
    }
}
