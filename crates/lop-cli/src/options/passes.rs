//! `--only` and `--skip`: the passes that run.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use lop_reduce::steps::{named, named_steps};
use lop_reduce::{Options, Passes};

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::SEARCH;

/// `--only` and `--skip`.
#[derive(Debug, Args)]
pub struct PassChoice {
    /// Run only these passes: names from `lop passes`, separated by commas
    #[arg(long, value_name = "PASS,...", value_delimiter = ',', value_parser = pass(), hide_possible_values = true,
          help_heading = SEARCH, add = SetBy::Project)]
    pub only: Vec<&'static str>,
    /// Skip these passes: names from `lop passes`, separated by commas
    #[arg(long, value_name = "PASS,...", value_delimiter = ',', value_parser = pass(), hide_possible_values = true,
          help_heading = SEARCH, add = SetBy::Project)]
    pub skip: Vec<&'static str>,
}

impl ReduceOption for PassChoice {
    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        options.passes = Passes { only: self.only.clone(), skip: self.skip.clone(), ..Passes::default() };
        Ok(())
    }
}

fn pass() -> impl TypedValueParser<Value = &'static str> {
    let names = named_steps().into_iter().map(|step| step.name);
    PossibleValuesParser::new(names).map(|name| named(&name).expect("it is a possible value").name)
}
