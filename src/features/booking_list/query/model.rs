//! Filters, order, page and columns of the list, and the query of a request made from them. No DOM access.

use booking_rules::limits::{MAX_PAGE_SIZE, MAX_SEARCH_CHARS};
use booking_wire::{BookingsQuery, SortOrder, StatusFilter, parse_date};

use crate::i18n::Key;
use crate::time::civil::{Month, add_days, week_start};
use crate::time::{CivilDate, Instant, Weekday};

/// Default page size.
pub const DEFAULT_PAGE_SIZE: i64 = 20;
/// Page sizes offered.
const PAGE_SIZES: [i64; 5] = [10, DEFAULT_PAGE_SIZE, 50, 100, MAX_PAGE_SIZE];

/// Sort key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortBy {
    /// Start.
    Start,
    /// End.
    End,
    /// Creation date.
    Created,
}

/// Sort order chosen by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// Sort key.
    pub by: SortBy,
    /// Ascending or descending.
    pub order: SortOrder,
}

impl Sort {
    /// All sort orders with their option values.
    pub const ALL: [(&'static str, Self); 6] = [
        ("start-asc", Self::of(SortBy::Start, SortOrder::Asc)),
        ("start-desc", Self::of(SortBy::Start, SortOrder::Desc)),
        ("end-asc", Self::of(SortBy::End, SortOrder::Asc)),
        ("end-desc", Self::of(SortBy::End, SortOrder::Desc)),
        ("created-asc", Self::of(SortBy::Created, SortOrder::Asc)),
        ("created-desc", Self::of(SortBy::Created, SortOrder::Desc)),
    ];

    const fn of(by: SortBy, order: SortOrder) -> Self {
        Self { by, order }
    }

    /// Parses an option value; `None` leaves the order to the service.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find_map(|(other, sort)| (other == name).then_some(sort))
    }

    /// Option value.
    pub fn name(self) -> &'static str {
        Self::ALL
            .into_iter()
            .find_map(|(name, sort)| (sort == self).then_some(name))
            .unwrap_or_default()
    }
}

/// Date range of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateFilter {
    /// Any day.
    #[default]
    Any,
    /// Current day.
    Today,
    /// Current week, from its first day.
    ThisWeek,
    /// Current month.
    ThisMonth,
    /// Month before the current one.
    LastMonth,
    /// Today and the 29 days after it.
    Next30Days,
    /// Range from [`Filters::first_day`] to [`Filters::last_day`].
    Custom,
}

impl DateFilter {
    /// All date ranges with their names in URLs.
    pub const ALL: [(&'static str, Self); 7] = [
        ("any", Self::Any),
        ("today", Self::Today),
        ("week", Self::ThisWeek),
        ("month", Self::ThisMonth),
        ("last-month", Self::LastMonth),
        ("30-days", Self::Next30Days),
        ("days", Self::Custom),
    ];

    /// Parses a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find_map(|(other, range)| (other == name).then_some(range))
    }

    /// Name in URLs.
    pub fn name(self) -> &'static str {
        Self::ALL
            .into_iter()
            .find_map(|(name, range)| (range == self).then_some(name))
            .unwrap_or_default()
    }
}

/// Calendar of the chosen zone.
pub struct DayContext<'a> {
    /// Current day in the chosen zone.
    pub today: CivilDate,
    /// First day of the week.
    pub week_begins: Weekday,
    /// First instant of a day in that zone.
    pub start: &'a dyn Fn(CivilDate) -> Instant,
}

/// Filter that can be removed individually.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facet {
    /// Search text.
    Search,
    /// Attendee's e-mail address.
    Email,
    /// Attendee's name.
    Name,
    /// Booking uid.
    Uid,
    /// Event types.
    EventTypes,
    /// Hosts.
    Hosts,
    /// Named date range.
    Dates,
    /// First day.
    FirstDay,
    /// Last day.
    LastDay,
}

impl Facet {
    /// All filters, in display order.
    pub const ALL: [Self; 9] = [
        Self::Search,
        Self::Email,
        Self::Name,
        Self::Uid,
        Self::EventTypes,
        Self::Hosts,
        Self::Dates,
        Self::FirstDay,
        Self::LastDay,
    ];

    /// Label on screens.
    pub fn label(self) -> Key {
        match self {
            Self::Search => Key::SearchBookings,
            Self::Email => Key::AttendeeEmail,
            Self::Name => Key::AttendeeName,
            Self::Uid => Key::BookingReference,
            Self::EventTypes => Key::EventTypes,
            Self::Hosts => Key::Hosts,
            Self::Dates => Key::WhichDays,
            Self::FirstDay => Key::FirstDay,
            Self::LastDay => Key::LastDay,
        }
    }

    /// Name in URLs, of a filter whose value is its text.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Search => "search",
            Self::Email => "attendeeEmail",
            Self::Name => "attendeeName",
            Self::Uid => "bookingUid",
            _ => return None,
        })
    }

    /// True for filters of services that can search: others ignore them.
    pub fn needs_search(self) -> bool {
        matches!(self, Self::Search | Self::Hosts)
    }
}

