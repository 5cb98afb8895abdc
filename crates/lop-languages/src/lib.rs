//! The languages that are built in: the folders of `grammars/`, with their parsers.
//!
//! Internal to lop: no version of this crate promises anything.

use lop_parser::{Catalog, Folder, NotBuiltIn, Parser, Texts};

/// The languages of the folders that were in `grammars/` when the program was built.
pub static LANGUAGES: Catalog = Catalog {
    built_in: include!(concat!(env!("OUT_DIR"), "/built_in.rs")),
    left_out: include!(concat!(env!("OUT_DIR"), "/left_out.rs")),
};

/// The platform that the parsers were built for, as cargo names it.
pub const TARGET: &str = env!("LOP_TARGET");
