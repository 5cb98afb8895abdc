//! A program's choices about a reduction: the language, the limits, the callback for events.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lop_grammar::{AUTO, Choice, Grammar, GrammarError, Registry};
use lop_languages::LANGUAGES;
use lop_passes::Pass;
use lop_reduce::{Event, EventSink, Options};
use lop_run::oracle::Cancel;

/// The function that gets the events.
type Callback<'a> = dyn FnMut(&Event<'_>) + 'a;

/// The choices about a reduction by [`reduce`](crate::reduce()). The default asks one candidate after the other, in
/// the caller's thread, and finds the language out by the content.
///
/// ```
/// use std::time::Duration;
///
/// let mut sizes = Vec::new();
/// let config = lop::Config::new()
///     .language("text")
///     .seed(7)
///     .max_time(Duration::from_secs(60))
///     .on_event(|event| {
///         if let lop::Event::Accepted { size, .. } = event {
///             sizes.push(size.bytes);
///         }
///     });
/// let report = lop::reduce(b"one two three", |text: &[u8]| text.contains(&b'w'), &config)?;
/// assert_eq!(report.best, b"w");
/// drop(config);
/// assert_eq!(sizes.last(), Some(&1));
/// # Ok::<(), lop::Error>(())
/// ```
pub struct Config<'a> {
    language: Language,
    file_name: PathBuf,
    on_event: Option<RefCell<Box<Callback<'a>>>>,
    pub(super) options: Options,
    pub(super) jobs: usize,
    pub(super) cancel: Cancel,
}

/// The ways to set the language.
#[derive(Debug)]
enum Language {
    Name(String),
    Grammar(Option<Arc<Grammar>>),
}

impl Default for Config<'_> {
    fn default() -> Self {
        Self {
            language: Language::Name(AUTO.to_owned()),
            file_name: PathBuf::new(),
            on_event: None,
            options: Options::default(),
            jobs: 1,
            cancel: Cancel::new(),
        }
    }
}

impl fmt::Debug for Config<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { language, file_name, options, jobs, cancel, .. } = self;
        let mut fields = f.debug_struct("Config");
        fields.field("language", language).field("file_name", file_name).field("options", options);
        fields.field("jobs", jobs).field("cancel", cancel).finish_non_exhaustive()
    }
}

impl<'a> Config<'a> {
    /// The default.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the language's name: `auto` for the one of the [file's name](Self::file_name) or the content, `text` for
    /// none, or one of those that `lop grammars` lists. An unknown name is an error of the reduction.
    #[must_use]
    pub fn language(self, name: impl Into<String>) -> Self {
        Self { language: Language::Name(name.into()), ..self }
    }

    /// A grammar that was loaded already, or none for text.
    #[must_use]
    pub fn with_grammar(self, grammar: Option<Arc<Grammar>>) -> Self {
        Self { language: Language::Grammar(grammar), ..self }
    }

    /// Sets the name of the input's file, whose extension determines the language. The file need not exist.
    #[must_use]
    pub fn file_name(self, name: impl Into<PathBuf>) -> Self {
        Self { file_name: name.into(), ..self }
    }

    /// Sets the number of candidates that are judged at the same time. With more than one, there is a thread for each;
    /// 0 means one per core. With one, the same input and [seed](Self::seed) give the same candidates in the same
    /// order.
    #[must_use]
    pub fn jobs(self, jobs: usize) -> Self {
        Self { jobs, ..self }
    }

    /// Seeds every choice that is left to chance.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = seed;
        self
    }

    /// Ends the reduction after this many tests, with the best result so far.
    #[must_use]
    pub fn max_tests(mut self, tests: u64) -> Self {
        self.options.max_tests = Some(tests);
        self
    }

    /// Ends the reduction after this much time, with the best result so far. A closure that runs then is not interrupted; an
    /// executor of commands with the same [`Config::cancel`] ends its test.
    #[must_use]
    pub fn max_time(mut self, time: Duration) -> Self {
        self.options.max_time = Some(time);
        self
    }

    /// Adds a pass of one's own.
    #[must_use]
    pub fn pass(mut self, pass: impl Pass + 'static) -> Self {
        self.options.passes.push(pass);
        self
    }

    /// Changes further options: the guarantee, the passes, the parts to keep, the measure of size.
    ///
    /// ```
    /// use lop::{Minimal, Prefer};
    ///
    /// let config = lop::Config::new().options(|options| {
    ///     options.minimal = Some(Minimal::Char);
    ///     options.prefer = Prefer::Bytes;
    /// });
    /// let report = lop::reduce(b"[10, 20, 3000]", |text: &[u8]| text.contains(&b'3'), &config)?;
    /// assert_eq!(report.best, b"3");
    /// # Ok::<(), lop::Error>(())
    /// ```
    #[must_use]
    pub fn options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    /// Ends the reduction as soon as `cancel` is stopped, from any thread, with the best result so far. A closure that
    /// runs then is not interrupted.
    ///
    /// ```
    /// use lop::{Cancel, Ended};
    ///
    /// let cancel = Cancel::new();
    /// let enough = cancel.clone();
    /// let config = lop::Config::new().cancel(&cancel).on_event(move |event| {
    ///     if let lop::Event::Accepted { size, .. } = event
    ///         && size.bytes < 10
    ///     {
    ///         enough.stop();
    ///     }
    /// });
    /// let report = lop::reduce(b"one two three four", |text: &[u8]| text.contains(&b'w'), &config)?;
    /// assert_eq!(report.ended, Ended::Cancelled);
    /// assert!(report.best.len() < 10);
    /// # Ok::<(), lop::Error>(())
    /// ```
    #[must_use]
    pub fn cancel(self, cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), ..self }
    }

    /// Has a closure called with every event, in the order in which things happen, in the thread that reduces. It takes
    /// the place of an earlier one. It must not reduce with the same `Config`.
    #[must_use]
    pub fn on_event(self, callback: impl FnMut(&Event<'_>) + 'a) -> Self {
        Self { on_event: Some(RefCell::new(Box::new(callback))), ..self }
    }

    /// Finds the grammar of an input; `None` is text.
    pub(super) fn grammar(&self, input: &[u8]) -> Result<Option<Arc<Grammar>>, GrammarError> {
        Ok(self.grammar_of(&Registry::of(&LANGUAGES)?, &self.file_name, input)?.0)
    }

    /// The grammar of a file of this name, and the reason for it.
    pub(super) fn grammar_of(
        &self,
        registry: &Registry<'_>,
        path: &Path,
        content: &[u8],
    ) -> Result<(Option<Arc<Grammar>>, Choice), GrammarError> {
        match &self.language {
            Language::Grammar(grammar) => Ok((grammar.clone(), Choice::Name)),
            Language::Name(name) => registry.choose(name, path, content),
        }
    }

    /// Makes the consumer of the driver's events.
    pub(super) fn sink(&self) -> impl EventSink + '_ {
        Told(self.on_event.as_ref())
    }
}

/// Calls the callback, if there is one.
struct Told<'c, 'a>(Option<&'c RefCell<Box<Callback<'a>>>>);

impl EventSink for Told<'_, '_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Some(callback) = self.0 {
            (callback.borrow_mut())(event);
        }
        Ok(())
    }
}
