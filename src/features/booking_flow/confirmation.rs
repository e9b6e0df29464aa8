//! Booking confirmation and its actions.

use std::sync::Arc;

use booking_wire::PublicBooking;
use leptos::prelude::*;
use web_sys::Url;

use super::booking_rules::{
    ActionAvailability, BookingState, cancel_availability, reschedule_availability,
};
use super::calendar_links::calendar_links;
use super::cancel::cancel_form;
use super::context::FlowContext;
use super::outcome::{FlowOutcome, OutcomeKind};
use super::state::{FlowState, LocaleContext, Rescheduling, Step};
use super::summary::time_lines;
use super::urls::{fill_url_pattern, is_same_page};
use crate::client::Dialect;
use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{Shape, button, heading, icon, with_copy_button};
use crate::element::attributes::BOOKING_PAGE;
use crate::element::booking_events::BookingEvent;
use crate::element::settings::use_clock;
use crate::features::booking_form::model::Form;
use crate::features::booking_form::responses::labelled_responses;
use crate::features::shared::location::{booked_location, is_call_without_link, web_host};
use crate::i18n::{Key, Translations};
use crate::time::Instant;
use crate::ui::dom::{Node, el, fragment, fragment_of, text};
use crate::ui::signal::RwSignal;

/// Shows a booking and focuses its heading, or with `is_cancelling` its cancel form.
pub(super) fn confirmation(
    flow: FlowState,
    outcome: &Arc<FlowOutcome>,
    is_cancelling: bool,
) -> Node {
    let Some(booking) = outcome.bookings.first() else {
        return fragment();
    };
    let context = flow.context();
    let now = use_clock().now();
    let shown = ShownBooking {
        locale: flow.locale,
        context: &context,
        outcome,
        booking,
        state: BookingState::of(booking, context.event_type.price, now),
        url: booking_url(&context, outcome, booking),
    };
    let (title, sign) = shown.title();
    let start = booking.start;
    let heading = heading(0)
        .class("confirmation-title")
        .attr("tabindex", "-1")
        .text_with(move || title_text(flow.locale, title, start));
    if !is_cancelling {
        focus_soon(&heading);
    }
    let sign = el("span")
        .class("confirmation-sign")
        .attr_if("data-over", shown.is_over().then_some("true"))
        .attr_if("data-done", shown.is_complete().then_some("true"))
        .child(icon(sign));
    let sentence = shown.sentence();
    let sentence = sentence.map(|text| el("p").class("confirmation-text").child(text));
    let has_calendar_links = outcome.kind != OutcomeKind::DryRun && !shown.is_over();
    let calendar_links = has_calendar_links.then(|| {
        let description = &context.event_type.description;
        calendar_links(&outcome.bookings, description, now, shown.is_complete())
    });
    // The page can replace it.
    let body = el("slot")
        .attr("name", "confirmation")
        .child(sentence)
        .child(payment_link(flow.locale.texts, &context, shown.state))
        .child(shown.facts(flow.step))
        .child(calendar_links)
        .child(shown.saved_link(now))
        .child(shown.references());
    el("div")
        .class("confirmation")
        .attr("part", "confirmation")
        .child(sign)
        .child(heading)
        .child(body)
        .child(actions(flow, outcome.clone(), shown.state, is_cancelling))
}

/// Title, with day and time if it has a place for them. The day, which has no year, stays on one line.
fn title_text(locale: LocaleContext, title: Key, start: Instant) -> String {
    let LocaleContext {
        texts,
        formats,
        settings,
    } = locale;
    let day = settings.zone.with(|zone| formats.day_of(start, zone));
    let day = formats.medium_day(day).replace(' ', "\u{a0}");
    let time = settings.time(formats, start);
    let time = texts.fill_plain(Key::DateAndTime, &[("day", &day), ("time", &time)]);
    texts.fill(title, &[("time", &time)])
}

/// Booking on screen.
struct ShownBooking<'a> {
    locale: LocaleContext,
    context: &'a FlowContext,
    outcome: &'a FlowOutcome,
    /// The first of the outcome.
    booking: &'a PublicBooking,
    state: BookingState,
    /// URL of the booking's page, if there is one.
    url: Option<String>,
}

