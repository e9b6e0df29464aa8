//! Both versions show the same rows: what one makes, the other sees.

use serde_json::{Value, json};

use crate::common::booking;
use crate::world::{FREE, MEMBER, OWNER, World, key, new_booking};

fn bearer(user_id: i64) -> (String, String) {
    (
        "authorization".to_owned(),
        format!("Bearer {}", key(user_id)),
    )
}

async fn v2(world: &World, target: &str) -> Value {
    world
        .service
        .get_as(target, bearer(OWNER))
        .await
        .data()
        .clone()
}

/// Compares values by their pointers: those of version 1 with those of version 2.
#[track_caller]
fn same(one: &Value, two: &Value, pairs: &[(&str, &str)]) {
    for (ours, theirs) in pairs {
        let our = one.pointer(ours);
        assert!(our.is_some(), "{ours} in {one}");
        // Version 2 leaves out what has no value.
        let their = two.pointer(theirs).or(Some(&Value::Null));
        assert_eq!(our, their, "{ours} in {one}, {theirs} in {two}");
    }
}

const BOOKING: [(&str, &str); 9] = [
    ("/id", "/id"),
    ("/uid", "/uid"),
    ("/title", "/title"),
    ("/startTime", "/start"),
    ("/endTime", "/end"),
    ("/eventTypeId", "/eventTypeId"),
    ("/metadata", "/metadata"),
    ("/createdAt", "/createdAt"),
    ("/attendees/0/email", "/attendees/0/email"),
];

#[tokio::test]
async fn a_booking_of_one_version_is_a_booking_of_the_other() {
    let world = World::new().await;
    let plain = world.service.event_type("plain", json!({})).await;
    let made = world
        .ask(OWNER, "POST", "/v1/bookings", new_booking(plain, FREE))
        .await;
    let made = made.wrapped("booking").clone();
    let seen = v2(
        &world,
        &format!("/v2/bookings/{}", made["uid"].as_str().unwrap()),
    )
    .await;
    same(&made, &seen, &BOOKING);
    assert_eq!(
        (made["status"].as_str(), seen["status"].as_str()),
        (Some("ACCEPTED"), Some("accepted"))
    );
    assert_eq!(made["user"]["email"], seen["hosts"][0]["email"]);
    assert_eq!(
        made["responses"]["name"],
        seen["bookingFieldsResponses"]["name"]
    );

    let later = "2027-03-03T14:00:00.000Z";
    let booked = world
        .service
        .post("/v2/bookings", booking(plain, later))
        .await
        .data()
        .clone();
    let shown = world
        .get(OWNER, &format!("/v1/bookings/{}", booked["id"]))
        .await;
    same(shown.wrapped("booking"), &booked, &BOOKING);

    // The time that one has taken, the other does not give.
    let target = format!("/v2/slots?eventTypeId={plain}&start=2027-03-03&end=2027-03-03");
    let slots = v2(&world, &target).await.to_string();
    assert!(!slots.contains(FREE) && !slots.contains(later), "{slots}");
    let taken = world
        .service
        .post("/v2/bookings", booking(plain, FREE))
        .await;
    assert_eq!(taken.status, 409, "{}", taken.text);

    let target = format!("/v1/bookings/{}/cancel?cancellationReason=ill", made["id"]);
    world
        .ask(OWNER, "DELETE", &target, Value::Null)
        .await
        .wrapped("success");
    let gone = v2(
        &world,
        &format!("/v2/bookings/{}", made["uid"].as_str().unwrap()),
    )
    .await;
    assert_eq!(
        (&gone["status"], &gone["cancellationReason"]),
        (&json!("cancelled"), &json!("ill"))
    );
}

#[tokio::test]
async fn attendees_and_references_are_the_same() {
    let world = World::new().await;
    let uid = &world.booking_uid;
    let attendee = world
        .get(OWNER, &format!("/v1/attendees/{}", world.second_attendee))
        .await;
    let seen = v2(
        &world,
        &format!("/v2/bookings/{uid}/attendees/{}", world.second_attendee),
    )
    .await;
    let keys = ["/id", "/bookingId", "/name", "/email", "/timeZone"].map(|key| (key, key));
    same(attendee.wrapped("attendee"), &seen, &keys);
    let body = json!({"externalCalendarId": "cal"});
    let target = format!("/v1/booking-references/{}", world.reference);
    let reference = world.ask(OWNER, "PATCH", &target, body).await;
    let seen = v2(&world, &format!("/v2/bookings/{uid}/references")).await;
    same(
        reference.wrapped("booking_reference"),
        &seen[0],
        &[
            ("/id", "/id"),
            ("/type", "/type"),
            ("/uid", "/eventUid"),
            ("/externalCalendarId", "/destinationCalendarId"),
        ],
    );
    world
        .ask(OWNER, "PATCH", &target, json!({"deleted": true}))
        .await
        .wrapped("booking_reference");
    assert_eq!(
        v2(&world, &format!("/v2/bookings/{uid}/references")).await,
        json!([])
    );
}

