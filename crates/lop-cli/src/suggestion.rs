//! Suggests the most similar known word for an unknown one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::CommandFactory;

use lop_grammar::nearest;
use lop_run::oracle::{CommandOracle, Conditions};

use super::args::Cli;

/// The main job has no name, and is called by one nevertheless.
pub(super) const REDUCE: &str = "reduce";

/// The hint on a first word that is a slip of a command's name, and names neither a file nor a program.
pub(super) fn command(words: &[PathBuf]) -> Option<String> {
    let word = words.first()?.to_str()?;
    if is_there(word) {
        return None;
    }
    let commands = Cli::command();
    let names = commands.get_subcommands().map(clap::Command::get_name).chain(["help", REDUCE]);
    Some(match nearest(word, names)? {
        name if name == word && name != REDUCE => return None,
        REDUCE => "lop reduces when no command is named: lop TEST FILE, or lop FILE -- CMD ARGS…".to_owned(),
        name => format!("did you mean `lop {name}`? A file of the name is ./{word}"),
    })
}

/// Returns the hint for the first word of a whole command line.
pub(super) fn in_line(words: &[OsString]) -> Option<String> {
    let word = words.iter().skip(1).find(|word| *word != "help")?;
    command(&[PathBuf::from(word)])
}

/// Whether a word that should be a file, or a test, is one.
pub(super) fn is_there(word: &str) -> bool {
    Path::new(word).exists() || CommandOracle::test(word.as_ref(), Path::new("x"), Conditions::default()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_if_it_is_near() {
        let names = ["grammars", "doctor", "resume", "verify", "reduce"];
        for (word, name) in [
            ("docter", Some("doctor")),
            ("verfy", Some("verify")),
            ("grammar", Some("grammars")),
            ("resum", Some("resume")),
            ("doctor", Some("doctor")),
            ("crash", None),
            ("a.c", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, names), name, "{word}");
        }
        for (word, name) in [("fortrn", Some("fortran")), ("coblo", Some("cobol")), ("txt", Some("text"))] {
            assert_eq!(nearest(word, ["auto", "ada", "fortran", "cobol", "text"]), name, "{word}");
        }
    }
}
