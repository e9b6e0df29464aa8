//! /v2/organizations/{orgId}/users/{userId}/ooo and /v2/organizations/{orgId}/ooo

use axum::http::Method;
use serde_json::{Value, json};

use crate::common::{HOST, Service, TestResponse};

const ADA: &str = "/v2/organizations/1/users/1/ooo";

impl Service {
    async fn send_absence(
        &self,
        method: Method,
        target: &str,
        user: i64,
        body: Option<Value>,
    ) -> TestResponse {
        let headers = [self.bearer_of(user).await];
        self.call(method, target, &headers, body).await
    }
}

fn absence_body(start: &str, end: &str) -> Value {
    json!({"start": start, "end": end})
}

#[tokio::test]
async fn absence_removes_slots_until_deleted() {
    let service = Service::start().await;
    let slots = "/v2/slots?eventTypeId=1&start=2027-03-10&end=2027-03-12";
    let days = async || -> Vec<String> {
        let response = service.get(slots).await;
        let days = response.data().as_object().unwrap();
        days.keys().cloned().collect()
    };
    assert_eq!(days().await, ["2027-03-10", "2027-03-11", "2027-03-12"]);
    let body = json!({
        "start": "2027-03-11T00:00:00Z", "end": "2027-03-11T23:59:59.999Z", "notes": "At sea",
        "toUserId": 2, "reason": "vacation",
    });
    let created = service.send_absence(Method::POST, ADA, 1, Some(body)).await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert_eq!(
        created.data(),
        &json!({
            "id": created.data()["id"], "uuid": created.data()["uuid"], "userId": 1, "toUserId": 2,
            "start": "2027-03-11T00:00:00.000Z", "end": "2027-03-11T23:59:59.999Z",
            "notes": "At sea", "reason": "vacation",
        })
    );
    assert_eq!(days().await, ["2027-03-10", "2027-03-12"]);
    let target = format!("{ADA}/{}", created.data()["id"]);
    let deleted = service.send_absence(Method::DELETE, &target, 1, None).await;
    assert_eq!(deleted.data(), created.data());
    assert_eq!(days().await.len(), 3);
    service
        .send_absence(Method::DELETE, &target, 1, None)
        .await
        .assert_error(404, "NotFoundException");
}

#[tokio::test]
async fn patch_changes_only_sent_fields() {
    let service = Service::start().await;
    let created = service
        .send_absence(
            Method::POST,
            ADA,
            1,
            Some(absence_body("2027-03-11T00:00:00Z", "2027-03-12T00:00:00Z")),
        )
        .await;
    assert_eq!(created.data()["reason"], "unspecified");
    for missing in ["notes", "toUserId"] {
        assert!(created.data().get(missing).is_none(), "{missing}");
    }
    let target = format!("{ADA}/{}", created.data()["id"]);
    let change = json!({"end": "2027-03-13T00:00:00Z", "notes": "Longer", "toUserId": 3});
    let changed = service
        .send_absence(Method::PATCH, &target, 1, Some(change))
        .await;
    assert_eq!(changed.data()["start"], created.data()["start"]);
    assert_eq!(changed.data()["end"], "2027-03-13T00:00:00.000Z");
    let back = json!({"notes": null, "toUserId": null, "reason": "sick"});
    let back = service
        .send_absence(Method::PATCH, &target, 1, Some(back))
        .await;
    assert_eq!(back.data()["notes"], Value::Null);
    assert_eq!(back.data()["toUserId"], Value::Null);
    assert_eq!(back.data()["reason"], "sick");
    assert_eq!(back.data()["end"], changed.data()["end"]);
}

