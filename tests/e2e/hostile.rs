//! Hostile pages and responses, by intent or not: the elements keep their look and state, and run no
//! foreign code.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{
    Engine, Fault, Faults, INTRO_CALL, Key, Page, Service, create_booking_of_grace, fill_in,
    first_of_day_with, free_slots, free_slots_in, free_start, open_page, select_day, select_slot,
    select_time_zone, starting,
};
use serde_json::{Map, Value, json};

const PICKER: &str =
    r#"<booking-picker load="eager" username="ada" event-slug="intro-call"></booking-picker>"#;
const LIST: &str = r#"<booking-list load="eager" team-id="1"></booking-list>"#;
const ROLES: &str = r#"<booking-roles load="eager" org-id="1" team-id="1"></booking-roles>"#;

/// Script for each shadow element: its box and the properties that most styles change.
const LOOKS: &str = r#"
    const names = ["display", "position", "direction", "color", "backgroundColor", "fontSize",
      "fontWeight", "fontFamily", "lineHeight", "letterSpacing", "textTransform", "textAlign",
      "opacity", "visibility", "cursor", "borderTopWidth", "paddingTop", "marginTop"];
    return [...document.querySelectorAll("booking-picker, booking-list, booking-roles")].map((host) => {
      const corner = host.getBoundingClientRect();
      return [...host.shadowRoot.querySelectorAll(".base, .base *")].map((each) => {
        const box = each.getBoundingClientRect(), style = getComputedStyle(each);
        const place = box.width ? [box.x - corner.x, box.y - corner.y, box.width, box.height] : [];
        return [each.localName, each.className, ...place.map((length) => Math.round(length)),
          ...names.map((name) => style[name])].join(" ");
      });
    });
"#;

/// Script for the computed styles of the page's own.
const OWN: &str = r##"
    return [...document.querySelectorAll("#own, #own *")].map((each) =>
      [...getComputedStyle(each)].map((name) => getComputedStyle(each).getPropertyValue(name)).join());
"##;

/// Script that sets the sessions of lists and roles from JSON of base URLs and keys; the last one is for all
/// others. It must be the page's own: in Firefox, a driver's objects belong to another realm.
const CONNECT: &str = r#"<script>
    window.connect = (json) => {
      const sessions = JSON.parse(json);
      [...document.querySelectorAll("booking-list, booking-roles")].forEach((each, place) => {
        const [baseUrl, key] = sessions[Math.min(place, sessions.length - 1)];
        if (baseUrl !== location.origin) each.setAttribute("base-url", baseUrl);
        each.session = { baseUrl, headers: { authorization: "Bearer " + key } };
      });
    };
  </script>"#;

/// Sets the session of the list and the roles of a page.
fn connect(page: &Page, faults: &Faults, service: &Service) {
    let sessions = json!([[faults.url(""), service.demo_text("apiKey")]]);
    page.run("connect(arguments[0])", &[json!(sessions.to_string())]);
}

fn wait_for_all(page: &Page) {
    page.css(".time").first().wait();
    page.css("tr.booking").first().wait();
    page.css("li.role").first().wait();
    page.wait_for_quiet();
}

