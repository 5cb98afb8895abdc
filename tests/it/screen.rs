//! The whole screen on a real terminal: what its keys do, and that the terminal is given back however a run ends.
//!
//! `setsid --ctty` makes the pseudo-terminal that of the run. Where there is none the tests say so and pass.

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::thread;

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use lop_reduce::{Control, Event, EventSink, Size};
use lop_report::Screen;
use lop_report::screen::Subject;
use lop_run::oracle::Cancel;

use crate::support::{Folder, has, until, wait};

const INPUT: &str = "int a = 1;\nint b(int n) { return n + a; }\nint c(int n) { return b(n) * 2; }\n\
                     int crash(void) { int d = c(3); d += b(4); trap(d); return d; }\nint e(void) { return 5; }\n\
                     int main(void) { e(); return crash(); }\n";
/// Says how often it ran, and takes its time.
const TEST: &str = "echo >>\"$COUNT\"; sleep \"$NAP\"; grep -q 'trap(' \"$1\"";
const TAKEN: &str = "\x1b[?1049h";
const GIVEN_BACK: &str = "\x1b[?1049l";
const CURSOR: &str = "\x1b[?25h";
/// Set for a process that is to panic on a screen.
const PANICS: &str = "LOP_TEST_PANICS_ON_SCREEN";

/// The text that the test writes behind the output of a run.
const THE_END: &str = "\x1b[0mthat is all\x1b[0m";

/// A run on a terminal.
pub(crate) struct Session {
    child: Child,
    master: Option<File>,
    /// Held open, to see the terminal's modes when the run has ended.
    slave: File,
    said: Arc<Mutex<Vec<u8>>>,
}

impl Session {
    /// Runs a command on a terminal of 100 by 30.
    pub(crate) fn new(command: &Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
        grantpt(&master).expect("ours");
        unlockpt(&master).expect("ours");
        let size = Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("ours");
        let name = ptsname(&master, Vec::new()).expect("ours");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = File::from(rustix::fs::open(&name, flags, Mode::empty()).expect("ours"));
        let end = || slave.try_clone().expect("ours");
        let mut setsid = Command::new("setsid");
        // A caller that runs the tests by `nohup` does not hear of a hang-up, and hands that on.
        setsid.args(["--ctty", "env", "--default-signal=HUP"]).arg(command.get_program()).args(command.get_args());
        setsid.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        setsid.current_dir(command.get_current_dir().expect("it has one")).env("TERM", "xterm-256color");
        let child = setsid.stdin(end()).stdout(end()).stderr(end()).spawn().expect("there is setsid");
        let said = Arc::new(Mutex::new(Vec::new()));
        let master = File::from(master);
        let (mut reader, heard) = (master.try_clone().expect("ours"), Arc::clone(&said));
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = reader.read(&mut bytes) {
                heard.lock().expect("nobody panics with it").extend_from_slice(&bytes[..read]);
            }
        });
        Session { child, master: Some(master), slave, said }
    }

    /// lop in a folder with the input and the test, and the file in which tests are counted.
    fn lop(folder: &Folder, options: &[&str]) -> (Self, PathBuf) {
        folder.write("input.c", INPUT);
        folder.script("test.sh", TEST);
        let count = folder.write("count", "");
        let mut command = folder.command(&[options, &["-j2", "test.sh", "input.c"]].concat());
        // Where keys are pressed the run has to last that long.
        command.env("COUNT", &count).env("NAP", if options == ["--ui", "tui"] { "0.1" } else { "0" });
        (Session::new(&command), count)
    }

    pub(crate) fn output(&self) -> String {
        String::from_utf8_lossy(&self.said.lock().expect("nobody panics with it")).into_owned()
    }

    /// Waits until the run has ended, and until all that it wrote has been read.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let status = wait(&mut self.child);
        // It comes behind everything else.
        self.slave.write_all(THE_END.as_bytes()).expect("a terminal takes text");
        until("all is read", || self.output().contains(THE_END).then_some(()));
        status
    }

    /// The text on the screen now.
    fn screen(&self) -> String {
        let size = |number: u16| number.try_into().expect("not zero");
        let mut parser = vt100::Parser::new(size(30), size(100), 0);
        parser.process(&self.said.lock().expect("nobody panics with it"));
        parser.screen().contents()
    }

    #[track_caller]
    fn shows(&self, text: &str) {
        until(text, || self.screen().contains(text).then_some(()));
    }

    #[track_caller]
    fn shows_no_more(&self, text: &str) {
        until(text, || (!self.screen().contains(text)).then_some(()));
    }

    fn press(&mut self, keys: &str) {
        self.master.as_mut().expect("it is open").write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// The terminal as the next command finds it. Its modes are those of before, and the last word on the screen and
    /// the cursor is that they are the usual ones.
    #[track_caller]
    fn assert_restored(&self) {
        let modes = tcgetattr(&self.slave).expect("ours").local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG), "{modes:?}");
        until("the screen is given back", || {
            let output = self.output();
            let last = |text: &str| output.rfind(text);
            (last(TAKEN).is_some() && last(GIVEN_BACK) > last(TAKEN) && last(CURSOR) > last("\x1b[?25l")).then_some(())
        });
    }

    /// Waits until no test is under way.
    fn settles(&self) {
        until("all tests have ended", || {
            let threads = fs::read_dir(format!("/proc/{}/task", self.child.id())).expect("it runs").flatten();
            let mut children = threads.filter_map(|thread| fs::read(thread.path().join("children")).ok());
            children.all(|list| list.is_empty()).then_some(())
        });
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().try_into().expect("a process number")).expect("not zero");
        kill_process(pid, signal).expect("it runs");
    }
}

