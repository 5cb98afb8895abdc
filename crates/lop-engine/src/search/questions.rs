//! The questions of a search: the purpose of each, and its outcome.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::parallel::lane::{Lane, LaneId};
use crate::question::QuestionId;
use crate::runs::Runs;
use crate::verdict::Verdict;

/// The purpose of a question. Equal purposes are one question.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Purpose {
    /// The sweep: these units of a lane are removed, by index.
    Lane(LaneId, Runs),
    /// Judges the union of several lanes' removals.
    Union(Arc<Runs>),
    /// A refusal that is asked again after another lane has removed units: these positions are removed.
    Probe(Runs),
    /// The verification: these positions are removed.
    Verify(Runs),
}

/// A candidate that was handed out, and its answer.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) purpose: Arc<Purpose>,
    pub(crate) remove: Arc<Runs>,
    /// How many removals of the sweep the candidate contains.
    pub(crate) known_removals: u32,
    pub(crate) answer: Option<Verdict>,
}

/// The candidates that were handed out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Questions {
    ids: BTreeMap<Arc<Purpose>, QuestionId>,
    pub(crate) records: BTreeMap<QuestionId, Record>,
    next: u64,
}

impl Questions {
    /// The id of a question, a new one when it was not handed out yet.
    pub(crate) fn id_of(&mut self, purpose: Purpose, remove: Runs, known_removals: u32) -> QuestionId {
        if let Some(&id) = self.ids.get(&purpose) {
            return id;
        }
        let id = QuestionId(self.next);
        self.next += 1;
        let purpose = Arc::new(purpose);
        self.ids.insert(Arc::clone(&purpose), id);
        self.records.insert(id, Record { purpose, remove: Arc::new(remove), known_removals, answer: None });
        id
    }

    /// The record of a question that was answered, with its id and the answer.
    pub(crate) fn answered(&self, purpose: &Purpose) -> Option<(QuestionId, &Record, Verdict)> {
        let &id = self.ids.get(purpose)?;
        let record = &self.records[&id];
        Some((id, record, record.answer?))
    }

    /// An answered question of a lane that says something about its run under way. The lane asks it from now on.
    pub(crate) fn adopt(&self, lane: &mut Lane) -> Option<(QuestionId, &Record, Verdict)> {
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
    pub(crate) fn probe_answer(&self, probe: &Range<usize>) -> Option<(QuestionId, Arc<Runs>, Verdict)> {
        self.records.iter().find_map(|(&id, record)| match &*record.purpose {
            Purpose::Probe(gone) if gone.run_at(probe.start) >= Some(probe.end) => {
                Some((id, Arc::clone(&record.remove), record.answer?))
            }
            _ => None,
        })
    }

    /// Drops all of them; their ids are not given again.
    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.records.clear();
    }

    /// Drops the questions that are of no use any more.
    pub(crate) fn retain(&mut self, useful: impl Fn(&Record) -> bool) {
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
