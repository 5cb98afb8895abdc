//! Responsible for a command that stays up: asks the server of a slot about candidates, replaces servers, and compares
//! their answers.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{CommandOracle, RunError};
use crate::oracle::output::Written;
use crate::oracle::process::{Ending, MARK, Reply};
use crate::oracle::server::{self, Answer, Server, Servers};
use crate::oracle::subject::Subject;
use crate::oracle::{Cancel, Exit, INVALID_CODE, Outcome, Slot};
use lop_engine::Verdict;

/// The reaction of a server to a question.
#[derive(Debug)]
enum Reaction {
    /// It answered, or the question was cancelled.
    Answer(Outcome),
    /// It ended or gave no answer in time, which says something about the candidate if the server was fresh.
    Silence(Outcome),
    /// Anything else, in words.
    Nonsense(String),
}

impl CommandOracle {
    /// Asks a server, and now and then a fresh one.
    pub(super) fn run_in_server(
        &self,
        servers: &Arc<Servers>,
        candidate: &[u8],
        slot: &mut Slot,
        limits: (Duration, &Cancel),
        mut written: Option<&mut Written>,
    ) -> Result<Outcome, RunError> {
        let (mut before, leak) = (servers.remembered(candidate), servers.leak());
        let warm = slot.server.take().filter(|server| server.belongs_to(servers) && before.is_none() && !leak);
        // One that gives no answer is replaced, and the question asked again.
        if let Some(server) = warm
            && let Reaction::Answer(outcome) = self.ask(server, candidate, slot, limits, written.as_deref_mut())?
        {
            let is_compared = outcome.verdict.is_some() && servers.answered(candidate, &outcome);
            if !is_compared {
                slot.tick()?;
                return Ok(outcome);
            }
            before = outcome.verdict;
        }
        let server = self.start_server(servers, slot)?;
        let mut outcome = match self.ask(server, candidate, slot, limits, written)? {
            Reaction::Answer(outcome) | Reaction::Silence(outcome) => outcome,
            Reaction::Nonsense(said) => return Err(RunError::Nonsense { said }),
        };
        slot.tick()?;
        if let (Some(before), Some(now)) = (before, outcome.verdict)
            && before != now
            && !leak
        {
            outcome.contradiction = Some(servers.contradicted(before, now));
        }
        Ok(outcome)
    }

    /// The paths of the candidate's files, as a test gets them as arguments.
    fn own_paths(&self, first: &Path, directory: &Path) -> impl Iterator<Item = PathBuf> {
        let others = match &self.subject {
            Subject::Files(names, _) => &names[1..],
            Subject::File(_) | Subject::Directory(..) => &[],
        };
        std::iter::once(first.to_owned()).chain(others.iter().map(|name| directory.join(name)))
    }

    fn start_server(&self, servers: &Arc<Servers>, slot: &mut Slot) -> Result<Server, RunError> {
        let base = slot.path().to_owned();
        let place = slot.server_place().map_err(|source| RunError::Prepare { place: base.clone(), source })?;
        let mut command = self.launcher.command(&self.program, &base);
        command.args(self.arguments.iter().map(|word| word.render(Path::new(""), &self.names))).env(MARK, &base);
        // Python would keep answers back until it has some kilobytes of them.
        command.env("PYTHONUNBUFFERED", "1");
        self.set_called(&mut command);
        Server::start(command, servers, place, slot.registry())
            .map_err(|source| RunError::Start { program: self.program.clone(), source })
    }

