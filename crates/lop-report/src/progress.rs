//! Shows the run to people: a live line on a terminal, otherwise a line per accepted candidate.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use anstream::adapter::strip_str;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use lop_files::project::Archive;
use lop_reduce::{Event, EventSink, Size};
use lop_run::oracle::Outcome;

use super::steps;
use super::text::{self, FAINT, STRONG, WARN};
use super::visible::Guarded;

/// The interval of updates of the line. More often is unreadable.
const TICK: Duration = Duration::from_millis(100);

/// The number of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// Progress and summary.
    #[default]
    Normal,
    /// Also passes, and accepted candidates on a terminal.
    Passes,
    /// Also every test.
    Tests,
}

/// The form of the progress messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// A line that is updated in place, or without a terminal, a line for each step.
    #[default]
    Line,
    /// A line for each step, without any control characters.
    Plain,
}

/// The consumer of events that speaks to people while a reduction runs, on standard error.
pub struct Progress {
    verbosity: Verbosity,
    form: Form,
    /// The live line; `None` if standard error isn't a terminal that can move back.
    line: Option<ProgressBar>,
    /// Whether styles may be shown in it.
    styled: bool,
    start: Instant,
    pass: &'static str,
    before: Size,
    /// Files that are left, if the test case has several.
    files: Option<usize>,
    archive: Option<Archive>,
    now: Size,
    tests: u64,
    cache_hits: u64,
}

impl Progress {
    /// Starts to show; nothing is written before the first event.
    #[must_use]
    pub fn new(verbosity: Verbosity, form: Form) -> Self {
        let live = form == Form::Line && verbosity > Verbosity::Quiet && io::stderr().is_terminal();
        Progress {
            verbosity,
            form,
            line: if live { progress_line() } else { None },
            styled: anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never,
            start: Instant::now(),
            pass: "",
            before: Size::default(),
            files: None,
            archive: None,
            now: Size::default(),
            tests: 0,
            cache_hits: 0,
        }
    }

    /// Writes a line above the live line. Errors are ignored: a closed standard error is no reason to lose a reduction.
    fn say(&self, line: &str) {
        let write = || {
            let _ = match self.form {
                Form::Line => writeln!(text::stderr(), "{line}"),
                Form::Plain => writeln!(Guarded::new(io::stderr()), "{}", strip_str(line)),
            };
        };
        match &self.line {
            Some(live) => live.suspend(write),
            None => write(),
        }
    }

    fn accepted(&self, pass: &str) {
        let line = steps::line(self.start.elapsed(), self.tests, pass, self.now, self.before);
        let files = self.files.map(|files| format!("  {}", text::plural(files as u64, "file")));
        self.say(&(line + &files.unwrap_or_default()));
    }

    fn refresh(&self) {
        if let Some(line) = &self.line {
            let seconds = self.start.elapsed().as_secs_f64().max(0.001);
            let message = format!(
                "{STRONG}{}{STRONG:#}  {}{} bytes {}  {} tokens {}  {} ({:.0}/s)  {} cached",
                self.pass,
                self.files.map_or_else(String::new, |files| text::plural(files as u64, "file") + "  "),
                text::len(self.now.bytes),
                text::percent(self.now.bytes, self.before.bytes),
                text::len(self.now.tokens),
                text::percent(self.now.tokens, self.before.tokens),
                text::plural(self.tests, "test"),
                self.tests as f64 / seconds,
                text::count(self.cache_hits),
            );
            // The line is not written through anstream, which takes care of this elsewhere.
            line.set_message(if self.styled { message } else { strip_str(&message).to_string() });
        }
    }

    fn started(&mut self, size: Size, grammar: Option<&str>, errors: (usize, bool), slots: usize) {
        (self.before, self.now) = (size, size);
        let (errors, by_structure) = errors;
        if by_structure && self.verbosity > Verbosity::Quiet {
            self.say("syntax    too many errors; reduced by brackets, lines and separators instead");
        }
        if self.verbosity >= Verbosity::Passes {
            let errors = match errors {
                0 => String::new(),
                some => format!(", {} in it", text::plural(some as u64, "syntax error")),
            };
            self.say(&format!(
                "{} bytes, {} tokens, {} lines read as {}{errors}; {} at a time",
                text::len(size.bytes),
                text::len(size.tokens),
                text::len(size.lines),
                grammar.unwrap_or("text"),
                text::plural(slots as u64, "test"),
            ));
        }
    }

