//! Language of the elements: detected, loaded, changed while the visitor types, and missing.

use crate::common::{
    Fault, Faults, INTRO_CALL, INTRO_CALL_PICKER, Page, RESERVATIONS, Service, containing,
    first_of_day_with, free_slots, is_cal_dialect, select_slot, starting,
};
use booking_widget::i18n::{Key, all};
use serde_json::{Map, Value, json};

fn open(faults: &Faults, language: &str, body: &str) -> Page {
    let html = format!(
        r#"<!doctype html><html lang="{language}"><meta charset="utf-8"><title>Somebody’s page</title>
        <script type="module" src="/embed/embed.js"></script><body>{body}</body></html>"#
    );
    faults.page("/page.html", &[], &html);
    let page = Page::open(&faults.url("/page.html"));
    page.record_errors();
    page
}

fn set_language(page: &Page, language: &str) {
    let script = "document.documentElement.lang = arguments[0]";
    page.run(script, &[json!(language)]);
}

#[test]
fn language_change_keeps_input_and_focus() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, "en-US", INTRO_CALL_PICKER);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[0].clone();
    select_slot(&page, &picker, &free);
    picker.field("Your name").fill("Grace Hopper");
    assert_eq!(faults.count("GET", "/embed/lang-"), 0);
    let asked = faults.count("GET", "/v2/event-types");
    page.wait_for_text("Held for you");

    set_language(&page, "de-AT");
    picker.heading("Ihre Angaben").wait();
    assert_eq!(picker.field("Ihr Name").value(), "Grace Hopper");
    let name = picker.field("Ihr Name");
    page.wait_until("the focus", || name.has_focus());
    // Slots may be fetched again, as weeks begin on another day; other data is not.
    assert_eq!(faults.count("GET", "/v2/event-types"), asked);

    set_language(&page, "ar");
    let direction = "return getComputedStyle(document.querySelector('booking-picker').shadowRoot\
                     .querySelector('.base')).direction";
    page.wait_until("right to left", || page.run(direction, &[]) == "rtl");

    // Without a translation, texts are English.
    set_language(&page, "sv");
    picker.heading("Your details").wait();
    assert_eq!(page.run(direction, &[]), "ltr");
    let name = picker.field("Your name");
    assert_eq!(name.value(), "Grace Hopper");
    page.wait_until("the focus", || name.has_focus());
    // The slot stayed reserved.
    let requests = ["POST", "DELETE"].map(|method| faults.count(method, RESERVATIONS));
    assert_eq!(requests, [1, 0]);
    page.assert_no_errors();
}

#[test]
fn each_element_has_its_own_language() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let other = INTRO_CALL_PICKER.replace("username", "lang=fr username");
    let page = open(&faults, "de", &format!("{INTRO_CALL_PICKER}{other}"));
    let [german, french] = [0, 1].map(|place| page.css("booking-picker").nth(place));
    german.role("list", starting("Zeiten am")).wait();
    french.role("list", starting("Horaires du")).wait();
    page.assert_no_errors();
}

#[test]
fn failed_translation_falls_back_to_english() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/embed/lang-", Fault::Status(503, "gone"));
    let page = open(&faults, "de", INTRO_CALL_PICKER);
    page.role("list", starting("Times on")).wait();
}

#[test]
fn late_translation_replaces_english() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/embed/lang-", Fault::Hang);
    let page = open(&faults, "de", INTRO_CALL_PICKER);
    page.role("list", starting("Times on")).wait();
    faults.clear();
    faults.release();
    // The failed request was logged to the console; the next element retries.
    page.run(
        "document.querySelector('booking-picker').outerHTML = arguments[0]",
        &[json!(INTRO_CALL_PICKER)],
    );
    page.role("list", starting("Zeiten am")).wait();
}

#[test]
fn messages_property_replaces_texts() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, "en", INTRO_CALL_PICKER);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[0].clone();
    select_slot(&page, &picker, &free);
    picker.field("Your name").fill("Grace Hopper");
    page.run(
        "document.querySelector('booking-picker').messages = { confirm: 'Do it', de: { confirm: 'Los' } }",
        &[],
    );
    picker.button("Do it").wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    set_language(&page, "de");
    picker.heading("Ihre Angaben").wait();
    page.assert_no_errors();
}

#[test]
fn unknown_message_key_is_logged_once_with_a_suggestion() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = format!(
        "<script>window.said = []; console.warn = (words) => said.push(words);</script>{INTRO_CALL_PICKER}\
         <script>document.querySelector('booking-picker').messages = {{ \
           confrim: 'Do it', backToOffers: 'Back', de: {{ Confirm: 'Los', bookedTitel: 'Ja' }}, \
         }}</script>"
    );
    let page = open(&faults, "en", &body);
    let expected = json!([
        "<booking-picker>: messages.confrim is unknown, did you mean confirm?",
        "<booking-picker>: messages.bookedTitel is unknown, did you mean bookedTitle?",
    ]);
    page.wait_until("the warnings", || page.run("return said", &[]) == expected);
    page.run(
        "document.querySelector('booking-picker').messages = { confrim: 'Go' }",
        &[],
    );
    page.role("list", starting("Times on")).wait();
    assert_eq!(page.run("return said", &[]), expected);
}

