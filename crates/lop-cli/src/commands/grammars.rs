//! `lop grammars`: lists the languages; for a file, shows its tree and the proposals for it.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use crate::failure::{Failure, RulesError};
use crate::grammar_args::{GrammarArgs, ParserPath, SYMBOL, Wanted};
use crate::info_args::GrammarsArgs;
use crate::installed;
use crate::language::{self, Language};
use crate::settings;
use lop_grammar::{Folder, Grammar, Home, Listed, Registry, TEXT};
use lop_languages::LANGUAGES;
use lop_passes::{ALL, Coupled, Pass};
use lop_reduce::{Preview, Proposal};
use lop_report::text::{self, FAINT, STRONG, Table};
use lop_syntax::{Document, NodeId};

/// Lines of each part that are shown unless more are asked for.
const MOST_LINES: usize = 200;
/// Proposals of each rule that are shown unless more are asked for.
const MOST_OF_A_RULE: usize = 10;
/// Proposals of each pass that are shown unless more are asked for.
const MOST_OF_A_PASS: usize = 50;
/// Letters of a language's extensions in one line of the list.
const EXTENSIONS_WIDTH: usize = 28;
/// Letters of a piece of text that are shown.
const WIDTH: usize = 40;

/// Lists the languages on standard output, or shows one language's view of a file.
///
/// # Errors
/// When a language's or a user's file is wrong, FILE cannot be read or parsed, or standard output cannot
/// be written.
pub fn run(args: &GrammarsArgs) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(text::stdout());
    if args.installed {
        return installed(&mut out).and_then(|()| out.flush()).or_else(Failure::unless_closed);
    }
    let Some(path) = &args.file else {
        let all = all(&args.grammar)?;
        return list(&all, &mut out).and_then(|()| out.flush()).or_else(Failure::unless_closed);
    };
    if path.is_dir() {
        return Err(Failure::InputIsDirectory(path.clone()));
    }
    let (_, content) = settings::read(path)?;
    let found = Language::find(&args.grammar, path, &content)?;
    let folder = found.folder();
    let language = found.choice.sentence(folder.as_ref().map(|folder| folder.name), path);
    let user = args.rules.as_deref().map(language::read).transpose()?;
    let (folder, grammar) = match (folder, &user) {
        (Some(folder), user) => {
            let folder = user.as_ref().map_or(Ok(folder), |user| user.over(&folder))?;
            (folder, Grammar::load(&folder)?)
        }
        (None, None) => (*Grammar::folder_of_text(), Grammar::of_text(&content)?),
        (None, Some(_)) => return Err(RulesError::NoGrammar(args.rules.clone().unwrap_or_default()).into()),
    };
    let unparsed = |error: lop_syntax::ParseError| Failure::Unparsed { path: path.clone(), source: error };
    let mut parser = grammar.parser().map_err(unparsed)?;
    let document = Document::parse(&mut parser, content).map_err(unparsed)?;
    let preview = Preview::new(&document, parser);
    let shown = Shown { language: &language, folder: &folder, grammar: &grammar, document: &document, preview, args };
    let written = if args.coverage {
        shown.coverage(&mut out)
    } else if !args.proposals && !args.verbose {
        shown.tree(path, &mut out)
    } else {
        let by_rules = shown.by_rules()?;
        let by_passes = shown.by_passes();
        shown.tree(path, &mut out).and_then(|()| shown.proposals(&by_rules, &by_passes, &mut out))
    };
    written.and_then(|()| out.flush()).or_else(Failure::unless_closed)
}

/// The languages that the program knows, and those whose parsers the user names.
fn all(args: &GrammarArgs) -> Result<Vec<Listed>, Failure> {
    let registry = Registry::of(&LANGUAGES)?;
    let mut all = registry.list()?;
    // An unknown name is an error here, too.
    for name in args.all().filter_map(Wanted::name) {
        registry.find(name, Path::new(""), b"")?;
    }
    if let Wanted::Parser(parser) = &args.grammar {
        all.push(loaded(parser)?);
    }
    for entry in &args.grammar_for {
        let extensions = vec![entry.extension.clone()];
        match &entry.wanted {
            Wanted::Parser(parser) => all.push(Listed { extensions, ..loaded(parser)? }),
            Wanted::Name(name) => {
                let known = all.iter_mut().find(|listed| listed.name == *name);
                let new = known.filter(|listed| !listed.extensions.contains(&entry.extension));
                new.into_iter().for_each(|listed| listed.extensions.push(entry.extension.clone()));
            }
        }
    }
    Ok(all)
}

fn loaded(parser: &ParserPath) -> Result<Listed, Failure> {
    let loaded = parser.open()?;
    Ok(Listed::of(&loaded.folder(), Home::Path(parser.path.display().to_string()))?)
}

