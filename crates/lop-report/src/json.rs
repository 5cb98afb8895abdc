//! Writes every event as one line of JSON, for programs.
//!
//! The schema is `docs/events.schema.json`. Later versions only add fields. Times are seconds as decimals; sizes are
//! objects with bytes, tokens and lines. Contents aren't written: the best result is in its file.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use lop_engine::DepthRow;
use lop_passes::NO_DEPTH;
use lop_reduce::{Ended, Event, EventSink, Rate, Report, Size};
use lop_run::oracle::{Exit, Outcome, Recalled};

use super::text;

/// Writes events as JSON lines.
pub struct JsonLines {
    /// `None` after the reader has closed the stream.
    out: Option<Box<dyn Write>>,
    start: Instant,
    /// The reason for the choice of this grammar.
    grammar_reason: Option<String>,
}

impl JsonLines {
    /// Writes to `out`, which should buffer at most a line so that a reader can follow.
    #[must_use]
    pub fn new(out: Box<dyn Write>) -> Self {
        JsonLines { out: Some(out), start: Instant::now(), grammar_reason: None }
    }

    /// Adds the reason for the grammar, in words.
    #[must_use]
    pub fn with_grammar_reason(self, reason: String) -> Self {
        JsonLines { grammar_reason: Some(reason), ..self }
    }

    /// Writes that the run failed: lop's exit code and a one-line message.
    ///
    /// # Errors
    /// If writing fails; a closed stream is no error.
    pub fn failed(&mut self, code: u8, text: &str) -> io::Result<()> {
        self.timed(json!({ "event": "failed", "code": code, "text": text }))
    }

    fn timed(&mut self, mut value: Value) -> io::Result<()> {
        if let Some(object) = value.as_object_mut() {
            object.insert("time".to_owned(), seconds(self.start.elapsed()).into());
        }
        self.line(&value)
    }

    fn line(&mut self, value: &Value) -> io::Result<()> {
        let Some(out) = &mut self.out else {
            return Ok(());
        };
        let mut line = value.to_string();
        line.push('\n');
        match out.write_all(line.as_bytes()).and_then(|()| out.flush()) {
            // A reader that has seen enough (`| head`) is no reason to stop reducing.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.out = None;
                Ok(())
            }
            Err(error) => Err(io::Error::new(error.kind(), format!("cannot write JSON lines: {error}"))),
            Ok(()) => Ok(()),
        }
    }
}

impl EventSink for JsonLines {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match describe(event) {
            Value::Null => Ok(()),
            mut value => {
                if let (Event::Started { .. }, Some(reason)) = (event, &self.grammar_reason) {
                    value["grammar_reason"] = reason.as_str().into();
                }
                self.timed(value)
            }
        }
    }
}

/// An event as an object; null for one that is not written.
fn describe(event: &Event<'_>) -> Value {
    match event {
        Event::Started { size, grammar, syntax_errors, by_structure, slots, .. } => json!({
            "event": "started", "size": size_of(*size), "grammar": grammar,
            "syntax_errors": syntax_errors, "by_structure": by_structure, "slots": slots,
        }),
        Event::Baseline { outcome, deadline } => json!({
            "event": "baseline", "outcome": outcome_of(outcome), "deadline": seconds(*deadline),
        }),
        Event::InputRate(rate) => json!({ "event": "input_rate", "rate": rate_of(*rate) }),
        Event::Pass { name, round } => json!({ "event": "pass", "pass": name, "round": round }),
        Event::Tested { number, pass, bytes, verdict, duration, cache_hits, recalled, what } => json!({
            "event": "tested", "number": number, "pass": pass, "bytes": bytes,
            "verdict": text::verdict(*verdict), "duration": seconds(*duration),
            "cache_hits": cache_hits, "from": from(*recalled), "what": what,
        }),
        Event::Accepted { size, tests, pass, rules, .. } => {
            let mut accepted = json!({ "event": "accepted", "size": size_of(*size), "tests": tests, "pass": pass });
            if !rules.is_empty() {
                accepted["rules"] = rules.iter().map(ToString::to_string).collect();
            }
            accepted
        }
        Event::Confirmed { interesting, yes, no, bytes, is_best } => json!({
            "event": "confirmed", "interesting": interesting, "yes": yes, "no": no, "bytes": bytes, "best": is_best,
        }),
        Event::Returned { size, tests, .. } => json!({ "event": "returned", "size": size_of(*size), "tests": tests }),
        Event::Slipped { signature, content, .. } => {
            json!({ "event": "slipped", "signature": signature, "bytes": content.len() })
        }
        // Events of watched runs only would make the stream depend on the watcher.
        Event::Trying { .. } | Event::Idle { .. } | Event::Outlook(_) => Value::Null,
        Event::Paused { tests } => json!({ "event": "paused", "tests": tests }),
        Event::Resumed => json!({ "event": "resumed" }),
        Event::Skipped { pass, tests } => json!({ "event": "skipped", "pass": pass, "tests": tests }),
        Event::Note(note) => json!({ "event": "note", "text": note }),
        Event::Finished(report) => finished(report),
    }
}

