//! Translations of the app, loaded before a language is shown.

use std::cell::RefCell;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::JsonMap;
use gloo_net::http::Request;
use js_sys::{Array, Promise};
use serde_json::Value;
use wasm_bindgen_futures::JsFuture;

use crate::client::Abort;
use crate::client::http::fetch::{HttpResponse, fetch};

/// Timeout of each translation file.
const TRANSLATIONS_TIMEOUT_MS: u64 = 3_000;

/// Endings of the names of a language's files: texts of visitors, of the team, of the app.
const FILES: [&str; 3] = ["", ".staff", ".app"];

/// Returns the translations to `language`, none for English; `None` if they cannot be loaded.
pub(crate) async fn load(language: &str) -> Option<JsonMap> {
    if language == "en" {
        return Some(JsonMap::new());
    }
    let loaded = Rc::new(RefCell::new(Vec::new()));
    // In parallel.
    let requests: Array = FILES
        .iter()
        .map(|ending| {
            let url = format!("/lang/{language}{ending}.json");
            let loaded = Rc::clone(&loaded);
            spawn_with_promise(async move {
                if let Some(texts) = load_file(&url).await {
                    loaded.borrow_mut().push(texts);
                }
            })
        })
        .collect();
    // None of them is rejected.
    let _ = JsFuture::from(Promise::all(&requests)).await;
    let loaded = loaded.take();
    if loaded.len() < FILES.len() {
        console_warn(&format!("translations to {language} not loaded"));
        return None;
    }
    Some(loaded.into_iter().flatten().collect())
}

async fn load_file(url: &str) -> Option<JsonMap> {
    let abort = Abort::after(TRANSLATIONS_TIMEOUT_MS);
    let request = Request::get(url).abort_signal(abort.signal().as_ref());
    let response = fetch(request.build(), None).await;
    abort.settle();
    match response.filter(HttpResponse::is_success)?.body? {
        Value::Object(texts) => Some(texts),
        _ => None,
    }
}