/// Returns every visitor text with each vowel doubled: about 40 % longer, as in some languages.
fn lengthened_texts() -> Map<String, Value> {
    let [visitor, ..] = all();
    let long = |text: &str| {
        let mut is_placeholder = false;
        let mut longer = String::new();
        for letter in text.chars() {
            longer.push(letter);
            is_placeholder = letter == '{' || (is_placeholder && letter != '}');
            if !is_placeholder && "aeiou".contains(letter) {
                longer.push(letter);
            }
        }
        longer
    };
    let forms = |(name, key): (&str, Key)| {
        let (one, other) = (long(key.english(true)), long(key.english(false)));
        let text = match one == other {
            true => json!(other),
            false => json!({ "one": one, "other": other }),
        };
        (name.to_owned(), text)
    };
    visitor.into_iter().map(forms).collect()
}

/// Script that returns elements that overflow themselves or the picker.
const CUT_OFF: &str = "
    const picker = document.querySelector('booking-picker');
    const place = picker.getBoundingClientRect();
    const found = [];
    for (const element of picker.shadowRoot.querySelectorAll('*')) {
      const box = element.getBoundingClientRect();
      if (!box.width || element.closest('.visually-hidden, .phone-country, svg, input, select, textarea')) continue;
      const { overflowX, position, clipPath } = getComputedStyle(element);
      if (clipPath.startsWith('inset(50%')) continue;
      const scrolls = overflowX === 'auto' || overflowX === 'scroll';
      // Rings around what has the focus need a little room on each side.
      const isCut = element.clientWidth && !scrolls && element.scrollWidth > element.clientWidth + 4;
      const isOut = position !== 'absolute' && (box.right > place.right + 1 || box.left < place.left - 1);
      if (isCut || isOut) found.push(`${element.localName}.${element.className} ` +
        `${element.scrollWidth}/${element.clientWidth} ${element.textContent.slice(0, 60)}`);
    }
    return found;";

#[test]
fn texts_40_percent_longer_than_english_fit() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let messages = Value::Object(lengthened_texts()).to_string();
    let body = format!(
        r#"<div id="place"></div>
        <script type="application/json" id="messages">{messages}</script>
        <script>
          window.show = (attributes) => {{
            const html = `<booking-picker ${{attributes}}></booking-picker>`;
            document.getElementById("place").innerHTML = html;
            const messages = JSON.parse(document.getElementById("messages").textContent);
            document.querySelector("booking-picker").messages = messages;
          }};
        </script>"#
    );
    let page = open(&faults, "en", &body);
    let show = |attributes: &str| {
        page.run("show(arguments[0])", &[json!(attributes)]);
        page.css(".time").first().wait();
    };
    let mut problems = Vec::new();
    let mut check = |state: &str| {
        for width in [280, 320, 480, 768, 1160] {
            let set = "document.getElementById('place').style.inlineSize = arguments[0] + 'px'";
            page.run(set, &[json!(width)]);
            page.wait_for_quiet();
            let found = page.run(CUT_OFF, &[]);
            if found != json!([]) {
                problems.push(format!("{state} at {width} px: {found:#}"));
            }
        }
    };
    let intro = r#"username="ada" event-slug="intro-call""#;
    for view in ["week", "column", "month"] {
        show(&format!(r#"{intro} view="{view}" step-mode="confirm""#));
        page.css(".time").first().click();
        page.css(".time-continue").wait();
        check(view);
    }
    page.css(".time-continue").click();
    page.css(".flow-form form").wait();
    page.css(".flow-form form .button-primary").click();
    page.css("[aria-invalid=true]").first().wait();
    check("a form with complaints");
    page.css("input[autocomplete=name]").fill("Grace Hopper");
    page.css("input[autocomplete=email]")
        .fill("grace@example.org");
    page.css(".flow-form form .button-primary").click();
    page.css(".confirmation").wait();
    check("a confirmation");
    page.css(".action-cancel").click();
    page.css(".cancel-form").wait();
    check("the question whether to cancel");

    show(r#"team-id="1" event-slug="onboarding""#);
    page.css(".time").first().click();
    page.css(".flow-form form").wait();
    page.css(".flow-form form .button-primary").click();
    page.css("[aria-invalid=true]").first().wait();
    check("a form of every kind");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    page.assert_no_errors();
}

#[test]
fn language_changed_event_names_the_new_language() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, "en-US", INTRO_CALL_PICKER);
    page.run(
        "window.events = []; document.addEventListener('language-changed', \
           ({ target, detail }) => events.push(`${target.localName} ${detail.language}`))",
        &[],
    );
    page.role("list", starting("Times on")).wait();
    let recorded = || page.run("return events", &[]);
    assert_eq!(recorded(), json!([]), "the first is none that changed");
    set_language(&page, "de-AT");
    page.wait_for_event("booking-picker de");
    // Another region of the same language is no change.
    set_language(&page, "de-CH");
    page.wait_for_quiet();
    set_language(&page, "pt");
    page.wait_for_event("booking-picker pt-BR");
    // Without a translation, texts are English.
    set_language(&page, "sv");
    page.wait_for_event("booking-picker en");
    let all = ["de", "pt-BR", "en"].map(|language| format!("booking-picker {language}"));
    assert_eq!(recorded(), json!(all));
    page.assert_no_errors();
}

