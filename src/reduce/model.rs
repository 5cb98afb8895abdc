//! What reductions have learnt, in a form that can be kept: the engine's evidence, with the kinds of
//! lists by their names, since numbers of kinds change with every version of a grammar.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::engine::{Lesson, SavedError, SavedEvidence, Steps};
use crate::grammar::{Grammar, TEXT};
use crate::passes::{NO_DEPTH, list_kind};

/// What the field `format` says.
const FORMAT: &str = "lop-model";
/// The version of the format that is written, and the only one that is read.
const VERSION: u64 = 1;
/// A file of another grammar of the same name knows at least this share of the kinds of lists.
const KNOWN_SHARE: f64 = 0.5;

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// It is something else.
    #[error("it is not a model that lop has saved")]
    Foreign,
    /// A later lop has saved it, or nobody.
    #[error("it is of version {0} of the format, and this lop reads version {VERSION}")]
    Version(u64),
    /// It was one.
    #[error("it is damaged")]
    Damaged(#[source] serde_json::Error),
    /// No run can have learnt this.
    #[error("its numbers cannot be true")]
    Impossible(#[source] SavedError),
    /// It is about files of another language.
    #[error("it was learnt on {found} and does not help with {wanted}")]
    Language {
        /// The model's.
        found: String,
        /// That of the test case.
        wanted: String,
    },
    /// The language has the same name and little else in common.
    #[error("it was learnt with another grammar: {unknown} of its {kinds} kinds of lists do not exist here")]
    Grammar {
        /// Kinds that the grammar does not have.
        unknown: usize,
        /// Kinds in the model.
        kinds: usize,
    },
}

/// What reductions of files of one language have learnt: of what kinds of lists, at which depth, how
/// much is needed, and how often what was kept can go later. It makes the next reduction take fewer
/// tests; what the result is guaranteed to be does not depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    language: String,
    fingerprint: String,
    /// By name of the kind and depth.
    lists: BTreeMap<(String, u32), Steps>,
    /// Per bucket of distance, see [`SavedEvidence::new`].
    verification: Vec<(u64, u64)>,
}

/// The first look at a file.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u64,
}

/// What the file holds besides.
#[derive(Deserialize)]
struct Content {
    language: String,
    fingerprint: String,
    verification: Vec<(u64, u64)>,
    lists: Vec<Row>,
}

/// A kind of lists at one depth; none for rows that are not the children of one node.
#[derive(Serialize, Deserialize)]
struct Row {
    kind: String,
    depth: Option<u32>,
    first: (u64, u64),
    after_needed: (u64, u64),
    after_removable: (u64, u64),
}

impl Model {
    /// Nothing learnt yet, about files of this grammar; `None` is text.
    #[must_use]
    pub fn new(grammar: Option<&Grammar>) -> Self {
        Model {
            language: grammar.map_or(TEXT, Grammar::name).to_owned(),
            fingerprint: grammar.map(Grammar::fingerprint).unwrap_or_default(),
            lists: BTreeMap::new(),
            verification: SavedEvidence::default().verification().to_vec(),
        }
    }

    /// Reads what [`Model::to_json`] has written.
    ///
    /// # Errors
    /// When it is something else, of another version, damaged, or no run can have learnt it.
    pub fn from_json(text: &[u8]) -> Result<Self, ModelError> {
        let header: Header = serde_json::from_slice(text).map_err(|error| match error.classify() {
            // Cut off, but not without having said what it is.
            serde_json::error::Category::Eof | serde_json::error::Category::Syntax if opens_like_one(text) => {
                ModelError::Damaged(error)
            }
            _ => ModelError::Foreign,
        })?;
        if header.format != FORMAT {
            return Err(ModelError::Foreign);
        }
        if header.version != VERSION {
            return Err(ModelError::Version(header.version));
        }
        let content: Content = serde_json::from_slice(text).map_err(ModelError::Damaged)?;
        let mut lists: BTreeMap<(String, u32), Steps> = BTreeMap::new();
        let mut lessons = Vec::with_capacity(content.lists.len());
        for row in content.lists {
            let Row { first, after_needed, after_removable, .. } = row;
            let steps = Steps { first, after_needed, after_removable };
            lessons.push(Lesson { kind: 0, depth: 0, steps });
            lists.entry((row.kind, row.depth.unwrap_or(NO_DEPTH))).or_default().add(&steps);
        }
        SavedEvidence::new(lessons, &content.verification).map_err(ModelError::Impossible)?;
        let Content { language, fingerprint, verification, .. } = content;
        Ok(Model { language, fingerprint, lists, verification })
    }

