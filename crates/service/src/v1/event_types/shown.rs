//! An event type in the words of version 1.

use booking_wire::v1::{EventType, FREQUENCIES, Host, Place, RecurringEvent};
use booking_wire::{EventType as Known, Location};
use serde_json::{Value, json};

use super::said::{OWN, written_scheduling_type};
use super::settings::{period_type, written_limits};
use crate::store::event_types::record::{Owner, Record};

/// What version 2 knows of it, with what only version 1 has said.
pub(super) fn event_type(known: &Known, record: &Record) -> EventType {
    let own = record.document.get(OWN).unwrap_or(&Value::Null);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let (user_id, team_id) = match record.owner {
        Owner::User(id) => (Some(id), None),
        Owner::Team(id) => (None, Some(id)),
    };
    let window = &known.booking_window;
    let counts_days = matches!(
        window["type"].as_str(),
        Some("businessDays" | "calendarDays")
    );
    let seats = &known.seats;
    EventType {
        id: known.id,
        user_id,
        team_id,
        parent_id: record.parent_id,
        title: known.title.clone(),
        slug: known.slug.clone(),
        description: known.description.clone(),
        length: known.length_in_minutes,
        hidden: known.hidden,
        position: own["position"].as_i64().unwrap_or(0),
        event_name: known.custom_name.clone(),
        time_zone: text(&own["timeZone"]),
        schedule_id: known.schedule_id,
        scheduling_type: known
            .scheduling_type
            .as_deref()
            .and_then(written_scheduling_type),
        hosts: known
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
        period_count_calendar_days: counts_days.then(|| window["type"] == "calendarDays"),
        requires_confirmation: known.confirmation_policy["type"].is_string(),
        recurring_event: series(known),
        disable_guests: known.disable_guests,
        hide_calendar_notes: known.hide_calendar_notes,
        minimum_booking_notice: known.minimum_booking_notice,
        before_event_buffer: known.before_event_buffer,
        after_event_buffer: known.after_event_buffer,
        slot_interval: known.slot_interval,
        price: known.price,
        currency: known.currency.clone(),
        success_redirect_url: known.success_redirect_url.clone(),
        locations: known.locations.iter().filter_map(place).collect(),
        booking_limits: written_limits(&known.booking_limits_count),
        duration_limits: written_limits(&known.booking_limits_duration),
        only_show_first_available_slot: known.only_show_first_available_slot,
        assign_all_team_members: known.assign_all_team_members == Some(true),
        seats_per_time_slot: seats["seatsPerTimeSlot"].as_i64(),
        seats_show_attendees: seats["showAttendeeInfo"].as_bool(),
        seats_show_availability_count: seats["showAvailabilityCount"].as_bool(),
        booking_fields: known
            .booking_fields
            .iter()
            .map(|field| json!(field))
            .collect(),
        metadata: known.metadata.clone(),
        link: known.booking_url.clone(),
    }
}

fn series(known: &Known) -> Option<RecurringEvent> {
    let series = json!(known.recurrence.as_ref()?);
    let freq = FREQUENCIES
        .iter()
        .find(|(_, name)| series["frequency"] == *name)?;
    Some(RecurringEvent {
        freq: freq.0,
        interval: series["interval"].as_i64()?,
        count: series["occurrences"].as_i64()?,
    })
}

fn place(location: &Location) -> Option<Place> {
    let of = |kind: &str| Place {
        kind: kind.to_owned(),
        ..Place::default()
    };
    Some(match location {
        Location::Address { address, .. } => Place {
            address: Some(address.clone()),
            ..of("inPerson")
        },
        Location::Link { link, .. } => Place {
            link: Some(link.clone()),
            ..of("link")
        },
        Location::Phone { phone, .. } => Place {
            host_phone_number: Some(phone.clone()),
            ..of("userPhone")
        },
        Location::Integration { integration } => of(&format!("integrations:{integration}")),
        Location::OrganizersDefaultApp => of("conferencing"),
        Location::AttendeeAddress => of("attendeeInPerson"),
        Location::AttendeePhone => of("phone"),
        Location::AttendeeDefined => of("somewhereElse"),
        Location::Unknown => return None,
    })
}
