//! Trap cases, kept for ever: inputs of a kind that a reducer once ended badly on, or easily could, each with
//! the size that a person would end with. The walk knows no case; how to add one is in `tests/quality/README.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

use lop_grammar::{Folder as LanguageFolder, Grammar, Place};
use lop_languages::LANGUAGES;
use lop_reduce::steps::named;
use lop_reduce::{Effort, Format, Options, Passes, ReduceError, Report};
use lop_syntax::Document;
use regex::bytes::Regex;
use serde::Deserialize;

use crate::reduce::{grammar, run_with, yes_if};
use crate::support::{self, Folder, find, missing};

/// `tests/quality/<case>.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    /// The trap, for people.
    trap: String,
    /// The input: a file beside this one, or only a name if there is a recipe.
    file: String,
    /// The input is made of these parts, one behind the other.
    #[serde(default)]
    recipe: Vec<Part>,
    /// The input's lines end like this, whatever the file on disk has.
    #[serde(default)]
    line_ends: Option<String>,
    /// Interesting is what matches all of these, …
    #[serde(default)]
    needs: Vec<String>,
    /// … none of these, …
    #[serde(default)]
    forbids: Vec<String>,
    /// … and makes this command end with 0; `{}` is the file. Asked last: it costs a process.
    #[serde(default)]
    command: Vec<String>,
    /// The effort is that of `--thorough`.
    #[serde(default)]
    thorough: bool,
    /// Without any one of these passes it ends with more tokens than it may.
    #[serde(default)]
    passes: Vec<String>,
    /// Nothing is known of the language but its parser and what holds for all languages.
    #[serde(default)]
    bare: bool,
    /// Programs that need not be here; a case without one of its own is skipped, and says so.
    #[serde(default)]
    tools: Vec<String>,
    /// This command has to end with 0 on the result, though nothing asked for it on the way.
    #[serde(default)]
    check: Vec<String>,
    /// The largest result that is good enough.
    at_most_tokens: usize,
    /// Tests that it may take.
    at_most_tests: usize,
    /// The result, byte for byte, where only one will do.
    #[serde(default)]
    result: Option<String>,
}

/// A file as it is, or a text, again and again.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    /// A file beside the case.
    #[serde(default)]
    from: Option<String>,
    /// `{i}` is the number of the repetition, from 0 on.
    #[serde(default)]
    text: String,
    #[serde(default = "once")]
    times: usize,
}

fn once() -> usize {
    1
}

struct Case {
    name: String,
    said: Said,
    input: Vec<u8>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/quality")
}

