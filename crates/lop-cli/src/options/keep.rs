//! `--keep` and its relatives: parts of the test case that no candidate changes. Settings find them when the test case has
//! been read.

use clap::Args;

use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::SEARCH;

/// The options that protect text and files.
#[derive(Debug, Args)]
pub struct KeepArgs {
    /// Never change text in FILE that matches RE
    ///
    /// The text stays byte for byte and in its order. Everything around it may be removed, and it may move. lop tells you
    /// if RE matches nothing. --minimal doesn't apply to kept text (repeatable)
    #[arg(long, value_name = "RE", allow_hyphen_values = true, help_heading = SEARCH, add = SetBy::Project)]
    pub keep: Vec<String>,
    /// Never change these lines of FILE, counted from 1: `3`, `10-20` (repeatable)
    #[arg(long, value_name = "A-B", value_parser = line_range, help_heading = SEARCH,
          add = SetBy::CommandLine("it counts the lines of one FILE"))]
    pub keep_lines: Vec<(usize, usize)>,
    /// Never change what this tree-sitter query captures as @keep: '(call_expression) @keep' (repeatable)
    #[arg(long, value_name = "QUERY", help_heading = SEARCH, add = SetBy::Project)]
    pub keep_query: Vec<String>,
    /// Never change files whose paths match: 'src/*.h', 'include' (repeatable)
    #[arg(long, value_name = "GLOB", help_heading = SEARCH, add = SetBy::Project)]
    pub keep_files: Vec<String>,
    /// Reduce only files whose paths match (repeatable)
    #[arg(long, value_name = "GLOB", help_heading = SEARCH, add = SetBy::Project)]
    pub only_files: Vec<String>,
}

impl ReduceOption for KeepArgs {
    const VERIFIED: bool = true;
}

/// `A` or `A-B`.
fn line_range(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let line = |text: &str| text.trim().parse().map_err(|_| "write a line as 3 or lines as 10-20".to_owned());
    match (line(first)?, line(last)?) {
        (0, _) => Err("lines are counted from 1".to_owned()),
        (first, last) if first > last => Err(format!("line {last} comes before line {first}")),
        lines => Ok(lines),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_one_or_a_range() {
        assert_eq!((line_range("3"), line_range("10-20")), (Ok((3, 3)), Ok((10, 20))));
        for (text, why) in [("0", "from 1"), ("4-3", "before"), ("x", "10-20"), ("-3", "10-20"), ("3-", "10-20")] {
            assert!(line_range(text).is_err_and(|said| said.contains(why)), "{text}");
        }
    }
}
