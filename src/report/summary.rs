//! What is said at the end: how much smaller, at what price, and what the engine learnt.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use crate::engine::DepthRow;
use crate::passes::NO_DEPTH;
use crate::reduce::{Ended, Reliability, Report, Size};

use super::others::Others;
use super::text::{self, FAINT, GOOD, STRONG, Table, WARN};

/// Texts kept by a timeout that are listed; more than these are only counted.
const LISTED: usize = 10;
/// Longest text shown of a unit that was kept by a timeout, in characters.
const EXCERPT: usize = 60;
/// Longest signature of a crash that is shown, in characters.
const SIGNATURE: usize = 100;
/// Depths shown; the deepest of very deep trees are folded into one row.
const DEPTHS: usize = 24;

/// Where things are when all is done.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// The input as the user named it.
    pub input: &'a Path,
    /// The grammar's name, or `text`.
    pub grammar: &'a str,
    /// Where the result is: a path, or what else it was written to.
    pub result: &'a str,
    /// Where the original is, if it was moved.
    pub original: Option<&'a Path>,
    /// Where what was learnt is, if it was saved.
    pub model: Option<&'a Path>,
    /// Runs of the test at the start that are not among the tests, and how long they took.
    pub checkup: (usize, Duration),
    /// The other crashes that were met.
    pub others: Option<&'a Others>,
    /// What deserves attention, each in a sentence.
    pub attention: &'a [String],
    /// What `lop resume` has to be given to go on, if there is a journal.
    pub journal: Option<&'a Path>,
}

/// Writes the summary.
///
/// # Errors
/// When writing fails.
pub fn write(out: &mut dyn Write, report: &Report, places: &Places<'_>) -> io::Result<()> {
    heading(out, report, places)?;
    sizes(out, report.before, report.after)?;
    tests(out, report, places.checkup.1)?;
    checkup(out, places.checkup)?;
    passes(out, report)?;
    skipped(out, &report.skipped)?;
    depths(out, &report.depths)?;
    timeouts(out, &report.kept_by_timeout)?;
    writeln!(out)?;
    writeln!(out, "  {STRONG}result{STRONG:#}    {}", places.result)?;
    if let Some(original) = places.original {
        writeln!(out, "  {STRONG}original{STRONG:#}  {}", original.display())?;
    }
    if let Some(model) = places.model {
        writeln!(out, "  {STRONG}model{STRONG:#}     {}", model.display())?;
    }
    if let Some(journal) = places.journal.filter(|_| report.ended != Ended::Complete) {
        writeln!(out, "  {STRONG}go on{STRONG:#}     lop resume {}", journal.display())?;
    }
    places.others.map_or(Ok(()), |found| others(out, found))?;
    // Last, where the eye is when all is done.
    places.attention.iter().try_for_each(|line| writeln!(out, "  {WARN}attention{WARN:#} {line}"))
}

fn heading(out: &mut dyn Write, report: &Report, places: &Places<'_>) -> io::Result<()> {
    let untouched = report.before == report.after && report.passes.iter().all(|pass| pass.accepted == 0);
    let (style, word) = match (report.ended, untouched) {
        (Ended::Complete, false) => (GOOD, "reduced"),
        (Ended::Cancelled, false) => (WARN, "stopped early, reduced"),
        (Ended::Budget, false) => (WARN, "stopped at the limit, reduced"),
        (Ended::Complete, true) => (GOOD, "nothing to remove from"),
        (Ended::Cancelled, true) => (WARN, "stopped early; nothing removed yet from"),
        (Ended::Budget, true) => (WARN, "stopped at the limit; nothing removed yet from"),
    };
    let minimal = match (report.ended, report.minimal) {
        (Ended::Complete, "none") => "no minimality guaranteed".to_owned(),
        (Ended::Complete, level) => format!("1-minimal by {level}"),
        _ => "not minimal yet".to_owned(),
    };
    writeln!(
        out,
        "{style}{word}{style:#} {} in {} {FAINT}({}, {minimal}){FAINT:#}",
        places.input.display(),
        text::duration(report.elapsed),
        places.grammar,
    )
}

fn sizes(out: &mut dyn Write, before: Size, after: Size) -> io::Result<()> {
    let mut table = Table::new(1, &["", "before", "after", "left"]);
    let mut row = |name: &str, before: usize, after: usize| {
        table.row(vec![name.to_owned(), text::len(before), text::len(after), text::percent(after, before)]);
    };
    row("bytes", before.bytes, after.bytes);
    row("tokens", before.tokens, after.tokens);
    row("lines", before.lines, after.lines);
    writeln!(out)?;
    table.write(out)
}