    fn baseline(&self, outcome: &Outcome, deadline: Duration) {
        if self.verbosity >= Verbosity::Passes {
            self.say(&format!(
                "the input is {} ({}, {}); time limit of a test: {}",
                text::verdict(outcome.verdict),
                outcome.exit,
                text::duration(outcome.duration),
                text::duration(deadline),
            ));
        }
    }
}

impl EventSink for Progress {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match *event {
            Event::Started { size, archive, grammar, syntax_errors, by_structure, slots } => {
                self.archive = archive.cloned();
                self.started(size, grammar, (syntax_errors, by_structure), slots);
            }
            Event::Baseline { outcome, deadline } => self.baseline(outcome, deadline),
            Event::InputRate(rate) => {
                if self.verbosity > Verbosity::Quiet {
                    self.say(&format!("the input shows the bug in {}", rate.with_interval()));
                }
            }
            Event::Pass { name, round } => {
                self.pass = name;
                if self.verbosity >= Verbosity::Passes {
                    self.say(&format!("{STRONG}{name}{STRONG:#}, round {round}"));
                }
            }
            Event::Tested { number, pass, bytes, verdict, duration, cache_hits, what, .. } => {
                (self.tests, self.cache_hits, self.pass) = (number, cache_hits, pass);
                if self.verbosity >= Verbosity::Tests {
                    self.say(&format!(
                        "{FAINT}test {number:<6}{FAINT:#} {pass:<14} {:>10} bytes  {:<15} {:>8}  {}",
                        text::len(bytes),
                        text::verdict(verdict),
                        text::duration(duration),
                        text::one_line(what),
                    ));
                }
            }
            Event::Accepted { content, size, tests, pass, .. } => {
                (self.now, self.tests) = (size, tests);
                self.files = self.archive.as_ref().map(|archive| archive.files(content).len());
                let asked = self.verbosity >= Verbosity::Passes;
                if asked || (self.line.is_none() && self.verbosity > Verbosity::Quiet) {
                    self.accepted(pass);
                }
            }
            Event::Confirmed { interesting, yes, no, bytes, .. } => {
                if self.verbosity >= Verbosity::Tests {
                    let is = if interesting { "" } else { "not " };
                    let (runs, bytes) = (text::count(u64::from(yes + no)), text::len(bytes));
                    self.say(&format!("{yes} of {runs} runs on these {bytes} bytes: {is}interesting"));
                }
            }
            Event::Returned { size, tests, .. } => {
                (self.now, self.tests) = (size, tests);
                if self.verbosity > Verbosity::Quiet {
                    let (bytes, tokens) = (text::len(size.bytes), text::len(size.tokens));
                    self.say(&format!(
                        "{WARN}withdrawn:{WARN:#} the test now rejects what it had accepted; continuing from {bytes} bytes, \
                         {tokens} tokens"
                    ));
                }
            }
            Event::Slipped { signature, content, .. } => {
                if self.verbosity >= Verbosity::Tests {
                    let signature = text::one_line(signature);
                    self.say(&format!("another crash, of {} bytes: {signature}", text::len(content.len())));
                }
            }
            Event::Note(note) => {
                if self.verbosity > Verbosity::Quiet {
                    self.say(&format!("{WARN}note:{WARN:#} {}", text::one_line(note)));
                }
            }
            Event::Paused { .. } => self.say("paused"),
            Event::Resumed => self.say("resumed"),
            Event::Skipped { pass, .. } => self.say(&format!("{WARN}skipped:{WARN:#} {pass}")),
            // The driver sends these only to consumers that follow, and this one does not.
            Event::Trying { .. } | Event::Idle { .. } | Event::Outlook(_) => {}
            Event::Finished(_) => {
                if let Some(line) = &self.line {
                    line.finish_and_clear();
                }
                return Ok(());
            }
        }
        self.refresh();
        Ok(())
    }
}

impl Drop for Progress {
    /// An error must not be written after the live line.
    fn drop(&mut self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}

/// `None` on a terminal that cannot show it and would hide the plain lines.
fn progress_line() -> Option<ProgressBar> {
    if std::env::var_os("TERM").is_none_or(|name| name == "dumb") {
        return None;
    }
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}")
        .expect("the template is a constant and well formed");
    line.set_style(style);
    if line.is_hidden() {
        return None;
    }
    line.enable_steady_tick(TICK);
    Some(line)
}
