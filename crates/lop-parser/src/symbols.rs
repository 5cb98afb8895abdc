//! Which parsers a library exports, read from its file: no code of it runs.

use std::path::Path;

use object::read::NameOrOrdinal;
use object::read::macho::{FatArch as _, MachOFatFile32, MachOFatFile64};
use object::{
    Architecture, BinaryFormat, File, FileKind, Object as _, ObjectSegment as _, ObjectSymbol as _, SymbolKind,
};

use super::LoadError;

/// The beginning of the names of functions that give parsers.
const START: &str = "tree_sitter_";

/// A parser's own scanner exports functions whose names have this in them.
const SCANNER: &str = "_external_scanner_";

/// A library that asks for this function calls it while it is loaded; only Node.js has it.
const REGISTERS: &str = "napi_module_register";

/// The language in a symbol.
pub(super) fn name(symbol: &str) -> &str {
    symbol.strip_prefix(START).unwrap_or(symbol)
}

/// The functions that give parsers, sorted.
pub(super) fn read(path: &Path, content: &[u8]) -> Result<Vec<String>, LoadError> {
    let no_library = || LoadError::NoLibrary(path.to_owned());
    let content = of_this_processor(content).ok_or_else(no_library)?;
    let file = File::parse(content).map_err(|_| no_library())?;
    let (found, here) = ((file.format(), file.architecture()), (FORMAT, processor()));
    if found != here {
        return Err(LoadError::OtherPlatform { path: path.to_owned(), found: in_words(found), here: in_words(here) });
    }
    let end = |(start, length): (u64, u64)| start.saturating_add(length);
    if file.segments().any(|segment| end(segment.file_range()) > content.len() as u64) {
        return Err(LoadError::CutShort(path.to_owned()));
    }
    let mut symbols: Vec<String> = match file.format() {
        BinaryFormat::Elf => {
            let functions = file
                .dynamic_symbols()
                .filter(|symbol| symbol.is_definition() && symbol.is_global() && symbol.kind() == SymbolKind::Text);
            functions.filter_map(|symbol| Some(symbol.name().ok()?.to_owned())).collect()
        }
        _ => file.exports().map_err(|_| no_library())?.filter_map(|export| named(&export.ok()?.name())).collect(),
    };
    symbols.retain(|name| name.starts_with(START) && !name.contains(SCANNER));
    symbols.sort_unstable();
    if file.dynamic_symbols().any(|symbol| symbol.is_undefined() && symbol.name_bytes() == Ok(REGISTERS.as_bytes())) {
        return Err(LoadError::NeedsNode(path.to_owned()));
    }
    Ok(symbols)
}

const FORMAT: BinaryFormat = if cfg!(target_vendor = "apple") { BinaryFormat::MachO } else { BinaryFormat::Elf };

fn processor() -> Architecture {
    match std::env::consts::ARCH {
        "x86_64" => Architecture::X86_64,
        "x86" => Architecture::I386,
        "aarch64" => Architecture::Aarch64,
        "arm" => Architecture::Arm,
        "riscv64" => Architecture::Riscv64,
        "powerpc64" => Architecture::PowerPc64,
        "s390x" => Architecture::S390x,
        "loongarch64" => Architecture::LoongArch64,
        _ => Architecture::Unknown,
    }
}

/// A file of macOS may hold a library for each processor.
fn of_this_processor(content: &[u8]) -> Option<&[u8]> {
    let here = processor();
    match FileKind::parse(content).ok()? {
        FileKind::MachOFat32 => {
            let file = MachOFatFile32::parse(content).ok()?;
            file.arches().iter().find(|part| part.architecture() == here)?.data(content).ok()
        }
        FileKind::MachOFat64 => {
            let file = MachOFatFile64::parse(content).ok()?;
            file.arches().iter().find(|part| part.architecture() == here)?.data(content).ok()
        }
        _ => Some(content),
    }
}

/// Returns the name of a symbol that a macOS library exports, without the underscore before it.
fn named(symbol: &NameOrOrdinal<&[u8]>) -> Option<String> {
    let NameOrOrdinal::Name(name) = symbol else { return None };
    std::str::from_utf8(name).ok()?.strip_prefix('_').map(str::to_owned)
}

fn in_words((format, processor): (BinaryFormat, Architecture)) -> String {
    let system = match format {
        BinaryFormat::Elf => "Linux or a BSD",
        BinaryFormat::MachO => "macOS",
        BinaryFormat::Pe | BinaryFormat::Coff => "Windows",
        _ => "another system",
    };
    let processor = match processor {
        Architecture::Unknown => "an unknown processor".to_owned(),
        known => format!("{known:?}"),
    };
    format!("{system} on {processor}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This test program: it has no parser, and tables like a library's.
    fn program() -> Vec<u8> {
        let path = std::env::current_exe().expect("it runs");
        std::fs::read(path).expect("it can be read")
    }

    #[test]
    fn a_file_that_is_cut_short_or_damaged_is_told() {
        let program = program();
        let path = Path::new("x");
        assert_eq!(read(path, &program).expect("it is whole"), [""; 0]);
        for length in [0, 1, 4, 16, 63, 64, 100, 1000, program.len() / 2, program.len() * 9 / 10] {
            let cut = read(path, &program[..length]).expect_err("it is cut");
            assert!(matches!(cut, LoadError::NoLibrary(_) | LoadError::CutShort(_)), "{length}: {cut}");
        }
        // The headers have numbers of any size, and no answer is a panic.
        let head: Vec<u8> = program[..program.len().min(1 << 20)].to_vec();
        for at in 0..1024.min(head.len()) {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut damaged = head.clone();
                damaged[at] = byte;
                let _ = read(path, &damaged);
            }
        }
    }
}
