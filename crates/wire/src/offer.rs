//! What clients show of an event type and of a booking just made. Answers hold far more; reading all
//! of it would be code that every visitor downloads for nothing.

use serde_json::Value;

use crate::event_type::{ascending, is_always};
use crate::{BookingField, BookingStatus, BookingUid, Fields, Instant, Location, Read};

/// An event type as it is offered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offer {
    /// Identifier.
    pub id: i64,
    /// Shown as the heading of the picker.
    pub title: String,
    /// Unique per owner or team.
    pub slug: String,
    /// Plain text, empty if there is none.
    pub description: String,
    /// The default length, in minutes.
    pub length: i64,
    /// The lengths to choose from: at least one, ascending, without repeats.
    pub lengths: Vec<i64>,
    /// Where it can take place.
    pub locations: Vec<Location>,
    /// The form.
    pub booking_fields: Vec<BookingField>,
    /// Whether a host has to accept each booking whatever its start. A policy that depends on the
    /// notice is decided by the service and seen in the booking's status.
    pub always_needs_confirmation: bool,
    /// Whether the visitor may not add guests.
    pub disable_guests: bool,
    /// Whether times are shown in the host's zone only.
    pub locks_zone: bool,
    /// Whether it is left out of public lists.
    pub hidden: bool,
    /// The people a visitor will meet, of a personal or a team event type.
    pub host_names: Vec<String>,
    /// The name of the team, of a team event type.
    pub team: Option<String>,
}

impl Read for Offer {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let length = fields.get("lengthInMinutes").unwrap_or(30);
        let policy = fields.value("confirmationPolicy");
        let mut host_names = names(fields, "users");
        host_names.append(&mut names(fields, "hosts"));
        Some(Self {
            id: fields.get("id")?,
            title: fields.text("title"),
            slug: fields.text("slug"),
            description: fields.text("description"),
            length,
            lengths: ascending(&fields.list("lengthInMinutesOptions"), length),
            locations: fields.list("locations"),
            booking_fields: fields.list("bookingFields"),
            always_needs_confirmation: policy.is_some_and(is_always),
            disable_guests: fields.flag("disableGuests"),
            locks_zone: fields.flag("lockTimeZoneToggleOnBookingPage"),
            hidden: fields.flag("hidden"),
            host_names,
            team: fields.object("team").map(|team| team.text("name")),
        })
    }
}

/// A booking as its maker is told of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MadeBooking {
    /// Public identifier.
    pub uid: BookingUid,
    /// Such as "Intro call between Ada and Zoë".
    pub title: String,
    /// Where it stands.
    pub status: BookingStatus,
    /// UTC.
    pub start: Instant,
    /// UTC.
    pub end: Instant,
    /// A URL, an address, a phone number or a service's own token.
    pub location: Option<String>,
    /// The people who host it, as far as they have names.
    pub host_names: Vec<String>,
    /// The people it was made for, as far as they have names.
    pub attendee_names: Vec<String>,
    /// The address of the first attendee, empty if unknown.
    pub email: String,
}

/// A series answers with all of its meetings; the first stands for it (contract 3.5.1).
impl Read for MadeBooking {
    fn read(value: &Value) -> Option<Self> {
        let first = value
            .as_array()
            .map_or(Some(value), |series| series.first())?;
        let fields = Fields::of(first)?;
        let start: Instant = fields.get("start")?;
        let attendee = fields
            .value("attendees")
            .and_then(|attendees| Fields::of(attendees.as_array()?.first()?));
        let email = attendee.map(|attendee| {
            attendee
                .get("displayEmail")
                .unwrap_or_else(|| attendee.text("email"))
        });
        Some(Self {
            uid: fields.get("uid")?,
            title: fields.text("title"),
            status: fields.get("status")?,
            start,
            end: fields
                .get("end")
                .unwrap_or_else(|| start.plus_minutes(fields.integer("duration"))),
            location: fields
                .get::<Option<String>>("location")?
                .or(fields.get("meetingUrl")?),
            host_names: names(fields, "hosts"),
            attendee_names: names(fields, "attendees"),
            email: email.unwrap_or_default(),
        })
    }
}

/// The names in a list of people. Real services send objects; their document promises strings
/// (contract 3.3).
fn names(fields: Fields<'_>, key: &str) -> Vec<String> {
    let people = fields.value(key).and_then(Value::as_array);
    people
        .into_iter()
        .flatten()
        .map(|person| match Fields::of(person) {
            Some(person) => person.text("name"),
            None => String::read(person).unwrap_or_default(),
        })
        .filter(|name| !name.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_offer_holds_what_a_visitor_is_shown() {
        let offer = Offer::read(&json!({
            "id": 4, "title": "Call", "lengthInMinutes": 30, "lengthInMinutesOptions": [60, 15, 30],
            "confirmationPolicy": {"type": "always"},
            "users": [{"name": "Ada"}, "Bo", {"id": 3}],
            "team": {"id": 1, "name": "Sales"},
        }))
        .unwrap();
        assert_eq!(offer.lengths, [15, 30, 60]);
        assert!(offer.always_needs_confirmation);
        assert_eq!(offer.host_names, ["Ada", "Bo"]);
        assert_eq!(offer.team.as_deref(), Some("Sales"));
    }

    #[test]
    fn a_booking_just_made_is_the_first_of_its_series() {
        let one = json!({
            "uid": "a", "status": "pending", "start": "2027-03-29T07:00:00.000Z", "duration": 30,
            "hosts": [{"id": "unknown", "name": ""}, {"name": "Ada"}],
            "attendees": [{"name": "Zoë", "email": "zoe+1@example.org", "displayEmail": "zoe@example.org"}],
            "meetingUrl": "https://meet.example",
        });
        let made = MadeBooking::read(&json!([one, {"uid": "b"}])).unwrap();
        assert_eq!(Some(&made), MadeBooking::read(&one).as_ref());
        assert_eq!(made.end.minutes_since(made.start), 30);
        assert_eq!(made.host_names, ["Ada"]);
        assert_eq!(made.email, "zoe@example.org");
        assert_eq!(made.location.as_deref(), Some("https://meet.example"));
        assert_eq!(MadeBooking::read(&json!([])), None);
    }
}
