//! The rules for all languages: reads `grammars/common.scm`, adapts it to a parser, and matches it.
//!
//! These rules name fields instead of kinds: `(_ name: (_) body: (_))` is any node with a name and a body. In a
//! tree-sitter query, every search would try such patterns at every node; with all kinds instead of the wildcard, the
//! query would take up to seconds to compile. The patterns are simple, so they are matched here: the parser's
//! description lists the kinds that can have the fields, and only their nodes are examined.

use std::collections::BTreeSet;
use std::num::NonZero;

use tree_sitter::{Language, Node};

use super::capture::{Capture, DEEPEST_START};
use super::forms::Form;
use super::language_toml::Word;
use super::layers::Layers;
use super::problem::{GrammarError, Problem, line_of};
use super::rule_file::pattern_ranges;
use super::rule_place::{COMMON, RuleText};
use super::supertypes::NodeTypes;
use lop_syntax::{Fields, Root};

/// The name of the file, as messages show it.
const FILE_NAME: &str = "common.scm";

/// The rules.
const TEXT: &str = include_str!("../../../grammars/common.scm");

/// Maximum number of matches at one node if several children fit several patterns. Further ones are not found: that
/// costs edits, never correctness, and real code stays far below.
const MOST_PAIRS: usize = 512;

/// The rules that a parser can have and its language wants.
#[derive(Debug, Default)]
pub(super) struct Common {
    rules: Vec<CommonRule>,
    /// Kind → the rules that may begin at nodes of it.
    by_kind: Vec<Vec<usize>>,
}

/// A pattern of the file.
#[derive(Debug)]
pub(super) struct CommonRule {
    /// The form that its captures make it.
    pub(super) form: Form,
    /// The value of `#set! suffix`; mostly empty.
    pub(super) suffix: String,
    /// Likewise `#set! list`.
    pub(super) list: String,
    /// Where it is written.
    pub(super) text: RuleText,
    root: NodePattern,
}

/// The conditions that a node has to meet.
#[derive(Debug, Default)]
struct NodePattern {
    /// Its kind; any named one if there is none.
    kinds: Option<Vec<u16>>,
    /// The places among its form's captures that it has.
    captures: Vec<usize>,
    children: Vec<ChildPattern>,
    /// Fields in which no child may be.
    absent: Vec<u16>,
}

#[derive(Debug)]
struct ChildPattern {
    /// The field that it is in; any or none if there is none.
    field: Option<u16>,
    /// Whether it is the first named child.
    is_first: bool,
    node: NodePattern,
}

/// The captures of a match, in the order of the form's.
type Captures = Vec<Option<Capture>>;
/// Captures of a part of a match, with their places among the form's.
type Way = Vec<(usize, Capture)>;

impl Common {
    /// Fits the rules.
    ///
    /// # Errors
    /// If a language's file names an unknown rule.
    pub(super) fn of(layers: &Layers<'_>, language: &Language, types: &NodeTypes) -> Result<Self, GrammarError> {
        let ranges = pattern_ranges(TEXT);
        let written: Vec<Written<'_>> = ranges.into_iter().filter_map(Written::read).collect();
        let unwanted = layers.without(|word| {
            let names: BTreeSet<&str> = written.iter().map(|pattern| pattern.rule).collect();
            let known = || names.iter().copied().collect::<Vec<_>>().join(", ");
            let is_known = names.contains(word.get_ref().as_str());
            (!is_known).then(|| Problem::UnknownRule { name: word.get_ref().clone(), known: known() })
        })?;
        let is_wanted = |pattern: &&Written<'_>| !unwanted.iter().any(|word: &&Word| word.get_ref() == pattern.rule);
        let rules = written.iter().filter(is_wanted).filter_map(|pattern| pattern.fit(language)).collect();
        Ok(Self::with(rules, language, types))
    }

    /// Returns only the rule at this place.
    pub(super) fn only(self, text: &RuleText, language: &Language, types: &NodeTypes) -> Self {
        let rules = self.rules.into_iter().filter(|rule| rule.text == *text).collect();
        Self::with(rules, language, types)
    }

