//! Slots, grouped by day, and reservations of slots.

use booking_wire_macros::wire;
use serde_json::Value;

use crate::booking::BookingUid;
use crate::event_type::EventTypeKey;
use crate::formats::instant::parse_date;
use crate::formats::instant::{CivilDate, Instant};
use crate::read::{Fields, Read};

/// A slot: a bookable start.
#[wire(write)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Start.
    pub start: Instant,
    /// Seated event types only.
    pub seats_remaining: Option<i64>,
    /// Number of booked seats, which some services send instead.
    #[wire(skip)]
    pub seats_booked: Option<i64>,
    /// Offset in minutes with which the start was sent.
    #[wire(skip)]
    pub offset_minutes: Option<i64>,
}

impl Slot {
    /// Returns a slot without seats.
    pub fn new(start: Instant) -> Self {
        Self {
            start,
            seats_remaining: None,
            seats_booked: None,
            offset_minutes: None,
        }
    }

    fn parse(start: &Value) -> Option<Self> {
        let (start, offset_minutes) = Instant::parse_with_offset(start.as_str()?)?;
        Some(Self {
            offset_minutes,
            ..Self::new(start)
        })
    }

    /// Computes the remaining seats of `seats` if the service did not send them.
    fn count_seats(&mut self, seats: Option<i64>) {
        if let (None, Some(seats), Some(booked)) = (self.seats_remaining, seats, self.seats_booked)
        {
            self.seats_remaining = Some(seats.saturating_sub(booked).max(0));
        }
    }
}

/// Services send objects; the published schema has strings. Both are read.
impl Read for Slot {
    fn read(value: &Value) -> Option<Self> {
        if let Some(slot) = Self::parse(value) {
            return Some(slot);
        }
        let fields = Fields::of(value)?;
        if fields.flag("away") {
            // Sent by some services if the host is absent; it cannot be booked.
            return None;
        }
        let seats_booked: Option<i64> = fields.get("seatsBooked")?;
        let mut slot = Self {
            seats_remaining: fields.get("seatsRemaining")?,
            seats_booked: seats_booked.or(fields.get("attendeesCount")?),
            ..Self::parse(fields.value("start")?)?
        };
        slot.count_seats(fields.get("seatsTotal")?);
        Some(slot)
    }
}

/// Slots by day, ascending, without empty days. Days are those of the requested time zone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotDays(pub Vec<(CivilDate, Vec<Slot>)>);

impl SlotDays {
    /// Returns the slots of one day, ascending.
    pub fn on(&self, day: CivilDate) -> &[Slot] {
        self.0
            .iter()
            .find(|(known, _)| *known == day)
            .map_or(&[], |(_, slots)| slots)
    }

    /// Computes the remaining seats of each slot if the service did not send them. `seats`: seats
    /// of one slot.
    pub fn with_seats(mut self, seats: Option<i64>) -> Self {
        for (_, slots) in &mut self.0 {
            for slot in slots {
                slot.count_seats(seats);
            }
        }
        self
    }

    /// Returns the first day at or after `day` that has a slot.
    pub fn first_from(&self, day: CivilDate) -> Option<CivilDate> {
        self.0
            .iter()
            .map(|(day, _)| *day)
            .find(|known| *known >= day)
    }
}

impl Read for SlotDays {
    /// `None` also if there are slots of present hosts and none of them can be read.
    fn read(value: &Value) -> Option<Self> {
        let mut days = Vec::<(CivilDate, Vec<Slot>)>::new();
        let mut has_unreadable = false;
        for (day, slots) in value.as_object()? {
            let mut present = slots.as_array().into_iter().flatten();
            has_unreadable |= present.any(|slot| slot.get("away") != Some(&Value::Bool(true)));
            let Some(day) = parse_date(day) else { continue };
            let Some(slots) = Vec::<Slot>::read(slots) else {
                continue;
            };
            let slots = sorted_unique(slots);
            if !slots.is_empty() {
                let index = days.partition_point(|(known, _)| *known < day);
                days.insert(index, (day, slots));
            }
        }
        (!days.is_empty() || !has_unreadable).then_some(Self(days))
    }
}

/// Sorts the slots and removes repeated starts. Services usually send them sorted; inserting by
/// binary search is less code than a sort.
fn sorted_unique(slots: Vec<Slot>) -> Vec<Slot> {
    let mut ordered = Vec::<Slot>::with_capacity(slots.len());
    for slot in slots {
        let index = ordered.partition_point(|known| known.start < slot.start);
        if ordered
            .get(index)
            .is_none_or(|known| known.start != slot.start)
        {
            ordered.insert(index, slot);
        }
    }
    ordered
}

