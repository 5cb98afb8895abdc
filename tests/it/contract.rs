//! The contract of executors, which each of them fulfils: a new one is a line in [`BACKENDS`].

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use lop::{Options, Silent, reduce_with};
use lop_engine::Verdict;
use lop_run::exec::{Executor, Inline, Job, LocalOptions, LocalWorkers, Threads, Ticket};
use lop_run::oracle::{Cancel, CommandOracle, Conditions, Confinement, Oracle, Outcome, Slot, Unresolved};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::examples::remote_executor::Remote;
use super::support::{deadline, many};

/// Says of a candidate what it is, or panics.
type Judge = Arc<dyn Fn(&[u8]) -> Verdict + Send + Sync>;

/// A way to run candidates: its name, how many it runs at the same time, and how to make one.
type Backend = (&'static str, usize, fn(Judge) -> Box<dyn Executor>);

/// Every executor that there is.
const BACKENDS: [Backend; 9] = [
    ("inline", 1, |judge| Box::new(Inline::new(move |candidate: &[u8]| judge(candidate)))),
    ("inline with slots", 4, |judge| Box::new(Inline::new(move |candidate: &[u8]| judge(candidate)).with_slots(4))),
    ("one worker", 1, |judge| Box::new(workers(Function(judge), 1))),
    ("one worker in the caller's thread", 1, |judge| {
        let options = LocalOptions { workers: 1, while_waiting: true, ..LocalOptions::default() };
        Box::new(LocalWorkers::new(Arc::new(Function(judge)), &options).expect("a worker without a thread"))
    }),
    ("three workers", 3, |judge| Box::new(workers(Function(judge), 3))),
    ("one thread", 1, |judge| Box::new(threads(judge, 1))),
    ("three threads", 3, |judge| Box::new(threads(judge, 3))),
    ("one remote machine", 1, |judge| Box::new(Remote::connect(1, judge))),
    ("three remote machines", 3, |judge| Box::new(Remote::connect(3, judge))),
];

/// An oracle without processes.
struct Function(Judge);

impl Oracle for Function {
    fn judge(&self, candidate: &[u8], _slot: &mut Slot, _deadline: Duration, _cancel: &Cancel) -> Outcome {
        Outcome::of((self.0)(candidate))
    }

    fn describe(&self) -> String {
        "a function".to_owned()
    }
}

fn workers(oracle: impl Oracle + 'static, count: usize) -> LocalWorkers {
    let options = LocalOptions { workers: count, ..LocalOptions::default() };
    LocalWorkers::new(Arc::new(oracle), &options).expect("workers start")
}

/// Threads of a scope that ends with them, in a thread of its own.
fn threads(judge: Judge, count: usize) -> Threads {
    let (sender, made) = mpsc::channel();
    thread::spawn(move || {
        thread::scope(|scope| sender.send(Threads::new(scope, count, &*judge)).expect("it is waited for"));
    });
    made.recv().expect("it is sent").expect("threads start")
}

/// Runs `test` with each backend, its executor judging by `judge`.
fn each(judge: impl Fn() -> Judge, test: impl Fn(&str, Box<dyn Executor>)) {
    for (name, slots, make) in BACKENDS {
        let executor = make(judge());
        assert_eq!(executor.slots(), slots, "{name}");
        test(name, executor);
    }
}

/// The same for what only asks for answers, with commands too.
fn each_answering(test: impl Fn(&str, Box<dyn Executor>)) {
    each(|| Arc::new(answer), &test);
    for count in [1, 2] {
        let script = "case $(cat) in yes) exit 0;; invalid) exit 125;; timeout) exit 124;; *) exit 1;; esac";
        let words = ["sh", "-c", script].map(Into::into);
        let oracle = CommandOracle::command(&words, Path::new("f"), Conditions::default()).expect("sh is there");
        test("workers with processes", Box::new(workers(oracle.clone(), count)));
        #[cfg(feature = "remote")]
        {
            let farm = crate::farm::Farm::start();
            let address = format!("grpc://{}", farm.address).parse().expect("an address");
            let place = lop_remote::Remote::new(lop_remote::RemoteOptions::new(address)).expect("a client");
            let confinement = Confinement { remote: Some(Arc::new(place)), ..Confinement::default() };
            let oracle = oracle.confined(confinement).expect("nothing is read");
            test("workers that wait for other machines", Box::new(workers(oracle, count)));
        }
    }
}

pub(crate) fn answer(candidate: &[u8]) -> Verdict {
    match candidate {
        b"yes" => Verdict::Interesting,
        b"invalid" => Verdict::Invalid,
        b"timeout" => Verdict::Timeout,
        _ => Verdict::NotInteresting,
    }
}

fn job(ticket: u64, candidate: &str) -> Job {
    Job { ticket: Ticket(ticket), candidate: candidate.as_bytes().into(), deadline: deadline() }
}

/// The next outcome, from a worker that may die on the way to it.
fn wait(executor: &mut dyn Executor) -> Option<(Ticket, Outcome)> {
    loop {
        if let Ok(answer) = catch_unwind(AssertUnwindSafe(|| executor.wait())) {
            return answer;
        }
    }
}

/// All outcomes, by ticket.
fn drain(executor: &mut dyn Executor) -> Vec<(u64, Outcome)> {
    let mut outcomes: Vec<(u64, Outcome)> =
        std::iter::from_fn(|| wait(executor)).map(|(ticket, outcome)| (ticket.0, outcome)).collect();
    outcomes.sort_by_key(|(ticket, _)| *ticket);
    outcomes
}

fn tickets(outcomes: &[(u64, Outcome)]) -> Vec<u64> {
    outcomes.iter().map(|(ticket, _)| *ticket).collect()
}

#[test]
fn every_job_comes_back_once_with_its_own_verdict() {
    let candidates = ["yes", "no", "invalid", "timeout"];
    each_answering(|name, mut executor| {
        assert_eq!(executor.wait(), None, "{name}");
        for ticket in 0..20 {
            executor.submit(job(ticket, candidates[ticket as usize % 4]));
        }
        let outcomes: Vec<(u64, Outcome)> =
            std::iter::from_fn(|| executor.wait()).map(|(ticket, outcome)| (ticket.0, outcome)).collect();
        assert_eq!(outcomes.len(), 20, "{name}");
        if executor.slots() == 1 {
            assert!(outcomes.is_sorted_by_key(|(ticket, _)| *ticket), "{name}: one slot keeps the order");
        }
        let by_ticket: BTreeMap<u64, Outcome> = outcomes.into_iter().collect();
        assert_eq!(by_ticket.len(), 20, "{name}");
        for (ticket, outcome) in by_ticket {
            assert_eq!(outcome.verdict, Some(answer(candidates[ticket as usize % 4].as_bytes())), "{name}");
            assert_eq!(outcome.unresolved, None, "{name}");
        }
        assert_eq!(executor.wait(), None, "{name}");
        assert_eq!(executor.try_wait(), None, "{name}");
    });
}

#[test]
fn a_cancelled_job_comes_back_too() {
    each_answering(|name, mut executor| {
        for ticket in 0..8 {
            executor.submit(job(ticket, "yes"));
        }
        for ticket in [1, 3, 7, 7, 99] {
            executor.cancel(Ticket(ticket));
        }
        let outcomes = drain(executor.as_mut());
        assert_eq!(tickets(&outcomes), (0..8).collect::<Vec<_>>(), "{name}");
        for (ticket, outcome) in outcomes {
            match outcome.unresolved {
                None => assert!(outcome.is_interesting(), "{name}"),
                Some(reason) => {
                    assert_eq!((reason, outcome.verdict), (Unresolved::Cancelled, None), "{name}");
                    assert!([1, 3, 7].contains(&ticket), "{name}: {ticket} was not cancelled");
                }
            }
        }
    });
}

#[test]
fn a_ticket_can_be_used_again_and_cancelling_what_is_over_does_nothing() {
    each_answering(|name, mut executor| {
        for candidate in ["yes", "no", "yes"] {
            executor.cancel(Ticket(5));
            executor.submit(job(5, candidate));
            let (ticket, outcome) = executor.wait().expect("it is in flight");
            assert_eq!((ticket, outcome.verdict), (Ticket(5), Some(answer(candidate.as_bytes()))), "{name}");
        }
    });
}

#[test]
fn a_ticket_in_flight_is_refused() {
    each_answering(|name, mut executor| {
        executor.submit(job(5, "yes"));
        let again = catch_unwind(AssertUnwindSafe(|| executor.submit(job(5, "yes"))));
        assert!(again.is_err(), "{name}");
    });
}

#[test]
fn a_shut_down_executor_gives_everything_back() {
    each_answering(|name, mut executor| {
        for ticket in 0..6 {
            executor.submit(job(ticket, "yes"));
        }
        executor.shutdown();
        executor.shutdown();
        executor.submit(job(6, "yes"));
        executor.cancel(Ticket(6));
        let outcomes = drain(executor.as_mut());
        assert_eq!(tickets(&outcomes), (0..7).collect::<Vec<_>>(), "{name}");
        assert_eq!(outcomes[6].1.unresolved, Some(Unresolved::Cancelled), "{name}");
        assert_eq!(executor.wait(), None, "{name}");
    });
}

/// How many run, and how many ran at most.
#[derive(Default)]
struct Busy {
    now: AtomicUsize,
    most: AtomicUsize,
    all: AtomicUsize,
}

impl Busy {
    fn run(&self) -> Verdict {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        self.all.fetch_add(1, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(2));
        self.now.fetch_sub(1, Ordering::SeqCst);
        Verdict::NotInteresting
    }
}

#[test]
fn never_more_run_than_there_are_slots() {
    for (name, slots, make) in BACKENDS {
        let busy = Arc::new(Busy::default());
        let watched = Arc::clone(&busy);
        let mut executor = make(Arc::new(move |_| watched.run()));
        for ticket in 0..40 {
            executor.submit(job(ticket, "x"));
            if ticket % 5 == 0 {
                executor.cancel(Ticket(ticket));
            }
        }
        assert_eq!(drain(executor.as_mut()).len(), 40, "{name}");
        let most = busy.most.load(Ordering::SeqCst);
        assert!((1..=slots).contains(&most), "{name}: {most} at the same time");
    }
}

#[test]
fn nothing_runs_after_a_drop() {
    for (name, slots, make) in BACKENDS {
        let busy = Arc::new(Busy::default());
        let watched = Arc::clone(&busy);
        let mut executor = make(Arc::new(move |_| watched.run()));
        // More than could run while this thread waits for its turn on a busy machine.
        let jobs = 20_000;
        for ticket in 0..jobs {
            executor.submit(job(ticket, "x"));
        }
        executor.wait().expect("the first one");
        drop(executor);
        let ran = busy.all.load(Ordering::SeqCst);
        assert_eq!(busy.now.load(Ordering::SeqCst), 0, "{name}");
        assert!(ran < jobs as usize, "{name}: with {slots} slots all ran to the end");
        thread::sleep(Duration::from_millis(20));
        assert_eq!(busy.all.load(Ordering::SeqCst), ran, "{name}: something was started after the drop");
    }
}

#[test]
fn a_candidate_whose_worker_died_is_tried_again_and_the_others_are_answered() {
    let judge = || -> Judge {
        let deaths = AtomicUsize::new(0);
        Arc::new(move |candidate| {
            if candidate == b"deadly" && deaths.fetch_add(1, Ordering::SeqCst) == 0 {
                // Not `panic!`: the harness need not tell of it.
                std::panic::resume_unwind(Box::new("on purpose"));
            }
            if candidate == b"deadly" { Verdict::Interesting } else { answer(candidate) }
        })
    };
    each(judge, |name, mut executor| {
        for (ticket, candidate) in ["yes", "deadly", "no", "yes"].into_iter().enumerate() {
            executor.submit(job(ticket as u64, candidate));
        }
        let outcomes = drain(executor.as_mut());
        assert_eq!(tickets(&outcomes), [0, 1, 2, 3], "{name}");
        let interesting: Vec<bool> = outcomes.iter().map(|(_, outcome)| outcome.is_interesting()).collect();
        assert_eq!(interesting, [true, true, false, true], "{name}");
    });
}

/// Holds answers back, gives them in any order, and forwards no wish to cancel: a question that is withdrawn gets its
/// answer all the same.
struct Late {
    inner: Box<dyn Executor>,
    back: Vec<(Ticket, Outcome)>,
    random: ChaCha8Rng,
}

impl Executor for Late {
    fn slots(&self) -> usize {
        5
    }

    fn submit(&mut self, job: Job) {
        self.inner.submit(job);
    }

    fn wait(&mut self) -> Option<(Ticket, Outcome)> {
        self.back.extend(std::iter::from_fn(|| self.inner.wait()));
        (!self.back.is_empty()).then(|| self.back.swap_remove(self.random.random_range(0..self.back.len())))
    }

    fn try_wait(&mut self) -> Option<(Ticket, Outcome)> {
        None
    }

    fn cancel(&mut self, _: Ticket) {}

    fn shutdown(&mut self) {
        self.inner.shutdown();
    }
}

#[test]
fn late_and_reordered_answers_do_no_harm() {
    let input: String =
        (0..120).map(|n| if n % 11 == 0 { format!("keep {n}\n") } else { format!("go {n}\n") }).collect();
    let keeps = |text: &[u8]| String::from_utf8_lossy(text).matches("keep").count();
    let judge = || -> Judge {
        Arc::new(move |candidate| if keeps(candidate) == 11 { Verdict::Interesting } else { Verdict::NotInteresting })
    };
    for seed in 0..many(1) {
        each(judge, |name, inner| {
            let mut executor = Late { inner, back: Vec::new(), random: ChaCha8Rng::seed_from_u64(seed) };
            let options = Options::default();
            let report = reduce_with(input.as_bytes(), None, &mut executor, &options, &mut Silent, &Cancel::new())
                .expect("the input is interesting");
            let best = String::from_utf8_lossy(&report.best);
            assert_eq!(keeps(&report.best), 11, "{name}: {best}");
            assert!(report.best.len() < input.len() / 5, "{name}: {best}");
        });
    }
}
