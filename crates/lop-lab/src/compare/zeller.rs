//! The three inputs of the first paper on delta debugging (Zeller & Hildebrandt, *Simplifying and Isolating
//! Failure-Inducing Input*, TSE 2002), with tests that replace the programs of that time.

use crate::algorithm::Stopped;
use lop_engine::{BitSet, Verdict};
use regex::Regex;

use super::subject::Subject;

/// The option that made the compiler crash.
const BAD_OPTION: &str = "-ffast-math";

/// One of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zeller {
    /// The page that crashed Mozilla, by characters: a `<SELECT` tag has to stay.
    Page,
    /// The program that crashed GCC, by characters: the shape of its function has to stay.
    Program,
    /// The options with which GCC crashed, by options: one has to stay.
    Options,
}

impl Zeller {
    pub(super) fn subject(self) -> impl Subject {
        match self {
            Zeller::Page => Input::new(include_str!("../../fixtures/zeller/mozilla.txt"), "<SELECT[^>]*>", false),
            Zeller::Program => Input::new(include_str!("../../fixtures/zeller/gcc.txt"), PROGRAM, false),
            Zeller::Options => Input::new(include_str!("../../fixtures/zeller/options.txt"), BAD_OPTION, true),
        }
    }
}

/// The function that crashed the compiler, with everything that mattered about it.
const PROGRAM: &str = concat!(
    r"[a-z]\(double\s+z\[\],\s*int\s+n\)\s*\{\s*int\s+i,\s*j;\s*(i\s*=\s*0;\s*)?for\s*\([^);]*;[^);]*;[^)]*\)\s*",
    r"\{\s*i\s*=\s*i\s*\+\s*j\s*\+\s*1;\s*z\[i\]\s*=\s*z\[i\]\s*\*\s*\(z\[0\]\s*\+\s*(1|0|1.0)\);\s*\}\s*return\s+z\[n\];\s*\}",
);

/// A text that must match an expression.
struct Input {
    units: Vec<&'static str>,
    sizes: Vec<u32>,
    wanted: Regex,
}

impl Input {
    fn new(text: &'static str, wanted: &str, by_line: bool) -> Self {
        let units: Vec<&str> = match by_line {
            true => text.split_inclusive('\n').collect(),
            false => text.char_indices().map(|(at, character)| &text[at..at + character.len_utf8()]).collect(),
        };
        let wanted = Regex::new(wanted).expect("the expressions above are valid");
        Input { sizes: vec![1; units.len()], units, wanted }
    }
}

impl Subject for Input {
    fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    fn judge(&mut self, candidates: &[BitSet]) -> Result<Vec<Verdict>, Stopped> {
        let verdict = |gone: &BitSet| {
            let kept = self.units.iter().enumerate().filter(|(unit, _)| !gone.contains(*unit));
            let found = self.wanted.is_match(&kept.map(|(_, text)| *text).collect::<String>());
            if found { Verdict::Interesting } else { Verdict::NotInteresting }
        };
        Ok(candidates.iter().map(verdict).collect())
    }
}

#[cfg(test)]
mod tests {
    use lop_engine::{BitSet, Verdict};

    use super::Zeller;
    use crate::compare::entrant::{Direction, Entrant};
    use crate::compare::subject::{Instance, Subject};

    #[test]
    fn the_inputs_are_interesting_and_nothing_is_not() {
        for (input, len) in [(Zeller::Page, 1647), (Zeller::Program, 754), (Zeller::Options, 31)] {
            let mut subject = input.subject();
            assert_eq!(subject.sizes().len(), len);
            let mut all = BitSet::with_capacity(len);
            all.insert_range(0..len);
            let verdicts = subject.judge(&[BitSet::with_capacity(len), all]).expect("it answers");
            assert_eq!(verdicts, [Verdict::Interesting, Verdict::NotInteresting], "{input:?}");
        }
    }

    #[test]
    fn lops_own_needs_as_few_tests_as_the_design_says() {
        for (input, most, left) in [(Zeller::Page, 39, 8), (Zeller::Program, 270, 83), (Zeller::Options, 9, 1)] {
            let entrant = &Entrant::named(&["entropy"], 0, true)[0];
            let mut instance = Instance::of(input.subject(), true);
            let measured = entrant.run(&mut instance, 1, Direction::Usual).expect("it answers");
            assert!(measured.tests <= most && measured.left == left, "{input:?}: {measured:?}");
        }
    }
}