#[test]
fn page_styles_and_element_styles_do_not_leak() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let own = r##"<form id="own"><h1>Own</h1><h2>Own</h2><p>Own <b>bold</b> <i>words</i> <a href="#">link</a></p>
        <ul><li>One</li><li>Two</li></ul><ol><li>One</li></ol><label>Name <input></label>
        <select><option>One</option></select><textarea></textarea><button>Send</button>
        <table><caption>Own</caption><thead><tr><th>One</th><th>Two</th></tr></thead>
        <tbody><tr><td>1</td><td>2</td></tr></tbody></table><hr><pre>code</pre><code>code</code>
        <blockquote>Said</blockquote><details open><summary>More</summary>Text</details>
        <fieldset><legend>Own</legend><input type="checkbox"><input type="radio"></fieldset>
        <div class="base card button">div</div><section class="time slot">section</section>
        <span class="visually-hidden">span</span><progress></progress><output>1</output></form>"##;
    // Below the elements, so that they do not move with its height: the height of rows outside the viewport is
    // an estimate.
    let body = format!("<main id=place></main>{own}");
    // A scroll bar that appears later would change the width.
    let head = format!("{CONNECT}<style>html {{ overflow-y: scroll }}</style>");
    let page = open_page(&faults, &head, &body);
    let before = page.run(OWN, &[]);
    assert!(before.as_array().is_some_and(|all| all.len() > 40));
    let elements = format!("{PICKER}{LIST}{ROLES}");
    page.run("place.innerHTML = arguments[0]", &[json!(elements)]);
    connect(&page, &faults, &service);
    wait_for_all(&page);
    assert_eq!(page.run(OWN, &[]), before, "the page's own elements");

    let looks = page.run(LOOKS, &[]);
    for hostile in [
        "* { letter-spacing: 4px; text-transform: uppercase; line-height: 3; text-indent: 3em; \
           white-space: pre; word-spacing: 9px; text-align: right; direction: rtl }",
        "html { font-size: 62.5%; --booking-font-size: 16px } body { font-size: 30px; font-family: fantasy; color: red }",
        "button, input, table, td, li, h2, h3, dialog, svg { display: none !important }",
        "div, section, button { position: fixed !important; inset: 0 !important; margin: 40px }",
        ".base, .card, .button, .time { display: none !important; color: red !important }",
        "booking-picker, booking-list, booking-roles, main * { all: unset !important }",
    ] {
        let script = "const sheet = document.createElement('style'); \
                      sheet.id = 'hostile'; \
                      sheet.textContent = arguments[0]; \
                      document.head.append(sheet)";
        page.run(script, &[json!(hostile)]);
        page.wait_for_quiet();
        let under = page.run(LOOKS, &[]);
        page.run("document.getElementById('hostile').remove()", &[]);
        for (host, (plain, seen)) in lists(&looks).zip(lists(&under)).enumerate() {
            let differ: Vec<_> = lists(plain)
                .zip(lists(seen))
                .filter(|(one, other)| one != other)
                .take(3)
                .collect();
            assert!(
                differ.is_empty(),
                "element {host} under `{hostile}`: {differ:#?}"
            );
            assert_eq!(lists(plain).count(), lists(seen).count());
        }
    }
    page.assert_no_errors();
}

#[test]
fn page_styles_do_not_change_skeleton_button_and_error_panel() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/embed/picker_bg-", Fault::Status(503, "gone"));
    // A button with its popup, skeletons, and the error in place of a view.
    let body = r#"<main><h1>Around</h1>
        <booking-picker placement="popup"></booking-picker>
        <booking-picker placement="floating"></booking-picker>
        <booking-picker load="manual"></booking-picker>
        <booking-picker load="eager" lang="en"></booking-picker></main>"#;
    // A scroll bar that appears later would change the width. The page changes the text size of `html`.
    let head = "<style>html { overflow-y: scroll; --booking-font-size: 16px }</style>";
    let page = open_page(&faults, head, body);
    page.text("This could not be shown").wait();
    page.css(".opener").nth(1).wait();
    let looks = "return [...document.querySelectorAll('booking-picker')].map((host) => { \
                   const corner = host.getBoundingClientRect(); \
                   return [...host.shadowRoot.querySelectorAll('*')].map((each) => { \
                     const box = each.getBoundingClientRect(), style = getComputedStyle(each); \
                     const fixed = !box.width || style.position === 'fixed'; \
                     const place = [fixed ? 0 : box.x - corner.x, fixed ? 0 : box.y - corner.y, box.width, box.height]; \
                     return [each.localName, each.className, ...place.map(Math.round), \
                       ...[...style].filter((name) => !name.startsWith('--')) \
                         .map((name) => name + ':' + style.getPropertyValue(name))]; }); })";
    let plain = page.run(looks, &[]);
    assert!(lists(&plain).all(|host| lists(host).count() > 1));
    let hostile = "* { letter-spacing: 1em; text-transform: uppercase; text-indent: 3em; line-height: 3; \
                     word-spacing: 9px; text-align: right; white-space: pre; font: italic 700 30px fantasy; \
                     color: red; cursor: wait; text-shadow: 0 0 9px red; tab-size: 20; quotes: none; \
                     list-style: square; hyphens: auto; font-variant: small-caps; caret-color: red }";
    let script = "const sheet = document.createElement('style'); \
                  sheet.textContent = arguments[0]; \
                  document.head.append(sheet)";
    page.run(script, &[json!(hostile)]);
    let under = page.run(looks, &[]);
    for (host, (one, other)) in lists(&plain).zip(lists(&under)).enumerate() {
        let differ: Vec<_> = lists(one)
            .zip(lists(other))
            .flat_map(|(one, other)| lists(one).zip(lists(other)))
            .filter(|(one, other)| one != other)
            .take(5)
            .collect();
        assert!(differ.is_empty(), "element {host}: {differ:#?}");
    }
    page.assert_no_errors();
}

