//! POST, PATCH and DELETE of /v2/event-types and /v2/teams/{teamId}/event-types

use axum::http::Method;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, TestResponse, booking};

impl Service {
    pub async fn patch_as(&self, target: &str, user: i64, body: Value) -> TestResponse {
        let headers = [self.bearer_of(user).await];
        self.call(Method::PATCH, target, &headers, Some(body)).await
    }

    pub async fn delete_as(&self, target: &str, user: i64) -> TestResponse {
        let headers = [self.bearer_of(user).await];
        self.call(Method::DELETE, target, &headers, None).await
    }

    pub async fn create_event_type(&self, body: Value) -> TestResponse {
        let host = self.bearer_of(HOST).await;
        self.post_as("/v2/event-types", host, body).await
    }
}

/// Minimal body of an event type, extended by `more`.
pub fn event_type_body(slug: &str, more: Value) -> Value {
    let mut body = json!({"title": "Talk", "slug": slug, "lengthInMinutes": 30});
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    body
}

pub fn slugs(fields: &Value) -> Vec<&str> {
    fields
        .as_array()
        .unwrap()
        .iter()
        .map(|field| field["slug"].as_str().unwrap())
        .collect()
}

/// All settings with values that are not their defaults, as on the wire.
pub fn all_settings() -> Value {
    json!({
        "description": "Words.",
        "lengthInMinutesOptions": [15, 30, 60],
        "locations": [
            {"type": "address", "address": "Torstraße 140", "public": true},
            {"type": "link", "link": "https://meet.example/x", "public": false},
            {"type": "phone", "phone": "+390612345678", "public": true},
            {"type": "integration", "integration": "google-meet"},
            {"type": "organizersDefaultApp"},
            {"type": "attendeeAddress"},
            {"type": "attendeePhone"},
            {"type": "attendeeDefined"},
        ],
        "recurrence": {"interval": 2, "occurrences": 6, "frequency": "weekly"},
        "slotInterval": 20,
        "minimumBookingNotice": 60,
        "beforeEventBuffer": 5,
        "afterEventBuffer": 10,
        "offsetStart": 3,
        "bookingWindow": {"type": "range", "value": ["2027-03-01", "2027-05-31"]},
        "bookingLimitsCount": {"day": 2, "week": 5},
        "bookingLimitsDuration": {"month": 600},
        "bookerActiveBookingsLimit": {"maximumActiveBookings": 3, "offerReschedule": true},
        "confirmationPolicy": {
            "type": "time", "noticeThreshold": {"unit": "hours", "count": 24},
            "blockUnconfirmedBookingsInBooker": true,
        },
        "seats": {"seatsPerTimeSlot": 5, "showAttendeeInfo": true, "showAvailabilityCount": true},
        "scheduleId": HOST,
        "metadata": {"team": {"nested": [1]}},
        "currency": "eur",
        "interfaceLanguage": "pt-BR",
        "disableGuests": true,
        "lockTimeZoneToggleOnBookingPage": true,
        "hidden": true,
        "bookingRequiresAuthentication": true,
        "hideOrganizerEmail": true,
        "hideCalendarNotes": true,
        "onlyShowFirstAvailableSlot": true,
        "showOptimizedSlots": true,
        "allowReschedulingPastBookings": true,
        "allowReschedulingCancelledBookings": true,
        "disableCancelling": {"disabled": true},
        "disableRescheduling": {"disabled": false, "minutesBefore": 90},
        "successRedirectUrl": "https://northwind.example/thanks",
        "bookerLayouts": {"defaultLayout": "week", "enabledLayouts": ["week", "month"]},
        "color": {"lightThemeHex": "#0f766e", "darkThemeHex": "#abc"},
        "customName": "{Event type title} with {Scheduler}",
        "destinationCalendar": {"integration": "google_calendar", "externalId": "me@northwind.example"},
        "useDestinationCalendarEmail": true,
        "hideCalendarEventDetails": true,
        "emailReminders": {"minutesBefore": [120, 30]},
        "calVideoSettings": {
            "disableRecordingForOrganizer": true, "disableRecordingForGuests": false,
            "redirectUrlOnExit": "https://northwind.example/bye",
            "enableAutomaticRecordingForOrganizer": true, "enableAutomaticTranscription": true,
            "disableTranscriptionForGuests": true, "disableTranscriptionForOrganizer": true,
            "sendTranscriptionEmails": false,
        },
        "forwardParamsSuccessRedirect": true,
    })
}

