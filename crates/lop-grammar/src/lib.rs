//! The facts about a language and the edits that it allows, from its folder in `grammars/`.
//!
//! No language is named here. [`Registry`] finds the folder for a file. [`Grammar`] answers the questions of the
//! passes, with every name resolved to a numeric node kind.
//!
//! Internal to lop: no version of this crate promises anything.

mod capture;
mod common;
mod conditionals;
mod content;
mod embedded;
mod forms;
mod guard;
mod kinds;
mod language_toml;
mod layers;
mod listed;
mod minimal;
mod overrides;
mod problem;
mod query;
mod registry;
mod replace;
mod rule_file;
mod rule_place;
mod rules;
mod run_time;
mod supertypes;
mod template;
mod wildcard;

use std::sync::Arc;

use regex::bytes::Regex;
use tree_sitter::{LANGUAGE_VERSION, Language, MIN_COMPATIBLE_LANGUAGE_VERSION};

pub use capture::Capture;
pub use conditionals::Conditionals;
pub use embedded::Embedded;
pub use guard::Guard;
pub use listed::{Home, Listed};
pub use lop_parser::{Catalog, Folder, LoadError, NotBuiltIn, Parser, Texts};
pub use minimal::Place;
pub use overrides::Overrides;
pub use problem::{GrammarError, Problem, nearest};
pub use query::QueryProblem;
pub use registry::{AUTO, Choice, Registry, TEXT};
pub use rule_place::{ByRule, RuleId, RulePlace, RuleText};
pub use rules::{
    Alias, Call, ControlFlow, Definition, Entry, Exit, Flow, Forward, Globalise, Grouped, Inlined, Jump, Lift,
    Parameters, Rewrite, RuleMatch, Rules, Scope, Splice,
};
pub use run_time::{Loaded, LoadedError, library_in, parsers_in};
pub use template::Piece;

use lop_syntax::{Node, Notation, ParseError, SyntaxParser};

use common::Common;
use kinds::{KindSet, Resolver};
use language_toml::{LanguageToml, Word};
use layers::Layers;
use minimal::MinimalTable;
use problem::Origin;
use replace::ReplaceTable;
use rule_file::RuleFile;
use supertypes::NodeTypes;

/// From which end a sibling sequence is swept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SweepOrder {
    /// From last to first: if definitions precede their uses, this needs far fewer tests.
    #[default]
    Backward,
    /// From the first to the last.
    Forward,
}

/// The language of texts that are in no other.
static ANY_TEXT: Folder<'static> = Folder {
    name: lop_parser::STRUCTURE_NAME,
    directory: "grammars/structure",
    language: include_str!("../../../grammars/structure/language.toml"),
    rules: include_str!("../../../grammars/structure/reduce.scm"),
    guard: "",
    user: None,
    inherited: &[],
    sample: None,
    parser: Parser { language: lop_parser::STRUCTURE, node_types: lop_parser::STRUCTURE_NODE_TYPES, release: "" },
    catalog: Catalog::NONE,
};

/// A loaded language: its parser, and the facts of its folder about the parser's node kinds.
#[derive(Debug)]
pub struct Grammar {
    name: String,
    language: Language,
    notation: Option<Arc<Notation>>,
    extensions: Vec<String>,
    keeps_newlines: bool,
    deepest: Option<usize>,
    is_written_compact: bool,
    empty_texts: Vec<String>,
    has_dialects: bool,
    clean: Vec<Regex>,
    conditionals: Option<Conditionals>,
    includes: Vec<Regex>,
    around_included: Vec<String>,
    keep_names: Vec<String>,
    keywords: Vec<String>,
    number_texts: Vec<String>,
    canonical_rows: Vec<Vec<String>>,
    mirrors: Vec<(String, String)>,
    sets: Sets,
    replace: ReplaceTable,
    minimal: MinimalTable,
    embedded: Vec<Embedded>,
    rules: Rules,
    places: Vec<RulePlace>,
}