/// Query parameters of GET /v2/slots.
#[wire(query)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotsQuery {
    /// Key of the event type.
    #[wire(flatten)]
    pub event_type: EventTypeKey,
    /// Inclusive.
    pub start: Instant,
    /// Inclusive.
    pub end: Instant,
    /// IANA id; decides the day keys.
    pub time_zone: String,
    /// Minutes, if the event type offers several lengths.
    pub duration: Option<i64>,
    /// The booking to reschedule: its time counts as free.
    #[wire(key = "bookingUidToReschedule")]
    pub rescheduled_uid: Option<BookingUid>,
    /// Number of meetings of the series that begins at `start`, for the slots on the days of the others. Only for services
    /// with this extension.
    pub recurrence_count: Option<i64>,
}

/// Minutes that a reservation lasts unless the request has a `reservationDuration`.
pub const DEFAULT_RESERVATION_MINUTES: i64 = 5;

/// The body of POST /v2/slots/reservations and of PATCH of a reservation.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewReservation {
    /// Event type to book.
    #[schema(minimum = 1)]
    pub event_type_id: i64,
    /// Start of a slot.
    pub slot_start: Instant,
    /// Length of the booking in minutes: one of the event type's lengths.
    #[schema(minimum = 1)]
    pub slot_duration: Option<i64>,
    /// Duration of the reservation in minutes, 5 by default. Can be set by owners, hosts and
    /// administrators of the event type only.
    #[schema(minimum = 1, maximum = 60)]
    pub reservation_duration: Option<i64>,
}

/// A reservation of a slot.
#[wire(read, write)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Event type.
    pub event_type_id: i64,
    /// Start of the slot.
    #[wire(required)]
    pub slot_start: Instant,
    /// End of the slot.
    #[wire(required)]
    pub slot_end: Instant,
    /// Minutes from start to end.
    pub slot_duration: i64,
    /// Sent with the booking as `reservedSlotUid`. Gives permission to change and delete the
    /// reservation.
    #[wire(required)]
    pub reservation_uid: String,
    /// Duration of the reservation in minutes; sent when it is created or renewed.
    pub reservation_duration: Option<i64>,
    /// Expiry of the reservation.
    #[wire(required)]
    pub reservation_until: Instant,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn remaining_seats_are_computed_from_total_and_booked() {
        let start = "2027-03-02T09:00:00.000Z";
        for (slot, seats, expected) in [
            (
                json!({"start": start, "seatsRemaining": 2, "seatsTotal": 9, "seatsBooked": 1}),
                Some(9),
                Some(2),
            ),
            (
                json!({"start": start, "seatsTotal": 5, "seatsBooked": 3}),
                None,
                Some(2),
            ),
            (
                json!({"start": start, "attendeesCount": 3}),
                Some(5),
                Some(2),
            ),
            (json!({"start": start, "seatsBooked": 7}), Some(5), Some(0)),
            (json!({"start": start, "attendeesCount": 3}), None, None),
            (json!({"start": start}), Some(5), None),
            (json!(start), Some(5), None),
        ] {
            let days = SlotDays::read(&json!({"2027-03-02": [slot]}))
                .unwrap()
                .with_seats(seats);
            let (_, slots) = days.0.first().unwrap();
            assert_eq!(slots.first().unwrap().seats_remaining, expected, "{slot}");
        }
    }

    #[test]
    fn slots_of_absent_hosts_are_dropped() {
        let days = json!({"2027-03-02": [
            {"start": "2027-03-02T09:00:00.000Z", "away": true},
            {"start": "2027-03-02T10:00:00.000Z", "away": false},
        ]});
        let days = SlotDays::read(&days).unwrap();
        let (_, slots) = days.0.first().unwrap();
        assert_eq!(slots.len(), 1);
    }

    #[test]
    fn slots_that_cannot_be_read_are_no_empty_days() {
        let away = json!({"start": "2027-03-02T09:00:00.000Z", "away": true});
        let slot = json!({"start": "2027-03-02T10:00:00.000Z"});
        for (slots, expected) in [
            (json!({}), Some(0)),
            (json!({"2027-03-02": []}), Some(0)),
            (json!({"2027-03-02": [away]}), Some(0)),
            (
                json!({"2027-03-02": [{"start": {}}], "2027-03-03": [slot]}),
                Some(1),
            ),
            (
                json!({"2027-03-02": [{"start": {}}, {}], "2027-03-03": []}),
                None,
            ),
            (json!({"Tuesday": [slot]}), None),
        ] {
            let days = SlotDays::read(&slots);
            assert_eq!(days.map(|days| days.0.len()), expected, "{slots}");
        }
    }
}
