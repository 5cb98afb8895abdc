//! The problems that can be asked for by name, and instances of them.

use std::fmt;
use std::sync::Arc;

use lop_engine::Markov;
use rand::rngs::ChaCha8Rng;

use crate::simulate::{CELLS, Family, ShortList, Simulated, longest_run, optimum, sequence, short_lists};

use super::book::Book;
use super::subject::{Instance, List};
use super::zeller::Zeller;

/// The name of a source with known parameters, before its parameters.
const CHAIN: &str = "markov:";
/// The name of a list whose units use earlier ones, before its stated share of needed units.
const DEPENDENT: &str = "defs-first:";

/// Names and their meanings, in the order of the help.
pub const NAMES: [(&str, &str); 18] = [
    ("zeller", "the three inputs of delta debugging: mozilla, gcc, options"),
    ("mozilla", "a web page by characters (1,647); a SELECT tag is needed"),
    ("gcc", "a C program by characters (754); the shape of a function is needed"),
    ("options", "31 compiler options, one of them needed"),
    ("cells", "the 23 sources with known parameters on which the engine is measured"),
    ("markov:SHARE/P", "one such source: P(removable), and P(removable after a removable one)"),
    ("families", "all that follow"),
    ("defs-first", "units use earlier ones; a candidate without one that is used is invalid"),
    ("uses-first", "the same from last to first"),
    ("pairs", "some units stay or go in pairs; half a pair is invalid"),
    ("alternatives", "of some pairs of units either suffices"),
    ("noisy", "one candidate in a hundred gets the wrong answer, always the same one"),
    ("regimes", "the waste changes from quarter to quarter"),
    ("sized", "bigger units are likelier needed"),
    ("defs-first:N", "the first of them with one unit in N needed for its own sake, instead of one in 100"),
    ("short-lists", "60 lists of 2 to 31 units of four kinds; lop's own share evidence"),
    ("brackets", "97 characters, an opening bracket before a closing one needed; of the fuzzing book"),
    ("hunks", "7 hunks of a change of which three need another; of the debugging book"),
];

/// The families by name.
const FAMILIES: [(&str, Family); 7] = [
    ("defs-first", Family::DefinitionsFirst),
    ("uses-first", Family::UsesFirst),
    ("pairs", Family::Pairs),
    ("alternatives", Family::Alternatives),
    ("noisy", Family::Noisy),
    ("regimes", Family::Regimes),
    ("sized", Family::Sized),
];

/// Zeller's inputs by name.
const ZELLER: [(&str, Zeller); 3] = [("mozilla", Zeller::Page), ("gcc", Zeller::Program), ("options", Zeller::Options)];

/// The inputs of the books by name.
const BOOK: [(&str, Book); 2] = [("brackets", Book::Brackets), ("hunks", Book::Hunks)];

/// The optimum is computed for runs up to this length: five seconds.
const LONGEST_RUN: usize = 5000;

/// A name that means no problem.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    /// Nothing is called so.
    #[error("unknown problem `{name}` (known: {})", NAMES.map(|(name, _)| name).join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// No number of units.
    #[error(
        "`{name}` is no problem: write {DEPENDENT}N, one unit in N being needed for its own sake, such as {DEPENDENT}500"
    )]
    Dependent {
        /// The name.
        name: String,
    },
    /// The parameters of a source are none.
    #[error("`{name}` is no source: {reason}")]
    Chain {
        /// The name.
        name: String,
        /// The error in its parameters.
        reason: String,
    },
}

/// A problem: the source of instances.
#[derive(Clone, Debug)]
pub struct Problem {
    name: String,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Chain(Markov),
    Family(Family),
    /// The inverse of the share of units that are needed independently.
    Dependent(usize),
    ShortLists,
    Zeller(Zeller),
    Book(Book),
    Drawn(Arc<dyn Source>),
}

/// Where instances come from that the lab knows nothing else of.
pub trait Source: fmt::Debug + Send + Sync {
    /// The name of the problem.
    fn name(&self) -> String;

    /// The size when none is asked for, in units.
    fn usual_size(&self) -> usize;

    /// An instance of about `size` units. The same numbers from `rng` draw the same instance.
    fn instance(&self, size: usize, rng: &mut ChaCha8Rng) -> Instance<'static>;
}

