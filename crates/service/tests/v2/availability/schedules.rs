//! /v2/schedules and /v2/teams/{teamId}/schedules

use axum::http::Method;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, TestResponse};

impl Service {
    async fn schedules(
        &self,
        method: Method,
        suffix: &str,
        user: i64,
        body: Option<Value>,
    ) -> TestResponse {
        let headers = [self.bearer_of(user).await];
        let target = format!("/v2/schedules{suffix}");
        self.call(method, &target, &headers, body).await
    }

    async fn slot_starts(&self, event_type: i64, day: &str) -> Vec<String> {
        let target = format!("/v2/slots?eventTypeId={event_type}&start={day}&end={day}");
        let response = self.get(&target).await;
        response.data()[day]
            .as_array()
            .into_iter()
            .flatten()
            .map(|slot| slot["start"].as_str().unwrap()[11..16].to_owned())
            .collect()
    }
}

fn body(more: Value) -> Value {
    let mut body = json!({"name": "Hours", "timeZone": "Europe/Rome", "isDefault": false});
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    body
}

const WORKDAYS: [&str; 5] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];

#[tokio::test]
async fn new_schedule_has_default_office_hours() {
    let service = Service::start().await;
    let plain = service
        .schedules(Method::POST, "", HOST, Some(body(json!({}))))
        .await;
    assert_eq!(plain.status, 201, "{}", plain.text);
    let id = &plain.data()["id"];
    assert_eq!(
        plain.data(),
        &json!({
            "id": id, "ownerId": HOST, "name": "Hours", "timeZone": "Europe/Rome", "isDefault": false,
            "availability": [{"days": WORKDAYS, "startTime": "09:00", "endTime": "17:00"}],
            "overrides": [],
        })
    );
    let custom = json!({
        "availability": [
            {"days": ["Monday", "Sunday"], "startTime": "08:00", "endTime": "12:00"},
            {"days": ["Monday", "Sunday"], "startTime": "12:00", "endTime": "23:59"},
        ],
        "overrides": [
            {"date": "2027-03-08", "startTime": "00:00", "endTime": "00:00"},
            {"date": "2027-03-09", "startTime": "10:00", "endTime": "11:00"},
        ],
    });
    let created = service
        .schedules(Method::POST, "", HOST, Some(body(custom.clone())))
        .await;
    for key in ["availability", "overrides"] {
        assert_eq!(created.data()[key], custom[key], "{key}");
    }
    let found = service
        .schedules(
            Method::GET,
            &format!("/{}", created.data()["id"]),
            HOST,
            None,
        )
        .await;
    assert_eq!(found.data(), created.data());
}

#[tokio::test]
async fn patch_replaces_only_sent_fields() {
    let service = Service::start().await;
    let overrides = json!([{"date": "2027-03-08", "startTime": "10:00", "endTime": "11:00"}]);
    let target = format!("/{HOST}");
    let first = service
        .schedules(
            Method::PATCH,
            &target,
            HOST,
            Some(json!({"overrides": overrides, "name": "New"})),
        )
        .await;
    assert_eq!(first.data()["overrides"], overrides);
    assert_eq!(first.data()["name"], "New");
    assert_eq!(first.data()["timeZone"], "Europe/Berlin");
    assert_eq!(first.data()["isDefault"], true);
    assert_eq!(first.data()["availability"][0]["days"], json!(WORKDAYS));
    let week = json!([{"days": ["Saturday"], "startTime": "10:00", "endTime": "12:00"}]);
    let second = service
        .schedules(
            Method::PATCH,
            &target,
            HOST,
            Some(json!({"availability": week, "timeZone": "Asia/Tokyo"})),
        )
        .await;
    assert_eq!(second.data()["availability"], week);
    assert_eq!(second.data()["overrides"], overrides);
    assert_eq!(second.data()["timeZone"], "Asia/Tokyo");
    let none = service
        .schedules(Method::PATCH, &target, HOST, Some(json!({"overrides": []})))
        .await;
    assert_eq!(none.data()["overrides"], json!([]));
    assert_eq!(none.data()["availability"], week);
}

