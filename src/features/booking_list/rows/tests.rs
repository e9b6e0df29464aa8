use booking_wire::{BookingStatus, BookingUid};

use super::*;

fn booking(uid: &str) -> Booking {
    Booking {
        uid: BookingUid(uid.into()),
        ..Booking::default()
    }
}

fn rows(uids: &str) -> Vec<Row> {
    uids.split_whitespace()
        .map(|uid| Row::new(booking(uid)))
        .collect()
}

#[test]
fn missing_row_is_gone_unless_on_adjacent_page() {
    use RowChange::Gone;
    // shown, newer, first page, last page, gone, added
    for (shown, newer, is_first, is_last, gone, added) in [
        ("a b c", "a b c", true, true, "", 0),
        ("a b c", "a c", true, true, "b", 0),
        // A new first booking moved the last one to the next page.
        ("a b c", "n a b", true, false, "", 1),
        // A booking of the page before is gone: the first row moved there.
        ("a b c", "b c d", false, false, "", 1),
        ("a b c", "b c d", true, false, "a", 1),
        ("a b c", "", true, true, "a b c", 0),
        ("a b c", "x y z", false, false, "", 3),
        ("a b c", "c a b", true, true, "", 0),
    ] {
        let diff = diff_rows(&rows(shown), &rows(newer), is_first, is_last);
        let marked: Vec<&str> = diff
            .rows
            .iter()
            .filter(|row| row.change == Some(Gone))
            .map(|row| row.booking.uid.0.as_str())
            .collect();
        assert_eq!(marked.join(" "), gone, "{shown} -> {newer}");
        assert_eq!(diff.added, added, "{shown} -> {newer}");
        let order: Vec<&str> = diff
            .rows
            .iter()
            .map(|row| row.booking.uid.0.as_str())
            .collect();
        assert_eq!(order.join(" "), shown, "rows stay where they are");
    }
}

#[test]
fn changed_row_stays_marked() {
    let shown = rows("a b");
    let mut cancelled = booking("b");
    cancelled.status = BookingStatus::Cancelled;
    let newer = [Row::new(booking("a")), Row::new(cancelled)];
    let once = diff_rows(&shown, &newer, true, true).rows;
    assert_eq!(once[0], shown[0]);
    assert_eq!(once[1].change, Some(RowChange::Changed));
    assert_eq!(once[1].booking.status, BookingStatus::Cancelled);
    let twice = diff_rows(&once, &newer, true, true).rows;
    assert_eq!(twice, once);
}

#[test]
fn returned_row_is_changed() {
    let gone = diff_rows(&rows("a b c"), &rows("a c"), true, true).rows;
    let back = diff_rows(&gone, &rows("a b c"), true, true).rows;
    assert_eq!(back[1].change, Some(RowChange::Changed));
}

#[test]
fn changes_replace_bookings_in_their_rows() {
    let mut changed = booking("b");
    changed.status = BookingStatus::Rejected;
    let diff = with_changes(&rows("a b c"), &[changed, booking("z")]);
    assert_eq!(diff.len(), 3);
    assert_eq!(diff[1].booking.status, BookingStatus::Rejected);
    assert_eq!(diff[1].change, None);
    assert_eq!(diff[0].change, None);
}

#[test]
fn moved_booking_takes_the_row_of_the_old_one_and_neither_counts_as_new() {
    let shown = rows("a b c");
    let new = Booking {
        rescheduled_from_uid: Some(BookingUid("b".into())),
        ..booking("z")
    };
    let moved = with_move(&shown, "b", &new).unwrap();
    let uids = |rows: &[Row]| {
        let uids: Vec<&str> = rows.iter().map(|row| row.booking.uid.0.as_str()).collect();
        uids.join(" ")
    };
    assert_eq!(uids(&moved), "a z c");
    let old = Booking {
        status: BookingStatus::Cancelled,
        rescheduled_to_uid: Some(new.uid.clone()),
        ..booking("b")
    };
    // The service may sort the new booking elsewhere, or on another page, and may still list the old one.
    for newer in [
        vec![booking("a"), old.clone(), booking("c"), new.clone()],
        vec![booking("a"), booking("c"), new.clone()],
        vec![booking("a"), old, booking("c")],
    ] {
        let newer: Vec<Row> = newer.into_iter().map(Row::new).collect();
        let diff = diff_rows(&moved, &newer, true, true);
        assert_eq!((uids(&diff.rows).as_str(), diff.added), ("a z c", 0));
        assert_eq!(diff.rows[1].change, Some(RowChange::Moved));
    }
    assert_eq!(with_move(&shown, "x", &new), None);
    assert_eq!(with_move(&shown, "b", &booking("c")), None);
}

