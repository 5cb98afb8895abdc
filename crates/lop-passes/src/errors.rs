//! Syntax errors: removes the text around one.
//!
//! The test of a malformed text is usually about the place where it is malformed. But the tree is least reliable there:
//! error recovery can take half a file apart because of one missing quote. Brackets are more reliable. So this pass
//! removes the bracket groups around an error like the shells of a chain, and then the elements next to the error in
//! the innermost group. If only the error matters, one test removes everything else.
//!
//! ```text
//! {"u": [1, {"v": 2, "w": 03, "x": 4}]}      shells  {"u": … }   [1, … ]   { … }
//!                          ^ the error       beside  "v": 2   "w"   :   0   "x": 4
//! ```

use std::ops::Range;

use lop_syntax::{Document, Edit, NodeId};

use super::chains;
use super::sequence::{Removal, Sequence, Unit};

/// The shells around the last and around the first syntax error of a text: a sequence for each.
#[must_use]
pub fn error_shells(document: &Document) -> Vec<Sequence> {
    let faults = errors(document);
    let groups = Group::around(document, &faults);
    faults.into_iter().filter_map(|fault| shells(document, &groups, fault)).collect()
}

/// Parts of a text that hold one syntax error and may be all that matters.
#[derive(Debug, PartialEq, Eq)]
pub struct Windows {
    /// The error alone.
    pub alone: Range<usize>,
    /// The error between the brackets of a group around it, for each kind of bracket.
    pub bracketed: Vec<[Range<usize>; 3]>,
    /// The error with the nodes next to it: after it, before it, or both.
    pub near: Vec<Range<usize>>,
    /// The groups of brackets around it, each inside the next; the last is the whole text.
    pub groups: Vec<Range<usize>>,
}

/// The windows around the last and around the first syntax error.
#[must_use]
pub fn error_windows(document: &Document) -> Vec<Windows> {
    let faults = errors(document);
    let groups = Group::around(document, &faults);
    faults.into_iter().map(|fault| windows(document, &groups, fault)).collect()
}

/// The last and the first syntax error; only one if they are the same.
fn errors(document: &Document) -> Vec<NodeId> {
    if document.errors() == 0 {
        return Vec::new();
    }
    let faults: Vec<_> = document.ids().filter(|id| is_fault(document, *id)).collect();
    // An error inside an error is the nearer look at it.
    let first = faults.windows(2).find(|pair| !document.contains(pair[0], pair[1])).map(|pair| pair[0]);
    faults.last().copied().into_iter().chain(first).collect()
}

fn is_fault(document: &Document, id: NodeId) -> bool {
    document.node(id).is_error() || document.node(id).is_missing()
}

/// A pair of brackets, or the whole text.
struct Group {
    /// With the brackets.
    outside: Range<usize>,
    /// Without them.
    inside: Range<usize>,
    /// Separators between its elements.
    separators: Vec<Range<usize>>,
}

impl Group {
    /// Returns the groups that contain one of these nodes in the order of their ends. A bracket without a partner
    /// reaches to the end of its group; an unmatched closing one is ignored.
    fn around(document: &Document, nodes: &[NodeId]) -> Vec<Self> {
        if nodes.is_empty() {
            return Vec::new();
        }
        let length = document.source().len();
        let holds_one = |group: &Group| nodes.iter().any(|node| group.holds(&document.node(*node).range()));
        let mut open = vec![(0, Group { outside: 0..length, inside: 0..length, separators: Vec::new() })];
        let mut all = Vec::new();
        for id in document.ids().filter(|id| document.is_leaf(*id)) {
            let at = document.node(id).range();
            match document.text(id) {
                b"(" | b"[" | b"{" => {
                    let closing = closing(document.text(id)[0]);
                    let group = Group { outside: at.start..length, inside: at.end..length, separators: Vec::new() };
                    open.push((closing, group));
                }
                b"," | b";" => {
                    let (_, group) = open.last_mut().expect("the whole text is never closed");
                    group.separators.push(at);
                }
                &[bracket @ (b')' | b']' | b'}')] => {
                    let Some(partner) = open.iter().rposition(|(closing, _)| *closing == bracket) else { continue };
                    while open.len() > partner {
                        let (_, mut group) = open.pop().expect("there are more than the partner's position");
                        group.inside.end = at.start;
                        group.outside.end = if open.len() == partner { at.end } else { at.start };
                        if holds_one(&group) {
                            all.push(group);
                        }
                    }
                }
                _ => {}
            }
        }
        all.extend(open.into_iter().rev().map(|(_, group)| group).filter(holds_one));
        all
    }

