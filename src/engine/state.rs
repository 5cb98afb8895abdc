//! One point of a search: what is asked next, and where each answer leads. A search holds the
//! committed state; speculation clones it and follows assumed answers.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::config::Config;
use super::decision_tree;
use super::evidence::{EvidenceView, ListEvidence};
use super::markov::{Before, Posterior, Run, Survival};
use super::minimality::{Chances, Pick, Verification};
use super::runs::Runs;
use super::search::Verdict;

/// Longer runs than where survival falls below this are not asked about in one go.
const NEGLIGIBLE_SURVIVAL: f64 = 1e-7;

/// What never changes during a search.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) len: usize,
    pub(super) theta: Option<f64>,
    pub(super) empty_known_uninteresting: bool,
}

/// What the committed answers taught; speculation keeps no such book.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    pub(super) evidence: ListEvidence,
    /// Kept units whose certificate is a timeout.
    pub(super) timeouts: BTreeSet<usize>,
}

/// A question of a state: these units as well, with this chance of yes.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Ask {
    pub(super) units: Range<usize>,
    pub(super) p_yes: f64,
    /// Whether it is a question of the verification.
    pub(super) verifies: bool,
}

/// A run of removable units that starts at `pos`, known to be at least `lo` and less than `hi` long.
#[derive(Clone, Debug)]
struct Cursor {
    pos: usize,
    before: Before,
    lo: usize,
    hi: usize,
    cap: usize,
    /// Whether `hi` stands there because of a timeout.
    timed_out: bool,
    survival: Survival,
    /// Probability of the lengths that were possible at the start.
    possible: f64,
    /// The length asked about and the chance of yes, computed when first needed.
    choice: Option<(usize, f64)>,
}

impl Cursor {
    /// Starts a run; `empty_rule` says that removing all the rest is known not to be interesting.
    fn new(pos: usize, len: usize, before: Before, posterior: &Posterior, empty_rule: bool) -> Self {
        let survival = posterior.survival(before);
        let left = len - pos;
        let cap = survival.cap(left, NEGLIGIBLE_SURVIVAL);
        let excluded = empty_rule && cap == left;
        let possible = if excluded { survival.tail(0).below(cap) } else { 1.0 };
        Self {
            pos,
            before,
            lo: 0,
            hi: if excluded { cap } else { cap + 1 },
            cap,
            timed_out: false,
            survival,
            possible,
            choice: None,
        }
    }

    /// The question, given that more than one length is possible.
    fn ask(&mut self) -> Ask {
        let (lo, hi) = (self.lo, self.hi);
        let open = hi == self.cap + 1;
        let survival = &self.survival;
        let &mut (m, p_yes) =
            self.choice.get_or_insert_with(|| decision_tree::choose(&survival.tail(lo), lo, hi, open));
        Ask { units: self.pos + lo..self.pos + m, p_yes, verifies: false }
    }

    /// Probability the model gave to the run's outcome when the run began.
    fn predicted(&self, run: Run) -> f64 {
        let mass =
            if run.ended { self.survival.tail(run.length).below(run.length + 1) } else { self.survival.at(run.length) };
        (mass / self.possible).clamp(f64::MIN_POSITIVE, 1.0)
    }
}

#[derive(Clone, Debug)]
enum Phase {
    Sweep(Cursor),
    Verify(Box<Verification>),
    Finished,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct State {
    phase: Phase,
    posterior: Posterior,
    chances: Chances,
    /// Removed in this state, but not (yet) in the committed one.
    pub(super) assumed: Runs,
    /// Units the sweep decided to keep.
    kept: usize,
}

impl State {
    /// The start of a sweep.
    pub(super) fn sweep(setting: &Setting, config: &Config, view: &EvidenceView, ledger: &mut Ledger) -> Self {
        let mut state = Self::finished(config, view);
        let nothing = Runs::default();
        state.begin_run(setting, &nothing, 0, Before::Unknown);
        // One unit whose removal is known to be refused is decided without any question.
        state.settle(setting, &nothing, Some(ledger));
        state
    }

