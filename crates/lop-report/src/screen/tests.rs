//! Pictures of a run at several sizes, compared with the recorded ones in `pictures/`, and drawn at every size.
//! `LOP_PICTURES=write` records them again.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::source_view::SourceView;
use super::state::State;
use super::token_view::TokenView;
use super::view::{self, Look, Overlay, Picture};
use lop_engine::{Estimate, Verdict};
use lop_reduce::{Event, Importance, Outlook, RemainingEstimate, Size};
use lop_run::oracle::Outcome;

const BEFORE: &str = "int a;\nint b = 1;\n/* why */\nint f(int n)\n{\n    int c = b;\n    if (n > 17) {\n        g(\"text\", n);\n    }\n    return c;\n}\n";
const AFTER: &str =
    "int b = 1;\nint f(int n)\n{\n    if (n > 17) {\n        g(\"text\", n);\n    }\n    return b;\n}\n";

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// A run that has been going for some time.
fn run() -> State {
    let mut state = State::new("crash.zed".to_owned(), BEFORE.as_bytes());
    let size = |bytes| Size { bytes, tokens: bytes / 4, lines: bytes / 20 };
    state.take(
        &Event::Started {
            size: size(12_345),
            archive: None,
            grammar: Some("zed"),
            syntax_errors: 0,
            by_structure: false,
            slots: 3,
        },
        seconds(0.0),
    );
    let mut outcome = Outcome::of(Verdict::Interesting);
    outcome.duration = seconds(0.05);
    state.take(&Event::Baseline { outcome: &outcome, deadline: seconds(1.0) }, seconds(0.1));
    state.take(&Event::Pass { name: "siblings", round: 2 }, seconds(0.2));
    for number in 1..=400_u64 {
        let now = seconds(0.2 + number as f64 * 0.05);
        let verdict = match number % 10 {
            0 => Some(Verdict::Interesting),
            1 => Some(Verdict::Invalid),
            2 => Some(Verdict::Timeout),
            _ => Some(Verdict::NotInteresting),
        };
        let (duration, what) = (seconds(0.04), "depth 3, 2 of 10 units");
        state.take(
            &Event::Tested {
                number,
                pass: "siblings",
                bytes: 9,
                verdict,
                duration,
                cache_hits: 41,
                recalled: None,
                what,
            },
            now,
        );
        if number % 10 == 0 {
            let size = size(12_345 / (1 + number as usize / 4));
            state.take(
                &Event::Accepted { content: AFTER.as_bytes(), size, tests: number, pass: "siblings", rules: &[] },
                now,
            );
        }
    }
    let importance = |depth, units, needed| Importance { depth, units, needed };
    let outlook = Outlook {
        now: Some(RemainingEstimate { depth: Some(3), units: 14, tests: Estimate { mean: 6.4, deviation: 1.2 } }),
        total: Estimate { mean: 212.3, deviation: 35.9 },
        depths: vec![
            importance(Some(1), 40, 0.08),
            importance(Some(3), 120, 0.25),
            importance(Some(4), 9, 0.5),
            importance(None, 7, 1.0),
        ],
    };
    state.take(&Event::Outlook(&outlook), seconds(20.2));
    let trying = Event::Trying { worker: 0, pass: "siblings", bytes: 119, what: "depth 3, 4 of 14 units" };
    state.take(&trying, seconds(18.9));
    state
        .take(&Event::Trying { worker: 2, pass: "siblings", bytes: 97, what: "depth 3, 2 of 14 units" }, seconds(20.2));
    state.take(&Event::Note("the test reads a file next to the input"), seconds(20.3));
    state.clock = seconds(20.5);
    state
}

fn passage() -> SourceView {
    let mut leaves = TokenView::new(Some(lop_testing::grammar("x.c")));
    SourceView::new(BEFORE.as_bytes(), AFTER.as_bytes(), &mut leaves)
}

/// The text of a picture of this size.
fn drawn(state: &State, source_view: &SourceView, look: &Look, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a test backend");
    terminal.draw(|frame| view::draw(frame, Picture { state, source_view, look })).expect("it cannot fail");
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned() + "\n";
    (0..height).map(row).collect()
}

#[test]
fn nothing_of_what_is_shown_does_anything_to_the_terminal() {
    let nasty = "a\u{1b}[31m\u{7}\u{9b}1m\u{202e}\u{200b}\rb";
    let name = std::path::Path::new(nasty);
    let mut state = State::new(crate::text::path(name), nasty.as_bytes());
    let size = Size { bytes: 9, tokens: 3, lines: 1 };
    state.take(
        &Event::Started { size, archive: None, grammar: None, syntax_errors: 0, by_structure: false, slots: 1 },
        seconds(0.0),
    );
    state.take(&Event::Trying { worker: 0, pass: "words", bytes: 7, what: nasty }, seconds(0.1));
    state.take(&Event::Note(nasty), seconds(0.2));
    let outcome = Outcome::of(Verdict::NotInteresting);
    state.take(&Event::Slipped { signature: nasty, content: b"x", outcome: &outcome }, seconds(0.3));
    let source_view = SourceView::new(nasty.as_bytes(), nasty.repeat(2).as_bytes(), &mut TokenView::new(None));
    for overlay in [Overlay::None, Overlay::Diff] {
        let mut diff = Vec::new();
        crate::diff::write(&mut diff, false, ("a", nasty.as_bytes()), ("b", b"")).expect("a vector");
        let diff = String::from_utf8(diff).expect("text").lines().map(str::to_owned).collect();
        let picture = drawn(&state, &source_view, &Look { overlay, diff, ..Look::default() }, 100, 30);
        let hidden = picture.chars().find(|letter| *letter != '\n' && crate::visible::is_hidden(*letter));
        assert_eq!(hidden, None, "{picture}");
        assert!(picture.contains("[31m"), "{picture}");
    }
}

