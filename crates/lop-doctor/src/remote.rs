//! Compares this machine with the one that tests run on: the outcome for the input, and the versions of the programs in
//! the test.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::time::Duration;

use lop_reduce::BASELINE_DEADLINE;
use lop_run::oracle::{Cancel, CommandOracle, Conditions, Oracle, Outcome, Slot, has_program};

use super::{Finding, Level};

/// Maximum number of programs to look up: most words of a longer script aren't programs.
const MOST: usize = 60;
/// Maximum number of bytes to read of a script.
const LONGEST: usize = 64 << 10;
/// Maximum number of differences to show.
const SHOWN: usize = 8;

/// Prints the version of each program, or that it is missing.
const VERSIONS: &str = "for p in \"$@\"; do \
    if command -v \"$p\" >/dev/null 2>&1; then printf '%s\\t%s\\n' \"$p\" \"$(\"$p\" --version </dev/null 2>/dev/null | head -n 1)\"; \
    else printf '%s\\tmissing\\n' \"$p\"; fi; done; printf 'machine\\t%s\\n' \"$(uname -sm)\"; exit 0";

/// The two machines.
#[derive(Clone, Debug)]
pub struct RemoteComparison {
    /// The name of the other machine.
    pub place: String,
    /// The run on the input on this machine.
    pub here: Outcome,
    /// The programs that differ: the name, and the versions here and there.
    pub programs: Vec<(String, String, String)>,
    /// The number of equal programs.
    pub same: usize,
}

/// Runs the test on the input here, and looks up the programs in the test on both machines. Returns `None` if tests run
/// here.
pub(super) fn compare(
    oracle: &CommandOracle,
    words: &[OsString],
    content: &[u8],
    deadline: Duration,
    slot: &mut Slot,
    cancel: &Cancel,
) -> Option<RemoteComparison> {
    let place = oracle.place()?;
    let here = oracle.at_home().judge(content, slot, deadline, cancel);
    let script = ["sh", "-c", VERSIONS, "sh"].map(OsString::from);
    let words: Vec<OsString> = script.into_iter().chain(programs(oracle, words)).collect();
    let versions = |oracle: CommandOracle| {
        let (_, written) = oracle.observe(b"", slot, BASELINE_DEADLINE, cancel);
        let text = String::from_utf8_lossy(&written.stdout).into_owned();
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        lines.map(|(name, version)| (name.to_owned(), version.to_owned())).collect::<BTreeMap<_, _>>()
    };
    let asking = CommandOracle::command(&words, Path::new("none"), Conditions::default()).ok()?;
    let [here_has, there_has] = [asking.clone(), asking.placed_as(oracle)].map(versions);
    let mut programs = Vec::new();
    for (name, version) in &here_has {
        match there_has.get(name) {
            Some(other) if other == version => {}
            other => {
                programs.push((name.clone(), version.clone(), other.cloned().unwrap_or_else(|| "missing".to_owned())))
            }
        }
    }
    let same = here_has.len() - programs.len();
    Some(RemoteComparison { place, here, programs, same })
}

/// Finds the words of the test that are programs on this machine.
fn programs(oracle: &CommandOracle, words: &[OsString]) -> Vec<OsString> {
    let program = oracle.program();
    let script = fs::read(program).ok().filter(|text| text.starts_with(b"#!") && text.len() <= LONGEST);
    let mut texts: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    texts.extend(script.map(|text| String::from_utf8_lossy(&text).into_owned()));
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-+.".contains(letter);
    let words = texts.iter().flat_map(|text| text.split(|letter: char| !is_part(letter)));
    let words: std::collections::BTreeSet<&str> =
        words.filter(|word| word.starts_with(|l: char| l.is_ascii_alphabetic())).collect();
    let found = words.into_iter().filter(|word| has_program(OsStr::new(word)));
    found.take(MOST).map(OsString::from).collect()
}

/// Makes the finding about the two machines. `there` is the first run on the input on the other one.
pub(super) fn finding(remote: &RemoteComparison, there: &Outcome) -> Finding {
    let RemoteComparison { place, here, programs, same } = remote;
    let shown =
        programs.iter().take(SHOWN).map(|(name, one, other)| format!("{name} is `{one}` here and `{other}` there"));
    let mut shown: Vec<String> = shown.collect();
    if programs.len() > SHOWN {
        shown.push(format!("{} more differ", programs.len() - SHOWN));
    }
    let shown = shown.join(", ");
    let answer = |outcome: &Outcome| if outcome.is_interesting() { "interesting" } else { "not interesting" };
    if here.is_interesting() != there.is_interesting() {
        let seen = format!(
            "on {place} the input is {} ({}), and here it is {} ({})",
            answer(there),
            there.exit,
            answer(here),
            here.exit
        );
        let finding = Finding::new("elsewhere", Level::Fault, seen);
        let finding = if shown.is_empty() { finding } else { finding.means(shown) };
        return finding
            .fix("choose a machine with --remote-property, or take along what is missing with --remote-input");
    }
    match &shown[..] {
        "" => Finding::ok("elsewhere", format!("{same} programs are the same here and on {place}")),
        shown => Finding::new("elsewhere", Level::Note, format!("on {place} {shown}")),
    }
}
