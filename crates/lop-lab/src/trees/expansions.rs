//! The expansions of a symbol of a grammar: its productions as rows of children.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

use super::expansion::{Child, Expansion, Part};
use super::productions::{Productions, Rule};

/// A symbol's expansions that are kept: those with the fewest children. A rule with a dozen optional
/// parts has thousands.
const MOST_EXPANSIONS: usize = 64;

impl Productions {
    /// The expansions of nodes of this kind, those with the fewest children first: up to 64. Empty for
    /// tokens of the grammar, ERROR nodes and numbers that the parser does not have.
    #[must_use]
    pub fn alternatives(&self, kind: u16) -> Arc<[Expansion]> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(kind).or_insert_with(|| self.find(kind).into()))
    }

    fn find(&self, kind: u16) -> Vec<Expansion> {
        let Some(name) = self.kinds.named.get(&kind) else { return Vec::new() };
        let mut open = Vec::new();
        let mut all = Vec::new();
        if let Some(rule) = self.rules.get(name) {
            add(&mut all, self.expand_named(name, rule, &mut open));
        }
        for rule in self.aliased.get(name).into_iter().flatten() {
            // The alias renames the node that the symbol would have been; there is none inside it.
            let found = match rule {
                Rule::Symbol(symbol) => self.expand_named(symbol, &self.rules[symbol], &mut open),
                rule => self.expand(rule, &mut open),
            };
            add(&mut all, found);
        }
        all.into_iter().map(|children| Expansion { children }).collect()
    }

    fn expand_named<'p>(&'p self, name: &'p str, rule: &'p Rule, open: &mut Vec<&'p str>) -> Vec<Vec<Child>> {
        open.push(name);
        let found = self.expand(rule, open);
        open.pop();
        found
    }

    /// `open` are the rules that are being expanded: one inside itself has no end.
    fn expand<'p>(&'p self, rule: &'p Rule, open: &mut Vec<&'p str>) -> Vec<Vec<Child>> {
        if let Some(kinds) = self.node_kinds(rule, &mut BTreeSet::new()) {
            return one(Part::Node(kinds.into_iter().collect()));
        }
        match rule {
            Rule::Blank => vec![Vec::new()],
            Rule::Text(text) => one(Part::Token { kinds: self.kinds.of(text, false), text: text.clone() }),
            Rule::Pattern => one(Part::Hidden),
            Rule::Alias { name, content, .. } => {
                let text = match &**content {
                    Rule::Text(text) => text.clone(),
                    _ => name.clone(),
                };
                one(Part::Token { kinds: self.kinds.of(name, false), text })
            }
            Rule::Symbol(name) if open.contains(&name.as_str()) => Vec::new(),
            Rule::Symbol(name) => self.expand_named(name, &self.rules[name], open),
            Rule::Field(field, content) => {
                let mut found = self.expand(content, open);
                found.iter_mut().flatten().for_each(|child| child.field = child.field.or(Some(*field)));
                found
            }
            Rule::Repeat(content) => {
                let mut found = vec![Vec::new()];
                add(&mut found, self.expand(content, open));
                found
            }
            Rule::Repeat1(content) => self.expand(content, open),
            Rule::Seq(members) => members.iter().fold(vec![Vec::new()], |rows, member| {
                let mut longer = Vec::new();
                for next in self.expand(member, open) {
                    add(&mut longer, rows.iter().map(|row| [&row[..], &next[..]].concat()).collect());
                }
                longer
            }),
            Rule::Choice(members) => {
                let mut found = Vec::new();
                // Nodes that can replace each other share one expansion.
                let mut nodes = BTreeSet::new();
                for member in members {
                    match self.node_kinds(member, &mut BTreeSet::new()) {
                        Some(kinds) => nodes.extend(kinds),
                        None => add(&mut found, self.expand(member, open)),
                    }
                }
                if !nodes.is_empty() {
                    add(&mut found, one(Part::Node(nodes.into_iter().collect())));
                }
                found
            }
        }
    }

    /// The kinds of a rule that is always exactly one named node, whose field does not matter.
    fn node_kinds<'p>(&'p self, rule: &'p Rule, open: &mut BTreeSet<&'p str>) -> Option<BTreeSet<u16>> {
        match rule {
            Rule::Symbol(name) => {
                let kinds = self.kinds.of(name, true);
                if !kinds.is_empty() {
                    return Some(kinds.iter().copied().collect());
                }
                if !open.insert(name) {
                    // Found when the rule was first entered.
                    return Some(BTreeSet::new());
                }
                self.node_kinds(&self.rules[name], open)
            }
            Rule::Alias { name, named: true, .. } => Some(self.kinds.of(name, true).iter().copied().collect()),
            Rule::Choice(members) => members.iter().try_fold(BTreeSet::new(), |mut all, member| {
                all.extend(self.node_kinds(member, open)?);
                Some(all)
            }),
            _ => None,
        }
    }
}

fn one(part: Part) -> Vec<Vec<Child>> {
    vec![vec![Child { part, field: None }]]
}

