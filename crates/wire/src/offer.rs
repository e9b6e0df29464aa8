//! What clients show of an event type and of a booking just made. Answers hold far more; reading all
//! of it would be code that every visitor downloads for nothing.

use serde_json::Value;

use crate::asked_field::AskedField;
use crate::booking::{BookingStatus, BookingUid};
use crate::event_type::Location;
use crate::event_type::{Layout, Recurrence, ascending, is_always};
use crate::horizon::Horizon;
use crate::instant::Instant;
use crate::read::{Fields, JsonMap, Read, Unread};

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
    pub booking_fields: Unread<Vec<AskedField>>,
    /// Whether a host has to accept each booking whatever its start. A policy that depends on the
    /// notice is decided by the service and seen in the booking's status.
    pub always_needs_confirmation: bool,
    /// True if a slot can still be offered after it was booked: it has seats, a booking waits for a host or
    /// a payment, or another host can take the next one. A free slot does not prove then that a booking
    /// failed.
    pub may_leave_slot_free: bool,
    /// Whether the visitor may not add guests.
    pub disable_guests: bool,
    /// Whether times are shown in the host's zone only.
    pub locks_zone: bool,
    /// How times are laid out at first.
    pub layout: Layout,
    /// The ways to lay out times that a visitor may choose from: that one among them.
    pub layouts: Vec<Layout>,
    /// The days that can be booked.
    pub horizon: Horizon,
    /// Whether it is left out of public lists.
    pub hidden: bool,
    /// The people a visitor will meet, of a personal or a team event type.
    pub host_names: Vec<String>,
    /// The name of the team, of a team event type.
    pub team: Option<String>,
    /// How often a booking repeats, if it is one of a series.
    pub recurrence: Option<Recurrence>,
    /// How many share one time, if several do.
    pub seats: Option<i64>,
    /// In minor units of the currency; above 0 a booking has to be paid.
    pub price: i64,
    /// Such as `eur`.
    pub currency: String,
    /// Whether its hosts take turns: one of them hosts each booking.
    pub takes_turns: bool,
    /// Whether visitors may ask for a meeting at once.
    pub is_instant: bool,
    /// Whether a visitor can book on the service's own page only: who they are has to be proven
    /// there.
    pub needs_own_page: bool,
    /// The service's own page for booking it, empty if unknown.
    pub booking_url: String,
    /// Where the event type's owner wants visitors to go after booking.
    pub success_redirect_url: Option<String>,
    /// What visitors may do to their bookings.
    pub terms: Terms,
}

/// What visitors may do to bookings of an event type (contract 6.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Whether nobody may cancel.
    pub no_cancelling: bool,
    /// Whether nobody may reschedule.
    pub no_rescheduling: bool,
    /// Nobody may reschedule when the start is nearer than so many minutes; 0 if it does not matter.
    pub no_rescheduling_within: i64,
    /// Whether a booking that has begun may be moved all the same.
    pub past_may_move: bool,
    /// Whether a cancelled booking may be taken up again at another time.
    pub cancelled_may_move: bool,
}

impl Terms {
    fn of(fields: Fields<'_>) -> Self {
        let ban = |key: &str| fields.object(key);
        Self {
            no_cancelling: ban("disableCancelling").is_some_and(|ban| ban.flag("disabled")),
            no_rescheduling: ban("disableRescheduling").is_some_and(|ban| ban.flag("disabled")),
            no_rescheduling_within: ban("disableRescheduling")
                .map_or(0, |ban| ban.integer("minutesBefore")),
            past_may_move: fields.flag("allowReschedulingPastBookings"),
            cancelled_may_move: fields.flag("allowReschedulingCancelledBookings"),
        }
    }
}

impl Read for Offer {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let length = fields.get("lengthInMinutes").unwrap_or(30);
        let policy = fields.value("confirmationPolicy");
        let mut host_names = names(fields, "users");
        host_names.append(&mut names(fields, "hosts"));
        let (layout, layouts) = layouts(fields.object("bookerLayouts"));
        Some(Self {
            id: fields.get("id")?,
            title: fields.text("title"),
            slug: fields.text("slug"),
            description: fields.text("description"),
            length,
            lengths: ascending(&fields.list("lengthInMinutesOptions"), length),
            locations: fields.list("locations"),
            booking_fields: fields.get("bookingFields")?,
            always_needs_confirmation: policy.is_some_and(is_always),
            may_leave_slot_free: may_leave_slot_free(fields),
            disable_guests: fields.flag("disableGuests"),
            locks_zone: fields.flag("lockTimeZoneToggleOnBookingPage"),
            layout,
            layouts,
            horizon: Horizon::of(fields),
            hidden: fields.flag("hidden"),
            host_names,
            team: fields.object("team").map(|team| team.text("name")),
            recurrence: fields
                .get::<Recurrence>("recurrence")
                .filter(|series| series.occurrences > 1 && series.interval > 0),
            seats: seats(fields)?,
            price: fields.integer("price"),
            currency: fields.text("currency"),
            takes_turns: fields.text("schedulingType") == "roundRobin",
            is_instant: fields.flag("isInstantEvent"),
            needs_own_page: fields.flag("requiresBookerEmailVerification")
                || fields.flag("bookingRequiresAuthentication"),
            booking_url: fields.text("bookingUrl"),
            success_redirect_url: fields.get("successRedirectUrl")?,
            terms: Terms::of(fields),
        })
    }
}

