//! Grouping by day, and the position of a page in its list. No DOM access.

use booking_wire::Pagination;

use super::model::Filters;
use crate::time::CivilDate;

/// Groups consecutive rows of the same day. Rows keep their order.
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

/// Position of a page in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Position of the first booking shown, from 1; 0 if none is.
    pub first: i64,
    /// Position of the last booking shown.
    pub last: i64,
    /// Total number of bookings; `None` if unknown.
    pub total: Option<i64>,
    /// Zero-based index.
    pub page: i64,
    /// Zero-based index.
    pub last_page: Option<i64>,
    /// True if a page follows.
    pub has_next: bool,
}

impl Span {
    /// Returns the span of a page of `returned` bookings. The actual request and response take
    /// precedence over the service's pagination.
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

    /// True if no booking was found at all, not only on this page.
    pub fn is_of_nothing(self) -> bool {
        self.last == 0 && self.page == 0
    }

    /// Page to show instead of an empty one, when the list has become shorter. Always an
    /// earlier page, so that the search ends whatever the service returns.
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
        // page, returned, total, first, last, total, last page, has next
        for (page, returned, told, expected) in [
            (2, 20, told(302), (41, 60, Some(302), Some(15), true)),
            (15, 2, told(302), (301, 302, Some(302), Some(15), false)),
            (0, 0, told(0), (0, 0, Some(0), Some(0), false)),
            (0, 20, told(20), (1, 20, Some(20), Some(0), false)),
            // Total below the actual count.
            (1, 20, told(7), (21, 40, Some(40), Some(1), false)),
            (0, 3, told(-1), (1, 3, None, None, false)),
            // The service omits bookings that it cannot read: the next page still begins at 20.
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
            // A wrong total of the service must not cause endless requests.
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