fn lists(looks: &Value) -> impl Iterator<Item = &Value> {
    looks.as_array().into_iter().flatten()
}

/// Markup that would run if it were parsed as such, in one text, and links that would run.
const MARKUP: &str = concat!(
    r#""'><img src=x onerror=trap()><script>trap()</script><svg onload=trap()>"#,
    r#"<iframe srcdoc="<script>parent.trap()</script>"></iframe></style></textarea>"#,
    r#"<a href=javascript:trap()>{{trap()}}${trap()}"#
);
const ATTACKS: [&str; 7] = [
    MARKUP,
    concat!(
        r#"jaVasCript:/*-/*`/*\`/*'/*"/**/(/* */oNcliCk=trap() )//%0D%0A%0d%0a//"#,
        r"</stYle/</titLe/</teXtarEa/</scRipt/--!>\x3csVg/<sVg/oNloAd=trap()//>\x3e"
    ),
    "javascript:trap()",
    " \u{1}jaVa\tscript:trap()//https://example.org",
    "data:text/html,<script>opener.trap()</script>",
    "vbscript:trap()",
    r#"https://example.org/"onmouseover="trap()"#,
];

/// Keys of texts that people write into bookings, event types and roles, in any response.
const WRITTEN: [&str; 24] = [
    "title",
    "name",
    "description",
    "location",
    "meetingUrl",
    "link",
    "address",
    "avatarUrl",
    "bannerUrl",
    "bio",
    "label",
    "placeholder",
    "cancellationReason",
    "reschedulingReason",
    "rejectionReason",
    "absentReason",
    "notes",
    "color",
    "displayEmail",
    "phoneNumber",
    "logoUrl",
    "successRedirectUrl",
    "href",
    "url",
];

/// Keys of objects whose own keys come from visitors and pages.
const ANSWERS: [&str; 2] = ["bookingFieldsResponses", "metadata"];

fn every_text(value: &mut Value, attack: &str) {
    match value {
        Value::String(text) => attack.clone_into(text),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|value| every_text(value, attack)),
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| every_text(value, attack)),
        _ => {}
    }
}

fn poison(value: &mut Value, attack: &str) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields.iter_mut() {
                let is_written = WRITTEN.contains(&key.as_str());
                // Every text in it was written by someone.
                if ANSWERS.contains(&key.as_str()) {
                    every_text(value, attack);
                }
                match value {
                    Value::String(text) if is_written => attack.clone_into(text),
                    Value::Null if ["location", "meetingUrl"].contains(&key.as_str()) => {
                        *value = json!(attack);
                    }
                    other => poison(other, attack),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| poison(value, attack)),
        _ => {}
    }
}

