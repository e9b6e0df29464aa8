//! Elements of a team, and of returning visitors, that change or are removed while a request is in flight, and
//! event listeners that call methods of their element.

use crate::common::{
    BOOKINGS, DESIGN_REVIEW, Engine, Fault, Faults, PARTNER_CALL, Page, SITE_VISIT, Service,
    TEAM_ROLES, booking_at, booking_by, is_included, open_page,
};
use serde_json::json;

/// Changes of an element by its page, as scripts; `element` is the element.
const CHANGES: [(&str, &str); 6] = [
    ("reset", "element.reset()"),
    ("remove", "element.remove()"),
    ("destroy", "element.destroy()"),
    ("attribute", "element.setAttribute('heading-level', '3')"),
    ("session", "element.session = null"),
    ("move", "document.querySelector('section').append(element)"),
];

/// Outcomes of the request in flight.
const OUTCOMES: [Fault; 4] = [
    Fault::Hang,
    Fault::LateStatus(409, "no"),
    Fault::LateStatus(500, "broken"),
    Fault::ResponseLostLate,
];

/// Shared scripts of the page: sessions, wait helpers, and an untouched element with a form filled in.
const PAGE: &str = r#"<script>
  window.makeSession = () => ({
    baseUrl: location.origin,
    async getToken() {
      const answer = await fetch("/demo/token", { method: "POST" });
      return (await answer.json()).accessToken;
    },
  });
  window.wait = async (find, tries = 600) => {
    for (; tries > 0; tries--) {
      const found = find();
      if (found) return found;
      await new Promise((next) => setTimeout(next, 20));
    }
    return undefined;
  };
  window.find = (selector, host = element) => wait(() => host.shadowRoot?.querySelector(selector));
  window.open = async (uid) => {
    element.query = `status=all&bookingUid=${uid}`;
    await wait(() => element.shadowRoot?.querySelectorAll(".booking-open").length === 1);
    const row = await find(".booking-open");
    if (row.getAttribute("aria-expanded") !== "true") row.click();
    await find(`[data-acts="${uid}"]`);
  };
  window.press = async (selector) => (await find(selector)).click();
  window.type = async (selector, text, host = element) => {
    const field = await find(selector, host);
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  window.events = [];
  window.put = (html, names) => {
    window.element?.remove();
    const main = document.querySelector("main");
    main.innerHTML = html;
    window.element = main.firstElementChild;
    window.events = [];
    const recorded = window.events;
    for (const name of [...names, "booking-error"])
      element.addEventListener(name, ({ type }) => recorded.push(type));
    if (element.localName !== "booking-picker") element.session = makeSession();
  };
</script>"#;

/// Write request, the steps of an element that send it, and the expected events of each outcome.
struct Write {
    name: &'static str,
    html: String,
    /// Script that performs the steps.
    go: String,
    method: &'static str,
    path: String,
    events: &'static [&'static str],
    expected: [&'static [&'static str]; 4],
}

pub(super) const LIST: &str =
    r#"<booking-list team-id="1" time-zone="Europe/London"></booking-list>"#;
const ROLE_LIST: &str = r#"<booking-roles org-id="1" team-id="1"></booking-roles>"#;

/// Creates a role and returns its id.
#[track_caller]
fn create_role(service: &Service, name: &str) -> String {
    let role =
        json!({ "name": name, "permissions": ["booking.read", "team.read", "webhook.read"] });
    let booking_at = service.owner().post(TEAM_ROLES, &role);
    assert!(booking_at.status < 300, "{booking_at:?}");
    booking_at.data()["id"].as_str().expect("an id").to_owned()
}

/// Bookings by event type, reused as long as their status is unchanged.
#[derive(Default)]
struct BookingPool(Vec<(i64, String)>);

