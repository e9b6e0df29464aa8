//! Hosts and event types of the tests, beside the demo's.

use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::history::{EventType, Rules};

/// Team of the event types, in the demo's organisation.
pub const TEAM: i64 = 1;

/// Hosts, free at any hour of any day.
const HOSTS: [i64; 6] = [9001, 9002, 9003, 9004, 9005, 9006];

/// An event type with its hosts.
struct Definition {
    rules: EventType,
    scheduling: &'static str,
    hosts: &'static [i64],
}

const PLAIN: EventType = EventType {
    id: 0,
    minutes: 30,
    before: 0,
    after: 0,
    seats: None,
    per_day: None,
};

/// Event type whose slot many visitors want at once: one host of its own.
pub const ONE_HOST: i64 = 9106;

/// Hosts are shared between event types of other buffers, so that both sides' buffers count.
const DEFINITIONS: [Definition; 6] = [
    Definition {
        rules: EventType { id: 9101, ..PLAIN },
        scheduling: "roundRobin",
        hosts: &[9001, 9002, 9003],
    },
    Definition {
        rules: EventType {
            id: 9102,
            before: 10,
            after: 15,
            ..PLAIN
        },
        scheduling: "roundRobin",
        hosts: &[9002, 9003, 9004],
    },
    Definition {
        rules: EventType {
            id: 9103,
            seats: Some(4),
            after: 5,
            ..PLAIN
        },
        scheduling: "roundRobin",
        hosts: &[9005],
    },
    Definition {
        rules: EventType {
            id: 9104,
            per_day: Some(5),
            ..PLAIN
        },
        scheduling: "roundRobin",
        hosts: &[9004, 9005],
    },
    Definition {
        rules: EventType {
            id: 9105,
            minutes: 45,
            before: 5,
            ..PLAIN
        },
        scheduling: "collective",
        hosts: &[9001, 9004],
    },
    Definition {
        rules: EventType {
            id: ONE_HOST,
            ..PLAIN
        },
        scheduling: "roundRobin",
        hosts: &[9006],
    },
];

/// Rules of the event types.
pub fn rules() -> Rules {
    Rules::new(DEFINITIONS.iter().map(|definition| definition.rules))
}

/// Adds the hosts and event types to a database with the demo's data.
pub fn add(database_url: &str) {
    let mut statements = String::new();
    for id in HOSTS {
        statements.push_str(&format!(
            "INSERT INTO users (id, organization_id, username, email, name, time_zone, default_schedule_id)
             VALUES ({id}, 1, 'host{id}', 'host{id}@northwind.example', 'Host {id}', 'UTC', {id});
             INSERT INTO memberships (team_id, user_id, role, accepted) VALUES ({TEAM}, {id}, 'MEMBER', 1);
             INSERT INTO schedules (id, owner_id, name, time_zone) VALUES ({id}, {id}, 'Always', 'UTC');
             INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute)
             SELECT {id}, weekday, 0, 1440 FROM generate_series(0, 6) AS weekday;"
        ));
    }
    for Definition {
        rules,
        scheduling,
        hosts,
    } in DEFINITIONS
    {
        let EventType {
            id,
            minutes,
            before,
            after,
            seats,
            per_day,
        } = rules;
        let mut settings = serde_json::json!({
            "title": format!("Type {id}"), "lengthInMinutes": minutes, "minimumBookingNotice": 0,
            "beforeEventBuffer": before, "afterEventBuffer": after,
        });
        if let Some(seats) = seats {
            settings["seats"] = serde_json::json!({
                "seatsPerTimeSlot": seats, "showAttendeeInfo": true, "showAvailabilityCount": true
            });
        }
        if let Some(per_day) = per_day {
            settings["bookingLimitsCount"] = serde_json::json!({"day": per_day});
        }
        statements.push_str(&format!(
            "INSERT INTO event_types (id, team_id, slug, scheduling_type, before_minutes, after_minutes, settings, created_ms)
             VALUES ({id}, {TEAM}, 'type-{id}', '{scheduling}', {before}, {after}, '{settings}', 0);"
        ));
        for host in hosts {
            statements.push_str(&format!(
                "INSERT INTO event_type_hosts (event_type_id, user_id) VALUES ({id}, {host});"
            ));
        }
    }
    run(database_url, &statements);
}

/// Returns a text of the database; none if there is no row, or NULL.
pub fn value(database_url: &str, query: &'static str) -> Option<String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut db = PgConnection::connect(database_url).await.unwrap();
        let value = sqlx::query_scalar(query).fetch_optional(&mut db).await;
        db.close().await.unwrap();
        value.unwrap().flatten()
    })
}

/// Runs statements.
pub fn run(database_url: &str, statements: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut db = PgConnection::connect(database_url).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(statements))
            .execute(&mut db)
            .await
            .unwrap();
        db.close().await.unwrap();
    });
}
