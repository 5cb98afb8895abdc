//! A comparison as a picture: an SVG by hand, with tests on a logarithmic axis.
//!
//! Problems at several sizes give a panel each, with a curve of growth for every algorithm. Otherwise
//! there is one panel with a column for each problem.

use std::fmt::Write;

use super::results::{Cell, Row};

/// Colours that can be distinguished without good colour vision (Okabe and Ito, *Color universal design*), and two
/// more.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#8c564b"];
/// Shapes of the marks; together with the colours there are more of them than algorithms.
const SHAPES: usize = 4;
/// The names, colours and dashes of the optimum and the bound.
const REFERENCES: [(&str, &str, &str); 2] = [("optimum", "#000000", "none"), ("lower bound", "#777777", "4 3")];

/// Inside of a panel, in pixels.
const HEIGHT: f64 = 360.0;
const CURVE_WIDTH: f64 = 560.0;
/// A column has this much room, and more for each algorithm.
const COLUMN_WIDTH: f64 = 28.0;
const MARK_WIDTH: f64 = 4.0;
/// Around a panel.
const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
const LEGEND: f64 = 210.0;
/// Space below a panel, for horizontal and for vertical labels.
const BELOW: f64 = 50.0;
const BELOW_COLUMNS: f64 = 150.0;
/// The share of a column that is drawn in.
const SHARE: f64 = 0.8;
/// Half the size of a mark.
const MARK: f64 = 3.5;
/// A mean below one test has no place on a logarithmic axis.
const LEAST: f64 = 0.5;

/// Draws the cells: light and dark pages show it alike, on a white ground.
#[must_use]
pub fn plot(cells: &[Cell]) -> String {
    let algorithms = algorithms(cells);
    let panels = panels(cells);
    let inside = panels.iter().map(Panel::width).fold(0.0, f64::max);
    let width = LEFT + inside + LEGEND;
    let height: f64 = panels.iter().map(Panel::height).sum();
    let mut svg = String::new();
    let mut line = |text: String| {
        svg.push_str(&text);
        svg.push('\n');
    };
    line(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">"
    ));
    line("<title>Tests by algorithm</title>".to_owned());
    line(format!("<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>"));
    let mut top = 0.0;
    for panel in &panels {
        line(format!("<g transform=\"translate({LEFT} {:.0})\">", top + TOP));
        panel.draw(&algorithms, &mut line);
        line("</g>".to_owned());
        top += panel.height();
    }
    legend(&algorithms, LEFT + inside + 20.0, &mut line);
    line("</svg>".to_owned());
    svg
}

/// The algorithms, in the order in which they come.
fn algorithms(cells: &[Cell]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for row in cells.iter().flat_map(|cell| &cell.rows) {
        if !names.contains(&row.algorithm) {
            names.push(row.algorithm);
        }
    }
    names
}

fn panels(cells: &[Cell]) -> Vec<Panel<'_>> {
    let mut problems: Vec<(&str, Vec<&Cell>)> = Vec::new();
    for cell in cells {
        match problems.iter_mut().find(|(problem, _)| *problem == cell.problem) {
            Some((_, sizes)) => sizes.push(cell),
            None => problems.push((&cell.problem, vec![cell])),
        }
    }
    if problems.iter().all(|(_, sizes)| sizes.len() == 1) {
        let column = COLUMN_WIDTH + MARK_WIDTH * algorithms(cells).len() as f64;
        return vec![Panel { title: "tests", cells: cells.iter().collect(), column: Some(column) }];
    }
    problems
        .into_iter()
        .map(|(title, mut cells)| {
            cells.sort_by(|one, other| one.units.total_cmp(&other.units));
            Panel { title, cells, column: None }
        })
        .collect()
}

/// Several cells on common axes.
struct Panel<'a> {
    title: &'a str,
    cells: Vec<&'a Cell>,
    /// The width of a cell's column; `None` if the cells are sizes of one problem, on an axis.
    column: Option<f64>,
}

/// A logarithmic axis.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    length: f64,
}

impl Axis {
    /// For these values, with a little room at both ends.
    fn new(values: impl Iterator<Item = f64>, length: f64) -> Self {
        const ROOM: f64 = 1.15;
        let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low <= high { (low, high) } else { (1.0, 10.0) };
        Axis { low: low / ROOM, high: high * ROOM, length }
    }

    fn at(&self, value: f64) -> f64 {
        (value / self.low).ln() / (self.high / self.low).ln() * self.length
    }

    /// 1, 2 and 5 times the powers of ten, as far as they are on the axis.
    fn ticks(&self) -> Vec<f64> {
        let powers = (self.low.log10().floor() as i32)..=(self.high.log10().ceil() as i32);
        let all = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
        all.filter(|tick| (self.low..=self.high).contains(tick)).collect()
    }
}

