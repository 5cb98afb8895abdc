//! Chooses files: greedy sets, improved by exchanges.

use super::Shows;
use super::exchange::exchanged;
use super::index::Corpus;

/// Few and small files that together show all behaviours of a corpus, by their numbers, ascending; `None` if a
/// stop is asked for before they are found.
///
/// Three greedy sets are made smaller by single exchanges, until none helps: files go that the others can do without, one
/// becomes a smaller one, two become one. The one with the fewest files is the result, then that with the fewest bytes,
/// among those that have neither more files nor more bytes than the first of the three, which follows the rule of
/// afl-cmin: for the rarest behaviour that is left, the smallest file with it.
#[must_use]
pub fn choose(files: &[Shows], is_stopped: &dyn Fn() -> bool) -> Option<Vec<usize>> {
    let corpus = Corpus::of(files);
    let rule = corpus.rarest_first();
    let most = corpus.size(&rule);
    let mut sets = vec![rule];
    sets.push(corpus.greedy(|_, new| new as f64, is_stopped)?);
    sets.push(corpus.greedy(|len, new| new as f64 / (len + 1) as f64, is_stopped)?);
    let small: Vec<Vec<usize>> =
        sets.into_iter().map(|set| exchanged(&corpus, set, is_stopped)).collect::<Option<_>>()?;
    let fitting = small.into_iter().filter(|set| {
        let (count, len) = corpus.size(set);
        count <= most.0 && len <= most.1
    });
    let mut best = fitting.min_by_key(|set| corpus.size(set)).unwrap_or_default();
    best.sort_unstable();
    Some(best)
}
