//! `reduce.scm`: tree-sitter queries whose captures say what an edit may do to the nodes they match.
//!
//! A pattern is one rule; its captures say of which form. The set of forms is fixed and documented
//! in `grammars/README.md`; a pattern that captures anything else is an error, not a silent nothing.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;

use tree_sitter::{
    CaptureQuantifier, Language, Node, Query, QueryCursor, QueryErrorKind, QueryMatch, StreamingIterator,
};

use super::problem::{GrammarError, Origin, Problem, line_of};

/// The file's name in its folder.
pub(super) const FILE_NAME: &str = "reduce.scm";

/// The only key that `#set!` may set, and only in a lift.
const SUFFIX: &str = "suffix";

/// How many matches may be under way at a time, and how deep in the tree one may start. Every match
/// under way is looked at for every node, which is quadratic on a tree that is all depth, and
/// tree-sitter counts depth in 16 bits. What is beyond is not found: that costs edits, never
/// correctness, and real code stays far below.
const MATCHES_UNDER_WAY: u32 = 512;
const DEEPEST_START: u32 = 2048;

/// A node that a rule has matched.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Capture {
    /// The bytes of the source that the node covers.
    pub range: Range<usize>,
    /// The node's kind.
    pub kind: u16,
}

impl Ord for Capture {
    /// Document order: by start, the enclosing node before what it encloses.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |capture: &Self| (capture.range.start, Reverse(capture.range.end), capture.kind);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Capture {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `@def.unit`, `@def.name`: something that can go when its name is found nowhere else.
/// A unit that defines several names occurs once for each of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Definition {
    /// What goes.
    pub unit: Capture,
    /// The name it defines.
    pub name: Capture,
}

/// `@splice.outer`, `@splice.inner`: the text between the first and the last token of `inner` may
/// stand where `outer` stands. The two can be the same node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Splice {
    /// What is replaced.
    pub outer: Capture,
    /// The block whose inside replaces it.
    pub inner: Capture,
}

/// `@lift.outer`, `@lift`: the text of `lift`, followed by `suffix`, may stand where `outer` stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lift {
    /// What is replaced.
    pub outer: Capture,
    /// What replaces it.
    pub lift: Capture,
    /// What has to follow, from `#set! suffix`; mostly empty.
    pub suffix: String,
}

/// A rule as it is written, for messages about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleText {
    /// The line of the file it starts in, counted from 1.
    pub line: usize,
    /// The pattern.
    pub text: String,
}

/// What the captures of a pattern make it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Definition,
    Body,
    Splice,
    Lift,
}

impl Form {
    const ALL: [Self; 4] = [Self::Definition, Self::Body, Self::Splice, Self::Lift];

    /// The captures of this form: where the edit happens, and the node that says what it is.
    const fn captures(self) -> &'static [&'static str] {
        match self {
            Self::Definition => &["def.unit", "def.name"],
            Self::Body => &["body"],
            Self::Splice => &["splice.outer", "splice.inner"],
            Self::Lift => &["lift.outer", "lift"],
        }
    }
}

/// The compiled rules of one language.
#[derive(Debug)]
pub struct Rules {
    /// One query per form, in the order of [`Form::ALL`], so that asking for one form does not
    /// match the others; `None` when no rule has that form.
    queries: [Option<FormQuery>; 4],
    /// Every rule, in file order.
    texts: Vec<RuleText>,
}

#[derive(Debug)]
struct FormQuery {
    query: Query,
    /// The numbers of the form's captures in the query.
    captures: Vec<u32>,
    /// Per pattern, what `#set! suffix` says.
    suffixes: Vec<String>,
}

impl Rules {
    /// Compiles the file against the parser.
    ///
    /// # Errors
    /// A query that does not compile, a capture, directive or predicate that is not documented, and a
    /// pattern whose captures do not make exactly one rule.
    pub(super) fn compile(language: &Language, origin: Origin<'_>) -> Result<Self, GrammarError> {
        let query = compile(language, origin)?;
        let forms = (0..query.pattern_count())
            .map(|pattern| form_of(&query, pattern, origin))
            .collect::<Result<Vec<_>, _>>()?;
        let texts = (0..query.pattern_count()).map(|pattern| rule_text(&query, pattern, origin.text)).collect();

        let mut queries = [const { None }; 4];
        for (slot, form) in queries.iter_mut().zip(Form::ALL) {
            if forms.contains(&form) {
                *slot = Some(FormQuery::new(&query, form, &forms));
            }
        }
        Ok(Self { queries, texts })
    }

