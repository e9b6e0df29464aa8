//! Request and response types of the scheduling service's interface: version 2 and the deprecated
//! version 1.
//!
//! The service writes them strictly (`serde::Serialize`); clients and the service read those of version 2
//! leniently ([`Read`]): absent keys, nulls, unknown variants, numbers as floats and ids as strings
//! are accepted, and an unreadable element of a list does not affect the others.
//!
//! [`wire`] writes both from one declaration. It reads from [`serde_json::Value`] instead of by a derived `Deserialize`: this
//! makes leniency the default, and is several times smaller in WebAssembly. A type whose keys depend on each other implements
//! [`Read`] itself. [`read::ResponseData`] is for clients that use serde.
//!
//! | Module | Content |
//! |---|---|
//! | [`read`] | the lenient reader |
//! | [`query_parameter`] | values of query parameters as text |
//! | [`formats::instant`] | instants and calendar days |
//! | [`envelope`] | success envelope, pagination, error body |
//! | [`event_type`] | event types, their locations and form fields |
//! | [`event_type::public_event_type`], [`booking::public_booking`] | event types and bookings as shown to visitors |
//! | [`event_type::form_field`], [`event_type::field_kind`] | form fields as shown to visitors; kinds of fields |
//! | [`slots`] | slots by day, and reservations of slots |
//! | [`booking`] | bookings in all four variants, and the query of their list |
//! | [`booking::new_booking`] | requests that create and reschedule bookings |
//! | [`booking::parts`] | other requests and responses of a booking |
//! | [`formats`] | checks of e-mail addresses, URLs, colours |
//! | [`phone_number`] | countries with their calling codes, check of telephone numbers |
//! | [`formats::locale`] | languages and weekdays |
//! | [`page_paths`] | names in the paths of public pages |
//! | [`formats::text_language`] | languages of texts for people |
//! | [`people::role`], [`people::permission`] | roles of teams and organisations |
//! | [`people::team`] | teams and memberships |
//! | [`schedule`] | schedules and out-of-office entries |
//! | [`people::account`] | token sets, profiles and managed users |
//! | [`people::verified_email`] | verification of e-mail addresses |
//! | [`webhook`] | webhooks |
//! | [`v1`] | the deprecated version 1 |

// `#[wire]` names this crate, here and in the widget.
extern crate self as booking_wire;

pub use booking_wire_macros::wire;

pub mod booking;
pub mod envelope;
pub mod event_type;
pub mod formats;
pub mod page_paths;
pub mod people;
pub mod phone_number;
pub mod query_parameter;
pub mod read;
pub mod schedule;
#[cfg(feature = "openapi")]
mod schema;
pub mod slots;
pub mod v1;
pub mod webhook;

pub use booking::new_booking::{BookingLocation, NewAttendee, NewBooking, RescheduleBooking};
pub use booking::parts::{
    Absence, AddAttendee, AddGuests, BookingAttendee, BookingReference, CalendarLink,
    CancelBooking, CorrectEmail, DeclineBooking, LocationInput, MarkAbsent, NewGuest,
    OwnBookingsQuery, ReassignBooking, ReassignedBooking, ReassignedTo, Recording, UpdateLocation,
};
pub use booking::public_booking::{PublicBooking, PublicBookings};
pub use booking::{
    Attendee, Booking, BookingStatus, BookingUid, BookingsQuery, Host, SortOrder, StatusFilter,
};
pub use envelope::{Envelope, ErrorBody, ErrorDetail, Page, Pagination};
pub use event_type::field_kind::FieldKind;
pub use event_type::form_field::{FieldOption, FieldRange, FormField};
pub use event_type::public_event_type::{BookingSettings, PublicEventType};
pub use event_type::team_event_type::TeamEventType;
pub use event_type::{BookingField, EventType, EventTypeKey, Layout, Location};
pub use formats::instant::{CivilDate, Instant, parse_date};
pub use formats::locale::{
    LANGUAGES, LOCALES, WEEKDAYS, attendee_language, attendee_language_code, has_24_hours,
    is_attendee_language, language_code, message_language_code,
};
pub use people::account::{
    CreatedManagedUser, DeletedManagedUser, ManagedUser, Me, MyOrganization, NewManagedUser,
    ProfileChange, RefreshTokens, ReleasedBookings, TokenSet,
};
pub use people::permission::{ORGANIZATION_PERMISSIONS, Permission, TEAM_PERMISSIONS};
pub use people::role::{NewRole, PermissionList, Role, RoleChange, RoleType};
pub use people::team::{
    Membership, MembershipChange, MembershipRole, MembershipUser, NewMembership, NewTeam,
    OrganizationMembership, RoleHolder, Team, TeamChange, TeamSettings,
};
pub use people::verified_email::{RequestEmailCode, VerifiedEmail, VerifyEmailCode};
pub use read::{Fields, JsonMap, RawJson, Read};
pub use slots::{NewReservation, Reservation, Slot, SlotDays, SlotsQuery};
pub use webhook::{DeliveryStatus, NewWebhook, Trigger, Webhook, WebhookChanges, WebhookDelivery};
