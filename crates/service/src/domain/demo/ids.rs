//! Ids in the demo data.

/// Id of the team.
pub const TEAM_ID: i64 = 1;
/// Id of the organisation.
pub const ORGANIZATION_ID: i64 = 1;