#[test]
fn keys_pause_skip_compare_save_and_quit() {
    if !has("setsid") {
        return;
    }
    let folder = Folder::new();
    let (mut run, count) = Session::lop(&folder, &["--ui", "tui"]);
    run.shows("siblings");
    run.press("p");
    run.shows("PAUSED");
    run.settles();
    let tests = fs::read(&count).expect("it is there").len();
    run.press("?");
    run.shows("start no new tests");
    run.press("?");
    run.shows_no_more("start no new tests");
    run.press("d");
    run.shows("input and best result");
    run.press("d");
    run.shows_no_more("input and best result");
    run.press("w");
    run.shows("saved a copy");
    assert_eq!(fs::read(&count).expect("it is there").len(), tests, "nothing is tested during a pause");
    assert!(String::from_utf8_lossy(&folder.read("input.copy-1.c")).contains("trap("));
    run.press("s");
    run.press("p");
    run.shows("is skipped from now on");
    run.press("q");
    let status = run.end();
    run.assert_restored();
    let output = run.output();
    let summary = &output[output.rfind(GIVEN_BACK).expect("see above")..];
    assert!(summary.contains("you skipped passes"), "{summary}");
    assert!(status.code() == Some(3) && summary.contains("Stopped early"), "{status} {summary}");
    assert!(String::from_utf8_lossy(&folder.read("input.c")).contains("trap("));
    assert_eq!(folder.temporaries(), [""; 0]);
}

#[test]
fn the_screen_is_taken_by_itself_and_given_back_at_the_end() {
    if !has("setsid") {
        return;
    }
    let folder = Folder::new();
    let (mut run, _) = Session::lop(&folder, &[]);
    assert_eq!(run.end().code(), Some(0));
    run.assert_restored();
    let summary = run.output();
    assert!(summary[summary.rfind(GIVEN_BACK).expect("see above")..].contains("Reduced"), "{summary}");
}

#[test]
fn the_screen_is_not_taken_where_it_is_needed_for_something_else() {
    if !has("setsid") {
        return;
    }
    for options in [&["-v"][..], &["-q"], &["--json", "-"], &["--ui", "line"], &["--ui", "plain"], &["--ui", "none"]] {
        let folder = Folder::new();
        let (mut run, _) = Session::lop(&folder, options);
        assert_eq!(run.end().code(), Some(0), "{options:?}");
        let output = run.output();
        assert!(!output.contains(TAKEN), "{options:?}");
        let steps: Vec<&str> = output.lines().filter(|line| line.contains(" test ") && line.contains('%')).collect();
        match options {
            ["--ui", "plain"] => assert!(!steps.is_empty() && !steps.concat().contains('\x1b'), "{steps:?}"),
            ["--ui", "none"] => assert!(steps.is_empty() && output.contains("Reduced"), "{output}"),
            _ => {}
        }
    }
}

#[test]
fn signals_and_control_c_give_the_screen_back() {
    if !has("setsid") {
        return;
    }
    for signal in [Some(Signal::TERM), Some(Signal::HUP), Some(Signal::INT), None] {
        let folder = Folder::new();
        let (mut run, _) = Session::lop(&folder, &["--ui", "tui"]);
        run.shows("siblings");
        match signal {
            Some(signal) => run.signal(signal),
            None => run.press("\x03"),
        }
        assert_eq!(run.end().code(), Some(3), "{signal:?}");
        run.assert_restored();
        assert!(String::from_utf8_lossy(&folder.read("input.c")).contains("trap("));
        assert_eq!(folder.temporaries(), [""; 0]);
    }
}

#[test]
fn a_terminal_that_goes_away_ends_the_run_and_keeps_the_best_result() {
    if !has("setsid") {
        return;
    }
    let folder = Folder::new();
    let (mut run, _) = Session::lop(&folder, &["--ui", "tui"]);
    run.shows("siblings");
    // The hang-up comes when no process holds the master any more. The reader has a copy, so a signal stands in.
    run.master = None;
    run.signal(Signal::HUP);
    assert_eq!(wait(&mut run.child).code(), Some(3));
    assert!(String::from_utf8_lossy(&folder.read("input.c")).contains("trap("));
}

/// This test runs itself on a terminal, where it takes the screen and panics.
#[test]
fn a_panic_gives_the_screen_back_before_it_speaks() {
    if std::env::var_os(PANICS).is_some() {
        let subject = Subject {
            place: None,
            path: "input.c".into(),
            input: Arc::from(INPUT.as_bytes()),
            grammar: None,
            control: Control::new(),
            cancel: Cancel::new(),
        };
        let mut screen = Screen::new(subject);
        let size = Size { bytes: 9, tokens: 3, lines: 1 };
        screen
            .event(&Event::Started {
                size,
                archive: None,
                grammar: None,
                syntax_errors: 0,
                by_structure: false,
                slots: 1,
            })
            .expect("there is a screen");
        panic!("something is wrong");
    }
    if !has("setsid") {
        return;
    }
    let folder = Folder::new();
    let mut command = Command::new(std::env::current_exe().expect("it runs"));
    command.args(["--exact", "screen::a_panic_gives_the_screen_back_before_it_speaks", "--nocapture"]);
    command.current_dir(folder.path(".")).env(PANICS, "yes");
    let mut run = Session::new(&command);
    let status = run.end();
    assert!(status.signal().is_none() && !status.success(), "{status}");
    run.assert_restored();
    let output = run.output();
    assert!(output.find("something is wrong") > output.find(GIVEN_BACK), "{output}");
}
