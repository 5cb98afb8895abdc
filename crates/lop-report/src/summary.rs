//! The summary at the end: the sizes, the result itself, the paths, the guarantee, and the next step.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use lop_files::project::TestCase;
use lop_grammar::TEXT;
use lop_reduce::{Ended, Minimal, Reliability, Report};

use super::details;
use super::others::Others;
use super::text::{self, GOOD, STRONG, WARN};

/// Maximum number of lines of the summary without `-v`. It fits a screen of 24 lines together with the command line.
const LINES: usize = 22;
/// Lines of the result at most.
const SHOWN_LINES: usize = 12;
/// Bytes of the result at most.
const SHOWN_BYTES: usize = 400;
/// Passes named as those that left out edits.
const SHOWN_PASSES: usize = 3;
/// Longest text shown in a warning, in characters.
const EXCERPT: usize = 40;

/// Where things are when all is done.
#[derive(Clone, Copy, Debug)]
pub struct OutputPaths<'a> {
    /// The input as the user named it.
    pub input: &'a Path,
    /// The grammar's name, or `text`.
    pub grammar: &'a str,
    /// Files of the input, if it is made of several, and those of them that are left.
    pub files: Option<(usize, usize)>,
    /// The command that is left, if its arguments are reduced as well.
    pub command: Option<&'a str>,
    /// The place of the result: a path, or another name.
    pub result: &'a str,
    /// Where the original is, if it was moved.
    pub original: Option<&'a Path>,
    /// Runs of the test at the start that are not among the tests, and how long they took.
    pub checkup: (usize, Duration),
    /// The result, unless it is on standard output already.
    pub best: Option<TestCase<'a>>,
    /// Other warnings, a sentence each. Each is also a note, for events and report.
    pub attention: &'a [String],
    /// The other crashes that were met.
    pub others: Option<&'a Others>,
    /// The argument with which `lop resume` continues, if there is a journal.
    pub journal: Option<&'a Path>,
}

/// Writes the summary: at most 22 lines, or with `details` everything.
///
/// # Errors
/// When writing fails.
pub fn write(out: &mut dyn Write, report: &Report, places: &OutputPaths<'_>, details: bool) -> io::Result<()> {
    heading(out, report, places)?;
    let shown = places.best.map(excerpt).unwrap_or_default();
    if !shown.is_empty() {
        writeln!(out)?;
        for line in &shown {
            writeln!(out, "    {line}")?;
        }
    }
    writeln!(out)?;
    let things = things(report, places);
    for (name, thing) in &things {
        writeln!(out, "  {STRONG}{name:<9}{STRONG:#} {thing}")?;
    }
    if details {
        details::write(out, report, places.checkup, places.others)?;
    }
    let above = 2 + things.len() + if shown.is_empty() { 0 } else { shown.len() + 1 };
    let room = if details { usize::MAX } else { LINES.saturating_sub(above).max(2) };
    let warnings = warnings(report, places);
    let shown = if warnings.len() > room { room - 1 } else { warnings.len() };
    for sentence in &warnings[..shown] {
        writeln!(out, "  {WARN}warning:{WARN:#}  {}", text::one_line(sentence))?;
    }
    match warnings.len() - shown {
        0 => Ok(()),
        more => writeln!(out, "            and {} more; -v shows all", text::len(more)),
    }
}

/// The first lines of the result, with the names of its files if it has several.
fn excerpt(best: TestCase<'_>) -> Vec<String> {
    let (archive, best) = match best {
        TestCase::File(best) => return begin(best),
        TestCase::Files(archive, best) => (archive, best),
    };
    let mut lines = Vec::new();
    for file in archive.files(best) {
        if lines.len() > SHOWN_LINES {
            break;
        }
        lines.push(format!("{STRONG}{}{STRONG:#}", text::path(file.path())));
        lines.extend(begin(&best[file.content.clone()]).into_iter().map(|line| format!("  {line}")));
    }
    if lines.len() > SHOWN_LINES {
        lines.truncate(SHOWN_LINES - 1);
        lines.push("…".to_owned());
    }
    lines
}