/// Script that finds elements and links in the shadow roots that could run code.
const DANGERS: &str = r#"
    const found = [], links = ["href", "src", "action", "formaction", "data", "srcdoc", "xlink:href"];
    const safe = ["http:", "https:", "mailto:", "tel:", "blob:"];
    const look = (root) => {
      for (const each of root.querySelectorAll("*")) {
        if (each.shadowRoot) look(each.shadowRoot);
        if (root === document) continue;
        if (each.matches("script, iframe, object, embed, base, meta, frame")) found.push(each.outerHTML);
        for (const { name, value } of each.attributes) {
          if (name.startsWith("on")) found.push(each.outerHTML);
          if (links.includes(name) && !safe.includes(new URL(value, location).protocol)) found.push(`${name}=${value}`);
        }
      }
    };
    look(document);
    return [window.trapped, found];
"#;

/// Script that counts calls that must not happen.
const TRAP: &str = "<script>window.trapped = 0; function trap() { trapped++; } \
                    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) window[name] = trap;</script>";

/// Injects attacks into every text that people wrote in responses; returns the index of the current
/// attack, to be changed.
fn poisoned(faults: &Faults) -> Arc<AtomicUsize> {
    let round = Arc::new(AtomicUsize::new(0));
    let current = Arc::clone(&round);
    faults.rewrite("/v2/", move |answer| {
        let attack = ATTACKS[current.load(Ordering::Relaxed) % ATTACKS.len()];
        poison(answer, attack);
    });
    round
}

/// Asserts that the attack neither runs nor could run, and is shown as text.
#[track_caller]
fn assert_inert(page: &Page, what: &str, attack: &str) {
    page.wait_for_quiet();
    let found = page.run(DANGERS, &[]);
    if found != json!([0, []]) {
        page.fail(&format!("{what} with {attack}: {found:#}"));
    }
    assert!(page.shows("trap()"), "{what} shows as text: {attack}");
}

#[test]
fn injected_markup_is_shown_as_text() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let start = free_start(&service, INTRO_CALL, 3);
    let uid = create_booking_of_grace(&service, INTRO_CALL, start);
    let round = poisoned(&faults);
    let head = format!("{CONNECT}{TRAP}");
    let page = open_page(&faults, &head, "<main id=place></main>");
    let own = format!(r#"<booking-picker load="eager" booking-uid="{uid}"></booking-picker>"#);
    let elements = format!("{PICKER}{own}{LIST}{ROLES}");
    for (number, attack) in ATTACKS.iter().enumerate() {
        round.store(number, Ordering::Relaxed);
        page.run("place.innerHTML = arguments[0]", &[json!(elements)]);
        connect(&page, &faults, &service);
        wait_for_all(&page);
        // Details between the rows: beside them is room for one.
        let unfold = "place.style.inlineSize = '1000px'; for (const each of document.querySelector('booking-list').shadowRoot \
                        .querySelectorAll('tr.booking [aria-expanded=false]')) each.click(); \
                      document.querySelector('booking-picker').shadowRoot.querySelector('.time').click(); \
                      document.querySelector('booking-roles').shadowRoot.querySelector('li.role button')?.click()";
        page.run(unfold, &[]);
        page.wait_for_text("Held for you");
        assert_inert(&page, "everything", attack);
    }
    page.assert_no_errors();
}

