//! Several files that results replace one by one, each with its original next to it.
//!
//! Files that go are removed after the others were replaced. A kill between two of them leaves files of two results; the
//! journal has the best one whole.

use std::io;
use std::path::{Path, PathBuf};

use lop_files::disk;
use lop_files::project::{Archive, Member};

use super::many_files::ManyFiles;
use super::result_file::{
    LeftAs, StoreError, check_directory, explain, free_original, keep_original, original_name, parent, replace,
    take_back,
};
use super::target::{Target, last};

/// Files that results replace.
#[derive(Debug)]
pub(super) struct Several {
    archive: Archive,
    files: Vec<One>,
    notices: Vec<String>,
}

#[derive(Debug)]
struct One {
    /// Its path in the archive.
    path: PathBuf,
    target: Target,
    /// The file's content, or `None` after it was removed.
    content: Option<Vec<u8>>,
}

impl One {
    /// Its member of an archive.
    fn among<'m>(&self, members: &'m [Member]) -> Option<&'m Member> {
        find(members, &self.path)
    }
}

fn find<'m>(members: &'m [Member], path: &Path) -> Option<&'m Member> {
    members.iter().find(|member| member.path == path.as_os_str().as_encoded_bytes())
}

impl Several {
    /// The files, each with its path in the archive.
    pub(super) fn open(files: &[(PathBuf, PathBuf)], archive: &Archive) -> Result<Self, StoreError> {
        let one = |(name, path): &(PathBuf, PathBuf)| {
            let original = free_original(path)?;
            check_directory(path, &parent(&original))?;
            let target = Target { original: Some(original), ..Target::existing(path, path)? };
            Ok(One { path: name.clone(), target, content: None })
        };
        let files: Result<_, StoreError> = files.iter().map(one).collect();
        Ok(Several { archive: archive.clone(), files: files?, notices: Vec::new() })
    }

    /// The place of a result that is one file, whose original stays.
    ///
    /// # Errors
    /// A place that cannot be written.
    pub(super) fn in_other_place(
        (name, input): &(PathBuf, PathBuf),
        archive: &Archive,
        output: &Path,
    ) -> Result<Self, StoreError> {
        let exists = output.symlink_metadata().is_ok();
        let target = if exists { Target::existing(output, input)? } else { Target::new_file(output, input)? };
        let content = if exists { disk::read(output, u64::MAX).ok() } else { None };
        let files = vec![One { path: name.clone(), target, content }];
        Ok(Several { archive: archive.clone(), files, notices: Vec::new() })
    }

    /// Opens files that an interrupted run has replaced; `None` if it hasn't. `content` was their text.
    pub(super) fn replaced(
        files: &[(PathBuf, PathBuf)],
        archive: &Archive,
        content: &[u8],
    ) -> Result<Option<Self>, StoreError> {
        if !files.iter().any(|(_, path)| original_name(path).symlink_metadata().is_ok()) {
            return Ok(None);
        }
        let before = archive.members(content);
        let one = |(name, path): &(PathBuf, PathBuf)| {
            let (original, now) = (original_name(path), disk::read(path, u64::MAX).ok());
            let member = find(&before, name).map(|member| &member.content);
            let kept = disk::read(&original, u64::MAX).ok();
            // A kill can have come before its original was kept.
            if kept.as_ref().or(now.as_ref()) != member {
                return Err(StoreError::OriginalDiffers(original));
            }
            let target = match &now {
                Some(_) => Target::existing(path, path)?,
                None => Target::new_file(path, &original)?,
            };
            Ok(One { path: name.clone(), target: Target { original: Some(original), ..target }, content: now })
        };
        let files: Result<_, StoreError> = files.iter().map(one).collect();
        Ok(Some(Several { archive: archive.clone(), files: files?, notices: Vec::new() }))
    }

    /// All originals, or none.
    fn keep_originals(&self) -> io::Result<()> {
        let original = |one: &One| one.target.original.clone().filter(|_| one.target.beside.is_none());
        for (number, one) in self.files.iter().enumerate() {
            let Some(name) = original(one) else { continue };
            let target = &one.target;
            if let Err(error) = keep_original((&target.folder, &target.file), (&target.near, last(&name))) {
                for (one, name) in self.files[..number].iter().filter_map(|one| Some((one, original(one)?))) {
                    let target = &one.target;
                    take_back((&target.folder, &target.file), (&target.near, last(&name)));
                }
                return Err(explain(error, &format!("cannot keep the original as {}", name.display())));
            }
        }
        Ok(())
    }
}

impl ManyFiles for Several {
    fn expect(&mut self, input: &[u8]) {
        let members = self.archive.members(input);
        // Another place has no input.
        for one in self.files.iter_mut().filter(|one| one.target.original.is_some()) {
            one.content = one.among(&members).map(|member| member.content.clone());
            one.target.left = LeftAs::content(one.content.as_deref().unwrap_or_default());
        }
    }

    fn have(&self, content: &[u8]) -> bool {
        let members = self.archive.members(content);
        self.files.iter().all(|one| {
            let (folder, name) = one.target.place();
            folder.read(name).ok().as_ref() == one.among(&members).map(|member| &member.content)
        })
    }

    fn write(&mut self, content: &[u8], is_first: bool, sync: bool) -> io::Result<()> {
        let members = self.archive.members(content);
        for one in &mut self.files {
            let target = &mut one.target;
            if one.content.is_some() && target.beside.is_none() && !target.left.is_so(&target.folder, &target.file) {
                target.go_beside();
                self.notices.extend(target.notice());
            }
        }
        if is_first {
            self.keep_originals()?;
        }
        let (there, gone): (Vec<_>, Vec<_>) = self.files.iter_mut().partition(|one| one.among(&members).is_some());
        for one in there {
            let content = one.among(&members).map(|member| member.content.clone());
            if one.content == content {
                continue;
            }
            let target = &mut one.target;
            let name = target.name.display().to_string();
            let new = content.as_deref().unwrap_or_default();
            let left = replace(target.place(), new, target.like.as_ref(), target.audience, sync)
                .map_err(|error| explain(error, &format!("cannot write {name}")))?;
            if target.beside.is_none() {
                target.left = left;
            }
            one.content = content;
        }
        for one in gone.into_iter().filter(|one| one.content.is_some()) {
            let (folder, name) = one.target.place();
            match folder.remove(name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => one.content = None,
            }
        }
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.files.iter().try_for_each(|one| one.target.folder.sync_all())
    }

    fn original(&self) -> Option<&Path> {
        self.files.first().and_then(|one| one.target.original.as_deref())
    }

    fn go_beside(&mut self) {
        for one in &mut self.files {
            one.target.go_beside();
            self.notices.extend(one.target.notice());
        }
    }

    fn beside(&self) -> Option<&Path> {
        self.files.iter().find_map(|one| one.target.beside.as_deref())
    }

    fn notice(&mut self) -> Option<String> {
        let notices = std::mem::take(&mut self.notices);
        (!notices.is_empty()).then(|| notices.join("; "))
    }

    fn clear(&self) {
        self.files.iter().for_each(|one| one.target.folder.clear(Some(&one.target.file)));
    }
}
