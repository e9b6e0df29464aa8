//! Account of the sign-in screen.

use leptos::prelude::window;
use web_sys::Url;

/// Account typed on the sign-in screen. Deliberately without `Debug`: it holds a secret until the session
/// takes it.
#[derive(Clone, Default)]
pub(super) struct Account {
    pub(super) base_url: String,
    pub(super) token: String,
    pub(super) client_id: String,
    pub(super) client_secret: String,
    pub(super) org_id: Option<i64>,
    pub(super) team_id: Option<i64>,
    pub(super) username: String,
}

/// Account data without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Team {
    pub(super) org_id: Option<i64>,
    pub(super) team_id: Option<i64>,
    pub(super) username: String,
}

/// Returns true if requests to `base_url` cannot be read in transit: by HTTPS, or on this machine.
pub(super) fn is_private(base_url: &str) -> bool {
    let here = window().location().href().unwrap_or_default();
    let Ok(address) = Url::new_with_base(base_url, &here) else {
        return false;
    };
    let host = address.hostname();
    address.protocol() == "https:"
        || ["localhost", "127.0.0.1", "[::1]"].contains(&host.as_str())
        || host.ends_with(".localhost")
}
