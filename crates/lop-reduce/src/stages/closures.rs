//! Keeps closures: the fewest definitions that are interesting together with everything that they refer to.
//!
//! The search is from Kalhauge and Palsberg, "Binary Reduction of Dependency Graphs" (ESEC/FSE 2019). It sorts the
//! closures by size and finds the shortest prefix whose union is interesting. The last closure of that prefix is
//! needed, and the search continues before it. If the prefix and the longest uninteresting one differ by little text,
//! all of that text counts as needed. The best result is the union of all closures, so no union is larger.

use std::sync::Arc;

use crate::interrupt::Interrupt;
use crate::ordered::first_interesting;
use crate::reducer::Reducer;
use crate::steps::CLOSURES;
use lop_engine::BitSet;
use lop_passes::{Bodies, Pass, References};

use super::proposals::sequences_of;
use super::sweeps::sweep_while_it_pays;

/// Fewer units than this, and texts of fewer tokens, are asked about as lists: emptying bodies first took up to 40 % more
/// tests on small files.
const LEAST: usize = 16;
const LEAST_TOKENS: usize = 16_000;
/// Closures are given up after this number of refusals in a row, if a search among all would also take as many tests.
const MOST_REFUSED: usize = 3;
/// The chance of their candidates: 15 of 55 were interesting on a file of C and one of JavaScript. Halves of all bodies are
/// taken to be alike.
const MAY_GO: f64 = 0.3;
/// Where less than this share of the text may go, lists take it out in fewer tests.
const SHARE: u64 = 4;
/// By these it is remembered that closures were asked about, and bodies in vain.
const MEMO: u64 = u64::from_be_bytes(*b"closures");
const BODIES: u64 = u64::from_be_bytes(*b"empty it");

/// Keeps interesting closures and empties bodies as long as that makes closures smaller: definitions that only a body
/// refers to are removed with that body.
pub(crate) fn keep_closures(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    if reducer.tokens() >= LEAST_TOKENS {
        keep_some(reducer)?;
        go_on_with_bodies(reducer)?;
    }
    Ok(())
}

/// Continues with the bodies.
fn go_on_with_bodies(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    loop {
        reducer.checkpoint_with(&(), |reducer, ()| go_on_with_bodies(reducer))?;
        if !empty_bodies(reducer)? {
            reducer.session.leave_course();
            return Ok(());
        }
        keep_some(reducer)?;
    }
}

/// Empties bodies of each kind if half of them can be emptied at once, as long as that removes a good share of the text
/// per test. Returns `true` if some were emptied.
fn empty_bodies(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    if !reducer.allows(&Bodies) || reducer.session.is_proposal_refused(BODIES) {
        return Ok(false);
    }
    let before = reducer.weight();
    for bodies in sequences_of(reducer, &Bodies) {
        let Some(mut bodies) = reducer.spared(Some(bodies)) else { continue };
        let (tokens, tests, count) = (reducer.tokens(), reducer.session.tests(), bodies.units.len());
        if count < LEAST || bodies.tokens() * SHARE <= tokens as u64 {
            continue;
        }
        reducer.session.enter_pass(Bodies.name(), reducer.round)?;
        let (front, back) = bodies.units.split_at(count / 2);
        let half = first_interesting(&mut reducer.session, 2, "half of all bodies", MAY_GO, |at, current| {
            let half = if at == 0 { back } else { front };
            current.candidate(half.iter().map(|unit| &unit.removal), false)
        })?;
        let Some(half) = half else { continue };
        bodies.retain(&(0..count).map(|unit| (unit < count / 2) == (half == 0)).collect::<Vec<_>>());
        sweep_while_it_pays(reducer, bodies, tokens, tests)?;
    }
    reducer.rebase()?;
    let found = reducer.weight() < before;
    if !found {
        let tokens = reducer.tokens();
        reducer.session.refuse_proposal(BODIES, tokens);
    }
    Ok(found)
}

