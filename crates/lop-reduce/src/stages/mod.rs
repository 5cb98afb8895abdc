//! The stages: the steps of the plans. A stage reads the best result, lets passes propose, and lets the session test.
//! Stages don't know each other.

pub(super) mod canonical;
pub(super) mod choices;
pub(super) mod closures;
pub(super) mod deletion;
mod edits;
pub(super) mod embedded;
pub(super) mod errors;
pub(super) mod files;
pub(super) mod finish;
pub(super) mod local;
pub(super) mod minimality;
pub(super) mod outside;
mod parts;
mod proposals;
pub(super) mod sweeps;
pub(super) mod text;
pub(super) mod turns;
pub(super) mod two_parts;
