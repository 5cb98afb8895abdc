//! The cascade: definitions that an edit leaves unreferenced, and the definitions that only those used.
//!
//! ```text
//! import "os"                  use(s) goes: nothing refers to s, so its definition goes,
//! s := os.Args[0]; use(s)      and then nothing refers to os
//! ```
//!
//! A name is looked up by its text. If all its uses are inside larger definitions (functions), each definition that
//! contains a definition of the name is a scope; otherwise the whole file is. A name that looks like another one only
//! keeps a definition too many.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, NodeId, is_identifier};

use super::definitions::{Definitions, Name, outermost};
use super::sequence::Removal;
use super::trial_parser::{Clearance, TrialParser};

/// Number of a name within a scope.
type Group = usize;
/// Number of a definition.
type UnitId = usize;

/// The definitions of a document and their references. Building it walks the whole tree; after that, each question
/// costs as much as the removed part.
#[derive(Clone, Default)]
pub struct Cascade {
    units: Vec<Defining>,
    groups: Vec<Scoped>,
    /// The groups of each name.
    of_name: Vec<Vec<Group>>,
    /// The identifiers that spell a name: their starts, and the name.
    places: Vec<(usize, Name)>,
    /// The names with their starts.
    found: Vec<(Name, usize)>,
    names: HashMap<Box<[u8]>, Name>,
}

/// Something that defines names.
#[derive(Clone)]
struct Defining {
    range: Range<usize>,
    kind: u16,
    groups: Vec<Group>,
    /// The nodes to remove with it; `None` if it may not be removed.
    nodes: Option<Vec<(NodeId, Range<usize>)>>,
}

/// A name within a scope.
#[derive(Clone)]
struct Scoped {
    name: Name,
    scope: Range<usize>,
    units: Vec<UnitId>,
    /// Where its definitions are.
    own: Ranges,
    /// Whether it is known outside of the file.
    is_kept: bool,
}

impl Cascade {
    /// Finds all definitions of a document. Those that `may_go` rejects stay.
    #[must_use]
    pub fn of(
        document: &Document,
        grammar: &Grammar,
        shapes: &mut TrialParser,
        may_go: impl Fn(NodeId) -> bool,
    ) -> Self {
        let definitions = Definitions::of(document, grammar);
        let start = |node: NodeId| document.node(node).start as usize;
        let found: Vec<_> = definitions.found().map(|(name, node)| (name, start(node))).collect();
        let mut places: Vec<_> = found.iter().map(|&(name, start)| (start, name)).collect();
        places.sort_unstable();
        let scopes = scopes(document, &definitions);
        let of_name = vec![Vec::new(); definitions.names_count()];
        let names = definitions.found().map(|(name, node)| (document.text(node).into(), name)).collect();
        let mut made = Cascade { units: Vec::new(), groups: Vec::new(), of_name, places, found, names };
        let whole = 0..document.source().len();
        for (unit, of_unit) in scopes {
            let id = made.units.len();
            let groups = of_unit.into_iter().map(|(name, scope)| {
                let scope = scope.map_or(whole.clone(), |scope| document.node(scope).range());
                made.group(name, scope, definitions.is_kept(name))
            });
            let groups: Vec<Group> = groups.collect();
            let node = document.node(unit);
            for &group in &groups {
                made.groups[group].units.push(id);
                made.groups[group].own.insert(node.range());
            }
            let nodes =
                Some(unit).filter(|&unit| may_go(unit)).and_then(|unit| removed(document, grammar, shapes, unit));
            let nodes = nodes.map(|nodes| nodes.into_iter().map(|node| (node, document.node(node).range())).collect());
            made.units.push(Defining { range: node.range(), kind: node.kind, groups, nodes });
        }
        if made.kinds().next().is_some() { made } else { Cascade::default() }
    }

