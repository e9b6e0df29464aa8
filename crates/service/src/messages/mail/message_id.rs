//! Message-IDs.

use crate::auth::secret;
use crate::error::Result;
use crate::limits::client_ip::{host_name, url_host};

/// Returns a new Message-ID without brackets. `base_url` is the address of the service.
pub fn new_message_id(base_url: &str) -> Result<String> {
    let domain = message_id_domain(base_url);
    Ok(format!("{}@{domain}", secret::random_uuid()?))
}

/// Returns the right side of Message-IDs: the host of the service's address.
fn message_id_domain(base_url: &str) -> String {
    let host = host_name(url_host(base_url));
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-');
    match host {
        "" => "localhost".to_owned(),
        // An IPv6 address has brackets, which a Message-ID may have as a literal only.
        host => host.chars().filter(|letter| is_plain(*letter)).collect(),
    }
}
