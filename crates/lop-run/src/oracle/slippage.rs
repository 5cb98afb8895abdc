//! Other crashes that a test meets by the way, grouped by *signature*.
//!
//! Another crash is a death by a signal that indicates a bug, or an exit code that the user has named. Two crashes are
//! the same if they end the same way and their first line that looks like an error is the same, apart from numbers,
//! addresses and directories.

use regex::bytes::Regex;

use super::signal::{signal_name, signal_number};
use super::{Exit, Outcome, char_boundary};

/// Signals that a program causes itself. Others (kills, limits of time or space) come from outside.
const CRASHES: [&str; 7] = ["SEGV", "ABRT", "BUS", "FPE", "ILL", "SYS", "TRAP"];

/// Maximum length of a signature in bytes: crashes differ at its start.
const LONGEST: usize = 200;

/// A line with one of these words looks like an error.
const ERROR: &str =
    "(?i)error|exception|assert|panic|fatal|abort|sanitizer|unreachable|segmentation fault|overflow|internal|bug";
/// The parts that differ between two runs into the same crash: directories, and addresses and numbers.
const DIRECTORY: &str = r#"(?:[^\s'"`()\[\]=:,;]*/)+"#;
const NUMBER: &str = r"(?i)0x[0-9a-f]+|\b[0-9a-f]{8,}\b|[0-9]+";

/// Knows another crash when it sees one.
#[derive(Clone, Debug)]
pub(super) struct Slippage {
    /// Exit codes that mean a crash.
    codes: Vec<i32>,
    /// Whether a death by a signal is one.
    signals: bool,
    error: Regex,
    directory: Regex,
    number: Regex,
}

impl Slippage {
    /// Looks for these exit codes, and with `signals` for deaths by a signal. Returns `None` if there is nothing to
    /// look for.
    pub(super) fn new(codes: &[i32], signals: bool) -> Option<Self> {
        let regex = |pattern| Regex::new(pattern).expect("the patterns are constants and well formed");
        (signals || !codes.is_empty()).then(|| Slippage {
            codes: codes.to_vec(),
            signals,
            error: regex(ERROR),
            directory: regex(DIRECTORY),
            number: regex(NUMBER),
        })
    }

    /// Returns the signature of the crash that a run shows, from the ends of its outputs; `None` if it shows none.
    pub(super) fn signature(&self, exit: Exit, outputs: [&[u8]; 2]) -> Option<String> {
        let ending = match exit {
            Exit::Code(code) if self.codes.contains(&code) => format!("exit code {code}"),
            Exit::Code(code) if self.signals => crash(code.checked_sub(128)?)?.to_owned(),
            Exit::Signal(number) if self.signals => crash(number)?.to_owned(),
            _ => return None,
        };
        let line = outputs.into_iter().find_map(|output| self.error_line(output));
        Some(line.map_or_else(|| ending.clone(), |line| format!("{ending}: {line}")))
    }

    /// Returns the first line that looks like an error, without the parts that differ from run to run.
    fn error_line(&self, output: &[u8]) -> Option<String> {
        let mut lines = output.split(|&byte| byte == b'\n');
        // In the end of a long output, the first line can be incomplete.
        if output.len() >= Outcome::TAIL {
            lines.next();
        }
        let line = lines.find(|line| self.error.is_match(line))?;
        let line = self.directory.replace_all(line, &b""[..]);
        let line = self.number.replace_all(&line, &b"N"[..]);
        let mut text = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        text.truncate(char_boundary(&text, LONGEST));
        Some(text)
    }
}

/// The name of a signal that a program brings upon itself.
pub(super) fn crash(number: i32) -> Option<&'static str> {
    CRASHES.iter().any(|name| signal_number(name) == Ok(number)).then(|| signal_name(number)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(exit: Exit, stderr: &str) -> Option<String> {
        Slippage::new(&[7], true).expect("there is something to look for").signature(exit, [stderr.as_bytes(), b""])
    }

    #[test]
    fn deaths_of_bugs_and_chosen_codes_are_crashes() {
        assert_eq!(of(Exit::Signal(11), "").as_deref(), Some("SIGSEGV"));
        assert_eq!(of(Exit::Code(134), "").as_deref(), Some("SIGABRT"), "as a shell says it");
        assert_eq!(of(Exit::Code(7), "").as_deref(), Some("exit code 7"));
        for exit in [Exit::Code(0), Exit::Code(1), Exit::Code(128), Exit::Signal(9), Exit::Code(137), Exit::TimedOut] {
            assert_eq!(of(exit, "error"), None, "{exit}");
        }
        let codes = Slippage::new(&[7], false).expect("there is something to look for");
        assert_eq!(codes.signature(Exit::Signal(11), [b"", b""]), None, "nobody asked for signals");
        assert!(Slippage::new(&[], false).is_none());
    }

    #[test]
    fn one_crash_has_one_signature_wherever_and_whenever_it_happens() {
        let one =
            of(Exit::Signal(6), "reading\n/tmp/lop-a1/slot-3/x.c:12:7: internal error in fold (0x7ffd3e00)\nmore\n");
        let two = of(Exit::Signal(6), "/dev/shm/b/x.c:9:1: internal error in fold (0x55aa)\n");
        assert_eq!(one.as_deref(), Some("SIGABRT: x.c:N:N: internal error in fold (N)"));
        assert_eq!(one, two);
        assert_ne!(one, of(Exit::Signal(6), "x.c:9:1: internal error in unfold (0x55aa)\n"));
        let report =
            "==4711==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000011 at pc 0x0000004f\n";
        let expected = "SIGABRT: ==N==ERROR: AddressSanitizer: heap-buffer-overflow on address N at pc N";
        assert_eq!(of(Exit::Signal(6), report).as_deref(), Some(expected));
    }

    #[test]
    fn a_signature_is_short_and_the_start_of_a_cut_output_is_no_line() {
        let long = of(Exit::Code(7), &format!("error: {}", "é".repeat(500))).expect("a crash");
        assert!(long.len() <= LONGEST + 20, "{}", long.len());
        let cut = format!("half an error\nwhole error\n{}", "x\n".repeat(Outcome::TAIL / 2));
        assert_eq!(of(Exit::Code(7), &cut).as_deref(), Some("exit code 7: whole error"));
    }
}
