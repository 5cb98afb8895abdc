//! Reads `reduce.scm`: tree-sitter queries whose captures define edits of the matched nodes.
//!
//! A pattern is one rule; its captures define its form. `grammars/README.md` documents the fixed set of forms. Any
//! other capture is an error.

use std::sync::OnceLock;

use tree_sitter::{Language, Node, Query, QueryCursor, QueryMatch, StreamingIterator};

use lop_syntax::Root;

use super::capture::{Capture, DEEPEST_START};
use super::common::{Common, CommonRule};
use super::forms::{AFTER, Form, is_set, setting};
use super::problem::{GrammarError, Origin};
use super::rule_file::RuleFile;
use super::rule_place::{ByRule, RuleId, RuleText};
use super::template::{Piece, Template};
use super::wildcard::begins_with_wildcard;

/// Maximum number of simultaneous partial matches. All of them are checked at every node, which is quadratic on a very
/// deep tree. Further ones are not found: that costs edits, never correctness, and real code stays far below.
const MATCHES_UNDER_WAY: u32 = 512;

/// `@def.unit`, `@def.name`: something that can go when its name is found nowhere else.
/// A unit that defines several names occurs once for each of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Definition {
    /// The unit to remove.
    pub unit: Capture,
    /// The name it defines.
    pub name: Capture,
}

/// `@splice.outer`, `@splice.inner`: the text between the first and the last token of `inner` can replace `outer`. Both
/// can be the same node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Splice {
    /// The node that is replaced.
    pub outer: Capture,
    /// The block whose inside replaces it.
    pub inner: Capture,
}

/// `@lift.outer`, `@lift`: the text of `lift`, followed by `suffix`, can replace `outer`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lift {
    /// The node that is replaced.
    pub outer: Capture,
    /// The node that replaces it.
    pub lift: Capture,
    /// The text that has to follow, from `#set! suffix`; mostly empty.
    pub suffix: String,
}

/// `@rewrite` with `#set! text`: the template's text can replace the node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rewrite {
    /// The node to replace, or several adjacent ones. The kind is that of the first.
    pub outer: Capture,
    /// The text in its place.
    pub pieces: Vec<Piece>,
}

/// `@group` with `#set! text` and `#set! group`: one of several edits that are made together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grouped {
    /// The group: those of one group, name and scope go together.
    pub group: String,
    /// The node that is replaced.
    pub outer: Capture,
    /// The text in its place.
    pub pieces: Vec<Piece>,
    /// The common name of the edits, from `@group.name`; `None` if only the scope groups them.
    pub name: Option<Capture>,
}

/// `@group.scope` with `#set! group`: edits of the group belong together only inside one of these.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scope {
    /// The group.
    pub group: String,
    /// The node within which its edits are made together.
    pub scope: Capture,
}

/// `@forward`, `@forward.name`: a declaration whose place the definition of the same name may take.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Forward {
    /// The declaration.
    pub unit: Capture,
    /// The name it declares.
    pub name: Capture,
}

/// `@param.fn`, `@param.list`: the list of parameters or arguments that belongs to a function's name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parameters {
    /// The parameters or arguments.
    pub list: Capture,
    /// The name of the function that is declared or called.
    pub function: Capture,
    /// Which of its lists this is, from `#set! list`; mostly empty.
    pub which: String,
}

/// `@alias.unit`, `@alias.name`, `@alias.text`: a name that means a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alias {
    /// The node that defines the alias. It is removed with the last use of the name.
    pub unit: Capture,
    /// The name.
    pub name: Capture,
    /// The text that the name means.
    pub text: Vec<Piece>,
    /// The text that replaces the unit; usually empty.
    pub leave: Vec<Piece>,
    /// Whether only uses after the unit mean the text, as after an assignment.
    pub is_after: bool,
}

/// `@globalise`, `@globalise.before`: a node that can move before another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Globalise {
    /// The node before which it can be.
    pub before: Capture,
    /// The node that moves.
    pub moved: Capture,
    /// Its text there.
    pub text: Vec<Piece>,
}

