//! Packs an action for a server: blobs named by their digests, among them the directory tree, the command and the
//! action.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2 as api;
use bazel_remote_apis::google::protobuf;
use prost::Message;
use sha2::{Digest as _, Sha256};

use lop_run::oracle::{Action, CASE, Content, Folder, Node, RunnerError};

/// The search path for programs on the server's machines, unless the user's command sets another one.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// An action with everything that a server needs to run it.
#[derive(Debug)]
pub(super) struct PackedAction {
    /// The digest of the action.
    pub(super) action: api::Digest,
    /// Its time limit.
    pub(super) time: Duration,
    /// All its blobs by digest, including the action itself.
    pub(super) blobs: BTreeMap<String, Blob>,
}

/// The bytes of a blob.
#[derive(Debug)]
pub(super) enum Blob {
    /// Made for this action.
    Own(Vec<u8>),
    /// The content of a file.
    Content(Arc<Content>),
}

impl Blob {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Blob::Own(bytes) => bytes,
            Blob::Content(content) => &content.bytes,
        }
    }
}

impl PackedAction {
    /// Packs an action with a time limit of `deadline`, for a machine with these properties. The limit is rounded up to
    /// a power of two of seconds, because it is part of the digest by which a server finds cached answers.
    ///
    /// # Errors
    /// [`RunnerError::NotUtf8`] for a name or a word that the API cannot express.
    pub(super) fn pack(
        action: &Action,
        deadline: Duration,
        properties: &[(String, String)],
    ) -> Result<Self, RunnerError> {
        let seconds = (deadline.as_secs_f64().ceil().min(1e9) as u64).next_power_of_two();
        let time = Duration::from_secs(seconds);
        let mut parcel = PackedAction { action: api::Digest::default(), time, blobs: BTreeMap::new() };
        let input_root_digest = Some(parcel.folder(&action.root)?);
        let mut properties: Vec<api::platform::Property> = (properties.iter())
            .map(|(name, value)| api::platform::Property { name: name.clone(), value: value.clone() })
            .collect();
        properties.sort_by(|one, other| (&one.name, &one.value).cmp(&(&other.name, &other.value)));
        let platform = (!properties.is_empty()).then_some(api::Platform { properties });
        #[expect(deprecated, reason = "servers of version 2.1 look for the platform in the command")]
        let command = api::Command {
            arguments: action.words.iter().map(|word| text(word)).collect::<Result<_, _>>()?,
            environment_variables: vec![api::command::EnvironmentVariable {
                name: "PATH".to_owned(),
                value: PATH.to_owned(),
            }],
            platform: platform.clone(),
            working_directory: CASE.to_owned(),
            ..api::Command::default()
        };
        let command_digest = Some(parcel.own(command.encode_to_vec()));
        let whole = api::Action {
            command_digest,
            input_root_digest,
            timeout: Some(protobuf::Duration { seconds: seconds as i64, nanos: 0 }),
            platform,
            ..api::Action::default()
        };
        parcel.action = parcel.own(whole.encode_to_vec());
        Ok(parcel)
    }

    /// Lists the digests of all blobs.
    pub(super) fn digests(&self) -> impl Iterator<Item = api::Digest> {
        self.blobs.iter().map(|(hash, blob)| digest(hash.clone(), blob.bytes()))
    }

    fn own(&mut self, bytes: Vec<u8>) -> api::Digest {
        let hash = hash(&bytes);
        let digest = digest(hash.clone(), &bytes);
        self.blobs.insert(hash, Blob::Own(bytes));
        digest
    }

    fn folder(&mut self, folder: &Folder) -> Result<api::Digest, RunnerError> {
        let mut all = api::Directory::default();
        // The API requires the order of the names.
        for (name, node) in folder {
            let name = text(name)?;
            match node {
                Node::File(content, is_executable) => {
                    let hash = content.name.get_or_init(|| hash(&content.bytes)).clone();
                    let digest = Some(digest(hash.clone(), &content.bytes));
                    self.blobs.insert(hash, Blob::Content(content.clone()));
                    all.files.push(api::FileNode {
                        name,
                        digest,
                        is_executable: *is_executable,
                        node_properties: None,
                    });
                }
                Node::Link(target) => {
                    let target = text(target.as_os_str())?;
                    all.symlinks.push(api::SymlinkNode { name, target, node_properties: None });
                }
                Node::Folder(inner) => {
                    let digest = Some(self.folder(inner)?);
                    all.directories.push(api::DirectoryNode { name, digest });
                }
            }
        }
        Ok(self.own(all.encode_to_vec()))
    }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn digest(hash: String, bytes: &[u8]) -> api::Digest {
    api::Digest { hash, size_bytes: i64::try_from(bytes.len()).unwrap_or(i64::MAX) }
}

fn text(word: &OsStr) -> Result<String, RunnerError> {
    word.to_str().map(str::to_owned).ok_or_else(|| RunnerError::NotUtf8(word.to_owned()))
}
