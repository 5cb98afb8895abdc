//! The driver: judges the input, lets the passes propose, runs tests, accepts candidates, and decides when to stop.
//!
//! ```text
//! baseline ─► comments ─► ┌ deletion ◄─► local edits ─► single tokens ─► rules ─► windows and pairs ─► ┐
//!                         │                                  what leads astray early ─► characters     │ ─► minimality
//!                         └────────────────────────── while something was found ◄──────────────────────┘      │
//!                                                                                          names, layout ◄────┘
//! ```
//!
//! A stage runs when the stages before it find nothing more; `plan.rs` has the order as data. [`ALL`](lop_passes::ALL)
//! lists the passes. A text that is too large or too dense for a tree is first cut down. [`isolate`] and [`corpus`]
//! answer two other questions than the smallest text.
//!
//! Internal to lop: no version of this crate promises anything.

mod baseline;
mod classes;
pub mod control;
pub mod corpus;
mod current;
mod descent;
mod difference;
mod edit_search;
pub mod error;
pub mod event;
mod evidence;
mod experience;
mod formatter;
mod gain;
mod gate;
mod interrupt;
pub mod isolate;
mod keep;
mod memory;
mod necessity;
pub mod options;
mod ordered;
pub mod outlook;
mod parsing;
mod passes;
mod payoff;
mod plan;
mod positions;
mod preview;
mod project;
mod question_source;
mod ranked;
mod rates;
mod reasons;
mod reducer;
mod report;
mod rounds;
mod session;
mod size;
mod speculation;
mod stages;
pub mod steps;
mod sweep;
mod syntax;
mod tally;
#[cfg(test)]
mod testing;
mod trust;
mod unused_policy;

use std::borrow::Borrow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use lop_engine::Verdict;
use lop_files::project::Kind;
use lop_grammar::Grammar;
use lop_passes::{Branch, Conditionals, Lines, Removal, Words, branches, clean, contents};
use lop_run::exec::Executor;
use lop_run::oracle::Cancel;
use lop_syntax::{Document, Edit, NodeId, ParseError, Stop, count_lines, count_words};

pub use control::Control;
pub use error::{ReduceError, SyntaxCause};
pub use event::{Event, EventSink, Silent};
pub use formatter::{Formatter, FormatterError};
pub use keep::{Keep, KeepError, KeepSpec};
pub use lop_passes::{Facts, Format, Growth, Pass, Prefer, Proposals, Stage, View};
pub use memory::{Record, Why};
pub use necessity::{Necessity, Reason};
pub use options::{Effort, MAX_PARSE, Minimal, Options, RateGoal, Schedule};
pub use outlook::{Importance, Outlook, RemainingEstimate};
pub use passes::Passes;
pub use preview::{Preview, Proposal};
pub use project::Project;
pub use report::{Counts, Ended, PassStats, Report, RuleStats};
pub use session::{BASELINE_DEADLINE, usual_deadline};
pub use size::Size;
pub use syntax::Syntax;
pub use tally::Rate;
pub use trust::Reliability;

use current::{Current, count};
use evidence::Evidence;
use interrupt::Interrupt;
use ordered::first_interesting;
use parsing::{parse, parser, tools};
use reasons::{necessity, necessity_of_files};
use reducer::{Input, Reducer};
use session::{Session, Tests};
use speculation::board::Speculation;
use stages::sweeps::{sweep_all, sweep_over};
use stages::text::shrink_until;
use steps::CLEAN;

/// Minimum number of tokens of a text whose own tree lop gives up. With five tests on three texts of 43, 148 and 1,040
/// tokens, the structure took more tests or left more in three. On four texts of 600 to 5,500 tokens, tests went from 147
/// to 146, 381 to 169, 379 to 118 and 239 to 259, and all results became smaller.
const SHAPELESS: usize = 200;
/// Nodes of this number of tokens, such as a string with its quotes, tell nothing of the text's shape.
const FEW: u32 = 3;

