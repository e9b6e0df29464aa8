//! Booking form: validation errors, focus, and one request per submit.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::expect_used)]

mod mounted;

use booking_ui::prelude::*;
use booking_widget::features::booking_form::model::BookingContext;
use booking_widget::features::booking_form::{BookingForm, Draft, SubmitError};
use booking_widget::page::attributes::Config;
use booking_widget::page::draft_store::DraftStore;
use booking_widget::time::Zone;
use booking_wire::{JsonMap, NewBooking, PublicEventType, Read};
use mounted::{Mounted, Recorded, at, fill, mount, press, run, tick};
use serde_json::json;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn drafts_of_two_elements_are_apart() {
    let config = Config::default();
    let key = DraftStore::key(&config, "1");
    let draft = |text: &str| {
        let mut draft = JsonMap::new();
        draft.insert("topic".to_owned(), json!(text));
        draft
    };
    let stored = |place: u32| DraftStore::of_element(place).get(&config, &key);
    let elements = [0, 1].map(DraftStore::of_element);
    for (store, text) in elements.iter().zip(["first", "second"]) {
        store.keep(&config, &key, draft(text));
        store.flush();
    }
    // As after a reload.
    assert_eq!(
        [0, 1].map(stored),
        ["first", "second"].map(|text| Some(draft(text)))
    );
    elements[1].forget(&key);
    assert_eq!([0, 1].map(stored), [Some(draft("first")), None]);
    elements[0].forget(&key);
}

/// Inputs of the form that a test changes.
#[derive(Clone, Copy)]
struct Handles {
    draft: Draft,
    is_shown: RwSignal<bool>,
    is_busy: RwSignal<bool>,
    submit_error: RwSignal<Option<SubmitError>>,
}

fn offer() -> PublicEventType {
    let event_type = json!({
        "id": 41, "title": "Intro", "slug": "intro", "lengthInMinutes": 30,
        "bookingFields": [
            { "type": "name", "slug": "name", "required": true, "isDefault": true },
            { "type": "email", "slug": "email", "required": true, "isDefault": true },
            { "type": "text", "slug": "topic", "label": "Topic", "required": true,
              "isDefault": false },
            { "type": "phone", "slug": "mobile", "label": "Mobile", "required": false,
              "isDefault": false },
        ],
    });
    PublicEventType::read(&event_type).expect("an offer")
}

fn context() -> BookingContext {
    BookingContext {
        event_type_id: 41,
        start: at("2027-03-11T09:00:00Z"),
        length: None,
        zone: Zone("Europe/Rome".to_owned()),
        language: Some("en".to_owned()),
    }
}

/// Mounts the form.
fn show() -> (Mounted, Handles, Recorded<NewBooking>) {
    show_of(offer(), Config::default())
}

/// Mounts the form of `offer` on a page with `config`.
fn show_of(offer: PublicEventType, config: Config) -> (Mounted, Handles, Recorded<NewBooking>) {
    // Forms of one page share its history: a draft would leak into the next test.
    let config = Config {
        is_draft_disabled: true,
        ..config
    };
    let sent = Recorded::default();
    let noted = sent.clone();
    let mut handles = None;
    let page = mount(|| -> Node {
        let noted = StoredValue::new(noted);
        let draft = Draft::new();
        let made = Handles {
            draft,
            is_shown: RwSignal::new(true),
            is_busy: RwSignal::new(false),
            submit_error: RwSignal::new(None),
        };
        handles = Some(made);
        fragment().child_with(move || {
            made.is_shown.get().then(|| {
                view! {
                    <BookingForm
                        form=draft.form(&offer, &config, &DraftStore::default())
                        draft
                        context=RwSignal::new(Some(context()))
                        is_busy=made.is_busy
                        submit_error=made.submit_error
                        needs_confirmation=false
                        on_submit=move |booking: NewBooking| {
                            noted.with_value(|sent| sent.borrow_mut().push(booking));
                        }
                    />
                }
            })
        })
    });
    (page, handles.expect("handles"), sent)
}

/// Waits up to 200 frames for a condition.
async fn until(condition: impl Fn() -> bool) {
    for _ in 0..100 {
        if condition() {
            return;
        }
        tick().await;
    }
}

/// Clicks the submit button.
fn book(page: &Mounted) {
    page.one("button[type='submit']").click();
}