#[tokio::test]
async fn slots_follow_the_schedule() {
    let service = Service::start().await;
    let talk = service.event_type("talk", json!({})).await;
    let day = "2027-03-02";
    assert_eq!(service.slot_starts(talk, day).await.len(), 16);
    let change = json!({"overrides": [{"date": day, "startTime": "10:00", "endTime": "11:00"}]});
    service
        .schedules(Method::PATCH, &format!("/{HOST}"), HOST, Some(change))
        .await
        .data();
    assert_eq!(service.slot_starts(talk, day).await, ["09:00", "09:30"]);
    let late = json!({
        "overrides": [],
        "availability": [{"days": ["Tuesday"], "startTime": "23:00", "endTime": "23:59"}],
    });
    service
        .schedules(Method::PATCH, &format!("/{HOST}"), HOST, Some(late))
        .await
        .data();
    assert_eq!(service.slot_starts(talk, day).await, ["22:00", "22:30"]);
}

#[tokio::test]
async fn exactly_one_schedule_is_default() {
    let service = Service::start().await;
    let default = async || {
        let response = service.schedules(Method::GET, "/default", HOST, None).await;
        response.data()["id"].as_i64()
    };
    let flags = async || -> Vec<(i64, bool)> {
        let response = service.schedules(Method::GET, "", HOST, None).await;
        response
            .data()
            .as_array()
            .unwrap()
            .iter()
            .map(|schedule| {
                (
                    schedule["id"].as_i64().unwrap(),
                    schedule["isDefault"].as_bool().unwrap(),
                )
            })
            .collect()
    };
    assert_eq!(default().await, Some(HOST));
    let created = service
        .schedules(
            Method::POST,
            "",
            HOST,
            Some(body(json!({"isDefault": true}))),
        )
        .await;
    let second = created.data()["id"].as_i64().unwrap();
    assert_eq!(flags().await, [(HOST, false), (second, true)]);
    let refused = service
        .schedules(
            Method::PATCH,
            &format!("/{second}"),
            HOST,
            Some(json!({"isDefault": false})),
        )
        .await;
    refused.assert_error(400, "BadRequestException");
    assert_eq!(refused.constraints()[0].0, "isDefault");
    service
        .schedules(
            Method::PATCH,
            &format!("/{HOST}"),
            HOST,
            Some(json!({"isDefault": true})),
        )
        .await
        .data();
    assert_eq!(flags().await, [(HOST, true), (second, false)]);

    // An event type with the deleted schedule uses the default one.
    let talk = service.event_type("talk", json!({})).await;
    service
        .sql(&format!(
            "UPDATE event_types SET schedule_id = {second} WHERE id = {talk}"
        ))
        .await;
    service
        .schedules(Method::DELETE, &format!("/{second}"), HOST, None)
        .await
        .data();
    let found = service.get(&format!("/v2/event-types/{talk}")).await;
    assert_eq!(found.data()["scheduleId"], Value::Null);
    assert_eq!(service.slot_starts(talk, "2027-03-02").await.len(), 16);

    // The oldest remaining schedule becomes the default.
    let third = service
        .schedules(Method::POST, "", HOST, Some(body(json!({}))))
        .await;
    service
        .schedules(Method::DELETE, &format!("/{HOST}"), HOST, None)
        .await
        .data();
    assert_eq!(default().await, third.data()["id"].as_i64());
    service
        .schedules(
            Method::DELETE,
            &format!("/{}", third.data()["id"]),
            HOST,
            None,
        )
        .await
        .data();
    let none = service.schedules(Method::GET, "/default", HOST, None).await;
    assert_eq!(none.data(), &Value::Null);
    // A first schedule always becomes the default.
    let first = service
        .schedules(Method::POST, "", HOST, Some(body(json!({}))))
        .await;
    assert_eq!(first.data()["isDefault"], true);
}

