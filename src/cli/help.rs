//! The help: what most people need fits on one screen, the rest is under headings. `-h` is the first part alone.

use std::ffi::OsString;

use clap::builder::Resettable;
use clap::{ArgAction, Command, CommandFactory};

use super::args::Cli;

/// The options that most people need, in their order.
const COMMON: [&str; 16] = [
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
    "report",
    "quiet",
    "verbose",
];

/// Columns of `-h`.
const NARROW: usize = 80;

/// Where the arguments are explained.
const ARGUMENTS: &str = "Test and file";

const TEMPLATE: &str = "{about}\n\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

const EXAMPLES: &str = "\
Examples:
  lop crash.c -- gcc -O2 -c @@
      what is special about the failure of the command is kept; @@ is the candidate
  lop ./test.sh crash.c
      exit code 0 of ./test.sh, in a directory that holds only crash.c, is interesting
  lop crash.c -o small.c --stderr 'internal compiler error' -- gcc -O2 -c @@
      whatever prints this message is interesting
  lop resume crash.c.lop
      goes on with an interrupted run; nothing that was tested is tested again";

const CODES: &str = "\
Exit codes:
  0 reduced   1 input not interesting   2 could not start
  3 stopped early, with a valid result   4 the test is flaky
  5 grammar or rule file wrong   6 an error while running";

const MORE: &str = "`lop --help` lists all options, `lop help` says more of each, `lop COMMAND -h`\nof a command. Defaults for a project go into lop.toml: see `lop config`.";

/// What the manual page says below the options.
pub(super) fn below() -> String {
    format!("{EXAMPLES}\n\n{CODES}")
}

/// lop's command line with the help that `words` ask for.
pub(super) fn command(words: &[OsString]) -> Command {
    let command = Cli::command();
    let asks = |flag: &str| words.iter().skip(1).take_while(|word| *word != "--").any(|word| word == flag);
    let long = words.get(1).is_some_and(|word| word == "help");
    let all = long || asks("--help");
    let commands = commands(&command);
    let mut command = command
        .mut_subcommands(|inner| inner.hide(true))
        .help_template(TEMPLATE)
        .before_help(EXAMPLES)
        .after_help(format!("{commands}\n\n{CODES}\n\n{MORE}"))
        .mut_args(|arg| match COMMON.iter().position(|id| arg.get_id() == id) {
            Some(place) => arg.help_heading(Resettable::Reset).display_order(place),
            // TEST and FILE stand before CMD.
            None if arg.is_positional() => {
                let place = usize::from(arg.is_last_set());
                arg.help_heading(ARGUMENTS).display_order(place)
            }
            None => arg.hide_short_help(!all),
        });
    if !all {
        command = command.max_term_width(NARROW).mut_args(|arg| if arg.is_positional() { arg.hide(true) } else { arg });
    }
    if !long {
        // Otherwise each option of --help takes three lines. The setting takes the flag from the subcommands, too.
        let flag = |action| clap::Arg::new("help").short('h').long("help").action(action);
        let help = flag(ArgAction::HelpShort).help("Show the most used options, or all of them with --help");
        command = command.disable_help_flag(true).arg(help);
        command = command.mut_subcommands(|inner| inner.arg(flag(ArgAction::Help).help("Print help")));
    }
    command
}

/// The subcommands as a list.
fn commands(command: &Command) -> String {
    let mut lines = vec!["Commands:".to_owned()];
    for inner in command.get_subcommands() {
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        // What stands behind a colon or a comma is told by the command's own help.
        let about = about.split([':', ',']).next().unwrap_or_default();
        lines.push(format!("  {:<12}{about}", inner.get_name()));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(words: &[&str]) -> String {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        command(&words).try_get_matches_from(&words).expect_err("help ends it").to_string()
    }

    #[test]
    fn the_common_case_fits_on_a_screen() {
        let help = help(&["lop", "--help"]);
        let heading = |line: &&str| line.ends_with(':') && !line.starts_with(' ');
        let known = ["Examples:", "Options:"];
        let first = help.lines().position(|line| heading(&line) && !known.contains(&line)).expect("there are headings");
        assert!(first <= 50, "{first}\n{help}");
        for id in COMMON {
            let option = format!("--{}", id.replace('_', "-"));
            let at = help.lines().position(|line| line.trim_start().trim_start_matches("-o, ").contains(&option));
            assert!(at.is_some_and(|at| at < first), "{option}\n{help}");
        }
    }

    #[test]
    fn the_short_form_is_narrow_and_has_the_common_options_only() {
        let help = help(&["lop", "-h"]);
        assert_eq!(help.lines().find(|line| line.chars().count() > NARROW), None);
        assert!(help.contains("--output") && !help.contains("--prior-exponent"), "{help}");
        assert!(help.lines().count() <= 80, "{help}");
        // What is written by hand is not broken once more.
        assert!(help.lines().all(|line| line.is_empty() || line.starts_with(' ') || line.len() > 3), "{help}");
    }

    #[test]
    fn every_subcommand_has_its_help() {
        for inner in Cli::command().get_subcommands() {
            for flag in ["-h", "--help"] {
                let help = help(&["lop", inner.get_name(), flag]);
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
}
