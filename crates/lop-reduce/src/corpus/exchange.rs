//! Single exchanges that make a set of files smaller.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

use super::index::Corpus;

/// Chosen files beyond which pairs of them are not tried to be replaced by one: there are too many pairs.
const MOST_IN_PAIRS: usize = 400;

/// Returns a set after all exchanges that make it smaller, or `None` after a request to stop.
pub(super) fn exchanged(corpus: &Corpus, files: Vec<usize>, is_stopped: &dyn Fn() -> bool) -> Option<Vec<usize>> {
    let mut set = Set::of(corpus, files);
    loop {
        let before = corpus.size(&set.files);
        // The largest first.
        set.files.sort_by_key(|&file| Reverse((corpus.lens[file], file)));
        let mut at = 0;
        while at < set.files.len() {
            if is_stopped() {
                return None;
            }
            let file = set.files[at];
            if set.sole(file).next().is_none() {
                set.count(file, false);
                set.files.remove(at);
                continue;
            }
            let fits = set.fits(file);
            let mut smaller = fits.iter().copied().take_while(|&other| corpus.lens[other] < corpus.lens[file]);
            if let Some(other) = smaller.find(|&other| !set.is_in[other]) {
                set.count(file, false);
                set.count(other, true);
                set.files[at] = other;
            }
            at += 1;
        }
        if set.files.len() <= MOST_IN_PAIRS {
            set.join_pairs(is_stopped)?;
        }
        if corpus.size(&set.files) >= before {
            return Some(set.files);
        }
    }
}

/// The files that show a behaviour, of a set.
#[derive(Clone, Copy, Default)]
struct Shown {
    count: usize,
    /// All their numbers, by exclusive or: of one file its number, of two the one when the other is known.
    mixed: usize,
}

/// A set of files.
struct Set<'c> {
    corpus: &'c Corpus,
    files: Vec<usize>,
    is_in: Vec<bool>,
    /// By behaviour.
    shown: Vec<Shown>,
    /// Results of [`Set::fits`], as long as they hold.
    fits: HashMap<usize, Rc<[usize]>>,
}

impl<'c> Set<'c> {
    fn of(corpus: &'c Corpus, files: Vec<usize>) -> Self {
        let (is_in, shown) = (vec![false; corpus.lens.len()], vec![Shown::default(); corpus.by_behaviour.len()]);
        let mut set = Set { corpus, files, is_in, shown, fits: HashMap::new() };
        (0..set.files.len()).for_each(|at| set.count(set.files[at], true));
        set
    }

    /// Counts an added or a removed file.
    fn count(&mut self, file: usize, comes: bool) {
        self.is_in[file] = comes;
        for &behaviour in &self.corpus.shown[file] {
            let shown = &mut self.shown[behaviour];
            let before = *shown;
            shown.count = if comes { before.count + 1 } else { before.count - 1 };
            shown.mixed ^= file;
            // The file that was the only one with it, or is so now, may be replaced by others.
            for only in [before, *shown].into_iter().filter(|shown| shown.count == 1) {
                self.fits.remove(&only.mixed);
            }
        }
    }

    /// The behaviours that only a file of the set shows.
    fn sole(&self, file: usize) -> impl Iterator<Item = usize> {
        self.corpus.shown[file].iter().copied().filter(|&behaviour| self.shown[behaviour].count == 1)
    }

    /// The files, the smallest first, that show all that only this one of the set shows; none if that is nothing.
    fn fits(&mut self, file: usize) -> Rc<[usize]> {
        if let Some(known) = self.fits.get(&file) {
            return Rc::clone(known);
        }
        let corpus = self.corpus;
        let sole: Vec<usize> = self.sole(file).collect();
        let rarest = sole.iter().min_by_key(|&&behaviour| corpus.by_behaviour[behaviour].len());
        let all = rarest.map_or(&[][..], |&rarest| &corpus.by_behaviour[rarest]);
        let all: Rc<[usize]> = all.iter().copied().filter(|&other| corpus.shows(other, sole.iter().copied())).collect();
        self.fits.insert(file, Rc::clone(&all));
        all
    }

    /// Replaces two files by one that shows all that only they show, and isn't larger than both.
    fn join_pairs(&mut self, is_stopped: &dyn Fn() -> bool) -> Option<()> {
        let mut first = 0;
        while first < self.files.len() {
            let mut second = first + 1;
            while second < self.files.len() {
                if is_stopped() {
                    return None;
                }
                let (one, two) = (self.files[first], self.files[second]);
                if let Some(other) = self.for_both(one, two) {
                    self.count(one, false);
                    self.count(two, false);
                    self.count(other, true);
                    self.files[first] = other;
                    self.files.remove(second);
                } else {
                    second += 1;
                }
            }
            first += 1;
        }
        Some(())
    }

    /// Finds the smallest file outside the set that shows all that only these two show, and isn't larger than both.
    fn for_both(&mut self, one: usize, two: usize) -> Option<usize> {
        let corpus = self.corpus;
        let order = |file: usize| (corpus.lens[file], file);
        let most = corpus.lens[one] + corpus.lens[two];
        let (mut few, mut many) = (self.fits(one), self.fits(two));
        if few.len() > many.len() {
            (few, many) = (many, few);
        }
        let small = few.iter().copied().take_while(|&file| corpus.lens[file] <= most);
        let mut both = small.filter(|&file| {
            !self.is_in[file] && many.binary_search_by_key(&order(file), |&other| order(other)).is_ok()
        });
        both.find(|&file| {
            let is_theirs = |shown: &Shown| shown.count == 2 && shown.mixed ^ one == two;
            let shared = corpus.shown[one].iter().copied().filter(|&behaviour| is_theirs(&self.shown[behaviour]));
            corpus.shows(file, shared)
        })
    }
}
