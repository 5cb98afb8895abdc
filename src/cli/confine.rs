//! The meaning of the options about a test's share of the machine.

use std::path::{Path, PathBuf};

use crate::oracle::{Confinement, Isolation, Limits};

use super::confine_args::{ConfineArgs, IsolateArg};
use super::failure::Failure;

impl TryFrom<ConfineArgs> for Confinement {
    type Error = Failure;

    fn try_from(args: ConfineArgs) -> Result<Self, Failure> {
        let bytes = |size: Option<usize>| size.map(|size| size as u64);
        let limits =
            Limits { memory: bytes(args.memory_limit), cpu: args.cpu_limit, file_size: bytes(args.file_size_limit) };
        let isolation = match args.isolate {
            IsolateArg::None => Isolation::None,
            IsolateArg::Pidns => Isolation::Pidns,
            IsolateArg::Bwrap => Isolation::Bwrap { network: !args.no_network },
        };
        if args.no_network && args.isolate != IsolateArg::Bwrap {
            let message = "--no-network needs --isolate bwrap, which is what takes the network away".to_owned();
            return Err(Failure::Usage { message, hint: "add --isolate bwrap, or leave --no-network out".to_owned() });
        }
        Ok(Confinement { limits, limiter: lop(), clean_environment: args.clean_env, environment: args.env, isolation })
    }
}

/// The program that is running, under a name that stays right when it is replaced by another version meanwhile.
fn lop() -> PathBuf {
    let here = Path::new("/proc/self/exe");
    if here.exists() { here.to_owned() } else { std::env::current_exe().unwrap_or_default() }
}