fn list(all: &[Listed], out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new(5, &["name", "extensions", "parser", "from", "has"]);
    for language in all {
        let has =
            [(language.has_rules, "rules"), (language.has_guard, "guard"), (language.has_minimal, "minimal texts")];
        let has: Vec<&str> = has.into_iter().filter(|(has, _)| *has).map(|(_, what)| what).collect();
        let from = match &language.home {
            Home::BuiltIn => "built in".to_owned(),
            Home::Feature(feature) => format!("feature {feature}"),
            Home::Path(path) => path.clone(),
        };
        let mut lines = extension_lines(&language.extensions).into_iter();
        let first = lines.next().unwrap_or_default();
        table.row(vec![language.name.clone(), first, language.parser.clone(), from, has.join(", ")]);
        lines.for_each(|line| table.row(vec![String::new(), line]));
    }
    let nothing = || "-".to_owned();
    table.row(vec![TEXT.to_owned(), "any other".to_owned(), nothing(), "built in".to_owned(), nothing()]);
    table.write(out)?;
    if all.iter().any(|language| matches!(language.home, Home::Feature(_))) {
        writeln!(out, "\n  {FAINT}to build one in: cargo install --path . --features FEATURE{FAINT:#}")?;
    }
    Ok(())
}

/// The extensions, on as many lines as they need.
fn extension_lines(extensions: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for extension in extensions {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + extension.chars().count() <= EXTENSIONS_WIDTH => {
                line.push_str(" .");
                line.push_str(extension);
            }
            _ => lines.push(format!(".{extension}")),
        }
    }
    lines
}

fn installed(out: &mut dyn Write) -> io::Result<()> {
    let all = installed::installed();
    if all.is_empty() {
        return writeln!(out, "found no parsers of Helix, Neovim, tree-sitter or its language pack");
    }
    let mut table = Table::new(3, &["language", "from", "to use it"]);
    for parser in all {
        let symbol = parser.symbol.iter().map(|symbol| format!("{SYMBOL}{symbol}")).collect::<String>();
        let library = format!("{}{symbol}", parser.library.display());
        let line = format!("--grammar {}", shlex::try_quote(&library).unwrap_or((&library).into()));
        table.row(vec![text::one_line(&parser.language), parser.owner.to_owned(), text::one_line(&line)]);
    }
    table.write(out)
}

/// A proposal and whose it is: a rule's place, or a pass's name.
struct Named {
    whose: String,
    proposal: Proposal,
}

/// Whether a proposal of this pass is evidence for a rule. Coupled edits belong to other passes, many of which need no
/// rules.
fn is_of_rules(pass: &dyn Pass) -> bool {
    pass.facts().needs_rules && pass.name() != Coupled.name()
}

/// A file and its language.
struct Shown<'s> {
    /// Its name and the reason for it.
    language: &'s str,
    folder: &'s Folder<'s>,
    grammar: &'s Grammar,
    document: &'s Document,
    preview: Preview<'s>,
    args: &'s GrammarsArgs,
}

