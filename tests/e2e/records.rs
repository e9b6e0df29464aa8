//! Every record type of version 1, viewed and changed in the app.

use std::collections::BTreeSet;

use booking_widget::app::records::resources::{Field, Presence, RESOURCES, ResourceViews};
use serde_json::{Value, json};

use crate::common::{
    Client, Fault, Faults, Key, Page, Service, create_booking_of_grace, free_start, query_value,
    select_time_zone, starting,
};

/// Client of version 1 with the demo's key.
struct V1Client {
    client: Client,
    key: String,
}

impl V1Client {
    fn of(service: &Service) -> Self {
        Self {
            client: service.visitor(),
            key: service.demo_text("userKey"),
        }
    }

    #[track_caller]
    fn get(&self, path: &str) -> Value {
        self.call("GET", path, None)
    }

    #[track_caller]
    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let joint = if path.contains('?') { '&' } else { '?' };
        let path = format!("/v1/{path}{joint}apiKey={}", self.key);
        let answer = self.client.call(method, &path, body).expect("an answer");
        assert_eq!(answer.status, 200, "{method} {path}: {answer:?}");
        answer.json()
    }
}

/// Opens the app at a path below `/records`, with the demo's key.
fn records_at(service: &Service, url: &dyn Fn(&str) -> String, path: &str) -> Page {
    let page = Page::open(&url(&format!("/records{path}")));
    page.record_errors();
    enter_key(service, &page);
    page
}

/// Navigates to another path of the app, which loses the key.
fn go(service: &Service, page: &Page, address: &str) {
    page.go(address);
    page.record_errors();
    enter_key(service, page);
}

fn enter_key(service: &Service, page: &Page) {
    page.field("API key").fill(&service.demo_text("userKey"));
    page.button("Show records").click();
    page.field("API key").wait_gone();
}

fn open(service: &Service, path: &str) -> Page {
    records_at(service, &|path| service.url(path), path)
}

/// Returns by how many pixels content overflows the app.
fn overflow(page: &Page) -> Value {
    let root = "document.getElementById('app').shadowRoot.querySelector('.app')";
    page.run(
        &format!("return {root}.scrollWidth - {root}.clientWidth"),
        &[],
    )
}

fn row_count(page: &Page) -> usize {
    page.css(".records-table tbody tr").count()
}

#[test]
fn api_key_is_requested_once_and_sent_only_to_the_service() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let key = service.demo_text("userKey");
    let page = Page::open(&faults.url("/records"));
    page.record_errors();
    let field = page.field("API key");
    field.wait();
    assert_eq!(field.attribute("type").as_deref(), Some("password"));
    page.assert_accessible("the API key form");
    page.button("Show records").click();
    page.wait_for_text("Please enter an API key.");
    assert_eq!(faults.count("GET", "/v1/"), 0);
    field.fill("svc_of_nobody");
    page.button("Show records").click();
    page.link("Teams").click();
    page.wait_for_text("This key is unknown or has expired.");
    field.fill(&key);
    page.button("Show records").click();
    page.heading("Teams").wait();
    page.css(".records-table").wait();

    // From screen to screen without asking for the key again, and without storing it.
    page.css(".records-trail").role("link", "Records").click();
    page.link("Webhooks").click();
    page.heading("Webhooks").wait();
    assert!(!page.field("API key").exists());
    let kept = page.run(
        "const { shadowRoot } = document.querySelector('#app'); \
         const values = [...shadowRoot.querySelectorAll('input')].map(({ value }) => value); \
         return [location.href, document.referrer, document.cookie, JSON.stringify(localStorage), \
           JSON.stringify(sessionStorage), JSON.stringify(history.state), shadowRoot.innerHTML, values, \
           document.documentElement.outerHTML].join(' ')",
        &[],
    );
    let kept = kept.as_str().expect("a text");
    assert!(kept.contains("Webhooks") && !kept.contains(&key), "{kept}");
    let referrers = faults.headers("GET", "/v1/", "referer");
    assert!(referrers.len() > 2, "{referrers:?}");
    assert!(referrers.iter().all(String::is_empty), "{referrers:?}");
    let carriers = faults.requests_containing(&key);
    assert!(
        !carriers.is_empty() && carriers.iter().all(|call| call.contains("/v1/")),
        "{carriers:?}"
    );

    page.css(".records-trail").role("link", "Records").click();
    page.button("Forget key").click();
    field.wait();
    assert_eq!(field.value(), "");
    page.reload();
    page.record_errors();
    field.wait();
    page.assert_no_errors();
}

