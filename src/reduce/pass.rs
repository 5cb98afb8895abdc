//! The passes by name: what each does, and which of them a run makes.

/// A kind of proposal, as `lop passes` lists it and the summary counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pass {
    /// Large parts of a dense text, before a tree of it is made.
    Outline,
    /// Comments, all in one test.
    Comments,
    /// Definitions whose names stand nowhere else.
    Unreferenced,
    /// Elements of lists, statements, declarations: the units of the tree.
    Siblings,
    /// Bodies of definitions that stay.
    Bodies,
    /// Levels of deep nesting.
    Chains,
    /// A descendant in the place of its ancestor.
    Hoist,
    /// A shortest text that the grammar allows.
    Minimal,
    /// A block's inside in the place of its statement.
    Splice,
    /// A part in the place of the whole, by a rule.
    Lift,
    /// Runs of tokens.
    Tokens,
    /// A bracket with its partner.
    Pairs,
    /// What a rule's template makes of a node.
    Rewrite,
    /// Edits in several places that a rule ties together.
    Groups,
    /// A definition in the place of its declaration.
    Forward,
    /// A parameter with its arguments.
    Parameters,
    /// A name replaced by what it stands for.
    Aliases,
    /// A declaration moved outwards.
    Globalise,
    /// A call replaced by what is called.
    Inline,
    /// Different texts of one kind made the same.
    Unify,
    /// A statement replaced by the inside of any block in it.
    DeepSplice,
    /// A name replaced by another, and its definition gone.
    Merge,
    /// Numbers and texts made simple.
    Literals,
    /// Characters of literals, ERROR regions and leftovers.
    Characters,
    /// Short names.
    Rename,
    /// Blanks and line breaks.
    Whitespace,
    /// Blanks in the place of text, where the layout matters.
    Blanks,
    /// Lines, where there is no tree.
    Lines,
    /// Words, where there is no tree.
    Words,
    /// Everything that is left, one by one.
    Minimality,
}

/// When a pass has its turn: a later stage begins when the ones before it find nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Once, before everything else.
    First,
    /// What can go as a whole.
    Deletion,
    /// Nodes that become smaller.
    LocalEdits,
    /// Tokens, whatever the tree says.
    Tokens,
    /// What the language's rules describe.
    Rules,
    /// What leads astray while there is still much to do.
    Late,
    /// What is inside tokens.
    Characters,
    /// How it looks.
    Finish,
    /// Text without a tree.
    Text,
    /// The guarantee at the end.
    Guarantee,
}

impl Stage {
    /// The stage's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Deletion => "deletion",
            Self::LocalEdits => "local edits",
            Self::Tokens => "tokens",
            Self::Rules => "rules",
            Self::Late => "late",
            Self::Characters => "characters",
            Self::Finish => "finish",
            Self::Text => "text without a grammar",
            Self::Guarantee => "guarantee",
        }
    }
}

impl Pass {
    /// All passes, in the order of their stages.
    pub const ALL: [Self; 30] = [
        Self::Outline,
        Self::Comments,
        Self::Unreferenced,
        Self::Siblings,
        Self::Bodies,
        Self::Chains,
        Self::Hoist,
        Self::Minimal,
        Self::Splice,
        Self::Lift,
        Self::Tokens,
        Self::Pairs,
        Self::Rewrite,
        Self::Groups,
        Self::Forward,
        Self::Parameters,
        Self::Aliases,
        Self::Globalise,
        Self::Inline,
        Self::Unify,
        Self::DeepSplice,
        Self::Merge,
        Self::Literals,
        Self::Characters,
        Self::Rename,
        Self::Whitespace,
        Self::Blanks,
        Self::Lines,
        Self::Words,
        Self::Minimality,
    ];

