//! Ids in the demo data.

use crate::store::Subject;

/// Subject of writes of the demo data.
pub(super) const DEMO: Subject<'static> = Subject::Name("demo");

/// Id of the team.
pub const TEAM_ID: i64 = 1;
/// Id of the organisation.
pub const ORGANIZATION_ID: i64 = 1;