/// The plain sets of kinds in `language.toml`.
#[derive(Debug, PartialEq, Eq)]
struct Sets {
    comments: KindSet,
    separators: KindSet,
    words: KindSet,
    opaque: KindSet,
    newline_sensitive: KindSet,
    chains: KindSet,
    identifiers: KindSet,
    numbers: KindSet,
    strings: KindSet,
    patterns: KindSet,
    forward: KindSet,
    name_holders: KindSet,
    used: KindSet,
    blocks: KindSet,
    indented: KindSet,
    /// Whether `indented` has any: it is asked about every node.
    is_indented: bool,
}

impl Grammar {
    /// Loads the language of a folder.
    ///
    /// # Errors
    /// When a file of the folder has an unknown key, kind, field or capture or does not compile, or
    /// when the parser cannot be used.
    pub fn load(folder: &Folder<'_>) -> Result<Self, GrammarError> {
        let own = Origin { folder: folder.name, file: rule_place::RULES, text: folder.rules };
        let inherited = folder.inherited.iter().map(|layer| (layer.name, layer.rules));
        let rules = RuleFile::new(folder.user, own, inherited);
        Self::load_with(folder, rules, |common, _, _| common).or_else(|error| {
            // The lines are those of two files as one: the mistake is in the second, or in none of the two.
            let alone = folder.user.map_or(Ok(()), |_| Self::load(&Folder { user: None, ..*folder }).map(drop));
            alone.and(Err(error.at(folder)))
        })
    }

    /// Loads the language of a folder with these rules instead of its own, inherited and general rules.
    ///
    /// # Errors
    /// The errors of [`Grammar::load`].
    pub fn load_with_rules(folder: &Folder<'_>, rules: &str) -> Result<Self, GrammarError> {
        let own = Origin { folder: folder.name, file: rule_place::RULES, text: rules };
        Self::load_with(folder, RuleFile::new(None, own, []), |_, _, _| Common::default())
            .map_err(|error| error.at(folder))
    }

    /// Loads the language of a folder with one of its rules, wherever that is written.
    ///
    /// # Errors
    /// The errors of [`Grammar::load`].
    pub fn load_with_rule(folder: &Folder<'_>, rule: &RuleText) -> Result<Self, GrammarError> {
        if !rule.is_common() {
            return Self::load_with_rules(folder, &rule.text);
        }
        let own = Origin { folder: folder.name, file: rule_place::RULES, text: "" };
        let only = |common: Common, language: &Language, types: &NodeTypes| common.only(rule, language, types);
        Self::load_with(folder, RuleFile::new(None, own, []), only).map_err(|error| error.at(folder))
    }

    fn load_with(
        folder: &Folder<'_>,
        rules: RuleFile<'_>,
        common: impl FnOnce(Common, &Language, &NodeTypes) -> Common,
    ) -> Result<Self, GrammarError> {
        let unusable = |cause: String| GrammarError::Parser { directory: folder.directory.to_owned(), cause };
        let language = Language::new(folder.parser.language);
        let (version, oldest, newest) = (language.abi_version(), MIN_COMPATIBLE_LANGUAGE_VERSION, LANGUAGE_VERSION);
        if !(oldest..=newest).contains(&version) || !language.is_parseable() {
            return Err(unusable(format!("its ABI is {version}, and lop takes {oldest} to {newest}")));
        }
        let types = match folder.parser.node_types {
            "" => NodeTypes::of(&language),
            text => NodeTypes::parse(text).map_err(|error| unusable(format!("node-types.json: {error}")))?,
        };
        let layers = Layers::parse(folder)?;
        let notation = layers.notation()?;
        let resolvers = layers.resolvers(&language, &types);
        let sets = Sets::new(&layers, &resolvers)?;
        let replace = ReplaceTable::new(&layers, &resolvers)?;
        let minimal = MinimalTable::new(&layers, &resolvers)?;
        let embedded = Embedded::all(&layers, &resolvers, folder.catalog)?;
        drop(resolvers);
        let common = common(Common::of(&layers, &language, &types)?, &language, &types);
        let rules = Rules::compile(&language, rules, common)?;
        let minimal_places = layers.places().into_iter().map(|(_, place)| place);
        let places = rule_place::of_patterns(rules.texts()).chain(minimal_places).collect();
        Ok(Self {
            name: folder.name.to_owned(),
            extensions: layers.own().language.extensions.clone(),
            is_written_compact: layers.files().find_map(|file| file.layout.blocks.as_ref()).is_some_and(Vec::is_empty),
            keeps_newlines: layers.files().find_map(|file| file.language.keep_newlines).unwrap_or_default(),
            deepest: layers.files().find_map(|file| file.language.deepest),
            has_dialects: layers.files().find_map(|file| file.language.dialects).unwrap_or_default(),
            empty_texts: layers.nearest(|file| &file.language.empty),
            clean: layers.expressions(|file| &file.clean.texts)?,
            conditionals: layers.conditionals()?,
            includes: layers.expressions(|file| &file.files.includes)?,
            around_included: layers.nearest(|file| &file.files.around),
            keep_names: layers.files().flat_map(|file| &file.identifiers.keep).cloned().collect(),
            keywords: keywords(&language),
            number_texts: layers.nearest(|file| &file.literals.number_texts),
            canonical_rows: layers.files().flat_map(|file| &file.canonical.rows).cloned().collect(),
            mirrors: layers.files().flat_map(|file| &file.canonical.mirrors).cloned().collect(),
            notation: notation.map(Arc::new),
            language,
            sets,
            replace,
            minimal,
            embedded,
            rules,
            places,
        })
    }

