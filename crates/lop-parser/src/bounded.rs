//! Parses that can be abandoned inside an operation, when they take too much memory or have to stop. This needs
//! [`install_allocator`].

use std::ffi::{c_char, c_void};
use std::ptr;

use tree_sitter::{IncludedRangesError, Language, LanguageError, Parser, Range, Tree, ffi};

/// A parser whose parses have bounds.
///
/// tree-sitter asks every hundred operations whether to stop, but one operation on a text with many readings can take
/// gigabytes. With [`install_allocator`], lop counts memory as it is allocated, which takes the same bytes on every
/// machine, and also asks then. Without it, only [`Bounds::progress`] limits a parse.
pub struct BoundedParser {
    /// `None` after an abandoned parse.
    parser: Option<Parser>,
    language: Language,
}

/// The questions that a parse asks, and how much memory it may take.
pub struct Bounds<'b, 't> {
    /// Bytes of the text from a place on, any number of them; none at its end.
    pub read: &'b mut dyn FnMut(usize) -> &'t [u8],
    /// Decides whether to continue, every hundred operations. The argument says whether all readings have an error by
    /// now.
    pub progress: &'b mut dyn FnMut(bool) -> bool,
    /// Decides whether to continue, for every 64 KB that are allocated. Needs [`install_allocator`].
    pub allocated: &'b mut dyn FnMut() -> bool,
    /// Bytes that the parse may hold at a time. Needs [`install_allocator`].
    pub memory: usize,
}

unsafe extern "C" {
    /// See `bounded.c`.
    safe fn lop_install_allocator();

    /// See `bounded.c`.
    fn lop_parse(
        parser: *mut ffi::TSParser,
        old: *const ffi::TSTree,
        input: *const ffi::TSInput,
        options: *const ffi::TSParseOptions,
        most: usize,
        go_on: unsafe extern "C" fn(*mut c_void) -> bool,
        payload: *mut c_void,
        abandoned: *mut bool,
    ) -> *mut ffi::TSTree;
}

/// Replaces the allocator of tree-sitter, for the whole process, by one that bounds the memory of each parse by a
/// [`BoundedParser`].
///
/// A program calls this once at its start, before another thread uses tree-sitter. Earlier parsers and trees stay valid
/// if their memory comes from `malloc`, which is the default. A program that has given tree-sitter another allocator
/// must not call this.
pub fn install_allocator() {
    lop_install_allocator();
}

impl Clone for BoundedParser {
    /// A parser of its own for the same language.
    fn clone(&self) -> Self {
        let parser = parser(&self.language).expect("the language was right for this one");
        BoundedParser { parser: Some(parser), language: self.language.clone() }
    }
}

impl BoundedParser {
    /// Makes a parser for a language.
    ///
    /// # Errors
    /// If the language was generated for another tree-sitter.
    pub fn new(language: &Language) -> Result<Self, LanguageError> {
        Ok(BoundedParser { parser: Some(parser(language)?), language: language.clone() })
    }

    /// The language that it parses.
    #[must_use]
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// Has the next parse look at these parts of its text only; at all of it, if there are none.
    ///
    /// # Errors
    /// If they do not ascend, or overlap.
    pub fn set_included_ranges(&mut self, ranges: &[Range]) -> Result<(), IncludedRangesError> {
        let mut parser = self.take();
        let done = parser.set_included_ranges(ranges);
        self.parser = Some(parser);
        done
    }

    /// Parses a text. With the edited tree of another text, the new tree shares the common parts with it. Returns
    /// `None` if the parse was stopped or needed too much memory; then the caller must set the included ranges again.
    pub fn parse(&mut self, old: Option<&Tree>, mut bounds: Bounds) -> Option<Tree> {
        let payload = ptr::from_mut(&mut bounds).cast();
        let input = ffi::TSInput { payload, read: Some(read), encoding: ffi::TSInputEncodingUTF8, decode: None };
        let options = ffi::TSParseOptions { payload, progress_callback: Some(progress) };
        let old = old.map(|tree| tree.clone().into_raw());
        let (parser, most, mut abandoned) = (self.take().into_raw(), bounds.memory, false);
        // SAFETY: parser and old tree are alive, the callbacks read `bounds`, which is alive until it comes back, and this
        // function owns nothing that a parse which is abandoned would jump over.
        let tree = unsafe {
            lop_parse(
                parser,
                old.map_or(ptr::null(), <*mut _>::cast_const),
                &raw const input,
                &raw const options,
                most,
                allocated,
                payload,
                &raw mut abandoned,
            )
        };
        if let Some(old) = old {
            // SAFETY: it is the clone from above.
            drop(unsafe { Tree::from_raw(old) });
        }
        if !abandoned {
            // SAFETY: the pointer comes from `take`.
            self.parser = Some(unsafe { Parser::from_raw(parser) });
        }
        if tree.is_null() {
            // An interrupted parser would continue with the old text.
            if let Some(parser) = &mut self.parser {
                parser.reset();
            }
            return None;
        }
        // SAFETY: the parser has made it, and gives it away.
        Some(unsafe { Tree::from_raw(tree) })
    }