fn tests(out: &mut dyn Write, report: &Report, checkup: Duration) -> io::Result<()> {
    let counts = &report.tests;
    let total = counts.total();
    // The first two are always said, the others when there are any.
    let mut outcomes = vec![
        format!("{} interesting", text::count(counts.interesting)),
        format!("{} not interesting", text::count(counts.not_interesting)),
    ];
    // A run that failed ends the reduction with an error, so these were all cancelled.
    let cancelled = match report.ended {
        Ended::Complete => "cancelled, overtaken by an earlier answer",
        Ended::Cancelled | Ended::Budget => "cancelled",
    };
    for (number, word) in [(counts.invalid, "invalid"), (counts.timeout, "timed out"), (counts.unresolved, cancelled)] {
        if number > 0 {
            outcomes.push(format!("{} {word}", text::count(number)));
        }
    }
    writeln!(out)?;
    writeln!(out, "  {STRONG}{}{STRONG:#}: {}", text::plural(total, "test"), outcomes.join(", "))?;
    writeln!(
        out,
        "  answered without a test: {} from the cache, {} refused for new syntax errors",
        text::count(report.cache_hits),
        text::count(report.gate_refusals),
    )?;
    reliability(out, report.reliability)?;
    let old = [(report.from_journal, "the journal"), (report.from_shared_cache, "the cache of earlier runs")];
    let old: Vec<String> = old
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, place)| format!("{} taken from {place}", text::plural(number, "outcome")))
        .collect();
    if !old.is_empty() {
        writeln!(out, "  tests not run again: {}", old.join(", "))?;
    }
    let mean = match u32::try_from(total) {
        Ok(some) if some > 0 => report.testing / some,
        _ => report.testing,
    };
    writeln!(
        out,
        "  time: {} waiting for tests ({} each), {} lop's own",
        text::duration(report.waiting),
        text::duration(mean),
        text::duration(report.elapsed.saturating_sub(report.waiting + checkup)),
    )
}

/// The runs by which the test was examined.
fn checkup(out: &mut dyn Write, (runs, time): (usize, Duration)) -> io::Result<()> {
    let what = match runs {
        0 => return Ok(()),
        1 => "the input in another directory",
        2 => "the input in another directory, and a file of one line break",
        _ => "the input in another directory, and files with nothing in them",
    };
    let runs = text::plural(runs as u64, "more run");
    writeln!(out, "  checkup at the start: {runs} of the test ({what}), {}", text::duration(time))
}

/// What was asked again, and what came of it.
fn reliability(out: &mut dyn Write, seen: Reliability) -> io::Result<()> {
    let Reliability { repeated, disagreements, bound, confirmations, returns } = seen;
    if disagreements == 0 && confirmations == 0 {
        return Ok(());
    }
    if disagreements == 0 && returns == 0 {
        return writeln!(out, "  confirmed: asked again {}, never another answer", text::plural(confirmations, "time"));
    }
    let share = disagreements as f64 / repeated.max(1) as f64;
    writeln!(
        out,
        "  {WARN}the test is flaky{WARN:#}: {} of {} repeated runs disagreed ({:.1}%, at most {:.1}%);\n  {}, {} taken back",
        text::count(disagreements),
        text::count(repeated),
        share * 100.0,
        bound * 100.0,
        text::plural(confirmations, "confirmation"),
        text::plural(returns, "result"),
    )
}

/// What was left out while it ran.
fn skipped(out: &mut dyn Write, passes: &[&str]) -> io::Result<()> {
    if passes.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "  {WARN}not done{WARN:#}, or not to the end, because you skipped it: {}", passes.join(", "))
}

