//! Event types: lengths, locations and form.

pub mod booking_field;
pub mod location;
pub mod request;
pub mod settings;

use serde::Serialize;
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

/// An event type.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventType {
    /// Identifier.
    pub id: i64,
    /// Title, shown as the heading of the picker.
    pub title: String,
    /// Slug, unique per owner or team.
    pub slug: String,
    /// Description in plain text, empty if there is none.
    pub description: String,
    /// Default length in minutes.
    pub length_in_minutes: i64,
    /// Lengths the visitor may choose from; contains the default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub length_in_minutes_options: Vec<i64>,
    /// Locations where it can take place.
    pub locations: Vec<Location>,
    /// Fields of the booking form.
    pub booking_fields: Vec<BookingField>,
    /// Recurrence of a series, else `null`.
    pub recurrence: Option<Recurrence>,
    /// Minutes between starts; `null` means the length.
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
    #[cfg_attr(feature = "openapi", schema(value_type = Setting<BookingWindow>))]
    pub booking_window: Value,
    /// Maximum number of bookings in a period, or `{disabled:true}`.
    #[cfg_attr(feature = "openapi", schema(value_type = Setting<PeriodLimits>))]
    pub booking_limits_count: Value,
    /// Maximum of booked minutes in a period, or `{disabled:true}`.
    #[cfg_attr(feature = "openapi", schema(value_type = Setting<PeriodLimits>))]
    pub booking_limits_duration: Value,
    /// Maximum number of upcoming bookings of one visitor, or `{disabled:true}`.
    #[cfg_attr(feature = "openapi", schema(value_type = Setting<ActiveBookingsLimit>))]
    pub booker_active_bookings_limit: Value,
    /// Confirmation policy: an object, or `{disabled:true}`.
    #[cfg_attr(feature = "openapi", schema(value_type = Setting<ConfirmationPolicy>))]
    pub confirmation_policy: Value,
    /// Seats per time: an object, or `{disabled:true}`.
    #[cfg_attr(feature = "openapi", schema(value_type = Setting<Seats>))]
    pub seats: Value,
    /// The same as in `seats`, for older clients.
    pub seats_per_time_slot: Option<i64>,
    /// The same as `showAvailabilityCount` in `seats`, for older clients.
    pub seats_show_availability_count: Option<bool>,
    /// Schedule; `null` means the owner's default schedule.
    pub schedule_id: Option<i64>,
    /// Metadata, free-form.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: JsonMap,
    /// In minor units of `currency`; above 0 means payment.
    pub price: i64,
    /// ISO 4217, lower case.
    pub currency: String,
    /// Language code; `null` means the visitor's language.
    pub interface_language: Option<String>,
    /// True if the visitor may not add guests.
    pub disable_guests: bool,
    /// True if times are shown in the host's zone only.
    pub lock_time_zone_toggle_on_booking_page: bool,
    /// That zone, if times are locked to it: that of the schedule. Extension of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[cfg_attr(feature = "openapi", schema(value_type = NoCancelling))]
    pub disable_cancelling: Value,
    /// Ban on rescheduling, always or shortly before the start.
    #[cfg_attr(feature = "openapi", schema(value_type = NoRescheduling))]
    pub disable_rescheduling: Value,
    /// URL to which the visitor is redirected after booking.
    pub success_redirect_url: Option<String>,
    /// True if the booking's parameters are added to that URL; `null` unless set.
    pub forward_params_success_redirect: Option<bool>,
    /// Layouts of the slot picker.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = BookerLayouts, required = false))]
    pub booker_layouts: Option<Value>,
    /// The colours of its pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Colors, required = false))]
    pub color: Option<Value>,
    /// Title of its bookings, with placeholders such as `{Organiser}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub custom_name: Option<String>,
    /// Calendar that bookings are to be written to; returned to hosts and owners of the event type.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = DestinationCalendar, required = false))]
    pub destination_calendar: Option<Value>,
    /// True if that calendar's e-mail address is the organiser.
    pub use_destination_calendar_email: bool,
    /// True if calendars show no details.
    pub hide_calendar_event_details: bool,
    /// Reminders by e-mail; absent for the default ones, 24 hours and 1 hour before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = EmailReminders, required = false))]
    pub email_reminders: Option<Value>,
    /// Settings of the built-in video meetings.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = CalVideoSettings, required = false))]
    pub cal_video_settings: Option<Value>,
    /// Owner of a personal event type; `null` for team ones.
    pub owner_id: Option<i64>,
    /// Hosts of a personal event type.
    pub users: Vec<EventTypeUser>,
    /// URL of the service's booking page.
    pub booking_url: String,
    /// True if the service sends emails about its bookings to attendees. Extension of this service; its presence also says that
    /// `attendee.language` may have a region.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, extensions(("x-extension" = json!(true)))))]
    pub sends_email: Option<bool>,
    /// True if those who book it can correct their e-mail address for a while, with `POST
    /// /v2/bookings/{bookingUid}/correct-email`. Extension of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, extensions(("x-extension" = json!(true)))))]
    pub allows_email_correction: Option<bool>,
    /// Team event types only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<i64>,
    /// Team event types only: `roundRobin`, `collective` or `managed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduling_type: Option<String>,
    /// Team event types only, where it may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub hosts: Option<Vec<EventTypeHost>>,
    /// Team event types only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub team: Option<EventTypeTeam>,
    /// Team event types only: true if all team members are hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assign_all_team_members: Option<bool>,
    /// The managed event type of a team that this one follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_event_type_id: Option<i64>,
    /// Team event types only: recipients of no e-mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = EmailSettings, required = false))]
    pub email_settings: Option<Value>,
    /// Team event types only: true if a rescheduled booking keeps its host.
    #[serde(skip_serializing_if = "Option::is_none")]
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

