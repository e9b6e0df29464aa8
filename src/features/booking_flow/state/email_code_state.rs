//! State of the code that verifies the visitor's e-mail address.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::NewBooking;

use crate::i18n::Key;

/// State of the code, which outlives its view.
#[derive(Clone, Copy)]
pub(crate) struct EmailCodeState {
    /// Booking that waits for the code; the form is shown if there is none.
    pub(crate) waiting: RwSignal<Option<Rc<NewBooking>>>,
    /// Address that has got a code; empty if there is none.
    pub(crate) sent_to: StoredValue<String>,
    /// As typed.
    pub(crate) code: RwSignal<String>,
    pub(crate) error: RwSignal<Option<Key>>,
    /// Seconds until another code can be requested.
    pub(crate) wait_s: RwSignal<i64>,
    /// Announcement for screen readers.
    pub(crate) announcement: RwSignal<String>,
    /// True if the service sends no codes, so that its own page has to be used.
    pub(crate) is_unsupported: RwSignal<bool>,
}

impl EmailCodeState {
    pub(crate) fn new() -> Self {
        Self {
            waiting: RwSignal::new(None),
            sent_to: StoredValue::new(String::new()),
            code: RwSignal::default(),
            error: RwSignal::new(None),
            wait_s: RwSignal::new(0),
            announcement: RwSignal::default(),
            is_unsupported: RwSignal::new(false),
        }
    }

    /// Forgets a code that was used.
    pub(crate) fn forget(self) {
        self.close();
        self.sent_to.set_value(String::new());
        self.code.set(String::new());
        self.wait_s.set(0);
    }

    /// Shows the form again. A code that was sent can still be entered.
    pub(crate) fn close(self) {
        self.waiting.set(None);
        self.error.set(None);
        self.announcement.set(String::new());
    }
}

/// Digits of a typed or pasted text, of any script whose digits people type, as ASCII digits.
pub(crate) fn digits(text: &str) -> String {
    /// Zeros: ASCII, Arabic, Persian, Devanagari and full-width.
    const ZEROS: [u32; 5] = [0x30, 0x660, 0x6f0, 0x966, 0xff10];
    let value = |letter: char| {
        let code = u32::from(letter);
        let zero = ZEROS
            .into_iter()
            .find(|zero| (*zero..zero + 10).contains(&code));
        char::from_digit(code - zero?, 10)
    };
    text.chars().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_other_scripts_and_between_other_letters_are_read() {
        for (text, expected) in [
            ("184302", "184302"),
            (" 184 302\n", "184302"),
            ("184-302", "184302"),
            ("١٨٤٣٠٢", "184302"),
            ("۱۸۴۳۰۲", "184302"),
            ("१८४३०२", "184302"),
            ("１８４３０２", "184302"),
            ("Your code is 184302.", "184302"),
            ("code", ""),
        ] {
            assert_eq!(digits(text), expected, "{text}");
        }
    }
}
