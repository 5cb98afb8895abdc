//! Runs commands on the machines of a server of the Remote Execution API, version 2: [`Remote`] is the [`RemoteRunner`]
//! of an oracle.
//!
//! ```text
//!   action ─► packed action: blobs by digest     ─► server: known? ─► what is missing goes there ─► run ─► answer
//!                                                  ▲                                                     │
//!                                                  └─── control actions, if the answer is in doubt     ◄─┘
//! ```
//!
//! A failed call is repeated after growing pauses, as long as some call has succeeded within
//! [`RemoteOptions::patience`]. A failure without output may come from a machine with a broken sandbox, so it only
//! counts if a control action succeeded within the last second.
//!
//! Internal to lop: no version of this crate promises anything.

mod packed_action;
mod server;

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use lop_run::oracle::{Action, CASE, Cancel, Exit, Folder, Node, RemoteResult, RemoteRunner, RunnerError};

use packed_action::PackedAction;
use server::{Channel, Headers, RpcError, Server};

/// The first pause after a failed call; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(3);
/// Time to wait for the first answer of a server: its address may be wrong.
const FIRST: Duration = Duration::from_secs(15);
/// Interval between two checks for a request to stop.
const TICK: Duration = Duration::from_millis(20);
/// Time limit of a connection, and interval of its keep-alives.
const CONTACT: Duration = Duration::from_secs(10);
/// Age at which the control action for a file must be repeated before a doubtful answer counts.
const DOUBT: Duration = Duration::from_secs(1);
/// Age at which it must be repeated before any answer counts. It also applies to the control action for the input.
const TRUST: Duration = Duration::from_secs(30);
/// The control action for the input takes at most one part in this number of the time.
const RARELY: u32 = 20;
/// The exit code of the control action for a file.
const KNOWN: i32 = 7;
/// Number of runs with another outcome after which a machine counts as broken.
const TRIES: usize = 3;

/// The address of a server: `grpc://HOST:PORT[/INSTANCE]`, or `grpcs` for one that shows a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    is_secret: bool,
    host: String,
    instance: String,
}

/// A text that is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it has the form grpc://HOST:PORT[/INSTANCE], or grpcs")]
pub struct AddressError;

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let wanted = || AddressError;
        let (scheme, rest) = text.split_once("://").ok_or_else(wanted)?;
        let is_secret = match scheme {
            "grpc" => false,
            "grpcs" => true,
            _ => return Err(wanted()),
        };
        let (host, instance) = rest.split_once('/').unwrap_or((rest, ""));
        let (name, port) = host.rsplit_once(':').ok_or_else(wanted)?;
        let is_good = |letter: char| letter.is_ascii_alphanumeric() || "-._:[]".contains(letter);
        if name.is_empty() || !name.chars().all(is_good) || port.parse::<u16>().is_err() {
            return Err(wanted());
        }
        let instance = instance.trim_matches('/').to_owned();
        Ok(Address { is_secret, host: host.to_owned(), instance })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.instance.is_empty() { "" } else { "/" };
        write!(f, "grpc{}://{}{separator}{}", if self.is_secret { "s" } else { "" }, self.host, self.instance)
    }
}

/// A server, and how to connect to it.
#[derive(Clone)]
pub struct RemoteOptions {
    /// Its address.
    pub address: Address,
    /// The properties of the machines that may run an action, such as `OSFamily` and `container-image`.
    pub properties: Vec<(String, String)>,
    /// The headers of each call, for example for authentication.
    pub headers: Vec<(String, String)>,
    /// The authority that signed the server's certificate, in PEM. `None` means those that the system trusts.
    pub authority: Option<Vec<u8>>,
    /// The client's certificate and its key, in PEM.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
    /// Time without a successful call after which the server counts as gone.
    pub patience: Duration,
    /// Whether to run each action, even if the server has its answer cached.
    pub anew: bool,
}

impl fmt::Debug for RemoteOptions {
    /// Leaves out secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteOptions").field("address", &self.address).finish_non_exhaustive()
    }
}

impl RemoteOptions {
    /// The default patience: a restarted server is back sooner.
    pub const PATIENCE: Duration = Duration::from_secs(60);

    /// Sets only the address.
    #[must_use]
    pub fn new(address: Address) -> Self {
        RemoteOptions {
            address,
            properties: Vec::new(),
            headers: Vec::new(),
            authority: None,
            identity: None,
            patience: Self::PATIENCE,
            anew: false,
        }
    }
}