impl Problem {
    /// The problems of a name; some names mean several.
    ///
    /// # Errors
    /// When the name is not known, or the parameters in it are none.
    pub fn named(name: &str) -> Result<Vec<Problem>, ProblemError> {
        let one = |name: &str, what: What| Problem { name: name.to_owned(), what };
        let zeller = ZELLER.map(|(name, input)| one(name, What::Zeller(input)));
        let book = BOOK.map(|(name, input)| one(name, What::Book(input)));
        let families = FAMILIES.map(|(name, family)| one(name, What::Family(family)));
        let short_lists = one("short-lists", What::ShortLists);
        let families: Vec<Problem> = families.into_iter().chain([short_lists]).collect();
        match name {
            "zeller" => Ok(zeller.to_vec()),
            "families" => Ok(families),
            "cells" => Ok(CELLS.into_iter().map(|(share, a)| Problem::source(share, a)).collect()),
            _ => {
                if let Some(parameters) = name.strip_prefix(CHAIN) {
                    return source(parameters)
                        .map(|(share, a)| vec![Problem::source(share, a)])
                        .map_err(|reason| ProblemError::Chain { name: name.to_owned(), reason });
                }
                if let Some(roots) = name.strip_prefix(DEPENDENT) {
                    let roots = roots.parse().ok().filter(|&roots| roots > 0);
                    let wrong = || ProblemError::Dependent { name: name.to_owned() };
                    return roots.map(|roots| vec![one(name, What::Dependent(roots))]).ok_or_else(wrong);
                }
                let found = zeller.into_iter().chain(book).chain(families).find(|problem| problem.name == name);
                found.map(|problem| vec![problem]).ok_or_else(|| ProblemError::Unknown { name: name.to_owned() })
            }
        }
    }

    /// The problems that are compared by default: Zeller's inputs and the 23 sources.
    #[must_use]
    pub fn usual() -> Vec<Problem> {
        ["zeller", "cells"].iter().flat_map(|name| Problem::named(name).expect("both names are known")).collect()
    }

    /// Whether a word is the name of a problem, with any parameters.
    #[must_use]
    pub fn is_name(word: &str) -> bool {
        word.starts_with(CHAIN) || word.starts_with(DEPENDENT) || NAMES.iter().any(|(name, _)| *name == word)
    }

    /// Instances from elsewhere.
    #[must_use]
    pub fn drawn(source: impl Source + 'static) -> Problem {
        Problem { name: source.name(), what: What::Drawn(Arc::new(source)) }
    }

    fn source(share: f64, a: f64) -> Problem {
        Problem { name: format!("{CHAIN}{share}/{a}"), what: What::Chain(Markov::from_share(share, a)) }
    }

    /// The name, parameters included.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The default size; `None` for a problem with a fixed size.
    pub(super) fn usual_size(&self) -> Option<usize> {
        match &self.what {
            What::Chain(_) | What::Family(_) | What::Dependent(_) => Some(500),
            What::Drawn(source) => Some(source.usual_size()),
            What::ShortLists | What::Zeller(_) | What::Book(_) => None,
        }
    }

    /// An instance of `size` units, for problems that can be of any size.
    pub(super) fn instance(&self, size: usize, rng: &mut ChaCha8Rng) -> Instance<'static> {
        match &self.what {
            What::Chain(chain) => {
                let mut instance = Instance::of(Simulated::monotone(sequence(*chain, size, rng)), false);
                instance.lists[0].chain = Some(*chain);
                instance
            }
            What::Family(family) => Instance::of(family.draw(size, rng), false),
            What::Dependent(roots) => Instance::of(Simulated::definitions_first(size, *roots, rng), false),
            What::Zeller(input) => Instance::of(input.subject(), true),
            What::Book(input) => Instance::of(input.subject(), true),
            What::Drawn(source) => source.instance(size, rng),
            What::ShortLists => {
                let list = |ShortList { kind, depth, chain, needed }| List {
                    kind,
                    depth,
                    chain: Some(chain),
                    subject: Box::new(Simulated::monotone(needed)),
                };
                Instance { lists: short_lists(rng).into_iter().map(list).collect(), empty_is_known: false }
            }
        }
    }

    /// The tests of the best sweep, which knows the parameters, on average over all instances of a size.
    pub(super) fn expected_optimum(&self, size: usize) -> Option<f64> {
        match self.what {
            What::Chain(chain) if longest_run(size, chain) <= LONGEST_RUN => Some(optimum(size, chain)),
            _ => None,
        }
    }
}

