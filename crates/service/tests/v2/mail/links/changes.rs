//! Links of bookings that have changed since the message.

use axum::http::Method;
use booking_mail::message::Kind;
use booking_mail::templates::{PageAction, PageState};
use booking_service::messages::mail_links::token::{OwnerRole, Purpose};
use booking_store_engine::sql;
use serde_json::{Value, json};

use super::fixture::{
    TUESDAY, assert_state, assert_unused, attendee, data, guest, host, links, links_of, open, path,
    seat_holder, send, series_data, signed, status, submit, use_link,
};
use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, OTHER_HOST, Service, booking};

const ZOE: &str = "zoe@example.org";

async fn book(service: &Service, body: Value) -> Value {
    service.post("/v2/bookings", body).await.data().clone()
}

fn uid(booking: &Value) -> &str {
    booking["uid"].as_str().unwrap()
}

#[tokio::test]
async fn links_of_a_rescheduled_booking_lead_to_the_new_one() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = booking(id, TUESDAY);
    body["guests"] = json!(["guest@example.org"]);
    let old = book(&service, body).await;
    let message = data(uid(&old), TUESDAY);
    let made = links(&service, &message, &attendee(ZOE));
    let of_host = links(&service, &message, &host(HOST));
    let of_guest = links_of(
        &service,
        Kind::Reminder,
        &message,
        &guest("Guest@example.org"),
    );
    let former = signed(
        &service,
        Purpose::Cancel,
        OwnerRole::Host,
        "host101@northwind.example",
        uid(&old),
    );
    let target = format!("/v2/bookings/{}/reschedule", uid(&old));
    let to = json!({"start": "2027-03-03T09:00:00Z"});
    let new = service.post(&target, to).await.data().clone();
    let manage = path(&service, made.manage.as_ref());
    let moved = send(&service, Method::GET, &manage, &[], "").await;
    assert_eq!(moved.status, 303);
    let page = format!("http://127.0.0.1:8080/booking/{}", uid(&new));
    assert_eq!(moved.headers["location"], page);
    for url in [&made.cancel, &made.reschedule, &of_host.cancel] {
        let link = path(&service, url.as_ref());
        assert_state(&service, &link, PageState::Superseded).await;
        assert_unused(&service, &link, 410).await;
        let page = open(&service, &link).await;
        assert_eq!(page.booking.unwrap().uid, uid(&new));
        // Attendees have a link to the new booking.
        if url != &of_host.cancel {
            let link = path(&service, page.links.manage.as_ref());
            let moved = send(&service, Method::GET, &link, &[], "").await;
            assert_eq!(moved.status, 303);
        }
    }
    // A person who has no part in the new booking learns nothing about it.
    let page = open(&service, &former).await;
    assert_eq!(page.state, PageState::Superseded);
    assert!(page.booking.is_none() && page.recipient.is_none() && page.links.manage.is_none());
    // Reminders of the new booking are stopped.
    use_link(&service, &path(&service, of_guest.stop_reminders.as_ref())).await;
    let mut db = service.app.store.read().await.unwrap();
    let stopped: Vec<String> = sql::query_scalar(
        "SELECT a.email FROM attendees a JOIN bookings b ON b.id = a.booking_id
         WHERE b.uid = ? AND a.reminders_stopped = 1",
    )
    .bind(uid(&new))
    .fetch_all(&mut db)
    .await
    .unwrap();
    assert_eq!(stopped, ["guest@example.org"]);
    assert_eq!(status(&service, uid(&new)).await, "accepted");
}

#[tokio::test]
async fn former_host_cannot_use_links() {
    let service = Service::start().await;
    let hosts = [HOST, OTHER_HOST];
    let id = service
        .event_type_of(
            "team",
            Some("roundRobin"),
            &hosts,
            json!({"confirmationPolicy": {"type": "always"}}),
        )
        .await;
    let uid = BookingFixture::new(id)
        .status("pending")
        .store(&service)
        .await;
    let mut message = data(&uid, TUESDAY);
    message.is_confirmed = false;
    let former = links(&service, &message, &host(HOST));
    service
        .sql(&format!(
            "UPDATE booking_hosts SET user_id = {OTHER_HOST} WHERE user_id = {HOST}"
        ))
        .await;
    for url in [&former.confirm, &former.decline, &former.manage] {
        let link = path(&service, url.as_ref());
        assert_state(&service, &link, PageState::Superseded).await;
        assert_unused(&service, &link, 410).await;
        let page = open(&service, &link).await;
        assert!(page.booking.is_none() && page.recipient.is_none());
    }
    let present = links(&service, &message, &host(OTHER_HOST));
    use_link(&service, &path(&service, present.confirm.as_ref())).await;
    assert_eq!(status(&service, &uid).await, "accepted");
}

