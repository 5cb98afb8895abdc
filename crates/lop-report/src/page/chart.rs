//! The size of the best result over the tests, as an SVG of two stepped lines on a logarithmic scale.
//!
//! The drawing is stretched to the width of the page, so its strokes don't scale, and its labels are text next to it.

use std::fmt::Write;

use maud::{Markup, html};

use crate::text;
use lop_reduce::{Report, Size};

/// Width and height of the drawing in its own units.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 300.0;
/// Maximum number of points of a line: more cannot be distinguished.
const MOST: usize = 2_000;

pub(super) fn section(sizes: &[(u64, Size)], report: &Report) -> Markup {
    let tests = report.tests.total().max(1);
    let largest = sizes.iter().map(|(_, size)| size.bytes.max(size.tokens)).max().unwrap_or(1).max(10);
    let decades = (largest as f64).log10().ceil().max(1.0);
    let scale = Scale { tests, decades };
    let lines = [("bytes", scale.line(sizes, |size| size.bytes)), ("tokens", scale.line(sizes, |size| size.tokens))];
    html! {
        p class="lead" { "Bytes and tokens of the best result after each test, on a logarithmic scale." }
        ul class="legend" {
            li { span class="stroke bytes" {} " bytes, " (text::len(report.before.bytes)) " to " (text::len(report.after.bytes)) }
            li { span class="stroke tokens" {} " tokens, " (text::len(report.before.tokens)) " to " (text::len(report.after.tokens)) }
        }
        div class="chart" {
            div class="levels" aria-hidden="true" {
                @for decade in (0..=(decades as u32)).filter(|decade| decades <= 5.0 || decade % 2 == 0) {
                    span class="level" style=(format!("bottom: {:.2}%", 100.0 * f64::from(decade) / decades)) {
                        (text::count(10u64.pow(decade)))
                    }
                }
            }
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) preserveAspectRatio="none" role="img"
                aria-label=(format!("from {} to {} bytes in {tests} tests", report.before.bytes, report.after.bytes)) {
                @for decade in 0..=(decades as u32) {
                    @let y = HEIGHT * (1.0 - f64::from(decade) / decades);
                    line class="grid" x1="0" x2=(WIDTH) y1=(format!("{y:.1}")) y2=(format!("{y:.1}")) {}
                }
                @for (name, path) in &lines { path class=(name) d=(path) {} }
            }
            p class="axis" { span { "0" } span { (text::count(tests / 2)) } span { (text::plural(tests, "test")) } }
        }
    }
}

struct Scale {
    tests: u64,
    decades: f64,
}

impl Scale {
    /// Returns the position of a size after a number of tests.
    fn place(&self, tests: u64, size: usize) -> (f64, f64) {
        let level = (size.max(1) as f64).log10() / self.decades;
        (WIDTH * tests.min(self.tests) as f64 / self.tests as f64, HEIGHT * (1.0 - level))
    }

    /// Draws a line that falls with each accepted result, up to the last test.
    fn line(&self, sizes: &[(u64, Size)], of: impl Fn(&Size) -> usize) -> String {
        let mut path = String::new();
        let step = sizes.len().div_ceil(MOST).max(1);
        let last = sizes.len().saturating_sub(1);
        for (index, (tests, size)) in sizes.iter().enumerate().filter(|(index, _)| index % step == 0 || *index == last)
        {
            let (x, y) = self.place(*tests, of(size));
            let _ = if index == 0 { write!(path, "M{x:.1} {y:.1}") } else { write!(path, "H{x:.1}V{y:.1}") };
        }
        if !path.is_empty() {
            let _ = write!(path, "H{WIDTH}");
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_falls_by_steps_and_reaches_the_end() {
        let size = |bytes| Size { bytes, tokens: 1, lines: 1 };
        let scale = Scale { tests: 10, decades: 2.0 };
        let sizes = [(0, size(100)), (5, size(10)), (10, size(1))];
        assert_eq!(scale.line(&sizes, |size| size.bytes), "M0.0 0.0H500.0V150.0H1000.0V300.0H1000");
        assert_eq!(scale.line(&[], |size| size.bytes), "");
    }

    #[test]
    fn many_points_are_thinned_out() {
        let sizes: Vec<_> =
            (0..100_000).map(|n| (n, Size { bytes: 200_000 - n as usize, tokens: 1, lines: 1 })).collect();
        let line = Scale { tests: 100_000, decades: 6.0 }.line(&sizes, |size| size.bytes);
        assert!(line.matches('V').count() <= MOST + 1);
    }
}
