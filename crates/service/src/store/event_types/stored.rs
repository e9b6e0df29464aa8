//! An event type as the service reads it.

use booking_wire::EventType;
use serde_json::{Value, json};

use crate::availability::Limit;
use crate::lifecycle::Policy;

/// The id of every group's event type: it is made up when it is asked for.
pub const GROUP_ID: i64 = 0;

/// An event type with what only the service needs to know.
#[derive(Clone, Debug)]
pub struct Stored {
    /// As it is written to clients, without `bookingUrl`.
    pub wire: EventType,
    /// The team's slug or the owner's user name.
    pub place: String,
    /// The team that its bookings belong to: its own, or that of the managed one it follows.
    pub team_of_bookings: Option<i64>,
    /// True if pending bookings block their slot.
    pub blocks_unconfirmed: bool,
    /// Policy for its bookings.
    pub policy: Policy,
    /// Limits on number and length of its bookings.
    pub limits: Vec<Limit>,
    /// True if starts leave the grid where that makes room for one more.
    pub optimized: bool,
}

impl Stored {
    /// Returns true if each visitor takes a seat of a shared booking.
    pub fn is_seated(&self) -> bool {
        self.seats().is_some()
    }

    /// Returns the number of seats of a shared booking; none if each visitor has their own booking.
    pub fn seats(&self) -> Option<i64> {
        let seats = self.wire.seats.get("seatsPerTimeSlot")?;
        let disabled = self.wire.seats.get("disabled").and_then(Value::as_bool);
        seats.as_i64().filter(|_| disabled != Some(true))
    }

    /// True if the hosts share one start, false if each has their own.
    pub fn is_collective(&self) -> bool {
        self.wire.scheduling_type.as_deref() == Some("collective")
    }

    /// Returns true for the event type of a group of people, which is not stored.
    pub fn is_group(&self) -> bool {
        self.wire.id == GROUP_ID
    }

    /// The people who host it, whether it is personal, a team's or a group's.
    pub fn host_ids(&self) -> Vec<i64> {
        let wire = &self.wire;
        let users = wire.users.iter().map(|user| user.id);
        let hosts = wire.hosts.iter().flatten().map(|host| host.id);
        users.chain(hosts).collect()
    }

    /// Returns true for a template of other event types.
    pub fn is_managed(&self) -> bool {
        self.wire.scheduling_type.as_deref() == Some("managed")
    }
}

/// Says of every setting that is an object whether it is in force.
pub(super) fn switch_off_the_unset(wire: &mut EventType) {
    for setting in [
        &mut wire.booking_window,
        &mut wire.booking_limits_count,
        &mut wire.booking_limits_duration,
        &mut wire.booker_active_bookings_limit,
        &mut wire.confirmation_policy,
        &mut wire.seats,
    ] {
        if setting.is_null() {
            *setting = json!({"disabled": true});
        }
    }
    for refusal in [&mut wire.disable_cancelling, &mut wire.disable_rescheduling] {
        if refusal.is_null() {
            *refusal = json!({"disabled": false});
        }
    }
}