#[test]
fn injected_markup_stays_inert_in_forms_and_actions() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let round = poisoned(&faults);
    let head = format!("{CONNECT}{TRAP}");
    let page = open_page(&faults, &head, "<main id=place></main>");
    let show = |elements: &str| page.run("place.innerHTML = arguments[0]", &[json!(elements)]);
    let [picker, list, roles] =
        ["booking-picker", "booking-list", "booking-roles"].map(|name| page.css(name));
    // Slower engines run a sample: the tested code is the same in all engines.
    let every = if page.engine() == Engine::Chromium {
        1
    } else {
        3
    };
    let free = free_slots(&service, &page, INTRO_CALL);
    let later_day = &free[0];
    for (number, attack) in ATTACKS.iter().enumerate().step_by(every) {
        round.store(number, Ordering::Relaxed);
        // Booking, rescheduling and cancelling.
        show(PICKER);
        page.run(
            "document.querySelector('booking-picker').prefill = \
               { name: 'Grace Hopper', email: 'grace@example.org' }",
            &[],
        );
        picker.css(".time").first().click();
        page.wait_for_text("Held for you");
        assert_inert(&page, "the form", attack);
        picker.button("Confirm booking").click();
        picker.heading(starting("You’re booked for")).wait();
        assert_inert(&page, "the confirmation", attack);
        picker.button("Reschedule").click();
        page.wait_for_text("Current time");
        select_day(&page, &picker, later_day).wait();
        picker.css(".time:not([data-current])").first().click();
        picker.heading(starting("Reschedule to ")).wait();
        assert_inert(&page, "the form of a move", attack);
        picker.button("Reschedule").click();
        picker.heading(starting("Rescheduled to")).wait();
        picker.button("Cancel booking").click();
        picker.heading("Cancel this booking?").wait();
        assert_inert(&page, "the form of a cancellation", attack);

        // Details and actions of the team.
        show(&format!("{LIST}{ROLES}"));
        connect(&page, &faults, &service);
        // The first may have begun: no rescheduling.
        let buttons = list.css("tr.booking button");
        buttons.first().wait();
        page.wait_for_quiet();
        buttons.nth(buttons.count() - 1).click();
        list.css(".details").wait();
        assert_inert(&page, "the details", attack);
        let actions = list.css(".details").button("Reschedule");
        actions.click();
        assert_inert(&page, "the form of the team's move", attack);
        page.press(Key::Escape);
        roles.css("[part~=edit-role]").first().click();
        roles.field("Name").wait();
        // A name is one line, in any response.
        let name = roles.field("Name").value();
        assert!(name.contains("trap()"), "{name}");
        assert_inert(&page, "the editor of a role", attack);
    }
    page.assert_no_errors();
}

#[test]
fn redirect_after_booking_runs_no_script_url() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(&faults, TRAP, "<main id=place></main>");
    let picker = page.css("booking-picker");
    // The first attack is a valid relative URL of the page, which is allowed.
    for attack in ATTACKS.into_iter().skip(1) {
        faults.rewrite("/v2/event-types", move |answer| {
            for each in answer["data"].as_array_mut().into_iter().flatten() {
                each["successRedirectUrl"] = json!(attack);
            }
        });
        for after in ["", "after-booking=redirect"] {
            let way = if after.is_empty() { "" } else { attack };
            let script = "place.innerHTML = arguments[0]; \
                          const picker = document.querySelector('booking-picker'); \
                          picker.redirectUrl = arguments[1] || null; \
                          picker.prefill = { name: 'Grace Hopper', email: 'grace@example.org' }";
            let element = PICKER.replace("></", &format!(" {after}></"));
            page.run(script, &[json!(element), json!(way)]);
            picker.css(".time").first().click();
            page.wait_for_text("Held for you");
            picker.button("Confirm booking").click();
            picker.heading(starting("You’re booked for")).wait();
            page.wait_for_quiet();
            assert_eq!(page.run(DANGERS, &[]), json!([0, []]), "{after} {attack}");
        }
    }
    page.assert_no_errors();
}

/// Makes one change to a response; its kind and position follow from `seed` alone.
fn mangle(answer: &mut Value, seed: usize) {
    let mut places = Vec::new();
    collect(answer, &mut String::new(), &mut places);
    // Strides that are prime to most lengths reach every depth.
    let pointer = places[(seed * 7919 + 13) % places.len()].clone();
    let deep = (0..200).fold(json!({}), |inner, _| json!([inner]));
    let values = [
        Value::Null,
        json!(-1),
        json!(9_007_199_254_740_993_i64),
        serde_json::from_str("1e308").unwrap_or_default(),
        json!(""),
        json!("\u{0}\u{202E}\u{FFFD}"),
        json!("x".repeat(100_000)),
        json!([]),
        json!({}),
        json!([null, 1, "a", [], {}]),
        json!(true),
        json!("-271821-04-20T00:00:00.000Z"),
        json!("275760-09-13T00:00:00.000Z"),
        deep,
    ];
    if let Some(value) = answer.pointer_mut(&pointer) {
        *value = values[seed % values.len()].clone();
    }
}