/// Something that can be put in the place of its calls.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inlined {
    /// The unit to remove if there is no other call.
    pub unit: Capture,
    /// The name by which it is called.
    pub name: Capture,
    /// The node that takes the place of a call: the inside of this block, or all of it.
    pub body: Capture,
    /// Its parameters, whose names become the arguments.
    pub parameters: Option<Capture>,
    /// The statements before the value. They move before the statement with the call.
    pub before: Option<Capture>,
}

/// Where something is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// The call that is replaced.
    pub site: Capture,
    /// The name that is called.
    pub name: Capture,
    /// The arguments.
    pub arguments: Option<Capture>,
}

/// `@flow.unit`, `@flow.body`: a function whose body is a list of blocks, each after its label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flow {
    /// The function: the names that count up begin again in each.
    pub unit: Capture,
    /// The node whose children are labels and the statements of blocks.
    pub body: Capture,
    /// The type of the function's result.
    pub result: Option<Capture>,
    /// The text between a label's name and its block.
    pub text: Vec<Piece>,
}

/// `@flow.jump`, `@flow.target`: a statement that can continue at a label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Jump {
    /// The statement.
    pub jump: Capture,
    /// The label's name there.
    pub target: Capture,
    /// The statement that always continues at this label.
    pub text: Vec<Piece>,
}

/// `@flow.entry`, `@flow.source`: the part of a statement that counts if its block was entered from one other block.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The part of the statement.
    pub entry: Capture,
    /// The label of the other block.
    pub source: Capture,
}

/// `@flow.exit`: a statement after which the function may end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exit {
    /// The statement.
    pub statement: Capture,
    /// The statement that ends the function there.
    pub text: Vec<Piece>,
    /// The type that the function returns then.
    pub result: Vec<Piece>,
}

/// The control flow of the functions in a text.
#[derive(Debug, Default)]
pub struct ControlFlow {
    /// The functions.
    pub functions: Vec<ByRule<Flow>>,
    /// The labels.
    pub labels: Vec<ByRule<Capture>>,
    /// The jumps, once for each target.
    pub jumps: Vec<ByRule<Jump>>,
    /// Parts of statements that count if their block was entered from one other block.
    pub entries: Vec<ByRule<Entry>>,
    /// Where a function may end early.
    pub exits: Vec<ByRule<Exit>>,
    /// Names that count up if they are numbers.
    pub numbers: Vec<ByRule<Capture>>,
}

/// The compiled rules of one language.
#[derive(Debug)]
pub struct Rules {
    /// All of them.
    all: Query,
    /// One query per form, in the order of [`Form::ALL`], so that each form is matched separately; `None` for a form
    /// without a rule.
    queries: [Option<FormQuery>; Form::ALL.len()],
    /// The general rules, after the others.
    common: Common,
    /// The settings by `#set!` of each of these.
    common_settings: Vec<Settings>,
    /// Every rule, in file order.
    texts: Vec<RuleText>,
    /// The matches of the only rule, if they are known.
    known: Option<Vec<RuleMatch>>,
}

#[derive(Debug)]
struct FormQuery {
    /// The patterns of this form: made when they are first asked for, which is mostly when the text is small.
    query: OnceLock<Query>,
    /// The patterns that are left out of it.
    others: Vec<usize>,
    /// The numbers of the form's captures in the query, then of its optional ones; `None` for one that no rule uses.
    captures: Vec<Option<u32>>,
    /// The number of required ones.
    needed: usize,
    /// Per pattern, whether it is of this form; some others cannot be left out of the query.
    own: Vec<bool>,
    /// The `#set!` values per pattern.
    settings: Vec<Settings>,
}

#[derive(Debug, Default)]
struct Settings {
    suffix: String,
    group: String,
    list: String,
    is_after: bool,
    text: Option<Template>,
    leave: Option<Template>,
    result: Option<Template>,
}

/// A match of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleMatch {
    /// The captures of the form, in its order.
    captures: Vec<Option<Capture>>,
    /// The text that `#set! text` makes of it.
    text: Vec<Piece>,
    /// Likewise `#set! leave`.
    leave: Vec<Piece>,
    /// Likewise `#set! result`.
    result: Vec<Piece>,
}

