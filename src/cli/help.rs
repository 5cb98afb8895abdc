//! The help. `lop --help` is one page of what most people need. `lop help all` says everything about every option; its
//! text is the comments of the definitions, as is that of the manual pages and of the manual's chapter (`options_page`).

use std::ffi::OsString;
use std::io::Write;

use clap::builder::{Resettable, StyledStr};
use clap::{ArgAction, Command, CommandFactory};

use crate::report::text;

use super::args::Cli;
use super::failure::Failure;
use super::options_page;
use super::suggestion;

/// The options that most people need, in their order.
const COMMON: [&str; 18] = [
    "output",
    "exit_code",
    "signal",
    "stderr",
    "stdout",
    "crash",
    "jobs",
    "timeout",
    "max_time",
    "grammar",
    "keep",
    "fast",
    "diff",
    "explain",
    "report",
    "quiet",
    "verbose",
    "yes",
];

/// The commands that few people need often.
const RARE: [&str; 3] = ["passes", "completions", "man"];

const TEMPLATE: &str = "{about}\n\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

const EXAMPLES: &str = "\
Examples:
  lop crash.c -- gcc -O2 -c @@    keeps what is special about how this fails
  lop crash.c -o small.c --stderr 'internal compiler error' -- gcc -O2 -c @@
                                  keeps this message
  lop ./test.sh crash.c           keeps what ./test.sh says yes to (exit code 0)
  lop doctor ./test.sh crash.c    finds out first whether it can be trusted
  lop resume crash.c.lop          goes on with an interrupted run

@@ is the candidate's path, @@.EXT one that ends in .EXT. Each test runs in a
directory of its own that holds only the candidate, under FILE's name.";

const CODES: &str = "\
Exit codes:
  0 reduced   1 input not interesting   2 could not start
  3 stopped early, with a valid result   4 the test is flaky
  5 grammar or rule file wrong   6 an error while running";

const MORE: &str = "\
`lop help all` says more of each option and lists the others, `lop help COMMAND`
says what a command takes. Options for all runs: lop.toml, see `lop config`.";

/// The text of the manual page below the options.
pub(super) fn below() -> String {
    format!("{EXAMPLES}\n\n{CODES}")
}

/// lop's command line, with one page of help.
pub(super) fn command() -> Command {
    let command = laid_out();
    let commands = commands(&command, &RARE);
    command
        .after_help(format!("{commands}\n\n{CODES}\n\n{MORE}"))
        .mut_args(|arg| match COMMON.iter().position(|id| arg.get_id() == id) {
            Some(place) => arg.help_heading(Resettable::Reset).display_order(place),
            None => arg.hide_short_help(true),
        })
        .disable_help_flag(true)
        .arg(flag(ArgAction::HelpShort).help("Show this page"))
        // The setting takes the flag from the subcommands, too.
        .mut_subcommands(|inner| inner.arg(flag(ArgAction::Help).help("Show help, all of it with --help")))
}

/// Prints the page that is asked for by `lop help`, if it is none of a subcommand's.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn answer(words: &[OsString]) -> Option<Result<(), Failure>> {
    let [_, help, rest @ ..] = words else { return None };
    if help != "help" {
        return None;
    }
    let page = match rest.iter().map(|word| word.to_str()).collect::<Vec<_>>().as_slice() {
        [] => command().render_help(),
        [Some("all" | suggestion::REDUCE)] => all(),
        [Some("markdown")] => options_page::markdown(&below()).into(),
        _ => return None,
    };
    let mut out = text::stdout();
    Some(write!(out, "{}", page.ansi()).and_then(|()| out.flush()).or_else(Failure::unless_closed))
}

/// Everything about every option of a reduction.
fn all() -> StyledStr {
    let command = laid_out();
    let commands = commands(&command, &[]);
    let help = flag(ArgAction::HelpShort).help("Show the most used options");
    command.after_help(format!("{commands}\n\n{CODES}")).disable_help_flag(true).arg(help).render_long_help()
}

