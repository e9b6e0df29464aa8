//! The tab's `sessionStorage`, which the app writes only on request (the language also by a link with `?lang=`). Other
//! pages of this origin in the tab can read it.

use booking_ui::prelude::*;
use js_sys::Reflect;
use wasm_bindgen::prelude::*;

/// Key of the account of a tab that stays signed in.
pub(super) const ACCOUNT: &str = "booking-app";

/// Key of the chosen language.
pub(super) const LANGUAGE: &str = "booking-app-language";

/// Reads the text of `key`.
pub(super) fn read(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?.as_string()
}

/// Stores a text. In a browser without storage it is lost with the page.
pub(super) fn write(key: &str, text: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(key, text);
    }
}

/// Deletes the text of `key`.
pub(super) fn delete(key: &str) {
    if let Some(storage) = storage() {
        // Removing a missing key is no error.
        let _ = storage.remove_item(key);
    }
}

#[wasm_bindgen]
extern "C" {
    /// The tab's `sessionStorage`.
    type TabStorage;

    #[wasm_bindgen(method, catch, js_name = getItem)]
    fn get_item(this: &TabStorage, key: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = setItem)]
    fn set_item(this: &TabStorage, key: &str, text: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch, js_name = removeItem)]
    fn remove_item(this: &TabStorage, key: &str) -> Result<(), JsValue>;
}

/// Returns the storage; `None` where it is blocked, as with cookies: reading it throws then.
fn storage() -> Option<TabStorage> {
    let storage = Reflect::get(&window(), &"sessionStorage".into()).ok()?;
    storage.is_object().then(|| storage.unchecked_into())
}