/// Comments and the characters of long strings are units but no tokens. A text with more bytes per token consists
/// mostly of these; with a model for a list of as few units as tokens, one in every few dozen would be expected to be
/// needed.
const BYTES_PER_LEAF: usize = 64;

/// A result of fewer bytes is parsed once more for the report.
const COUNT_AGAIN_BELOW: usize = 256 << 10;

/// The knowledge of the input before it is judged.
enum Read {
    Nothing,
    Tree(Result<Box<Document>, ParseError>),
}

impl Read {
    fn first(grammar: &Grammar, input: &Arc<[u8]>, stop: &Stop) -> Self {
        Read::Tree(parse(grammar, input, stop).map(Box::new))
    }

    fn document(&self) -> Option<&Document> {
        if let Read::Tree(Ok(document)) = self { Some(document) } else { None }
    }

    /// Number of leaves of the input for the engine's model: the units at the finest level.
    fn leaves(&self, input: &[u8]) -> usize {
        let tokens = match self {
            Read::Tree(Ok(document)) => document.tokens(),
            Read::Tree(Err(_)) | Read::Nothing => return input.len(),
        };
        tokens.max(input.len() / BYTES_PER_LEAF)
    }

    /// Whether the input was parsed and its tree is of no use.
    fn is_shapeless(&self) -> bool {
        matches!(self, Read::Tree(parsed) if is_shapeless(parsed))
    }
}

/// Reduces an input to a small text that is still interesting, with all choices. `lop::reduce` and `lop::reduce_on` are
/// shorter forms.
///
/// `grammar` determines the parser; `None` works on lines, words and characters. The executor runs the interestingness
/// test, the sink gets all events, and `cancel` ends the reduction early with the best result so far.
///
/// # Errors
/// When the options make no sense, the input is not interesting, the test is flaky or
/// accepts the empty file and the options do not allow that, the test cannot be run, or the sink fails.
///
/// # Panics
/// If the executor, the sink or one of the caller's passes panics. Only what the sink has stored of the result is left
/// then.
pub fn reduce_with(
    input: &[u8],
    grammar: Option<Arc<Grammar>>,
    executor: &mut dyn Executor,
    options: &Options,
    sink: &mut dyn EventSink,
    cancel: &Cancel,
) -> Result<Report, ReduceError> {
    reduce_shared(input.into(), grammar, executor, options, sink, cancel)
}

/// [`reduce_with`] for a text that the caller also keeps: a large text need not be in memory twice.
///
/// # Errors
/// The errors of [`reduce_with`].
///
/// # Panics
/// The panics of [`reduce_with`].
pub fn reduce_shared(
    input: Arc<[u8]>,
    grammar: Option<Arc<Grammar>>,
    executor: &mut dyn Executor,
    options: &Options,
    sink: &mut dyn EventSink,
    cancel: &Cancel,
) -> Result<Report, ReduceError> {
    let outer = cancel.expiry();
    let result = reduce_in_time(input, grammar, executor, options, sink, cancel);
    cancel.expire_at(outer);
    result
}

