//! Malformed input: query parsers never panic or misread, and a modified token is invalid.

use axum::http::{Method, Uri};
use booking_service::auth::token::SigningKey;
use booking_service::http::extract::query::parse_query;
use booking_service::validate::Checks;
use proptest::prelude::*;
use serde_json::json;

use crate::common::{Service, booking};

#[tokio::test]
async fn name_of_several_lines_or_with_control_characters_is_refused() {
    let service = Service::start().await;
    let users = format!("/v2/oauth-clients/{}/users", service.secret("clientId"));
    let manager = service.manager();
    for separator in ["\r\n", "\n", "\u{b}", "\0", "\u{85}", "\u{2028}"] {
        let name = format!("Ada{separator}Byron");
        let event_type = |key: &str| {
            let mut body = json!({"title": "Talk", "slug": "talk", "lengthInMinutes": 30});
            body[key] = json!(name);
            body
        };
        let schedule = json!({"name": name, "timeZone": "UTC", "isDefault": false});
        for (method, target, caller, body) in [
            (
                "POST",
                "/v2/event-types",
                service.owner(),
                event_type("title"),
            ),
            (
                "POST",
                "/v2/event-types",
                service.owner(),
                event_type("customName"),
            ),
            ("POST", "/v2/schedules", service.owner(), schedule),
            ("PATCH", "/v2/me", service.owner(), json!({"name": name})),
            (
                "PATCH",
                "/v2/teams/1",
                manager.clone(),
                json!({"name": name}),
            ),
            (
                "POST",
                "/v2/organizations/1/roles",
                service.owner(),
                json!({"name": name}),
            ),
        ] {
            let response = service.request(method, target, &caller, body.clone()).await;
            assert_eq!(response.status, 400, "{target} {body}: {}", response.text);
        }
        let headers = [(
            "x-svc-secret-key".to_owned(),
            service.secret("clientSecret"),
        )];
        let body = json!({"email": "new@example.org", "name": name});
        let created = service
            .call(Method::POST, &users, &headers, Some(body))
            .await;
        assert_eq!(created.status, 400, "{}", created.text);
    }
}

#[tokio::test]
async fn answer_with_control_characters_says_so() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    for (notes, expected) in [
        (json!("a\u{1}b"), "must not contain control characters"),
        (
            json!("x".repeat(10_001)),
            "must be at most 10000 characters long",
        ),
        (json!(5), "must be a string"),
    ] {
        let mut body = booking(id, "2027-03-02T09:00:00Z");
        body["bookingFieldsResponses"] = json!({"notes": notes});
        let response = service.post("/v2/bookings", body).await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.ends_with(expected), "{message}");
    }
}

/// Query strings from random text to nearly valid ones.
fn query_string() -> impl Strategy<Value = String> {
    let random = "[ -~]{0,60}";
    let nearly_valid = proptest::collection::vec(
        (
            "(start|take|zone|word|status)(\\[\\])?",
            "=?",
            prop_oneof![
                "[0-9]{1,20}".boxed(),
                "-?[0-9.eE+]{0,12}".boxed(),
                "[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]{0,14}(Z|[+ -][0-9:]{0,6})?)?".boxed(),
                "[A-Za-z]{1,9}/[A-Za-z_]{1,12}".boxed(),
                "(%[0-9A-Fa-f]{0,2}|,|asc|desc|é){0,8}".boxed(),
            ],
        ),
        0..6,
    )
    .prop_map(|pairs| {
        let pairs: Vec<String> = pairs
            .into_iter()
            .map(|(name, sign, value)| format!("{name}{sign}{value}"))
            .collect();
        pairs.join("&")
    });
    prop_oneof![random.boxed(), nearly_valid.boxed()]
}

proptest! {
    #[test]
    fn query_is_parsed_or_rejected(text in query_string()) {
        let Ok(uri) = format!("/v2/slots?{}", text.replace(' ', "+")).parse::<Uri>() else {
            return Ok(());
        };
        let query = parse_query(&uri);
        let _ = query.list("status");

        let mut checks = Checks::default();
        let take = query.bounded("take", 1..=250, &mut checks);
        prop_assert_eq!(checks.is_clean(), query.get("take").is_none() || take.is_some());
        if let Some(take) = take {
            prop_assert!((1..=250).contains(&take));
            prop_assert_eq!(query.get("take").and_then(|text| text.parse::<i64>().ok()), Some(take));
        }
        let mut checks = Checks::default();
        let start = query.instant("start", &mut checks);
        prop_assert_eq!(checks.is_clean(), query.get("start").is_none() || start.is_some());
        if let Some(start) = start {
            // A parsed instant survives a round trip.
            prop_assert_eq!(booking_wire::Instant::parse(&start.to_string()), Some(start));
        }
        let mut checks = Checks::default();
        let zone = query.zone("zone", &mut checks);
        prop_assert_eq!(checks.is_clean(), query.get("zone").is_none() || zone.is_some());
        let mut checks = Checks::default();
        let word = query.one_of("word", &[("asc", 1), ("desc", 2)], &mut checks);
        prop_assert_eq!(checks.is_clean(), query.get("word").is_none() || word.is_some());
        query.reject_unread(&mut checks);
    }

    #[test]
    fn random_text_is_not_a_token(text in "[ -~é]{0,80}(\\.[A-Za-z0-9_=-]{0,60}){0,4}") {
        let directory = tempfile::tempdir().unwrap();
        let key = SigningKey::open(directory.path()).unwrap();
        prop_assert_eq!(key.read(&text), None);
    }
}

#[tokio::test]
async fn token_with_changed_added_or_missing_character_is_invalid() {
    let service = Service::start().await;
    let tokens = service
        .tokens_of(booking_service::domain::demo::MANAGER_ID)
        .await;
    let key = &service.app.signing_key;
    for token in [tokens.access_token, tokens.refresh_token] {
        assert!(key.read(&token).is_some());
        for index in 0..token.len() {
            let (before, rest) = token.split_at(index);
            let after = &rest[1..];
            for letter in ['A', 'B', '-', '.', '='] {
                let changed = format!("{before}{letter}{after}");
                assert!(
                    changed == token || key.read(&changed).is_none(),
                    "{changed}"
                );
                let added = format!("{before}{letter}{rest}");
                assert!(key.read(&added).is_none(), "{added}");
            }
            let shorter = format!("{before}{after}");
            assert!(
                shorter == token || key.read(&shorter).is_none(),
                "{shorter}"
            );
        }
    }
}
