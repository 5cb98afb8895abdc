//! The questions of a search that were handed out, and what they were asked for.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::lane::{Lane, LaneId};
use super::question::QuestionId;
use super::runs::Runs;
use super::verdict::Verdict;

/// What a question is asked for. Equal purposes are one question.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Purpose {
    /// The sweep: these units of a lane are gone, by index.
    Lane(LaneId, Runs),
    /// To judge the union of what several lanes found.
    Union(Arc<Runs>),
    /// To judge once more what one lane was refused before another removed its units: these
    /// positions are gone.
    Probe(Runs),
    /// The verification: these positions are gone.
    Verify(Runs),
}

/// A candidate that was handed out, and its answer.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) purpose: Arc<Purpose>,
    pub(super) remove: Arc<Runs>,
    /// How many removals of the sweep the candidate contains.
    pub(super) knew: u32,
    pub(super) answer: Option<Verdict>,
    /// Whether the text around the units has changed since its candidate was made.
    pub(super) stale: bool,
}

impl Record {
    /// Whether it was found interesting beside what is not there any more.
    pub(super) fn is_overtaken(&self) -> bool {
        self.stale && self.answer == Some(Verdict::Interesting)
    }
}

/// The candidates that were handed out.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    ids: BTreeMap<Arc<Purpose>, QuestionId>,
    pub(super) records: BTreeMap<QuestionId, Record>,
    next: u64,
}

impl Questions {
    /// The id of a question, a new one when it was not handed out yet.
    pub(super) fn id_of(&mut self, purpose: Purpose, remove: Runs, knew: u32) -> QuestionId {
        if let Some(&id) = self.ids.get(&purpose) {
            return id;
        }
        let id = QuestionId(self.next);
        self.next += 1;
        let purpose = Arc::new(purpose);
        self.ids.insert(Arc::clone(&purpose), id);
        self.records.insert(id, Record { purpose, remove: Arc::new(remove), knew, answer: None, stale: false });
        id
    }

    /// The record of a question that was answered, with its id and the answer.
    pub(super) fn answered(&self, purpose: &Purpose) -> Option<(QuestionId, &Record, Verdict)> {
        let &id = self.ids.get(purpose)?;
        let record = &self.records[&id];
        Some((id, record, record.answer?))
    }

    /// An answered question of a lane that tells something about its run under way; the lane asks it
    /// from now on.
    pub(super) fn adopt(&self, lane: &mut Lane) -> Option<(QuestionId, &Record, Verdict)> {
        let from = Purpose::Lane(lane.id, Runs::default());
        let (units, &id) = self
            .ids
            .range(Arc::new(from)..)
            .map_while(|(purpose, id)| match &**purpose {
                Purpose::Lane(of, gone) if *of == lane.id => Some((gone, id)),
                _ => None,
            })
            .find_map(|(gone, id)| {
                self.records[id].answer?;
                Some((lane.may_adopt(gone)?, id))
            })?;
        lane.adopt(&units);
        let record = &self.records[&id];
        Some((id, record, record.answer?))
    }

    /// The answer to a question that was asked once more.
    pub(super) fn probe_answer(&self, probe: &Range<usize>) -> Option<(QuestionId, Arc<Runs>, Verdict)> {
        self.records.iter().find_map(|(&id, record)| match &*record.purpose {
            Purpose::Probe(gone) if gone.run_at(probe.start) >= Some(probe.end) && !record.is_overtaken() => {
                Some((id, Arc::clone(&record.remove), record.answer?))
            }
            _ => None,
        })
    }

    /// Drops all of them; their ids are not given again.
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.records.clear();
    }

    /// Drops the questions that are of no use any more.
    pub(super) fn retain(&mut self, useful: impl Fn(&Record) -> bool) {
        let ids = &mut self.ids;
        self.records.retain(|_, record| {
            let useful = useful(record);
            if !useful {
                ids.remove(&record.purpose);
            }
            useful
        });
    }
}
