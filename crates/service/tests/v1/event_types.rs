//! Event types in the format of version 1.

use serde_json::{Value, json};

use crate::app::{FREE_SLOT, MEMBER, OPERATOR, OWNER, STRANGER, TestApp, booking_body};

async fn change(app: &TestApp, id: i64, body: Value) -> Value {
    let response = app
        .request(OWNER, "PATCH", &format!("/v1/event-types/{id}"), body)
        .await;
    response.wrapped("event_type").clone()
}

#[tokio::test]
async fn patch_keeps_absent_properties_and_null_resets_them() {
    let app = TestApp::new().await;
    let id = app.event_type;
    change(
        &app,
        id,
        json!({
            "periodType": "ROLLING", "periodDays": 20, "periodCountCalendarDays": true, "position": 4,
            "eventName": "{Title}", "timeZone": "Asia/Tokyo", "seatsPerTimeSlot": 5, "seatsShowAttendees": true,
            "recurringEvent": {"freq": 2, "interval": 1, "count": 3}, "bookingLimits": {"PER_DAY": 1},
        }),
    )
    .await;
    let changed = change(&app, id, json!({"hidden": true, "periodDays": 30})).await;
    for (key, value) in [
        ("periodType", json!("ROLLING")),
        ("periodDays", json!(30)),
        ("periodCountCalendarDays", json!(true)),
        ("position", json!(4)),
        ("eventName", json!("{Title}")),
        ("timeZone", json!("Asia/Tokyo")),
        ("seatsPerTimeSlot", json!(5)),
        ("seatsShowAttendees", json!(true)),
        (
            "recurringEvent",
            json!({"freq": 2, "interval": 1, "count": 3}),
        ),
        ("bookingLimits", json!({"PER_DAY": 1})),
        ("hidden", json!(true)),
    ] {
        assert_eq!(changed[key], value, "{key}");
    }
    let reset = change(
        &app,
        id,
        json!({
            "periodType": "UNLIMITED", "eventName": null, "timeZone": null, "seatsPerTimeSlot": null,
            "recurringEvent": null, "bookingLimits": null,
        }),
    )
    .await;
    for key in [
        "periodDays",
        "eventName",
        "timeZone",
        "seatsPerTimeSlot",
        "recurringEvent",
        "bookingLimits",
    ] {
        assert_eq!(reset[key], Value::Null, "{key}");
    }
    assert_eq!(
        (&reset["periodType"], &reset["position"]),
        (&json!("UNLIMITED"), &json!(4))
    );
}

#[tokio::test]
async fn version_1_only_settings_survive_version_2_patch() {
    let app = TestApp::new().await;
    let id = app.event_type;
    change(&app, id, json!({"position": 7, "timeZone": "Pacific/Apia"})).await;
    let bearer = (
        "authorization".to_owned(),
        format!("Bearer {}", crate::app::key(OWNER)),
    );
    let target = format!("/v2/event-types/{id}");
    let v2_response = app
        .service
        .request("PATCH", &target, &bearer, json!({"title": "New"}))
        .await;
    assert_eq!(v2_response.data()["title"], "New");
    assert!(
        !v2_response.text.contains("Pacific/Apia"),
        "{}",
        v2_response.text
    );
    let fetched = app.get(OWNER, &format!("/v1/event-types/{id}")).await;
    assert_eq!(fetched.wrapped("event_type")["position"], 7);
    assert_eq!(fetched.wrapped("event_type")["timeZone"], "Pacific/Apia");
}

#[tokio::test]
async fn price_without_payment_provider_returns_400() {
    let app = TestApp::new().await;
    let target = format!("/v1/event-types/{}", app.event_type);
    let rejected = app
        .request(OWNER, "PATCH", &target, json!({"price": 2500}))
        .await;
    assert_eq!(
        rejected.assert_v1_error(400),
        "price needs a payment provider, and none is configured"
    );
}

#[tokio::test]
async fn event_name_is_custom_name_in_version_2() {
    let app = TestApp::new().await;
    let id = app.event_type;
    let changed = change(&app, id, json!({"eventName": "{HOST} meets {ATTENDEE}"})).await;
    assert_eq!(changed["eventName"], "{HOST} meets {ATTENDEE}");
    let v2_response = app.service.get(&format!("/v2/event-types/{id}")).await;
    assert_eq!(v2_response.data()["customName"], "{HOST} meets {ATTENDEE}");
    let wrong = json!({"eventName": "x".repeat(1001)});
    let target = format!("/v1/event-types/{id}");
    let rejected = app.request(OWNER, "PATCH", &target, wrong).await;
    let message = rejected.assert_v1_error(400);
    assert!(message.contains("eventName"), "{message}");
}

#[tokio::test]
async fn duplicate_slug_returns_409_and_list_filters_by_slug() {
    let app = TestApp::new().await;
    let body = json!({"title": "Other", "slug": "Talk!", "length": 30, "metadata": {}});
    app.request(OWNER, "POST", "/v1/event-types", body.clone())
        .await
        .assert_v1_error(409);
    app.request(STRANGER, "POST", "/v1/event-types", body)
        .await
        .wrapped("event_type");
    let found = app.get(OWNER, "/v1/event-types?slug=talk").await;
    let found = found.wrapped("event_types").as_array().unwrap().clone();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["id"], app.event_type);
}

#[tokio::test]
async fn hidden_event_type_of_other_user_returns_404() {
    let app = TestApp::new().await;
    change(&app, app.event_type, json!({"hidden": true})).await;
    app.get(STRANGER, &format!("/v1/event-types/{}", app.event_type))
        .await
        .assert_v1_error(404);
}