#[tokio::test]
async fn host_who_joins_an_instant_booking_ends_the_links_of_the_others() {
    let service = Service::start().await;
    let hosts = [HOST, OTHER_HOST];
    let id = service
        .event_type_of("team", Some("roundRobin"), &hosts, json!({}))
        .await;
    let uid = BookingFixture::new(id)
        .status("awaiting_host")
        .hosts(&hosts)
        .store(&service)
        .await;
    let mut message = data(&uid, TUESDAY);
    message.is_confirmed = false;
    let [first, second] = hosts.map(|id| links(&service, &message, &host(id)));
    use_link(&service, &path(&service, second.confirm.as_ref())).await;
    for url in [&first.confirm, &first.decline, &first.manage] {
        let link = path(&service, url.as_ref());
        assert_state(&service, &link, PageState::Superseded).await;
        assert_unused(&service, &link, 410).await;
    }
    assert_eq!(status(&service, &uid).await, "accepted");
}

#[tokio::test]
async fn host_without_account_or_with_another_address_cannot_use_links() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let made = links(&service, &data(&uid, TUESDAY), &host(HOST));
    let link = path(&service, made.cancel.as_ref());
    service
        .sql("UPDATE users SET email = 'new@northwind.example' WHERE id = 100")
        .await;
    assert_state(&service, &link, PageState::Superseded).await;
    service
        .sql("UPDATE users SET email = 'Host100@Northwind.example' WHERE id = 100")
        .await;
    assert_state(&service, &link, PageState::Question(PageAction::Cancel)).await;
    service
        .sql("DELETE FROM booking_hosts WHERE user_id = 100; DELETE FROM event_types WHERE owner_id = 100;
              DELETE FROM users WHERE id = 100")
        .await;
    assert_state(&service, &link, PageState::Superseded).await;
    assert_unused(&service, &link, 410).await;
}

#[tokio::test]
async fn booking_of_a_deleted_event_type_can_be_cancelled_only() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let made = links(&service, &data(&uid, TUESDAY), &attendee(ZOE));
    service
        .sql(&format!("DELETE FROM event_types WHERE id = {id}"))
        .await;
    let reschedule = path(&service, made.reschedule.as_ref());
    assert_state(&service, &reschedule, PageState::Superseded).await;
    use_link(&service, &path(&service, made.cancel.as_ref())).await;
    assert_eq!(status(&service, &uid).await, "cancelled");
}

