//! The invariants of every folder of `grammars/`, without code for any single language.

use std::path::Path;
use std::sync::OnceLock;

use lop_languages::LANGUAGES;
use tree_sitter::{Node, Parser as TreeSitter};

use super::supertypes::KindName;
use super::*;
use lop_syntax::{Document, Edit, SyntaxTree, error_count, render, unindented};

/// A language with its sample.
struct Sampled {
    folder: Folder<'static>,
    grammar: Grammar,
    source: &'static [u8],
    tree: SyntaxTree,
}

impl Sampled {
    /// Every embedded language, loaded once for all tests; one without a sample is an error.
    fn all() -> &'static [Self] {
        static ALL: OnceLock<Vec<Sampled>> = OnceLock::new();
        let load = |folder: &Folder<'static>| {
            let grammar = Grammar::load(folder).unwrap_or_else(|error| panic!("{error}"));
            let (_, source) = folder.sample.unwrap_or_else(|| panic!("grammars/{} has no sample", folder.name));
            let tree = parse(&grammar, source);
            Self { folder: *folder, grammar, source, tree }
        };
        ALL.get_or_init(|| LANGUAGES.built_in.iter().map(load).collect())
    }

    /// Counts the new mistakes after some bytes of the sample are replaced.
    fn new_mistakes(&self, range: &std::ops::Range<usize>, replacement: &[u8]) -> usize {
        let mut parser = self.grammar.parser().expect("embedded parsers fit");
        let document = Document::parse(&mut parser, self.source.to_vec()).expect("a sample has a tree");
        let edit = Edit::replace(range.clone(), replacement.to_vec());
        let edited = render(document.source(), vec![edit]).text;
        mistakes(&parse(&self.grammar, &edited)).saturating_sub(mistakes(&self.tree))
    }

    /// A part of the sample as an edit's text that moves it.
    fn moved(&self, part: std::ops::Range<usize>) -> Vec<u8> {
        let text = &self.source[part.clone()];
        if self.grammar.is_indented() { unindented(self.source, part.start, text) } else { text.to_vec() }
    }

    /// The edits of the rules in folders: those of all languages know nothing of this one, and the gate refuses their
    /// mistakes.
    fn of_folders<T>(&self, all: Vec<ByRule<T>>) -> impl Iterator<Item = ByRule<T>> {
        let texts = self.grammar.rules().texts();
        all.into_iter().filter(|one| !texts[one.rule.index()].is_common())
    }

    /// Complains about an edit that makes mistakes.
    fn check(&self, what: &str, range: &std::ops::Range<usize>, replacement: &[u8]) -> Option<String> {
        (self.new_mistakes(range, replacement) > 0).then(|| {
            format!(
                "{}: {what}: `{}` by `{}`",
                self.folder.name,
                String::from_utf8_lossy(&self.source[range.clone()]),
                String::from_utf8_lossy(replacement)
            )
        })
    }
}

fn parse(grammar: &Grammar, source: &[u8]) -> SyntaxTree {
    if grammar.notation().is_some() {
        return grammar.parser().and_then(|mut parser| parser.parse(source)).expect("any text has a structure");
    }
    let mut parser = TreeSitter::new();
    parser.set_language(grammar.language()).expect("the language was checked when it was loaded");
    SyntaxTree::Grammar(parser.parse(source, None).expect("a parse without a limit ends"))
}

/// Every node with the field it is in, in document order.
fn nodes(tree: &SyntaxTree) -> Vec<(Node<'_>, Option<u16>)> {
    let mut nodes = Vec::new();
    let mut cursor = tree.root().node().walk();
    loop {
        nodes.push((cursor.node(), cursor.field_id().map(std::num::NonZero::get)));
        while !cursor.goto_first_child() && !cursor.goto_next_sibling() {
            while cursor.goto_parent() {
                if cursor.goto_next_sibling() {
                    break;
                }
            }
            if cursor.node() == tree.root().node() {
                return nodes;
            }
            nodes.push((cursor.node(), cursor.field_id().map(std::num::NonZero::get)));
        }
    }
}

