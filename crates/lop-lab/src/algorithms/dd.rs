//! dd: delta debugging that isolates a difference.

use lop_engine::{Answer, BitSet, Isolated};

use std::collections::HashMap;

/// Isolating delta debugging (Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, TSE 28(2), 2002,
/// section 5): cuts the differences between the two configurations into n parts and asks for each part about the
/// configuration that passes with the part, and about the one that fails without it.
///
/// 1. The former fails: it is the one that fails now, and n = 2 again. The latter passes: likewise.
/// 2. The former passes, or the latter fails: that brings the two nearer, and n is one less, at least 2.
/// 3. Where no part does either, n is doubled, at most one part a difference; when it cannot be, the end is reached.
///
/// The paper asks for the four cases one after the other for all parts; here the first answer that helps counts, which is
/// never more tests than that while all answers are resolved. A configuration that was judged is not asked about again.
///
/// # Errors
/// Those of `judge`.
pub fn dd<E>(len: usize, mut judge: impl FnMut(&BitSet) -> Result<Answer, E>) -> Result<Isolated, E> {
    let mut known: HashMap<BitSet, Answer> = HashMap::new();
    let mut ask = |set: &BitSet| match known.get(set) {
        Some(&answer) => Ok(answer),
        None => {
            let answer = judge(set)?;
            known.insert(set.clone(), answer);
            Ok(answer)
        }
    };
    let mut failing = BitSet::with_capacity(len);
    failing.insert_range(0..len);
    let mut now = Isolated { passing: BitSet::with_capacity(len), failing };
    let mut parts = 2;
    loop {
        let left = now.differences();
        if left.len() < 2 {
            return Ok(now);
        }
        parts = parts.min(left.len());
        let mut found = false;
        for part in split(&left, parts) {
            let with = union(&now.passing, part);
            match ask(&with)? {
                Answer::Fails => (now.failing, parts, found) = (with, 2, true),
                Answer::Passes => (now.passing, parts, found) = (with, (parts - 1).max(2), true),
                Answer::Unresolved | Answer::Refused => {
                    let rest: Vec<usize> = left.iter().copied().filter(|unit| !part.contains(unit)).collect();
                    let without = union(&now.passing, &rest);
                    match ask(&without)? {
                        Answer::Passes => (now.passing, parts, found) = (without, 2, true),
                        Answer::Fails => (now.failing, parts, found) = (without, (parts - 1).max(2), true),
                        Answer::Unresolved | Answer::Refused => continue,
                    }
                }
            }
            break;
        }
        if !found {
            if parts >= left.len() {
                return Ok(now);
            }
            parts = (2 * parts).min(left.len());
        }
    }
}

fn union(set: &BitSet, more: &[usize]) -> BitSet {
    let mut all = set.clone();
    more.iter().for_each(|&unit| {
        all.insert(unit);
    });
    all
}

fn split(left: &[usize], parts: usize) -> Vec<&[usize]> {
    let mut start = 0;
    (0..parts)
        .map(|part| {
            let end = start + (left.len() - start) / (parts - part);
            &left[std::mem::replace(&mut start, end)..end]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt as _, SeedableRng};

    use super::*;
    use lop_engine::isolate;

    /// Tests and remaining differences of dd and of lop, if some units need others and some only fail together.
    fn both(len: usize, needs: &[(usize, usize)], culprits: &[usize]) -> [(usize, usize); 2] {
        let answer = |set: &BitSet| {
            if needs.iter().any(|&(one, other)| set.contains(one) && !set.contains(other)) {
                return Answer::Unresolved;
            }
            if culprits.iter().all(|&unit| set.contains(unit)) { Answer::Fails } else { Answer::Passes }
        };
        let (mut theirs, mut ours) = (0, 0);
        let mut counted = |set: &BitSet| {
            theirs += 1;
            Ok::<_, Infallible>(answer(set))
        };
        let dd = dd(len, &mut counted).expect("it answers").differences().len();
        let lop = isolate(len, |set| {
            ours += 1;
            Ok::<_, Infallible>(answer(set))
        });
        [(theirs, dd), (ours, lop.expect("it answers").differences().len())]
    }

    #[test]
    fn dd_and_lop_halve_while_every_answer_is_resolved() {
        // The options of GCC: one of 31; no search can be sure to need fewer than 5.
        assert_eq!(both(31, &[], &[11]), [(5, 1), (5, 1)]);
        assert_eq!(both(500, &[], &[3, 250, 411]), [(9, 1), (9, 1)]);
    }

    #[test]
    fn dd_needs_more_tests_than_lop_where_differences_need_each_other() {
        let mut sums = [0, 0];
        for seed in 0..20 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut unit = || rng.random_range(0..100);
            let needs: Vec<_> = (0..100).map(|_| (unit(), unit())).collect();
            let found = both(100, &needs, &[unit(), unit()]);
            sums = [sums[0] + found[0].0, sums[1] + found[1].0];
        }
        assert!(sums[1] * 5 < sums[0], "{sums:?}");
    }
}
