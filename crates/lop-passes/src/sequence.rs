//! Sequences: lists of units of which any subset can be removed.

use lop_grammar::RuleId;
use lop_syntax::{Edit, NodeId};

use super::removal::Nodes;

/// The changes of the text that take a unit out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// The nodes go, with the separators that belong to them.
    Nodes(Nodes),
    /// These edits are made.
    Edits(Vec<Edit>),
}

/// Something that can be taken out by itself.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The changes that take it out.
    pub removal: Removal,
    /// Tokens that go with it, for the order of the work.
    pub tokens: u32,
    /// A candidate without it is known to be no worse in syntax, so it need not be parsed.
    pub known_to_parse: bool,
}

/// A list of units of which any subset may go: the siblings below one node, or any other row of
/// things that are alike.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The kind of list for the model; kinds of parents, and numbers from [`list_kind`] for rows
    /// that are not siblings.
    pub kind: u32,
    /// Distance of the list from the root; [`NO_DEPTH`] for rows that are not siblings.
    pub depth: u32,
    /// The units in the order of the text.
    pub units: Vec<Unit>,
    /// The grammar's rules that each unit comes from; empty where no rule made the list.
    pub rules: Vec<Vec<RuleId>>,
    /// How it is remembered what of it was refused.
    pub remembered: Remembered,
}

/// How it is remembered what of a sequence was refused: it is not asked again before the text has become much smaller.
#[derive(Clone, Debug, Default)]
pub enum Remembered {
    /// Not at all.
    #[default]
    None,
    /// Of each unit that stays, by the node that it is about and what was asked.
    Nodes(Ask, Vec<NodeId>),
    /// Of each unit that stays, by a number that stands for it wherever it is.
    Units(Vec<u64>),
    /// Of all together when none went, by numbers that stand for the parts they are of.
    Whole(Vec<u64>),
}

/// The questions about a node: each is remembered by itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ask {
    /// May it go, with its separator?
    Unit,
    /// May it go, with its separator and the definitions that nothing refers to any more then?
    Coupled,
    /// May it go together with all other definitions of its name?
    Definition,
    /// May it be emptied?
    Body,
    /// May this token go, alone?
    Token,
}

impl Sequence {
    /// A row of units that are not siblings, which no rule made and of which nothing is remembered.
    #[must_use]
    pub fn of(kind: u32, units: Vec<Unit>) -> Self {
        Sequence { kind, depth: NO_DEPTH, units, rules: Vec::new(), remembered: Remembered::None }
    }

    /// The same, remembered so.
    #[must_use]
    pub fn remembered(self, remembered: Remembered) -> Self {
        Sequence { remembered, ..self }
    }

    /// Whether it holds definitions whose names are found nowhere else.
    #[must_use]
    pub fn is_of_definitions(&self) -> bool {
        self.kind == list_kind::UNREFERENCED
    }

    /// Leaves only the units of which this is said, in their order.
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

    /// Tokens of all its units.
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
    /// Definitions whose names are found nowhere else.
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
    /// All nodes of one level of the tree, whatever their parents are.
    pub const LEVEL: u32 = COMMENTS + 8;
    /// Numbers and texts that could be simpler.
    pub const LITERALS: u32 = COMMENTS + 9;
    /// Names that could be shorter.
    pub const NAMES: u32 = COMMENTS + 10;
    /// Blanks between tokens.
    pub const LAYOUT: u32 = COMMENTS + 11;
    /// Rows of passes that have no number of their own.
    pub const OTHER: u32 = COMMENTS + 12;
    /// Texts that may go anywhere.
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

    /// The bits of the numbers above.
    const BITS: u32 = 17;

    /// Bodies that are nodes of a kind: what empties those of functions is refused for those of classes.
    #[must_use]
    pub const fn bodies(kind: u16) -> u32 {
        BODIES | (kind as u32) << BITS
    }
}