/// Returns the validation error of a field, as a screen reader finds it.
fn complaint(page: &Mounted, label: &str) -> Option<String> {
    let field = page.field(label);
    assert_eq!(
        field.get_attribute("aria-invalid").is_some(),
        page.all(&format!("[id='{}-error']", field.id())).len() == 1
    );
    field.get_attribute("aria-invalid")?;
    let tied = field.get_attribute("aria-describedby").unwrap_or_default();
    let id = tied.split(' ').next_back().unwrap_or_default().to_owned();
    page.one(&format!("[id='{id}']")).text_content()
}

#[wasm_bindgen_test]
async fn empty_form_submitted_marks_required_fields_and_focuses_first() {
    let (page, _, sent) = show();
    tick().await;
    book(&page);
    tick().await;
    for (label, text) in [
        ("Your name", "Your name is missing."),
        ("Email address", "Your email address is missing."),
        ("Topic", "This needs an answer."),
    ] {
        assert_eq!(complaint(&page, label).as_deref(), Some(text), "{label}");
    }
    assert_eq!(complaint(&page, "Mobile"), None);
    assert!(page.text().contains("3 fields need your attention."));
    assert!(
        run(
            "return document.activeElement === element",
            &page.field("Your name"),
            ""
        )
        .is_truthy()
    );
    assert_eq!(sent.borrow().len(), 0);

    fill(&page.field("Your name"), "Ada");
    tick().await;
    assert_eq!(complaint(&page, "Your name"), None);
    assert!(page.text().contains("2 fields need your attention."));
}

#[wasm_bindgen_test]
async fn invalid_value_is_marked_on_blur_and_empty_value_on_submit() {
    let (page, _, _) = show();
    tick().await;
    let leave = "element.focus(); element.blur()";
    run(leave, &page.field("Email address"), "");
    tick().await;
    assert_eq!(complaint(&page, "Email address"), None);
    fill(&page.field("Email address"), "ada at example");
    run(leave, &page.field("Email address"), "");
    fill(&page.field("Mobile"), "020 call me");
    run(leave, &page.field("Mobile"), "");
    tick().await;
    until(|| complaint(&page, "Mobile").is_some()).await;
    assert_eq!(
        complaint(&page, "Email address").as_deref(),
        Some("Enter a full email address, like name@example.com.")
    );
    assert_eq!(
        complaint(&page, "Mobile").as_deref(),
        Some("Enter a complete phone number. Choose the country, or start with +.")
    );
    fill(&page.field("Mobile"), "+44 20 7946 0018");
    tick().await;
    assert_eq!(complaint(&page, "Mobile"), None);
}

fn fill_in(page: &Mounted) {
    fill(&page.field("Your name"), " Ada Lovelace ");
    fill(&page.field("Email address"), "ada@example.org");
    fill(&page.field("Topic"), "Engines");
}

#[wasm_bindgen_test]
async fn complete_form_pressed_twice_is_sent_once() {
    let (page, handles, sent) = show();
    tick().await;
    fill_in(&page);
    book(&page);
    tick().await;
    handles.is_busy.set(true);
    tick().await;
    let press = page.one("button[type='submit']");
    assert_eq!(press.text_content().as_deref(), Some("Booking…"));
    assert_eq!(
        press.get_attribute("aria-disabled").as_deref(),
        Some("true")
    );
    book(&page);
    tick().await;
    let sent = sent.borrow();
    assert_eq!(sent.len(), 1);
    let booking = sent.first().expect("a booking");
    assert_eq!(booking.start, context().start);
    assert_eq!(booking.attendee.name, "Ada Lovelace");
    assert_eq!(booking.attendee.email.as_deref(), Some("ada@example.org"));
    assert_eq!(
        booking.booking_fields_responses.get("topic"),
        Some(&json!("Engines"))
    );
    assert_eq!(booking.booking_fields_responses.get("mobile"), None);
}

