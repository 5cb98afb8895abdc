//! [`ProcessRegistry`] counts the running tests, and finds the processes that earlier ones left.
//!
//! Several workers run tests in parallel, and a library user may have other children. So lop only ends a process if
//! there is proof that it belongs to a finished test: the slot's mark in its environment, or a working directory in the
//! slot.

use std::path::Path;
use std::time::Duration;

/// The environment variable that every process of a test inherits; its value is the directory of the slot.
pub(crate) const MARK: &str = "LOP_SLOT";

#[cfg(target_os = "linux")]
pub(crate) use linux::ProcessRegistry;

/// Other systems have no reaper of orphans: a process that leaves the group of its test escapes.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(crate) struct ProcessRegistry;

#[cfg(not(target_os = "linux"))]
impl ProcessRegistry {
    pub(crate) fn new(_owns_process: bool) -> Self {
        Self
    }

    pub(crate) fn start<T>(
        &self,
        start: impl FnOnce() -> std::io::Result<T>,
        _id: impl Fn(&T) -> u32,
    ) -> std::io::Result<T> {
        start()
    }

    pub(crate) fn ended(&self, _leader: u32, _group_is_gone: bool) {}

    pub(crate) fn clean_up(&self, _slot: &Path, _patience: Duration) {}

    pub(crate) fn left_behind(&self, _slot: &Path, _leader: u32) -> Vec<String> {
        Vec::new()
    }

    pub(crate) fn end_at_once() {}
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashSet;
    use std::ffi::OsString;
    use std::fs;
    use std::io;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::path::PathBuf;
    use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
    use std::time::Instant;

    use rustix::process::{Pid, Signal, WaitOptions};

    use super::{Duration, MARK, Path};

    /// The time between two checks of killed processes: doubled each time, up to a limit. On a busy machine they take
    /// longer, and each check costs time, too.
    const PAUSE: Duration = Duration::from_micros(200);
    const LONGEST_PAUSE: Duration = Duration::from_millis(20);

    /// Number of searches for processes to kill before lop exits.
    const LAST_LOOKS: usize = 10;

    /// The time after which a process that is still running after its test was left behind.
    const WAY_OUT: Duration = Duration::from_millis(100);

    /// See the module.
    #[derive(Debug)]
    pub(crate) struct ProcessRegistry {
        owns_process: bool,
        /// Children that were there before us; never ours.
        children_before: HashSet<i32>,
        /// Held for reading while a process is started and entered below, and for writing while children are listed:
        /// otherwise a new test would look like a process that was left behind.
        starting: RwLock<()>,
        groups: Mutex<Groups>,
    }

    #[derive(Debug, Default)]
    struct Groups {
        /// Leaders of the tests that are running.
        running: HashSet<i32>,
        /// Groups that were killed and may still have members to be reaped.
        killed: HashSet<i32>,
    }

    impl ProcessRegistry {
        pub(crate) fn new(owns_process: bool) -> Self {
            // It fails on kernels before 3.4 only, and then orphans go to init as they always did.
            let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
            let children_before = children().into_iter().collect();
            Self { owns_process, children_before, starting: RwLock::new(()), groups: Mutex::default() }
        }

        /// Starts a process by `start` and enters it; `id` is its number.
        pub(crate) fn start<T>(&self, start: impl FnOnce() -> io::Result<T>, id: impl Fn(&T) -> u32) -> io::Result<T> {
            let _starting = self.starting.read().unwrap_or_else(PoisonError::into_inner);
            let process = start()?;
            self.groups().running.insert(id(&process).cast_signed());
            Ok(process)
        }

        /// The leader of a test was reaped. Members of its group that were not yet are left to the next clean-up.
        pub(crate) fn ended(&self, leader: u32, group_is_gone: bool) {
            let leader = leader.cast_signed();
            let mut groups = self.groups();
            groups.running.remove(&leader);
            if !group_is_gone {
                groups.killed.insert(leader);
            }
        }

