//! A small server of the Remote Execution API for tests: it keeps blobs in memory, runs actions as processes of this
//! machine, and fails as it is told to. A proxy before a server drops, delays and cuts what goes through.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2 as api;
use bazel_remote_apis::google::bytestream as stream;
use bazel_remote_apis::google::longrunning::{Operation, operation};
use bazel_remote_apis::google::{protobuf, rpc};
use prost::Message;
use tokio::runtime::Runtime;
use tonic::{Code, Request, Response, Status, Streaming};

type Items<T> = tokio_stream::Iter<Box<dyn Iterator<Item = Result<T, Status>> + Send>>;

/// A stream of some messages.
fn items<T: 'static>(all: impl Iterator<Item = T> + Send + 'static) -> Items<T> {
    let all: Box<dyn Iterator<Item = Result<T, Status>> + Send> = Box::new(all.map(Ok));
    tokio_stream::iter(all)
}

/// How the server fails.
#[derive(Default)]
pub(crate) struct Faults {
    /// This number of actions ends with exit code 1 and without a word: a broken sandbox.
    pub(crate) broken: AtomicUsize,
    /// Each action of this number in a row ends with an internal error.
    pub(crate) every: AtomicUsize,
    /// Outputs that have to be fetched never end.
    pub(crate) endless_outputs: AtomicBool,
    /// Runs never end, and messages say so.
    pub(crate) endless_runs: AtomicBool,
    /// Each action ends with an error of so many bytes.
    pub(crate) wordy: AtomicUsize,
    /// Blobs are forgotten before each action of this number in a row.
    pub(crate) forgets: AtomicUsize,
}

/// The numbers of what a server did.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) runs: AtomicUsize,
    pub(crate) remembered: AtomicUsize,
    pub(crate) bytes: AtomicU64,
    /// Runs that a fault ended.
    pub(crate) struck: AtomicUsize,
    /// Runs before which the blobs were forgotten.
    pub(crate) forgotten: AtomicUsize,
}

#[derive(Default)]
struct Inner {
    blobs: Mutex<HashMap<String, Vec<u8>>>,
    results: Mutex<HashMap<String, api::ActionResult>>,
    /// The headers of calls, as far as they begin with `x-`.
    headers: Mutex<HashSet<String>>,
    properties: Mutex<HashSet<String>>,
    faults: Faults,
    counts: Counts,
}

/// A server, which ends when it is dropped.
pub(crate) struct Farm {
    inner: Arc<Inner>,
    pub(crate) address: SocketAddr,
    runtime: Option<Runtime>,
}

#[derive(Clone)]
struct Service(Arc<Inner>);

impl Farm {
    pub(crate) fn start() -> Self {
        Self::at(TcpListener::bind("127.0.0.1:0").expect("a port"), Arc::default(), None)
    }

    /// A server that shows a certificate, and asks for that of the client, which is `client`, in PEM.
    pub(crate) fn secret(certificate: &str, key: &str, client: &str) -> Self {
        let identity = tonic::transport::Identity::from_pem(certificate, key);
        let client = tonic::transport::Certificate::from_pem(client);
        let tls = tonic::transport::ServerTlsConfig::new().identity(identity).client_ca_root(client);
        Self::at(TcpListener::bind("127.0.0.1:0").expect("a port"), Arc::default(), Some(tls))
    }

    /// The same server, started anew where it was, with what it has kept.
    pub(crate) fn again(mut self) -> Self {
        self.stop();
        let listener = crate::support::until("the port is free", || TcpListener::bind(self.address).ok());
        Self::at(listener, Arc::clone(&self.inner), None)
    }

