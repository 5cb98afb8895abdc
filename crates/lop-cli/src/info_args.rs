//! The arguments of small commands: `completions`, `man`, `grammars` and `propose`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

use super::files_args::FilesArgs;
use super::grammar_args::GrammarArgs;

/// The name of the command that lists languages.
pub(crate) const GRAMMARS: &str = "grammars";

/// `lop completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// `lop man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Directory for lop.1 and a page for each command. lop creates it if needed [default: lop.1 on standard output]
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

/// `lop propose`.
#[derive(Debug, Args)]
pub struct ProposeArgs {
    /// A file name whose extension tells the language. The file need not exist [default: by content]
    #[arg(value_name = "NAME")]
    pub name: Option<PathBuf>,
    /// The language.
    #[command(flatten)]
    pub grammar: GrammarArgs,
}

/// The arguments of `lop grammars`.
#[derive(Debug, Args)]
pub struct GrammarsArgs {
    /// Show the syntax tree of this file
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The language of FILE.
    #[command(flatten)]
    pub grammar: GrammarArgs,
    /// Add the reduce.scm and language.toml of this directory to the language
    #[arg(long, value_name = "DIR", requires = "file")]
    pub rules: Option<PathBuf>,
    /// Also show the edits that each rule and each pass would propose in FILE
    #[arg(long, requires = "file", conflicts_with = "coverage")]
    pub proposals: bool,
    /// Show how often each rule matches in FILE instead, unused rules first
    #[arg(long, requires = "file")]
    pub coverage: bool,
    /// List the parsers that other programs have installed here, with the option to use each. lop runs none of them
    #[arg(long, conflicts_with = "file")]
    pub installed: bool,
    /// Show the tree and all proposals, however long they are
    #[arg(short, long, requires = "file")]
    pub verbose: bool,
    /// Whether files add to the command line.
    #[command(flatten)]
    pub files: FilesArgs,
}
