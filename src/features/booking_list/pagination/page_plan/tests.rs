use std::collections::{BTreeSet, HashSet};

use booking_wire::{BookingUid, Pagination};

use super::*;

/// Service with changing bookings, ordered by their numbers.
struct Service {
    rows: BTreeSet<u32>,
    /// Pagination that it reports.
    told: fn(total: i64, take: i64, skip: i64) -> Option<Pagination>,
    /// Selects bookings that are sent in an unreadable form.
    odd: fn(u32) -> bool,
    /// Selects bookings that are left out of its pages.
    left_out: fn(u32) -> bool,
    most: i64,
}

fn honest(total: i64, take: i64, skip: i64) -> Option<Pagination> {
    Some(Pagination::new(total, take, skip))
}

fn none(_: u32) -> bool {
    false
}

impl Service {
    fn of(rows: impl IntoIterator<Item = u32>) -> Self {
        Self {
            rows: rows.into_iter().collect(),
            told: honest,
            odd: none,
            left_out: none,
            most: 250,
        }
    }

    fn page(&self, take: i64, skip: i64) -> Page<Booking> {
        let take = take.min(self.most);
        let rows: Vec<u32> = self
            .rows
            .iter()
            .skip(usize::try_from(skip).unwrap())
            .take(usize::try_from(take).unwrap())
            .filter(|row| !(self.left_out)(**row))
            .copied()
            .collect();
        let total = i64::try_from(self.rows.len()).unwrap();
        let items = rows.iter().filter(|row| !(self.odd)(**row));
        Page {
            items: items.map(|row| booking(*row)).collect(),
            unreadable: rows.iter().filter(|row| (self.odd)(**row)).count(),
            pagination: (self.told)(total, take, skip),
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

/// Bookings found by a whole walk, and number of requested pages. `meanwhile` runs after each.
fn walk(
    service: &mut Service,
    take: i64,
    mut meanwhile: impl FnMut(&mut Service, usize),
) -> (Vec<u32>, usize, Plan) {
    let mut plan = Plan::new(take, None);
    let mut met = Vec::new();
    for pages in 1..2_000 {
        let page = service.page(plan.take(), plan.skip());
        let (bookings, is_last) = match plan.take_page(page) {
            Found::Some(bookings) => (bookings, false),
            Found::Last(bookings) => (bookings, true),
            Found::Gap => (Vec::new(), false),
        };
        met.extend(bookings.iter().map(row_of));
        if is_last {
            assert_eq!(plan.met(), met.len());
            return (met, pages, plan);
        }
        meanwhile(service, pages);
    }
    panic!("the walk does not end");
}

fn quiet(_: &mut Service, _: usize) {}

#[test]
fn a_list_that_rests_is_met_whole_and_in_order() {
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
        let (met, asked, plan) = walk(&mut Service::of(rows.clone()), 250, quiet);
        assert_eq!(met, rows);
        assert!(asked.abs_diff(pages) <= 1, "{count}: {asked} pages");
        assert_eq!(plan.odd(), 0);
        assert_eq!(plan.total(), usize::try_from(count).ok());
    }
}

#[test]
fn it_goes_on_for_as_long_as_pages_come_whatever_is_said_about_them() {
    type Told = fn(i64, i64, i64) -> Option<Pagination>;
    let cases: [(&str, Told); 6] = [
        ("nothing", |_, _, _| None),
        ("fewer than there are", |_, take, skip| {
            honest(7, take, skip)
        }),
        ("none", |_, take, skip| honest(0, take, skip)),
        ("less than none", |_, _, _| {
            Some(Pagination {
                total_items: -1,
                ..Pagination::default()
            })
        }),
        ("more than there are", |total, take, skip| {
            honest(total + 600, take, skip)
        }),
        ("another number each time", |total, take, skip| {
            honest(total - skip, take, skip)
        }),
    ];
    for (what, told) in cases {
        for count in [0, 3, 250, 700] {
            let mut service = Service::of(0..count);
            service.told = told;
            let (met, pages, _) = walk(&mut service, 250, quiet);
            assert_eq!(met, (0..count).collect::<Vec<_>>(), "{what}");
            assert!(pages < 14, "{what}: {pages} pages for {count}");
        }
    }
}

#[test]
fn a_service_that_gives_fewer_than_are_asked_for_is_met_whole() {
    for most in [1, 2, 7, 20, 100] {
        let mut service = Service::of(0..300);
        service.most = most;
        let (met, ..) = walk(&mut service, 250, quiet);
        assert_eq!(met, (0..300).collect::<Vec<_>>(), "{most}");
    }
}

#[test]
fn a_service_that_knows_one_page_only_is_not_asked_forever() {
    let mut plan = Plan::new(250, None);
    let service = Service::of(0..900);
    for pages in 1.. {
        if let Found::Last(_) = plan.take_page(service.page(250, 0)) {
            assert_eq!((plan.met(), pages), (250, 2));
            return;
        }
    }
}

#[test]
fn what_cannot_be_read_is_counted_and_costs_nothing_else() {
    for (odd, count) in [
        ((|row| row == 245) as fn(u32) -> bool, 1),
        (|row| row % 100 == 42, 7),
        (|row| (240..250).contains(&row), 10),
        (|row| (230..500).contains(&row), 270),
    ] {
        let mut service = Service::of(0..700);
        service.odd = odd;
        let (met, _, plan) = walk(&mut service, 250, quiet);
        let expected: Vec<u32> = (0..700).filter(|row| !odd(*row)).collect();
        assert_eq!(met, expected);
        assert_eq!(plan.odd(), count);
    }
}

#[test]
fn what_a_service_leaves_out_itself_does_not_end_the_walk() {
    for left_out in [
        (|row| row % 5 == 1) as fn(u32) -> bool,
        (|row| (235..260).contains(&row)),
        (|row| row < 30),
    ] {
        let mut service = Service::of(0..700);
        service.left_out = left_out;
        let (met, ..) = walk(&mut service, 250, quiet);
        let expected: Vec<u32> = (0..700).filter(|row| !left_out(*row)).collect();
        assert_eq!(met, expected);
    }
}

#[test]
fn a_list_that_shrinks_under_the_walk_ends_it_properly() {
    // Everything found so far is removed, and part of the rest.
    let mut service = Service::of(0..1_000);
    let (met, pages, _) = walk(&mut service, 250, |service, pages| {
        if pages == 2 {
            service.rows.retain(|row| *row >= 700);
        }
    });
    let expected: Vec<u32> = (0..490).chain(700..1_000).collect();
    assert_eq!(met, expected);
    assert!(pages < 12, "{pages}");
    // Everything is removed.
    let mut service = Service::of(0..1_000);
    let (met, ..) = walk(&mut service, 250, |service, _| service.rows.clear());
    assert_eq!(met, (0..250).collect::<Vec<_>>());
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
fn whatever_comes_and_goes_what_stays_is_met_once() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let take = [25, 60, 250][usize::try_from(seed % 3).unwrap()];
        let count = random.below(900);
        let at_first: Vec<u32> = (0..count)
            .map(|_| u32::try_from(random.below(100_000)).unwrap())
            .collect();
        let mut service = Service::of(at_first);
        service.told = [honest, |_, _, _| None][usize::try_from(seed % 2).unwrap()];
        let mut stays: HashSet<u32> = service.rows.iter().copied().collect();
        let mut ever = stays.clone();
        let changes = random.below(60);
        let (met, ..) = walk(&mut service, take, |service, pages| {
            // Changes end at some point: no walk can keep up with endless ones.
            if pages > 60 {
                return;
            }
            for _ in 0..random.below(changes + 1) {
                let row = u32::try_from(random.below(100_000)).unwrap();
                if random.below(2) == 0 {
                    service.rows.insert(row);
                    ever.insert(row);
                } else if let Some(near) = service.rows.range(row..).next().copied() {
                    service.rows.remove(&near);
                    stays.remove(&near);
                }
            }
        });
        let once: HashSet<u32> = met.iter().copied().collect();
        assert_eq!(once.len(), met.len(), "seed {seed}: one was met twice");
        let missed: Vec<_> = stays.difference(&once).collect();
        assert!(missed.is_empty(), "seed {seed}: missed {missed:?}");
        assert!(once.is_subset(&ever), "seed {seed}: made up");
    }
}

#[test]
fn marks_are_kept_apart_however_many_there_are() {
    let mut known = Known::default();
    for row in 0..5_000 {
        let mark = mark(&booking(row));
        assert!(!known.holds(mark));
        assert!(known.add(mark));
        assert!(known.holds(mark) && !known.add(mark));
    }
    assert_eq!(known.count, 5_000);
    assert!(known.places.len() <= 16_384);
}
