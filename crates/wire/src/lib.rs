//! Request and response types of the scheduling service's interface: version 2, and apart from it the
//! deprecated version 1.
//!
//! The service writes them strictly (`serde::Serialize`); everybody reads them leniently
//! ([`Read`]): absent keys, nulls, unknown variants, numbers as floats and ids as strings are
//! survived, and one odd element never costs the list it stands in.
//!
//! Reading goes through [`serde_json::Value`] by hand instead of a derived `Deserialize`: that is
//! what makes leniency the default, and it is several times smaller in WebAssembly.
//!
//! | Module | Holds |
//! |---|---|
//! | [`read`] | the lenient reader |
//! | [`instant`] | points in time and calendar days |
//! | [`envelope`] | success envelope, pagination, error body |
//! | [`event_type`] | what can be booked, its places and form fields |
//! | [`horizon`] | the days on which it can be booked |
//! | [`slots`] | bookable starts by day, and short holds on them |
//! | [`booking`] | bookings in all four variants, and their listing |
//! | [`new_booking`] | how bookings are made and moved |
//! | [`booking_parts`] | what is done to a booking and what belongs to it |
//! | [`offer`] | what clients show of the two |
//! | [`asked_field`], [`field_kind`] | a field of the form as visitors see it; kinds of fields |
//! | [`formats`] | e-mail addresses, telephone numbers, addresses of pages, colours |
//! | [`locale`] | languages and weekdays |
//! | [`role`], [`permission`] | roles of teams and organisations |
//! | [`team`] | teams and memberships |
//! | [`schedule`] | working hours and absences |
//! | [`account`] | token sets and the caller's own profile |
//! | [`webhook`] | subscriptions to events |
//! | [`v1`] | the deprecated version 1 |

pub mod account;
pub mod asked_field;
pub mod booking;
pub mod booking_parts;
pub mod envelope;
pub mod event_type;
pub mod field_kind;
pub mod formats;
pub mod horizon;
pub mod instant;
pub mod locale;
pub mod new_booking;
pub mod offer;
pub mod permission;
pub mod read;
pub mod role;
pub mod schedule;
#[cfg(feature = "openapi")]
mod schema;
pub mod slots;
pub mod team;
pub mod v1;
pub mod webhook;

pub use account::{
    DeletedManagedUser, MadeManagedUser, ManagedUser, Me, MyOrganization, NewManagedUser,
    ProfileChange, RefreshTokens, ReleasedBookings, TokenSet,
};
pub use asked_field::{AskedField, Bounds, FieldOption};
pub use booking::{
    Attendee, Booking, BookingStatus, BookingUid, BookingsQuery, Host, SortOrder, StatusFilter,
};
pub use booking_parts::{
    Absence, AddAttendee, AddGuests, BookingAttendee, BookingReference, CalendarLink,
    CancelBooking, DeclineBooking, GivenLocation, MarkAbsent, NewGuest, OwnBookingsQuery,
    ReassignBooking, ReassignedBooking, ReassignedTo, Recording, UpdateLocation,
};
pub use envelope::{Envelope, ErrorBody, ErrorDetail, Page, Pagination};
pub use event_type::{BookingField, EventType, EventTypeKey, Layout, Location};
pub use field_kind::FieldKind;
pub use horizon::Horizon;
pub use instant::{CivilDate, Instant, parse_date};
pub use locale::{LANGUAGES, LOCALES, WEEKDAYS, language_code};
pub use new_booking::{BookingLocation, NewAttendee, NewBooking, RescheduleBooking};
pub use offer::{MadeBooking, MadeBookings, Offer, Terms};
pub use permission::{ORGANIZATION_PERMISSIONS, Permission, TEAM_PERMISSIONS};
pub use read::{Fields, JsonMap, Read, Unread};
pub use role::{NewRole, PermissionList, Role, RoleChange, RoleType};
pub use slots::{NewReservation, Reservation, Slot, SlotDays, SlotsQuery};
pub use team::{
    Holder, Membership, MembershipChange, MembershipRole, MembershipUser, NewMembership, NewTeam,
    OrganizationMembership, Team, TeamChange, TeamSettings,
};
pub use webhook::{NewWebhook, Trigger, Webhook, WebhookChanges};