    /// The pass's name on the command line and in the summary.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.parts().0
    }

    /// When it has its turn.
    #[must_use]
    pub fn stage(self) -> Stage {
        self.parts().1
    }

    /// What it does, in a line.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.parts().2
    }

    /// The pass with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pass| pass.name() == name)
    }

    /// Whether it does nothing without rules of the language.
    #[must_use]
    pub fn needs_rules(self) -> bool {
        self.stage() == Stage::Rules
            || matches!(self, Self::Unreferenced | Self::Bodies | Self::Splice | Self::Lift | Self::Merge)
    }

    const fn parts(self) -> (&'static str, Stage, &'static str) {
        match self {
            Self::Outline => {
                ("outline", Stage::First, "halves to eighths of a large text whose tree would take too much memory")
            }
            Self::Comments => ("comments", Stage::First, "comments, all in one test if they can go together"),
            Self::Unreferenced => ("unreferenced", Stage::Deletion, "definitions whose names stand nowhere else"),
            Self::Siblings => ("siblings", Stage::Deletion, "runs of statements, declarations and elements of lists"),
            Self::Bodies => ("bodies", Stage::Deletion, "bodies of definitions that stay"),
            Self::Chains => ("chains", Stage::LocalEdits, "levels of deep nesting: brackets in brackets, a + b + c"),
            Self::Hoist => ("hoist", Stage::LocalEdits, "a part takes the place of a whole of the same class"),
            Self::Minimal => ("minimal", Stage::LocalEdits, "a part becomes the shortest text that may stand there"),
            Self::Splice => ("splice", Stage::LocalEdits, "the inside of a block takes its statement's place"),
            Self::Lift => ("lift", Stage::LocalEdits, "a part takes the place of a whole of another class, by a rule"),
            Self::Tokens => ("tokens", Stage::Tokens, "runs of up to eight tokens, whatever they are part of"),
            Self::Pairs => ("pairs", Stage::Tokens, "brackets with their partners"),
            Self::Rewrite => ("rewrite", Stage::Rules, "what a rule's template makes of a node"),
            Self::Groups => ("groups", Stage::Rules, "edits in several places that only a rule ties together"),
            Self::Forward => ("forward", Stage::Rules, "definitions take the place of their declarations"),
            Self::Parameters => ("parameters", Stage::Rules, "parameters, with the arguments of all calls"),
            Self::Aliases => ("aliases", Stage::Rules, "names replaced everywhere by what they stand for"),
            Self::Globalise => ("globalise", Stage::Rules, "declarations moved out of what encloses them"),
            Self::Inline => ("inline", Stage::Rules, "calls replaced by the body of what they call"),
            Self::Unify => ("unify", Stage::Rules, "equal texts replaced by a simpler one, all together"),
            Self::DeepSplice => {
                ("deep-splice", Stage::Late, "the inside of any block takes the place of a statement around it")
            }
            Self::Merge => ("merge", Stage::Late, "definitions go, and another of their kind stands in for them"),
            Self::Literals => ("literals", Stage::Late, "numbers and texts become simple ones"),
            Self::Characters => ("characters", Stage::Characters, "characters of literals, errors and leftovers"),
            Self::Rename => ("rename", Stage::Finish, "names become short"),
            Self::Whitespace => {
                ("whitespace", Stage::Finish, "blanks and line breaks go, or are put where they are read best")
            }
            Self::Blanks => (
                "blanks",
                Stage::Finish,
                "where layout or comments matter: parts become blanks, blanks and letters of names go one by one",
            ),
            Self::Lines => ("lines", Stage::Text, "runs of lines"),
            Self::Words => ("words", Stage::Text, "runs of words"),
            Self::Minimality => ("minimality", Stage::Guarantee, "everything that is left, one by one"),
        }
    }
}

/// Which passes a run makes: all of them by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    /// Only these; all if empty.
    pub only: Vec<Pass>,
    /// Not these.
    pub skip: Vec<Pass>,
}

impl Passes {
    /// Whether a pass has its turn.
    #[must_use]
    pub fn allow(&self, pass: Pass) -> bool {
        (self.only.is_empty() || self.only.contains(&pass)) && !self.skip.contains(&pass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_passes_are_listed_once_in_the_order_of_their_stages() {
        assert!(Pass::ALL.is_sorted_by_key(|pass| pass.stage()));
        for pass in Pass::ALL {
            assert_eq!(Pass::named(pass.name()), Some(pass));
            assert_eq!(Pass::ALL.iter().filter(|other| **other == pass).count(), 1);
        }
    }

    #[test]
    fn what_is_skipped_is_skipped_and_only_means_only() {
        let all = Passes::default();
        assert!(Pass::ALL.into_iter().all(|pass| all.allow(pass)));
        let only = Passes { only: vec![Pass::Hoist, Pass::Lift], skip: vec![Pass::Lift] };
        let allowed: Vec<_> = Pass::ALL.into_iter().filter(|pass| only.allow(*pass)).collect();
        assert_eq!(allowed, [Pass::Hoist]);
    }
}
