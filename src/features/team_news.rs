//! What pages are told of a team at work.

use super::{Detail, Tidings};

/// What a role holds more and less than before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// What somebody ticked.
    pub added: Vec<String>,
    /// What is not held any more.
    pub removed: Vec<String>,
    /// What came along.
    pub implied: Vec<String>,
}

/// What the page of a list or of roles may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamNews {
    /// What is shown could not be had.
    LoadFailed {
        /// Why, in a word.
        code: &'static str,
        /// What, in a word.
        what: &'static str,
    },
    /// The list shows something else.
    QueryChanged {
        /// What it shows, as the property `query` takes it.
        query: String,
    },
    /// Other bookings are selected.
    SelectionChanged {
        /// Their uids; empty if all that match are.
        uids: Vec<String>,
        /// Whether all that match are.
        is_all: bool,
    },
    /// A booking shows its details.
    BookingOpened {
        /// Its public identifier.
        uid: String,
    },
    /// A host has agreed to a booking.
    BookingConfirmed {
        /// Its public identifier.
        uid: String,
    },
    /// A host has declined a booking.
    BookingDeclined {
        /// Its public identifier.
        uid: String,
    },
    /// A booking was cancelled.
    BookingCancelled {
        /// Its public identifier.
        uid: String,
    },
    /// Something about a booking was changed.
    BookingChanged {
        /// Its public identifier.
        uid: String,
        /// What, in a word.
        what: &'static str,
    },
    /// Bookings were exported.
    Exported {
        /// `csv` or `ics`.
        format: &'static str,
        /// How many.
        count: usize,
    },
    /// Views were saved, renamed or deleted. The detail's `views` are added by whoever keeps them.
    ViewsChanged,
    /// A role is going to be saved.
    BeforeRoleSave {
        /// Its identifier; empty if it is new.
        id: String,
        /// What would change.
        change: Change,
    },
    /// A role was not saved, or it is not known.
    RoleSaveFailed {
        /// Its identifier; empty if it is new.
        id: String,
        /// Why, in a word.
        code: &'static str,
    },
    /// Other permissions are ticked in the form.
    PermissionChanged {
        /// The role's identifier; empty if it is new.
        id: String,
        /// What differs from the role as it is.
        change: Change,
    },
    /// A role was made.
    RoleCreated {
        /// Its identifier.
        id: String,
    },
    /// A role was changed.
    RoleUpdated {
        /// Its identifier.
        id: String,
    },
    /// A role was deleted.
    RoleDeleted {
        /// Its identifier.
        id: String,
    },
}

impl Tidings for TeamNews {
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
