//! Name and e-mail address that a visitor has asked this device to remember: in the `localStorage` of the page's origin,
//! where the page's scripts can read them.

use booking_ui::prelude::*;
use web_sys::Storage;

use super::super::values::{FieldValue, FieldValues};

/// Key of the storage.
const STORAGE_KEY: &str = "booking-visitor";

/// Separates name and address: a line of a form has none.
const SEPARATOR: char = '\n';

/// Fields that are remembered.
pub(crate) const FIELDS: [&str; 2] = ["name", "email"];

/// Returns the storage; `None` where it is blocked, as with cookies.
fn storage() -> Option<Storage> {
    window().local_storage().ok()?
}

/// Returns the remembered values.
pub(crate) fn read() -> Option<FieldValues> {
    let text = storage()?.get_item(STORAGE_KEY).ok()??;
    let (name, email) = text.split_once(SEPARATOR)?;
    let mut values = FieldValues::default();
    for (slug, text) in FIELDS.into_iter().zip([name, email]) {
        values.set(slug, FieldValue::Text(text.to_owned()));
    }
    Some(values)
}

/// Remembers the visitor of `values`. In a browser that refuses it, nothing is remembered.
pub(crate) fn write(values: &FieldValues) {
    let [name, email] = FIELDS.map(|slug| values.text(slug).trim());
    if let Some(storage) = storage() {
        let _ = storage.set_item(STORAGE_KEY, &format!("{name}{SEPARATOR}{email}"));
    }
}

/// Forgets the visitor.
pub(crate) fn forget() {
    if let Some(storage) = storage() {
        // Removing a missing key is no error.
        let _ = storage.remove_item(STORAGE_KEY);
    }
}