    /// Returns the language with one of its rules, whose matches in the tree of [`Rules::found`] are known and not
    /// searched for again.
    #[must_use]
    pub fn knowing(self, matches: Vec<RuleMatch>) -> Self {
        Self { rules: self.rules.knowing(matches), ..self }
    }

    /// Returns the language's name, which is its folder's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parser.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// A parser for the language.
    ///
    /// # Errors
    /// [`ParseError::Language`] if the language was generated for another tree-sitter.
    pub fn parser(&self) -> Result<SyntaxParser, ParseError> {
        let parser = match &self.notation {
            Some(notation) => SyntaxParser::structure(notation),
            None => SyntaxParser::new(&self.language)?,
        };
        Ok(parser.no_deeper(self.deepest))
    }

    /// Returns the notation of the language if its texts only have the tree of their structure.
    #[must_use]
    pub fn notation(&self) -> Option<&Arc<Notation>> {
        self.notation.as_ref()
    }

    /// The language of a text that is in none: its notation is found by a look at the text.
    ///
    /// # Errors
    /// When the folder for such texts has an error in it.
    pub fn of_text(text: &[u8]) -> Result<Self, GrammarError> {
        Ok(Self { notation: Some(Arc::new(Notation::of(text))), ..Self::load(Self::folder_of_text())? })
    }

    /// The folder of that language.
    #[must_use]
    pub fn folder_of_text() -> &'static Folder<'static> {
        &ANY_TEXT
    }

    /// Whether this is the grammar for texts in no language.
    #[must_use]
    pub fn is_of_any_text(&self) -> bool {
        self.name == lop_parser::STRUCTURE_NAME
    }

    /// Returns the maximum number of columns at which indented blocks may be open without crashing the parser; `None`
    /// means no limit.
    pub fn deepest(&self) -> Option<usize> {
        self.deepest
    }

    /// The extensions of the language's files, without the point.
    pub fn extensions(&self) -> &[String] {
        &self.extensions
    }

    /// Returns the name of a kind, or that of ERROR nodes for an unknown number.
    pub fn kind_name(&self, kind: u16) -> &str {
        self.language.node_kind_for_id(kind).unwrap_or("ERROR")
    }

    /// The name of a field.
    pub fn field_name(&self, field: u16) -> Option<&str> {
        self.language.field_name_for_id(field)
    }

    /// Whether nodes of this kind are comments.
    pub fn is_comment(&self, kind: u16) -> bool {
        self.sets.comments.contains(kind)
    }

    /// Whether this token separates the elements of a list; an element owns the one before it.
    pub fn is_separator(&self, kind: u16) -> bool {
        self.sets.separators.contains(kind)
    }

    /// Whether a node is a token of the language: one without a name, or a keyword that the parser gives one.
    pub fn is_word(&self, node: Node) -> bool {
        !node.is_named() || self.sets.words.contains(node.kind)
    }

    /// Whether nodes of this kind count as one token, whatever the parser sees inside.
    pub fn is_opaque(&self, kind: u16) -> bool {
        self.sets.opaque.contains(kind)
    }

