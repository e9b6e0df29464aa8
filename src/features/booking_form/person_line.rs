//! Line about the visitor whose details this device has remembered.

use booking_ui::prelude::*;

use super::draft::Draft;
use super::draft::remembered::{FIELDS, forget};
use super::values::FieldValue;
use crate::components::button;
use crate::i18n::{Key, use_texts};

/// Says whose details were filled in, with a button that empties these fields and forgets the visitor.
pub(super) fn person_line(draft: Draft, on_forget: impl Fn() + Clone + 'static) -> Node {
    let texts = use_texts();
    fragment().child_with(move || {
        let name = draft.person.get()?;
        let on_forget = on_forget.clone();
        let go = move || {
            forget();
            draft.person.set(None);
            draft.remembers.set(false);
            for slug in FIELDS {
                draft.set(slug, FieldValue::Text(String::new()));
            }
            on_forget();
        };
        let line = el("p")
            .class("form-person")
            .child(el("span").child(texts.fill(Key::BookingAs, &[("name", &name)])))
            .child(button("button-quiet", go).child(texts.get(Key::NotYou)));
        Some(line)
    })
}