#[tokio::test]
async fn new_event_type_has_default_settings() {
    let service = Service::start().await;
    let response = service
        .create_event_type(event_type_body("talk", json!({})))
        .await;
    assert_eq!(response.status, 201, "{}", response.text);
    let created = response.data();
    for (key, expected) in [
        ("title", json!("Talk")),
        ("description", json!("")),
        (
            "locations",
            json!([{"type": "integration", "integration": "svc-video"}]),
        ),
        ("minimumBookingNotice", json!(120)),
        ("beforeEventBuffer", json!(0)),
        ("scheduleId", Value::Null),
        ("currency", json!("usd")),
        ("seats", json!({"disabled": true})),
        ("ownerId", json!(HOST)),
        (
            "bookingUrl",
            json!(format!("http://127.0.0.1:8080/host{HOST}/talk")),
        ),
    ] {
        assert_eq!(created[key], expected, "{key}");
    }
    assert_eq!(
        slugs(&created["bookingFields"]),
        [
            "name",
            "email",
            "title",
            "notes",
            "guests",
            "rescheduleReason"
        ]
    );
    let count = service
        .get(&format!("/v2/event-types/{}", created["id"]))
        .await;
    assert_eq!(count.data()["slug"], "talk");
    // The event type can be booked.
    let id = created["id"].as_i64().unwrap();
    let booked = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    assert_eq!(booked.status, 201, "{}", booked.text);
}

#[tokio::test]
async fn all_settings_are_returned_and_can_be_reset() {
    let service = Service::start().await;
    let created = service
        .create_event_type(event_type_body("talk", all_settings()))
        .await;
    for (key, value) in all_settings().as_object().unwrap() {
        assert_eq!(&created.data()[key], value, "{key}");
    }
    assert_eq!(created.data()["seatsPerTimeSlot"], 5);
    assert_eq!(created.data()["seatsShowAvailabilityCount"], true);
    let target = format!("/v2/event-types/{}", created.data()["id"]);
    // An empty patch, or one with the current values, changes nothing.
    for unchanged in [json!({}), all_settings(), {
        let fields = &created.data()["bookingFields"];
        json!({"bookingFields": fields, "title": "Talk", "slug": "talk"})
    }] {
        let repeated = service.patch_as(&target, HOST, unchanged).await;
        assert_eq!(repeated.data(), created.data());
    }
    let plain = service
        .create_event_type(event_type_body("plain", json!({})))
        .await;
    let mut reset: serde_json::Map<String, Value> = all_settings()
        .as_object()
        .unwrap()
        .keys()
        .map(|key| (key.clone(), Value::Null))
        .collect();
    for setting in [
        "seats",
        "recurrence",
        "bookingWindow",
        "confirmationPolicy",
        "bookerLayouts",
        "color",
    ] {
        reset.insert(setting.into(), json!({"disabled": true}));
    }
    let reset = service.patch_as(&target, HOST, Value::Object(reset)).await;
    for (key, value) in plain.data().as_object().unwrap() {
        if !["id", "slug", "bookingUrl"].contains(&key.as_str()) {
            assert_eq!(&reset.data()[key], value, "{key}");
        }
    }
}

