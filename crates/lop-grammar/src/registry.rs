//! The known languages, and the choice of one for a file.

use std::path::Path;
use std::sync::Arc;

use lop_parser::{Catalog, Folder, NotBuiltIn};

use super::Grammar;
use super::content::{ContentTest, Fit};
use super::language_toml::{self, LanguageToml};
use super::listed::{Home, Listed};
use super::problem::{GrammarError, Origin, not_built_in};

/// The name that requests a choice by the extension, or by the content if there is none.
pub const AUTO: &str = "auto";

/// The name that asks for no grammar at all.
pub const TEXT: &str = "text";

/// The known languages. Their `language.toml` files are read at once, their rules and kinds only
/// when a language is loaded: compiling the rules of all would cost more than many a test run.
#[derive(Debug)]
pub struct Registry<'a> {
    entries: Vec<Entry<'a>>,
    not_built_in: Vec<Known>,
}

/// A language that this program knows only by its name and its extensions.
#[derive(Debug)]
struct Known {
    folder: &'static NotBuiltIn<'static>,
    extensions: Vec<String>,
}

#[derive(Debug)]
struct Entry<'a> {
    folder: Folder<'a>,
    extensions: Vec<String>,
    content: ContentTest,
}

/// The reason why a language is the one of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// It was asked for by name.
    Name,
    /// The file's extension is one of its.
    Extension,
    /// The file's first line names a program that runs files of it.
    FirstLine,
    /// The file has no extension, and its content parses as it.
    Content,
    /// The file's extension is one of a language that this program was built without: it is text.
    NotBuiltIn {
        /// The language.
        name: &'static str,
        /// The cargo feature that brings it.
        feature: &'static str,
    },
    /// The file has an extension that no language has: it is text without a grammar, whatever it looks like. A forgiving
    /// parser makes something of nearly any file, and a search by the wrong tree is worse than one by lines.
    UnknownExtension,
    /// The file has no extension, and its content fits nothing: it is text without a grammar.
    Nothing,
}

impl Choice {
    /// Returns the reason as a continuation of the language's name.
    #[must_use]
    pub fn reason(self, path: &Path) -> String {
        match self {
            Choice::Name => "as asked for".to_owned(),
            Choice::Extension => "by extension".to_owned(),
            Choice::FirstLine => "by its first line".to_owned(),
            Choice::Content => "by content: it has no extension".to_owned(),
            Choice::UnknownExtension => {
                format!("no grammar for .{} is built in", path.extension().unwrap_or_default().display())
            }
            Choice::NotBuiltIn { name, feature } => not_built_in(name, feature),
            Choice::Nothing => "it has no extension, and its content fits no grammar that is built in".to_owned(),
        }
    }

    /// Formats the language and the reason as a line; `None` is text.
    #[must_use]
    pub fn sentence(self, language: Option<&str>, path: &Path) -> String {
        let reason = self.reason(path);
        match (self, language) {
            (Choice::NotBuiltIn { .. }, _) => format!("{TEXT}: {reason}"),
            (Choice::UnknownExtension | Choice::Nothing, _) => format!("{TEXT}: {reason}; see lop grammars"),
            (_, language) => format!("{}, {reason}", language.unwrap_or(TEXT)),
        }
    }
}

impl Registry<'static> {
    /// The languages of a program.
    ///
    /// # Errors
    /// When one of their `language.toml` files is wrong.
    pub fn of(languages: &'static Catalog) -> Result<Self, GrammarError> {
        let mut registry = Self::new(languages.built_in)?;
        for folder in languages.left_out {
            let origin =
                Origin { folder: folder.texts.name, file: language_toml::FILE_NAME, text: folder.texts.language };
            let extensions = LanguageToml::parse(origin)?.language.extensions;
            registry.not_built_in.push(Known { folder, extensions });
        }
        Ok(registry)
    }
}

impl<'a> Registry<'a> {
    /// The languages of these folders.
    ///
    /// # Errors
    /// When a `language.toml` is wrong, or a folder's name means something else or occurs twice. Its regular expressions
    /// are looked at by [`Registry::find`] only.
    pub fn new(folders: &[Folder<'a>]) -> Result<Self, GrammarError> {
        let mut entries: Vec<Entry<'a>> = Vec::with_capacity(folders.len());
        for folder in folders {
            let taken = |entry: &Entry<'_>| entry.folder.name == folder.name;
            if [AUTO, TEXT].contains(&folder.name) || entries.iter().any(taken) {
                return Err(GrammarError::NameTaken { name: folder.name.to_owned() });
            }
            let file = LanguageToml::parse(own_file(folder))?;
            let content = ContentTest::new(&file.language);
            entries.push(Entry { folder: *folder, extensions: file.language.extensions, content });
        }
        Ok(Self { entries, not_built_in: Vec::new() })
    }

    /// Lists all languages: the built-in ones in the order of their folders, then the others.
    ///
    /// # Errors
    /// When the `language.toml` of one, or of one that it extends, is wrong.
    pub fn list(&self) -> Result<Vec<Listed>, GrammarError> {
        let built_in = self.entries.iter().map(|entry| Listed::of(&entry.folder, Home::BuiltIn));
        let others = self.not_built_in.iter().map(|known| Listed::not_built_in(known.folder));
        built_in.chain(others).collect()
    }

    /// Returns the folders of the languages.
    pub fn folders(&self) -> impl Iterator<Item = &Folder<'a>> {
        self.entries.iter().map(|entry| &entry.folder)
    }

