//! Runs one action on a server of the Remote Execution API: looks for a cached answer, uploads missing blobs, and waits
//! for the run.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bazel_remote_apis::build::bazel::remote::execution::v2 as api;
use bazel_remote_apis::google::bytestream::byte_stream_client::ByteStreamClient;
use bazel_remote_apis::google::bytestream::{ReadRequest, WriteRequest};
use bazel_remote_apis::google::longrunning::operation::Result as Finished;
use bazel_remote_apis::google::longrunning::operations_client::OperationsClient;
use bazel_remote_apis::google::longrunning::{CancelOperationRequest, Operation};
use bazel_remote_apis::google::protobuf::Timestamp;
use prost::Message;
use tonic::metadata::{AsciiMetadataKey, AsciiMetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport;
use tonic::{Code, Request, Status};

use lop_run::oracle::{Exit, RemoteResult};

use super::packed_action::PackedAction;

/// Maximum total size of the blobs in one message: the usual limit of a message is 4 MiB.
const MESSAGE: usize = 3 << 20;
/// Size of the pieces of a larger blob.
const PIECE: usize = 1 << 20;
/// Maximum total size of blobs to upload without asking first which are missing.
const SMALL: usize = 64 << 10;
/// Maximum number of bytes to fetch of an output: a test that writes more counts as not interesting.
const OUTPUT: usize = (64 << 20) + 1;
/// Maximum size of a message: an output and the rest of the answer.
const ANSWER: usize = OUTPUT + (1 << 20);
/// Maximum number of characters to show of a server's message.
const WORDS: usize = 1_000;
/// Maximum number of messages about one run. Servers send one for each state, or one every few seconds; the last one
/// has the outcome.
const MESSAGES: usize = 10_000;
/// Maximum number of blobs to remember as uploaded.
const REMEMBERED: usize = 100_000;
/// Time without a message, besides the run's own time, after which the server has forgotten a run. Also the time limit
/// for fetching an output.
const SILENCE: Duration = Duration::from_secs(600);
/// Maximum total time of a run, besides its own, including the wait for a machine.
const WHOLE: Duration = Duration::from_secs(4 * 60 * 60);

/// A channel that adds the headers.
pub(super) type Channel = InterceptedService<transport::Channel, Headers>;

/// The headers of every call.
#[derive(Clone, Debug, Default)]
pub(super) struct Headers(pub(super) Vec<(AsciiMetadataKey, AsciiMetadataValue)>);

impl Interceptor for Headers {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        for (name, value) in &self.0 {
            request.metadata_mut().insert(name.clone(), value.clone());
        }
        Ok(request)
    }
}

/// The reason why a call failed.
#[derive(Debug)]
pub(super) struct RpcError {
    /// The message.
    pub(super) message: String,
    /// Whether a repetition may succeed.
    pub(super) passes: bool,
}

impl RpcError {
    pub(super) fn passing(message: impl Into<String>) -> Self {
        RpcError { message: shortened(message.into()), passes: true }
    }

    fn of(code: Code, message: &str) -> Self {
        let lasting = [
            Code::Unauthenticated,
            Code::PermissionDenied,
            Code::InvalidArgument,
            Code::Unimplemented,
            Code::OutOfRange,
        ];
        let message = if message.is_empty() { code.description() } else { message };
        let message = format!("{} ({code:?})", shortened(message.to_owned()));
        RpcError { message, passes: !lasting.contains(&code) }
    }
}

impl From<Status> for RpcError {
    fn from(status: Status) -> Self {
        let causes = std::iter::successors(std::error::Error::source(&status), |error| error.source());
        // A cause often repeats the message above it.
        let message = causes.map(ToString::to_string).fold(status.message().to_owned(), |all, cause| {
            if all.contains(&cause) { all } else { format!("{all}: {cause}") }
        });
        let mut trouble = RpcError::of(status.code(), &message);
        // An untrusted certificate stays untrusted.
        trouble.passes &= !trouble.message.contains("certificate");
        trouble
    }
}

/// A server.
#[derive(Debug)]
pub(super) struct Server {
    channel: Channel,
    instance: String,
    /// Blobs that are on the server.
    there: Mutex<HashSet<String>>,
    /// Number of blobs uploaded in pieces.
    uploads: AtomicU64,
}

