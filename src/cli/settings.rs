//! The meaning of the command line: everything looked up, read and checked, before any test is run and before anything
//! is changed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::CommandFactory;

use crate::doctor::Extent;
use crate::engine::Config;
use crate::grammar::{Choice, Grammar};
use crate::journal::Past;
use crate::oracle::{CommandError, CommandOracle, ConditionSpec, Conditions, Confinement};
use crate::reduce::{Control, Effort, Keep, KeepSpec, Minimal, Options, Passes, Syntax};
use crate::report::{Kept, Store, Verbosity, state_directory};

use super::args::{Cli, ReduceArgs};
use super::beside::belongings;
use super::failure::Failure;
use super::files::{Files, is_same};
use super::piped::{self, is_stdout};
use super::report_args::ReportArgs;
use super::signature_args::SignatureArgs;
use super::ui_args::UiArg;
use super::values::{Jobs, MinimalArg};
use super::{rules, suggestion};

/// Everything that a reduction needs.
#[derive(Debug)]
pub struct Settings {
    /// The file to reduce, as the user named it; a name for what came on standard input.
    pub path: PathBuf,
    /// Whether it came on standard input, so that there is no file.
    pub is_piped: bool,
    /// Its content.
    pub content: Arc<[u8]>,
    /// Its grammar; `None` is text.
    pub grammar: Option<Arc<Grammar>>,
    /// The reason for this language.
    pub choice: Choice,
    /// The interestingness test.
    pub oracle: CommandOracle,
    /// The words of the test as they were typed.
    pub words: Vec<OsString>,
    /// Whether the test is a command after `--`, and not a script whose exit code is its answer.
    pub is_command: bool,
    /// The options and the values of the condition that was found, where none was given.
    pub found: Vec<(&'static str, String)>,
    /// The warnings for the end, each in a sentence.
    pub attention: Vec<String>,
    /// How much to examine the test at the start.
    pub checkup: Extent,
    /// The conditions of an interesting run, in words.
    pub wanted: String,
    /// The conditions as they were given.
    pub spec: ConditionSpec,
    /// The options on the signature to find, and on further conditions.
    pub sought: SignatureArgs,
    /// How much of the machine a test gets.
    pub confinement: Confinement,
    /// Tests at the same time; `None` means as many as there are cores.
    pub jobs: Option<Jobs>,
    /// Choices of the reduction itself.
    pub options: Options,
    /// Where the result goes.
    pub kept: Kept,
    /// The open place of the result.
    pub store: Store,
    /// The folder of the journal, if there is one.
    pub state: Option<PathBuf>,
    /// The folder of the shared cache.
    pub cache: Option<PathBuf>,
    /// The user's own parser and rules, as a suffix of the language's name.
    pub rules: String,
    /// Whether the original goes once the reduction is complete.
    pub tidy: bool,
    /// Where the events go.
    pub json: Option<PathBuf>,
    /// The options on reports beside the summary.
    pub reporting: ReportArgs,
    /// The texts for standard output at the end, by the names of the options.
    pub texts: Vec<&'static str>,
    /// How much to say.
    pub verbosity: Verbosity,
    /// How the run shows itself.
    pub ui: UiArg,
}

/// Where the input comes from.
enum Source<'a> {
    /// The file that was named.
    File,
    /// The journal of an interrupted run.
    Journal(&'a Past),
    /// This text.
    Text(Vec<u8>),
}

impl Settings {
    /// Finds out what was meant.
    ///
    /// # Errors
    /// Everything that can be known to be wrong before the first test.
    pub fn new(args: ReduceArgs) -> Result<Settings, Failure> {
        Settings::build(args, Source::File)
    }

    /// Finds out what was meant by the command line of an interrupted run: the input is that of its journal.
    ///
    /// # Errors
    /// As [`Settings::new`].
    pub fn resumed(args: ReduceArgs, past: &Past) -> Result<Settings, Failure> {
        Settings::build(args, Source::Journal(past))
    }