fn place(node: Node<'_>, field: Option<u16>) -> Place {
    Place {
        kind: node.kind_id(),
        parent: node.parent().map(|parent| parent.kind_id()),
        field,
        previous: node.prev_sibling().map(|previous| previous.kind_id()),
    }
}

fn mistakes(tree: &SyntaxTree) -> usize {
    error_count(tree)
}

fn error_of(folder: Folder<'_>) -> String {
    Grammar::load(&folder).expect_err("the folder has a mistake").to_string()
}

/// The first folder that has rules: the one that the tests of mistakes spoil.
fn some_folder() -> Folder<'static> {
    *LANGUAGES.built_in.iter().find(|folder| !folder.rules.is_empty()).expect("a language has rules")
}

#[test]
fn grammars_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Grammar>();
}

#[test]
fn samples_parse() {
    for language in Sampled::all() {
        assert_eq!(mistakes(&language.tree), 0, "{}: the sample has mistakes", language.folder.name);
    }
}

#[test]
fn every_rule_matches_its_sample() {
    let mut idle = Vec::new();
    for language in Sampled::all() {
        let unmatched = language.grammar.rules().unmatched(language.tree.root(), language.source);
        // Inherited rules match in the sample of their own folder.
        for rule in unmatched.into_iter().filter(|rule| rule.folder == language.folder.name) {
            idle.push(format!("grammars/{}/reduce.scm:{}: {}", language.folder.name, rule.line, rule.text));
        }
    }
    assert!(idle.is_empty(), "rules that match nothing in the sample:\n{}", idle.join("\n"));
}

