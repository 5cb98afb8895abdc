//! Chooses a signature of a run that no trivial input meets. If there is none, tries more specific ones.

use lop_doctor::TrivialInputs;
use lop_files::project::{Archive, TestCase};
use lop_run::oracle::{Exit, Mark, Outcome, Seen, Signature, Table, Written};

/// A sign that is invalid in every grammar, to replace the rest of the input.
const NONSENSE: &[u8] = b"?";

/// A run of the command on a text that does not have the bug.
pub(super) struct Probe {
    name: String,
    is_empty: bool,
    text: Vec<u8>,
    archive: Option<Archive>,
    outcome: Outcome,
    written: Written,
}

/// A signature that was chosen.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// The signature to keep.
    pub(crate) signature: Signature,
    /// Why it is worth little, in words; empty if it is good.
    pub(crate) weakness: String,
}

impl Chosen {
    /// Adds the condition that no error message may appear that the run on the input doesn't list. A crash stays as it
    /// is: it is a bug no matter which errors precede it.
    pub(super) fn with_only_errors(mut self, table: &Table, seen: &Seen<'_>, again: &(Outcome, Written)) -> Self {
        let signature = &self.signature;
        if !signature.crash {
            let only_errors = Signature { only_errors: table.only_errors(seen), ..signature.clone() };
            if is_shown(&only_errors, seen.input, again) {
                self.signature = only_errors;
            }
        }
        self
    }
}

/// Runs the command on trivial texts. If the message of a signature names a position in the input, also on the text
/// before the position, alone and followed by an invalid sign: a message that stays the same isn't about the bug.
pub(super) fn probe(
    signatures: &[Signature],
    seen: &Seen<'_>,
    trivial_inputs: &TrivialInputs,
    run: &mut dyn FnMut(&[u8]) -> (Outcome, Written),
) -> Vec<Probe> {
    let mut texts: Vec<(String, Vec<u8>, bool)> = Vec::new();
    for case in trivial_inputs.cases(seen.input.text()) {
        texts.push((case.name, case.candidate, case.text.is_empty()));
    }
    if let Some(cut) = signatures.iter().find_map(|signature| Table::cut(signature, seen)) {
        let input = seen.input.text();
        let (before, rest) = (&input[cut.file.start..cut.rest.start], &input[cut.rest.clone()]);
        if !rest.trim_ascii().is_empty() && !before.trim_ascii().is_empty() {
            let with = |text: &[u8]| [&input[..cut.rest.start], text, &input[cut.rest.end..]].concat();
            texts.push(("the input cut off at the reported position".to_owned(), with(b""), false));
            texts.push(("that text followed by nonsense".to_owned(), with(NONSENSE), false));
        }
    }
    let judge = |(name, text, is_empty): (String, Vec<u8>, bool)| {
        let (outcome, written) = run(&text);
        Probe { name, is_empty, text, archive: seen.input.archive().cloned(), outcome, written }
    };
    texts.into_iter().map(judge).collect()
}

/// Returns the signature to keep: one that all these runs on the input show and none of the probes, if there is one;
/// otherwise the first one, with its weakness. `None` if the empty file shows all of them.
pub(super) fn choose(
    table: &Table,
    signatures: &[Signature],
    seen: &Seen<'_>,
    again: &(Outcome, Written),
    probes: &[Probe],
) -> Option<Chosen> {
    let repeats = |signature: &&Signature| is_shown(signature, seen.input, again);
    let special = |signature: &&Signature| !probes.iter().any(|probe| probe.shows(signature));
    let signatures: Vec<&Signature> = signatures.iter().filter(repeats).collect();
    let (codes, others): (Vec<&Signature>, Vec<&Signature>) =
        signatures.iter().partition(|signature| matches!(signature.mark, Mark::ExitCode(_)));
    let is_some_code = |signature: &&&Signature| signature.mark != Mark::ExitCode(FAILED);
    // More specific variants of a signature come after the signature itself.
    let found = others.iter().copied().find_map(|signature| {
        let narrower =
            || table.more_specific(signature, seen).into_iter().find(|step| repeats(&step) && special(&step));
        if special(&signature) { Some(signature.clone()) } else { narrower() }
    });
    let code = || codes.iter().filter(is_some_code).copied().find(special).cloned();
    if let Some(signature) = found.or_else(code) {
        return Some(Chosen { signature, weakness: String::new() });
    }
    let by_empty = |signature: &&&Signature| probes.iter().any(|probe| probe.is_empty && probe.shows(signature));
    let signature = (*signatures.iter().find(|signature| !by_empty(signature))?).clone();
    Some(Chosen { weakness: weakness(&signature, probes), signature })
}

/// The exit code by which programs say no more than that something went wrong.
const FAILED: i32 = 1;

fn weakness(signature: &Signature, probes: &[Probe]) -> String {
    let names: Vec<&str> =
        probes.iter().filter(|probe| probe.shows(signature)).map(|probe| probe.name.as_str()).collect();
    match names.as_slice() {
        [] => "an exit code alone only says that something failed".to_owned(),
        names => format!("the same failure for: {}", names.join("; ")),
    }
}

/// The warnings of a run that ended well which are there each time, and on no probe.
pub(super) fn lasting(
    warnings: Vec<Signature>,
    input: TestCase<'_>,
    again: &(Outcome, Written),
    probes: &[Probe],
) -> Vec<Signature> {
    let lasts =
        |warning: &Signature| is_shown(warning, input, again) && !probes.iter().any(|probe| probe.shows(warning));
    warnings.into_iter().filter(lasts).collect()
}

impl Probe {
    fn shows(&self, signature: &Signature) -> bool {
        let Probe { text, archive, outcome, written, .. } = self;
        signature.is_shown_by(TestCase::new(archive.as_ref(), text), outcome.exit, &written.stdout, &written.stderr)
    }

    /// Whether it is the empty file, and the command accepts it.
    pub(super) fn is_fine_and_empty(&self) -> bool {
        self.is_empty && self.outcome.exit == Exit::Code(0)
    }
}

fn is_shown(signature: &Signature, text: TestCase<'_>, (outcome, written): &(Outcome, Written)) -> bool {
    signature.is_shown_by(text, outcome.exit, &written.stdout, &written.stderr)
}
