//! Page events of booking lists and roles.

use super::events::{Detail, PageEvent};

/// Changed permissions of a role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermissionChange {
    /// Ticked permissions.
    pub added: Vec<String>,
    /// Removed permissions.
    pub removed: Vec<String>,
    /// Added requirements.
    pub implied: Vec<String>,
}

/// Event of a booking list or of roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamEvent {
    /// Data could not be loaded.
    LoadFailed {
        /// Error code.
        code: &'static str,
        /// Kind of data.
        what: &'static str,
    },
    /// The list's query changed.
    QueryChanged {
        /// Value for the property `query`.
        query: String,
    },
    /// The selection changed.
    SelectionChanged {
        /// Uids; empty if all matches are selected.
        uids: Vec<String>,
        /// True if all matches are selected.
        is_all: bool,
    },
    /// Details of a booking were opened.
    BookingOpened {
        /// Its public identifier.
        uid: String,
    },
    /// A host confirmed a booking.
    BookingConfirmed {
        /// Its public identifier.
        uid: String,
    },
    /// A host declined a booking.
    BookingDeclined {
        /// Its public identifier.
        uid: String,
    },
    /// A booking was cancelled.
    BookingCancelled {
        /// Its public identifier.
        uid: String,
    },
    /// A booking was changed.
    BookingChanged {
        /// Its public identifier.
        uid: String,
        /// Kind of change.
        what: &'static str,
    },
    /// Bookings were exported.
    Exported {
        /// `csv` or `ics`.
        format: &'static str,
        /// Number of bookings.
        count: usize,
    },
    /// Views were saved, renamed or deleted. Their store adds `views` to the event detail.
    ViewsChanged,
    /// A role is about to be saved.
    BeforeRoleSave {
        /// Role id; empty if new.
        id: String,
        /// Pending change.
        change: PermissionChange,
    },
    /// Saving failed, or its outcome is unknown.
    RoleSaveFailed {
        /// Role id; empty if new.
        id: String,
        /// Error code.
        code: &'static str,
    },
    /// Ticked permissions in the form changed.
    PermissionChanged {
        /// Role id; empty if new.
        id: String,
        /// Difference from the saved role.
        change: PermissionChange,
    },
    /// A role was created.
    RoleCreated {
        /// Role id.
        id: String,
    },
    /// A role was changed.
    RoleUpdated {
        /// Role id.
        id: String,
    },
    /// A role was deleted.
    RoleDeleted {
        /// Role id.
        id: String,
    },
}

impl PageEvent for TeamEvent {
    fn name(&self) -> &'static str {
        match self {
            Self::LoadFailed { .. } => "load-failed",
            Self::QueryChanged { .. } => "query-changed",
            Self::SelectionChanged { .. } => "selection-changed",
            Self::BookingOpened { .. } => "booking-opened",
            Self::BookingConfirmed { .. } => "booking-confirmed",
            Self::BookingDeclined { .. } => "booking-declined",
            Self::BookingCancelled { .. } => "booking-cancelled",
            Self::BookingChanged { .. } => "booking-changed",
            Self::Exported { .. } => "export",
            Self::ViewsChanged => "views-changed",
            Self::BeforeRoleSave { .. } => "before-role-save",
            Self::RoleSaveFailed { .. } => "role-save-failed",
            Self::PermissionChanged { .. } => "permission-changed",
            Self::RoleCreated { .. } => "role-created",
            Self::RoleUpdated { .. } => "role-updated",
            Self::RoleDeleted { .. } => "role-deleted",
        }
    }

    fn detail(&self) -> Vec<(&'static str, Detail)> {
        let text = |value: &str| Detail::Text(value.to_owned());
        match self {
            Self::LoadFailed { code, what } => vec![("code", text(code)), ("what", text(what))],
            Self::QueryChanged { query } => vec![("query", text(query))],
            Self::SelectionChanged { uids, is_all } => vec![
                ("uids", Detail::List(uids.clone())),
                ("all", Detail::Flag(*is_all)),
            ],
            Self::BookingOpened { uid }
            | Self::BookingConfirmed { uid }
            | Self::BookingDeclined { uid }
            | Self::BookingCancelled { uid } => vec![("uid", text(uid))],
            Self::BookingChanged { uid, what } => vec![("uid", text(uid)), ("what", text(what))],
            Self::Exported { format, count } => {
                let count = i64::try_from(*count).unwrap_or(i64::MAX);
                vec![("format", text(format)), ("count", Detail::Number(count))]
            }
            Self::ViewsChanged => Vec::new(),
            Self::BeforeRoleSave { id, change } | Self::PermissionChanged { id, change } => vec![
                ("id", text(id)),
                ("added", Detail::List(change.added.clone())),
                ("removed", Detail::List(change.removed.clone())),
                ("implied", Detail::List(change.implied.clone())),
            ],
            Self::RoleSaveFailed { id, code } => vec![("id", text(id)), ("code", text(code))],
            Self::RoleCreated { id } | Self::RoleUpdated { id } | Self::RoleDeleted { id } => {
                vec![("id", text(id))]
            }
        }
    }
}