/// Filters and display options. Text is as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filters {
    /// Statuses in the order of [`StatusFilter::ALL`]; none means all bookings.
    pub statuses: Vec<StatusFilter>,
    /// Beginnings of words in a booking.
    pub search: String,
    /// Full address.
    pub email: String,
    /// Full name.
    pub name: String,
    /// Full uid.
    pub uid: String,
    /// Event type ids.
    pub event_types: Vec<i64>,
    /// User ids of hosts.
    pub hosts: Vec<i64>,
    /// Date range.
    pub dates: DateFilter,
    /// Earliest start day, as `YYYY-MM-DD`.
    pub first_day: String,
    /// Latest end day, as `YYYY-MM-DD`.
    pub last_day: String,
    /// Sort order; `None` leaves it to the service: upcoming bookings come soonest first.
    pub sort: Option<Sort>,
    /// Page size, 1 to [`MAX_PAGE_SIZE`].
    pub page_size: i64,
    /// Zero-based index.
    pub page: i64,
    /// Columns in addition to time and title.
    pub columns: Vec<Column>,
    /// True if the meetings of a series are grouped under its first.
    pub groups_series: bool,
}

impl Filters {
    /// Defaults: upcoming, first page.
    pub fn new(page_size: Option<i64>) -> Self {
        Self {
            statuses: vec![StatusFilter::Upcoming],
            search: String::new(),
            email: String::new(),
            name: String::new(),
            uid: String::new(),
            event_types: Vec::new(),
            hosts: Vec::new(),
            dates: DateFilter::Any,
            first_day: String::new(),
            last_day: String::new(),
            sort: None,
            page_size: page_size
                .unwrap_or(DEFAULT_PAGE_SIZE)
                .clamp(1, MAX_PAGE_SIZE),
            page: 0,
            columns: Column::DEFAULT.to_vec(),
            groups_series: false,
        }
    }

    /// Page sizes to choose from, including the current one.
    pub fn page_sizes(&self) -> Vec<i64> {
        let mut sizes = PAGE_SIZES.to_vec();
        if !sizes.contains(&self.page_size) {
            sizes.insert(
                sizes.partition_point(|size| *size < self.page_size),
                self.page_size,
            );
        }
        sizes
    }

    /// Number of bookings before the page.
    pub fn skip(&self) -> i64 {
        self.page.max(0).saturating_mul(self.page_size)
    }

    /// First and last day of the date range, where limited.
    pub fn days(&self, days: &DayContext) -> (Option<CivilDate>, Option<CivilDate>) {
        let DayContext {
            today, week_begins, ..
        } = *days;
        let from = |first: CivilDate, count: i64| (Some(first), Some(add_days(first, count - 1)));
        let all_of = |month: Month| (Some(month.first()), Some(month.last()));
        match self.dates {
            DateFilter::Any => (None, None),
            DateFilter::Today => from(today, 1),
            DateFilter::ThisWeek => from(week_start(today, week_begins), 7),
            DateFilter::ThisMonth => all_of(Month::of(today)),
            DateFilter::LastMonth => all_of(Month::of(today).previous()),
            DateFilter::Next30Days => from(today, 30),
            DateFilter::Custom => (parse_day(&self.first_day), parse_day(&self.last_day)),
        }
    }

    /// Converts to a query, using `days`.
    pub fn query(&self, days: &DayContext) -> BookingsQuery {
        let (first, last) = self.days(days);
        let non_empty = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let order = |by| {
            self.sort
                .filter(|sort| sort.by == by)
                .map(|sort| sort.order)
        };
        let (event_type_id, event_type_ids) = match self.event_types.as_slice() {
            [only] => (Some(*only), Vec::new()),
            several => (None, several.to_vec()),
        };
        BookingsQuery {
            status: self.statuses.clone(),
            attendee_email: non_empty(&self.email),
            attendee_name: non_empty(&self.name),
            booking_uid: non_empty(&self.uid),
            event_type_ids,
            event_type_id,
            after_start: first.map(days.start),
            // `beforeEnd` is inclusive. Bookings that start then end later.
            before_end: last.map(|last| (days.start)(add_days(last, 1))),
            sort_start: order(SortBy::Start),
            sort_end: order(SortBy::End),
            sort_created: order(SortBy::Created),
            take: Some(self.page_size),
            skip: Some(self.skip()),
            search: non_empty(&self.search)
                .map(|text| text.chars().take(MAX_SEARCH_CHARS).collect()),
            host_ids: self.hosts.clone(),
        }
    }

    /// Order of the service unless one is chosen: soonest first, but past and cancelled bookings latest first.
    fn default_sort(&self) -> Sort {
        let order = match self.statuses.as_slice() {
            [StatusFilter::Past | StatusFilter::Cancelled] => SortOrder::Desc,
            _ => SortOrder::Asc,
        };
        Sort::of(SortBy::Start, order)
    }

