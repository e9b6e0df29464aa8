//! Bookable starts, grouped by day (contract 3.4.1), and short holds on them (3.4.2).

use serde::Serialize;
use serde_json::Value;

use crate::booking::BookingUid;
use crate::event_type::EventTypeKey;
use crate::instant::parse_date;
use crate::instant::{CivilDate, Instant};
use crate::read::{Fields, Read};

/// A bookable start.
///
/// Its written form is kept: the service chose the offset, and a booking sends the same moment
/// back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Slot {
    /// When it starts.
    pub start: Instant,
    /// Seated event types only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats_remaining: Option<i64>,
    /// Seats that are booked, as some services tell instead.
    #[serde(skip)]
    pub seats_booked: Option<i64>,
}

impl Slot {
    /// Computes the seats that are left of `seats`, where the service does not tell.
    fn count_seats(&mut self, seats: Option<i64>) {
        if let (None, Some(seats), Some(booked)) = (self.seats_remaining, seats, self.seats_booked)
        {
            self.seats_remaining = Some(seats.saturating_sub(booked).max(0));
        }
    }
}

/// Services send objects; the published schema says plain strings. Both are read.
impl Read for Slot {
    fn read(value: &Value) -> Option<Self> {
        if let Some(start) = Instant::read(value) {
            return Some(Self {
                start,
                seats_remaining: None,
                seats_booked: None,
            });
        }
        let fields = Fields::of(value)?;
        if fields.flag("away") {
            // Shown by some services where the host is absent; it cannot be booked.
            return None;
        }
        let seats_booked: Option<i64> = fields.get("seatsBooked")?;
        let mut slot = Self {
            start: fields.get("start")?,
            seats_remaining: fields.get("seatsRemaining")?,
            seats_booked: seats_booked.or(fields.get("attendeesCount")?),
        };
        slot.count_seats(fields.get("seatsTotal")?);
        Some(slot)
    }
}

/// The slots of each day that has any, ascending. Days are those of the zone that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotDays(pub Vec<(CivilDate, Vec<Slot>)>);

impl SlotDays {
    /// The slots of one day, ascending.
    pub fn on(&self, day: CivilDate) -> &[Slot] {
        self.0
            .iter()
            .find(|(known, _)| *known == day)
            .map_or(&[], |(_, slots)| slots)
    }

    /// Computes the seats that are left in each slot, where the service does not tell. `seats`: seats of one slot.
    pub fn with_seats(mut self, seats: Option<i64>) -> Self {
        for (_, slots) in &mut self.0 {
            for slot in slots {
                slot.count_seats(seats);
            }
        }
        self
    }

    /// The first day at or after `day` that has a slot.
    pub fn first_from(&self, day: CivilDate) -> Option<CivilDate> {
        self.0
            .iter()
            .map(|(day, _)| *day)
            .find(|known| *known >= day)
    }
}

impl Read for SlotDays {
    fn read(value: &Value) -> Option<Self> {
        let mut days = Vec::<(CivilDate, Vec<Slot>)>::new();
        for (day, slots) in value.as_object()? {
            let Some(day) = parse_date(day) else { continue };
            let Some(slots) = Vec::<Slot>::read(slots) else {
                continue;
            };
            let slots = in_order(slots);
            if !slots.is_empty() {
                let place = days.partition_point(|(known, _)| *known < day);
                days.insert(place, (day, slots));
            }
        }
        Some(Self(days))
    }
}

/// Ascending, each start once. Services send them so; the others cost a search for each slot, which
/// is less code than a sort.
fn in_order(slots: Vec<Slot>) -> Vec<Slot> {
    let mut ordered = Vec::<Slot>::with_capacity(slots.len());
    for slot in slots {
        let place = ordered.partition_point(|known| known.start < slot.start);
        if ordered
            .get(place)
            .is_none_or(|known| known.start != slot.start)
        {
            ordered.insert(place, slot);
        }
    }
    ordered
}

/// What a client asks GET /v2/slots for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotsQuery {
    /// The event type's id or its owner's name and slug.
    pub event_type: EventTypeKey,
    /// Inclusive.
    pub start: Instant,
    /// Inclusive.
    pub end: Instant,
    /// IANA id; decides the day keys.
    pub time_zone: String,
    /// Minutes, if the event type offers several lengths.
    pub duration: Option<i64>,
    /// The booking that is to be moved: its own time counts as free.
    pub moved: Option<BookingUid>,
}

impl SlotsQuery {
    /// Name and value of each query parameter. Services refuse any other (contract 3.4.1).
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = match &self.event_type {
            EventTypeKey::Id(id) => vec![("eventTypeId", id.to_string())],
            EventTypeKey::User { username, slug } => {
                vec![
                    ("username", username.clone()),
                    ("eventTypeSlug", slug.clone()),
                ]
            }
            // A team is asked by its slug, which a page that holds the team's id does not know:
            // such a caller looks the event type up first and asks by id.
            EventTypeKey::Team { .. } => Vec::new(),
        };
        pairs.push(("start", self.start.to_string()));
        pairs.push(("end", self.end.to_string()));
        pairs.push(("timeZone", self.time_zone.clone()));
        if let Some(duration) = self.duration {
            pairs.push(("duration", duration.to_string()));
        }
        if let Some(BookingUid(uid)) = &self.moved {
            pairs.push(("bookingUidToReschedule", uid.clone()));
        }
        pairs
    }
}

/// What a client asks POST /v2/slots/reservations for, and PATCH of one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewReservation {
    /// What is going to be booked.
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub event_type_id: i64,
    /// An offered start.
    pub slot_start: Instant,
    /// Minutes of the meeting: one of the event type's lengths.
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot_duration: Option<i64>,
    /// Minutes that the hold lasts, 5 unless told otherwise. Only those who own, host or run the
    /// event type may say.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 60))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reservation_duration: Option<i64>,
}

/// A short hold on a slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reservation {
    /// What is held.
    pub event_type_id: i64,
    /// When the meeting would start.
    pub slot_start: Instant,
    /// When it would end.
    pub slot_end: Instant,
    /// Minutes between the two.
    pub slot_duration: i64,
    /// Sent with the booking as `reservedSlotUid`. Whoever knows it may move and end the hold.
    pub reservation_uid: String,
    /// Minutes that the hold lasts; told when it is made or renewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reservation_duration: Option<i64>,
    /// When the hold ends by itself.
    pub reservation_until: Instant,
}

impl Read for Reservation {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            event_type_id: fields.integer("eventTypeId"),
            slot_start: fields.get("slotStart")?,
            slot_end: fields.get("slotEnd")?,
            slot_duration: fields.integer("slotDuration"),
            reservation_uid: fields.get("reservationUid")?,
            reservation_duration: fields.get("reservationDuration")?,
            reservation_until: fields.get("reservationUntil")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn seats_that_are_left_are_computed_from_what_the_service_tells() {
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
    fn slots_of_absent_hosts_are_not_offered() {
        let days = json!({"2027-03-02": [
            {"start": "2027-03-02T09:00:00.000Z", "away": true},
            {"start": "2027-03-02T10:00:00.000Z", "away": false},
        ]});
        let days = SlotDays::read(&days).unwrap();
        let (_, slots) = days.0.first().unwrap();
        assert_eq!(slots.len(), 1);
    }
}