/// Errors of connecting to a server.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The system refuses a thread or a descriptor.
    #[error("cannot start the connection to a server")]
    Start(#[source] std::io::Error),
    /// A header is invalid.
    #[error("`{0}` is not a header: write NAME=VALUE in ASCII, with NAME in lower case")]
    Header(String),
    /// A certificate, a key or the address is invalid.
    #[error("cannot connect to {address}")]
    Transport {
        /// The address.
        address: Address,
        /// The cause.
        source: tonic::transport::Error,
    },
}

/// A server of the Remote Execution API that runs the commands of tests. It connects when the first test runs.
pub struct Remote {
    options: RemoteOptions,
    server: Server,
    /// Actions that were sent. A repeated action bypasses the server's cache, because a cached answer is no new
    /// evidence.
    asked: Mutex<HashSet<String>>,
    state: Mutex<Contact>,
    /// Time of the last success of the control action for a file. Locked while it runs.
    known: tokio::sync::Mutex<Option<Instant>>,
    first: Mutex<Option<First>>,
    /// The last field, so that it is dropped last.
    runtime: Runtime,
}

/// The first action of the run, which is about the input.
struct First {
    parcel: Arc<PackedAction>,
    /// Its outcome.
    exit: Exit,
    /// Number of repetitions.
    every: Duration,
    /// Time of the last one.
    asked: Instant,
}

