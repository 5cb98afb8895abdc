//! The lines that `-v` adds to the summary: how the tests were spent, and details of everything that the summary only
//! counts.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::time::Duration;

use lop_reduce::{Reliability, Report};

use super::others::Others;
use super::text::{self, FAINT, STRONG, Table, WARN};

/// Longest text shown of a unit that was kept by a timeout, in characters.
const EXCERPT: usize = 60;
/// Longest signature of a crash that is shown, in characters.
const SIGNATURE: usize = 100;

/// Writes the details. `checked` is how many runs there were before the first test, and how long they took; `met` the other
/// crashes.
///
/// # Errors
/// When writing fails.
pub(super) fn write(
    out: &mut dyn Write,
    report: &Report,
    checked: (usize, Duration),
    met: Option<&Others>,
) -> io::Result<()> {
    writeln!(out)?;
    time(out, report)?;
    writeln!(
        out,
        "  answered without a test: {} from the cache, {} rejected for new syntax errors",
        text::count(report.cache_hits),
        text::count(report.gate_refusals),
    )?;
    confirmed(out, report.reliability)?;
    checkup(out, checked)?;
    passes(out, report)?;
    rules(out, report)?;
    timeouts(out, &report.kept_by_timeout)?;
    met.map_or(Ok(()), |found| others(out, found))?;
    writeln!(out)
}

/// Where the time went.
fn time(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let mean = match u32::try_from(report.tests.total()) {
        Ok(some) if some > 0 => report.testing / some,
        _ => report.testing,
    };
    writeln!(
        out,
        "  time: {} of {} waiting for tests; tests took {} on all workers, {} each",
        text::duration(report.waiting),
        text::duration(report.elapsed),
        text::duration(report.testing),
        text::duration(mean),
    )
}

/// The questions that were asked again although the test never contradicted itself; the summary has the contradictions.
fn confirmed(out: &mut dyn Write, seen: Reliability) -> io::Result<()> {
    match seen {
        Reliability { disagreements: 0, returns: 0, confirmations, .. } if confirmations > 0 => {
            writeln!(out, "  confirmed: repeated {}, never another answer", text::plural(confirmations, "time"))
        }
        _ => Ok(()),
    }
}

/// The runs by which the test was examined.
fn checkup(out: &mut dyn Write, (runs, time): (usize, Duration)) -> io::Result<()> {
    let what = match runs {
        0 => return Ok(()),
        1 => "the input in another directory",
        2 => "the input in another directory, and a file of one newline",
        _ => "the input in another directory, and trivial files",
    };
    let runs = text::plural(runs as u64, "more run");
    writeln!(out, "  check at the start: {runs} of the test ({what}), {}", text::duration(time))
}

fn passes(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    if report.passes.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(1, &["pass", "tests", "accepted", "bytes removed", "tokens removed"]);
    for pass in &report.passes {
        table.row(vec![
            pass.name.to_owned(),
            text::count(pass.tests),
            text::count(pass.accepted),
            text::count(pass.bytes),
            text::count(pass.tokens),
        ]);
    }
    writeln!(out)?;
    table.write(out)
}

/// The bytes and tokens that each of the grammar's rules took out, those of the most tokens first.
fn rules(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    if report.rules.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(1, &["rule", "accepted", "bytes removed", "tokens removed"]);
    let mut rules: Vec<_> = report.rules.iter().collect();
    rules.sort_by_key(|rule| Reverse((rule.tokens, rule.bytes)));
    for rule in rules {
        let counts = [rule.hits, rule.bytes, rule.tokens].map(text::count);
        table.row([rule.place.to_string()].into_iter().chain(counts).collect());
    }
    writeln!(out)?;
    table.write(out)
}

fn timeouts(out: &mut dyn Write, kept: &[String]) -> io::Result<()> {
    if kept.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "  {WARN}kept because a test timed out{WARN:#} (a longer --timeout may remove it):")?;
    for text in kept {
        writeln!(out, "    {}", text::visible(text.trim(), EXCERPT))?;
    }
    Ok(())
}

/// Writes the other crashes and their places.
fn others(out: &mut dyn Write, others: &Others) -> io::Result<()> {
    if others.met().next().is_some() {
        writeln!(out)?;
        writeln!(out, "  {STRONG}other crashes{STRONG:#} found, each with the output of the test:")?;
    }
    for other in others.met() {
        let bytes = text::plural(other.bytes as u64, "byte");
        writeln!(out, "    {}  {FAINT}({bytes}){FAINT:#}", text::visible(&other.signature, SIGNATURE))?;
        writeln!(out, "      {}", text::path(&other.path))?;
    }
    if others.left_out() > 0 {
        writeln!(
            out,
            "    and {} with yet other signatures, not kept",
            text::plural(others.left_out() as u64, "candidate")
        )?;
    }
    Ok(())
}