#[tokio::test]
async fn overlapping_absence_of_one_user_returns_409() {
    let service = Service::start().await;
    let first = absence_body("2027-03-11T00:00:00Z", "2027-03-12T00:00:00Z");
    let created = service
        .send_absence(Method::POST, ADA, 1, Some(first.clone()))
        .await;
    service
        .send_absence(Method::POST, ADA, 1, Some(first.clone()))
        .await
        .assert_error(409, "ConflictException");
    // Adjacent absences and absences of other users are allowed.
    let next = absence_body("2027-03-12T00:00:00Z", "2027-03-13T00:00:00Z");
    let next = service.send_absence(Method::POST, ADA, 1, Some(next)).await;
    assert_eq!(next.status, 201);
    let marcus = "/v2/organizations/1/users/2/ooo";
    assert_eq!(
        service
            .send_absence(Method::POST, marcus, 2, Some(first))
            .await
            .status,
        201
    );
    let target = format!("{ADA}/{}", created.data()["id"]);
    service
        .send_absence(
            Method::PATCH,
            &target,
            1,
            Some(json!({"end": "2027-03-12T00:00:01Z"})),
        )
        .await
        .assert_error(409, "ConflictException");
    let listed = service.send_absence(Method::GET, ADA, 1, None).await;
    assert_eq!(listed.data(), &json!([created.data(), next.data()]));
    let page = format!("{ADA}?take=1&skip=1");
    let page = service.send_absence(Method::GET, &page, 1, None).await;
    assert_eq!(page.data(), &json!([next.data()]));
    let all = service
        .get_as("/v2/organizations/1/ooo", service.owner())
        .await;
    assert_eq!(all.data().as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn absence_list_is_sorted_and_filtered() {
    let service = Service::start().await;
    // Ada's second absence contains Marcus's.
    let absences = [
        (1, "2027-03-11T00:00:00Z", "2027-03-12T00:00:00Z"),
        (1, "2027-03-20T00:00:00Z", "2027-03-30T00:00:00Z"),
        (2, "2027-03-21T00:00:00Z", "2027-03-22T00:00:00Z"),
        (3, "2027-03-21T00:00:00Z", "2027-03-25T00:00:00Z"),
    ];
    for (user, start, end) in absences {
        let target = format!("/v2/organizations/1/users/{user}/ooo");
        let created = service
            .send_absence(Method::POST, &target, user, Some(absence_body(start, end)))
            .await;
        assert_eq!(created.status, 201, "{}", created.text);
    }
    let listed = async |target: &str| -> Vec<(i64, String)> {
        let response = service.get_as(target, service.owner()).await;
        let entries = response.data().as_array().unwrap().clone();
        let entry = |entry: &Value| {
            let end = entry["end"].as_str().unwrap();
            (entry["userId"].as_i64().unwrap(), end[8..10].to_owned())
        };
        entries.iter().map(entry).collect()
    };
    let all = [(1, "12"), (1, "30"), (2, "22"), (3, "25")];
    let ends = |indices: &[usize]| -> Vec<(i64, String)> {
        let chosen = indices.iter().map(|index| all[*index]);
        chosen.map(|(user, end)| (user, end.to_owned())).collect()
    };
    for (query, expected) in [
        ("", &[0, 1, 2, 3][..]),
        ("sortStart=asc", &[0, 1, 2, 3]),
        ("sortStart=desc", &[2, 3, 1, 0]),
        ("sortEnd=asc", &[0, 2, 3, 1]),
        ("sortEnd=desc", &[1, 3, 2, 0]),
        ("sortStart=desc&sortEnd=desc", &[3, 2, 1, 0]),
        ("sortEnd=desc&take=1&skip=1", &[3]),
        ("email=ADA@northwind.example", &[0, 1]),
        ("email=nobody@northwind.example", &[]),
    ] {
        let target = format!("/v2/organizations/1/ooo?{query}");
        assert_eq!(listed(&target).await, ends(expected), "{query}");
    }
    assert_eq!(
        listed(&format!("{ADA}?sortStart=desc&email=x@y.example")).await,
        ends(&[1, 0])
    );
    service
        .get_as("/v2/organizations/1/ooo?sortEnd=up", service.owner())
        .await
        .assert_error(400, "BadRequestException");
}

#[tokio::test]
async fn invalid_absence_names_its_property() {
    let service = Service::start().await;
    let (start, end) = ("2027-03-11T00:00:00Z", "2027-03-12T00:00:00Z");
    for (body, property) in [
        (json!({"end": end}), "start"),
        (json!({"start": start}), "end"),
        (absence_body("soon", end), "start"),
        (absence_body(end, start), "end"),
        (absence_body(start, start), "end"),
        (json!({"start": start, "end": end, "notes": 5}), "notes"),
        (
            json!({"start": start, "end": end, "reason": "bored"}),
            "reason",
        ),
        (
            json!({"start": start, "end": end, "toUserId": 1}),
            "toUserId",
        ),
        (
            json!({"start": start, "end": end, "toUserId": HOST}),
            "toUserId",
        ),
        (
            json!({"start": start, "end": end, "toUserId": "2"}),
            "toUserId",
        ),
    ] {
        let response = service
            .send_absence(Method::POST, ADA, 1, Some(body.clone()))
            .await;
        response.assert_error(400, "BadRequestException");
        assert_eq!(
            response.constraints()[0].0,
            property,
            "{body}: {}",
            response.text
        );
    }
}

#[tokio::test]
async fn absences_are_managed_by_user_and_organization_owner() {
    let service = Service::start().await;
    let body = absence_body("2027-03-11T00:00:00Z", "2027-03-12T00:00:00Z");
    let created = service
        .send_absence(Method::POST, ADA, 1, Some(body.clone()))
        .await;
    let entry = format!("{ADA}/{}", created.data()["id"]);
    // Ada, Ingrid (owner of the organization), Marcus, and a user outside of it.
    for (user, status) in [(1, 200), (5, 200), (2, 403), (HOST, 403)] {
        for (method, target) in [(Method::GET, ADA), (Method::PATCH, entry.as_str())] {
            let response = service
                .send_absence(method, target, user, Some(json!({})))
                .await;
            assert_eq!(
                response.status, status,
                "{target} {user}: {}",
                response.text
            );
        }
    }
    let all = "/v2/organizations/1/ooo";
    for (user, status) in [(5, 200), (1, 403), (HOST, 403)] {
        let response = service.send_absence(Method::GET, all, user, None).await;
        assert_eq!(response.status, status, "{user}: {}", response.text);
    }
    for (target, user, status) in [
        ("/v2/organizations/9/users/1/ooo".to_owned(), 1, 404),
        (format!("/v2/organizations/1/users/{HOST}/ooo"), 5, 404),
        (format!("/v2/organizations/1/users/{HOST}/ooo"), HOST, 403),
        // An entry of another user.
        (entry.replace("users/1", "users/2"), 5, 404),
    ] {
        let method = if target.ends_with("ooo") {
            Method::GET
        } else {
            Method::DELETE
        };
        let response = service.send_absence(method, &target, user, None).await;
        assert_eq!(response.status, status, "{target}: {}", response.text);
    }
    for (method, target) in [
        (Method::GET, all),
        (Method::GET, ADA),
        (Method::POST, ADA),
        (Method::PATCH, entry.as_str()),
        (Method::DELETE, entry.as_str()),
    ] {
        let response = service.call(method, target, &[], Some(body.clone())).await;
        response.assert_error(401, "UnauthorizedException");
    }
}

#[tokio::test]
async fn absence_queues_webhook_delivery() {
    let service = Service::start().await;
    service
        .sql(
            "INSERT INTO webhooks (id, user_id, subscriber_url, triggers, active, version, created_ms)
             VALUES ('hook', 1, 'https://example.com/', '[\"OOO_CREATED\"]', 1, '2021-10-20', 0)",
        )
        .await;
    let body = absence_body("2027-03-11T00:00:00Z", "2027-03-12T00:00:00Z");
    service
        .send_absence(Method::POST, ADA, 1, Some(body))
        .await
        .data();
    assert_eq!(service.count("webhook_deliveries").await, 1);
}
