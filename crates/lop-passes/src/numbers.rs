//! Numbered names: if each must be one more than the previous one, nothing between two of them can be removed. So they
//! get a letter first.
//!
//! ```text
//! %1 = load i32, ptr %0      becomes  %a1 = load i32, ptr %a0
//! %2 = add i32 %1, 1                  %a2 = add i32 %a1, 1
//! ```

use std::collections::BTreeSet;

use lop_grammar::{Grammar, RuleId};
use lop_syntax::{Document, Edit};

use super::alternatives::Alternative;
use super::blocks::{bare, functions, within};
use super::fingerprint::Fingerprints;
use super::pass::{EditsOfTree, Facts, Growth, Stage};
use super::rewrites::{class, written};

/// Labels that may be added: one for each function.
const MOST_LABELS: usize = 1 << 20;

/// Names that are numbers become names that are none.
pub(super) static NUMBERS: EditsOfTree = EditsOfTree {
    facts: Facts::new("numbers", Stage::First, "names that count up become names that can go one by one")
        .by_rules()
        .growing(Growth::Tokens(MOST_LABELS)),
    make: numbers,
};

/// All functions together, and each one alone.
#[must_use]
pub(super) fn numbers(document: &Document, grammar: &Grammar, prints: &Fingerprints) -> Vec<Alternative> {
    let source = document.source();
    let (functions, all) = functions(document, grammar);
    let mut made: Vec<(Vec<Edit>, Vec<RuleId>)> = Vec::new();
    for function in &functions {
        let names = within(&all.numbers, |name| name.range.start, &function.flow.unit.range);
        let number = |name: &[u8]| bare(name).iter().all(u8::is_ascii_digit) && !bare(name).is_empty();
        let rules = names.iter().map(|name| name.rule).chain(function.rules.iter().copied()).collect::<Vec<_>>();
        let names: BTreeSet<(usize, usize)> = names
            .iter()
            .map(|name| (name.range.start, name.range.end))
            .filter(|&(start, end)| number(&source[start..end]))
            .collect();
        let prefix = letters(made.len());
        let new = |name: &[u8]| {
            let at = name.iter().position(u8::is_ascii_digit).unwrap_or(0);
            [&name[..at], prefix.as_bytes(), &name[at..]].concat()
        };
        let mut edits: Vec<Edit> =
            names.iter().map(|&(start, end)| Edit::replace(start..end, new(&source[start..end]))).collect();
        // The first block has a number, too, although it is only written if it is used.
        let first = function.blocks[0].label.is_none().then(|| function.uses_of(0).next()).flatten();
        if let Some(name) = first.map(|name| bare(&source[name.clone()])).filter(|name| number(name)) {
            let (name, after) = ([prefix.as_bytes(), name], written(grammar, source, &function.flow.text));
            let text = [b"\n", &name.concat()[..], &after].concat();
            edits.push(Edit::replace(function.start..function.start, text));
        }
        if !edits.is_empty() {
            made.push((edits, rules));
        }
    }
    let mut whole = (Vec::new(), Vec::new());
    for (edits, rules) in &made {
        whole.0.extend(edits.iter().cloned());
        whole.1.extend(rules.iter().copied());
    }
    let several = Some(whole).filter(|_| made.len() > 1);
    let alternative = |(number, (edits, rules)): (usize, (Vec<Edit>, Vec<RuleId>))| {
        let class = class(functions[0].flow.rule.index(), u16::try_from(number).unwrap_or(u16::MAX));
        Some(Alternative::moving(document, prints, class, edits, number)?.by(rules))
    };
    several.into_iter().chain(made).enumerate().filter_map(alternative).collect()
}

/// Returns the letters for a number: a, …, z, aa, ….
fn letters(mut number: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(b'a' + u8::try_from(number % 26).unwrap_or(0));
        if number < 26 {
            break;
        }
        number = number / 26 - 1;
    }
    letters.iter().rev().map(|letter| char::from(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_proposals;

    #[test]
    fn numbers_get_a_letter_and_the_first_block_its_label() {
        assert_proposals(
            numbers,
            &[
                (
                    "x.ll",
                    "define i32 @f(i32 %0) {\n  br label %2\n2:\n  %3 = phi i32 [ %0, %1 ]\n  ret i32 %3\n}\n",
                    &[
                        "define i32 @f(i32 %a0) {\na1:\n  br label %a2\na2:\n  %a3 = phi i32 [ %a0, %a1 ]\n  ret i32 %a3\n}\n",
                    ],
                ),
                ("x.ll", "define i32 @f(i32 %n) {\n  %m = add i32 %n, 0\n  ret i32 %m\n}\n", &[]),
                ("x.c", "int a0 = 1;", &[]),
            ],
        );
    }

    #[test]
    fn each_function_has_a_letter_of_its_own() {
        let named: Vec<String> = [0, 1, 25, 26, 27, 701, 702].into_iter().map(letters).collect();
        assert_eq!(named, ["a", "b", "z", "aa", "ab", "zz", "aaa"]);
    }
}
