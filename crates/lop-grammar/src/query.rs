//! The user's queries: select parts of a text by their syntax.

use std::ops::Range;

use tree_sitter::{Node, Query, QueryCursor, StreamingIterator};

use super::Grammar;
use super::problem::in_words;
use lop_syntax::Root;

/// Why a query picks nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryProblem {
    /// It does not compile against the parser.
    #[error("{0}")]
    Malformed(String),
    /// The content gives no hint.
    #[error("it has no capture @{0}")]
    NoCapture(String),
    /// It has a predicate or directive that lop does not evaluate.
    #[error("unknown predicate or directive #{0}")]
    Unknown(String),
}

impl Grammar {
    /// The nodes below `root` that a query captures by this name, in the order of the matches.
    /// `source` is the text that was parsed.
    ///
    /// # Errors
    /// A query that does not compile, has no such capture, or a predicate that is not one of `#eq?`,
    /// `#match?`, `#any-of?` and their relatives.
    pub fn captured(
        &self,
        query: &str,
        capture: &str,
        root: Root<'_>,
        source: &[u8],
    ) -> Result<Vec<Range<usize>>, QueryProblem> {
        let query = Query::new(self.language(), query).map_err(|error| QueryProblem::Malformed(in_words(&error)))?;
        let index = query.capture_index_for_name(capture).ok_or_else(|| QueryProblem::NoCapture(capture.to_owned()))?;
        for pattern in 0..query.pattern_count() {
            let general = query.general_predicates(pattern).iter().map(|predicate| predicate.operator.to_string());
            let settings = query.property_settings(pattern).iter().map(|_| "set!".to_owned());
            let properties = query.property_predicates(pattern).iter().map(|_| "is?".to_owned());
            if let Some(unknown) = general.chain(settings).chain(properties).next() {
                return Err(QueryProblem::Unknown(unknown));
            }
        }
        let mut found = Vec::new();
        let mut cursor = QueryCursor::new();
        let text = |node: Node<'_>| std::iter::once(root.text(node, source));
        let mut matches = cursor.matches(&query, root.node(), text);
        while let Some(matched) = matches.next() {
            let captures = matched.captures().iter().filter(|captured| captured.index == index);
            found.extend(captures.map(|captured| root.range(captured.node)));
        }
        Ok(found)
    }
}
