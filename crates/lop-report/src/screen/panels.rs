//! The panels next to the text: size curve, importance per depth, figures, tests that run, messages.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Chart, Dataset, GraphType, Paragraph};

use crate::text;
use lop_engine::Estimate;
use lop_reduce::Importance;

use super::state::State;

const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
const FAINT: Style = Style::new().fg(Color::DarkGray);
/// Lower curves have no labels for the tests below them.
const WITH_LABELS: u16 = 8;
/// Narrower curves have only the bytes as their title.
const WITH_TOKENS: u16 = 36;
/// The parts of a cell of a bar, in eighths.
const BLOCKS: [&str; 8] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// How much is left.
pub(super) fn size(state: &State) -> Line<'static> {
    let (now, before) = (state.now, state.before);
    let files = state.files.map_or_else(String::new, |files| format!(" {} ", text::plural(files as u64, "file")));
    Line::from(vec![
        Span::raw(files),
        Span::styled(format!(" {}", text::len(now.bytes)), STRONG),
        Span::raw(format!(" bytes {}  ", text::percent(now.bytes, before.bytes))),
        Span::styled(text::len(now.tokens), STRONG),
        Span::raw(format!(" tokens {}", text::percent(now.tokens, before.tokens))),
    ])
}

/// The figures, a line each, the most important first. The model's estimates are internals.
pub(super) fn figures(state: &State, internals: bool) -> Vec<Line<'static>> {
    let counts = &state.counts;
    let rate = state.rate().map_or_else(|| "…".to_owned(), |rate| format!("{rate:.1}/s"));
    let mut lines = vec![Line::from(vec![
        Span::styled(format!(" {}", text::plural(state.tests, "test")), STRONG),
        Span::raw(format!("  {rate}  {} cached", text::count(state.cache_hits))),
    ])];
    let mut outcomes = vec![Span::raw(" ")];
    let all = [
        (counts.interesting, "yes", Color::Green),
        (counts.not_interesting, "no", Color::Red),
        (counts.invalid, "invalid", Color::Magenta),
        (counts.timeout, "timeout", Color::Yellow),
        (counts.unresolved, "cancelled", Color::DarkGray),
    ];
    for (number, word, colour) in all.into_iter().filter(|(number, word, _)| *number > 0 || word.len() <= 3) {
        outcomes.push(Span::styled(format!("{} {word}  ", text::count(number)), Style::new().fg(colour)));
    }
    lines.push(Line::from(outcomes));
    if let Some(outlook) = state.outlook.as_ref().filter(|_| internals) {
        let told = [(" left  ≥ ", outlook.left()), (" here    ", outlook.here())];
        let told = told.into_iter().filter_map(|(name, tests)| Some(expected(name, tests?, state.rate())));
        lines.extend(told);
    }
    lines
}

