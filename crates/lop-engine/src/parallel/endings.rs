//! The possible unions of a sweep's lanes in its last round, before their last outcomes arrive.
//!
//! When only a few answers are missing in every lane, the union at the end is one of a few candidates. These are asked
//! about together with the missing answers, so that the verdict on the union is there one round earlier.

use std::sync::Arc;

use crate::model::posterior::Posterior;
use crate::parallel::speculation::{Node, SearchState};
use crate::runs::Runs;
use crate::search::sweep::Sweep;
use crate::verdict::Verdict;

/// The least number of questions of one lane that are looked at; more if there are more workers per lane.
const LEAST_ASKED: usize = 3;
/// An ending less probable than this is not worth a test.
const NEGLIGIBLE: f64 = 0.01;

/// Lists the possible removals when all lanes are finished, with their probabilities: the `most` likeliest endings.
/// None while a lane is far from its end.
pub(crate) fn of_sweep(
    sweep: &Sweep,
    state: &SearchState<'_>,
    posterior: &Arc<Posterior>,
    most: usize,
) -> Vec<(Arc<Runs>, f64)> {
    let posterior = sweep.outlook(1, posterior);
    let running = sweep.lanes.iter().filter(|lane| !lane.is_finished()).count();
    let asked = (most / running.max(1)).max(LEAST_ASKED);
    let mut endings = vec![(Runs::clone(&sweep.union), 1.0)];
    for (at, lane) in sweep.lanes.iter().enumerate().filter(|(_, lane)| !lane.is_finished()) {
        let start = Node::Lane { at, lane: lane.clone(), posterior: Arc::clone(posterior), assumed: Runs::default() };
        let of_lane = of_node(start, state, asked);
        let mut together: Vec<(Runs, f64)> = Vec::with_capacity(endings.len() * of_lane.len());
        for (before, likely) in &endings {
            for (gone, chance) in of_lane.iter().filter(|(_, chance)| likely * chance > NEGLIGIBLE) {
                let mut all = before.clone();
                gone.iter().for_each(|units| all.insert(lane.range(units)));
                together.push((all, likely * chance));
            }
        }
        together.sort_by(|one, other| other.1.total_cmp(&one.1));
        together.truncate(most);
        endings = together;
        if endings.is_empty() {
            break;
        }
    }
    endings.into_iter().map(|(all, chance)| (Arc::new(all), chance)).collect()
}

/// Lists the possible removals of a finished lane, by index, with their probabilities, as far as the `asked` likeliest
/// questions lead.
fn of_node(start: Node, state: &SearchState<'_>, asked: usize) -> Vec<(Runs, f64)> {
    let mut ended = Vec::new();
    let mut open = vec![(start, 1.0_f64)];
    for _ in 0..asked {
        let likeliest = open.iter().enumerate().max_by(|(_, one), (_, other)| one.1.total_cmp(&other.1));
        let Some(at) = likeliest.map(|(at, _)| at) else { break };
        let (mut node, likely) = open.swap_remove(at);
        let Some(ask) = node.ask(state) else { continue };
        for (verdict, chance) in [(Verdict::Interesting, ask.p_yes), (Verdict::NotInteresting, 1.0 - ask.p_yes)] {
            let mut next = node.clone();
            next.answer(verdict, state);
            match next {
                Node::Lane { ref lane, .. } if !lane.is_finished() => open.push((next, likely * chance)),
                Node::Lane { assumed, .. } | Node::Verify { assumed, .. } => ended.push((assumed, likely * chance)),
            }
        }
    }
    ended
}

#[cfg(test)]
mod tests {
    use crate::{Config, EvidenceView, Lanes, Search, Verdict, Waste, drive};

    /// Rounds that two lanes of 8 units take when `kept` of the 16 stay.
    fn rounds(kept: &[usize], width: usize) -> usize {
        let expect = Some(Waste { share: 0.99, after_removable: None });
        let config = Config { theta: None, expect, lanes: Lanes::Always, ..Config::default() };
        let mut search = Search::new(16, &config, &EvidenceView::blank(16));
        let tally = drive(&mut search, width, |question| {
            let mut gone = question.remove.iter().cloned().flatten();
            Verdict::from(gone.all(|position| !kept.contains(&position)))
        });
        assert_eq!(search.removed().count_ones(..), 16 - kept.len());
        tally.rounds
    }

    #[test]
    fn what_all_lanes_find_in_their_last_round_is_judged_in_that_round() {
        assert_eq!(rounds(&[], 4), 1);
        assert_eq!(rounds(&[], 2), 2, "without a worker to spare the union comes last");
        assert_eq!(rounds(&[3], 32), 2);
    }
}