    /// The same for a text that is verified in the place of the file, or the file itself.
    ///
    /// # Errors
    /// As [`Settings::new`].
    pub fn verifying(args: ReduceArgs, text: Option<Vec<u8>>) -> Result<Settings, Failure> {
        Settings::build(args, text.map_or(Source::File, Source::Text))
    }

    fn build(args: ReduceArgs, source: Source<'_>) -> Result<Settings, Failure> {
        let texts = args.texts();
        let (test, given) = forms(&args.words, &args.test)?;
        let is_piped = piped::is_stdin(&given);
        check_stdout(&args, is_piped)?;
        check_fast(&args)?;
        let (minimal, engine) = search(&args)?;
        let spec = ConditionSpec { also_interesting: args.also_interesting, ..args.conditions.into() };
        let wanted = in_words(&spec);
        let conditions = Conditions::new(&spec)?;
        let past = if let Source::Journal(past) = source { Some(past) } else { None };
        let content = match source {
            Source::Journal(past) => past.input.clone(),
            Source::Text(text) => text,
            Source::File if args.allow_empty => read(&given)?,
            Source::File => read_case(&given)?,
        };
        let language = rules::Language::find(&args.grammar, &given, &content)?;
        let grammar = language.grammar(args.rules.as_deref())?;
        let path = piped::name(given.clone(), grammar.as_deref());
        let keep_spec = KeepSpec {
            patterns: args.keep,
            lines: args.keep_lines,
            queries: args.keep_query,
            markers: !args.no_markers,
        };
        let keep = Keep::find(&keep_spec, &content, grammar.as_deref(), args.max_parse)?;
        let oracle = test.oracle(&path, conditions)?;
        let with = args.confine.with.clone();
        let confinement = Confinement::try_from(args.confine)?;
        let oracle = oracle.confined(confinement.clone())?;
        let kept = match args.output {
            None if is_piped => Kept::Stdout,
            None => Kept::InPlace,
            Some(output) if is_stdout(&output) => Kept::Stdout,
            Some(output) => Kept::File(output),
        };
        if kept == Kept::InPlace && !fs::metadata(&path).is_ok_and(|found| found.is_file()) {
            return Err(Failure::InputIsSpecial(path));
        }
        let files = Files {
            input: &given,
            program: oracle.program(),
            output: if let Kept::File(output) = &kept { Some(output) } else { None },
            json: args.json.as_deref().filter(|json| !is_stdout(json)),
            report: args.reporting.report.as_deref(),
        };
        files.check()?;
        // With the result elsewhere lop may reduce a program that reads itself.
        if (kept == Kept::InPlace || matches!(test, Test::File(_))) && is_same(&given, oracle.program()) {
            return Err(Failure::Usage {
                message: format!("{} is both the test and the file to reduce", given.display()),
                hint: "lop TEST FILE: TEST is the script that looks at a candidate, FILE what gets smaller".to_owned(),
            });
        }
        let mut store = match past {
            None => Store::open(&given, &kept)?,
            Some(past) => Store::reopen(&given, &kept, &past.input)?,
        };
        if past.is_none() {
            store.expect(&content);
        }
        let usual = || usual_folder(&given, &kept).filter(|_| store.is_file() && !args.state.no_state);
        let folder = args.state.state.or_else(usual);
        // Late, because it takes longer than to see what is wrong.
        let oracle = oracle.with_belongings(belongings(&with, &path, &kept)?)?;
        let options = Options {
            passes: Passes { only: args.only, skip: args.skip, ..Passes::default() },
            format: args.format.into(),
            schedule: args.schedule.into(),
            seed: args.seed,
            minimal,
            engine,
            effort: match (args.fast, args.thorough) {
                (true, _) => Effort::Fast,
                (_, true) => Effort::Thorough,
                _ => Effort::Usual,
            },
            prefer: args.prefer.into(),
            syntax: match (args.must_stay_valid, args.must_stay_invalid) {
                (true, _) => Some(Syntax::Valid),
                (_, true) => Some(Syntax::Invalid),
                _ => None,
            },
            keep,
            allow_syntax_errors: args.allow_syntax_errors,
            allow_empty: args.allow_empty,
            allow_flaky: args.allow_flaky,
            confirm: args.confirm,
            deadline: args.timeout,
            max_parse: args.max_parse,
            max_tests: args.max_tests,
            max_time: args.max_time,
            control: Control::new(),
        };
        let verbosity = match args.verbose {
            0 if args.quiet => Verbosity::Quiet,
            0 => Verbosity::Normal,
            1 => Verbosity::Passes,
            _ => Verbosity::Tests,
        };
        let (jobs, json) = (args.jobs, args.json);
        Ok(Settings {
            path,
            is_piped,
            content: content.into(),
            grammar,
            choice: language.choice,
            oracle,
            reporting: args.reporting,
            words: test.words(),
            is_command: matches!(test, Test::Command(_)),
            found: Vec::new(),
            attention: Vec::new(),
            // Without a place for the findings there is nothing to examine.
            checkup: match (args.no_checkup || (args.quiet && json.is_none()), args.allow_empty) {
                (true, _) => Extent::Nothing,
                (_, true) => Extent::Directory,
                _ => Extent::All,
            },
            wanted,
            spec,
            sought: args.signature,
            confinement,
            jobs,
            options,
            kept,
            store,
            state: folder,
            cache: args.state.cache,
            rules: language.identity() + &args.rules.as_deref().map(rules::identity).unwrap_or_default(),
            tidy: args.tidy,
            json,
            texts,
            verbosity,
            ui: args.ui.ui,
        })
    }

