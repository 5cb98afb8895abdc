//! The inputs on which *The Fuzzing Book* and *The Debugging Book* (Zeller et al.) show delta debugging, by their shape.

use crate::algorithm::Stopped;
use lop_engine::{BitSet, Verdict};

use super::subject::Subject;

/// One of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Book {
    /// Characters. The first opening bracket has to come before the first closing one: the mystery runner.
    Brackets,
    /// The hunks of a change: three need the second, which makes a variable, and one of these brings the failure.
    Hunks,
}

impl Book {
    pub(super) fn subject(self) -> impl Subject {
        Shown { sizes: vec![1; if self == Book::Brackets { BRACKETS.len() } else { HUNKS }], input: self }
    }
}

/// The input of the chapter "Reducing Failure-Inducing Inputs". Two of its characters matter, although their kinds occur
/// more than once.
const BRACKETS: &[u8] =
    br#" 7:,>((/$$-/->.;.=;(.%!:50#7*8=$&&=$9!%6(4=&69':'<3+0-3.24#7=!&60)2/+";+<7+1<2!4$>92+$1<(3%&5''>#"#;
const HUNKS: usize = 7;
/// The hunk that defines the variable, those that use it, and the one of these that causes the failure.
const MAKES: usize = 1;
const USES: [usize; 3] = [3, 4, 5];
const FAILS: usize = 5;

struct Shown {
    input: Book,
    sizes: Vec<u32>,
}

impl Subject for Shown {
    fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    fn judge(&mut self, candidates: &[BitSet]) -> Result<Vec<Verdict>, Stopped> {
        let verdict = |gone: &BitSet| {
            let has = |unit: usize| !gone.contains(unit);
            match self.input {
                Book::Brackets => {
                    let left = BRACKETS.iter().enumerate().filter(|(unit, _)| has(*unit)).map(|(_, sign)| *sign);
                    let left: Vec<u8> = left.collect();
                    let first = |wanted| left.iter().position(|sign| *sign == wanted);
                    first(b'(').zip(first(b')')).is_some_and(|(open, close)| open < close).into()
                }
                Book::Hunks if !has(MAKES) && USES.into_iter().any(has) => Verdict::Invalid,
                Book::Hunks => has(FAILS).into(),
            }
        };
        Ok(candidates.iter().map(verdict).collect())
    }
}

#[cfg(test)]
mod tests {
    use lop_engine::{BitSet, Verdict};

    use super::Book;
    use crate::compare::entrant::{Direction, Entrant};
    use crate::compare::subject::{Instance, Subject};

    #[test]
    fn book_inputs_are_interesting_and_nothing_is_not() {
        for input in [Book::Brackets, Book::Hunks] {
            let mut subject = input.subject();
            let mut all = BitSet::with_capacity(subject.sizes().len());
            all.insert_range(0..all.len());
            let verdicts = subject.judge(&[BitSet::with_capacity(all.len()), all]).expect("it answers");
            assert_eq!(verdicts, [Verdict::Interesting, Verdict::NotInteresting], "{input:?}");
        }
    }

    #[test]
    fn book_inputs_are_isolated_in_as_many_tests_as_dd_takes_at_most() {
        for (input, most, dd) in [(Book::Brackets, 7, 7), (Book::Hunks, 4, 4)] {
            let tests = |name: &str| {
                let entrant = &Entrant::named(&[name], 0, true)[0];
                let mut instance = Instance::of(input.subject(), true);
                let measured = entrant.run(&mut instance, 1, Direction::Usual).expect("it answers");
                assert_eq!(measured.left, 1, "{input:?}");
                measured.tests
            };
            let found = (tests("isolate"), tests("dd"));
            assert!(found.0 <= most && found.1 >= dd.min(found.0), "{input:?}: {found:?}");
        }
    }
}