#[tokio::test]
async fn link_of_a_seat_is_for_that_seat() {
    let service = Service::start().await;
    let seats = json!({"seats": {"seatsPerTimeSlot": 4, "showAttendeeInfo": false}});
    let id = service.event_type("class", seats).await;
    let mut holders = Vec::new();
    for name in ["a", "b", "c"] {
        let mut body = booking(id, TUESDAY);
        let email = format!("{name}@example.org");
        body["attendee"]["email"] = json!(email);
        let booked = book(&service, body).await;
        let seat = booked["seatUid"].as_str().unwrap().to_owned();
        holders.push((uid(&booked).to_owned(), email, seat));
    }
    let uid = holders[0].0.clone();
    let of = |index: usize| {
        let (uid, email, seat) = &holders[index];
        let message = data(uid, TUESDAY);
        links_of(
            &service,
            Kind::Reminder,
            &message,
            &seat_holder(email, seat),
        )
    };
    let [a, b, c] = [0, 1, 2].map(of);
    let manage = path(&service, a.manage.as_ref());
    let shown = send(&service, Method::GET, &manage, &[], "").await;
    let page = format!("http://127.0.0.1:8080/booking/{uid}/{}", holders[0].2);
    assert_eq!(shown.headers["location"], page);
    let a_cancel = path(&service, a.cancel.as_ref());
    // Nothing about the others.
    let shown = open(&service, &a_cancel).await.booking.unwrap();
    let emails: Vec<&str> = shown.attendees.iter().map(|it| it.email.as_str()).collect();
    assert_eq!(emails, ["a@example.org"]);
    use_link(&service, &a_cancel).await;
    assert_eq!(status(&service, &uid).await, "accepted");
    assert_eq!(
        service
            .count("attendees WHERE seat_uid IS NOT NULL AND email LIKE '_@example.org'")
            .await,
        2
    );
    for url in [&a.cancel, &a.reschedule, &a.stop_reminders, &a.manage] {
        let link = path(&service, url.as_ref());
        assert_state(&service, &link, PageState::Superseded).await;
        assert_unused(&service, &link, 410).await;
        assert!(open(&service, &link).await.booking.is_none());
    }
    // Another seat of the same person has other links.
    let mut body = booking(id, TUESDAY);
    body["attendee"]["email"] = json!("a@example.org");
    book(&service, body).await;
    assert_unused(&service, &a_cancel, 410).await;
    // A seat that moves away from the others keeps its uid.
    let to = json!({"start": "2027-03-03T10:00:00Z", "seatUid": holders[1].2});
    let moved = service
        .post(&format!("/v2/bookings/{uid}/reschedule"), to)
        .await;
    let moved = moved.data()["uid"].as_str().unwrap().to_owned();
    assert_ne!(moved, uid);
    let link = path(&service, b.cancel.as_ref());
    assert_state(&service, &link, PageState::Superseded).await;
    assert_unused(&service, &link, 410).await;
    let page = open(&service, &link).await;
    let link = path(&service, page.links.manage.as_ref());
    let shown = send(&service, Method::GET, &link, &[], "").await;
    let target = format!("http://127.0.0.1:8080/booking/{moved}/{}", holders[1].2);
    assert_eq!(shown.headers["location"], target);
    // The host's link is for the booking.
    let of_host = links(&service, &data(&uid, TUESDAY), &host(HOST));
    use_link(&service, &path(&service, of_host.cancel.as_ref())).await;
    assert_eq!(status(&service, &uid).await, "cancelled");
    assert_unused(&service, &path(&service, c.cancel.as_ref()), 410).await;
}

#[tokio::test]
async fn link_of_a_series_is_for_its_occurrences() {
    let service = Service::start().await;
    let id = service
        .event_type(
            "weekly",
            json!({
                "recurrence": {"interval": 1, "occurrences": 5, "frequency": "weekly"},
                "confirmationPolicy": {"type": "always"},
            }),
        )
        .await;
    let starts = [
        "2027-03-15T09:00:00Z",
        "2027-03-22T09:00:00Z",
        "2027-03-29T08:00:00Z",
    ];
    let series = async || {
        let mut body = booking(id, starts[0]);
        body["recurrenceCount"] = json!(3);
        let booked = book(&service, body).await;
        let uids: Vec<String> = booked
            .as_array()
            .unwrap()
            .iter()
            .map(|one| uid(one).to_owned())
            .collect();
        let series_uid = booked[0]["recurringBookingUid"]
            .as_str()
            .unwrap()
            .to_owned();
        (uids, series_uid)
    };
    let statuses = async |uids: &[String]| {
        let mut found = Vec::new();
        for uid in uids {
            found.push(status(&service, uid).await);
        }
        found.join(" ")
    };
    let (uids, series_uid) = series().await;
    // A message may name the first occurrence or the series.
    for named in [&uids[0], &series_uid] {
        let mut message = series_data(named, &starts);
        message.is_confirmed = false;
        let of_host = links(&service, &message, &host(HOST));
        let of_attendee = links(&service, &message, &attendee(ZOE));
        let manage = path(&service, of_attendee.manage.as_ref());
        let shown = send(&service, Method::GET, &manage, &[], "").await;
        let page = format!("http://127.0.0.1:8080/booking/{series_uid}");
        assert_eq!(shown.headers["location"], page);
        let confirm = path(&service, of_host.confirm.as_ref());
        let question = open(&service, &confirm).await;
        if named == &uids[0] {
            let series = question.booking.unwrap().series.unwrap();
            assert_eq!(series.starts.len(), 3);
            use_link(&service, &confirm).await;
        }
        assert_unused(&service, &confirm, 410).await;
        assert_eq!(statuses(&uids).await, "accepted accepted accepted");
    }
    // One occurrence.
    let one = links(&service, &data(&uids[1], starts[1]), &attendee(ZOE));
    use_link(&service, &path(&service, one.cancel.as_ref())).await;
    assert_eq!(statuses(&uids).await, "accepted cancelled accepted");
    // The host of an occurrence that was reassigned has no say in it.
    service
        .sql(&format!(
            "UPDATE booking_hosts SET user_id = {OTHER_HOST}
             WHERE booking_id = (SELECT id FROM bookings WHERE uid = '{}')",
            uids[2]
        ))
        .await;
    let message = series_data(&uids[0], &starts);
    let of_host = links(&service, &message, &host(HOST));
    use_link(&service, &path(&service, of_host.cancel.as_ref())).await;
    assert_eq!(statuses(&uids).await, "cancelled cancelled accepted");
    let all = links(&service, &message, &attendee(ZOE));
    let cancel = path(&service, all.cancel.as_ref());
    use_link(&service, &cancel).await;
    assert_eq!(statuses(&uids).await, "cancelled cancelled cancelled");
    assert_unused(&service, &cancel, 410).await;

    let (uids, _) = series().await;
    let mut message = series_data(&uids[0], &starts);
    message.is_confirmed = false;
    let of_host = links(&service, &message, &host(HOST));
    use_link(&service, &path(&service, of_host.decline.as_ref())).await;
    assert_eq!(statuses(&uids).await, "rejected rejected rejected");
}

