//! The summary at the end, on part of a screen: how much smaller, at what price, how it ended, where things are, and
//! what deserves attention.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use crate::reduce::{Ended, Reliability, Report, Size};

use super::details;
use super::others::Others;
use super::text::{self, FAINT, GOOD, STRONG, Table, WARN};

/// Lines of the summary at most, unless all is asked for: it stands on a screen of 24 lines together with what was typed
/// and the last steps.
const LINES: usize = 14;
/// Longest text shown of what deserves attention, in characters.
const EXCERPT: usize = 40;

/// Where things are when all is done.
#[derive(Clone, Copy, Debug)]
pub struct Whereabouts<'a> {
    /// The input as the user named it.
    pub input: &'a Path,
    /// The grammar's name, or `text`.
    pub grammar: &'a str,
    /// Files of the input, if it is made of several, and those of them that are left.
    pub files: Option<(usize, usize)>,
    /// The command that is left, if its arguments are reduced, too.
    pub command: Option<&'a str>,
    /// Where the result is: a path, or what else it was written to.
    pub result: &'a str,
    /// Where the original is, if it was moved.
    pub original: Option<&'a Path>,
    /// Runs of the test at the start that are not among the tests, and how long they took.
    pub checkup: (usize, Duration),
    /// Other warnings, a sentence each. A note has told each of them, too, so that events and report have it.
    pub attention: &'a [String],
    /// The other crashes that were met.
    pub others: Option<&'a Others>,
    /// The argument with which `lop resume` goes on, if there is a journal.
    pub journal: Option<&'a Path>,
}

/// Writes the summary: at most 14 lines, or with `details` everything.
///
/// # Errors
/// When writing fails.
pub fn write(out: &mut dyn Write, report: &Report, places: &Whereabouts<'_>, details: bool) -> io::Result<()> {
    heading(out, report, places)?;
    sizes(out, report.before, report.after)?;
    tests(out, report, places.checkup.1)?;
    if details {
        details::write(out, report, places.checkup, places.others)?;
    }
    let things = things(report, places);
    for (name, thing) in &things {
        writeln!(out, "  {STRONG}{name:<9}{STRONG:#} {thing}")?;
    }
    // One line of heading, four of sizes, two of tests and time.
    let room = if details { usize::MAX } else { LINES - 7 - things.len() };
    let attention = attention(report, places);
    let shown = if attention.len() > room { room - 1 } else { attention.len() };
    for sentence in &attention[..shown] {
        writeln!(out, "  {WARN}attention{WARN:#} {}", text::one_line(sentence))?;
    }
    match attention.len() - shown {
        0 => Ok(()),
        more => writeln!(out, "            and {} more; -v shows all", text::len(more)),
    }
}

/// Where things are.
fn things(report: &Report, places: &Whereabouts<'_>) -> Vec<(&'static str, String)> {
    let mut things = Vec::new();
    things.extend(
        places
            .files
            .map(|(all, left)| ("files", format!("{} of {}", text::len(left), text::plural(all as u64, "file")))),
    );
    things.extend(places.command.map(|command| ("command", text::one_line(command))));
    things.push(("result", text::one_line(places.result)));
    things.extend(places.original.map(|original| ("original", text::path(original))));
    things.extend(places.journal.map(|journal| match report.ended {
        Ended::Complete => ("journal", text::path(journal)),
        _ => ("go on", format!("lop resume {}", text::path(journal))),
    }));
    things
}

/// The warnings, the most important first.
fn attention(report: &Report, places: &Whereabouts<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(flaky(report.reliability));
    lines.extend(places.attention.iter().cloned());
    if let [first, rest @ ..] = report.kept_by_timeout.as_slice() {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", text::len(rest.len())) };
        let first = text::visible(first.trim(), EXCERPT);
        lines.push(format!("kept by timeout: `{first}`{more}; a longer --timeout may remove that"));
    }
    if !report.skipped.is_empty() {
        lines.push(format!("not done, or not to the end, because you skipped it: {}", report.skipped.join(", ")));
    }
    lines.extend(places.others.into_iter().flat_map(crashes));
    lines
}

