//! Rules of the flow after the slot is picked, without DOM.

use booking_wire::instant::MINUTE_MS;
use booking_wire::slots::DEFAULT_RESERVATION_MINUTES;
use booking_wire::{
    BookingPolicy, BookingStatus, BookingUid, PublicBooking, Reservation, Slot, SlotDays,
};

use crate::time::Instant;

/// Number of slots offered in place of a lost one.
const ALTERNATIVES: usize = 3;

/// Maximum number of reschedules followed: each costs a request.
pub(super) const MAX_SUCCESSORS: usize = 10;

const MAX_RESERVATION_MS: i64 = 60 * 60_000;

/// Remaining time at which a reservation is renewed on input.
const RENEW_WITHIN_MS: i64 = 120_000;

/// Free slots nearest to a lost one, ascending. Of two that are equally near the later one is nearer, because people
/// make plans forward.
pub(super) fn nearest_slots(days: &SlotDays, lost_slot: Instant) -> Vec<Slot> {
    let distance = |slot: &Slot| {
        let apart = slot.start.0 - lost_slot.0;
        (apart.abs(), apart < 0)
    };
    let mut found = Vec::<Slot>::with_capacity(ALTERNATIVES + 1);
    for slot in days.0.iter().flat_map(|(_, slots)| slots) {
        if slot.start == lost_slot {
            continue;
        }
        let index = found.partition_point(|known| distance(known) <= distance(slot));
        if index < ALTERNATIVES {
            found.insert(index, slot.clone());
            found.truncate(ALTERNATIVES);
        }
    }
    // Three elements: swapping neighbours is less code than a sort.
    for _ in 1..found.len() {
        for right in 1..found.len() {
            let starts = |at: usize| found.get(at).map(|slot| slot.start);
            if starts(right - 1) > starts(right) {
                found.swap(right - 1, right);
            }
        }
    }
    found
}

/// Milliseconds that a new reservation lasts. Its duration takes precedence over its end: the clock of this computer
/// may be wrong.
pub(super) fn duration_ms(reservation: &Reservation, now: Instant) -> i64 {
    let left_ms = reservation.reservation_until.0.saturating_sub(now.0);
    match reservation.reservation_duration {
        Some(minutes) => minutes.saturating_mul(MINUTE_MS),
        None if (1..=MAX_RESERVATION_MS).contains(&left_ms) => left_ms,
        None => DEFAULT_RESERVATION_MINUTES * MINUTE_MS,
    }
}

/// Phase of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReservationPhase {
    /// Enough time.
    Active,
    /// Renewed on input.
    Renewable,
    /// At most a minute is left.
    LastMinute,
    /// Expired.
    Expired,
}

impl ReservationPhase {
    /// Phase of a reservation of `duration_ms` in all that ends in `left_ms`.
    pub(super) fn of(left_ms: i64, duration_ms: i64) -> Self {
        match left_ms {
            left if left <= 0 => Self::Expired,
            left if left <= MINUTE_MS => Self::LastMinute,
            // Short ones are not renewed at once.
            left if left <= RENEW_WITHIN_MS.min(duration_ms / 2) => Self::Renewable,
            _ => Self::Active,
        }
    }

    /// True if input renews it.
    pub(super) fn is_renewed_on_input(self) -> bool {
        matches!(self, Self::Renewable | Self::LastMinute)
    }
}

/// `4:05`. Digits do not depend on the language enough to justify a formatter that runs each second.
pub(super) fn minutes_and_seconds(left_ms: i64) -> String {
    let seconds = (left_ms.max(0) + 999) / 1000;
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    let mut text = minutes.to_string();
    text.push(':');
    if seconds < 10 {
        text.push('0');
    }
    text.push_str(&seconds.to_string());
    text
}

/// URL of a page that shows a booking, from a pattern of the page's such as `/booking?id={uid}`. `uid` and `seat` are
/// encoded; `seat` may be empty.
pub(super) fn fill_url_pattern(pattern: &str, uid: &str, seat: &str) -> String {
    let mut url = String::with_capacity(pattern.len() + uid.len() + seat.len());
    for (index, part) in pattern.split('{').enumerate() {
        match part.split_once('}') {
            Some(("uid", rest)) if index > 0 => {
                url.push_str(uid);
                url.push_str(rest);
            }
            Some(("seat", rest)) if index > 0 => {
                url.push_str(seat);
                url.push_str(rest);
            }
            _ => {
                if index > 0 {
                    url.push('{');
                }
                url.push_str(part);
            }
        }
    }
    url
}