    /// Finds the grammar that `request` (a language's name, [`AUTO`] or [`TEXT`]) means for a file with this path and
    /// content; `None` is text. With [`AUTO`] the extension decides. If several languages claim it, or there is none,
    /// the content decides. If no language claims the extension, only the first line counts; without a hint there, the
    /// file is text.
    ///
    /// # Errors
    /// An unknown name, or a folder of the chosen language with an error in it.
    pub fn choose(
        &self,
        request: &str,
        path: &Path,
        content: &[u8],
    ) -> Result<(Option<Arc<Grammar>>, Choice), GrammarError> {
        let (folder, choice) = self.find(request, path, content)?;
        let grammar = folder.map(|folder| Grammar::load(folder).map(Arc::new)).transpose()?;
        Ok((grammar, choice))
    }

    /// The folder of the language that [`Registry::choose`] loads.
    ///
    /// # Errors
    /// An unknown name, or a regular expression that is none in the `language.toml` of a language that was asked
    /// whether the content is in it.
    pub fn find(
        &self,
        request: &str,
        path: &Path,
        content: &[u8],
    ) -> Result<(Option<&Folder<'a>>, Choice), GrammarError> {
        let (entry, choice) = match request {
            TEXT => (None, Choice::Name),
            AUTO => self.detect(path, content)?,
            name => (Some(self.named(name)?), Choice::Name),
        };
        Ok((entry.map(|entry| &entry.folder), choice))
    }

    /// Lists all extensions of the languages that claim a path's extension, if there are several languages. Then the
    /// content of all files with these extensions decides.
    #[must_use]
    pub fn rivals(&self, path: &Path) -> Vec<&str> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let claims = |entry: &&Entry<'a>| extension.as_ref().is_some_and(|wanted| entry.extensions.contains(wanted));
        let claimants: Vec<_> = self.entries.iter().filter(claims).collect();
        let extensions = claimants.iter().flat_map(|entry| entry.extensions.iter().map(String::as_str));
        if claimants.len() > 1 { extensions.collect() } else { Vec::new() }
    }

    fn named(&self, name: &str) -> Result<&Entry<'a>, GrammarError> {
        self.entries.iter().find(|entry| entry.folder.name == name).ok_or_else(|| {
            if let Some(known) = self.not_built_in.iter().find(|known| known.folder.texts.name == name) {
                return GrammarError::NotBuiltIn { name: known.folder.texts.name, feature: known.folder.feature };
            }
            let names = self.entries.iter().map(|entry| entry.folder.name);
            GrammarError::Unknown {
                name: name.to_owned(),
                known: [AUTO].into_iter().chain(names).chain([TEXT]).map(str::to_owned).collect(),
            }
        })
    }

    fn detect(&self, path: &Path, content: &[u8]) -> Result<(Option<&Entry<'a>>, Choice), GrammarError> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let extension = extension.filter(|extension| !extension.is_empty());
        let claims = |entry: &&Entry<'a>| extension.as_ref().is_some_and(|wanted| entry.extensions.contains(wanted));
        let claimants: Vec<&Entry<'a>> = self.entries.iter().filter(claims).collect();
        Ok(match claimants.as_slice() {
            [] => {
                for entry in &self.entries {
                    if entry.content.is_said_by_first_line(content, own_file(&entry.folder))? {
                        return Ok((Some(entry), Choice::FirstLine));
                    }
                }
                if let Some(extension) = extension {
                    let known = self.not_built_in.iter().find(|known| known.extensions.contains(&extension));
                    let choice = known.map(|known| Choice::NotBuiltIn {
                        name: known.folder.texts.name,
                        feature: known.folder.feature,
                    });
                    return Ok((None, choice.unwrap_or(Choice::UnknownExtension)));
                }
                match best(&self.entries.iter().collect::<Vec<_>>(), content)? {
                    Some(entry) => (Some(entry), Choice::Content),
                    None => (None, Choice::Nothing),
                }
            }
            [only] => (Some(only), Choice::Extension),
            [first, ..] => (Some(best(&claimants, content)?.unwrap_or(first)), Choice::Extension),
        })
    }
}

/// A language's own `language.toml`.
fn own_file<'a>(folder: &Folder<'a>) -> Origin<'a> {
    Origin { folder: folder.name, file: language_toml::FILE_NAME, text: folder.language }
}

/// The entry whose language the content is in, if it is in any of theirs.
fn best<'e, 'a>(entries: &[&'e Entry<'a>], content: &[u8]) -> Result<Option<&'e Entry<'a>>, GrammarError> {
    let mut best: Option<(Fit, &'e Entry<'a>)> = None;
    for &entry in entries {
        let fit = entry.content.fit(&entry.folder.parser, content, own_file(&entry.folder))?;
        // The first of several that fit equally well stays.
        if let Some(fit) = fit.filter(|fit| best.as_ref().is_none_or(|(known, _)| fit < known)) {
            best = Some((fit, entry));
        }
    }
    Ok(best.map(|(_, entry)| entry))
}
