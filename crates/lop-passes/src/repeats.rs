//! Equal lines: removes all lines with the same text at once, or all but the first.
//!
//! A program may count such lines, or need each of them with another one. Then no single line can be removed.

use std::collections::HashMap;
use std::ops::Range;

use lop_syntax::{Edit, lines};

use super::pass::{Facts, Pass, Proposals, Stage, View, Wanted};

/// All lines with the same text.
pub(super) struct Repeats;

/// Longer texts have too many lines: most of them go first.
const LONGEST: usize = 4 << 20;

impl Pass for Repeats {
    fn facts(&self) -> Facts {
        Facts::new("repeats", Stage::Deletion, "equal lines, all at once or all but the first")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let has_lines = view.tree.as_ref().is_none_or(|tree| tree.grammar.notation().is_some());
        if !has_lines || view.wanted == Wanted::Alternatives || view.text.len() > LONGEST {
            return Proposals::default();
        }
        let equal = equal_lines(view.text);
        let sequence = |from: usize| {
            let delete = |lines: &[Range<usize>]| lines.iter().cloned().map(Edit::delete_raw).collect();
            view.any_of(equal.iter().map(|lines| delete(&lines[from..]))).sequences
        };
        Proposals { sequences: [sequence(0), sequence(1)].concat(), alternatives: Vec::new() }
    }
}

/// The lines of each text that more than one line has, in the order of the first of them. Blank lines are not looked at.
fn equal_lines(text: &[u8]) -> Vec<Vec<Range<usize>>> {
    let mut classes: Vec<Vec<Range<usize>>> = Vec::new();
    let mut class_of: HashMap<&[u8], usize> = HashMap::new();
    for line in lines(text) {
        let shown = text[line.clone()].trim_ascii_end();
        if !shown.is_empty() {
            let class = *class_of.entry(shown).or_insert(classes.len());
            if class == classes.len() {
                classes.push(Vec::new());
            }
            classes[class].push(line);
        }
    }
    classes.retain(|lines| lines.len() > 1);
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lines_go_together() {
        let text = b"tick\na\n\ntick \r\nb\n\na\ntick";
        assert_eq!(equal_lines(text), [vec![0..5, 8..15, 20..24], vec![5..7, 18..20]]);
        assert!(equal_lines(b"a\nb\n\n\n").is_empty() && equal_lines(b"").is_empty());
        let proposals = Repeats.propose(&View::of_text(text));
        let sizes: Vec<_> = proposals.sequences.iter().map(|sequence| sequence.units.len()).collect();
        assert_eq!(sizes, [2, 2]);
    }
}
