//! Lines of the log that say how a service is configured.

use crate::client_ip::{names_loopback, url_host};

/// Warns of a public URL that browsers reach without encryption.
pub(super) fn warn_of_plain_url(url: &str) {
    if !url.starts_with("https://") && !names_loopback(url_host(url)) {
        tracing::warn!(
            %url,
            "the public URL is not https: passwords and bookings cross the network unencrypted. Put a proxy with TLS in \
             front, and set --public-url to its https:// address"
        );
    }
}
