//! Embeds the productions of `productions/`, one file for each language.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("productions");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .expect("the folder of productions")
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let mut table = "&[\n".to_owned();
    for path in paths {
        let language = path.file_stem().expect("a name").to_string_lossy().into_owned();
        writeln!(table, "    ({language:?}, include_str!({path:?})),").expect("a string takes everything");
    }
    table.push(']');
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("productions.rs");
    fs::write(out, table).expect("cargo's own directory");
}
