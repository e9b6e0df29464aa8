//! Authentication of requests: the four kinds of credentials.

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::header::{AUTHORIZATION, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Uri};

use crate::app::AppState;
use crate::auth::access::{self, Rule};
use crate::auth::{Caller, api_key, authenticate_client, is_expired, platform_header, secret};
use crate::error::{Error, Result};
use crate::store::people::credentials::{self, OauthClient, TokenKind};

const UNKNOWN_KEY: Error = Error::WrongKey("unknown API key");

/// Returns the caller of the API key `key` in a query string, for the operation of `rule`. Only
/// version 1 accepts keys in the query string.
pub async fn caller_of_api_key(app: &AppState, key: &str, rule: &'static Rule) -> Result<Caller> {
    let key = api_key(&app.settings, key).ok_or(UNKNOWN_KEY)?;
    let identity = identify_by_api_key(app, key).await?;
    if identity.scopes.is_some() {
        return Err(Error::Forbidden(
            "version 1 takes API keys without scopes only".into(),
        ));
    }
    Ok(Caller::new(identity.user_id, None, rule))
}

/// Identity proven by credentials.
struct Identity {
    user_id: i64,
    client_id: Option<String>,
    /// Scopes of the credentials; none means no limit.
    scopes: Option<Vec<String>>,
    /// Name of the kind of credentials in messages.
    kind: &'static str,
}

impl Identity {
    /// Returns the caller of the operation. Rejects credentials without its scope.
    fn into_caller(self, parts: &Parts) -> Result<Caller> {
        let path = parts
            .extensions
            .get::<MatchedPath>()
            .map_or("", MatchedPath::as_str);
        let rule = access::rule(parts.method.as_str(), path)
            .ok_or_else(|| Error::internal(format!("{path} is missing in the table of access")))?;
        if let (Some(scope), Some(scopes)) = (rule.scope, &self.scopes)
            && !scopes
                .iter()
                .any(|granted| granted == scope || granted == "*")
        {
            return Err(Error::Forbidden(format!(
                "the {} lacks the scope {scope}",
                self.kind
            )));
        }
        Ok(Caller::new(self.user_id, self.client_id, rule))
    }
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self> {
        identify(&parts.headers, app)
            .await?
            .ok_or(Error::Unauthorized(
                "no credentials: send an API key, an access token, or client id and secret",
            ))?
            .into_caller(parts)
    }
}

/// A caller with optional credentials.
#[derive(Clone, Debug)]
pub struct OptionalCaller(pub Option<Caller>);

impl FromRequestParts<AppState> for OptionalCaller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self> {
        let identity = identify(&parts.headers, app).await?;
        Ok(Self(
            identity
                .map(|identity| identity.into_caller(parts))
                .transpose()?,
        ))
    }
}

/// Resolves credentials in their order of precedence; none if the request has none.
async fn identify(headers: &HeaderMap, app: &AppState) -> Result<Option<Identity>> {
    if let (Some(id), Some(secret)) = (
        platform_header(headers, "client-id"),
        platform_header(headers, "secret-key"),
    ) {
        let mut db = app.store.read().await?;
        let client = authenticate_client(&mut db, id, secret).await?;
        return Ok(Some(Identity {
            user_id: client.owner_id,
            client_id: Some(client.id),
            scopes: None,
            kind: "client",
        }));
    }
    let Some(authorization) = headers.get(AUTHORIZATION) else {
        return Ok(None);
    };
    let bearer = authorization
        .to_str()
        .ok()
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .filter(|token| !token.is_empty())
        .ok_or(Error::Unauthorized(
            "the authorization header must be: Bearer <token>",
        ))?;
    match api_key(&app.settings, bearer) {
        Some(key) => identify_by_api_key(app, key).await.map(Some),
        None => identify_by_access_token(app, bearer, headers)
            .await
            .map(Some),
    }
}

/// Returns the OAuth client of a path, authenticated by its secret in the headers.
pub async fn authenticated_client(
    app: &AppState,
    headers: &HeaderMap,
    id: &str,
) -> Result<OauthClient> {
    let presented = platform_header(headers, "secret-key")
        .ok_or(Error::Unauthorized("the client secret header is missing"))?;
    let mut db = app.store.read().await?;
    authenticate_client(&mut db, id, presented).await
}

