//! The texts for the reasons why a token stays, for the page and the terminal.

use lop_files::project::TestCase;
use lop_reduce::{Necessity, Reason, Record, Why};

/// The reasons in the order in which they are listed.
pub const ORDER: [Why; 8] =
    [Why::Refused, Why::Unparsed, Why::Invalid, Why::Timeout, Why::OtherCrash, Why::Kept, Why::Removable, Why::Unasked];

/// The outcome without the token, for a list of reasons.
#[must_use]
pub fn heading(why: Why) -> &'static str {
    match why {
        Why::Refused => "the test says no",
        Why::Unparsed => "would not parse",
        Why::Invalid => "the test calls it invalid",
        Why::Timeout => "timeout",
        Why::OtherCrash => "another crash",
        Why::Kept => "kept as asked for",
        Why::Removable => "found removable too late",
        Why::Unasked => "never tried",
    }
}

/// Formats the record of a reason as a sentence without a full stop.
#[must_use]
pub fn sentence(reason: &Reason) -> String {
    let Some(Record { test, pass, why, slip }) = &reason.record else {
        return match reason.why {
            Why::Kept => "not tried: an option keeps it".to_owned(),
            _ => "never tried alone".to_owned(),
        };
    };
    let outcome = match why {
        Why::Refused => "not interesting",
        Why::Unparsed => "rejected for a new syntax error",
        Why::Invalid => "invalid",
        Why::Timeout => "timed out",
        Why::OtherCrash => "another crash",
        Why::Kept | Why::Unasked => "not asked",
        Why::Removable => "interesting, but found too late",
    };
    let mut text = match test {
        Some(number) => format!("without it: {outcome}, test {number}, pass {pass}"),
        None => format!("without it: {outcome}, no test needed, pass {pass}"),
    };
    if let Some(slip) = slip {
        text.push_str(": ");
        text.push_str(slip);
    }
    if reason.was_earlier {
        text.push_str(" (of the text before names and layout)");
    }
    text
}

/// Returns a caveat about a whole map, if there is one.
#[must_use]
pub fn caveat(map: &Necessity) -> Option<String> {
    if !map.is_result {
        return Some("This is the text before lop shortened names and laid it out: lop tested that one.".to_owned());
    }
    let earlier = map.reasons.iter().filter(|reason| reason.was_earlier).count();
    (earlier > 0).then(|| {
        format!(
            "For {earlier} of {} tokens, lop tested this before it shortened names and laid the text out. The tokens are \
             matched by their order.",
            map.reasons.len()
        )
    })
}

/// Formats an offset as a line and a column, after the path if there are several files.
#[must_use]
pub fn place<'a>(case: impl Into<TestCase<'a>>, at: usize) -> String {
    let case = case.into();
    let text = case.text();
    let file = case.files().into_iter().find(|file| file.content.start <= at && at < file.content.end);
    let (path, start) =
        file.map_or((String::new(), 0), |file| (format!("{}:", file.path().display()), file.content.start));
    let (line, column) = position(&text[start..], at - start);
    format!("{path}{line}:{column}")
}

/// The line and the column, in bytes, of an offset, both from 1.
fn position(text: &[u8], at: usize) -> (usize, usize) {
    let before = &text[..at.min(text.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    (line, before.len() - start + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_files::project::{Archive, Kind, Member};

    #[test]
    fn a_place_in_one_of_several_files_is_that_in_the_file() {
        let member =
            |path: &str| Member { path: path.into(), kind: Kind::File, mode: 0o644, content: b"ab\ncd".to_vec() };
        let (archive, text) = Archive::pack(&[member("a"), member("b/c")]);
        assert_eq!(place(TestCase::Files(&archive, &text), text.len() - 1), "b/c:2:2");
        assert_eq!(place(b"ab\ncd", 4), "2:2");
    }

    #[test]
    fn positions_are_counted_from_one() {
        assert_eq!(position(b"ab\ncd", 0), (1, 1));
        assert_eq!(position(b"ab\ncd", 4), (2, 2));
    }

    #[test]
    fn a_sentence_names_the_test_and_the_pass() {
        let record = Record { test: Some(34), pass: "tokens", why: Why::OtherCrash, slip: Some("SIGABRT".to_owned()) };
        let reason = Reason { range: 0..1, why: Why::OtherCrash, record: Some(record), was_earlier: true };
        assert_eq!(
            sentence(&reason),
            "without it: another crash, test 34, pass tokens: SIGABRT (of the text before names and layout)"
        );
        let unasked = Reason { range: 0..1, why: Why::Unasked, record: None, was_earlier: false };
        assert!(sentence(&unasked).contains("never tried"));
    }
}
