//! POST /v2/bookings: validation of the body and of form responses.

use serde_json::{Value, json};

use crate::common::{Service, booking};

#[tokio::test]
async fn invalid_body_returns_400_and_stores_nothing() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"disableGuests": true}))
        .await;
    let booking_count = service.count("bookings").await;
    let cases: Vec<(&str, Value, &str)> = vec![
        ("/start", json!(null), "start"),
        ("/start", json!("tomorrow"), "start"),
        ("/start", json!("2027-03-02"), "start"),
        ("/start", json!(1_803_978_000_000_i64), "start"),
        ("/eventTypeId", json!("one"), "eventTypeId"),
        ("/eventTypeId", json!(null), "eventTypeId"),
        ("/eventTypeSlug", json!("talk"), "eventTypeId"),
        ("/attendee", json!(null), "attendee"),
        ("/attendee", json!("Zoë"), "attendee"),
        ("/attendee/name", json!("  "), "attendee.name"),
        ("/attendee/name", json!(7), "attendee.name"),
        (
            "/attendee/timeZone",
            json!("Mars/Base"),
            "attendee.timeZone",
        ),
        ("/attendee/timeZone", json!(null), "attendee.timeZone"),
        ("/attendee/email", json!("zoe"), "attendee.email"),
        ("/attendee/email", json!(null), "attendee.email"),
        (
            "/attendee/phoneNumber",
            json!("0612"),
            "attendee.phoneNumber",
        ),
        ("/attendee/language", json!("klingon"), "attendee.language"),
        ("/attendee/nickname", json!("Z"), "attendee.nickname"),
        ("/lengthInMinutes", json!(45), "lengthInMinutes"),
        ("/lengthInMinutes", json!(0), "lengthInMinutes"),
        ("/recurrenceCount", json!(3), "recurrenceCount"),
        ("/instant", json!(true), "instant"),
        ("/guests", json!("ana@example.org"), "guests"),
        ("/guests", json!(["ana"]), "guests.0"),
        ("/guests", json!(["ana@example.org"]), "guests"),
        ("/metadata", json!({"nested": {"a": 1}}), "metadata"),
        ("/metadata", json!({"long": "x".repeat(501)}), "metadata"),
        ("/metadata", json!([]), "metadata"),
        ("/location", json!({"type": "phone"}), "location.type"),
        ("/location", json!(5), "location"),
        (
            "/bookingFieldsResponses",
            json!([]),
            "bookingFieldsResponses",
        ),
        (
            "/bookingFieldsResponses",
            json!({"notes": "x".repeat(10_001)}),
            "bookingFieldsResponses.notes",
        ),
        (
            "/bookingFieldsResponses",
            json!({"a": "x".repeat(20_000), "b": "x".repeat(20_000), "c": "x".repeat(20_000), "d": "x".repeat(6_000)}),
            "bookingFieldsResponses",
        ),
        (
            "/bookingFieldsResponses",
            json!({"title": "two\nlines"}),
            "bookingFieldsResponses.title",
        ),
        (
            "/bookingFieldsResponses",
            json!({"title": "x".repeat(256)}),
            "bookingFieldsResponses.title",
        ),
        ("/isAdmin", json!(true), "isAdmin"),
    ];
    for (pointer, value, property) in cases {
        let mut body = booking(id, "2027-03-02T09:00:00Z");
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[key] = value.clone();
        let response = service.post("/v2/bookings", body).await;
        let message = response.assert_error(400, "BadRequestException").to_owned();
        assert!(
            response
                .constraints()
                .iter()
                .any(|(path, _)| path == property),
            "{pointer} {value}: {}",
            response.text
        );
        assert!(message.starts_with(property), "{pointer}: {message}");
    }
    service
        .post("/v2/bookings", booking(99_999, "2027-03-02T09:00:00Z"))
        .await
        .assert_error(404, "NotFoundException");
    assert_eq!(service.count("bookings").await, booking_count);
}