impl Read for EventType {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            title: fields.text("title"),
            slug: fields.text("slug"),
            description: fields.text("description"),
            length_in_minutes: fields.get("lengthInMinutes").unwrap_or(30),
            length_in_minutes_options: fields.list("lengthInMinutesOptions"),
            locations: fields.list("locations"),
            booking_fields: fields.list("bookingFields"),
            recurrence: fields.get("recurrence")?,
            slot_interval: fields.get("slotInterval")?,
            minimum_booking_notice: fields.integer("minimumBookingNotice"),
            before_event_buffer: fields.integer("beforeEventBuffer"),
            after_event_buffer: fields.integer("afterEventBuffer"),
            offset_start: fields.integer("offsetStart"),
            booking_window: fields.get("bookingWindow").unwrap_or_default(),
            booking_limits_count: fields.get("bookingLimitsCount").unwrap_or_default(),
            booking_limits_duration: fields.get("bookingLimitsDuration").unwrap_or_default(),
            booker_active_bookings_limit: fields
                .get("bookerActiveBookingsLimit")
                .unwrap_or_default(),
            confirmation_policy: fields.get("confirmationPolicy").unwrap_or_default(),
            seats: fields.get("seats").unwrap_or_default(),
            seats_per_time_slot: fields.get("seatsPerTimeSlot")?,
            seats_show_availability_count: fields.get("seatsShowAvailabilityCount")?,
            schedule_id: fields.get("scheduleId")?,
            metadata: fields.map("metadata"),
            price: fields.integer("price"),
            currency: fields.text("currency"),
            interface_language: fields.get("interfaceLanguage")?,
            disable_guests: fields.flag("disableGuests"),
            lock_time_zone_toggle_on_booking_page: fields.flag("lockTimeZoneToggleOnBookingPage"),
            locked_time_zone: None,
            hidden: fields.flag("hidden"),
            closed: fields.flag("closed"),
            is_instant_event: fields.flag("isInstantEvent"),
            booking_requires_authentication: fields.flag("bookingRequiresAuthentication"),
            requires_booker_email_verification: fields.flag("requiresBookerEmailVerification"),
            hide_organizer_email: fields.flag("hideOrganizerEmail"),
            hide_calendar_notes: fields.flag("hideCalendarNotes"),
            only_show_first_available_slot: fields.flag("onlyShowFirstAvailableSlot"),
            show_optimized_slots: fields.flag("showOptimizedSlots"),
            allow_rescheduling_past_bookings: fields.flag("allowReschedulingPastBookings"),
            allow_rescheduling_cancelled_bookings: fields
                .flag("allowReschedulingCancelledBookings"),
            disable_cancelling: fields.get("disableCancelling").unwrap_or_default(),
            disable_rescheduling: fields.get("disableRescheduling").unwrap_or_default(),
            success_redirect_url: fields.get("successRedirectUrl")?,
            forward_params_success_redirect: fields.get("forwardParamsSuccessRedirect")?,
            booker_layouts: fields.get("bookerLayouts")?,
            color: fields.get("color")?,
            custom_name: fields.get("customName")?,
            destination_calendar: fields.get("destinationCalendar")?,
            use_destination_calendar_email: fields.flag("useDestinationCalendarEmail"),
            hide_calendar_event_details: fields.flag("hideCalendarEventDetails"),
            email_reminders: fields.get("emailReminders")?,
            cal_video_settings: fields.get("calVideoSettings")?,
            owner_id: fields.get("ownerId")?,
            users: fields.list("users"),
            booking_url: fields.text("bookingUrl"),
            sends_email: fields.get("sendsEmail")?,
            allows_email_correction: fields.get("allowsEmailCorrection")?,
            team_id: fields.get("teamId")?,
            scheduling_type: fields.get("schedulingType")?,
            hosts: fields.get("hosts")?,
            team: fields.get("team")?,
            assign_all_team_members: fields.get("assignAllTeamMembers")?,
            parent_event_type_id: fields.get("parentEventTypeId")?,
            email_settings: fields.get("emailSettings")?,
            reschedule_with_same_round_robin_host: fields
                .get("rescheduleWithSameRoundRobinHost")?,
        })
    }
}

