//! Minimises a corpus: chooses few, small files that together show all behaviours. Numbers in, numbers out.

mod choice;
mod exchange;
mod index;

pub use choice::choose;

/// A file of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shows {
    /// Its size in bytes.
    pub len: usize,
    /// The numbers of the behaviours that it shows, ascending, each once.
    pub behaviours: Vec<u32>,
}

/// The behaviours of all files, each once.
#[must_use]
pub fn all_of<'f>(files: impl IntoIterator<Item = &'f Shows>) -> Vec<u32> {
    let mut all: Vec<u32> = files.into_iter().flat_map(|file| file.behaviours.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::index::Corpus;
    use super::*;

    fn file(len: usize, behaviours: &[u32]) -> Shows {
        Shows { len, behaviours: behaviours.to_vec() }
    }

    fn chosen(files: &[Shows]) -> Vec<usize> {
        choose(files, &|| false).expect("nobody stops it")
    }

    #[test]
    fn choose_takes_the_smallest_of_files_that_do_the_same() {
        let files = [file(9, &[1, 2]), file(5, &[1, 2]), file(5, &[1, 2]), file(2, &[1]), file(1, &[])];
        assert_eq!(chosen(&files), [1]);
        assert!(chosen(&[]).is_empty() && chosen(&[file(3, &[])]).is_empty());
    }

    #[test]
    fn choose_is_no_worse_than_the_rule_of_afl_cmin() {
        // Numbers without a pattern.
        for seed in 1..80_u64 {
            let mut last = seed * 7919;
            let mut number = |below: u64| {
                last = (last * 1_103_515_245 + 12_345) % 2_147_483_648;
                last / 65_536 % below
            };
            let files: Vec<Shows> = (0..60)
                .map(|_| {
                    let mut behaviours: Vec<u32> = (0..1 + number(12)).map(|_| number(40) as u32).collect();
                    behaviours.sort_unstable();
                    behaviours.dedup();
                    Shows { len: 1 + number(1000) as usize, behaviours }
                })
                .collect();
            let corpus = Corpus::of(&files);
            let (rule, chosen) = (corpus.size(&corpus.rarest_first()), chosen(&files));
            let size = corpus.size(&chosen);
            assert!(size.0 <= rule.0 && size.1 <= rule.1, "{size:?} {rule:?}");
            assert_eq!(all_of(chosen.iter().map(|&file| &files[file])), all_of(&files), "seed {seed}");
            for left in 0..chosen.len() {
                let rest = chosen.iter().enumerate().filter(|(at, _)| *at != left).map(|(_, &file)| &files[file]);
                assert_ne!(all_of(rest), all_of(&files), "each is needed");
            }
        }
    }

    #[test]
    fn choose_replaces_two_files_by_one() {
        // The rule takes the two small ones for the rare behaviours.
        let files = [file(4, &[1, 3]), file(4, &[2, 3]), file(7, &[1, 2, 3])];
        assert_eq!(chosen(&files), [2]);
    }

    #[test]
    fn choose_takes_no_time_for_many_files_and_hears_a_stop() {
        // One in 4,000 behaviours of a file is unique, and neighbours share the others.
        let files: Vec<Shows> = (0..390)
            .map(|at| {
                let mut behaviours: Vec<u32> = (0..4_000).map(|other| at / 2 * 2_000 + other).collect();
                behaviours.push(1_000_000 + at);
                Shows { len: 100 + at as usize, behaviours }
            })
            .collect();
        let begun = std::time::Instant::now();
        assert_eq!(chosen(&files).len(), 390);
        assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
        assert_eq!(choose(&files, &|| true), None);
    }
}
