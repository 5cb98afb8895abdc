//! Removes columns: if the lines are records with the same fields, one field of all records at once.

use lop_syntax::{Edit, fields, lines};

use super::pass::{Facts, Pass, Proposals, Stage, View, Wanted};

/// Columns of records.
pub(super) struct Columns;

/// Longer texts have too many fields: their lines go first.
const LONGEST: usize = 4 << 20;

impl Pass for Columns {
    fn facts(&self) -> Facts {
        Facts::new("columns", Stage::Deletion, "columns of a table, in all records at once")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let notation = view.tree.as_ref().and_then(|tree| tree.grammar.notation());
        let separator = notation.filter(|notation| notation.records).and_then(|notation| notation.separators.first());
        let Some(separator) = separator.filter(|_| view.wanted != Wanted::Alternatives && view.text.len() <= LONGEST)
        else {
            return Proposals::default();
        };
        view.any_of(columns(view.text, *separator))
    }
}

/// For each column the edits that remove it: each field with the separator after it, and the last one with the separator
/// before it.
fn columns(text: &[u8], separator: u8) -> Vec<Vec<Edit>> {
    let mut columns: Vec<Vec<Edit>> = Vec::new();
    for line in lines(text) {
        let record = text[line.clone()].trim_ascii_end();
        let all: Vec<_> = fields(record, separator).collect();
        for (at, field) in all.iter().enumerate() {
            let (mut start, mut end) = (field.start, field.end);
            match at + 1 < all.len() {
                true => end += 1,
                false => start = start.saturating_sub(usize::from(at > 0)),
            }
            if columns.len() <= at {
                columns.push(Vec::new());
            }
            if start < end {
                columns[at].push(Edit::delete_raw(line.start + start..line.start + end));
            }
        }
    }
    columns.retain(|edits| !edits.is_empty());
    // The only column is the text.
    if columns.len() < 2 { Vec::new() } else { columns }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Removal;
    use crate::testing::{Languages, lossy};

    #[test]
    fn a_column_goes_from_all_records_at_once() {
        let text = "id,name,n\n1,\"a, b\",2\n3,c\n\n4,d,5";
        let sample = Languages.sample("x.json", text);
        let left: Vec<_> = columns(text.as_bytes(), b',')
            .into_iter()
            .map(|edits| lossy(&sample.after([&Removal::Edits(edits)])))
            .collect();
        let expected = ["name,n\n\"a, b\",2\nc\n\nd,5", "id,n\n1,2\n3\n\n4,5", "id,name\n1,\"a, b\"\n3,c\n\n4,d"];
        assert_eq!(left, expected);
        assert!(columns(b"a\nb\n", b',').is_empty() && columns(b"", b',').is_empty());
    }
}
