//! A grammar's productions: its rules, read from the parser's `grammar.json`.
//!
//! tree-sitter makes this file from the grammar before it makes the parser. Only those facts of the rules are kept that
//! determine a node's children: precedences are dropped, and a token is either one text or a pattern.
//! [`Productions::alternatives`] returns the expansions of a symbol.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use serde::Deserialize;

use super::expansion::Expansion;

/// The productions of a grammar.
#[derive(Debug)]
pub struct Productions {
    pub(super) rules: BTreeMap<String, Rule>,
    /// The rules that are aliased to a named kind, by the kind's name.
    pub(super) aliased: BTreeMap<String, Vec<Rule>>,
    pub(super) kinds: Kinds,
    /// Expansions by kind, as far as they were asked for.
    pub(super) known: Mutex<HashMap<u16, Arc<[Expansion]>>>,
}

/// Why a text is not the `grammar.json` of a parser.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProductionsError {
    /// It is not written as such.
    #[error("{message}")]
    Json {
        /// The line, counted from 1.
        line: usize,
        /// The error there.
        message: String,
    },
    /// It names something that is nowhere.
    #[error("unknown {what} `{name}`")]
    Unknown {
        /// The byte where the name starts.
        offset: usize,
        /// A rule or a field.
        what: &'static str,
        /// The name.
        name: String,
    },
}

/// A rule's right side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    Blank,
    /// A token that is always this text.
    Text(String),
    /// A token that can be several texts, or is made by the parser's own scanner.
    Pattern,
    Symbol(String),
    Seq(Vec<Rule>),
    Choice(Vec<Rule>),
    /// Any number, none included.
    Repeat(Box<Rule>),
    Repeat1(Box<Rule>),
    Field(u16, Box<Rule>),
    /// Trees show it under another name.
    Alias {
        name: String,
        named: bool,
        content: Box<Rule>,
    },
}

/// The numbers of the kinds that trees show, by name and whether they are named.
#[derive(Debug)]
pub(super) struct Kinds {
    numbers: HashMap<(String, bool), Arc<[u16]>>,
    /// Number → name, for the kinds that are named and visible.
    pub(super) named: HashMap<u16, String>,
}

/// The file, as far as it is read.
#[derive(Deserialize)]
struct File {
    rules: BTreeMap<String, Raw>,
    #[serde(default)]
    externals: Vec<Raw>,
}

/// A right side as the file has it.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
enum Raw {
    Blank,
    String { value: String },
    Pattern,
    Symbol { name: String },
    Seq { members: Vec<Raw> },
    Choice { members: Vec<Raw> },
    Repeat { content: Box<Raw> },
    Repeat1 { content: Box<Raw> },
    Field { name: String, content: Box<Raw> },
    Alias { value: String, named: bool, content: Box<Raw> },
    Token { content: Box<Raw> },
    ImmediateToken { content: Box<Raw> },
    Prec { content: Box<Raw> },
    PrecLeft { content: Box<Raw> },
    PrecRight { content: Box<Raw> },
    PrecDynamic { content: Box<Raw> },
    Reserved { content: Box<Raw> },
}

impl Productions {
    /// Reads `grammar.json`. `fields` returns the number of a field of the parser, and `kinds` are those in its trees:
    /// number, name, and whether they are named.
    ///
    /// # Errors
    /// When it is no `grammar.json`, or names a rule or field that it or the parser does not have.
    pub fn parse<'n>(
        text: &str,
        fields: &dyn Fn(&str) -> Option<u16>,
        kinds: impl IntoIterator<Item = (u16, &'n str, bool)>,
    ) -> Result<Self, ProductionsError> {
        let file: File = serde_json::from_str(text)
            .map_err(|error| ProductionsError::Json { line: error.line(), message: error.to_string() })?;
        let mut reader = Reader { fields, symbols: BTreeSet::new(), unknown_field: None };
        let mut rules: BTreeMap<String, Rule> =
            file.rules.into_iter().map(|(name, raw)| (name, reader.rule(raw))).collect();
        for external in file.externals {
            if let Raw::Symbol { name } = external {
                rules.entry(name).or_insert(Rule::Pattern);
            }
        }
        let unknown = |what, name: &str| {
            let offset = text.find(&format!("\"{name}\"")).unwrap_or(0);
            Err(ProductionsError::Unknown { offset, what, name: name.to_owned() })
        };
        if let Some(field) = &reader.unknown_field {
            return unknown("field", field);
        }
        if let Some(lost) = reader.symbols.iter().find(|name| !rules.contains_key(*name)) {
            return unknown("rule", lost);
        }
        let mut aliased: BTreeMap<String, Vec<Rule>> = BTreeMap::new();
        rules.values().for_each(|rule| rule.collect_aliases(&mut aliased));
        Ok(Self { rules, aliased, kinds: Kinds::from_names(kinds), known: Mutex::default() })
    }
}

impl Kinds {
    /// Kinds with their names, and whether they are named.
    pub(super) fn from_names<'n>(all: impl IntoIterator<Item = (u16, &'n str, bool)>) -> Self {
        let mut numbers: HashMap<(String, bool), Vec<u16>> = HashMap::new();
        let mut names = HashMap::new();
        for (kind, name, named) in all {
            numbers.entry((name.to_owned(), named)).or_default().push(kind);
            if named {
                names.insert(kind, name.to_owned());
            }
        }
        Self { numbers: numbers.into_iter().map(|(name, kinds)| (name, kinds.into())).collect(), named: names }
    }

    /// The kinds of this name; none when trees never show it.
    pub(super) fn of(&self, name: &str, named: bool) -> Arc<[u16]> {
        self.numbers.get(&(name.to_owned(), named)).cloned().unwrap_or_default()
    }
}

