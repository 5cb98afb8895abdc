//! A process that stays up between tests: it gets a line for each question and answers with a line, or it only runs
//! during the tests.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::Signal;

use super::unix::{Leader, TICK, open_pidfd};
use super::{OUTPUT_CHECK, ProcessRegistry};
use crate::oracle::{Cancel, Exit};

/// Time that a process gets to answer a question that was cancelled. To start another one usually takes longer.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// Time that a process which closed its standard output gets to end.
const FAREWELL: Duration = Duration::from_millis(500);

/// Most processes whose memory is added up.
const MOST_DESCENDANTS: usize = 64;

/// The reply to a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// A line, without its end.
    Line(Vec<u8>),
    /// It has ended.
    Ended(Exit),
    /// It gave no answer in time.
    TimedOut,
    /// The question was cancelled.
    Cancelled,
    /// It wrote more than one line, or a line that is too long, or too much on standard error.
    OutOfStep,
}

/// A running process. Dropping it ends it and its group.
#[derive(Debug)]
pub(crate) struct Lasting {
    leader: Option<Leader>,
    pidfd: Option<OwnedFd>,
    /// How it ended, once that is known.
    exit: Option<Exit>,
    questions: Option<ChildStdin>,
    answers: Option<ChildStdout>,
    /// The part of a line that has come so far.
    begun: Vec<u8>,
}

/// The limits of a question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience<'a> {
    pub(crate) deadline: Duration,
    pub(crate) cancel: &'a Cancel,
    /// The file that its standard error goes to, and how long it may become, in bytes.
    pub(crate) errors: (&'a File, u64),
    /// Longest line in bytes.
    pub(crate) longest: usize,
}

