//! A pass of one's own: columns of a table whose cells stand between slashes. lop knows commas, tabs, semicolons and bars,
//! but a program under test that refuses rows of different lengths needs a pass that knows about slashes. Run it with `cargo run --example custom_pass`.

use std::ops::Range;

use lop::{Config, Edit, Facts, Pass, Proposals, Report, Stage, Verdict, View};

const TABLE: &[u8] = b"\
id/name/status/city/amount/note
1/Ada/ok/London/12.50/first
2/Bob/ok/Paris/7.00/
3/Cyd/overdrawn/Oslo/-3.20/call back
4/Dan/ok/Rome/99.99/none
";

/// Takes columns out, and makes cells simple.
struct Columns;

impl Pass for Columns {
    fn facts(&self) -> Facts {
        Facts::new("cells", Stage::Rules, "columns between slashes, and cells made simple")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let rows = rows(view.text);
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        // A cell goes with the slash behind it, and the last one with the slash before it.
        let without = |cells: &Vec<Range<usize>>, column: usize| -> Option<Edit> {
            let cell = cells.get(column)?;
            let range = match cells.get(column + 1) {
                Some(next) => cell.start..next.start,
                None => column.checked_sub(1).map_or(cell.start, |before| cells[before].end)..cell.end,
            };
            // Exactly so: no blank is added or taken away around what goes.
            Some(Edit::delete_raw(range))
        };
        let columns = (0..width).map(|column| rows.iter().filter_map(|cells| without(cells, column)).collect());
        let cells = rows.iter().flatten().filter(|cell| cell.len() > 1);
        let simple = cells.map(|cell| vec![Edit { raw: true, ..Edit::replace(cell.clone(), b"0".as_slice()) }]);
        view.any_of(columns).and(view.one_of(simple))
    }
}

/// Where the cells of each row are.
fn rows(text: &[u8]) -> Vec<Vec<Range<usize>>> {
    let mut at = 0;
    let mut ranges = |part: &[u8]| {
        at += part.len() + 1;
        at - part.len() - 1..at - 1
    };
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| line.split(|byte| *byte == b'/').map(&mut ranges).collect()).collect()
}

/// The program under test: it refuses a table with rows of different lengths, and trips over some accounts.
fn crashes(table: &[u8]) -> Verdict {
    let rows = rows(table);
    if rows.windows(2).any(|two| two[0].len() != two[1].len()) {
        return Verdict::Invalid;
    }
    let cells = |row: &Vec<Range<usize>>| row.iter().map(|cell| table[cell.clone()].to_vec()).collect::<Vec<_>>();
    let [head, rest @ ..] = rows.as_slice() else { return Verdict::Invalid };
    let status = cells(head).iter().position(|cell| cell == b"status");
    Verdict::from(status.is_some_and(|column| rest.iter().any(|row| cells(row)[column] == b"overdrawn")))
}

/// Reduces the table, with the pass and without it.
pub(crate) fn run() -> Result<[Report; 2], lop::Error> {
    let config = || Config::new().language("text");
    Ok([lop::reduce(TABLE, crashes, &config().pass(Columns))?, lop::reduce(TABLE, crashes, &config())?])
}

fn main() -> Result<(), lop::Error> {
    for (report, how) in run()?.iter().zip(["with", "without"]) {
        anstream::println!(
            "{how} the pass, {} tests:\n{}",
            report.tests.total(),
            String::from_utf8_lossy(&report.best)
        );
        for pass in report.passes.iter().filter(|pass| pass.accepted > 0) {
            anstream::println!("  {}: {} tests, {} accepted", pass.name, pass.tests, pass.accepted);
        }
    }
    Ok(())
}
