//! Name and e-mail address that a visitor has asked this device to remember: in the `localStorage` of the page's origin,
//! where the page's scripts can read them.

use leptos::prelude::window;
use web_sys::Storage;

use super::draft::Draft;
use super::values::{FieldValue, FieldValues};
use crate::components::button;
use crate::i18n::{Key, use_texts};
use crate::ui::dom::{Node, el, fragment};

/// Key of the storage.
const STORAGE_KEY: &str = "booking-visitor";

/// Separates name and address: a line of a form has none.
const SEPARATOR: char = '\n';

/// Fields that are remembered.
const FIELDS: [&str; 2] = ["name", "email"];

/// Returns the storage; `None` where it is blocked, as with cookies.
fn storage() -> Option<Storage> {
    window().local_storage().ok()?
}

/// Returns the remembered values.
pub(super) fn read() -> Option<FieldValues> {
    let text = storage()?.get_item(STORAGE_KEY).ok()??;
    let (name, email) = text.split_once(SEPARATOR)?;
    let mut values = FieldValues::default();
    for (slug, text) in FIELDS.into_iter().zip([name, email]) {
        values.set(slug, FieldValue::Text(text.to_owned()));
    }
    Some(values)
}

/// Remembers the visitor of `values`. In a browser that refuses it, nothing is remembered.
pub(super) fn write(values: &FieldValues) {
    let [name, email] = FIELDS.map(|slug| values.text(slug).trim());
    if let Some(storage) = storage() {
        let _ = storage.set_item(STORAGE_KEY, &format!("{name}{SEPARATOR}{email}"));
    }
}

/// Forgets the visitor.
pub(super) fn forget() {
    if let Some(storage) = storage() {
        // Removing a missing key is no error.
        let _ = storage.remove_item(STORAGE_KEY);
    }
}

/// Says whose details were filled in, with a button that empties these fields and forgets the visitor.
pub(super) fn person_line(draft: Draft, on_forget: impl Fn() + Clone + 'static) -> Node {
    let texts = use_texts();
    fragment().child_with(move || {
        let name = draft.person.get()?;
        let on_forget = on_forget.clone();
        let go = move || {
            forget();
            draft.person.set(None);
            draft.remembers.set(false);
            for slug in FIELDS {
                draft.set(slug, FieldValue::Text(String::new()));
            }
            on_forget();
        };
        let line = el("p")
            .class("form-person")
            .child(el("span").child(texts.fill(Key::BookingAs, &[("name", &name)])))
            .child(button("button-quiet", go).child(texts.get(Key::NotYou)));
        Some(line)
    })
}
