//! A text as a list of units: lines, tokens or characters, and the candidates made of them.

use std::collections::HashMap;

use crate::compare::Subject;

use crate::algorithm::Stopped;
use lop_engine::{BitSet, Verdict};
use lop_grammar::Grammar;
use lop_syntax::{Document, Edit, ParseError};

/// The units a text is cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granularity {
    /// Lines.
    Line,
    /// Tokens of the grammar; words where there is none.
    Token,
    /// Characters.
    Char,
    /// Not a list: whole reductions along the syntax tree.
    Tree,
}

/// A text and the edits that take its units out.
#[derive(Debug)]
pub(super) struct Units {
    text: Vec<u8>,
    edits: Vec<Edit>,
}

impl Units {
    /// Cuts a text. The tree as one list is its tokens.
    ///
    /// # Errors
    /// When the text has no syntax tree and needs one.
    pub(super) fn cut(text: &[u8], granularity: Granularity, grammar: Option<&Grammar>) -> Result<Self, ParseError> {
        let all = 0..text.len();
        let edits = match (granularity, grammar) {
            (Granularity::Line, _) => lop_syntax::lines(text).map(Edit::delete_raw).collect(),
            (Granularity::Char, _) => lop_syntax::characters(text, all).map(Edit::delete_raw).collect(),
            (_, None) => lop_syntax::words(text, all).map(Edit::delete_raw).collect(),
            (_, Some(grammar)) => {
                let document = Document::parse(&mut grammar.parser()?, text.to_vec())?;
                lop_passes::tokens(&document, grammar).map(|token| Edit::delete(document.node(token).range())).collect()
            }
        };
        Ok(Units { text: text.to_vec(), edits })
    }

    /// Number of units.
    pub(super) fn len(&self) -> usize {
        self.edits.len()
    }

    /// The candidate without the units in `gone`.
    pub(super) fn without(&self, gone: &BitSet) -> Vec<u8> {
        let edits = gone.ones().map(|unit| self.edits[unit].clone()).collect();
        lop_syntax::render(&self.text, edits).text
    }
}

/// Judges several texts, all at the same time if it can.
pub type JudgeTexts<'a> = Box<dyn FnMut(Vec<Vec<u8>>) -> Result<Vec<Verdict>, Stopped> + 'a>;

/// The units of a text under a test of texts. The verdict on a text is known for every later algorithm: one
/// that asks again is charged, but the test does not run.
pub(super) struct TextSubject<'a> {
    units: Units,
    sizes: Vec<u32>,
    known: HashMap<u64, Verdict>,
    judge: JudgeTexts<'a>,
}

impl<'a> TextSubject<'a> {
    pub(super) fn new(units: Units, judge: JudgeTexts<'a>) -> Self {
        TextSubject { sizes: vec![1; units.len()], units, known: HashMap::new(), judge }
    }
}

/// 64 bits of BLAKE3: a comparison has too few candidates for two to meet in them.
fn key(text: &[u8]) -> u64 {
    let hash = blake3::hash(text);
    let mut key = [0; 8];
    key.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(key)
}

impl Subject for TextSubject<'_> {
    fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Of two equal units in a row it makes no difference which one goes.
    fn key(&self, gone: &BitSet) -> u64 {
        key(&self.units.without(gone))
    }

    fn judge(&mut self, candidates: &[BitSet]) -> Result<Vec<Verdict>, Stopped> {
        let texts: Vec<Vec<u8>> = candidates.iter().map(|gone| self.units.without(gone)).collect();
        let keys: Vec<u64> = texts.iter().map(|text| key(text)).collect();
        let new = keys.iter().zip(texts).filter(|(key, _)| !self.known.contains_key(key));
        let (new_keys, new): (Vec<u64>, Vec<Vec<u8>>) = new.map(|(key, text)| (*key, text)).unzip();
        if !new.is_empty() {
            let verdicts = (self.judge)(new)?;
            self.known.extend(new_keys.into_iter().zip(verdicts));
        }
        Ok(keys.iter().map(|key| self.known[key]).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use crate::compare::Subject;

    use super::{Granularity, TextSubject, Units};
    use lop_engine::{BitSet, Verdict};

    fn gone(len: usize, units: impl IntoIterator<Item = usize>) -> BitSet {
        let mut gone = BitSet::with_capacity(len);
        units.into_iter().for_each(|unit| {
            gone.insert(unit);
        });
        gone
    }

    #[test]
    fn a_text_is_cut_into_lines_words_or_characters() {
        let rows = [(Granularity::Line, 2, "cd"), (Granularity::Token, 5, " b\ncd"), (Granularity::Char, 6, " b\ncd")];
        for (granularity, len, without_first) in rows {
            let units = Units::cut(b"a b\ncd", granularity, None).expect("no tree is needed");
            assert_eq!(units.len(), len);
            assert_eq!(units.without(&gone(len, [])), b"a b\ncd");
            assert_eq!(units.without(&gone(len, [0])), without_first.as_bytes());
            assert_eq!(units.without(&gone(len, 0..len)), b"");
        }
    }

    #[test]
    fn a_text_is_judged_once_for_all() {
        let runs = Cell::new(0);
        let units = Units::cut(b"aab", Granularity::Char, None).expect("no tree is needed");
        let judge = |texts: Vec<Vec<u8>>| {
            runs.set(runs.get() + texts.len());
            Ok(texts.iter().map(|text| if text == b"ab" { Verdict::Interesting } else { Verdict::Invalid }).collect())
        };
        let mut subject = TextSubject::new(units, Box::new(judge));
        let (first, second) = (gone(3, [0]), gone(3, [1]));
        assert_eq!(subject.key(&first), subject.key(&second));
        assert_ne!(subject.key(&first), subject.key(&gone(3, [2])));
        for _ in 0..2 {
            assert_eq!(subject.judge(&[first.clone(), gone(3, [2])]), Ok(vec![Verdict::Interesting, Verdict::Invalid]));
        }
        assert_eq!(subject.judge(&[second]), Ok(vec![Verdict::Interesting]));
        assert_eq!(runs.get(), 2);
    }
}