impl Server {
    pub(super) fn new(channel: Channel, instance: String) -> Self {
        Server { channel, instance, there: Mutex::default(), uploads: AtomicU64::new(0) }
    }

    /// Checks that the server runs actions and supports SHA-256.
    pub(super) async fn check(&self) -> Result<(), RpcError> {
        let request = api::GetCapabilitiesRequest { instance_name: self.instance.clone() };
        let mut client = api::capabilities_client::CapabilitiesClient::new(self.channel.clone());
        let able = client.get_capabilities(request).await?.into_inner();
        let lasting = |message: &str| Err(RpcError { message: message.to_owned(), passes: false });
        let sha256 = api::digest_function::Value::Sha256 as i32;
        let runs = able.execution_capabilities.is_some_and(|able| able.exec_enabled);
        let names = able.cache_capabilities.map(|able| able.digest_functions).unwrap_or_default();
        match (runs, names.contains(&sha256)) {
            (false, _) => lasting("it stores results, but runs nothing: name the address that takes actions"),
            (_, false) => lasting("it does not name blobs by SHA-256"),
            _ => Ok(()),
        }
    }

    /// Runs an action once; with `anew`, cached answers don't count. `started` receives the server's name for the run.
    pub(super) async fn ask(
        &self,
        parcel: &PackedAction,
        anew: bool,
        started: &Mutex<String>,
    ) -> Result<RemoteResult, RpcError> {
        if !anew && let Some(result) = self.remembered(parcel).await? {
            return self.ran(result).await;
        }
        self.deliver(parcel).await?;
        let request = api::ExecuteRequest {
            instance_name: self.instance.clone(),
            skip_cache_lookup: anew,
            action_digest: Some(parcel.action.clone()),
            digest_function: api::digest_function::Value::Sha256 as i32,
            ..api::ExecuteRequest::default()
        };
        let ended = tokio::time::timeout(WHOLE + parcel.time, self.ended(request, parcel, started)).await;
        let result = ended.unwrap_or_else(|_| Err(RpcError::passing("the server does not end a run")))?;
        self.finished(result, parcel).await
    }

    /// Runs an action and waits for its end.
    async fn ended(
        &self,
        request: api::ExecuteRequest,
        parcel: &PackedAction,
        started: &Mutex<String>,
    ) -> Result<Option<Finished>, RpcError> {
        let mut client =
            api::execution_client::ExecutionClient::new(self.channel.clone()).max_decoding_message_size(ANSWER);
        let mut stream = client.execute(request).await.map_err(|status| self.refused(status, parcel))?.into_inner();
        for _ in 0..MESSAGES {
            let next = tokio::time::timeout(SILENCE + parcel.time, stream.message()).await;
            let next = next.map_err(|_| RpcError::passing("the server says nothing about a run any more"))?;
            match next.map_err(|status| self.refused(status, parcel))? {
                None => return Err(RpcError::passing("the server left in the middle of a run")),
                Some(Operation { done: true, result, .. }) => return Ok(result),
                Some(operation) => *started.lock().unwrap_or_else(PoisonError::into_inner) = operation.name,
            }
        }
        Err(RpcError::passing(format!("the server sent {MESSAGES} messages about a run, and none that it has ended")))
    }

    /// Asks the server to cancel a run, which is optional for servers.
    pub(super) async fn cancel(&self, name: String) {
        if !name.is_empty() {
            let mut client = OperationsClient::new(self.channel.clone());
            let cancel = client.cancel_operation(CancelOperationRequest { name });
            // A server without cancellation lets the action run to its end.
            let _ = tokio::time::timeout(Duration::from_millis(200), cancel).await;
        }
    }

    async fn finished(&self, result: Option<Finished>, parcel: &PackedAction) -> Result<RemoteResult, RpcError> {
        let response = match result {
            Some(Finished::Response(any)) => api::ExecuteResponse::decode(&any.value[..]),
            Some(Finished::Error(status)) => return Err(self.failed(status.code, &status.message, parcel)),
            None => return Err(RpcError::passing("the server ended a run without a result")),
        };
        let response = response.map_err(|error| RpcError::passing(format!("the answer cannot be read: {error}")))?;
        let status = response.status.unwrap_or_default();
        match (status.code, response.result) {
            (0, Some(result)) => self.ran(result).await,
            (code, result) if code == Code::DeadlineExceeded as i32 => {
                let ran = self.ran(result.unwrap_or_default()).await?;
                Ok(RemoteResult { exit: Exit::TimedOut, ..ran })
            }
            (code, _) => Err(self.failed(code, &status.message, parcel)),
        }
    }

