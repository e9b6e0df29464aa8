//! Tests that cover working settings.

use std::collections::BTreeSet;
use std::path::Path;

/// Names of tests by section, with the settings that they cover. The body of the test mentions each
/// setting.
pub const WORKING: &str = "
Event types
    event_type_response_has_all_properties: title slug description metadata
    chosen_length_sets_end: lengthInMinutes lengthInMinutesOptions
    location_text_selects_an_offered_location: locations
    title_in_responses_applies_only_if_field_is_visible: bookingFields
    series_keeps_local_time_and_is_created_atomically: recurrence
    starts_follow_interval_first_slot_and_optimized_settings: slotInterval onlyShowFirstAvailableSlot showOptimizedSlots
    start_without_slot_returns_400: minimumBookingNotice bookingWindow
    every_returned_slot_can_be_booked: beforeEventBuffer afterEventBuffer offsetStart
    booking_limit_of_period_returns_400: bookingLimitsCount
    booking_limit_closes_day_for_slots_and_bookings: bookingLimitsDuration
    active_bookings_limit_of_attendee_returns_400: bookerActiveBookingsLimit
    pending_booking_blocks_time_only_if_configured: confirmationPolicy
    reservation_with_seats_takes_a_seat: seats
    team_event_type_accepts_only_team_members_as_hosts: scheduleId schedulingType hosts
    invalid_body_returns_400_and_stores_nothing: disableGuests
    time_zone_lock_and_redirect_url_are_read: lockTimeZoneToggleOnBookingPage successRedirectUrl
    layouts_without_named_ones_are_all: bookerLayouts
    hidden_event_type_is_unlisted_and_bookable_by_its_link_unless_closed: hidden closed
    instant_booking_awaits_host: isInstantEvent
    event_type_with_required_authentication_rejects_unauthorized_callers: bookingRequiresAuthentication
    hide_organizer_email_hides_host_emails: hideOrganizerEmail
    reschedule_follows_event_type_rules: allowReschedulingPastBookings allowReschedulingCancelledBookings disableRescheduling
    cancel_of_uncancellable_booking_returns_400: disableCancelling
    custom_name_of_event_type_sets_booking_title: customName
    hosts_follow_team_membership_if_all_members_are_assigned: assignAllTeamMembers
    round_robin_reschedule_keeps_host_if_configured: rescheduleWithSameRoundRobinHost
    email_settings_of_the_event_type_are_obeyed: emailSettings
    reminders_after_a_pause_are_those_that_still_help: emailReminders
    hidden_notes_are_not_in_calendar_entries: hideCalendarNotes hideCalendarEventDetails
Teams
    team_with_name_only_is_created: name slug
    membership_list_shows_own_memberships_only: isPrivate
    patch_sets_clears_and_keeps_fields: metadata
    team_creator_is_accepted_unless_disabled: autoAcceptCreator
    week_of_a_limit_begins_with_the_week_of_the_owner: weekStart
People and managed users
    patch_me_changes_only_own_profile: email name timeZone defaultScheduleId metadata
    group_booking_requires_consent_of_all_users: allowDynamicBooking
    week_of_a_limit_begins_with_the_week_of_the_owner: weekStart
Memberships
    invitation_gives_access_after_acceptance: userId accepted role
    assigned_role_applies_in_organization_and_teams_until_removed: roleId
Roles
    created_role_is_listed: name color description permissions
Schedules
    new_schedule_has_default_office_hours: name timeZone isDefault availability overrides
Absences
    absence_removes_slots_until_deleted: start end
Webhooks
    webhook_of_every_kind_is_created_read_updated_and_deleted: subscriberUrl triggers active version
    message_is_signed_and_sent_once: payloadTemplate secret
Reservations
    reservation_returns_slot_and_expiry: eventTypeId slotStart slotDuration reservationDuration
Verified emails
    requested_code_is_in_message_and_stored_as_hash: email language
    user_stores_verified_address_once: code
Bookings
    created_booking_is_returned_by_uid: start attendee bookingFieldsResponses guests metadata location
    event_type_is_found_by_slugs_of_team_and_organization: eventTypeId eventTypeSlug username teamSlug organizationSlug
    chosen_length_sets_end: lengthInMinutes
    series_keeps_local_time_and_is_created_atomically: recurrenceCount
    series_leaves_out_and_moves_dates: recurrenceStarts
    instant_booking_awaits_host: instant
    reserved_slot_is_bookable_only_with_its_reservation: reservedSlotUid
    booking_uses_up_code: emailVerificationCode
    attendee_cancels_own_seat_only: seatUid
    reschedule_event_contains_previous_booking: reschedulingReason rescheduledBy
    cancel_requires_reason_from_host_but_not_from_attendee: cancellationReason
    occurrence_is_cancelled_alone_or_with_subsequent_ones: cancelSubsequentBookings
    host_confirms_or_declines_pending_booking: reason
    mark_absent_before_start_returns_400: host attendees
    seat_is_corrected_alone_and_its_address_is_not_that_of_another_seat: newEmail
    added_attendee_is_returned: name email timeZone phoneNumber language
