//! A JSON parser that goes on behind the usual faults and says which it has met: the tests of
//! malformed input ask it whether a text has one fault and no other.

use std::collections::BTreeSet;

/// A fault that a JSON text may have and still leave its meaning clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    BadEscape,
    BadHexEscape,
    LoneSurrogate,
    ControlCharacter,
    InvalidUtf8,
    LineEndInString,
    SingleQuotes,
    BareKey,
    NotANumber,
    WordForLiteral,
    LeadingZero,
    LeadingPlus,
    BareFraction,
    HexNumber,
    LineComment,
    BlockComment,
    NulByte,
    Bom,
    TrailingComma,
    DoubledComma,
    MissingComma,
    SemicolonForComma,
    MissingColon,
    EqualsForColon,
    MissingValue,
    WrongBracket,
    StrayBracket,
    Unclosed,
    UnclosedString,
    SecondDocument,
    Junk,
}

/// The faults of a text; `None` if it is more than these.
pub(crate) fn faults(text: &[u8]) -> Option<BTreeSet<Fault>> {
    let mut parser = Parser { text, at: 0, faults: BTreeSet::new(), depth: 0 };
    if text.starts_with(b"\xEF\xBB\xBF") {
        parser.at = 3;
        parser.faults.insert(Fault::Bom);
    }
    parser.blank()?;
    parser.value()?;
    parser.blank()?;
    while let Some(next) = parser.peek() {
        if matches!(next, b']' | b'}') {
            parser.at += 1;
            parser.faults.insert(Fault::StrayBracket);
        } else {
            parser.faults.insert(Fault::SecondDocument);
            parser.value()?;
        }
        parser.blank()?;
    }
    Some(parser.faults)
}

