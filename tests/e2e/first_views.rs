//! Whatever a page says of an element, the first file of its program is enough for what it shows first.
//! Where it is not, the program begins anew with all of its files, which takes twice as long. Only what is
//! wrong may do that: the words about it come with the rest.

use serde_json::{Value, json};

use super::rest::{REST, SCRIPT, STAFF_REST, STAFF_SCRIPT, began_anew};
use crate::common::{Fault, Faults, Service, open_page};

/// All that the elements take.
const GUIDE: &str = include_str!("../../src/embed/elements.json");

/// How many are shown next to each other: more would take a page too long.
const AT_ONCE: usize = 24;

/// An element as a page may write it: its attributes, and its properties as an object.
#[derive(Clone)]
struct Given {
    attributes: String,
    properties: Value,
}

impl Given {
    fn new(attributes: impl Into<String>) -> Self {
        Self {
            attributes: attributes.into(),
            properties: json!({}),
        }
    }

    fn with(attributes: &str, properties: Value) -> Self {
        Self {
            attributes: attributes.to_owned(),
            properties,
        }
    }
}

/// What a page may write for an attribute whose values are not listed.
fn texts(name: &str, service: &str) -> Vec<String> {
    let listed: &[&str] = match name {
        "base-url" => return vec![service.to_owned(), format!("{service}/")],
        "time-zone" => &[
            "America/New_York",
            "Asia/Kathmandu",
            "Asia/Kolkata",
            "Europe/Berlin",
            "Pacific/Apia",
            "UTC",
        ],
        "lang" => &[
            "ar", "de", "en-GB", "es", "fr", "he", "hi", "ja", "nl", "pl", "pt-BR", "tr", "zh-CN",
            "sv",
        ],
        "booking-page" => &["/booking?uid={uid}&amp;seat={seat}"],
        "redirect-url" => &["/thanks"],
        "redirect-origins" => &["https://shop.example https://pay.example"],
        "default-phone-country" => &["DE"],
        "button-text" => &["Book"],
        _ => &[],
    };
    listed.iter().map(|&text| text.to_owned()).collect()
}

/// What a page may write for an attribute.
fn values(attribute: &Value, service: &str) -> Vec<String> {
    let listed = |key: &str| -> Vec<String> {
        let values = attribute[key].as_array().into_iter().flatten();
        values
            .filter_map(|value| Some(value.as_str()?.to_owned()))
            .collect()
    };
    match attribute["type"].as_str() {
        Some("flag") => vec![String::new()],
        Some("number") => {
            let most = attribute["most"].as_i64().unwrap_or(60);
            [1, 2, 5, 30, 1440]
                .into_iter()
                .filter(|number| *number <= most)
                .map(|number| number.to_string())
                .collect()
        }
        Some("date") => ["2020-01-01", "2031-02-03"].map(str::to_owned).to_vec(),
        Some("words") if !listed("values").is_empty() => {
            [listed("values"), vec![listed("values").join(" ")]].concat()
        }
        Some("word") => [listed("values"), listed("also")].concat(),
        _ => texts(attribute["name"].as_str().unwrap_or_default(), service),
    }
}

/// What the guide tells of the attributes of an element.
fn attributes(element: &str) -> Vec<Value> {
    let guide: Value = serde_json::from_str(GUIDE).expect("the guide");
    let all = guide["attributes"].as_array().expect("attributes").clone();
    let is_for = |attribute: &Value| {
        let elements = attribute["for"].as_array().into_iter().flatten();
        elements.into_iter().any(|each| each == element)
    };
    all.into_iter().filter(is_for).collect()
}

/// The element with each value of each attribute of its own that is not in `but`.
fn one_by_one(element: &str, usual: &str, service: &str, but: &[&str]) -> Vec<Given> {
    let mut all = Vec::new();
    for attribute in attributes(element) {
        let name = attribute["name"].as_str().expect("a name");
        if but.contains(&name) {
            continue;
        }
        let values = values(&attribute, service);
        assert_ne!(values, [""; 0], "nothing to give for {name}");
        for value in values {
            all.push(Given::new(format!("{usual} {name}=\"{value}\"")));
        }
    }
    all
}

