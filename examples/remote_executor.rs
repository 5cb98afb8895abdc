//! An executor of one's own: tests run elsewhere, and all that goes there and comes back are messages. Elsewhere is a
//! few threads here; a socket, a queue or a job scheduler takes the channels' place. Run it with
//! `cargo run --example remote_executor`.
//!
//! ```text
//!   Remote ── requests ──►  machine 1 … n   (each takes the next request, judges, answers)
//!          ◄── answers ───
//! ```
//!
//! [`Executor`] says what an executor owes its caller; `tests/it/contract.rs` asks it of this one, too. The two things
//! to get right: every job comes back exactly once, whatever becomes of it, and nothing runs after a shutdown.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use lop::{Config, Executor, Job, Outcome, Report, Ticket, Verdict};

/// A message to a machine: a name for it, and the candidate.
type Request = (u64, Vec<u8>);
/// A message back: the name, and the verdict, or nothing when the machine died of it.
type Answer = (u64, Option<Verdict>);

/// How a machine judges.
type Judge = dyn Fn(&[u8]) -> Verdict + Send + Sync;

/// Sends candidates away and collects the verdicts.
pub(crate) struct Remote {
    machines: usize,
    /// `None` after shutdown: the machines stop when no request can come any more.
    requests: Option<Sender<Request>>,
    answers: Receiver<Answer>,
    /// Jobs that are away, and how often their machines have died.
    away: BTreeMap<Ticket, (Job, u32)>,
    /// Jobs that wait until a machine is free: they can be cancelled without a message.
    queued: VecDeque<Job>,
    ready: VecDeque<(Ticket, Outcome)>,
}

impl Remote {
    /// Connects to as many machines, all of which judge in the same way.
    pub(crate) fn connect(machines: usize, judge: Arc<Judge>) -> Self {
        let (requests, inbox) = channel::<Request>();
        let (outbox, answers) = channel();
        let inbox = Arc::new(Mutex::new(inbox));
        for _ in 0..machines {
            let (inbox, outbox, judge) = (Arc::clone(&inbox), outbox.clone(), Arc::clone(&judge));
            thread::spawn(move || {
                loop {
                    let request = inbox.lock().expect("nobody panics while he holds it").recv();
                    let Ok((number, candidate)) = request else { return };
                    let verdict = catch_unwind(AssertUnwindSafe(|| judge(&candidate))).ok();
                    if outbox.send((number, verdict)).is_err() {
                        return;
                    }
                }
            });
        }
        let (away, queued, ready) = Default::default();
        Self { machines, requests: Some(requests), answers, away, queued, ready }
    }

    /// Sends jobs away as long as machines are free.
    fn start(&mut self) {
        while self.away.len() < self.machines
            && let Some(job) = self.queued.pop_front()
        {
            self.send(job, 0);
        }
    }

    fn send(&mut self, job: Job, deaths: u32) {
        let requests = self.requests.as_ref().expect("nothing is queued after the shutdown");
        requests.send((job.ticket.0, job.candidate.to_vec())).expect("the machines listen");
        self.away.insert(job.ticket, (job, deaths));
    }

    /// The outcome that an answer means; `None` when the job is tried once more.
    fn take(&mut self, (number, verdict): Answer) -> Option<(Ticket, Outcome)> {
        let ticket = Ticket(number);
        let (job, deaths) = self.away.remove(&ticket).expect("only what is away is answered");
        let outcome = match verdict {
            Some(verdict) => Outcome::of(verdict),
            None if deaths == 0 && self.requests.is_some() => {
                self.send(job, 1);
                return None;
            }
            None => Outcome::failed("the machine died twice"),
        };
        if self.requests.is_some() {
            self.start();
        }
        Some((ticket, outcome))
    }
}

impl Executor for Remote {
    fn slots(&self) -> usize {
        self.machines
    }

    fn submit(&mut self, job: Job) {
        let ticket = job.ticket;
        let is_queued = self.queued.iter().any(|queued| queued.ticket == ticket);
        assert!(!is_queued && !self.away.contains_key(&ticket), "{ticket:?} is in flight");
        if self.requests.is_none() {
            self.ready.push_back((ticket, Outcome::cancelled()));
            return;
        }
        self.queued.push_back(job);
        self.start();
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            if self.away.is_empty() {
                return None;
            }
            let answer = self.answers.recv().expect("what is away is answered");
            if let Some(outcome) = self.take(answer) {
                return Some(outcome);
            }
        }
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        if let Some(ready) = self.ready.pop_front() {
            return Some(ready);
        }
        let answer = self.answers.try_recv().ok()?;
        self.take(answer)
    }

    fn cancel(&mut self, ticket: Ticket) {
        // A job that is away is judged to its end here; one could send word to its machine.
        if let Some(at) = self.queued.iter().position(|job| job.ticket == ticket) {
            self.queued.remove(at);
            self.ready.push_back((ticket, Outcome::cancelled()));
        }
    }

    fn shutdown(&mut self) {
        self.requests = None;
        self.ready.extend(self.queued.drain(..).map(|job| (job.ticket, Outcome::cancelled())));
        while !self.away.is_empty() {
            let answer = self.answers.recv().expect("what is away is answered");
            let outcome = self.take(answer).expect("after a shutdown nothing is tried again");
            self.ready.push_back(outcome);
        }
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.shutdown();
    }
}

/// Reduces a payload on three machines.
pub(crate) fn run() -> Result<Report, lop::Error> {
    let input = include_bytes!("broken-json/input.json");
    let judge = |candidate: &[u8]| {
        let read = serde_json::from_slice::<serde_json::Value>(candidate);
        Verdict::from(read.is_err_and(|error| error.to_string().contains("invalid escape")))
    };
    let mut executor = Remote::connect(3, Arc::new(judge));
    lop::reduce_on(input, &mut executor, &Config::new().file_name("input.json"))
}

fn main() -> Result<(), lop::Error> {
    let report = run()?;
    anstream::println!("{} tests: {}", report.tests.total(), String::from_utf8_lossy(&report.best));
    Ok(())
}
