//! Values that templates show: what a recipient may see of a booking, in words.

mod actions;
mod booking;
mod facts;
mod headline;

use booking_wire::formats::text_language::direction_of;
use serde::Serialize;

pub(crate) use self::actions::{Actions, Button, actions};
pub(crate) use self::booking::{View, dates_of};
pub(crate) use self::facts::Fact;
use crate::clean;
use crate::colour::Palette;
use crate::data::{BookingData, CodeData};
use crate::input::Branding;
use crate::message::{Kind, Links, Recipient};
use crate::texts::{Catalogue, fill};

/// Characters of a title or name in a subject.
const MAX_SUBJECT_PART: usize = 60;

/// Variables of a message.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MessageView {
    pub(crate) kind: &'static str,
    pub(crate) role: &'static str,
    pub(crate) language: &'static str,
    pub(crate) direction: &'static str,
    pub(crate) brand: Brand,
    pub(crate) subject: String,
    /// Text that mail programs show beside the subject.
    pub(crate) preheader: String,
    pub(crate) headline: String,
    pub(crate) intro: String,
    /// Empty in other kinds than a verification code.
    pub(crate) code: String,
    pub(crate) code_hints: Vec<String>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) details: Vec<Fact>,
    pub(crate) buttons: Vec<Button>,
    /// Text links at the end.
    pub(crate) quiet_links: Vec<Button>,
    /// Question before these links; may be empty.
    pub(crate) quiet_text: String,
}

/// Company.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Brand {
    name: String,
    logo: String,
    footer: Vec<String>,
    colour: String,
    text_colour: String,
    link_colour: String,
    link_colour_dark: String,
}

impl Brand {
    /// `colour` is that of the event type; the company's if it is empty.
    pub(crate) fn new(branding: &Branding, colour: &str) -> Self {
        let palette = Palette::new(if colour.is_empty() {
            &branding.colour
        } else {
            colour
        });
        let logo = branding.logo.trim();
        let is_image = logo.starts_with("data:image/") && !logo.contains(char::is_whitespace);
        Self {
            name: clean::line(&branding.name, clean::MAX_TITLE),
            logo: if is_image {
                logo.to_owned()
            } else {
                String::new()
            },
            footer: clean::lines(&branding.footer, clean::MAX_LONG_TEXT),
            colour: palette.button,
            text_colour: palette.button_text,
            link_colour: palette.link,
            link_colour_dark: palette.link_dark,
        }
    }
}

/// Returns the variables of a message about a booking.
pub(crate) fn booking_message(
    catalogue: &Catalogue,
    kind: Kind,
    booking: &BookingData,
    recipient: &Recipient,
    links: &Links,
    branding: &Branding,
) -> MessageView {
    let view = View::new(catalogue, &recipient.person.language, recipient, booking);
    let (headline, intro) = view.headline(kind);
    let Actions {
        mut buttons,
        quiet_links,
        quiet_text,
        ..
    } = actions(view.texts, recipient.role, links, None);
    if kind == Kind::Reminder
        && booking.is_confirmed
        && let Some(url) = clean::web_url(&booking.location)
    {
        buttons
            .iter_mut()
            .for_each(|button| button.is_primary = false);
        let join = Button {
            id: "join",
            label: view.texts.join.clone(),
            url: url.to_owned(),
            is_primary: true,
        };
        buttons.insert(0, join);
    }
    MessageView {
        kind: kind.name(),
        role: recipient.role.name(),
        language: view.language,
        direction: direction_of(view.language),
        brand: Brand::new(branding, &booking.colour),
        preheader: view.preheader(kind),
        subject: view.subject(&headline),
        headline,
        intro,
        code: String::new(),
        code_hints: Vec::new(),
        facts: view.facts(kind),
        details: view.details(),
        buttons,
        quiet_links,
        quiet_text,
    }
}

/// Returns the variables of a message with a code.
pub(crate) fn code_message(
    catalogue: &Catalogue,
    kind: Kind,
    data: &CodeData,
    recipient: &Recipient,
    branding: &Branding,
) -> MessageView {
    let (language, texts) = catalogue.get(&recipient.person.language);
    let code = clean::line(&data.code, MAX_SUBJECT_PART);
    let valid = fill(
        &texts.code_valid,
        &[("count", &data.valid_minutes.to_string())],
    );
    MessageView {
        kind: kind.name(),
        role: recipient.role.name(),
        language,
        direction: direction_of(language),
        brand: Brand::new(branding, ""),
        preheader: texts.code_text.clone(),
        subject: fill(&texts.code_subject, &[("code", &code)]),
        headline: texts.verification_code.clone(),
        intro: texts.code_text.clone(),
        code,
        code_hints: vec![valid, texts.code_ignore.clone()],
        facts: Vec::new(),
        details: Vec::new(),
        buttons: Vec::new(),
        quiet_links: Vec::new(),
        quiet_text: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MessageData;
    use crate::samples::Sample;

    #[test]
    fn new_time_of_request_has_to_be_confirmed() {
        let catalogue = Catalogue::new(&[]).unwrap();
        let sample = Sample::full("ja", "Asia/Tokyo");
        let MessageData::Booking(booking) = &sample.booking else {
            panic!("a booking")
        };
        let intro = |is_confirmed: bool, recipient: usize| {
            let booking = BookingData {
                is_confirmed,
                ..(**booking).clone()
            };
            let recipient = &sample.recipients[recipient];
            let links = &sample.links;
            booking_message(
                &catalogue,
                Kind::Rescheduled,
                &booking,
                recipient,
                links,
                &sample.branding,
            )
            .intro
        };
        let moved = "2027/03/08(月) 22:00から2027/03/09(火) 17:30に変わりました。";
        assert_eq!(intro(true, 0), moved);
        assert_eq!(
            intro(false, 0),
            format!("{moved}Grace Hopperが承認または辞退します。")
        );
        assert_eq!(
            intro(false, 2),
            format!("{moved}承認または辞退してください。")
        );
    }

    #[test]
    fn cancelled_seat_does_not_say_that_meeting_is_off() {
        let catalogue = Catalogue::new(&[]).unwrap();
        let mut sample = Sample::full("en", "UTC");
        sample.recipients[0].person.seat_uid = Some("seat".to_owned());
        let MessageData::Booking(booking) = &sample.booking else {
            panic!("a booking")
        };
        let recipient = &sample.recipients[0];
        let message = booking_message(
            &catalogue,
            Kind::Cancelled,
            booking,
            recipient,
            &sample.links,
            &sample.branding,
        );
        assert_eq!(
            (&*message.headline, &*message.intro),
            ("Booking cancelled", "")
        );
    }
}
