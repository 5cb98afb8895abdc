//! The report of a reduction as one page for a browser: it needs neither a network nor a script.
//!
//! All text from the input, the test or the command line is made visible by [`shown`] and escaped by the templates.

mod chart;
mod diff_view;
mod map;
mod tables;
#[cfg(test)]
mod tests;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use lop_files::project::TestCase;
use lop_reduce::{Ended, Minimal, Report};

use super::history::History;
use super::origins::Origins;
use super::text::{self, shown};

/// Bytes of the result, or of each of its files, at the top of the page.
const SHOWN: usize = 2 << 10;
/// Files of the result there.
const SHOWN_FILES: usize = 20;

const STYLE: &str = include_str!("style.css");

/// The parts of a page.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The input as the user named it.
    pub name: &'a str,
    /// The grammar's name, or `text`.
    pub language: &'a str,
    /// The input.
    pub original: &'a [u8],
    /// The report of its reduction.
    pub report: &'a Report,
    /// The history of the run.
    pub history: &'a History,
    /// The command line of lop.
    pub command: &'a str,
    /// The test as a line of a shell.
    pub test: &'a str,
    /// The condition that makes a run of it interesting, in words.
    pub wanted: &'a str,
    /// Where the result is.
    pub result: &'a str,
}

impl Page<'_> {
    /// The whole page.
    #[must_use]
    pub fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                (head(&format!("lop: {}", plain(self.name))))
                body {
                    (self.heading())
                    main {
                        (section("run", "The run", self.run()))
                        (section("map", "The result, and why each token was kept", map::section(self.report)))
                        (section("sides", "What became of the input", diff_view::section(self.report.case(), self.original, self.origins())))
                        (section("curve", "Size over tests", chart::section(&self.history.sizes, self.report)))
                        (section("passes", "Passes", tables::passes(self.report)))
                        (section("model", "Statistics of the model, by depth", tables::depths(&self.report.depths)))
                        (section("more", "More about the tests", self.more()))
                    }
                    footer { "Written by lop " (env!("CARGO_PKG_VERSION")) ". This page needs no network and runs no script." }
                }
            }
        };
        page.into_string()
    }

    /// The origins of the result; without them, only the two texts are compared.
    fn origins(&self) -> Origins {
        self.history.origins.clone().unwrap_or_else(|| Origins::new(self.original))
    }

    /// The workers whose times of tests are added up, in words.
    fn summed(&self) -> String {
        match self.history.workers {
            0 | 1 => "one worker".to_owned(),
            some => format!("summed over {some} workers"),
        }
    }

    fn heading(&self) -> Markup {
        let Report { before, after, ended, minimal, .. } = self.report;
        let (word, class) = match ended {
            Ended::Complete => ("reduced", "good"),
            Ended::Cancelled => ("stopped early", "warn"),
            Ended::Budget => ("stopped at the limit", "warn"),
        };
        let guarantee = match (ended, *minimal) {
            (Ended::Complete, Minimal::None) => "not guaranteed to be minimal".to_owned(),
            (Ended::Complete, level) => format!("1-minimal by {}", level.name()),
            _ => "not minimal yet".to_owned(),
        };
        html! {
            header {
                p class="kind" { span class=(class) { (word) } " · " (plain(self.language)) " · " (guarantee) }
                h1 { (plain(self.name)) }
                dl class="figures" {
                    (figure("bytes", &text::len(after.bytes), &format!("of {}, {}", text::len(before.bytes), text::percent(after.bytes, before.bytes))))
                    (figure("tokens", &text::len(after.tokens), &format!("of {}, {}", text::len(before.tokens), text::percent(after.tokens, before.tokens))))
                    (figure("lines", &text::len(after.lines), &format!("of {}", text::len(before.lines))))
                    (figure("tests", &text::count(self.report.tests.total()), ""))
                    (figure("time", &text::duration(self.report.elapsed), &format!("wall clock; {} in tests, {}", text::duration(self.report.testing), self.summed())))
                }
            }
        }
    }

    /// The command, the condition and the result.
    fn run(&self) -> Markup {
        let case = self.report.case();
        let texts: Vec<(Option<String>, &[u8])> = match case {
            TestCase::Files(archive, best) => {
                let files = archive.files(best).into_iter().take(SHOWN_FILES);
                files.map(|file| (Some(text::path(file.path())), &best[file.content])).collect()
            }
            TestCase::File(best) => vec![(None, best)],
        };
        html! {
            dl class="facts" {
                (fact("command", html! { code { (plain(self.command)) } }))
                (fact("test", html! { code { (plain(self.test)) } }))
                (fact("condition", html! { (plain(self.wanted)) }))
                (fact("result", html! {
                    (plain(self.result))
                    @for (path, text) in &texts {
                        @if let Some(path) = path { p { code { (path) } } }
                        pre class="block" { (shown(&text[..text.len().min(SHOWN)])) }
                        @if text.len() > SHOWN { p { "… " (text::len(text.len() - SHOWN)) " more bytes, below" } }
                    }
                }))
            }
        }
    }

    /// The outcomes, the times and the output of the test on the input.
    fn more(&self) -> Markup {
        let Report { tests, reliability, .. } = self.report;
        let outcomes = [
            (tests.interesting, "interesting"),
            (tests.not_interesting, "not interesting"),
            (tests.invalid, "invalid"),
            (tests.timeout, "timed out"),
            (tests.unresolved, "cancelled"),
        ];
        let outcomes: Vec<String> = outcomes
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, word)| format!("{} {word}", text::count(*number)))
            .collect();
        html! {
            dl class="facts" {
                (fact("tests", html! { (outcomes.join(", ")) }))
                (fact("without a test", html! {
                    (text::count(self.report.cache_hits)) " from the cache, "
                    (text::count(self.report.gate_refusals)) " rejected for new syntax errors"
                }))
                (fact("repeated", html! {
                    (text::plural(reliability.confirmations, "confirmation")) ", "
                    (text::plural(reliability.disagreements, "disagreement")) ", "
                    (text::plural(reliability.returns, "result")) " withdrawn"
                }))
                (fact("time", html! {
                    (text::duration(self.report.elapsed)) " by the wall clock; " (text::duration(self.report.waiting))
                    " waiting for tests; the tests took " (text::duration(self.report.testing)) ", " (self.summed())
                }))
                (fact("version", html! { "lop " (env!("CARGO_PKG_VERSION")) }))
                @if let Some(outcome) = &self.history.baseline {
                    (fact("the test on the input", html! {
                        (outcome.exit.to_string()) ", " (text::duration(outcome.duration))
                        (output("standard output", &outcome.stdout_tail))
                        (output("standard error", &outcome.stderr_tail))
                    }))
                }
                @for note in &self.history.notes { (fact("note", html! { (plain(note)) })) }
            }
        }
    }
}

fn section(id: &str, title: &str, content: Markup) -> Markup {
    html! { section id=(id) aria-labelledby={ (id) "-title" } { h2 id={ (id) "-title" } { (title) } (content) } }
}

fn figure(name: &str, value: &str, note: &str) -> Markup {
    html! { div { dt { (name) } dd { b { (value) } " " small { (note) } } } }
}

fn fact(name: &str, value: Markup) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

fn output(name: &str, tail: &[u8]) -> Markup {
    html! {
        @if !tail.trim_ascii().is_empty() {
            details { summary { (name) } pre class="block" { (shown(tail)) } }
        }
    }
}

/// The head of a page.
pub(super) fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            // Otherwise a browser would request one from the page's server.
            link rel="icon" href="data:,";
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// A text that may hold anything.
fn plain(text: &str) -> String {
    shown(text.as_bytes())
}
