//! Phase 2: valid requests that are as expensive as their limits allow.

use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection as _};

use booking_service::store;

use crate::client::{Client, Request};
use crate::process::Service;
use crate::{
    Findings, MAX_EXPENSIVE_CPU_MS, MAX_LIST_CPU_MS, MAX_RESPONSE_BYTES, MAX_SERIES_CPU_MS,
    Outcome, sweep,
};

/// Test data: a team with the maximum number of hosts of an event type, each with a schedule of
/// maximum size and 100 bookings; event types with slots of one minute.
const FILL: &str = "
INSERT INTO teams (id, organization_id, name, slug) VALUES (901, 1, 'Many', 'many');
WITH RECURSIVE n(i) AS (SELECT 9001 UNION ALL SELECT i + 1 FROM n WHERE i < 9250)
INSERT INTO users (id, organization_id, username, email, name, time_zone)
    SELECT i, 1, 'host' || i, 'host' || i || '@many.example', 'Host ' || i,
           'Etc/GMT' || CASE WHEN i % 27 < 13 THEN '+' || (i % 27) ELSE '-' || (i % 27 - 12) END
    FROM n;
INSERT INTO schedules (id, owner_id, name, time_zone)
    SELECT id, id, 'Hours', time_zone FROM users WHERE id > 9000;
UPDATE users SET default_schedule_id = id WHERE id > 9000;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 97)
INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute)
    SELECT schedules.id, i % 7, i / 7 * 100, i / 7 * 100 + 95 FROM schedules, n WHERE schedules.id > 9000;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
INSERT INTO schedule_hours (schedule_id, on_date, from_minute, to_minute)
    SELECT schedules.id, date('2027-03-01', '+' || (i / 2) || ' days'), i % 2 * 720, 720 + i % 2 * 719
    FROM schedules, n WHERE schedules.id > 9000;
INSERT INTO memberships (team_id, user_id, role, accepted)
    SELECT 901, id, 'MEMBER', 1 FROM users WHERE id > 9000;
WITH kinds(id, kind, minutes, interval) AS (
    VALUES (9001, 'collective', 1, 1), (9002, 'roundRobin', 1, 1), (9003, 'collective', 480, 1),
           (9004, 'roundRobin', 15, 15), (9006, 'roundRobin', 1, 1), (9007, 'collective', 15, 15), (9008, 'roundRobin', 15, 15))
INSERT INTO event_types (id, team_id, slug, scheduling_type, settings, created_ms)
    SELECT kinds.id, 901, 'kind-' || kinds.id, kind,
           json_set(json_remove(settings, '$.bookingWindow'), '$.lengthInMinutes', minutes, '$.slotInterval', interval), created_ms
    FROM event_types, kinds WHERE slug = 'intro-call';
UPDATE event_types SET settings = json_set(settings,
    '$.bookingLimitsCount', json('{\"day\": 500, \"week\": 3000, \"month\": 9000, \"year\": 90000}'),
    '$.bookingLimitsDuration', json('{\"day\": 900, \"week\": 9000, \"month\": 90000, \"year\": 900000}'),
    '$.bookingWindow', json('{\"type\": \"businessDays\", \"value\": 5, \"rolling\": true}'))
    WHERE id = 9006;
UPDATE event_types SET settings = json_set(settings,
    '$.seats', json('{\"seatsPerTimeSlot\": 5, \"showAttendeeInfo\": true}')) WHERE id = 9007;
UPDATE event_types SET settings = json_set(settings,
    '$.recurrence', json('{\"interval\": 1, \"occurrences\": 100, \"frequency\": \"weekly\"}'))
    WHERE id = 9008;
INSERT INTO event_type_hosts (event_type_id, user_id, fixed)
    SELECT kinds.id, users.id, kinds.scheduling_type = 'collective'
    FROM event_types AS kinds, users WHERE kinds.id > 9000 AND users.id > 9000;