/// The questions that were asked again and got another answer.
fn flaky(seen: Reliability) -> Option<String> {
    let Reliability { repeated, disagreements, bound, confirmations, returns } = seen;
    if disagreements == 0 && returns == 0 {
        return None;
    }
    Some(format!(
        "the test is flaky: {} of {} repeated runs disagreed ({:.1}%, at most {:.1}%); {}, {} taken back",
        text::count(disagreements),
        text::count(repeated),
        disagreements as f64 / repeated.max(1) as f64 * 100.0,
        bound * 100.0,
        text::plural(confirmations, "confirmation"),
        text::plural(returns, "result"),
    ))
}

/// The other crashes, and where they are.
fn crashes(others: &Others) -> Vec<String> {
    let mut lines = Vec::new();
    let mut met = others.met();
    if let Some(first) = met.next() {
        let more = met.count();
        let (what, place) = match more {
            0 => (text::visible(&first.signature, EXCERPT), first.path.as_path()),
            more => (text::len(more + 1), first.path.ancestors().nth(2).unwrap_or(&first.path)),
        };
        let left_out = match others.left_out() {
            0 => String::new(),
            some => format!(", and {} not kept", text::plural(some as u64, "candidate")),
        };
        lines.push(format!("other crashes met on the way: {what}{left_out}; see {}", text::path(place)));
    }
    lines.extend(others.trouble().map(|error| format!("other crashes could not be kept: {error}")));
    lines
}

