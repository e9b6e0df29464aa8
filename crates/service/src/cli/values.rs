//! Parsers of option values, and addresses.

use clap::builder::{OsStringValueParser, TypedValueParser};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use booking_wire::Instant;
use reqwest::Url;

/// Parses an instant.
pub(super) fn parse_instant(text: &str) -> Result<Instant, String> {
    Instant::parse(text).ok_or_else(|| "must be like 2027-03-01T09:00:00Z".to_owned())
}

/// Parses the URL of the service as its users reach it; returns it without a slash at the end. Empty, as compose files set
/// it: none.
pub(super) fn parse_public_url(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(String::new());
    }
    let url = ["https://", "http://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
        .then(|| Url::parse(text).ok())
        .flatten()
        .ok_or("must begin with https:// (or http://), such as https://booking.example.org")?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err("must have no `?` and no `#`: https://booking.example.org".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must have no user and no password: https://booking.example.org".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// Parses the origin of images, in the form in which a content security policy has it.
pub(super) fn parse_image_origin(text: &str) -> Result<String, String> {
    parse_origin(text)
        .ok_or_else(|| "must be like https://images.example.org, without a path".to_owned())
}

/// Parses the origin of pages that show those of this service in a frame. An empty one is left out later.
pub(super) fn parse_frame_ancestor(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Ok(String::new());
    }
    parse_origin(text)
        .ok_or_else(|| "must be like https://www.example.org, without a path".to_owned())
}

/// Parses an origin, in the form in which a content security policy has it.
fn parse_origin(text: &str) -> Option<String> {
    let host_and_port = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))
        .unwrap_or_default();
    let (host, port) = host_and_port
        .rsplit_once(':')
        .map_or((host_and_port, None), |(host, port)| (host, Some(port)));
    let is_port = port.is_none_or(|port| {
        port.bytes().all(|byte| byte.is_ascii_digit())
            && port.parse().is_ok_and(|port: u16| port > 0)
    });
    let is_label = |label: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !label.is_empty() && label.bytes().all(is_letter)
    };
    if is_port
        && host
            .strip_prefix("*.")
            .unwrap_or(host)
            .split('.')
            .all(is_label)
    {
        return Some(text.to_owned());
    }
    None
}

/// Returns the origin of the service's URL as a source of images: the page may be at another name of this machine,
/// and pictures of the demo are at this one. `None` if no policy can have it.
pub(super) fn image_origin_of(base_url: &str) -> Option<String> {
    let (scheme, rest) = base_url.split_once("://")?;
    let authority = rest.split('/').next()?;
    parse_origin(&format!("{scheme}://{authority}"))
}

/// The address under which a browser on this machine reaches a listener.
pub(super) fn reachable_address(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Parser of a path that may be empty.
pub(super) fn path_or_none() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_url_has_scheme_and_host_and_no_query() {
        for (text, expected) in [
            (
                "https://booking.example.org",
                Some("https://booking.example.org"),
            ),
            (
                "https://booking.example.org/",
                Some("https://booking.example.org"),
            ),
            ("http://127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            (
                "https://example.org/booking/",
                Some("https://example.org/booking"),
            ),
            ("", Some("")),
            ("booking.example.org", None),
            ("localhost:8080", None),
            ("//booking.example.org", None),
            ("ftp://booking.example.org", None),
            ("https://", None),
            ("https:booking.example.org", None),
            ("https://booking.example.org/?a=b", None),
            ("https://booking.example.org#top", None),
            ("https://user:secret@booking.example.org", None),
            ("https://booking example.org", None),
        ] {
            assert_eq!(parse_public_url(text).ok().as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn image_origin_has_scheme_host_and_port_only() {
        for (text, is_valid) in [
            ("https://images.example.org", true),
            ("https://*.example.org", true),
            ("http://127.0.0.1:8080", true),
            ("https://localhost", true),
            ("https://images.example.org/", false),
            ("https://images.example.org/faces", false),
            ("https://images.example.org:", false),
            ("https://images.example.org:0", false),
            ("https://images.example.org:+80", false),
            ("https://images.example.org; script-src *", false),
            ("https://a.example https://b.example", false),
            ("https://*", false),
            ("https://", false),
            ("https:", false),
            ("images.example.org", false),
            ("data:", false),
            ("*", false),
            ("", false),
        ] {
            assert_eq!(parse_image_origin(text).is_ok(), is_valid, "{text}");
        }
    }

    #[test]
    fn image_origin_of_url_has_no_path() {
        for (base_url, origin) in [
            ("http://127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            ("https://book.example/team/a", Some("https://book.example")),
            ("https://book.example; script-src *", None),
            ("ftp://book.example", None),
            ("book.example", None),
        ] {
            assert_eq!(image_origin_of(base_url).as_deref(), origin, "{base_url}");
        }
    }
}