INSERT INTO event_types (id, owner_id, slug, settings, created_ms)
    SELECT 9005, 9001, 'own', json_set(json_remove(settings, '$.bookingWindow'), '$.lengthInMinutes', 1, '$.slotInterval', 1), created_ms
    FROM event_types WHERE slug = 'intro-call';
INSERT INTO event_type_hosts (event_type_id, user_id) VALUES (9005, 9001);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 24999)
INSERT INTO bookings (id, uid, event_type_id, team_id, title, status, start_ms, end_ms, responses,
                      created_ms, updated_ms)
    SELECT 2000000 + i, 'many' || i, 9004, 901, 'Call ' || i, 'accepted',
           1803859200000 + i / 250 * 86400000 + i % 7 * 3600000,
           1803859200000 + i / 250 * 86400000 + i % 7 * 3600000 + 900000,
           '{}', 0, 0 FROM n;
INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
    SELECT id, 9001 + (id - 2000000) % 250, start_ms, end_ms, 1 FROM bookings WHERE id >= 2000000;
-- Seated bookings with all 250 hosts, after the others.
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
INSERT INTO bookings (id, uid, event_type_id, team_id, title, status, start_ms, end_ms, seated, seats, responses,
                      created_ms, updated_ms)
    SELECT 2100000 + i, 'shared' || i, 9007, 901, 'Class ' || i, 'accepted',
           1803859200000 + i / 20 * 86400000 + 36000000 + i % 20 * 900000,
           1803859200000 + i / 20 * 86400000 + 36000000 + i % 20 * 900000 + 900000,
           1, 5, '{}', 0, 0 FROM n;
INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
    SELECT b.id, u.id, b.start_ms, b.end_ms, 1 FROM bookings b, users u WHERE b.id >= 2100000 AND u.id > 9000;
INSERT INTO attendees (booking_id, name, email, time_zone, language)
    SELECT id, 'Visitor', 'visitor@example.org', 'Europe/Rome', 'en' FROM bookings WHERE id >= 2000000;
-- Bookings with as much text as visitors can send.
INSERT INTO teams (id, organization_id, name, slug) VALUES (902, 1, 'Large', 'large');
INSERT INTO memberships (team_id, user_id, role, accepted) SELECT 902, user_id, role, 1 FROM memberships WHERE team_id = 1;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO bookings (uid, team_id, title, status, start_ms, end_ms, description, responses, metadata, created_ms, updated_ms)
    SELECT 'large' || i, 902, 'Large', 'cancelled', 1823859200000 + i * 3600000, 1823859200000 + i * 3600000 + 900000,
           hex(zeroblob(4900)), json_object('notes', hex(zeroblob(4900)), 'more', hex(zeroblob(12000))),
           json_object('a', hex(zeroblob(12000)), 'b', hex(zeroblob(12000))), 0, 0 FROM n;
-- A booking with 1,000 seats and form responses of maximum size.
INSERT INTO bookings (id, uid, event_type_id, team_id, title, status, start_ms, end_ms, seated, seats, responses,
                      created_ms, updated_ms)
    VALUES (2200000, 'lecture', 9007, 901, 'Lecture', 'accepted', 1813859200000, 1813860100000, 1, 1000, '{}', 0, 0);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
INSERT INTO attendees (booking_id, name, email, time_zone, language, seat_uid, responses)
    SELECT 2200000, 'Visitor ' || i, 'visitor' || i || '@example.org', 'Europe/Rome', 'en', 'seat-' || i,
           json_object('notes', hex(zeroblob(2000))) FROM n;
";

