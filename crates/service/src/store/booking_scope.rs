//! Scope of a list of bookings.

/// Scope of a list of bookings.
#[derive(Clone, Debug)]
pub enum BookingScope {
    /// Bookings of a team.
    Team(i64),
    /// Bookings that a user hosts, attends, owns or administers.
    User {
        /// Id of the host or of the owner of the event type.
        user_id: i64,
        /// Address of the attendee or guest.
        email: String,
        /// Ids of the teams that the user administers.
        team_ids: Vec<i64>,
    },
}

impl BookingScope {
    /// True if a search first reads the ids of the bookings, as the table `own`: those of one user are few, but
    /// a team's may be nearly all.
    pub(super) fn reads_own_first(&self) -> bool {
        matches!(self, Self::User { team_ids, .. } if team_ids.is_empty())
    }
}
