//! Command lines of other tools, made lop's own before anything else reads them.
//!
//! Each tool has a table of its options and what lop makes of each. Which table counts is said by `--compat`, or by the
//! name that lop is called by; without either, the options that could be taken for no other work in any command line.

mod afl_tmin;
mod creduce;
mod lithium;
pub(super) mod table;
mod treereduce;

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{CommandFactory, ValueEnum};

use table::{Flag, Shape, Tool, Translation};

use super::args::Cli;
use super::failure::Failure;
use super::invocation_args::CompatArg;

/// Makes a command line lop's own. Ends the process where clap would: on a help option, and what is no option of the
/// tool.
///
/// # Errors
/// When the tool does something that lop does not.
pub(super) fn translate(words: Vec<OsString>) -> Result<Translation, Failure> {
    let (chosen, words) = chosen(words)?;
    let called = words.first().map(|word| called(word)).unwrap_or_default();
    let (tool, language) = match chosen {
        Some(CompatArg::None) => (None, None),
        Some(compat) => (Some(tool(compat)), None),
        None => by_name(&called),
    };
    let own = Tool { name: "lop", shape: Shape::TestFile, flags: &[], arrange: plain };
    match tool {
        Some(tool) => table::translate(&tool, tool.flags.iter().collect(), language, &words),
        None if has_plain(&words) => table::translate(&own, plain_flags(), None, &words),
        None => Ok(Translation { words, notes: Vec::new() }),
    }
}

/// Takes `--compat` off a command line.
fn chosen(words: Vec<OsString>) -> Result<(Option<CompatArg>, Vec<OsString>), Failure> {
    let mut chosen = None;
    let mut rest = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let value = match word.to_str() {
            Some("--") => {
                rest.push(word);
                rest.extend(words);
                break;
            }
            Some("--compat") => words.next().unwrap_or_default(),
            Some(text) if text.starts_with("--compat=") => text["--compat=".len()..].into(),
            _ => {
                rest.push(word);
                continue;
            }
        };
        let value = value.to_string_lossy();
        chosen = Some(CompatArg::from_str(&value, false).map_err(|_| Failure::Usage {
            message: format!("--compat knows no tool '{value}'"),
            hint:
                "it knows creduce, cvise, treereduce, afl-tmin and lithium, and none for lop's own options".to_owned(),
        })?);
    }
    Ok((chosen, rest))
}

/// The name a program was called by.
fn called(word: &OsStr) -> String {
    Path::new(word).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The tool of a name, and the language in it: `treereduce-javascript` has one.
fn by_name(called: &str) -> (Option<Tool>, Option<String>) {
    let family = format!("{}-", treereduce::TOOL.name);
    if let Some(language) = called.strip_prefix(&family) {
        return (Some(treereduce::TOOL), Some(language.to_owned()));
    }
    let tools = [CompatArg::Creduce, CompatArg::Cvise, CompatArg::Treereduce, CompatArg::AflTmin, CompatArg::Lithium];
    (tools.into_iter().map(tool).find(|tool| tool.name == called), None)
}

fn tool(compat: CompatArg) -> Tool {
    match compat {
        CompatArg::None | CompatArg::Creduce => creduce::CREDUCE,
        CompatArg::Cvise => creduce::CVISE,
        CompatArg::Treereduce => treereduce::TOOL,
        CompatArg::AflTmin => afl_tmin::TOOL,
        CompatArg::Lithium => lithium::TOOL,
    }
}

/// The options that could be taken for no other, each once.
fn plain_flags() -> Vec<&'static Flag> {
    let mut flags: Vec<&Flag> = Vec::new();
    for flag in creduce::CVISE.flags.iter().chain(treereduce::TOOL.flags).filter(|flag| flag.plain) {
        if flags.iter().all(|known| known.long != flag.long) {
            flags.push(flag);
        }
    }
    flags
}

