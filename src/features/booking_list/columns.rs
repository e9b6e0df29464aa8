//! What a list tells of each booking, beside when it is and what it is called. No document.

use crate::i18n::Key;

/// A column that the reader may do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// For whom.
    Attendees,
    /// By whom.
    Hosts,
    /// What was booked.
    EventType,
    /// Where.
    Place,
    /// When it was made.
    Made,
    /// Where it stands.
    Status,
}

impl Column {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::Attendees,
        Self::Hosts,
        Self::EventType,
        Self::Place,
        Self::Made,
        Self::Status,
    ];

    /// Those that are shown unless the reader says otherwise.
    pub const USUAL: [Self; 3] = [Self::Attendees, Self::Place, Self::Status];

    /// The name in addresses and style sheets.
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

    /// Those with these names, in the order in which they are shown.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
        let names: Vec<&str> = names.into_iter().collect();
        Self::ALL
            .into_iter()
            .filter(|column| names.contains(&column.name()))
            .collect()
    }
}

/// What a column is called.
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
