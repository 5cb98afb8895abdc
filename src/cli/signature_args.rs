//! What was typed about runs that say themselves what is to be kept, and about second commands.

use clap::Args;

/// What is interesting where no test says so, and what else must hold.
#[derive(Debug, Default, Args)]
pub struct SignatureArgs {
    /// Insist that the command crashes on FILE, and keep that crash
    #[arg(long, help_heading = SIGNATURE, conflicts_with_all = CONDITIONS)]
    pub crash: bool,
    /// Do not ask whether the signature that was found is the one to keep
    #[arg(short = 'y', long, help_heading = SIGNATURE)]
    pub yes: bool,
    /// This second command must end on a candidate with the exit code it has on FILE (repeatable): 'other-cc -c @@.c'
    #[arg(long, value_name = "CMD2", allow_hyphen_values = true, help_heading = SIGNATURE)]
    pub while_passing: Vec<String>,
    /// Refuse candidates with new compiler warnings of the kinds that mean undefined behaviour
    #[arg(long, value_name = "LANGUAGE", help_heading = SIGNATURE)]
    pub guard: Option<String>,
}

/// Who says what is interesting has no use for a crash that is found.
const CONDITIONS: [&str; 8] =
    ["exit_code", "signal", "stdout", "stderr", "not_stdout", "not_stderr", "not_exit_code", "timeout_is_interesting"];

const SIGNATURE: &str = "Without a test script (a CMD that fails on FILE says what is interesting)";