/// The definition with the examples, and without a list of the subcommands that says more than fits.
fn laid_out() -> Command {
    let command = Cli::command().mut_subcommands(|inner| inner.hide(true));
    // TEST and FILE stand before CMD.
    let order = |arg: clap::Arg| if arg.is_last_set() { arg.display_order(1) } else { arg };
    command.help_template(TEMPLATE).before_help(EXAMPLES).mut_args(order)
}

fn flag(action: ArgAction) -> clap::Arg {
    clap::Arg::new("help").short('h').long("help").action(action)
}

/// The subcommands as a list, but for some.
fn commands(command: &Command, without: &[&str]) -> String {
    let mut lines = vec!["Commands:".to_owned()];
    for inner in command.get_subcommands().filter(|inner| !without.contains(&inner.get_name())) {
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        // The command's own help has the part behind a colon or a comma.
        let about = about.split([':', ',']).next().unwrap_or_default();
        lines.push(format!("  {:<12}{about}", inner.get_name()));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cli::args::ReduceArgs;
    use crate::engine::Config;
    use crate::reduce::{BASELINE_DEADLINE, Format, Options, Prefer, Schedule, usual_deadline};

    /// The output of `lop --help` on a terminal of this width.
    fn page(width: usize) -> String {
        command().term_width(width).render_help().to_string()
    }

    #[test]
    fn one_page_has_what_most_people_need_and_is_at_most_60_lines() {
        for width in [80, 100] {
            let page = page(width);
            assert!(page.lines().count() <= 60, "{width}: {} lines\n{page}", page.lines().count());
            assert_eq!(page.lines().find(|line| line.chars().count() > width), None);
            for id in COMMON {
                let option = format!("--{}", id.replace('_', "-"));
                assert!(
                    page.lines().any(|line| line.get(6..).is_some_and(|line| line.starts_with(&option))),
                    "{option}"
                );
            }
            assert!(page.contains("lop resume") && !page.contains("--expect-waste"), "{page}");
        }
    }

    #[test]
    fn all_of_it_has_every_option() {
        let all = all().to_string();
        for arg in Cli::command().get_arguments().filter(|arg| !arg.is_hide_set()) {
            let name = arg.get_long().map_or_else(|| "CMD".to_owned(), |long| format!("--{long}"));
            assert!(all.contains(&name), "{name}");
        }
    }

    #[test]
    fn every_subcommand_has_its_help() {
        for inner in Cli::command().get_subcommands() {
            for flag in ["-h", "--help"] {
                let asked = command().try_get_matches_from(["lop", inner.get_name(), flag]);
                let help = asked.expect_err("help ends it").to_string();
                assert!(help.contains(&format!("lop {}", inner.get_name())) && help.contains("--help"), "{help}");
            }
        }
    }

    #[test]
    fn every_common_option_exists() {
        for id in COMMON {
            assert!(Cli::command().get_arguments().any(|arg| arg.get_id() == id), "{id}");
        }
    }

    /// Numbers that are written into a sentence.
    #[test]
    fn defaults_in_words_are_those_of_the_library() {
        let said = |id: &str| {
            let command = Cli::command();
            let arg = command.get_arguments().find(|arg| arg.get_id() == id).expect("it is an option");
            arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default()
        };
        let second = Duration::from_secs(1);
        let factor = usual_deadline(second * 100).as_secs() / 100;
        let least = usual_deadline(Duration::ZERO).as_secs();
        assert!(said("timeout").contains(&format!("{factor} times the slowest accepted run, and at least {least} s")));
        assert!(said("timeout").contains(&format!("may take {} s", BASELINE_DEADLINE.as_secs())));
    }

    #[test]
    fn defaults_on_the_command_line_are_those_of_the_library() {
        let matches = Cli::command().try_get_matches_from(["lop", "test", "file"]).expect("it is a command line");
        let args = <ReduceArgs as clap::FromArgMatches>::from_arg_matches(&matches).expect("it is one of a reduction");
        let (options, engine) = (Options::default(), Config::default());
        assert_eq!(args.seed, options.seed);
        assert_eq!(args.expect_waste, engine.expect);
        assert_eq!(Format::from(&args.format), options.format);
        assert_eq!(Prefer::from(args.prefer), options.prefer);
        assert_eq!(Schedule::from(args.schedule), options.schedule);
    }
}