/// What follows by itself may call something, too, and what a page is told that somebody comes back to: at once,
/// and after so long that views ask again.
const COMES_BACK: &str = "const later = (ms) => new Promise((done) => setTimeout(done, ms)); \
    const come = () => { document.dispatchEvent(new Event('visibilitychange')); dispatchEvent(new Event('online')); }; \
    come(); \
    return later(2100).then(come).then(() => later(1200))";

/// Shows elements until each has shown what it first does. Gives whether their program began anew.
fn begins_anew(service: &Service, element: &str, session: &str, given: &[Given]) -> bool {
    let faults = Faults::before(service);
    // Roles come in a part of their own, which waits for the rest.
    let (script, rest, sign) = match element {
        "booking-picker" => (SCRIPT, REST, "button.time"),
        "booking-list" => (STAFF_SCRIPT, STAFF_REST, "tr.booking"),
        _ => (STAFF_SCRIPT, STAFF_REST, ".part-wait"),
    };
    faults.always("GET", rest, Fault::Hang);
    let tags = given
        .iter()
        .map(|given| format!("<{element} load=eager {}></{element}>", given.attributes));
    let properties: Vec<&Value> = given.iter().map(|given| &given.properties).collect();
    let body = format!(
        "<main>{}</main><script>
           const properties = {};
           document.querySelectorAll('{element}').forEach((each, place) => {{
             Object.assign(each, {session}, properties[place]);
           }});
         </script>",
        tags.collect::<String>(),
        json!(properties)
    );
    let page = open_page(&faults, "", &body);
    let count = |selector: &str| {
        let script = format!(
            "return [...document.querySelectorAll('{element}')].filter(({{ shadowRoot }}) => \
               shadowRoot?.querySelector('{selector}')).length"
        );
        page.run(&script, &[]).as_u64().expect("a number") as usize
    };
    let shown = format!("{sign}, .notice");
    let mut is_anew = false;
    page.wait_until("all first views", || {
        // Their script may not be there yet.
        is_anew = faults.count("GET", script) > 0 && began_anew(&faults, script);
        is_anew || count(&shown) == given.len()
    });
    // Views that are told that there is nothing, or that something failed, say little about the others.
    let working = count(sign);
    assert!(
        is_anew || working > 0 || given.len() == 1,
        "no {element} shows what it is for"
    );
    page.run(COMES_BACK, &[]);
    let is_anew = is_anew || began_anew(&faults, script);
    faults.clear();
    faults.release();
    is_anew
}

/// Names those of `all` that the first file is not enough for.
#[track_caller]
fn assert_enough(service: &Service, element: &str, session: &str, all: &[Given]) {
    let is_guilty =
        |given: &&Given| begins_anew(service, element, session, std::slice::from_ref(*given));
    let mut guilty = Vec::new();
    for some in all.chunks(AT_ONCE) {
        if begins_anew(service, element, session, some) {
            let told = |given: &Given| format!("{} {}", given.attributes, given.properties);
            let before = guilty.len();
            guilty.extend(some.iter().filter(is_guilty).map(told));
            if guilty.len() == before {
                guilty.push("some of them together".to_owned());
                guilty.extend(some.iter().map(told));
            }
        }
    }
    assert_eq!(guilty, [""; 0], "these begin anew");
}

const INTRO_CALL: &str = "username=ada event-slug=intro-call";

#[test]
fn the_first_file_is_enough_for_whatever_attribute_a_picker_has() {
    let service = Service::start();
    let other = Faults::before(&service);
    // What makes another view of it, which waits for everything; what is a button at first; and what
    // shows nothing at first.
    let but = [
        "username",
        "event-slug",
        "event-type-id",
        "team-id",
        "booking-uid",
        "seat-uid",
        "mode",
        "placement",
        "button-text",
        "button-position",
        "load",
    ];
    let all = one_by_one("picker", INTRO_CALL, &other.url(""), &but);
    assert_enough(&service, "booking-picker", "{}", &all);
}