/// Collects the JSON pointers of all values.
fn collect(value: &Value, here: &mut String, places: &mut Vec<String>) {
    places.push(here.clone());
    let mut inner = |key: &str, value: &Value| {
        let length = here.len();
        here.push('/');
        here.push_str(&key.replace('~', "~0").replace('/', "~1"));
        collect(value, here, places);
        here.truncate(length);
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| inner(key, value)),
        Value::Array(values) => {
            let first = values.iter().enumerate().take(3);
            first.for_each(|(index, value)| inner(&index.to_string(), value));
        }
        _ => {}
    }
}

/// Script that replaces all three elements, and returns those that do not finish loading, with their text.
const SHOW: &str = r#"
    place.innerHTML = arguments[0];
    connect(arguments[1]);
    const all = [...place.children];
    const soon = () => new Promise((done) => setTimeout(done, 10));
    const text = (each) => [...each.shadowRoot?.querySelectorAll(".base") ?? []]
      .map((base) => base.innerText.trim()).join("").slice(0, 60);
    const rests = (each) => text(each) && !each.shadowRoot.querySelector("[aria-busy=true], .skeleton");
    return (async () => {
      for (let waits = 0; waits < 1500 && !all.every(rests); waits++) await soon();
      return all.filter((each) => !rests(each)).map((each) => each.localName + ": " + text(each));
    })();
"#;

#[test]
fn malformed_responses_leave_the_elements_working() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let round = Arc::new(AtomicUsize::new(0));
    let current = Arc::clone(&round);
    faults.rewrite("/v2/", move |answer| {
        let round = current.load(Ordering::Relaxed);
        match round {
            0 => *answer = Value::Null,
            1 => *answer = json!([]),
            2 => *answer = json!("text"),
            3 => *answer = json!({ "status": "success" }),
            4 => *answer = json!({ "status": "success", "data": Map::new() }),
            5 => *answer = json!({ "status": "error", "error": [] }),
            _ => (0..3).for_each(|nth| mangle(answer, round * 3 + nth)),
        }
    });
    let page = open_page(&faults, CONNECT, "<main id=place></main>");
    let sessions = json!([[faults.url(""), service.demo_text("apiKey")]]);
    let key = json!(sessions.to_string());
    let elements = json!(format!("{PICKER}{LIST}{ROLES}"));
    // Slower engines run a sample: the tested code is the same in all engines.
    let rounds = if page.engine() == Engine::Chromium {
        40
    } else {
        12
    };
    for number in 0..rounds {
        round.store(number, Ordering::Relaxed);
        let unsettled = page.run(SHOW, &[elements.clone(), key.clone()]);
        assert_eq!(unsettled, json!([]), "round {number}");
        page.assert_no_errors();
    }
    faults.clear();
    page.run(SHOW, &[elements, key]);
    wait_for_all(&page);
}