    fn with(rules: Vec<CommonRule>, language: &Language, types: &NodeTypes) -> Self {
        let kinds = 0..u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let of_kind = |kind: u16| {
            let name = language.node_kind_for_id(kind).filter(|_| language.node_kind_is_named(kind));
            let Some(name) = name else { return Vec::new() };
            let may_begin = |rule: &CommonRule| {
                let is_kind = rule.root.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind));
                let mut fields = rule.root.children.iter().filter_map(|child| child.field);
                let has =
                    |field: u16| language.field_name_for_id(field).is_some_and(|field| types.has_field(name, field));
                is_kind && fields.all(has)
            };
            (0..).zip(&rules).filter(|(_, rule)| may_begin(rule)).map(|(number, _)| number).collect()
        };
        Self { by_kind: kinds.map(of_kind).collect(), rules }
    }

    /// The rules, in file order.
    pub(super) fn rules(&self) -> &[CommonRule] {
        &self.rules
    }

    /// The matches of the rules of a form below `root`, with the rules' numbers; in the order of the text.
    pub(super) fn find(&self, form: Form, root: Root<'_>, mut each: impl FnMut(usize, Captures)) {
        if !self.rules.iter().any(|rule| rule.form == form) {
            return;
        }
        let mut cursor = root.node().walk();
        loop {
            let node = cursor.node();
            for &number in self.by_kind.get(usize::from(node.kind_id())).into_iter().flatten() {
                let rule = &self.rules[number];
                if rule.form == form {
                    for way in rule.root.ways(root, node) {
                        let mut captures = vec![None; form.captures().len() + form.optional().len()];
                        way.into_iter().for_each(|(place, capture)| captures[place] = Some(capture));
                        each(number, captures);
                    }
                }
            }
            if cursor.depth() < DEEPEST_START && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }
}

impl NodePattern {
    /// The captures of each way in which a node is like this.
    fn ways(&self, root: Root<'_>, node: Node<'_>) -> Vec<Way> {
        let is_kind = match &self.kinds {
            Some(kinds) => kinds.contains(&node.kind_id()),
            None => node.is_named() && !node.is_error(),
        };
        if !is_kind || node.is_extra() || self.absent.iter().any(|&field| node.child_by_field_id(field).is_some()) {
            return Vec::new();
        }
        let capture = Capture { range: root.range(node), kind: node.kind_id() };
        let own = self.captures.iter().map(|&place| (place, capture.clone())).collect();
        self.ways_of_children(root, node).into_iter().fold(vec![own], |ways, of_child| {
            // Each with each: the names of a declaration with its values.
            let most = MOST_PAIRS.max(ways.len()).max(of_child.len());
            let both = ways.iter().flat_map(|way| of_child.iter().map(|more| [&way[..], more].concat()));
            both.take(most).collect()
        })
    }

    /// Lists, for each child pattern, the matches of the children in any order. All patterns are compared with a child
    /// at once: a node can have as many children as the text has words.
    fn ways_of_children(&self, root: Root<'_>, node: Node<'_>) -> Vec<Vec<Way>> {
        let mut all = vec![Vec::new(); self.children.len()];
        let mut cursor = node.walk();
        let (mut more, mut is_first) = (!all.is_empty() && cursor.goto_first_child(), true);
        let (mut fields, mut number) = (Fields::default(), 0);
        while more {
            let child = cursor.node();
            let field = fields.at(&cursor, 0, number);
            number += 1;
            for (pattern, ways) in self.children.iter().zip(&mut all) {
                let is_there = pattern.field.is_none_or(|wanted| field == wanted);
                // One way without captures is as good as many.
                if is_there && (is_first || !pattern.is_first) && ways.first().is_none_or(|way: &Way| !way.is_empty()) {
                    ways.extend(pattern.node.ways(root, child));
                }
            }
            is_first &= !child.is_named();
            more = cursor.goto_next_sibling();
        }
        all
    }
}

/// A pattern of the file, not yet fitted to a parser.
struct Written<'t> {
    /// The rule that it belongs to.
    rule: &'t str,
    suffix: &'t str,
    list: &'t str,
    form: Form,
    words: Vec<&'t str>,
    text: RuleText,
}

impl Written<'static> {
    /// `None` if the template has anything but a pattern of the documented kind. A test checks that no file has this.
    fn read(range: std::ops::Range<usize>) -> Option<Self> {
        let start = range.start;
        let words: Vec<&str> = words(&TEXT[range]).collect();
        let set = |key: &str| {
            let at = words.windows(3).position(|three| three[0] == "#set!" && three[1] == key)?;
            Some(words[at + 2].trim_matches('"'))
        };
        let used: Vec<&str> = words.iter().filter_map(|word| word.strip_prefix('@')).collect();
        let end = TEXT[start..].find('\n').map_or(TEXT.len(), |end| start + end);
        Some(Self {
            rule: set("rule")?,
            suffix: set("suffix").unwrap_or_default(),
            list: set("list").unwrap_or_default(),
            form: Form::made_by(&used)?,
            text: RuleText {
                folder: COMMON.to_owned(),
                file: FILE_NAME.to_owned(),
                line: line_of(TEXT, start),
                text: TEXT[start..end].to_owned(),
            },
            words,
        })
    }

    /// Makes the rule for a parser. Returns `None` if the parser lacks a kind, a token or a field of the rule.
    fn fit(&self, language: &Language) -> Option<CommonRule> {
        let root = Reader { words: &self.words[1..], form: self.form, language }.node()?;
        let [suffix, list] = [self.suffix, self.list].map(str::to_owned);
        Some(CommonRule { form: self.form, suffix, list, text: self.text.clone(), root })
    }
}

