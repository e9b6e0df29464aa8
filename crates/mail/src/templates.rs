//! Texts of messages, and of the pages that their links open.

use std::path::Path;
use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

use crate::clean;
use crate::data::{BookingData, MessageData};
use crate::message::Recipient;
use crate::samples::Sample;
use crate::texts::{Catalogue, Texts, is_file_name};
use crate::view::View;
use crate::{page_view, view};

pub use crate::input::{Branding, MessageInput, PageAction, PageInput, PageState};

/// Frame of messages and pages.
const LAYOUT: &str = "layout.html.j2";
/// HTML of a message.
const MESSAGE_HTML: &str = "message.html.j2";
/// Plain text of a message.
const MESSAGE_TEXT: &str = "message.txt.j2";
/// Page behind a link.
const PAGE: &str = "page.html.j2";

/// Templates of the program, by file name.
const FILES: [(&str, &str); 4] = [
    (LAYOUT, include_str!("../templates/layout.html.j2")),
    (MESSAGE_HTML, include_str!("../templates/message.html.j2")),
    (MESSAGE_TEXT, include_str!("../templates/message.txt.j2")),
    (PAGE, include_str!("../templates/page.html.j2")),
];

/// Bytes of a file that replaces a template or texts.
const MAX_FILE: u64 = 1_000_000;

/// A rendered message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// One line.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// HTML document.
    pub html: String,
}

/// A template that cannot be used, with its file and line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// Mistake, with file and line.
    pub message: String,
}

impl TemplateError {
    fn new(message: String) -> Self {
        Self { message }
    }
}

impl From<minijinja::Error> for TemplateError {
    fn from(error: minijinja::Error) -> Self {
        // The innermost error names the place; those around it say which file uses that file.
        let mut innermost = &error;
        while let Some(inner) =
            std::error::Error::source(innermost).and_then(|inner| inner.downcast_ref())
        {
            innermost = inner;
        }
        let file = innermost.name().unwrap_or("template");
        let line = innermost
            .line()
            .map_or_else(String::new, |line| format!(":{line}"));
        let detail = innermost
            .detail()
            .map_or_else(String::new, |detail| format!(": {detail}"));
        Self::new(format!(
            "{file}{line}: {}{detail}{}",
            innermost.kind(),
            quoted(innermost)
        ))
    }
}

/// Returns the part of the template that an error is about.
fn quoted(error: &minijinja::Error) -> String {
    let part = error
        .range()
        .and_then(|range| error.template_source()?.get(range));
    part.filter(|part| !part.contains('\n'))
        .map_or_else(String::new, |part| format!(" in “{part}”"))
}

impl std::fmt::Display for TemplateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TemplateError {}

/// Templates and texts of messages and pages. Cheap to clone, and shared by threads.
#[derive(Clone, Debug)]
pub struct Templates {
    environment: Arc<Environment<'static>>,
    texts: Arc<Catalogue>,
}

impl Default for Templates {
    fn default() -> Self {
        Self::embedded()
    }
}

impl Templates {
    /// Returns the templates of this program.
    pub fn embedded() -> Self {
        // A test renders all of them.
        Self::new(&[]).expect("the templates of the program are valid")
    }

    /// Returns the templates and texts of this program, replaced by the files in `folder` that have their names.
    ///
    /// All messages and pages are rendered once with samples, so that a misspelt variable is found now and not when
    /// a message is due. Files whose names begin with a dot are ignored.
    pub fn load(folder: &Path) -> Result<Self, TemplateError> {
        let templates = Self::new(&read(folder)?)?;
        templates.check()?;
        Ok(templates)
    }