    /// The number of a name within a scope.
    fn group(&mut self, name: Name, scope: Range<usize>, is_kept: bool) -> Group {
        let known = self.of_name[name as usize].iter().copied().find(|&group| self.groups[group].scope == scope);
        known.unwrap_or_else(|| {
            self.groups.push(Scoped { name, scope, units: Vec::new(), own: Ranges::default(), is_kept });
            self.of_name[name as usize].push(self.groups.len() - 1);
            self.groups.len() - 1
        })
    }

    /// Whether no definition could go.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The kinds of definitions that could go.
    pub(super) fn kinds(&self) -> impl Iterator<Item = u16> {
        self.units.iter().filter(|unit| unit.nodes.is_some()).map(|unit| unit.kind)
    }

    /// The nodes of the definitions that were referred to from parts that go and are referred to no more, and the kinds
    /// of these definitions. Names in texts that are put in are references.
    #[must_use]
    pub fn after(&self, gone: RemovedRanges) -> (Vec<NodeId>, BTreeSet<u16>) {
        let RemovedRanges { mut all, mut new, texts } = gone;
        let mentioned: BTreeSet<Name> = texts.iter().flat_map(|text| self.names_in(text)).collect();
        let (mut nodes, mut kinds) = (Vec::new(), BTreeSet::new());
        while !new.is_empty() {
            let mut lost = BTreeSet::new();
            for range in new.drain(..) {
                let from = self.places.partition_point(|(start, _)| *start < range.start);
                for (place, name) in self.places[from..].iter().take_while(|(start, _)| *start < range.end) {
                    let groups = self.of_name[*name as usize].iter().copied();
                    lost.extend(groups.filter(|&group| self.groups[group].is_referred_from(*place, &all)));
                }
            }
            for group in lost {
                if mentioned.contains(&self.groups[group].name) {
                    continue;
                }
                for unit in self.unreferenced(group, &all) {
                    let unit = &self.units[unit];
                    all.insert(unit.range.clone());
                    kinds.insert(unit.kind);
                    for (node, range) in unit.nodes.iter().flatten() {
                        nodes.push(*node);
                        all.insert(range.clone());
                        new.push(range.clone());
                    }
                }
            }
        }
        (nodes, kinds)
    }

    /// Lists the names in a text.
    fn names_in(&self, text: &[u8]) -> impl Iterator<Item = Name> {
        text.split(|byte| !is_identifier(*byte)).filter_map(|word| self.names.get(word).copied())
    }

    /// The definitions of a name that can go because nothing refers to it; none if something does.
    fn unreferenced(&self, group: Group, gone: &Ranges) -> Vec<UnitId> {
        let of = &self.groups[group];
        if self.is_referred(group, gone, &of.own) {
            return Vec::new();
        }
        let mut units: Vec<UnitId> =
            of.units.iter().copied().filter(|&unit| !gone.covers(&self.units[unit].range)).collect();
        for all in [true, false] {
            if !all {
                // A part that defines nothing else can be removed alone: `a` of `int a, b;`.
                units.retain(|&unit| self.units[unit].groups == [group]);
            }
            let outermost = self.outermost(&units);
            let own = Ranges::of(outermost.iter().map(|&unit| self.units[unit].range.clone()));
            let groups: BTreeSet<Group> = units.iter().flat_map(|&unit| &self.units[unit].groups).copied().collect();
            let may_go = outermost.iter().all(|&unit| self.units[unit].nodes.is_some());
            if may_go && !groups.into_iter().any(|group| self.is_referred(group, gone, &own)) {
                return outermost;
            }
        }
        Vec::new()
    }

    /// Whether a name is used outside the removed parts and its own definitions, or is known outside the file.
    fn is_referred(&self, group: Group, gone: &Ranges, own: &Ranges) -> bool {
        let of = &self.groups[group];
        let mut at = of.scope.start;
        loop {
            let next = self.found[self.found.partition_point(|place| *place < (of.name, at))..].first();
            let Some(place) = next.filter(|next| next.0 == of.name && next.1 < of.scope.end).map(|next| next.1) else {
                return of.is_kept;
            };
            match gone.around(place).or_else(|| own.around(place)) {
                Some(range) => at = range.end,
                None => return true,
            }
        }
    }

