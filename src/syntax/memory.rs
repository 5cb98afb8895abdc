//! The memory that a parse takes, as far as the system tells.

use std::fs;

/// Steps do not bound the memory of a text with many readings side by side: 256 KB of comparisons in C++ that may be
/// templates took 0.6 GB in a third of the steps that they may take. A parse may take the first of these, and the second
/// for each byte of its text. A list of one-digit numbers, which has the most nodes, takes 230 bytes for each.
const AT_LEAST: usize = 96 << 20;
const PER_BYTE: usize = 320;

/// Watches the memory of a parse.
#[derive(Default)]
pub(super) struct Watch {
    /// Bytes of the process at the first look.
    at_first: Option<usize>,
}

impl Watch {
    /// Whether the process has come to take more than the parse of a text of this length may.
    pub(super) fn is_over(&mut self, len: usize) -> bool {
        let Some(now) = resident() else { return false };
        let at_first = *self.at_first.get_or_insert(now);
        now.saturating_sub(at_first) > AT_LEAST + PER_BYTE.saturating_mul(len)
    }
}

/// Bytes of memory that this process takes; `None` where the system does not tell.
fn resident() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<usize>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_a_short_parse_is_no_matter() {
        let mut watch = Watch::default();
        assert!(!watch.is_over(0), "nothing has come since");
        watch.at_first = watch.at_first.map(|_| 0);
        assert!(!watch.is_over(1 << 30), "a gigabyte may take more than this program");
    }
}
