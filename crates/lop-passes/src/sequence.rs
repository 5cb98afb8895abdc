//! Sequences: lists of units, any subset of which can be removed.

use lop_grammar::RuleId;
use lop_syntax::{Edit, NodeId};

use super::removal::Nodes;

/// The changes that remove a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Removes these nodes with their separators.
    Nodes(Nodes),
    /// Makes these edits.
    Edits(Vec<Edit>),
}

/// A part that can be removed separately.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The changes that remove it.
    pub removal: Removal,
    /// Number of tokens that it removes, for the order of the sequences.
    pub tokens: u32,
    /// Whether its removal is known to make no new syntax errors, so that the gate need not parse the candidate.
    pub known_to_parse: bool,
}

/// A list of units; any subset can be removed. The units are the siblings below one node, or another row of similar
/// parts.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The kind of list for the model; kinds of parents, and numbers from [`list_kind`] for rows
    /// that are not siblings.
    pub kind: u32,
    /// Distance of the list from the root; [`NO_DEPTH`] for rows that are not siblings.
    pub depth: u32,
    /// The units in the order of the text.
    pub units: Vec<Unit>,
    /// The grammar's rules that made each unit; empty if no rule made the list.
    pub rules: Vec<Vec<RuleId>>,
    /// The memory of rejections.
    pub remembered: Remembered,
}

/// The memory of a sequence's rejections. A remembered one isn't tried again until the text has become much smaller.
#[derive(Clone, Debug, Default)]
pub enum Remembered {
    /// Not at all.
    #[default]
    None,
    /// For each unit, by its node and the question.
    Nodes(Ask, Vec<NodeId>),
    /// For each unit, by a memory key that doesn't depend on its position.
    Units(Vec<u64>),
    /// For all units together if none was removed, by the memory keys of the parts around them.
    Whole(Vec<u64>),
}

/// The questions about a node, which are remembered separately.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ask {
    /// Can it be removed with its separator?
    Unit,
    /// Can it be removed with its separator and the definitions that it leaves unreferenced?
    Coupled,
    /// Can it be removed with all other definitions of its name?
    Definition,
    /// Can it be emptied?
    Body,
    /// Can this token be removed alone?
    Token,
}

impl Sequence {
    /// Makes a sequence of units that aren't siblings, without rules and memory.
    #[must_use]
    pub fn of(kind: u32, units: Vec<Unit>) -> Self {
        Sequence { kind, depth: NO_DEPTH, units, rules: Vec::new(), remembered: Remembered::None }
    }

    /// Sets how rejections are remembered.
    #[must_use]
    pub fn remembered(self, remembered: Remembered) -> Self {
        Sequence { remembered, ..self }
    }

    /// Whether it contains definitions whose names appear nowhere else.
    #[must_use]
    pub fn is_of_definitions(&self) -> bool {
        self.kind == list_kind::UNREFERENCED
    }

    /// Keeps only the units for which `keep` is `true`, in their order.
    pub fn retain(&mut self, keep: &[bool]) {
        fn of<T>(all: &mut Vec<T>, keep: &[bool]) {
            let mut keep = keep.iter();
            all.retain(|_| keep.next().is_some_and(|keep| *keep));
        }
        of(&mut self.units, keep);
        of(&mut self.rules, keep);
        match &mut self.remembered {
            Remembered::Nodes(_, nodes) => of(nodes, keep),
            Remembered::Units(memos) => of(memos, keep),
            Remembered::None | Remembered::Whole(_) => {}
        }
    }

    /// Counts the tokens of all units.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.units.iter().map(|u| u64::from(u.tokens)).sum()
    }
}

/// The depth of rows that are not the children of one node.
pub const NO_DEPTH: u32 = u32::MAX;

/// Numbers of list kinds that are not kinds of syntax nodes.
pub mod list_kind {
    /// Comments of the whole text.
    pub const COMMENTS: u32 = 1 << 16;
    /// Definitions whose names appear nowhere else.
    pub const UNREFERENCED: u32 = COMMENTS + 1;
    /// Bodies of definitions; see [`bodies`].
    const BODIES: u32 = COMMENTS + 2;
    /// Shells of nested nodes.
    pub const CHAIN: u32 = COMMENTS + 3;
    /// Tokens of the whole text.
    pub const TOKENS: u32 = COMMENTS + 4;
    /// Lines.
    pub const LINES: u32 = COMMENTS + 5;
    /// Words.
    pub const WORDS: u32 = COMMENTS + 6;
    /// Characters.
    pub const CHARACTERS: u32 = COMMENTS + 7;
    /// All nodes of one level of the tree.
    pub const LEVEL: u32 = COMMENTS + 8;
    /// Numbers and texts that could be simpler.
    pub const LITERALS: u32 = COMMENTS + 9;
    /// Names that could be shorter.
    pub const NAMES: u32 = COMMENTS + 10;
    /// Blanks between tokens.
    pub const LAYOUT: u32 = COMMENTS + 11;
    /// Rows of passes without an own number.
    pub const OTHER: u32 = COMMENTS + 12;
    /// Texts that can be removed anywhere.
    pub const CLEAN: u32 = COMMENTS + 13;
    /// Files of a project.
    pub const FILES: u32 = COMMENTS + 14;
    /// The contents of files of a project.
    pub const CONTENTS: u32 = COMMENTS + 15;

    /// Groups of conditional lines.
    pub const CONDITIONALS: u32 = COMMENTS + 16;

    /// Definitions whose names become a constant.
    pub const CONSTANTS: u32 = COMMENTS + 17;

    /// Bytes that become zeros.
    pub const ZEROS: u32 = COMMENTS + 18;

    /// Definitions that differ in their names only.
    pub const ALIKE: u32 = COMMENTS + 19;

    /// Parts that could have another form.
    pub const FORMS: u32 = COMMENTS + 20;

    /// The bits of the numbers above.
    const BITS: u32 = 17;

    /// Bodies of a kind: emptying a function's body and a class's body have different chances.
    #[must_use]
    pub const fn bodies(kind: u16) -> u32 {
        BODIES | (kind as u32) << BITS
    }
}
