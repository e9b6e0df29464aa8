//! Message-IDs.

use crate::client_ip::{host_name, url_host};

/// Returns the right side of Message-IDs: the host of the service's address.
pub fn message_id_domain(base_url: &str) -> String {
    let host = host_name(url_host(base_url));
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-');
    match host {
        "" => "localhost".to_owned(),
        // An IPv6 address has brackets, which a Message-ID may have as a literal only.
        host => host.chars().filter(|letter| is_plain(*letter)).collect(),
    }
}
