//! What event types are in the words of version 1.

use serde_json::{Value, json};

use crate::world::{FREE, MEMBER, OPERATOR, OWNER, STRANGER, World, new_booking};

async fn change(world: &World, id: i64, body: Value) -> Value {
    let answer = world
        .ask(OWNER, "PATCH", &format!("/v1/event-types/{id}"), body)
        .await;
    answer.wrapped("event_type").clone()
}

#[tokio::test]
async fn what_is_absent_stays_and_null_takes_back() {
    let world = World::new().await;
    let id = world.event_type;
    change(
        &world,
        id,
        json!({
            "periodType": "ROLLING", "periodDays": 20, "periodCountCalendarDays": true, "position": 4,
            "eventName": "{Title}", "timeZone": "Asia/Tokyo", "seatsPerTimeSlot": 5, "seatsShowAttendees": true,
            "recurringEvent": {"freq": 2, "interval": 1, "count": 3}, "bookingLimits": {"PER_DAY": 1},
        }),
    )
    .await;
    let kept = change(&world, id, json!({"hidden": true, "periodDays": 30})).await;
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
        assert_eq!(kept[key], value, "{key}");
    }
    let back = change(
        &world,
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
        assert_eq!(back[key], Value::Null, "{key}");
    }
    assert_eq!(
        (&back["periodType"], &back["position"]),
        (&json!("UNLIMITED"), &json!(4))
    );
}

#[tokio::test]
async fn what_version_1_keeps_for_itself_survives_version_2_and_is_not_shown_there() {
    let world = World::new().await;
    let id = world.event_type;
    change(
        &world,
        id,
        json!({"position": 7, "timeZone": "Pacific/Apia"}),
    )
    .await;
    let bearer = (
        "authorization".to_owned(),
        format!("Bearer {}", crate::world::key(OWNER)),
    );
    let target = format!("/v2/event-types/{id}");
    let seen = world
        .service
        .ask("PATCH", &target, &bearer, json!({"title": "New"}))
        .await;
    assert_eq!(seen.data()["title"], "New");
    assert!(!seen.text.contains("Pacific/Apia"), "{}", seen.text);
    let shown = world.get(OWNER, &format!("/v1/event-types/{id}")).await;
    assert_eq!(shown.wrapped("event_type")["position"], 7);
    assert_eq!(shown.wrapped("event_type")["timeZone"], "Pacific/Apia");
}

#[tokio::test]
async fn price_without_a_payment_provider_is_refused() {
    let world = World::new().await;
    let target = format!("/v1/event-types/{}", world.event_type);
    let refused = world
        .ask(OWNER, "PATCH", &target, json!({"price": 2500}))
        .await;
    assert_eq!(
        refused.failed(400),
        "price needs a payment provider, and none is configured"
    );
}

#[tokio::test]
async fn event_name_of_version_1_is_the_custom_name_of_version_2() {
    let world = World::new().await;
    let id = world.event_type;
    let changed = change(&world, id, json!({"eventName": "{HOST} meets {ATTENDEE}"})).await;
    assert_eq!(changed["eventName"], "{HOST} meets {ATTENDEE}");
    let seen = world.service.get(&format!("/v2/event-types/{id}")).await;
    assert_eq!(seen.data()["customName"], "{HOST} meets {ATTENDEE}");
    let wrong = json!({"eventName": "x".repeat(1001)});
    let target = format!("/v1/event-types/{id}");
    let refused = world.ask(OWNER, "PATCH", &target, wrong).await;
    let message = refused.failed(400);
    assert!(message.contains("eventName"), "{message}");
}

#[tokio::test]
async fn a_slug_is_taken_once_and_found_by_it() {
    let world = World::new().await;
    let body = json!({"title": "Other", "slug": "Talk!", "length": 30, "metadata": {}});
    world
        .ask(OWNER, "POST", "/v1/event-types", body.clone())
        .await
        .failed(409);
    world
        .ask(STRANGER, "POST", "/v1/event-types", body)
        .await
        .wrapped("event_type");
    let found = world.get(OWNER, "/v1/event-types?slug=talk").await;
    let found = found.wrapped("event_types").as_array().unwrap().clone();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["id"], world.event_type);
}

#[tokio::test]
async fn event_type_hidden_by_others_is_missing() {
    let world = World::new().await;
    change(&world, world.event_type, json!({"hidden": true})).await;
    world
        .get(STRANGER, &format!("/v1/event-types/{}", world.event_type))
        .await
        .failed(404);
}

