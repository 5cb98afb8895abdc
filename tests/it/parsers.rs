//! Parsers that are loaded at run time: as good as those that are built in, refused with a reason where they are none,
//! and loaded only where the user says so.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Folder, Ran, finish, has, npm};

/// The sources of a parser that is built in, as cargo keeps them.
fn sources(package: &str) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Packages of other platforms were not fetched for the build of this one.
    let line = ["metadata", "--format-version=1", "--offline", "--locked", "--filter-platform", lop_languages::TARGET];
    let ran = Command::new(cargo).args(line).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo is there");
    assert!(ran.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&ran.stderr));
    let said: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("cargo tells of its packages");
    let mut packages = said["packages"].as_array().expect("a list").iter();
    let found = packages.find(|found| found["name"] == package).unwrap_or_else(|| panic!("{package} is not used"));
    let manifest = Path::new(found["manifest_path"].as_str().expect("a path"));
    manifest.parent().expect("it is in a folder").join("src")
}

/// Compiles a library in the folder.
fn compile(folder: &Folder, library: &str, options: &[&str], sources: &[PathBuf]) -> PathBuf {
    let path = folder.path(library);
    fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a new folder");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O0", "-o"]).arg(&path).args(options).args(sources);
    for source in sources {
        cc.arg("-I").arg(source.parent().expect("it is in a folder"));
    }
    assert!(cc.status().expect("there is a compiler").success(), "{library}");
    path
}

/// The library of a parser that is built in.
fn library(folder: &Folder, library: &str, package: &str) -> PathBuf {
    let src = sources(package);
    let parts = ["parser.c", "scanner.c"].map(|name| src.join(name));
    let parts: Vec<PathBuf> = parts.into_iter().filter(|part| part.is_file()).collect();
    compile(folder, library, &[], &parts)
}

/// A library of a few lines.
fn small(folder: &Folder, name: &str, text: &str) {
    let source = folder.write("small.c", text);
    compile(folder, name, &[], &[source]);
}

fn built_in(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars").join(language)
}

/// The folder of a language that is built in, with its parser as a library.
fn as_library(folder: &Folder, language: &str, package: &str) {
    let to = format!("grammars/{language}");
    library(folder, &format!("{to}/{language}.so"), package);
    if let Ok(text) = fs::read(built_in(language).join("reduce.scm")) {
        folder.write(&format!("{to}/reduce.scm"), text);
    }
    fs::copy(sources(package).join("node-types.json"), folder.path(&format!("{to}/node-types.json")))
        .expect("it is there");
    let text = fs::read_to_string(built_in(language).join("language.toml")).expect("it is shipped");
    let old = format!("\"builtin:{package}\"");
    assert!(text.contains(&old), "{text}");
    folder.write(&format!("{to}/language.toml"), text.replace(&old, &format!("\"file:{language}.so\"")));
}

fn stdout(ran: Ran) -> String {
    String::from_utf8(ran.expect_code(0).stdout).expect("plain")
}

/// The proposals in a file, without the line that says why it has this language.
fn proposals(folder: &Folder, line: &[&str]) -> String {
    let shown = stdout(folder.lop(&[&["grammars", "-v"], line].concat()));
    shown.split_once('\n').expect("several lines").1.to_owned()
}

/// The candidates of a reduction, in their order, and its result.
fn candidates(folder: &Folder, input: &str, line: &[&str]) -> (Vec<u8>, Vec<u8>) {
    let log = folder.path("log");
    let _ = fs::remove_file(&log);
    folder.script("test.sh", &format!("cksum <\"$1\" >>{}; grep -q keep \"$1\"", log.display()));
    let fixed = ["-q", "-j1", "--timeout=60", "--max-tests=120", "--no-state", "-o", "out"];
    let ran = folder.lop(&[&fixed[..], line, &["test.sh", input]].concat());
    assert!([Some(0), Some(3)].contains(&ran.code), "{ran:?}");
    (folder.read("log"), folder.read("out"))
}