/// Other crashes, and where they are.
fn others(out: &mut dyn Write, others: &Others) -> io::Result<()> {
    if others.met().next().is_some() {
        writeln!(out)?;
        writeln!(out, "  {STRONG}other crashes{STRONG:#} met on the way, with the output of the test beside each:")?;
    }
    for other in others.met() {
        let bytes = text::plural(other.bytes as u64, "byte");
        writeln!(out, "    {}  {FAINT}({bytes}){FAINT:#}", text::visible(&other.signature, SIGNATURE))?;
        writeln!(out, "      {}", other.path.display())?;
    }
    if others.left_out() > 0 {
        writeln!(
            out,
            "    and {} with yet other signatures, not kept",
            text::plural(others.left_out() as u64, "candidate")
        )?;
    }
    match others.trouble() {
        Some(error) => writeln!(out, "  {WARN}other crashes could not be kept{WARN:#}: {error}"),
        None => Ok(()),
    }
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

/// Writes what each of the grammar's rules took out, those of the most tokens first.
///
/// # Errors
/// When writing fails.
pub fn rules(out: &mut dyn Write, report: &Report) -> io::Result<()> {
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

/// The engine's view of the tree.
fn depths(out: &mut dyn Write, rows: &[DepthRow]) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(
        1,
        &["depth", "lists", "units", "kept", "P(needed)", "P(u|u)", "H bits", "tests", "bound", "÷ bound"],
    );
    let (tree, flat): (Vec<&DepthRow>, Vec<&DepthRow>) = rows.iter().partition(|row| row.depth != NO_DEPTH);
    for row in tree.iter().take(DEPTHS) {
        table.row(depth_row(&row.depth.to_string(), row));
    }
    if let Some(deeper) = tree.get(DEPTHS) {
        table.row(vec![format!("{} and deeper", deeper.depth), "(in --json)".to_owned()]);
    }
    for row in flat {
        table.row(depth_row("flat", row));
    }
    if rows.len() > 1 {
        table.row(depth_row("all", &DepthRow::total(rows)));
    }
    writeln!(out)?;
    table.write(out)?;
    writeln!(
        out,
        "  {FAINT}P(u|u): a unit after a removable one is removable, too. H: code length of what was found. bound: the \
         fewest tests\n  for a test that is monotone; answers from the cache can make it fewer.{FAINT:#}"
    )
}

fn depth_row(name: &str, row: &DepthRow) -> Vec<String> {
    vec![
        name.to_owned(),
        text::count(row.lists),
        text::count(row.units),
        text::count(row.kept),
        format!("{:.3}", row.needed_share),
        row.removable_after_removable.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}")),
        format!("{:.1}", row.entropy_bits),
        text::count(row.tests),
        format!("{:.0}", row.lower_bound.ceil()),
        row.tests_per_bound().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")),
    ]
}

