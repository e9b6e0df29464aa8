//! The headers by which every answer of version 1 says that it is deprecated and what takes its
//! place.

use axum::extract::MatchedPath;
use axum::http::header::LINK;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};

use super::table::operations;

/// Since when it is deprecated: 2026-01-01 (RFC 9745).
const SINCE: HeaderValue = HeaderValue::from_static("@1767225600");

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");

/// Where whoever has called nothing that is known can read on.
const EVERYTHING: &str = "/v2/openapi.json";

/// Adds both headers to the answer to `method` at `path`, which matched `route`.
pub fn point(headers: &mut HeaderMap, method: &Method, route: Option<&MatchedPath>, path: &str) {
    let route = route.map_or("", MatchedPath::as_str);
    let of_route = || operations().filter(|operation| operation.rule.path == route);
    let found = of_route()
        .find(|operation| operation.rule.method == method.as_str())
        .or_else(|| of_route().next());
    let target = found.map_or_else(
        || EVERYTHING.to_owned(),
        |operation| filled(operation.successor, route, path),
    );
    headers.insert(DEPRECATION, SINCE);
    let link = format!("<{target}>; rel=\"successor-version\"");
    if let Ok(link) = HeaderValue::from_str(&link) {
        headers.insert(LINK, link);
    }
}

/// `successor` with the values that `path` has for the parameters of `route`.
fn filled(successor: &str, route: &str, path: &str) -> String {
    let mut target = successor.to_owned();
    for (name, value) in route.split('/').zip(path.split('/')) {
        // What is no plain id belongs in no header.
        let is_plain = value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if name.starts_with('{') && is_plain {
            target = target.replace(name, value);
        }
    }
    match target.find("/{") {
        // The collection, where the object has another name in version 2.
        Some(end) => target.get(..end).unwrap_or(EVERYTHING).to_owned(),
        None => target,
    }
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn a_link_names_the_same_object_where_that_has_the_same_name() {
        for (successor, route, path, link) in [
            ("/v2/teams", "/v1/teams", "/v1/teams", "/v2/teams"),
            (
                "/v2/teams/{teamId}",
                "/v1/teams/{teamId}",
                "/v1/teams/7",
                "/v2/teams/7",
            ),
            (
                "/v2/teams/{teamId}",
                "/v1/teams/{teamId}",
                "/v1/teams/%3E",
                "/v2/teams",
            ),
            (
                "/v2/bookings/{bookingUid}",
                "/v1/bookings/{id}",
                "/v1/bookings/7",
                "/v2/bookings",
            ),
        ] {
            assert_eq!(filled(successor, route, path), link, "{path}");
        }
    }
}
