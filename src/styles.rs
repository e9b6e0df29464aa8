//! Style sheets of the bundles and their chunks, which `build.rs` joins.

/// Styles of the picker until a slot is selected.
pub const PICKER: &str = include_str!(concat!(env!("OUT_DIR"), "/picker.css"));
/// Styles of the list of event types.
pub const EVENT_TYPES: &str = include_str!(concat!(env!("OUT_DIR"), "/event_types.css"));
/// Styles of the picker's later steps.
pub const PICKER_FORM: &str = include_str!(concat!(env!("OUT_DIR"), "/picker_form.css"));
/// Styles of the chunk loaded after the list is shown.
pub const LIST_ACTIONS: &str = include_str!(concat!(env!("OUT_DIR"), "/list_actions.css"));
/// Styles of the role tools.
pub const ROLE_TOOLS: &str = include_str!(concat!(env!("OUT_DIR"), "/role_tools.css"));
/// Styles of the roles.
pub const ROLES: &str = include_str!(concat!(env!("OUT_DIR"), "/roles.css"));
/// Styles of the booking list, including those shared with the roles.
pub const STAFF: &str = include_str!(concat!(env!("OUT_DIR"), "/staff.css"));
/// Styles of the app's frame and of its pages for visitors.
pub const APP: &str = include_str!(concat!(env!("OUT_DIR"), "/app.css"));
/// Styles of the app's screens for the team.
pub const APP_STAFF: &str = include_str!(concat!(env!("OUT_DIR"), "/app_staff.css"));
