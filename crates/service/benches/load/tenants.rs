//! Bookings of one organization beside others that are busy, on PostgreSQL.
//!
//! The same bookings are measured alone and beside the others in turns. The callers of the others take processor time
//! on the same cores, so they are also measured as callers who book: that is what any other work costs.

use std::path::Path;
use std::time::{Duration, Instant};

use booking_service::auth::secret;
use booking_service::error::redaction::KEY_PREFIX;
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::time::sleep;

use crate::load::{self, Load, Request, Sample};
use crate::process::{self, Service};
use crate::{Outcome, data, mail};

/// Callers who book in the measured organization.
const BOOKERS: usize = 12;
/// Callers of the other organization.
const OTHERS: usize = 4;
/// Part of the bookings alone that is booked at a rate: the cores have time for the others.
const PACED_SHARE: f64 = 1.0 / 3.0;
/// Time of each measurement in a round.
const RUN_DURATION: Duration = Duration::from_secs(3);
/// Meetings that begin at one instant.
const MEETINGS: i64 = 5_000;
/// Seconds after the start of the service's clock at which they begin.
const MEETINGS_BEGIN_S: u64 = 30;
/// Time in which events of meetings are recorded, and of the measurement before it.
const MEETINGS_DURATION: Duration = Duration::from_secs(10);
/// Slot requests whose statements are counted.
const COUNTED: usize = 10;

/// Time that the mail server takes for a message.
const MAIL_DELAY: Duration = Duration::from_millis(200);
/// Bookings for each replica whose messages are measured.
const BOOKINGS_WITH_MAIL: usize = 150;

/// Key of a host of the other organization.
const OTHER_KEY: &str = "tenants-bench";

/// Another organization: 40 hosts with 500 bookings each, ten a day, and a third one, whose hosts have one meeting each.
const FILL: &str = "
INSERT INTO organizations (id, name, slug) VALUES (2, 'Other', 'other'), (3, 'Third', 'third');
INSERT INTO users (id, organization_id, username, email, name, time_zone)
    SELECT i, CASE WHEN i < 30000 THEN 2 ELSE 3 END, 'other' || i, 'other' || i || '@other.example', 'Other ' || i, 'UTC'
    FROM (SELECT generate_series(20001, 20040) AS i UNION ALL SELECT generate_series(30001, 30000 + {meetings})) AS n;
INSERT INTO schedules (id, owner_id, name, time_zone) SELECT id, id, 'Hours', 'UTC' FROM users WHERE id > 20000;
INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute)
    SELECT id, day, 0, 1440 FROM schedules, generate_series(0, 6) AS days (day) WHERE id BETWEEN 20001 AND 20040;
UPDATE users SET default_schedule_id = id WHERE id > 20000;
INSERT INTO event_types (id, owner_id, slug, settings, created_ms)
    SELECT host.id, host.id, 'other',
        (kind.settings::jsonb || '{\"lengthInMinutes\": 15, \"minimumBookingNotice\": 0}')::text, kind.created_ms
    FROM event_types AS kind, users AS host WHERE kind.slug = 'intro-call' AND host.id > 20000;
INSERT INTO event_type_hosts (event_type_id, user_id) SELECT id, owner_id FROM event_types WHERE id > 20000;
INSERT INTO bookings (id, uid, event_type_id, organization_id, title, status, start_ms, end_ms, created_ms, updated_ms)
    SELECT 2000000 + i, 'other' || i, 20001 + i % 40, 2, 'Call', 'accepted', start, start + 900000, {now}, {now}
    FROM (SELECT i, {now} + 172800000 + (i / 400)::bigint * 86400000 + (i / 40 % 10) * 3600000 AS start
          FROM generate_series(0, 19999) AS n (i)) AS planned;
INSERT INTO bookings (id, uid, event_type_id, organization_id, title, status, start_ms, end_ms, created_ms, updated_ms)
    SELECT 3000000 + i, 'third' || i, i, 3, 'Call', 'accepted', {begin}, {begin} + 900000, {now}, {now}
    FROM generate_series(30001, 30000 + {meetings}) AS n (i);
INSERT INTO booking_hosts (booking_id, user_id, organization_id, start_ms, end_ms, holds)
    SELECT id, event_type_id, organization_id, start_ms, end_ms, 1 FROM bookings WHERE id >= 2000000;
INSERT INTO attendees (booking_id, organization_id, name, email, time_zone, language)
    SELECT id, organization_id, 'Visitor', 'visitor' || id || '@example.org', 'Europe/Rome', 'en'
    FROM bookings WHERE id >= 2000000;