#[wasm_bindgen_test]
async fn typed_values_after_failed_submit_and_remount_are_kept() {
    let (page, handles, _) = show();
    tick().await;
    fill_in(&page);
    handles.submit_error.set(Some(SubmitError {
        title: "Not booked".to_owned(),
        text: "Try another time.".to_owned(),
        details: Some("start must be in the future".to_owned()),
    }));
    tick().await;
    let notice = page.one(".notice[role='status'] > .notice-text");
    assert_eq!(notice.text_content().as_deref(), Some("Try another time."));
    // The service's own text is folded.
    let details = page.one(".notice details:not([open]) > p");
    assert_eq!(
        details.text_content().as_deref(),
        Some("start must be in the future")
    );
    handles.is_shown.set(false);
    tick().await;
    assert_eq!(page.text(), "");
    handles.is_shown.set(true);
    tick().await;
    let held = run("return element.value", &page.field("Topic"), "");
    assert_eq!(held.as_string().as_deref(), Some("Engines"));
}

fn asking(field: serde_json::Value) -> PublicEventType {
    let event_type = json!({ "id": 41, "lengthInMinutes": 30, "bookingFields": [field] });
    PublicEventType::read(&event_type).expect("an offer")
}

#[wasm_bindgen_test]
async fn form_of_mostly_required_fields_marks_the_optional_ones() {
    let (page, _, _) = show();
    tick().await;
    let marks = |page: &Mounted| -> Vec<String> {
        let marks = page.all(".required");
        marks
            .iter()
            .filter_map(|mark| mark.text_content())
            .collect()
    };
    assert_eq!(marks(&page), ["(optional)"]);
    assert!(!page.text().contains("Fields with"));
    drop(page);
    let (page, _, _) = show_of(
        asking(json!({ "type": "text", "slug": "team", "label": "Team" })),
        Config::default(),
    );
    tick().await;
    assert_eq!(marks(&page), ["*", "*"]);
    assert!(page.text().contains("Fields with * are required."));
}

#[wasm_bindgen_test]
async fn folded_field_with_a_value_or_an_error_is_open() {
    let notes = json!({ "type": "textarea", "slug": "notes", "isDefault": true });
    let (page, handles, _) = show_of(asking(notes.clone()), Config::default());
    tick().await;
    assert!(page.all("textarea").is_empty());
    let message = "must be shorter".to_owned();
    let errors = [("bookingFieldsResponses.notes".to_owned(), message)];
    assert!(handles.draft.show_service_errors(&errors));
    tick().await;
    assert_eq!(page.all("textarea").len(), 1);
    assert_eq!(
        page.one(".complaint").text_content().as_deref(),
        Some("Must be shorter")
    );
    drop(page);
    let (page, handles, _) = show_of(asking(notes), Config::default());
    tick().await;
    page.button("Add a note").click();
    tick().await;
    // As in another language.
    handles.is_shown.set(false);
    tick().await;
    handles.is_shown.set(true);
    tick().await;
    fill(&page.one("textarea"), "A cat");
    tick().await;
    // As after going back to another time.
    handles.is_shown.set(false);
    tick().await;
    handles.is_shown.set(true);
    tick().await;
    assert_eq!(page.all("textarea").len(), 1);
}

#[wasm_bindgen_test]
async fn chips_enter_adds_and_backspace_or_button_removes() {
    let guests = json!({ "type": "multiemail", "slug": "guests", "isDefault": true });
    let (page, _, sent) = show_of(asking(guests), Config::default());
    tick().await;
    fill(&page.field("Your name"), "Ada");
    fill(&page.field("Email address"), "ada@example.org");
    let chips = |page: &Mounted| -> Vec<String> {
        let chips = page.all(".chip-text");
        chips
            .iter()
            .filter_map(|chip| chip.text_content())
            .collect()
    };
    page.button("Add guests").click();
    tick().await;
    let field = page.field("Guests");
    fill(&field, "bo@example.org");
    press(&field, "Enter");
    fill(&field, "cy@example.org, BO@example.org; dee");
    tick().await;
    assert_eq!(chips(&page), ["bo@example.org", "cy@example.org", "dee"]);
    let last = page.one(".chip[data-odd]").text_content();
    assert_eq!(last.as_deref(), Some("deenot an email address"));
    press(&field, "Backspace");
    tick().await;
    assert_eq!(chips(&page), ["bo@example.org", "cy@example.org"]);
    assert!(page.text().contains("dee was removed."));
    page.button("Remove bo@example.org").click();
    tick().await;
    assert_eq!(chips(&page), ["cy@example.org"]);
    // Text that is typed but not yet added is a guest, too.
    fill(&field, "ed@example.org");
    book(&page);
    tick().await;
    let sent = sent.borrow();
    let booking = sent.first().expect("a booking");
    assert_eq!(booking.guests, ["cy@example.org", "ed@example.org"]);
}

