//! The booking form: complaints, focus, and one request for one press.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::expect_used)]

mod mounted;

use booking_widget::dom::{Html, nothing};
use booking_widget::features::booking_form::model::{Form, Occasion};
use booking_widget::features::booking_form::{BookingForm, Draft, Setback};
use booking_widget::time::Zone;
use booking_wire::{NewBooking, Offer, Read};
use leptos::prelude::*;
use mounted::{Mounted, Told, at, fill, mount, run, tick};
use serde_json::json;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// What a test turns while the form is shown.
#[derive(Clone, Copy)]
struct Handles {
    is_shown: RwSignal<bool>,
    is_busy: RwSignal<bool>,
    setback: RwSignal<Option<Setback>>,
}

fn form() -> Form {
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
    Form::of(&Offer::read(&event_type).expect("an offer"))
}

fn occasion() -> Occasion {
    Occasion {
        event_type_id: 41,
        start: at("2027-03-11T09:00:00Z"),
        length: None,
        zone: Zone("Europe/Rome".to_owned()),
        language: "en".to_owned(),
    }
}

/// The form, and what it sent.
fn show() -> (Mounted, Handles, Told<NewBooking>) {
    let sent = Told::default();
    let noted = sent.clone();
    let mut handles = None;
    let page = mount(|| -> Html {
        let noted = StoredValue::new_local(noted);
        let made = Handles {
            is_shown: RwSignal::new(true),
            is_busy: RwSignal::new(false),
            setback: RwSignal::new(None),
        };
        handles = Some(made);
        let draft = Draft::new();
        nothing().show(move || {
            made.is_shown.get().then(|| {
                view! {
                    <BookingForm
                        form=form()
                        draft
                        occasion=RwSignal::new(Some(occasion()))
                        is_busy=made.is_busy
                        setback=made.setback
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

/// Presses the button that books.
fn book(page: &Mounted) {
    page.one("button[type='submit']").click();
}

/// What a field's complaint says, as a screen reader finds it.
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
async fn an_empty_form_complains_at_every_required_field_and_focuses_the_first() {
    let (page, _, sent) = show();
    tick().await;
    book(&page);
    tick().await;
    for label in ["Your name", "Email address", "Topic"] {
        assert_eq!(
            complaint(&page, label).as_deref(),
            Some("Please fill this in."),
            "{label}"
        );
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
async fn what_cannot_be_is_told_on_leaving_the_field_but_emptiness_only_on_sending() {
    let (page, _, _) = show();
    tick().await;
    let leave = "element.focus(); element.blur()";
    run(leave, &page.field("Email address"), "");
    tick().await;
    assert_eq!(complaint(&page, "Email address"), None);
    fill(&page.field("Email address"), "ada at example");
    run(leave, &page.field("Email address"), "");
    fill(&page.field("Mobile"), "020 7946");
    run(leave, &page.field("Mobile"), "");
    tick().await;
    assert_eq!(
        complaint(&page, "Email address").as_deref(),
        Some("This does not look like an email address.")
    );
    assert_eq!(
        complaint(&page, "Mobile").as_deref(),
        Some("Please start with + and the country code.")
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
async fn a_complete_form_is_sent_once_however_often_it_is_pressed() {
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
    assert_eq!(booking.start, occasion().start);
    assert_eq!(booking.attendee.name, "Ada Lovelace");
    assert_eq!(booking.attendee.email.as_deref(), Some("ada@example.org"));
    assert_eq!(
        booking.booking_fields_responses.get("topic"),
        Some(&json!("Engines"))
    );
    assert_eq!(booking.booking_fields_responses.get("mobile"), None);
}

#[wasm_bindgen_test]
async fn what_was_typed_outlives_a_setback_and_the_form_itself() {
    let (page, handles, _) = show();
    tick().await;
    fill_in(&page);
    handles.setback.set(Some(Setback {
        title: "Not booked".to_owned(),
        text: "Try another time.".to_owned(),
    }));
    tick().await;
    let notice = page.one(".notice[role='status']").text_content();
    assert_eq!(notice.as_deref(), Some("Not bookedTry another time."));
    handles.is_shown.set(false);
    tick().await;
    assert_eq!(page.text(), "");
    handles.is_shown.set(true);
    tick().await;
    let held = run("return element.value", &page.field("Topic"), "");
    assert_eq!(held.as_string().as_deref(), Some("Engines"));
}
