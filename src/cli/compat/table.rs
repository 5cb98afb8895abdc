//! What the tables of other tools are made of, and how a command line is translated by one.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command as CommandLine, CommandFactory, value_parser};

use crate::cli::args::Cli;
use crate::cli::failure::Failure;

/// What a command line became.
#[derive(Debug)]
pub(in crate::cli) struct Translation {
    /// The words of lop's own command line.
    pub(in crate::cli) words: Vec<OsString>,
    /// What the user should know of it.
    pub(in crate::cli) notes: Vec<String>,
}

/// The heading of the options that lop adds to a tool's.
const OWN: &str = "Options of lop";

/// Another tool.
#[derive(Clone, Copy)]
pub(super) struct Tool {
    /// Its name.
    pub(super) name: &'static str,
    /// What stands beside its options.
    pub(super) shape: Shape,
    /// Its options.
    pub(super) flags: &'static [Flag],
    /// Does what takes more than the table: puts test and file where lop has them.
    pub(super) arrange: fn(&ArgMatches, &mut Line) -> Result<(), Failure>,
}

/// What stands beside the options.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// The test and the file, in any place, or a command behind `--`.
    TestFile,
    /// A command, whose options follow it.
    Command,
}

/// An option.
pub(super) struct Flag {
    /// Its name behind two dashes.
    pub(super) long: Option<&'static str>,
    /// Its letter.
    pub(super) short: Option<char>,
    /// What its value is called, if it has one.
    pub(super) value: Option<&'static str>,
    /// What lop makes of it.
    pub(super) means: Means,
    /// Whether no option of lop or another tool could be taken for it.
    pub(super) plain: bool,
}

