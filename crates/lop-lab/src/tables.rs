//! The tables of a comparison: one for each cell, and one over all of them.

use std::io::{self, Write};

use lop_report::text::{self, FAINT, STRONG, Table};

use crate::compare::{BoundSource, Cell, overall};

/// Writes the tables.
///
/// # Errors
/// When writing fails.
pub fn write(out: &mut dyn Write, cells: &[Cell]) -> io::Result<()> {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        heading(out, cell)?;
        rows(out, cell)?;
    }
    if cells.len() > 1 {
        writeln!(out)?;
        all(out, cells)?;
    }
    Ok(())
}

fn heading(out: &mut dyn Write, cell: &Cell) -> io::Result<()> {
    write!(out, "{STRONG}{}{STRONG:#}: {:.0} units", text::one_line(&cell.problem), cell.units)?;
    if cell.trials > 1 {
        write!(out, ", {} trials", cell.trials)?;
    }
    if let Some(bound) = cell.bound {
        let source = match bound.source {
            BoundSource::Parameters => "parameters known",
            BoundSource::CodeLength => "lop's own code length",
        };
        write!(out, "; bound {} {FAINT}({source}){FAINT:#}", figure(bound.tests))?;
    }
    if let Some(optimum) = cell.optimum {
        write!(out, "; optimum {}", figure(optimum.here))?;
        if let Some(expected) = optimum.expected {
            write!(out, " {FAINT}({} expected){FAINT:#}", figure(expected))?;
        }
    }
    writeln!(out)
}

fn rows(out: &mut dyn Write, cell: &Cell) -> io::Result<()> {
    // By a single worker a round is a test.
    let several = |&&(workers, _): &&(usize, _)| workers > 1;
    let spreads = cell.rows.iter().any(|row| row.spread.is_some());
    let usual: &[&str] = match spreads {
        true => &["algorithm", "tests", "±", "median", "worst", "left", "median", "worst"],
        false => &["algorithm", "tests", "±", "left"],
    };
    let mut headings: Vec<String> = usual.iter().map(|&heading| heading.to_owned()).collect();
    let first = cell.rows.first().map(|row| row.rounds.as_slice()).unwrap_or_default();
    headings.extend(first.iter().filter(several).map(|(workers, _)| format!("k={workers}")));
    headings.extend(cell.bound.map(|_| "÷ bound".to_owned()));
    headings.extend(cell.optimum.iter().flat_map(|_| ["÷ optimum".to_owned(), "±".to_owned()]));
    let mut table = table(&headings);
    for row in &cell.rows {
        let error = row.tests.error.map_or_else(unknown, |error| format!("{error:.2}"));
        let spread = |index: usize| match row.spread.filter(|_| spreads) {
            Some(spread) => vec![figure(spread[index].median), figure(spread[index].worst)],
            None if spreads => vec![unknown(), unknown()],
            None => Vec::new(),
        };
        let mut cells = vec![row.algorithm.to_owned(), figure(row.tests.mean), error];
        cells.extend(spread(0));
        cells.push(figure(row.left.mean));
        cells.extend(spread(1));
        let rounds = row.rounds.iter().filter(several).map(|(_, mean)| mean.map(|mean| mean.mean));
        cells.extend(rounds.map(|mean| mean.map_or_else(unknown, figure)));
        cells.extend(cell.bound.map(|_| ratio(cell.to_bound(row))));
        if cell.optimum.is_some() {
            cells.extend([
                ratio(row.to_optimum.map(|mean| mean.mean)),
                ratio(row.to_optimum.and_then(|mean| mean.error)),
            ]);
        }
        table.row(cells);
    }
    table.write(out)
}