#[tokio::test]
async fn a_team_decides_what_its_managed_event_types_are() {
    let world = World::new().await;
    let team = format!("/v1/teams/{}/event-types", world.team);
    let body = json!({
        "title": "Managed", "slug": "managed", "length": 30, "metadata": {}, "teamId": world.team,
        "schedulingType": "MANAGED", "children": [{"userId": OWNER}],
    });
    let parent = world.make(OWNER, "event-types", "event_type", body).await;
    let listed = world.get(MEMBER, &team).await;
    let listed = listed.wrapped("event_types").as_array().unwrap().clone();
    assert!(
        listed
            .iter()
            .any(|one| one["id"] == parent && one["schedulingType"] == "MANAGED")
    );
    world.get(STRANGER, &team).await.failed(403);

    let follow = |user_id: i64, length: i64| {
        json!({
            "title": "Managed", "slug": "managed", "length": length, "metadata": {}, "parentId": parent,
            "userId": user_id,
        })
    };
    // What the team has decided cannot be decided otherwise.
    world
        .ask(OPERATOR, "POST", "/v1/event-types", follow(MEMBER, 45))
        .await
        .failed(400);
    world
        .ask(OPERATOR, "POST", "/v1/event-types", follow(STRANGER, 30))
        .await
        .failed(400);
    world
        .ask(OPERATOR, "POST", "/v1/event-types", follow(OWNER, 30))
        .await
        .failed(409);
    let made = world
        .ask(OPERATOR, "POST", "/v1/event-types", follow(MEMBER, 30))
        .await;
    let child = made.wrapped("event_type").clone();
    assert_eq!(
        (&child["parentId"], &child["userId"]),
        (&json!(parent), &json!(MEMBER))
    );
    let own = format!("/v1/event-types/{}", child["id"]);
    world
        .ask(MEMBER, "PATCH", &own, json!({"length": 50}))
        .await
        .failed(400);
    world
        .ask(MEMBER, "DELETE", &own, Value::Null)
        .await
        .failed(403);
    // A template takes no bookings.
    world
        .ask(OWNER, "POST", "/v1/bookings", new_booking(parent, FREE))
        .await
        .failed(400);
}

#[tokio::test]
async fn who_follows_a_managed_event_type_may_change_it() {
    let world = World::new().await;
    let body = json!({
        "title": "Managed", "slug": "managed", "length": 30, "metadata": {}, "teamId": world.team,
        "schedulingType": "MANAGED", "children": [{"userId": OWNER}],
    });
    let parent = world.make(OWNER, "event-types", "event_type", body).await;
    let team = world.team;
    world
        .service
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
    let refused = world
        .ask(MEMBER, "POST", "/v1/event-types", body.clone())
        .await;
    assert!(refused.failed(403).contains("eventType.update"));
    world
        .service
        .sql(
            "INSERT INTO role_permissions (role_id, permission, position)
             VALUES ('maker', 'eventType.update', 1)",
        )
        .await;
    let made = world.ask(MEMBER, "POST", "/v1/event-types", body).await;
    assert_eq!(made.wrapped("event_type")["userId"], MEMBER);
}

#[tokio::test]
async fn a_host_reads_a_teams_event_type_and_does_not_change_it() {
    let world = World::new().await;
    let target = format!("/v1/event-types/{}", world.team_event_type);
    let body = json!({"hosts": [{"userId": MEMBER, "isFixed": true}, {"userId": OWNER}]});
    let changed = world.ask(OWNER, "PATCH", &target, body).await;
    let hosts = changed.wrapped("event_type")["hosts"].clone();
    assert_eq!(
        hosts,
        json!([{"userId": MEMBER, "isFixed": true}, {"userId": OWNER, "isFixed": false}])
    );
    assert_eq!(
        world.get(MEMBER, &target).await.wrapped("event_type")["teamId"],
        world.team
    );
    world
        .ask(MEMBER, "PATCH", &target, json!({"title": "Mine"}))
        .await
        .failed(403);
    world
        .ask(MEMBER, "DELETE", &target, Value::Null)
        .await
        .failed(403);
    let stranger = json!({"hosts": [{"userId": STRANGER}]});
    world
        .ask(OWNER, "PATCH", &target, stranger)
        .await
        .failed(400);
}

#[tokio::test]
async fn every_kind_of_place_comes_back_as_it_was_given() {
    let world = World::new().await;
    let places = json!([
        {"type": "inPerson", "address": "Via Roma 1"},
        {"type": "link", "link": "https://example.org/room"},
        {"type": "userPhone", "hostPhoneNumber": "+390612345678"},
        {"type": "phone"},
        {"type": "attendeeInPerson"},
        {"type": "somewhereElse"},
        {"type": "conferencing"},
        {"type": "integrations:zoom"},
    ]);
    let changed = change(&world, world.event_type, json!({"locations": places})).await;
    assert_eq!(changed["locations"], places);
}