    /// The model as a file: JSON, with a line for each kind of lists at each depth.
    #[must_use]
    pub fn to_json(&self) -> String {
        let rows = self.lists.iter().map(|((kind, depth), steps)| Row {
            kind: kind.clone(),
            depth: (*depth != NO_DEPTH).then_some(*depth),
            first: steps.first,
            after_needed: steps.after_needed,
            after_removable: steps.after_removable,
        });
        let rows: Vec<String> = rows.map(|row| json(&row)).collect();
        let separator = if rows.is_empty() { "" } else { "\n" };
        format!(
            "{{\n\"format\": {}, \"version\": {VERSION},\n\"language\": {}, \"fingerprint\": {},\n\
             \"verification\": {},\n\"lists\": [{separator}{}{separator}]\n}}\n",
            json(&FORMAT),
            json(&self.language),
            json(&self.fingerprint),
            json(&self.verification),
            rows.join(",\n"),
        )
    }

    /// Whether it was learnt on files of this grammar, as far as that matters.
    ///
    /// # Errors
    /// When it was not.
    pub fn fits(&self, grammar: Option<&Grammar>) -> Result<(), ModelError> {
        let wanted = grammar.map_or(TEXT, Grammar::name);
        if self.language != wanted {
            return Err(ModelError::Language { found: self.language.clone(), wanted: wanted.to_owned() });
        }
        let (unknown, kinds) = self.unknown_kinds(grammar);
        let same = grammar.is_none_or(|grammar| grammar.fingerprint() == self.fingerprint);
        if !same && ((kinds - unknown) as f64) < KNOWN_SHARE * kinds as f64 {
            return Err(ModelError::Grammar { unknown, kinds });
        }
        Ok(())
    }

    /// Kinds of lists that the grammar does not have, and all.
    pub(super) fn unknown_kinds(&self, grammar: Option<&Grammar>) -> (usize, usize) {
        let names: BTreeSet<&str> = self.lists.keys().map(|(name, _)| name.as_str()).collect();
        let unknown = names.iter().filter(|name| number(name, grammar).is_none()).count();
        (unknown, names.len())
    }

    /// What the engine can make of it; kinds that the grammar does not have are left out.
    pub(super) fn evidence(&self, grammar: Option<&Grammar>) -> SavedEvidence {
        let lessons = self
            .lists
            .iter()
            .filter_map(|((name, depth), &steps)| Some(Lesson { kind: number(name, grammar)?, depth: *depth, steps }));
        SavedEvidence::new(lessons.collect(), &self.verification).expect("read or counted, it was checked then")
    }

