//! Collects the facts for the report at the end: the sizes over time, and the test's outcome for the input.

use std::io;

use lop_reduce::{Event, EventSink, Size};
use lop_run::oracle::Outcome;

use super::origins::Origins;

/// A reduction's course.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The size of the best result after a number of tests, from the input on. It rises if lop withdraws a result.
    pub sizes: Vec<(u64, Size)>,
    /// The test on the input.
    pub baseline: Option<Outcome>,
    /// The notes that the user was shown.
    pub notes: Vec<String>,
    /// Tests at the same time, as many as there were at the start.
    pub workers: usize,
    /// Where the best result comes from, if the report shows it.
    pub origins: Option<Origins>,
}

impl EventSink for History {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { size, slots, .. } => {
                self.sizes.push((0, *size));
                self.workers = *slots;
            }
            Event::Baseline { outcome, .. } => self.baseline = Some((*outcome).clone()),
            Event::Accepted { size, tests, content, .. } | Event::Returned { size, tests, content } => {
                self.sizes.push((*tests, *size));
                if let Some(origins) = &mut self.origins {
                    origins.follow(content);
                }
            }
            Event::Note(note) => self.notes.push((*note).to_owned()),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lop_engine::Verdict;

    #[test]
    fn the_course_is_written_down() {
        let size = |bytes| Size { bytes, tokens: 2, lines: 1 };
        let outcome = Outcome::of(Verdict::Interesting);
        let mut history = History::default();
        for event in [
            Event::Started {
                size: size(9),
                archive: None,
                grammar: None,
                syntax_errors: 0,
                by_structure: false,
                slots: 1,
            },
            Event::Baseline { outcome: &outcome, deadline: std::time::Duration::ZERO },
            Event::Accepted { content: b"x", size: size(1), tests: 5, pass: "lines", rules: &[] },
            Event::Note("well"),
            Event::Returned { content: b"abcdefghi", size: size(9), tests: 7 },
        ] {
            history.event(&event).expect("it never fails");
        }
        let bytes: Vec<_> = history.sizes.iter().map(|(tests, size)| (*tests, size.bytes)).collect();
        assert_eq!(bytes, [(0, 9), (5, 1), (7, 9)]);
        assert_eq!((history.baseline, history.notes), (Some(outcome), vec!["well".to_owned()]));
    }
}