    fn at(listener: TcpListener, inner: Arc<Inner>, tls: Option<tonic::transport::ServerTlsConfig>) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
        let address = listener.local_addr().expect("it is bound");
        listener.set_nonblocking(true).expect("a socket");
        let service = Service(Arc::clone(&inner));
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
            let incoming = tonic::transport::server::TcpIncoming::from(listener).with_nodelay(Some(true));
            let mut server = tonic::transport::Server::builder();
            if let Some(tls) = tls {
                server = server.tls_config(tls).expect("a certificate");
            }
            server
                .add_service(api::execution_server::ExecutionServer::new(service.clone()))
                .add_service(api::action_cache_server::ActionCacheServer::new(service.clone()))
                .add_service(
                    api::content_addressable_storage_server::ContentAddressableStorageServer::new(service.clone())
                        .max_decoding_message_size(4 << 20),
                )
                .add_service(api::capabilities_server::CapabilitiesServer::new(service.clone()))
                .add_service(stream::byte_stream_server::ByteStreamServer::new(service))
                .serve_with_incoming(incoming)
                .await
        });
        Farm { inner, address, runtime: Some(runtime) }
    }

    /// Ends it; what it runs is not waited for.
    pub(crate) fn stop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_millis(100));
        }
    }

    pub(crate) fn faults(&self) -> &Faults {
        &self.inner.faults
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.inner.counts
    }

    pub(crate) fn headers(&self) -> HashSet<String> {
        self.inner.headers.lock().expect("no panic").clone()
    }

    pub(crate) fn properties(&self) -> HashSet<String> {
        self.inner.properties.lock().expect("no panic").clone()
    }
}

impl Drop for Farm {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Whether a fault strikes in this run.
fn strikes(every: &AtomicUsize, run: usize) -> bool {
    let every = every.load(Ordering::Relaxed);
    every > 0 && run.is_multiple_of(every)
}

impl Inner {
    fn blob<T: Message + Default>(&self, digest: Option<&api::Digest>) -> Result<T, Status> {
        T::decode(&self.bytes(digest)?[..]).map_err(|error| Status::invalid_argument(error.to_string()))
    }

    fn bytes(&self, digest: Option<&api::Digest>) -> Result<Vec<u8>, Status> {
        let hash = &digest.ok_or_else(|| Status::invalid_argument("no digest"))?.hash;
        if hash == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
            return Ok(Vec::new());
        }
        let blobs = self.blobs.lock().expect("no panic");
        blobs.get(hash).cloned().ok_or_else(|| Status::failed_precondition(format!("{hash} is not there")))
    }

    fn lay_out(&self, digest: Option<&api::Digest>, path: &Path) -> Result<(), Status> {
        let folder: api::Directory = self.blob(digest)?;
        std::fs::create_dir(path)?;
        assert!(folder.files.is_sorted_by(|one, other| one.name < other.name), "the API wants them sorted");
        for file in folder.files {
            std::fs::write(path.join(&file.name), self.bytes(file.digest.as_ref())?)?;
            let mode = if file.is_executable { 0o755 } else { 0o644 };
            std::fs::set_permissions(path.join(&file.name), std::fs::Permissions::from_mode(mode))?;
        }
        for link in folder.symlinks {
            symlink(link.target, path.join(link.name))?;
        }
        folder.directories.iter().try_for_each(|inner| self.lay_out(inner.digest.as_ref(), &path.join(&inner.name)))
    }