/// Formats the first lines of a text, and the number of further ones.
fn begin(text: &[u8]) -> Vec<String> {
    let text = text.trim_ascii_end();
    let all = memchr::memchr_iter(b'\n', text).count() + 1;
    let mut end = text.len().min(SHOWN_BYTES);
    // Not in the middle of a character.
    while end < text.len() && end > 0 && text[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    let cut = &text[..end];
    let is_cut = cut.len() < text.len();
    let mut lines: Vec<String> = cut.split(|byte| *byte == b'\n').map(text::shown).collect();
    if text.is_empty() {
        return vec!["(an empty file)".to_owned()];
    }
    if lines.len() > SHOWN_LINES {
        lines.truncate(SHOWN_LINES - 1);
    } else if is_cut && let Some(last) = lines.last_mut() {
        last.push('…');
    }
    if lines.len() < all {
        lines.truncate(SHOWN_LINES - 1);
        lines.push(format!("… ({})", text::plural((all - lines.len()) as u64, "more line")));
    }
    lines
}

/// Lists the places, the guarantee, and the next steps.
fn things(report: &Report, places: &OutputPaths<'_>) -> Vec<(&'static str, String)> {
    let mut things = vec![("result", format!("{} ({})", text::one_line(places.result), places.grammar))];
    things.extend(places.command.map(|command| ("command", text::one_line(command))));
    things.push((
        "minimal",
        match (report.ended, report.minimal) {
            (Ended::Complete, Minimal::None) => "not guaranteed".to_owned(),
            // lop doesn't try deletions that break the syntax, except for those described in `Minimal`.
            (Ended::Complete, level) if places.grammar == TEXT => {
                format!("1-minimal by {}: removing any one loses the bug", level.name())
            }
            (Ended::Complete, level) => {
                format!("1-minimal by {}: removing any one loses the bug or breaks the syntax", level.name())
            }
            _ => "not yet".to_owned(),
        },
    ));
    things.extend(left_out(report).map(|left_out| ("left out", left_out)));
    things.extend(rate(report.reliability).map(|rate| ("rate", rate)));
    things.push(("tests", tests(report)));
    things.extend(places.original.map(|original| ("original", text::path(original))));
    things.extend(places.journal.map(|journal| match report.ended {
        Ended::Complete => ("journal", text::path(journal)),
        _ => ("continue", format!("lop resume {}", text::path(journal))),
    }));
    things
}

/// The warnings, the most important first.
fn warnings(report: &Report, places: &OutputPaths<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(flaky(report.reliability));
    lines.extend(places.attention.iter().cloned());
    if let [first, rest @ ..] = report.kept_by_timeout.as_slice() {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", text::len(rest.len())) };
        let first = text::visible(first.trim(), EXCERPT);
        lines.push(format!("`{first}`{more} stayed only because a test timed out; try a longer --timeout"));
    }
    if !report.skipped.is_empty() {
        lines.push(format!("you skipped passes, so these are not complete: {}", report.skipped.join(", ")));
    }
    lines.extend(places.others.into_iter().flat_map(crashes));
    lines
}

/// The edits that were too unlikely to pay off, those of the passes with the most of them first.
fn left_out(report: &Report) -> Option<String> {
    let mut passes = report.left_out.clone();
    passes.sort_by_key(|(name, edits)| (std::cmp::Reverse(*edits), *name));
    let names: Vec<_> = passes.iter().take(SHOWN_PASSES).map(|(name, _)| *name).collect();
    let more = if passes.len() > SHOWN_PASSES { ", …" } else { "" };
    let edits = text::plural(passes.iter().map(|(_, edits)| edits).sum(), "unlikely edit");
    (!passes.is_empty()).then(|| format!("{edits} ({}{more}); --thorough asks about all", names.join(", ")))
}

/// How often the result shows a bug that shows only sometimes.
fn rate(seen: Reliability) -> Option<String> {
    let input = seen.input?;
    Some(match seen.result {
        Some(result) => format!("shows the bug in {result} (input: {} of {})", input.interesting, input.runs),
        None => format!("not measured, because lop was stopped before (input: {input})"),
    })
}

/// The warning about a test that contradicted itself.
fn flaky(seen: Reliability) -> Option<String> {
    let Reliability { repeated, disagreements, bound, confirmations, returns, input, .. } = seen;
    if (disagreements == 0 && returns == 0) || input.is_some() {
        return None;
    }
    Some(format!(
        "the test is flaky: {} of {} repeated runs disagreed ({:.1}%, at most {:.1}%); {}, {} withdrawn",
        text::count(disagreements),
        text::count(repeated),
        disagreements as f64 / repeated.max(1) as f64 * 100.0,
        bound * 100.0,
        text::plural(confirmations, "confirmation"),
        text::plural(returns, "result"),
    ))
}

/// Describes the other crashes and their place.
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
            some => format!(", and {} not saved", text::plural(some as u64, "candidate")),
        };
        lines.push(format!("found other crashes: {what}{left_out}; see {}", text::path(place)));
    }
    lines.extend(others.trouble().map(|error| format!("other crashes could not be saved: {error}")));
    lines
}

