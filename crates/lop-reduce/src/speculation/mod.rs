//! Speculation: continues copies of the search with expected outcomes instead of missing ones, and so finds the tests
//! that will be needed.
//!
//! A search needs each outcome before it chooses the next test. Speculation assumes the outcome that the search
//! expects, and gets to the following tests early, so that idle workers can run them. Each assumption also starts a
//! second branch with the other outcome. The most likely branches come first, as in a processor's branch prediction.
//! The search uses an early outcome only when it needs it, so a wrong assumption costs tests and nothing else.
//!
//! Each branch starts at a checkpoint, a copy of the state at a question, with the outcome that it assumes for this
//! question. Threads explore the branches and put their questions on the [`board`]; the session's thread only gives these
//! to idle workers.

mod assumptions;
pub(crate) mod board;
pub(crate) mod expectations;
