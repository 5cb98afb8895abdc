//! Compiles `reduce.scm`, together with those of the extended languages, as one query.

use std::ops::Range;

use tree_sitter::{Language, Query, QueryError};

use super::forms::OWN;
use super::problem::{GrammarError, Origin, Problem, in_words, line_of};
use super::rule_place::{RULES, RuleText};
use lop_parser::Texts;

/// The rules of a language, the user's and its own first.
pub(super) struct RuleFile<'a> {
    /// All rule texts, concatenated.
    text: String,
    /// Where each begins, with its folder.
    parts: Vec<(usize, &'a str)>,
    /// The number of the parts that are not taken over.
    own_parts: usize,
    /// The language's own file.
    own: Origin<'a>,
}

impl<'a> RuleFile<'a> {
    /// Puts the texts together.
    pub(super) fn new(
        user: Option<Texts<'a>>,
        own: Origin<'a>,
        inherited: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let user = user.map(|texts| (texts.name, texts.rules.to_owned()));
        let own_parts = 1 + usize::from(user.is_some());
        let inherited = inherited.into_iter().map(|(folder, rules)| (folder, passed_on(rules)));
        let (mut text, mut parts) = (String::new(), Vec::new());
        for (folder, rules) in user.into_iter().chain([(own.folder, own.text.to_owned())]).chain(inherited) {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            parts.push((text.len(), folder));
            text.push_str(&rules);
        }
        Self { text, parts, own_parts, own }
    }

    /// All rules as one text, whose beginning is the language's own.
    pub(super) fn origin(&self) -> Origin<'_> {
        Origin { text: &self.text, ..self.own }
    }

    /// Compiles the rules. Inherited ones that the parser cannot have are left out: their language has more
    /// kinds, or others. Each of them has all compiled once more.
    ///
    /// # Errors
    /// A rule of the language's own that does not compile.
    pub(super) fn compile(&mut self, language: &Language) -> Result<Query, GrammarError> {
        let mut compiled = Query::new(language, &self.text);
        while let Err(error) = compiled {
            let Some(pattern) = self.inherited_pattern(&error) else {
                return Err(GrammarError::File {
                    file: format!("grammars/{}/{}", self.own.folder, self.own.file),
                    // Not the offset: for predicates tree-sitter gives only the row.
                    line: error.row + 1,
                    problem: Problem::Query(in_words(&error)),
                });
            };
            self.text.replace_range(pattern.clone(), &blank(&self.text[pattern]));
            compiled = Query::new(language, &self.text);
        }
        Ok(compiled.expect("the loop ends with one"))
    }

    /// The inherited pattern that an error is in.
    fn inherited_pattern(&self, error: &QueryError) -> Option<Range<usize>> {
        let inherited = self.parts.get(self.own_parts)?.0;
        let row = error.row + 1;
        pattern_ranges(&self.text)
            .into_iter()
            .find(|pattern| {
                let last = self.text[pattern.clone()].trim_end().len() + pattern.start;
                match error.offset {
                    0 => (line_of(&self.text, pattern.start)..=line_of(&self.text, last)).contains(&row),
                    offset => pattern.contains(&offset),
                }
            })
            .filter(|pattern| pattern.start >= inherited)
    }

    /// A rule as it is written.
    pub(super) fn rule(&self, query: &Query, pattern: usize) -> RuleText {
        let range = query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern);
        // tree-sitter counts the text between two patterns as part of the first.
        let text = self.text[range.clone()].split("\n;").next().unwrap_or_default();
        let part = self.parts.iter().rev().find(|(start, _)| *start <= range.start);
        let (start, folder) = *part.expect("the first part begins at 0");
        let line = line_of(&self.text[start..], range.start - start);
        RuleText {
            folder: folder.to_owned(),
            file: format!("{folder}/{RULES}"),
            line,
            text: text.trim_end().to_owned(),
        }
    }
}

/// Keeps the rules that extending languages inherit, and replaces the others by blanks.
fn passed_on(rules: &str) -> String {
    let mut text = rules.to_owned();
    for pattern in pattern_ranges(rules) {
        if is_own(&rules[pattern.clone()]) {
            text.replace_range(pattern.clone(), &blank(&rules[pattern]));
        }
    }
    text
}

/// Whether a pattern sets [`OWN`], with or without quotes.
fn is_own(pattern: &str) -> bool {
    pattern.split("(#set!").skip(1).any(|set| {
        let key = set.split(')').next().unwrap_or_default().trim();
        key.trim_matches('"') == OWN
    })
}

/// Replaces a text by blanks with the same number of lines and bytes.
fn blank(text: &str) -> String {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

/// Splits a query that compiles into its patterns, each with the text after it.
pub(super) fn pattern_ranges(text: &str) -> Vec<Range<usize>> {
    let starts = patterns(text);
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts.into_iter().zip(ends).map(|(start, end)| start..end).collect()
}

/// Where each pattern of a query that compiles somewhere begins.
fn patterns(text: &str) -> Vec<usize> {
    let (bytes, mut starts, mut depth, mut at) = (text.as_bytes(), Vec::new(), 0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        if depth == 0 && matches!(byte, b'(' | b'[' | b'"') {
            starts.push(at);
        }
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b';' => at += bytes[at..].iter().take_while(|&&byte| byte != b'\n').count(),
            b'"' => {
                at += 1;
                while let Some(&byte) = bytes.get(at).filter(|&&byte| byte != b'"') {
                    at += if byte == b'\\' { 2 } else { 1 };
                }
            }
            _ => {}
        }
        at += 1;
    }
    starts
}

#[cfg(test)]
mod tests {
    use lop_languages::LANGUAGES;

    use super::*;
    use crate::Grammar;

    /// Each rule that is left out has all rules compiled once more, at each start.
    #[test]
    fn the_built_in_languages_take_over_every_rule_that_is_passed_on() {
        for folder in LANGUAGES.built_in.iter().filter(|folder| !folder.inherited.is_empty()) {
            let grammar = Grammar::load(folder).expect("it is right");
            let is_taken_over = |rule: &&RuleText| rule.folder != folder.name && !rule.is_common();
            let taken_over = grammar.rules().texts().iter().filter(is_taken_over).count();
            let passed_on = folder.inherited.iter().map(|texts| pattern_ranges(&passed_on(texts.rules)).len());
            assert_eq!(taken_over, passed_on.sum::<usize>(), "{}", folder.name);
        }
    }

    #[test]
    fn a_rule_that_is_its_languages_own_is_not_passed_on() {
        let rules =
            "((a) @body (#set! own))\n(b) @body\n((c) @body (#set!  \"own\" ))\n((d) @body (#set! text \"own\"))\n";
        assert_eq!(passed_on(rules).split_whitespace().next(), Some("(b)"));
        assert_eq!(pattern_ranges(&passed_on(rules)).len(), 2);
    }

    #[test]
    fn a_pattern_begins_outside_of_all_brackets_texts_and_comments() {
        let text = "; (a)\n(a \"(\" @b) @c\n[(d) \"]\\\"\"] @e ; (f)\n\"g\" @h\n((i) (#eq? @_j \";\"))\n";
        let starts: Vec<&str> = patterns(text).into_iter().map(|start| &text[start..start + 3]).collect();
        assert_eq!(starts, ["(a ", "[(d", "\"g\"", "((i"]);
        assert_eq!(patterns("(((\""), [0]);
        assert!(patterns("").is_empty());
    }
}