/// Deeper nesting than this is refused.
const MAX_DEPTH: usize = 1000;

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    faults: BTreeSet<Fault>,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.insert(fault);
    }

    fn eat(&mut self, byte: u8) -> bool {
        let eaten = self.peek() == Some(byte);
        self.at += usize::from(eaten);
        eaten
    }

    /// Passes `part` if it comes next.
    fn eat_all(&mut self, part: &[u8]) -> bool {
        let eaten = self.rest().starts_with(part);
        self.at += if eaten { part.len() } else { 0 };
        eaten
    }

    fn blank(&mut self) -> Option<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(0) => {
                    self.at += 1;
                    self.fault(Fault::NulByte);
                }
                Some(b'/') if self.rest().starts_with(b"//") => {
                    self.at += self.rest().iter().position(|b| *b == b'\n').unwrap_or(self.rest().len());
                    self.fault(Fault::LineComment);
                }
                Some(b'/') if self.rest().starts_with(b"/*") => {
                    self.at += 4 + self.rest()[2..].windows(2).position(|w| w == b"*/")?;
                    self.fault(Fault::BlockComment);
                }
                _ => return Some(()),
            }
        }
    }

    fn value(&mut self) -> Option<()> {
        match self.peek() {
            Some(b'{') => self.list(b'}', Self::pair),
            Some(b'[') => self.list(b']', Self::value),
            Some(quote @ (b'"' | b'\'')) => self.string(quote),
            Some(b'0'..=b'9' | b'-' | b'+' | b'.') => self.number(),
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.word(),
            _ => None,
        }
    }

    fn list(&mut self, close: u8, element: fn(&mut Self) -> Option<()>) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.at += 1;
        self.blank()?;
        let mut comma = false;
        loop {
            match self.peek() {
                None => {
                    self.fault(Fault::Unclosed);
                    break;
                }
                Some(end @ (b']' | b'}')) => {
                    self.at += 1;
                    if end != close {
                        self.fault(Fault::WrongBracket);
                    }
                    if comma {
                        self.fault(Fault::TrailingComma);
                    }
                    break;
                }
                Some(_) => element(self)?,
            }
            comma = self.commas()?;
        }
        self.depth -= 1;
        Some(())
    }

    /// Reads the text between two elements; tells whether it is a comma.
    fn commas(&mut self) -> Option<bool> {
        self.blank()?;
        let mut count = 0;
        while matches!(self.peek(), Some(b',' | b';')) {
            if self.peek() == Some(b';') {
                self.fault(Fault::SemicolonForComma);
            }
            count += 1;
            self.at += 1;
            self.blank()?;
        }
        if count > 1 {
            self.fault(Fault::DoubledComma);
        }
        if count == 0 && !matches!(self.peek(), Some(b']' | b'}') | None) {
            self.fault(Fault::MissingComma);
        }
        Some(count > 0)
    }

    fn pair(&mut self) -> Option<()> {
        match self.peek() {
            Some(quote @ (b'"' | b'\'')) => self.string(quote)?,
            Some(b'a'..=b'z' | b'A'..=b'Z') => {
                self.letters();
                self.fault(Fault::BareKey);
            }
            _ => return None,
        }
        self.blank()?;
        match self.peek() {
            None => return Some(()),
            Some(b':') => self.at += 1,
            Some(b'=') => {
                self.at += 1;
                self.fault(Fault::EqualsForColon);
            }
            Some(b',' | b'}') => {
                self.fault(Fault::MissingValue);
                return Some(());
            }
            Some(_) => self.fault(Fault::MissingColon),
        }
        self.blank()?;
        match self.peek() {
            None => Some(()),
            Some(b',' | b'}') => {
                self.fault(Fault::MissingValue);
                Some(())
            }
            Some(_) => self.value(),
        }
    }

    fn letters(&mut self) -> Vec<u8> {
        let length = self.rest().iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(self.rest().len());
        let letters = self.rest()[..length].to_vec();
        self.at += length;
        letters
    }

    fn word(&mut self) -> Option<()> {
        match self.letters().as_slice() {
            b"true" | b"false" | b"null" => {}
            b"NaN" | b"Infinity" => self.fault(Fault::NotANumber),
            b"True" | b"False" | b"None" | b"undefined" => self.fault(Fault::WordForLiteral),
            _ => self.fault(Fault::Junk),
        }
        Some(())
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Option<()> {
        if self.eat(b'+') {
            self.fault(Fault::LeadingPlus);
        } else {
            self.eat(b'-');
        }
        if self.eat_all(b"0x") {
            self.fault(Fault::HexNumber);
            return (!self.letters().is_empty()).then_some(());
        }
        if self.peek() == Some(b'I') {
            return self.word();
        }
        let start = self.at;
        let whole = self.digits();
        if whole > 1 && self.text[start] == b'0' {
            self.fault(Fault::LeadingZero);
        }
        if self.eat(b'.') {
            if self.digits() == 0 {
                return None;
            }
            if whole == 0 {
                self.fault(Fault::BareFraction);
            }
        } else if whole == 0 {
            return None;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            return (self.digits() > 0).then_some(());
        }
        Some(())
    }

    fn string(&mut self, quote: u8) -> Option<()> {
        self.at += 1;
        if quote == b'\'' {
            self.fault(Fault::SingleQuotes);
        }
        loop {
            let Some(byte) = self.peek() else {
                self.fault(Fault::UnclosedString);
                return Some(());
            };
            match byte {
                b'\n' => {
                    self.fault(Fault::LineEndInString);
                    return Some(());
                }
                b'\\' => self.escape(),
                0x80.. => {
                    let length = (1..=4).find(|n| {
                        self.rest().get(..*n).is_some_and(|character| std::str::from_utf8(character).is_ok())
                    });
                    if length.is_none() {
                        self.fault(Fault::InvalidUtf8);
                    }
                    self.at += length.unwrap_or(1);
                }
                _ => {
                    self.at += 1;
                    if byte == quote {
                        return Some(());
                    }
                    if byte < 0x20 {
                        self.fault(Fault::ControlCharacter);
                    }
                }
            }
        }
    }

    /// The number of an escape of four hexadecimal digits, if one comes next.
    fn hex_escape(&mut self) -> Option<u32> {
        let digits = self.rest().get(2..6).filter(|_| self.rest().starts_with(b"\\u"))?;
        let number = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        self.at += 6;
        Some(number)
    }

    fn escape(&mut self) {
        if !self.rest().starts_with(b"\\u") {
            self.at += 1;
            match self.peek() {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {}
                Some(_) => self.fault(Fault::BadEscape),
                None => return,
            }
            self.at += 1;
            return;
        }
        match self.hex_escape() {
            Some(0xD800..=0xDBFF) => {
                let high = self.at;
                if !matches!(self.hex_escape(), Some(0xDC00..=0xDFFF)) {
                    self.at = high;
                    self.fault(Fault::LoneSurrogate);
                }
            }
            Some(0xDC00..=0xDFFF) => self.fault(Fault::LoneSurrogate),
            Some(_) => {}
            None => {
                self.at += 2;
                self.fault(Fault::BadHexEscape);
            }
        }
    }
}
