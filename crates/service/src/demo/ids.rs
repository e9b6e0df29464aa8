//! Ids of the demo.

/// Its team.
pub const TEAM_ID: i64 = 1;
/// The organisation.
pub const ORGANIZATION_ID: i64 = 1;
