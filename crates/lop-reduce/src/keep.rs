//! The kept parts of the input, which no pass can change.

use std::ops::Range;

use regex::bytes::Regex;

use lop_files::project::TestCase;
use lop_grammar::{Grammar, QueryProblem};
use lop_syntax::{Document, ParseError, lines};

/// Begins the part of a text that may be reduced, in any place of a line.
const BEGIN: &[u8] = b"DDBEGIN";

/// The marker that ends the part to reduce.
const END: &[u8] = b"DDEND";

/// The capture of a query for the parts to keep.
const CAPTURE: &str = "keep";

/// The parts to keep, as the user says them. lop keeps all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeepSpec {
    /// Matches of these regular expressions.
    pub patterns: Vec<String>,
    /// Lines, counted from 1, both ends included.
    pub lines: Vec<(usize, usize)>,
    /// Nodes that these tree-sitter queries capture as `@keep`.
    pub queries: Vec<String>,
    /// Parts by their places, as whole files are.
    pub parts: Vec<Range<usize>>,
}

/// Parts of an input that stay as they are; nothing by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// They ascend and do not overlap.
    ranges: Vec<Range<usize>>,
    notes: Vec<String>,
}

/// The reason why the parts to keep cannot be found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeepError {
    /// The expression does not compile.
    #[error("the pattern '{pattern}' of --keep is not a regular expression")]
    Pattern {
        /// The expression.
        pattern: String,
        /// The error in it.
        #[source]
        source: regex::Error,
    },
    /// The input ends before these lines do.
    #[error("there are no lines {first}-{last} to keep: the input has {lines}; lines are counted from 1")]
    Lines {
        /// The first line asked for.
        first: usize,
        /// The last.
        last: usize,
        /// Lines of the input.
        lines: usize,
    },
    /// The query is none.
    #[error("the query '{query}' of --keep-query cannot be used: {problem}")]
    Query {
        /// The query.
        query: String,
        /// The error in it.
        problem: QueryProblem,
    },
    /// There is no tree to ask.
    #[error(
        "--keep-query asks the syntax tree, and text has none; name the language with --grammar, or keep text by \
         --keep or --keep-lines"
    )]
    NoGrammar,
    /// There is no tree of so large an input before it is cut down.
    #[error(
        "--keep-query asks the syntax tree of the whole input, which is too large for one; keep text by --keep or \
         --keep-lines"
    )]
    TooLarge,
    /// There is no tree of this input.
    #[error("--keep-query asks the syntax tree, and the input has none")]
    Unparsed(#[from] ParseError),
}

