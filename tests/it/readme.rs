//! What the README shows of reductions is so: the sizes are those of the files, what is shown as a result is one, and
//! the command comes to one that is as small.
//!
//! How many tests that takes, and which of several small results it is, depends on the compiler, and on where a half
//! program happens to crash. Nothing of that is promised, so nothing of it is compared.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::support::{Folder, Ran, has};

/// A machine under load is no reason for another result, and takes longer than other tests may.
const PATIENCE: [&str; 2] = ["--timeout", "60"];

/// A reduction that is shown.
struct Sample {
    /// The words behind `lop`.
    words: Vec<String>,
    /// The word that names the example's file.
    input: String,
    printed: String,
    /// The text of the result: the block behind that of the command.
    result: String,
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every session that reduces an example, with the block behind it.
fn samples() -> Vec<Sample> {
    let readme = fs::read_to_string(package().join("README.md")).expect("the package has a README");
    let blocks: Vec<&str> = readme.split("\n```").skip(1).step_by(2).collect();
    let mut samples = Vec::new();
    for (block, next) in blocks.iter().zip(&blocks[1..]) {
        let Some(session) = block.strip_prefix("console\n$ lop ") else { continue };
        let (line, printed) = session.split_once('\n').unwrap_or((session, ""));
        let words = shlex::split(line).expect("its quotes are closed");
        let is_input = |word: &&String| {
            let path = package().join(word);
            path.is_file() && path.file_stem() == Some("input".as_ref())
        };
        let Some(input) = words.iter().find(is_input).cloned() else { continue };
        let result = next.split_once('\n').expect("a block has lines").1.to_owned();
        samples.push(Sample { words, input, printed: printed.to_owned(), result });
    }
    samples
}

/// The numbers of the first line that begins with a word, if there is one.
fn numbers(printed: &str, word: &str) -> Option<Vec<usize>> {
    let line = printed.lines().find(|line| line.trim_start().starts_with(word))?.replace(',', "");
    Some(line.split_whitespace().filter_map(|word| word.parse().ok()).collect())
}

impl Sample {
    fn path(&self) -> PathBuf {
        package().join(&self.input)
    }

    /// Where the result goes.
    fn output(&self) -> &str {
        self.words.iter().skip_while(|word| *word != "-o").nth(1).expect("an example is not replaced")
    }

    /// Whether the programs are here that its test starts.
    fn can_run(&self) -> bool {
        let test = fs::read_to_string(self.path().with_file_name("test.sh")).unwrap_or_default();
        let said = format!("{} {test}", self.words.join(" "));
        ["cc", "node", "python3"].iter().filter(|tool| said.split_whitespace().any(|word| word == **tool)).all(|t| has(t))
    }

    /// Runs the command with these words in the place of others.
    fn run(&self, folder: &Folder, more: &[&str], other: &[(&str, &str)]) -> Ran {
        let word = |word: &String| {
            let found = other.iter().find(|(from, _)| from == word);
            found.map_or_else(|| word.clone(), |(_, to)| (*to).to_owned())
        };
        let more = more.iter().map(|word| (*word).to_owned());
        folder.lop(&more.chain(self.words.iter().map(word)).collect::<Vec<_>>())
    }
}

#[test]
fn the_samples_agree_with_their_files() {
    let samples = samples();
    assert!(!samples.is_empty(), "the README shows what a reduction comes to");
    for sample in samples {
        let name = &sample.input;
        let before = fs::read_to_string(sample.path()).expect("an example is text");
        if let Some(sizes) = numbers(&sample.printed, "bytes") {
            // What is shown of a file has no line break at its end.
            assert!(
                sizes[0] == before.len() && [0, 1].contains(&sizes[1].abs_diff(sample.result.len())),
                "{name}: {sizes:?}"
            );
        }
        if let Some(lines) = numbers(&sample.printed, "lines") {
            assert_eq!(lines[..2], [before.lines().count(), sample.result.lines().count()], "{name}");
        }
    }
}

#[test]
fn what_is_shown_is_a_result_and_the_command_comes_to_one_as_small() {
    for sample in samples().into_iter().filter(Sample::can_run) {
        let folder = Folder::new();
        symlink(package().join("examples"), folder.path("examples")).expect("our own folder");
        sample.run(&folder, &PATIENCE, &[]).expect_code(0);
        let result = String::from_utf8_lossy(&folder.read(sample.output())).into_owned();
        let most = sample.result.len() * 5 / 4 + 8;
        assert!(result.len() <= most, "more than {most} bytes, and the README has\n{}\n{result}", sample.result);
        // What is shown is asked about as an input: one that is not interesting ends the run with 1.
        let name = sample.path().file_name().expect("a file").to_string_lossy().into_owned();
        fs::create_dir(folder.path("shown")).expect("our own folder");
        let shown = format!("shown/{name}");
        folder.write(&shown, &sample.result);
        let one = [&PATIENCE[..], &["--max-tests", "1"]].concat();
        let ran = sample.run(&folder, &one, &[(&sample.input, &shown), (sample.output(), "again")]);
        assert!([Some(0), Some(3)].contains(&ran.code), "{}\n{}", sample.result, ran.stderr);
    }
}