/// [`reduce_shared`], which leaves a time limit in `cancel`.
fn reduce_in_time(
    input: Arc<[u8]>,
    grammar: Option<Arc<Grammar>>,
    executor: &mut dyn Executor,
    options: &Options,
    sink: &mut dyn EventSink,
    cancel: &Cancel,
) -> Result<Report, ReduceError> {
    options.engine.check()?;
    options.passes.check()?;
    let project = options.project.as_ref();
    let of_files = |count_one: fn(&[u8]) -> usize| count(&input, project.map(Project::archive), count_one);
    let mut before = Size { bytes: of_files(<[u8]>::len), tokens: 0, lines: of_files(count_lines) };
    let slots = executor.slots();
    let stop: Stop = {
        let cancel = cancel.clone();
        Arc::new(move || cancel.is_stopped())
    };
    let said = grammar.clone();
    let grammar = match grammar {
        None if project.is_none() && is_text(&input) => Grammar::of_text(&input).ok().map(Arc::new),
        grammar => grammar,
    };
    let any_text = OnceLock::new();
    let threads = if executor.runs_beside() { Speculation::threads() } else { 0 };
    let speculation = Speculation::new();
    let mut tests = Tests::new(executor, sink, Arc::clone(&speculation));
    // While they run, the input is parsed. A small one is parsed in no time.
    let times = if input.len() > SMALL { baseline::RUNS as usize } else { 0 };
    tests.start_early(&input, times, options.deadline.unwrap_or(BASELINE_DEADLINE));
    let read = match grammar.as_deref() {
        Some(grammar) if input.len() <= options.max_parse() => Read::first(grammar, &input, &stop),
        _ => Read::Nothing,
    };
    before.tokens = match (&read, project) {
        (Read::Tree(Ok(document)), _) => document.tokens(),
        (_, Some(project)) => project.tokens(&input, options.max_parse(), &stop),
        _ => count_words(&input),
    };
    let errors = read.document().map_or(0, Document::errors);
    if let Some(wanted) = options.syntax
        && let Err(error) = check_syntax(wanted, said.as_deref(), &read)
    {
        tests.stop();
        return Err(error);
    }
    let files = project.map(|project| project.archive().entries(&input).len());
    let units = files.unwrap_or_else(|| before.tokens.max(read.leaves(&input)));
    let session = Session::new(Arc::clone(&input), before, grammar.clone(), tests, cancel, options);
    let mut reducer = Reducer {
        session,
        options,
        stop,
        input: Input {
            ends_line: !grammar.as_deref().is_some_and(Grammar::is_of_any_text)
                && files_of(&input, project).any(|file| input[file].ends_with(b"\n")),
        },
        tools: None,
        project,
        evidence: Evidence::nothing(units),
        other_languages: Default::default(),
        round: 0,
        couples: false,
        second_looks: Default::default(),
        two_parts_tests: 0,
        findings: Default::default(),
        experience: Vec::new(),
        rest: None,
    };
    let languages = project.map(Project::names).or_else(|| said.as_deref().map(|grammar| grammar.name().to_owned()));
    let by_structure = read.is_shapeless() && is_text(&input);
    let started = Event::Started {
        size: before,
        archive: project.map(Project::archive),
        grammar: languages.as_deref(),
        syntax_errors: errors,
        by_structure,
        slots,
    };
    let result = speculation.explored_by(threads, || {
        reducer.session.emit(&started)?;
        options.keep.notes().iter().try_for_each(|note| reducer.session.emit(&Event::Note(note)))?;
        run(&mut reducer, Languages { grammar: grammar.as_deref(), any_text: &any_text }, read)
    });
    let ended = match result {
        Ok(()) => Ended::Complete,
        Err(Interrupt::Ended(ended)) => ended,
        Err(Interrupt::Returned | Interrupt::Skipped) => unreachable!("the driver begins again"),
        Err(Interrupt::Failed(error)) => {
            reducer.session.stop_tests();
            return Err(error);
        }
    };
    finish(reducer, before, ended)
}

/// The languages that a text may be reduced in.
#[derive(Clone, Copy)]
struct Languages<'g> {
    grammar: Option<&'g Grammar>,
    /// The language of a text that no grammar makes a tree of, once it is needed.
    any_text: &'g OnceLock<Option<Grammar>>,
}

impl<'g> Languages<'g> {
    /// The language of a text that has no other.
    fn any_text(self, text: &[u8]) -> Option<&'g Grammar> {
        self.any_text.get_or_init(|| Grammar::of_text(text).ok().filter(|_| is_text(text))).as_ref()
    }
}

/// The tests of an input of more bytes start before it is parsed.
const SMALL: usize = 64 << 10;