#[tokio::test]
async fn an_event_type_is_the_same() {
    let world = World::new().await;
    let body = json!({
        "title": "Clinic", "slug": "Open Clinic", "length": 45, "metadata": {"a": 1}, "description": "Come",
        "minimumBookingNotice": 10, "beforeEventBuffer": 5, "afterEventBuffer": 6, "slotInterval": 15,
        "requiresConfirmation": true, "recurringEvent": {"freq": 1, "interval": 2, "count": 3},
        "periodType": "RANGE", "periodStartDate": "2027-03-01", "periodEndDate": "2027-06-01",
        "bookingLimits": {"PER_DAY": 2}, "durationLimits": {"PER_WEEK": 300}, "disableGuests": true,
        "locations": [{"type": "inPerson", "address": "Via Roma 1"}, {"type": "phone"}],
        "price": 0, "currency": "EUR", "onlyShowFirstAvailableSlot": true,
    });
    let id = world.make(OWNER, "event-types", "event_type", body).await;
    let shown = world.get(OWNER, &format!("/v1/event-types/{id}")).await;
    let seen = v2(&world, &format!("/v2/event-types/{id}")).await;
    let pairs = [
        ("/id", "/id"),
        ("/title", "/title"),
        ("/slug", "/slug"),
        ("/length", "/lengthInMinutes"),
        ("/metadata", "/metadata"),
        ("/description", "/description"),
        ("/minimumBookingNotice", "/minimumBookingNotice"),
        ("/beforeEventBuffer", "/beforeEventBuffer"),
        ("/afterEventBuffer", "/afterEventBuffer"),
        ("/slotInterval", "/slotInterval"),
        ("/recurringEvent/interval", "/recurrence/interval"),
        ("/recurringEvent/count", "/recurrence/occurrences"),
        ("/periodStartDate", "/bookingWindow/value/0"),
        ("/bookingLimits/PER_DAY", "/bookingLimitsCount/day"),
        ("/durationLimits/PER_WEEK", "/bookingLimitsDuration/week"),
        ("/disableGuests", "/disableGuests"),
        ("/locations/0/address", "/locations/0/address"),
        ("/price", "/price"),
        ("/currency", "/currency"),
        ("/onlyShowFirstAvailableSlot", "/onlyShowFirstAvailableSlot"),
        ("/link", "/bookingUrl"),
        ("/userId", "/ownerId"),
        ("/bookingFields", "/bookingFields"),
    ];
    same(shown.wrapped("event_type"), &seen, &pairs);
    assert_eq!(seen["slug"], "open-clinic");
    assert_eq!(seen["recurrence"]["frequency"], "monthly");
    assert_eq!(seen["confirmationPolicy"]["type"], "always");
    assert_eq!(seen["locations"][1]["type"], "attendeePhone");

    let changes = json!({"lengthInMinutes": 20, "confirmationPolicy": {"disabled": true}});
    let target = format!("/v2/event-types/{id}");
    world
        .service
        .ask("PATCH", &target, &bearer(OWNER), changes)
        .await
        .data();
    let shown = world.get(OWNER, &format!("/v1/event-types/{id}")).await;
    let shown = shown.wrapped("event_type");
    assert_eq!(
        (&shown["length"], &shown["requiresConfirmation"]),
        (&json!(20), &json!(false))
    );
}