impl Shown<'_> {
    /// The tree, a node a line.
    fn tree(&self, path: &Path, out: &mut dyn Write) -> io::Result<()> {
        let document = self.document;
        let errors = text::plural(document.errors() as u64, "syntax error");
        let tokens = text::plural(document.tokens() as u64, "token");
        writeln!(
            out,
            "{STRONG}{}{STRONG:#} ({}; {tokens}, {errors})",
            text::path(path),
            text::one_line(self.language)
        )?;
        let wanted = |id: &NodeId| {
            let node = document.node(*id);
            node.is_named() || node.has_error()
        };
        let nodes: Vec<NodeId> = document.ids().filter(wanted).collect();
        self.lines(nodes.iter(), MOST_LINES, out, |&id, out| {
            let node = document.node(id);
            let indent = "  ".repeat(1 + document.depth(id) as usize);
            let field = self.grammar.field_name(node.field).map_or(String::new(), |field| format!("{field}: "));
            let kind = if node.is_missing() { "MISSING " } else { "" };
            let kind = format!("{kind}{}", self.grammar.kind_name(node.kind));
            let (line, column) = self.place(node.start as usize);
            writeln!(out, "{indent}{field}{kind} {FAINT}{line}:{column}{FAINT:#} {}", self.quote(document.text(id)))
        })
    }

    /// The proposals of each rule alone, and then those that take several rules, such as that for a function and that
    /// for a call.
    fn by_rules(&self) -> Result<Vec<Named>, Failure> {
        let mut all = Vec::new();
        let found = self.grammar.rules().found(self.document.tree().root(), self.document.source());
        // A rule that matches nowhere proposes nothing.
        for (rule, matches) in found.into_iter().filter(|(_, matches)| !matches.is_empty()) {
            let alone = Grammar::load_with_rule(self.folder, rule)?.knowing(matches);
            let (file, line) = (rule.file_in(self.folder), rule.line);
            for pass in ALL.iter().copied().filter(|pass| is_of_rules(*pass)) {
                all.extend(self.named(pass, &alone, &format!("{file}:{line} {}", pass.name())));
            }
        }
        let known: HashSet<_> = all.iter().map(|one| (one.proposal.pass, one.proposal.edits.clone())).collect();
        for pass in ALL.iter().copied().filter(|pass| is_of_rules(*pass)) {
            let together = self.named(pass, self.grammar, &format!("several rules {}", pass.name())).into_iter();
            all.extend(together.filter(|one| !known.contains(&(one.proposal.pass, one.proposal.edits.clone()))));
        }
        Ok(all)
    }

    /// The proposals of the other passes.
    fn by_passes(&self) -> Vec<(&'static dyn Pass, Vec<Named>)> {
        let others = ALL.iter().copied().filter(|pass| !is_of_rules(*pass));
        others.map(|pass| (pass, self.named(pass, self.grammar, pass.name()))).collect()
    }

    fn named(&self, pass: &dyn Pass, grammar: &Grammar, whose: &str) -> Vec<Named> {
        let found = self.preview.proposals(pass, grammar);
        found.into_iter().map(|proposal| Named { whose: whose.to_owned(), proposal }).collect()
    }

    fn proposals(
        &self,
        by_rules: &[Named],
        by_passes: &[(&dyn Pass, Vec<Named>)],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(out, "\n{STRONG}proposals of rules{STRONG:#} ({})", text::len(by_rules.len()))?;
        for of_one in by_rules.chunk_by(|one, next| one.whose == next.whose) {
            self.lines(of_one.iter(), MOST_OF_A_RULE, out, |named, out| self.proposal(named, out))?;
        }
        for (pass, all) in by_passes.iter().filter(|(_, all)| !all.is_empty()) {
            let heading = format!("proposals of the pass {}", pass.name());
            writeln!(out, "\n{STRONG}{heading}{STRONG:#} ({})", text::len(all.len()))?;
            self.lines(all.iter(), MOST_OF_A_PASS, out, |named, out| self.proposal(named, out))?;
        }
        Ok(())
    }

    fn proposal(&self, named: &Named, out: &mut dyn Write) -> io::Result<()> {
        let Named { whose, proposal } = named;
        let (line, column) = self.place(proposal.range.start);
        let source = self.document.source();
        let before = self.quote(&source[proposal.range.clone()]);
        let after = self.quote(&proposal.replacement(source));
        let whose = text::one_line(whose);
        writeln!(out, "  {whose}  {FAINT}{line}:{column}{FAINT:#}  {before} -> {after}")
    }

    /// Counts the matches of each rule, rules without a match first.
    fn coverage(&self, out: &mut dyn Write) -> io::Result<()> {
        let matches = self.grammar.rules().matches(self.document.tree().root(), self.document.source());
        let (mut idle, busy): (Vec<_>, Vec<_>) = matches.into_iter().partition(|(_, matches)| *matches == 0);
        // Those that need no language are not this one's to match.
        idle.retain(|(rule, _)| !rule.is_common());
        for (heading, rules) in [("rules that never match", idle), ("rules that match", busy)] {
            writeln!(out, "{STRONG}{heading}{STRONG:#} ({})", text::len(rules.len()))?;
            for (rule, matches) in rules {
                let (file, line) = (rule.file_in(self.folder), rule.line);
                let times = if matches == 0 { String::new() } else { format!("{} x  ", text::len(matches)) };
                let rule: Vec<&str> = rule.text.split_whitespace().collect();
                let (file, rule) = (text::one_line(&file), text::one_line(&rule.join(" ")));
                writeln!(out, "  {times}{FAINT}{file}:{line}{FAINT:#} {rule}")?;
            }
        }
        Ok(())
    }

    /// Writes one item per line, and the number of further ones.
    fn lines<T>(
        &self,
        items: impl ExactSizeIterator<Item = T>,
        most: usize,
        out: &mut dyn Write,
        mut each: impl FnMut(T, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let most = if self.args.verbose { usize::MAX } else { most };
        let left = items.len().saturating_sub(most);
        for item in items.take(most) {
            each(item, out)?;
        }
        match left {
            0 => Ok(()),
            left => writeln!(out, "  {FAINT}… {} more; -v shows them{FAINT:#}", text::len(left)),
        }
    }

    /// Line and column of a byte, counted from 1.
    fn place(&self, offset: usize) -> (usize, usize) {
        let before = &self.document.source()[..offset];
        let start = memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1);
        (memchr::memchr_iter(b'\n', before).count() + 1, offset - start + 1)
    }

    fn quote(&self, text: &[u8]) -> String {
        // A whole file need not be looked at for its first letters.
        let head = &text[..text.len().min(WIDTH * 4)];
        format!("`{}`", text::visible(&String::from_utf8_lossy(head), WIDTH))
    }
}
