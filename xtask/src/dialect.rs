//! The visitors' journeys against a service of the other dialect: which of them there are.

use std::{fs, io};

use crate::build::Project;
use crate::step::Outcome;

/// Files of journeys in which visitors book, move and cancel.
pub(crate) const FILES: [&str; 11] = [
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

const APP: &str = "the app speaks our own dialect alone";
const STAFF: &str = "with screens of the staff, whose operations the check does not list";
const KEY: &str = "about repeats with an Idempotency-Key, which is unknown there";
const SAME: &str = "long, and it sends nothing that others here do not send";

/// Journeys of those files that are not gone there, and why.
pub(crate) const LEFT_OUT: [(&str, &str); 12] = [
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
        KEY,
    ),
    (
        "lost_answers::lost_response_is_repeated_and_books_once",
        KEY,
    ),
    (
        "lost_answers::changed_request_after_lost_response_shows_the_booking_that_was_made",
        KEY,
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
        "the booking names the reservation that it uses, which is unknown there",
    ),
    ("in_flight::listener_may_call_back_into_its_element", SAME),
    (
        "language::words_two_fifths_longer_than_english_are_neither_cut_off_nor_stand_out",
        SAME,
    ),
];

/// The journeys to go, by file and name: those that `only` names, if it is given.
pub(crate) fn journeys(project: &Project, only: Option<&str>) -> Outcome<Vec<String>> {
    let mut all = Vec::new();
    for file in FILES {
        all.extend(journeys_in(project, file)?);
    }
    all.retain(|journey| LEFT_OUT.iter().all(|(left_out, _)| journey != left_out));
    all.retain(|journey| only.is_none_or(|only| journey.contains(only)));
    Ok(all)
}

/// The journeys of a file, as `file::test`.
pub(crate) fn journeys_in(project: &Project, file: &str) -> io::Result<Vec<String>> {
    let files = project.root.join("tests/e2e");
    let text = fs::read_to_string(files.join(file).with_extension("rs"))?;
    Ok(tests(&text).map(|test| format!("{file}::{test}")).collect())
}

/// Names of the tests in a file.
fn tests(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[test]\n").skip(1).filter_map(|rest| {
        let (_, rest) = rest.split_once("fn ")?;
        rest.split_once('(').map(|(name, _)| name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_a_file_are_found_and_helpers_are_not() {
        let text =
            "fn help() {}\n\n#[test]\nfn first() {}\n\n/// Says so.\n#[test]\nfn second() {}\n";
        assert_eq!(tests(text).collect::<Vec<_>>(), ["first", "second"]);
    }

    #[test]
    fn journeys_left_out_exist_and_are_left_out() -> Outcome {
        let project = Project::locate()?;
        let all = journeys(&project, None)?;
        for (journey, _) in LEFT_OUT {
            let (file, _) = journey.split_once("::").unwrap_or_default();
            assert!(FILES.contains(&file), "{journey}");
            let in_file = journeys_in(&project, file)?;
            assert!(in_file.iter().any(|each| each == journey), "{journey}");
            assert!(all.iter().all(|each| each != journey), "{journey}");
        }
        let some = journeys(&project, Some("a_seat_is_booked"))?;
        assert_eq!(some, ["book::a_seat_is_booked_and_given_back"]);
        Ok(())
    }
}
