//! The lines of a message below its headline, and hints that several messages share.

use std::io::{self, Write};

use lop_report::text::{self, HINT, STRONG};

/// The hint for a flaky test.
pub(super) const REPEATABLE: &str = "make the test repeatable (fixed seeds; no addresses, times or temporary names in the condition), or use \
                          --flaky";

/// The hint on how to choose the condition.
pub(crate) const BY_HAND: &str = "say what to keep with --stderr RE, --stdout RE, --signal NAME or --exit-code N";

/// Writes a named value.
pub(super) fn field(out: &mut dyn Write, name: &str, value: &str) -> io::Result<()> {
    writeln!(out, "  {STRONG}{name:<7}{STRONG:#} {}", text::one_line(value))
}

/// Writes a way out.
pub(super) fn hint_line(out: &mut dyn Write, hint: &str) -> io::Result<()> {
    writeln!(out, "{HINT}hint:{HINT:#} {}", text::one_line(hint))
}
