//! Booking windows.

use super::*;
use crate::BookingWindow;

#[test]
fn window_of_days_ends_with_its_last_day() {
    let hosts = [host(1, "UTC", &EVERY_DAY, 540, 600)];
    // Monday 2027-03-01; three calendar days reach to Thursday.
    let calendar = Rules {
        window: BookingWindow::Ahead {
            days: 3,
            business: false,
        },
        ..rules(60)
    };
    let range = ("2027-03-01T00:00:00Z", "2027-03-20T00:00:00Z");
    assert_eq!(
        starts(
            &calendar,
            &hosts,
            "UTC",
            "2027-03-01T05:00:00Z",
            range.0,
            range.1
        ),
        ["03-01 09:00", "03-02 09:00", "03-03 09:00", "03-04 09:00"]
    );
    // From Thursday 2027-03-04, two business days reach over the weekend to Monday.
    let business = Rules {
        window: BookingWindow::Ahead {
            days: 2,
            business: true,
        },
        ..rules(60)
    };
    let found = starts(
        &business,
        &hosts,
        "UTC",
        "2027-03-04T05:00:00Z",
        range.0,
        range.1,
    );
    assert_eq!(found.last().map(String::as_str), Some("03-08 09:00"));
    assert_eq!(found.len(), 5);
}

#[test]
fn rolling_window_counts_days_with_free_times() {
    let hosts = [host(1, "UTC", &[1, 3], 540, 600)];
    let rules = Rules {
        window: BookingWindow::Rolling {
            days: 3,
            business: false,
        },
        ..rules(60)
    };
    let range = ("2027-03-01T00:00:00Z", "2027-03-31T00:00:00Z");
    let found = starts(
        &rules,
        &hosts,
        "UTC",
        "2027-03-01T05:00:00Z",
        range.0,
        range.1,
    );
    assert_eq!(found, ["03-01 09:00", "03-03 09:00", "03-08 09:00"]);
    let calendar = calendar_of(&hosts);
    let search = SlotSearch {
        rules: &rules,
        calendar: &calendar,
        zone: &UTC,
        now: at("2027-03-01T05:00:00Z"),
    };
    assert!(decide(search, candidate(at("2027-03-08T09:00:00Z"), false)).is_ok());
    assert_eq!(
        decide(search, candidate(at("2027-03-10T09:00:00Z"), false)),
        Err(UnavailableReason::OutsideWindow)
    );
}

#[test]
fn range_window_covers_whole_days_in_the_zone_of_the_schedule() {
    let hosts = [host(1, "Europe/Berlin", &EVERY_DAY, 0, 1439)];
    let window = BookingWindow::Between {
        from: date("2027-03-02"),
        to: date("2027-03-02"),
    };
    let rules = Rules {
        window,
        ..rules(720)
    };
    let found = starts(
        &rules,
        &hosts,
        "UTC",
        LONG_BEFORE,
        "2027-02-25T00:00:00Z",
        "2027-03-10T00:00:00Z",
    );
    assert_eq!(found, ["03-01 23:00", "03-02 11:00"]);
}
