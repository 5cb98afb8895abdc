//! The cost of the engine itself, in time per step: one `next_tests` and one `observe`.

use divan::Bencher;
use lop_engine::{Config, EvidenceView, Search, Verdict};

fn main() {
    divan::main();
}

const LENGTHS: [usize; 3] = [500, 5_000, 100_000];

/// A search that needs one unit in `spacing` and is halfway through.
fn halfway(len: usize, spacing: usize, width: usize) -> Search {
    let view = EvidenceView::blank(len);
    let mut search = Search::new(len, &Config::default(), &view);
    while search.undecided() > len / 2 {
        step(&mut search, spacing, width);
    }
    search
}

/// One round: asks for `width` questions and answers the front one.
fn step(search: &mut Search, spacing: usize, width: usize) {
    let questions = search.next_tests(width);
    if let Some(question) = questions.first() {
        // The run in question is the last range; in a sweep the ranges before it are committed.
        let asked = question.remove.last().expect("a question removes something");
        let needed = asked.clone().any(|position| position % spacing == spacing / 2);
        let verdict = if needed { Verdict::NotInteresting } else { Verdict::Interesting };
        search.observe(question.id, verdict);
    }
}

/// The very first question, where the whole sequence is possible.
#[divan::bench(args = LENGTHS)]
fn first_step(bencher: Bencher, len: usize) {
    let view = EvidenceView::blank(len);
    bencher.with_inputs(|| Search::new(len, &Config::default(), &view)).bench_local_values(|mut search| {
        step(&mut search, len / 3, 1);
        search
    });
}

/// In the middle of a sequence with ten needed units.
#[divan::bench(args = LENGTHS)]
fn step_sparse(bencher: Bencher, len: usize) {
    let search = halfway(len, len / 10, 1);
    bencher.with_inputs(|| search.clone()).bench_local_values(|mut search| {
        step(&mut search, len / 10, 1);
        search
    });
}

/// The same with units of different sizes.
#[divan::bench(args = LENGTHS)]
fn step_sparse_with_sizes(bencher: Bencher, len: usize) {
    let sizes: Vec<u32> = (0..97).cycle().take(len).collect();
    let mut search = Search::with_sizes(&sizes, &Config::default(), &EvidenceView::blank(len));
    while search.undecided() > len / 2 {
        step(&mut search, len / 10, 1);
    }
    bencher.with_inputs(|| search.clone()).bench_local_values(|mut search| {
        step(&mut search, len / 10, 1);
        search
    });
}

/// In the middle of a sequence with every fifth unit needed: thousands of removed ranges.
#[divan::bench(args = LENGTHS)]
fn step_dense(bencher: Bencher, len: usize) {
    let search = halfway(len, 5, 1);
    bencher.with_inputs(|| search.clone()).bench_local_values(|mut search| {
        step(&mut search, 5, 1);
        search
    });
}

/// The same with three questions of speculation.
#[divan::bench(args = LENGTHS)]
fn step_dense_four_wide(bencher: Bencher, len: usize) {
    let search = halfway(len, 5, 1);
    bencher.with_inputs(|| search.clone()).bench_local_values(|mut search| {
        step(&mut search, 5, 4);
        search
    });
}

/// A verification in which nothing is certified: its first answer makes all other certificates stale.
#[divan::bench(args = LENGTHS)]
fn verification_step(bencher: Bencher, len: usize) {
    let view = EvidenceView::blank(len);
    bencher.with_inputs(|| Search::for_verification(len, &Config::default(), &view)).bench_local_values(
        |mut search| {
            let question = search.next_tests(1).remove(0);
            search.observe(question.id, Verdict::Interesting);
            search
        },
    );
}