impl Case {
    fn all() -> Vec<Self> {
        let entries = fs::read_dir(folder()).expect("the cases are part of the tree");
        let paths = entries.map(|entry| entry.expect("the folder can be listed").path());
        let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
        paths.sort();
        paths.iter().map(|path| Self::read(path)).collect()
    }

    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let said: Said = toml::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let name = path.file_stem().expect("a listed file has a name").to_string_lossy().into_owned();
        let content =
            |file: &str| fs::read(folder().join(file)).unwrap_or_else(|error| panic!("{name}: {file}: {error}"));
        let repeated = |part: &Part| match &part.from {
            Some(file) => content(file),
            None => (0..part.times).flat_map(|i| part.text.replace("{i}", &i.to_string()).into_bytes()).collect(),
        };
        let mut input = match &said.recipe[..] {
            [] => content(&said.file),
            parts => parts.iter().flat_map(repeated).collect(),
        };
        match said.line_ends.as_deref() {
            None => {}
            Some("crlf") => input = String::from_utf8_lossy(&input).replace('\n', "\r\n").into_bytes(),
            Some(other) => panic!("{name}: line ends are crlf or as they are, not {other}"),
        }
        Case { name, said, input }
    }

    /// Whether a command ends with 0 on a text, in a folder with nothing else in it.
    fn holds(&self, command: &[String], folder: &Folder, text: &[u8]) -> bool {
        let path = folder.write(&self.said.file, text).display().to_string();
        let status = Command::new(&command[0])
            .args(command[1..].iter().map(|argument| argument.replace("{}", &path)))
            .current_dir(folder.path("."))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.unwrap_or_else(|error| panic!("{}: {}: {error}", self.name, command[0])).success()
    }

    /// The language.
    fn grammar(&self) -> Option<Arc<Grammar>> {
        let known = grammar(&self.said.file, &self.input);
        let Some(name) = known.as_ref().filter(|_| self.said.bare).map(|grammar| grammar.name()) else { return known };
        let folder = LANGUAGES.built_in.iter().find(|folder| folder.name == name).expect("it is built in");
        let bare = LanguageFolder { language: "", rules: "", inherited: &[], ..*folder };
        Some(Arc::new(Grammar::load(&bare).expect("a parser is enough")))
    }

    /// The interestingness test.
    fn test<'a>(&'a self, folder: &'a Folder) -> impl Fn(&[u8]) -> bool + 'a {
        let regexes = |texts: &[String]| -> Vec<Regex> {
            texts.iter().map(|text| Regex::new(text).unwrap_or_else(|error| panic!("{}: {error}", self.name))).collect()
        };
        let said = &self.said;
        let (needs, forbids) = (regexes(&said.needs), regexes(&said.forbids));
        move |text| {
            let reads = needs.iter().all(|regex| regex.is_match(text)) && !forbids.iter().any(|r| r.is_match(text));
            reads && (said.command.is_empty() || self.holds(&said.command, folder, text))
        }
    }

    /// Reduces.
    fn reduce(&self, folder: &Folder, skip: Option<&'static str>) -> (Result<Report, ReduceError>, usize) {
        let test = self.test(folder);
        let passes = Passes { skip: skip.into_iter().collect(), ..Passes::default() };
        let effort = if self.said.thorough { Effort::Thorough } else { Effort::default() };
        let options = Options { passes, effort, ..Options::default() };
        let (report, asked) = run_with(self.grammar(), &self.input, &options, |text| yes_if(test(text)));
        (report, asked.len())
    }

    /// Reduces: the figures with the text it ends with, what is wrong with them, and the rules that paid.
    fn outcome(&self) -> Outcome {
        let (said, folder) = (&self.said, Folder::new());
        let (report, asked) = self.reduce(&folder, None);
        let report = match report {
            Ok(report) => report,
            Err(error) => {
                return Outcome { figures: self.name.clone(), faults: vec![error.to_string()], rules: Vec::new() };
            }
        };
        let mut faults = Vec::new();
        if report.before.tokens <= said.at_most_tokens {
            faults.push(format!("may stay as it is, with {} tokens", report.before.tokens));
        }
        if report.after.tokens > said.at_most_tokens {
            faults.push(format!("more than {} tokens", said.at_most_tokens));
        }
        if asked > said.at_most_tests {
            faults.push(format!("more than {} tests", said.at_most_tests));
        }
        if said.result.as_ref().is_some_and(|wanted| wanted.as_bytes() != report.best) {
            faults.push("not the result that it has to be".to_owned());
        }
        let test = self.test(&folder);
        let passes = Passes { only: vec!["minimality"], ..Passes::default() };
        let verifying = Options { passes, format: Format::None, ..Options::default() };
        let (verified, _) = run_with(self.grammar(), &report.best, &verifying, |text| yes_if(test(text)));
        let verified = verified.expect("the result is interesting").best;
        if verified != report.best {
            faults.push(format!("interesting without a part: {}", String::from_utf8_lossy(&verified)));
        }
        if !said.check.is_empty() && !self.holds(&said.check, &folder, &report.best) {
            faults.push(format!("`{}` does not like it", said.check.join(" ")));
        }
        faults.extend(self.glued(&report.best));
        let shown = String::from_utf8_lossy(&report.best);
        let (tokens, elapsed) = (report.after.tokens, report.elapsed);
        let figures = format!("{}: {tokens} tokens, {asked} tests, {elapsed:?}:\n{shown}", self.name);
        Outcome { figures, faults, rules: report.rules.into_iter().map(|rule| rule.place.to_string()).collect() }
    }

    /// The tool that a case needs and that is not here.
    fn missing(&self) -> Option<&String> {
        self.said.tools.iter().find(|tool| find(tool).is_none())
    }

    /// Directives share no line with anything.
    fn glued(&self, text: &[u8]) -> Option<String> {
        let grammar = self.grammar()?;
        let mut parser = grammar.parser().expect("an embedded parser");
        let document = Document::parse(&mut parser, text.to_vec()).expect("the result has a tree");
        let starts_line = |at: usize| {
            let before = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            text[before..at].iter().all(u8::is_ascii_whitespace)
        };
        let glued = document.ids().find(|&id| {
            let node = document.node(id);
            grammar.is_newline_sensitive(node.kind) && !starts_line(node.range().start)
        });
        glued.map(|id| format!("a line is glued to `{}`", String::from_utf8_lossy(document.text(id))))
    }
}

