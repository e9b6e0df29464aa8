//! Journeys that run in Chromium only, because their result does not depend on the engine.

/// Journeys about requests and responses: that code is the same in each engine.
const REQUESTS: [&str; 31] = [
    "acts::a_seat_is_moved_or_given_back_without_the_others",
    "acts::booking_that_someone_else_has_dealt_with_is_shown_as_it_is_by_now",
    "acts::guests_place_and_host_of_a_booking_are_changed",
    "acts::many_are_confirmed_at_once_with_what_became_of_each",
    "acts::what_is_done_with_all_that_match_goes_on_in_sight_until_it_is_done_or_stopped",
    "acts::who_did_not_come_is_marked_at_once_and_taken_back_if_refused",
    "acts::who_did_not_come_to_many_bookings_is_said_for_all_of_them",
    "export::a_service_that_has_enough_is_waited_for_in_sight",
    "export::an_export_goes_on_where_it_stopped",
    "export::an_export_is_cancelled_at_any_time",
    "export::bookings_that_are_cancelled_meanwhile_cost_no_other",
    "export::ten_thousand_bookings_become_a_table_and_a_calendar",
    "faults::a_page_without_its_event_type_or_its_times_says_why_and_tries_again",
    "faults::booking_that_never_arrived_is_kept_and_can_be_sent_again",
    "faults::failed_load_is_told_once_and_shows_the_pages_own_link",
    "faults::lost_response_of_a_move_is_found_out",
    "faults::the_teams_list_says_what_went_wrong_and_offers_another_try_where_that_helps",
    "hostile::answers_that_make_no_sense_are_survived",
    "list::a_list_that_is_odd_is_shown_as_far_as_it_can_be",
    "list::a_list_that_is_refused_says_what_is_missing_and_one_that_has_to_wait_waits",
    "manager::a_booking_just_made_is_found_by_each_filter",
    "manager::the_list_keeps_every_order_and_turns_every_page",
    "records::a_booking_is_moved_in_the_zone_that_is_chosen_and_cancelled_with_its_reason",
    "records::a_webhook_is_made_changed_and_taken_away",
    "records::lists_are_asked_for_what_the_address_says",
    "records::people_come_in_pages",
    "records::references_lead_from_record_to_record_and_times_are_those_of_the_zone",
    "records::what_the_screen_knows_of_each_resource_is_what_the_service_says_of_it",
    "session::session_without_a_new_token_is_paused_or_ended_by_the_cause_and_tried_again_by_a_press",
    "unusable::large_and_deep_answers_fetch_nothing_twice",
    "unusable::unusable_attribute_values_fetch_nothing_twice",
];

/// Scans by axe-core, which reads a document that is the same in each engine.
const ACCESSIBILITY_SCANS: [&str; 7] = [
    "access::no_screen_of_the_staff_has_a_barrier",
    "access::no_state_after_the_pick_has_a_barrier",
    "access::no_state_before_the_pick_has_a_barrier",
    "access::no_state_of_the_list_has_a_barrier",
    "access::no_turn_of_the_way_to_a_booking_has_a_barrier",
    "access::no_way_back_to_a_booking_has_a_barrier",
    "access::no_way_of_picking_has_a_barrier",
];

/// Journeys to skip in Firefox and WebKit, as `file::test`; libtest's `--skip` matches substrings.
pub(crate) fn journeys() -> impl Iterator<Item = &'static str> {
    REQUESTS.into_iter().chain(ACCESSIBILITY_SCANS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::journeys::dialect::journeys_in;
    use crate::process::Outcome;
    use crate::project::Project;

    #[test]
    fn each_skipped_name_matches_exactly_one_journey() -> Outcome {
        let project = Project::locate()?;
        let mut all = BTreeSet::new();
        for file in project.journeys()? {
            all.extend(journeys_in(&project, &file)?);
        }
        for journey in journeys() {
            let matched: Vec<_> = all.iter().filter(|each| each.contains(journey)).collect();
            assert_eq!(matched, [journey]);
        }
        Ok(())
    }
}