#[tokio::test]
async fn invalid_setting_returns_400_with_property() {
    let service = Service::start().await;
    let cases = [
        (json!({"title": " "}), "title"),
        (json!({"title": 5}), "title"),
        (json!({"slug": "Über uns"}), "slug"),
        (json!({"slug": "a--b"}), "slug"),
        (json!({"lengthInMinutes": 1441}), "lengthInMinutes"),
        (json!({"lengthInMinutes": 0}), "lengthInMinutes"),
        (json!({"lengthInMinutes": "30"}), "lengthInMinutes"),
        (
            json!({"lengthInMinutesOptions": [15, 60]}),
            "lengthInMinutesOptions",
        ),
        (
            json!({"lengthInMinutesOptions": [30, 0]}),
            "lengthInMinutesOptions.1",
        ),
        (json!({"isInstantEvent": true}), "isInstantEvent"),
        (json!({"hidden": "yes"}), "hidden"),
        (json!({"beforeEventBuffer": 721}), "beforeEventBuffer"),
        (json!({"minimumBookingNotice": -1}), "minimumBookingNotice"),
        (json!({"slotInterval": 0}), "slotInterval"),
        (json!({"price": -1}), "price"),
        (json!({"price": 1.5}), "price"),
        (json!({"currency": "euro"}), "currency"),
        (json!({"interfaceLanguage": "xx"}), "interfaceLanguage"),
        (json!({"scheduleId": 1}), "scheduleId"),
        (json!({"scheduleId": 4711}), "scheduleId"),
        (
            json!({"successRedirectUrl": "javascript:alert(1)"}),
            "successRedirectUrl",
        ),
        (json!({"metadata": []}), "metadata"),
        (json!({"locations": []}), "locations"),
        (json!({"locations": [{"type": "moon"}]}), "locations.0.type"),
        (
            json!({"locations": [{"type": "address", "address": ""}]}),
            "locations.0.address",
        ),
        (
            json!({"locations": [{"type": "attendeePhone"}, {"type": "link", "link": "ftp://x"}]}),
            "locations.1.link",
        ),
        (
            json!({"locations": [{"type": "phone", "phone": "123"}]}),
            "locations.0.phone",
        ),
        (
            json!({"locations": [{"type": "attendeePhone"}, {"type": "attendeePhone"}]}),
            "locations.1",
        ),
        (
            json!({"bookingFields": [{"type": "dance"}]}),
            "bookingFields.0.type",
        ),
        (
            json!({"bookingFields": [{"type": "text", "slug": "a b", "label": "A"}]}),
            "bookingFields.0.slug",
        ),
        (
            json!({"bookingFields": [{"type": "text", "slug": "a"}]}),
            "bookingFields.0.label",
        ),
        (
            json!({"bookingFields": [
                {"type": "text", "slug": "a", "label": "A"},
                {"type": "number", "slug": "a", "label": "A"},
            ]}),
            "bookingFields.1.slug",
        ),
        (
            json!({"bookingFields": [{"type": "name"}, {"type": "email"}, {"type": "select", "slug": "a", "label": "A"}]}),
            "bookingFields.2.options",
        ),
        (
            json!({"bookingFields": [{"type": "radio", "slug": "a", "label": "A", "options": ["x", "x"]}]}),
            "bookingFields.0.options.1",
        ),
        (
            json!({"bookingFields": [{"type": "text", "slug": "a", "label": "A", "options": ["x"]}]}),
            "bookingFields.0.options",
        ),
        (
            json!({"bookingFields": [{"type": "text", "slug": "notes"}]}),
            "bookingFields.0.type",
        ),
        (
            json!({"bookingFields": [{"type": "name", "slug": "nom"}]}),
            "bookingFields.0.slug",
        ),
        (
            json!({"bookingFields": [{"type": "name", "required": false}]}),
            "bookingFields.0",
        ),
        (
            json!({"bookingFields": [{"type": "email", "required": false}]}),
            "bookingFields",
        ),
        (
            json!({"bookingFields": [{"type": "text", "slug": "attendeePhoneNumber", "label": "P"}]}),
            "bookingFields.0.type",
        ),
        (
            json!({"recurrence": {"interval": 1, "frequency": "weekly"}}),
            "recurrence.occurrences",
        ),
        (
            json!({"recurrence": {"interval": 1, "occurrences": 2, "frequency": "daily"}}),
            "recurrence.frequency",
        ),
        (
            json!({"bookingWindow": {"type": "never"}}),
            "bookingWindow.type",
        ),
        (
            json!({"bookingWindow": {"type": "calendarDays", "value": 0}}),
            "bookingWindow.value",
        ),
        (
            json!({"bookingWindow": {"type": "range", "value": ["2027-03-02", "2027-03-01"]}}),
            "bookingWindow.value",
        ),
        (
            json!({"bookingWindow": {"type": "range", "value": ["2027-02-30", "2027-03-01"]}}),
            "bookingWindow.value.0",
        ),
        (json!({"bookingLimitsCount": {}}), "bookingLimitsCount"),
        (
            json!({"bookingLimitsCount": {"day": 0}}),
            "bookingLimitsCount.day",
        ),
        (
            json!({"bookingLimitsCount": {"day": 5, "month": 4}}),
            "bookingLimitsCount.month",
        ),
        (
            json!({"bookingLimitsDuration": {"week": 50}}),
            "bookingLimitsDuration.week",
        ),
        (
            json!({"bookerActiveBookingsLimit": {"offerReschedule": true}}),
            "bookerActiveBookingsLimit.maximumActiveBookings",
        ),
        (
            json!({"confirmationPolicy": {"type": "time"}}),
            "confirmationPolicy.noticeThreshold",
        ),
        (
            json!({"confirmationPolicy": {"type": "time", "noticeThreshold": {"unit": "days", "count": 1}}}),
            "confirmationPolicy.noticeThreshold.unit",
        ),
        (
            json!({"seats": {"seatsPerTimeSlot": 1001}}),
            "seats.seatsPerTimeSlot",
        ),
        (json!({"seats": {"disabled": 1}}), "seats.disabled"),
        (
            json!({"seats": {"disabled": false}}),
            "seats.seatsPerTimeSlot",
        ),
        (
            json!({"disableRescheduling": {"minutesBefore": 0}}),
            "disableRescheduling.minutesBefore",
        ),
        (
            json!({"bookerLayouts": {"defaultLayout": "week", "enabledLayouts": ["month"]}}),
            "bookerLayouts.enabledLayouts",
        ),
        (
            json!({"color": {"lightThemeHex": "red", "darkThemeHex": "#000"}}),
            "color.lightThemeHex",
        ),
        (json!({"customName": 5}), "customName"),
        (json!({"customName": "x".repeat(1001)}), "customName"),
        (
            json!({"destinationCalendar": {"integration": "google_calendar"}}),
            "destinationCalendar.externalId",
        ),
        (
            json!({"destinationCalendar": {"integration": "x", "externalId": "x".repeat(1001)}}),
            "destinationCalendar.externalId",
        ),
        (
            json!({"useDestinationCalendarEmail": "yes"}),
            "useDestinationCalendarEmail",
        ),
        (
            json!({"hideCalendarEventDetails": 1}),
            "hideCalendarEventDetails",
        ),
        (
            json!({"emailReminders": {"minutesBefore": []}}),
            "emailReminders.minutesBefore",
        ),
        (
            json!({"emailReminders": {"minutesBefore": [60, 4]}}),
            "emailReminders.minutesBefore.1",
        ),
        (
            json!({"emailReminders": {"minutesBefore": [60, 60]}}),
            "emailReminders.minutesBefore.1",
        ),
        (
            json!({"calVideoSettings": {"disableRecordingForGuests": "no"}}),
            "calVideoSettings.disableRecordingForGuests",
        ),
        (
            json!({"calVideoSettings": {"redirectUrlOnExit": "javascript:alert(1)"}}),
            "calVideoSettings.redirectUrlOnExit",
        ),
        (
            json!({"forwardParamsSuccessRedirect": "yes"}),
            "forwardParamsSuccessRedirect",
        ),
        (
            json!({"bookingFields": [{"slug": "topic", "label": "Topic"}]}),
            "bookingFields.0.type",
        ),
    ];
    let talk = service
        .create_event_type(event_type_body("talk", json!({})))
        .await;
    let target = format!("/v2/event-types/{}", talk.data()["id"]);
    for (more, property) in cases {
        let created = service
            .create_event_type(event_type_body("other", more.clone()))
            .await;
        let changed = service.patch_as(&target, HOST, more.clone()).await;
        for response in [created, changed] {
            response.assert_error(400, "BadRequestException");
            let mut properties: Vec<String> = response
                .constraints()
                .into_iter()
                .map(|(path, _)| path)
                .collect();
            properties.dedup();
            assert_eq!(properties, [property], "{more}: {}", response.text);
        }
    }
    for missing in ["title", "slug", "lengthInMinutes"] {
        let mut body = event_type_body("other", json!({}));
        body.as_object_mut().unwrap().remove(missing);
        let response = service.create_event_type(body).await;
        response.assert_error(400, "BadRequestException");
        assert_eq!(response.constraints()[0].0, missing);
    }
    let all = service
        .create_event_type(json!({"title": "", "slug": "", "lengthInMinutes": 0, "price": -1}))
        .await;
    assert_eq!(all.constraints().len(), 4, "{}", all.text);
    let unchanged = service.get(&target).await;
    assert_eq!(unchanged.data()["title"], "Talk");
}

