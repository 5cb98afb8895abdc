//! Draws a picture of a run: a pure function of the state and of the user's view. The available space determines the
//! panels.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

use crate::text;

use super::panels;
use super::source_view::{Fate, Piece, SourceView};
use super::state::State;
use super::{keys, token_view::Leaf};

/// From this size on there are two columns.
const TWO_COLUMNS: (u16, u16) = (72, 18);
/// Minimum height to show more than the figures.
const WITH_TEXT: u16 = 8;
/// Columns of the left part at least, and at most.
const LEFT: (u16, u16) = (26, 40);
/// Columns of the left part with internals, at least and at most.
const LEFT_INTERNALS: (u16, u16) = (36, 52);

/// The window over the panels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlay {
    /// Nothing.
    #[default]
    None,
    /// The keys.
    Help,
    /// The difference between the input and the best result.
    Diff,
}

/// The view that the user has chosen.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The window over the panels.
    pub overlay: Overlay,
    /// The first line of the best result on the screen; `None` follows the changes.
    pub scroll: Option<usize>,
    /// First line of the difference that is shown.
    pub diff_scroll: usize,
    /// The difference, as lines.
    pub diff: Vec<String>,
    /// Whether the run was asked to end.
    pub quits: bool,
    /// Whether workers and the estimates of the model are shown.
    pub internals: bool,
}

/// Everything that a picture is made of.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'p> {
    /// The state of the run.
    pub state: &'p State,
    /// The best result.
    pub source_view: &'p SourceView,
    /// The view that the user has chosen.
    pub look: &'p Look,
}

/// Draws it, at any size.
pub fn draw(frame: &mut Frame<'_>, picture: Picture<'_>) {
    let area = frame.area();
    let Picture { state, look, .. } = picture;
    if area.height < 3 || area.width < 4 {
        frame.render_widget(Paragraph::new(panels::size(state)), area);
        return;
    }
    let wide = area.width >= TWO_COLUMNS.0 && area.height >= TWO_COLUMNS.1;
    if wide {
        two_columns(frame, area, picture);
    } else {
        one_column(frame, area, picture);
    }
    match look.overlay {
        Overlay::None => {}
        Overlay::Help => help(frame, area),
        Overlay::Diff => diff(frame, area, look),
    }
}

fn two_columns(frame: &mut Frame<'_>, area: Rect, picture: Picture<'_>) {
    let Picture { state, look, .. } = picture;
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)]).areas(area);
    frame.render_widget(heading(state, look), head);
    frame.render_widget(footer(area.width), foot);
    let left = if look.internals {
        (area.width * 2 / 5).clamp(LEFT_INTERNALS.0, LEFT_INTERNALS.1)
    } else {
        (area.width * 3 / 10).clamp(LEFT.0, LEFT.1)
    };
    let [left, right] = Layout::horizontal([Constraint::Length(left), Constraint::Fill(1)]).areas(body);
    let figures = panels::figures(state, look.internals);
    let inner = usize::from(left.width).saturating_sub(2).max(1);
    let figures_height = figures.iter().map(|line| line.width().div_ceil(inner).max(1)).sum::<usize>() as u16 + 2;
    let workers = (state.workers.len() as u16 + 2).clamp(3, body.height / 4);
    let depths = state.outlook.as_ref().map_or(0, |outlook| outlook.depths.len() as u16);
    let depths = (depths + 2).clamp(3, body.height / 4 + 1);
    let only = |height: u16| Constraint::Length(if look.internals { height } else { 0 });
    let rows = [Constraint::Fill(1), only(depths), Constraint::Length(figures_height), only(workers)];
    let [curve, depth_area, figure_area, worker_area] = Layout::vertical(rows).areas(left);
    panels::curve(frame, curve, state);
    let figures = Paragraph::new(figures).wrap(Wrap { trim: true });
    frame.render_widget(figures.block(Block::bordered().title(" tests ")), figure_area);
    if look.internals {
        panels::depths(frame, depth_area, state);
        panels::workers(frame, worker_area, state);
    }
    let said = if body.height >= 30 { 8 } else { 4 };
    let [text, messages] = Layout::vertical([Constraint::Fill(1), Constraint::Length(said)]).areas(right);
    best(frame, text, picture);
    panels::messages(frame, messages, state);
}

/// The figures, and the text and the keys if there is room for them.
fn one_column(frame: &mut Frame<'_>, area: Rect, picture: Picture<'_>) {
    let Picture { state, look, .. } = picture;
    let figures = panels::figures(state, look.internals);
    let mut lines = vec![heading(state, look), panels::size(state)];
    let room = if area.height >= WITH_TEXT { usize::from(area.height / 2) } else { usize::from(area.height) };
    lines.extend(figures);
    lines.truncate(room);
    if area.height < WITH_TEXT {
        frame.render_widget(Paragraph::new(lines), area);
        return;
    }
    let rows = [Constraint::Length(lines.len() as u16), Constraint::Fill(1), Constraint::Length(1)];
    let [head, text, foot] = Layout::vertical(rows).areas(area);
    frame.render_widget(Paragraph::new(lines), head);
    best(frame, text, picture);
    frame.render_widget(footer(area.width), foot);
}