/// Owner of an event type, as shown on its pages.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventTypeUser {
    /// Identifier.
    pub id: i64,
    /// May be missing.
    pub name: Option<String>,
    /// May be missing.
    pub username: Option<String>,
    /// May be missing.
    pub avatar_url: Option<String>,
    /// `#RGB` or `#RRGGBB`.
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    pub dark_brand_color: Option<String>,
    /// English name of a weekday.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub week_start: Option<String>,
    /// IANA id, if the service publishes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub time_zone: Option<String>,
    /// Metadata, free-form.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventTypeHost {
    /// The person's identifier.
    #[serde(rename = "userId")]
    pub id: i64,
    /// May be missing.
    pub name: Option<String>,
    /// May be missing.
    pub username: Option<String>,
    /// May be missing.
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventTypeTeam {
    /// Identifier.
    pub id: i64,
    /// May be missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub slug: Option<String>,
    /// Name, shown in the summary.
    pub name: String,
    /// A picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub logo_url: Option<String>,
    /// A wide picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub banner_url: Option<String>,
    /// English name of a weekday.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub week_start: Option<String>,
    /// `#RGB` or `#RRGGBB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub dark_brand_color: Option<String>,
    /// `light` or `dark`; none means the visitor's setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub theme: Option<String>,
}

impl Read for EventTypeTeam {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.integer("id"),
            slug: fields.get("slug")?,
            name: fields.text("name"),
            logo_url: fields.get("logoUrl")?,
            banner_url: fields.get("bannerUrl")?,
            week_start: fields.get("weekStart")?,
            brand_color: fields.get("brandColor")?,
            dark_brand_color: fields.get("darkBrandColor")?,
            theme: fields.get("theme")?,
        })
    }
}