#[tokio::test]
async fn a_schedule_is_the_same() {
    let world = World::new().await;
    let body = json!({"name": "Evenings", "timeZone": "Europe/Rome"});
    let id = world.make(OWNER, "schedules", "schedule", body).await;
    let date = json!({
        "scheduleId": id, "date": "2027-03-10",
        "startTime": "1970-01-01T10:00:00.000Z", "endTime": "1970-01-01T12:30:00.000Z",
    });
    world
        .make(OWNER, "availabilities", "availability", date)
        .await;
    let shown = world.get(OWNER, &format!("/v1/schedules/{id}")).await;
    let shown = shown.wrapped("schedule");
    let seen = v2(&world, &format!("/v2/schedules/{id}")).await;
    let pairs = [
        ("/id", "/id"),
        ("/userId", "/ownerId"),
        ("/name", "/name"),
        ("/timeZone", "/timeZone"),
    ];
    same(shown, &seen, &pairs);
    assert_eq!(shown["availability"][0]["days"], json!([1, 2, 3, 4, 5]));
    assert_eq!(shown["availability"][0]["startTime"], "09:00:00");
    assert_eq!(seen["availability"][0]["startTime"], "09:00");
    assert_eq!(
        shown["availability"][1]["date"],
        seen["overrides"][0]["date"]
    );
    assert_eq!(seen["overrides"][0]["endTime"], "12:30");

    let week = json!({"availability": [{"days": ["Saturday", "Sunday"], "startTime": "08:00", "endTime": "11:00"}]});
    world
        .service
        .ask(
            "PATCH",
            &format!("/v2/schedules/{id}"),
            &bearer(OWNER),
            week,
        )
        .await
        .data();
    let shown = world.get(OWNER, &format!("/v1/schedules/{id}")).await;
    let hours = &shown.wrapped("schedule")["availability"];
    assert_eq!(hours[0]["days"], json!([0, 6]));
    assert_eq!(hours[1]["date"], "2027-03-10");
}

#[tokio::test]
async fn a_membership_and_a_team_are_the_same() {
    let world = World::new().await;
    let team = world.team;
    let shown = world.get(OWNER, &format!("/v1/teams/{team}")).await;
    let seen = v2(&world, &format!("/v2/teams/{team}")).await;
    let keys = [
        "/id",
        "/parentId",
        "/name",
        "/slug",
        "/timeZone",
        "/weekStart",
        "/isPrivate",
        "/brandColor",
    ];
    same(shown.wrapped("team"), &seen, &keys.map(|key| (key, key)));

    let target = format!("/v1/memberships/{MEMBER}_{team}");
    world
        .ask(OWNER, "PATCH", &target, json!({"role": "ADMIN"}))
        .await
        .wrapped("membership");
    let members = v2(&world, &format!("/v2/teams/{team}/memberships")).await;
    let member = members
        .as_array()
        .unwrap()
        .iter()
        .find(|member| member["userId"] == MEMBER)
        .unwrap();
    let shown = world.get(OWNER, &format!("{target}?include=team")).await;
    let keys = [
        "/userId",
        "/teamId",
        "/accepted",
        "/role",
        "/disableImpersonation",
    ];
    same(
        shown.wrapped("membership"),
        member,
        &keys.map(|key| (key, key)),
    );
    assert_eq!(shown.wrapped("membership")["team"]["slug"], "team");
    // The rules are the same: a team keeps an owner.
    let own = format!("/v1/memberships/{OWNER}_{team}");
    for (method, body) in [
        ("DELETE", Value::Null),
        ("PATCH", json!({"role": "MEMBER"})),
    ] {
        let refused = world.ask(OWNER, method, &own, body).await;
        assert!(
            refused.failed(400).contains("last owner"),
            "{}",
            refused.text
        );
    }
    // An admin makes no owners.
    let more = world
        .ask(MEMBER, "PATCH", &target, json!({"role": "OWNER"}))
        .await;
    more.failed(403);
}

#[tokio::test]
async fn a_user_is_the_same() {
    let world = World::new().await;
    let body = json!({
        "name": "Ada", "timeZone": "Asia/Tokyo", "timeFormat": "TWELVE", "weekStart": "Sunday", "bio": "Hi",
        "username": "ada-two", "hideBranding": true, "darkBrandColor": "#abc", "theme": "LIGHT", "locale": "de",
    });
    let shown = world
        .ask(OWNER, "PATCH", &format!("/v1/users/{OWNER}"), body.clone())
        .await;
    let shown = shown.wrapped("user");
    for (key, value) in body.as_object().unwrap() {
        assert_eq!(&shown[key], value, "{key}");
    }
    let me = v2(&world, "/v2/me").await;
    let keys = [
        "/id",
        "/username",
        "/name",
        "/email",
        "/bio",
        "/timeZone",
        "/weekStart",
        "/defaultScheduleId",
    ];
    same(shown, &me, &keys.map(|key| (key, key)));
    assert_eq!(me["timeFormat"], 12);
    // The default schedule moves along, in both.
    let schedule = world.get(OWNER, &format!("/v1/schedules/{OWNER}")).await;
    assert_eq!(schedule.wrapped("schedule")["timeZone"], "Asia/Tokyo");
}