impl Panel<'_> {
    fn width(&self) -> f64 {
        self.column.map_or(CURVE_WIDTH, |column| (column * self.cells.len() as f64).max(CURVE_WIDTH / 2.0))
    }

    fn height(&self) -> f64 {
        TOP + HEIGHT + if self.column.is_none() { BELOW } else { BELOW_COLUMNS }
    }

    /// The x coordinates of the cells.
    fn places(&self) -> Vec<f64> {
        if let Some(column) = self.column {
            return (0..self.cells.len()).map(|place| column * (place as f64 + 0.5)).collect();
        }
        let axis = Axis::new(self.cells.iter().map(|cell| cell.units), self.width());
        self.cells.iter().map(|cell| axis.at(cell.units)).collect()
    }

    fn draw(&self, algorithms: &[&'static str], line: &mut impl FnMut(String)) {
        let references = |cell: &&Cell| {
            cell.optimum.map(|optimum| optimum.here).into_iter().chain(cell.bound.map(|bound| bound.tests))
        };
        let tests = |cell: &&Cell| cell.rows.iter().map(|row| row.tests.mean).collect::<Vec<_>>();
        let values = self.cells.iter().flat_map(|cell| references(cell).chain(tests(cell)));
        let axis = Axis::new(values.map(|value| value.max(LEAST)), HEIGHT);
        let y = |value: f64| HEIGHT - axis.at(value.max(LEAST)).clamp(0.0, HEIGHT);
        let (width, places) = (self.width(), self.places());
        line(format!("<text y=\"-14\" font-weight=\"bold\">{}</text>", escaped(self.title)));
        for tick in axis.ticks() {
            let at = y(tick);
            line(format!("<path d=\"M0 {at:.1}H{width:.0}\" stroke=\"#dddddd\"/>"));
            line(format!("<text x=\"-8\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>", at + 4.0));
        }
        line(format!("<path d=\"M0 0V{HEIGHT}H{width:.0}\" fill=\"none\" stroke=\"#222222\"/>"));
        self.labels(&places, line);
        for (reference, &(name, colour, dashes)) in REFERENCES.iter().enumerate() {
            let value = |cell: &Cell| match reference {
                0 => cell.optimum.map(|optimum| optimum.here),
                _ => cell.bound.map(|bound| bound.tests),
            };
            let known: Vec<(f64, f64)> =
                self.cells.iter().zip(&places).filter_map(|(cell, &x)| Some((x, y(value(cell)?)))).collect();
            let path = self.column.map_or_else(|| curve(&known), |column| bars(&known, column));
            line(format!(
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" \
                 stroke-dasharray=\"{dashes}\"><title>{name}</title></path>"
            ));
        }
        // Lop's own are the first and are drawn last, over the others.
        for (index, algorithm) in algorithms.iter().enumerate().rev() {
            // In a column the marks are next to each other.
            let beside = (index as f64 + 0.5) / algorithms.len() as f64 - 0.5;
            let shift = self.column.map_or(0.0, |column| beside * column * SHARE);
            let rows = self.cells.iter().zip(&places).filter_map(|(&cell, &x)| {
                let row = cell.rows.iter().find(|row| row.algorithm == *algorithm)?;
                Some((cell, row, x + shift, y(row.tests.mean)))
            });
            let points: Vec<(&Cell, &Row, f64, f64)> = rows.collect();
            let colour = COLOURS[index % COLOURS.len()];
            if self.column.is_none() {
                let path = curve(&points.iter().map(|&(_, _, x, y)| (x, y)).collect::<Vec<_>>());
                line(format!("<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>"));
            }
            for (cell, row, x, at) in points {
                let error = row.tests.error.unwrap_or(0.0);
                let (high, low) = (y(row.tests.mean + error), y(row.tests.mean - error));
                let words = format!("{algorithm}, {}: {:.1} tests", cell.title(), row.tests.mean);
                line(format!(
                    "<g fill=\"{colour}\"><title>{}</title><path d=\"M{x:.1} {high:.1}V{low:.1}\" \
                     stroke=\"{colour}\"/>{}</g>",
                    escaped(&words),
                    mark(index, x, at),
                ));
            }
        }
    }

    fn labels(&self, places: &[f64], line: &mut impl FnMut(String)) {
        for (cell, x) in self.cells.iter().zip(places) {
            if self.column.is_none() {
                let y = HEIGHT + 18.0;
                line(format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{:.0}</text>", cell.units));
            } else {
                let (x, y) = (x + 4.0, HEIGHT + 14.0);
                line(format!(
                    "<text transform=\"translate({x:.1} {y:.1}) rotate(-50)\" text-anchor=\"end\">{}</text>",
                    escaped(&cell.problem)
                ));
            }
        }
        if self.column.is_none() {
            let (x, y) = (self.width() / 2.0, HEIGHT + 38.0);
            line(format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">units</text>"));
        }
    }
}

/// A line through points.
fn curve(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        write!(path, "{command}{x:.1} {y:.1}").expect("a string takes everything");
    }
    // A path needs something to draw.
    if path.is_empty() { "M0 0".to_owned() } else { path }
}

/// A short horizontal bar for each point.
fn bars(points: &[(f64, f64)], column: f64) -> String {
    let width = column * SHARE;
    let bar = |&(x, y): &(f64, f64)| format!("M{:.1} {y:.1}h{width:.1}", x - width / 2.0);
    let path: String = points.iter().map(bar).collect();
    if path.is_empty() { "M0 0".to_owned() } else { path }
}

