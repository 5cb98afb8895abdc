//! The finds of a fuzzer like libFuzzer, made small: an artifact is a file of bytes, mostly no text at all, and
//! the fuzz target is a function of it. Run it with `cargo run --example fuzz_artifact`, or with the path of a file.
//!
//! No byte of a part can go as long as its length says otherwise. lop finds the lengths by itself, and takes parts out
//! whole, or bytes of a part while it changes the length.
//!
//! A target that kills its process is a command for lop: `lop crash-adc83b19 -- ./fuzz_target @@`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lop::{Config, Prefer, Report};

/// The fuzz target: reads pictures made of chunks, each a marker, its kind, its length and its content.
fn target(data: &[u8]) {
    let Some(mut rest) = data.strip_prefix(b"\xFF\xD8") else { return };
    let mut palette: Vec<u8> = Vec::new();
    while let [0xFF, kind, length, content @ ..] = rest {
        let Some((content, behind)) = content.split_at_checked(usize::from(*length)) else { return };
        match kind {
            0xC4 => palette = content.to_vec(),
            // The bug: no check that the palette is that long.
            0xDA => content.iter().for_each(|&index| assert!(usize::from(index) < palette.len(), "no such colour")),
            _ => {}
        }
        rest = behind;
    }
}

/// An artifact: many chunks, one of which asks for a colour that is not there.
pub(crate) fn artifact() -> Vec<u8> {
    let mut data = b"\xFF\xD8".to_vec();
    let mut chunk = |kind: u8, content: &[u8]| {
        data.extend([0xFF, kind, u8::try_from(content.len()).expect("a short chunk")]);
        data.extend(content);
    };
    chunk(0xE0, b"JFIF\x00\x01\xFE\x80");
    chunk(0xC4, &[0x80, 0x90, 0xA0]);
    for row in 0..20 {
        chunk(0xDA, &[0, 1, 2, row % 3]);
        chunk(0xFE, &[0xF0 | row; 9]);
    }
    chunk(0xDA, &[1, 2, 0x97, 0]);
    chunk(0xFE, b"\xC3\x28 no text");
    data
}

/// Whether the target panics with the message that is looked for: another panic is another bug.
fn crashes(data: &[u8]) -> bool {
    let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(data))) else { return false };
    panic.downcast_ref::<&str>().is_some_and(|message| message.contains("no such colour"))
}

/// Makes an artifact small. Bytes count in it: it has no words.
pub(crate) fn run(data: &[u8]) -> Result<Report, lop::Error> {
    lop::reduce(data, crashes, &Config::new().language("text").options(|options| options.prefer = Prefer::Bytes))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The search is for panics here: no message need tell of each.
    std::panic::set_hook(Box::new(|_| {}));
    let data = match std::env::args_os().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => artifact(),
    };
    let report = run(&data)?;
    let (tests, best) = (report.tests.total(), &report.best);
    anstream::println!("{} bytes became {} in {tests} tests: {best:02x?}", data.len(), best.len());
    Ok(())
}