    /// The language and what made it this one, in a line.
    #[must_use]
    pub fn language_and_reason(&self) -> String {
        self.choice.sentence(self.grammar.as_ref().map(|grammar| grammar.name()), &self.path)
    }

    /// The grammar's name, or `text`.
    #[must_use]
    pub fn language(&self) -> &str {
        self.grammar.as_ref().map_or(crate::grammar::TEXT, |grammar| grammar.name())
    }
}

/// The test in its two forms.
pub(super) enum Test {
    /// An executable.
    File(PathBuf),
    /// A command with its arguments.
    Command(Vec<OsString>),
}

impl Test {
    /// The words of the test; one word is a script of the user's.
    pub(super) fn words(&self) -> Vec<OsString> {
        match self {
            Test::File(test) => vec![test.clone().into()],
            Test::Command(words) => words.clone(),
        }
    }

    /// The same; none of a script, which is taken as it is.
    pub(super) fn command_words(&self) -> &[OsString] {
        match self {
            Test::File(_) => &[],
            Test::Command(words) => words,
        }
    }

    /// The test of candidates for `path`.
    pub(super) fn oracle(&self, path: &Path, conditions: Conditions) -> Result<CommandOracle, Failure> {
        match self {
            Test::File(test) => {
                let found = CommandOracle::test(test, path, conditions.clone());
                found.map_err(|error| in_order(error, test, path, conditions))
            }
            Test::Command(words) => Ok(CommandOracle::command(words, path, conditions)?),
        }
    }
}

/// Tells the two forms apart: `TEST FILE` and `FILE -- CMD ARGS…`.
pub(super) fn forms(words: &[PathBuf], test: &[OsString]) -> Result<(Test, PathBuf), Failure> {
    let usage = |message: String, hint: &str| Failure::Usage { message, hint: hint.to_owned() };
    if let Some(command) = late_command(words) {
        return Err(usage(
            format!("`{command}` is a command of lop only where it is the first word"),
            &format!("lop {command} [OPTIONS]…, options behind it; a file of this name is ./{command}"),
        ));
    }
    if let Some(hint) = suggestion::command(words) {
        return Err(usage(format!("there is no command, test or file of the name {}", words[0].display()), &hint));
    }
    match (words, test) {
        ([test, file], []) => Ok((Test::File(test.clone()), file.clone())),
        ([file], [_, ..]) => Ok((Test::Command(test.to_vec()), file.clone())),
        ([], []) => Err(usage("nothing to do".to_owned(), "lop TEST FILE, or lop FILE -- CMD ARGS…; see lop --help")),
        ([], _) => Err(usage(
            "there is no file to reduce before `--`".to_owned(),
            "lop FILE -- CMD ARGS…, with @@ in the place of the candidate's path",
        )),
        ([only], []) if only.is_dir() => Err(Failure::InputIsDirectory(only.clone())),
        ([only], []) => Err(usage(
            format!("there is no test for {}, or no file for the test", only.display()),
            "lop TEST FILE, or lop FILE -- CMD ARGS…; see lop --help",
        )),
        ([_, files @ ..], []) => Err(several(files)),
        (files, _) if files.iter().all(|file| file.exists()) => Err(several(files)),
        ([first, second, ..], _) => Err(usage(
            format!("{} and {} stand before a command; one of them is too much", first.display(), second.display()),
            "lop TEST FILE without `--`, or lop FILE -- CMD ARGS…",
        )),
    }
}

fn several(files: &[PathBuf]) -> Failure {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    Failure::Usage {
        message: format!("several files: lop reduces one file at a time, and these are {}", names.join(", ")),
        hint: "reduce the one that matters most, with the others where the test finds them by their absolute paths; \
               then the next"
            .to_owned(),
    }
}

/// The first word, where it names a subcommand and nothing that is there: options stood before it.
fn late_command(words: &[PathBuf]) -> Option<&str> {
    let first = words.first().and_then(|word| word.to_str())?;
    let is_command = Cli::command().get_subcommands().any(|command| command.get_name() == first);
    (is_command && !suggestion::is_there(first)).then_some(first)
}

/// The parts in which the result must be minimal, and the engine's parameters.
fn search(args: &ReduceArgs) -> Result<(Option<Minimal>, Config), Failure> {
    let mut engine = Config { expect: args.expect_waste, ..Config::default() };
    if !args.simplify_only {
        return Ok((args.minimal.map(Into::into), engine));
    }
    if args.minimal.is_some_and(|minimal| minimal != MinimalArg::None) {
        return Err(Failure::Usage {
            message: "--simplify-only guarantees nothing, so the result cannot be --minimal in anything".to_owned(),
            hint: "give one of the two, or --minimal none".to_owned(),
        });
    }
    engine.theta = None;
    Ok((Some(Minimal::None), engine))
}

/// Standard output can carry one thing only; texts about the result follow each other.
fn check_stdout(args: &ReduceArgs, is_piped: bool) -> Result<(), Failure> {
    if args.reporting.report.as_deref().is_some_and(is_stdout) {
        return Err(Failure::Usage {
            message: "a page cannot be written to standard output".to_owned(),
            hint: "give --report the name of a file".to_owned(),
        });
    }
    let takers = [
        ("-o -", args.output.as_deref().is_some_and(is_stdout)),
        ("the result of standard input", is_piped && args.output.is_none()),
        ("--json -", args.json.as_deref().is_some_and(is_stdout)),
    ];
    let mut takers: Vec<&str> = takers.into_iter().filter(|(_, takes)| *takes).map(|(name, _)| name).collect();
    let texts = args.texts();
    if takers.len() + texts.len().min(1) < 2 {
        return Ok(());
    }
    takers.extend(texts);
    Err(Failure::Usage {
        message: format!("{} would all write to standard output", takers.join(" and ")),
        hint: "give -o or --json the name of a file, or leave one of them out".to_owned(),
    })
}

/// A fast reduction ends before anything is guaranteed.
fn check_fast(args: &ReduceArgs) -> Result<(), Failure> {
    if !args.fast {
        return Ok(());
    }
    if args.minimal.is_some_and(|minimal| minimal != MinimalArg::None) {
        return Err(Failure::Usage {
            message: "--fast guarantees nothing, so the result cannot be --minimal in anything".to_owned(),
            hint: "give one of the two, or --minimal none".to_owned(),
        });
    }
    Ok(())
}

/// Points out arguments that were swapped: the file can be run and the test cannot.
fn in_order(error: CommandError, test: &Path, file: &Path, conditions: Conditions) -> Failure {
    let swapped =
        matches!(error, CommandError::NotExecutable { .. }) && CommandOracle::test(file, test, conditions).is_ok();
    if !swapped {
        return error.into();
    }
    Failure::Usage {
        message: format!("{} is not executable", test.display()),
        hint: format!("TEST comes first: lop {} {}", file.display(), test.display()),
    }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    if piped::is_stdin(path) {
        return piped::read();
    }
    if path.is_dir() {
        return Err(Failure::InputIsDirectory(path.to_owned()));
    }
    fs::read(path).map_err(|source| match source.kind() {
        // A directory that cannot be looked at is told from one that can by nothing but this.
        io::ErrorKind::IsADirectory => Failure::InputIsDirectory(path.to_owned()),
        _ => Failure::Input { path: path.to_owned(), source },
    })
}

/// The test case, which has something in it.
pub(super) fn read_case(path: &Path) -> Result<Vec<u8>, Failure> {
    let content = read(path)?;
    if content.is_empty() && piped::is_stdin(path) {
        return Err(Failure::Usage {
            message: "standard input is empty: there is nothing to reduce".to_owned(),
            hint: "pipe the file that shows the bug into lop, or name it instead of `-`".to_owned(),
        });
    }
    if content.is_empty() && path.is_file() {
        return Err(Failure::Usage {
            message: format!("{} is empty: there is nothing to reduce", path.display()),
            hint: "name the file that shows the bug; what a redirection has emptied may still be in a copy".to_owned(),
        });
    }
    Ok(content)
}

/// The conditions as a sentence, for the message that they do not hold.
pub(super) fn in_words(spec: &ConditionSpec) -> String {
    let quoted = |patterns: &[String]| patterns.iter().map(|pattern| format!("/{pattern}/")).collect::<Vec<_>>();
    let one_of = |what: &str, values: &[String]| {
        if values.is_empty() { None } else { Some(format!("{what} {}", values.join(" or "))) }
    };
    let none_of = |what: &str, values: &[String]| match values {
        [] => None,
        [only] => Some(format!("{what} not matching {only}")),
        several => Some(format!("{what} matching neither {}", several.join(" nor "))),
    };
    let codes: Vec<String> = spec.exit_codes.iter().map(i32::to_string).collect();
    let other: Vec<String> = spec.not_exit_codes.iter().map(i32::to_string).collect();
    let other = one_of("an exit code other than", &other);
    let endings = [one_of("exit code", &codes), one_of("death by signal", &spec.signals)];
    let each = ", and ";
    let endings = endings.into_iter().flatten().collect::<Vec<_>>().join(each);
    let (ending, separator) = match (endings.is_empty(), spec.timeout_is_interesting) {
        (true, true) => (Some("a timeout".to_owned()), each),
        (true, false) => (None, each),
        (false, false) => (Some(endings), each),
        // Conditions on the output apply to both.
        (false, true) => (Some(format!("{endings}, or a timeout")), "; and "),
    };
    let outputs = [
        one_of("stdout matching", &quoted(&spec.stdout)),
        one_of("stderr matching", &quoted(&spec.stderr)),
        one_of("at the place that is named", &quoted(&spec.at)),
    ];
    let unwanted = [other, none_of("stdout", &quoted(&spec.not_stdout)), none_of("stderr", &quoted(&spec.not_stderr))];
    let outputs: Vec<String> = outputs.into_iter().flatten().collect();
    let wanted: Vec<String> = ending.into_iter().chain((!outputs.is_empty()).then(|| outputs.join(each))).collect();
    let wanted = (!wanted.is_empty()).then(|| wanted.join(separator));
    let all: Vec<String> = wanted.into_iter().chain(unwanted.into_iter().flatten()).collect();
    if all.is_empty() { "exit code 0".to_owned() } else { all.join(", and ") }
}

/// Where the journal of a run is kept unless the user says where: beside the result.
fn usual_folder(input: &Path, kept: &Kept) -> Option<PathBuf> {
    (!matches!(kept, Kept::Stdout)).then(|| state_directory(input, kept))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn meant(line: &[&str]) -> Result<Settings, Failure> {
        let words = std::iter::once("lop").chain(line.iter().copied());
        Settings::new(Cli::try_parse_from(words).expect("clap accepts it").reduce)
    }

    fn wrong(line: &[&str]) -> String {
        meant(line).expect_err("it is wrong").to_string()
    }

    #[test]
    fn each_wrong_form_has_its_own_message() {
        assert_eq!(wrong(&[]), "nothing to do");
        assert_eq!(wrong(&["a"]), "there is no test for a, or no file for the test");
        assert_eq!(wrong(&["--", "cc"]), "there is no file to reduce before `--`");
        assert_eq!(wrong(&["a", "b", "--", "cc"]), "a and b stand before a command; one of them is too much");
        for line in [&["-q", "passes"][..], &["-j2", "doctor", "a", "--", "cc"], &["--color=never", "verify", "b"]] {
            assert!(wrong(line).ends_with("is a command of lop only where it is the first word"), "{line:?}");
        }
        assert_eq!(wrong(&["-o", "-", "--diff", "a", "b"]), "-o - and --diff would all write to standard output");
    }

    #[test]
    fn the_input_is_read_and_its_grammar_chosen() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("case.unknown");
        fs::write(&file, "some words").expect("a file");
        let name = file.to_str().expect("plain");
        let settings = meant(&["sh", name, "-qj3"]).expect("sh is everywhere");
        assert_eq!((&*settings.content, settings.jobs), (&b"some words"[..], Some(Jobs::Exactly(3))));
        assert_eq!((settings.language(), settings.verbosity), ("text", Verbosity::Quiet));
        assert_eq!(settings.kept, Kept::InPlace);
        assert!(wrong(&["sh", directory.path().to_str().expect("plain")]).contains("is a directory"));
        assert!(wrong(&["sh", &format!("{name}.missing")]).contains("cannot read"));
        assert!(wrong(&["sh", name, "--stdout", "("]).contains("--stdout"));
        assert!(wrong(&["sh", "/dev/null"]).contains("not a regular file"));
        assert!(wrong(&["no-such-test-anywhere", name]).contains("no-such-test-anywhere"));
        fs::write(&file, "").expect("a file");
        assert!(wrong(&["sh", name]).ends_with("case.unknown is empty: there is nothing to reduce"));
    }

    #[test]
    fn conditions_read_like_a_sentence() {
        assert_eq!(in_words(&ConditionSpec::default()), "exit code 0");
        let spec = ConditionSpec {
            exit_codes: vec![1, 2],
            stderr: vec!["oops".into()],
            timeout_is_interesting: true,
            ..ConditionSpec::default()
        };
        assert_eq!(in_words(&spec), "exit code 1 or 2, or a timeout; and stderr matching /oops/");
        let spec = ConditionSpec { exit_codes: vec![3], timeout_is_interesting: true, ..ConditionSpec::default() };
        assert_eq!(in_words(&spec), "exit code 3, or a timeout");
        let spec = ConditionSpec {
            signals: vec!["SEGV".into()],
            not_stdout: vec!["a".into(), "b".into()],
            not_stderr: vec!["z".into()],
            ..ConditionSpec::default()
        };
        assert_eq!(
            in_words(&spec),
            "death by signal SEGV, and stdout matching neither /a/ nor /b/, and stderr not matching /z/"
        );
    }
}