impl ShownBooking<'_> {
    /// True if it will not take place any more.
    fn is_over(&self) -> bool {
        is_over(self.state) || self.outcome.kind == OutcomeKind::Cancelled
    }

    /// True if the visitor has just booked, and nothing is left to do or to wait for.
    fn is_complete(&self) -> bool {
        let is_new = matches!(
            self.outcome.kind,
            OutcomeKind::Booked | OutcomeKind::Rescheduled
        );
        is_new && self.state == BookingState::Upcoming
    }

    fn title(&self) -> (Key, Shape) {
        title(
            self.outcome.kind,
            self.state,
            self.outcome.bookings.len() > 1,
        )
    }

    /// Sentence below the title. The service sends no mail, so the text promises none.
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
                return Some(texts.fill(Key::BookedText, &[("email", email)]));
            }
            (OutcomeKind::Booked, BookingState::Upcoming) => Key::BookedTextPlain,
            (OutcomeKind::Rescheduled, BookingState::Upcoming) => Key::MovedText,
            _ => return None,
        };
        Some(texts.get(key).to_owned())
    }

    /// Who decides about the request, and where the visitor finds the answer.
    fn decision(&self) -> String {
        let texts = self.locale.texts;
        let names = host_names(self.locale.texts, self.context, self.booking);
        let mut text = match names.is_empty() {
            true => texts.get(Key::RequestedTextPlain).to_owned(),
            false => texts.fill(Key::RequestedText, &[("names", &names)]),
        };
        if self.url.is_some() {
            text.push(' ');
            text.push_str(texts.get(Key::RequestedWatch));
        }
        text
    }

    fn facts(&self, step: RwSignal<Step>) -> Node {
        let (locale, texts) = (self.locale, self.locale.texts);
        let (booking, outcome) = (self.booking, self.outcome);
        let (start, end) = (booking.start, booking.end);
        let is_cancelled = outcome.kind == OutcomeKind::Cancelled;
        let start_detail = move || {
            let times = locale.settings.times(locale.formats, start, end);
            let lines = time_lines(locale.settings, start, &times);
            match is_cancelled {
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
        let host_names = host_names(self.locale.texts, self.context, booking);
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
                occurrence_list(locale, step, &outcome.bookings),
            )
        });
        el("dl")
            .class("confirmation-facts")
            .child(detail(texts, Key::What, text(&booking.title)))
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

    /// Location; for a call without a link, the place where its link will be.
    fn location(&self) -> Option<Node> {
        let texts = self.locale.texts;
        let location = self.booking.location.as_deref()?;
        if location.trim().is_empty() {
            return None;
        }
        let has_no_link = self.url.is_some() && !self.is_over() && is_call_without_link(location);
        let later = has_no_link.then(|| {
            el("small")
                .class("line")
                .child(texts.get(Key::VideoLinkLater))
        });
        let value = fragment()
            .child(booked_location(Some(location), texts))
            .child(later);
        Some(detail(texts, Key::Where, value))
    }

    /// Link to come back, with a copy button. A booking that is over needs none, nor does its own page.
    fn saved_link(&self, now: Instant) -> Option<Node> {
        let url = self.url.as_deref().filter(|_| !self.is_over())?;
        let is_opened = self.outcome.kind == OutcomeKind::Opened;
        if is_opened && is_same_page(url, &window().location().href().ok()?) {
            return None;
        }
        let texts = self.locale.texts;
        let name = texts.get(Key::BookingLink);
        let policy = self.context.event_type.policy;
        let can_change = cancel_availability(self.state, policy) == ActionAvailability::Available
            && reschedule_availability(self.booking, self.state, policy, now)
                == ActionAvailability::Available;
        let purpose = if can_change {
            Key::SaveLink
        } else {
            Key::BookingLink
        };
        let link = el("a")
            .class("link")
            .attr("part", "booking-link")
            .attr("aria-label", &[name, ": ", url].concat())
            .attr("dir", "ltr")
            .attr("href", url)
            .attr("target", "_blank")
            .attr("rel", "noopener noreferrer")
            .child(url);
        let purpose = el("p").child(texts.get(purpose));
        let block = el("div").class("confirmation-link").child(purpose);
        Some(block.child(with_copy_button(link, url, name)))
    }

    /// References of the booking and of the visitor's seat.
    fn references(&self) -> Node {
        let texts = self.locale.texts;
        let line = |name: Key, class: &str, uid: &str| {
            let name = text(texts.get(name));
            let uid = el("span").class(class).child(uid);
            el("p").child(fragment_of([name, text(" "), uid]))
        };
        let uid = Some(self.booking.uid.0.as_str()).filter(|uid| !uid.is_empty());
        let seat = self.outcome.seat_uid.as_deref();
        el("div")
            .class("confirmation-references")
            .child(uid.map(|uid| line(Key::BookingReference, "reference", uid)))
            .child(seat.map(|seat| line(Key::YourSeat, "reference-seat reference", seat)))
    }
}

