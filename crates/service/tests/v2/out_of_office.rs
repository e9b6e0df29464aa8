//! /v2/organizations/{orgId}/users/{userId}/ooo and /v2/organizations/{orgId}/ooo

use axum::http::Method;
use serde_json::{Value, json};

use crate::common::{Answer, HOST, Service};

const ADA: &str = "/v2/organizations/1/users/1/ooo";

impl Service {
    async fn absence(
        &self,
        method: Method,
        target: &str,
        user: i64,
        body: Option<Value>,
    ) -> Answer {
        let headers = [self.bearer_of(user).await];
        self.call(method, target, &headers, body).await
    }
}

fn away(start: &str, end: &str) -> Value {
    json!({"start": start, "end": end})
}

#[tokio::test]
async fn somebody_out_of_office_offers_no_times() {
    let service = Service::start().await;
    let slots = "/v2/slots?eventTypeId=1&start=2027-03-10&end=2027-03-12";
    let days = async || -> Vec<String> {
        let answer = service.get(slots).await;
        let days = answer.data().as_object().unwrap();
        days.keys().cloned().collect()
    };
    assert_eq!(days().await, ["2027-03-10", "2027-03-11", "2027-03-12"]);
    let body = json!({
        "start": "2027-03-11T00:00:00Z", "end": "2027-03-11T23:59:59.999Z", "notes": "At sea",
        "toUserId": 2, "reason": "vacation",
    });
    let made = service.absence(Method::POST, ADA, 1, Some(body)).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!(
        made.data(),
        &json!({
            "id": made.data()["id"], "uuid": made.data()["uuid"], "userId": 1, "toUserId": 2,
            "start": "2027-03-11T00:00:00.000Z", "end": "2027-03-11T23:59:59.999Z",
            "notes": "At sea", "reason": "vacation",
        })
    );
    assert_eq!(days().await, ["2027-03-10", "2027-03-12"]);
    let target = format!("{ADA}/{}", made.data()["id"]);
    let gone = service.absence(Method::DELETE, &target, 1, None).await;
    assert_eq!(gone.data(), made.data());
    assert_eq!(days().await.len(), 3);
    service
        .absence(Method::DELETE, &target, 1, None)
        .await
        .refused(404, "NotFoundException");
}

#[tokio::test]
async fn a_change_touches_only_what_is_given() {
    let service = Service::start().await;
    let made = service
        .absence(
            Method::POST,
            ADA,
            1,
            Some(away("2027-03-11T00:00:00Z", "2027-03-12T00:00:00Z")),
        )
        .await;
    assert_eq!(made.data()["reason"], "unspecified");
    for missing in ["notes", "toUserId"] {
        assert!(made.data().get(missing).is_none(), "{missing}");
    }
    let target = format!("{ADA}/{}", made.data()["id"]);
    let change = json!({"end": "2027-03-13T00:00:00Z", "notes": "Longer", "toUserId": 3});
    let changed = service
        .absence(Method::PATCH, &target, 1, Some(change))
        .await;
    assert_eq!(changed.data()["start"], made.data()["start"]);
    assert_eq!(changed.data()["end"], "2027-03-13T00:00:00.000Z");
    let back = json!({"notes": null, "toUserId": null, "reason": "sick"});
    let back = service.absence(Method::PATCH, &target, 1, Some(back)).await;
    assert_eq!(back.data()["notes"], Value::Null);
    assert_eq!(back.data()["toUserId"], Value::Null);
    assert_eq!(back.data()["reason"], "sick");
    assert_eq!(back.data()["end"], changed.data()["end"]);
}

