//! E-mail messages of series and of bookings with seats: recipients, calendar entries and occurrences.

use booking_wire::Instant;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, booking};
use crate::mail::messages::{
    HOST_ADDRESS, Message, OTHER_ADDRESS, START, act, book, summary, take_messages,
};

/// Books the same start for people with these addresses, one after the other.
async fn book_by(service: &Service, event_type_id: i64, emails: [&str; 2]) -> [Value; 2] {
    let mut booked = [Value::Null, Value::Null];
    for (booked, email) in booked.iter_mut().zip(emails) {
        let mut body = booking(event_type_id, START);
        body["attendee"]["email"] = json!(email);
        *booked = book(service, body).await;
    }
    booked
}

#[tokio::test]
async fn series_is_one_event_and_its_occurrence_is_another() {
    let service = Service::start().await;
    let weekly = json!({"recurrence": {"interval": 1, "occurrences": 3, "frequency": "weekly"}});
    let id = service.event_type("weekly", weekly).await;
    let booked = book(&service, booking(id, "2027-03-16T09:00:00Z")).await;
    let messages = take_messages(&service).await;
    assert_eq!(messages.len(), 2, "{:?}", summary(&messages));
    let series = messages[0].data.series.clone().unwrap();
    let starts: Vec<Option<Instant>> = [
        "2027-03-16T09:00:00Z",
        "2027-03-23T09:00:00Z",
        "2027-03-30T08:00:00Z",
    ]
    .map(Instant::parse)
    .to_vec();
    let found: Vec<Option<Instant>> = series.starts.iter().copied().map(Some).collect();
    assert_eq!(found, starts);
    assert_eq!(series.occurrence, None);
    assert_eq!((series.frequency.as_str(), series.interval), ("weekly", 1));
    assert_eq!(series.time_zone, "Europe/Rome");

    // A moved occurrence is found in the calendar by its first start, also after it is moved again.
    let mut occurrence = booked[1].clone();
    for start in ["2027-03-24T10:00:00Z", "2027-03-25T10:00:00Z"] {
        let body = json!({"start": start});
        occurrence = act(&service, &occurrence, "reschedule", body).await;
        let moved = &take_messages(&service).await[0].data;
        assert_eq!(moved.calendar_uid, messages[0].data.calendar_uid);
        let series = moved.series.clone().unwrap();
        assert_eq!(series.occurrence, starts[1]);
        assert_eq!(series.starts, [Instant::parse(start).unwrap()]);
    }
    let reason = json!({"cancellationReason": "Ill", "cancelSubsequentBookings": true});
    act(&service, &booked[0], "cancel", reason).await;
    let cancelled = take_messages(&service).await;
    assert_eq!(cancelled.len(), 2);
    assert_eq!(cancelled[0].data.series.clone().unwrap().starts.len(), 3);
}

#[tokio::test]
async fn seat_is_told_to_its_holder_and_the_hosts_only() {
    let service = Service::start().await;
    let seats = json!({"seats": {"seatsPerTimeSlot": 3, "showAttendeeInfo": false}});
    let id = service.event_type("class", seats).await;
    let mut booked = Vec::new();
    for email in ["a@example.org", "b@example.org"] {
        let mut body = booking(id, START);
        body["attendee"]["email"] = json!(email);
        booked.push(book(&service, body).await);
        let messages = take_messages(&service).await;
        let expected = [
            ("booked", "attendee", email),
            ("booked", "host", HOST_ADDRESS),
        ];
        assert_eq!(summary(&messages), expected);
        assert!(messages[0].data.hides_attendees);
    }
    // The meeting of the other attendee takes place.
    let seat =
        |index: usize| json!({"seatUid": booked[index]["seatUid"], "cancellationReason": "x"});
    let uid = booked[0]["uid"].as_str().unwrap();
    let target = format!("/v2/bookings/{uid}/cancel");
    service.post(&target, seat(0)).await.data();
    let messages = take_messages(&service).await;
    let expected = [
        ("cancelled", "attendee", "a@example.org"),
        ("cancelled", "host", HOST_ADDRESS),
    ];
    assert_eq!(summary(&messages), expected);
    let data = &messages[0].data;
    assert!(!data.is_cancelled && data.hides_attendees);
    assert!(data.attendees[0].seat_uid.is_some());
    assert_eq!(data.remaining_attendees.len(), 1);
    assert_eq!(data.remaining_attendees[0].email, "b@example.org");
    service.post(&target, seat(1)).await.data();
    let messages = take_messages(&service).await;
    let expected = [
        ("cancelled", "attendee", "b@example.org"),
        ("cancelled", "host", HOST_ADDRESS),
    ];
    assert_eq!(summary(&messages), expected);
}

