//! What is asked of a team's bookings, and how the answer is laid out. No document.

use booking_wire::{BookingsQuery, Pagination, SortOrder, StatusFilter};

use crate::time::civil::add_days;
use crate::time::{CivilDate, Instant};

/// The most bookings that a service gives at once (contract 3.1).
pub const LARGEST_PAGE: i64 = 250;
/// Bookings on a page unless the page says otherwise.
const USUAL_PAGE: i64 = 20;
/// The sizes offered.
const PAGE_SIZES: [i64; 5] = [10, USUAL_PAGE, 50, 100, LARGEST_PAGE];

/// What bookings are put in order by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortBy {
    /// When they start.
    Start,
    /// When they end.
    End,
    /// When they were made.
    Created,
}

/// An order chosen by the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// What is compared.
    pub by: SortBy,
    /// Smallest or largest first.
    pub order: SortOrder,
}

impl Sort {
    /// All orders with their names in the select.
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

    /// The order with that name; `None` leaves the order to the service.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find_map(|(known, sort)| (known == name).then_some(sort))
    }

    /// The name in the select.
    pub fn name(self) -> &'static str {
        Self::ALL
            .into_iter()
            .find_map(|(name, sort)| (sort == self).then_some(name))
            .unwrap_or_default()
    }
}

/// A filter that can be named and taken away by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facet {
    /// The attendee's e-mail address.
    Email,
    /// The attendee's name.
    Name,
    /// The booking's identifier.
    Uid,
    /// What was booked.
    EventTypes,
    /// The first day.
    FirstDay,
    /// The last day.
    LastDay,
}

impl Facet {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::Email,
        Self::Name,
        Self::Uid,
        Self::EventTypes,
        Self::FirstDay,
        Self::LastDay,
    ];
}

/// What the reader wants to see. Texts are as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filters {
    /// Any of these, in the order of [`StatusFilter::ALL`]; none means all bookings.
    pub statuses: Vec<StatusFilter>,
    /// The whole address.
    pub email: String,
    /// The whole name.
    pub name: String,
    /// The whole identifier.
    pub uid: String,
    /// Any of these.
    pub event_types: Vec<i64>,
    /// `YYYY-MM-DD`: bookings start on this day or later.
    pub first_day: String,
    /// `YYYY-MM-DD`: bookings end on this day or earlier.
    pub last_day: String,
    /// `None` leaves it to the service, which puts what is to come in the order in which it comes.
    pub sort: Option<Sort>,
    /// 1 to [`LARGEST_PAGE`].
    pub page_size: i64,
    /// Counted from 0.
    pub page: i64,
}

impl Filters {
    /// What is to come, on the first page.
    pub fn new(page_size: Option<i64>) -> Self {
        Self {
            statuses: vec![StatusFilter::Upcoming],
            email: String::new(),
            name: String::new(),
            uid: String::new(),
            event_types: Vec::new(),
            first_day: String::new(),
            last_day: String::new(),
            sort: None,
            page_size: page_size.unwrap_or(USUAL_PAGE).clamp(1, LARGEST_PAGE),
            page: 0,
        }
    }

    /// The sizes to choose from, with the one that holds.
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

    /// How many bookings come before the page.
    pub fn skip(&self) -> i64 {
        self.page.max(0).saturating_mul(self.page_size)
    }

