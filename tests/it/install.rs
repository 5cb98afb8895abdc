//! The files that are installed beside the program: completions and manual pages.

use std::process::Command;

use crate::support::{Folder, has};

#[test]
fn there_are_completions_for_every_shell() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.lop(&["completions", shell]).expect_code(0).stdout;
        let script = String::from_utf8(script).expect("plain");
        for word in ["expect-waste", "resume", "completions"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let said = folder.lop(&["completions", "csh"]).expect_code(2).stderr;
    assert!(said.contains("possible values: bash,"), "{said}");
}

#[test]
fn bash_completes_options_and_commands() {
    if !has("bash") {
        return;
    }
    let folder = Folder::new();
    let script = folder.lop(&["completions", "bash"]).expect_code(0).stdout;
    folder.write("lop.bash", script);
    let parsed = Command::new("bash").args(["-n"]).arg(folder.path("lop.bash")).status().expect("it is there");
    assert!(parsed.success());
    for (typed, expected) in [("--outp", "--output"), ("hist", "history")] {
        let line = format!(
            ". ./lop.bash; COMP_WORDS=(lop {typed}); COMP_CWORD=1; _lop lop {typed} lop; echo \"${{COMPREPLY[@]}}\""
        );
        let out = Command::new("bash").args(["-c", &line]).current_dir(folder.path(".")).output().expect("it is there");
        assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), expected, "{out:?}");
    }
}

#[test]
fn there_is_a_page_for_every_command_and_groff_likes_each() {
    let folder = Folder::new();
    folder.lop(&["man", "pages"]).expect_code(0);
    let one = folder.lop(&["man"]).expect_code(0).stdout;
    assert_eq!(one, folder.read("pages/lop.1"));
    let pages: Vec<String> = std::fs::read_dir(folder.path("pages"))
        .expect("it was made")
        .map(|entry| entry.expect("our own folder").file_name().to_string_lossy().into_owned())
        .collect();
    for page in ["lop.1", "lop-resume.1", "lop-config.1", "lop-doctor.1"] {
        assert!(pages.contains(&page.to_owned()), "{pages:?}");
    }
    let main = String::from_utf8(one).expect("plain");
    assert!(main.contains("expect\\-waste") && main.contains(".SH \"EXIT CODES\""), "{main}");
    // One phrase, as in every list of pages.
    let name = main.split(".SH NAME").nth(1).and_then(|rest| rest.trim_start().lines().next()).expect("it has a name");
    assert_eq!(name, "lop \\- reduce a file that triggers a bug to the part that matters");
    // Every page that is named is there.
    for named in main.split("lop\\-").skip(1).filter_map(|rest| rest.split_once("(1)")) {
        if named.0.chars().all(|letter| letter.is_ascii_lowercase()) {
            assert!(pages.contains(&format!("lop-{}.1", named.0)), "{}", named.0);
        }
    }
    assert!(main.contains("lop\\-resume(1)") && !main.contains("lop\\-help(1)"), "{main}");
    // Text that is laid out by hand stays so.
    let examples = main.split(".SH EXAMPLES").nth(1).and_then(|rest| rest.split(".fi").next()).expect("there are some");
    assert!(examples.trim_start().starts_with(".nf\n  lop crash.c \\-o small.c \\-\\- gcc"), "{examples}");
    if !has("groff") {
        return;
    }
    for page in pages {
        let mut groff = Command::new("groff");
        groff.args(["-man", "-ww", "-Tutf8", "-z"]).arg(folder.path("pages").join(&page));
        let out = groff.output().expect("it is there");
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success() && said.is_empty(), "{page}: {said}");
    }
}