#[test]
fn lifts_of_the_sample_parse() {
    let mut wrong = Vec::new();
    for language in Sampled::all() {
        for lift in language.of_folders(language.grammar.rules().lifts(language.tree.root(), language.source)) {
            let text = [language.moved(lift.lift.range.clone()), lift.suffix.as_bytes().to_vec()].concat();
            wrong.extend(language.check("lift", &lift.outer.range, &text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn minimal_texts_of_the_sample_parse() {
    let mut wrong = Vec::new();
    for language in Sampled::all() {
        for (node, field) in nodes(&language.tree) {
            for text in language.grammar.minimal(place(node, field)) {
                if text.len() < node.byte_range().len() {
                    wrong.extend(language.check("minimal", &node.byte_range(), text.as_bytes()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_body_has_a_minimal_text() {
    for language in Sampled::all() {
        let bodies = language.grammar.rules().bodies(language.tree.root(), language.source);
        let bodies: Vec<_> = language.of_folders(bodies).collect();
        for (node, field) in nodes(&language.tree) {
            let capture = Capture { range: node.byte_range(), kind: node.kind_id() };
            if bodies.iter().any(|body| body.what.outer == capture) {
                let mut texts = language.grammar.minimal(place(node, field));
                let has_own = bodies.iter().any(|body| body.what.outer == capture && !body.what.pieces.is_empty());
                assert!(
                    has_own || texts.next().is_some(),
                    "{}: no text for a body `{}`",
                    language.folder.name,
                    node.kind()
                );
            }
        }
    }
}

#[test]
fn names_of_definitions_are_inside_their_units_and_are_identifiers() {
    for language in Sampled::all() {
        for definition in language.grammar.rules().definitions(language.tree.root(), language.source) {
            let Definition { unit, name } = definition.what;
            assert!(unit.range.start <= name.range.start && name.range.end <= unit.range.end);
        }
    }
}

#[test]
fn may_replace_is_reflexive_and_symmetric() {
    for language in Sampled::all() {
        let kinds = 0..u16::try_from(language.grammar.language().node_kind_count()).expect("kinds are u16");
        for outer in kinds.clone() {
            assert!(language.grammar.may_replace(outer, outer));
            for inner in kinds.clone() {
                assert_eq!(language.grammar.may_replace(outer, inner), language.grammar.may_replace(inner, outer));
            }
        }
    }
}

#[test]
fn a_parser_tells_nothing_of_its_supertypes_that_its_description_does_not() {
    let mut equal = 0;
    for language in Sampled::all().iter().filter(|language| language.grammar.language().abi_version() >= 15) {
        let described = NodeTypes::parse(language.folder.parser.node_types).expect("it was parsed before");
        let told = NodeTypes::of(language.grammar.language());
        let name = language.folder.name;
        for subtypes in told.all() {
            assert!(described.all().any(|all| subtypes.is_subset(all)), "{name}: {subtypes:?}");
        }
        // A parser doesn't list the kinds that its grammar inlines.
        if told.all().count() == described.all().count() && told.all().count() > 0 {
            assert!(told.all().eq(described.all()), "{name}");
            equal += 1;
        }
    }
    assert!(equal > 0, "some parser knows all of them");
}

#[test]
fn subtypes_of_one_supertype_may_replace_each_other() {
    for language in Sampled::all() {
        let types = NodeTypes::parse(language.folder.parser.node_types).expect("it was parsed before");
        let id = |name: &KindName| language.grammar.language().id_for_node_kind(&name.kind, name.named);
        for subtypes in types.all() {
            let first = subtypes.iter().next().expect("a supertype has subtypes");
            for subtype in subtypes {
                assert!(language.grammar.may_replace(id(first), id(subtype)), "{}", subtype.kind);
            }
        }
    }
}

#[test]
fn kinds_of_error_nodes_are_in_no_set() {
    for language in Sampled::all() {
        let grammar = &language.grammar;
        let sets = [grammar.is_comment(u16::MAX), grammar.is_separator(u16::MAX), grammar.is_opaque(u16::MAX)];
        assert_eq!(sets, [false; 3]);
        let nowhere = Place { kind: u16::MAX, parent: None, field: None, previous: None };
        assert_eq!(grammar.minimal(nowhere).next(), None);
        assert_eq!(grammar.kind_name(u16::MAX), "ERROR");
    }
}

#[test]
fn renaming_a_folder_renames_the_language_and_nothing_else() {
    let folder = some_folder();
    let renamed = Folder { name: "renamed", ..folder };
    let registry = Registry::new(&[renamed]).expect("the folder is well-formed");
    let listed = registry.list().expect("the folder is well-formed");
    let (before, after) = (Grammar::load(&folder).expect("it loads"), Grammar::load(&renamed).expect("it loads"));
    let unnamed = Listed::of(&folder, Home::BuiltIn).expect("it is well-formed");
    // The guard is asked for by the name.
    assert_eq!(listed, [Listed { name: "renamed".to_owned(), has_guard: false, ..unnamed }]);
    assert_eq!((before.name(), after.name()), (folder.name, "renamed"));
    assert_eq!(before.sets, after.sets);
    assert_eq!(before.replace, after.replace);
    let rules = |grammar: &Grammar| {
        grammar.rules().texts().iter().map(|rule| (rule.line, rule.text.clone())).collect::<Vec<_>>()
    };
    assert_eq!(rules(&before), rules(&after));
    assert_eq!((before.extensions(), before.keep_names()), (after.extensions(), after.keep_names()));
    assert_eq!(before.keeps_newlines(), after.keeps_newlines());

    let (chosen, choice) = registry.choose("renamed", Path::new("x"), b"").expect("the name is known");
    assert_eq!((chosen.expect("it is a language").name(), choice), ("renamed", Choice::Name));
    let unknown = registry.choose(folder.name, Path::new("x"), b"").expect_err("the old name is gone");
    assert_eq!(unknown.to_string(), format!("unknown grammar `{}` (known: auto, renamed, text)", folder.name));
}

#[test]
fn a_folder_with_nothing_but_a_parser_has_what_is_said_of_all_languages() {
    let bare = Folder { language: "[language]\nparser = \"builtin:any\"\n", rules: "", sample: None, ..some_folder() };
    let grammar = Grammar::load(&bare).expect("every other key is optional");
    assert!(grammar.extensions().is_empty());
    let places: Vec<_> = grammar.places().iter().map(|place| place.file.as_str()).collect();
    assert!(places.contains(&"common.scm") && places.contains(&"common.toml"), "{places:?}");
    assert!(places.iter().all(|file| file.starts_with("common.")), "{places:?}");
}

#[test]
fn mistakes_in_language_toml_name_file_and_line() {
    let folder = some_folder();
    let cases = [
        ("[language]\nparser = \"p\"\ncolour = 1\n", "3: unknown field `colour`"),
        ("[language]\nparser = \"p\"\n[wrong]\n", "3: unknown field `wrong`"),
        ("[language]\nparser = 1\n", "2: invalid type: integer `1`"),
        ("[language]\nparser = \"p\n", "2: "),
        ("[language]\nparser = \"p\"\n[trivia]\ncomments = [\n  \"no such\"]\n", "5: unknown kind `no such`"),
        ("[language]\nparser = \"p\"\n[lists]\nseparators = [\"~~~\"]\n", "4: unknown token `~~~`"),
        ("[language]\nparser = \"p\"\n[lists]\nwords = [\"no_*\"]\n", "4: unknown kind `no_*`"),
        ("[language]\nparser = \"p\"\n[classes]\na = [\"_no\"]\n", "4: unknown kind `_no`"),
        ("[language]\nparser = \"p\"\n[minimal]\n\n\"no\" = []\n", "5: unknown kind `no`"),
        ("[language]\nparser = \"p\"\n[minimal]\n\"_.no\" = []\n", "4: unknown field `no`"),
        ("[language]\nparser = \"p\"\n[minimal]\n\"no._\" = []\n", "4: unknown kind `no`"),
        ("[language]\nparser = \"p\"\n[minimal]\n\"no + no\" = []\n", "4: unknown kind `no`"),
        ("[language]\nparser = \"p\"\n[structure]\n", "3: `[structure]` is for languages without a parser"),
        ("[language]\nparser = \"p\"\nwithout = [\n\"no such\"]\n", "4: unknown rule `no such` (known: "),
    ];
    for (text, expected) in cases {
        let message = error_of(Folder { language: text, ..folder });
        let expected = format!("grammars/{}/language.toml:{expected}", folder.name);
        assert!(message.starts_with(&expected), "{message}\nis not\n{expected}");
    }
    let regex = Folder { language: "[language]\nparser = \"p\"\ncontent = \"(\"\n", ..folder };
    let registry = Registry::new(&[regex]).expect("expressions are looked at when they are needed");
    let message = registry.choose(AUTO, Path::new("x"), b"text").expect_err("the expression is open").to_string();
    assert!(message.starts_with(&format!("grammars/{}/language.toml:3: not a regular", folder.name)), "{message}");
}

#[test]
fn a_field_that_the_parent_never_has_is_a_mistake() {
    for language in Sampled::all() {
        let types = NodeTypes::parse(language.folder.parser.node_types).expect("it was parsed before");
        let Some(field) = language.grammar.field_name(1) else { continue };
        let root = language.tree.root().node().kind();
        assert!(!types.has_field(root, field));
        let text = format!("[language]\nparser = \"p\"\n[minimal]\n\"{root}.{field}\" = []\n");
        let message = error_of(Folder { language: &text, ..language.folder });
        let name = language.folder.name;
        assert_eq!(message, format!("grammars/{name}/language.toml:4: no `{root}` node has a field `{field}`"));
    }
}

#[test]
fn mistakes_in_reduce_scm_name_file_and_line() {
    let folder = some_folder();
    let cases = [
        ("; fine\n((_) @wrong)\n", "2: unknown capture `@wrong`"),
        ("((_)\n @body.x)\n", "2: unknown capture `@body.x`"),
        ("(no_such_kind) @body", "1: unknown kind \"no_such_kind\""),
        ("\n(_ no_such_field: (_)) @body", "2: unknown field \"no_such_field\""),
        ("(_) @body\n\n(_", "3: syntax error"),
        ("(_) @def.unit", "1: a rule needs exactly one of @def.unit with @def.name, @body, "),
        ("(_)", "1: a rule needs exactly one of "),
        ("(_ (_) @body) @lift", "1: a rule needs exactly one of "),
        ("(_) @body\n((_) @body (#set! suffix \";\"))", "2: unknown directive `#set! suffix`"),
        ("((_ (_) @lift) @lift.outer (#set! prefix \";\"))", "1: unknown directive `#set! prefix`"),
        ("((_) @body (#quite? @body \"x\"))", "1: unknown directive `#quite?`"),
        ("((_) @body (#is? local))", "1: unknown directive `#is? local`"),
        ("((_) @body (#eq? @none \"x\"))", "1: a predicate names an unknown capture"),
        ("(_) @rewrite", "1: this rule needs `(#set! text \"…\")`"),
        ("(_) @body\n((_) @rewrite (#set! text \"{_x}\"))", "2: the template names `@_x`, which this rule does not"),
        ("((_) @group (#set! text \"\"))", "1: this rule needs `(#set! group \"…\")`"),
        ("(_ (_) @alias.name) @alias.unit", "1: this rule needs `(#set! text \"…\")`"),
        ("((_) @unify (#set! suffix \";\"))", "1: unknown directive `#set! suffix`"),
    ];
    for (rules, expected) in cases {
        let message = error_of(Folder { rules, ..folder });
        let expected = format!("grammars/{}/reduce.scm:{expected}", folder.name);
        assert!(message.starts_with(&expected), "{message}\nis not\n{expected}");
    }
}

#[test]
fn captures_for_predicates_are_free() {
    let rules = "((_ (_) @_inner) @body (#eq? @_inner \"x\"))";
    Grammar::load(&Folder { rules, ..some_folder() }).expect("a capture with `_` is no rule");
}

#[test]
fn names_that_mean_something_else_are_refused() {
    let folder = some_folder();
    for name in [AUTO, TEXT] {
        let error = Registry::new(&[Folder { name, ..folder }]).expect_err("the name is taken");
        assert_eq!(error, GrammarError::NameTaken { name: name.to_owned() });
    }
    let error = Registry::new(&[folder, folder]).expect_err("a name is there once");
    assert_eq!(error, GrammarError::NameTaken { name: folder.name.to_owned() });
}

#[test]
fn the_extension_decides_before_the_content() {
    let registry = Registry::of(&LANGUAGES).expect("the embedded folders are well-formed");
    let all = registry.list().expect("the embedded folders are well-formed");
    let built_in = || all.iter().filter(|listed| listed.home == Home::BuiltIn);
    assert!(
        built_in().count() == LANGUAGES.built_in.len()
            && all.len() == LANGUAGES.built_in.len() + LANGUAGES.left_out.len()
    );
    for listed in built_in() {
        for extension in &listed.extensions {
            // The first of several that claim it, because this content fits none.
            let mut claims = built_in().filter(|other| other.extensions.contains(extension));
            let first = claims.next().map(|other| other.name.as_str());
            for path in [format!("dir.x/file.{extension}"), format!("FILE.{}", extension.to_uppercase())] {
                let (folder, choice) = registry.find(AUTO, Path::new(&path), b"\xff\0").expect("it is no name");
                let name = folder.map(|folder| folder.name);
                assert_eq!((name, choice), (first, Choice::Extension), "{path}");
            }
        }
    }
}

#[test]
fn samples_are_recognised_by_their_content() {
    let registry = Registry::of(&LANGUAGES).expect("the embedded folders are well-formed");
    let has_content = |folder: &Folder<'_>| Layers::parse(folder).expect("it loads").own().language.content.is_some();
    for language in Sampled::all().iter().filter(|language| has_content(&language.folder)) {
        let sample = language.source;
        // Whole, and repeated until the limit cuts through it.
        for content in [sample.to_vec(), sample.repeat(1 + 100_000 / sample.len())] {
            let (folder, choice) = registry.find(AUTO, Path::new("input"), &content).expect("it is no name");
            let name = folder.map(|folder| folder.name);
            let by = if sample.starts_with(b"#!") { Choice::FirstLine } else { Choice::Content };
            assert_eq!((name, choice), (Some(language.folder.name), by));
        }
    }
}

#[test]
fn a_file_of_an_unknown_extension_is_text_whatever_it_looks_like() {
    let registry = Registry::of(&LANGUAGES).expect("the embedded folders are well-formed");
    for language in Sampled::all() {
        let path = Path::new("input.none");
        // Behind the first line, which may name the program that runs it.
        let content = memchr::memchr(b'\n', language.source).map_or(&[][..], |feed| &language.source[feed..]);
        let (grammar, choice) = registry.choose(AUTO, path, content).expect("it loads");
        assert!(grammar.is_none(), "{}", language.folder.name);
        assert_eq!(choice.sentence(None, path), "text: no grammar for .none is built in; see lop grammars");
    }
}

#[test]
fn a_language_that_is_not_built_in_is_known_with_the_feature_that_brings_it() {
    let registry = Registry::of(&LANGUAGES).expect("the embedded folders are well-formed");
    for known in LANGUAGES.left_out {
        let Err(error) = registry.find(known.texts.name, Path::new("x"), b"") else {
            panic!("{} is built in", known.texts.name)
        };
        let NotBuiltIn { texts: Texts { name, language, .. }, feature, .. } = *known;
        assert_eq!(error, GrammarError::NotBuiltIn { name, feature });
        let bare = Folder { name, language, rules: "", inherited: &[], ..LANGUAGES.built_in[0] };
        for extension in &Layers::parse(&bare).expect("it is well-formed").own().language.extensions {
            let path = format!("FILE.{extension}");
            let (folder, choice) = registry.find(AUTO, Path::new(&path), b"").expect("it is no name");
            assert_eq!((folder.map(|folder| folder.name), choice), (None, Choice::NotBuiltIn { name, feature }));
            let said = choice.sentence(None, Path::new(&path));
            assert!(said.starts_with(&format!("text: {name} is known")), "{said}");
            assert!(said.contains(&format!("--features {feature} ")), "{said}");
        }
    }
}

#[test]
fn what_is_taken_over_and_the_parser_lacks_is_left_out() {
    let some = some_folder();
    let (own, far) = ("(_) @body\n", "(no_such_kind) @body\n\n((_\n  (_) @_a) @body)\n(_ no_such_field: (_)) @body\n");
    let wrong = "[trivia]\ncomments = [\"no such\"]\n[minimal]\n\"_.none\" = [\"x\"]\n\"no such\" = [\"y\"]\n";
    let inherited = [Texts { name: "far", language: wrong, rules: far, guard: "" }];
    let folder = Folder { name: "near", rules: own, inherited: &inherited, ..some };
    let grammar = Grammar::load(&folder).expect("only what is taken over is wrong");
    let rules = grammar.rules().texts().iter().map(|rule| (rule.folder.as_str(), rule.line));
    assert_eq!(rules.take_while(|(folder, _)| !folder.is_empty()).collect::<Vec<_>>(), [("near", 1), ("far", 3)]);
    let places: Vec<_> = grammar.places().iter().take(2).map(ToString::to_string).collect();
    assert_eq!(places, ["near/reduce.scm:1", "far/reduce.scm:3"]);
    // In the folder's own file this would be a mistake.
    assert!(error_of(Folder { language: wrong, ..some }).contains("language.toml:2: unknown kind `no such`"));
    let message = error_of(Folder { rules: far, ..folder });
    assert!(message.ends_with("/reduce.scm:1: unknown kind \"no_such_kind\""), "{message}");
}

#[test]
fn overrides_are_the_nearest_layer() {
    let some = some_folder();
    let (language, rules) = ("[identifiers]\nkeep = [\"mine\"]\n".to_owned(), "\n(_) @body\n".to_owned());
    let user = Overrides { directory: "own".to_owned(), language, rules };
    let (alone, both) = (Grammar::load(&some).expect("it is right"), user.over(&some).expect("it is right"));
    let grammar = Grammar::load(&both).expect("so are both");
    let places = |grammar: &Grammar| grammar.places().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(places(&grammar)[0], "own/reduce.scm:2");
    assert_eq!(places(&grammar)[1..], places(&alone));
    assert_eq!(grammar.keep_names, [vec!["mine".to_owned()], alone.keep_names].concat());
    assert_eq!((grammar.name, grammar.extensions), (alone.name, alone.extensions));
    let files = grammar.rules.texts().iter().take(2).map(|rule| rule.file_in(&both)).collect::<Vec<_>>();
    assert_eq!(files, ["own/reduce.scm".to_owned(), format!("{}/reduce.scm", some.directory)]);
}

#[test]
fn of_two_files_the_nearer_one_counts_and_lists_are_put_together() {
    let near = "[language]\nempty = [\"n\"]\n[identifiers]\nkeep = [\"n\"]\n[minimal]\nnew = [\"1\"]\nboth = [\"2\"]\n";
    let far = "[language]\nempty = [\"f\"]\nkeep_newlines = true\n[identifiers]\nkeep = [\"f\"]\n\
               [minimal]\nold = [\"3\"]\nboth = [\"4\"]\nlast = [\"5\"]\n";
    let inherited = [Texts { name: "far", language: far, rules: "", guard: "" }];
    let folder = Folder { name: "near", language: near, inherited: &inherited, ..some_folder() };
    let layers = Layers::parse(&folder).expect("both are well-formed");
    let places: Vec<_> = layers.places().into_iter().map(|(key, place)| format!("{key} {place}")).collect();
    assert_eq!(
        places,
        [
            "new near/language.toml:6 1",
            "old far/language.toml:7 3",
            "both near/language.toml:7 2",
            "last far/language.toml:9 5"
        ]
    );
    assert_eq!(layers.nearest(|file| &file.language.empty), ["n"]);
    assert_eq!(layers.files().flat_map(|file| &file.identifiers.keep).collect::<Vec<_>>(), ["n", "f"]);
    assert_eq!(layers.files().find_map(|file| file.language.keep_newlines), Some(true));
}

#[test]
fn what_is_no_language_is_text() {
    let registry = Registry::of(&LANGUAGES).expect("the embedded folders are well-formed");
    let prose = "It was a bright cold day in April, and the clocks were striking thirteen.\n\n\
                 Nothing was in order; what could not be helped was let go, or so it seemed to us\n\
                 for a while (and, if you ask me, for too long). We had to return and import new\n\
                 clocks: that is the way in which a class of things comes to an end.\n";
    let cases: [&[u8]; 9] = [
        b"",
        b"\n",
        b"word\n",
        b"one\ntwo\nthree\n",
        b"a,b,c\n1,2,3\n4,5,6\n",
        b"key: value\nother: 1\nlist:\n  - a\n",
        b"42",
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0",
        b"let \xff\xfe = 1;",
    ];
    for content in cases.into_iter().chain([prose.as_bytes()]) {
        let (grammar, choice) = registry.choose(AUTO, Path::new("input"), content).expect("it loads");
        let name = grammar.as_ref().map(|grammar| grammar.name());
        assert_eq!((name, choice), (None, Choice::Nothing), "{}", String::from_utf8_lossy(content));
    }
    let text =
        registry.choose(TEXT, Path::new("input"), LANGUAGES.built_in[0].language.as_bytes()).expect("it is known");
    assert!(text.0.is_none());
}

#[test]
fn rules_end_on_trees_that_are_very_deep() {
    for language in Sampled::all() {
        for open in ["{[(", "if(x){"] {
            let source = open.repeat(2_500);
            let tree = parse(&language.grammar, source.as_bytes());
            let rules = language.grammar.rules();
            rules.lifts(tree.root(), source.as_bytes());
            rules.splices(tree.root(), source.as_bytes());
            rules.definitions(tree.root(), source.as_bytes());
            rules.bodies(tree.root(), source.as_bytes());
        }
    }
}
