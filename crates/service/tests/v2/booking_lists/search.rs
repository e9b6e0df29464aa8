//! The parameter `search` of booking lists: matches, visibility, limits.

use std::collections::BTreeSet;

use booking_store_engine::sql;
use serde_json::json;

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, OTHER_HOST, Service, TestResponse};
use booking_service::store::Subject;

/// Encodes every byte, so that any text can be sent.
fn encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

async fn search_team(service: &Service, text: &str, further: &str) -> TestResponse {
    let target = format!("/v2/teams/1/bookings?search={}{further}", encode(text));
    service.get_as(&target, service.manager()).await
}

async fn search_own(service: &Service, user: i64, text: &str) -> BTreeSet<String> {
    let target = format!("/v2/bookings?search={}", encode(text));
    let bearer = service.bearer_of(user).await;
    uids(&service.get_as(&target, bearer).await)
}

fn uids(response: &TestResponse) -> BTreeSet<String> {
    assert_eq!(response.status, 200, "{:.300}", response.text);
    assert_eq!(response.body["extensions"], json!(["search"]));
    let data = response.data().as_array().unwrap();
    assert_eq!(response.body["pagination"]["totalItems"], data.len());
    let uid = |booking: &serde_json::Value| booking["uid"].as_str().unwrap().to_owned();
    data.iter().map(uid).collect()
}

fn set(uids: &[&String]) -> BTreeSet<String> {
    uids.iter().map(|uid| (*uid).clone()).collect()
}

/// Two bookings of the team: of Chloé Dubois, and of สมชาย ใจดี with the guest Émile.
async fn two_bookings(service: &Service) -> [String; 2] {
    service.sql("DELETE FROM bookings").await;
    let team = service
        .event_type_of("team", Some("roundRobin"), &[HOST], json!({}))
        .await;
    service
        .sql(&format!(
            "UPDATE event_types SET settings = json_set(settings, '$.title', 'Änderung planen') WHERE id = {team}"
        ))
        .await;
    let first = BookingFixture::new(team)
        .titled("Review of the Ölmühle")
        .store(service)
        .await;
    let second = BookingFixture::new(team)
        .titled("Talk")
        .at("2027-03-03T09:00:00Z")
        .store(service)
        .await;
    service
        .sql(&format!(
            "UPDATE attendees SET name = 'Chloé Dubois', email = 'chloe.d+1@acme.example'
             WHERE booking_id = (SELECT id FROM bookings WHERE uid = '{first}');
             UPDATE attendees SET name = 'สมชาย ใจดี أحمد 王小明', email = 'somchai@example.org'
             WHERE booking_id = (SELECT id FROM bookings WHERE uid = '{second}');
             INSERT INTO attendees (booking_id, name, email, time_zone, guest)
             SELECT id, 'Émile', 'emile@example.org', 'UTC', 1 FROM bookings WHERE uid = '{second}';
             UPDATE bookings SET uid = 'Kq7x' || uid WHERE uid = '{first}'"
        ))
        .await;
    [format!("Kq7x{first}"), second]
}

#[tokio::test]
async fn search_finds_beginnings_of_words() {
    let service = Service::start().await;
    let [first, second] = two_bookings(&service).await;
    let (both, none) = (set(&[&first, &second]), set(&[]));
    for (text, expected) in [
        ("chl", set(&[&first])),
        ("CHLOÉ", set(&[&first])),
        ("  dub   chloe ", set(&[&first])),
        ("Dubois review", set(&[&first])),
        ("ölm", set(&[&first])),
        ("OLMUHLE", set(&[&first])),
        ("kq7", set(&[&first])),
        ("chloe.d+1@acme.ex", set(&[&first])),
        ("somchai@", set(&[&second])),
        ("สม", set(&[&second])),
        ("ใจดี", set(&[&second])),
        ("أحم", set(&[&second])),
        ("王", set(&[&second])),
        ("ÄND", both.clone()),
        ("planen talk", set(&[&second])),
        ("lo", none.clone()),
        ("chloe talk", none.clone()),
        // Not the beginning of the uid.
        ("q7x", none.clone()),
        ("acme", set(&[&first])),
        ("d+1@acme", set(&[&first])),
        ("cme", none.clone()),
        // A guest, by name and by address.
        ("emile", set(&[&second])),
        ("emile@example.o", set(&[&second])),
    ] {
        let found = uids(&search_team(&service, text, "").await);
        assert_eq!(found, expected, "{text}");
    }
    // Changes and deletions are followed.
    service
        .sql("UPDATE attendees SET name = 'Renée' WHERE name = 'Chloé Dubois'")
        .await;
    assert_eq!(uids(&search_team(&service, "dubois", "").await), none);
    let found = search_team(&service, "rene", "").await;
    assert_eq!(uids(&found), set(&[&first]));
    service
        .sql(&format!("DELETE FROM bookings WHERE uid = '{first}'"))
        .await;
    assert_eq!(uids(&search_team(&service, "rene", "").await), none);
}