    fn holds(&self, part: &Range<usize>) -> bool {
        self.inside.start <= part.start && part.end <= self.inside.end
    }

    /// Returns the elements before and after a part of the group, with the adjacent ones separate.
    fn elements_beside(&self, part: &Range<usize>) -> Vec<Range<usize>> {
        let before = self.separators.iter().rev().filter(|s| s.end <= part.start);
        let behind = self.separators.iter().filter(|s| s.start >= part.end);
        let (mut before, mut behind) = (before.map(|s| s.end), behind.map(|s| s.start));
        let element = before.next().unwrap_or(self.inside.start)..behind.next().unwrap_or(self.inside.end);
        let (left, right) = (before.next().unwrap_or(self.inside.start), behind.next().unwrap_or(self.inside.end));
        vec![self.inside.start..left, left..element.start, element.end..right, right..self.inside.end]
    }
}

fn closing(bracket: u8) -> u8 {
    match bracket {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

/// Returns the shells around an error and the elements next to it; `None` if it is alone.
fn shells(document: &Document, groups: &[Group], fault: NodeId) -> Option<Sequence> {
    let part = document.node(fault).range();
    let around: Vec<_> = groups_around(groups, &part).rev().collect();
    let innermost = around.last()?;
    let mut removals: Vec<Vec<Range<usize>>> =
        around.windows(2).map(|pair| ring(&pair[0].outside, &pair[1].outside)).collect();
    removals.push(ring(&innermost.outside, &innermost.inside));
    let elements = innermost.elements_beside(&part);
    let element = elements[1].end..elements[2].start;
    removals.extend(elements.into_iter().map(|e| vec![e]));
    removals.extend(parts_beside(document, &element, fault).map(|p| vec![p]));
    let units: Vec<_> = removals.into_iter().filter_map(|parts| unit(document, parts)).collect();
    (!units.is_empty()).then(|| Sequence { depth: 0, ..chains::shells(document, units) })
}

/// The groups that hold a part of the text, inner ones first.
fn groups_around<'g>(groups: &'g [Group], part: &Range<usize>) -> impl DoubleEndedIterator<Item = &'g Group> {
    let part = part.clone();
    groups.iter().filter(move |group| group.holds(&part))
}

fn windows(document: &Document, groups: &[Group], fault: NodeId) -> Windows {
    let part = document.node(fault).range();
    let around: Vec<_> = groups_around(groups, &part).collect();
    let mut near = Vec::new();
    if let Some(innermost) = around.first() {
        let elements = innermost.elements_beside(&part);
        let element = elements[1].end..elements[2].start;
        let beside: Vec<_> = parts_beside(document, &element, fault).collect();
        let before = beside.iter().rfind(|b| b.end <= part.start).map_or(part.start, |b| b.start);
        let behind = beside.iter().find(|b| b.start >= part.end).map_or(part.end, |b| b.end);
        near.extend([part.start..behind, before..part.end, before..behind]);
    }
    near.retain(|window| *window != part);
    near.dedup();
    let mut bracketed: Vec<[_; 3]> = Vec::new();
    for group in &around {
        let (open, close) = (group.outside.start..group.inside.start, group.inside.end..group.outside.end);
        let text = |range: &Range<usize>| &document.source()[range.clone()];
        if !open.is_empty() && bracketed.iter().all(|[other, ..]| text(other) != text(&open)) {
            bracketed.push([open, part.clone(), close]);
        }
    }
    Windows { alone: part, bracketed, near, groups: around.into_iter().map(|group| group.outside.clone()).collect() }
}

fn ring(outer: &Range<usize>, inner: &Range<usize>) -> Vec<Range<usize>> {
    vec![outer.start..inner.start, inner.end..outer.end]
}

