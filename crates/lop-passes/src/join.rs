//! Joins files: an include or an import is replaced by the file that it names, or two files become one.

use lop_files::project::{Entry, Kind};
use lop_syntax::Edit;

use super::named::Named;
use super::pass::{Facts, Pass, Proposals, Stage, View};

/// With more files there are better questions than which two are one.
const MOST_FILES: usize = 64;
/// Maximum number of bytes of all files that replace includes: a file can name another a thousand times.
const MOST_BYTES: usize = 64 << 20;

/// Two files become one.
pub struct Join;

impl Pass for Join {
    fn facts(&self) -> Facts {
        Facts::new(
            "join",
            Stage::Late,
            "files of a directory become one: an include is what it names, two files are one",
        )
        .led("its files are those of a directory")
    }

    fn propose(&self, view: &View<'_>) -> Proposals {
        let Some(files) = &view.files else { return Proposals::default() };
        let mut entries = files.archive.entries(view.text);
        entries.retain(|entry| entry.kind == Kind::File);
        if entries.len() < 2 || entries.len() > MOST_FILES {
            return Proposals::default();
        }
        let mut edits = includes(view, &entries);
        edits.extend(entries.windows(2).filter_map(|pair| appended(view.text, &pair[0], &pair[1])));
        view.one_of(edits)
    }
}

/// Replaces each text that names a file of the test case by the file's content, and removes the file.
fn includes(view: &View<'_>, entries: &[Entry]) -> Vec<Vec<Edit>> {
    let Some(files) = &view.files else { return Vec::new() };
    let named = Named::new(entries);
    let (mut all, mut left) = (Vec::new(), MOST_BYTES);
    for entry in entries {
        let Some(grammar) = (files.grammar)(&entry.path) else { continue };
        for (place, file) in named.in_file(view.text, entry, grammar.includes()) {
            let file = &entries[file];
            let Some(rest) = left.checked_sub(file.content.len()) else { return all };
            left = rest;
            let name = file.path().file_stem().unwrap_or_default().to_string_lossy();
            let text = grammar.included(&name, view.text[file.content.clone()].trim_ascii_end());
            let put = Edit { raw: true, ..Edit::replace(place, text) };
            all.push(vec![put, Edit::delete_raw(file.whole())]);
        }
    }
    all
}

/// Appends a file to the one before it, if it has the same kind, by removing the frame between them.
fn appended(text: &[u8], one: &Entry, other: &Entry) -> Option<Vec<Edit>> {
    let is_alike = one.path().extension() == other.path().extension() && one.content.end == other.frame.start;
    if !is_alike || one.content.is_empty() || other.content.is_empty() {
        return None;
    }
    let feed: &[u8] = if text[one.content.clone()].ends_with(b"\n") { b"" } else { b"\n" };
    Some(vec![Edit { raw: true, ..Edit::replace(other.frame.clone(), feed.to_vec()) }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::FilesOf;
    use lop_files::project::{Archive, Member};
    use lop_syntax::render;

    fn joined(files: &[(&str, &str)]) -> Vec<Vec<(String, String)>> {
        joined_in("x.c", files)
    }

    /// The files after each edit; `language` is a file in their language.
    fn joined_in(language: &str, files: &[(&str, &str)]) -> Vec<Vec<(String, String)>> {
        let member = |(path, content): &(&str, &str)| Member {
            path: path.as_bytes().to_vec(),
            kind: Kind::File,
            mode: 0o644,
            content: content.as_bytes().to_vec(),
        };
        let (archive, text) = Archive::pack(&files.iter().map(member).collect::<Vec<_>>());
        let grammar = crate::testing::Languages.grammar(language);
        let is_c = |path: &[u8]| (!path.ends_with(b".txt")).then_some(&*grammar);
        let view = View { files: Some(FilesOf { archive: &archive, grammar: &is_c }), ..View::of_text(&text) };
        let shown = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is text");
        let made = Join.propose(&view).alternatives.into_iter().map(|alternative| {
            let after = render(&text, alternative.edits).text;
            archive.members(&after).into_iter().map(|file| (shown(file.path), shown(file.content))).collect()
        });
        made.collect()
    }

    #[test]
    fn an_include_becomes_the_file_that_it_names() {
        let made = joined(&[
            ("a/x.h", "int x;\n"),
            ("b/m.c", "#include \"../a/x.h\"\n#include <x.h>\nint m;\n"),
            ("n.txt", "#include \"x.h\"\n"),
        ]);
        let expected = [("b/m.c", "int x;\n#include <x.h>\nint m;\n"), ("n.txt", "#include \"x.h\"\n")];
        assert_eq!(made, [expected.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec()]);
    }

    #[test]
    fn a_module_takes_the_place_of_its_import() {
        let rows = [
            (
                "m.js",
                "import { f } from './a.js';\nf();\n",
                "a.js",
                "export function f() {}\n",
                "export function f() {}\nf();\n",
            ),
            ("m.js", "import './a.js';\n2n\n", "a.js", "1n\n", "1n\n2n\n"),
            ("m.py", "from a import f\nf()\n", "a.py", "def f():\n    pass\n", "def f():\n    pass\nf()\n"),
            (
                "m.rs",
                "mod a;\nfn f() { a::g() }\n",
                "a.rs",
                "pub fn g() {}\n",
                "pub mod a {\npub fn g() {}\n}\nfn f() { a::g() }\n",
            ),
        ];
        for (path, text, other, content, expected) in rows {
            let made = joined_in(path, &[(path, text), (other, content)]);
            assert!(made.contains(&vec![(path.to_owned(), expected.to_owned())]), "{path}: {made:?}");
        }
    }

    #[test]
    fn a_name_that_could_be_two_files_is_left() {
        assert_eq!(joined(&[("a/x.h", "1"), ("b/x.h", "2"), ("m.c", "#include \"x.h\"\n")]).len(), 1);
        assert!(joined(&[("m.c", "#include \"m.c\"\n"), ("n.txt", "")]).is_empty());
    }

    #[test]
    fn files_side_by_side_become_one() {
        let made = joined(&[("a.c", "int a;"), ("b.c", "int b;\n")]);
        assert_eq!(made, [vec![("a.c".to_owned(), "int a;\nint b;\n".to_owned())]]);
    }
}
