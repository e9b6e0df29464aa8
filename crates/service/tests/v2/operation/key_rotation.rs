//! Rotation of the keys of the data directory.

use std::path::Path;

use booking_service::cli::access::replace_key::Key;
use booking_service::cli::access::rotate_key::{self, RotateKey, Step};
use booking_service::clock::Clock;
use booking_service::domain::demo::MANAGER_ID;
use booking_store_engine::sql;
use serde_json::{Value, json};

use crate::common::{HOST, Service};

/// Owner of the key of a connected app: what it is sealed for.
const APP_KEY_OWNER: &str = "credential of 100 for zoom";

async fn rotate(service: &Service, key: Key, step: Option<Step>) -> Result<String, String> {
    let options = RotateKey {
        key,
        data: service.directory.path().to_owned(),
        database: service.data().database,
        step,
    };
    let rotated = rotate_key::run(options).await;
    rotated.map_err(|error| error.to_string())
}

/// Another process over the same data, with the keys as they are now.
async fn replica(service: &Service) -> Service {
    let app = service.reopen(Clock::stopped_at(service.app.clock.now()));
    Service::over(app.await, &service.credentials)
}

fn length(directory: &Path, name: &str) -> usize {
    std::fs::read(directory.join(name)).unwrap().len()
}

/// Stores a webhook whose secret is its name. Returns its path.
async fn add_webhook(service: &Service, name: &str) -> String {
    let webhook = json!({
        "subscriberUrl": format!("https://example.org/{name}"),
        "triggers": ["BOOKING_CREATED"], "active": true, "secret": name,
    });
    let made = service.post_as("/v2/webhooks", service.owner(), webhook);
    let id = made.await.data()["id"].as_str().unwrap().to_owned();
    format!("/v2/webhooks/{id}")
}

async fn secret(service: &Service, webhook: &str) -> Value {
    let read = service.get_as(webhook, service.owner()).await;
    read.data()["secret"].clone()
}

/// Stores a key of a connected app.
async fn add_app_key(service: &Service) {
    let sealed = service.app.sealing_key.seal("app key", APP_KEY_OWNER);
    let mut transaction = service
        .app
        .store
        .begin(&[booking_service::store::Subject::Rows])
        .await
        .unwrap();
    sql::query(
        "INSERT INTO app_credentials (user_id, app_slug, sealed_key, created_ms) VALUES (?, 'zoom', ?, 0)",
    )
    .bind(HOST)
    .bind(sealed.unwrap())
    .execute(&mut transaction)
    .await
    .unwrap();
    transaction.commit().await.unwrap();
}

async fn app_key(service: &Service) -> String {
    let mut db = service.app.store.read().await.unwrap();
    let sealed: Vec<u8> = sql::query_scalar("SELECT sealed_key FROM app_credentials")
        .fetch_one(&mut db)
        .await
        .unwrap();
    let opened = service.app.sealing_key.unseal(&sealed, APP_KEY_OWNER);
    opened.unwrap()
}

async fn is_signed_in(service: &Service, token: &str) -> bool {
    let bearer = ("authorization".to_owned(), format!("Bearer {token}"));
    service.get_as("/v2/me", bearer).await.status == 200
}

#[tokio::test]
async fn stopped_service_gets_new_keys_by_one_command_each() {
    let service = Service::start().await;
    let webhook = add_webhook(&service, "before").await;
    add_app_key(&service).await;
    let before = service.tokens_of(MANAGER_ID).await;
    let directory = service.directory.path();

    rotate(&service, Key::Signing, None).await.unwrap();
    let text = rotate(&service, Key::Sealing, None).await.unwrap();
    assert!(text.contains("\n2 secrets were encrypted"), "{text}");
    // Tokens of the former key are valid until they end; nothing needs the former sealing key.
    assert_eq!(length(directory, "signing.key"), 64);
    assert_eq!(length(directory, "sealing.key"), 32);
    let next = replica(&service).await;
    assert!(is_signed_in(&next, &before.access_token).await);
    assert_eq!(secret(&next, &webhook).await, "before");
    assert_eq!(app_key(&next).await, "app key");
    let after = next.tokens_of(MANAGER_ID).await;
    assert!(is_signed_in(&next, &after.access_token).await);
    assert!(!is_signed_in(&service, &after.access_token).await);

    rotate(&service, Key::Signing, Some(Step::Finish))
        .await
        .unwrap();
    assert_eq!(length(directory, "signing.key"), 32);
    let last = replica(&service).await;
    assert!(!is_signed_in(&last, &before.access_token).await);
    assert!(is_signed_in(&last, &after.access_token).await);
    for other in [next, last] {
        other.app.store.close().await;
    }
}