INSERT INTO api_keys (hash, user_id, label, created_ms) VALUES ('{key}', 20001, 'Bench', {now});
INSERT INTO webhooks (id, user_id, subscriber_url, triggers, active, version, created_ms)
    VALUES ('bench', 30001, 'https://receiver.example/', '[\"MEETING_STARTED\"]', 1, '2021-10-20', {now});
CREATE EXTENSION pg_stat_statements;
ANALYZE;
";

/// Prints how much of an organization's bookings is left beside the others.
pub(crate) async fn run(rounds: u32, url: &str) -> Outcome {
    let directory = tempfile::tempdir()?;
    eprintln!("filling a fresh database");
    data::fill(process::PROGRAM, directory.path()).await?;
    process::move_to_postgres(directory.path(), url).await?;
    let mut db = PgConnection::connect(url).await?;
    let now = chrono::DateTime::parse_from_rfc3339(data::NOW)?.timestamp_millis();
    let begin = now + i64::try_from(MEETINGS_BEGIN_S)? * 1000;
    let fill = FILL
        .replace("{meetings}", &MEETINGS.to_string())
        .replace("{now}", &now.to_string())
        .replace("{begin}", &begin.to_string())
        .replace("{key}", &secret::hash(OTHER_KEY));
    sqlx::raw_sql(AssertSqlSafe(fill)).execute(&mut db).await?;

    let service =
        Service::start(process::PROGRAM, directory.path(), &["--database-url", url]).await?;
    let bookings = data::bookings_of_many_hosts(&service.address).await?;
    drop(service);
    // Before the others, as messages to a host are limited.
    let (with_mail, bookings) = bookings.split_at(2 * BOOKINGS_WITH_MAIL);
    let (for_one, for_three) = with_mail.split_at(BOOKINGS_WITH_MAIL);
    let one = messages_per_second(1, for_one, directory.path(), url).await?;
    let three = messages_per_second(3, for_three, directory.path(), url).await?;
    println!(
        "messages a second to a server with {MAIL_DELAY:?} each: {one:.0} of 1 replica, {three:.0} of 3"
    );

    let started = Instant::now();
    let service =
        Service::start(process::PROGRAM, directory.path(), &["--database-url", url]).await?;
    let addresses = [service.address.clone()];
    let (beside, own) = bookings.split_at(bookings.len() / 4);
    let own = Load::once_each(&addresses, BOOKERS, own.to_vec());
    let beside = Load::once_each(&addresses, OTHERS, beside.to_vec());
    let others = Load::once_each(&addresses, OTHERS, requests_of_others(now)?);
    own.run(Duration::from_secs(2)).await?;

    println!("{:<44}{:>10}{:>10}{:>10}", "", "p50 ms", "p99 ms", "per s");
    let meetings_begin = Duration::from_secs(MEETINGS_BEGIN_S);
    sleep((meetings_begin - MEETINGS_DURATION).saturating_sub(started.elapsed())).await;
    let before = own.run(MEETINGS_DURATION).await?;
    sleep(meetings_begin.saturating_sub(started.elapsed())).await;
    let during = own.run(MEETINGS_DURATION).await?;
    print("bookings before the meetings begin", &before);
    print(&format!("while {MEETINGS} meetings begin"), &during);

    let [mut alone, mut with_bookings, mut with_others, mut other] =
        [(); 4].map(|()| Sample::default());
    let [mut paced_alone, mut paced] = [(); 2].map(|()| Sample::default());
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        alone.add(&own.run(RUN_DURATION).await?);
        let (measured, busy) = tokio::join!(own.run(RUN_DURATION), others.run(RUN_DURATION));
        with_others.add(&measured?);
        other.add(&busy?);
        let (measured, busy) = tokio::join!(own.run(RUN_DURATION), beside.run(RUN_DURATION));
        with_bookings.add(&measured?);
        busy?;
        let rate = alone.per_second() * PACED_SHARE;
        paced_alone.add(&own.run_at(rate, RUN_DURATION).await?);
        let (measured, busy) =
            tokio::join!(own.run_at(rate, RUN_DURATION), others.run(RUN_DURATION));
        paced.add(&measured?);
        busy?;
    }
    print(&format!("bookings of {BOOKERS} callers alone"), &alone);
    print(&format!("beside {OTHERS} who book"), &with_bookings);
    print(
        &format!("beside {OTHERS} who cancel, move and edit"),
        &with_others,
    );
    print("what these do", &other);
    print("bookings at a third of that rate, alone", &paced_alone);
    print(&format!("beside the same {OTHERS}"), &paced);
    let statements = statements_after_edits(&mut db, &service.address).await?;

    println!();
    let share = with_others.per_second() / alone.per_second();
    let slower = with_others.percentile(99) / alone.percentile(99);
    let paced_share = paced.per_second() / paced_alone.per_second();
    let paced_slower = paced.percentile(99) / paced_alone.percentile(99);
    let meetings = during.percentile(99) / before.percentile(99);
    for (name, value, is_met) in [
        (
            "bookings beside the others / alone, goal 0.85",
            share,
            share >= 0.85,
        ),
        (
            "p99 beside the others / alone, goal 1.5",
            slower,
            slower <= 1.5,
        ),
        (
            "at a third of the rate: bookings beside / alone, goal 0.85",
            paced_share,
            paced_share >= 0.85,
        ),
        (
            "at a third of the rate: p99 beside / alone, goal 1.5",
            paced_slower,
            paced_slower <= 1.5,
        ),
        (
            "p99 while meetings begin / before, goal 2",
            meetings,
            meetings < 2.0,
        ),
        (
            "messages of 3 replicas / of 1, goal 2.5",
            three / one,
            three / one >= 2.5,
        ),
        (
            "statements of a slot request after an edit elsewhere, goal 1",
            statements,
            statements <= 1.0,
        ),
    ] {
        println!("{} {name}: {value:.2}", crate::report::mark(is_met));
    }
    Ok(())
}