/// Holds a picture against the recorded one.
fn check(name: &str, picture: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("src/screen/pictures/{name}.txt"));
    if std::env::var_os("LOP_PICTURES").is_some_and(|what| what == "write") {
        fs::write(&path, picture).expect("the folder is there");
    }
    let recorded = fs::read_to_string(&path).expect("it was recorded");
    assert_eq!(picture, recorded, "{name}: the picture is\n{picture}\nand was\n{recorded}");
}

#[test]
fn a_run_looks_as_recorded_at_every_kind_of_size() {
    let (state, source_view, look) = (run(), passage(), Look::default());
    for (width, height) in [(120, 40), (80, 24), (40, 12), (20, 5)] {
        check(&format!("{width}x{height}"), &drawn(&state, &source_view, &look, width, height));
    }
    let internals = Look { internals: true, ..look };
    check("internals", &drawn(&state, &source_view, &internals, 80, 24));
}

#[test]
fn screen_names_the_machines_that_run_the_tests() {
    let (mut state, source_view) = (run(), passage());
    state.place = Some("grpc://farm:8980".to_owned());
    let look = Look { internals: true, ..Look::default() };
    let picture = drawn(&state, &source_view, &look, 120, 40);
    assert!(picture.contains(" workers: ") && picture.contains("of 3 on grpc://farm:8980 "), "{picture}");
}

#[test]
fn what_lies_over_the_panels_looks_as_recorded() {
    let (mut state, source_view) = (run(), passage());
    check("help", &drawn(&state, &source_view, &Look { overlay: Overlay::Help, ..Look::default() }, 80, 24));
    let diff = ["--- input", "+++ best result", "@@ -1,3 +1,2 @@", "-int a;", " int b = 1;", "-/* why */"];
    let diff = diff.map(str::to_owned).to_vec();
    check("diff", &drawn(&state, &source_view, &Look { overlay: Overlay::Diff, diff, ..Look::default() }, 80, 24));
    state.take(&Event::Paused { tests: 400 }, seconds(20.5));
    let quits = Look { quits: true, ..Look::default() };
    check("paused", &drawn(&state, &source_view, &quits, 80, 24));
}

#[test]
fn a_run_that_has_not_begun_can_be_drawn() {
    let state = State::new("crash.zed".to_owned(), b"");
    check("begins", &drawn(&state, &SourceView::default(), &Look::default(), 80, 24));
}

#[test]
fn what_has_gone_stands_out_and_leaves_have_colours() {
    use ratatui::style::{Color, Modifier};
    let (state, source_view, look) = (run(), passage(), Look::default());
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).expect("a test backend");
    terminal
        .draw(|frame| view::draw(frame, Picture { state: &state, source_view: &source_view, look: &look }))
        .expect("drawn");
    let buffer = terminal.backend().buffer();
    let style = |word: &str| {
        let rows = (0..40).map(|y| (y, (36..120).map(|x| buffer[(x, y)].symbol()).collect::<String>()));
        let found = rows.into_iter().find_map(|(y, row)| row.find(word).map(|at| (row[..at].chars().count(), y)));
        let (x, y) = found.unwrap_or_else(|| panic!("{word} is not in the picture"));
        buffer[(36 + x as u16, y)].style()
    };
    assert_eq!(style("return").fg, Some(Color::Blue));
    assert_eq!(style("17").fg, Some(Color::Magenta));
    assert_eq!(style("text\"").fg, Some(Color::Green));
    let gone = style("/* why */");
    assert_eq!(gone.bg, Some(Color::Red));
    assert!(gone.add_modifier.contains(Modifier::CROSSED_OUT));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]
    #[test]
    fn a_picture_can_be_drawn_at_any_size(
        width in 1_u16..=300,
        height in 1_u16..=100,
        began in any::<bool>(),
        workers in 0_usize..200,
        overlay in prop::sample::select(vec![Overlay::None, Overlay::Help, Overlay::Diff]),
        scroll in prop::option::of(0_usize..40),
    ) {
        let mut state = if began { run() } else { State::new("x".to_owned(), b"") };
        state.workers.resize(workers, None);
        let source_view = if began { passage() } else { SourceView::default() };
        let look = Look { overlay, scroll, diff_scroll: scroll.unwrap_or(0), ..Look::default() };
        drawn(&state, &source_view, &look, width, height);
    }

    /// Extreme numbers.
    #[test]
    fn a_picture_can_be_drawn_of_any_numbers(
        bytes in prop::collection::vec(any::<u32>(), 0..5),
        mean in prop::num::f64::ANY,
        needed in prop::num::f64::ANY,
    ) {
        let mut state = State::new("x".to_owned(), b"");
        for (tests, bytes) in bytes.iter().enumerate() {
            let size = Size { bytes: *bytes as usize, tokens: 0, lines: 0 };
            let content: Arc<[u8]> = Arc::from(&b"x"[..]);
            let event = Event::Accepted { content: &content, size, tests: tests as u64 * 1_000_000, pass: "words", rules: &[] };
            state.take(&event, seconds(tests as f64));
        }
        let total = Estimate { mean, deviation: mean / 3.0 };
        let depths = vec![Importance { depth: None, units: 100, needed }];
        state.take(&Event::Outlook(&Outlook { now: None, total, depths }), seconds(9.0));
        drawn(&state, &SourceView::default(), &Look::default(), 100, 30);
    }
}
