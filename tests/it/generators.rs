//! Texts that are hard on a reducer itself: deep, broken, dense or long. Shared by the tests, which count, and by
//! `benches/pathological.rs`, which measures.

/// The word that a test can look for in each text: it stands there once.
pub(crate) const NEEDLE: &str = "Xneedle";

/// A kind of text.
pub(crate) struct Generator {
    pub(crate) name: &'static str,
    /// A file name, whose extension says how the text is read.
    pub(crate) file: &'static str,
    shape: Shape,
}

/// How a text is made up to a size.
enum Shape {
    /// The first again and again, the needle, the second as often.
    Nested(&'static str, &'static str),
    /// The first, the second again and again, with the needle in the middle, then the third.
    Repeated(&'static str, &'static str, &'static str),
    /// As `Repeated`, with the number of the repetition in place of each `#`.
    Numbered(&'static str, &'static str, &'static str),
    /// Bytes drawn one by one from these, with the needle in the middle.
    Drawn(&'static [&'static str]),
}

use Shape::{Drawn, Nested, Numbered, Repeated};

const fn text(name: &'static str, file: &'static str, shape: Shape) -> Generator {
    Generator { name, file, shape }
}

/// All of them.
pub(crate) const ALL: [Generator; 46] = [
    text("comment openers and closers, C", "x.c", Nested("/* ", " */")),
    text("comment openers and closers, JavaScript", "x.js", Nested("/* ", " */")),
    text("comments in front of line comments", "x.js", Repeated("", "/**/ // x\n", "")),
    text("comments in front of one line comment", "x.js", Repeated("", "/**/ // x", "")),
    text("unclosed objects", "x.json", Nested("{\"a\":", "")),
    text("deep objects", "x.json", Nested("{\"a\":", "}")),
    text("deep arrays", "x.json", Nested("[", "]")),
    text("numbers", "x.json", Repeated("[", "1,", "1]")),
    text("strings that are not closed, JSON", "x.json", Repeated("[", "\"a, \n", "]")),
    text("commas and colons", "x.json", Drawn(&["[", ",", ":", "{", "}", "]", "1", "\"a\""])),
    text("one string, JSON", "x.json", Repeated("[\"", "a\\n\\u00e9", "\"]")),
    text("strings that are not closed, C", "x.c", Repeated("", "char *s = \"abc;\n", "")),
    text("strings that are not closed, JavaScript", "x.js", Repeated("", "s = \"abc;\n", "")),
    text("quotes", "x.js", Drawn(&["\"", "'", "`", "a", " ", "\\"])),
    text("templates that are not closed", "x.js", Nested("`${", "")),
    text("nested templates", "x.js", Nested("`${", "}`")),
    text("alternating brackets, C", "x.c", Drawn(&["(", ")", "[", "]", "{", "}"])),
    text("alternating brackets, JavaScript", "x.js", Drawn(&["(", ")", "[", "]", "{", "}"])),
    text("closers", "x.js", Repeated("", ")]}", "")),
    text("openers, C", "x.c", Repeated("", "([{", "")),
    text("openers, JavaScript", "x.js", Repeated("", "([{", "")),
    text("minified, an error a line", "x.js", Numbered("", "function f#(a,b){var c=a+b*;return c?a:b}\n", "")),
    text("functions, an error a line", "x.c", Numbered("", "int f#(int a) { return a + ; }\n", "")),
    text("minified without line breaks", "x.js", Numbered("", "var a#=function(b){return b+#},", "z;")),
    text("deep parentheses, C", "x.c", Nested("(", ")")),
    text("deep parentheses, JavaScript", "x.js", Nested("(", ")")),
    text("deep blocks", "x.js", Nested("{", "}")),
    text("deep functions", "x.js", Nested("function f(){", "}")),
    text("else-if", "x.c", Repeated("int f(int a) {", "if (a) a++; else ", ";}")),
    text("conditional expressions", "x.js", Repeated("x=", "a?b:", "c;")),
    text("deep preprocessor conditions", "x.c", Nested("#if A\n", "#endif\n")),
    text("preprocessor conditions that are not closed", "x.c", Nested("#if A\nint a;\n", "")),
    text("macros", "x.c", Numbered("", "#define M#(a) a + \\\n #\n", "")),
    text("casts or calls", "x.c", Repeated("int f() { return ", "(a)", "; }")),
    text("declarators", "x.c", Nested("int (*f(", ")")),
    text("pointers or products", "x.c", Repeated("int f() { ", "a * b; ", "}")),
    text("tiny statements", "x.js", Repeated("", "a;", "")),
    text("members and calls", "x.js", Repeated("a", ".b()", ";")),
    text("sums", "x.js", Repeated("a=", "a+", "a;")),
    text("signs and slashes", "x.js", Drawn(&["/", "<", ">", "!", "-", "a", "=", " "])),
    text("elements that are not closed", "x.js", Repeated("x=", "<a>", "")),
    text("arrow functions", "x.js", Repeated("x=", "a=>", "a;")),
    text("functions that call each other", "x.c", Numbered("", "int f#(int a) { return f#(a) + g(#); }\n", "")),
    text("bytes that are no text", "x.c", Drawn(&["é", "\u{0}", "\u{feff}", "🙂", "\r", "\n", "(", "\u{1}"])),
    text("zero bytes", "x.js", Repeated("a=", "\u{0}", ";")),
    text(
        "line ends of all kinds",
        "x.c",
        Drawn(&["int a;\r\n", "int b;\n", "int c;\r", "// d\r\n", "#if 1\r\n", "#endif\n"]),
    ),
];

impl Generator {
    /// A text of about so many bytes.
    pub(crate) fn text(&self, size: usize) -> Vec<u8> {
        let mut text = String::new();
        match self.shape {
            Nested(open, close) => {
                let times = size / (open.len() + close.len());
                text = [&open.repeat(times), NEEDLE, &close.repeat(times)].concat();
            }
            Repeated(front, part, back) | Numbered(front, part, back) => {
                let times = size / part.len();
                text.push_str(front);
                for number in 0..times {
                    if number == times / 2 {
                        text.push_str(NEEDLE);
                    }
                    match self.shape {
                        Numbered(..) => text.push_str(&part.replace('#', &number.to_string())),
                        _ => text.push_str(part),
                    }
                }
                text.push_str(back);
            }
            Drawn(parts) => {
                // Any fixed sequence without a short period will do.
                let mut state = 0x9E37_79B9_7F4A_7C15_u64;
                let mut has_needle = false;
                while text.len() < size {
                    if !has_needle && text.len() >= size / 2 {
                        text.push_str(NEEDLE);
                        has_needle = true;
                    }
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    text.push_str(parts[(state >> 33) as usize % parts.len()]);
                }
            }
        }
        text.into_bytes()
    }
}
