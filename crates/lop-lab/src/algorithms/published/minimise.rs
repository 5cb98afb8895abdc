//! Minimisation: single units are tried from left to right until a sweep changes nothing (paper,
//! "Minimization").

use super::rest::Rest;
use crate::algorithm::{Judge, Stopped};

/// Removes single units until no kept unit is removable. `last_removal` is the index of the last removal during
/// consumption.
///
/// A sweep ends at the place of the last removal, unless it removes something itself: the units from there on were
/// tested after that removal. From the second sweep on the reference implementation ends one unit earlier
/// (`one_early`), so that its result need not be 1-minimal.
pub(super) fn minimise(
    rest: &mut Rest,
    last_removal: Option<usize>,
    one_early: bool,
    judge: &mut dyn Judge,
) -> Result<(), Stopped> {
    let mut bound = last_removal.unwrap_or(0);
    loop {
        let mut removal = None;
        let mut index = 0;
        while index < bound {
            let found = judge
                .first_interesting(bound - index, &mut |offset| rest.without(index + offset..index + offset + 1))?;
            let Some(offset) = found else {
                break;
            };
            index += offset;
            rest.remove(index..index + 1);
            removal = Some(index);
            bound = rest.len();
        }
        let Some(index) = removal else {
            return Ok(());
        };
        // One less than nothing is a bound that the reference implementation never meets.
        bound = if one_early { index.checked_sub(1).unwrap_or(rest.len()) } else { index };
    }
}