/// Keeps interesting closures, and removes everything else that is removable. Returns `true` if something was removed.
fn keep_some(reducer: &mut Reducer<'_, '_>) -> Result<bool, Interrupt> {
    if !reducer.allows_step(&CLOSURES) || reducer.session.is_proposal_refused(MEMO) {
        return Ok(false);
    }
    let Some(tools) = &mut reducer.tools else { return Ok(false) };
    let current = reducer.session.current();
    let may_go = |node| !current.node_is_kept(node);
    let found = References::of(current.document(), tools.grammar, &mut tools.shapes, LEAST, may_go);
    let Some(references) = found else { return Ok(false) };
    let before = reducer.weight();
    reducer.session.enter_pass(CLOSURES.name, reducer.round)?;
    go_through(reducer, Search::new(Arc::new(references)))?;
    Ok(reducer.weight() < before)
}

/// Asks until nothing is left to be asked.
fn go_through(reducer: &mut Reducer<'_, '_>, mut search: Search) -> Result<(), Interrupt> {
    loop {
        reducer.checkpoint_with(&search, |reducer, search| {
            go_through(reducer, search)?;
            go_on_with_bodies(reducer)
        })?;
        let Some(kept) = search.next(|tokens| reducer.pays_off(tokens, 1)) else { break };
        let is_interesting = ask(reducer, &search.references, &kept)?;
        search.learn(is_interesting);
    }
    reducer.session.leave_course();
    let tokens = reducer.tokens();
    reducer.session.refuse_proposal(MEMO, tokens);
    reducer.rebase()
}

/// The search for the closures that are needed.
#[derive(Clone)]
struct Search {
    references: Arc<References>,
    needed: BitSet,
    /// The closures among which the next one is looked for.
    waiting: Arc<Vec<usize>>,
    /// During the search, the shortest interesting run can end at one of these numbers. Before it, the question is
    /// whether the needed ones are enough.
    ends: Option<(usize, usize)>,
    /// Answers in a row that were no.
    refused: usize,
    most_refused: usize,
    is_over: bool,
}

impl Search {
    fn new(references: Arc<References>) -> Self {
        let needed = references.always().clone();
        let waiting = Arc::new(references.waiting(&needed, None));
        let most_refused = MOST_REFUSED + waiting.len().max(1).ilog2() as usize;
        Search { references, needed, waiting, ends: None, refused: 0, most_refused, is_over: false }
    }

    /// Returns the units to keep in the next candidate, if there is one; `pays` decides whether a test is worth
    /// removing this number of tokens.
    fn next(&mut self, pays: impl Fn(u64) -> bool) -> Option<BitSet> {
        let up_to = |search: &Self, end: usize| search.references.with(&search.needed, &search.waiting[..=end]);
        while let Some((first, last)) = self.ends.filter(|_| !self.is_over) {
            let tokens = |end| self.references.tokens(&up_to(self, end));
            if first < last && pays(tokens(last) - tokens(first)) {
                self.is_over = self.refused > self.most_refused;
                return (!self.is_over).then(|| up_to(self, first + (last - first) / 2));
            }
            self.needed = self.references.with(&self.needed, &self.waiting[first..=last]);
            self.waiting = Arc::new(self.references.waiting(&self.needed, Some(&self.waiting[..first])));
            self.ends = None;
        }
        let (all, needed) = (self.references.with(&self.needed, &self.waiting), &self.needed);
        self.is_over |= self.references.tokens(&all) <= self.references.tokens(needed) * SHARE / (SHARE - 1);
        (!self.is_over).then(|| needed.clone())
    }

    fn learn(&mut self, is_interesting: bool) {
        match &mut self.ends {
            None => {
                self.is_over = is_interesting;
                self.refused += 1;
                // None is shorter than the first, and the run of all is interesting.
                self.ends = Some((0, self.waiting.len() - 1));
            }
            Some((first, last)) => {
                let middle = *first + (*last - *first) / 2;
                if is_interesting {
                    (*last, self.refused) = (middle, 0);
                } else {
                    (*first, self.refused) = (middle + 1, self.refused + 1);
                }
            }
        }
    }
}

/// Keeps only some units, if that is interesting.
fn ask(reducer: &mut Reducer<'_, '_>, references: &References, kept: &BitSet) -> Result<bool, Interrupt> {
    let removal = references.without_others(kept);
    let first = first_interesting(&mut reducer.session, 1, "all that is not referred to", MAY_GO, |_, current| {
        current.candidate(std::iter::once(&removal), false)
    })?;
    Ok(first.is_some())
}