/// Whether a command line has one of them, and is about a reduction.
fn has_plain(words: &[OsString]) -> bool {
    let command = Cli::command();
    let first = words.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    if command.get_subcommands().any(|inner| inner.get_name() == first) {
        return false;
    }
    let typed = || words.iter().skip(1).take_while(|word| *word != "--");
    // The help that is asked for is lop's own.
    if typed().any(|word| ["-h", "--help", "-V", "--version"].iter().any(|flag| word == flag)) {
        return false;
    }
    let flags = plain_flags();
    let options = typed().filter_map(|word| word.to_str());
    let names = options.filter_map(|word| word.strip_prefix("--")).map(|word| word.split('=').next().unwrap_or(word));
    names.into_iter().any(|name| flags.iter().any(|flag| flag.long == Some(name)))
}

/// lop's own forms, with an option or two of another tool in them.
fn plain(matches: &clap::ArgMatches, line: &mut table::Line) -> Result<(), Failure> {
    treereduce::conditions(matches, line);
    creduce::not_a_language(matches, line)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// The translated line, as one text.
    pub(super) fn line(typed: &str) -> String {
        let words = shlex::split(typed).expect("quotes are closed").into_iter().map(OsString::from).collect();
        let words = translate(words).unwrap_or_else(|failure| panic!("{typed}: {failure}")).words;
        Cli::try_parse_from(&words).unwrap_or_else(|error| panic!("{typed}: {error}"));
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn notes(typed: &str) -> Vec<String> {
        let words = shlex::split(typed).expect("quotes are closed").into_iter().map(OsString::from).collect();
        translate(words).unwrap_or_else(|failure| panic!("{typed}: {failure}")).notes
    }

    pub(super) fn refused(typed: &str) -> String {
        let words = shlex::split(typed).expect("quotes are closed").into_iter().map(OsString::from).collect();
        match translate(words).expect_err(typed) {
            Failure::Usage { message, hint } => format!("{message}; {hint}"),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn what_has_nothing_of_another_tool_stays_as_it_is() {
        for typed in ["lop -j 4 t.sh a", "lop a -- cc --n 4 @@", "lop doctor t.sh a", "lop --compat none --fast t a"] {
            assert_eq!(line(typed), typed.replace("--compat none ", ""));
        }
        assert_eq!(line("creduce --compat=none t a"), "creduce t a");
    }

    #[test]
    fn options_that_nobody_could_confuse_work_everywhere() {
        assert_eq!(line("lop --n 4 --sllooww t.sh a.x -v"), "lop --jobs=4 --thorough --verbose t.sh a.x");
        assert_eq!(line("lop a.x --interesting-exit-code 1 -- cc -c @@"), "lop --exit-code=1 a.x -- cc -c @@");
        assert_eq!(line("lop --tidy t.sh a"), "lop --tidy t.sh a");
        assert_eq!(line("lop --stable --tidy t.sh a"), "lop --thorough --tidy t.sh a");
    }

    #[test]
    fn the_name_decides_and_compat_decides_before_it() {
        assert_eq!(line("/usr/bin/creduce -n 2 t.sh a"), "lop --jobs=2 t.sh a");
        assert_eq!(
            line("creduce --compat afl-tmin -i a -o b -t 500 -- p"),
            "lop --timeout=0.5 --crash --yes --output=b a -- p"
        );
        assert!(line("treereduce-zed -s a -- p @@").contains("--grammar=zed"));
        assert!(refused("lop --compat delta t a").contains("it knows creduce, cvise"));
    }

    #[test]
    fn every_tool_of_the_option_has_a_table_of_its_own() {
        for compat in CompatArg::value_variants().iter().filter(|compat| **compat != CompatArg::None) {
            let name = compat.to_possible_value().expect("none is skipped").get_name().to_owned();
            assert_eq!(tool(*compat).name, name);
            tool(*compat).command(&tool(*compat).flags.iter().collect::<Vec<_>>()).debug_assert();
        }
        for flag in plain_flags() {
            let own = Cli::command().get_arguments().any(|arg| arg.get_long() == flag.long);
            assert!(!own, "{:?} is an option of lop's own", flag.long);
        }
    }
}