    /// The query, given the first moment of a day in the zone that times are shown in.
    pub fn query(&self, start_of_day: impl Fn(CivilDate) -> Instant) -> BookingsQuery {
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
            after_start: day(&self.first_day).map(&start_of_day),
            // The end counts (contract 3.1), so the last day is asked for up to its last moment.
            before_end: day(&self.last_day)
                .map(|last| Instant(start_of_day(add_days(last, 1)).0.saturating_sub(1))),
            sort_start: order(SortBy::Start),
            sort_end: order(SortBy::End),
            sort_created: order(SortBy::Created),
            take: Some(self.page_size),
            skip: Some(self.skip()),
        }
    }

    /// Shows bookings of this status alone; `None` shows all.
    pub fn show_only(&mut self, status: Option<StatusFilter>) {
        self.statuses = status.into_iter().collect();
    }

    /// Shows bookings of these statuses, whatever their order.
    pub fn show(&mut self, statuses: &[StatusFilter]) {
        self.statuses = StatusFilter::ALL
            .into_iter()
            .filter(|status| statuses.contains(status))
            .collect();
    }

    /// Shows a status as well, or no longer.
    pub fn toggle(&mut self, status: StatusFilter) {
        let mut statuses = self.statuses.clone();
        if statuses.contains(&status) {
            statuses.retain(|held| *held != status);
        } else {
            statuses.push(status);
        }
        self.show(&statuses);
    }

    /// Whether `facet` restricts the list.
    pub fn holds(&self, facet: Facet) -> bool {
        match facet {
            Facet::Email => !self.email.trim().is_empty(),
            Facet::Name => !self.name.trim().is_empty(),
            Facet::Uid => !self.uid.trim().is_empty(),
            Facet::EventTypes => !self.event_types.is_empty(),
            Facet::FirstDay => day(&self.first_day).is_some(),
            Facet::LastDay => day(&self.last_day).is_some(),
        }
    }

    /// The filters that hold. The status is not one of them: it is always in sight.
    pub fn held(&self) -> Vec<Facet> {
        Facet::ALL
            .into_iter()
            .filter(|facet| self.holds(*facet))
            .collect()
    }

    /// Takes one filter away.
    pub fn release(&mut self, facet: Facet) {
        match facet {
            Facet::Email => self.email.clear(),
            Facet::Name => self.name.clear(),
            Facet::Uid => self.uid.clear(),
            Facet::EventTypes => self.event_types.clear(),
            Facet::FirstDay => self.first_day.clear(),
            Facet::LastDay => self.last_day.clear(),
        }
    }

    /// Takes all filters away. Status, order and page size stay.
    pub fn clear(&mut self) {
        for facet in Facet::ALL {
            self.release(facet);
        }
    }

    /// Whether the last day comes before the first: nothing can match.
    pub fn is_reversed(&self) -> bool {
        match (day(&self.first_day), day(&self.last_day)) {
            (Some(first), Some(last)) => last < first,
            _ => false,
        }
    }
}

/// A day as a date field gives it.
pub fn day(text: &str) -> Option<CivilDate> {
    text.trim().parse().ok()
}

/// Rows that follow each other on the same day, with that day. Rows keep their order.
pub fn by_day<T>(rows: Vec<T>, day: impl Fn(&T) -> CivilDate) -> Vec<(CivilDate, Vec<T>)> {
    let mut days: Vec<(CivilDate, Vec<T>)> = Vec::new();
    for row in rows {
        let day = day(&row);
        match days.last_mut() {
            Some((last, rows)) if *last == day => rows.push(row),
            _ => days.push((day, vec![row])),
        }
    }
    days
}

/// Where a page stands in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Number of the first booking shown, from 1; 0 if none is.
    pub first: i64,
    /// Number of the last booking shown.
    pub last: i64,
    /// How many there are; `None` if the service did not say.
    pub total: Option<i64>,
    /// Counted from 0.
    pub page: i64,
    /// Counted from 0.
    pub last_page: Option<i64>,
    /// Whether a page follows.
    pub has_next: bool,
}

impl Span {
    /// The span of a page of `returned` bookings. What was asked and what came is believed before
    /// what the service says about it.
    pub fn of(filters: &Filters, returned: usize, told: Option<Pagination>) -> Self {
        let (skip, take) = (filters.skip(), filters.page_size.max(1));
        let returned = i64::try_from(returned).unwrap_or(0);
        let last = if returned == 0 { 0 } else { skip + returned };
        let total = told
            .map(|told| told.total_items)
            .filter(|total| *total >= 0)
            .map(|total| total.max(last));
        Self {
            first: if returned == 0 { 0 } else { skip + 1 },
            last,
            total,
            page: filters.page,
            last_page: total.map(|total| (total - 1).max(0) / take),
            has_next: total.map_or(returned >= take, |total| skip + take < total),
        }
    }

