//! The meaning of the options about a test's share of the machine.

use std::path::{Path, PathBuf};

use lop_run::oracle::{Confinement, Isolation};

use super::confine_args::{ConfineArgs, IsolateArg};
use super::failure::Failure;

impl ConfineArgs {
    /// The confinement that is meant.
    ///
    /// # Errors
    /// [`Failure::Usage`] when the other machine cannot be spoken to as asked for.
    pub(super) fn confinement(&self) -> Result<Confinement, Failure> {
        let isolation = match self.isolate {
            IsolateArg::None => Isolation::None,
            IsolateArg::Pidns => Isolation::Pidns,
            IsolateArg::Bwrap => Isolation::Bwrap { network: true },
            IsolateArg::Offline => Isolation::Bwrap { network: false },
        };
        #[cfg(feature = "remote")]
        if self.remote.address().is_some() && (isolation != Isolation::None || self.memory_limit.is_some()) {
            return Err(Failure::Usage {
                message: "--isolate and --memory-limit don't work with --remote".to_owned(),
                hint: "omit them, or use --remote none".to_owned(),
            });
        }
        #[cfg(feature = "remote")]
        let (remote, inputs) = (self.remote.place()?, self.remote.remote_input.clone());
        #[cfg(not(feature = "remote"))]
        let (remote, inputs) = Default::default();
        let memory_limit = self.memory_limit.map(|size| size as u64);
        Ok(Confinement { memory_limit, limiter: lop(), isolation, remote, inputs })
    }
}

/// The program that is running, under a name that stays right when it is replaced by another version meanwhile.
fn lop() -> PathBuf {
    let here = Path::new("/proc/self/exe");
    if here.exists() { here.to_owned() } else { std::env::current_exe().unwrap_or_default() }
}