#[test]
fn a_parser_that_is_loaded_gives_the_candidates_of_the_same_one_built_in() {
    if !has("cc") {
        return;
    }
    for (language, package, input) in
        [("json", "tree-sitter-json", "input.json"), ("javascript", "tree-sitter-javascript", "input.js")]
    {
        let folder = Folder::new();
        as_library(&folder, language, package);
        let extension = input.split_once('.').expect("it has one").1;
        let mut text = fs::read(built_in(language).join(format!("sample.{extension}"))).expect("it is shipped");
        if language == "json" {
            let more = "\"x\": [1, {\"y\": 2}, [3, [4]]], ".repeat(9);
            text = format!(
                "{{{more}\"a\": [1, {{\"keep\": null, \"d\": [4, {{\"keep\": 5}}, 6]}}, 7], \"c\": [[], [3]]}}\n"
            )
            .into();
        } else {
            text.extend(b"\nfunction f(a) { return a.keep + g(1); }\n");
        }
        folder.write(input, text);
        let loaded = format!("--grammar=grammars/{language}");
        assert_eq!(proposals(&folder, &[input]), proposals(&folder, &[input, &loaded]), "{language}");
        let (asked, result) = candidates(&folder, input, &[]);
        assert!(asked.iter().filter(|byte| **byte == b'\n').count() > 15, "{language}");
        assert_eq!((asked, result), candidates(&folder, input, &[&loaded]), "{language}");
    }
}

#[test]
fn a_parser_works_without_descriptions_and_takes_those_beside_it() {
    if !has("cc") {
        return;
    }
    let folder = Folder::new();
    folder.write("input.js", "if (a) { keep(1 + 2); } else { function f(x) { return [x, 1]; } }\n");
    let package = "tree-sitter-javascript";
    library(&folder, "without/parser.so", package);
    fs::create_dir(folder.path("with")).expect("a new folder");
    fs::copy(folder.path("without/parser.so"), folder.path("with/parser.so")).expect("our own file");
    let without = proposals(&folder, &["input.js", "--grammar", "./without"]);
    assert!(without.contains("proposals of the pass hoist ("), "the parser itself knows its supertypes: {without}");
    // Its description says the same once more.
    let described = sources(package).join("node-types.json");
    fs::copy(described, folder.path("with/node-types.json")).expect("it is there");
    assert_eq!(without, proposals(&folder, &["input.js", "--grammar", "with/parser.so"]));
    // ABI 14: nothing tells the supertypes.
    folder.write("input.json", "[1, [2, {\"keep\": 3}]]\n");
    library(&folder, "libtree-sitter-json.so", "tree-sitter-json");
    folder
        .lop(&["-q", "-o", "out", "input.json", "--grammar=libtree-sitter-json.so", "--", "grep", "-q", "keep", "@@"])
        .expect_code(0);
    folder.write("node-types.json", "{");
    let said = folder.lop(&["grammars", "input.json", "--grammar=libtree-sitter-json.so"]).expect_code(5).stderr;
    assert!(said.starts_with("error: libtree-sitter-json.so: the parser cannot be used: node-types.json: "), "{said}");
}