    /// Handles a failed call. After some failures, uploaded blobs may be gone.
    fn refused(&self, status: Status, parcel: &PackedAction) -> RpcError {
        self.failed(status.code() as i32, status.message(), parcel)
    }

    fn failed(&self, code: i32, message: &str, parcel: &PackedAction) -> RpcError {
        let mut there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        parcel.blobs.keys().for_each(|hash| {
            there.remove(hash);
        });
        RpcError::of(Code::from_i32(code), message)
    }

    /// Looks for a cached answer for this action.
    async fn remembered(&self, parcel: &PackedAction) -> Result<Option<api::ActionResult>, RpcError> {
        let request = api::GetActionResultRequest {
            instance_name: self.instance.clone(),
            action_digest: Some(parcel.action.clone()),
            inline_stdout: true,
            inline_stderr: true,
            digest_function: api::digest_function::Value::Sha256 as i32,
            ..api::GetActionResultRequest::default()
        };
        let mut client =
            api::action_cache_client::ActionCacheClient::new(self.channel.clone()).max_decoding_message_size(ANSWER);
        match client.get_action_result(request).await {
            Ok(result) => Ok(Some(result.into_inner())),
            // Without an action cache, run the action.
            Err(status) if [Code::NotFound, Code::Unimplemented].contains(&status.code()) => Ok(None),
            Err(status) => Err(status.into()),
        }
    }

    /// Uploads the missing blobs.
    async fn deliver(&self, parcel: &PackedAction) -> Result<(), RpcError> {
        let is_new =
            |digest: &api::Digest| !self.there.lock().unwrap_or_else(PoisonError::into_inner).contains(&digest.hash);
        let mut missing: Vec<api::Digest> = parcel.digests().filter(is_new).collect();
        let size = |digest: &api::Digest| usize::try_from(digest.size_bytes).unwrap_or(0);
        if missing.iter().map(size).sum::<usize>() > SMALL {
            let request = api::FindMissingBlobsRequest {
                instance_name: self.instance.clone(),
                blob_digests: missing,
                digest_function: api::digest_function::Value::Sha256 as i32,
            };
            missing = self.storage().find_missing_blobs(request).await?.into_inner().missing_blob_digests;
        }
        let mut batch = Vec::new();
        let mut bytes = 0;
        for digest in missing {
            let Some(blob) = parcel.blobs.get(&digest.hash) else { continue };
            let data = blob.bytes();
            if data.len() > MESSAGE {
                self.stream(&digest, data).await?;
                continue;
            }
            if bytes + data.len() > MESSAGE {
                self.send(std::mem::take(&mut batch)).await?;
                bytes = 0;
            }
            bytes += data.len();
            batch.push(api::batch_update_blobs_request::Request {
                digest: Some(digest),
                data: data.to_vec(),
                ..api::batch_update_blobs_request::Request::default()
            });
        }
        self.send(batch).await?;
        let mut there = self.there.lock().unwrap_or_else(PoisonError::into_inner);
        if there.len() > REMEMBERED {
            there.clear();
        }
        there.extend(parcel.blobs.keys().cloned());
        Ok(())
    }

    async fn send(&self, requests: Vec<api::batch_update_blobs_request::Request>) -> Result<(), RpcError> {
        if requests.is_empty() {
            return Ok(());
        }
        let request = api::BatchUpdateBlobsRequest {
            instance_name: self.instance.clone(),
            requests,
            digest_function: api::digest_function::Value::Sha256 as i32,
        };
        let answers = self.storage().batch_update_blobs(request).await?.into_inner().responses;
        let wrong = answers.into_iter().filter_map(|answer| answer.status).find(|status| status.code != 0);
        wrong.map_or(Ok(()), |status| Err(RpcError::of(Code::from_i32(status.code), &status.message)))
    }

