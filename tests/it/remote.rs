//! Tests on another machine: the same results as here, and no wrong one from servers that fail.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use lop::Verdict;
use lop_remote::{Remote, RemoteOptions};
use lop_run::oracle::{
    Cancel, CommandOracle, Conditions, Confinement, Exit, Oracle, Outcome, Slot, SlotOptions, Unresolved,
};

use crate::farm::{Farm, bad_line};
use crate::support::{Folder, TIMEOUT, deadline, finish, many};

/// Looks for two lines, with a tool beside it, and writes where it likes.
const TEST: &str = r#"touch beside; "$(dirname "$0")/tools/look" keep "$1" && grep -q also <"$1""#;

fn with_test() -> Folder {
    let folder = Folder::new();
    folder.script("test.sh", TEST);
    fs::create_dir(folder.path("tools")).expect("a folder");
    folder.script("tools/look", "grep -q \"$1\" \"$2\"");
    let line = |number: usize| match number {
        17 => "keep this\n".to_owned(),
        40 => "and also this\n".to_owned(),
        _ => format!("line {number}\n"),
    };
    folder.write("input.txt", (0..60).map(line).collect::<String>());
    folder
}

/// The words for a reduction of it there.
fn there<'w>(address: &'w str, more: &[&'w str]) -> Vec<&'w str> {
    let words = ["test.sh", "input.txt", "-j1", "--remote", address, "--remote-input", "tools"];
    [&TIMEOUT, &words[..], more].concat()
}

fn oracle(script: &str, address: &str, patience: Duration) -> CommandOracle {
    let words = ["sh", "-c", script].map(Into::into);
    let oracle = CommandOracle::command(&words, Path::new("f"), Conditions::default()).expect("sh is there");
    let options = RemoteOptions { patience, ..RemoteOptions::new(address.parse().expect("an address")) };
    let remote = Some(Arc::new(Remote::new(options).expect("a client")) as _);
    oracle.confined(Confinement { remote, ..Confinement::default() }).expect("nothing is read")
}

/// Judges candidates one after the other.
fn judge(oracle: &CommandOracle, candidates: &[&str], cancel: &Cancel) -> Vec<Outcome> {
    let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
    candidates.iter().map(|candidate| oracle.judge(candidate.as_bytes(), &mut slot, deadline(), cancel)).collect()
}

#[test]
fn remote_results_are_those_of_here_byte_by_byte_and_are_remembered_there() {
    let (folder, farm) = (with_test(), Farm::start());
    let address = format!("grpc://{}", farm.address);
    let here = ["test.sh", "input.txt", "-j1", "-o", "here.txt", "--json", "here.json"];
    folder.lop(&[&TIMEOUT[..], &here].concat()).expect_code(0);
    let tests = |name: &str| {
        let text = String::from_utf8(folder.read(name)).expect("text");
        text.lines().filter(|line| line.contains(r#""event":"test""#)).count()
    };
    folder.lop(&there(&address, &["-o", "there.txt", "--json", "there.json"])).expect_code(0);
    assert_eq!(folder.read("here.txt"), folder.read("there.txt"));
    assert_eq!(tests("here.json"), tests("there.json"));
    let ran = farm.counts().runs.load(Ordering::Relaxed);
    // Another user's run: the server knows the answers.
    folder.lop(&there(&address, &["-o", "again.txt"])).expect_code(0);
    assert_eq!(folder.read("here.txt"), folder.read("again.txt"));
    let again = farm.counts().runs.load(Ordering::Relaxed) - ran;
    assert!(again * 2 < ran && farm.counts().remembered.load(Ordering::Relaxed) * 2 > ran, "{again} after {ran}");
    let before = farm.counts().remembered.load(Ordering::Relaxed);
    folder.lop(&["verify", "there.txt"]).expect_code(0);
    assert_eq!(farm.counts().remembered.load(Ordering::Relaxed), before, "a verification believes no earlier answer");
    assert!(folder.temporaries().is_empty());
}

/// A server remembers an answer, and each run of an intermittent test has one of its own.
#[test]
fn remote_bugs_that_show_only_sometimes_keep_their_rate() {
    let (folder, farm) = (Folder::new(), Farm::start());
    let address = format!("grpc://{}", farm.address);
    let runs = folder.path("runs").display().to_string();
    let often = format!("echo x >> '{runs}'; n=$(wc -l < '{runs}'); test $((n * 7919 % 104729 % 4)) != 0");
    folder.script("test.sh", &format!("{often} && grep -q keep \"$1\""));
    folder.write("input.txt", "line one\nkeep this\nline three\n");
    let line = ["-j1", "--flaky", "test.sh", "input.txt", "--remote", &address, "-o", "out"];
    let ran = folder.lop(&[&TIMEOUT[..], &line].concat()).expect_code(0);
    assert_eq!(folder.read("out").trim_ascii(), b"keep");
    assert!(ran.stderr.contains("shows the bug in 30 of ") && ran.stderr.contains("(input: 30 of "), "{}", ran.stderr);
    let counted = farm.counts().runs.load(Ordering::Relaxed);
    assert!(counted > 60, "{counted} runs there, and the input and the result need 30 interesting ones each");
}

#[test]
fn remote_directories_arguments_and_what_is_beside_go_there() {
    let (folder, farm) = (Folder::new(), Farm::start());
    let address = format!("grpc://{}", farm.address);
    fs::create_dir_all(folder.path("project/sub")).expect("a folder");
    folder.write("project/a.txt", "one\nkeep\ntwo\n");
    folder.write("project/sub/b.txt", "three\n");
    folder.write("words.txt", "keep\n");
    let command = ["--", "sh", "-c", "grep -rqf words.txt @@"];
    let words = ["project", "-o", "out", "--with", "words.txt", "--remote", &address, "--remote-jobs", "3"];
    folder.lop(&[&words[..], &command[..]].concat()).expect_code(0);
    assert_eq!(folder.read("out/a.txt").trim_ascii(), b"keep");
    folder.script("tool.sh", "case \"$*\" in *three*) exit 3;; esac");
    let command = ["--", "./tool.sh", "one", "two", "three", "four"];
    let words = ["--reduce-args", "-o", "args.sh", "--exit-code", "3", "--remote", &address];
    folder.lop(&[&words[..], &command[..]].concat()).expect_code(0);
    let left = String::from_utf8(folder.read("args.sh")).expect("text");
    assert!(left.contains("three") && !left.contains("four"), "{left}");
}

#[test]
fn remote_calls_say_who_asks_and_which_machine_is_wanted() {
    let (folder, farm) = (with_test(), Farm::start());
    let address = format!("grpc://{}/some/instance", farm.address);
    fs::create_dir_all(folder.path("config/lop")).expect("a folder");
    folder.write("config/lop/remote.toml", "[headers]\nx-file = \"file\"\nx-both = \"file\"\n");
    let more = ["-o", "out.txt", "--remote-property", "OSFamily=linux", "--remote-property", "size=small"];
    let mut command = folder.command(&there(&address, &more));
    command.env("XDG_CONFIG_HOME", folder.path("config")).env("LOP_REMOTE_HEADERS", "x-both=environment; x-key = 1");
    finish(command.spawn().expect("lop can be started")).expect_code(0);
    let mut headers: Vec<String> = farm.headers().into_iter().collect();
    headers.sort();
    assert_eq!(headers, ["x-both: environment", "x-file: file", "x-key: 1"]);
    assert!(["OSFamily=linux", "size=small"].iter().all(|one| farm.properties().contains(*one)));
    // No file of the run has the secret.
    let journal = crate::support::each(&folder.names(), |name| fs::read(folder.path(name)).unwrap_or_default());
    assert!(journal.iter().all(|text| !text.windows(11).any(|part| part == b"environment")));
}

#[test]
fn remote_outcomes_are_those_of_a_local_run() {
    let farm = Farm::start();
    let script =
        "read line; case $line in long) seq 100000; exit 3;; slow) sleep 3600;; signal) kill -9 $$;; *) exit 1;; esac";
    let oracle = oracle(script, &format!("grpc://{}", farm.address), deadline());
    let mut slot = Slot::new(&SlotOptions::default()).expect("a slot");
    let mut ask = |candidate: &str, deadline| oracle.judge(candidate.as_bytes(), &mut slot, deadline, &Cancel::new());
    let long = ask("long\n", deadline());
    assert_eq!((long.exit, long.stdout_tail.len()), (Exit::Code(3), Outcome::TAIL));
    assert!(long.stdout_tail.ends_with(b"99999\n100000\n"));
    assert_eq!(ask("signal\n", deadline()).exit, Exit::Code(137));
    let slow = ask("slow\n", Duration::from_secs(1));
    assert_eq!((slow.exit, slow.verdict), (Exit::TimedOut, Some(Verdict::Timeout)));
    let large = vec![b'x'; 5 << 20];
    assert_eq!(oracle.judge(&large, &mut slot, deadline(), &Cancel::new()).exit, Exit::Code(1));
}

#[test]
fn remote_machines_that_are_broken_are_not_believed() {
    let farm = Farm::start();
    let oracle = oracle("grep -q yes", &format!("grpc://{}", farm.address), deadline());
    let cancel = Cancel::new();
    let verdicts = |candidates: &[&str]| -> Vec<Option<Verdict>> {
        judge(&oracle, candidates, &cancel).into_iter().map(|outcome| outcome.verdict).collect()
    };
    let (yes, no) = (Some(Verdict::Interesting), Some(Verdict::NotInteresting));
    assert_eq!(verdicts(&["yes", "no"]), [yes, no]);
    // Longer than an answer without a word is believed without a question.
    let pause = || std::thread::sleep(Duration::from_millis(1100));
    pause();
    farm.faults().broken.store(4, Ordering::Relaxed);
    assert_eq!(verdicts(&["yes, 2", "no, 2", "yes, 3"]), [yes, no, yes]);
    // An answer and the two known questions about it are three runs: where those of a busy machine are asked each time, three
    // in a row have to end well now and then.
    let struck = || [farm.counts().struck.load(Ordering::Relaxed), farm.counts().forgotten.load(Ordering::Relaxed)];
    farm.faults().every.store(4, Ordering::Relaxed);
    farm.faults().forgets.store(7, Ordering::Relaxed);
    assert_eq!(verdicts(&["yes, 4", "no, 4", "yes, 5", "yes, 4"]), [yes, no, yes, yes]);
    for round in 5.. {
        if struck().iter().all(|times| *times > 1) {
            break;
        }
        pause();
        assert_eq!(verdicts(&[&format!("no, {round}"), "yes, 4"]), [no, yes]);
    }
}

#[test]
fn remote_server_that_sends_without_end_is_not_listened_to_without_end() {
    let farm = Farm::start();
    let address = format!("grpc://{}", farm.address);
    let told = |oracle: &CommandOracle| {
        // A server that is listened to without end fails the test by this.
        let cancel = Cancel::new();
        cancel.expire_at(Some(std::time::Instant::now() + deadline()));
        let outcome = judge(oracle, &["yes"], &cancel).remove(0);
        let Some(Unresolved::Failed(message)) = outcome.unresolved else { panic!("{outcome:?}") };
        message
    };
    let patience = Duration::from_millis(10);
    let long = oracle("yes | head -c 5000", &address, patience);
    farm.faults().endless_outputs.store(true, Ordering::Relaxed);
    let message = told(&long);
    assert!(message.contains("an output is longer than the server said"), "{message}");
    farm.faults().endless_runs.store(true, Ordering::Relaxed);
    let message = told(&oracle("true", &address, patience));
    assert!(message.contains("messages about a run, and none that it has ended"), "{message}");
    farm.faults().endless_runs.store(false, Ordering::Relaxed);
    farm.faults().wordy.store(1 << 20, Ordering::Relaxed);
    let message = told(&oracle("true", &address, patience));
    assert!(message.contains("www") && message.len() < 2_000, "{}", message.len());
}

#[test]
fn remote_server_that_is_started_anew_is_waited_for_and_one_that_is_gone_is_named() {
    let mut farm = Farm::start();
    let address = format!("grpc://{}", farm.address);
    let oracle = oracle("grep -q yes", &address, deadline());
    let cancel = Cancel::new();
    assert!(judge(&oracle, &["yes"], &cancel)[0].is_interesting());
    farm.stop();
    let farm = std::thread::scope(|scope| {
        let answer = scope.spawn(|| judge(&oracle, &["yes, 2"], &cancel));
        std::thread::sleep(Duration::from_millis(300));
        let farm = farm.again();
        assert!(answer.join().expect("no panic")[0].is_interesting());
        farm
    });
    drop(farm);
    let gone = &judge(&self::oracle("true", &address, Duration::from_millis(500)), &["yes"], &cancel)[0];
    let Some(Unresolved::Failed(message)) = &gone.unresolved else { panic!("{gone:?}") };
    assert!(message.starts_with(&address), "{message}");
    let told = cancel.child();
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| judge(&self::oracle("true", &address, deadline()), &["yes"], &told));
        std::thread::sleep(Duration::from_millis(100));
        told.stop();
        assert_eq!(answer.join().expect("no panic")[0].unresolved, Some(Unresolved::Cancelled));
    });
}