impl BookingPool {
    fn booking(&mut self, service: &Service, event_type_id: i64) -> String {
        let known = self.0.iter().find(|(known, _)| *known == event_type_id);
        if let Some((_, uid)) = known {
            let status = service.owner().get(&format!("{BOOKINGS}/{uid}")).data();
            let is_fresh = match event_type_id {
                DESIGN_REVIEW => status["status"] == "pending",
                _ => status["status"] == "accepted",
            };
            if is_fresh {
                return uid.clone();
            }
        }
        let uid = booking_at(service, event_type_id, 3);
        self.0.retain(|(known, _)| *known != event_type_id);
        self.0.push((event_type_id, uid.clone()));
        uid
    }
}

fn confirm(uid: &str) -> Write {
    Write {
        name: "confirming a booking",
        html: LIST.into(),
        go: format!("await open('{uid}'); await press('[data-act=confirm]')"),
        method: "POST",
        path: format!("{BOOKINGS}/{uid}/confirm"),
        events: &["booking-confirmed"],
        expected: [&["booking-confirmed"], &[], &[], &["booking-confirmed"]],
    }
}

fn cancel(uid: &str) -> Write {
    Write {
        name: "cancelling a booking",
        html: LIST.into(),
        go: format!(
            "await open('{uid}'); await press('[data-act=cancel]'); \
             await type('.act-form textarea', 'Rain'); await press('.act-form [type=submit]')"
        ),
        method: "POST",
        path: format!("{BOOKINGS}/{uid}/cancel"),
        events: &["booking-cancelled"],
        expected: [&["booking-cancelled"], &[], &[], &["booking-cancelled"]],
    }
}

fn reschedule(uid: &str) -> Write {
    const MOVED: &[&str] = &["booking-rescheduled"];
    const FAILED: &[&str] = &["booking-failed"];
    Write {
        name: "moving a booking",
        html: LIST.into(),
        go: format!(
            "await open('{uid}'); await press('[data-act=reschedule]'); \
             const picker = () => element.shadowRoot?.querySelector('booking-picker')?.shadowRoot; \
             (await wait(() => picker()?.querySelector('.time:not([data-current])'))).click(); \
             await wait(() => picker().querySelector('form [type=submit]')); \
             await wait(() => picker().textContent.includes('Held for')); \
             picker().querySelector('form [type=submit]').click()"
        ),
        method: "POST",
        path: format!("{BOOKINGS}/{uid}/reschedule"),
        events: &["booking-rescheduled", "booking-failed"],
        // Retried with its idempotency key.
        expected: [MOVED, FAILED, MOVED, MOVED],
    }
}

