//! Settings of an event type that its bookings follow.

use booking_wire::{Fields, PublicEventType, Read};
use serde_json::Value;

/// Settings of an event type for the status of its bookings, and for actions on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
        event_type.booking_settings.read_as().unwrap_or_default()
    }

    /// Returns the policy in the settings of an event type; the default of what is not an object.
    pub fn of_settings(settings: &Value) -> Self {
        Self::read(settings).unwrap_or_default()
    }

    /// Returns true if a new booking can be pending.
    pub fn can_be_pending(&self) -> bool {
        self.price > 0 || self.confirmation != Confirmation::Never
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
            confirmation: Confirmation::of(confirmation),
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
    fn of(setting: Option<Fields<'_>>) -> Self {
        let Some(setting) = setting.filter(|setting| !setting.flag("disabled")) else {
            return Self::Never;
        };
        match setting.text("type").as_str() {
            "always" => Self::Always,
            "time" => Self::Within(setting.object("noticeThreshold").map_or(0, |threshold| {
                let count = threshold.integer("count");
                match threshold.text("unit").as_str() {
                    "hours" => count.saturating_mul(60),
                    _ => count,
                }
            })),
            _ => Self::Never,
        }
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