#[test]
fn remote_run_whose_server_is_gone_keeps_its_best_and_goes_on_here() {
    let (folder, farm) = (with_test(), Farm::start());
    let address = format!("grpc://{}", farm.address);
    folder.lop(&[&TIMEOUT[..], &["test.sh", "input.txt", "-j1", "-o", "here.txt"]].concat()).expect_code(0);
    folder.lop(&there(&address, &["-o", "out.txt", "--max-tests", "12"]));
    drop(farm);
    let part = folder.read("out.txt");
    assert!(part.len() < folder.read("input.txt").len());
    folder.lop(&["resume", "out.txt.lop", "-j1", "--remote", "none"]).expect_code(0);
    assert_eq!(folder.read("out.txt"), folder.read("here.txt"));
    let farm = Farm::start();
    let two = ["test.sh", "input.txt", "-j1", "-o", "two.txt", "--max-tests", "12"];
    folder.lop(&[&TIMEOUT[..], &two].concat());
    let address = format!("grpc://{}", farm.address);
    let words = ["resume", "two.txt.lop", "-j1", "--remote", &address, "--remote-input", "tools"];
    folder.lop(&words).expect_code(0);
    assert_eq!(folder.read("two.txt"), folder.read("here.txt"));
    assert!(farm.counts().runs.load(Ordering::Relaxed) > 0);
}

