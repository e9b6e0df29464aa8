//! Filters, order and page of the list. No DOM access.

use booking_wire::{BookingsQuery, SortOrder, StatusFilter, parse_date};

use super::columns::Column;
use crate::time::civil::{add_days, week_start};
use crate::time::{CivilDate, Instant, Weekday};

/// Largest page size of the service (contract 3.1).
pub const LARGEST_PAGE: i64 = 250;
/// Default page size.
pub const USUAL_PAGE: i64 = 20;
/// Page sizes offered.
const PAGE_SIZES: [i64; 5] = [10, USUAL_PAGE, 50, 100, LARGEST_PAGE];

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
            .find_map(|(known, sort)| (known == name).then_some(sort))
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
pub enum Range {
    /// Any day.
    #[default]
    Any,
    /// Current day.
    Today,
    /// Current week, from its first day.
    ThisWeek,
    /// Today and the 29 days after it.
    Next30Days,
    /// Range from [`Filters::first_day`] to [`Filters::last_day`].
    Days,
}

impl Range {
    /// All date ranges with their names in URLs.
    pub const ALL: [(&'static str, Self); 5] = [
        ("any", Self::Any),
        ("today", Self::Today),
        ("week", Self::ThisWeek),
        ("30-days", Self::Next30Days),
        ("days", Self::Days),
    ];

    /// Parses a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find_map(|(known, range)| (known == name).then_some(range))
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
pub struct Days<'a> {
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
    /// Attendee's e-mail address.
    Email,
    /// Attendee's name.
    Name,
    /// Booking uid.
    Uid,
    /// Event types.
    EventTypes,
    /// Named date range.
    Range,
    /// First day.
    FirstDay,
    /// Last day.
    LastDay,
}

impl Facet {
    /// All filters, in display order.
    pub const ALL: [Self; 7] = [
        Self::Email,
        Self::Name,
        Self::Uid,
        Self::EventTypes,
        Self::Range,
        Self::FirstDay,
        Self::LastDay,
    ];
}

/// Filters and display options. Text is as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filters {
    /// Statuses in the order of [`StatusFilter::ALL`]; none means all bookings.
    pub statuses: Vec<StatusFilter>,
    /// Full address.
    pub email: String,
    /// Full name.
    pub name: String,
    /// Full uid.
    pub uid: String,
    /// Event type ids.
    pub event_types: Vec<i64>,
    /// Date range.
    pub range: Range,
    /// Earliest start day, as `YYYY-MM-DD`.
    pub first_day: String,
    /// Latest end day, as `YYYY-MM-DD`.
    pub last_day: String,
    /// Sort order; `None` leaves it to the service: upcoming bookings come soonest first.
    pub sort: Option<Sort>,
    /// Page size, 1 to [`LARGEST_PAGE`].
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
            email: String::new(),
            name: String::new(),
            uid: String::new(),
            event_types: Vec::new(),
            range: Range::Any,
            first_day: String::new(),
            last_day: String::new(),
            sort: None,
            page_size: page_size.unwrap_or(USUAL_PAGE).clamp(1, LARGEST_PAGE),
            page: 0,
            columns: Column::USUAL.to_vec(),
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
    pub fn days(&self, days: &Days) -> (Option<CivilDate>, Option<CivilDate>) {
        let Days {
            today, week_begins, ..
        } = *days;
        let from = |first: CivilDate, count: i64| (Some(first), Some(add_days(first, count - 1)));
        match self.range {
            Range::Any => (None, None),
            Range::Today => from(today, 1),
            Range::ThisWeek => from(week_start(today, week_begins), 7),
            Range::Next30Days => from(today, 30),
            Range::Days => (day(&self.first_day), day(&self.last_day)),
        }
    }

