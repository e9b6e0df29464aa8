use std::collections::{BTreeSet, HashSet};

use booking_wire::{BookingUid, Pagination};

use super::*;

/// Service with changing bookings, ordered by their numbers.
struct Service {
    rows: BTreeSet<u32>,
    /// Pagination that it reports.
    reported: fn(total: i64, take: i64, skip: i64) -> Option<Pagination>,
    /// Selects bookings that are sent in an unreadable form.
    unreadable: fn(u32) -> bool,
    /// Selects bookings that are left out of its pages.
    omitted: fn(u32) -> bool,
    max: i64,
}

fn exact(total: i64, take: i64, skip: i64) -> Option<Pagination> {
    Some(Pagination::new(total, take, skip))
}

fn none(_: u32) -> bool {
    false
}

impl Service {
    fn of(rows: impl IntoIterator<Item = u32>) -> Self {
        Self {
            rows: rows.into_iter().collect(),
            reported: exact,
            unreadable: none,
            omitted: none,
            max: 250,
        }
    }

    fn page(&self, take: i64, skip: i64) -> Page<Booking> {
        let take = take.min(self.max);
        let rows: Vec<u32> = self
            .rows
            .iter()
            .skip(usize::try_from(skip).unwrap())
            .take(usize::try_from(take).unwrap())
            .filter(|row| !(self.omitted)(**row))
            .copied()
            .collect();
        let total = i64::try_from(self.rows.len()).unwrap();
        let items = rows.iter().filter(|row| !(self.unreadable)(**row));
        Page {
            items: items.map(|row| booking(*row)).collect(),
            unreadable: rows.iter().filter(|row| (self.unreadable)(**row)).count(),
            pagination: (self.reported)(total, take, skip),
            is_searchable: false,
        }
    }
}

fn booking(row: u32) -> Booking {
    Booking {
        uid: BookingUid(format!("bk{row}")),
        ..Booking::default()
    }
}

fn row_of(booking: &Booking) -> u32 {
    booking.uid.0.trim_start_matches("bk").parse().unwrap()
}

/// Bookings found on all pages, and number of requested pages. `after_page` runs after each.
fn read_all(
    service: &mut Service,
    take: i64,
    mut after_page: impl FnMut(&mut Service, usize),
) -> (Vec<u32>, usize, PageCursor) {
    let mut cursor = PageCursor::new(take, None);
    let mut found = Vec::new();
    for pages in 1..2_000 {
        let page = service.page(cursor.take(), cursor.skip());
        let (bookings, is_last) = match cursor.take_page(page) {
            PageResult::More(bookings) => (bookings, false),
            PageResult::Last(bookings) => (bookings, true),
            PageResult::Gap => (Vec::new(), false),
        };
        found.extend(bookings.iter().map(row_of));
        if is_last {
            assert_eq!(cursor.found(), found.len());
            return (found, pages, cursor);
        }
        after_page(service, pages);
    }
    panic!("the iteration does not end");
}

fn unchanged(_: &mut Service, _: usize) {}

#[test]
fn unchanged_list_is_found_in_order() {
    for (count, pages) in [
        (0, 1),
        (1, 1),
        (249, 1),
        (250, 2),
        (251, 2),
        (490, 2),
        (491, 3),
        (10_000, 42),
    ] {
        let rows: Vec<u32> = (0..count).collect();
        let (found, requested, cursor) = read_all(&mut Service::of(rows.clone()), 250, unchanged);
        assert_eq!(found, rows);
        assert!(requested.abs_diff(pages) <= 1, "{count}: {requested} pages");
        assert_eq!(cursor.unreadable(), 0);
        assert_eq!(cursor.total(), usize::try_from(count).ok());
    }
}

#[test]
fn wrong_total_does_not_end_iteration() {
    type Reported = fn(i64, i64, i64) -> Option<Pagination>;
    let cases: [(&str, Reported); 6] = [
        ("nothing", |_, _, _| None),
        ("fewer than there are", |_, take, skip| exact(7, take, skip)),
        ("none", |_, take, skip| exact(0, take, skip)),
        ("less than none", |_, _, _| {
            Some(Pagination {
                total_items: -1,
                ..Pagination::default()
            })
        }),
        ("more than there are", |total, take, skip| {
            exact(total + 600, take, skip)
        }),
        ("another number each time", |total, take, skip| {
            exact(total - skip, take, skip)
        }),
    ];
    for (name, reported) in cases {
        for count in [0, 3, 250, 700] {
            let mut service = Service::of(0..count);
            service.reported = reported;
            let (found, pages, _) = read_all(&mut service, 250, unchanged);
            assert_eq!(found, (0..count).collect::<Vec<_>>(), "{name}");
            assert!(pages < 14, "{name}: {pages} pages for {count}");
        }
    }
}