#[tokio::test]
async fn invalid_schedule_names_its_property() {
    let service = Service::start().await;
    let line =
        |start: &str, end: &str| json!({"days": ["Monday"], "startTime": start, "endTime": end});
    let date = |date: &str, start: &str, end: &str| json!({"date": date, "startTime": start, "endTime": end});
    let cases = [
        (json!({"name": " "}), "name"),
        (json!({"timeZone": "Mars"}), "timeZone"),
        (json!({"timeZone": null}), "timeZone"),
        (json!({"isDefault": "yes"}), "isDefault"),
        (json!({"availability": {}}), "availability"),
        (json!({"availability": [5]}), "availability.0"),
        (
            json!({"availability": [{"days": [], "startTime": "09:00", "endTime": "10:00"}]}),
            "availability.0.days",
        ),
        (
            json!({"availability": [{"days": ["monday"], "startTime": "09:00", "endTime": "10:00"}]}),
            "availability.0.days",
        ),
        (
            json!({"availability": [line("9:00", "10:00")]}),
            "availability.0.startTime",
        ),
        (
            json!({"availability": [line("09:00", "24:00")]}),
            "availability.0.endTime",
        ),
        (
            json!({"availability": [line("10:00", "10:00")]}),
            "availability.0.endTime",
        ),
        (
            json!({"availability": [line("09:00", "11:00"), line("10:00", "12:00")]}),
            "availability.1",
        ),
        (
            json!({"overrides": [date("2027-02-30", "09:00", "10:00")]}),
            "overrides.0.date",
        ),
        (
            json!({"overrides": [date("2027-03-01", "10:00", "09:00")]}),
            "overrides.0.endTime",
        ),
        (
            json!({"overrides": [date("2027-03-01", "09:00", "10:00"), date("2027-03-01", "00:00", "00:00")]}),
            "overrides.1",
        ),
    ];
    for (more, property) in cases {
        let created = service
            .schedules(Method::POST, "", HOST, Some(body(more.clone())))
            .await;
        let changed = service
            .schedules(Method::PATCH, &format!("/{HOST}"), HOST, Some(more.clone()))
            .await;
        for response in [created, changed] {
            response.assert_error(400, "BadRequestException");
            assert_eq!(
                response.constraints()[0].0,
                property,
                "{more}: {}",
                response.text
            );
            assert_eq!(response.constraints().len(), 1, "{more}: {}", response.text);
        }
    }
    let empty = service
        .schedules(Method::POST, "", HOST, Some(json!({})))
        .await;
    let missing: Vec<String> = empty
        .constraints()
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(missing, ["name", "timeZone", "isDefault"]);
}

#[tokio::test]
async fn schedules_are_private_but_listed_for_team() {
    let service = Service::start().await;
    for (method, suffix) in [
        (Method::GET, ""),
        (Method::POST, ""),
        (Method::GET, "/default"),
        (Method::GET, "/1"),
        (Method::PATCH, "/1"),
        (Method::DELETE, "/1"),
    ] {
        let target = format!("/v2/schedules{suffix}");
        let anonymous = service
            .call(method.clone(), &target, &[], Some(body(json!({}))))
            .await;
        anonymous.assert_error(401, "UnauthorizedException");
        if suffix == "/1" {
            service
                .schedules(method, suffix, OTHER_HOST, Some(json!({})))
                .await
                .assert_error(404, "NotFoundException");
        }
    }
    service
        .schedules(Method::GET, "/4711", HOST, None)
        .await
        .assert_error(404, "NotFoundException");
    let team = "/v2/teams/1/schedules";
    let listed = service.get_as(team, service.manager()).await;
    let owners: Vec<i64> = listed
        .data()
        .as_array()
        .unwrap()
        .iter()
        .map(|schedule| schedule["ownerId"].as_i64().unwrap())
        .collect();
    assert_eq!(owners, [1, 2, 3]);
    let page = service
        .get_as(&format!("{team}?take=1&skip=1"), service.manager())
        .await;
    assert_eq!(page.data()[0]["ownerId"], 2);
    assert_eq!(page.data().as_array().unwrap().len(), 1);
    service
        .get(team)
        .await
        .assert_error(401, "UnauthorizedException");
    service
        .get_as(team, service.bearer_of(HOST).await)
        .await
        .assert_error(403, "ForbiddenException");
    service
        .sql("UPDATE oauth_clients SET scopes = '[\"SCHEDULE_READ\"]'")
        .await;
    service
        .schedules(Method::POST, "", HOST, Some(body(json!({}))))
        .await
        .assert_error(403, "ForbiddenException");
}