#[tokio::test]
async fn two_absences_of_one_person_cannot_overlap() {
    let service = Service::start().await;
    let first = away("2027-03-11T00:00:00Z", "2027-03-12T00:00:00Z");
    let made = service
        .absence(Method::POST, ADA, 1, Some(first.clone()))
        .await;
    service
        .absence(Method::POST, ADA, 1, Some(first.clone()))
        .await
        .refused(409, "ConflictException");
    // Touching is fine, and so is somebody else.
    let next = away("2027-03-12T00:00:00Z", "2027-03-13T00:00:00Z");
    let next = service.absence(Method::POST, ADA, 1, Some(next)).await;
    assert_eq!(next.status, 201);
    let marcus = "/v2/organizations/1/users/2/ooo";
    assert_eq!(
        service
            .absence(Method::POST, marcus, 2, Some(first))
            .await
            .status,
        201
    );
    let target = format!("{ADA}/{}", made.data()["id"]);
    service
        .absence(
            Method::PATCH,
            &target,
            1,
            Some(json!({"end": "2027-03-12T00:00:01Z"})),
        )
        .await
        .refused(409, "ConflictException");
    let listed = service.absence(Method::GET, ADA, 1, None).await;
    assert_eq!(listed.data(), &json!([made.data(), next.data()]));
    let page = format!("{ADA}?take=1&skip=1");
    let page = service.absence(Method::GET, &page, 1, None).await;
    assert_eq!(page.data(), &json!([next.data()]));
    let all = service
        .get_as("/v2/organizations/1/ooo", service.owner())
        .await;
    assert_eq!(all.data().as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn absence_list_is_sorted_and_filtered_by_its_query() {
    let service = Service::start().await;
    // Ada's second begins before Marcus's and ends after it.
    let absences = [
        (1, "2027-03-11T00:00:00Z", "2027-03-12T00:00:00Z"),
        (1, "2027-03-20T00:00:00Z", "2027-03-30T00:00:00Z"),
        (2, "2027-03-21T00:00:00Z", "2027-03-22T00:00:00Z"),
        (3, "2027-03-21T00:00:00Z", "2027-03-25T00:00:00Z"),
    ];
    for (user, start, end) in absences {
        let target = format!("/v2/organizations/1/users/{user}/ooo");
        let made = service
            .absence(Method::POST, &target, user, Some(away(start, end)))
            .await;
        assert_eq!(made.status, 201, "{}", made.text);
    }
    let listed = async |target: &str| -> Vec<(i64, String)> {
        let answer = service.get_as(target, service.owner()).await;
        let entries = answer.data().as_array().unwrap().clone();
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
        .refused(400, "BadRequestException");
}

#[tokio::test]
async fn each_broken_rule_is_named_with_its_property() {
    let service = Service::start().await;
    let (start, end) = ("2027-03-11T00:00:00Z", "2027-03-12T00:00:00Z");
    for (body, property) in [
        (json!({"end": end}), "start"),
        (json!({"start": start}), "end"),
        (away("soon", end), "start"),
        (away(end, start), "end"),
        (away(start, start), "end"),
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
        let answer = service
            .absence(Method::POST, ADA, 1, Some(body.clone()))
            .await;
        answer.refused(400, "BadRequestException");
        assert_eq!(
            answer.constraints()[0].0,
            property,
            "{body}: {}",
            answer.text
        );
    }
}

#[tokio::test]
async fn people_and_those_who_run_their_organization_say_who_is_away() {
    let service = Service::start().await;
    let body = away("2027-03-11T00:00:00Z", "2027-03-12T00:00:00Z");
    let made = service
        .absence(Method::POST, ADA, 1, Some(body.clone()))
        .await;
    let entry = format!("{ADA}/{}", made.data()["id"]);
    // Ada herself, Ingrid who owns the organisation, Marcus, and somebody from elsewhere.
    for (user, status) in [(1, 200), (5, 200), (2, 403), (HOST, 403)] {
        for (method, target) in [(Method::GET, ADA), (Method::PATCH, entry.as_str())] {
            let answer = service.absence(method, target, user, Some(json!({}))).await;
            assert_eq!(answer.status, status, "{target} {user}: {}", answer.text);
        }
    }
    let all = "/v2/organizations/1/ooo";
    for (user, status) in [(5, 200), (1, 403), (HOST, 403)] {
        let answer = service.absence(Method::GET, all, user, None).await;
        assert_eq!(answer.status, status, "{user}: {}", answer.text);
    }
    for (target, user, status) in [
        ("/v2/organizations/9/users/1/ooo".to_owned(), 1, 404),
        (format!("/v2/organizations/1/users/{HOST}/ooo"), 5, 404),
        (format!("/v2/organizations/1/users/{HOST}/ooo"), HOST, 403),
        // Somebody else's entry.
        (entry.replace("users/1", "users/2"), 5, 404),
    ] {
        let method = if target.ends_with("ooo") {
            Method::GET
        } else {
            Method::DELETE
        };
        let answer = service.absence(method, &target, user, None).await;
        assert_eq!(answer.status, status, "{target}: {}", answer.text);
    }
    for (method, target) in [
        (Method::GET, all),
        (Method::GET, ADA),
        (Method::POST, ADA),
        (Method::PATCH, entry.as_str()),
        (Method::DELETE, entry.as_str()),
    ] {
        let answer = service.call(method, target, &[], Some(body.clone())).await;
        answer.refused(401, "UnauthorizedException");
    }
}

#[tokio::test]
async fn subscribers_hear_of_an_absence() {
    let service = Service::start().await;
    service
        .sql(
            "INSERT INTO webhooks (id, user_id, subscriber_url, triggers, active, version, created_ms)
             VALUES ('hook', 1, 'https://example.com/', '[\"OOO_CREATED\"]', 1, '2021-10-20', 0)",
        )
        .await;
    let body = away("2027-03-11T00:00:00Z", "2027-03-12T00:00:00Z");
    service
        .absence(Method::POST, ADA, 1, Some(body))
        .await
        .data();
    assert_eq!(service.count("webhook_deliveries").await, 1);
}
