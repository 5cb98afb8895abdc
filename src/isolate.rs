//! The difference between a text that passes and one that fails, for programs.

use std::sync::Arc;
use std::time::Instant;

use lop_engine::{Answer, Verdict};
use lop_reduce::isolate::{Isolated, Pair, isolate as isolate_pair};
use lop_syntax::Stop;

use crate::{Config, Error};

/// A limit was reached, or a stop was asked for.
struct Stopped;

/// Brings a text that passes and a text that fails as near to each other as possible.
///
/// The closure answers with `true` for a text that fails and with `false` for one that passes. A text with any other
/// [`Verdict`] is neither. It is called in the caller's thread.
///
/// Of the [`Config`] only the language, the file's name, the limits and [`Config::cancel`] have an effect. After a limit
/// or a stop the two texts are the nearest so far, and [`Isolated::is_complete`] is false.
///
/// ```
/// let passing = b"move 3 draw 4 turn 2";
/// let failing = b"move 3 jump 4 turn 7";
/// let fails = |text: &[u8]| text.windows(4).any(|part| part == b"jump");
///
/// let found = lop::isolate(passing, failing, fails, &lop::Config::new().language("text"))?;
///
/// assert!(fails(&found.failing) && !fails(&found.passing));
/// assert_eq!(found.differences.len(), 1);
/// # Ok::<(), lop::Error>(())
/// ```
///
/// # Errors
/// [`Error::Pair`] if the first text does not pass or the second does not fail, and an unknown language.
///
/// # Panics
/// When the closure does.
pub fn isolate<V, F>(passing: &[u8], failing: &[u8], mut test: F, config: &Config<'_>) -> Result<Isolated, Error>
where
    F: FnMut(&[u8]) -> V,
    V: Into<Verdict>,
{
    let grammar = config.grammar(failing)?;
    let cancel = config.cancel.child();
    cancel.expire_at(config.options.max_time.and_then(|time| Instant::now().checked_add(time)));
    let mut ask = |text: &[u8]| match test(text).into() {
        Verdict::Interesting => Answer::Fails,
        Verdict::NotInteresting => Answer::Passes,
        Verdict::Invalid | Verdict::Timeout => Answer::Unresolved,
    };
    if ask(failing) != Answer::Fails {
        return Err(Error::Pair("the failing text does not fail"));
    }
    if ask(passing) != Answer::Passes {
        return Err(Error::Pair("the passing text does not pass"));
    }
    let stop: Stop = {
        let cancel = cancel.clone();
        Arc::new(move || cancel.is_stopped())
    };
    let pair = Pair { passing, failing, archive: None, grammar: grammar.as_ref(), stop: Some(&stop) };
    let (mut nearest, mut tests) = ((passing.to_vec(), failing.to_vec()), 0);
    let found = isolate_pair(pair, |candidate| {
        // Both texts have taken a test.
        let is_spent = config.options.max_tests.is_some_and(|most| tests as u64 + 2 >= most);
        if is_spent || cancel.is_stopped() {
            return Err(Stopped);
        }
        tests += 1;
        let answer = ask(candidate);
        match answer {
            Answer::Passes => nearest.0 = candidate.to_vec(),
            Answer::Fails => nearest.1 = candidate.to_vec(),
            Answer::Unresolved | Answer::Refused => {}
        }
        Ok(answer)
    });
    Ok(found.unwrap_or_else(|Stopped| Isolated {
        passing: nearest.0,
        failing: nearest.1,
        differences: Vec::new(),
        levels: Vec::new(),
        tests,
        refused: 0,
        is_complete: false,
    }))
}
