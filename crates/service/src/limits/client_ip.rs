//! Client IP addresses of requests.
//!
//! The crates that read `X-Forwarded-For` trust either all of its entries or none; here a
//! configured number of proxies is trusted.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use axum::http::header::{FORWARDED, HOST, HeaderName};
use axum::http::{Extensions, HeaderMap};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Request extension: the peer address of the connection. Absent in tests without a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// Addresses that count as one client: one IPv4 address or one IPv6 /64 network. Connections, rate
/// limits and reservations are counted for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network(IpAddr);

impl Network {
    /// The network of an address.
    pub fn of(ip: IpAddr) -> Self {
        Self(match ip.to_canonical() {
            IpAddr::V4(ip) => IpAddr::V4(ip),
            IpAddr::V6(ip) => {
                let [a, b, c, d, ..] = ip.segments();
                IpAddr::from([a, b, c, d, 0, 0, 0, 0])
            }
        })
    }
}

impl std::fmt::Display for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            IpAddr::V4(ip) => write!(f, "ip {ip}"),
            IpAddr::V6(ip) => write!(f, "net {ip}"),
        }
    }
}

/// The client's address. Behind `proxies` trusted proxies it is the entry in `X-Forwarded-For` that
/// the outermost of them has added; entries to the left of it come from the client.
pub fn client_ip(extensions: &Extensions, headers: &HeaderMap, proxies: usize) -> Option<IpAddr> {
    let peer = extensions.get::<Peer>().map(|peer| peer.0.ip());
    if proxies == 0 {
        return peer;
    }
    forwarded_for(headers, proxies).or(peer)
}

fn forwarded_for(headers: &HeaderMap, proxies: usize) -> Option<IpAddr> {
    let entries: Vec<&str> = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    let index = entries.len().checked_sub(proxies)?;
    let text = entries.get(index)?;
    // Some proxies also add the port.
    text.parse()
        .or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip()))
        .ok()
}

/// Returns true if the request comes from this machine, without a proxy in between. The `Host`
/// header must name the loopback interface, which excludes pages that use DNS rebinding.
pub fn is_local(request: &Request) -> bool {
    let headers = request.headers();
    let peer = request.extensions().get::<Peer>();
    !is_forwarded(headers) && peer.is_some_and(|peer| peer.0.ip().to_canonical().is_loopback()) && {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        host.is_some_and(names_loopback)
    }
}

/// Returns true if the headers contain those of a forwarding proxy.
pub fn is_forwarded(headers: &HeaderMap) -> bool {
    headers.contains_key(FORWARDED_FOR)
        || headers.contains_key(FORWARDED)
        || headers.contains_key("x-real-ip")
        || headers.contains_key("via")
}

/// Returns true if the headers contain the address of a client, as a proxy adds it.
pub fn names_client(headers: &HeaderMap) -> bool {
    headers.contains_key(FORWARDED_FOR) || headers.contains_key(FORWARDED)
}

/// The host of a URL such as `https://book.example/path`, with its port.
pub fn url_host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host)
}

/// The name in a `Host` header or in the authority of a URL: without port and brackets.
pub fn host_name(authority: &str) -> &str {
    let name = match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    };
    name.trim_start_matches('[').trim_end_matches(']')
}

/// Returns true if a `Host` header or the authority of a URL names the loopback interface.
pub fn names_loopback(authority: &str) -> bool {
    let name = host_name(authority);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn request(peer: &str, headers: &[(&str, &str)]) -> Request {
        let mut request = Request::new(Body::empty());
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            request.headers_mut().append(name, value.parse().unwrap());
        }
        request.extensions_mut().insert(Peer(peer.parse().unwrap()));
        request
    }

    #[test]
    fn client_ip_is_the_entry_of_a_trusted_proxy() {
        let check = |proxies, entries: &[&str], expected: &str| {
            let headers: Vec<_> = entries
                .iter()
                .map(|text| ("x-forwarded-for", *text))
                .collect();
            let request = request("10.0.0.1:999", &headers);
            let ip = client_ip(request.extensions(), request.headers(), proxies);
            assert_eq!(ip, Some(expected.parse().unwrap()), "{proxies} {entries:?}");
        };
        check(0, &["203.0.113.9"], "10.0.0.1");
        check(1, &["203.0.113.9"], "203.0.113.9");
        check(1, &["198.51.100.1, 203.0.113.9"], "203.0.113.9");
        check(1, &["198.51.100.1", "203.0.113.9"], "203.0.113.9");
        check(2, &["1.1.1.1, 203.0.113.9, 10.0.0.7"], "203.0.113.9");
        check(1, &["203.0.113.9:4711"], "203.0.113.9");
        check(1, &["2001:db8::1"], "2001:db8::1");
        check(1, &["nonsense"], "10.0.0.1");
        check(3, &["203.0.113.9"], "10.0.0.1");
        check(1, &[], "10.0.0.1");
    }

    #[test]
    fn addresses_of_one_prefix_are_one_network() {
        let network = |text: &str| Network::of(text.parse().unwrap());
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::9"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("192.0.2.1"), network("::ffff:192.0.2.1"));
    }

    #[test]
    fn request_is_local_without_proxy_headers_and_with_a_loopback_host() {
        let check = |peer, headers: &[(&str, &str)], expected| {
            assert_eq!(
                is_local(&request(peer, headers)),
                expected,
                "{peer} {headers:?}"
            );
        };
        check("127.0.0.1:1", &[("host", "127.0.0.1:8080")], true);
        check("[::1]:1", &[("host", "[::1]:8080")], true);
        check("[::1]:1", &[("host", "[::1]")], true);
        check("127.0.0.1:1", &[("host", "localhost")], true);
        check("[::ffff:127.0.0.1]:1", &[("host", "localhost")], true);
        check("127.0.0.1:1", &[("host", "evil.example")], false);
        check("127.0.0.1:1", &[], false);
        check("192.0.2.1:1", &[("host", "localhost")], false);
        for header in ["x-forwarded-for", "forwarded", "via", "x-real-ip"] {
            let headers = [("host", "localhost"), (header, "192.0.2.1")];
            check("127.0.0.1:1", &headers, false);
        }
    }
}