#[test]
fn element_works_in_templates_frames_and_a_replaced_body() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = format!("<main id=place>{PICKER}</main><template id=kept>{PICKER}</template>");
    let page = open_page(&faults, "", &body);
    page.css(".time").first().wait();
    let times = |what: &str| {
        page.wait_until(what, || {
            let script = "return [...window.all ?? []].every((each) => \
                            each.shadowRoot?.querySelector('.time'))";
            page.run(script, &[]) == true
        });
        page.assert_no_errors();
    };

    // A template's content is inert until it is used; a copy is an element of its own.
    assert_eq!(
        page.run(
            "return !!kept.content.firstChild.shadowRoot?.querySelector('.base *')",
            &[]
        ),
        json!(false)
    );
    page.run(
        "const first = document.querySelector('booking-picker'); \
         const copies = [kept.content.cloneNode(true).firstChild, first.cloneNode(true)]; \
         place.append(...copies); window.all = [first, ...copies]",
        &[],
    );
    times("the copies to show times");

    // Moved within the page: before a sibling, into a closed root, and into another document.
    page.run(
        "place.insertBefore(all[2], all[0]); \
         const host = document.createElement('div'); \
         place.append(host); \
         host.attachShadow({ mode: 'closed' }).append(all[1])",
        &[],
    );
    times("the moved ones to show times");
    page.run(
        "const frame = document.createElement('iframe'); \
         frame.width = 800; frame.height = 600; \
         document.body.append(frame); \
         frame.contentDocument.body.append(all[0])",
        &[],
    );
    page.run(
        "document.body.append(all[0]); document.querySelector('iframe').remove()",
        &[],
    );
    times("the one that came back to show times");

    // As Turbo does: replaces the whole body.
    page.run(
        "const body = document.createElement('body'); \
         body.append(kept.content.cloneNode(true)); \
         document.documentElement.replaceChild(body, document.body); \
         window.all = body.querySelectorAll('booking-picker')",
        &[],
    );
    times("the new body's to show times");

    // Back navigation: works from the back/forward cache and after a reload.
    page.go(&faults.url("/embed/demo.css"));
    page.back();
    page.record_errors();
    page.css(".time").first().wait();
    page.css(".time").first().click();
    page.css("booking-picker")
        .first()
        .heading("Your details")
        .wait();
    page.assert_no_errors();
}

#[test]
fn sandboxed_frame_without_storage_books() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let inner = format!(
        r#"<!doctype html><html lang="en-US"><meta charset="utf-8"><title>Inside</title>
        <script>try {{ localStorage.length; parent.postMessage("stores", "*") }} catch {{}}
        addEventListener("error", (event) => parent.postMessage("error " + event.message, "*"));
        addEventListener("unhandledrejection", (event) => parent.postMessage("error " + event.reason, "*"));
        </script>
        <script type="module" src="/embed/embed.js"></script>{PICKER}
        <script type="module">
          const picker = document.querySelector("booking-picker");
          picker.prefill = {{ name: "Grace Hopper", email: "grace@example.org" }};
          picker.addEventListener("booking-created", () => parent.postMessage("booked", "*"));
          const click = async (find) => {{
            for (let waits = 0; waits < 1500; waits++) {{
              const found = find(picker.shadowRoot);
              if (found) return found.click();
              await new Promise((done) => setTimeout(done, 10));
            }}
            parent.postMessage("error: " + picker.shadowRoot?.textContent, "*");
          }};
          await click((root) => root?.querySelector(".time"));
          await click((root) => [...root.querySelectorAll("button")]
            .find((each) => each.textContent.includes("Confirm booking") && root.querySelector("form")));
        </script>"#
    );
    faults.page("/inner.html", &[], &inner);
    // Without `allow-forms`, browsers fire no `submit` event.
    for (bookings, allowed) in [(1, "allow-scripts allow-forms"), (2, "allow-scripts")] {
        let page = open_page(
            &faults,
            "<script>window.events = []; onmessage = (event) => events.push(event.data)</script>",
            &format!(
                r#"<iframe sandbox="{allowed}" src="/inner.html" width=900 height=900></iframe>"#
            ),
        );
        page.wait_for_event("booked");
        assert_eq!(page.run("return events", &[]), json!(["booked"]));
        assert_eq!(faults.count("POST", "/v2/bookings"), bookings);
        page.assert_no_errors();
    }
}

