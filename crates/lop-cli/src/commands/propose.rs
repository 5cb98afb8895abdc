//! `lop propose`: lop as a proposer for another reducer, or another lop. The reducer runs the test; this process only sends
//! candidates. The protocol is described at [`Proposer`](lop_run::oracle::Proposer).

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crossbeam_channel::{Receiver, Sender, unbounded};
use serde_json::{Value, json};

use crate::exit_code::Code;
use crate::failure::Failure;
use crate::info_args::ProposeArgs;
use crate::language::Language;
use lop_engine::Verdict;
use lop_reduce::{Options, Silent, reduce_with};
use lop_report::text;
use lop_run::exec::{Key, Threads, key};
use lop_run::oracle::{Cancel, PARALLELISM};

/// Most candidates that are sent before an answer.
const MOST_AHEAD: usize = 64;

/// Reduces each text that standard input asks for, until standard input ends.
///
/// # Errors
/// An unknown language, or a closed standard output.
pub fn run(args: &ProposeArgs) -> Result<Code, Failure> {
    // An unknown language is an error before the first text.
    let name = args.name.clone().unwrap_or_else(|| PathBuf::from(""));
    Language::find(&args.grammar, &name, b"")?;
    let ahead = std::env::var(PARALLELISM).ok().and_then(|count| count.parse().ok()).unwrap_or(1);
    let (texts, turns) = unbounded();
    let host = Host { waiting: Mutex::default(), known: Mutex::default(), cancel: Cancel::new() };
    thread::scope(|scope| {
        scope.spawn(|| host.listen(texts));
        for text in turns {
            if let Err(failure) = host.reduce(&text, args, &name, usize::clamp(ahead, 1, MOST_AHEAD)) {
                // The next text may be a better one.
                failure.report();
            }
            host.say(&json!({ "idle": true }));
        }
        Ok(Code::Reduced)
    })
}

/// The reducer at the other end.
struct Host {
    /// The candidates without an answer, with those that wait for it.
    waiting: Mutex<HashMap<Vec<u8>, Vec<Sender<bool>>>>,
    /// The answers so far: the reducer confirms its results itself.
    known: Mutex<HashMap<Key, bool>>,
    /// Stopped when standard input has ended.
    cancel: Cancel,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host {
    /// Reads messages until the end of standard input. The texts of new turns go to `texts`.
    fn listen(&self, texts: Sender<Vec<u8>>) {
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let message: Value = serde_json::from_slice(&line).unwrap_or_default();
            line.clear();
            let content = |name: &str| STANDARD.decode(message[name].as_str()?).ok();
            if let Some(text) = content("reduce") {
                // The receiver lives as long as this.
                let _ = texts.send(text);
            } else if let (Some(text), Some(interesting)) = (content("content"), message["interesting"].as_bool()) {
                let waiting = locked(&self.waiting).remove(&text);
                if waiting.is_some() {
                    locked(&self.known).insert(key(&text), interesting);
                }
                waiting.into_iter().flatten().for_each(|sender| {
                    let _ = sender.send(interesting);
                });
            }
        }
        self.cancel.stop();
        locked(&self.waiting).clear();
    }

    fn reduce(&self, input: &[u8], args: &ProposeArgs, name: &std::path::Path, ahead: usize) -> Result<(), Failure> {
        let grammar = Language::find(&args.grammar, name, input)?.grammar(None)?;
        locked(&self.known).insert(key(input), true);
        let ask = |candidate: &[u8]| self.ask(candidate);
        // The reducer decides what it accepts, and confirms it.
        let options = Options { allow_empty: true, confirm: Some(1), ..Options::default() };
        thread::scope(|scope| {
            let mut executor = Threads::new(scope, ahead, &ask)?;
            // Without a result there is nothing to propose for this text.
            if let Err(error) = reduce_with(input, grammar, &mut executor, &options, &mut Silent, &self.cancel) {
                let _ = writeln!(text::stderr(), "lop propose: {error}");
            }
            Ok(())
        })
    }

    /// Asks the reducer about a candidate.
    fn ask(&self, candidate: &[u8]) -> Verdict {
        if let Some(interesting) = locked(&self.known).get(&key(candidate)) {
            return (*interesting).into();
        }
        let (sender, answer): (_, Receiver<bool>) = unbounded();
        let is_asked = {
            let mut waiting = locked(&self.waiting);
            let is_asked = waiting.contains_key(candidate);
            waiting.entry(candidate.to_vec()).or_default().push(sender);
            is_asked
        };
        if !is_asked && !self.cancel.is_stopped() {
            self.say(&json!({ "content": STANDARD.encode(candidate) }));
        }
        if self.cancel.is_stopped() {
            locked(&self.waiting).clear();
        }
        // Without an answer the input has ended.
        answer.recv().unwrap_or(false).into()
    }

    fn say(&self, message: &Value) {
        let mut out = text::stdout();
        if writeln!(out, "{message}").and_then(|()| out.flush()).is_err() {
            self.cancel.stop();
        }
    }
}