#[test]
fn resource_definitions_match_the_openapi_document() {
    let service = Service::start();
    let whole = service.visitor().get("/v1/openapi.json").json();
    let paths = whole["paths"].as_object().expect("paths");
    let mut covered = BTreeSet::new();
    for info in &RESOURCES {
        let name = info.resource.name;
        let list = format!("/v1/{name}");
        let one = paths.keys().find(|path| {
            let rest = path.strip_prefix(&list).unwrap_or_default();
            rest.starts_with("/{") && rest.matches('/').count() == 1
        });
        let one = one.cloned().unwrap_or_else(|| list.clone());
        let removed = match name {
            "bookings" => format!("{one}/cancel"),
            _ => one.clone(),
        };
        let mut of = |path: &str, method: &str| {
            let operation = whole["paths"][path][method].clone();
            covered.insert(format!("{method} {path}"));
            operation
        };
        let (listed, shown) = (of(&list, "get"), of(&one, "get"));
        let (made, changed) = (of(&list, "post"), of(&one, "patch"));
        let taken = of(&removed, "delete");
        assert_eq!(
            info.views != ResourceViews::RecordOnly,
            !listed.is_null(),
            "{name} is listed"
        );
        let is_alone = one != list || !changed.is_null();
        assert_eq!(
            info.views != ResourceViews::ListOnly,
            is_alone && !shown.is_null(),
            "{name} alone"
        );
        if info.views != ResourceViews::RecordOnly {
            assert_eq!(
                field_names(info.filters, |_| true),
                query_parameters(&listed),
                "{name}, the list"
            );
        }
        let is_made = |field: &Field| field.on_create != Presence::Never;
        assert_eq!(
            field_names(info.fields, is_made),
            body_fields(&whole, &made),
            "{name}, made"
        );
        let mut changes = body_fields(&whole, &changed);
        if name == "bookings" {
            // Both names of start and end are accepted.
            changes.remove("start");
            changes.remove("end");
        }
        let changing: BTreeSet<_> = field_names(info.fields, |field| field.is_editable)
            .into_keys()
            .collect();
        let changes: BTreeSet<_> = changes.into_keys().collect();
        assert_eq!(changing, changes, "{name}, changed");
        assert_eq!(
            info.removal.is_some(),
            !taken.is_null(),
            "{name} is taken away"
        );
        if let Some(removal) = info.removal.filter(|_| info.create_query().is_empty()) {
            assert_eq!(
                field_names(removal.fields, |_| true),
                query_parameters(&taken),
                "{name}, taken away"
            );
        }
        for (list, _) in info.lists {
            let path = format!("{one}/{list}");
            assert!(!of(&path, "get").is_null(), "{path}");
        }
        if let Some(successor) = Some(info.successor).filter(|path| !path.is_empty()) {
            let newer = service.visitor().get("/v2/openapi.json").json();
            assert!(!newer["paths"][successor].is_null(), "{successor}");
        }
    }
    covered.insert("get /v1/bookings/{id}/transcripts/{recordingId}".to_owned());
    for (path, operations) in paths {
        for method in operations.as_object().expect("operations").keys() {
            assert!(
                covered.contains(&format!("{method} {path}")),
                "{method} {path}"
            );
        }
    }
}

