//! Holds the sources to this: no files of a crate import each other in a circle. Code that two files need of
//! each other belongs into a third.
//!
//! Imports are text: paths that begin with `crate::` or `super::` in the lines that are compiled outside of tests, and
//! what a module uses of those below it. A path leads to the file of the longest module it names, or to the one that what
//! a `mod.rs` hands on is from. To declare a module, or to hand on what is in it, is no import.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

/// A module by the names that lead to it from the root of its crate.
type Module = Vec<String>;

/// The modules that each module of a crate imports.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

static TESTS: LazyLock<Regex> = LazyLock::new(|| {
    let tests = r"(?m)^#\[cfg\((?:test|all\(test,.*\))\)\]\n(?:#\[.*\]\n)*mod \w+ \{\n(?s:.*?)^\}$";
    Regex::new(tests).expect("a constant")
});
static VISIBILITY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bpub\([^)]*\)").expect("a constant"));
static ITEM: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?:^|[{,])\s*(\w+(?:::\w+)*)").expect("a constant"));
static PATH: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b((?:crate|super)\b(?:::\w+)*)(?:::\{([^;]*?)\};)?").expect("a constant"));
static BELOW: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)^use (\w+)::").expect("a constant"));
static HANDED_ON: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^pub use (\w+(?:::\w+)*)(?:::\{([^;]*?)\})?;").expect("a constant"));

/// The text without comments, without what is compiled for tests only, and without scopes of `pub`.
fn production(text: &str) -> String {
    let text = TESTS.replace_all(text, "");
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    VISIBILITY.replace_all(&lines.join("\n"), "pub").into_owned()
}

/// The paths in the braces behind `first`, or `first` alone: `a::{b, c::D}` is two paths.
fn with_list(first: &str, list: Option<&str>) -> Vec<Vec<String>> {
    let words = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
    let first = words(first);
    let Some(list) = list else { return vec![first] };
    ITEM.captures_iter(list).map(|item| [first.clone(), words(&item[1])].concat()).collect()
}

/// The paths that a text names, those of modules below as if they were written with `self`.
fn paths(text: &str) -> Vec<Vec<String>> {
    let own = BELOW.captures_iter(text).map(|captures| vec!["self".to_owned(), captures[1].to_owned()]);
    let others = PATH.captures_iter(text);
    own.chain(others.flat_map(|captures| with_list(&captures[1], captures.get(2).map(|list| list.as_str())))).collect()
}

/// The paths of what a module hands on from those below it.
fn handed_on(text: &str) -> Vec<Vec<String>> {
    HANDED_ON
        .captures_iter(text)
        .flat_map(|captures| with_list(&captures[1], captures.get(2).map(|list| list.as_str())))
        .collect()
}

/// The imports among these files, given by module.
fn imports(files: &BTreeMap<Module, String>) -> Imports {
    let files: BTreeMap<&Module, String> = files.iter().map(|(module, text)| (module, production(text))).collect();
    let mut owners: BTreeMap<(Module, String), Module> = BTreeMap::new();
    for (&module, text) in &files {
        for path in handed_on(text) {
            let owner = [module.clone(), path[..path.len() - 1].to_vec()].concat();
            if files.contains_key(&owner) {
                owners.insert((module.clone(), path[path.len() - 1].clone()), owner);
            }
        }
    }
    let of = |module: &Module, text: &str| {
        let target = |path: Vec<String>| {
            let ups = path.iter().take_while(|name| *name == "super").count();
            let mut place = match path[0].as_str() {
                "crate" => Vec::new(),
                _ => module[..module.len().checked_sub(ups)?].to_vec(),
            };
            for name in path.into_iter().skip(ups.max(1)) {
                match owners.get(&(place.clone(), name.clone())) {
                    Some(owner) => place.clone_from(owner),
                    None => place.push(name),
                }
            }
            while !place.is_empty() && !files.contains_key(&place) {
                place.pop();
            }
            (!place.is_empty() && place != *module).then_some(place)
        };
        paths(text).into_iter().filter_map(target).collect()
    };
    files.iter().map(|(&module, text)| (module.clone(), of(module, text))).collect()
}

