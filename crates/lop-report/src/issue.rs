//! A bug report in Markdown, ready to paste: command, versions, the minimal input, expected and observed.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use lop_files::project::Member;
use lop_run::oracle::{Outcome, shell_line};

use super::redaction::Redaction;
use super::text::shown;

/// Most of an output or an input that is shown, in bytes; trackers refuse longer texts.
const MOST: usize = 16 << 10;

/// The contents of a bug report.
#[derive(Clone, Debug)]
pub struct Issue<'a> {
    /// The name of the input.
    pub name: &'a str,
    /// The language, for the highlighting.
    pub language: &'a str,
    /// The minimal input.
    pub content: &'a [u8],
    /// The files, if there are several. Then `content` isn't shown.
    pub files: Vec<Member>,
    /// The test as a line of a shell.
    pub command: &'a str,
    /// The condition of an interesting run, in words.
    pub wanted: &'a str,
    /// The program's own words on its version, if they are known.
    pub version: Option<&'a str>,
    /// The test on the minimal input, or on the input if there is no other outcome.
    pub outcome: Option<&'a Outcome>,
    /// Whether the outcome belongs to the input.
    pub is_of_input: bool,
    /// Describes the reduction in a sentence.
    pub made: &'a str,
    /// The directories that the report leaves out.
    pub redaction: &'a Redaction,
}

impl Issue<'_> {
    /// The whole report.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        let first = self.outcome.and_then(first_line);
        let title = first.clone().unwrap_or_else(|| self.wanted.to_owned());
        let mut put = |text: &str| {
            out.push_str(text);
            out.push('\n');
        };
        put(&format!("# {}\n", inline(&self.redaction.text(&title))));
        put("## To reproduce\n");
        if self.files.is_empty() {
            put(&format!("Save as {}:\n", code(self.name)));
            put(&block(self.language, self.content, true));
            as_bytes(self.name, self.content).iter().for_each(|text| put(text));
        }
        for file in &self.files {
            let path = Path::new(OsStr::from_bytes(&file.path));
            put(&format!("Save as {}:\n", code(&path.display().to_string())));
            let language = path.extension().unwrap_or_default().to_string_lossy();
            put(&block(&language, &file.content, true));
            as_bytes(&path.display().to_string(), &file.content).iter().for_each(|text| put(text));
        }
        put("and run:\n");
        put(&block("sh", self.redaction.text(self.command).as_bytes(), false));
        put("## Expected\n");
        put("TODO: what you expected instead.\n");
        put("## Observed\n");
        match self.outcome {
            Some(outcome) => {
                let of = if self.is_of_input { " (on the input before it was reduced)" } else { "" };
                put(&format!("{}{of}\n", capital(&outcome.exit.to_string())));
                for (name, tail) in
                    [("standard output", &outcome.stdout_tail), ("standard error", &outcome.stderr_tail)]
                {
                    if !tail.trim_ascii().is_empty() {
                        put(&format!("{}:\n", capital(name)));
                        put(&block("", self.redaction.text(&shown(tail)).as_bytes(), false));
                    }
                }
            }
            None => put("(no output)\n"),
        }
        put("## Versions\n");
        if let Some(version) = self.version {
            put(&format!("- {}", code(&self.redaction.text(version))));
        }
        put(&format!("- lop {}", env!("CARGO_PKG_VERSION")));
        put(&format!("\nCondition: {}. {}", code(&self.redaction.text(self.wanted)), self.made));
        out
    }
}

/// The first line of the output that has an error in it, or the first at all.
fn first_line(outcome: &Outcome) -> Option<String> {
    let text = shown(&outcome.stderr_tail);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next();
    let telling = lines.find(|line| line.to_ascii_lowercase().contains("error"));
    telling.or(first).map(|line| line.chars().take(120).collect())
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Formats a text in a line, with all signs of Markdown escaped.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if matches!(letter, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '&' | '@' | '|' | '~') {
            out.push('\\');
        }
        out.push(if letter == '\n' { ' ' } else { letter });
    }
    out
}

/// Formats a text as inline code, between more grave accents than it contains in a row.
fn code(text: &str) -> String {
    let text = shown(text.as_bytes()).replace('\n', " ");
    let fence = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns the shell line that writes a file whose bytes cannot be shown; `None` for another file, or one that is too
/// long.
fn as_bytes(name: &str, content: &[u8]) -> Option<String> {
    if content.len() > MOST || shown(content).as_bytes() == content {
        return None;
    }
    let name = shell_line([OsStr::new(name)]);
    let line = format!("echo {} | base64 -d >{name}", STANDARD.encode(content));
    Some(format!("This line writes the file:\n\n{}", block("sh", line.as_bytes(), false)))
}

/// A fenced block: the fence is longer than any row of grave accents in the text.
fn block(language: &str, content: &[u8], says_bytes: bool) -> String {
    let cut = &content[..content.len().min(MOST)];
    let text = shown(cut);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let mut out = format!("{fence}{language}\n{text}\n{fence}\n");
    if cut.len() < content.len() {
        let _ = writeln!(out, "\n({} more bytes omitted)", content.len() - cut.len());
    }
    if says_bytes && shown(content).as_bytes() != content {
        out.push_str("\n(Bytes that cannot be shown are written as `\\xff` or `\\u{1b}`; attach the file itself.)\n");
    }
    if says_bytes && !content.ends_with(b"\n") && !content.is_empty() {
        out.push_str("\n(without a newline at the end)\n");
    }
    out
}

fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_engine::Verdict;
    use lop_run::oracle::Exit;

    fn issue(content: &[u8]) -> String {
        let mut outcome = Outcome::of(Verdict::Interesting);
        outcome.exit = Exit::Code(4);
        outcome.stderr_tail = b"note: well\nx.zed:1: internal compiler error: in `f`\n".to_vec();
        Issue {
            name: "x.zed",
            language: "zed",
            content,
            files: Vec::new(),
            command: "zedc x.zed",
            wanted: "stderr matching /internal/",
            version: Some("zedc 1.2"),
            outcome: Some(&outcome),
            is_of_input: false,
            made: "Reduced from 10 to 2 bytes.",
            redaction: &Redaction::new(&["/people/ann/x".into()], "/tmp".as_ref(), Some("/people/ann".as_ref())),
        }
        .markdown()
    }

    #[test]
    fn a_report_has_all_that_is_asked_for() {
        let expected = "\
# x.zed:1: internal compiler error: in \\`f\\`

## To reproduce

Save as `x.zed`:

```zed
ab
```

and run:

```sh
zedc x.zed
```

## Expected

TODO: what you expected instead.

## Observed

Exit code 4

Standard error:

```
note: well
x.zed:1: internal compiler error: in `f`
```

## Versions

- `zedc 1.2`
- lop VERSION

Condition: `stderr matching /internal/`. Reduced from 10 to 2 bytes.
";
        assert_eq!(issue(b"ab\n"), expected.replace("VERSION", env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_input() {
        let text = issue(b"a\n`````\nb\n");
        assert!(text.contains("\n``````zed\na\n`````\nb\n``````\n"), "{text}");
    }

    #[test]
    fn what_cannot_be_shown_is_said() {
        let text = issue(b"\xff\x1b");
        assert!(text.contains("\\xff\\u{1b}\n```\n") && text.contains("attach the file itself"), "{text}");
        assert!(text.contains("without a newline"), "{text}");
        assert!(text.contains("```sh\necho /xs= | base64 -d >x.zed\n```"), "{text}");
    }
}