#[tokio::test]
async fn managed_child_event_type_keeps_locked_settings() {
    let app = TestApp::new().await;
    let team = format!("/v1/teams/{}/event-types", app.team);
    let body = json!({
        "title": "Managed", "slug": "managed", "length": 30, "metadata": {}, "teamId": app.team,
        "schedulingType": "MANAGED", "children": [{"userId": OWNER}],
    });
    let parent = app.create(OWNER, "event-types", "event_type", body).await;
    let listed = app.get(MEMBER, &team).await;
    let listed = listed.wrapped("event_types").as_array().unwrap().clone();
    assert!(
        listed
            .iter()
            .any(|one| one["id"] == parent && one["schedulingType"] == "MANAGED")
    );
    app.get(STRANGER, &team).await.assert_v1_error(403);

    let child_body = |user_id: i64, length: i64| {
        json!({
            "title": "Managed", "slug": "managed", "length": length, "metadata": {}, "parentId": parent,
            "userId": user_id,
        })
    };
    // Locked settings of the managed event type cannot be overridden.
    app.request(OPERATOR, "POST", "/v1/event-types", child_body(MEMBER, 45))
        .await
        .assert_v1_error(400);
    app.request(
        OPERATOR,
        "POST",
        "/v1/event-types",
        child_body(STRANGER, 30),
    )
    .await
    .assert_v1_error(400);
    app.request(OPERATOR, "POST", "/v1/event-types", child_body(OWNER, 30))
        .await
        .assert_v1_error(409);
    let created = app
        .request(OPERATOR, "POST", "/v1/event-types", child_body(MEMBER, 30))
        .await;
    let child = created.wrapped("event_type").clone();
    assert_eq!(
        (&child["parentId"], &child["userId"]),
        (&json!(parent), &json!(MEMBER))
    );
    let own = format!("/v1/event-types/{}", child["id"]);
    app.request(MEMBER, "PATCH", &own, json!({"length": 50}))
        .await
        .assert_v1_error(400);
    app.request(MEMBER, "DELETE", &own, Value::Null)
        .await
        .assert_v1_error(403);
    // The managed parent cannot be booked.
    app.request(
        OWNER,
        "POST",
        "/v1/bookings",
        booking_body(parent, FREE_SLOT),
    )
    .await
    .assert_v1_error(400);
}

#[tokio::test]
async fn managed_child_creation_requires_update_permission() {
    let app = TestApp::new().await;
    let body = json!({
        "title": "Managed", "slug": "managed", "length": 30, "metadata": {}, "teamId": app.team,
        "schedulingType": "MANAGED", "children": [{"userId": OWNER}],
    });
    let parent = app.create(OWNER, "event-types", "event_type", body).await;
    let team = app.team;
    app.service
        .sql(&format!(
            "INSERT INTO roles (id, team_id, name, kind, created_ms, updated_ms)
             VALUES ('maker', {team}, 'Maker', 'CUSTOM', 0, 0);
             INSERT INTO role_permissions (role_id, permission, position)
             VALUES ('maker', 'eventType.create', 0);
             UPDATE memberships SET role_id = 'maker' WHERE team_id = {team} AND user_id = {MEMBER}"
        ))
        .await;
    let body = json!({
        "title": "Managed", "slug": "managed", "length": 30, "metadata": {}, "parentId": parent,
    });
    let rejected = app
        .request(MEMBER, "POST", "/v1/event-types", body.clone())
        .await;
    assert!(rejected.assert_v1_error(403).contains("eventType.update"));
    app.service
        .sql(
            "INSERT INTO role_permissions (role_id, permission, position)
             VALUES ('maker', 'eventType.update', 1)",
        )
        .await;
    let created = app.request(MEMBER, "POST", "/v1/event-types", body).await;
    assert_eq!(created.wrapped("event_type")["userId"], MEMBER);
}

#[tokio::test]
async fn host_reads_but_does_not_change_team_event_type() {
    let app = TestApp::new().await;
    let target = format!("/v1/event-types/{}", app.team_event_type);
    let body = json!({"hosts": [{"userId": MEMBER, "isFixed": true}, {"userId": OWNER}]});
    let changed = app.request(OWNER, "PATCH", &target, body).await;
    let hosts = changed.wrapped("event_type")["hosts"].clone();
    assert_eq!(
        hosts,
        json!([{"userId": MEMBER, "isFixed": true}, {"userId": OWNER, "isFixed": false}])
    );
    assert_eq!(
        app.get(MEMBER, &target).await.wrapped("event_type")["teamId"],
        app.team
    );
    app.request(MEMBER, "PATCH", &target, json!({"title": "Mine"}))
        .await
        .assert_v1_error(403);
    app.request(MEMBER, "DELETE", &target, Value::Null)
        .await
        .assert_v1_error(403);
    let stranger = json!({"hosts": [{"userId": STRANGER}]});
    app.request(OWNER, "PATCH", &target, stranger)
        .await
        .assert_v1_error(400);
}

#[tokio::test]
async fn all_location_types_are_returned_unchanged() {
    let app = TestApp::new().await;
    let locations = json!([
        {"type": "inPerson", "address": "Via Roma 1"},
        {"type": "link", "link": "https://example.org/room"},
        {"type": "userPhone", "hostPhoneNumber": "+390612345678"},
        {"type": "phone"},
        {"type": "attendeeInPerson"},
        {"type": "somewhereElse"},
        {"type": "conferencing"},
        {"type": "integrations:zoom"},
    ]);
    let changed = change(&app, app.event_type, json!({"locations": locations})).await;
    assert_eq!(changed["locations"], locations);
}
