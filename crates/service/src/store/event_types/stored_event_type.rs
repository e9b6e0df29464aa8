//! An event type for reads.

use booking_rules::Policy;
use booking_rules::availability::Limit;
use booking_wire::EventType;
use serde_json::{Value, json};

use crate::store::visibility::VisibilitySettings;
use crate::store::{Locks, Resource};

/// Id of the event type of every group, which is not stored.
pub const GROUP_ID: i64 = 0;

/// An event type with the data that only the service needs.
#[derive(Clone, Debug)]
pub struct StoredEventType {
    /// Wire type, without `bookingUrl`.
    pub wire: EventType,
    /// Slug of the team or user name of the owner.
    pub owner_slug: String,
    /// Team of its bookings: its own team, or that of its managed parent.
    pub booking_team_id: Option<i64>,
    /// Organization of its bookings: that of the team, or of the owner.
    pub organization_id: Option<i64>,
    /// Policy for its bookings.
    pub policy: Policy,
    /// Limits on number and length of its bookings.
    pub limits: Vec<Limit>,
    /// True if starts can leave the grid where that gives one more slot.
    pub optimized: bool,
    /// Visibility of its bookings to callers who only know their uids.
    pub visibility: VisibilitySettings,
}

impl StoredEventType {
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

    /// Returns true if all hosts take part in each booking.
    pub fn is_collective(&self) -> bool {
        self.wire.scheduling_type.as_deref() == Some("collective")
    }

    /// Returns true for the event type of a dynamic group, which is not stored.
    pub fn is_group(&self) -> bool {
        self.wire.id == GROUP_ID
    }

    /// Returns the user ids of its hosts, for event types of users, teams and groups.
    pub fn host_ids(&self) -> Vec<i64> {
        let wire = &self.wire;
        let users = wire.users.iter().map(|user| user.id);
        let hosts = wire.hosts.iter().flatten().map(|host| host.id);
        users.chain(hosts).collect()
    }

    /// Returns locks that keep out writers that book or reserve its times or times of its hosts, and edits of its
    /// organization.
    pub fn locks(&self) -> Locks {
        let locks = lock_times(Locks::none(), self.wire.id, &self.host_ids());
        match (self.organization_id, self.booking_team_id) {
            (Some(id), _) => locks.and_share(Resource::Organization(id)),
            (None, Some(id)) => locks.and_share(Resource::Team(id)),
            (None, None) => locks,
        }
    }

    /// Returns true for a template of other event types.
    pub fn is_managed(&self) -> bool {
        self.wire.scheduling_type.as_deref() == Some("managed")
    }
}

/// Adds the locks of an event type, unless it is that of a group, and of hosts.
pub fn lock_times(mut locks: Locks, event_type_id: i64, host_ids: &[i64]) -> Locks {
    if event_type_id != GROUP_ID {
        locks = locks.and(Resource::EventType(event_type_id));
    }
    host_ids
        .iter()
        .fold(locks, |locks, id| locks.and(Resource::Person(*id)))
}

/// Replaces absent settings that are objects by their disabled form.
pub(super) fn disable_unset_settings(wire: &mut EventType) {
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
    for setting in [&mut wire.disable_cancelling, &mut wire.disable_rescheduling] {
        if setting.is_null() {
            *setting = json!({"disabled": false});
        }
    }
}
