//! Translations of the app, loaded before a language is shown.

use booking_wire::JsonMap;
use gloo_net::http::Request;
use serde_json::Value;

use crate::client::Abort;
use crate::client::fetch::{HttpResponse, fetch};

/// Timeout of each translation file.
const TRANSLATIONS_TIMEOUT_MS: u64 = 3_000;

/// Returns the translations to `language`, none for English; `None` if they cannot be loaded.
pub(super) async fn load(language: &str) -> Option<JsonMap> {
    let mut translations = JsonMap::new();
    if language == "en" {
        return Some(translations);
    }
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
                leptos::logging::warn!("translations to {language} not loaded");
                return None;
            }
        }
    }
    Some(translations)
}