/// An estimate in tests, and in time if the rate is known.
fn expected(name: &'static str, tests: Estimate, rate: Option<f64>) -> Line<'static> {
    let whole = |number: f64| text::count(number.clamp(0.0, 1e15).round() as u64);
    let mut line = format!("{} ± {} tests", whole(tests.mean), whole(tests.deviation));
    if let Some(rate) = rate {
        let (mean, deviation) = (tests.mean / rate, tests.deviation / rate);
        line.push_str(&match mean {
            ..100.0 => format!(", {mean:.0} ± {deviation:.0} s"),
            ..6_000.0 => format!(", {:.0} ± {:.0} min", mean / 60.0, deviation / 60.0),
            _ => format!(", {:.0} ± {:.0} h", mean / 3_600.0, deviation / 3_600.0),
        });
    }
    Line::from(vec![Span::styled(name, FAINT), Span::raw(line)])
}

/// Plots bytes over tests, with a logarithmic scale.
pub(super) fn curve(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let log = |bytes: usize| (bytes.max(1) as f64).log10();
    let mut points: Vec<(f64, f64)> = Vec::with_capacity(2 * state.curve.len() + 1);
    for &(tests, bytes) in &state.curve {
        // The size stays until the next step.
        if let Some(&(_, last)) = points.last() {
            points.push((tests as f64, last));
        }
        points.push((tests as f64, log(bytes)));
    }
    if let Some(&(_, last)) = points.last() {
        points.push((state.tests as f64, last));
    }
    let most = state.curve.iter().map(|(_, bytes)| *bytes).max().unwrap_or(1);
    let (bottom, top) = (log(state.now.bytes).floor(), log(most).max(1.0));
    let top = if top - bottom < 0.1 { bottom + 1.0 } else { top };
    let right = (state.tests as f64).max(1.0);
    let data = Dataset::default().graph_type(GraphType::Line).marker(Marker::Braille).style(Color::Cyan).data(&points);
    let bytes = |log: f64| text::len(10_f64.powf(log).round() as usize);
    let (mut across, up) = (Axis::default().style(FAINT).bounds([0.0, right]), Axis::default().style(FAINT));
    if area.height >= WITH_LABELS {
        across = across.labels(["0".to_owned(), text::count(state.tests)]);
    }
    let up = up.bounds([bottom, top]).labels([bytes(bottom), bytes(top)]);
    let title = if area.width < WITH_TOKENS {
        Line::from(format!(
            " {} bytes {} ",
            text::len(state.now.bytes),
            text::percent(state.now.bytes, state.before.bytes)
        ))
    } else {
        size(state)
    };
    let chart = Chart::new(vec![data]).block(Block::bordered().title(title)).x_axis(across).y_axis(up);
    frame.render_widget(chart, area);
}

/// P(needed) at each depth, as bars.
pub(super) fn depths(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let block = Block::bordered().title(" likely needed, by depth ");
    let inner = block.inner(area);
    let now = state.outlook.as_ref().and_then(|outlook| outlook.now).and_then(|now| now.depth);
    let all = state.outlook.as_ref().map_or(&[][..], |outlook| &outlook.depths);
    // Around the current depth, if there is no room for all.
    let room = usize::from(inner.height);
    let here = all.iter().position(|row| row.depth == now && now.is_some()).unwrap_or(0);
    let first = here.saturating_sub(room / 2).min(all.len().saturating_sub(room));
    let lines: Vec<Line<'_>> =
        all.iter().skip(first).take(room).map(|row| bar(row, inner.width, row.depth == now && now.is_some())).collect();
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn bar(row: &Importance, width: u16, here: bool) -> Line<'static> {
    let name = row.depth.map_or_else(|| "text".to_owned(), |depth| depth.to_string());
    let numbers = format!(" {:>4.2} of {}", row.needed, text::count(row.units));
    let room = usize::from(width).saturating_sub(6 + 14);
    let eighths = (row.needed.clamp(0.0, 1.0) * room as f64 * 8.0).round() as usize;
    let mut cells = "█".repeat(eighths / 8);
    if cells.chars().count() < room {
        cells.push_str(BLOCKS[eighths % 8]);
        let missing = room - cells.chars().count();
        cells.push_str(&" ".repeat(missing));
    }
    let style = if here { Style::new().fg(Color::Yellow) } else { Style::new().fg(Color::Blue) };
    let name = Span::styled(format!("{name:>4} "), if here { STRONG } else { FAINT });
    Line::from(vec![name, Span::styled(cells, style), Span::raw(numbers)])
}

/// The tests that run.
pub(super) fn workers(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let busy = state.workers.iter().flatten().count();
    let place = state.place.as_ref().map(|place| format!("on {} ", text::visible(place, 60))).unwrap_or_default();
    let block = Block::bordered().title(format!(" workers: {busy} of {} {place}", state.workers.len()));
    let room = usize::from(block.inner(area).height);
    let line = |(number, worker): (usize, &Option<super::state::Attempt>)| {
        let name = Span::styled(format!("{:>2} ", number + 1), FAINT);
        let Some(attempt) = worker else { return Line::from(vec![name, Span::styled("idle", FAINT)]) };
        let since = state.clock.saturating_sub(attempt.since);
        let time = if since >= Duration::from_secs(1) { format!("{} s ", since.as_secs()) } else { String::new() };
        let what = format!("{} bytes, {}", text::len(attempt.bytes), text::visible(&attempt.what, 80));
        Line::from(vec![
            name,
            Span::styled(time, Style::new().fg(Color::Yellow)),
            Span::styled(attempt.pass, Style::new().fg(Color::Cyan)),
            Span::raw(format!(" {what}")),
        ])
    };
    // If space is short, keys with an action come first.
    let mut all: Vec<_> = state.workers.iter().enumerate().collect();
    all.sort_by_key(|(_, worker)| worker.is_none() && room < state.workers.len());
    let lines: Vec<Line<'_>> = all.into_iter().take(room).map(line).collect();
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

/// The last messages.
pub(super) fn messages(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let block = Block::bordered().title(" messages ");
    let room = usize::from(block.inner(area).height);
    let skipped = state.messages.len().saturating_sub(room);
    let line = |(at, message): &(Duration, String)| {
        let at = Span::styled(format!("{:>9} ", text::duration(*at)), FAINT);
        Line::from(vec![at, Span::raw(text::visible(message, 300))])
    };
    let lines: Vec<Line<'_>> = state.messages.iter().skip(skipped).map(line).collect();
    frame.render_widget(Paragraph::new(lines).block(block), area);
}
