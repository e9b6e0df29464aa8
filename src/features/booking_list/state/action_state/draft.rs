//! Form values of the booking actions, their checks (what is required) and the requests made from them.

use booking_rules::limits::MAX_GUESTS_PER_CALL;
use booking_ui::prelude::*;
use booking_wire::formats::is_email;
use booking_wire::{
    AddGuests, Booking, CancelBooking, DeclineBooking, NewGuest, ReassignBooking, UpdateLocation,
};

use super::model::{ActionKind, LocationError, LocationKind, parse_location};
use crate::client::operations::booking_actions::BookingAction;
use crate::i18n::{Key, Translations};

/// Form values of the action opened last. Opening another one clears them.
#[derive(Clone, Copy)]
pub(crate) struct ActionDraft {
    pub(crate) reason: RwSignal<String>,
    /// True to cancel the later meetings of the series as well.
    pub(crate) with_later: RwSignal<bool>,
    /// Selected seat; empty for all.
    pub(crate) seat: RwSignal<String>,
    /// True once the seat to reschedule is selected.
    pub(crate) has_seat: RwSignal<bool>,
    pub(crate) guests: RwSignal<Vec<String>>,
    pub(crate) location_kind: RwSignal<String>,
    pub(crate) location: RwSignal<String>,
    /// New host's id; empty for the next in turn.
    pub(crate) host: RwSignal<String>,
    pub(crate) error: RwSignal<Option<Key>>,
    /// Absence shown before the service has responded: by the attendee's address, empty for a host.
    pub(crate) pending_absence: RwSignal<Option<(String, bool)>>,
}

impl ActionDraft {
    pub(crate) fn new() -> Self {
        Self {
            reason: RwSignal::default(),
            with_later: RwSignal::new(false),
            seat: RwSignal::default(),
            has_seat: RwSignal::new(false),
            guests: RwSignal::default(),
            location_kind: RwSignal::default(),
            location: RwSignal::default(),
            host: RwSignal::default(),
            error: RwSignal::new(None),
            pending_absence: RwSignal::new(None),
        }
    }

    pub(crate) fn clear(self) {
        for text in [
            self.reason,
            self.seat,
            self.location_kind,
            self.location,
            self.host,
        ] {
            text.set(String::new());
        }
        self.with_later.set(false);
        self.has_seat.set(false);
        self.guests.set(Vec::new());
        self.error.set(None);
        self.clear_pending();
    }

    /// Prepares the values for their form, which is opened again.
    pub(super) fn resume(self) {
        self.has_seat.set(false);
        self.error.set(None);
    }

    /// Clears the pending absence: the response has updated the booking.
    pub(crate) fn clear_pending(self) {
        self.pending_absence.set(None);
    }

    /// True if a new time for `booking` can be picked: with seats, after the choice of a seat.
    pub(crate) fn can_pick_time(self, booking: &Booking) -> bool {
        self.has_seat.get() || !booking.is_seated()
    }

    /// Selected seat; `None` for all.
    pub(crate) fn seat(self) -> Option<String> {
        let seat = self.seat.get_untracked();
        Some(seat).filter(|seat| !seat.is_empty())
    }

    fn reason(self) -> Option<String> {
        let reason = self.reason.get_untracked().trim().to_owned();
        Some(reason).filter(|reason| !reason.is_empty())
    }

    /// Error text of the form's field.
    pub(crate) fn error_text(self, texts: Translations) -> Signal<Option<String>> {
        let error = self.error;
        Signal::derive(move || {
            let key = error.get()?;
            let max = texts.number(MAX_GUESTS_PER_CALL as i64);
            Some(texts.fill(key, &[("count", &max)]))
        })
    }

    /// Parses the form: the request of an action, or the error text's key.
    pub(crate) fn parse(self, kind: ActionKind) -> Result<BookingAction, Key> {
        Ok(match kind {
            ActionKind::Decline => BookingAction::Decline(DeclineBooking {
                reason: self.reason(),
            }),
            ActionKind::Cancel => {
                let reason = self.reason().ok_or(Key::Required)?;
                BookingAction::Cancel(CancelBooking {
                    cancellation_reason: Some(reason),
                    cancel_subsequent_bookings: self.with_later.get_untracked().then_some(true),
                    seat_uid: self.seat(),
                })
            }
            ActionKind::AddGuests => {
                let guests = self.guests.get_untracked();
                match guests.len() {
                    0 => return Err(Key::Required),
                    count if count > MAX_GUESTS_PER_CALL => return Err(Key::TooManyGuests),
                    _ if !guests.iter().all(|guest| is_email(guest)) => {
                        return Err(Key::GuestsOdd);
                    }
                    _ => {}
                }
                let guest = |email| NewGuest {
                    email,
                    ..NewGuest::default()
                };
                BookingAction::AddGuests(AddGuests {
                    guests: guests.into_iter().map(guest).collect(),
                })
            }
            ActionKind::Relocate => {
                let kind = LocationKind::named(&self.location_kind.get_untracked());
                let parsed = parse_location(kind, &self.location.get_untracked());
                let location = parsed.map_err(|error| match error {
                    LocationError::Missing => Key::Required,
                    LocationError::Link => Key::LinkOdd,
                    LocationError::Phone => Key::CallOdd,
                })?;
                BookingAction::Relocate(UpdateLocation { location })
            }
            ActionKind::Reassign => {
                let host = self.host.get_untracked().parse().ok();
                let reason = self.reason().filter(|_| host.is_some());
                BookingAction::Reassign(host, ReassignBooking { reason })
            }
            ActionKind::Confirm | ActionKind::MarkAbsent | ActionKind::Reschedule => {
                BookingAction::Confirm
            }
        })
    }
}