    /// Returns the definitions that aren't inside another one. They are in the order of the text, an outer one before
    /// its inner ones.
    fn outermost(&self, units: &[UnitId]) -> Vec<UnitId> {
        let mut end = 0;
        let is_outer = |unit: &UnitId| {
            let range = &self.units[*unit].range;
            let is_outer = range.start >= end;
            end = end.max(range.end);
            is_outer
        };
        units.iter().copied().filter(is_outer).collect()
    }
}

impl Scoped {
    /// Whether a removed range referred to it, from outside all definitions that stay.
    fn is_referred_from(&self, place: usize, gone: &Ranges) -> bool {
        self.scope.contains(&place) && self.own.around(place).is_none_or(|own| gone.covers(own))
    }
}

/// The removed parts of a text, and the texts in their places.
#[derive(Default)]
pub struct RemovedRanges {
    all: Ranges,
    /// Removed parts whose consequences are unknown.
    new: Vec<Range<usize>>,
    /// Inserted texts.
    texts: Vec<Vec<u8>>,
}

impl RemovedRanges {
    /// Parts removed before: some nodes in order and the places of some edits. Their consequences are known.
    #[must_use]
    pub fn before(document: &Document, nodes: impl Iterator<Item = NodeId>, edits: &[Edit]) -> Self {
        let mut gone = RemovedRanges::default();
        let mut end = 0;
        for node in nodes.filter(|&node| {
            let is_outer = node >= end;
            end = end.max(document.subtree_end(node));
            is_outer
        }) {
            gone.all.insert(document.node(node).range());
        }
        gone.edit(edits);
        gone.new.clear();
        gone
    }

    /// Something is removed.
    pub fn take(&mut self, document: &Document, removal: &Removal) {
        match removal {
            Removal::Nodes(nodes) => nodes.iter().for_each(|&node| self.part(document.node(node).range())),
            Removal::Edits(edits) => self.edit(edits),
        }
    }

    fn edit(&mut self, edits: &[Edit]) {
        for edit in edits {
            self.part(edit.start..edit.end);
            if !edit.text.is_empty() {
                self.texts.push(edit.text.to_vec());
            }
        }
    }

    fn part(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.all.insert(range.clone());
            self.new.push(range);
        }
    }
}

/// Ranges of a text that don't overlap, by their starts.
#[derive(Clone, Default)]
struct Ranges(BTreeMap<usize, Range<usize>>);

impl Ranges {
    fn of(ranges: impl Iterator<Item = Range<usize>>) -> Self {
        let mut all = Ranges::default();
        ranges.for_each(|range| all.insert(range));
        all
    }

    fn insert(&mut self, mut range: Range<usize>) {
        while let Some((_, last)) = self.0.range(..range.end).next_back() {
            if last.end <= range.start {
                break;
            }
            let start = last.start;
            range = range.start.min(start)..range.end.max(last.end);
            self.0.remove(&start);
        }
        self.0.insert(range.start, range);
    }

    /// The part that a place is in.
    fn around(&self, place: usize) -> Option<&Range<usize>> {
        self.0.range(..=place).next_back().map(|(_, range)| range).filter(|range| place < range.end)
    }

    /// Whether all of a range is in some of the parts.
    fn covers(&self, range: &Range<usize>) -> bool {
        let mut at = range.start;
        while at < range.end {
            let Some(part) = self.around(at) else { return false };
            at = part.end;
        }
        true
    }
}

/// A definition with its names and the node in which each of them is local; `None` means the whole file.
pub(super) type WithScopes = (NodeId, Vec<(Name, Option<NodeId>)>);