/// A booking as a visitor is told of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MadeBooking {
    /// Public identifier.
    pub uid: BookingUid,
    /// Of the series that it belongs to.
    pub series_uid: Option<BookingUid>,
    /// The visitor's own seat in it, as far as the answer tells.
    pub seat_uid: Option<String>,
    /// Such as "Intro call between Ada and Zoë".
    pub title: String,
    /// Plain text, empty if there is none.
    pub description: String,
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
    /// The address of the first host, empty if unknown.
    pub host_email: String,
    /// The user name of the first host, empty if unknown.
    pub host_username: String,
    /// The people it was made for, as far as they have names.
    pub attendee_names: Vec<String>,
    /// The address of the first attendee, empty if unknown.
    pub email: String,
    /// What was answered, by the slug of the question.
    pub answers: JsonMap,
    /// What was booked.
    pub event_type_id: i64,
    /// What was booked, by name; empty if unknown.
    pub event_type_slug: String,
    /// Why it was cancelled or declined.
    pub reason: Option<String>,
    /// The booking at another time that has replaced it.
    pub moved_to: Option<BookingUid>,
    /// The booking at another time that it has replaced.
    pub moved_from: Option<BookingUid>,
}

impl MadeBooking {
    /// Minutes from its start to its end.
    pub fn length(&self) -> i64 {
        self.end.minutes_since(self.start)
    }
}

impl Read for MadeBooking {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let start: Instant = fields.get("start")?;
        let attendee = first(fields, "attendees");
        let host = first(fields, "hosts");
        let event_type = fields.object("eventType");
        Some(Self {
            uid: fields.get("uid")?,
            series_uid: fields.get("recurringBookingUid")?,
            // Seats of attendees are no help: the first of them may be somebody else's.
            seat_uid: fields.get("seatUid")?,
            title: fields.text("title"),
            description: fields.text("description"),
            status: fields.get("status")?,
            start,
            end: fields
                .get("end")
                .unwrap_or_else(|| start.plus_minutes(fields.integer("duration"))),
            location: fields
                .get::<Option<String>>("location")?
                .or(fields.get("meetingUrl")?),
            host_names: names(fields, "hosts"),
            host_email: host.map(email).unwrap_or_default(),
            host_username: host.map(|host| host.text("username")).unwrap_or_default(),
            attendee_names: names(fields, "attendees"),
            email: attendee.map(email).unwrap_or_default(),
            answers: answers(fields),
            event_type_id: event_type
                .and_then(|event_type| event_type.get("id"))
                .unwrap_or_else(|| fields.integer("eventTypeId")),
            event_type_slug: event_type
                .map(|event_type| event_type.text("slug"))
                .unwrap_or_default(),
            reason: fields
                .get::<Option<String>>("cancellationReason")?
                .or(fields.get("rejectionReason")?),
            moved_to: fields.get("rescheduledToUid")?,
            moved_from: fields.get("rescheduledFromUid")?,
        })
    }
}

/// What a booking, or a question about one, is answered with: a series with all of its meetings, by
/// start (contract 3.5.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MadeBookings(pub Vec<MadeBooking>);

impl Read for MadeBookings {
    fn read(value: &Value) -> Option<Self> {
        let bookings = match value.as_array() {
            Some(_) => Vec::<MadeBooking>::read(value)?,
            None => vec![MadeBooking::read(value)?],
        };
        (!bookings.is_empty()).then_some(Self(bookings))
    }
}

/// Those of the booking, or of the visitor's own seat in it: the others' are no business of theirs.
fn answers(fields: Fields<'_>) -> JsonMap {
    let key = "bookingFieldsResponses";
    let (seat, people) = (fields.text("seatUid"), fields.value("attendees"));
    let people = people.and_then(Value::as_array).into_iter().flatten();
    let own = people
        .filter_map(Fields::of)
        .find(|person| !seat.is_empty() && person.text("seatUid") == seat);
    own.unwrap_or(fields).map(key)
}