    /// The start of a verification in which nothing is certified.
    pub(super) fn verification(setting: &Setting, config: &Config, view: &EvidenceView, ledger: &mut Ledger) -> Self {
        let mut state = Self::finished(config, view);
        state.kept = setting.len;
        if let Some(theta) = setting.theta {
            state.phase = Phase::Verify(Box::new(Verification::uncertified(
                setting.len,
                view.chances.clone(),
                theta,
                setting.empty_known_uninteresting,
            )));
        }
        state.settle(setting, &Runs::default(), Some(ledger));
        state
    }

    /// A search in which there is nothing to ask.
    fn finished(config: &Config, view: &EvidenceView) -> Self {
        let prior = view.grid.log_prior(config.prior_exponent);
        let log_start: Vec<f64> = prior.iter().zip(&view.log_likelihood).map(|(prior, log)| prior + log).collect();
        let grid = Arc::clone(&view.grid);
        Self {
            phase: Phase::Finished,
            // Fixed share goes home to the plain prior, not to the shared evidence. Where the regime
            // changes inside a list, evidence is an average that fits no part of it, and pulling back
            // to it would undo the forgetting: 2523 tests against 2845 on eight lists of 500 units with
            // four regimes, for 655 against 654 on 60 short lists (see `oracles`).
            posterior: Posterior::new(grid, &log_start, &prior, config.fixed_share),
            chances: view.chances.clone(),
            assumed: Runs::default(),
            kept: 0,
        }
    }

    /// The next question, `None` when the search is finished.
    pub(super) fn ask(&mut self) -> Option<Ask> {
        match &mut self.phase {
            Phase::Sweep(cursor) => Some(cursor.ask()),
            Phase::Verify(verification) => verification.pick().map(|pick| Ask {
                units: pick.position..pick.position + 1,
                p_yes: pick.chance,
                verifies: true,
            }),
            Phase::Finished => None,
        }
    }

    /// Takes the answer to the question that `ask` returns, and moves on to the next question.
    /// `committed` is what the search has removed for good, `self.assumed` not included.
    pub(super) fn answer(
        &mut self,
        setting: &Setting,
        committed: &Runs,
        verdict: Verdict,
        mut ledger: Option<&mut Ledger>,
    ) {
        let Some(ask) = self.ask() else {
            return;
        };
        let yes = verdict == Verdict::Interesting;
        let timed_out = verdict == Verdict::Timeout;
        if yes {
            self.assumed.insert(ask.units.clone());
        }
        match &mut self.phase {
            Phase::Sweep(cursor) => {
                if yes {
                    cursor.lo = ask.units.end - cursor.pos;
                } else {
                    cursor.hi = ask.units.end - cursor.pos;
                    cursor.timed_out = timed_out;
                }
                cursor.choice = None;
            }
            Phase::Verify(verification) => {
                let pick = verification.pick().expect("there was a question");
                if yes {
                    verification.remove(pick);
                } else {
                    verification.keep(pick, !timed_out);
                }
                if let Some(ledger) = ledger.as_deref_mut() {
                    ledger.verified(pick, verdict);
                }
            }
            Phase::Finished => {}
        }
        if let Some(ledger) = ledger.as_deref_mut() {
            ledger.evidence.tests += 1;
        }
        self.settle(setting, committed, ledger);
    }

    /// Closes runs whose length is known, until there is a question or the end.
    fn settle(&mut self, setting: &Setting, committed: &Runs, mut ledger: Option<&mut Ledger>) {
        loop {
            match &self.phase {
                Phase::Sweep(cursor) if cursor.hi - cursor.lo == 1 => {
                    let run = Run { length: cursor.lo, ended: cursor.lo < cursor.cap };
                    let (pos, before) = (cursor.pos, cursor.before);
                    // A timeout does not tell that a needed unit follows: the model learns only that
                    // the run is at least as long as the interesting answers made it.
                    let learnt = Run { ended: run.ended && !cursor.timed_out, ..run };
                    let raw = ledger.as_deref_mut().map(|ledger| {
                        ledger.decided(cursor, run, learnt);
                        ledger.evidence.increments.as_mut_slice()
                    });
                    self.posterior.learn(before, learnt, raw);
                    self.kept += usize::from(run.ended);
                    let before = match (run.ended, learnt.ended) {
                        (true, true) => Before::Needed,
                        (true, false) => Before::Unknown,
                        (false, _) => Before::Removable,
                    };
                    let next = pos + run.length + usize::from(run.ended);
                    self.begin_run(setting, committed, next, before);
                }
                Phase::Verify(verification) if verification.pick().is_none() => {
                    self.phase = Phase::Finished;
                }
                _ => return,
            }
        }
    }