    fn run(&self, digest: &api::Digest, anew: bool) -> Result<api::ExecuteResponse, Status> {
        let run = self.counts.runs.fetch_add(1, Ordering::Relaxed) + 1;
        if strikes(&self.faults.forgets, run) {
            self.counts.forgotten.fetch_add(1, Ordering::Relaxed);
            self.blobs.lock().expect("no panic").clear();
        }
        let wordy = self.faults.wordy.load(Ordering::Relaxed);
        if wordy > 0 {
            let status = Some(rpc::Status { code: 13, message: "w".repeat(wordy), ..rpc::Status::default() });
            return Ok(api::ExecuteResponse { status, ..api::ExecuteResponse::default() });
        }
        if strikes(&self.faults.every, run) {
            self.counts.struck.fetch_add(1, Ordering::Relaxed);
            return Err(Status::internal("a machine went away"));
        }
        if self.faults.broken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
            let result = api::ActionResult { exit_code: 1, ..api::ActionResult::default() };
            return Ok(api::ExecuteResponse { result: Some(result), ..api::ExecuteResponse::default() });
        }
        if let Some(result) = self.results.lock().expect("no panic").get(&digest.hash).filter(|_| !anew) {
            let result = Some(result.clone());
            return Ok(api::ExecuteResponse { result, cached_result: true, ..api::ExecuteResponse::default() });
        }
        let action: api::Action = self.blob(Some(digest))?;
        let command: api::Command = self.blob(action.command_digest.as_ref())?;
        for property in action.platform.into_iter().flat_map(|platform| platform.properties) {
            self.properties.lock().expect("no panic").insert(format!("{}={}", property.name, property.value));
        }
        let scratch = tempfile::tempdir()?;
        let root = scratch.path().join("root");
        self.lay_out(action.input_root_digest.as_ref(), &root)?;
        let outputs = [scratch.path().join("stdout"), scratch.path().join("stderr")];
        let mut process = Command::new(&command.arguments[0]);
        process
            .args(&command.arguments[1..])
            .env_clear()
            .envs(command.environment_variables.into_iter().map(|variable| (variable.name, variable.value)))
            .current_dir(root.join(&command.working_directory))
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(&outputs[0])?)
            .stderr(std::fs::File::create(&outputs[1])?)
            .process_group(0);
        let timeout = action.timeout.map_or(600, |timeout| timeout.seconds);
        let mut child = process.spawn()?;
        let begun = std::time::Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if begun.elapsed() > Duration::from_secs(timeout.unsigned_abs()) {
                let group = format!("-{}", child.id());
                Command::new("kill").args(["-9", "--", &group]).status()?;
                child.wait()?;
                break None;
            }
            thread::sleep(Duration::from_millis(2));
        };
        let code = |status: std::process::ExitStatus| {
            use std::os::unix::process::ExitStatusExt;
            status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
        };
        let [stdout_raw, stderr_raw] = outputs.map(|path| std::fs::read(path).unwrap_or_default());
        // A long output has to be fetched.
        let (stdout_raw, stdout_digest) = if stdout_raw.len() > 1000 {
            let hash = format!("{:064}", self.counts.runs.load(Ordering::Relaxed));
            let size_bytes = stdout_raw.len() as i64;
            self.blobs.lock().expect("no panic").insert(hash.clone(), stdout_raw);
            (Vec::new(), Some(api::Digest { hash, size_bytes }))
        } else {
            (stdout_raw, None)
        };
        let exit_code = status.map_or(0, code);
        let result =
            api::ActionResult { exit_code, stdout_raw, stdout_digest, stderr_raw, ..api::ActionResult::default() };
        let Some(_) = status else {
            let status = Some(rpc::Status { code: Code::DeadlineExceeded as i32, ..rpc::Status::default() });
            return Ok(api::ExecuteResponse { result: Some(result), status, ..api::ExecuteResponse::default() });
        };
        self.results.lock().expect("no panic").insert(digest.hash.clone(), result.clone());
        Ok(api::ExecuteResponse { result: Some(result), ..api::ExecuteResponse::default() })
    }
}

#[tonic::async_trait]
impl api::execution_server::Execution for Service {
    type ExecuteStream = Items<Operation>;
    type WaitExecutionStream = Items<Operation>;

    async fn execute(&self, request: Request<api::ExecuteRequest>) -> Result<Response<Self::ExecuteStream>, Status> {
        let headers = request.metadata().iter().filter_map(|entry| match entry {
            tonic::metadata::KeyAndValueRef::Ascii(name, value) if name.as_str().starts_with("x-") => {
                Some(format!("{name}: {}", value.to_str().unwrap_or_default()))
            }
            _ => None,
        });
        self.0.headers.lock().expect("no panic").extend(headers);
        let inner = Arc::clone(&self.0);
        let request = request.into_inner();
        let digest = request.action_digest.unwrap_or_default();
        if inner.faults.endless_runs.load(Ordering::Relaxed) {
            let run = || Operation { name: "run".to_owned(), ..Operation::default() };
            return Ok(Response::new(items(std::iter::repeat_with(run))));
        }
        let ran = tokio::task::spawn_blocking(move || inner.run(&digest, request.skip_cache_lookup)).await;
        let response = ran.map_err(|error| Status::internal(error.to_string()))??;
        let value = response.encode_to_vec();
        let type_url = "type.googleapis.com/build.bazel.remote.execution.v2.ExecuteResponse".to_owned();
        let result = Some(operation::Result::Response(protobuf::Any { type_url, value }));
        let begun = Operation { name: "run".to_owned(), ..Operation::default() };
        let done = Operation { name: "run".to_owned(), done: true, result, ..Operation::default() };
        Ok(Response::new(items([begun, done].into_iter())))
    }