#[tokio::test]
async fn a_webhook_is_the_same_and_its_secret_stays_in_version_2() {
    let world = World::new().await;
    let shown = world
        .get(OWNER, &format!("/v1/webhooks/{}", world.webhook))
        .await;
    assert!(!shown.text.contains("geheim"), "{}", shown.text);
    let seen = v2(&world, &format!("/v2/webhooks/{}", world.webhook)).await;
    let pairs = [
        ("/id", "/id"),
        ("/userId", "/userId"),
        ("/subscriberUrl", "/subscriberUrl"),
        ("/eventTriggers", "/triggers"),
        ("/active", "/active"),
    ];
    same(shown.wrapped("webhook"), &seen, &pairs);
    // Version 2 leaves out what there is none of.
    assert_eq!(
        shown.wrapped("webhook").get("payloadTemplate"),
        Some(&json!(null))
    );
    assert_eq!(seen.get("payloadTemplate"), None);
    assert_eq!(seen["secret"], "geheim");
    let target = format!("/v1/webhooks/{}", world.webhook);
    let changed = world
        .ask(
            OWNER,
            "PATCH",
            &target,
            json!({"active": false, "payloadTemplate": "a={{title}}"}),
        )
        .await;
    assert!(!changed.text.contains("geheim"), "{}", changed.text);
    let template = [("/payloadTemplate", "/payloadTemplate")];
    let seen = v2(&world, &format!("/v2/webhooks/{}", world.webhook)).await;
    assert_eq!(
        (&seen["active"], &seen["secret"]),
        (&json!(false), &json!("geheim"))
    );
    same(changed.wrapped("webhook"), &seen, &template);
}

#[tokio::test]
async fn event_type_of_a_team_is_the_same() {
    let world = World::new().await;
    let body = json!({
        "title": "Round", "slug": "round", "length": 30, "metadata": {}, "teamId": world.team,
        "schedulingType": "ROUND_ROBIN", "hosts": [{"userId": OWNER, "isFixed": true}],
        "scheduleId": world.schedule, "successRedirectUrl": "https://example.org/thanks",
        "seatsPerTimeSlot": 4, "seatsShowAttendees": true, "seatsShowAvailabilityCount": true,
    });
    let id = world.make(OWNER, "event-types", "event_type", body).await;
    let shown = world.get(OWNER, &format!("/v1/event-types/{id}")).await;
    let target = format!("/v2/teams/{}/event-types/{id}", world.team);
    let seen = v2(&world, &target).await;
    let pairs = [
        ("/teamId", "/teamId"),
        ("/hosts/0/userId", "/hosts/0/userId"),
        ("/hosts/0/isFixed", "/hosts/0/mandatory"),
        ("/scheduleId", "/scheduleId"),
        ("/successRedirectUrl", "/successRedirectUrl"),
        ("/seatsPerTimeSlot", "/seats/seatsPerTimeSlot"),
        ("/seatsShowAttendees", "/seats/showAttendeeInfo"),
        (
            "/seatsShowAvailabilityCount",
            "/seats/showAvailabilityCount",
        ),
        ("/assignAllTeamMembers", "/assignAllTeamMembers"),
    ];
    same(shown.wrapped("event_type"), &seen, &pairs);
    assert_eq!(seen["schedulingType"], "roundRobin");
    let change = json!({"assignAllTeamMembers": true});
    world
        .ask(OWNER, "PATCH", &format!("/v1/event-types/{id}"), change)
        .await
        .wrapped("event_type");
    let seen = v2(&world, &target).await;
    let hosts: Vec<i64> = seen["hosts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|host| host["userId"].as_i64().unwrap())
        .collect();
    assert!(
        hosts.contains(&OWNER) && hosts.contains(&MEMBER),
        "{hosts:?}"
    );
}

#[tokio::test]
async fn webhook_of_an_event_type_is_the_same() {
    let world = World::new().await;
    let body = json!({
        "subscriberUrl": "https://example.org/of-type", "eventTriggers": ["BOOKING_CREATED"], "active": true,
        "eventTypeId": world.event_type,
    });
    let made = world.ask(OWNER, "POST", "/v1/webhooks", body).await;
    let target = format!("/v2/event-types/{}/webhooks", world.event_type);
    let seen = v2(&world, &target).await;
    let pairs = [
        ("/id", "/id"),
        ("/eventTypeId", "/eventTypeId"),
        ("/subscriberUrl", "/subscriberUrl"),
    ];
    same(made.wrapped("webhook"), &seen[0], &pairs);
}