/// The state of the connection.
#[derive(Default)]
struct Contact {
    has_answered: bool,
    /// Time since which no call succeeded.
    failing: Option<Instant>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Remote {
    /// Connects to a server with these options.
    ///
    /// # Errors
    /// [`RemoteError`]. A missing server is only detected by the first action.
    pub fn new(options: RemoteOptions) -> Result<Self, RemoteError> {
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("lop-remote").enable_all().build();
        let runtime = runtime.map_err(RemoteError::Start)?;
        let server = {
            let _inside = runtime.enter();
            Server::new(line(&options)?, options.address.instance.clone())
        };
        let (asked, state, known, first) = Default::default();
        Ok(Remote { options, server, asked, state, known, first, runtime })
    }

    /// Runs an action until there is a reliable answer.
    async fn answer(
        &self,
        parcel: &Arc<PackedAction>,
        anew: bool,
        started: &Mutex<String>,
    ) -> Result<RemoteResult, RunnerError> {
        let mut pause = PAUSE;
        // An unreliable answer must not come from a cache.
        let mut anew = anew;
        loop {
            let asked = match if self.has_answered() { Ok(()) } else { self.server.check().await } {
                Ok(()) => self.server.ask(parcel, anew, started).await,
                Err(trouble) => Err(trouble),
            };
            let believed = match asked {
                Ok(ran) => self.believe(parcel, &ran).await.map(|()| ran),
                Err(trouble) => Err(trouble),
            };
            let trouble = match believed {
                Ok(ran) => {
                    *lock(&self.state) = Contact { has_answered: true, failing: None };
                    return Ok(ran);
                }
                Err(trouble) => trouble,
            };
            let failing = lock(&self.state).failing.get_or_insert_with(Instant::now).elapsed();
            let patience = if self.has_answered() { self.options.patience } else { self.options.patience.min(FIRST) };
            if !trouble.passes || failing + pause > patience {
                let place = self.options.address.to_string();
                return Err(RunnerError::Unreachable { place, cause: trouble.message.into() });
            }
            anew = true;
            tokio::time::sleep(pause).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    fn has_answered(&self) -> bool {
        lock(&self.state).has_answered
    }

    /// Whether an answer is reliable; runs control actions if that is in doubt.
    async fn believe(&self, parcel: &Arc<PackedAction>, ran: &RemoteResult) -> Result<(), RpcError> {
        let is_blank = ran.stdout.is_empty() && ran.stderr.is_empty() && ran.exit != Exit::Code(0);
        {
            let mut known = self.known.lock().await;
            if known.is_none_or(|when| when.elapsed() > if is_blank { DOUBT } else { TRUST }) {
                self.ask_known().await?;
                *known = Some(Instant::now());
            }
        }
        let due = {
            let mut first = lock(&self.first);
            let now = Instant::now();
            match &mut *first {
                // The first answer is about the input: its outcome must stay the same.
                None => {
                    let every = TRUST.max(ran.duration.saturating_mul(RARELY));
                    *first = Some(First { parcel: Arc::clone(parcel), exit: ran.exit, every, asked: now });
                    None
                }
                Some(first) if first.asked + first.every < now => {
                    // The other threads continue meanwhile.
                    first.asked = now;
                    Some((Arc::clone(&first.parcel), first.exit))
                }
                Some(_) => None,
            }
        };
        match due {
            Some((first, exit)) => self.ask_first(&first, exit).await,
            None => Ok(()),
        }
    }

    /// Runs the control action: it returns the content of a file and an exit code, which only a working machine can do.
    async fn ask_known(&self) -> Result<(), RpcError> {
        let said = format!("{} {:?}", std::process::id(), Instant::now());
        let file = Node::File(Arc::new(said.clone().into_bytes().into()), false);
        let case = Folder::from([("known".into(), file)]);
        let words = ["/bin/sh", "-c", "cat known; exit 7"].map(Into::into).to_vec();
        let action = Action { words, root: Folder::from([(CASE.into(), Node::Folder(Arc::new(case)))]) };
        let parcel = PackedAction::pack(&action, CONTACT, &self.options.properties)
            .map_err(|error| RpcError::passing(error.to_string()))?;
        let ran = self.server.ask(&parcel, true, &Mutex::default()).await?;
        if (ran.exit, &ran.stdout[..]) == (Exit::Code(KNOWN), said.as_bytes()) {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&ran.stderr);
        Err(RpcError::passing(format!(
            "a machine there is broken: `cat` of a file and `exit {KNOWN}` ended with {} and {} bytes{}{}",
            ran.exit,
            ran.stdout.len(),
            if stderr.is_empty() { "" } else { ", and said " },
            stderr.trim_end(),
        )))
    }

    async fn ask_first(&self, first: &PackedAction, exit: Exit) -> Result<(), RpcError> {
        let mut now = exit;
        for _ in 0..TRIES {
            now = self.server.ask(first, true, &Mutex::default()).await?.exit;
            if now == exit {
                return Ok(());
            }
        }
        Err(RpcError::passing(format!(
            "a machine there is another one: the first test of the run ended with {exit}, now with {now}"
        )))
    }
}

impl RemoteRunner for Remote {
    fn run(&self, action: &Action, deadline: Duration, cancel: &Cancel) -> Result<RemoteResult, RunnerError> {
        let parcel = Arc::new(PackedAction::pack(action, deadline, &self.options.properties)?);
        let is_first = lock(&self.asked).insert(parcel.action.hash.clone());
        let anew = self.options.anew || !is_first;
        let begun = Instant::now();
        let started = Mutex::new(String::new());
        self.runtime.block_on(async {
            let stopped = async {
                while !cancel.is_stopped() {
                    tokio::time::sleep(TICK).await;
                }
            };
            tokio::select! {
                ran = self.answer(&parcel, anew, &started) => ran.map(|ran| match ran.duration {
                    // Servers may leave this out.
                    Duration::ZERO => RemoteResult { duration: begun.elapsed(), ..ran },
                    _ => ran,
                }),
                () = stopped => {
                    let name = lock(&started).clone();
                    self.server.cancel(name).await;
                    let duration = begun.elapsed();
                    Ok(RemoteResult { exit: Exit::Unknown, duration, stdout: Vec::new(), stderr: Vec::new() })
                }
            }
        })
    }

    fn describe(&self) -> String {
        self.options.address.to_string()
    }
}

/// Opens the channel to a server.
fn line(options: &RemoteOptions) -> Result<Channel, RemoteError> {
    let address = &options.address;
    let wrong = |source| RemoteError::Transport { address: address.clone(), source };
    let scheme = if address.is_secret { "https" } else { "http" };
    let mut endpoint = Endpoint::from_shared(format!("{scheme}://{}", address.host)).map_err(wrong)?;
    if address.is_secret {
        let mut tls = ClientTlsConfig::new();
        tls = match &options.authority {
            Some(authority) => tls.ca_certificate(Certificate::from_pem(authority)),
            None => tls.with_native_roots(),
        };
        if let Some((certificate, key)) = &options.identity {
            tls = tls.identity(Identity::from_pem(certificate, key));
        }
        endpoint = endpoint.tls_config(tls).map_err(wrong)?;
    }
    let endpoint = endpoint.connect_timeout(CONTACT).http2_keep_alive_interval(CONTACT).keep_alive_timeout(CONTACT);
    let mut headers = Vec::new();
    for (name, value) in &options.headers {
        let header = name.parse().ok().zip(value.parse().ok());
        headers.push(header.ok_or_else(|| RemoteError::Header(name.clone()))?);
    }
    Ok(Channel::new(endpoint.tcp_nodelay(true).connect_lazy(), Headers(headers)))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
