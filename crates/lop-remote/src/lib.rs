//! Responsible for commands on the machines of a server of the Remote Execution API, version 2: [`Remote`], the
//! [`RemoteRunner`] of an oracle.
//!
//! ```text
//!   action ─► parcel: blobs by their digests ─► server: known? ─► what is missing goes there ─► run ─► answer
//!                                                  ▲                                                     │
//!                                                  └─── known questions, before the answer is believed ◄─┘
//! ```
//!
//! A call that fails is made again, with pauses that grow, as long as some call has succeeded within
//! [`RemoteOptions::patience`]. An answer without any output that is no exit code 0 may be that of a machine whose sandbox is
//! broken, and is believed only when a known question was answered right within a second.

mod packed_action;
mod server;

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use lop_run::oracle::{Action, CASE, Cancel, Exit, Folder, Node, RemoteResult, RemoteRunner};

use packed_action::PackedAction;
use server::{Channel, Headers, RpcError, Server};

/// The first pause after a call that failed; each further one is twice as long, …
const PAUSE: Duration = Duration::from_millis(50);
/// … up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(3);
/// A server that has never answered is given this time: its address may be wrong.
const FIRST: Duration = Duration::from_secs(15);
/// How often a request to stop is looked for.
const TICK: Duration = Duration::from_millis(20);
/// A machine is connected to within this time, or asked whether it is still there.
const CONTACT: Duration = Duration::from_secs(10);
/// After this time the known question about a file is asked again before an answer is believed that may be that of a broken
/// sandbox, …
const DOUBT: Duration = Duration::from_secs(1);
/// … and after this one before any; so is the one about the input, …
const TRUST: Duration = Duration::from_secs(30);
/// … at most in one of this number of times that its test takes.
const RARELY: u32 = 20;
/// The exit code of the known question about a file.
const KNOWN: i32 = 7;
/// A test that ends in another way than before is asked so often before its machine is held to be broken.
const TRIES: usize = 3;

/// The address of a server: `grpc://HOST:PORT[/INSTANCE]`, or `grpcs` for one that shows a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    is_secret: bool,
    host: String,
    instance: String,
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || "it has the form grpc://HOST:PORT[/INSTANCE], or grpcs".to_owned();
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

/// A server, and how to speak to it.
#[derive(Clone)]
pub struct RemoteOptions {
    /// Where it is.
    pub address: Address,
    /// The properties of the machines that may run an action, such as `OSFamily` and `container-image`.
    pub properties: Vec<(String, String)>,
    /// The headers of each call, such as one that proves who asks.
    pub headers: Vec<(String, String)>,
    /// The authority that has signed the server's certificate, in PEM; `None`: those that the system trusts.
    pub authority: Option<Vec<u8>>,
    /// A certificate of one's own and its key, in PEM.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
    /// How long calls may fail, all of them, until the server counts as gone.
    pub patience: Duration,
    /// Whether each action is run, also where the server remembers its answer.
    pub anew: bool,
}

impl fmt::Debug for RemoteOptions {
    /// Without what is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteOptions").field("address", &self.address).finish_non_exhaustive()
    }
}

impl RemoteOptions {
    /// How long a server may be away: one that is started anew is back sooner.
    pub const PATIENCE: Duration = Duration::from_secs(60);

    /// A server of which nothing but the address is known.
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

/// A server cannot be spoken to as asked for.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// A thread or a descriptor is missing.
    #[error("cannot start the connection to a server")]
    Start(#[source] std::io::Error),
    /// A header is none.
    #[error("`{0}` is not a header: write NAME=VALUE in ASCII, with NAME in lower case")]
    Header(String),
    /// A certificate or a key is none, or the address.
    #[error("cannot connect to {address}")]
    Transport {
        /// The address.
        address: Address,
        /// The cause.
        source: tonic::transport::Error,
    },
}

/// A server of the Remote Execution API that runs the commands of tests. A connection is made when the first one comes.
pub struct Remote {
    options: RemoteOptions,
    server: Server,
    /// Actions that were asked about. One that is asked about again is run again, because an answer that is remembered tells
    /// nothing new.
    asked: Mutex<HashSet<String>>,
    state: Mutex<State>,
    /// When the known question about a file was answered right last. Held while it is asked.
    known: tokio::sync::Mutex<Option<Instant>>,
    first: Mutex<Option<First>>,
    /// Last, so that it ends last.
    runtime: Runtime,
}

/// The first action of the run, which is about the input.
struct First {
    parcel: Arc<PackedAction>,
    /// How it ended.
    exit: Exit,
    /// How often it is asked about again.
    every: Duration,
    /// When that was done last.
    asked: Instant,
}

/// How it goes with the server.
#[derive(Default)]
struct State {
    has_answered: bool,
    /// Since when no question was answered.
    failing: Option<Instant>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Remote {
    /// A server with these options.
    ///
    /// # Errors
    /// [`RemoteError`]; a server that is not there is noticed by the first action.
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

    /// Asks about a parcel until there is an answer that can be believed.
    async fn answer(
        &self,
        parcel: &Arc<PackedAction>,
        anew: bool,
        started: &Mutex<String>,
    ) -> Result<RemoteResult, String> {
        let mut pause = PAUSE;
        // An answer that was not believed must not come out of a cache.
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
                    *lock(&self.state) = State { has_answered: true, failing: None };
                    return Ok(ran);
                }
                Err(trouble) => trouble,
            };
            let failing = lock(&self.state).failing.get_or_insert_with(Instant::now).elapsed();
            let patience = if self.has_answered() { self.options.patience } else { self.options.patience.min(FIRST) };
            if !trouble.passes || failing + pause > patience {
                let RpcError { message, .. } = trouble;
                return Err(format!(
                    "{}: {message}; look after the server, or use --remote none",
                    self.options.address
                ));
            }
            anew = true;
            tokio::time::sleep(pause).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    fn has_answered(&self) -> bool {
        lock(&self.state).has_answered
    }

    /// Whether an answer may be believed; asks known questions where that is not sure.
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
                // The first answer is about the input: how it ended then it has to end always.
                None => {
                    let every = TRUST.max(ran.duration.saturating_mul(RARELY));
                    *first = Some(First { parcel: Arc::clone(parcel), exit: ran.exit, every, asked: now });
                    None
                }
                Some(first) if first.asked + first.every < now => {
                    // The others go on meanwhile.
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

    /// Asks for the content of a file and an exit code, both of which only a machine that works can say.
    async fn ask_known(&self) -> Result<(), RpcError> {
        let said = format!("{} {:?}", std::process::id(), Instant::now());
        let file = Node::File(Arc::new(said.clone().into_bytes().into()), false);
        let case = Folder::from([("known".into(), file)]);
        let words = ["/bin/sh", "-c", "cat known; exit 7"].map(Into::into).to_vec();
        let action = Action { words, root: Folder::from([(CASE.into(), Node::Folder(Arc::new(case)))]) };
        let parcel = PackedAction::pack(&action, CONTACT, &self.options.properties).map_err(RpcError::passing)?;
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
    fn run(&self, action: &Action, deadline: Duration, cancel: &Cancel) -> Result<RemoteResult, String> {
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
                    // A server need not say it.
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

/// The channel to a server.
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