fn form_responses() -> Value {
    json!({
        "company": "Fjord & Co",
        "team-size": 12,
        "mobile": "+493012345678",
        "website": "https://fjord.example",
        "office": "Storgata 1, Oslo",
        "goals": "Everybody finds a time",
        "plan": "Team",
        "migration": "Not sure yet",
        "modules": ["Calendar", "Reports"],
        "topics": ["Import"],
        "colleagues": ["ola@fjord.example"],
        "recording": true,
    })
}

#[tokio::test]
async fn field_of_each_type_is_required_and_validated() {
    let service = Service::start().await;
    // The demo event type "onboarding" has a required field of each type.
    let slots = service
        .get("/v2/slots?eventTypeId=3&start=2027-03-02&end=2027-03-12")
        .await;
    let start = slots.data().as_object().unwrap().values().next().unwrap()[0]["start"]
        .as_str()
        .unwrap()
        .to_owned();
    let booking_count = service.count("bookings").await;
    let body_with = |form_responses: Value| {
        let mut body = booking(3, &start);
        body["bookingFieldsResponses"] = form_responses;
        body
    };
    for (slug, invalid) in [
        ("company", json!(5)),
        ("company", json!("  ")),
        ("team-size", json!("twelve")),
        ("mobile", json!("030 12345")),
        ("website", json!("javascript:alert(1)")),
        ("website", json!("fjord")),
        ("office", json!([])),
        ("goals", json!({})),
        ("plan", json!("Platinum")),
        ("migration", json!(true)),
        ("modules", json!("Calendar")),
        ("modules", json!(["Calendar", "Weather"])),
        ("topics", json!([])),
        ("colleagues", json!(["ola"])),
        ("colleagues", json!("ola@fjord.example")),
        ("recording", json!("yes")),
        ("recording", json!(false)),
    ] {
        let mut wrong_responses = form_responses();
        wrong_responses[slug] = invalid.clone();
        let response = service
            .post("/v2/bookings", body_with(wrong_responses))
            .await;
        response.assert_error(400, "BadRequestException");
        let property = format!("bookingFieldsResponses.{slug}");
        assert!(
            response
                .constraints()
                .iter()
                .any(|(path, _)| *path == property),
            "{slug} {invalid}: {}",
            response.text
        );
    }
    for slug in form_responses().as_object().unwrap().keys() {
        let mut incomplete = form_responses();
        incomplete.as_object_mut().unwrap().remove(slug);
        let response = service.post("/v2/bookings", body_with(incomplete)).await;
        assert_eq!(
            response.assert_error(400, "BadRequestException"),
            format!("bookingFieldsResponses.{slug} is required")
        );
    }
    assert_eq!(service.count("bookings").await, booking_count);
    let created = service
        .post("/v2/bookings", body_with(form_responses()))
        .await;
    let responses = &created.data()["bookingFieldsResponses"];
    for (slug, response) in form_responses().as_object().unwrap() {
        assert_eq!(&responses[slug], response);
    }
}

#[tokio::test]
async fn location_must_be_chosen_if_there_are_several() {
    let service = Service::start().await;
    // The demo event type "site visit" has four locations.
    let slots = service
        .get("/v2/slots?eventTypeId=5&start=2027-03-03&end=2027-03-12")
        .await;
    let starts: Vec<String> = slots
        .data()
        .as_object()
        .unwrap()
        .values()
        .map(|day| day[0]["start"].as_str().unwrap().to_owned())
        .collect();
    let incomplete = service.post("/v2/bookings", booking(5, &starts[0])).await;
    assert!(
        incomplete
            .assert_error(400, "BadRequestException")
            .starts_with("location is required")
    );
    for invalid in [
        json!({"type": "attendeePhone"}),
        json!({"type": "attendeePhone", "phone": "12"}),
        json!({"type": "attendeeAddress", "address": ""}),
        json!({"type": "link"}),
        json!({"type": "integration", "integration": "zoom"}),
        json!({"type": "address", "floor": 2}),
    ] {
        let mut body = booking(5, &starts[0]);
        body["location"] = invalid;
        service
            .post("/v2/bookings", body)
            .await
            .assert_error(400, "BadRequestException");
    }
    for (start, requested, location) in [
        (
            0,
            json!({"type": "attendeePhone", "phone": "+390612345678"}),
            "+390612345678",
        ),
        (
            1,
            json!({"type": "attendeeAddress", "address": "Via Appia 1, Roma"}),
            "Via Appia 1, Roma",
        ),
        (2, json!({"type": "address"}), "Torstraße 140, 10119 Berlin"),
        (
            3,
            json!({"type": "integration", "integration": "svc-video"}),
            "integrations:svc-video",
        ),
    ] {
        let mut body = booking(5, &starts[start]);
        body["location"] = requested.clone();
        let created = service.post("/v2/bookings", body).await;
        assert_eq!(created.data()["location"], location);
        assert_eq!(
            created.data()["bookingFieldsResponses"]["location"],
            requested
        );
    }
}