    async fn wait_execution(
        &self,
        _: Request<api::WaitExecutionRequest>,
    ) -> Result<Response<Self::WaitExecutionStream>, Status> {
        Err(Status::unimplemented("it is not waited for"))
    }
}

#[tonic::async_trait]
impl api::action_cache_server::ActionCache for Service {
    async fn get_action_result(
        &self,
        request: Request<api::GetActionResultRequest>,
    ) -> Result<Response<api::ActionResult>, Status> {
        let hash = request.into_inner().action_digest.unwrap_or_default().hash;
        let results = self.0.results.lock().expect("no panic");
        let result = results.get(&hash).cloned().ok_or_else(|| Status::not_found("it was not asked before"))?;
        self.0.counts.remembered.fetch_add(1, Ordering::Relaxed);
        Ok(Response::new(result))
    }

    async fn update_action_result(
        &self,
        _: Request<api::UpdateActionResultRequest>,
    ) -> Result<Response<api::ActionResult>, Status> {
        Err(Status::unimplemented("results are those of runs"))
    }
}

#[tonic::async_trait]
impl api::content_addressable_storage_server::ContentAddressableStorage for Service {
    type GetTreeStream = Items<api::GetTreeResponse>;
    type GetChunkMappingStream = Items<api::GetChunkMappingResponse>;

    async fn find_missing_blobs(
        &self,
        request: Request<api::FindMissingBlobsRequest>,
    ) -> Result<Response<api::FindMissingBlobsResponse>, Status> {
        let blobs = self.0.blobs.lock().expect("no panic");
        let asked = request.into_inner().blob_digests.into_iter();
        let missing_blob_digests = asked.filter(|digest| !blobs.contains_key(&digest.hash)).collect();
        Ok(Response::new(api::FindMissingBlobsResponse { missing_blob_digests }))
    }

    async fn batch_update_blobs(
        &self,
        request: Request<api::BatchUpdateBlobsRequest>,
    ) -> Result<Response<api::BatchUpdateBlobsResponse>, Status> {
        let mut blobs = self.0.blobs.lock().expect("no panic");
        for blob in request.into_inner().requests {
            self.0.counts.bytes.fetch_add(blob.data.len() as u64, Ordering::Relaxed);
            blobs.insert(blob.digest.unwrap_or_default().hash, blob.data);
        }
        Ok(Response::new(api::BatchUpdateBlobsResponse::default()))
    }

    async fn batch_read_blobs(
        &self,
        _: Request<api::BatchReadBlobsRequest>,
    ) -> Result<Response<api::BatchReadBlobsResponse>, Status> {
        Err(Status::unimplemented("blobs are streamed"))
    }

    async fn get_tree(&self, _: Request<api::GetTreeRequest>) -> Result<Response<Self::GetTreeStream>, Status> {
        Err(Status::unimplemented("no tree is asked for"))
    }

    async fn split_blob(&self, _: Request<api::SplitBlobRequest>) -> Result<Response<api::SplitBlobResponse>, Status> {
        Err(Status::unimplemented("blobs are whole"))
    }

    async fn get_chunk_mapping(
        &self,
        _: Request<api::GetChunkMappingRequest>,
    ) -> Result<Response<Self::GetChunkMappingStream>, Status> {
        Err(Status::unimplemented("blobs are whole"))
    }

    async fn splice_blob(
        &self,
        _: Request<api::SpliceBlobRequest>,
    ) -> Result<Response<api::SpliceBlobResponse>, Status> {
        Err(Status::unimplemented("blobs are whole"))
    }

