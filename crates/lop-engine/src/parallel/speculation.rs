//! Speculation: questions that depend on answers which are not there yet. Each answer is assumed both ways, with its
//! probability, and the questions that follow are asked in the order of their probability.

use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::Arc;

use crate::model::chances::Chances;
use crate::model::posterior::Posterior;
use crate::parallel::lane::{Answer, Lane};
use crate::runs::Runs;
use crate::search::questions::Purpose;
use crate::search::setting::Setting;
use crate::search::sweep::Sweep;
use crate::search::verification::Verification;
use crate::verdict::Verdict;

/// A future less probable than this is not worth a test.
const NEGLIGIBLE_REACH: f64 = 1e-3;

/// The state of the search that speculation starts from.
pub(crate) struct SearchState<'a> {
    pub(crate) setting: &'a Setting,
    /// The sweep, while it is under way.
    pub(crate) sweep: Option<&'a Sweep>,
    /// The units that are removed for good.
    pub(crate) committed: &'a Arc<Runs>,
    pub(crate) chances: &'a Chances,
}

/// A possible question, and its purpose.
pub(crate) struct Ask {
    pub(crate) purpose: Purpose,
    /// All positions that are removed in the candidate.
    pub(crate) remove: Runs,
    pub(crate) p_yes: f64,
}

/// One point of a search that assumed answers lead to.
#[derive(Clone)]
pub(crate) enum Node {
    /// In a lane of the sweep.
    Lane {
        /// Which of the sweep's lanes.
        at: usize,
        lane: Lane,
        posterior: Arc<Posterior>,
        /// Units that are assumed to be removed, by index.
        assumed: Runs,
    },
    /// In the verification.
    Verify {
        verification: Box<Verification>,
        /// Positions that are assumed to be removed.
        assumed: Runs,
    },
}

impl Node {
    /// The next question there, if there is one.
    pub(crate) fn ask(&mut self, state: &SearchState<'_>) -> Option<Ask> {
        match self {
            Node::Lane { lane, assumed, .. } => {
                let sweep = state.sweep?;
                let (units, p_yes) = lane.ask()?;
                let mut remove = Runs::clone(&sweep.union);
                for units in assumed.iter() {
                    remove.insert(lane.range(units));
                }
                remove.insert(lane.range(units.clone()));
                Some(Ask { purpose: lane_purpose(lane, assumed, units), remove, p_yes })
            }
            Node::Verify { verification, assumed } => {
                let pick = verification.pick()?;
                let mut remove = Runs::clone(state.committed);
                remove.insert_all(assumed);
                remove.insert(pick.position..pick.position + 1);
                Some(Ask { purpose: Purpose::Verify(remove.clone()), remove, p_yes: pick.chance })
            }
        }
    }

    /// Follows an outcome of the question.
    pub(crate) fn answer(&mut self, verdict: Verdict, state: &SearchState<'_>) {
        let yes = verdict == Verdict::Interesting;
        match self {
            Node::Lane { at, lane, posterior, assumed } => {
                let (Some(sweep), Some((units, _))) = (state.sweep, lane.ask()) else { return };
                if yes {
                    assumed.insert(units);
                }
                let mut context = sweep.context(state.setting, *at, None);
                let answer = Answer { yes, timed_out: verdict == Verdict::Timeout, known_removals: 0 };
                lane.answer(answer, posterior, &mut context);
                if lane.is_finished() && sweep.ends_with(*at) && sweep.is_in_order() {
                    let mut removed = Runs::clone(&sweep.union);
                    removed.insert_all(assumed);
                    if let Some(verification) = after_sweep(state, &removed) {
                        *self = Node::Verify { verification: Box::new(verification), assumed: removed };
                    }
                }
            }
            Node::Verify { verification, assumed } => {
                let Some(pick) = verification.pick() else { return };
                if yes {
                    assumed.insert(pick.position..pick.position + 1);
                    verification.remove(pick);
                } else {
                    verification.keep(pick, verdict != Verdict::Timeout);
                }
            }
        }
    }
}