fn heading(out: &mut dyn Write, report: &Report, places: &Whereabouts<'_>) -> io::Result<()> {
    // A name or a blank that has changed is nothing removed.
    let untouched = report.before.tokens == report.after.tokens && report.before.lines <= report.after.lines;
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
        text::path(places.input),
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
    let old = [(report.from_journal, "the journal"), (report.from_shared_cache, "the cache of earlier runs")];
    let old: String = old
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, place)| format!("; {} taken from {place}", text::plural(number, "outcome")))
        .collect();
    writeln!(out, "  {STRONG}{}{STRONG:#}: {}{old}", text::plural(total, "test"), outcomes.join(", "))?;
    let mean = match u32::try_from(total) {
        Ok(some) if some > 0 => report.testing / some,
        _ => report.testing,
    };
    writeln!(
        out,
        "  time: {}, of which {} waiting for tests and {} lop's own; tests summed over workers: {} ({} each)",
        text::duration(report.elapsed),
        text::duration(report.waiting),
        text::duration(report.elapsed.saturating_sub(report.waiting + checkup)),
        text::duration(report.testing),
        text::duration(mean),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::DepthRow;
    use crate::passes::NO_DEPTH;
    use crate::reduce::{Counts, PassStats};

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
            gate_steps: 0,
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
            minimal: "token",
        }
    }

    fn written(report: &Report, places: &Whereabouts<'_>, details: bool) -> String {
        let mut out = Vec::new();
        write(&mut out, report, places, details).expect("a vector takes everything");
        String::from_utf8(anstream::adapter::strip_bytes(&out).into_vec()).expect("it is text")
    }

    #[test]
    fn the_whole_summary() {
        let places = Whereabouts {
            original: Some(Path::new("a.c.orig")),
            checkup: (2, Duration::from_millis(24)),
            ..places(Some(Path::new("a.c.lop")))
        };
        let head = "\
reduced a.c in 2.31 s (zed, 1-minimal by token)
          before  after  left
  bytes   12,345     57  0.5%
  tokens   2,301     13  0.6%
  lines      411      3  0.7%
  332 tests: 58 interesting, 270 not interesting, 4 timed out
  time: 2.31 s, of which 2.11 s waiting for tests and 176 ms lop's own; tests summed over workers: 4.15 s (12 ms each)
";
        let details = "  \
  answered without a test: 12 from the cache, 102 refused for new syntax errors
  confirmed: asked again 5 times, never another answer
  checkup at the start: 2 more runs of the test (the input in another directory, and a file of one line break), 24 ms

  pass      tests  accepted  bytes removed  tokens removed
  comments      1         1            900               0

  depth  lists  units  kept  P(needed)  P(u|u)  H bits  tests  bound  ÷ bound
  1          1     42     5      0.125   0.951    17.2     31     18     1.78
  P(u|u): a unit after a removable one is removable, too. H: code length of what was found. bound: the fewest tests
  for a test that is monotone; answers from the cache can make it fewer.

  kept by timeout (without it the test ran into the deadline; a longer --timeout may remove it):
    while (x)\\n  f();

";
        let tail = "  \
  result    a.c
  original  a.c.orig
  journal   a.c.lop
  attention kept by timeout: `while (x)\\n  f();`; a longer --timeout may remove that
";
        assert_eq!(written(&report(), &places, false), format!("{head}{tail}"));
        assert_eq!(written(&report(), &places, true), format!("{head}{details}{tail}"));
    }

    #[test]
    fn no_state_of_a_run_takes_more_than_its_lines() {
        let attention: Vec<String> = (0..9).map(|number| format!("number {number}\nof many")).collect();
        let reliability = Reliability { disagreements: 3, repeated: 9, returns: 1, ..Reliability::default() };
        for ended in [Ended::Complete, Ended::Cancelled, Ended::Budget] {
            let kept_by_timeout = vec!["x\ny".to_owned(); 99];
            let skipped = vec!["hoist", "pairs"];
            let report = Report { ended, reliability, skipped, kept_by_timeout, from_journal: 7, ..report() };
            let places = Whereabouts {
                original: Some(Path::new("a\nb.orig")),
                attention: &attention,
                ..places(Some(Path::new("a.c.lop")))
            };
            let said = written(&report, &places, false);
            assert_eq!(said.lines().count(), LINES, "{said}");
            assert!(said.contains("the test is flaky") && said.ends_with("and 9 more; -v shows all\n"), "{said}");
            let all = written(&report, &places, true);
            assert!(all.contains("number 8\\nof many") && !all.contains("more; -v"), "{all}");
        }
    }

    #[test]
    fn a_flaky_test_is_called_flaky() {
        let seen = Reliability { repeated: 1_200, disagreements: 60, bound: 0.0617, confirmations: 1_190, returns: 1 };
        let expected = "the test is flaky: 60 of 1,200 repeated runs disagreed (5.0%, at most 6.2%); \
                        1,190 confirmations, 1 result taken back";
        assert_eq!(flaky(seen).as_deref(), Some(expected));
        assert_eq!(flaky(Reliability { disagreements: 0, returns: 0, ..seen }), None);
    }

    fn places(journal: Option<&Path>) -> Whereabouts<'_> {
        Whereabouts {
            input: Path::new("a.c"),
            grammar: "zed",
            files: None,
            command: None,
            result: "a.c",
            original: None,
            checkup: (0, Duration::ZERO),
            attention: &[],
            others: None,
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
        let plain = written(&report, &places, true);
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
            written(&report, &places, false)
        };
        let complete = heading(Ended::Complete);
        assert!(complete.starts_with("nothing to remove from a.c in 2.31 s"), "{complete}");
        assert!(complete.contains("7 cancelled, overtaken by an earlier answer"), "{complete}");
        let cancelled = heading(Ended::Cancelled);
        assert!(cancelled.contains("  go on     lop resume a.c.lop\n") && !complete.contains("go on"), "{cancelled}");
        assert!(cancelled.starts_with("stopped early; nothing removed yet from a.c"), "{cancelled}");
    }
}
