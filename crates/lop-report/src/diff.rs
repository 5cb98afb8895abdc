//! Unified diffs of the original and the result.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use anstyle::Style;
use similar::{Algorithm, ChangeTag, TextDiff};

use lop_files::project::Archive;

use super::text::{self, BAD, FAINT, GOOD};

/// Lines around a change.
const CONTEXT: usize = 3;
/// After this time the rest is diffed roughly: a coarse diff now is better than a fine one never.
const PATIENCE: Duration = Duration::from_secs(2);

/// Writes the unified diff that leads from `before` to `after` (each a name and its bytes).
///
/// Hidden characters are escaped. Without them, the differences are a patch.
///
/// # Errors
/// When writing fails.
pub fn write(out: &mut dyn Write, colour: bool, before: (&str, &[u8]), after: (&str, &[u8])) -> io::Result<()> {
    let style = |style: Style| if colour { style } else { Style::new() };
    let (faint, removed, added) = (style(FAINT), style(BAD), style(GOOD));
    let diff = TextDiff::configure().algorithm(Algorithm::Histogram).timeout(PATIENCE).diff_lines(before.1, after.1);
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT);
    let mut headed = false;
    for hunk in unified.iter_hunks() {
        if !headed {
            writeln!(out, "--- {}\n+++ {}", text::one_line(before.0), text::one_line(after.0))?;
            headed = true;
        }
        writeln!(out, "{faint}{}{faint:#}", hunk.header())?;
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', removed),
                ChangeTag::Insert => ('+', added),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = change.value();
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            writeln!(out, "{style}{sign}{}{style:#}", text::shown(line))?;
            if change.missing_newline() {
                writeln!(out, "\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}

/// Writes the unified diffs of all files in two texts of an archive. Each text has a label that follows the names of
/// its files.
///
/// # Errors
/// When writing fails.
pub fn write_files(
    out: &mut dyn Write,
    colour: bool,
    archive: &Archive,
    before: (&str, &[u8]),
    after: (&str, &[u8]),
) -> io::Result<()> {
    let files = |text: &[u8]| -> BTreeMap<Vec<u8>, Vec<u8>> {
        archive.members(text).into_iter().map(|member| (member.path, member.content)).collect()
    };
    let (olds, news) = (files(before.1), files(after.1));
    for path in olds.keys().chain(news.keys().filter(|path| !olds.contains_key(*path))) {
        let name = |content: Option<&Vec<u8>>, words: &str| match content {
            Some(_) => format!("{}{words}", Path::new(OsStr::from_bytes(path)).display()),
            None => "/dev/null".to_owned(),
        };
        let (old, new) = (olds.get(path), news.get(path));
        let content = |content: Option<&Vec<u8>>| content.cloned().unwrap_or_default();
        write(out, colour, (&name(old, before.0), &content(old)), (&name(new, after.0), &content(new)))?;
    }
    Ok(())
}