fn visitor_cancels(uid: &str) -> Write {
    const DONE: &[&str] = &["booking-cancelled"];
    const FAILED: &[&str] = &["booking-cancel-failed"];
    Write {
        name: "a visitor's cancelling",
        html: format!(r#"<booking-picker booking-uid="{uid}" mode="cancel"></booking-picker>"#),
        go: "await press('.cancel-form [type=submit]')".into(),
        method: "POST",
        path: format!("{BOOKINGS}/{uid}/cancel"),
        events: &["booking-cancelled", "booking-cancel-failed"],
        expected: [DONE, FAILED, FAILED, DONE],
    }
}

const ROLE_EVENTS: &[&str] = &[
    "role-created",
    "role-updated",
    "role-deleted",
    "role-save-failed",
];
const NOT_SAVED: &[&str] = &["role-save-failed"];

fn new_role(name: &str) -> Write {
    Write {
        name: "making a role",
        html: ROLE_LIST.into(),
        go: format!(
            "await find('li.role'); await press('.roles-new'); await type('#role-name', '{name}'); \
             await press('.grade-row input:not(:checked)'); await press('.role-fields [type=submit]')"
        ),
        method: "POST",
        path: TEAM_ROLES.into(),
        events: ROLE_EVENTS,
        expected: [&["role-created"], NOT_SAVED, NOT_SAVED, NOT_SAVED],
    }
}

fn change_role(id: &str, words: &str) -> Write {
    Write {
        name: "changing a role",
        html: ROLE_LIST.into(),
        go: format!(
            "await press('[data-role=\"{id}\"] [part~=edit-role]'); \
             await type('#role-description', '{words}'); await press('.role-fields [type=submit]')"
        ),
        method: "PATCH",
        path: format!("{TEAM_ROLES}/{id}"),
        events: ROLE_EVENTS,
        expected: [&["role-updated"], NOT_SAVED, NOT_SAVED, NOT_SAVED],
    }
}

fn add_permission(id: &str) -> Write {
    Write {
        name: "taking a permission from a role",
        html: ROLE_LIST.into(),
        go: format!(
            "await press('[data-role=\"{id}\"] .role-open'); \
             await press('[data-role=\"{id}\"] .permission-remove')"
        ),
        method: "DELETE",
        path: format!("{TEAM_ROLES}/{id}/permissions"),
        events: ROLE_EVENTS,
        expected: [&["role-updated"], NOT_SAVED, NOT_SAVED, NOT_SAVED],
    }
}

fn delete_role(id: &str) -> Write {
    Write {
        name: "deleting a role",
        html: ROLE_LIST.into(),
        go: format!(
            "await press('[data-role=\"{id}\"] .role-acts > [aria-haspopup]'); \
             await wait(() => element.shadowRoot.querySelector('dialog[open]')); \
             await press('dialog .button-danger')"
        ),
        method: "DELETE",
        path: format!("{TEAM_ROLES}/{id}"),
        events: ROLE_EVENTS,
        expected: [&["role-deleted"], &[], &[], &["role-deleted"]],
    }
}

/// Runs an asynchronous script.
#[track_caller]
fn go(page: &Page, script: &str) {
    let script = format!(
        "return (async () => {{ {script} }})() \
           .then(() => 'done', (error) => `${{error}} ${{element.shadowRoot?.textContent}}`)"
    );
    let outcome = page.run(&script, &[]);
    if outcome != "done" {
        page.fail(&format!("{script}: {outcome}"));
    }
}

/// Opens a page with an untouched element `untouched`, whose form is partly filled in.
pub(super) fn open_beside(faults: &Faults, untouched: &str) -> Page {
    let body = format!("{PAGE}<main></main><section></section><aside>{untouched}</aside>");
    let page = open_page(faults, "", &body);
    go(
        &page,
        "window.other = document.querySelector('aside > *'); window.element = other; \
         if (other.localName === 'booking-roles') { \
           other.session = makeSession(); \
           await find('li.role'); await press('.roles-new'); await type('#role-name', 'Typed'); \
         } else { \
           await press('.time'); await type('input[autocomplete=name]', 'Typed'); \
           if (!await wait(() => other.shadowRoot.textContent.includes('Held for'))) throw new Error('not held'); \
           window.changes = 0; other.addEventListener('form-changed', () => { window.changes += 1; }); \
         } \
         window.element = undefined",
    );
    page
}

/// Asserts that the untouched element still has the typed text, and responds to input.
#[track_caller]
fn assert_other_works(page: &Page) {
    go(
        page,
        "const root = other.shadowRoot; \
         const isRole = other.localName === 'booking-roles'; \
         const field = root.querySelector(isRole ? '#role-name' : 'input[autocomplete=name]'); \
         if (field?.value !== 'Typed') throw new Error(`typed: ${field?.value}`); \
         if (isRole) { \
           const count = root.querySelector('.permissions-count'); \
           const before = count.textContent; \
           root.querySelector('.grade-row input:not(:checked)').click(); \
           if (!await wait(() => count.textContent !== before)) throw new Error('it does not follow'); \
         } else { \
           const before = window.changes; \
           await type('input[autocomplete=name]', '', other); \
           await wait(() => window.changes > before); \
           await type('input[autocomplete=name]', 'Typed', other); \
           if (!await wait(() => window.changes > before + 1)) throw new Error('it does not follow'); \
         }",
    );
    page.assert_no_errors();
}

/// Sends a write, changes the element while it is in flight, and checks the events.
#[track_caller]
fn check(page: &Page, faults: &Faults, write: &Write, change: (&str, &str), outcome: usize) {
    let (name, script) = change;
    let case = format!("{}, {name}, {:?}", write.name, OUTCOMES[outcome]);
    page.run(
        "put(arguments[0], arguments[1])",
        &[json!(write.html), json!(write.events)],
    );
    faults.next(write.method, &write.path, OUTCOMES[outcome].clone());
    go(page, &write.go);
    page.wait_until(&format!("the request of {case}"), || faults.hanging() == 1);
    page.run(script, &[]);
    faults.release();
    let expected = write.expected[outcome];
    if expected.is_empty() {
        page.wait_for_quiet();
    } else {
        page.wait_until(&format!("the event of {case}"), || {
            !page.events().is_empty()
        });
    }
    assert_other_works(page);
    assert_eq!(page.events(), expected, "{case}");
    let text = page.run(
        "return document.body.innerText + element.shadowRoot?.textContent",
        &[],
    );
    let text = text.as_str().unwrap_or_default();
    assert!(!text.contains("This could not be shown"), "{case}: {text}");
}

/// Returns all changes with all outcomes in one engine, the first in the others: engines do not differ here.
fn cases(page: &Page) -> Vec<((&'static str, &'static str), usize)> {
    let all = CHANGES
        .into_iter()
        .flat_map(|change| (0..4).map(move |outcome| (change, outcome)));
    match page.engine() {
        Engine::Chromium => all.collect(),
        _ => all.take(1).collect(),
    }
}

/// The page gets the events of a write even if its element was removed or changed in flight, and other
/// elements keep working.
#[test]
fn staff_write_in_flight_is_reported_after_its_element_changes() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_beside(&faults, ROLE_LIST);
    let mut pool = BookingPool::default();
    let changed = create_role(&service, "Changed");
    for (number, (change, outcome)) in cases(&page).into_iter().enumerate() {
        let role = create_role(&service, &format!("Short {number}"));
        let writes = [
            confirm(&pool.booking(&service, DESIGN_REVIEW)),
            cancel(&pool.booking(&service, PARTNER_CALL)),
            new_role(&format!("New {number}")),
            change_role(&changed, &format!("Words {number}")),
            add_permission(&role),
            delete_role(&role),
            reschedule(&pool.booking(&service, SITE_VISIT)),
        ];
        for (column, write) in writes.iter().enumerate() {
            if page.engine() != Engine::Chromium || is_included(number, column) {
                check(&page, &faults, write, change, outcome);
            }
        }
    }
}

