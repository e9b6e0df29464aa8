//! Journeys that run in Chromium only, because their result does not depend on the engine.
//!
//! Firefox and WebKit keep the journeys of what engines implement themselves: focus and keyboard, pointer,
//! layout and scrolling, dialogs, form controls, dates and languages (`Intl`), Content Security Policy, history
//! and back/forward cache, downloads, clipboard, custom elements, storage, module loading and traps; and at
//! least one whole journey for each screen.

/// Measured or emulated with the Chrome DevTools Protocol.
const DEVTOOLS: [&str; 4] = [
    "accessibility::forced_colors_keep_selected_day_and_focus_visible",
    "layout_shift::booking_flow_has_no_long_task",
    "layout_shift::month_zone_and_layout_changes_stay_within_the_time_limit",
    "screens::every_screen_fits_a_narrow_window_with_large_text_and_logs_nothing",
];

/// Scans by axe-core, which reads a document that is the same in each engine.
const ACCESSIBILITY_SCANS: [&str; 7] = [
    "accessibility::booking_list_has_no_axe_violations",
    "accessibility::existing_booking_has_no_axe_violations",
    "accessibility::form_and_confirmation_have_no_axe_violations",
    "accessibility::picker_layouts_and_dialogs_have_no_axe_violations",
    "accessibility::reservation_series_and_seats_have_no_axe_violations",
    "accessibility::slot_states_have_no_axe_violations",
    "accessibility::staff_screens_have_no_axe_violations",
];

/// Requests, responses and states of the booking flow. Its steps run in the journeys of `visitor` in each engine.
const BOOKING_FLOW: [&str; 35] = [
    "book::booking_succeeds_without_reservation_support",
    "book::dry_run_sends_no_booking",
    "book::expired_reservation_is_renewed",
    "book::lost_slot_offers_the_nearest_free_slots",
    "book::seat_is_booked_and_cancelled",
    "book::selected_slot_is_reserved_and_released_on_going_back",
    "book::series_shows_all_dates_and_names_the_taken_one",
    "booking_form::answer_rejected_by_the_service_is_marked_at_its_field",
    "booking_form::form_without_phone_field_looks_up_no_country",
    "booking_form::location_details_are_kept_when_another_location_is_selected",
    "booking_form::prefilled_values_are_shown_locked_or_hidden_and_sent",
    "booking_form::service_error_is_shown_at_its_field_in_the_visitors_language",
    "event_type_list::single_event_type_is_selected_and_an_empty_list_is_reported",
    "event_type_list::team_lists_its_event_types",
    "event_type_settings::locked_answers_of_every_type_say_so",
    "event_type_settings::slots_outside_the_booking_window_are_not_requested",
    "event_type_settings::wrong_browser_clock_shows_the_first_free_slot",
    "existing_booking::confirmation_shows_answers_and_a_link_to_the_booking",
    "existing_booking::forbidden_actions_are_hidden_and_explained",
    "existing_booking::own_slot_is_free_when_rescheduling",
    "existing_booking::reschedule_reason_is_prefilled_by_the_page",
    "existing_booking::unknown_booking_is_reported",
    "outcomes::instant_meeting_waits_for_a_host",
    "outcomes::paid_booking_links_to_the_payment_page",
    "outcomes::reservation_is_released_before_the_booking_in_the_cal_dialect",
    "outcomes::seat_is_found_by_its_uid_and_cancelled_alone",
    "slot_picker::locked_time_zone_also_shows_the_visitors_time",
    "slot_picker::month_without_slots_offers_the_next_available_day",
    "slot_picker::range_day_and_zone_events_are_dispatched",
    "slot_picker::start_date_and_week_start_are_applied",
    "slot_picker::step_mode_confirm_needs_a_second_press",
    "slot_picker::visible_tab_refreshes_its_slots",
    "slot_picker::year_without_slots_differs_from_an_unreachable_service",
    "visitor::booking_request_shows_that_it_needs_confirmation",
    "visitor::slot_lost_to_another_visitor_keeps_the_form_and_offers_others",
];

