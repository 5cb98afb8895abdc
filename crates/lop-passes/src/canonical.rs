//! The canonical form: parts that could as well be others become the first of their kind, so that the results of several
//! reductions can be compared. Nothing becomes smaller.
//!
//! Numbers become 0, 1, 2 or the least that the bug allows; texts become `a`; operators and types become the first of
//! their row in the grammar; neighbours that may stand in either order are put in order; and names are a, b, c … in the
//! order in which they appear.

use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId};

use super::literals::{content, literals};
use super::names::{letters, occurrences, words};
use super::pass::{Facts, Pass, Proposals, Stage, View};
use super::sequence::{Remembered, Removal, Sequence, Unit, list_kind};

/// The canonical form.
pub struct Canonical;

impl Pass for Canonical {
    fn facts(&self) -> Facts {
        Facts::new("canonical", Stage::Finish, "what could be another is the first of its kind, with --canonical")
            .led("its parts depend on each other, and it runs on request")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        view.sequences(|tree| first_forms(tree.document, tree.grammar))
    }
}

/// The number after those that the grammar has as its simplest.
const NEXT_NUMBER: &str = "2";

/// The forms that come before that of each part, as sequences: the first has each part become the first of its forms, the
/// second the second, and so on. Taking a unit out means to write the part in that form.
#[must_use]
pub(super) fn first_forms(document: &Document, grammar: &Grammar) -> Vec<Sequence> {
    let mut rows: Vec<(Vec<Unit>, Vec<u64>)> = Vec::new();
    for (number, (range, forms)) in forms(document, grammar).into_iter().enumerate() {
        for (level, form) in forms.into_iter().enumerate() {
            if rows.len() == level {
                rows.push(Default::default());
            }
            let mut hasher = DefaultHasher::new();
            (number, &document.source()[range.clone()], &form).hash(&mut hasher);
            let edit = Edit { raw: true, ..Edit::replace(range.clone(), form) };
            let (units, memos) = &mut rows[level];
            units.push(Unit { tokens: 1, removal: Removal::Edits(vec![edit]), known_to_parse: false });
            memos.push(hasher.finish());
        }
    }
    let sequence = |(units, memos)| Sequence::of(list_kind::FORMS, units).remembered(Remembered::Units(memos));
    rows.into_iter().map(sequence).collect()
}

/// The parts that could have another form, each with the forms before its own.
fn forms(document: &Document, grammar: &Grammar) -> Vec<(Range<usize>, Vec<Vec<u8>>)> {
    let source = document.source();
    let mut all = Vec::new();
    for id in literals(document, grammar) {
        let node = document.node(id);
        if grammar.is_number(node.kind) {
            let own = document.text(id);
            let simplest = grammar.number_texts().iter().map(|text| text.as_bytes());
            let before = simplest.chain([NEXT_NUMBER.as_bytes()]).take_while(|text| *text != own);
            let before: Vec<_> = before.filter(|text| text.len() <= own.len()).map(<[u8]>::to_vec).collect();
            all.push((node.range(), before));
        } else if let Some(inside) = content(document, id) {
            let own = &source[inside.clone()];
            let plain = own.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'\\' && *byte != b'%');
            let form = vec![b'a'; own.len()];
            if plain && form != own {
                all.push((inside, vec![form]));
            }
        }
    }
    let mut end = 0;
    for id in document.ids().filter(|&id| document.is_leaf(id)) {
        let (range, own) = (document.node(id).range(), document.text(id));
        let row = grammar.canonical_rows().iter().find(|row| row.iter().any(|text| text.as_bytes() == own));
        if let Some(row) = row.filter(|_| range.start >= end) {
            let before = row.iter().take_while(|text| text.as_bytes() != own);
            all.push((range.clone(), before.map(|text| text.clone().into_bytes()).collect()));
        }
        end = end.max(range.end);
    }
    all.retain(|(_, forms)| !forms.is_empty());
    all.sort_by_key(|(range, _)| range.start);
    all
}

/// Decimal numbers other than 0, with their values. They stay as many if one of them becomes less.
#[must_use]
pub fn large_numbers(document: &Document, grammar: &Grammar) -> Vec<(Range<usize>, u64)> {
    let numbers = literals(document, grammar).filter(|&id| grammar.is_number(document.node(id).kind));
    let value = |id| {
        let text = std::str::from_utf8(document.text(id)).ok()?;
        let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
        text.parse().ok().filter(|_| is_decimal)
    };
    numbers.filter_map(|id| value(id).map(|value| (document.node(id).range(), value))).collect()
}

/// The longest list whose elements are put in order.
const MOST_SIBLINGS: usize = 16;

