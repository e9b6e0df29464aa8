//! Event types in the format of version 1.

use booking_wire::v1::{EventType, EventTypeLocation, FREQUENCIES, Host, RecurringEvent};
use booking_wire::{EventType as V2EventType, Location};
use serde_json::{Value, json};

use super::request::{V1_FIELDS_KEY, scheduling_type_name};
use super::settings::{limits_response, period_type};
use crate::store::event_types::record::{Owner, Record};

/// Translates an event type of version 2 and adds the fields that only version 1 has.
pub(super) fn event_type(event_type: &V2EventType, record: &Record) -> EventType {
    let v1_fields = record.document.get(V1_FIELDS_KEY).unwrap_or(&Value::Null);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let (user_id, team_id) = match record.owner {
        Owner::User(id) => (Some(id), None),
        Owner::Team(id) => (None, Some(id)),
    };
    let window = &event_type.booking_window;
    let is_rolling = matches!(
        window["type"].as_str(),
        Some("businessDays" | "calendarDays")
    );
    let seats = &event_type.seats;
    EventType {
        id: event_type.id,
        user_id,
        team_id,
        parent_id: record.parent_id,
        title: event_type.title.clone(),
        slug: event_type.slug.clone(),
        description: event_type.description.clone(),
        length: event_type.length_in_minutes,
        hidden: event_type.hidden,
        position: v1_fields["position"].as_i64().unwrap_or(0),
        event_name: event_type.custom_name.clone(),
        time_zone: text(&v1_fields["timeZone"]),
        schedule_id: event_type.schedule_id,
        scheduling_type: event_type
            .scheduling_type
            .as_deref()
            .and_then(scheduling_type_name),
        hosts: event_type
            .hosts
            .iter()
            .flatten()
            .map(|host| Host {
                user_id: host.id,
                is_fixed: host.mandatory,
            })
            .collect(),
        period_type: period_type(window).to_owned(),
        period_start_date: text(&window["value"][0]),
        period_end_date: text(&window["value"][1]),
        period_days: window["value"].as_i64(),
        period_count_calendar_days: is_rolling.then(|| window["type"] == "calendarDays"),
        requires_confirmation: event_type.confirmation_policy["type"].is_string(),
        recurring_event: recurring_event(event_type),
        disable_guests: event_type.disable_guests,
        hide_calendar_notes: event_type.hide_calendar_notes,
        minimum_booking_notice: event_type.minimum_booking_notice,
        before_event_buffer: event_type.before_event_buffer,
        after_event_buffer: event_type.after_event_buffer,
        slot_interval: event_type.slot_interval,
        price: event_type.price,
        currency: event_type.currency.clone(),
        success_redirect_url: event_type.success_redirect_url.clone(),
        locations: event_type
            .locations
            .iter()
            .filter_map(v1_location)
            .collect(),
        booking_limits: limits_response(&event_type.booking_limits_count),
        duration_limits: limits_response(&event_type.booking_limits_duration),
        only_show_first_available_slot: event_type.only_show_first_available_slot,
        assign_all_team_members: event_type.assign_all_team_members == Some(true),
        seats_per_time_slot: seats["seatsPerTimeSlot"].as_i64(),
        seats_show_attendees: seats["showAttendeeInfo"].as_bool(),
        seats_show_availability_count: seats["showAvailabilityCount"].as_bool(),
        booking_fields: event_type
            .booking_fields
            .iter()
            .map(|field| json!(field))
            .collect(),
        metadata: event_type.metadata.clone(),
        link: event_type.booking_url.clone(),
    }
}

fn recurring_event(event_type: &V2EventType) -> Option<RecurringEvent> {
    let series = json!(event_type.recurrence.as_ref()?);
    let freq = FREQUENCIES
        .iter()
        .find(|(_, name)| series["frequency"] == *name)?;
    Some(RecurringEvent {
        freq: freq.0,
        interval: series["interval"].as_i64()?,
        count: series["occurrences"].as_i64()?,
    })
}

fn v1_location(location: &Location) -> Option<EventTypeLocation> {
    let location_of = |kind: &str| EventTypeLocation {
        kind: kind.to_owned(),
        ..EventTypeLocation::default()
    };
    Some(match location {
        Location::Address { address, .. } => EventTypeLocation {
            address: Some(address.clone()),
            ..location_of("inPerson")
        },
        Location::Link { link, .. } => EventTypeLocation {
            link: Some(link.clone()),
            ..location_of("link")
        },
        Location::Phone { phone, .. } => EventTypeLocation {
            host_phone_number: Some(phone.clone()),
            ..location_of("userPhone")
        },
        Location::Integration { integration } => {
            location_of(&format!("integrations:{integration}"))
        }
        Location::OrganizersDefaultApp => location_of("conferencing"),
        Location::AttendeeAddress => location_of("attendeeInPerson"),
        Location::AttendeePhone => location_of("phone"),
        Location::AttendeeDefined => location_of("somewhereElse"),
        Location::Unknown => return None,
    })
}
