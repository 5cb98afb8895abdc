//! The necessity map: the result with a mark on each token for the reason why it stays. Hover and focus show the
//! question.

use std::ops::Range;

use maud::{Markup, html};

use crate::reasons::{ORDER, caveat, heading, sentence};
use crate::text::{self, shown};
use lop_files::project::{Archive, TestCase};
use lop_reduce::{Necessity, Report, Why};

/// Tokens that are marked; a browser is slow with many more.
const MOST: usize = 5_000;
/// Bytes of a result without marks that are shown.
const MOST_BYTES: usize = 32 << 10;

pub(super) fn section(report: &Report) -> Markup {
    let Some(map) = &report.necessity else {
        let part = &report.best[..report.best.len().min(MOST_BYTES)];
        return html! {
            p { "The result is too large to say why each of its tokens stays." }
            pre class="block" { (shown(part)) }
            @if part.len() < report.best.len() { p class="cut" { "Only the first " (text::len(part.len())) " bytes are shown." } }
        };
    };
    marked(report.archive.as_ref(), map)
}

fn marked(archive: Option<&Archive>, map: &Necessity) -> Markup {
    let total = map.reasons.len();
    html! {
        p class="lead" {
            "Colour says what happens to the result without this one token. Point at a token, or reach it with the Tab key, "
            "for the test that decided."
        }
        @if let Some(caveat) = caveat(map) { p class="caveat" { (caveat) } }
        ul class="legend" {
            @for why in ORDER {
                @let number = map.count(why);
                @if number > 0 {
                    li { span class={ "t " (class(why)) } { (heading(why)) } " " (text::len(number)) " of " (text::len(total)) }
                }
            }
        }
        @let files = files(TestCase::new(archive, &map.text));
        @for (path, part) in &files {
            @if files.len() > 1 || !path.is_empty() { h3 { (path) } }
            pre class="block map" { (tokens(map, part)) }
        }
        @if total > MOST { p class="cut" { "Only the first " (text::len(MOST)) " tokens are shown." } }
    }
}

/// Lists the files with their paths; a single file has none.
fn files(case: TestCase<'_>) -> Vec<(String, Range<usize>)> {
    let text = case.text();
    let Some(archive) = case.archive() else { return vec![(String::new(), 0..text.len())] };
    let files = archive.entries(text).into_iter().filter_map(|entry| {
        let frame = entry.frame.start + 1..entry.frame.end - 1;
        Some((shown(archive.heading(&text[frame])?.as_bytes()), entry.content))
    });
    files.collect()
}

fn tokens(map: &Necessity, part: &Range<usize>) -> Markup {
    let text = |from: usize, to: usize| shown(map.text.get(from..to).unwrap_or_default());
    let first = map.reasons.partition_point(|reason| reason.range.start < part.start);
    let reasons = &map.reasons[first..map.reasons.partition_point(|reason| reason.range.start < part.end)];
    let ends = std::iter::once(part.start).chain(reasons.iter().map(|reason| reason.range.end));
    let last = reasons.last().map_or(part.start, |reason| reason.range.end);
    html! {
        @for (before, reason) in ends.zip(reasons).take(MOST) {
            (text(before, reason.range.start))
            span class={ "t " (class(reason.why)) } tabindex="0" data-why=(shown(sentence(reason).as_bytes())) {
                (text(reason.range.start, reason.range.end))
            }
        }
        @if reasons.len() <= MOST { (text(last, part.end)) }
    }
}

fn class(why: Why) -> &'static str {
    match why {
        Why::Refused => "no",
        Why::Unparsed => "parse",
        Why::Invalid => "invalid",
        Why::Timeout => "timeout",
        Why::OtherCrash => "crash",
        Why::Kept => "kept",
        Why::Removable => "late",
        Why::Unasked => "unasked",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_reduce::Reason;

    #[test]
    fn every_byte_is_shown_once_and_escaped() {
        let reason = |range, why| Reason { range, why, record: None, was_earlier: false };
        let map = Necessity {
            text: b"a </script>\x1b\xff\n".to_vec(),
            is_result: true,
            reasons: vec![reason(0..1, Why::Kept), reason(2..11, Why::Unasked)],
        };
        let page = marked(None, &map).into_string();
        let pre = page.split("<pre class=\"block map\">").nth(1).and_then(|rest| rest.split("</pre>").next());
        let tags = regex::Regex::new("<[^>]*>").expect("a constant");
        assert_eq!(tags.replace_all(pre.expect("a map"), ""), "a &lt;/script&gt;\\u{1b}\\xff\n");
        assert!(page.contains("never tried</span> 1 of 2"), "{page}");
    }
}
