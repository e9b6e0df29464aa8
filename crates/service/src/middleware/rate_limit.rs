//! Rate limiting middleware: counts each call for whoever makes it.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::api;
use crate::app::AppState;
use crate::auth::{self, secret};
use crate::client_ip::{Network, client_ip};
use crate::error::Error;
use crate::extract::query::query_of;
use crate::limits::{Rule, Usage, oauth_client_key, user_key};
use crate::redaction::KEY_PREFIX;
use crate::store::credentials::{self, TokenKind};

const MINUTE: Duration = Duration::from_secs(60);

/// A rule that some operations have besides the one for all calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extra {
    /// Searches: free slots and lists of bookings.
    Searches,
    /// Reservations that are made or renewed.
    Reservations,
    /// Bookings that are made, moved or cancelled.
    Bookings,
}

impl Extra {
    /// The rule of an operation, if it has one besides the one for all calls.
    fn of(method: &Method, path: &str) -> Option<Self> {
        let path = path.strip_prefix("/v1").or(path.strip_prefix("/v2"))?;
        let is_read = method == Method::GET || method == Method::HEAD;
        let is_made = method == Method::POST || method == Method::PATCH;
        if path.starts_with("/slots/reservations") {
            return is_made.then_some(Self::Reservations);
        }
        if path == "/slots" || (is_read && path.ends_with("/bookings")) {
            return Some(Self::Searches);
        }
        let is_public = path == "/bookings"
            || path.starts_with("/bookings/")
                && (path.ends_with("/reschedule") || path.ends_with("/cancel"));
        (is_public && !is_read).then_some(Self::Bookings)
    }

    /// Calls a minute, given those that are allowed in all. Who has signed in answers for many
    /// visitors.
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

    /// Limit, remaining calls, seconds until the count starts again.
    fn headers(self) -> [HeaderName; 3] {
        match self {
            Self::Searches => [
                HeaderName::from_static("x-ratelimit-limit-searches"),
                HeaderName::from_static("x-ratelimit-remaining-searches"),
                HeaderName::from_static("x-ratelimit-reset-searches"),
            ],
            Self::Reservations => [
                HeaderName::from_static("x-ratelimit-limit-reservations"),
                HeaderName::from_static("x-ratelimit-remaining-reservations"),
                HeaderName::from_static("x-ratelimit-reset-reservations"),
            ],
            Self::Bookings => [
                HeaderName::from_static("x-ratelimit-limit-bookings"),
                HeaderName::from_static("x-ratelimit-remaining-bookings"),
                HeaderName::from_static("x-ratelimit-reset-bookings"),
            ],
        }
    }
}

const DEFAULT_HEADERS: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit-default"),
    HeaderName::from_static("x-ratelimit-remaining-default"),
    HeaderName::from_static("x-ratelimit-reset-default"),
];

/// Every header that tells what a caller has left, for pages to read.
pub fn rate_headers() -> impl Iterator<Item = HeaderName> {
    [Extra::Searches, Extra::Reservations, Extra::Bookings]
        .into_iter()
        .flat_map(Extra::headers)
        .chain(DEFAULT_HEADERS)
}