#[wasm_bindgen_test]
async fn misspelt_domain_is_corrected_by_a_button() {
    let (page, _, sent) = show();
    tick().await;
    let email = page.field("Email address");
    fill(&email, "ada@gmial.com");
    until(|| page.text().contains("Did you mean gmail.com?")).await;
    page.one(".suggestion").click();
    tick().await;
    assert!(page.all(".suggestion").is_empty());
    // Sent at once, it is asked about before it is booked.
    fill(&page.field("Your name"), "Ada");
    fill(&page.field("Topic"), "Engines");
    fill(&email, "eve@gmial.com");
    book(&page);
    tick().await;
    assert!(sent.borrow().is_empty());
    page.one(".suggestion").click();
    tick().await;
    let value = run("return element.value", &email, "").as_string();
    assert_eq!(value.as_deref(), Some("eve@gmail.com"));
    book(&page);
    tick().await;
    let sent = sent.borrow();
    let address = sent
        .first()
        .and_then(|booking| booking.attendee.email.as_deref());
    assert_eq!(address, Some("eve@gmail.com"));
}

#[wasm_bindgen_test]
async fn check_menu_opened_shows_selected_options() {
    let parts = json!({ "type": "multiselect", "slug": "parts", "label": "Parts", "required": true,
                        "options": [{ "label": "One", "value": 1 }, "Two"] });
    let (page, _, sent) = show_of(asking(parts), Config::default());
    tick().await;
    fill(&page.field("Your name"), "Ada");
    fill(&page.field("Email address"), "ada@example.org");
    let button = page.one(".menu-button");
    assert_eq!(button.text_content().as_deref(), Some("Please choose"));
    book(&page);
    tick().await;
    let told = page.one(".complaint").text_content();
    assert_eq!(told.as_deref(), Some("This needs an answer."));
    press(&button, "ArrowDown");
    tick().await;
    assert_eq!(
        button.get_attribute("aria-expanded").as_deref(),
        Some("true")
    );
    for option in page.all(".menu input") {
        option.click();
    }
    tick().await;
    assert_eq!(button.text_content().as_deref(), Some("One Two "));
    press(&page.one(".menu"), "Escape");
    tick().await;
    assert!(page.one(".menu").has_attribute("hidden"));
    book(&page);
    tick().await;
    let sent = sent.borrow();
    let booking = sent.first().expect("a booking");
    assert_eq!(
        booking.booking_fields_responses.get("parts"),
        Some(&json!([1, "Two"]))
    );
}

#[wasm_bindgen_test]
async fn field_declined_by_service_shows_its_message() {
    let (page, handles, _) = show();
    tick().await;
    fill_in(&page);
    tick().await;
    let refuse = |property: &str| {
        let message = "must be about engines".to_owned();
        handles
            .draft
            .show_service_errors(&[(property.to_owned(), message)])
    };
    assert!(!refuse("metadata"));
    assert!(refuse("bookingFieldsResponses.topic"));
    tick().await;
    assert_eq!(
        complaint(&page, "Topic").as_deref(),
        Some("Must be about engines")
    );
    let is_focused = "return document.activeElement === element";
    assert!(run(is_focused, &page.field("Topic"), "").is_truthy());
    fill(&page.field("Topic"), "Difference engines");
    tick().await;
    assert_eq!(complaint(&page, "Topic"), None);
}

#[wasm_bindgen_test]
async fn hidden_field_declined_by_service_is_shown() {
    let mut config = Config::default();
    let prefill = json!({ "topic": { "value": "Looms", "hidden": true } });
    config.prefill.insert("answers".to_owned(), prefill);
    let (page, handles, _) = show_of(offer(), config);
    tick().await;
    assert!(!page.text().contains("Topic"));
    let refused = ("bookingFieldsResponses.topic".to_owned(), "odd".to_owned());
    assert!(handles.draft.show_service_errors(&[refused]));
    tick().await;
    let held = run("return element.value", &page.field("Topic"), "");
    assert_eq!(held.as_string().as_deref(), Some("Looms"));
    fill(&page.field("Topic"), "Engines");
    tick().await;
    assert!(page.text().contains("Topic"));
}