/// Booking that replaced `booking`, unless it is one of those `seen` or too many were: services may return a cycle.
pub(super) fn successor(seen: &[BookingUid], booking: &PublicBooking) -> Option<BookingUid> {
    let next = booking.rescheduled_to.clone()?;
    let is_replaced = booking.status == BookingStatus::Cancelled;
    let is_fresh = !seen.contains(&next) && seen.len() <= MAX_SUCCESSORS;
    (is_replaced && is_fresh).then_some(next)
}

/// State of a booking for its visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BookingState {
    /// Upcoming.
    Upcoming,
    /// Needs confirmation.
    Requested,
    /// Needs a payment.
    Unpaid,
    /// Waits for a host to join.
    AwaitingHost,
    /// Past.
    Past,
    /// Cancelled.
    Cancelled,
    /// Declined by a host.
    Declined,
}

impl BookingState {
    /// State of `booking` at `now`, whose event type costs `price`.
    pub(super) fn of(booking: &PublicBooking, price: i64, now: Instant) -> Self {
        match booking.status {
            BookingStatus::Cancelled => Self::Cancelled,
            BookingStatus::Rejected => Self::Declined,
            _ if booking.end <= now => Self::Past,
            BookingStatus::Pending if price > 0 => Self::Unpaid,
            BookingStatus::Pending => Self::Requested,
            BookingStatus::AwaitingHost => Self::AwaitingHost,
            _ => Self::Upcoming,
        }
    }
}

/// Availability of a booking action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ActionAvailability {
    /// Yes.
    Available,
    /// The event type forbids it.
    Forbidden,
    /// The start is too near.
    TooLate,
    /// Not applicable: there is nothing to explain.
    NotApplicable,
}

/// Checks if a visitor may reschedule (contract 6.3). The service checks it again.
pub(super) fn reschedule_availability(
    booking: &PublicBooking,
    state: BookingState,
    policy: BookingPolicy,
    now: Instant,
) -> ActionAvailability {
    let has_begun = booking.start <= now;
    match state {
        BookingState::Declined | BookingState::AwaitingHost => ActionAvailability::NotApplicable,
        BookingState::Cancelled
            if !policy.allows_cancelled_reschedule || booking.rescheduled_to.is_some() =>
        {
            ActionAvailability::NotApplicable
        }
        BookingState::Past if !policy.allows_past_reschedule => ActionAvailability::NotApplicable,
        _ if policy.is_reschedule_disabled => ActionAvailability::Forbidden,
        _ if has_begun && !policy.allows_past_reschedule => ActionAvailability::TooLate,
        _ if policy.min_reschedule_notice_minutes > 0
            && booking.start < now.plus_minutes(policy.min_reschedule_notice_minutes) =>
        {
            ActionAvailability::TooLate
        }
        _ => ActionAvailability::Available,
    }
}

/// Checks if a visitor may cancel a booking (contract 6.3).
pub(super) fn cancel_availability(
    state: BookingState,
    policy: BookingPolicy,
) -> ActionAvailability {
    match state {
        BookingState::Declined | BookingState::Cancelled | BookingState::Past => {
            ActionAvailability::NotApplicable
        }
        _ if policy.is_cancellation_disabled => ActionAvailability::Forbidden,
        _ => ActionAvailability::Available,
    }
}