impl Rule {
    fn collect_aliases(&self, aliased: &mut BTreeMap<String, Vec<Rule>>) {
        match self {
            Rule::Blank | Rule::Text(_) | Rule::Pattern | Rule::Symbol(_) => {}
            Rule::Seq(members) | Rule::Choice(members) => members.iter().for_each(|m| m.collect_aliases(aliased)),
            Rule::Repeat(content) | Rule::Repeat1(content) | Rule::Field(_, content) => {
                content.collect_aliases(aliased);
            }
            Rule::Alias { name, named, content } => {
                if *named {
                    let known = aliased.entry(name.clone()).or_default();
                    if !known.contains(content) {
                        known.push((**content).clone());
                    }
                }
                content.collect_aliases(aliased);
            }
        }
    }
}

/// Simplifies the file's rules.
struct Reader<'f> {
    fields: &'f dyn Fn(&str) -> Option<u16>,
    /// The symbols that are mentioned.
    symbols: BTreeSet<String>,
    /// The first field that the parser does not have.
    unknown_field: Option<String>,
}

impl Reader<'_> {
    /// serde_json has bounded how deep a rule can be nested.
    fn rule(&mut self, raw: Raw) -> Rule {
        match raw {
            Raw::Blank => Rule::Blank,
            Raw::String { value } => Rule::Text(value),
            Raw::Pattern => Rule::Pattern,
            Raw::Symbol { name } => {
                self.symbols.insert(name.clone());
                Rule::Symbol(name)
            }
            Raw::Seq { members } => Rule::Seq(members.into_iter().map(|member| self.rule(member)).collect()),
            Raw::Choice { members } => Rule::Choice(members.into_iter().map(|member| self.rule(member)).collect()),
            Raw::Repeat { content } => Rule::Repeat(Box::new(self.rule(*content))),
            Raw::Repeat1 { content } => Rule::Repeat1(Box::new(self.rule(*content))),
            Raw::Field { name, content } => {
                let content = self.rule(*content);
                match (self.fields)(&name) {
                    Some(field) => Rule::Field(field, Box::new(content)),
                    None => {
                        self.unknown_field.get_or_insert(name);
                        content
                    }
                }
            }
            Raw::Alias { value, named, content } => {
                Rule::Alias { name: value, named, content: Box::new(self.rule(*content)) }
            }
            Raw::Token { content } | Raw::ImmediateToken { content } => {
                self.rule(*content).only_text().map_or(Rule::Pattern, Rule::Text)
            }
            Raw::Prec { content }
            | Raw::PrecLeft { content }
            | Raw::PrecRight { content }
            | Raw::PrecDynamic { content }
            | Raw::Reserved { content } => self.rule(*content),
        }
    }
}

impl Rule {
    /// The text of a token, when it can be one only.
    fn only_text(&self) -> Option<String> {
        match self {
            Rule::Blank => Some(String::new()),
            Rule::Text(text) => Some(text.clone()),
            Rule::Seq(members) => members.iter().map(Rule::only_text).collect(),
            Rule::Choice(members) => match &members[..] {
                [only] => only.only_text(),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Productions, ProductionsError> {
        Productions::parse(text, &|_| None, [])
    }

    #[test]
    fn precedences_go_and_tokens_become_texts_or_patterns() {
        let productions = parsed(
            r#"{"rules": {
                "a": {"type": "PREC_LEFT", "value": "x", "content": {"type": "SEQ", "members": [
                    {"type": "TOKEN", "content": {"type": "PREC", "value": -1, "content": {"type": "STRING", "value": "/*"}}},
                    {"type": "IMMEDIATE_TOKEN", "content": {"type": "PATTERN", "value": "[a-z]", "flags": "i"}},
                    {"type": "RESERVED", "context_name": "some", "content": {"type": "SYMBOL", "name": "b"}},
                    {"type": "CHOICE", "members": [{"type": "BLANK"}, {"type": "SYMBOL", "name": "outside"}]}
                ]}},
                "b": {"type": "REPEAT1", "content": {"type": "TOKEN", "content": {"type": "SEQ", "members": [
                    {"type": "STRING", "value": "<"}, {"type": "STRING", "value": "="}
                ]}}}
            }, "externals": [{"type": "SYMBOL", "name": "outside"}, {"type": "STRING", "value": "||"}]}"#,
        )
        .expect("it is well-formed");
        let symbol = |name: &str| Rule::Symbol(name.to_owned());
        let a = [
            Rule::Text("/*".to_owned()),
            Rule::Pattern,
            symbol("b"),
            Rule::Choice(vec![Rule::Blank, symbol("outside")]),
        ];
        assert_eq!(productions.rules["a"], Rule::Seq(a.to_vec()));
        assert_eq!(productions.rules["b"], Rule::Repeat1(Box::new(Rule::Text("<=".to_owned()))));
        assert_eq!(productions.rules["outside"], Rule::Pattern);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let wrong = |text: &str| parsed(text).expect_err("it has a mistake");
        let error = wrong("{\n\"rules\": {\n\"a\": {\"type\": \"WHAT\"}}}");
        assert!(matches!(error, ProductionsError::Json { line: 3, .. }), "{error:?}");
        let text = "{\n\"rules\": {\"a\": {\"type\": \"SYMBOL\",\n\"name\": \"nowhere\"}}}";
        let offset = text.find("\"nowhere").expect("it is there");
        assert_eq!(wrong(text), ProductionsError::Unknown { offset, what: "rule", name: "nowhere".to_owned() });
        let field = r#"{"rules": {"a": {"type": "FIELD", "name": "no such", "content": {"type": "BLANK"}}}}"#;
        assert!(wrong(field).to_string().contains("unknown field `no such`"));
    }
}