    /// Asks a server about a candidate. Afterwards the server is in the slot, if it can answer more questions.
    fn ask(
        &self,
        mut server: Server,
        candidate: &[u8],
        slot: &mut Slot,
        (deadline, cancel): (Duration, &Cancel),
        written: Option<&mut Written>,
    ) -> Result<Reaction, RunError> {
        let place = slot.path().to_owned();
        let in_place = |source| RunError::Prepare { place: place.clone(), source };
        let (files, path) = self.lay_out(candidate, slot)?;
        let question = server::question(self.own_paths(&path, &files.directory));
        let start = Instant::now();
        let (reply, errors) = server.ask(&question, deadline, cancel).map_err(|source| RunError::Ask { source })?;
        let duration = start.elapsed();
        (&files.stderr).write_all(&errors).map_err(in_place)?;
        let answer = match &reply {
            Reply::Line(line) => match Answer::parse(line) {
                None => return Ok(Reaction::Nonsense(format!("it answered {}", server::shown(line)))),
                answer => answer,
            },
            Reply::OutOfStep => return Ok(Reaction::Nonsense("it wrote more than one line for a path".to_owned())),
            // A test that is no server would call everything interesting.
            Reply::Ended(Exit::Code(0)) => return Ok(Reaction::Nonsense("it ended without an answer".to_owned())),
            Reply::Ended(_) | Reply::TimedOut | Reply::Cancelled => None,
        };
        let ending = match (&answer, reply) {
            (_, Reply::Cancelled) => Ending::Cancelled,
            (_, Reply::TimedOut) => Ending::TimedOut,
            (_, Reply::Ended(exit)) => Ending::Exited(exit),
            (Some(Answer::Run { exit, stdout, stderr }), _) => {
                (&files.stdout).write_all(stdout.as_bytes()).map_err(in_place)?;
                (&files.stderr).write_all(stderr.as_bytes()).map_err(in_place)?;
                Ending::Exited(Exit::Code(*exit))
            }
            // A word, as the exit code by which a test would say it.
            (Some(Answer::Verdict(Verdict::Interesting)), _) => Ending::Exited(Exit::Code(0)),
            (Some(Answer::Verdict(Verdict::Invalid)), _) => Ending::Exited(Exit::Code(INVALID_CODE)),
            (_, Reply::Line(_) | Reply::OutOfStep) => Ending::Exited(Exit::Code(1)),
        };
        let judged = self.judge_ending(candidate, ending, duration, &files, written);
        let mut outcome = judged.map_err(|source| RunError::Read { source })?;
        if let Some(Answer::Verdict(verdict)) = answer {
            outcome.verdict = Some(verdict);
        } else if outcome.exit == Exit::TimedOut {
            outcome.note =
                Some("the server gave no answer; it must flush its standard output after each line".to_owned());
        }
        if server.may_stay() {
            slot.server = Some(server);
        }
        let is_silent = answer.is_none() && outcome.verdict.is_some();
        Ok(if is_silent { Reaction::Silence(outcome) } else { Reaction::Answer(outcome) })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use super::*;
    use crate::oracle::{Conditions, Oracle, SlotOptions};

    /// Longer than any of these tests takes on a busy machine.
    const DEADLINE: Duration = Duration::from_secs(900);

    fn server(script: &str) -> CommandOracle {
        let words = ["sh", "-c", script].map(OsString::from);
        CommandOracle::server(&words, Path::new("case.txt"), Conditions::default()).expect("every Unix has sh")
    }

    #[test]
    fn a_server_is_replaced_after_many_answers_and_compared_now_and_then() {
        let folder = tempfile::tempdir().expect("a directory");
        let starts = folder.path().join("starts");
        let oracle = server(&format!("echo >> {}; while read -r path; do echo invalid; done", starts.display()));
        let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
        let mut ask = |number: usize| {
            let outcome = oracle.judge(number.to_string().as_bytes(), &mut slot, DEADLINE, &Cancel::new());
            assert_eq!(outcome.verdict, Some(Verdict::Invalid));
            fs::read(&starts).expect("it was started").len()
        };
        let counts: Vec<usize> = (0..1300).map(&mut ask).collect();
        // The first question; the 1st, 4th, 16th, 64th and each 256th answer of a warm one.
        assert_eq!((counts[0], counts[1], counts[4], counts[100], counts[300], counts[1299]), (1, 2, 3, 5, 6, 10));
    }

    #[test]
    fn an_answer_that_never_comes_has_a_hint() {
        let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
        let outcome = server("sleep 600").judge(b"x", &mut slot, Duration::from_millis(50), &Cancel::new());
        assert_eq!((outcome.verdict, outcome.exit), (Some(Verdict::Timeout), Exit::TimedOut));
        assert!(outcome.note.is_some_and(|note| note.contains("flush")));
    }
}