fn first<'a>(fields: Fields<'a>, key: &str) -> Option<Fields<'a>> {
    Fields::of(fields.value(key)?.as_array()?.first()?)
}

/// Without what a platform adds to tell its own users apart (contract 4.1).
fn email(person: Fields<'_>) -> String {
    person
        .get("displayEmail")
        .unwrap_or_else(|| person.text("email"))
}

/// The layout to begin with and those to choose from: all where nothing usable is said.
fn layouts(said: Option<Fields<'_>>) -> (Layout, Vec<Layout>) {
    let foremost: Option<Layout> = said.and_then(|said| said.get("defaultLayout"));
    let enabled: Vec<Layout> = said.map_or_else(Vec::new, |said| said.list("enabledLayouts"));
    let mut layouts = Vec::from([Layout::Month, Layout::Week, Layout::Column]);
    layouts.retain(|layout| {
        enabled.is_empty() || enabled.contains(layout) || foremost == Some(*layout)
    });
    let layout = foremost.or(layouts.first().copied()).unwrap_or_default();
    (layout, layouts)
}

impl Read for Layout {
    fn read(value: &Value) -> Option<Self> {
        Some(match value.as_str()? {
            "month" => Self::Month,
            "week" => Self::Week,
            "column" => Self::Column,
            _ => return None,
        })
    }
}

/// Seats of one slot, if several people share it; the outer `None` if it is no number.
fn seats(fields: Fields<'_>) -> Option<Option<i64>> {
    let seats = fields.object("seats");
    let seats = seats.and_then(|seats| seats.get("seatsPerTimeSlot"));
    Some(seats.or(fields.get("seatsPerTimeSlot")?))
}

