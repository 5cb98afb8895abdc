//! The stages: the steps of the plans. A stage looks at the best result, lets passes propose, and has the session ask;
//! none knows what comes before or after it.

pub(super) mod closures;
pub(super) mod deletion;
mod edits;
pub(super) mod embedded;
pub(super) mod errors;
pub(super) mod files;
pub(super) mod finish;
pub(super) mod local;
pub(super) mod minimality;
mod parts;
mod proposals;
pub(super) mod sweeps;
pub(super) mod text;
pub(super) mod turns;