#[test]
fn what_is_no_parser_is_refused_with_the_reason() {
    if !has("cc") {
        return;
    }
    let folder = Folder::new();
    folder.write("input.x", "keep\n");
    folder.write("text.so", "not a library\n");
    folder.write("empty.so", "");
    fs::create_dir(folder.path("nothing")).expect("a new folder");
    fs::create_dir(folder.path("built-in")).expect("a new folder");
    folder.write("built-in/language.toml", "[language]\n\nparser = \"builtin:tree-sitter-json\"\n");
    fs::create_dir(folder.path("astray")).expect("a new folder");
    folder.write("astray/language.toml", "[language]\nparser = \"file:parser.so\"\n");
    let made = Command::new("mkfifo").arg(folder.path("pipe.so")).status().expect("there is mkfifo");
    assert!(made.success());
    small(&folder, "none.so", "int f(void) { return 1; }\n");
    small(&folder, "null.so", "const void *tree_sitter_x(void) { return 0; }\n");
    small(&folder, "old.so", "const void *tree_sitter_x(void) { static const int l[999] = {12}; return l; }\n");
    small(&folder, "new.so", "const void *tree_sitter_x(void) { static const int l[999] = {99}; return l; }\n");
    small(&folder, "two.so", "void *tree_sitter_x(void) { return 0; }\nvoid *tree_sitter_y(void) { return 0; }\n");
    small(&folder, "data.so", "int tree_sitter_x = 1;\n");
    // Its loading calls a function of Node.js.
    let register = "void napi_module_register(void);\n__attribute__((constructor)) static void f(void) \
                    { napi_module_register(); }\nvoid *tree_sitter_x(void) { return 0; }\n";
    small(&folder, "node.so", register);
    // As in the module of a Python package.
    let source = folder.write("small.c", "void *tree_sitter_x(void) { return 0; }\n");
    compile(&folder, "hidden.so", &["-fvisibility=hidden"], &[source]);
    let mut cut = folder.read("none.so");
    cut.truncate(cut.len() / 4);
    folder.write("cut.so", cut);
    let mut elsewhere = folder.read("none.so");
    // The processor in the header of an ELF file: none that lop runs on.
    elsewhere[18..20].copy_from_slice(&[0x53, 0]);
    folder.write("elsewhere.so", elsewhere);
    for (library, message) in [
        ("text.so", "error: text.so is not a shared library\nhint: build a library from the parser's sources"),
        ("empty.so", "error: empty.so is not a shared library\n"),
        ("pipe.so", "error: cannot read pipe.so\n"),
        ("missing.so", "error: cannot read missing.so\n  No such file"),
        ("./nothing", "error: ./nothing has no parser for this system"),
        ("./built-in", "error: ./built-in/language.toml:3: outside of lop `parser` is a file: parser = \"file:PATH\""),
        ("./astray", "error: cannot read ./astray/parser.so\n"),
        (
            "none.so",
            "error: none.so exports no parser: no function is called tree_sitter_NAME\nhint: a Python package doesn't export",
        ),
        ("data.so", "error: data.so exports no parser"),
        ("hidden.so", "error: hidden.so exports no parser"),
        ("null.so", "error: tree_sitter_x of null.so gives no parser\n"),
        ("old.so", "error: old.so: the parser cannot be used: its ABI is 12, and lop takes 13 to 15"),
        ("new.so", "error: new.so: the parser cannot be used: its ABI is 99, and lop takes 13 to 15"),
        (
            "two.so",
            "error: two.so exports several parsers: tree_sitter_x, tree_sitter_y\nhint: choose one with PATH#NAME: ",
        ),
        ("node.so", "error: node.so can be loaded by Node.js only\n"),
        ("cut.so", "error: cut.so is "),
        ("elsewhere.so", "error: elsewhere.so is made for "),
    ] {
        for line in
            [&["grammars", "input.x", "--grammar", library][..], &["input.x", "--grammar", library, "--", "true"]]
        {
            let ran = folder.lop(line).expect_code(5);
            assert!(ran.stderr.starts_with(message), "{library}: {}", ran.stderr);
        }
    }
    let symbol = |symbol| folder.lop(&["grammars", "input.x", &format!("--grammar=two.so#{symbol}")]).expect_code(5);
    assert!(symbol("tree_sitter_y").stderr.starts_with("error: tree_sitter_y of two.so gives no parser\n"));
    let said = symbol("tree_sitter_z").stderr;
    assert!(
        said.starts_with("error: two.so does not export tree_sitter_z\n") && said.contains("tree_sitter_y"),
        "{said}"
    );
    let said = folder.lop(&["grammars", "input.x", "--grammar=nothing"]).expect_code(2).stderr;
    assert!(said.contains("hint: to use the parser in nothing, write --grammar ./nothing\n"), "{said}");
}

