//! Event types: lengths, locations and form.

pub mod booking_field;
pub mod field_kind;
pub mod form_field;
pub mod location;
pub mod public_event_type;
pub mod request;
pub mod settings;
pub mod team_event_type;

use booking_wire_macros::wire;
use serde_json::Value;

use crate::read::{Fields, JsonMap, Read};

pub use booking_field::BookingField;
pub use location::Location;
#[cfg(feature = "openapi")]
use settings::{
    ActiveBookingsLimit, BookerLayouts, BookingWindow, CalVideoSettings, Colors,
    ConfirmationPolicy, DestinationCalendar, EmailReminders, EmailSettings, NoCancelling,
    NoRescheduling, PeriodLimits, Seats, Setting,
};
pub use settings::{Layout, Recurrence};

/// Longest meeting, in minutes.
pub const MAX_LENGTH_MINUTES: i64 = 1440;

/// Key of an event type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EventTypeKey {
    /// By id. Some services accept it from owners only.
    Id(i64),
    /// A person's event type.
    User {
        /// The owner's user name.
        username: String,
        /// The event type's slug.
        slug: String,
    },
    /// A team's event type.
    Team {
        /// The team's id or, in services of this project, its slug.
        team: String,
        /// The event type's slug.
        slug: String,
    },
}

impl EventTypeKey {
    /// Returns the parameters of a query by it.
    pub(crate) fn pairs(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Id(id) => vec![("eventTypeId", id.to_string())],
            Self::User { username, slug } => vec![
                ("username", username.clone()),
                ("eventTypeSlug", slug.clone()),
            ],
            // Slots of a team need its slug, which a caller with the team's id does not have: it
            // looks up the event type first and queries by id.
            Self::Team { .. } => Vec::new(),
        }
    }
}