/// Names, each with true if required.
type Names = std::collections::BTreeMap<String, bool>;

fn field_names(fields: &[Field], is_meant: impl Fn(&Field) -> bool) -> Names {
    let meant = fields.iter().filter(|field| is_meant(field));
    meant
        .map(|field| (field.name.to_owned(), field.on_create == Presence::Required))
        .collect()
}

/// Returns the parameters of a query.
fn query_parameters(operation: &Value) -> Names {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    parameters
        .filter(|parameter| parameter["in"] == "query" && parameter["name"] != "apiKey")
        .map(|parameter| {
            let name = parameter["name"].as_str().unwrap_or_default().to_owned();
            (name, parameter["required"] == true)
        })
        .collect()
}

/// Returns the keys of a body.
fn body_fields(whole: &Value, operation: &Value) -> Names {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let schema = match schema["$ref"].as_str() {
        Some(reference) => whole
            .pointer(reference.trim_start_matches('#'))
            .expect("a schema"),
        None => schema,
    };
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, _)| (name.clone(), required.contains(&json!(name))))
        .collect()
}

#[test]
fn every_resource_has_a_screen() {
    let service = Service::start();
    let page = open(&service, "");
    page.heading("Records").wait();
    page.assert_accessible("all resources");
    assert_eq!(row_count(&page), RESOURCES.len());
    let names = page.css(".records-table tbody th").names();
    for (info, name) in RESOURCES.iter().zip(names) {
        page.css(".records-table").role("link", &*name).click();
        page.heading(&*name).wait();
        page.wait_until("the focus on the title", || {
            page.heading(&*name).has_focus()
        });
        match info.views {
            ResourceViews::RecordOnly => page.wait_for_text("These cannot be listed."),
            _ if info
                .filters
                .iter()
                .any(|field| field.on_create == Presence::Required) =>
            {
                page.wait_for_text("Fill in the fields above to see the list.");
            }
            _ => page.wait_until("records, or none", || {
                row_count(&page) > 0 || page.shows("No records")
            }),
        }
        page.assert_accessible(info.resource.name);
        assert_eq!(overflow(&page), json!(0), "{}", info.resource.name);
        assert!(!page.shows("Show 0 more"));
        page.back();
        page.heading("Records").wait();
    }
    page.assert_no_errors();
}