#[tokio::test]
async fn seat_of_a_person_without_an_address_leaves_the_others() {
    let service = Service::start().await;
    let seats = json!({"seats": {"seatsPerTimeSlot": 3, "showAttendeeInfo": false}});
    let id = service.event_type("class", seats).await;
    let booked = book_by(&service, id, ["a@example.org", "b@example.org"]).await;
    take_messages(&service).await;
    service.sql("UPDATE attendees SET email = ''").await;
    let target = format!("/v2/bookings/{}/cancel", booked[0]["uid"].as_str().unwrap());
    let seat = json!({"seatUid": booked[0]["seatUid"], "cancellationReason": "x"});
    service.post(&target, seat).await.data();
    let messages = take_messages(&service).await;
    assert_eq!(summary(&messages), [("cancelled", "host", HOST_ADDRESS)]);
    let data = &messages[0].data;
    assert_eq!(
        data.attendees[0].seat_uid.as_deref(),
        booked[0]["seatUid"].as_str()
    );
    assert_eq!(data.remaining_attendees.len(), 1);
}

#[tokio::test]
async fn seats_of_a_series_are_cancelled_where_no_one_remains() {
    for alone in [0, 1] {
        let service = Service::start().await;
        let settings = json!({
            "recurrence": {"interval": 1, "occurrences": 3, "frequency": "weekly"},
            "seats": {"seatsPerTimeSlot": 2},
        });
        let id = service.event_type("course", settings).await;
        let booked = book_by(&service, id, ["ana@example.org", "bo@example.org"]).await;
        let cancel = async |booking: &Value, with_later: bool| {
            let target = format!("/v2/bookings/{}/cancel", booking["uid"].as_str().unwrap());
            let body = json!({
                "seatUid": booking["seatUid"], "cancellationReason": "x", "cancelSubsequentBookings": with_later,
            });
            service.post(&target, body).await.data();
        };
        // Bo is alone at one meeting.
        cancel(&booked[0][alone], false).await;
        take_messages(&service).await;
        cancel(&booked[1][0], true).await;
        let messages = take_messages(&service).await;
        assert_eq!(
            summary(&messages),
            [
                ("cancelled", "attendee", "bo@example.org"),
                ("cancelled", "host", HOST_ADDRESS),
                ("cancelled", "attendee", "bo@example.org"),
                ("cancelled", "host", HOST_ADDRESS),
            ]
        );
        let of_host = || messages.iter().filter(|it| it.role == "host");
        let ended = &of_host().find(|it| it.data.is_cancelled).unwrap().data;
        let continued = &of_host().find(|it| !it.data.is_cancelled).unwrap().data;
        assert!(ended.remaining_attendees.is_empty());
        assert_eq!(ended.attendees.len(), 1, "{:?}", ended.attendees);
        let start = booked[1][alone]["start"].as_str().unwrap();
        let starts = [Instant::parse(start).unwrap()];
        assert_eq!(ended.series.as_ref().unwrap().starts, starts);
        assert_eq!(continued.remaining_attendees[0].email, "ana@example.org");
        assert_eq!(continued.series.as_ref().unwrap().starts.len(), 2);
    }
}

#[tokio::test]
async fn seat_that_leaves_an_occurrence_has_an_entry_for_itself() {
    let service = Service::start().await;
    let settings = json!({
        "recurrence": {"interval": 1, "occurrences": 2, "frequency": "weekly"},
        "seats": {"seatsPerTimeSlot": 2},
    });
    let id = service.event_type("course", settings).await;
    let booked = book_by(&service, id, ["ana@example.org", "bo@example.org"]).await;
    let series_entry = take_messages(&service).await[0].data.calendar_uid.clone();
    let reschedule = async |booking: &Value, start: &str| {
        let target = format!(
            "/v2/bookings/{}/reschedule",
            booking["uid"].as_str().unwrap()
        );
        let body = json!({"start": start, "seatUid": booking["seatUid"]});
        service.post(&target, body).await.data().clone()
    };
    let moved = reschedule(&booked[1][0], "2027-03-03T09:00:00Z").await;
    let messages = take_messages(&service).await;
    let [left, new] = [&messages[0].data, &messages.last().unwrap().data];
    assert_eq!(messages[0].kind, "cancelled");
    assert_eq!(left.calendar_uid, series_entry);
    assert_eq!(
        left.series.as_ref().unwrap().occurrence,
        Instant::parse(START)
    );
    assert_ne!(new.calendar_uid, series_entry);
    assert_eq!(Some(new.calendar_uid.as_str()), moved["icsUid"].as_str());
    assert!(new.series.is_none());
    // It keeps the entry when it moves again, and is cancelled with the series, by a message for each entry.
    let again = reschedule(&moved, "2027-03-04T09:00:00Z").await;
    let messages = take_messages(&service).await;
    assert!(messages.iter().all(|it| it.kind == "rescheduled"));
    assert_eq!(
        Some(messages[0].data.calendar_uid.as_str()),
        again["icsUid"].as_str()
    );
    assert_eq!(again["icsUid"], moved["icsUid"]);
    let series_uid = booked[0][0]["recurringBookingUid"].as_str().unwrap();
    let target = format!("/v2/bookings/{series_uid}/cancel");
    let bearer = service.bearer_of(HOST).await;
    let reason = json!({"cancellationReason": "Ill"});
    service.post_as(&target, bearer, reason).await.data();
    let messages = take_messages(&service).await;
    let of_bo: Vec<(usize, &str)> = messages
        .iter()
        .filter(|it| it.email == "bo@example.org")
        .map(|it| {
            let starts = it
                .data
                .series
                .as_ref()
                .map_or(0, |series| series.starts.len());
            (starts, it.data.calendar_uid.as_str())
        })
        .collect();
    // Bo has a seat in the other meeting of the series, too.
    let apart = again["icsUid"].as_str().unwrap();
    assert_eq!(of_bo, [(1, series_entry.as_str()), (0, apart)]);
}