/// An event type.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventType {
    /// Identifier.
    #[wire(required)]
    pub id: i64,
    /// Title, shown as the heading of the picker.
    pub title: String,
    /// Slug, unique per owner or team.
    pub slug: String,
    /// Description in plain text, empty if there is none.
    pub description: String,
    /// Default length in minutes.
    #[wire(default = 30)]
    pub length_in_minutes: i64,
    /// Lengths the visitor may choose from; contains the default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub length_in_minutes_options: Vec<i64>,
    /// Locations where it can take place.
    pub locations: Vec<Location>,
    /// Fields of the booking form.
    pub booking_fields: Vec<BookingField>,
    /// Recurrence of a series, else `null`.
    #[wire(null)]
    pub recurrence: Option<Recurrence>,
    /// Minutes between starts; `null` means the length.
    #[wire(null)]
    pub slot_interval: Option<i64>,
    /// Minutes.
    pub minimum_booking_notice: i64,
    /// Minutes.
    pub before_event_buffer: i64,
    /// Minutes.
    pub after_event_buffer: i64,
    /// Minutes by which starts are shifted from the grid.
    pub offset_start: i64,
    /// Booking window: an object, or `{disabled:true}`.
    #[schema(value_type = Setting<BookingWindow>)]
    pub booking_window: Value,
    /// Maximum number of bookings in a period, or `{disabled:true}`.
    #[schema(value_type = Setting<PeriodLimits>)]
    pub booking_limits_count: Value,
    /// Maximum of booked minutes in a period, or `{disabled:true}`.
    #[schema(value_type = Setting<PeriodLimits>)]
    pub booking_limits_duration: Value,
    /// Maximum number of upcoming bookings of one visitor, or `{disabled:true}`.
    #[schema(value_type = Setting<ActiveBookingsLimit>)]
    pub booker_active_bookings_limit: Value,
    /// Confirmation policy: an object, or `{disabled:true}`.
    #[schema(value_type = Setting<ConfirmationPolicy>)]
    pub confirmation_policy: Value,
    /// Seats per time: an object, or `{disabled:true}`.
    #[schema(value_type = Setting<Seats>)]
    pub seats: Value,
    /// The same as in `seats`, for older clients.
    #[wire(null)]
    pub seats_per_time_slot: Option<i64>,
    /// The same as `showAvailabilityCount` in `seats`, for older clients.
    #[wire(null)]
    pub seats_show_availability_count: Option<bool>,
    /// Schedule; `null` means the owner's default schedule.
    #[wire(null)]
    pub schedule_id: Option<i64>,
    /// Metadata, free-form.
    #[schema(value_type = Object)]
    pub metadata: JsonMap,
    /// In minor units of `currency`; above 0 means payment.
    pub price: i64,
    /// ISO 4217, lower case.
    pub currency: String,
    /// Language code; `null` means the visitor's language.
    #[wire(null)]
    pub interface_language: Option<String>,
    /// True if the visitor may not add guests.
    pub disable_guests: bool,
    /// True if times are shown in the host's zone only.
    pub lock_time_zone_toggle_on_booking_page: bool,
    /// That zone, if times are locked to it: that of the schedule. Extension of this service.
    #[wire(read = None)]
    pub locked_time_zone: Option<String>,
    /// True if it is omitted from public lists: its link leads to it.
    pub hidden: bool,
    /// True if only its hosts and those who may change it can see or book it. Extension of this service.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
    /// True for instant meetings.
    pub is_instant_event: bool,
    /// True if only signed-in callers may book.
    pub booking_requires_authentication: bool,
    /// True if the visitor must enter a code sent by e-mail.
    pub requires_booker_email_verification: bool,
    /// True if the organiser's e-mail address is hidden from visitors.
    pub hide_organizer_email: bool,
    /// True if notes are omitted from calendars.
    pub hide_calendar_notes: bool,
    /// True if each day has its first slot only.
    pub only_show_first_available_slot: bool,
    /// True if starts are shifted to rounder times where that loses no slot.
    pub show_optimized_slots: bool,
    /// True if a booking can be rescheduled after its start.
    pub allow_rescheduling_past_bookings: bool,
    /// True if a cancelled booking can be rescheduled, which creates a new one.
    pub allow_rescheduling_cancelled_bookings: bool,
    /// Ban on cancelling.
    #[schema(value_type = NoCancelling)]
    pub disable_cancelling: Value,
    /// Ban on rescheduling, always or shortly before the start.
    #[schema(value_type = NoRescheduling)]
    pub disable_rescheduling: Value,
    /// URL to which the visitor is redirected after booking.
    #[wire(null)]
    pub success_redirect_url: Option<String>,
    /// True if the booking's parameters are added to that URL; `null` unless set.
    #[wire(null)]
    pub forward_params_success_redirect: Option<bool>,
    /// Layouts of the slot picker.
    #[schema(value_type = BookerLayouts, required = false)]
    pub booker_layouts: Option<Value>,
    /// The colours of its pages.
    #[schema(value_type = Colors, required = false)]
    pub color: Option<Value>,
    /// Title of its bookings, with placeholders such as `{Organiser}`.
    #[schema(nullable = false)]
    pub custom_name: Option<String>,
    /// Calendar that bookings are to be written to; returned to hosts and owners of the event type.
    #[schema(value_type = DestinationCalendar, required = false)]
    pub destination_calendar: Option<Value>,
    /// True if that calendar's e-mail address is the organiser.
    pub use_destination_calendar_email: bool,
    /// True if calendars show no details.
    pub hide_calendar_event_details: bool,
    /// Reminders by e-mail; absent for the default ones, 24 hours and 1 hour before the start.
    #[schema(value_type = EmailReminders, required = false)]
    pub email_reminders: Option<Value>,
    /// Settings of the built-in video meetings.
    #[schema(value_type = CalVideoSettings, required = false)]
    pub cal_video_settings: Option<Value>,
    /// Owner of a personal event type; `null` for team ones.
    #[wire(null)]
    pub owner_id: Option<i64>,
    /// Hosts of a personal event type.
    pub users: Vec<EventTypeUser>,
    /// URL of the service's booking page.
    pub booking_url: String,
    /// True if the service sends emails about its bookings to attendees. Extension of this service; its presence also says that
    /// `attendee.language` may have a region.
    #[schema(nullable = false, extensions(("x-extension" = json!(true))))]
    pub sends_email: Option<bool>,
    /// True if those who book it can correct their e-mail address for a while, with `POST
    /// /v2/bookings/{bookingUid}/correct-email`. Extension of this service.
    #[schema(nullable = false, extensions(("x-extension" = json!(true))))]
    pub allows_email_correction: Option<bool>,
    /// Team event types only.
    pub team_id: Option<i64>,
    /// Team event types only: `roundRobin`, `collective` or `managed`.
    pub scheduling_type: Option<String>,
    /// Team event types only, where it may be empty.
    #[schema(nullable = false)]
    pub hosts: Option<Vec<EventTypeHost>>,
    /// Team event types only.
    #[schema(nullable = false)]
    pub team: Option<EventTypeTeam>,
    /// Team event types only: true if all team members are hosts.
    pub assign_all_team_members: Option<bool>,
    /// The managed event type of a team that this one follows.
    pub parent_event_type_id: Option<i64>,
    /// Team event types only: recipients of no e-mail.
    #[schema(value_type = EmailSettings, required = false)]
    pub email_settings: Option<Value>,
    /// Team event types only: true if a rescheduled booking keeps its host.
    pub reschedule_with_same_round_robin_host: Option<bool>,
}