#[test]
fn webhook_is_created_changed_and_deleted() {
    let service = Service::start();
    let v1 = V1Client::of(&service);
    let page = open(&service, "/webhooks");
    page.link("New").click();
    page.heading("Webhooks · New").wait();
    page.assert_accessible("a new record");
    page.button("Create").click();
    page.wait_for_text("Required");
    page.wait_until("the focus on what is missing", || {
        page.field(starting("subscriberUrl")).has_focus()
    });
    page.field(starting("subscriberUrl"))
        .fill("https://example.org/hook");
    let triggers = page.role("group", starting("eventTriggers"));
    triggers.field("BOOKING_CREATED").click();
    triggers.field("BOOKING_CANCELLED").click();
    page.button("Create").click();
    page.heading(starting("Webhooks · ")).wait();
    page.button("Edit").wait();
    let made = v1.get("webhooks")["webhooks"][0].clone();
    assert_eq!(made["subscriberUrl"], "https://example.org/hook");
    assert_eq!(made["active"], true);
    assert_eq!(
        made["eventTriggers"],
        json!(["BOOKING_CREATED", "BOOKING_CANCELLED"])
    );
    page.assert_accessible("a record");

    page.button("Edit").click();
    page.assert_accessible("the form of a record");
    page.button("Save changes").click();
    page.wait_for_text("Nothing was changed.");
    page.field("active").choose("false");
    page.field("payloadTemplate").fill("{}");
    page.button("Save changes").click();
    page.button("Edit").wait();
    page.wait_for_text("Changes saved.");
    let changed = v1.get("webhooks")["webhooks"][0].clone();
    assert_eq!(changed["active"], false);
    assert_eq!(changed["payloadTemplate"], "{}");
    assert_eq!(changed["eventTriggers"], made["eventTriggers"]);

    // An emptied nullable field becomes null.
    page.button("Edit").click();
    page.field("payloadTemplate").fill("");
    page.button("Save changes").click();
    page.button("Edit").wait();
    assert_eq!(
        v1.get("webhooks")["webhooks"][0]["payloadTemplate"],
        Value::Null
    );

    // A secret that is not shown is kept until it is replaced or removed.
    let secret = || {
        let key = format!("Bearer {}", v1.key);
        let hooks = service.visitor().with_header("authorization", &key);
        hooks.get("/v2/webhooks").data()[0]["secret"].clone()
    };
    for (removes, expected) in [(false, json!("under the mat")), (true, Value::Null)] {
        page.button("Edit").click();
        match removes {
            true => page.field("Remove the value").click(),
            false => page.field("secret").fill("under the mat"),
        }
        page.button("Save changes").click();
        page.button("Edit").wait();
        page.wait_until("the focus on what can be done", || {
            page.button("Edit").has_focus()
        });
        assert_eq!(secret(), expected);
    }

    page.button("Delete").click();
    page.heading("Delete this record?").wait();
    page.assert_accessible("the deletion of a record");
    page.button("Keep").click();
    page.button("Delete").click();
    page.css("form").button("Delete").click();
    page.heading("Webhooks").wait();
    page.wait_for_text("No records");
    assert_eq!(v1.get("webhooks")["webhooks"], json!([]));
    page.assert_no_errors();
}

#[test]
fn references_are_links_and_times_follow_the_zone() {
    let service = Service::start();
    let v1 = V1Client::of(&service);
    create_booking_of_grace(&service, 1, free_start(&service, 1, 0));
    let attendees = v1.get("attendees")["attendees"].clone();
    let attendee = attendees.as_array().and_then(|all| all.last()).cloned();
    let attendee = attendee.expect("an attendee");
    let booking_id = attendee["bookingId"].to_string();
    let booking = v1.get(&format!("bookings/{booking_id}"))["booking"].clone();

    let page = open(&service, "/attendees");
    page.field("ID").fill(&attendee["id"].to_string());
    page.button("Show").first().click();
    page.heading(&*format!("Attendees · {}", attendee["id"]))
        .wait();
    page.link(&*booking_id).click();
    page.heading(&*format!("Bookings · {booking_id}")).wait();
    page.wait_for_text(booking["uid"].as_str().expect("a uid"));
    page.assert_accessible("a booking");
    let start = page.css(&format!(
        "time[title='{}']",
        booking["startTime"].as_str().unwrap_or("")
    ));
    let here = start.first().read_text();
    select_time_zone(&page, &page.css(".records-top"), "kathmandu");
    page.wait_until("the times of the zone", || {
        start.first().read_text() != here
    });

    // To the event type, and back through both.
    page.link(&*booking["eventTypeId"].to_string())
        .first()
        .click();
    page.heading(starting("Event types · ")).wait();
    page.back();
    page.heading(&*format!("Bookings · {booking_id}")).wait();
    page.link("recordings").click();
    page.wait_for_text("No records");
    page.back();
    page.link("transcripts").click();
    page.wait_for_text("No records");
    go(
        &service,
        &page,
        &service.url("/records/teams/1/event-types"),
    );
    page.css(".records-table").wait();
    assert_eq!(
        row_count(&page),
        v1.get("teams/1/event-types")["event_types"]
            .as_array()
            .map_or(0, Vec::len)
    );
    page.css(".records-table tbody th a").first().click();
    page.heading(starting("Event types · ")).wait();
    page.assert_no_errors();
}

