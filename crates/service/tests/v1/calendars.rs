//! Credentials and calendars.

use serde_json::{Value, json};

use crate::world::{OPERATOR, OWNER, STRANGER, World};

#[tokio::test]
async fn the_key_of_a_credential_is_sealed_and_never_told() {
    let world = World::new().await;
    let list = format!("/v1/credential-sync?userId={OWNER}");
    let one = format!("{list}&credentialId={}", world.credential);
    let shown = world.get(OPERATOR, &list).await;
    assert_eq!(
        shown.body,
        json!({"credentials": [{"id": world.credential, "type": "google_calendar"}]})
    );
    let before = world.stored().await;
    let changed = world
        .ask(
            OPERATOR,
            "PATCH",
            &one,
            json!({"encryptedKey": "neu-geheim"}),
        )
        .await;
    assert_eq!(
        changed.body,
        json!({"credential": {"id": world.credential, "type": "google_calendar"}})
    );
    let after = world.stored().await;
    assert_ne!(before, after);
    for text in [&before, &after, &shown.text, &changed.text] {
        assert!(
            !text.contains("geheim") && !text.contains("67656865696D"),
            "{text}"
        );
    }
    // A credential is found under its own person only.
    let other = format!(
        "/v1/credential-sync?userId={STRANGER}&credentialId={}",
        world.credential
    );
    world
        .ask(OPERATOR, "DELETE", &other, Value::Null)
        .await
        .failed(404);
    // Nobody but those who run the service gets there, not even its own person.
    world.get(OWNER, &list).await.failed(403);
}

#[tokio::test]
async fn calendars_go_with_the_credential_they_are_reached_with() {
    let world = World::new().await;
    let selected = json!({
        "integration": "office365_calendar", "externalId": "me", "credentialId": world.credential,
    });
    world
        .ask(OWNER, "POST", "/v1/selected-calendars", selected)
        .await
        .wrapped("selected_calendar");
    let one = format!(
        "/v1/credential-sync?userId={OWNER}&credentialId={}",
        world.credential
    );
    world
        .ask(OPERATOR, "DELETE", &one, Value::Null)
        .await
        .wrapped("message");
    let left = world.get(OWNER, "/v1/destination-calendars").await;
    assert_eq!(left.wrapped("destinationCalendars"), &json!([]));
    let left = world.get(OWNER, "/v1/selected-calendars").await;
    let left = left.wrapped("selected_calendars").as_array().unwrap();
    assert_eq!(left.len(), 1, "the one without a credential stays");
}

#[tokio::test]
async fn nobody_uses_the_credentials_of_others() {
    let world = World::new().await;
    let before = world.stored().await;
    for (target, body) in [
        (
            "/v1/destination-calendars",
            json!({"integration": "google_calendar", "externalId": "x", "credentialId": world.credential}),
        ),
        (
            "/v1/selected-calendars",
            json!({"integration": "google_calendar", "externalId": "x", "credentialId": world.credential}),
        ),
    ] {
        let refused = world.ask(STRANGER, "POST", target, body).await;
        assert_eq!(refused.complaints(), ["credentialId"], "{}", refused.text);
    }
    assert_eq!(world.stored().await, before);
}

#[tokio::test]
async fn a_selected_calendar_is_selected_once_and_renamed_with_its_parts() {
    let world = World::new().await;
    let body = json!({"integration": "google_calendar", "externalId": "a_b@example.org"});
    world
        .ask(OWNER, "POST", "/v1/selected-calendars", body)
        .await
        .failed(409);
    let other = json!({"integration": "google_calendar", "externalId": "other"});
    world
        .ask(OWNER, "POST", "/v1/selected-calendars", other.clone())
        .await
        .wrapped("selected_calendar");
    let old = format!("/v1/selected-calendars/{OWNER}_google_calendar_a_b%40example.org");
    world.ask(OWNER, "PATCH", &old, other).await.failed(409);
    let moved = world
        .ask(OWNER, "PATCH", &old, json!({"externalId": "x/y_z"}))
        .await;
    assert_eq!(moved.wrapped("selected_calendar")["externalId"], "x/y_z");
    world.get(OWNER, &old).await.failed(404);
    let new = format!("/v1/selected-calendars/{OWNER}_google_calendar_x%2Fy_z");
    assert_eq!(
        world.get(OWNER, &new).await.wrapped("selected_calendar")["userId"],
        OWNER
    );
}

#[tokio::test]
async fn a_reference_names_a_credential_of_the_bookings_hosts() {
    let world = World::new().await;
    let foreign = world
        .make(
            OPERATOR,
            &format!("credential-sync?userId={STRANGER}"),
            "credential",
            json!({"encryptedKey": "geheim", "appSlug": "google-calendar"}),
        )
        .await;
    let target = format!("/v1/booking-references/{}", world.reference);
    let new = |credential: i64| json!({"type": "zoom", "uid": "z", "bookingId": world.booking, "credentialId": credential});
    for (method, target, body) in [
        ("POST", "/v1/booking-references", new(foreign)),
        ("POST", "/v1/booking-references", new(999_999)),
        ("PATCH", target.as_str(), json!({"credentialId": foreign})),
    ] {
        let refused = world.ask(OWNER, method, target, body).await;
        assert_eq!(refused.complaints(), ["credentialId"], "{}", refused.text);
    }
    let own = json!({"credentialId": world.credential});
    for (user_id, body) in [
        (OWNER, own),
        (OWNER, json!({"credentialId": null})),
        (OPERATOR, json!({"credentialId": foreign})),
        // It stays with whatever else changes.
        (OWNER, json!({"deleted": true})),
    ] {
        let changed = world.ask(user_id, "PATCH", &target, body).await;
        changed.wrapped("booking_reference");
    }
}

#[tokio::test]
async fn a_reference_without_a_booking_is_for_those_who_run_the_service() {
    let world = World::new().await;
    let body = json!({"type": "zoom", "uid": "m"});
    let id = world
        .make(OPERATOR, "booking-references", "booking_reference", body)
        .await;
    let target = format!("/v1/booking-references/{id}");
    assert_eq!(
        world
            .get(OPERATOR, &target)
            .await
            .wrapped("booking_reference")["uid"],
        "m"
    );
    world.get(OWNER, &target).await.failed(403);
    let own = world.get(OWNER, "/v1/booking-references").await;
    assert!(!own.text.contains("\"zoom\""), "{}", own.text);
}