#[tokio::test]
async fn slug_is_unique_per_owner() {
    let service = Service::start().await;
    let first = service
        .create_event_type(event_type_body("talk", json!({})))
        .await;
    service
        .create_event_type(event_type_body("talk", json!({})))
        .await
        .assert_error(409, "ConflictException");
    let second = service
        .create_event_type(event_type_body("other", json!({})))
        .await;
    let target = format!("/v2/event-types/{}", second.data()["id"]);
    service
        .patch_as(&target, HOST, json!({"slug": "talk"}))
        .await
        .assert_error(409, "ConflictException");
    // The slug may stay, and other owners may use it.
    let unchanged = service
        .patch_as(&target, HOST, json!({"slug": "other", "title": "New"}))
        .await;
    assert_eq!(unchanged.data()["title"], "New");
    let other = service.bearer_of(OTHER_HOST).await;
    let elsewhere = service
        .post_as("/v2/event-types", other, event_type_body("talk", json!({})))
        .await;
    assert_eq!(elsewhere.status, 201, "{}", elsewhere.text);
    assert_ne!(elsewhere.data()["id"], first.data()["id"]);
}

#[tokio::test]
async fn deleted_event_type_keeps_its_bookings() {
    let service = Service::start().await;
    let created = service
        .create_event_type(event_type_body("talk", json!({})))
        .await;
    let id = created.data()["id"].as_i64().unwrap();
    let booked = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    let uid = booked.data()["uid"].as_str().unwrap();
    let target = format!("/v2/event-types/{id}");
    let deleted = service.delete_as(&target, HOST).await;
    assert_eq!(
        deleted.data(),
        &json!({"id": id, "lengthInMinutes": 30, "slug": "talk", "title": "Talk"})
    );
    service
        .get(&target)
        .await
        .assert_error(404, "NotFoundException");
    service
        .delete_as(&target, HOST)
        .await
        .assert_error(404, "NotFoundException");
    let remaining = service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(remaining.data()["status"], "accepted");
}

