//! Texts that can be removed anywhere, and without which a text has a better tree.

use lop_grammar::Grammar;

use super::rows::row;
use super::sequence::{Sequence, list_kind};

/// Proposes the text to remove anywhere: a sequence for each of the language's expressions with a match.
#[must_use]
pub fn clean(text: &[u8], grammar: &Grammar) -> Vec<Sequence> {
    let found = |expression: &regex::bytes::Regex| {
        row(list_kind::CLEAN, || {
            expression.find_iter(text).map(|found| found.range()).filter(|range| !range.is_empty())
        })
    };
    grammar.clean().iter().filter_map(found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Removal;
    use crate::testing::Languages;

    #[test]
    fn line_markers_may_go_wherever_they_stand() {
        let rows: [(&str, &str, &[&str]); 4] = [
            ("x.c", "int a = f(\n# 1 \"x.h\" 3 4\n b);\n#line 7\n", &["# 1 \"x.h\" 3 4\n", "#line 7\n"]),
            ("x.c", "#define A 1\nint b; # 1\n", &[]),
            (
                "x.cpp",
                "# 3 \"a\"\nnamespace s __attribute__ ((__visibility__ (\"d\"))) { __extension__ int a; }\n",
                &["# 3 \"a\"\n", "__attribute__ ((__visibility__ (\"d\")))", "__extension__"],
            ),
            ("x.js", "# 1 \"x\"\n", &[]),
        ];
        let mut languages = Languages;
        for (file, text, expected) in rows {
            let sample = languages.sample(file, text);
            let found = clean(text.as_bytes(), &sample.grammar);
            let units = found.iter().flat_map(|sequence| &sequence.units);
            let texts: Vec<&str> = units
                .map(|unit| match &unit.removal {
                    Removal::Edits(edits) => &text[edits[0].start..edits[0].end],
                    Removal::Nodes(_) => panic!("there is no tree yet"),
                })
                .collect();
            assert_eq!(texts, expected, "{text}");
        }
    }
}