/// A library that leaves a file behind when its code runs.
fn telltale(folder: &Folder, name: &str) {
    let mark = folder.path("ran");
    small(
        folder,
        name,
        &format!(
            "#include <stdio.h>\n__attribute__((constructor)) static void f(void) {{ fclose(fopen({:?}, \"w\")); }}\n\
             void *tree_sitter_telltale(void) {{ return 0; }}\n",
            mark.display().to_string()
        ),
    );
}

#[test]
fn a_projects_file_names_no_native_code_and_the_users_own_may() {
    if !has("cc") {
        return;
    }
    let folder = Folder::new();
    telltale(&folder, "parser.so");
    folder.write("input.x", "keep\n");
    for (line, why) in [
        ("grammar = \"./parser.so\"", "grammar cannot name a parser in a project's lop.toml"),
        ("grammar = \"parser.so\"", "grammar cannot name a parser"),
        ("grammar = \".\"", "grammar cannot name a parser"),
        ("grammar-for = [\"x=./parser.so\"]", "grammar-for cannot be set in a project's lop.toml"),
        ("grammar = \"two.so#tree_sitter_x\"", "grammar cannot name a parser in a project's lop.toml"),
    ] {
        folder.write("lop.toml", format!("\n{line}\n"));
        for command in [&["input.x", "--", "true"][..], &["grammars", "input.x"], &["grammars"], &["config"]] {
            let said = folder.lop(command).expect_code(2).stderr;
            assert!(said.contains(&format!("lop.toml:2: {why}")) && said.contains("your own file, "), "{line}: {said}");
        }
    }
    // A project's rules cannot bring one either.
    fs::create_dir(folder.path("own")).expect("a new folder");
    folder.write("own/language.toml", "[language]\nparser = \"file:../parser.so\"\n");
    folder.write("lop.toml", "rules = \"own\"\n");
    folder.write("input.json", "[1]\n");
    let said = folder.lop(&["input.json", "--", "true"]).expect_code(5).stderr;
    assert!(said.contains("`parser` cannot be changed here"), "{said}");
    assert!(!folder.path("ran").exists(), "nothing was loaded");
    // A name is no code.
    folder.write("lop.toml", "grammar = \"json\"\n");
    assert!(stdout(folder.lop(&["grammars", "input.x"])).starts_with("input.x (json, as asked for"));
    fs::remove_file(folder.path("lop.toml")).expect("our own file");
    let own = folder.home().join(".config/lop");
    fs::create_dir_all(&own).expect("a new folder");
    library(&folder, "real.so", "tree-sitter-json");
    fs::rename(folder.path("real.so"), own.join("real.so")).expect("our own file");
    for line in ["grammar = \"./real.so\"", "grammar = \"~/.config/lop/real.so\"", "grammar-for = [\"x=./real.so\"]"] {
        fs::write(own.join("lop.toml"), line).expect("our own folder");
        let shown = stdout(folder.lop(&["grammars", "input.x"]));
        let by = if line.contains("-for") { "by extension" } else { "as asked for" };
        assert!(shown.starts_with(&format!("input.x (json, {by}; ")), "{line}: {shown}");
        folder.lop(&["-q", "--no-state", "-o", "out", "input.x", "--", "grep", "-q", "keep", "@@"]).expect_code(0);
    }
    // The list of languages is none of a file.
    fs::write(own.join("lop.toml"), "rules = \"own\"\n").expect("our own folder");
    folder.lop(&["grammars"]).expect_code(0);
    assert!(
        stdout(folder.lop(&["grammars", "--no-config", "input.json"])).starts_with("input.json (json, by extension")
    );
}