#[tokio::test]
async fn event_type_is_changed_by_owner_or_team_admin_only() {
    let service = Service::start().await;
    let change = json!({"title": "Mine"});
    // 1: personal, of Ada; 3: of the team; 6: of the team, hidden.
    let cases = [
        ("/v2/event-types/1", 1, 200),
        ("/v2/event-types/1", HOST, 403),
        // Sofia is a team admin, not the owner.
        ("/v2/event-types/1", 4, 403),
        ("/v2/event-types/3", 4, 200),
        ("/v2/event-types/3", 1, 403),
        ("/v2/event-types/6", HOST, 404),
        ("/v2/event-types/4711", HOST, 404),
        ("/v2/teams/1/event-types/3", 4, 200),
        ("/v2/teams/1/event-types/3", 1, 403),
        ("/v2/teams/1/event-types/3", HOST, 403),
        ("/v2/teams/1/event-types/1", 4, 404),
        ("/v2/teams/9/event-types/3", 4, 404),
    ];
    for (target, user, status) in cases {
        let response = service.patch_as(target, user, change.clone()).await;
        assert_eq!(
            response.status, status,
            "{target} {user}: {}",
            response.text
        );
        if status != 200 {
            let response = service.delete_as(target, user).await;
            assert_eq!(
                response.status, status,
                "{target} {user}: {}",
                response.text
            );
        }
    }
    for (method, target) in [
        (Method::POST, "/v2/event-types"),
        (Method::PATCH, "/v2/event-types/1"),
        (Method::DELETE, "/v2/event-types/1"),
        (Method::POST, "/v2/teams/1/event-types"),
        (Method::PATCH, "/v2/teams/1/event-types/3"),
        (Method::DELETE, "/v2/teams/1/event-types/3"),
    ] {
        let response = service
            .call(method, target, &[], Some(event_type_body("x", json!({}))))
            .await;
        response.assert_error(401, "UnauthorizedException");
    }
    service
        .sql("UPDATE oauth_clients SET scopes = '[\"EVENT_TYPE_READ\"]'")
        .await;
    service
        .create_event_type(event_type_body("talk", json!({})))
        .await
        .assert_error(403, "ForbiddenException");
}