#[test]
fn booking_is_rescheduled_in_the_selected_zone_and_cancelled() {
    let service = Service::start();
    let v1 = V1Client::of(&service);
    create_booking_of_grace(&service, 1, free_start(&service, 1, 0));
    let to = free_start(&service, 1, 4);
    let attendees = v1.get("attendees")["attendees"].clone();
    let id = attendees
        .as_array()
        .and_then(|all| all.last())
        .expect("one")["bookingId"]
        .to_string();

    let page = open(&service, &format!("/bookings/{id}"));
    select_time_zone(&page, &page.css(".records-top"), "kathmandu");
    page.button("Edit").click();
    page.wait_for_text("In the time zone");
    let local = to.plus_minutes(5 * 60 + 45).to_string();
    page.field("startTime").set_value(&local[..16]);
    page.button("Save changes").click();
    // Rescheduling creates a booking with another id.
    page.wait_until("the booking that took its place", || {
        !page.address().ends_with(&format!("/{id}")) && page.button("Edit").exists()
    });
    let address = page.address();
    let new = address.rsplit('/').next().unwrap_or_default();
    let moved = v1.get(&format!("bookings/{new}"))["booking"].clone();
    assert_eq!(moved["startTime"], to.to_string(), "{moved}");

    page.button("Cancel booking").click();
    page.field("cancellationReason").fill("The room is flooded");
    page.assert_accessible("the cancellation form");
    page.css("form").button("Cancel booking").click();
    page.wait_for_text("CANCELLED");
    let gone = v1.get(&format!("bookings/{new}"))["booking"].clone();
    assert_eq!(gone["status"], "CANCELLED", "{gone}");
    let uid = moved["uid"].as_str().expect("a uid");
    let newer = service.owner().get(&format!("/v2/bookings/{uid}")).data();
    assert_eq!(newer["cancellationReason"], "The room is flooded");
    page.assert_no_errors();
}

#[test]
fn validation_error_is_shown_at_its_field_and_input_kept() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = records_at(&service, &|path| faults.url(path), "/schedules/new");
    page.field(starting("name")).fill("Late shift");
    page.field(starting("timeZone")).fill("Mars/Base");
    page.field("userId").fill("me");
    page.button("Create").click();
    page.wait_for_text("Please enter whole numbers only.");
    assert_eq!(faults.count("POST", "/v1/"), 0);
    page.field("userId").fill("");
    page.button("Create").click();
    let zone = page.field(starting("timeZone"));
    page.wait_until("the error at the field", || {
        zone.attribute("aria-invalid").as_deref() == Some("true")
    });
    page.wait_for_text("The service did not accept this");
    page.assert_accessible("an error of the service");
    zone.fill("Europe/Zurich");
    faults.next("POST", "/v1/schedules", Fault::Drop);
    page.button("Create").click();
    page.wait_for_text("We do not know whether this was done");
    assert_eq!(zone.value(), "Europe/Zurich");
    // A request that may have succeeded is not repeated automatically.
    assert_eq!(faults.count("POST", "/v1/schedules"), 2);
    page.button("Create").click();
    page.heading(starting("Schedules · ")).wait();
    page.button("Edit").wait();

    go(&service, &page, &faults.url("/records/event-types/1"));
    page.button("Edit").click();
    page.field("metadata").fill("{ no");
    page.button("Save changes").click();
    page.wait_for_text("This is not valid JSON.");
    page.assert_no_errors();
}