fn heading(out: &mut dyn Write, report: &Report, places: &OutputPaths<'_>) -> io::Result<()> {
    let (before, after) = (report.before, report.after);
    let (style, word) = match report.ended {
        Ended::Complete => (GOOD, "Reduced"),
        Ended::Cancelled => (WARN, "Stopped early. Reduced"),
        Ended::Budget => (WARN, "Stopped at the limit. Reduced"),
    };
    let input = text::path(places.input);
    let time = text::duration(report.elapsed);
    // A name or a blank that has changed is nothing removed.
    if before.tokens == after.tokens && before.lines <= after.lines {
        let word = match report.ended {
            Ended::Complete => "Nothing to remove",
            Ended::Cancelled => "Stopped early. Nothing removed yet",
            Ended::Budget => "Stopped at the limit. Nothing removed yet",
        };
        let bytes = text::plural(after.bytes as u64, "byte");
        return writeln!(out, "{style}{word}{style:#} from {input} ({bytes}), in {time}");
    }
    let files = places.files.map(|(all, left)| format!("{} → {}", text::len(all), text::plural(left as u64, "file")));
    let sizes = [
        (before.bytes, after.bytes, "byte"),
        (before.tokens, after.tokens, "token"),
        (before.lines, after.lines, "line"),
    ];
    let sizes =
        sizes.map(|(before, after, unit)| format!("{} → {}", text::len(before), text::plural(after as u64, unit)));
    let sizes = files.into_iter().chain(sizes).collect::<Vec<_>>().join(", ");
    let left = text::percent(after.bytes, before.bytes);
    writeln!(out, "{style}{word}{style:#} {input}: {sizes} ({left} left), in {time}")
}

