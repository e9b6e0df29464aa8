//! Account of a tab that stays connected: the only `sessionStorage` key that the app writes, and only on
//! request. Other pages of this origin in the tab can read it.

use booking_wire::Fields;
use js_sys::Reflect;
use leptos::prelude::window;
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::client::json;

const KEY: &str = "booking-app";

/// Stored account. Deliberately without `Debug`: it holds a secret.
#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredAccount {
    /// True for the demo account, whose tokens the service issues.
    pub(super) is_demo: bool,
    pub(super) base_url: String,
    pub(super) token: String,
    pub(super) org_id: Option<i64>,
    pub(super) team_id: Option<i64>,
    pub(super) username: String,
    /// Saved views of the booking list.
    pub(super) views: Value,
}

impl StoredAccount {
    /// Reads the stored account.
    pub(super) fn read() -> Option<Self> {
        let text = storage()?.get_item(KEY).ok()?;
        Self::parse(&json::parse(&text)?)
    }

    fn parse(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let account = Self {
            is_demo: fields.flag("isDemo"),
            base_url: fields.text("baseUrl"),
            token: fields.text("token"),
            org_id: fields.get("orgId").unwrap_or_default(),
            team_id: fields.get("teamId").unwrap_or_default(),
            username: fields.text("username"),
            views: fields.value("views").cloned().unwrap_or_default(),
        };
        (account.is_demo || !account.token.is_empty()).then_some(account)
    }

    /// Stores the account. In a browser without storage it is lost with the page, as usual.
    pub(super) fn write(&self) {
        // Serialising text keys and integers cannot fail.
        let text = serde_json::to_string(self).unwrap_or_default();
        if let Some(storage) = storage() {
            let _ = storage.set_item(KEY, &text);
        }
    }
}

/// Deletes the stored account.
pub(super) fn delete() {
    if let Some(storage) = storage() {
        // Removing a missing key is no error.
        let _ = storage.remove_item(KEY);
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn stored_account_is_parsed_as_written() {
        let account = StoredAccount {
            token: "token".to_owned(),
            team_id: Some(3),
            views: json!([{"name": "Mine", "query": "status=all"}]),
            ..StoredAccount::default()
        };
        let written = serde_json::to_value(&account).unwrap();
        let read = StoredAccount::parse(&written).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), written);
    }

    #[test]
    fn invalid_account_is_not_parsed() {
        for value in [
            json!(null),
            json!([]),
            json!({}),
            json!({"token": ""}),
            json!("token"),
        ] {
            assert!(StoredAccount::parse(&value).is_none(), "{value}");
        }
    }
}
