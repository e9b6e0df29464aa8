//! Outcome of the flow, and the redirect that follows.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use booking_ui::prelude::*;
use booking_wire::{PublicBooking, PublicEventType};
use web_sys::Url;

use super::context::FlowContext;
use super::urls::is_redirect_allowed;
use crate::page::attributes::AfterBooking;
use crate::page::step_place::BookingReference;
use crate::time::Instant;

/// Flow outcome.
#[derive(Clone)]
pub(super) struct FlowOutcome {
    /// The booking, or all of a series.
    pub(super) bookings: Vec<PublicBooking>,
    /// The visitor's own seat, if several share the slot.
    pub(super) seat_uid: Option<String>,
    /// The last action.
    pub(super) kind: OutcomeKind,
    /// Previous start, if it was rescheduled.
    pub(super) previous_start: Option<Instant>,
    /// Address of a booking that was just made.
    pub(super) address: Option<Arc<BookedAddress>>,
}

/// E-mail address with which the visitor has booked. Views of the outcome that follow each other share it, so that a
/// corrected address and the end of the time for corrections stay.
pub(super) struct BookedAddress(Mutex<AddressState>);

struct AddressState {
    email: String,
    /// Time at which the outcome was first shown.
    shown: Option<Instant>,
}

impl BookedAddress {
    pub(super) fn new(email: &str) -> Arc<Self> {
        let email = email.to_owned();
        Arc::new(Self(Mutex::new(AddressState { email, shown: None })))
    }

    /// The address as it was corrected last.
    pub(super) fn email(&self) -> String {
        self.state().email.clone()
    }

    pub(super) fn set_email(&self, email: &str) {
        email.clone_into(&mut self.state().email);
    }

    /// Time at which the outcome was first shown, which is `now` in the first view.
    pub(super) fn shown(&self, now: Instant) -> Instant {
        *self.state().shown.get_or_insert(now)
    }

    fn state(&self) -> MutexGuard<'_, AddressState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FlowOutcome {
    /// Names the booking, or the series, and the seat in it; `None` after a dry run.
    pub(super) fn reference(&self) -> Option<BookingReference> {
        let first = self.bookings.first()?;
        let series = first.series_uid.as_ref();
        let series = series.filter(|_| self.bookings.len() > 1);
        let uid = series.unwrap_or(&first.uid).0.clone();
        (!uid.is_empty() && self.kind != OutcomeKind::DryRun).then(|| BookingReference {
            uid,
            seat: self.seat_uid.clone(),
        })
    }
}

/// Last action on a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutcomeKind {
    /// Booked.
    Booked,
    /// Dry run: no booking was made.
    DryRun,
    /// Rescheduled.
    Rescheduled,
    /// Cancelled.
    Cancelled,
    /// No action: the booking was opened.
    Opened,
    /// No action here: the booking has changed elsewhere.
    Changed,
}

impl FlowContext {
    /// True if the page shows the outcome itself.
    pub(super) fn is_silent(&self, kind: OutcomeKind) -> bool {
        let is_booking = matches!(kind, OutcomeKind::Booked | OutcomeKind::DryRun);
        is_booking && self.current_config().after_booking == AfterBooking::None
    }
}

/// Redirects to the target of the page, or else of the event type, if its origin is trusted. Returns true if it does.
pub(super) fn redirect(context: &FlowContext) -> bool {
    let config = context.current_config();
    let target = match (config.after_booking, &config.redirect_url) {
        (AfterBooking::Redirect, Some(url)) => Some(url.clone()),
        (AfterBooking::None, _) => None,
        _ if config.prevents_redirect => None,
        _ => event_type_redirect(&context.event_type),
    };
    let Some(target) = target else { return false };
    let location = window().location();
    let here = location.href().unwrap_or_default();
    // Requests resolve relative URLs against the page's `<base>`.
    let base = document().base_uri().ok().flatten().unwrap_or_default();
    let service = Url::new_with_base(context.session.base_url(), &base).map(|url| url.origin());
    let service = service.unwrap_or_default();
    let page = location.origin().unwrap_or_default();
    let mut trusted = vec![page.as_str(), service.as_str()];
    trusted.extend(config.redirect_origins.iter().map(String::as_str));
    // The checked URL is the one followed: the page may have a `<base>` of another origin.
    let url = Url::new_with_base(&target, &here).ok();
    let url = url.filter(|url| is_redirect_allowed(&url.protocol(), &url.origin(), &trusted));
    let Some(url) = url else {
        console_warn(&format!(
            "<booking-picker>: {target} is not followed: its origin is neither this page's nor the service's, and not in redirect-origins"
        ));
        return false;
    };
    location.assign(&url.href()).is_ok()
}

fn event_type_redirect(event_type: &PublicEventType) -> Option<String> {
    let target = event_type.booking_settings().success_redirect_url;
    target.filter(|url| !url.trim().is_empty())
}
