//! Client of version 1: requests, and parsing of responses.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::expect_used, clippy::indexing_slicing)]

use booking_widget::client::operations::v1::{
    ATTENDEES, BOOKINGS, CREDENTIALS, MEMBERSHIPS, Records, SELECTED_CALENDARS, SLOTS, TEAMS,
    WEBHOOKS,
};
use booking_widget::client::session::Session;
use booking_widget::client::{Abort, ApiError, DeclineReason, Dialect};
use booking_wire::JsonMap;
use booking_wire::v1::{BookingChanges, TeamInput, WebhookInput};
use js_sys::{Array, JSON};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen(inline_js = "
    export function answerAll(status, body) {
      const calls = [];
      window.fetch = async (request) => {
        const { method, url, cache, credentials, redirect, referrerPolicy } = request;
        calls.push({ method, url, cache, credentials, redirect, referrerPolicy, body: await request.text() });
        return new Response(body, { status, headers: { 'content-type': 'application/json' } });
      };
      return calls;
    }
")]
extern "C" {
    #[wasm_bindgen(js_name = answerAll)]
    fn answer_all(status: u16, body: &str) -> Array;
}

#[wasm_bindgen_test]
async fn uid_of_dots_leads_to_no_other_path() {
    let calls = answer_all(404, "{}");
    let session = Session::public("https://book.example.org", Dialect::Svc);
    for uid in [".", "..", "../x", "a.b"] {
        let _ = session.booking(uid, Abort::after(1_000)).await;
    }
    let urls: Vec<String> = calls
        .iter()
        .map(|call| {
            let text = JSON::stringify(&call).expect("a call");
            let call: Value = serde_json::from_str(&String::from(text)).expect("JSON");
            call["url"].as_str().expect("a URL").to_owned()
        })
        .collect();
    let path = "https://book.example.org/v2/bookings/";
    assert_eq!(
        urls,
        ["%20.", "%20..", "..%2Fx", "a.b"].map(|uid| [path, uid].concat())
    );
}

/// Service with the same response to every request.
struct Service {
    calls: Array,
    records: Records,
}

impl Service {
    fn that_says(status: u16, body: &Value) -> Self {
        Self {
            calls: answer_all(status, &body.to_string()),
            records: Records::new("https://book.example.org", "svc_key"),
        }
    }

    /// Takes the last request.
    fn asked(&self) -> Value {
        let call = self.calls.pop();
        let text = JSON::stringify(&call).expect("a call");
        serde_json::from_str(&String::from(text)).expect("JSON")
    }

    fn assert_asked(&self, method: &str, path: &str, body: &Value) {
        let asked = self.asked();
        assert_eq!(asked["method"], method);
        assert_eq!(asked["url"], format!("https://book.example.org/v1/{path}"));
        let sent = asked["body"].as_str().unwrap_or_default();
        let sent = serde_json::from_str(sent).unwrap_or(Value::Null);
        assert_eq!(sent, *body);
    }
}

fn abort() -> Abort {
    Abort::after(1000)
}

#[wasm_bindgen_test]
async fn list_records_are_typed_and_key_is_only_in_query() {
    let hook = json!({"id": "a", "subscriberUrl": "https://example.org", "active": true,
        "eventTriggers": ["BOOKING_PAID"], "new": 1});
    let service = Service::that_says(200, &json!({"webhooks": [hook, 4]}));
    let query = [("userId", "1,2".to_owned())];
    let hooks = service.records.list(WEBHOOKS, &query, abort()).await;
    let hooks = hooks.expect("webhooks");
    assert_eq!(hooks.len(), 1, "what cannot be read is left out");
    assert!(hooks.iter().all(|hook| hook.active && hook.id == "a"));
    let asked = service.asked();
    for (name, value) in [
        ("method", "GET"),
        (
            "url",
            "https://book.example.org/v1/webhooks?userId=1%2C2&apiKey=svc_key",
        ),
        ("cache", "no-store"),
        ("credentials", "omit"),
        ("redirect", "error"),
        ("referrerPolicy", "no-referrer"),
        ("body", ""),
    ] {
        assert_eq!(asked[name], value, "{name}");
    }
}

#[wasm_bindgen_test]
async fn records_find_create_change_remove_send_requests() {
    let service = Service::that_says(
        200,
        &json!({"team": {"id": 4, "name": "Sales", "slug": "s"}}),
    );
    let Service { records, .. } = &service;
    let found = records.find(TEAMS, "4", abort()).await.expect("a team");
    assert_eq!((found.id, &*found.name), (4, "Sales"));
    service.assert_asked("GET", "teams/4?apiKey=svc_key", &Value::Null);

    let input = TeamInput {
        name: Some("Sales".to_owned()),
        slug: Some("s".to_owned()),
        ..TeamInput::default()
    };
    let made = records.create(TEAMS, &[], &input, abort()).await;
    assert_eq!(made.expect("a team").slug, "s");
    let said = json!({"name": "Sales", "slug": "s"});
    service.assert_asked("POST", "teams?apiKey=svc_key", &said);

    let changed = records.change(TEAMS, "4", &input, abort()).await;
    assert_eq!(changed.expect("a team").id, 4);
    service.assert_asked("PATCH", "teams/4?apiKey=svc_key", &said);

    let removed = records.remove(TEAMS, "4", &[], abort()).await;
    assert_eq!(removed, Ok(()));
    service.assert_asked("DELETE", "teams/4?apiKey=svc_key", &Value::Null);

    // Bookings are cancelled.
    let why = [("cancellationReason", "Ill & tired".to_owned())];
    assert_eq!(records.remove(BOOKINGS, "7", &why, abort()).await, Ok(()));
    let path = "bookings/7/cancel?cancellationReason=Ill+%26+tired&apiKey=svc_key";
    service.assert_asked("DELETE", path, &Value::Null);
}

#[wasm_bindgen_test]
async fn record_id_of_several_parts_is_joined() {
    let service = Service::that_says(200, &json!({"membership": {"userId": 7, "teamId": 3}}));
    let found = service.records.find(MEMBERSHIPS, "7_3", abort()).await;
    assert_eq!(found.expect("a membership").team_id, 3);
    service.assert_asked("GET", "memberships/7_3?apiKey=svc_key", &Value::Null);
    let id = "7_own_calendar_a/b?c#d_e";
    // The response to a membership is no calendar.
    let _ = service.records.find(SELECTED_CALENDARS, id, abort()).await;
    let path = "selected-calendars/7_own_calendar_a%2Fb%3Fc%23d_e?apiKey=svc_key";
    service.assert_asked("GET", path, &Value::Null);
}

#[wasm_bindgen_test]
async fn credentials_id_is_in_query() {
    let list = json!({"credentials": [{"id": 4, "type": "own_calendar"}, {"id": 5, "type": "x"}]});
    let service = Service::that_says(200, &list);
    let found = service
        .records
        .find(CREDENTIALS.bare(), "7_5", abort())
        .await;
    let found: JsonMap = found.expect("a credential");
    assert_eq!(found.get("type"), Some(&json!("x")));
    assert_eq!(CREDENTIALS.id_of(&found).as_deref(), Some("7_5"));
    service.assert_asked(
        "GET",
        "credential-sync?userId=7&apiKey=svc_key",
        &Value::Null,
    );
    let missing = service.records.find(CREDENTIALS, "7_6", abort()).await;
    assert_eq!(
        missing.err(),
        Some(ApiError::Declined(DeclineReason::NotFound))
    );
    assert_eq!(
        service
            .records
            .remove(CREDENTIALS, "7_5", &[], abort())
            .await,
        Ok(())
    );
    let path = "credential-sync?userId=7&credentialId=5&apiKey=svc_key";
    service.assert_asked("DELETE", path, &Value::Null);
}

#[wasm_bindgen_test]
async fn slots_by_day_and_bare_recordings_are_read() {
    let days = json!({"slots": {"2027-03-08": [{"time": "2027-03-08T09:00:00Z"}],
        "2027-03-09": [{"time": "2027-03-09T09:00:00Z", "attendees": 2}]}});
    let service = Service::that_says(200, &days);
    let slots = service
        .records
        .list(SLOTS, &[], abort())
        .await
        .expect("times");
    let counts: Vec<_> = slots.iter().map(|slot| slot.attendees).collect();
    assert_eq!(counts, [None, Some(2)]);
    let service = Service::that_says(200, &json!(["said"]));
    let path = "transcripts/a";
    let said = service
        .records
        .belonging(BOOKINGS, "7", path, "", abort())
        .await;
    assert_eq!(said, Ok(vec![json!("said")]));
    let path = "bookings/7/transcripts/a?apiKey=svc_key";
    service.assert_asked("GET", path, &Value::Null);
}

#[wasm_bindgen_test]
async fn unreadable_response_is_an_error() {
    for body in [json!({}), json!([]), json!("no"), json!({"attendees": 4})] {
        let service = Service::that_says(200, &body);
        let listed = service.records.list(TEAMS, &[], abort()).await;
        let is_empty_list = body.as_array().is_some_and(Vec::is_empty);
        assert_eq!(listed.is_ok(), is_empty_list, "{body}");
        assert!(
            service.records.find(ATTENDEES, "4", abort()).await.is_err(),
            "{body}"
        );
    }
    let service = Service::that_says(401, &json!({"error": "Your apiKey is not valid"}));
    let changes = BookingChanges::default();
    let refused = service
        .records
        .change(BOOKINGS, "4", &changes, abort())
        .await;
    assert_eq!(
        refused.err(),
        Some(ApiError::Declined(DeclineReason::SignInNeeded))
    );
    let service = Service::that_says(
        400,
        &json!({"message": "no", "data": [
        {"property": "subscriberUrl", "message": "must be an address"}]}),
    );
    let input = WebhookInput::default();
    let refused = service.records.create(WEBHOOKS, &[], &input, abort()).await;
    let complaints = vec![("subscriberUrl".to_owned(), "must be an address".to_owned())];
    let expected = DeclineReason::InvalidProperties("no".to_owned(), complaints);
    assert_eq!(refused.err(), Some(ApiError::Declined(expected)));
}
