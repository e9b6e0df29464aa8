//! Account of a tab that stays signed in, stored only on request.

use booking_wire::Fields;
use serde::Serialize;
use serde_json::Value;

use crate::app::tab_storage;
use crate::client::http::json;

/// Stored account. Deliberately without `Debug`: it holds a secret.
#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredAccount {
    /// True for the demo account, whose tokens the service issues.
    pub(crate) is_demo: bool,
    pub(crate) base_url: String,
    pub(crate) token: String,
    pub(crate) org_id: Option<i64>,
    pub(crate) team_id: Option<i64>,
    pub(crate) username: String,
    /// Saved views of the booking list.
    pub(crate) views: Value,
}

impl StoredAccount {
    /// Reads the stored account.
    pub(crate) fn read() -> Option<Self> {
        let text = tab_storage::read(tab_storage::ACCOUNT)?;
        Self::parse(&json::parse(&text.into())?)
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
    pub(crate) fn write(&self) {
        // Serialising text keys and integers cannot fail.
        let text = serde_json::to_string(self).unwrap_or_default();
        tab_storage::write(tab_storage::ACCOUNT, &text);
    }
}

/// Deletes the stored account.
pub(crate) fn delete() {
    tab_storage::delete(tab_storage::ACCOUNT);
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