fn may_leave_slot_free(fields: Fields<'_>) -> bool {
    let policy = fields.object("confirmationPolicy");
    let may_wait = policy.is_some_and(|policy| policy.value("type").is_some());
    let blocks = policy.is_some_and(|policy| policy.flag("blockUnconfirmedBookingsInBooker"));
    let waits = (may_wait || fields.integer("price") > 0) && !blocks;
    let is_of_team = fields.object("team").is_some() || fields.integer("teamId") > 0;
    let scheduling = fields.text("schedulingType");
    let has_other_hosts =
        !scheduling.eq_ignore_ascii_case("collective") && (is_of_team || !scheduling.is_empty());
    waits || has_other_hosts || seats(fields).flatten().is_some()
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
    fn slot_may_stay_free_unless_a_booking_takes_all_of_it() {
        for (said, expected) in [
            (json!({}), false),
            (json!({"confirmationPolicy": {"disabled": true}}), false),
            (json!({"confirmationPolicy": {"type": "always"}}), true),
            (
                json!({"confirmationPolicy": {"type": "time", "noticeThreshold": {}}}),
                true,
            ),
            (
                json!({"confirmationPolicy": {
                    "type": "always", "blockUnconfirmedBookingsInBooker": true,
                }}),
                false,
            ),
            (json!({"price": 2500}), true),
            (json!({"schedulingType": "roundRobin"}), true),
            (json!({"schedulingType": "ROUND_ROBIN", "teamId": 3}), true),
            (json!({"schedulingType": "collective", "teamId": 3}), false),
            (json!({"schedulingType": "COLLECTIVE"}), false),
            (json!({"schedulingType": null, "teamId": null}), false),
            // A team's, and the service does not say how its hosts are chosen.
            (json!({"team": {"id": 1, "name": "Sales"}}), true),
            (json!({"seats": {"seatsPerTimeSlot": 5}}), true),
            (json!({"seatsPerTimeSlot": 5}), true),
            (json!({"seats": {"disabled": true}}), false),
        ] {
            let mut event_type = said.clone();
            event_type["id"] = json!(4);
            let offer = Offer::read(&event_type).unwrap();
            assert_eq!(offer.may_leave_slot_free, expected, "{said}");
        }
    }

    #[test]
    fn all_layouts_are_offered_unless_some_are_named() {
        use Layout::{Column, Month, Week};
        for (said, first, layouts) in [
            (json!(null), Month, vec![Month, Week, Column]),
            (
                json!({"enabledLayouts": null, "defaultLayout": "week"}),
                Week,
                vec![Month, Week, Column],
            ),
            (
                json!({"enabledLayouts": ["week", "month", "week", "tiles", 3]}),
                Month,
                vec![Month, Week],
            ),
            (
                json!({"enabledLayouts": ["month"], "defaultLayout": "column"}),
                Column,
                vec![Month, Column],
            ),
            (
                json!({"enabledLayouts": ["tiles"]}),
                Month,
                vec![Month, Week, Column],
            ),
            (json!({"enabledLayouts": ["week"]}), Week, vec![Week]),
            (json!("month"), Month, vec![Month, Week, Column]),
        ] {
            let offer = Offer::read(&json!({"id": 4, "bookerLayouts": said})).unwrap();
            assert_eq!((offer.layout, offer.layouts), (first, layouts), "{said}");
        }
    }

    #[test]
    fn settings_that_are_switched_off_are_absent_and_the_others_are_read() {
        let offer = |value: Value| Offer::read(&value).unwrap();
        let bare = offer(json!({"id": 4}));
        let off = json!({"disabled": true});
        let switched_off = offer(json!({
            "id": 4, "recurrence": null, "seats": off, "seatsPerTimeSlot": null, "price": null,
            "disableCancelling": {"disabled": false}, "disableRescheduling": null,
            "successRedirectUrl": null, "isInstantEvent": null,
        }));
        assert_eq!(switched_off, bare);
        assert_eq!(bare.terms, Terms::default());
        let full = offer(json!({
            "id": 4, "recurrence": {"interval": 2, "occurrences": 6, "frequency": "weekly"},
            "seats": {"seatsPerTimeSlot": 8}, "price": 2500, "currency": "eur",
            "disableCancelling": off, "disableRescheduling": {"minutesBefore": 60},
        }));
        assert_eq!(full.recurrence.map(|series| series.occurrences), Some(6));
        assert_eq!((full.seats, full.price), (Some(8), 2500));
        assert!(full.terms.no_cancelling && !full.terms.no_rescheduling);
        assert_eq!(full.terms.no_rescheduling_within, 60);
    }

    #[test]
    fn settings_for_elements_are_read() {
        let offer = Offer::read(&json!({
            "id": 4, "lockTimeZoneToggleOnBookingPage": true,
            "successRedirectUrl": "https://example.org/thanks",
        }))
        .unwrap();
        assert!(offer.locks_zone);
        let target = offer.success_redirect_url.as_deref();
        assert_eq!(target, Some("https://example.org/thanks"));
    }

    #[test]
    fn a_booking_holds_the_answers_of_its_visitor_and_nobody_elses() {
        let own = json!({
            "uid": "a", "status": "accepted", "start": "2027-03-29T07:00:00.000Z",
            "bookingFieldsResponses": {"topic": "Demo"},
        });
        let mut shared = json!({
            "uid": "a", "status": "accepted", "start": "2027-03-29T07:00:00.000Z",
            "attendees": [
                {"name": "Ada", "seatUid": "x", "bookingFieldsResponses": {"topic": "Secret"}},
                {"name": "Zoë", "seatUid": "s", "bookingFieldsResponses": {"topic": "Demo"}},
            ],
        });
        let topic = |value: &Value| {
            MadeBooking::read(value)
                .unwrap()
                .answers
                .get("topic")
                .cloned()
        };
        assert_eq!(topic(&own), Some(json!("Demo")));
        assert_eq!(topic(&shared), None);
        shared["seatUid"] = json!("s");
        assert_eq!(topic(&shared), Some(json!("Demo")));
    }

    #[test]
    fn an_answer_is_one_booking_or_the_meetings_of_a_series() {
        let one = json!({
            "uid": "a", "status": "pending", "start": "2027-03-29T07:00:00.000Z", "duration": 30,
            "hosts": [{"id": "unknown", "name": ""}, {"name": "Ada"}],
            "attendees": [{"name": "Zoë", "email": "zoe+1@example.org", "displayEmail": "zoe@example.org", "seatUid": "x"}],
            "seatUid": "s",
            "meetingUrl": "https://meet.example",
            "eventType": {"id": "41", "slug": "intro"},
        });
        let made = MadeBooking::read(&one).unwrap();
        assert_eq!(made.length(), 30);
        assert_eq!(made.host_names, ["Ada"]);
        assert_eq!(made.email, "zoe@example.org");
        assert_eq!(made.seat_uid.as_deref(), Some("s"));
        assert!(made.answers.is_empty());
        assert_eq!(made.location.as_deref(), Some("https://meet.example"));
        assert_eq!(
            (made.event_type_id, made.event_type_slug.as_str()),
            (41, "intro")
        );

        let read = |value: Value| MadeBookings::read(&value).map(|MadeBookings(all)| all);
        assert_eq!(read(one.clone()), Some(vec![made.clone()]));
        assert_eq!(read(json!([one, {"uid": "b"}])), Some(vec![made]));
        assert_eq!(read(json!([])), None);
    }
}
