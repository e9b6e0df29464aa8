//! Counts connections by network.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::limits::client_ip::Network;

/// Number of connections by network. Clones share the counts.
#[derive(Clone, Default)]
pub(super) struct NetworkCounts(Arc<Mutex<HashMap<Network, usize>>>);

/// One counted connection of a network, until it is dropped.
pub(super) struct CountedConnection(NetworkCounts, Network);

impl NetworkCounts {
    /// Counts one more connection of `ip`'s network; `None` if it has `limit` already. The loopback
    /// interface is not limited.
    pub(super) fn add(&self, ip: IpAddr, limit: usize) -> Option<CountedConnection> {
        let network = Network::of(ip);
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(network).or_default();
        if *count >= limit && !ip.to_canonical().is_loopback() {
            return None;
        }
        *count += 1;
        Some(CountedConnection(self.clone(), network))
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        let mut counts = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.1) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(network_counts: &NetworkCounts, ip: &str) -> Option<CountedConnection> {
        network_counts.add(ip.parse().unwrap(), 2)
    }

    #[test]
    fn network_at_its_limit_is_rejected_until_a_connection_ends() {
        for (first_ip, same_network_ip, other_network_ip) in [
            ("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"),
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"),
        ] {
            let network_counts = NetworkCounts::default();
            let counted = (
                add(&network_counts, first_ip).unwrap(),
                add(&network_counts, same_network_ip).unwrap(),
            );
            assert!(add(&network_counts, first_ip).is_none());
            assert!(add(&network_counts, same_network_ip).is_none());
            assert!(add(&network_counts, other_network_ip).is_some());
            drop(counted);
            assert!(add(&network_counts, first_ip).is_some());
            assert!(network_counts.0.lock().unwrap().is_empty());
        }
    }

    #[test]
    fn loopback_is_not_limited() {
        for ip in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            let network_counts = NetworkCounts::default();
            let connections: Vec<_> = (0..9).filter_map(|_| add(&network_counts, ip)).collect();
            assert_eq!(connections.len(), 9, "{ip}");
        }
    }
}