fn print(name: &str, sample: &Sample) {
    let [p50, p99] = [50, 99].map(|percent| sample.percentile(percent));
    println!(
        "{name:<44}{p50:>10.2}{p99:>10.2}{:>10.0}",
        sample.per_second()
    );
}

/// Returns how many messages about bookings replicas send to a slow mail server.
async fn messages_per_second(
    replicas: usize,
    bookings: &[Request],
    directory: &Path,
    url: &str,
) -> Outcome<f64> {
    let (server, accepted) = mail::start_server(MAIL_DELAY).await?;
    let options = [
        "--database-url",
        url,
        "--smtp-url",
        &server,
        "--mail-from",
        "desk@example.org",
    ];
    let mut running = Vec::new();
    for _ in 0..replicas {
        running.push(Service::start(process::PROGRAM, directory, &options).await?);
    }
    let addresses: Vec<String> = running.iter().map(|one| one.address.clone()).collect();
    let messages = 2 * bookings.len();
    let started = Instant::now();
    Load::once_each(&addresses, OTHERS, bookings.to_vec())
        .run(Duration::from_secs(60))
        .await?;
    mail::wait_for(&accepted, messages).await?;
    Ok(messages as f64 / started.elapsed().as_secs_f64())
}

/// Cancellations, reschedules and edits in turns.
fn requests_of_others(now: i64) -> Outcome<Vec<Request>> {
    let key = format!("{KEY_PREFIX}{OTHER_KEY}");
    (0..20_000_i64)
        .map(|i| match i % 4 {
            0 => load::post(&format!("/v2/bookings/other{i}/cancel"), &json!({})),
            1 => {
                let start = now + 172_800_000 + (i / 400) * 86_400_000 + (i / 40 % 10) * 3_600_000;
                let start = booking_wire::Instant(start + 1_800_000).to_string();
                load::post(
                    &format!("/v2/bookings/other{i}/reschedule"),
                    &json!({"start": start}),
                )
            }
            2 => {
                let body = json!({"name": format!("Hours {i}")});
                load::patch("/v2/schedules/20001", &key, &body)
            }
            _ => {
                let body = json!({"title": format!("Talk {i}")});
                load::patch("/v2/event-types/20001", &key, &body)
            }
        })
        .collect()
}

/// Returns how many statements a slot request has after an edit of another organization.
async fn statements_after_edits(db: &mut PgConnection, address: &str) -> Outcome<f64> {
    let mut connection = load::Connection::open(address).await?;
    let slots = data::slot_requests()?;
    let slots = slots.first().ok_or("there are no slot requests")?;
    let key = format!("{KEY_PREFIX}{OTHER_KEY}");
    connection.send(slots).await?;
    sqlx::query("SELECT pg_stat_statements_reset()")
        .execute(&mut *db)
        .await?;
    for i in 0..COUNTED {
        let edit = load::patch(
            "/v2/schedules/20001",
            &key,
            &json!({"name": format!("Week {i}")}),
        )?;
        connection.send(&edit).await?;
        connection.send(slots).await?;
    }
    // The statements that a slot request can have, and no edit: versions, event type, hours and busy times.
    let calls: i64 = sqlx::query_scalar(
        "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements
         WHERE query LIKE '%FROM setup_versions%' OR query LIKE '%FROM event_types e%LEFT JOIN teams t%'
             OR query LIKE '%AS dates FROM users u%' OR query LIKE 'WITH taken%'",
    )
    .fetch_one(db)
    .await?;
    Ok(calls as f64 / COUNTED as f64)
}