/// The name of the input, the pass under way and the time.
fn heading(state: &State, look: &Look) -> Line<'static> {
    let strong = Style::new().add_modifier(Modifier::BOLD);
    let mut spans = vec![Span::styled(format!(" {}", state.name), strong)];
    if state.paused {
        spans.push(Span::styled(" PAUSED ", strong.fg(Color::Black).bg(Color::Yellow)));
    }
    if look.quits {
        spans.push(Span::styled(" ending ", strong.fg(Color::Black).bg(Color::Red)));
    }
    spans.push(Span::raw("  "));
    spans.push(Span::styled(state.pass, strong.fg(Color::Cyan)));
    let now = state.outlook.as_ref().and_then(|outlook| outlook.now).filter(|_| look.internals);
    if let Some(depth) = now.and_then(|now| now.depth) {
        spans.push(Span::raw(format!(", depth {depth}")));
    }
    if let Some(now) = now {
        spans.push(Span::raw(format!(", {} open", text::len(now.units))));
    }
    if state.round > 0 && look.internals {
        spans.push(Span::raw(format!(", round {}", state.round)));
    }
    let grammar = state.grammar.as_deref().unwrap_or("text");
    spans.push(Span::styled(format!("  {grammar}  {}", text::duration(state.clock)), Style::new().fg(Color::DarkGray)));
    Line::from(spans)
}

/// As many keys as fit.
fn footer(width: u16) -> Line<'static> {
    let mut spans = Vec::new();
    let mut room = usize::from(width);
    for (key, word) in keys::SHORT {
        let (key, word) = (format!(" {key} "), format!(" {word} "));
        let Some(rest) = room.checked_sub(key.len() + word.len()) else { break };
        room = rest;
        spans.push(Span::styled(key, Style::new().add_modifier(Modifier::REVERSED)));
        spans.push(Span::raw(word));
    }
    Line::from(spans)
}

/// The best result.
fn best(frame: &mut Frame<'_>, area: Rect, Picture { source_view, look, .. }: Picture<'_>) {
    let title = if look.scroll.is_some() { " best result (f follows the changes) " } else { " best result " };
    let block = Block::bordered().title(title);
    let inner = block.inner(area);
    let (width, height) = (usize::from(inner.width).max(1), usize::from(inner.height));
    // Long lines wrap, so a line may take several rows.
    let rows = |line: &[Piece]| {
        let columns: usize = line.iter().map(|piece| Span::raw(piece.text.as_str()).width()).sum();
        columns.div_ceil(width).max(1)
    };
    let back_from = |line: usize, room: usize| {
        let mut left = room;
        let before = source_view.lines[..line].iter().rev().take_while(|line| {
            let fits = left.checked_sub(rows(line));
            left = fits.unwrap_or(0);
            fits.is_some()
        });
        line - before.count()
    };
    let last = back_from(source_view.lines.len(), height);
    let focus = source_view.focus.min(source_view.lines.len());
    let first = look.scroll.unwrap_or_else(|| back_from(focus, height / 3)).min(last);
    let lines: Vec<Line<'_>> =
        source_view.lines.iter().skip(first).take(height).map(|line| line.iter().map(piece).collect()).collect();
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).block(block), area);
}

fn piece(piece: &Piece) -> Span<'_> {
    let style = match piece.leaf {
        Leaf::Plain | Leaf::Sign => Style::new(),
        Leaf::Keyword => Style::new().fg(Color::Blue).add_modifier(Modifier::BOLD),
        Leaf::Name => Style::new().fg(Color::Cyan),
        Leaf::Number => Style::new().fg(Color::Magenta),
        Leaf::Text => Style::new().fg(Color::Green),
        Leaf::Comment => Style::new().fg(Color::DarkGray).add_modifier(Modifier::ITALIC),
        Leaf::Error => Style::new().fg(Color::Red),
    };
    let style = match piece.fate {
        Fate::Stays => style,
        Fate::Gone => style.fg(Color::White).bg(Color::Red).add_modifier(Modifier::CROSSED_OUT),
        Fate::New => style.fg(Color::Black).bg(Color::Green),
        Fate::Said => Style::new().fg(Color::Black).bg(Color::Red),
    };
    Span::styled(piece.text.as_str(), style)
}

/// The middle of an area, at most so large.
fn middle(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}

fn help(frame: &mut Frame<'_>, area: Rect) {
    let key = Style::new().add_modifier(Modifier::BOLD).fg(Color::Cyan);
    let line = |(name, what): &(&'static str, &'static str)| {
        Line::from(vec![Span::styled(format!(" {name:<10}"), key), Span::raw(*what)])
    };
    let lines: Vec<Line<'_>> = keys::LONG.iter().map(line).collect();
    let area = middle(area, 66, lines.len() as u16 + 2);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(" keys ")), area);
}

fn diff(frame: &mut Frame<'_>, area: Rect, look: &Look) {
    let block = Block::bordered().title(" input and best result (d closes, arrows scroll) ");
    let height = usize::from(block.inner(area).height);
    let first = look.diff_scroll.min(look.diff.len().saturating_sub(height));
    let line = |line: &'_ String| {
        let style = match line.as_bytes().first() {
            Some(b'-') => Style::new().fg(Color::Red),
            Some(b'+') => Style::new().fg(Color::Green),
            Some(b'@') => Style::new().fg(Color::DarkGray),
            _ => Style::new(),
        };
        Line::styled(line.clone(), style)
    };
    let mut lines: Vec<Line<'_>> = look.diff.iter().skip(first).take(height).map(line).collect();
    if lines.is_empty() {
        lines.push(Line::raw("no changes yet"));
    }
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}
