//! Line icons, drawn in the colour of the text beside them.

use booking_ui::prelude::*;

/// Shape of an icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Previous page, mirrored in right-to-left text.
    Back,
    /// Next page, mirrored in right-to-left text.
    Forward,
    /// Duration.
    Clock,
    /// Date.
    Calendar,
    /// Month view.
    Month,
    /// Week view.
    Week,
    /// Column view.
    Columns,
    /// Location.
    Location,
    /// Time zone.
    Globe,
    /// Person.
    Person,
    /// Several people.
    People,
    /// Done.
    Check,
    /// Warning.
    Alert,
    /// Locked.
    Lock,
    /// Close or cancel.
    Close,
    /// List that can be opened.
    Expand,
    /// Add.
    Add,
    /// Search.
    Search,
    /// Reload.
    Reload,
    /// Series.
    Repeat,
    /// Telephone call.
    Phone,
    /// Video call.
    Video,
    /// Price.
    Card,
    /// Download.
    Download,
    /// Saved item.
    Bookmark,
    /// Restriction of a list.
    Filter,
    /// List of bookings.
    Agenda,
    /// Tools of developers.
    Code,
}

impl Shape {
    /// Returns the outline on a 20 by 20 grid.
    fn path(self) -> &'static str {
        match self {
            Self::Back => "M12.5 4.5 7 10l5.5 5.5",
            Self::Forward => "M7.5 4.5 13 10l-5.5 5.5",
            Self::Clock => {
                "M10 2.75a7.25 7.25 0 1 0 0 14.5 7.25 7.25 0 0 0 0-14.5M10 6v4.25l2.75 1.75"
            }
            Self::Calendar => "M3.75 5.25h12.5v11H3.75zM3.75 8.5h12.5M7 3v3.5M13 3v3.5",
            Self::Month => {
                "M3.5 4h13v12.5h-13zM3.5 8.25h13M3.5 12.25h13M7.75 8.25v8.25M12.25 8.25v8.25"
            }
            Self::Week => "M3.5 4h13v12.5h-13zM7.75 4v12.5M12.25 4v12.5",
            Self::Columns => "M3.5 5h5M3.5 10h5M3.5 15h5M12 5h4.5M12 10h4.5",
            Self::Location => {
                "M10 17.25s5.5-4.75 5.5-9a5.5 5.5 0 0 0-11 0c0 4.25 5.5 9 5.5 9M10 10.25a2 2 0 1 0 0-4 2 2 0 0 0 0 4"
            }
            Self::Globe => {
                "M10 2.75a7.25 7.25 0 1 0 0 14.5 7.25 7.25 0 0 0 0-14.5M2.75 10h14.5M10 2.75c4 4.25 4 10.25 0 14.5-4-4.25-4-10.25 0-14.5"
            }
            Self::Person => {
                "M10 9.75a3.25 3.25 0 1 0 0-6.5 3.25 3.25 0 0 0 0 6.5M3.75 16.75c.5-6 12-6 12.5 0"
            }
            Self::People => {
                "M7.5 9.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5M2.5 16c.4-5 9.6-5 10 0M12.75 4.25a2.75 2.75 0 0 1 0 5M14.5 11.75c1.75.5 2.9 1.9 3 4.25"
            }
            Self::Check => "M4 10.5 8.25 15 16 5.5",
            Self::Alert => "M10 3 2.5 16.25h15zM10 8v4M10 14v.25",
            Self::Lock => "M4.75 9h10.5v7.75H4.75zM7 9V6.25a3 3 0 0 1 6 0V9",
            Self::Close => "M5 5l10 10M15 5 5 15",
            Self::Expand => "M5 7.5l5 5 5-5",
            Self::Add => "M10 4v12M4 10h12",
            Self::Search => "M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M13 13l3.75 3.75",
            Self::Reload => "M16 6.5A7 7 0 1 0 17 11M16.25 3v3.75H12.5",
            Self::Phone => {
                "M4 3.75h3l1.5 3.75L6.75 9a10 10 0 0 0 4.25 4.25l1.5-1.75 3.75 1.5v3A1.25 1.25 0 0 1 15 17.25 12.25 12.25 0 0 1 2.75 5 1.25 1.25 0 0 1 4 3.75"
            }
            Self::Video => "M2.75 5.5h10v9h-10zM12.75 8.75l4.5-2.5v7.5l-4.5-2.5",
            Self::Card => "M2.75 5h14.5v10H2.75zM2.75 8.5h14.5M5.5 12h3",
            Self::Download => "M10 3v9.5M6 8.75l4 4 4-4M3.5 13.5v3h13v-3",
            Self::Bookmark => "M5.5 3.25h9v13.5L10 13.25l-4.5 3.5z",
            Self::Filter => "M3.5 5.5h13M6 10h8M8.5 14.5h3",
            Self::Agenda => "M4.25 3.5h11.5v13H4.25zM7 7h6M7 10h6M7 13h3.5",
            Self::Code => {
                "M7.5 4C5.5 4 5 5 5 6.5S4.75 9.25 3.25 10C4.75 10.75 5 12 5 13.5S5.5 16 7.5 16M12.5 4c2 0 2.5 1 2.5 2.5s.25 2.75 1.75 3.5c-1.5.75-1.75 2-1.75 3.5s-.5 2.5-2.5 2.5"
            }
            Self::Repeat => {
                "M4 9.5V8a3 3 0 0 1 3-3h8.5M13 2.5 15.5 5 13 7.5M16 10.5V12a3 3 0 0 1-3 3H4.5M7 17.5 4.5 15 7 12.5"
            }
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Back | Self::Forward => "icon icon-directed",
            _ => "icon",
        }
    }
}

/// Decorative icon beside a text of the same meaning.
pub fn icon(shape: Shape) -> Node {
    svg("svg")
        .class(shape.class())
        .attr("viewBox", "0 0 20 20")
        .attr("aria-hidden", "true")
        .child(svg("path").attr("d", shape.path()))
}
