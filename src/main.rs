//! The program: runs the command line and ends with its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    lop::install_allocator();
    lop_cli::main()
}
