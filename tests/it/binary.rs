//! Binary data: records go with the numbers that say how long they are, checksums are corrected, and bytes that do not
//! matter become zeros.

use std::process::Command;

use super::support::{Folder, Ran, has};

fn lop(folder: &Folder, line: &[&str]) -> Ran {
    folder.lop(&[&["-j2", "--no-checkup"], line].concat())
}

/// Reads nested chunks, each with a name of four letters and its length, and ends at a chunk inside a list.
const NESTED: &str = r#"
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
static unsigned char d[1 << 16];
static unsigned number(unsigned char *p) { return p[0] | p[1] << 8 | p[2] << 16 | (unsigned)p[3] << 24; }
static int chunks(unsigned char *p, unsigned n, int depth) {
    for (unsigned i = 0; i < n; i += 8 + number(p + i + 4)) {
        if (i + 8 > n || number(p + i + 4) > n - i - 8) return 1;
        unsigned length = number(p + i + 4);
        if (!memcmp(p + i, "LIST", 4) && (length < 4 || chunks(p + i + 12, length - 4, depth + 1))) return 1;
        if (depth && !memcmp(p + i, "oops", 4) && length >= 2 && p[i + 8] == 0xff) exit(42);
    }
    return 0;
}
int main(int c, char **v) {
    FILE *f = fopen(v[1], "rb");
    unsigned n = fread(d, 1, sizeof d, f);
    if (n < 12 || memcmp(d, "RIFF", 4) || number(d + 4) != n - 8 || memcmp(d + 8, "WAVE", 4)) return 1;
    return chunks(d + 12, n - 12, 0);
}
"#;

/// Reads records: a kind, a length, that many bytes, and their sum. With `repair` it corrects the sums in the file.
const SUMMED: &str = r#"
#include <stdio.h>
#include <string.h>
static unsigned char d[1 << 16];
int main(int c, char **v) {
    int repairs = !strcmp(v[1], "repair");
    FILE *f = fopen(v[1 + repairs], "r+b");
    unsigned n = fread(d, 1, sizeof d, f), i = 0;
    while (i < n) {
        if (i + 3 + d[i + 1] > n) return 1;
        unsigned char sum = 7;
        int is_bug = 0;
        for (unsigned k = 0; k < d[i + 1]; k++) { sum += d[i + 2 + k]; is_bug |= d[i] == 'B' && d[i + 2 + k] == 0xee; }
        unsigned char *there = &d[i + 2 + d[i + 1]];
        if (repairs) *there = sum;
        else if (*there != sum) return 1;
        else if (is_bug) return 42;
        i += 3 + d[i + 1];
    }
    if (repairs) { rewind(f); fwrite(d, 1, n, f); fclose(f); }
    return 0;
}
"#;

fn compile(folder: &Folder, name: &str, source: &str) -> bool {
    if !has("cc") {
        return false;
    }
    folder.write(&format!("{name}.c"), source);
    let path = |name: &str| folder.path(name);
    let built = Command::new("cc").args(["-w", "-o"]).args([path(name), path(&format!("{name}.c"))]).status();
    assert!(built.expect("it was found").success());
    true
}

fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).expect("it is short");
    [name, &length.to_le_bytes()[..], content].concat()
}

/// Bytes without a pattern.
fn noise(seed: u8, length: usize) -> Vec<u8> {
    (0..length).map(|at| u8::try_from((at * 131 + usize::from(seed) * 97 + at * at * 7) % 251).unwrap_or(0)).collect()
}

#[test]
fn nested_records_go_with_the_lengths_around_them() {
    let folder = Folder::new();
    if !compile(&folder, "read", NESTED) {
        return;
    }
    let list = |content: &[Vec<u8>]| chunk(b"LIST", &[b"adtl".to_vec(), content.concat()].concat());
    let bug = chunk(b"oops", &[&[0xff][..], &noise(1, 50)].concat());
    let names = list(&[chunk(b"INAM", &noise(2, 6)), chunk(b"ICMT", &noise(3, 60))]);
    let labels = list(&[chunk(b"labl", &noise(4, 20)), bug, chunk(b"ltxt", &noise(5, 33))]);
    let parts =
        [chunk(b"fmt ", &noise(6, 16)), names, chunk(b"data", &noise(7, 300)), labels, chunk(b"cue ", &noise(8, 9))];
    let file = chunk(b"RIFF", &[b"WAVE".to_vec(), parts.concat()].concat());
    folder.write("sound.wav", &file);
    lop(&folder, &["-o", "out", "--exit-code", "42", "sound.wav", "--", "./read", "@@"]).expect_code(0);
    let smallest = chunk(
        b"RIFF",
        &[b"WAVE".to_vec(), chunk(b"LIST", &[b"0000".to_vec(), chunk(b"oops", b"\xff0")].concat())].concat(),
    );
    assert_eq!(folder.read("out"), smallest);
}

/// Records with sums of their bytes.
fn summed() -> Vec<u8> {
    let record = |kind: u8, content: &[u8]| {
        let sum = content.iter().fold(7, |sum: u8, byte| sum.wrapping_add(*byte));
        [&[kind, u8::try_from(content.len()).expect("it is short")][..], content, &[sum]].concat()
    };
    let bug = [noise(1, 12), vec![0xee], noise(2, 9)].concat();
    [record(b'A', &noise(3, 20)), record(b'C', &noise(4, 11)), record(b'B', &bug), record(b'D', &noise(5, 30))].concat()
}

#[test]
fn a_checksum_is_corrected_before_each_test_and_in_the_result() {
    let folder = Folder::new();
    if !compile(&folder, "read", SUMMED) {
        return;
    }
    folder.write("data.bin", summed());
    let test = ["--exit-code", "42", "data.bin", "--", "./read", "@@"];
    lop(&folder, &[&["-o", "out", "--fix", "./read repair @@"], &test[..]].concat()).expect_code(0);
    assert_eq!(folder.read("out"), [b'B', 1, 0xee, 0xf5], "with the right sum");
    let there = Command::new(folder.path("read")).arg(folder.path("out")).status();
    assert_eq!(there.expect("it runs").code(), Some(42));
    folder
        .lop(&["verify", "--fix", "./read repair @@", "out", "--exit-code", "42", "--", "./read", "@@"])
        .expect_code(0);
    // Without it nothing can be changed inside the record.
    lop(&folder, &[&["-o", "unrepaired"], &test[..]].concat()).expect_code(0);
    assert!(folder.read("unrepaired").len() > 20);
}

#[test]
fn a_command_that_cannot_correct_says_what_to_do() {
    let folder = Folder::new();
    folder.write("data.bin", b"\x01bug\x02");
    std::fs::create_dir(folder.path("more")).expect("our own folder");
    folder.write("more/data.bin", "bug");
    let rows: [(&[&str], &str); 4] = [
        (&["--fix", "no-such-command @@", "data.bin"], "no-such-command"),
        (&["--fix", "sh -c 'x", "data.bin"], "close its quotes"),
        (&["--fix", "true", "more"], "works only with a single file"),
        (&["--fix", "false", "data.bin"], "the command of --fix ends with exit code 1"),
    ];
    for (words, said) in rows {
        let ran = lop(&folder, &[&["-o", "out"], words, &["--", "grep", "-rq", "bug", "."]].concat());
        assert_ne!(ran.code, Some(0), "{words:?}");
        assert!(ran.stderr.contains(said), "no {said:?} in\n{}", ran.stderr);
    }
}
