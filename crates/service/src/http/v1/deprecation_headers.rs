//! `Deprecation` and `Link` headers of all responses of version 1.

use axum::extract::MatchedPath;
use axum::http::header::LINK;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};

use super::table::operations;

/// Date of deprecation: 2026-01-01 (RFC 9745).
const DEPRECATED_SINCE: HeaderValue = HeaderValue::from_static("@1767225600");

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");

/// Target for unknown routes.
const DEFAULT_TARGET: &str = "/v2/openapi.json";

/// Adds both headers to the response to `method` at `path`, which matched `route`.
pub fn add_headers(
    headers: &mut HeaderMap,
    method: &Method,
    route: Option<&MatchedPath>,
    path: &str,
) {
    let route = route.map_or("", MatchedPath::as_str);
    let candidates = || operations().filter(|operation| operation.rule.path == route);
    let found = candidates()
        .find(|operation| operation.rule.method == method.as_str())
        .or_else(|| candidates().next());
    let target = found.map_or_else(
        || DEFAULT_TARGET.to_owned(),
        |operation| fill_parameters(operation.successor, route, path),
    );
    headers.insert(DEPRECATION, DEPRECATED_SINCE);
    let link = format!("<{target}>; rel=\"successor-version\"");
    if let Ok(link) = HeaderValue::from_str(&link) {
        headers.insert(LINK, link);
    }
}

/// Fills the parameters of `successor` with the values that `path` has for those of `route`.
fn fill_parameters(successor: &str, route: &str, path: &str) -> String {
    let mut target = successor.to_owned();
    for (name, value) in route.split('/').zip(path.split('/')) {
        // Only plain ids are safe in a header.
        let is_plain = value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if name.starts_with('{') && is_plain {
            target = target.replace(name, value);
        }
    }
    match target.find("/{") {
        // The collection, if version 2 has another id for the object.
        Some(end) => target.get(..end).unwrap_or(DEFAULT_TARGET).to_owned(),
        None => target,
    }
}

#[cfg(test)]
mod tests {
    use super::fill_parameters;

    #[test]
    fn link_keeps_parameters_of_the_same_name() {
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
            assert_eq!(fill_parameters(successor, route, path), link, "{path}");
        }
    }
}