/// Reads the words of a pattern.
struct Reader<'w> {
    words: &'w [&'w str],
    form: Form,
    language: &'w Language,
}

impl<'w> Reader<'w> {
    fn next(&mut self) -> Option<&'w str> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word)
    }

    /// A node in parentheses or a token in quotes, with its captures.
    fn node(&mut self) -> Option<NodePattern> {
        let mut node = NodePattern::default();
        match self.next()? {
            "(" => {
                node.kinds = match self.next()? {
                    "_" => None,
                    kind => Some(self.kinds(kind, true)?),
                };
                let mut is_first = false;
                loop {
                    let field = match self.words.first()? {
                        &")" => break,
                        &"." => {
                            is_first = true;
                            self.next()?;
                            continue;
                        }
                        word => match (word.strip_prefix('!'), word.strip_suffix(':')) {
                            // A field that the parser lacks is nowhere.
                            (Some(absent), _) => {
                                node.absent.extend(self.field(absent));
                                self.next()?;
                                continue;
                            }
                            (_, Some(field)) => {
                                self.next()?;
                                Some(self.field(field)?)
                            }
                            _ => None,
                        },
                    };
                    node.children.push(ChildPattern { field, is_first, node: self.node()? });
                    is_first = false;
                }
                self.next()?;
            }
            token => node.kinds = Some(self.kinds(token.strip_prefix('"')?.strip_suffix('"')?, false)?),
        }
        while let Some(name) = self.words.first().and_then(|word| word.strip_prefix('@')) {
            let mut names = self.form.captures().iter().chain(self.form.optional());
            node.captures.extend(names.position(|known| *known == name));
            self.next()?;
        }
        Some(node)
    }

    fn field(&self, name: &str) -> Option<u16> {
        self.language.field_id_for_name(name).map(NonZero::get)
    }

    /// All kinds with a name: an alias has its own number.
    fn kinds(&self, name: &str, is_named: bool) -> Option<Vec<u16>> {
        let language = self.language;
        let is = |kind: &u16| {
            language.node_kind_is_named(*kind) == is_named && language.node_kind_for_id(*kind) == Some(name)
        };
        let kinds: Vec<u16> = (0..=u16::MAX).take(language.node_kind_count()).filter(is).collect();
        (!kinds.is_empty()).then_some(kinds)
    }
}

