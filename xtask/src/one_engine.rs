//! Journeys that run in Chromium only, because their result does not depend on the engine.

/// Journeys about requests and responses: that code is the same in each engine.
const REQUESTS: [&str; 31] = [
    "booking_actions::single_seat_is_rescheduled_or_cancelled",
    "booking_actions::booking_changed_by_another_host_shows_its_current_status",
    "booking_actions::guests_location_and_host_are_changed",
    "booking_actions::bulk_confirm_reports_each_result",
    "booking_actions::bulk_action_on_all_matches_shows_progress_and_can_be_stopped",
    "booking_actions::no_show_is_marked_at_once_and_rolled_back_if_rejected",
    "booking_actions::bulk_no_show_marks_all_selected_bookings",
    "export::rate_limited_export_shows_a_countdown_and_continues",
    "export::failed_export_resumes_where_it_stopped",
    "export::export_is_cancelled_in_any_state",
    "export::bookings_cancelled_during_export_hide_no_others",
    "export::ten_thousand_bookings_are_exported_as_csv_and_ics",
    "faults::failed_event_type_or_slots_show_the_cause_and_a_retry",
    "faults::failed_booking_keeps_the_form_and_is_sent_again",
    "faults::failed_load_is_reported_once_and_shows_the_light_dom",
    "faults::lost_reschedule_response_is_recovered",
    "faults::failed_list_shows_the_cause_and_a_retry_if_it_helps",
    "hostile::malformed_responses_leave_the_elements_working",
    "booking_list::malformed_list_is_shown_as_far_as_possible",
    "booking_list::forbidden_list_explains_why_and_rate_limited_list_retries",
    "booking_list_filters::new_booking_is_found_by_each_filter",
    "booking_list_filters::every_sort_order_and_page_matches_the_service",
    "records::booking_is_rescheduled_in_the_selected_zone_and_cancelled",
    "records::webhook_is_created_changed_and_deleted",
    "records::list_query_is_kept_in_url",
    "records::users_are_paginated",
    "records::references_are_links_and_times_follow_the_zone",
    "records::resource_definitions_match_the_openapi_document",
    "session::failed_renewal_pauses_or_ends_the_session_and_is_retried",
    "invalid_config::large_and_deep_responses_cause_no_repeated_requests",
    "invalid_config::invalid_attribute_values_cause_no_repeated_requests",
];

/// Scans by axe-core, which reads a document that is the same in each engine.
const ACCESSIBILITY_SCANS: [&str; 7] = [
    "accessibility::staff_screens_have_no_axe_violations",
    "accessibility::form_and_confirmation_have_no_axe_violations",
    "accessibility::slot_states_have_no_axe_violations",
    "accessibility::booking_list_has_no_axe_violations",
    "accessibility::reservation_series_and_seats_have_no_axe_violations",
    "accessibility::existing_booking_has_no_axe_violations",
    "accessibility::picker_layouts_and_dialogs_have_no_axe_violations",
];

/// Journeys to skip in Firefox and WebKit, as `file::test`; libtest's `--skip` matches substrings.
pub(crate) fn journeys() -> impl Iterator<Item = &'static str> {
    REQUESTS.into_iter().chain(ACCESSIBILITY_SCANS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::build::Project;
    use crate::dialect::journeys_in;
    use crate::step::Outcome;

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
