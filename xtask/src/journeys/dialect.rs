//! Selects the visitors' journeys that run against a service of the `cal` dialect.

use std::{fs, io};

use crate::process::Outcome;
use crate::project::Project;

/// Files of journeys in which visitors book, reschedule or cancel.
const FILES: [&str; 11] = [
    "book",
    "booking_form",
    "faults",
    "hooks",
    "in_flight",
    "language",
    "lost_responses",
    "outcomes",
    "slot_picker",
    "time_zones",
    "visitor",
];

const APP: &str = "the app supports the svc dialect only";
const STAFF: &str = "uses staff screens, whose operations the request check does not list";
const IDEMPOTENCY_KEY: &str = "retries with an Idempotency-Key, which the cal dialect lacks";
const SLOW: &str = "slow, and sends no request that the other journeys do not send";

/// Journeys of those files that do not run against the `cal` dialect, with the reason.
const EXCLUDED: [(&str, &str); 12] = [
    ("visitor::visitor_books_in_the_app", APP),
    ("visitor::app_url_is_opened_directly_and_left_by_back", APP),
    ("faults::stopped_service_is_reported_on_every_screen", STAFF),
    (
        "faults::failed_list_shows_the_cause_and_a_retry_if_it_helps",
        STAFF,
    ),
    (
        "faults::failed_booking_keeps_the_form_and_is_sent_again",
        IDEMPOTENCY_KEY,
    ),
    (
        "lost_responses::lost_response_is_retried_and_books_once",
        IDEMPOTENCY_KEY,
    ),
    (
        "lost_responses::changed_request_after_lost_response_shows_the_first_booking",
        IDEMPOTENCY_KEY,
    ),
    (
        "language::values_in_arabic_texts_are_bidi_isolated_except_in_fields_and_files",
        STAFF,
    ),
    (
        "hooks::page_stops_a_role_change_and_hears_permission_changes",
        STAFF,
    ),
    (
        "hooks::reservation_of_the_page_is_used_and_released",
        "the booking contains the id of its reservation, which the cal dialect lacks",
    ),
    ("in_flight::method_call_in_event_listeners_is_safe", SLOW),
    ("language::texts_40_percent_longer_than_english_fit", SLOW),
];

/// Returns the journeys to run as `file::test`; with `only`, those whose name contains it.
pub(crate) fn journeys(project: &Project, only: Option<&str>) -> Outcome<Vec<String>> {
    let mut all = Vec::new();
    for file in FILES {
        all.extend(journeys_in(project, file)?);
    }
    all.retain(|journey| EXCLUDED.iter().all(|(excluded, _)| journey != excluded));
    all.retain(|journey| only.is_none_or(|only| journey.contains(only)));
    Ok(all)
}

/// Returns the journeys of a file as `file::test`.
pub(crate) fn journeys_in(project: &Project, file: &str) -> io::Result<Vec<String>> {
    let text = fs::read_to_string(project.root.join(format!("tests/e2e/{file}.rs")))?;
    let names = test_names(&text).map(|test| format!("{file}::{test}"));
    Ok(names.collect())
}

/// Names of the tests in the text of a file.
fn test_names(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[test]\n").skip(1).filter_map(|rest| {
        let (_, rest) = rest.split_once("fn ")?;
        rest.split_once('(').map(|(name, _)| name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_names_exclude_helpers() {
        let text =
            "fn help() {}\n\n#[test]\nfn first() {}\n\n/// Says so.\n#[test]\nfn second() {}\n";
        assert_eq!(test_names(text).collect::<Vec<_>>(), ["first", "second"]);
    }

    #[test]
    fn excluded_journeys_exist_and_do_not_run() -> Outcome {
        let project = Project::locate()?;
        let all = journeys(&project, None)?;
        for (journey, _) in EXCLUDED {
            let (file, _) = journey.split_once("::").unwrap_or_default();
            assert!(FILES.contains(&file), "{journey}");
            let in_file = journeys_in(&project, file)?;
            assert!(in_file.iter().any(|each| each == journey), "{journey}");
            assert!(all.iter().all(|each| each != journey), "{journey}");
        }
        let filtered = journeys(&project, Some("seat_is_booked"))?;
        assert_eq!(filtered, ["book::seat_is_booked_and_cancelled"]);
        Ok(())
    }
}