#[test]
fn remote_results_are_right_through_a_line_that_drops_delays_and_cuts() {
    let (folder, farm) = (with_test(), Farm::start());
    folder.lop(&[&TIMEOUT[..], &["test.sh", "input.txt", "-j1", "-o", "here.txt"]].concat()).expect_code(0);
    for seed in 0..many(2) {
        let line = bad_line(farm.address, seed * 1_000);
        farm.faults().every.store(17, Ordering::Relaxed);
        farm.faults().forgets.store(29, Ordering::Relaxed);
        let out = format!("out{seed}.txt");
        let address = format!("grpc://{line}/{seed}");
        folder.lop(&there(&address, &["-o", &out])).expect_code(0);
        assert_eq!(folder.read("here.txt"), folder.read(&out), "{seed}");
    }
}

#[test]
fn remote_options_that_make_no_sense_are_refused_with_the_way_out() {
    let folder = with_test();
    for (words, said) in [
        (&["--remote", "http://a:1"][..], "grpc://HOST:PORT"),
        (&["--remote", "grpc://a"], "grpc://HOST:PORT"),
        (&["--remote-jobs", "3"], "--remote"),
        (&["--remote", "grpc://a:1", "--remote-jobs", "1000000"], "at most 2048"),
        (&["--remote", "grpc://a:1", "--remote-property", "x"], "NAME=VALUE"),
        (&["--remote", "grpc://a:1", "--isolate", "bwrap"], "--isolate"),
        (&["--remote", "grpc://a:1", "--remote-input", "missing"], "missing"),
    ] {
        let ran = folder.lop(&[&["test.sh", "input.txt"], words].concat()).expect_code(2);
        assert!(ran.stderr.contains(said), "{words:?}: {}", ran.stderr);
    }
    folder.write("lop.toml", "remote = \"grpc://127.0.0.1:1\"\n");
    let ran = folder.lop(&["test.sh", "input.txt"]).expect_code(2);
    assert!(ran.stderr.contains("cannot be set in a project's lop.toml"), "{}", ran.stderr);
}

