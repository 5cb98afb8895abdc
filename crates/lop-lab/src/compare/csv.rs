//! A comparison as comma-separated values, for other programs.

use std::fmt::Write;

use super::results::{BoundSource, Cell, Mean};

/// The heading.
const COLUMNS: &str = "problem,units,trials,algorithm,workers,tests,tests_error,left,left_error,rounds,rounds_error,\
                       bound,bound_from,optimum,optimum_expected,tests_per_bound,tests_per_optimum,\
                       tests_per_optimum_error";

/// Further columns, if whole reductions were compared.
const SPREAD: &str = ",tests_median,tests_worst,left_median,left_worst";

/// Writes a heading, and a line for each algorithm and number of workers of each cell. Tests and sizes are those of the
/// smallest number of workers; unknown values are blank.
#[must_use]
pub fn csv(cells: &[Cell]) -> String {
    let has_spread = cells.iter().flat_map(|cell| &cell.rows).any(|row| row.spread.is_some());
    let mut text = format!("{COLUMNS}{}\n", if has_spread { SPREAD } else { "" });
    for cell in cells {
        let source = cell.bound.map_or("", |bound| match bound.source {
            BoundSource::Parameters => "parameters",
            BoundSource::CodeLength => "code length",
        });
        for row in &cell.rows {
            for &(workers, rounds) in &row.rounds {
                let (tests, tests_error) = mean(Some(row.tests));
                let (left, left_error) = mean(Some(row.left));
                let (rounds, rounds_error) = mean(rounds);
                let bound = number(cell.bound.map(|bound| bound.tests));
                let optimum = number(cell.optimum.map(|optimum| optimum.here));
                let expected = number(cell.optimum.and_then(|optimum| optimum.expected));
                let to_bound = number(cell.to_bound(row));
                let (to_optimum, to_optimum_error) = mean(row.to_optimum);
                let spread = [0, 1].map(|index| {
                    let spread = row.spread.map(|spread| spread[index]);
                    let [median, worst] = [spread.map(|spread| spread.median), spread.map(|spread| spread.worst)];
                    if has_spread { format!(",{},{}", number(median), number(worst)) } else { String::new() }
                });
                let spread = spread.concat();
                writeln!(
                    text,
                    "{},{},{},{},{workers},{tests},{tests_error},{left},{left_error},{rounds},{rounds_error},{bound},\
                     {source},{optimum},{expected},{to_bound},{to_optimum},{to_optimum_error}{spread}",
                    quoted(&cell.problem),
                    number(Some(cell.units)),
                    cell.trials,
                    row.algorithm,
                )
                .expect("a string takes everything");
            }
        }
    }
    text
}

fn mean(mean: Option<Mean>) -> (String, String) {
    (number(mean.map(|mean| mean.mean)), number(mean.and_then(|mean| mean.error)))
}

/// At most four decimals: further ones are noise.
fn number(value: Option<f64>) -> String {
    let Some(value) = value else { return String::new() };
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A field as RFC 4180 wants it.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::csv;
    use crate::compare::results::tests::cell;

    #[test]
    fn a_line_for_each_algorithm_and_number_of_workers() {
        let cells = [cell("x, \"y\"", 100.0, &[("one", 25.0), ("other", 30.125)]), cell("z", 2000.0, &[("one", 1.0)])];
        let expected = "\
problem,units,trials,algorithm,workers,tests,tests_error,left,left_error,rounds,rounds_error,bound,bound_from,optimum,optimum_expected,tests_per_bound,tests_per_optimum,tests_per_optimum_error
\"x, \"\"y\"\"\",100,20,one,1,25,0.5,3,,25,,10,parameters,20,21,2.5,1.25,0.125
\"x, \"\"y\"\"\",100,20,one,4,25,0.5,3,,,,10,parameters,20,21,2.5,1.25,0.125
\"x, \"\"y\"\"\",100,20,other,1,30.125,0.5,3,,30.125,,10,parameters,20,21,3.0125,1.5063,0.125
\"x, \"\"y\"\"\",100,20,other,4,30.125,0.5,3,,,,10,parameters,20,21,3.0125,1.5063,0.125
z,2000,20,one,1,1,0.5,3,,1,,10,parameters,,,0.1,,
z,2000,20,one,4,1,0.5,3,,,,10,parameters,,,0.1,,
";
        assert_eq!(csv(&cells), expected);
    }
}