/// Splits a pattern into words, brackets and strings, without comments.
fn words(pattern: &str) -> impl Iterator<Item = &str> {
    let mut rest = pattern;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let goes_on = |byte: u8| !byte.is_ascii_whitespace() && !b"()\"".contains(&byte);
        let length = match rest.bytes().next()? {
            b';' => return None,
            b'"' => 2 + rest[1..].find('"')?,
            _ => rest.bytes().position(|byte| !goes_on(byte)).unwrap_or(rest.len()).max(1),
        };
        let word;
        (word, rest) = rest.split_at_checked(length)?;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tree_sitter::Parser as TreeSitter;

    use lop_languages::LANGUAGES;

    use super::*;
    use crate::{AUTO, Folder, Registry};

    /// The parser of the file's language, and the content of the node.
    fn parser_of(file: &str) -> (Language, NodeTypes) {
        let registry = Registry::of(&LANGUAGES).expect("the embedded folders are well-formed");
        let (folder, _) = registry.find(AUTO, Path::new(file), b"").expect("it is well-formed");
        parser(folder.expect("the language is built in"))
    }

    fn parser(folder: &Folder<'_>) -> (Language, NodeTypes) {
        let types = NodeTypes::parse(folder.parser.node_types).expect("it is well-formed");
        (Language::new(folder.parser.language), types)
    }

    /// Lists the captures of all matches of a pattern in a text.
    #[track_caller]
    fn found(file: &'static str, pattern: &'static str, text: &str) -> Vec<String> {
        let join = |captures: Captures| {
            let texts = captures.into_iter().flatten().map(|capture| &text[capture.range]);
            texts.collect::<Vec<_>>().join(" | ")
        };
        matches(file, pattern, text).into_iter().map(join).collect()
    }

    #[track_caller]
    fn matches(file: &'static str, pattern: &'static str, text: &str) -> Vec<Captures> {
        let (language, types) = parser_of(file);
        let words: Vec<&str> = words(pattern).collect();
        let used: Vec<&str> = words.iter().filter_map(|word| word.strip_prefix('@')).collect();
        let place = RuleText { folder: String::new(), file: String::new(), line: 1, text: String::new() };
        let form = Form::made_by(&used).expect("it is a rule");
        let written = Written { rule: "", suffix: "", list: "", form, words, text: place };
        let rules = written.fit(&language).into_iter().collect();
        let common = Common::with(rules, &language, &types);
        let mut parser = TreeSitter::new();
        parser.set_language(&language).expect("it fits");
        let tree = parser.parse(text, None).expect("it ends");
        let mut all = Vec::new();
        common.find(form, Root::of_tree(&tree), |_, captures| all.push(captures));
        all
    }

    #[test]
    fn every_pattern_of_the_file_is_a_rule_with_a_name() {
        let ranges = pattern_ranges(TEXT);
        assert!(!ranges.is_empty());
        for range in ranges {
            let text = &TEXT[range.clone()];
            let read = Written::read(range).unwrap_or_else(|| panic!("{text}"));
            assert!(!read.words.contains(&"text"), "{text}: there are no templates here");
            assert!(
                LANGUAGES.built_in.iter().any(|folder| read.fit(&parser(folder).0).is_some()),
                "{text}: fits no parser"
            );
        }
    }

    #[test]
    fn fields_decide_and_not_their_order() {
        let body = "((_ body: (_) @body name: (_)))";
        assert_eq!(found("x.js", body, "function f() { g(); } class A { }"), ["{ g(); }", "{ }"]);
        assert_eq!(found("x.js", body, "x = () => { };"), [] as [&str; 0]);
        assert_eq!(found("x.c", body, "struct s { int a; }; int f(void) { }"), ["{ int a; }"]);
    }

    #[test]
    fn a_pattern_may_name_kinds_tokens_places_and_fields_that_are_not_there() {
        let braces = "((_ consequence: (_ \"{\" \"}\") @splice.inner) @splice.outer)";
        assert_eq!(found("x.c", braces, "void f(void) { if (a) { b; } if (a) b; }"), ["if (a) { b; } | { b; }"]);
        let first = "((parameters . (identifier) @def.name) @def.unit)";
        assert_eq!(found("x.py", first, "def f(a, b): pass"), ["(a, b) | a"]);
        let value = "((_ left: (_) @lift !operator) @lift.outer)";
        assert_eq!(found("x.py", value, "a = b\na += b"), ["a = b | a"]);
        assert_eq!(found("x.js", "((_ left: (_) @lift !no_such_field) @lift.outer)", "a = b"), ["a = b | a"]);
    }

    #[test]
    fn a_pattern_that_names_what_the_parser_lacks_matches_nothing() {
        for pattern in ["((_ no_such: (_) @body))", "((no_such (_) @body))", "((_ \"no such\" (_) @body))"] {
            assert_eq!(found("x.c", pattern, "int f(void) { }"), [] as [&str; 0]);
        }
    }

    #[test]
    fn several_nodes_of_a_field_are_several_matches() {
        let each = "((_ name: (_) @def.name) @def.unit)";
        let text = "from a import b, c";
        assert_eq!(found("x.py", each, text), ["from a import b, c | b", "from a import b, c | c"]);
    }

    #[test]
    fn a_child_without_captures_makes_no_match_of_its_own() {
        let names = "((_ name: (_) name: (_) @def.name) @def.unit)";
        let text = "from a import b, c";
        assert_eq!(found("x.py", names, text), ["from a import b, c | b", "from a import b, c | c"]);
    }

    /// Examining all children again for each of them would take hours.
    #[test]
    fn a_node_may_have_as_many_children_as_the_text_has_words() {
        let names: Vec<String> = (0..200_000).map(|name| format!("a{name}")).collect();
        let text = format!("package p\nvar {} int\n", names.join(", "));
        let pattern = "((_ name: (_) @def.name type: (_)) @def.unit)";
        assert_eq!(matches("x.go", pattern, &text).len(), names.len());
        let text = format!("A {} <B> x;", "/**/".repeat(200_000));
        let pattern = "((generic_type . (_) @param.fn (type_arguments) @param.list))";
        assert_eq!(found("x.java", pattern, &text), ["<B> | A"]);
    }

    #[test]
    fn captures_of_many_children_are_not_all_held_against_each_other() {
        let names: Vec<String> = (0..2_000).map(|name| format!("a{name}")).collect();
        let text = format!("package p\nvar {} int\n", names.join(", "));
        let each = "((_ name: (_) @def.name name: (_) @def.unit))";
        assert_eq!(matches("x.go", each, &text).len(), names.len());
        assert_eq!(matches("x.go", each, "package p\nvar a, b int\n").len(), 4);
    }

    #[test]
    fn trees_that_are_very_deep_have_matches_near_the_root_only() {
        let text = format!("int f(void) {}{}", "{".repeat(5_000), "}".repeat(5_000));
        assert_eq!(found("x.c", "((compound_statement) @body)", &text).len(), DEEPEST_START as usize - 1);
    }
}
