//! Several files as one test case, for programs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::thread;

use lop_engine::Verdict;
use lop_files::project::{Archive, Kind, Member};
use lop_grammar::Registry;
use lop_languages::LANGUAGES;
use lop_reduce::{Options, Project, Report, reduce_with};
use lop_run::exec::{Executor, Inline, Threads};

use crate::{Config, Error};

/// Files by their paths below a root.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The result of [`reduce_tree`].
#[derive(Debug)]
#[non_exhaustive]
pub struct TreeReport {
    /// The files that are left.
    pub files: Files,
    /// The report. Its `best` is the text of an [`Archive`] of the files.
    pub report: Report,
}

/// Reduces several files together to few small ones that a closure still calls interesting: files go or become empty, and
/// those in one language are worked on as one text. Each is in the language of its name.
///
/// ```
/// use std::path::Path;
///
/// let files = lop::Files::from([
///     ("main.c".into(), b"#include \"a.h\"\nint main(void) { return f(1, 2); }\n".to_vec()),
///     ("a.h".into(), b"int f(int a, int b);\nint g(void);\n".to_vec()),
///     ("README".into(), b"Says nothing.\n".to_vec()),
/// ]);
/// let has = |files: &lop::Files, path: &str, text: &str| {
///     files.get(Path::new(path)).is_some_and(|content| String::from_utf8_lossy(content).contains(text))
/// };
/// let test = |files: &lop::Files| has(files, "main.c", "f(") && has(files, "a.h", "int f");
///
/// let result = lop::reduce_tree(&files, test, &lop::Config::new())?;
///
/// assert_eq!(result.files.len(), 2);
/// assert_eq!(result.files[Path::new("main.c")], b"f();\n");
/// # Ok::<(), lop::Error>(())
/// ```
///
/// # Errors
/// The errors of [`reduce`](crate::reduce()), and [`Error::Path`] for a path that is no path below a root.
///
/// # Panics
/// When the closure does.
pub fn reduce_tree<V, F>(files: &Files, test: F, config: &Config<'_>) -> Result<TreeReport, Error>
where
    F: Fn(&Files) -> V + Sync,
    V: Into<Verdict>,
{
    let members: Vec<Member> = files.iter().map(|(path, content)| member(path, content)).collect();
    let (archive, text) = Archive::pack(&members);
    // An archive has no entry for a path that leads out.
    if let Some(path) = files.keys().find(|path| path.as_os_str().is_empty() || !is_plain(path)) {
        return Err(Error::Path(path.clone()));
    }
    let registry = Registry::of(&LANGUAGES)?;
    let project =
        Project::new(archive.clone(), &text, &registry, |path, content| config.grammar_of(&registry, path, content))?;
    let options = Options { project: Some(project), ..config.options.clone() };
    let asked = |candidate: &[u8]| test(&unpacked(&archive, candidate)).into();
    let run = |executor: &mut dyn Executor| {
        reduce_with(&text, None, executor, &options, &mut config.sink(), &config.cancel).map_err(Error::from)
    };
    let report = if config.jobs == 1 {
        run(&mut Inline::new(asked))?
    } else {
        thread::scope(|scope| run(&mut Threads::new(scope, config.jobs, &asked)?))?
    };
    Ok(TreeReport { files: unpacked(&archive, &report.best), report })
}

fn is_plain(path: &Path) -> bool {
    path.components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

fn member(path: &Path, content: &[u8]) -> Member {
    Member { path: path.as_os_str().as_bytes().to_vec(), kind: Kind::File, mode: 0o644, content: content.to_vec() }
}

fn unpacked(archive: &Archive, text: &[u8]) -> Files {
    let files = archive.members(text).into_iter();
    files.map(|member| (OsString::from_vec(member.path).into(), member.content)).collect()
}