/// Neighbours that are out of order, each with the edits that exchange them, and a memory key: elements of a list of one
/// kind, and operands. The one with fewer tokens comes first, then the one whose text does, names and numbers apart.
#[must_use]
pub fn exchanges(document: &Document, grammar: &Grammar) -> Vec<(Vec<Edit>, u64)> {
    let mut all = Vec::new();
    for parent in document.ids() {
        let is_element = |child: &NodeId| {
            let node = document.node(*child);
            node.is_named() && !node.is_extra() && !node.is_empty() && !grammar.is_comment(node.kind)
        };
        let children: Vec<NodeId> = document.children(parent).filter(is_element).collect();
        if children.len() < 2 || children.len() > MOST_SIBLINGS || grammar.is_opaque(document.node(parent).kind) {
            continue;
        }
        let mirrored = mirrored(document, grammar, parent);
        for pair in children.windows(2) {
            let (first, second) = (document.node(pair[0]), document.node(pair[1]));
            let is_sorted = || shape(document, grammar, pair[1]) >= shape(document, grammar, pair[0]);
            let mut edits = vec![
                Edit::replace(first.range(), document.text(pair[1]).to_vec()),
                Edit::replace(second.range(), document.text(pair[0]).to_vec()),
            ];
            match &mirrored {
                Some(Mirrored { edit: Some(edit), .. }) => edits.push(edit.clone()),
                Some(Mirrored { is_simplest: true, .. }) => continue,
                Some(_) if is_sorted() => continue,
                None if first.kind != second.kind || is_sorted() => continue,
                Some(_) | None => {}
            }
            edits.sort_by_key(|edit| edit.start);
            let mut hasher = DefaultHasher::new();
            (document.text(pair[0]), document.text(pair[1]), document.node(parent).kind).hash(&mut hasher);
            all.push((edits, hasher.finish()));
        }
    }
    all
}

/// The operator between two operands that can be exchanged.
struct Mirrored {
    /// The edit that makes it mean the same afterwards, if it is not the simpler one of the two.
    edit: Option<Edit>,
    /// Whether the other one is not simpler, and so the operands stay.
    is_simplest: bool,
}

fn mirrored(document: &Document, grammar: &Grammar, parent: NodeId) -> Option<Mirrored> {
    let children: Vec<NodeId> = document.children(parent).collect();
    let [_, operator, _] = children[..] else { return None };
    let own = document.text(operator);
    let (one, other) =
        grammar.mirrors().iter().find(|(one, other)| [one, other].iter().any(|op| op.as_bytes() == own))?;
    let is_later = one != other && other.as_bytes() == own;
    let edit = is_later.then(|| Edit::replace(document.node(operator).range(), one.clone().into_bytes()));
    Some(Mirrored { edit, is_simplest: one != other && !is_later })
}

/// The tokens of a node: their number, and their texts without names and numbers.
fn shape(document: &Document, grammar: &Grammar, node: NodeId) -> (u32, Vec<Vec<u8>>) {
    let leaves = (node..document.subtree_end(node)).filter(|&id| document.is_leaf(id));
    let text = |leaf: NodeId| {
        let kind = document.node(leaf).kind;
        let varies = grammar.is_identifier(kind) || grammar.is_number(kind);
        if varies { Vec::new() } else { document.text(leaf).to_vec() }
    };
    (document.tokens_of(node), leaves.map(text).collect())
}

/// The names of a document in the order in which they appear, and what they are called in that order.
#[derive(Debug, Default)]
pub struct NameOrder {
    /// All renamed at once.
    pub all: Vec<Edit>,
    /// The first that is out of order exchanged with the one that has its name, and its present name.
    pub first: Vec<Edit>,
    /// The name of that one.
    pub name: Vec<u8>,
}