Tokens
    refresh_returns_new_token_pair: refreshToken
attendees
    last_attendee_is_not_removed_and_duplicate_email_returns_409: bookingId name email timeZone
availabilities
    availabilities_with_same_hours_stay_separate: scheduleId days startTime endTime date
bookings
    booking_is_rescheduled_by_patch_or_post: start end startTime endTime rescheduleUid rescheduledBy eventTypeId
    location_and_form_responses_are_returned_unchanged: responses title description
    invalid_reschedule_request_returns_400: timeZone language metadata
    recurring_booking_without_valid_count_returns_400: recurringCount
    host_confirms_or_rejects_pending_booking: status
    cancel_requires_reason_from_host_but_not_from_attendee: cancelledBy
    operator_reads_all_resources_and_acts_for_other_users: userId
event-types
    event_type_is_the_same_in_both_versions: title length description metadata periodType periodStartDate periodEndDate requiresConfirmation recurringEvent disableGuests minimumBookingNotice beforeEventBuffer afterEventBuffer slotInterval locations bookingLimits durationLimits onlyShowFirstAvailableSlot bookingFields
    patch_keeps_absent_properties_and_null_resets_them: hidden eventName periodDays periodCountCalendarDays seatsPerTimeSlot seatsShowAttendees
    duplicate_slug_returns_409_and_list_filters_by_slug: slug
    managed_child_event_type_keeps_locked_settings: teamId parentId userId schedulingType children
    team_event_type_is_the_same_in_both_versions: scheduleId hosts assignAllTeamMembers successRedirectUrl seatsShowAvailabilityCount
memberships
    membership_and_team_are_the_same_in_both_versions: userId teamId accepted role
schedules
    schedule_is_the_same_in_both_versions: name timeZone
    operator_reads_all_resources_and_acts_for_other_users: userId
teams
    membership_and_team_are_the_same_in_both_versions: name slug isPrivate parentId
    operator_creates_teams_for_other_users: ownerId
    week_of_a_limit_begins_with_the_week_of_the_owner: weekStart
users
    user_is_the_same_in_both_versions: email username name timeZone
    week_of_a_limit_begins_with_the_week_of_the_owner: weekStart
webhooks
    webhook_is_the_same_and_secret_is_only_in_version_2: subscriberUrl eventTriggers active payloadTemplate secret
    operator_reads_all_resources_and_acts_for_other_users: userId
    event_type_webhook_is_the_same_in_both_versions: eventTypeId
";

/// Returns the sections of [`WORKING`] with pairs of test and setting.
pub fn sections() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let mut sections: Vec<(&str, Vec<(&str, &str)>)> = Vec::new();
    for line in WORKING.trim().lines() {
        match line.strip_prefix("    ") {
            None => sections.push((line, Vec::new())),
            Some(line) => {
                let (test, settings) = line.split_once(':').unwrap();
                let pairs = settings.split_whitespace().map(|setting| (test, setting));
                sections.last_mut().unwrap().1.extend(pairs);
            }
        }
    }
    sections
}

/// Returns names and bodies of all test functions of the service and wire crates.
pub fn tests() -> Vec<(String, String)> {
    let mut sources = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["tests", "src", "../wire/src"] {
        read(&root.join(folder), &mut sources);
    }
    let mut tests = Vec::new();
    for source in sources {
        let marks = ["test]", "threads = 2)]"];
        for (start, mark) in marks.iter().flat_map(|mark| source.match_indices(mark)) {
            let text = &source[start + mark.len()..];
            let Some((before, text)) = text.split_once("fn ") else {
                continue;
            };
            let indent = before
                .rsplit('\n')
                .next()
                .unwrap()
                .trim_end_matches("async ");
            let (name, text) = text.split_once('(').unwrap();
            let end = text.find(&format!("\n{indent}}}\n"));
            tests.push((
                name.to_owned(),
                text[..end.unwrap_or(text.len())].to_owned(),
            ));
        }
    }
    let names: BTreeSet<&String> = tests.iter().map(|(name, _)| name).collect();
    assert!(names.len() > 500, "{} tests found", names.len());
    tests
}

fn read(folder: &Path, sources: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, sources);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            sources.push(std::fs::read_to_string(path).unwrap());
        }
    }
}

/// Returns true if `text` has `word` as a word.
pub fn mentions(text: &str, word: &str) -> bool {
    let is_letter =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
    text.match_indices(word).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + word.len()..]);
        !is_letter(before.chars().next_back()) && !is_letter(after.chars().next())
    })
}