        /// Ends and reaps all processes that the tests of `slot` left behind; none of these tests may be running. Waits
        /// for at most `patience`.
        pub(crate) fn clean_up(&self, slot: &Path, patience: Duration) {
            let start = Instant::now();
            let mark = mark_of(slot);
            let mut pause = PAUSE;
            loop {
                let left_over = self.left_over(slot, &mark);
                if left_over.is_empty() {
                    return;
                }
                for process in &left_over {
                    self.end(process);
                }
                if start.elapsed() >= patience {
                    return;
                }
                std::thread::sleep(pause);
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
        }

        /// Ends the processes of the tests of all slots: for a process that is about to exit, and in which no other
        /// code will.
        pub(crate) fn end_at_once() {
            // The parent of lop itself may be such a test.
            let inherited = std::env::var_os(MARK);
            let is_ours = |mark: Vec<u8>| inherited.as_deref().is_none_or(|inherited| inherited.as_bytes() != mark);
            // A descendant of a process becomes our child when that process ends.
            for _ in 0..LAST_LOOKS {
                let processes = children().into_iter().filter_map(Process::look_at);
                let left: Vec<_> =
                    processes.filter(|process| !process.is_dead && process.mark().is_some_and(is_ours)).collect();
                if left.is_empty() {
                    return;
                }
                for process in left {
                    process.kill();
                }
                std::thread::sleep(LONGEST_PAUSE);
            }
        }

        /// The names of the processes that a test of `slot` has left running, now that its first process has ended and
        /// nothing was killed yet. Those that are on their way out get a moment for it.
        pub(crate) fn left_behind(&self, slot: &Path, leader: u32) -> Vec<String> {
            let mark = mark_of(slot);
            let start = Instant::now();
            let mut pause = PAUSE;
            loop {
                let found: Vec<String> = processes()
                    .filter(|&pid| pid != leader.cast_signed())
                    .filter_map(Process::look_at)
                    .filter(|process| !process.is_dead && process.is_marked(slot, &mark))
                    .filter_map(|process| fs::read_to_string(format!("/proc/{}/comm", process.pid)).ok())
                    .map(|name| name.trim_end().to_owned())
                    .collect();
                if found.is_empty() || start.elapsed() >= WAY_OUT {
                    return found;
                }
                std::thread::sleep(pause);
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
        }

        fn end(&self, process: &Process) {
            let Some(pid) = Pid::from_raw(process.pid) else { return };
            if !process.is_dead {
                let mut groups = self.groups();
                if groups.running.contains(&process.group) {
                    let _ = rustix::process::kill_process(pid, Signal::KILL);
                } else if process.kill() {
                    groups.killed.insert(process.group);
                }
            }
            let _ = rustix::io::retry_on_intr(|| rustix::process::waitpid(Some(pid), WaitOptions::NOHANG));
        }

        /// Lists our children that belong to a test of `slot`, or to no running test if that can be known.
        fn left_over(&self, slot: &Path, mark: &[u8]) -> Vec<Process> {
            let (children, none_runs, running, killed) = {
                let _starting = self.starting.write().unwrap_or_else(PoisonError::into_inner);
                let groups = self.groups();
                (children(), groups.running.is_empty(), groups.running.clone(), groups.killed.clone())
            };
            let own_group = rustix::process::getpgrp().as_raw_nonzero().get();
            let is_left_over = |process: &Process| {
                let is_orphan =
                    self.owns_process && process.group != own_group && !self.children_before.contains(&process.pid);
                if process.is_dead {
                    // No other process can wait for it.
                    is_orphan || killed.contains(&process.group)
                } else {
                    (is_orphan && none_runs && !process.belongs_elsewhere(slot)) || process.is_marked(slot, mark)
                }
            };
            let left_over: Vec<Process> = children
                .into_iter()
                .filter(|pid| !running.contains(pid))
                .filter_map(Process::look_at)
                .filter(is_left_over)
                .collect();
            if left_over.is_empty() && !killed.is_empty() {
                self.groups().killed.clear();
            }
            left_over
        }

        fn groups(&self) -> MutexGuard<'_, Groups> {
            self.groups.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    /// A child of ours that is not a running test.
    #[derive(Debug)]
    struct Process {
        pid: i32,
        group: i32,
        is_dead: bool,
    }

    impl Process {
        fn look_at(pid: i32) -> Option<Self> {
            let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
            let (state, group) = parse_stat(&stat)?;
            Some(Self { pid, group, is_dead: matches!(state, b'Z' | b'X') })
        }

        /// Kills it, and its group unless that is our own: `timeout(1)` leads a group with its command. Returns whether
        /// there was such a group.
        fn kill(&self) -> bool {
            let group = Pid::from_raw(self.group).filter(|&group| group != rustix::process::getpgrp());
            if let Some(group) = group {
                let _ = rustix::process::kill_process_group(group, Signal::KILL);
            }
            if let Some(pid) = Pid::from_raw(self.pid) {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
            group.is_some()
        }

        /// The slot whose test it belongs to.
        fn mark(&self) -> Option<Vec<u8>> {
            let environment = fs::read(format!("/proc/{}/environ", self.pid)).ok()?;
            let mut values = environment.split(|byte| *byte == 0);
            values.find_map(|value| Some(value.strip_prefix(MARK.as_bytes())?.strip_prefix(b"=")?.to_vec()))
        }

        /// Whether it has the mark of another directory that is in use: of a service, a proposer, or another set of slots.
        fn belongs_elsewhere(&self, slot: &Path) -> bool {
            let place = self.mark().map(|mark| PathBuf::from(OsString::from_vec(mark)));
            place.is_some_and(|place| place != slot && place.exists())
        }

        fn is_marked(&self, slot: &Path, mark: &[u8]) -> bool {
            let pid = self.pid;
            let in_environment = || {
                let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
                environment.windows(mark.len()).position(|part| part == mark)
            };
            let in_directory = || fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(slot));
            in_environment().is_some() || in_directory()
        }
    }

    /// The entry that the environment of each process of a slot contains.
    fn mark_of(slot: &Path) -> Vec<u8> {
        [MARK.as_bytes(), b"=", slot.as_os_str().as_bytes(), b"\0"].concat()
    }

    /// The numbers of all processes.
    fn processes() -> impl Iterator<Item = i32> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    }

    /// State and process group from a line of `/proc/PID/stat`; the name before them may contain anything.
    fn parse_stat(stat: &[u8]) -> Option<(u8, i32)> {
        let after_name = stat.iter().rposition(|&byte| byte == b')')? + 1;
        let text = std::str::from_utf8(&stat[after_name..]).ok()?;
        let mut fields = text.split_ascii_whitespace();
        let state = fields.next()?.bytes().next()?;
        let group = fields.nth(1)?.parse().ok()?;
        Some((state, group))
    }

    /// Lists the numbers of our children, including dead ones that aren't reaped.
    fn children() -> Vec<i32> {
        let Ok(threads) = fs::read_dir("/proc/self/task") else { return Vec::new() };
        let lists = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        lists
            .flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
            .collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_name_in_a_stat_line_may_contain_anything() {
            assert_eq!(parse_stat(b"12 (sh) S 1 34 56 0"), Some((b'S', 34)));
            assert_eq!(parse_stat(b"12 (a) Z 9 (b)) Z 1 -1 0"), Some((b'Z', -1)));
            assert_eq!(parse_stat(b"12 (sh) S"), None);
            assert_eq!(parse_stat(b""), None);
        }

        #[test]
        fn a_child_that_is_not_ours_survives_a_clean_up() {
            let registry = ProcessRegistry::new(false);
            let mut child = std::process::Command::new("sleep").arg("600").spawn().expect("sleep starts");
            registry.clean_up(Path::new("/nowhere"), Duration::ZERO);
            assert!(child.try_wait().expect("it is our child").is_none());
            child.kill().expect("it is running");
            child.wait().expect("it is our child");
        }
    }
}