#[tokio::test]
async fn removed_attendee_and_guest_cannot_use_links() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = booking(id, TUESDAY);
    body["guests"] = json!(["guest@example.org"]);
    let booked = book(&service, body).await;
    let message = data(uid(&booked), TUESDAY);
    let of_attendee = links_of(&service, Kind::Reminder, &message, &attendee(ZOE));
    let of_guest = links_of(
        &service,
        Kind::Reminder,
        &message,
        &guest("guest@example.org"),
    );
    service
        .sql(
            "UPDATE attendees SET email = 'other@example.org' WHERE email = 'zoe@example.org';
              UPDATE bookings SET guests = '[]'",
        )
        .await;
    for url in [
        &of_attendee.manage,
        &of_attendee.cancel,
        &of_attendee.stop_reminders,
        &of_guest.stop_reminders,
    ] {
        let link = path(&service, url.as_ref());
        assert_state(&service, &link, PageState::Superseded).await;
        assert_unused(&service, &link, 410).await;
    }
}

#[tokio::test]
async fn reminders_are_stopped_for_one_booking_and_address() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut uids = Vec::new();
    for start in [TUESDAY, "2027-03-03T09:00:00Z"] {
        let mut body = booking(id, start);
        body["guests"] = json!(["guest@example.org"]);
        uids.push(uid(&book(&service, body).await).to_owned());
    }
    let stopped = async || {
        let mut db = service.app.store.read().await.unwrap();
        sql::query_scalar::<String>(
            "SELECT b.uid || ' ' || a.email FROM attendees a JOIN bookings b ON b.id = a.booking_id
             WHERE a.reminders_stopped = 1 ORDER BY a.id",
        )
        .fetch_all(&mut db)
        .await
        .unwrap()
    };
    let message = data(&uids[0], TUESDAY);
    for recipient in [attendee("Zoe@Example.org"), guest("guest@example.org")] {
        let made = links_of(&service, Kind::Reminder, &message, &recipient);
        let link = path(&service, made.stop_reminders.as_ref());
        let action = PageAction::StopReminders;
        assert_state(&service, &link, PageState::Question(action)).await;
        let shown = open(&service, &link).await;
        assert_eq!(shown.booking.unwrap().uid, uids[0]);
        // As mail programs do it: without cookies, pages and redirects, and maybe more than once.
        for _ in 0..2 {
            let done = submit(&service, &link, "List-Unsubscribe=One-Click").await;
            assert_eq!(done.status, 200, "{}", done.text);
        }
        assert_state(&service, &link, PageState::Done(action)).await;
    }
    let [first, second] = [ZOE, "guest@example.org"].map(|email| format!("{} {email}", uids[0]));
    assert_eq!(stopped().await, [first, second]);
}