/// The mark of the algorithm with this number.
fn mark(index: usize, x: f64, y: f64) -> String {
    let m = MARK;
    // The second round through the colours goes with other shapes.
    match (index + index / COLOURS.len()) % SHAPES {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{m}\"/>"),
        1 => format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{}\" height=\"{}\"/>", x - m, y - m, 2.0 * m, 2.0 * m),
        2 => format!("<path d=\"M{:.1} {:.1}h{}l{} {}z\"/>", x - m, y + m, 2.0 * m, -m, -2.0 * m),
        _ => format!("<path d=\"M{x:.1} {:.1}l{m} {m}l{} {m}l{} {}z\"/>", y - m, -m, -m, -m),
    }
}

fn legend(algorithms: &[&'static str], x: f64, line: &mut impl FnMut(String)) {
    const STEP: f64 = 18.0;
    line(format!("<g transform=\"translate({x:.0} {TOP})\">"));
    let mut y = 0.0;
    for (index, algorithm) in algorithms.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        line(format!(
            "<g fill=\"{colour}\" stroke=\"{colour}\"><path d=\"M0 {y:.0}h20\"/>{}</g>",
            mark(index, 10.0, y)
        ));
        line(format!("<text x=\"28\" y=\"{:.0}\">{}</text>", y + 4.0, escaped(algorithm)));
        y += STEP;
    }
    for (name, colour, dashes) in REFERENCES {
        line(format!(
            "<path d=\"M0 {y:.0}h20\" stroke=\"{colour}\" stroke-width=\"1.5\" stroke-dasharray=\"{dashes}\"/>"
        ));
        line(format!("<text x=\"28\" y=\"{:.0}\">{name}</text>", y + 4.0));
        y += STEP;
    }
    line("</g>".to_owned());
}

/// Text between tags.
fn escaped(text: &str) -> String {
    // Names of files may have anything in them; XML may not.
    let clean = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect::<String>();
    clean.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::results::tests::cell;

    /// Names of the elements, after holding the text to being a tree of them.
    fn elements(svg: &str) -> Vec<String> {
        let mut open: Vec<String> = Vec::new();
        let mut seen = Vec::new();
        for tag in svg.split('<').skip(1) {
            let (tag, text) = tag.split_once('>').expect("a tag ends");
            assert!(!text.contains('>'), "{text}");
            let entities: usize = ["&lt;", "&gt;", "&amp;"].iter().map(|name| text.matches(name).count()).sum();
            assert_eq!(entities, text.matches('&').count());
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name));
                continue;
            }
            let name: String = tag.chars().take_while(|letter| letter.is_ascii_alphabetic()).collect();
            if !tag.ends_with('/') {
                open.push(name.clone());
            }
            seen.push(name);
        }
        assert!(open.is_empty(), "{open:?} stay open");
        seen
    }

    fn count(svg: &str, what: &str) -> usize {
        svg.matches(what).count()
    }

    #[test]
    fn problems_of_one_size_share_a_panel() {
        let cells = [
            cell("a<b>&c", 100.0, &[("one", 20.0), ("other", 300.0)]),
            cell("y", 100.0, &[("one", 8.0), ("other", 40.0)]),
        ];
        let svg = plot(&cells);
        let names = elements(&svg);
        assert_eq!(names[0], "svg");
        assert!(svg.contains("a&lt;b&gt;&amp;c"));
        // Two marks for each algorithm, and one in the legend.
        assert_eq!((count(&svg, "<circle"), count(&svg, " tests</title>")), (3, 4));
        assert_eq!(count(&svg, "font-weight=\"bold\""), 1);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn several_sizes_are_a_curve() {
        let sizes = [10_000.0, 100.0, 1000.0];
        let cells: Vec<Cell> = sizes.iter().map(|&units| cell("x", units, &[("one", units.sqrt())])).collect();
        let svg = plot(&[cells.as_slice(), &[cell("y", 100.0, &[("one", 9.0)])]].concat());
        elements(&svg);
        assert_eq!(count(&svg, "font-weight=\"bold\""), 2);
        let curves = svg.lines().filter(|line| line.contains("stroke=\"#0072b2\" stroke-width"));
        let points: Vec<usize> = curves.map(|line| line.matches('L').count() + 1).collect();
        assert_eq!(points, [3, 1]);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn ticks_are_round_numbers_on_the_axis() {
        let axis = Axis::new([8.0, 300.0].into_iter(), 100.0);
        assert_eq!(axis.ticks(), [10.0, 20.0, 50.0, 100.0, 200.0]);
        assert!(axis.at(8.0) > 0.0 && axis.at(300.0) < 100.0);
    }

    #[test]
    fn neighbours_in_the_legend_differ_in_colour_and_all_in_colour_or_shape() {
        let look = |index: usize| (COLOURS[index % COLOURS.len()], (index + index / COLOURS.len()) % SHAPES);
        for index in 0..16 {
            assert!((0..index).all(|earlier| look(earlier) != look(index)), "{index}");
        }
    }

    #[test]
    fn no_cell_is_no_reason_to_panic() {
        elements(&plot(&[]));
    }
}