#[test]
fn values_in_arabic_texts_are_bidi_isolated_except_in_fields_and_files() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = r#"<booking-picker team-id="1" event-slug="design-review"></booking-picker>
        <booking-list team-id="1" load="eager"></booking-list>
        <booking-roles org-id="1" team-id="1" load="eager"></booking-roles>
        <script>
          const getToken = async () =>
            (await (await fetch("/demo/token", { method: "POST" })).json()).accessToken;
          for (const element of document.querySelectorAll("booking-list, booking-roles"))
            element.session = { baseUrl: location.origin, getToken };
        </script>"#;
    let page = open(&faults, "ar", body);
    let is_marked = |text: &str| text.contains(['\u{2068}', '\u{2069}']);
    page.css(".time").first().click();
    page.css(".flow-form form .button-primary").click();
    page.css(".form-errors li").first().wait();
    let text = page.css(".form-errors").read_text();
    assert!(
        text.contains("\u{2068}Which project is it about?\u{2069}"),
        "{text}"
    );

    page.css("[part~=export-button]").click();
    page.button(containing("CSV")).click();
    let (name, file) = page.downloaded_file("bookings-20", ".csv");
    assert!(!is_marked(&name) && !is_marked(&file), "{name}: {file}");

    page.button(containing("Scheduler")).nth(2).click();
    let copy = page.css("booking-roles").css("input").first();
    page.wait_until("a name of the copy", || copy.value().contains("Scheduler"));
    assert!(!is_marked(&copy.value()), "{}", copy.value());
    page.assert_no_errors();
}

/// Main flow in each language: booking, rescheduling and cancelling.
#[test]
fn booking_rescheduling_and_cancelling_work_in_each_language() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, "en-US", "<main></main>");
    // A day with another time to move to.
    let free = free_slots(&service, &page, INTRO_CALL);
    let day = first_of_day_with(3, &free).iso_date();
    // Cal.com's API has no code for Hindi: English is its default.
    let hindi = if is_cal_dialect() { "en" } else { "hi" };
    let languages = [
        ("en", "en"),
        ("ar", "ar"),
        ("de", "de"),
        ("es", "es"),
        ("fr", "fr"),
        ("he", "he"),
        ("hi", hindi),
        ("ja", "ja"),
        ("nl", "nl"),
        ("pl", "pl"),
        ("pt-BR", "pt-BR"),
        ("tr", "tr"),
        ("zh-CN", "zh-CN"),
    ];
    for (language, code) in languages {
        let html =
            INTRO_CALL_PICKER.replace("></", &format!(" lang={language:?} start-date={day:?}></"));
        page.run(
            "window.uids = []; document.querySelector('main').innerHTML = arguments[0]; \
             for (const name of ['booking-created', 'booking-rescheduled', 'booking-cancelled']) \
               document.querySelector('booking-picker').addEventListener(name, ({ detail }) => uids.push(detail.uid))",
            &[json!(html)],
        );
        let happened = |count: usize| {
            page.wait_until(&format!("step {count} in {language}"), || {
                page.run("return uids.length", &[]) == json!(count)
            });
            let uid = page.run("return uids.at(-1)", &[]);
            let path = format!("/v2/bookings/{}", uid.as_str().unwrap_or_default());
            service.visitor().get(&path).data()
        };
        page.css(".time").first().click();
        page.css("input[autocomplete=name]").fill("Grace Hopper");
        page.css("input[autocomplete=email]")
            .fill("grace@example.org");
        page.css(".flow-form form .button-primary").click();
        let made = happened(1);
        assert_eq!(made["attendees"][0]["language"], code, "{language}");
        page.css("[part~=reschedule]").click();
        page.css(".moving").wait();
        page.css(".time").nth(1).click();
        page.css(".flow-form form .button-primary").click();
        let moved = happened(2);
        assert_eq!(moved["rescheduledFromUid"], made["uid"], "{language}");
        page.css("[part~=cancel]").click();
        page.css(".cancel-form .button-danger").click();
        assert_eq!(happened(3)["status"], "cancelled", "{language}");
        page.assert_no_errors();
    }
}
