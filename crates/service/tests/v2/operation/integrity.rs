//! Invariants of the integrity check after operations of visitors, hosts and the worker.

use booking_service::store::upkeep::integrity;
use serde_json::json;

use crate::common::{HOST, OTHER_HOST, Service, booking};
use crate::mail::messages::use_closed_mail_server;
use crate::webhooks::deliveries::{Receiver, subscribe, worker};

#[tokio::test]
async fn operations_store_the_organization_of_the_booking_everywhere() {
    let mut service = Service::start().await;
    use_closed_mail_server(&mut service);
    service
        .sql(&format!(
            "UPDATE users SET organization_id = 1 WHERE id IN ({HOST}, {OTHER_HOST});
             INSERT INTO memberships (team_id, user_id, role, accepted) VALUES (1, {HOST}, 'ADMIN', 1)"
        ))
        .await;
    let receiver = Receiver::start(&[]).await;
    subscribe(&service, &receiver.url("hook"), json!({})).await;
    let hosts = [HOST, OTHER_HOST];
    let scheduling = Some("roundRobin");
    let talk = service
        .event_type_of("talk", scheduling, &hosts, json!({}))
        .await;
    let seats = json!({"seats": {"seatsPerTimeSlot": 3}});
    let class = service
        .event_type_of("class", scheduling, &hosts, seats)
        .await;
    let act = async |uid: &str, action: &str, body| {
        let target = format!("/v2/bookings/{uid}/{action}");
        let host = service.bearer_of(HOST).await;
        let done = service.post_as(&target, host, body).await;
        done.data().clone()
    };
    for event_type in [talk, class] {
        // Both hosts work then.
        let created = service
            .post("/v2/bookings", booking(event_type, "2027-03-02T14:00:00Z"))
            .await;
        let uid = created.data()["uid"].as_str().unwrap();
        if event_type == talk {
            act(
                uid,
                "guests",
                json!({"guests": [{"email": "guest@example.org"}]}),
            )
            .await;
        }
        let start = json!({"start": "2027-03-03T15:00:00Z"});
        let moved = act(uid, "reschedule", start).await;
        let uid = moved["uid"].as_str().unwrap();
        act(uid, "reassign", json!({})).await;
        worker(&service.app).mail_round().await.unwrap();
        act(uid, "cancel", json!({"cancellationReason": "ill"})).await;
    }
    worker(&service.app).mail_round().await.unwrap();
    worker(&service.app).round().await.unwrap();

    for (rows, least) in [
        ("bookings", 4),
        ("mail_messages", 8),
        ("webhook_deliveries", 4),
    ] {
        let of_organization = format!("{rows} WHERE organization_id = 1");
        assert!(service.count(&of_organization).await >= least, "{rows}");
    }
    let deliveries = "webhook_deliveries WHERE organization_id IS DISTINCT FROM 1";
    assert_eq!(service.count(deliveries).await, 0);
    let mut db = service.app.store.read().await.unwrap();
    let violations = integrity::check_invariants(&mut db).await.unwrap();
    assert_eq!(violations, Vec::<String>::new());
}