    /// Whether nodes of this kind must start and end a line.
    pub fn is_newline_sensitive(&self, kind: u16) -> bool {
        self.sets.newline_sensitive.contains(kind)
    }

    /// Whether lines may never be joined, in nodes of any kind.
    pub fn keeps_newlines(&self) -> bool {
        self.keeps_newlines
    }

    /// Whole files of the language with nothing in them.
    pub fn empty_texts(&self) -> &[String] {
        &self.empty_texts
    }

    /// Whether tools accept much that the parser does not know, because the language has many dialects.
    #[must_use]
    pub fn has_dialects(&self) -> bool {
        self.has_dialects
    }

    /// Returns the expressions for text to remove anywhere before the text is parsed. Each finds similar texts.
    pub fn clean(&self) -> &[Regex] {
        &self.clean
    }

    /// The forms of conditional lines, if the language has any.
    #[must_use]
    pub fn conditionals(&self) -> Option<&Conditionals> {
        self.conditionals.as_ref()
    }

    /// Returns the expressions for includes and imports: the content of the file can replace the match. The first group
    /// is the path, with or without the extension.
    #[must_use]
    pub fn includes(&self) -> &[Regex] {
        &self.includes
    }

    /// Returns the content of a file as it replaces its include. `name` is the file's name without its extension, as a
    /// module has it in a language in which the content must be put in a block.
    #[must_use]
    pub fn included(&self, name: &str, content: &[u8]) -> Vec<u8> {
        let [before, after] = &self.around_included[..] else { return content.to_vec() };
        [before.replace("{name}", name).as_bytes(), b"\n", content, b"\n", after.as_bytes()].concat()
    }

    /// Whether nodes of this kind are names.
    pub fn is_identifier(&self, kind: u16) -> bool {
        self.sets.identifiers.contains(kind)
    }

    /// Names that mean something to the world outside the file.
    pub fn keep_names(&self) -> &[String] {
        &self.keep_names
    }

    /// Tokens of the grammar itself that look like names.
    pub fn keywords(&self) -> &[String] {
        &self.keywords
    }

    /// Whether nodes of this kind hold names that the parser does not see, such as the text of a macro.
    pub fn holds_names(&self, kind: u16) -> bool {
        self.sets.name_holders.contains(kind)
    }

    /// Whether the language refuses definitions of this kind that nothing refers to.
    pub fn must_be_used(&self, kind: u16) -> bool {
        self.sets.used.contains(kind)
    }

    /// Whether there is such a kind.
    pub fn refuses_unused(&self) -> bool {
        !self.sets.used.is_empty()
    }

    /// Whether nodes of this kind have each child on its own line.
    pub fn is_block(&self, kind: u16) -> bool {
        self.sets.blocks.contains(kind)
    }

    /// Whether the language is written in lines: some kind is a block.
    pub fn has_blocks(&self) -> bool {
        self.sets.blocks.iter().next().is_some()
    }

    /// Whether the folder says that the language is not written in lines: its list of blocks is empty.
    pub fn is_written_compact(&self) -> bool {
        self.is_written_compact
    }

    /// Whether indentation is syntax: some kind is indented.
    pub fn is_indented(&self) -> bool {
        self.sets.is_indented
    }

    /// Whether nodes of this kind have no brackets: their children share a column, to the right of their parent.
    pub fn is_indented_kind(&self, kind: u16) -> bool {
        self.sets.indented.contains(kind)
    }

    /// The simplest numbers, best first.
    pub fn number_texts(&self) -> &[String] {
        &self.number_texts
    }

    /// Rows of texts of tokens that can replace each other, the simplest first.
    pub fn canonical_rows(&self) -> &[Vec<String>] {
        &self.canonical_rows
    }

    /// Pairs of operators that mean the same with their operands exchanged, the simpler one first.
    pub fn mirrors(&self) -> &[(String, String)] {
        &self.mirrors
    }

    /// Whether nodes of this kind are numbers.
    pub fn is_number(&self, kind: u16) -> bool {
        self.sets.numbers.contains(kind)
    }

    /// Whether nodes of this kind are strings.
    pub fn is_string(&self, kind: u16) -> bool {
        self.sets.strings.contains(kind)
    }