#[test]
fn short_pages_are_all_read() {
    for max in [1, 2, 7, 20, 100] {
        let mut service = Service::of(0..300);
        service.max = max;
        let (found, ..) = read_all(&mut service, 250, unchanged);
        assert_eq!(found, (0..300).collect::<Vec<_>>(), "{max}");
    }
}

#[test]
fn repeated_page_ends_iteration() {
    let mut cursor = PageCursor::new(250, None);
    let service = Service::of(0..900);
    for pages in 1.. {
        if let PageResult::Last(_) = cursor.take_page(service.page(250, 0)) {
            assert_eq!((cursor.found(), pages), (250, 2));
            return;
        }
    }
}

#[test]
fn unreadable_bookings_are_counted() {
    for (unreadable, count) in [
        ((|row| row == 245) as fn(u32) -> bool, 1),
        (|row| row % 100 == 42, 7),
        (|row| (240..250).contains(&row), 10),
        (|row| (230..500).contains(&row), 270),
    ] {
        let mut service = Service::of(0..700);
        service.unreadable = unreadable;
        let (found, _, cursor) = read_all(&mut service, 250, unchanged);
        let expected: Vec<u32> = (0..700).filter(|row| !unreadable(*row)).collect();
        assert_eq!(found, expected);
        assert_eq!(cursor.unreadable(), count);
    }
}

#[test]
fn omitted_bookings_do_not_end_iteration() {
    for omitted in [
        (|row| row % 5 == 1) as fn(u32) -> bool,
        (|row| (235..260).contains(&row)),
        (|row| row < 30),
    ] {
        let mut service = Service::of(0..700);
        service.omitted = omitted;
        let (found, ..) = read_all(&mut service, 250, unchanged);
        let expected: Vec<u32> = (0..700).filter(|row| !omitted(*row)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn shrinking_list_ends_iteration() {
    // Everything found so far is removed, and part of the rest.
    let mut service = Service::of(0..1_000);
    let (found, pages, _) = read_all(&mut service, 250, |service, pages| {
        if pages == 2 {
            service.rows.retain(|row| *row >= 700);
        }
    });
    let expected: Vec<u32> = (0..490).chain(700..1_000).collect();
    assert_eq!(found, expected);
    assert!(pages < 12, "{pages}");
    // Everything is removed.
    let mut service = Service::of(0..1_000);
    let (found, ..) = read_all(&mut service, 250, |service, _| service.rows.clear());
    assert_eq!(found, (0..250).collect::<Vec<_>>());
}

/// SplitMix64 generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

#[test]
fn unchanged_bookings_are_found_once_despite_changes() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let take = [25, 60, 250][usize::try_from(seed % 3).unwrap()];
        let count = random.below(900);
        let initial: Vec<u32> = (0..count)
            .map(|_| u32::try_from(random.below(100_000)).unwrap())
            .collect();
        let mut service = Service::of(initial);
        service.reported = [exact, |_, _, _| None][usize::try_from(seed % 2).unwrap()];
        let mut kept: HashSet<u32> = service.rows.iter().copied().collect();
        let mut all = kept.clone();
        let changes = random.below(60);
        let (found, ..) = read_all(&mut service, take, |service, pages| {
            // Changes end at some point: no iteration can keep up with endless ones.
            if pages > 60 {
                return;
            }
            for _ in 0..random.below(changes + 1) {
                let row = u32::try_from(random.below(100_000)).unwrap();
                if random.below(2) == 0 {
                    service.rows.insert(row);
                    all.insert(row);
                } else if let Some(near) = service.rows.range(row..).next().copied() {
                    service.rows.remove(&near);
                    kept.remove(&near);
                }
            }
        });
        let once: HashSet<u32> = found.iter().copied().collect();
        assert_eq!(once.len(), found.len(), "seed {seed}: one was found twice");
        let missed: Vec<_> = kept.difference(&once).collect();
        assert!(missed.is_empty(), "seed {seed}: missed {missed:?}");
        assert!(once.is_subset(&all), "seed {seed}: made up");
    }
}

#[test]
fn uid_hashes_stay_distinct() {
    let mut seen = UidHashes::default();
    for row in 0..5_000 {
        let hash = uid_hash(&booking(row));
        assert!(!seen.contains(hash));
        assert!(seen.add(hash));
        assert!(seen.contains(hash) && !seen.add(hash));
    }
    assert_eq!(seen.count, 5_000);
    assert!(seen.entries.len() <= 16_384);
}
