//! `--simplify-only` and `--expect-waste`: the parameters of the engine.

use clap::Args;
use lop_engine::{Config, Waste};
use lop_reduce::{Minimal, Options};

use super::minimal::no_guarantee;
use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;

const ENGINE: &str = "Engine";

/// `--simplify-only` and `--expect-waste`.
#[derive(Debug, Args)]
pub struct EngineOptions {
    /// Stop before the check that the result is minimal
    ///
    /// Tries no deletion twice
    #[arg(long, help_heading = ENGINE, add = SetBy::Project)]
    pub simplify_only: bool,
    /// Expected share of removable units in every list
    ///
    /// After a comma: P(removable | previous unit removable) [default: P]. Replaces the prior, which assumes nothing
    #[arg(long, value_name = "P[,P(u|u)]", value_parser = waste, help_heading = ENGINE,
          add = SetBy::Project)]
    pub expect_waste: Option<Waste>,
}

impl ReduceOption for EngineOptions {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.engine.expect = self.expect_waste;
        if self.simplify_only {
            no_guarantee("--simplify-only", options)?;
            options.engine.theta = None;
            options.minimal = Some(Minimal::None);
        }
        Ok(())
    }
}

fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "not a number".to_owned())
}

/// Parses `P` or `P,P(u|u)`. The engine checks the ranges.
fn waste(text: &str) -> Result<Waste, String> {
    let (share, after) = match text.split_once(',') {
        Some((share, after)) => (share, Some(after)),
        None => (text, None),
    };
    let waste = Waste { share: number(share)?, after_removable: after.map(number).transpose()? };
    let config = Config { expect: Some(waste), ..Config::default() };
    config.check().map(|()| waste).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::Cli;

    fn parse(line: &str) -> Cli {
        Cli::try_parse_from(line.split(' ')).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    fn refused(line: &str) -> String {
        Cli::try_parse_from(line.split(' ')).expect_err(line).to_string()
    }

    #[test]
    fn what_is_expected_to_go_has_a_range() {
        let cli = parse("lop --expect-waste 0.9,0.95 a b").reduce;
        assert_eq!(cli.engine.expect_waste, Some(Waste { share: 0.9, after_removable: Some(0.95) }));
        let alone = parse("lop --expect-waste .5 a b").reduce.engine.expect_waste;
        assert_eq!(alone, Some(Waste { share: 0.5, after_removable: None }));
        for (option, why) in [
            ("--expect-waste 0", "the expected shares must be more than 0 and less than 1"),
            ("--expect-waste 0.5,1", "the expected shares must be more than 0 and less than 1"),
            ("--expect-waste 0.5,", "not a number"),
            ("--expect-waste 0.9,0.5", "at least 0.889 of those after a removable one are, too"),
        ] {
            let said = refused(&format!("lop {option} a b"));
            assert!(said.contains(why), "{option}: {said}");
        }
    }
}
