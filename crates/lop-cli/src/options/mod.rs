//! The options of a reduction, each in its own file: its definition for clap (help, heading, and `SetBy`, which says who
//! may set it) and its effect. To add an option, write its file and add it to the list.

mod allow_empty;
mod also_interesting;
mod canonical;
mod color;
mod effort;
mod engine;
mod flaky;
mod format;
mod generator;
mod given;
mod jobs;
mod json;
mod keep;
mod least_chance;
mod limits;
mod max_parse;
mod minimal;
mod minimal_pairs;
mod no_checkup;
mod passes;
mod prefer;
mod propose;
mod reduce_args;
mod result;
mod rules;
mod schedule;
mod seed;
mod server;
mod service;
mod syntax;
mod timeout;
mod verbosity;

use clap::Parser;
use lop_grammar::TEXT;
use lop_reduce::Options;

use crate::failure::Failure;
use crate::grammar_args::{GrammarArgs, Wanted};
use crate::reduce_option::ReduceOption;

pub(crate) use flaky::{Flaky, joined};
pub(crate) use given::Given;
pub(crate) use server::ServerOption;
pub(crate) use service::ServiceOption;
pub(crate) use timeout::Timeout;

/// Makes [`ReduceArgs`] of a list of options, in the order of the help.
macro_rules! options {
    ($($name:ident: $Option:ty,)*) => {
        /// The command line of a reduction.
        #[derive(Debug, Parser)]
        pub struct ReduceArgs {
            $(
                #[command(flatten)]
                #[doc = concat!("The option `", stringify!($name), "`.")]
                pub $name: $Option,
            )*
        }

        impl ReduceArgs {
            /// Applies all options.
            ///
            /// # Errors
            /// [`Failure::Usage`] if two of them exclude each other.
            pub(crate) fn options(&self) -> Result<Options, Failure> {
                let mut options = Options::default();
                $( self.$name.set(&mut options)?; )*
                Ok(options)
            }

            /// Keeps the options that `lop verify` uses, too; the others get their defaults.
            pub(crate) fn verified(self) -> Self {
                let defaults = Self::of_defaults();
                ReduceArgs {
                    $( $name: if <$Option as ReduceOption>::VERIFIED { self.$name } else { defaults.$name }, )*
                }
            }
        }
    };
}

options! {
    given: given::Given,
    conditions: crate::condition_args::ConditionArgs,
    also: also_interesting::AlsoInteresting,
    signature: crate::signature_args::SignatureArgs,
    result: result::ResultArgs,
    minimal: minimal::MinimalOption,
    format: format::FormatOption,
    canonical: canonical::CanonicalOption,
    jobs: jobs::JobsOption,
    server: server::ServerOption,
    service: service::ServiceOption,
    least_chance: least_chance::LeastChance,
    timeout: timeout::Timeout,
    limits: limits::Limits,
    flaky: flaky::Flaky,
    allow_empty: allow_empty::AllowEmpty,
    no_checkup: no_checkup::NoCheckup,
    confine: crate::confine_args::ConfineArgs,
    grammar: crate::grammar_args::GrammarArgs,
    rules: rules::Rules,
    syntax: syntax::SyntaxErrors,
    max_parse: max_parse::MaxParse,
    keep: keep::KeepArgs,
    reduce_args: reduce_args::ReduceArgsOption,
    passes: passes::PassChoice,
    propose: propose::ProposeOption,
    generator: generator::GeneratorOption,
    effort: effort::EffortOption,
    minimal_pairs: minimal_pairs::MinimalPairs,
    prefer: prefer::PreferOption,
    schedule: schedule::ScheduleOption,
    seed: seed::Seed,
    engine: engine::EngineOptions,
    state: crate::state_args::StateArgs,
    files: crate::files_args::FilesArgs,
    reporting: crate::report_args::ReportArgs,
    ui: crate::ui_args::UiArgs,
    verbosity: verbosity::VerbosityOption,
    json: json::Json,
    color: color::ColorOption,
}

impl ReduceArgs {
    /// The arguments of a command line without options.
    pub(crate) fn of_defaults() -> Self {
        Self::parse_from(["lop", "TEST", "FILE"])
    }

    /// The language: a generator's choices have none.
    pub(crate) fn language(&self) -> GrammarArgs {
        match self.generator.generator {
            Some(_) => GrammarArgs { grammar: Wanted::Name(TEXT.to_owned()), ..self.grammar.clone() },
            None => self.grammar.clone(),
        }
    }

    /// Whether an empty result makes sense.
    pub(crate) fn allows_empty(&self) -> bool {
        self.allow_empty.allow_empty || self.generator.generator.is_some()
    }

    /// The options by which something about the result is written to standard output, in their order there.
    pub(crate) fn texts(&self) -> Vec<&'static str> {
        let all = [
            ("--diff", self.result.diff),
            ("--explain", self.reporting.explain),
            ("--format-issue", self.reporting.format_issue),
        ];
        all.into_iter().filter(|(_, is_wanted)| *is_wanted).map(|(name, _)| name).collect()
    }
}
