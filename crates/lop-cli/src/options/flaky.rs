//! `--flaky` and `--confirm`: tests that answer differently on the same file.

use std::ffi::OsString;

use clap::{Args, value_parser};
use lop_reduce::{Options, RateGoal};

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::RUNNING;

/// The value of `--flaky` if none is given.
const OF_INPUT: &str = "input";
/// The value that asks for a higher rate.
const MORE: &str = "more";

/// `--flaky` and `--confirm`.
#[derive(Debug, Args)]
pub struct Flaky {
    /// Reduce a bug that shows only sometimes; the result shows it at least as often as FILE
    ///
    /// lop first measures how often FILE shows the bug, and runs the test on each candidate until it is clear whether it
    /// does so as often. A RATE such as 0.2 asks for the bug in 20 % of the runs, however often FILE shows it. `more` keeps
    /// what makes the bug more frequent
    #[arg(long, alias = "allow-flaky", value_name = "RATE", num_args = 0..=1, require_equals = true,
          default_missing_value = OF_INPUT, value_parser = rate, help_heading = RUNNING, add = SetBy::Project)]
    pub flaky: Option<RateGoal>,
    /// Accept a candidate only if N runs of the test agree; with --flaky, if N runs show the bug
    ///
    /// [default: 1 until the test contradicts itself, then depending on its error rate]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100), help_heading = RUNNING,
          add = SetBy::Project)]
    pub confirm: Option<u32>,
}

impl ReduceOption for Flaky {
    const VERIFIED: bool = true;

    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        (options.flaky, options.confirm) = (self.flaky, self.confirm);
        Ok(())
    }
}

/// The rate that `--flaky` asks for.
fn rate(text: &str) -> Result<RateGoal, String> {
    match text {
        OF_INPUT => Ok(RateGoal::OfInput),
        MORE => Ok(RateGoal::More),
        number => match number.parse() {
            Ok(rate) if rate > 0.0 && rate < 1.0 => Ok(RateGoal::AtLeast(rate)),
            _ => Err("must be a share of the runs between 0 and 1, such as 0.2; or write more".to_owned()),
        },
    }
}

/// Joins `--flaky 0.2` and `--flaky more` into one word. The rate may be missing, so that clap would take a test or a
/// file that follows for it.
pub(crate) fn joined(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::new();
    let mut is_open = true;
    for word in words {
        is_open &= word != "--";
        let is_rate = word.to_str().is_some_and(|word| word == MORE || word.parse::<f64>().is_ok());
        match all.last_mut() {
            Some(last) if is_open && is_rate && *last == "--flaky" => {
                last.push("=");
                last.push(word);
            }
            _ => all.push(word),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined_line(line: &str) -> String {
        let words = joined(line.split(' ').map(OsString::from));
        words.iter().map(|word| word.to_str().expect("it is text")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_rate_is_taken_from_the_next_word_and_a_file_is_not() {
        for (typed, seen) in [
            ("lop --flaky 0.2 test file", "lop --flaky=0.2 test file"),
            ("lop --flaky more test file", "lop --flaky=more test file"),
            ("lop --flaky test file", "lop --flaky test file"),
            ("lop file --flaky -- run --flaky 0.2", "lop file --flaky -- run --flaky 0.2"),
        ] {
            assert_eq!(joined_line(typed), seen);
        }
    }

    #[test]
    fn a_rate_is_a_share() {
        assert_eq!(rate("0.2"), Ok(RateGoal::AtLeast(0.2)));
        assert_eq!(rate("more"), Ok(RateGoal::More));
        for wrong in ["0", "1", "-0.1", "20", "nan", "often", ""] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
