//! POST /v2/oauth/{clientId}/refresh, and the validation of tokens and keys.

use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::common::{Service, TestResponse};

const LIST: &str = "/v2/teams/1/bookings?take=1";

async fn refresh(service: &Service, token: &str) -> TestResponse {
    let target = format!("/v2/oauth/{}/refresh", service.secret("clientId"));
    let headers = [(
        "x-svc-secret-key".to_owned(),
        service.secret("clientSecret"),
    )];
    service
        .call(
            Method::POST,
            &target,
            &headers,
            Some(json!({"refreshToken": token})),
        )
        .await
}

fn payload(token: &str) -> Value {
    let part = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

fn bearer(token: &str) -> (String, String) {
    ("authorization".into(), format!("Bearer {token}"))
}

#[tokio::test]
async fn refresh_returns_new_token_pair() {
    let service = Service::start().await;
    let old = service.secret("refreshToken");
    let response = refresh(&service, &old).await;
    assert_eq!(response.status, 200);
    let data = response.data();
    let access = data["accessToken"].as_str().unwrap();
    let now = service.app.clock.now().0;
    assert_eq!(data["accessTokenExpiresAt"], now + 60 * 60_000);
    assert_eq!(
        data["refreshTokenExpiresAt"],
        (now + 365 * 86_400_000) / 86_400_000 * 86_400_000
    );
    let claims = payload(access);
    assert_eq!(claims["type"], "access_token");
    assert_eq!(claims["clientId"], json!(service.secret("clientId")));
    assert_eq!(
        (&claims["ownerId"], &claims["userId"]),
        (&json!(4), &json!(4))
    );
    assert_eq!(claims["iat"], now / 1000);
    assert_eq!(claims["expiresAt"], data["accessTokenExpiresAt"]);
    assert_eq!(claims["jti"].as_str().unwrap().len(), 36);
    assert!(claims.get("exp").is_none());
    assert_eq!(service.get_as(LIST, bearer(access)).await.status, 200);
    // The earlier access token stays valid until it expires.
    assert_eq!(service.get_as(LIST, service.manager()).await.status, 200);
    assert_eq!(
        refresh(&service, data["refreshToken"].as_str().unwrap())
            .await
            .status,
        200
    );
}

fn text(response: &TestResponse, key: &str) -> String {
    response.data()[key].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn reused_refresh_token_revokes_its_family() {
    let service = Service::start().await;
    let other = service.tokens_of(4).await;
    let [first, second] = {
        let stolen = service.secret("refreshToken");
        let first = refresh(&service, &stolen).await;
        let second = refresh(&service, &text(&first, "refreshToken")).await;
        [first, second]
    };
    let is_valid = async |token: &str| service.get_as(LIST, bearer(token)).await.status == 200;
    for response in [&first, &second] {
        assert!(is_valid(&text(response, "accessToken")).await);
    }
    // A reused token revokes its family: thief and owner cannot be distinguished.
    refresh(&service, &service.secret("refreshToken"))
        .await
        .assert_error(400, "BadRequestException");
    for token in [
        service.secret("accessToken"),
        text(&first, "accessToken"),
        text(&second, "accessToken"),
    ] {
        service
            .get_as(LIST, bearer(&token))
            .await
            .assert_error(401, "UnauthorizedException");
    }
    for token in [text(&first, "refreshToken"), text(&second, "refreshToken")] {
        refresh(&service, &token)
            .await
            .assert_error(400, "BadRequestException");
    }
    // Other tokens of the same user and client belong to another family.
    assert!(is_valid(&other.access_token).await);
    assert_eq!(refresh(&service, &other.refresh_token).await.status, 200);
}

#[tokio::test]
async fn used_refresh_tokens_are_kept_within_time_and_count_limits() {
    let service = Service::start().await;
    let used = "oauth_tokens WHERE used_ms IS NOT NULL";
    let mut token = service.secret("refreshToken");
    for _ in 0..3 {
        token = text(&refresh(&service, &token).await, "refreshToken");
    }
    assert_eq!(service.count(used).await, 3);
    // 1,500 older used tokens; 1,000 are kept.
    service
        .sql(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
             INSERT INTO oauth_tokens (hash, kind, oauth_client_id, user_id, expires_ms, family, used_ms)
             SELECT 'used' || i, kind, oauth_client_id, user_id, expires_ms, family, i
             FROM oauth_tokens, n WHERE used_ms IS NULL AND kind = 'refresh_token'
               AND family = (SELECT family FROM oauth_tokens WHERE used_ms IS NOT NULL LIMIT 1)",
        )
        .await;
    token = text(&refresh(&service, &token).await, "refreshToken");
    assert_eq!(service.count(used).await, 1000);
    let newest = "oauth_tokens WHERE used_ms IS NOT NULL AND hash NOT LIKE 'used%'";
    assert_eq!(service.count(newest).await, 4);

    service.app.clock.advance_minutes(33 * 24 * 60);
    let next = refresh(&service, &token).await;
    assert_eq!(service.count(newest).await, 1);
    // A removed token is unknown and revokes nothing.
    refresh(&service, &service.secret("refreshToken"))
        .await
        .assert_error(400, "BadRequestException");
    assert_eq!(
        refresh(&service, &text(&next, "refreshToken")).await.status,
        200
    );
}

#[tokio::test]
async fn used_refresh_token_of_another_client_revokes_nothing() {
    let service = Service::start().await;
    let used = service.secret("refreshToken");
    let next = refresh(&service, &used).await;
    service
        .sql(&format!(
            "INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
             SELECT 'other', name, owner_id, secret_hash, '[]', '[]', 0 FROM oauth_clients WHERE id = '{}'",
            service.secret("clientId")
        ))
        .await;
    let headers = [(
        "x-svc-secret-key".to_owned(),
        service.secret("clientSecret"),
    )];
    let body = json!({"refreshToken": used});
    service
        .call(
            Method::POST,
            "/v2/oauth/other/refresh",
            &headers,
            Some(body),
        )
        .await
        .assert_error(400, "BadRequestException");
    assert_eq!(
        refresh(&service, &text(&next, "refreshToken")).await.status,
        200
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refreshes_with_one_token_at_about_the_same_time_get_the_same_pair() {
    let service = Service::start().await;
    let token = service.secret("refreshToken");
    let (first, second) = tokio::join!(refresh(&service, &token), refresh(&service, &token));
    assert_eq!(first.data(), second.data());
    let again = refresh(&service, &token).await;
    assert_eq!(again.data(), first.data());
    let access = text(&first, "accessToken");
    assert_eq!(service.get_as(LIST, bearer(&access)).await.status, 200);
    // Nothing was stored twice.
    let next = refresh(&service, &text(&first, "refreshToken")).await;
    assert_eq!(next.status, 200);
    // The answer is not given once its tokens were used.
    refresh(&service, &token)
        .await
        .assert_error(400, "BadRequestException");
    let revoked = refresh(&service, &text(&next, "refreshToken")).await;
    assert_eq!(revoked.status, 400);
}

#[tokio::test]
async fn refresh_token_that_comes_again_later_revokes_its_family() {
    let service = Service::start().await;
    let token = service.secret("refreshToken");
    let first = refresh(&service, &token).await;
    service.app.clock.advance_minutes(1);
    assert_eq!(refresh(&service, &token).await.status, 400);
    let access = text(&first, "accessToken");
    assert_eq!(service.get_as(LIST, bearer(&access)).await.status, 401);
}

#[tokio::test]
async fn refresh_with_wrong_client_or_token_is_rejected() {
    let service = Service::start().await;
    let target = format!("/v2/oauth/{}/refresh", service.secret("clientId"));
    let body = json!({"refreshToken": service.secret("refreshToken")});
    let call = async |target: &str, secret: Option<&str>, body: Value| {
        let headers: Vec<_> = secret
            .map(|secret| ("x-cal-secret-key".to_owned(), secret.to_owned()))
            .into_iter()
            .collect();
        service
            .call(Method::POST, target, &headers, Some(body))
            .await
    };
    let secret = service.secret("clientSecret");
    call(&target, None, body.clone())
        .await
        .assert_error(401, "UnauthorizedException");
    call(&target, Some("wrong"), body.clone())
        .await
        .assert_error(401, "UnauthorizedException");
    call("/v2/oauth/nobody/refresh", Some(&secret), body.clone())
        .await
        .assert_error(401, "UnauthorizedException");
    for token in ["", "nonsense", &service.secret("accessToken")] {
        call(&target, Some(&secret), json!({"refreshToken": token}))
            .await
            .assert_error(400, "BadRequestException");
    }
    call(&target, Some(&secret), json!({}))
        .await
        .assert_error(400, "BadRequestException");
    call(&target, Some(&secret), json!({"refreshToken": 5}))
        .await
        .assert_error(400, "BadRequestException");
    // Another client's token.
    service
        .sql(&format!(
            "INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
             SELECT 'other', name, owner_id, secret_hash, '[]', '[]', 0 FROM oauth_clients WHERE id = '{}'",
            service.secret("clientId")
        ))
        .await;
    call("/v2/oauth/other/refresh", Some(&secret), body)
        .await
        .assert_error(400, "BadRequestException");
    // None of the requests above used the token.
    assert_eq!(
        refresh(&service, &service.secret("refreshToken"))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn expired_access_token_returns_498_and_unknown_returns_401() {
    let service = Service::start().await;
    service.app.clock.advance_minutes(59);
    assert_eq!(service.get_as(LIST, service.manager()).await.status, 200);
    service.app.clock.advance_minutes(1);
    let response = service.get_as(LIST, service.manager()).await;
    assert_eq!(
        response.assert_error(498, "TokenExpiredException"),
        "ACCESS_TOKEN_IS_EXPIRED"
    );
    let renewed = refresh(&service, &service.secret("refreshToken")).await;
    assert_eq!(
        service
            .get_as(
                LIST,
                bearer(renewed.data()["accessToken"].as_str().unwrap())
            )
            .await
            .status,
        200
    );
    let token = service.secret("accessToken");
    let forged = format!("{}x", &token[..token.len() - 1]);
    service
        .get_as(LIST, bearer(&forged))
        .await
        .assert_error(401, "UnauthorizedException");
}

#[tokio::test]
async fn expired_refresh_token_returns_400() {
    let service = Service::start().await;
    service.app.clock.advance_minutes(366 * 24 * 60);
    let response = refresh(&service, &service.secret("refreshToken")).await;
    assert!(
        response
            .assert_error(400, "BadRequestException")
            .contains("expired")
    );
}

#[tokio::test]
async fn invalid_credentials_return_401_even_on_public_operations() {
    let service = Service::start().await;
    for value in [
        "Bearer",
        "Basic abc",
        "Bearer svc_unknown",
        "Bearer unknown",
        "nonsense",
    ] {
        let headers = [("authorization".to_owned(), value.to_owned())];
        for target in ["/v2/me", "/v2/event-types?username=ada"] {
            let response = service.call(Method::GET, target, &headers, None).await;
            response.assert_error(401, "UnauthorizedException");
        }
    }
    // A refresh token is no credential for other operations.
    service
        .get_as("/v2/me", bearer(&service.secret("refreshToken")))
        .await
        .assert_error(401, "UnauthorizedException");
}

#[tokio::test]
async fn api_key_is_valid_through_its_last_day() {
    let service = Service::start().await;
    service
        .sql("UPDATE api_keys SET expires_on = '2027-03-01'")
        .await;
    assert_eq!(service.get_as("/v2/me", service.owner()).await.status, 200);
    service.app.clock.advance_minutes(16 * 60);
    service
        .get_as("/v2/me", service.owner())
        .await
        .assert_error(401, "UnauthorizedException");
}

#[tokio::test]
async fn access_token_from_foreign_origin_returns_401() {
    let service = Service::start().await;
    for (origin, status) in [
        ("http://127.0.0.1:8080", 200),
        ("http://localhost:5555", 200),
        ("https://evil.example", 401),
    ] {
        let headers = [service.manager(), ("origin".to_owned(), origin.to_owned())];
        assert_eq!(
            service.call(Method::GET, LIST, &headers, None).await.status,
            status,
            "{origin}"
        );
    }
    // API keys are not bound to origins.
    let headers = [
        service.owner(),
        ("origin".to_owned(), "https://evil.example".to_owned()),
    ];
    assert_eq!(
        service.call(Method::GET, LIST, &headers, None).await.status,
        200
    );
}

#[tokio::test]
async fn token_without_client_scope_returns_403() {
    let service = Service::start().await;
    service
        .sql("UPDATE oauth_clients SET scopes = '[\"PROFILE_READ\"]'")
        .await;
    assert_eq!(
        service.get_as("/v2/me", service.manager()).await.status,
        200
    );
    let body = crate::common::booking(1, "2027-03-03T10:00:00Z");
    for (response, scope) in [
        (
            service.get_as(LIST, service.manager()).await,
            "BOOKING_READ",
        ),
        (
            service.get_as("/v2/bookings/x", service.manager()).await,
            "BOOKING_READ",
        ),
        (
            service
                .post_as("/v2/bookings", service.manager(), body)
                .await,
            "BOOKING_WRITE",
        ),
        (
            service.get_as("/v2/event-types/1", service.manager()).await,
            "EVENT_TYPE_READ",
        ),
    ] {
        let message = response.assert_error(403, "ForbiddenException");
        assert!(message.contains(scope), "{message}");
    }
    assert_eq!(service.get_as(LIST, service.owner()).await.status, 200);
}

#[tokio::test]
async fn secrets_are_stored_only_as_hashes() {
    let service = Service::start().await;
    service.app.store.close().await;
    let database = std::fs::read(
        service
            .directory
            .path()
            .join(booking_service::store::FILE_NAME),
    )
    .unwrap();
    let contains = |text: &[u8]| database.windows(text.len()).any(|window| window == text);
    let hash = booking_service::auth::secret::hash(&service.secret("clientSecret"));
    assert!(contains(hash.as_bytes()), "nothing has been written");
    for key in [
        "apiKey",
        "userKey",
        "clientSecret",
        "accessToken",
        "refreshToken",
    ] {
        let secret = service.secret(key);
        let tail = &secret.as_bytes()[secret.len() - 30..];
        assert!(!contains(tail), "{key}");
    }
}