/// `SHARE/P` as numbers that make a source.
fn source(parameters: &str) -> Result<(f64, f64), String> {
    let form = || format!("write {CHAIN}SHARE/P with numbers between 0 and 1, such as {CHAIN}0.9/0.95");
    let (share, a) = parameters.split_once('/').ok_or_else(form)?;
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| (0.0..1.0).contains(number)).ok_or_else(form);
    let (share, a) = (number(share)?, number(a)?);
    if share == 0.0 {
        return Err(form());
    }
    // P(removable | needed) follows from these two, and must be a probability as well.
    let least = (2.0 * share - 1.0) / share;
    if a < least {
        return Err(format!("with a share of {share}, P is at least {least:.3}"));
    }
    Ok((share, a))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use lop_engine::BitSet;

    use super::*;

    fn names(name: &str) -> Vec<String> {
        let problems = Problem::named(name).expect("the name is known");
        problems.iter().map(|problem| problem.name().to_owned()).collect()
    }

    fn wrong(name: &str) -> String {
        Problem::named(name).expect_err("it is wrong").to_string()
    }

    #[test]
    fn every_name_of_the_help_means_something() {
        for (name, _) in NAMES {
            let name = name.replace("SHARE/P", "0.9/0.95").replace(":N", ":500");
            assert!(Problem::is_name(&name) && !names(&name).is_empty());
        }
        assert_eq!(names("zeller"), ["mozilla", "gcc", "options"]);
        assert_eq!(names("cells").len(), 23);
        assert_eq!(names("families").len(), 8);
        assert_eq!(Problem::usual().len(), 26);
    }

    #[test]
    fn what_is_no_problem_is_told_with_what_is_one() {
        assert!(wrong("mozila").starts_with("unknown problem `mozila` (known: zeller, mozilla, gcc, "));
        for name in ["defs-first:", "defs-first:0", "defs-first:few"] {
            assert!(wrong(name).starts_with(&format!("`{name}` is no problem: write defs-first:N, ")));
        }
        let form = "is no source: write markov:SHARE/P with numbers between 0 and 1, such as markov:0.9/0.95";
        for name in ["markov:", "markov:0.9", "markov:x/0.9", "markov:0.9/1", "markov:0/0.5", "markov:90/95"] {
            assert_eq!(wrong(name), format!("`{name}` {form}"));
        }
        assert_eq!(wrong("markov:0.9/0.5"), "`markov:0.9/0.5` is no source: with a share of 0.9, P is at least 0.889");
    }

    #[test]
    fn one_seed_draws_one_instance() {
        for problem in NAMES.iter().flat_map(|(name, _)| Problem::named(name).unwrap_or_default()) {
            let size = problem.usual_size().unwrap_or(0);
            let verdicts = |seed: u64| {
                let mut instance = problem.instance(size, &mut ChaCha8Rng::seed_from_u64(seed));
                let judge = |list: &mut List<'_>| {
                    let len = list.subject.sizes().len();
                    let one = |unit: usize| {
                        let mut gone = BitSet::with_capacity(len);
                        gone.insert(unit);
                        gone
                    };
                    list.subject.judge(&(0..len).map(one).collect::<Vec<_>>()).expect("it answers")
                };
                instance.lists.iter_mut().map(judge).collect::<Vec<_>>()
            };
            assert_eq!(verdicts(1), verdicts(1), "{}", problem.name());
            // A sparse source often draws the same.
            let fixed = matches!(problem.what, What::Zeller(_) | What::Book(_));
            assert_eq!((2..12).all(|seed| verdicts(seed) == verdicts(1)), fixed, "{}", problem.name());
        }
    }

    #[test]
    fn the_optimum_is_known_for_sources_and_not_for_the_longest_runs() {
        let source = |name: &str| Problem::named(name).expect("a known name").remove(0);
        let optimum = source("markov:0.9/0.95").expected_optimum(500).expect("short runs");
        assert!((optimum - 179.883).abs() < 1e-3);
        assert_eq!(source("markov:0.999/0.9999").expected_optimum(100_000), None);
        assert_eq!(source("regimes").expected_optimum(500), None);
    }
}
