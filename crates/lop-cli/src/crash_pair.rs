//! The two files that clang leaves after a crash: a script with the command, and the preprocessed input next to it.
//! `lop NAME.sh` reduces the input and the command's arguments.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use clap::Parser;

use lop_files::disk;
use lop_report::text::{self, HINT};

use super::args::Cli;
use super::failure::Failure;
use super::line;
use super::options::ReduceArgs;

/// The beginning of the script.
const FIRST: &[u8] = b"# Crash reproducer for ";

/// No such script is larger.
const LARGEST: u64 = 4 << 20;

/// Replaces such a script in a command line by its input and its command. Other command lines stay the same.
///
/// # Errors
/// A script whose command cannot be parsed, or that has no input next to it.
pub(super) fn expanded(args: ReduceArgs, words: Vec<OsString>) -> Result<(ReduceArgs, Vec<OsString>), Failure> {
    let ([script], []) = (&args.given.words[..], &args.given.test[..]) else { return Ok((args, words)) };
    let is_script = script.extension().is_some_and(|extension| extension == "sh");
    let text = if is_script { disk::read(script, LARGEST).unwrap_or_default() } else { Vec::new() };
    if !text.starts_with(FIRST) {
        return Ok((args, words));
    }
    let (input, command) = pair(script, &String::from_utf8_lossy(&text)).ok_or_else(|| Failure::Usage {
        message: format!("{} is a crash reproducer, but its command has no input next to it", script.display()),
        hint: "name both: lop --reduce-args FILE -- CMD ARGS…, with @@ for FILE".to_owned(),
    })?;
    if !args.verbosity.quiet {
        let (script, input) = (text::path(script), text::path(Path::new(&input)));
        // A closed standard error is no reason to fail.
        let _ = writeln!(
            text::stderr(),
            "{HINT}note:{HINT:#} {script} is a crash reproducer: reducing {input} and the arguments of its command"
        );
    }
    let flag = (!args.reduce_args.reduce_args).then(|| OsString::from("--reduce-args"));
    let values = line::values(&words);
    let is_file = |(at, word): (usize, &OsString)| *word == *script && !values.contains(&at);
    let own = words.iter().enumerate().position(is_file).unwrap_or(words.len());
    let mut expanded = words[..own].to_vec();
    expanded.extend(flag.into_iter().chain([input]).chain(words[own..].iter().skip(1).cloned()));
    expanded.push("--".into());
    expanded.extend(command);
    let cli = Cli::try_parse_from(&expanded).unwrap_or_else(|error| super::refusal::refuse(error, &expanded));
    Ok((cli.reduce, expanded))
}

/// Returns the input next to a script, and the script's command with `@@` for the input.
fn pair(script: &Path, text: &str) -> Option<(OsString, Vec<OsString>)> {
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let mut words = shlex::split(line)?;
    let is_input = |word: &String| {
        let path = Path::new(word);
        path.file_stem() == script.file_stem() && path.extension() != script.extension()
    };
    let at = words.iter().rposition(is_input)?;
    let input = script.with_file_name(Path::new(&words[at]).file_name()?);
    words[at] = "@@".to_owned();
    let is_there = input.is_file() && at > 0;
    is_there.then(|| (input.into_os_string(), words.into_iter().map(OsString::from).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_names_its_input_and_its_command() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let (script, input) = (folder.path().join("a-1f.sh"), folder.path().join("a-1f.zed"));
        let text = "# Crash reproducer for clang version 14.0.0\n# Driver args: \"a.zed\"\n \
                    \"/usr/bin/clang\" \"-cc1\" \"-main-file-name\" \"a.zed\" \"-x\" \"zed\" \"a-1f.zed\"\n";
        assert_eq!(pair(&script, text), None, "there is no input");
        std::fs::write(&input, "a").expect("writable");
        let command = ["/usr/bin/clang", "-cc1", "-main-file-name", "a.zed", "-x", "zed", "@@"].map(OsString::from);
        assert_eq!(pair(&script, text), Some((input.into_os_string(), command.to_vec())));
        for wrong in ["", "# only a comment\n", "\"a-1f.zed\"\n", "cc 'a-1f.zed\n", "cc other.zed\n"] {
            assert_eq!(pair(&script, wrong), None, "{wrong}");
        }
    }
}
