//! Counts each call of the interface for whoever makes it.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{Rule, Usage};
use crate::auth::{self, KEY_PREFIX, secret};
use crate::error::Error;
use crate::peer;
use crate::router::App;
use crate::store::credentials;
use crate::v1;
use crate::validate::Query;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit-default");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining-default");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset-default");

/// Refuses whoever calls too often and tells everybody what they have left. A preflight is the
/// browser's own question and is not counted.
pub async fn throttle(State(app): State<App>, request: Request, next: Next) -> Response {
    let Some(count) = app.settings.limits.rate else {
        return next.run(request).await;
    };
    if request.method() == Method::OPTIONS {
        return next.run(request).await;
    }
    let rule = Rule {
        name: "default",
        count,
        per: Duration::from_secs(60),
        block: Duration::from_secs(60),
    };
    let ip = peer::client_ip(&request, app.settings.limits.trusted_proxies);
    if v1::owns(request.uri().path()) {
        return version_one(app, count, ip, request, next).await;
    }
    let credential = genuine_credential(&app, request.headers()).await;
    let usage = app
        .limiter
        .count(&rule, &credential.unwrap_or_else(|| address(ip)));
    let mut response = if usage.exceeded {
        app.metrics.rate_limited();
        Error::TooManyRequests {
            retry_after_s: usage.reset_s,
        }
        .into_response()
    } else {
        next.run(request).await
    };
    tell(response.headers_mut(), usage);
    response
}

/// The same for version 1, which has a quarter of the calls, counts them for each person, and says
/// in its own words what is left.
async fn version_one(
    app: App,
    count: u32,
    ip: Option<IpAddr>,
    request: Request,
    next: Next,
) -> Response {
    let rule = Rule {
        name: "version one",
        count: (count / 4).max(1),
        per: Duration::from_secs(60),
        block: Duration::ZERO,
    };
    let key = Query::of(request.uri());
    let key = key
        .get(v1::KEY)
        .and_then(|key| key.strip_prefix(KEY_PREFIX));
    let caller = match key {
        Some(key) => owner(&app, key).await,
        None => None,
    };
    let usage = app.limiter.count(
        &rule,
        &caller.map_or_else(|| address(ip), |user_id| format!("user {user_id}")),
    );
    let mut response = if usage.exceeded {
        app.metrics.rate_limited();
        Error::TooManyRequests {
            retry_after_s: usage.reset_s,
        }
        .into_response()
    } else {
        next.run(request).await
    };
    let reset_s = i64::try_from(usage.reset_s).unwrap_or(0);
    let reset_ms = app.clock.now().0.saturating_add(reset_s * 1000);
    let headers = response.headers_mut();
    headers.insert("x-ratelimit-limit", HeaderValue::from(usage.limit));
    headers.insert("x-ratelimit-remaining", HeaderValue::from(usage.remaining));
    headers.insert("x-ratelimit-reset", HeaderValue::from(reset_ms));
    response
}

/// Whom an API key belongs to. One that is no longer good spends nobody's calls.
async fn owner(app: &App, key: &str) -> Option<i64> {
    let mut db = app.store.read().await.ok()?;
    let found = credentials::api_key(&mut db, &secret::hash(key)).await;
    let (user_id, last_day) = found.ok().flatten()?;
    (!auth::is_expired(last_day.as_deref(), app.clock.now())).then_some(user_id)
}

fn tell(headers: &mut HeaderMap, usage: Usage) {
    headers.insert(LIMIT, HeaderValue::from(usage.limit));
    headers.insert(REMAINING, HeaderValue::from(usage.remaining));
    headers.insert(RESET, HeaderValue::from(usage.reset_s));
}

/// What the call is counted for if it is not the address: the API key, else the access token,
/// else the client. Only what is genuine: invented credentials would count for nobody.
async fn genuine_credential(app: &App, headers: &HeaderMap) -> Option<String> {
    let bearer = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim());
    if let Some(key) = bearer.and_then(|bearer| bearer.strip_prefix(KEY_PREFIX)) {
        let counted = format!("key {key}");
        if app.limiter.is_genuine(&counted) {
            return Some(counted);
        }
        let mut db = app.store.read().await.ok()?;
        if let Ok(Some(_)) = credentials::api_key(&mut db, &secret::hash(key)).await {
            app.limiter.remember(&counted);
            return Some(counted);
        }
    } else if let Some(token) = bearer
        // The signature is enough: nobody else can make tokens that pass it.
        && app.signing_key.read(token).is_some()
    {
        return Some(format!("token {token}"));
    }
    let id = auth::prefixed(headers, "client-id")?;
    let secret = auth::prefixed(headers, "secret-key")?;
    let counted = format!("client {id}");
    let proof = format!("{counted} {secret}");
    if app.limiter.is_genuine(&proof) {
        return Some(counted);
    }
    let mut db = app.store.read().await.ok()?;
    auth::authenticate_client(&mut db, id, secret).await.ok()?;
    app.limiter.remember(&proof);
    Some(counted)
}

/// A household has one IPv4 address or one IPv6 network of 64 bits.
fn address(ip: Option<IpAddr>) -> String {
    match ip.map(|ip| ip.to_canonical()) {
        None => "nowhere".to_owned(),
        Some(IpAddr::V4(ip)) => format!("ip {ip}"),
        Some(IpAddr::V6(ip)) => {
            let [a, b, c, d, ..] = ip.segments();
            format!("net {a:x}:{b:x}:{c:x}:{d:x}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_household_count_together() {
        let of = |text: &str| address(Some(text.parse().unwrap()));
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_eq!(of("192.0.2.1"), of("::ffff:192.0.2.1"));
    }
}
