//! The cost of the engine itself, in time per step: one `next_test` and one `observe`.

use divan::Bencher;
use lop_engine::{Config, EvidenceView, Search, Verdict};

fn main() {
    divan::main();
}

const LENGTHS: [usize; 3] = [500, 5_000, 100_000];

/// A search that needs one unit in `spacing` and is halfway through.
fn halfway(len: usize, spacing: usize) -> Search {
    let view = EvidenceView::blank(len);
    let mut search = Search::new(len, &Config::default(), &view);
    while search.undecided() > len / 2 {
        step(&mut search, spacing);
    }
    search
}

/// Asks a question and answers it.
fn step(search: &mut Search, spacing: usize) {
    if let Some(question) = search.next_test() {
        let needed = question.asked.clone().any(|position| position % spacing == spacing / 2);
        let verdict = if needed { Verdict::NotInteresting } else { Verdict::Interesting };
        search.observe(verdict);
    }
}

/// The very first question, where the whole sequence is possible.
#[divan::bench(args = LENGTHS)]
fn first_step(bencher: Bencher, len: usize) {
    let view = EvidenceView::blank(len);
    bencher.with_inputs(|| Search::new(len, &Config::default(), &view)).bench_local_values(|mut search| {
        step(&mut search, len / 3);
        search
    });
}

/// In the middle of a sequence with ten needed units.
#[divan::bench(args = LENGTHS)]
fn step_sparse(bencher: Bencher, len: usize) {
    let search = halfway(len, len / 10);
    bencher.with_inputs(|| search.clone()).bench_local_values(|mut search| {
        step(&mut search, len / 10);
        search
    });
}

/// The same with units of different sizes.
#[divan::bench(args = LENGTHS)]
fn step_sparse_with_sizes(bencher: Bencher, len: usize) {
    let sizes: Vec<u32> = (0..97).cycle().take(len).collect();
    let mut search = Search::with_sizes(&sizes, &Config::default(), &EvidenceView::blank(len));
    while search.undecided() > len / 2 {
        step(&mut search, len / 10);
    }
    bencher.with_inputs(|| search.clone()).bench_local_values(|mut search| {
        step(&mut search, len / 10);
        search
    });
}

/// In the middle of a sequence with every fifth unit needed: thousands of removed ranges.
#[divan::bench(args = LENGTHS)]
fn step_dense(bencher: Bencher, len: usize) {
    let search = halfway(len, 5);
    bencher.with_inputs(|| search.clone()).bench_local_values(|mut search| {
        step(&mut search, 5);
        search
    });
}

/// A verification in which nothing is certified: its first answer makes all other certificates stale.
#[divan::bench(args = LENGTHS)]
fn verification_step(bencher: Bencher, len: usize) {
    let view = EvidenceView::blank(len);
    bencher.with_inputs(|| Search::for_verification(len, &Config::default(), &view)).bench_local_values(
        |mut search| {
            search.observe(Verdict::Interesting);
            search
        },
    );
}
