//! Settings of an event type that its bookings follow.

use booking_wire::event_type::public_event_type::seats;
use booking_wire::{Fields, PublicEventType, Read};
use serde_json::Value;

/// Settings of an event type for the status of its bookings, and for actions on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Price in minor units; above 0 a booking is pending until it is paid.
    pub price: i64,
    /// Rule for confirmation by a host.
    pub confirmation: Confirmation,
    /// True if pending bookings block their hosts' time.
    pub pending_blocks_time: bool,
    /// True if bookings cannot be cancelled.
    pub is_cancelling_disabled: bool,
    /// Restriction of rescheduling.
    pub rescheduling_restriction: Restriction,
    /// True if a booking may be rescheduled after its start.
    pub allows_rescheduling_past: bool,
    /// True if a cancelled booking may be rescheduled.
    pub allows_rescheduling_cancelled: bool,
    /// True if a code verifies the e-mail address of the person who books.
    pub requires_verified_email: bool,
}

/// Rule for confirmation by a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Confirmation {
    /// No booking is confirmed by a host.
    #[default]
    Never,
    /// Each booking.
    Always,
    /// Bookings that start in less than this number of minutes.
    Within(i64),
}

/// Rule that forbids an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restriction {
    /// Always allowed.
    #[default]
    Never,
    /// Always forbidden.
    Always,
    /// Forbidden if the start is in less than this number of minutes.
    Within(i64),
}

impl Policy {
    /// Returns the policy of an event type as visitors see it.
    pub fn of(event_type: &PublicEventType) -> Self {
        Self::of_settings(event_type.booking_settings.value())
    }

    /// Returns the policy in the settings of an event type; the default of what is not an object.
    pub fn of_settings(settings: &Value) -> Self {
        Self::read(settings).unwrap_or_default()
    }

    /// Returns true if a new booking can be pending without blocking its hosts' time.
    fn can_leave_time_free(&self) -> bool {
        let can_be_pending = self.price > 0 || self.confirmation != Confirmation::Never;
        can_be_pending && !self.pending_blocks_time
    }
}

/// Reads the settings of an event type.
impl Read for Policy {
    fn read(settings: &Value) -> Option<Self> {
        let fields = Fields::of(settings)?;
        let confirmation = fields.object("confirmationPolicy");
        let cancelling = fields.object("disableCancelling");
        Some(Self {
            price: fields.integer("price"),
            confirmation: fields.get("confirmationPolicy")?,
            pending_blocks_time: confirmation
                .is_some_and(|setting| setting.flag("blockUnconfirmedBookingsInBooker")),
            is_cancelling_disabled: cancelling.is_some_and(|setting| setting.flag("disabled")),
            rescheduling_restriction: Restriction::of(fields.object("disableRescheduling")),
            allows_rescheduling_past: fields.flag("allowReschedulingPastBookings"),
            allows_rescheduling_cancelled: fields.flag("allowReschedulingCancelledBookings"),
            requires_verified_email: fields.flag("requiresBookerEmailVerification"),
        })
    }
}

impl Confirmation {
    /// Returns the rule of an event type as visitors see it.
    pub fn of(event_type: &PublicEventType) -> Self {
        let settings = Fields::of(event_type.booking_settings.value());
        let rule = settings.and_then(|settings| settings.get("confirmationPolicy"));
        rule.unwrap_or_default()
    }
}

/// Reads a `confirmationPolicy`.
impl Read for Confirmation {
    fn read(setting: &Value) -> Option<Self> {
        let setting = Fields::of(setting).filter(|setting| !setting.flag("disabled"))?;
        Some(match setting.text("type").as_str() {
            "always" => Self::Always,
            "time" => Self::Within(setting.object("noticeThreshold").map_or(0, |threshold| {
                let count = threshold.integer("count");
                match threshold.text("unit").as_str() {
                    "hours" => count.saturating_mul(60),
                    _ => count,
                }
            })),
            _ => Self::Never,
        })
    }

    fn absent() -> Option<Self> {
        Some(Self::Never)
    }
}

impl Restriction {
    fn of(setting: Option<Fields<'_>>) -> Self {
        match setting {
            Some(setting) if setting.flag("disabled") => Self::Always,
            Some(setting) => match setting.integer("minutesBefore") {
                minutes @ 1.. => Self::Within(minutes),
                _ => Self::Never,
            },
            None => Self::Never,
        }
    }
}

/// Returns true if a slot may stay free after it was booked: it has seats, a booking waits for a host or a payment, or
/// another host can take the next one. A free slot then does not prove that a booking failed.
pub fn may_leave_slot_free(event_type: &PublicEventType) -> bool {
    let Some(fields) = Fields::of(event_type.booking_settings.value()) else {
        return false;
    };
    let is_of_team = fields.object("team").is_some() || fields.integer("teamId") > 0;
    let scheduling = fields.text("schedulingType");
    let has_other_hosts =
        !scheduling.eq_ignore_ascii_case("collective") && (is_of_team || !scheduling.is_empty());
    Policy::of(event_type).can_leave_time_free()
        || has_other_hosts
        || seats(fields).flatten().is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event_type(mut settings: Value) -> PublicEventType {
        settings["id"] = json!(4);
        PublicEventType::read(&settings).unwrap()
    }

    #[test]
    fn confirmation_is_needed_unless_disabled() {
        for (setting, expected) in [
            (json!({"type": "always"}), Confirmation::Always),
            (
                json!({"type": "always", "disabled": true}),
                Confirmation::Never,
            ),
            (json!({"disabled": true}), Confirmation::Never),
            (json!(null), Confirmation::Never),
            (
                json!({"type": "time", "noticeThreshold": {"unit": "hours", "count": 2}}),
                Confirmation::Within(120),
            ),
        ] {
            let event_type = event_type(json!({"confirmationPolicy": setting}));
            assert_eq!(Confirmation::of(&event_type), expected, "{setting}");
            assert_eq!(Policy::of(&event_type).confirmation, expected, "{setting}");
        }
    }

    #[test]
    fn slot_stays_free_after_booking_only_if_it_has_capacity() {
        for (value, expected) in [
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
            (
                json!({"confirmationPolicy": {"type": "always", "disabled": true}}),
                false,
            ),
            (json!({"price": 2500}), true),
            (json!({"schedulingType": "roundRobin"}), true),
            (json!({"schedulingType": "ROUND_ROBIN", "teamId": 3}), true),
            (json!({"schedulingType": "collective", "teamId": 3}), false),
            (json!({"schedulingType": "COLLECTIVE"}), false),
            (json!({"schedulingType": null, "teamId": null}), false),
            // Team event type without a scheduling type.
            (json!({"team": {"id": 1, "name": "Sales"}}), true),
            (json!({"seats": {"seatsPerTimeSlot": 5}}), true),
            (json!({"seatsPerTimeSlot": 5}), true),
            (json!({"seats": {"disabled": true}}), false),
        ] {
            let found = may_leave_slot_free(&event_type(value.clone()));
            assert_eq!(found, expected, "{value}");
        }
    }
}