/// Calls names a, b, c … in the order in which they appear, but not those that must stay and those in `fixed`. `None` if
/// they are called so.
#[must_use]
pub fn names_in_order(document: &Document, grammar: &Grammar, fixed: &BTreeSet<Vec<u8>>) -> Option<NameOrder> {
    let source = document.source();
    let stays = |name: &[u8]| {
        let is = |other: &String| other.as_bytes() == name;
        fixed.contains(name) || grammar.keep_names().iter().any(is) || grammar.keywords().iter().any(is)
    };
    let mut places = occurrences(document, grammar);
    places.retain(|places| !stays(&source[places[0].clone()]));
    let names: HashSet<&[u8]> = places.iter().map(|places| &source[places[0].clone()]).collect();
    let mut taken: HashSet<&[u8]> = words(source, 0..source.len()).map(|word| &source[word]).collect();
    taken.retain(|word| !names.contains(word));
    let is_free = |name: &String| !taken.contains(name.as_bytes()) && !stays(name.as_bytes());
    let wanted: Vec<Vec<u8>> = (0..).map(letters).filter(is_free).take(places.len()).map(String::into_bytes).collect();
    let rename = |places: &[Range<usize>], new: &[u8]| {
        let edit = |place: &Range<usize>| Edit { raw: true, ..Edit::replace(place.clone(), new.to_vec()) };
        places.iter().map(edit).collect::<Vec<_>>()
    };
    let mut order = NameOrder::default();
    for (places_of_one, new) in places.iter().zip(&wanted) {
        let old = &source[places_of_one[0].clone()];
        // A longer name would make the text larger.
        if old == &new[..] || old.len() < new.len() {
            continue;
        }
        if order.name.is_empty() {
            order.name = old.to_vec();
            order.first = rename(places_of_one, new);
            let other = places.iter().find(|other| source[other[0].clone()] == new[..]);
            order.first.extend(other.into_iter().flat_map(|other| rename(other, old)));
        }
    }
    if order.name.is_empty() {
        return None;
    }
    order.all = places.iter().zip(&wanted).flat_map(|(places, new)| rename(places, new)).collect();
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Languages, Sample, lossy};

    fn after(sample: &Sample, edits: &[Edit]) -> String {
        lossy(&sample.after([&Removal::Edits(edits.to_vec())]))
    }

    #[test]
    fn each_part_becomes_the_first_of_its_forms_then_the_second() {
        let rows: [(&str, &str, &[&str]); 5] = [
            ("x.c", "int x = 7 + 1;", &["int x = 0 + 0;", "int x = 1 + 1;", "int x = 2 + 1;"]),
            ("x.c", "int x = a >> b;", &["int x = a + b;", "int x = a - b;"]),
            ("x.c", "char x = 'q';", &["int x = 'a';"]),
            ("x.js", "x = 'b\\n' + 'bc';", &["x = 'b\\n' + 'aa';"]),
            ("x.json", "[0, \"a\", null]", &[]),
        ];
        let mut languages = Languages;
        for (file, text, expected) in rows {
            let sample = languages.sample(file, text);
            let levels = first_forms(&sample.document, &sample.grammar);
            let texts: Vec<_> = levels
                .iter()
                .map(|sequence| lossy(&sample.after(sequence.units.iter().map(|unit| &unit.removal))))
                .collect();
            assert_eq!(texts[..expected.len().min(texts.len())], *expected, "{text}");
            assert!(!expected.is_empty() || texts.is_empty(), "{text}: {texts:?}");
        }
    }

    #[test]
    fn names_count_up_in_the_order_in_which_they_appear() {
        let rows = [
            ("x.c", "int a; int c() { int d = a; }", Some("int a; int b() { int c = a; }")),
            ("x.c", "int b, a = b;", Some("int a, b = a;")),
            ("x.c", "int main() { int c = x(c); }", Some("int main() { int a = b(a); }")),
            ("x.c", "int a, b = a;", None),
            ("x.json", "{\"b\": 1}", None),
        ];
        let mut languages = Languages;
        for (file, text, expected) in rows {
            let sample = languages.sample(file, text);
            let order = names_in_order(&sample.document, &sample.grammar, &BTreeSet::new());
            assert_eq!(order.map(|order| after(&sample, &order.all)).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_fixed_name_keeps_its_letter() {
        let sample = Languages.sample("x.c", "int h, b, d = h;");
        let order = |fixed: &[&str]| {
            let fixed = fixed.iter().map(|name| name.as_bytes().to_vec()).collect();
            names_in_order(&sample.document, &sample.grammar, &fixed).expect("they are out of order")
        };
        assert_eq!(after(&sample, &order(&[]).all), "int a, b, c = a;");
        assert_eq!(after(&sample, &order(&[]).first), "int a, b, d = a;");
        assert_eq!(after(&sample, &order(&["h"]).all), "int h, a, b = h;");
    }

    #[test]
    fn neighbours_are_put_in_order() {
        let rows: [(&str, &str, &[&str]); 7] = [
            ("x.c", "int a = f(b) > 0;", &["int a = 0 < f(b);"]),
            ("x.c", "int a = f(b) < 0;", &[]),
            ("x.c", "int a = f(b) + 0;", &["int a = 0 + f(b);"]),
            ("x.c", "void f() { g(1, 2); h(); }", &["void f() { h(); g(1, 2); }"]),
            ("x.c", "void f() { h(); g(1, 2); }", &[]),
            ("x.c", "int a = 2; int b = 1;", &[]),
            ("x.json", "[[1], []]", &["[[], [1]]"]),
        ];
        let mut languages = Languages;
        for (file, text, expected) in rows {
            let sample = languages.sample(file, text);
            let found = exchanges(&sample.document, &sample.grammar);
            let found: Vec<_> = found.iter().map(|(edits, _)| after(&sample, edits)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn decimal_numbers_have_values() {
        let sample = Languages.sample("x.c", "int x = 17 + 0x11 + 017 + 0 + 5u + 4;");
        let values: Vec<_> = large_numbers(&sample.document, &sample.grammar).into_iter().map(|(_, v)| v).collect();
        assert_eq!(values, [17, 4]);
    }
}