#[tokio::test]
async fn event_type_list_is_filtered_by_organization() {
    let service = Service::start().await;
    for (query, count) in [
        ("username=ada&orgSlug=northwind", 2),
        ("username=ada&orgId=1", 2),
        ("username=ada&orgId=1&orgSlug=northwind", 2),
        ("username=ada&orgId=1&orgSlug=elsewhere", 0),
        ("username=ada&orgId=9", 0),
        (&format!("username=host{HOST}&orgId=1"), 0),
    ] {
        let response = service.get(&format!("/v2/event-types?{query}")).await;
        assert_eq!(response.data().as_array().unwrap().len(), count, "{query}");
    }
    for query in ["orgId=x"] {
        service
            .get(&format!("/v2/event-types?{query}"))
            .await
            .assert_error(400, "BadRequestException");
    }
}

#[tokio::test]
async fn default_field_with_slug_only_gets_its_type() {
    let service = Service::start().await;
    let fields = json!([
        {"slug": "name"},
        {"slug": "email"},
        {"slug": "title", "hidden": false},
        {"slug": "location", "label": "Where?"},
        {"slug": "notes", "required": true, "label": "Anything else?"},
        {"slug": "guests", "hidden": true},
        {"slug": "rescheduleReason"},
    ]);
    let locations = json!([{"type": "attendeePhone"}, {"type": "attendeeAddress"}]);
    let more = json!({"bookingFields": fields, "locations": locations});
    let created = service
        .create_event_type(event_type_body("talk", more))
        .await;
    assert_eq!(created.status, 201, "{}", created.text);
    let types: Vec<(&str, &str)> = created.data()["bookingFields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| {
            let text = |key: &str| field[key].as_str().unwrap();
            assert_eq!(field["isDefault"], true);
            (text("slug"), text("type"))
        })
        .collect();
    assert_eq!(
        types,
        [
            ("name", "name"),
            ("email", "email"),
            ("title", "text"),
            ("location", "radioInput"),
            ("notes", "textarea"),
            ("guests", "multiemail"),
            ("rescheduleReason", "textarea"),
        ]
    );
    assert_eq!(
        created.data()["bookingFields"][4]["label"],
        "Anything else?"
    );
}

