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