/// Same check for a visitor who cancels.
#[test]
fn cancellation_in_flight_is_reported_after_its_element_changes() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let picker = r#"<booking-picker username="ada" event-slug="intro-call"></booking-picker>"#;
    let page = open_beside(&faults, picker);
    let mut pool = BookingPool::default();
    for (change, outcome) in cases(&page) {
        let uid = pool.booking(&service, PARTNER_CALL);
        check(&page, &faults, &visitor_cancels(&uid), change, outcome);
    }
}

/// A bulk action ends with its list: sent requests are reported, and no more are sent.
#[test]
fn bulk_action_stops_when_its_list_is_removed() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_beside(&faults, ROLE_LIST);
    let is_chromium = page.engine() == Engine::Chromium;
    let uids: Vec<String> = (0..6)
        .map(|_| booking_at(&service, DESIGN_REVIEW, 3))
        .collect();
    let changes = CHANGES.iter().take(if is_chromium { 5 } else { 1 });
    for (name, script) in changes {
        let events = ["booking-cancelled", "booking-confirmed", "export"];
        let list = "element.query = 'status=all&attendeeEmail=grace%40example.org'; \
                    await wait(() => element.shadowRoot.querySelectorAll('.booking-open').length === 6); \
                    await press('.select-page input'); ";
        page.run(
            "put(arguments[0], arguments[1])",
            &[json!(LIST), json!(events)],
        );
        let before = faults.count("POST", "/v2/bookings/");
        faults.always("POST", "/v2/bookings/", Fault::LateStatus(409, "no"));
        go(
            &page,
            &format!(
                "{list} await press('.selected [data-act=decline]'); await press('.bulk [type=submit]')"
            ),
        );
        page.wait_until("four requests", || faults.hanging() == 4);
        page.run(script, &[]);
        faults.release();
        page.wait_for_quiet();
        assert_other_works(&page);
        assert_eq!(page.events(), Vec::<String>::new(), "{name}");
        assert_eq!(faults.count("POST", "/v2/bookings/"), before + 4, "{name}");
        faults.clear();

        // An export is of no use without its list.
        page.run(
            "put(arguments[0], arguments[1])",
            &[json!(LIST), json!(events)],
        );
        let read = "/v2/teams/1/bookings?attendeeEmail=grace%40example.org&take=250";
        faults.next("GET", read, Fault::Hang);
        let all = "await press('.list-tools .export-button'); await press('.export-ways button')";
        go(&page, &format!("{list} {all}"));
        page.wait_until("the page", || faults.hanging() == 1);
        page.run(script, &[]);
        faults.release();
        page.wait_for_quiet();
        assert_other_works(&page);
        assert_eq!(page.events(), Vec::<String>::new(), "{name}");
    }
    // Completed actions are reported, even if the list is removed before the response.
    page.run("put(arguments[0], ['booking-confirmed'])", &[json!(LIST)]);
    faults.always("POST", "/v2/bookings/", Fault::Hang);
    go(
        &page,
        "element.query = 'status=all&attendeeEmail=grace%40example.org'; \
         await wait(() => element.shadowRoot.querySelectorAll('.booking-open').length === 6); \
         await press('.select-page input'); await press('.selected [data-act=confirm]'); \
         await press('.bulk [type=submit]')",
    );
    page.wait_until("four requests", || faults.hanging() == 4);
    page.run("element.remove()", &[]);
    faults.clear();
    faults.release();
    page.wait_until("four events", || page.events().len() == 4);
    page.wait_for_quiet();
    assert_other_works(&page);
    let confirmed = uids.iter().filter(|uid| {
        let stored = service.owner().get(&format!("{BOOKINGS}/{uid}")).data();
        stored["status"] == "accepted"
    });
    assert_eq!(confirmed.count(), 4);
    assert_eq!(page.events().len(), 4);
}