/// Refuses callers that exceed a limit and tells all of them what is left. A preflight is the
/// browser's own question and is not counted.
pub async fn rate_limit(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let Some(count) = app.settings.limits.rate else {
        return next.run(request).await;
    };
    if request.method() == Method::OPTIONS {
        return next.run(request).await;
    }
    let is_v1 = api::is_v1(request.uri().path());
    let extra = Extra::of(request.method(), request.uri().path());
    let credential = Credential::of(&app, &request);
    let rule = if is_v1 {
        Rule {
            name: "version one",
            count: (count / 4).max(1),
            per: MINUTE,
            block: Duration::ZERO,
        }
    } else {
        Rule {
            name: "default",
            count,
            per: MINUTE,
            block: MINUTE,
        }
    };
    let proxies = app.settings.limits.trusted_proxies;
    let ip = client_ip(request.extensions(), request.headers(), proxies);
    let network = network(ip);
    let known = match credential {
        Some(credential) => known_caller(&app, &rule, &network, credential).await,
        None => None,
    };
    let is_anonymous = known.is_none();
    let caller = known.unwrap_or(network);
    let usage = app.limiter.count(&rule, &caller);
    let extra = extra.filter(|_| !usage.exceeded).map(|extra| {
        let rule = Rule {
            name: extra.name(),
            count: extra.count(count, is_anonymous),
            per: MINUTE,
            block: Duration::ZERO,
        };
        (extra, app.limiter.count(&rule, &caller))
    });
    let exceeded = [Some(usage), extra.map(|(_, usage)| usage)]
        .into_iter()
        .flatten()
        .find(|usage| usage.exceeded);
    let mut response = match exceeded {
        Some(usage) => {
            app.metrics.rate_limited();
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
        tell(headers, DEFAULT_HEADERS, usage);
        if let Some((extra, usage)) = extra {
            tell(headers, extra.headers(), usage);
        }
    }
    response
}

fn tell(headers: &mut HeaderMap, [limit, remaining, reset]: [HeaderName; 3], usage: Usage) {
    headers.insert(limit, HeaderValue::from(usage.limit));
    headers.insert(remaining, HeaderValue::from(usage.remaining));
    headers.insert(reset, HeaderValue::from(usage.reset_s));
}

fn network(ip: Option<IpAddr>) -> String {
    ip.map_or_else(|| "nowhere".to_owned(), |ip| Network::of(ip).to_string())
}

/// The person or platform whose credentials a request carries. Only genuine ones: invented
/// credentials count for the network.
///
/// They are looked up once in a while, and for a network that is refused a few times a minute: an
/// attack costs hardly any reads, and whoever shares the network and was known before goes on.
async fn known_caller(
    app: &AppState,
    rule: &Rule,
    network: &str,
    credential: Credential,
) -> Option<String> {
    if let Some(caller) = app.limiter.known(&credential.proof()) {
        return Some(caller);
    }
    if app.limiter.is_blocked(rule, network) {
        let lookups = Rule {
            name: "credential lookups",
            count: rule.count.div_ceil(4),
            per: MINUTE,
            block: Duration::ZERO,
        };
        if app.limiter.count(&lookups, network).exceeded {
            return None;
        }
    }
    let caller = credential.look_up(app).await?;
    app.limiter.remember(&credential.proof(), caller.clone());
    Some(caller)
}

/// Credentials as a request carries them.
enum Credential {
    ApiKey(String),
    AccessToken(String),
    Client { id: String, secret: String },
}

impl Credential {
    /// Reads the credentials in the order in which they count (contract 8).
    fn of(app: &AppState, request: &Request) -> Option<Self> {
        let headers = request.headers();
        if api::is_v1(request.uri().path()) {
            let query = query_of(request.uri());
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
            // Nobody else can make tokens that pass the signature.
            if app.signing_key.read(bearer).is_some() {
                return Some(Self::AccessToken(bearer.to_owned()));
            }
        }
        Some(Self::Client {
            id: auth::prefixed(headers, "client-id")?.to_owned(),
            secret: auth::prefixed(headers, "secret-key")?.to_owned(),
        })
    }

    /// Tells these credentials from all others.
    fn proof(&self) -> String {
        match self {
            Self::ApiKey(key) => format!("key {KEY_PREFIX}{key}"),
            Self::AccessToken(token) => format!("token {token}"),
            Self::Client { id, secret } => format!("client {id} {secret}"),
        }
    }

    /// Looks up whose they are.
    async fn look_up(&self, app: &AppState) -> Option<String> {
        let mut db = app.store.read().await.ok()?;
        match self {
            Self::ApiKey(key) => {
                let found = credentials::api_key(&mut db, &secret::hash(key)).await;
                let key = found.ok().flatten()?;
                // One that is no longer good spends nobody's calls.
                let is_good = !auth::is_expired(key.expires_on.as_deref(), app.clock.now());
                is_good.then(|| user_key(key.user_id))
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
    fn operations_that_cost_or_write_have_a_rule_of_their_own() {
        for (method, path, rule) in [
            (Method::GET, "/v2/slots", Some(Extra::Searches)),
            (Method::GET, "/v1/slots", Some(Extra::Searches)),
            (Method::GET, "/v2/bookings", Some(Extra::Searches)),
            (Method::GET, "/v2/teams/1/bookings", Some(Extra::Searches)),
            (
                Method::POST,
                "/v2/slots/reservations",
                Some(Extra::Reservations),
            ),
            (
                Method::PATCH,
                "/v2/slots/reservations/x",
                Some(Extra::Reservations),
            ),
            (Method::GET, "/v2/slots/reservations/x", None),
            (Method::DELETE, "/v2/slots/reservations/x", None),
            (Method::POST, "/v2/bookings", Some(Extra::Bookings)),
            (Method::POST, "/v1/bookings", Some(Extra::Bookings)),
            (
                Method::POST,
                "/v2/bookings/x/reschedule",
                Some(Extra::Bookings),
            ),
            (
                Method::DELETE,
                "/v1/bookings/1/cancel",
                Some(Extra::Bookings),
            ),
            (Method::POST, "/v2/bookings/x/confirm", None),
            (Method::GET, "/v2/bookings/x", None),
            (Method::GET, "/v2/event-types", None),
            (Method::POST, "/v2/teams", None),
        ] {
            assert_eq!(Extra::of(&method, path), rule, "{method} {path}");
        }
    }
}
