//! Using lop as a library: the interestingness test is a function, and progress is printed as it
//! comes. Run it with `cargo run --example library_use`.

use std::io;
use std::path::Path;

use lop::engine::Verdict;
use lop::exec::Inline;
use lop::grammar::{AUTO, Registry};
use lop::oracle::Cancel;
use lop::reduce::{Event, EventSink};
use lop::{Options, reduce};

/// Prints every new best result.
struct Printer;

impl EventSink for Printer {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Accepted { size, tests, pass, .. } = event {
            anstream::println!("test {tests:>3}: {} bytes, {} tokens ({pass})", size.bytes, size.tokens);
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let input = include_bytes!("javascript-crash/input.js");
    let (grammar, _) = Registry::embedded()?.choose(AUTO, Path::new("input.js"), input)?;
    // Interesting is a method that is called on `this` inside a method.
    let mut test = Inline::new(|candidate: &[u8]| {
        let text = String::from_utf8_lossy(candidate);
        let interesting = text.contains("class ") && text.contains("this.print");
        if interesting { Verdict::Interesting } else { Verdict::NotInteresting }
    });
    let report = reduce(input, grammar, &mut test, &Options::default(), &mut Printer, &Cancel::new())?;
    anstream::println!("\n{}", String::from_utf8_lossy(&report.best));
    Ok(())
}
