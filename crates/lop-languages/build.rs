//! Embeds the folders of `grammars/`, and does nothing else.
//!
//! Each folder is one language. Its files are included as they are; from `parser` in its
//! `language.toml` the path of the parser crate's constants is made, so that no language is named
//! in Rust and a new one costs two lines in `Cargo.toml` and a folder there. A folder whose parser
//! no feature has brought along is known by its texts alone. The parsers' versions are those of `Cargo.lock`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The part of `language.toml` that has to be known before the program is compiled.
#[derive(serde::Deserialize)]
struct LanguageFile {
    language: LanguageSection,
}

#[derive(serde::Deserialize)]
struct LanguageSection {
    parser: String,
    #[serde(default = "default_constant")]
    constant: String,
    #[serde(default = "default_node_types")]
    node_types: String,
    extends: Option<String>,
}

/// The part of `Cargo.toml` that says which parsers are asked for.
#[derive(serde::Deserialize)]
struct Manifest {
    features: BTreeMap<String, Vec<String>>,
}

impl Manifest {
    /// The features that bring this crate.
    fn features_with<'m>(&'m self, krate: &str) -> impl Iterator<Item = &'m String> {
        let dependency = format!("dep:{krate}");
        self.features.iter().filter(move |(_, brings)| brings.contains(&dependency)).map(|(feature, _)| feature)
    }
}

/// The part of `Cargo.lock` that says which releases are built.
#[derive(Default, serde::Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(serde::Deserialize)]
struct Locked {
    name: String,
    version: String,
}

impl Lock {
    /// The lock of a package. One that is built as somebody's dependency may have none: nothing is locked then.
    fn read(root: &Path) -> Self {
        let path = root.join("Cargo.lock");
        let Ok(text) = fs::read_to_string(&path) else { return Self::default() };
        // A missing file would have cargo run this every time.
        println!("cargo::rerun-if-changed={}", path.display());
        toml::from_str(&text).expect("cargo has written it")
    }

    /// The crate with its version, where there is only one.
    fn release(&self, krate: &str) -> String {
        let mut versions = self.package.iter().filter(|package| package.name == krate);
        match (versions.next(), versions.next()) {
            (Some(package), None) => format!("{krate} {}", package.version),
            _ => krate.to_owned(),
        }
    }
}

/// A folder of `grammars/` with what its `language.toml` says.
struct Language {
    folder: PathBuf,
    name: String,
    /// The crate that has the parser.
    krate: String,
    section: LanguageSection,
}

/// The parser of languages whose texts have no tree but that of their structure, and the crate that has it.
const STRUCTURE: &str = "structure";
const STRUCTURE_CRATE: &str = "lop-parser";

/// The folder of the workspace, and that of the languages, from the package's own.
const WORKSPACE: &str = "../..";
const GRAMMARS: &str = "../../grammars";

fn default_constant() -> String {
    "LANGUAGE".to_owned()
}

fn default_node_types() -> String {
    "NODE_TYPES".to_owned()
}

fn main() {
    println!("cargo::rustc-env=LOP_TARGET={}", env::var("TARGET").expect("cargo sets the target"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.toml");
    println!("cargo::rerun-if-changed={GRAMMARS}");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets the manifest directory"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets the output directory"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("the package has a manifest");
    let manifest: Manifest = toml::from_str(&manifest).expect("cargo has read it");

    let lock = Lock::read(&root.join(WORKSPACE));

    let read = |folder: PathBuf| {
        let name = file_name(&folder);
        Language::read(folder).unwrap_or_else(|problem| panic!("grammars/{name}/{problem}"))
    };
    let languages: Vec<Language> = folders(&root.join(GRAMMARS)).into_iter().map(read).collect();
    let (mut built_in, mut others) = (String::from("&[\n"), String::from("&[\n"));
    for language in &languages {
        let features: Vec<&String> = manifest.features_with(&language.krate).collect();
        // A parser that no feature brings is there always, or the compiler says that it is not.
        let missing = match features.iter().any(|feature| is_on(feature)) {
            true => None,
            false => features.iter().find(|feature| feature.ends_with(&language.name)).or(features.first()),
        };
        match missing {
            None => built_in.push_str(&language.row(&languages, &lock)),
            Some(feature) => others.push_str(&language.known_row(&languages, &lock, feature)),
        }
    }
    built_in.push_str("]\n");
    others.push_str("]\n");
    fs::write(out.join("built_in.rs"), built_in).expect("the output directory is writable");
    fs::write(out.join("left_out.rs"), others).expect("the output directory is writable");
}

/// Whether the package is built with this feature.
fn is_on(feature: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase().replace('-', "_"))).is_some()
}