    async fn register_chunk_mapping(
        &self,
        _: Request<Streaming<api::RegisterChunkMappingRequest>>,
    ) -> Result<Response<api::RegisterChunkMappingResponse>, Status> {
        Err(Status::unimplemented("blobs are whole"))
    }
}

#[tonic::async_trait]
impl api::capabilities_server::Capabilities for Service {
    async fn get_capabilities(
        &self,
        _: Request<api::GetCapabilitiesRequest>,
    ) -> Result<Response<api::ServerCapabilities>, Status> {
        let digest_functions = vec![api::digest_function::Value::Sha256 as i32];
        let cache_capabilities = Some(api::CacheCapabilities { digest_functions, ..api::CacheCapabilities::default() });
        let execution_capabilities =
            Some(api::ExecutionCapabilities { exec_enabled: true, ..api::ExecutionCapabilities::default() });
        let able = api::ServerCapabilities { cache_capabilities, execution_capabilities, ..Default::default() };
        Ok(Response::new(able))
    }
}

#[tonic::async_trait]
impl stream::byte_stream_server::ByteStream for Service {
    type ReadStream = Items<stream::ReadResponse>;

    async fn read(&self, request: Request<stream::ReadRequest>) -> Result<Response<Self::ReadStream>, Status> {
        let name = request.into_inner().resource_name;
        let hash = name.split('/').rev().nth(1).unwrap_or_default().to_owned();
        let bytes = self.0.bytes(Some(&api::Digest { hash, size_bytes: 0 }))?;
        if self.0.faults.endless_outputs.load(Ordering::Relaxed) {
            let piece = || stream::ReadResponse { data: vec![b'x'; 1 << 20] };
            return Ok(Response::new(items(std::iter::repeat_with(piece))));
        }
        let pieces: Vec<_> = bytes.chunks(1 << 20).map(|data| stream::ReadResponse { data: data.to_vec() }).collect();
        Ok(Response::new(items(pieces.into_iter())))
    }

    async fn write(
        &self,
        request: Request<Streaming<stream::WriteRequest>>,
    ) -> Result<Response<stream::WriteResponse>, Status> {
        let mut pieces = request.into_inner();
        let (mut name, mut bytes) = (String::new(), Vec::new());
        while let Some(piece) = pieces.message().await? {
            if name.is_empty() {
                name = piece.resource_name;
            }
            bytes.extend(piece.data);
        }
        let hash = name.split('/').rev().nth(1).unwrap_or_default().to_owned();
        let committed_size = bytes.len() as i64;
        self.0.counts.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.0.blobs.lock().expect("no panic").insert(hash, bytes);
        Ok(Response::new(stream::WriteResponse { committed_size }))
    }

    async fn query_write_status(
        &self,
        _: Request<stream::QueryWriteStatusRequest>,
    ) -> Result<Response<stream::QueryWriteStatusResponse>, Status> {
        Err(Status::unimplemented("uploads are not resumed"))
    }
}

/// Passes bytes on to a server, late, and cuts each connection after some of them.
pub(crate) fn bad_line(server: SocketAddr, seed: u64) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for (number, connection) in (seed..).zip(listener.incoming()) {
            let (Ok(client), Ok(server)) = (connection, TcpStream::connect(server)) else { continue };
            // One connection in five says nothing at all.
            if number % 5 == 4 {
                let _ = client.shutdown(Shutdown::Both);
                continue;
            }
            let most = 2_000 + number * 7919 % 40_000;
            for (from, to) in [(&client, &server), (&server, &client)] {
                let (from, to) = (from.try_clone().expect("a socket"), to.try_clone().expect("a socket"));
                thread::spawn(move || pass_on(from, to, most));
            }
        }
    });
    address
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, most: u64) {
    let (mut passed, mut buffer) = (0, [0; 4096]);
    while let Ok(count) = from.read(&mut buffer) {
        passed += count as u64;
        if count == 0 || passed > most || to.write_all(&buffer[..count]).is_err() {
            break;
        }
        thread::sleep(Duration::from_millis(passed % 3));
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
