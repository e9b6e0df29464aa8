//! Account of the sign-in screen.

use std::net::Ipv4Addr;

use booking_ui::prelude::*;
use web_sys::Url;

/// Account typed on the sign-in screen. Deliberately without `Debug`: it holds a secret until the session
/// takes it.
#[derive(Clone, Default)]
pub(crate) struct Account {
    pub(crate) base_url: String,
    pub(crate) token: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
    pub(crate) org_id: Option<i64>,
    pub(crate) team_id: Option<i64>,
    pub(crate) username: String,
}

/// Account data without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Team {
    pub(crate) org_id: Option<i64>,
    pub(crate) team_id: Option<i64>,
    pub(crate) username: String,
}

/// Returns true if requests to `base_url` cannot be read in transit: by HTTPS, or on this machine.
pub(crate) fn is_safe_address(base_url: &str) -> bool {
    let here = window().location().href().unwrap_or_default();
    let Ok(address) = Url::new_with_base(base_url, &here) else {
        return false;
    };
    address.protocol() == "https:" || is_this_machine(&address.hostname())
}

/// As `isLocal` in `embed.js`.
fn is_this_machine(host: &str) -> bool {
    let is_loopback = |address: Ipv4Addr| address.is_loopback();
    ["localhost", "[::1]"].contains(&host)
        || host.ends_with(".localhost")
        || host.parse().is_ok_and(is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_this_machine_loopback_hosts_only() {
        for (host, expected) in [
            ("localhost", true),
            ("booking.localhost", true),
            ("127.0.0.1", true),
            ("127.8.0.255", true),
            ("[::1]", true),
            ("127.evil.example", false),
            ("127.0.0.1.example", false),
            ("localhost.example", false),
            ("mylocalhost", false),
            ("128.0.0.1", false),
            ("10.0.0.1", false),
            ("", false),
        ] {
            assert_eq!(is_this_machine(host), expected, "{host}");
        }
    }
}