/// The definitions in order.
pub(super) fn scopes(document: &Document, definitions: &Definitions) -> Vec<WithScopes> {
    let mut open: Vec<(NodeId, Vec<Name>)> = Vec::new();
    let mut all: Vec<WithScopes> = Vec::new();
    for (unit, names) in definitions.units_with_names() {
        while open.last().is_some_and(|(outer, _)| !document.contains(*outer, unit)) {
            open.pop();
        }
        let scope = |name: Name| open.iter().rev().find(|(_, outer)| !outer.contains(&name)).map(|(outer, _)| *outer);
        all.push((unit, names.iter().map(|&name| (name, scope(name))).collect()));
        open.push((unit, names));
    }
    // If nothing defines a name for the whole file, a use outside all scopes can refer to any of its definitions.
    let mut of_names: BTreeMap<Name, Option<Vec<NodeId>>> = BTreeMap::new();
    for (name, scope) in all.iter().flat_map(|(_, names)| names) {
        let scopes = of_names.entry(*name).or_insert_with(|| Some(Vec::new()));
        match scope {
            Some(scope) => scopes.iter_mut().for_each(|scopes| scopes.push(*scope)),
            None => *scopes = None,
        }
    }
    let scopes = of_names.iter_mut().filter_map(|(name, scopes)| Some((name, scopes.as_mut()?)));
    let scopes: HashMap<Name, Vec<NodeId>> = scopes
        .map(|(name, scopes)| {
            scopes.sort_unstable();
            (*name, outermost(document, scopes))
        })
        .collect();
    let is_outside = |&(name, place): &(Name, NodeId)| {
        scopes.get(&name).is_some_and(|scopes| {
            let before = scopes.partition_point(|scope| *scope <= place);
            before == 0 || !document.contains(scopes[before - 1], place)
        })
    };
    let is_wide: BTreeSet<Name> = definitions.found().filter(is_outside).map(|(name, _)| name).collect();
    for (name, scope) in all.iter_mut().flat_map(|(_, names)| names) {
        if is_wide.contains(name) {
            *scope = None;
        }
    }
    all
}