/// Bytes at the start of an input that tell whether it is text.
const LOOKED_AT: usize = 64 << 10;

/// Whether an input is text: the examined part is valid UTF-8 without a NUL byte.
fn is_text(input: &[u8]) -> bool {
    let head = &input[..input.len().min(LOOKED_AT)];
    let is_cut = |error: std::str::Utf8Error| error.error_len().is_none() && head.len() < input.len();
    memchr::memchr(0, head).is_none() && std::str::from_utf8(head).map_or_else(is_cut, |_| true)
}

/// The contents of the files that an input is made of.
fn files_of<'i>(input: &'i [u8], project: Option<&'i Project>) -> impl Iterator<Item = Range<usize>> + 'i {
    let files = project
        .map(|project| contents(project.archive(), input, |entry| matches!(entry.kind, Kind::File | Kind::Argument)));
    files.unwrap_or_else(|| std::iter::once(0..input.len()).collect()).into_iter()
}

/// Checks whether the input's syntax is the kind that every candidate must have.
fn check_syntax(wanted: Syntax, grammar: Option<&Grammar>, read: &Read) -> Result<(), ReduceError> {
    let cause = match (grammar, read) {
        (None, _) => SyntaxCause::NoGrammar,
        (_, Read::Nothing) => SyntaxCause::TooLarge,
        (_, Read::Tree(Err(error))) => SyntaxCause::Unparsed(error.to_string()),
        (_, Read::Tree(Ok(document))) if wanted.holds(document.errors()) => return Ok(()),
        (_, Read::Tree(Ok(document))) => SyntaxCause::Otherwise(document.errors()),
    };
    Err(ReduceError::Syntax { wanted, cause })
}

fn run<'g>(reducer: &mut Reducer<'_, 'g>, languages: Languages<'g>, mut read: Read) -> Result<(), Interrupt> {
    let is_split = is_split(&read);
    reducer.begin(move |reducer| {
        // Speculation only collects questions; its end doesn't matter.
        let _ = reduce_text(reducer, languages, is_split, Read::Nothing);
    })?;
    let empty_is_interesting = baseline::judge(&mut reducer.session, reducer.options)?;
    let Options { keep, syntax, .. } = reducer.options;
    let stop = Arc::clone(&reducer.stop);
    let holds = |wanted: Syntax| {
        languages.grammar.is_some_and(|grammar| {
            parse(grammar, &Arc::default(), &stop).is_ok_and(|empty| wanted.holds(empty.errors()))
        })
    };
    let may_be_empty = keep.is_empty() && syntax.is_none_or(holds);
    if empty_is_interesting && !may_be_empty {
        reducer.session.remember(b"", Verdict::Invalid);
    } else if empty_is_interesting {
        return take_empty(reducer);
    }
    loop {
        let known = std::mem::replace(&mut read, Read::Nothing);
        let was_honest = !reducer.session.is_flaky();
        match reduce_best(reducer, languages, known).and_then(|()| reducer.session.confirm_result()) {
            // It is confirmed, and candidates that were refused meanwhile can be interesting.
            Ok(()) if was_honest && reducer.session.is_flaky() => {
                reducer.forget_refusals();
                reducer.start_over();
            }
            Err(Interrupt::Returned) if reducer.session.gives_up()? => return Ok(()),
            Err(Interrupt::Returned) => {
                reducer.forget_refusals();
                reducer.start_over();
            }
            Err(Interrupt::Skipped) => reducer.start_over(),
            other => return other,
        }
    }
}

/// The empty text is interesting and wanted.
fn take_empty(reducer: &mut Reducer<'_, '_>) -> Result<(), Interrupt> {
    let everything = Removal::Edits(vec![Edit::delete(0..reducer.current().source().len())]);
    let nothing = |_, current: &Current<'_>| current.candidate(std::iter::once(&everything), true);
    first_interesting(&mut reducer.session, 1, "everything", 1.0, nothing).map(|_| ())
}

