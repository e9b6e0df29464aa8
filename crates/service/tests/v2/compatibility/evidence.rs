//! Tests that show that a setting works.

use std::collections::BTreeSet;
use std::path::Path;

/// Per section, names of tests with the settings that they show. Each is named in the test.
pub const WORKING: &str = "
Event types
    an_event_type_is_written_whole: title slug description metadata
    a_chosen_length_sets_the_end: lengthInMinutes lengthInMinutesOptions
    location_text_selects_an_offered_location: locations
    title_of_a_visitor_counts_only_where_the_form_asks_for_it: bookingFields
    a_series_keeps_its_wall_time_and_is_made_whole_or_not_at_all: recurrence
    starts_follow_interval_first_slot_and_optimised_layout: slotInterval onlyShowFirstAvailableSlot showOptimizedSlots
    a_start_that_is_no_slot_is_a_bad_request: minimumBookingNotice bookingWindow
    every_offered_slot_can_be_booked: beforeEventBuffer afterEventBuffer offsetStart
    limits_of_a_period_are_a_bad_request_and_no_conflict: bookingLimitsCount
    a_booking_limit_closes_its_day_for_offers_and_bookings: bookingLimitsDuration
    one_person_has_only_so_many_bookings_ahead: bookerActiveBookingsLimit
    a_pending_booking_holds_its_time_only_if_the_type_says_so: confirmationPolicy
    holds_on_a_seated_type_take_seats: seats
    a_teams_event_type_names_hosts_of_the_team: scheduleId schedulingType hosts
    a_body_that_breaks_a_rule_is_refused_by_name_and_stores_nothing: disableGuests
    settings_for_elements_are_read: lockTimeZoneToggleOnBookingPage successRedirectUrl
    all_layouts_are_offered_unless_some_are_named: bookerLayouts
    hidden_event_type_is_found_by_nobody_but_its_people_wherever_it_is_asked_for: hidden
    an_instant_meeting_waits_for_a_host_to_join: isInstantEvent
    event_type_for_signed_in_callers_refuses_strangers_wherever_it_is_asked_for: bookingRequiresAuthentication
    hosts_may_keep_their_addresses_to_themselves: hideOrganizerEmail
    the_event_type_says_until_when_a_booking_can_be_moved: allowReschedulingPastBookings allowReschedulingCancelledBookings disableRescheduling
    what_cannot_be_cancelled_is_refused_with_its_reason: disableCancelling
    custom_name_of_an_event_type_titles_its_bookings: customName
    who_joins_a_team_hosts_what_everybody_hosts_and_who_leaves_does_not: assignAllTeamMembers
    a_round_robin_booking_keeps_its_host_if_the_event_type_says_so: rescheduleWithSameRoundRobinHost
Teams
    a_team_needs_nothing_but_a_name: name slug
    memberships_are_ones_own_or_of_ones_team: isPrivate
    a_change_sets_clears_and_leaves: metadata
    team_creator_is_accepted_unless_switched_off: autoAcceptCreator
People and managed users
    people_change_their_own_profile_and_nobody_elses: email name timeZone defaultScheduleId metadata
    people_who_have_not_agreed_are_booked_by_nobody_as_a_group: allowDynamicBooking
Memberships
    somebody_is_invited_accepts_and_takes_part: userId accepted role
    role_given_to_member_works_in_organization_and_teams_until_taken: roleId
Roles
    an_admin_creates_a_role_and_sees_it_in_the_list: name color description permissions
Schedules
    a_new_schedule_has_office_hours_unless_told: name timeZone isDefault availability overrides
Absences
    somebody_out_of_office_offers_no_times: start end
Webhooks
    every_kind_is_made_shown_changed_and_deleted: subscriberUrl triggers active version
    a_message_is_signed_and_sent_once: payloadTemplate secret
Reservations
    a_hold_tells_what_it_holds_and_until_when: eventTypeId slotStart slotDuration reservationDuration
Bookings
    a_visitor_books_a_slot_and_reads_it_back_by_its_uid: start attendee bookingFieldsResponses guests metadata location
    event_type_is_booked_by_the_slugs_of_its_team_and_organization: eventTypeId eventTypeSlug username teamSlug organizationSlug
    a_chosen_length_sets_the_end: lengthInMinutes
    a_series_keeps_its_wall_time_and_is_made_whole_or_not_at_all: recurrenceCount
    an_instant_meeting_waits_for_a_host_to_join: instant
    a_reservation_keeps_others_away_and_is_used_up_by_its_holder: reservedSlotUid
    a_visitor_gives_back_only_their_own_seat: seatUid
    a_move_is_told_with_where_it_came_from: reschedulingReason rescheduledBy
    a_host_needs_a_reason_and_an_attendee_does_not: cancellationReason
    an_occurrence_is_cancelled_alone_or_with_the_later_ones: cancelSubsequentBookings
    a_host_confirms_or_declines_what_waits: reason
    who_did_not_come_is_noted_once_the_booking_has_started: host attendees
    an_attendee_is_added_and_read_back: name email timeZone phoneNumber language
Tokens
    a_refresh_gives_a_new_pair_and_uses_the_old_token_up: refreshToken
attendees
    the_last_attendee_stays_and_an_address_comes_once: bookingId name email timeZone
availabilities
    lines_with_the_same_hours_stay_apart: scheduleId days startTime endTime date
bookings
    a_booking_is_moved_as_in_version_2: start end startTime endTime rescheduleUid rescheduledBy eventTypeId
    a_place_and_answers_come_back_as_they_were_given: responses title description
    what_moves_a_booking_is_read_as_strictly_as_what_makes_one: timeZone language metadata
    a_series_needs_its_count: recurringCount
    a_host_answers_what_waits: status
    a_host_needs_a_reason_and_an_attendee_does_not: cancelledBy
    who_runs_the_service_sees_everything_and_acts_for_others: userId
event-types
    an_event_type_is_the_same: title length description metadata periodType periodStartDate periodEndDate requiresConfirmation recurringEvent disableGuests minimumBookingNotice beforeEventBuffer afterEventBuffer slotInterval locations bookingLimits durationLimits onlyShowFirstAvailableSlot bookingFields
    what_is_absent_stays_and_null_takes_back: hidden eventName periodDays periodCountCalendarDays seatsPerTimeSlot seatsShowAttendees
    a_slug_is_taken_once_and_found_by_it: slug
    a_team_decides_what_its_managed_event_types_are: teamId parentId userId schedulingType children
    event_type_of_a_team_is_the_same: scheduleId hosts assignAllTeamMembers successRedirectUrl seatsShowAvailabilityCount
memberships
    a_membership_and_a_team_are_the_same: userId teamId accepted role
schedules
    a_schedule_is_the_same: name timeZone
    who_runs_the_service_sees_everything_and_acts_for_others: userId
teams
    a_membership_and_a_team_are_the_same: name slug isPrivate parentId
    who_runs_the_service_makes_teams_for_others: ownerId
users
    a_user_is_the_same: email username name timeZone
webhooks
    a_webhook_is_the_same_and_its_secret_stays_in_version_2: subscriberUrl eventTriggers active payloadTemplate secret
    who_runs_the_service_sees_everything_and_acts_for_others: userId
    webhook_of_an_event_type_is_the_same: eventTypeId
";

/// Sections with their pairs of a test and a setting.
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

/// Bodies of all test functions of the service and of the wire format, by name.
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
