//! Links of a booking: to its page, to save, and to its payment.

use booking_rules::Policy;
use booking_ui::prelude::*;
use booking_wire::PublicBooking;
use web_sys::Url;

use super::shown_booking::ShownBooking;
use crate::client::Dialect;
use crate::components::{Shape, icon, with_copy_button};
use crate::features::booking_flow::context::FlowContext;
use crate::features::booking_flow::existing::booking_state::{
    ActionAvailability, BookingState, cancel_availability, reschedule_availability,
};
use crate::features::booking_flow::outcome::{FlowOutcome, OutcomeKind};
use crate::features::booking_flow::urls::{fill_url_pattern, is_same_page};
use crate::features::shared::location::web_host;
use crate::i18n::{Key, Translations};
use crate::page::attributes::BOOKING_PAGE;
use crate::time::Instant;

impl ShownBooking<'_> {
    /// Link to come back, with a copy button; none on the page that it leads to, and none of a booking that is over.
    pub(super) fn saved_link(&self, now: Instant) -> Option<Node> {
        let url = self.url.as_deref().filter(|_| !self.is_over())?;
        let here = window().location().href().unwrap_or_default();
        if self.is_own_page() && is_same_page(url, &here) {
            return None;
        }
        let texts = self.locale.texts;
        let name = texts.get(Key::BookingLink);
        let policy = Policy::of(&self.context.event_type);
        let can_change = cancel_availability(self.booking, policy, now)
            == ActionAvailability::Available
            && reschedule_availability(self.booking, policy, now) == ActionAvailability::Available;
        let purpose = texts.get(if can_change && !self.is_emailed() {
            Key::SaveLink
        } else {
            Key::BookingLink
        });
        let link = el("a")
            .class("link")
            .attr("part", "booking-link")
            .attr("aria-label", &[name, ": ", url].concat())
            .attr("dir", "ltr")
            .attr("href", url)
            .attr("target", "_blank")
            .attr("rel", "noopener noreferrer")
            .child(url);
        let block = el("div")
            .class("confirmation-link")
            .child(el("p").child(purpose));
        Some(block.child(with_copy_button(link, url, name)))
    }
}

/// Payment link: no operation takes a payment, the service's own page does.
pub(super) fn payment_link(
    texts: Translations,
    context: &FlowContext,
    state: BookingState,
) -> Option<Node> {
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
pub(super) fn booking_url(
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
    let config = context.current_config();
    let page = match &config.booking_page {
        Some(page) => page.clone(),
        // Other services' pages are unspecified.
        None if context.session.dialect() == Dialect::Svc => BOOKING_PAGE.to_owned(),
        None => return None,
    };
    let base = match config.booking_page {
        Some(_) => window().location().href().ok()?,
        None => context.event_type.booking_url.clone(),
    };
    let url = fill_url_pattern(&page, &encode(uid), &encode(seat));
    // The own pattern ends with the seat. The page's may mean its slash.
    let url = match config.booking_page {
        Some(_) => url.as_str(),
        None => url.trim_end_matches('/'),
    };
    let url = Url::new_with_base(url, &base).ok()?.href();
    web_host(&url).is_some().then_some(url)
}