    /// Whether nodes of this kind are the texts of regular expressions.
    pub fn is_pattern(&self, kind: u16) -> bool {
        self.sets.patterns.contains(kind)
    }

    /// From which end the children of a node of this kind are swept.
    pub fn order(&self, parent: u16) -> SweepOrder {
        match self.sets.forward.contains(parent) {
            true => SweepOrder::Forward,
            false => SweepOrder::Backward,
        }
    }

    /// Whether a node of kind `inner` may replace a node of kind `outer`: both have the same kind, or are in one class
    /// of `language.toml` or one supertype of the parser. This permits a proposal and promises nothing: the place may
    /// only allow a part of the class.
    pub fn may_replace(&self, outer: u16, inner: u16) -> bool {
        self.replace.allows(outer, inner)
    }

    /// Whether nodes of this kind can replace others: for names, those of values and types, but not of members and
    /// labels.
    pub fn may_replace_others(&self, kind: u16) -> bool {
        self.replace.has_group(kind)
    }

    /// Returns the texts that can replace a node, best first: those of the first key of `[minimal]` that fits; none if
    /// no key fits.
    pub fn minimal(&self, place: Place) -> impl Iterator<Item = ByRule<&str>> {
        let (above, texts) = self.minimal.get(place).unwrap_or_default();
        let first = self.rules.texts().len() + above;
        (first..).zip(texts).map(|(number, text)| ByRule { what: text.as_str(), rule: RuleId::from_index(number) })
    }

    /// Whether the first key of `[minimal]` that fits has no texts.
    pub fn forbids_other_texts(&self, place: Place) -> bool {
        self.minimal.get(place).is_some_and(|(_, texts)| texts.is_empty())
    }

    /// The language of a node's text if it is another one: a node of this kind, whose parent has that kind and that
    /// text in front of it.
    pub fn embedded(&self, kind: u16, parent: u16, before: &[u8]) -> Option<&Embedded> {
        self.embedded.iter().find(|entry| entry.fits(kind, parent, before))
    }

    /// Whether texts of the language may hold others.
    pub fn embeds(&self) -> bool {
        !self.embedded.is_empty()
    }

    /// Whether nodes of this kind nest in themselves to make a list: `a + b + c`.
    pub fn chain(&self, kind: u16) -> bool {
        self.sets.chains.contains(kind)
    }

    /// The language's rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Where each rule is written, the texts of `[minimal]` among them, by its number.
    pub fn places(&self) -> &[RulePlace] {
        &self.places
    }
}

impl Sets {
    fn new(layers: &Layers<'_>, resolvers: &[Resolver<'_>]) -> Result<Self, GrammarError> {
        let kinds = |words: fn(&LanguageToml) -> &[Word]| layers.union(resolvers, words, Resolver::kinds);
        let indented = kinds(|file| &file.layout.indented)?;
        Ok(Self {
            comments: kinds(|file| &file.trivia.comments)?,
            separators: layers.union(resolvers, |file| &file.lists.separators, Resolver::tokens)?,
            words: kinds(|file| &file.lists.words)?,
            opaque: kinds(|file| &file.lists.opaque)?,
            newline_sensitive: kinds(|file| &file.language.newline_sensitive)?,
            chains: kinds(|file| &file.lists.chains)?,
            identifiers: kinds(|file| &file.identifiers.kinds)?,
            numbers: kinds(|file| &file.literals.number)?,
            strings: kinds(|file| &file.literals.string)?,
            patterns: kinds(|file| &file.literals.pattern)?,
            forward: kinds(|file| &file.order.forward)?,
            name_holders: kinds(|file| &file.identifiers.inside)?,
            used: kinds(|file| &file.identifiers.used)?,
            blocks: kinds(|file| file.layout.blocks.as_deref().unwrap_or_default())?,
            is_indented: !indented.is_empty(),
            indented,
        })
    }
}

fn keywords(language: &Language) -> Vec<String> {
    let kinds = (0..=u16::MAX).take(language.node_kind_count()).filter(|kind| !language.node_kind_is_named(*kind));
    let words = kinds.filter_map(|kind| language.node_kind_for_id(kind));
    words.filter(|word| word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
