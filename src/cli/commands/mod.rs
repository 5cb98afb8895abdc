//! What lop can be told to do.

pub mod compare;
pub mod doctor;
pub mod grammars;
pub mod passes;
pub mod reduce;
pub mod verify;