/// Title and sign. The title of a single new booking has its time.
fn title(kind: OutcomeKind, state: BookingState, is_series: bool) -> (Key, Shape) {
    match (kind, state) {
        (OutcomeKind::DryRun, _) => (Key::TriedTitle, Shape::Check),
        (OutcomeKind::Cancelled, _) | (_, BookingState::Cancelled) => {
            (Key::CancelledTitle, Shape::Close)
        }
        (_, BookingState::Declined) => (Key::DeclinedTitle, Shape::Close),
        (_, BookingState::Past) => (Key::PastTitle, Shape::Clock),
        (_, BookingState::Unpaid) => (Key::PaymentTitle, Shape::Card),
        (_, BookingState::AwaitingHost) => (Key::WaitingTitle, Shape::Clock),
        (OutcomeKind::Opened, BookingState::Requested) => (Key::UnconfirmedTitle, Shape::Clock),
        (_, BookingState::Requested) if is_series => (Key::RequestedTitle, Shape::Clock),
        (_, BookingState::Requested) => (Key::RequestedFor, Shape::Clock),
        (OutcomeKind::Opened, BookingState::Upcoming) => (Key::YourBooking, Shape::Calendar),
        (OutcomeKind::Rescheduled, BookingState::Upcoming) => (Key::MovedTitle, Shape::Check),
        (OutcomeKind::Booked, BookingState::Upcoming) if is_series => {
            (Key::BookedTitle, Shape::Check)
        }
        (OutcomeKind::Booked, BookingState::Upcoming) => (Key::BookedFor, Shape::Check),
    }
}

fn is_over(state: BookingState) -> bool {
    matches!(
        state,
        BookingState::Cancelled | BookingState::Declined | BookingState::Past
    )
}

/// Hosts of the booking, else of its event type.
fn host_names(texts: Translations, context: &FlowContext, booking: &PublicBooking) -> String {
    if booking.host_names.is_empty() {
        context.event_type.host_names.join(texts.list_separator())
    } else {
        booking.host_names.join(texts.list_separator())
    }
}

/// Payment link: no operation takes a payment, the service's own page does (contract 3.5.4).
fn payment_link(texts: Translations, context: &FlowContext, state: BookingState) -> Option<Node> {
    let url = &context.event_type.booking_url;
    let host = web_host(url).filter(|_| state == BookingState::Unpaid)?;
    let label = texts.fill(Key::PayAt, &[("host", host)]);
    Some(
        el("a")
            .class("button-primary")
            .attr("part", "payment")
            .attr("href", url)
            .attr("target", "_blank")
            .attr("rel", "noopener noreferrer")
            .child(label)
            .child(icon(Shape::Forward)),
    )
}

/// URL of a page that shows this booking again: the page's `booking-page`, else the service's own, next to its page
/// for booking.
fn booking_url(
    context: &FlowContext,
    outcome: &FlowOutcome,
    booking: &PublicBooking,
) -> Option<String> {
    let series = booking.series_uid.as_ref();
    let series = series.filter(|_| outcome.bookings.len() > 1);
    let uid = series.unwrap_or(&booking.uid).0.as_str();
    if uid.is_empty() || outcome.kind == OutcomeKind::DryRun {
        return None;
    }
    let seat = outcome.seat_uid.as_deref().unwrap_or_default();
    let encode = |text: &str| String::from(js_sys::encode_uri_component(text));
    let page = match &context.config.booking_page {
        Some(page) => page.clone(),
        // Other services' pages are unspecified (contract 9).
        None if context.session.dialect() == Dialect::Svc => BOOKING_PAGE.to_owned(),
        None => return None,
    };
    let base = match context.config.booking_page {
        Some(_) => window().location().href().ok()?,
        None => context.event_type.booking_url.clone(),
    };
    let url = fill_url_pattern(&page, &encode(uid), &encode(seat));
    let url = Url::new_with_base(&url, &base).ok()?.href();
    web_host(&url).is_some().then_some(url)
}

fn detail(texts: Translations, name: Key, value: Node) -> Node {
    fragment_of([el("dt").child(texts.get(name)), el("dd").child(value)])
}

/// Occurrences of a series, each to open, reschedule or cancel alone.
fn occurrence_list(
    locale: LocaleContext,
    step: RwSignal<Step>,
    bookings: &[PublicBooking],
) -> Node {
    let items = bookings.iter().map(|booking| {
        let start = booking.start;
        let alone = Arc::new(FlowOutcome {
            bookings: vec![booking.clone()],
            seat_uid: booking.seat_uid.clone(),
            kind: OutcomeKind::Opened,
            previous_start: None,
        });
        let open = button("link", move || step.set(Step::Done(alone.clone())))
            .text_with(move || locale.date_time(start));
        el("li").child(open)
    });
    el("ol").class("series-dates").child(fragment_of(items))
}