impl Keep {
    /// Finds the parts to keep in a test case; a text of more than `max_parse` bytes has no tree.
    ///
    /// # Errors
    /// See [`KeepError`]. A pattern or query without a match is no error: see [`Keep::notes`].
    pub fn find<'a>(
        spec: &KeepSpec,
        case: impl Into<TestCase<'a>>,
        grammar: Option<&Grammar>,
        max_parse: usize,
    ) -> Result<Self, KeepError> {
        let case = case.into();
        let text = case.text();
        let mut keep = Keep::default();
        for pattern in &spec.patterns {
            let regex =
                Regex::new(pattern).map_err(|source| KeepError::Pattern { pattern: pattern.clone(), source })?;
            keep.add(regex.find_iter(text).map(|found| found.range()).collect(), "--keep", pattern);
        }
        let all: Vec<_> = lines(text).collect();
        for &(first, last) in &spec.lines {
            match first.checked_sub(1).and_then(|start| all.get(start..last)) {
                Some([start, .., end]) => keep.ranges.push(start.start..end.end),
                Some([only]) => keep.ranges.push(only.clone()),
                _ => return Err(KeepError::Lines { first, last, lines: all.len() }),
            }
        }
        let tree = if spec.queries.is_empty() { None } else { Some(parse(text, grammar, max_parse)?) };
        for (query, (grammar, document)) in spec.queries.iter().zip(tree.iter().cycle()) {
            let captured = grammar
                .captured(query, CAPTURE, document.tree().root(), text)
                .map_err(|problem| KeepError::Query { query: query.clone(), problem })?;
            keep.add(captured, "--keep-query", query);
        }
        keep.ranges.extend(spec.parts.iter().cloned());
        // A marker in one of several files says nothing about the others.
        if matches!(case, TestCase::File(_)) {
            keep.add_outside_of_markers(text, &all);
        }
        keep.ranges = united(keep.ranges);
        Ok(keep)
    }

    fn add(&mut self, found: Vec<Range<usize>>, option: &str, value: &str) {
        let before = self.ranges.len();
        self.ranges.extend(found.into_iter().filter(|range| !range.is_empty()));
        if self.ranges.len() == before {
            self.notes.push(format!("{option} '{value}' matches nothing in the input, so it keeps nothing"));
        }
    }

    /// Finds markers as in Lithium: only the text between the first line with one marker and the next line with the
    /// other may be reduced.
    fn add_outside_of_markers(&mut self, text: &[u8], lines: &[Range<usize>]) {
        let has = |line: &Range<usize>, marker| memchr::memmem::find(&text[line.clone()], marker).is_some();
        let Some(first) = lines.iter().position(|line| has(line, BEGIN)) else { return };
        let Some(last) = (first + 1..lines.len()).find(|&line| has(&lines[line], END)) else { return };
        // The line feed before the second marker is included, so that nothing is joined to its line.
        let end = lines[last].start.saturating_sub(1).max(lines[first].end);
        self.ranges.extend([0..lines[first].end, end..text.len()]);
        self.notes.push(match last - first {
            1 => format!(
                "there is nothing to reduce between DDBEGIN in line {} and DDEND; take these lines out",
                first + 1
            ),
            _ => format!("lines {}-{} are reduced, those between DDBEGIN and DDEND", first + 2, last),
        });
    }

    /// The parts, ascending and apart from each other.
    #[must_use]
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Surprises for the user, in words: patterns and queries that match nothing, and markers that were found.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

fn parse<'g>(
    text: &[u8],
    grammar: Option<&'g Grammar>,
    max_parse: usize,
) -> Result<(&'g Grammar, Document), KeepError> {
    let grammar = grammar.ok_or(KeepError::NoGrammar)?;
    if text.len() > max_parse {
        return Err(KeepError::TooLarge);
    }
    let document = Document::parse(&mut grammar.parser()?, text.to_vec())?;
    Ok((grammar, document))
}

/// Joins overlapping ranges. Adjacent ones stay separate: each may move alone.
pub(super) fn united(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    ranges.dedup_by(|next, before| {
        let overlap = next.start < before.end;
        if overlap {
            before.end = before.end.max(next.end);
        }
        overlap
    });
    ranges
}