/// The outcome of a case.
struct Outcome {
    figures: String,
    faults: Vec<String>,
    /// Where the rules behind its accepted steps are written.
    rules: Vec<String>,
}

/// Does something with each case whose tools are here.
fn each<T: Send>(cases: &[Case], work: impl Fn(&Case) -> T + Sync) -> Vec<T> {
    let made = support::each(cases, |case| match case.missing() {
        Some(tool) => {
            missing(&format!("quality {}: {tool} is not installed", case.name));
            None
        }
        None => Some(work(case)),
    });
    made.into_iter().flatten().collect()
}

/// The outcomes of all cases: they run once, whichever test asks first.
#[expect(clippy::print_stderr, reason = "who runs it with --nocapture sees what every case ends with")]
fn outcomes() -> &'static [Outcome] {
    static OUTCOMES: OnceLock<Vec<Outcome>> = OnceLock::new();
    OUTCOMES.get_or_init(|| {
        each(&Case::all(), |case| {
            let outcome = case.outcome();
            eprintln!("{}\n", outcome.figures);
            outcome
        })
    })
}

/// One test walks all cases: a new file is a new case.
#[test]
fn every_trap_is_left_with_what_a_person_would_end_with() {
    let wrong = outcomes().iter().filter(|outcome| !outcome.faults.is_empty());
    let wrong: Vec<_> = wrong.map(|outcome| format!("{}\n{}", outcome.faults.join("; "), outcome.figures)).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n\n"));
}

/// A rule is data, and data that no case needs is a guess.
#[test]
fn every_rule_pays_in_a_trap() {
    let paid: BTreeSet<&String> = outcomes().iter().flat_map(|outcome| &outcome.rules).collect();
    let mut idle = Vec::new();
    for folder in LANGUAGES.built_in {
        let grammar = Grammar::load(folder).expect("it is right");
        // The text that fills an emptied block goes in with the edit that empties it: no step is its own.
        let kinds = 0..u16::try_from(grammar.language().node_kind_count()).expect("kinds are numbers of two bytes");
        let fillers = kinds.filter(|&kind| grammar.is_indented_kind(kind)).filter_map(|kind| {
            grammar
                .minimal(Place { kind, parent: None, field: None, previous: None })
                .next()
                .map(|text| text.rule.index())
        });
        let fillers: BTreeSet<usize> = fillers.collect();
        let places = grammar.places().iter().enumerate().filter(|(index, _)| !fillers.contains(index));
        idle.extend(places.map(|(_, place)| place.to_string()).filter(|place| !paid.contains(place)));
    }
    assert!(idle.is_empty(), "{} rules are behind no accepted step:\n{}", idle.len(), idle.join("\n"));
}

#[test]
fn a_pass_that_a_trap_names_is_needed_there() {
    let useless = |case: &Case| {
        let needed = |name: &&String| {
            let pass = named(name).unwrap_or_else(|| panic!("{}: no pass {name}", case.name)).name;
            let (report, _) = case.reduce(&Folder::new(), Some(pass));
            report.expect("it is the same test").after.tokens > case.said.at_most_tokens
        };
        let passes = case.said.passes.iter().filter(|name| !needed(name));
        passes.map(|name| format!("{}: as small without {name}", case.name)).collect::<Vec<_>>()
    };
    let cases: Vec<_> = Case::all().into_iter().filter(|case| !case.said.passes.is_empty()).collect();
    let useless = each(&cases, useless).concat();
    assert!(useless.is_empty(), "{}", useless.join("\n"));
}

#[test]
fn every_trap_says_what_it_is_and_every_input_is_used() {
    let cases = Case::all();
    assert!(cases.len() >= 30, "the cases are kept for ever");
    let mut expected = vec!["README.md".to_owned()];
    for case in &cases {
        assert!(case.said.trap.len() > 10, "{}: what may go wrong?", case.name);
        assert!(!case.said.needs.is_empty() || !case.said.command.is_empty(), "{}: what is interesting?", case.name);
        expected.push(format!("{}.toml", case.name));
        if case.said.recipe.is_empty() {
            expected.push(case.said.file.clone());
        }
        expected.extend(case.said.recipe.iter().filter_map(|part| part.from.clone()));
    }
    let entries = fs::read_dir(folder()).expect("the cases are part of the tree");
    let mut found: Vec<_> =
        entries.map(|entry| entry.expect("a listed file").file_name().to_string_lossy().into_owned()).collect();
    found.sort();
    expected.sort();
    expected.dedup();
    assert_eq!(found, expected, "every file belongs to a case");
}