#[test]
fn availability_is_created_and_changed_in_local_time() {
    let service = Service::start();
    let v1 = V1Client::of(&service);
    let schedule = v1.get("schedules")["schedules"][0].clone();
    let page = open(&service, &format!("/schedules/{}", schedule["id"]));
    select_time_zone(&page, &page.css(".records-top"), "kathmandu");
    page.css(".records-trail").role("link", "Records").click();
    page.link("Availability").click();
    page.link("New").click();
    page.field(starting("scheduleId"))
        .fill(&schedule["id"].to_string());
    page.field(starting("startTime")).set_value("02:00");
    page.field(starting("endTime")).set_value("03:30");
    page.field("days").fill("0, 6");
    page.button("Create").click();
    page.button("Edit").wait();
    assert!(page.shows("02:00") && page.shows("03:30"));
    let address = page.address();
    let id = address.rsplit('/').next().unwrap_or_default().to_owned();
    let hours = || v1.get(&format!("availabilities/{id}"))["availability"].clone();
    assert_eq!(hours()["days"], json!([0, 6]));
    page.button("Edit").click();
    let start = page.field("startTime");
    start.wait();
    assert_eq!(start.value(), "02:00");
    start.set_value("01:45");
    page.button("Save changes").click();
    page.button("Edit").wait();
    assert_eq!(hours()["startTime"], "1970-01-01T01:45:00.000Z");
    assert_eq!(hours()["endTime"], "1970-01-01T03:30:00.000Z");
    page.link(&*schedule["id"].to_string()).click();
    page.heading(starting("Schedules · ")).wait();
    page.assert_no_errors();
}

#[test]
fn input_survives_a_change_of_zone_and_key() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = records_at(&service, &|path| faults.url(path), "/schedules/new");
    let name = page.field(starting("name"));
    name.fill("Late shift");
    select_time_zone(&page, &page.css(".records-top"), "kathmandu");
    assert_eq!(name.value(), "Late shift");
    let body = r#"{"error":"This apiKey is expired"}"#;
    faults.next("POST", "/v1/schedules", Fault::Status(401, body));
    page.button("Create").click();
    page.wait_for_text("This key is unknown or has expired.");
    page.wait_until("the focus on the key", || page.field("API key").has_focus());
    assert!(!page.button("Create").exists());
    enter_key(&service, &page);
    page.button("Create").wait();
    assert_eq!(name.value(), "Late shift");
    page.button("Create").click();
    page.heading(starting("Schedules · ")).wait();
    page.button("Edit").wait();
    assert_eq!(faults.count("POST", "/v1/schedules"), 2);
    page.assert_no_errors();
}

#[test]
fn skipped_local_time_is_rejected_and_repeated_one_is_the_first() {
    let service = Service::start();
    let faults = Faults::before(&service);
    for (zone, skipped, twice, first) in [
        (
            "new york",
            "2027-03-14T02:30",
            "2027-11-07T01:30",
            "2027-11-07T05:30:00.000Z",
        ),
        (
            "zurich",
            "2027-03-28T02:30",
            "2027-10-31T02:30",
            "2027-10-31T00:30:00.000Z",
        ),
    ] {
        let before = faults.count("GET", "/v1/slots");
        let page = records_at(&service, &|path| faults.url(path), "/teams");
        select_time_zone(&page, &page.css(".records-top"), zone);
        page.css(".records-trail").role("link", "Records").click();
        page.link("Free times").click();
        page.field(starting("startTime")).set_value(skipped);
        page.field(starting("endTime")).set_value(twice);
        page.field("eventTypeId").fill("1");
        page.button("Show").click();
        page.wait_for_text("This time does not exist");
        assert_eq!(faults.count("GET", "/v1/slots"), before);
        page.field(starting("startTime"))
            .set_value("2027-10-30T09:00");
        page.button("Show").click();
        page.wait_until("the request", || {
            faults.count("GET", "/v1/slots") == before + 1
        });
        let query_parameters = faults.seen("GET", "/v1/slots");
        assert_eq!(
            query_value(&query_parameters[before], "endTime").as_deref(),
            Some(first),
            "{zone}"
        );
        page.assert_no_errors();
    }
}

