//! HTTP client of deliveries, restricted to public addresses (protection against SSRF).
//!
//! Users choose the addresses that this service sends requests to from inside its own network.
//! Therefore each name is resolved here, the resolved addresses are checked, and the connection is
//! made to a checked address. Redirects are not followed and no proxy is used, because either
//! would choose another target.

use std::error::Error as _;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use booking_smtp::tls::client_config;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, ClientBuilder, Url, redirect};

use crate::error::{Error, Result};

/// Time after which an unused connection to a subscriber is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Unused connections that are kept open to one host.
const MAX_IDLE_PER_HOST: usize = 4;

/// Networks that deliveries may be sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses.
    Public,
    /// Also private networks and this machine.
    Everywhere,
}

/// Error: the target is not a public address.
#[derive(Debug)]
pub struct NotPublic;

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("leads into a private network")
    }
}

impl std::error::Error for NotPublic {}

/// Returns an HTTP client that connects as far as `reach`, with `timeout` for each response.
pub fn client(reach: Reach, timeout: Duration) -> Result<Client> {
    let builder = builder()
        .map_err(Error::internal)?
        .user_agent(concat!("booking-service/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .referer(false)
        .timeout(timeout)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(MAX_IDLE_PER_HOST);
    let builder = match reach {
        Reach::Public => builder.dns_resolver(Arc::new(PublicNames)),
        Reach::Everywhere => builder,
    };
    builder.build().map_err(Error::internal)
}

/// Returns a builder of HTTP clients without a proxy, which connect anywhere: deliveries use [`client`].
pub fn builder() -> io::Result<ClientBuilder> {
    // By default reqwest would use the system's certificate authorities and a second cryptography library.
    let mut tls = client_config(&[])?;
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Client::builder().tls_backend_preconfigured(tls).no_proxy())
}

/// Rejects URLs whose host is a private IP address: the DNS resolver does not see these.
///
/// # Errors
///
/// [`NotPublic`] if `reach` excludes the address.
pub fn check(url: &Url, reach: Reach) -> Result<(), NotPublic> {
    let host = url.host_str().unwrap_or_default();
    let host = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host);
    match host.parse::<IpAddr>() {
        Ok(ip) if reach == Reach::Public && !is_public(ip) => Err(NotPublic),
        _ => Ok(()),
    }
}

/// Description of a failed request, without the address and its parameters.
pub fn problem(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<NotPublic>() {
            return NotPublic.to_string();
        }
        cause = error.source();
    }
    let problem = if error.is_timeout() {
        "no answer in time"
    } else if error.is_connect() {
        "could not connect"
    } else {
        "the connection broke"
    };
    problem.to_owned()
}

/// DNS resolver that returns only public addresses.
struct PublicNames;

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(NotPublic.into());
            }
            let addresses: Addrs = Box::new(public.into_iter());
            Ok(addresses)
        })
    }
}

/// Returns true if an address belongs to the public internet.
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_special = match (a, b, c) {
        // This network, private, loopback, link-local.
        (0 | 10 | 127, ..) | (169, 254, _) | (172, 16..=31, _) | (192, 168, _) => true,
        // Carrier-grade translation, protocol assignments, relays, benchmarks.
        (100, 64..=127, _) | (192, 0, 0) | (192, 88, 99) | (198, 18..=19, _) => true,
        // Documentation.
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => true,
        // Multicast, reserved, broadcast.
        (224..=255, ..) => true,
        _ => false,
    };
    !is_special
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let parts = ip.segments();
    let is_public_embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        // Embedded IPv4 addresses: mapped, translated, 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            is_public_embedded(high, low)
        }
        [0x2002, high, low, ..] => is_public_embedded(high, low),
        // Teredo, benchmarks, documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // Of all others only global unicast is public.
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_and_special_addresses_are_not_public() {
        for ip in [
            "1.1.1.1",
            "93.184.216.34",
            "172.32.0.1",
            "100.128.0.1",
            "192.0.1.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert!(is_public(ip.parse().unwrap()), "{ip}");
        }
        for ip in [
            "127.0.0.1",
            "127.8.8.8",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "192.0.0.1",
            "198.18.0.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd12:3456::1",
            "fec0::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2002:a00:1::",
            "2001:db8::1",
            "2001::1",
            "::127.0.0.1",
        ] {
            assert!(!is_public(ip.parse().unwrap()), "{ip}");
        }
    }

    #[test]
    fn private_ip_address_is_rejected_in_every_notation() {
        for url in [
            "http://127.0.0.1/",
            "http://0x7f.1:8080/",
            "http://2130706433/",
            "https://0177.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:a00:1]/",
            "http://169.254.169.254/latest/meta-data",
        ] {
            let url = Url::parse(url).unwrap();
            assert!(check(&url, Reach::Public).is_err(), "{url}");
            assert!(check(&url, Reach::Everywhere).is_ok(), "{url}");
        }
        let url = Url::parse("https://1.1.1.1/").unwrap();
        assert!(check(&url, Reach::Public).is_ok());
    }

    #[tokio::test]
    async fn name_of_this_machine_is_not_connected_to() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let client = client(Reach::Public, Duration::from_secs(5)).unwrap();
        let error = client
            .post(format!("http://localhost:{port}/"))
            .send()
            .await
            .unwrap_err();
        assert_eq!(problem(&error), "leads into a private network");
    }
}