    /// `files` are pairs of a name and the contents.
    fn new(files: &[(String, String)]) -> Result<Self, TemplateError> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_syntax(syntax()?);
        environment.set_debug(true);
        environment.set_auto_escape_callback(|name| {
            if name.ends_with(".txt.j2") {
                AutoEscape::None
            } else {
                AutoEscape::Html
            }
        });
        environment.add_filter("wrap", |text: &str, prefix: &str| clean::wrap(text, prefix));
        for (name, embedded) in FILES {
            let replaced = files.iter().find(|(file, _)| file == name);
            let source = replaced.map_or(embedded, |(_, contents)| contents);
            environment.add_template_owned(name, source.to_owned())?;
        }
        Ok(Self {
            environment: Arc::new(environment),
            texts: Arc::new(Catalogue::new(files).map_err(TemplateError::new)?),
        })
    }

    /// Renders everything once.
    fn check(&self) -> Result<(), TemplateError> {
        for sample in Sample::all() {
            for input in sample.messages() {
                self.message(input)?;
            }
            for input in sample.pages() {
                self.page(input)?;
            }
        }
        Ok(())
    }

    /// Renders a message.
    pub fn message(&self, input: MessageInput<'_>) -> Result<Rendered, TemplateError> {
        let MessageInput {
            kind,
            data,
            recipient,
            links,
            branding,
        } = input;
        let view = match data {
            MessageData::Booking(booking) => {
                view::booking_message(&self.texts, kind, booking, recipient, links, branding)
            }
            MessageData::Code(code) => {
                view::code_message(&self.texts, kind, code, recipient, branding)
            }
        };
        Ok(Rendered {
            text: self.render(MESSAGE_TEXT, &view)?,
            html: self.render(MESSAGE_HTML, &view)?,
            subject: view.subject,
        })
    }

    /// Time of a meeting on the clock of the other side, in the recipient's language: `3:00 PM in Berlin`. `None` if it is
    /// the recipient's own, or if the meeting has several dates.
    pub fn time_elsewhere(&self, booking: &BookingData, recipient: &Recipient) -> Option<String> {
        let view = View::new(&self.texts, &recipient.person.language, recipient, booking);
        view::dates_of(booking)
            .is_empty()
            .then(|| view.time_elsewhere())?
    }

    /// Renders a page.
    pub fn page(&self, input: PageInput<'_>) -> Result<String, TemplateError> {
        self.render(PAGE, page_view::page(&self.texts, input))
    }

    /// Returns the language for a BCP 47 tag and its texts.
    pub(crate) fn texts(&self, tag: &str) -> (&'static str, &Texts) {
        self.texts.get(tag)
    }

    fn render(&self, name: &str, view: impl Serialize) -> Result<String, TemplateError> {
        let template = self.environment.get_template(name)?;
        Ok(template.render(Serde(view))?.trim_start().to_owned())
    }
}

/// Tags alone on a line leave no line behind.
fn syntax() -> Result<SyntaxConfig, minijinja::Error> {
    let mut builder = SyntaxConfig::builder();
    builder
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true);
    builder.build()
}

/// Reads the files of an operator: pairs of a name and the contents.
fn read(folder: &Path) -> Result<Vec<(String, String)>, TemplateError> {
    let in_folder =
        |error: std::io::Error| TemplateError::new(format!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(in_folder)? {
        let entry = entry.map_err(in_folder)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        if !is_file_name(&name) && !FILES.iter().any(|(file, _)| *file == name) {
            let names: Vec<&str> = FILES.iter().map(|(file, _)| *file).collect();
            let message = format!(
                "{name}: no template has this name; there are {} and texts such as de.json",
                names.join(", ")
            );
            return Err(TemplateError::new(message));
        }
        let in_file = |error: std::io::Error| TemplateError::new(format!("{name}: {error}"));
        // Follows links.
        if std::fs::metadata(entry.path()).map_err(in_file)?.len() > MAX_FILE {
            return Err(TemplateError::new(format!(
                "{name}: larger than {MAX_FILE} bytes"
            )));
        }
        let contents = std::fs::read_to_string(entry.path()).map_err(in_file)?;
        files.push((name, contents));
    }
    files.sort();
    Ok(files)
}

const _: () = {
    const fn is_shared_by_threads<T: Send + Sync>() {}
    is_shared_by_threads::<Templates>();
};

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::message::Kind;

    const GUIDE: &str = include_str!("../../../docs/mail-templates.md");

    /// Checks that the guide names the keys of an object and of those within.
    fn check(value: &Value) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    assert!(
                        GUIDE.contains(&format!("`{key}`"))
                            || GUIDE.contains(&format!("`brand.{key}`"))
                            || key == "brand",
                        "{key} is not in the guide"
                    );
                    check(value);
                }
            }
            Value::Array(items) => items.iter().for_each(check),
            _ => {}
        }
    }

    #[test]
    fn guide_for_operators_has_all_variables() {
        let catalogue = Catalogue::new(&[]).unwrap();
        let sample = Sample::full("en", "UTC");
        let MessageData::Booking(booking) = &sample.booking else {
            panic!("a booking")
        };
        let (recipient, branding) = (&sample.recipients[0], &sample.branding);
        let message = view::booking_message(
            &catalogue,
            Kind::Booked,
            booking,
            recipient,
            &sample.links,
            branding,
        );
        check(&serde_json::to_value(message).unwrap());
        for input in sample.pages() {
            check(&serde_json::to_value(page_view::page(&catalogue, input)).unwrap());
        }
    }
}