/// A match with its rule.
struct Found<'f> {
    /// The number of the rule.
    rule: usize,
    settings: &'f Settings,
    matched: RuleMatch,
}

impl Rules {
    /// Compiles the rules for the parser, and adds the general rules after them.
    ///
    /// # Errors
    /// A query that does not compile, a capture, directive or predicate that is not documented, and a
    /// pattern whose captures do not make exactly one rule.
    pub(super) fn compile(language: &Language, mut file: RuleFile<'_>, common: Common) -> Result<Self, GrammarError> {
        let query = file.compile(language)?;
        let origin = file.origin();
        let forms = (0..query.pattern_count())
            .map(|pattern| Form::of(&query, pattern, origin))
            .collect::<Result<Vec<_>, _>>()?;
        let of_all = common.rules().iter().map(|rule| rule.text.clone());
        let texts = (0..query.pattern_count()).map(|pattern| file.rule(&query, pattern)).chain(of_all).collect();
        let settings = |rule: &CommonRule| Settings {
            suffix: rule.suffix.clone(),
            list: rule.list.clone(),
            ..Settings::default()
        };
        let common_settings = common.rules().iter().map(settings).collect();

        let mut queries = [const { None }; Form::ALL.len()];
        for (slot, form) in queries.iter_mut().zip(Form::ALL) {
            if forms.contains(&form) {
                *slot = Some(FormQuery::new(&query, form, &forms, origin)?);
            }
        }
        Ok(Self { all: query, queries, common, common_settings, texts, known: None })
    }

    /// Every rule, in file order.
    pub fn texts(&self) -> &[RuleText] {
        &self.texts
    }

    /// The rules that match nowhere below `root`, in file order: the coverage of a sample.
    pub fn unmatched(&self, root: Root<'_>, source: &[u8]) -> Vec<&RuleText> {
        self.matches(root, source).into_iter().filter_map(|(text, matches)| (matches == 0).then_some(text)).collect()
    }

    /// Lists every rule, in file order, with the number of its matches below `root`.
    pub fn matches(&self, root: Root<'_>, source: &[u8]) -> Vec<(&RuleText, usize)> {
        let mut matches = vec![0; self.texts.len()];
        for query in self.queries.iter().flatten() {
            query.run(&self.all, root, source, |found| matches[found.pattern_index] += 1);
        }
        Form::ALL.into_iter().for_each(|form| self.find_common(form, root, |one| matches[one.rule] += 1));
        self.texts.iter().zip(matches).collect()
    }

    /// The matches of each rule below `root`, in file order, with all that its form needs.
    pub fn found(&self, root: Root<'_>, source: &[u8]) -> Vec<(&RuleText, Vec<RuleMatch>)> {
        let mut found = vec![Vec::new(); self.texts.len()];
        for query in self.queries.iter().flatten() {
            query.find(&self.all, root, source, |one| found[one.rule].push(one.matched));
        }
        Form::ALL.into_iter().for_each(|form| self.find_common(form, root, |one| found[one.rule].push(one.matched)));
        self.texts.iter().zip(found).collect()
    }

    /// Returns a set of one rule whose matches are known. The caller has the tree in which they were found.
    #[must_use]
    pub(super) fn knowing(self, matches: Vec<RuleMatch>) -> Self {
        Self { known: Some(matches), ..self }
    }