#[test]
fn remote_uploads_are_hardly_more_than_the_candidates() {
    let farm = Farm::start();
    let oracle = oracle("grep -q yes", &format!("grpc://{}", farm.address), deadline());
    let text = |number: usize| format!("yes {number}\n{}", "some text\n".repeat(10_000));
    let candidates: Vec<String> = (0..10).map(text).collect();
    let bytes = || farm.counts().bytes.load(Ordering::Relaxed);
    judge(&oracle, &[&candidates[0]], &Cancel::new());
    let before = bytes();
    judge(&oracle, &candidates[1..].iter().map(String::as_str).collect::<Vec<_>>(), &Cancel::new());
    let sum: usize = candidates[1..].iter().map(String::len).sum();
    assert!((bytes() - before) * 10 < sum as u64 * 11, "{} for {sum}", bytes() - before);
    // The client does not forget, and the server has not: nothing goes there twice.
    let before = bytes();
    judge(&oracle, &[&candidates[1]], &Cancel::new());
    assert!(bytes() - before < 1_000, "{}", bytes() - before);
}

#[test]
fn doctor_says_what_differs_on_the_other_machine() {
    let (folder, farm) = (with_test(), Farm::start());
    let address = format!("grpc://{}", farm.address);
    let line = ["doctor", "test.sh", "input.txt", "-j2", "--remote", &address];
    let missing = folder.lop(&line).expect_code(1);
    let said = String::from_utf8(missing.stdout).expect("text");
    let seen =
        format!("on {address} the input is not interesting (exit code 127), and here it is interesting (exit code 0)");
    assert!(said.contains(&seen), "{said}");
    let ran = folder.lop(&["test.sh", "input.txt", "-o", "out.txt", "--remote", &address]).expect_code(1);
    assert!(ran.stderr.contains(&format!("hint: `lop doctor --remote {address}`")), "{}", ran.stderr);
    let there = folder.lop(&[&line[..], &["--remote-input", "tools"]].concat()).expect_code(0);
    let said = String::from_utf8(there.stdout).expect("text");
    assert!(said.contains(&format!("are the same here and on {address}")), "{said}");
}

