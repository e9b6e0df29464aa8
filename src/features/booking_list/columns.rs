//! Optional columns of the list, in addition to time and title. No DOM access.

use crate::i18n::Key;

/// Optional column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Attendees.
    Attendees,
    /// Hosts.
    Hosts,
    /// Event type.
    EventType,
    /// Location.
    Place,
    /// Creation date.
    Made,
    /// Status.
    Status,
}

impl Column {
    /// All columns, in display order.
    pub const ALL: [Self; 6] = [
        Self::Attendees,
        Self::Hosts,
        Self::EventType,
        Self::Place,
        Self::Made,
        Self::Status,
    ];

    /// Columns shown by default.
    pub const USUAL: [Self; 3] = [Self::Attendees, Self::Place, Self::Status];

    /// Name in URLs and style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attendees => "attendees",
            Self::Hosts => "hosts",
            Self::EventType => "type",
            Self::Place => "place",
            Self::Made => "made",
            Self::Status => "status",
        }
    }

    /// Returns the columns with these names, in display order.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
        let names: Vec<&str> = names.into_iter().collect();
        Self::ALL
            .into_iter()
            .filter(|column| names.contains(&column.name()))
            .collect()
    }
}

/// Label of a column.
pub fn column_key(column: Column) -> Key {
    match column {
        Column::Attendees => Key::Attendees,
        Column::Hosts => Key::Hosts,
        Column::EventType => Key::EventType,
        Column::Place => Key::Where,
        Column::Made => Key::MadeAt,
        Column::Status => Key::Status,
    }
}
