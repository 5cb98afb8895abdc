//! Files that strangers have put beside a file do nothing, and those that lop makes of it are for its readers only.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Folder, Ran, finish, missing};

/// A user without any files.
const STRANGER: u32 = 65534;

/// A file with one line that counts, and its test.
fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("input.txt", "some\nkeep this\ntext\n");
    folder.script("test.sh", "grep -q keep \"$1\"");
    folder.write("victim", "precious\n");
    fs::create_dir(folder.path("elsewhere")).expect("a new folder");
    folder
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A run of lop that is refused because of something with this name, and changes nothing.
#[track_caller]
fn refused(folder: &Folder, line: &[&str], name: &str, why: &str) {
    let ran = folder.lop(line).expect_code(2);
    assert!(ran.stderr.contains(name) && ran.stderr.contains(why), "{line:?} {name}: {}", ran.stderr);
    assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
    assert_eq!(folder.read("victim"), b"precious\n");
    assert_eq!(fs::read_dir(folder.path("elsewhere")).expect("our own folder").count(), 0);
    assert_eq!(folder.read("input.txt"), b"some\nkeep this\ntext\n");
    assert!(!folder.names().contains(&"input.txt.orig".to_owned()));
    assert_eq!(folder.temporaries(), [""; 0]);
}

fn fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo is everywhere");
    assert!(made.success());
}

const LINE: [&str; 4] = ["-j1", "test.sh", "input.txt", "--also-interesting=1"];