#[test]
fn remote_server_and_client_show_their_certificates() {
    let made = || rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let (server, client) = (made(), made());
    let farm = Farm::secret(&server.cert.pem(), &server.signing_key.serialize_pem(), &client.cert.pem());
    let folder = with_test();
    folder.write("server.pem", server.cert.pem());
    folder.write("client.pem", client.cert.pem());
    folder.write("key.pem", client.signing_key.serialize_pem());
    let address = format!("grpcs://localhost:{}", farm.address.port());
    let run = |certificates: &[(&str, &str)]| {
        let mut command = folder.command(&there(&address, &["-o", "out.txt"]));
        command.envs(certificates.iter().map(|(name, file)| (name, folder.path(file))));
        finish(command.spawn().expect("lop can be started"))
    };
    let own = [("LOP_REMOTE_CERT", "client.pem"), ("LOP_REMOTE_KEY", "key.pem")];
    let all = [("LOP_REMOTE_CA", "server.pem"), own[0], own[1]];
    run(&all).expect_code(0);
    assert!(folder.read("out.txt").starts_with(b"keep"));
    for (certificates, code, said) in [
        (&all[..2], 2, "a certificate needs its key"),
        (&all[..1], 2, "localhost"),
        (&own[..], 2, "UnknownIssuer"),
        (&[("LOP_REMOTE_CA", "missing.pem")], 2, "cannot read"),
    ] {
        let ran = run(certificates).expect_code(code);
        assert!(ran.stderr.contains(said), "{certificates:?}: {}", ran.stderr);
    }
}