    /// Uploads a blob that is too large for a message.
    async fn stream(&self, digest: &api::Digest, data: &[u8]) -> Result<(), RpcError> {
        let id = uuid(&digest.hash, self.uploads.fetch_add(1, Ordering::Relaxed));
        let name = format!("{}uploads/{id}/blobs/{}/{}", self.prefix(), digest.hash, digest.size_bytes);
        let count = data.len().div_ceil(PIECE);
        let pieces: Vec<WriteRequest> = (data.chunks(PIECE).enumerate())
            .map(|(at, piece)| WriteRequest {
                resource_name: name.clone(),
                write_offset: (at * PIECE) as i64,
                finish_write: at + 1 == count,
                data: piece.to_vec(),
            })
            .collect();
        let stream = tokio_stream::iter(pieces);
        ByteStreamClient::new(self.channel.clone()).write(stream).await?;
        Ok(())
    }

    async fn ran(&self, result: api::ActionResult) -> Result<RemoteResult, RpcError> {
        let exit = match result.exit_code {
            signal if signal < 0 => Exit::Signal(signal.saturating_neg()),
            code => Exit::Code(code),
        };
        let times = result.execution_metadata.unwrap_or_default();
        let duration = match (times.execution_start_timestamp, times.execution_completed_timestamp) {
            (Some(start), Some(end)) => moment(&end).saturating_sub(moment(&start)),
            _ => Duration::ZERO,
        };
        let stdout = self.output(result.stdout_raw, result.stdout_digest).await?;
        let stderr = self.output(result.stderr_raw, result.stderr_digest).await?;
        Ok(RemoteResult { exit, duration, stdout, stderr })
    }

    /// Returns an output from the answer, or fetches it.
    async fn output(&self, raw: Vec<u8>, digest: Option<api::Digest>) -> Result<Vec<u8>, RpcError> {
        let Some(digest) = digest.filter(|digest| raw.is_empty() && digest.size_bytes > 0) else { return Ok(raw) };
        let fetched = tokio::time::timeout(SILENCE, self.fetched(&digest)).await;
        fetched.unwrap_or_else(|_| Err(RpcError::passing("an output does not come to its end")))
    }

    /// Fetches the first bytes of a blob.
    async fn fetched(&self, digest: &api::Digest) -> Result<Vec<u8>, RpcError> {
        let promised = usize::try_from(digest.size_bytes).unwrap_or(0);
        let request = ReadRequest {
            resource_name: format!("{}blobs/{}/{}", self.prefix(), digest.hash, digest.size_bytes),
            read_offset: 0,
            read_limit: if promised > OUTPUT { OUTPUT as i64 } else { 0 },
        };
        let mut client = ByteStreamClient::new(self.channel.clone()).max_decoding_message_size(ANSWER);
        let mut stream = client.read(request).await?.into_inner();
        let mut all = Vec::new();
        while let Some(piece) = stream.message().await? {
            if all.len() + piece.data.len() > promised {
                return Err(RpcError::passing("an output is longer than the server said"));
            }
            all.extend_from_slice(&piece.data);
            // A server that ignores the limit keeps sending.
            if all.len() >= OUTPUT {
                all.truncate(OUTPUT);
                break;
            }
        }
        if all.len() == promised.min(OUTPUT) { Ok(all) } else { Err(RpcError::passing("an output came in part only")) }
    }

    fn storage(&self) -> api::content_addressable_storage_client::ContentAddressableStorageClient<Channel> {
        api::content_addressable_storage_client::ContentAddressableStorageClient::new(self.channel.clone())
    }

    fn prefix(&self) -> String {
        if self.instance.is_empty() { String::new() } else { format!("{}/", self.instance) }
    }
}

/// Shortens a text from a server.
fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(WORDS) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn moment(time: &Timestamp) -> Duration {
    Duration::new(u64::try_from(time.seconds).unwrap_or(0), u32::try_from(time.nanos).unwrap_or(0))
}

/// Makes a unique name for an upload, in the form of a UUID.
fn uuid(hash: &str, number: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let what = (hash, std::process::id(), now, number);
    let hex = blake3::hash(format!("{what:?}").as_bytes()).to_hex();
    // The digits of the UUID's version.
    format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[12..15], &hex[15..18], &hex[18..30])
}
