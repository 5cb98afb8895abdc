//! The parameters of a search, with their defaults and what each was measured to do.

/// From which end of a sequence units are asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Direction {
    /// From the first position on: the caller has put the units into sweep order.
    #[default]
    Forward,
    /// From whichever end gives more per test, as observed: for sequences of which nobody knows
    /// whether later units depend on earlier ones.
    Evidence,
}

/// What a search keeps small.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Objective {
    /// The number of tests.
    #[default]
    Tests,
    /// The time, where a test costs more the larger its candidate is: what removes most comes first,
    /// and telling the last few units apart is put off.
    Time,
}

/// How the questions of several workers are spread over the sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lanes {
    /// In several places at once as long as the answers there come up to what is predicted, else at
    /// the front.
    #[default]
    ByTrust,
    /// At the front only: what is asked besides is what would be asked next.
    One,
    /// In several places at once whatever the answers.
    Always,
}

/// How much of a sequence the caller expects to go.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Waste {
    /// Expected share of removable units, in (0, 1).
    pub share: f64,
    /// P(removable | removable), in (0, 1); `None` when neighbours say nothing of each other, i.e.
    /// when it equals the share.
    pub after_removable: Option<f64>,
}

/// The parameters of a search.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Config {
    /// ρ of fixed share (Herbster and Warmuth): how far each unit pulls the weights back to the
    /// prior. 0.003 by default: 13–36 % fewer tests where the regime changes along the sequence, at
    /// most 3 % more elsewhere.
    pub fixed_share: f64,
    /// The exponent e of the prior (1 − a)^e over a = P(removable | removable), per grid point;
    /// −½ by default, which leans to sparse.
    pub prior_exponent: f64,
    /// Verification stops when the best chance is below this: 0.03 by default, 0 for a guaranteed
    /// 1-minimal result, `None` for no verification.
    pub theta: Option<f64>,
    /// Whether this list is all there is and removing all of it is known not to be interesting;
    /// `false` by default.
    pub empty_known_uninteresting: bool,
    /// From which end units are asked about; forward by default.
    pub direction: Direction,
    /// What is kept small; the number of tests by default.
    pub objective: Objective,
    /// Where several workers ask; by trust by default.
    pub lanes: Lanes,
    /// What to start from instead of the prior; nothing by default.
    pub expect: Option<Waste>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            fixed_share: 0.003,
            prior_exponent: -0.5,
            theta: Some(0.03),
            empty_known_uninteresting: false,
            direction: Direction::default(),
            objective: Objective::default(),
            lanes: Lanes::default(),
            expect: None,
        }
    }
}