/// Sends the requests one at a time and returns those that need no credentials.
pub(crate) fn run(service: &Service, findings: &mut Findings) -> Outcome<Vec<Request>> {
    fill(service)?;
    let bearer = format!("authorization: Bearer {}\r\n", service.demo_text("apiKey"));
    let api_key = service.demo_text("apiKey");
    let cases = cases(&api_key, |event_type_id, day| {
        free_starts(service, event_type_id, day)
    })?;
    let mut client = Client::new(&service.address);
    let mut public = Vec::new();
    for case in cases {
        let max_cpu_ms = match (case.is_list, case.method) {
            (true, "GET") => MAX_LIST_CPU_MS,
            // A series: the only write whose response is a list.
            (true, _) => MAX_SERIES_CPU_MS,
            (false, _) => MAX_EXPENSIVE_CPU_MS,
        };
        let requests = case.requests(&bearer);
        let mut minimum: Option<(u16, usize, f64)> = None;
        for request in &requests {
            service.settle()?;
            let measured = sweep::measure(service, &mut client, request, max_cpu_ms)?;
            let Some(measured) = measured else { break };
            if minimum.is_none_or(|(_, _, minimum)| measured.2 < minimum) {
                minimum = Some(measured);
            }
            if measured.2 <= max_cpu_ms || measured.0 != case.status {
                break;
            }
        }
        let Some((status, bytes, cpu_ms)) = minimum else {
            findings.add(format!("no response: {}", case.name));
            continue;
        };
        println!(
            "  {cpu_ms:7.2} ms {:9} bytes  {status}  {}",
            bytes, case.name
        );
        if status != case.status {
            findings.add(format!(
                "status {status} instead of {}: {}",
                case.status, case.name
            ));
        }
        if cpu_ms > max_cpu_ms {
            findings.add(format!("processor time: {cpu_ms:.1} ms, {}", case.name));
        }
        if bytes > MAX_RESPONSE_BYTES && !case.is_list {
            findings.add(format!("large response: {bytes} bytes, {}", case.name));
        }
        if case.is_public {
            public.extend(requests.into_iter().next());
        }
    }
    Ok(public)
}

fn fill(service: &Service) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let file = service.data.path().join(store::FILE_NAME);
        let options = SqliteConnectOptions::new().filename(file);
        let mut db = options.connect().await?;
        sqlx::raw_sql(AssertSqlSafe(format!("BEGIN IMMEDIATE; {FILL} COMMIT")))
            .execute(&mut db)
            .await?;
        db.close().await?;
        Ok(())
    })
}

/// Returns up to [`sweep::ATTEMPTS`] free starts of an event type on a day of March 2027, spread over the
/// day.
fn free_starts(service: &Service, event_type_id: i64, day: u32) -> Outcome<Vec<String>> {
    let date = format!("2027-03-{day:02}");
    let request = Request {
        name: "free slots".to_owned(),
        method: "GET",
        target: format!("/v2/slots?eventTypeId={event_type_id}&start={date}&end={date}"),
        headers: String::new(),
        body: None,
    };
    let response = Client::new(&service.address).send(&request.bytes(&service.address))?;
    let slots: Value = serde_json::from_slice(&response.ok_or("there is no response")?.body)?;
    let day_slots = slots["data"][&date].as_array();
    let day_slots = day_slots
        .filter(|slots| !slots.is_empty())
        .ok_or_else(|| format!("event type {event_type_id} has no free slot on {date}: {slots}"))?;
    let starts = day_slots
        .iter()
        .step_by(day_slots.len().div_ceil(sweep::ATTEMPTS))
        .filter_map(|slot| slot["start"].as_str());
    Ok(starts.map(str::to_owned).collect())
}

struct Case {
    name: &'static str,
    method: &'static str,
    target: String,
    /// Equivalent bodies. A successful write cannot be repeated: if it exceeds the limit, the next
    /// body is measured. Empty for a request without a body.
    bodies: Vec<Value>,
    status: u16,
    /// True if sent without credentials.
    is_public: bool,
    is_list: bool,
}

