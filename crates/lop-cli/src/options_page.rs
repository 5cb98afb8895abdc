//! The chapter of the manual that lists every option, `docs/options.md`, made of the definitions: `lop help markdown`
//! prints it, and a test holds the file to it.

use std::fmt::Write;

use clap::builder::PossibleValue;
use clap::{Arg, Command, CommandFactory};

use super::args::Cli;

/// The text above the tables. Everything else is in the definitions.
const INTRODUCTION: &str = "\
# Options

This page is generated: `lop help markdown` prints it, and `lop help all` prints the same for a terminal. `-h` shows the
short help of a command, `--help` the long one, and `--version` (`-V`) the version. If the first word is the name of a
subcommand, it is the subcommand; a file of that name is `./doctor`.
";

/// Where to read more about the options below a heading, by the beginning of the heading.
const MORE: [(&str, &str); 10] = [
    ("Result", "[The result](first-reduction.md#your-files-afterwards)"),
    ("Conditions", "[Write a good test](tests.md)"),
    ("Without a test script", "[Without a script](tests.md#without-a-script)"),
    ("Running tests", "[Bugs that show only sometimes](flaky.md) and [Timeouts](tests.md#timeouts)"),
    ("What a test may see and use", "[Run untrusted tests](untrusted.md)"),
    ("Search", "[How it works](how-it-works.md) and [Rules](add-a-language.md#rules)"),
    ("Engine", "[The engine](dev/engine.md)"),
    ("Journal", "[Stop, resume, go back](journals.md)"),
    ("Configuration", "[Configuration file](reference.md#configuration-file)"),
    ("Report", "[Output](output.md)"),
];

/// The heading above options that have none.
const OPTIONS: &str = "Options";

/// The page.
pub(super) fn markdown(below: &str) -> String {
    let mut lop = Cli::command();
    lop.build();
    let mut page = INTRODUCTION.to_owned();
    section(&mut page, "lop", &lop, None);
    text(&mut page, below);
    for command in lop.get_subcommands().filter(|command| command.get_name() != "help") {
        let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
        let name = format!("lop {}", command.get_name());
        section(&mut page, &name, command, Some(&about));
        if let Some(below) = command.get_after_help() {
            text(&mut page, &below.to_string());
        }
    }
    page
}

/// A command with its options, a table for each heading. Of a subcommand those are only named that are a reduction's.
fn section(page: &mut String, name: &str, command: &Command, about: Option<&str>) {
    let reduction = Cli::command();
    let is_reductions = |arg: &Arg| {
        let same = |other: &Arg| other.get_long() == arg.get_long() && described(other) == described(arg);
        about.is_some() && arg.get_long().is_some() && reduction.get_arguments().any(same)
    };
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").replace("\n       ", "\n");
    let _ = write!(page, "\n## {name}\n");
    if let Some(about) = about {
        let _ = write!(page, "\n{about}.\n");
    }
    let _ = write!(page, "\n```text\n{}\n```\n", usage.trim());
    let shown = |arg: &&Arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str());
    let (named, told): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(shown).partition(|arg| is_reductions(arg));
    let mut headings: Vec<&str> = Vec::new();
    for heading in told.iter().map(|arg| heading(arg)) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for of in headings {
        if about.is_none() {
            let _ = write!(page, "\n### {of}\n");
        }
        let _ = write!(page, "\n| option | |\n|---|---|\n");
        for arg in told.iter().filter(|arg| heading(arg) == of) {
            let _ = writeln!(page, "| {} | {} |", called(arg), described(arg));
        }
        if let Some((_, more)) = MORE.iter().find(|(begins, _)| about.is_none() && of.starts_with(begins)) {
            let _ = write!(page, "\nSee also: {more}.\n");
        }
    }
    let options = reduction.get_arguments().filter(|arg| !arg.is_positional()).count();
    if named.len() == options {
        let _ = write!(page, "\nIt also takes all options of a reduction.\n");
    } else if !named.is_empty() {
        let names: Vec<String> = named.iter().map(|arg| called(arg)).collect();
        let _ = write!(page, "\nThe same as for a reduction: {}.\n", names.join("; "));
    }
}

fn heading(arg: &Arg) -> &str {
    arg.get_help_heading().unwrap_or(OPTIONS)
}

/// The name of an option in the table.
fn called(arg: &Arg) -> String {
    let value = match arg.get_value_names() {
        Some(names) if arg.get_action().takes_values() => names.join(" "),
        _ => String::new(),
    };
    let value = value.replace('|', "\\|");
    let Some(long) = arg.get_long() else { return code(&value) };
    let long = code(format!("--{long} {value}").trim());
    arg.get_short().map_or_else(|| long.clone(), |short| format!("{}, {long}", code(&format!("-{short}"))))
}

/// The help of an option, its values and its default, in a cell of a table.
fn described(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut said: Vec<String> = help.split("\n\n").map(|paragraph| sentence(&paragraph.replace('\n', " "))).collect();
    if arg.get_action().takes_values() && !arg.is_hide_possible_values_set() {
        let values = arg.get_possible_values();
        let separator = if values.iter().any(|value| value.get_help().is_some()) { "; " } else { ", " };
        let values: Vec<String> = values.iter().map(value).collect();
        if !values.is_empty() {
            said.push(sentence(&values.join(separator)));
        }
        let defaults: Vec<String> =
            arg.get_default_values().iter().map(|value| code(&value.to_string_lossy())).collect();
        if !defaults.is_empty() && !arg.is_hide_default_value_set() {
            said.push(sentence(&format!("Default: {}", defaults.join(", "))));
        }
    }
    said.join(" ").replace('|', "\\|")
}

fn value(value: &PossibleValue) -> String {
    let name = code(value.get_name());
    value.get_help().map_or_else(|| name.clone(), |help| format!("{name}: {help}"))
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn sentence(text: &str) -> String {
    if text.is_empty() || text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

/// A text that is laid out by hand.
fn text(page: &mut String, text: &str) {
    let _ = write!(page, "\n```text\n{}\n```\n", text.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_told_of_headings_that_there_are() {
        let command = Cli::command();
        for (begins, _) in MORE {
            assert!(command.get_arguments().any(|arg| heading(arg).starts_with(begins)), "{begins}");
        }
    }

    #[test]
    fn a_cell_has_the_text_the_values_and_the_default() {
        let arg = Arg::new("x").long("x").value_name("A|B").help("One (or two)").default_value("a");
        assert_eq!((called(&arg).as_str(), described(&arg).as_str()), ("`--x A\\|B`", "One (or two). Default: `a`."));
    }
}