/// Calls of an element by its page, as scripts.
pub(super) const CALLS: [(&str, &str); 11] = [
    ("reset", "element.reset()"),
    ("destroy", "element.destroy()"),
    ("remove", "element.remove()"),
    (
        "heading-level",
        "element.setAttribute('heading-level', '3')",
    ),
    (
        "time-zone",
        "element.setAttribute('time-zone', 'Asia/Tokyo')",
    ),
    ("session", "element.session = null"),
    ("setToken", "element.setToken('token')"),
    ("lang", "element.lang = 'fr'"),
    ("messages", "element.messages = { en: { bookings: 'All' } }"),
    ("query", "element.query = 'status=past'"),
    (
        "views",
        "element.views = [{ name: 'Past', query: 'status=past' }]",
    ),
];

/// Event of an element, and a script of the steps that cause it.
struct EventCase {
    event: &'static str,
    html: String,
    go: String,
}

fn events(service: &Service, number: usize) -> Vec<EventCase> {
    let list = |event, go: &str| EventCase {
        event,
        html: LIST.into(),
        go: go.to_owned(),
    };
    let roles = |event, go: &str| EventCase {
        event,
        html: ROLE_LIST.into(),
        go: go.to_owned(),
    };
    let of = |event, write: Write| EventCase {
        event,
        html: write.html,
        go: write.go,
    };
    // One mailbox gets a limited number of messages.
    let email = format!("grace{number}@example.org");
    let booking = |event_type_id| booking_by(service, event_type_id, 3, ("Grace Hopper", &email));
    let role = create_role(service, &format!("Role {number}"));
    let decline = confirm(&booking(DESIGN_REVIEW));
    let decline = decline.go.replace(
        "await press('[data-act=confirm]')",
        "await press('[data-act=decline]'); await press('.act-form [type=submit]')",
    );
    let place = confirm(&booking(PARTNER_CALL));
    let place = place.go.replace(
        "await press('[data-act=confirm]')",
        "await press('[data-act=relocate]'); await type('#act-place', 'https://meet.example/1'); \
         await press('.act-form [type=submit]')",
    );
    vec![
        list("ready", ""),
        list(
            "language-changed",
            "await find('.booking-open'); element.lang = 'de'",
        ),
        list(
            "query-changed",
            "await find('.booking-open'); await press('.tab[aria-pressed=false]')",
        ),
        list("selection-changed", "await press('.booking-select input')"),
        list("booking-opened", "await press('.booking-open')"),
        list(
            "views-changed",
            "await find('.booking-open'); await press('[aria-controls=views]'); \
             await type('#view-name', 'Mine'); await press('.view-form [type=submit]')",
        ),
        list(
            "export",
            "await find('.booking-open'); await press('.list-tools .export-button'); \
             await press('.export-ways button')",
        ),
        of("booking-confirmed", confirm(&booking(DESIGN_REVIEW))),
        list("booking-declined", &decline),
        of("booking-cancelled", cancel(&booking(PARTNER_CALL))),
        list("booking-changed", &place),
        of("booking-rescheduled", reschedule(&booking(SITE_VISIT))),
        list(
            "auth-required",
            "element.session = { baseUrl: location.origin, token: 'wrong' }",
        ),
        roles("ready", ""),
        roles(
            "permission-changed",
            "await find('li.role'); await press('.roles-new'); await find('.grade-row input:not(:checked)'); \
             await new Promise((next) => setTimeout(next, 50)); await press('.grade-row input:not(:checked)')",
        ),
        of("before-role-save", new_role(&format!("Asked {number}"))),
        of("role-save-failed", new_role(&format!("No {number}"))),
        of("role-created", new_role(&format!("Made {number}"))),
        of("role-updated", change_role(&role, "Other words")),
        of("role-updated", add_permission(&role)),
        of("role-deleted", delete_role(&role)),
        of("booking-cancelled", visitor_cancels(&booking(PARTNER_CALL))),
    ]
}

