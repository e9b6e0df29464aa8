//! Rate limiting middleware: counts calls by user, OAuth client or network.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::api;
use crate::app::AppState;
use crate::auth::{self, secret};
use crate::error::Error;
use crate::error::redaction::KEY_PREFIX;
use crate::http::extract::query::parse_query;
use crate::limits::client_ip::{Network, client_ip};
use crate::limits::{MINUTE, RateLimit, Usage, oauth_client_key, user_key};
use crate::store::people::credentials::{self, TokenKind};

/// Fraction of the calls per minute that may be calls of version 1: one in this number.
const V1_FRACTION: u32 = 4;

/// Fraction of the calls per minute for which a blocked network's credentials are looked up: one in
/// this number.
const LOOKUP_FRACTION: u32 = 4;

/// Headers of a limit: limit, remaining calls, seconds until the reset.
macro_rules! headers {
    ($name:literal) => {
        [
            HeaderName::from_static(concat!("x-ratelimit-limit-", $name)),
            HeaderName::from_static(concat!("x-ratelimit-remaining-", $name)),
            HeaderName::from_static(concat!("x-ratelimit-reset-", $name)),
        ]
    };
}

/// Group of operations with a limit in addition to that for all calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LimitGroup {
    /// Searches: free slots and lists of bookings.
    Searches,
    /// Creating and renewing reservations.
    Reservations,
    /// Creating, rescheduling and cancelling bookings, and correcting their addresses.
    Bookings,
}

impl LimitGroup {
    /// The group of an operation, if it has an additional limit.
    fn of(method: &Method, path: &str) -> Option<Self> {
        let path = path.strip_prefix("/v1").or(path.strip_prefix("/v2"))?;
        let is_read = method == Method::GET || method == Method::HEAD;
        let is_write = method == Method::POST || method == Method::PATCH;
        if path.starts_with("/slots/reservations") {
            return is_write.then_some(Self::Reservations);
        }
        if path == "/slots" || (is_read && path.ends_with("/bookings")) {
            return Some(Self::Searches);
        }
        let actions = ["/reschedule", "/cancel", "/correct-email"];
        let is_public = path == "/bookings"
            || path.starts_with("/bookings/")
                && actions.iter().any(|action| path.ends_with(action));
        (is_public && !is_read).then_some(Self::Bookings)
    }

    /// Calls per minute, derived from those that are allowed in total. Authenticated callers act
    /// for many visitors, so they get more.
    fn count(self, all: u32, is_anonymous: bool) -> u32 {
        let count = match (self, is_anonymous) {
            (Self::Searches, _) => all - all / 4,
            (Self::Reservations, true) => all.div_ceil(4),
            (Self::Bookings, true) => all.div_ceil(6),
            (Self::Reservations | Self::Bookings, false) => all.div_ceil(2),
        };
        count.max(1)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Searches => "searches",
            Self::Reservations => "reservations",
            Self::Bookings => "bookings",
        }
    }

    /// Headers: limit, remaining calls, seconds until the reset.
    fn headers(self) -> [HeaderName; 3] {
        match self {
            Self::Searches => headers!("searches"),
            Self::Reservations => headers!("reservations"),
            Self::Bookings => headers!("bookings"),
        }
    }
}

const DEFAULT_HEADERS: [HeaderName; 3] = headers!("default");

/// All rate limit headers, which CORS exposes to pages.
pub fn rate_limit_headers() -> impl Iterator<Item = HeaderName> {
    [
        LimitGroup::Searches,
        LimitGroup::Reservations,
        LimitGroup::Bookings,
    ]
    .into_iter()
    .flat_map(LimitGroup::headers)
    .chain(DEFAULT_HEADERS)
}

