//! Sentence and facts of a booking.

use booking_ui::prelude::*;
use booking_wire::PublicBooking;

use super::shown_booking::ShownBooking;
use crate::components::button;
use crate::features::booking_flow::context::FlowContext;
use crate::features::booking_flow::existing::booking_state::BookingState;
use crate::features::booking_flow::outcome::{FlowOutcome, OutcomeKind};
use crate::features::booking_flow::state::FlowState;
use crate::features::booking_flow::steps::summary::time_lines;
use crate::features::booking_form::model::Form;
use crate::features::booking_form::responses::labelled_responses;
use crate::features::shared::location::{booked_location, is_call_without_link, web_host};
use crate::i18n::{Key, Translations};
use crate::time::Zone;

impl ShownBooking<'_> {
    /// Sentences below the title.
    pub(super) fn sentences(&self) -> Vec<String> {
        let texts = self.locale.texts;
        let text = |key: Key| Some(texts.get(key).to_owned());
        // Of this kind, the visitor was not told yet.
        let change = match self.outcome.kind {
            OutcomeKind::Changed => text(Key::ChangedElsewhere),
            _ => None,
        };
        // An invitation and a calendar file update an entry, links of web calendars and a cancellation do not.
        let calendar = match self.outcome.kind {
            OutcomeKind::Cancelled if self.is_emailed() => text(Key::CancelledEmailed),
            OutcomeKind::Cancelled => text(Key::RemoveFromCalendar),
            OutcomeKind::Rescheduled if !self.is_over() && !self.is_emailed() => {
                text(Key::UpdateCalendar)
            }
            _ => None,
        };
        let sentences = [change, self.sentence(), calendar];
        sentences.into_iter().flatten().collect()
    }

    /// Sentence about the status. It promises email only if the service says that it sends some.
    fn sentence(&self) -> Option<String> {
        let texts = self.locale.texts;
        let email = self.booking.email.as_str();
        let key = match (self.outcome.kind, self.state) {
            (OutcomeKind::DryRun, _) => Key::TriedText,
            (_, BookingState::Cancelled | BookingState::Declined) | (OutcomeKind::Cancelled, _) => {
                let reason = self.booking.reason.as_deref();
                let reason = reason.filter(|text| !text.trim().is_empty());
                return reason.map(|reason| texts.fill(Key::ReasonGiven, &[("reason", reason)]));
            }
            (_, BookingState::Unpaid) => Key::PaymentText,
            (_, BookingState::AwaitingHost) => Key::WaitingText,
            (_, BookingState::Requested) => return Some(self.decision()),
            (OutcomeKind::Booked, BookingState::Upcoming) if !email.is_empty() => {
                let key = match self.is_emailed() {
                    true => Key::BookedEmailed,
                    false => Key::BookedText,
                };
                return Some(texts.fill(key, &[("email", email)]));
            }
            (OutcomeKind::Booked, BookingState::Upcoming) => Key::BookedTextPlain,
            (OutcomeKind::Rescheduled, BookingState::Upcoming) if self.is_emailed() => {
                Key::MovedEmailed
            }
            (OutcomeKind::Rescheduled, BookingState::Upcoming) => Key::MovedText,
            _ => return None,
        };
        Some(texts.get(key).to_owned())
    }

    /// Person who decides about the request, and the place of the answer.
    fn decision(&self) -> String {
        let texts = self.locale.texts;
        let mut text = match host_names(self.context, self.booking) {
            [name] => texts.fill(Key::RequestedText, &[("names", name)]),
            _ => texts.get(Key::RequestedTextPlain).to_owned(),
        };
        if self.is_emailed() || self.url.is_some() {
            let place = match self.is_own_page() {
                _ if self.is_emailed() => Key::RequestedEmail,
                true => Key::RequestedWatchHere,
                false => Key::RequestedWatch,
            };
            text.push(' ');
            text.push_str(texts.get(place));
        }
        text
    }

    pub(super) fn facts(&self, flow: FlowState) -> Node {
        let (locale, texts) = (self.locale, self.locale.texts);
        let (booking, outcome) = (self.booking, self.outcome);
        let (start, end) = (booking.start, booking.end);
        let is_lost = self.is_off();
        let host_zone = Zone(booking.host_zone.clone());
        let start_detail = move || {
            let times = locale.settings.times(locale.formats, start, end);
            let lines = time_lines(locale.settings, start, &times, Some(&host_zone));
            match is_lost {
                true => el("s").class("lost").child(lines),
                false => lines,
            }
        };
        let previous_start = outcome.previous_start.map(|start| {
            let old = el("s")
                .class("lost")
                .text_with(move || locale.date_time(start));
            detail(texts, Key::FormerTime, old)
        });
        let host_names = host_names(self.context, booking).join(texts.list_separator());
        let people = std::iter::once(&host_names)
            .chain(&booking.attendee_names)
            .filter(|name| !name.is_empty())
            .map(|name| el("div").child(name.as_str()));
        let form = Form::of(&self.context.event_type);
        let responses = labelled_responses(&form, &booking.responses, texts)
            .into_iter()
            .map(|(label, response)| {
                let label = el("dt").child(el("bdi").child(label));
                let response = el("dd").class("answer").child(el("bdi").child(response));
                fragment_of([label, response])
            });
        let series = (outcome.bookings.len() > 1).then(|| {
            detail(
                texts,
                Key::SeriesDates,
                occurrence_list(flow, &outcome.bookings),
            )
        });
        el("dl")
            .class("confirmation-facts")
            .child(detail(texts, Key::What, text(self.name())))
            .child(detail(
                texts,
                Key::When,
                fragment().child_with(start_detail),
            ))
            .child(previous_start)
            .child(series)
            .child(detail(texts, Key::Who, fragment_of(people)))
            .child(self.location())
            .child(fragment_of(responses))
    }

    /// Title of the event type, in which the host wrote it. That of the booking, which the service composes in one
    /// language, is a substitute.
    fn name(&self) -> &str {
        let name = self.context.event_type.title.as_str();
        match name.trim().is_empty() {
            true => &self.booking.title,
            false => name,
        }
    }

    /// Location; for a call without a link, the place where its link will be. No link of a cancelled booking.
    fn location(&self) -> Option<Node> {
        let texts = self.locale.texts;
        let location = self.booking.location.as_deref()?;
        if location.trim().is_empty() {
            return None;
        }
        // The link of a meeting that may take place, or takes place no longer, leads nowhere.
        let is_early = self.state == BookingState::Requested;
        let place = match web_host(location.trim()).filter(|_| self.is_off() || is_early) {
            Some(_) => text(texts.get(Key::PlaceLink)),
            None => booked_location(Some(location), texts),
        };
        let has_no_link = self.url.is_some() && !self.is_over() && is_call_without_link(location);
        let later = has_no_link.then(|| el("small").class("line").child(self.link_place()));
        let value = fragment().child(place).child(later);
        Some(detail(texts, Key::Where, value))
    }

    /// Place of the link of a call that has none yet.
    fn link_place(&self) -> String {
        let texts = self.locale.texts;
        match host_names(self.context, self.booking) {
            _ if self.is_emailed() => texts.get(Key::VideoLinkByEmail).to_owned(),
            // The sentence has the verb of one person in most languages.
            [name] if self.is_own_page() => texts.fill(Key::VideoLinkHere, &[("names", name)]),
            _ => texts.get(Key::VideoLinkLater).to_owned(),
        }
    }

    /// References of the booking and of the visitor's seat, which few people need.
    pub(super) fn references(&self) -> Node {
        let texts = self.locale.texts;
        let line = |name: Key, class: &str, uid: &str| {
            let name = text(texts.get(name));
            let uid = el("span").class(class).child(uid);
            el("p").child(fragment_of([name, text(" "), uid]))
        };
        let uid = Some(self.booking.uid.0.as_str()).filter(|uid| !uid.is_empty());
        let seat = self.outcome.seat_uid.as_deref();
        el("details")
            .class("confirmation-references")
            .child(el("summary").child(texts.get(Key::ShowDetails)))
            .child(uid.map(|uid| line(Key::BookingReference, "reference", uid)))
            .child(seat.map(|seat| line(Key::YourSeat, "reference-seat reference", seat)))
    }
}

/// Hosts of the booking, else of its event type.
fn host_names<'a>(context: &'a FlowContext, booking: &'a PublicBooking) -> &'a [String] {
    if booking.host_names.is_empty() {
        &context.event_type.host_names
    } else {
        &booking.host_names
    }
}

fn detail(texts: Translations, name: Key, value: Node) -> Node {
    fragment_of([el("dt").child(texts.get(name)), el("dd").child(value)])
}

/// Occurrences of a series, each to open, reschedule or cancel alone.
fn occurrence_list(flow: FlowState, bookings: &[PublicBooking]) -> Node {
    let items = bookings.iter().map(|booking| {
        let start = booking.start;
        let alone = FlowOutcome {
            bookings: vec![booking.clone()],
            seat_uid: booking.seat_uid.clone(),
            kind: OutcomeKind::Opened,
            previous_start: None,
            address: None,
        };
        let open = button("link", move || flow.show_booking(alone.clone(), false))
            .text_with(move || flow.locale.date_time(start));
        el("li").child(open)
    });
    el("ol").class("series-dates").child(fragment_of(items))
}
