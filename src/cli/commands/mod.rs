//! What lop can be told to do.

pub mod grammars;
pub mod reduce;