/// The modules that are in a circle: each leads to itself.
fn in_circles(imports: &Imports) -> BTreeSet<Module> {
    let comes_back = |from: &Module| {
        let mut reached = BTreeSet::new();
        let mut todo: Vec<&Module> = imports[from].iter().collect();
        while let Some(module) = todo.pop() {
            if reached.insert(module) {
                todo.extend(&imports[module]);
            }
        }
        reached.contains(from)
    };
    imports.keys().filter(|module| comes_back(module)).cloned().collect()
}

/// The files below a folder of the tree, by module.
fn crate_files(folder: &str) -> BTreeMap<Module, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut todo: Vec<PathBuf> = vec![root.clone()];
    let (mut files, mut is_found) = (BTreeMap::new(), false);
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder of the tree can be listed");
            todo.extend(entries.map(|entry| entry.expect("a folder of the tree can be listed").path()));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let below = path.strip_prefix(&root).expect("found below it").with_extension("");
            let mut module: Module = below.iter().map(|name| name.to_string_lossy().into_owned()).collect();
            module.pop_if(|name| ["mod", "lib", "main", "tests"].contains(&name.as_str()));
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            is_found = true;
            // A module's tests may have a file of their own; the crate's root imports nothing that matters.
            if !path.ends_with("tests.rs") && !module.is_empty() {
                files.insert(module, text);
            }
        }
    }
    assert!(is_found, "nothing found in {folder}");
    files
}

#[test]
fn no_files_of_a_crate_import_each_other_in_a_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).expect("crates/ can be listed");
    let names = crates.map(|entry| entry.expect("crates/ can be listed").file_name().to_string_lossy().into_owned());
    for folder in names.map(|name| format!("crates/{name}/src")).chain(["src".to_owned()]) {
        let circles = in_circles(&imports(&crate_files(&folder)));
        assert!(circles.is_empty(), "{folder}: {circles:?}");
    }
}

#[test]
fn a_circle_is_found_however_it_is_written() {
    let found = |files: &[(&str, &str)]| {
        let module = |name: &str| name.split('/').map(str::to_owned).collect::<Module>();
        let files = files.iter().map(|(name, text)| (module(name), (*text).to_owned())).collect();
        in_circles(&imports(&files)).into_iter().map(|module| module.join("/")).collect::<Vec<_>>()
    };
    let c = ("c", "use crate::a::A;");
    assert_eq!(found(&[("a", "use crate::b::B;"), ("b", "fn f() { crate::a::g() }"), c]), ["a", "b"]);
    assert_eq!(found(&[("x/a", "use super::{b::B, d};"), ("x/b", "use crate::x::a;"), c]), ["x/a", "x/b"]);
    assert_eq!(found(&[("a", "use crate::{\n    b::B,\n    c::C,\n};"), ("b", ""), c]), ["a", "c"]);
    assert_eq!(found(&[("x", "mod a;\npub use a::A;"), ("x/a", "use super::X;")]), [""; 0]);
    assert_eq!(found(&[("x", "mod a;\nuse a::A;"), ("x/a", "use super::X;")]), ["x", "x/a"]);
    // By what a module hands on.
    let x = ("x", "mod a;\nmod b;\npub(crate) use a::A;\npub use b::{B, C};");
    assert_eq!(found(&[x, ("x/a", "use super::{B, c};"), ("x/b", "use crate::x::A;")]), ["x/a", "x/b"]);
    assert_eq!(found(&[x, ("x/a", "pub(super) use super::B;"), ("x/b", "pub(super) fn b() {}")]), [""; 0]);
    let tested = "use crate::b::B;\n#[cfg(test)]\nmod tests {\n    use crate::c::C;\n}\n";
    assert_eq!(found(&[("a", tested), ("b", "/// [`crate::a`]"), c]), [""; 0]);
}
