//! Remaining time of a reservation, without DOM.

use booking_rules::limits::MAX_RESERVED_MINUTES;
use booking_wire::Reservation;
use booking_wire::formats::instant::MINUTE_MS;
use booking_wire::slots::DEFAULT_RESERVATION_MINUTES;

use crate::time::Instant;

/// Maximum remaining time that counts as plausible.
const MAX_RESERVATION_MS: i64 = 60 * 60_000;

/// Remaining time at which a reservation is renewed.
const RENEW_WITHIN_MS: i64 = 120_000;

/// Renewal of a reservation while the visitor fills in the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Renewal {
    /// First reservation.
    since: Instant,
    /// True after input since the last renewal.
    has_input: bool,
    /// True if the service declined to renew it.
    is_stopped: bool,
}

impl Renewal {
    /// Creates the state of a new reservation.
    pub(crate) fn since(since: Instant) -> Self {
        Self {
            since,
            has_input: false,
            is_stopped: false,
        }
    }

    /// Notes input of the visitor.
    pub(crate) fn note_input(&mut self) {
        self.has_input = true;
    }

    /// Stops renewing.
    pub(crate) fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// True if a reservation in `phase` is to be renewed at `now`. Returns it once for each input.
    pub(crate) fn take_due(&mut self, phase: ReservationPhase, now: Instant) -> bool {
        let is_due = self.has_input
            && !self.is_stopped
            && phase.is_renewable()
            && now.0.saturating_sub(self.since.0) + DEFAULT_RESERVATION_MINUTES * MINUTE_MS
                <= MAX_RESERVED_MINUTES * MINUTE_MS;
        self.has_input &= !is_due;
        is_due
    }
}

/// Milliseconds that a new reservation lasts. Its duration takes precedence over its end: the clock of this computer
/// may be wrong.
pub(crate) fn duration_ms(reservation: &Reservation, now: Instant) -> i64 {
    let left_ms = reservation.reservation_until.0.saturating_sub(now.0);
    match reservation.reservation_duration {
        Some(minutes) => minutes.saturating_mul(MINUTE_MS),
        None if (1..=MAX_RESERVATION_MS).contains(&left_ms) => left_ms,
        None => DEFAULT_RESERVATION_MINUTES * MINUTE_MS,
    }
}

/// Phase of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReservationPhase {
    /// Enough time.
    Active,
    /// Renewed if there was input.
    Renewable,
    /// At most a minute is left.
    LastMinute,
    /// Expired.
    Expired,
}

impl ReservationPhase {
    /// Phase of a reservation of `duration_ms` in all that ends in `left_ms`.
    pub(crate) fn of(left_ms: i64, duration_ms: i64) -> Self {
        match left_ms {
            left if left <= 0 => Self::Expired,
            left if left <= MINUTE_MS => Self::LastMinute,
            // Short ones are not renewed at once.
            left if left <= RENEW_WITHIN_MS.min(duration_ms / 2) => Self::Renewable,
            _ => Self::Active,
        }
    }

    /// True if it can be renewed.
    fn is_renewable(self) -> bool {
        matches!(self, Self::Renewable | Self::LastMinute)
    }
}

/// `4:05`. Digits do not depend on the language enough to justify a formatter that runs each second.
pub(crate) fn minutes_and_seconds(left_ms: i64) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

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
    fn renewal_is_due_once_after_input_near_the_end() {
        let start = at("2027-03-02T09:00:00Z");
        let after = |minutes: i64| start.plus_minutes(minutes);
        let mut renewal = Renewal::since(start);
        let mut take = |phase, minutes, has_input: bool| {
            if has_input {
                renewal.note_input();
            }
            renewal.take_due(phase, after(minutes))
        };
        assert!(!take(ReservationPhase::Renewable, 3, false), "no input");
        assert!(!take(ReservationPhase::Active, 1, true), "enough time");
        assert!(take(ReservationPhase::Renewable, 3, false), "earlier input");
        assert!(!take(ReservationPhase::Renewable, 3, false), "once");
        assert!(take(ReservationPhase::LastMinute, 7, true));
        assert!(!take(ReservationPhase::Expired, 12, true));
        assert!(take(ReservationPhase::Renewable, 25, false));
        assert!(!take(ReservationPhase::Renewable, 26, true), "half an hour");
    }

    #[test]
    fn renewal_stopped_is_never_due() {
        let start = at("2027-03-02T09:00:00Z");
        let mut renewal = Renewal::since(start);
        renewal.note_input();
        renewal.stop();
        assert!(!renewal.take_due(ReservationPhase::Renewable, start));
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
}