/// Reduces the best result as far as possible. `read` has the known facts about it.
fn reduce_best<'g>(reducer: &mut Reducer<'_, 'g>, languages: Languages<'g>, read: Read) -> Result<(), Interrupt> {
    let is_split = is_split(&read);
    reduce_text(reducer, languages, is_split, read)
}

/// Whether conditionals may split the constructs of a text: a tree without errors has the groups in it.
fn is_split(read: &Read) -> bool {
    read.document().is_none_or(|document| document.errors() > 0)
}

/// Reduces the best result, from the passes before it has a tree. Speculation begins with this, too.
fn reduce_text<'g>(
    reducer: &mut Reducer<'_, 'g>,
    languages: Languages<'g>,
    is_split: bool,
    read: Read,
) -> Result<(), Interrupt> {
    let Some(grammar) = languages.grammar else { return plan::run(reducer) };
    let is_changed = clean_text(reducer, grammar)? | (is_split && resolve_conditionals(reducer, grammar)?);
    let read = if is_changed { Read::Nothing } else { read };
    if let Read::Tree(parsed) = read {
        return reduce_parsed(reducer, grammar, languages, parsed.map(|document| *document));
    }
    shrink_until(reducer, reducer.options.max_parse())?;
    if reducer.session.size().bytes > reducer.options.max_parse() {
        reducer.session.emit(&Event::Note("still too large to parse; continuing as text"))?;
        return plan::run(reducer);
    }
    reducer.session.check_memory()?;
    let parsed = parse(grammar, reducer.session.best(), &reducer.stop);
    reduce_parsed(reducer, grammar, languages, parsed)
}

/// Removes the text that the language allows to remove anywhere, before there is a tree. Returns `true` if something
/// was removed.
fn clean_text(reducer: &mut Reducer<'_, '_>, grammar: &Grammar) -> Result<bool, Interrupt> {
    // With `syntax`, each candidate would have to be parsed, and valid text has a good tree.
    if reducer.options.syntax.is_some() || !reducer.allows_step(&CLEAN) {
        return Ok(false);
    }
    let sequences = clean(reducer.current().source(), grammar);
    sweep_all(reducer, CLEAN.name, sequences)
}

/// Replaces groups of conditional lines by one of their branches, before the text has a tree; `true` if one became that.
fn resolve_conditionals(reducer: &mut Reducer<'_, '_>, grammar: &Grammar) -> Result<bool, Interrupt> {
    if reducer.options.syntax.is_some() || !reducer.allows(&Conditionals) {
        return Ok(false);
    }
    let mut found = false;
    for branch in [Branch::First, Branch::Last, Branch::None] {
        let sequence = branches(reducer.current().source(), grammar, branch);
        found |= sweep_all(reducer, Conditionals.name(), sequence.into_iter().collect())?;
    }
    Ok(found)
}

fn reduce_parsed<'g>(
    reducer: &mut Reducer<'_, 'g>,
    grammar: &'g Grammar,
    languages: Languages<'g>,
    parsed: Result<Document, ParseError>,
) -> Result<(), Interrupt> {
    let (mut grammar, mut parsed) = (grammar, parsed);
    if is_shapeless(&parsed) {
        drop(parsed);
        match languages.any_text(reducer.session.best()) {
            Some(any_text) => grammar = any_text,
            None => {
                sweep_over(reducer, &Lines)?;
                sweep_over(reducer, &Words)?;
            }
        }
        parsed = parse(grammar, reducer.session.best(), &reducer.stop);
    }
    plant(reducer, grammar, parsed)?;
    plan::run(reducer)
}