/// Names are found by plain letters and by their own, and addresses by each of their words.
#[tokio::test]
async fn search_folds_letters_and_splits_addresses() {
    let service = Service::start().await;
    let [first, second] = two_bookings(&service).await;
    let (found, none) = (set(&[&first]), set(&[]));
    let rename = async |name: &str, email: &str| {
        service
            .sql(&format!(
                "UPDATE attendees SET name = '{name}', email = '{email}'
                 WHERE booking_id = (SELECT id FROM bookings WHERE uid = '{first}')"
            ))
            .await;
    };
    for (name, email, texts) in [
        (
            "Zoë Łukasik",
            "z@a.example",
            &["lukasik", "zoe lukasik", "luk", "ŁUK", "łuk"][..],
        ),
        (
            "Jürgen Groß",
            "j@a.example",
            &["gross", "groß", "GROẞ", "gros", "jurgen"],
        ),
        ("Ilona Kovács", "i@a.example", &["kovacs", "Kovács"]),
        (
            "Þóra Jónsdóttir",
            "t@a.example",
            &["jonsdottir", "thora", "þór", "tho"],
        ),
        (
            "Nguyễn Thị Mai",
            "m@a.example",
            &["nguyen", "NGUYỄN", "thi"],
        ),
        (
            "Søren Ærø Đặng Œuvray Kılıç Məmmədov Ħal Ɗan Ŋo",
            "s@a.example",
            &[
                "soren", "aero", "dang", "đặng", "oeuv", "kilic", "kılıç", "memmedov", "hal",
                "dan", "no",
            ],
        ),
        (
            "Ann",
            "juergen.gross_x-y+tag@mail.firm.example",
            &[
                "juergen.gr",
                "gross",
                "tag",
                "y",
                "firm",
                "@firm",
                "gross_x",
                "x-y+t",
                "tag@mail.firm",
            ],
        ),
    ] {
        rename(name, email).await;
        for text in texts {
            let listed = uids(&search_team(&service, text, "").await);
            assert_eq!(listed, found, "{text} in {name} {email}");
        }
        for text in ["ukasik", "ross", "uergen", "kasik", "irm"] {
            let listed = uids(&search_team(&service, text, "").await);
            assert_eq!(listed, none, "{text} in {name} {email}");
        }
    }
    // Titles and hosts.
    service
        .sql(&format!(
            "UPDATE bookings SET title = 'Straße' WHERE uid = '{second}';
             UPDATE users SET name = 'Håkon Bjørn' WHERE id = {HOST}"
        ))
        .await;
    let listed = uids(&search_team(&service, "strasse", "").await);
    assert_eq!(listed, set(&[&second]));
    let listed = uids(&search_team(&service, "hakon bjorn", "").await);
    assert_eq!(listed, set(&[&first, &second]));
}