    /// Converts to a query, using `days`.
    pub fn query(&self, days: &Days) -> BookingsQuery {
        let (first, last) = self.days(days);
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
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
            attendee_email: given(&self.email),
            attendee_name: given(&self.name),
            booking_uid: given(&self.uid),
            event_type_ids,
            event_type_id,
            after_start: first.map(days.start),
            // `beforeEnd` is inclusive (contract 3.1). Bookings that start then end later.
            before_end: last.map(|last| (days.start)(add_days(last, 1))),
            sort_start: order(SortBy::Start),
            sort_end: order(SortBy::End),
            sort_created: order(SortBy::Created),
            take: Some(self.page_size),
            skip: Some(self.skip()),
        }
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
            statuses.retain(|held| *held != status);
        } else {
            statuses.push(status);
        }
        self.show(&statuses);
    }

    /// True if `facet` restricts the list.
    pub fn holds(&self, facet: Facet) -> bool {
        match facet {
            Facet::Email => !self.email.trim().is_empty(),
            Facet::Name => !self.name.trim().is_empty(),
            Facet::Uid => !self.uid.trim().is_empty(),
            Facet::EventTypes => !self.event_types.is_empty(),
            Facet::Range => !matches!(self.range, Range::Any | Range::Days),
            Facet::FirstDay => self.range == Range::Days && day(&self.first_day).is_some(),
            Facet::LastDay => self.range == Range::Days && day(&self.last_day).is_some(),
        }
    }

    /// Active filters, without the status, which is always visible.
    pub fn held(&self) -> Vec<Facet> {
        Facet::ALL
            .into_iter()
            .filter(|facet| self.holds(*facet))
            .collect()
    }

    /// Removes one filter.
    pub fn release(&mut self, facet: Facet) {
        match facet {
            Facet::Email => self.email.clear(),
            Facet::Name => self.name.clear(),
            Facet::Uid => self.uid.clear(),
            Facet::EventTypes => self.event_types.clear(),
            Facet::Range => self.range = Range::Any,
            Facet::FirstDay => self.first_day.clear(),
            Facet::LastDay => self.last_day.clear(),
        }
    }

    /// Removes all filters. Status, order and page size are kept.
    pub fn clear(&mut self) {
        for facet in Facet::ALL {
            self.release(facet);
        }
        self.range = Range::Any;
    }

    /// Returns the filters alone: order, page and columns are the defaults.
    pub fn what(&self) -> Self {
        let usual = Self::new(None);
        Self {
            sort: usual.sort,
            page_size: usual.page_size,
            page: usual.page,
            columns: usual.columns,
            groups_series: usual.groups_series,
            ..self.clone()
        }
    }

    /// True if the last day is before the first: nothing can match.
    pub fn is_reversed(&self) -> bool {
        match (day(&self.first_day), day(&self.last_day)) {
            (Some(first), Some(last)) => last < first,
            _ => false,
        }
    }
}