#[test]
fn users_are_paginated() {
    let service = Service::start();
    let faults = Faults::before(&service);
    // Only an administrator of the service sees all users, so this response is mocked.
    faults.rewrite("/v1/users", |answer| {
        let ada = answer["users"][0].clone();
        answer["users"] = Value::Array(vec![ada; 10]);
    });
    let page = records_at(&service, &|path| faults.url(path), "/users");
    page.wait_for_text("10 records");
    assert!(!page.button("Previous page").exists());
    page.button("Next page").click();
    page.button("Previous page").wait();
    page.wait_until("the second page", || {
        let query_parameters = faults.seen("GET", "/v1/users");
        query_parameters
            .iter()
            .any(|query_parameters| query_value(query_parameters, "page").as_deref() == Some("2"))
    });
    page.back();
    page.button("Previous page").wait_gone();
    page.assert_no_errors();
}

#[test]
fn list_query_is_kept_in_url() {
    let service = Service::start();
    let page = open(&service, "/slots");
    page.wait_for_text("Fill in the fields above to see the list.");
    let from = free_start(&service, 1, 0)
        .plus_minutes(-24 * 60)
        .to_string();
    let to = free_start(&service, 1, 0)
        .plus_minutes(3 * 24 * 60)
        .to_string();
    page.field(starting("startTime")).set_value(&from[..16]);
    page.field(starting("endTime")).set_value(&to[..16]);
    page.field("eventTypeId").fill("1");
    page.button("Show").click();
    page.css(".records-table").wait();
    assert!(row_count(&page) > 3);
    page.assert_accessible("free times");
    assert!(
        page.address().contains("eventTypeId=1"),
        "{}",
        page.address()
    );
    page.reload();
    page.record_errors();
    page.field("API key").fill(&service.demo_text("userKey"));
    page.press(Key::Enter);
    page.css(".records-table").wait();
    assert_eq!(page.field("eventTypeId").value(), "1");
    page.assert_no_errors();
}

#[test]
fn forbidden_and_unknown_records_are_reported() {
    let service = Service::start();
    let page = open(&service, "/credential-sync?userId=1");
    page.wait_for_text("You do not have access");
    page.assert_accessible("forbidden credentials");
    go(&service, &page, &service.url("/records/teams/4711"));
    page.wait_for_text("This isn’t here any more");
    go(&service, &page, &service.url("/records/boats"));
    page.heading("Page not found").wait();
    page.assert_no_errors();
}

#[test]
fn records_fit_a_narrow_right_to_left_page() {
    let service = Service::start();
    let page = Page::open(&service.url("/records"));
    page.record_errors();
    // As in right-to-left languages.
    page.run("document.documentElement.dir = 'rtl'", &[]);
    page.run("document.getElementById('app').style.width = '320px'", &[]);
    enter_key(&service, &page);
    for name in ["Webhooks", "Event types"] {
        page.link(name).click();
        page.heading(name).wait();
        page.wait_until("records, or none", || {
            row_count(&page) > 0 || page.shows("No records")
        });
        assert_eq!(overflow(&page), json!(0), "{name}");
        if name == "Webhooks" {
            page.link("New").click();
            page.field(starting("subscriberUrl")).wait();
            assert_eq!(overflow(&page), json!(0), "a form with many choices");
            page.back();
            page.heading(name).wait();
        }
        page.back();
        page.heading("Records").wait();
    }
    page.link("Event types").click();
    page.css(".records-table tbody th a").first().click();
    page.button("Edit").wait();
    assert_eq!(overflow(&page), json!(0), "a record");
    page.button("Edit").click();
    page.field("metadata").wait();
    assert_eq!(overflow(&page), json!(0), "a form");
    page.button("Cancel").click();
    page.button("Delete").click();
    page.heading("Delete this record?").wait();
    assert_eq!(overflow(&page), json!(0), "a confirmation");
    page.css(".records-trail").role("link", "Records").click();
    page.link("Free times").click();
    page.field(starting("startTime")).wait();
    assert_eq!(overflow(&page), json!(0), "fields for moments");
    page.assert_no_errors();
}