#[tokio::test]
async fn destination_calendar_is_returned_to_insiders_only() {
    let service = Service::start().await;
    let calendar = json!({"integration": "google_calendar", "externalId": "me@northwind.example"});
    let created = service
        .create_event_type(event_type_body(
            "talk",
            json!({"destinationCalendar": calendar}),
        ))
        .await;
    assert_eq!(created.data()["destinationCalendar"], calendar);
    let target = format!("/v2/event-types/{}", created.data()["id"]);
    let list = format!("/v2/event-types?username=host{HOST}");
    for target in [&target, &list] {
        for stranger in [None, Some(service.bearer_of(OTHER_HOST).await)] {
            let headers: Vec<_> = stranger.into_iter().collect();
            let response = service.call(Method::GET, target, &headers, None).await;
            assert_eq!(response.status, 200, "{target}");
            assert!(
                !response.text.contains("destinationCalendar\""),
                "{}",
                response.text
            );
        }
        let as_owner = service.get_as(target, service.bearer_of(HOST).await).await;
        assert!(
            as_owner.text.contains("me@northwind.example"),
            "{}",
            as_owner.text
        );
    }
}

#[tokio::test]
async fn location_cal_video_is_stored_as_svc_video() {
    let service = Service::start().await;
    let locations = json!([{"type": "integration", "integration": "cal-video"}]);
    let created = service
        .create_event_type(event_type_body("talk", json!({"locations": locations})))
        .await;
    let as_owner = json!([{"type": "integration", "integration": "svc-video"}]);
    assert_eq!(created.data()["locations"], as_owner);
    let duplicate = json!([locations[0], as_owner[0]]);
    let duplicate = service
        .create_event_type(event_type_body("two", json!({"locations": duplicate})))
        .await;
    assert_eq!(duplicate.constraints()[0].0, "locations.1");
}

#[tokio::test]
async fn unsupported_setting_returns_400_with_reason() {
    let service = Service::start().await;
    let talk = service
        .create_event_type(event_type_body("talk", json!({})))
        .await;
    let target = format!("/v2/event-types/{}", talk.data()["id"]);
    for (key, value, missing) in [
        ("price", json!(2500), "a payment provider"),
        (
            "requiresBookerEmailVerification",
            json!(true),
            "a way to send e-mail",
        ),
    ] {
        let team = json!({key: value, "schedulingType": "collective"});
        let responses = [
            service
                .create_event_type(event_type_body("other", json!({key: value})))
                .await,
            service.patch_as(&target, HOST, json!({key: value})).await,
            service
                .post_as(
                    "/v2/teams/1/event-types",
                    service.manager(),
                    event_type_body("other", team),
                )
                .await,
        ];
        for response in responses {
            let text = format!("{key} needs {missing}, and none is configured");
            assert_eq!(response.assert_error(400, "BadRequestException"), text);
        }
    }
    let disabled = json!({"price": 0, "requiresBookerEmailVerification": false, "currency": "eur"});
    let created = service
        .create_event_type(event_type_body("free", disabled))
        .await;
    assert_eq!(created.status, 201, "{}", created.text);
}

#[tokio::test]
async fn existing_priced_event_type_can_be_changed_and_made_free() {
    let service = Service::start().await;
    let before = json!({"price": 2500, "requiresBookerEmailVerification": true});
    let id = service.event_type("old", before.clone()).await;
    let target = format!("/v2/event-types/{id}");
    let mut unchanged = before;
    unchanged["title"] = json!("New");
    let changed = service.patch_as(&target, HOST, unchanged).await;
    assert_eq!(changed.data()["title"], "New", "{}", changed.text);
    assert_eq!(changed.data()["price"], 2500);
    let increased = service
        .patch_as(&target, HOST, json!({"price": 2600}))
        .await;
    assert_eq!(increased.constraints()[0].0, "price");
    let disabled = json!({"price": null, "requiresBookerEmailVerification": false});
    let free = service.patch_as(&target, HOST, disabled).await;
    assert_eq!(free.data()["price"], 0);
    assert_eq!(free.data()["requiresBookerEmailVerification"], false);
    let repeated = service
        .patch_as(&target, HOST, json!({"price": 2500}))
        .await;
    assert_eq!(repeated.constraints()[0].0, "price");
}