/// The row of the list of languages that this file is named in.
fn row(listed: &str, file: &str) -> String {
    let row = listed.lines().find(|line| line.contains(file)).unwrap_or_else(|| panic!("{file} in\n{listed}"));
    row.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_parser_that_the_user_names_is_listed_with_its_path() {
    if !has("cc") {
        return;
    }
    let folder = Folder::new();
    library(&folder, "real.so", "tree-sitter-json");
    let words = ["grammars", "--grammar-for", "x=./real.so", "--grammar-for", "y=c"];
    let listed = stdout(folder.lop(&words));
    assert!(row(&listed, "./real.so").starts_with("json .x tree_sitter_json"), "{listed}");
    assert!(row(&listed, "./real.so").ends_with(" ./real.so"), "it has no rules, guard or texts: {listed}");
    assert!(row(&listed, " .y ").starts_with("c .c "), "{listed}");
    let listed = stdout(folder.lop(&["grammars", "--grammar", "./real.so"]));
    assert!(row(&listed, "./real.so").starts_with("json tree_sitter_json"), "{listed}");
    // A folder has what it says and what it takes over.
    as_library(&folder, "c", "tree-sitter-c");
    let text = "[language]\nparser = \"file:../grammars/c/c.so\"\nextends = \"c\"\nextensions = [\"q\"]\n";
    fs::create_dir(folder.path("own")).expect("a new folder");
    folder.write("own/language.toml", text);
    let listed = stdout(folder.lop(&["grammars", "--grammar", "./own"]));
    let own = row(&listed, " ./own ");
    assert!(own.starts_with("own .q tree_sitter_c") && own.ends_with(" ./own rules, minimal texts"), "{listed}");
    // The user's own file counts, and a path with nothing there is an error.
    let home = folder.home().join(".config/lop");
    fs::create_dir_all(&home).expect("a new folder");
    fs::rename(folder.path("real.so"), home.join("real.so")).expect("our own file");
    fs::write(home.join("lop.toml"), "grammar-for = [\"x=./real.so\"]\n").expect("our own folder");
    assert!(row(&stdout(folder.lop(&["grammars"])), "/real.so").starts_with("json .x "));
    assert!(!stdout(folder.lop(&["grammars", "--no-config"])).contains("/real.so"));
    folder.lop(&["grammars", "--grammar", "./missing.so"]).expect_code(5);
}

#[test]
fn the_parsers_of_other_programs_are_listed_and_not_loaded() {
    if !has("cc") {
        return;
    }
    let folder = Folder::new();
    telltale(&folder, "telltale.so");
    let home = folder.home();
    let place = |path: &str| {
        let path = home.join(path);
        fs::create_dir_all(path.parent().expect("it is below the home")).expect("a new folder");
        fs::copy(folder.path("telltale.so"), &path).expect("our own file");
        path.display().to_string()
    };
    let expected = [
        ("Helix", place(".config/helix/runtime/grammars/telltale.so")),
        ("nvim-treesitter", place(".local/share/nvim/site/parser/telltale.so")),
        ("nvim-treesitter", place(".local/share/nvim/lazy/nvim-treesitter/parser/telltale.so")),
        ("nvim-treesitter", place(".local/share/nvim/site/pack/p/start/nvim-treesitter/parser/telltale.so")),
        ("tree-sitter", place("parsers/tree-sitter-telltale/parser.so")),
    ];
    #[cfg(target_os = "linux")]
    let expected = [
        &expected[..],
        &[
            ("tree-sitter", place(".cache/tree-sitter/lib/telltale.so")),
            ("language pack", place(".cache/tree-sitter-language-pack/v1.2.3/libs/libtree_sitter_telltale.so")),
        ],
    ]
    .concat();
    symlink(&expected[0].1, home.join(".config/helix/runtime/grammars/z.so")).expect("a link");
    fs::write(home.join(".config/helix/runtime/grammars/telltale.txt"), "no library").expect("our own folder");
    fs::create_dir_all(home.join(".config/tree-sitter")).expect("a new folder");
    let configuration = serde_json::json!({ "parser-directories": [home.join("parsers"), "/no/such/folder"] });
    fs::write(home.join(".config/tree-sitter/config.json"), configuration.to_string()).expect("our own folder");
    let shown = stdout(folder.lop(&["grammars", "--installed"]));
    for (owner, path) in &expected {
        let is_it =
            |line: &&str| line.trim_start().starts_with("telltale ") && line.contains(owner) && line.ends_with(path);
        assert_eq!(shown.lines().filter(is_it).count(), 1, "{owner}: {shown}");
    }
    assert_eq!(shown.matches("--grammar ").count(), shown.lines().count() - 1, "a line to use each: {shown}");
    assert_eq!(shown.matches("telltale ").count(), expected.len(), "{shown}");
    assert!(!folder.path("ran").exists(), "nothing was loaded");
}

#[test]
fn a_run_does_not_go_on_with_another_parser() {
    if !has("cc") {
        return;
    }
    let folder = Folder::new();
    library(&folder, "parser.so", "tree-sitter-json");
    folder.write("input.x", "[1, 2, [3, \"keep\", 4], 5, {\"a\": 6}]\n");
    let test = ["--", "grep", "-q", "keep", "@@"];
    let line = ["-q", "-j1", "--max-tests=4", "input.x", "--grammar=parser.so"];
    folder.lop(&[&line[..], &test].concat()).expect_code(3);
    let library = folder.read("parser.so");
    fs::remove_file(folder.path("parser.so")).expect("our own file");
    folder.write("parser.so", [&library[..], b"changed"].concat());
    let said = folder.lop(&["resume", "-q", "input.x.lop"]).expect_code(2).stderr;
    assert!(said.contains("grammar") && said.contains("it was json from "), "{said}");
    folder.write("parser.so", library);
    folder.lop(&["resume", "-q", "input.x.lop"]).expect_code(0);
    assert_eq!(String::from_utf8_lossy(&folder.read("input.x")).trim_end(), "\"keep\"");
}

#[test]
fn packages_of_npm_work_as_they_are() {
    let Some(npm) = npm() else { return };
    let folder = Folder::new();
    folder.write("input.rb", "class A\n  def f(a, b) # c\n    keep [a, 1, b]\n  end\nend\nA.new.f(1, 2)\n");
    let run = |line: &str| {
        let mut shell = Command::new("sh");
        npm.set(&mut shell).args(["-ec", line]).current_dir(folder.path("."));
        shell.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        finish(shell.spawn().expect("there is a shell")).expect_code(0);
    };
    run("npm install @ast-grep/lang-ruby");
    run("npm pack tree-sitter-ruby && tar xzf tree-sitter-ruby-*.tgz");
    let of_ast_grep = "node_modules/@ast-grep/lang-ruby";
    let shown = stdout(folder.lop(&["grammars", "input.rb", "--proposals", "--grammar", of_ast_grep]));
    assert!(shown.starts_with("input.rb (ruby, as asked for; "), "{shown}");
    assert!(shown.contains("name: constant 1:7 `A`") && shown.contains("proposals of the pass hoist ("), "{shown}");
    // The module for Node.js is a library like others: what it lacks of Node.js is never called.
    let module = stdout(folder.lop(&["grammars", "input.rb", "--grammar", "package/"]));
    assert!(
        module.starts_with("input.rb (ruby, as asked for; ") && module.contains("name: constant 1:7 `A`"),
        "{module}"
    );
    let line = ["-q", "-o", "out.rb", "input.rb", "--grammar", of_ast_grep, "--", "grep", "-q", "keep \\[", "@@"];
    folder.lop(&line).expect_code(0);
    assert_eq!(String::from_utf8_lossy(&folder.read("out.rb")).trim_end(), "keep []");
}
