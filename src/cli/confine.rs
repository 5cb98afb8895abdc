//! The meaning of the options about a test's share of the machine.

use std::path::{Path, PathBuf};

use crate::oracle::{Confinement, Isolation};

use super::confine_args::{ConfineArgs, IsolateArg};

impl From<ConfineArgs> for Confinement {
    fn from(args: ConfineArgs) -> Self {
        let isolation = match args.isolate {
            IsolateArg::None => Isolation::None,
            IsolateArg::Pidns => Isolation::Pidns,
            IsolateArg::Bwrap => Isolation::Bwrap { network: true },
            IsolateArg::Offline => Isolation::Bwrap { network: false },
        };
        Confinement { memory_limit: args.memory_limit.map(|size| size as u64), limiter: lop(), isolation }
    }
}

/// The program that is running, under a name that stays right when it is replaced by another version meanwhile.
fn lop() -> PathBuf {
    let here = Path::new("/proc/self/exe");
    if here.exists() { here.to_owned() } else { std::env::current_exe().unwrap_or_default() }
}
