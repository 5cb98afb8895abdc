//! The library leaves the allocator of tree-sitter to its program. A process has one of them, so this is the only test here.
#![expect(unsafe_code, reason = "tree-sitter takes pointers to the functions of an allocator")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use tree_sitter::{Allocator, set_allocator};

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
    static mut ts_current_malloc: unsafe extern "C" fn(usize) -> *mut c_void;
}

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn counted(size: usize) -> *mut c_void {
    ALLOCATED.fetch_add(1, Ordering::Relaxed);
    unsafe { malloc(size) }
}

/// Reduces a text with a parser. Returns how often the program's own allocator was asked.
fn reduce() -> usize {
    let before = ALLOCATED.load(Ordering::Relaxed);
    let has_needle = |text: &[u8]| text.windows(6).any(|part| part == b"needle");
    let config = lop::Config::new().file_name("x.json");
    let report = lop::reduce(br#"{"a": [1, 2, {"b": ["needle", 3]}], "c": {"d": 4}}"#, has_needle, &config);
    assert_eq!(report.expect("interesting").best, br#""needle""#);
    ALLOCATED.load(Ordering::Relaxed) - before
}

fn allocator() -> usize {
    unsafe { (&raw const ts_current_malloc).read() as usize }
}

#[test]
fn an_allocator_is_that_of_the_program_until_it_installs_the_other() {
    let linked = allocator();
    unsafe { set_allocator(None) };
    assert_eq!(linked, allocator(), "the library has set one");
    assert_eq!(reduce(), 0);

    unsafe { set_allocator(Some(Allocator { malloc: counted, calloc, realloc, free })) };
    assert!(reduce() > 0);
    assert_eq!(allocator(), counted as *const () as usize);

    // Memory from before is given back, and grows, in the new one.
    unsafe { set_allocator(None) };
    let mut parser = tree_sitter::Parser::new();
    let json = lop_languages::LANGUAGES.find("json").expect("it is built in");
    parser.set_language(&json.parser.language.into()).expect("it fits");
    let text = "[1, 2]";
    let tree = parser.parse(text, None).expect("a tree");
    lop::install_allocator();
    assert_ne!(linked, allocator());
    let longer = format!("[{}]", "1,".repeat(10_000));
    assert!(parser.parse(&longer, None).is_some_and(|tree| tree.root_node().child_count() > 0));
    assert_eq!(parser.parse(text, Some(&tree)).expect("a tree").root_node().to_sexp(), tree.root_node().to_sexp());
    drop((tree, parser));
    assert_eq!(reduce(), 0);
}
