//! Wire shapes of the contract as JSON files: round trips, and lenient reading of malformed
//! responses.

use booking_wire::*;
use serde::Serialize;
use serde_json::{Value, json};

fn case(name: &str) -> Value {
    let path = format!("{}/tests/cases/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap()
}

/// Reads a case and writes it: nothing may be lost, added or changed.
fn check_round_trip<T: Read + Serialize>(name: &str) -> T {
    let expected = case(name);
    let read = T::read(&expected).unwrap_or_else(|| panic!("{name} cannot be read"));
    assert_eq!(serde_json::to_value(&read).unwrap(), expected, "{name}");
    read
}

#[test]
fn bookings_of_all_four_variants_round_trip_and_are_distinguished_by_keys() {
    for (name, is_recurring, is_seated) in [
        ("booking-plain", false, false),
        ("booking-recurring", true, false),
        ("booking-seated", false, true),
        ("booking-recurring-seated", true, true),
    ] {
        let booking = check_round_trip::<Booking>(name);
        assert_eq!(
            (booking.is_recurring(), booking.is_seated()),
            (is_recurring, is_seated),
            "{name}"
        );
    }
}

#[test]
fn event_types_and_roles_round_trip() {
    let event_type = check_round_trip::<EventType>("event-type-team");
    assert_eq!(event_type.lengths(), [30, 60]);
    assert_eq!(event_type.host_names(), ["Ada"]);

    let role = check_round_trip::<Role>("role");
    let last = role.permissions.last().unwrap();
    assert_eq!(
        (last.resource(), last.action()),
        ("organization.attributes", "editUsers")
    );
}

#[test]
fn slots_of_every_form_are_sorted_and_unique() {
    let days = SlotDays::read(&case("slots")).unwrap();
    let read: Vec<(String, Vec<String>)> = days
        .0
        .iter()
        .map(|(day, slots)| {
            (
                day.to_string(),
                slots.iter().map(|slot| slot.start.to_string()).collect(),
            )
        })
        .collect();
    let expected = [
        (
            "2027-10-30",
            vec!["2027-10-30T06:00:00.000Z", "2027-10-30T07:00:00.000Z"],
        ),
        // The same wall time twice: the instants differ by the hour that clocks go back.
        (
            "2027-10-31",
            vec!["2027-10-31T00:30:00.000Z", "2027-10-31T01:30:00.000Z"],
        ),
    ];
    let expected = expected.map(|(day, slots)| {
        (
            day.to_owned(),
            slots.into_iter().map(str::to_owned).collect(),
        )
    });
    assert_eq!(read, expected);
    assert_eq!(
        days.on("2027-10-30".parse().unwrap())
            .first()
            .unwrap()
            .seats_remaining,
        Some(3)
    );
    assert_eq!(
        days.first_from("2027-10-31".parse().unwrap()),
        "2027-10-31".parse().ok()
    );
    assert_eq!(days.first_from("2027-11-01".parse().unwrap()), None);
}

#[test]
fn unreadable_bookings_are_dropped_and_counted() {
    let page = Page::<Booking>::read_envelope(&case("list-odd")).unwrap();
    assert_eq!(page.unreadable, 2);
    let uids: Vec<&str> = page
        .items
        .iter()
        .map(|booking| booking.uid.0.as_str())
        .collect();
    assert_eq!(uids, ["1234", "minimal"]);

    let first = page.items.first().unwrap();
    assert_eq!(
        (first.id, first.duration, &first.status),
        (7, 30, &BookingStatus::AwaitingHost)
    );
    assert_eq!(first.location.as_deref(), Some("https://meet.example/y"));
    assert_eq!(first.attendees.len(), 1);
    assert_eq!(first.hosts.first().unwrap().id, "unknown");

    let minimal = page.items.last().unwrap();
    assert_eq!(minimal.end.to_string(), "2027-03-29T07:15:00.000Z");
    assert_eq!(minimal.status, BookingStatus::Unknown("someday".into()));

    let pagination = page.pagination.unwrap();
    assert_eq!(
        (
            pagination.total_items,
            pagination.returned_items,
            pagination.total_pages
        ),
        (4, 4, 1)
    );
}

#[test]
fn pagination_follows_the_formulas_of_the_contract() {
    for (total, take, skip, expected) in [
        // (returned, remaining, pages, current, next, previous)
        (302, 100, 0, (100, 202, 4, 1, true, false)),
        (302, 100, 300, (2, 0, 4, 4, false, true)),
        (302, 100, 250, (52, 0, 4, 3, false, true)),
        (5, 100, 900, (0, 0, 1, 1, false, true)),
        (0, 100, 0, (0, 0, 0, 1, false, false)),
        (100, 100, 0, (100, 0, 1, 1, false, false)),
    ] {
        let page = Pagination::new(total, take, skip);
        let actual = (
            page.returned_items,
            page.remaining_items,
            page.total_pages,
            page.current_page,
            page.has_next_page,
            page.has_previous_page,
        );
        assert_eq!(actual, expected, "{total} {take} {skip}");
        assert_eq!(
            Pagination::read(&serde_json::to_value(page).unwrap()),
            Some(page)
        );
    }
}

#[test]
fn envelopes_have_the_keys_of_their_operation() {
    let single = serde_json::to_value(Envelope::success(json!([1]))).unwrap();
    assert_eq!(single, json!({"status": "success", "data": [1]}));
    let page = serde_json::to_value(Envelope::page(json!([]), Pagination::new(0, 100, 0))).unwrap();
    assert_eq!(page.get("error"), Some(&json!({})));
    assert_eq!(page.pointer("/pagination/currentPage"), Some(&json!(1)));
}

#[test]
fn new_booking_omits_absent_keys() {
    let booking = NewBooking {
        start: Instant::parse("2027-03-29T09:00:00+02:00").unwrap(),
        event_type_id: Some(41),
        attendee: NewAttendee {
            name: "Zoë".into(),
            time_zone: "Europe/Rome".into(),
            ..NewAttendee::default()
        },
        location: Some(BookingLocation::Integration {
            integration: "svc-video".into(),
        }),
        ..NewBooking::default()
    };
    assert_eq!(
        serde_json::to_value(&booking).unwrap(),
        json!({"start": "2027-03-29T07:00:00.000Z", "eventTypeId": 41,
               "attendee": {"name": "Zoë", "timeZone": "Europe/Rome"},
               "location": {"type": "integration", "integration": "svc-video"}})
    );
    let reschedule = RescheduleBooking {
        start: booking.start,
        seat_uid: Some("s1".into()),
        ..RescheduleBooking::default()
    };
    assert_eq!(
        serde_json::to_value(&reschedule).unwrap(),
        json!({"start": "2027-03-29T07:00:00.000Z", "seatUid": "s1"})
    );
}

#[test]
fn bookings_query_writes_all_parameters() {
    let instant = Instant::parse("2027-03-29T07:00:00Z");
    let query = BookingsQuery {
        status: vec![StatusFilter::Upcoming, StatusFilter::Past],
        attendee_email: Some("zoe@example.org".into()),
        attendee_name: Some("Zoë".into()),
        booking_uid: Some("bk".into()),
        event_type_ids: vec![1, 2],
        event_type_id: Some(3),
        after_start: instant,
        before_end: instant,
        sort_start: Some(SortOrder::Asc),
        sort_end: Some(SortOrder::Desc),
        sort_created: Some(SortOrder::Asc),
        take: Some(250),
        skip: Some(0),
        search: Some("chl".into()),
        host_ids: vec![3, 4],
    };
    let names: Vec<&str> = query.pairs().iter().map(|(name, _)| *name).collect();
    assert_eq!(
        names,
        [
            "status",
            "attendeeEmail",
            "attendeeName",
            "bookingUid",
            "eventTypeIds",
            "eventTypeId",
            "afterStart",
            "beforeEnd",
            "sortStart",
            "sortEnd",
            "sortCreated",
            "take",
            "skip",
            "search",
            "hostIds"
        ]
    );
    let value = |name: &str| {
        query
            .pairs()
            .into_iter()
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
    };
    assert_eq!(value("status"), "upcoming,past");
    assert_eq!(value("eventTypeIds"), "1,2");
    assert_eq!(value("afterStart"), "2027-03-29T07:00:00.000Z");
    assert!(BookingsQuery::default().pairs().is_empty());
}

#[test]
fn error_bodies_of_every_form_give_the_most_specific_message() {
    for (body, code, message) in [
        (
            json!({"status": "error", "error": {"code": "NotFoundException", "message": "no such team", "details": {}}}),
            "NotFoundException",
            "no such team",
        ),
        (
            json!({"error": {"code": "BadRequestException", "message": "Bad Request Exception",
                "details": {"errors": [{"property": "a", "children": [
                    {"property": "b", "constraints": {"isEmail": "b must be an email"}}]}]}}}),
            "BadRequestException",
            "b must be an email",
        ),
        (
            json!({"error": {"code": "TRPCError"}, "message": "domain rule"}),
            "TRPCError",
            "domain rule",
        ),
        (
            json!({"statusCode": 404, "message": "Cannot GET /x"}),
            "",
            "Cannot GET /x",
        ),
        (json!("text"), "", ""),
        (json!({"error": "text"}), "", ""),
    ] {
        let detail = ErrorDetail::read_body(&body);
        assert_eq!(
            (detail.code.as_str(), detail.message.as_str()),
            (code, message),
            "{body}"
        );
    }
}

#[test]
fn team_permissions_are_37_without_repeats() {
    let mut permissions = TEAM_PERMISSIONS.to_vec();
    permissions.sort_unstable();
    permissions.dedup();
    assert_eq!(permissions.len(), 37);
}

#[test]
fn tokens_and_profiles_are_read() {
    let tokens = json!({"accessToken": "a", "refreshToken": "r", "accessTokenExpiresAt": 1.0, "refreshTokenExpiresAt": "2"});
    let tokens = TokenSet::read(&tokens).unwrap();
    assert_eq!(
        (
            tokens.access_token_expires_at,
            tokens.refresh_token_expires_at
        ),
        (1, 2)
    );
    assert!(TokenSet::read(&json!({"accessToken": "a"})).is_none());
    let me =
        Me::read(&json!({"id": 4, "username": "ada", "email": "ada@example.org", "name": null}))
            .unwrap();
    assert_eq!((me.id, me.name, me.time_format), (4, None, 24));
}

/// Writes a value and reads it: nothing may be lost.
fn check_read_back<T: Read + Serialize + PartialEq + std::fmt::Debug>(value: &T) {
    let written = serde_json::to_value(value).unwrap();
    assert_eq!(T::read(&written).as_ref(), Some(value), "{written}");
}

#[test]
fn teams_members_and_managed_users_round_trip() {
    check_read_back(&Team {
        id: 7,
        parent_id: Some(1),
        name: "Success".into(),
        slug: "success".into(),
        time_zone: "Europe/Rome".into(),
        week_start: "Monday".into(),
        time_format: Some(24),
        is_private: true,
        theme: Some("dark".into()),
        ..Team::default()
    });
    check_read_back(&Membership {
        id: 3,
        user_id: 5,
        team_id: 7,
        accepted: true,
        role: MembershipRole::Admin,
        role_id: Some("role_1".into()),
        ..Membership::default()
    });
    check_read_back(&ManagedUser {
        id: 5,
        email: "ada+cl1@example.org".into(),
        username: "ada".into(),
        time_zone: "UTC".into(),
        week_start: "Sunday".into(),
        time_format: 12,
        default_schedule_id: Some(9),
        ..ManagedUser::default()
    });
    let unknown = Membership::read(&json!({"id": "3", "role": "GUEST"})).unwrap();
    assert_eq!((unknown.id, unknown.role), (3, MembershipRole::Member));
}

#[test]
fn change_with_null_differs_from_absent_key() {
    let change = RoleChange {
        color: Some(None),
        description: Some(Some("new".into())),
        ..RoleChange::default()
    };
    assert_eq!(
        serde_json::to_value(change).unwrap(),
        json!({"color": null, "description": "new"})
    );
}