fn finished(report: &Report) -> Value {
    let tests = &report.tests;
    let passes: Vec<Value> = report
        .passes
        .iter()
        .map(|pass| {
            json!({
                "pass": pass.name, "tests": pass.tests, "accepted": pass.accepted,
                "bytes": pass.bytes, "tokens": pass.tokens,
            })
        })
        .collect();
    let rules: Vec<Value> = report
        .rules
        .iter()
        .map(|rule| {
            json!({ "rule": rule.place.to_string(), "hits": rule.hits, "bytes": rule.bytes, "tokens": rule.tokens })
        })
        .collect();
    json!({
        "event": "finished",
        "ended": match report.ended {
            Ended::Complete => "complete",
            Ended::Cancelled => "cancelled",
            Ended::Budget => "budget",
        },
        "before": size_of(report.before), "after": size_of(report.after), "minimal": report.minimal.name(),
        "tests": {
            "total": tests.total(), "interesting": tests.interesting,
            "not_interesting": tests.not_interesting, "invalid": tests.invalid,
            "timeout": tests.timeout, "unresolved": tests.unresolved,
        },
        "reliability": {
            "repeated": report.reliability.repeated, "disagreements": report.reliability.disagreements,
            "bound": report.reliability.bound, "confirmations": report.reliability.confirmations,
            "returns": report.reliability.returns,
            "input": report.reliability.input.map(rate_of), "result": report.reliability.result.map(rate_of),
        },
        "cache_hits": report.cache_hits, "from_journal": report.from_journal,
        "from_shared_cache": report.from_shared_cache, "gate_refusals": report.gate_refusals,
        "elapsed": seconds(report.elapsed), "waiting": seconds(report.waiting),
        "testing": seconds(report.testing),
        "passes": passes,
        "rules": rules,
        "depths": report.depths.iter().map(depth_of).collect::<Vec<_>>(),
        "all_depths": depth_of(&DepthRow { depth: NO_DEPTH, ..DepthRow::total(&report.depths) }),
        "skipped": report.skipped,
        "left_out": report.left_out.iter().copied().collect::<BTreeMap<_, _>>(),
        "kept_by_timeout": report.kept_by_timeout,
    })
}

fn from(recalled: Option<Recalled>) -> &'static str {
    match recalled {
        None => "test",
        Some(Recalled::Journal { .. }) => "journal",
        Some(Recalled::Cache) => "cache",
    }
}

fn rate_of(rate: Rate) -> Value {
    let (low, high) = rate.interval();
    json!({ "interesting": rate.interesting, "runs": rate.runs, "low": low, "high": high })
}

fn size_of(size: Size) -> Value {
    json!({ "bytes": size.bytes, "tokens": size.tokens, "lines": size.lines })
}

/// The facts of a run. Output that is not UTF-8 is shown with replacement characters.
fn outcome_of(outcome: &Outcome) -> Value {
    json!({
        "verdict": text::verdict(outcome.verdict),
        "exit": match outcome.exit {
            Exit::Code(code) => json!({ "code": code }),
            Exit::Signal(number) => json!({ "signal": number }),
            Exit::TimedOut => json!("timed out"),
            Exit::Unknown => Value::Null,
        },
        "duration": seconds(outcome.duration),
        "note": outcome.note,
        "stdout": String::from_utf8_lossy(&outcome.stdout_tail),
        "stderr": String::from_utf8_lossy(&outcome.stderr_tail),
    })
}

/// Microseconds are as fine as a process can be timed.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e6
}

fn depth_of(row: &DepthRow) -> Value {
    let depth = (row.depth != NO_DEPTH).then_some(row.depth);
    json!({
        "depth": depth, "lists": row.lists, "units": row.units, "kept": row.kept, "needed": row.needed_share,
        "removable_after_removable": row.removable_after_removable, "entropy": row.entropy_bits,
        "tests": row.tests, "lower_bound": row.lower_bound, "tests_per_bound": row.tests_per_bound(),
    })
}
