//! Resources created or changed through one API version are visible in the other.

use serde_json::{Value, json};

use crate::app::{FREE_SLOT, MEMBER, OWNER, TestApp, booking_body, key};
use crate::common::booking;

fn bearer(user_id: i64) -> (String, String) {
    (
        "authorization".to_owned(),
        format!("Bearer {}", key(user_id)),
    )
}

async fn get_v2(app: &TestApp, target: &str) -> Value {
    app.service
        .get_as(target, bearer(OWNER))
        .await
        .data()
        .clone()
}

/// Asserts equal values; `pairs` are JSON pointers into the version 1 and version 2 responses.
#[track_caller]
fn assert_same(v1_body: &Value, v2_body: &Value, pairs: &[(&str, &str)]) {
    for (v1_pointer, v2_pointer) in pairs {
        let v1_value = v1_body.pointer(v1_pointer);
        assert!(v1_value.is_some(), "{v1_pointer} in {v1_body}");
        // Version 2 omits properties without a value.
        let v2_value = v2_body.pointer(v2_pointer).or(Some(&Value::Null));
        assert_eq!(
            v1_value, v2_value,
            "{v1_pointer} in {v1_body}, {v2_pointer} in {v2_body}"
        );
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
async fn booking_is_the_same_in_both_versions() {
    let app = TestApp::new().await;
    let plain = app.service.event_type("plain", json!({})).await;
    let created = app
        .request(
            OWNER,
            "POST",
            "/v1/bookings",
            booking_body(plain, FREE_SLOT),
        )
        .await;
    let created = created.wrapped("booking").clone();
    let v2_data = get_v2(
        &app,
        &format!("/v2/bookings/{}", created["uid"].as_str().unwrap()),
    )
    .await;
    assert_same(&created, &v2_data, &BOOKING);
    assert_eq!(
        (created["status"].as_str(), v2_data["status"].as_str()),
        (Some("ACCEPTED"), Some("accepted"))
    );
    assert_eq!(created["user"]["email"], v2_data["hosts"][0]["email"]);
    assert_eq!(
        created["responses"]["name"],
        v2_data["bookingFieldsResponses"]["name"]
    );

    let later = "2027-03-03T14:00:00.000Z";
    let booked = app
        .service
        .post("/v2/bookings", booking(plain, later))
        .await
        .data()
        .clone();
    let fetched = app
        .get(OWNER, &format!("/v1/bookings/{}", booked["id"]))
        .await;
    assert_same(fetched.wrapped("booking"), &booked, &BOOKING);

    // A slot booked through one version is unavailable in both.
    let target = format!("/v2/slots?eventTypeId={plain}&start=2027-03-03&end=2027-03-03");
    let slots = get_v2(&app, &target).await.to_string();
    assert!(
        !slots.contains(FREE_SLOT) && !slots.contains(later),
        "{slots}"
    );
    let taken = app
        .service
        .post("/v2/bookings", booking(plain, FREE_SLOT))
        .await;
    assert_eq!(taken.status, 409, "{}", taken.text);

    let target = format!(
        "/v1/bookings/{}/cancel?cancellationReason=ill",
        created["id"]
    );
    app.request(OWNER, "DELETE", &target, Value::Null)
        .await
        .wrapped("success");
    let cancelled = get_v2(
        &app,
        &format!("/v2/bookings/{}", created["uid"].as_str().unwrap()),
    )
    .await;
    assert_eq!(
        (&cancelled["status"], &cancelled["cancellationReason"]),
        (&json!("cancelled"), &json!("ill"))
    );
}

#[tokio::test]
async fn attendees_and_references_are_the_same_in_both_versions() {
    let app = TestApp::new().await;
    let uid = &app.booking_uid;
    let attendee = app
        .get(OWNER, &format!("/v1/attendees/{}", app.second_attendee))
        .await;
    let v2_data = get_v2(
        &app,
        &format!("/v2/bookings/{uid}/attendees/{}", app.second_attendee),
    )
    .await;
    let keys = ["/id", "/bookingId", "/name", "/email", "/timeZone"].map(|key| (key, key));
    assert_same(attendee.wrapped("attendee"), &v2_data, &keys);
    let body = json!({"externalCalendarId": "cal"});
    let target = format!("/v1/booking-references/{}", app.reference);
    let reference = app.request(OWNER, "PATCH", &target, body).await;
    let v2_data = get_v2(&app, &format!("/v2/bookings/{uid}/references")).await;
    assert_same(
        reference.wrapped("booking_reference"),
        &v2_data[0],
        &[
            ("/id", "/id"),
            ("/type", "/type"),
            ("/uid", "/eventUid"),
            ("/externalCalendarId", "/destinationCalendarId"),
        ],
    );
    app.request(OWNER, "PATCH", &target, json!({"deleted": true}))
        .await
        .wrapped("booking_reference");
    assert_eq!(
        get_v2(&app, &format!("/v2/bookings/{uid}/references")).await,
        json!([])
    );
}

#[tokio::test]
async fn event_type_is_the_same_in_both_versions() {
    let app = TestApp::new().await;
    let body = json!({
        "title": "Clinic", "slug": "Open Clinic", "length": 45, "metadata": {"a": 1}, "description": "Come",
        "minimumBookingNotice": 10, "beforeEventBuffer": 5, "afterEventBuffer": 6, "slotInterval": 15,
        "requiresConfirmation": true, "recurringEvent": {"freq": 1, "interval": 2, "count": 3},
        "periodType": "RANGE", "periodStartDate": "2027-03-01", "periodEndDate": "2027-06-01",
        "bookingLimits": {"PER_DAY": 2}, "durationLimits": {"PER_WEEK": 300}, "disableGuests": true,
        "locations": [{"type": "inPerson", "address": "Via Roma 1"}, {"type": "phone"}],
        "price": 0, "currency": "EUR", "onlyShowFirstAvailableSlot": true,
    });
    let id = app.create(OWNER, "event-types", "event_type", body).await;
    let fetched = app.get(OWNER, &format!("/v1/event-types/{id}")).await;
    let v2_data = get_v2(&app, &format!("/v2/event-types/{id}")).await;
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
    assert_same(fetched.wrapped("event_type"), &v2_data, &pairs);
    assert_eq!(v2_data["slug"], "open-clinic");
    assert_eq!(v2_data["recurrence"]["frequency"], "monthly");
    assert_eq!(v2_data["confirmationPolicy"]["type"], "always");
    assert_eq!(v2_data["locations"][1]["type"], "attendeePhone");

    let changes = json!({"lengthInMinutes": 20, "confirmationPolicy": {"disabled": true}});
    let target = format!("/v2/event-types/{id}");
    app.service
        .request("PATCH", &target, &bearer(OWNER), changes)
        .await
        .data();
    let fetched = app.get(OWNER, &format!("/v1/event-types/{id}")).await;
    let fetched = fetched.wrapped("event_type");
    assert_eq!(
        (&fetched["length"], &fetched["requiresConfirmation"]),
        (&json!(20), &json!(false))
    );
}

#[tokio::test]
async fn schedule_is_the_same_in_both_versions() {
    let app = TestApp::new().await;
    let body = json!({"name": "Evenings", "timeZone": "Europe/Rome"});
    let id = app.create(OWNER, "schedules", "schedule", body).await;
    let date = json!({
        "scheduleId": id, "date": "2027-03-10",
        "startTime": "1970-01-01T10:00:00.000Z", "endTime": "1970-01-01T12:30:00.000Z",
    });
    app.create(OWNER, "availabilities", "availability", date)
        .await;
    let fetched = app.get(OWNER, &format!("/v1/schedules/{id}")).await;
    let fetched = fetched.wrapped("schedule");
    let v2_data = get_v2(&app, &format!("/v2/schedules/{id}")).await;
    let pairs = [
        ("/id", "/id"),
        ("/userId", "/ownerId"),
        ("/name", "/name"),
        ("/timeZone", "/timeZone"),
    ];
    assert_same(fetched, &v2_data, &pairs);
    assert_eq!(fetched["availability"][0]["days"], json!([1, 2, 3, 4, 5]));
    assert_eq!(fetched["availability"][0]["startTime"], "09:00:00");
    assert_eq!(v2_data["availability"][0]["startTime"], "09:00");
    assert_eq!(
        fetched["availability"][1]["date"],
        v2_data["overrides"][0]["date"]
    );
    assert_eq!(v2_data["overrides"][0]["endTime"], "12:30");

    let week = json!({"availability": [{"days": ["Saturday", "Sunday"], "startTime": "08:00", "endTime": "11:00"}]});
    app.service
        .request(
            "PATCH",
            &format!("/v2/schedules/{id}"),
            &bearer(OWNER),
            week,
        )
        .await
        .data();
    let fetched = app.get(OWNER, &format!("/v1/schedules/{id}")).await;
    let hours = &fetched.wrapped("schedule")["availability"];
    assert_eq!(hours[0]["days"], json!([0, 6]));
    assert_eq!(hours[1]["date"], "2027-03-10");
}

#[tokio::test]
async fn membership_and_team_are_the_same_in_both_versions() {
    let app = TestApp::new().await;
    let team = app.team;
    let fetched = app.get(OWNER, &format!("/v1/teams/{team}")).await;
    let v2_data = get_v2(&app, &format!("/v2/teams/{team}")).await;
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
    assert_same(
        fetched.wrapped("team"),
        &v2_data,
        &keys.map(|key| (key, key)),
    );

    let target = format!("/v1/memberships/{MEMBER}_{team}");
    app.request(OWNER, "PATCH", &target, json!({"role": "ADMIN"}))
        .await
        .wrapped("membership");
    let members = get_v2(&app, &format!("/v2/teams/{team}/memberships")).await;
    let member = members
        .as_array()
        .unwrap()
        .iter()
        .find(|member| member["userId"] == MEMBER)
        .unwrap();
    let fetched = app.get(OWNER, &format!("{target}?include=team")).await;
    let keys = [
        "/userId",
        "/teamId",
        "/accepted",
        "/role",
        "/disableImpersonation",
    ];
    assert_same(
        fetched.wrapped("membership"),
        member,
        &keys.map(|key| (key, key)),
    );
    assert_eq!(fetched.wrapped("membership")["team"]["slug"], "team");
    // The last owner of a team can neither leave nor be demoted, as in version 2.
    let own = format!("/v1/memberships/{OWNER}_{team}");
    for (method, body) in [
        ("DELETE", Value::Null),
        ("PATCH", json!({"role": "MEMBER"})),
    ] {
        let rejected = app.request(OWNER, method, &own, body).await;
        assert!(
            rejected.assert_v1_error(400).contains("last owner"),
            "{}",
            rejected.text
        );
    }
    // An admin cannot promote members to owner.
    let more = app
        .request(MEMBER, "PATCH", &target, json!({"role": "OWNER"}))
        .await;
    more.assert_v1_error(403);
}

#[tokio::test]
async fn user_is_the_same_in_both_versions() {
    let app = TestApp::new().await;
    let body = json!({
        "name": "Ada", "timeZone": "Asia/Tokyo", "timeFormat": "TWELVE", "weekStart": "Sunday", "bio": "Hi",
        "username": "ada-two", "hideBranding": true, "darkBrandColor": "#abc", "theme": "LIGHT", "locale": "de",
    });
    let fetched = app
        .request(OWNER, "PATCH", &format!("/v1/users/{OWNER}"), body.clone())
        .await;
    let fetched = fetched.wrapped("user");
    for (key, value) in body.as_object().unwrap() {
        assert_eq!(&fetched[key], value, "{key}");
    }
    let me = get_v2(&app, "/v2/me").await;
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
    assert_same(fetched, &me, &keys.map(|key| (key, key)));
    assert_eq!(me["timeFormat"], 12);
    // The time zone of the default schedule changes, too.
    let schedule = app.get(OWNER, &format!("/v1/schedules/{OWNER}")).await;
    assert_eq!(schedule.wrapped("schedule")["timeZone"], "Asia/Tokyo");
}

#[tokio::test]
async fn webhook_is_the_same_and_secret_is_only_in_version_2() {
    let app = TestApp::new().await;
    let fetched = app
        .get(OWNER, &format!("/v1/webhooks/{}", app.webhook))
        .await;
    assert!(!fetched.text.contains("geheim"), "{}", fetched.text);
    let v2_data = get_v2(&app, &format!("/v2/webhooks/{}", app.webhook)).await;
    let pairs = [
        ("/id", "/id"),
        ("/userId", "/userId"),
        ("/subscriberUrl", "/subscriberUrl"),
        ("/eventTriggers", "/triggers"),
        ("/active", "/active"),
    ];
    assert_same(fetched.wrapped("webhook"), &v2_data, &pairs);
    // Version 2 omits properties without a value.
    assert_eq!(
        fetched.wrapped("webhook").get("payloadTemplate"),
        Some(&json!(null))
    );
    assert_eq!(v2_data.get("payloadTemplate"), None);
    assert_eq!(v2_data["secret"], "geheim");
    let target = format!("/v1/webhooks/{}", app.webhook);
    let changed = app
        .request(
            OWNER,
            "PATCH",
            &target,
            json!({"active": false, "payloadTemplate": "a={{title}}"}),
        )
        .await;
    assert!(!changed.text.contains("geheim"), "{}", changed.text);
    let template = [("/payloadTemplate", "/payloadTemplate")];
    let v2_data = get_v2(&app, &format!("/v2/webhooks/{}", app.webhook)).await;
    assert_eq!(
        (&v2_data["active"], &v2_data["secret"]),
        (&json!(false), &json!("geheim"))
    );
    assert_same(changed.wrapped("webhook"), &v2_data, &template);
}

#[tokio::test]
async fn team_event_type_is_the_same_in_both_versions() {
    let app = TestApp::new().await;
    let body = json!({
        "title": "Round", "slug": "round", "length": 30, "metadata": {}, "teamId": app.team,
        "schedulingType": "ROUND_ROBIN", "hosts": [{"userId": OWNER, "isFixed": true}],
        "scheduleId": app.schedule, "successRedirectUrl": "https://example.org/thanks",
        "seatsPerTimeSlot": 4, "seatsShowAttendees": true, "seatsShowAvailabilityCount": true,
    });
    let id = app.create(OWNER, "event-types", "event_type", body).await;
    let fetched = app.get(OWNER, &format!("/v1/event-types/{id}")).await;
    let target = format!("/v2/teams/{}/event-types/{id}", app.team);
    let v2_data = get_v2(&app, &target).await;
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
    assert_same(fetched.wrapped("event_type"), &v2_data, &pairs);
    assert_eq!(v2_data["schedulingType"], "roundRobin");
    let change = json!({"assignAllTeamMembers": true});
    app.request(OWNER, "PATCH", &format!("/v1/event-types/{id}"), change)
        .await
        .wrapped("event_type");
    let v2_data = get_v2(&app, &target).await;
    let hosts: Vec<i64> = v2_data["hosts"]
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
async fn event_type_webhook_is_the_same_in_both_versions() {
    let app = TestApp::new().await;
    let body = json!({
        "subscriberUrl": "https://example.org/of-type", "eventTriggers": ["BOOKING_CREATED"], "active": true,
        "eventTypeId": app.event_type,
    });
    let created = app.request(OWNER, "POST", "/v1/webhooks", body).await;
    let target = format!("/v2/event-types/{}/webhooks", app.event_type);
    let v2_data = get_v2(&app, &target).await;
    let pairs = [
        ("/id", "/id"),
        ("/eventTypeId", "/eventTypeId"),
        ("/subscriberUrl", "/subscriberUrl"),
    ];
    assert_same(created.wrapped("webhook"), &v2_data[0], &pairs);
}