impl EventType {
    /// Returns the lengths to choose from: at least one, ascending, without repeats.
    pub fn lengths(&self) -> Vec<i64> {
        sorted_lengths(&self.length_in_minutes_options, self.length_in_minutes)
    }

    /// Returns the names of the hosts of a personal or team event type.
    pub fn host_names(&self) -> Vec<String> {
        let users = self.users.iter().map(|user| &user.name);
        let hosts = self.hosts.iter().flatten().map(|host| &host.name);
        users.chain(hosts).filter_map(Clone::clone).collect()
    }
}

/// Returns all positive lengths, ascending, without repeats.
pub(crate) fn sorted_lengths(options: &[i64], default: i64) -> Vec<i64> {
    let mut lengths = Vec::new();
    for length in options.iter().chain([&default]) {
        let index = lengths.partition_point(|known| known < length);
        if *length > 0 && lengths.get(index) != Some(length) {
            lengths.insert(index, *length);
        }
    }
    lengths
}

/// Owner of an event type, as shown on its pages.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventTypeUser {
    /// Identifier.
    pub id: i64,
    /// May be missing.
    #[wire(null)]
    pub name: Option<String>,
    /// May be missing.
    #[wire(null)]
    pub username: Option<String>,
    /// May be missing.
    #[wire(null)]
    pub avatar_url: Option<String>,
    /// `#RGB` or `#RRGGBB`.
    #[wire(null)]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[wire(null)]
    pub dark_brand_color: Option<String>,
    /// English name of a weekday.
    #[schema(nullable = false)]
    pub week_start: Option<String>,
    /// IANA id, if the service publishes it.
    #[schema(nullable = false)]
    pub time_zone: Option<String>,
    /// Metadata, free-form.
    #[schema(value_type = Object)]
    pub metadata: JsonMap,
}

/// Real services send objects; their specification has strings.
impl Read for EventTypeUser {
    fn read(value: &Value) -> Option<Self> {
        let Some(fields) = Fields::of(value) else {
            return value.as_str().map(|name| Self {
                name: Some(name.to_owned()),
                ..Self::default()
            });
        };
        Some(Self {
            id: fields.integer("id"),
            name: fields.get("name")?,
            username: fields.get("username")?,
            avatar_url: fields.get("avatarUrl")?,
            brand_color: fields.get("brandColor")?,
            dark_brand_color: fields.get("darkBrandColor")?,
            week_start: fields.get("weekStart")?,
            time_zone: fields.get("timeZone")?,
            metadata: fields.map("metadata"),
        })
    }
}

/// Host of a team event type.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventTypeHost {
    /// The person's identifier.
    #[wire(key = "userId")]
    pub id: i64,
    /// May be missing.
    #[wire(null)]
    pub name: Option<String>,
    /// May be missing.
    #[wire(null)]
    pub username: Option<String>,
    /// May be missing.
    #[wire(null)]
    pub avatar_url: Option<String>,
    /// True if the host takes part in every booking.
    pub mandatory: bool,
    /// Round-robin priority: `lowest`, `low`, `medium`, `high` or `highest`.
    pub priority: String,
}

/// Some services send names only, and some use the key `id`.
impl Read for EventTypeHost {
    fn read(value: &Value) -> Option<Self> {
        let Some(fields) = Fields::of(value) else {
            return value.as_str().map(|name| Self {
                name: Some(name.to_owned()),
                ..Self::default()
            });
        };
        Some(Self {
            id: fields.get("userId").unwrap_or_else(|| fields.integer("id")),
            name: fields.get("name")?,
            username: fields.get("username")?,
            avatar_url: fields.get("avatarUrl")?,
            mandatory: fields.flag("mandatory"),
            priority: fields.text("priority"),
        })
    }
}

/// Team of a team event type.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventTypeTeam {
    /// Identifier.
    pub id: i64,
    /// May be missing.
    #[schema(nullable = false)]
    pub slug: Option<String>,
    /// Name, shown in the summary.
    pub name: String,
    /// A picture.
    #[schema(nullable = false)]
    pub logo_url: Option<String>,
    /// A wide picture.
    #[schema(nullable = false)]
    pub banner_url: Option<String>,
    /// English name of a weekday.
    #[schema(nullable = false)]
    pub week_start: Option<String>,
    /// `#RGB` or `#RRGGBB`.
    #[schema(nullable = false)]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[schema(nullable = false)]
    pub dark_brand_color: Option<String>,
    /// `light` or `dark`; none means the visitor's setting.
    #[schema(nullable = false)]
    pub theme: Option<String>,
}