/// Whether a change of `part` would touch one of some ranges, which ascend and don't overlap. Text inserted between two
/// bytes of one touches it, too.
pub(super) fn touches(kept: &[Range<usize>], part: &Range<usize>) -> bool {
    let next = kept.partition_point(|range| range.end <= part.start);
    kept.get(next).is_some_and(|range| range.start < part.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(spec: &KeepSpec, text: &str) -> Result<Vec<String>, String> {
        let grammar = lop_testing::grammar("x.json");
        let keep = Keep::find(spec, text.as_bytes(), Some(&*grammar), 1_000).map_err(|error| error.to_string())?;
        Ok(keep.ranges().iter().map(|range| text[range.clone()].to_owned()).collect())
    }

    fn patterns(patterns: &[&str]) -> KeepSpec {
        KeepSpec { patterns: patterns.iter().map(|&pattern| pattern.to_owned()).collect(), ..KeepSpec::default() }
    }

    fn queries(queries: &[&str]) -> KeepSpec {
        KeepSpec { queries: queries.iter().map(|&query| query.to_owned()).collect(), ..KeepSpec::default() }
    }

    #[test]
    fn every_match_is_kept_and_overlaps_are_united() {
        let text = "[11, 22, 33, 44]";
        assert_eq!(find(&patterns(&["[12]+"]), text), Ok(vec!["11".into(), "22".into()]));
        assert_eq!(find(&patterns(&["11, 2", ", 22", "3"]), text), Ok(vec!["11, 22".into(), "3".into(), "3".into()]));
        assert_eq!(find(&patterns(&["x*"]), text), Ok(vec![]));
        let overlapping = KeepSpec { lines: vec![(1, 1)], ..patterns(&["4"]) };
        assert_eq!(find(&overlapping, text), Ok(vec![text.to_owned()]));
    }

    #[test]
    fn lines_are_counted_from_1_and_have_their_ends() {
        let text = "[1,\n2,\n3]";
        let lines = |first, last| find(&KeepSpec { lines: vec![(first, last)], ..KeepSpec::default() }, text);
        assert_eq!(lines(2, 2), Ok(vec!["2,\n".into()]));
        assert_eq!(lines(2, 3), Ok(vec!["2,\n3]".into()]));
        for (first, last) in [(0, 1), (3, 2), (3, 4), (9, 9)] {
            let message = lines(first, last).expect_err("there are three lines");
            assert!(message.starts_with(&format!("there are no lines {first}-{last} to keep: the input has 3")));
        }
    }

    #[test]
    fn queries_keep_what_they_capture() {
        let text = "[1, {\"a\": 2}, 3]";
        assert_eq!(find(&queries(&["(pair key: (_) @keep)"]), text), Ok(vec!["\"a\"".into()]));
        assert_eq!(
            find(&queries(&["((number) @keep (#eq? @keep \"3\"))", "(pair) @keep"]), text),
            Ok(vec!["\"a\": 2".into(), "3".into()])
        );
        for (query, problem) in [
            ("(nonsense) @keep", "unknown kind"),
            ("(number", "syntax error"),
            ("(number) @other", "it has no capture @keep"),
            ("((number) @keep (#odd? @keep))", "unknown predicate or directive #odd?"),
        ] {
            let message = find(&queries(&[query]), text).expect_err("the query is wrong");
            assert!(message.contains(problem), "{message}");
        }
        assert!(find(&queries(&["(number) @keep"]), &"1 ".repeat(600)).expect_err("long").contains("too large"));
        let spec = queries(&["(number) @keep"]);
        assert!(matches!(Keep::find(&spec, b"1", None, 9), Err(KeepError::NoGrammar)));
    }

    #[test]
    fn what_matches_nothing_is_said() {
        let keep = Keep::find(&patterns(&["x", "1"]), b"1", None, 9).expect("it is well-formed");
        assert_eq!(keep.notes(), ["--keep 'x' matches nothing in the input, so it keeps nothing"]);
        assert!(!keep.is_empty());
    }

    #[test]
    fn what_is_outside_of_the_markers_is_kept_with_their_lines() {
        let kept = |text: &str| {
            let keep = Keep::find(&KeepSpec::default(), text.as_bytes(), None, 9).expect("it is well-formed");
            let ranges = keep.ranges().iter().map(|range| text[range.clone()].to_owned()).collect::<Vec<_>>();
            (ranges, keep.notes().to_vec())
        };
        let text = "a\n// DDBEGIN x\nb\nc\n// DDEND\nd\nDDEND\n";
        let (ranges, notes) = kept(text);
        assert_eq!(ranges, ["a\n// DDBEGIN x\n", "\n// DDEND\nd\nDDEND\n"]);
        assert_eq!(notes, ["lines 3-4 are reduced, those between DDBEGIN and DDEND"]);
        // One of them alone, or in the other order, is no pair.
        for text in ["DDBEGIN\na\n", "a\nDDEND\n", "DDEND\nDDBEGIN\n", "DDBEGIN DDEND\n", ""] {
            assert_eq!(kept(text), (Vec::new(), Vec::new()), "{text}");
        }
        let (ranges, notes) = kept("DDBEGIN\nDDEND\n");
        assert!(ranges.concat() == "DDBEGIN\nDDEND\n" && notes[0].starts_with("there is nothing"), "{notes:?}");
    }

    #[test]
    fn an_edit_touches_what_it_overlaps_or_stands_in() {
        let kept = [2..4, 4..6, 9..10];
        for (part, expected) in
            [(0..2, false), (1..3, true), (3..3, true), (4..4, false), (6..9, false), (5..20, true), (10..11, false)]
        {
            assert_eq!(touches(&kept, &part), expected, "{part:?}");
        }
        assert!(!touches(&[], &(0..9)));
    }
}
