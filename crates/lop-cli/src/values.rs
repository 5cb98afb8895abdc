//! The values of options that several commands share, with their syntax and limits.

use std::thread;
use std::time::Duration;

use clap::ValueEnum;

use lop_reduce;
use lop_run::exec::Jobs;

/// The heading of options about the result.
pub(super) const RESULT: &str = "Result";
/// The heading of options about running tests.
pub(super) const RUNNING: &str = "Running tests";
/// The heading of options about the search.
pub(super) const SEARCH: &str = "Search";
/// The heading of options about messages.
pub(super) const OUTPUT: &str = "Output";

/// More workers for a core only keep the machine from answering.
const WORKERS_PER_CORE: usize = 64;

/// `--minimal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MinimalArg {
    /// No guarantee
    None,
    /// Units of the tree, such as statements
    Unit,
    /// Tokens
    Token,
    /// Characters
    Char,
}

impl From<MinimalArg> for lop_reduce::Minimal {
    fn from(arg: MinimalArg) -> Self {
        match arg {
            MinimalArg::None => Self::None,
            MinimalArg::Unit => Self::Unit,
            MinimalArg::Token => Self::Token,
            MinimalArg::Char => Self::Char,
        }
    }
}

pub(super) fn jobs(text: &str) -> Result<Jobs, String> {
    match text {
        "auto" => Ok(Jobs::Auto),
        number => workers(number).map(Jobs::Exactly).map_err(|error| format!("{error}; or write auto")),
    }
}

/// The most workers that are started here. A file of options or a journal may ask for any number.
pub(super) fn most_workers() -> usize {
    WORKERS_PER_CORE * thread::available_parallelism().map_or(1, usize::from)
}

pub(super) fn workers(text: &str) -> Result<usize, String> {
    let most = most_workers();
    match at_least_one(text)? {
        number if number > most => Err(format!("at most {most} can run at the same time on this machine")),
        number => Ok(number),
    }
}

pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("not a number".to_owned()),
    }
}

/// A positive number of seconds, decimals allowed.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("must be a positive number".to_owned()),
    }
}

/// A probability.
pub(super) fn chance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("must be a number from 0 to 1, such as 0.5".to_owned()),
    }
}

/// A number of bytes with an optional binary unit: `65536`, `64K`, `16M`, `16MB`, `16MiB`, `1G`.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let upper = text.to_ascii_uppercase();
    let digits = upper.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let shift = match &upper[digits.len()..] {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        unit => return Err(format!("unknown unit {unit}; use K, M or G")),
    };
    let number: usize = digits.trim().parse().map_err(|_| "not a number of bytes".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(size("0"), Ok(0));
        assert_eq!(size("64k"), Ok(65_536));
        assert_eq!(size("16MiB"), Ok(16 << 20));
        assert_eq!(size("2GB"), Ok(2 << 30));
        assert!(size("x").is_err());
        assert!(size("1T").is_err());
        assert!(size("99999999999G").is_err());
    }

    #[test]
    fn times_are_positive_and_finite() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1_500)));
        for bad in ["0", "-1", "inf", "nan", "x", "1e300"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