impl Lasting {
    /// Starts a process that will be asked.
    pub(crate) fn start(command: &mut Command, registry: &Arc<ProcessRegistry>) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Self::start_alone(command, registry)
    }

    /// Starts a process that only runs.
    pub(crate) fn start_alone(command: &mut Command, registry: &Arc<ProcessRegistry>) -> io::Result<Self> {
        let (mut child, leader) = Leader::start(command, registry)?;
        let pidfd = open_pidfd(leader.pid);
        if let Some(questions) = &child.stdin {
            let flags = fcntl_getfl(questions)?;
            fcntl_setfl(questions, flags | OFlags::NONBLOCK)?;
        }
        let (questions, answers) = (child.stdin.take(), child.stdout.take());
        Ok(Self { leader: Some(leader), pidfd, exit: None, questions, answers, begun: Vec::new() })
    }

    /// Its number.
    pub(crate) fn id(&self) -> Option<u32> {
        self.leader.as_ref().map(|leader| leader.pid.as_raw_pid().cast_unsigned())
    }

    /// Whether it is still running.
    pub(crate) fn is_running(&self) -> bool {
        self.leader.as_ref().is_some_and(|leader| !leader.has_ended().unwrap_or(true))
    }

    /// Asks a question and waits for the answer. After any reply but a line, the process is of no use any more.
    pub(crate) fn ask(&mut self, question: &[u8], patience: &Patience<'_>) -> io::Result<Reply> {
        if self.has_spoken()? {
            return Ok(if self.is_running() { Reply::OutOfStep } else { self.end() });
        }
        if let Some(reply) = self.send(question, patience)? {
            return Ok(reply);
        }
        Ok(match self.receive(patience)? {
            Reply::Line(_) if !self.begun.is_empty() => Reply::OutOfStep,
            reply => reply,
        })
    }

    /// Sends a line. Returns `None` if that worked, or why it did not. Meanwhile it reads on: both sides could wait for the
    /// other to read.
    pub(crate) fn send(&mut self, line: &[u8], patience: &Patience<'_>) -> io::Result<Option<Reply>> {
        let start = Instant::now();
        let line = [line, b"\n"].concat();
        let mut left = line.as_slice();
        while !left.is_empty() {
            let Some(questions) = &mut self.questions else { return Ok(Some(self.end())) };
            match questions.write(left) {
                Ok(count) => left = &left[count..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let nap = patience.deadline.saturating_sub(start.elapsed());
                    if nap.is_zero() || patience.cancel.is_stopped() {
                        self.kill();
                        return Ok(Some(if nap.is_zero() { Reply::TimedOut } else { Reply::Cancelled }));
                    }
                    let is_full = self.begun.len() > patience.longest;
                    if !is_full && self.listen(nap.min(TICK), patience.cancel, true)? == Heard::End {
                        return Ok(Some(self.end()));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // It has ended, or closed its input. Its last lines can still be read.
                Err(_) => {
                    self.questions = None;
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// Waits for a line.
    pub(crate) fn receive(&mut self, patience: &Patience<'_>) -> io::Result<Reply> {
        let start = Instant::now();
        let mut cancelled = None;
        // The part without a line end, which is not looked through again.
        let mut seen = 0;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.begun[seen..]).map(|at| seen + at) {
                let rest = self.begun.split_off(at + 1);
                let mut line = std::mem::replace(&mut self.begun, rest);
                line.truncate(at);
                return Ok(if cancelled.is_some() { Reply::Cancelled } else { Reply::Line(line) });
            }
            seen = self.begun.len();
            if seen > patience.longest || is_too_long(patience.errors) {
                return Ok(Reply::OutOfStep);
            }
            let nap = match cancelled {
                Some(at) => LAST_WORDS.saturating_sub(Instant::elapsed(&at)),
                None => patience.deadline.saturating_sub(start.elapsed()),
            };
            if nap.is_zero() || patience.cancel.is_killed() {
                self.kill();
                let is_cancelled = cancelled.is_some() || patience.cancel.is_stopped();
                return Ok(if is_cancelled { Reply::Cancelled } else { Reply::TimedOut });
            }
            if self.listen(nap.min(OUTPUT_CHECK), patience.cancel, cancelled.is_some())? == Heard::End {
                return Ok(self.end());
            }
            if cancelled.is_none() && patience.cancel.is_stopped() {
                cancelled = Some(Instant::now());
            }
        }
    }

    /// Whether it has written something without a question, or has closed its output.
    fn has_spoken(&mut self) -> io::Result<bool> {
        Ok(!self.begun.is_empty() || self.listen(Duration::ZERO, &Cancel::default(), true)? != Heard::Nothing)
    }

    /// Waits for more of an answer, for this long.
    fn listen(&mut self, most: Duration, cancel: &Cancel, is_cancelled: bool) -> io::Result<Heard> {
        let Some(answers) = &mut self.answers else { return Ok(Heard::End) };
        let mut fds = vec![PollFd::new(&*answers, PollFlags::IN)];
        let pollable = is_cancelled || cancel.watch(&mut fds);
        let most = if pollable { most } else { most.min(TICK) };
        let timeout = Timespec::try_from(most).expect("a nap is shorter than a second");
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready = !fds[0].revents().is_empty();
        drop(fds);
        if !is_ready {
            return Ok(Heard::Nothing);
        }
        let mut part = [0; 16 << 10];
        let count = answers.read(&mut part)?;
        self.begun.extend(&part[..count]);
        Ok(if count == 0 { Heard::End } else { Heard::More })
    }

    /// It has closed its output: ends what is left of it.
    fn end(&mut self) -> Reply {
        self.answers = None;
        self.questions = None;
        if let Some(pidfd) = &self.pidfd {
            let timeout = Timespec::try_from(FAREWELL).expect("it is short");
            // In vain if it doesn't end; then it is killed, and the exit shows that.
            let _ = poll(&mut [PollFd::new(&pidfd.as_fd(), PollFlags::IN)], Some(&timeout));
        }
        self.kill();
        Reply::Ended(self.exit.unwrap_or(Exit::Unknown))
    }

    /// Asks it to end, and kills it if it hasn't ended after this time.
    pub(crate) fn end_in_order(mut self, patience: Duration) {
        let Some(leader) = &self.leader else { return };
        // It fails if the process has ended already.
        let _ = rustix::process::kill_process_group(leader.pid, Signal::TERM);
        let start = Instant::now();
        while self.is_running() && start.elapsed() < patience {
            std::thread::sleep(TICK);
        }
        self.kill();
    }

    fn kill(&mut self) {
        if let Some(leader) = self.leader.take() {
            self.exit = Some(leader.end(self.pidfd.as_ref(), true));
        }
    }
}

impl Drop for Lasting {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The sounds of a process.
#[derive(PartialEq, Eq)]
enum Heard {
    Nothing,
    More,
    End,
}

/// The memory of a process and its descendants in bytes, if the system tells.
pub(crate) fn resident(process: u32) -> Option<u64> {
    let mut total = 0;
    let mut processes = vec![process.to_string()];
    for at in 0..MOST_DESCENDANTS {
        let Some(number) = processes.get(at) else { break };
        // One that has ended has no memory.
        let facts = fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
        let size =
            facts.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix("kB")?.trim().parse().ok());
        total += size.unwrap_or(0_u64) << 10;
        let children = fs::read_to_string(format!("/proc/{number}/task/{number}/children")).unwrap_or_default();
        processes.extend(children.split_ascii_whitespace().map(str::to_owned));
    }
    (total > 0).then_some(total)
}

fn is_too_long((file, most): (&File, u64)) -> bool {
    file.metadata().is_ok_and(|facts| facts.len() > most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(script: &str) -> Lasting {
        let registry = Arc::new(ProcessRegistry::new(false));
        let mut command = Command::new("sh");
        Lasting::start(command.args(["-c", script]), &registry).expect("sh starts")
    }

    fn ask(process: &mut Lasting, deadline: Duration, cancel: &Cancel) -> Reply {
        let errors = tempfile::tempfile().expect("a file");
        let patience = Patience { deadline, cancel, errors: (&errors, 1 << 20), longest: 1 << 20 };
        process.ask(b"question", &patience).expect("it can be asked")
    }

    const LONG: Duration = Duration::from_secs(900);

    #[test]
    fn each_question_gets_its_line() {
        let mut process = start("while read -r line; do echo \"re: $line\"; done");
        for _ in 0..3 {
            assert_eq!(ask(&mut process, LONG, &Cancel::new()), Reply::Line(b"re: question".to_vec()));
        }
        assert!(process.is_running() && process.id().is_some());
    }

    #[test]
    fn the_end_of_the_process_is_told() {
        assert_eq!(ask(&mut start("read -r line; exit 7"), LONG, &Cancel::new()), Reply::Ended(Exit::Code(7)));
        assert_eq!(ask(&mut start("read -r line; kill -9 $$"), LONG, &Cancel::new()), Reply::Ended(Exit::Signal(9)));
        // One that has ended before the question.
        let mut process = start("exit 3");
        while process.is_running() {
            std::thread::sleep(TICK);
        }
        assert_eq!(ask(&mut process, LONG, &Cancel::new()), Reply::Ended(Exit::Code(3)));
    }

    #[test]
    fn no_answer_is_a_timeout_or_was_cancelled() {
        assert_eq!(ask(&mut start("read -r line; sleep 600"), TICK, &Cancel::new()), Reply::TimedOut);
        let cancel = Cancel::new();
        cancel.stop();
        assert_eq!(ask(&mut start("read -r line; sleep 600"), LONG, &cancel), Reply::Cancelled);
    }

    #[test]
    fn two_sides_that_write_much_do_not_wait_for_each_other() {
        let mut process =
            start("head -c 1000000 /dev/zero | tr '\\0' x; echo; read -r line; echo ${#line}; read -r line");
        let errors = tempfile::tempfile().expect("a file");
        let cancel = Cancel::new();
        let patience = Patience { deadline: LONG, cancel: &cancel, errors: (&errors, 1 << 20), longest: 2 << 20 };
        let long = vec![b'y'; 300_000];
        assert_eq!(process.send(&long, &patience).expect("it is running"), None);
        let Reply::Line(line) = process.receive(&patience).expect("it is running") else { panic!("no line") };
        assert_eq!(line.len(), 1_000_000);
        assert_eq!(process.receive(&patience).expect("it is running"), Reply::Line(b"300000".to_vec()));
    }

    #[test]
    fn two_lines_are_out_of_step() {
        let mut process = start("read -r line; printf 'one\\ntwo\\n'; read -r line");
        assert_eq!(ask(&mut process, LONG, &Cancel::new()), Reply::OutOfStep);
    }
}
