//! `--generator`: the test case is what a command makes of the input.

use std::path::{Path, PathBuf};

use clap::Args;
use lop_reduce::Options;

use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::SEARCH;

/// The end of the name of the made file, unless the user gives another name.
const ENDING: &str = ".made";

/// `--generator` and `--made`.
#[derive(Debug, Args)]
pub struct GeneratorOption {
    /// Test what CMD makes of FILE, and reduce FILE
    ///
    /// FILE has the choices of a generator: bytes that CMD reads from standard input, or from `@@`. CMD writes the file to
    /// test to standard output, and fails if there are too few bytes. The smallest result is the shortest, then the first in
    /// lexicographic order
    #[arg(long, value_name = "CMD", allow_hyphen_values = true, help_heading = SEARCH,
          add = SetBy::CommandLine("it is a part of one test"))]
    pub generator: Option<String>,
    /// Name of the file that --generator makes [default: FILE.made]
    ///
    /// Tests see this name. At the end, lop writes what CMD makes of the result there
    #[arg(long, value_name = "PATH", requires = "generator", help_heading = SEARCH,
          add = SetBy::CommandLine("it is a part of one test"))]
    pub made: Option<PathBuf>,
}

impl ReduceOption for GeneratorOption {
    const VERIFIED: bool = true;

    fn set(&self, options: &mut Options) -> Result<(), Failure> {
        // It is written at the end, when hours may be lost.
        let folder = self.made.as_deref().and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
        if let (Some(made), Some(folder)) = (&self.made, folder.filter(|folder| !folder.is_dir())) {
            return Err(Failure::Usage {
                message: format!(
                    "--made {} cannot be written: there is no directory {}",
                    made.display(),
                    folder.display()
                ),
                hint: "create it, or name another file".to_owned(),
            });
        }
        if self.generator.is_some() {
            (options.choices, options.allow_empty) = (true, true);
        }
        Ok(())
    }
}

impl GeneratorOption {
    /// The path of the made file, if there is a generator. `result` is the place of the reduced choices.
    pub(crate) fn made(&self, result: &Path) -> Option<PathBuf> {
        self.generator.as_ref()?;
        let usual = || {
            let mut name = result.as_os_str().to_owned();
            name.push(ENDING);
            name.into()
        };
        Some(self.made.clone().unwrap_or_else(usual))
    }
}
