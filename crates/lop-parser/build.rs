//! Compiles the one file that is in C.

fn main() {
    println!("cargo::rerun-if-changed=src/bounded.c");
    cc::Build::new().file("src/bounded.c").std("c11").warnings(true).compile("lop-bounded");
}