#[tokio::test]
async fn search_finds_hosts_by_their_current_names() {
    let service = Service::start().await;
    let [first, second] = two_bookings(&service).await;
    let both = set(&[&first, &second]);
    let rename = |name: &str| format!("UPDATE users SET name = '{name}' WHERE id = {HOST}");
    service.sql(&rename("Zoë Quist")).await;
    for (text, expected) in [
        ("zoe", both.clone()),
        ("qui zo", both.clone()),
        ("talk quist", set(&[&second])),
        ("uist", set(&[])),
    ] {
        assert_eq!(
            uids(&search_team(&service, text, "").await),
            expected,
            "{text}"
        );
        assert_eq!(search_own(&service, HOST, text).await, expected, "{text}");
    }
    // Another user does not get bookings by it that are not theirs.
    assert_eq!(search_own(&service, OTHER_HOST, "zoe").await, set(&[]));
    service.sql(&rename("Ines Fogh")).await;
    assert_eq!(uids(&search_team(&service, "zoe", "").await), set(&[]));
    assert_eq!(uids(&search_team(&service, "fogh", "").await), both);
}

#[tokio::test]
async fn search_combines_with_filters_order_and_pages() {
    let service = Service::start().await;
    let [first, second] = two_bookings(&service).await;
    for (further, expected) in [
        ("&sortStart=desc", vec![&second, &first]),
        ("&sortStart=asc", vec![&first, &second]),
        ("&afterStart=2027-03-03T00:00:00Z", vec![&second]),
        ("&attendeeName=Chlo%C3%A9%20Dubois", vec![&first]),
        ("&status=cancelled", vec![]),
        ("&status=upcoming,past", vec![&first, &second]),
    ] {
        let found = search_team(&service, "änderung", further).await;
        let listed: Vec<&str> = found
            .data()
            .as_array()
            .unwrap()
            .iter()
            .map(|booking| booking["uid"].as_str().unwrap())
            .collect();
        assert_eq!(listed, expected, "{further}");
    }
    for (skip, expected) in [(0, Some(&first)), (1, Some(&second)), (2, None)] {
        let page = search_team(&service, "änderung", &format!("&take=1&skip={skip}")).await;
        assert_eq!(page.data()[0]["uid"].as_str(), expected.map(String::as_str));
        assert_eq!(page.body["pagination"]["totalItems"], 2);
        assert_eq!(page.body["pagination"]["hasNextPage"], skip == 0);
    }
}

/// An attendee of a booking with seats sees their own seat only.
#[tokio::test]
async fn hidden_attendees_and_event_types_are_not_found() {
    let service = Service::start().await;
    service
        .sql("DELETE FROM bookings; DELETE FROM memberships WHERE user_id IN (100, 101)")
        .await;
    let course = service
        .event_type_of("course", Some("roundRobin"), &[1, OTHER_HOST], json!({}))
        .await;
    let uid = BookingFixture::new(course)
        .hosts(&[1])
        .titled("Training")
        .seats(&["seat", "else"])
        .with_addresses(&["visitor", "secretive"])
        .store(&service)
        .await;
    service
        .sql(&format!(
            "UPDATE attendees SET email = 'host100@northwind.example' WHERE seat_uid = 'seat';
             UPDATE event_types SET hidden = 1, settings = json_set(settings, '$.title', 'Confidential')
             WHERE id = {course}"
        ))
        .await;
    for (user, text, is_found) in [
        (HOST, "training", true),
        (HOST, "visitor", true),
        (HOST, "host100", true),
        (HOST, "secret", false),
        (HOST, "secretive@example.org", false),
        (HOST, "confidential", false),
        // A host of the booking.
        (1, "secret", true),
        (1, "confidential", true),
        // Has no part in it.
        (OTHER_HOST, "training", false),
    ] {
        let found = search_own(&service, user, text).await;
        assert_eq!(found.contains(&uid), is_found, "{user} {text}");
    }
    assert_eq!(
        uids(&search_team(&service, "secret", "").await),
        set(&[&uid])
    );
}

#[tokio::test]
async fn search_with_syntax_characters_matches_words_only() {
    let service = Service::start().await;
    let [first, _] = two_bookings(&service).await;
    for text in [
        "%",
        "_",
        "\"",
        "*",
        "\"\"*",
        "^",
        "(",
        ")",
        ":",
        "-",
        "+",
        "😀",
        "\u{202e}",
        "\u{feff}",
        "' OR 1=1 --x",
        "title:x",
        "chl\" OR \"som",
        "NEAR(chl som)",
        "chl%",
        "c_l",
        "chl NOT dubois",
    ] {
        let found = search_team(&service, text, "").await;
        let is_prefix = text == "chl%";
        let expected = if is_prefix { set(&[&first]) } else { set(&[]) };
        assert_eq!(uids(&found), expected, "{text:?}");
    }
    // A control character separates words.
    let found = search_team(&service, "chl\0dub", "").await;
    assert_eq!(uids(&found), set(&[&first]));
    let found = search_team(&service, "\u{200f}chl\u{200f}", "").await;
    assert_eq!(uids(&found), set(&[&first]));
}

