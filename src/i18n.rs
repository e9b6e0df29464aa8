//! UI texts by key and language. Dates are formatted in `time::format`.
//!
//! English is compiled in. The other languages are files, fetched by the loader or the app and used as soon
//! as they are loaded.

mod catalogue;
mod english;
mod translations;

use std::cell::Cell;

use booking_ui::prelude::*;

use crate::time::{Clock, Formats};

pub use booking_wire::formats::text_language::{LANGUAGES, direction_of, language_of, locale_for};
pub use catalogue::Catalogue;
pub use english::Key;
#[cfg(not(target_arch = "wasm32"))]
pub use english::all;
pub use translations::Translations;

/// Language of a mounted root. A change applies to texts that are read afterwards.
#[derive(Clone, Copy)]
pub struct Language {
    /// UI texts.
    pub texts: Translations,
    /// Formats of dates and times.
    pub formats: Formats,
    clock: Clock,
    change: Trigger,
}

impl Language {
    /// Creates English texts, with dates in the format of `locale`, a BCP 47 tag, and without a year if they are near.
    pub fn new(locale: &str, clock: Clock) -> Self {
        Self {
            texts: Translations::new(locale),
            formats: Formats::new(locale, clock),
            clock,
            change: Trigger::new(),
        }
    }

    /// Changes to the texts of `catalogue`, in English where one is missing, and to the date formats of
    /// `locale`.
    pub fn set_locale(self, locale: &str, catalogue: Catalogue) {
        self.texts.set_locale(locale, catalogue);
        self.formats.set_locale(locale);
        self.change.notify();
    }

    /// Provides it and its clock to the views of a root.
    pub fn provide(self) {
        provide_context(self);
        provide_context(self.clock);
    }
}

thread_local! {
    static IS_RENDERED_AGAIN: Cell<bool> = const { Cell::new(false) };
}

/// True while a view is rendered again in another language, which moves no focus.
pub fn is_rendered_again() -> bool {
    IS_RENDERED_AGAIN.get()
}

/// Shows `view`, and renders it again when the language changes. State that has to outlive that, such as
/// typed text, is created outside.
pub fn localized(view: impl Fn() -> Node + 'static) -> Node {
    localized_view(Box::new(view))
}

/// [`localized`], compiled once for all views.
fn localized_view(view: Box<dyn Fn() -> Node>) -> Node {
    let Some(language) = use_context::<Language>() else {
        return view();
    };
    let is_first = Cell::new(true);
    fragment().child_with(move || {
        language.change.track();
        let is_inside = is_rendered_again();
        IS_RENDERED_AGAIN.set(!is_first.replace(false) || is_inside);
        let content = untrack(&view);
        IS_RENDERED_AGAIN.set(is_inside);
        content
    })
}

/// Returns the texts of the mounted root; English if there is none.
pub fn use_texts() -> Translations {
    use_context::<Language>().map_or(Translations::ENGLISH, |language| language.texts)
}

/// Returns the formats of the mounted root.
pub fn use_formats() -> Formats {
    use_context::<Language>().map_or_else(
        || Formats::new("en", Clock::browser()),
        |language| language.formats,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_loader_are_equal() {
        let loader = include_str!("loader/page-locale.js");
        let listed = loader.split_once("const LANGUAGES = [").unwrap().1;
        let listed = listed.split_once(']').unwrap().0;
        let listed: Vec<&str> = listed
            .split(',')
            .map(|part| part.trim().trim_matches('"'))
            .filter(|part| !part.is_empty())
            .collect();
        assert_eq!(listed, LANGUAGES);
    }
}