/// True if redirects may lead to this scheme (`https:`) and origin: HTTP or HTTPS, and an origin that the page
/// trusts.
pub(super) fn is_redirect_allowed(scheme: &str, origin: &str, trusted: &[&str]) -> bool {
    let is_web = matches!(scheme, "https:" | "http:");
    let is_trusted = |known: &&str| known.trim_end_matches('/').eq_ignore_ascii_case(origin);
    is_web && trusted.iter().any(is_trusted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservation_without_duration_lasts_until_its_end() {
        let now = at("2027-03-02T09:00:00Z");
        for (duration, until, expected) in [
            (Some(3), "2027-03-02T09:20:00Z", 180_000),
            (None, "2027-03-02T09:20:00Z", 1_200_000),
            (None, "2027-03-02T09:00:30Z", 30_000),
            // Wrong clock.
            (None, "2027-03-02T08:50:00Z", 300_000),
            (None, "2027-03-03T09:00:00Z", 300_000),
        ] {
            let reservation = Reservation {
                event_type_id: 1,
                slot_start: now,
                slot_end: now,
                slot_duration: 30,
                reservation_uid: String::new(),
                reservation_duration: duration,
                reservation_until: at(until),
            };
            assert_eq!(
                duration_ms(&reservation, now),
                expected,
                "{duration:?} {until}"
            );
        }
    }

    #[test]
    fn url_pattern_unknown_placeholders_are_kept() {
        for (pattern, expected) in [
            ("/booking/{uid}/{seat}", "/booking/b1/s2"),
            ("/b?id={uid}&again={uid}", "/b?id=b1&again=b1"),
            ("/all", "/all"),
            ("/{name}/{uid", "/{name}/{uid"),
            ("uid}{uid}", "uid}b1"),
        ] {
            assert_eq!(fill_url_pattern(pattern, "b1", "s2"), expected, "{pattern}");
        }
        assert_eq!(fill_url_pattern("/{uid}/{seat}", "b1", ""), "/b1/");
    }
    use crate::time::CivilDate;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    fn days(starts: &[&str]) -> SlotDays {
        let mut days = SlotDays::default();
        for start in starts {
            let day: CivilDate = start[..10].parse().unwrap();
            let slot = Slot {
                start: at(start),
                seats_remaining: None,
                seats_booked: None,
            };
            match days.0.last_mut() {
                Some((known, slots)) if *known == day => slots.push(slot),
                _ => days.0.push((day, vec![slot])),
            }
        }
        days
    }

    #[test]
    fn nearest_slots_tie_goes_to_later_slot() {
        for (free, lost_slot, expected) in [
            (
                &[
                    "2027-03-09T15:00:00Z",
                    "2027-03-10T08:00:00Z",
                    "2027-03-10T10:00:00Z",
                    "2027-03-10T12:00:00Z",
                    "2027-03-11T09:00:00Z",
                ][..],
                "2027-03-10T09:00:00Z",
                &[
                    "2027-03-10T08:00:00Z",
                    "2027-03-10T10:00:00Z",
                    "2027-03-10T12:00:00Z",
                ][..],
            ),
            // Of two equally distant ones for the last position, the later one wins.
            (
                &[
                    "2027-03-10T07:00:00Z",
                    "2027-03-10T08:30:00Z",
                    "2027-03-10T09:30:00Z",
                    "2027-03-10T11:00:00Z",
                ],
                "2027-03-10T09:00:00Z",
                &[
                    "2027-03-10T08:30:00Z",
                    "2027-03-10T09:30:00Z",
                    "2027-03-10T11:00:00Z",
                ],
            ),
            (
                &["2027-03-01T09:00:00Z", "2027-03-20T09:00:00Z"],
                "2027-03-10T09:00:00Z",
                &["2027-03-01T09:00:00Z", "2027-03-20T09:00:00Z"],
            ),
            // A lost slot is no alternative, even if the response still lists it.
            (&["2027-03-10T09:00:00Z"], "2027-03-10T09:00:00Z", &[]),
            (&[], "2027-03-10T09:00:00Z", &[]),
        ] {
            let found: Vec<Instant> = nearest_slots(&days(free), at(lost_slot))
                .into_iter()
                .map(|slot| slot.start)
                .collect();
            let expected: Vec<Instant> = expected.iter().map(|text| at(text)).collect();
            assert_eq!(found, expected, "{lost_slot}");
        }
    }

    #[test]
    fn reservation_phase_is_renewable_near_end_only() {
        const FIVE: i64 = 300_000;
        for (left, lasts, phase) in [
            (FIVE, FIVE, ReservationPhase::Active),
            (120_001, FIVE, ReservationPhase::Active),
            (120_000, FIVE, ReservationPhase::Renewable),
            (60_000, FIVE, ReservationPhase::LastMinute),
            (1, FIVE, ReservationPhase::LastMinute),
            (0, FIVE, ReservationPhase::Expired),
            (-5_000, FIVE, ReservationPhase::Expired),
            (110_000, 120_000, ReservationPhase::Active),
        ] {
            assert_eq!(
                ReservationPhase::of(left, lasts),
                phase,
                "{left} of {lasts}"
            );
        }
    }

    #[test]
    fn minutes_and_seconds_pads_seconds() {
        for (left, text) in [
            (300_000, "5:00"),
            (299_001, "5:00"),
            (65_000, "1:05"),
            (1, "0:01"),
            (-1, "0:00"),
        ] {
            assert_eq!(minutes_and_seconds(left), text, "{left}");
        }
    }

    fn booking(uid: &str, rescheduled_to: Option<&str>) -> PublicBooking {
        PublicBooking {
            uid: BookingUid(uid.into()),
            status: BookingStatus::Cancelled,
            rescheduled_to: rescheduled_to.map(|uid| BookingUid(uid.into())),
            ..PublicBooking::default()
        }
    }

    #[test]
    fn successor_cycle_is_not_followed() {
        let uid = |text: &str| BookingUid(text.into());
        let a = booking("a", Some("b"));
        assert_eq!(successor(&[uid("a")], &a), Some(uid("b")));
        assert_eq!(successor(&[uid("b"), uid("a")], &a), None);
        assert_eq!(successor(&[uid("a")], &booking("a", None)), None);
        let many: Vec<BookingUid> = (0..=MAX_SUCCESSORS)
            .map(|number| uid(&number.to_string()))
            .collect();
        assert_eq!(successor(&many[..MAX_SUCCESSORS], &a), Some(uid("b")));
        assert_eq!(successor(&[many, vec![uid("x")]].concat(), &a), None);
        let state = PublicBooking {
            status: BookingStatus::Accepted,
            ..a
        };
        assert_eq!(successor(&[uid("a")], &state), None);
    }

    #[test]
    fn actions_availability_follows_state_and_policy() {
        let now = at("2027-03-10T09:00:00Z");
        let free = BookingPolicy::default();
        let strict = BookingPolicy {
            is_cancellation_disabled: true,
            is_reschedule_disabled: true,
            ..free
        };
        let near = BookingPolicy {
            min_reschedule_notice_minutes: 120,
            ..free
        };
        let lenient = BookingPolicy {
            allows_past_reschedule: true,
            allows_cancelled_reschedule: true,
            ..free
        };
        let make = |status: BookingStatus, start: &str| PublicBooking {
            status,
            start: at(start),
            end: at(start).plus_minutes(30),
            ..PublicBooking::default()
        };
        let soon = "2027-03-10T10:00:00Z";
        let gone = "2027-03-10T08:00:00Z";
        let running = "2027-03-10T08:45:00Z";
        for (status, start, policy, reschedule, cancel) in [
            (
                BookingStatus::Accepted,
                soon,
                free,
                ActionAvailability::Available,
                ActionAvailability::Available,
            ),
            (
                BookingStatus::Accepted,
                soon,
                strict,
                ActionAvailability::Forbidden,
                ActionAvailability::Forbidden,
            ),
            (
                BookingStatus::Accepted,
                soon,
                near,
                ActionAvailability::TooLate,
                ActionAvailability::Available,
            ),
            (
                BookingStatus::Pending,
                soon,
                free,
                ActionAvailability::Available,
                ActionAvailability::Available,
            ),
            (
                BookingStatus::Accepted,
                running,
                free,
                ActionAvailability::TooLate,
                ActionAvailability::Available,
            ),
            (
                BookingStatus::Accepted,
                gone,
                free,
                ActionAvailability::NotApplicable,
                ActionAvailability::NotApplicable,
            ),
            (
                BookingStatus::Accepted,
                gone,
                lenient,
                ActionAvailability::Available,
                ActionAvailability::NotApplicable,
            ),
            (
                BookingStatus::Cancelled,
                soon,
                free,
                ActionAvailability::NotApplicable,
                ActionAvailability::NotApplicable,
            ),
            (
                BookingStatus::Cancelled,
                soon,
                lenient,
                ActionAvailability::Available,
                ActionAvailability::NotApplicable,
            ),
            (
                BookingStatus::Rejected,
                soon,
                lenient,
                ActionAvailability::NotApplicable,
                ActionAvailability::NotApplicable,
            ),
        ] {
            let booking = make(status.clone(), start);
            let state = BookingState::of(&booking, 0, now);
            let found = (
                reschedule_availability(&booking, state, policy, now),
                cancel_availability(state, policy),
            );
            assert_eq!(found, (reschedule, cancel), "{status:?} {start} {policy:?}");
        }
        let paid = make(BookingStatus::Pending, soon);
        assert_eq!(BookingState::of(&paid, 2500, now), BookingState::Unpaid);
    }

    #[test]
    fn redirect_untrusted_origin_is_rejected() {
        let trusted = ["https://shop.example", "https://book.example/"];
        for (scheme, origin, expected) in [
            ("https:", "https://shop.example", true),
            ("https:", "https://book.example", true),
            ("https:", "https://shop.example.evil.example", false),
            ("http:", "http://shop.example", false),
            ("javascript:", "null", false),
            ("javascript:", "https://shop.example", false),
            ("data:", "null", false),
        ] {
            assert_eq!(
                is_redirect_allowed(scheme, origin, &trusted),
                expected,
                "{scheme} {origin}"
            );
        }
    }
}
