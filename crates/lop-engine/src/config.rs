//! The parameters of a search, their defaults, and the measurements that led to these.

use std::error::Error;
use std::fmt;

/// The share of a sequence that the caller expects to be removable.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Waste {
    /// Expected share of removable units, in (0, 1).
    pub share: f64,
    /// P(removable | removable), in (0, 1); `None` if neighbours are independent, so that it equals the share.
    pub after_removable: Option<f64>,
}

/// A parameter of [`Config`] that is out of range.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// The rate of fixed share is negative, or so large that every unit erases all evidence.
    FixedShare,
    /// The prior is no distribution, or has only one point.
    PriorExponent,
    /// θ is no probability.
    Theta,
    /// An expectation is no probability, or leaves nothing to be found out.
    Waste,
    /// There are too many removable units for so few to follow each other.
    Unreachable {
        /// The expected share of removable units.
        share: f64,
        /// The least P(removable | removable) that goes with it.
        least: f64,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FixedShare => write!(f, "the fixed share must be at least 0 and less than 1"),
            Self::PriorExponent => {
                write!(f, "the exponent of the prior must be a number from -{MOST_EXPONENT} to {MOST_EXPONENT}")
            }
            Self::Theta => write!(f, "theta must be from 0 to 1"),
            Self::Waste => write!(f, "the expected shares must be more than 0 and less than 1"),
            Self::Unreachable { share, least } => write!(
                f,
                "where {share} of the units are removable, at least {least:.3} of those after a removable one are, too"
            ),
        }
    }
}

impl Error for ConfigError {}

/// Exponents beyond this put all the weight on one end of the grid.
const MOST_EXPONENT: f64 = 100.0;

/// The parameters of a search, to be written with `..Config::default()`: there may be more some day.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// ρ of fixed share (Herbster and Warmuth): how far the first unit pulls the weights back to the start. The unit
    /// after t others pulls by ρ / (1 + ρ·t), at least a tenth of ρ. The default 0.003 takes 13–36 % fewer tests if the
    /// share changes along the sequence, and at most 1 % more otherwise.
    pub fixed_share: f64,
    /// The exponent e of the prior (1 − a)^e over a = P(removable | removable), per grid point;
    /// −0.65 by default, which leans to sparse.
    pub prior_exponent: f64,
    /// Verification stops when the best chance is below this: 0.03 by default, 0 for a guaranteed
    /// 1-minimal result, `None` for no verification.
    pub theta: Option<f64>,
    /// Whether this list is all there is and removing all of it is known not to be interesting;
    /// `false` by default.
    pub empty_known_uninteresting: bool,
    /// The expectation that replaces the prior; nothing by default.
    pub expect: Option<Waste>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            fixed_share: 0.003,
            prior_exponent: -0.65,
            theta: Some(0.03),
            empty_known_uninteresting: false,
            expect: None,
        }
    }
}

impl Config {
    /// Checks that the numbers are in their ranges: a search with others would compute nonsense.
    ///
    /// # Errors
    /// The first parameter that is out of range.
    pub fn check(&self) -> Result<(), ConfigError> {
        if !(0.0..1.0).contains(&self.fixed_share) {
            return Err(ConfigError::FixedShare);
        }
        if !(-MOST_EXPONENT..=MOST_EXPONENT).contains(&self.prior_exponent) {
            return Err(ConfigError::PriorExponent);
        }
        if self.theta.is_some_and(|theta| !(0.0..=1.0).contains(&theta)) {
            return Err(ConfigError::Theta);
        }
        self.expect.map_or(Ok(()), Waste::check)
    }
}

impl Waste {
    /// A removable share p and a = P(removable | removable) make P(removable | needed) =
    /// p·(1 − a) / (1 − p), which is a probability from a = 2 − 1/p on.
    fn check(self) -> Result<(), ConfigError> {
        let open = |p: f64| p > 0.0 && p < 1.0;
        let after = self.after_removable.unwrap_or(self.share);
        if !open(self.share) || !open(after) {
            return Err(ConfigError::Waste);
        }
        let least = 2.0 - 1.0 / self.share;
        if after < least { Err(ConfigError::Unreachable { share: self.share, least }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waste(share: f64, after_removable: Option<f64>) -> Result<(), ConfigError> {
        Config { expect: Some(Waste { share, after_removable }), ..Config::default() }.check()
    }

    #[test]
    fn the_default_is_sound() {
        assert_eq!(Config::default().check(), Ok(()));
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for fixed_share in [-0.1, 1.0, f64::NAN] {
            let config = Config { fixed_share, ..Config::default() };
            assert_eq!(config.check(), Err(ConfigError::FixedShare), "{fixed_share}");
        }
        for prior_exponent in [f64::NAN, f64::INFINITY, -101.0] {
            let config = Config { prior_exponent, ..Config::default() };
            assert_eq!(config.check(), Err(ConfigError::PriorExponent), "{prior_exponent}");
        }
        for theta in [-0.1, 1.1, f64::NAN] {
            let config = Config { theta: Some(theta), ..Config::default() };
            assert_eq!(config.check(), Err(ConfigError::Theta), "{theta}");
        }
        for share in [0.0, 1.0, 2.0, f64::NAN] {
            assert_eq!(waste(share, None), Err(ConfigError::Waste), "{share}");
            assert_eq!(waste(0.5, Some(share)), Err(ConfigError::Waste), "{share}");
        }
    }

    #[test]
    fn an_expectation_that_no_chain_has_is_refused() {
        assert_eq!(waste(0.9, None), Ok(()), "independent neighbours are a chain");
        assert_eq!(waste(0.9, Some(0.89)), Ok(()));
        assert!(matches!(waste(0.9, Some(0.88)), Err(ConfigError::Unreachable { .. })));
        assert_eq!(waste(0.4, Some(0.01)), Ok(()));
    }
}
