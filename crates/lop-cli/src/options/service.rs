//! `--setup` and `--ready`: a service that runs during the tests.

use std::sync::Arc;

use clap::Args;

use crate::command_words::command_words;
use crate::failure::Failure;
use crate::reduce_option::ReduceOption;
use crate::set_by::SetBy;
use crate::values::RUNNING;
use lop_run::oracle::Service;

/// `--setup` and `--ready`.
#[derive(Debug, Args)]
pub struct ServiceOption {
    /// Run a service during the tests
    ///
    /// CMD starts in the current directory before the first test and stays in the foreground, for example a database or
    /// an HTTP server. lop starts it again when it dies, and ends it at the end
    #[arg(long, value_name = "CMD", allow_hyphen_values = true, help_heading = RUNNING,
          add = SetBy::CommandLine("it is a part of one test"))]
    pub setup: Option<String>,
    /// Wait until CMD exits with 0 before tests use the service of --setup
    #[arg(long, value_name = "CMD", allow_hyphen_values = true, requires = "setup", help_heading = RUNNING,
          add = SetBy::CommandLine("it is a part of one test"))]
    pub ready: Option<String>,
}

impl ReduceOption for ServiceOption {
    const VERIFIED: bool = true;
}

impl ServiceOption {
    /// The service, which is not started yet.
    ///
    /// # Errors
    /// Something that is not a command, or cannot be run.
    pub(crate) fn service(&self) -> Result<Option<Arc<Service>>, Failure> {
        let Some(setup) = &self.setup else { return Ok(None) };
        let ready = self.ready.as_deref().map(|line| command_words("--ready", line)).transpose()?;
        Ok(Some(Arc::new(Service::new(&command_words("--setup", setup)?, ready.as_deref())?)))
    }
}
