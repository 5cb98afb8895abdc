//! The forms of rules: the captures that make a rule, and its directives.

use tree_sitter::{CaptureQuantifier, Query};

use super::problem::{GrammarError, Origin, Problem};

/// The form that the captures of a pattern make it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Definition,
    Body,
    Splice,
    Lift,
    Rewrite,
    Unify,
    Group,
    Scope,
    Forward,
    Parameters,
    Alias,
    Globalise,
    InlineBody,
    InlineSite,
    InlineValue,
    InlineExpression,
    Flow,
    FlowLabel,
    FlowJump,
    FlowEntry,
    FlowExit,
    FlowNumber,
}

impl Form {
    pub(super) const ALL: [Self; 22] = [
        Self::Definition,
        Self::Body,
        Self::Splice,
        Self::Lift,
        Self::Rewrite,
        Self::Unify,
        Self::Group,
        Self::Scope,
        Self::Forward,
        Self::Parameters,
        Self::Alias,
        Self::Globalise,
        Self::InlineBody,
        Self::InlineSite,
        Self::InlineValue,
        Self::InlineExpression,
        Self::Flow,
        Self::FlowLabel,
        Self::FlowJump,
        Self::FlowEntry,
        Self::FlowExit,
        Self::FlowNumber,
    ];

    /// The captures that this form needs. The first one is the node to edit.
    pub(super) const fn captures(self) -> &'static [&'static str] {
        match self {
            Self::Definition => &["def.unit", "def.name"],
            Self::Body => &["body"],
            Self::Splice => &["splice.outer", "splice.inner"],
            Self::Lift => &["lift.outer", "lift"],
            Self::Rewrite => &["rewrite"],
            Self::Unify => &["unify"],
            Self::Group => &["group"],
            Self::Scope => &["group.scope"],
            Self::Forward => &["forward", "forward.name"],
            Self::Parameters => &["param.list", "param.fn"],
            Self::Alias => &["alias.unit", "alias.name"],
            Self::Globalise => &["globalise.before", "globalise"],
            Self::InlineBody => &["inline.unit", "inline.name", "inline.body"],
            Self::InlineSite => &["inline.site", "inline.call"],
            Self::InlineValue => &["inline.unit", "inline.name", "inline.value"],
            Self::InlineExpression => &["inline.expression", "inline.call"],
            Self::Flow => &["flow.unit", "flow.body"],
            Self::FlowLabel => &["flow.label"],
            Self::FlowJump => &["flow.jump", "flow.target"],
            Self::FlowEntry => &["flow.entry", "flow.source"],
            Self::FlowExit => &["flow.exit"],
            Self::FlowNumber => &["flow.number"],
        }
    }

    /// The captures that it may have besides.
    pub(super) const fn optional(self) -> &'static [&'static str] {
        match self {
            Self::Group => &["group.name"],
            Self::Alias => &["alias.text"],
            Self::InlineBody => &["inline.parameters"],
            Self::InlineValue => &["inline.parameters", "inline.before"],
            Self::InlineSite | Self::InlineExpression => &["inline.arguments"],
            Self::Flow => &["flow.result"],
            _ => &[],
        }
    }

    /// The keys that `#set!` may set.
    const fn directives(self) -> &'static [&'static str] {
        match self {
            Self::Lift => &["suffix"],
            Self::Body | Self::Rewrite | Self::Unify | Self::Globalise => &["text"],
            Self::Group => &["text", "group"],
            Self::Scope => &["group"],
            Self::Alias => &["text", "leave"],
            Self::Parameters => &["list"],
            Self::Flow | Self::FlowJump => &["text"],
            Self::FlowExit => &["text", "result"],
            _ => &[],
        }
    }

    /// Whether `#set! text` is required. Without it, an alias also needs a capture for its text.
    fn needs_text(self, used: &[&str]) -> bool {
        match self {
            Self::Rewrite | Self::Unify | Self::Group | Self::Flow | Self::FlowJump | Self::FlowExit => true,
            Self::Alias => !used.contains(&"alias.text"),
            _ => false,
        }
    }

    /// The form of a pattern. Captures that start with `_` are free: they exist for predicates and
    /// templates.
    ///
    /// # Errors
    /// A capture or directive that is not documented, and captures that do not make exactly one rule.
    pub(super) fn of(query: &Query, pattern: usize, origin: Origin<'_>) -> Result<Self, GrammarError> {
        let start = query.start_byte_for_pattern(pattern);
        let used: Vec<&str> = query
            .capture_names()
            .iter()
            .zip(query.capture_quantifiers(pattern))
            .filter(|(name, quantifier)| **quantifier != CaptureQuantifier::Zero && !name.starts_with('_'))
            .map(|(name, _)| *name)
            .collect();

        if let Some(name) = used.iter().find(|name| !known().contains(name)) {
            let offset = start + find_capture(&origin.text[start..], name);
            let known = known().iter().map(|name| format!("@{name}")).collect::<Vec<_>>().join(", ");
            return Err(origin.error(offset, Problem::UnknownCapture { name: (*name).to_owned(), known }));
        }
        let Some(form) = Self::made_by(&used) else {
            return Err(origin.error(start, not_a_rule(&used)));
        };
        form.check_directives(query, pattern)
            .map_err(|directive| origin.error(start, Problem::UnknownDirective(directive)))?;
        let needed = [("text", form.needs_text(&used)), ("group", matches!(form, Self::Group | Self::Scope))];
        for (key, _) in needed.into_iter().filter(|(_, needed)| *needed) {
            if setting(query, pattern, key).is_none() {
                return Err(origin.error(start, Problem::NotSet(key)));
            }
        }
        Ok(form)
    }

    /// The form that captures make.
    pub(super) fn made_by(used: &[&str]) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.is_made_by(used))
    }

    fn is_made_by(self, used: &[&str]) -> bool {
        self.captures().iter().all(|capture| used.contains(capture))
            && used.iter().all(|name| self.captures().contains(name) || self.optional().contains(name))
    }

    /// tree-sitter keeps directives that it does not know, for its users to interpret; an unknown one
    /// would silently do nothing.
    fn check_directives(self, query: &Query, pattern: usize) -> Result<(), String> {
        for property in query.property_settings(pattern) {
            let is_read = match &property.value {
                Some(_) => self.directives().contains(&&*property.key),
                None => &*property.key == OWN || (self == Self::Alias && &*property.key == AFTER),
            };
            if !is_read {
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
}

/// Set in a rule for its own language that extending languages don't inherit.
pub(super) const OWN: &str = "own";

/// Set in a rule for an alias that only holds after its unit.
pub(super) const AFTER: &str = "after";

/// Whether a pattern has `#set!` with a key that takes no value.
pub(super) fn is_set(query: &Query, pattern: usize, key: &str) -> bool {
    query.property_settings(pattern).iter().any(|property| &*property.key == key)
}

/// The value that `#set!` gives a key in a pattern.
pub(super) fn setting<'q>(query: &'q Query, pattern: usize, key: &str) -> Option<&'q str> {
    query.property_settings(pattern).iter().find(|property| &*property.key == key)?.value.as_deref()
}

/// All documented captures, each once.
fn known() -> Vec<&'static str> {
    let mut known: Vec<&str> = Vec::new();
    for name in Form::ALL.iter().flat_map(|form| form.captures().iter().chain(form.optional()).copied()) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    known
}

fn not_a_rule(used: &[&str]) -> Problem {
    let list = |names: &[&str]| names.iter().map(|name| format!("@{name}")).collect::<Vec<_>>().join(" with ");
    Problem::NotARule {
        forms: Form::ALL.map(|form| list(form.captures())).join(", "),
        found: if used.is_empty() { "none".to_owned() } else { list(used) },
    }
}

/// Finds `@name` in `text`, as a whole word.
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
