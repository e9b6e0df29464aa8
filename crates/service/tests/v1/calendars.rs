//! Credentials and calendars.

use serde_json::{Value, json};

use crate::app::{OPERATOR, OWNER, STRANGER, TestApp};

#[tokio::test]
async fn credential_key_is_encrypted_and_not_returned() {
    let app = TestApp::new().await;
    let list = format!("/v1/credential-sync?userId={OWNER}");
    let one = format!("{list}&credentialId={}", app.credential);
    let fetched = app.get(OPERATOR, &list).await;
    assert_eq!(
        fetched.body,
        json!({"credentials": [{"id": app.credential, "type": "google_calendar"}]})
    );
    let before = app.database_dump().await;
    let changed = app
        .request(
            OPERATOR,
            "PATCH",
            &one,
            json!({"encryptedKey": "neu-geheim"}),
        )
        .await;
    assert_eq!(
        changed.body,
        json!({"credential": {"id": app.credential, "type": "google_calendar"}})
    );
    let after = app.database_dump().await;
    assert_ne!(before, after);
    for text in [&before, &after, &fetched.text, &changed.text] {
        assert!(
            !text.contains("geheim") && !text.contains("67656865696D"),
            "{text}"
        );
    }
    // A credential is found only with the id of its user.
    let other = format!(
        "/v1/credential-sync?userId={STRANGER}&credentialId={}",
        app.credential
    );
    app.request(OPERATOR, "DELETE", &other, Value::Null)
        .await
        .assert_v1_error(404);
    // Only operators have access, not even the user of the credential.
    app.get(OWNER, &list).await.assert_v1_error(403);
}

#[tokio::test]
async fn calendars_are_deleted_with_their_credential() {
    let app = TestApp::new().await;
    let selected = json!({
        "integration": "office365_calendar", "externalId": "me", "credentialId": app.credential,
    });
    app.request(OWNER, "POST", "/v1/selected-calendars", selected)
        .await
        .wrapped("selected_calendar");
    let one = format!(
        "/v1/credential-sync?userId={OWNER}&credentialId={}",
        app.credential
    );
    app.request(OPERATOR, "DELETE", &one, Value::Null)
        .await
        .wrapped("message");
    let remaining = app.get(OWNER, "/v1/destination-calendars").await;
    assert_eq!(remaining.wrapped("destinationCalendars"), &json!([]));
    let remaining = app.get(OWNER, "/v1/selected-calendars").await;
    let remaining = remaining.wrapped("selected_calendars").as_array().unwrap();
    assert_eq!(remaining.len(), 1, "the one without a credential stays");
}

#[tokio::test]
async fn foreign_credential_returns_400() {
    let app = TestApp::new().await;
    let before = app.database_dump().await;
    for (target, body) in [
        (
            "/v1/destination-calendars",
            json!({"integration": "google_calendar", "externalId": "x", "credentialId": app.credential}),
        ),
        (
            "/v1/selected-calendars",
            json!({"integration": "google_calendar", "externalId": "x", "credentialId": app.credential}),
        ),
    ] {
        let rejected = app.request(STRANGER, "POST", target, body).await;
        assert_eq!(
            rejected.invalid_properties(),
            ["credentialId"],
            "{}",
            rejected.text
        );
    }
    assert_eq!(app.database_dump().await, before);
}

#[tokio::test]
async fn duplicate_selected_calendar_returns_409_and_rename_changes_id() {
    let app = TestApp::new().await;
    let body = json!({"integration": "google_calendar", "externalId": "a_b@example.org"});
    app.request(OWNER, "POST", "/v1/selected-calendars", body)
        .await
        .assert_v1_error(409);
    let other = json!({"integration": "google_calendar", "externalId": "other"});
    app.request(OWNER, "POST", "/v1/selected-calendars", other.clone())
        .await
        .wrapped("selected_calendar");
    let old = format!("/v1/selected-calendars/{OWNER}_google_calendar_a_b%40example.org");
    app.request(OWNER, "PATCH", &old, other)
        .await
        .assert_v1_error(409);
    let moved = app
        .request(OWNER, "PATCH", &old, json!({"externalId": "x/y_z"}))
        .await;
    assert_eq!(moved.wrapped("selected_calendar")["externalId"], "x/y_z");
    app.get(OWNER, &old).await.assert_v1_error(404);
    let new = format!("/v1/selected-calendars/{OWNER}_google_calendar_x%2Fy_z");
    assert_eq!(
        app.get(OWNER, &new).await.wrapped("selected_calendar")["userId"],
        OWNER
    );
}

#[tokio::test]
async fn booking_reference_accepts_only_credentials_of_hosts() {
    let app = TestApp::new().await;
    let foreign_credential = app
        .create(
            OPERATOR,
            &format!("credential-sync?userId={STRANGER}"),
            "credential",
            json!({"encryptedKey": "geheim", "appSlug": "google-calendar"}),
        )
        .await;
    let target = format!("/v1/booking-references/{}", app.reference);
    let new = |credential: i64| json!({"type": "zoom", "uid": "z", "bookingId": app.booking, "credentialId": credential});
    for (method, target, body) in [
        ("POST", "/v1/booking-references", new(foreign_credential)),
        ("POST", "/v1/booking-references", new(999_999)),
        (
            "PATCH",
            target.as_str(),
            json!({"credentialId": foreign_credential}),
        ),
    ] {
        let rejected = app.request(OWNER, method, target, body).await;
        assert_eq!(
            rejected.invalid_properties(),
            ["credentialId"],
            "{}",
            rejected.text
        );
    }
    let own_credential = json!({"credentialId": app.credential});
    for (user_id, body) in [
        (OWNER, own_credential),
        (OWNER, json!({"credentialId": null})),
        (OPERATOR, json!({"credentialId": foreign_credential})),
        // Another change keeps the credential.
        (OWNER, json!({"deleted": true})),
    ] {
        let changed = app.request(user_id, "PATCH", &target, body).await;
        changed.wrapped("booking_reference");
    }
}

#[tokio::test]
async fn booking_reference_without_booking_is_visible_to_operators_only() {
    let app = TestApp::new().await;
    let body = json!({"type": "zoom", "uid": "m"});
    let id = app
        .create(OPERATOR, "booking-references", "booking_reference", body)
        .await;
    let target = format!("/v1/booking-references/{id}");
    assert_eq!(
        app.get(OPERATOR, &target)
            .await
            .wrapped("booking_reference")["uid"],
        "m"
    );
    app.get(OWNER, &target).await.assert_v1_error(403);
    let own_credential = app.get(OWNER, "/v1/booking-references").await;
    assert!(
        !own_credential.text.contains("\"zoom\""),
        "{}",
        own_credential.text
    );
}