/// What lop makes of an option.
pub(super) enum Means {
    /// These words.
    Words(&'static [&'static str]),
    /// This option, with the same value.
    Option(&'static str),
    /// What the function makes of the value, or what is wrong with it; the text says what that is. Where it makes
    /// nothing of a value, that is noted.
    Made(fn(&str) -> Result<Vec<String>, String>, &'static str),
    /// What `arrange` makes of it; the text says what that is.
    Arranged(&'static str),
    /// Nothing, and why that does no harm.
    Nothing(&'static str),
    /// It cannot be done; the way out.
    Refused(&'static str),
}

/// A flag or option with a long name.
pub(super) const fn long(long: &'static str, value: Option<&'static str>, means: Means) -> Flag {
    Flag { long: Some(long), short: None, value, means, plain: false }
}

/// One that has a letter only.
pub(super) const fn short(short: char, value: Option<&'static str>, means: Means) -> Flag {
    Flag { long: None, short: Some(short), value, means, plain: false }
}

impl Flag {
    /// With a letter as well.
    pub(super) const fn or(self, short: char) -> Flag {
        Flag { long: self.long, short: Some(short), value: self.value, means: self.means, plain: self.plain }
    }

    /// Works without `--compat`, too.
    pub(super) const fn plain(self) -> Flag {
        Flag { long: self.long, short: self.short, value: self.value, means: self.means, plain: true }
    }

    /// What clap and `arrange` call it: its name with its dashes.
    pub(super) fn id(&self) -> String {
        match (self.long, self.short) {
            (Some(long), _) => format!("--{long}"),
            (None, letter) => format!("-{}", letter.unwrap_or_default()),
        }
    }

    fn help(&self) -> String {
        match &self.means {
            Means::Words([]) => "nothing more than lop does anyway".to_owned(),
            Means::Words(words) => words.join(" "),
            Means::Option(option) => format!("{option} {}", self.value.unwrap_or_default()),
            Means::Made(_, what) | Means::Arranged(what) => (*what).to_owned(),
            Means::Nothing(why) => format!("without effect: {why}"),
            Means::Refused(way_out) => format!("not in lop: {way_out}"),
        }
    }
}

/// A command line of lop in the making.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Options.
    pub(super) options: Vec<OsString>,
    /// What stands without dashes.
    pub(super) words: Vec<OsString>,
    /// What stands behind `--`.
    pub(super) command: Vec<OsString>,
    /// What the user should know.
    pub(super) notes: Vec<String>,
}

impl Line {
    /// The file that is reduced.
    pub(super) fn file(&self) -> Option<&OsString> {
        self.words.last()
    }
}

impl Tool {
    /// The tool's command line, with what lop has and the tool has not.
    pub(super) fn command(&self, flags: &[&Flag]) -> CommandLine {
        let own = self.name == "lop";
        let called = if own { self.name.to_owned() } else { format!("lop --compat {}", self.name) };
        let words = Arg::new(WORDS).num_args(0..).value_parser(value_parser!(OsString)).value_name(match self.shape {
            Shape::TestFile => "TEST FILE",
            Shape::Command => "CMD",
        });
        let mut command = CommandLine::new("lop")
            .bin_name(called)
            .version(env!("CARGO_PKG_VERSION"))
            .about(format!("lop in place of {}: its options, and what they are to lop", self.name))
            .arg(words.trailing_var_arg(self.shape == Shape::Command));
        if self.shape == Shape::TestFile {
            let test = Arg::new(COMMAND).last(true).num_args(0..).value_name("CMD").hide(!own);
            command = command.arg(test.value_parser(value_parser!(OsString)).allow_hyphen_values(true));
        }
        for flag in flags {
            let arg = Arg::new(flag.id()).long_or(flag.long).help(flag.help());
            let arg = if let Some(letter) = flag.short { arg.short(letter) } else { arg };
            command = command.arg(match flag.value {
                None => arg.action(ArgAction::SetTrue),
                Some(name) => arg
                    .action(ArgAction::Append)
                    .value_name(name)
                    .value_parser(value_parser!(String))
                    .allow_hyphen_values(true),
            });
        }
        for arg in Cli::command().get_arguments().filter(|arg| !arg.is_positional()) {
            command = command.args(beside(arg, flags));
        }
        command
    }
}

const WORDS: &str = "words";
const COMMAND: &str = "command";

/// Gives an argument a long name, if there is one.
trait LongOr {
    fn long_or(self, name: Option<&'static str>) -> Arg;
}

impl LongOr for Arg {
    fn long_or(self, name: Option<&'static str>) -> Arg {
        if let Some(name) = name { self.long(name) } else { self }
    }
}

/// An option of lop under what names the tool leaves of its. It is only passed on: lop itself looks at its value.
fn beside(arg: &Arg, flags: &[&Flag]) -> Option<Arg> {
    let long = arg.get_long().filter(|long| flags.iter().all(|flag| flag.long != Some(long)))?;
    let short = arg.get_short().filter(|short| flags.iter().all(|flag| flag.short != Some(*short)));
    let mut own = Arg::new(arg.get_id().clone()).long(long.to_owned()).short(short).help_heading(OWN);
    own = own.action(arg.get_action().clone());
    if let Some(help) = arg.get_help() {
        own = own.help(help.clone());
    }
    if arg.get_action().takes_values() {
        let names = arg.get_value_names().unwrap_or_default().to_vec();
        own = own.action(ArgAction::Append).value_names(names).value_parser(value_parser!(OsString));
        own = own.allow_hyphen_values(true);
    }
    Some(own)
}

/// Translates a command line by a table; a language that the tool's name has in it is the grammar.
///
/// # Errors
/// When it asks for what lop cannot do.
pub(super) fn translate(
    tool: &Tool,
    flags: Vec<&Flag>,
    language: Option<String>,
    words: &[OsString],
) -> Result<Translation, Failure> {
    let command = tool.command(&flags);
    let matches = command.get_matches_from(words);
    let mut line = Line::default();
    let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    for flag in flags.iter().filter(|flag| given(&flag.id())) {
        add(flag, &matches, &mut line)?;
    }
    line.options.extend(language.map(|language| OsString::from(format!("--grammar={language}"))));
    line.words = values(&matches, WORDS);
    if tool.shape == Shape::TestFile {
        line.command = values(&matches, COMMAND);
    }
    (tool.arrange)(&matches, &mut line)?;
    for arg in Cli::command().get_arguments() {
        let id = arg.get_id().as_str();
        if arg.is_positional() || beside(arg, &flags).is_none() || !given(id) {
            continue;
        }
        let flag = format!("--{}", arg.get_long().expect("it was found by its long name"));
        // What was typed in lop's words counts, where an option may be given once only.
        if !matches!(arg.get_action(), ArgAction::Append | ArgAction::Count) {
            let is_same = |word: &OsString| {
                let word = word.to_string_lossy();
                word == flag || word.strip_prefix(&flag).is_some_and(|rest| rest.starts_with('='))
            };
            line.options.retain(|word| !is_same(word));
        }
        match arg.get_action() {
            ArgAction::SetTrue => line.options.push(flag.into()),
            ArgAction::Count => line.options.extend((0..matches.get_count(id)).map(|_| OsString::from(&flag))),
            _ => line.options.extend(values(&matches, id).into_iter().map(|value| equals(&flag, &value))),
        }
    }
    let mut all = vec![OsString::from("lop")];
    all.extend(line.options);
    all.extend(line.words);
    if !line.command.is_empty() {
        all.push("--".into());
        all.extend(line.command);
    }
    Ok(Translation { words: all, notes: line.notes })
}

fn add(flag: &Flag, matches: &ArgMatches, line: &mut Line) -> Result<(), Failure> {
    let id = flag.id();
    match &flag.means {
        Means::Words(words) => line.options.extend(words.iter().map(OsString::from)),
        Means::Option(option) => {
            line.options.extend(values(matches, &id).iter().map(|value| equals(option, value)));
        }
        Means::Made(make, what) => {
            for value in texts(matches, &id) {
                let made = make(&value).map_err(|error| Failure::Usage {
                    message: format!("{id} {value}: {error}"),
                    hint: "lop says the same with an option of its own; see lop --help".to_owned(),
                })?;
                if made.is_empty() {
                    line.notes.push(format!("{id} {value} changes nothing: {what}"));
                }
                line.options.extend(made.into_iter().map(OsString::from));
            }
        }
        Means::Arranged(_) => {}
        Means::Nothing(why) => line.notes.push(format!("{id} has no effect: {why}")),
        Means::Refused(way_out) => {
            return Err(Failure::Usage { message: format!("lop has nothing like {id}"), hint: (*way_out).to_owned() });
        }
    }
    Ok(())
}

/// `--option=value`.
pub(super) fn equals(option: &str, value: &OsString) -> OsString {
    let mut word = OsString::from(option);
    word.push("=");
    word.push(value);
    word
}

/// What was given to an argument, in its order.
pub(super) fn values(matches: &ArgMatches, id: &str) -> Vec<OsString> {
    matches.try_get_raw(id).ok().flatten().into_iter().flatten().map(OsString::from).collect()
}

/// What was given to an option of a table.
pub(super) fn texts(matches: &ArgMatches, id: &str) -> Vec<String> {
    values(matches, id).into_iter().map(|value| value.to_string_lossy().into_owned()).collect()
}