/// Returns the nodes to remove with a definition; `None` if it may not be removed. A parent that would be empty is
/// removed instead.
fn removed(document: &Document, grammar: &Grammar, shapes: &mut TrialParser, unit: NodeId) -> Option<Vec<NodeId>> {
    let mut at = unit;
    loop {
        let clearance = shapes.clearance(document, grammar, at);
        if clearance != Clearance::Refused {
            return clearance.nodes(document, at);
        }
        let parent = document.parent(at)?;
        let is_alone = document.children(parent).filter(|&child| document.node(child).is_named()).count() == 1;
        if !is_alone {
            return None;
        }
        at = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::removal::{NodeSet, removal_edits};
    use crate::testing::{Languages, lossy};

    /// The text that is left when some parts go with all that nothing refers to any more.
    fn left(file: &str, text: &str, parts: &[&str]) -> String {
        let mut sample = Languages.sample(file, text);
        let cascade = Cascade::of(&sample.document, &sample.grammar, &mut sample.shapes, |_| true);
        let removals: Vec<_> = parts.iter().map(|part| Removal::Nodes(vec![sample.node(part)].into())).collect();
        let mut gone = RemovedRanges::default();
        removals.iter().for_each(|removal| gone.take(&sample.document, removal));
        let (nodes, _) = cascade.after(gone);
        let mut dead = NodeSet::new(&sample.document);
        nodes
            .iter()
            .chain(&parts.iter().map(|part| sample.node(part)).collect::<Vec<_>>())
            .for_each(|&n| dead.insert(n));
        lossy(&sample.rendered(removal_edits(&sample.document, &sample.grammar, &dead)))
    }

    /// Each row has the file, the text, the removed parts, and the rest of the text.
    #[track_caller]
    fn assert_left(rows: &[(&str, &str, &[&str], &str)]) {
        for &(file, text, parts, expected) in rows {
            let left = left(file, text, parts);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&left), words(expected), "{text} without {parts:?}");
        }
    }

    #[test]
    fn what_only_that_needed_goes_with_it() {
        assert_left(&[
            ("x.c", "int a; int b; int f(void) { g(a); return b; }", &["g(a);"], "int b; int f(void) { return b; }"),
            ("x.c", "int a; int b = a; int main(void) { g(b); }", &["g(b);"], "int main(void) { }"),
            (
                "x.c",
                "int f(int); int f(int n) { return f(n); } int main(void) { f(1); }",
                &["f(1);"],
                "int main(void) { }",
            ),
            ("x.js", "import {a, b} from 'm'; a(); b();", &["a();"], "import {b} from 'm'; b();"),
            ("x.js", "const a = 1; const b = a; use(b); a;", &["use(b);"], "const a = 1; a;"),
            ("x.json", "[1, 2]", &["1"], "[2]"),
        ]);
    }

    #[test]
    fn what_something_else_refers_to_stays() {
        assert_left(&[
            ("x.c", "int a; void f(void) { g(a); h(a); }", &["g(a);"], "int a; void f(void) { h(a); }"),
            ("x.c", "int main(void) { main(); }", &["main();"], "int main(void) { }"),
            ("x.js", "let a, b; f(a); g(b);", &["f(a);"], "let b; g(b);"),
            ("x.js", "let [a, b] = c; f(a); g(b);", &["f(a);"], "let [a, b] = c; g(b);"),
        ]);
    }

    #[test]
    fn what_nothing_has_referred_to_stays() {
        assert_left(&[("x.c", "int a; int b; void f(void) { g(b); }", &["g(b);"], "int a; void f(void) { }")]);
    }

    #[test]
    fn locals_of_two_functions_have_names_of_their_own() {
        let text = "package main\nfunc f() {\n\ts := 1\n\tg(s)\n}\nfunc h() {\n\ts := 2\n\tk(s)\n}\n";
        let expected = "package main\nfunc f() {\n}\nfunc h() {\n\ts := 2\n\tk(s)\n}\n";
        assert_left(&[("x.go", text, &["g(s)"], expected)]);
    }

    #[test]
    fn an_import_is_known_by_the_end_of_its_path() {
        let text = "package main\nimport \"path/filepath\"\nfunc f() {\n\ts := filepath.Base(\"\")\n\tg(s)\n}\n";
        assert_left(&[("x.go", text, &["g(s)"], "package main\nfunc f() {\n}\n")]);
        let text = "package main\nimport (\n\t\"fmt\"\n\t\"os\"\n)\nfunc f() {\n\tos.Exit(1)\n\tfmt.Println()\n}\n";
        let expected = "package main\nimport (\n\t\"fmt\"\n)\nfunc f() {\n\tfmt.Println()\n}\n";
        assert_left(&[("x.go", text, &["os.Exit(1)"], expected)]);
    }

    #[test]
    fn both_that_refer_to_it_must_go() {
        let text = "import a from 'm'; f(a); g(a);";
        assert_left(&[
            ("x.js", text, &["f(a);"], "import a from 'm'; g(a);"),
            ("x.js", text, &["f(a);", "g(a);"], "import 'm';"),
        ]);
    }

    #[test]
    fn a_name_in_a_text_that_is_put_in_is_a_reference() {
        let text = "let a = 1; f(a);";
        let mut sample = Languages.sample("x.js", text);
        let cascade = Cascade::of(&sample.document, &sample.grammar, &mut sample.shapes, |_| true);
        let gone = |text: &'static str| {
            let mut gone = RemovedRanges::default();
            gone.take(&sample.document, &Removal::Edits(vec![Edit::replace(11..15, text.as_bytes())]));
            cascade.after(gone).0.len()
        };
        assert_eq!([gone("0"), gone("b"), gone("-a")], [1, 1, 0]);
    }
}