    /// Order of the list.
    pub fn shown_sort(&self) -> Sort {
        self.sort.unwrap_or_else(|| self.default_sort())
    }

    /// Chooses an order; the default one is left to the service.
    pub fn sort_by(&mut self, sort: Option<Sort>) {
        self.sort = sort.filter(|sort| *sort != self.default_sort());
    }

    /// Shows only bookings of this status; `None` shows all.
    pub fn show_only(&mut self, status: Option<StatusFilter>) {
        self.statuses = status.into_iter().collect();
    }

    /// Shows bookings of these statuses, in any order.
    pub fn show(&mut self, statuses: &[StatusFilter]) {
        self.statuses = StatusFilter::ALL
            .into_iter()
            .filter(|status| statuses.contains(status))
            .collect();
    }

    /// Adds or removes a status.
    pub fn toggle(&mut self, status: StatusFilter) {
        let mut statuses = self.statuses.clone();
        if statuses.contains(&status) {
            statuses.retain(|other| *other != status);
        } else {
            statuses.push(status);
        }
        self.show(&statuses);
    }

    /// Text of a typed filter; `None` for one that is chosen.
    pub fn typed(&mut self, facet: Facet) -> Option<&mut String> {
        Some(match facet {
            Facet::Search => &mut self.search,
            Facet::Email => &mut self.email,
            Facet::Name => &mut self.name,
            Facet::Uid => &mut self.uid,
            Facet::FirstDay => &mut self.first_day,
            Facet::LastDay => &mut self.last_day,
            Facet::EventTypes | Facet::Hosts | Facet::Dates => return None,
        })
    }

    /// Copy of the text of a typed filter; empty for one that is chosen.
    pub fn typed_text(&self, facet: Facet) -> String {
        self.clone().typed(facet).cloned().unwrap_or_default()
    }

    /// True if `facet` restricts the list.
    pub fn is_active(&self, facet: Facet) -> bool {
        match facet {
            Facet::EventTypes => !self.event_types.is_empty(),
            Facet::Hosts => !self.hosts.is_empty(),
            Facet::Dates => !matches!(self.dates, DateFilter::Any | DateFilter::Custom),
            Facet::FirstDay | Facet::LastDay => {
                let day = parse_day(&self.typed_text(facet));
                self.dates == DateFilter::Custom && day.is_some()
            }
            facet => !self.typed_text(facet).trim().is_empty(),
        }
    }

    /// Active filters, without the status, which is always visible.
    pub fn active_facets(&self) -> Vec<Facet> {
        Facet::ALL
            .into_iter()
            .filter(|facet| self.is_active(*facet))
            .collect()
    }

    /// Removes one filter.
    pub fn remove(&mut self, facet: Facet) {
        match facet {
            Facet::EventTypes => self.event_types.clear(),
            Facet::Hosts => self.hosts.clear(),
            Facet::Dates => self.dates = DateFilter::Any,
            facet => {
                if let Some(text) = self.typed(facet) {
                    text.clear();
                }
            }
        }
    }

    /// Removes all filters. Status, order and page size are kept.
    pub fn clear(&mut self) {
        for facet in Facet::ALL {
            self.remove(facet);
        }
        self.dates = DateFilter::Any;
    }

    /// Returns the filters alone: order, page and columns are the defaults.
    pub fn without_display(&self) -> Self {
        let default = Self::new(None);
        Self {
            sort: default.sort,
            page_size: default.page_size,
            page: default.page,
            columns: default.columns,
            groups_series: default.groups_series,
            ..self.clone()
        }
    }

    /// True if the last day is before the first: nothing can match.
    pub fn is_reversed(&self) -> bool {
        match (parse_day(&self.first_day), parse_day(&self.last_day)) {
            (Some(first), Some(last)) => last < first,
            _ => false,
        }
    }
}

/// Parses the value of a date field.
pub fn parse_day(text: &str) -> Option<CivilDate> {
    parse_date(text.trim())
}

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
    Location,
    /// Creation date.
    Created,
    /// Status.
    Status,
}

impl Column {
    /// All columns, in display order.
    pub const ALL: [Self; 6] = [
        Self::Attendees,
        Self::Hosts,
        Self::EventType,
        Self::Location,
        Self::Created,
        Self::Status,
    ];

    /// Columns shown by default.
    pub const DEFAULT: [Self; 4] = [Self::Attendees, Self::Hosts, Self::Location, Self::Status];

    /// Name in URLs and style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attendees => "attendees",
            Self::Hosts => "hosts",
            Self::EventType => "type",
            Self::Location => "place",
            Self::Created => "made",
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
        Column::Location => Key::Where,
        Column::Created => Key::MadeAt,
        Column::Status => Key::Status,
    }
}

#[cfg(test)]
mod tests;