#[test]
fn browser_without_storage_and_cookies_books() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let popup = PICKER.replace("load=", "placement=popup load=");
    let html = format!(
        r#"<!doctype html><html lang="en-US"><meta charset="utf-8"><title>Forgetful</title>
        <script type="module" src="/embed/embed.js"></script><main>{PICKER}{popup}</main>"#
    );
    faults.page("/forgetful.html", &[], &html);
    let page = Page::open_without_storage(&faults.url("/forgetful.html"));
    page.record_errors();
    // Storage is denied, or missing.
    let keeping = r#"
        const keeps = (store) => { try { return Boolean(window[store].length, 1) } catch (error) { return error.name } };
        document.cookie = "kept=yes";
        return [keeps("localStorage"), keeps("sessionStorage"), document.cookie]"#;
    // WebKit still has session storage.
    let kept = match page.engine() {
        Engine::Webkit => json!(["TypeError", false, ""]),
        _ => json!(["SecurityError", "SecurityError", ""]),
    };
    assert_eq!(page.run(keeping, &[]), kept);

    let dialog = page.role("dialog", "Book a time");
    for (round, picker) in [page.css("booking-picker").first(), dialog]
        .iter()
        .enumerate()
    {
        if round == 1 {
            page.button("Book a time").click();
        }
        picker.role("list", starting("Times on")).wait();
        picker.field("24h").click();
        select_time_zone(&page, picker, "tokyo");
        let free = free_slots_in("Asia/Tokyo", &service, &page, INTRO_CALL);
        let times = select_day(&page, picker, first_of_day_with(5, &free)).each("button");
        times.nth(3 + round).click();
        picker.text("Held for you").wait();
        fill_in(picker);
        picker.button("Confirm booking").click();
        picker.heading(starting("You’re booked for")).wait();
    }
    assert_eq!(faults.count("POST", "/v2/bookings"), 2);
    page.assert_no_errors();

    // Also on the pages of the service itself.
    page.go(&faults.url("/ada/intro-call"));
    page.record_errors();
    page.role("list", starting("Times on")).wait();
    let free = free_slots(&service, &page, INTRO_CALL);
    select_slot(&page, &page.css("main"), &free[6]);
    page.text("Held for you").wait();
    page.field("Your name").fill("Grace Hopper");
    page.field("Email address").fill("grace@example.org");
    page.button("Confirm booking").click();
    page.heading(starting("You’re booked for")).wait();
    page.assert_no_errors();
}

#[test]
fn elements_of_two_services_share_no_credentials() {
    let (one, other) = (Service::start(), Service::start());
    let (first, second) = (Faults::before(&one), Faults::before(&other));
    // A service that redirects must not pass on the credentials of its callers.
    let moved = Faults::before(&other);
    let elsewhere = first.url("/v2/elsewhere");
    moved.always("GET", "/v2/teams/1/bookings", Fault::Redirect(elsewhere));
    let page = open_page(&first, CONNECT, &LIST.repeat(3));
    let keys = [
        one.demo_text("apiKey"),
        other.demo_text("apiKey"),
        "canary".to_owned(),
    ];
    let bases = [&first, &second, &moved].map(|faults| faults.url(""));
    let sessions: Vec<_> = bases.iter().zip(&keys).collect();
    page.run(
        "connect(arguments[0])",
        &[json!(json!(sessions).to_string())],
    );
    let list = |place: usize| page.css("booking-list").nth(place);
    list(0).css("tr.booking").first().wait();
    list(1).css("tr.booking").first().wait();
    list(2).button("Try again").wait();
    let bearers = |faults: &Faults| {
        let mut all = faults.headers("GET", "/v2/", "authorization");
        all.retain(|value| !value.is_empty());
        all.sort();
        all.dedup();
        all
    };
    let [near, far, canary] = keys.map(|key| format!("Bearer {key}"));
    assert_eq!(bearers(&first), [near]);
    assert_eq!(bearers(&second), [far]);
    assert_eq!(bearers(&moved), [canary]);
    assert_eq!(first.count("GET", "/v2/elsewhere"), 0);
    page.assert_no_errors();
}
