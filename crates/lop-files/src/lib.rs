//! Safe files in directories that other users can write to ([`disk`]), trees of files ([`tree`]), and test cases of
//! several files as one text ([`project`]).
//!
//! Internal to lop: no version of this crate promises anything.

pub mod disk;
pub mod project;
pub mod tree;