    /// The matches of `@def.unit` and `@def.name` below `root`, in document order and without doubles.
    /// `source` is the text that was parsed.
    pub fn definitions(&self, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Definition>> {
        self.collect(Form::Definition, root, source, |found| {
            let [unit, name] = all(&found)?;
            Some(Definition { unit, name })
        })
    }

    /// Returns the bodies that `@body` matches below `root`, in document order and without duplicates, each with the
    /// text of the first rule for it; `None` if that rule has no text.
    pub fn bodies(&self, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Rewrite>> {
        let mut bodies = self.rewritten(Form::Body, root, source);
        bodies.sort_by(|a, b| (&a.outer, a.rule).cmp(&(&b.outer, b.rule)));
        bodies.dedup_by(|next, first| next.outer == first.outer);
        bodies
    }

    /// The matches of `@splice.outer` and `@splice.inner` below `root`, in document order and without doubles.
    pub fn splices(&self, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Splice>> {
        self.collect(Form::Splice, root, source, |found| {
            let [outer, inner] = all(&found)?;
            Some(Splice { outer, inner })
        })
    }

    /// The matches of `@lift.outer` and `@lift` below `root`, in document order and without doubles.
    pub fn lifts(&self, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Lift>> {
        self.collect(Form::Lift, root, source, |found| {
            let [outer, lift] = all(&found)?;
            Some(Lift { outer, lift, suffix: found.settings.suffix.clone() })
        })
    }

    /// The matches of `@rewrite` below `root`, in document order and without doubles.
    pub fn rewrites(&self, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Rewrite>> {
        self.rewritten(Form::Rewrite, root, source)
    }

    /// The matches of `@unify` below `root`, in document order and without doubles: those of one rule and
    /// equal text are replaced together.
    pub fn unified(&self, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Rewrite>> {
        self.rewritten(Form::Unify, root, source)
    }

    fn rewritten(&self, form: Form, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Rewrite>> {
        self.collect(form, root, source, |found| {
            let [outer] = all(&found)?;
            Some(Rewrite { outer, pieces: found.matched.text.clone() })
        })
    }

    /// The matches of `@group` below `root`, in document order within a group and without doubles.
    pub fn grouped(&self, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Grouped>> {
        self.collect(Form::Group, root, source, |found| {
            let [outer, name] = &found.matched.captures[..] else { return None };
            let pieces = found.matched.text.clone();
            Some(Grouped { group: found.settings.group.clone(), outer: outer.clone()?, pieces, name: name.clone() })
        })
    }

    /// The matches of `@group.scope` below `root`, in document order within a group and without doubles.
    pub fn scopes(&self, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Scope>> {
        self.collect(Form::Scope, root, source, |found| {
            let [scope] = all(&found)?;
            Some(Scope { group: found.settings.group.clone(), scope })
        })
    }

    /// The matches of `@forward` and `@forward.name` below `root`, in document order and without doubles.
    pub fn forwards(&self, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Forward>> {
        self.collect(Form::Forward, root, source, |found| {
            let [unit, name] = all(&found)?;
            Some(Forward { unit, name })
        })
    }

    /// The matches of `@param.fn` and `@param.list` below `root`, in document order and without doubles.
    pub fn parameters(&self, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Parameters>> {
        self.collect(Form::Parameters, root, source, |found| {
            let [list, function] = all(&found)?;
            Some(Parameters { list, function, which: found.settings.list.clone() })
        })
    }

    /// The matches of `@alias.unit` and `@alias.name` below `root`, in document order and without doubles.
    pub fn aliases(&self, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Alias>> {
        self.collect(Form::Alias, root, source, |found| {
            let [unit, name, text] = &found.matched.captures[..] else { return None };
            let text = match text {
                Some(text) => vec![Piece::from(text.range.clone())],
                None => found.matched.text.clone(),
            };
            let leave = found.matched.leave.clone();
            let is_after = found.settings.is_after;
            Some(Alias { unit: unit.clone()?, name: name.clone()?, text, leave, is_after })
        })
    }

    /// The matches of `@globalise` and `@globalise.before` below `root`, in document order and without doubles.
    pub fn globalised(&self, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Globalise>> {
        self.collect(Form::Globalise, root, source, |found| {
            let [before, moved] = all(&found)?;
            let text = match &found.settings.text {
                Some(_) => found.matched.text.clone(),
                None => vec![Piece::from(moved.range.clone())],
            };
            Some(Globalise { before, moved, text })
        })
    }

    /// The bodies that can take the place of statements that call them, and those statements.
    pub fn bodies_and_sites(&self, root: Root<'_>, source: &[u8]) -> (Vec<ByRule<Inlined>>, Vec<ByRule<Call>>) {
        let bodies = self.inlined(Form::InlineBody, root, source);
        (bodies, self.calls(Form::InlineSite, root, source))
    }

    /// The values that can take the place of expressions that call them, and those expressions.
    pub fn values_and_expressions(&self, root: Root<'_>, source: &[u8]) -> (Vec<ByRule<Inlined>>, Vec<ByRule<Call>>) {
        let values = self.inlined(Form::InlineValue, root, source);
        (values, self.calls(Form::InlineExpression, root, source))
    }

    /// Returns the functions whose bodies are lists of blocks, with their blocks; none without such a rule.
    pub fn control_flow(&self, root: Root<'_>, source: &[u8]) -> ControlFlow {
        let functions = self.collect(Form::Flow, root, source, |found| {
            let [unit, body, result] = &found.matched.captures[..] else { return None };
            let text = found.matched.text.clone();
            Some(Flow { unit: unit.clone()?, body: body.clone()?, result: result.clone(), text })
        });
        if functions.is_empty() {
            return ControlFlow::default();
        }
        let one = |found: Found<'_>| all(&found).map(|[one]| one);
        ControlFlow {
            functions,
            labels: self.collect(Form::FlowLabel, root, source, one),
            jumps: self.collect(Form::FlowJump, root, source, |found| {
                let [jump, target] = all(&found)?;
                Some(Jump { jump, target, text: found.matched.text.clone() })
            }),
            entries: self.collect(Form::FlowEntry, root, source, |found| {
                let [entry, source] = all(&found)?;
                Some(Entry { entry, source })
            }),
            exits: self.collect(Form::FlowExit, root, source, |found| {
                let [statement] = all(&found)?;
                Some(Exit { statement, text: found.matched.text.clone(), result: found.matched.result.clone() })
            }),
            numbers: self.collect(Form::FlowNumber, root, source, one),
        }
    }

    fn inlined(&self, form: Form, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Inlined>> {
        self.collect(form, root, source, |found| {
            let [unit, name, body, parameters, rest @ ..] = &found.matched.captures[..] else { return None };
            let (unit, name, body) = (unit.clone()?, name.clone()?, body.clone()?);
            Some(Inlined { unit, name, body, parameters: parameters.clone(), before: rest.first().cloned().flatten() })
        })
    }

    fn calls(&self, form: Form, root: Root<'_>, source: &[u8]) -> Vec<ByRule<Call>> {
        self.collect(form, root, source, |found| {
            let [site, name, arguments] = &found.matched.captures[..] else { return None };
            Some(Call { site: site.clone()?, name: name.clone()?, arguments: arguments.clone() })
        })
    }

    /// Runs the rules of one form.
    fn collect<T: Ord>(
        &self,
        form: Form,
        root: Root<'_>,
        source: &[u8],
        make: impl Fn(Found<'_>) -> Option<T>,
    ) -> Vec<ByRule<T>> {
        let mut made = Vec::new();
        let make = |found: Found<'_>| {
            let rule = RuleId::from_index(found.rule);
            make(found).map(|what| ByRule { what, rule })
        };
        let query = self.queries[form as usize].as_ref();
        if let Some(known) = &self.known {
            let of_common = self.common.rules().first().filter(|rule| rule.form == form);
            let settings = query.map(|query| &query.settings[0]).or(of_common.and(self.common_settings.first()));
            let found = |matched: &RuleMatch| Some(Found { rule: 0, settings: settings?, matched: matched.clone() });
            made.extend(known.iter().filter_map(|matched| make(found(matched)?)));
        } else {
            query.into_iter().for_each(|query| query.find(&self.all, root, source, |found| made.extend(make(found))));
            self.find_common(form, root, |found| made.extend(make(found)));
        }
        // Matches arrive in the order of their ends, and two rules can match the same node: the first rule in the file
        // gets it. A rule of `@unify` keeps all its matches.
        made.sort_unstable();
        made.dedup_by(|next, first| next.what == first.what && (form != Form::Unify || next.rule == first.rule));
        made
    }
}

impl Rules {
    /// The matches of the rules for all languages that are of one form.
    fn find_common(&self, form: Form, root: Root<'_>, mut each: impl FnMut(Found<'_>)) {
        let first = self.texts.len() - self.common.rules().len();
        self.common.find(form, root, |number, captures| {
            let matched = RuleMatch { captures, text: Vec::new(), leave: Vec::new(), result: Vec::new() };
            each(Found { rule: first + number, settings: &self.common_settings[number], matched });
        });
    }
}

/// The captures of a form that needs all of them.
fn all<const N: usize>(found: &Found<'_>) -> Option<[Capture; N]> {
    found.matched.captures.iter().cloned().collect::<Option<Vec<_>>>()?.try_into().ok()
}

impl FormQuery {
    /// The part of `query` that has this form.
    fn new(query: &Query, form: Form, forms: &[Form], origin: Origin<'_>) -> Result<Self, GrammarError> {
        let own: Vec<_> = forms.iter().map(|&other| other == form).collect();
        let may_go = |pattern: &usize| {
            let text = &origin.text[query.start_byte_for_pattern(*pattern)..query.end_byte_for_pattern(*pattern)];
            !own[*pattern] && !begins_with_wildcard(text)
        };
        let others = (0..own.len()).filter(may_go).collect();
        let names = form.captures().iter().chain(form.optional());
        let captures = names.map(|capture| query.capture_index_for_name(capture)).collect();
        let settings = forms.iter().enumerate().map(|(pattern, &other)| {
            if other != form {
                return Ok(Settings::default());
            }
            let template = |key| {
                let text = setting(query, pattern, key);
                text.map(|text| Template::parse(text, query, pattern))
                    .transpose()
                    .map_err(|problem| origin.error(query.start_byte_for_pattern(pattern), problem))
            };
            let own = |key| setting(query, pattern, key).unwrap_or_default().to_owned();
            Ok(Settings {
                suffix: own("suffix"),
                group: own("group"),
                list: own("list"),
                is_after: is_set(query, pattern, AFTER),
                text: template("text")?,
                leave: template("leave")?,
                result: template("result")?,
            })
        });
        let settings = settings.collect::<Result<_, GrammarError>>()?;
        Ok(Self { captures, needed: form.captures().len(), own, settings, others, query: OnceLock::new() })
    }

    /// The query for the patterns of this form. Copied, not compiled again: compiling the rules of a
    /// large language takes longer than starting a process.
    fn query(&self, all: &Query) -> &Query {
        self.query.get_or_init(|| {
            let mut query = all.deep_clone();
            self.others.iter().for_each(|&pattern| query.disable_pattern(pattern));
            query
        })
    }

    /// The matches that have all captures which the form needs. A rule may name a capture under `*` or `?`; a
    /// match in which one that the form needs is missing makes nothing.
    fn find(&self, all: &Query, root: Root<'_>, source: &[u8], mut each: impl FnMut(Found<'_>)) {
        self.run(all, root, source, |matched| {
            let captures: Vec<_> =
                self.captures.iter().map(|index| index.and_then(|index| capture(root, matched, index))).collect();
            if captures.iter().take(self.needed).all(Option::is_some) {
                let rule = matched.pattern_index;
                let settings = &self.settings[rule];
                let fill = |template: &Option<Template>| {
                    template.as_ref().map(|template| template.fill(root, matched, source)).unwrap_or_default()
                };
                let [text, leave, result] = [&settings.text, &settings.leave, &settings.result].map(fill);
                let matched = RuleMatch { captures, text, leave, result };
                each(Found { rule, settings, matched });
            }
        });
    }

    fn run(&self, all: &Query, root: Root<'_>, source: &[u8], mut each: impl FnMut(&QueryMatch<'_, '_>)) {
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MATCHES_UNDER_WAY);
        cursor.set_max_start_depth(Some(DEEPEST_START));
        let text = |node: Node<'_>| std::iter::once(root.text(node, source));
        let mut matches = cursor.matches(self.query(all), root.node(), text);
        while let Some(found) = matches.next() {
            if self.own[found.pattern_index] {
                each(found);
            }
        }
    }
}

/// The node of a capture; of several side by side all, from the first to the last.
fn capture(root: Root<'_>, found: &QueryMatch<'_, '_>, index: u32) -> Option<Capture> {
    let mut nodes = found.captures().iter().filter(|capture| capture.index == index).map(|capture| capture.node);
    let first = nodes.next()?;
    let range = root.range(first);
    let end = nodes.map(|node| root.range(node).end).max().unwrap_or(0).max(range.end);
    Some(Capture { range: range.start..end, kind: first.kind_id() })
}
