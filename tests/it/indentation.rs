//! Languages in which indentation is syntax, with the programs that read them.

use crate::support::{Folder, has};

/// The rest of a text on which a command goes on ending with 0; `None` without the command.
fn reduced(name: &str, text: &str, command: &[&str]) -> Option<String> {
    has(command[0]).then(|| {
        let folder = Folder::new();
        folder.write(name, text);
        let line = ["-q", "--no-state", "-j1", "-o", "out", name, "--"];
        folder.lop(&[&line[..], command].concat()).expect_code(0);
        String::from_utf8(folder.read("out")).expect("the inputs are ASCII")
    })
}

/// The rest of a program in whose tree, or in `nodes` of it, Python itself finds something.
fn reduced_python(text: &str, is_wanted: &str) -> Option<String> {
    let program = format!(
        "import ast, sys; tree = ast.parse(open('x.py', newline='').read()); nodes = list(ast.walk(tree)); \
         sys.exit(0 if {is_wanted} else 1)"
    );
    reduced("x.py", text, &["python3", "-IS", "-c", &program])
}

const NESTED: &str = r#"import os
@decorate(1,
  2)
class Outer:
    """Some
  text"""
    x = 1
    def method(self, a, b=2):
        for i in range(10):
            with open('f') as f, \
                 open('g') as g:
                try:
                    if a > b:
                        text = '''
one
   two'''
                        raise ValueError(text)
                    elif b:
                        pass
                finally:
                    print('done')
        return None

def helper(q):
	if q:
		y = [1,
			2]
		match q:
			case 1:
				yield q
"#;

/// A statement that cleans up after one that raises something.
const RAISES: &str =
    "any(isinstance(n, ast.Raise) for t in nodes if isinstance(t, ast.Try) and t.finalbody for n in ast.walk(t))";

#[test]
fn what_is_deep_inside_comes_to_the_top() {
    let rows = [
        ("any(isinstance(n, ast.Raise) for n in nodes)", "raise\n"),
        (RAISES, "try:\n  raise\nfinally:\n  pass\n"),
        ("any(isinstance(n, ast.YieldFrom | ast.Yield) for n in nodes)", "yield\n"),
    ];
    for (is_wanted, expected) in rows {
        if let Some(left) = reduced_python(NESTED, is_wanted) {
            assert_eq!(left, expected);
        }
    }
}

#[test]
fn line_ends_of_two_bytes_and_texts_of_several_lines_are_no_matter() {
    if let Some(left) = reduced_python(&NESTED.replace('\n', "\r\n"), RAISES) {
        assert_eq!(left.split_whitespace().collect::<Vec<_>>(), ["try:", "raise", "finally:", "pass"]);
    }
    let text = r"any(isinstance(n, ast.Constant) and n.value == '\none\n   two' for n in nodes)";
    if let Some(left) = reduced_python(NESTED, text) {
        assert_eq!(left, "'''\none\n   two'''\n");
    }
}

#[test]
fn a_mapping_far_inside_comes_out_with_its_lines() {
    let text = "\
first: 1
list:
    - name: x
      steps:
          - run: |
              one
               two
            with: b
          - run: c
last: 2
";
    if let Some(left) = reduced("x.yaml", text, &["grep", "-q", "with: b"]) {
        assert_eq!(left, "with: b\n");
    }
}
