//! Types of version 1: written strictly, read leniently.

#![recursion_limit = "256"]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use booking_wire::Read;
use booking_wire::v1::{
    Attendee, Availability, Booking, BookingReference, Cancelled, CreatedTeam, Credential,
    DestinationCalendar, EventType, Failure, Membership, Payment, Recording, Schedule,
    SelectedCalendar, Slots, Team, User, UserPage, Webhook,
};
use serde::Serialize;
use serde_json::{Value, json};

/// Checks that the JSON is read and written unchanged.
#[track_caller]
fn check_round_trip<T: Read + Serialize + PartialEq + std::fmt::Debug>(written: Value) {
    let read = T::read(&written).unwrap_or_else(|| panic!("cannot be read: {written}"));
    assert_eq!(serde_json::to_value(&read).unwrap(), written);
    // Unknown keys, as of a later service, are ignored.
    let mut later = written.clone();
    later["unheardOf"] = json!({"a": 1});
    assert_eq!(T::read(&later).as_ref(), Some(&read));
}

fn team() -> Value {
    json!({
        "id": 3, "parentId": 1, "name": "Team", "slug": "team", "logoUrl": null, "bio": "Hi",
        "hideBranding": true, "hideBookATeamMember": true, "isPrivate": true, "timeZone": "UTC",
        "weekStart": "Monday", "theme": "dark", "brandColor": "#123", "darkBrandColor": "#456", "metadata": {"a": 1},
    })
}

fn membership() -> Value {
    json!({
        "userId": 5, "teamId": 3, "accepted": true, "role": "ADMIN", "disableImpersonation": true, "team": team(),
    })
}

fn user() -> Value {
    json!({
        "id": 5, "username": "ada", "name": "Ada", "email": "ada@example.org", "bio": "Hi",
        "avatar": "data:image/png;base64,x", "timeZone": "UTC", "weekStart": "Monday", "timeFormat": "TWELVE",
        "locale": "de", "theme": "DARK", "brandColor": "#123", "darkBrandColor": "#456", "hideBranding": true,
        "defaultScheduleId": 8, "metadata": {"a": 1},
    })
}

fn booking() -> Value {
    json!({
        "id": 9, "userId": 5, "description": "Notes", "eventTypeId": 41, "uid": "bk1", "title": "Intro",
        "startTime": "2027-03-29T07:00:00.000Z", "endTime": "2027-03-29T07:30:00.000Z", "timeZone": "Europe/Rome",
        "attendees": [
            {"id": 1, "email": "zoe@example.org", "name": "Zoë", "timeZone": "Europe/Rome", "locale": "it"},
        ],
        "user": {"email": "ada@example.org", "name": "Ada", "timeZone": "UTC", "locale": null},
        "eventType": {"title": "Intro", "slug": "intro", "team": {"id": 3, "name": "Team", "slug": "team"}},
        "payment": [{"id": 2, "success": true, "paymentOption": "ON_BOOKING"}], "metadata": {"a": 1},
        "status": "ACCEPTED", "responses": {"name": "Zoë"}, "fromReschedule": "bk0", "cancelledBy": null,
        "rescheduledBy": "zoe@example.org", "recurringEventId": "s1", "createdAt": "2027-03-01T07:00:00.000Z",
    })
}

fn event_type() -> Value {
    json!({
        "id": 41, "userId": 5, "teamId": 3, "parentId": 2, "title": "Intro", "slug": "intro", "description": "Hi",
        "length": 30, "hidden": true, "position": 4, "eventName": "{Title}", "timeZone": "UTC", "scheduleId": 8,
        "schedulingType": "ROUND_ROBIN", "hosts": [{"userId": 5, "isFixed": true}], "periodType": "RANGE",
        "periodStartDate": "2027-03-01", "periodEndDate": "2027-04-01", "periodDays": 3,
        "periodCountCalendarDays": true, "requiresConfirmation": true,
        "recurringEvent": {"freq": 2, "interval": 1, "count": 4}, "disableGuests": true, "hideCalendarNotes": true,
        "minimumBookingNotice": 120, "beforeEventBuffer": 5, "afterEventBuffer": 6, "slotInterval": 15,
        "price": 500, "currency": "eur", "successRedirectUrl": "https://example.org",
        "locations": [{"type": "inPerson", "address": "Via Roma 1"}, {"type": "integrations:zoom"}],
        "bookingLimits": {"PER_DAY": 2}, "durationLimits": {"PER_WEEK": 60}, "onlyShowFirstAvailableSlot": true,
        "assignAllTeamMembers": true, "seatsPerTimeSlot": 4, "seatsShowAttendees": true,
        "seatsShowAvailabilityCount": false, "bookingFields": [{"slug": "topic"}], "metadata": {"a": 1},
        "link": "https://example.org/ada/intro",
    })
}

