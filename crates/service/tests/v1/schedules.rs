//! Schedules and their availability entries.

use serde_json::{Value, json};

use crate::app::{OWNER, STRANGER, TestApp};

fn at(hour: u8) -> String {
    format!("1970-01-01T{hour:02}:00:00.000Z")
}

#[tokio::test]
async fn availabilities_with_same_hours_stay_separate() {
    let app = TestApp::new().await;
    let week = json!({
        "scheduleId": OWNER, "days": [6, 0], "startTime": at(9), "endTime": at(17),
    });
    let first = app
        .create(OWNER, "availabilities", "availability", week)
        .await;
    let fetched = app.get(OWNER, &format!("/v1/availabilities/{first}")).await;
    assert_eq!(
        fetched.wrapped("availability"),
        &json!({
            "id": first, "scheduleId": OWNER, "eventTypeId": null, "days": [0, 6], "date": null,
            "startTime": at(9), "endTime": at(17),
        })
    );
    let target = format!("/v1/availabilities/{first}");
    app.request(OWNER, "DELETE", &target, Value::Null)
        .await
        .wrapped("message");
    let schedule = app.get(OWNER, &format!("/v1/schedules/{OWNER}")).await;
    let availabilities = schedule.wrapped("schedule")["availability"]
        .as_array()
        .unwrap()
        .clone();
    assert!(!availabilities.is_empty());
    assert!(
        availabilities
            .iter()
            .all(|availability| availability["days"] != json!([0, 6]))
    );
}

#[tokio::test]
async fn availability_keeps_id_when_changed() {
    let app = TestApp::new().await;
    let id = app.availability;
    let target = format!("/v1/availabilities/{id}");
    let before = app
        .get(OWNER, &target)
        .await
        .wrapped("availability")
        .clone();
    for body in [
        json!({"days": [6]}),
        json!({"startTime": at(10)}),
        json!({"date": "2027-03-11T00:00:00.000Z"}),
        json!({"startTime": at(10), "endTime": at(10)}),
        json!({"days": [0, 6], "endTime": at(12)}),
    ] {
        let changed = app.request(OWNER, "PATCH", &target, body.clone()).await;
        let changed = changed.wrapped("availability").clone();
        assert_eq!(changed["id"], id, "{body}");
        assert_eq!(
            app.get(OWNER, &target).await.wrapped("availability"),
            &changed,
            "{body}"
        );
    }
    assert_eq!(before["id"], id);
    // The other entries are unchanged.
    let schedule = app.get(OWNER, &format!("/v1/schedules/{OWNER}")).await;
    let availabilities = schedule.wrapped("schedule")["availability"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(availabilities, 5, "{}", schedule.text);
}

#[tokio::test]
async fn availability_id_is_not_reused_for_other_user() {
    let app = TestApp::new().await;
    let hours = |schedule_id: i64, date: &str| json!({"scheduleId": schedule_id, "date": date, "startTime": at(9), "endTime": at(12)});
    let create = async |user_id: i64, date: &str| {
        let body = hours(user_id, date);
        app.create(user_id, "availabilities", "availability", body)
            .await
    };
    let (first, second) = (
        create(OWNER, "2027-03-12").await,
        create(OWNER, "2027-03-13").await,
    );
    let target = |id: i64| format!("/v1/availabilities/{id}");
    let deleted = app
        .request(OWNER, "DELETE", &target(first), Value::Null)
        .await;
    deleted.wrapped("message");
    let later = json!({"endTime": at(15)});
    let changed = app.request(OWNER, "PATCH", &target(second), later).await;
    assert_eq!(changed.wrapped("availability")["id"], second);
    let others = create(STRANGER, "2027-03-14").await;
    assert_ne!(others, second);
    app.get(STRANGER, &target(second))
        .await
        .assert_v1_error(403);
    app.get(OWNER, &target(others)).await.assert_v1_error(403);
    let deleted = app
        .request(STRANGER, "DELETE", &target(others), Value::Null)
        .await;
    deleted.wrapped("message");
    let remaining = app.get(OWNER, &target(second)).await;
    assert_eq!(remaining.wrapped("availability")["date"], "2027-03-13");
}

#[tokio::test]
async fn overlapping_availability_returns_400() {
    let app = TestApp::new().await;
    let availability = |days: Value, from: u8, to: u8| json!({"scheduleId": OWNER, "days": days, "startTime": at(from), "endTime": at(to)});
    let post = async |body: Value| {
        app.request(OWNER, "POST", "/v1/availabilities", body)
            .await
            .status
    };
    assert_eq!(post(availability(json!([1]), 16, 18)).await, 400);
    assert_eq!(post(availability(json!([1]), 17, 18)).await, 200);
    assert_eq!(post(availability(json!([6]), 9, 12)).await, 200);
    assert_eq!(post(availability(json!([6, 0]), 11, 13)).await, 400);
    let day = |from: u8, to: u8| json!({"scheduleId": OWNER, "date": "2027-03-12", "startTime": at(from), "endTime": at(to)});
    assert_eq!(post(day(9, 9)).await, 200);
    assert_eq!(post(day(9, 12)).await, 400, "a day off has no hours");
}

#[tokio::test]
async fn weekly_hours_and_dates_have_separate_limits() {
    let app = TestApp::new().await;
    let filled = |column: &str, value: &str, count: i64| {
        format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
             INSERT INTO schedule_hours (schedule_id, {column}, from_minute, to_minute)
             SELECT {OWNER}, {value}, i, i + 1 FROM n"
        )
    };
    app.service
        .sql(&format!(
            "DELETE FROM schedule_hours WHERE schedule_id = {OWNER};
             {};
             {}",
            filled("weekday", "6", 100),
            filled("on_date", "date('2028-01-01', i || ' days')", 999)
        ))
        .await;
    let post = async |body: Value| {
        let mut body = body;
        body["scheduleId"] = json!(OWNER);
        body["startTime"] = json!(at(9));
        body["endTime"] = json!(at(12));
        app.request(OWNER, "POST", "/v1/availabilities", body).await
    };
    post(json!({"days": [1]})).await.assert_v1_error(400);
    let last = post(json!({"date": "2027-03-12"})).await;
    let last = last.wrapped("availability")["id"].clone();
    post(json!({"date": "2027-03-13"}))
        .await
        .assert_v1_error(400);
    let target = format!("/v1/availabilities/{last}");
    let other = json!({"days": [1]});
    app.request(OWNER, "PATCH", &target, other)
        .await
        .assert_v1_error(400);
}

#[tokio::test]
async fn availability_determines_slots() {
    let app = TestApp::new().await;
    let day = async || {
        let target = format!(
            "/v1/slots?eventTypeId={}&startTime=2027-03-06T00:00:00Z&endTime=2027-03-07T00:00:00Z",
            app.event_type
        );
        let slots = app.get(OWNER, &target).await;
        slots.wrapped("slots")["2027-03-06"]
            .as_array()
            .map_or(0, Vec::len)
    };
    assert_eq!(day().await, 0, "a Saturday");
    let hours = json!({"scheduleId": OWNER, "days": [6], "startTime": at(9), "endTime": at(11)});
    app.create(OWNER, "availabilities", "availability", hours)
        .await;
    assert_eq!(day().await, 4);
}
