//! The page over the groups of a triage: one file for a browser, without scripts.

use std::path::Path;

use maud::{DOCTYPE, html};
use serde_json::{Value, json};

use super::page::head;
use super::text;

/// Bytes of a reduced text that are shown.
const MOST: usize = 8 << 10;

/// A group of files that fail alike.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its number, from 1 on, in the order in which the groups were found.
    pub number: usize,
    /// Its folder, below the folder of the page.
    pub folder: String,
    /// The files that show it.
    pub files: usize,
    /// Its kind, in words.
    pub kind: String,
    /// Its signatures in words; several if several groups have the same reduced text.
    pub signatures: Vec<String>,
    /// The file that was reduced.
    pub from: Option<String>,
    /// The sizes of the file and of the result.
    pub sizes: Option<(usize, usize)>,
    /// The tests that this took.
    pub tests: Option<usize>,
    /// The reduced text.
    pub text: Option<Vec<u8>>,
    /// The reason why there is none.
    pub failure: Option<String>,
}

impl Row {
    /// The group for programs.
    #[must_use]
    pub fn json(&self, out: &Path) -> Value {
        json!({
            "event": "group",
            "group": self.number,
            "folder": out.join(&self.folder).display().to_string(),
            "files": self.files,
            "kind": self.kind,
            "signatures": self.signatures,
            "input": self.from,
            "input_bytes": self.sizes.map(|sizes| sizes.0),
            "bytes": self.sizes.map(|sizes| sizes.1),
            "tests": self.tests,
            "failure": self.failure,
        })
    }
}

/// Makes the page of some groups, and of the files in no group by what they do.
#[must_use]
pub fn html(folder: &Path, rows: &[Row], others: &[(&'static str, Vec<String>)], is_stopped: bool) -> String {
    let name = folder.display().to_string();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&format!("lop triage: {}", text::one_line(&name))))
            body {
                header {
                    p class="kind" { @if is_stopped { span class="warn" { "stopped early" } " · " } (text::plural(rows.len() as u64, "group")) }
                    h1 { (text::one_line(&name)) }
                }
                div class="scroll" tabindex="0" role="group" aria-label="The groups" { table class="groups" {
                    thead { tr { th { "group" } th { "files" } th { "bytes" } th { "reduced" } th { "tests" } } }
                    tbody {
                        @for row in rows {
                            tr {
                                td { a href=(format!("#{}", row.number)) { (text::one_line(&row.folder)) } }
                                td { (text::len(row.files)) }
                                td { (row.sizes.map_or_else(|| "-".to_owned(), |sizes| text::len(sizes.0))) }
                                td { (row.sizes.map_or_else(|| "-".to_owned(), |sizes| text::len(sizes.1))) }
                                td { (row.tests.map_or_else(|| "-".to_owned(), text::len)) }
                            }
                        }
                    }
                } }
                @for row in rows {
                    h2 id=(row.number) { (text::one_line(&row.folder)) }
                    @for signature in &row.signatures { p { (text::one_line(&row.kind)) ": " code { (text::one_line(signature)) } } }
                    @if let Some(failure) = &row.failure { p { "not reduced: " (text::one_line(failure)) } }
                    @if let Some(content) = &row.text {
                        pre { (text::shown(&content[..content.len().min(MOST)])) }
                        @if content.len() > MOST { p { "… " (text::len(content.len() - MOST)) " bytes more" } }
                        p {
                            @for name in ["reduced", "input", "signature", "stderr", "issue.md"] {
                                a href=(format!("{}/{name}", row.folder)) { (name) } " "
                            }
                        }
                    }
                }
                @for (kind, files) in others {
                    h2 { (kind) " (" (text::len(files.len())) ")" }
                    p { @for file in files { code { (text::one_line(file)) } " " } }
                }
            }
        }
    };
    page.into_string()
}
