//! Translations of the app, loaded before it starts.

use booking_wire::JsonMap;
use gloo_net::http::Request;
use serde_json::Value;

use crate::client::Abort;
use crate::client::fetch::{HttpResponse, fetch};
use crate::i18n::language_of;
use crate::time::format::browser_locales;

/// Timeout of each translation file, after which the app starts in English.
const TRANSLATIONS_TIMEOUT_MS: u64 = 3_000;

/// Returns the visitor's preferred supported language and its translations; English if they cannot be loaded.
pub(super) async fn load_translations() -> (&'static str, JsonMap) {
    let locales = browser_locales();
    let language = locales.iter().find_map(|locale| language_of(locale));
    let Some(language) = language.filter(|language| *language != "en") else {
        return ("en", JsonMap::new());
    };
    let mut translations = JsonMap::new();
    for suffix in ["", ".staff", ".app"] {
        let abort = Abort::after(TRANSLATIONS_TIMEOUT_MS);
        let file = Request::get(&format!("/lang/{language}{suffix}.json"));
        let response = fetch(file.abort_signal(abort.signal().as_ref()).build(), None).await;
        abort.settle();
        match response
            .filter(HttpResponse::is_success)
            .and_then(|response| response.body)
        {
            Some(Value::Object(texts)) => translations.extend(texts),
            _ => {
                leptos::logging::warn!("translations to {language} not loaded, English is used");
                return ("en", JsonMap::new());
            }
        }
    }
    (language, translations)
}
