//! The options about tests on another machine, and the credentials, which are separate.

use std::error::Error;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde::Deserialize;

use lop_files::disk;
use lop_remote::{Address, Remote, RemoteOptions};

use lop_run::exec::Jobs;
use lop_run::oracle::RemoteRunner;

use super::failure::Failure;
use super::own_folder::user_folder;
use super::values::at_least_one;

/// The file next to the user's configuration.
const NAME: &str = "remote.toml";
/// Larger files are none of these.
const LARGEST: u64 = 1 << 20;
/// Default number of parallel tests.
const JOBS: usize = 16;
/// More threads that wait keep this machine from anything else.
const MOST_JOBS: usize = 2048;

/// Where tests run, if that is not this machine.
#[derive(Clone, Debug, Default, Args)]
pub struct RemoteArgs {
    /// Run the tests on a Remote Execution API server: grpc://HOST:PORT[/INSTANCE], grpcs, or none
    ///
    /// `none` is this machine; it overrides a file. lop sends TEST, the candidate, and what --with and --remote-input name.
    /// Everything else comes from the server's machines, including the program of a command; of the environment, only PATH
    /// is set. To authenticate, set LOP_REMOTE_HEADERS (NAME=VALUE, separated by `;`), LOP_REMOTE_CA, LOP_REMOTE_CERT and
    /// LOP_REMOTE_KEY (PEM files), or `ca`, `cert`, `key` and `[headers]` in remote.toml next to your lop.toml
    #[arg(long, value_name = "ADDRESS", value_parser = place, help_heading = ELSEWHERE)]
    pub remote: Option<Place>,
    /// Remote tests at the same time [default: -j, or 16]
    #[arg(long, value_name = "N", requires = "remote", value_parser = jobs, help_heading = ELSEWHERE)]
    pub remote_jobs: Option<usize>,
    /// Ask for a machine with this property, such as OSFamily=linux
    ///
    /// Repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = property, requires = "remote", help_heading = ELSEWHERE)]
    pub remote_property: Vec<(String, String)>,
    /// Send this file or directory along with TEST
    ///
    /// A path below the directory of TEST keeps its place relative to TEST; any other is next to TEST (repeatable)
    #[arg(long, value_name = "PATH", requires = "remote", help_heading = ELSEWHERE)]
    pub remote_input: Vec<PathBuf>,
    /// Whether each test runs even if the server has its outcome cached.
    #[arg(skip)]
    pub anew: bool,
}

/// `--remote`.
#[derive(Clone, Debug)]
pub enum Place {
    /// This machine.
    Here,
    /// Those of a server.
    There(Address),
}

fn place(text: &str) -> Result<Place, String> {
    if text == "none" {
        Ok(Place::Here)
    } else {
        text.parse().map(Place::There).map_err(|error: lop_remote::AddressError| format!("{error}, or none"))
    }
}

const ELSEWHERE: &str = "Tests on other machines";

impl RemoteArgs {
    /// The server, if one is named.
    pub(super) fn address(&self) -> Option<&Address> {
        match &self.remote {
            Some(Place::There(address)) => Some(address),
            Some(Place::Here) | None => None,
        }
    }

    /// Returns the options of a resumed run, changed by these.
    pub(super) fn replaced_by(self, now: &RemoteArgs) -> RemoteArgs {
        match (&now.remote, self) {
            (None, before) => before,
            (Some(Place::Here), _) => RemoteArgs::default(),
            (Some(Place::There(_)), before) => {
                RemoteArgs { remote_input: [before.remote_input, now.remote_input.clone()].concat(), ..now.clone() }
            }
        }
    }