    /// Every rule, in file order.
    pub fn texts(&self) -> &[RuleText] {
        &self.texts
    }

    /// The rules that match nowhere below `root`, in file order: the coverage of a sample.
    pub fn unmatched(&self, root: Node<'_>, source: &[u8]) -> Vec<&RuleText> {
        let mut matched = vec![false; self.texts.len()];
        for query in self.queries.iter().flatten() {
            query.run(root, source, |found| matched[found.pattern_index] = true);
        }
        self.texts.iter().zip(matched).filter_map(|(text, matched)| (!matched).then_some(text)).collect()
    }

    /// What `@def.unit` and `@def.name` match below `root`, in document order and without doubles.
    /// `source` is the text that was parsed.
    pub fn definitions(&self, root: Node<'_>, source: &[u8]) -> Vec<Definition> {
        self.collect(Form::Definition, root, source, |captures, _| {
            let [unit, name] = captures else { return None };
            Some(Definition { unit: unit.clone(), name: name.clone() })
        })
    }

    /// What `@body` matches below `root`, in document order and without doubles.
    pub fn bodies(&self, root: Node<'_>, source: &[u8]) -> Vec<Capture> {
        self.collect(Form::Body, root, source, |captures, _| captures.first().cloned())
    }

    /// What `@splice.outer` and `@splice.inner` match below `root`, in document order and without doubles.
    pub fn splices(&self, root: Node<'_>, source: &[u8]) -> Vec<Splice> {
        self.collect(Form::Splice, root, source, |captures, _| {
            let [outer, inner] = captures else { return None };
            Some(Splice { outer: outer.clone(), inner: inner.clone() })
        })
    }

    /// What `@lift.outer` and `@lift` match below `root`, in document order and without doubles.
    pub fn lifts(&self, root: Node<'_>, source: &[u8]) -> Vec<Lift> {
        self.collect(Form::Lift, root, source, |captures, suffix| {
            let [outer, lift] = captures else { return None };
            Some(Lift { outer: outer.clone(), lift: lift.clone(), suffix: suffix.to_owned() })
        })
    }

