//! Every sentence that people read, by key and in their language. Dates belong to `time::format`.
//!
//! English is compiled in. The other languages are files, fetched by whoever mounts a view (the
//! loader, the app) and spoken as soon as they are there.

mod catalogue;
mod english;
mod language;
mod spoken;

use leptos::prelude::*;

use crate::context::{provide_context, use_context};
use crate::dom::{Html, nothing};
use crate::signal::Trigger;
use crate::time::Formats;

pub use catalogue::Catalogue;
pub use english::Key;
#[cfg(not(target_arch = "wasm32"))]
pub use english::all;
pub use language::{LANGUAGES, direction_of, language_of, locale_for};
pub use spoken::Texts;

/// What a mounted root is told in. A change of language shows in what is read from then on.
#[derive(Clone, Copy)]
pub struct Language {
    /// The sentences.
    pub texts: Texts,
    /// The dates and times.
    pub formats: Formats,
    is_spoken: Trigger,
}

impl Language {
    /// Speaks English with the dates of `locale`, a BCP 47 tag.
    pub fn new(locale: &str) -> Self {
        Self {
            texts: Texts::new(locale),
            formats: Formats::new(locale),
            is_spoken: Trigger::new(),
        }
    }

    /// Speaks with the sentences of `catalogue` and the dates of `locale`; in English where a
    /// sentence is missing.
    pub fn speak(self, locale: &str, catalogue: Catalogue) {
        self.texts.speak(locale, catalogue);
        self.formats.speak(locale);
        self.is_spoken.notify();
    }

    /// Gives it to the views of a root.
    pub fn provide(self) {
        provide_context(self);
    }
}

/// Shows what `view` makes, and makes it again in another language. What has to outlive that, such
/// as what was typed, is made before.
pub fn spoken(view: impl Fn() -> Html + 'static) -> Html {
    let Some(language) = use_context::<Language>() else {
        return view();
    };
    nothing().show(move || {
        language.is_spoken.track();
        untrack(&view)
    })
}

/// The texts of the mounted root; English if there is none.
pub fn use_texts() -> Texts {
    use_context::<Language>().map_or(Texts::ENGLISH, |language| language.texts)
}

/// The formats of the mounted root.
pub fn use_formats() -> Formats {
    use_context::<Language>().map_or_else(|| Formats::new("en"), |language| language.formats)
}