    /// The words that say the same.
    pub(super) fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        words.extend(self.address().map(|address| format!("--remote={address}").into()));
        if words.is_empty() {
            return words;
        }
        words.extend(self.remote_jobs.iter().map(|jobs| format!("--remote-jobs={jobs}").into()));
        let properties = self.remote_property.iter();
        words.extend(properties.map(|(name, value)| format!("--remote-property={name}={value}").into()));
        words
            .extend(self.remote_input.iter().flat_map(|path| ["--remote-input".into(), path.clone().into_os_string()]));
        words
    }

    /// Returns the number of parallel tests; `local` is the number for this machine.
    pub(super) fn jobs(&self, local: Option<Jobs>) -> Option<Jobs> {
        match (self.address(), self.remote_jobs, local) {
            (None, ..) => local,
            (_, Some(jobs), _) => Some(Jobs::Exactly(jobs)),
            // The useful number cannot be measured on this machine.
            (_, None, None | Some(Jobs::Auto)) => Some(Jobs::Exactly(JOBS)),
            (_, None, exactly) => exactly,
        }
    }

    /// The server, if one is named. Nothing is asked of it yet.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a file, a header or a certificate that is none.
    pub(super) fn place(&self) -> Result<Option<Arc<dyn RemoteRunner>>, Failure> {
        let Some(address) = self.address() else { return Ok(None) };
        let proof = Proof::of_user()?;
        let options = RemoteOptions {
            anew: self.anew,
            properties: self.remote_property.clone(),
            headers: proof.headers.into_iter().collect(),
            authority: proof.ca.as_deref().map(pem).transpose()?,
            identity: match (proof.cert.as_deref(), proof.key.as_deref()) {
                (Some(certificate), Some(key)) => Some((pem(certificate)?, pem(key)?)),
                (None, None) => None,
                _ => return Err(usage("a certificate needs its key, and a key its certificate".to_owned())),
            },
            ..RemoteOptions::new(address.clone())
        };
        let remote = Remote::new(options).map_err(|error| {
            let causes = std::iter::successors(error.source(), |&error| error.source());
            usage(causes.fold(error.to_string(), |all, cause| format!("{all}: {cause}")))
        })?;
        Ok(Some(Arc::new(remote)))
    }
}

/// The user's credentials.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Proof {
    ca: Option<PathBuf>,
    cert: Option<PathBuf>,
    key: Option<PathBuf>,
    #[serde(default)]
    headers: std::collections::BTreeMap<String, String>,
}

impl Proof {
    /// Returns the user's credentials: from the file, and with precedence from the environment. Paths in the file are
    /// relative to its folder.
    fn of_user() -> Result<Self, Failure> {
        let mut proof = match user_folder() {
            Some(folder) => Self::of_file(&folder.join(NAME))?,
            None => Proof::default(),
        };
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        proof.ca = variable("LOP_REMOTE_CA").map(PathBuf::from).or(proof.ca);
        proof.cert = variable("LOP_REMOTE_CERT").map(PathBuf::from).or(proof.cert);
        proof.key = variable("LOP_REMOTE_KEY").map(PathBuf::from).or(proof.key);
        let headers = variable("LOP_REMOTE_HEADERS").unwrap_or_default().to_string_lossy().into_owned();
        for header in headers.split(';').map(str::trim).filter(|header| !header.is_empty()) {
            let (name, value) = property(header).map_err(|error| usage(format!("LOP_REMOTE_HEADERS: {error}")))?;
            proof.headers.insert(name, value);
        }
        Ok(proof)
    }

    fn of_file(path: &Path) -> Result<Self, Failure> {
        let text = match disk::read(path, LARGEST) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(Proof::default());
            }
            other => other.map_err(|error| usage(format!("cannot read {}: {error}", path.display())))?,
        };
        let proof: Result<Proof, _> = toml::from_str(&String::from_utf8_lossy(&text));
        let mut proof = proof.map_err(|error| usage(format!("{}: {}", path.display(), error.message())))?;
        let folder = path.parent().unwrap_or(path);
        for path in [&mut proof.ca, &mut proof.cert, &mut proof.key].into_iter().flatten() {
            *path = folder.join(&*path);
        }
        Ok(proof)
    }
}

fn pem(path: &Path) -> Result<Vec<u8>, Failure> {
    disk::read(path, LARGEST).map_err(|error| usage(format!("cannot read {}: {error}", path.display())))
}

fn usage(message: String) -> Failure {
    let hint = "see --remote in `lop help all`; remote.toml may have `ca`, `cert`, `key` and [headers]".to_owned();
    Failure::Usage { message, hint }
}

fn jobs(text: &str) -> Result<usize, String> {
    match at_least_one(text)? {
        jobs if jobs > MOST_JOBS => Err(format!("at most {MOST_JOBS}: each needs a thread on this machine")),
        jobs => Ok(jobs),
    }
}

/// A name and a value.
fn property(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err(format!("`{text}` is not NAME=VALUE")),
    }
}
