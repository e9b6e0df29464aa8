//! Working hours line by line.

use serde_json::{Value, json};

use crate::world::{OWNER, STRANGER, World};

fn at(hour: u8) -> String {
    format!("1970-01-01T{hour:02}:00:00.000Z")
}

#[tokio::test]
async fn lines_with_the_same_hours_stay_apart() {
    let world = World::new().await;
    let week = json!({
        "scheduleId": OWNER, "days": [6, 0], "startTime": at(9), "endTime": at(17),
    });
    let first = world
        .make(OWNER, "availabilities", "availability", week)
        .await;
    let shown = world
        .get(OWNER, &format!("/v1/availabilities/{first}"))
        .await;
    assert_eq!(
        shown.wrapped("availability"),
        &json!({
            "id": first, "scheduleId": OWNER, "eventTypeId": null, "days": [0, 6], "date": null,
            "startTime": at(9), "endTime": at(17),
        })
    );
    let target = format!("/v1/availabilities/{first}");
    world
        .ask(OWNER, "DELETE", &target, Value::Null)
        .await
        .wrapped("message");
    let schedule = world.get(OWNER, &format!("/v1/schedules/{OWNER}")).await;
    let lines = schedule.wrapped("schedule")["availability"]
        .as_array()
        .unwrap()
        .clone();
    assert!(!lines.is_empty());
    assert!(lines.iter().all(|line| line["days"] != json!([0, 6])));
}

#[tokio::test]
async fn a_line_keeps_its_id_when_it_changes() {
    let world = World::new().await;
    let id = world.availability;
    let target = format!("/v1/availabilities/{id}");
    let before = world
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
        let changed = world.ask(OWNER, "PATCH", &target, body.clone()).await;
        let changed = changed.wrapped("availability").clone();
        assert_eq!(changed["id"], id, "{body}");
        assert_eq!(
            world.get(OWNER, &target).await.wrapped("availability"),
            &changed,
            "{body}"
        );
    }
    assert_eq!(before["id"], id);
    // Others are still there.
    let schedule = world.get(OWNER, &format!("/v1/schedules/{OWNER}")).await;
    let lines = schedule.wrapped("schedule")["availability"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(lines, 5, "{}", schedule.text);
}

#[tokio::test]
async fn no_id_is_given_to_the_hours_of_two_people() {
    let world = World::new().await;
    let hours = |schedule_id: i64, date: &str| json!({"scheduleId": schedule_id, "date": date, "startTime": at(9), "endTime": at(12)});
    let make = async |user_id: i64, date: &str| {
        let body = hours(user_id, date);
        world
            .make(user_id, "availabilities", "availability", body)
            .await
    };
    let (first, second) = (
        make(OWNER, "2027-03-12").await,
        make(OWNER, "2027-03-13").await,
    );
    let target = |id: i64| format!("/v1/availabilities/{id}");
    let gone = world
        .ask(OWNER, "DELETE", &target(first), Value::Null)
        .await;
    gone.wrapped("message");
    let later = json!({"endTime": at(15)});
    let changed = world.ask(OWNER, "PATCH", &target(second), later).await;
    assert_eq!(changed.wrapped("availability")["id"], second);
    let others = make(STRANGER, "2027-03-14").await;
    assert_ne!(others, second);
    world.get(STRANGER, &target(second)).await.failed(403);
    world.get(OWNER, &target(others)).await.failed(403);
    let gone = world
        .ask(STRANGER, "DELETE", &target(others), Value::Null)
        .await;
    gone.wrapped("message");
    let left = world.get(OWNER, &target(second)).await;
    assert_eq!(left.wrapped("availability")["date"], "2027-03-13");
}

#[tokio::test]
async fn no_two_lines_overlap() {
    let world = World::new().await;
    let line = |days: Value, from: u8, to: u8| json!({"scheduleId": OWNER, "days": days, "startTime": at(from), "endTime": at(to)});
    let post = async |body: Value| {
        world
            .ask(OWNER, "POST", "/v1/availabilities", body)
            .await
            .status
    };
    assert_eq!(post(line(json!([1]), 16, 18)).await, 400);
    assert_eq!(post(line(json!([1]), 17, 18)).await, 200);
    assert_eq!(post(line(json!([6]), 9, 12)).await, 200);
    assert_eq!(post(line(json!([6, 0]), 11, 13)).await, 400);
    let day = |from: u8, to: u8| json!({"scheduleId": OWNER, "date": "2027-03-12", "startTime": at(from), "endTime": at(to)});
    assert_eq!(post(day(9, 9)).await, 200);
    assert_eq!(post(day(9, 12)).await, 400, "a day off has no hours");
}

#[tokio::test]
async fn the_week_and_dates_have_limits_of_their_own() {
    let world = World::new().await;
    let filled = |column: &str, value: &str, count: i64| {
        format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
             INSERT INTO schedule_hours (schedule_id, {column}, from_minute, to_minute)
             SELECT {OWNER}, {value}, i, i + 1 FROM n"
        )
    };
    world
        .service
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
        world.ask(OWNER, "POST", "/v1/availabilities", body).await
    };
    post(json!({"days": [1]})).await.failed(400);
    let last = post(json!({"date": "2027-03-12"})).await;
    let last = last.wrapped("availability")["id"].clone();
    post(json!({"date": "2027-03-13"})).await.failed(400);
    let target = format!("/v1/availabilities/{last}");
    let other = json!({"days": [1]});
    world.ask(OWNER, "PATCH", &target, other).await.failed(400);
}

#[tokio::test]
async fn hours_decide_what_can_be_booked() {
    let world = World::new().await;
    let day = async || {
        let target = format!(
            "/v1/slots?eventTypeId={}&startTime=2027-03-06T00:00:00Z&endTime=2027-03-07T00:00:00Z",
            world.event_type
        );
        let slots = world.get(OWNER, &target).await;
        slots.wrapped("slots")["2027-03-06"]
            .as_array()
            .map_or(0, Vec::len)
    };
    assert_eq!(day().await, 0, "a Saturday");
    let hours = json!({"scheduleId": OWNER, "days": [6], "startTime": at(9), "endTime": at(11)});
    world
        .make(OWNER, "availabilities", "availability", hours)
        .await;
    assert_eq!(day().await, 4);
}