/// The state of the search in a lane.
fn lane_node(sweep: &Sweep, at: usize, posterior: &Arc<Posterior>) -> Node {
    let lane = sweep.lanes[at].clone();
    Node::Lane { at, lane, posterior: Arc::clone(sweep.outlook(at, posterior)), assumed: Runs::default() }
}

/// The verification after a sweep in order.
fn after_sweep(state: &SearchState<'_>, removed: &Runs) -> Option<Verification> {
    let Setting { len, theta, empty_known_uninteresting, .. } = *state.setting;
    Some(Verification::after_sweep(len, removed, state.chances.clone(), theta?, empty_known_uninteresting))
}

/// The purpose of a question of a lane.
pub(crate) fn lane_purpose(lane: &Lane, assumed: &Runs, units: std::ops::Range<usize>) -> Purpose {
    let mut gone = Runs::clone(lane.gone());
    gone.insert_all(assumed);
    gone.insert(units);
    Purpose::Lane(lane.id, gone)
}

/// A state after assumed outcomes. It is only computed when its turn comes, which for half of them is never.
pub(crate) struct Future {
    /// The probability that the search gets to this point: the larger, the sooner it is looked at.
    pub(crate) reach: f64,
    /// Of equal ones, the older comes first.
    order: usize,
    before: Rc<Node>,
    answer: Option<Verdict>,
}

/// The futures that are still to be looked at, the best first.
#[derive(Default)]
pub(crate) struct Futures {
    heap: BinaryHeap<Future>,
    order: usize,
}

impl Futures {
    /// The state of the search in its lanes, or in the verification.
    pub(crate) fn of_sweep(sweep: &Sweep, posterior: &Arc<Posterior>) -> Self {
        let mut futures = Self::default();
        let far = sweep.far_weight();
        for at in (0..sweep.lanes.len()).filter(|&at| !sweep.lanes[at].is_finished()) {
            let reach = if at == 0 { 1.0 } else { far };
            futures.push(Rc::new(lane_node(sweep, at, posterior)), reach, None);
        }
        futures
    }

    /// The state of the search in its front lane.
    pub(crate) fn of_front(sweep: &Sweep, posterior: &Arc<Posterior>) -> Self {
        let mut futures = Self::default();
        futures.push(Rc::new(lane_node(sweep, 0, posterior)), 1.0, None);
        futures
    }

    /// The state of the search in the verification.
    pub(crate) fn of_verification(verification: &Verification) -> Self {
        let mut futures = Self::default();
        let node = Node::Verify { verification: Box::new(verification.clone()), assumed: Runs::default() };
        futures.push(Rc::new(node), 1.0, None);
        futures
    }

    fn push(&mut self, before: Rc<Node>, reach: f64, answer: Option<Verdict>) {
        self.order += 1;
        self.heap.push(Future { reach, order: self.order, before, answer });
    }

    /// The reach of the best of them.
    pub(crate) fn reach(&self) -> Option<f64> {
        self.heap.peek().map(|future| future.reach)
    }

    /// The best of them, with its reach.
    pub(crate) fn pop(&mut self, state: &SearchState<'_>) -> Option<(Node, f64)> {
        let future = self.heap.pop()?;
        let mut node = Rc::unwrap_or_clone(future.before);
        if let Some(verdict) = future.answer {
            node.answer(verdict, state);
        }
        Some((node, future.reach))
    }

    /// Adds the questions after a question: after its outcome if that is known, otherwise after both.
    pub(crate) fn follow(&mut self, node: Node, reach: f64, p_yes: f64, answer: Option<Verdict>) {
        let branches = match answer {
            Some(verdict) => [(verdict, 1.0), (verdict, 0.0)],
            None => [(Verdict::Interesting, p_yes), (Verdict::NotInteresting, 1.0 - p_yes)],
        };
        let node = Rc::new(node);
        for (verdict, chance) in branches.into_iter().filter(|(_, chance)| reach * chance > NEGLIGIBLE_REACH) {
            self.push(Rc::clone(&node), reach * chance, Some(verdict));
        }
    }
}

impl Ord for Future {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.reach.total_cmp(&other.reach).then(other.order.cmp(&self.order))
    }
}

impl PartialOrd for Future {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Future {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Future {}
