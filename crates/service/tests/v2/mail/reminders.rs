//! Reminders by e-mail: when they are due, and for whom.

use booking_service::messages::mail::reminders;
use serde_json::json;

use crate::bookings::fixture::BookingFixture;
use crate::common::{Service, booking};
use crate::mail::messages::{HOST_ADDRESS, act, book, take_messages};

/// Roles and minutes of reminders that are due now, for bookings of `HOST`.
async fn due_reminders(service: &Service) -> Vec<(String, i64)> {
    reminders::record_due(&service.app).await.unwrap();
    take_messages(service)
        .await
        .into_iter()
        .filter(|message| {
            message
                .data
                .hosts
                .iter()
                .any(|host| host.email == HOST_ADDRESS)
        })
        .map(|message| {
            assert_eq!(message.kind, "reminder");
            (message.role, message.data.minutes_before.unwrap())
        })
        .collect()
}

#[tokio::test]
async fn reminders_are_due_once_and_move_with_the_booking() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let clock = service.app.clock.clone();
    assert!(due_reminders(&service).await.is_empty());
    // In 25 hours.
    let booked = book(&service, booking(id, "2027-03-02T09:00:00Z")).await;
    take_messages(&service).await;
    clock.advance_minutes(59);
    assert!(due_reminders(&service).await.is_empty());
    clock.advance_minutes(1);
    let day = vec![("attendee".to_owned(), 1440), ("host".to_owned(), 1440)];
    assert_eq!(due_reminders(&service).await, day);
    for _ in 0..3 {
        clock.advance_minutes(1);
        assert!(due_reminders(&service).await.is_empty());
    }
    // The clock is set back a little: nothing is due again.
    clock.advance_minutes(-2);
    assert!(due_reminders(&service).await.is_empty());
    clock.advance_minutes(2);

    let moved = act(
        &service,
        &booked,
        "reschedule",
        json!({"start": "2027-03-02T13:00:00Z"}),
    )
    .await;
    take_messages(&service).await;
    clock.advance_minutes(4 * 60);
    assert_eq!(due_reminders(&service).await, day);
    clock.advance_minutes(23 * 60);
    let hour = vec![("attendee".to_owned(), 60), ("host".to_owned(), 60)];
    assert_eq!(due_reminders(&service).await, hour);
    act(
        &service,
        &moved,
        "cancel",
        json!({"cancellationReason": "x"}),
    )
    .await;
    take_messages(&service).await;
    clock.advance_minutes(2 * 60);
    assert!(due_reminders(&service).await.is_empty());
}

#[tokio::test]
async fn reminders_after_a_pause_are_those_that_still_help() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let own = json!({"emailReminders": {"minutesBefore": [600, 30]}});
    let own = service.event_type("own", own).await;
    let off = json!({"emailReminders": {"disabled": true}});
    let off = service.event_type("off", off).await;
    assert!(due_reminders(&service).await.is_empty());
    let clock = service.app.clock.clone();
    for (event_type, start) in [
        (id, "2027-03-03T09:00:00Z"),
        (own, "2027-03-03T10:00:00Z"),
        (off, "2027-03-03T11:00:00Z"),
    ] {
        book(&service, booking(event_type, start)).await;
    }
    // Made after the time of its first reminder.
    clock.advance_minutes(47 * 60);
    book(&service, booking(id, "2027-03-03T12:00:00Z")).await;
    take_messages(&service).await;
    // Two hours before the first one: too late for the reminder of a day before.
    assert!(due_reminders(&service).await.is_empty());
    clock.advance_minutes(65);
    let minutes: Vec<i64> = due_reminders(&service)
        .await
        .into_iter()
        .map(|(_, minutes)| minutes)
        .collect();
    assert_eq!(minutes, [60, 60]);
    clock.advance_minutes(90);
    let minutes: Vec<i64> = due_reminders(&service)
        .await
        .into_iter()
        .map(|(_, minutes)| minutes)
        .collect();
    // That of 10:00, by its own setting.
    assert_eq!(minutes, [30, 30]);
}

#[tokio::test]
async fn pending_and_cancelled_bookings_have_no_reminder() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    assert!(due_reminders(&service).await.is_empty());
    for status in ["pending", "cancelled", "rejected"] {
        BookingFixture::new(id).status(status).store(&service).await;
    }
    service.app.clock.advance_minutes(2 * 60);
    assert!(due_reminders(&service).await.is_empty());
}