/// Geometric means over the cells, and the worst cell of each algorithm.
fn all(out: &mut dyn Write, cells: &[Cell]) -> io::Result<()> {
    writeln!(out, "{STRONG}all {} together{STRONG:#}: geometric means", cells.len())?;
    let overall = overall(cells);
    let mut headings = vec!["algorithm".to_owned(), "tests".to_owned()];
    let to_bound = overall.iter().find_map(|row| row.to_bound.as_ref());
    let to_optimum = overall.iter().find_map(|row| row.to_optimum.as_ref());
    for (name, over) in [("bound", to_bound), ("optimum", to_optimum)] {
        if let Some(over) = over {
            headings.extend([format!("÷ {name} of {}", over.cells), "worst".to_owned(), "in".to_owned()]);
        }
    }
    let mut table = table(&headings);
    for row in &overall {
        let mut cells = vec![row.algorithm.to_owned(), figure(row.tests)];
        for over in [&row.to_bound, &row.to_optimum].into_iter().flatten() {
            cells.extend([ratio(Some(over.mean)), ratio(Some(over.worst)), over.worst_cell.clone()]);
        }
        table.row(cells);
    }
    table.write(out)
}

fn table(headings: &[String]) -> Table {
    Table::new(1, &headings.iter().map(String::as_str).collect::<Vec<_>>())
}

/// One decimal, as far as there is anything to say beyond the point.
fn figure(value: f64) -> String {
    if value >= 10_000.0 { text::count(value.round() as u64) } else { format!("{value:.1}") }
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(unknown, |ratio| format!("{ratio:.3}"))
}

fn unknown() -> String {
    "-".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Bound, Mean, Optimum, Row};

    fn row(algorithm: &'static str, tests: f64) -> Row {
        let mean = |mean| Mean { mean, error: Some(0.25) };
        Row {
            algorithm,
            tests: mean(tests),
            left: Mean { mean: 8.0, error: None },
            rounds: vec![(1, Some(mean(tests))), (4, Some(mean(tests / 2.0))), (16, None)],
            to_optimum: (tests < 1000.0).then(|| mean(tests / 120.0)),
            spread: None,
        }
    }

    fn said(cells: &[Cell]) -> String {
        let mut out = Vec::new();
        write(&mut out, cells).expect("a vector takes everything");
        String::from_utf8(anstream::adapter::strip_bytes(&out).into_vec()).expect("it is text")
    }

    #[test]
    fn the_whole_output() {
        let source = |tests, source| Some(Bound { tests, source });
        let first = Cell {
            problem: "markov:0.9/0.95".to_owned(),
            units: 500.0,
            trials: 20,
            bound: source(100.0, BoundSource::Parameters),
            optimum: Some(Optimum { here: 120.0, expected: Some(125.0) }),
            rows: vec![row("entropy", 126.0), row("naive", 500.0)],
        };
        let second = Cell {
            problem: "gcc".to_owned(),
            units: 754.0,
            trials: 1,
            bound: source(260.0, BoundSource::CodeLength),
            optimum: None,
            rows: vec![Row { to_optimum: None, ..row("entropy", 270.0) }, row("naive", 12_345.0)],
        };
        let expected = "\
markov:0.9/0.95: 500 units, 20 trials; bound 100.0 (parameters known); optimum 120.0 (125.0 expected)
  algorithm  tests     ±  left    k=4  k=16  ÷ bound  ÷ optimum      ±
  entropy    126.0  0.25   8.0   63.0     -    1.260      1.050  0.250
  naive      500.0  0.25   8.0  250.0     -    5.000      4.167  0.250

gcc: 754 units; bound 260.0 (lop's own code length)
  algorithm   tests     ±  left     k=4  k=16  ÷ bound
  entropy     270.0  0.25   8.0   135.0     -    1.038
  naive      12,345  0.25   8.0  6172.5     -   47.481

all 2 together: geometric means
  algorithm   tests  ÷ bound of 2   worst                     in  ÷ optimum of 1  worst                     in
  entropy     184.4         1.144   1.260  markov:0.9/0.95 n=500           1.050  1.050  markov:0.9/0.95 n=500
  naive      2484.5        15.408  47.481              gcc n=754           4.167  4.167  markov:0.9/0.95 n=500
";
        assert_eq!(said(&[first.clone(), second]), expected);
        let alone = said(&[first]);
        assert!(!alone.contains("together"), "{alone}");
    }

    #[test]
    fn without_a_bound_there_is_no_ratio() {
        let cell = Cell {
            problem: "file by lines".to_owned(),
            units: 10.0,
            trials: 1,
            bound: None,
            optimum: None,
            rows: vec![row("naive", 10.0)],
        };
        assert_eq!(said(&[cell]).lines().next(), Some("file by lines: 10 units"));
    }
}