/// Requests, responses and states of the booking list.
const BOOKING_LIST: [&str; 23] = [
    "booking_actions::booking_changed_by_another_host_shows_its_current_status",
    "booking_actions::booking_or_rest_of_series_is_cancelled_with_a_reason",
    "booking_actions::bulk_action_on_all_matches_shows_progress_and_can_be_stopped",
    "booking_actions::bulk_confirm_reports_each_result",
    "booking_actions::bulk_no_show_marks_all_selected_bookings",
    "booking_actions::guests_location_and_host_are_changed",
    "booking_actions::no_show_is_marked_at_once_and_rolled_back_if_rejected",
    "booking_actions::single_seat_is_rescheduled_or_cancelled",
    "booking_list::concurrent_changes_are_marked_in_place",
    "booking_list::copied_url_shows_the_same_list",
    "booking_list::forbidden_list_explains_why_and_rate_limited_list_retries",
    "booking_list::malformed_list_is_shown_as_far_as_possible",
    "booking_list::query_property_follows_the_element",
    "booking_list::stale_response_is_not_shown",
    "booking_list_filters::every_sort_order_and_page_matches_the_service",
    "booking_list_filters::new_booking_is_found_by_each_filter",
    "export::bookings_cancelled_during_export_hide_no_others",
    "export::export_is_cancelled_in_any_state",
    "export::failed_export_resumes_where_it_stopped",
    "export::only_filtered_or_selected_bookings_are_exported",
    "export::rate_limited_export_shows_a_countdown_and_continues",
    "export::saved_views_are_renamed_deleted_and_restored",
    "export::ten_thousand_bookings_are_exported_as_csv_and_ics",
];

/// Requests, responses and states of roles and records.
const ROLES_AND_RECORDS: [&str; 19] = [
    "records::booking_is_rescheduled_in_the_selected_zone_and_cancelled",
    "records::every_resource_has_a_screen",
    "records::forbidden_and_unknown_records_are_reported",
    "records::input_survives_a_change_of_zone_and_key",
    "records::list_query_is_kept_in_url",
    "records::references_are_links_and_times_follow_the_zone",
    "records::resource_definitions_match_the_openapi_document",
    "records::users_are_paginated",
    "records::validation_error_is_shown_at_its_field_and_input_kept",
    "records::webhook_is_created_changed_and_deleted",
    "role_creation::all_permissions_are_selected_and_cleared_at_once",
    "role_creation::closed_form_keeps_its_draft",
    "role_creation::invalid_role_shows_errors_and_keeps_input",
    "role_creation::name_taken_concurrently_is_reported_and_input_kept",
    "role_creation::role_with_lost_response_is_not_created_twice",
    "roles::changed_role_is_saved_and_focused_in_the_list",
    "roles::concurrent_change_is_shown_and_merged_or_overwritten",
    "roles::organization_role_is_created_in_the_same_editor",
    "roles::permission_dependencies_are_shown_and_saved_as_shown",
];

/// Credentials: renewals and their causes. Storage, headers and leaks are tested in each engine.
const SESSIONS: [&str; 9] = [
    "embed::token_set_before_mount_applies_to_the_whole_session",
    "session::failed_renewal_pauses_or_ends_the_session_and_is_retried",
    "session::missing_token_is_requested_from_the_page",
    "session::new_session_replaces_the_old_one_and_null_disconnects",
    "session::paused_session_keeps_data_and_input_and_resumes",
    "session::rejection_after_the_renewal_causes_no_second_one",
    "session::session_is_renewed_by_refresh_url_or_refresh_token",
    "session::shared_session_is_renewed_once_and_resumes_with_the_next_token",
    "session::token_past_its_expiry_is_renewed_before_the_request",
];

