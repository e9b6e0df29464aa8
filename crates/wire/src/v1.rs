//! Types of the deprecated version 1 interface.
//!
//! The service writes responses with them. Requests are in the OpenAPI document only: an input type has every key that can be set
//! on creation or update; the service's table of operations defines which are required and which can be updated.
//!
//! | Module | Content |
//! |---|---|
//! | [`response`] | message and error responses |
//! | [`booking`] | bookings |
//! | [`new_booking`] | requests that create and change bookings |
//! | [`booking_parts`] | attendees, references, payments |
//! | [`calendar`] | credentials of connected apps and calendars |
//! | [`event_type`], [`event_type_input`] | event types and their input |
//! | [`people`] | users, teams and memberships |
//! | [`schedule`] | schedules |
//! | [`slots`] | slots |
//! | [`webhook`] | webhooks |

pub mod booking;
pub mod booking_parts;
pub mod calendar;
pub mod event_type;
pub mod event_type_input;
pub mod new_booking;
pub mod people;
pub mod response;
pub mod schedule;
pub mod slots;
pub mod webhook;

pub use booking::{
    BookedEventType, Booking, BookingHost, BookingPayment, BookingPerson, BookingTeam, Cancelled,
    Recording,
};
pub use booking_parts::{
    Attendee, AttendeeInput, BookingReference, BookingReferenceInput, Payment,
};
pub use calendar::{
    Credential, CredentialInput, DestinationCalendar, DestinationCalendarInput, SelectedCalendar,
    SelectedCalendarInput,
};
pub use event_type::{
    Child, EventType, EventTypeLocation, FREQUENCIES, Host, Limits, RecurringEvent,
};
pub use event_type_input::EventTypeInput;
pub use new_booking::{BookingChanges, NewBooking, NewBookingLocation, NewBookingResponses};
pub use people::{
    CreatedTeam, Membership, MembershipInput, Team, TeamInput, User, UserInput, UserPage,
};
pub use response::{Failure, MessageResponse, PropertyError};
pub use schedule::{Availability, AvailabilityInput, Schedule, ScheduleHours, ScheduleInput};
pub use slots::{Slot, Slots};
pub use webhook::{Webhook, WebhookInput};