    /// Runs the rules of one form. A rule may name a capture under `*` or `?`; a match in which it
    /// is missing makes nothing.
    fn collect<T: Ord>(
        &self,
        form: Form,
        root: Node<'_>,
        source: &[u8],
        make: impl Fn(&[Capture], &str) -> Option<T>,
    ) -> Vec<T> {
        let mut found = Vec::new();
        if let Some(query) = &self.queries[form as usize] {
            query.run(root, source, |matched| {
                let captures: Option<Vec<Capture>> =
                    query.captures.iter().map(|&index| capture(matched, index)).collect();
                found.extend(captures.and_then(|captures| make(&captures, &query.suffixes[matched.pattern_index])));
            });
        }
        // Matches come in the order in which they end, and two rules may say the same.
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl FormQuery {
    /// The part of `all` that has this form. Copied, not compiled again: compiling the rules of a
    /// large language takes longer than starting a process.
    fn new(all: &Query, form: Form, forms: &[Form]) -> Self {
        let mut query = all.deep_clone();
        for (pattern, &other) in forms.iter().enumerate() {
            if other != form {
                query.disable_pattern(pattern);
            }
        }
        let captures = form.captures().iter().filter_map(|capture| query.capture_index_for_name(capture)).collect();
        let suffixes = (0..forms.len()).map(|pattern| suffix(&query, pattern)).collect();
        Self { query, captures, suffixes }
    }

    fn run(&self, root: Node<'_>, source: &[u8], mut each: impl FnMut(&QueryMatch<'_, '_>)) {
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MATCHES_UNDER_WAY);
        cursor.set_max_start_depth(Some(DEEPEST_START));
        let mut matches = cursor.matches(&self.query, root, source);
        while let Some(found) = matches.next() {
            each(found);
        }
    }
}

fn capture(found: &QueryMatch<'_, '_>, index: u32) -> Option<Capture> {
    let node = found.captures().iter().find(|capture| capture.index == index)?.node;
    Some(Capture { range: node.byte_range(), kind: node.kind_id() })
}

fn compile(language: &Language, origin: Origin<'_>) -> Result<Query, GrammarError> {
    Query::new(language, origin.text).map_err(|error| {
        let what = match error.kind {
            QueryErrorKind::NodeType => "unknown kind ",
            QueryErrorKind::Field => "unknown field ",
            QueryErrorKind::Capture => "a predicate names an unknown capture ",
            QueryErrorKind::Predicate => "wrong predicate: ",
            QueryErrorKind::Structure => "this can never match:\n",
            QueryErrorKind::Syntax => "syntax error:\n",
            QueryErrorKind::Language => "",
        };
        GrammarError::File {
            file: format!("grammars/{}/{}", origin.folder, origin.file),
            // Not the offset: for predicates tree-sitter gives only the row.
            line: error.row + 1,
            problem: Problem::Query(format!("{what}{}", error.message)),
        }
    })
}

/// The form that the captures of a pattern make it. Captures that start with `_` are free: they
/// exist for predicates.
fn form_of(query: &Query, pattern: usize, origin: Origin<'_>) -> Result<Form, GrammarError> {
    let start = query.start_byte_for_pattern(pattern);
    let used: Vec<&str> = query
        .capture_names()
        .iter()
        .zip(query.capture_quantifiers(pattern))
        .filter(|(name, quantifier)| **quantifier != CaptureQuantifier::Zero && !name.starts_with('_'))
        .map(|(name, _)| *name)
        .collect();

    let known: Vec<&str> = Form::ALL.iter().flat_map(|form| form.captures().iter().copied()).collect();
    if let Some(name) = used.iter().find(|name| !known.contains(name)) {
        let offset = start + find_capture(&origin.text[start..], name);
        let known = known.iter().map(|name| format!("@{name}")).collect::<Vec<_>>().join(", ");
        return Err(origin.error(offset, Problem::UnknownCapture { name: (*name).to_owned(), known }));
    }
    let form = Form::ALL.into_iter().find(|form| {
        used.len() == form.captures().len() && form.captures().iter().all(|capture| used.contains(capture))
    });
    let Some(form) = form else {
        return Err(origin.error(start, not_a_rule(&used)));
    };
    check_directives(query, pattern, form)
        .map_err(|directive| origin.error(start, Problem::UnknownDirective(directive)))?;
    Ok(form)
}

fn not_a_rule(used: &[&str]) -> Problem {
    let list = |names: &[&str]| names.iter().map(|name| format!("@{name}")).collect::<Vec<_>>().join(" with ");
    Problem::NotARule {
        forms: Form::ALL.map(|form| list(form.captures())).join(", "),
        found: if used.is_empty() { "none".to_owned() } else { list(used) },
    }
}

/// tree-sitter keeps directives that it does not know, for its users to interpret; an unknown one
/// would silently do nothing.
fn check_directives(query: &Query, pattern: usize, form: Form) -> Result<(), String> {
    for property in query.property_settings(pattern) {
        if form != Form::Lift || &*property.key != SUFFIX || property.value.is_none() {
            return Err(format!("#set! {}", property.key));
        }
    }
    if let Some((property, positive)) = query.property_predicates(pattern).first() {
        return Err(format!("#{} {}", if *positive { "is?" } else { "is-not?" }, property.key));
    }
    match query.general_predicates(pattern).first() {
        Some(predicate) => Err(format!("#{}", predicate.operator)),
        None => Ok(()),
    }
}

/// Where `@name` stands in `text`, as a whole word.
fn find_capture(text: &str, name: &str) -> usize {
    let mut from = 0;
    let wanted = format!("@{name}");
    while let Some(at) = text[from..].find(&wanted) {
        let end = from + at + wanted.len();
        let goes_on = text[end..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'));
        if !goes_on {
            return from + at;
        }
        from = end;
    }
    0
}

fn suffix(query: &Query, pattern: usize) -> String {
    let mut settings = query.property_settings(pattern).iter();
    settings.find_map(|property| property.value.as_deref()).unwrap_or_default().to_owned()
}

fn rule_text(query: &Query, pattern: usize, source: &str) -> RuleText {
    let range = query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern);
    // tree-sitter counts what stands between two patterns to the first of them.
    let text = source[range.clone()].split("\n;").next().unwrap_or_default();
    RuleText { line: line_of(source, range.start), text: text.trim_end().to_owned() }
}
