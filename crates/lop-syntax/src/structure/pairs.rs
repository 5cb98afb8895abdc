//! Pairs openings with their ends.
//!
//! An end belongs to the last open opening of its kind. Openings between the two without an end stay alone.

use std::collections::HashMap;
use std::ops::Range;

use super::lexer::{Class, Partner, Token};

/// The beginnings that are open.
#[derive(Default)]
pub(super) struct Open {
    open: Vec<(Partner, Range<usize>)>,
    counts: HashMap<Partner, usize>,
    strays: Vec<Range<usize>>,
}

impl Open {
    /// Takes note of a token.
    pub(super) fn see(&mut self, token: &Token) {
        match token.class {
            Class::Open(partner) => {
                self.open.push((partner, token.range()));
                *self.counts.entry(partner).or_default() += 1;
            }
            Class::Close(partner) if self.counts.get(&partner).is_none_or(|&open| open == 0) => {
                self.stray(partner, token.range());
            }
            Class::Close(partner) => {
                while let Some((opened, at)) = self.open.pop() {
                    self.counts.entry(opened).and_modify(|open| *open -= 1);
                    if opened == partner {
                        break;
                    }
                    self.stray(opened, at);
                }
            }
            Class::Quote => self.strays.push(token.range()),
            _ => {}
        }
    }

    fn stray(&mut self, partner: Partner, at: Range<usize>) {
        if !matches!(partner, Partner::Tag(_)) {
            self.strays.push(at);
        }
    }

    /// Everything that has no partner, in the order of the text.
    pub(super) fn strays(mut self) -> Vec<Range<usize>> {
        for (partner, at) in std::mem::take(&mut self.open) {
            self.stray(partner, at);
        }
        self.strays.sort_unstable_by_key(|at| at.start);
        self.strays
    }
}

/// Stands for no partner.
pub(super) const ALONE: u32 = u32::MAX;

/// For each token the position of the one that belongs to it.
pub(super) fn partners(tokens: &[Token]) -> Vec<u32> {
    let mut partners = vec![ALONE; tokens.len()];
    let mut open: Vec<(Partner, u32)> = Vec::new();
    let mut counts: HashMap<Partner, usize> = HashMap::new();
    for (token, at) in tokens.iter().zip(0_u32..) {
        match token.class {
            Class::Open(partner) => {
                open.push((partner, at));
                *counts.entry(partner).or_default() += 1;
            }
            Class::Close(partner) if counts.get(&partner).is_some_and(|&open| open > 0) => {
                while let Some((opened, from)) = open.pop() {
                    counts.entry(opened).and_modify(|open| *open -= 1);
                    if opened == partner {
                        partners[at as usize] = from;
                        partners[from as usize] = at;
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    partners
}
