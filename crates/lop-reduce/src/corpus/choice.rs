//! Chooses files: greedy sets, improved by exchanges.

use super::Shows;
use super::exchange::exchanged;
use super::index::Corpus;

/// Chooses few and small files that together show all behaviours of a corpus. Returns their numbers, ascending, or
/// `None` after a request to stop.
///
/// Three greedy sets are improved by single exchanges until none helps: redundant files are removed, one file is
/// replaced by a smaller one, or two by one. Of the sets that have neither more files nor more bytes than the first,
/// the result is the one with the fewest files, then bytes. The first follows the rule of afl-cmin: for the rarest
/// behaviour that is missing, the smallest file that shows it.
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