#[tokio::test]
async fn unused_request_fields_are_accepted() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = booking(id, "2027-03-02T09:00:00Z");
    body["routing"] = json!({"responseId": 5, "teamMemberIds": [1]});
    body["meetingUrl"] = json!("https://meet.example/1");
    body["instant"] = json!(false);
    body["emailVerificationCode"] = json!("1");
    let created = service.post("/v2/bookings", body).await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert!(created.data().get("meetingUrl").is_none());
}

#[tokio::test]
async fn response_to_unknown_field_is_stored() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = booking(id, "2027-03-02T09:00:00Z");
    body["bookingFieldsResponses"] = json!({"customField": "customValue", "a.b": [1]});
    let created = service.post("/v2/bookings", body).await;
    let form_responses = &created.data()["bookingFieldsResponses"];
    assert_eq!(form_responses["customField"], "customValue");
    assert_eq!(form_responses["a.b"], json!([1]));
}

#[tokio::test]
async fn title_in_responses_applies_only_if_field_is_visible() {
    let service = Service::start().await;
    let hidden = service.event_type("talk", json!({})).await;
    let field = json!({"type": "text", "slug": "title", "hidden": false, "isDefault": true});
    let visible = service
        .event_type("titled", json!({"bookingFields": [field]}))
        .await;
    let start = "2027-03-02T09:00:00Z";
    let title = async |id: i64, start: &str| {
        let mut body = booking(id, start);
        body["bookingFieldsResponses"] = json!({"title": "Our talk"});
        let created = service.post("/v2/bookings", body).await;
        (
            created.data()["title"].as_str().unwrap().to_owned(),
            created.data()["bookingFieldsResponses"]
                .get("title")
                .cloned(),
        )
    };
    let (booking_title, response) = title(hidden, start).await;
    assert_eq!(booking_title, "Talk between Host 100 and Zoë Łukasik");
    assert_eq!(response, None);
    let (booking_title, response) = title(visible, "2027-03-02T11:00:00Z").await;
    assert_eq!(
        (booking_title.as_str(), response),
        ("Our talk", Some(json!("Our talk")))
    );
}

#[tokio::test]
async fn repeated_choice_returns_400() {
    let service = Service::start().await;
    let field = |kind: &str| json!({"type": kind, "slug": "modules", "label": "Modules", "options": ["A", "B"]});
    for kind in ["multiselect", "checkbox"] {
        let fields = json!({"bookingFields": [field(kind)]});
        let id = service.event_type(kind, fields).await;
        let book = async |modules: Value| {
            let mut body = booking(id, "2027-03-02T09:00:00Z");
            body["bookingFieldsResponses"] = json!({"modules": modules});
            service.post("/v2/bookings", body).await
        };
        for repeated in [
            json!(["A", "A"]),
            json!(vec!["A"; 900]),
            json!(["A", "B", "A"]),
        ] {
            let response = book(repeated).await;
            response.assert_error(400, "BadRequestException");
            let (path, text) = &response.constraints()[0];
            assert_eq!(path, "bookingFieldsResponses.modules");
            assert!(text.contains("without repetitions"), "{text}");
        }
        assert_eq!(book(json!(["B", "A"])).await.status, 201);
        service.sql("DELETE FROM bookings").await;
    }
}
