//! Embeds the folders of `grammars/` into the program, and does nothing else.
//!
//! Each folder is one language. Its files are included as they are; from `parser` in its
//! `language.toml` the path of the parser crate's constants is made, so that no language is named
//! in `src/` and a new one costs a line in `Cargo.toml` and a folder here.

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
}

fn default_constant() -> String {
    "LANGUAGE".to_owned()
}

fn default_node_types() -> String {
    "NODE_TYPES".to_owned()
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=grammars");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets the manifest directory"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets the output directory"));

    let mut table = String::from("&[\n");
    for folder in folders(&root.join("grammars")) {
        let name = file_name(&folder);
        table.push_str(&entry(&folder, &name).unwrap_or_else(|problem| panic!("grammars/{name}/{problem}")));
    }
    table.push_str("]\n");
    fs::write(out.join("grammars.rs"), table).expect("the output directory is writable");
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

/// One row of the embedded table, as Rust source.
fn entry(folder: &Path, name: &str) -> Result<String, String> {
    let text = fs::read_to_string(folder.join("language.toml")).map_err(|error| format!("language.toml: {error}"))?;
    let file: LanguageFile = toml::from_str(&text).map_err(|error| format!("language.toml: {error}"))?;
    let krate = file
        .language
        .parser
        .strip_prefix("builtin:")
        .ok_or_else(|| format!("language.toml: parser `{}` does not start with `builtin:`", file.language.parser))?
        .replace('-', "_");

    // The path is put together by the compiler: nothing of this machine's paths is written down.
    let include =
        |file: &str| format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?})", format!("/grammars/{name}/{file}"));
    let text = |file: &str| match folder.join(file).is_file() {
        true => format!("include_str!({})", include(file)),
        false => "\"\"".to_owned(),
    };
    let sample = match sample(folder) {
        Some(file) => format!("Some(({file:?}, include_bytes!({})))", include(&file)),
        None => "None".to_owned(),
    };

    let mut row = String::new();
    writeln!(row, "    Folder {{").expect("writing to a string succeeds");
    writeln!(row, "        name: {name:?},").expect("writing to a string succeeds");
    writeln!(row, "        language: include_str!({}),", include("language.toml"))
        .expect("writing to a string succeeds");
    writeln!(row, "        rules: {},", text("reduce.scm")).expect("writing to a string succeeds");
    writeln!(row, "        productions: {},", text("grammar.json")).expect("writing to a string succeeds");
    writeln!(row, "        guard: {},", text("guard.toml")).expect("writing to a string succeeds");
    writeln!(row, "        sample: {sample},").expect("writing to a string succeeds");
    writeln!(
        row,
        "        parser: Parser {{ language: {krate}::{}, node_types: {krate}::{} }},",
        file.language.constant, file.language.node_types
    )
    .expect("writing to a string succeeds");
    writeln!(row, "    }},").expect("writing to a string succeeds");
    Ok(row)
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
