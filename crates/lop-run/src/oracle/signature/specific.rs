//! More specific conditions, for a signature that trivial inputs meet too, and for the warnings of a successful run.

use std::ops::Range;

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};

use super::generalise::{Context, Treatment};
use super::{Cut, Mark, Seen, Signature, Table, shown_once};
use crate::oracle::position::{Finder, around};

/// Maximum number of lines after a message that can distinguish it.
const LINES: usize = 2;

impl Table {
    /// Lists signatures that are more specific than this one of a run, the most permissive first: with the text at the
    /// position that the message names, with the quoted text, with the lines after it, and with both.
    #[must_use]
    pub fn more_specific(&self, signature: &Signature, seen: &Seen<'_>) -> Vec<Signature> {
        let mut steps = vec![signature.clone()];
        // Nothing is quoted from a test case with nothing in it.
        let exact = self.signatures(&Seen { input: b"".into(), ..*seen });
        steps.extend(exact.into_iter().filter(|exact| exact.kind == signature.kind));
        steps.extend((1..=LINES).filter_map(|lines| self.with_lines(signature, seen, lines)));
        let mut steps = shown_once(steps, seen);
        let placed: Vec<Option<Signature>> = steps.iter().map(|step| at(step, seen)).collect();
        let all = steps.drain(..).zip(placed).flat_map(|(step, placed)| [Some(step), placed]).flatten();
        all.filter(|step| step != signature).collect()
    }

    /// Returns the place where the test case can end so that the subject of a signature's message isn't in it: the
    /// position in the message, or the start of its line.
    #[must_use]
    pub fn cut(signature: &Signature, seen: &Seen<'_>) -> Option<Cut> {
        let (text, regex) = message(signature, seen)?;
        let (finder, message) = (Finder::default(), regex.find(text)?.range());
        let place = seen.find_place(|name, file| finder.place(text, message.clone(), file, Some(name)));
        let line = || seen.find_place(|name, file| finder.line_start(text, message.clone(), file, name));
        let (rest, file) = place.or_else(line)?;
        Some(Cut { file, rest })
    }

    /// The complaints of a run with any ending, each kind of complaint once; more serious ones first.
    #[must_use]
    pub fn warnings(&self, seen: &Seen<'_>) -> Vec<Signature> {
        let mut found = Vec::new();
        for pattern in &self.warnings {
            for (text, mark) in [(seen.stderr, Mark::Stderr as fn(String) -> Mark), (seen.stdout, Mark::Stdout)] {
                found.extend(self.all_in_output(pattern, text, mark, seen));
            }
        }
        // The beginning of another one is shown wherever that one is.
        let mut kinds: Vec<Signature> = Vec::new();
        for warning in shown_once(found, seen) {
            let (option, pattern) = warning.mark.option();
            if !kinds.iter().map(|kind| kind.mark.option()).any(|(of, known)| of == option && known.ends_with(&pattern))
            {
                kinds.push(warning);
            }
        }
        kinds
    }

    /// Returns a signature with this number of lines after its message.
    fn with_lines(&self, signature: &Signature, seen: &Seen<'_>, lines: usize) -> Option<Signature> {
        let (text, regex) = message(signature, seen)?;
        let end = regex.find(text)?.end();
        let end = memchr::memchr(b'\n', &text[end..]).map(|line| end + line)?;
        let mut pattern = signature.mark.option().1;
        let mut at = end + 1;
        for _ in 0..lines {
            let line = next_line(text, at)?;
            let words = text[line.clone()].trim_ascii();
            // A quoted line of the test case would keep that line.
            if memmem::find(seen.input.text(), words).is_some() {
                return None;
            }
            let mut context = Context::new(&self.context, seen.input.text(), seen.name);
            context.add(text, line.clone(), Treatment::Generalise);
            pattern.push_str(r".*\n\s*");
            pattern.push_str(context.finish().trim_start_matches(['^']).trim_start_matches(r"\s+"));
            at = line.end + 1;
        }
        let mark = match signature.mark {
            Mark::Stdout(_) => Mark::Stdout(pattern),
            _ => Mark::Stderr(pattern),
        };
        Some(Signature { mark, ..signature.clone() })
    }
}

/// Returns a signature with the text at the position that its message names.
fn at(signature: &Signature, seen: &Seen<'_>) -> Option<Signature> {
    let (text, regex) = message(signature, seen)?;
    let (finder, message) = (Finder::default(), regex.find(text)?.range());
    let (rest, file) = seen.find_place(|name, file| finder.place(text, message.clone(), file, Some(name)))?;
    let at = Some(around(&seen.input.text()[file.clone()], rest.start - file.start)?);
    let placed = Signature { at, ..signature.clone() };
    placed.is_shown_by(seen.input, seen.exit, seen.stdout, seen.stderr).then_some(placed)
}

/// The output that a signature is found in, and its pattern.
fn message<'s>(signature: &Signature, seen: &Seen<'s>) -> Option<(&'s [u8], Regex)> {
    let (text, pattern) = match &signature.mark {
        Mark::Stdout(pattern) => (seen.stdout, pattern),
        Mark::Stderr(pattern) => (seen.stderr, pattern),
        Mark::Signal(_) | Mark::ExitCode(_) => return None,
    };
    Some((text, RegexBuilder::new(pattern).multi_line(true).build().ok()?))
}

/// The next line that is not blank, without its end.
fn next_line(text: &[u8], mut at: usize) -> Option<Range<usize>> {
    loop {
        let end = at + memchr::memchr(b'\n', text.get(at..)?).unwrap_or(text.len() - at);
        if !text[at..end].trim_ascii().is_empty() {
            return Some(at..end);
        }
        at = end + 1;
    }
}
