//! The hint for a test that lacks a file in its directory: the command line that adds it.

use std::ffi::{OsStr, OsString};

use lop_doctor::Missing;
use lop_run::oracle::shell_line;

/// Returns the hint, a sentence. `typed` is the command line, and `is_command` says whether it has a command.
pub(crate) fn way_out(missing: &Missing, typed: &[OsString], is_command: bool) -> String {
    if !missing.things.is_empty() {
        let line = with_things(typed, missing);
        return format!("tests see only the candidate; add what is missing: {}", shell(&line));
    }
    if is_command {
        return "the command names the original file, which tests don't see; write @@ for the candidate".to_owned();
    }
    "the test names the original file by a path that tests don't see; use its argument, $1 in a shell".to_owned()
}

fn shell(line: &[OsString]) -> String {
    shell_line(line.iter().map(OsString::as_os_str))
}

/// Returns the command line that puts the missing things next to the candidate.
fn with_things(typed: &[OsString], missing: &Missing) -> Vec<OsString> {
    let end = typed.iter().position(|word| word == "--").unwrap_or(typed.len());
    let options = missing.things.iter().flat_map(|path| [OsStr::new("--with"), path.as_os_str()]);
    let mut line: Vec<OsString> = vec!["lop".into()];
    line.extend(typed[1.min(end)..end].iter().cloned());
    line.extend(options.map(OsStr::to_owned));
    line.extend(typed[end..].iter().cloned());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_works_has_the_things_before_the_command() {
        let missing = Missing { line: String::new(), things: vec!["src/a.h".into(), "b c".into()] };
        let line =
            |typed: &[&str]| shell(&with_things(&typed.iter().map(OsString::from).collect::<Vec<_>>(), &missing));
        let typed = ["/bin/lop", "-q", "x.c", "--", "cc", "-I/i", "@@"];
        assert_eq!(line(&typed), "lop -q x.c --with src/a.h --with 'b c' -- cc -I/i @@");
        assert_eq!(line(&["lop", "t.sh", "x.c"]), "lop t.sh x.c --with src/a.h --with 'b c'");
    }
}