/// Actions, reasons why some are unavailable, and the cancel form.
fn actions(
    flow: FlowState,
    outcome: Arc<FlowOutcome>,
    state: BookingState,
    is_cancelling: bool,
) -> Node {
    let texts = flow.locale.texts;
    let is_cancel_form = flow.history.is_cancelling;
    is_cancel_form.set(is_cancelling);
    let root = el("div").class("confirmation-actions");
    let element = root.element();
    let content = move || {
        let Some(booking) = outcome.bookings.first() else {
            return fragment();
        };
        if is_cancel_form.get() {
            let element = element.clone();
            let uid = booking.uid.0.clone();
            let on_keep = move || {
                let uid = uid.clone();
                if !flow.context().page.emit(&BookingEvent::BookingKept { uid }) {
                    return;
                }
                is_cancel_form.set(false);
                focus_first_soon(element.clone(), ".action-cancel");
            };
            return cancel_form(flow, outcome.clone(), on_keep);
        }
        let context = flow.context();
        let now = use_clock().now();
        let policy = context.event_type.policy;
        let is_opened = outcome.kind == OutcomeKind::Opened;
        let is_one = outcome.bookings.len() == 1;
        let is_real = outcome.kind != OutcomeKind::DryRun;
        let reschedule = match is_real && is_one {
            true => reschedule_availability(booking, state, policy, now),
            false => ActionAvailability::NotApplicable,
        };
        let cancel = match is_real && outcome.kind != OutcomeKind::Cancelled {
            true => cancel_availability(state, policy),
            false => ActionAvailability::NotApplicable,
        };
        let old = Rescheduling {
            booking: booking.clone(),
            seat_uid: outcome.seat_uid.clone(),
        };
        // After a booking they are secondary; who comes back comes for them.
        let weight = if is_opened { "button" } else { "button-quiet" };
        let on_reschedule = move || flow.start_reschedule(old.clone());
        let book_again = if matches!(outcome.kind, OutcomeKind::Booked | OutcomeKind::Rescheduled) {
            Key::BookAnother
        } else {
            Key::BookAgain
        };
        let is_over = is_over(state) || outcome.kind == OutcomeKind::Cancelled;
        let again_weight = if is_over { "button" } else { "button-quiet" };
        let buttons = fragment()
            .child((reschedule == ActionAvailability::Available).then(|| {
                button(weight, on_reschedule)
                    .attr("part", "reschedule")
                    .child(texts.get(Key::Reschedule))
            }))
            .child((cancel == ActionAvailability::Available).then(|| {
                button(&[weight, " action-cancel"].concat(), move || {
                    is_cancel_form.set(true)
                })
                .attr("part", "cancel")
                .child(texts.get(Key::CancelBooking))
            }))
            .child(
                button(again_weight, move || flow.start_new_booking()).child(texts.get(book_again)),
            );
        let reasons = [
            (reschedule == ActionAvailability::Forbidden, Key::NoMoving),
            (
                reschedule == ActionAvailability::TooLate,
                Key::TooLateToMove,
            ),
            (cancel == ActionAvailability::Forbidden, Key::NoCancelling),
        ];
        let reasons = reasons
            .into_iter()
            .filter(|(applies, _)| *applies)
            .map(|(_, key)| el("p").class("confirmation-why").child(texts.get(key)));
        fragment()
            .child(el("div").class("action-row").child(buttons))
            .child(fragment_of(reasons))
    };
    root.child_with(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_has_time_for_single_new_bookings_only() {
        for (kind, state, is_series, expected) in [
            (
                OutcomeKind::Booked,
                BookingState::Upcoming,
                false,
                (Key::BookedFor, Shape::Check),
            ),
            (
                OutcomeKind::Booked,
                BookingState::Upcoming,
                true,
                (Key::BookedTitle, Shape::Check),
            ),
            (
                OutcomeKind::Booked,
                BookingState::Requested,
                false,
                (Key::RequestedFor, Shape::Clock),
            ),
            (
                OutcomeKind::Booked,
                BookingState::Requested,
                true,
                (Key::RequestedTitle, Shape::Clock),
            ),
            (
                OutcomeKind::Opened,
                BookingState::Upcoming,
                false,
                (Key::YourBooking, Shape::Calendar),
            ),
            (
                OutcomeKind::Cancelled,
                BookingState::Upcoming,
                false,
                (Key::CancelledTitle, Shape::Close),
            ),
            (
                OutcomeKind::Booked,
                BookingState::AwaitingHost,
                false,
                (Key::WaitingTitle, Shape::Clock),
            ),
        ] {
            assert_eq!(
                title(kind, state, is_series),
                expected,
                "{kind:?} {state:?} {is_series}"
            );
        }
    }
}