/// Rejects callers that exceed a limit and adds headers with the remaining calls to all responses.
/// CORS preflight requests are not counted.
pub async fn rate_limit(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let Some(count) = app.settings.limits.rate else {
        return next.run(request).await;
    };
    if request.method() == Method::OPTIONS {
        return next.run(request).await;
    }
    let is_v1 = api::is_v1(request.uri().path());
    let group = LimitGroup::of(request.method(), request.uri().path());
    let credential = Credential::of(&app, &request);
    let limit = if is_v1 {
        RateLimit::new("version one", (count / V1_FRACTION).max(1), MINUTE)
    } else {
        RateLimit {
            block: MINUTE,
            ..RateLimit::new("default", count, MINUTE)
        }
    };
    let proxies = app.settings.limits.trusted_proxies;
    let ip = client_ip(request.extensions(), request.headers(), proxies);
    let network = network(ip);
    let authenticated = match credential {
        Some(credential) => known_caller(&app, &limit, &network, credential).await,
        None => None,
    };
    let is_anonymous = authenticated.is_none();
    let caller = authenticated.unwrap_or(network);
    let usage = app.limiter.count(&limit, &caller);
    let group = group.filter(|_| !usage.is_exceeded).map(|group| {
        let count = group.count(count, is_anonymous);
        let limit = RateLimit::new(group.name(), count, MINUTE);
        (group, app.limiter.count(&limit, &caller))
    });
    let of_all = if is_v1 { "version_one" } else { "default" };
    let exceeded = [
        Some((of_all, usage)),
        group.map(|(group, usage)| (group.name(), usage)),
    ]
    .into_iter()
    .flatten()
    .find(|(_, usage)| usage.is_exceeded);
    let mut response = match exceeded {
        Some((group, usage)) => {
            app.metrics.record_rate_limited(group);
            Error::TooManyRequests {
                retry_after_s: usage.reset_s,
            }
            .into_response()
        }
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    if is_v1 {
        let reset_s = i64::try_from(usage.reset_s).unwrap_or(0);
        let reset_ms = app.clock.now().0.saturating_add(reset_s * 1000);
        headers.insert("x-ratelimit-limit", HeaderValue::from(usage.limit));
        headers.insert("x-ratelimit-remaining", HeaderValue::from(usage.remaining));
        headers.insert("x-ratelimit-reset", HeaderValue::from(reset_ms));
    } else {
        insert_usage(headers, DEFAULT_HEADERS, usage);
        if let Some((group, usage)) = group {
            insert_usage(headers, group.headers(), usage);
        }
    }
    response
}

fn insert_usage(headers: &mut HeaderMap, [limit, remaining, reset]: [HeaderName; 3], usage: Usage) {
    headers.insert(limit, HeaderValue::from(usage.limit));
    headers.insert(remaining, HeaderValue::from(usage.remaining));
    headers.insert(reset, HeaderValue::from(usage.reset_s));
}

fn network(ip: Option<IpAddr>) -> String {
    ip.map_or_else(|| "nowhere".to_owned(), |ip| Network::of(ip).to_string())
}

/// Key of the user or OAuth client that a request's credentials belong to; `None` for invalid
/// credentials, which count for the network.
///
/// Results are cached, and a blocked network gets a few lookups per minute: an attack causes few
/// reads, and known callers in the same network are not affected.
async fn known_caller(
    app: &AppState,
    limit: &RateLimit,
    network: &str,
    credential: Credential,
) -> Option<String> {
    if let Some(caller) = app.limiter.credential_owner(&credential.cache_key()) {
        return Some(caller);
    }
    if app.limiter.is_blocked(limit, network) {
        let lookups = RateLimit::new(
            "credential lookups",
            limit.count.div_ceil(LOOKUP_FRACTION),
            MINUTE,
        );
        if app.limiter.count(&lookups, network).is_exceeded {
            return None;
        }
    }
    let caller = credential.look_up(app).await?;
    app.limiter
        .cache_credential_owner(&credential.cache_key(), caller.clone());
    Some(caller)
}

/// Credentials of a request.
enum Credential {
    ApiKey(String),
    AccessToken(String),
    Client { id: String, secret: String },
}

impl Credential {
    /// Reads the credentials in their order of precedence.
    fn of(app: &AppState, request: &Request) -> Option<Self> {
        let headers = request.headers();
        if api::is_v1(request.uri().path()) {
            let query = parse_query(request.uri());
            let key = auth::api_key(&app.settings, query.get(api::API_KEY_PARAMETER)?)?;
            return Some(Self::ApiKey(key.to_owned()));
        }
        let bearer = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| token.trim());
        if let Some(bearer) = bearer {
            if let Some(key) = auth::api_key(&app.settings, bearer) {
                return Some(Self::ApiKey(key.to_owned()));
            }
            // Only this service can create tokens with a valid signature.
            if app.signing_key.read(bearer).is_some() {
                return Some(Self::AccessToken(bearer.to_owned()));
            }
        }
        Some(Self::Client {
            id: auth::platform_header(headers, "client-id")?.to_owned(),
            secret: auth::platform_header(headers, "secret-key")?.to_owned(),
        })
    }

    /// Cache key of these credentials.
    fn cache_key(&self) -> String {
        match self {
            Self::ApiKey(key) => format!("key {KEY_PREFIX}{key}"),
            Self::AccessToken(token) => format!("token {token}"),
            Self::Client { id, secret } => format!("client {id} {secret}"),
        }
    }

    /// Looks up the user or OAuth client.
    async fn look_up(&self, app: &AppState) -> Option<String> {
        let mut db = app.store.read().await.ok()?;
        match self {
            Self::ApiKey(key) => {
                let found = credentials::api_key(&mut db, &secret::hash(key)).await;
                let key = found.ok().flatten()?;
                // An expired key does not count for its user.
                let is_valid = !auth::is_expired(key.expires_on.as_deref(), app.clock.now());
                is_valid.then(|| user_key(key.user_id))
            }
            Self::AccessToken(token) => {
                let hash = secret::hash(token);
                let found = credentials::token(&mut db, TokenKind::Access, &hash).await;
                found.ok().flatten().map(|token| user_key(token.user_id))
            }
            Self::Client { id, secret } => auth::authenticate_client(&mut db, id, secret)
                .await
                .ok()
                .map(|client| oauth_client_key(&client.id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_that_search_or_write_have_an_additional_limit() {
        for (method, path, group) in [
            (Method::GET, "/v2/slots", Some(LimitGroup::Searches)),
            (Method::GET, "/v1/slots", Some(LimitGroup::Searches)),
            (Method::GET, "/v2/bookings", Some(LimitGroup::Searches)),
            (
                Method::GET,
                "/v2/teams/1/bookings",
                Some(LimitGroup::Searches),
            ),
            (
                Method::POST,
                "/v2/slots/reservations",
                Some(LimitGroup::Reservations),
            ),
            (
                Method::PATCH,
                "/v2/slots/reservations/x",
                Some(LimitGroup::Reservations),
            ),
            (Method::GET, "/v2/slots/reservations/x", None),
            (Method::DELETE, "/v2/slots/reservations/x", None),
            (Method::POST, "/v2/bookings", Some(LimitGroup::Bookings)),
            (Method::POST, "/v1/bookings", Some(LimitGroup::Bookings)),
            (
                Method::POST,
                "/v2/bookings/x/reschedule",
                Some(LimitGroup::Bookings),
            ),
            (
                Method::DELETE,
                "/v1/bookings/1/cancel",
                Some(LimitGroup::Bookings),
            ),
            (Method::POST, "/v2/bookings/x/confirm", None),
            (Method::GET, "/v2/bookings/x", None),
            (Method::GET, "/v2/event-types", None),
            (Method::POST, "/v2/teams", None),
        ] {
            assert_eq!(LimitGroup::of(&method, path), group, "{method} {path}");
        }
    }
}