fn timeouts(out: &mut dyn Write, kept: &[String]) -> io::Result<()> {
    if kept.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(
        out,
        "  {WARN}kept by timeout{WARN:#} (without it the test ran into the deadline; a longer --timeout may remove it):"
    )?;
    for text in kept.iter().take(LISTED) {
        writeln!(out, "    {}", text::visible(text.trim(), EXCERPT))?;
    }
    if kept.len() > LISTED {
        writeln!(out, "    and {} more", text::len(kept.len() - LISTED))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::{Counts, Model, PassStats};

    fn report() -> Report {
        Report {
            best: b"x".to_vec(),
            before: Size { bytes: 12_345, tokens: 2_301, lines: 411 },
            after: Size { bytes: 57, tokens: 13, lines: 3 },
            ended: Ended::Complete,
            tests: Counts { interesting: 58, not_interesting: 270, timeout: 4, ..Counts::default() },
            reliability: Reliability { repeated: 6, confirmations: 5, ..Reliability::default() },
            cache_hits: 12,
            from_journal: 0,
            from_shared_cache: 0,
            gate_refusals: 102,
            elapsed: Duration::from_millis(2_310),
            waiting: Duration::from_millis(2_110),
            testing: Duration::from_millis(4_150),
            depths: vec![DepthRow {
                depth: 1,
                lists: 1,
                units: 42,
                needed_share: 0.125,
                removable_after_removable: Some(0.951),
                entropy_bits: 17.25,
                kept: 5,
                tests: 31,
                lower_bound: 17.4,
            }],
            passes: vec![PassStats { name: "comments", tests: 1, accepted: 1, bytes: 900, tokens: 0 }],
            rules: Vec::new(),
            necessity: None,
            skipped: Vec::new(),
            kept_by_timeout: vec!["while (x)\n  f();".to_owned()],
            model: Model::new(None),
            minimal: "token",
            claims: Vec::new(),
        }
    }

    #[test]
    fn the_whole_summary() {
        let places = Places {
            input: Path::new("a.c"),
            grammar: "zed",
            result: "a.c",
            original: Some(Path::new("a.c.orig")),
            model: Some(Path::new("zed.model")),
            checkup: (2, Duration::from_millis(24)),
            others: None,
            attention: &["look at it".to_owned()],
            journal: Some(Path::new("a.c.lop")),
        };
        let mut out = Vec::new();
        write(&mut out, &report(), &places).expect("a vector takes everything");
        let plain = anstream::adapter::strip_bytes(&out).into_vec();
        let expected = "\
reduced a.c in 2.31 s (zed, 1-minimal by token)

          before  after  left
  bytes   12,345     57  0.5%
  tokens   2,301     13  0.6%
  lines      411      3  0.7%

  332 tests: 58 interesting, 270 not interesting, 4 timed out
  answered without a test: 12 from the cache, 102 refused for new syntax errors
  confirmed: asked again 5 times, never another answer
  time: 2.11 s waiting for tests (12 ms each), 176 ms lop's own
  checkup at the start: 2 more runs of the test (the input in another directory, and a file of one line break), 24 ms

  pass      tests  accepted  bytes removed  tokens removed
  comments      1         1            900               0

  depth  lists  units  kept  P(needed)  P(u|u)  H bits  tests  bound  ÷ bound
  1          1     42     5      0.125   0.951    17.2     31     18     1.78
  P(u|u): a unit after a removable one is removable, too. H: code length of what was found. bound: the fewest tests
  for a test that is monotone; answers from the cache can make it fewer.

  kept by timeout (without it the test ran into the deadline; a longer --timeout may remove it):
    while (x)\\n  f();

  result    a.c
  original  a.c.orig
  model     zed.model
  attention look at it
";
        assert_eq!(String::from_utf8_lossy(&plain), expected);
    }

    #[test]
    fn a_flaky_test_is_called_flaky() {
        let seen = Reliability { repeated: 1_200, disagreements: 60, bound: 0.0617, confirmations: 1_190, returns: 1 };
        let mut out = Vec::new();
        reliability(&mut out, seen).expect("a vector takes everything");
        let plain = String::from_utf8(anstream::adapter::strip_bytes(&out).into_vec()).expect("it is text");
        let expected = "  the test is flaky: 60 of 1,200 repeated runs disagreed (5.0%, at most 6.2%);\n  \
                        1,190 confirmations, 1 result taken back\n";
        assert_eq!(plain, expected);
    }

    fn places(journal: Option<&Path>) -> Places<'_> {
        Places {
            input: Path::new("a.c"),
            grammar: "zed",
            result: "a.c",
            original: None,
            model: None,
            checkup: (0, Duration::ZERO),
            others: None,
            attention: &[],
            journal,
        }
    }

    #[test]
    fn the_depths_are_summed_up() {
        let places = places(None);
        let mut report = report();
        let deeper = DepthRow { depth: 2, tests: 9, lower_bound: 12.6, ..report.depths[0] };
        let nothing = DepthRow { depth: NO_DEPTH, tests: 1, lower_bound: 0.0, ..report.depths[0] };
        report.depths.extend([deeper, nothing]);
        let mut out = Vec::new();
        write(&mut out, &report, &places).expect("a vector takes everything");
        let plain = String::from_utf8(anstream::adapter::strip_bytes(&out).into_vec()).expect("it is text");
        let ends = |name: &str| {
            let row = plain.lines().find(|line| line.trim_start().starts_with(name)).expect("the row is there");
            row.split_whitespace().rev().take(3).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(ends("2 "), ["0.71", "13", "9"]);
        assert_eq!(ends("flat "), ["-", "0", "1"]);
        assert_eq!(ends("all "), ["1.37", "30", "41"]);
    }

    #[test]
    fn nothing_removed_is_not_called_reduced() {
        let places = places(Some(Path::new("a.c.lop")));
        let heading = |ended| {
            let mut report = Report { ended, passes: Vec::new(), ..report() };
            report.after = report.before;
            report.tests.unresolved = 7;
            let mut out = Vec::new();
            write(&mut out, &report, &places).expect("a vector takes everything");
            String::from_utf8(anstream::adapter::strip_bytes(&out).into_vec()).expect("it is text")
        };
        let complete = heading(Ended::Complete);
        assert!(complete.starts_with("nothing to remove from a.c in 2.31 s"), "{complete}");
        assert!(complete.contains("7 cancelled, overtaken by an earlier answer"), "{complete}");
        let cancelled = heading(Ended::Cancelled);
        assert!(cancelled.ends_with("  go on     lop resume a.c.lop\n") && !complete.contains("go on"), "{cancelled}");
        assert!(cancelled.starts_with("stopped early; nothing removed yet from a.c"), "{cancelled}");
    }
}
