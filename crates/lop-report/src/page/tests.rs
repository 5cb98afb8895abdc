//! Tests of the whole page: its head, and that no text becomes markup.

use std::time::Duration;

use super::*;
use lop_engine::Verdict;
use lop_reduce::{Counts, Minimal, PassStats, Reliability, Size};
use lop_run::oracle::Outcome;

fn report(best: &[u8]) -> Report {
    let size = |bytes| Size { bytes, tokens: 4, lines: 1 };
    Report {
        best: best.to_vec(),
        archive: None,
        before: size(100),
        after: size(best.len()),
        ended: Ended::Budget,
        tests: Counts { interesting: 3, not_interesting: 1_200, ..Counts::default() },
        reliability: Reliability::default(),
        cache_hits: 1,
        from_journal: 0,
        from_shared_cache: 0,
        gate_refusals: 2,
        gate_steps: 0,
        elapsed: Duration::from_secs(3),
        waiting: Duration::from_secs(2),
        testing: Duration::from_secs(4),
        depths: Vec::new(),
        passes: vec![PassStats { name: "tokens", tests: 5, accepted: 1, bytes: 9, tokens: 2 }],
        rules: Vec::new(),
        skipped: Vec::new(),
        left_out: Vec::new(),
        kept_by_timeout: Vec::new(),
        necessity: None,
        minimal: Minimal::None,
        confirmed: Default::default(),
    }
}

#[test]
fn what_others_wrote_is_text_wherever_it_stands() {
    let evil = "</script><b>\u{1b}\u{0}";
    let mut outcome = Outcome::of(Verdict::Interesting);
    outcome.stderr_tail = [evil.as_bytes(), b"\xff"].concat();
    let history = History { baseline: Some(outcome), notes: vec![evil.to_owned()], ..History::default() };
    let page = Page {
        name: evil,
        language: evil,
        original: evil.as_bytes(),
        report: &report(evil.as_bytes()),
        history: &history,
        command: evil,
        test: evil,
        wanted: evil,
        result: evil,
    };
    let html = page.html();
    assert!(!html.contains("</script>") && !html.contains("<b>\\u") && !html.contains(['\u{1b}', '\0', '\u{fffd}']));
    assert!(html.matches("&lt;/script&gt;&lt;b&gt;").count() >= 10, "{html}");
}

#[test]
fn the_head_says_how_it_ended() {
    let history = History::default();
    let report = report(b"x");
    let page = Page {
        name: "a.zed",
        language: "zed",
        original: b"xy",
        report: &report,
        history: &history,
        command: "lop",
        test: "t",
        wanted: "exit code 0",
        result: "a.zed",
    };
    let html = page.html();
    for part in ["stopped at the limit", "not minimal yet", "<h1>a.zed</h1>", "1,203", "of 100, 1.0%"] {
        assert!(html.contains(part), "{part}: {html}");
    }
}
