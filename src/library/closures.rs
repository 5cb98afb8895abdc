//! A page of the manual: how to write a test as a closure.
//!
#![doc = include_str!("../../docs/closures.md")]