#[test]
fn links_under_the_names_of_lop_are_refused_by_name() {
    for name in ["journal", "journal.new", "journal.old", "journal.1"] {
        let folder = prepared();
        fs::create_dir(folder.path("input.txt.lop")).expect("a new folder");
        symlink("../victim", folder.path("input.txt.lop").join(name)).expect("a link");
        refused(&folder, &LINE, &format!("input.txt.lop/{name} "), "is a symbolic link");
    }
    for name in ["input.txt.lop", "input.txt.lop/other", "input.txt.lop/other/1-exit-code-1"] {
        let folder = prepared();
        let path = folder.path(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a new folder");
        symlink(folder.path("elsewhere"), path).expect("a link");
        refused(&folder, &LINE, name, "is a symbolic link");
    }
    // Also where it is named, with a slash that would lead through it, or with nothing behind it.
    let folder = prepared();
    symlink("elsewhere", folder.path("state")).expect("a link");
    symlink("nowhere", folder.path("void")).expect("a link");
    for state in ["state", "state/", "state/.", "void"] {
        let name = &state[..state.find('/').unwrap_or(state.len())];
        refused(&folder, &["--state", state, "test.sh", "input.txt"], name, "is a symbolic link");
    }
    assert!(!folder.path("nowhere").exists());
}

#[test]
fn without_a_journal_nothing_stands_in_the_way_and_nothing_is_written_through_a_link() {
    // Every candidate without the line crashes otherwise, which would be kept there.
    for name in ["input.txt.lop", "input.txt.lop/other", "input.txt.lop/journal"] {
        let folder = prepared();
        let path = folder.path(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a new folder");
        symlink(folder.path("elsewhere"), path).expect("a link");
        let ran = folder.lop(&["-j1", "-o", "out", "--no-state", "test.sh", "input.txt"]).expect_code(0);
        assert!(!ran.stderr.contains("error: "), "{}", ran.stderr);
        assert_eq!(folder.read("out"), b"keep");
        let line = ["-j1", "--no-state", "--crash", "input.txt", "--", "sh", "-c", CRASHES, "sh", "@@"];
        folder.lop(&line).expect_code(0);
        assert_eq!(fs::read_dir(folder.path("elsewhere")).expect("our own folder").count(), 0);
    }
}

/// Dies of one signal where the line is, and of another one where it is not.
const CRASHES: &str = "grep -q keep \"$1\" && kill -SEGV $$; kill -ABRT $$";

#[test]
fn pipes_and_hard_links_under_the_names_of_lop_are_refused_and_not_waited_for() {
    for name in ["journal", "journal.old"] {
        let folder = prepared();
        fs::create_dir(folder.path("input.txt.lop")).expect("a new folder");
        let path = folder.path("input.txt.lop").join(name);
        fifo(&path);
        refused(&folder, &LINE, name, "is not a regular file");
        folder.lop(&["resume", "input.txt.lop"]).expect_code(2);
        folder.lop(&["history", "input.txt.lop"]).expect_code(2);
        folder.lop(&["verify", "input.txt"]).expect_code(2);
        fs::remove_file(&path).expect("our own pipe");
        fs::hard_link(folder.path("victim"), &path).expect("a link");
        refused(&folder, &LINE, name, "is a hard link");
    }
}

#[test]
fn what_a_user_names_is_not_written_to_through_a_link() {
    for option in ["-o", "--json", "--report"] {
        let folder = prepared();
        symlink("victim", folder.path("planted")).expect("a link");
        // The file that the result is written to may be missing so far.
        let mut line = vec!["-q", option, "planted", "test.sh", "input.txt"];
        if option != "-o" {
            line.extend(["-o", "out"]);
        }
        let ran = folder.lop(&line).expect_code(2);
        assert!(ran.stderr.contains("planted") && ran.stderr.contains("is a symbolic link"), "{}", ran.stderr);
        assert_eq!(folder.read("victim"), b"precious\n");
    }
    let folder = prepared();
    symlink("victim", folder.path("planted")).expect("a link");
    folder.lop(&["-q", "-o", "small", "test.sh", "input.txt"]).expect_code(0);
    folder.lop(&["history", "small.lop", "--at", "0", "-o", "planted"]).expect_code(6);
    folder.script("test.sh", "grep -q kee \"$1\"");
    folder.lop(&["verify", "small", "-o", "planted"]).expect_code(6);
    assert_eq!(folder.read("victim"), b"precious\n");
    // A link that the system itself names is another matter.
    let ran = folder.lop(&["-q", "-o", "small2", "--json", "/dev/stdout", "test.sh", "input.txt"]).expect_code(0);
    assert!(ran.stdout.starts_with(b"{"), "{ran:?}");
}

#[test]
fn what_belongs_to_another_user_is_refused_by_name() {
    if !is_root() {
        return missing("only root can give files away");
    }
    for name in ["input.txt.lop", "input.txt.lop/journal", "input.txt.lop/other"] {
        let folder = prepared();
        let path = folder.path(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a new folder");
        if name.ends_with("journal") {
            fs::write(&path, "").expect("a file");
        } else {
            fs::create_dir(&path).expect("a new folder");
        }
        std::os::unix::fs::chown(&path, Some(STRANGER), None).expect("root may do so");
        refused(&folder, &LINE, name, "belongs to another user");
    }
    let folder = prepared();
    folder.write("page.html", "");
    std::os::unix::fs::chown(folder.path("page.html"), Some(STRANGER), None).expect("root may do so");
    let ran = folder.lop(&["-q", "--report", "page.html", "test.sh", "input.txt"]).expect_code(2);
    assert!(ran.stderr.contains("belongs to another user"), "{}", ran.stderr);
}

/// Runs lop where nothing else takes permissions away.
fn without_a_mask(folder: &Folder, arguments: &[&str]) -> Ran {
    let like = folder.command(arguments);
    let mut command = Command::new("sh");
    command.args(["-c", "umask 0; exec \"$@\"", "sh"]).arg(like.get_program()).args(like.get_args());
    command.env_clear().envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(folder.path(".")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(command.spawn().expect("a shell"))
}

/// Every file and folder below one, with its permissions.
fn modes(path: &Path, found: &mut Vec<(String, bool, u32)>) {
    for entry in fs::read_dir(path).expect("our own folder") {
        let path = entry.expect("our own folder").path();
        let facts = path.symlink_metadata().expect("it is there");
        found.push((path.display().to_string(), facts.is_dir(), facts.mode() & 0o777));
        if facts.is_dir() {
            modes(&path, found);
        }
    }
}

#[test]
fn nothing_is_open_to_more_than_the_file() {
    for mode in [0o600, 0o640, 0o644, 0o755, 0o604] {
        let folder = prepared();
        fs::set_permissions(folder.path("input.txt"), fs::Permissions::from_mode(mode)).expect("our own file");
        let before = folder.names();
        let more = ["--report=page.html", "--json=events.json", "--cache=outcomes"];
        let result = ["-o", "out"];
        for line in [[&LINE[..], &more[..], &result[..]].concat(), [&LINE[..], &more[..]].concat()] {
            without_a_mask(&folder, &line).expect_code(0);
        }
        without_a_mask(&folder, &["history", "out.lop", "--at", "0", "-o", "first"]).expect_code(0);
        let mut found = Vec::new();
        modes(&folder.path("."), &mut found);
        let made = found.iter().filter(|(path, ..)| {
            let name = Path::new(path).strip_prefix(folder.path(".")).expect("it is below");
            let top = name.iter().next().expect("a name").to_string_lossy().into_owned();
            !before.contains(&top) || top == "input.txt"
        });
        let mut count = 0;
        for (path, is_folder, found) in made {
            // Several users may share the folder of a cache.
            if path.ends_with("/outcomes") {
                continue;
            }
            count += 1;
            let reading = mode & 0o044;
            let most = if *is_folder { reading | reading >> 2 } else { mode };
            assert_eq!(found & 0o077 & !most, 0, "{path}: {found:o} of {mode:o}");
        }
        assert!(count > 14, "{count}: {found:?}");
    }
}

#[test]
fn what_a_killed_run_was_writing_is_removed_by_the_next_and_nothing_else() {
    let folder = prepared();
    folder.lop(&["-q", "-j1", "--max-tests", "5", "-o", "out", "test.sh", "input.txt"]).expect_code(3);
    let tag = |name: &str| blake3::hash(name.as_bytes()).to_hex()[..8].to_owned();
    let own = format!(".lop-{}-0123456789abcdef.tmp", tag("out"));
    let others = format!(".lop-{}-0123456789abcdef.tmp", tag("other.txt"));
    let link = format!(".lop-{}-0000000000000000.tmp", tag("out"));
    for name in [own.clone(), others.clone(), format!("out.lop/.lop-{}-0123456789abcdef.tmp", tag("journal"))] {
        folder.write(&name, "half");
    }
    symlink("victim", folder.path(&link)).expect("a link");
    folder.lop(&["resume", "-q", "out.lop"]).expect_code(0);
    let names = folder.names();
    assert!(!names.contains(&own) && names.contains(&others) && names.contains(&link), "{names:?}");
    let inner: Vec<_> = fs::read_dir(folder.path("out.lop")).expect("it is there").collect();
    assert_eq!(inner.len(), 1, "{inner:?}");
    assert_eq!(folder.read("victim"), b"precious\n");
}

#[test]
fn a_file_that_is_edited_during_the_run_stays_as_it_is() {
    // After the first result, and before it.
    for (when, has_original) in [("-e input.txt.orig", true), ("-e input.txt", false)] {
        let folder = prepared();
        let here = folder.path(".").canonicalize().expect("our own folder");
        folder.script(
            "test.sh",
            &format!(
                "(cd '{}'; if test {when} && test ! -e done; then echo 'hours of work' > input.txt; touch done; fi)\n\
                 grep -q keep \"$1\"",
                here.display()
            ),
        );
        let ran = folder.lop(&["-q", "-j1", "test.sh", "input.txt"]).expect_code(0);
        assert_eq!(folder.read("input.txt"), b"hours of work\n");
        assert_eq!(folder.read("input.txt.reduced"), b"keep");
        let said = "warning: input.txt was changed by another program, so lop leaves it as it is; the result goes to \
                    input.txt.reduced";
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
        assert_eq!(folder.path("input.txt.orig").exists(), has_original);
        if has_original {
            assert_eq!(folder.read("input.txt.orig"), b"some\nkeep this\ntext\n");
        }
    }
}

#[test]
fn a_file_that_was_only_touched_is_replaced_as_always() {
    let folder = prepared();
    let input = folder.path("input.txt");
    folder.script("test.sh", &format!("touch '{}'; grep -q keep \"$1\"", input.display()));
    let ran = folder.lop(&["-q", "-j1", "test.sh", "input.txt"]).expect_code(0);
    assert_eq!((folder.read("input.txt").as_slice(), ran.stderr.as_str()), (&b"keep"[..], ""));
}

#[test]
fn the_test_itself_is_not_reduced() {
    let folder = prepared();
    folder.script("input.sh", "true");
    symlink("input.sh", folder.path("link.sh")).expect("a link");
    for line in [&["input.sh", "input.sh"][..], &["./link.sh", "input.sh"], &["input.sh", "--", "./input.sh", "@@"]] {
        let ran = folder.lop(line).expect_code(2);
        assert!(ran.stderr.contains("input.sh is both the test and the file to reduce"), "{}", ran.stderr);
    }
    // Something that reads itself may well be made smaller elsewhere.
    folder.lop(&["-q", "-o", "out", "--allow-empty", "input.sh", "--", "./input.sh", "@@"]).expect_code(0);
}

#[test]
fn a_test_that_changes_during_the_run_is_told_at_the_end() {
    let folder = prepared();
    folder.script(
        "test.sh",
        "test -n \"$(tail -c 8 \"$0\" | grep more)\" || echo '# more' >> \"$0\"; grep -q keep \"$1\"",
    );
    let ran = folder.lop(&["-q", "-j1", "test.sh", "input.txt"]).expect_code(0);
    assert!(ran.stderr.contains("test.sh changed while lop ran"), "{}", ran.stderr);
    let ran = folder.lop(&["-q", "-j1", "-o", "again", "test.sh", "input.txt.orig"]).expect_code(0);
    assert_eq!(ran.stderr, "");
}

#[test]
fn few_file_descriptors_leave_nothing_behind() {
    for limit in 4..26 {
        let folder = prepared();
        let like = folder.command(&["-q", "-j1", "test.sh", "input.txt"]);
        let mut command = Command::new("sh");
        let script = format!("ulimit -n {limit}; exec \"$@\"");
        command.args(["-c", &script, "sh"]).arg(like.get_program()).args(like.get_args());
        command.env_clear().envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(folder.path(".")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let ran = finish(command.spawn().expect("a shell"));
        assert_eq!(folder.temporaries(), [""; 0], "{limit}: {ran:?}");
        let names = folder.names();
        let is_untouched = !names.iter().any(|name| name.starts_with("input.txt."));
        // The program itself may not even start.
        assert!(ran.code == Some(0) || (ran.code != Some(0) && is_untouched), "{limit}: {names:?} {ran:?}");
    }
}
