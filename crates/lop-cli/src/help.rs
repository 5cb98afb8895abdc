//! The help. `lop --help` is one page for most people. `lop help all` has everything about every option. Its text comes
//! from the comments of the definitions, as do the manual pages and the manual's chapter (`options_page`).

use std::ffi::OsString;
use std::io::Write;

use clap::builder::StyledStr;
use clap::{ArgAction, Command, CommandFactory};

use lop_report::text;

use super::args::Cli;
use super::failure::Failure;
use super::options_page;
use super::suggestion;

/// The options that most people need, by task.
const COMMON: [(&str, &[&str]); 3] = [
    (
        "What to keep (default: the failure of CMD on FILE)",
        &["stderr", "stdout", "exit_code", "signal", "crash", "keep", "yes"],
    ),
    ("Running", &["output", "jobs", "timeout", "max_time", "with", "grammar", "fast"]),
    ("Output", &["diff", "explain", "report", "quiet", "verbose"]),
];

/// The subcommands, the most useful first.
const COMMANDS: [&str; 15] = [
    "doctor",
    "resume",
    "history",
    "verify",
    "triage",
    "corpus",
    "isolate",
    "grammars",
    "config",
    "replay",
    "reduce-generator",
    "propose",
    "passes",
    "completions",
    "man",
];

/// Subcommands that one line lists by name.
const RARE: usize = 7;

const TEMPLATE: &str = "{about}\n\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

const EXAMPLES: &str = "\
Examples:
  lop crash.c -o small.c -- gcc -O2 -c @@
  lop crash.c -o small.c --stderr 'internal compiler error' -- gcc -O2 -c @@
  lop ./test.sh crash.c";

const PLACES: &str = "\
@@ is the file under test (@@.c: with that extension). Each test runs in a fresh
directory with only that file: use absolute paths, or --with. Without -o, FILE
is replaced and kept as FILE.orig. Ctrl-C keeps the best result so far.";

const CODES: &str = "\
Exit codes:
  0 reduced   1 input not interesting   2 bad usage   3 stopped early
  4 flaky test   5 bad grammar or rules   6 runtime error";

const MORE: &str = "\
All options: lop help all     One command: lop help COMMAND [--all]
Options for all runs: lop.toml (lop config shows them)";

/// The part of the manual page that follows the options.
pub(super) fn below() -> String {
    format!("{EXAMPLES}\n\n{CODES}")
}

/// lop's command line, with one page of help.
pub(super) fn command() -> Command {
    let command = laid_out();
    let commands = commands(&command, COMMANDS.len() - RARE);
    command
        .after_help(format!("{commands}\n\n{CODES}\n\n{MORE}"))
        .mut_args(|arg| match place(arg.get_id().as_str()) {
            Some((heading, place)) => arg.help_heading(heading).display_order(place),
            None => arg.hide_short_help(true),
        })
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(flag(ArgAction::HelpShort).help("Show this page").hide_short_help(true))
        .arg(version())
        // This setting also removes the flag from the subcommands.
        .mut_subcommands(|inner| inner.arg(flag(ArgAction::Help).help("Show help, all of it with --help")))
}

/// The group of a common option, and its place among all of them.
fn place(id: &str) -> Option<(&'static str, usize)> {
    let all = COMMON.iter().flat_map(|(heading, ids)| ids.iter().map(move |id| (*heading, *id)));
    all.enumerate().find(|(_, (_, common))| *common == id).map(|(place, (heading, _))| (heading, place))
}

/// Prints a page for `lop help`, or returns `None` if clap knows the answer.
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
        [Some("all" | "--all" | suggestion::REDUCE)] => all(),
        [Some("markdown")] => options_page::markdown(&below()).into(),
        [Some(name)] => of_subcommand(name)?.render_help(),
        [Some(name), Some("--all")] | [Some("--all"), Some(name)] => of_subcommand(name)?.render_long_help(),
        _ => return None,
    };
    let mut out = text::stdout();
    Some(write!(out, "{}", page.ansi()).and_then(|()| out.flush()).or_else(Failure::unless_closed))
}

/// The definition of a subcommand.
fn of_subcommand(name: &str) -> Option<Command> {
    let mut command = command();
    command.build();
    command.find_subcommand(name).cloned()
}

/// Everything about every option of a reduction.
fn all() -> StyledStr {
    let command = laid_out();
    let commands = commands(&command, COMMANDS.len());
    let help = flag(ArgAction::HelpShort).help("Show the most used options");
    command.after_help(format!("{commands}\n\n{CODES}")).disable_help_flag(true).arg(help).render_long_help()
}

/// The definition with the examples, and without clap's own list of subcommands.
fn laid_out() -> Command {
    let command = Cli::command().mut_subcommands(|inner| inner.hide(true));
    // TEST and FILE come before CMD.
    let order = |arg: clap::Arg| if arg.is_last_set() { arg.display_order(1) } else { arg };
    command.help_template(TEMPLATE).before_help(format!("{EXAMPLES}\n\n{PLACES}")).mut_args(order)
}

fn flag(action: ArgAction) -> clap::Arg {
    clap::Arg::new("help").short('h').long("help").action(action)
}

fn version() -> clap::Arg {
    let version = clap::Arg::new("version").short('V').long("version").action(ArgAction::Version);
    version.help("Show the version").hide_short_help(true)
}

/// Makes the list of subcommands: a line for each of the first `told`, and one line with the other names.
fn commands(command: &Command, told: usize) -> String {
    let mut lines = vec!["Commands:".to_owned()];
    let (told, named) = COMMANDS.split_at(told);
    for name in told {
        let about = command.find_subcommand(name).and_then(Command::get_about);
        // The command's own help has the part after a comma.
        let about = about.map(ToString::to_string).unwrap_or_default();
        let about = about.split(',').next().unwrap_or_default();
        lines.push(format!("  {name:<12}{about}"));
    }
    if !named.is_empty() {
        lines.push(format!("  also: {}", named.join(", ")));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::options::ReduceArgs;
    use lop_reduce::{BASELINE_DEADLINE, MAX_PARSE, Options, usual_deadline};

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
            for id in COMMON.iter().flat_map(|(_, ids)| *ids) {
                let option = format!("--{}", id.replace('_', "-"));
                assert!(
                    page.lines().any(|line| line.get(6..).is_some_and(|line| line.starts_with(&option))),
                    "{option}"
                );
            }
            assert!(page.contains("  resume  ") && !page.contains("--expect-waste"), "{page}");
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
        for id in COMMON.iter().flat_map(|(_, ids)| *ids) {
            assert!(Cli::command().get_arguments().any(|arg| arg.get_id() == id), "{id}");
        }
    }

    #[test]
    fn every_subcommand_is_listed() {
        let names: std::collections::BTreeSet<String> =
            Cli::command().get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
        assert_eq!(names, COMMANDS.map(str::to_owned).into());
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
        let typed = args.options().expect("no option excludes another");
        let options = Options { max_parse: Some(MAX_PARSE), ..Options::default() };
        assert_eq!(format!("{typed:?}"), format!("{options:?}"));
    }
}