/// The largest nodes of an element that neither are nor hold the error, nor touch it with a part of theirs.
fn parts_beside(document: &Document, element: &Range<usize>, fault: NodeId) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    let part = document.node(fault).range();
    document.ids().filter_map(move |id| {
        let range = document.node(id).range();
        let fits = element.start <= range.start && range.end <= element.end && !range.is_empty();
        let beside = !document.contains(id, fault) && !document.contains(fault, id);
        let touches = !document.is_leaf(id) && (range.end == part.start || range.start == part.end);
        (fits && beside && !touches && range.start >= end).then(|| {
            end = range.end;
            range
        })
    })
}

fn unit(document: &Document, parts: Vec<Range<usize>>) -> Option<Unit> {
    let tokens = parts.iter().map(|part| document.tokens_in(part.clone())).sum::<usize>();
    let edits: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).map(Edit::delete).collect();
    let tokens = u32::try_from(tokens).expect("a text has fewer tokens than bytes, which 32 bits count");
    (!edits.is_empty()).then_some(Unit { removal: Removal::Edits(edits), tokens, known_to_parse: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, lossy};

    #[test]
    fn a_text_without_errors_has_no_windows() {
        let mut languages = Languages;
        for (file, text) in [("x.json", "[1, 2]"), ("x.c", "int a;"), ("x.js", "f(a)"), ("x.c", "")] {
            let sample = languages.sample(file, text);
            assert!(error_windows(&sample.document).is_empty() && error_shells(&sample.document).is_empty(), "{text}");
        }
    }

    #[test]
    fn windows_grow_from_the_error_to_the_whole_text() {
        let text = "{\"a\": [1, {\"b\": 2, \"c\": +3, \"d\": 4}]}";
        let sample = Languages.sample("x.json", text);
        let all = error_windows(&sample.document);
        let [windows] = &all[..] else { panic!("one error: {all:?}") };
        let read = |range: &Range<usize>| &text[range.clone()];
        assert_eq!(read(&windows.alone), "+");
        let near: Vec<_> = windows.near.iter().map(read).collect();
        assert_eq!(near, ["+3", ": +", ": +3"]);
        let groups: Vec<_> = windows.groups.iter().map(read).collect();
        let object = "{\"b\": 2, \"c\": +3, \"d\": 4}";
        assert_eq!(groups, [object, &format!("[1, {object}]"), text, text]);
        let bracketed: Vec<String> = windows.bracketed.iter().map(|parts| parts.iter().map(read).collect()).collect();
        assert_eq!(bracketed, ["{+}", "[+]"]);
    }

    #[test]
    fn what_is_around_an_error_goes_group_by_group_and_element_by_element() {
        let text = "[0, [1, 2, +3, 4]]";
        let sample = Languages.sample("x.json", text);
        let all = error_shells(&sample.document);
        let [shells] = &all[..] else { panic!("one error") };
        let left: Vec<_> = shells.units.iter().map(|unit| lossy(&sample.after([&unit.removal]))).collect();
        assert!(left.iter().any(|l| l == "[1, 2, +3, 4]"), "{left:?}");
        assert!(left.iter().any(|l| l.contains('2') && !l.contains('1')), "{left:?}");
        let nothing = sample.after(shells.units.iter().map(|unit| &unit.removal));
        assert_eq!(lossy(&nothing).trim(), "+");
    }

    #[test]
    fn brackets_without_partners_are_no_obstacle() {
        let mut languages = Languages;
        for text in ["[[[{(", "]})", "[{]}", "[1, {\"a\": ]", "f(a)) { ( ]", "int f( { a[; }"] {
            for file in crate::testing::FILES {
                let sample = languages.sample(file, text);
                for windows in error_windows(&sample.document) {
                    assert!(windows.groups.iter().all(|group| group.end <= text.len()), "{text}");
                    assert_eq!(windows.groups.last(), Some(&(0..text.len())), "{text}");
                }
                for shells in error_shells(&sample.document) {
                    let removals = shells.units.iter().map(|unit| &unit.removal);
                    assert!(sample.after(removals).len() < text.len(), "{text}");
                }
            }
        }
    }
}