#[test]
fn types_of_version_1_round_trip() {
    check_round_trip::<Attendee>(
        json!({"id": 1, "bookingId": 9, "name": "Zoë", "email": "zoe@example.org", "timeZone": "UTC"}),
    );
    check_round_trip::<Availability>(json!({
        "id": 1, "scheduleId": 8, "eventTypeId": null, "days": [1, 2], "date": null,
        "startTime": "1970-01-01T09:00:00.000Z", "endTime": "1970-01-01T17:00:00.000Z",
    }));
    check_round_trip::<BookingReference>(json!({
        "id": 1, "type": "zoom", "uid": "m", "bookingId": 9, "meetingId": "1", "meetingPassword": "p",
        "meetingUrl": "https://zoom.example", "externalCalendarId": "c", "deleted": true, "credentialId": 4,
    }));
    check_round_trip::<Booking>(booking());
    check_round_trip::<Cancelled>(json!({
        "success": true, "message": "Done", "onlyRemovedAttendee": true, "bookingId": 9, "bookingUid": "bk1",
    }));
    check_round_trip::<Credential>(json!({"id": 4, "type": "zoom"}));
    check_round_trip::<DestinationCalendar>(json!({
        "id": 1, "integration": "google_calendar", "externalId": "x", "userId": 5, "eventTypeId": 41,
        "bookingId": 9, "credentialId": 4,
    }));
    check_round_trip::<EventType>(event_type());
    check_round_trip::<CreatedTeam>(
        json!({"team": team(), "owner": membership(), "message": "Done"}),
    );
    check_round_trip::<Membership>(membership());
    check_round_trip::<Payment>(json!({
        "id": 2, "bookingId": 9, "amount": 500, "fee": 5, "currency": "eur", "success": true, "refunded": true,
        "paymentOption": "ON_BOOKING", "appId": "stripe",
    }));
    check_round_trip::<Recording>(json!({
        "id": "r1", "room_name": "room", "start_ts": 7, "status": "finished", "max_participants": 2, "duration": 60,
        "share_token": "t", "download_link": "https://example.org",
    }));
    check_round_trip::<Schedule>(json!({
        "id": 8, "userId": 5, "name": "Hours", "timeZone": "UTC",
        "availability": [
            {"id": 1, "eventTypeId": null, "days": [1], "startTime": "09:00:00", "endTime": "17:00:00"},
            {"id": 2, "eventTypeId": 3, "days": [], "date": "2027-03-29", "startTime": "09:00:00", "endTime": "09:00:00"},
        ],
    }));
    check_round_trip::<SelectedCalendar>(
        json!({"userId": 5, "integration": "google_calendar", "externalId": "x", "credentialId": 4}),
    );
    check_round_trip::<Team>(team());
    check_round_trip::<User>(user());
    check_round_trip::<UserPage>(json!({"users": [user()], "total": 7}));
    check_round_trip::<Webhook>(json!({
        "id": "w1", "userId": 5, "eventTypeId": null, "subscriberUrl": "https://example.org",
        "eventTriggers": ["BOOKING_PAID"], "active": true, "payloadTemplate": "{}",
    }));
    check_round_trip::<Failure>(json!({
        "message": "no", "url": "/v1/teams", "method": "GET", "data": [{"property": "a", "message": "b"}],
    }));
}

#[test]
fn slots_are_read_by_date() {
    let body = json!({"slots": {
        "2027-04-13": [{"time": "2027-04-13T11:00:00+04:00", "attendees": 2, "bookingUid": "bk1"}, {"odd": 1}],
        "2027-04-14": "odd",
    }});
    let slots = Slots::read(&body).unwrap().slots;
    assert_eq!(slots.len(), 1);
    assert_eq!(slots["2027-04-13"].len(), 1);
    assert_eq!(slots["2027-04-13"][0].attendees, Some(2));
}

#[test]
fn object_with_required_keys_only_is_read() {
    let booking = Booking::read(&json!({
        "id": "9", "startTime": "2027-03-29T07:00:00Z", "endTime": "2027-03-29T07:30:00Z", "status": "accepted",
        "attendees": [{"email": "no id"}, null, {"id": 4.0}], "title": null, "metadata": null, "user": null,
    }))
    .unwrap();
    assert_eq!((booking.id, booking.status.as_str()), (9, "ACCEPTED"));
    assert_eq!(booking.attendees.len(), 1);
    let event_type =
        EventType::read(&json!({"id": 4, "length": "30", "hosts": {}, "locations": [{}]})).unwrap();
    assert_eq!((event_type.length, event_type.hosts.len()), (30, 0));
    assert!(EventType::read(&json!({"title": "No id"})).is_none());
    assert!(SelectedCalendar::read(&json!({"userId": 5, "integration": "x"})).is_none());
    let webhook =
        Webhook::read(&json!({"id": 7, "eventTriggers": ["BOOKING_DREAMT", "BOOKING_PAID"]}))
            .unwrap();
    assert_eq!(
        (webhook.id.as_str(), webhook.event_triggers.len()),
        ("7", 1)
    );
}