/// Failed, late, malformed and hostile responses: the same code handles them in all engines. The errors of `fetch`
/// are covered by `faults::failed_event_type_or_slots_show_the_cause_and_a_retry`, markup in responses by
/// `hostile::injected_markup_is_shown_as_text`.
const FAILURES: [&str; 15] = [
    "event_type_list::failed_list_is_retried",
    "faults::failed_booking_keeps_the_form_and_is_sent_again",
    "faults::failed_list_shows_the_cause_and_a_retry_if_it_helps",
    "faults::failed_load_is_reported_once_and_shows_the_light_dom",
    "faults::lost_reschedule_response_is_recovered",
    "faults::rejection_shows_the_message_of_the_service",
    "faults::slow_slots_keep_the_page_usable_and_the_newest_query_wins",
    "faults::stopped_service_is_reported_on_every_screen",
    "hostile::injected_markup_stays_inert_in_forms_and_actions",
    "hostile::malformed_responses_leave_the_elements_working",
    "invalid_config::invalid_attribute_values_cause_no_repeated_requests",
    "invalid_config::large_and_deep_responses_cause_no_repeated_requests",
    "lazy_chunks::failed_list_chunk_is_reported_when_needed_and_loaded_again",
    "lost_responses::changed_request_after_lost_response_shows_the_first_booking",
    "lost_responses::lost_response_in_the_cal_dialect_shows_only_known_facts",
];

/// Events and method calls between the page and an element. `in_flight`, `hooks` and `events` have a journey of each
/// kind that runs in each engine.
const EVENTS: [&str; 12] = [
    "callbacks::method_call_in_rare_event_listeners_is_safe",
    "callbacks::method_call_on_slot_expired_is_safe",
    "embed::pageshow_refreshes_each_picker_once",
    "embed::two_pickers_are_independent",
    "events::ready_is_dispatched_once_and_ids_survive_a_reset",
    "events::unanswered_event_does_not_block_booking_and_metadata_is_limited",
    "hooks::page_stops_a_role_change_and_hears_permission_changes",
    "hooks::reservation_of_the_page_is_used_and_released",
    "staff_in_flight::bulk_action_stops_when_its_list_is_removed",
    "staff_in_flight::cancellation_in_flight_is_reported_after_its_element_changes",
    "staff_in_flight::method_call_in_staff_event_listeners_is_safe",
    "staff_in_flight::staff_write_in_flight_is_reported_after_its_element_changes",
];

/// Texts and translations: the same files in each engine.
const TEXTS: [&str; 6] = [
    "language::each_element_has_its_own_language",
    "language::failed_translation_falls_back_to_english",
    "language::language_changed_event_names_the_new_language",
    "language::late_translation_replaces_english",
    "language::messages_property_replaces_texts",
    "language::unknown_message_key_is_logged_once_with_a_suggestion",
];

/// Loader and harness, without a browser or with a request that does not depend on it.
const LOADER_AND_HARNESS: [&str; 4] = [
    "harness::fault_applies_to_its_requests_only",
    "harness::strict_proxy_rejects_requests_unknown_to_the_cal_dialect",
    "lazy_chunks::list_chunk_is_loaded_after_rows_are_shown_without_roles",
    "loader::early_response_is_not_used_for_another_query",
];

/// Journeys to skip in Firefox and WebKit, as `file::test`; libtest's `--skip` matches substrings. None with
/// `full`, which runs every journey in every engine.
pub(crate) fn journeys(full: bool) -> impl Iterator<Item = &'static str> {
    let groups: [&[&str]; 10] = [
        &DEVTOOLS,
        &ACCESSIBILITY_SCANS,
        &BOOKING_FLOW,
        &BOOKING_LIST,
        &ROLES_AND_RECORDS,
        &SESSIONS,
        &FAILURES,
        &EVENTS,
        &TEXTS,
        &LOADER_AND_HARNESS,
    ];
    let all = groups.into_iter().flatten().copied();
    all.filter(move |_| !full)
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
        for journey in journeys(false) {
            let matched: Vec<_> = all.iter().filter(|each| each.contains(journey)).collect();
            assert_eq!(matched, [journey]);
        }
        Ok(())
    }

    #[test]
    fn full_matrix_skips_nothing() {
        assert_eq!(journeys(true).count(), 0);
    }
}