    /// The next run, or what comes after the sweep.
    fn begin_run(&mut self, setting: &Setting, committed: &Runs, pos: usize, before: Before) {
        let empty_rule = setting.empty_known_uninteresting && self.kept == 0;
        self.phase = if pos < setting.len {
            Phase::Sweep(Cursor::new(pos, setting.len, before, &self.posterior, empty_rule))
        } else if let Some(theta) = setting.theta {
            let mut removed = committed.clone();
            removed.insert_all(&self.assumed);
            Phase::Verify(Box::new(Verification::after_sweep(
                setting.len,
                &removed,
                self.chances.clone(),
                theta,
                setting.empty_known_uninteresting,
            )))
        } else {
            Phase::Finished
        };
    }

    /// Whether there is no further question.
    pub(super) fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Finished)
    }

    /// The first undecided position; `len` after the sweep.
    pub(super) fn front(&self, len: usize) -> usize {
        match &self.phase {
            Phase::Sweep(cursor) => cursor.pos + cursor.lo,
            Phase::Verify(_) | Phase::Finished => len,
        }
    }

    /// Whether a candidate that leaves out `remove` can still be asked from this (committed) state
    /// on. `verifies` says that the candidate was made for the verification; for those the answer
    /// may be yes too often while the sweep is under way, never no by mistake.
    pub(super) fn may_reach(&self, committed: &Runs, remove: &Runs, verifies: bool) -> bool {
        if !remove.is_superset(committed) {
            return false;
        }
        match &self.phase {
            Phase::Sweep(_) if verifies => true,
            Phase::Sweep(cursor) => {
                let length = remove.run_at(cursor.pos).unwrap_or(cursor.pos) - cursor.pos;
                let more = remove.end() > cursor.pos + length;
                // A run that was cut at its cap goes on as the next run.
                let goes_on = cursor.hi == cursor.cap + 1 && length >= cursor.cap;
                let possible = length < cursor.hi || goes_on;
                let kept_stay = remove.first_not_in(committed) >= Some(cursor.pos);
                kept_stay && possible && (length > cursor.lo || more && length == cursor.lo)
            }
            Phase::Verify(verification) => {
                let extra = remove.count() - committed.count();
                verifies
                    && (extra > 1 || remove.first_not_in(committed).is_some_and(|unit| verification.is_stale(unit)))
            }
            Phase::Finished => false,
        }
    }

    /// Units the verification would still ask, when it is under way.
    pub(super) fn stale(&self) -> Option<usize> {
        match &self.phase {
            Phase::Verify(verification) => Some(verification.remaining()),
            Phase::Sweep(_) | Phase::Finished => None,
        }
    }

    /// The weights as they are now.
    pub(super) fn posterior(&self) -> &Posterior {
        &self.posterior
    }
}

impl Ledger {
    /// Books a run the sweep has decided.
    fn decided(&mut self, cursor: &Cursor, run: Run, learnt: Run) {
        let evidence = &mut self.evidence;
        let units = (learnt.length + usize::from(learnt.ended)) as u64;
        if units > 0 {
            evidence.code_length -= cursor.predicted(learnt).log2();
        }
        evidence.decided += (run.length + usize::from(run.ended)) as u64;
        evidence.needed += u64::from(run.ended);
        let first = u64::from(cursor.before != Before::Removable).min(units);
        let first_removable = u64::from(cursor.before != Before::Removable && learnt.length > 0);
        evidence.after_removable += units - first;
        evidence.removable_after_removable += learnt.length as u64 - first_removable;
        if run.ended && !learnt.ended {
            self.timeouts.insert(cursor.pos + run.length);
        }
    }

    /// Books an answer of the verification.
    fn verified(&mut self, pick: Pick, verdict: Verdict) {
        match verdict {
            Verdict::Timeout => {
                self.timeouts.insert(pick.position);
            }
            Verdict::Interesting | Verdict::NotInteresting | Verdict::Invalid => {
                let yes = verdict == Verdict::Interesting;
                self.timeouts.remove(&pick.position);
                self.evidence.chances.count(pick.bucket, yes);
                self.evidence.removed_later += u64::from(yes);
            }
        }
    }
}