/// Adds rows that are not there yet, and keeps the shortest.
fn add(rows: &mut Vec<Vec<Child>>, more: Vec<Vec<Child>>) {
    for row in more {
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows.sort_by_key(Vec::len);
    rows.truncate(MOST_EXPANSIONS);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use super::super::productions::Kinds;
    use super::*;

    fn text(text: &str) -> Rule {
        Rule::Text(text.to_owned())
    }

    fn symbol(name: &str) -> Rule {
        Rule::Symbol(name.to_owned())
    }

    fn optional(rule: Rule) -> Rule {
        Rule::Choice(vec![rule, Rule::Blank])
    }

    fn alias(name: &str, named: bool, content: Rule) -> Rule {
        Rule::Alias { name: name.to_owned(), named, content: Box::new(content) }
    }

    /// Productions over the visible kinds `item` 1, `list` 2, `name` 3, `,` 4, `<` 5, `block` 6, `label` 7.
    fn productions(rules: &[(&str, Rule)], aliased: &[(&str, Rule)]) -> Productions {
        let named = [(1, "item", true), (2, "list", true), (3, "name", true), (6, "block", true), (7, "label", true)];
        let mut by_name: BTreeMap<String, Vec<Rule>> = BTreeMap::new();
        for (name, rule) in aliased {
            by_name.entry((*name).to_owned()).or_default().push(rule.clone());
        }
        Productions {
            rules: rules.iter().map(|(name, rule)| ((*name).to_owned(), rule.clone())).collect(),
            aliased: by_name,
            known: Mutex::default(),
            kinds: Kinds::from_names(named.into_iter().chain([(4, ",", false), (5, "<", false)])),
        }
    }

    /// Shows expansions as rows of words: kinds joined by `|`, tokens quoted, `field=` before a part in a field.
    fn rows(expansions: &[Expansion]) -> Vec<String> {
        let word = |child: &Child| {
            let part = match &child.part {
                Part::Node(kinds) => kinds.iter().map(u16::to_string).collect::<Vec<_>>().join("|"),
                Part::Token { text, .. } => format!("{text:?}"),
                Part::Hidden => "?".to_owned(),
            };
            child.field.map_or(part.clone(), |field| format!("{field}={part}"))
        };
        expansions.iter().map(|row| row.children.iter().map(word).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn the_fewest_children_come_first_and_a_repetition_is_none_or_one() {
        let list = Rule::Seq(vec![
            text("<"),
            optional(Rule::Field(9, Box::new(symbol("name")))),
            Rule::Repeat(Box::new(Rule::Seq(vec![symbol("item"), text(",")]))),
        ]);
        let found = productions(&[("list", list), ("item", Rule::Pattern), ("name", Rule::Pattern)], &[]);
        assert_eq!(rows(&found.alternatives(2)), ["\"<\"", "\"<\" 9=3", "\"<\" 1 \",\"", "\"<\" 9=3 1 \",\""]);
        assert_eq!(rows(&found.alternatives(1)), ["?"]);
        assert!(found.alternatives(6).is_empty(), "it has no rule");
        assert!(found.alternatives(4).is_empty(), "it is a token");
    }

    #[test]
    fn hidden_rules_are_inlined_and_those_that_are_one_node_are_one_place() {
        let any = Rule::Choice(vec![symbol("item"), symbol("_other"), symbol("list")]);
        let other = Rule::Choice(vec![symbol("name"), symbol("_any")]);
        let found = productions(
            &[
                ("list", Rule::Seq(vec![symbol("_any"), symbol("_end")])),
                ("_any", any),
                ("_other", other),
                ("_end", Rule::Choice(vec![symbol("_scanned"), Rule::Seq(vec![text(","), symbol("_any")])])),
                ("_scanned", Rule::Pattern),
                ("item", Rule::Pattern),
                ("name", Rule::Pattern),
            ],
            &[],
        );
        assert_eq!(rows(&found.alternatives(2)), ["1|2|3 ?", "1|2|3 \",\" 1|2|3"]);
    }

    #[test]
    fn a_hidden_rule_inside_itself_ends() {
        let inner = Rule::Choice(vec![symbol("item"), Rule::Seq(vec![text("<"), symbol("_inner")])]);
        let found = productions(&[("list", symbol("_inner")), ("_inner", inner), ("item", Rule::Pattern)], &[]);
        assert_eq!(rows(&found.alternatives(2)), ["1"]);
    }

    #[test]
    fn aliases_rename() {
        let row = Rule::Seq(vec![symbol("item"), text(",")]);
        let rules = [
            ("block", Rule::Seq(vec![alias("list", true, symbol("_row")), alias("label", true, symbol("name"))])),
            ("_row", row.clone()),
            ("item", Rule::Seq(vec![alias("<", false, Rule::Pattern), alias(",", false, text(";"))])),
            ("name", Rule::Pattern),
        ];
        let aliased = [("list", symbol("_row")), ("list", row), ("label", symbol("name"))];
        let found = productions(&rules, &aliased);
        assert_eq!(rows(&found.alternatives(6)), ["2 7"]);
        assert_eq!(rows(&found.alternatives(2)), ["1 \",\""], "both say the same");
        assert_eq!(rows(&found.alternatives(7)), ["?"], "there is no name inside a label");
        assert_eq!(rows(&found.alternatives(1)), ["\"<\" \";\""]);
    }

    #[test]
    fn of_very_many_expansions_the_shortest_are_kept() {
        let all = Rule::Seq((0..20).map(|_| optional(symbol("item"))).chain([symbol("name")]).collect());
        let either = Rule::Seq((0..20).map(|_| Rule::Choice(vec![text(","), text("<")])).collect());
        let found =
            productions(&[("list", all), ("block", either), ("item", Rule::Pattern), ("name", Rule::Pattern)], &[]);
        assert_eq!(rows(&found.alternatives(2))[..2], ["3", "1 3"]);
        assert_eq!(found.alternatives(2).len(), 21, "which of the places is filled shows nowhere");
        assert_eq!(found.alternatives(6).len(), MOST_EXPANSIONS);
    }
}
