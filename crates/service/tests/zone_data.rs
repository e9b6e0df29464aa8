//! Time zone data of a directory: choice at the start, and renewal while the service runs.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

#[path = "support/process.rs"]
mod process;
#[path = "support/zone_files.rs"]
mod zone_files;
use process::{Process, run};
use zone_files::ZoneFiles;

/// Polls until the condition holds.
fn wait_until(description: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "not in time: {description}"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// First slot of the event type on a day in January 2028, in UTC.
fn first_slot(service: &Process, event_type: &str) -> String {
    let target = format!("/v2/slots?eventTypeId={event_type}&start=2028-01-12&end=2028-01-12");
    let (_, slots) = service.call("GET", &target, "", "");
    slots["data"]["2028-01-12"][0]["start"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Makes an event type of a host who works in Vancouver from 9 on, and returns its id.
fn event_type_in_vancouver(service: &Process, data: &Path) -> String {
    let demo: Value =
        serde_json::from_slice(&std::fs::read(data.join("demo.json")).unwrap()).unwrap();
    let token = demo["userKey"].as_str().unwrap();
    let headers = format!("authorization: Bearer {token}\r\n");
    let call = |target: &str, body: Value| {
        let (status, made) = service.call("POST", target, &headers, &body.to_string());
        assert_eq!(status, 201, "{made}");
        made["data"]["id"].clone()
    };
    let schedule = call(
        "/v2/schedules",
        json!({
            "name": "Vancouver", "timeZone": "America/Vancouver", "isDefault": false,
            "availability": [{"days": ["Wednesday"], "startTime": "09:00", "endTime": "17:00"}],
        }),
    );
    let event_type = json!({
        "title": "In Vancouver", "slug": "in-vancouver", "lengthInMinutes": 30, "scheduleId": schedule,
    });
    call("/v2/event-types", event_type).to_string()
}

#[test]
fn new_files_are_used_without_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let files = ZoneFiles::new("2025b");
    let zone_data = ["--zone-data", files.path()];
    let log = directory.path().join("log");
    let data = directory.path().join("data");
    let options = [&["--demo", "--log-format", "json"], &zone_data[..]].concat();
    let service = Process::start_with(&data, &options, Some(log));
    let readiness = || service.call_text("/readyz").1;
    // The files are older than the data in the program.
    let built_in = booking_zones::ZoneData::bundled().version().to_string();
    assert!(
        readiness().contains(&format!("time zone data {built_in} (built in)")),
        "{}",
        readiness()
    );
    assert!(
        service
            .log()
            .contains(&format!("\"zone_data\":\"{built_in} (built in)")),
        "{}",
        service.log()
    );
    let event_type = event_type_in_vancouver(&service, &data);
    assert_eq!(
        first_slot(&service, &event_type),
        "2028-01-12T16:00:00.000Z"
    );

    // The next law returns to winter time.
    files.replace("America/Vancouver", "America/Los_Angeles");
    files.set_version("2098a");
    let from_files = format!("2098a ({})", files.path());
    wait_until("the new files are used", || {
        readiness().contains(&from_files)
    });
    assert_eq!(
        first_slot(&service, &event_type),
        "2028-01-12T17:00:00.000Z"
    );
    let metrics = service.call_text("/metrics").1;
    let info = format!(
        "booking_zone_data_info{{source=\"{}\",version=\"2098a\"}} 1",
        files.path()
    );
    assert!(metrics.contains(&info), "{metrics}");

    // Files that cannot be read change nothing.
    files.write("America/Vancouver", b"TZif, but damaged");
    files.set_version("2098b");
    wait_until("the problem is logged", || {
        service.log().contains("new time zone files cannot be read")
    });
    assert!(readiness().contains(&from_files));
    assert_eq!(
        first_slot(&service, &event_type),
        "2028-01-12T17:00:00.000Z"
    );
    files.replace("America/Vancouver", "America/Phoenix");
    files.set_version("2098c");
    wait_until("the next files are used", || readiness().contains("2098c"));
    assert_eq!(
        first_slot(&service, &event_type),
        "2028-01-12T16:00:00.000Z"
    );
}

#[test]
fn directory_that_cannot_be_read_is_refused_in_one_sentence() {
    let directory = tempfile::tempdir().unwrap();
    let files = ZoneFiles::new("2098a");
    files.write("Europe/Paris", b"TZif, but damaged");
    let empty = directory.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    for (zone_data, problem) in [
        ("/nowhere", "/nowhere: No such file"),
        (
            empty.to_str().unwrap(),
            "neither tzdata.zi nor +VERSION names one",
        ),
        (files.path(), "no valid file for the time zone Europe/Paris"),
    ] {
        let output = run(&["permissions", "--zone-data", zone_data]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(
            errors.starts_with("booking-service: cannot use --zone-data: "),
            "{errors}"
        );
        assert!(errors.contains(problem), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}