async fn identify_by_api_key(app: &AppState, key: &str) -> Result<Identity> {
    let mut db = app.store.read().await?;
    // Look up by hash, so that timing reveals nothing about a key.
    let hash = secret::hash(key);
    let key = credentials::api_key(&mut db, &hash)
        .await?
        .ok_or(UNKNOWN_KEY)?;
    let now = app.clock.now();
    if is_expired(key.expires_on.as_deref(), now) {
        return Err(Error::WrongKey("the API key has expired"));
    }
    app.key_uses.record(&hash, key.last_used_ms, now);
    Ok(Identity {
        user_id: key.user_id,
        client_id: None,
        scopes: key.scopes,
        kind: "API key",
    })
}

async fn identify_by_access_token(
    app: &AppState,
    text: &str,
    headers: &HeaderMap,
) -> Result<Identity> {
    let unknown = || Error::Unauthorized("unknown access token");
    let claims = app.signing_key.read(text).ok_or_else(unknown)?;
    if claims.kind != TokenKind::Access {
        return Err(Error::Unauthorized("this is no access token"));
    }
    let mut db = app.store.read().await?;
    if claims.expires_at <= app.clock.now().0 {
        return Err(Error::TokenExpired);
    }
    let token = credentials::token(&mut db, TokenKind::Access, &secret::hash(text))
        .await?
        .ok_or_else(unknown)?;
    if platform_header(headers, "client-id").is_some_and(|id| id != token.oauth_client_id) {
        return Err(Error::Unauthorized(
            "the access token belongs to another client",
        ));
    }
    let client = credentials::client(&mut db, &token.oauth_client_id)
        .await?
        .ok_or_else(unknown)?;
    if let Some(origin) = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok())
        && !client
            .redirect_uris
            .iter()
            .any(|uri| same_origin(uri, origin))
    {
        return Err(Error::Unauthorized(
            "this origin is none of the client's redirect URIs",
        ));
    }
    Ok(Identity {
        user_id: token.user_id,
        client_id: None,
        scopes: Some(client.scopes),
        kind: "access token",
    })
}

/// Returns true if `origin` is the origin of `redirect_uri`. On a loopback host any port matches
/// (RFC 8252, 7.3).
fn same_origin(redirect_uri: &str, origin: &str) -> bool {
    let (Ok(uri), Ok(origin)) = (redirect_uri.parse::<Uri>(), origin.parse::<Uri>()) else {
        return false;
    };
    let (Some(host), Some(origin_host)) = (uri.host(), origin.host()) else {
        return false;
    };
    let is_loopback = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    uri.scheme_str() == origin.scheme_str()
        && host.eq_ignore_ascii_case(origin_host)
        && (is_loopback || port(&uri) == port(&origin))
}

fn port(uri: &Uri) -> u16 {
    uri.port_u16()
        .unwrap_or(if uri.scheme_str() == Some("http") {
            80
        } else {
            443
        })
}

#[cfg(test)]
mod tests {
    use super::same_origin;

    #[test]
    fn origin_must_match_redirect_uri() {
        assert!(same_origin(
            "https://app.example/callback",
            "https://app.example"
        ));
        assert!(same_origin(
            "https://app.example:443/",
            "https://app.example"
        ));
        assert!(!same_origin(
            "https://app.example.evil/",
            "https://app.example"
        ));
        assert!(!same_origin(
            "https://app.example:8443/",
            "https://app.example"
        ));
        assert!(!same_origin("https://app.example/", "http://app.example"));
        assert!(!same_origin("https://app.example/", "null"));
    }

    #[test]
    fn loopback_origin_matches_any_port() {
        assert!(same_origin(
            "http://127.0.0.1:8080/",
            "http://127.0.0.1:40123"
        ));
        assert!(!same_origin(
            "http://127.0.0.1:8080/",
            "http://localhost:8080"
        ));
    }
}
