//! The effort of lop itself on texts that are hard on it: CPU time of its own, the longest stretch of it between two
//! tests, and its share of what the same run would spend in tests of 50 ms.
//!
//! `cargo bench --bench pathological -- 1000000` for texts of a megabyte; more words choose among the texts by name.
//! Each text is reduced under three tests: one that looks for a needle, one that refuses everything, and one that
//! answers by chance.

use std::cell::RefCell;
use std::io::Write;
use std::time::Duration;

use lop::Config;
use lop_run::exec::Inline;
use rustix::time::{ClockId, clock_gettime};

#[path = "../tests/it/generators.rs"]
mod generators;

use generators::{ALL, NEEDLE};

/// How long a usual test takes.
const USUAL: Duration = Duration::from_millis(50);
/// No more tests than this, in which a run of the last two kinds shows what it costs.
const TESTS: u64 = 400;
/// lop may work so long between two tests.
const TOO_LONG: Duration = Duration::from_secs(5);

fn spent() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// How a test answers.
#[derive(Clone, Copy, Debug)]
enum Test {
    Needle,
    Stubborn,
    Chance,
}

#[derive(Default)]
struct Clock {
    /// When the last test ended, in CPU time.
    last: Duration,
    longest: Duration,
    /// The test that the longest stretch was before.
    before: u64,
    own: Duration,
    tests: u64,
}

impl Clock {
    fn tick(&mut self) {
        let now = spent();
        self.tests += 1;
        if now - self.last > self.longest {
            (self.longest, self.before) = (now - self.last, self.tests);
        }
        if now - self.last > TOO_LONG {
            // At once: the rest of the run may take minutes.
            let _ = writeln!(
                std::io::stderr(),
                "{:.2} s before test {}, {:.2} s so far",
                (now - self.last).as_secs_f64(),
                self.tests,
                (self.own + now - self.last).as_secs_f64()
            );
        }
        self.own += now - self.last;
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let size = words.iter().find_map(|word| word.parse().ok()).unwrap_or(24_000);
    let names: Vec<_> = words.iter().filter(|word| word.parse::<usize>().is_err()).collect();
    let mut out = std::io::stdout().lock();
    for generator in ALL.iter().filter(|g| names.is_empty() || names.iter().any(|name| g.name.contains(&**name))) {
        let input = generator.text(size);
        for test in [Test::Needle, Test::Stubborn, Test::Chance] {
            let clock = RefCell::new(Clock { last: spent(), ..Clock::default() });
            let mut executor = Inline::new(|candidate: &[u8]| {
                clock.borrow_mut().tick();
                let verdict = match test {
                    Test::Needle => memchr::memmem::find(candidate, NEEDLE.as_bytes()).is_some(),
                    Test::Stubborn => candidate == input,
                    Test::Chance => {
                        candidate == input || !candidate.is_empty() && blake3::hash(candidate).as_bytes()[0] < 100
                    }
                };
                clock.borrow_mut().last = spent();
                verdict
            });
            let mut config = Config::new().file_name(generator.file);
            if !matches!(test, Test::Needle) {
                config = config.max_tests(TESTS);
            }
            let report = lop::reduce_on(&input, &mut executor, &config).expect("it can be reduced");
            clock.borrow_mut().tick();
            let Clock { longest, before, own, .. } = *clock.borrow();
            let tests = report.tests.total();
            let share = own.as_secs_f64() / (USUAL.as_secs_f64() * tests as f64);
            let mark = if longest > TOO_LONG || share > 0.1 { "  <--" } else { "" };
            writeln!(
                out,
                "{:50} {:9} {tests:5} tests {:8.2} s own {:7.2} s at most (before test {before}) {:6.1} %  {} to {}{mark}",
                generator.name,
                format!("{test:?}"),
                own.as_secs_f64(),
                longest.as_secs_f64(),
                share * 100.0,
                input.len(),
                report.best.len()
            )
            .expect("standard output is there");
            out.flush().expect("standard output is there");
        }
    }
}