#[tokio::test]
async fn search_outside_of_limits_returns_400() {
    let service = Service::start().await;
    let [first, _] = two_bookings(&service).await;
    for text in ["", "   ", "\t", &"x".repeat(101), &"é".repeat(101)] {
        let refused = search_team(&service, text, "").await;
        refused.assert_error(400, "BadRequestException");
        let bearer = service.bearer_of(HOST).await;
        let target = format!("/v2/bookings?search={}", encode(text));
        let refused = service.get_as(&target, bearer).await;
        refused.assert_error(400, "BadRequestException");
    }
    for text in [
        "é".repeat(100),
        format!("  {}  ", "x".repeat(100)),
        "z ".repeat(50),
    ] {
        assert_eq!(uids(&search_team(&service, &text, "").await), set(&[]));
    }
    // The test client builds no longer targets.
    let huge = format!("/v2/teams/1/bookings?search={}", "x".repeat(60_000));
    let refused = service.get_as(&huge, service.manager()).await;
    assert!((400..500).contains(&refused.status), "{}", refused.status);
    // Only the eight longest words count.
    let many = "chloe dubois review olmuhle anderung planen the chloe.d of zzz";
    let found = search_team(&service, many, "").await;
    assert_eq!(uids(&found), set(&[&first]));
}

#[tokio::test]
async fn changed_and_deleted_texts_leave_intact_indexes_without_them() {
    let service = Service::start().await;
    let [first, second] = two_bookings(&service).await;
    service
        .sql(&format!(
            "UPDATE bookings SET title = 'Farewell' WHERE uid = '{second}';
             UPDATE attendees SET name = 'Renamed' WHERE name LIKE 'สม%';
             DELETE FROM attendees WHERE booking_id = (SELECT id FROM bookings WHERE uid = '{first}');
             DELETE FROM bookings WHERE uid = '{first}'"
        ))
        .await;
    let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
    let damage: Vec<String> = sql::query_scalar("PRAGMA integrity_check")
        .fetch_all(&mut transaction)
        .await
        .unwrap();
    assert_eq!(damage, ["ok"]);
    drop(transaction);
    assert_eq!(
        uids(&search_team(&service, "fare ren", "").await),
        set(&[&second])
    );
    for text in ["chloé", "ölmühle", "talk", "สมชาย"] {
        assert_eq!(
            uids(&search_team(&service, text, "").await),
            set(&[]),
            "{text}"
        );
    }
    // Deleted with the person who booked: no table has them.
    for (table, column) in [
        ("booking_search_content", "c0"),
        ("attendee_search_content", "c0"),
    ] {
        let rows = format!("{table} WHERE {column} LIKE 'Chlo%' OR {column} LIKE 'Review%'");
        assert_eq!(service.count(&rows).await, 0, "{table}");
    }
}

#[tokio::test]
async fn openapi_document_describes_search_as_extension() {
    let service = Service::start().await;
    let document = service.get("/v2/openapi.json").await.body;
    for path in [
        "/v2/bookings",
        "/v2/teams/{teamId}/bookings",
        "/v2/organizations/{orgId}/teams/{teamId}/bookings",
    ] {
        let parameters = document["paths"][path]["get"]["parameters"]
            .as_array()
            .unwrap();
        let search = parameters
            .iter()
            .find(|parameter| parameter["name"] == "search")
            .unwrap();
        assert_eq!(search["x-extension"], true, "{path}");
        assert_eq!(search["schema"]["maxLength"], 100, "{path}");
        assert!(
            search["description"]
                .as_str()
                .unwrap()
                .contains("Extension")
        );
    }
}