#[test]
fn confirmed_row_says_so_until_it_changes_again() {
    let with_status = |status| Booking {
        status,
        ..booking("a")
    };
    let pending = [Row::new(with_status(BookingStatus::Pending))];
    let accepted = with_status(BookingStatus::Accepted);
    let confirmed = with_changes(&pending, std::slice::from_ref(&accepted));
    assert_eq!(confirmed[0].change, Some(RowChange::Confirmed));
    let reloaded = diff_rows(&confirmed, &[Row::new(accepted.clone())], true, true);
    assert_eq!(reloaded.rows[0].change, Some(RowChange::Confirmed));
    // The list of unconfirmed bookings does not have it any more, which the row says too.
    let left = diff_rows(&confirmed, &[], true, true);
    assert_eq!(left.rows[0].change, Some(RowChange::ConfirmedAndGone));
    let left = diff_rows(&left.rows, &[], true, true);
    assert_eq!(left.rows[0].change, Some(RowChange::ConfirmedAndGone));
    // Another change of an accepted booking is not marked.
    let again = with_changes(&confirmed, &[accepted]);
    assert_eq!(again[0].change, None);
}

#[test]
fn series_rows_follow_their_first() {
    let in_series = |uid: &str, series: Option<&str>| Booking {
        recurring_booking_uid: series.map(str::to_owned),
        ..booking(uid)
    };
    let all = [
        in_series("a", Some("s")),
        in_series("b", None),
        in_series("c", Some("t")),
        in_series("d", Some("s")),
        in_series("e", None),
    ];
    let rows = all.into_iter().map(Row::new).enumerate().collect();
    let groups = by_series(rows);
    let names: Vec<String> = groups
        .iter()
        .map(|((_, lead), others)| {
            let others = others.iter().map(|(_, row)| row.booking.uid.0.as_str());
            std::iter::once(lead.booking.uid.0.as_str())
                .chain(others)
                .collect()
        })
        .collect();
    assert_eq!(names, ["ad", "b", "c", "e"]);
}

fn date(text: &str) -> CivilDate {
    text.parse().unwrap()
}

#[test]
fn consecutive_rows_of_a_day_are_grouped() {
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
fn page_range_corrects_wrong_pagination() {
    let pagination = |total| {
        Some(Pagination {
            total_items: total,
            ..Pagination::default()
        })
    };
    // page, returned, total, first, last, total, last page, has next
    for (page, returned, pagination, expected) in [
        (2, 20, pagination(302), (41, 60, Some(302), Some(15), true)),
        (
            15,
            2,
            pagination(302),
            (301, 302, Some(302), Some(15), false),
        ),
        (0, 0, pagination(0), (0, 0, Some(0), Some(0), false)),
        (0, 20, pagination(20), (1, 20, Some(20), Some(0), false)),
        // Total below the actual count.
        (1, 20, pagination(7), (21, 40, Some(40), Some(1), false)),
        (0, 3, pagination(-1), (1, 3, None, None, false)),
        // The service omits bookings that it cannot read: the next page still begins at 20.
        (0, 15, pagination(302), (1, 15, Some(302), Some(15), true)),
        (0, 20, None, (1, 20, None, None, true)),
        (1, 5, None, (21, 25, None, None, false)),
    ] {
        let mut filters = Filters::new(None);
        filters.page = page;
        let range = PageRange::of(&filters, returned, pagination);
        let diff = (
            range.first,
            range.last,
            range.total,
            range.last_page,
            range.has_next,
        );
        assert_eq!(diff, expected, "page {page}, {returned} returned");
    }
}

#[test]
fn empty_page_is_replaced_by_existing_one() {
    for (page, returned, total, expected) in [
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
        let pagination = total.map(|total_items| Pagination {
            total_items,
            ..Pagination::default()
        });
        let range = PageRange::of(&filters, returned, pagination);
        assert_eq!(
            range.page_instead(),
            expected,
            "page {page}, total {total:?}"
        );
    }
}