/// Causes an event, given as its name, the element and a script, whose listener makes a call. Asserts that
/// both succeed, and that the untouched element works.
#[track_caller]
pub(super) fn check_call(page: &Page, (event, html, go): (&str, &str, &str), call: (&str, &str)) {
    let (name, script) = call;
    let case = format!("{event} -> {name}");
    let run = format!(
        // In a task: WebKit lets the element start between the lines of a driver's script.
        "return new Promise((next) => setTimeout(next)).then(() => {{ \
           put(arguments[0], []); window.called = false; \
           element.addEventListener({event:?}, () => {{ \
             if (window.called) return; window.called = true; {script}; }}); \
         }}).then(async () => {{ {go} }}).then(async () => {{ \
           await wait(() => window.called); \
           await new Promise((next) => setTimeout(next, 60)); \
           return [called, events, element.shadowRoot?.textContent ?? '']; \
         }}, (error) => [called, events, String(error)])"
    );
    let outcome = page.run(&run, &[json!(html)]);
    assert_eq!(outcome[0], true, "{case} was not dispatched: {outcome}");
    assert_eq!(outcome[1], json!([]), "{case}: {outcome}");
    let text = outcome[2].as_str().unwrap_or_default();
    assert!(!text.contains("This could not be shown"), "{case}: {text}");
    page.assert_no_errors();
    assert_other_works(page);
}

/// A listener may call any method of its element, set any attribute or property and remove it.
#[test]
fn method_call_in_staff_event_listeners_is_safe() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_beside(&faults, ROLE_LIST);
    let is_chromium = page.engine() == Engine::Chromium;
    // Engines do not differ here.
    let calls = CALLS.iter().take(if is_chromium { CALLS.len() } else { 1 });
    for (row, call) in calls.enumerate() {
        for (column, case) in events(&service, row).into_iter().enumerate() {
            if is_chromium && !is_included(row, column) {
                continue;
            }
            let EventCase { event, html, go } = case;
            if event == "role-save-failed" {
                faults.next("POST", TEAM_ROLES, Fault::Status(400, "no"));
            }
            check_call(&page, (event, &html, &go), *call);
        }
    }
}