    /// Adds what a reduction has learnt.
    pub(super) fn add(&mut self, learnt: &SavedEvidence, grammar: Option<&Grammar>) {
        for lesson in learnt.lessons() {
            let key = (name(lesson.kind, grammar), lesson.depth);
            self.lists.entry(key).or_default().add(&lesson.steps);
        }
        for (mine, theirs) in self.verification.iter_mut().zip(learnt.verification()) {
            mine.0 = mine.0.saturating_add(theirs.0).min(SavedEvidence::MOST);
            mine.1 = mine.1.saturating_add(theirs.1).min(SavedEvidence::MOST);
        }
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings and numbers can be written")
}

/// Whether the beginning of a file that is no JSON as a whole says that it is a model.
fn opens_like_one(text: &[u8]) -> bool {
    text.starts_with(format!("{{\n\"format\": \"{FORMAT}\"").as_bytes())
}

/// The name of a kind of lists.
fn name(kind: u32, grammar: Option<&Grammar>) -> String {
    let row = list_kind::name(kind).map(str::to_owned);
    let node = || Some(grammar?.kind_name(u16::try_from(kind).ok()?).to_owned());
    row.or_else(node).expect("lists are rows of a known kind or below a node of the grammar")
}

/// The kind of lists of a name.
fn number(name: &str, grammar: Option<&Grammar>) -> Option<u32> {
    list_kind::named(name).or_else(|| grammar?.kind_named(name).map(u32::from))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::grammar::{AUTO, Registry};

    fn grammar(file: &str) -> Arc<Grammar> {
        let registry = Registry::embedded().expect("the shipped grammars are right");
        registry.choose(AUTO, Path::new(file), b"").expect("auto always finds something").0.expect("a known extension")
    }

    const STEPS: Steps = Steps { first: (1, 2), after_needed: (3, 4), after_removable: (5, 6) };

    /// A model with rows, a list below a node, and a list below broken text.
    fn model(grammar: Option<&Grammar>) -> Model {
        let mut model = Model::new(grammar);
        let mut lessons = vec![Lesson { kind: list_kind::TOKENS, depth: NO_DEPTH, steps: STEPS }];
        if let Some(grammar) = grammar {
            let kind = grammar.kind_named("object").expect("it is in the grammar");
            lessons.push(Lesson { kind: kind.into(), depth: 3, steps: STEPS });
            lessons.push(Lesson { kind: u16::MAX.into(), depth: 0, steps: STEPS });
        }
        let mut verification = *SavedEvidence::default().verification();
        verification[2] = (7, 8);
        let learnt = SavedEvidence::new(lessons, &verification).expect("small numbers");
        model.add(&learnt, grammar);
        model
    }

    fn refused(text: &str) -> ModelError {
        Model::from_json(text.as_bytes()).expect_err(text)
    }

    #[test]
    fn a_model_comes_back_from_its_file_as_it_was() {
        let json = grammar("x.json");
        for grammar in [None, Some(&*json)] {
            for model in [Model::new(grammar), model(grammar)] {
                let read = Model::from_json(model.to_json().as_bytes()).expect("lop has written it");
                assert_eq!(read, model);
                assert_eq!(read.to_json(), model.to_json());
                read.fits(grammar).expect("it is of this grammar");
            }
        }
        let evidence = model(Some(&json)).evidence(Some(&json));
        let mut again = Model::new(Some(&json));
        again.add(&evidence, Some(&json));
        assert_eq!(again, model(Some(&json)), "every kind has its number back");
    }

    #[test]
    fn a_model_names_its_kinds() {
        let json = grammar("x.json");
        let text = model(Some(&json)).to_json();
        let rows: Vec<&str> = text.lines().filter(|line| line.contains("\"kind\"")).collect();
        let row = |kind: &str, depth: &str| {
            format!(
                "{{\"kind\":\"{kind}\",\"depth\":{depth},\"first\":[1,2],\"after_needed\":[3,4],\"after_removable\":[5,6]}}"
            )
        };
        assert_eq!(rows, [row("(tokens)", "null") + ",", row("ERROR", "0") + ",", row("object", "3")]);
    }

    #[test]
    fn runs_add_up() {
        let json = grammar("x.json");
        let mut twice = model(Some(&json));
        twice.add(&model(Some(&json)).evidence(Some(&json)), Some(&json));
        assert_eq!(twice.lists[&("object".to_owned(), 3)].first, (2, 4));
        assert_eq!((twice.lists.len(), twice.verification[2]), (3, (14, 16)));
    }

    #[test]
    fn what_is_no_model_is_refused() {
        for text in ["", "int main;", "[1, 2]", "{}", "{\"format\": \"lop-model\"}", "{\"format\": 1, \"version\": 1}"]
        {
            assert!(matches!(refused(text), ModelError::Foreign), "{text}: {:?}", refused(text));
        }
        assert!(matches!(refused("{\"format\": \"other\", \"version\": 1}"), ModelError::Foreign));
        assert!(matches!(refused("{\"format\": \"lop-model\", \"version\": 2}"), ModelError::Version(2)));
        assert!(matches!(refused("{\"format\": \"lop-model\", \"version\": 1}"), ModelError::Damaged(_)));
    }

    #[test]
    fn a_damaged_model_is_refused_wherever_it_is_cut() {
        let whole = model(Some(&grammar("x.json"))).to_json();
        let json = whole.trim_end();
        for cut in 0..json.len() {
            let error = refused(&json[..cut]);
            assert!(matches!(error, ModelError::Foreign | ModelError::Damaged(_)), "{cut}: {error}");
            assert!(cut < 30 || matches!(error, ModelError::Damaged(_)), "{cut}: {error}");
        }
        for (from, to) in [("[1,2]", "[1,-2]"), ("[1,2]", "[1,2.5]"), ("[1,2]", "[1]"), ("\"depth\":3", "\"depth\":-1")]
        {
            assert!(matches!(refused(&whole.replacen(from, to, 1)), ModelError::Damaged(_)), "{from} {to}");
        }
        let large = whole.replacen("[1,2]", "[1,2000000000000]", 1);
        assert!(matches!(refused(&large), ModelError::Impossible(SavedError::TooMany)));
        let short = whole.replacen("[7,8],", "", 1);
        assert!(matches!(refused(&short), ModelError::Impossible(SavedError::Buckets(14))));
    }

    #[test]
    fn a_model_of_something_else_does_not_fit() {
        let (json, other) = (grammar("x.json"), grammar("x.c"));
        let learnt = model(Some(&json));
        for grammar in [None, Some(&*other)] {
            assert!(matches!(learnt.fits(grammar), Err(ModelError::Language { .. })));
        }
        assert!(matches!(model(None).fits(Some(&json)), Err(ModelError::Language { .. })));
        // A grammar of this name, of another version.
        let older = |names: &[&str]| {
            let mut model = Model { fingerprint: "older".to_owned(), ..Model::new(Some(&json)) };
            model.lists.extend(names.iter().map(|name| (((*name).to_owned(), 1), STEPS)));
            model
        };
        older(&["object", "array", "gone"]).fits(Some(&json)).expect("most kinds are known");
        let strange = older(&["object", "gone", "strange"]).fits(Some(&json));
        assert!(matches!(strange, Err(ModelError::Grammar { unknown: 2, kinds: 3 })), "{strange:?}");
        assert_eq!(older(&["object", "gone", "gone"]).evidence(Some(&json)).lessons().len(), 1);
    }
}
