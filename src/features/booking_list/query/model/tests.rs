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
        .query(&DayContext {
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
fn filter_becomes_query_parameter() {
    type Change = fn(&mut Filters);
    let cases: [(Change, &str); 23] = [
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
            |filters| filters.search = " zo łuk ".into(),
            "status=upcoming take=20 skip=0 search=zo łuk",
        ),
        (
            |filters| filters.search = "  ".into(),
            "status=upcoming take=20 skip=0",
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
                filters.dates = DateFilter::Custom;
                filters.first_day = "2027-03-28".into();
            },
            "status=upcoming afterStart=2027-03-27T23:00:00.000Z take=20 skip=0",
        ),
        (
            // The last day has only 23 hours.
            |filters| {
                filters.dates = DateFilter::Custom;
                filters.last_day = "2027-03-28".into();
            },
            "status=upcoming beforeEnd=2027-03-28T22:00:00.000Z take=20 skip=0",
        ),
        (
            |filters| filters.dates = DateFilter::Today,
            "status=upcoming afterStart=2027-03-02T23:00:00.000Z \
             beforeEnd=2027-03-03T23:00:00.000Z take=20 skip=0",
        ),
        (
            // From the Monday before to the Sunday after.
            |filters| filters.dates = DateFilter::ThisWeek,
            "status=upcoming afterStart=2027-02-28T23:00:00.000Z \
             beforeEnd=2027-03-07T23:00:00.000Z take=20 skip=0",
        ),
        (
            |filters| filters.dates = DateFilter::Next30Days,
            "status=upcoming afterStart=2027-03-02T23:00:00.000Z \
             beforeEnd=2027-04-01T22:00:00.000Z take=20 skip=0",
        ),
        (
            |filters| filters.dates = DateFilter::ThisMonth,
            "status=upcoming afterStart=2027-02-28T23:00:00.000Z \
             beforeEnd=2027-03-31T22:00:00.000Z take=20 skip=0",
        ),
        (
            |filters| filters.dates = DateFilter::LastMonth,
            "status=upcoming afterStart=2027-01-31T23:00:00.000Z \
             beforeEnd=2027-02-28T23:00:00.000Z take=20 skip=0",
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
fn incomplete_date_is_ignored() {
    for text in ["", "2027-03", "2027-02-30", "soon"] {
        assert_eq!(
            pairs(|filters| {
                filters.dates = DateFilter::Custom;
                filters.first_day = text.into();
            }),
            "status=upcoming take=20 skip=0",
            "{text}"
        );
    }
}

#[test]
fn sort_name_round_trips() {
    for (name, sort) in Sort::ALL {
        assert_eq!(Sort::parse(name), Some(sort));
        assert_eq!(sort.name(), name);
    }
    assert_eq!(Sort::parse(""), None);
}

#[test]
fn default_sort_is_not_sent() {
    use StatusFilter::{Cancelled, Past, Unconfirmed, Upcoming};
    let cases: [(&[StatusFilter], &str, &str); 6] = [
        (&[], "start-asc", "start-desc"),
        (&[Upcoming], "start-asc", "created-desc"),
        (&[Unconfirmed], "start-asc", "end-asc"),
        (&[Past], "start-desc", "start-asc"),
        (&[Cancelled], "start-desc", "end-desc"),
        (&[Past, Cancelled], "start-asc", "start-desc"),
    ];
    for (statuses, default, other) in cases {
        let mut filters = Filters::new(None);
        filters.show(statuses);
        assert_eq!(filters.shown_sort().name(), default);
        filters.sort_by(Sort::parse(other));
        assert_eq!(filters.sort, Sort::parse(other));
        assert_eq!(filters.shown_sort().name(), other);
        filters.sort_by(Sort::parse(default));
        assert_eq!(filters.sort, None, "{statuses:?}");
    }
}

#[test]
fn facets_are_removed_individually() {
    let mut filters = Filters::new(None);
    assert_eq!(filters.active_facets(), []);
    filters.email = "zoe@example.org".into();
    filters.name = "   ".into();
    filters.event_types = vec![1, 2];
    filters.dates = DateFilter::Custom;
    filters.last_day = "2027-03-01".into();
    filters.sort = Sort::parse("end-asc");
    filters.toggle(StatusFilter::Past);
    let active = [Facet::Email, Facet::EventTypes, Facet::LastDay];
    assert_eq!(filters.active_facets(), active);
    filters.remove(Facet::EventTypes);
    assert_eq!(filters.active_facets(), [Facet::Email, Facet::LastDay]);
    filters.clear();
    assert_eq!(filters.active_facets(), []);
    assert_eq!(filters.sort, Sort::parse("end-asc"));
    assert_eq!(filters.statuses.len(), 2);
    filters.dates = DateFilter::ThisWeek;
    assert_eq!(filters.active_facets(), [Facet::Dates]);
    filters.clear();
    assert_eq!(filters.active_facets(), []);
}

#[test]
fn reversed_days_are_detected() {
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
fn configured_page_size_is_offered() {
    for (requested, page_size, size_count) in [
        (None, 20, 5),
        (Some(50), 50, 5),
        (Some(33), 33, 6),
        (Some(9_999), 250, 5),
        (Some(-4), 1, 6),
    ] {
        let filters = Filters::new(requested);
        assert_eq!(filters.page_size, page_size);
        assert_eq!(filters.page_sizes().len(), size_count, "{requested:?}");
        assert!(filters.page_sizes().is_sorted());
    }
}
