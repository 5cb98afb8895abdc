//! Compiles the two files that are in C.

fn main() {
    println!("cargo::rerun-if-changed=src/bounded.c");
    println!("cargo::rerun-if-changed=structure/parser.c");
    cc::Build::new().file("src/bounded.c").std("c11").warnings(true).compile("lop-bounded");
    // Made by `tree-sitter generate structure/grammar.json`.
    cc::Build::new()
        .file("structure/parser.c")
        .include("structure")
        .std("c11")
        .warnings(false)
        .compile("lop-structure");
}
