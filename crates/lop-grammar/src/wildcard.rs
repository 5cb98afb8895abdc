//! Whether a pattern of a query can start at every node.
//!
//! tree-sitter (0.27) counts such patterns, and takes that many from the front of its table. Disabling a pattern
//! removes it from the table but not from the count: then other patterns are tried at every node, or memory after the
//! table is read. So these patterns must stay enabled.

/// Whether a pattern, or a branch of it, starts with a wildcard. This includes some patterns that tree-sitter can find
/// by their content.
pub(super) fn begins_with_wildcard(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_wildcard = |at: usize| bytes.get(at) == Some(&b'_') && !bytes.get(at + 1).copied().is_some_and(is_name);
    // The brackets around the place, and whether each is a node's; the others are groups and alternations.
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let is_outside = open.iter().all(|is_node| !is_node);
        let length = |rest: &[u8], goes_on: fn(u8) -> bool| rest.iter().take_while(|&&byte| goes_on(byte)).count();
        at += 1;
        match byte {
            b';' => at += length(&bytes[at..], |byte| byte != b'\n'),
            b'"' => {
                while let Some(&byte) = bytes.get(at).filter(|&&byte| byte != b'"') {
                    at += if byte == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'@' | b'#' => at += bytes[at..].iter().take_while(|&&byte| is_name(byte)).count(),
            b'[' => open.push(false),
            b']' | b')' => drop(open.pop()),
            b'(' => {
                at += length(&bytes[at..], |byte| byte.is_ascii_whitespace());
                if is_outside && is_wildcard(at) {
                    return true;
                }
                open.push(!matches!(bytes.get(at), Some(b'(' | b'[' | b'"')));
            }
            _ if is_name(byte) => {
                if is_outside && is_wildcard(at - 1) {
                    return true;
                }
                at += bytes[at..].iter().take_while(|&&byte| is_name(byte)).count();
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_counts_where_a_pattern_or_a_branch_begins() {
        for begins in [
            "(_) @body",
            "( _ (a) @b)",
            "_ @body",
            "((_ (_) @b) @c)",
            "[(a) (_)] @b",
            "([(a (_)) [(b) (_ (c))]] @d (#set! text \"x\"))",
            "; (a)\n(_ x: (b)) @c",
        ] {
            assert!(begins_with_wildcard(begins), "{begins}");
        }
        for begins in [
            "(a (_) @b)",
            "[(a (_)) (b x: (_) @_c)] @d",
            "((a) @_b (#eq? @_b \"(_\"))",
            "(_a) @b",
            "; (_)\n(a) @b",
            "[\"_\" \"\\\"(_\" (a_)] @b",
            "",
            "(",
            "\"\\",
        ] {
            assert!(!begins_with_wildcard(begins), "{begins}");
        }
    }
}
