//! The complaints of a compiler's first stages about a text with C's brackets, strings, comments and
//! directives: for tests of malformed programs.

use std::collections::BTreeSet;

/// A complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Complaint {
    /// A bracket of this kind is never closed.
    Unclosed(u8),
    /// A closing bracket of this kind has no partner.
    Stray(u8),
    UnterminatedString,
    UnterminatedComment,
    UnclosedCondition,
    BadDirective,
    BadCharacter,
}

/// All complaints about a text.
pub(crate) fn complaints(text: &[u8]) -> BTreeSet<Complaint> {
    let mut found = BTreeSet::new();
    let (mut open, mut conditions, mut at) = (Vec::new(), 0_usize, 0);
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        let line = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        at += 1;
        match byte {
            b'/' if rest.starts_with(b"//") => at += line - 1,
            b'/' if rest.starts_with(b"/*") => match rest[2..].windows(2).position(|w| w == b"*/") {
                Some(length) => at += length + 3,
                None => {
                    found.insert(Complaint::UnterminatedComment);
                    break;
                }
            },
            b'"' => match rest[1..line].iter().position(|b| *b == b'"') {
                Some(length) => at += length + 1,
                None => {
                    found.insert(Complaint::UnterminatedString);
                    at += line - 1;
                }
            },
            b'#' => {
                let name = rest[1..line].iter().take_while(|b| b.is_ascii_alphabetic()).count();
                match &rest[1..=name] {
                    b"if" | b"ifdef" => conditions += 1,
                    b"endif" if conditions > 0 => conditions -= 1,
                    b"define" if rest[1 + name..line].iter().any(u8::is_ascii_alphabetic) => {}
                    _ => {
                        found.insert(Complaint::BadDirective);
                    }
                }
                at += name;
            }
            b'(' | b'[' | b'{' => open.push(byte),
            b')' | b']' | b'}' => {
                let partner = if byte == b')' { b'(' } else { byte - 2 };
                match open.iter().rposition(|b| *b == partner) {
                    Some(position) => {
                        found.extend(open.drain(position..).skip(1).map(Complaint::Unclosed));
                    }
                    None => {
                        found.insert(Complaint::Stray(byte));
                    }
                }
            }
            b'@' | b'`' | 0x80.. => {
                found.insert(Complaint::BadCharacter);
            }
            _ => {}
        }
    }
    found.extend(open.into_iter().map(Complaint::Unclosed));
    if conditions > 0 {
        found.insert(Complaint::UnclosedCondition);
    }
    found
}