impl Case {
    /// Builds a request for each body.
    fn requests(&self, bearer: &str) -> Vec<Request> {
        let bodies = self
            .bodies
            .iter()
            .map(|body| Some(body.to_string().into_bytes()));
        let mut bodies: Vec<_> = bodies.collect();
        if bodies.is_empty() {
            bodies.push(None);
        }
        let with_body = |body| Request {
            name: self.name.to_owned(),
            method: self.method,
            target: self.target.clone(),
            headers: if self.is_public {
                String::new()
            } else {
                bearer.to_owned()
            },
            body,
        };
        bodies.into_iter().map(with_body).collect()
    }

    /// Lets the same write be sent again while it exceeds the limit.
    fn repeatable(self) -> Self {
        let bodies = self.bodies.iter().cycle().take(sweep::ATTEMPTS).cloned();
        Self {
            bodies: bodies.collect(),
            ..self
        }
    }

    /// Marks the response as a list, for example of occurrences.
    fn with_list(self) -> Self {
        Self {
            is_list: true,
            ..self
        }
    }
}

fn cases(
    api_key: &str,
    free_starts_of: impl Fn(i64, u32) -> Outcome<Vec<String>>,
) -> Outcome<Vec<Case>> {
    let slots = |name, query: &str| Case {
        name,
        method: "GET",
        target: format!("/v2/slots?start=2027-03-02&end=2027-03-09&{query}"),
        bodies: Vec::new(),
        status: 200,
        is_public: true,
        is_list: true,
    };
    let write = |name, method, target: &str, body: Value, status| Case {
        name,
        method,
        target: target.to_owned(),
        bodies: vec![body],
        status,
        is_public: false,
        is_list: false,
    };
    let public = |case: Case| Case {
        is_public: true,
        ..case
    };
    let list = |name, target: &str| Case {
        name,
        method: "GET",
        target: target.to_owned(),
        bodies: Vec::new(),
        status: 200,
        is_public: false,
        is_list: true,
    };
    let created = |name, target: &str, bodies| Case {
        name,
        method: "POST",
        target: target.to_owned(),
        bodies,
        status: 201,
        is_public: true,
        is_list: false,
    };
    let with_api_key = |target: &str| format!("{target}&apiKey={api_key}").replace("?&", "?");
    let attendee = json!({"name": "Kim", "email": "kim@visitor.example", "timeZone": "UTC"});
    let booking = |name, event_type_id: i64, day: u32, more: Value| {
        let with_start = |start: &String| {
            let mut body = more.clone();
            body["eventTypeId"] = json!(event_type_id);
            body["start"] = json!(start);
            body["attendee"] = attendee.clone();
            body
        };
        let bodies = free_starts_of(event_type_id, day)?
            .iter()
            .map(with_start)
            .collect();
        Outcome::Ok(created(name, "/v2/bookings", bodies))
    };
    let long = "x".repeat(500);
    let metadata: Value = (0..50)
        .map(|key| (format!("key-{key}"), json!(long)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let options: Vec<Value> = (0..100)
        .map(|option| json!(format!("Option {option}")))
        .collect();
    let fields: Vec<Value> = (0..50)
        .map(|field| {
            json!({"type": "multiselect", "slug": format!("field-{field}"), "label": "Label",
                   "required": false, "options": options})
        })
        .collect();
    let overrides: Vec<Value> = (0..1_000)
        .map(|day| {
            let date = format!(
                "{}-{:02}-{:02}",
                2027 + day / 336,
                day / 28 % 12 + 1,
                day % 28 + 1
            );
            json!({"date": date, "startTime": "09:00", "endTime": "17:00"})
        })
        .collect();
    let hosts: Vec<Value> = (9001..=9250).map(|id| json!({"userId": id})).collect();
    let guests: Vec<Value> = (0..10)
        .map(|guest| json!(format!("guest{guest}@example.org")))
        .collect();
    Ok(vec![
        slots("100 days of minutes, one host", "eventTypeId=9005"),
        slots(
            "100 days of minutes with ends, one host",
            "eventTypeId=9005&format=range",
        ),
        slots(
            "100 days of minutes, 250 hosts who all come",
            "eventTypeId=9001",
        ),
        slots("100 days of minutes, 250 hosts in turn", "eventTypeId=9002"),
        slots(
            "100 days of 8 hours, 250 hosts who all come",
            "eventTypeId=9003",
        ),
        slots(
            "100 days of quarters, 250 hosts in turn",
            "eventTypeId=9004",
        ),
        slots(
            "100 days, limits and a rolling window, 250 hosts in turn",
            "eventTypeId=9006",
        ),
        slots(
            "meetings with seats, 250 hosts who all come",
            "eventTypeId=9007",
        ),
        slots(
            "the same in another zone",
            "eventTypeId=9002&timeZone=Australia/Lord_Howe",
        ),
        booking("a booking with 250 hosts who all come", 9001, 3, json!({}))?,
        booking("a booking with 250 hosts in turn", 9004, 4, json!({}))?,
        booking(
            "a booking with limits, 250 hosts in turn",
            9006,
            5,
            json!({}),
        )?,
        public(write(
            "a start that is not offered, with a rolling window and 27 zones",
            "POST",
            "/v2/bookings",
            json!({"eventTypeId": 9006, "start": "2027-03-20T03:17:00Z", "attendee": attendee}),
            400,
        )),
        booking("a seat in a meeting of 250 hosts", 9007, 8, json!({}))?,
        created(
            "a reservation with 250 hosts who all come",
            "/v2/slots/reservations",
            free_starts_of(9001, 10)?
                .iter()
                .map(|start| json!({"eventTypeId": 9001, "slotStart": start}))
                .collect(),
        ),
        booking(
            "a booking with metadata, guests and notes",
            9004,
            9,
            json!({"guests": guests, "metadata": metadata,
                   "bookingFieldsResponses": {"notes": "x".repeat(9_000)}}),
        )?,
        booking(
            "a series of 25 with long notes and metadata",
            9008,
            11,
            json!({"recurrenceCount": 25, "metadata": metadata,
                   "bookingFieldsResponses": {"notes": "x".repeat(9_000)}}),
        )?
        .with_list(),
        write(
            "an event type with 50 fields of 100 options",
            "POST",
            "/v2/event-types",
            json!({"title": "Many", "slug": "many-fields", "lengthInMinutes": 30,
                   "bookingFields": fields}),
            201,
        ),
        write(
            "an event type with 250 hosts",
            "PATCH",
            "/v2/teams/901/event-types/9004",
            json!({"hosts": hosts}),
            200,
        )
        .repeatable(),
        write(
            "a schedule of 1,000 dates",
            "POST",
            "/v2/schedules",
            json!({"name": "Dates", "timeZone": "Europe/Rome", "isDefault": false,
                   "overrides": overrides}),
            201,
        )
        .repeatable(),
        list("a booking with 1,000 seats", "/v2/bookings/lecture"),
        list("250 bookings of a team", "/v2/teams/901/bookings?take=250"),
        list(
            "the last of 25,000 bookings",
            "/v2/teams/901/bookings?take=250&skip=24000",
        ),
        list(
            "bookings by name and address",
            "/v2/teams/901/bookings?take=250&attendeeName=Nobody&attendeeEmail=nobody%40example.org",
        ),
        list(
            "own bookings",
            "/v2/bookings?take=250&status=past,upcoming,cancelled,recurring",
        ),
        list(
            "bookings as large as visitors can make them",
            "/v2/teams/902/bookings?take=250",
        ),
        list("members", "/v2/teams/901/memberships?take=250"),
        list("50 schedules of a team", "/v2/teams/901/schedules?take=50"),
        list("event types of a team", "/v2/teams/901/event-types"),
        list(
            "attendees of a host, version 1",
            &with_api_key("/v1/attendees?"),
        ),
        list("schedules, version 1", &with_api_key("/v1/schedules?")),
        list("event types, version 1", &with_api_key("/v1/event-types?")),
        list("users, version 1", &with_api_key("/v1/users?take=250")),
    ])
}
