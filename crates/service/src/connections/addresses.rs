//! Number of connections of each network.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::client_ip::Network;

/// Counts connections by network. Clones share the counts.
#[derive(Clone, Default)]
pub(super) struct Addresses(Arc<Mutex<HashMap<Network, usize>>>);

/// One connection of a network, until it is dropped.
pub(super) struct Counted(Addresses, Network);

impl Addresses {
    /// Counts one more connection of `ip`'s network; none if it has `most` already. This machine's
    /// own connections are not limited.
    pub(super) fn enter(&self, ip: IpAddr, most: usize) -> Option<Counted> {
        let network = Network::of(ip);
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(network).or_default();
        if *count >= most && !ip.to_canonical().is_loopback() {
            return None;
        }
        *count += 1;
        Some(Counted(self.clone(), network))
    }
}

impl Drop for Counted {
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

    fn enter(addresses: &Addresses, ip: &str) -> Option<Counted> {
        addresses.enter(ip.parse().unwrap(), 2)
    }

    #[test]
    fn network_has_so_many_connections_and_gets_them_back() {
        for (own, same, other) in [
            ("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"),
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"),
        ] {
            let addresses = Addresses::default();
            let held = (
                enter(&addresses, own).unwrap(),
                enter(&addresses, same).unwrap(),
            );
            assert!(enter(&addresses, own).is_none());
            assert!(enter(&addresses, same).is_none());
            assert!(enter(&addresses, other).is_some());
            drop(held);
            assert!(enter(&addresses, own).is_some());
            assert!(addresses.0.lock().unwrap().is_empty());
        }
    }

    #[test]
    fn own_machine_is_not_limited() {
        for ip in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            let addresses = Addresses::default();
            let near: Vec<_> = (0..9).filter_map(|_| enter(&addresses, ip)).collect();
            assert_eq!(near.len(), 9, "{ip}");
        }
    }
}