    /// The page to go to instead of an empty one, when the list has become shorter. Always an
    /// earlier page, so that going there ends whatever the service says.
    pub fn page_instead(self) -> Option<i64> {
        (self.last == 0 && self.page > 0).then(|| {
            let before = self.page - 1;
            self.last_page.map_or(before, |last| last.min(before))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> CivilDate {
        text.parse().unwrap()
    }

    /// Rome: one hour ahead in winter, two after 28 March 2027.
    fn rome(day: CivilDate) -> Instant {
        let offset = if day > date("2027-03-28") { 2 } else { 1 };
        Instant::parse(&format!("{day}T00:00:00+0{offset}:00")).unwrap()
    }

    fn pairs(change: impl Fn(&mut Filters)) -> String {
        let mut filters = Filters::new(None);
        change(&mut filters);
        filters
            .query(rome)
            .pairs()
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn each_filter_becomes_its_parameter() {
        type Change = fn(&mut Filters);
        let cases: [(Change, &str); 16] = [
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
                |filters| filters.first_day = "2027-03-28".into(),
                "status=upcoming afterStart=2027-03-27T23:00:00.000Z take=20 skip=0",
            ),
            (
                // The last day is the short one: it has 23 hours.
                |filters| filters.last_day = "2027-03-28".into(),
                "status=upcoming beforeEnd=2027-03-28T21:59:59.999Z take=20 skip=0",
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
                pairs(|filters| filters.first_day = text.into()),
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

    #[test]
    fn rows_are_grouped_while_their_day_stays_the_same() {
        let rows = [
            ("2027-03-01", 1),
            ("2027-03-01", 2),
            ("2027-03-02", 3),
            ("2027-03-01", 4),
        ];
        let days = by_day(rows.to_vec(), |(day, _)| date(day));
        let numbers: Vec<Vec<i32>> = days
            .iter()
            .map(|(_, rows)| rows.iter().map(|(_, number)| *number).collect())
            .collect();
        assert_eq!(numbers, [vec![1, 2], vec![3], vec![4]]);
        assert_eq!(by_day(Vec::<i32>::new(), |_| date("2027-03-01")), []);
    }

    #[test]
    fn a_page_knows_its_place_whatever_the_service_says() {
        let told = |total| {
            Some(Pagination {
                total_items: total,
                ..Pagination::default()
            })
        };
        // page, returned, told, first, last, total, last page, has next
        for (page, returned, told, expected) in [
            (2, 20, told(302), (41, 60, Some(302), Some(15), true)),
            (15, 2, told(302), (301, 302, Some(302), Some(15), false)),
            (0, 0, told(0), (0, 0, Some(0), Some(0), false)),
            (0, 20, told(20), (1, 20, Some(20), Some(0), false)),
            // Fewer than are on the page.
            (1, 20, told(7), (21, 40, Some(40), Some(1), false)),
            (0, 3, told(-1), (1, 3, None, None, false)),
            // Some could not be read by the service itself: the next page still begins at 20.
            (0, 15, told(302), (1, 15, Some(302), Some(15), true)),
            (0, 20, None, (1, 20, None, None, true)),
            (1, 5, None, (21, 25, None, None, false)),
        ] {
            let mut filters = Filters::new(None);
            filters.page = page;
            let span = Span::of(&filters, returned, told);
            let found = (
                span.first,
                span.last,
                span.total,
                span.last_page,
                span.has_next,
            );
            assert_eq!(found, expected, "page {page}, {returned} returned");
        }
    }

    #[test]
    fn an_empty_page_gives_way_to_one_that_exists() {
        for (page, returned, total, instead) in [
            (0, 0, Some(0), None),
            (3, 20, Some(80), None),
            (3, 0, Some(45), Some(2)),
            (3, 0, Some(0), Some(0)),
            (3, 0, None, Some(2)),
            // A service that promises more than it gives must not be asked forever.
            (3, 0, Some(900), Some(2)),
        ] {
            let mut filters = Filters::new(None);
            filters.page = page;
            let told = total.map(|total_items| Pagination {
                total_items,
                ..Pagination::default()
            });
            let span = Span::of(&filters, returned, told);
            assert_eq!(span.page_instead(), instead, "page {page}, total {total:?}");
        }
    }
}
