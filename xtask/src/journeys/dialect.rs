//! Selects the visitors' journeys that run against a service of the `cal` dialect.

use std::{fs, io};

use crate::process::Outcome;
use crate::project::Project;

/// Files of journeys in which visitors book, reschedule and cancel.
const FILES: [&str; 11] = [
    "book",
    "endings",
    "faults",
    "form",
    "hooks",
    "in_flight",
    "language",
    "lost_answers",
    "pick",
    "time_zones",
    "visitor",
];

const APP: &str = "the app supports the svc dialect only";
const STAFF: &str = "uses staff screens, whose operations the request check does not list";
const IDEMPOTENCY_KEY: &str = "retries with an Idempotency-Key, which the cal dialect lacks";
const SLOW: &str = "slow, and sends no request that the other journeys do not send";

/// Journeys of those files that do not run against the `cal` dialect, with the reason.
const EXCLUDED: [(&str, &str); 12] = [
    ("visitor::a_visitor_books_in_the_app", APP),
    (
        "visitor::a_page_of_the_app_can_be_opened_by_its_address_and_left_by_going_back",
        APP,
    ),
    (
        "faults::a_service_that_has_stopped_is_told_everywhere",
        STAFF,
    ),
    (
        "faults::the_teams_list_says_what_went_wrong_and_offers_another_try_where_that_helps",
        STAFF,
    ),
    (
        "faults::booking_that_never_arrived_is_kept_and_can_be_sent_again",
        IDEMPOTENCY_KEY,
    ),
    (
        "lost_answers::lost_response_is_repeated_and_books_once",
        IDEMPOTENCY_KEY,
    ),
    (
        "lost_answers::changed_request_after_lost_response_shows_the_booking_that_was_made",
        IDEMPOTENCY_KEY,
    ),
    (
        "language::values_in_arabic_sentences_are_isolated_and_those_in_fields_and_files_are_not",
        STAFF,
    ),
    (
        "hooks::a_page_may_hold_back_a_change_of_a_role_and_hears_what_is_ticked",
        STAFF,
    ),
    (
        "hooks::a_hold_that_the_page_has_made_itself_is_taken_given_back_and_used",
        "the booking contains the id of its reservation, which the cal dialect lacks",
    ),
    ("in_flight::listener_may_call_back_into_its_element", SLOW),
    (
        "language::words_two_fifths_longer_than_english_are_neither_cut_off_nor_stand_out",
        SLOW,
    ),
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
        let filtered = journeys(&project, Some("a_seat_is_booked"))?;
        assert_eq!(filtered, ["book::a_seat_is_booked_and_given_back"]);
        Ok(())
    }
}
