use booking_ui::prelude::*;
use booking_wire::BookingUid;

use super::*;

fn rows(uids: &str) -> Vec<Row> {
    let booking = |uid: &str| Booking {
        uid: BookingUid(uid.into()),
        ..Booking::default()
    };
    uids.split_whitespace()
        .map(|uid| Row::new(booking(uid)))
        .collect()
}

fn uids(selection: Selection) -> String {
    match selection.selected.get_untracked() {
        SelectedBookings::All => "all".to_owned(),
        SelectedBookings::These(bookings) => {
            let mut uids: Vec<_> = bookings.iter().map(|one| one.uid.0.as_str()).collect();
            uids.sort_unstable();
            uids.join(" ")
        }
    }
}

#[test]
fn range_starts_at_last_selected_row() {
    Owner::new().with(|| {
        let page = rows("a b c d e");
        let order = [0, 1, 2, 3, 4];
        let selection = Selection::new();
        // index, selected, range, expected
        for (index, is_selected, is_range, expected) in [
            (1, true, false, "b"),
            (3, true, true, "b c d"),
            // From the same row, backwards.
            (0, true, true, "a b c d"),
            (2, false, false, "a b d"),
            (4, false, true, "a b"),
            (4, true, false, "a b e"),
        ] {
            if is_range {
                selection.extend_to(&page, &order, index, is_selected);
            } else {
                selection.set(&page, index, is_selected);
            }
            assert_eq!(uids(selection), expected);
        }
        selection.clear();
        selection.extend_to(&page, &order, 3, true);
        assert_eq!(uids(selection), "d", "without a start there is no range");
    });
}

#[test]
fn range_follows_display_order() {
    Owner::new().with(|| {
        // The meetings of a series are grouped, and one of them is collapsed.
        let page = rows("s1 x s2 y s3");
        let order = [0, 2, 1, 3];
        let selection = Selection::new();
        selection.set(&page, 0, true);
        selection.extend_to(&page, &order, 2, true);
        assert_eq!(uids(selection), "s1 s2");
        selection.extend_to(&page, &order, 1, true);
        assert_eq!(uids(selection), "s1 s2 x");
    });
}

#[test]
fn range_grows_and_shrinks_by_keyboard() {
    Owner::new().with(|| {
        let page = rows("a b c d");
        let order = [0, 1, 2, 3];
        let selection = Selection::new();
        selection.set(&page, 1, true);
        for (from, to, expected) in [
            (1, 2, "b c"),
            (2, 3, "b c d"),
            (3, 2, "b c"),
            (2, 1, "b"),
            (1, 0, "a b"),
            (0, 1, "b"),
        ] {
            selection.move_range_end(&page, &order, from, to);
            assert_eq!(uids(selection), expected, "{from} to {to}");
        }
    });
}

#[test]
fn selection_contains_newest_versions() {
    Owner::new().with(|| {
        let page = rows("a b");
        let selection = Selection::new();
        selection.set_page(&page, true);
        let title = "Moved".to_owned();
        let changed = Booking {
            title,
            ..(*page[1].booking).clone()
        };
        selection.update_bookings(&[changed]);
        let Some(Scope::These(bookings)) = selection.scope(BookingsQuery::default(), None) else {
            panic!("bookings are selected");
        };
        let titles: Vec<&str> = bookings
            .iter()
            .map(|bookings| bookings.title.as_str())
            .collect();
        assert_eq!(titles, ["", "Moved"]);
        selection.update_rows(&page);
        selection.update_rows(&rows("z"));
        assert_eq!(uids(selection), "a b");
    });
}

#[test]
fn selection_survives_page_change() {
    Owner::new().with(|| {
        let (one, other) = (rows("a b"), rows("c d"));
        let selection = Selection::new();
        selection.set_page(&one, true);
        assert_eq!(selection.page_state(&one), TriState::All);
        selection.reset_anchor();
        selection.extend_to(&other, &[0, 1], 1, true);
        assert_eq!(uids(selection), "a b d");
        assert_eq!(selection.page_state(&other), TriState::Some);
        selection.set_page(&other, false);
        assert_eq!(uids(selection), "a b");
        assert_eq!(selection.page_state(&other), TriState::None);
    });
}

#[test]
fn selection_of_all_matches_is_a_query() {
    Owner::new().with(|| {
        let page = rows("a b c");
        let selection = Selection::new();
        assert_eq!(selection.scope(BookingsQuery::default(), None), None);
        selection.set_all();
        let query = BookingsQuery {
            attendee_name: Some("Ada".into()),
            ..BookingsQuery::default()
        };
        let scope = selection.scope(query.clone(), Some(10_000));
        let total = Some(10_000);
        let query = Box::new(query);
        assert_eq!(scope, Some(Scope::Matching { query, total }));
        assert_eq!(selection.count(), None);
        assert_eq!(selection.page_state(&page), TriState::All);
        // Deselecting one leaves only the loaded rows.
        selection.set(&page, 1, false);
        assert_eq!(uids(selection), "a c");
    });
}
