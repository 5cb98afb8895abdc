//! `lop history DIR`: the best results of a reduction, as a list or one of them.

use std::io::{self, Write};
use std::path::Path;

use crate::failure::Failure;
use crate::piped::is_stdout;
use crate::state;
use crate::state_args::HistoryArgs;
use lop_files::disk::{self, ReadAccess};
use lop_journal::{Past, journal_file};
use lop_report::{Input, Kept, Store, steps, text};
use lop_run::oracle::exact_shell_line;

/// Writes the list, or the result that was asked for.
///
/// # Errors
/// When the journal cannot be read, has no such result, or the output cannot be written.
pub fn run(args: &HistoryArgs) -> Result<(), Failure> {
    let past =
        Past::read(&journal_file(&args.folder)).map_err(|error| state::not_found("history", &args.folder, error))?;
    let Some(number) = args.at else {
        let mut out = text::stdout();
        return steps::history(&mut out, &past).and_then(|()| out.flush()).or_else(Failure::unless_closed);
    };
    if number > past.steps.len() {
        let steps = text::plural(past.steps.len() as u64, "best result");
        return Err(Failure::Usage {
            message: format!("--at {number}: the journal has only {steps}"),
            hint: "omit --at to list them".to_owned(),
        });
    }
    let mut best = past.text(number)?;
    let files = past.archive.as_ref().map(|archive| archive.files(&best).len());
    let line = past.archive.as_ref().and_then(|archive| archive.words(&best)).map(|words| {
        let mut line = exact_shell_line(words.iter().map(|(_, word)| word.as_os_str()));
        line.push(b'\n');
        line
    });
    // The result of a command without files is its line. With files, the line is printed.
    let is_line = line.is_some() && files == Some(0);
    if is_line {
        best = line.unwrap_or_default();
    } else if let Some(line) = line.filter(|_| args.output.is_some()) {
        text::stdout().write_all(&line).or_else(Failure::unless_closed)?;
    }
    match args.output.as_deref().filter(|output| !is_stdout(output)) {
        Some(output) if let Some(archive) = past.archive.as_ref().filter(|_| !is_line) => {
            let mut store =
                Store::open(Input::Directory(past.path.clone(), archive.clone()), &Kept::File(output.to_owned()))?;
            store.finish(&best, &|| true).map_err(|source| not_written(output, source))
        }
        Some(output) => write(output, &best, ReadAccess::of_file(&past.path)),
        None => {
            let mut out = io::stdout().lock();
            out.write_all(&best).and_then(|()| out.flush()).or_else(Failure::unless_closed)
        }
    }
}

fn write(output: &Path, best: &[u8], audience: ReadAccess) -> Result<(), Failure> {
    let written = disk::create(output, audience, &|| true).and_then(|mut file| file.write_all(best));
    written.map_err(|source| not_written(output, source))
}

fn not_written(output: &Path, source: io::Error) -> Failure {
    Failure::Result { source, place: output.display().to_string(), kept: "the journal still has it".to_owned() }
}