/// Makes the tree of the best result, if there is one.
fn plant<'g>(
    reducer: &mut Reducer<'_, 'g>,
    grammar: &'g Grammar,
    parsed: Result<Document, ParseError>,
) -> Result<(), Interrupt> {
    reducer.session.check_limits()?;
    let stop = &reducer.stop;
    match parsed.and_then(|document| Ok((document, tools(grammar, stop)?, parser(grammar, stop)?))) {
        Ok((document, tools, gate)) => reducer.plant(document, tools, gate),
        Err(error) => {
            reducer.session.emit(&Event::Note(&format!("{error}; continuing with lines, words and characters")))?;
        }
    }
    Ok(())
}

/// Whether a text has no useful tree: the parser gave up, or more than a third of the tokens are a flat list in syntax
/// errors. Such a tree isn't worth a parse for each test.
fn is_shapeless(parsed: &Result<impl Borrow<Document>, ParseError>) -> bool {
    let document = match parsed {
        Ok(document) => document.borrow(),
        Err(error) => return matches!(error, ParseError::TooHard),
    };
    let is_flat = |&id: &NodeId| {
        let in_error = document.parent(id).is_some_and(|parent| document.node(parent).is_error());
        in_error && document.tokens_of(id) <= FEW
    };
    let flat: usize = document.ids().filter(is_flat).map(|id| document.tokens_of(id) as usize).sum();
    document.tokens() >= SHAPELESS && flat * 3 > document.tokens()
}

fn finish(mut reducer: Reducer<'_, '_>, before: Size, ended: Ended) -> Result<Report, ReduceError> {
    if let Err(Interrupt::Failed(error)) = reducer.session.leave_ahead() {
        return Err(error);
    }
    let is_complete = ended == Ended::Complete && !reducer.session.is_hopeless();
    let minimal = if is_complete { reducer.minimal() } else { Minimal::None };
    let session = &reducer.session;
    let mut report = Report {
        best: session.best().to_vec(),
        archive: reducer.project.map(|project| project.archive().clone()),
        before,
        after: session.size(),
        ended,
        tests: session.statistics.counts,
        reliability: session.reliability(),
        cache_hits: session.statistics.cache_hits,
        from_journal: session.statistics.from_journal,
        from_shared_cache: session.statistics.from_shared_cache,
        gate_refusals: session.statistics.gate_refusals,
        gate_steps: session.gate_steps(),
        elapsed: session.clock.elapsed(),
        waiting: session.clock.waiting,
        testing: session.clock.testing,
        depths: reducer.evidence.knowledge.table(),
        passes: session.stats().to_vec(),
        rules: session.rule_stats(),
        skipped: session.skipped().to_vec(),
        left_out: std::mem::take(&mut reducer.findings.left_out).into_iter().collect(),
        kept_by_timeout: std::mem::take(&mut reducer.findings.kept_by_timeout),
        necessity: None,
        minimal,
        confirmed: session.confirmed().unwrap_or_else(|| (session.best().to_vec(), session.size())),
    };
    // After a stop inside a sweep, the number of tokens is only a difference. It is counted again in a small text.
    if let Some(project) = reducer.project {
        let most = reducer.options.max_parse();
        report.after.tokens = project.tokens(session.best(), most, &reducer.stop);
        reducer.session.forget_tree();
        let earlier = &mut reducer.findings.necessity;
        report.necessity = necessity_of_files(&reducer.session, project, most, &reducer.stop, earlier);
    } else if report.best.len() < COUNT_AGAIN_BELOW {
        reducer.session.forget_tree();
        // A user who has ended the run waits for this.
        if let Some(tools) = &reducer.tools
            && let Ok(mut parser) = tools.grammar.parser()
            && let Ok(document) = Document::parse(&mut parser, report.best.clone())
        {
            report.after.tokens = document.tokens();
            reducer.session.plant(document, tools.grammar, None);
        }
        let earlier = reducer.findings.necessity.pop_first().map(|(_, earlier)| earlier);
        report.necessity = necessity(&reducer.session).map(|now| now.or_earlier(earlier));
    }
    match reducer.session.emit(&Event::Finished(&report)) {
        Err(Interrupt::Failed(error)) => Err(error),
        _ => Ok(report),
    }
}
