//! Demo data of the service (`service serve --demo`) and the paths of its API that tests refer to.

/// Personal event type of Ada, 30 minutes.
pub(crate) const INTRO_CALL: i64 = 1;
/// Event type of the team with a field of every type.
pub(crate) const ONBOARDING: i64 = 3;
/// Event type of the team that needs confirmation and asks for a project.
pub(crate) const DESIGN_REVIEW: i64 = 4;
/// Event type of the team with a choice of locations.
pub(crate) const SITE_VISIT: i64 = 5;
/// Hidden event type of the team without questions, with round-robin hosts.
pub(crate) const PARTNER_CALL: i64 = 6;
/// Hidden recurring event type.
pub(crate) const WEEKLY_COACHING: i64 = 7;
/// Hidden event type with seats.
pub(crate) const GROUP_TRAINING: i64 = 8;

/// Picker of the intro call.
pub(crate) const INTRO_CALL_PICKER: &str =
    r#"<booking-picker username="ada" event-slug="intro-call"></booking-picker>"#;

pub(crate) const BOOKINGS: &str = "/v2/bookings";
pub(crate) const RESERVATIONS: &str = "/v2/slots/reservations";
pub(crate) const SLOTS: &str = "/v2/slots";
/// Bookings of the demo's team, as the elements request them.
pub(crate) const TEAM_BOOKINGS: &str = "/v2/teams/1/bookings";
/// Bookings of the demo's team, as the app and elements with `org-id` request them.
pub(crate) const ORGANIZATION_TEAM_BOOKINGS: &str = "/v2/organizations/1/teams/1/bookings";
pub(crate) const TEAM_ROLES: &str = "/v2/organizations/1/teams/1/roles";