/// The number of tests and their outcomes.
fn tests(report: &Report) -> String {
    let counts = &report.tests;
    // The first two are always listed, the others if there are any.
    let mut outcomes = vec![
        format!("{} interesting", text::count(counts.interesting)),
        format!("{} not interesting", text::count(counts.not_interesting)),
    ];
    for (number, word) in [(counts.invalid, "invalid"), (counts.timeout, "timed out"), (counts.unresolved, "cancelled")]
    {
        if number > 0 {
            outcomes.push(format!("{} {word}", text::count(number)));
        }
    }
    let old = [(report.from_journal, "the journal"), (report.from_shared_cache, "the cache of earlier runs")];
    let old: String = old
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, place)| format!("; {} from {place}", text::plural(number, "outcome")))
        .collect();
    format!("{}: {}{old}", text::count(counts.total()), outcomes.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_engine::DepthRow;
    use lop_reduce::{Counts, PassStats, Size};

    fn report() -> Report {
        Report {
            best: b"x".to_vec(),
            archive: None,
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
            left_out: Vec::new(),
            kept_by_timeout: vec!["while (x)\n  f();".to_owned()],
            minimal: Minimal::Token,
            confirmed: Default::default(),
        }
    }

    fn written(report: &Report, places: &OutputPaths<'_>, details: bool) -> String {
        let mut out = Vec::new();
        write(&mut out, report, places, details).expect("a vector takes everything");
        String::from_utf8(anstream::adapter::strip_bytes(&out).into_vec()).expect("it is text")
    }

    #[test]
    fn the_whole_summary() {
        let places = OutputPaths {
            original: Some(Path::new("a.c.orig")),
            best: Some(b"x = 1;\n\x07y\n".into()),
            checkup: (2, Duration::from_millis(24)),
            ..places(Some(Path::new("a.c.lop")))
        };
        let head = "\
Reduced a.c: 12,345 → 57 bytes, 2,301 → 13 tokens, 411 → 3 lines (0.5% left), in 2.31 s

    x = 1;
    \\u{7}y

  result    a.c (zed)
  minimal   1-minimal by token: removing any one loses the bug or breaks the syntax
  tests     332: 58 interesting, 270 not interesting, 4 timed out
  original  a.c.orig
  journal   a.c.lop
";
        let details = "
  time: 2.11 s of 2.31 s waiting for tests; tests took 4.15 s on all workers, 12 ms each
  answered without a test: 12 from the cache, 102 rejected for new syntax errors
  confirmed: repeated 5 times, never another answer
  check at the start: 2 more runs of the test (the input in another directory, and a file of one newline), 24 ms

  pass      tests  accepted  bytes removed  tokens removed
  comments      1         1            900               0

  kept because a test timed out (a longer --timeout may remove it):
    while (x)\\n  f();

";
        let tail = "  warning:  `while (x)\\n  f();` stayed only because a test timed out; try a longer --timeout\n";
        assert_eq!(written(&report(), &places, false), format!("{head}{tail}"));
        assert_eq!(written(&report(), &places, true), format!("{head}{details}{tail}"));
    }

    #[test]
    fn a_long_result_is_cut_in_lines_and_bytes() {
        let lines = |text: &[u8]| excerpt(text.into());
        let long = lines("x\n".repeat(40).as_bytes());
        assert_eq!((long.len(), long[11].as_str()), (12, "… (29 more lines)"));
        let wide = lines(&[b'y'; 1_000]);
        assert_eq!((wide.len(), wide[0].chars().count()), (1, SHOWN_BYTES + 1));
        assert_eq!(lines(b"a\nb\n"), ["a", "b"]);
        assert_eq!(lines(b"\n"), ["(an empty file)"]);
        let both = [b"z".repeat(500), b"\nlast".to_vec()].concat();
        assert_eq!(lines(&both).last().map(String::as_str), Some("… (1 more line)"));
    }

    #[test]
    fn no_state_of_a_run_takes_more_than_its_lines() {
        let attention: Vec<String> = (0..9).map(|number| format!("number {number}\nof many")).collect();
        let reliability = Reliability { disagreements: 3, repeated: 9, returns: 1, ..Reliability::default() };
        for ended in [Ended::Complete, Ended::Cancelled, Ended::Budget] {
            let kept_by_timeout = vec!["x\ny".to_owned(); 99];
            let skipped = vec!["hoist", "pairs"];
            let report = Report { ended, reliability, skipped, kept_by_timeout, from_journal: 7, ..report() };
            let places = OutputPaths {
                original: Some(Path::new("a\nb.orig")),
                best: Some(b"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n".into()),
                attention: &attention,
                ..places(Some(Path::new("a.c.lop")))
            };
            let said = written(&report, &places, false);
            assert_eq!(said.lines().count(), LINES, "{said}");
            assert!(said.contains("the test is flaky") && said.ends_with("and 11 more; -v shows all\n"), "{said}");
            let all = written(&report, &places, true);
            assert!(all.contains("number 8\\nof many") && !all.contains("more; -v"), "{all}");
        }
    }

    #[test]
    fn a_flaky_test_is_called_flaky() {
        let seen = Reliability {
            repeated: 1_200,
            disagreements: 60,
            bound: 0.0617,
            confirmations: 1_190,
            returns: 1,
            ..Reliability::default()
        };
        let expected = "the test is flaky: 60 of 1,200 repeated runs disagreed (5.0%, at most 6.2%); \
                        1,190 confirmations, 1 result withdrawn";
        assert_eq!(flaky(seen).as_deref(), Some(expected));
        assert_eq!(flaky(Reliability { disagreements: 0, returns: 0, ..seen }), None);
    }

    fn places(journal: Option<&Path>) -> OutputPaths<'_> {
        OutputPaths {
            input: Path::new("a.c"),
            grammar: "zed",
            files: None,
            command: None,
            result: "a.c",
            original: None,
            checkup: (0, Duration::ZERO),
            best: None,
            attention: &[],
            others: None,
            journal,
        }
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
        assert!(complete.starts_with("Nothing to remove from a.c (12,345 bytes), in 2.31 s"), "{complete}");
        assert!(complete.contains("7 cancelled"), "{complete}");
        let cancelled = heading(Ended::Cancelled);
        assert!(
            cancelled.contains("  continue  lop resume a.c.lop\n") && !complete.contains("continue"),
            "{cancelled}"
        );
        assert!(cancelled.starts_with("Stopped early. Nothing removed yet from a.c"), "{cancelled}");
    }

    #[test]
    fn edits_that_were_left_out_are_counted_and_their_passes_named() {
        let report =
            Report { left_out: vec![("blanks", 1), ("hoist", 1_300), ("lift", 2), ("minimal", 9)], ..report() };
        let said = written(&report, &places(None), false);
        assert!(
            said.contains("  left out  1,312 unlikely edits (hoist, minimal, lift, …); --thorough asks about all\n"),
            "{said}"
        );
        let said = written(&Report { left_out: Vec::new(), ..report }, &places(None), false);
        assert!(!said.contains("left out"), "{said}");
    }
}