#[tokio::test]
async fn running_replicas_accept_a_key_before_one_uses_it() {
    let service = Service::start().await;
    let webhook = add_webhook(&service, "before").await;
    let before = service.tokens_of(MANAGER_ID).await;
    let both = [Key::Signing, Key::Sealing];
    for key in both {
        let early = rotate(&service, key, Some(Step::Use)).await.unwrap_err();
        assert!(early.contains("--step add"), "{early}");
        rotate(&service, key, Some(Step::Add)).await.unwrap();
        let twice = rotate(&service, key, Some(Step::Add)).await.unwrap_err();
        assert!(twice.contains("--step use"), "{twice}");
    }
    // It has the new keys, and uses the former ones.
    let first = replica(&service).await;
    let by_first = add_webhook(&first, "first").await;
    let of_first = first.tokens_of(MANAGER_ID).await;
    assert!(is_signed_in(&service, &of_first.access_token).await);
    for key in both {
        rotate(&service, key, Some(Step::Use)).await.unwrap();
    }
    let second = replica(&service).await;
    let by_second = add_webhook(&second, "second").await;
    let of_second = second.tokens_of(MANAGER_ID).await;
    for replica in [&first, &second] {
        for tokens in [&before, &of_first, &of_second] {
            assert!(is_signed_in(replica, &tokens.access_token).await);
        }
        for (webhook, expected) in [
            (&webhook, "before"),
            (&by_first, "first"),
            (&by_second, "second"),
        ] {
            assert_eq!(secret(replica, webhook).await, expected);
        }
    }
    // A refresh that comes again at another replica gets the same tokens.
    let refresh = async |replica: &Service| {
        let target = format!("/v2/oauth/{}/refresh", replica.secret("clientId"));
        let client = (
            "x-svc-secret-key".to_owned(),
            replica.secret("clientSecret"),
        );
        let body = json!({"refreshToken": before.refresh_token});
        let refreshed = replica.post_as(&target, client, body).await;
        refreshed.data()["refreshToken"].clone()
    };
    assert_eq!(refresh(&first).await, refresh(&second).await);
    first.app.store.close().await;

    // Without a step, it continues: there is no third key.
    let text = rotate(&service, Key::Sealing, Some(Step::Finish)).await;
    assert!(text.unwrap().starts_with("2 secrets"));
    let text = rotate(&service, Key::Sealing, Some(Step::Finish)).await;
    assert!(text.unwrap().starts_with("0 secrets"));
    assert_eq!(length(service.directory.path(), "sealing.key"), 32);
    let last = replica(&service).await;
    assert_eq!(secret(&last, &webhook).await, "before");
    assert_eq!(secret(&last, &by_second).await, "second");
    for other in [second, last] {
        other.app.store.close().await;
    }
}

#[tokio::test]
async fn interrupted_rotation_is_continued() {
    let service = Service::start().await;
    let webhook = add_webhook(&service, "before").await;
    for step in [Step::Add, Step::Use] {
        rotate(&service, Key::Sealing, Some(step)).await.unwrap();
    }
    let key = std::fs::read(service.directory.path().join("sealing.key")).unwrap();
    rotate(&service, Key::Sealing, None).await.unwrap();
    let left = std::fs::read(service.directory.path().join("sealing.key")).unwrap();
    assert_eq!(left, key[32..]);
    let next = replica(&service).await;
    assert_eq!(secret(&next, &webhook).await, "before");
    next.app.store.close().await;
}
