//! Types of the deprecated version 1 interface (contract 5).
//!
//! Nothing of it is used by clients of version 2, so nothing of it gets into their artefacts. What
//! is read is as strict to write and as lenient to read as the rest of this crate. An input has
//! every key that can be given when an object is made or changed; which of them must be given, and
//! which can be changed afterwards, is said by the service's table of operations.
//!
//! | Module | Holds |
//! |---|---|
//! | [`answer`] | what all answers have in common |
//! | [`booking`] | bookings |
//! | [`new_booking`] | how they are made and changed |
//! | [`booking_parts`] | attendees, names in other systems, payments |
//! | [`calendar`] | credentials of connected apps and calendars |
//! | [`event_type`], [`event_type_input`] | what can be booked, and what is said of it |
//! | [`people`] | users, teams and memberships |
//! | [`schedule`] | working hours |
//! | [`slots`] | bookable starts |
//! | [`webhook`] | subscriptions to events |

use serde_json::Value;

use crate::read::{JsonMap, Read};

impl Read for JsonMap {
    fn read(value: &Value) -> Option<Self> {
        value.as_object().cloned()
    }
}

/// Implements [`crate::read::Read`]: the keys before the bar must be there, the others may be missing or
/// hold what cannot be read.
macro_rules! lenient {
    ($name:ident { $($need:ident: $need_key:literal),* | $($field:ident: $key:literal),* $(,)? }) => {
        impl crate::read::Read for $name {
            fn read(value: &serde_json::Value) -> Option<Self> {
                let fields = crate::read::Fields::of(value)?;
                Some(Self {
                    $($need: fields.get($need_key)?,)*
                    $($field: fields.get($key).unwrap_or_default(),)*
                })
            }
        }
    };
}

pub mod answer;
pub mod booking;
pub mod booking_parts;
pub mod calendar;
pub mod event_type;
pub mod event_type_input;
pub mod new_booking;
pub mod people;
pub mod schedule;
pub mod slots;
pub mod webhook;

pub use answer::{Complaint, Failure, Told, spelled_in, unwrapped};
pub use booking::{
    BookedType, Booking, BookingHost, BookingPayment, BookingPerson, BookingTeam, Cancelled,
    Recording,
};
pub use booking_parts::{
    Attendee, AttendeeInput, BookingReference, BookingReferenceInput, Payment,
};
pub use calendar::{
    Credential, CredentialInput, DestinationCalendar, DestinationCalendarInput, SelectedCalendar,
    SelectedCalendarInput,
};
pub use event_type::{Child, EventType, FREQUENCIES, Host, Limits, Place, RecurringEvent};
pub use event_type_input::EventTypeInput;
pub use new_booking::{BookingChanges, NewBooking, NewBookingLocation, NewBookingResponses};
pub use people::{
    MadeTeam, Membership, MembershipInput, Team, TeamInput, User, UserInput, UserPage,
};
pub use schedule::{Availability, AvailabilityInput, Schedule, ScheduleHours, ScheduleInput};
pub use slots::{Slot, Slots};
pub use webhook::{Webhook, WebhookInput};
