//! POST /v2/bookings: what the body has to say.

use serde_json::{Value, json};

use crate::common::{Service, booking};

#[tokio::test]
async fn a_body_that_breaks_a_rule_is_refused_by_name_and_stores_nothing() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"disableGuests": true}))
        .await;
    let stored = service.count("bookings").await;
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
        let answer = service.post("/v2/bookings", body).await;
        let message = answer.refused(400, "BadRequestException").to_owned();
        assert!(
            answer
                .constraints()
                .iter()
                .any(|(path, _)| path == property),
            "{pointer} {value}: {}",
            answer.text
        );
        assert!(message.starts_with(property), "{pointer}: {message}");
    }
    service
        .post("/v2/bookings", booking(99_999, "2027-03-02T09:00:00Z"))
        .await
        .refused(404, "NotFoundException");
    assert_eq!(service.count("bookings").await, stored);
}

fn answers() -> Value {
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
async fn every_kind_of_field_is_asked_for_and_checked() {
    let service = Service::start().await;
    // The demo's onboarding has a required field of every kind.
    let slots = service
        .get("/v2/slots?eventTypeId=3&start=2027-03-02&end=2027-03-12")
        .await;
    let start = slots.data().as_object().unwrap().values().next().unwrap()[0]["start"]
        .as_str()
        .unwrap()
        .to_owned();
    let stored = service.count("bookings").await;
    let with = |answers: Value| {
        let mut body = booking(3, &start);
        body["bookingFieldsResponses"] = answers;
        body
    };
    for (slug, wrong) in [
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
        let mut wrong_answers = answers();
        wrong_answers[slug] = wrong.clone();
        let answer = service.post("/v2/bookings", with(wrong_answers)).await;
        answer.refused(400, "BadRequestException");
        let property = format!("bookingFieldsResponses.{slug}");
        assert!(
            answer
                .constraints()
                .iter()
                .any(|(path, _)| *path == property),
            "{slug} {wrong}: {}",
            answer.text
        );
    }
    for slug in answers().as_object().unwrap().keys() {
        let mut missing = answers();
        missing.as_object_mut().unwrap().remove(slug);
        let answer = service.post("/v2/bookings", with(missing)).await;
        assert_eq!(
            answer.refused(400, "BadRequestException"),
            format!("bookingFieldsResponses.{slug} is required")
        );
    }
    assert_eq!(service.count("bookings").await, stored);
    let made = service.post("/v2/bookings", with(answers())).await;
    let responses = &made.data()["bookingFieldsResponses"];
    for (slug, answer) in answers().as_object().unwrap() {
        assert_eq!(&responses[slug], answer);
    }
}

#[tokio::test]
async fn the_place_is_the_only_one_or_the_one_chosen() {
    let service = Service::start().await;
    // The demo's site visit offers four places.
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
    let missing = service.post("/v2/bookings", booking(5, &starts[0])).await;
    assert!(
        missing
            .refused(400, "BadRequestException")
            .starts_with("location is required")
    );
    for wrong in [
        json!({"type": "attendeePhone"}),
        json!({"type": "attendeePhone", "phone": "12"}),
        json!({"type": "attendeeAddress", "address": ""}),
        json!({"type": "link"}),
        json!({"type": "integration", "integration": "zoom"}),
        json!({"type": "address", "floor": 2}),
    ] {
        let mut body = booking(5, &starts[0]);
        body["location"] = wrong;
        service
            .post("/v2/bookings", body)
            .await
            .refused(400, "BadRequestException");
    }
    for (start, chosen, place) in [
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
        body["location"] = chosen.clone();
        let made = service.post("/v2/bookings", body).await;
        assert_eq!(made.data()["location"], place);
        assert_eq!(made.data()["bookingFieldsResponses"]["location"], chosen);
    }
}

#[tokio::test]
async fn every_field_of_the_request_is_known_though_not_all_are_used() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = booking(id, "2027-03-02T09:00:00Z");
    body["routing"] = json!({"responseId": 5, "teamMemberIds": [1]});
    body["meetingUrl"] = json!("https://meet.example/1");
    body["instant"] = json!(false);
    body["emailVerificationCode"] = json!("1");
    let made = service.post("/v2/bookings", body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert!(made.data().get("meetingUrl").is_none());
}

#[tokio::test]
async fn answer_to_unknown_field_is_kept() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = booking(id, "2027-03-02T09:00:00Z");
    body["bookingFieldsResponses"] = json!({"customField": "customValue", "a.b": [1]});
    let made = service.post("/v2/bookings", body).await;
    let answers = &made.data()["bookingFieldsResponses"];
    assert_eq!(answers["customField"], "customValue");
    assert_eq!(answers["a.b"], json!([1]));
}

#[tokio::test]
async fn title_of_a_visitor_counts_only_where_the_form_asks_for_it() {
    let service = Service::start().await;
    let hidden = service.event_type("talk", json!({})).await;
    let field = json!({"type": "text", "slug": "title", "hidden": false, "isDefault": true});
    let shown = service
        .event_type("titled", json!({"bookingFields": [field]}))
        .await;
    let start = "2027-03-02T09:00:00Z";
    let title = async |id: i64, start: &str| {
        let mut body = booking(id, start);
        body["bookingFieldsResponses"] = json!({"title": "Our talk"});
        let made = service.post("/v2/bookings", body).await;
        (
            made.data()["title"].as_str().unwrap().to_owned(),
            made.data()["bookingFieldsResponses"].get("title").cloned(),
        )
    };
    let (written, answer) = title(hidden, start).await;
    assert_eq!(written, "Talk between Host 100 and Zoë Łukasik");
    assert_eq!(answer, None);
    let (written, answer) = title(shown, "2027-03-02T11:00:00Z").await;
    assert_eq!(
        (written.as_str(), answer),
        ("Our talk", Some(json!("Our talk")))
    );
}

#[tokio::test]
async fn choice_that_is_repeated_is_refused() {
    let service = Service::start().await;
    let field = |kind: &str| json!({"type": kind, "slug": "modules", "label": "Modules", "options": ["A", "B"]});
    for kind in ["multiselect", "checkbox"] {
        let fields = json!({"bookingFields": [field(kind)]});
        let id = service.event_type(kind, fields).await;
        let answer = async |modules: Value| {
            let mut body = booking(id, "2027-03-02T09:00:00Z");
            body["bookingFieldsResponses"] = json!({"modules": modules});
            service.post("/v2/bookings", body).await
        };
        for repeated in [
            json!(["A", "A"]),
            json!(vec!["A"; 900]),
            json!(["A", "B", "A"]),
        ] {
            let answer = answer(repeated).await;
            answer.refused(400, "BadRequestException");
            let (path, text) = &answer.constraints()[0];
            assert_eq!(path, "bookingFieldsResponses.modules");
            assert!(text.contains("without repetitions"), "{text}");
        }
        assert_eq!(answer(json!(["B", "A"])).await.status, 201);
        service.sql("DELETE FROM bookings").await;
    }
}