    fn take(&mut self) -> Parser {
        self.parser.take().unwrap_or_else(|| parser(&self.language).expect("the language did fit"))
    }
}

fn parser(language: &Language) -> Result<Parser, LanguageError> {
    let mut parser = Parser::new();
    parser.set_language(language)?;
    Ok(parser)
}

/// [`Bounds::read`].
unsafe extern "C" fn read(payload: *mut c_void, at: u32, _: ffi::TSPoint, bytes_read: *mut u32) -> *const c_char {
    // SAFETY: the pointer comes from `parse`, and nothing else refers to it during the parse.
    let bounds = unsafe { &mut *payload.cast::<Bounds>() };
    let text = (bounds.read)(at as usize);
    // SAFETY: tree-sitter hands over a number of its own.
    unsafe { *bytes_read = u32::try_from(text.len()).unwrap_or(u32::MAX) };
    text.as_ptr().cast()
}

/// [`Bounds::progress`]. Says whether to stop.
unsafe extern "C" fn progress(state: *mut ffi::TSParseState) -> bool {
    // SAFETY: tree-sitter hands over a state of its own.
    let state = unsafe { *state };
    // SAFETY: as in `read`.
    let bounds = unsafe { &mut *state.payload.cast::<Bounds>() };
    !(bounds.progress)(state.has_error)
}

/// [`Bounds::allocated`].
unsafe extern "C" fn allocated(payload: *mut c_void) -> bool {
    // SAFETY: as in `read`.
    let bounds = unsafe { &mut *payload.cast::<Bounds>() };
    (bounds.allocated)()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Once;

    use super::*;

    /// Each may be a cast or a call.
    fn casts(count: usize) -> String {
        format!("int a = {}1;", "(a)-(b)-".repeat(count))
    }

    fn parse(parser: &mut BoundedParser, text: &str, memory: usize, asks: usize) -> (Option<Tree>, usize) {
        let asked = Cell::new(0);
        let mut allocated = || {
            asked.set(asked.get() + 1);
            asked.get() <= asks
        };
        let mut read = |at: usize| text.as_bytes().get(at..).unwrap_or_default();
        let bounds = Bounds { read: &mut read, progress: &mut |_| true, allocated: &mut allocated, memory };
        let tree = parser.parse(None, bounds);
        (tree, asked.get())
    }

    fn bounded() -> BoundedParser {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(install_allocator);
        BoundedParser::new(&tree_sitter_c::LANGUAGE.into()).expect("it fits")
    }

    #[test]
    fn a_parse_that_takes_too_much_is_abandoned_and_the_next_one_is_right() {
        let mut parser = bounded();
        let (text, small) = (casts(2_000), casts(10));
        let (right, _) = parse(&mut parser, &small, usize::MAX, usize::MAX);
        let right = right.expect("a tree").root_node().to_sexp();
        for _ in 0..20 {
            assert!(parse(&mut parser, &text, 1 << 20, usize::MAX).0.is_none());
            let (tree, _) = parse(&mut parser, &small, usize::MAX, usize::MAX);
            assert_eq!(tree.expect("a tree").root_node().to_sexp(), right);
        }
    }

    #[test]
    fn a_parse_is_told_to_stop_while_it_allocates_and_asks_alike_each_time() {
        let text = casts(2_000);
        let (tree, asks) = parse(&mut bounded(), &text, usize::MAX, 300);
        assert!(tree.is_none() && asks == 301, "{asks}");
        let all = || parse(&mut bounded(), &casts(500), usize::MAX, usize::MAX).1;
        assert_eq!(all(), all());
    }

    #[test]
    fn an_old_tree_outlives_a_parse_that_was_abandoned() {
        let mut parser = bounded();
        let text = casts(500);
        let (old, _) = parse(&mut parser, &text, usize::MAX, usize::MAX);
        let old = old.expect("a tree");
        let before = old.root_node().to_sexp();
        let mut read = |at: usize| text.as_bytes().get(at..).unwrap_or_default();
        let bounds = Bounds { read: &mut read, progress: &mut |_| true, allocated: &mut || false, memory: 1 };
        assert!(parser.parse(Some(&old), bounds).is_none());
        assert_eq!(old.root_node().to_sexp(), before);
    }
}