/// Parses the value of a date field.
pub fn day(text: &str) -> Option<CivilDate> {
    parse_date(text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> CivilDate {
        text.parse().unwrap()
    }

    /// Rome: UTC+1 in winter, UTC+2 after 28 March 2027.
    fn rome(day: CivilDate) -> Instant {
        let offset = if day > date("2027-03-28") { 2 } else { 1 };
        Instant::parse(&format!("{day}T00:00:00+0{offset}:00")).unwrap()
    }

    fn pairs(change: impl Fn(&mut Filters)) -> String {
        let mut filters = Filters::new(None);
        change(&mut filters);
        filters
            .query(&Days {
                today: date("2027-03-03"),
                week_begins: Weekday::Mon,
                start: &rome,
            })
            .pairs()
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn each_filter_becomes_its_parameter() {
        type Change = fn(&mut Filters);
        let cases: [(Change, &str); 19] = [
            (|_| {}, "status=upcoming take=20 skip=0"),
            (|filters| filters.show_only(None), "take=20 skip=0"),
            (
                |filters| filters.show(&[StatusFilter::Cancelled, StatusFilter::Unconfirmed]),
                "status=unconfirmed,cancelled take=20 skip=0",
            ),
            (
                |filters| filters.toggle(StatusFilter::Past),
                "status=upcoming,past take=20 skip=0",
            ),
            (
                |filters| filters.toggle(StatusFilter::Upcoming),
                "take=20 skip=0",
            ),
            (
                |filters| filters.email = " zoe+1@example.org ".into(),
                "status=upcoming attendeeEmail=zoe+1@example.org take=20 skip=0",
            ),
            (
                |filters| filters.name = "Zoë  Moss ".into(),
                "status=upcoming attendeeName=Zoë  Moss take=20 skip=0",
            ),
            (
                |filters| filters.uid = "\tbk1".into(),
                "status=upcoming bookingUid=bk1 take=20 skip=0",
            ),
            (
                |filters| filters.event_types = vec![41],
                "status=upcoming eventTypeId=41 take=20 skip=0",
            ),
            (
                |filters| filters.event_types = vec![41, 7],
                "status=upcoming eventTypeIds=41,7 take=20 skip=0",
            ),
            (
                |filters| {
                    filters.range = Range::Days;
                    filters.first_day = "2027-03-28".into();
                },
                "status=upcoming afterStart=2027-03-27T23:00:00.000Z take=20 skip=0",
            ),
            (
                // The last day has only 23 hours.
                |filters| {
                    filters.range = Range::Days;
                    filters.last_day = "2027-03-28".into();
                },
                "status=upcoming beforeEnd=2027-03-28T22:00:00.000Z take=20 skip=0",
            ),
            (
                |filters| filters.range = Range::Today,
                "status=upcoming afterStart=2027-03-02T23:00:00.000Z \
                 beforeEnd=2027-03-03T23:00:00.000Z take=20 skip=0",
            ),
            (
                // From the Monday before to the Sunday after.
                |filters| filters.range = Range::ThisWeek,
                "status=upcoming afterStart=2027-02-28T23:00:00.000Z \
                 beforeEnd=2027-03-07T23:00:00.000Z take=20 skip=0",
            ),
            (
                |filters| filters.range = Range::Next30Days,
                "status=upcoming afterStart=2027-03-02T23:00:00.000Z \
                 beforeEnd=2027-04-01T22:00:00.000Z take=20 skip=0",
            ),
            (
                |filters| filters.sort = Sort::parse("start-desc"),
                "status=upcoming sortStart=desc take=20 skip=0",
            ),
            (
                |filters| filters.sort = Sort::parse("end-asc"),
                "status=upcoming sortEnd=asc take=20 skip=0",
            ),
            (
                |filters| filters.sort = Sort::parse("created-desc"),
                "status=upcoming sortCreated=desc take=20 skip=0",
            ),
            (
                |filters| {
                    filters.page_size = 50;
                    filters.page = 3;
                },
                "status=upcoming take=50 skip=150",
            ),
        ];
        for (change, expected) in cases {
            assert_eq!(pairs(change), expected);
        }
    }

    #[test]
    fn half_a_date_is_no_filter() {
        for text in ["", "2027-03", "2027-02-30", "soon"] {
            assert_eq!(
                pairs(|filters| {
                    filters.range = Range::Days;
                    filters.first_day = text.into();
                }),
                "status=upcoming take=20 skip=0",
                "{text}"
            );
        }
    }

    #[test]
    fn orders_have_names_that_lead_back_to_them() {
        for (name, sort) in Sort::ALL {
            assert_eq!(Sort::parse(name), Some(sort));
            assert_eq!(sort.name(), name);
        }
        assert_eq!(Sort::parse(""), None);
    }

    #[test]
    fn filters_are_counted_and_taken_away_one_by_one() {
        let mut filters = Filters::new(None);
        assert_eq!(filters.held(), []);
        filters.email = "zoe@example.org".into();
        filters.name = "   ".into();
        filters.event_types = vec![1, 2];
        filters.range = Range::Days;
        filters.last_day = "2027-03-01".into();
        filters.sort = Sort::parse("end-asc");
        filters.toggle(StatusFilter::Past);
        let held = [Facet::Email, Facet::EventTypes, Facet::LastDay];
        assert_eq!(filters.held(), held);
        filters.release(Facet::EventTypes);
        assert_eq!(filters.held(), [Facet::Email, Facet::LastDay]);
        filters.clear();
        assert_eq!(filters.held(), []);
        assert_eq!(filters.sort, Sort::parse("end-asc"));
        assert_eq!(filters.statuses.len(), 2);
        filters.range = Range::ThisWeek;
        assert_eq!(filters.held(), [Facet::Range]);
        filters.clear();
        assert_eq!(filters.held(), []);
    }

    #[test]
    fn days_in_the_wrong_order_are_noticed() {
        for (first, last, is_reversed) in [
            ("2027-03-02", "2027-03-01", true),
            ("2027-03-01", "2027-03-01", false),
            ("", "2027-03-01", false),
            ("2027-03-02", "x", false),
        ] {
            let mut filters = Filters::new(None);
            filters.first_day = first.into();
            filters.last_day = last.into();
            assert_eq!(filters.is_reversed(), is_reversed, "{first} {last}");
        }
    }

    #[test]
    fn a_page_size_of_the_page_s_own_is_offered_too() {
        for (asked, used, offered) in [
            (None, 20, 5),
            (Some(50), 50, 5),
            (Some(33), 33, 6),
            (Some(9_999), 250, 5),
            (Some(-4), 1, 6),
        ] {
            let filters = Filters::new(asked);
            assert_eq!(filters.page_size, used);
            assert_eq!(filters.page_sizes().len(), offered, "{asked:?}");
            assert!(filters.page_sizes().is_sorted());
        }
    }
}