#[test]
fn the_first_file_is_enough_for_whatever_property_a_picker_has() {
    let service = Service::start();
    let given = [
        json!({ "messages": { "confirm": "Reserve", "de": { "confirm": "Los" } } }),
        json!({ "prefill": { "name": "Ada", "email": { "value": "a@b.example", "readOnly": true }, "guests": ["c@d.example"] } }),
        json!({ "metadata": { "from": "mail", "count": 3, "is": true } }),
        json!({ "utm": { "source": "mail" } }),
        json!({ "hourCycle": "h12", "timeZone": "Asia/Tokyo" }),
    ];
    let all: Vec<Given> = given
        .into_iter()
        .map(|properties| Given::with(INTRO_CALL, properties))
        .collect();
    assert_enough(&service, "booking-picker", "{}", &all);
}

#[test]
fn the_first_file_is_enough_for_whatever_a_picker_offers() {
    let service = Service::start();
    let mut all = Vec::new();
    for owner in ["username=ada", "team-id=1"] {
        let path = match owner {
            "team-id=1" => "/v2/teams/1/event-types",
            _ => "/v2/event-types?username=ada",
        };
        let offered = service.visitor().get(path).data();
        for each in offered.as_array().expect("event types") {
            let slug = each["slug"].as_str().expect("a slug");
            for view in ["month", "week", "column"] {
                all.push(Given::new(format!("{owner} event-slug={slug} view={view}")));
            }
            all.push(Given::new(format!("event-type-id={}", each["id"])));
        }
    }
    for lost in [
        "username=ada event-slug=none",
        "username=nobody event-slug=none",
        "event-type-id=4000",
    ] {
        all.push(Given::new(lost));
    }
    assert_enough(&service, "booking-picker", "{}", &all);
}

/// Who sees the team's elements.
fn session(service: &Service, base_url: &str) -> String {
    format!(
        "{{ session: {} }}",
        json!({ "baseUrl": base_url, "token": service.demo_text("apiKey") })
    )
}

#[test]
fn the_first_file_is_enough_for_whatever_the_teams_elements_are_given() {
    let service = Service::with_bookings(60);
    let other = Faults::before(&service);
    let own = session(&service, "");
    for (element, name) in [("booking-list", "list"), ("booking-roles", "roles")] {
        let all = one_by_one(
            name,
            "org-id=1 team-id=1",
            "",
            &["base-url", "team-id", "org-id", "load"],
        );
        assert_enough(&service, element, &own, &all);
        let teams = ["team-id=1", "org-id=1", "org-id=1 team-id=400", ""].map(Given::new);
        for session in [&own, &session(&service, &other.url(""))] {
            assert_enough(&service, element, session, &teams);
        }
    }
}

#[test]
fn the_first_file_is_enough_for_whatever_a_list_shows() {
    let service = Service::with_bookings(300);
    let queries = [
        "status=past",
        "status=unconfirmed,recurring",
        "status=all&take=250",
        "sort=start-desc",
        "sort=created-asc",
        "attendeeEmail=a%40b.example",
        "attendeeName=Ada",
        "eventTypeIds=1,2",
        "bookingUid=none",
        "days=2020-01-01..2040-01-01",
        "days=..2040-01-01",
        "days=week",
        "status=all&page=2",
        "columns=hosts,made,event-type",
        "series=grouped&status=all",
    ];
    let mut all: Vec<Given> = queries
        .into_iter()
        .map(|query| Given::with("org-id=1 team-id=1", json!({ "query": query })))
        .collect();
    let views = json!([{ "name": "Mine", "query": "status=past" }]);
    all.push(Given::with("org-id=1 team-id=1", json!({ "views": views })));
    all.push(Given::with(
        "org-id=1 team-id=1",
        json!({ "messages": { "upcoming": "Soon" } }),
    ));
    assert_enough(&service, "booking-list", &session(&service, ""), &all);
}

#[test]
fn the_first_file_is_enough_for_a_network_that_comes_back() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", REST, Fault::Hang);
    faults.always("GET", "/v2/slots", Fault::Drop);
    let body = format!("<booking-picker {INTRO_CALL}></booking-picker>");
    let page = open_page(&faults, "", &body);
    page.css(".notice").first().wait();
    faults.clear();
    faults.always("GET", REST, Fault::Hang);
    page.run("dispatchEvent(new Event('online'))", &[]);
    page.css("button.time").first().wait();
    assert!(!began_anew(&faults, SCRIPT));
    faults.clear();
    faults.release();
}