/// The language folders, in the order of their names so that the program does not depend on the
/// order in which the file system lists them.
fn folders(grammars: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(grammars)
        .expect("the package has a folder grammars/")
        .map(|entry| entry.expect("grammars/ can be listed").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

impl Language {
    fn read(folder: PathBuf) -> Result<Self, String> {
        let text =
            fs::read_to_string(folder.join("language.toml")).map_err(|error| format!("language.toml: {error}"))?;
        let file: LanguageFile = toml::from_str(&text).map_err(|error| format!("language.toml: {error}"))?;
        let parser = &file.language.parser;
        let built_in = parser.strip_prefix("builtin:");
        let is_of_structure = parser == STRUCTURE;
        let krate = if is_of_structure { Some(STRUCTURE_CRATE) } else { built_in };
        let unknown =
            || format!("language.toml: parser `{parser}` is not `{STRUCTURE}`, nor does it start with `builtin:`");
        let krate = krate.ok_or_else(unknown)?.to_owned();
        let mut section = file.language;
        if is_of_structure {
            (section.constant, section.node_types) = ("STRUCTURE".to_owned(), "STRUCTURE_NODE_TYPES".to_owned());
        }
        Ok(Self { name: file_name(&folder), folder, krate, section })
    }

    /// The languages that this one extends, the nearest first.
    fn ancestors<'l>(&self, languages: &'l [Self]) -> Vec<&'l Self> {
        let mut found: Vec<&Self> = Vec::new();
        let mut wanted = self.section.extends.as_ref();
        while let Some(name) = wanted {
            let ancestor = languages.iter().find(|language| language.name == *name);
            let ancestor =
                ancestor.unwrap_or_else(|| panic!("grammars/{}: it extends `{name}`, which is no folder", self.name));
            let again = ancestor.name == self.name || found.iter().any(|known| known.name == ancestor.name);
            assert!(!again, "grammars/{}: it extends itself", self.name);
            found.push(ancestor);
            wanted = ancestor.section.extends.as_ref();
        }
        found
    }

    /// A file of the folder, as an expression. The path is put together by the compiler: nothing of this machine's
    /// paths is written down.
    fn included(&self, how: &str, file: &str) -> String {
        format!("{how}!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?}))", format!("/{GRAMMARS}/{}/{file}", self.name))
    }

    /// The text of a file that may be missing, as an expression.
    fn text(&self, file: &str) -> String {
        match self.folder.join(file).is_file() {
            true => self.included("include_str", file),
            false => "\"\"".to_owned(),
        }
    }

    /// The files of the folder itself, as Rust source.
    fn texts(&self) -> String {
        let [language, rules, guard] = ["language.toml", "reduce.scm", "guard.toml"].map(|file| self.text(file));
        format!("Texts {{ name: {:?}, language: {language}, rules: {rules}, guard: {guard} }}", self.name)
    }

    /// The files that the language takes over, as Rust source.
    fn inherited(&self, languages: &[Self]) -> String {
        let mut inherited = String::new();
        for ancestor in self.ancestors(languages) {
            inherited += &ancestor.texts();
            inherited += ", ";
        }
        format!("&[{inherited}]")
    }

    /// The row of a language whose parser is there, as Rust source.
    fn row(&self, languages: &[Self], lock: &Lock) -> String {
        let sample = match sample(&self.folder) {
            Some(file) => format!("Some(({file:?}, {}))", self.included("include_bytes", &file)),
            None => "None".to_owned(),
        };
        let krate = self.krate.replace('-', "_");
        let (constant, node_types) = (&self.section.constant, &self.section.node_types);
        let release = lock.release(&self.krate);
        let parser = format!(
            "Parser {{ language: {krate}::{constant}, node_types: {krate}::{node_types}, release: {release:?} }}"
        );

        // Only published algorithms need it, and it is larger than the rest of the folder.
        let mut row = String::from("    Folder {\n");
        for (field, value) in [
            ("name", format!("{:?}", self.name)),
            ("directory", format!("{:?}", format!("grammars/{}", self.name))),
            ("language", self.text("language.toml")),
            ("rules", self.text("reduce.scm")),
            ("guard", self.text("guard.toml")),
            ("user", "None".to_owned()),
            ("inherited", self.inherited(languages)),
            ("sample", sample),
            ("parser", parser),
            ("catalog", "&LANGUAGES".to_owned()),
        ] {
            writeln!(row, "        {field}: {value},").expect("writing to a string succeeds");
        }
        row + "    },\n"
    }

    /// The row of a language whose parser is not there, as Rust source.
    fn known_row(&self, languages: &[Self], lock: &Lock, feature: &str) -> String {
        let mut row = String::from("    NotBuiltIn {\n");
        for (field, value) in [
            ("texts", self.texts()),
            ("inherited", self.inherited(languages)),
            ("parser", format!("{:?}", lock.release(&self.krate))),
            ("feature", format!("{feature:?}")),
        ] {
            writeln!(row, "        {field}: {value},").expect("writing to a string succeeds");
        }
        row + "    },\n"
    }
}

/// The name of the folder's `sample.*`, if there is one.
fn sample(folder: &Path) -> Option<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(file_name(&entry.ok()?.path())))
        .filter(|name| name.starts_with("sample."))
        .collect();
    names.sort();
    names.into_iter().next()
}

fn file_name(path: &Path) -> String {
    path.file_name().expect("a listed entry has a name").to_string_lossy().into_owned()
}
