//! `--format`: one of lop's own formats, or the command of a formatter.

use std::ffi::{OsStr, OsString};

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error, ValueEnum};

use lop_reduce::Format;
use lop_run::oracle::{CommandOracle, Conditions, Subject};

/// `--format`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatArg {
    /// One of lop's own.
    Own(OwnFormat),
    /// The words of a formatter's command.
    Command(Vec<OsString>),
}

/// lop's own formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OwnFormat {
    /// As the reduction leaves it
    None,
    /// No whitespace that is not needed
    Compact,
    /// One statement per line, indented; compact if the language has no lines
    Pretty,
}

impl From<&FormatArg> for Format {
    fn from(arg: &FormatArg) -> Self {
        match arg {
            FormatArg::Own(OwnFormat::None) => Self::None,
            FormatArg::Own(OwnFormat::Compact) => Self::Compact,
            // A formatter that fails leaves this.
            FormatArg::Own(OwnFormat::Pretty) | FormatArg::Command(_) => Self::Pretty,
        }
    }
}

/// Reads a [`FormatArg`]: a word that is no format is a command if its first word is a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct FormatParser;

impl TypedValueParser for FormatParser {
    type Value = FormatArg;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<FormatArg, Error> {
        let own = EnumValueParser::<OwnFormat>::new().parse_ref(command, arg, value).map(FormatArg::Own);
        own.or_else(|error| {
            let words = value.to_str().and_then(shlex::split).filter(|words| !words.is_empty());
            let Some(words) = words else { return Err(error) };
            let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
            match CommandOracle::command(&words, Subject::File("text".into()), Conditions::default()) {
                Ok(_) => Ok(FormatArg::Command(words)),
                Err(problem) => Err(with_tip(error, format!("as a command: {problem}"))),
            }
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(OwnFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}

fn with_tip(mut error: Error, tip: String) -> Error {
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Result<FormatArg, String> {
        FormatParser.parse_ref(&Command::new("lop"), None, OsStr::new(value)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_format_goes_before_a_command_of_its_name() {
        assert_eq!(read("compact"), Ok(FormatArg::Own(OwnFormat::Compact)));
        assert_eq!(
            read("sh -c 'cat; echo'"),
            Ok(FormatArg::Command(["sh", "-c", "cat; echo"].map(Into::into).to_vec()))
        );
    }

    #[test]
    fn neither_a_format_nor_a_command_is_refused_with_both() {
        for wrong in ["", "no-such-formatter-here -q", "sh 'x"] {
            let said = read(wrong).expect_err(wrong);
            assert!(said.contains("[possible values: none, compact, pretty]"), "{said}");
        }
        assert!(read("no-such-formatter-here").expect_err("it is nowhere").contains("command in PATH"));
    }
}