/// Kind, role, address and dates of each message.
fn told(messages: &[Message]) -> Vec<(&str, &str, &str, String)> {
    let dates = |message: &Message| {
        let starts = message
            .data
            .series
            .as_ref()
            .map(|series| series.starts.clone());
        let starts = starts.unwrap_or_else(|| vec![message.data.start]);
        let dates: Vec<String> = starts
            .iter()
            .map(|start| start.to_string()[5..10].to_owned())
            .collect();
        dates.join(" ")
    };
    (messages.iter())
        .map(|it| {
            (
                it.kind.as_str(),
                it.role.as_str(),
                it.email.as_str(),
                dates(it),
            )
        })
        .collect()
}

#[tokio::test]
async fn cancelled_series_is_told_to_the_people_of_each_meeting() {
    for with_later in [false, true] {
        let service = Service::start().await;
        let weekly =
            json!({"recurrence": {"interval": 1, "occurrences": 3, "frequency": "weekly"}});
        let id = service
            .event_type_of("weekly", Some("roundRobin"), &[HOST, OTHER_HOST], weekly)
            .await;
        let booked = book(&service, booking(id, "2027-03-16T15:00:00Z")).await;
        let uid = |index: usize| booked[index]["uid"].as_str().unwrap().to_owned();
        let guest = |email: &str| json!({"guests": [{"email": email}]});
        act(&service, &booked[0], "guests", guest("first@example.org")).await;
        act(&service, &booked[2], "guests", guest("last@example.org")).await;
        let target = format!("/v2/bookings/{}/reassign/{OTHER_HOST}", uid(1));
        let bearer = service.bearer_of(HOST).await;
        service.post_as(&target, bearer, json!({})).await.data();
        take_messages(&service).await;
        let (named, body) = match with_later {
            true => (
                uid(0),
                json!({"cancellationReason": "Ill", "cancelSubsequentBookings": true}),
            ),
            false => {
                let series = booked[0]["recurringBookingUid"].as_str().unwrap();
                (series.to_owned(), json!({"cancellationReason": "Ill"}))
            }
        };
        service
            .post(&format!("/v2/bookings/{named}/cancel"), body)
            .await
            .data();
        let messages = take_messages(&service).await;
        let cancelled = |role, email, dates: &str| ("cancelled", role, email, dates.to_owned());
        assert_eq!(
            told(&messages),
            [
                cancelled("attendee", "zoe@example.org", "03-16 03-23 03-30"),
                cancelled("guest", "first@example.org", "03-16"),
                cancelled("host", HOST_ADDRESS, "03-16 03-30"),
                cancelled("host", OTHER_ADDRESS, "03-23"),
                cancelled("guest", "last@example.org", "03-30"),
            ]
        );
        // Two of three occurrences are found in the calendar one by one.
        let of_host = messages[2].data.series.clone().unwrap();
        assert_eq!(of_host.occurrences.len(), 2);
        assert_eq!(messages[2].data.guests.len(), 2);
        assert_eq!(messages[3].data.guests, []);
    }
}

#[tokio::test]
async fn confirmed_series_invites_guests_and_hosts_to_their_meetings_only() {
    let service = Service::start().await;
    let weekly = json!({
        "recurrence": {"interval": 1, "occurrences": 3, "frequency": "weekly"},
        "confirmationPolicy": {"type": "always"},
    });
    let id = service
        .event_type_of("weekly", Some("roundRobin"), &[HOST, OTHER_HOST], weekly)
        .await;
    let booked = book(&service, booking(id, "2027-03-16T15:00:00Z")).await;
    let guest = |email: &str| json!({"guests": [{"email": email}]});
    act(&service, &booked[0], "guests", guest("only@example.org")).await;
    act(&service, &booked[2], "guests", guest("last@example.org")).await;
    let target = format!(
        "/v2/bookings/{}/reassign/{OTHER_HOST}",
        booked[1]["uid"].as_str().unwrap()
    );
    let bearer = service.bearer_of(HOST).await;
    service.post_as(&target, bearer, json!({})).await.data();
    take_messages(&service).await;
    act(&service, &booked[0], "confirm", json!({})).await;
    let confirmed = |role, email, dates: &str| ("confirmed", role, email, dates.to_owned());
    assert_eq!(
        told(&take_messages(&service).await),
        [
            confirmed("attendee", "zoe@example.org", "03-16 03-23 03-30"),
            confirmed("guest", "only@example.org", "03-16"),
            confirmed("host", HOST_ADDRESS, "03-16 03-30"),
            confirmed("host", OTHER_ADDRESS, "03-23"),
            confirmed("guest", "last@example.org", "03-30"),
        ]
    );
}
